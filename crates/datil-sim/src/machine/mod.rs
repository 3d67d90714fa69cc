//! Simulated machines: a topology and what everything on it costs.

mod links;
mod memory;
mod presets;

use datil_policy::topology::Topology;
use serde::Serialize;

pub use memory::{Charge, Memory, Placement, Region, Stream, Traffic};
pub use presets::{PRESETS, opteron_on, preset};

/// Processor cycles of the simulated machine.
pub type Cycles = u64;

/// A simulated machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Name for readers.
    pub name: String,
    /// Units, caches, nodes and distances.
    pub topology: Topology,
    /// How the nodes are connected.
    pub wiring: Wiring,
    /// In which order units get workers.
    pub filling: Filling,
    /// What things cost.
    pub costs: Costs,
    /// How actors come from worker to worker, if they belong to workers as datil's do. Without it whoever sends queues the receiver, as in
    /// CAF.
    pub owners: Option<Owners>,
    /// How much longer than the costs say units take for what a worker or the driver does on them: the first unit as the first of these says, the second one
    /// as the second, and behind the last again as the first; without any the costs hold. What an idle worker does takes no longer,
    /// nor does what is waited for others.
    pub paces: Vec<f64>,
}

/// How workers come by what belongs to others.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Owners {
    /// Cycles that a policy which does not route saves of each [`Costs::queue`]: it is not asked where an actor goes or which one comes next.
    pub unrouted: u32,
    /// Looks for an answer by a thief, or for a sign of life by a sender that has nothing else to do, before they act in another worker's place.
    pub patience: u32,
    /// What acting in another worker's place costs both, in cycles.
    pub fence: u32,
    /// Nanoseconds after which somebody acts for a worker that has not seen what was brought to it.
    pub silence: u64,
    /// Activations between two looks at what has come from outside.
    pub look_every: u32,
    /// Records that are taken from there at a time, at most.
    pub records: u32,
    /// Messages that another worker may have before it while more is taken from there.
    pub ahead: u32,
    /// Nanoseconds for which nothing is taken because somebody has more before it.
    pub wait: u64,
    /// What a line costs that was written right behind another one which has the same way, as a part of what that way takes: they are fetched together.
    pub in_row: f64,
    /// Looks at its own list by a worker that has run dry before it looks elsewhere.
    pub linger: u32,
    /// Lines that say whether a worker rests: it writes them when it lies down and when it gets up, others read them.
    pub words: u32,
    /// By how many hundredths, at most, what a busy worker does takes longer or shorter than it should.
    pub jitter: u32,
}

impl Owners {
    /// What it costs to fetch lines together of which each for itself would cost so much.
    pub(crate) fn together(&self, way: Cycles) -> Cycles {
        (way as f64 * self.in_row).round() as Cycles
    }
}

/// How memory nodes are connected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wiring {
    /// A link between every two nodes that are one step apart; others are reached through them.
    Nodes,
    /// A link between every two sockets; nodes of one socket do not share a narrow link.
    Packages,
}

/// In which order units get workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filling {
    /// Node after node; hardware threads of a core that has a worker only when no other core is left.
    Compact,
    /// One unit on each of so many nodes, then the second unit of each; when these nodes are full, the other nodes
    /// alike.
    Spread(usize),
}

/// What things cost, in cycles unless stated otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Costs {
    /// Clock in megahertz.
    pub megahertz: u64,
    /// Cycles that one cycle of computing takes, at least 0: programs are charged for a core of 2012.
    pub computing: f64,
    /// Reading a line from caches of level 1, 2 and 3.
    pub cache: [u32; 3],
    /// Reading a line from memory at 0, 1, 2 ... steps; the last one holds for all farther ones.
    pub memory: Vec<u32>,
    /// Fetching a line that another unit has written: from a unit that shares a second-level cache, and from units at
    /// 0, 1, 2 ... steps.
    pub line_shared: u32,
    /// See [`Costs::line_shared`].
    pub line: Vec<u32>,
    /// Time for which a memory controller is busy with a line.
    pub controller: f64,
    /// Time for which a link is busy with a line.
    pub link: f64,
    /// Lines that a message moves to a receiver on another unit.
    pub message_lines: u32,
    /// A look at the own queue.
    pub poll: u32,
    /// An attempt to steal, besides the transfer of the victim's lock.
    pub theft: u32,
    /// Taking an actor from a queue, or putting one in, besides the transfer of the lock.
    pub queue: u32,
    /// Sending a message.
    pub send: u32,
    /// Receiving a message.
    pub receive: u32,
    /// Noticing that a mailbox is empty.
    pub block: u32,
    /// Creating an actor.
    pub spawn: u32,
    /// How much longer a sleep takes than asked for, in nanoseconds.
    pub sleep_slack: u64,
    /// What waking a worker costs the waker, and after how many nanoseconds the woken one runs.
    pub wake: (u32, u64),
    /// What timing one activation costs.
    pub timing: u32,
    /// What it takes to ask a policy that learns.
    pub answers: Answers,
    /// How old shared information may be when a policy sees it, in nanoseconds.
    pub staleness: u64,
}

/// What a policy that learns costs besides the lines of memory that it looks at and the clock, in cycles. What every policy answers is part of what sending and
/// taking cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Answers {
    /// Where an actor is queued of whose class something must be known.
    pub woken: u32,
    /// Whether an activation is timed.
    pub samples: u32,
    /// What a measurement has taught.
    pub finished: u32,
    /// Whether sleepers are woken, and the same whether this one is.
    pub wakes: u32,
    /// To find what is known of a class.
    pub found: u32,
}

impl Costs {
    /// Cycles that last so many nanoseconds.
    pub fn cycles(&self, nanos: u64) -> Cycles {
        nanos * self.megahertz / 1000
    }

    /// Nanoseconds that so many cycles last.
    pub fn nanos(&self, cycles: Cycles) -> u64 {
        cycles * 1000 / self.megahertz
    }

    fn by_steps(costs: &[u32], steps: usize) -> u32 {
        costs[steps.min(costs.len() - 1)]
    }
}

impl Machine {
    /// A machine of which only the topology is known, with the costs of a preset's machine class: those of [`preset`]
    /// `epyc`.
    pub fn from_topology(name: String, topology: Topology) -> Self {
        Self {
            name,
            topology,
            wiring: Wiring::Packages,
            filling: Filling::Compact,
            costs: presets::modern_costs(),
            owners: None,
            paces: Vec::new(),
        }
    }

    /// The units of so many workers.
    ///
    /// # Errors
    /// If there are not so many units, or no worker is asked for.
    pub fn units(&self, workers: usize) -> Result<Vec<usize>, String> {
        let all = self.topology.pus().len();
        if workers == 0 || workers > all {
            return Err(format!(
                "{} has {all} units; ask for 1 to {all} workers, not {workers}",
                self.name
            ));
        }
        let order = match self.filling {
            Filling::Compact => self.topology.by_core(),
            Filling::Spread(nodes) => self.spread(nodes.max(1)),
        };
        Ok(order.into_iter().take(workers).collect())
    }

    /// All units, so many nodes at a time and one unit of each of them in turn.
    fn spread(&self, at_a_time: usize) -> Vec<usize> {
        let nodes: Vec<Vec<usize>> = (0..self.topology.nodes().len())
            .map(|node| self.topology.pus_of(node).collect::<Vec<_>>())
            .filter(|pus| !pus.is_empty())
            .collect();
        let order = nodes.chunks(at_a_time).flat_map(|group| {
            let most = group.iter().map(Vec::len).max().unwrap_or(0);
            (0..most).flat_map(move |turn| group.iter().filter_map(move |pus| pus.get(turn).copied()))
        });
        order.collect()
    }

    /// The same machine with all distances beyond the own node made longer or shorter: times `factor`, at least 0, is what
    /// exceeds the cost at home. With 0 other nodes are as near as the own one; their controllers, the links between them and
    /// what policies think of them stay.
    #[must_use]
    pub fn with_hops(mut self, factor: f64) -> Self {
        for costs in [&mut self.costs.memory, &mut self.costs.line] {
            let home = f64::from(costs[0]);
            for cost in &mut costs[1..] {
                *cost = (home + (f64::from(*cost) - home) * factor).round() as u32;
            }
        }
        self
    }

    /// The same machine where actors belong to workers, as datil's do, with what that costs on the machine `pair` in cycles; it was measured there and
    /// is assumed elsewhere. A machine whose actors have owners stays as it is.
    #[must_use]
    pub fn with_owners(mut self) -> Self {
        self.owners.get_or_insert(presets::DATIL);
        self
    }

    /// The same machine with units that take longer, each by its factor above 0: cores of two kinds, or processors of a virtual machine whose cores have other
    /// users, too. See [`Machine::paces`].
    #[must_use]
    pub fn with_paces(mut self, paces: Vec<f64>) -> Self {
        self.paces = paces;
        self
    }

    /// How long this unit takes for what costs so much: on the fastest one, too, what costs anything takes time, or actors that ask for something again and
    /// again would do so for ever before it comes.
    pub(crate) fn paced(&self, unit: usize, time: Cycles) -> Cycles {
        if self.paces.is_empty() {
            return time;
        }
        let paced = (time as f64 * self.paces[unit % self.paces.len()]).round() as Cycles;
        paced.max(time.min(1))
    }

    /// The same machine where policies see of others what was true so many nanoseconds ago.
    #[must_use]
    pub fn with_staleness(mut self, nanos: u64) -> Self {
        self.costs.staleness = nanos;
        self
    }
}

/// What the operating system adds on the thesis' machine. Fitted to four numbers of the thesis and therefore off
/// unless asked for: what comes out with it explains these four no further.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Os {
    /// Migrations per second of a thread that is not bound, when the whole machine of 64 units is in use; it grows
    /// with the square of the workers beyond 8. Fitted to 100,000 migrations of one run.
    pub migrations: f64,
    /// Probability that a migrated thread lands on a unit that is in use. Fitted to CLS against CLS-TP, both
    /// interleaved.
    pub stacks: f64,
    /// Mean time for which it stays there, in nanoseconds.
    pub stacked_for: u64,
    /// What the balancing of pages adds to accesses of memory that is placed by first touch: this times their remote
    /// share times the used share of the machine. Fitted to interleaved against first touch.
    pub balancing: f64,
    /// What it adds besides if threads are not bound.
    pub balancing_unbound: f64,
}

impl Default for Os {
    fn default() -> Self {
        Self {
            migrations: 39.0,
            stacks: 0.5,
            stacked_for: 50_000_000,
            balancing: 0.30,
            balancing_unbound: 0.15,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_anything_takes_time_on_the_fastest_unit() {
        let machine = preset("pair")
            .expect("a preset")
            .with_paces(vec![0.01, 0.5, 100.0]);
        let times = |unit: usize| [0, 1, 4, 49, 100, 1_000].map(|cost| machine.paced(unit, cost));
        assert_eq!(times(0), [0, 1, 1, 1, 1, 10]);
        assert_eq!(times(1), [0, 1, 2, 25, 50, 500]);
        assert_eq!(times(2), [0, 100, 400, 4_900, 10_000, 100_000]);
    }
}
