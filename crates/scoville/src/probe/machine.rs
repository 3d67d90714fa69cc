//! What kind of machine this is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use datil_policy::topology::ControlGroups;
use sha2::{Digest, Sha256};

use super::{findings, topology};
use crate::model::machine::{Cpu, Finding, Machine};
use crate::model::reading::Reading;

/// Facts that are one small file each: name, file.
const FILES: [(&str, &str); 16] = [
    (
        "governor",
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    ),
    (
        "frequency driver",
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver",
    ),
    (
        "energy preference",
        "/sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference",
    ),
    ("SMT", "/sys/devices/system/cpu/smt/control"),
    ("isolated CPUs", "/sys/devices/system/cpu/isolated"),
    (
        "transparent huge pages",
        "/sys/kernel/mm/transparent_hugepage/enabled",
    ),
    ("NUMA balancing", "/proc/sys/kernel/numa_balancing"),
    ("ASLR", "/proc/sys/kernel/randomize_va_space"),
    ("swappiness", "/proc/sys/vm/swappiness"),
    ("overcommit", "/proc/sys/vm/overcommit_memory"),
    ("perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid"),
    (
        "clock source",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    ),
    ("kernel command line", "/proc/cmdline"),
    ("kernel build", "/proc/sys/kernel/version"),
    ("load", "/proc/loadavg"),
    ("autogroup", "/proc/sys/kernel/sched_autogroup_enabled"),
];

/// Reads the whole machine, and judges it. How control groups can be used and which events can be counted is for the
/// caller to say, who tries it.
pub fn probe(cgroup: Reading<String>, events: BTreeMap<String, Reading<bool>>) -> (Machine, Vec<Finding>) {
    let cpus = topology::cpus();
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let mut machine = Machine {
        cpu_model: named(&cpuinfo, "model name", "/proc/cpuinfo"),
        memory_bytes: kilobytes(&meminfo, "MemTotal"),
        kernel: file("/proc/sys/kernel/osrelease"),
        distribution: distribution(),
        virtualisation: virtualisation(&cpuinfo),
        cgroup,
        events,
        facts: facts(&cpuinfo, &meminfo),
        fingerprint: String::new(),
        cpus,
    };
    machine.fingerprint = fingerprint(&machine);
    let findings = findings::find(&machine);
    (machine, findings)
}

fn facts(cpuinfo: &str, meminfo: &str) -> BTreeMap<String, Reading<String>> {
    let mut facts: BTreeMap<String, Reading<String>> = FILES
        .iter()
        .map(|&(name, path)| (name.to_owned(), file(path).map(or_none)))
        .collect();
    facts.insert(
        "tool".to_owned(),
        Reading::known(env!("CARGO_PKG_VERSION").to_owned(), "this program"),
    );
    facts.insert(
        "architecture".to_owned(),
        Reading::known(std::env::consts::ARCH.to_owned(), "this program"),
    );
    facts.insert(
        "microcode".to_owned(),
        named(cpuinfo, "microcode", "/proc/cpuinfo"),
    );
    facts.insert("turbo".to_owned(), turbo());
    facts.insert("vulnerable to".to_owned(), vulnerabilities());
    facts.insert("swap in use".to_owned(), swap(meminfo));
    facts.insert(
        "memory available".to_owned(),
        kilobytes(meminfo, "MemAvailable").map(|b| format!("{} MiB", b >> 20)),
    );
    facts.insert(
        "CPU quota".to_owned(),
        quota(|path| fs::read_to_string(path).ok()),
    );
    facts.insert("steal since boot".to_owned(), steal());
    facts.insert("power".to_owned(), power(Path::new("/sys/class/power_supply")));
    facts
}

/// An empty list, as of isolated CPUs, has a word.
fn or_none(fact: String) -> String {
    if fact.is_empty() { "none".to_owned() } else { fact }
}

/// A file of one line.
fn file(path: &str) -> Reading<String> {
    match fs::read_to_string(path) {
        Ok(text) => Reading::known(text.trim().to_owned(), path),
        Err(e) => Reading::unavailable(format!("{path}: {e}")),
    }
}

/// The value after `name :` in a file of such lines.
fn named(text: &str, name: &str, source: &str) -> Reading<String> {
    let value = text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    });
    value.map_or_else(
        || Reading::unavailable(format!("{source} has no {name:?}")),
        |v| Reading::known(v, source),
    )
}

/// Memory that programs can get now, bytes; `None` where the kernel does not tell.
pub fn available_memory() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    kilobytes(&meminfo, "MemAvailable").value().copied()
}

fn kilobytes(meminfo: &str, name: &str) -> Reading<u64> {
    match named(meminfo, name, "/proc/meminfo") {
        Reading::Known { value, source } => match value.trim_end_matches("kB").trim().parse::<u64>() {
            Ok(kb) => Reading::known(kb * 1024, source),
            Err(e) => Reading::unavailable(format!("/proc/meminfo {name}: {e}")),
        },
        Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable },
    }
}

fn distribution() -> Reading<String> {
    const PATH: &str = "/etc/os-release";
    let text = fs::read_to_string(PATH).unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    match name {
        Some(name) => Reading::known(name.trim_matches('"').to_owned(), PATH),
        None => Reading::unavailable(format!("{PATH} names none")),
    }
}

/// Hypervisor by the CPU's flag and the firmware's tables, container by the marks that managers leave.
fn virtualisation(cpuinfo: &str) -> Reading<String> {
    let mut found = Vec::new();
    if cpuinfo
        .lines()
        .any(|l| l.starts_with("flags") && l.split_whitespace().any(|flag| flag == "hypervisor"))
    {
        let vendor = ["/sys/hypervisor/type", "/sys/class/dmi/id/sys_vendor"]
            .iter()
            .find_map(|path| fs::read_to_string(path).ok())
            .map_or_else(
                || "of an unknown kind".to_owned(),
                |vendor| format!("by {}", vendor.trim()),
            );
        found.push(format!("virtual machine {vendor}"));
    }
    if let Ok(manager) = fs::read_to_string("/run/systemd/container") {
        found.push(format!("container by {}", manager.trim()));
    } else if Path::new("/.dockerenv").exists() || Path::new("/run/.containerenv").exists() {
        found.push("container".to_owned());
    }
    let text = if found.is_empty() {
        "none".to_owned()
    } else {
        found.join(", ")
    };
    Reading::known(text, "CPU flags, firmware tables and container marks")
}

fn turbo() -> Reading<String> {
    let flag = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let words = |on: bool| if on { "on" } else { "off" }.to_owned();
    if let Some(no_turbo) = flag("/sys/devices/system/cpu/intel_pstate/no_turbo") {
        return Reading::known(words(no_turbo == "0"), "intel_pstate/no_turbo");
    }
    match flag("/sys/devices/system/cpu/cpufreq/boost") {
        Some(boost) => Reading::known(words(boost == "1"), "cpufreq/boost"),
        None => Reading::unavailable("the machine shows no frequency control"),
    }
}

fn vulnerabilities() -> Reading<String> {
    const FOLDER: &str = "/sys/devices/system/cpu/vulnerabilities";
    let Ok(entries) = fs::read_dir(FOLDER) else {
        return Reading::unavailable(format!("{FOLDER} cannot be read"));
    };
    let mut open: Vec<String> = entries
        .flatten()
        .filter(|entry| fs::read_to_string(entry.path()).is_ok_and(|text| text.starts_with("Vulnerable")))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    open.sort();
    Reading::known(
        if open.is_empty() {
            "nothing".to_owned()
        } else {
            open.join(", ")
        },
        FOLDER,
    )
}

fn swap(meminfo: &str) -> Reading<String> {
    match (
        kilobytes(meminfo, "SwapTotal").value(),
        kilobytes(meminfo, "SwapFree").value(),
    ) {
        (Some(total), Some(free)) => Reading::known(
            format!("{} of {} MiB", total.saturating_sub(*free) >> 20, total >> 20),
            "/proc/meminfo",
        ),
        _ => Reading::unavailable("/proc/meminfo has no swap"),
    }
}

/// The tightest quota of the process' group and all above it; what is above a container is not visible inside.
fn quota(read: impl Fn(&str) -> Option<String>) -> Reading<String> {
    let groups = match ControlGroups::of("cpu", &read) {
        Ok(groups) => groups,
        Err(unseen) => return Reading::unavailable(unseen.to_string()),
    };
    match (groups.cpu_limit(&read), groups.folders().first()) {
        (Some(limit), _) => {
            let cpus = (100.0 * limit.units).round() / 100.0;
            let unit = if cpus == 1.0 { "CPU" } else { "CPUs" };
            Reading::known(format!("{cpus} {unit}"), limit.file)
        }
        (None, Some(own)) => Reading::known("none".to_owned(), own.as_str()),
        (None, None) => Reading::unavailable("no control group shows a quota"),
    }
}

fn steal() -> Reading<String> {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks: Vec<f64> = text
        .lines()
        .next()
        .map(|line| {
            line.split_whitespace()
                .skip(1)
                .take(8)
                .filter_map(|w| w.parse().ok())
                .collect()
        })
        .unwrap_or_default();
    match ticks[..] {
        [.., steal] if ticks.len() == 8 => {
            let total: f64 = ticks.iter().sum();
            Reading::known(format!("{:.2} %", 100.0 * steal / total.max(1.0)), "/proc/stat")
        }
        _ => Reading::unavailable("/proc/stat shows no steal"),
    }
}

/// What feeds the machine. A mouse without a wire has a battery too, which lies in the same folder and has a scope.
fn power(folder: &Path) -> Reading<String> {
    let supplies = fs::read_dir(folder).into_iter().flatten().flatten();
    let discharging = supplies.map(|supply| supply.path()).any(|supply| {
        let says = |file: &str, word: &str| {
            fs::read_to_string(supply.join(file)).is_ok_and(|text| text.trim() == word)
        };
        says("status", "Discharging") && !says("scope", "Device")
    });
    let source = if discharging { "battery" } else { "mains" };
    Reading::known(source.to_owned(), folder.to_string_lossy())
}

/// What makes two sessions comparable in a history: the hardware and its shape, no measured speed and nothing that a
/// reboot or an update changes.
fn fingerprint(machine: &Machine) -> String {
    let shape = |cpu: &Cpu| format!("{}/{}/{}/{}", cpu.package, cpu.node, cpu.llc, cpu.core);
    let text = format!(
        "{}|{}|{} GiB|{}",
        machine.cpu_model.value().map_or("?", String::as_str),
        machine.cpus.iter().map(shape).collect::<Vec<_>>().join(","),
        // Rounded, because the kernel's own share differs from version to version.
        machine
            .memory_bytes
            .value()
            .map_or(0, |bytes| (bytes + (1 << 29)) >> 30),
        machine.virtualisation.value().map_or("?", String::as_str),
    );
    Sha256::digest(text.as_bytes())
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_can_be_described() {
        let events = BTreeMap::from([("instructions".to_owned(), Reading::unavailable("not tried"))]);
        let (machine, _) = probe(Reading::unavailable("not tried"), events.clone());
        assert!(!machine.cpus.is_empty());
        assert!(machine.memory_bytes.value().is_some_and(|&b| b > 0));
        assert!(machine.kernel.value().is_some());
        assert_eq!(machine.cgroup, Reading::unavailable("not tried"));
        assert_eq!(machine.fingerprint.len(), 12);
        assert_eq!(machine.events, events);
    }

    #[test]
    fn the_battery_of_a_mouse_does_not_feed_the_machine() {
        let folder = tempfile::tempdir().unwrap();
        let supply = |name: &str, files: &[(&str, &str)]| {
            fs::create_dir(folder.path().join(name)).unwrap();
            for (file, text) in files {
                fs::write(folder.path().join(name).join(file), text).unwrap();
            }
        };
        let fed_by = || power(folder.path()).value().cloned();
        assert_eq!(fed_by().as_deref(), Some("mains"));
        supply("AC", &[("online", "0\n")]);
        supply(
            "hidpp_battery_0",
            &[("status", "Discharging\n"), ("scope", "Device\n")],
        );
        assert_eq!(fed_by().as_deref(), Some("mains"));
        supply("BAT0", &[("status", "Discharging\n")]);
        assert_eq!(fed_by().as_deref(), Some("battery"));
    }

    /// Set on a scope, as `systemd-run -p CPUQuota=50%` does, with and without version 1; and for a container.
    #[test]
    fn a_quota_is_found_where_it_is_set() {
        const TWO: &str = "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        const ONE: &str = "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";
        let found = |group: &str, mounts: &str, files: &[(&str, &str)]| {
            quota(|path| match path {
                "/proc/self/cgroup" => Some(group.to_owned()),
                "/proc/self/mountinfo" => Some(mounts.to_owned()),
                _ => files
                    .iter()
                    .find(|(name, _)| *name == path)
                    .map(|(_, text)| (*text).to_owned()),
            })
        };
        let half = [("/sys/fs/cgroup/user.slice/run.scope/cpu.max", "50000 100000\n")];
        let quota = found("0::/user.slice/run.scope\n", TWO, &half);
        assert_eq!(quota, Reading::known("0.5 CPUs".to_owned(), half[0].0));
        let slice = "/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us";
        let files = [
            (slice, "250000\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n"),
        ];
        let quota = found("4:cpu,cpuacct:/box/in\n0::/\n", ONE, &files);
        assert_eq!(quota, Reading::known("2.5 CPUs".to_owned(), slice));
        let one = [("/sys/fs/cgroup/cpu.max", "100000 100000\n")];
        let quota = found("0::/\n", TWO, &one);
        assert_eq!(quota, Reading::known("1 CPU".to_owned(), one[0].0));
        assert_eq!(
            found("0::/\n", TWO, &[("/sys/fs/cgroup/cpu.max", "max 100000\n")]),
            Reading::known("none".to_owned(), "/sys/fs/cgroup")
        );
        assert_eq!(found("0::/../b\n", TWO, &[]).value(), None);
        assert_eq!(found("", "", &[]).value(), None);
    }

    #[test]
    fn the_fingerprint_follows_the_hardware_only() {
        let (machine, _) = probe(Reading::unavailable("not tried"), BTreeMap::new());
        let mut other = machine.clone();
        other.kernel = Reading::known("9.9".to_owned(), "x");
        other.facts.clear();
        assert_eq!(fingerprint(&other), machine.fingerprint);
        other.cpu_model = Reading::known("abacus".to_owned(), "x");
        assert_ne!(fingerprint(&other), machine.fingerprint);
    }

    #[test]
    fn values_are_found_by_their_whole_name() {
        assert_eq!(kilobytes("MemTotal: 2 kB\n", "MemTotal").value(), Some(&2048));
        assert_eq!(kilobytes("MemTotalX: 2 kB\n", "MemTotal").value(), None);
        assert_eq!(
            named("model name\t: a : b\n", "model name", "s").value(),
            Some(&"a : b".to_owned())
        );
    }
}
