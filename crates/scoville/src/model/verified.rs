//! What `scoville verify` found out about a cell.

use serde::{Deserialize, Serialize};

use super::plan::GroupKey;
use super::runtime::RuntimeName;

/// One cell, verified once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerifiedCell {
    /// Seconds since 1970.
    pub unix: f64,
    /// Benchmark, size and cores.
    pub group: GroupKey,
    /// The runtime.
    pub runtime: RuntimeName,
    /// Its version, if it got as far as to say it.
    pub version: String,
    /// What came of it.
    pub verdict: CellVerdict,
}

/// What verifying a cell brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum CellVerdict {
    /// The results are right; the work was counted and is right.
    Counted,
    /// The results are right; the runtime does not count its work.
    Uncounted,
    /// It ran to its end, and nothing says what it should have returned.
    Unverified {
        /// Why there is no expectation.
        reason: String,
    },
    /// The runtime cannot do it.
    Unsupported {
        /// Its reason.
        reason: String,
    },
    /// Anything else.
    Failed {
        /// What happened.
        message: String,
    },
}
