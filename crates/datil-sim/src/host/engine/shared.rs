//! What workers write for others to see: it is seen with some delay, and the line in which it lies must come from whoever wrote it.

use crate::host::line::Line;
use crate::machine::{Cycles, Memory};

/// A value as its writers and, later, its readers see it.
#[derive(Clone, Default)]
pub(super) struct Shared<T> {
    pub(super) fresh: T,
    shown: T,
    shown_at: Cycles,
    pub(super) line: Line,
}

impl<T: Copy> Shared<T> {
    /// What a reader sees: the value as it was at most `age` ago.
    pub(super) fn read(&mut self, now: Cycles, age: Cycles) -> T {
        if now.saturating_sub(self.shown_at) >= age {
            self.shown = self.fresh;
            self.shown_at = now;
        }
        self.shown
    }

    /// What a unit sees that looks at it, and what that costs.
    pub(super) fn look(&mut self, memory: &mut Memory, pu: usize, now: Cycles, age: Cycles) -> (T, Cycles) {
        (self.read(now, age), self.line.look(memory, pu))
    }

    /// A unit stores a new value and does not wait for its line.
    pub(super) fn store(&mut self, value: T, pu: usize) {
        self.fresh = value;
        self.line.store(pu);
    }
}
