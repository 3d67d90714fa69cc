//! What the samples mean: the one value that every renderer reads. Everything that a report prints is computed before
//! this value exists; renderers compute no statistic.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::benchmark::Benchmark;
use super::invocation::{Failure, Hello, ProcessUse, Sensors};
use super::machine::{BlockSensors, Finding, Machine};
use super::plan::{GroupKey, GrowthLimits, LadderKey, Plan, Skip};
use super::runtime::RuntimeName;

/// A judged session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// Version of the exported schema.
    pub schema: u32,
    /// The session's name.
    pub session: String,
    /// The program that measured, with its version: `scoville 0.1.0`.
    pub tool: String,
    /// Start, seconds since 1970.
    pub started_unix: f64,
    /// Last event, seconds since 1970.
    pub ended_unix: f64,
    /// What was asked, as typed.
    pub arguments: Vec<String>,
    /// What was planned.
    pub plan: Plan,
    /// Where.
    pub machine: Machine,
    /// What to know about the machine.
    pub findings: Vec<Finding>,
    /// The method in one or two sentences: unit, blocks, interval, margin, seed.
    pub method: String,
    /// Catalogue entries of the benchmarks measured.
    pub benchmarks: Vec<Benchmark>,
    /// Every runtime measured.
    pub runtimes: Vec<RuntimeInfo>,
    /// Every group, in plan order.
    pub groups: Vec<GroupAnalysis>,
    /// Strong scaling of every runtime that was measured on several numbers of cores, in the groups' order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub speedups: Vec<Speedup>,
    /// Every ladder, in plan order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ladders: Vec<LadderAnalysis>,
    /// Whole-suite comparisons, one per runtime, preset and core count.
    pub summaries: Vec<Summary>,
    /// What the data say, in a few generated sentences: who leads where, what is undecided, what failed.
    pub sentences: Vec<String>,
    /// How far the session can be trusted.
    pub validity: Validity,
}

/// A runtime as it reported itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuntimeInfo {
    /// Name in the plan.
    pub name: RuntimeName,
    /// The greeting of its first invocation, if it came so far.
    pub hello: Option<Hello>,
    /// Its command line.
    pub command: Vec<String>,
}

/// The same work of the same runtime on more cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speedup {
    /// The benchmark.
    pub benchmark: String,
    /// The size.
    pub preset: String,
    /// The runtime.
    pub runtime: RuntimeName,
    /// The cores.
    pub cores: u32,
    /// Growth of the cores over the fewest that the runtime has numbers on: what the speed-up would be ideally.
    pub ideal: f64,
    /// Time on the fewest cores over time on these; without an interval on the fewest, where it is 1.
    pub speedup: Estimate,
}

/// One ladder judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderAnalysis {
    /// Which.
    pub key: LadderKey,
    /// The parameter that grows.
    pub parameter: String,
    /// When a step counts as failed.
    pub limits: GrowthLimits,
    /// Who climbed how far, in plan order; those who cannot do the benchmark at all stand at the end.
    pub climbs: Vec<Climb>,
}

/// How far a runtime has climbed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Climb {
    /// The runtime.
    pub runtime: RuntimeName,
    /// What was tried, in that order.
    pub rungs: Vec<Rung>,
    /// The largest value that passed.
    pub largest: Option<i64>,
    /// Why there is none larger.
    pub end: ClimbEnd,
}

/// Why a climb has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum ClimbEnd {
    /// It has not.
    Open,
    /// The smallest value that failed.
    Fell {
        /// The value.
        size: i64,
        /// `crash`, `time`, `memory` or `wrong`.
        why: String,
        /// What happened.
        message: String,
    },
    /// The parameter may not be larger.
    Top,
    /// The runtime cannot do the benchmark.
    Unsupported {
        /// Its reason.
        reason: String,
    },
}

/// One step of a climb.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    /// The value of the parameter.
    pub size: i64,
    /// Why it failed: `crash`, `time`, `memory` or `wrong`; `None` if it passed.
    pub failed: Option<String>,
    /// Time of the step, ns; `None` if it failed.
    pub time_ns: Option<f64>,
    /// Largest resident memory of the process, bytes; `None` if it failed or could not be read.
    pub peak_bytes: Option<u64>,
    /// Metrics by name; empty if it failed.
    pub metrics: BTreeMap<String, f64>,
}

/// One group judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupAnalysis {
    /// Which.
    pub key: GroupKey,
    /// Cells in plan order.
    pub cells: Vec<Cell>,
    /// Every ordered pair of verified cells with at least one common block, for every measure.
    pub pairs: Vec<Pair>,
    /// Blocks with their sensors.
    pub blocks: Vec<BlockInfo>,
    /// Why measuring stopped, in words; empty while it goes on.
    pub stopped: String,
}

/// One block's surroundings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockInfo {
    /// Its number.
    pub block: u32,
    /// Order in which the competitors ran.
    pub order: Vec<RuntimeName>,
    /// Sensors before.
    pub before: BlockSensors,
    /// Sensors after; `None` if the block was cut off.
    pub after: Option<BlockSensors>,
    /// Reasons why the block counts as contaminated; empty if it does not.
    pub contaminated: Vec<String>,
}

/// One runtime in a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The runtime.
    pub runtime: RuntimeName,
    /// Whether it has numbers.
    pub state: CellState,
    /// Estimates by measure; empty unless verified.
    pub estimates: BTreeMap<Measure, Estimate>,
    /// Why a measure has none, for each that a cell with numbers lacks.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unavailable: BTreeMap<Measure, String>,
    /// Nanoseconds per message, from the wall estimate and the catalogue's message count.
    pub ns_per_message: Option<Estimate>,
    /// Spread between invocations: coefficient of variation of the invocation summaries.
    pub cv_between: Option<f64>,
    /// Median spread within invocations: coefficient of variation of the steady iterations.
    pub cv_within: Option<f64>,
    /// Class of warm-up over all invocations.
    pub warmup: WarmupSummary,
    /// How many of the invocations behind its numbers were disturbed; of none unless verified.
    #[serde(default)]
    pub disturbance: Disturbance,
    /// Every invocation, in the order they ran. Failed ones are here too.
    pub invocations: Vec<InvocationPoint>,
    /// Fairness of per-actor counters, by counter name.
    pub fairness: BTreeMap<String, Fairness>,
    /// Median of every metric, by name, over the steady iterations.
    pub metrics: BTreeMap<String, f64>,
    /// Medians over the verified invocations of what the whole process tree used, by name; a name is absent where no
    /// invocation could read it: `run-queue-wait` (share of process wall time and cores), `voluntary-switches`,
    /// `involuntary-switches`, `threads`, `baseline-bytes`, `start-ns`, and every performance event by its own name.
    #[serde(default)]
    pub process: BTreeMap<String, f64>,
}

/// Whether a cell has numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum CellState {
    /// Every invocation returned what it must.
    Verified,
    /// Some invocations failed, none with a wrong result; numbers come from the others and the count is shown.
    Partly {
        /// Failed invocations.
        failed: u32,
        /// All invocations.
        of: u32,
        /// The first failure.
        first: Failure,
    },
    /// A wrong result: no time appears anywhere.
    Void {
        /// What was wrong.
        failure: Failure,
    },
    /// Nothing succeeded.
    Failed {
        /// The first failure.
        failure: Failure,
        /// How many invocations failed.
        failed: u32,
    },
    /// It ran to its end, and nothing says what it should have returned: there are metrics and no times.
    Unverified {
        /// Why there is no expectation.
        reason: String,
    },
    /// The runtime cannot do it.
    Unsupported {
        /// Its reason.
        reason: String,
    },
    /// Not measured yet.
    Missing,
}

impl CellState {
    /// Whether the cell may show times. Every renderer asks this before it prints one: a wrong result has none.
    pub fn has_numbers(&self) -> bool {
        matches!(self, CellState::Verified | CellState::Partly { .. })
    }

    /// Whether the cell may show metrics: also one whose result nobody can judge, since they are what it was run for.
    pub fn has_metrics(&self) -> bool {
        self.has_numbers() || matches!(self, CellState::Unverified { .. })
    }
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Steady time of one iteration, ns; lower is better.
    Wall,
    /// First iteration of a fresh process, ns; lower is better.
    Cold,
    /// CPU time of one steady iteration, ns; lower is better.
    Cpu,
    /// Peak memory of the process tree, bytes; lower is better.
    Memory,
    /// CPU time over wall time and cores of the steady iterations, 0 to 1; no direction.
    Utilisation,
}

/// A number with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The point estimate, in the measure's unit.
    pub value: f64,
    /// 95 % interval; `None` below two invocations.
    pub interval: Option<Interval>,
    /// Invocations behind it.
    pub n: u32,
    /// Smallest and largest invocation summary.
    pub range: (f64, f64),
    /// Where the number was read from, or how it was computed.
    pub source: String,
}

/// An interval with the method that made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Nominal confidence that was reached, such as 0.95; exact methods on few invocations may give another one.
    pub confidence: f64,
    /// Method, in words: `t on logs (few)`, `order statistics`, `hierarchical bootstrap`, `signed rank`.
    pub method: String,
}

/// Two cells of a group compared over their common blocks, `a` relative to `b`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The measure.
    pub measure: Measure,
    /// Numerator.
    pub a: RuntimeName,
    /// Denominator.
    pub b: RuntimeName,
    /// Typical ratio a/b with its interval: Hodges-Lehmann over paired log-ratios.
    pub ratio: Estimate,
    /// Mean ratio with a t interval, beside it.
    pub mean_ratio: Estimate,
    /// Share of blocks in which a was lower.
    pub share_lower: f64,
    /// What to conclude.
    pub verdict: Verdict,
    /// p value of the signed-rank test against equality, `None` below six blocks.
    pub p: Option<f64>,
    /// Holm-adjusted over the family of benchmarks shown for this pair, preset, cores and measure.
    pub p_holm: Option<f64>,
    /// Typical and mean ratio disagree by more than a half-width: one of the two is sometimes slow.
    pub asymmetric_tail: bool,
    /// Blocks that would probably decide an undecided pair.
    pub blocks_to_decide: Option<u32>,
    /// The typical ratio without the contaminated blocks, where there are any and not all are.
    pub clean_ratio: Option<Estimate>,
    /// How many of the common blocks were disturbed: on the side of a, of b, or as a whole.
    #[serde(default)]
    pub disturbance: Disturbance,
}

/// How much of what a number rests on was disturbed, by sensors alone. It changes no number and no verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Disturbance {
    /// What the number rests on: invocations, or the blocks of a ratio.
    pub of: u32,
    /// How many of them were disturbed.
    pub disturbed: u32,
    /// Whether that is at least half, so that the number is shown with a mark.
    pub mostly: bool,
    /// What fired, with how many of them it disturbed; several may have fired at one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub sensors: BTreeMap<Sensor, u32>,
}

/// What can say that an invocation was disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sensor {
    /// The hypervisor took CPU time.
    Steal,
    /// Other programs used the CPUs.
    Foreign,
    /// Somebody waited for a CPU, more than is usual for the runtime.
    Pressure,
    /// The clock of the CPUs fell.
    Frequency,
    /// Pages were swapped in.
    Swap,
    /// A cache line took long between the CPUs, around the block.
    Handover,
    /// A fixed computation was slow, around the block.
    Canary,
    /// The session was interrupted within the block, as the log says.
    Interruption,
}

/// What to conclude about a relative to b. For times and memory lower is better, so `Faster` also means smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval lies below the equivalence margin.
    Faster,
    /// Clear of equality, but it overlaps the margin.
    FasterSmall,
    /// The interval lies inside the margin.
    Equal,
    /// Clear of equality, but it overlaps the margin.
    SlowerSmall,
    /// The interval lies above the margin.
    Slower,
    /// The data do not decide.
    Undecided,
}

/// One invocation as the report draws it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InvocationPoint {
    /// Its block.
    pub block: u32,
    /// Position in the session, from 0.
    pub sequence: u32,
    /// Summaries by measure; empty if it failed.
    pub summaries: BTreeMap<Measure, f64>,
    /// Every iteration's wall time, ns.
    pub wall_ns: Vec<u64>,
    /// First steady iteration.
    pub steady_from: u32,
    /// Class of its warm-up.
    pub warmup: Warmup,
    /// What the process used.
    pub process: ProcessUse,
    /// The machine around it.
    pub sensors: Sensors,
    /// Why it counts as contaminated; empty if it does not.
    pub contaminated: Vec<String>,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// A later run of the same block stands for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub superseded: bool,
}

/// Shape of an invocation's series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Warmup {
    /// One level.
    Flat,
    /// The last level is the fastest.
    WarmUp,
    /// The last level is slower than an earlier one.
    SlowDown,
    /// No level at the end that lasts.
    Unsteady,
    /// Too few iterations to say.
    TooShort,
}

/// Warm-up classes of a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WarmupSummary {
    /// Invocations by class.
    pub classes: BTreeMap<Warmup, u32>,
    /// The class shared by at least 80 % of the invocations.
    pub consistent: Option<Warmup>,
}

/// How evenly the actors of a cell were served, over all invocations' last iterations, relative to the ideal share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fairness {
    /// Actors.
    pub actors: u32,
    /// Jain's index, 1/n to 1.
    pub jain: f64,
    /// Standard deviation relative to the mean.
    pub cv: f64,
    /// Minimum, lower quartile, median, upper quartile, maximum, each relative to the mean.
    pub five: [f64; 5],
    /// Population standard deviation, absolute.
    pub sd: f64,
    /// Mean, absolute.
    pub mean: f64,
}

/// One runtime against the baseline over all benchmarks that both verified.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The measure.
    pub measure: Measure,
    /// The runtime.
    pub runtime: RuntimeName,
    /// The baseline.
    pub baseline: RuntimeName,
    /// The size.
    pub preset: String,
    /// The cores.
    pub cores: u32,
    /// Geometric mean of the typical ratios, interval by resampling blocks within each benchmark.
    pub geomean: Estimate,
    /// Smallest and largest typical ratio, with their benchmarks.
    pub smallest: (String, f64),
    /// Largest.
    pub largest: (String, f64),
    /// Benchmarks in it.
    pub common: Vec<String>,
    /// Benchmarks missing from it, with the reason.
    pub missing: Vec<(String, String)>,
    /// How many blocks of the benchmarks in it were disturbed.
    #[serde(default)]
    pub disturbance: Disturbance,
}

/// How far a session can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Validity {
    /// Planned cells.
    pub cells: u32,
    /// Verified cells.
    pub verified: u32,
    /// Cells with a wrong result.
    pub void: u32,
    /// Cells that failed otherwise.
    pub failed: u32,
    /// Cells that the runtime declares unsupported.
    pub unsupported: u32,
    /// Invocations made.
    pub invocations: u32,
    /// Invocations contaminated, by sensors.
    pub contaminated: u32,
    /// What was asked for and not run.
    pub skipped: Vec<Skip>,
    /// Warnings with advice, most important first.
    pub warnings: Vec<Finding>,
}

impl Validity {
    /// The runtimes that were to take part and could not be used, with the first line of the reason. Those that share one
    /// stand together.
    pub fn left_out(&self) -> Vec<(Vec<&str>, &str)> {
        let mut by_reason: Vec<(Vec<&str>, &str)> = Vec::new();
        for skip in self.skipped.iter().filter(|skip| skip.unusable) {
            let line = skip.reason.lines().next().unwrap_or_default();
            match by_reason.iter_mut().find(|(_, reason)| *reason == line) {
                Some((runtimes, _)) => runtimes.push(&skip.runtime),
                None => by_reason.push((vec![&skip.runtime], line)),
            }
        }
        by_reason
    }
}
