//! The states of a worker, and what lets others act for it.

use loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use loom::sync::atomic::{AtomicUsize, fence};
use loom::sync::{Condvar, Mutex};
use loom::thread;

use super::cell::*;

pub(crate) const RUNNING: usize = 0;
pub(crate) const IDLE: usize = 1;
pub(crate) const LOCKED: usize = 2;
pub(crate) const CLAIMED: usize = 5;
pub(crate) const ABSENT: usize = 3;
pub(crate) const ABSENT_LOCKED: usize = 4;

pub(crate) const ASLEEP: usize = 1;
pub(crate) const NAPPING: usize = 2;
pub(crate) const SUMMONED: usize = 3;

/// `Core::adopt`, then a local send: touches what only the owner may touch.
pub(crate) fn adopt(cell: &Cell, state: &AtomicUsize, from: usize, me: usize) -> bool {
    if cell.tag.load(Acquire) >> 8 != from || state.load(Relaxed) != IDLE {
        return false;
    }
    if state.compare_exchange(IDLE, LOCKED, Acquire, Relaxed).is_err() {
        return false;
    }
    let ours = cell.tag.load(Acquire) == tag(from, 0);
    if ours {
        cell.tag.store(tag(me, 0), Release);
    }
    state.store(IDLE, Release);
    if ours {
        cell.private
            .with_mut(|private| unsafe { (*private).got.push(me) });
    }
    ours
}

/// What lets a worker and who acts for it use its core in turn: `worker::absence::Presence`, and the worker's state.
pub(crate) struct Presence {
    pub(crate) inside: AtomicUsize,
    pub(crate) my_tag: AtomicUsize,
    pub(crate) state: AtomicUsize,
}

impl Presence {
    /// Of a worker that runs and is inside.
    pub(crate) fn new() -> Self {
        Self {
            inside: AtomicUsize::new(1),
            my_tag: AtomicUsize::new(1),
            state: AtomicUsize::new(RUNNING),
        }
    }

    /// `Core::leave`.
    pub(crate) fn leave(&self) {
        self.inside.store(0, Release);
    }

    /// `Core::enter`, then `Core::be_present` and `Core::come_in`; true if somebody may have acted for the worker. The light fence is one here; what the pair
    /// guarantees is the same.
    pub(crate) fn enter(&self) -> bool {
        loop {
            self.inside.store(1, Relaxed);
            fence(SeqCst);
            if self.my_tag.load(Relaxed) != 0 {
                return false;
            }
            self.leave();
            if self.end_absence() {
                return true;
            }
        }
    }

    /// `Core::come_back` by who is inside for longer; true if somebody may have acted for the worker.
    pub(crate) fn enter_and_stay(&self) -> bool {
        self.inside.store(1, Relaxed);
        fence(SeqCst);
        self.end_absence()
    }

    /// `Core::end_absence`; false if nobody has acted for the worker.
    pub(crate) fn end_absence(&self) -> bool {
        while self.my_tag.load(Relaxed) == 0 {
            if self
                .state
                .compare_exchange(ABSENT, RUNNING, Acquire, Relaxed)
                .is_ok()
            {
                self.inside.store(1, Relaxed);
                self.my_tag.store(1, Release);
                return true;
            }
            thread::yield_now();
        }
        false
    }

    /// `Core::with_absent` up to the lock; false if the worker is inside or somebody else is at it.
    pub(crate) fn lock(&self) -> bool {
        if self
            .state
            .compare_exchange(ABSENT, ABSENT_LOCKED, Acquire, Relaxed)
            .is_ok()
        {
            return true;
        }
        if self.my_tag.compare_exchange(1, 0, AcqRel, Relaxed).is_err() {
            return false;
        }
        fence(SeqCst);
        if self.inside.load(Acquire) != 0 {
            self.my_tag.store(1, Release);
            return false;
        }
        self.state.store(ABSENT_LOCKED, Relaxed);
        true
    }

    /// The end of `Core::with_absent`.
    pub(crate) fn unlock(&self) {
        self.state.store(ABSENT, Release);
    }
}

/// The futex word of a worker.
#[derive(Default)]
pub(crate) struct Futex {
    pub(crate) word: AtomicUsize,
    pub(crate) kernel: Mutex<()>,
    pub(crate) sleepers: Condvar,
}

impl Futex {
    pub(crate) fn wait(&self) {
        let guard = self.kernel.lock().unwrap();
        if self.word.load(Relaxed) == 1 {
            drop(self.sleepers.wait(guard).unwrap());
        }
    }

    pub(crate) fn wake(&self) {
        drop(self.kernel.lock().unwrap());
        self.sleepers.notify_all();
    }
}
