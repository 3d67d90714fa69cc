//! Which benchmarks and sizes a request means.

use super::{Candidate, PlanError, Request};
use crate::catalogue::{CATEGORIES, Catalogue};
use crate::glob;
use crate::model::benchmark::Benchmark;
use crate::suggest;

/// The benchmarks that any of the patterns matches, in catalogue order. A pattern may also be a category.
///
/// # Errors
/// A pattern matches nothing, or there is nothing to match.
pub(super) fn select_benchmarks<'c>(
    catalogue: &'c Catalogue,
    patterns: &[String],
    candidates: &[Candidate],
) -> Result<Vec<&'c Benchmark>, PlanError> {
    if catalogue.benchmarks.is_empty() {
        return Err(PlanError::Empty);
    }
    let fits = |pattern: &String, b: &Benchmark| glob::matches(pattern, &b.name) || *pattern == b.category;
    for pattern in patterns {
        if !catalogue.benchmarks.iter().any(|b| fits(pattern, b)) {
            return Err(PlanError::Benchmark {
                pattern: pattern.clone(),
                advice: if candidates.iter().any(|c| c.selection.shown == *pattern) {
                    format!("it is a runtime, so write --runtime {pattern}")
                } else {
                    suggest::advice(pattern, catalogue.names().chain(CATEGORIES))
                },
            });
        }
    }
    let wanted = |b: &&Benchmark| patterns.is_empty() || patterns.iter().any(|pattern| fits(pattern, b));
    Ok(catalogue.benchmarks.iter().filter(wanted).collect())
}

pub(super) fn check_presets(benchmarks: &[&Benchmark], presets: &[String]) -> Result<(), PlanError> {
    let known = Catalogue::presets(benchmarks.iter().copied());
    let unknown = |pattern: &&String| !known.iter().any(|name| glob::matches(pattern, name));
    match presets.iter().find(unknown) {
        None => Ok(()),
        Some(preset) => Err(PlanError::Preset {
            preset: preset.clone(),
            advice: suggest::advice(preset, known),
        }),
    }
}

/// The sizes of a benchmark that a pattern matches, in their order; the pattern itself if there is none.
pub(super) fn sizes(benchmark: &Benchmark, pattern: &str) -> Vec<String> {
    let names = Catalogue::presets([benchmark]).into_iter();
    let names: Vec<String> = names
        .filter(|name| glob::matches(pattern, name))
        .map(str::to_owned)
        .collect();
    if names.is_empty() {
        vec![pattern.to_owned()]
    } else {
        names
    }
}

/// Takes out the benchmarks that the baseline-to-be says it cannot run. One that can run none decides nothing.
pub(super) fn keep_the_baselines(
    benchmarks: &mut Vec<&Benchmark>,
    request: &Request,
    candidates: &[&Candidate],
) {
    let named = |name: &str| candidates.iter().find(|c| c.selection.shown == name);
    let baseline = match &request.baseline {
        Some(name) => named(name),
        None => named("datil").or(candidates.first()),
    };
    if let Some(can) = baseline.and_then(|candidate| candidate.benchmarks.as_ref()) {
        let is_run = |benchmark: &&Benchmark| can.contains(&benchmark.name);
        if benchmarks.iter().any(is_run) {
            benchmarks.retain(is_run);
        }
    }
}
