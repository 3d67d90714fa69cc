//! The rows of each figure for a paper: exact numbers where the report's script has compact ones. A test in a browser
//! compares the two.

use serde_json::{Map, Value, json};

use crate::model::analysis::{Analysis, Cell, Estimate, GroupAnalysis, Measure};
use crate::model::benchmark::Curve;
use crate::model::plan::Group;
use crate::model::reading::Reading;

use super::words::{self, MEASURES};
use super::{comparison, growth, number};

/// What a figure shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The runtime that ratios are relative to.
    pub baseline: String,
    /// The measure.
    pub measure: Measure,
    /// Size and cores.
    pub size: (String, u32),
    /// The runtime of the forest plot.
    pub runtime: String,
    /// The benchmark of a figure that belongs to one.
    pub benchmark: Option<String>,
}

/// The rows of the figure `id`, empty where nothing is verified.
pub fn rows(analysis: &Analysis, id: &str, selection: &Selection) -> Vec<Value> {
    let groups: Vec<&GroupAnalysis> = (comparison::groups(analysis, &selection.size))
        .filter(|g| selection.benchmark.as_ref().is_none_or(|b| *b == g.key.benchmark))
        .collect();
    let each = |row: &dyn Fn(&GroupAnalysis, &Cell) -> Option<Value>| -> Vec<Value> {
        let cells = groups.iter().flat_map(|g| g.cells.iter().map(move |c| (*g, c)));
        cells.filter_map(|(g, c)| row(g, c)).collect()
    };
    match id {
        "heat" => each(&|g, c| Some(heat(g, c, selection))),
        "geomean" => geomean(analysis, selection),
        "forest" => forest(&groups, selection),
        "absolute" => each(&|g, c| absolute(g, c, selection.measure)),
        "utilisation" => each(&|g, c| absolute(g, c, Measure::Utilisation)),
        "memory-time" => each(&|g, c| memory_time(g, c, &selection.baseline)),
        "cores" => each(&|g, c| cores(analysis, g, c)),
        "levels" => each(&|_, c| levels(c)),
        "strip" => each_point(&groups, selection.measure),
        "warmup" => warmup(analysis, &groups),
        "matrix" => groups.iter().flat_map(|g| matrix(g, selection.measure)).collect(),
        "scaling" => scaling(analysis, selection),
        "speedup" => speedup(analysis, selection),
        "growth" => growth(analysis, selection),
        "curve" => curve(analysis, selection),
        "fairness" => groups.iter().flat_map(|g| fairness(g)).collect(),
        "sensors" => sensors(analysis),
        "canary" => canary(analysis),
        _ => Vec::new(),
    }
}

fn object(parts: &[Value]) -> Value {
    let mut out = Map::new();
    for part in parts {
        out.extend(part.as_object().cloned().unwrap_or_default());
    }
    Value::Object(out)
}

/// Factor from the stored unit to seconds, bytes or a share.
fn factor(measure: Measure) -> f64 {
    match measure {
        Measure::Memory | Measure::Utilisation => 1.0,
        _ => 1e-9,
    }
}

fn value(cell: &Cell, measure: Measure) -> Option<Value> {
    let e = cell
        .estimates
        .get(&measure)
        .filter(|_| cell.state.has_numbers())?;
    let f = factor(measure);
    let text = match &e.interval {
        Some(i) => format!(
            "{} [{}–{}]",
            number::value(measure, e.value),
            number::value(measure, i.low),
            number::value(measure, i.high)
        ),
        None => number::value(measure, e.value),
    };
    Some(json!({
        "runtime": cell.runtime, "value": e.value * f, "n": e.n, "text": text,
        "low": e.interval.as_ref().map(|i| i.low * f), "high": e.interval.as_ref().map(|i| i.high * f),
        "method": e.interval.as_ref().map_or_else(|| "none".into(), number::method),
        "disturbed": words::why_marked(&cell.disturbance, "invocation").unwrap_or_default(),
    }))
}

fn bounds(e: &Estimate) -> Value {
    json!({
        "ratio": e.value, "n": e.n,
        "low": e.interval.as_ref().map(|i| i.low), "high": e.interval.as_ref().map(|i| i.high),
    })
}

fn relation(group: &GroupAnalysis, measure: Measure, a: &str, b: &str) -> Option<Value> {
    let pair = words::pair(group, measure, a, b)?;
    let sign = words::sign(pair).replace('-', "−");
    let label = format!("{} {sign}", number::significant(pair.ratio.value));
    let text = format!("{} {sign}", number::ratio(&pair.ratio));
    let disturbed = words::why_marked(&pair.disturbance, "block").unwrap_or_default();
    let words =
        json!({ "sign": sign, "label": label.trim_end(), "text": text.trim_end(), "disturbed": disturbed });
    Some(object(&[bounds(&pair.ratio), words]))
}

fn heat(group: &GroupAnalysis, cell: &Cell, selection: &Selection) -> Value {
    let place = json!({ "benchmark": group.key.benchmark, "runtime": cell.runtime });
    let rest = match words::instead(&cell.state) {
        Some(word) => json!({ "label": word, "text": word }),
        None if cell.runtime == selection.baseline => {
            json!({ "ratio": 1, "label": "1", "text": "the baseline", "sign": "" })
        }
        None => relation(group, selection.measure, &cell.runtime, &selection.baseline)
            .unwrap_or_else(|| json!({ "label": "no pair", "text": "no pair" })),
    };
    object(&[place, rest])
}

fn geomean(analysis: &Analysis, selection: &Selection) -> Vec<Value> {
    (analysis.runtimes.iter())
        .filter_map(|r| {
            comparison::summary(analysis, selection.measure, &selection.size, &r.name, &selection.baseline)
        })
        .map(|s| {
            let rest = json!({ "runtime": s.runtime, "n": s.common.len(), "least": s.smallest.1, "most": s.largest.1,
                               "text": number::ratio(&s.geomean),
                               "disturbed": words::why_marked(&s.disturbance, "block").unwrap_or_default() });
            object(&[bounds(&s.geomean), rest])
        })
        .collect()
}

fn forest(groups: &[&GroupAnalysis], selection: &Selection) -> Vec<Value> {
    let mut rows: Vec<Value> = (groups.iter())
        .filter_map(|g| {
            let place = json!({ "benchmark": g.key.benchmark, "runtime": selection.runtime });
            Some(object(&[
                place,
                relation(g, selection.measure, &selection.runtime, &selection.baseline)?,
            ]))
        })
        .collect();
    let ratio = |row: &Value| row["ratio"].as_f64().unwrap_or(f64::NAN);
    rows.sort_by(|x, y| ratio(x).total_cmp(&ratio(y)));
    rows
}

fn absolute(group: &GroupAnalysis, cell: &Cell, measure: Measure) -> Option<Value> {
    Some(object(&[
        value(cell, measure)?,
        json!({ "benchmark": group.key.benchmark }),
    ]))
}

fn memory_time(group: &GroupAnalysis, cell: &Cell, baseline: &str) -> Option<Value> {
    let time = words::pair(group, Measure::Wall, &cell.runtime, baseline)?;
    let memory = words::pair(group, Measure::Memory, &cell.runtime, baseline)?;
    Some(
        json!({ "benchmark": group.key.benchmark, "runtime": cell.runtime, "time": time.ratio.value,
                 "memory": memory.ratio.value, "n": time.ratio.n }),
    )
}

fn cores(analysis: &Analysis, group: &GroupAnalysis, cell: &Cell) -> Option<Value> {
    let busy = cell
        .estimates
        .get(&Measure::Utilisation)
        .filter(|_| cell.state.has_numbers())?;
    Some(json!({
        "benchmark": group.key.benchmark, "order": analysis.groups.iter().position(|g| g.key == group.key),
        "runtime": cell.runtime, "busy": busy.value, "idle": (1.0 - busy.value).max(0.0), "whole": 1,
        "wait": cell.process.get("run-queue-wait"), "n": busy.n,
    }))
}

fn levels(cell: &Cell) -> Option<Value> {
    let cold = value(cell, Measure::Cold);
    let part = |field| cold.as_ref().map(|c| c[field].clone());
    let rest =
        json!({ "cold": part("value"), "coldText": part("text").unwrap_or_else(|| json!("unavailable")) });
    Some(object(&[value(cell, Measure::Wall)?, rest]))
}

fn each_point(groups: &[&GroupAnalysis], measure: Measure) -> Vec<Value> {
    let cells = groups
        .iter()
        .flat_map(|g| &g.cells)
        .filter(|c| c.state.has_numbers());
    let points = cells.flat_map(|c| {
        c.invocations
            .iter()
            .filter(|p| p.failure.is_none())
            .map(move |p| (c, p))
    });
    points
        .filter_map(|(c, p)| {
            let x = *p.summaries.get(&measure)?;
            Some(json!({ "runtime": c.runtime, "sequence": p.sequence, "block": p.block, "value": x * factor(measure),
                         "text": number::value(measure, x), "contaminated": p.contaminated.join("; ") }))
        })
        .collect()
}

fn warmup(analysis: &Analysis, groups: &[&GroupAnalysis]) -> Vec<Value> {
    let mut rows = Vec::new();
    for cell in groups
        .iter()
        .flat_map(|g| &g.cells)
        .filter(|c| c.state.has_numbers())
    {
        let order = analysis.runtimes.iter().position(|r| r.name == cell.runtime);
        let ok = cell.invocations.iter().filter(|p| p.failure.is_none());
        for (invocation, point) in ok.enumerate().filter(|(_, p)| !p.superseded) {
            for (iteration, wall) in point.wall_ns.iter().enumerate() {
                let steady = if iteration == point.steady_from as usize {
                    "yes"
                } else {
                    ""
                };
                rows.push(json!({ "runtime": cell.runtime, "order": order, "invocation": invocation, "iteration": iteration,
                                  "value": *wall as f64 * 1e-9, "steady": steady }));
            }
        }
    }
    rows
}

fn matrix(group: &GroupAnalysis, measure: Measure) -> Vec<Value> {
    let shown: Vec<&str> = (group.cells.iter().filter(|c| c.state.has_numbers()))
        .map(|c| c.runtime.as_str())
        .collect();
    let mut rows = Vec::new();
    for a in &shown {
        for b in &shown {
            let rest = if a == b {
                json!({ "ratio": 1, "sign": "", "label": "", "text": "itself" })
            } else {
                relation(group, measure, a, b)
                    .unwrap_or_else(|| json!({ "label": "no pair", "text": "no pair" }))
            };
            rows.push(object(&[json!({ "a": a, "b": b }), rest]));
        }
    }
    rows
}

fn scaling(analysis: &Analysis, selection: &Selection) -> Vec<Value> {
    let same = |g: &&GroupAnalysis| {
        g.key.preset == selection.size.0 && selection.benchmark.as_deref() == Some(g.key.benchmark.as_str())
    };
    (analysis.groups.iter().filter(same))
        .flat_map(|g| g.cells.iter().map(move |c| (g, c)))
        .filter_map(|(g, c)| {
            Some(object(&[
                value(c, Measure::Wall)?,
                json!({ "cores": g.key.cores }),
            ]))
        })
        .collect()
}

fn speedup(analysis: &Analysis, selection: &Selection) -> Vec<Value> {
    let points = analysis
        .speedups
        .iter()
        .filter(|s| s.preset == selection.size.0 && Some(&s.benchmark) == selection.benchmark.as_ref());
    points
        .map(|s| {
            let interval = s.speedup.interval.as_ref();
            json!({ "runtime": s.runtime, "cores": s.cores, "ideal": s.ideal, "speedup": s.speedup.value, "n": s.speedup.n,
                    "low": interval.map(|i| i.low), "high": interval.map(|i| i.high), "efficiency": s.speedup.value / s.ideal,
                    "text": number::ratio(&s.speedup) })
        })
        .collect()
}

/// One row per point: runtime, metric with unit, place among the metrics, value of the parameter and of the metric.
pub fn growth_points(analysis: &Analysis, benchmark: &str) -> Vec<(String, String, usize, i64, f64)> {
    let mut points = Vec::new();
    let ladders = || analysis.ladders.iter().filter(|l| l.key.benchmark == benchmark);
    let several = ladders().count() > 1;
    for ladder in ladders() {
        for (order, metric) in growth::curves(analysis, ladder).into_iter().enumerate() {
            let mut curve = format!("{}, over {}", growth::titled(metric), ladder.parameter);
            if several {
                curve = format!("{curve}, {}", words::cores(ladder.key.cores));
            }
            for climb in &ladder.climbs {
                let values = climb
                    .rungs
                    .iter()
                    .filter_map(|rung| Some((rung.size, *rung.metrics.get(&metric.name)?)));
                // What is not above 0 has no place on a logarithmic axis: a few actors need no further page.
                let values = values.filter(|(_, value)| *value > 0.0);
                points.extend(values.map(|(x, y)| (climb.runtime.clone(), curve.clone(), order, x, y)));
            }
        }
    }
    points
}

fn growth(analysis: &Analysis, selection: &Selection) -> Vec<Value> {
    let benchmark = selection.benchmark.as_deref().unwrap_or_default();
    let points = growth_points(analysis, benchmark).into_iter();
    points
        .map(|(runtime, curve, order, x, value)| {
            json!({ "runtime": runtime, "curve": curve, "order": order, "x": x, "value": value })
        })
        .collect()
}

/// A point of a curve: its title, its position among the benchmark's curves, the parameter and the metric.
pub struct CurvePoint {
    /// The metric with its unit and the parameter.
    pub curve: String,
    /// Position in the catalogue, from 0.
    pub order: usize,
    /// The parameter's value.
    pub x: f64,
    /// The metric's median.
    pub y: f64,
}

/// The points that a cell adds to its benchmark's curves. A metric needs no verified result to be shown as one.
pub fn curve_points(analysis: &Analysis, group: &GroupAnalysis, cell: &Cell) -> Vec<CurvePoint> {
    let benchmark = analysis.benchmarks.iter().find(|b| b.name == group.key.benchmark);
    let planned = analysis.plan.groups.iter().find(|g| g.key == group.key);
    let (Some(b), Some(planned), true) = (benchmark, planned, cell.state.has_metrics()) else {
        return Vec::new();
    };
    let point = |(order, curve): (usize, &Curve)| {
        let parameter = b.parameters.iter().find(|p| p.name == curve.x)?;
        let (what, y) = if curve.y == Curve::NS_PER_MESSAGE {
            (
                "time per message, ns".to_owned(),
                cell.ns_per_message.as_ref()?.value,
            )
        } else {
            let metric = b.metrics.iter().find(|m| m.name == curve.y)?;
            (growth::titled(metric), *cell.metrics.get(&curve.y)?)
        };
        Some(CurvePoint {
            curve: format!(
                "{what}, over {}{}",
                parameter.meaning,
                others(analysis, planned, &curve.x)
            ),
            order,
            x: planned.parameters.get(&curve.x)?.number()?.as_f64(),
            y,
        })
    };
    b.curves.iter().enumerate().filter_map(point).collect()
}

/// The values of parameters beside the one on the axis in which the sizes of the session differ, such as a mode: sizes
/// that differ in more than what the axis shows never lie on one line.
fn others(analysis: &Analysis, planned: &Group, axis: &str) -> String {
    let sizes = || {
        let groups = analysis.plan.groups.iter();
        groups.filter(|g| g.key.benchmark == planned.key.benchmark)
    };
    let differs = |name: &String| sizes().any(|g| g.parameters.get(name) != planned.parameters.get(name));
    let others = planned
        .parameters
        .iter()
        .filter(|(name, _)| *name != axis && differs(name));
    let given: Vec<String> = others.map(|(name, value)| format!("{name} {value}")).collect();
    if given.is_empty() {
        String::new()
    } else {
        format!(" ({})", given.join(", "))
    }
}

/// What the names of presets of one kind begin with.
pub fn kind(preset: &str) -> &str {
    preset.split('-').next().unwrap_or(preset)
}

fn curve(analysis: &Analysis, selection: &Selection) -> Vec<Value> {
    let same = |g: &&GroupAnalysis| {
        g.key.cores == selection.size.1
            && kind(&g.key.preset) == kind(&selection.size.0)
            && selection.benchmark.as_deref() == Some(g.key.benchmark.as_str())
    };
    let cells = (analysis.groups.iter().filter(same)).flat_map(|g| g.cells.iter().map(move |c| (g, c)));
    cells
        .flat_map(|(g, c)| curve_points(analysis, g, c).into_iter().map(move |p| (c, p)))
        .map(|(c, p)| json!({ "runtime": c.runtime, "curve": p.curve, "order": p.order, "x": p.x, "value": p.y }))
        .collect()
}

fn fairness(group: &GroupAnalysis) -> Vec<Value> {
    let cells = group.cells.iter().filter(|c| c.state.has_numbers());
    let all: Vec<_> = cells
        .flat_map(|c| c.fairness.iter().map(move |(name, f)| (c, name, f)))
        .collect();
    let several = all.iter().any(|(_, name, _)| *name != all[0].1);
    (all.iter())
        .map(|(c, counter, f)| {
            let label = if several { format!("{}, {counter}", c.runtime) } else { c.runtime.clone() };
            let [min, q1, median, q3, max] = f.five;
            json!({ "runtime": c.runtime, "counter": counter, "label": label, "min": min, "q1": q1, "median": median,
                    "q3": q3, "max": max, "jain": f.jain, "mean": f.mean, "sd": f.sd, "n": f.actors })
        })
        .collect()
}

/// Names of the sensors in the timeline, in its order.
pub const SENSORS: [&str; 3] = [
    "steal: taken by the hypervisor",
    "foreign: used by others",
    "pressure: somebody waited for a CPU",
];

fn sensors(analysis: &Analysis) -> Vec<Value> {
    let points = || {
        analysis
            .groups
            .iter()
            .flat_map(|g| &g.cells)
            .flat_map(|c| &c.invocations)
    };
    let mut rows = Vec::new();
    for (order, sensor) in SENSORS.iter().enumerate() {
        for p in points() {
            let readings: [&Reading<f64>; 3] =
                [&p.sensors.steal, &p.sensors.foreign, &p.sensors.cpu_pressure];
            if let Some(share) = readings[order].value() {
                rows.push(
                    json!({ "sensor": sensor, "order": order, "sequence": p.sequence, "share": share,
                                  "contaminated": p.contaminated.join("; ") }),
                );
            }
        }
    }
    rows
}

fn canary(analysis: &Analysis) -> Vec<Value> {
    let mut rows = Vec::new();
    for group in &analysis.groups {
        for block in &group.blocks {
            let points = group
                .cells
                .iter()
                .flat_map(|c| &c.invocations)
                .filter(|p| p.block == block.block);
            let (Some(ns), Some(sequence)) =
                (block.before.canary_ns.value(), points.map(|p| p.sequence).min())
            else {
                continue;
            };
            rows.push(
                json!({ "sequence": sequence, "value": ns * 1e-9, "text": number::duration(*ns),
                              "contaminated": block.contaminated.join("; ") }),
            );
        }
    }
    rows
}

/// The selection with which a report opens.
pub fn first_selection(analysis: &Analysis) -> Option<Selection> {
    let grown = || Some(("growth".to_owned(), analysis.ladders.first()?.key.cores));
    let size = comparison::sizes(analysis).into_iter().next().or_else(grown)?;
    let baseline = comparison::reference(analysis, &size).to_owned();
    let others = || {
        analysis
            .runtimes
            .iter()
            .map(|r| &r.name)
            .filter(|r| **r != baseline)
    };
    let shown = others().find(|r| comparison::has_numbers(analysis, &size, r));
    Some(Selection {
        runtime: shown.or_else(|| others().next()).unwrap_or(&baseline).clone(),
        baseline,
        measure: MEASURES[0],
        size,
        benchmark: None,
    })
}
