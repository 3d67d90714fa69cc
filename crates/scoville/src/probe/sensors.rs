//! What went on around an invocation: two snapshots of the kernel's counters and what lies between them.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use crate::model::invocation::Sensors;
use crate::model::reading::Reading;

/// Unit of `/proc/stat`: `USER_HZ` is 100 on every architecture that this tool builds for.
const TICK_NS: u64 = 10_000_000;

/// Below this many nanoseconds per CPU the 10 ms units of `/proc/stat` say nothing.
const SHORTEST_NS: u64 = 200_000_000;

/// Time of one CPU in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CpuTime {
    /// User, nice, system, interrupts.
    busy: u64,
    /// Given to others by the hypervisor.
    steal: u64,
}

/// The kernel's counters at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    at: Instant,
    cpus: BTreeMap<u32, CpuTime>,
    pressure_us: Result<u64, String>,
    frequency_hz: Option<f64>,
    swapped_in: Option<u64>,
}

impl Snapshot {
    /// Reads everything for these CPUs. Costs some tens of microseconds.
    pub fn take(cpus: &[u32]) -> Self {
        let mut times = fs::read_to_string("/proc/stat")
            .map(|s| parse_stat(&s))
            .unwrap_or_default();
        times.retain(|cpu, _| cpus.contains(cpu));
        Snapshot {
            at: Instant::now(),
            cpus: times,
            pressure_us: fs::read_to_string("/proc/pressure/cpu")
                .map_err(|e| format!("/proc/pressure/cpu: {e}"))
                .and_then(|s| parse_pressure(&s).ok_or_else(|| "/proc/pressure/cpu has no total".to_owned())),
            frequency_hz: lowest_frequency(cpus),
            swapped_in: fs::read_to_string("/proc/vmstat")
                .ok()
                .and_then(|s| parse_vmstat(&s, "pswpin")),
        }
    }

    /// What happened from this snapshot to the later one, while the measured tree used `own_cpu_ns`.
    pub fn until(&self, later: &Snapshot, own_cpu_ns: Option<u64>) -> Sensors {
        let wall_ns = later.at.duration_since(self.at).as_nanos() as u64;
        Sensors {
            steal: self
                .ticks(later, wall_ns)
                .map(|(_, steal)| share(steal * TICK_NS, wall_ns, self.cpus.len())),
            foreign: self.foreign(later, wall_ns, own_cpu_ns),
            cpu_pressure: pressure(&self.pressure_us, &later.pressure_us, wall_ns),
            frequency_hz: match (self.frequency_hz, later.frequency_hz) {
                (Some(a), Some(b)) => Reading::known(a.min(b), "cpufreq scaling_cur_freq, before and after"),
                _ => Reading::unavailable("the machine shows no CPU frequency (no cpufreq)"),
            },
            swapped_in: match (self.swapped_in, later.swapped_in) {
                (Some(a), Some(b)) => Reading::known(b.saturating_sub(a), "/proc/vmstat pswpin"),
                _ => Reading::unavailable("/proc/vmstat shows no pswpin"),
            },
        }
    }

    /// Busy and stolen ticks of all the CPUs together.
    fn ticks(&self, later: &Snapshot, wall_ns: u64) -> Reading<(u64, u64)> {
        if self.cpus.is_empty() || self.cpus.len() != later.cpus.len() {
            return Reading::unavailable("/proc/stat does not show the CPUs");
        }
        if wall_ns < SHORTEST_NS {
            return Reading::unavailable("the invocation was too short for the 10 ms units of /proc/stat");
        }
        let sum = |of: fn(&CpuTime) -> u64| -> u64 {
            let total = |s: &Snapshot| s.cpus.values().map(of).sum::<u64>();
            total(later).saturating_sub(total(self))
        };
        Reading::known((sum(|c| c.busy), sum(|c| c.steal)), "/proc/stat")
    }

    fn foreign(&self, later: &Snapshot, wall_ns: u64, own_cpu_ns: Option<u64>) -> Reading<f64> {
        let Some(own) = own_cpu_ns else {
            return Reading::unavailable("the tree's own CPU time is not known");
        };
        match self.ticks(later, wall_ns) {
            Reading::Known { value: (busy, _), .. } => {
                let others = (busy * TICK_NS).saturating_sub(own);
                Reading::known(
                    share(others, wall_ns, self.cpus.len()),
                    "/proc/stat less the tree's own CPU time",
                )
            }
            Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable },
        }
    }
}

fn share(part_ns: u64, wall_ns: u64, cpus: usize) -> f64 {
    (part_ns as f64 / (wall_ns as f64 * cpus as f64)).min(1.0)
}

fn pressure(before: &Result<u64, String>, after: &Result<u64, String>, wall_ns: u64) -> Reading<f64> {
    match (before, after) {
        (Ok(a), Ok(b)) if wall_ns > 0 => Reading::known(
            (b.saturating_sub(*a) as f64 * 1e3 / wall_ns as f64).min(1.0),
            "/proc/pressure/cpu some; the runtime's own waiting threads are in it",
        ),
        (Err(reason), _) | (_, Err(reason)) => Reading::unavailable(reason.clone()),
        _ => Reading::unavailable("no time passed"),
    }
}

fn parse_stat(text: &str) -> BTreeMap<u32, CpuTime> {
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let cpu = words.next()?.strip_prefix("cpu")?.parse().ok()?;
        // user nice system idle iowait irq softirq steal; guest time is part of user.
        let ticks: Vec<u64> = words.map_while(|w| w.parse().ok()).collect();
        let tick = |i: usize| ticks.get(i).copied().unwrap_or(0);
        Some((
            cpu,
            CpuTime {
                busy: tick(0) + tick(1) + tick(2) + tick(5) + tick(6),
                steal: tick(7),
            },
        ))
    };
    text.lines().filter_map(line).collect()
}

fn parse_pressure(text: &str) -> Option<u64> {
    let some = text.lines().find(|line| line.starts_with("some "))?;
    some.split_whitespace()
        .find_map(|word| word.strip_prefix("total="))?
        .parse()
        .ok()
}

fn parse_vmstat(text: &str, name: &str) -> Option<u64> {
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

fn lowest_frequency(cpus: &[u32]) -> Option<f64> {
    cpus.iter()
        .filter_map(|cpu| {
            let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq");
            let khz: f64 = fs::read_to_string(path).ok()?.trim().parse().ok()?;
            Some(khz * 1e3)
        })
        .reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn snapshot(at: Instant, busy: u64, steal: u64, pressure_us: u64) -> Snapshot {
        Snapshot {
            at,
            cpus: BTreeMap::from([(0, CpuTime { busy, steal }), (1, CpuTime::default())]),
            pressure_us: Ok(pressure_us),
            frequency_hz: None,
            swapped_in: Some(0),
        }
    }

    #[test]
    fn shares_are_of_the_time_of_all_cpus() {
        let start = Instant::now();
        let before = snapshot(start, 100, 10, 0);
        // One second on two CPUs: 100 ticks busy, of which 0.6 s ours; 20 ticks stolen; 50 ms pressure.
        let after = snapshot(start + Duration::from_secs(1), 200, 30, 50_000);
        let sensors = before.until(&after, Some(600_000_000));
        assert_eq!(sensors.steal.value(), Some(&0.1));
        assert_eq!(sensors.foreign.value(), Some(&0.2));
        assert_eq!(sensors.cpu_pressure.value(), Some(&0.05));
        assert_eq!(sensors.frequency_hz.value(), None);
    }

    #[test]
    fn what_cannot_be_known_is_not_zero() {
        let start = Instant::now();
        let short =
            snapshot(start, 0, 0, 0).until(&snapshot(start + Duration::from_millis(50), 1, 0, 0), Some(0));
        assert_eq!(short.steal.value(), None);
        let long = snapshot(start, 0, 0, 0).until(&snapshot(start + Duration::from_secs(1), 1, 0, 0), None);
        assert_eq!(long.foreign.value(), None);
    }

    #[test]
    fn the_kernels_files_are_read() {
        let stat = "cpu  9 9 9 9\ncpu1 1 2 3 100 50 4 5 6 7 0\nintr 5\n";
        assert_eq!(
            parse_stat(stat),
            BTreeMap::from([(1, CpuTime { busy: 15, steal: 6 })])
        );
        assert_eq!(
            parse_pressure("some avg10=0.00 avg60=0 avg300=0 total=77\nfull total=1\n"),
            Some(77)
        );
        assert_eq!(parse_vmstat("pswpin_x 3\npswpin 4\n", "pswpin"), Some(4));
    }
}
