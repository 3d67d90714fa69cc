//! The methods that a session can be measured by.

use crate::model::plan::{IterationRule, Limits, Method};

const SECOND: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

/// Ratios within 2 % count as equal.
const MARGIN: f64 = 0.02;

/// Enough blocks for intervals that hold: 12 to 30, until the ratios are known within 2 %.
///
/// Twelve, since n blocks cannot give a p value below 2/2ⁿ, and Holm's adjustment multiplies the smallest one by the
/// number of benchmarks: with all of the suite, ten blocks could never pass 5 %. With twelve a difference passes even
/// if one block, the one in which it was smallest, says the opposite.
pub fn standard() -> Method {
    Method {
        name: "standard".into(),
        min_blocks: 12,
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

/// A first impression with intervals: as many blocks as fit into [`QUICK_NS`] for every benchmark, up to six, the fewest for
/// which the signed-rank interval of a ratio exists at 95 %.
///
/// Two iterations, since with one a slow runtime would be judged by its cold start and a fast one by its steady time.
/// Only an iteration longer than the ceiling is not repeated.
pub fn quick() -> Method {
    Method {
        name: "quick".into(),
        min_blocks: 6,
        max_blocks: 6,
        target: None,
        budget_ns: Some(QUICK_NS),
        iterations: IterationRule {
            min: 2,
            max: 10,
            floor_ns: 100 * MS,
            ceiling_ns: SECOND,
        },
        margin: MARGIN,
        limits: limits(60),
    }
}

/// Measuring time of `quick` for each benchmark, size and core count: the eight micro-benchmarks take a minute and a half, the
/// whole catalogue eight minutes.
pub const QUICK_NS: u64 = 12 * SECOND;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{holm, signed_rank};

    #[test]
    fn a_clear_difference_survives_the_adjustment_over_the_whole_suite() {
        /// As many benchmarks as the suite has when it is complete.
        const SUITE: usize = 40;
        let adjusted = |blocks: u32, contrary: f64| {
            let mut differences: Vec<f64> = (1..=blocks).map(f64::from).collect();
            differences[0] *= contrary;
            let mut family = vec![1.0; SUITE];
            family[0] = signed_rank::p_value(&differences);
            holm::adjust(&family)[0]
        };
        assert!(adjusted(standard().min_blocks, -1.0) < 0.05);
        assert!(adjusted(standard().min_blocks - 1, -1.0) > 0.05, "fewer would do");
        assert!(adjusted(10, 1.0) > 0.05);
    }
}
