//! Classic load stealing and locality-guided scheduling (Woelke, "Optimizing Data Locality in CAF", 2018), with all
//! variants of the thesis, as settings of one set of rules.
//!
//! *Classic* (CLS): a woken actor goes to the head of its sender's queue; an idle worker robs random victims.
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

/// How an idle worker looks for work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Idling {
    /// CAF's three stages of polling.
    Polling,
    /// Every victim of every group once, in random order from near to far; then it sleeps until it is woken.
    Scanning,
}

/// The settings of one policy.
pub trait Variant: Send + 'static {
    /// See [`Policy::NAME`].
    const NAME: &'static str;
    /// Whether actors have homes; without homes they follow their senders.
    const HOMES: bool = true;
    /// Whether the threads of workers are bound to units.
    const PINS: bool = true;
    /// Which victims are in the first group.
    const NEAREST: Neighbourhood = Neighbourhood::Node;
    /// The end of the home's queue at which an actor from afar is put.
    const FROM_AFAR: End = End::Tail;
    /// The rule of the first execution.
    const FIRST_RUN: FirstRun = FirstRun::Neighbour;
    /// The search for work.
    const IDLING: Idling = Idling::Polling;
    /// Whether thieves take half of a queue instead of one actor.
    const HALF: bool = false;

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
            rings,
            variant: PhantomData,
        }
    }

    /// A random member of the group whose turn attempt number `attempt` is.
    fn victim(&mut self, attempt: u32) -> Option<u32> {
        let group = self.rings.group(self.rings.ring_at(attempt)?);
        Some(group[self.random.below(group.len() as u32) as usize])
    }

    /// The order of a scan: nearer groups first, at random within what a group adds to the one before.
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
    }
}

impl<V: Variant> Policy for Guided<V> {
    const NAME: &'static str = V::NAME;
    const STEALS: bool = true;
    const ADOPTS: bool = true;
    const ROUTES: bool = true;
    const PINS: bool = V::PINS;
    const WAKING: Waking = match V::IDLING {
        Idling::Polling => Waking::Never,
        Idling::Scanning => Waking::OneSearcher,
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
        let me = self.rings.me();
        let home = V::HOMES.then_some(me);
        let head = Route {
            worker: me,
            end: End::Head,
        };
        (Word::new(home, V::frees(role)), head)
    }

    fn admitted(role: Role, turn: u32, workers: u32) -> (Word, Route) {
        let tail = Route {
            worker: turn % workers,
            end: End::Tail,
        };
        (Word::new(None, V::frees(role)), tail)
    }

    fn started(&mut self, word: Word) -> Word {
        if !V::HOMES {
            return word;
        }
        match word.home() {
            Some(home) if V::FIRST_RUN == FirstRun::Neighbour && !self.rings.is_neighbour(home) => word,
            _ => word.moved(self.rings.me()),
        }
    }

    fn woken(&mut self, sender: u32, word: Word, _: &Surroundings) -> Route {
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
        match V::IDLING {
            Idling::Polling => match polling(step) {
                Turn::Theft(attempt) => match self.victim(attempt) {
                    Some(victim) => Search::Probe(victim, End::Tail),
                    None => Search::Poll(1),
                },
                Turn::Poll(times) => Search::Poll(times),
                Turn::Sleep(nanos) => Search::Sleep(nanos),
            },
            Idling::Scanning => {
                if step == 0 {
                    self.shuffle();
                }
                match self.scan.get(step as usize) {
                    Some(&victim) => Search::Probe(victim, End::Tail),
                    None => Search::Park,
                }
            }
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
        const HOMES: bool = false;
        const PINS: bool = false;
        const NEAREST: Neighbourhood = Neighbourhood::Everyone;
    }
    /// CLS with a bound thread per unit (section 6.3).
    ClsTp = ClsTpVariant {
        const NAME: &'static str = "cls-tp";
        const HOMES: bool = false;
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
    /// LGS, but idle workers look at everybody once and then sleep until woken. Not in the thesis: it tells what of
    /// LGS's losses comes from polling.
    LgsWake = LgsWakeVariant {
        const NAME: &'static str = "lgs-wake";
        const IDLING: Idling = Idling::Scanning;
    }
    /// [`LgsWake`] whose thieves take half a queue. Not in the thesis.
    LgsWakeHalf = LgsWakeHalfVariant {
        const NAME: &'static str = "lgs-wake-half";
        const IDLING: Idling = Idling::Scanning;
        const HALF: bool = true;
    }
    /// CLS with bound threads that look at everybody once and then sleep until woken: the uniform form of
    /// [`LgsWake`].
    ClsWake = ClsWakeVariant {
        const NAME: &'static str = "cls-wake";
        const HOMES: bool = false;
        const NEAREST: Neighbourhood = Neighbourhood::Everyone;
        const IDLING: Idling = Idling::Scanning;
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
