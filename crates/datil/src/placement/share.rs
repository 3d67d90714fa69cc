//! Whether the process has its processing units for itself. Whoever shares them should leave it to the system who runs where.

use datil_policy::topology::{cpu_list, cpu_quota};

/// Why the process should be taken to share its units, if so. `read` returns the text of a file by its absolute path.
pub(super) fn reason(read: impl Fn(&str) -> Option<String>) -> Option<String> {
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let own = groups
        .lines()
        .find_map(|line| line.strip_prefix("0::"))
        .unwrap_or("/");
    let folders = || ancestors(own).map(|path| format!("/sys/fs/cgroup{path}"));
    for folder in folders() {
        let file = format!("{folder}/cpu.max");
        if let Some(quota) = read(&file).and_then(|text| cpu_quota(&text)) {
            return Some(format!(
                "{file} leaves the process the time of {quota} units, and does not say which"
            ));
        }
    }
    let online = read("/sys/devices/system/cpu/online").and_then(|text| cpu_list(&text))?;
    let (folder, group) = folders().find_map(|folder| {
        let list = read(&format!("{folder}/cpuset.cpus.effective")).and_then(|text| cpu_list(&text))?;
        Some((folder, list))
    })?;
    let partition = read(&format!("{folder}/cpuset.cpus.partition")).unwrap_or_default();
    let exclusive = matches!(partition.trim(), "root" | "isolated");
    let some = online.iter().any(|unit| !group.contains(unit));
    (some && !exclusive).then(|| {
        format!("{folder} has some of the machine's units and shares them with other groups (cpuset.cpus.partition)")
    })
}

/// The path and all above it, each without a slash at its end.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let first = path.trim_end_matches('/');
    std::iter::successors(Some(first), |path| path.rsplit_once('/').map(|(above, _)| above))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(files: &[(&str, &str)]) -> Option<String> {
        reason(|path| {
            files
                .iter()
                .find(|(name, _)| *name == path)
                .map(|(_, text)| (*text).to_owned())
        })
    }

    const CPUS: (&str, &str) = ("/sys/devices/system/cpu/online", "0-7\n");
    const GROUP: (&str, &str) = ("/proc/self/cgroup", "0::/a/b\n");

    #[test]
    fn a_whole_machine_is_owned() {
        assert_eq!(judge(&[CPUS]), None);
        assert_eq!(
            judge(&[CPUS, GROUP, ("/sys/fs/cgroup/a/b/cpuset.cpus.effective", "0-7\n")]),
            None
        );
        assert_eq!(
            judge(&[CPUS, GROUP, ("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n")]),
            None
        );
        assert_eq!(
            judge(&[]),
            None,
            "where nothing is known nothing speaks against it"
        );
    }

    #[test]
    fn a_limit_of_time_is_a_share_wherever_it_is_set() {
        for path in [
            "/sys/fs/cgroup/a/b/cpu.max",
            "/sys/fs/cgroup/a/cpu.max",
            "/sys/fs/cgroup/cpu.max",
        ] {
            let judged = judge(&[CPUS, GROUP, (path, "150000 100000\n")]).expect("a share");
            assert!(judged.contains(path) && judged.contains("1.5"), "{judged}");
        }
    }

    #[test]
    fn some_of_the_units_are_owned_as_a_partition_only() {
        let set = ("/sys/fs/cgroup/a/cpuset.cpus.effective", "0-3\n");
        let partition = |kind| ("/sys/fs/cgroup/a/cpuset.cpus.partition", kind);
        assert!(judge(&[CPUS, GROUP, set]).is_some());
        assert!(judge(&[CPUS, GROUP, set, partition("member\n")]).is_some());
        assert!(judge(&[CPUS, GROUP, set, partition("root invalid (something)\n")]).is_some());
        assert_eq!(judge(&[CPUS, GROUP, set, partition("root\n")]), None);
        assert_eq!(judge(&[CPUS, GROUP, set, partition("isolated\n")]), None);
    }
}
