//! Loom's atomics for memory that knows nothing of them.
//!
//! Loom's own are big, and cannot be made in a static or out of zeroed memory. So what an address holds is kept in a table, from the first time it is touched in an
//! execution. Loom takes the touching for the birth, so whatever two threads may use must be touched before the second one begins. All threads of an execution take turns on one
//! thread of the system, so plain memory does for the table.

use std::cell::{Cell as Plain, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use loom::sync::atomic::AtomicU64;
use loom::sync::{Condvar, Mutex};

use crate::atomic::AtomicU32;
use crate::atomic::Ordering::Relaxed;

pub(crate) use crate::model_thread_local as thread_local;
pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::thread;

/// Loom's, without the form for constants.
#[doc(hidden)]
#[macro_export]
macro_rules! model_thread_local {
    ($(#[$attr:meta])* $vis:vis static $name:ident: $t:ty = const { $init:expr };) => {
        loom::thread_local! { $(#[$attr])* $vis static $name: $t = $init; }
    };
}

#[derive(Default)]
struct Table {
    atomics: HashMap<usize, Rc<AtomicU64>>,
    cells: HashMap<usize, Rc<loom::cell::UnsafeCell<()>>>,
    /// Where threads sleep on a word: the system's lock, and its list of sleepers.
    queues: HashMap<usize, Rc<(Mutex<()>, Condvar)>>,
}

std::thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

pub(super) fn begin() {
    let former = TABLE.take();
    // Loom's objects are those of an execution that is over.
    std::mem::forget(former);
}

pub(super) fn atomic(at: usize, first: impl FnOnce() -> u64) -> Rc<AtomicU64> {
    TABLE.with_borrow_mut(|table| {
        let known = table.atomics.entry(at);
        known.or_insert_with(|| Rc::new(AtomicU64::new(first()))).clone()
    })
}

/// The memory is used for something else from now on.
pub(super) fn forget_atomic(at: usize) {
    let _ = TABLE.try_with(|table| table.borrow_mut().atomics.remove(&at).map(std::mem::forget));
}

fn watched(at: usize) -> Rc<loom::cell::UnsafeCell<()>> {
    TABLE.with_borrow_mut(|table| {
        table
            .cells
            .entry(at)
            .or_insert_with(|| Rc::new(loom::cell::UnsafeCell::new(())))
            .clone()
    })
}

fn queue(at: usize) -> Rc<(Mutex<()>, Condvar)> {
    TABLE.with_borrow_mut(|table| table.queues.entry(at).or_default().clone())
}

/// The standard library's, but two accesses of different threads that nothing orders are a failure.
#[derive(Default)]
#[repr(transparent)]
pub(crate) struct Cell<T>(Plain<T>);

impl<T> Cell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Plain::new(value))
    }

    fn watch(&self) -> Rc<loom::cell::UnsafeCell<()>> {
        watched((&raw const self.0).addr())
    }

    pub(crate) fn get(&self) -> T
    where
        T: Copy,
    {
        self.watch().with(|_| self.0.get())
    }

    pub(crate) fn set(&self, value: T) {
        self.replace(value);
    }

    pub(crate) fn replace(&self, value: T) -> T {
        self.watch().with_mut(|_| self.0.replace(value))
    }

    pub(crate) fn take(&self) -> T
    where
        T: Default,
    {
        self.replace(T::default())
    }
}

/// Blocks until an answer is there.
pub(crate) fn receive<R>(from: oneshot::Receiver<R>) -> Result<R, oneshot::RecvError> {
    loop {
        match from.try_recv() {
            Ok(answer) => return Ok(answer),
            Err(oneshot::TryRecvError::Empty) => thread::yield_now(),
            // This gives the error at once.
            Err(oneshot::TryRecvError::Disconnected) => return from.recv(),
        }
    }
}

/// Sleeps until somebody wakes this word, if its value is still this one.
pub(crate) fn sleep(word: &AtomicU32, expected: u32) {
    let queue = queue(word.address());
    let guard = queue.0.lock().expect("never poisoned");
    if word.load(Relaxed) == expected {
        drop(queue.1.wait(guard).expect("never poisoned"));
    }
}

/// Sleeps for a while, which here may be of any length.
pub(crate) fn doze() {
    thread::yield_now();
}

/// Wakes one of those who sleep on a word, or all.
pub(crate) fn wake(word: &AtomicU32, all: bool) {
    let queue = queue(word.address());
    drop(queue.0.lock().expect("never poisoned"));
    if all {
        queue.1.notify_all();
    } else {
        queue.1.notify_one();
    }
}
