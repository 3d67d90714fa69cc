//! What a benchmark is: its parameters, presets and expected results, as the catalogue states them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Name of a benchmark, such as `pingpong`: lower-case letters and digits.
pub type BenchmarkName = String;

/// Name of a preset: a family such as `tiny` or `thesis`, with a suffix where the family has several (`thesis-700`).
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
    /// What the scheduling adds to the messages of a preset's [`Work`], as a [`Linear`](super::linear::Linear)
    /// expression of metrics, result fields and parameters; empty where the number is fixed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub messages_plus: String,
    /// The kinds of actors.
    #[serde(default, rename = "actor", skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<ActorKind>,
    /// The messages between them, for people.
    #[serde(default, rename = "message", skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<Flow>,
    /// What happens outside the timed region.
    #[serde(default, skip_serializing_if = "Phases::is_empty")]
    pub phases: Phases,
    /// Labels that every runtime must state for this benchmark, such as `stash`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Parameters, in the order in which they are checked.
    #[serde(rename = "parameter")]
    pub parameters: Vec<Parameter>,
    /// What must hold between parameters, in the order in which it is checked, after all ranges.
    #[serde(default, rename = "relation", skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Relation>,
    /// Fields of the result that are compared; one of them is named `result`.
    #[serde(rename = "field")]
    pub fields: Vec<Field>,
    /// Numbers that are reported and never compared.
    #[serde(default, rename = "metric", skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<Metric>,
    /// Counters that are reported for every actor of a kind.
    #[serde(default, rename = "per_actor", skip_serializing_if = "Vec::is_empty")]
    pub per_actor: Vec<PerActor>,
    /// Metrics that are of interest over a parameter, across sizes.
    #[serde(default, rename = "curve", skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Curve>,
    /// How it is grown until a runtime fails, if that tells something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
    /// Named sizes.
    #[serde(rename = "preset")]
    pub presets: BTreeMap<PresetName, Preset>,
    /// Where published figures used this benchmark.
    #[serde(default)]
    pub published: Vec<Published>,
}

/// A kind of actor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActorKind {
    /// What it is called.
    pub kind: String,
    /// How many there are, as a formula of the parameters' symbols.
    pub number: String,
}

/// A message that one kind of actor sends to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// The message.
    pub name: String,
    /// The sender: a kind of actor, or `driver`.
    pub from: String,
    /// The receiver: a kind of actor.
    pub to: String,
    /// How many there are in all, as a formula of the parameters' symbols and of metrics.
    pub number: String,
}

/// What an iteration does outside its timed region; empty where there is nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// Before `begin`.
    #[serde(default)]
    pub setup: String,
    /// After the clock has stopped and before `end`.
    #[serde(default)]
    pub check: String,
}

impl Phases {
    fn is_empty(&self) -> bool {
        self.setup.is_empty() && self.check.is_empty()
    }
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
    pub kind: ParameterKind,
    /// Smallest allowed value, if there is a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Value>,
    /// Only values above this are allowed; for numbers, instead of [`min`](Self::min).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<Value>,
    /// Largest allowed value, if there is a limit; then there is a smallest too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Value>,
    /// Whether an integer must be a power of two.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub power_of_two: bool,
    /// The allowed words of a choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParameterKind {
    /// Signed 64-bit integer.
    I64,
    /// IEEE-754 binary64. The protocol may carry it as an integer.
    F64,
    /// One of a few words.
    Choice,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Argument {
    /// Of an integer or a number.
    Number(Value),
    /// Of a choice.
    Word(String),
}

impl Argument {
    /// Its number, if it is one.
    pub fn number(&self) -> Option<Value> {
        match self {
            Argument::Number(value) => Some(*value),
            Argument::Word(_) => None,
        }
    }
}

impl From<i64> for Argument {
    fn from(value: i64) -> Self {
        Argument::Number(Value::Int(value))
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Number(value) => value.fmt(f),
            Argument::Word(word) => f.write_str(word),
        }
    }
}

/// A relation that a parameter must have to others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// The parameter that is refused when the relation does not hold.
    pub parameter: String,
    /// Which relation.
    pub rule: Rule,
    /// To what: a [`Linear`](super::linear::Linear) expression of other parameters.
    pub limit: String,
}

/// How a parameter must relate to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Not below it.
    AtLeast,
    /// Not above it.
    AtMost,
    /// Above it.
    Above,
    /// An integer multiple of it.
    MultipleOf,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::AtLeast => "at least",
            Rule::AtMost => "at most",
            Rule::Above => "above",
            Rule::MultipleOf => "a multiple of",
        })
    }
}

/// One field of the result that must match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// `result`, or the name of a check.
    pub name: String,
    /// Integers match exactly, floats within a relative 1e-9.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// What the number means.
    pub meaning: String,
    /// How it follows from the parameters, for people.
    pub formula: String,
    /// Values of choices with which the field exists; empty for always.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: BTreeMap<String, String>,
}

/// A number that depends on scheduling or on time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Name in the protocol.
    pub name: String,
    /// `ns`, `bytes`, `1/min`; empty for a plain number.
    #[serde(default)]
    pub unit: String,
    /// What it means.
    pub meaning: String,
    /// Whether a runtime may leave it out because it cannot tell, or not without cost.
    #[serde(default)]
    pub optional: bool,
    /// Values of choices with which the metric exists; empty for always.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: BTreeMap<String, String>,
}

/// A counter that every actor of a kind has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerActor {
    /// Name in the protocol.
    pub name: String,
    /// What it counts.
    pub meaning: String,
    /// The kind of actor, in the plural.
    pub actors: String,
    /// How many of them there are: a [`Linear`](super::linear::Linear) expression of parameters.
    pub count: String,
    /// Whether equal actors should get equal numbers, so that their spread measures fairness.
    #[serde(default)]
    pub fairness: bool,
}

/// A metric over a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// The parameter.
    pub x: String,
    /// The metric, or [`NS_PER_MESSAGE`](Self::NS_PER_MESSAGE).
    pub y: String,
}

impl Curve {
    /// What a curve shows that is made of the wall time: nanoseconds per message.
    pub const NS_PER_MESSAGE: &str = "ns_per_message";
}

/// How a benchmark is grown until a runtime fails. The parameters that do not grow are those of preset `quick`, and what
/// a step must return follows from the formulas of its fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    /// The integer that grows.
    pub parameter: String,
    /// Its first value; it is doubled from there.
    pub from: i64,
    /// Metrics in nanoseconds whose sum is the time of a step; none for the timed region itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time: Vec<String>,
}

/// Type of a result field.
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

impl Value {
    /// As a float; integers beyond 2^53 are rounded.
    pub fn as_f64(self) -> f64 {
        match self {
            Value::Int(i) => i as f64,
            Value::Float(x) => x,
        }
    }
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
    pub parameters: BTreeMap<String, Argument>,
    /// The expected value of every field that exists with these parameters; incomplete only with
    /// [`unverified`](Self::unverified).
    #[serde(default)]
    pub expect: BTreeMap<String, Value>,
    /// Why the result cannot be compared with an expectation; empty if it can.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unverified: String,
    /// How much work it is.
    pub work: Work,
}

impl Benchmark {
    /// The fields that a run with these parameters returns.
    pub fn fields_of<'a>(
        &'a self,
        parameters: &'a BTreeMap<String, Argument>,
    ) -> impl Iterator<Item = &'a Field> {
        self.fields.iter().filter(|field| exists(&field.when, parameters))
    }

    /// The metrics that a run with these parameters reports.
    pub fn metrics_of<'a>(
        &'a self,
        parameters: &'a BTreeMap<String, Argument>,
    ) -> impl Iterator<Item = &'a Metric> {
        self.metrics
            .iter()
            .filter(|metric| exists(&metric.when, parameters))
    }
}

fn exists(when: &BTreeMap<String, String>, parameters: &BTreeMap<String, Argument>) -> bool {
    when.iter()
        .all(|(choice, word)| parameters.get(choice) == Some(&Argument::Word(word.clone())))
}

/// Number of actors and messages of one iteration, in all its phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// Actors created.
    pub actors: u64,
    /// Messages of the entry's list, without those of [`Benchmark::messages_plus`]; `None` where nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
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
            // A whole float would look like the integer that is due.
            Some(Value::Float(got)) => write!(f, "{} is {got:?}, expected {}", self.field, self.expected),
            Some(got) => write!(f, "{} is {got}, expected {}", self.field, self.expected),
            None => write!(
                f,
                "{} is missing or no number, expected {}",
                self.field, self.expected
            ),
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

/// A field that is not among the expected ones. Where nothing is expected, because the size is unverified, any may come.
pub fn unknown<'a>(expect: &BTreeMap<String, Value>, got: &'a BTreeMap<String, Value>) -> Option<&'a String> {
    got.keys()
        .find(|field| !expect.is_empty() && !expect.contains_key(*field))
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

/// No absolute part: results as small as 1e-10 are compared as sharply as large ones.
fn close(expected: f64, got: f64) -> bool {
    (got - expected).abs() <= 1e-9 * expected.abs()
}
