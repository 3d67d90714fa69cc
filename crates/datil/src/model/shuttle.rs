//! The points at which shuttle decides. All tasks of an execution take turns on one thread of the system, so plain memory does for what is kept here.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::answer::AskError;
use crate::atomic::AtomicU32;

pub(crate) use shuttle::hint::spin_loop;
pub(crate) use shuttle::{thread, thread_local};

/// Lets another thread go on, or not.
pub(crate) fn point() {
    // A sleep in shuttle is nothing but that. Destructors of what a test has left behind run when there is nobody to ask any more.
    if shuttle::current::try_get_current_task().is_some() {
        thread::sleep(Duration::ZERO);
    }
}

/// Blocks until an answer is there.
pub(crate) fn receive<R>(from: oneshot::Receiver<Result<R, AskError>>) -> Result<R, AskError> {
    shuttle::future::block_on(from).unwrap_or(Err(AskError::Dropped))
}

/// Threads that sleep, each at an address.
static SLEEPERS: Mutex<VecDeque<(usize, thread::Thread)>> = Mutex::new(VecDeque::new());

fn sleepers() -> std::sync::MutexGuard<'static, VecDeque<(usize, thread::Thread)>> {
    // Held for no longer than a statement, thus never across a point.
    SLEEPERS.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn begin() {
    sleepers().clear();
}

/// Sleeps until somebody wakes this word, if its value is still this one. A wake-up that is lost is one that never comes.
pub(crate) fn sleep(word: &AtomicU32, expected: u32) {
    point();
    // No point in between: the system compares under a lock.
    if word.peek() != expected {
        return;
    }
    let at = word.address();
    let me = thread::current();
    sleepers().push_back((at, me.clone()));
    while sleepers().iter().any(|(_, sleeper)| sleeper.id() == me.id()) {
        thread::park();
    }
}

/// Sleeps for a while, which here may be of any length.
pub(crate) fn doze() {
    thread::yield_now();
}

/// Wakes one of those who sleep on a word, or all.
pub(crate) fn wake(word: &AtomicU32, all: bool) {
    let at = word.address();
    point();
    loop {
        let mut sleepers = sleepers();
        let Some(place) = sleepers.iter().position(|&(place, _)| place == at) else {
            return;
        };
        let (_, sleeper) = sleepers.remove(place).expect("found there");
        drop(sleepers);
        sleeper.unpark();
        if !all {
            return;
        }
    }
}
