//! hwloc is the oracle: what we read from its XML, and from the kernel, must be what hwloc says itself.
//!
//! Needs `lstopo-no-graphics`, `hwloc-calc` and `hwloc-annotate` (Debian: hwloc-nox). Without them the tests say so
//! and pass, unless `SCOVILLE_REQUIRE_ALL` is set.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use datil_policy::topology::Topology;

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .expect("hwloc runs");
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

fn is_installed(test: &str) -> bool {
    let there = Command::new("hwloc-calc").arg("--version").output().is_ok();
    assert!(
        there || std::env::var_os("SCOVILLE_REQUIRE_ALL").is_none(),
        "hwloc is not installed; Debian calls it hwloc-nox"
    );
    if !there {
        eprintln!("{test} is skipped: hwloc is not installed (Debian: hwloc-nox)");
    }
    there
}

/// hwloc's answer to "which units are in the n-th object of this type", as numbers of the system.
fn units(xml: &Path, object: &str) -> BTreeSet<u32> {
    let path = xml.to_str().expect("a path");
    let text = run(
        "hwloc-calc",
        &["-i", path, "--if", "xml", "--po", "-I", "pu", object],
    );
    text.trim()
        .split(',')
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().expect("a number"))
        .collect()
}

fn count(xml: &Path, kind: &str) -> usize {
    let path = xml.to_str().expect("a path");
    let text = run("hwloc-calc", &["-i", path, "--if", "xml", "-N", kind, "all"]);
    text.trim().parse().expect("a count")
}

fn agrees(topology: &Topology, xml: &Path) {
    assert_eq!(topology.pus().len(), count(xml, "pu"));
    assert_eq!(topology.nodes().len(), count(xml, "numa"));
    let os = |pus: &mut dyn Iterator<Item = usize>| -> BTreeSet<u32> {
        pus.map(|pu| topology.pus()[pu].os).collect()
    };
    for (index, node) in topology.nodes().iter().enumerate() {
        // hwloc takes a number of the system after `numa:` if asked for physical numbers, which units() does for
        // output only.
        let theirs = units(xml, &format!("numa:{index}"));
        assert_eq!(os(&mut topology.pus_of(index)), theirs, "node {}", node.os);
    }
    for (level, kind) in [(1, "l1cache"), (2, "l2cache"), (3, "l3cache")] {
        let ours: BTreeSet<_> = topology
            .caches()
            .iter()
            .filter(|cache| cache.level == level)
            .map(|cache| os(&mut cache.pus.iter().copied()))
            .collect();
        let theirs: BTreeSet<_> = (0..count(xml, kind))
            .map(|index| units(xml, &format!("{kind}:{index}")))
            .collect();
        assert_eq!(ours, theirs, "caches of level {level}");
    }
    for (kind, of) in [("core", 0), ("package", 1)] {
        let number = |pu: usize| [topology.pus()[pu].core, topology.pus()[pu].package][of];
        let numbers: BTreeSet<u32> = (0..topology.pus().len()).map(number).collect();
        let ours: BTreeSet<_> = numbers
            .iter()
            .map(|wanted| os(&mut (0..topology.pus().len()).filter(|&pu| number(pu) == *wanted)))
            .collect();
        let theirs: BTreeSet<_> = (0..count(xml, kind))
            .map(|index| units(xml, &format!("{kind}:{index}")))
            .collect();
        assert_eq!(ours, theirs, "{kind}s");
    }
}

#[test]
fn xml_is_read_as_hwloc_reads_it() {
    if !is_installed("xml_is_read_as_hwloc_reads_it") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let machines = [
        "Package:4 Group:2 [numa] L3Cache:1 L2Cache:4 L1dCache:2 Core:1 PU:1",
        "Package:2 [numa] L3Cache:3 L2Cache:2 L1dCache:1 Core:1 PU:2",
        "Package:1 [numa] L3Cache:1 L2Cache:2 L1dCache:1 Core:1 PU:1",
        "Package:2 Group:4 [numa] L3Cache:2 L2Cache:1 L1dCache:1 Core:1 PU:2(indexes=16*2:1*16)",
    ];
    for (index, machine) in machines.iter().enumerate() {
        let xml = folder.path().join(format!("{index}.xml"));
        run(
            "lstopo-no-graphics",
            &["-i", machine, xml.to_str().expect("a path")],
        );
        let text = std::fs::read_to_string(&xml).expect("hwloc has written it");
        let topology = Topology::from_hwloc(&text).unwrap_or_else(|error| panic!("{machine}: {error}"));
        agrees(&topology, &xml);
    }
}

#[test]
fn distances_are_read_from_xml() {
    if !is_installed("distances_are_read_from_xml") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    run(
        "lstopo-no-graphics",
        &["-i", "Package:3 [numa] L2Cache:2 Core:1 PU:1", &path("plain.xml")],
    );
    let rows = "10\n16\n22\n16\n10\n16\n22\n16\n10\n";
    // Name, kind (6: from the user, of latencies), number of objects, the objects, the values.
    std::fs::write(
        path("distances"),
        format!("name=NUMALatency\n6\n3\nnuma:0\nnuma:1\nnuma:2\n{rows}"),
    )
    .expect("a file");
    run(
        "hwloc-annotate",
        &[
            &path("plain.xml"),
            &path("annotated.xml"),
            "--",
            "dummy",
            "--",
            "distances",
            &path("distances"),
        ],
    );
    let text = std::fs::read_to_string(path("annotated.xml")).expect("hwloc has written it");
    let topology = Topology::from_hwloc(&text).expect("a machine");
    let ours: Vec<u32> = (0..9).map(|at| topology.distance(at / 3, at % 3)).collect();
    assert_eq!(ours, [10, 16, 22, 16, 10, 16, 22, 16, 10]);
}

#[test]
fn this_machine_is_read_from_the_kernel_as_hwloc_reads_it() {
    if !is_installed("this_machine_is_read_from_the_kernel_as_hwloc_reads_it") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let xml = folder.path().join("this.xml");
    run("lstopo-no-graphics", &["--no-io", xml.to_str().expect("a path")]);
    let topology = Topology::from_linux(|path| std::fs::read_to_string(path).ok()).expect("this machine");
    agrees(&topology, &xml);
    let text = std::fs::read_to_string(&xml).expect("hwloc has written it");
    let theirs = Topology::from_hwloc(&text).expect("this machine");
    assert_eq!(theirs.caches(), topology.caches(), "sizes of caches too");
}

/// A description without hwloc: the objects, and what follows them.
fn described(allowed: &str, objects: &str, rest: &str) -> String {
    format!(
        "<topology version=\"2.0\"><object type=\"Machine\" allowed_cpuset=\"{allowed}\">{objects}</object>{rest}</topology>"
    )
}

/// A matrix between two nodes.
fn matrix(attributes: &str, values: &str) -> String {
    format!(
        "<distances2 type=\"NUMANode\" nbobjs=\"2\" {attributes} indexing=\"os\"><indexes length=\"4\">0 1 </indexes>\
         <u64values length=\"12\">{values} </u64values></distances2>"
    )
}

const TWO_NODES: &str = "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x1\"/><object type=\"PU\" os_index=\"0\"/>\
    <object type=\"NUMANode\" os_index=\"1\" cpuset=\"0x2\"/><object type=\"PU\" os_index=\"1\"/>";

#[test]
fn a_matrix_that_tells_nothing_counts_as_none() {
    let distances = |rest: &str| {
        let machine = Topology::from_hwloc(&described("0x3", TWO_NODES, rest)).expect("a machine");
        [(0, 0), (0, 1), (1, 0)].map(|(from, to)| machine.distance(from, to))
    };
    let latency = "kind=\"5\" name=\"NUMALatency\"";
    assert_eq!(distances(&matrix(latency, "10 16 17 10")), [10, 16, 17]);
    assert_eq!(
        distances(&matrix(latency, "10 10 10 10")),
        [10, 20, 20],
        "emulated nodes"
    );
}

/// A node without units may have any number. hwloc attaches it to the nodes that are nearest to it, or to the machine, and gives it
/// their units; fast memory beside a node's own has the same units as that.
#[test]
fn units_belong_to_the_node_that_is_theirs_alone() {
    let nodes = |nodes: [(u32, &str); 4]| {
        let node = |(os, cpus)| format!("<object type=\"NUMANode\" os_index=\"{os}\" cpuset=\"{cpus}\"/>");
        let units = (0..4).map(|os| format!("<object type=\"PU\" os_index=\"{os}\"/>"));
        let objects: String = nodes.into_iter().map(node).chain(units).collect();
        let machine = Topology::from_hwloc(&described("0xf", &objects, "")).expect("a machine");
        machine
            .pus()
            .iter()
            .map(|pu| machine.nodes()[pu.node].os)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        nodes([(0, "0xf"), (1, "0x3"), (2, "0xc"), (3, "0xf")]),
        [1, 1, 2, 2]
    );
    assert_eq!(
        nodes([(0, "0x3"), (1, "0xc"), (2, "0x3"), (3, "0xc")]),
        [0, 0, 1, 1]
    );
    assert_eq!(nodes([(5, "0x3"), (4, "0xc"), (0, ""), (1, "0xf")]), [5, 5, 4, 4]);
}

#[test]
fn what_may_not_be_used_is_left_out() {
    let objects = "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x3\" local_memory=\"5\"/>\
        <object type=\"NUMANode\" os_index=\"1\" cpuset=\"0x4\" local_memory=\"7\"/>\
        <object type=\"L4Cache\" cpuset=\"0x7\"/>\
        <object type=\"PU\" os_index=\"0\"/><object type=\"PU\" os_index=\"1\"/><object type=\"PU\" os_index=\"2\"/>";
    let machine = |allowed: &str| Topology::from_hwloc(&described(allowed, objects, "")).expect("a machine");
    let part = machine("0x6\" allowed_nodeset=\"0x2");
    assert_eq!(part.pus().iter().map(|pu| pu.os).collect::<Vec<_>>(), [1, 2]);
    let memory = |machine: &Topology| machine.nodes().iter().map(|node| node.memory).collect::<Vec<_>>();
    assert_eq!((memory(&part), memory(&machine("0x7"))), (vec![0, 7], vec![5, 7]));
    let cache = part.cache(0, 4).expect("its size is unknown, but it is shared");
    assert_eq!((cache.size, &cache.pus[..]), (0, &[0, 1][..]));
}

/// ARM's kernels number cores anew in each cluster, and all clusters are in one package, which hwloc repeats.
#[test]
fn cores_with_the_same_number_are_told_apart() {
    let unit = |os: u32| format!("<object type=\"PU\" os_index=\"{os}\"/>");
    let core = |number: u32, units: &[u32]| {
        let units: String = units.iter().map(|&os| unit(os)).collect();
        format!("<object type=\"Core\" os_index=\"{number}\">{units}</object>")
    };
    let objects = [
        "<object type=\"Package\" os_index=\"0\"><object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x3f\"/><object type=\"Group\">",
        &core(0, &[0]),
        &core(1, &[1]),
        "</object><object type=\"Group\">",
        &core(0, &[2, 3]),
        &core(1, &[4]),
        "</object>",
        &unit(5),
        "</object>",
    ];
    let machine = Topology::from_hwloc(&described("0x3f", &objects.concat(), "")).expect("a machine");
    let cores: Vec<u32> = machine.pus().iter().map(|pu| pu.core).collect();
    assert_eq!(cores, [0, 1, 2, 2, 3, 4]);
    assert_eq!(
        machine.by_core(),
        [0, 1, 2, 4, 5, 3],
        "one unit of each core first"
    );
}

#[test]
fn bandwidths_are_no_distances() {
    let rest = [
        matrix("kind=\"9\"", "90 10 10 90"),
        matrix("kind=\"5\"", "10 30 30 10"),
    ]
    .concat();
    let machine = Topology::from_hwloc(&described("0x3", TWO_NODES, &rest)).expect("a machine");
    assert_eq!(machine.distance(0, 1), 30);
}

/// Written by hand after what hwloc 3 writes: objects have an `id` as well, caches a number, and facts about the machine stand behind
/// its objects.
const FORMAT_3: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="3.0">
  <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" allowed_cpuset="0x00000007"
      nodeset="0x00000003" complete_nodeset="0x00000003" allowed_nodeset="0x00000003" gp_index="1" id="obj1">
    <info name="DMIProductName" value="made up"/>
    <object type="Package" os_index="0" cpuset="0x00000003" nodeset="0x00000001" gp_index="3" id="obj3">
      <object type="NUMANode" os_index="0" cpuset="0x00000003" nodeset="0x00000001" gp_index="4" id="obj4" local_memory="4096">
        <page_type size="4096" count="1"/>
      </object>
      <object type="L2Cache" os_index="0" cpuset="0x00000003" nodeset="0x00000001" gp_index="5" id="obj5" cache_size="1024"
          depth="2" cache_linesize="64" cache_associativity="16" cache_type="0">
        <object type="L1iCache" os_index="0" cpuset="0x00000003" gp_index="6" id="obj6" cache_size="512" depth="1" cache_type="2">
          <object type="Core" os_index="0" cpuset="0x00000003" nodeset="0x00000001" gp_index="7" id="obj7">
            <object type="PU" os_index="0" cpuset="0x00000001" nodeset="0x00000001" gp_index="8" id="obj8"/>
            <object type="PU" os_index="1" cpuset="0x00000002" nodeset="0x00000001" gp_index="9" id="obj9"/>
          </object>
        </object>
      </object>
      <object type="OSDev" gp_index="10" id="obj10" name="dax0.0" subtype="SPM" osdev_type="2"/>
    </object>
    <object type="Package" os_index="1" cpuset="0x0000000c" nodeset="0x00000002" gp_index="11" id="obj11">
      <object type="NUMANode" os_index="1" cpuset="0x0000000c" nodeset="0x00000002" gp_index="12" id="obj12" local_memory="8192"/>
      <object type="Core" os_index="0" cpuset="0x00000004" nodeset="0x00000002" gp_index="13" id="obj13">
        <object type="PU" os_index="2" cpuset="0x00000004" nodeset="0x00000002" gp_index="14" id="obj14"/>
      </object>
      <object type="Core" os_index="1" cpuset="0x00000008" nodeset="0x00000002" gp_index="15" id="obj15">
        <object type="PU" os_index="3" cpuset="0x00000008" nodeset="0x00000002" gp_index="16" id="obj16"/>
      </object>
    </object>
  </object>
  <distances2 type="NUMANode" nbobjs="2" kind="33" indexing="os">
    <indexes length="4">0 1 </indexes><u64values length="8">0 1 1 0 </u64values>
  </distances2>
  <distances2 type="NUMANode" nbobjs="2" kind="5" name="NUMALatency" indexing="os">
    <indexes length="4">0 1 </indexes><u64values length="12">10 32 32 10 </u64values>
  </distances2>
  <support name="discovery.pu"/>
  <cpukind cpuset="0x0000000f"><info name="CoreType" value="IntelCore"/></cpukind>
  <info name="Backend" value="Linux"/>
  <info name="hwlocVersion" value="3.0.0"/>
</topology>
"#;

#[test]
fn format_3_is_read_as_format_2() {
    let machine = Topology::from_hwloc(FORMAT_3).expect("a machine");
    let units: Vec<_> = machine
        .pus()
        .iter()
        .map(|pu| (pu.os, pu.core, pu.package, pu.node))
        .collect();
    assert_eq!(
        units,
        [(0, 0, 0, 0), (1, 0, 0, 0), (2, 1, 1, 1)],
        "unit 3 is not allowed"
    );
    assert_eq!(
        machine.nodes().iter().map(|node| node.memory).collect::<Vec<_>>(),
        [4096, 8192]
    );
    let caches: Vec<_> = machine
        .caches()
        .iter()
        .map(|cache| (cache.level, cache.size, &cache.pus[..]))
        .collect();
    assert_eq!(caches, [(2, 1024, &[0, 1][..])]);
    assert_eq!(machine.distance(0, 1), 32, "hops are no latencies");
    assert_eq!(
        Topology::from_hwloc(&FORMAT_3.replace("version=\"3.0\"", "version=\"2.0\"")),
        Ok(machine)
    );
}

#[test]
fn what_is_no_description_is_refused_with_the_reason() {
    let reason = |xml: &str| Topology::from_hwloc(xml).expect_err("no machine").to_string();
    assert!(reason("<topology").contains("no XML"));
    assert!(reason("<html/>").contains("hwloc 2"));
    assert!(reason("<topology><object type=\"Machine\"/></topology>").contains("is of hwloc 1"));
    for version in ["4.0", "30.1", "3", "x"] {
        let future = reason(&format!("<topology version=\"{version}\"/>"));
        assert!(future.contains(&format!("hwloc's format {version};")), "{future}");
    }
    assert!(reason("<topology version=\"2.0\"/>").contains("no object of type Machine"));
    let bare = "<topology version=\"2.0\"><object type=\"Machine\"/></topology>";
    assert!(reason(bare).contains("no allowed_cpuset"));
    let machine = |inside: &str| described("0x1", inside, "");
    let endless = described("0xf...f", "", "");
    assert!(
        reason(&endless).contains("Machine has allowed_cpuset 0xf...f"),
        "{}",
        reason(&endless)
    );
    assert!(reason(&machine("")).contains("at least one processing unit"));
    assert!(reason(&machine("<object type=\"PU\" os_index=\"x\"/>")).contains("os_index x"));
    assert!(reason(&machine("<object type=\"PU\" os_index=\"0\"/>")).contains("unit 0 in its cpuset"));
    let latencies = |values: &str| {
        reason(&described(
            "0x3",
            TWO_NODES,
            &matrix("name=\"NUMALatency\"", values),
        ))
    };
    assert!(latencies("10 20 20").contains("2 nodes and 3 values"));
    assert!(latencies("10 20 4294967296 10").contains("4294967296 among its u64values"));
}

/// Whatever part of a description is there, and whatever stands in it, there is an answer.
#[test]
fn damaged_descriptions_are_refused_or_read() {
    let whole = described("0x3", TWO_NODES, &matrix("name=\"NUMALatency\"", "10 20 20 10"));
    assert!(Topology::from_hwloc(&whole).is_ok());
    for end in 0..whole.len() {
        assert!(Topology::from_hwloc(&whole[..end]).is_err(), "{end}");
    }
    for at in 0..whole.len() {
        for letter in ["", "0", "9", "-", ",", "\"", "<", "\u{fffd}"] {
            let damaged = [&whole[..at], letter, &whole[at + 1..]].concat();
            let _ = Topology::from_hwloc(&damaged);
        }
    }
    let nested = 200_000;
    let deep = ["<object>".repeat(nested), "</object>".repeat(nested)].concat();
    assert!(Topology::from_hwloc(&described("0x1", &deep, "")).is_err());
}
