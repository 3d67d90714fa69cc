//! Plain work sharing: whoever has more than it runs gives, as soon as somebody is idle.

use crate::{Board, Nanos, Offer, Pick, Policy, Setup};

/// First come, first served; the oldest half of a backlog goes to an idle worker at once, and nobody asks
/// afterwards whether that paid.
#[derive(Clone, Debug)]
pub struct WorkSharing;

impl Policy for WorkSharing {
    const NAME: &'static str = "work-sharing";

    fn new(_: Setup) -> Self {
        Self
    }

    fn batch(&self) -> u32 {
        64
    }

    fn pick(&mut self, tick: u32) -> Pick {
        // The two queues take turns, so that actors with full mailboxes do not wait for an empty run queue.
        if tick.is_multiple_of(2) {
            Pick::Yielded
        } else {
            Pick::Oldest
        }
    }

    fn watch(&mut self, queued: usize, _: u32) -> bool {
        queued > 0
    }

    fn offer(&mut self, _: Nanos, queued: usize, _: Board) -> Offer {
        if queued == 0 {
            Offer::Keep
        } else {
            Offer::Give(queued.div_ceil(2))
        }
    }
}
