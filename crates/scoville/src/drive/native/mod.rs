//! The real machine: a process per invocation, measured from outside.

mod collect;
mod driver;
mod environment;
mod meter;
mod process_tree;
mod run;

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::thread::CpuSet;

use super::cgroup::Hierarchy;
use super::counters::Counters;
use super::failure::never_ran;
use super::ladder::Patience;
use super::launcher::{self, Launcher};
use super::{Host, Interrupt};
use crate::model::invocation::{FailureKind, Invocation, Order};
use crate::model::machine::{BlockSensors, Finding, Machine};
use crate::model::reading::Reading;
use crate::probe;

/// What may be set differently for tests.
#[derive(Clone, Debug)]
pub struct Options {
    /// Program and arguments that end up in [`launcher::main`].
    pub launcher: Vec<String>,
    /// How patient the ending of a process tree is.
    pub patience: Patience,
    /// Most bytes that a runtime may write to stdout and stderr together.
    pub flood: u64,
    /// Whether control groups are used where the machine has them.
    pub cgroups: bool,
}

impl Options {
    /// The defaults: the launcher is this very program.
    ///
    /// # Errors
    /// If the program's own path cannot be read.
    pub fn new() -> io::Result<Self> {
        let myself = std::env::current_exe()?.to_string_lossy().into_owned();
        Ok(Options {
            launcher: vec![myself, launcher::ARGUMENT.to_owned()],
            patience: Patience::default(),
            flood: 64 << 20,
            cgroups: true,
        })
    }
}

/// The machine that this program runs on.
#[derive(Debug)]
pub struct NativeHost {
    options: Options,
    launcher: Option<Launcher>,
    /// Where leaves are made, or why there is none.
    hierarchy: Result<Hierarchy, String>,
    dirty: bool,
}

impl NativeHost {
    /// Starts the launcher. Do it early, while this process is small.
    ///
    /// # Errors
    /// If the launcher cannot be started.
    pub fn start(options: Options) -> io::Result<Self> {
        let launcher = Launcher::start(&options.launcher)?;
        let hierarchy = if options.cgroups {
            Hierarchy::find()
        } else {
            Err("control groups are switched off".to_owned())
        };
        Ok(NativeHost {
            options,
            launcher: Some(launcher),
            hierarchy,
            dirty: false,
        })
    }

    /// The launcher, started anew if it was lost.
    fn launcher(&mut self) -> io::Result<&Launcher> {
        let launcher = match self.launcher.take() {
            Some(launcher) => launcher,
            None => Launcher::start(&self.options.launcher)?,
        };
        Ok(self.launcher.insert(launcher))
    }
}

impl Host for NativeHost {
    fn machine(&mut self) -> (Machine, Vec<Finding>) {
        let cgroup = match &self.hierarchy {
            Ok(hierarchy) => hierarchy.reading(),
            Err(reason) => Reading::unavailable(reason.clone()),
        };
        let events = Counters::open(rustix::process::getpid()).availability();
        probe::machine::probe(cgroup, events)
    }

    fn unix(&self) -> f64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |d| d.as_secs_f64())
    }

    fn sense_block(&mut self, cpus: &[u32]) -> BlockSensors {
        probe::block::sense(cpus)
    }

    fn invoke(&mut self, order: &Order, interrupt: &Interrupt) -> Invocation {
        if let Err(e) = self.launcher() {
            return never_ran(
                order,
                FailureKind::Laboratory,
                &format!("starting the launcher: {e}"),
            );
        }
        let (Some(launcher), options) = (self.launcher.as_ref(), &self.options) else {
            return never_ran(order, FailureKind::Laboratory, "the launcher is gone");
        };
        let aside = StepAside::from(&order.cpus);
        let done = run::run(launcher, self.hierarchy.as_ref().ok(), options, order, interrupt);
        drop(aside);
        self.dirty |= done.dirty;
        if done.launcher_lost {
            self.launcher = None;
        }
        done.invocation
    }

    fn dirty(&self) -> bool {
        self.dirty
    }
}

/// Keeps the laboratory's thread off the measured CPUs while it lives, where there are others.
struct StepAside(Option<CpuSet>);

impl StepAside {
    fn from(cpus: &[u32]) -> Self {
        let Ok(before) = rustix::thread::sched_getaffinity(None) else {
            return StepAside(None);
        };
        let mut others = before;
        for &cpu in cpus {
            others.unset(cpu as usize);
        }
        let moved = others.count() > 0 && rustix::thread::sched_setaffinity(None, &others).is_ok();
        StepAside(moved.then_some(before))
    }
}

impl Drop for StepAside {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // Fails only if CPUs were taken away meanwhile; then the narrower set stays.
            let _ = rustix::thread::sched_setaffinity(None, before);
        }
    }
}
