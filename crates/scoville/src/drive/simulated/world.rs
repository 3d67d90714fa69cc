//! What a simulated machine is like: plain data, to be filled in by tests and demonstrations.

use std::collections::BTreeMap;

use super::draw::Draw;
use crate::model::benchmark::BenchmarkName;
use crate::model::invocation::{FailureKind, Order};
use crate::model::machine::Finding;

/// A whole simulated machine.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Seed of every draw.
    pub seed: u64,
    /// CPUs.
    pub cpus: u32,
    /// Runtimes by the first word of their command, else by the name that they report.
    pub runtimes: BTreeMap<String, Behaviour>,
    /// What the machine's probe finds.
    pub findings: Vec<Finding>,
    /// Relative slowing down of everything per hour (0.1: after an hour everything takes 10 % longer).
    pub drift_per_hour: f64,
    /// Sudden changes of the machine's pace.
    pub steps: Vec<Step>,
    /// Times in which CPUs are far apart.
    pub far: Option<Far>,
    /// Disturbed invocations.
    pub contamination: Option<Contamination>,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// When the user presses Ctrl-C, in ascending order, ns.
    pub presses_ns: Vec<u64>,
    /// The call of `sense_block` or `invoke`, from 0, in which the laboratory dies: it panics with
    /// [`LaboratoryCrash`], to be caught by the test that then resumes.
    pub crash_at_call: Option<u64>,
}

/// One runtime.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// Median steady time of one iteration, ns.
    pub iteration_ns: f64,
    /// The same for single benchmarks.
    pub benchmarks_ns: BTreeMap<BenchmarkName, f64>,
    /// Standard deviation of the logarithm between invocations.
    pub invocation_sd: f64,
    /// Standard deviation of the logarithm within an invocation.
    pub iteration_sd: f64,
    /// How much longer the first iteration takes than a steady one (1: twice as long); decays exponentially.
    pub warmup: f64,
    /// Iterations in which the warm-up falls to 1/e.
    pub warmup_iterations: f64,
    /// From start to `hello`, ns.
    pub start_ns: u64,
    /// From `bye` to exit, ns.
    pub leave_ns: u64,
    /// CPU time over wall time and CPUs.
    pub utilisation: f64,
    /// Peak memory, bytes.
    pub memory_bytes: f64,
    /// Metrics of every iteration.
    pub metrics: BTreeMap<String, f64>,
    /// Per-actor counters of the last iteration.
    pub per_actor: BTreeMap<String, Vec<i64>>,
    /// The reason, if it cannot do any benchmark.
    pub unsupported: Option<String>,
}

impl Default for Behaviour {
    /// A native runtime with the spreads that real ones have on a quiet machine.
    fn default() -> Self {
        Behaviour {
            iteration_ns: 10_000_000.0,
            benchmarks_ns: BTreeMap::new(),
            invocation_sd: 0.02,
            iteration_sd: 0.03,
            warmup: 0.0,
            warmup_iterations: 1.0,
            start_ns: 5_000_000,
            leave_ns: 1_000_000,
            utilisation: 0.9,
            memory_bytes: 20e6,
            metrics: BTreeMap::new(),
            per_actor: BTreeMap::new(),
            unsupported: None,
        }
    }
}

/// From a moment on everything takes `factor` times as long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// When, ns.
    pub at_ns: u64,
    /// How much, compared with the start.
    pub factor: f64,
}

/// Episodes in which a cache line takes longer from CPU to CPU. Each second of the machine's time is far or near,
/// drawn by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Far {
    /// Share of the seconds that are far.
    pub probability: f64,
    /// How much longer programs on several CPUs then take.
    pub slowdown: f64,
    /// What the hand-over sensor then shows, ns.
    pub line_ns: f64,
}

/// Invocations that others disturb, and what the sensors show of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contamination {
    /// Share of the invocations.
    pub probability: f64,
    /// How much longer they take.
    pub slowdown: f64,
    /// Sensor, 0 to 1.
    pub steal: f64,
    /// Sensor, 0 to 1.
    pub foreign: f64,
    /// Sensor, 0 to 1.
    pub pressure: f64,
}

/// Something that goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// In which runtime, by the key of [`World::runtimes`].
    pub runtime: String,
    /// In which of its invocations, from 0; in all if `None`.
    pub invocation: Option<u32>,
    /// After how many iterations.
    pub iteration: u32,
    /// What. [`Laboratory`](FailureKind::Laboratory) makes the host dirty.
    pub kind: FailureKind,
}

/// Payload of the panic with which a simulated laboratory dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaboratoryCrash {
    /// The call that it died in.
    pub call: u64,
}

impl Fault {
    /// Whether it happens in this invocation of this runtime.
    pub(super) fn hits(&self, runtime: &str, number: u32) -> bool {
        self.runtime == runtime && self.invocation.is_none_or(|invocation| invocation == number)
    }
}

impl World {
    /// The name under which the order's runtime is known here.
    pub(super) fn key(&self, order: &Order) -> String {
        let program = order.launch.command.first();
        program
            .filter(|program| self.runtimes.contains_key(*program))
            .unwrap_or(&order.reports_as)
            .clone()
    }

    /// How much longer everything takes than at the start.
    pub(super) fn pace_at(&self, now_ns: u64) -> f64 {
        let hours = now_ns as f64 / 3.6e12;
        let step = self
            .steps
            .iter()
            .rfind(|step| step.at_ns <= now_ns)
            .map_or(1.0, |step| step.factor);
        step * (1.0 + self.drift_per_hour * hours)
    }

    /// The far episode at a time, if there is one.
    pub(super) fn far_at(&self, now_ns: u64) -> Option<Far> {
        let far = self.far?;
        let second = now_ns / 1_000_000_000;
        Draw::new(!self.seed, second)
            .chance(far.probability)
            .then_some(far)
    }
}
