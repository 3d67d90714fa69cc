//! Performance events of a process tree, by `perf_event_open`.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

use rustix::process::Pid;

use super::sys;
use crate::model::reading::Reading;

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;

/// Smallest share of its time that an event must have been counted in to be scaled up to the whole.
const LEAST_SHARE: f64 = 0.9;

struct Event {
    name: &'static str,
    kind: u32,
    config: u64,
    /// Whether it happens in the kernel, so that counting user mode only would give a false 0.
    in_kernel: bool,
}

/// Few enough for the counters of every common CPU, so that nothing is multiplexed.
const EVENTS: [Event; 8] = [
    Event {
        name: "cycles",
        kind: HARDWARE,
        config: 0,
        in_kernel: false,
    },
    Event {
        name: "instructions",
        kind: HARDWARE,
        config: 1,
        in_kernel: false,
    },
    Event {
        name: "cache-misses",
        kind: HARDWARE,
        config: 3,
        in_kernel: false,
    },
    Event {
        name: "branch-misses",
        kind: HARDWARE,
        config: 5,
        in_kernel: false,
    },
    Event {
        name: "task-clock",
        kind: SOFTWARE,
        config: 1,
        in_kernel: false,
    },
    Event {
        name: "page-faults",
        kind: SOFTWARE,
        config: 2,
        in_kernel: false,
    },
    Event {
        name: "context-switches",
        kind: SOFTWARE,
        config: 3,
        in_kernel: true,
    },
    Event {
        name: "cpu-migrations",
        kind: SOFTWARE,
        config: 4,
        in_kernel: true,
    },
];

/// Open counters of one process and of all that it forks.
#[derive(Debug)]
pub struct Counters(BTreeMap<&'static str, Result<Counter, String>>);

#[derive(Debug)]
struct Counter {
    fd: OwnedFd,
    source: String,
}

impl Counters {
    /// Opens what the machine has on a process that has not yet exec'd; they count from its exec on.
    pub fn open(pid: Pid) -> Self {
        Counters(
            EVENTS
                .iter()
                .map(|event| (event.name, open(event, pid)))
                .collect(),
        )
    }

    /// Reads all of them. Complete once the process has been reaped: its children's counts are added as they end.
    pub fn read(&self) -> BTreeMap<String, Reading<f64>> {
        self.0
            .iter()
            .map(|(name, counter)| ((*name).to_owned(), reading(counter)))
            .collect()
    }

    /// Which events could be opened, and why the others could not.
    pub fn availability(&self) -> BTreeMap<String, Reading<bool>> {
        let available = |counter: &Result<Counter, String>| match counter {
            Ok(counter) => Reading::known(true, counter.source.clone()),
            Err(reason) => Reading::unavailable(reason.clone()),
        };
        self.0
            .iter()
            .map(|(name, counter)| ((*name).to_owned(), available(counter)))
            .collect()
    }
}

fn open(event: &Event, pid: Pid) -> Result<Counter, String> {
    let attempt = |user_only| sys::perf_event_open(event.kind, event.config, user_only, pid);
    match attempt(false) {
        Ok(fd) => Ok(Counter {
            fd,
            source: "perf_event_open".to_owned(),
        }),
        Err(e) if forbidden(&e) && !event.in_kernel => match attempt(true) {
            Ok(fd) => Ok(Counter {
                fd,
                source: "perf_event_open, user mode only".to_owned(),
            }),
            Err(e) => Err(explain(&e)),
        },
        Err(e) => Err(explain(&e)),
    }
}

fn forbidden(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM))
}

fn explain(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) => {
            "no such counter on this machine, as is usual in virtual machines (ENOENT)".to_owned()
        }
        Some(libc::EACCES | libc::EPERM) => {
            "not permitted; `sysctl kernel.perf_event_paranoid=1` allows it".to_owned()
        }
        Some(libc::ENOSYS) => "the kernel has no performance events (ENOSYS)".to_owned(),
        Some(libc::EBUSY) => "the counter is in use by somebody else (EBUSY)".to_owned(),
        _ => format!("perf_event_open: {error}"),
    }
}

fn reading(counter: &Result<Counter, String>) -> Reading<f64> {
    let counter = match counter {
        Ok(counter) => counter,
        Err(reason) => return Reading::unavailable(reason.clone()),
    };
    let mut bytes = [0; 24];
    match rustix::io::read(&counter.fd, &mut bytes) {
        Ok(24) => {
            let word = |i: usize| {
                let mut word = [0; 8];
                word.copy_from_slice(&bytes[8 * i..8 * i + 8]);
                u64::from_ne_bytes(word)
            };
            scale(word(0), word(1), word(2), &counter.source)
        }
        Ok(n) => Reading::unavailable(format!("the kernel returned {n} of 24 bytes")),
        Err(e) => Reading::unavailable(format!("reading the counter: {e}")),
    }
}

/// A count for the whole time, from the part of the time in which it was really counted.
fn scale(count: u64, enabled: u64, running: u64, source: &str) -> Reading<f64> {
    if enabled == 0 {
        return Reading::unavailable("the counter was never switched on: the process did not exec");
    }
    let share = running as f64 / enabled as f64;
    if share < LEAST_SHARE {
        return Reading::unavailable(format!(
            "counted during {:.0} % of the time only, because other programs use the counters",
            share * 100.0
        ));
    }
    Reading::known(count as f64 / share, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_can_be_counted_or_says_why_not() {
        let availability = Counters::open(rustix::process::getpid()).availability();
        let names: Vec<&str> = EVENTS.iter().map(|event| event.name).collect();
        assert_eq!(availability.len(), names.len());
        assert!(names.iter().all(|name| availability.contains_key(*name)));
    }

    #[test]
    fn a_share_of_the_time_is_scaled_or_refused() {
        assert_eq!(scale(90, 100, 90, "s").value(), Some(&100.0));
        assert_eq!(scale(90, 100, 100, "s").value(), Some(&90.0));
        assert_eq!(scale(10, 100, 50, "s").value(), None);
        assert_eq!(scale(0, 0, 0, "s").value(), None);
    }
}
