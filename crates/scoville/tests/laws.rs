//! The catalogue's formulas, which are written for people, against its presets and against what actors count at sizes that
//! nobody has written down.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Cursor};

use scoville::catalogue::{Catalogue, arguments};
use scoville::model::benchmark::{Argument, Benchmark, Value};
use scoville::model::formula::{Formula, FormulaError};
use scoville::model::linear::Linear;
use serde_json::{Map, Value as Json, json};
use suite::library::Options;

/// What the catalogue says in words because no formula of the parameters gives it: totals of work, and fields that a
/// sequential program computed. Whatever is not listed here must be a formula.
const IN_WORDS: &[(&str, &[&str])] = &[
    ("apsp", &["result", "wsum"]),
    ("astar", &["result", "spins"]),
    ("banking", &["result"]),
    ("barber", &["factory_busy", "barber_busy"]),
    ("big", &["result"]),
    ("bigneighbours", &["result"]),
    ("bitonicsort", &["result", "sum"]),
    (
        "chat",
        &[
            "messages",
            "edges",
            "compute",
            "post",
            "leave",
            "invite",
            "none",
            "invitations",
        ],
    ),
    ("cigsmok", &["result", "busy_sum"]),
    ("concdict", &["result", "writes", "map_sum"]),
    ("concsll", &["result", "list_len", "hits", "sizes", "contains"]),
    ("facloc", &["messages", "result", "facilities", "maxdepth"]),
    ("fannkuch", &["result", "maxflips", "flips"]),
    ("filterbank", &["result"]),
    ("matrixsearch", &["result"]),
    ("mixed", &["result"]),
    ("nqueenk", &["result", "items"]),
    ("pairs", &["hashsum"]),
    ("pingping", &["result", "hash"]),
    ("piprecision", &["result", "digits"]),
    ("quicksort", &["actors", "result", "sum"]),
    ("radixsort", &["result", "sum"]),
    ("recmatmul", &["wsum", "items"]),
    ("sieve", &["messages", "sum"]),
    ("threadring", &["result"]),
    ("uct", &["result", "nodes", "height", "urgent", "grants"]),
];

fn catalogue() -> Catalogue {
    Catalogue::embedded().expect("the catalogue is sound")
}

/// Everything that a formula may name, with its value.
type Names = BTreeMap<String, i128>;

/// What a formula may name: what is `more` (results, checks and metrics), before parameters by name, before parameters by
/// symbol. `actors` is the total, unless something else is called so.
fn names(
    benchmark: &Benchmark,
    parameters: &BTreeMap<String, Argument>,
    actors: i128,
    more: &BTreeMap<String, Value>,
) -> Names {
    let whole = |value: Value| match value {
        Value::Int(whole) => Some(i128::from(whole)),
        Value::Float(_) => None,
    };
    let given = |name: &String| parameters[name].number().and_then(whole);
    let symbols = benchmark
        .parameters
        .iter()
        .filter_map(|p| Some((p.symbol.clone(), given(&p.name)?)));
    let named = benchmark
        .parameters
        .iter()
        .filter_map(|p| Some((p.name.clone(), given(&p.name)?)));
    let more = more
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), whole(*value)?)));
    [("actors".to_owned(), actors)]
        .into_iter()
        .chain(symbols)
        .chain(named)
        .chain(more)
        .collect()
}

fn value(text: &str, names: &Names) -> Result<i128, FormulaError> {
    Formula::parse(text)?.value(|name| names.get(name).copied())
}

fn is_in_words(benchmark: &Benchmark, what: &str) -> bool {
    IN_WORDS
        .iter()
        .any(|(name, words)| *name == benchmark.name && words.contains(&what))
}

/// `actors`, `messages` and every field with its formula.
fn formulas(benchmark: &Benchmark) -> Vec<(&str, &str)> {
    let totals = [
        ("actors", benchmark.actors.as_str()),
        ("messages", benchmark.messages.as_str()),
    ];
    let fields = benchmark
        .fields
        .iter()
        .map(|f| (f.name.as_str(), f.formula.as_str()));
    totals
        .into_iter()
        .chain(fields.filter(|(name, _)| *name != "actors" && *name != "messages"))
        .collect()
}

#[test]
fn every_preset_obeys_the_formulas() {
    let mut wrong = Vec::new();
    for benchmark in &catalogue().benchmarks {
        for (size, preset) in &benchmark.presets {
            let names = names(
                benchmark,
                &preset.parameters,
                preset.work.actors.into(),
                &preset.expect,
            );
            for (what, formula) in formulas(benchmark) {
                let stated = match what {
                    "actors" => Some(Value::Int(preset.work.actors as i64)),
                    "messages" => preset.work.messages.map(|m| Value::Int(m as i64)),
                    field => preset.expect.get(field).copied(),
                };
                let Some(Value::Int(stated)) = stated else {
                    continue;
                };
                let computed = value(formula, &names);
                let holds = computed == Ok(stated.into());
                if holds == is_in_words(benchmark, what) {
                    wrong.push(format!(
                        "{} {size}: {what} is {stated}, `{formula}` is {computed:?}",
                        benchmark.name
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} do not fit:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn words_are_for_fields_that_exist() {
    let catalogue = catalogue();
    for (name, words) in IN_WORDS {
        let benchmark = catalogue.get(name).unwrap();
        let known: BTreeSet<&str> = formulas(benchmark).into_iter().map(|(what, _)| what).collect();
        assert!(words.iter().all(|word| known.contains(word)), "{name}: {words:?}");
    }
}

/// A small generator of its own, so that the sizes are the same everywhere.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: i128) -> i128 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i128::from(self.0 >> 33) % limit
    }
}

/// A size near one of the tiny ones, which the catalogue allows.
fn draw(benchmark: &Benchmark, draws: &mut Draws) -> Map<String, Json> {
    let tiny: Vec<_> = (benchmark.presets.iter())
        .filter(|(name, preset)| {
            name.starts_with("tiny") && preset.work.messages.is_some() && preset.unverified.is_empty()
        })
        .collect();
    loop {
        let (_, preset) = tiny[draws.below(tiny.len() as i128) as usize];
        let moved = |(name, value): (&String, &Argument)| {
            let Some(Value::Int(whole)) = value.number() else {
                return (name.clone(), json!(value));
            };
            let parameter = benchmark
                .parameters
                .iter()
                .find(|p| p.name == *name)
                .expect("presets are complete");
            let moved = match whole {
                // It must be a product of two primes.
                8051 if benchmark.name == "mixed" => whole,
                _ if parameter.power_of_two => whole << draws.below(3),
                // What is small may be an exponent of the work.
                0..=20 => whole - 2 + draws.below(4) as i64,
                _ => whole / 2 + draws.below(i128::from(whole) + 1) as i64,
            };
            (name.clone(), json!(moved))
        };
        let drawn: Map<String, Json> = preset.parameters.iter().map(moved).collect();
        if arguments::read(benchmark, &drawn).is_ok() {
            return drawn;
        }
    }
}

/// What a runtime of the suite says: its greeting, and its answers to `run` messages in which it counts.
fn conversation(runs: &[(&Benchmark, Map<String, Json>)]) -> Vec<Json> {
    let mut input = String::new();
    for (benchmark, parameters) in runs {
        let run = json!({ "type": "run", "benchmark": benchmark.name, "parameters": parameters, "count_messages": true });
        input += &format!("{run}\n");
    }
    input += "{\"type\":\"bye\"}\n";
    let runtime = suite::runtimes::runtime("datil").expect("it is there");
    let mut output = Vec::new();
    let mut input = BufReader::new(Cursor::new(input));
    (runtime.serve(&Options::workers(2), &mut input, &mut output)).expect("it holds the conversation");
    let lines = String::from_utf8(output).expect("it speaks UTF-8");
    let messages = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("it speaks JSON"));
    messages
        .filter(|message: &Json| message["type"] != "begin" && message["type"] != "bye")
        .collect()
}

/// The formulas at sizes that no preset has, against an actor program that counts its actors and messages: those of all
/// benchmarks in a build that has them, as that of the workspace's tests, and of the micro-benchmarks in every build.
#[test]
fn counted_work_obeys_the_formulas_at_any_size() {
    const SIZES: usize = 6;
    let catalogue = catalogue();
    let mut draws = Draws(1);
    let mut runs = Vec::new();
    let offered = |b: &&Benchmark| suite::benchmarks::COMPLETE || b.category == "micro";
    for benchmark in catalogue.benchmarks.iter().filter(offered) {
        runs.extend((0..SIZES).map(|_| (benchmark, draw(benchmark, &mut draws))));
    }
    assert!(runs.len() >= SIZES * 8);
    let answers = &conversation(&runs)[1..];
    assert_eq!(answers.len(), runs.len());
    let mut compared = 0;
    for ((benchmark, drawn), answer) in runs.iter().zip(answers) {
        let place = || format!("{} at {}", benchmark.name, json!(drawn));
        if answer["code"] == "unsupported" {
            continue;
        }
        assert_eq!(answer["type"], "end", "{}: {answer}", place());
        let parameters = arguments::read(benchmark, drawn).expect("it was drawn so");
        let told = reported(answer);
        let actors = answer["work"]["actors"].as_i64().expect("it has counted");
        let names = names(benchmark, &parameters, actors.into(), &told);
        for (what, formula) in formulas(benchmark) {
            if is_in_words(benchmark, what) {
                continue;
            }
            let found = match what {
                "actors" | "messages" => answer["work"][what].as_i64().map(Value::Int),
                field => told.get(field).copied(),
            };
            let Some(Value::Int(found)) = found else { continue };
            let plus = match what {
                "messages" if !benchmark.messages_plus.is_empty() => plus(benchmark, &names),
                _ => 0,
            };
            let computed = value(formula, &names).map(|computed| computed + plus);
            assert_eq!(computed, Ok(found.into()), "{}: {what}, `{formula}`", place());
            compared += 1;
        }
    }
    assert!(compared > runs.len(), "{compared} comparisons");
}

/// Result, checks and metrics by name.
fn reported(answer: &Json) -> BTreeMap<String, Value> {
    let tables = [&answer["checks"], &answer["metrics"]];
    let named = tables.into_iter().filter_map(Json::as_object).flatten();
    let result = [("result".to_owned(), answer["result"].clone())];
    named
        .map(|(name, value)| (name.clone(), value.clone()))
        .chain(result)
        .filter_map(|(name, value)| Some((name, serde_json::from_value(value).ok()?)))
        .collect()
}

fn plus(benchmark: &Benchmark, names: &Names) -> i128 {
    let linear = Linear::parse(&benchmark.messages_plus).expect("the catalogue is sound");
    let of = |name: &str| names.get(name).map(|value| Value::Int(*value as i64));
    match linear.value(of) {
        Ok(Value::Int(plus)) => plus.into(),
        other => panic!("{}: {other:?}", benchmark.name),
    }
}
