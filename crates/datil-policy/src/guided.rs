//! Communication locality scheduling and locality-guided scheduling (Woelke, "Optimizing Data Locality in CAF", 2018),
//! with all variants of the thesis, as settings of one set of rules.
//!
//! *Communication locality* (CLS): a woken actor goes to the head of its sender's queue; an idle worker robs random
//! victims.
//! *Locality-guided* (LGS): an actor has a home, by rule the worker that runs it first. When it is woken by a worker
//! on its home's memory node it goes to the head of that worker's queue (communication stays local), else to the tail
//! of its home's queue (its state stays local). Thieves look near before far: as many attempts in each [`Rings`]
//! group as it has members.
//!
//! Idle workers poll as CAF's did: 100 times with a theft at every 10th; 500 times with 50 microseconds of sleep and
//! a theft at every 5th; then every 10 milliseconds. Nobody wakes them. These numbers are those of the framework's
//! version 0.14; the thesis does not state its own.

use std::marker::PhantomData;

use crate::topology::{Neighbourhood, Rings};
use crate::{End, Nanos, Pick, Policy, Random, Role, Route, Search, Setup, Surroundings, Waking, Word};

/// How the first execution decides on an actor's home.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstRun {
    /// The first executing worker becomes the home if it is on the node of the worker where the actor was spawned, or
    /// if the actor was spawned from outside (figure 4.4, listing 5.2).
    Neighbour,
    /// The first executing worker becomes the home wherever it is.
    Anybody,
}

/// How an idle worker waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Idling {
    /// CAF's three stages of polling, with sleeps from which nobody wakes it.
    Polling,
    /// CAF's timetable of thefts, but it looks at its own queue all the time instead of sleeping.
    Awake,
    /// One round of thefts; then it sleeps until it is woken.
    Woken,
}

/// In which order an idle worker asks the members of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Victims {
    /// At random, as many times as the group has members; some are asked twice and some not at all.
    Random,
    /// Everybody once, in random order.
    Scanned,
}

/// To whom an actor belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// To nobody: it follows its senders.
    None,
    /// To a worker.
    Worker,
    /// To all workers of a memory node: its home is the first of them, at whose queue the others look first.
    Node,
}

/// The settings of one policy.
pub trait Variant: Send + 'static {
    /// See [`Policy::NAME`].
    const NAME: &'static str;
    /// To whom actors belong.
    const HOME: Home = Home::Worker;
    /// Whether the threads of workers are bound to units.
    const PINS: bool = true;
    /// Which victims are in the first group.
    const NEAREST: Neighbourhood = Neighbourhood::Node;
    /// The end of the home's queue at which an actor from afar is put.
    const FROM_AFAR: End = End::Tail;
    /// The rule of the first execution.
    const FIRST_RUN: FirstRun = FirstRun::Neighbour;
    /// How idle workers wait.
    const IDLING: Idling = Idling::Polling;
    /// The order of the search for work.
    const VICTIMS: Victims = Victims::Random;
    /// Rounds of asking others before a worker that is woken sleeps.
    const ROUNDS: u32 = 1;
    /// Whether thieves take half of a queue instead of one actor.
    const HALF: bool = false;
    /// Whether actors that hold data are dealt out to all workers in turn when they are woken; each worker whose policy is
    /// asked counts for itself.
    const DEALS: bool = false;

    /// Which actors are exempt from going home, by the programmer's hint.
    fn frees(role: Role) -> bool {
        let _ = role;
        false
    }
}

/// The rules, for one variant.
#[derive(Clone, Debug)]
pub struct Guided<V> {
    rings: Rings,
    random: Random,
    /// Victims of a scan, shuffled group by group.
    scan: Vec<u32>,
    /// Actors dealt out so far.
    dealt: u32,
    variant: PhantomData<fn() -> V>,
}

/// Thefts of CAF's first and second stage, and what lies between them.
const EAGER: u32 = 10;
const POLLS_PER_EAGER_THEFT: u32 = 10;
const MODERATE: u32 = 100;
const SLEEPS_PER_MODERATE_THEFT: u32 = 5;
const MODERATE_SLEEP: Nanos = 50_000;
const RELAXED_SLEEP: Nanos = 10_000_000;

/// A turn of polling: a theft with this number, or what comes between two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Theft(u32),
    Poll(u32),
    Sleep(Nanos),
}

/// Which theft since the worker ran dry step number `step` of CAF's stages is, if it is one.
pub(crate) fn theft_at(step: u32) -> Option<u32> {
    match polling(step) {
        Turn::Theft(attempt) => Some(attempt),
        Turn::Poll(_) | Turn::Sleep(_) => None,
    }
}

/// CAF's stages: what comes at step number `step` since the worker ran dry.
fn polling(step: u32) -> Turn {
    let eager = 2 * EAGER;
    let unit = 1 + SLEEPS_PER_MODERATE_THEFT;
    let moderate = unit * MODERATE;
    if step < eager {
        return match step % 2 {
            0 => Turn::Theft(step / 2),
            _ => Turn::Poll(POLLS_PER_EAGER_THEFT),
        };
    }
    let step = step - eager;
    if step < moderate {
        return match step % unit {
            0 => Turn::Theft(EAGER + step / unit),
            _ => Turn::Sleep(MODERATE_SLEEP),
        };
    }
    let step = step - moderate;
    match step % 2 {
        0 => Turn::Theft(EAGER + MODERATE + step / 2),
        _ => Turn::Sleep(RELAXED_SLEEP),
    }
}

impl<V: Variant> Guided<V> {
    fn with(setup: Setup, rings: Rings) -> Self {
        Self {
            random: Random::new(setup.seed ^ (u64::from(setup.worker) << 32)),
            scan: Vec::with_capacity(rings.workers() as usize),
            // Each worker begins with its right neighbour.
            dealt: setup.worker,
            rings,
            variant: PhantomData,
        }
    }

    /// The worker to which an actor belongs that belongs here.
    fn home(&self) -> Option<u32> {
        match V::HOME {
            Home::None => None,
            Home::Worker => Some(self.rings.me()),
            Home::Node => self.rings.same_node().first().copied(),
        }
    }

    /// Whom attempt number `attempt` since the worker ran dry asks; `None` if there is nobody.
    fn victim(&mut self, attempt: u32) -> Option<u32> {
        match V::VICTIMS {
            Victims::Random => self.random_member(attempt),
            Victims::Scanned => {
                let others = self.rings.workers() - 1;
                let place = attempt.checked_rem(others)?;
                if place == 0 {
                    self.shuffle();
                }
                Some(self.scan[place as usize])
            }
        }
    }

    /// A random member of the group whose turn attempt number `attempt` is.
    fn random_member(&mut self, attempt: u32) -> Option<u32> {
        let group = self.rings.group(self.rings.ring_at(attempt)?);
        Some(group[self.random.below(group.len() as u32) as usize])
    }

    /// Attempts of one round: as many as the groups have members together.
    fn round(&self) -> u32 {
        match V::VICTIMS {
            Victims::Random => (0..self.rings.count())
                .map(|ring| self.rings.group(ring).len() as u32)
                .sum(),
            Victims::Scanned => self.rings.workers() - 1,
        }
    }

    /// The order of a scan: nearer groups first, at random within what a group adds to the one before. The worker that
    /// keeps the node's queue comes first of all.
    fn shuffle(&mut self) {
        self.scan.clear();
        for ring in 0..self.rings.count() {
            let known = self.scan.len();
            self.scan.extend_from_slice(&self.rings.group(ring)[known..]);
            for last in (known + 1..self.scan.len()).rev() {
                let chosen = known + self.random.below((last - known + 1) as u32) as usize;
                self.scan.swap(last, chosen);
            }
        }
        if V::HOME == Home::Node
            && let Some(keeper) = self.scan.iter().position(|victim| Some(*victim) == self.home())
        {
            self.scan.swap(0, keeper);
        }
    }
}

/// The variant without homes that is like `V` in all that is left of it on one node. Not all have one.
const fn uniform<V: Variant>() -> &'static str {
    match (V::HOME, V::IDLING, V::VICTIMS) {
        (Home::Worker, Idling::Polling, Victims::Random) if !V::HALF => ClsTpVariant::NAME,
        (Home::Worker, Idling::Woken, Victims::Scanned)
            if !V::HALF && V::ROUNDS == ClsWakeVariant::ROUNDS =>
        {
            ClsWakeVariant::NAME
        }
        _ => V::NAME,
    }
}

impl<V: Variant> Policy for Guided<V> {
    const NAME: &'static str = V::NAME;
    const UNIFORM: &'static str = uniform::<V>();
    const STEALS: bool = true;
    const ADOPTS: bool = true;
    const ROUTES: bool = true;
    const PINS: bool = V::PINS;
    const WAKING: Waking = match V::IDLING {
        Idling::Polling | Idling::Awake => Waking::Never,
        Idling::Woken if matches!(V::HOME, Home::Node) => Waking::OneNear,
        Idling::Woken => Waking::OneSearcher,
    };

    fn new(setup: Setup) -> Self {
        Self::with(setup, Rings::uniform(setup.worker, setup.workers))
    }

    fn neighbourhood() -> Neighbourhood {
        V::NEAREST
    }

    fn on(setup: Setup, rings: &Rings) -> Self {
        Self::with(setup, rings.clone())
    }

    fn batch(&self) -> u32 {
        u32::MAX
    }

    fn pick(&mut self, tick: u32) -> Pick {
        // A native host needs a turn for the oldest now and then; CAF has none.
        if tick.is_multiple_of(1024) {
            Pick::Oldest
        } else {
            Pick::Newest
        }
    }

    fn hunt(&mut self, attempt: u32) -> Option<u32> {
        if attempt < EAGER.max(self.rings.workers()) {
            self.victim(attempt)
        } else {
            None
        }
    }

    fn grant(&mut self, queued: usize) -> usize {
        if V::HALF {
            queued.div_ceil(2)
        } else {
            queued.min(1)
        }
    }

    fn spawned(&mut self, role: Role) -> (Word, Route) {
        let head = Route {
            worker: self.rings.me(),
            end: End::Head,
        };
        (Word::new(self.home(), V::frees(role)), head)
    }

    fn admitted(role: Role, turn: u32, workers: u32) -> (Word, Route) {
        let tail = Route {
            worker: turn % workers,
            end: End::Tail,
        };
        (Word::new(None, V::frees(role)), tail)
    }

    fn started(&mut self, word: Word) -> Word {
        match (self.home(), word.home()) {
            (None, _) => word,
            (_, Some(home)) if V::FIRST_RUN == FirstRun::Neighbour && !self.rings.is_neighbour(home) => word,
            (Some(here), _) => word.moved(here),
        }
    }

    fn woken(&mut self, sender: u32, word: Word, _: &Surroundings) -> Route {
        if V::DEALS && !word.is_free() {
            self.dealt = (self.dealt + 1) % self.rings.workers();
            return Route {
                worker: self.dealt,
                end: End::Tail,
            };
        }
        match word.home() {
            Some(home) if !word.is_free() && !self.rings.are_neighbours(sender, home) => Route {
                worker: home,
                end: V::FROM_AFAR,
            },
            _ => Route {
                worker: sender,
                end: End::Head,
            },
        }
    }

    fn take(&mut self, tick: u32) -> End {
        // CAF has no such turn; without one an actor at the tail could wait for ever behind two that write to each other.
        if tick.is_multiple_of(1024) {
            End::Tail
        } else {
            End::Head
        }
    }

    fn called(word: Word, turn: u32, workers: u32) -> Route {
        let home = word.home().filter(|_| !word.is_free());
        Route {
            worker: home.unwrap_or(turn % workers),
            end: End::Tail,
        }
    }

    fn search(&mut self, step: u32) -> Search {
        let turn = match V::IDLING {
            Idling::Woken if step >= V::ROUNDS * self.round() => return Search::Park,
            Idling::Woken => Turn::Theft(step),
            Idling::Polling | Idling::Awake => polling(step),
        };
        match turn {
            Turn::Theft(attempt) => match self.victim(attempt) {
                Some(victim) => Search::Probe(victim, End::Tail),
                None => Search::Poll(1),
            },
            Turn::Poll(times) => Search::Poll(times),
            Turn::Sleep(_) if V::IDLING == Idling::Awake => Search::Poll(POLLS_PER_EAGER_THEFT),
            Turn::Sleep(nanos) => Search::Sleep(nanos),
        }
    }
}

macro_rules! variants {
    ($($(#[$doc:meta])* $name:ident = $variant:ident { $($body:tt)* })*) => {$(
        #[doc = concat!("Settings of [`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub enum $variant {}
        impl Variant for $variant { $($body)* }
        $(#[$doc])*
        pub type $name = Guided<$variant>;
    )*};
}

variants! {
    /// CLS as published: threads wander as the operating system likes.
    ClsPolling = ClsVariant {
        const NAME: &'static str = "cls";
        const HOME: Home = Home::None;
        const PINS: bool = false;
        const NEAREST: Neighbourhood = Neighbourhood::Everyone;
    }
    /// CLS with a bound thread per unit (section 6.3).
    ClsTp = ClsTpVariant {
        const NAME: &'static str = "cls-tp";
        const HOME: Home = Home::None;
        const NEAREST: Neighbourhood = Neighbourhood::Everyone;
    }
    /// Locality-guided scheduling (chapter 4).
    Lgs = LgsVariant {
        const NAME: &'static str = "lgs";
    }
    /// LGS where coordinators are not pinned (section 6.3).
    LgsUc = LgsUcVariant {
        const NAME: &'static str = "lgs-uc";
        fn frees(role: Role) -> bool {
            role == Role::Coordinator
        }
    }
    /// LGS where only data actors are pinned (section 6.5.3).
    LgsUw = LgsUwVariant {
        const NAME: &'static str = "lgs-uw";
        fn frees(role: Role) -> bool {
            role != Role::Data
        }
    }
    /// LGS that queues actors from afar at the head (section 6.4.2).
    LgsDfs = LgsDfsVariant {
        const NAME: &'static str = "lgs-dfs";
        const FROM_AFAR: End = End::Head;
    }
    /// LGS whose thieves begin with those who share their second-level cache (section 6.4.2); homes are as in LGS.
    LgsCo = LgsCoVariant {
        const NAME: &'static str = "lgs-co";
        const NEAREST: Neighbourhood = Neighbourhood::Cache(2);
    }
    /// LGS without the neighbour rule for the first execution (section 6.5.2).
    LgsAlt = LgsAltVariant {
        const NAME: &'static str = "lgs-alt";
        const FIRST_RUN: FirstRun = FirstRun::Anybody;
    }
    /// [`LgsAlt`] whose idle workers never sleep (section 6.5.2).
    LgsAltAwake = LgsAltAwakeVariant {
        const NAME: &'static str = "lgs-alt-awake";
        const FIRST_RUN: FirstRun = FirstRun::Anybody;
        const IDLING: Idling = Idling::Awake;
    }
    /// CLS with bound threads where data actors are dealt out to all workers in turn (the thesis' "round robin"
    /// assignment of jobs, section 6.4.3).
    ClsDealt = ClsDealtVariant {
        const NAME: &'static str = "cls-dealt";
        const HOME: Home = Home::None;
        const NEAREST: Neighbourhood = Neighbourhood::Everyone;
        const DEALS: bool = true;
        fn frees(role: Role) -> bool {
            role != Role::Data
        }
    }
    /// LGS that sleeps until woken after one round of its random thefts. Not in the thesis, and neither are the next
    /// four: they tell what of LGS's losses comes from which part of its mechanism.
    LgsWoken = LgsWokenVariant {
        const NAME: &'static str = "lgs-woken";
        const IDLING: Idling = Idling::Woken;
    }
    /// LGS whose polling thieves ask every member of a group once instead of at random. Not in the thesis.
    LgsScan = LgsScanVariant {
        const NAME: &'static str = "lgs-scan";
        const VICTIMS: Victims = Victims::Scanned;
    }
    /// [`LgsWake`] whose actors belong to a memory node instead of a worker. Not in the thesis.
    LgsWakeNode = LgsWakeNodeVariant {
        const NAME: &'static str = "lgs-wake-node";
        const HOME: Home = Home::Node;
        const IDLING: Idling = Idling::Woken;
        const VICTIMS: Victims = Victims::Scanned;
    }
    /// Both of [`LgsWoken`] and [`LgsScan`]: idle workers look at everybody once and then sleep until woken. Not in the
    /// thesis.
    LgsWake = LgsWakeVariant {
        const NAME: &'static str = "lgs-wake";
        const IDLING: Idling = Idling::Woken;
        const VICTIMS: Victims = Victims::Scanned;
    }
    /// [`LgsWake`] whose thieves take half a queue. Not in the thesis.
    LgsWakeHalf = LgsWakeHalfVariant {
        const NAME: &'static str = "lgs-wake-half";
        const IDLING: Idling = Idling::Woken;
        const VICTIMS: Victims = Victims::Scanned;
        const HALF: bool = true;
    }
    /// CLS with bound threads that look at everybody once and then sleep until woken: the uniform form of
    /// [`LgsWake`].
    ClsWake = ClsWakeVariant {
        const NAME: &'static str = "cls-wake";
        const HOME: Home = Home::None;
        const NEAREST: Neighbourhood = Neighbourhood::Everyone;
        const IDLING: Idling = Idling::Woken;
        const VICTIMS: Victims = Victims::Scanned;
    }
    /// [`ClsWake`] that looks at everybody four times before it sleeps, as Go's workers do: to be woken costs about as much as
    /// a look around, and the one who wakes pays, too.
    ClsWakeLong = ClsWakeLongVariant {
        const NAME: &'static str = "cls-wake-long";
        const HOME: Home = Home::None;
        const NEAREST: Neighbourhood = Neighbourhood::Everyone;
        const IDLING: Idling = Idling::Woken;
        const VICTIMS: Victims = Victims::Scanned;
        const ROUNDS: u32 = 4;
    }
}

#[cfg(test)]
mod tests {
    use super::{Turn, polling};

    /// The thieves' timetable: 10 thefts without sleep, 100 with 250 microseconds between two, then one per 10
    /// milliseconds.
    #[test]
    fn polling_has_three_stages() {
        let mut thefts = Vec::new();
        let mut slept = 0;
        for step in 0..700 {
            match polling(step) {
                Turn::Theft(number) => {
                    assert_eq!(number as usize, thefts.len());
                    thefts.push(slept);
                }
                Turn::Sleep(nanos) => slept += nanos,
                Turn::Poll(times) => assert_eq!((times, slept), (10, 0)),
            }
        }
        assert!(thefts[..11].iter().all(|&at| at == 0));
        assert_eq!(thefts[11], 250_000);
        assert_eq!(thefts[110], 25_000_000);
        assert_eq!(thefts[111], 35_000_000);
        assert_eq!(thefts[112], 45_000_000);
    }
}
