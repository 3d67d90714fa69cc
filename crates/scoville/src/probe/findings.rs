//! What a user should know about the machine before trusting a number. Pure: facts in, findings out.

use std::collections::BTreeSet;

use crate::digits::number_of;
use crate::model::machine::{Finding, Level, Machine};

/// Everything worth saying, worst first.
pub fn find(machine: &Machine) -> Vec<Finding> {
    let rules = [
        battery,
        quota,
        virtual_machine,
        steal,
        load,
        governor,
        turbo,
        siblings,
        numa,
        swap,
        memory,
        cgroup,
        counters,
        laboratory,
    ];
    let mut findings: Vec<Finding> = rules.iter().filter_map(|rule| rule(machine)).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    findings
}

fn fact<'a>(machine: &'a Machine, name: &str) -> Option<&'a str> {
    Some(machine.facts.get(name)?.value()?.as_str())
}

fn finding(level: Level, what: impl Into<String>, why: &str, mend: &str) -> Option<Finding> {
    Some(Finding {
        level,
        what: what.into(),
        why: why.to_owned(),
        mend: mend.to_owned(),
    })
}

fn battery(machine: &Machine) -> Option<Finding> {
    if fact(machine, "power")? != "battery" {
        return None;
    }
    let why = "on battery the CPU's frequency follows the charge, not the work";
    finding(Level::Stop, "the machine runs on battery", why, "plug it in")
}

fn quota(machine: &Machine) -> Option<Finding> {
    let quota = fact(machine, "CPU quota").filter(|quota| *quota != "none")?;
    let why = "a quota stops all threads for tens of milliseconds at a time, and some runtimes size their pools by it";
    let mend = "run without a CPU quota; bind to fewer CPUs instead";
    finding(
        Level::Warn,
        format!("a CPU quota is in force ({quota})"),
        why,
        mend,
    )
}

fn virtual_machine(machine: &Machine) -> Option<Finding> {
    let kind = machine
        .virtualisation
        .value()
        .filter(|kind| kind.contains("virtual machine"))?;
    let why = "the hypervisor can take CPUs away or move them apart; ratios within a block stay valid, absolute times drift";
    finding(Level::Warn, format!("this is a {kind}"), why, "")
}

fn steal(machine: &Machine) -> Option<Finding> {
    let steal: f64 = fact(machine, "steal since boot")?
        .trim_end_matches(" %")
        .parse()
        .ok()?;
    if steal <= 1.0 {
        return None;
    }
    let why = "other virtual machines take time that looks like the runtime's own";
    finding(
        Level::Warn,
        format!("{steal} % of the CPU time since boot went to other machines"),
        why,
        "use a dedicated host",
    )
}

fn load(machine: &Machine) -> Option<Finding> {
    let load: f64 = fact(machine, "load")?.split_whitespace().next()?.parse().ok()?;
    if load <= 0.5 {
        return None;
    }
    let why = "other programs compete for CPUs, caches and memory; blocks that they disturb are flagged, and intervals become wider";
    finding(
        Level::Warn,
        format!("the load average is {load}"),
        why,
        "end other programs, or wait",
    )
}

fn governor(machine: &Machine) -> Option<Finding> {
    let governor = fact(machine, "governor").filter(|governor| *governor != "performance")?;
    let why = "the frequency follows the load with a delay, so short and sleepy programs run slower";
    finding(
        Level::Warn,
        format!("the frequency governor is {governor}"),
        why,
        "sudo cpupower frequency-set -g performance",
    )
}

fn turbo(machine: &Machine) -> Option<Finding> {
    let source = machine
        .facts
        .get("turbo")
        .filter(|turbo| turbo.value().is_some_and(|state| state == "on"))?;
    let mend = match source {
        crate::model::reading::Reading::Known { source, .. } if source.contains("no_turbo") => {
            "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
        }
        _ => "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
    };
    let why =
        "the frequency depends on how many cores are busy and how warm they are, so scaling curves bend";
    finding(Level::Warn, "turbo frequencies are on", why, mend)
}

fn siblings(machine: &Machine) -> Option<Finding> {
    let (cpus, cores) = (machine.cpus.len(), machine.cores());
    if cores == cpus {
        return None;
    }
    let why = "two hardware threads share a core; with more CPUs than cores, scaling measures the sharing";
    finding(
        Level::Warn,
        format!(
            "{cpus} CPUs are {} (SMT is on), so from --cores {} on some are siblings",
            number_of(cores, "core"),
            cores + 1
        ),
        why,
        "echo off | sudo tee /sys/devices/system/cpu/smt/control",
    )
}

fn numa(machine: &Machine) -> Option<Finding> {
    let nodes: BTreeSet<u32> = machine.cpus.iter().map(|cpu| cpu.node).collect();
    if nodes.len() < 2 || fact(machine, "NUMA balancing")? == "0" {
        return None;
    }
    let why = "the kernel moves memory and threads between nodes in the middle of a measurement";
    finding(
        Level::Warn,
        "automatic NUMA balancing is on",
        why,
        "echo 0 | sudo tee /proc/sys/kernel/numa_balancing",
    )
}

fn swap(machine: &Machine) -> Option<Finding> {
    let swap = fact(machine, "swap in use").filter(|swap| !swap.starts_with("0 of"))?;
    let why = "a page that comes back from swap costs a hundred thousand messages";
    finding(
        Level::Note,
        format!("swap is in use ({swap})"),
        why,
        "sudo swapoff -a",
    )
}

fn memory(machine: &Machine) -> Option<Finding> {
    let available: u64 = fact(machine, "memory available")?
        .trim_end_matches(" MiB")
        .parse()
        .ok()?;
    if available >= 2048 {
        return None;
    }
    let why = "runtimes with large heaps are ended by the kernel, or swap";
    finding(
        Level::Warn,
        format!("only {available} MiB of memory are available"),
        why,
        "end other programs",
    )
}

fn cgroup(machine: &Machine) -> Option<Finding> {
    let mend = "systemd-run --user --scope -p Delegate=yes scoville ...";
    match &machine.cgroup {
        crate::model::reading::Reading::Unavailable { unavailable } => finding(
            Level::Warn,
            format!("control groups cannot be used: {unavailable}"),
            "CPU time of helper processes is only known when they are waited for, and ending a tree takes longer",
            mend,
        ),
        crate::model::reading::Reading::Known { value, .. } if !value.contains("memory") => finding(
            Level::Note,
            "control groups have no memory controller here",
            "peak memory is read as VmHWM, which leaves out kernel memory and page cache",
            "",
        ),
        crate::model::reading::Reading::Known { .. } => None,
    }
}

fn counters(machine: &Machine) -> Option<Finding> {
    let reason = match machine.events.get("instructions")? {
        crate::model::reading::Reading::Unavailable { unavailable } => unavailable.clone(),
        crate::model::reading::Reading::Known { .. } => return None,
    };
    let why = "instructions, cycles and cache misses are left out of the report";
    finding(Level::Note, format!("no hardware counters: {reason}"), why, "")
}

fn laboratory(machine: &Machine) -> Option<Finding> {
    let cpus = machine.cpus.len();
    let why = "with as many workers as CPUs the laboratory itself runs on a measured one, some microseconds per iteration";
    let what = match cpus {
        1 => "there is only 1 CPU".to_owned(),
        _ => format!("there are only {cpus} CPUs"),
    };
    (cpus <= 2).then(|| finding(Level::Note, what, why, ""))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::machine::Cpu;
    use crate::model::reading::Reading;
    use std::collections::BTreeMap;

    /// A machine that nothing is to be said about.
    fn quiet() -> Machine {
        let known = |text: &str| Reading::known(text.to_owned(), "test");
        Machine {
            cpu_model: known("cpu"),
            cpus: (0..8)
                .map(|id| Cpu {
                    id,
                    core: id,
                    package: 0,
                    node: 0,
                    llc: 0,
                })
                .collect(),
            memory_bytes: Reading::known(1 << 34, "test"),
            kernel: known("6"),
            distribution: known("d"),
            virtualisation: known("none"),
            cgroup: known("version 2, leaves with cpu memory"),
            events: BTreeMap::from([("instructions".to_owned(), Reading::known(true, "test"))]),
            facts: [
                ("power", "mains"),
                ("CPU quota", "none"),
                ("steal since boot", "0.10 %"),
                ("load", "0.10 0.1 0.1 1/100 5"),
                ("governor", "performance"),
                ("turbo", "off"),
                ("NUMA balancing", "0"),
                ("swap in use", "0 of 0 MiB"),
                ("memory available", "9000 MiB"),
            ]
            .iter()
            .map(|(name, text)| ((*name).to_owned(), known(text)))
            .collect(),
            fingerprint: String::new(),
        }
    }

    #[test]
    fn a_quiet_machine_has_no_findings() {
        assert_eq!(find(&quiet()), []);
    }

    #[test]
    fn every_bad_fact_has_its_finding() {
        for (name, value, level, words) in [
            ("power", "battery", Level::Stop, "battery"),
            ("CPU quota", "0.5 CPUs", Level::Warn, "(0.5 CPUs)"),
            ("steal since boot", "3.00 %", Level::Warn, "other machines"),
            ("load", "1.50 1 1 1/1 1", Level::Warn, "load average is 1.5"),
            ("governor", "powersave", Level::Warn, "governor is powersave"),
            ("turbo", "on", Level::Warn, "turbo"),
            ("swap in use", "12 of 100 MiB", Level::Note, "swap"),
            ("memory available", "500 MiB", Level::Warn, "500 MiB"),
        ] {
            let mut machine = quiet();
            machine
                .facts
                .insert(name.to_owned(), Reading::known(value.to_owned(), "test"));
            let findings = find(&machine);
            assert_eq!(findings.len(), 1, "{name}: {findings:?}");
            assert_eq!(findings[0].level, level);
            assert!(findings[0].what.contains(words), "{findings:?}");
            assert!(!findings[0].why.is_empty());
        }
    }

    #[test]
    fn shape_and_abilities_have_their_findings_worst_first() {
        let mut machine = quiet();
        machine.cpus.iter_mut().for_each(|cpu| cpu.core /= 2);
        machine.cgroup = Reading::unavailable("read-only");
        machine
            .events
            .insert("instructions".to_owned(), Reading::unavailable("ENOENT"));
        let findings = find(&machine);
        let levels: Vec<Level> = findings.iter().map(|f| f.level).collect();
        assert_eq!(levels, [Level::Warn, Level::Warn, Level::Note]);
        assert!(
            findings[0].what.contains("8 CPUs are 4 cores") && findings[0].what.contains("from --cores 5 on")
        );
        machine.cpus.truncate(2);
        let findings = find(&machine);
        assert!(
            findings
                .iter()
                .any(|f| f.what.contains("2 CPUs are 1 core ") && f.what.contains("from --cores 2 on")),
            "{findings:?}"
        );
    }

    #[test]
    fn an_unknown_fact_is_no_finding() {
        let mut machine = quiet();
        machine.facts.clear();
        assert_eq!(find(&machine), []);
    }

    #[test]
    fn one_cpu_is_not_called_several() {
        for (cpus, told) in [(1, "there is only 1 CPU"), (2, "there are only 2 CPUs")] {
            let mut machine = quiet();
            machine.cpus.truncate(cpus);
            assert_eq!(laboratory(&machine).unwrap().what, told);
        }
    }
}
