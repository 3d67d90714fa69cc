//! One runtime in a group: state, estimates, warm-up, fairness.

use std::collections::BTreeMap;

use crate::digits::number_of;
use crate::model::analysis::{
    Cell, CellState, Disturbance, Estimate, Interval, Measure, Warmup, WarmupSummary,
};
use crate::model::invocation::{Failure, Outcome};
use crate::model::plan::Group;
use crate::model::reading::Reading;
use crate::stats::quantile::{median, median_of_logs, of_sorted, sorted};
use crate::stats::{bootstrap, dispersion, order_statistics, student};

use super::contamination::RunJudgement;
use super::point::{Sample, sample};
use super::replay::{GroupLog, Run};
use super::{CONFIDENCE, disturbance, fairness, process};

/// From this many invocations order statistics bound the median with 95 %.
pub(super) const EXACT_FROM: usize = 6;
/// From this many invocations the bootstrap of the median keeps its level.
const BOOTSTRAP_FROM: usize = 20;
/// Share of invocations that must agree for a cell to have a warm-up class.
const CONSISTENT: f64 = 0.8;

/// A judged cell with the samples that pairs are made of.
pub(super) struct Judged {
    /// What the report reads.
    pub cell: Cell,
    /// Usable samples of a cell with numbers, ascending by block; empty otherwise.
    pub samples: Vec<Sample>,
}

/// Judges the cell of a competitor.
pub(super) fn judge(log: &GroupLog<'_>, competitor: usize, judged: &[RunJudgement]) -> Judged {
    let mine = |(run, _): &(&Run<'_>, &RunJudgement)| run.competitor == competitor;
    let runs: Vec<(&Run<'_>, &RunJudgement)> = log.runs.iter().zip(judged).filter(mine).collect();
    let state = withheld(state(&runs), &log.group.unverified);
    let mut all = all_samples(&runs, &state, log.group.key.cores);
    let too_short = forget_unreadable(&mut all);
    let invocations = all.iter().map(|sample| sample.point.clone()).collect();
    let mut samples: Vec<Sample> = all
        .into_iter()
        .filter(|sample| state.has_numbers() && sample.usable)
        .collect();
    samples.sort_by_key(|sample| sample.block);
    let used: Vec<&Run<'_>> = runs
        .iter()
        .map(|(run, _)| *run)
        .filter(|run| run.usable() && state.has_metrics())
        .collect();
    let estimates = estimates(&samples);
    let walls = values(&samples, Measure::Wall);
    let unavailable = match state.has_numbers() {
        true => unavailable(&estimates, &used, too_short),
        false => BTreeMap::new(),
    };
    let cell = Cell {
        process: process::medians(
            used.iter().map(|run| &run.invocation.process),
            log.group.key.cores,
        ),
        runtime: log.group.competitors[competitor].runtime.clone(),
        state,
        ns_per_message: estimates
            .get(&Measure::Wall)
            .zip(messages(log.group))
            .map(|(wall, messages)| per_message(wall, messages)),
        cv_between: dispersion::variation(&walls),
        cv_within: cv_within(&samples),
        warmup: warmup(&samples),
        fairness: fairness::fairness(&used),
        metrics: metrics(&samples, &used),
        disturbance: disturbance::of(samples.iter().map(|sample| sample.disturbed_by.clone())),
        estimates,
        unavailable,
        invocations,
    };
    Judged { cell, samples }
}

/// Every invocation, with no more of its numbers than the cell's state allows.
fn all_samples(runs: &[(&Run<'_>, &RunJudgement)], state: &CellState, cores: u32) -> Vec<Sample> {
    let mut all: Vec<Sample> = runs
        .iter()
        .map(|(run, judged)| sample(run, judged, cores))
        .collect();
    if matches!(state, CellState::Void { .. } | CellState::Unverified { .. }) {
        all.iter_mut().for_each(erase_times);
    }
    if !matches!(state, CellState::Verified | CellState::Partly { .. }) {
        all.iter_mut().for_each(|sample| sample.point.summaries.clear());
    }
    all
}

/// Iterations that are typically shorter than this, ns, are over before the laboratory has woken up at their beginning.
const READABLE_NS: f64 = 1e6;

/// Takes away what was read around iterations that are too short for it, and says whether they are. This is decided for
/// the whole cell: if every invocation decided for itself, numbers would come from the slow ones alone.
fn forget_unreadable(samples: &mut [Sample]) -> bool {
    // A time below the resolution of its clock is shorter than any.
    let wall = |sample: &Sample| sample.point.summaries.get(&Measure::Wall).copied().unwrap_or(0.0);
    let walls: Vec<f64> = samples.iter().filter(|sample| sample.usable).map(wall).collect();
    let walls = sorted(&walls);
    let too_short = !walls.is_empty() && of_sorted(&walls, 0.5) < READABLE_NS;
    if too_short {
        for sample in samples {
            for measure in FROM_OUTSIDE {
                sample.forget(measure);
            }
        }
    }
    too_short
}

/// Why nothing read from outside is known of most iterations.
const SEEN_LATE: &str = "the machine was so busy that the laboratory read most beginnings only with the ends";

/// Why measures have no estimate.
fn unavailable(
    estimates: &BTreeMap<Measure, Estimate>,
    runs: &[&Run<'_>],
    too_short: bool,
) -> BTreeMap<Measure, String> {
    let unread = |measure| match measure {
        Measure::Cpu | Measure::Utilisation => {
            runs.iter()
                .find_map(|run| match run.invocation.iterations.cpu_ns.as_ref()? {
                    Reading::Unavailable { unavailable } => Some(unavailable.as_str()),
                    Reading::Known { value, .. } => {
                        let gaps = value.iter().filter(|ns| ns.is_none()).count();
                        (gaps > 0 && 2 * gaps >= value.len()).then_some(SEEN_LATE)
                    }
                })
        }
        Measure::Memory => (runs.iter()).find_map(|run| run.invocation.process.peak_bytes.reason()),
        Measure::Wall | Measure::Cold => None,
    };
    let reason = |measure| {
        if too_short && FROM_OUTSIDE.contains(&measure) {
            return "an iteration takes less than a millisecond, too short to be read from outside"
                .to_owned();
        }
        unread(measure).map_or_else(|| "below the resolution of its source".to_owned(), str::to_owned)
    };
    MEASURES
        .into_iter()
        .filter(|measure| !estimates.contains_key(measure))
        .map(|measure| (measure, reason(measure)))
        .collect()
}

/// A runtime that was left out because it lacks the benchmark, as a cell beside those that have it.
pub(super) fn unsupported(runtime: &str, reason: &str) -> Cell {
    Cell {
        runtime: runtime.to_owned(),
        state: CellState::Unsupported {
            reason: reason.to_owned(),
        },
        estimates: BTreeMap::new(),
        unavailable: BTreeMap::new(),
        ns_per_message: None,
        cv_between: None,
        cv_within: None,
        warmup: warmup(&[]),
        disturbance: Disturbance::default(),
        invocations: Vec::new(),
        fairness: BTreeMap::new(),
        metrics: BTreeMap::new(),
        process: BTreeMap::new(),
    }
}

/// A wrong result, or one that nobody can judge: no time may appear anywhere.
fn erase_times(sample: &mut Sample) {
    sample.point.wall_ns.clear();
    sample.point.steady_from = 0;
    sample.point.warmup = Warmup::TooShort;
}

/// A result that nobody can judge, for this reason, counts as unverified; without a reason everything stays.
fn withheld(state: CellState, unverified: &str) -> CellState {
    match state {
        CellState::Verified | CellState::Partly { .. } if !unverified.is_empty() => CellState::Unverified {
            reason: unverified.to_owned(),
        },
        state => state,
    }
}

fn state(runs: &[(&Run<'_>, &RunJudgement)]) -> CellState {
    let counted: Vec<&Run<'_>> = runs
        .iter()
        .map(|(run, _)| *run)
        .filter(|run| !run.interrupted())
        .collect();
    if let Some(failure) = counted.iter().find_map(|run| run.wrong()) {
        return CellState::Void {
            failure: failure.clone(),
        };
    }
    let failures: Vec<&Failure> = counted.iter().filter_map(|run| run.failure()).collect();
    let unsupported = counted.iter().find_map(|run| match &run.invocation.outcome {
        Outcome::Unsupported { reason } => Some(reason.clone()),
        Outcome::Ok | Outcome::Failed(_) => None,
    });
    // A run that a later one stands for gives no numbers, but it may have failed.
    let usable = counted.iter().filter(|run| run.usable()).count() as u32;
    let failed = failures.len() as u32;
    match (usable > 0, failures.first(), unsupported) {
        (true, None, _) => CellState::Verified,
        (true, Some(&first), _) => CellState::Partly {
            failed,
            of: usable + failed,
            first: first.clone(),
        },
        (false, Some(&failure), _) => CellState::Failed {
            failure: failure.clone(),
            failed,
        },
        (false, None, Some(reason)) => CellState::Unsupported { reason },
        (false, None, None) => CellState::Missing,
    }
}

/// Summaries of a measure, in block order.
fn values(samples: &[Sample], measure: Measure) -> Vec<f64> {
    samples
        .iter()
        .filter_map(|sample| sample.point.summaries.get(&measure).copied())
        .collect()
}

/// Every measure in the order of [`Measure`].
pub(super) const MEASURES: [Measure; 5] = [
    Measure::Wall,
    Measure::Cold,
    Measure::Cpu,
    Measure::Memory,
    Measure::Utilisation,
];

/// What the laboratory reads at the ends of each iteration.
const FROM_OUTSIDE: [Measure; 2] = [Measure::Cpu, Measure::Utilisation];

fn estimates(samples: &[Sample]) -> BTreeMap<Measure, Estimate> {
    MEASURES
        .into_iter()
        .filter_map(|measure| Some((measure, estimate(samples, measure)?)))
        .collect()
}

/// The estimate of a measure by the rule for its number of invocations; `None` where no invocation has it.
fn estimate(samples: &[Sample], measure: Measure) -> Option<Estimate> {
    let values = sorted(&values(samples, measure));
    let (&low, &high) = (values.first()?, values.last()?);
    let read_from = sources(samples.iter().filter_map(|sample| sample.sources.get(&measure)));
    let (value, statistic, interval) = match values.len() {
        1 => (values[0], "one invocation", None),
        2..EXACT_FROM => {
            let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
            let interval = student::interval(&logs, CONFIDENCE).map(|i| named(i.exp(), "t on logs (few)"));
            (
                student::mean(&logs).exp(),
                "geometric mean of invocations",
                interval,
            )
        }
        EXACT_FROM..BOOTSTRAP_FROM => {
            let interval = order_statistics::median_interval(&values, CONFIDENCE);
            (
                median_of_logs(&values)?,
                "median of invocations",
                interval.map(|i| named(i, "order statistics")),
            )
        }
        _ => {
            let interval = bootstrap::median_of_medians(&levels(samples, measure), CONFIDENCE);
            (
                median_of_logs(&values)?,
                "median of invocations",
                interval.map(|i| named(i, "hierarchical bootstrap")),
            )
        }
    };
    Some(Estimate {
        value,
        interval,
        n: values.len() as u32,
        range: (low, high),
        source: format!("{statistic}; {read_from}"),
    })
}

/// Per invocation the values that its summary was made of.
fn levels(samples: &[Sample], measure: Measure) -> Vec<Vec<f64>> {
    let level = |sample: &Sample| {
        let summary = *sample.point.summaries.get(&measure)?;
        Some(
            sample
                .steady
                .get(&measure)
                .cloned()
                .unwrap_or_else(|| vec![summary]),
        )
    };
    samples.iter().filter_map(level).collect()
}

/// An interval with the name of its method.
pub(super) fn named(interval: crate::stats::Interval, method: &str) -> Interval {
    Interval {
        low: interval.low,
        high: interval.high,
        confidence: interval.confidence,
        method: method.to_owned(),
    }
}

/// Every distinct source once, in order of appearance.
pub(super) fn sources<'a>(each: impl Iterator<Item = &'a String>) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for source in each {
        if !distinct.contains(&source.as_str()) {
            distinct.push(source);
        }
    }
    distinct.join(" and ")
}

/// The number of messages of an iteration, where it does not depend on scheduling.
fn messages(group: &Group) -> Option<u64> {
    let fixed = group.messages_plus.is_empty();
    group.work.messages.filter(|messages| fixed && *messages > 0)
}

fn per_message(wall: &Estimate, messages: u64) -> Estimate {
    let share = |ns: f64| ns / messages as f64;
    Estimate {
        value: share(wall.value),
        interval: wall.interval.clone().map(|i| Interval {
            low: share(i.low),
            high: share(i.high),
            ..i
        }),
        n: wall.n,
        range: (share(wall.range.0), share(wall.range.1)),
        source: format!(
            "{}; over {} of the catalogue",
            wall.source,
            number_of(messages as usize, "message")
        ),
    }
}

fn cv_within(samples: &[Sample]) -> Option<f64> {
    let of_one = |sample: &Sample| dispersion::variation(sample.steady.get(&Measure::Wall)?);
    median(&samples.iter().filter_map(of_one).collect::<Vec<_>>())
}

fn warmup(samples: &[Sample]) -> WarmupSummary {
    let mut classes = BTreeMap::new();
    for sample in samples {
        *classes.entry(sample.point.warmup).or_insert(0) += 1;
    }
    let enough = CONSISTENT * samples.len() as f64;
    let consistent = classes
        .iter()
        .find(|(_, count)| f64::from(**count) >= enough)
        .map(|(class, _)| *class);
    WarmupSummary { classes, consistent }
}

/// Per metric the median over invocations of the median over steady iterations.
fn metrics(samples: &[Sample], runs: &[&Run<'_>]) -> BTreeMap<String, f64> {
    let mut medians: BTreeMap<&String, Vec<f64>> = BTreeMap::new();
    for run in runs {
        let of_run = samples
            .iter()
            .find(|sample| sample.point.sequence == run.sequence);
        let from = of_run.map_or(0, |sample| sample.point.steady_from as usize);
        for (name, values) in &run.invocation.iterations.metrics {
            let steady = values.get(from..).unwrap_or_default().iter().flatten();
            let steady: Vec<f64> = steady.copied().filter(|value| value.is_finite()).collect();
            medians.entry(name).or_default().extend(median(&steady));
        }
    }
    medians
        .into_iter()
        .filter_map(|(name, values)| Some((name.clone(), median(&values)?)))
        .collect()
}
