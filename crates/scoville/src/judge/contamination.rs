//! Which invocations and blocks were disturbed, by the machine's sensors only. The measured value is never looked at:
//! throwing out slow runs because they are slow would be choosing the result.
//!
//! A reading counts only as far as it exceeds its own error. Thresholds and reasons:
//! - steal above 1 %, foreign CPU time above 2 %: shares of the bound CPUs' time, so each moves a saturated benchmark by
//!   about as much; half the default margin, and the margin. The most that the units of the source can be off is taken
//!   off first: 10 ms of steal are 3 % of an invocation of 300 ms, and one such unit may stand for a microsecond.
//! - pressure above the median of the same cell: a runtime with more threads than CPUs makes pressure itself, about as
//!   much each time; what exceeds that by 5 points and by four times the cell's own spread comes from others. Needs three
//!   invocations of the cell to be judged.
//! - frequency below 95 % of the session's median: more than the margin, and more than the reading's own flicker.
//! - more than 256 pages swapped in: at 0.1 ms each they stall somebody for 26 ms, about 1 % of an invocation.
//! - handing over a cache line takes more than 1.5 times the lowest mode of all readings on the same CPUs: virtual CPUs
//!   are sometimes placed on other chips for seconds; distances within one chip differ by less than 1.5, and other chips
//!   are three to five times as far.
//! - the session was interrupted within the block: its invocations then ran far apart in time, which is what a block is
//!   there to prevent. No sensor says so, but the log does.
//! - canary slower than its median on the same CPUs by 3 % and by four times its own noise: a fixed loop that touches no
//!   memory repeats within half a percent in one hour and within 1.3 in another, as the clock wanders, so its noise is
//!   taken from the steps between neighbouring readings, where a lasting change shows once. A faster reading is no
//!   disturbance: nothing that takes time away from a program makes it faster, and who runs while the clock is fast is
//!   drawn, as the order within a block is.

use std::collections::BTreeSet;

use crate::model::analysis::Sensor;
use crate::model::invocation::Invocation;
use crate::model::machine::BlockSensors;
use crate::model::reading::Reading;
use crate::stats::dispersion;
use crate::stats::quantile::{median, of_sorted, sorted};

use super::replay::{BlockLog, GroupLog, Run, Session};

const STEAL: f64 = 0.01;
const FOREIGN: f64 = 0.02;
const PRESSURE: f64 = 0.05;
const PRESSURE_KNOWN_FROM: usize = 3;
const FREQUENCY: f64 = 0.95;
const SWAPPED_IN: u64 = 256;
const HANDOVER: f64 = 1.5;
const CANARY: f64 = 0.03;
/// A reading that varies by itself has to be so many standard deviations off.
const NOISES: f64 = 4.0;
/// Logs of earlier versions do not say how far off a share of CPU time may be. It was two units of 10 ms for each CPU: in them
/// the kernel noted at each tick who ran.
const UNTOLD_ERROR_NS: f64 = 20e6;

/// What the sensors say about a session.
pub(super) struct Judgement {
    /// In plan order.
    pub groups: Vec<GroupJudgement>,
}

/// What the sensors say about a group.
pub(super) struct GroupJudgement {
    /// Reasons for each of the group's blocks, in their order.
    pub blocks: Vec<Vec<Reason>>,
    /// For each of the group's runs, in their order.
    pub runs: Vec<RunJudgement>,
}

/// Why an invocation or a block counts as disturbed.
#[derive(Clone)]
pub(super) struct Reason {
    /// What fired.
    pub sensor: Sensor,
    /// What it read, in words.
    pub text: String,
}

/// What the sensors say about one invocation.
pub(super) struct RunJudgement {
    /// Reasons from its own sensors.
    pub own: Vec<Reason>,
    /// Reasons from its block's sensors.
    pub block: Vec<Reason>,
}

impl RunJudgement {
    /// Whether nothing disturbed it.
    pub fn clean(&self) -> bool {
        self.own.is_empty() && self.block.is_empty()
    }

    /// All reasons in words.
    pub fn reasons(&self) -> Vec<String> {
        let all = self.own.iter().chain(&self.block);
        all.map(|reason| reason.text.clone()).collect()
    }

    /// What fired.
    pub fn sensors(&self) -> BTreeSet<Sensor> {
        self.own
            .iter()
            .chain(&self.block)
            .map(|reason| reason.sensor)
            .collect()
    }
}

/// Judges every block and invocation of a session.
pub(super) fn judge(session: &Session<'_>) -> Judgement {
    let frequencies = session.groups.iter().flat_map(|log| &log.runs);
    let frequencies: Vec<f64> = frequencies
        .filter_map(|run| known(&run.invocation.sensors.frequency_hz))
        .collect();
    let frequency = median(&frequencies);
    let references = References::of(session);
    let groups = session
        .groups
        .iter()
        .map(|log| {
            let usual = references.of_cpus(&log.group.cpus);
            let blocks: Vec<Vec<Reason>> = log
                .blocks
                .iter()
                .map(|block| block_reasons(block, usual))
                .collect();
            let runs = runs(log, &blocks, frequency);
            GroupJudgement { blocks, runs }
        })
        .collect();
    Judgement { groups }
}

fn runs(log: &GroupLog<'_>, blocks: &[Vec<Reason>], frequency: Option<f64>) -> Vec<RunJudgement> {
    let pressures: Vec<Option<Usual>> = (0..log.group.competitors.len())
        .map(|competitor| own_pressure(log, competitor))
        .collect();
    let judge = |run: &Run<'_>| {
        let position = log.blocks.iter().position(|block| block.number == run.block);
        RunJudgement {
            own: run_reasons(run, pressures[run.competitor], frequency),
            // An earlier run of a repeated block had other sensors, which the last run's do not speak for.
            block: position
                .filter(|_| !run.superseded)
                .map(|i| blocks[i].clone())
                .unwrap_or_default(),
        }
    };
    log.runs.iter().map(judge).collect()
}

/// The pressure that a runtime makes itself, from its invocations, once there are enough.
fn own_pressure(log: &GroupLog<'_>, competitor: usize) -> Option<Usual> {
    let of_cell = log.runs.iter().filter(|run| run.competitor == competitor);
    let pressures: Vec<f64> = of_cell
        .filter_map(|run| known(&run.invocation.sensors.cpu_pressure))
        .collect();
    Usual::of(&pressures, dispersion::scale).filter(|_| pressures.len() >= PRESSURE_KNOWN_FROM)
}

/// What the sensors of one invocation say without knowledge of any other: steal, foreign CPU time and swapping.
fn lone_reasons(invocation: &Invocation) -> Vec<Reason> {
    let sensors = &invocation.sensors;
    let untold = UNTOLD_ERROR_NS / invocation.process.wall_ns.max(1) as f64;
    let exceeds = |share: &Reading<f64>, error: Option<f64>, limit: f64| {
        known(share).filter(|share| share - error.unwrap_or(untold) > limit)
    };
    let mut reasons = Vec::new();
    if let Some(steal) = exceeds(&sensors.steal, sensors.steal_error, STEAL) {
        let text = format!("the hypervisor took {} of its CPU time", percent(steal));
        reasons.push(reason(Sensor::Steal, text));
    }
    if let Some(foreign) = exceeds(&sensors.foreign, sensors.foreign_error, FOREIGN) {
        let text = format!("other programs used {} of its CPUs", percent(foreign));
        reasons.push(reason(Sensor::Foreign, text));
    }
    if let Some(pages) = sensors.swapped_in.value().filter(|pages| **pages > SWAPPED_IN) {
        reasons.push(reason(Sensor::Swap, format!("{pages} pages were swapped in")));
    }
    reasons
}

fn run_reasons(run: &Run<'_>, own_pressure: Option<Usual>, frequency: Option<f64>) -> Vec<Reason> {
    let sensors = &run.invocation.sensors;
    let mut reasons = lone_reasons(run.invocation);
    if let (Some(pressure), Some(own)) = (known(&sensors.cpu_pressure), own_pressure)
        && own.exceeded_by(pressure, PRESSURE)
    {
        let (now, usual) = (percent(pressure), percent(own.middle));
        let text = format!("CPU pressure {now}, {usual} is usual for this runtime here");
        reasons.push(reason(Sensor::Pressure, text));
    }
    if let (Some(hertz), Some(usual)) = (known(&sensors.frequency_hz), frequency)
        && hertz < FREQUENCY * usual
    {
        let (now, usual) = (hertz / 1e9, usual / 1e9);
        let text = format!("CPU frequency fell to {now:.2} GHz, the session's median is {usual:.2} GHz");
        reasons.push(reason(Sensor::Frequency, text));
    }
    reasons
}

fn block_reasons(block: &BlockLog<'_>, usual: UsualBlock) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if block.torn {
        let text = "the session was interrupted within the block".to_owned();
        reasons.push(reason(Sensor::Interruption, text));
    }
    for (when, sensors) in [("before", Some(block.before)), ("after", block.after)] {
        let Some(sensors) = sensors else { continue };
        if let (Some(line), Some(near)) = (known(&sensors.line_handover_ns), usual.handover)
            && line > HANDOVER * near
        {
            let text =
                format!("{when} it, a cache line took {line:.0} ns between the CPUs, usually {near:.0} ns");
            reasons.push(reason(Sensor::Handover, text));
        }
        if let (Some(canary), Some(usual)) = (known(&sensors.canary_ns), usual.canary)
            && usual.exceeded_by(canary, CANARY * usual.middle)
        {
            let slower = percent(canary / usual.middle - 1.0);
            let text = format!("{when} it, a fixed computation was {slower} slower than usual");
            reasons.push(reason(Sensor::Canary, text));
        }
    }
    reasons
}

/// What a sensor usually reads that varies by itself.
#[derive(Clone, Copy)]
struct Usual {
    middle: f64,
    /// Standard deviation of an undisturbed reading.
    noise: f64,
}

impl Usual {
    /// Of these readings, with their noise as `noise` estimates it; `None` of none.
    fn of(readings: &[f64], noise: fn(&[f64]) -> Option<f64>) -> Option<Self> {
        Some(Usual {
            middle: median(readings)?,
            noise: noise(readings).unwrap_or(0.0),
        })
    }

    /// Whether a reading is larger by more than `limit`, and by more than noise explains.
    fn exceeded_by(self, reading: f64, limit: f64) -> bool {
        reading - self.middle > limit.max(NOISES * self.noise)
    }
}

/// What block sensors usually read on some CPUs.
#[derive(Clone, Copy, Default)]
struct UsualBlock {
    handover: Option<f64>,
    canary: Option<Usual>,
}

/// Usual readings by list of CPUs: other CPUs lie at other distances.
struct References<'a>(Vec<(&'a [u32], UsualBlock)>);

impl<'a> References<'a> {
    fn of(session: &Session<'a>) -> Self {
        let mut lists: Vec<&[u32]> = session.groups.iter().map(|log| &log.group.cpus[..]).collect();
        lists.sort_unstable();
        lists.dedup();
        let usual = |cpus: &'a [u32]| {
            let logs = session.groups.iter().filter(|log| log.group.cpus == cpus);
            let mut blocks: Vec<&BlockLog<'_>> = logs.flat_map(|log| &log.blocks).collect();
            // As they were run, so that neighbouring readings are close in time.
            blocks.sort_by_key(|block| block.sequence);
            let sensors: Vec<&BlockSensors> = blocks
                .iter()
                .flat_map(|block| std::iter::once(block.before).chain(block.after))
                .collect();
            let read = |pick: fn(&BlockSensors) -> &Reading<f64>| -> Vec<f64> {
                sensors.iter().filter_map(|s| known(pick(s))).collect()
            };
            UsualBlock {
                handover: lowest_mode(&read(|s| &s.line_handover_ns)),
                canary: Usual::of(&read(|s| &s.canary_ns), dispersion::noise),
            }
        };
        References(lists.into_iter().map(|cpus| (cpus, usual(cpus))).collect())
    }

    fn of_cpus(&self, cpus: &[u32]) -> UsualBlock {
        self.0
            .iter()
            .find(|(list, _)| *list == cpus)
            .map(|(_, usual)| *usual)
            .unwrap_or_default()
    }
}

/// The median of the lowest cluster: readings are cut into clusters at gaps of more than a quarter, and a cluster must
/// hold a twentieth of all readings, lest one lucky reading make all others look far.
fn lowest_mode(readings: &[f64]) -> Option<f64> {
    let sorted = sorted(readings);
    let enough = sorted.len().div_ceil(20);
    let clusters = sorted.chunk_by(|a, b| *b <= 1.25 * a);
    clusters
        .filter(|cluster| cluster.len() >= enough)
        .map(|cluster| of_sorted(cluster, 0.5))
        .next()
}

/// The value of a reading, if it is there and a number.
fn known(reading: &Reading<f64>) -> Option<f64> {
    reading.value().copied().filter(|value| value.is_finite())
}

fn reason(sensor: Sensor, text: String) -> Reason {
    Reason { sensor, text }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_mode_is_the_near_one_of_two() {
        let readings = [48.0, 235.0, 47.0, 240.0, 49.0, 230.0, 236.0];
        assert_eq!(lowest_mode(&readings), Some(48.0));
    }

    #[test]
    fn one_lucky_reading_is_no_mode() {
        let mut readings = vec![100.0; 40];
        readings.push(10.0);
        assert_eq!(lowest_mode(&readings), Some(100.0));
    }

    #[test]
    fn no_reading_has_no_mode() {
        assert_eq!(lowest_mode(&[]), None);
    }
}
