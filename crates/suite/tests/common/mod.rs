//! Expected results of the benchmarks' entries, and a way to compare an iteration with them.

// Each test binary uses a part of this.
#![allow(dead_code)]

use std::time::Duration;

use serde_json::{Map, Value, json};
use suite::benchmark::{Number, Outcome, Work};
use suite::iteration::{Failure, Order, Program, Record};
use suite::library::{Host, Options};

/// One preset of one benchmark, with what its entry says about it.
#[derive(Clone)]
pub struct Case {
    pub benchmark: &'static str,
    pub parameters: Value,
    pub result: i64,
    pub checks: Vec<(&'static str, Number)>,
    pub work: Work,
}

fn case(
    benchmark: &'static str,
    parameters: Value,
    result: i64,
    checks: impl Into<Vec<(&'static str, Number)>>,
    (actors, messages): (i64, i64),
) -> Case {
    Case {
        benchmark,
        parameters,
        result,
        checks: checks.into(),
        work: Work { actors, messages },
    }
}

/// The preset `tiny`, in catalogue order. Work is by the formulas of the entries.
pub fn tiny() -> Vec<Case> {
    vec![
        case(
            "pingpong",
            json!({"pings": 100}),
            5050,
            [("pongs", 100.into())],
            (2, 3 * 100 + 1),
        ),
        case(
            "threadring",
            json!({"actors": 7, "hops": 40}),
            161,
            [("last", 5.into())],
            (7, 40 + 2 * 7 + 1),
        ),
        case("count", json!({"messages": 1000}), 1000, [], (2, 1000 + 3)),
        case(
            "fjthrput",
            json!({"messages": 50, "actors": 7}),
            1400,
            [("sum", 80.185670383472.into())],
            (7, 7 * 50),
        ),
        case("fjcreate", json!({"actors": 500}), 125_250, [], (500, 500)),
        case(
            "fib",
            json!({"index": 10}),
            55,
            [("actors", 109.into())],
            (109, 4 * 55 - 3),
        ),
        case(
            "chameneos",
            json!({"creatures": 5, "meetings": 100}),
            200,
            [("colour", 1.into())],
            (6, 4 * 100 + 3 * 5),
        ),
        case(
            "big",
            json!({"pings": 50, "actors": 10}),
            2806,
            [("pings", 500.into())],
            (11, 2 * 10 * 50 + 4 * 10 + 1),
        ),
    ]
}

/// The preset `quick`, in catalogue order.
pub fn quick() -> Vec<Case> {
    vec![
        case(
            "pingpong",
            json!({"pings": 500_000}),
            125_000_250_000,
            [("pongs", 500_000.into())],
            (2, 1_500_001),
        ),
        case(
            "threadring",
            json!({"actors": 100, "hops": 1_000_050}),
            50_501_326,
            [("last", 50.into())],
            (100, 1_000_251),
        ),
        case(
            "count",
            json!({"messages": 2_000_000}),
            2_000_000,
            [],
            (2, 2_000_003),
        ),
        case(
            "fjthrput",
            json!({"messages": 20_000, "actors": 60}),
            36_600_000,
            [("sum", 274_922.298_457_61.into())],
            (60, 1_200_000),
        ),
        case(
            "fjcreate",
            json!({"actors": 200_000}),
            20_000_100_000,
            [],
            (200_000, 200_000),
        ),
        case(
            "fib",
            json!({"index": 26}),
            121_393,
            [("actors", 242_785.into())],
            (242_785, 485_569),
        ),
        case(
            "chameneos",
            json!({"creatures": 101, "meetings": 400_000}),
            800_000,
            [("colour", 1.into())],
            (102, 1_600_303),
        ),
        case(
            "big",
            json!({"pings": 8000, "actors": 120}),
            58_058_584,
            [("pings", 960_000.into())],
            (121, 1_920_481),
        ),
    ]
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
    let expected = usize::from(!matches!(ended, Err(Failure::BadParameter(_))));
    assert_eq!(
        begun, expected,
        "begin is told once, and not before a bad parameter"
    );
    ended
}

/// Why an iteration does not match its case, if it does not.
pub fn mismatch(case: &Case, outcome: &Outcome, work: Option<Work>) -> Option<String> {
    let Outcome {
        result,
        checks,
        per_actor,
        ..
    } = outcome;
    if *result != Number::Integer(case.result) {
        return Some(format!("result is {result:?}"));
    }
    let names = |fields: &[(&'static str, Number)]| fields.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    if names(checks) != names(&case.checks) {
        return Some(format!("checks are {checks:?}"));
    }
    if let Some((is, _)) = checks
        .iter()
        .zip(&case.checks)
        .find(|(is, expected)| !agree(is.1, expected.1))
    {
        return Some(format!("check {} is {:?}", is.0, is.1));
    }
    if let Some((_, values)) = per_actor.iter().find(|(name, _)| *name == "meetings")
        && values.iter().sum::<i64>() != case.result
    {
        return Some(format!("meetings are {values:?}"));
    }
    work.filter(|work| *work != case.work)
        .map(|work| format!("work is {work:?}"))
}

fn agree(is: Number, expected: Number) -> bool {
    match (is, expected) {
        (Number::Integer(is), Number::Integer(expected)) => is == expected,
        (Number::Float(is), Number::Float(expected)) => {
            (is - expected).abs() <= 1e-9 * expected.abs().max(1.0)
        }
        _ => false,
    }
}
