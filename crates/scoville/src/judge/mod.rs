//! Samples become one [`Analysis`]: everything that a report prints is computed here, from the log alone.
//!
//! The flow is `replay -> contamination -> point -> cell -> pair -> family -> summary -> sentences, validity`. Every number
//! comes from [`stats`](crate::stats); this module knows what it is a number of.

mod cell;
mod contamination;
mod disturbance;
mod fairness;
mod family;
mod growth;
mod pair;
mod point;
mod precision;
mod process;
mod replay;
mod sentences;
mod speedup;
mod summary;
mod unpaired;
mod validity;
mod verdict;

use crate::model::analysis::{Analysis, BlockInfo, Cell, GroupAnalysis, RuntimeInfo};
use crate::model::benchmark::Benchmark;
use crate::model::event::{Event, StopReason, What};
use crate::model::plan::{Group, GroupKey};

pub use precision::precision;
pub use unpaired::{Unpaired, across_sessions, differences, in_one_only, of_other_work, without_ratio};
pub use verdict::verdict;

use replay::{GroupLog, Session};

/// Version of the exported [`Analysis`].
pub const SCHEMA: u32 = 1;

/// Confidence of every interval.
pub const CONFIDENCE: f64 = 0.95;

/// The events do not begin with [`SessionStarted`](crate::model::event::What::SessionStarted), so nothing is known about
/// what was planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the log does not begin with the start of a session; it is no log of scoville, or its first line is lost"
)]
pub struct NoSession;

/// Judges a session, finished or not. `benchmarks` is the catalogue; entries that were not measured are left out.
///
/// The result depends on nothing but the arguments.
///
/// # Errors
/// If the events do not begin with the start of a session.
pub fn analyse(events: &[Event], benchmarks: &[Benchmark]) -> Result<Analysis, NoSession> {
    let session = replay::replay(events).ok_or(NoSession)?;
    let judgement = contamination::judge(&session);
    let mut groups: Vec<GroupAnalysis> = session
        .groups
        .iter()
        .zip(&judgement.groups)
        .map(|(log, seen)| group(log, seen, &session))
        .collect();
    family::adjust(&mut groups);
    let summaries = summary::summaries(&session, &groups);
    let validity = validity::validity(&session, &groups, &judgement);
    let measured = |b: &&Benchmark| {
        let mut groups = session.plan.groups.iter().map(|g| &g.key.benchmark);
        let mut ladders = session.plan.ladders.iter().map(|l| &l.key.benchmark);
        groups.any(|name| *name == b.name) || ladders.any(|name| *name == b.name)
    };
    let ladders = growth::ladders(session.plan, events);
    Ok(Analysis {
        schema: SCHEMA,
        session: session.name.to_owned(),
        tool: session.tool.to_owned(),
        started_unix: session.started_unix,
        ended_unix: session.ended_unix,
        arguments: session.arguments.to_vec(),
        plan: session.plan.clone(),
        machine: session.machine.clone(),
        findings: session.findings.to_vec(),
        method: sentences::method(session.plan),
        benchmarks: benchmarks.iter().filter(measured).cloned().collect(),
        runtimes: runtimes(&session, events),
        sentences: sentences::sentences(session.plan, &groups, &ladders, &summaries),
        speedups: speedup::speedups(&groups),
        groups,
        ladders,
        summaries,
        validity,
    })
}

/// Numbers of the blocks in which the sensors flagged the block or one of its invocations, by group in plan order; empty if
/// the events do not begin with the start of a session. What [`analyse`] says of them, without judging anything else.
pub fn contaminated_blocks(events: &[Event]) -> Vec<(GroupKey, Vec<u32>)> {
    let Some(session) = replay::replay(events) else {
        return Vec::new();
    };
    let judgement = contamination::judge(&session);
    let flagged = |(log, seen): (&GroupLog<'_>, &contamination::GroupJudgement)| {
        let infos = blocks(log, seen).into_iter();
        let numbers = infos
            .filter(|block| !block.contaminated.is_empty())
            .map(|block| block.block);
        (log.group.key.clone(), numbers.collect())
    };
    session
        .groups
        .iter()
        .zip(&judgement.groups)
        .map(flagged)
        .collect()
}

fn group(log: &GroupLog<'_>, seen: &contamination::GroupJudgement, session: &Session<'_>) -> GroupAnalysis {
    let cells: Vec<cell::Judged> = (0..log.group.competitors.len())
        .map(|competitor| cell::judge(log, competitor, &seen.runs))
        .collect();
    let pairs = pair::pairs(&cells, session.plan.method.margin);
    GroupAnalysis {
        key: log.group.key.clone(),
        pairs,
        cells: cells
            .into_iter()
            .map(|judged| judged.cell)
            .chain(unsupported(log, session))
            .collect::<Vec<Cell>>(),
        blocks: blocks(log, seen),
        stopped: log.stopped.map(stopped).unwrap_or_default().to_owned(),
    }
}

/// A cell for every runtime of the session that was left out of this group because it lacks the benchmark.
fn unsupported<'s>(log: &GroupLog<'_>, session: &Session<'s>) -> impl Iterator<Item = Cell> + use<'s> {
    let plan = session.plan;
    let benchmark = log.group.key.benchmark.clone();
    plan.skipped.iter().filter_map(move |skip| {
        let here = skip.benchmark.as_deref() == Some(&benchmark);
        let reason = skip.unsupported().filter(|_| here)?;
        let competes = |g: &Group| g.competitors.iter().any(|c| c.runtime == skip.runtime);
        plan.groups
            .iter()
            .any(competes)
            .then(|| cell::unsupported(&skip.runtime, reason))
    })
}

fn blocks(log: &GroupLog<'_>, seen: &contamination::GroupJudgement) -> Vec<BlockInfo> {
    let info = |(block, reasons): (&replay::BlockLog<'_>, &Vec<contamination::Reason>)| {
        let mut contaminated: Vec<String> = reasons.iter().map(|reason| reason.text.clone()).collect();
        for (run, judged) in log.runs.iter().zip(&seen.runs) {
            if run.block == block.number && !run.superseded {
                let name = &log.group.competitors[run.competitor].runtime;
                contaminated.extend(judged.own.iter().map(|reason| format!("{name}: {}", reason.text)));
            }
        }
        BlockInfo {
            block: block.number,
            order: block.order.to_vec(),
            before: block.before.clone(),
            after: block.after.cloned(),
            contaminated,
        }
    };
    log.blocks.iter().zip(&seen.blocks).map(info).collect()
}

fn stopped(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Target => "every interval is narrow enough",
        StopReason::Max => "the largest number of blocks is reached",
        StopReason::Budget => "the time budget is used up",
        StopReason::User => "the user ended it",
        StopReason::Failed => "no competitor is left that works",
        StopReason::Laboratory => "the laboratory could not start processes",
        StopReason::MachineDirty => "a process tree could not be ended; measuring on would be dishonest",
    }
}

fn runtimes(session: &Session<'_>, events: &[Event]) -> Vec<RuntimeInfo> {
    let mut infos: Vec<RuntimeInfo> = Vec::new();
    for (log, competitor) in session.competitors() {
        let seat = &log.group.competitors[competitor];
        let hello = || {
            log.runs
                .iter()
                .filter(|r| r.competitor == competitor)
                .find_map(|r| r.invocation.hello.clone())
        };
        match infos.iter_mut().find(|info| info.name == seat.runtime) {
            None => infos.push(RuntimeInfo {
                name: seat.runtime.clone(),
                hello: hello(),
                command: seat.launch.command.clone(),
            }),
            Some(info) if info.hello.is_none() => info.hello = hello(),
            Some(_) => {}
        }
    }
    let climbers = session.plan.ladders.iter().flat_map(|ladder| &ladder.competitors);
    for seat in climbers {
        if !infos.iter().any(|info| info.name == seat.runtime) {
            infos.push(RuntimeInfo {
                name: seat.runtime.clone(),
                hello: events.iter().find_map(|event| match &event.what {
                    What::RungFinished {
                        runtime, invocation, ..
                    } if *runtime == seat.runtime => invocation.hello.clone(),
                    _ => None,
                }),
                command: seat.launch.command.clone(),
            });
        }
    }
    infos
}
