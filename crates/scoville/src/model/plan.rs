//! What is to be measured: the resolved matrix and the method.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::benchmark::{Argument, BenchmarkName, PresetName, Value, Work};
use super::runtime::{Launch, RuntimeName};

/// Everything a session will do, resolved and reproducible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Seed of every random choice of the session: order in blocks, environment padding, bootstrap.
    pub seed: u64,
    /// How it is measured.
    pub method: Method,
    /// What is compared with what.
    pub groups: Vec<Group>,
    /// What is grown until it fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ladders: Vec<Ladder>,
    /// What was asked for and will not be run.
    pub skipped: Vec<Skip>,
    /// The runtime that ratios are relative to.
    pub baseline: RuntimeName,
}

/// One benchmark at one size on one number of cores: its competitors meet in blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Which group.
    pub key: GroupKey,
    /// Parameters sent to the runtimes.
    pub parameters: BTreeMap<String, Argument>,
    /// What every iteration must return.
    pub expect: BTreeMap<String, Value>,
    /// Why results are not compared with an expectation; empty if they are.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unverified: String,
    /// How much work one iteration is.
    pub work: Work,
    /// What the scheduling adds to the messages of `work`, as an expression; empty if nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub messages_plus: String,
    /// CPUs that the invocations are bound to; as many as the key's cores.
    pub cpus: Vec<u32>,
    /// Who competes.
    pub competitors: Vec<Competitor>,
}

/// Identity of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupKey {
    /// The benchmark.
    pub benchmark: BenchmarkName,
    /// The size.
    pub preset: PresetName,
    /// Number of CPUs and of workers.
    pub cores: u32,
}

/// One benchmark on one number of cores, grown step by step until each runtime fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ladder {
    /// Which ladder.
    pub key: LadderKey,
    /// The parameter that grows.
    pub parameter: String,
    /// Its first value.
    pub from: i64,
    /// Its largest value, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// All parameters sent to the runtimes; the one that grows is replaced.
    pub parameters: BTreeMap<String, Argument>,
    /// What an iteration must return: a [`Formula`](super::formula::Formula) of the parameters for every field.
    pub expect: BTreeMap<String, String>,
    /// Metrics in nanoseconds whose sum is the time of a step; none for the timed region itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time: Vec<String>,
    /// When a step counts as failed.
    pub limits: GrowthLimits,
    /// CPUs that the invocations are bound to.
    pub cpus: Vec<u32>,
    /// Who climbs.
    pub competitors: Vec<Competitor>,
}

/// Identity of a ladder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LadderKey {
    /// The benchmark.
    pub benchmark: BenchmarkName,
    /// Number of CPUs and of workers.
    pub cores: u32,
}

/// When a step of a ladder counts as failed, beside a crash and a wrong result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrowthLimits {
    /// It takes longer than this, ns.
    pub time_ns: u64,
    /// It has more resident memory than this, bytes.
    pub memory_bytes: u64,
    /// Steps between the largest value that passed and the smallest that failed, to narrow the limit.
    pub bisections: u32,
}

/// One runtime in a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Competitor {
    /// Name shown and stored; differs from the runtime's own when one runtime is measured under two names.
    pub runtime: RuntimeName,
    /// Name that the runtime's own `hello` must carry.
    pub reports_as: RuntimeName,
    /// How it is started, with nothing left to fill in.
    pub launch: Launch,
}

/// A cell that was asked for and will not be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skip {
    /// The runtime.
    pub runtime: RuntimeName,
    /// The benchmark, or `None` if the whole runtime is left out.
    pub benchmark: Option<BenchmarkName>,
    /// Why, in a sentence that says what to do about it.
    pub reason: String,
    /// Whether the whole runtime was to take part and could not be used: a program that it needs is missing or does not
    /// answer, it cannot be built, or it does not start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unusable: bool,
}

impl Skip {
    /// How a reason begins that says that a runtime lacks a benchmark which others have.
    pub const UNSUPPORTED: &str = "unsupported: ";

    /// Why the runtime lacks the benchmark, if that is why it was left out.
    pub fn unsupported(&self) -> Option<&str> {
        self.reason.strip_prefix(Self::UNSUPPORTED)
    }
}

/// How cells are measured and when to stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// Name of the method: `quick`, `standard`, `fixed`.
    pub name: String,
    /// Fewest blocks before precision may stop a group.
    pub min_blocks: u32,
    /// Most blocks.
    pub max_blocks: u32,
    /// Stop a group when the interval of every ratio to the baseline is within this relative half-width.
    pub target: Option<f64>,
    /// Stop starting blocks after this much time in invocations, in nanoseconds; [`Method::sure_blocks`] come first.
    pub budget_ns: Option<u64>,
    /// Iterations in one invocation.
    pub iterations: IterationRule,
    /// Ratios within this relative margin count as equal.
    pub margin: f64,
    /// Time limits.
    pub limits: Limits,
}

impl Method {
    /// Blocks of every group that no budget cuts: the first verifies everything, and without a second no number has an
    /// interval.
    pub fn sure_blocks(&self) -> u32 {
        self.min_blocks.clamp(1, 2)
    }
}

/// When an invocation has made enough iterations: at least `min`, then until `floor_ns` of timed work, at most `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationRule {
    /// Fewest iterations.
    pub min: u32,
    /// Most iterations.
    pub max: u32,
    /// Timed work wanted in one invocation, in nanoseconds.
    pub floor_ns: u64,
    /// No further iteration is started, whatever `min` says, once the timed work exceeds this, in nanoseconds.
    pub ceiling_ns: u64,
}

/// Time limits of the protocol's states, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// From start to `hello`, and from `run` to `begin`.
    pub start_ns: u64,
    /// From `begin` to `end`.
    pub iteration_ns: u64,
    /// From `bye` to exit.
    pub leave_ns: u64,
}
