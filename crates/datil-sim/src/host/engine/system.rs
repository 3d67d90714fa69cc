//! What an operating system does to threads and memory.

use super::worker::{Phase, Worker};
use super::{Engine, Event};
use crate::host::Settings;
use crate::machine::{Cycles, Os, Placement};

impl Engine {
    /// The operating system, if it is to be simulated.
    pub(super) fn os(&self) -> Option<Os> {
        self.settings.os
    }

    /// Whether threads stay on their units.
    fn are_bound(&self) -> bool {
        self.rules.pins || self.settings.bound
    }

    /// Busy threads on the worker's unit.
    pub(super) fn slowdown(&self, me: u32) -> Cycles {
        if self.are_bound() || self.os().is_none() {
            return 1;
        }
        let pu = self.workers[me as usize].pu;
        let busy = |worker: &&Worker| worker.pu == pu && worker.phase == Phase::Busy;
        self.workers.iter().filter(busy).count().max(1) as Cycles
    }

    /// Time until a thread is moved again.
    pub(super) fn between_migrations(&mut self) -> Cycles {
        let os = self.os().expect("asked for only with it");
        let beyond = (self.workers.len() as f64 - 8.0).max(0.0) / 56.0;
        let rate = os.migrations * beyond * beyond;
        if self.are_bound() || rate <= 0.0 {
            return Cycles::MAX / 4;
        }
        self.exponential(1e9 / rate)
    }

    /// A random time with this mean.
    fn exponential(&mut self, nanos: f64) -> Cycles {
        let uniform = (f64::from(self.random.below(1 << 30)) + 0.5) / f64::from(1u32 << 30);
        self.costs.cycles((-uniform.ln() * nanos) as u64).max(1)
    }

    /// A unit on which no thread is.
    fn free_unit(&self) -> Option<usize> {
        let units = self.settings.machine.units(self.workers.len());
        let mut units = units.expect("they were there").into_iter();
        units.find(|pu| self.workers.iter().all(|worker| worker.pu != *pu))
    }

    /// The operating system moves a thread: onto a unit that is in use, from which it moves to a free one later, or
    /// it changes places with another thread.
    pub(super) fn balance(&mut self, me: u32) {
        if self.are_bound() {
            return;
        }
        let os = self.os().expect("asked for only with it");
        let count = self.workers.len() as u32;
        let own = self.workers[me as usize].pu;
        let stacked = self.workers.iter().filter(|worker| worker.pu == own).count() > 1;
        self.run.migrations += 1;
        if stacked {
            self.workers[me as usize].pu = self.free_unit().unwrap_or(own);
            let wait = self.between_migrations();
            return self.schedule(wait, Event::Balance(me));
        }
        let Some(other) = self.random.other(me, count) else {
            return;
        };
        let there = self.workers[other as usize].pu;
        self.workers[me as usize].pu = there;
        let wait = if f64::from(self.random.below(1000)) < os.stacks * 1000.0 {
            self.exponential(os.stacked_for as f64)
        } else {
            self.workers[other as usize].pu = own;
            self.between_migrations()
        };
        self.schedule(wait, Event::Balance(me));
    }
}

/// What the balancing of pages adds to a stream of memory: a share of its time if all of it is remote, and a share in
/// any case.
pub(super) fn tax(pins: bool, settings: &Settings) -> (f64, f64) {
    match settings.os {
        Some(os) if settings.placement == Placement::FirstTouch => {
            let used = settings.workers as f64 / settings.machine.topology.pus().len() as f64;
            let unbound = if pins { 0.0 } else { os.balancing_unbound * used };
            (os.balancing * used, unbound)
        }
        _ => (0.0, 0.0),
    }
}

/// The time of a stream of memory of which such a share is remote, with its tax.
pub(super) fn taxed((if_remote, always): (f64, f64), time: Cycles, remote: f64) -> Cycles {
    (time as f64 * (1.0 + if_remote * remote + always)) as Cycles
}
