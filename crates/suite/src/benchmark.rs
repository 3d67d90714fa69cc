//! What every benchmark has: a name, parameters with ranges, a program and an outcome.
//!
//! An iteration has three phases (convention C5): *setup*, *run* and *check*, of which only the run is timed. Most benchmarks
//! consist of a run alone and implement [`Benchmark`]; those with more implement [`Phased`], which covers the others too.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::library::{ActorLibrary, Driver};
use crate::parameters::{Arguments, Parameter, Relation};

/// One benchmark with its parameters set, that has nothing but a run phase.
pub trait Benchmark: Sized + 'static {
    /// The name in the catalogue.
    const NAME: &'static str;
    /// The parameters in catalogue order.
    const PARAMETERS: &'static [Parameter];
    /// What holds between parameters, in catalogue order.
    const RELATIONS: &'static [Relation] = &[];
    /// Where the actors report. Emptied by [`Benchmark::outcome`] and used again for the next iteration.
    type Report: Default + Send + Sync + 'static;

    /// The benchmark with these parameters, which are complete and in range.
    fn new(arguments: &Arguments) -> Self;

    /// What of the parameters demands that woken actors be dealt out to the workers in turn, if so. Nothing is run on a library
    /// that does not ([`Host::deals_out`](crate::library::Host::deals_out)).
    fn dealing(&self) -> Option<&'static str> {
        None
    }

    /// The number of actors that the run phase creates. They all stop before it ends.
    fn actors(&self) -> Population;

    /// The driver's part of the run phase: creates actors and sends the first messages. Does not wait.
    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Self::Report);

    /// Takes the outcome out of the reports, after all actors have stopped.
    ///
    /// # Errors
    /// If a report is missing.
    fn outcome(&self, report: &Self::Report) -> Result<Outcome, String>;
}

/// One benchmark with its parameters set, in phases.
///
/// In every phase the runner waits until as many actors have stopped as [`Phased::stops`] says; actors that outlive a phase
/// are counted by the phase in which they stop.
pub trait Phased: Sized + 'static {
    /// The name in the catalogue.
    const NAME: &'static str;
    /// The parameters in catalogue order.
    const PARAMETERS: &'static [Parameter];
    /// What holds between parameters, in catalogue order.
    const RELATIONS: &'static [Relation] = &[];
    /// The steps of the check phase; the runner waits after each.
    const CHECK_STEPS: usize = 0;
    /// Where the actors report. Emptied by [`Phased::outcome`] and used again for the next iteration.
    type Report: Default + Send + Sync + 'static;
    /// What setup hands on to the later phases: input data and addresses of actors that are already there.
    type Prepared<L: ActorLibrary>;

    /// The benchmark with these parameters, which are complete and in range.
    fn new(arguments: &Arguments) -> Self;

    /// What of the parameters demands that woken actors be dealt out to the workers in turn, if so. Nothing is run on a library
    /// that does not ([`Host::deals_out`](crate::library::Host::deals_out)).
    fn dealing(&self) -> Option<&'static str> {
        None
    }

    /// The number of actors that stop in a phase.
    fn stops(&self, phase: Phase) -> Population;

    /// Makes what is to exist before the clock starts.
    fn setup<L: ActorLibrary>(
        &self,
        driver: &mut impl Driver<L>,
        report: &'static Self::Report,
    ) -> Self::Prepared<L>;

    /// The driver's part of the run phase. Does not wait.
    fn run<L: ActorLibrary>(
        &self,
        prepared: &mut Self::Prepared<L>,
        driver: &mut impl Driver<L>,
        report: &'static Self::Report,
    );

    /// The driver's part of a step of the check phase, counted from 0.
    fn check<L: ActorLibrary>(
        &self,
        step: usize,
        prepared: &mut Self::Prepared<L>,
        driver: &mut impl Driver<L>,
        report: &'static Self::Report,
    ) {
        let _ = (step, prepared, driver, report);
    }

    /// Takes the outcome out of the reports, after the last phase.
    ///
    /// # Errors
    /// If a report is missing.
    fn outcome(&self, report: &Self::Report) -> Result<Outcome, String>;
}

/// A phase of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before the clock starts.
    Setup,
    /// Between start and stop of the clock.
    Run,
    /// After the clock has stopped; the step, counted from 0.
    Check(usize),
}

/// How many actors stop in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Population {
    /// This many.
    Known(i64),
    /// It depends on the data: exactly one actor tells the number by [`Context::population`].
    ///
    /// [`Context::population`]: crate::library::Context::population
    Told,
}

impl From<i64> for Population {
    fn from(actors: i64) -> Self {
        Self::Known(actors)
    }
}

impl<B: Benchmark> Phased for B {
    const NAME: &'static str = B::NAME;
    const PARAMETERS: &'static [Parameter] = B::PARAMETERS;
    const RELATIONS: &'static [Relation] = B::RELATIONS;
    type Report = B::Report;
    type Prepared<L: ActorLibrary> = ();

    fn new(arguments: &Arguments) -> Self {
        B::new(arguments)
    }

    fn dealing(&self) -> Option<&'static str> {
        B::dealing(self)
    }

    fn stops(&self, phase: Phase) -> Population {
        match phase {
            Phase::Run => self.actors(),
            Phase::Setup | Phase::Check(_) => Population::Known(0),
        }
    }

    fn setup<L: ActorLibrary>(&self, _: &mut impl Driver<L>, _: &'static B::Report) {}

    fn run<L: ActorLibrary>(&self, (): &mut (), driver: &mut impl Driver<L>, report: &'static Self::Report) {
        Benchmark::run(self, driver, report);
    }

    fn outcome(&self, report: &Self::Report) -> Result<Outcome, String> {
        Benchmark::outcome(self, report)
    }
}

/// A number of an outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Compared exactly.
    Integer(i64),
    /// Compared with a relative tolerance; written with 17 significant digits.
    Float(f64),
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Integer(value) => serializer.serialize_i64(value),
            Self::Float(value) => {
                // JSON has no infinities; their text is no JSON either, and the peer then fails instead of lying.
                let text =
                    RawValue::from_string(format!("{value:.16e}")).map_err(serde::ser::Error::custom)?;
                text.serialize(serializer)
            }
        }
    }
}

/// What an iteration yields besides its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The entry's result.
    pub result: Number,
    /// Further fields that must match the expectation.
    pub checks: Vec<(&'static str, Number)>,
    /// Fields that are reported and never compared.
    pub metrics: Vec<(&'static str, Number)>,
    /// Counters indexed by actor id.
    pub per_actor: Vec<(&'static str, Vec<i64>)>,
}

impl Outcome {
    /// An outcome that has only a result.
    pub fn new(result: impl Into<Number>) -> Self {
        Self {
            result: result.into(),
            checks: Vec::new(),
            metrics: Vec::new(),
            per_actor: Vec::new(),
        }
    }

    /// Adds a check field.
    #[must_use]
    pub fn check(mut self, name: &'static str, value: impl Into<Number>) -> Self {
        self.checks.push((name, value.into()));
        self
    }

    /// Adds a metric: a number that depends on scheduling and is never compared.
    #[must_use]
    pub fn metric(mut self, name: &'static str, value: impl Into<Number>) -> Self {
        self.metrics.push((name, value.into()));
        self
    }

    /// Adds per-actor counters.
    #[must_use]
    pub fn per_actor(mut self, name: &'static str, values: Vec<i64>) -> Self {
        self.per_actor.push((name, values));
        self
    }
}

/// What a benchmark did, counted as it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Actors created.
    pub actors: i64,
    /// Messages sent.
    pub messages: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_with_17_significant_digits() {
        let text = serde_json::to_string(&Number::from(0.1 + 0.2)).expect("a number");
        assert_eq!(text, "3.0000000000000004e-1");
        assert_eq!(serde_json::from_str::<f64>(&text).expect("a number"), 0.1 + 0.2);
        assert!(serde_json::to_string(&Number::from(f64::NAN)).is_err());
    }
}
