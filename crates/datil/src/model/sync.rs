//! Locks and time for a model checker, made of atomics and sleeping on a word, hence with the same points and orders under each of them.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::LockResult;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::atomic::AtomicU32;
use crate::atomic::Ordering::{AcqRel, Acquire, Release};
use crate::futex;

/// Nanoseconds that pass between two looks at the clock: a few looks are longer than the runtime's patience.
const TICK: u64 = 300_000;

static CLOCK: AtomicU64 = AtomicU64::new(0);

pub(super) fn reset_clock() {
    CLOCK.store(0, Relaxed);
}

/// Lets time pass.
pub(crate) fn pass(time: Duration) {
    CLOCK.fetch_add(time.as_nanos() as u64, Relaxed);
}

/// A moment of a time that passes when somebody looks or waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(u64);

impl Instant {
    pub(crate) fn now() -> Self {
        Self(CLOCK.fetch_add(TICK, Relaxed))
    }

    pub(crate) fn elapsed(self) -> Duration {
        Duration::from_nanos(Self::now().0 - self.0)
    }
}

/// As the standard library's, but never poisoned.
#[derive(Default)]
pub(crate) struct Mutex<T: ?Sized> {
    held: AtomicU32,
    content: UnsafeCell<T>,
}

// SAFETY: who has set `held` is alone with the content.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}
// SAFETY: it owns its content.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}

impl<T> Mutex<T> {
    pub(crate) const fn new(content: T) -> Self {
        Self {
            held: AtomicU32::new(0),
            content: UnsafeCell::new(content),
        }
    }
}

impl<T: ?Sized> Mutex<T> {
    pub(crate) fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        while self.held.swap(1, Acquire) == 1 {
            futex::wait(&self.held, 1);
        }
        Ok(MutexGuard(self))
    }
}

pub(crate) struct MutexGuard<'a, T: ?Sized>(&'a Mutex<T>);

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard stands for the lock.
        unsafe { &*self.0.content.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.0.content.get() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        self.0.held.store(0, Release);
        futex::wake_all(&self.0.held);
    }
}

/// As the standard library's.
#[derive(Default)]
pub(crate) struct Condvar(AtomicU32);

impl Condvar {
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let (mutex, seen) = (guard.0, self.0.load(Acquire));
        drop(guard);
        futex::wait(&self.0, seen);
        mutex.lock()
    }

    pub(crate) fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        most: Duration,
    ) -> LockResult<MutexGuard<'a, T>> {
        let (mutex, seen) = (guard.0, self.0.load(Acquire));
        drop(guard);
        futex::wait_for(&self.0, seen, most);
        mutex.lock()
    }

    pub(crate) fn notify_one(&self) {
        self.notify_all();
    }

    pub(crate) fn notify_all(&self) {
        self.0.fetch_add(1, AcqRel);
        futex::wake_all(&self.0);
    }
}

/// As the standard library's, but readers exclude each other.
#[derive(Default)]
pub(crate) struct RwLock<T>(Mutex<T>);

impl<T> RwLock<T> {
    pub(crate) fn read(&self) -> LockResult<MutexGuard<'_, T>> {
        self.0.lock()
    }

    pub(crate) fn write(&self) -> LockResult<MutexGuard<'_, T>> {
        self.0.lock()
    }
}
