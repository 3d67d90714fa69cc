//! The figures as Vega-Lite specifications, without data. The report's script fills in rows for what the reader has
//! selected; [`vega`](super::vega) fills in rows for a paper. A figure's rows are listed in [`rows`](super::rows).

use serde_json::{Value, json};

use crate::model::analysis::{Analysis, Measure};

use super::rows::Selection;
use super::words;

/// Version of the Vega-Lite schema that the specifications are written for.
pub const SCHEMA: &str = "https://vega.github.io/schema/vega-lite/v6.json";

/// Sixteen colours that stay apart for the colour-blind as far as sixteen can (Okabe and Ito's seven first, then darker
/// and lighter companions); shapes tell apart what colours do not.
pub const PALETTE: [&str; 16] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c7ae6", "#a6a600", "#44627e",
    "#8a5a00", "#5fc8a8", "#994f88", "#8fa3b0", "#a83232", "#4b7d2c", "#c9a27e",
];

const SHAPES: [&str; 4] = ["circle", "square", "triangle-up", "diamond"];

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Name used in the report, in exports and in links.
    pub id: &'static str,
    /// Title with unit and direction; `{measure}`, `{meaning}`, `{direction}`, `{axis}`, `{baseline}`, `{runtime}`
    /// and `{size}` stand for the selection.
    pub title: &'static str,
    /// What the marks mean.
    pub caption: &'static str,
    /// Columns of the table under it: field, heading, format.
    pub columns: &'static [(&'static str, &'static str, Format)],
    /// Whether there is one per benchmark.
    pub per_benchmark: bool,
    /// The specification; its data set is named `rows`.
    pub spec: Value,
}

/// How a column of a figure's table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As it is.
    Text,
    /// Three significant digits.
    Ratio,
    /// In the unit of the measure shown.
    Measured,
    /// Seconds.
    Seconds,
    /// Per cent.
    Percent,
    /// An integer.
    Count,
}

impl Figure {
    /// The title for a selection.
    pub fn title_for(&self, selection: &Selection) -> String {
        let directed = words::lower_is_better(selection.measure);
        let size = format!("{}, {}", selection.size.0, words::cores(selection.size.1));
        let title = self
            .title
            .replace("{measure}", words::title(selection.measure))
            .replace("{meaning}", words::meaning(selection.measure))
            .replace(
                "{direction}",
                if directed {
                    "lower is better"
                } else {
                    "no direction"
                },
            )
            .replace(
                "{axis}",
                if directed {
                    "logarithmic axis"
                } else {
                    "linear axis"
                },
            )
            .replace("{baseline}", &selection.baseline)
            .replace("{runtime}", &selection.runtime)
            .replace("{size}", &size);
        match &selection.benchmark {
            Some(benchmark) => format!("{benchmark}, {size}: {title}"),
            None => title,
        }
    }
}

/// Unit of a value axis: seconds, bytes or per cent.
pub fn axis_unit(measure: Measure) -> &'static str {
    match measure {
        Measure::Wall | Measure::Cold | Measure::Cpu => "s",
        Measure::Memory => "B",
        Measure::Utilisation => "%",
    }
}

/// Turns the logarithmic axes of a figure of values into linear ones, as a share needs them.
pub fn make_linear(spec: &mut Value) {
    let change = |encoding: &mut Value| {
        for axis in ["x", "y"] {
            if encoding[axis]["scale"]["type"] == "log" {
                encoding[axis]["scale"] =
                    json!({ "type": "linear", "zero": false, "nice": false, "padding": 12 });
            }
        }
    };
    if let Some(encoding) = spec.get_mut("encoding") {
        change(encoding);
    }
    for layer in spec
        .get_mut("layer")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Some(encoding) = layer.get_mut("encoding") {
            change(encoding);
        }
    }
}

impl Format {
    /// Name in the report's data.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Ratio => "ratio",
            Format::Measured => "measured",
            Format::Seconds => "seconds",
            Format::Percent => "percent",
            Format::Count => "count",
        }
    }
}

use Format::{Count, Measured, Percent, Ratio, Seconds, Text};

const RATIO_COLUMNS: &[(&str, &str, Format)] = &[
    ("benchmark", "Benchmark", Text),
    ("runtime", "Runtime", Text),
    ("ratio", "Ratio", Ratio),
    ("low", "Low", Ratio),
    ("high", "High", Ratio),
    ("sign", "Sign", Text),
    ("n", "n", Count),
];

const VALUE_COLUMNS: &[(&str, &str, Format)] = &[
    ("benchmark", "Benchmark", Text),
    ("runtime", "Runtime", Text),
    ("value", "Value", Measured),
    ("low", "Low", Measured),
    ("high", "High", Measured),
    ("n", "n", Count),
    ("method", "Interval", Text),
];

const SHARE_COLUMNS: &[(&str, &str, Format)] = &[
    ("benchmark", "Benchmark", Text),
    ("runtime", "Runtime", Text),
    ("value", "Utilisation", Percent),
    ("low", "Low", Percent),
    ("high", "High", Percent),
    ("n", "n", Count),
    ("method", "Interval", Text),
];

/// Every figure for this analysis: the runtimes' colours and the margin are the session's.
pub fn figures(analysis: &Analysis) -> Vec<Figure> {
    let look = Look::new(analysis);
    let mut all = overview_figures(&look);
    all.extend(benchmark_figures(&look));
    all.extend(machine_figures());
    all
}

fn overview_figures(look: &Look) -> Vec<Figure> {
    vec![
        Figure {
            id: "heat",
            title: "{measure} relative to {baseline}, {size} (ratio, {direction})",
            caption: "Blue is faster or smaller than the baseline, orange slower or larger, on a logarithmic scale that ends at 8 \
                      times. The sign is the verdict: − faster, + slower, = equal within the margin, ? undecided, ~ asymmetric tail, ( ) not \
                      after Holm's correction. Words stand where there is no number.",
            columns: RATIO_COLUMNS,
            per_benchmark: false,
            spec: heat(look),
        },
        Figure {
            id: "geomean",
            title: "Geometric mean of the ratios to {baseline}: {measure}, {size} ({direction})",
            caption: "Over the benchmarks that both runtimes verified; n is their number, nothing is imputed. 95 % intervals by \
                      resampling blocks within each benchmark. The thin line spans the smallest and the largest ratio.",
            columns: &[
                ("runtime", "Runtime", Text),
                ("ratio", "Geometric mean", Ratio),
                ("low", "Low", Ratio),
                ("high", "High", Ratio),
                ("least", "Smallest ratio", Ratio),
                ("most", "Largest ratio", Ratio),
                ("n", "Benchmarks", Count),
            ],
            per_benchmark: false,
            spec: geomean(look),
        },
        Figure {
            id: "forest",
            title: "{runtime} relative to {baseline}: {measure}, {size} (ratio, {direction})",
            caption: "Typical ratio (Hodges-Lehmann over blocks) with its 95 % interval, sorted by effect. The shaded band is the \
                      margin within which two runtimes count as equal. Hollow marks are undecided or equal.",
            columns: RATIO_COLUMNS,
            per_benchmark: false,
            spec: forest(look),
        },
        Figure {
            id: "absolute",
            title: "{measure}, {size}: {meaning} ({axis})",
            caption: "Point estimate over invocations with its 95 % interval.",
            columns: VALUE_COLUMNS,
            per_benchmark: false,
            spec: absolute(look),
        },
        Figure {
            id: "memory-time",
            title: "Memory against time, {size}, both relative to {baseline} (lower and further left is better)",
            caption: "One mark per benchmark and runtime: typical ratios of peak memory and of steady wall time.",
            columns: &[
                ("benchmark", "Benchmark", Text),
                ("runtime", "Runtime", Text),
                ("time", "Time ratio", Ratio),
                ("memory", "Memory ratio", Ratio),
                ("n", "n", Count),
            ],
            per_benchmark: false,
            spec: memory_time(look),
        },
        Figure {
            id: "utilisation",
            title: "CPU utilisation, {size}: CPU time over wall time and cores (no direction)",
            caption: "Of the steady iterations, start-up excluded, with its 95 % interval.",
            columns: SHARE_COLUMNS,
            per_benchmark: false,
            spec: utilisation(look),
        },
        Figure {
            id: "cores",
            title: "Where the cores went, {size} (share of wall time and cores, no direction)",
            caption: "Coloured: busy in the runtime's process tree. Grey: idle. The vertical stroke is the time that its threads \
                      were ready and waited for a CPU (median of whole processes), where the kernel tells.",
            columns: &[
                ("benchmark", "Benchmark", Text),
                ("runtime", "Runtime", Text),
                ("busy", "Busy", Percent),
                ("idle", "Idle", Percent),
                ("wait", "Waited for a CPU", Percent),
                ("n", "n", Count),
            ],
            per_benchmark: false,
            spec: cores(look),
        },
    ]
}

fn benchmark_figures(look: &Look) -> Vec<Figure> {
    vec![
        Figure {
            id: "levels",
            title: "Steady and cold wall time (logarithmic axis, lower is better)",
            caption: "Filled: steady iterations, with the 95 % interval. Hollow: first iteration of a fresh process.",
            columns: &[
                ("runtime", "Runtime", Text),
                ("value", "Steady", Seconds),
                ("low", "Low", Seconds),
                ("high", "High", Seconds),
                ("cold", "Cold", Seconds),
                ("n", "n", Count),
            ],
            per_benchmark: true,
            spec: levels(look),
        },
        Figure {
            id: "strip",
            title: "Every invocation in the order in which it ran: {measure} ({meaning})",
            caption: "One mark per invocation. Ringed: the sensors saw something else on the machine. Nothing is left out.",
            columns: &[
                ("sequence", "Position", Count),
                ("block", "Block", Count),
                ("runtime", "Runtime", Text),
                ("value", "Value", Measured),
                ("contaminated", "Contaminated", Text),
            ],
            per_benchmark: true,
            spec: strip(look),
        },
        Figure {
            id: "warmup",
            title: "Warm-up: wall time of each iteration (logarithmic axis, lower is better)",
            caption: "One line per invocation; the dot is where the steady part begins.",
            columns: &[
                ("runtime", "Runtime", Text),
                ("invocation", "Invocation", Count),
                ("iteration", "Iteration", Count),
                ("value", "Wall time", Seconds),
                ("steady", "Steady from here", Text),
            ],
            per_benchmark: true,
            spec: warmup(look),
        },
        Figure {
            id: "matrix",
            title: "Every pair: {measure} of the row relative to the column (ratio, {direction})",
            caption: "Typical ratio over common blocks; colours and signs as in the overview.",
            columns: &[
                ("a", "Row", Text),
                ("b", "Column", Text),
                ("ratio", "Ratio", Ratio),
                ("low", "Low", Ratio),
                ("high", "High", Ratio),
                ("sign", "Sign", Text),
                ("n", "n", Count),
            ],
            per_benchmark: true,
            spec: matrix(),
        },
        Figure {
            id: "scaling",
            title: "Steady wall time against cores (both axes logarithmic, lower is better)",
            caption: "With 95 % intervals; a line that falls by half where the cores double scales ideally.",
            columns: &[
                ("runtime", "Runtime", Text),
                ("cores", "Cores", Count),
                ("value", "Wall time", Seconds),
                ("low", "Low", Seconds),
                ("high", "High", Seconds),
                ("n", "n", Count),
            ],
            per_benchmark: true,
            spec: scaling(look),
        },
        Figure {
            id: "curve",
            title: "Metrics over the size, all sizes of the kind chosen (logarithmic size axis)",
            caption: "Medians over invocations. Sizes of one kind are those whose names begin alike, such as paper-1 and paper-16.",
            columns: &[
                ("curve", "Metric", Text),
                ("runtime", "Runtime", Text),
                ("x", "Size", Count),
                ("value", "Median", Ratio),
            ],
            per_benchmark: true,
            spec: curve(look),
        },
        Figure {
            id: "growth",
            title: "Growth: metrics over the parameter that was doubled until a step failed (logarithmic axes)",
            caption: "One process per point. A line ends at the largest value that passed; the table above says what ended it.",
            columns: &[
                ("curve", "Metric", Text),
                ("runtime", "Runtime", Text),
                ("x", "Value", Count),
                ("value", "Metric's value", Ratio),
            ],
            per_benchmark: true,
            spec: growth(look),
        },
        Figure {
            id: "speedup",
            title: "Speed-up over cores: time on the fewest cores divided by time (both axes logarithmic, higher is better)",
            caption: "Quotients of geometric means with Welch's 95 % intervals: different core counts never share a block. The dashed \
                      line is ideal. Efficiency is the speed-up divided by the growth of the cores.",
            columns: &[
                ("runtime", "Runtime", Text),
                ("cores", "Cores", Count),
                ("speedup", "Speed-up", Ratio),
                ("low", "Low", Ratio),
                ("high", "High", Ratio),
                ("efficiency", "Efficiency", Percent),
                ("n", "n", Count),
            ],
            per_benchmark: true,
            spec: speedup(look),
        },
        Figure {
            id: "fairness",
            title: "Fairness: each actor's share relative to the mean (1 is ideal, narrow is fair)",
            caption: "Line: minimum to maximum; box: quartiles; stroke: median, over all invocations' last iterations.",
            columns: &[
                ("counter", "Counter", Text),
                ("runtime", "Runtime", Text),
                ("min", "Minimum", Ratio),
                ("q1", "Lower quartile", Ratio),
                ("median", "Median", Ratio),
                ("q3", "Upper quartile", Ratio),
                ("max", "Maximum", Ratio),
                ("jain", "Jain's index", Ratio),
                ("mean", "Mean", Ratio),
                ("sd", "Standard deviation", Ratio),
                ("n", "Actors", Count),
            ],
            per_benchmark: true,
            spec: fairness(look),
        },
    ]
}

fn machine_figures() -> Vec<Figure> {
    vec![
        Figure {
            id: "sensors",
            title: "What else used the machine while each invocation ran (share, lower is better)",
            caption: "In the order of the session. Ringed: counted as contaminated.",
            columns: &[
                ("sequence", "Position", Count),
                ("sensor", "Sensor", Text),
                ("share", "Share", Percent),
                ("contaminated", "Contaminated", Text),
            ],
            per_benchmark: false,
            spec: sensors(),
        },
        Figure {
            id: "canary",
            title: "A fixed native kernel before each block (time, lower is better)",
            caption: "It only flags blocks whose surroundings changed; results are never divided by it.",
            columns: &[
                ("sequence", "Position", Count),
                ("value", "Time", Seconds),
                ("contaminated", "Contaminated", Text),
            ],
            per_benchmark: false,
            spec: canary(),
        },
    ]
}

/// What all figures of a session share.
struct Look {
    colour: Value,
    shape: Value,
    margin: f64,
}

impl Look {
    fn new(analysis: &Analysis) -> Self {
        let names: Vec<&str> = analysis.runtimes.iter().map(|r| r.name.as_str()).collect();
        let cycle = |of: &[&'static str]| -> Vec<&'static str> {
            (0..names.len()).map(|i| of[i % of.len()]).collect()
        };
        let legend = json!({ "title": null, "orient": "top", "columns": 8, "symbolLimit": 40 });
        Look {
            colour: json!({
                "field": "runtime", "type": "nominal", "legend": legend,
                "scale": { "domain": names, "range": cycle(&PALETTE) }
            }),
            shape: json!({
                "field": "runtime", "type": "nominal", "legend": legend,
                "scale": { "domain": names, "range": cycle(&SHAPES) }
            }),
            margin: analysis.plan.method.margin,
        }
    }

    /// The runtime's colour where the axis already names the runtime.
    fn colour_without_legend(&self) -> Value {
        let mut colour = self.colour.clone();
        colour["legend"] = Value::Null;
        colour
    }
}

/// Prints an axis value in the unit that the parameter `unit` names.
const UNIT_LABEL: &str = "unit == '%' ? format(datum.value, '.0%') : format(datum.value, '.3~s') + unit";
const RATIO_LABEL: &str = "format(datum.value, '.3~r')";
/// On a long logarithmic axis only 1, 2 and 5 are labelled; the parameter `dense` says that the axis is short.
const LABELLED: &str =
    "dense || indexof([1, 2, 5], round(datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9)))) >= 0";

fn thinned(label: &str) -> String {
    format!("{LABELLED} ? ({label}) : ''")
}

fn with(mut spec: Value, more: Value) -> Value {
    for (key, value) in more.as_object().expect("specifications are objects") {
        spec[key] = value.clone();
    }
    spec
}

/// A figure as wide as its place, with the parameters that the theme and the selection set.
fn base(body: Value) -> Value {
    with(
        json!({ "$schema": SCHEMA, "data": { "name": "rows" }, "width": "container", "params": params() }),
        body,
    )
}

/// Parameters that every figure has: unit of the value axis, whether a logarithmic axis is short enough to label every
/// tick, text colour, and the core counts that an axis names.
fn params() -> Value {
    json!([
        { "name": "unit", "value": "s" },
        { "name": "dense", "value": false },
        { "name": "ink", "value": "#222" },
        { "name": "ticks", "value": [] }
    ])
}

/// An axis in the measure's unit.
fn measured(field: &str, scale: &str) -> Value {
    // A logarithmic scale has no zero to leave out.
    let (label, scale) = match scale {
        "log" => (
            thinned(UNIT_LABEL),
            json!({ "type": "log", "nice": false, "padding": 12 }),
        ),
        other => (
            UNIT_LABEL.into(),
            json!({ "type": other, "zero": false, "nice": false, "padding": 12 }),
        ),
    };
    json!({
        "field": field, "type": "quantitative", "title": null,
        "scale": scale,
        "axis": { "labelExpr": label, "tickCount": 6 }
    })
}

fn ratio_axis(field: &str, title: Value) -> Value {
    json!({
        "field": field, "type": "quantitative", "title": title,
        "scale": { "type": "log", "nice": false, "padding": 16 },
        "axis": { "labelExpr": thinned(RATIO_LABEL), "tickCount": 6 }
    })
}

fn names(field: &str) -> Value {
    json!({ "field": field, "type": "nominal", "sort": null, "title": null, "axis": { "grid": false, "labelLimit": 220 } })
}

fn tip(fields: &[(&str, &str, &str)]) -> Value {
    let entries = fields.iter().map(|(field, title, format)| match *format {
        "" => json!({ "field": field, "title": title }),
        f => json!({ "field": field, "title": title, "format": f, "type": "quantitative" }),
    });
    Value::Array(entries.collect())
}

fn ratio_tip() -> Value {
    tip(&[
        ("benchmark", "benchmark", ""),
        ("runtime", "runtime", ""),
        ("text", "ratio", ""),
        ("n", "n", ""),
    ])
}

fn value_tip() -> Value {
    tip(&[
        ("benchmark", "benchmark", ""),
        ("runtime", "runtime", ""),
        ("text", "value", ""),
        ("n", "n", ""),
    ])
}

/// Colour by the logarithm of a ratio; the theme gives the diverging range.
fn diverging() -> Value {
    json!({
        "field": "log2", "type": "quantitative",
        "scale": { "domain": [-3, 3], "domainMid": 0, "clamp": true, "interpolate": "lab" },
        "legend": {
            "title": null, "orient": "top", "gradientLength": 220, "values": [-3, -1, 0, 1, 3],
            "labelExpr": "format(pow(2, datum.value), '.3~r') + ' ×'"
        }
    })
}

fn ratio_grid(x: &str, y: &str, tooltip: Value) -> Value {
    let ink = json!({
        "condition": { "test": "isValid(datum.log2) && (datum.log2 > 2.1 || datum.log2 < -1.5)", "value": "#fff" },
        "value": { "expr": "ink" }
    });
    json!({
        "height": { "step": 24 },
        "transform": [{ "calculate": "isValid(datum.ratio) ? log(datum.ratio) / LN2 : null", "as": "log2" }],
        "encoding": {
            "x": with(names(x), json!({ "axis": { "orient": "top", "labelAngle": 0, "domain": false, "ticks": false, "grid": false,
                                                  "labelLimit": 90, "labelOverlap": false } })),
            "y": with(names(y), json!({ "axis": { "domain": false, "ticks": false, "grid": false, "labelLimit": 200 } })),
            "tooltip": tooltip
        },
        "layer": [
            { "transform": [{ "filter": "isValid(datum.ratio)" }],
              "mark": { "type": "rect", "cornerRadius": 2 }, "encoding": { "color": diverging() } },
            { "transform": [{ "filter": "isValid(datum.ratio)" }],
              "mark": { "type": "text", "fontSize": 11 }, "encoding": { "text": { "field": "label" }, "color": ink } },
            { "transform": [{ "filter": "!isValid(datum.ratio)" }],
              "mark": { "type": "text", "fontSize": 10, "fontStyle": "italic", "opacity": 0.75, "limit": 90 },
              "encoding": { "text": { "field": "label" }, "color": { "value": { "expr": "ink" } } } }
        ],
        "config": { "scale": { "bandPaddingInner": 0.06 } }
    })
}

fn heat(_look: &Look) -> Value {
    base(ratio_grid("runtime", "benchmark", ratio_tip()))
}

fn matrix() -> Value {
    let tooltip = tip(&[
        ("a", "row", ""),
        ("b", "column", ""),
        ("text", "ratio", ""),
        ("n", "n", ""),
    ]);
    base(ratio_grid("b", "a", tooltip))
}

/// A line at ratio 1 across the other axis. It has a row of its own, or it would be drawn once per row of the figure.
fn line_at_one(axis: &str) -> Value {
    let (across, across2, end) = if axis == "x" {
        ("y", "y2", "height")
    } else {
        ("x", "x2", "width")
    };
    json!({ "data": { "values": [{}] },
            "mark": { "type": "rule", "strokeDash": [3, 3], "opacity": 0.6, "tooltip": null },
            "encoding": { axis: { "datum": 1 }, across: { "value": 0 }, across2: { "value": end }, "tooltip": { "value": null } } })
}

fn geomean(look: &Look) -> Value {
    let colour = look.colour_without_legend();
    base(json!({
        "height": { "step": 26 },
        "encoding": { "y": names("runtime"), "tooltip": tip(&[("runtime", "runtime", ""), ("text", "geometric mean", ""),
            ("least", "smallest ratio", ".3r"), ("most", "largest ratio", ".3r"), ("n", "benchmarks", "")]) },
        "layer": [
            line_at_one("x"),
            { "mark": { "type": "rule", "opacity": 0.35 },
              "encoding": { "x": ratio_axis("least", json!("ratio")), "x2": { "field": "most" }, "color": colour } },
            { "mark": { "type": "rule", "strokeWidth": 4 },
              "encoding": { "x": ratio_axis("low", json!("ratio")), "x2": { "field": "high" }, "color": colour } },
            { "mark": { "type": "point", "filled": true, "size": 90, "opacity": 1 },
              "encoding": { "x": ratio_axis("ratio", json!("ratio")), "color": colour,
                            "shape": with(look.shape.clone(), json!({ "legend": null })) } }
        ]
    }))
}

fn forest(look: &Look) -> Value {
    let colour = look.colour_without_legend();
    let decided = "datum.sign != '' && indexof(datum.sign, '?') < 0 && indexof(datum.sign, '(') < 0 && substring(datum.sign, 0, 1) != '='";
    base(json!({
        "height": { "step": 22 },
        "encoding": { "y": names("benchmark"), "tooltip": ratio_tip() },
        "layer": [
            { "data": { "values": [{}] }, "mark": { "type": "rect", "opacity": 0.22, "color": "#8a8f98" },
              "encoding": { "x": { "datum": 1.0 / (1.0 + look.margin) }, "x2": { "datum": 1.0 + look.margin },
                            "y": { "value": 0 }, "y2": { "value": "height" }, "tooltip": { "value": null } } },
            line_at_one("x"),
            { "mark": { "type": "rule", "strokeWidth": 2 },
              "encoding": { "x": ratio_axis("low", json!("ratio")), "x2": { "field": "high" }, "color": colour } },
            { "transform": [{ "filter": decided }], "mark": { "type": "point", "filled": true, "size": 70, "opacity": 1 },
              "encoding": { "x": ratio_axis("ratio", json!("ratio")), "color": colour } },
            { "transform": [{ "filter": format!("!({decided})") }],
              "mark": { "type": "point", "filled": false, "size": 70, "strokeWidth": 2 },
              "encoding": { "x": ratio_axis("ratio", json!("ratio")), "color": colour } }
        ]
    }))
}

/// Dots with intervals, one line per runtime within each benchmark.
fn dots(look: &Look, scale: &str) -> Value {
    base(json!({
        "height": { "step": 8, "for": "offset" },
        "encoding": { "y": with(names("benchmark"), json!({ "axis": { "grid": true, "tickBand": "extent", "labelLimit": 200 } })),
                      "yOffset": { "field": "runtime", "sort": null, "type": "nominal" },
                      "color": look.colour, "tooltip": value_tip() },
        "layer": [
            { "mark": { "type": "rule", "strokeWidth": 1.5 },
              "encoding": { "x": measured("low", scale), "x2": { "field": "high" } } },
            { "mark": { "type": "point", "filled": true, "size": 34, "opacity": 1 },
              "encoding": { "x": measured("value", scale), "shape": look.shape } }
        ]
    }))
}

fn absolute(look: &Look) -> Value {
    dots(look, "log")
}

fn utilisation(look: &Look) -> Value {
    dots(look, "linear")
}

fn memory_time(look: &Look) -> Value {
    base(json!({
        "height": 380,
        "layer": [
            line_at_one("x"),
            line_at_one("y"),
            { "mark": { "type": "point", "filled": true, "size": 55, "opacity": 0.85 },
              "encoding": {
                  "x": ratio_axis("time", json!("time, ratio to baseline")),
                  "y": ratio_axis("memory", json!("memory, ratio to baseline")),
                  "color": look.colour, "shape": look.shape,
                  "tooltip": tip(&[("benchmark", "benchmark", ""), ("runtime", "runtime", ""),
                                   ("time", "time ratio", ".3r"), ("memory", "memory ratio", ".3r")])
              } }
        ]
    }))
}

fn cores(look: &Look) -> Value {
    let share = |field: &str| {
        json!({ "field": field, "type": "quantitative", "stack": null, "title": null, "scale": { "domain": [0, 1] },
                "axis": { "format": ".0%", "tickCount": 3 } })
    };
    json!({
        "$schema": SCHEMA, "data": { "name": "rows" }, "params": params(),
        "facet": { "field": "benchmark", "type": "nominal", "sort": { "field": "order" }, "title": null },
        "spacing": 24,
        "columns": 4,
        "spec": {
            "width": 140, "height": { "step": 14 },
            "encoding": { "y": names("runtime"),
                          "tooltip": tip(&[("benchmark", "benchmark", ""), ("runtime", "runtime", ""), ("busy", "busy", ".1%"),
                                           ("idle", "idle", ".1%"), ("wait", "waited for a CPU", ".1%"), ("n", "n", "")]) },
            "layer": [
                { "mark": { "type": "bar", "color": "#8a8f98", "opacity": 0.25 }, "encoding": { "x": share("whole") } },
                { "mark": { "type": "bar" }, "encoding": { "x": share("busy"), "color": look.colour_without_legend() } },
                { "transform": [{ "filter": "isValid(datum.wait)" }],
                  "mark": { "type": "tick", "thickness": 2, "bandSize": 12 }, "encoding": { "x": share("wait") } }
            ]
        }
    })
}

fn levels(look: &Look) -> Value {
    let colour = look.colour_without_legend();
    base(json!({
        "height": { "step": 22 },
        "encoding": { "y": names("runtime"), "color": colour,
                      "tooltip": tip(&[("runtime", "runtime", ""), ("text", "steady", ""), ("coldText", "cold", ""), ("n", "n", "")]) },
        "layer": [
            { "mark": { "type": "rule", "opacity": 0.35 },
              "encoding": { "x": measured("value", "log"), "x2": { "field": "cold" } } },
            { "mark": { "type": "rule", "strokeWidth": 3 },
              "encoding": { "x": measured("low", "log"), "x2": { "field": "high" } } },
            { "mark": { "type": "point", "filled": false, "size": 50, "strokeWidth": 1.5 },
              "encoding": { "x": measured("cold", "log") } },
            { "mark": { "type": "point", "filled": true, "size": 60, "opacity": 1 },
              "encoding": { "x": measured("value", "log") } }
        ]
    }))
}

fn strip(look: &Look) -> Value {
    let x = json!({ "field": "sequence", "type": "quantitative", "title": "position in the session",
                    "scale": { "zero": false, "nice": false, "padding": 8 }, "axis": { "grid": false, "tickMinStep": 1, "format": "d" } });
    base(json!({
        "height": 260,
        "encoding": { "x": x, "y": measured("value", "log"), "color": look.colour,
                      "tooltip": tip(&[("runtime", "runtime", ""), ("text", "value", ""), ("block", "block", ""),
                                       ("sequence", "position", ""), ("contaminated", "contaminated", "")]) },
        "layer": [
            { "mark": { "type": "point", "filled": true, "size": 28, "opacity": 0.9 }, "encoding": { "shape": look.shape } },
            { "transform": [{ "filter": "datum.contaminated != ''" }],
              "mark": { "type": "point", "shape": "circle", "filled": false, "size": 130, "strokeWidth": 1.5 },
              "encoding": { "color": { "value": { "expr": "ink" } } } }
        ]
    }))
}

fn warmup(look: &Look) -> Value {
    let x = json!({ "field": "iteration", "type": "quantitative", "title": null, "scale": { "nice": false },
                    "axis": { "grid": false, "tickCount": 4, "tickMinStep": 1, "format": "d" } });
    json!({
        "$schema": SCHEMA, "data": { "name": "rows" }, "params": params(),
        "facet": { "field": "runtime", "type": "nominal", "sort": { "field": "order" }, "title": null },
        "spacing": { "column": 14, "row": 24 },
        "columns": 4,
        "resolve": { "scale": { "y": "independent" } },
        "spec": {
            "width": 150, "height": 90,
            "encoding": { "x": x, "y": with(measured("value", "log"), json!({ "axis": { "labelExpr": UNIT_LABEL, "tickCount": 3 } })),
                          "color": look.colour_without_legend() },
            "layer": [
                { "mark": { "type": "line", "strokeWidth": 1, "opacity": 0.8 },
                  "encoding": { "detail": { "field": "invocation", "type": "nominal" } } },
                { "transform": [{ "filter": "datum.steady != ''" }],
                  "mark": { "type": "point", "filled": true, "size": 36, "opacity": 1 },
                  "encoding": { "tooltip": tip(&[("runtime", "runtime", ""), ("invocation", "invocation", ""),
                                                 ("iteration", "steady from iteration", "")]) } }
            ]
        }
    })
}

fn scaling(look: &Look) -> Value {
    let x = json!({ "field": "cores", "type": "quantitative", "title": "cores",
                    "scale": { "type": "log", "base": 2, "nice": false, "padding": 20 },
                    "axis": { "format": "d", "values": { "expr": "ticks" }, "grid": false } });
    base(json!({
        "height": 240,
        "encoding": { "x": x, "color": look.colour,
                      "tooltip": tip(&[("runtime", "runtime", ""), ("cores", "cores", ""), ("text", "wall time", ""), ("n", "n", "")]) },
        "layer": [
            { "mark": { "type": "line", "strokeWidth": 1.5 }, "encoding": { "y": measured("value", "log") } },
            { "mark": { "type": "rule" }, "encoding": { "y": measured("low", "log"), "y2": { "field": "high" } } },
            { "mark": { "type": "point", "filled": true, "size": 45, "opacity": 1 },
              "encoding": { "y": measured("value", "log"), "shape": look.shape } }
        ]
    }))
}

/// Every curve begins at 1 on the fewest cores.
fn speedup(look: &Look) -> Value {
    let cores = |field: &str| {
        json!({ "field": field, "type": "quantitative", "title": "cores",
                "scale": { "type": "log", "base": 2, "nice": false, "padding": 20 },
                "axis": { "format": "d", "values": { "expr": "ticks" }, "grid": false } })
    };
    let times = |field: &str| {
        json!({ "field": field, "type": "quantitative", "title": "speed-up",
                "scale": { "type": "log", "base": 2, "nice": false, "padding": 12 },
                "axis": { "labelExpr": RATIO_LABEL, "tickCount": 5 } })
    };
    base(json!({
        "height": 240,
        "encoding": { "x": cores("cores"), "tooltip": tip(&[("runtime", "runtime", ""), ("cores", "cores", ""), ("text", "speed-up", ""),
                                                            ("efficiency", "efficiency", ".0%"), ("n", "n", "")]) },
        "layer": [
            { "mark": { "type": "line", "strokeDash": [3, 3], "opacity": 0.6, "tooltip": null },
              "encoding": { "y": times("ideal"), "color": { "value": { "expr": "ink" } } } },
            { "mark": { "type": "line", "strokeWidth": 1.5 }, "encoding": { "y": times("speedup"), "color": look.colour } },
            { "mark": { "type": "rule" }, "encoding": { "y": times("low"), "y2": { "field": "high" }, "color": look.colour } },
            { "mark": { "type": "point", "filled": true, "size": 45, "opacity": 1 },
              "encoding": { "y": times("speedup"), "color": look.colour, "shape": look.shape } }
        ]
    }))
}

fn growth(look: &Look) -> Value {
    let mut spec = curve(look);
    spec["spec"]["encoding"]["y"]["scale"] = json!({ "type": "log", "nice": false, "padding": 12 });
    spec
}

fn curve(look: &Look) -> Value {
    let x = json!({ "field": "x", "type": "quantitative", "title": null,
                    "scale": { "type": "log", "nice": false, "padding": 16 }, "axis": { "format": "~s", "grid": false, "tickCount": 5 } });
    let y = json!({ "field": "value", "type": "quantitative", "title": null, "axis": { "format": "~s", "tickCount": 5 } });
    json!({
        "$schema": SCHEMA, "data": { "name": "rows" }, "params": params(),
        "facet": { "field": "curve", "type": "nominal", "sort": { "field": "order" }, "title": null,
                   "header": { "labelLimit": 340 } },
        "spacing": 32,
        "columns": 2,
        "resolve": { "scale": { "y": "independent" } },
        "spec": {
            "width": 320, "height": 200,
            "encoding": { "x": x, "y": y, "color": look.colour,
                          "tooltip": tip(&[("runtime", "runtime", ""), ("x", "size", ""), ("value", "median", ".4~s")]) },
            "layer": [
                { "mark": { "type": "line", "strokeWidth": 1.5 } },
                { "mark": { "type": "point", "filled": true, "size": 45, "opacity": 1 }, "encoding": { "shape": look.shape } }
            ]
        }
    })
}

fn fairness(look: &Look) -> Value {
    let x = |field: &str| json!({ "field": field, "type": "quantitative", "title": "share relative to the mean", "scale": { "zero": false, "padding": 12 } });
    let colour = look.colour_without_legend();
    base(json!({
        "height": { "step": 26 },
        "encoding": { "y": names("label"), "color": colour,
                      "tooltip": tip(&[("runtime", "runtime", ""), ("counter", "counter", ""), ("min", "minimum", ".3r"),
                                       ("q1", "lower quartile", ".3r"), ("median", "median", ".3r"), ("q3", "upper quartile", ".3r"),
                                       ("max", "maximum", ".3r"), ("jain", "Jain's index", ".4r"), ("sd", "standard deviation", ".4r"),
                                       ("n", "actors", "")]) },
        "layer": [
            line_at_one("x"),
            { "mark": { "type": "rule" }, "encoding": { "x": x("min"), "x2": { "field": "max" } } },
            { "mark": { "type": "bar", "height": 12, "opacity": 0.8 }, "encoding": { "x": x("q1"), "x2": { "field": "q3" } } },
            { "mark": { "type": "tick", "thickness": 2, "bandSize": 16 },
              "encoding": { "x": x("median"), "color": { "value": { "expr": "ink" } } } }
        ]
    }))
}

fn sensors() -> Value {
    let x = json!({ "field": "sequence", "type": "quantitative", "title": "position in the session",
                    "scale": { "nice": false }, "axis": { "grid": false, "format": "d" } });
    json!({
        "$schema": SCHEMA, "data": { "name": "rows" }, "params": params(),
        "facet": { "row": { "field": "sensor", "type": "nominal", "title": null, "sort": { "field": "order" },
                            "header": { "labelAngle": 0, "labelAlign": "left", "labelOrient": "top", "labelAnchor": "start" } } },
        "spec": {
            "width": 760, "height": 80,
            "encoding": { "x": x, "y": { "field": "share", "type": "quantitative", "title": null,
                                         "axis": { "format": ".0%", "tickCount": 3 } },
                          "tooltip": tip(&[("sensor", "sensor", ""), ("share", "share", ".2%"), ("sequence", "position", ""),
                                           ("contaminated", "contaminated", "")]) },
            "layer": [
                { "mark": { "type": "point", "filled": true, "size": 12, "opacity": 0.7, "color": "#0072b2" } },
                { "transform": [{ "filter": "datum.contaminated != ''" }],
                  "mark": { "type": "point", "filled": false, "size": 60, "color": "#d55e00" } }
            ]
        }
    })
}

fn canary() -> Value {
    base(json!({
        "height": 120,
        "encoding": { "x": { "field": "sequence", "type": "quantitative", "title": "position in the session",
                             "scale": { "nice": false }, "axis": { "grid": false, "format": "d" } },
                      "y": measured("value", "linear"),
                      "tooltip": tip(&[("text", "time", ""), ("sequence", "position", ""), ("contaminated", "contaminated", "")]) },
        "layer": [
            { "mark": { "type": "point", "filled": true, "size": 20, "color": "#0072b2", "opacity": 0.8 } },
            { "transform": [{ "filter": "datum.contaminated != ''" }],
              "mark": { "type": "point", "filled": false, "size": 90, "color": "#d55e00" } }
        ]
    }))
}
