//! Which links a machine has between its nodes, and the way over them from one node to another.

use super::Machine;

/// Ends of each link, and the links on the way from one node to another, row after row.
type Wires = (Vec<(usize, usize)>, Vec<Vec<usize>>);

/// A link for every two nodes one step apart, in each direction; a way of several steps goes over the first node that
/// is nearer.
pub(super) fn wire_nodes(nodes: usize, steps: &[usize]) -> Wires {
    let at = |from: usize, to: usize| steps[from * nodes + to];
    let links: Vec<(usize, usize)> = (0..nodes)
        .flat_map(|from| (0..nodes).map(move |to| (from, to)))
        .filter(|&(from, to)| at(from, to) == 1)
        .collect();
    let link = |from: usize, to: usize| links.iter().position(|&ends| ends == (from, to));
    let ways = (0..nodes)
        .flat_map(|from| (0..nodes).map(move |to| (from, to)))
        .map(|(from, to)| {
            let (mut way, mut here) = (Vec::new(), from);
            while here != to {
                let nearer = (0..nodes).find(|&next| at(here, next) == 1 && at(next, to) < at(here, to));
                let Some(next) = nearer else { break };
                way.extend(link(here, next));
                here = next;
            }
            way
        })
        .collect();
    (links, ways)
}

/// A link for every two sockets, in each direction.
pub(super) fn wire_packages(machine: &Machine) -> Wires {
    let topology = &machine.topology;
    let nodes = topology.nodes().len();
    // A node without units belongs to no socket; it counts as one of its own.
    let package = |node: usize| {
        topology
            .pus_of(node)
            .next()
            .map_or(1000 + node, |pu| topology.pus()[pu].package as usize)
    };
    let packages: Vec<usize> = (0..nodes).map(package).collect();
    let pairs = || {
        let ends = |from: usize| packages.iter().map(move |&to| (from, to));
        packages.iter().copied().flat_map(ends)
    };
    let mut links: Vec<(usize, usize)> = pairs().filter(|(from, to)| from != to).collect();
    links.sort_unstable();
    links.dedup();
    let ways = pairs()
        .map(|ends| links.binary_search(&ends).into_iter().collect())
        .collect();
    (links, ways)
}
