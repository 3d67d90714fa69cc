//! Locks, threads and time: the standard library's, or those of a model checker (`crate::model`).

#[cfg(not(shuttle))]
mod imp {
    pub(crate) use std::hint::spin_loop;
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, RwLock};
    pub(crate) use std::time::Instant;
    pub(crate) use std::{thread, thread_local};

    /// Blocks until an answer is there.
    pub(crate) fn receive<R>(from: oneshot::Receiver<R>) -> Result<R, oneshot::RecvError> {
        from.recv()
    }
}

#[cfg(shuttle)]
mod imp {
    pub(crate) use crate::model::checker::{receive, spin_loop, thread, thread_local};
    pub(crate) use crate::model::sync::{Condvar, Instant, Mutex, MutexGuard, RwLock};
}

pub(crate) use imp::*;
