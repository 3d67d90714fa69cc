//! What becomes of a theft: how long it keeps the thief busy, and how much of that time others cost it.

use datil_policy::Waking;

use super::Engine;
use crate::machine::Cycles;

/// One in so many messages from elsewhere is timed, as natively.
pub(super) const TIMED: u32 = 8;

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

    /// A worker has nothing to do any more: its policy judges what it has done since it robbed somebody, or was woken to do so. Returns what that costs.
    pub(super) fn end_stint(&mut self, me: u32) -> Cycles {
        let Some(stint) = self.workers[me as usize].stint.take() else {
            return 0;
        };
        let now = self.costs.nanos(self.now);
        let lasted = stint.began.map_or(0, |began| self.clocked(self.now - began));
        let stint = datil_policy::Stint {
            began: now.saturating_sub(lasted),
            messages: stint.messages,
            toll: self.clocked(stint.toll),
        };
        let worker = &mut self.workers[me as usize];
        let cost = self.board.line.look(&mut self.memory, worker.pu);
        let board = worker.policy.parted(now, stint, self.board.fresh);
        self.board.store(board, worker.pu);
        worker.learns = worker.policy.learns();
        cost
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::AdaptiveWaking;

    use super::*;
    use crate::host::{Rules, Settings};
    use crate::machine::preset;

    fn engine() -> Engine {
        let settings = Settings {
            workers: 4,
            ..Settings::new(preset("opteron").expect("a preset"))
        };
        Engine::new(Rules::of::<AdaptiveWaking>(), settings).expect("it fits the machine")
    }

    /// Worker 1 robs somebody and is busy for so long, of which messages from elsewhere take a part. Returns what the board says then.
    fn paid_after(engine: &mut Engine, lasted: Cycles, toll: Cycles) -> u32 {
        assert!(engine.begin_stint(1) > 0, "looks at the clock are not free");
        assert_eq!(engine.begin_stint(1), 0, "one more theft in the same stint");
        let stint = engine.workers[1].stint.as_mut().expect("it has begun");
        assert_eq!(stint.take_in(0, 100), 0);
        assert!(stint.take_in(toll, 100) > 0 || toll == 0);
        engine.now += lasted;
        engine.end_stint(1);
        assert!(engine.workers[1].stint.is_none());
        engine.board.fresh.paid
    }

    #[test]
    fn the_policy_hears_what_became_of_thefts() {
        let mut engine = engine();
        let ms = engine.costs.cycles(1_000_000);
        assert_eq!(paid_after(&mut engine, ms, 0), 1);
        assert_eq!(paid_after(&mut engine, ms, ms / 10), 2);
        assert_eq!(paid_after(&mut engine, ms, ms / 2), 1, "the others took half");
        assert_eq!(paid_after(&mut engine, ms / 1_000, 0), 0, "it was back at once");
    }

    #[test]
    fn to_be_woken_for_nothing_does_not_pay() {
        let mut engine = engine();
        engine.board.fresh.paid = 1;
        engine.workers[1].stint = Some(Stint::default());
        engine.now += engine.costs.cycles(1_000_000);
        engine.end_stint(1);
        assert_eq!(engine.board.fresh.paid, 0);
        engine.end_stint(1);
        assert_eq!(engine.board.fresh.paid, 0, "nothing ends twice");
    }
}
