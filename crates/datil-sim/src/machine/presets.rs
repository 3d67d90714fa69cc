//! The machines that come with the simulator.

use datil_policy::topology::Synthetic;

use super::{Answers, Costs, Filling, Machine, Owners, Wiring};

/// Names of the machines, with a line about each.
pub const PRESETS: [(&str, &str); 6] = [
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
    (
        "pair",
        "two processors of a virtual machine on which datil was measured, with datil's own costs, most of them measured, and its owning workers",
    ),
    (
        "epyc-datil",
        "the epyc's units with the costs of the pair, what is farther away as much dearer as on the epyc, and owning workers",
    ),
];

/// The machine with this name.
pub fn preset(name: &str) -> Option<Machine> {
    match name {
        "opteron" => Some(opteron()),
        "epyc" => Some(epyc()),
        "chiplet" => Some(chiplet()),
        "uniform" => Some(uniform()),
        "pair" => Some(pair()),
        "epyc-datil" => Some(epyc_datil()),
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

/// Measured by `cargo bench -p datil-policy` on a processor of 2024 (AMD EPYC, Zen 5, at 4.2 GHz), but for `found`, which is estimated from the instructions
/// that datil needs for it.
const ANSWERS: Answers = Answers {
    woken: 7,
    samples: 4,
    finished: 40,
    wakes: 4,
    found: 14,
};

/// A core of 2012 is assumed to need twice as many cycles.
const ANSWERS_OF_2012: Answers = Answers {
    woken: 2 * ANSWERS.woken,
    samples: 2 * ANSWERS.samples,
    finished: 2 * ANSWERS.finished,
    wakes: 2 * ANSWERS.wakes,
    found: 2 * ANSWERS.found,
};

/// Latencies of caches and memory are those of table 2.1, which were measured on a predecessor (Opteron 6172). All
/// others are assumed but for two: `message_lines` was fitted to concdict (LGS against CLS-TP at 64 workers), and a
/// controller's service time lies in the range in which it moves no ratio by more than 0.02.
fn opteron_costs() -> Costs {
    Costs {
        megahertz: 2300,
        computing: 1.0,
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
        answers: ANSWERS_OF_2012,
        staleness: 2_000,
    }
}

/// Of the class of a current two-socket server; assumed throughout.
pub(super) fn modern_costs() -> Costs {
    Costs {
        megahertz: 2600,
        computing: 1.0,
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
        answers: ANSWERS,
        staleness: 2_000,
    }
}

/// Of datil with a policy that routes, on two processors of a virtual machine (AMD EPYC, Zen 4; ticks of 2.6 GHz) that are near to each
/// other. Measured there by datil's `examples/pair`: caches and memory, a line's way from one processor to the other, a look at the own queue, two readings
/// of the clock, sleeps of 50 µs, waking by futex. Sending, receiving, computing, queueing, an empty mailbox and creation are such that `pingpong`, `count` and `fib` with
/// `cls-tp` on one worker take what they take natively (14, 5 and 28 ns per message); how these are divided among them is assumed, as are controller
/// and link, which nothing on such a machine loads.
fn pair_costs() -> Costs {
    Costs {
        megahertz: 2600,
        computing: 0.05,
        cache: [4, 11, 46],
        memory: vec![680],
        line_shared: 88,
        line: vec![88],
        controller: 6.0,
        link: 4.0,
        message_lines: 1,
        poll: 67,
        theft: 67,
        queue: 11,
        send: 4,
        receive: 4,
        block: 7,
        spawn: 50,
        sleep_slack: 73_000,
        wake: (15_600, 3_900),
        timing: 117,
        answers: ANSWERS,
        staleness: 34,
    }
}

/// As in datil: a hundred looks, 5 µs, every 16 activations, as many records as fit into the 2,048 words that a worker takes in at once, 4,096 messages,
/// 200 µs, 8 looks. The fence, and what lines in a row cost, are measured by `examples/pair`; how many lines say whether a worker rests is counted (its
/// state, whether it sleeps, who idles, who searches). `unrouted` is such that `pingpong` and `threadring` on one worker take 0.62 of the time with policies that do not
/// route, natively on Zen 5 0.58 and 0.62 (5.0 and 8.6 ns per message, 7.9 and 12.8): what it takes to queue an actor and to take it.
///
/// The jitter is assumed. Without any, two workers keep the pace into which they have fallen: chameneos has 38 to 2,694 thefts with lines of 80 to 300 cycles,
/// and with it 261 to 508 with lines of 88 to 440. With 5, 20 and 40 hundredths chameneos and big take the same time but for 4 %.
pub(super) const DATIL: Owners = Owners {
    unrouted: 9,
    patience: 100,
    fence: 1_330,
    silence: 5_000,
    look_every: 16,
    records: 680,
    ahead: 4_096,
    wait: 200_000,
    in_row: 0.25,
    linger: 8,
    words: 4,
    jitter: 20,
};

fn opteron() -> Machine {
    opteron_on(8).expect("it has 8 nodes")
}

fn uniform() -> Machine {
    Machine {
        name: "uniform".to_owned(),
        ..opteron_on(1).expect("a divisor of 64")
    }
}

/// The machine `opteron` with its 64 units, caches and controllers dealt out to another number of nodes: 1, 2, 4, 8 or
/// 16. Up to 8 nodes are as far apart as the first ones of table 6.1; of 16, those that are 8 apart are one step apart,
/// and others as far as their likes among the 8.
///
/// # Errors
/// If it is another number.
pub fn opteron_on(nodes: u32) -> Result<Machine, String> {
    if ![1, 2, 4, 8, 16].contains(&nodes) {
        return Err(format!(
            "the opteron's units can be dealt out to 1, 2, 4, 8 or 16 nodes, not {nodes}"
        ));
    }
    let steps = |a: u32, b: u32| match (a == b, STEPS[a as usize % 8][b as usize % 8]) {
        (true, _) => 0,
        (false, steps) => steps.max(1),
    };
    let row = |a: u32| (0..nodes).map(|b| steps(a, b)).collect();
    let l3 = 8u32.div_ceil(nodes);
    let synthetic = Synthetic {
        packages: nodes.div_ceil(2),
        nodes: nodes.min(2),
        l3: (l3, if nodes == 16 { 3 << 20 } else { 6 << 20 }),
        l2: (32 / nodes / l3, 2 << 20),
        cores: 2,
        l1: 16 << 10,
        memory: (512 << 30) / u64::from(nodes),
        distances: if nodes == 1 {
            Vec::new()
        } else {
            (0..nodes).map(row).collect()
        },
        ..Synthetic::default()
    };
    let mut costs = opteron_costs();
    // As many channels as before, shared by fewer or more controllers.
    costs.controller *= f64::from(nodes) / 8.0;
    Ok(Machine {
        name: if nodes == 8 {
            "opteron".to_owned()
        } else {
            format!("opteron on {nodes} nodes")
        },
        topology: synthetic.build().expect("the preset is consistent"),
        wiring: if nodes == 1 {
            Wiring::Packages
        } else {
            Wiring::Nodes
        },
        filling: if nodes == 1 {
            Filling::Compact
        } else {
            Filling::Spread(4)
        },
        costs,
        owners: None,
        paces: Vec::new(),
    })
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
        l1: 32 << 10,
        memory: 96 << 30,
        distances: (0..8).map(|a| (0..8).map(|b| distance(a, b)).collect()).collect(),
        ..Synthetic::default()
    };
    Machine {
        name: "epyc".to_owned(),
        topology: synthetic.build().expect("the preset is consistent"),
        wiring: Wiring::Packages,
        filling: Filling::Compact,
        costs: modern_costs(),
        owners: None,
        paces: Vec::new(),
    }
}

fn pair() -> Machine {
    let synthetic = Synthetic {
        l3: (1, 240 << 20),
        l2: (2, 2 << 20),
        l1: 48 << 10,
        memory: 8 << 30,
        ..Synthetic::default()
    };
    Machine {
        name: "pair".to_owned(),
        topology: synthetic.build().expect("the preset is consistent"),
        wiring: Wiring::Packages,
        filling: Filling::Compact,
        costs: pair_costs(),
        owners: Some(DATIL),
        paces: Vec::new(),
    }
}

/// What datil's own engine would meet on many cores, where its messages cost a twentieth of what other machines here take for one, and lines the same: what is
/// near costs what was measured on `pair`, and what is farther away as many times as much as in [`modern_costs`].
fn epyc_datil() -> Machine {
    let (near, modern) = (pair_costs(), modern_costs());
    let farther = |near: u32, like: &[u32]| like.iter().map(|cost| near * cost / like[0]).collect();
    Machine {
        name: "epyc-datil".to_owned(),
        costs: Costs {
            line: farther(near.line[0], &modern.line),
            memory: farther(near.memory[0], &modern.memory),
            ..near
        },
        owners: Some(DATIL),
        ..epyc()
    }
}

fn chiplet() -> Machine {
    let synthetic = Synthetic {
        l3: (8, 32 << 20),
        l2: (8, 1 << 20),
        l1: 32 << 10,
        memory: 384 << 30,
        ..Synthetic::default()
    };
    let mut costs = modern_costs();
    costs.controller /= 4.0;
    Machine {
        name: "chiplet".to_owned(),
        topology: synthetic.build().expect("the preset is consistent"),
        wiring: Wiring::Packages,
        filling: Filling::Compact,
        costs,
        owners: None,
        paces: Vec::new(),
    }
}
