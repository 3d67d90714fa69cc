//! Where actors report final values to the driver. Reports are not messages and no actor waits for them.
//!
//! A collector is empty after its value was taken, and so ready for the next iteration.

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
}
