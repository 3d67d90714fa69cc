//! Where the pages of the calling thread lie.

use std::io;

use datil_policy::topology::Topology;

/// Why memory is not interleaved where there is a single node, or a single one that the process may use: it would change nothing.
pub(super) const ONE_NODE: &str = "the process can use one memory node only";

/// The nodes of a machine that have memory, by the system's numbers, if there are several.
pub(super) fn nodes(machine: &Topology) -> Result<Vec<u32>, String> {
    let unknown = machine.nodes().iter().all(|node| node.memory == 0);
    let nodes = machine.nodes().iter().filter(|node| unknown || node.memory > 0);
    let nodes: Vec<u32> = nodes.map(|node| node.os).collect();
    if nodes.len() > 1 {
        Ok(nodes)
    } else {
        Err(ONE_NODE.to_owned())
    }
}

/// From now on pages that the calling thread touches first lie on these nodes in turn.
///
/// # Errors
/// What the system says.
#[cfg(all(target_os = "linux", not(miri)))]
pub(super) fn interleave(nodes: &[u32]) -> io::Result<()> {
    const MPOL_INTERLEAVE: libc::c_long = 3;
    const WORDS: usize = 16;
    let mut mask = [0u64; WORDS];
    for &node in nodes {
        let Some(word) = mask.get_mut(node as usize / 64) else {
            return Err(io::Error::other(format!("node {node} has too big a number")));
        };
        *word |= 1 << (node % 64);
    }
    // The kernel takes the number of bits plus one.
    let bits = 64 * WORDS + 1;
    // SAFETY: the kernel reads `bits - 1` bits of the mask.
    let result = unsafe { libc::syscall(libc::SYS_set_mempolicy, MPOL_INTERLEAVE, mask.as_ptr(), bits) };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(super) fn interleave(_: &[u32]) -> io::Result<()> {
    Err(io::Error::other("datil can place memory on Linux only"))
}

#[cfg(test)]
mod tests {
    use datil_policy::topology::{Node, Pu, Topology};

    fn machine(memory: &[u64]) -> Topology {
        let pu = Pu {
            os: 0,
            core: 0,
            package: 0,
            node: 0,
        };
        let nodes = memory
            .iter()
            .zip(0..)
            .map(|(&memory, os)| Node { os: 2 * os, memory });
        Topology::new(vec![pu], nodes.collect(), Vec::new(), Vec::new()).unwrap()
    }

    #[test]
    fn memory_is_interleaved_over_nodes_that_have_some() {
        assert_eq!(super::nodes(&machine(&[5, 0, 7])), Ok(vec![0, 4]));
        assert_eq!(super::nodes(&machine(&[0, 0])), Ok(vec![0, 2]), "unknown");
        assert_eq!(super::nodes(&machine(&[5])), Err(super::ONE_NODE.to_owned()));
        assert_eq!(super::nodes(&machine(&[5, 0])), Err(super::ONE_NODE.to_owned()));
    }
}
