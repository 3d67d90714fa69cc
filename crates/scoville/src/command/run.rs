//! `scoville run`.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use super::args::RunArgs;
use super::judged::{self, Judge};
use super::signals::watch_signals;
use super::streams::{Paper, Remarks, remark};
use super::world::World;
use super::{Exit, next, plan, prepare, progress, report, sessions};
use crate::digits::number_doing;
use crate::drive::native::{NativeHost, Options};
use crate::drive::{Host, Interrupt};
use crate::log::{self, Log, Replay};
use crate::model::analysis::{Analysis, Measure};
use crate::model::event::{StopReason, What};
use crate::model::machine::{Finding, Level, Machine};
use crate::model::plan::Plan;
use crate::peers::identity;
use crate::plan::Candidate;
use crate::render::terminal::{self, Screen};
use crate::session::{Opening, Session, opening};

/// Measures, or shows the plan, or goes on with an earlier session.
pub fn run(world: &World, arguments: &RunArgs, out: &mut dyn Paper) -> Result<Exit> {
    if arguments.dry_run {
        return plan::run(world, &arguments.plan, out);
    }
    let mut host = host()?;
    match &arguments.resume {
        Some(session) => resume(
            world,
            session.as_deref(),
            &arguments.plan.filters.positional,
            &mut host,
            out,
        ),
        None => start(
            world,
            &arguments.plan.filters.runtimes,
            &mut host,
            &|candidates, machine| plan::make(world, &arguments.plan, candidates, machine),
            out,
        ),
    }
}

/// The machine that this program runs on.
///
/// # Errors
/// Processes cannot be started or measured here.
pub fn host() -> Result<NativeHost> {
    Ok(NativeHost::start(Options::new()?)?)
}

/// Begins a session with the plan that `make` makes of the runtimes' candidates and of the machine.
pub fn start(
    world: &World,
    runtimes: &[String],
    host: &mut dyn Host,
    make: &dyn Fn(&[Candidate], &Machine) -> Result<Plan>,
    out: &mut dyn Paper,
) -> Result<Exit> {
    let mut err = Remarks;
    let selections = world.select(runtimes)?;
    let (mut machine, findings) = host.machine();
    // What is wrong with the request is said before anything else.
    make(&prepare::candidates_unasked(&selections), &machine)?;
    warn_of_wrong_manifests(world);
    if !show_findings(&findings) {
        return Ok(Exit::Impossible);
    }
    // A build may take minutes, so what is wrong with the folder is said before it.
    log::make_folder(&world.results).with_context(|| no_place(world))?;
    let candidates = prepare::candidates(selections, &mut err);
    let plan = make(&candidates, &machine)?;
    plan::show(&plan, &machine, &mut err)?;
    machine.facts.extend(identity::builds(&plan, &world.runtimes));
    let today = jiff::Zoned::now().strftime("%Y-%m-%d").to_string();
    let (log, name) = Log::create(&world.results, &today, plan.seed).with_context(|| no_place(world))?;
    let folder = world.results.join(&name);
    writeln!(err, "session  {}", folder.display())?;
    let opening = Opening {
        session: name,
        arguments: std::env::args_os()
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
        plan,
        machine,
        findings,
    };
    let session = Session::start(log, opening, host, &Judge)?;
    let exit = measure(world, session, &folder, out)?;
    Ok(if prepare::lacks_a_named_one(&candidates) {
        exit.without_a_named_one()
    } else {
        exit
    })
}

fn no_place(world: &World) -> String {
    format!(
        "no session can be kept in {}; mend that, or name another folder with --results",
        world.results.display()
    )
}

fn resume(
    world: &World,
    wanted: Option<&str>,
    positional: &[String],
    host: &mut dyn Host,
    out: &mut dyn Paper,
) -> Result<Exit> {
    if let Some(name) = positional.first() {
        bail!("--resume goes on with what the session planned; leave out `{name}`, or start a new session");
    }
    let folder = sessions::find(&world.results, wanted)?;
    let (log, replay) = Log::resume(&folder)?;
    if replay.torn > 0 {
        remark(format_args!(
            "log      its last line was cut off; {} of an unfinished entry dropped",
            number_doing(replay.torn as usize, "byte", ["is", "are"])
        ));
    }
    let (mut here, findings) = host.machine();
    if !show_findings(&findings) {
        return Ok(Exit::Impossible);
    }
    let (plan, _) = opening(&replay.events);
    here.facts.extend(identity::builds(plan, &world.runtimes));
    let complete = is_complete(&replay);
    if !complete {
        plan::show(plan, &here, &mut Remarks)?;
    }
    let session = Session::resume(log, replay, here, host, &Judge)?;
    remark(format_args!(
        "{} {}",
        if complete {
            "complete, nothing is left to measure:"
        } else {
            "resumed "
        },
        folder.display()
    ));
    measure(world, session, &folder, out)
}

/// Whether the session ended because it had done all that was planned.
fn is_complete(replay: &Replay) -> bool {
    let last = replay.events.last().map(|event| &event.what);
    matches!(
        last,
        Some(What::SessionEnded {
            reason: StopReason::Target | StopReason::Max
        })
    )
}

fn measure(world: &World, mut session: Session<'_>, folder: &Path, out: &mut dyn Paper) -> Result<Exit> {
    let interrupt = Interrupt::default();
    let watcher = watch_signals(&interrupt)?;
    let mut observer = progress::observer(session.plan());
    let reason = session.measure(&interrupt, &mut *observer);
    watcher.close();
    let reason = reason.with_context(|| {
        let resume = resuming(world, folder);
        format!("what was measured is kept; mend what follows, then: {resume}")
    })?;
    finish(world, folder, reason, out)
}

/// The table, the report, and what to do next.
fn finish(world: &World, folder: &Path, reason: StopReason, out: &mut dyn Paper) -> Result<Exit> {
    let analysis = judged::analyse(world, folder)?;
    // Either of the two is of use without the other.
    let page = report::write(world, &analysis, folder);
    out.coloured(&terminal::render(&analysis, Measure::Wall, Screen::stdout()))?;
    for sentence in &analysis.sentences {
        writeln!(out, "{sentence}")?;
    }
    writeln!(out, "\nreport   {}", page?.display())?;
    let resume = resuming(world, folder);
    Ok(match reason {
        StopReason::User => {
            writeln!(out, "next     {resume}      what is measured is kept")?;
            Exit::Interrupted
        }
        StopReason::MachineDirty => {
            writeln!(
                out,
                "stopped  a process of a runtime could not be ended; look for it, end it, then: {resume}"
            )?;
            Exit::Impossible
        }
        StopReason::Laboratory => {
            writeln!(
                out,
                "stopped  the laboratory could not start processes, which says nothing about the runtimes; mend the cause above, then: {resume}"
            )?;
            Exit::Impossible
        }
        StopReason::Target | StopReason::Max | StopReason::Budget | StopReason::Failed => {
            writeln!(out, "next     {}", looking(world, folder, &analysis))?;
            judged::exit(&analysis)
        }
    })
}

/// The command that goes on with the session.
pub fn resuming(world: &World, folder: &Path) -> String {
    let name = sessions::typed(&world.results, folder);
    next::command(world, &format!("run --resume {name}"))
}

/// The commands that show what was measured. They need no name if they would take this session anyway.
fn looking(world: &World, folder: &Path, analysis: &Analysis) -> String {
    let (mut report, mut compare) = ("report --open".to_owned(), "compare".to_owned());
    if !sessions::find(&world.results, None).is_ok_and(|last| last == folder) {
        let session = sessions::typed(&world.results, folder);
        report = format!("report {session} --open");
        compare = format!("compare --session {session}");
    }
    let report = next::command(world, &report);
    // What has a summary has numbers to compare.
    let Some(summary) = analysis.summaries.iter().find(|s| s.measure == Measure::Wall) else {
        return report;
    };
    let compare = format!("{compare} {} {}", summary.baseline, summary.runtime);
    format!("{report}    or  {}", next::command(world, &compare))
}

/// Prints what to know about the machine; false if measuring makes no sense.
fn show_findings(findings: &[Finding]) -> bool {
    for finding in findings.iter().filter(|f| f.level >= Level::Warn) {
        let mend = if finding.mend.is_empty() {
            String::new()
        } else {
            format!("; mend: {}", finding.mend)
        };
        let level = if finding.level == Level::Stop {
            "STOP"
        } else {
            "warning"
        };
        remark(format_args!("{level:<8} {}: {}{mend}", finding.what, finding.why));
    }
    findings.iter().all(|f| f.level != Level::Stop)
}

fn warn_of_wrong_manifests(world: &World) {
    for mistake in &world.runtimes.mistakes {
        remark(format_args!("warning  {mistake}; its runtimes are left out"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::streams::Output;
    use crate::drive::simulated::{self, SimulatedHost};
    use crate::model::invocation::{Invocation, Order};
    use crate::model::machine::BlockSensors;
    use crate::plan::{fixed, standard};

    /// A machine that was unplugged.
    struct OnBattery(SimulatedHost);

    impl Host for OnBattery {
        fn machine(&mut self) -> (Machine, Vec<Finding>) {
            let stop = Finding {
                level: Level::Stop,
                what: "the machine runs on battery".into(),
                why: "for this test".into(),
                mend: "plug it in".into(),
            };
            (self.0.machine().0, vec![stop])
        }

        fn unix(&self) -> f64 {
            self.0.unix()
        }

        fn sense_block(&mut self, _: &[u32]) -> BlockSensors {
            unreachable!("nothing may be measured")
        }

        fn invoke(&mut self, _: &Order, _: &Interrupt) -> Invocation {
            unreachable!("nothing may be measured")
        }

        fn dirty(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_session_is_not_resumed_where_none_would_be_started() {
        let results = tempfile::tempdir().unwrap();
        let world = World::load(None, results.path()).unwrap();
        let mut host = OnBattery(SimulatedHost::new(simulated::World::default()));
        let plan = Plan {
            seed: 1,
            method: fixed(1, standard()),
            groups: Vec::new(),
            ladders: Vec::new(),
            skipped: Vec::new(),
            baseline: "datil".into(),
        };
        let (log, name) = Log::create(results.path(), "2026-11-22", plan.seed).unwrap();
        let opening = Opening {
            session: name.clone(),
            arguments: Vec::new(),
            plan,
            machine: host.machine().0,
            findings: Vec::new(),
        };
        drop(Session::start(log, opening, &mut host, &Judge).unwrap());
        let before = log::read(&results.path().join(&name)).unwrap();
        let exit = resume(&world, Some(&name), &[], &mut host, &mut Output::new(Vec::new())).unwrap();
        assert_eq!(exit, Exit::Impossible);
        assert_eq!(log::read(&results.path().join(&name)).unwrap(), before);
    }
}
