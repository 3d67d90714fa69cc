//! Facts about the machine that a session ran on.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::reading::Reading;

/// Machine facts, taken once per session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// CPU model as the kernel prints it.
    pub cpu_model: Reading<String>,
    /// CPUs this process may use.
    pub cpus: Vec<Cpu>,
    /// Memory in bytes.
    pub memory_bytes: Reading<u64>,
    /// Kernel release.
    pub kernel: Reading<String>,
    /// Distribution.
    pub distribution: Reading<String>,
    /// Hypervisor or container, or `none`.
    pub virtualisation: Reading<String>,
    /// How control groups can be used here.
    pub cgroup: Reading<String>,
    /// Which performance events can be counted.
    pub events: BTreeMap<String, Reading<bool>>,
    /// Everything else worth knowing: governor, turbo, SMT, THP, ASLR, swap, NUMA balancing, tool version, git commit ...
    pub facts: BTreeMap<String, Reading<String>>,
    /// Identity for histories, without measured speeds.
    pub fingerprint: String,
}

/// Facts that change a machine's speed and not its fingerprint.
const SETTINGS: [&str; 10] = [
    "governor",
    "energy preference",
    "turbo",
    "power",
    "microcode",
    "SMT",
    "isolated CPUs",
    "CPU quota",
    "transparent huge pages",
    "NUMA balancing",
];

impl Machine {
    /// Kernel and settings that are other ones in `later`, each by its name with both values, where both are known.
    pub fn changes<'a>(&'a self, later: &'a Machine) -> Vec<(&'static str, [&'a str; 2])> {
        let of_kernel = std::iter::once(("kernel", [Some(&self.kernel), Some(&later.kernel)]));
        let of_facts = SETTINGS.map(|name| (name, [self, later].map(|machine| machine.facts.get(name))));
        let differs = |(name, [before, after]): (_, [Option<&'a Reading<String>>; 2])| {
            let (before, after) = (before?.value()?, after?.value()?);
            (before != after).then_some((name, [before.as_str(), after.as_str()]))
        };
        of_kernel.chain(of_facts).filter_map(differs).collect()
    }

    /// Physical cores that the CPUs are on; fewer than CPUs if some are hardware threads of one core.
    pub fn cores(&self) -> usize {
        let cores: BTreeSet<(u32, u32)> = self.cpus.iter().map(|cpu| (cpu.package, cpu.core)).collect();
        cores.len()
    }
}

/// One CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// The kernel's number.
    pub id: u32,
    /// Physical core within the package.
    pub core: u32,
    /// Package.
    pub package: u32,
    /// NUMA node.
    pub node: u32,
    /// An identity of the last-level cache it belongs to.
    pub llc: u32,
}

/// How bad a finding about the machine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Results will be noisier or biased.
    Warn,
    /// Measuring makes no sense.
    Stop,
}

/// Something about the machine that a user should know before trusting a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// How bad.
    pub level: Level,
    /// What was found.
    pub what: String,
    /// Why it matters.
    pub why: String,
    /// The command or action that mends it; empty if there is none.
    pub mend: String,
}

/// Sensors read around a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockSensors {
    /// One-way time to hand a cache line between the chosen CPUs, ns (the slowest pair of neighbours in the list).
    pub line_handover_ns: Reading<f64>,
    /// Time of a fixed single-threaded kernel, ns. It only flags blocks; results are never divided by it.
    pub canary_ns: Reading<f64>,
}
