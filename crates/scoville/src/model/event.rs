//! Events of a session: the log is a list of them, and replaying it is the only way to know the state.

use serde::{Deserialize, Serialize};

use super::invocation::Invocation;
use super::machine::{BlockSensors, Finding, Machine};
use super::plan::{GroupKey, LadderKey, Plan};
use super::runtime::RuntimeName;

/// Version of the log format.
pub const LOG_VERSION: u32 = 1;

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Seconds since 1970 by the wall clock, for people.
    pub unix: f64,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum What {
    /// First line of every log.
    SessionStarted {
        /// [`LOG_VERSION`].
        log_version: u32,
        /// Version of the tool.
        tool: String,
        /// The session's name.
        session: String,
        /// What was asked, as typed.
        arguments: Vec<String>,
        /// What will be done.
        plan: Box<Plan>,
        /// Where.
        machine: Box<Machine>,
        /// What to know about it.
        findings: Vec<Finding>,
    },
    /// An interrupted session goes on.
    SessionResumed {
        /// Version of the tool.
        tool: String,
        /// The machine now.
        machine: Box<Machine>,
    },
    /// A block begins.
    BlockStarted {
        /// Its group.
        group: GroupKey,
        /// Its number within the group, from 0.
        block: u32,
        /// Competitors in the order in which they will run.
        order: Vec<RuntimeName>,
        /// Environment padding of the block, bytes.
        padding: u32,
        /// Sensors before it.
        sensors: BlockSensors,
    },
    /// An invocation has ended, well or not.
    InvocationFinished {
        /// Its group.
        group: GroupKey,
        /// Its block.
        block: u32,
        /// Its runtime.
        runtime: RuntimeName,
        /// What it brought.
        invocation: Box<Invocation>,
    },
    /// A block is complete.
    BlockFinished {
        /// Its group.
        group: GroupKey,
        /// Its number.
        block: u32,
        /// Sensors after it.
        sensors: BlockSensors,
    },
    /// A group needs no further block.
    GroupFinished {
        /// The group.
        group: GroupKey,
        /// Why.
        reason: StopReason,
    },
    /// A runtime has tried a step of a ladder.
    RungFinished {
        /// The ladder.
        ladder: LadderKey,
        /// The runtime.
        runtime: RuntimeName,
        /// The value of the parameter that grows.
        size: i64,
        /// What the invocation brought.
        invocation: Box<Invocation>,
    },
    /// The session ended in order; further events may follow a resume.
    SessionEnded {
        /// Why.
        reason: StopReason,
    },
}

/// Why measuring stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// Every interval is narrow enough.
    Target,
    /// The largest number of blocks is reached.
    Max,
    /// The time budget is used up.
    Budget,
    /// The user ended it.
    User,
    /// No competitor is left that works.
    Failed,
    /// A process tree could not be ended; measuring on would be dishonest.
    MachineDirty,
    /// The laboratory could not start processes.
    Laboratory,
}
