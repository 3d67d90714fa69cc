//! What the figures are made of: axes, colours, tooltips, and the marks that several have.

use serde_json::{Value, json};

use crate::model::analysis::Analysis;

use super::{PALETTE, SCHEMA};

const SHAPES: [&str; 4] = ["circle", "square", "triangle-up", "diamond"];

/// What all figures of a session share.
pub(super) struct Look {
    /// The encoding of a runtime as a colour.
    pub(super) colour: Value,
    /// The encoding of a runtime as a shape.
    pub(super) shape: Value,
    /// Ratios within this relative margin count as equal.
    pub(super) margin: f64,
}

impl Look {
    pub(super) fn new(analysis: &Analysis) -> Self {
        let names: Vec<&str> = analysis.runtimes.iter().map(|r| r.name.as_str()).collect();
        let all = 0..names.len();
        let colours: Vec<&str> = all.clone().map(|i| PALETTE[i % PALETTE.len()]).collect();
        // Runtimes of one colour differ in shape.
        let shapes: Vec<&str> = all
            .map(|i| SHAPES[(i + i / PALETTE.len()) % SHAPES.len()])
            .collect();
        let legend = json!({ "title": null, "orient": "top", "columns": 8, "symbolLimit": 40 });
        Look {
            colour: json!({
                "field": "runtime", "type": "nominal", "legend": legend,
                "scale": { "domain": names, "range": colours }
            }),
            shape: json!({
                "field": "runtime", "type": "nominal", "legend": legend,
                "scale": { "domain": names, "range": shapes }
            }),
            margin: analysis.plan.method.margin,
        }
    }

    /// The runtime's colour where the axis already names the runtime.
    pub(super) fn colour_without_legend(&self) -> Value {
        let mut colour = self.colour.clone();
        colour["legend"] = Value::Null;
        colour
    }
}

/// Prints an axis value in the unit that the parameter `unit` names, which a space sets apart as everywhere else.
pub(super) const UNIT_LABEL: &str = "replace(unit == '%' ? format(datum.value, '.2~%') : format(datum.value, '.3~s') + unit, \
     regexp('([0-9])([^0-9.])'), '$1\u{a0}$2')";

/// Prints an axis value as a share.
pub(super) const SHARE_LABEL: &str = "format(100 * datum.value, '.3~r') + '\u{a0}%'";

pub(super) const RATIO_LABEL: &str = "format(datum.value, '.3~r')";

/// On a long logarithmic axis only 1, 2 and 5 are labelled; the parameter `dense` says that the axis is short.
const LABELLED: &str =
    "dense || indexof([1, 2, 5], round(datum.value / pow(10, floor(log(datum.value) / LN10 + 1e-9)))) >= 0";

fn thinned(label: &str) -> String {
    format!("{LABELLED} ? ({label}) : ''")
}

pub(super) fn with(mut spec: Value, more: Value) -> Value {
    for (key, value) in more.as_object().expect("specifications are objects") {
        spec[key] = value.clone();
    }
    spec
}

/// A figure as wide as its place, with the parameters that the theme and the selection set.
pub(super) fn base(body: Value) -> Value {
    with(
        json!({ "$schema": SCHEMA, "data": { "name": "rows" }, "width": "container", "params": params() }),
        body,
    )
}

/// Parameters that every figure has: unit of the value axis, whether a logarithmic axis is short enough to label every
/// tick, text colour, and the core counts that an axis names.
pub(super) fn params() -> Value {
    json!([
        { "name": "unit", "value": "s" },
        { "name": "dense", "value": false },
        { "name": "ink", "value": "#222" },
        { "name": "ticks", "value": [] }
    ])
}

/// An axis in the measure's unit.
pub(super) fn measured(field: &str, scale: &str) -> Value {
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

pub(super) fn ratio_axis(field: &str, title: Value) -> Value {
    json!({
        "field": field, "type": "quantitative", "title": title,
        "scale": { "type": "log", "nice": false, "padding": 16 },
        "axis": { "labelExpr": thinned(RATIO_LABEL), "tickCount": 6 }
    })
}

pub(super) fn names(field: &str) -> Value {
    json!({ "field": field, "type": "nominal", "sort": null, "title": null, "axis": { "grid": false, "labelLimit": 220 } })
}

pub(super) fn tip(fields: &[(&str, &str, &str)]) -> Value {
    let entries = fields.iter().map(|(field, title, format)| match *format {
        "" => json!({ "field": field, "title": title }),
        f => json!({ "field": field, "title": title, "format": f, "type": "quantitative" }),
    });
    Value::Array(entries.collect())
}

/// Why a number is marked; the report's tooltip leaves out what is empty.
pub(super) const DISTURBED: (&str, &str, &str) = ("disturbed", "mostly disturbed", "");

pub(super) fn ratio_tip() -> Value {
    tip(&[
        ("benchmark", "benchmark", ""),
        ("runtime", "runtime", ""),
        ("text", "ratio", ""),
        ("n", "n", ""),
        DISTURBED,
    ])
}

pub(super) fn value_tip() -> Value {
    tip(&[
        ("benchmark", "benchmark", ""),
        ("runtime", "runtime", ""),
        ("text", "value", ""),
        ("n", "n", ""),
        DISTURBED,
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

pub(super) fn ratio_grid(x: &str, y: &str, tooltip: Value) -> Value {
    // From where on white can be read better than the page's ink.
    let ink = json!({
        "condition": { "test": "isValid(datum.log2) && (datum.log2 > 2.6 || datum.log2 < -2.25)", "value": "#fff" },
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

/// A line at ratio 1 across the other axis. It has a row of its own, or it would be drawn once per row of the figure; and a colour
/// of its own, or it would have that of no runtime, which is none.
pub(super) fn line_at_one(axis: &str) -> Value {
    let (across, across2, end) = if axis == "x" {
        ("y", "y2", "height")
    } else {
        ("x", "x2", "width")
    };
    json!({ "data": { "values": [{}] },
            "mark": { "type": "rule", "strokeDash": [3, 3], "opacity": 0.6, "tooltip": null },
            "encoding": { axis: { "datum": 1 }, across: { "value": 0 }, across2: { "value": end }, "tooltip": { "value": null },
                          "color": { "value": { "expr": "ink" } } } })
}
