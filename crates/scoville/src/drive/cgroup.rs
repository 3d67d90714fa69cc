//! Control groups (version 2): one leaf per invocation. Even without any controller a leaf knows the CPU time of the
//! tree and whether it is empty, and can kill all of it.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use datil_policy::topology::ControlGroups;
use rustix::fs::{Mode, OFlags};
use rustix::process::Pid;

use super::tree;
use crate::model::reading::Reading;

/// Prefix of every folder that this module makes.
const PREFIX: &str = "scoville-";

/// The place where leaves can be made.
#[derive(Debug)]
pub struct Hierarchy {
    folder: PathBuf,
}

/// Numbers leaves; common to all hosts of this process, because their leaves lie in one folder.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// One control group. Dropping it removes the folder if it is empty.
#[derive(Debug)]
pub struct Leaf {
    path: PathBuf,
    folder: OwnedFd,
}

impl Hierarchy {
    /// Finds this process' own group in the version 2 hierarchy and tries whether a leaf can be made there. Leaves that
    /// dead sessions left behind are ended and removed.
    ///
    /// # Errors
    /// Why there is none, in words for the user.
    pub fn find() -> Result<Self, String> {
        let folder = own_folder(|path| fs::read_to_string(path).ok())?;
        let hierarchy = Hierarchy { folder };
        sweep(&hierarchy.folder);
        hierarchy.leaf().map_err(|e| {
            format!(
                "no control group can be made in {} ({e})",
                hierarchy.folder.display()
            )
        })?;
        Ok(hierarchy)
    }

    /// Makes a leaf. Its name carries this process' number and start time, so that a later session can tell whether
    /// the leaf's owner lives.
    ///
    /// # Errors
    /// Any error of making or opening the folder.
    pub fn leaf(&self) -> io::Result<Leaf> {
        let me = rustix::process::getpid();
        let started = tree::start_time(me).unwrap_or(0);
        // Relaxed: only the number itself has to be unique.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{started}-{number}", me.as_raw_nonzero());
        let path = self.folder.join(name);
        fs::create_dir(&path)?;
        let folder = rustix::fs::open(&path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Leaf { path, folder })
    }

    /// Where leaves are made.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What leaves can tell here, for the facts about the machine.
    pub fn reading(&self) -> Reading<String> {
        let control = fs::read_to_string(self.folder.join("cgroup.subtree_control")).unwrap_or_default();
        let controllers = if control.trim().is_empty() {
            "no controllers"
        } else {
            control.trim()
        };
        Reading::known(
            format!("version 2, leaves with {controllers}"),
            self.folder.display().to_string(),
        )
    }
}

impl Leaf {
    /// Its folder, for a process in another address space.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its folder, to fork into.
    pub fn folder(&self) -> &OwnedFd {
        &self.folder
    }

    /// CPU time of everything that ever ran in it, ns, from `cpu.stat`. Time of running threads is added at their next
    /// scheduler tick only, so it lags by some milliseconds while the tree runs; it is exact when the tree is gone.
    pub fn cpu_ns(&self) -> Option<u64> {
        let text = fs::read_to_string(self.path.join("cpu.stat")).ok()?;
        field(&text, "usage_usec").map(|us| us * 1_000)
    }

    /// Largest memory charged to it, bytes, from `memory.peak`; `None` without the memory controller.
    pub fn peak_bytes(&self) -> Option<u64> {
        fs::read_to_string(self.path.join("memory.peak"))
            .ok()?
            .trim()
            .parse()
            .ok()
    }

    /// Processes in it that are not zombies.
    pub fn processes(&self) -> Vec<Pid> {
        let text = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
        text.lines()
            .filter_map(|line| Pid::from_raw(line.parse().ok()?))
            .collect()
    }

    /// Whether anything lives in it.
    pub fn populated(&self) -> bool {
        let text = fs::read_to_string(self.path.join("cgroup.events")).unwrap_or_default();
        field(&text, "populated") != Some(0)
    }
}

impl Drop for Leaf {
    fn drop(&mut self) {
        // A leaf that cannot be removed still has something in it; the next session's sweep deals with it.
        let _ = fs::remove_dir(&self.path);
    }
}

/// Kills everything in the group.
///
/// # Errors
/// If `cgroup.kill` cannot be written (it needs Linux 5.14).
pub fn kill(leaf: &Path) -> io::Result<()> {
    fs::write(leaf.join("cgroup.kill"), "1")
}

/// Moves a process into the group.
///
/// # Errors
/// If `cgroup.procs` cannot be written.
pub fn enter(leaf: &Path, pid: Pid) -> io::Result<()> {
    fs::write(leaf.join("cgroup.procs"), pid.as_raw_nonzero().to_string())
}

/// Ends and removes the leaves of laboratories that are no more.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some((pid, started)) = name.to_str().and_then(owner) else {
            continue;
        };
        if tree::start_time(pid) == Some(started) {
            continue;
        }
        let path = entry.path();
        let _ = kill(&path);
        for _ in 0..200 {
            if fs::remove_dir(&path).is_ok() || !path.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The laboratory that a leaf's name names, and its start time.
fn owner(name: &str) -> Option<(Pid, u64)> {
    let mut parts = name.strip_prefix(PREFIX)?.splitn(3, '-');
    let pid = Pid::from_raw(parts.next()?.parse().ok()?)?;
    Some((pid, parts.next()?.parse().ok()?))
}

/// Folder of the own group in the version 2 hierarchy.
fn own_folder(read: impl Fn(&str) -> Option<String>) -> Result<PathBuf, String> {
    let membership = read("/proc/self/cgroup").unwrap_or_default();
    if !membership.lines().any(|line| line.starts_with("0::")) {
        return Err("the kernel has no version 2 control groups".to_owned());
    }
    let groups = ControlGroups::unified(read).map_err(|unseen| unseen.to_string())?;
    let own = groups.folders().first().map(PathBuf::from);
    own.ok_or_else(|| "no version 2 control group hierarchy is mounted".to_owned())
}

/// The number after `name` in a file of `name number` lines.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(' ')?;
        (key == name).then(|| value.trim().parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PURE: &str = "29 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";

    #[test]
    fn own_folder_follows_mount_and_membership() {
        let hybrid = "31 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      40 24 0:36 / /sys/fs/cgroup/unified rw,relatime - cgroup2 none rw\n";
        let folder = |mounts: &str, own: &str| {
            own_folder(|path| match path {
                "/proc/self/mountinfo" => Some(mounts.to_owned()),
                _ => Some(own.to_owned()),
            })
        };
        let found = |mounts, own| folder(mounts, own).unwrap();
        assert_eq!(
            found(PURE, "0::/user.slice/a.scope\n"),
            Path::new("/sys/fs/cgroup/user.slice/a.scope")
        );
        assert_eq!(
            found(hybrid, "4:memory:/x\n0::/\n"),
            Path::new("/sys/fs/cgroup/unified")
        );
        let container = "29 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n";
        assert_eq!(
            found(container, "0::/docker/abc/x\n"),
            Path::new("/sys/fs/cgroup/x")
        );
        // Neither is a group that this mount shows, and leaves must not be made in somebody else's.
        for elsewhere in ["0::/docker/abcdef\n", "0::/../..\n"] {
            assert!(
                folder(container, elsewhere)
                    .unwrap_err()
                    .contains("no mount shows")
            );
        }
        assert!(
            folder(PURE, "0::/../../x\n")
                .unwrap_err()
                .contains("no mount shows")
        );
        let none = folder(PURE, "4:memory:/x\n").unwrap_err();
        assert!(none.contains("no version 2"), "{none}");
        assert!(folder("", "0::/\n").unwrap_err().contains("mounted"));
    }

    #[test]
    fn a_leafs_name_tells_its_owner() {
        assert_eq!(
            owner("scoville-12-3456-7"),
            Some((Pid::from_raw(12).unwrap(), 3456))
        );
        assert_eq!(owner("scoville-12"), None);
        assert_eq!(owner("system.slice"), None);
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        assert_eq!(field("usage_usec 12\nuser_usec 3\n", "user_usec"), Some(3));
        assert_eq!(field("usage_usec 12\n", "usage"), None);
    }
}
