//! Locks, threads and time: the standard library's, or those of a model checker (`crate::model`).

#[cfg(not(shuttle))]
mod imp {
    use crate::answer::AskError;

    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, RwLock};
    pub(crate) use std::time::Instant;
    pub(crate) use std::{thread, thread_local};

    /// Blocks until an answer is there.
    pub(crate) fn receive<R>(from: oneshot::Receiver<Result<R, AskError>>) -> Result<R, AskError> {
        from.recv().unwrap_or(Err(AskError::Dropped))
    }
}

#[cfg(shuttle)]
mod imp {
    pub(crate) use crate::model::checker::{receive, spin_loop, thread, thread_local};
    pub(crate) use crate::model::sync::{Condvar, Instant, Mutex, MutexGuard, RwLock};
}

pub(crate) use imp::*;

/// Waiting for what another thread does within a few instructions, unless it has lost its processor.
#[derive(Default)]
pub(crate) struct Spin {
    turns: u32,
}

impl Spin {
    /// Waits a little; now and then it gives the processor up, which the other thread may want.
    pub(crate) fn turn(&mut self) {
        self.turns = self.turns.wrapping_add(1);
        if self.turns.is_multiple_of(64) {
            thread::yield_now();
        } else {
            spin_loop();
        }
    }
}
