//! What every benchmark has: a name, parameters with ranges, a program and an outcome.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::library::{ActorLibrary, Driver};

/// One benchmark with its parameters set.
pub trait Benchmark: Sized + 'static {
    /// The name in the catalogue.
    const NAME: &'static str;
    /// The parameters in catalogue order.
    const PARAMETERS: &'static [Parameter];
    /// Where the actors report. Emptied by [`Benchmark::outcome`] and used again for the next iteration.
    type Report: Default + Send + Sync + 'static;

    /// The benchmark with these parameters, which are complete and in range.
    fn new(arguments: &Arguments) -> Self;

    /// The number of actors that the run phase creates. They all stop before it ends.
    fn actors(&self) -> i64;

    /// The driver's part of the run phase: creates actors and sends the first messages. Does not wait.
    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Self::Report);

    /// Takes the outcome out of the reports, after all actors have stopped.
    ///
    /// # Errors
    /// If a report is missing.
    fn outcome(&self, report: &Self::Report) -> Result<Outcome, String>;
}

/// A parameter of a benchmark: a 64-bit integer with a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name in the catalogue.
    pub name: &'static str,
    /// Smallest value allowed.
    pub min: i64,
    /// Largest value allowed, where there is one.
    pub max: Option<i64>,
}

impl Parameter {
    /// A parameter that has no upper limit.
    pub const fn at_least(name: &'static str, min: i64) -> Self {
        Self { name, min, max: None }
    }

    /// A parameter with both limits.
    pub const fn between(name: &'static str, min: i64, max: i64) -> Self {
        Self {
            name,
            min,
            max: Some(max),
        }
    }

    fn check_range(&self, benchmark: &str, value: i64) -> Result<(), String> {
        let Self { name, min, max } = *self;
        match max {
            Some(max) if value < min || value > max => Err(format!(
                "{benchmark}: {name} is {value}; it must be between {min} and {max}"
            )),
            None if value < min => Err(format!(
                "{benchmark}: {name} is {value}; it must be at least {min}"
            )),
            _ => Ok(()),
        }
    }
}

/// Values for all parameters of a benchmark, complete and in range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments(Vec<(&'static str, i64)>);

impl Arguments {
    /// Checks what came from outside.
    ///
    /// # Errors
    /// The text that the peer protocol prescribes. Tested in its order: missing, unknown, type, range; parameters in
    /// catalogue order, unknown ones sorted by name.
    pub fn check(
        benchmark: &str,
        parameters: &[Parameter],
        given: &Map<String, Value>,
    ) -> Result<Self, String> {
        if let Some(missing) = parameters
            .iter()
            .find(|parameter| !given.contains_key(parameter.name))
        {
            return Err(format!("{benchmark}: parameter {} is missing", missing.name));
        }
        let is_known = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
        if let Some(unknown) = given.keys().filter(|name| !is_known(name)).min() {
            return Err(format!("{benchmark}: unknown parameter {unknown}"));
        }
        let values = parameters
            .iter()
            .map(|parameter| integer(benchmark, parameter.name, &given[parameter.name]))
            .collect::<Result<Vec<_>, _>>()?;
        for (parameter, (_, value)) in parameters.iter().zip(&values) {
            parameter.check_range(benchmark, *value)?;
        }
        Ok(Self(values))
    }

    /// The value of a parameter.
    ///
    /// # Panics
    /// If the benchmark has no such parameter: a mistake in the benchmark's source.
    pub fn get(&self, name: &str) -> i64 {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.unwrap_or_else(|| panic!("no parameter is called {name}")).1
    }
}

fn integer(benchmark: &str, name: &'static str, value: &Value) -> Result<(&'static str, i64), String> {
    let integer = value
        .as_i64()
        .ok_or_else(|| format!("{benchmark}: {name} is {value}; it must be an integer"))?;
    Ok((name, integer))
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
    use serde_json::json;

    const PARAMETERS: [Parameter; 2] = [Parameter::at_least("size", 1), Parameter::between("index", 1, 45)];

    fn check(given: &Value) -> Result<Arguments, String> {
        Arguments::check("fib", &PARAMETERS, given.as_object().expect("an object"))
    }

    #[test]
    fn good_parameters_are_found_by_name() {
        let arguments = check(&json!({"index": 45, "size": 1})).expect("good parameters");
        assert_eq!((arguments.get("size"), arguments.get("index")), (1, 45));
    }

    #[test]
    fn bad_parameters_are_named_in_the_order_of_the_protocol() {
        let cases = [
            (json!({"zeta": 1}), "fib: parameter size is missing"),
            (json!({"size": 0, "zeta": 1}), "fib: parameter index is missing"),
            (
                json!({"size": 0, "index": "x", "zeta": 1, "alpha": 2}),
                "fib: unknown parameter alpha",
            ),
            (
                json!({"size": 0, "index": "x"}),
                "fib: index is \"x\"; it must be an integer",
            ),
            (
                json!({"size": 1.5, "index": null}),
                "fib: size is 1.5; it must be an integer",
            ),
            (
                json!({"size": 1, "index": [1]}),
                "fib: index is [1]; it must be an integer",
            ),
            (
                json!({"size": 1, "index": 9_223_372_036_854_775_808_u64}),
                "fib: index is 9223372036854775808; it must be an integer",
            ),
            (
                json!({"size": 0, "index": 46}),
                "fib: size is 0; it must be at least 1",
            ),
            (
                json!({"size": 1, "index": 46}),
                "fib: index is 46; it must be between 1 and 45",
            ),
            (
                json!({"size": 1, "index": -1}),
                "fib: index is -1; it must be between 1 and 45",
            ),
        ];
        for (given, text) in cases {
            assert_eq!(check(&given), Err(text.to_owned()), "{given}");
        }
    }

    #[test]
    fn floats_are_written_with_17_significant_digits() {
        let text = serde_json::to_string(&Number::from(0.1 + 0.2)).expect("a number");
        assert_eq!(text, "3.0000000000000004e-1");
        assert_eq!(serde_json::from_str::<f64>(&text).expect("a number"), 0.1 + 0.2);
        assert!(serde_json::to_string(&Number::from(f64::NAN)).is_err());
    }
}
