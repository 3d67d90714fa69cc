//! The completion latch of the driver.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::benchmark::Population;

/// Counts actors that have not stopped yet; the driver wakes when there is none left, or when one has failed.
///
/// The number of actors is known beforehand, or told by one of them, so that an actor costs one decrement and creation costs
/// nothing.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Latch {
    remaining: AtomicI64,
    woken: Condvar,
    gate: Mutex<Gate>,
}

// The accumulator that follows the latch in a stage shares its cache line: an actor that adds and counts down pays for
// one line and not for two.
const _: () = assert!(size_of::<Latch>() <= 56);

#[derive(Debug, Default)]
struct Gate {
    open: bool,
    failure: Option<Box<str>>,
}

/// The driver's patience ended before all actors stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedOut {
    /// Actors that had not stopped, if their number is known.
    pub remaining: Option<i64>,
}

/// What an untold number of actors is taken for until it is told: more than any machine can hold.
const UNTOLD: i64 = 1 << 62;

impl Latch {
    /// Makes the latch wait for `actors` stops. Nothing may be counting it down. A failure that it knows stays.
    pub fn arm(&self, actors: Population) {
        let actors = match actors {
            Population::Known(actors) => actors,
            Population::Told => UNTOLD,
        };
        let mut gate = self.lock();
        gate.open = actors == 0 || gate.failure.is_some();
        // Relaxed: the actors get the latch through a later hand-over by their library, which orders it.
        self.remaining.store(actors, Ordering::Relaxed);
    }

    /// Tells the number of stops, once, to a latch that was armed without it. Some of them may have happened already.
    pub fn tell(&self, actors: i64) {
        // The same orders as in `count_down`, of which this may be the last one.
        let assumed = UNTOLD - actors;
        match self.remaining.fetch_sub(assumed, Ordering::AcqRel) - assumed {
            0 => self.open(None),
            1.. => {}
            ..0 => self.open(Some(
                "more actors stopped than were told, or they were told twice".into(),
            )),
        }
    }

    /// Counts one stopped actor.
    pub fn count_down(&self) {
        // Release: what the actor reported happens before the driver's waking. Acquire: the last one passes on what all
        // others reported (they form one release sequence).
        match self.remaining.fetch_sub(1, Ordering::AcqRel) {
            1 => self.open(None),
            ..=0 => self.open(Some("more actors stopped than the benchmark has".into())),
            _ => {}
        }
    }

    /// Wakes the driver with a failure. The first one counts.
    pub fn fail(&self, reason: String) {
        self.open(Some(reason.into()));
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
                    // Far fewer than half of what stands for an untold number can have stopped.
                    let remaining = self.remaining.load(Ordering::Relaxed);
                    return Err(TimedOut {
                        remaining: (remaining < UNTOLD / 2).then_some(remaining),
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
    fn open(&self, failure: Option<Box<str>>) {
        let mut gate = self.lock();
        gate.open = true;
        gate.failure = gate.failure.take().or(failure);
        self.woken.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Gate> {
        // A panic cannot leave the gate half written.
        self.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
