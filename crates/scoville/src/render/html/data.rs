//! The numbers behind the report's figures, once and compact.
//!
//! Values of invocations are stored as whole steps of a logarithm relative to their cell's estimate, ratios as steps
//! from 1: small integers that compress well. A step is far below what any figure can show; the exact numbers are in the
//! exports. The script undoes the coding and computes nothing else.

use std::collections::HashMap;
use std::io::Write as _;

use base64::Engine as _;
use flate2::{Compression, write::ZlibEncoder};
use serde_json::{Map, Value, json};

use crate::model::analysis::{
    Analysis, Cell, Estimate, Fairness, GroupAnalysis, Interval, InvocationPoint, Measure, Pair, Speedup,
};

use super::super::rows::{self, SENSORS};
use super::super::words::{self, MEASURES};
use super::super::{comparison, figure, number};

/// Steps per factor e: a decoded number is right to 0.00005 %, so that its three digits are those of the tables and of the
/// terminal, but for one number in ten thousand.
const STEPS: f64 = 1e6;
/// Steps per factor e of a session with more pairs than [`FINE_PAIRS`]: right to 0.08 %.
const COARSE_STEPS: f64 = 650.0;
/// Most pairs that leave room for fine steps; all benchmarks on twenty runtimes and one number of cores have fewer.
const FINE_PAIRS: usize = 100_000;
/// Steps per factor e of single invocations and iterations: right to 0.13 %, far less than a mark's width.
const POINT_STEPS: f64 = 400.0;
/// Most points of warm-up curves in one report; see [`Thinning`].
const WARMUP_POINTS: usize = 100_000;
/// Most invocations in the sensors' timeline.
const SENSOR_POINTS: usize = 2_000;

/// How the warm-up series were thinned to fit one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thinning {
    /// Invocations shown of each cell, evenly spaced over the session.
    pub invocations: usize,
    /// Iterations shown of each invocation: the first half of them without a gap, the others evenly spaced.
    pub iterations: usize,
    /// Whether anything is left out.
    pub thinned: bool,
}

impl Thinning {
    /// At most five invocations of a cell and 200 points of each, fewer if there are very many cells.
    pub fn of(analysis: &Analysis) -> Self {
        let cells: Vec<&Cell> = (analysis.groups.iter().flat_map(|g| &g.cells))
            .filter(|c| c.state.has_numbers())
            .collect();
        let per_cell = WARMUP_POINTS / cells.len().max(1);
        let invocations = (per_cell / 40).clamp(1, 5);
        let iterations = (per_cell / invocations).clamp(30, 200);
        let thinned = (cells.iter()).any(|c| {
            c.invocations.len() > invocations || c.invocations.iter().any(|p| p.wall_ns.len() > iterations)
        });
        Thinning {
            invocations,
            iterations,
            thinned,
        }
    }

    /// For a caption; empty if nothing is left out.
    pub fn note(self) -> String {
        if !self.thinned {
            return String::new();
        }
        format!(
            "Thinned to {} of a cell's invocations and {} iterations each; the CSV export has every iteration.",
            self.invocations, self.iterations
        )
    }
}

/// The embedded data: JSON, packed.
pub fn embedded(analysis: &Analysis) -> String {
    packed(&value(analysis).to_string())
}

/// Text deflated, in base64.
pub fn packed(text: &str) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    (encoder.write_all(text.as_bytes())).expect("memory accepts bytes");
    let bytes = encoder.finish().expect("memory accepts bytes");
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// How estimates and ratios are coded.
#[derive(Clone, Copy)]
struct Coding {
    /// Steps per factor e.
    steps: f64,
}

impl Coding {
    fn of(analysis: &Analysis) -> Self {
        let pairs: usize = analysis.groups.iter().map(|g| g.pairs.len()).sum();
        let steps = if pairs <= FINE_PAIRS { STEPS } else { COARSE_STEPS };
        Self { steps }
    }

    /// A positive ratio in steps; nothing for what has no logarithm.
    fn steps(self, ratio: f64) -> Option<i64> {
        logarithm(ratio, self.steps)
    }
}

fn value(analysis: &Analysis) -> Value {
    let coding = Coding::of(analysis);
    let thinning = Thinning::of(analysis);
    let names: HashMap<&str, usize> = (analysis.runtimes.iter().enumerate())
        .map(|(i, r)| (r.name.as_str(), i))
        .collect();
    let groups: Vec<Value> = (analysis.groups.iter())
        .map(|g| group(analysis, g, &names, thinning, coding))
        .collect();
    json!({
        "session": analysis.session,
        "baseline": analysis.plan.baseline,
        "margin": analysis.plan.method.margin,
        "steps": coding.steps,
        "pointSteps": POINT_STEPS,
        "runtimes": analysis.runtimes.iter().map(|r| &r.name).collect::<Vec<_>>(),
        "measures": measures(),
        "sizes": sizes(analysis),
        "groups": groups,
        "summaries": summaries(analysis, coding),
        "speedups": speedups(analysis, &names, coding),
        "growth": growth(analysis, &names),
        "sensors": sensors(analysis),
        "figures": figures(analysis),
        "thinning": thinning.note(),
    })
}

/// `[benchmark, preset, cores, ideal, runtimes, values, lows, highs, n]`, the last five in columns: values in steps from
/// the ideal, the interval's ends in steps from the value.
fn speedups(analysis: &Analysis, names: &HashMap<&str, usize>, coding: Coding) -> Value {
    let place = |s: &Speedup| (s.benchmark.clone(), s.preset.clone(), s.cores);
    let rows = analysis
        .speedups
        .chunk_by(|a, b| place(a) == place(b) && a.ideal == b.ideal);
    rows.map(|row| {
        let column = |of: &dyn Fn(&Speedup) -> Value| -> Value { row.iter().map(of).collect() };
        let arm = |s: &Speedup, end: fn(&Interval) -> f64| {
            let interval = s.speedup.interval.as_ref();
            json!(interval.and_then(|i| coding.steps(end(i) / s.speedup.value)))
        };
        json!([
            row[0].benchmark,
            row[0].preset,
            row[0].cores,
            rounded(row[0].ideal),
            column(&|s| json!(names.get(s.runtime.as_str()))),
            column(&|s| json!(coding.steps(s.speedup.value / s.ideal))),
            column(&|s| arm(s, |i| i.low)),
            column(&|s| arm(s, |i| i.high)),
            column(&|s| json!(s.speedup.n)),
        ])
    })
    .collect()
}

/// `[benchmark, runtime, curve, order, x, y]` of every step that passed.
fn growth(analysis: &Analysis, names: &HashMap<&str, usize>) -> Value {
    let mut benchmarks: Vec<&str> = analysis
        .ladders
        .iter()
        .map(|l| l.key.benchmark.as_str())
        .collect();
    benchmarks.dedup();
    (benchmarks.into_iter())
        .flat_map(|b| rows::growth_points(analysis, b).into_iter().map(move |p| (b, p)))
        .map(|(b, (runtime, curve, order, x, y))| {
            json!([b, names.get(runtime.as_str()), curve, order, x, rounded(y)])
        })
        .collect()
}

fn measures() -> Value {
    let all = MEASURES.map(|m| {
        json!({
            "id": words::slug(m), "title": words::title(m), "meaning": words::meaning(m),
            "directed": words::lower_is_better(m),
            "unit": figure::axis_unit(m),
            "factor": match m { Measure::Memory | Measure::Utilisation => 1.0, _ => 1e-9 },
        })
    });
    json!(all)
}

fn sizes(analysis: &Analysis) -> Value {
    let all = comparison::sizes(analysis);
    (all.iter())
        .map(|(preset, cores)| {
            json!({ "id": format!("{preset}/{cores}"), "title": format!("{preset}, {}", words::cores(*cores)) })
        })
        .collect()
}

fn figures(analysis: &Analysis) -> Value {
    let mut all = Map::new();
    for f in figure::figures(analysis) {
        let columns: Vec<Value> = (f.columns.iter())
            .map(|(field, title, format)| json!([field, title, format.name()]))
            .collect();
        all.insert(
            f.id.into(),
            json!({ "title": f.title, "caption": f.caption, "columns": columns, "spec": f.spec }),
        );
    }
    Value::Object(all)
}

fn group(
    analysis: &Analysis,
    group: &GroupAnalysis,
    names: &HashMap<&str, usize>,
    thinning: Thinning,
    coding: Coding,
) -> Value {
    let with_curves = |c: &Cell| {
        let mut out = cell(c, names, thinning, coding);
        let points = rows::curve_points(analysis, group, c);
        if !points.is_empty() {
            let points = points
                .iter()
                .map(|p| json!([p.curve, p.order, rounded(p.x), rounded(p.y)]));
            out["m"] = points.collect();
        }
        out
    };
    let cells: Vec<Value> = group.cells.iter().map(with_curves).collect();
    json!({
        "b": group.key.benchmark,
        "z": format!("{}/{}", group.key.preset, group.key.cores),
        "n": group.key.cores,
        "c": cells,
        "p": pairs(group, names, coding),
        "k": blocks(group),
    })
}

fn cell(cell: &Cell, names: &HashMap<&str, usize>, thinning: Thinning, coding: Coding) -> Value {
    let mut out = json!({ "r": names.get(cell.runtime.as_str()), "w": words::instead(&cell.state) });
    if !cell.state.has_numbers() {
        return out;
    }
    let partly = words::partly(&cell.state);
    if !partly.is_empty() {
        out["k"] = json!(partly);
    }
    let estimates: Map<String, Value> = (cell.estimates.iter())
        .map(|(m, e)| (words::slug(*m).to_string(), estimate(e, coding)))
        .collect();
    out["e"] = Value::Object(estimates);
    if let Some(why) = words::why_marked(&cell.disturbance, "invocation") {
        out["d"] = json!(why);
    }
    out["i"] = points(cell);
    out["u"] = warmups(cell, thinning);
    if !cell.fairness.is_empty() {
        out["f"] = (cell.fairness.iter())
            .map(|(name, f)| fairness(name, f))
            .collect();
    }
    if let Some(wait) = cell.process.get("run-queue-wait") {
        out["q"] = rounded(*wait);
    }
    out
}

/// `[value, n, low, high, method]`; the interval's ends in steps from the value.
fn estimate(e: &Estimate, coding: Coding) -> Value {
    match &e.interval {
        Some(i) => json!([
            rounded(e.value),
            e.n,
            coding.steps(i.low / e.value),
            coding.steps(i.high / e.value),
            number::method(i)
        ]),
        None => json!([rounded(e.value), e.n]),
    }
}

fn fairness(name: &str, f: &Fairness) -> Value {
    let five: Vec<Value> = f.five.iter().map(|&x| rounded(x)).collect();
    json!([
        name,
        five,
        rounded(f.jain),
        f.actors,
        rounded(f.mean),
        rounded(f.sd)
    ])
}

/// Five significant digits: more than any figure shows.
fn rounded(x: f64) -> Value {
    let short: f64 = format!("{x:.4e}").parse().unwrap_or(x);
    if short.fract() == 0.0 && short.abs() < 1e15 {
        json!(short as i64)
    } else {
        json!(short)
    }
}

/// Columns over the invocations that succeeded.
fn points(cell: &Cell) -> Value {
    let ok: Vec<&InvocationPoint> = cell.invocations.iter().filter(|p| p.failure.is_none()).collect();
    let mut out = json!({ "s": deltas(ok.iter().map(|p| i64::from(p.sequence))), "b": deltas(ok.iter().map(|p| i64::from(p.block))) });
    let marked: Vec<Value> = (ok.iter().enumerate())
        .filter(|(_, p)| !p.contaminated.is_empty())
        .map(|(i, p)| json!([i, p.contaminated.join("; ")]))
        .collect();
    if !marked.is_empty() {
        out["x"] = json!(marked);
    }
    for (measure, e) in compared().filter_map(|m| Some((m, cell.estimates.get(&m)?))) {
        let column: Vec<Option<i64>> = (ok.iter())
            .map(|p| {
                p.summaries
                    .get(&measure)
                    .and_then(|&v| logarithm(v / e.value, POINT_STEPS))
            })
            .collect();
        out[words::slug(measure)] = json!(column);
    }
    out
}

fn deltas(numbers: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut last = 0;
    numbers
        .map(|n| {
            let delta = n - last;
            last = n;
            delta
        })
        .collect()
}

fn logarithm(ratio: f64, steps: f64) -> Option<i64> {
    (ratio.is_finite() && ratio > 0.0).then(|| (ratio.ln() * steps).round() as i64)
}

/// `[position, steady from, raw, stride, steps]` of the invocations shown.
fn warmups(cell: &Cell, thinning: Thinning) -> Value {
    let Some(reference) = cell.estimates.get(&Measure::Wall) else {
        return json!([]);
    };
    let ok: Vec<(usize, &InvocationPoint)> = (cell.invocations.iter())
        .filter(|p| p.failure.is_none())
        .enumerate()
        .filter(|(_, p)| !p.superseded)
        .collect();
    (spread(ok.len(), thinning.invocations).into_iter())
        .map(|at| {
            let (position, point) = ok[at];
            let (raw, stride) = layout(point.wall_ns.len(), thinning.iterations);
            let shown = (0..point.wall_ns.len()).filter(|&i| i < raw || (i - raw) % stride == 0);
            let series: Vec<Option<i64>> = shown
                .map(|i| logarithm(point.wall_ns[i] as f64 / reference.value, POINT_STEPS))
                .collect();
            json!([position, point.steady_from, raw, stride, series])
        })
        .collect()
}

/// Up to `wanted` positions below `len`, evenly spaced, first and last among them.
fn spread(len: usize, wanted: usize) -> Vec<usize> {
    match (len, wanted) {
        (0, _) => Vec::new(),
        (n, w) if n <= w => (0..n).collect(),
        (_, 1) => vec![0],
        (n, w) => (0..w).map(|i| i * (n - 1) / (w - 1)).collect(),
    }
}

/// How many iterations are kept without a gap, and the stride of those after them.
fn layout(len: usize, wanted: usize) -> (usize, usize) {
    if len <= wanted {
        return (len, 1);
    }
    let raw = wanted / 2;
    (raw, (len - raw).div_ceil(wanted - raw))
}

/// By measure, in columns over the pairs of `order` (first with second, first with third ...): ratio (less the expected
/// one), low, high, sign and n; in `x`, why those at some positions are marked. Only one direction is stored; where the other is not its exact mirror it stands in `extra`.
fn pairs(group: &GroupAnalysis, names: &HashMap<&str, usize>, coding: Coding) -> Value {
    let shown: Vec<&str> = (group.cells.iter())
        .filter(|c| c.state.has_numbers() && names.contains_key(c.runtime.as_str()))
        .map(|c| c.runtime.as_str())
        .collect();
    let by_key: HashMap<(Measure, &str, &str), &Pair> = (group.pairs.iter())
        .map(|p| ((p.measure, p.a.as_str(), p.b.as_str()), p))
        .collect();
    let order: Vec<usize> = shown.iter().map(|r| names[r]).collect();
    let mut out = json!({ "order": order });
    for measure in compared() {
        let mut columns: [Vec<Value>; 5] = Default::default();
        let (mut extra, mut marked) = (Vec::new(), Vec::new());
        for (i, a) in shown.iter().enumerate() {
            for b in &shown[i + 1..] {
                let pair = by_key.get(&(measure, a, b));
                if let Some(why) = pair.and_then(|p| words::why_marked(&p.disturbance, "block")) {
                    marked.push(json!([columns[0].len(), why]));
                }
                let there = pair.map(|p| coded(p, coding));
                let back = by_key.get(&(measure, b, a)).map(|p| coded(p, coding));
                if let Some(code) = back.filter(|code| there.as_ref() != Some(&mirror(code))) {
                    extra.push(json!([names[b], names[a], code.steps, code.sign, code.n]));
                }
                let [q, low, high] = there.as_ref().map_or([None; 3], |c| c.steps);
                let q = q.map(|q| q - expected(group, measure, a, b, coding));
                let sign = there.as_ref().map_or("", |c| c.sign.as_str());
                let n = there.as_ref().map_or(0, |c| c.n);
                let row = [json!(q), json!(low), json!(high), json!(sign), json!(n)];
                columns.iter_mut().zip(row).for_each(|(column, x)| column.push(x));
            }
        }
        let [q, low, high, sign, n] = columns;
        let mut coded = json!({ "q": q, "l": low, "h": high, "g": sign, "n": n });
        if !extra.is_empty() {
            coded["extra"] = json!(extra);
        }
        if !marked.is_empty() {
            coded["x"] = json!(marked);
        }
        out[words::slug(measure)] = coded;
    }
    out
}

/// The ratio of the two cells' estimates in steps: near the typical ratio, so that only the difference is stored.
fn expected(group: &GroupAnalysis, measure: Measure, a: &str, b: &str, coding: Coding) -> i64 {
    let stored = |runtime| {
        let e = words::cell(group, runtime)?.estimates.get(&measure)?;
        rounded(e.value).as_f64()
    };
    let ratio = stored(a).zip(stored(b)).and_then(|(a, b)| coding.steps(a / b));
    ratio.unwrap_or(0)
}

/// Measures that are compared between runtimes: those with a direction.
fn compared() -> impl Iterator<Item = Measure> {
    MEASURES.into_iter().filter(|m| words::lower_is_better(*m))
}

#[derive(PartialEq)]
struct Coded {
    /// The ratio, and the interval's ends as differences from it.
    steps: [Option<i64>; 3],
    sign: String,
    n: u32,
}

fn coded(pair: &Pair, coding: Coding) -> Coded {
    let ratio = coding.steps(pair.ratio.value);
    let arm = |end: f64| Some(coding.steps(end)? - ratio?);
    let interval = pair.ratio.interval.as_ref();
    Coded {
        steps: [
            ratio,
            interval.and_then(|i| arm(i.low)),
            interval.and_then(|i| arm(i.high)),
        ],
        sign: words::sign(pair),
        n: pair.ratio.n,
    }
}

/// The other direction as the script reconstructs it.
fn mirror(code: &Coded) -> Coded {
    let [ratio, low, high] = code.steps;
    let swapped = code.sign.chars().map(|c| match c {
        '+' => '-',
        '-' => '+',
        other => other,
    });
    Coded {
        steps: [ratio.map(|x| -x), high.map(|x| -x), low.map(|x| -x)],
        sign: swapped.collect(),
        n: code.n,
    }
}

/// `[first position, canary ns, contaminated]` of the blocks whose canary was read.
fn blocks(group: &GroupAnalysis) -> Value {
    let mut first: HashMap<u32, u32> = HashMap::new();
    for p in group.cells.iter().flat_map(|c| &c.invocations) {
        let entry = first.entry(p.block).or_insert(p.sequence);
        *entry = (*entry).min(p.sequence);
    }
    (group.blocks.iter())
        .filter_map(|b| {
            let canary = b.before.canary_ns.value()?;
            Some(json!([
                first.get(&b.block)?,
                rounded(*canary),
                b.contaminated.join("; ")
            ]))
        })
        .collect()
}

fn summaries(analysis: &Analysis, coding: Coding) -> Value {
    (analysis.summaries.iter())
        .map(|s| {
            json!({
                "m": words::slug(s.measure), "r": s.runtime, "b": s.baseline, "z": format!("{}/{}", s.preset, s.cores),
                "e": estimate(&s.geomean, coding), "n": s.common.len(),
                "least": [s.smallest.0, rounded(s.smallest.1)], "most": [s.largest.0, rounded(s.largest.1)],
                "d": words::why_marked(&s.disturbance, "block"),
            })
        })
        .collect()
}

/// `[position, steal, foreign, pressure, contaminated]`; evenly thinned, contaminated invocations always kept.
fn sensors(analysis: &Analysis) -> Value {
    let all: Vec<&InvocationPoint> = (analysis.groups.iter())
        .flat_map(|g| &g.cells)
        .flat_map(|c| &c.invocations)
        .collect();
    let stride = all.len().div_ceil(SENSOR_POINTS).max(1);
    let share = |r: &crate::model::reading::Reading<f64>| r.value().map(|&x| (x * 1e4).round() / 1e4);
    let mut contaminated_kept = 0;
    let rows: Vec<Value> = (all.iter())
        .filter(|p| {
            let marked = !p.contaminated.is_empty() && contaminated_kept < SENSOR_POINTS;
            contaminated_kept += usize::from(marked);
            (p.sequence as usize).is_multiple_of(stride) || marked
        })
        .map(|p| {
            let s = &p.sensors;
            json!([
                p.sequence,
                share(&s.steal),
                share(&s.foreign),
                share(&s.cpu_pressure),
                p.contaminated.join("; ")
            ])
        })
        .collect();
    json!({ "names": SENSORS, "rows": rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_first_iterations_and_the_ends() {
        assert_eq!(layout(150, 200), (150, 1));
        assert_eq!(layout(1000, 200), (100, 9));
        assert_eq!(spread(20, 5), [0, 4, 9, 14, 19]);
        assert_eq!(spread(3, 5), [0, 1, 2]);
        assert_eq!(spread(9, 1), [0]);
    }

    #[test]
    fn a_mirror_of_a_mirror_is_the_same() {
        let code = Coded {
            steps: [Some(5), Some(-2), None],
            sign: "(+)~".into(),
            n: 12,
        };
        assert!(mirror(&mirror(&code)) == code);
        assert_eq!(mirror(&code).sign, "(-)~");
    }
}
