//! How fast two processors of this machine are just now, and how far apart.

use std::hint::{black_box, spin_loop};
use std::io;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// A line goes there and back so many times.
const PASSES: u32 = 200;

/// What something took beside what was measured, in nanoseconds.
#[derive(Clone, Copy)]
pub struct Probe {
    /// A calculation on each processor at once; the same for both if there is one only.
    pub calculations: [f64; 2],
    /// The way of a line between them, 0 if there is one only.
    pub line: f64,
}

/// Two processors that this process may use, or the only one.
///
/// # Errors
/// The system does not say.
pub fn processors() -> io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|&processor| set.is_set(processor))
        .take(2)
        .collect())
}

/// Calculates on each of the processors, two at most, and sends a line back and forth between them.
pub fn probe(processors: &[usize]) -> Probe {
    let (ball, together) = (AtomicU32::new(0), Barrier::new(processors.len()));
    let on = &|player: u32, processor: usize| {
        let mut set = CpuSet::new();
        set.set(processor);
        sched_setaffinity(None, &set).expect("this process may use it");
        together.wait();
        // What the system does first is not the processor's speed.
        let calculation = (0..3).map(|_| calculate()).min().expect("it was done");
        together.wait();
        let line = if processors.len() == 2 {
            play(&ball, player)
        } else {
            0.0
        };
        (calculation as f64, line)
    };
    let measured: Vec<(f64, f64)> = thread::scope(|scope| {
        let players = processors.iter().zip(0..);
        let threads: Vec<_> = players
            .map(|(&processor, player)| scope.spawn(move || on(player, processor)))
            .collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.map(|ended| ended.expect("it only calculates")).collect()
    });
    let (first, last) = (measured[0], measured[measured.len() - 1]);
    Probe {
        calculations: [first.0, last.0],
        line: first.1.max(last.1),
    }
}

/// Nanoseconds of a line's way from one player to the other.
fn play(ball: &AtomicU32, player: u32) -> f64 {
    let began = Instant::now();
    for pass in 0..PASSES {
        while ball.load(Relaxed) != 2 * pass + player {
            spin_loop();
        }
        ball.store(2 * pass + player + 1, Relaxed);
    }
    began.elapsed().as_nanos() as f64 / f64::from(2 * PASSES)
}

/// Nanoseconds for sums that do not wait for each other, so that they suffer from whoever shares the core.
fn calculate() -> u128 {
    let began = Instant::now();
    let mut sums = [1_u64, 2, 3, 4, 5, 6];
    for round in 0..10_000 {
        for sum in &mut sums {
            *sum = black_box((*sum ^ (*sum >> 7)).wrapping_add(round));
        }
    }
    black_box(sums);
    began.elapsed().as_nanos()
}
