//! What is seen of others with some delay.

use crate::machine::Cycles;

/// A value as its writers and, later, its readers see it.
#[derive(Clone, Copy, Default)]
pub(super) struct Stale<T> {
    pub(super) fresh: T,
    shown: T,
    shown_at: Cycles,
}

impl<T: Copy> Stale<T> {
    pub(super) fn new(value: T) -> Self {
        Self {
            fresh: value,
            shown: value,
            shown_at: 0,
        }
    }

    /// What a reader sees: the value as it was at most `age` ago.
    pub(super) fn read(&mut self, now: Cycles, age: Cycles) -> T {
        if now.saturating_sub(self.shown_at) >= age {
            self.shown = self.fresh;
            self.shown_at = now;
        }
        self.shown
    }
}
