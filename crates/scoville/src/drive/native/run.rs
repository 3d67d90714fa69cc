//! Starts one invocation on the real machine and hands it to its driver.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use rustix::process::{Pid, Signal};

use super::Options;
use super::collect::{Done, collect};
use super::driver::{Driver, LOOK_NS};
use super::environment;
use super::process_tree::Tree;
use crate::drive::Interrupt;
use crate::drive::cgroup::{Hierarchy, Leaf};
use crate::drive::counters::Counters;
use crate::drive::failure::never_ran;
use crate::drive::launcher::{Launcher, NotStarted, Spawn};
use crate::model::invocation::{FailureKind, Order};
use crate::probe::sensors::Snapshot;

/// Runs one invocation.
pub fn run(
    launcher: &Launcher,
    hierarchy: Option<&Hierarchy>,
    options: &Options,
    order: &Order,
    interrupt: &Interrupt,
) -> Done {
    let failed = |kind, message: &str, launcher_lost| Done {
        invocation: never_ran(order, kind, message),
        dirty: false,
        launcher_lost,
    };
    let variables = environment::variables(order);
    let program = match environment::resolve(order, &variables) {
        Ok(program) => program,
        Err(message) => return failed(FailureKind::CannotStart, &message, false),
    };
    let leaf = match hierarchy.map(Hierarchy::leaf).transpose() {
        Ok(leaf) => leaf,
        Err(e) => {
            return failed(
                FailureKind::Laboratory,
                &format!("making a control group: {e}"),
                false,
            );
        }
    };
    let spawn = spawn(order, &program, &variables, leaf.as_ref());
    let before = Snapshot::take(&order.cpus);
    let launched = match launcher.spawn(spawn, leaf.as_ref().map(Leaf::folder)) {
        Ok(launched) => launched,
        Err(e) => return failed(FailureKind::Laboratory, &format!("forking: {e}"), true),
    };
    let counters = Counters::open(launched.pid);
    let pid = launched.pid;
    let start = Instant::now();
    let (pidfd, wiring) = match launched.go() {
        Ok((_, pidfd, wiring)) => (pidfd, wiring),
        Err(NotStarted { laboratory, reason }) => {
            let launcher_lost = reap_failed_start(launcher, pid).is_err();
            let kind = if laboratory {
                FailureKind::Laboratory
            } else {
                FailureKind::CannotStart
            };
            return failed(kind, &reason, launcher_lost);
        }
    };
    let mut tree = Tree::new(pid, pidfd, leaf.as_ref(), launcher);
    let mut driver = Driver::new(order, options, interrupt, start, wiring, pid, leaf.as_ref());
    let ended = driver.drive(&mut tree);
    collect(driver.remains(&tree, ended, &counters, &before))
}

/// What the launcher is told.
fn spawn(order: &Order, program: &Path, variables: &BTreeMap<String, String>, leaf: Option<&Leaf>) -> Spawn {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    Spawn {
        program: text(program),
        arguments: order.launch.command.clone(),
        environment: variables
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect(),
        cwd: text(&order.launch.cwd),
        cpus: order.cpus.clone(),
        cgroup: leaf.map(|leaf| text(leaf.path())),
    }
}

/// The child has reported why it could not exec and is exiting.
fn reap_failed_start(launcher: &Launcher, pid: Pid) -> std::io::Result<()> {
    let _ = rustix::process::kill_process(pid, Signal::KILL);
    while launcher.reap(pid)?.exit.is_none() {
        std::thread::sleep(std::time::Duration::from_nanos(LOOK_NS));
    }
    Ok(())
}
