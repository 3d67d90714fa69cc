//! Nothing may outlive the laboratory, however it ends.

mod dummy;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use dummy::{SECOND, host, order};
use scoville::drive::cgroup::Hierarchy;
use scoville::drive::{Host, Interrupt};
use scoville::model::invocation::Outcome;

/// Set in the copy of this test program that plays the laboratory; its value says whether control groups are used.
const VICTIM: &str = "SCOVILLE_TEST_VICTIM";

/// Waits for a condition with a deadline that only a broken program meets.
fn wait_for<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Processes whose command line has this word.
fn processes_with(word: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let line = fs::read(entry.path().join("cmdline")).ok()?;
            line.split(|&b| b == 0)
                .any(|argument| argument == word.as_bytes())
                .then_some(pid)
        })
        .collect()
}

/// The laboratory that is going to be killed: runs an invocation that never ends, with a daemon beside it.
#[test]
fn victim() {
    let Ok(mode) = std::env::var(VICTIM) else {
        // Not a test of its own: the two below start it again with the variable set.
        return;
    };
    let (cgroups, mark) = mode.split_once(' ').unwrap();
    let mut endless = order("");
    let program = dummy::program().display().to_string();
    let script = format!("setsid sleep {mark} & exec {program} --at begin --do hang-hard");
    endless.launch.command = ["sh", "-c", &script, mark].map(str::to_owned).to_vec();
    endless.limits.iteration_ns = 3_600 * SECOND;
    host(cgroups == "true").invoke(&endless, &Interrupt::default());
}

fn start_victim(cgroups: bool, mark: &str) -> Child {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "victim", "--test-threads=1"])
        .env(VICTIM, format!("{cgroups} {mark}"))
        .spawn()
        .unwrap();
    wait_for("the daemon runs", || {
        (!processes_with(mark).is_empty()).then_some(())
    });
    child
}

/// A number that no other process has on its command line; `sleep` takes it as seconds.
fn mark(offset: u32) -> String {
    (100_000_000 + u64::from(std::process::id()) * 10 + u64::from(offset)).to_string()
}

#[test]
fn killing_the_laboratory_leaves_nothing_behind() {
    for (offset, cgroups) in [(1, true), (2, false)] {
        let mark = mark(offset);
        let mut victim = start_victim(cgroups, &mark);
        victim.kill().unwrap();
        victim.wait().unwrap();
        wait_for("everything is gone", || {
            processes_with(&mark).is_empty().then_some(())
        });
    }
}

#[test]
fn leaves_of_the_dead_are_swept_and_those_of_the_living_are_not() {
    let Ok(hierarchy) = Hierarchy::find() else {
        // Without control groups there are no leaves to sweep; the host must then work all the same.
        assert_eq!(
            host(true).invoke(&order(""), &Interrupt::default()).outcome,
            Outcome::Ok
        );
        return;
    };
    let make = |name: &str| -> PathBuf {
        let path = hierarchy.folder().join(name);
        fs::create_dir(&path).unwrap();
        path
    };
    // No process has a start time of 1, so this one's owner is dead.
    let stale = make(&format!("scoville-{}-1-0", std::process::id()));
    let mut inhabitant = Command::new("sleep").arg("1000").spawn().unwrap();
    fs::write(stale.join("cgroup.procs"), inhabitant.id().to_string()).unwrap();
    let living = hierarchy.leaf().unwrap();
    let path: &Path = living.path();

    Hierarchy::find().unwrap();
    assert!(!stale.exists());
    assert!(path.exists());
    // Ended by the sweep, not by its own clock.
    assert!(!inhabitant.wait().unwrap().success());
}

#[test]
fn an_invocation_leaves_no_control_group() {
    let Ok(hierarchy) = Hierarchy::find() else {
        assert_eq!(
            host(true).invoke(&order(""), &Interrupt::default()).outcome,
            Outcome::Ok
        );
        return;
    };
    let mine = format!("scoville-{}-", std::process::id());
    let count = || {
        let entries = fs::read_dir(hierarchy.folder()).unwrap().flatten();
        entries
            .filter(|e| e.file_name().to_str().is_some_and(|n| n.starts_with(&mine)))
            .count()
    };
    let mut host = host(true);
    assert_eq!(
        host.invoke(&order(""), &Interrupt::default()).outcome,
        Outcome::Ok
    );
    // The other test's leaf of this process may be there; an invocation's own would stay for ever.
    wait_for("the leaf is removed", || (count() <= 2).then_some(()));
}
