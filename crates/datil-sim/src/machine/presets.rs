//! The machines that come with the simulator.

use datil_policy::topology::Synthetic;

use super::{Costs, Filling, Machine, Wiring};

/// Names of the machines, with a line about each.
pub const PRESETS: [(&str, &str); 4] = [
    (
        "opteron",
        "four AMD Opteron 6376: 64 units on 8 nodes (Woelke 2018, figure 6.1 and tables 2.1 and 6.1)",
    ),
    (
        "epyc",
        "two sockets of 64 cores, 4 nodes per socket, 8 cores per third-level cache; latencies assumed",
    ),
    (
        "chiplet",
        "one socket and one node of 64 cores, 8 cores per third-level cache; latencies assumed",
    ),
    (
        "uniform",
        "the opteron with a single node: what is left without distances",
    ),
];

/// The machine with this name.
pub fn preset(name: &str) -> Option<Machine> {
    match name {
        "opteron" => Some(opteron()),
        "epyc" => Some(epyc()),
        "chiplet" => Some(chiplet()),
        "uniform" => Some(uniform()),
        _ => None,
    }
}

/// Table 6.1: steps between nodes.
const STEPS: [[u32; 8]; 8] = [
    [0, 1, 1, 2, 1, 2, 1, 2],
    [1, 0, 2, 1, 1, 2, 2, 1],
    [1, 2, 0, 1, 1, 1, 1, 1],
    [2, 1, 1, 0, 1, 1, 2, 2],
    [1, 1, 1, 1, 0, 1, 1, 2],
    [2, 2, 1, 1, 1, 0, 2, 1],
    [1, 2, 1, 2, 1, 2, 0, 1],
    [2, 1, 1, 2, 2, 1, 1, 0],
];

/// Latencies of caches and memory are those of table 2.1, which were measured on a predecessor (Opteron 6172). All
/// others are assumed but for two: `message_lines` was fitted to concdict (LGS against CLS-TP at 64 workers), and a
/// controller's service time lies in the range in which it moves no ratio by more than 0.02.
fn opteron_costs() -> Costs {
    Costs {
        megahertz: 2300,
        cache: [3, 15, 40],
        memory: vec![136, 247, 327],
        line_shared: 25,
        line: vec![81, 216, 304],
        controller: 18.0,
        link: 12.0,
        message_lines: 7,
        poll: 70,
        theft: 60,
        queue: 60,
        send: 250,
        receive: 180,
        block: 40,
        spawn: 1500,
        sleep_slack: 57_000,
        wake: (5_000, 10_000),
        timing: 100,
        staleness: 2_000,
    }
}

/// Of the class of a current two-socket server; assumed throughout.
pub(super) fn modern_costs() -> Costs {
    Costs {
        megahertz: 2600,
        cache: [4, 14, 50],
        memory: vec![250, 290, 500],
        line_shared: 30,
        line: vec![100, 260, 480],
        controller: 6.0,
        link: 4.0,
        message_lines: 7,
        poll: 60,
        theft: 60,
        queue: 50,
        send: 200,
        receive: 150,
        block: 40,
        spawn: 1200,
        sleep_slack: 57_000,
        wake: (4_000, 8_000),
        timing: 80,
        staleness: 2_000,
    }
}

fn opteron() -> Machine {
    let synthetic = Synthetic {
        packages: 4,
        nodes: 2,
        l3: (1, 6 << 20),
        l2: (4, 2 << 20),
        cores: 2,
        l1: 16 << 10,
        threads: 1,
        memory: 64 << 30,
        distances: STEPS.map(Vec::from).to_vec(),
    };
    Machine {
        name: "opteron".to_owned(),
        topology: synthetic.build().expect("the preset is consistent"),
        wiring: Wiring::Nodes,
        filling: Filling::Spread(4),
        costs: opteron_costs(),
    }
}

fn uniform() -> Machine {
    let synthetic = Synthetic {
        packages: 1,
        nodes: 1,
        l3: (8, 6 << 20),
        l2: (4, 2 << 20),
        cores: 2,
        l1: 16 << 10,
        threads: 1,
        memory: 512 << 30,
        distances: Vec::new(),
    };
    let mut costs = opteron_costs();
    // Eight times the channels on one controller.
    costs.controller /= 8.0;
    Machine {
        name: "uniform".to_owned(),
        topology: synthetic.build().expect("the preset is consistent"),
        wiring: Wiring::Packages,
        filling: Filling::Compact,
        costs,
    }
}

fn epyc() -> Machine {
    let distance = |a: usize, b: usize| match (a == b, a / 4 == b / 4) {
        (true, _) => 10,
        (_, true) => 12,
        _ => 32,
    };
    let synthetic = Synthetic {
        packages: 2,
        nodes: 4,
        l3: (2, 32 << 20),
        l2: (8, 1 << 20),
        cores: 1,
        l1: 32 << 10,
        threads: 1,
        memory: 96 << 30,
        distances: (0..8).map(|a| (0..8).map(|b| distance(a, b)).collect()).collect(),
    };
    Machine {
        name: "epyc".to_owned(),
        topology: synthetic.build().expect("the preset is consistent"),
        wiring: Wiring::Packages,
        filling: Filling::Compact,
        costs: modern_costs(),
    }
}

fn chiplet() -> Machine {
    let synthetic = Synthetic {
        packages: 1,
        nodes: 1,
        l3: (8, 32 << 20),
        l2: (8, 1 << 20),
        cores: 1,
        l1: 32 << 10,
        threads: 1,
        memory: 384 << 30,
        distances: Vec::new(),
    };
    let mut costs = modern_costs();
    costs.controller /= 4.0;
    Machine {
        name: "chiplet".to_owned(),
        topology: synthetic.build().expect("the preset is consistent"),
        wiring: Wiring::Packages,
        filling: Filling::Compact,
        costs,
    }
}
