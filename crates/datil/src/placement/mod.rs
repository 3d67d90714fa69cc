//! Where the workers of a runtime sit on the machine, and where their memory lies.
//!
//! A [`Plan`] is made when a runtime is built; each worker's thread takes its [`Seat`] before it does anything else and says
//! what came of it ([`WorkerPlacement`]).

mod access;
mod bind;
mod mask;
mod memory;
mod share;
mod spot;

use std::fmt;
use std::fs;
use std::io;

use datil_policy::topology::{Neighbourhood, Rings, Topology};

pub use access::MemoryAccesses;
pub(crate) use access::Meter;
pub(crate) use spot::Spot;

/// Whether the threads of workers are bound to processing units; see [`crate::Builder::binding`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Binding {
    /// To one unit each if the policy wants that ([`crate::policy::Policy::PINS`]) and nothing says that the process shares its units
    /// with others. It shares them if its control group or one above it limits its time (`cpu.max`, `cpu.cfs_quota_us`), or if its
    /// control group leaves units of the machine out without being a partition (`cpuset.cpus.partition`); and is taken to if no
    /// mount shows its control group. A thread that is not bound is kept off the units of those at work while it is woken to do part of what waits for
    /// them, if there are enough; as soon as it runs it may run wherever it might before.
    #[default]
    Auto,
    /// Not at all, nor kept off anything.
    Never,
    /// To one unit each, whatever the policy says; the runtime is not built if that fails.
    Units,
    /// To all units of one memory node each; the runtime is not built if that fails.
    Nodes,
}

/// On which memory nodes the pages lie that workers touch first; see [`crate::Builder::memory`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Memory {
    /// On the node of the unit that touches them.
    #[default]
    FirstTouch,
    /// On all nodes in turn.
    Interleaved,
}

/// Where a worker is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerPlacement {
    /// The unit that the worker was given, by the system's number; `None` if nobody asked where it is. Several workers have the same
    /// one if there are more workers than units.
    pub unit: Option<u32>,
    /// The memory node of that unit, by the system's number.
    pub node: Option<u32>,
    /// The units to which the thread is bound, by the system's numbers, or why it is not.
    pub bound: Result<Vec<u32>, String>,
    /// The nodes over which its memory is interleaved, by the system's numbers, or why it is not.
    pub interleaved: Result<Vec<u32>, String>,
}

/// Where the workers of a runtime are; from [`crate::Runtime::placement`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placement {
    /// One entry per worker.
    pub workers: Vec<WorkerPlacement>,
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, worker) in self.workers.iter().enumerate() {
            write!(f, "worker {index}: ")?;
            match &worker.bound {
                Ok(units) => write!(f, "bound to {units:?}")?,
                Err(reason) => write!(f, "not bound ({reason})")?,
            }
            match &worker.interleaved {
                Ok(nodes) => writeln!(f, ", memory on nodes {nodes:?} in turn")?,
                Err(reason) => writeln!(f, ", memory where it is touched first ({reason})")?,
            }
        }
        Ok(())
    }
}

/// What a user and a policy want of the placement.
pub(crate) struct Wishes {
    pub(crate) binding: Binding,
    pub(crate) memory: Memory,
    /// Take this for the machine.
    pub(crate) machine: Option<Topology>,
    /// Count accesses to memory nodes.
    pub(crate) metered: bool,
    /// The policy routes: it wants rings.
    pub(crate) routes: bool,
    /// The policy wants threads to be bound.
    pub(crate) pins: bool,
    pub(crate) neighbours: Neighbourhood,
}

/// The seats of all workers of a runtime.
pub(crate) struct Plan {
    workers: u32,
    wishes: Wishes,
    /// The machine and the unit of each worker, or why they are not known.
    machine: Result<(Topology, Vec<usize>), String>,
    /// Bind threads, or why not.
    binds: Result<(), String>,
}

fn text(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

impl Plan {
    pub(crate) fn new(workers: usize, mut wishes: Wishes) -> Self {
        let forced = matches!(wishes.binding, Binding::Units | Binding::Nodes);
        let made_up = wishes.machine.take();
        let binds = match (wishes.binding, &made_up) {
            (Binding::Never, _) => Err("it was told not to be".to_owned()),
            (_, Some(_)) => Err("the machine is made up".to_owned()),
            (Binding::Auto, None) if !wishes.pins => Err("the policy does not want it".to_owned()),
            (Binding::Auto, None) => share::reason(text).map_or(Ok(()), Err),
            _ => Ok(()),
        };
        let asked = wishes.routes || forced || wishes.memory == Memory::Interleaved;
        let machine = match made_up {
            Some(machine) => Ok(machine),
            None if asked => Topology::from_linux(text).map_err(|error| error.to_string()),
            None => Err("nobody asked".to_owned()),
        };
        let units = |machine: Topology| {
            let order = machine.by_core();
            let taken = order.iter().copied().cycle().take(workers).collect();
            (machine, taken)
        };
        Self {
            workers: workers as u32,
            wishes,
            machine: machine.map(units),
            binds,
        }
    }

    /// The workers around one.
    fn rings(&self, worker: u32) -> Rings {
        match &self.machine {
            Ok((machine, units)) if self.wishes.routes => {
                Rings::around(worker, units, machine, self.wishes.neighbours)
            }
            // As in a machine with one node, also if it could not be read.
            _ => Rings::uniform(worker, self.workers),
        }
    }

    /// Whether no worker is nearer to another than any other is, as far as the policy can tell.
    pub(crate) fn are_alike(&self) -> bool {
        (0..self.workers).all(|worker| {
            let rings = self.rings(worker);
            rings.are_together() && rings.count() <= 1
        })
    }

    pub(crate) fn seat(&self, worker: usize) -> Seat {
        let rings = self.rings(worker as u32);
        let known = self.machine.as_ref();
        let place = known.map(|(machine, units)| (machine, &machine.pus()[units[worker]]));
        let whole_node = self.wishes.binding == Binding::Nodes;
        Seat {
            rings,
            unit: place.as_ref().ok().map(|(_, pu)| pu.os),
            node: place
                .as_ref()
                .ok()
                .map(|(machine, pu)| (pu.node, machine.nodes()[pu.node].os)),
            units: match (&self.binds, &place) {
                (Err(reason), _) => Err(reason.clone()),
                (_, Err(reason)) => Err((*reason).clone()),
                (Ok(()), Ok((machine, pu))) if whole_node => {
                    Ok(machine.pus_of(pu.node).map(|pu| machine.pus()[pu].os).collect())
                }
                (Ok(()), Ok((_, pu))) => Ok(vec![pu.os]),
            },
            nodes: match (self.wishes.memory, &place) {
                (Memory::FirstTouch, _) => Err("nobody asked for anything else".to_owned()),
                (_, Err(reason)) => Err((*reason).clone()),
                (_, Ok((machine, _))) => memory::nodes(machine),
            },
            metered: self.wishes.metered,
            wanders: self.wishes.binding == Binding::Auto && self.binds.is_err(),
        }
    }

    /// Whether a worker's thread has anything to do for its seat.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.binds.is_ok() || self.wishes.memory != Memory::FirstTouch || self.wishes.metered
    }

    /// Whether a worker's failure to take its seat keeps the runtime from being built.
    pub(crate) fn insists(&self, worker: &WorkerPlacement) -> Result<(), String> {
        if matches!(self.wishes.binding, Binding::Units | Binding::Nodes) {
            worker
                .bound
                .as_ref()
                .map_err(|reason| format!("threads are not bound: {reason}"))?;
        }
        match &worker.interleaved {
            Err(reason) if self.wishes.memory == Memory::Interleaved && reason != memory::ONE_NODE => {
                Err(format!("memory is not interleaved: {reason}"))
            }
            _ => Ok(()),
        }
    }
}

/// A worker's place, to be taken by its thread.
pub(crate) struct Seat {
    /// The other workers around it.
    pub(crate) rings: Rings,
    unit: Option<u32>,
    /// Index and number of the memory node.
    node: Option<(usize, u32)>,
    units: Result<Vec<u32>, String>,
    nodes: Result<Vec<u32>, String>,
    metered: bool,
    /// Nobody has decided where the thread is to be.
    pub(crate) wanders: bool,
}

fn refused(what: &str) -> impl FnOnce(io::Error) -> String {
    move |error| format!("{what}: {error}")
}

/// What became of a worker's wishes, and its counters if some were asked for.
pub(crate) type Taken = (WorkerPlacement, Option<Result<Meter, String>>);

impl Seat {
    /// Where the worker is if nothing was done for that.
    pub(crate) fn untaken(&self) -> WorkerPlacement {
        let because =
            |wish: &Result<Vec<u32>, String>| wish.as_ref().expect_err("nothing was asked for").clone();
        self.placed(Err(because(&self.units)), Err(because(&self.nodes)))
    }

    fn placed(
        &self,
        bound: Result<Vec<u32>, String>,
        interleaved: Result<Vec<u32>, String>,
    ) -> WorkerPlacement {
        WorkerPlacement {
            unit: self.unit,
            node: self.node.map(|(_, os)| os),
            bound,
            interleaved,
        }
    }

    /// Binds the calling thread and its memory as planned; returns what came of it.
    pub(crate) fn take(&self) -> Taken {
        let bound = self.units.clone().and_then(|units| {
            bind::to(&units).map_err(refused("sched_setaffinity"))?;
            Ok(units)
        });
        let interleaved = self.nodes.clone().and_then(|nodes| {
            memory::interleave(&nodes).map_err(refused("set_mempolicy"))?;
            Ok(nodes)
        });
        crate::pool::settle(match (&interleaved, &bound, self.node) {
            (Ok(_), _, _) => crate::pool::EVERYWHERE,
            (Err(_), Ok(_), Some((index, _))) => index,
            _ => 0,
        });
        (self.placed(bound, interleaved), self.metered.then(Meter::start))
    }
}
