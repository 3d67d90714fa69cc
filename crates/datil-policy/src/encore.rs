//! Encore's two schedulers: first come, first served in batches of 100 messages, and thieves that take one actor, the oldest, of the
//! workers before them in turn (Ostlund, "Benchmarking and Comparing Encore", 2016, chapters 2 and 5).
//!
//! They differ in how a thief gets its actor. Preemptively it takes it out of the victim's queue, whatever that is doing. Cooperatively it
//! asks, and waits until the victim is between two activations.
//!
//! Encore's schedulers go on trying when there is nothing to steal, with short sleeps. Here they sleep wholly after two rounds, and a worker with a backlog
//! hands the sleeper what that would have stolen first. Encore has one queue per scheduler, in which an actor goes to the end after its batch too; hosts have
//! another for these, and the two take turns.

use crate::{Board, Nanos, Offer, Pick, Policy, Preemption, Setup};

/// Messages per activation.
const BATCH: u32 = 100;

/// Whom to rob next.
#[derive(Clone, Debug)]
struct Round {
    setup: Setup,
    last: u32,
}

impl Round {
    fn new(setup: Setup) -> Self {
        Self {
            setup,
            last: setup.worker,
        }
    }

    /// The worker before the last victim, this one left out; `None` after two rounds.
    fn next(&mut self, attempt: u32) -> Option<u32> {
        if self.setup.workers < 2 || attempt >= 2 * self.setup.workers {
            return None;
        }
        let before = |w: u32| if w == 0 { self.setup.workers - 1 } else { w - 1 };
        self.last = before(self.last);
        if self.last == self.setup.worker {
            self.last = before(self.last);
        }
        Some(self.last)
    }
}

fn in_turn(tick: u32) -> Pick {
    if tick.is_multiple_of(2) {
        Pick::Yielded
    } else {
        Pick::Oldest
    }
}

/// What a sleeping thief would have stolen first.
fn one(queued: usize) -> Offer {
    if queued == 0 { Offer::Keep } else { Offer::Give(1) }
}

macro_rules! encore {
    ($(#[$doc:meta])* $name:ident, $text:literal, $preempts:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(Round);

        impl Policy for $name {
            const NAME: &'static str = $text;
            const STEALS: bool = true;
            const PREEMPTS: Preemption = Preemption::$preempts;
            const ADOPTS: bool = true;

            fn new(setup: Setup) -> Self {
                Self(Round::new(setup))
            }

            fn batch(&self) -> u32 {
                BATCH
            }

            fn pick(&mut self, tick: u32) -> Pick {
                in_turn(tick)
            }

            fn watch(&mut self, queued: usize, _: u32) -> bool {
                queued > 0
            }

            fn offer(&mut self, _: Nanos, queued: usize, _: Board) -> Offer {
                one(queued)
            }

            fn hunt(&mut self, attempt: u32) -> Option<u32> {
                self.0.next(attempt)
            }
        }
    };
}

encore! {
    /// Encore since 2015: a thief takes one actor out of the victim's queue, also while that runs a handler.
    EncorePreemptive, "encore-preemptive", AtOnce
}

encore! {
    /// Encore until 2015: a thief asks, and the victim hands over one actor between two activations.
    EncoreCooperative, "encore-cooperative", Never
}
