//! Control groups: where a process is among them, and what they leave to it. Of version 1, of version 2, or of both at once, where
//! each controller is in one hierarchy.

use super::{TopologyError, cpu_list, error};

/// Processors' worth of time that a control group may use, from the text of its `cpu.max`: `200000 100000` is 2.
/// `None` without a limit.
pub fn cpu_quota(cpu_max: &str) -> Option<f64> {
    let (quota, period) = cpu_max.trim().split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}

/// The group of the calling process and all above it, in the hierarchy of one controller and as far as they can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlGroups {
    version: u8,
    /// The own group's first.
    folders: Vec<String>,
}

/// A limit of the time that a process may use.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuLimit {
    /// Processing units' worth of time.
    pub units: f64,
    /// The file that says so.
    pub file: String,
}

/// The processing units of a control group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuSet {
    /// By the system's numbers, ascending.
    pub units: Vec<u32>,
    /// The folder of the group.
    pub folder: String,
    /// No group beside or above it runs there. Version 1 cannot say so: an exclusive set still belongs to the groups above it as well.
    pub is_partition: bool,
}

impl ControlGroups {
    /// The groups for one controller, such as `cpu`. `read` returns the text of a file by its absolute path, or `None` if there is
    /// none. There is no group to be seen if the kernel has none, or if nobody has mounted them and the process is in the first.
    ///
    /// # Errors
    /// If the process is in a group that no mount shows, as one that has come from outside into a container's namespace.
    pub fn of(controller: &str, read: impl Fn(&str) -> Option<String>) -> Result<Self, TopologyError> {
        let names = |list: &str| list.split(',').any(|name| name == controller);
        let membership = read("/proc/self/cgroup").unwrap_or_default();
        let own = membership.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            names(controllers).then_some(path)
        });
        match own {
            Some(own) => Self::shown(1, own, &read, |mount| {
                mount.kind == "cgroup" && names(mount.options)
            }),
            None => Self::unified(read),
        }
    }

    /// The groups of version 2, whatever is controlled there.
    ///
    /// # Errors
    /// As [`ControlGroups::of`].
    pub fn unified(read: impl Fn(&str) -> Option<String>) -> Result<Self, TopologyError> {
        let membership = read("/proc/self/cgroup").unwrap_or_default();
        match membership.lines().find_map(|line| line.strip_prefix("0::")) {
            Some(own) => Self::shown(2, own, &read, |mount| mount.kind == "cgroup2"),
            None => Ok(Self {
                version: 2,
                folders: Vec::new(),
            }),
        }
    }

    /// The groups from `own` up to the top of the mount that shows most of them.
    fn shown(
        version: u8,
        own: &str,
        read: &impl Fn(&str) -> Option<String>,
        is_wanted: impl Fn(&Mount<'_>) -> bool,
    ) -> Result<Self, TopologyError> {
        let mounts = read("/proc/self/mountinfo").unwrap_or_default();
        let mounts: Vec<Mount<'_>> = mounts
            .lines()
            .filter_map(Mount::read)
            .filter(|mount| is_wanted(mount))
            .collect();
        let chains = mounts.iter().filter_map(|mount| {
            let below = below(own, &unescaped(mount.root))?;
            let point = unescaped(mount.point);
            let point = point.trim_end_matches('/');
            Some(
                ancestors(below)
                    .map(|path| format!("{point}{path}"))
                    .collect::<Vec<String>>(),
            )
        });
        match chains.max_by_key(Vec::len) {
            Some(folders) => Ok(Self { version, folders }),
            None if mounts.is_empty() && own == "/" => Ok(Self {
                version,
                folders: Vec::new(),
            }),
            None => error(format!(
                "no mount shows the process' control group of version {version}, {own}"
            )),
        }
    }

    /// Their folders, the own group's first.
    pub fn folders(&self) -> &[String] {
        &self.folders
    }

    /// The tightest limit of time that any of the groups sets.
    pub fn cpu_limit(&self, read: impl Fn(&str) -> Option<String>) -> Option<CpuLimit> {
        let limit = |folder: &String| {
            let (file, text) = if self.version == 1 {
                let file = format!("{folder}/cpu.cfs_quota_us");
                let period = read(&format!("{folder}/cpu.cfs_period_us"))?;
                (file.clone(), format!("{} {}", read(&file)?.trim(), period.trim()))
            } else {
                let file = format!("{folder}/cpu.max");
                (file.clone(), read(&file)?)
            };
            cpu_quota(&text).map(|units| CpuLimit { units, file })
        };
        let limits = self.folders.iter().filter_map(limit);
        limits.min_by(|one, other| one.units.total_cmp(&other.units))
    }

    /// The processing units of the nearest group that tells.
    pub fn cpu_set(&self, read: impl Fn(&str) -> Option<String>) -> Option<CpuSet> {
        let files: &[&str] = match self.version {
            1 => &["cpuset.effective_cpus", "cpuset.cpus"],
            _ => &["cpuset.cpus.effective"],
        };
        self.folders.iter().find_map(|folder| {
            let list = |file: &&str| cpu_list(&read(&format!("{folder}/{file}"))?);
            let units = files.iter().filter_map(list).find(|units| !units.is_empty())?;
            let partition = read(&format!("{folder}/cpuset.cpus.partition")).unwrap_or_default();
            Some(CpuSet {
                units,
                folder: folder.clone(),
                is_partition: matches!(partition.trim(), "root" | "isolated"),
            })
        })
    }
}

/// A line of `/proc/self/mountinfo`, as far as it is of use.
struct Mount<'t> {
    /// Which part of the hierarchy is shown.
    root: &'t str,
    /// Where it is shown.
    point: &'t str,
    kind: &'t str,
    options: &'t str,
}

impl<'t> Mount<'t> {
    fn read(line: &'t str) -> Option<Self> {
        let (place, what) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let mut what = what.split(' ');
        Some(Self {
            root: place.next()?,
            point: place.next()?,
            kind: what.next()?,
            options: what.nth(1)?,
        })
    }
}

/// A path as it is, from what mountinfo makes of it: spaces, line ends and backslashes are three octal digits there.
fn unescaped(path: &str) -> String {
    let codes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    let replace = |path: String, (code, letter): (&str, &str)| path.replace(code, letter);
    codes.into_iter().fold(path.to_owned(), replace)
}

/// What of a group's path lies below the root of a mount; `None` if the mount does not show the group. Paths are as the namespace of
/// the process sees them: what is outside it begins with `/..`.
fn below<'p>(own: &'p str, root: &str) -> Option<&'p str> {
    let rest = own.strip_prefix(root.trim_end_matches('/'))?;
    let is_whole = rest.is_empty() || rest.starts_with('/');
    (is_whole && !rest.split('/').any(|part| part == "..")).then_some(rest)
}

/// The path and all above it, each without a slash at its end.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let first = path.trim_end_matches('/');
    std::iter::successors(Some(first), |path| path.rsplit_once('/').map(|(above, _)| above))
}
