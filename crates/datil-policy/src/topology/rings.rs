//! The nested groups of workers around each worker, as locality-guided scheduling uses them (Woelke 2018, section
//! 4.1).

use super::Topology;

/// Which workers count as direct neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Neighbourhood {
    /// All: one ring, however the machine is built.
    Everyone,
    /// Those on the same memory node.
    Node,
    /// Those that share a cache of this level; then those on the same node.
    Cache(u8),
}

/// The other workers around one worker, nearest first, in nested groups g0 to gk.
///
/// Group i holds every worker that is at most i steps away, so that the last group holds all others. No group is
/// empty or equal to the one before it; on a machine with a single node there is one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rings {
    me: u32,
    /// All other workers by distance, then by number.
    order: Vec<u32>,
    /// Where each group ends in `order`.
    ends: Vec<usize>,
    /// Workers on the same node, this one included, ascending.
    node: Vec<u32>,
    /// Index of this worker's node, and of every worker's node.
    nodes: Vec<u32>,
    /// All are on one node.
    together: bool,
}

impl Rings {
    /// The rings around worker `me`; worker w runs on unit `pus[w]` of the topology.
    ///
    /// # Panics
    /// If `me` is no worker or a unit does not exist.
    pub fn around(me: u32, pus: &[usize], topology: &Topology, neighbours: Neighbourhood) -> Self {
        let node_of = |worker: u32| topology.pus()[pus[worker as usize]].node;
        let own = pus[me as usize];
        let shares = |worker: u32, level| {
            let other = pus[worker as usize];
            topology
                .cache(own, level)
                .is_some_and(|cache| cache.pus.contains(&other))
        };
        // Everybody on the own node is nearer than anybody else; distances between nodes are above 0.
        let key = |worker: u32| match neighbours {
            Neighbourhood::Everyone => 0,
            Neighbourhood::Cache(level) if shares(worker, level) => 0,
            _ if node_of(worker) == node_of(me) => 1,
            _ => 1 + u64::from(topology.distance(node_of(me), node_of(worker))),
        };
        let workers = pus.len() as u32;
        let mut order: Vec<u32> = (0..workers).filter(|&worker| worker != me).collect();
        order.sort_by_key(|&worker| (key(worker), worker));
        let ends = (1..=order.len())
            .filter(|&end| end == order.len() || key(order[end]) != key(order[end - 1]))
            .collect();
        Self {
            me,
            order,
            ends,
            node: (0..workers)
                .filter(|&worker| node_of(worker) == node_of(me))
                .collect(),
            nodes: (0..workers).map(|worker| node_of(worker) as u32).collect(),
            together: (0..workers).all(|worker| node_of(worker) == node_of(me)),
        }
    }

    /// One ring with all workers, as on a machine of which nothing is known.
    pub fn uniform(me: u32, workers: u32) -> Self {
        let order: Vec<u32> = (0..workers).filter(|&worker| worker != me).collect();
        Self {
            me,
            ends: if order.is_empty() {
                vec![]
            } else {
                vec![order.len()]
            },
            order,
            node: (0..workers).collect(),
            nodes: vec![0; workers as usize],
            together: true,
        }
    }

    /// The worker in the middle.
    pub fn me(&self) -> u32 {
        self.me
    }

    /// Number of workers, this one included.
    pub fn workers(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Number of groups; 0 if there is no other worker.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// The workers of group `ring`, nearest first.
    ///
    /// # Panics
    /// If there is no such group.
    pub fn group(&self, ring: usize) -> &[u32] {
        &self.order[..self.ends[ring]]
    }

    /// Whether `worker` is on the same memory node as this worker, or is this worker.
    pub fn is_neighbour(&self, worker: u32) -> bool {
        self.are_neighbours(worker, self.me)
    }

    /// Whether all workers are on one memory node.
    #[inline]
    pub fn are_together(&self) -> bool {
        self.together
    }

    /// Whether two workers are on the same memory node.
    ///
    /// # Panics
    /// If there is no such worker, unless all are on one node.
    #[inline]
    pub fn are_neighbours(&self, one: u32, other: u32) -> bool {
        self.together || self.node_of(one) == self.node_of(other)
    }

    /// The workers of this worker's node, this one included, ascending.
    pub fn same_node(&self) -> &[u32] {
        &self.node
    }

    /// Index of a worker's node.
    ///
    /// # Panics
    /// If there is no such worker.
    pub fn node_of(&self, worker: u32) -> u32 {
        self.nodes[worker as usize]
    }

    /// The group in which a thief looks at its attempt number `attempt` since it ran dry: as many attempts in each
    /// group as it has members, and in the last one for ever. `None` if there is nobody.
    pub fn ring_at(&self, attempt: u32) -> Option<usize> {
        let mut before = 0usize;
        for (ring, &size) in self.ends.iter().enumerate() {
            before += size;
            if (attempt as usize) < before {
                return Some(ring);
            }
        }
        self.ends.len().checked_sub(1)
    }
}
