//! A policy that finds out by itself which actors should go home, those whose messages take longer elsewhere, and when sleeping
//! workers should be woken, where thefts pay.
//!
//! It starts as `cls-tp`: random work stealing with bound threads, whose idle workers poll and sleep.
//!
//! *Nearness*: some of a thief's attempts ask a neighbour, a worker of its own node, in place of anybody. Who takes an actor writes to those that
//! it has left behind, and the nearer they are the less that costs.
//!
//! *Homes*: it times some activations and keeps, per class of actors,
//! the mean time of a message at home (on the node where an actor first ran and first touched its state) and away. A
//! class is *pinned* while being away costs clearly more than sending it home could: only then are its actors queued
//! at their homes. So an actor without much state is never sent to a worker that may sleep, and a coordinator follows
//! whoever reports to it, without any hint.
//!
//! Nobody is sent home to learn: actors run at home first, and stealing and following senders take them away by
//! themselves.
//!
//! Whether being sent home keeps them there is measured, too: where homes lie on one node, thieves take most of what is
//! sent to it, and then it costs waiting and gains nothing. Such a class is let go for a long time.
//!
//! Little is measured at home while nobody is sent there, so a class is pinned on a suspicion, and then measured at home
//! afresh: what raised the suspicion may have been chance, and does not count when it is weighed whether to let go.
//!
//! *Waking*: what becomes of thefts, which idle workers commit anyway, tells whether more of them would be worth waking somebody (module
//! `thefts`). While they would, whoever lets an actor wait wakes a sleeper, and a thief that had something of it asks everybody for more
//! before it sleeps again. Where none pays, as among few actors that only write to each other, everything is as under `cls-tp`, but for whom
//! thieves ask.
//!
//! *Calls*: a neighbour is woken without proof, as long as what thefts get done is not known to be less than waking somebody costs. What it takes
//! lies near, so that even short messages are worth it, and programs that are over in no time are spread before anything is proven. Two or three
//! workers call nobody: there conversations stay cut that cost more than another worker brings, and too few are left to make up for it.
//!
//! *Pauses*: who has looked for a sleeper in vain queues some actors before it looks again, up to 31 (module `lookout`).
//!
//! *Calm*: a worker that has heard of no long message for a while times a quarter of the activations that it timed before, unless their class is
//! one of which something must be known.
//!
//! *Order*: on a single node nobody is away from home. What is left there of the rules for homes is that long messages wait their turn, where the worker is
//! that wakes the actor: of actors with much to do, each of which does it one message after another, none then gets so far ahead that the others keep
//! few workers busy in the end. A worker hears of long messages from what it takes from others and from the activations that it times, and when it has heard of none
//! for a while it stops timing.
//!
//! The rule for homes is a difference of two measured times and nothing absolute: errors of the clock and costs that are the
//! same everywhere cancel out. Variants that lack one term of the rules each, and controls that do not measure at all,
//! stand beside it; a benefit that they have as well is not due to the rule.

mod homes;
#[cfg(test)]
mod tests;
mod variants;

use crate::lookout::Lookout;
use crate::topology::Rings;
use crate::{
    Board, ClsTp, ClsWakeLong, End, Mean, Nanos, Pick, Policy, Profile, Random, Role, Route, Sample, Search,
    Setup, Stint, Surroundings, Waking, Word, guided, thefts,
};
use homes::{is_pinned, longest, resigns, strayed};
pub use variants::{
    AdaptiveLocality, AdaptiveLocalityPolling, AdaptiveWaking, ClsTpNear, PinAll, PinLong, WithoutCalls,
    WithoutCalm, WithoutCertainty, WithoutGuard, WithoutNearness, WithoutOrder, WithoutPatience,
    WithoutPauses, WithoutResigning, WithoutSecondLook, WithoutWaking, term,
};
use variants::{name, uniform};

/// A message that takes longer than this is long.
const LONG: Nanos = 20_000;
/// Activations per timed one, for classes whose messages are short.
const TIMED: u32 = 16;
/// The same on a worker that has heard of short messages only, and of many.
const SELDOM: u32 = 64;
/// A queue of so many is long enough to keep others away from it, if this share of the workers (one in so many) is
/// idle.
const CROWDED: (u32, u32) = (4, 4);
/// Timed activations of short messages after which a worker takes messages to be short, until it hears of a long one.
const CURIOUS: u32 = 64;

/// Of so many attempts to steal the last so many ask neighbours. Anybody comes first: when a program begins all work is in one place,
/// and thieves that ask no further than their node leave the others without work. Half of them would be too many for that where
/// a program is over in some milliseconds.
const ATTEMPTS: u32 = 10;
/// See [`ATTEMPTS`].
const NEAR: u32 = 4;
/// Workers of a node of which one calls others.
const CALLERS: usize = 4;
/// Times that a thief whose theft was worth it asks everybody before it polls again; those that are woken under `go-like` do so as often.
const ROUNDS: u32 = 4;

/// The policy with some of its terms; see [`AdaptiveLocality`].
#[derive(Clone, Debug)]
pub struct Locality<const TERMS: u32> {
    rings: Rings,
    /// The search for work: that of `cls-tp`, and asking everybody in turn.
    classic: ClsTp,
    scan: ClsWakeLong,
    /// Which neighbour is asked.
    random: Random,
    /// This worker asks everybody before it polls.
    patient: bool,
    /// After so many timed activations more, if they are of short messages, this worker times none on a single node, and fewer elsewhere.
    curiosity: u32,
    lookout: Lookout,
}

impl<const TERMS: u32> Locality<TERMS> {
    const fn has(term: u32) -> bool {
        TERMS & term != 0
    }

    fn with(setup: Setup, rings: Rings) -> Self {
        Self {
            classic: ClsTp::on(setup, &Rings::uniform(setup.worker, setup.workers)),
            scan: ClsWakeLong::on(setup, &Rings::uniform(setup.worker, setup.workers)),
            // Not the numbers by which others are chosen.
            random: Random::new(!setup.seed ^ (u64::from(setup.worker) << 32)),
            rings,
            patient: false,
            // Short of what it is after a long message: the first theft is as any other.
            curiosity: CURIOUS - 1,
            lookout: Lookout::default(),
        }
    }

    /// The control that pins by run time has no suspicion to look into.
    const fn looks_again() -> bool {
        Self::has(term::SECOND_LOOK) && !Self::has(term::PIN_LONG)
    }

    /// Hears how long messages take that this worker handles.
    fn hear(&mut self, per_message: Nanos) {
        self.curiosity = if per_message > LONG {
            CURIOUS
        } else {
            self.curiosity.saturating_sub(1)
        };
    }

    /// Where there are no homes: the last message that it heard of was long.
    fn takes_turns(&self) -> bool {
        Self::has(term::ORDER) && self.rings.are_together() && self.curiosity == CURIOUS
    }

    fn is_sent_home(profile: &Profile) -> bool {
        profile.pinned || Self::has(term::PIN_ALL)
    }

    /// Where there are no homes: actors of this class wait their turn in the queue of whoever wakes them.
    fn waits_here(&self, profile: &Profile) -> bool {
        Self::has(term::ORDER) && self.rings.are_together() && longest(profile) > LONG
    }

    /// The neighbour that this attempt asks, if it is one of those that do.
    fn neighbour(&mut self, attempt: u32) -> Option<u32> {
        let asks = Self::has(term::NEAR) && attempt % ATTEMPTS >= ATTEMPTS - NEAR;
        // Where all are neighbours it makes no difference.
        if !asks || self.rings.are_together() {
            return None;
        }
        let node = self.rings.same_node();
        let own = node.binary_search(&self.rings.me()).ok()?;
        let chosen = self.random.other(own as u32, node.len() as u32)?;
        Some(node[chosen as usize])
    }

    fn wakes_anybody(&self, board: Board) -> bool {
        Self::has(term::WAKES) && thefts::are_proven(board)
    }

    fn wakes_neighbours(&self, board: Board) -> bool {
        Self::has(term::CALLS) && self.rings.same_node().len() >= CALLERS && thefts::are_worth_a_call(board)
    }

    fn is_crowded(&self, around: &Surroundings) -> bool {
        Self::has(term::GUARD)
            && around.home_queue >= CROWDED.0
            && u64::from(around.idle) * u64::from(CROWDED.1) > u64::from(self.rings.workers())
    }
}

/// Whether an activation with this number is one in `every`. Not every sixteenth: where two actors take turns on a
/// worker, one of them would never be timed. The multiples of the golden section fall evenly on any such pattern.
fn is_timed(tick: u32, every: u32) -> bool {
    tick.wrapping_mul(0x9E37_79B9) < u32::MAX / every
}

impl<const TERMS: u32> Policy for Locality<TERMS> {
    const NAME: &'static str = name(TERMS);
    const UNIFORM: &'static str = uniform(TERMS);
    const STEALS: bool = true;
    const ADOPTS: bool = true;
    const ROUTES: bool = true;
    const PINS: bool = true;
    const LEARNS: bool = Self::has(term::PINS);
    const WAKING: Waking = if Self::has(term::THEFTS) {
        Waking::Proven
    } else {
        ClsTp::WAKING
    };

    fn new(setup: Setup) -> Self {
        Self::with(setup, Rings::uniform(setup.worker, setup.workers))
    }

    fn on(setup: Setup, rings: &Rings) -> Self {
        Self::with(setup, rings.clone())
    }

    fn batch(&self) -> u32 {
        u32::MAX
    }

    fn pick(&mut self, tick: u32) -> Pick {
        self.classic.pick(tick)
    }

    fn hunt(&mut self, attempt: u32) -> Option<u32> {
        self.classic.hunt(attempt)
    }

    fn spawned(&mut self, role: Role) -> (Word, Route) {
        self.classic.spawned(role)
    }

    fn started(&mut self, word: Word) -> Word {
        if Self::has(term::PINS) {
            word.moved(self.rings.me())
        } else {
            word
        }
    }

    fn is_plain(&self, profile: &Profile) -> bool {
        !Self::is_sent_home(profile) && longest(profile) <= LONG
    }

    /// Who is not sent home follows its sender, whatever happens there.
    fn looks(&self, profile: &Profile) -> bool {
        Self::has(term::GUARD) && Self::is_sent_home(profile)
    }

    fn woken(&mut self, sender: u32, word: Word, around: &Surroundings) -> Route {
        let here = Route {
            worker: sender,
            end: End::Head,
        };
        let Some(home) = word.home() else {
            return here;
        };
        let pinned = Self::is_sent_home(&around.profile);
        if !pinned && self.waits_here(&around.profile) {
            return Route {
                worker: sender,
                end: End::Tail,
            };
        }
        if !pinned || self.is_crowded(around) {
            return here;
        }
        let waits = Self::has(term::ORDER) && longest(&around.profile) > LONG;
        if self.rings.are_neighbours(sender, home) && !waits {
            return here;
        }
        Route {
            worker: home,
            end: End::Tail,
        }
    }

    fn take(&mut self, tick: u32) -> End {
        self.classic.take(tick)
    }

    fn called(word: Word, turn: u32, workers: u32) -> Route {
        ClsTp::called(Word::new(None, word.is_free()), turn, workers)
    }

    /// On a single node nobody is ever away from home, and there it learns only whose messages are long.
    fn learns(&self) -> bool {
        if Self::has(term::PIN_ALL | term::PIN_LONG) {
            return true;
        }
        if self.rings.are_together() {
            Self::has(term::ORDER) && self.curiosity > 0
        } else {
            Self::has(term::PINS)
        }
    }

    fn samples(&mut self, tick: u32, profile: &Profile) -> bool {
        let is_calm = Self::has(term::CALM) && self.curiosity == 0 && self.is_plain(profile);
        is_timed(tick, if is_calm { SELDOM } else { TIMED }) || longest(profile) > LONG
    }

    fn finished(&mut self, _: Word, sample: Sample, profile: Profile) -> Profile {
        self.hear(sample.per_message);
        let mut learned = profile;
        let mean = if sample.at_home {
            &mut learned.home
        } else {
            &mut learned.away
        };
        *mean = mean.with(sample.per_message);
        learned.strayed = strayed(&profile, sample.at_home);
        learned.pinned = if Self::has(term::PIN_LONG) {
            longest(&learned) > LONG
        } else {
            is_pinned(&learned, Self::has(term::CERTAINTY))
                && !(Self::has(term::RESIGNS) && resigns(&learned))
        };
        if Self::looks_again() && learned.pinned && !profile.pinned {
            learned.home = Mean::default();
        }
        learned
    }

    fn parted(&mut self, now: Nanos, stint: Stint, board: Board) -> Board {
        self.patient = thefts::is_worth_a_search(now, stint);
        if let Some(per_message) = now.saturating_sub(stint.began).checked_div(stint.messages) {
            self.hear(per_message);
        }
        thefts::remember(now, stint, board)
    }

    fn looks_for_sleepers(&mut self) -> bool {
        !Self::has(term::PAUSES) || self.lookout.is_due()
    }

    fn looked(&mut self, woke: bool) {
        self.lookout.looked(woke);
    }

    fn wakes(&self, board: Board) -> bool {
        self.wakes_anybody(board) || self.wakes_neighbours(board)
    }

    fn calls(&self, owner: u32, sleeper: u32, board: Board) -> bool {
        self.wakes_anybody(board) || self.wakes_neighbours(board) && self.rings.are_neighbours(owner, sleeper)
    }

    fn summoned(&mut self) {
        self.patient = true;
    }

    fn search(&mut self, step: u32) -> Search {
        let patience = match self.patient && Self::has(term::PATIENCE) {
            true => ROUNDS * (self.rings.workers() - 1),
            false => 0,
        };
        let search = match step.checked_sub(patience) {
            None => self.scan.search(step),
            Some(step) => {
                let neighbour = guided::theft_at(step).and_then(|attempt| self.neighbour(attempt));
                match self.classic.search(step) {
                    Search::Probe(anybody, end) => Search::Probe(neighbour.unwrap_or(anybody), end),
                    wait => wait,
                }
            }
        };
        match search {
            // Those that take turns wait the longest at the head.
            Search::Probe(victim, _) if self.takes_turns() => Search::Probe(victim, End::Head),
            other => other,
        }
    }
}
