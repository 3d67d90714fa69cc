//! The CPUs, and how they are related.

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
    let mut cpus: Vec<Cpu> = allowed.iter().map(cpu).collect();
    let siblings = |id: &u32| first_sibling(&folder.join(format!("cpu{id}")), *id);
    if let Some(firsts) = allowed.iter().map(siblings).collect::<Option<Vec<u32>>>() {
        tell_cores_apart(&mut cpus, &firsts);
    }
    cpus
}

/// The first of the hardware threads of a CPU's core; `None` where the kernel does not list them.
fn first_sibling(folder: &Path, id: u32) -> Option<u32> {
    let read = |file: &str| fs::read_to_string(folder.join("topology").join(file)).ok();
    let text = read("core_cpus_list").or_else(|| read("thread_siblings_list"))?;
    let siblings = cpu_list(&text)?;
    siblings.contains(&id).then(|| siblings[0])
}

/// Numbers of cores are unique only within a package, and on ARM only within a cluster. Where they contradict the lists of siblings,
/// those count. Elsewhere the kernel's numbers stay: they are part of a machine's fingerprint.
fn tell_cores_apart(cpus: &mut [Cpu], firsts: &[u32]) {
    let core = |cpu: &Cpu| (cpu.package, cpu.core);
    let agrees = |(at, cpu): (usize, &Cpu)| {
        (0..at).all(|other| (core(cpu) == core(&cpus[other])) == (firsts[at] == firsts[other]))
    };
    if !cpus.iter().enumerate().all(agrees) {
        for (cpu, first) in cpus.iter_mut().zip(firsts) {
            cpu.core = *first;
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_cpus() {
        assert!(!cpus().is_empty());
    }

    /// Two clusters of an ARM machine number their cores alike, and are one package; and a machine whose numbers are right.
    #[test]
    fn siblings_tell_cores_apart_where_numbers_do_not() {
        let cores = |siblings: [&str; 4], numbers: [u32; 4]| {
            let folder = tempfile::tempdir().unwrap();
            for (id, (siblings, number)) in siblings.into_iter().zip(numbers).enumerate() {
                let topology = folder.path().join(format!("cpu{id}/topology"));
                fs::create_dir_all(&topology).unwrap();
                fs::write(topology.join("core_id"), number.to_string()).unwrap();
                fs::write(topology.join("thread_siblings_list"), siblings).unwrap();
            }
            let cpus = read(folder.path(), &[0, 1, 2, 3]);
            cpus.iter().map(|cpu| cpu.core).collect::<Vec<_>>()
        };
        assert_eq!(cores(["0", "1", "2", "3"], [0, 1, 0, 1]), [0, 1, 2, 3]);
        assert_eq!(cores(["0-1", "0-1", "2-3", "2-3"], [4, 4, 9, 9]), [4, 4, 9, 9]);
        assert_eq!(cores(["0,2", "1,3", "0,2", "1,3"], [7, 7, 7, 7]), [0, 1, 0, 1]);
        assert_eq!(cores(["nonsense", "1", "2", "3"], [0, 1, 0, 1]), [0, 1, 0, 1]);
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
