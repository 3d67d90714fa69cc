//! The methods that a session can be measured by.

use crate::model::plan::{IterationRule, Limits, Method};

const SECOND: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

/// Ratios within 2 % count as equal.
const MARGIN: f64 = 0.02;

/// Enough blocks for intervals that hold: 10 to 30, until the ratios are known within 2 %.
pub fn standard() -> Method {
    Method {
        name: "standard".into(),
        min_blocks: 10,
        max_blocks: 30,
        target: Some(0.02),
        budget_ns: None,
        iterations: IterationRule {
            min: 10,
            max: 200,
            floor_ns: SECOND,
            ceiling_ns: 6 * SECOND,
        },
        margin: MARGIN,
        limits: limits(300),
    }
}

/// A first impression with intervals within two minutes: six blocks, the fewest for which the signed-rank interval of
/// a ratio exists at 95 %, of short invocations.
pub fn quick() -> Method {
    Method {
        name: "quick".into(),
        min_blocks: 6,
        max_blocks: 6,
        target: None,
        budget_ns: Some(120 * SECOND),
        iterations: IterationRule {
            min: 3,
            max: 10,
            floor_ns: 100 * MS,
            ceiling_ns: 500 * MS,
        },
        margin: MARGIN,
        limits: limits(60),
    }
}

/// The number of blocks is fixed beforehand; nothing but a budget stops earlier.
pub fn fixed(blocks: u32, like: Method) -> Method {
    Method {
        name: "fixed".into(),
        min_blocks: blocks,
        max_blocks: blocks,
        target: None,
        ..like
    }
}

fn limits(first_iteration_s: u64) -> Limits {
    Limits {
        start_ns: 60 * SECOND,
        iteration_ns: first_iteration_s * SECOND,
        leave_ns: 10 * SECOND,
    }
}
