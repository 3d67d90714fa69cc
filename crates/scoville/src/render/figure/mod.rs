//! The figures as Vega-Lite specifications, without data. The report's script fills in rows for what the reader has
//! selected; [`vega`](super::vega) fills in rows for a paper. A figure's rows are listed in [`rows`](super::rows).
//!
//! Each figure is a function that says all of it: what it is called, what it shows, the columns of its table and how it is
//! drawn.

mod benchmark;
mod machine;
mod overview;
mod parts;

use serde_json::{Value, json};

use crate::model::analysis::{Analysis, Measure};

use super::rows::Selection;
use super::words;
use parts::Look;

/// Version of the Vega-Lite schema that the specifications are written for.
pub const SCHEMA: &str = "https://vega.github.io/schema/vega-lite/v6.json";

/// Sixteen colours whose marks can be seen on the paper of both themes, with a contrast of 3 at least, and that stay apart for
/// the colour-blind as far as sixteen of this lightness can, the first seven best; shapes tell apart what colours do not.
pub const PALETTE: [&str; 16] = [
    "#0072b2", "#d55e00", "#786078", "#9c78fc", "#3c9cb4", "#9c846c", "#c02448", "#5454d8", "#d86ca8",
    "#6084cc", "#a86c84", "#54903c", "#b43ca8", "#f05454", "#786ce4", "#a85400",
];

/// What lies behind marks and says nothing alone.
pub const SHADE: &str = "#8a8f98";

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

/// Every figure for this analysis: the runtimes' colours and the margin are the session's.
pub fn figures(analysis: &Analysis) -> Vec<Figure> {
    let look = Look::new(analysis);
    let mut all = overview::figures(&look);
    all.extend(benchmark::figures(&look));
    all.extend(machine::figures());
    all
}
