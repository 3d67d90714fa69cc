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

use crate::lookout::Lookout;
use crate::topology::Rings;
use crate::{
    Board, ClsTp, ClsWakeLong, End, Mean, Nanos, Pick, Policy, Profile, Random, Role, Route, Sample, Search,
    Setup, Stint, Surroundings, Waking, Word, guided, thefts,
};

/// What being away must cost at least per message before a class is pinned. Sending an actor home costs about as
/// much.
const WORTH: Nanos = 2_000;
/// Standard errors that the difference must exceed before a class is pinned.
const SUSPICION: u64 = 2;
/// Measurements below which a mean has no error to speak of.
const KNOWN: u32 = 8;
/// A message that takes longer than this is long.
const LONG: Nanos = 20_000;
/// Activations per timed one, for classes whose messages are short.
const TIMED: u32 = 16;
/// The same on a worker that has heard of short messages only, and of many.
const SELDOM: u32 = 64;
/// A queue of so many is long enough to keep others away from it, if this share of the workers (one in so many) is
/// idle.
const CROWDED: (u32, u32) = (4, 4);
/// Measurements of a pinned class that tell whether its actors stay at home: more than there are actors on the way when a
/// class is pinned, which nobody has sent home yet.
const STRAYING: u32 = 512;
/// A class that was let go because its actors strayed is given another trial after somewhat more than half as many
/// measurements.
const FORGIVEN: u32 = 8192;

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

/// The terms of the rules that a variant has.
pub mod term {
    /// Classes are pinned whose messages take longer away from home.
    pub const PINS: u32 = 1;
    /// Actors are not sent to a long queue while many workers are idle.
    pub const GUARD: u32 = 2;
    /// Long-running pinned actors wait their turn in their own home's queue, also when they are woken on its node. On a single node all
    /// long-running actors do, in the queue of whoever wakes them, and who has just heard of a long message takes from others whoever waits longest.
    pub const ORDER: u32 = 4;
    /// The difference must exceed two standard errors.
    pub const CERTAINTY: u32 = 8;
    /// A class whose actors are elsewhere more often than not, although they are sent home, is let go.
    pub const RESIGNS: u32 = 16;
    /// What was measured at home before a class was pinned does not count any more from then on.
    pub const SECOND_LOOK: u32 = 32;
    /// Sleepers are woken while thefts pay.
    pub const WAKES: u32 = 64;
    /// Who was woken, or whose theft was worth it, asks everybody several times before it polls.
    pub const PATIENCE: u32 = 128;
    /// Some attempts to steal ask neighbours.
    pub const NEAR: u32 = 1024;
    /// Neighbours are woken without proof, as long as thefts are not known to be worth too little.
    pub const CALLS: u32 = 2048;
    /// Who has looked for sleepers in vain does not look again for some actors.
    pub const PAUSES: u32 = 4096;
    /// Who has heard of short messages only, and of many, times fewer.
    pub const CALM: u32 = 8192;
    /// Those that are about homes.
    pub const HOMES: u32 = PINS | GUARD | ORDER | CERTAINTY | RESIGNS | SECOND_LOOK | CALM;
    /// Those that are about thefts.
    pub const THEFTS: u32 = WAKES | PATIENCE | CALLS | PAUSES;
    /// All of them.
    pub const ALL: u32 = HOMES | THEFTS | NEAR;
    /// A control: every class is pinned.
    pub const PIN_ALL: u32 = 256;
    /// A control: classes with long messages are pinned, whatever being away costs.
    pub const PIN_LONG: u32 = 512;
}

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

/// The policy with all its terms.
pub type AdaptiveLocality = Locality<{ term::ALL }>;
/// Without [`term::HOMES`]: wakes sleepers while thefts pay. The uniform form of [`AdaptiveLocality`], which lets long messages take turns
/// there as well if it is run all the same.
pub type AdaptiveWaking = Locality<{ term::ALL & !term::HOMES }>;
/// Without [`term::THEFTS`]: homes that are learned.
pub type AdaptiveLocalityPolling = Locality<{ term::ALL & !term::THEFTS }>;
/// Without [`term::NEAR`].
pub type WithoutNearness = Locality<{ term::ALL & !term::NEAR }>;
/// The control that has nothing but [`term::NEAR`]: `cls-tp` whose thieves ask neighbours more often.
pub type ClsTpNear = Locality<{ term::NEAR }>;
/// Without [`term::WAKES`] and [`term::CALLS`].
pub type WithoutWaking = Locality<{ term::ALL & !(term::WAKES | term::CALLS) }>;
/// Without [`term::CALLS`].
pub type WithoutCalls = Locality<{ term::ALL & !term::CALLS }>;
/// Without [`term::PATIENCE`].
pub type WithoutPatience = Locality<{ term::ALL & !term::PATIENCE }>;
/// Without [`term::PAUSES`].
pub type WithoutPauses = Locality<{ term::ALL & !term::PAUSES }>;
/// Without [`term::CALM`].
pub type WithoutCalm = Locality<{ term::ALL & !term::CALM }>;
/// Without [`term::GUARD`].
pub type WithoutGuard = Locality<{ term::ALL & !term::GUARD }>;
/// Without [`term::ORDER`].
pub type WithoutOrder = Locality<{ term::ALL & !term::ORDER }>;
/// Without [`term::CERTAINTY`].
pub type WithoutCertainty = Locality<{ term::ALL & !term::CERTAINTY }>;
/// Without [`term::RESIGNS`].
pub type WithoutResigning = Locality<{ term::ALL & !term::RESIGNS }>;
/// Without [`term::SECOND_LOOK`].
pub type WithoutSecondLook = Locality<{ term::ALL & !term::SECOND_LOOK }>;
/// The control that pins every class.
pub type PinAll = Locality<{ term::ALL | term::PIN_ALL }>;
/// The control that pins by run time alone.
pub type PinLong = Locality<{ term::ALL | term::PIN_LONG }>;

const fn name(terms: u32) -> &'static str {
    match terms {
        term::ALL => "adaptive-locality",
        term::NEAR => "cls-tp-near",
        t if t & term::HOMES == 0 => "adaptive-waking",
        t if t & term::THEFTS == 0 => "adaptive-locality-polling",
        t if t & term::PIN_ALL != 0 => "pin-all",
        t if t & term::PIN_LONG != 0 => "pin-long",
        t if t & term::WAKES == 0 => "adaptive-locality-no-waking",
        t if t & term::CALLS == 0 => "adaptive-locality-no-calls",
        t if t & term::NEAR == 0 => "adaptive-locality-no-nearness",
        t if t & term::PATIENCE == 0 => "adaptive-locality-no-patience",
        t if t & term::PAUSES == 0 => "adaptive-locality-no-pauses",
        t if t & term::CALM == 0 => "adaptive-locality-no-calm",
        t if t & term::GUARD == 0 => "adaptive-locality-no-guard",
        t if t & term::ORDER == 0 => "adaptive-locality-no-order",
        t if t & term::RESIGNS == 0 => "adaptive-locality-no-resigning",
        t if t & term::SECOND_LOOK == 0 => "adaptive-locality-no-second-look",
        _ => "adaptive-locality-no-certainty",
    }
}

/// Where there are no homes there is only waking to find out, but the controls do not ask for that.
const fn uniform(terms: u32) -> &'static str {
    match terms {
        t if t & (term::PIN_ALL | term::PIN_LONG) != 0 => name(t),
        t if t & term::THEFTS == term::THEFTS => AdaptiveWaking::NAME,
        t if t & term::THEFTS == 0 => ClsTp::NAME,
        t => name(t),
    }
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

fn longest(profile: &Profile) -> Nanos {
    profile.home.mean.max(profile.away.mean)
}

/// Whether a class with this profile is pinned from now on. It takes [`SUSPICION`] standard errors to pin it; to let it go
/// it is enough that not even one on top of what is seen would be worth it.
fn is_pinned(profile: &Profile, certain: bool) -> bool {
    let Profile {
        home, away, pinned, ..
    } = *profile;
    let squared_error = || home.squared_error().saturating_add(away.squared_error());
    let known = home.count >= KNOWN && away.count >= KNOWN;
    if pinned {
        let enough = home.mean.saturating_add(WORTH / 2);
        let lacks = enough.checked_sub(away.mean);
        return !known || lacks.is_none_or(|lacks| certain && is_root_above(squared_error(), lacks));
    }
    let gain = away.mean.saturating_sub(home.mean);
    known && gain > WORTH && (!certain || !is_root_above(squared_error(), (gain - 1) / SUSPICION))
}

/// Whether the root of a square, rounded down, is above a bound: without looking for the root, which takes longer than all else that is done with a
/// measurement.
fn is_root_above(square: u64, bound: u64) -> bool {
    let above = bound.saturating_add(1);
    above.checked_mul(above).is_some_and(|least| square >= least)
}

/// Whether an activation with this number is one in `every`. Not every sixteenth: where two actors take turns on a
/// worker, one of them would never be timed. The multiples of the golden section fall evenly on any such pattern.
fn is_timed(tick: u32, every: u32) -> bool {
    tick.wrapping_mul(0x9E37_79B9) < u32::MAX / every
}

/// [`Profile::strayed`] after a measurement. While a class is not pinned nothing is learned of that, and what was is
/// slowly forgotten.
fn strayed(profile: &Profile, at_home: bool) -> u32 {
    let strayed = profile.strayed;
    match (profile.pinned, at_home) {
        (false, _) => strayed - strayed.div_ceil(FORGIVEN),
        (true, true) => strayed - strayed.div_ceil(STRAYING),
        (true, false) => strayed - strayed.div_ceil(STRAYING) + Profile::ALWAYS / STRAYING,
    }
}

/// Whether too many of the class stray for it to stay pinned, or to be pinned again.
fn resigns(profile: &Profile) -> bool {
    let most = if profile.pinned { 2 } else { 4 };
    profile.strayed > Profile::ALWAYS / most
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::topology;

    const SETUP: Setup = Setup {
        worker: 0,
        workers: 8,
        seed: 0,
    };

    fn mean(count: u32, mean: Nanos, variance: u64) -> Mean {
        Mean {
            count,
            rest: 0,
            mean,
            variance,
        }
    }

    fn profile(home: Mean, away: Mean, pinned: bool) -> Profile {
        Profile {
            home,
            away,
            pinned,
            strayed: 0,
        }
    }

    /// Around one of eight workers, four on each node.
    fn on_two_nodes(me: u32) -> Rings {
        let machine = topology::Synthetic {
            packages: 2,
            l2: (4, 0),
            ..topology::Synthetic::default()
        };
        let machine = machine.build().expect("a machine");
        let pus: Vec<usize> = (0..8).collect();
        Rings::around(me, &pus, &machine, AdaptiveLocality::neighbourhood())
    }

    proptest! {
        #[test]
        fn a_root_is_above_a_bound_if_its_whole_part_is(square: u64, near in 0..3u64, far: u64) {
            let root = square.isqrt();
            for bound in [root.saturating_sub(near), root + near, far] {
                prop_assert_eq!(is_root_above(square, bound), root > bound, "{} of {}", root, bound);
            }
            prop_assert!(is_root_above(u64::MAX, u64::from(u32::MAX) - 1) && !is_root_above(u64::MAX, u32::MAX.into()));
        }

        /// One by one what may make a difference: the mean times, and being pinned.
        #[test]
        fn of_plain_classes_nothing_need_be_known(home in 0..2 * LONG, away in 0..2 * LONG, pinned: bool, tick: u32, at in 0..8u32, together: bool) {
            let profile = profile(mean(100, home, 0), mean(100, away, 0), pinned);
            let rings = if together { Rings::uniform(0, 8) } else { on_two_nodes(0) };
            let mut policy = AdaptiveLocality::on(SETUP, &rings);
            prop_assert_eq!(policy.is_plain(&profile), !pinned && home.max(away) <= LONG);
            if policy.is_plain(&profile) {
                let word = Word::new(Some(at), false);
                let known = policy.woken(0, word, &Surroundings { profile, home_queue: 100, idle: 8 });
                prop_assert_eq!(known, policy.woken(0, word, &Surroundings::default()));
                prop_assert_eq!(policy.samples(tick, &profile), policy.samples(tick, &Profile::default()));
            }
            prop_assert!(!PinAll::on(SETUP, &rings).is_plain(&profile), "these are sent home");
        }
    }

    #[test]
    fn only_for_those_who_are_sent_home_does_it_look_at_others() {
        let policy = AdaptiveLocality::on(SETUP, &on_two_nodes(0));
        assert!(policy.looks(&profile(mean(100, 50_000, 0), mean(100, 60_000, 0), true)));
        assert!(!policy.looks(&profile(mean(100, 50_000, 0), mean(100, 60_000, 0), false)));
        assert!(!WithoutGuard::on(SETUP, &on_two_nodes(0)).looks(&profile(
            mean(1, 1, 0),
            mean(1, 1, 0),
            true
        )));
        assert!(PinAll::on(SETUP, &on_two_nodes(0)).looks(&Profile::default()));
    }

    #[test]
    fn a_class_is_pinned_by_a_clear_difference_only() {
        let decided = |home, away, pinned| is_pinned(&profile(home, away, pinned), true);
        assert!(decided(
            mean(100, 50_000, 10_000),
            mean(100, 60_000, 10_000),
            false
        ));
        assert!(
            !decided(mean(100, 50_000, 10_000), mean(100, 51_900, 10_000), false),
            "worth too little"
        );
        assert!(
            !decided(mean(100, 60_000, 10_000), mean(100, 50_000, 10_000), false),
            "better away"
        );
        let spread = 10_000_000_000;
        assert!(
            !decided(mean(100, 50_000, spread), mean(100, 60_000, spread), false),
            "by chance"
        );
        assert!(is_pinned(
            &profile(mean(100, 50_000, spread), mean(100, 60_000, spread), false),
            false
        ));
        assert!(
            !decided(mean(7, 50_000, 0), mean(100, 60_000, 0), false),
            "hardly known"
        );
        assert!(decided(mean(100, 50_000, 0), mean(100, 51_900, 0), true), "stays");
        assert!(
            !decided(mean(100, 50_000, 0), mean(100, 50_900, 0), true),
            "is let go"
        );
    }

    /// The profile of a class after so many measurements of the same two times, `stay` of ten at home.
    fn after<P: Policy>(mut known: Profile, measurements: u32, stay: u32) -> Profile {
        let mut policy = P::new(SETUP);
        for number in 0..measurements {
            let at_home = number % 10 < stay;
            let per_message = if at_home { 50_000 } else { 60_000 };
            known = policy.finished(Word::new(Some(0), false), Sample { per_message, at_home }, known);
        }
        known
    }

    #[test]
    fn what_made_a_class_suspicious_does_not_keep_it_pinned() {
        let suspicious = Profile {
            home: mean(20, 50_000, 0),
            ..profile(mean(0, 0, 0), mean(20, 60_000, 0), false)
        };
        let sample = Sample {
            per_message: 60_000,
            at_home: true,
        };
        let mut policy = AdaptiveLocality::new(SETUP);
        let mut learn = |known| policy.finished(Word::new(Some(0), false), sample, known);
        let mut known = learn(suspicious);
        assert_eq!((known.pinned, known.home.count), (true, 0));
        for count in 1..KNOWN {
            known = learn(known);
            assert_eq!(
                (known.pinned, known.home.count),
                (true, count),
                "too little is known"
            );
        }
        assert!(!learn(known).pinned);
        // All of what was measured together still looks as if it took longer away.
        let mut policy = WithoutSecondLook::new(SETUP);
        let known = (0..=KNOWN).fold(suspicious, |known, _| {
            policy.finished(Word::new(Some(0), false), sample, known)
        });
        assert!(known.pinned && known.home.count > 20, "{known:?}");
    }

    #[test]
    fn a_class_is_let_go_whose_actors_do_not_stay_at_home() {
        let learned = after::<AdaptiveLocality>(Profile::default(), 200, 5);
        assert!(learned.pinned, "the difference is clear");
        assert!(after::<AdaptiveLocality>(learned, 100_000, 6).pinned, "most stay");
        // The first ones were under way when it was pinned.
        let soon = after::<AdaptiveLocality>(learned, 200, 0);
        assert!(soon.pinned);
        assert!(
            after::<AdaptiveLocality>(soon, 10_000, 8).pinned,
            "they came home"
        );
        let strayed = after::<AdaptiveLocality>(learned, 1_500, 3);
        assert!(!strayed.pinned, "{strayed:?}");
        assert!(after::<WithoutResigning>(learned, 1_500, 3).pinned);
    }

    #[test]
    fn a_class_that_was_let_go_is_given_another_trial() {
        let learned = after::<AdaptiveLocality>(Profile::default(), 200, 5);
        let mut known = learned;
        while known.pinned {
            known = after::<AdaptiveLocality>(known, 1, 0);
        }
        let mut waits = 0;
        while !known.pinned {
            waits += 10;
            assert!(waits < 100_000, "{known:?}");
            known = after::<AdaptiveLocality>(known, 10, 3);
        }
        assert!(waits > FORGIVEN / 2, "{waits}");
    }

    #[test]
    fn shares_of_strayed_actors_stay_shares() {
        let pinned = |strayed| Profile {
            strayed,
            ..profile(Mean::default(), Mean::default(), true)
        };
        let next = |known, at_home| strayed(&pinned(known), at_home);
        assert_eq!(next(Profile::ALWAYS, false), Profile::ALWAYS);
        assert_eq!(next(0, true), 0);
        let always = (0..100 * STRAYING).fold(0, |known, _| next(known, false));
        assert!(
            (Profile::ALWAYS - 600..=Profile::ALWAYS).contains(&always),
            "{always}"
        );
        let never = (0..100 * STRAYING).fold(Profile::ALWAYS, |known, _| next(known, true));
        assert_eq!(never, 0);
    }

    #[test]
    fn all_who_take_turns_on_a_worker_are_timed_alike() {
        let mut policy = AdaptiveLocality::new(SETUP);
        for actors in 1..=64 {
            let mut timed = vec![0; actors];
            for tick in 0..1 << 16 {
                timed[tick as usize % actors] += u32::from(policy.samples(tick, &Profile::default()));
            }
            let share = (1 << 16) / TIMED / actors as u32;
            let fair = share / 2..2 * share;
            assert!(
                timed.iter().all(|count| fair.contains(count)),
                "{share}: {timed:?}"
            );
        }
    }

    /// How many of a thousand activations of a class with this profile are timed after so many that were short, and a last one.
    fn timed_after<P: Policy>(short: u32, last: Nanos, profile: Profile) -> usize {
        let mut policy = P::on(SETUP, &on_two_nodes(0));
        (0..short).for_each(|_| heard(&mut policy, 100));
        heard(&mut policy, last);
        (0..1_024).filter(|&tick| policy.samples(tick, &profile)).count()
    }

    #[test]
    fn who_hears_of_short_messages_only_times_fewer() {
        let often = (1_024 / TIMED) as usize - 2..=(1_024 / TIMED) as usize + 2;
        let seldom = (1_024 / SELDOM) as usize - 2..=(1_024 / SELDOM) as usize + 2;
        let unknown = Profile::default();
        let timed = |short, last| timed_after::<AdaptiveLocality>(short, last, unknown);
        assert!(seldom.contains(&timed(CURIOUS, LONG)));
        assert!(often.contains(&timed(CURIOUS / 2, LONG)), "too few");
        assert!(often.contains(&timed(10 * CURIOUS, LONG + 1)), "a long one");
        assert!(often.contains(&timed_after::<WithoutCalm>(CURIOUS, 100, unknown)));
        let pinned = profile(mean(100, 100, 0), mean(100, 5_000, 0), true);
        let timed = |profile| timed_after::<AdaptiveLocality>(CURIOUS, 100, profile);
        assert!(often.contains(&timed(pinned)), "more is to be known of these");
        let long = profile(mean(100, LONG + 1, 0), mean(0, 0, 0), false);
        assert_eq!(timed(long), 1_024);
    }

    #[test]
    fn who_looks_for_sleepers_in_vain_does_not_look_for_every_actor() {
        fn looks<P: Policy>() -> usize {
            let mut policy = P::new(SETUP);
            let looks = (0..1_000).filter(|_| {
                let looks = policy.looks_for_sleepers();
                if looks {
                    policy.looked(false);
                }
                looks
            });
            looks.count()
        }
        assert!((30..40).contains(&looks::<AdaptiveLocality>()));
        assert!((30..40).contains(&looks::<AdaptiveWaking>()));
        assert_eq!(looks::<WithoutPauses>(), 1_000);
    }

    #[test]
    fn whoever_has_short_messages_never_leaves_the_sender() {
        let setup = Setup {
            worker: 0,
            workers: 8,
            seed: 3,
        };
        let mut policy = AdaptiveLocality::new(setup);
        let around = Surroundings {
            profile: profile(mean(3, 1_900, 0), mean(3, 1_999, 0), false),
            ..Surroundings::default()
        };
        for home in 0..8 {
            for _ in 0..1000 {
                let route = policy.woken(0, Word::new(Some(home), false), &around);
                assert_eq!((route.worker, route.end), (0, End::Head));
            }
        }
    }

    #[test]
    fn pinned_actors_go_home_unless_it_is_crowded_there() {
        let rings = on_two_nodes(0);
        let mut policy = AdaptiveLocality::on(SETUP, &rings);
        let mut route = |home: u32, time: Nanos, home_queue, idle| {
            let known = profile(mean(100, time, 0), mean(100, time * 2, 0), true);
            let around = Surroundings {
                profile: known,
                home_queue,
                idle,
            };
            let route = policy.woken(0, Word::new(Some(home), false), &around);
            (route.worker, route.end)
        };
        assert_eq!(route(5, 5_000, 0, 0), (5, End::Tail));
        assert_eq!(route(2, 5_000, 0, 0), (0, End::Head), "the home is near");
        assert_eq!(
            route(2, 50_000, 0, 0),
            (2, End::Tail),
            "a long one waits its turn"
        );
        assert_eq!(route(5, 5_000, 4, 3), (0, End::Head), "others are idle");
        assert_eq!(route(5, 5_000, 4, 2), (5, End::Tail));
        assert_eq!(route(5, 5_000, 3, 7), (5, End::Tail));
    }

    /// What the first steps of a search are: how many others are asked before the first pause.
    fn asked_first<P: Policy>(policy: &mut P) -> usize {
        let asks = |step: &u32| matches!(policy.search(*step), Search::Probe(..));
        (0..).take_while(asks).count()
    }

    #[test]
    fn who_was_woken_or_robbed_with_profit_asks_everybody_before_it_polls() {
        let stint = |lasted: Nanos| Stint {
            began: 1_000_000 - lasted,
            messages: 1,
            toll: 0,
        };
        let board = Board::default();
        let patient = (ROUNDS * 7) as usize;
        let mut policy = AdaptiveLocality::new(SETUP);
        assert!(asked_first(&mut policy) < patient);
        let proven = policy.parted(1_000_000, stint(100_000), board);
        assert_eq!((proven.paid, board.paid), (1, 0));
        assert!(asked_first(&mut policy) >= patient);
        assert_eq!(policy.parted(1_000_000, stint(1_000), proven).paid, 0);
        assert!(asked_first(&mut policy) < patient);
        policy.summoned();
        assert!(asked_first(&mut policy) >= patient);

        let mut policy = WithoutPatience::new(SETUP);
        assert!(policy.wakes(policy.clone().parted(1_000_000, stint(100_000), board)));
        policy.summoned();
        assert!(asked_first(&mut policy) < patient);
        assert!(!WithoutWaking::new(SETUP).wakes(proven));
        assert_eq!(AdaptiveLocalityPolling::WAKING, Waking::Never);
    }

    #[test]
    fn neighbours_are_called_without_proof_and_others_with_it() {
        let policy = AdaptiveLocality::on(SETUP, &on_two_nodes(0));
        let unknown = Board::default();
        let proven = Board {
            paid: 1,
            gain: 1,
            ..unknown
        };
        let poor = Board { gain: 1, ..unknown };
        assert!(policy.wakes(unknown) && policy.wakes(proven) && !policy.wakes(poor));
        for owner in 0..8 {
            for sleeper in 0..8 {
                let near = owner / 4 == sleeper / 4;
                assert_eq!(policy.calls(owner, sleeper, unknown), near, "{owner}, {sleeper}");
                assert!(policy.calls(owner, sleeper, proven));
                assert!(!policy.calls(owner, sleeper, poor));
            }
        }
        let on_two = || on_two_nodes(0);
        assert!(!WithoutCalls::on(SETUP, &on_two()).wakes(unknown));
        assert!(WithoutCalls::on(SETUP, &on_two()).wakes(proven));
        let silent = WithoutWaking::on(SETUP, &on_two());
        assert!(!silent.wakes(unknown) && !silent.wakes(proven));
    }

    #[test]
    fn three_call_nobody_without_proof() {
        let policy = |workers| {
            let setup = Setup { workers, ..SETUP };
            AdaptiveWaking::new(setup)
        };
        assert!(!policy(3).wakes(Board::default()));
        assert!(policy(4).wakes(Board::default()));
        assert!(policy(3).wakes(Board {
            paid: 1,
            ..Board::default()
        }));
    }

    /// Whom the first thefts of a worker ask, on two nodes of four units.
    fn asked<P: Policy>(me: u32, steps: u32) -> Vec<u32> {
        let rings = on_two_nodes(me);
        let setup = Setup {
            worker: me,
            workers: 8,
            seed: 7,
        };
        let mut policy = P::on(setup, &rings);
        let victims = (0..steps).filter_map(|step| match policy.search(step) {
            Search::Probe(victim, _) => Some(victim),
            _ => None,
        });
        victims.collect()
    }

    #[test]
    fn of_ten_attempts_the_last_four_ask_neighbours_and_the_others_anybody() {
        for me in 0..8 {
            let victims = asked::<AdaptiveLocality>(me, 20 + 600);
            assert_eq!(victims.len(), 110, "those of two stages");
            let is_near = |victim: &u32| victim / 4 == me / 4;
            let mut neighbours = BTreeSet::<u32>::new();
            let mut others = BTreeSet::<u32>::new();
            for ten in victims.chunks(10) {
                assert!(ten[6..].iter().all(is_near), "{ten:?}");
                neighbours.extend(&ten[6..]);
                others.extend(&ten[..6]);
            }
            assert_eq!((neighbours.len(), others.len()), (3, 7), "each of them");
            assert!(!others.contains(&me) && !neighbours.contains(&me));
            // Nothing else is different.
            let anybody = asked::<WithoutNearness>(me, 20 + 600);
            for (ten, as_before) in victims.chunks(10).zip(anybody.chunks(10)) {
                assert_eq!(ten[..6], as_before[..6]);
            }
        }
    }

    /// A long message, or a short one.
    fn heard<P: Policy>(policy: &mut P, per_message: Nanos) {
        let sample = Sample {
            per_message,
            at_home: true,
        };
        policy.finished(Word::default(), sample, Profile::default());
    }

    /// A theft that kept a policy's worker busy for so long.
    fn robbed<P: Policy>(policy: &mut P, lasted: Nanos, messages: u64) {
        let stint = Stint {
            began: 1_000,
            messages,
            toll: 0,
        };
        policy.parted(1_000 + lasted, stint, Board::default());
    }

    /// How an actor is woken by worker 0 whose class has messages of this length on average, not pinned.
    fn end_for<P: Policy>(policy: &mut P, time: Nanos) -> End {
        let around = Surroundings {
            profile: profile(mean(100, time, 0), Mean::default(), false),
            ..Surroundings::default()
        };
        let route = policy.woken(0, Word::new(Some(1), false), &around);
        assert_eq!(route.worker, 0);
        route.end
    }

    #[test]
    fn on_a_single_node_long_messages_wait_their_turn() {
        assert_eq!(end_for(&mut AdaptiveLocality::new(SETUP), LONG + 1), End::Tail);
        assert_eq!(end_for(&mut AdaptiveLocality::new(SETUP), LONG), End::Head);
        assert_eq!(end_for(&mut WithoutOrder::new(SETUP), LONG + 1), End::Head);
        let mut on_two = AdaptiveLocality::on(SETUP, &on_two_nodes(0));
        assert_eq!(
            end_for(&mut on_two, LONG + 1),
            End::Head,
            "only those that are pinned"
        );
    }

    #[test]
    fn on_a_single_node_it_learns_until_it_has_heard_of_many_short_messages() {
        let mut policy = AdaptiveLocality::new(SETUP);
        let hears_short = |policy: &mut AdaptiveLocality, times| {
            for _ in 0..times {
                assert!(policy.learns());
                heard(policy, LONG);
            }
        };
        hears_short(&mut policy, CURIOUS - 1);
        assert!(!policy.learns());
        robbed(&mut policy, 0, 0);
        robbed(&mut policy, 100 * LONG, 100);
        assert!(!policy.learns(), "nothing long among what was stolen");
        robbed(&mut policy, 100 * LONG, 99);
        hears_short(&mut policy, CURIOUS / 2);
        heard(&mut policy, LONG + 1);
        hears_short(&mut policy, CURIOUS);
        assert!(!policy.learns());

        assert!(!WithoutOrder::new(SETUP).learns());
        const { assert!(!AdaptiveWaking::LEARNS && !ClsTpNear::LEARNS) };
        let mut on_two = AdaptiveLocality::on(SETUP, &on_two_nodes(0));
        for _ in 0..10 * CURIOUS {
            heard(&mut on_two, 100);
        }
        assert!(on_two.learns());
    }

    #[test]
    fn after_a_long_message_a_thief_on_a_single_node_takes_whoever_waits_longest() {
        let ends = |policy: &mut AdaptiveLocality| -> BTreeSet<bool> {
            let ends = (0..700).filter_map(|step| match policy.search(step) {
                Search::Probe(_, end) => Some(end == End::Head),
                _ => None,
            });
            ends.collect()
        };
        let [from_head, from_tail] = [true, false].map(|head| BTreeSet::from([head]));
        let mut policy = AdaptiveLocality::new(SETUP);
        assert_eq!(ends(&mut policy), from_tail, "nothing is known");
        robbed(&mut policy, 2 * LONG, 1);
        assert_eq!(ends(&mut policy), from_head);
        heard(&mut policy, 100);
        assert_eq!(ends(&mut policy), from_tail);
        heard(&mut policy, 2 * LONG);
        policy.summoned();
        assert_eq!(ends(&mut policy), from_head);
        let mut on_two = AdaptiveLocality::on(SETUP, &on_two_nodes(0));
        robbed(&mut on_two, 2 * LONG, 1);
        assert_eq!(ends(&mut on_two), from_tail);
    }

    #[test]
    fn variants_have_names_of_their_own() {
        let names = [
            AdaptiveLocality::NAME,
            AdaptiveLocalityPolling::NAME,
            AdaptiveWaking::NAME,
            WithoutWaking::NAME,
            WithoutCalls::NAME,
            WithoutPatience::NAME,
            WithoutPauses::NAME,
            WithoutCalm::NAME,
            WithoutNearness::NAME,
            ClsTpNear::NAME,
            WithoutGuard::NAME,
            WithoutOrder::NAME,
            WithoutCertainty::NAME,
            WithoutResigning::NAME,
            WithoutSecondLook::NAME,
            PinAll::NAME,
            PinLong::NAME,
        ];
        let different: BTreeSet<_> = names.iter().collect();
        assert_eq!(different.len(), names.len());
    }
}
