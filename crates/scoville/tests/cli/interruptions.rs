//! Sessions and builds that are ended from outside.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use scoville::log;
use scoville::model::event::{Event, StopReason};
use scoville::schedule::Progress;
use scoville::session::opening;

use crate::checkout::{Checkout, section};

/// Ends a child whatever becomes of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn start(checkout: &Checkout, arguments: &[&str]) -> Self {
        // Where the tests run in the background they have inherited that Ctrl-C is ignored.
        Self::start_with(checkout, arguments, libc::SIGINT, libc::SIG_DFL)
    }

    /// A program to which a signal has been given an action before.
    fn start_with(
        checkout: &Checkout,
        arguments: &[&str],
        signal: libc::c_int,
        action: libc::sighandler_t,
    ) -> Self {
        let mut command = checkout.command(arguments);
        // SAFETY: between fork and exec only a system call that is safe there, and touches no memory.
        unsafe {
            command.pre_exec(move || match libc::signal(signal, action) {
                libc::SIG_ERR => Err(io::Error::last_os_error()),
                _ => Ok(()),
            })
        };
        Self(
            command
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        )
    }

    fn signal(&self, signal: libc::c_int) {
        // SAFETY: kill has no memory effects; the child is ours and not yet waited for.
        assert_eq!(unsafe { libc::kill(self.0.id() as libc::pid_t, signal) }, 0);
    }

    /// Waits for the end of a program that prints no more than a pipe holds: its status, and what it said.
    fn end(&mut self) -> (Option<i32>, String) {
        let status = self.0.wait().unwrap();
        let output = self.0.stdout.take().unwrap();
        (status.code(), io::read_to_string(output).unwrap())
    }

    /// Waits until the session's log has so many lines; false if the program ended before.
    fn reached(&mut self, checkout: &Checkout, lines: usize) -> bool {
        let started = Instant::now();
        loop {
            let written = log::sessions(&checkout.results())
                .unwrap()
                .last()
                .map_or(0, |name| {
                    let text = fs::read(checkout.results().join(name).join(log::FILE)).unwrap_or_default();
                    text.iter().filter(|&&b| b == b'\n').count()
                });
            if written >= lines {
                return true;
            }
            if self.0.try_wait().unwrap().is_some() {
                return false;
            }
            assert!(
                started.elapsed() < Duration::from_secs(120),
                "only {written} lines"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Processes whose command line holds `needle`.
fn processes_with(needle: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(needle).then_some(line)
    });
    lines.collect()
}

#[track_caller]
fn wait_until(what: &str, happened: impl Fn() -> bool) {
    let started = Instant::now();
    while !happened() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "waited in vain for {what}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[track_caller]
fn assert_nobody_left(needle: &str) {
    wait_until(&format!("the end of {needle}"), || {
        processes_with(needle).is_empty()
    });
}

fn assert_complete(events: &[Event], blocks: usize) {
    let (plan, _) = opening(events);
    let progress = Progress::replay(plan, events).unwrap();
    assert_eq!(progress.ended, Some(StopReason::Max));
    for (state, group) in progress.groups.iter().zip(&plan.groups) {
        assert_eq!(state.settled.unwrap().blocks as usize, blocks);
        for block in &state.blocks {
            assert!(block.closed);
            assert_eq!(block.done.len(), group.competitors.len(), "every competitor once");
        }
    }
}

#[test]
fn ctrl_c_once_ends_after_the_invocation_and_twice_at_once() {
    // The second kind would take a minute per iteration, so only ending it at once can end it soon.
    for (presses, nap) in [(1, "--sleep-ns 20000000"), (2, "--sleep-ns 60000000000")] {
        let tag = format!(
            "--start-ns {}",
            1_000_000 + u64::from(std::process::id()) * 10 + presses
        );
        let checkout = Checkout::new(&[("slow", &format!("{nap} {tag}"))]);
        let arguments = [
            "run",
            "alpha",
            "--quick",
            "--blocks",
            "50",
            "--runtime",
            "slow",
            "--cores=1",
        ];
        let mut running = Running::start(&checkout, &arguments);
        assert!(running.reached(&checkout, 2), "it ended early");
        running.signal(libc::SIGINT);
        if presses == 2 {
            // Two signals that are pending together are one: the second must come after the first was taken.
            std::thread::sleep(Duration::from_millis(300));
            running.signal(libc::SIGINT);
        }
        let status = running.0.wait().unwrap();
        assert_eq!(status.code(), Some(130));
        let events = checkout.events();
        let (plan, _) = opening(&events);
        assert_eq!(
            Progress::replay(plan, &events).unwrap().ended,
            Some(StopReason::User)
        );
        assert_nobody_left(&tag);
    }
}

/// What was verified is known, and of the others nothing is said but that they are open.
#[test]
fn verify_shows_what_it_knows_when_it_is_ended() {
    for (presses, nap_ns, rows) in [
        (
            1,
            1_000_000_000_u64,
            ["alpha tiny on 1 ok* ok*", "beta tiny on 1 open open"],
        ),
        (
            2,
            60_000_000_000,
            ["alpha tiny on 1 ok* open", "beta tiny on 1 open open"],
        ),
    ] {
        let checkout = Checkout::new(&[("fast", ""), ("slow", &format!("--sleep-ns {nap_ns}"))]);
        let noted = || {
            let lines = fs::read_to_string(checkout.results().join(log::VERIFIED)).unwrap_or_default();
            lines.lines().count()
        };
        let mut running = Running::start(&checkout, &["verify", "--cores=1", "--runtime=fast,slow"]);
        wait_until("the first cell", || noted() == 1);
        for _ in 0..presses {
            running.signal(libc::SIGINT);
            std::thread::sleep(Duration::from_millis(300));
        }
        let (status, told) = running.end();
        assert_eq!(status, Some(130), "{told}");
        let lines: Vec<String> = told
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(lines[1..3], rows, "{told}");
        let open = rows.join(" ").matches("open").count();
        let summary = format!("open: not verified before the user ended it, {open} of 4 cells");
        assert!(lines.contains(&summary), "{told}");
        assert_eq!(noted(), 4 - open);
    }
}

/// As `nohup` starts it.
#[test]
fn a_session_that_ignores_the_hang_up_outlives_it() {
    let checkout = Checkout::new(&[("slow", "--sleep-ns 20000000")]);
    let arguments = [
        "run",
        "alpha",
        "--quick",
        "--blocks=3",
        "--runtime=slow",
        "--cores=1",
    ];
    for (action, status) in [(libc::SIG_IGN, 0), (libc::SIG_DFL, 130)] {
        let mut running = Running::start_with(&checkout, &arguments, libc::SIGHUP, action);
        assert!(running.reached(&checkout, 2), "it ended early");
        running.signal(libc::SIGHUP);
        assert_eq!(running.0.wait().unwrap().code(), Some(status));
        fs::remove_dir_all(checkout.results()).unwrap();
    }
}

/// Fifty times: a session is killed without warning at some moment and resumed, again and again until it is complete.
#[test]
fn kill_9_at_fifty_moments_loses_nothing() {
    const BLOCKS: usize = 6;
    const KILLS: usize = 50;
    let tag = format!("--start-ns {}", 500_000 + std::process::id());
    let quick = format!("--sleep-ns 200000 {tag}");
    let arguments = [
        "run",
        "--quick",
        "--blocks",
        "6",
        "--runtime",
        "fast,slow",
        "--cores=1",
        "--preset",
        "tiny",
    ];
    let mut moment = 0x9E37_79B9_7F4A_7C15_u64;
    let mut kills = 0;
    while kills < KILLS {
        let checkout = Checkout::new(&[("fast", &quick), ("slow", &quick)]);
        let mut running = Running::start(&checkout, &arguments);
        assert!(running.reached(&checkout, 1), "it ended before it began");
        let mut before: Vec<Event> = Vec::new();
        loop {
            moment = moment
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            std::thread::sleep(Duration::from_micros(moment >> 47));
            running.signal(libc::SIGKILL);
            let status = running.0.wait().unwrap();
            assert_nobody_left(&tag);
            let events = checkout.events();
            assert_eq!(events[..before.len()], before[..], "what was written stays");
            before = events;
            if status.success() {
                break;
            }
            kills += 1;
            if kills >= KILLS {
                checkout.run(&["run", "--resume"]).ends_with(0);
                break;
            }
            let lines = before.len();
            running = Running::start(&checkout, &["run", "--resume"]);
            running.reached(&checkout, lines + 1);
        }
        let events = checkout.events();
        assert_eq!(events[..before.len()], before[..]);
        assert_complete(&events, BLOCKS);
    }
}

/// One that hangs would use the machine while the next session measures.
#[test]
fn a_peer_that_hangs_ends_with_the_program_that_asked_it() {
    for (number, signal) in [(1, libc::SIGINT), (2, libc::SIGTERM), (3, libc::SIGKILL)] {
        let tag = format!(
            "--start-ns {}",
            2_000_000 + u64::from(std::process::id()) * 10 + number
        );
        let checkout = Checkout::new(&[("stuck", &format!("--at hello --do hang-hard {tag}"))]);
        let mut running = Running::start(&checkout, &["plan", "--runtime=stuck", "--cores=1"]);
        wait_until("the peer", || !processes_with(&tag).is_empty());
        running.signal(signal);
        running.0.wait().unwrap();
        assert_nobody_left(&tag);
    }
}

#[test]
fn a_build_ends_with_the_program_that_started_it() {
    for (number, signal) in [(1, libc::SIGINT), (2, libc::SIGTERM), (3, libc::SIGKILL)] {
        let tag = format!("{}.{number}", 100_000 + std::process::id());
        let checkout = Checkout::new(&[]);
        let recipe = format!(
            "[build]\ncommand = [\"sh\", \"-c\", \"sleep {tag} & wait\"]\ninputs = [\"peer.toml\"]\n"
        );
        checkout.peer(
            "endless",
            &format!("language = \"Sh\"\n{recipe}{}", section("endless", "")),
        );
        let running = Running::start(&checkout, &["build", "endless"]);
        wait_until("the build", || processes_with(&format!("sleep {tag}")).len() > 1);
        running.signal(signal);
        assert_nobody_left(&tag);
    }
}

/// A version query that hangs, of which the shell and what it started are alive.
#[test]
fn a_version_query_ends_with_the_program_that_made_it() {
    for (number, signal) in [(1, libc::SIGINT), (2, libc::SIGTERM), (3, libc::SIGKILL)] {
        let tag = format!("{}.{number}", 200_000 + std::process::id());
        let checkout = Checkout::new(&[]);
        let needs =
            format!("[[requires]]\nprogram = [\"sh\", \"-c\", \"sleep {tag} & wait\"]\ninstall = \"\"\n");
        checkout.peer(
            "slow-to-tell",
            &format!("language = \"Sh\"\n{needs}{}", section("slow-to-tell", "")),
        );
        let running = Running::start(&checkout, &["doctor"]);
        wait_until("the query", || processes_with(&format!("sleep {tag}")).len() > 1);
        running.signal(signal);
        assert_nobody_left(&tag);
    }
}
