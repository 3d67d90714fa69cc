//! How long each CPU has run anything, to the nanosecond: the accounting of the root control group (version 1, `cpuacct`).
//! Not every machine has it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};

/// What `cpuacct.usage_percpu` of the root control group says, if there is one.
pub fn read() -> Option<String> {
    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || root(&fs::read_to_string("/proc/self/mountinfo").ok()?, Path::exists);
    fs::read_to_string(FILE.get_or_init(find).as_ref()?).ok()
}

/// Time in which these CPUs ran anything but idled, ns; `None` if one of them is not there.
pub fn of_cpus(text: &str, cpus: &[u32]) -> Option<u64> {
    let all: Option<Vec<u64>> = text.split_whitespace().map(|word| word.parse().ok()).collect();
    let all = all?;
    cpus.iter().map(|&cpu| all.get(cpu as usize).copied()).sum()
}

/// Period of the kernel's tick, ns. A thread's time is added when it leaves its CPU, and at each tick meanwhile.
pub fn tick_ns() -> u64 {
    // The coarse clock goes on at ticks only.
    nanoseconds(clock_getres(ClockId::MonotonicCoarse))
}

/// CPU time of this program, ns; 0 as long as it keeps off these CPUs.
pub fn of_this_program(cpus: &[u32]) -> u64 {
    let used = nanoseconds(clock_gettime(ClockId::ProcessCPUTime));
    let aside = rustix::thread::sched_getaffinity(None)
        .is_ok_and(|allowed| cpus.iter().all(|&cpu| !allowed.is_set(cpu as usize)));
    if aside { 0 } else { used }
}

fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The file, from `/proc/self/mountinfo`. In a container the hierarchy that is mounted may be its own part, where others
/// do not count; only the true root has a `release_agent`.
fn root(mountinfo: &str, exists: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let folder = mountinfo.lines().find_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let mut kind = right.split(' ');
        let accounts =
            kind.next() == Some("cgroup") && kind.next_back()?.split(',').any(|option| option == "cpuacct");
        accounts.then(|| left.split(' ').nth(4).map(PathBuf::from))?
    })?;
    exists(&folder.join("release_agent")).then(|| folder.join("cpuacct.usage_percpu"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "29 23 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
                          31 24 0:27 / /sys/fs/cgroup/cpuset rw,nosuid - cgroup cgroup rw,cpuset\n\
                          32 24 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct\n";

    #[test]
    fn the_root_is_found_and_a_containers_part_is_not_taken_for_it() {
        let file = Path::new("/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage_percpu");
        assert_eq!(root(MOUNTS, |_| true).as_deref(), Some(file));
        assert_eq!(root(MOUNTS, |_| false), None);
        assert_eq!(root(MOUNTS.lines().next().unwrap_or_default(), |_| true), None);
    }

    #[test]
    fn only_the_cpus_asked_for_count() {
        assert_eq!(of_cpus("100 20 3 \n", &[0, 2]), Some(103));
        assert_eq!(of_cpus("100 20 3 \n", &[3]), None);
        assert_eq!(of_cpus("100 x", &[0]), None);
    }

    #[test]
    fn this_program_uses_time_where_it_may_run_only() {
        let here = crate::probe::topology::cpus()[0].id;
        let before = of_this_program(&[here]);
        assert!(before > 0);
        assert!(of_this_program(&[here]) >= before);
        assert_eq!(of_this_program(&[1023]), 0);
    }

    #[test]
    fn a_tick_is_between_one_and_ten_milliseconds() {
        assert!(
            (1_000_000 - 1_000..=10_000_000 + 1_000).contains(&tick_ns()),
            "{}",
            tick_ns()
        );
    }
}
