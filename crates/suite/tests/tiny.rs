//! Every benchmark on every library with the preset `tiny`: results, checks and work are those of the entries.

mod common;

use std::time::Duration;

use common::{Case, iterate, mismatch, start, tiny, tiny_modes};
use serde_json::json;
use suite::adapters::actix::Actix;
use suite::adapters::datil::{self, Datil, DatilQueries, DatilUrgent};
use suite::adapters::kameo::Kameo;
use suite::adapters::ractor::Ractor;
use suite::adapters::tokio::Tokio;
use suite::benchmark::Number;
use suite::benchmarks;
use suite::iteration::{Failure, Program};
use suite::library::{Host, Options};

const PATIENCE: Duration = Duration::from_secs(60);

/// Plain and counting iterations in turn, so that what one leaves behind would show in the next.
fn all_benchmarks<L: Host>(system: &mut L::System) {
    let mut programs = benchmarks::all::<L>();
    let cases = tiny();
    assert_eq!(
        programs.iter().map(|program| program.name()).collect::<Vec<_>>(),
        cases.iter().map(|case| case.benchmark).collect::<Vec<_>>()
    );
    run::<L>(&mut programs, system, cases.into_iter().chain(tiny_modes()));
}

fn run<L: Host>(
    programs: &mut [Box<dyn Program<L>>],
    system: &mut L::System,
    cases: impl Iterator<Item = Case>,
) {
    for case in cases {
        let program = programs
            .iter_mut()
            .find(|program| program.name() == case.benchmark);
        let program = program.expect("a program for every case");
        for count_messages in [false, true, true, false, false] {
            let ended = iterate::<L>(&mut **program, system, &case.parameters, count_messages, PATIENCE);
            let place = case.parameters.get("place");
            if place.is_some_and(|place| place == "roundrobin") && L::deals_out(system).is_err() {
                assert!(matches!(ended, Err(Failure::Unsupported(_))), "{ended:?}");
                continue;
            }
            let record = ended.unwrap_or_else(|failure| panic!("{} failed: {failure:?}", case.benchmark));
            assert_eq!(
                mismatch(&case, &record.outcome, record.work),
                None,
                "{}",
                case.benchmark
            );
            assert_eq!(record.work.is_some(), count_messages);
        }
    }
}

fn with_workers<L: Host>() {
    for workers in [1, 2, 4] {
        all_benchmarks::<L>(&mut start::<L>(workers));
    }
}

#[test]
fn tokio() {
    with_workers::<Tokio>();
}

#[test]
fn actix() {
    with_workers::<Actix>();
}

#[test]
fn actix_with_every_placement() {
    for policy in ["spread", "dealt"] {
        for workers in [1, 2, 4] {
            let options = Options {
                policy: Some(policy.to_owned()),
                ..Options::workers(workers)
            };
            all_benchmarks::<Actix>(&mut Actix::start(&options).expect("actix starts"));
        }
    }
}

#[test]
fn ractor() {
    with_workers::<Ractor>();
}

#[test]
fn kameo() {
    with_workers::<Kameo>();
}

#[test]
fn datil() {
    with_workers::<Datil>();
}

#[test]
fn datil_batched() {
    for workers in [1, 2, 4] {
        let options = Options {
            batched: true,
            ..Options::workers(workers)
        };
        all_benchmarks::<Datil>(&mut Datil::start(&options).expect("datil starts"));
    }
}

/// The variant has only the benchmarks in which something is only read.
#[test]
fn datil_queries() {
    for workers in [1, 2, 4] {
        let mut programs = benchmarks::with_reads::<DatilQueries>();
        let names: Vec<_> = programs.iter().map(|program| program.name()).collect();
        assert_eq!(names, ["concdict", "concsll"]);
        let cases = tiny().into_iter().filter(|case| names.contains(&case.benchmark));
        run(&mut programs, &mut start::<DatilQueries>(workers), cases);
    }
}

/// The variant has only the benchmarks in which something is urgent.
#[test]
fn datil_urgent() {
    for workers in [1, 2, 4] {
        let mut programs = benchmarks::with_urgency::<DatilUrgent>();
        let names: Vec<_> = programs.iter().map(|program| program.name()).collect();
        assert_eq!(names, ["astar", "nqueenk"]);
        let cases = tiny().into_iter().chain(tiny_modes());
        let cases = cases.filter(|case| names.contains(&case.benchmark));
        run(&mut programs, &mut start::<DatilUrgent>(workers), cases);
    }
}

/// A search that is broken off sends its request to stop behind urgent and other work that waits.
#[test]
fn urgent_work_is_not_lost_when_a_search_is_broken_off() {
    let parameters = json!({"w": 4, "n": 8, "t": 3, "k": 20, "p": 10});
    let parameters = parameters.as_object().expect("an object");
    for workers in [1, 2, 4] {
        let mut programs = benchmarks::with_urgency::<DatilUrgent>();
        let mut system = start::<DatilUrgent>(workers);
        for _ in 0..50 {
            let program = &mut *programs[1];
            let record = iterate::<DatilUrgent>(program, &mut system, parameters, false, PATIENCE);
            let record = record.unwrap_or_else(|failure| panic!("{workers} workers: {failure:?}"));
            assert_eq!(record.outcome.result, Number::Integer(20), "{workers} workers");
        }
    }
}

#[test]
fn datil_with_every_policy() {
    for &policy in datil::POLICIES {
        let options = Options {
            policy: Some(policy.to_owned()),
            ..Options::workers(3)
        };
        all_benchmarks::<Datil>(&mut Datil::start(&options).expect("datil starts"));
    }
}
