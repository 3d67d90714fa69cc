//! Whether the process has its processing units for itself. Whoever shares them should leave it to the system who runs where.

use datil_policy::topology::{ControlGroups, cpu_list};

/// Why the process should be taken to share its units, if so. `read` returns the text of a file by its absolute path.
pub(super) fn reason(read: impl Fn(&str) -> Option<String>) -> Option<String> {
    of_time(&read).or_else(|| of_units(&read))
}

/// Limits of time, which say nothing about where.
fn of_time(read: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let limit = match ControlGroups::of("cpu", read) {
        Ok(groups) => groups.cpu_limit(read)?,
        Err(unseen) => return Some(format!("{unseen}, which may limit its time")),
    };
    Some(format!(
        "{} leaves the process the time of {} units, and does not say which",
        limit.file,
        (100.0 * limit.units).round() / 100.0
    ))
}

/// Some of the machine's units, but not alone.
fn of_units(read: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let set = match ControlGroups::of("cpuset", read) {
        Ok(groups) => groups.cpu_set(read)?,
        Err(unseen) => return Some(format!("{unseen}, which may have some of the machine's units")),
    };
    let online = read("/sys/devices/system/cpu/online").and_then(|text| cpu_list(&text))?;
    let some = online.iter().any(|unit| !set.units.contains(unit));
    (some && !set.is_partition).then(|| {
        format!(
            "{} has some of the machine's units and shares them with other groups: it is no partition (cpuset.cpus.partition)",
            set.folder
        )
    })
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
    const MOUNT: (&str, &str) = (
        "/proc/self/mountinfo",
        "29 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n",
    );

    #[test]
    fn a_whole_machine_is_owned() {
        assert_eq!(judge(&[CPUS]), None);
        assert_eq!(
            judge(&[
                CPUS,
                GROUP,
                MOUNT,
                ("/sys/fs/cgroup/a/b/cpuset.cpus.effective", "0-7\n")
            ]),
            None
        );
        assert_eq!(
            judge(&[CPUS, GROUP, MOUNT, ("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n")]),
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
            let judged = judge(&[CPUS, GROUP, MOUNT, (path, "150000 100000\n")]).expect("a share");
            assert!(judged.contains(path) && judged.contains("1.5"), "{judged}");
        }
    }

    #[test]
    fn some_of_the_units_are_owned_as_a_partition_only() {
        let set = ("/sys/fs/cgroup/a/cpuset.cpus.effective", "0-3\n");
        let partition = |kind| ("/sys/fs/cgroup/a/cpuset.cpus.partition", kind);
        assert!(judge(&[CPUS, GROUP, MOUNT, set]).is_some());
        assert!(judge(&[CPUS, GROUP, MOUNT, set, partition("member\n")]).is_some());
        assert!(judge(&[CPUS, GROUP, MOUNT, set, partition("root invalid (something)\n")]).is_some());
        assert_eq!(judge(&[CPUS, GROUP, MOUNT, set, partition("root\n")]), None);
        assert_eq!(judge(&[CPUS, GROUP, MOUNT, set, partition("isolated\n")]), None);
    }

    /// Version 1 beside version 2, as distributions were set up for years: the controllers are all with version 1.
    #[test]
    fn groups_of_version_1_are_asked_too() {
        let groups = (
            "/proc/self/cgroup",
            "9:cpuset:/box\n4:cpu,cpuacct:/box/in\n0::/box\n",
        );
        let mounts = (
            "/proc/self/mountinfo",
            "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
             34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n\
             41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate\n",
        );
        let period = |folder: &'static str| (folder, "100000\n");
        let own = period("/sys/fs/cgroup/cpu,cpuacct/box/in/cpu.cfs_period_us");
        let above = period("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us");
        let limited = |quotas: [&'static str; 2]| {
            judge(&[
                CPUS,
                groups,
                mounts,
                own,
                above,
                ("/sys/fs/cgroup/cpu,cpuacct/box/in/cpu.cfs_quota_us", quotas[0]),
                ("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", quotas[1]),
            ])
        };
        assert_eq!(limited(["-1\n", "-1\n"]), None);
        let judged = limited(["-1\n", "150000\n"]).expect("a share");
        assert!(
            judged.contains("/cpu,cpuacct/box/cpu.cfs_quota_us leaves the process the time of 1.5 units"),
            "{judged}"
        );
        let judged = limited(["33333\n", "150000\n"]).expect("a share");
        assert!(
            judged.contains("box/in/cpu.cfs_quota_us") && judged.contains(" 0.33 units"),
            "{judged}"
        );

        let set = |cpus| ("/sys/fs/cgroup/cpuset/box/cpuset.cpus", cpus);
        assert_eq!(judge(&[CPUS, groups, mounts, set("0-7\n")]), None);
        let judged = judge(&[CPUS, groups, mounts, set("0-3\n")]).expect("a share");
        assert!(judged.contains("/sys/fs/cgroup/cpuset/box has some"), "{judged}");
    }

    /// A container's namespace has its own group for a root. Who comes into it from outside has a group that it does not show.
    #[test]
    fn groups_in_a_namespace_are_found_or_said_to_be_unseen() {
        let quota = ("/sys/fs/cgroup/cpu.max", "150000 100000\n");
        let inside = ("/proc/self/cgroup", "0::/\n");
        let judged = judge(&[CPUS, inside, MOUNT, quota]).expect("a share");
        assert!(judged.contains("/sys/fs/cgroup/cpu.max"), "{judged}");
        let shown = (
            "/proc/self/mountinfo",
            "29 23 0:26 /docker/a /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
        );
        let beside = |path| judge(&[CPUS, ("/proc/self/cgroup", path), shown, quota]).expect("a share");
        assert!(beside("0::/docker/a\n").contains("cpu.max"));
        for path in ["0::/docker/ab\n", "0::/docker\n", "0::/../b\n"] {
            assert!(beside(path).contains("no mount shows"), "{}", beside(path));
        }
        let outside = ("/proc/self/cgroup", "0::/../..\n");
        assert!(
            judge(&[CPUS, outside, MOUNT, quota]).is_some_and(|judged| judged.contains("no mount shows"))
        );
        assert_eq!(
            judge(&[CPUS, inside]),
            None,
            "in the first group, and nobody has mounted any"
        );
    }
}
