//! Long form: one row per invocation, or one per iteration. Times are absent, never 0, where there are none.

use std::collections::BTreeSet;

use crate::model::analysis::{Analysis, Cell, GroupAnalysis, InvocationPoint, LadderAnalysis, Rung, Warmup};

use super::words::{self, MEASURES};

/// One row per invocation, failed ones included; the empty field stands for "no number".
pub fn invocations(analysis: &Analysis) -> String {
    let mut table = Table::new(&[
        "block",
        "sequence",
        "outcome",
        "contaminated",
        "iterations",
        "steady_from",
        "warmup",
        "wall_ns",
        "cold_ns",
        "cpu_ns",
        "memory_bytes",
        "utilisation",
        "mostly_disturbed",
    ]);
    each(analysis, |group, cell, point| {
        let number = |text: String| {
            if cell.state.has_numbers() {
                text
            } else {
                String::new()
            }
        };
        let mut fields = vec![
            point.block.to_string(),
            point.sequence.to_string(),
            outcome(point).to_string(),
            point.contaminated.join("; "),
            number(point.wall_ns.len().to_string()),
            number(point.steady_from.to_string()),
            number(warmup(point.warmup).to_string()),
        ];
        fields.extend(MEASURES.iter().map(|m| {
            let value = point.summaries.get(m).map(f64::to_string);
            number(value.unwrap_or_default())
        }));
        // Of the whole cell, as its state is.
        fields.push(number(cell.disturbance.mostly.to_string()));
        table.row(analysis, group, cell, fields);
    });
    table.finish()
}

/// One row per iteration of the invocations that have numbers: every raw wall time, warm-up included.
pub fn iterations(analysis: &Analysis) -> String {
    let mut table = Table::new(&["block", "sequence", "iteration", "steady", "wall_ns"]);
    each(analysis, |group, cell, point| {
        if !cell.state.has_numbers() || point.failure.is_some() || point.superseded {
            return;
        }
        for (i, wall) in point.wall_ns.iter().enumerate() {
            let fields = vec![
                point.block.to_string(),
                point.sequence.to_string(),
                i.to_string(),
                (i >= point.steady_from as usize).to_string(),
                wall.to_string(),
            ];
            table.row(analysis, group, cell, fields);
        }
    });
    table.finish()
}

/// One row per step of every ladder; what failed has no numbers.
pub fn growth(analysis: &Analysis) -> String {
    let metrics: BTreeSet<&String> = (analysis.ladders.iter())
        .flat_map(|ladder| &ladder.climbs)
        .flat_map(|climb| &climb.rungs)
        .flat_map(|rung| rung.metrics.keys())
        .collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |fields: &[String]| {
        writer
            .write_record(fields.iter().map(|field| inert(field)))
            .expect("memory accepts bytes");
    };
    let key = GROWTH_KEY.map(str::to_owned).into_iter();
    write(
        &key.chain(metrics.iter().map(|name| (*name).clone()))
            .collect::<Vec<_>>(),
    );
    for ladder in &analysis.ladders {
        for climb in &ladder.climbs {
            for rung in &climb.rungs {
                let mut fields = step(&analysis.session, ladder, &climb.runtime, rung).to_vec();
                fields.extend(metrics.iter().map(|name| {
                    let value = rung.metrics.get(*name);
                    value.map(f64::to_string).unwrap_or_default()
                }));
                write(&fields);
            }
        }
    }
    let bytes = writer.into_inner().expect("memory accepts bytes");
    String::from_utf8(bytes).expect("only text was written")
}

/// The columns of a step before its metrics.
const GROWTH_KEY: [&str; 9] = [
    "session",
    "benchmark",
    "cores",
    "runtime",
    "parameter",
    "size",
    "outcome",
    "time_ns",
    "peak_bytes",
];

fn step(session: &str, ladder: &LadderAnalysis, runtime: &str, rung: &Rung) -> [String; GROWTH_KEY.len()] {
    [
        session.to_owned(),
        ladder.key.benchmark.clone(),
        ladder.key.cores.to_string(),
        runtime.to_owned(),
        ladder.parameter.clone(),
        rung.size.to_string(),
        rung.failed.clone().unwrap_or_else(|| "ok".into()),
        rung.time_ns.map(|x| x.to_string()).unwrap_or_default(),
        rung.peak_bytes.map(|x| x.to_string()).unwrap_or_default(),
    ]
}

fn each<'a>(analysis: &'a Analysis, mut visit: impl FnMut(&'a GroupAnalysis, &'a Cell, &'a InvocationPoint)) {
    for group in &analysis.groups {
        for cell in &group.cells {
            for point in &cell.invocations {
                visit(group, cell, point);
            }
        }
    }
}

fn outcome(point: &InvocationPoint) -> &'static str {
    (point.failure.as_ref()).map_or("ok", |f| words::failure_word(&f.kind))
}

/// Class of a warm-up as exports spell it.
pub fn warmup(class: Warmup) -> &'static str {
    match class {
        Warmup::Flat => "flat",
        Warmup::WarmUp => "warm-up",
        Warmup::SlowDown => "slow-down",
        Warmup::Unsteady => "unsteady",
        Warmup::TooShort => "too-short",
    }
}

/// Rows that begin with the cell they belong to. Writing to memory cannot fail.
struct Table(csv::Writer<Vec<u8>>);

impl Table {
    fn new(columns: &[&str]) -> Self {
        let key = ["session", "benchmark", "preset", "cores", "runtime", "state"];
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer
            .write_record(key.iter().chain(columns))
            .expect("memory accepts bytes");
        Table(writer)
    }

    fn row(&mut self, a: &Analysis, group: &GroupAnalysis, cell: &Cell, fields: Vec<String>) {
        let key = [
            a.session.clone(),
            group.key.benchmark.clone(),
            group.key.preset.clone(),
            group.key.cores.to_string(),
            cell.runtime.clone(),
            words::state_slug(&cell.state).to_string(),
        ];
        (self
            .0
            .write_record(key.into_iter().chain(fields).map(|f| inert(&f))))
        .expect("memory accepts bytes");
    }

    fn finish(self) -> String {
        let bytes = self.0.into_inner().expect("memory accepts bytes");
        String::from_utf8(bytes).expect("only text was written")
    }
}

/// A spreadsheet runs a field that begins like a formula; text from runtimes must not. Numbers are left alone.
fn inert(field: &str) -> String {
    let formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if formula && field.parse::<f64>().is_err() {
        format!("'{field}")
    } else {
        field.to_string()
    }
}
