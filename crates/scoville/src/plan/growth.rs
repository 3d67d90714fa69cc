//! The plan of a growth session: ladders in place of groups.

use crate::catalogue::Catalogue;
use crate::model::benchmark::Benchmark;
use crate::model::machine::Cpu;
use crate::model::plan::{Competitor, GrowthLimits, Ladder, LadderKey, Plan, Skip};

use super::selection::select_benchmarks;
use super::taking_part;
use super::{
    Candidate, PlanError, Request, baseline, check_cores, check_names, competitor, left_out, not_offered,
    place,
};

/// Resolves what is to be grown. Of the request count benchmarks, cores, runtimes and method; sizes follow from the
/// ladders.
///
/// # Errors
/// Something was asked for that does not exist, a benchmark that does not grow, or nothing is left to run.
pub fn grow(
    request: &Request,
    limits: GrowthLimits,
    catalogue: &Catalogue,
    candidates: &[Candidate],
    cpus: &[Cpu],
) -> Result<Plan, PlanError> {
    check_names(candidates)?;
    let benchmarks = growing(catalogue, &request.benchmarks, candidates)?;
    let cores = check_cores(&request.cores, cpus.len())?;
    let mut skipped = left_out(request, candidates);
    let candidates = taking_part(request, candidates);
    let mut ladders: Vec<Ladder> = Vec::new();
    for &cores in &cores {
        for benchmark in &benchmarks {
            let key = LadderKey {
                benchmark: benchmark.name.clone(),
                cores,
            };
            ladders.extend(ladder(key, benchmark, limits, &candidates, cpus, &mut skipped));
        }
    }
    if ladders.is_empty() {
        return Err(PlanError::Nothing(skipped));
    }
    let competitors: Vec<&Competitor> = ladders.iter().flat_map(|ladder| &ladder.competitors).collect();
    Ok(Plan {
        seed: request.seed,
        method: request.method.clone(),
        baseline: baseline(request.baseline.as_deref(), &competitors, &candidates, &skipped)?,
        groups: Vec::new(),
        ladders,
        skipped,
    })
}

/// The benchmarks asked for, or all that grow.
fn growing<'c>(
    catalogue: &'c Catalogue,
    patterns: &[String],
    candidates: &[Candidate],
) -> Result<Vec<&'c Benchmark>, PlanError> {
    let asked = select_benchmarks(catalogue, patterns, candidates)?;
    let grows = || catalogue.benchmarks.iter().filter(|b| b.growth.is_some());
    if patterns.is_empty() {
        return Ok(grows().collect());
    }
    match asked.iter().find(|b| b.growth.is_none()) {
        None => Ok(asked),
        Some(fixed) => Err(PlanError::Fixed {
            benchmark: fixed.name.clone(),
            others: grows().map(|b| b.name.as_str()).collect::<Vec<_>>().join(", "),
        }),
    }
}

fn ladder(
    key: LadderKey,
    benchmark: &Benchmark,
    limits: GrowthLimits,
    candidates: &[&Candidate],
    cpus: &[Cpu],
    skipped: &mut Vec<Skip>,
) -> Option<Ladder> {
    let growth = benchmark.growth.as_ref()?;
    let mut competitors = Vec::new();
    for candidate in candidates {
        match not_offered(benchmark, candidate) {
            None => competitors.push(competitor(&candidate.selection, key.cores)),
            Some(reason) => skipped.push(Skip {
                runtime: candidate.selection.shown.clone(),
                benchmark: Some(benchmark.name.clone()),
                reason,
                unusable: false,
            }),
        }
    }
    let parameters = benchmark.presets.get("quick")?.parameters.clone();
    let grown = benchmark.parameters.iter().find(|p| p.name == growth.parameter)?;
    let fields = benchmark.fields_of(&parameters);
    let expect = fields
        .map(|field| (field.name.clone(), field.formula.clone()))
        .collect();
    (!competitors.is_empty()).then(|| Ladder {
        parameter: growth.parameter.clone(),
        from: growth.from,
        to: grown.max.map(|max| max.as_f64() as i64),
        parameters,
        expect,
        time: growth.time.clone(),
        limits,
        cpus: place(cpus, key.cores),
        competitors,
        key,
    })
}
