//! What is asked of `adaptive-locality`, checked in the simulator.
//!
//! Ignored by default because it simulates some thousand runs. In a release build:
//!
//! ```text
//! cargo test --release -p datil-sim --test acceptance -- --ignored --nocapture
//! ```

use datil_sim::acceptance::accept;

#[test]
#[ignore = "simulates some thousand runs"]
fn adaptive_locality_keeps_what_is_asked_of_it() {
    let acceptance = accept(3).expect("it runs");
    for check in &acceptance.checks {
        println!(
            "{:.3} of {:.2} at {}: {}",
            check.worst, check.limit, check.at, check.statement
        );
    }
    for check in &acceptance.checks {
        assert!(check.holds, "{check:?}");
    }
}
