//! `scoville verify`.

use std::io::Write;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::args::VerifyArgs;
use super::list::{print, table};
use super::progress::{over_cells, place, without_subject};
use super::signals::watch_signals;
use super::streams::{Remarks, remark};
use super::world::World;
use super::{Exit, prepare};
use crate::catalogue::{FAMILIES, family};
use crate::digits::number_of;
use crate::drive::protocol::State;
use crate::drive::{Host, Interrupt};
use crate::log::{self, LogError};
use crate::model::invocation::{FailureKind, Invocation, Order, Outcome};
use crate::model::plan::{Competitor, Group, IterationRule, Limits, Plan};
use crate::model::verified::{CellVerdict, VerifiedCell};
use crate::peers::conformance::{Subject, check};
use crate::peers::launch;
use crate::plan::{Candidate, Request, fixed, grouped, quick, resolve};
use crate::tail::last_lines;

/// No answer of a healthy peer takes longer.
const ANSWER: Duration = Duration::from_secs(20);

/// Checks results and counted work, or the protocol.
pub fn run(world: &World, arguments: &VerifyArgs, out: &mut dyn Write) -> Result<Exit> {
    let selections = world.select(&arguments.filters.runtimes)?;
    if arguments.protocol {
        let cores = match arguments.filters.cores.as_slice() {
            [] => &[2],
            asked if asked.contains(&0) => bail!("--cores 0: a runtime has at least one worker"),
            asked => asked,
        };
        let candidates = prepare::candidates(selections, &mut Remarks);
        return protocol(world, &candidates, cores, out);
    }
    let mut host = super::run::host()?;
    let (machine, _) = host.machine();
    let request = Request {
        benchmarks: arguments.filters.benchmarks(),
        everything: true,
        presets: arguments.filters.presets("tiny"),
        cores: arguments.filters.cores.clone(),
        variants: true,
        method: fixed(1, quick()),
        baseline: None,
        seed: 0,
    };
    let make = |candidates: &[Candidate]| resolve(&request, &world.catalogue, candidates, &machine.cpus);
    // What is wrong with the request and with the folder is said before anything is built.
    make(&prepare::candidates_unasked(&selections))?;
    log::make_folder(&world.results).with_context(|| {
        format!(
            "nothing that is found out can be kept in {}; mend that, or name another folder with --results",
            world.results.display()
        )
    })?;
    let candidates = prepare::candidates(selections, &mut Remarks);
    let plan = make(&candidates)?;
    results(world, &plan, &candidates, arguments.time, &mut host, out)
}

/// What is said where the file of verified cells cannot be written.
const UNKEPT: &str = "what is found out is shown, but not kept for `list matrix`";

/// How one cell did.
enum Verified {
    /// The results are right; the work was counted and is right.
    Counted,
    /// The results are right; the runtime does not count its work.
    Uncounted,
    /// It ran to its end, and nothing says what it should have returned.
    Unverified(String),
    Unsupported(String),
    /// The message, its class, and the last that the process printed.
    Failed(String, FailureKind, String),
    /// The user ended it before it was known.
    Open,
}

impl Verified {
    fn verdict(&self) -> Option<CellVerdict> {
        Some(match self {
            Verified::Open => return None,
            Verified::Counted => CellVerdict::Counted,
            Verified::Uncounted => CellVerdict::Uncounted,
            Verified::Unverified(reason) => CellVerdict::Unverified {
                reason: reason.clone(),
            },
            Verified::Unsupported(reason) => CellVerdict::Unsupported {
                reason: reason.clone(),
            },
            Verified::Failed(message, ..) => CellVerdict::Failed {
                message: message.clone(),
            },
        })
    }
}

/// A cell and how it did.
struct Cell<'p> {
    group: &'p Group,
    competitor: &'p Competitor,
    verified: Verified,
}

fn results(
    world: &World,
    plan: &Plan,
    candidates: &[Candidate],
    time: Option<Duration>,
    host: &mut dyn Host,
    out: &mut dyn Write,
) -> Result<Exit> {
    let interrupt = Interrupt::default();
    let watcher = watch_signals(&interrupt)?;
    let (cells, unkept) = verify_all(world, plan, time, host, &interrupt);
    watcher.close();
    show(plan, candidates, &cells, out)?;
    let mut exit = cells
        .iter()
        .fold(Exit::Good, |exit, cell| worse(exit, &cell.verified));
    if prepare::lacks_a_named_one(candidates) {
        exit = exit.without_a_named_one();
    }
    match unkept {
        Some(failure) if exit == Exit::Good => Err(failure).context(UNKEPT),
        _ => Ok(exit),
    }
}

/// Every cell of the plan, and why what was found out could not be kept; it is worth its time all the same.
fn verify_all<'p>(
    world: &World,
    plan: &'p Plan,
    time: Option<Duration>,
    host: &mut dyn Host,
    interrupt: &Interrupt,
) -> (Vec<Cell<'p>>, Option<LogError>) {
    let mut cells = Vec::new();
    let mut unkept = None;
    let bar = over_cells(plan);
    for group in &plan.groups {
        for competitor in &group.competitors {
            bar.set_message(format!("{} / {}", place(&group.key), competitor.runtime));
            bar.tick();
            let (verified, version) = verify(group, competitor, time, host, interrupt);
            let cell = Cell {
                group,
                competitor,
                verified,
            };
            if let Err(failure) = note(world, &cell, version, host)
                && unkept.is_none()
            {
                bar.suspend(|| remark(format_args!("warning  {UNKEPT}: {failure}")));
                unkept = Some(failure);
            }
            bar.inc(1);
            cells.push(cell);
        }
    }
    bar.finish_and_clear();
    (cells, unkept)
}

/// Notes how the cell did for `list matrix`.
fn note(world: &World, cell: &Cell<'_>, version: String, host: &dyn Host) -> Result<(), LogError> {
    let Some(verdict) = cell.verified.verdict() else {
        return Ok(());
    };
    let cell = VerifiedCell {
        unix: host.unix(),
        group: cell.group.key.clone(),
        runtime: cell.competitor.runtime.clone(),
        version,
        verdict,
    };
    log::note(&world.results, &cell)
}

/// A table of all cells, and below it what does not fit into one.
fn show(plan: &Plan, candidates: &[Candidate], cells: &[Cell<'_>], out: &mut dyn Write) -> Result<()> {
    let names = columns(plan);
    let mut shown = table();
    let titles = names.iter().map(|name| titled(name, candidates));
    shown.set_header(["benchmark".to_owned()].into_iter().chain(titles));
    for group in &plan.groups {
        let of = |name: &String| {
            let mut cells = cells.iter();
            cells.find(|cell| cell.group.key == group.key && cell.competitor.runtime == *name)
        };
        let marks = names
            .iter()
            .map(|name| mark(of(name).map(|cell| &cell.verified)).to_owned());
        shown.add_row([place(&group.key)].into_iter().chain(marks));
    }
    print(&shown, out)?;
    writeln!(
        out,
        "\nok: results and counted work are right; ok*: results are right, work is not counted; -: not offered"
    )?;
    let is_open = |cell: &&Cell<'_>| matches!(cell.verified, Verified::Open);
    let (open, all) = (
        cells.iter().filter(is_open).count(),
        number_of(cells.len(), "cell"),
    );
    if open > 0 {
        writeln!(
            out,
            "open: not verified before the user ended it, {open} of {all}"
        )?;
    }
    for line in grouped(&plan.skipped) {
        writeln!(out, "left out  {line}")?;
    }
    for Cell {
        group,
        competitor,
        verified,
    } in cells
    {
        if let Some(why) = why(verified) {
            let why = without_subject(&why, &competitor.reports_as, &group.key.benchmark);
            writeln!(out, "{} / {}: {why}", place(&group.key), competitor.runtime)?;
        }
    }
    Ok(())
}

fn columns(plan: &Plan) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for competitor in plan.groups.iter().flat_map(|group| &group.competitors) {
        if !names.contains(&competitor.runtime) {
            names.push(competitor.runtime.clone());
        }
    }
    names
}

/// A column's title, which says where a variant is measured only when asked for.
fn titled(name: &str, candidates: &[Candidate]) -> String {
    let variant = candidates
        .iter()
        .any(|c| c.selection.shown == name && c.selection.runtime.variant);
    if variant {
        format!("{name} (variant)")
    } else {
        name.to_owned()
    }
}

/// How the cell did, and the version of the runtime.
fn verify(
    group: &Group,
    competitor: &Competitor,
    time: Option<Duration>,
    host: &mut dyn Host,
    interrupt: &Interrupt,
) -> (Verified, String) {
    if interrupt.finish() {
        return (Verified::Open, String::new());
    }
    let time = time.unwrap_or_else(|| usual_time(&group.key.preset));
    let plain = host.invoke(&order(group, competitor, time, false), interrupt);
    let version = plain
        .hello
        .as_ref()
        .map(|hello| hello.version.clone())
        .unwrap_or_default();
    let counts = plain
        .hello
        .as_ref()
        .is_some_and(|hello| hello.capabilities.iter().any(|c| c == "count-messages"));
    let verified = match outcome(&plain) {
        Some(bad) => bad,
        None if !group.unverified.is_empty() => Verified::Unverified(group.unverified.clone()),
        None if !counts => Verified::Uncounted,
        None if interrupt.finish() => Verified::Open,
        None => {
            let counted = host.invoke(&order(group, competitor, time, true), interrupt);
            outcome(&counted).unwrap_or(Verified::Counted)
        }
    };
    (verified, version)
}

fn outcome(invocation: &Invocation) -> Option<Verified> {
    match &invocation.outcome {
        Outcome::Ok => None,
        Outcome::Unsupported { reason } => Some(Verified::Unsupported(reason.clone())),
        Outcome::Failed(failure) if failure.kind == FailureKind::Interrupted => Some(Verified::Open),
        Outcome::Failed(failure) => Some(Verified::Failed(
            with_advice(&failure.message, &failure.kind),
            failure.kind.clone(),
            failure.stderr_tail.clone(),
        )),
    }
}

/// Who runs out of an iteration's time is told how to allow more, and who has few workers how to ask for few.
fn with_advice(message: &str, kind: &FailureKind) -> String {
    match kind {
        FailureKind::TimedOut { state, .. } if state == State::Running.name() => {
            format!("{message}; `--time` allows an iteration more")
        }
        FailureKind::Workers { asked, uses } if uses < asked => {
            format!("{message}; if it can have no more, `--cores {uses}` asks for so many")
        }
        _ => message.to_owned(),
    }
}

/// The most that an iteration may take if nobody says otherwise. Sizes of publications get more: one that takes a runtime 17 s
/// on a quiet machine has taken more than two minutes on a busy one.
fn usual_time(preset: &str) -> Duration {
    match family(preset).map(|family| FAMILIES[family].0) {
        Some("tiny" | "quick") => Duration::from_secs(2 * 60),
        _ => Duration::from_secs(10 * 60),
    }
}

/// Two iterations, since state that survives the first shows in the second.
fn order(group: &Group, competitor: &Competitor, time: Duration, count_messages: bool) -> Order {
    const SECOND: u64 = 1_000_000_000;
    Order {
        launch: competitor.launch.clone(),
        reports_as: competitor.reports_as.clone(),
        group: group.key.clone(),
        parameters: group.parameters.clone(),
        expect: group.expect.clone(),
        work: group.work,
        messages_plus: group.messages_plus.clone(),
        workers: group.key.cores,
        cpus: group.cpus.clone(),
        iterations: IterationRule {
            min: 2,
            max: 2,
            floor_ns: 0,
            ceiling_ns: u64::MAX,
        },
        limits: Limits {
            start_ns: 60 * SECOND,
            iteration_ns: u64::try_from(time.as_nanos()).unwrap_or(u64::MAX),
            leave_ns: 10 * SECOND,
        },
        count_messages,
        padding: 0,
        memory_limit: None,
    }
}

fn mark(verified: Option<&Verified>) -> &'static str {
    match verified {
        None => "-",
        Some(Verified::Counted) => "ok",
        Some(Verified::Uncounted) => "ok*",
        Some(Verified::Unverified(_)) => "unverified",
        Some(Verified::Unsupported(_)) => "unsupported",
        Some(Verified::Failed(_, kind, _)) if is_wrong(kind) => "WRONG",
        Some(Verified::Failed(..)) => "FAILED",
        Some(Verified::Open) => "open",
    }
}

fn is_wrong(kind: &FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::WrongResult { .. } | FailureKind::WrongWork { .. } | FailureKind::Assertion
    )
}

fn why(verified: &Verified) -> Option<String> {
    match verified {
        Verified::Counted | Verified::Uncounted | Verified::Open => None,
        Verified::Unsupported(reason) | Verified::Unverified(reason) => Some(reason.clone()),
        Verified::Failed(message, _, printed) => Some(format!("{message}{}", last_lines(printed, 10))),
    }
}

fn worse(exit: Exit, verified: &Verified) -> Exit {
    match (exit, verified) {
        (Exit::Interrupted, _) | (_, Verified::Open) => Exit::Interrupted,
        (_, Verified::Failed(_, kind, _)) if is_wrong(kind) => Exit::WrongResult,
        (Exit::Good, Verified::Failed(..)) => Exit::RuntimeFailed,
        _ => exit,
    }
}

fn protocol(world: &World, candidates: &[Candidate], cores: &[u32], out: &mut dyn Write) -> Result<Exit> {
    let mut exit = Exit::Good;
    for candidate in candidates {
        let runtime = &candidate.selection.runtime;
        writeln!(out, "{}", candidate.selection.shown)?;
        // A peer that does not even say hello is what this command is for; only missing tools end it here.
        if let Some(reason) = candidate.unusable.as_ref().filter(|_| !candidate.silent) {
            writeln!(out, "  left out: {reason}")?;
            if candidate.selection.named {
                exit = exit.without_a_named_one();
            }
            continue;
        }
        let checks = cores.iter().flat_map(|&workers| {
            let subject = Subject {
                launch: &launch(runtime, workers),
                name: &runtime.name,
                workers,
                limit: ANSWER,
            };
            check(&subject, &world.catalogue.benchmarks)
        });
        for check in checks {
            match check.failure {
                None => writeln!(out, "  ok      {}", check.what)?,
                Some(failure) => {
                    exit = Exit::RuntimeFailed;
                    let failure = failure.replace('\n', "\n          ");
                    writeln!(out, "  FAILED  {}\n          {failure}", check.what)?;
                }
            }
        }
    }
    Ok(exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_publications_get_more_time() {
        for preset in ["tiny", "tiny-roundrobin", "quick", "quick-share"] {
            assert_eq!(usual_time(preset), Duration::from_secs(120), "{preset}");
        }
        for preset in ["savina", "thesis-700", "original", "of-ones-own"] {
            assert_eq!(usual_time(preset), Duration::from_secs(600), "{preset}");
        }
    }

    #[test]
    fn only_who_runs_out_of_an_iterations_time_is_told_how_to_allow_more() {
        let timed_out = |state: State| FailureKind::TimedOut {
            state: state.name().to_owned(),
            limit_ns: 1,
        };
        let advised = |kind: FailureKind| with_advice("failed", &kind) != "failed";
        assert!(advised(timed_out(State::Running)));
        for kind in [
            timed_out(State::Starting),
            timed_out(State::Leaving),
            FailureKind::Assertion,
        ] {
            assert!(!advised(kind.clone()), "{kind:?}");
        }
    }
}
