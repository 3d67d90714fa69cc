//! Random work stealing in the manner of CAF (Woelke, "Optimizing Data Locality in CAF", 2018, section 3.1, who calls it communication locality
//! scheduling, CLS).
//!
//! CAF's idle workers go on trying, with growing sleeps; [`crate::ClsPolling`] (`cls`) does that, too. Here they sleep wholly after the first, eager
//! phase, and a worker with a backlog hands the sleeper what that would have stolen first.

use crate::{Board, Encounter, Nanos, Offer, Pick, Policy, Random, Setup};

/// A woken actor goes to the head of its sender's queue, on whatever worker it ran before; an idle worker takes one actor, the oldest, of a
/// random victim; an actor runs until its mailbox is empty.
#[derive(Clone, Debug)]
pub struct ClsOffer {
    setup: Setup,
    random: Random,
}

impl Policy for ClsOffer {
    const NAME: &'static str = "cls-offer";
    const STEALS: bool = true;
    const ADOPTS: bool = true;
    const FOLLOWS: bool = true;

    fn new(setup: Setup) -> Self {
        Self {
            setup,
            random: Random::new(setup.seed ^ (u64::from(setup.worker) << 32)),
        }
    }

    fn batch(&self) -> u32 {
        u32::MAX
    }

    fn pick(&mut self, tick: u32) -> Pick {
        if tick.is_multiple_of(1024) {
            Pick::Oldest
        } else {
            Pick::Newest
        }
    }

    fn watch(&mut self, queued: usize, _: u32) -> bool {
        queued > 0
    }

    fn offer(&mut self, _: Nanos, queued: usize, _: Board) -> Offer {
        if queued == 0 { Offer::Keep } else { Offer::Give(1) }
    }

    fn follow(&self, _: Encounter) -> bool {
        true
    }

    fn hunt(&mut self, attempt: u32) -> Option<u32> {
        // Ten steal attempts before the thief sleeps, as in CAF's first phase of polling.
        if attempt < 10 {
            self.random.other(self.setup.worker, self.setup.workers)
        } else {
            None
        }
    }
}
