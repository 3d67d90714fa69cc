//! Events to the state that they describe, by reference.

use crate::model::event::{Event, StopReason, What};
use crate::model::invocation::{Failure, FailureKind, Hello, Invocation, Outcome};
use crate::model::machine::{BlockSensors, Finding, Machine};
use crate::model::plan::{Group, GroupKey, Plan};
use crate::model::runtime::RuntimeName;

/// A session as its log tells it.
pub(super) struct Session<'a> {
    pub name: &'a str,
    pub tool: &'a str,
    pub arguments: &'a [String],
    pub plan: &'a Plan,
    pub machine: &'a Machine,
    pub findings: &'a [Finding],
    /// Tools and machines of the resumes after which something was measured.
    pub resumed: Vec<(&'a str, &'a Machine)>,
    /// Every greeting, with the runtime's name in the plan.
    pub hellos: Vec<(&'a str, &'a Hello)>,
    pub started_unix: f64,
    pub ended_unix: f64,
    /// It ended because a process tree could not be ended.
    pub dirty: bool,
    /// In plan order.
    pub groups: Vec<GroupLog<'a>>,
}

/// What happened in one group.
pub(super) struct GroupLog<'a> {
    pub group: &'a Group,
    /// Ascending by number.
    pub blocks: Vec<BlockLog<'a>>,
    /// In the order in which they ran.
    pub runs: Vec<Run<'a>>,
    pub stopped: Option<StopReason>,
}

/// One block; when it was run again, its last run.
pub(super) struct BlockLog<'a> {
    pub number: u32,
    /// Invocations of the session before it.
    pub sequence: u32,
    pub order: &'a [RuntimeName],
    pub before: &'a BlockSensors,
    pub after: Option<&'a BlockSensors>,
    /// The session was interrupted within it, so that its invocations ran far apart in time.
    pub torn: bool,
}

/// One invocation.
pub(super) struct Run<'a> {
    pub block: u32,
    /// Position in the session.
    pub sequence: u32,
    /// Index into the group's competitors.
    pub competitor: usize,
    pub invocation: &'a Invocation,
    /// A later run of the same block and runtime stands for it. Its numbers are not used; its failure still counts.
    pub superseded: bool,
}

impl Run<'_> {
    /// The user ended it, or a later run made up for that: it says nothing about the runtime.
    pub fn interrupted(&self) -> bool {
        matches!(&self.invocation.outcome, Outcome::Failed(f) if f.kind == FailureKind::Interrupted)
    }

    /// The failure, if it takes every number from its cell: a wrong result, a wrong amount of work, or a violated
    /// assertion of the benchmark.
    pub fn wrong(&self) -> Option<&Failure> {
        use FailureKind::{Assertion, WrongResult, WrongWork};
        self.failure()
            .filter(|f| matches!(f.kind, WrongResult { .. } | WrongWork { .. } | Assertion))
    }

    /// Why it failed, unless the user ended it.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.invocation.outcome {
            Outcome::Failed(failure) if failure.kind != FailureKind::Interrupted => Some(failure),
            Outcome::Failed(_) | Outcome::Ok | Outcome::Unsupported { .. } => None,
        }
    }

    /// Whether it carries numbers. A counting invocation is never timed.
    pub fn usable(&self) -> bool {
        self.invocation.outcome == Outcome::Ok
            && self.invocation.iterations.work.is_none()
            && !self.invocation.iterations.wall_ns.is_empty()
            && !self.superseded
    }
}

impl<'a> Session<'a> {
    /// Every competitor of every group, in plan order.
    pub fn competitors(&self) -> impl Iterator<Item = (&GroupLog<'a>, usize)> {
        self.groups
            .iter()
            .flat_map(|log| (0..log.group.competitors.len()).map(move |i| (log, i)))
    }
}

/// The whole session; `None` if the events do not begin with its start.
pub(super) fn replay(events: &[Event]) -> Option<Session<'_>> {
    let started = events.first()?;
    let What::SessionStarted {
        tool,
        session,
        arguments,
        plan,
        machine,
        findings,
        ..
    } = &started.what
    else {
        return None;
    };
    Some(Session {
        name: session,
        tool,
        arguments,
        plan,
        machine,
        findings,
        resumed: resumed(events),
        hellos: hellos(events),
        started_unix: started.unix,
        ended_unix: events.iter().map(|event| event.unix).fold(started.unix, f64::max),
        dirty: events.iter().any(|event| {
            matches!(
                event.what,
                What::SessionEnded {
                    reason: StopReason::MachineDirty
                }
            )
        }),
        groups: replay_groups(events, &plan.groups),
    })
}

fn resumed(events: &[Event]) -> Vec<(&str, &Machine)> {
    let measures = |event: &Event| {
        matches!(
            event.what,
            What::InvocationFinished { .. } | What::RungFinished { .. }
        )
    };
    let last = events.iter().rposition(measures).unwrap_or_default();
    let resumes = events[..last].iter().filter_map(|event| match &event.what {
        What::SessionResumed { tool, machine } => Some((tool.as_str(), &**machine)),
        _ => None,
    });
    resumes.collect()
}

fn hellos<'a>(events: &'a [Event]) -> Vec<(&'a str, &'a Hello)> {
    let greeting = |event: &'a Event| match &event.what {
        What::InvocationFinished {
            runtime, invocation, ..
        }
        | What::RungFinished {
            runtime, invocation, ..
        } => Some((runtime.as_str(), invocation.hello.as_ref()?)),
        _ => None,
    };
    events.iter().filter_map(greeting).collect()
}

/// The groups of a log.
pub(super) fn replay_groups<'a>(events: &'a [Event], groups: &'a [Group]) -> Vec<GroupLog<'a>> {
    let empty = |group| GroupLog {
        group,
        blocks: Vec::new(),
        runs: Vec::new(),
        stopped: None,
    };
    let mut logs: Vec<GroupLog<'a>> = groups.iter().map(empty).collect();
    let index: std::collections::HashMap<&GroupKey, usize> = groups
        .iter()
        .enumerate()
        .map(|(i, group)| (&group.key, i))
        .collect();
    let mut sequence = 0;
    for event in events {
        if let What::InvocationFinished { .. } = event.what {
            sequence += 1;
        }
        if let What::SessionResumed { .. } = event.what {
            logs.iter_mut().for_each(GroupLog::tear_open_block);
        }
        let key = match &event.what {
            What::BlockStarted { group, .. }
            | What::InvocationFinished { group, .. }
            | What::BlockFinished { group, .. }
            | What::GroupFinished { group, .. } => group,
            _ => continue,
        };
        if let Some(&i) = index.get(key) {
            logs[i].apply(&event.what, sequence);
        }
    }
    for log in &mut logs {
        log.blocks.sort_by_key(|block| block.number);
        log.tear_mixed_blocks();
    }
    logs
}

impl<'a> GroupLog<'a> {
    /// `made` counts the invocations of the session up to and with this event.
    fn apply(&mut self, what: &'a What, made: u32) {
        match what {
            What::BlockStarted {
                block,
                order,
                sensors,
                ..
            } => {
                self.blocks.retain(|known| known.number != *block);
                self.blocks.push(BlockLog {
                    number: *block,
                    sequence: made,
                    order,
                    before: sensors,
                    after: None,
                    torn: false,
                });
                self.stopped = None;
            }
            What::BlockFinished { block, sensors, .. } => {
                if let Some(known) = self.blocks.iter_mut().find(|known| known.number == *block) {
                    known.after = Some(sensors);
                }
            }
            What::InvocationFinished {
                block,
                runtime,
                invocation,
                ..
            } => {
                let seat = self.group.competitors.iter().position(|c| c.runtime == *runtime);
                if let Some(competitor) = seat {
                    let (block, sequence) = (*block, made - 1);
                    self.add(Run {
                        block,
                        sequence,
                        competitor,
                        invocation,
                        superseded: false,
                    });
                }
            }
            What::GroupFinished { reason, .. } => self.stopped = Some(*reason),
            What::SessionStarted { .. }
            | What::SessionResumed { .. }
            | What::RungFinished { .. }
            | What::SessionEnded { .. } => {}
        }
    }

    fn tear_open_block(&mut self) {
        let begun = |number: u32| {
            self.runs
                .iter()
                .any(|run| run.block == number && !run.interrupted())
        };
        let open = self
            .blocks
            .last_mut()
            .filter(|block| block.after.is_none() && begun(block.number));
        if let Some(block) = open {
            block.torn = true;
        }
    }

    /// A block that was begun anew and broke off again still has runs of its first time, which no later one stands for.
    fn tear_mixed_blocks(&mut self) {
        for block in &mut self.blocks {
            let earlier = |run: &Run<'_>| run.block == block.number && run.sequence < block.sequence;
            block.torn |= self.runs.iter().any(|run| earlier(run) && run.usable());
        }
    }

    /// The last run of a block that was not interrupted stands for it. Counting runs stand beside the timed ones.
    fn add(&mut self, run: Run<'a>) {
        let counts = run.invocation.iterations.work.is_some();
        if !run.interrupted() && !counts {
            for earlier in &mut self.runs {
                let same = earlier.block == run.block && earlier.competitor == run.competitor;
                earlier.superseded |= same && earlier.invocation.iterations.work.is_none();
            }
        }
        self.runs.push(run);
    }
}
