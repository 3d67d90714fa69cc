//! Processes as `/proc` shows them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::PathBuf;

use datil_policy::topology::cpu_list;
use rustix::process::Pid;

/// Start time of a process in clock ticks since boot: with its number an identity that is never used twice.
pub fn start_time(pid: Pid) -> Option<u64> {
    stat(pid)?.get(19)?.parse().ok()
}

/// Parent of a process, and whether it is a zombie.
fn parent(pid: Pid) -> Option<(i32, bool)> {
    let fields = stat(pid)?;
    Some((fields.get(1)?.parse().ok()?, fields.first()? == "Z"))
}

/// The fields of `/proc/PID/stat` from the state on; what precedes them may contain anything.
fn stat(pid: Pid) -> Option<Vec<String>> {
    let text = fs::read_to_string(file(pid, "stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

/// Living processes below `root`, zombies left out.
pub fn descendants(root: Pid) -> Vec<Pid> {
    let mut children: BTreeMap<i32, Vec<Pid>> = BTreeMap::new();
    let mut zombies = HashSet::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|n| n.parse().ok()).and_then(Pid::from_raw) else {
            continue;
        };
        if let Some((parent, zombie)) = parent(pid) {
            children.entry(parent).or_default().push(pid);
            if zombie {
                zombies.insert(pid);
            }
        }
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        for child in children.remove(&pid.as_raw_nonzero().get()).unwrap_or_default() {
            open.push(child);
            if !zombies.contains(&child) {
                found.push(child);
            }
        }
    }
    found
}

/// Threads of a process; the own one if `None`.
pub fn thread_count(pid: Option<Pid>) -> Option<u64> {
    status_field(pid, "Threads")?.parse().ok()
}

/// Resident memory now, bytes.
pub fn resident_bytes(pid: Pid) -> Option<u64> {
    kilobytes(&status_field(Some(pid), "VmRSS")?)
}

/// Largest resident memory since start or since [`reset_peak`], bytes.
pub fn peak_bytes(pid: Pid) -> Option<u64> {
    kilobytes(&status_field(Some(pid), "VmHWM")?)
}

/// Makes [`peak_bytes`] start again from the present resident memory. Walks no page tables, so it costs microseconds.
///
/// # Errors
/// If the kernel forbids it (`/proc/PID/clear_refs`).
pub fn reset_peak(pid: Pid) -> std::io::Result<()> {
    fs::write(file(pid, "clear_refs"), "5")
}

/// CPUs that any thread of the process may use; `None` if it is gone.
pub fn allowed_cpus(pid: Pid) -> Option<BTreeSet<u32>> {
    let mut allowed = BTreeSet::new();
    for thread in threads(pid)? {
        // A thread may end between listing and reading.
        if let Some(text) = fs::read_to_string(thread.join("status")).ok().as_deref()
            && let Some(list) = field(text, "Cpus_allowed_list")
        {
            allowed.extend(cpu_list(list)?);
        }
    }
    (!allowed.is_empty()).then_some(allowed)
}

/// Time that the living threads of a process were runnable and waited for a CPU, ns.
pub fn run_queue_wait_ns(pid: Pid) -> Option<u64> {
    let waits = threads(pid)?.into_iter().filter_map(|thread| {
        let text = fs::read_to_string(thread.join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    let waits: Vec<u64> = waits.collect();
    (!waits.is_empty()).then(|| waits.iter().sum())
}

/// What every thread of a process is doing in the kernel, for a diagnosis.
pub fn kernel_stacks(pid: Pid) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for thread in threads(pid).unwrap_or_default().into_iter().take(64) {
        let read = |name: &str| fs::read_to_string(thread.join(name)).unwrap_or_default();
        let status = read("status");
        let _ = writeln!(
            text,
            "thread {} ({}) {}, in {}\n{}",
            thread.file_name().and_then(|n| n.to_str()).unwrap_or("?"),
            read("comm").trim(),
            field(&status, "State").unwrap_or("gone"),
            read("wchan").trim(),
            read("stack").trim_end(),
        );
    }
    text
}

fn threads(pid: Pid) -> Option<Vec<PathBuf>> {
    let entries = fs::read_dir(file(pid, "task")).ok()?;
    Some(entries.flatten().map(|entry| entry.path()).collect())
}

fn status_field(pid: Option<Pid>, name: &str) -> Option<String> {
    let path = pid.map_or_else(|| PathBuf::from("/proc/self/status"), |pid| file(pid, "status"));
    field(&fs::read_to_string(path).ok()?, name).map(str::to_owned)
}

fn file(pid: Pid, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{}/{name}", pid.as_raw_nonzero()))
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key == name).then(|| value.trim())
    })
}

fn kilobytes(value: &str) -> Option<u64> {
    let number: u64 = value.strip_suffix("kB")?.trim().parse().ok()?;
    Some(number * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_seen_as_it_is() {
        let me = rustix::process::getpid();
        assert!(start_time(me).unwrap() > 0);
        assert!(thread_count(Some(me)).unwrap() >= 1);
        assert!(peak_bytes(me).unwrap() >= resident_bytes(me).unwrap() / 2);
        assert!(!allowed_cpus(me).unwrap().is_empty());
        assert!(run_queue_wait_ns(me).is_some());
        assert!(kernel_stacks(me).contains("thread "));
    }

    #[test]
    fn a_child_is_a_descendant_until_it_is_a_zombie() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = Pid::from_raw(child.id() as i32).unwrap();
        let me = rustix::process::getpid();
        assert!(descendants(me).contains(&pid));
        child.kill().unwrap();
        while descendants(me).contains(&pid) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }
}
