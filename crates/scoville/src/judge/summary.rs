//! Whole suites: one runtime against the baseline.

use std::collections::BTreeMap;

use crate::digits::number_of;
use crate::model::analysis::{Cell, CellState, Disturbance, Estimate, GroupAnalysis, Measure, Summary};
use crate::stats::geomean;

use super::cell::named;
use super::pair::{typical, typical_method};
use super::replay::Session;
use super::{CONFIDENCE, disturbance};

/// Measures whose ratios have a meaning over a suite.
const SUMMARISED: [Measure; 4] = [Measure::Wall, Measure::Cold, Measure::Cpu, Measure::Memory];

/// One summary for every size, core count, measure and runtime that has a benchmark in common with the baseline.
pub(super) fn summaries(session: &Session<'_>, groups: &[GroupAnalysis]) -> Vec<Summary> {
    let mut summaries = Vec::new();
    for suite in suites(groups) {
        let Some(baseline) = reference(&suite, &session.plan.baseline) else {
            continue;
        };
        for measure in SUMMARISED {
            for runtime in runtimes(&suite).into_iter().filter(|name| *name != baseline) {
                summaries.extend(summary(&suite, measure, runtime, baseline, session.plan.seed));
            }
        }
    }
    summaries
}

/// Groups of one size and core count.
pub(super) type Suite<'a> = Vec<&'a GroupAnalysis>;

/// The groups by size and core count, in plan order.
pub(super) fn suites(groups: &[GroupAnalysis]) -> Vec<Suite<'_>> {
    let mut suites: Vec<Suite<'_>> = Vec::new();
    for group in groups {
        let key = (&group.key.preset, group.key.cores);
        match suites
            .iter_mut()
            .find(|suite| (&suite[0].key.preset, suite[0].key.cores) == key)
        {
            Some(suite) => suite.push(group),
            None => suites.push(vec![group]),
        }
    }
    suites
}

/// What ratios are relative to: the plan's baseline if it has numbers in some group of the suite, else the first
/// runtime that has. `None` where nobody has.
pub(super) fn reference<'a>(suite: &[&'a GroupAnalysis], baseline: &str) -> Option<&'a str> {
    let with_numbers = || {
        suite
            .iter()
            .flat_map(|group| &group.cells)
            .filter(|cell| cell.state.has_numbers())
    };
    let wanted = with_numbers().find(|cell| cell.runtime == baseline);
    wanted
        .or_else(|| with_numbers().next())
        .map(|cell| cell.runtime.as_str())
}

/// Every runtime of a suite once, in plan order.
pub(super) fn runtimes<'a>(suite: &[&'a GroupAnalysis]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for cell in suite.iter().flat_map(|group| &group.cells) {
        if !names.contains(&cell.runtime.as_str()) {
            names.push(&cell.runtime);
        }
    }
    names
}

/// A benchmark of a summary.
struct Entry<'a> {
    benchmark: &'a str,
    logs: Vec<f64>,
    typical: f64,
    disturbance: Option<&'a Disturbance>,
}

fn summary(suite: &Suite<'_>, measure: Measure, runtime: &str, baseline: &str, seed: u64) -> Option<Summary> {
    let (mut entries, mut missing) = (Vec::new(), Vec::new());
    for group in suite {
        match entry(group, measure, runtime, baseline) {
            Ok(entry) => entries.push(entry),
            Err(reason) => missing.push((group.key.benchmark.clone(), reason)),
        }
    }
    let by_ratio = |a: &&Entry<'_>, b: &&Entry<'_>| a.typical.total_cmp(&b.typical);
    let named = |entry: &Entry<'_>| (entry.benchmark.to_owned(), entry.typical.exp());
    let smallest = named(entries.iter().min_by(by_ratio)?);
    let largest = named(entries.iter().max_by(by_ratio)?);
    Some(Summary {
        measure,
        runtime: runtime.to_owned(),
        baseline: baseline.to_owned(),
        preset: suite[0].key.preset.clone(),
        cores: suite[0].key.cores,
        geomean: geometric_mean(&entries, (smallest.1, largest.1), seed)?,
        smallest,
        largest,
        common: entries.iter().map(|entry| entry.benchmark.to_owned()).collect(),
        missing,
        disturbance: disturbance::sum(entries.iter().filter_map(|entry| entry.disturbance)),
    })
}

fn entry<'a>(group: &'a GroupAnalysis, measure: Measure, a: &str, b: &str) -> Result<Entry<'a>, String> {
    let cell = |name: &str| {
        let cell = group.cells.iter().find(|cell| cell.runtime == name);
        let cell = cell.ok_or_else(|| format!("{name} was not planned"))?;
        match without_numbers(&cell.state) {
            Some(reason) => Err(format!("{name}: {reason}")),
            None => Ok(cell),
        }
    };
    let logs = log_ratios(cell(a)?, cell(b)?, measure);
    let mut pairs = group.pairs.iter();
    let pair = pairs.find(|pair| pair.measure == measure && pair.a == a && pair.b == b);
    match typical(&logs) {
        Some(middle) => Ok(Entry {
            benchmark: &group.key.benchmark,
            typical: middle.value,
            logs,
            disturbance: pair.map(|pair| &pair.disturbance),
        }),
        None => Err(format!("no block in which both {a} and {b} have this measure")),
    }
}

/// Why a cell has no numbers; `None` if it has.
pub(super) fn without_numbers(state: &CellState) -> Option<String> {
    match state {
        CellState::Verified | CellState::Partly { .. } => None,
        CellState::Void { failure } => Some(format!("wrong result: {}", failure.message)),
        CellState::Failed { failure, .. } => Some(format!("failed: {}", failure.message)),
        CellState::Unverified { reason } => Some(format!("unverified: {reason}")),
        CellState::Unsupported { reason } => Some(format!("unsupported: {reason}")),
        CellState::Missing => Some("not measured yet".to_owned()),
    }
}

fn log_ratios(a: &Cell, b: &Cell, measure: Measure) -> Vec<f64> {
    let by_block = |cell: &Cell| -> BTreeMap<u32, f64> {
        let value = |point: &crate::model::analysis::InvocationPoint| point.summaries.get(&measure).copied();
        cell.invocations
            .iter()
            .filter_map(|point| Some((point.block, value(point)?.ln())))
            .collect()
    };
    let others = by_block(b);
    by_block(a)
        .iter()
        .filter_map(|(block, log)| Some(log - others.get(block)?))
        .collect()
}

fn geometric_mean(entries: &[Entry<'_>], range: (f64, f64), seed: u64) -> Option<Estimate> {
    let logs: Vec<&[f64]> = entries.iter().map(|entry| &entry.logs[..]).collect();
    let (value, interval) = if let [only] = logs[..] {
        let middle = typical(only)?;
        (
            middle.value,
            middle
                .interval
                .map(|i| named(i.exp(), typical_method(only.len()))),
        )
    } else {
        let mean = geomean::suite_mean(&logs, CONFIDENCE, seed)?;
        (
            mean.value,
            mean.interval
                .map(|i| named(i.exp(), "blocks resampled within benchmarks")),
        )
    };
    Some(Estimate {
        value: value.exp(),
        interval,
        n: logs.iter().map(|blocks| blocks.len() as u32).sum(),
        range,
        source: format!(
            "geometric mean of the typical ratios of {}",
            number_of(entries.len(), "benchmark")
        ),
    })
}
