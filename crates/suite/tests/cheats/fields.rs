//! A report for any cheat: fields by name, each the sum of what was added to it.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, MutexGuard};

use suite::benchmark::{Number, Outcome};

/// What a cheat reports.
#[derive(Default)]
pub struct Fields(Mutex<Contents>);

#[derive(Default)]
struct Contents {
    /// The result and the checks.
    numbers: BTreeMap<&'static str, Number>,
    metrics: BTreeMap<&'static str, i64>,
    counters: BTreeMap<&'static str, BTreeMap<i64, i64>>,
}

impl Fields {
    /// Adds to the result or to a check.
    pub fn add(&self, name: &'static str, value: i64) {
        match self.lock().numbers.entry(name).or_insert(Number::Integer(0)) {
            Number::Integer(sum) => *sum += value,
            Number::Float(_) => panic!("{name} is a float"),
        }
    }

    /// Adds to the result or to a check that is a float.
    pub fn add_float(&self, name: &'static str, value: f64) {
        match self.lock().numbers.entry(name).or_insert(Number::Float(0.0)) {
            Number::Float(sum) => *sum += value,
            Number::Integer(_) => panic!("{name} is an integer"),
        }
    }

    /// Adds to a metric.
    pub fn metric(&self, name: &'static str, value: i64) {
        *self.lock().metrics.entry(name).or_default() += value;
    }

    /// Adds to the counter of an actor.
    pub fn counter(&self, name: &'static str, actor: i64, value: i64) {
        *self
            .lock()
            .counters
            .entry(name)
            .or_default()
            .entry(actor)
            .or_default() += value;
    }

    /// Takes all out.
    pub fn outcome(&self) -> Result<Outcome, String> {
        let mut contents = mem::take(&mut *self.lock());
        let result = contents.numbers.remove("result").ok_or("there is no result")?;
        let mut outcome = Outcome::new(result);
        outcome.checks = contents.numbers.into_iter().collect();
        for (name, value) in contents.metrics {
            outcome = outcome.metric(name, value);
        }
        for (name, counters) in contents.counters {
            outcome = outcome.per_actor(name, counters.into_values().collect());
        }
        Ok(outcome)
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().expect("a cheat that panics is not looked at")
    }
}
