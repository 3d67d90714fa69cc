//! From what a user asks to the resolved, reproducible plan.

mod candidate;
mod error;
mod growth;
mod method;
mod placement;
mod selection;
mod skipped;

pub use candidate::Candidate;
pub use error::PlanError;
pub use growth::grow;
pub use method::{QUICK_NS, fixed, quick, standard};
pub use placement::place;
pub use skipped::grouped;

use selection::{check_presets, keep_the_baselines, select_benchmarks, sizes};

use crate::catalogue::Catalogue;
use crate::model::benchmark::Benchmark;
use crate::model::machine::Cpu;
use crate::model::plan::{Competitor, Group, GroupKey, Method, Plan, Skip};
use crate::model::runtime::RuntimeName;
use crate::peers::{self, Selection};
use crate::suggest;

/// What a user asks for, with every default filled in but those that depend on the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Names or patterns of benchmarks; empty for the default that [`everything`](Self::everything) chooses.
    pub benchmarks: Vec<String>,
    /// What no pattern means: every benchmark, or those that the baseline can run, without which there is no ratio.
    pub everything: bool,
    /// Names or patterns of sizes.
    pub presets: Vec<String>,
    /// Numbers of CPUs; empty for all CPUs.
    pub cores: Vec<u32>,
    /// Whether those take part that have to be named otherwise: variants, and runtimes on request.
    pub variants: bool,
    /// How to measure.
    pub method: Method,
    /// The runtime that ratios are relative to; `None` for datil if it takes part, else the first.
    pub baseline: Option<RuntimeName>,
    /// Seed of every random choice.
    pub seed: u64,
}

/// Resolves a request.
///
/// # Errors
/// Something was asked for that does not exist, or nothing is left to run.
pub fn resolve(
    request: &Request,
    catalogue: &Catalogue,
    candidates: &[Candidate],
    cpus: &[Cpu],
) -> Result<Plan, PlanError> {
    check_names(candidates)?;
    let mut benchmarks = select_benchmarks(catalogue, &request.benchmarks, candidates)?;
    check_presets(&benchmarks, &request.presets)?;
    let cores = check_cores(&request.cores, cpus.len())?;
    let mut skipped = left_out(request, candidates);
    let candidates = taking_part(request, candidates);
    if request.benchmarks.is_empty() && !request.everything {
        keep_the_baselines(&mut benchmarks, request, &candidates);
    }
    let mut groups: Vec<Group> = Vec::new();
    for (key, benchmark) in keys(&cores, &request.presets, &benchmarks) {
        if !groups.iter().any(|group| group.key == key) {
            groups.extend(group(key, benchmark, &candidates, cpus, &mut skipped));
        }
    }
    if groups.is_empty() {
        return Err(PlanError::Nothing(skipped));
    }
    Ok(Plan {
        seed: request.seed,
        method: request.method.clone(),
        baseline: baseline(
            request.baseline.as_deref(),
            &groups
                .iter()
                .flat_map(|group| &group.competitors)
                .collect::<Vec<_>>(),
            &candidates,
            &skipped,
        )?,
        groups,
        ladders: Vec::new(),
        skipped,
    })
}

/// Every size of every benchmark on every number of cores, in the order of the plan. Patterns of sizes may overlap.
fn keys<'b>(
    cores: &[u32],
    presets: &[String],
    benchmarks: &[&'b Benchmark],
) -> Vec<(GroupKey, &'b Benchmark)> {
    let mut keys = Vec::new();
    for &cores in cores {
        for pattern in presets {
            for &benchmark in benchmarks {
                keys.extend(sizes(benchmark, pattern).into_iter().map(|preset| {
                    let key = GroupKey {
                        benchmark: benchmark.name.clone(),
                        preset,
                        cores,
                    };
                    (key, benchmark)
                }));
            }
        }
    }
    keys
}

fn check_names(candidates: &[Candidate]) -> Result<(), PlanError> {
    for (i, candidate) in candidates.iter().enumerate() {
        let name = &candidate.selection.shown;
        if candidates[..i].iter().any(|other| other.selection.shown == *name) {
            return Err(PlanError::Twice { name: name.clone() });
        }
    }
    Ok(())
}

fn check_cores(cores: &[u32], have: usize) -> Result<Vec<u32>, PlanError> {
    if let Some(&cores) = cores.iter().find(|&&cores| cores == 0 || cores as usize > have) {
        return Err(PlanError::Cores { cores, have });
    }
    let mut cores = if cores.is_empty() {
        vec![have as u32]
    } else {
        cores.to_vec()
    };
    cores.sort_unstable();
    cores.dedup();
    Ok(cores)
}

fn taking_part<'c>(request: &Request, candidates: &'c [Candidate]) -> Vec<&'c Candidate> {
    candidates.iter().filter(|c| c.out(request).is_none()).collect()
}

fn left_out(request: &Request, candidates: &[Candidate]) -> Vec<Skip> {
    candidates
        .iter()
        .filter_map(|candidate| candidate.out(request))
        .collect()
}

/// The group of that key, or nothing if no runtime can run it; then the reasons are in `skipped`.
fn group(
    key: GroupKey,
    benchmark: &Benchmark,
    candidates: &[&Candidate],
    cpus: &[Cpu],
    skipped: &mut Vec<Skip>,
) -> Option<Group> {
    let mut competitors = Vec::new();
    for candidate in candidates {
        match why_not(&key, benchmark, candidate) {
            None => competitors.push(competitor(&candidate.selection, key.cores)),
            Some(reason) => {
                let skip = Skip {
                    runtime: candidate.selection.shown.clone(),
                    benchmark: Some(benchmark.name.clone()),
                    reason,
                    unusable: false,
                };
                if !skipped.contains(&skip) {
                    skipped.push(skip);
                }
            }
        }
    }
    let preset = benchmark.presets.get(&key.preset)?;
    (!competitors.is_empty()).then(|| Group {
        parameters: preset.parameters.clone(),
        expect: preset.expect.clone(),
        unverified: preset.unverified.clone(),
        work: preset.work,
        messages_plus: benchmark.messages_plus.clone(),
        cpus: place(cpus, key.cores),
        competitors,
        key,
    })
}

fn why_not(key: &GroupKey, benchmark: &Benchmark, candidate: &Candidate) -> Option<String> {
    if !benchmark.presets.contains_key(&key.preset) {
        return Some(format!(
            "there is no size `{}`; it has {}",
            key.preset,
            Catalogue::presets([benchmark]).join(", ")
        ));
    }
    not_offered(benchmark, candidate)
}

/// Why a runtime lacks a benchmark, if it was asked and does.
fn not_offered(benchmark: &Benchmark, candidate: &Candidate) -> Option<String> {
    let can = candidate.benchmarks.as_ref()?;
    let why = not_offered_because(&candidate.selection.runtime.name);
    (!can.contains(&benchmark.name)).then(|| format!("{}{why}", Skip::UNSUPPORTED))
}

/// Why a runtime does not offer a benchmark.
pub fn not_offered_because(runtime: &str) -> &'static str {
    match suite::runtimes::runtime(runtime) {
        Some(_) if !suite::benchmarks::COMPLETE => {
            "not in this build of scoville; build it with --features all-benchmarks"
        }
        _ => "not implemented by this peer",
    }
}

fn competitor(selection: &Selection, workers: u32) -> Competitor {
    Competitor {
        runtime: selection.shown.clone(),
        reports_as: selection.runtime.name.clone(),
        launch: peers::launch(&selection.runtime, workers),
    }
}

fn baseline(
    asked: Option<&str>,
    competitors: &[&Competitor],
    candidates: &[&Candidate],
    skipped: &[Skip],
) -> Result<RuntimeName, PlanError> {
    let taking_part: Vec<&str> = candidates
        .iter()
        .map(|c| c.selection.shown.as_str())
        .filter(|name| competitors.iter().any(|c| c.runtime == *name))
        .collect();
    let name = match asked {
        Some(name) if taking_part.contains(&name) => name,
        Some(name) => {
            let reason = skipped
                .iter()
                .find(|skip| skip.runtime == name)
                .map(|skip| skip.reason.clone());
            return Err(PlanError::Baseline {
                name: name.into(),
                why: reason.unwrap_or_else(|| suggest::advice(name, taking_part.iter().copied())),
            });
        }
        None => taking_part
            .iter()
            .find(|name| **name == "datil")
            .unwrap_or(&taking_part[0]),
    };
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::runtime::{Launch, Runtime};

    fn candidate(name: &str) -> Candidate {
        let runtime = Runtime {
            name: name.into(),
            title: name.into(),
            language: "test".into(),
            homepage: String::new(),
            variant: false,
            on_request: false,
            launch: Launch {
                command: vec![name.into(), "{workers}".into()],
                env: Default::default(),
                cwd: "/".into(),
                quit: None,
            },
            requires: Vec::new(),
            also_requires: Vec::new(),
            build: None,
        };
        let shown = name.to_owned();
        Candidate {
            selection: Selection {
                shown,
                runtime,
                named: false,
            },
            unusable: None,
            silent: false,
            benchmarks: None,
        }
    }

    fn request() -> Request {
        Request {
            benchmarks: vec!["fib".into(), "fj*".into()],
            everything: false,
            presets: vec!["tiny".into()],
            cores: vec![2, 1, 2],
            variants: false,
            method: quick(),
            baseline: None,
            seed: 1,
        }
    }

    fn cpu(id: u32) -> Cpu {
        Cpu {
            id,
            core: id,
            package: 0,
            node: 0,
            llc: 0,
        }
    }

    fn plan(candidates: &[Candidate], variants: bool) -> Result<Plan, PlanError> {
        let request = Request {
            variants,
            ..request()
        };
        resolve(&request, &catalogue(), candidates, &[cpu(0), cpu(1)])
    }

    fn catalogue() -> Catalogue {
        Catalogue::embedded().expect("the catalogue is sound")
    }

    #[test]
    fn an_empty_catalogue_is_called_so() {
        let catalogue = Catalogue {
            benchmarks: Vec::new(),
        };
        for benchmarks in [vec![], vec!["fib".to_owned()]] {
            let request = Request {
                benchmarks,
                ..request()
            };
            let planned = resolve(&request, &catalogue, &[candidate("datil")], &[cpu(0), cpu(1)]);
            assert_eq!(planned, Err(PlanError::Empty));
        }
    }

    #[test]
    fn who_asks_for_too_many_cores_is_told_how_many_there_are() {
        let told = |have| PlanError::Cores { cores: 9, have }.to_string();
        assert_eq!(
            [told(1), told(2)],
            [
                "--cores 9: this machine lets scoville use 1 CPU; ask for 1",
                "--cores 9: this machine lets scoville use 2 CPUs; ask for 1 to 2",
            ]
        );
    }

    #[test]
    fn groups_are_the_product_of_what_was_asked_for() {
        let plan = plan(&[candidate("tokio"), candidate("datil")], false).unwrap();
        let keys: Vec<(&str, u32)> = plan
            .groups
            .iter()
            .map(|g| (&g.key.benchmark[..], g.key.cores))
            .collect();
        let expected = [
            ("fjthrput", 1),
            ("fjcreate", 1),
            ("fib", 1),
            ("fjthrput", 2),
            ("fjcreate", 2),
            ("fib", 2),
        ];
        assert_eq!(keys, expected);
        assert_eq!(plan.baseline, "datil");
        let last = &plan.groups[5];
        assert_eq!(
            (last.cpus.len(), &last.competitors[0].launch.command[1][..]),
            (2, "2")
        );
    }

    #[test]
    fn what_cannot_run_is_left_out_with_its_reason() {
        let partial = Candidate {
            benchmarks: Some(vec!["fib".into()]),
            ..candidate("partial")
        };
        let broken = Candidate {
            unusable: Some("not installed".into()),
            ..candidate("broken")
        };
        let plan = plan(&[partial, broken.clone()], false).unwrap();
        assert!(plan.groups.iter().all(|group| group.key.benchmark == "fib"));
        assert_eq!(plan.baseline, "partial");
        let skipped: Vec<(&str, Option<&str>)> = plan
            .skipped
            .iter()
            .map(|s| (&s.runtime[..], s.benchmark.as_deref()))
            .collect();
        let expected = [
            ("broken", None),
            ("partial", Some("fjthrput")),
            ("partial", Some("fjcreate")),
        ];
        assert_eq!(skipped, expected);
        let error = super::tests::plan(&[broken], false).unwrap_err();
        assert_eq!(error.to_string(), "nothing can be run:\n  broken: not installed");
    }

    #[test]
    fn without_names_the_baseline_decides_what_is_run() {
        let able = |name: &str, benchmarks: &[&str]| Candidate {
            benchmarks: Some(benchmarks.iter().map(|b| (*b).to_owned()).collect()),
            ..candidate(name)
        };
        let candidates = [able("go", &["fib", "sor"]), able("datil", &["fib", "big"])];
        let run = |everything, baseline: Option<&str>| {
            let request = Request {
                benchmarks: Vec::new(),
                everything,
                baseline: baseline.map(Into::into),
                ..request()
            };
            let plan = resolve(&request, &catalogue(), &candidates, &[cpu(0), cpu(1)]).expect("a plan");
            let mut names: Vec<String> = plan.groups.into_iter().map(|g| g.key.benchmark).collect();
            names.dedup();
            names.truncate(3);
            (names.join(" "), grouped(&plan.skipped))
        };
        let missing = |names: &str| format!("{names}: unsupported: not implemented by this peer");
        let (names, skipped) = run(false, None);
        assert_eq!((&names[..], skipped), ("fib big fib", vec![missing("go big")]));
        let (names, skipped) = run(false, Some("go"));
        assert_eq!(names, "fib sor fib");
        // Which reason it is depends on what is built into this program.
        assert!(
            matches!(&skipped[..], [only] if only.starts_with("datil sor: unsupported: ")),
            "{skipped:?}"
        );
        let candidates = [able("go", &["fib", "sor"]), able("datil", &["of-no-catalogue"])];
        let request = Request {
            benchmarks: Vec::new(),
            ..request()
        };
        let plan = resolve(&request, &catalogue(), &candidates, &[cpu(0), cpu(1)]).expect("a plan");
        assert_eq!(plan.baseline, "go");
        let (names, skipped) = run(true, None);
        assert_eq!(names, "fib big sor");
        assert!(
            skipped.iter().any(|line| line.starts_with("go pingpong, ")),
            "{skipped:?}"
        );
        assert!(skipped.len() <= 2, "{skipped:?}");
    }

    #[test]
    fn benchmarks_are_chosen_by_name_pattern_or_category() {
        let catalogue = Catalogue::embedded().expect("the catalogue is sound");
        let chosen = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|p| (*p).to_owned()).collect();
            let chosen = select_benchmarks(&catalogue, &patterns, &[]).map_err(|error| error.to_string())?;
            Ok::<_, String>(chosen.iter().map(|b| b.name.clone()).collect::<Vec<_>>())
        };
        assert_eq!(
            chosen(&["sieve", "fj*"]),
            Ok(["fjthrput", "fjcreate", "sieve"].map(String::from).to_vec())
        );
        let micro = chosen(&["micro"]).expect("a category");
        assert_eq!(
            (micro.len(), &micro[0][..], &micro[7][..]),
            (8, "pingpong", "big")
        );
        assert_eq!(chosen(&["micro", "sieve"]).map(|names| names.len()), Ok(9));
        let error = chosen(&["mikro"]).expect_err("no such benchmark");
        assert!(error.contains("micro"), "{error}");
    }

    #[test]
    fn sizes_are_chosen_by_name_or_pattern_and_once() {
        let sizes = |presets: &[&str]| {
            let request = Request {
                benchmarks: vec!["fannkuch".into(), "fib".into()],
                presets: presets.iter().map(|p| (*p).to_owned()).collect(),
                cores: vec![1],
                ..request()
            };
            let catalogue = Catalogue::embedded().expect("the catalogue is sound");
            let plan =
                resolve(&request, &catalogue, &[candidate("datil")], &[cpu(0)]).map_err(|e| e.to_string())?;
            let keys = plan
                .groups
                .iter()
                .map(|g| format!("{} {}", g.key.benchmark, g.key.preset));
            Ok::<_, String>((keys.collect::<Vec<_>>().join(", "), grouped(&plan.skipped)))
        };
        let all = "fib thesis, fannkuch thesis-10, fannkuch thesis-11, fannkuch thesis-12";
        assert_eq!(sizes(&["thesis*", "thesis"]).expect("a plan").0, all);
        let (groups, skipped) = sizes(&["thesis"]).expect("a plan");
        assert_eq!(groups, "fib thesis");
        let reason = "there is no size `thesis`; it has tiny, quick, thesis-10, thesis-11, thesis-12";
        assert_eq!(skipped, [format!("datil fannkuch: {reason}")]);
        assert_eq!(
            sizes(&["thesis-1"]).unwrap_err(),
            "unknown preset `thesis-1`: did you mean `thesis-10`?"
        );
    }

    #[test]
    fn what_cannot_be_used_is_told_from_what_was_not_asked_for() {
        let mut broken = candidate("broken");
        broken.unusable = Some("cannot be built: no compiler".into());
        let mut other = broken.clone();
        other.selection.shown = "other".into();
        other.selection.runtime.on_request = true;
        let of = |candidates: &[Candidate]| {
            let skipped = plan(candidates, false).unwrap().skipped;
            let told = skipped.into_iter().map(|s| (s.runtime, s.unusable));
            told.collect::<Vec<_>>()
        };
        let all = [candidate("plain"), broken, other.clone()];
        assert_eq!(of(&all), [("broken".into(), true), ("other".into(), false)]);
        other.selection.named = true;
        assert_eq!(of(&[candidate("plain"), other]), [("other".into(), true)]);
    }

    #[test]
    fn variants_take_part_only_when_named() {
        let mut variant = candidate("batched");
        variant.selection.runtime.variant = true;
        let mut named = variant.clone();
        named.selection.named = true;
        let competitors = |other: &Candidate, variants| {
            let plan = plan(&[candidate("plain"), other.clone()], variants).unwrap();
            plan.groups[0].competitors.len()
        };
        assert_eq!(competitors(&variant, false), 1);
        assert_eq!((competitors(&named, false), competitors(&variant, true)), (2, 2));
        let skipped = plan(&[candidate("plain"), variant], false).unwrap().skipped;
        assert!(skipped[0].reason.contains("--runtime batched"), "{skipped:?}");
    }

    #[test]
    fn what_is_on_request_takes_part_only_when_named() {
        let mut other = candidate("other");
        other.selection.runtime.on_request = true;
        let skipped = plan(&[candidate("plain"), other.clone()], false).unwrap().skipped;
        assert_eq!(skipped[0].reason, "measured only when asked for: --runtime other");
        other.selection.named = true;
        assert_eq!(plan(&[candidate("plain"), other], false).unwrap().skipped, []);
    }
}
