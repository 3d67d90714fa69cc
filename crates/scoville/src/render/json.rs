//! The whole analysis as JSON. `schema` is its version; fields are added without raising it, and renamed or removed
//! only with it.

use crate::model::analysis::Analysis;

/// The analysis with every time of an unverified cell taken out.
///
/// # Errors
/// Never for an analysis made by this program; `serde_json` reports numbers or keys that JSON cannot express.
pub fn render(analysis: &Analysis) -> Result<String, serde_json::Error> {
    serde_json::to_string(&without_unverified_times(analysis))
}

fn without_unverified_times(analysis: &Analysis) -> Analysis {
    let mut shown = analysis.clone();
    for group in &mut shown.groups {
        let barred: Vec<String> = (group.cells.iter())
            .filter(|c| !c.state.has_numbers())
            .map(|c| c.runtime.clone())
            .collect();
        group
            .pairs
            .retain(|p| !barred.contains(&p.a) && !barred.contains(&p.b));
        for cell in (group.cells.iter_mut()).filter(|c| barred.contains(&c.runtime)) {
            cell.estimates.clear();
            cell.ns_per_message = None;
            cell.cv_between = None;
            cell.cv_within = None;
            cell.process.clear();
            for invocation in &mut cell.invocations {
                invocation.summaries.clear();
                invocation.wall_ns.clear();
            }
        }
    }
    shown
}
