//! How far the session can be trusted: counts, and warnings with advice.

use std::collections::BTreeMap;

use crate::digits::{number_doing, number_of};
use crate::model::analysis::{
    Cell, CellState, Estimate, GroupAnalysis, Measure, Pair, Validity, Verdict, Warmup,
};
use crate::model::event::StopReason;
use crate::model::invocation::Hello;
use crate::model::machine::{Finding, Level};

use super::cell::EXACT_FROM;
use super::contamination::Judgement;
use super::replay::Session;

/// Above this share of contaminated invocations the session gets a warning.
const MUCH_CONTAMINATION: f64 = 0.2;

/// Counts and warnings.
pub(super) fn validity(session: &Session<'_>, groups: &[GroupAnalysis], judgement: &Judgement) -> Validity {
    let cells = || groups.iter().flat_map(|group| &group.cells);
    let count = |wanted: fn(&CellState) -> bool| cells().filter(|cell| wanted(&cell.state)).count() as u32;
    let runs = || judgement.groups.iter().flat_map(|group| &group.runs);
    let mut validity = Validity {
        cells: cells().count() as u32,
        verified: cells().filter(|cell| cell.state.has_numbers()).count() as u32,
        void: count(|state| matches!(state, CellState::Void { .. })),
        failed: count(|state| matches!(state, CellState::Failed { .. })),
        unsupported: count(|state| matches!(state, CellState::Unsupported { .. })),
        invocations: runs().count() as u32,
        contaminated: runs().filter(|run| !run.clean()).count() as u32,
        skipped: session.plan.skipped.clone(),
        warnings: Vec::new(),
    };
    validity.warnings = warnings(session, groups, &validity);
    validity
        .warnings
        .sort_by_key(|warning| std::cmp::Reverse(warning.level));
    validity
}

fn warnings(session: &Session<'_>, groups: &[GroupAnalysis], counts: &Validity) -> Vec<Finding> {
    let mut warnings = Vec::new();
    warnings.extend(dirty(session));
    warnings.extend(left_out(counts));
    warnings.extend(other_machine(session));
    warnings.extend(other_settings(session));
    warnings.extend(mixed_versions(session));
    warnings.extend(contaminated(counts));
    warnings.extend(same_runtime_differs(session, groups));
    warnings.extend(contamination_matters(groups));
    warnings.extend(memory_sources(groups));
    warnings.extend(few_blocks(groups));
    warnings.extend(unsteady(groups));
    warnings.extend(asymmetric(groups));
    warnings
}

fn finding(level: Level, what: String, why: &str, mend: &str) -> Finding {
    Finding {
        level,
        what,
        why: why.to_owned(),
        mend: mend.to_owned(),
    }
}

fn dirty(session: &Session<'_>) -> Option<Finding> {
    let dirty = session
        .groups
        .iter()
        .any(|log| log.stopped == Some(StopReason::MachineDirty))
        || session.dirty;
    dirty.then(|| {
        finding(
            Level::Stop,
            "a process tree could not be ended".to_owned(),
            "it may still use CPU and memory; nothing measured after it would be comparable",
            "end the processes by hand, then go on with `scoville run --resume`",
        )
    })
}

fn left_out(counts: &Validity) -> Vec<Finding> {
    let warning = |(runtimes, reason): (Vec<&str>, &str)| {
        finding(
            Level::Warn,
            format!("left out: {}", runtimes.join(", ")),
            reason,
            "the session says nothing of what was left out; mend the reason, then measure again",
        )
    };
    counts.left_out().into_iter().map(warning).collect()
}

fn other_machine(session: &Session<'_>) -> Option<Finding> {
    let (_, other) = session
        .resumed
        .iter()
        .find(|(_, machine)| machine.fingerprint != session.machine.fingerprint)?;
    let what = format!(
        "resumed on another machine: {} after {}",
        other.fingerprint, session.machine.fingerprint
    );
    Some(finding(
        Level::Warn,
        what,
        "blocks stay paired, so ratios hold within each machine; absolute times mix both",
        "start a new session on the new machine",
    ))
}

/// What else may make one half of the session faster than the other.
fn other_settings(session: &Session<'_>) -> Option<Finding> {
    let mut changes = Vec::new();
    for (tool, machine) in &session.resumed {
        let of_tool = (*tool != session.tool).then_some(("tool", [session.tool, tool]));
        changes.extend(session.machine.changes(machine));
        changes.extend(of_tool);
    }
    let mut told: Vec<String> = Vec::new();
    for (name, [before, after]) in changes {
        let change = format!("{name}: {before} at first, {after} after a resume");
        if !told.contains(&change) {
            told.push(change);
        }
    }
    (!told.is_empty()).then(|| {
        finding(
            Level::Warn,
            told.join("; "),
            "blocks stay paired, so ratios hold on each side of the change; absolute times mix both",
            "restore what has changed before a resume, or start a new session",
        )
    })
}

/// Runtimes that were another version after a resume than before: a language that is installed beside the checkout may have
/// been replaced in between, and no build of the runtime shows it.
fn mixed_versions(session: &Session<'_>) -> Vec<Finding> {
    let mut counts: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for (runtime, hello) in &session.hellos {
        *counts
            .entry(runtime)
            .or_default()
            .entry(version(hello))
            .or_default() += 1;
    }
    let mixed = |(runtime, versions): (&str, BTreeMap<String, usize>)| {
        let told: Vec<String> = versions
            .iter()
            .map(|(version, count)| format!("{version} in {}", number_of(*count, "invocation")))
            .collect();
        (told.len() > 1).then(|| {
            finding(
                Level::Warn,
                format!("{runtime} has more than one version: {}", told.join(", ")),
                "its times and ratios mix them, and say nothing of either",
                "start a new session with the version that is meant",
            )
        })
    };
    counts.into_iter().filter_map(mixed).collect()
}

/// Version and language of a runtime as it greeted.
fn version(hello: &Hello) -> String {
    match hello.language.as_str() {
        "" => hello.version.clone(),
        language => format!("{} ({language})", hello.version),
    }
}

fn contaminated(counts: &Validity) -> Option<Finding> {
    let share = f64::from(counts.contaminated) / f64::from(counts.invocations.max(1));
    (share > MUCH_CONTAMINATION).then(|| {
        finding(
            Level::Warn,
            format!("{:.0} % of the invocations were disturbed", 100.0 * share),
            "intervals are wider than they need to be, and a disturbance may hit one runtime harder than another",
            "close other programs, or measure when the machine is quiet",
        )
    })
}

/// One runtime measured under two names: whatever differs is noise, and shows how much to believe elsewhere.
fn same_runtime_differs(session: &Session<'_>, groups: &[GroupAnalysis]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (planned, group) in session.plan.groups.iter().zip(groups) {
        let same = |a: &str, b: &str| {
            let launch = |name: &str| {
                planned
                    .competitors
                    .iter()
                    .find(|c| c.runtime == name)
                    .map(|c| &c.launch)
            };
            launch(a).is_some() && launch(a) == launch(b)
        };
        let differs = |pair: &&Pair| {
            pair.measure == Measure::Wall
                && matches!(pair.verdict, Verdict::Slower | Verdict::SlowerSmall)
                && same(&pair.a, &pair.b)
        };
        findings.extend(group.pairs.iter().filter(differs).map(|pair| {
            let percent = 100.0 * (pair.ratio.value - 1.0);
            finding(
                Level::Warn,
                format!(
                    "on {} {} is {percent:.1} % slower than {}, which is the same program",
                    group.key.benchmark, pair.a, pair.b
                ),
                "differences of that size on this benchmark are noise here (one in twenty such comparisons does this \
                 by chance)",
                "measure more blocks, and believe no difference of this size on this benchmark until then",
            )
        }));
    }
    findings
}

/// Verdicts that change when the contaminated blocks are left out.
fn contamination_matters(groups: &[GroupAnalysis]) -> Option<Finding> {
    let outside = |ratio: &Estimate, clean: &Estimate| {
        ratio
            .interval
            .as_ref()
            .is_some_and(|i| clean.value < i.low || clean.value > i.high)
    };
    let moved = |pair: &&Pair| {
        pair.clean_ratio
            .as_ref()
            .is_some_and(|clean| outside(&pair.ratio, clean))
    };
    let wall = groups
        .iter()
        .flat_map(|group| &group.pairs)
        .filter(|pair| pair.measure == Measure::Wall);
    // Every pair is there in both directions.
    let count = wall.filter(moved).count() / 2;
    (count > 0).then(|| {
        finding(
            Level::Warn,
            format!(
                "{} when contaminated blocks are left out",
                number_doing(count, "ratio", ["leaves its interval", "leave their interval"])
            ),
            "the disturbance, not the runtimes, decides",
            "look at both ratios; measure more blocks on a quiet machine",
        )
    })
}

fn memory_sources(groups: &[GroupAnalysis]) -> Option<Finding> {
    let source = |cell: &Cell| {
        let memory = cell.estimates.get(&Measure::Memory)?;
        memory
            .source
            .split_once("; ")
            .map(|(_, source)| source.to_owned())
    };
    let mut sources: Vec<String> = groups
        .iter()
        .flat_map(|group| &group.cells)
        .filter_map(source)
        .collect();
    sources.sort_unstable();
    sources.dedup();
    (sources.len() > 1).then(|| {
        finding(
            Level::Warn,
            format!("memory was read from different sources: {}", sources.join(", ")),
            "they count different things, so memory ratios between them mean little",
            "run every runtime in the same kind of control group",
        )
    })
}

fn few_blocks(groups: &[GroupAnalysis]) -> Option<Finding> {
    let few = |cell: &&Cell| {
        cell.estimates
            .get(&Measure::Wall)
            .is_some_and(|e| (e.n as usize) < EXACT_FROM)
    };
    let count = groups.iter().flat_map(|group| &group.cells).filter(few).count();
    (count > 0).then(|| {
        finding(
            Level::Note,
            format!(
                "{} fewer than {EXACT_FROM} invocations",
                number_doing(count, "cell", ["has", "have"])
            ),
            "intervals then assume log-normal noise, which one slow invocation breaks; single values have no interval",
            "measure anew with more blocks, by --blocks or without --quick",
        )
    })
}

fn unsteady(groups: &[GroupAnalysis]) -> Vec<Finding> {
    let cells = || {
        groups
            .iter()
            .flat_map(|group| &group.cells)
            .filter(|cell| cell.state.has_numbers())
    };
    let short = cells()
        .filter(|cell| cell.warmup.consistent == Some(Warmup::TooShort))
        .count();
    let mixed = cells()
        .filter(|cell| matches!(cell.warmup.consistent, None | Some(Warmup::Unsteady)))
        .count();
    let mut findings = Vec::new();
    if short > 0 {
        findings.push(finding(
            Level::Note,
            format!(
                "{} too few iterations per invocation to say whether they are steady",
                number_doing(short, "cell", ["has", "have"])
            ),
            "a runtime that compiles while it runs may not have reached its speed",
            "measure without --quick, whose invocations are short, or at a smaller size",
        ));
    }
    if mixed > 0 {
        findings.push(finding(
            Level::Note,
            format!(
                "{} differently from one invocation to the next",
                number_doing(
                    mixed,
                    "cell",
                    ["never settles, or warms up", "never settle, or warm up"]
                )
            ),
            "the steady time is then the typical late time, not a level that lasts",
            "look at the iterations; without --quick each invocation has more of them",
        ));
    }
    findings
}

fn asymmetric(groups: &[GroupAnalysis]) -> Option<Finding> {
    let pairs = groups.iter().flat_map(|group| &group.pairs);
    let count = pairs
        .filter(|pair| pair.measure == Measure::Wall && pair.asymmetric_tail)
        .count()
        / 2;
    (count > 0).then(|| {
        finding(
            Level::Note,
            format!(
                "in {} one runtime is sometimes much slower than usual",
                number_of(count, "comparison")
            ),
            "typical and mean ratio then answer different questions",
            "read both ratios and the single invocations",
        )
    })
}
