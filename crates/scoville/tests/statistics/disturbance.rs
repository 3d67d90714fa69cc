//! How often a quiet machine is called disturbed, and how often a disturbed one is found: the sensors' files are
//! simulated, with the units and the sampling of the kernel's, and go through the probe and the judge.

use std::time::{Duration, Instant};

use scoville::model::invocation::Sensors;
use scoville::model::machine::BlockSensors;
use scoville::model::reading::Reading;
use scoville::probe::sensors::{Snapshot, Sources};

use crate::judging::{cell, judged};
use crate::noise::{Noise, assert_share};
use crate::sessions::{Log, block_sensors, calm, invocation, plan, quiet_block};

/// Unit of `/proc/stat`.
const UNIT_NS: f64 = 10e6;
/// Period of the simulated kernel's tick: 250 Hz.
const TICK_NS: f64 = 4e6;
const TRIALS: usize = 2000;

/// What the simulated CPU does, as shares of its time.
#[derive(Clone, Copy)]
struct Load {
    own: f64,
    foreign: f64,
    steal: f64,
}

/// Three per mille for the system's own threads, and now and then something of the hypervisor's.
const QUIET: Load = Load {
    own: 0.7,
    foreign: 0.003,
    steal: 0.0005,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    /// Nanoseconds by control group.
    Accounted,
    /// `/proc/stat`: time that was not idle.
    Idle,
    /// *Not used:* `/proc/stat`: busy ticks, taken for exact.
    Ticks,
}

/// The sensors around an invocation of `wall` seconds on one CPU.
fn sensors(load: Load, wall: f64, source: Source, noise: &mut Noise) -> Sensors {
    let wall_ns = wall * 1e9;
    // Amounts are drawn, too: bursts of half a millisecond.
    let burst = |share: f64, noise: &mut Noise| {
        let bursts = share * wall_ns / 5e5;
        (bursts + bursts.sqrt() * noise.normal()).max(0.0) * 5e5
    };
    let (own, steal) = (load.own * wall_ns, burst(load.steal, noise));
    let foreign = burst(load.foreign, noise).min(wall_ns - own - steal);
    let idle = wall_ns - own - foreign - steal;
    if source == Source::Ticks {
        return by_ticks(own, foreign, steal, wall_ns, noise);
    }
    // Counters are anywhere within their unit at first, and what runs at a snapshot was counted at the last tick.
    let phase = |noise: &mut Noise| UNIT_NS * (10.0 + noise.uniform());
    let (idle_at, steal_at) = (phase(noise), phase(noise));
    let uncounted = |noise: &mut Noise| {
        let running = noise.chance(load.foreign);
        f64::from(u8::from(running)) * TICK_NS * noise.uniform()
    };
    let (before, after) = (uncounted(noise), uncounted(noise));
    let sources = |idle: f64, steal: f64, ran: f64| Sources {
        stat: format!(
            "cpu0 0 0 0 {} 0 0 0 {} 0 0\n",
            (idle / UNIT_NS) as u64,
            (steal / UNIT_NS) as u64
        ),
        usage: (source == Source::Accounted).then(|| format!("{}", ran as u64)),
        tick_ns: TICK_NS as u64,
        laboratory_ns: 0,
        pressure: Ok("some total=0\n".to_owned()),
        vmstat: "pswpin 0\n".to_owned(),
    };
    let start = Instant::now();
    let end = start + Duration::from_nanos(wall_ns as u64);
    let first = Snapshot::of(start, &[0], &sources(idle_at, steal_at, 1e9 - before));
    let second = Snapshot::of(
        end,
        &[0],
        &sources(idle_at + idle, steal_at + steal, 1e9 + own + foreign - after),
    );
    first.until(&second, Some(own as u64))
}

/// At each tick the kernel charges the whole tick to who runs just then; the sum is shown in units.
fn by_ticks(own: f64, foreign: f64, steal: f64, wall_ns: f64, noise: &mut Noise) -> Sensors {
    let ticks = (wall_ns / TICK_NS) as u32;
    let busy = (0..ticks)
        .filter(|_| noise.chance((own + foreign) / wall_ns))
        .count();
    let shown = |ns: f64, noise: &mut Noise| (ns / UNIT_NS + noise.uniform()).floor() * UNIT_NS / wall_ns;
    let busy = shown(busy as f64 * TICK_NS, noise);
    Sensors {
        steal: Reading::known(shown(steal, noise), "ticks"),
        steal_error: Some(0.0),
        foreign: Reading::known((busy - own / wall_ns).max(0.0), "ticks"),
        foreign_error: Some(0.0),
        ..calm()
    }
}

/// How many of the invocations with these sensors the judge calls disturbed.
fn flagged(sensors: impl IntoIterator<Item = Sensors>) -> u32 {
    let mut log = Log::new(plan(&["pingpong"], &["a"]));
    for (block, sensors) in sensors.into_iter().enumerate() {
        let mut one = invocation(vec![1_000_000; 3]);
        one.sensors = sensors;
        log.start("pingpong", block as u32, quiet_block());
        log.run("pingpong", block as u32, "a", one);
        log.finish("pingpong", block as u32, quiet_block());
    }
    let analysis = judged(&log);
    let runs = &cell(&analysis, "pingpong", "a").invocations;
    runs.iter().filter(|run| !run.contaminated.is_empty()).count() as u32
}

/// How many invocations of this length are called disturbed.
fn alarms(load: Load, wall: f64, source: Source, noise: &mut Noise) -> u32 {
    flagged((0..TRIALS).map(|_| sensors(load, wall, source, noise)))
}

#[test]
fn a_quiet_machine_is_rarely_called_disturbed_whatever_an_invocation_lasts() {
    let mut noise = Noise::new(51);
    for wall in [0.05, 0.25, 0.5, 1.0, 4.0] {
        for source in [Source::Accounted, Source::Idle] {
            let alarms = alarms(QUIET, wall, source, &mut noise);
            println!("| quiet, {wall} s, {source:?} | {:.1} % |", percent(alarms));
            assert_share("false alarms", alarms, TRIALS as u32, 0.0, 0.001);
        }
    }
}

/// Why the reading's error is taken off, and why ticks are not counted.
#[test]
fn ticks_taken_for_exact_call_a_quiet_machine_disturbed() {
    let mut noise = Noise::new(52);
    for (wall, low, high) in [(0.25, 0.2, 0.6), (0.5, 0.1, 0.5), (1.0, 0.05, 0.4)] {
        let alarms = alarms(QUIET, wall, Source::Ticks, &mut noise);
        println!("| not used: quiet, {wall} s, ticks | {:.1} % |", percent(alarms));
        assert_share("false alarms of ticks", alarms, TRIALS as u32, low, high);
    }
}

#[test]
fn a_program_beside_it_is_found_if_it_exceeds_what_the_source_can_be_off() {
    let mut noise = Noise::new(53);
    let mut power = |share: f64, wall: f64, source: Source| {
        let load = Load {
            foreign: share,
            ..QUIET
        };
        let found = alarms(load, wall, source, &mut noise);
        println!(
            "| {:.0} % foreign, {wall} s, {source:?} | {:.1} % |",
            100.0 * share,
            percent(found)
        );
        found
    };
    // The threshold, the largest error, and something for the load's own bursts.
    for (share, wall, source, at_least) in [
        (0.2, 0.05, Source::Accounted, 0.95),
        (0.05, 0.25, Source::Accounted, 0.9),
        (0.04, 1.0, Source::Accounted, 0.95),
        (0.12, 0.25, Source::Idle, 0.9),
        (0.05, 1.0, Source::Idle, 0.9),
        (0.03, 4.0, Source::Idle, 0.9),
    ] {
        let found = power(share, wall, source);
        assert_share("power", found, TRIALS as u32, at_least, 1.0);
    }
    // Too little for the units of `/proc/stat`, and no flag is guessed.
    assert_share("power", power(0.05, 0.25, Source::Idle), TRIALS as u32, 0.0, 0.2);
}

#[test]
fn steal_is_found_if_it_exceeds_a_unit() {
    let mut noise = Noise::new(54);
    for (steal, wall, low) in [(0.1, 0.25, 0.95), (0.04, 1.0, 0.95), (0.02, 4.0, 0.95)] {
        let load = Load { steal, ..QUIET };
        let found = alarms(load, wall, Source::Accounted, &mut noise);
        println!(
            "| {:.0} % stolen, {wall} s | {:.1} % |",
            100.0 * steal,
            percent(found)
        );
        assert_share("power", found, TRIALS as u32, low, 1.0);
    }
}

/// A session of `n` blocks, whose two canaries have this noise; in those that `disturbed` names the machine's pace is another.
fn canaries(n: u32, sd: f64, disturbed: impl Fn(u32) -> f64, noise: &mut Noise) -> Vec<bool> {
    let mut log = Log::new(plan(&["pingpong"], &["a"]));
    for block in 0..n {
        let mut read = || -> BlockSensors {
            // One reading in fifty is caught by an interrupt or two.
            let caught = f64::from(u8::from(noise.chance(0.02))) * 0.02 * noise.uniform();
            block_sensors(
                48.0,
                3.4e6 * (1.0 + caught + disturbed(block)) * (sd * noise.normal()).exp(),
            )
        };
        let (before, after) = (read(), read());
        log.start("pingpong", block, before);
        log.run("pingpong", block, "a", invocation(vec![1_000_000; 3]));
        log.finish("pingpong", block, after);
    }
    let analysis = judged(&log);
    let blocks = &analysis.groups[0].blocks;
    blocks
        .iter()
        .map(|block| !block.contaminated.is_empty())
        .collect()
}

/// How many of the blocks that `which` names are flagged in a hundred sessions of forty blocks, and how many there are.
fn among(
    sd: f64,
    disturbed: impl Fn(u32) -> f64 + Copy,
    which: impl Fn(u32) -> bool + Copy,
    noise: &mut Noise,
) -> (u32, u32) {
    let mut count = (0, 0);
    for _ in 0..100 {
        for (block, flag) in canaries(40, sd, disturbed, noise).into_iter().enumerate() {
            if which(block as u32) {
                count = (count.0 + u32::from(flag), count.1 + 1);
            }
        }
    }
    count
}

#[test]
fn a_canary_flags_what_is_slower_than_its_own_noise() {
    let mut noise = Noise::new(55);
    let every_tenth = |block: u32| block.is_multiple_of(10);
    for (sd, power) in [(0.005, 0.95), (0.013, 0.95), (0.02, 0.7)] {
        let (alarms, blocks) = among(sd, |_| 0.0, |_| true, &mut noise);
        println!(
            "| canary {sd}, quiet | {:.2} % |",
            100.0 * f64::from(alarms) / f64::from(blocks)
        );
        assert_share("quiet", alarms, blocks, 0.0, 0.01);

        let faster = |block: u32| if every_tenth(block) { -0.1 } else { 0.0 };
        let (alarms, blocks) = among(sd, faster, |_| true, &mut noise);
        println!(
            "| canary {sd}, sometimes 10 % faster | {:.2} % |",
            100.0 * f64::from(alarms) / f64::from(blocks)
        );
        assert_share("faster", alarms, blocks, 0.0, 0.01);

        let slower = |block: u32| if every_tenth(block) { 0.1 } else { 0.0 };
        let (found, blocks) = among(sd, slower, every_tenth, &mut noise);
        println!(
            "| canary {sd}, sometimes 10 % slower | {:.2} % |",
            100.0 * f64::from(found) / f64::from(blocks)
        );
        assert_share("slower", found, blocks, power, 1.0);
    }
    // A lasting change is one large step among many small ones.
    let last_third = |block: u32| block > 26;
    let slower = |block: u32| if last_third(block) { 0.06 } else { 0.0 };
    let (found, blocks) = among(0.005, slower, last_third, &mut noise);
    assert_share("slower from then on", found, blocks, 0.95, 1.0);
}

/// Cells of six invocations of a runtime whose own pressure varies; the last of them is pressed by this much more.
fn pressed(more: f64, noise: &mut Noise) -> (u32, u32) {
    let (mut others, mut last) = (0, 0);
    for _ in 0..200 {
        let pressures: Vec<f64> = (0..6)
            .map(|i| 0.3 + 0.03 * noise.normal() + f64::from(u8::from(i == 5)) * more)
            .collect();
        let of = |pressures: &[f64]| {
            flagged(pressures.iter().map(|&pressure| Sensors {
                cpu_pressure: Reading::known(pressure, "simulated"),
                ..calm()
            }))
        };
        let all = of(&pressures);
        let (mut calmer, usual) = (pressures.clone(), pressures[0]);
        calmer[5] = usual;
        let without = of(&calmer);
        others += without;
        last += all.saturating_sub(without).min(1);
    }
    (others, last)
}

#[test]
fn pressure_is_judged_by_what_it_varies_by_itself() {
    let mut noise = Noise::new(56);
    let (alarms, found) = pressed(0.4, &mut noise);
    println!("| pressure: alarms in 1200, found in 200 | {alarms} | {found} |");
    assert_share("quiet", alarms, 1200, 0.0, 0.03);
    assert_share("pressed", found, 200, 0.9, 1.0);
}

fn percent(count: u32) -> f64 {
    100.0 * f64::from(count) / TRIALS as f64
}
