//! The simulated host works by datil's numbers. It cannot ask for them, since datil keeps them to itself; so both sources are read here, and say
//! the same.

use std::fs;
use std::path::Path;

/// A constant in a file of datil's, and in one of the simulated host's.
const SAME: &[(&str, &str, &str, &str)] = &[
    ("worker/brought.rs", "LONG", "brought.rs", "LONG"),
    ("worker/run.rs", "LOOK_EVERY", "sharing.rs", "LOOK_EVERY"),
    ("worker/queue.rs", "STEP", "sharing.rs", "STEP"),
    ("worker/core/mod.rs", "SHORT", "sharing.rs", "SHORT"),
    ("worker/thief.rs", "PATIENCE_OF_A_THIEF", "hunting.rs", "PATIENCE"),
    (
        "worker/thief.rs",
        "BETWEEN_ATTEMPTS",
        "hunting.rs",
        "BETWEEN_ATTEMPTS",
    ),
    ("worker/rest.rs", "PATIENCE", "inbox.rs", "PATIENCE"),
    ("worker/forwarded.rs", "REMITTED", "inbox.rs", "REMITTED"),
    ("worker/absence.rs", "ROUNDS", "guard.rs", "CALM"),
    ("worker/learning.rs", "STALE", "learning.rs", "COMPARED"),
    ("worker/learning.rs", "MOST_KEPT", "learning.rs", "MOST_KEPT"),
    ("worker/learning.rs", "LONG", "learning.rs", "LONG"),
    ("worker/toll.rs", "SAMPLE", "stint.rs", "TIMED"),
    (
        "worker/toll.rs",
        "LESS_THAN_THE_CLOCK",
        "apart.rs",
        "OF_THE_CLOCK",
    ),
    ("worker/toll.rs", "LONGEST", "apart.rs", "LONGEST"),
    ("worker/toll.rs", "MESSAGE", "apart.rs", "LATER"),
    ("worker/toll.rs", "MOVED", "apart.rs", "LATER"),
];

/// The value of a constant: the last number of its line, in nanoseconds if it is a time.
fn number(source: &str, name: &str) -> Option<u64> {
    let line = source.lines().find(|line| {
        let names = |rest: &str| rest.starts_with(&format!("{name}:"));
        line.split_once("const ").is_some_and(|(_, rest)| names(rest))
    })?;
    let (_, value) = line.split_once(" = ")?;
    let mut digits = value
        .split(|c: char| !c.is_ascii_digit() && c != '_')
        .filter(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    let number: u64 = digits.next_back()?.replace('_', "").parse().ok()?;
    let unit = if value.contains("from_millis") {
        1_000_000
    } else if value.contains("from_micros") {
        1_000
    } else {
        1
    };
    Some(number * unit)
}

fn source(of: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(of);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_simulated_host_has_the_numbers_that_datil_has() {
    for &(file, theirs, copy, ours) in SAME {
        let native = number(&source(&format!("datil/src/{file}")), theirs);
        let simulated = number(&source(&format!("datil-sim/src/host/engine/{copy}")), ours);
        assert!(native.is_some(), "{file} has no {theirs}");
        assert_eq!(native, simulated, "{theirs} in {file}, {ours} in {copy}");
    }
}

#[test]
fn the_machine_pair_has_the_numbers_that_datil_has() {
    let pair = datil_sim::machine::preset("pair").unwrap();
    let owners = pair.owners.expect("actors belong to workers there");
    let of = |file: &str, name: &str| number(&source(&format!("datil/src/worker/{file}")), name);
    assert_eq!(of("brought.rs", "SILENCE"), Some(owners.silence));
    assert_eq!(of("brought.rs", "LAST_LOOKS"), Some(owners.patience.into()));
    assert_eq!(of("search.rs", "BRIEFLY"), Some(owners.patience.into()));
    assert_eq!(of("brought.rs", "EVERY"), Some(owners.look_every.into()));
    assert_eq!(of("forwarded.rs", "ENOUGH"), Some(owners.ahead.into()));
    assert_eq!(of("forwarded.rs", "PATIENCE"), Some(owners.wait));
}

#[test]
fn cells_are_as_large_as_datil_s() {
    let pool = source("datil/src/pool/mod.rs");
    let sizes = pool.lines().find(|line| line.contains("const CELL_SIZES"));
    let largest = sizes.and_then(|line| line.trim_end_matches("];").rsplit(' ').next());
    let owners = source("datil-sim/src/host/engine/owners.rs");
    assert_eq!(largest.map(str::parse), number(&owners, "LARGEST_CELL").map(Ok));
}

#[test]
fn numbers_are_read_as_they_are_written() {
    let source = "const LONG: Nanos = 500_000;\nconst LONGEST: Duration = Duration::from_micros(4);\n\
                  pub(crate) const STEP: usize = if cfg!(shuttle) { 4 } else { 64 };";
    assert_eq!(number(source, "LONG"), Some(500_000));
    assert_eq!(number(source, "LONGEST"), Some(4_000));
    assert_eq!(number(source, "STEP"), Some(64));
    assert_eq!(number(source, "TEP"), None);
}
