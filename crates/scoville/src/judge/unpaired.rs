//! The same runtime in two sessions. Nothing ran side by side, so whatever changed on the machine in between is part of
//! the difference, and no interval shows it: weaker evidence than a pair within blocks.

use std::collections::BTreeMap;

use crate::model::analysis::{Analysis, Cell, CellState, Disturbance, Estimate, Measure, Verdict};
use crate::model::invocation::Hello;
use crate::model::machine::Machine;
use crate::model::plan::{Group, GroupKey};
use crate::model::runtime::RuntimeName;
use crate::stats::{self, student};

use super::cell::named;
use super::verdict::verdict;
use super::{CONFIDENCE, disturbance};

/// One cell in session `a` relative to the same cell in session `b`.
#[derive(Clone, Debug, PartialEq)]
pub struct Unpaired {
    /// The group.
    pub key: GroupKey,
    /// The runtime.
    pub runtime: RuntimeName,
    /// Ratio of geometric means a/b, with Welch's interval on the logarithms.
    pub ratio: Estimate,
    /// What to conclude, at the margin of session `a`.
    pub verdict: Verdict,
    /// State of the cell in `a` and in `b`.
    pub states: [CellState; 2],
    /// Of the cell whose invocations were disturbed the more.
    pub disturbance: Disturbance,
}

/// Every cell that has numbers in both sessions and did the same work in both, in the order of `a`.
pub fn across_sessions(a: &Analysis, b: &Analysis, measure: Measure) -> Vec<Unpaired> {
    let margin = a.plan.method.margin;
    let compared = in_both(a, b).filter_map(|(key, [cell, other])| {
        let (xs, ys) = (logs(cell, measure)?, logs(other, measure)?);
        let interval = welch(&xs, &ys);
        Some(Unpaired {
            key: key.clone(),
            runtime: cell.runtime.clone(),
            ratio: estimate(&xs, &ys, interval),
            verdict: verdict(interval, margin),
            states: [cell, other].map(|cell| cell.state.clone()),
            disturbance: disturbance::worse(&cell.disturbance, &other.disturbance).clone(),
        })
    });
    compared.collect()
}

/// The other cells of the same work in both sessions, each as it is in `a` and in `b`: those that [`across_sessions`] has no
/// ratio of.
pub fn without_ratio<'a>(
    a: &'a Analysis,
    b: &'a Analysis,
    measure: Measure,
) -> Vec<(&'a GroupKey, [&'a Cell; 2])> {
    in_both(a, b)
        .filter(|(_, cells)| cells.iter().any(|cell| logs(cell, measure).is_none()))
        .collect()
}

/// Every cell that both sessions have, where it is the same work in both.
fn in_both<'a>(a: &'a Analysis, b: &'a Analysis) -> impl Iterator<Item = (&'a GroupKey, [&'a Cell; 2])> {
    comparable(a, b).filter_map(|(key, cell)| Some((key, [cell, like(b, key, cell)?])))
}

/// Every cell with numbers that the other session does not have at all, as it is in `a` and in `b`.
pub fn in_one_only<'a>(
    a: &'a Analysis,
    b: &'a Analysis,
    measure: Measure,
) -> Vec<(&'a GroupKey, [Option<&'a Cell>; 2])> {
    let of = |here: &'a Analysis, there: &'a Analysis| {
        comparable(here, there)
            .filter(move |(key, cell)| logs(cell, measure).is_some() && like(there, key, cell).is_none())
    };
    let of_a = of(a, b).map(|(key, cell)| (key, [Some(cell), None]));
    of_a.chain(of(b, a).map(|(key, cell)| (key, [None, Some(cell)])))
        .collect()
}

/// The cells of a session without those of groups that are other work in the other session.
fn comparable<'a>(
    here: &'a Analysis,
    there: &Analysis,
) -> impl Iterator<Item = (&'a GroupKey, &'a Cell)> + use<'a> {
    let other_work = of_other_work(here, there);
    let groups = here.groups.iter();
    groups
        .filter(move |group| !other_work.contains(&&group.key))
        .flat_map(|group| group.cells.iter().map(move |cell| (&group.key, cell)))
}

/// The same cell of another session.
fn like<'a>(there: &'a Analysis, key: &GroupKey, cell: &Cell) -> Option<&'a Cell> {
    let group = there.groups.iter().find(|group| group.key == *key)?;
    group.cells.iter().find(|other| other.runtime == cell.runtime)
}

/// What besides time is known to differ between two sessions, called A and B, in sentences without a full stop.
pub fn differences(a: &Analysis, b: &Analysis) -> Vec<String> {
    let mut differences = Vec::new();
    if a.machine.fingerprint != b.machine.fingerprint {
        differences.push("the two were measured on different machines".to_owned());
    } else {
        differences.extend(settings(&a.machine, &b.machine));
    }
    if a.tool != b.tool {
        differences.push(format!("{} measured A, {} measured B", a.tool, b.tool));
    }
    let [of_a, of_b] = [a, b].map(|session| &session.plan.method);
    if of_a.iterations != of_b.iterations {
        differences.push(format!(
            "an invocation has other iterations in A ({}) than in B ({})",
            of_a.name, of_b.name
        ));
    }
    differences.extend(a.runtimes.iter().filter_map(|runtime| {
        let other = b.runtimes.iter().find(|other| other.name == runtime.name)?;
        let [in_a, in_b] = [runtime, other].map(|of| of.hello.as_ref().map(identity));
        let (in_a, in_b) = (in_a?, in_b?);
        (in_a != in_b).then(|| format!("{} is {in_a} in A and {in_b} in B", runtime.name))
    }));
    differences.extend(of_other_work(a, b).into_iter().map(|key| {
        format!(
            "{} {} has other parameters or results in A than in B, so it is not compared",
            key.benchmark, key.preset
        )
    }));
    differences
}

/// Kernel and settings of one machine that have changed in between, where both are known.
fn settings(a: &Machine, b: &Machine) -> Vec<String> {
    let differs = |(name, [in_a, in_b]): (&str, [&str; 2])| format!("{name}: {in_a} in A, {in_b} in B");
    a.changes(b).into_iter().map(differs).collect()
}

/// Runtime, version and language as it greeted.
fn identity(hello: &Hello) -> String {
    let language = match hello.language.as_str() {
        "" => String::new(),
        language => format!(" ({language})"),
    };
    format!("{} {}{language}", hello.runtime, hello.version)
}

/// Groups of both sessions that share no more than the name of their size: the catalogue has changed in between.
pub fn of_other_work<'a>(a: &'a Analysis, b: &Analysis) -> Vec<&'a GroupKey> {
    let differs = |group: &&Group| {
        let same = |other: &Group| other.parameters == group.parameters && other.expect == group.expect;
        let others = b.plan.groups.iter();
        others
            .filter(|other| other.key == group.key)
            .any(|other| !same(other))
    };
    let groups = a.plan.groups.iter().filter(differs);
    groups.map(|group| &group.key).collect()
}

/// One cell relative to another that ran in other blocks; `None` unless both have numbers.
pub(super) fn quotient(a: &Cell, b: &Cell, measure: Measure) -> Option<Estimate> {
    let (xs, ys) = (logs(a, measure)?, logs(b, measure)?);
    Some(Estimate {
        source: "geometric means of different blocks".into(),
        ..estimate(&xs, &ys, welch(&xs, &ys))
    })
}

/// Logarithms of the invocation summaries, one per block; `None` without any.
fn logs(cell: &Cell, measure: Measure) -> Option<Vec<f64>> {
    if !cell.state.has_numbers() {
        return None;
    }
    // A block that was run again counts by its last run.
    let last: BTreeMap<u32, f64> = cell
        .invocations
        .iter()
        .filter(|point| point.failure.is_none())
        .filter_map(|point| Some((point.block, point.summaries.get(&measure)?.ln())))
        .collect();
    (!last.is_empty()).then(|| last.into_values().collect())
}

/// Welch's interval of the difference of two means: "The generalization of Student's problem when several different
/// population variances are involved", Biometrika 34 (1947). Degrees of freedom are rounded down, which widens it.
fn welch(xs: &[f64], ys: &[f64]) -> Option<stats::Interval> {
    let error = |values: &[f64]| Some(student::deviation(values)?.powi(2) / values.len() as f64);
    let (ex, ey) = (error(xs)?, error(ys)?);
    let terms = ex.powi(2) / (xs.len() - 1) as f64 + ey.powi(2) / (ys.len() - 1) as f64;
    // Without any spread the degrees of freedom are undefined; the fewest are the widest.
    let freedom = if terms > 0.0 {
        (ex + ey).powi(2) / terms
    } else {
        1.0
    };
    let reach = student::factor(CONFIDENCE, (freedom as u32).max(1)) * (ex + ey).sqrt();
    let difference = student::mean(xs) - student::mean(ys);
    Some(stats::Interval {
        low: difference - reach,
        high: difference + reach,
        confidence: CONFIDENCE,
    })
}

fn estimate(xs: &[f64], ys: &[f64], interval: Option<stats::Interval>) -> Estimate {
    let extremes = |values: &[f64]| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (low, high)
    };
    let ((x_low, x_high), (y_low, y_high)) = (extremes(xs), extremes(ys));
    Estimate {
        value: (student::mean(xs) - student::mean(ys)).exp(),
        interval: interval.map(|interval| named(interval.exp(), "Welch on logs, unpaired")),
        n: xs.len().min(ys.len()) as u32,
        range: ((x_low - y_high).exp(), (x_high - y_low).exp()),
        source: "geometric means of two sessions".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welch_agrees_with_a_worked_example() {
        // A classic: 2.82 degrees of freedom would be rounded to 2; here equal sizes and spreads give n1 + n2 - 2 = 8.
        let xs = [1.0, 2.0, 3.0, 4.0, 5.0];
        let ys = [2.0, 3.0, 4.0, 5.0, 6.0];
        let interval = welch(&xs, &ys).unwrap();
        // The standard error is 1 and the 97.5 % quantile of t with 8 degrees of freedom 2.306.
        assert!((interval.low + 1.0 + 2.306).abs() < 1e-3, "{interval:?}");
        assert!((interval.high + 1.0 - 2.306).abs() < 1e-3, "{interval:?}");
    }

    #[test]
    fn one_invocation_has_no_interval() {
        assert_eq!(welch(&[1.0], &[1.0, 2.0]), None);
    }
}
