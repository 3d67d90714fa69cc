//! Bencher Metric Format: benchmark -> measure -> value with its interval.

use serde_json::{Map, Value, json};

use crate::model::analysis::Analysis;

use super::words;

/// Every estimate of every cell with numbers. The interval's ends are the bounds.
///
/// # Errors
/// Never for an analysis made by this program; `serde_json` reports what JSON cannot express.
pub fn render(analysis: &Analysis) -> Result<String, serde_json::Error> {
    let mut benchmarks = Map::new();
    for group in &analysis.groups {
        for cell in group.cells.iter().filter(|c| c.state.has_numbers()) {
            let name = format!(
                "{}/{}/{}/{}",
                group.key.benchmark, group.key.preset, group.key.cores, cell.runtime
            );
            let measures: Map<String, Value> = (cell.estimates.iter())
                .map(|(measure, estimate)| {
                    let mut metric = json!({ "value": estimate.value });
                    if let Some(interval) = &estimate.interval {
                        metric["lower_value"] = json!(interval.low);
                        metric["upper_value"] = json!(interval.high);
                    }
                    (words::slug(*measure).to_string(), metric)
                })
                .collect();
            benchmarks.insert(name, Value::Object(measures));
        }
    }
    serde_json::to_string_pretty(&Value::Object(benchmarks))
}
