//! The simulated host: workers on units, queues with locks, a virtual clock.
//!
//! Events are ordered by time and, within one time, by age. A handler's code runs at once when its handling begins;
//! what it asked for takes effect step by step in virtual time: first the computing that the program's annotation
//! charges, then each send and spawn after its own cost. An actor runs until its mailbox is empty or its batch is
//! used up.

#[cfg(test)]
mod asked;
mod door;
mod engine;
mod line;
mod lock;
mod rules;
mod run;

use datil_policy::Role;

use crate::machine::{Charge, Machine, Os, Placement};

use crate::actor::{Handling, Note};

pub(crate) use engine::Engine;
pub(crate) use rules::Rules;
pub use run::Run;

/// A host that runs scripts one after the other, whatever its policy.
pub(crate) trait Play {
    /// Actors created so far; the next one gets this number.
    fn born(&self) -> u32;

    /// Runs what the driver asked for until nothing happens any more, and tells the suite of it.
    fn play(&mut self, driver: Handling, note: &mut dyn FnMut(Note)) -> Result<Run, String>;
}

/// What is known of the actors of one type beyond their code.
#[derive(Clone, Copy)]
pub struct Annotation {
    /// Type of the actors: its name without parameters, with the last module, as in `big::Worker`.
    pub kind: &'static str,
    /// What a programmer would tell of it.
    pub role: Role,
    /// Size of the state in bytes, by [`Activity::scale`]; touched when the actor starts.
    pub state: fn(u64) -> u64,
    /// What handling a message costs.
    pub charge: fn(&Activity) -> Charge,
    /// Lines that each message of such a handler moves to a receiver on another unit, beyond those that the host
    /// charges for every message: what the receiver reads of the data that the message carries.
    pub carries: fn(&Activity) -> u32,
}

/// A message that was handled.
#[derive(Clone, Copy, Debug)]
pub struct Activity {
    /// Number of the actor.
    pub actor: u32,
    /// Number of the message in its actor, from 1; 0 is the start before the first message.
    pub ordinal: u64,
    /// Messages that the handler sent.
    pub sends: usize,
    /// Actors that it created.
    pub spawns: usize,
    /// Whether it was the actor's last.
    pub stops: bool,
    /// Generations between the driver and the actor: 0 for actors that the driver created.
    pub depth: u32,
    /// A size that the program's parameters give, as its annotations understand it.
    pub scale: u64,
}

/// How a program is to be run.
#[derive(Clone)]
pub struct Settings {
    /// The machine.
    pub machine: Machine,
    /// Workers, at most as many as the machine has units.
    pub workers: usize,
    /// Name of the policy.
    pub policy: String,
    /// Where memory is placed.
    pub placement: Placement,
    /// Workers take actors from the end of their queue that the policy says, as datil's do. CAF's, with which Woelke
    /// measured, take from the head always; an actor at the tail may wait there for ever.
    pub fair: bool,
    /// What the operating system adds; `None` leaves it out.
    pub os: Option<Os>,
    /// Threads are bound to units whatever the policy wants, as datil's `Binding::Units` has it. Nothing but the operating system asks for it.
    pub bound: bool,
    /// Seed of everything random.
    pub seed: u64,
    /// Annotations of the program's actors. Types without one compute for [`Settings::DEFAULT_CHARGE`].
    pub annotations: &'static [Annotation],
    /// See [`Activity::scale`].
    pub scale: u64,
    /// Virtual time after which a run is given up, in nanoseconds.
    pub patience: u64,
}

impl Settings {
    /// What a message costs whose actor has no annotation.
    pub const DEFAULT_CHARGE: Charge = Charge::compute(100).touching(2);

    /// CLS-TP on all units of a machine.
    pub fn new(machine: Machine) -> Self {
        Self {
            workers: machine.topology.pus().len(),
            machine,
            policy: "cls-tp".to_owned(),
            placement: Placement::FirstTouch,
            fair: true,
            os: None,
            bound: false,
            seed: 1,
            annotations: &[],
            scale: 1,
            patience: 3_600_000_000_000,
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("machine", &self.machine.name)
            .field("workers", &self.workers)
            .field("policy", &self.policy)
            .field("placement", &self.placement)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
