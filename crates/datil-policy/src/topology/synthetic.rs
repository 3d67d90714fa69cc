//! Machines that are made up.

use super::{Cache, Node, Pu, Topology, TopologyError, error};

/// A regular machine: every package like every other. Units are numbered package by package, node by node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synthetic {
    /// Sockets.
    pub packages: u32,
    /// Memory nodes per package.
    pub nodes: u32,
    /// Third-level caches per node, each with its size in bytes.
    pub l3: (u32, u64),
    /// Second-level caches per third-level cache, each with its size in bytes.
    pub l2: (u32, u64),
    /// Cores per second-level cache.
    pub cores: u32,
    /// Size in bytes of each core's first-level data cache.
    pub l1: u64,
    /// Hardware threads per core.
    pub threads: u32,
    /// Memory in bytes per node.
    pub memory: u64,
    /// A row per node; empty if all are equally far apart.
    pub distances: Vec<Vec<u32>>,
}

/// One of everything, without sizes: what a machine does not have in particular is left to this.
impl Default for Synthetic {
    fn default() -> Self {
        Synthetic {
            packages: 1,
            nodes: 1,
            l3: (1, 0),
            l2: (1, 0),
            cores: 1,
            l1: 0,
            threads: 1,
            memory: 0,
            distances: Vec::new(),
        }
    }
}

impl Synthetic {
    /// The machine.
    ///
    /// # Errors
    /// If a count is 0, there are more than 65,536 units, or the distances do not fit the nodes.
    pub fn build(&self) -> Result<Topology, TopologyError> {
        let counts = [
            ("packages", self.packages),
            ("nodes", self.nodes),
            ("l3", self.l3.0),
            ("l2", self.l2.0),
            ("cores", self.cores),
            ("threads", self.threads),
        ];
        if let Some((name, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return error(format!("a synthetic machine needs at least one of {name}"));
        }
        let units = counts
            .iter()
            .fold(1u64, |units, (_, count)| units.saturating_mul(u64::from(*count)));
        if units > 65_536 {
            return error(format!("a synthetic machine may have 65536 units, not {units}"));
        }
        let threads = self.threads as usize;
        let per_l2 = self.cores as usize * threads;
        let per_l3 = self.l2.0 as usize * per_l2;
        let per_node = self.l3.0 as usize * per_l3;
        let units = units as usize;
        let pus = (0..units).map(|pu| Pu {
            os: pu as u32,
            core: (pu / threads) as u32,
            package: (pu / (per_node * self.nodes as usize)) as u32,
            node: pu / per_node,
        });
        let nodes = (0..self.packages * self.nodes).map(|os| Node {
            os,
            memory: self.memory,
        });
        let level = |level, size, sharing: usize| {
            (0..units / sharing).map(move |cache| Cache {
                level,
                size,
                pus: (cache * sharing..(cache + 1) * sharing).collect(),
            })
        };
        let caches = level(1, self.l1, threads)
            .chain(level(2, self.l2.1, per_l2))
            .chain(level(3, self.l3.1, per_l3));
        Topology::new(
            pus.collect(),
            nodes.collect(),
            caches.collect(),
            self.distances.clone(),
        )
    }
}
