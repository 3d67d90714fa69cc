//! Where a worker's thread is on the machine, for others that wake it.
//!
//! A thread that is woken goes where the system wants, which is often where it was or where its waker is, although other processing units idle:
//! a system may pack threads together as long as little is to be done, and may need milliseconds to notice that two want the same unit. For a worker that gets up to do
//! part of another one's work that is no help: what it was given waits, what it does goes at the other one's cost, and both wait for each other.
//! So whoever wakes it for that keeps it off the units of those at work. When it gets up it may run everywhere again: nothing is bound.

use crate::atomic::Ordering::Relaxed;
use crate::atomic::{AtomicBool, AtomicU32};

use super::mask::Mask;
use crate::pool::lock;
use crate::sync::Mutex;

/// What is shared about where one thread is. All but [`Spot::unit`] belongs to the thread while it is up, and while it sleeps to who holds the lock under which it
/// cannot get up (`LOCKED`, see the worker's README).
pub(crate) struct Spot {
    /// The system's number of the thread; 0 if it is to be kept off nothing.
    thread: AtomicU32,
    /// The unit where it last said that it was. A hint: the system moves threads as it likes.
    unit: AtomicU32,
    /// It is kept off some units.
    is_kept_off: AtomicBool,
    /// Where it may run otherwise.
    home: Mutex<Mask>,
}

impl Spot {
    const NOWHERE: u32 = u32::MAX;

    pub(crate) const fn new() -> Self {
        Self {
            thread: AtomicU32::new(0),
            unit: AtomicU32::new(Self::NOWHERE),
            is_kept_off: AtomicBool::new(false),
            home: Mutex::new(Mask::empty()),
        }
    }

    /// The calling thread is the one of which this tells, until it [leaves](Spot::leave). Others may keep it off something if it `wanders`: if nobody has
    /// decided where it is to be.
    pub(crate) fn settle(&self, wanders: bool) {
        self.thread
            .store(if wanders { this_thread() } else { 0 }, Relaxed);
        self.note();
    }

    /// The thread is about to end; its number may become another one's.
    pub(crate) fn leave(&self) {
        self.thread.store(0, Relaxed);
        self.unit.store(Self::NOWHERE, Relaxed);
    }

    /// Notes where the calling thread is.
    pub(crate) fn note(&self) {
        self.unit.store(this_unit(), Relaxed);
    }

    /// Whether the two seem to be on one unit, so that one of them has to wait while the other runs.
    pub(crate) fn is_shared_with(&self, other: &Self) -> bool {
        let unit = self.unit.load(Relaxed);
        unit != Self::NOWHERE && unit == other.unit.load(Relaxed)
    }

    /// Keeps the thread, which sleeps, off the units where these are, the first one's above all; leaves it alone if no unit would be left, or if the
    /// system does not allow it.
    ///
    /// Only under the lock: nobody else does this, nor does the thread get up, until the lock's next holder has seen (Acquire) what is stored here.
    pub(crate) fn keep_off<'a>(&self, first: &Self, others: impl Iterator<Item = &'a Self>) {
        let thread = self.thread.load(Relaxed).cast_signed();
        if thread == 0 {
            return;
        }
        let mut home = lock(&self.home);
        if !self.is_kept_off.load(Relaxed) {
            // As it is now: somebody may have changed it from outside.
            let Ok(mask) = Mask::of(thread) else { return };
            *home = mask;
        }
        let mut left = home.clone();
        left.remove(first.unit.load(Relaxed));
        let mut best = left.clone();
        others.for_each(|other| best.remove(other.unit.load(Relaxed)));
        if best.is_empty() {
            best = left;
        }
        if !best.is_empty() && best.give_to(thread).is_ok() {
            self.is_kept_off.store(true, Relaxed);
        }
    }

    /// Lets the calling thread run everywhere again, if it was kept off something, and notes where it is.
    pub(crate) fn go_free(&self) {
        if self.is_kept_off.load(Relaxed) {
            self.is_kept_off.store(false, Relaxed);
            // If the system does not want that any more, it has its own reasons by now.
            let _ = lock(&self.home).give_to(0);
        }
        self.note();
    }
}

#[cfg(all(target_os = "linux", not(any(miri, shuttle))))]
fn this_thread() -> u32 {
    // SAFETY: the call has no preconditions.
    unsafe { libc::gettid() }.cast_unsigned()
}

#[cfg(all(target_os = "linux", not(any(miri, shuttle))))]
fn this_unit() -> u32 {
    // SAFETY: the call has no preconditions. It fails with -1, which is nowhere.
    unsafe { libc::sched_getcpu() }.cast_unsigned()
}

#[cfg(not(all(target_os = "linux", not(any(miri, shuttle)))))]
fn this_thread() -> u32 {
    0
}

#[cfg(not(all(target_os = "linux", not(any(miri, shuttle)))))]
fn this_unit() -> u32 {
    Spot::NOWHERE
}

#[cfg(all(test, target_os = "linux", not(any(miri, shuttle))))]
mod tests {
    use std::sync::mpsc;
    use std::sync::{Arc, Barrier};
    use std::{iter, thread};

    use super::*;

    /// One that says it is at this unit.
    fn at(unit: u32) -> Spot {
        let spot = Spot::new();
        spot.unit.store(unit, Relaxed);
        spot
    }

    /// The units on which this process may run.
    fn units() -> Vec<u32> {
        let mask = Mask::of(0).unwrap();
        let has = |unit: &u32| {
            let mut one = Mask::empty();
            one.insert(*unit).unwrap();
            let mut without = mask.clone();
            without.remove(*unit);
            without != mask
        };
        (0..8_192).filter(has).collect()
    }

    /// Calls `f` with the spot of a thread that sleeps, and returns where that may run when it has gone free.
    fn beside_a_sleeper(f: impl FnOnce(&Spot, i32)) -> Mask {
        let (spot, up) = (Arc::new(Spot::new()), Arc::new(Barrier::new(2)));
        let (tell, hear) = mpsc::channel();
        let sleeper = {
            let (spot, up) = (spot.clone(), up.clone());
            thread::spawn(move || {
                spot.settle(true);
                tell.send(()).unwrap();
                up.wait();
                spot.go_free();
                Mask::of(0).unwrap()
            })
        };
        hear.recv().unwrap();
        f(&spot, spot.thread.load(Relaxed).cast_signed());
        up.wait();
        sleeper.join().unwrap()
    }

    #[test]
    fn a_sleeper_is_kept_off_and_goes_free() {
        let all = Mask::of(0).unwrap();
        let Some((&unit, _)) = units().split_first().filter(|(_, others)| !others.is_empty()) else {
            eprintln!("there is one unit only, off which nobody can be kept");
            return;
        };
        let free = beside_a_sleeper(|sleeper, thread| {
            sleeper.keep_off(&at(unit), iter::empty());
            let mut left = all.clone();
            left.remove(unit);
            assert_eq!(Mask::of(thread).unwrap(), left);
            // Once more before it has got up: what it is kept off now is not its home.
            sleeper.keep_off(&at(unit), iter::empty());
        });
        assert_eq!(free, all);
    }

    #[test]
    fn somewhere_it_may_run_always() {
        let all = Mask::of(0).unwrap();
        let every: Vec<Spot> = units().into_iter().map(at).collect();
        let free = beside_a_sleeper(|sleeper, thread| {
            let (first, others) = every.split_first().unwrap();
            sleeper.keep_off(first, others.iter());
            let mut left = all.clone();
            left.remove(first.unit.load(Relaxed));
            // All are in use: off the first one's at least. With one unit there is nothing to be done.
            let expected = if left.is_empty() { &all } else { &left };
            assert_eq!(Mask::of(thread).unwrap(), *expected);
        });
        assert_eq!(free, all);
    }

    #[test]
    fn what_was_decided_elsewhere_stays() {
        let unit = units()[0];
        let mut only = Mask::empty();
        only.insert(unit).unwrap();
        let free = beside_a_sleeper(|sleeper, thread| {
            only.give_to(thread).unwrap();
            sleeper.keep_off(&at(unit), iter::empty());
            assert_eq!(Mask::of(thread).unwrap(), only);
        });
        assert_eq!(free, only);
    }

    #[test]
    fn who_does_not_wander_is_left_alone() {
        let spot = Spot::new();
        spot.settle(false);
        spot.keep_off(&at(units()[0]), iter::empty());
        assert!(!spot.is_kept_off.load(Relaxed));
        spot.go_free();
    }

    #[test]
    fn two_on_one_unit_share_it() {
        assert!(at(3).is_shared_with(&at(3)));
        assert!(!at(3).is_shared_with(&at(4)));
        assert!(!Spot::new().is_shared_with(&Spot::new()), "nowhere is no unit");
    }
}
