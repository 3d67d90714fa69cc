//! What is asked of `adaptive-locality`, checked in the simulator.
//!
//! Ignored by default because it simulates some thousand runs. In a release build:
//!
//! ```text
//! cargo test --release -p datil-sim --test acceptance -- --ignored --nocapture
//! ```

use datil_sim::acceptance::{Check, Outcome, accept};

#[test]
#[ignore = "simulates some thousand runs"]
fn adaptive_locality_keeps_what_is_asked_of_it() {
    let acceptance = accept(3).expect("it runs");
    acceptance.checks.iter().for_each(show);
    for check in &acceptance.checks {
        assert_ne!(check.outcome, Outcome::Broken, "{check:?}");
    }
    // What is claimed of Matrix Search must be beyond doubt.
    for check in &acceptance.checks[..3] {
        assert_eq!(check.outcome, Outcome::Kept, "{check:?}");
    }
}

fn show(check: &Check) {
    println!(
        "{:?}: {}, at most {:.2}",
        check.outcome, check.statement, check.limit
    );
    let (undecided, broken) = (check.undecided.iter(), check.broken.iter());
    for (at, ratio) in std::iter::once(&check.worst).chain(broken).chain(undecided) {
        let (mean, error, seeds) = (ratio.mean, ratio.error, ratio.seeds);
        println!("    {mean:.3} +- {error:.3} at {at}, {seeds} seeds");
    }
}
