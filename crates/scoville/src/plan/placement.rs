//! Which CPUs an invocation is bound to.

use std::collections::BTreeMap;

use crate::model::machine::Cpu;

/// `cores` CPUs, compactly: one thread per physical core first, filling one last-level cache after the other; sibling
/// threads only when the cores are used up. If there are fewer CPUs than that, all of them.
pub fn place(cpus: &[Cpu], cores: u32) -> Vec<u32> {
    let mut siblings_before: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut sorted: Vec<&Cpu> = cpus.iter().collect();
    sorted.sort_by_key(|cpu| cpu.id);
    let mut ranked: Vec<(u32, &Cpu)> = sorted
        .into_iter()
        .map(|cpu| {
            let before = siblings_before.entry((cpu.package, cpu.core)).or_default();
            let rank = *before;
            *before += 1;
            (rank, cpu)
        })
        .collect();
    ranked.sort_by_key(|(rank, cpu)| (*rank, cpu.package, cpu.node, cpu.llc, cpu.core, cpu.id));
    ranked
        .into_iter()
        .take(cores as usize)
        .map(|(_, cpu)| cpu.id)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(id: u32, core: u32, llc: u32) -> Cpu {
        Cpu {
            id,
            core,
            package: 0,
            node: 0,
            llc,
        }
    }

    #[test]
    fn fills_cores_before_siblings_and_caches_one_after_the_other() {
        // Two caches of two cores with two threads each, numbered as Linux does: siblings 4 apart.
        let cpus: Vec<Cpu> = (0..8).map(|id| cpu(id, id % 4, id % 4 % 2)).collect();
        assert_eq!(place(&cpus, 1), [0]);
        assert_eq!(place(&cpus, 2), [0, 2]);
        assert_eq!(place(&cpus, 4), [0, 2, 1, 3]);
        assert_eq!(place(&cpus, 6), [0, 2, 1, 3, 4, 6]);
        assert_eq!(place(&cpus, 99).len(), 8);
        // Siblings next to each other, of two big cores; two small ones have no second thread.
        let hybrid: Vec<Cpu> = [0, 0, 1, 1, 2, 3]
            .into_iter()
            .zip(0..)
            .map(|(core, id)| cpu(id, core, 0))
            .collect();
        assert_eq!(place(&hybrid, 2), [0, 2]);
        assert_eq!(place(&hybrid, 4), [0, 2, 4, 5]);
        assert_eq!(place(&hybrid, 5), [0, 2, 4, 5, 1]);
    }
}
