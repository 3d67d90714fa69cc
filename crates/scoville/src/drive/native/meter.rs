//! What is taken of a living process between the messages of its conversation.

use rustix::process::Pid;

use super::super::cgroup::Leaf;
use super::super::protocol::End;
use super::super::{sys, tree};
use crate::model::invocation::Iterations;
use crate::model::reading::Reading;

/// The process' own clock counts it all unless the tree used this much more, as a share and in nanoseconds. The slack
/// is for `cpu.stat`, which lags by scheduler ticks.
const HELPERS_SHARE: f64 = 1.05;
const HELPERS_NS: u64 = 20_000_000;

/// Collects the columns of one invocation.
#[derive(Debug)]
pub struct Meter<'a> {
    pid: Pid,
    leaf: Option<&'a Leaf>,
    counting: bool,
    iterations: Iterations,
    /// At the last `begin`.
    begun: Moment,
    /// CPU time of the process by iteration.
    clock_ns: Vec<Option<u64>>,
    /// CPU time of the tree by iteration.
    tree_ns: Vec<Option<u64>>,
    /// Peak memory by iteration.
    peaks: Vec<Option<u64>>,
    /// Whether the peak could be reset before the present iteration.
    reset: bool,
    /// Largest peak of the process so far.
    peak: Option<u64>,
    baseline: Option<u64>,
    threads: Option<u64>,
    farewell: Option<Farewell>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Moment {
    at_ns: u64,
    clock_ns: Option<u64>,
    tree_ns: Option<u64>,
}

/// Taken while the process was about to exit.
#[derive(Debug)]
struct Farewell {
    peak: Option<u64>,
    processes: usize,
    wait_ns: Option<u64>,
}

/// What the meter knows of the process as a whole.
#[derive(Debug)]
pub struct Whole {
    pub peak_bytes: Reading<u64>,
    pub baseline_bytes: Reading<u64>,
    pub run_queue_wait_ns: Reading<u64>,
    pub threads: Reading<u64>,
}

impl<'a> Meter<'a> {
    /// For a process and the leaf that it lives in. A meter that is `counting` keeps no times.
    pub fn new(pid: Pid, leaf: Option<&'a Leaf>, counting: bool) -> Self {
        Meter {
            pid,
            leaf,
            counting,
            iterations: Iterations::default(),
            begun: Moment::default(),
            clock_ns: Vec::new(),
            tree_ns: Vec::new(),
            peaks: Vec::new(),
            reset: false,
            peak: None,
            baseline: None,
            threads: None,
            farewell: None,
        }
    }

    /// At `hello`.
    pub fn greeted(&mut self) {
        self.baseline = tree::resident_bytes(self.pid);
        self.count_threads();
    }

    /// Between iterations, before `run` is sent. What the peak was until here is kept.
    pub fn before_run(&mut self) {
        self.fold_peak();
        self.reset = tree::reset_peak(self.pid).is_ok();
    }

    /// At `begin`.
    pub fn began(&mut self, now_ns: u64) {
        self.begun = self.moment(now_ns);
    }

    /// At a verified `end`, before the next `run` is sent.
    pub fn ended(&mut self, now_ns: u64, end: End) {
        let now = self.moment(now_ns);
        self.iterations.fields = end.fields;
        self.iterations.work = end.work;
        if self.counting {
            return;
        }
        self.clock_ns.push(difference(self.begun.clock_ns, now.clock_ns));
        self.tree_ns.push(difference(self.begun.tree_ns, now.tree_ns));
        let peak = self.fold_peak();
        self.peaks.push(peak.filter(|_| self.reset));
        self.count_threads();

        let columns = &mut self.iterations;
        let earlier = columns.wall_ns.len();
        columns.wall_ns.push(end.wall_ns);
        // Messages that are read at once have the same time.
        let outer_ns = now.at_ns.saturating_sub(self.begun.at_ns);
        columns.outer_ns.push((outer_ns > 0).then_some(outer_ns));
        for (name, value) in end.metrics {
            let column = columns.metrics.entry(name).or_default();
            column.resize(earlier, None);
            column.push(Some(value));
        }
        for column in columns.metrics.values_mut() {
            column.resize(earlier + 1, None);
        }
        columns.per_actor = end.per_actor;
        columns.gc.push(end.gc);
    }

    /// At the peer's `bye`: the process still lives, and so do its helpers.
    pub fn farewell(&mut self) {
        self.fold_peak();
        self.count_threads();
        let processes = self.leaf.map_or_else(|| vec![self.pid], Leaf::processes);
        let helpers: Option<u64> = processes
            .iter()
            .filter(|&&pid| pid != self.pid)
            .map(|&pid| tree::peak_bytes(pid))
            .sum();
        self.farewell = Some(Farewell {
            peak: self.peak.zip(helpers).map(|(own, helpers)| own + helpers),
            processes: processes.len().max(1),
            wait_ns: tree::run_queue_wait_ns(self.pid),
        });
    }

    /// The columns, and what is known of the process as a whole.
    pub fn finish(mut self) -> (Iterations, Whole) {
        if !self.counting {
            self.iterations.cpu_ns = Some(self.cpu_column().map(|column| self.seen(&column)));
            self.iterations.peak_bytes = Some(match self.peaks.iter().copied().collect() {
                Some(peaks) => Reading::known(peaks, "VmHWM of the process, reset before the iteration"),
                None => {
                    Reading::unavailable("the kernel does not let the peak be reset (/proc/PID/clear_refs)")
                }
            });
        }
        let whole = self.whole();
        (self.iterations, whole)
    }

    fn cpu_column(&self) -> Reading<Vec<u64>> {
        let clock: Option<Vec<u64>> = self.clock_ns.iter().copied().collect();
        let tree: Option<Vec<u64>> = self.tree_ns.iter().copied().collect();
        match (clock, tree) {
            (Some(clock), Some(tree)) if has_helpers(&clock, &tree) => {
                Reading::known(tree, "cgroup cpu.stat: the process has helpers that work, too")
            }
            (Some(clock), _) => Reading::known(clock, "clock_gettime of the process"),
            (None, Some(tree)) => Reading::known(tree, "cgroup cpu.stat"),
            (None, None) => Reading::unavailable("the process' CPU clock cannot be read"),
        }
    }

    /// What was read at both ends of the iterations, where there was time between the two.
    fn seen(&self, column: &[u64]) -> Vec<Option<u64>> {
        let outer_ns = self.iterations.outer_ns.iter();
        outer_ns
            .zip(column)
            .map(|(outer, ns)| outer.map(|_| *ns))
            .collect()
    }

    fn whole(&self) -> Whole {
        const DIED: &str = "the process ended before it said `bye`";
        let (peak_bytes, run_queue_wait_ns) = match &self.farewell {
            None => (Reading::unavailable(DIED), Reading::unavailable(DIED)),
            Some(farewell) => (
                known_or(
                    farewell.peak,
                    &peak_source(farewell.processes),
                    "VmHWM cannot be read",
                ),
                known_or(
                    farewell.wait_ns,
                    "schedstat of the threads alive at `bye`",
                    "the kernel has no schedstat",
                ),
            ),
        };
        let never = "the process ended before it said `hello`";
        Whole {
            peak_bytes,
            run_queue_wait_ns,
            baseline_bytes: known_or(self.baseline, "VmRSS of the process at `hello`", never),
            threads: known_or(self.threads, "/proc/PID/status, most at any message", never),
        }
    }

    fn moment(&self, at_ns: u64) -> Moment {
        Moment {
            at_ns,
            clock_ns: sys::process_cpu_ns(self.pid).ok(),
            tree_ns: self.leaf.and_then(Leaf::cpu_ns),
        }
    }

    fn fold_peak(&mut self) -> Option<u64> {
        let peak = tree::peak_bytes(self.pid);
        self.peak = self.peak.max(peak);
        peak
    }

    fn count_threads(&mut self) {
        self.threads = self.threads.max(tree::thread_count(Some(self.pid)));
    }
}

fn has_helpers(clock: &[u64], tree: &[u64]) -> bool {
    let (clock, tree): (u64, u64) = (clock.iter().sum(), tree.iter().sum());
    tree > clock + HELPERS_NS && tree as f64 > clock as f64 * HELPERS_SHARE
}

fn difference(before: Option<u64>, after: Option<u64>) -> Option<u64> {
    Some(after?.saturating_sub(before?))
}

fn peak_source(processes: usize) -> String {
    match processes {
        1 => "VmHWM at `bye`".to_owned(),
        n => format!("VmHWM at `bye`, summed over {n} processes"),
    }
}

fn known_or(value: Option<u64>, source: &str, reason: &str) -> Reading<u64> {
    value.map_or_else(
        || Reading::unavailable(reason),
        |value| Reading::known(value, source),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn end(wall_ns: u64, metrics: &[(&str, f64)]) -> End {
        End {
            wall_ns,
            metrics: metrics.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect(),
            ..End::default()
        }
    }

    #[test]
    fn columns_have_equal_length_whatever_is_reported_when() {
        let mut meter = Meter::new(rustix::process::getpid(), None, false);
        meter.greeted();
        for (i, metrics) in [&[][..], &[("a", 1.0)], &[("a", 2.0), ("b", 3.0)], &[]]
            .into_iter()
            .enumerate()
        {
            meter.before_run();
            meter.began(100);
            meter.ended(100 + i as u64, end(i as u64, metrics));
        }
        meter.farewell();
        let (iterations, whole) = meter.finish();
        assert_eq!(iterations.wall_ns, [0, 1, 2, 3]);
        assert_eq!(iterations.outer_ns, [None, Some(1), Some(2), Some(3)]);
        assert_eq!(
            iterations.metrics,
            BTreeMap::from([
                ("a".to_owned(), vec![None, Some(1.0), Some(2.0), None]),
                ("b".to_owned(), vec![None, None, Some(3.0), None]),
            ])
        );
        assert_eq!(iterations.gc.len(), 4);
        let cpu = iterations.cpu_ns.unwrap();
        let seen: Vec<bool> = cpu.value().unwrap().iter().map(Option::is_some).collect();
        assert_eq!(
            seen,
            [false, true, true, true],
            "nothing lies between what is read at once"
        );
        assert!(whole.threads.value().is_some_and(|&n| n >= 1));
    }

    #[test]
    fn counting_keeps_no_time() {
        let mut meter = Meter::new(rustix::process::getpid(), None, true);
        meter.began(0);
        meter.ended(5, end(5, &[("a", 1.0)]));
        let (iterations, whole) = meter.finish();
        assert!(
            iterations.wall_ns.is_empty() && iterations.outer_ns.is_empty() && iterations.cpu_ns.is_none()
        );
        assert_eq!(whole.peak_bytes.value(), None);
    }

    #[test]
    fn the_trees_time_counts_only_when_helpers_work() {
        assert!(!has_helpers(&[1_000_000_000], &[1_010_000_000]));
        assert!(!has_helpers(&[10_000_000], &[20_000_000]));
        assert!(has_helpers(&[1_000_000_000], &[1_100_000_000]));
    }
}
