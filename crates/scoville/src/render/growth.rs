//! The table of a ladder that terminal, Markdown and HTML share: who climbed how far, and why not further.

use crate::model::analysis::{Analysis, Climb, ClimbEnd, LadderAnalysis};
use crate::model::benchmark::Metric;

use super::field::Field;
use super::{number, words};

/// One table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What was grown, where, and under which limits.
    pub caption: String,
    /// Titles of the columns.
    pub columns: Vec<String>,
    /// One row per runtime, as many entries as columns.
    pub rows: Vec<Vec<Field>>,
}

/// The first columns, which say the most: who, how far, why not further, and what it cost.
pub const SHORT: usize = 5;

/// One table per ladder, in plan order.
pub fn tables(analysis: &Analysis) -> Vec<Table> {
    (analysis.ladders.iter())
        .map(|ladder| table(analysis, ladder))
        .collect()
}

fn table(analysis: &Analysis, ladder: &LadderAnalysis) -> Table {
    let metrics = curves(analysis, ladder);
    let parameter = &ladder.parameter;
    let mut columns = vec![
        "Runtime".to_owned(),
        format!("Largest {parameter}"),
        "Ended by".to_owned(),
        "Time".to_owned(),
        "Peak memory".to_owned(),
    ];
    columns.extend(metrics.iter().map(|m| titled(m)));
    columns.push("What happened".to_owned());
    Table {
        caption: format!(
            "{} on {}: {parameter} doubled from step to step until one failed; a step may take {} and have {} of \
             resident memory",
            ladder.key.benchmark,
            words::cores(ladder.key.cores),
            number::duration(ladder.limits.time_ns as f64),
            number::bytes(ladder.limits.memory_bytes as f64),
        ),
        columns,
        rows: ladder.climbs.iter().map(|climb| row(climb, &metrics)).collect(),
    }
}

/// Metrics that the benchmark shows over the parameter that grows.
pub fn curves<'a>(analysis: &'a Analysis, ladder: &LadderAnalysis) -> Vec<&'a Metric> {
    let benchmark = analysis
        .benchmarks
        .iter()
        .find(|b| b.name == ladder.key.benchmark);
    let curves = benchmark
        .into_iter()
        .flat_map(|b| b.curves.iter().map(move |curve| (b, curve)));
    curves
        .filter(|(_, curve)| curve.x == ladder.parameter)
        .filter_map(|(b, curve)| b.metrics.iter().find(|m| m.name == curve.y))
        .collect()
}

/// A metric with its unit.
pub fn titled(metric: &Metric) -> String {
    match metric.unit.as_str() {
        "" => metric.name.clone(),
        unit => format!("{}, {unit}", metric.name),
    }
}

fn row(climb: &Climb, metrics: &[&Metric]) -> Vec<Field> {
    let none = || Field::from("–");
    let bytes = |bytes: u64| Field::of(bytes as f64, number::bytes(bytes as f64));
    let top = climb.rungs.iter().find(|rung| Some(rung.size) == climb.largest);
    let (ended, message) = match &climb.end {
        ClimbEnd::Open => ("not yet".to_owned(), String::new()),
        ClimbEnd::Top => ("nothing".to_owned(), "the parameter may not be larger".to_owned()),
        ClimbEnd::Fell { size, why, message } => (
            format!("{why} at {}", number::count(*size as u64)),
            message.clone(),
        ),
        ClimbEnd::Unsupported { reason } => ("unsupported".to_owned(), reason.clone()),
    };
    let mut row = vec![
        climb.runtime.as_str().into(),
        climb
            .largest
            .map_or_else(none, |size| Field::of(size as f64, number::count(size as u64))),
        ended.into(),
        top.and_then(|rung| rung.time_ns)
            .map_or_else(none, |ns| Field::of(ns, number::duration(ns))),
        top.and_then(|rung| rung.peak_bytes).map_or_else(none, bytes),
    ];
    row.extend(metrics.iter().map(|metric| {
        let value = top.and_then(|rung| rung.metrics.get(&metric.name));
        value.map_or_else(none, |x| Field::of(*x, number::significant(*x)))
    }));
    row.push(message.into());
    row
}
