//! From settings to a simulation.

use std::fmt;
use std::sync::Arc;

use super::Simulation;
use crate::runtime::{BuildError, PanicInfo};
use crate::worker::team::PanicHook;

/// Settings of a simulation to be; made by [`Simulation::builder`].
#[derive(Clone)]
pub struct SimulationBuilder {
    pub(super) seed: u64,
    pub(super) workers: usize,
    pub(super) hook: Option<PanicHook>,
    pub(super) most_steps: Option<u64>,
}

impl fmt::Debug for SimulationBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulationBuilder")
            .field("seed", &self.seed)
            .field("workers", &self.workers)
            .field("most_steps", &self.most_steps)
            .finish_non_exhaustive()
    }
}

impl SimulationBuilder {
    pub(super) fn new() -> Self {
        Self {
            seed: 0,
            workers: 2,
            hook: None,
            most_steps: None,
        }
    }

    /// What decides what happens next. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Number of workers, at least 1. More workers mean more ways for messages of different senders to overtake each other.
    /// Default: 2.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers;
        self
    }

    /// As [`crate::Builder::on_panic`]; the hook is called on the thread that takes the steps. A test that is to fail by
    /// assertions inside actors notes here that one did.
    #[must_use]
    pub fn on_panic(mut self, hook: impl Fn(&PanicInfo<'_>) + Send + Sync + 'static) -> Self {
        self.hook = Some(Arc::new(hook));
        self
    }

    /// Makes whoever would take more steps than this panic, and so ends a run of actors that keep each other busy for ever.
    /// Each time that time passes to a timer counts as a step here, so timers that repeat for ever are ended as well. The
    /// limit is one for all the simulation's life. Default: none.
    #[must_use]
    pub fn most_steps(mut self, steps: u64) -> Self {
        self.most_steps = Some(steps);
        self
    }

    /// Makes the simulation.
    ///
    /// # Errors
    /// [`BuildError::NoWorkers`] and [`BuildError::TooManyWorkers`].
    pub fn build(self) -> Result<Simulation, BuildError> {
        Simulation::with(self)
    }
}
