//! `pairs` in its mode timed, which no preset with expected numbers covers.

mod common;

use std::time::Duration;

use common::{iterate, start};
use serde_json::json;
use suite::adapters::actix::Actix;
use suite::adapters::datil::Datil;
use suite::adapters::kameo::Kameo;
use suite::adapters::ractor::Ractor;
use suite::adapters::tokio::Tokio;
use suite::benchmark::Number;
use suite::benchmarks::Pairs;
use suite::iteration::program;
use suite::library::Host;

const PATIENCE: Duration = Duration::from_secs(60);
const PAIRS: usize = 3;

fn goes_on_until_it_is_halted<L: Host>() {
    let parameters = json!({
        "pairs": PAIRS, "mode": "timed", "rounds": 1, "seconds": 1, "report": 7, "size": 50, "payload": "copy"
    });
    let parameters = parameters.as_object().expect("an object");
    let record = iterate::<L>(
        &mut *program::<L, Pairs>(),
        &mut start::<L>(2),
        parameters,
        true,
        PATIENCE,
    )
    .expect("an iteration");
    assert!(record.wall >= Duration::from_secs(1));

    let outcome = record.outcome;
    assert_eq!(outcome.checks, [], "the payload depends on the time");
    let (name, exchanges) = &outcome.per_actor[0];
    assert_eq!((*name, exchanges.len()), ("n", PAIRS));
    assert!(exchanges.iter().all(|exchanges| *exchanges >= 1), "{exchanges:?}");
    let total: i64 = exchanges.iter().sum();
    assert_eq!(outcome.result, Number::Integer(total));

    let reports: i64 = exchanges.iter().map(|exchanges| (exchanges + 6) / 7).sum();
    let work = record.work.expect("it was counted");
    assert_eq!(work.actors, 1 + 2 * PAIRS as i64);
    // As in mode fixed, and a Halt for every pair.
    assert_eq!(work.messages, 2 * total + reports + 4 * PAIRS as i64);
    assert!(
        matches!(outcome.metrics[0], ("throughput", Number::Float(per_minute)) if per_minute > 0.0),
        "{:?}",
        outcome.metrics
    );
}

#[test]
fn datil() {
    goes_on_until_it_is_halted::<Datil>();
}

#[test]
fn tokio() {
    goes_on_until_it_is_halted::<Tokio>();
}

#[test]
fn actix() {
    goes_on_until_it_is_halted::<Actix>();
}

#[test]
fn ractor() {
    goes_on_until_it_is_halted::<Ractor>();
}

#[test]
fn kameo() {
    goes_on_until_it_is_halted::<Kameo>();
}
