//! Expected results from the catalogue, and a way to compare an iteration with them.

// Each test binary uses a part of this.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use std::{fs, mem};

use serde::Deserialize;
use serde_json::{Map, Value};
use suite::adapters::tokio::Tokio;
use suite::benchmark::{Number, Outcome, Work};
use suite::benchmarks;
use suite::iteration::{Failure, Order, Program, Record};
use suite::library::{Host, Options};

/// One preset of one benchmark, with what the catalogue says about it.
#[derive(Clone)]
pub struct Case {
    pub benchmark: &'static str,
    pub parameters: Map<String, Value>,
    pub result: Number,
    pub checks: BTreeMap<String, Number>,
    actors: i64,
    /// Nothing where the number depends on scheduling.
    messages: Option<i64>,
    /// What the metrics of an iteration add to the messages.
    plus: Option<String>,
    /// Metrics that every iteration tells.
    metrics: Vec<String>,
    /// Counters by actor, and how many there are of each.
    per_actor: BTreeMap<String, i64>,
}

/// A file of the catalogue, as far as it concerns the suite.
#[derive(Deserialize)]
struct Entry {
    name: String,
    messages_plus: Option<String>,
    #[serde(default)]
    metric: Vec<Metric>,
    #[serde(default)]
    per_actor: Vec<PerActor>,
    preset: BTreeMap<String, Preset>,
}

#[derive(Deserialize)]
struct Metric {
    name: String,
    #[serde(default)]
    optional: bool,
    /// The values of choices with which it exists.
    #[serde(default)]
    when: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
struct PerActor {
    name: String,
    /// The parameter that tells their number.
    count: Option<String>,
}

#[derive(Deserialize)]
struct Preset {
    parameters: Map<String, Value>,
    /// Empty where the catalogue says why there is none.
    #[serde(default)]
    expect: BTreeMap<String, toml::Value>,
    work: BTreeMap<String, i64>,
}

/// The benchmarks of the suite, in catalogue order, with this preset.
fn cases(preset: &str) -> Vec<Case> {
    benchmarks::all::<Tokio>()
        .iter()
        .map(|program| case(program.name(), preset))
        .collect()
}

fn entry(benchmark: &str) -> Entry {
    let path = format!("{}/../../catalogue/{benchmark}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let entry: Entry = toml::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(entry.name, benchmark, "{path}");
    entry
}

fn case(benchmark: &'static str, preset: &str) -> Case {
    let mut entry = entry(benchmark);
    let mut found = entry
        .preset
        .remove(preset)
        .unwrap_or_else(|| panic!("{benchmark}: no preset {preset}"));
    let mut checks: BTreeMap<String, Number> = mem::take(&mut found.expect)
        .into_iter()
        .map(|(field, value)| (field, number(&value)))
        .collect();
    let exists = |metric: &Metric| {
        metric
            .when
            .iter()
            .all(|(name, value)| found.parameters.get(name) == Some(value))
    };
    let metrics = entry.metric.into_iter();
    let metrics = metrics.filter(|metric| !metric.optional && exists(metric));
    let metrics = metrics.map(|metric| metric.name).collect();
    let per_actor = entry.per_actor.into_iter().filter_map(|counter| {
        let count = found.parameters[&counter.count?].as_i64()?;
        Some((counter.name, count))
    });
    Case {
        benchmark,
        plus: entry.messages_plus,
        metrics,
        per_actor: per_actor.collect(),
        parameters: found.parameters,
        result: checks.remove("result").expect("every preset has a result"),
        checks,
        actors: found.work["actors"],
        messages: found.work.get("messages").copied(),
    }
}

fn number(value: &toml::Value) -> Number {
    match *value {
        toml::Value::Integer(value) => Number::Integer(value),
        toml::Value::Float(value) => Number::Float(value),
        ref other => panic!("{other} is no number"),
    }
}

/// The preset `tiny`, in catalogue order.
pub fn tiny() -> Vec<Case> {
    cases("tiny")
}

/// The presets whose names begin like `tiny-`: other modes of some of the benchmarks.
pub fn tiny_modes() -> Vec<Case> {
    let programs = benchmarks::all::<Tokio>();
    let names = programs.iter().map(|program| program.name());
    let modes = names.flat_map(|name| entry(name).preset.into_keys().map(move |preset| (name, preset)));
    modes
        .filter(|(_, preset)| preset.starts_with("tiny-"))
        .map(|(name, preset)| case(name, &preset))
        .collect()
}

/// The preset `quick`, in catalogue order.
pub fn quick() -> Vec<Case> {
    cases("quick")
}

/// Starts a library with this number of workers and its default policy.
pub fn start<L: Host>(workers: usize) -> L::System {
    let system = L::start(&Options::workers(workers)).expect("the library starts");
    assert_eq!(
        L::workers(&system),
        workers,
        "the library does not use the workers that were asked for"
    );
    system
}

/// Runs one iteration, with a limit so that a lost message does not hang the test.
pub fn iterate<L: Host>(
    program: &mut dyn Program<L>,
    system: &mut L::System,
    parameters: &Map<String, Value>,
    count_messages: bool,
    patience: Duration,
) -> Result<Record, Failure> {
    let mut begun = 0;
    let order = Order {
        parameters,
        count_messages,
        patience: Some(patience),
        begin: &mut || begun += 1,
    };
    let ended = program.iterate(system, order);
    let allowed = match ended {
        Ok(_) => 1..=1,
        Err(Failure::BadParameter(_) | Failure::Unsupported(_)) => 0..=0,
        // It may have been in setup.
        Err(Failure::Failed(_) | Failure::TimedOut(_)) => 0..=1,
    };
    assert!(
        allowed.contains(&begun),
        "begin is told once, and not if nothing is run, but was told {begun} times"
    );
    ended
}

/// Why an iteration does not match its case, if it does not.
pub fn mismatch(case: &Case, outcome: &Outcome, work: Option<Work>) -> Option<String> {
    let Outcome {
        result,
        checks,
        metrics,
        per_actor,
    } = outcome;
    if !agree(*result, case.result) {
        return Some(format!("result is {result:?}"));
    }
    let names: BTreeSet<_> = checks.iter().map(|(name, _)| *name).collect();
    if checks.len() != case.checks.len() || !case.checks.keys().all(|name| names.contains(name.as_str())) {
        return Some(format!("checks are {checks:?}"));
    }
    if let Some((name, is)) = checks.iter().find(|(name, is)| !agree(*is, case.checks[*name])) {
        return Some(format!("check {name} is {is:?}"));
    }
    if let Some((_, values)) = per_actor.iter().find(|(name, _)| *name == "meetings")
        && Number::Integer(values.iter().sum()) != case.result
    {
        return Some(format!("meetings are {values:?}"));
    }
    let told = |name: &String| metrics.iter().any(|(known, _)| known == name);
    if let Some(missing) = case.metrics.iter().find(|name| !told(name)) {
        return Some(format!("metric {missing} is missing"));
    }
    let plus = case
        .plus
        .as_deref()
        .map_or(0, |text| evaluate(text, case, metrics));
    let expected = |work: &Work| Work {
        actors: case.actors,
        messages: case.messages.map_or(work.messages, |messages| messages + plus),
    };
    if let Some(work) = work.filter(|work| *work != expected(work)) {
        return Some(format!("work is {work:?}"));
    }
    for (name, count) in &case.per_actor {
        let counters = per_actor.iter().find(|(known, _)| known == name);
        let Some((_, counters)) = counters.filter(|(_, counters)| counters.len() as i64 == *count) else {
            return Some(format!("{name} is not told of {count} actors, but {counters:?}"));
        };
        if counters.iter().any(|counter| *counter < 0) {
            return Some(format!("{name} are {counters:?}"));
        }
    }
    None
}

/// The value of a sum of products of integers, metrics and parameters.
fn evaluate(text: &str, case: &Case, metrics: &[(&'static str, Number)]) -> i64 {
    let factor = |word: &str| match word.parse() {
        Ok(number) => number,
        Err(_) => match metrics.iter().find(|(name, _)| *name == word) {
            Some((_, Number::Integer(value))) => *value,
            Some(other) => panic!("{other:?} is no integer"),
            None => case.parameters[word].as_i64().expect("an integer"),
        },
    };
    let (mut sum, mut product) = (0, 1);
    for word in text.split_whitespace() {
        match word {
            "*" => {}
            "+" | "-" => {
                sum += product;
                product = if word == "-" { -1 } else { 1 };
            }
            word => product *= factor(word),
        }
    }
    sum + product
}

fn agree(is: Number, expected: Number) -> bool {
    match (is, expected) {
        (Number::Integer(is), Number::Integer(expected)) => is == expected,
        (Number::Float(is), Number::Float(expected)) => (is - expected).abs() <= 1e-9 * expected.abs(),
        _ => false,
    }
}
