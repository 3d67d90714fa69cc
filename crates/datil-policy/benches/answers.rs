//! What a policy's answers take: `cargo bench -p datil-policy`. Times are per answer; the machine should be quiet.
//!
//! The simulator charges policies that learn for these (`Answers` in `datil_sim::machine`).

use datil_policy::topology::{Rings, Synthetic};
use datil_policy::{
    AdaptiveLocality, Board, Mean, Nanos, Policy, Profile, Sample, Setup, Surroundings, Word,
};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Worker 0 of 64 on 8 nodes.
fn policy() -> AdaptiveLocality {
    let machine = Synthetic {
        packages: 8,
        cores: 8,
        ..Synthetic::default()
    };
    let machine = machine.build().expect("a machine");
    let pus: Vec<usize> = (0..64).collect();
    let rings = Rings::around(0, &pus, &machine, AdaptiveLocality::neighbourhood());
    let setup = Setup {
        worker: 0,
        workers: 64,
        seed: 1,
    };
    AdaptiveLocality::on(setup, &rings)
}

/// Of a class whose messages take longer away from home.
fn pinned() -> Profile {
    let mean = |mean: Nanos| Mean {
        count: 100,
        mean,
        variance: 1_000,
        ..Mean::default()
    };
    Profile {
        home: mean(5_000),
        away: mean(9_000),
        pinned: true,
        ..Profile::default()
    }
}

/// Where an actor is queued that goes home.
#[divan::bench]
fn woken(bencher: Bencher<'_, '_>) {
    let mut policy = policy();
    let around = Surroundings {
        profile: pinned(),
        ..Surroundings::default()
    };
    let word = Word::new(Some(40), false);
    bencher.bench_local(move || policy.woken(black_box(0), black_box(word), black_box(&around)));
}

/// Whether an activation is timed.
#[divan::bench]
fn samples(bencher: Bencher<'_, '_>) {
    let (mut policy, profile, mut tick) = (policy(), pinned(), 0);
    bencher.bench_local(move || {
        tick += 1;
        policy.samples(black_box(tick), black_box(&profile))
    });
}

/// What a measurement has taught.
#[divan::bench]
fn finished(bencher: Bencher<'_, '_>) {
    let (mut policy, mut profile) = (policy(), pinned());
    let mut per_message = 5_000;
    bencher.bench_local(move || {
        per_message = 5_000 + (per_message * 7) % 1_000;
        let sample = Sample {
            per_message: black_box(per_message),
            at_home: per_message % 2 == 0,
        };
        profile = policy.finished(black_box(Word::new(Some(40), false)), sample, profile);
    });
}

/// Whether anybody is woken, and whether this one is.
#[divan::bench(args = [4, 40])]
fn wakes(bencher: Bencher<'_, '_>, sleeper: u32) {
    let (policy, board) = (policy(), Board::default());
    bencher.bench_local(move || {
        let board = black_box(board);
        policy.wakes(board) && policy.calls(black_box(0), black_box(sleeper), board)
    });
}

/// Whether a worker looks for a sleeper, and what is noted if nobody was found.
#[divan::bench]
fn looks_for_sleepers(bencher: Bencher<'_, '_>) {
    let mut policy = policy();
    bencher.bench_local(move || {
        if policy.looks_for_sleepers() {
            policy.looked(black_box(false));
        }
    });
}
