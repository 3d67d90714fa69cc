//! Every figure as a Vega-Lite specification with its data inside, ready for a paper.

use serde_json::{Value, json};

use crate::model::analysis::{Analysis, Measure};

use super::figure::{self, Figure};
use super::rows::{self, Selection};
use super::{comparison, words};

/// Width of the exported figures, in pixels.
const WIDTH: u32 = 640;

/// File name and specification of every figure that has data: overview figures per size, benchmark figures per group,
/// machine figures once.
///
/// # Errors
/// Never for an analysis made by this program; `serde_json` reports what JSON cannot express.
pub fn render(analysis: &Analysis, measure: Measure) -> Result<Vec<(String, String)>, serde_json::Error> {
    let mut files = Vec::new();
    let Some(first) = rows::first_selection(analysis) else {
        return Ok(files);
    };
    for f in &figure::figures(analysis) {
        for selection in selections(
            analysis,
            f,
            &Selection {
                measure,
                ..first.clone()
            },
        ) {
            let rows = rows::rows(analysis, f.id, &selection);
            if !rows.is_empty() {
                let spec = filled(f, &selection, rows);
                files.push((file_name(f, &selection), serde_json::to_string_pretty(&spec)?));
            }
        }
    }
    Ok(files)
}

fn selections(analysis: &Analysis, figure: &Figure, first: &Selection) -> Vec<Selection> {
    let with = |size: (String, u32), benchmark| Selection {
        baseline: comparison::reference(analysis, &size).to_owned(),
        size,
        benchmark,
        ..first.clone()
    };
    if figure.id == "growth" {
        let mut benchmarks: Vec<&String> = analysis.ladders.iter().map(|l| &l.key.benchmark).collect();
        benchmarks.dedup();
        let selections = benchmarks
            .into_iter()
            .map(|b| with(first.size.clone(), Some(b.clone())));
        return selections.collect();
    }
    if figure.per_benchmark {
        let keys = analysis.groups.iter().map(|g| &g.key);
        return keys
            .map(|k| with((k.preset.clone(), k.cores), Some(k.benchmark.clone())))
            .collect();
    }
    match figure.id {
        "sensors" | "canary" => vec![first.clone()],
        "forest" => {
            let sizes = comparison::sizes(analysis);
            let pairs = (analysis.runtimes.iter()).flat_map(|r| sizes.iter().map(move |s| (r, s)));
            pairs
                .map(|(r, s)| Selection {
                    runtime: r.name.clone(),
                    ..with(s.clone(), None)
                })
                .filter(|selection| selection.runtime != selection.baseline)
                .collect()
        }
        _ => (comparison::sizes(analysis).into_iter())
            .map(|s| with(s, None))
            .collect(),
    }
}

fn filled(figure: &Figure, selection: &Selection, mut rows: Vec<Value>) -> Value {
    let mut spec = figure.spec.clone();
    // What a tooltip names and a row lacks would be told as "undefined".
    for field in told(&spec) {
        for row in rows.iter_mut().filter(|row| row[&field].is_null()) {
            row[&field] = json!("");
        }
    }
    let measure = match figure.id {
        "utilisation" => Measure::Utilisation,
        "absolute" | "strip" => selection.measure,
        _ => Measure::Wall,
    };
    let ticks: Vec<Value> = rows
        .iter()
        .map(|r| r["cores"].clone())
        .filter(|c| !c.is_null())
        .collect();
    for parameter in spec["params"].as_array_mut().into_iter().flatten() {
        match parameter["name"].as_str() {
            Some("unit") => parameter["value"] = json!(figure::axis_unit(measure)),
            Some("dense") => parameter["value"] = json!(figure.id == "warmup" || short(&rows)),
            Some("ticks") => parameter["value"] = json!(ticks),
            _ => {}
        }
    }
    if measure == Measure::Utilisation {
        figure::make_linear(&mut spec);
    }
    if spec["width"] == "container" {
        spec["width"] = json!(WIDTH);
    }
    spec["data"] = json!({ "name": "rows", "values": rows });
    spec["title"] =
        json!({ "text": figure.title_for(selection), "anchor": "start", "fontSize": 13, "offset": 12 });
    spec["usermeta"] = json!({ "caption": figure.caption });
    spec["background"] = json!("white");
    spec
}

/// The fields that tooltips show as they are.
fn told(part: &Value) -> Vec<String> {
    let tooltip = part["encoding"]["tooltip"].as_array().into_iter().flatten();
    let as_it_is = tooltip.filter(|entry| entry["format"].is_null());
    let own = as_it_is.filter_map(|entry| Some(entry["field"].as_str()?.to_owned()));
    let parts = part["layer"].as_array().into_iter().flatten();
    let below = parts.chain(part.get("spec")).flat_map(told);
    own.chain(below).collect()
}

/// Whether a logarithmic axis over these rows spans less than a decade, so that every tick may be labelled.
fn short(rows: &[Value]) -> bool {
    const FIELDS: [&str; 9] = [
        "value", "low", "high", "cold", "ratio", "least", "most", "time", "memory",
    ];
    let ends = rows
        .iter()
        .flat_map(|r| FIELDS.iter().filter_map(|f| r[*f].as_f64()))
        .filter(|x| *x > 0.0);
    let (least, most) = ends.fold((f64::INFINITY, 0.0_f64), |(lo, hi), x| (lo.min(x), hi.max(x)));
    most / least < 9.0
}

fn file_name(figure: &Figure, selection: &Selection) -> String {
    let mut parts = vec![figure.id.to_string()];
    if !matches!(figure.id, "sensors" | "canary") {
        parts.extend(selection.benchmark.clone());
        parts.push(format!("{}-{}", selection.size.0, selection.size.1));
        parts.push(words::slug(selection.measure).to_string());
    }
    if figure.id == "forest" {
        parts.push(selection.runtime.clone());
    }
    let name: String = (parts.join("-").chars())
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') {
                c
            } else {
                '_'
            }
        })
        .collect();
    format!("{}.vl.json", name.trim_start_matches('.'))
}
