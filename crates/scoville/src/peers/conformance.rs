//! Whether a peer keeps the protocol: `docs/protocol.md` as a list of checks.

use std::time::Duration;

use serde_json::{Value, json};

use super::conversation::Conversation;
use crate::catalogue::arguments;
use crate::digits::number_of;
use crate::model::benchmark::{
    Argument, Benchmark, Parameter, ParameterKind, Rule, Value as Number, unknown, verify,
};
use crate::model::invocation::Hello;
use crate::model::linear::Linear;
use crate::model::runtime::Launch;
use crate::tail::last_lines;

/// One check and how it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What a peer must do.
    pub what: String,
    /// What it did instead, if it did not.
    pub failure: Option<String>,
}

/// A peer under test.
#[derive(Debug)]
pub struct Subject<'a> {
    /// How it is started.
    pub launch: &'a Launch,
    /// The name that it must report.
    pub name: &'a str,
    /// Worker count that it is told and must report.
    pub workers: u32,
    /// The limit for every answer.
    pub limit: Duration,
}

/// Puts a peer through all checks; the benchmarks are those of the catalogue.
pub fn check(subject: &Subject<'_>, benchmarks: &[Benchmark]) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut record = |what: String, result: Result<(), String>| {
        checks.push(Check {
            what,
            failure: result.err(),
        });
    };
    let hello = greeting(subject);
    record(
        "says hello with its name, version and workers".into(),
        hello.as_ref().map(|_| ()).map_err(Clone::clone),
    );
    let Ok(hello) = hello else { return checks };
    let known: Vec<&Benchmark> = benchmarks
        .iter()
        .filter(|b| hello.benchmarks.contains(&b.name))
        .collect();
    record(
        "offers benchmarks of the catalogue only".into(),
        only_known(&hello, benchmarks),
    );
    record(
        "states the labels that its benchmarks ask for".into(),
        labelled(&hello, &known),
    );
    record(
        "refuses an unknown benchmark and goes on".into(),
        unknown_benchmark(subject, &known),
    );
    for benchmark in &known {
        record(
            format!(
                "{}: refuses bad parameters, in the protocol's words",
                benchmark.name
            ),
            bad_parameters(subject, benchmark),
        );
        record(
            format!("{}: runs again and again, with the right result", benchmark.name),
            repeats(subject, benchmark),
        );
    }
    record(
        "ignores fields that it does not know".into(),
        unknown_field(subject, &known),
    );
    record(
        "answers bye with bye and exits with status 0".into(),
        leaves(subject),
    );
    record("exits when it is told to stop".into(), stops(subject));
    record(
        "exits when the laboratory is gone".into(),
        survives_nobody(subject),
    );
    checks
}

fn greeting(subject: &Subject<'_>) -> Result<Hello, String> {
    let mut peer = start(subject)?;
    let value = hear(&mut peer, subject, "hello")?;
    if value["protocol"] != 1 {
        return Err(format!("protocol is {}, it must be 1", value["protocol"]));
    }
    let hello: Hello = serde_json::from_value(value).map_err(|e| format!("hello is wrong: {e}"))?;
    if hello.runtime != subject.name {
        return Err(format!(
            "runtime is `{}`, the manifest says `{}`",
            hello.runtime, subject.name
        ));
    }
    if hello.workers != subject.workers {
        return Err(format!(
            "it uses {}, it was told to use {}",
            number_of(hello.workers as usize, "worker"),
            subject.workers
        ));
    }
    if hello.version.is_empty() {
        return Err("version is empty".into());
    }
    Ok(hello)
}

fn only_known(hello: &Hello, benchmarks: &[Benchmark]) -> Result<(), String> {
    let unknown: Vec<&str> = hello
        .benchmarks
        .iter()
        .filter(|name| !benchmarks.iter().any(|b| b.name == **name))
        .map(String::as_str)
        .collect();
    if unknown.is_empty() {
        Ok(())
    } else {
        Err(format!("not in the catalogue: {}", unknown.join(", ")))
    }
}

fn labelled(hello: &Hello, known: &[&Benchmark]) -> Result<(), String> {
    for benchmark in known {
        if let Some(label) = benchmark.labels.iter().find(|l| !hello.labels.contains_key(*l)) {
            return Err(format!(
                "{} asks for the label {label}, which hello does not have",
                benchmark.name
            ));
        }
    }
    Ok(())
}

fn unknown_benchmark(subject: &Subject<'_>, known: &[&Benchmark]) -> Result<(), String> {
    let mut peer = ready(subject)?;
    say(&mut peer, &run_message("no-such-benchmark", &json!({}), 0))?;
    expect_refusal(&mut peer, subject, "no-such-benchmark: unknown benchmark")?;
    match known.first() {
        Some(benchmark) => run_tiny(&mut peer, subject, benchmark, 0),
        None => Ok(()),
    }
}

fn bad_parameters(subject: &Subject<'_>, benchmark: &Benchmark) -> Result<(), String> {
    let mut peer = ready(subject)?;
    for (parameters, message) in wrong_parameters(benchmark) {
        say(&mut peer, &run_message(&benchmark.name, &parameters, 0))?;
        expect_refusal(&mut peer, subject, &message)?;
    }
    run_tiny(&mut peer, subject, benchmark, 0)
}

/// Parameter sets that must be refused, each with the exact message. Sets that the catalogue allows after all, such as a
/// word for a choice that is one of its words, are left out: the catalogue's own reading decides.
fn wrong_parameters(benchmark: &Benchmark) -> Vec<(Value, String)> {
    let good = tiny_parameters(benchmark);
    let with = |name: &str, value: Value| {
        let mut changed = good.clone();
        changed[name] = value;
        changed
    };
    let mut sets = vec![json!({})];
    let mut unknown = with("zebra", json!(1));
    unknown["apple"] = json!(1);
    sets.push(unknown);
    for parameter in &benchmark.parameters {
        let mut missing = good.clone();
        let present = missing.as_object_mut().expect("parameters are an object");
        present.remove(&parameter.name);
        sets.push(missing);
        let values = wrong_types().chain(out_of_range(parameter));
        sets.extend(values.map(|value| with(&parameter.name, value)));
    }
    for relation in &benchmark.relations {
        sets.extend(breaking(benchmark, &relation.parameter, relation.rule));
    }
    sets.into_iter()
        .filter_map(|set| {
            let refusal = arguments::read(benchmark, set.as_object()?).err()?;
            Some((set, refusal))
        })
        .collect()
}

fn wrong_types() -> impl Iterator<Item = Value> {
    [
        json!("7"),
        json!(7.5),
        json!(true),
        json!(null),
        json!([1]),
        json!({"a": 1}),
    ]
    .into_iter()
}

/// The values next to the limits, the least of all, what needs more than 64 bits, and what is no power of two.
fn out_of_range(parameter: &Parameter) -> impl Iterator<Item = Value> {
    let beside = |bound: Option<Number>, step: i64| match bound? {
        Number::Int(bound) => bound.checked_add(step).map(Value::from),
        Number::Float(bound) => Some(json!(bound + 0.5 * step as f64)),
    };
    let at = |bound: Option<Number>| bound.map(|bound| json!(bound.as_f64() as i64));
    let integer = parameter.kind == ParameterKind::I64;
    let least = integer.then(|| json!(i64::MIN));
    let too_long = integer.then(|| json!(i64::MAX as u64 + 1));
    let middle = parameter.power_of_two.then(|| json!(6));
    [
        beside(parameter.min, -1),
        beside(parameter.max, 1),
        at(parameter.above),
        least,
        too_long,
        middle,
    ]
    .into_iter()
    .flatten()
}

/// Sets in which one parameter moves away from where its relation holds, until it must break.
fn breaking(benchmark: &Benchmark, name: &str, rule: Rule) -> Vec<Value> {
    let tiny = &benchmark.presets["tiny"].parameters;
    let Some(now) = tiny[name].number() else {
        return Vec::new();
    };
    let away = match rule {
        Rule::AtLeast | Rule::Above => -1,
        Rule::AtMost | Rule::MultipleOf => 1,
    };
    let moved = |step: i64| match now {
        Number::Int(now) => Number::Int(now + away * step),
        // A quarter beside every bound, so that no language writes it in another way.
        Number::Float(now) => Number::Float(now + (away * step) as f64 - 0.25),
    };
    (0..8)
        .map(|power| {
            let mut changed = tiny.clone();
            changed.insert(name.to_owned(), Argument::Number(moved(1 << power)));
            json!(changed)
        })
        .collect()
}

fn repeats(subject: &Subject<'_>, benchmark: &Benchmark) -> Result<(), String> {
    let mut peer = ready(subject)?;
    for iteration in 0..3 {
        run_tiny(&mut peer, subject, benchmark, iteration)?;
    }
    Ok(())
}

fn unknown_field(subject: &Subject<'_>, known: &[&Benchmark]) -> Result<(), String> {
    let Some(benchmark) = known.first() else {
        return Ok(());
    };
    let mut peer = ready(subject)?;
    let mut message = run_message(&benchmark.name, &tiny_parameters(benchmark), 0);
    message["a-later-version"] = json!({"may": ["add", "fields"]});
    say(&mut peer, &message)?;
    expect_end(&mut peer, subject, benchmark)
}

fn leaves(subject: &Subject<'_>) -> Result<(), String> {
    let mut peer = ready(subject)?;
    say(&mut peer, &json!({"type": "bye"}))?;
    hear(&mut peer, subject, "bye")?;
    match peer.exit(subject.limit) {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => Err(format!(
            "it said bye and ended with {status}{}",
            last_lines(&peer.printed(), 10)
        )),
        Ok(None) => Err(format!(
            "it said bye and was still there after {} s",
            subject.limit.as_secs()
        )),
        Err(e) => Err(e.to_string()),
    }
}

fn stops(subject: &Subject<'_>) -> Result<(), String> {
    let mut peer = ready(subject)?;
    say(&mut peer, &json!({"type": "stop"}))?;
    gone(&mut peer, subject)
}

fn survives_nobody(subject: &Subject<'_>) -> Result<(), String> {
    let mut peer = ready(subject)?;
    peer.hang_up();
    gone(&mut peer, subject)
}

fn gone(peer: &mut Conversation, subject: &Subject<'_>) -> Result<(), String> {
    match peer.exit(subject.limit) {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(format!("it was still there after {} s", subject.limit.as_secs())),
        Err(e) => Err(e.to_string()),
    }
}

fn run_tiny(
    peer: &mut Conversation,
    subject: &Subject<'_>,
    benchmark: &Benchmark,
    iteration: u32,
) -> Result<(), String> {
    say(
        peer,
        &run_message(&benchmark.name, &tiny_parameters(benchmark), iteration),
    )?;
    expect_end(peer, subject, benchmark)
}

fn expect_end(peer: &mut Conversation, subject: &Subject<'_>, benchmark: &Benchmark) -> Result<(), String> {
    hear(peer, subject, "begin")?;
    let end = hear(peer, subject, "end")?;
    if end["wall_ns"].as_u64().is_none() {
        return Err(format!(
            "wall_ns is {}, it must be a non-negative integer",
            end["wall_ns"]
        ));
    }
    let mut fields = std::collections::BTreeMap::new();
    let checks = end["checks"].as_object().into_iter().flatten();
    for (name, value) in checks.chain([(&"result".to_owned(), &end["result"])]) {
        if let Ok(value) = serde_json::from_value(value.clone()) {
            fields.insert(name.clone(), value);
        }
    }
    let expect = &benchmark.presets["tiny"].expect;
    verify(expect, &fields).map_err(|mismatch| format!("{} at tiny: {mismatch}", benchmark.name))?;
    if let Some(field) = unknown(expect, &fields) {
        return Err(format!(
            "{} at tiny: {field} is none of its checks",
            benchmark.name
        ));
    }
    reports(benchmark, &end)
}

/// The metrics and per-actor counters that the catalogue asks for, at `tiny`.
fn reports(benchmark: &Benchmark, end: &Value) -> Result<(), String> {
    let parameters = &benchmark.presets["tiny"].parameters;
    for metric in benchmark.metrics_of(parameters).filter(|metric| !metric.optional) {
        let value = &end["metrics"][&metric.name];
        if !value.is_number() {
            return Err(format!("metric {} is {value}, it must be a number", metric.name));
        }
    }
    for counter in &benchmark.per_actor {
        let given = |name: &str| parameters.get(name).and_then(Argument::number);
        let linear = Linear::parse(&counter.count).ok();
        let actors = linear.as_ref().and_then(|linear| linear.value(given).ok());
        let numbers = end["per_actor"][&counter.name].as_array();
        let found = numbers.map(|numbers| Number::Int(numbers.len() as i64));
        if actors.is_none() || found != actors {
            return Err(format!(
                "per_actor {} has {}, there must be one for each of the {} {}",
                counter.name,
                numbers.map_or("no numbers".into(), |numbers| number_of(numbers.len(), "number")),
                actors.map_or("?".into(), |n| n.to_string()),
                counter.actors
            ));
        }
    }
    Ok(())
}

fn expect_refusal(peer: &mut Conversation, subject: &Subject<'_>, message: &str) -> Result<(), String> {
    let fail = hear(peer, subject, "fail")?;
    if fail["code"] != "bad-parameter" {
        return Err(format!(
            "code is {}, it must be \"bad-parameter\" (for: {message})",
            fail["code"]
        ));
    }
    if fail["message"] != message {
        let found = match fail["message"].as_str() {
            Some(text) => format!("\"{text}\""),
            None => fail["message"].to_string(),
        };
        return Err(format!("message is {found}, it must be \"{message}\""));
    }
    Ok(())
}

fn start(subject: &Subject<'_>) -> Result<Conversation, String> {
    Conversation::start(subject.launch, subject.workers).map_err(|e| format!("it cannot be started: {e}"))
}

fn ready(subject: &Subject<'_>) -> Result<Conversation, String> {
    let mut peer = start(subject)?;
    hear(&mut peer, subject, "hello")?;
    Ok(peer)
}

fn say(peer: &mut Conversation, message: &Value) -> Result<(), String> {
    peer.say(message).map_err(|e| format!("it does not listen: {e}"))
}

fn hear(peer: &mut Conversation, subject: &Subject<'_>, kind: &str) -> Result<Value, String> {
    let value = peer.hear(subject.limit).map_err(|silence| {
        format!(
            "instead of {kind} came {silence}{}",
            last_lines(&peer.printed(), 10)
        )
    })?;
    if value["type"] == kind {
        return Ok(value);
    }
    let mut text = value.to_string();
    if text.chars().count() > 200 {
        text = text.chars().take(200).collect::<String>() + " ...";
    }
    Err(format!("instead of {kind} came {text}"))
}

fn tiny_parameters(benchmark: &Benchmark) -> Value {
    json!(benchmark.presets["tiny"].parameters)
}

fn run_message(benchmark: &str, parameters: &Value, iteration: u32) -> Value {
    json!({
        "type": "run",
        "benchmark": benchmark,
        "parameters": parameters,
        "iteration": iteration,
        "count_messages": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn every_range_and_relation_of_the_catalogue_is_tried() {
        let catalogue = Catalogue::embedded().expect("the catalogue is sound");
        for b in &catalogue.benchmarks {
            let texts: Vec<String> = wrong_parameters(b).into_iter().map(|(_, text)| text).collect();
            let tried = |p: &str, demand: &str| {
                let begin = format!("{}: {p} is ", b.name);
                assert!(
                    texts.iter().any(|t| t.starts_with(&begin) && t.ends_with(demand)),
                    "{}: nothing is refused because {p} must be {demand}",
                    b.name
                );
            };
            for p in &b.parameters {
                tried(&p.name, &arguments::kind(p));
                if let Some(range) = arguments::range(p) {
                    tried(&p.name, &range);
                }
                if p.power_of_two {
                    tried(&p.name, "a power of two");
                }
            }
            for r in &b.relations {
                tried(&r.parameter, &format!("({})", r.limit));
            }
        }
    }
}
