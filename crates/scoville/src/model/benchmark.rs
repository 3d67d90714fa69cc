//! What a benchmark is: its parameters, presets and expected results, as the catalogue states them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Name of a benchmark, such as `pingpong`: lower-case letters and digits.
pub type BenchmarkName = String;

/// Name of a preset: `tiny`, `quick`, `savina` or `thesis`.
pub type PresetName = String;

/// One benchmark of the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Benchmark {
    /// Name used everywhere: file name, command line, protocol.
    pub name: BenchmarkName,
    /// Name for people.
    pub title: String,
    /// Position in the suite, from 1.
    pub number: u32,
    /// `micro`, `concurrency`, `parallelism` or `extended`.
    pub category: String,
    /// What the benchmark stresses, in one line.
    pub measures: String,
    /// Where it comes from.
    pub origin: String,
    /// What the actors do, in a few sentences.
    pub description: String,
    /// Number of actors as a formula of the parameters' symbols, for people.
    pub actors: String,
    /// Number of messages as a formula of the parameters' symbols, for people.
    pub messages: String,
    /// Parameters, in the order in which they are checked.
    #[serde(rename = "parameter")]
    pub parameters: Vec<Parameter>,
    /// Fields of the result that are compared; one of them is named `result`.
    #[serde(rename = "field")]
    pub fields: Vec<Field>,
    /// Named sizes.
    #[serde(rename = "preset")]
    pub presets: BTreeMap<PresetName, Preset>,
    /// Where published figures used this benchmark.
    #[serde(default)]
    pub published: Vec<Published>,
}

/// One parameter of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Name in presets and protocol.
    pub name: String,
    /// Letter used in formulas.
    pub symbol: String,
    /// What it means.
    pub meaning: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Smallest allowed value.
    pub min: i64,
    /// Largest allowed value, if there is a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
}

/// One field of the result that must match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// `result`, or the name of a check.
    pub name: String,
    /// Integers match exactly; floats within 1e-9 relative to the larger of 1 and the expectation.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// What the number means.
    pub meaning: String,
    /// How it follows from the parameters, for people.
    pub formula: String,
}

/// Type of a parameter or of a result field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Signed 64-bit integer.
    I64,
    /// IEEE-754 binary64.
    F64,
}

/// A number of the catalogue or of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(i) => write!(f, "{i}"),
            Value::Float(x) => write!(f, "{x}"),
        }
    }
}

/// A named size of a benchmark with what it must return.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// A value for every parameter.
    pub parameters: BTreeMap<String, Value>,
    /// The expected value of every field.
    pub expect: BTreeMap<String, Value>,
    /// How much work it is.
    pub work: Work,
}

/// Number of actors and messages of one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// Actors created in the run phase.
    pub actors: u64,
    /// Messages listed in the entry.
    pub messages: u64,
}

/// A published figure or table that used the benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// `savina-2014`, `woelke-2018`, `encore-2016`, `servers-2017` or `libcppa-2012`.
    pub source: String,
    /// Figure or table of the source.
    pub figure: String,
    /// The preset that repeats its size, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<PresetName>,
    /// What it reports.
    #[serde(default)]
    pub note: String,
}

/// A field whose value is not the expected one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mismatch {
    /// The field.
    pub field: String,
    /// What the catalogue says.
    pub expected: Value,
    /// What the runtime returned; `None` if the field was missing or no number.
    pub got: Option<Value>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.got {
            Some(got) => write!(f, "{} is {got}, expected {}", self.field, self.expected),
            None => write!(f, "{} is missing, expected {}", self.field, self.expected),
        }
    }
}

/// Compares what a runtime returned with what the catalogue expects, by the rules of [`Field::kind`].
///
/// # Errors
/// The first field, in the order of `expect`, that is missing or differs.
pub fn verify(expect: &BTreeMap<String, Value>, got: &BTreeMap<String, Value>) -> Result<(), Mismatch> {
    for (field, &expected) in expect {
        let value = got.get(field).copied();
        if !value.is_some_and(|v| matches(expected, v)) {
            return Err(Mismatch {
                field: field.clone(),
                expected,
                got: value,
            });
        }
    }
    Ok(())
}

fn matches(expected: Value, got: Value) -> bool {
    match (expected, got) {
        (Value::Int(e), Value::Int(g)) => e == g,
        (Value::Int(_), Value::Float(_)) => false,
        (Value::Float(e), Value::Float(g)) => close(e, g),
        // A language may print a float that happens to be whole without its point.
        (Value::Float(e), Value::Int(g)) => close(e, g as f64),
    }
}

fn close(expected: f64, got: f64) -> bool {
    (got - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}
