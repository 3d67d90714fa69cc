//! Reading a machine from the texts of Linux: `/sys/devices/system`, the affinity mask and control groups.

use std::collections::BTreeMap;

use super::{Cache, ControlGroups, Node, Pu, Topology, TopologyError, error, tells_nodes_apart};

/// Parses a list of numbers as Linux writes it: `0-3,8,10-11`. Empty text is an empty list; `None` if it is no list.
pub fn cpu_list(text: &str) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last || last - first > 1 << 20 {
            return None;
        }
        numbers.extend(first..=last);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

/// Size of a cache as Linux writes it: `512K`.
fn cache_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 1 << 20),
            None => (text, 1),
        },
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

impl Topology {
    /// The part of the machine that the calling process may use. `read` returns the text of a file by its absolute
    /// path, or `None` if there is none.
    ///
    /// Units that the affinity mask (`/proc/self/status`) or the control group (its `cpuset`, of version 1 or 2) leaves out
    /// are left out. Nodes on which the process may have no memory (`Mems_allowed_list` there) stay, with a size of 0, for their
    /// units may be used. Without a description of nodes there is one node; without one of caches there are none. Distances by which
    /// another node is no farther than a node itself, as those of emulated nodes (`numa=fake`), count as none.
    ///
    /// # Errors
    /// If the list of units cannot be read, or the texts contradict each other.
    pub fn from_linux(read: impl Fn(&str) -> Option<String>) -> Result<Self, TopologyError> {
        let machine = whole_machine(&read)?;
        let online: Vec<u32> = machine.pus.iter().map(|pu| pu.os).collect();
        let allowed = allowed(&read).unwrap_or(online);
        machine.restricted_to(&allowed)
    }
}

fn whole_machine(read: &impl Fn(&str) -> Option<String>) -> Result<Topology, TopologyError> {
    let cpus = "/sys/devices/system/cpu";
    let Some(online) = read(&format!("{cpus}/online")).and_then(|text| cpu_list(&text)) else {
        return error(format!("{cpus}/online is no list of processing units"));
    };
    let (nodes, node_of, distances) = nodes(read)?;
    let number = |os: u32, file: &str| {
        read(&format!("{cpus}/cpu{os}/topology/{file}")).and_then(|text| text.trim().parse::<u32>().ok())
    };
    // Who shares a core is said by the list of siblings. Numbers of cores are unique only within a package, and on ARM only within a
    // cluster.
    let siblings = |os: u32| {
        let files = ["core_cpus_list", "thread_siblings_list"];
        let mut lists = files
            .map(|file| read(&format!("{cpus}/cpu{os}/topology/{file}")))
            .into_iter();
        let list = lists.find_map(|text| cpu_list(&text?))?;
        list.contains(&os).then(|| list[0])
    };
    let mut cores = BTreeMap::new();
    let pus: Vec<Pu> = online
        .iter()
        .map(|&os| {
            let package = number(os, "physical_package_id").unwrap_or(0);
            let next = cores.len() as u32;
            let core = match siblings(os) {
                Some(first) => (None, first),
                None => (Some(package), number(os, "core_id").unwrap_or(os)),
            };
            Pu {
                os,
                core: *cores.entry(core).or_insert(next),
                package,
                node: node_of.get(&os).copied().unwrap_or(0),
            }
        })
        .collect();
    let caches = caches(read, &online);
    Topology::new(pus, nodes, caches, distances)
}

type Nodes = (Vec<Node>, BTreeMap<u32, usize>, Vec<Vec<u32>>);

/// The nodes, the index of each unit's node, and the distances. A kernel without them has one node.
fn nodes(read: &impl Fn(&str) -> Option<String>) -> Result<Nodes, TopologyError> {
    let folder = "/sys/devices/system/node";
    let Some(online) = read(&format!("{folder}/online")).and_then(|text| cpu_list(&text)) else {
        return Ok((vec![Node { os: 0, memory: 0 }], BTreeMap::new(), Vec::new()));
    };
    let usable = with_memory(read);
    let mut node_of = BTreeMap::new();
    let (mut nodes, mut distances) = (Vec::new(), Vec::new());
    for (index, &os) in online.iter().enumerate() {
        let file = |name: &str| read(&format!("{folder}/node{os}/{name}"));
        let Some(cpus) = file("cpulist").and_then(|text| cpu_list(&text)) else {
            return error(format!(
                "{folder}/node{os}/cpulist is no list of processing units"
            ));
        };
        node_of.extend(cpus.into_iter().map(|cpu| (cpu, index)));
        let is_usable = usable.as_ref().is_none_or(|usable| usable.contains(&os));
        let meminfo = file("meminfo").filter(|_| is_usable);
        let memory = meminfo.and_then(|text| total_memory(&text)).unwrap_or(0);
        nodes.push(Node { os, memory });
        distances.extend(file("distance").map(|text| row(&text)));
    }
    if !tells_nodes_apart(&distances, nodes.len()) {
        distances.clear();
    }
    Ok((nodes, node_of, distances))
}

/// The nodes on which this process may have memory; `None` where the system does not tell.
fn with_memory(read: &impl Fn(&str) -> Option<String>) -> Option<Vec<u32>> {
    let status = read("/proc/self/status")?;
    cpu_list(in_status(&status, "Mems_allowed_list:")?)
}

/// What a line of `/proc/self/status` says.
fn in_status<'t>(status: &'t str, name: &str) -> Option<&'t str> {
    status.lines().find_map(|line| line.strip_prefix(name))
}

fn row(text: &str) -> Vec<u32> {
    text.split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect()
}

/// Bytes from the line `Node 0 MemTotal: 123 kB`.
fn total_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.contains("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().rev().nth(1)?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

fn caches(read: &impl Fn(&str) -> Option<String>, online: &[u32]) -> Vec<Cache> {
    let mut found: BTreeMap<(u8, Vec<usize>), u64> = BTreeMap::new();
    for &os in online {
        for index in 0..16 {
            let file = |name: &str| {
                read(&format!(
                    "/sys/devices/system/cpu/cpu{os}/cache/index{index}/{name}"
                ))
            };
            let Some(level) = file("level").and_then(|text| text.trim().parse::<u8>().ok()) else {
                break;
            };
            if file("type").is_some_and(|kind| kind.trim() == "Instruction") {
                continue;
            }
            let Some(sharing) = file("shared_cpu_list").and_then(|text| cpu_list(&text)) else {
                continue;
            };
            // Some virtual machines describe caches that nobody has.
            if !sharing.contains(&os) {
                continue;
            }
            let pus = sharing
                .iter()
                .filter_map(|cpu| online.binary_search(cpu).ok())
                .collect();
            let size = file("size").and_then(|text| cache_size(&text)).unwrap_or(0);
            found.insert((level, pus), size);
        }
    }
    let cache = |((level, pus), size)| Cache { level, size, pus };
    found.into_iter().map(cache).collect()
}

/// The units that affinity mask and control group leave to this process; `None` if neither says anything.
fn allowed(read: &impl Fn(&str) -> Option<String>) -> Option<Vec<u32>> {
    let status = read("/proc/self/status");
    let mask = status.and_then(|status| cpu_list(in_status(&status, "Cpus_allowed_list:")?));
    let group = ControlGroups::of("cpuset", read)
        .ok()
        .and_then(|groups| groups.cpu_set(read))
        .map(|set| set.units);
    match (mask, group) {
        (Some(mask), Some(group)) => Some(mask.into_iter().filter(|cpu| group.contains(cpu)).collect()),
        (mask, group) => mask.or(group),
    }
}
