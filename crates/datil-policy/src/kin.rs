//! Policies in the manner of other runtimes: their published rules for placing, batches, stealing and waking, on the
//! queues of a routing host. What belongs to their mechanisms (preemption, timers, global queues) is not part of a
//! policy and is left out.

use crate::topology::Rings;
use crate::{End, Pick, Policy, Random, Role, Route, Search, Setup, Surroundings, Waking, Word};

/// In the manner of Pony: first in, first out in batches of 100; thieves ask the workers before them in turn for the
/// oldest actor.
#[derive(Clone, Debug)]
pub struct Pony {
    setup: Setup,
    last: u32,
}

impl Pony {
    fn before(&mut self) -> u32 {
        let workers = self.setup.workers;
        self.last = (self.last + workers - 1) % workers;
        if self.last == self.setup.worker {
            self.last = (self.last + workers - 1) % workers;
        }
        self.last
    }
}

/// An actor at an end of a worker's queue; no homes.
fn at(worker: u32, end: End) -> Route {
    Route { worker, end }
}

impl Policy for Pony {
    const NAME: &'static str = "pony";
    const STEALS: bool = true;
    const ROUTES: bool = true;
    const WAKING: Waking = Waking::OneSearcher;

    fn new(setup: Setup) -> Self {
        Self {
            setup,
            last: setup.worker,
        }
    }

    fn batch(&self) -> u32 {
        100
    }

    fn pick(&mut self, _: u32) -> Pick {
        Pick::Oldest
    }

    fn hunt(&mut self, attempt: u32) -> Option<u32> {
        (self.setup.workers > 1 && attempt < 2 * self.setup.workers).then(|| self.before())
    }

    fn spawned(&mut self, _: Role) -> (Word, Route) {
        (Word::default(), at(self.setup.worker, End::Tail))
    }

    fn woken(&mut self, sender: u32, _: Word, _: &Surroundings) -> Route {
        at(sender, End::Tail)
    }

    fn search(&mut self, step: u32) -> Search {
        match self.hunt(step) {
            // The oldest is at the head: everything is put at the tail.
            Some(victim) => Search::Probe(victim, End::Head),
            None => Search::Park,
        }
    }
}

/// Every so many activations the head of the queue gets its turn before the slot, in which two actors that write to each other would
/// otherwise stay for ever. Go counts the time of all who come out of the slot in a row as one slice; tokio takes three in a row
/// at most.
const TURN_OF_THE_OTHERS: u32 = 1024;

/// What Go and tokio have in common: a slot for the actor woken last, random passes over all victims, half a queue
/// per theft, and at most one worker woken while nobody searches.
#[derive(Clone, Debug)]
struct Slotted {
    rings: Rings,
    random: Random,
    start: u32,
    stride: u32,
}

impl Slotted {
    fn new(setup: Setup) -> Self {
        Self {
            rings: Rings::uniform(setup.worker, setup.workers),
            random: Random::new(setup.seed ^ (u64::from(setup.worker) << 32)),
            start: 0,
            stride: 1,
        }
    }

    /// Victim number `attempt`: each pass visits every worker once, from a random start with a stride that is coprime
    /// to their number.
    fn victim(&mut self, attempt: u32, passes: u32) -> Option<u32> {
        let workers = self.rings.workers();
        if workers < 2 || attempt >= passes * workers {
            return None;
        }
        if attempt.is_multiple_of(workers) {
            self.start = self.random.below(workers);
            self.stride = coprime(1 + self.random.below(workers), workers);
        }
        let place = u64::from(self.start) + u64::from(attempt % workers) * u64::from(self.stride);
        let victim = (place % u64::from(workers)) as u32;
        // Instead of itself it asks its successor twice.
        let me = self.rings.me();
        Some(if victim == me { (me + 1) % workers } else { victim })
    }
}

/// The first number from `from` on that has no divisor in common with `of`.
fn coprime(from: u32, of: u32) -> u32 {
    fn divisor(a: u32, b: u32) -> u32 {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    (from..)
        .find(|&number| divisor(number, of) == 1)
        .expect("there are infinitely many primes")
}

macro_rules! slotted {
    ($(#[$doc:meta])* $name:ident, $text:literal, batch $batch:literal, passes $passes:literal, slot wakes $slot:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(Slotted);

        impl Policy for $name {
            const NAME: &'static str = $text;
            const STEALS: bool = true;
            const ROUTES: bool = true;
            const WAKING: Waking = Waking::OneSearcher;
            const SLOT_WAKES: bool = $slot;

            fn new(setup: Setup) -> Self {
                Self(Slotted::new(setup))
            }

            fn batch(&self) -> u32 {
                $batch
            }

            fn pick(&mut self, _: u32) -> Pick {
                Pick::Oldest
            }

            fn hunt(&mut self, attempt: u32) -> Option<u32> {
                self.0.victim(attempt, $passes)
            }

            fn grant(&mut self, queued: usize) -> usize {
                queued.div_ceil(2)
            }

            fn spawned(&mut self, _: Role) -> (Word, Route) {
                (Word::default(), at(self.0.rings.me(), End::Next))
            }

            fn woken(&mut self, sender: u32, _: Word, _: &Surroundings) -> Route {
                at(sender, End::Next)
            }

            fn take(&mut self, tick: u32) -> End {
                if tick.is_multiple_of(TURN_OF_THE_OTHERS) {
                    End::Head
                } else {
                    End::Next
                }
            }

            fn search(&mut self, step: u32) -> Search {
                match self.hunt(step) {
                    Some(victim) => Search::Probe(victim, End::Head),
                    None => Search::Park,
                }
            }
        }
    };
}

slotted! {
    /// In the manner of Go: four passes over all victims before a worker sleeps. Go's slice of 10 ms is a batch of
    /// messages here.
    GoLike, "go-like", batch 10000, passes 4, slot wakes true
}
slotted! {
    /// In the manner of tokio: a budget of 128 messages, one pass over all victims; nobody is woken for a task in the slot, only for the
    /// one that it takes the place of.
    TokioLike, "tokio-like", batch 128, passes 1, slot wakes false
}
