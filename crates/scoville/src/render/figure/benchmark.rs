//! Figures of one benchmark.

use serde_json::{Value, json};

use super::Format::{Count, Measured, Percent, Ratio, Seconds, Text};
use super::parts::{
    DISTURBED, Look, RATIO_LABEL, UNIT_LABEL, base, line_at_one, measured, names, params, ratio_grid, tip,
    with,
};
use super::{Figure, SCHEMA};

/// The figures of one benchmark, in the order of the report.
pub(super) fn figures(look: &Look) -> Vec<Figure> {
    vec![
        levels(look),
        strip(look),
        warmup(look),
        matrix(),
        scaling(look),
        curve(look),
        growth(look),
        speedup(look),
        fairness(look),
    ]
}

fn levels(look: &Look) -> Figure {
    let colour = look.colour_without_legend();
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
        spec: base(json!({
            "height": { "step": 22 },
            "encoding": { "y": names("runtime"), "color": colour,
                          "tooltip": tip(&[("runtime", "runtime", ""), ("text", "steady", ""), ("coldText", "cold", ""), ("n", "n", "")]) },
            "layer": [
                { "mark": { "type": "rule" },
                  "encoding": { "x": measured("value", "log"), "x2": { "field": "cold" } } },
                { "mark": { "type": "rule", "strokeWidth": 3 },
                  "encoding": { "x": measured("low", "log"), "x2": { "field": "high" } } },
                { "mark": { "type": "point", "filled": false, "size": 50, "strokeWidth": 1.5, "opacity": 1 },
                  "encoding": { "x": measured("cold", "log") } },
                { "mark": { "type": "point", "filled": true, "size": 60, "opacity": 1 },
                  "encoding": { "x": measured("value", "log") } }
            ]
        })),
    }
}

fn strip(look: &Look) -> Figure {
    let x = json!({ "field": "sequence", "type": "quantitative", "title": "position in the session",
                    "scale": { "zero": false, "nice": false, "padding": 8 }, "axis": { "grid": false, "tickMinStep": 1, "format": "d" } });
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
        spec: base(json!({
            "height": 260,
            "encoding": { "x": x, "y": measured("value", "log"), "color": look.colour,
                          "tooltip": tip(&[("runtime", "runtime", ""), ("text", "value", ""), ("block", "block", ""),
                                           ("sequence", "position", ""), ("contaminated", "contaminated", "")]) },
            "layer": [
                { "mark": { "type": "point", "filled": true, "size": 28, "opacity": 1 }, "encoding": { "shape": look.shape } },
                { "transform": [{ "filter": "datum.contaminated != ''" }],
                  "mark": { "type": "point", "shape": "circle", "filled": false, "size": 130, "strokeWidth": 1.5, "opacity": 1 },
                  "encoding": { "color": { "value": { "expr": "ink" } } } }
            ]
        })),
    }
}

fn warmup(look: &Look) -> Figure {
    let x = json!({ "field": "iteration", "type": "quantitative", "title": "iteration", "scale": { "nice": false },
                    "axis": { "grid": false, "tickCount": 4, "tickMinStep": 1, "format": "d" } });
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
        spec: json!({
            "$schema": SCHEMA, "data": { "name": "rows" }, "params": params(),
            "facet": { "field": "runtime", "type": "nominal", "sort": { "field": "order" }, "title": null },
            "spacing": { "column": 14, "row": 24 },
            "columns": 4,
            "resolve": { "scale": { "y": "independent" }, "axis": { "x": "independent" } },
            "spec": {
                "width": 150, "height": 90,
                "encoding": { "x": x, "y": with(measured("value", "log"), json!({ "axis": { "labelExpr": UNIT_LABEL, "tickCount": 3 } })),
                              "color": look.colour_without_legend() },
                "layer": [
                    { "mark": { "type": "line", "strokeWidth": 1 },
                      "encoding": { "detail": { "field": "invocation", "type": "nominal" } } },
                    { "transform": [{ "filter": "datum.steady != ''" }],
                      "mark": { "type": "point", "filled": true, "size": 36, "opacity": 1 },
                      "encoding": { "tooltip": tip(&[("runtime", "runtime", ""), ("invocation", "invocation", ""),
                                                     ("iteration", "steady from iteration", "")]) } }
                ]
            }
        }),
    }
}

fn matrix() -> Figure {
    let tooltip = tip(&[
        ("a", "row", ""),
        ("b", "column", ""),
        ("text", "ratio", ""),
        ("n", "n", ""),
        DISTURBED,
    ]);
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
        spec: base(ratio_grid("b", "a", tooltip)),
    }
}

fn scaling(look: &Look) -> Figure {
    let x = json!({ "field": "cores", "type": "quantitative", "title": "cores",
                    "scale": { "type": "log", "base": 2, "nice": false, "padding": 20 },
                    "axis": { "format": "d", "values": { "expr": "ticks" }, "grid": false } });
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
        spec: base(json!({
            "height": 240,
            "encoding": { "x": x, "color": look.colour,
                          "tooltip": tip(&[("runtime", "runtime", ""), ("cores", "cores", ""), ("text", "wall time", ""), ("n", "n", "")]) },
            "layer": [
                { "mark": { "type": "line", "strokeWidth": 1.5 }, "encoding": { "y": measured("value", "log") } },
                { "mark": { "type": "rule" }, "encoding": { "y": measured("low", "log"), "y2": { "field": "high" } } },
                { "mark": { "type": "point", "filled": true, "size": 45, "opacity": 1 },
                  "encoding": { "y": measured("value", "log"), "shape": look.shape } }
            ]
        })),
    }
}

fn curve(look: &Look) -> Figure {
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
        spec: curves(look),
    }
}

fn growth(look: &Look) -> Figure {
    let mut spec = curves(look);
    spec["spec"]["encoding"]["y"]["scale"] = json!({ "type": "log", "nice": false, "padding": 12 });
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
        spec,
    }
}

/// A panel per metric with a line per runtime over `x`, which is logarithmic.
fn curves(look: &Look) -> Value {
    let x = json!({ "field": "x", "type": "quantitative", "title": null,
                    "scale": { "type": "log", "nice": false, "padding": 16 }, "axis": { "format": "~s", "grid": false, "tickCount": 5 } });
    let y = json!({ "field": "value", "type": "quantitative", "title": null, "axis": { "format": "~s", "tickCount": 5 } });
    json!({
        "$schema": SCHEMA, "data": { "name": "rows" }, "params": params(),
        "facet": { "field": "curve", "type": "nominal", "sort": { "field": "order" }, "title": null,
                   "header": { "labelLimit": 340 } },
        "spacing": 32,
        "columns": 2,
        "resolve": { "scale": { "y": "independent" }, "axis": { "x": "independent" } },
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

/// Every curve begins at 1 on the fewest cores.
fn speedup(look: &Look) -> Figure {
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
        spec: base(json!({
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
        })),
    }
}

fn fairness(look: &Look) -> Figure {
    let x = |field: &str| json!({ "field": field, "type": "quantitative", "title": "share relative to the mean", "scale": { "zero": false, "padding": 12 } });
    let colour = look.colour_without_legend();
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
        spec: base(json!({
            "height": { "step": 26 },
            "encoding": { "y": names("label"), "color": colour,
                          "tooltip": tip(&[("runtime", "runtime", ""), ("counter", "counter", ""), ("min", "minimum", ".3r"),
                                           ("q1", "lower quartile", ".3r"), ("median", "median", ".3r"), ("q3", "upper quartile", ".3r"),
                                           ("max", "maximum", ".3r"), ("jain", "Jain's index", ".4r"), ("sd", "standard deviation", ".4r"),
                                           ("n", "actors", "")]) },
            "layer": [
                line_at_one("x"),
                { "mark": { "type": "rule" }, "encoding": { "x": x("min"), "x2": { "field": "max" } } },
                { "mark": { "type": "bar", "height": 12 }, "encoding": { "x": x("q1"), "x2": { "field": "q3" } } },
                { "mark": { "type": "tick", "thickness": 2, "bandSize": 16 },
                  "encoding": { "x": x("median"), "color": { "value": { "expr": "ink" } } } }
            ]
        })),
    }
}
