//! Figures of the machine while the session ran.

use serde_json::json;

use super::Format::{Count, Percent, Seconds, Text};
use super::parts::{SHARE_LABEL, base, measured, params, tip};
use super::{Figure, PALETTE, SCHEMA};

/// The figures of what surrounded the measurements.
pub(super) fn figures() -> Vec<Figure> {
    vec![sensors(), canary()]
}

fn sensors() -> Figure {
    let x = json!({ "field": "sequence", "type": "quantitative", "title": "position in the session",
                    "scale": { "nice": false }, "axis": { "grid": false, "format": "d" } });
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
        spec: json!({
            "$schema": SCHEMA, "data": { "name": "rows" }, "params": params(),
            "facet": { "row": { "field": "sensor", "type": "nominal", "title": null, "sort": { "field": "order" },
                                "header": { "labelAngle": 0, "labelAlign": "left", "labelOrient": "top", "labelAnchor": "start" } } },
            // What a quiet machine steals is a thousandth of the pressure that a runtime makes itself.
            "resolve": { "scale": { "y": "independent" } },
            "spec": {
                "width": 760, "height": 80,
                "encoding": { "x": x, "y": { "field": "share", "type": "quantitative", "title": null,
                                             "axis": { "labelExpr": SHARE_LABEL, "tickCount": 3 } },
                              "tooltip": tip(&[("sensor", "sensor", ""), ("share", "share", ".2%"), ("sequence", "position", ""),
                                               ("contaminated", "contaminated", "")]) },
                "layer": [
                    { "mark": { "type": "point", "filled": true, "size": 12, "opacity": 1, "color": PALETTE[0] } },
                    { "transform": [{ "filter": "datum.contaminated != ''" }],
                      "mark": { "type": "point", "filled": false, "size": 60, "opacity": 1, "color": PALETTE[1] } }
                ]
            }
        }),
    }
}

fn canary() -> Figure {
    Figure {
        id: "canary",
        title: "A fixed computation before each block (time, lower is better)",
        caption: "It only flags blocks whose surroundings changed; results are never divided by it. Ringed: counted as contaminated.",
        columns: &[
            ("sequence", "Position", Count),
            ("value", "Time", Seconds),
            ("contaminated", "Contaminated", Text),
        ],
        per_benchmark: false,
        spec: base(json!({
            "height": 120,
            "encoding": { "x": { "field": "sequence", "type": "quantitative", "title": "position in the session",
                                 "scale": { "nice": false }, "axis": { "grid": false, "format": "d" } },
                          "y": measured("value", "linear"),
                          "tooltip": tip(&[("text", "time", ""), ("sequence", "position", ""), ("contaminated", "contaminated", "")]) },
            "layer": [
                { "mark": { "type": "point", "filled": true, "size": 20, "opacity": 1, "color": PALETTE[0] } },
                { "transform": [{ "filter": "datum.contaminated != ''" }],
                  "mark": { "type": "point", "filled": false, "size": 90, "opacity": 1, "color": PALETTE[1] } }
            ]
        })),
    }
}
