//! One invocation: what is asked of the measuring host and what it brings back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::benchmark::{Argument, Mismatch, Value, Work};
use super::plan::{GroupKey, IterationRule, Limits};
use super::reading::Reading;
use super::runtime::{Launch, RuntimeName};

/// Everything the host needs to run one invocation.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// How the process is started, with nothing left to fill in.
    pub launch: Launch,
    /// Name that `hello` must carry.
    pub reports_as: RuntimeName,
    /// Benchmark and size, for messages; the protocol carries the name and the parameters.
    pub group: GroupKey,
    /// Parameters to send.
    pub parameters: BTreeMap<String, Argument>,
    /// What every iteration must return.
    pub expect: BTreeMap<String, Value>,
    /// How much work one iteration is, to compare with what the runtime counts.
    pub work: Work,
    /// What the scheduling adds to the messages of `work`, as an expression; empty if nothing.
    pub messages_plus: String,
    /// Worker count to pass and to find in `hello`.
    pub workers: u32,
    /// CPUs to bind the process to.
    pub cpus: Vec<u32>,
    /// How many iterations.
    pub iterations: IterationRule,
    /// Time limits.
    pub limits: Limits,
    /// Ask the runtime to count actors and messages; such an invocation carries no times.
    pub count_messages: bool,
    /// Bytes of padding in the environment, the same for a whole block.
    pub padding: u32,
    /// Resident memory of the process at which it is ended, bytes; `None` for no limit.
    pub memory_limit: Option<u64>,
}

/// What one invocation brought back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Invocation {
    /// Whether it may be used, and if not, why.
    pub outcome: Outcome,
    /// What the runtime said of itself, if it got so far.
    pub hello: Option<Hello>,
    /// The iterations that were completed and verified, in columns.
    pub iterations: Iterations,
    /// What the process used as a whole.
    pub process: ProcessUse,
    /// The state of the machine around it.
    pub sensors: Sensors,
}

/// How an invocation ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// Every iteration returned what it must.
    Ok,
    /// The runtime said that it cannot do this benchmark.
    Unsupported {
        /// Its reason.
        reason: String,
    },
    /// Anything else.
    Failed(Failure),
}

/// Why an invocation failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The class of failure.
    pub kind: FailureKind,
    /// What happened, where, and what to do: one or two sentences.
    pub message: String,
    /// The last of what the process wrote to stderr and stdout, as text; invalid UTF-8 is replaced.
    pub stderr_tail: String,
    /// Thread dumps and kernel stacks taken before the process was ended, if any.
    pub diagnosis: String,
}

/// Classes of failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "class", rename_all = "kebab-case")]
pub enum FailureKind {
    /// The program could not be started.
    CannotStart,
    /// A result or check differs from the catalogue.
    WrongResult {
        /// The iteration, from 0.
        iteration: u32,
        /// The field.
        mismatch: Mismatch,
    },
    /// Counted actors or messages differ from the catalogue.
    WrongWork {
        /// What the catalogue says.
        expected: Work,
        /// What was counted.
        counted: Work,
    },
    /// A state of the protocol took longer than its limit.
    TimedOut {
        /// `starting`, `preparing`, `running` or `leaving`.
        state: String,
        /// The limit, in nanoseconds.
        limit_ns: u64,
    },
    /// The process ended when it should not have, or with a status other than 0.
    Crashed {
        /// Exit status, if it exited.
        status: Option<i32>,
        /// Signal, if one ended it.
        signal: Option<i32>,
    },
    /// The process said something that is not the protocol.
    Protocol,
    /// The runtime uses another number of workers than it was told to.
    Workers {
        /// What was asked for.
        asked: u32,
        /// What it uses.
        uses: u32,
    },
    /// The runtime refused a parameter.
    BadParameter,
    /// The runtime found an assertion of the benchmark violated, or one of its actors crashed.
    Assertion,
    /// Processes were left behind after the runtime's exit.
    LeftChildren {
        /// How many.
        count: u32,
    },
    /// The process wrote more to stdout and stderr than it may.
    Flood {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The process had more resident memory than it may.
    Memory {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The user ended the session while it ran.
    Interrupted,
    /// The laboratory itself could not do its part.
    Laboratory,
}

/// The runtime's greeting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// Name in the manifest.
    pub runtime: RuntimeName,
    /// Version of the runtime library.
    pub version: String,
    /// Language and compiler or VM version.
    #[serde(default)]
    pub language: String,
    /// Threads that execute actors.
    pub workers: u32,
    /// Garbage collector and setting.
    #[serde(default)]
    pub gc: String,
    /// Optional features.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// Labels of convention [C11].
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// What it can run.
    pub benchmarks: Vec<String>,
}

/// Verified iterations of one invocation in columns of equal length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Iterations {
    /// Timed region by the runtime's own clock, ns.
    pub wall_ns: Vec<u64>,
    /// From `begin` to `end` by the laboratory's clock, ns; `None` where both were read at once, so that it saw nothing of the
    /// iteration.
    pub outer_ns: Vec<Option<u64>>,
    /// CPU time of the process from `begin` to `end`, ns; `None` at the same iterations.
    pub cpu_ns: Option<Reading<Vec<Option<u64>>>>,
    /// Peak resident memory of the process during the iteration, bytes.
    pub peak_bytes: Option<Reading<Vec<u64>>>,
    /// Metrics, by name; `None` where an iteration did not report it.
    #[serde(default)]
    pub metrics: BTreeMap<String, Vec<Option<f64>>>,
    /// Per-actor counters of the last iteration.
    #[serde(default)]
    pub per_actor: BTreeMap<String, Vec<i64>>,
    /// The collector's work per iteration.
    #[serde(default)]
    pub gc: Vec<Option<GcUse>>,
    /// The verified fields of the last iteration.
    #[serde(default)]
    pub fields: BTreeMap<String, Value>,
    /// Counted work, when it was asked for.
    #[serde(default)]
    pub work: Option<Work>,
}

/// What a garbage collector did during one iteration; `None` where the runtime cannot tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GcUse {
    /// Collections.
    #[serde(default)]
    pub collections: Option<u64>,
    /// Time in which actors were stopped, ns.
    #[serde(default)]
    pub pause_ns: Option<u64>,
    /// CPU time of the collector, ns.
    #[serde(default)]
    pub cpu_ns: Option<u64>,
    /// Bytes allocated.
    #[serde(default)]
    pub allocated_bytes: Option<u64>,
    /// Where the runtime took it from.
    #[serde(default)]
    pub source: String,
}

/// What the process tree of one invocation used from start to exit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessUse {
    /// From start to reaping, ns.
    pub wall_ns: u64,
    /// From start to `hello`, ns.
    pub start_ns: Option<u64>,
    /// CPU time of the whole tree, user and system, ns.
    pub cpu_ns: Reading<u64>,
    /// Peak memory of the whole tree, bytes.
    pub peak_bytes: Reading<u64>,
    /// Resident memory at `hello`, before any benchmark, bytes.
    pub baseline_bytes: Reading<u64>,
    /// Voluntary context switches.
    pub voluntary_switches: Reading<u64>,
    /// Involuntary context switches.
    pub involuntary_switches: Reading<u64>,
    /// Time that threads were runnable and waited for a CPU, ns.
    pub run_queue_wait_ns: Reading<u64>,
    /// Most threads seen.
    pub threads: Reading<u64>,
    /// Performance events by name (`instructions`, `cycles`, `page-faults`, `cpu-migrations` ...).
    pub events: BTreeMap<String, Reading<f64>>,
}

/// The machine while an invocation ran. Contamination is judged from these alone, never from the measured value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensors {
    /// Share of the bound CPUs' time that the hypervisor gave to others, 0 to 1.
    pub steal: Reading<f64>,
    /// The most that `steal` can be off by the units of its source, as such a share; logs of earlier versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_error: Option<f64>,
    /// CPU time on the bound CPUs used by anybody else, as a share of their time, 0 to 1.
    pub foreign: Reading<f64>,
    /// The same for `foreign`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign_error: Option<f64>,
    /// Share of time in which somebody waited for a CPU (pressure stall information, `some`), 0 to 1.
    pub cpu_pressure: Reading<f64>,
    /// Lowest frequency of the bound CPUs seen, Hz.
    pub frequency_hz: Reading<f64>,
    /// Pages swapped in machine-wide.
    pub swapped_in: Reading<u64>,
}
