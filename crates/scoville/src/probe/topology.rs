//! The CPUs, how they are related, and which of them to measure on.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use datil_policy::topology::cpu_list;

use crate::model::machine::Cpu;

/// The CPUs that this process may use, in the kernel's order.
pub fn cpus() -> Vec<Cpu> {
    let allowed = fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let list = status
                .lines()
                .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
            cpu_list(list)
        })
        .unwrap_or_default();
    read(Path::new("/sys/devices/system/cpu"), &allowed)
}

/// Reads the given CPUs from a folder like `/sys/devices/system/cpu`. Where it says nothing, a CPU counts as a core of
/// its own in one package, node and cache.
fn read(folder: &Path, allowed: &[u32]) -> Vec<Cpu> {
    let cpu = |&id: &u32| {
        let folder = folder.join(format!("cpu{id}"));
        let number = |file: &str| {
            fs::read_to_string(folder.join(file))
                .ok()?
                .trim()
                .parse::<u32>()
                .ok()
        };
        Cpu {
            id,
            core: number("topology/core_id").unwrap_or(id),
            package: number("topology/physical_package_id").unwrap_or(0),
            node: node(&folder).unwrap_or(0),
            llc: last_level_cache(&folder).unwrap_or(0),
        }
    };
    allowed.iter().map(cpu).collect()
}

/// The node is the name of a link in the CPU's folder.
fn node(folder: &Path) -> Option<u32> {
    fs::read_dir(folder)
        .ok()?
        .flatten()
        .find_map(|entry| entry.file_name().to_str()?.strip_prefix("node")?.parse().ok())
}

/// Identity of the cache with the highest level: the first CPU that shares it.
fn last_level_cache(folder: &Path) -> Option<u32> {
    let caches = fs::read_dir(folder.join("cache"))
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let read = |file: &str| fs::read_to_string(entry.path().join(file)).ok();
            let level: u32 = read("level")?.trim().parse().ok()?;
            let first = *cpu_list(&read("shared_cpu_list")?)?.first()?;
            Some((level, first))
        });
    caches.max().map(|(_, first)| first)
}

/// Chooses `n` of the CPUs, compactly: first one hardware thread of each core, all below one last-level cache if one is
/// large enough; the second threads of cores only when there are too few cores. Where there are more cores than
/// wanted, the first is left out, because the kernel and the laboratory live there. `None` if there are fewer than `n`.
pub fn choose(cpus: &[Cpu], n: usize) -> Option<Vec<u32>> {
    let (mut first, second) = by_thread(cpus);
    if first.len() > n {
        first.remove(0);
    }
    let mut chosen: Vec<u32> = match one_cache(&first, n) {
        Some(together) => together,
        None => first.iter().chain(&second).map(|cpu| cpu.id).take(n).collect(),
    };
    chosen.sort_unstable();
    (chosen.len() == n && n > 0).then_some(chosen)
}

/// One thread of each core, and the other threads; each near its neighbours.
fn by_thread(cpus: &[Cpu]) -> (Vec<&Cpu>, Vec<&Cpu>) {
    let mut sorted: Vec<&Cpu> = cpus.iter().collect();
    sorted.sort_by_key(|cpu| (cpu.package, cpu.node, cpu.llc, cpu.core, cpu.id));
    let mut seen = BTreeSet::new();
    sorted
        .into_iter()
        .partition(|cpu| seen.insert((cpu.package, cpu.core)))
}

fn one_cache(cpus: &[&Cpu], n: usize) -> Option<Vec<u32>> {
    cpus.chunk_by(|a, b| (a.package, a.node, a.llc) == (b.package, b.node, b.llc))
        .filter(|group| group.len() >= n)
        .min_by_key(|group| group.len())
        .map(|group| group[..n].iter().map(|cpu| cpu.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packages with two caches of four cores each; the second threads are numbered from 16.
    fn server() -> Vec<Cpu> {
        (0..32)
            .map(|id| {
                let core = id % 16;
                Cpu {
                    id,
                    core: core % 8,
                    package: core / 8,
                    node: core / 8,
                    llc: core / 4 * 4,
                }
            })
            .collect()
    }

    fn laptop(n: u32) -> Vec<Cpu> {
        (0..n)
            .map(|id| Cpu {
                id,
                core: id,
                package: 0,
                node: 0,
                llc: 0,
            })
            .collect()
    }

    #[test]
    fn few_cpus_share_a_cache_and_no_core() {
        assert_eq!(choose(&server(), 1), Some(vec![1]));
        assert_eq!(choose(&server(), 3), Some(vec![1, 2, 3]));
        assert_eq!(choose(&server(), 4), Some(vec![4, 5, 6, 7]));
    }

    #[test]
    fn second_threads_come_last() {
        assert_eq!(choose(&server(), 15), Some((1..16).collect()));
        assert_eq!(choose(&server(), 16), Some((0..16).collect()));
        assert_eq!(choose(&server(), 17), Some((0..17).collect()));
        assert_eq!(choose(&server(), 32), Some((0..32).collect()));
    }

    #[test]
    fn the_first_cpu_is_left_to_the_laboratory_where_possible() {
        assert_eq!(choose(&laptop(2), 1), Some(vec![1]));
        assert_eq!(choose(&laptop(2), 2), Some(vec![0, 1]));
        assert_eq!(choose(&laptop(2), 3), None);
        assert_eq!(choose(&laptop(2), 0), None);
    }

    #[test]
    fn this_machine_has_cpus() {
        let cpus = cpus();
        assert!(!cpus.is_empty());
        assert_eq!(choose(&cpus, cpus.len()).unwrap().len(), cpus.len());
    }

    #[test]
    fn a_folder_is_read_as_the_kernel_writes_it() {
        let folder = tempfile::tempdir().unwrap();
        let cpu = folder.path().join("cpu7");
        for (file, text) in [
            ("topology/core_id", "3\n"),
            ("topology/physical_package_id", "1\n"),
            ("cache/index0/level", "1\n"),
            ("cache/index0/shared_cpu_list", "7\n"),
            ("cache/index3/level", "3\n"),
            ("cache/index3/shared_cpu_list", "4-7\n"),
            ("node2/x", ""),
        ] {
            let path = cpu.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        assert_eq!(
            read(folder.path(), &[7]),
            [Cpu {
                id: 7,
                core: 3,
                package: 1,
                node: 2,
                llc: 4
            }]
        );
        assert_eq!(
            read(folder.path(), &[8]),
            [Cpu {
                id: 8,
                core: 8,
                package: 0,
                node: 0,
                llc: 0
            }]
        );
    }
}
