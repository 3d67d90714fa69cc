//! Where actors report final values to the driver. Reports are not messages and no actor waits for them.
//!
//! A collector is empty after its value was taken, and so ready for the next iteration.

use std::any::Any;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A value that exactly one actor reports.
#[derive(Debug)]
pub struct Once<T>(Mutex<Option<T>>);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Once<T> {
    /// Reports the value.
    ///
    /// # Panics
    /// If there is one already.
    pub fn report(&self, value: T) {
        let before = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .replace(value);
        assert!(before.is_none(), "a value was reported twice");
    }

    /// Takes the value out.
    ///
    /// # Errors
    /// If `field` was never reported.
    pub fn take(&self, field: &str) -> Result<T, String> {
        let value = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(|| format!("{field} was not reported"))
    }
}

/// A sum of integers that many actors report.
#[derive(Debug, Default)]
pub struct Sum(AtomicI64);

impl Sum {
    /// Adds one report, modulo 2^64.
    pub fn add(&self, value: i64) {
        // Relaxed: the latch orders every report before the driver's reading.
        self.0.fetch_add(value, Ordering::Relaxed);
    }

    /// Takes the sum out.
    pub fn take(&self) -> i64 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

/// A sum of floats that many actors report, in any order.
#[derive(Debug, Default)]
pub struct FloatSum(Mutex<f64>);

impl FloatSum {
    /// Adds one report.
    pub fn add(&self, value: f64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += value;
    }

    /// Takes the sum out.
    pub fn take(&self) -> f64 {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A counter of every actor of a kind, by the actor's number.
#[derive(Debug, Default)]
pub struct Indexed(Mutex<Vec<(i64, i64)>>);

impl Indexed {
    /// Reports the counter of one actor.
    pub fn report(&self, actor: i64, counter: i64) {
        let mut counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counters.push((actor, counter));
    }

    /// Takes the counters of the actors 0 to `actors` - 1 out.
    ///
    /// # Errors
    /// If they are not exactly those that were reported as `field`, each once.
    pub fn take(&self, field: &str, actors: i64) -> Result<Vec<i64>, String> {
        let mut counters = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        counters.sort_unstable();
        if counters.iter().map(|(actor, _)| *actor).eq(0..actors) {
            Ok(counters.into_iter().map(|(_, counter)| counter).collect())
        } else {
            let reports = counters.len();
            Err(format!(
                "{field}: the {reports} reports are not one of each of {actors} actors"
            ))
        }
    }
}

/// An address that an actor of the run phase hands to the driver, which needs it in the check phase. Reports do not know
/// the library, hence the detour.
#[derive(Debug, Default)]
pub struct Handover(Once<Box<dyn Any + Send>>);

impl Handover {
    /// Reports the address.
    ///
    /// # Panics
    /// If there is one already.
    pub fn report(&self, address: impl Any + Send) {
        self.0.report(Box::new(address));
    }

    /// Takes the address out.
    ///
    /// # Panics
    /// If `what` was never reported, or as another type: a mistake in the benchmark's source.
    pub fn take<T: Any>(&self, what: &str) -> T {
        let address = self.0.take(what).map(|address| address.downcast());
        match address {
            Ok(Ok(address)) => *address,
            Ok(Err(_)) => panic!("{what} was reported as something else"),
            Err(missing) => panic!("{missing}"),
        }
    }
}

/// Addresses of many actors, as in [`Handover`].
#[derive(Debug, Default)]
pub struct Handovers(Mutex<Vec<Box<dyn Any + Send>>>);

impl Handovers {
    /// Reports some addresses.
    pub fn report<T: Any + Send>(&self, addresses: Vec<T>) {
        let mut reports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reports.push(Box::new(addresses));
    }

    /// Takes all addresses out.
    ///
    /// # Panics
    /// If something else was reported than `what`: a mistake in the benchmark's source.
    pub fn take<T: Any>(&self, what: &str) -> Vec<T> {
        let reports = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let addresses = reports
            .into_iter()
            .flat_map(|report| match report.downcast::<Vec<T>>() {
                Ok(addresses) => *addresses,
                Err(_) => panic!("{what} was reported as something else"),
            });
        addresses.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_holds_exactly_one_report() {
        let once = Once::default();
        assert_eq!(once.take("result"), Err("result was not reported".to_owned()));
        once.report(7);
        assert!(std::panic::catch_unwind(|| once.report(8)).is_err());
        once.take("result").expect("a value");
        once.report(9);
        assert_eq!(once.take("result"), Ok(9));
    }

    #[test]
    fn sums_are_empty_after_taking() {
        let sum = Sum::default();
        sum.add(3);
        sum.add(-1);
        assert_eq!((sum.take(), sum.take()), (2, 0));
        let sum = FloatSum::default();
        sum.add(0.5);
        sum.add(0.25);
        assert_eq!((sum.take(), sum.take()), (0.75, 0.0));
    }

    #[test]
    fn indexed_counters_come_in_order_and_complete() {
        let counters = Indexed::default();
        for (actor, counter) in [(2, 7), (0, 5), (1, 6)] {
            counters.report(actor, counter);
        }
        assert_eq!(counters.take("meals", 3), Ok(vec![5, 6, 7]));
        assert_eq!(counters.take("meals", 0), Ok(vec![]));
        for actors in [[0, 0], [0, 2]] {
            actors.iter().for_each(|actor| counters.report(*actor, 1));
            let refused = counters.take("meals", 2);
            assert_eq!(
                refused,
                Err("meals: the 2 reports are not one of each of 2 actors".to_owned())
            );
        }
    }

    #[test]
    fn handovers_come_together() {
        let handovers = Handovers::default();
        handovers.report(vec![1_u8, 2]);
        handovers.report(vec![3_u8]);
        assert_eq!(handovers.take::<u8>("numbers"), [1, 2, 3]);
        assert!(handovers.take::<u8>("numbers").is_empty());
        handovers.report(vec![1_u8]);
        assert!(std::panic::catch_unwind(|| handovers.take::<u16>("numbers")).is_err());
    }

    #[test]
    fn a_handover_keeps_the_type() {
        let handover = Handover::default();
        handover.report(7_u8);
        assert_eq!(handover.take::<u8>("seven"), 7);
        handover.report(7_u8);
        assert!(std::panic::catch_unwind(|| handover.take::<u16>("seven")).is_err());
    }
}
