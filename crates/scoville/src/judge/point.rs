//! One invocation: its series is segmented and summarised to one number per measure.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::analysis::{InvocationPoint, Measure, Sensor};
use crate::model::invocation::{Invocation, Outcome};
use crate::model::reading::Reading;
use crate::stats::quantile::{median_of_logs, sorted};
use crate::stats::segment::{Segmentation, segment};

use super::contamination::RunJudgement;
use super::replay::Run;

/// An invocation with the series behind its summaries.
pub(super) struct Sample {
    /// Its block.
    pub block: u32,
    /// The sensors that speak against it.
    pub disturbed_by: BTreeSet<Sensor>,
    /// Whether its numbers count.
    pub usable: bool,
    /// Steady iterations of the measures that have some, in ascending order.
    pub steady: BTreeMap<Measure, Vec<f64>>,
    /// Where the numbers were read from.
    pub sources: BTreeMap<Measure, String>,
    /// What the report draws.
    pub point: InvocationPoint,
}

/// Summarises one invocation on `cores` CPUs.
pub(super) fn sample(run: &Run<'_>, judged: &RunJudgement, cores: u32) -> Sample {
    let invocation = run.invocation;
    let logs = logs(&invocation.iterations.wall_ns);
    let segmentation = segment(&logs);
    let mut sample = Sample {
        block: run.block,
        disturbed_by: judged.sensors(),
        usable: run.usable(),
        steady: BTreeMap::new(),
        sources: BTreeMap::new(),
        point: point(run, judged, &segmentation),
    };
    if sample.usable {
        sample.series(
            Measure::Wall,
            &all(&invocation.iterations.wall_ns),
            "the runtime's clock, begin to end",
        );
        if let Some(Reading::Known { value, source }) = &invocation.iterations.cpu_ns {
            sample.series(Measure::Cpu, value, source);
        }
        sample.single(
            Measure::Cold,
            wall_of_first(invocation),
            "the runtime's clock, first iteration",
        );
        if let Reading::Known { value, source } = &invocation.process.peak_bytes {
            sample.single(Measure::Memory, Some(*value as f64), source);
        }
        sample.utilisation(invocation, cores);
    }
    sample
}

/// The summary of the wall time alone, ns: what the stopping rule needs.
pub(super) fn wall(invocation: &Invocation) -> Option<f64> {
    let times = &invocation.iterations.wall_ns;
    let from = segment(&logs(times)).steady_from;
    median_of_logs(&steady(&all(times), from)?)
}

/// A column without gaps.
fn all(values: &[u64]) -> Vec<Option<u64>> {
    values.iter().copied().map(Some).collect()
}

/// A clock too coarse to see an iteration reads 0; the iteration took at most one unit.
fn at_least_one(ns: u64) -> f64 {
    ns.max(1) as f64
}

fn logs(times: &[u64]) -> Vec<f64> {
    times.iter().map(|&ns| at_least_one(ns).ln()).collect()
}

/// What is known of the steady iterations, in ascending order. Their median must be known and above the resolution of their
/// clock: one among gaps and zeros is not.
fn steady(values: &[Option<u64>], from: usize) -> Option<Vec<f64>> {
    let steady = values.get(from..).unwrap_or_default();
    let resolved = steady.iter().filter(|&&ns| ns > Some(0)).count();
    let known = steady.iter().flatten().map(|&ns| at_least_one(ns));
    (2 * resolved > steady.len()).then(|| sorted(&known.collect::<Vec<_>>()))
}

/// 0 where the clock could not see it, which is no number for a measure.
fn wall_of_first(invocation: &Invocation) -> Option<f64> {
    invocation.iterations.wall_ns.first().map(|&ns| ns as f64)
}

fn point(run: &Run<'_>, judged: &RunJudgement, segmentation: &Segmentation) -> InvocationPoint {
    let invocation = run.invocation;
    let mut contaminated = judged.reasons();
    if run.superseded {
        contaminated.push("a later run of the same block stands for it".to_owned());
    }
    InvocationPoint {
        block: run.block,
        sequence: run.sequence,
        summaries: BTreeMap::new(),
        wall_ns: invocation.iterations.wall_ns.clone(),
        steady_from: segmentation.steady_from as u32,
        warmup: segmentation.class,
        process: invocation.process.clone(),
        sensors: invocation.sensors.clone(),
        contaminated,
        failure: match &invocation.outcome {
            Outcome::Failed(failure) => Some(failure.clone()),
            Outcome::Ok | Outcome::Unsupported { .. } => None,
        },
        superseded: run.superseded,
    }
}

impl Sample {
    /// A measure with a value per iteration: the median of the logarithms of the steady ones.
    fn series(&mut self, measure: Measure, values: &[Option<u64>], source: &str) {
        // Another length cannot be matched with the steady iterations.
        if values.len() != self.point.wall_ns.len() {
            return;
        }
        let Some(steady) = steady(values, self.point.steady_from as usize) else {
            return;
        };
        self.single(measure, median_of_logs(&steady), source);
        self.steady.insert(measure, steady);
    }

    /// Takes a measure away.
    pub(super) fn forget(&mut self, measure: Measure) {
        self.point.summaries.remove(&measure);
        self.steady.remove(&measure);
        self.sources.remove(&measure);
    }

    /// A measure with one value; what is no positive number has no ratio and is missing.
    fn single(&mut self, measure: Measure, value: Option<f64>, source: &str) {
        if let Some(value) = value.filter(|v| v.is_finite() && *v > 0.0) {
            self.point.summaries.insert(measure, value);
            self.sources.insert(measure, source.to_owned());
        }
    }

    /// CPU time of the steady iterations over what the cores had to give in that time, both from outside.
    fn utilisation(&mut self, invocation: &Invocation, cores: u32) {
        let iterations = &invocation.iterations;
        let Some(Reading::Known { value: cpu, source }) = &iterations.cpu_ns else {
            return;
        };
        let from = self.point.steady_from as usize;
        let sum = |values: &[Option<u64>]| {
            let steady = values.get(from..).unwrap_or_default();
            steady.iter().flatten().map(|&ns| ns as f64).sum::<f64>()
        };
        if cpu.len() == iterations.outer_ns.len() {
            let share = sum(cpu) / (sum(&iterations.outer_ns) * f64::from(cores));
            self.single(
                Measure::Utilisation,
                Some(share),
                &format!("{source} over the laboratory's clock and cores"),
            );
        }
    }
}
