//! What the facade costs: ping-pong and the counting actor, written by hand against each library, beside the suite's; for
//! tokio four more, and two in which a message less is sent where tokio needs none.
//!
//! The two programs of a pair run in turn, so that both see the same machine; the ratio facade / hand of each round is
//! independent of its drift. Run in release, on an otherwise idle machine:
//!
//!     cargo run --release -p suite --example facade_cost -- [ROUNDS [BENCHMARK-VARIANT [WORKERS]]]
//!
//! With a variant (such as `count-tokio-hand`) only that one runs, to count its instructions with callgrind. Two runs that
//! differ in ROUNDS give the instructions per round, free of the start of the process; one worker keeps the spinning of idle
//! workers out of them.

mod hand;

use std::time::Duration;

use serde_json::{Map, Value, json};
use suite::adapters::{actix::Actix, datil::Datil, kameo::Kameo, ractor::Ractor, tokio::Tokio};
use suite::benchmark::{Number, Phased};
use suite::benchmarks::{Big, Chameneos, Count, Fibonacci, ForkJoinCreation, PingPong};
use suite::iteration::{Order, program};
use suite::library::{Host, Options};

const PINGS: i64 = 200_000;
const MESSAGES: i64 = 1_000_000;
const ACTORS: i64 = 200_000;
const INDEX: i64 = 24;
const CREATURES: i64 = 101;
const MEETINGS: i64 = 100_000;
const PLAYERS: i64 = 120;
const PINGS_OF_EACH: i64 = 4_000;

/// A program that runs once and tells its time, after it has checked its result.
type Run = Box<dyn FnMut() -> Duration>;

/// A name, and how to prepare the program over the facade and the one written by hand.
type Pair<'a> = (&'static str, [&'a dyn Fn() -> Run; 2]);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds = arguments
        .next()
        .map_or(21, |text| text.parse().expect("ROUNDS is a number"));
    let only = arguments.next();
    let workers = arguments
        .next()
        .map_or(2, |text| text.parse().expect("WORKERS is a number"));
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);

    let pings = json!({ "pings": PINGS });
    let messages = json!({ "messages": MESSAGES });
    let actors = json!({ "actors": ACTORS });
    let index = json!({ "index": INDEX });
    let meetings = json!({ "creatures": CREATURES, "meetings": MEETINGS });
    let players = json!({ "pings": PINGS_OF_EACH, "actors": PLAYERS });
    let pairs: [Pair<'_>; 24] = [
        (
            "pingpong-tokio",
            [&|| facade::<Tokio, PingPong>(workers, &pings), &|| {
                hand::tokio::pingpong(start::<Tokio>(workers), PINGS)
            }],
        ),
        (
            "count-tokio",
            [&|| facade::<Tokio, Count>(workers, &messages), &|| {
                hand::tokio::count(start::<Tokio>(workers), MESSAGES)
            }],
        ),
        (
            "pingpong-bare-tokio",
            [&|| facade::<Tokio, PingPong>(workers, &pings), &|| {
                hand::tokio::pingpong_bare(start::<Tokio>(workers), PINGS)
            }],
        ),
        (
            "fjcreate-tokio",
            [&|| facade::<Tokio, ForkJoinCreation>(workers, &actors), &|| {
                hand::tokio::fjcreate(start::<Tokio>(workers), ACTORS)
            }],
        ),
        (
            "fib-tokio",
            [&|| facade::<Tokio, Fibonacci>(workers, &index), &|| {
                hand::tokio::fib(start::<Tokio>(workers), INDEX)
            }],
        ),
        (
            "fib-bare-tokio",
            [&|| facade::<Tokio, Fibonacci>(workers, &index), &|| {
                hand::tokio::fib_bare(start::<Tokio>(workers), INDEX)
            }],
        ),
        (
            "chameneos-tokio",
            [&|| facade::<Tokio, Chameneos>(workers, &meetings), &|| {
                hand::tokio::chameneos(start::<Tokio>(workers), CREATURES, MEETINGS)
            }],
        ),
        (
            "big-tokio",
            [&|| facade::<Tokio, Big>(workers, &players), &|| {
                hand::tokio::big(start::<Tokio>(workers), PINGS_OF_EACH, PLAYERS)
            }],
        ),
        (
            "pingpong-actix",
            [&|| facade::<Actix, PingPong>(workers, &pings), &|| {
                hand::actix::pingpong(hand::actix::Place::new(), PINGS)
            }],
        ),
        (
            "count-actix",
            [&|| facade::<Actix, Count>(workers, &messages), &|| {
                hand::actix::count(hand::actix::Place::new(), MESSAGES)
            }],
        ),
        (
            "fjcreate-actix",
            [&|| facade::<Actix, ForkJoinCreation>(workers, &actors), &|| {
                hand::actix::fjcreate(hand::actix::Place::new(), ACTORS)
            }],
        ),
        (
            "fib-actix",
            [&|| facade::<Actix, Fibonacci>(workers, &index), &|| {
                hand::actix::fib(hand::actix::Place::new(), INDEX)
            }],
        ),
        (
            "pingpong-ractor",
            [&|| facade::<Ractor, PingPong>(workers, &pings), &|| {
                hand::ractor::pingpong(start::<Ractor>(workers), PINGS)
            }],
        ),
        (
            "count-ractor",
            [&|| facade::<Ractor, Count>(workers, &messages), &|| {
                hand::ractor::count(start::<Ractor>(workers), MESSAGES)
            }],
        ),
        (
            "fjcreate-ractor",
            [&|| facade::<Ractor, ForkJoinCreation>(workers, &actors), &|| {
                hand::ractor::fjcreate(start::<Ractor>(workers), ACTORS)
            }],
        ),
        (
            "fib-ractor",
            [&|| facade::<Ractor, Fibonacci>(workers, &index), &|| {
                hand::ractor::fib(start::<Ractor>(workers), INDEX)
            }],
        ),
        (
            "pingpong-kameo",
            [&|| facade::<Kameo, PingPong>(workers, &pings), &|| {
                hand::kameo::pingpong(start::<Kameo>(workers), PINGS)
            }],
        ),
        (
            "count-kameo",
            [&|| facade::<Kameo, Count>(workers, &messages), &|| {
                hand::kameo::count(start::<Kameo>(workers), MESSAGES)
            }],
        ),
        (
            "fjcreate-kameo",
            [&|| facade::<Kameo, ForkJoinCreation>(workers, &actors), &|| {
                hand::kameo::fjcreate(start::<Kameo>(workers), ACTORS)
            }],
        ),
        (
            "fib-kameo",
            [&|| facade::<Kameo, Fibonacci>(workers, &index), &|| {
                hand::kameo::fib(start::<Kameo>(workers), INDEX)
            }],
        ),
        (
            "pingpong-datil",
            [&|| facade::<Datil, PingPong>(workers, &pings), &|| {
                hand::datil::pingpong(datil(workers), PINGS)
            }],
        ),
        (
            "count-datil",
            [&|| facade::<Datil, Count>(workers, &messages), &|| {
                hand::datil::count(datil(workers), MESSAGES)
            }],
        ),
        (
            "fjcreate-datil",
            [&|| facade::<Datil, ForkJoinCreation>(workers, &actors), &|| {
                hand::datil::fjcreate(datil(workers), ACTORS)
            }],
        ),
        (
            "fib-datil",
            [&|| facade::<Datil, Fibonacci>(workers, &index), &|| {
                hand::datil::fib(datil(workers), INDEX)
            }],
        ),
    ];
    for (name, [facade, hand]) in pairs {
        let runs = [("facade", facade), ("hand", hand)];
        let mut runs: Vec<Run> = runs
            .iter()
            .filter(|(variant, _)| wanted(&format!("{name}-{variant}")))
            .map(|(_, prepare)| prepare())
            .collect();
        match runs.as_mut_slice() {
            [facade, hand] => compare(name, facade, hand, rounds),
            [single] => (0..rounds).for_each(|_| _ = single()),
            _ => {}
        }
    }
}

/// Runs both in turn, each first in every other round, and prints the ratios' quartiles.
fn compare(name: &str, facade: &mut Run, hand: &mut Run, rounds: u32) {
    let mut ratios: Vec<f64> = Vec::new();
    let mut times = [Duration::MAX; 2];
    for round in 0..rounds {
        let (of_facade, of_hand) = if round % 2 == 0 {
            let first = facade();
            (first, hand())
        } else {
            let first = hand();
            (facade(), first)
        };
        ratios.push(of_facade.as_secs_f64() / of_hand.as_secs_f64());
        times = [times[0].min(of_facade), times[1].min(of_hand)];
    }
    ratios.sort_by(f64::total_cmp);
    let at = |part: usize| ratios[(ratios.len() - 1) * part / 4];
    println!(
        "{name:16} facade/hand: median {:.3}, quartiles {:.3} to {:.3}; minima {:.1} ms and {:.1} ms, ratio {:.3}",
        at(2),
        at(1),
        at(3),
        times[0].as_secs_f64() * 1e3,
        times[1].as_secs_f64() * 1e3,
        times[0].as_secs_f64() / times[1].as_secs_f64(),
    );
}

fn start<L: Host>(workers: usize) -> L::System {
    L::start(&Options::workers(workers)).expect("the library starts")
}

fn datil(workers: usize) -> datil::Runtime {
    let runtime = datil::Runtime::builder().workers(workers).build();
    runtime.expect("datil starts")
}

fn facade<L: Host, B: Phased>(workers: usize, parameters: &Value) -> Run {
    let parameters: Map<String, Value> = parameters.as_object().expect("an object").clone();
    let mut system = start::<L>(workers);
    let mut program = program::<L, B>();
    Box::new(move || {
        let order = Order {
            parameters: &parameters,
            count_messages: false,
            patience: None,
            begin: &mut || (),
        };
        let record = program
            .iterate(&mut system, order)
            .expect("the iteration succeeds");
        assert!(matches!(record.outcome.result, Number::Integer(result) if result > 0));
        record.wall
    })
}
