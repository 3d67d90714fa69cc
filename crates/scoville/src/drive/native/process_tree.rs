//! The processes of one invocation: the first one and whatever it started.

use std::cell::Cell;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, Signal};

use crate::drive::cgroup::{self, Leaf};
use crate::drive::launcher::Launcher;
use crate::drive::tree;

/// The processes of an invocation.
#[derive(Debug)]
pub struct Tree<'a> {
    pub pid: Pid,
    pub pidfd: OwnedFd,
    pub leaf: Option<&'a Leaf>,
    pub launcher: &'a Launcher,
    /// Whether the first process has ended.
    pub dead: bool,
    /// Whether the whole tree has been seen to be gone; it cannot come back, and looking again may be slow.
    emptied: Cell<bool>,
}

impl<'a> Tree<'a> {
    /// A tree of one process that has just been let go.
    pub fn new(pid: Pid, pidfd: OwnedFd, leaf: Option<&'a Leaf>, launcher: &'a Launcher) -> Self {
        Tree {
            pid,
            pidfd,
            leaf,
            launcher,
            dead: false,
            emptied: Cell::new(false),
        }
    }

    /// Everything of the tree that lives.
    pub fn processes(&self) -> Vec<Pid> {
        match (self.leaf, self.launcher.pid()) {
            (Some(leaf), _) => leaf.processes(),
            (None, Some(launcher)) => tree::descendants(launcher),
            (None, None) => Vec::new(),
        }
    }

    /// Whether nothing of it lives any more.
    pub fn gone(&self) -> bool {
        if self.dead && !self.emptied.get() {
            self.emptied.set(match self.leaf {
                Some(leaf) => !leaf.populated(),
                None => self.processes().is_empty(),
            });
        }
        self.emptied.get()
    }

    /// To the first process and everything that stayed in its group.
    pub fn signal_group(&self, signal: Signal) {
        // The group may be empty by now; the number is ours until the launcher reaps its leader.
        let _ = rustix::process::kill_process_group(self.pid, signal);
    }

    /// Kills all of it.
    pub fn kill(&self) {
        self.signal_group(Signal::KILL);
        if self.leaf.is_none_or(|leaf| cgroup::kill(leaf.path()).is_err()) {
            for pid in self.processes() {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
        }
    }
}
