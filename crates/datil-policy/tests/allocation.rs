//! A policy allocates when a worker starts and never again: hosts ask it between two messages.

mod counting;

use counting::allocations;
use datil_policy::topology::{Rings, Synthetic};
use datil_policy::*;

/// Asks a policy everything, many times over.
fn ask_everything<P: Policy>(policy: &mut P, workers: u32) {
    let board = Board::default();
    for turn in 0..5_000u32 {
        let (now, queued) = (u64::from(turn) * 7_000, turn as usize % 50);
        policy.pick(turn);
        policy.watch(queued, 1);
        policy.offer(now, queued, board);
        policy.crossed(now, now / 3, Pair::default(), board);
        let stint = Stint {
            began: now / 2,
            messages: now,
            toll: now / 4,
        };
        policy.parted(now, stint, board);
        policy.ran_dry(now, Some(stint), board);
        policy.hunt(turn % 100);
        policy.grant(queued);
        policy.relieve(queued, turn);
        if !P::ROUTES {
            continue;
        }
        let (word, _) = policy.spawned(Role::Untold);
        let word = policy.started(word);
        let mut around = Surroundings::default();
        policy.samples(turn, &around.profile);
        let sample = Sample {
            per_message: now,
            at_home: turn % 3 == 0,
        };
        around.profile = policy.finished(word, sample, around.profile);
        policy.woken(turn % workers, word, &around);
        policy.take(turn);
        policy.looks_for_sleepers();
        policy.looked(turn % 5 == 0);
        policy.wakes(board);
        policy.calls(turn % workers, (turn + 1) % workers, board);
        policy.summoned();
        policy.search(turn % 1_000);
    }
}

fn allocates_at_first_only<P: Policy>() {
    let machine = Synthetic {
        packages: 4,
        cores: 4,
        ..Synthetic::default()
    };
    let machine = machine.build().expect("a machine");
    let pus: Vec<usize> = (0..16).collect();
    let rings = Rings::around(5, &pus, &machine, P::neighbourhood());
    let setup = Setup {
        worker: 5,
        workers: 16,
        seed: 1,
    };
    let mut policy = P::on(setup, &rings);
    let before = allocations();
    ask_everything(&mut policy, 16);
    assert_eq!(allocations() - before, 0, "{}", P::NAME);
}

macro_rules! check {
    ($($policy:ident $($about:literal)?)*) => {
        $(allocates_at_first_only::<$policy>();)*
    };
}

#[test]
fn policies_do_not_allocate_once_a_worker_has_started() {
    with_policies!(check);
    with_routing_policies!(check);
    check!(Hostile);
    let before = allocations();
    drop(std::hint::black_box(Box::new(0)));
    assert_eq!(allocations() - before, 1, "they are counted");
}
