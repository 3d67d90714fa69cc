//! What the real and the simulated machine have in common about failures.

use std::collections::BTreeMap;

use crate::model::invocation::{
    Failure, FailureKind, Invocation, Iterations, Order, Outcome, ProcessUse, Sensors,
};
use crate::model::reading::Reading;

/// Whether nothing that the invocation measured may be kept: it did not do the work, or not under the conditions.
pub fn invalidates(kind: &FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::WrongResult { .. } | FailureKind::WrongWork { .. } | FailureKind::Workers { .. }
    )
}

/// An invocation that never ran.
pub fn never_ran(order: &Order, kind: FailureKind, message: &str) -> Invocation {
    const NEVER: &str = "the process was never started";
    let who = match kind {
        FailureKind::Laboratory => "the laboratory could not start it: ",
        _ => "",
    };
    let failure = Failure {
        kind,
        message: format!("{}: {who}{message}", order.reports_as),
        stderr_tail: String::new(),
        diagnosis: String::new(),
    };
    Invocation {
        outcome: Outcome::Failed(failure),
        hello: None,
        iterations: Iterations::default(),
        process: ProcessUse {
            wall_ns: 0,
            start_ns: None,
            cpu_ns: Reading::unavailable(NEVER),
            peak_bytes: Reading::unavailable(NEVER),
            baseline_bytes: Reading::unavailable(NEVER),
            voluntary_switches: Reading::unavailable(NEVER),
            involuntary_switches: Reading::unavailable(NEVER),
            run_queue_wait_ns: Reading::unavailable(NEVER),
            threads: Reading::unavailable(NEVER),
            events: BTreeMap::new(),
        },
        sensors: Sensors {
            steal: Reading::unavailable(NEVER),
            steal_error: None,
            foreign: Reading::unavailable(NEVER),
            foreign_error: None,
            cpu_pressure: Reading::unavailable(NEVER),
            frequency_hz: Reading::unavailable(NEVER),
            swapped_in: Reading::unavailable(NEVER),
        },
    }
}
