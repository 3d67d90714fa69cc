//! Running one invocation: launcher, process tree, protocol, time-outs. Behind a trait with a simulated twin.

pub mod cgroup;
pub mod counters;
mod failure;
pub mod ladder;
pub mod launcher;
pub mod native;
pub mod protocol;
pub mod simulated;
mod sys;
pub mod tree;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

pub use sys::is_ignored;

use crate::model::invocation::{Invocation, Order};
use crate::model::machine::{BlockSensors, Finding, Machine};

/// The machine as the session sees it: real, or simulated on a virtual clock.
pub trait Host {
    /// Machine facts and what to know about them. Called once per session.
    fn machine(&mut self) -> (Machine, Vec<Finding>);

    /// Wall-clock time, seconds since 1970.
    fn unix(&self) -> f64;

    /// Reads the sensors that surround a block. Takes tens of milliseconds.
    fn sense_block(&mut self, cpus: &[u32]) -> BlockSensors;

    /// Runs one invocation from start to reaping. Every failure is part of the returned value; it returns only when the
    /// process tree is gone, or says [`Laboratory`](crate::model::invocation::FailureKind::Laboratory) and makes
    /// [`dirty`](Host::dirty) true.
    fn invoke(&mut self, order: &Order, interrupt: &Interrupt) -> Invocation;

    /// Whether a process tree of this session could not be ended, so that measuring on would be dishonest.
    fn dirty(&self) -> bool;
}

/// The user's wish to stop, shared between the signal handler, the session and the host.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicU8>);

impl Interrupt {
    /// Called for every Ctrl-C: the first asks to end after the current invocation, the second to end it at once.
    pub fn press(&self) {
        // Relaxed: a lone flag; nothing else is published with it.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| {
            Some(n.saturating_add(1))
        });
    }

    /// End after the current invocation.
    pub fn finish(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 1
    }

    /// End the current invocation too.
    pub fn at_once(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 2
    }
}
