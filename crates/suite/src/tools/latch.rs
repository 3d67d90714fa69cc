//! The completion latch of the driver.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Counts actors that have not stopped yet; the driver wakes when there is none left, or when one has failed.
///
/// The number of actors is known beforehand, so that an actor costs one decrement and creation costs nothing.
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
    /// Actors that had not stopped.
    pub remaining: i64,
}

impl Latch {
    /// Makes the latch wait for `actors` stops. Nothing may be counting it down.
    pub fn arm(&self, actors: i64) {
        *self.lock() = Gate {
            open: actors == 0,
            failure: None,
        };
        // Relaxed: the actors get the latch through a later hand-over by their library, which orders it.
        self.remaining.store(actors, Ordering::Relaxed);
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
                    return Err(TimedOut {
                        remaining: self.remaining.load(Ordering::Relaxed),
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
        latch.arm(2);
        latch.count_down();
        assert_eq!(latch.wait(Some(Duration::ZERO)), Err(TimedOut { remaining: 1 }));
        std::thread::scope(|scope| {
            scope.spawn(|| latch.count_down());
            assert_eq!(latch.wait(None), Ok(Ok(())));
        });
    }

    #[test]
    fn opens_at_once_when_there_is_no_actor() {
        let latch = Latch::default();
        latch.arm(0);
        assert_eq!(latch.wait(None), Ok(Ok(())));
    }

    #[test]
    fn tells_the_first_failure() {
        let latch = Latch::default();
        latch.arm(3);
        latch.fail("first".to_owned());
        latch.fail("second".to_owned());
        assert_eq!(latch.failure(), Some("first".to_owned()));
        assert_eq!(latch.wait(None), Ok(Err("first".to_owned())));
    }

    #[test]
    fn does_not_accept_more_stops_than_actors() {
        let latch = Latch::default();
        latch.arm(1);
        latch.count_down();
        latch.count_down();
        assert_eq!(
            latch.wait(None),
            Ok(Err("more actors stopped than the benchmark has".to_owned()))
        );
    }
}
