//! Puts together what came of an invocation, once its process tree is gone.

use super::meter::{Meter, Whole};
use crate::drive::cgroup::Leaf;
use crate::drive::counters::Counters;
use crate::drive::failure::invalidates;
use crate::drive::launcher::Reaped;
use crate::drive::protocol::Verdict;
use crate::model::invocation::{Failure, Hello, Invocation, Iterations, Order, Outcome, ProcessUse};
use crate::model::reading::Reading;
use crate::probe::sensors::Snapshot;

/// What came of an invocation.
#[derive(Debug)]
pub struct Done {
    /// For the session.
    pub invocation: Invocation,
    /// Whether something of it still lives.
    pub dirty: bool,
    /// Whether the launcher no longer answers.
    pub launcher_lost: bool,
}

/// How the conversation ended.
#[derive(Debug)]
pub struct Ended {
    pub verdict: Verdict,
    pub reaped: Option<Reaped>,
    pub diagnosis: String,
    pub dirty: bool,
    pub launcher_lost: bool,
}

/// What is known of a process that has ended.
pub struct Remains<'a> {
    pub order: &'a Order,
    pub hello: Option<Hello>,
    /// From start to `hello`, ns.
    pub start_ns: Option<u64>,
    /// From start to reaping, ns.
    pub wall_ns: u64,
    pub meter: Meter<'a>,
    /// The last of what it wrote to stdout and stderr.
    pub output: String,
    pub ended: Ended,
    pub leaf: Option<&'a Leaf>,
    pub counters: &'a Counters,
    /// The machine before it was started.
    pub before: &'a Snapshot,
}

/// Reads what outlives the process, and judges the invocation by its verdict.
pub fn collect(remains: Remains<'_>) -> Done {
    let ended = remains.ended;
    let (iterations, whole) = remains.meter.finish();
    let usage = Usage {
        reaped: ended.reaped,
        whole,
        wall_ns: remains.wall_ns,
        start_ns: remains.start_ns,
    };
    let process = process_use(usage, remains.leaf, remains.counters);
    let after = Snapshot::take(&remains.order.cpus);
    let sensors = remains.before.until(&after, process.cpu_ns.value().copied());
    let outcome = match ended.verdict {
        Verdict::Ok => Outcome::Ok,
        Verdict::Unsupported(reason) => Outcome::Unsupported { reason },
        Verdict::Failed(kind, message) => Outcome::Failed(Failure {
            kind,
            message,
            stderr_tail: remains.output,
            diagnosis: ended.diagnosis,
        }),
    };
    let iterations = match &outcome {
        Outcome::Failed(failure) if invalidates(&failure.kind) => Iterations::default(),
        _ => iterations,
    };
    Done {
        invocation: Invocation {
            outcome,
            hello: remains.hello,
            iterations,
            process,
            sensors,
        },
        dirty: ended.dirty,
        launcher_lost: ended.launcher_lost,
    }
}

/// What `process_use` is made of.
struct Usage {
    reaped: Option<Reaped>,
    whole: Whole,
    wall_ns: u64,
    start_ns: Option<u64>,
}

fn process_use(usage: Usage, leaf: Option<&Leaf>, counters: &Counters) -> ProcessUse {
    let Usage {
        reaped,
        whole,
        wall_ns,
        start_ns,
    } = usage;
    let usage = reaped
        .filter(|r| r.exit.is_some())
        .map(|r| r.usage.plus(r.orphans));
    let from_wait = |value: Option<u64>| match value {
        Some(value) => Reading::known(value, "wait4 of the process and its orphans"),
        None => Reading::unavailable("the process could not be reaped"),
    };
    ProcessUse {
        wall_ns,
        start_ns,
        cpu_ns: match leaf.and_then(Leaf::cpu_ns) {
            Some(ns) => Reading::known(ns, "cgroup cpu.stat"),
            None => from_wait(usage.map(|u| u.cpu_ns)),
        },
        peak_bytes: match leaf.and_then(Leaf::peak_bytes) {
            Some(bytes) => Reading::known(bytes, "cgroup memory.peak"),
            None => whole.peak_bytes,
        },
        baseline_bytes: whole.baseline_bytes,
        voluntary_switches: from_wait(usage.map(|u| u.voluntary)),
        involuntary_switches: from_wait(usage.map(|u| u.involuntary)),
        run_queue_wait_ns: whole.run_queue_wait_ns,
        threads: whole.threads,
        events: counters.read(),
    }
}
