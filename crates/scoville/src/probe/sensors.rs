//! What went on around an invocation: two snapshots of the kernel's counters and what lies between them.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use super::usage;
use crate::model::invocation::Sensors;
use crate::model::reading::Reading;

/// Unit of `/proc/stat`: `USER_HZ` is 100 on every architecture that this tool builds for.
const UNIT_NS: u64 = 10_000_000;

/// Below this many nanoseconds per CPU the units of `/proc/stat` say nothing.
const SHORTEST_NS: u64 = 200_000_000;

/// What the kernel says, mostly files as text.
#[derive(Clone, Debug)]
pub struct Sources {
    /// `/proc/stat`.
    pub stat: String,
    /// `cpuacct.usage_percpu` of the root control group, if the machine has it.
    pub usage: Option<String>,
    /// The period of the kernel's tick, ns: by so much that accounting can be behind on each CPU.
    pub tick_ns: u64,
    /// CPU time of this program, ns, if it may run on the CPUs in question.
    pub laboratory_ns: u64,
    /// `/proc/pressure/cpu`, or why there is none.
    pub pressure: Result<String, String>,
    /// `/proc/vmstat`.
    pub vmstat: String,
}

impl Sources {
    fn read(cpus: &[u32]) -> Self {
        Sources {
            // First: the kernel brings its accounts of this thread up to date for it.
            laboratory_ns: usage::of_this_program(cpus),
            stat: fs::read_to_string("/proc/stat").unwrap_or_default(),
            usage: usage::read(),
            tick_ns: usage::tick_ns(),
            pressure: fs::read_to_string("/proc/pressure/cpu")
                .map_err(|e| format!("/proc/pressure/cpu: {e}")),
            vmstat: fs::read_to_string("/proc/vmstat").unwrap_or_default(),
        }
    }
}

/// Time of one CPU in units of `/proc/stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CpuTime {
    /// Nothing to do.
    idle: u64,
    /// Nothing to do until a disk answers.
    waiting: u64,
    /// Given to others by the hypervisor.
    steal: u64,
}

/// The kernel's counters at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    at: Instant,
    cpus: BTreeMap<u32, CpuTime>,
    /// Time in which the CPUs together ran anything, ns.
    ran_ns: Option<u64>,
    tick_ns: u64,
    laboratory_ns: u64,
    pressure_us: Result<u64, String>,
    frequency_hz: Option<f64>,
    swapped_in: Option<u64>,
}

/// A share of the CPUs' time, and how far off it may be.
struct Share {
    value: f64,
    error: f64,
    source: &'static str,
}

/// Steps of a counter on several CPUs.
#[derive(Clone, Copy, Default)]
struct Units {
    /// All steps, in units of `/proc/stat`.
    total: u64,
    /// CPUs on which it moved at all: on each the sum is rounded, by less than a unit.
    counters: u64,
}

impl Snapshot {
    /// Reads everything for these CPUs. Costs some tens of microseconds.
    pub fn take(cpus: &[u32]) -> Self {
        let at = Instant::now();
        Snapshot {
            frequency_hz: lowest_frequency(cpus),
            ..Snapshot::of(at, cpus, &Sources::read(cpus))
        }
    }

    /// What these files say of these CPUs; no frequency, which stands in a file for each.
    pub fn of(at: Instant, cpus: &[u32], sources: &Sources) -> Self {
        let mut times = parse_stat(&sources.stat);
        times.retain(|cpu, _| cpus.contains(cpu));
        Snapshot {
            at,
            cpus: times,
            tick_ns: sources.tick_ns,
            laboratory_ns: sources.laboratory_ns,
            ran_ns: sources
                .usage
                .as_deref()
                .and_then(|text| usage::of_cpus(text, cpus)),
            pressure_us: sources
                .pressure
                .clone()
                .and_then(|s| parse_pressure(&s).ok_or_else(|| "/proc/pressure/cpu has no total".to_owned())),
            frequency_hz: None,
            swapped_in: parse_vmstat(&sources.vmstat, "pswpin"),
        }
    }

    /// What happened from this snapshot to the later one, while the measured tree used `own_cpu_ns`.
    pub fn until(&self, later: &Snapshot, own_cpu_ns: Option<u64>) -> Sensors {
        let wall_ns = later.at.duration_since(self.at).as_nanos() as u64;
        let (steal, steal_error) = reading(self.stolen(later, wall_ns));
        let (foreign, foreign_error) = reading(self.foreign(later, wall_ns, own_cpu_ns));
        Sensors {
            steal,
            steal_error,
            foreign,
            foreign_error,
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

    fn stolen(&self, later: &Snapshot, wall_ns: u64) -> Result<Share, String> {
        self.comparable(later, wall_ns)?;
        // What was there is rounded down at both ends, on each CPU.
        let error = UNIT_NS * self.cpus.len() as u64;
        let stolen = self.units(later, |c| c.steal).total * UNIT_NS;
        Ok(self.share(stolen, error, wall_ns, "/proc/stat"))
    }

    fn foreign(&self, later: &Snapshot, wall_ns: u64, own_cpu_ns: Option<u64>) -> Result<Share, String> {
        let laboratory = later.laboratory_ns.saturating_sub(self.laboratory_ns);
        let own = own_cpu_ns.ok_or("the tree's own CPU time is not known")? + laboratory;
        if let (Some(before), Some(after), false) = (self.ran_ns, later.ran_ns, self.cpus.is_empty()) {
            let others = after.saturating_sub(before).saturating_sub(own);
            // What runs at this moment was counted at the CPU's last tick.
            let error = self.tick_ns * self.cpus.len() as u64;
            let source =
                "cpuacct of the root control group, less the tree's own CPU time and the laboratory's";
            return Ok(self.share(others, error, wall_ns, source));
        }
        self.comparable(later, wall_ns)?;
        // Not the busy columns: most kernels fill those by looking at each tick who runs just then, which is off by some
        // ticks either way. How long a CPU rests is measured.
        let resting = [
            self.units(later, |c| c.idle),
            self.units(later, |c| c.waiting),
            self.units(later, |c| c.steal),
        ];
        let rested: u64 = resting.iter().map(|units| units.total).sum();
        let moved: u64 = resting.iter().map(|units| units.counters).sum();
        let others = (wall_ns * self.cpus.len() as u64)
            .saturating_sub(rested * UNIT_NS)
            .saturating_sub(own);
        let source = "/proc/stat: neither idle nor stolen, less the tree's own CPU time and the laboratory's";
        Ok(self.share(others, moved * UNIT_NS, wall_ns, source))
    }

    /// That `/proc/stat` shows the same CPUs at both ends, and something of them.
    fn comparable(&self, later: &Snapshot, wall_ns: u64) -> Result<(), String> {
        if self.cpus.is_empty() || self.cpus.len() != later.cpus.len() {
            return Err("/proc/stat does not show the CPUs".to_owned());
        }
        if wall_ns < SHORTEST_NS {
            return Err("the invocation was too short for the 10 ms units of /proc/stat".to_owned());
        }
        Ok(())
    }

    /// How far a counter went on all the CPUs together.
    fn units(&self, later: &Snapshot, of: fn(&CpuTime) -> u64) -> Units {
        let pairs = self.cpus.values().zip(later.cpus.values());
        // Waiting for disks may be corrected downwards.
        let steps = pairs.map(|(before, after)| of(after).saturating_sub(of(before)));
        steps.fold(Units::default(), |sum, step| Units {
            total: sum.total + step,
            counters: sum.counters + u64::from(step > 0),
        })
    }

    fn share(&self, part_ns: u64, error_ns: u64, wall_ns: u64, source: &'static str) -> Share {
        let all = wall_ns as f64 * self.cpus.len() as f64;
        Share {
            value: (part_ns as f64 / all).min(1.0),
            error: error_ns as f64 / all,
            source,
        }
    }
}

fn reading(share: Result<Share, String>) -> (Reading<f64>, Option<f64>) {
    match share {
        Ok(share) => (Reading::known(share.value, share.source), Some(share.error)),
        Err(reason) => (Reading::unavailable(reason), None),
    }
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
        // user nice system idle iowait irq softirq steal guest guest_nice.
        let units: Vec<u64> = words.map_while(|w| w.parse().ok()).collect();
        let unit = |i: usize| units.get(i).copied().unwrap_or(0);
        Some((
            cpu,
            CpuTime {
                idle: unit(3),
                waiting: unit(4),
                steal: unit(7),
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

    /// Two CPUs, of which the first one moves.
    fn snapshot(at: Instant, cpu0: CpuTime, ran_ns: Option<u64>, pressure_us: u64) -> Snapshot {
        Snapshot {
            at,
            cpus: BTreeMap::from([(0, cpu0), (1, CpuTime::default())]),
            ran_ns,
            tick_ns: 4_000_000,
            laboratory_ns: 0,
            pressure_us: Ok(pressure_us),
            frequency_hz: None,
            swapped_in: Some(0),
        }
    }

    fn time(idle: u64, waiting: u64, steal: u64) -> CpuTime {
        CpuTime { idle, waiting, steal }
    }

    fn close(a: Option<&f64>, b: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() < 1e-12)
    }

    #[test]
    fn shares_are_of_the_time_of_all_cpus() {
        let start = Instant::now();
        let before = snapshot(start, time(100, 30, 10), None, 0);
        // One second on two CPUs: 40 units idle, 10 waiting, 20 stolen, so 1.3 s busy, of which 0.9 s ours.
        let after = snapshot(start + Duration::from_secs(1), time(140, 40, 30), None, 50_000);
        let sensors = before.until(&after, Some(900_000_000));
        assert!(close(sensors.steal.value(), 0.1));
        assert!(close(sensors.steal_error.as_ref(), 0.01));
        assert!(close(sensors.foreign.value(), 0.2), "{:?}", sensors.foreign);
        assert!(
            close(sensors.foreign_error.as_ref(), 0.015),
            "a unit for each counter that moved: {:?}",
            sensors.foreign_error
        );
        assert_eq!(sensors.cpu_pressure.value(), Some(&0.05));
        assert_eq!(sensors.frequency_hz.value(), None);
    }

    #[test]
    fn the_finer_source_is_preferred_and_needs_no_long_time() {
        let start = Instant::now();
        let before = snapshot(start, time(100, 0, 0), Some(7_000_000_000), 0);
        let after = snapshot(
            start + Duration::from_millis(50),
            time(100, 0, 0),
            Some(7_080_000_000),
            0,
        );
        let sensors = before.until(&after, Some(70_000_000));
        assert!(close(sensors.foreign.value(), 0.1), "{:?}", sensors.foreign);
        assert!(matches!(&sensors.foreign, Reading::Known { source, .. } if source.contains("cpuacct")));
        assert!(close(sensors.foreign_error.as_ref(), 0.08), "a tick for each CPU");
        assert_eq!(sensors.steal.value(), None);
    }

    #[test]
    fn what_the_laboratory_used_is_not_foreign() {
        let start = Instant::now();
        let before = snapshot(start, time(0, 0, 0), Some(0), 0);
        let mut after = snapshot(
            start + Duration::from_secs(1),
            time(0, 0, 0),
            Some(500_000_000),
            0,
        );
        after.laboratory_ns = 20_000_000;
        let sensors = before.until(&after, Some(400_000_000));
        assert!(close(sensors.foreign.value(), 0.04), "{:?}", sensors.foreign);
    }

    #[test]
    fn what_cannot_be_known_is_not_zero() {
        let start = Instant::now();
        let at = |ms, ran| snapshot(start + Duration::from_millis(ms), time(0, 0, 0), ran, 0);
        let short = at(0, None).until(&at(50, None), Some(0));
        assert_eq!((short.steal.value(), short.steal_error), (None, None));
        assert_eq!((short.foreign.value(), short.foreign_error), (None, None));
        for ran in [None, Some(0)] {
            let unknown = at(0, ran).until(&at(1_000, ran), None);
            assert_eq!((unknown.foreign.value(), unknown.foreign_error), (None, None));
        }
    }

    #[test]
    fn a_counter_that_goes_backwards_is_not_a_long_time() {
        let start = Instant::now();
        let before = snapshot(start, time(100, 30, 0), None, 0);
        let after = snapshot(start + Duration::from_secs(1), time(150, 29, 0), None, 0);
        let sensors = before.until(&after, Some(500_000_000));
        assert!(close(sensors.foreign.value(), 0.5), "{:?}", sensors.foreign);
    }

    #[test]
    fn the_kernels_files_are_read() {
        let stat = "cpu  9 9 9 9\ncpu1 1 2 3 100 50 4 5 6 7 0\nintr 5\n";
        assert_eq!(parse_stat(stat), BTreeMap::from([(1, time(100, 50, 6))]));
        assert_eq!(
            parse_pressure("some avg10=0.00 avg60=0 avg300=0 total=77\nfull total=1\n"),
            Some(77)
        );
        assert_eq!(parse_vmstat("pswpin_x 3\npswpin 4\n", "pswpin"), Some(4));
    }

    #[test]
    fn files_that_say_nothing_give_reasons() {
        let nothing = Sources {
            stat: String::new(),
            usage: Some("not a number".to_owned()),
            tick_ns: 4_000_000,
            laboratory_ns: 0,
            pressure: Ok("nothing".to_owned()),
            vmstat: String::new(),
        };
        let start = Instant::now();
        let before = Snapshot::of(start, &[0], &nothing);
        let after = Snapshot::of(start + Duration::from_secs(1), &[0], &nothing);
        let sensors = before.until(&after, Some(0));
        for reading in [&sensors.steal, &sensors.foreign, &sensors.cpu_pressure] {
            assert!(matches!(reading, Reading::Unavailable { .. }), "{reading:?}");
        }
        assert_eq!(sensors.swapped_in.value(), None);
    }
}
