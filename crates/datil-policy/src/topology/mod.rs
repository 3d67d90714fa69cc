//! What a machine looks like to a scheduler: processing units, caches, memory nodes and the distances between nodes.
//!
//! A [`Topology`] is plain data. It is read from the texts of Linux ([`Topology::from_linux`]), from the XML that
//! hwloc's `lstopo` writes (`Topology::from_hwloc`, feature `hwloc-xml`), or made up ([`Synthetic`]). Nothing here
//! opens a file: whoever has files hands over their texts. [`Rings`] are what a policy takes from it.

mod control_groups;
#[cfg(feature = "hwloc-xml")]
mod hwloc;
mod linux;
mod rings;
mod synthetic;

use std::collections::BTreeMap;
use std::fmt;

pub use control_groups::{ControlGroups, CpuLimit, CpuSet, cpu_quota};
pub use linux::cpu_list;
pub use rings::{Neighbourhood, Rings};
pub use synthetic::Synthetic;

/// A processing unit: what one thread runs on, a core or one of its hardware threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pu {
    /// Number that the operating system gave it.
    pub os: u32,
    /// Core, `0..`, the same for the hardware threads of one core.
    pub core: u32,
    /// Socket, `0..`.
    pub package: u32,
    /// Index of its memory node in [`Topology::nodes`].
    pub node: usize,
}

/// A memory node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Number that the operating system gave it.
    pub os: u32,
    /// Memory in bytes; 0 where it is unknown, or where the process may not use it.
    pub memory: u64,
}

/// A data cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Level, 1 for the one next to the core.
    pub level: u8,
    /// Size in bytes; 0 where it is unknown.
    pub size: u64,
    /// Indices of the processing units that share it, ascending.
    pub pus: Vec<usize>,
}

/// Why a description of a machine cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologyError(pub(crate) String);

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TopologyError {}

pub(crate) fn error<T>(text: impl Into<String>) -> Result<T, TopologyError> {
    Err(TopologyError(text.into()))
}

/// A machine, or the part of it that a process may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    pus: Vec<Pu>,
    nodes: Vec<Node>,
    caches: Vec<Cache>,
    /// Row after row; symmetric is usual but not required.
    distances: Vec<u32>,
}

/// Distance of a node to itself and to any other where the machine does not tell, as in ACPI's table of distances.
const UNKNOWN: (u32, u32) = (10, 20);

impl Topology {
    /// A machine of these parts. `distances` has a row per node; if it is empty, all nodes are equally far apart.
    ///
    /// Units may come in any order and are sorted by the system's number, nodes likewise (units and distances
    /// follow).
    ///
    /// # Errors
    /// If there is no unit or node, a number occurs twice, an index leads nowhere, or the distances are no square
    /// or put another node nearer than the node itself.
    pub fn new(
        pus: Vec<Pu>,
        nodes: Vec<Node>,
        caches: Vec<Cache>,
        distances: Vec<Vec<u32>>,
    ) -> Result<Self, TopologyError> {
        let distances = square(nodes.len(), distances)?;
        let topology = Self {
            pus,
            nodes,
            caches,
            distances,
        };
        topology.check()?;
        Ok(topology.sorted())
    }

    /// Processing units, ascending by the system's number.
    pub fn pus(&self) -> &[Pu] {
        &self.pus
    }

    /// Memory nodes, ascending by the system's number. A node may have no unit, or no memory.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Data caches.
    pub fn caches(&self) -> &[Cache] {
        &self.caches
    }

    /// Distance from one node to another by their indices, in the machine's own measure: only the order of distances
    /// means anything.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn distance(&self, from: usize, to: usize) -> u32 {
        assert!(
            from < self.nodes.len() && to < self.nodes.len(),
            "no such pair of nodes: {from}, {to}"
        );
        self.distances[from * self.nodes.len() + to]
    }

    /// Steps between two nodes: 0 to itself, 1 to the nearest others, and so on through the distances that occur
    /// anywhere in the machine.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn hops(&self, from: usize, to: usize) -> usize {
        self.steps(&self.lengths(), from, to)
    }

    /// [`Topology::hops`] from each node to each, row after row.
    pub fn all_hops(&self) -> Vec<usize> {
        let lengths = self.lengths();
        self.pairs()
            .map(|(from, to)| self.steps(&lengths, from, to))
            .collect()
    }

    /// Steps between two nodes in a machine where these distances occur.
    fn steps(&self, lengths: &[u32], from: usize, to: usize) -> usize {
        let length = self.distance(from, to);
        if from == to {
            return 0;
        }
        1 + lengths.binary_search(&length).expect("it is one of them")
    }

    /// The distances that occur between two nodes, ascending.
    fn lengths(&self) -> Vec<u32> {
        let between = self.pairs().filter(|(from, to)| from != to);
        let mut lengths: Vec<u32> = between.map(|(from, to)| self.distance(from, to)).collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// All pairs of nodes, row after row.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let nodes = self.nodes.len();
        (0..nodes).flat_map(move |from| (0..nodes).map(move |to| (from, to)))
    }

    /// The cache of this level at a unit.
    pub fn cache(&self, pu: usize, level: u8) -> Option<&Cache> {
        self.caches
            .iter()
            .find(|cache| cache.level == level && cache.pus.contains(&pu))
    }

    /// The units of a node, ascending.
    pub fn pus_of(&self, node: usize) -> impl Iterator<Item = usize> {
        let of_node = move |&pu: &usize| self.pus[pu].node == node;
        (0..self.pus.len()).filter(of_node)
    }

    /// All units in the order in which workers take them: one of every core before a second one of any, and node after node. What is
    /// near stays near, but for the hardware threads of a core, who share its time.
    pub fn by_core(&self) -> Vec<usize> {
        let mut taken = BTreeMap::new();
        let mut order: Vec<(usize, usize, usize)> = Vec::with_capacity(self.pus.len());
        for (unit, pu) in self.pus.iter().enumerate() {
            let before: &mut usize = taken.entry(pu.core).or_default();
            order.push((*before, pu.node, unit));
            *before += 1;
        }
        order.sort_unstable();
        order.into_iter().map(|(_, _, unit)| unit).collect()
    }

    /// The part of the machine that consists of the units with these system numbers. All nodes stay, for memory may
    /// lie on nodes whose units one may not use.
    ///
    /// # Errors
    /// If none of the units is left.
    pub fn restricted_to(&self, allowed: &[u32]) -> Result<Self, TopologyError> {
        let kept: Vec<usize> = (0..self.pus.len())
            .filter(|&pu| allowed.contains(&self.pus[pu].os))
            .collect();
        if kept.is_empty() {
            return error("none of the machine's processing units may be used; look at the affinity mask");
        }
        let new_index = |pu: &usize| kept.binary_search(pu).ok();
        let caches = self.caches.iter().map(|cache| Cache {
            pus: cache.pus.iter().filter_map(new_index).collect(),
            ..cache.clone()
        });
        Ok(Self {
            pus: kept.iter().map(|&pu| self.pus[pu].clone()).collect(),
            nodes: self.nodes.clone(),
            caches: caches.filter(|cache| !cache.pus.is_empty()).collect(),
            distances: self.distances.clone(),
        })
    }

    fn check(&self) -> Result<(), TopologyError> {
        if self.pus.is_empty() || self.nodes.is_empty() {
            return error(
                "a machine has at least one processing unit and one memory node; the description has none",
            );
        }
        if let Some(os) = twice(self.pus.iter().map(|pu| pu.os)) {
            return error(format!("processing unit {os} occurs twice"));
        }
        if let Some(os) = twice(self.nodes.iter().map(|node| node.os)) {
            return error(format!("memory node {os} occurs twice"));
        }
        if let Some(pu) = self.pus.iter().find(|pu| pu.node >= self.nodes.len()) {
            return error(format!(
                "processing unit {} is on node {} of the list, which has {}, counted from 0",
                pu.os,
                pu.node,
                self.nodes.len()
            ));
        }
        if let Some(cache) = self
            .caches
            .iter()
            .find(|cache| cache.pus.is_empty() || cache.pus.iter().any(|&pu| pu >= self.pus.len()))
        {
            return error(format!(
                "a cache of level {} is shared by units that do not exist: {:?}",
                cache.level, cache.pus
            ));
        }
        for from in 0..self.nodes.len() {
            let own = self.distance(from, from);
            if let Some(to) = (0..self.nodes.len()).find(|&to| to != from && self.distance(from, to) <= own) {
                return error(format!(
                    "memory node {} is {} from memory node {} and {own} from itself; another node must be farther",
                    self.nodes[from].os,
                    self.distance(from, to),
                    self.nodes[to].os
                ));
            }
        }
        Ok(())
    }

    /// The same machine in the order of the system's numbers.
    fn sorted(self) -> Self {
        let by = |numbers: Vec<u32>| {
            let mut order: Vec<usize> = (0..numbers.len()).collect();
            order.sort_by_key(|&old| numbers[old]);
            order
        };
        let pus = by(self.pus.iter().map(|pu| pu.os).collect());
        let nodes = by(self.nodes.iter().map(|node| node.os).collect());
        let new_pu = |old: usize| pus.iter().position(|&at| at == old).expect("a permutation");
        let new_node = |old: usize| nodes.iter().position(|&at| at == old).expect("a permutation");
        let caches = self.caches.iter().map(|cache| {
            let mut sharing: Vec<usize> = cache.pus.iter().map(|&pu| new_pu(pu)).collect();
            sharing.sort_unstable();
            sharing.dedup();
            Cache {
                pus: sharing,
                ..cache.clone()
            }
        });
        let mut caches: Vec<Cache> = caches.collect();
        caches.sort_by(|a, b| (a.level, &a.pus).cmp(&(b.level, &b.pus)));
        let distances = nodes
            .iter()
            .flat_map(|&from| nodes.iter().map(move |&to| (from, to)))
            .map(|(from, to)| self.distance(from, to))
            .collect();
        Self {
            pus: pus
                .iter()
                .map(|&old| Pu {
                    node: new_node(self.pus[old].node),
                    ..self.pus[old].clone()
                })
                .collect(),
            nodes: nodes.iter().map(|&old| self.nodes[old].clone()).collect(),
            caches,
            distances,
        }
    }
}

/// Whether a machine's own table of distances has a row and a column per node and puts every other node farther than the node itself.
/// Some do not, and a machine must not be refused because of that.
fn tells_nodes_apart(rows: &[Vec<u32>], nodes: usize) -> bool {
    let is_nearest_to_itself = |from: usize, row: &Vec<u32>| {
        row.len() == nodes && (0..nodes).all(|to| to == from || row[to] > row[from])
    };
    rows.len() == nodes
        && rows
            .iter()
            .enumerate()
            .all(|(from, row)| is_nearest_to_itself(from, row))
}

/// The distances row after row, or the usual ones if there are none.
fn square(nodes: usize, rows: Vec<Vec<u32>>) -> Result<Vec<u32>, TopologyError> {
    if rows.is_empty() {
        let usual = |(from, to)| if from == to { UNKNOWN.0 } else { UNKNOWN.1 };
        return Ok((0..nodes)
            .flat_map(|from| (0..nodes).map(move |to| (from, to)))
            .map(usual)
            .collect());
    }
    if rows.len() != nodes || rows.iter().any(|row| row.len() != nodes) {
        return error(format!(
            "{nodes} memory nodes need {nodes} rows of {nodes} distances"
        ));
    }
    Ok(rows.concat())
}

fn twice(numbers: impl Iterator<Item = u32>) -> Option<u32> {
    let mut sorted: Vec<u32> = numbers.collect();
    sorted.sort_unstable();
    sorted
        .windows(2)
        .find(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
}
