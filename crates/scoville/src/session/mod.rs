//! The loop that measures: next step, do it, write it down, take it into account.

use std::collections::BTreeMap;
use std::path::Path;

use thiserror::Error;

use crate::digits::number_of;
use crate::drive::{Host, Interrupt};
use crate::log::{self, Log, LogError, Replay};
use crate::model::benchmark::{Argument, Value, Work};
use crate::model::event::{Event, LOG_VERSION, StopReason, What};
use crate::model::formula::Formula;
use crate::model::invocation::{FailureKind, Invocation, Order, Outcome};
use crate::model::machine::{BlockSensors, Finding, Machine};
use crate::model::plan::{GroupKey, IterationRule, Ladder, LadderKey, Limits, Plan};
use crate::peers::identity;
use crate::schedule::{Assess, Progress, Step, next};

/// Version of this tool, as the log states it.
pub const TOOL: &str = concat!("scoville ", env!("CARGO_PKG_VERSION"));

/// An iteration may take this many times the longest one seen ...
const SLOWDOWN_LIMIT: u64 = 10;
/// ... and at least this long, ns.
const SHORTEST_LIMIT_NS: u64 = 60_000_000_000;

/// Why a session cannot go on.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log contradicts itself.
    #[error(
        "{file}:{line}: this line does not fit the ones before it ({why}); to go on from those, keep the first {} and resume",
        number_of(.line - 1, "line")
    )]
    Contradiction {
        /// The log.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What does not fit.
        why: String,
    },
    /// The session belongs to another machine.
    #[error(
        "this session was measured on another machine ({measured}), this one is {here}: their times must not be mixed; start a new session here"
    )]
    OtherMachine {
        /// Where it was measured.
        measured: String,
        /// Where it would go on.
        here: String,
    },
    /// What the session measured cannot be read any more.
    #[error(
        "not there any more, though this session has measured it: {runtimes}; `scoville build` makes again what is built, then resume"
    )]
    Gone {
        /// The runtimes.
        runtimes: String,
    },
    /// What the session measured is another one by now.
    #[error(
        "built anew since this session was measured: {runtimes}; times of two builds must not be mixed; start a new session"
    )]
    Rebuilt {
        /// The runtimes.
        runtimes: String,
    },
}

/// Refuses to go on with runtimes whose build is known to be another one than the session's, or was known and is gone: each of
/// their invocations would fail, and stay in the log.
fn check_builds(measured: &Machine, here: &Machine) -> Result<(), SessionError> {
    let (mut gone, mut rebuilt) = (Vec::new(), Vec::new());
    for (name, before) in &measured.facts {
        let known = name.strip_prefix(identity::FACT).zip(before.value());
        let (Some((runtime, before)), Some(now)) = (known, here.facts.get(name)) else {
            continue;
        };
        match now.value() {
            None => gone.push(runtime),
            Some(now) if now != before => rebuilt.push(runtime),
            Some(_) => {}
        }
    }
    if !gone.is_empty() {
        let runtimes = gone.join(", ");
        return Err(SessionError::Gone { runtimes });
    }
    if !rebuilt.is_empty() {
        let runtimes = rebuilt.join(", ");
        return Err(SessionError::Rebuilt { runtimes });
    }
    Ok(())
}

/// Somebody who watches. Called at boundaries only, never while an invocation runs.
pub trait Observer {
    /// A step is about to be done.
    fn before(&mut self, step: &Step, progress: &Progress);
    /// It has been done and written down.
    fn after(&mut self, event: &Event, progress: &Progress);
}

/// A session that is being measured.
pub struct Session<'a> {
    plan: Plan,
    progress: Progress,
    log: Log,
    host: &'a mut dyn Host,
    assess: &'a dyn Assess,
}

/// What a new session writes down about itself.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The session's name.
    pub session: String,
    /// What was asked, as typed.
    pub arguments: Vec<String>,
    /// What will be done.
    pub plan: Plan,
    /// Where.
    pub machine: Machine,
    /// What to know about it.
    pub findings: Vec<Finding>,
}

impl<'a> Session<'a> {
    /// Begins a session in an empty log.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn start(
        log: Log,
        opening: Opening,
        host: &'a mut dyn Host,
        assess: &'a dyn Assess,
    ) -> Result<Self, SessionError> {
        let mut session = Self {
            progress: Progress::new(&opening.plan),
            plan: opening.plan.clone(),
            log,
            host,
            assess,
        };
        session.write(What::SessionStarted {
            log_version: LOG_VERSION,
            tool: TOOL.into(),
            session: opening.session,
            arguments: opening.arguments,
            plan: Box::new(opening.plan),
            machine: Box::new(opening.machine),
            findings: opening.findings,
        })?;
        Ok(session)
    }

    /// Goes on with an earlier session.
    ///
    /// # Errors
    /// The log contradicts itself, belongs to another machine, or to another build of a runtime, or the build is gone.
    pub fn resume(
        log: Log,
        replay: Replay,
        here: Machine,
        host: &'a mut dyn Host,
        assess: &'a dyn Assess,
    ) -> Result<Self, SessionError> {
        let (plan, machine) = opening(&replay.events);
        if machine.fingerprint != here.fingerprint {
            return Err(SessionError::OtherMachine {
                measured: machine.fingerprint.clone(),
                here: here.fingerprint,
            });
        }
        check_builds(machine, &here)?;
        let progress = replayed(log.path(), &replay)?;
        let mut session = Self {
            plan: plan.clone(),
            progress,
            log,
            host,
            assess,
        };
        session.write(What::SessionResumed {
            tool: TOOL.into(),
            machine: Box::new(here),
        })?;
        Ok(session)
    }

    /// What was planned.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What was done.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Measures until the plan is fulfilled or somebody ends it. What is done is on the disk at any time.
    ///
    /// # Errors
    /// The log cannot be written.
    pub fn measure(
        &mut self,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
    ) -> Result<StopReason, SessionError> {
        loop {
            let step = self.next(interrupt);
            observer.before(&step, &self.progress);
            let what = match self.perform(&step, interrupt) {
                Some(what) => what,
                // The invocation was cut off by the user; it never happened.
                None => What::SessionEnded {
                    reason: StopReason::User,
                },
            };
            self.write(what)?;
            let last = self.progress.events.last().expect("one was just written");
            observer.after(last, &self.progress);
            if let Some(reason) = self.progress.ended {
                return Ok(reason);
            }
        }
    }

    fn next(&self, interrupt: &Interrupt) -> Step {
        let reason = if self.host.dirty() {
            StopReason::MachineDirty
        } else if interrupt.finish() {
            StopReason::User
        } else {
            return next(&self.plan, &self.progress, self.assess);
        };
        Step::End { reason }
    }

    /// Does a step and says what happened; `None` if the user cut it off.
    fn perform(&mut self, step: &Step, interrupt: &Interrupt) -> Option<What> {
        Some(match step.clone() {
            Step::StartBlock {
                group,
                block,
                order,
                padding,
            } => What::BlockStarted {
                sensors: self.sense(&group),
                group,
                block,
                order,
                padding,
            },
            Step::Invoke {
                group,
                block,
                runtime,
                padding,
            } => {
                let order = self.order(&group, &runtime, padding);
                What::InvocationFinished {
                    invocation: self.invoke(&order, interrupt)?,
                    group,
                    block,
                    runtime,
                }
            }
            Step::Climb {
                ladder,
                runtime,
                size,
            } => {
                let order = self.rung(&ladder, &runtime, size);
                What::RungFinished {
                    invocation: self.invoke(&order, interrupt)?,
                    ladder,
                    runtime,
                    size,
                }
            }
            Step::FinishBlock { group, block } => What::BlockFinished {
                sensors: self.sense(&group),
                group,
                block,
            },
            Step::FinishGroup { group, reason } => What::GroupFinished { group, reason },
            Step::End { reason } => What::SessionEnded { reason },
        })
    }

    /// `None` if the user cut it off.
    fn invoke(&mut self, order: &Order, interrupt: &Interrupt) -> Option<Box<Invocation>> {
        let invocation = self.host.invoke(order, interrupt);
        (!was_interrupted(&invocation)).then(|| Box::new(invocation))
    }

    fn sense(&mut self, group: &GroupKey) -> BlockSensors {
        let cpus = self.group(group).cpus.clone();
        self.host.sense_block(&cpus)
    }

    fn group(&self, key: &GroupKey) -> &crate::model::plan::Group {
        let group = self.plan.groups.iter().find(|group| group.key == *key);
        group.expect("steps name groups of the plan only")
    }

    fn order(&self, key: &GroupKey, runtime: &str, padding: u32) -> Order {
        let group = self.group(key);
        let competitor = group.competitors.iter().find(|c| c.runtime == runtime);
        let competitor = competitor.expect("steps name competitors of the group only");
        let longest = self.progress.longest_iteration_ns(key, &competitor.runtime);
        Order {
            launch: competitor.launch.clone(),
            reports_as: competitor.reports_as.clone(),
            group: key.clone(),
            parameters: group.parameters.clone(),
            expect: group.expect.clone(),
            work: group.work,
            messages_plus: group.messages_plus.clone(),
            workers: key.cores,
            cpus: group.cpus.clone(),
            iterations: self.plan.method.iterations,
            limits: limits(self.plan.method.limits, longest),
            count_messages: false,
            padding,
            memory_limit: None,
        }
    }

    /// One iteration in a process of its own.
    fn rung(&self, key: &LadderKey, runtime: &str, size: i64) -> Order {
        let ladder = self.plan.ladders.iter().find(|ladder| ladder.key == *key);
        let ladder = ladder.expect("steps name ladders of the plan only");
        let competitor = ladder.competitors.iter().find(|c| c.runtime == runtime);
        let competitor = competitor.expect("steps name competitors of the ladder only");
        let mut parameters = ladder.parameters.clone();
        parameters.insert(ladder.parameter.clone(), Argument::from(size));
        Order {
            launch: competitor.launch.clone(),
            reports_as: competitor.reports_as.clone(),
            group: GroupKey {
                benchmark: key.benchmark.clone(),
                preset: format!("{}={size}", ladder.parameter),
                cores: key.cores,
            },
            expect: expected(ladder, &parameters),
            parameters,
            work: Work {
                actors: 0,
                messages: None,
            },
            messages_plus: String::new(),
            workers: key.cores,
            cpus: ladder.cpus.clone(),
            iterations: ONCE,
            limits: Limits {
                // What is not part of the step's time may take as long again: the collector's work, the actors' end.
                iteration_ns: ladder.limits.time_ns.saturating_mul(2).max(SHORTEST_LIMIT_NS),
                ..self.plan.method.limits
            },
            count_messages: false,
            padding: 0,
            memory_limit: Some(ladder.limits.memory_bytes),
        }
    }

    fn write(&mut self, what: What) -> Result<(), SessionError> {
        let event = Event {
            unix: self.host.unix(),
            what,
        };
        self.log.append(&event)?;
        self.progress.apply(&self.plan, event).map_err(|why| {
            let file = self.log.path().display().to_string();
            let line = self.progress.events.len() + 1;
            SessionError::Contradiction { file, line, why }
        })
    }
}

/// How far the session in that folder has come.
///
/// # Errors
/// The log contradicts itself.
pub fn replay(folder: &Path, replay: &Replay) -> Result<Progress, SessionError> {
    replayed(&folder.join(log::FILE), replay)
}

fn replayed(file: &Path, replay: &Replay) -> Result<Progress, SessionError> {
    let (plan, _) = opening(&replay.events);
    Progress::replay(plan, &replay.events).map_err(|(line, why)| SessionError::Contradiction {
        file: file.display().to_string(),
        line,
        why,
    })
}

/// Plan and machine of a session, from its first event.
pub fn opening(events: &[Event]) -> (&Plan, &Machine) {
    match events.first().map(|event| &event.what) {
        Some(What::SessionStarted { plan, machine, .. }) => (plan, machine),
        _ => unreachable!("the log has checked that a session begins with its start"),
    }
}

/// A step of a ladder is one iteration.
const ONCE: IterationRule = IterationRule {
    min: 1,
    max: 1,
    floor_ns: 0,
    ceiling_ns: u64::MAX,
};

/// What a step must return, by the catalogue's formulas.
fn expected(ladder: &Ladder, parameters: &BTreeMap<String, Argument>) -> BTreeMap<String, Value> {
    let given = |name: &str| match parameters.get(name)?.number()? {
        Value::Int(whole) => Some(i128::from(whole)),
        Value::Float(_) => None,
    };
    // A formula that has no value here would match nothing, so no result is right by oversight.
    let value = |formula: &String| {
        let value = Formula::parse(formula)
            .and_then(|formula| formula.value(given))
            .ok()?;
        Some(Value::Int(i64::try_from(value).ok()?))
    };
    let fields = ladder.expect.iter();
    fields
        .map(|(name, formula)| (name.clone(), value(formula).unwrap_or(Value::Float(f64::NAN))))
        .collect()
}

/// The plan's limits, with the iteration's adapted to what the pilot showed.
fn limits(planned: Limits, longest_iteration_ns: Option<u64>) -> Limits {
    Limits {
        iteration_ns: match longest_iteration_ns {
            Some(longest) => longest.saturating_mul(SLOWDOWN_LIMIT).max(SHORTEST_LIMIT_NS),
            None => planned.iteration_ns,
        },
        ..planned
    }
}

fn was_interrupted(invocation: &Invocation) -> bool {
    matches!(&invocation.outcome, Outcome::Failed(failure) if failure.kind == FailureKind::Interrupted)
}
