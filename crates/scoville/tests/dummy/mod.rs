//! Orders for the dummy peer (`examples/dummy_peer.rs`), shared by the tests that start real processes.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use scoville::drive::ladder::Patience;
use scoville::drive::native::{NativeHost, Options};
use scoville::drive::{Host, Interrupt, launcher};
use scoville::model::benchmark::{Argument, Value, Work};
use scoville::model::invocation::{Failure, FailureKind, Invocation, Order, Outcome};
use scoville::model::plan::{GroupKey, IterationRule, Limits};
use scoville::model::runtime::Launch;

pub const MS: u64 = 1_000_000;
pub const SECOND: u64 = 1_000 * MS;

/// The dummy's program, brought up to date once per test program: `cargo test --test NAME` alone would not build it.
pub fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(build).clone()
}

fn build() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    // TARGET/PROFILE/deps/test
    let profile = test.ancestors().nth(2).expect("cargo's folders");
    let target = profile.parent().expect("cargo's folders");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args([
            "build",
            "--quiet",
            "--package",
            "scoville",
            "--example",
            "dummy_peer",
            "--target-dir",
        ])
        .arg(target);
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    assert!(
        cargo.status().expect("cargo starts").success(),
        "{cargo:?} failed"
    );
    profile.join("examples/dummy_peer")
}

/// The command line of a dummy with these options.
pub fn command(options: &str) -> Vec<String> {
    let program = program().to_string_lossy().into_owned();
    std::iter::once(program)
        .chain(options.split_whitespace().map(str::to_owned))
        .collect()
}

/// Five iterations of a benchmark that returns 42, with limits that no healthy dummy meets.
pub fn order(options: &str) -> Order {
    Order {
        launch: Launch {
            command: command(options),
            env: BTreeMap::new(),
            cwd: std::env::temp_dir(),
            quit: Some("SIGUSR1".to_owned()),
        },
        reports_as: "dummy".to_owned(),
        group: GroupKey {
            benchmark: "pingpong".to_owned(),
            preset: "tiny".to_owned(),
            cores: 1,
        },
        parameters: BTreeMap::from([("pings".to_owned(), Argument::from(1))]),
        expect: BTreeMap::from([("result".to_owned(), Value::Int(42))]),
        work: Work {
            actors: 2,
            messages: Some(301),
        },
        messages_plus: String::new(),
        workers: 1,
        cpus: vec![scoville::probe::topology::cpus()[0].id],
        iterations: IterationRule {
            min: 5,
            max: 5,
            floor_ns: 0,
            ceiling_ns: u64::MAX,
        },
        limits: Limits {
            start_ns: 60 * SECOND,
            iteration_ns: 60 * SECOND,
            leave_ns: 60 * SECOND,
        },
        count_messages: false,
        padding: 100,
        memory_limit: None,
    }
}

/// A host whose ladder is short enough for tests.
pub fn host(cgroups: bool) -> NativeHost {
    let options = Options {
        launcher: vec![
            env!("CARGO_BIN_EXE_scoville").to_owned(),
            launcher::ARGUMENT.to_owned(),
        ],
        patience: Patience {
            stop_ns: 300 * MS,
            diagnose_ns: 300 * MS,
            terminate_ns: 300 * MS,
            kill_ns: 30 * SECOND,
            helpers_ns: 300 * MS,
        },
        flood: 8 << 20,
        cgroups,
    };
    NativeHost::start(options).expect("the launcher starts")
}

/// Runs one order on a host of its own, first with control groups where the machine has them, then without.
pub fn invoke_both_ways(order: &Order) -> [Invocation; 2] {
    [true, false].map(|cgroups| {
        let mut host = host(cgroups);
        let invocation = host.invoke(order, &Interrupt::default());
        assert!(!host.dirty(), "{invocation:?}");
        invocation
    })
}

/// The failure of an invocation that must have failed.
pub fn failure(invocation: &Invocation) -> &Failure {
    match &invocation.outcome {
        Outcome::Failed(failure) => failure,
        other => panic!("not a failure: {other:?}"),
    }
}

/// Asserts that an order fails with a kind and words, however the tree is watched.
pub fn assert_fails(order: &Order, kind: &FailureKind, words: &str) -> [Invocation; 2] {
    let invocations = invoke_both_ways(order);
    for invocation in &invocations {
        let failure = failure(invocation);
        assert_eq!(&failure.kind, kind, "{failure:?}");
        assert!(
            failure.message.contains(words),
            "{:?} has no {words:?}",
            failure.message
        );
    }
    invocations
}
