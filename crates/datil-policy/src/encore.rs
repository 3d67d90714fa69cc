//! Encore's cooperative stealing: private queues, batches of 100, one actor per request.

use crate::{Pick, Policy, Setup};

/// First come, first served in batches of 100 messages; an idle worker asks the workers before it in turn, and the
/// victim hands over one actor between two activations.
#[derive(Clone, Debug)]
pub struct EncoreCooperative {
    setup: Setup,
    last: u32,
}

impl Policy for EncoreCooperative {
    const NAME: &'static str = "encore-cooperative";
    const STEALS: bool = true;
    const ADOPTS: bool = true;

    fn new(setup: Setup) -> Self {
        Self {
            setup,
            last: setup.worker,
        }
    }

    fn batch(&self) -> u32 {
        100
    }

    fn pick(&mut self, tick: u32) -> Pick {
        if tick.is_multiple_of(2) {
            Pick::Yielded
        } else {
            Pick::Oldest
        }
    }

    fn hunt(&mut self, attempt: u32) -> Option<u32> {
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
