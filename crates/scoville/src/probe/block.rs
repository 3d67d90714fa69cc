//! Two small programs of fixed work that tell whether the machine is the same as a minute ago. They flag blocks; no
//! result is ever divided by them.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::CpuSet;

use crate::model::machine::BlockSensors;
use crate::model::reading::Reading;

/// Time for all hand-over measurements together.
const HANDOVER: Duration = Duration::from_millis(30);

/// Least time for one pair.
const SHORTEST_PAIR: Duration = Duration::from_millis(2);

/// Round trips between two looks at the clock.
const BATCH: u32 = 100;

/// Runs of the canary, of which the median counts.
const CANARY_RUNS: usize = 5;

/// Steps of one canary run: some milliseconds.
const CANARY_STEPS: u64 = 2_000_000;

/// The word that ends a ping-pong.
const STOP: u32 = u32::MAX;

/// Reads both sensors on these CPUs.
pub fn sense(cpus: &[u32]) -> BlockSensors {
    BlockSensors {
        line_handover_ns: handover(cpus),
        canary_ns: canary(cpus),
    }
}

/// The slowest pair of neighbours in the list.
fn handover(cpus: &[u32]) -> Reading<f64> {
    let pairs: Vec<(u32, u32)> = cpus.windows(2).map(|pair| (pair[0], pair[1])).collect();
    if pairs.is_empty() {
        return Reading::unavailable("one CPU has no neighbour to hand a cache line to");
    }
    let time = (HANDOVER / pairs.len() as u32).max(SHORTEST_PAIR);
    let times: Option<Vec<f64>> = pairs.iter().map(|&(a, b)| ping_pong(a, b, time)).collect();
    match times {
        Some(times) => {
            let slowest = times.into_iter().fold(0.0, f64::max);
            Reading::known(
                slowest,
                "cache line ping-pong between pinned threads, median of batches",
            )
        }
        None => Reading::unavailable(
            "the CPUs were too busy for a cache line ping-pong, or binding to them failed",
        ),
    }
}

/// One-way time of a cache line between two CPUs, ns; `None` if no batch was completed.
fn ping_pong(a: u32, b: u32, time: Duration) -> Option<f64> {
    /// A line of its own, also for a prefetcher that fetches pairs of lines.
    #[repr(align(128))]
    struct Ball(AtomicU32);
    let ball = Ball(AtomicU32::new(0));
    let ball = &ball.0;
    thread::scope(|scope| {
        let back = scope.spawn(move || bind(b).map(|()| return_balls(ball)));
        let there = scope.spawn(move || {
            let batches = bind(a).map(|()| serve_balls(ball, time));
            // Relaxed: the word carries no other data. The other side must see it whatever happened here.
            ball.store(STOP, Ordering::Relaxed);
            batches
        });
        let batches = there.join().ok().flatten();
        back.join().ok().flatten()?;
        median(batches?)
    })
}

/// Odd numbers go there, even ones come back. Relaxed throughout: the number itself is all that is handed over.
fn serve_balls(ball: &AtomicU32, time: Duration) -> Vec<f64> {
    let start = Instant::now();
    let mut batches = Vec::new();
    let mut n = 0;
    while start.elapsed() < time {
        let batch = Instant::now();
        for _ in 0..BATCH {
            ball.store(n + 1, Ordering::Relaxed);
            let mut spins = 0_u32;
            while ball.load(Ordering::Relaxed) != n + 2 {
                spins += 1;
                // The partner may be waiting for its CPU, or may never have come.
                if spins.is_multiple_of(1 << 14) && start.elapsed() > 4 * time {
                    return batches;
                }
                spin_loop();
            }
            n += 2;
        }
        batches.push(batch.elapsed().as_nanos() as f64 / f64::from(2 * BATCH));
    }
    batches
}

fn return_balls(ball: &AtomicU32) {
    let mut expected = 1;
    loop {
        match ball.load(Ordering::Relaxed) {
            STOP => return,
            n if n == expected => {
                // Not a plain store: it could overwrite the STOP of a partner who has given up.
                if ball
                    .compare_exchange(n, n + 1, Ordering::Relaxed, Ordering::Relaxed)
                    .is_ok()
                {
                    expected += 2;
                }
            }
            _ => spin_loop(),
        }
    }
}

/// Time of a fixed chain of dependent operations on the first of the CPUs.
fn canary(cpus: &[u32]) -> Reading<f64> {
    let Some(&cpu) = cpus.first() else {
        return Reading::unavailable("no CPU was chosen");
    };
    let runs =
        thread::spawn(move || bind(cpu).map(|()| (0..CANARY_RUNS).map(|_| chain()).collect::<Vec<f64>>()));
    match runs.join().ok().flatten().and_then(median) {
        Some(ns) => Reading::known(ns, "fixed chain of integer operations, median of 5"),
        None => Reading::unavailable(format!("binding to CPU {cpu} failed")),
    }
}

/// Each step needs the one before, so that the time follows the CPU's clock and nothing else.
fn chain() -> f64 {
    let start = Instant::now();
    let mut x = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..CANARY_STEPS {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    black_box(x);
    start.elapsed().as_nanos() as f64
}

fn bind(cpu: u32) -> Option<()> {
    let mut set = CpuSet::new();
    set.set(cpu as usize);
    rustix::thread::sched_setaffinity(None, &set).ok()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cpu_has_no_neighbour() {
        let sensors = sense(&[0]);
        assert_eq!(sensors.line_handover_ns.value(), None);
        assert!(sensors.canary_ns.value().is_some_and(|&ns| ns > 0.0));
    }

    #[test]
    fn a_cpu_that_does_not_exist_is_unavailable_and_ends() {
        let sensors = sense(&[0, 1023]);
        assert_eq!(sensors.line_handover_ns.value(), None);
    }

    #[test]
    fn a_ping_pong_ends_and_is_positive() {
        let cpus: Vec<u32> = crate::probe::topology::cpus()
            .iter()
            .map(|cpu| cpu.id)
            .take(2)
            .collect();
        if let [a, b] = cpus[..] {
            // On a busy machine there may be no batch at all; there is never a time of 0.
            assert!(ping_pong(a, b, Duration::from_millis(20)).is_none_or(|ns| ns > 0.0));
        }
    }

    #[test]
    fn the_median_is_of_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![]), None);
    }
}
