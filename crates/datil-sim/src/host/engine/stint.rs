//! What becomes of a theft: how long it keeps the thief busy, and how much of that time others cost it.

use datil_policy::Waking;

use super::Engine;
use crate::machine::Cycles;

/// One in so many messages from elsewhere is timed, as natively.
const TIMED: u32 = 8;

/// A worker's time since its first theft after it had run dry.
#[derive(Clone, Copy, Default)]
pub(super) struct Stint {
    /// When that was; nothing was taken yet by one that was woken to do so.
    began: Option<Cycles>,
    messages: u64,
    toll: Cycles,
}

impl Stint {
    /// Another message was handled, whose way from another unit took so long; returns what it costs to know that.
    pub(super) fn take_in(&mut self, moved: Cycles, timing: u32) -> Cycles {
        self.messages += 1;
        self.toll += moved;
        match moved {
            0 => 0,
            _ => Cycles::from(timing / TIMED),
        }
    }
}

impl Engine {
    /// A worker has robbed another one; returns what it costs to watch what becomes of that.
    pub(super) fn begin_stint(&mut self, me: u32) -> Cycles {
        if self.rules.waking != Waking::Proven {
            return 0;
        }
        let stint = self.workers[me as usize].stint.get_or_insert_default();
        if stint.began.is_some() {
            return 0;
        }
        stint.began = Some(self.now);
        // The clock is read now and when the worker has run dry.
        2 * Cycles::from(self.costs.timing)
    }

    /// A worker has nothing to do any more: its policy judges what it has done since it robbed somebody, or was woken to do so.
    pub(super) fn end_stint(&mut self, me: u32) {
        let Some(stint) = self.workers[me as usize].stint.take() else {
            return;
        };
        let now = self.costs.nanos(self.now);
        let lasted = stint.began.map_or(0, |began| self.clocked(self.now - began));
        let stint = datil_policy::Stint {
            began: now.saturating_sub(lasted),
            messages: stint.messages,
            toll: self.clocked(stint.toll),
        };
        let worker = &mut self.workers[me as usize];
        self.board.fresh = worker.policy.parted(now, stint, self.board.fresh);
    }
}
