//! A lock in simulated memory.

use crate::machine::{Cycles, Memory};

/// A spin lock: its line travels to whoever takes it, and those who come meanwhile wait.
#[derive(Debug, Default)]
pub(super) struct Lock {
    owner: Option<usize>,
    free_at: Cycles,
}

impl Lock {
    /// Time that taking the lock, `hold` cycles of work and letting it go take a unit that comes `now`.
    pub(super) fn take(&mut self, memory: &mut Memory, pu: usize, now: Cycles, hold: Cycles) -> Cycles {
        let transfer = self.owner.map_or(0, |owner| memory.transfer(owner, pu, 1));
        let begin = self.free_at.max(now);
        memory.wait(begin - now);
        let end = begin + transfer + hold;
        self.owner = Some(pu);
        self.free_at = end;
        end - now
    }

    /// Time to look at what the lock guards without taking it.
    pub(super) fn look(&self, memory: &mut Memory, pu: usize) -> Cycles {
        self.owner.map_or(0, |owner| memory.transfer(owner, pu, 1))
    }
}
