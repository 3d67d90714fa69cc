//! The completion latch of the driver.
//!
//! One word that every actor decrements would be the simplest latch, and it was the first one here. But the word's cache line
//! then moves between processors for each actor that stops: 70 ns between the two processors of a small server, where a
//! fast runtime's actor lives for 15. Programs of short-lived actors (`fib`) told more about the latch than about the
//! runtimes. So the count is divided, in the way of a bank that issues cash: an actor that has not stopped is worth a
//! credit, and
//!
//! * credits that no thread holds are in the *pool*, under a lock;
//! * a thread has a *stripe*, on a line of its own. It pays for a stop from there as long as a credit is left afterwards, which
//!   shows that this stop is not the last one;
//! * a thread that would pay its last credit takes the lock and a share of the pool; if the pool cannot pay either, it calls
//!   in what all stripes hold. Credits move under the lock only, so what it finds then is the exact number of actors
//!   that have not stopped: at none the latch opens.
//!
//! A share is a part of the pool, so that N stops on one thread take the lock some 8 ln N times.
//!
//! Built with `--cfg loom` this is what the model checker runs through every interleaving (`tests/latch.rs`), with fewer
//! stripes and smaller shares.

use std::cell::Cell;
use std::sync::PoisonError;
#[cfg(not(loom))]
use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicI64, AtomicUsize, Ordering},
};
use std::time::{Duration, Instant};

#[cfg(loom)]
use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicI64, AtomicUsize, Ordering},
};

use crate::benchmark::Population;

/// Threads that pay without being in each other's way; more of them share stripes.
const STRIPES: usize = if cfg!(loom) { 2 } else { 64 };

/// A thread takes this part of the pool. More would soon be called in from threads that do not use it, less is used up soon.
const PART: i64 = 8;

/// A thread takes at least so many credits, if there are so many.
const LEAST: i64 = if cfg!(loom) { 2 } else { 16 };

/// What an untold number of actors is taken for until it is told: more than any machine can hold.
const UNTOLD: i64 = 1 << 62;

/// Counts actors that have not stopped yet; the driver wakes when there is none left, or when one has failed.
///
/// The number of actors is known beforehand, or told by one of them, so that an actor costs one decrement and creation costs
/// nothing.
#[derive(Debug)]
pub struct Latch {
    stripes: [Stripe; STRIPES],
    woken: Condvar,
    gate: Mutex<Gate>,
}

/// The credits of the threads that share a stripe. Two lines: processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Stripe(AtomicI64);

#[derive(Debug, Default)]
struct Gate {
    pool: i64,
    open: bool,
    failure: Option<Box<str>>,
}

/// The threads that have a stripe so far.
#[cfg(not(loom))]
static THREADS: AtomicUsize = AtomicUsize::new(0);

#[cfg(not(loom))]
thread_local! {
    /// The number of this thread, once it has one.
    static THREAD: Cell<Option<usize>> = const { Cell::new(None) };
}

#[cfg(loom)]
loom::lazy_static! {
    static ref THREADS: AtomicUsize = AtomicUsize::new(0);
}

#[cfg(loom)]
loom::thread_local! {
    static THREAD: Cell<Option<usize>> = Cell::new(None);
}

/// The driver's patience ended before all actors stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut {
    /// Actors that had not stopped, if their number is known.
    pub remaining: Option<i64>,
}

impl Default for Latch {
    fn default() -> Self {
        Self {
            stripes: std::array::from_fn(|_| Stripe::default()),
            woken: Condvar::new(),
            gate: Mutex::default(),
        }
    }
}

impl Latch {
    /// Makes the latch wait for `actors` stops. Nothing may be counting it down. A failure that it knows stays.
    pub fn arm(&self, actors: Population) {
        let mut gate = self.lock();
        self.call_in(&mut gate);
        // The actors get the latch through a later hand-over by their library, which orders this before their stops.
        gate.pool = match actors {
            Population::Known(actors) => actors,
            Population::Told => UNTOLD,
        };
        gate.open = gate.pool == 0 || gate.failure.is_some();
    }

    /// Tells the number of stops, once, to a latch that was armed without it. Some of them may have happened already.
    pub fn tell(&self, actors: i64) {
        let mut gate = self.lock();
        self.call_in(&mut gate);
        gate.pool -= UNTOLD - actors;
        match gate.pool {
            0 => self.open(&mut gate, None),
            1.. => {}
            ..0 => self.open(
                &mut gate,
                Some("more actors stopped than were told, or they were told twice".into()),
            ),
        }
    }

    /// Counts one stopped actor.
    #[inline]
    pub fn count_down(&self) {
        let stripe = &self.stripes[this_thread() % STRIPES].0;
        let mut credits = stripe.load(Ordering::Relaxed);
        while credits > 1 {
            // Release: what the actor reported happens before the driver's waking. Whoever takes the last credit out of this
            // stripe acquires it (all that changes a stripe is one release sequence) and passes it on with the lock.
            match stripe.compare_exchange_weak(credits, credits - 1, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => credits = now,
            }
        }
        self.count_down_from_pool(stripe);
    }

    /// Counts one stopped actor of a thread that has at most one credit in its stripe, and gives it a share of the pool.
    #[cold]
    fn count_down_from_pool(&self, stripe: &AtomicI64) {
        let mut gate = self.lock();
        // More than one credit if a thread that shares the stripe was here first.
        gate.pool += stripe.swap(0, Ordering::Acquire);
        if gate.pool <= 1 {
            self.call_in(&mut gate);
        }
        gate.pool -= 1;
        match gate.pool {
            0 => self.open(&mut gate, None),
            1.. => {
                let share = (gate.pool / PART).max(LEAST).min(gate.pool);
                gate.pool -= share;
                // The stripe's stops order themselves; the credits order nothing.
                stripe.fetch_add(share, Ordering::Relaxed);
            }
            ..0 => self.open(
                &mut gate,
                Some("more actors stopped than the benchmark has".into()),
            ),
        }
    }

    /// Takes back what all stripes hold.
    fn call_in(&self, gate: &mut Gate) {
        for Stripe(stripe) in &self.stripes {
            // A stripe that is empty stays so: only who holds the lock adds to it.
            if stripe.load(Ordering::Relaxed) > 0 {
                gate.pool += stripe.swap(0, Ordering::Acquire);
            }
        }
    }

    /// Wakes the driver with a failure. The first one counts.
    pub fn fail(&self, reason: String) {
        self.open(&mut self.lock(), Some(reason.into()));
    }

    /// Blocks until all actors have stopped or one has failed, at most for `patience`.
    ///
    /// # Errors
    /// The inner result is the first failure; the outer one says that patience ran out.
    pub fn wait(&self, patience: Option<Duration>) -> Result<Result<(), String>, TimedOut> {
        let deadline = patience.map(|patience| Instant::now() + patience);
        let mut gate = self.lock();
        while !gate.open {
            gate = match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                None => self.woken.wait(gate).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => {
                    // Called in, since a count beside stops that go on would be wrong; who stops next takes a share again.
                    self.call_in(&mut gate);
                    // Far fewer than half of what stands for an untold number can have stopped.
                    return Err(TimedOut {
                        remaining: (gate.pool < UNTOLD / 2).then_some(gate.pool),
                    });
                }
                Some(left) => {
                    self.woken
                        .wait_timeout(gate, left)
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
            };
        }
        Ok(gate.failure.take().map_or(Ok(()), |failure| Err(failure.into())))
    }

    /// The first failure so far.
    pub fn failure(&self) -> Option<String> {
        self.lock().failure.clone().map(String::from)
    }

    #[cold]
    fn open(&self, gate: &mut Gate, failure: Option<Box<str>>) {
        gate.open = true;
        gate.failure = gate.failure.take().or(failure);
        self.woken.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Gate> {
        // A panic cannot leave the gate half written.
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number that this thread keeps; threads are numbered from 0.
#[inline(always)]
fn this_thread() -> usize {
    THREAD.with(Cell::get).unwrap_or_else(first_number)
}

#[cold]
fn first_number() -> usize {
    let number = THREADS.fetch_add(1, Ordering::Relaxed);
    THREAD.with(|thread| thread.set(Some(number)));
    number
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// After this time a latch that should be open is taken for one that never opens.
    const PATIENCE: Option<Duration> = Some(Duration::from_secs(60));

    #[test]
    fn opens_at_the_last_stop() {
        let latch = Latch::default();
        latch.arm(Population::Known(2));
        latch.count_down();
        assert_eq!(
            latch.wait(Some(Duration::ZERO)),
            Err(TimedOut { remaining: Some(1) })
        );
        std::thread::scope(|scope| {
            scope.spawn(|| latch.count_down());
            assert_eq!(latch.wait(None), Ok(Ok(())));
        });
    }

    #[test]
    fn opens_at_once_when_there_is_no_actor() {
        let latch = Latch::default();
        latch.arm(Population::Known(0));
        assert_eq!(latch.wait(None), Ok(Ok(())));
    }

    #[test]
    fn an_untold_number_may_be_told_before_during_and_after_the_stops() {
        for told_after in 0..=2 {
            let latch = Latch::default();
            latch.arm(Population::Told);
            for stopped in 0..=2 {
                let late = |remaining| Err(TimedOut { remaining });
                if stopped <= told_after {
                    assert_eq!(latch.wait(Some(Duration::ZERO)), late(None));
                } else if stopped < 2 {
                    assert_eq!(latch.wait(Some(Duration::ZERO)), late(Some(2 - stopped)));
                }
                if stopped == told_after {
                    latch.tell(2);
                }
                if stopped < 2 {
                    latch.count_down();
                }
            }
            assert_eq!(latch.wait(None), Ok(Ok(())));
        }
    }

    #[test]
    fn a_number_that_is_told_twice_is_a_failure() {
        let latch = Latch::default();
        latch.arm(Population::Told);
        latch.tell(2);
        latch.tell(2);
        assert!(matches!(latch.wait(None), Ok(Err(_))));
    }

    #[test]
    fn a_failure_outlasts_arming() {
        let latch = Latch::default();
        latch.arm(Population::Known(0));
        latch.fail("between two phases".to_owned());
        latch.arm(Population::Known(1));
        assert_eq!(latch.wait(None), Ok(Err("between two phases".to_owned())));
    }

    #[test]
    fn tells_the_first_failure() {
        let latch = Latch::default();
        latch.arm(Population::Known(3));
        latch.fail("first".to_owned());
        latch.fail("second".to_owned());
        assert_eq!(latch.failure(), Some("first".to_owned()));
        assert_eq!(latch.wait(None), Ok(Err("first".to_owned())));
    }

    /// Stops on several threads, more on some than on others, whatever shares they hold at last.
    #[test]
    fn opens_exactly_at_the_last_stop_of_many_threads() {
        let cases = [
            vec![1, 1, 1],
            vec![100, 0, 1],
            vec![5_000, 5_000],
            vec![20_000, 10, 3_000],
            vec![1; 2 * STRIPES],
            (0..100).collect(),
        ];
        for (round, shares) in cases.iter().cycle().take(10 * cases.len()).enumerate() {
            let latch = Latch::default();
            let actors = shares.iter().sum::<i64>();
            let told = (round / cases.len()) % 2 == 1;
            latch.arm(if told {
                Population::Told
            } else {
                Population::Known(actors)
            });
            let written: Vec<AtomicI64> = shares.iter().map(|_| AtomicI64::new(0)).collect();
            std::thread::scope(|scope| {
                for (&share, written) in shares.iter().zip(&written) {
                    let latch = &latch;
                    scope.spawn(move || {
                        for stop in 1..=share {
                            written.store(stop, Ordering::Relaxed);
                            latch.count_down();
                        }
                    });
                }
                if told {
                    latch.tell(actors);
                }
                assert_eq!(latch.wait(PATIENCE), Ok(Ok(())), "round {round}");
                // Here and not after the scope, which waits for the threads itself.
                let seen = written.iter().map(|written| written.load(Ordering::Relaxed));
                assert_eq!(&seen.collect::<Vec<_>>(), shares, "round {round}");
            });
        }
    }

    #[test]
    fn what_threads_hold_is_called_in_from_those_that_rest() {
        let latch = Latch::default();
        latch.arm(Population::Known(1_000));
        // Each takes a share and rests.
        for _ in 0..4 {
            std::thread::scope(|scope| {
                scope.spawn(|| latch.count_down());
            });
        }
        for stopped in 5..1_000 {
            latch.count_down();
            // Looked at past `wait`, which calls in itself when it gives up.
            assert!(!latch.lock().open, "open after {stopped} stops");
        }
        latch.count_down();
        assert_eq!(latch.wait(PATIENCE), Ok(Ok(())));
    }

    #[test]
    fn takes_the_lock_rarely() {
        let latch = Latch::default();
        latch.arm(Population::Known(1_000_000));
        let stripe = &latch.stripes[this_thread() % STRIPES].0;
        let mut settled = 0;
        for _ in 0..1_000_000 {
            settled += i32::from(stripe.load(Ordering::Relaxed) <= 1);
            latch.count_down();
        }
        assert_eq!(latch.wait(PATIENCE), Ok(Ok(())));
        assert!(settled < 150, "{settled} of a million stops took the lock");
    }

    #[test]
    fn does_not_accept_more_stops_than_actors() {
        let latch = Latch::default();
        latch.arm(Population::Known(1));
        latch.count_down();
        latch.count_down();
        assert_eq!(
            latch.wait(None),
            Ok(Err("more actors stopped than the benchmark has".to_owned()))
        );
    }
}
