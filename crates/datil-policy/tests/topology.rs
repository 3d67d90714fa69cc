//! Topologies and the rings in them, against the machines of the literature and against rules that hold for all.

use std::collections::BTreeMap;

use datil_policy::topology::{
    Cache, ControlGroups, Neighbourhood, Node, Pu, Rings, Synthetic, Topology, TopologyError, cpu_list,
    cpu_quota,
};
use proptest::prelude::*;

/// The machine of Woelke 2018, table 6.1 and figure 6.1.
fn opteron() -> Topology {
    let hops = [
        "01121212", "10211221", "12011111", "21101122", "11110112", "22111021", "12121201", "21122110",
    ];
    Synthetic {
        packages: 4,
        nodes: 2,
        l3: (1, 6 << 20),
        l2: (4, 2 << 20),
        cores: 2,
        l1: 16 << 10,
        memory: 64 << 30,
        distances: hops
            .iter()
            .map(|row| {
                row.chars()
                    .map(|hop| hop.to_digit(10).expect("a digit"))
                    .collect()
            })
            .collect(),
        ..Synthetic::default()
    }
    .build()
    .expect("a machine")
}

fn every_unit(topology: &Topology) -> Vec<usize> {
    (0..topology.pus().len()).collect()
}

#[test]
fn rings_of_the_thesis_machine_have_the_sizes_that_follow_from_its_table() {
    let machine = opteron();
    let pus = every_unit(&machine);
    for me in 0..64 {
        let rings = Rings::around(me, &pus, &machine, Neighbourhood::Node);
        let sizes: Vec<usize> = (0..rings.count()).map(|ring| rings.group(ring).len()).collect();
        let node = me / 8;
        let second = if node == 2 || node == 4 { 55 } else { 39 };
        assert_eq!(sizes, [7, second, 63], "worker {me}");
        assert!(rings.same_node().iter().all(|worker| worker / 8 == node));
        let pairs = Rings::around(me, &pus, &machine, Neighbourhood::Cache(2));
        let sizes: Vec<usize> = (0..pairs.count()).map(|ring| pairs.group(ring).len()).collect();
        assert_eq!(sizes, [1, 7, second, 63]);
        assert_eq!(pairs.group(0), [me ^ 1], "two cores share a cache of level 2");
    }
}

/// Woelke 2018, figure 4.2: four processors with two cores each in a ring; from core 6 the groups are {5},
/// {3, 4, 5, 7, 8} and all. Cores are counted from 1 there.
#[test]
fn rings_of_the_example_in_figure_4_2() {
    let machine = Synthetic {
        packages: 4,
        cores: 2,
        distances: [[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]]
            .map(Vec::from)
            .to_vec(),
        ..Synthetic::default()
    }
    .build()
    .expect("a machine");
    let rings = Rings::around(5, &every_unit(&machine), &machine, Neighbourhood::Node);
    let cores = |ring: usize| {
        let mut cores: Vec<u32> = rings.group(ring).iter().map(|worker| worker + 1).collect();
        cores.sort_unstable();
        cores
    };
    assert_eq!(
        (0..rings.count()).map(cores).collect::<Vec<_>>(),
        [vec![5], vec![3, 4, 5, 7, 8], vec![1, 2, 3, 4, 5, 7, 8]]
    );
    // One attempt in the first group, five in the second, then the last one for ever.
    let ring_of: Vec<_> = (0..8).map(|attempt| rings.ring_at(attempt)).collect();
    assert_eq!(ring_of, [0, 1, 1, 1, 1, 1, 2, 2].map(Some));
    assert_eq!(rings.ring_at(u32::MAX), Some(2));
}

#[test]
fn a_machine_with_one_node_has_one_ring() {
    let machine = Synthetic {
        l3: (2, 32 << 20),
        l2: (8, 1 << 20),
        l1: 32 << 10,
        memory: 1 << 34,
        ..Synthetic::default()
    }
    .build()
    .expect("a machine");
    let rings = Rings::around(3, &every_unit(&machine), &machine, Neighbourhood::Node);
    assert_eq!(rings.count(), 1);
    assert_eq!(rings.group(0), Rings::uniform(3, 16).group(0));
    let alone = Rings::uniform(0, 1);
    assert_eq!((alone.count(), alone.ring_at(0)), (0, None));
}

#[test]
fn hops_count_the_distances_that_occur() {
    let machine = opteron();
    assert_eq!(
        (machine.hops(0, 0), machine.hops(0, 1), machine.hops(0, 3)),
        (0, 1, 2)
    );
    let two = Topology::new(
        (0..2)
            .map(|os| Pu {
                os,
                core: os,
                package: os,
                node: os as usize,
            })
            .collect(),
        vec![Node { os: 0, memory: 0 }, Node { os: 1, memory: 0 }],
        vec![],
        vec![vec![10, 32], vec![32, 10]],
    )
    .expect("a machine");
    assert_eq!((two.hops(0, 1), two.distance(0, 1)), (1, 32));
    for machine in [machine, two] {
        let nodes = machine.nodes().len();
        let one_by_one: Vec<usize> = (0..nodes * nodes)
            .map(|at| machine.hops(at / nodes, at % nodes))
            .collect();
        assert_eq!(machine.all_hops(), one_by_one);
    }
}

/// A machine with holes in its numbers, a node without units and an affinity mask.
fn linux() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut file = |path: &str, text: &str| files.insert(path.to_owned(), text.to_owned());
    file("/sys/devices/system/cpu/online", "0-1,4-5\n");
    file("/sys/devices/system/node/online", "0,2-3\n");
    for (node, cpus, distances) in [
        (0, "0-1", "10 21 31"),
        (2, "4-5", "21 10 31"),
        (3, "", "31 31 10"),
    ] {
        let folder = format!("/sys/devices/system/node/node{node}");
        file(&format!("{folder}/cpulist"), cpus);
        file(&format!("{folder}/distance"), distances);
        file(
            &format!("{folder}/meminfo"),
            &format!("Node {node} MemTotal:       1000 kB\nNode {node} MemFree: 1 kB\n"),
        );
    }
    for cpu in [0, 1, 4, 5] {
        let folder = format!("/sys/devices/system/cpu/cpu{cpu}");
        file(
            &format!("{folder}/topology/physical_package_id"),
            &(cpu / 4).to_string(),
        );
        // The same number of core in both packages.
        file(&format!("{folder}/topology/core_id"), &(cpu % 2).to_string());
        let pair = format!("{}-{}", cpu / 2 * 2, cpu / 2 * 2 + 1);
        for (index, level, kind, size, sharing) in [
            (0, 1, "Data", "32K", cpu.to_string()),
            (1, 1, "Instruction", "32K", cpu.to_string()),
            (2, 2, "Unified", "1024K", cpu.to_string()),
            (3, 3, "Unified", "32M", pair),
        ] {
            let folder = format!("{folder}/cache/index{index}");
            file(&format!("{folder}/level"), &level.to_string());
            file(&format!("{folder}/type"), kind);
            file(&format!("{folder}/size"), size);
            file(&format!("{folder}/shared_cpu_list"), &sharing);
        }
    }
    files
}

#[test]
fn linux_is_read_with_holes_and_nodes_without_units() {
    let files = linux();
    let machine = Topology::from_linux(|path| files.get(path).cloned()).expect("a machine");
    let numbers: Vec<_> = machine
        .pus()
        .iter()
        .map(|pu| (pu.os, pu.core, pu.package, pu.node))
        .collect();
    assert_eq!(numbers, [(0, 0, 0, 0), (1, 1, 0, 0), (4, 2, 1, 1), (5, 3, 1, 1)]);
    assert_eq!(
        machine.nodes().iter().map(|node| node.os).collect::<Vec<_>>(),
        [0, 2, 3]
    );
    assert_eq!(machine.nodes()[2].memory, 1_024_000);
    assert_eq!(machine.distance(0, 1), 21);
    assert_eq!(machine.hops(0, 2), 2);
    assert_eq!(machine.pus_of(2).count(), 0);
    let llc = machine.cache(2, 3).expect("a cache of level 3");
    assert_eq!((llc.size, &llc.pus[..]), (32 << 20, &[2, 3][..]));
    assert_eq!(
        machine.caches().len(),
        4 + 4 + 2,
        "caches of instructions do not count"
    );
}

#[test]
fn the_affinity_mask_and_the_control_group_are_respected() {
    let mut files = linux();
    files.insert(
        "/proc/self/status".into(),
        "Name:\tx\nCpus_allowed_list:\t1,4-5\n".into(),
    );
    let machine = Topology::from_linux(|path| files.get(path).cloned()).expect("a machine");
    assert_eq!(
        machine.pus().iter().map(|pu| pu.os).collect::<Vec<_>>(),
        [1, 4, 5]
    );
    assert_eq!(machine.cache(0, 3).expect("a cache").pus, [0]);
    assert_eq!(
        machine.nodes().len(),
        3,
        "memory may lie on nodes without usable units"
    );

    files.insert("/proc/self/cgroup".into(), "0::/tenant\n".into());
    files.insert(
        "/proc/self/mountinfo".into(),
        "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n".into(),
    );
    files.insert(
        "/sys/fs/cgroup/tenant/cpuset.cpus.effective".into(),
        "0-1,5\n".into(),
    );
    let machine = Topology::from_linux(|path| files.get(path).cloned()).expect("a machine");
    assert_eq!(machine.pus().iter().map(|pu| pu.os).collect::<Vec<_>>(), [1, 5]);

    files.insert("/sys/fs/cgroup/tenant/cpuset.cpus.effective".into(), "0\n".into());
    let nothing = Topology::from_linux(|path| files.get(path).cloned()).expect_err("no unit is left");
    assert!(nothing.to_string().contains("affinity mask"), "{nothing}");
}

#[test]
fn control_groups_of_version_1_are_respected() {
    let mut files = linux();
    files.insert("/proc/self/cgroup".into(), "3:cpuset:/tenant\n0::/\n".into());
    files.insert(
        "/proc/self/mountinfo".into(),
        "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n\
         41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
            .into(),
    );
    let folder = "/sys/fs/cgroup/cpuset/tenant";
    files.insert(format!("{folder}/cpuset.cpus"), "0-5\n".into());
    files.insert(format!("{folder}/cpuset.effective_cpus"), "1,4\n".into());
    let machine = Topology::from_linux(|path| files.get(path).cloned()).expect("a machine");
    assert_eq!(machine.pus().iter().map(|pu| pu.os).collect::<Vec<_>>(), [1, 4]);
}

/// Names of groups may have colons, backslashes and spaces in them; of two mounts the one that shows more counts.
#[test]
fn control_groups_are_found_whatever_their_names_are() {
    let files = [
        (
            "/proc/self/cgroup",
            "4:cpu,cpuacct:/a b\\x2d:c/own\n1:name=systemd:/\n",
        ),
        (
            "/proc/self/mountinfo",
            "1 1 0:1 /a\\040b\\134x2d:c /inner rw - cgroup cgroup rw,cpu,cpuacct\n\
             1 1 0:1 / /the\\040groups rw shared:1 - cgroup cgroup rw,cpu,cpuacct\n\
             1 1 0:2 / /cpuset rw - cgroup cgroup rw,cpuset\n",
        ),
    ];
    let read = |path: &str| {
        files
            .iter()
            .find(|(name, _)| *name == path)
            .map(|(_, text)| (*text).to_owned())
    };
    let groups = ControlGroups::of("cpu", read).expect("groups");
    assert_eq!(
        groups.folders(),
        [
            "/the groups/a b\\x2d:c/own",
            "/the groups/a b\\x2d:c",
            "/the groups"
        ]
    );
    assert!(
        ControlGroups::of("memory", read)
            .expect("none")
            .folders()
            .is_empty()
    );
}

#[test]
fn nodes_on_which_the_process_may_have_no_memory_have_none() {
    let memory = |status: &str| {
        let mut files = linux();
        files.insert("/proc/self/status".into(), status.into());
        let machine = Topology::from_linux(|path| files.get(path).cloned()).expect("a machine");
        machine
            .nodes()
            .iter()
            .map(|node| node.memory > 0)
            .collect::<Vec<_>>()
    };
    let everywhere = memory("Name:\tx\n");
    assert_eq!(memory("Mems_allowed_list:\t0-3\n"), everywhere);
    assert_eq!(memory("Mems_allowed_list:\t3\n"), [false, false, true]);
    assert_eq!(memory("Mems_allowed_list:\tnonsense\n"), everywhere);
}

#[test]
fn nonsense_about_caches_and_memory_does_not_keep_linux_from_being_read() {
    let mut files = linux();
    let cache = "/sys/devices/system/cpu/cpu4/cache";
    files.insert(format!("{cache}/index3/shared_cpu_list"), "\n".into());
    files.insert(format!("{cache}/index2/shared_cpu_list"), "9\n".into());
    files.insert(format!("{cache}/index0/size"), format!("{}K", u64::MAX));
    let meminfo = "/sys/devices/system/node/node2/meminfo";
    files.insert(meminfo.into(), format!("Node 2 MemTotal: {} kB\n", u64::MAX));
    let machine = Topology::from_linux(|path| files.get(path).cloned()).expect("a machine");
    assert_eq!(machine.cache(2, 1).map(|cache| cache.size), Some(0), "unknown");
    assert_eq!(machine.cache(2, 2), None);
    let third = machine.cache(2, 3).expect("the other unit says so");
    assert_eq!(third.pus, [2, 3]);
    assert_eq!(machine.nodes()[1].memory, 0, "unknown");
}

/// ARM's kernels number cores anew in each cluster, and all clusters are in one package.
#[test]
fn cores_are_told_apart_by_their_siblings() {
    let cores = |siblings: [&str; 4], file: &str| {
        let mut files = linux();
        for (cpu, siblings) in [0, 1, 4, 5].into_iter().zip(siblings) {
            let folder = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
            files.insert(format!("{folder}/physical_package_id"), "0\n".into());
            files.insert(format!("{folder}/{file}"), siblings.into());
        }
        let machine = Topology::from_linux(|path| files.get(path).cloned()).expect("a machine");
        machine.pus().iter().map(|pu| pu.core).collect::<Vec<_>>()
    };
    for file in ["core_cpus_list", "thread_siblings_list"] {
        assert_eq!(cores(["0\n", "1\n", "4\n", "5\n"], file), [0, 1, 2, 3]);
        assert_eq!(cores(["0,4\n", "1,5\n", "0,4\n", "1,5\n"], file), [0, 1, 0, 1]);
    }
    assert_eq!(
        cores(["", "", "", ""], "core_cpus_list"),
        [0, 1, 0, 1],
        "by their numbers then"
    );
}

/// Units whose cores and nodes are these.
fn of_cores(units: &[(u32, usize)]) -> Topology {
    let pu = |(os, &(core, node)): (usize, &(u32, usize))| Pu {
        os: os as u32,
        core,
        package: 0,
        node,
    };
    let nodes = units.iter().map(|&(_, node)| node).max().expect("a unit") as u32;
    Topology::new(
        units.iter().enumerate().map(pu).collect(),
        (0..=nodes).map(|os| Node { os, memory: 0 }).collect(),
        vec![],
        vec![],
    )
    .expect("a machine")
}

#[test]
fn units_are_taken_core_by_core_then_node_by_node() {
    let order = |units: &[(u32, usize)]| of_cores(units).by_core();
    assert_eq!(order(&[(0, 0), (1, 0), (2, 0)]), [0, 1, 2]);
    let next_to_each_other = [(0, 0), (0, 0), (1, 0), (1, 0)];
    assert_eq!(order(&next_to_each_other), [0, 2, 1, 3]);
    let far_apart = [(0, 0), (1, 0), (0, 0), (1, 0)];
    assert_eq!(order(&far_apart), [0, 1, 2, 3]);
    let four_threads = [(0, 0), (0, 0), (0, 0), (0, 0), (1, 0), (1, 0), (1, 0), (1, 0)];
    assert_eq!(order(&four_threads), [0, 4, 1, 5, 2, 6, 3, 7]);
    // Two big cores with two threads each, then four small ones with one.
    let hybrid = [(0, 0), (0, 0), (1, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)];
    assert_eq!(order(&hybrid), [0, 2, 4, 5, 6, 7, 1, 3]);
    // Nodes whose units are numbered in turn.
    let in_turn = [(0, 0), (1, 1), (2, 0), (3, 1), (0, 0), (1, 1), (2, 0), (3, 1)];
    assert_eq!(order(&in_turn), [0, 2, 1, 3, 4, 6, 5, 7]);
    // The affinity mask leaves one thread of the first core.
    let part = of_cores(&next_to_each_other)
        .restricted_to(&[1, 2, 3])
        .expect("some");
    assert_eq!(
        part.by_core()
            .iter()
            .map(|&pu| part.pus()[pu].os)
            .collect::<Vec<_>>(),
        [1, 2, 3]
    );
}

/// Linux splits a node into emulated ones (`numa=fake=2`) that are as near to each other as to themselves, and all have all units. A
/// table may also be shorter than the list of nodes, when one has just come.
#[test]
fn distances_that_tell_nothing_do_not_keep_linux_from_being_read() {
    for tables in [
        ["10 10 10"; 3],
        ["10 21 21", "21 10 21", "21 21"],
        ["0 0 0"; 3],
        ["", "", ""],
    ] {
        let mut files = linux();
        for (node, distances) in [0, 2, 3].into_iter().zip(tables) {
            files.insert(
                format!("/sys/devices/system/node/node{node}/distance"),
                distances.into(),
            );
            files.insert(
                format!("/sys/devices/system/node/node{node}/cpulist"),
                "0-1,4-5".into(),
            );
        }
        let machine = Topology::from_linux(|path| files.get(path).cloned())
            .unwrap_or_else(|error| panic!("{tables:?}: {error}"));
        assert_eq!((machine.pus().len(), machine.nodes().len()), (4, 3));
        assert_eq!(
            (machine.distance(0, 0), machine.distance(0, 2), machine.hops(1, 2)),
            (10, 20, 1)
        );
        let rings = Rings::around(0, &every_unit(&machine), &machine, Neighbourhood::Node);
        assert!(rings.are_together(), "every unit is on every node");
    }
}

#[test]
fn linux_without_nodes_or_caches_is_one_node() {
    let online = |path: &str| (path == "/sys/devices/system/cpu/online").then(|| "0-3".to_owned());
    let machine = Topology::from_linux(online).expect("a machine");
    assert_eq!(
        (machine.pus().len(), machine.nodes().len(), machine.caches().len()),
        (4, 1, 0)
    );
    assert!(Topology::from_linux(|_| None).is_err());
}

#[test]
fn wrong_descriptions_are_refused_with_the_reason() {
    let pu = |os, node| Pu {
        os,
        core: os,
        package: 0,
        node,
    };
    let node = |os| Node { os, memory: 0 };
    let reason = |result: Result<Topology, TopologyError>| {
        result.map(|_| ()).expect_err("a wrong description").to_string()
    };
    assert!(reason(Topology::new(vec![], vec![node(0)], vec![], vec![])).contains("at least one"));
    assert!(
        reason(Topology::new(
            vec![pu(1, 0), pu(1, 0)],
            vec![node(0)],
            vec![],
            vec![]
        ))
        .contains("unit 1 occurs twice")
    );
    assert!(reason(Topology::new(vec![pu(0, 2)], vec![node(0)], vec![], vec![])).contains("is on node 2"));
    let two = || vec![node(0), node(1)];
    assert!(reason(Topology::new(vec![pu(0, 0)], two(), vec![], vec![vec![10]])).contains("2 rows"));
    let flat = vec![vec![10, 10], vec![20, 10]];
    assert!(reason(Topology::new(vec![pu(0, 0)], two(), vec![], flat)).contains("must be farther"));
    let cache = Cache {
        level: 2,
        size: 0,
        pus: vec![3],
    };
    assert!(
        reason(Topology::new(vec![pu(0, 0)], vec![node(0)], vec![cache], vec![])).contains("do not exist")
    );
    let none = Synthetic {
        nodes: 0,
        ..Synthetic::default()
    };
    assert!(reason(none.build()).contains("at least one of nodes"));
    let numbered = vec![node(4), node(7)];
    let nearer = vec![vec![10, 20], vec![5, 10]];
    let reason_for_numbers = reason(Topology::new(vec![pu(0, 0)], numbered, vec![], nearer));
    assert!(
        reason_for_numbers.contains("memory node 7 is 5 from memory node 4 and 10 from itself"),
        "by the system's numbers: {reason_for_numbers}"
    );
    let endless = Synthetic {
        packages: u32::MAX,
        nodes: u32::MAX,
        cores: u32::MAX,
        ..Synthetic::default()
    };
    assert!(reason(endless.build()).contains("may have 65536 units"));
}

#[test]
fn lists_and_quotas_of_linux() {
    assert_eq!(cpu_list("0-2,5,7-8\n"), Some(vec![0, 1, 2, 5, 7, 8]));
    assert_eq!(cpu_list(""), Some(vec![]));
    for wrong in ["3-1", "a", "1-", "0-9999999"] {
        assert_eq!(cpu_list(wrong), None, "{wrong}");
    }
    assert_eq!(cpu_quota("150000 100000\n"), Some(1.5));
    assert_eq!(cpu_quota("max 100000"), None);
}

proptest! {
    /// Whatever the machine: the groups are nested, grow, end with all others, and nobody in a group is farther away
    /// than anybody outside of it.
    #[test]
    fn rings_are_nested_and_ordered_by_distance(
        packages in 1u32..4, nodes in 1u32..4, cores in 1u32..4, seed in any::<u64>(), me in any::<u32>(), skip in 0usize..3,
        level in prop::option::of(1u8..4),
    ) {
        let count = (packages * nodes) as usize;
        let distance = |a: usize, b: usize| {
            let mixed = seed.rotate_left((a * 7 + b * 13) as u32) % 3;
            if a == b { 10 } else { 11 + mixed as u32 }
        };
        let machine = Synthetic {
            packages, nodes, l2: (2, 0), cores,
            distances: (0..count).map(|a| (0..count).map(|b| distance(a, b)).collect()).collect(),
            ..Synthetic::default()
        }.build().expect("a machine");
        let pus: Vec<usize> = (skip..machine.pus().len()).collect();
        prop_assume!(!pus.is_empty());
        let me = me % pus.len() as u32;
        let neighbours = level.map_or(Neighbourhood::Node, Neighbourhood::Cache);
        let rings = Rings::around(me, &pus, &machine, neighbours);
        let node_of = |worker: u32| machine.pus()[pus[worker as usize]].node;
        let mut before = 0;
        for ring in 0..rings.count() {
            let group = rings.group(ring);
            prop_assert!(group.len() > before);
            prop_assert!(!group.contains(&me));
            let farthest = group.iter().map(|&w| machine.distance(node_of(me), node_of(w))).max();
            for outside in (0..pus.len() as u32).filter(|w| *w != me && !group.contains(w)) {
                prop_assert!(farthest <= Some(machine.distance(node_of(me), node_of(outside))));
            }
            before = group.len();
        }
        prop_assert_eq!(before, pus.len() - 1);
        for worker in 0..pus.len() as u32 {
            prop_assert_eq!(rings.is_neighbour(worker), node_of(worker) == node_of(me));
            prop_assert_eq!(rings.same_node().contains(&worker), node_of(worker) == node_of(me));
        }
    }

    #[test]
    fn a_part_of_a_machine_is_consistent(mask in prop::collection::vec(any::<bool>(), 64)) {
        let machine = opteron();
        let allowed: Vec<u32> = (0..64).filter(|&os| mask[os as usize]).collect();
        prop_assume!(!allowed.is_empty());
        let part = machine.restricted_to(&allowed).expect("something is left");
        prop_assert_eq!(part.pus().iter().map(|pu| pu.os).collect::<Vec<_>>(), allowed);
        for (index, pu) in part.pus().iter().enumerate() {
            prop_assert_eq!(pu.node as u32, pu.os / 8);
            for level in 1..=3 {
                let cache = part.cache(index, level).expect("every level is there");
                prop_assert!(cache.pus.contains(&index));
            }
        }
    }
}
