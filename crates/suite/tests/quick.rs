//! Every benchmark on every library with the preset `quick`: results and checks. It is a thousand times `tiny`, and takes
//! seconds in a release build (`cargo test --release -p suite --test quick`). Without optimisation it would take many
//! minutes; `scoville verify --preset quick` compares the same numbers, through the peers.

mod common;

use std::time::Duration;

use common::{iterate, mismatch, quick, start};
use suite::adapters::actix::Actix;
use suite::adapters::datil::Datil;
use suite::adapters::kameo::Kameo;
use suite::adapters::ractor::Ractor;
use suite::adapters::tokio::Tokio;
use suite::benchmarks;
use suite::library::Host;

const PATIENCE: Duration = Duration::from_secs(600);

fn all_benchmarks<L: Host>() {
    let mut system = start::<L>(2);
    for (program, case) in benchmarks::all::<L>().iter_mut().zip(quick()) {
        assert_eq!(program.name(), case.benchmark);
        let record = iterate::<L>(&mut **program, &mut system, &case.parameters, false, PATIENCE)
            .unwrap_or_else(|failure| panic!("{} failed: {failure:?}", case.benchmark));
        assert_eq!(mismatch(&case, &record.outcome, None), None, "{}", case.benchmark);
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes many minutes without optimisation")]
fn tokio() {
    all_benchmarks::<Tokio>();
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes many minutes without optimisation")]
fn actix() {
    all_benchmarks::<Actix>();
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes many minutes without optimisation")]
fn ractor() {
    all_benchmarks::<Ractor>();
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes many minutes without optimisation")]
fn kameo() {
    all_benchmarks::<Kameo>();
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes many minutes without optimisation")]
fn datil() {
    all_benchmarks::<Datil>();
}
