//! Figures of all benchmarks at once.

use serde_json::{Value, json};

use super::Format::{Count, Measured, Percent, Ratio, Text};
use super::parts::{
    DISTURBED, Look, SHARE_LABEL, base, line_at_one, measured, names, params, ratio_axis, ratio_grid,
    ratio_tip, tip, value_tip, with,
};
use super::{Figure, Format, SCHEMA, SHADE};

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

/// The figures of the whole session, in the order of the report.
pub(super) fn figures(look: &Look) -> Vec<Figure> {
    vec![
        heat(),
        geomean(look),
        forest(look),
        absolute(look),
        memory_time(look),
        utilisation(look),
        cores(look),
    ]
}

fn heat() -> Figure {
    Figure {
        id: "heat",
        title: "{measure} relative to {baseline}, {size} (ratio, {direction})",
        caption: "Blue is faster or smaller than the baseline, orange slower or larger, on a logarithmic scale that ends at 8 \
                  times. The sign is the verdict: − faster, + slower, = equal within the margin, ? undecided, ~ asymmetric tail, ( ) not \
                  after Holm's correction, * mostly disturbed. Words stand where there is no number.",
        columns: RATIO_COLUMNS,
        per_benchmark: false,
        spec: base(ratio_grid("runtime", "benchmark", ratio_tip())),
    }
}

fn geomean(look: &Look) -> Figure {
    let colour = look.colour_without_legend();
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
        spec: base(json!({
            "height": { "step": 26 },
            "encoding": { "y": names("runtime"), "tooltip": tip(&[("runtime", "runtime", ""), ("text", "geometric mean", ""),
                ("least", "smallest ratio", ".3r"), ("most", "largest ratio", ".3r"), ("n", "benchmarks", ""), DISTURBED]) },
            "layer": [
                line_at_one("x"),
                { "mark": { "type": "rule" },
                  "encoding": { "x": ratio_axis("least", json!("ratio")), "x2": { "field": "most" }, "color": colour } },
                { "mark": { "type": "rule", "strokeWidth": 4 },
                  "encoding": { "x": ratio_axis("low", json!("ratio")), "x2": { "field": "high" }, "color": colour } },
                { "mark": { "type": "point", "filled": true, "size": 90, "opacity": 1 },
                  "encoding": { "x": ratio_axis("ratio", json!("ratio")), "color": colour,
                                "shape": with(look.shape.clone(), json!({ "legend": null })) } }
            ]
        })),
    }
}

fn forest(look: &Look) -> Figure {
    let colour = look.colour_without_legend();
    let decided = "datum.sign != '' && indexof(datum.sign, '?') < 0 && indexof(datum.sign, '(') < 0 && substring(datum.sign, 0, 1) != '='";
    Figure {
        id: "forest",
        title: "{runtime} relative to {baseline}: {measure}, {size} (ratio, {direction})",
        caption: "Typical ratio (Hodges-Lehmann over blocks) with its 95 % interval, sorted by effect. The shaded band is the \
                  margin within which two runtimes count as equal. Hollow marks are undecided or equal, or differ no longer \
                  after Holm's correction.",
        columns: RATIO_COLUMNS,
        per_benchmark: false,
        spec: base(json!({
            "height": { "step": 22 },
            "encoding": { "y": names("benchmark"), "tooltip": ratio_tip() },
            "layer": [
                { "data": { "values": [{}] }, "mark": { "type": "rect", "opacity": 0.22, "color": SHADE },
                  "encoding": { "x": { "datum": 1.0 / (1.0 + look.margin) }, "x2": { "datum": 1.0 + look.margin },
                                "y": { "value": 0 }, "y2": { "value": "height" }, "tooltip": { "value": null } } },
                line_at_one("x"),
                { "mark": { "type": "rule", "strokeWidth": 2 },
                  "encoding": { "x": ratio_axis("low", json!("ratio")), "x2": { "field": "high" }, "color": colour } },
                { "transform": [{ "filter": decided }], "mark": { "type": "point", "filled": true, "size": 70, "opacity": 1 },
                  "encoding": { "x": ratio_axis("ratio", json!("ratio")), "color": colour } },
                { "transform": [{ "filter": format!("!({decided})") }],
                  "mark": { "type": "point", "filled": false, "size": 70, "strokeWidth": 2, "opacity": 1 },
                  "encoding": { "x": ratio_axis("ratio", json!("ratio")), "color": colour } }
            ]
        })),
    }
}

fn absolute(look: &Look) -> Figure {
    Figure {
        id: "absolute",
        title: "{measure}, {size}: {meaning} ({axis})",
        caption: "Point estimate over invocations with its 95 % interval.",
        columns: VALUE_COLUMNS,
        per_benchmark: false,
        spec: dots(look, "log"),
    }
}

fn memory_time(look: &Look) -> Figure {
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
        spec: base(json!({
            "height": 380,
            "layer": [
                line_at_one("x"),
                line_at_one("y"),
                { "mark": { "type": "point", "filled": true, "size": 55, "opacity": 1 },
                  "encoding": {
                      "x": ratio_axis("time", json!("time, ratio to baseline")),
                      "y": ratio_axis("memory", json!("memory, ratio to baseline")),
                      "color": look.colour, "shape": look.shape,
                      "tooltip": tip(&[("benchmark", "benchmark", ""), ("runtime", "runtime", ""),
                                       ("time", "time ratio", ".3r"), ("memory", "memory ratio", ".3r")])
                  } }
            ]
        })),
    }
}

fn utilisation(look: &Look) -> Figure {
    Figure {
        id: "utilisation",
        title: "CPU utilisation, {size}: CPU time over wall time and cores (no direction)",
        caption: "Of the steady iterations, start-up excluded, with its 95 % interval.",
        columns: SHARE_COLUMNS,
        per_benchmark: false,
        spec: dots(look, "linear"),
    }
}

fn cores(look: &Look) -> Figure {
    let share = |field: &str| {
        json!({ "field": field, "type": "quantitative", "stack": null, "title": null, "scale": { "domain": [0, 1], "clamp": true },
                "axis": { "labelExpr": SHARE_LABEL, "tickCount": 3 } })
    };
    Figure {
        id: "cores",
        title: "Where the cores went, {size} (share of wall time and cores, no direction)",
        caption: "Coloured: busy in the runtime's process tree. Grey: idle. The vertical stroke is the time that its threads \
                  were ready and waited for a CPU (median of whole processes), where the kernel tells. Many threads together can \
                  wait for more than 100 %; then it stands at the right end.",
        columns: &[
            ("benchmark", "Benchmark", Text),
            ("runtime", "Runtime", Text),
            ("busy", "Busy", Percent),
            ("idle", "Idle", Percent),
            ("wait", "Waited for a CPU", Percent),
            ("n", "n", Count),
        ],
        per_benchmark: false,
        spec: json!({
            "$schema": SCHEMA, "data": { "name": "rows" }, "params": params(),
            "facet": { "field": "benchmark", "type": "nominal", "sort": { "field": "order" }, "title": null },
            "spacing": 24,
            "columns": 4,
            // An axis below each panel: a common one would stand below the empty places of the last line.
            "resolve": { "axis": { "x": "independent" } },
            "spec": {
                "width": 140, "height": { "step": 14 },
                "encoding": { "y": names("runtime"),
                              "tooltip": tip(&[("benchmark", "benchmark", ""), ("runtime", "runtime", ""), ("busy", "busy", ".1%"),
                                               ("idle", "idle", ".1%"), ("wait", "waited for a CPU", ".1%"), ("n", "n", "")]) },
                "layer": [
                    { "mark": { "type": "bar", "color": SHADE, "opacity": 0.25 }, "encoding": { "x": share("whole") } },
                    { "mark": { "type": "bar" }, "encoding": { "x": share("busy"), "color": look.colour_without_legend() } },
                    { "transform": [{ "filter": "isValid(datum.wait)" }],
                      "mark": { "type": "tick", "thickness": 2, "bandSize": 12 }, "encoding": { "x": share("wait") } }
                ]
            }
        }),
    }
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
