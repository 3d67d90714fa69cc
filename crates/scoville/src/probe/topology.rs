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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_cpus() {
        assert!(!cpus().is_empty());
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
