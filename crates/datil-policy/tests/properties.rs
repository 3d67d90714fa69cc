//! What every policy must keep to so that a host can rely on it, whatever it is told.

use std::collections::BTreeSet;

use datil_policy::{
    Adaptive, Board, ClsOffer, Crowd, EncoreCooperative, EncorePreemptive, Encounter, Hostile, Offer, Pair,
    Pick, Policy, Progress, Random, Setup, Stint, Verdict, WorkSharing,
};
use proptest::prelude::*;

/// A stint without toll.
fn stint(began: u64, messages: u64) -> Stint {
    Stint {
        began,
        messages,
        toll: 0,
    }
}

fn of_two() -> Adaptive {
    Adaptive::new(Setup {
        worker: 0,
        workers: 2,
        seed: 0,
    })
}

fn setups() -> impl Strategy<Value = Setup> {
    (1u32..=64, any::<u32>(), any::<u64>()).prop_map(|(workers, worker, seed)| Setup {
        worker: worker % workers,
        workers,
        seed,
    })
}

fn boards() -> impl Strategy<Value = Board> {
    let words = (
        any::<u64>(),
        any::<u64>(),
        any::<u64>(),
        any::<u32>(),
        any::<u64>(),
        any::<u64>(),
    );
    words.prop_map(|(not_before, pause, shared_at, paid, alone, gain)| Board {
        not_before,
        pause,
        shared_at,
        paid,
        alone,
        gain,
    })
}

/// Whether a policy has another worker take over what waits for one in a long handler little by little: something each time, and before long all.
fn relieves_all(policy: &mut impl Policy, queued: usize) -> bool {
    let mut left = queued;
    for before in 0..64 {
        let taken = policy.relieve(left, before);
        if taken > left || (taken == 0) != (left == 0) {
            return false;
        }
        left -= taken;
    }
    left == 0
}

/// Checks one policy in any state that `steps` of `now`, `queued` and `board` lead to.
fn keeps_the_rules<P: Policy>(setup: Setup, steps: &[(u64, usize, Board)]) -> Result<(), TestCaseError> {
    let mut policy = P::new(setup);
    prop_assert!(policy.batch() >= 1);
    for &(now, queued, board) in steps {
        policy.watch(queued, 1);
        if let Offer::Give(count) = policy.offer(now, queued, board) {
            prop_assert!(count >= 1 && count <= queued, "gives {count} of {queued}");
        }
        prop_assert!(policy.grant(queued) <= queued);
        prop_assert!(relieves_all(&mut policy, queued));
        let mut asked = 0;
        while let Some(victim) = policy.hunt(asked) {
            prop_assert!(victim < setup.workers || P::NAME == Hostile::NAME);
            prop_assert!(victim != setup.worker || P::NAME == Hostile::NAME);
            asked += 1;
            prop_assert!(asked < 10_000, "a thief never gives up");
        }
        let _ = policy.crossed(now, queued as u64, Pair::default(), board);
        let _ = policy.parted(now, stint(now, queued as u64), board);
        let _ = policy.shared(now, board);
        prop_assert!(P::place(now as u32, setup.workers).is_none_or(|worker| worker < setup.workers));
    }
    Ok(())
}

/// Whom a worker asks for work until it sleeps, in so many searches.
fn asked<P: Policy>(setup: Setup, searches: u32) -> BTreeSet<u32> {
    let mut policy = P::new(setup);
    (0..searches)
        .flat_map(|_| {
            (0..)
                .map_while(|attempt| policy.hunt(attempt))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Longest stretch in which a policy does not look at the given queue.
fn longest_without<P: Policy>(wanted: &[Pick]) -> u32 {
    let mut policy = P::new(Setup {
        worker: 0,
        workers: 2,
        seed: 0,
    });
    let (mut longest, mut current) = (0, 0);
    for tick in 0..100_000 {
        current = if wanted.contains(&policy.pick(tick)) {
            0
        } else {
            current + 1
        };
        longest = longest.max(current);
    }
    longest
}

proptest! {
    #[test]
    fn every_policy_keeps_the_rules(
        setup in setups(),
        steps in prop::collection::vec((any::<u64>(), 0usize..100_000, boards()), 1..50),
    ) {
        keeps_the_rules::<Adaptive>(setup, &steps)?;
        keeps_the_rules::<WorkSharing>(setup, &steps)?;
        keeps_the_rules::<ClsOffer>(setup, &steps)?;
        keeps_the_rules::<EncoreCooperative>(setup, &steps)?;
        keeps_the_rules::<EncorePreemptive>(setup, &steps)?;
        keeps_the_rules::<Hostile>(setup, &steps)?;
    }

    /// Work may wait anywhere, and its owner may be in a long handler.
    #[test]
    fn thieves_ask_everybody_before_they_sleep(setup in setups()) {
        let others: BTreeSet<u32> = (0..setup.workers).filter(|&worker| worker != setup.worker).collect();
        prop_assert_eq!(&asked::<Adaptive>(setup, 1), &others);
        prop_assert_eq!(&asked::<EncoreCooperative>(setup, 1), &others);
        prop_assert_eq!(&asked::<EncorePreemptive>(setup, 1), &others);
        // Ten at random each time.
        prop_assert_eq!(&asked::<ClsOffer>(setup, 1_000), &others);
    }

    #[test]
    fn same_inputs_same_decisions(
        setup in setups(),
        steps in prop::collection::vec((any::<u64>(), 0usize..1000, boards()), 1..50),
    ) {
        fn decisions<P: Policy>(setup: Setup, steps: &[(u64, usize, Board)]) -> String {
            let mut policy = P::new(setup);
            steps
                .iter()
                .map(|&(now, queued, board)| {
                    let (watch, offer) = (policy.watch(queued, 1), policy.offer(now, queued, board));
                    format!("{watch} {offer:?} {:?} {:?}", policy.hunt(0), policy.crossed(now, queued as u64, Pair::default(), board))
                })
                .collect()
        }
        prop_assert_eq!(decisions::<Adaptive>(setup, &steps), decisions::<Adaptive>(setup, &steps));
        prop_assert_eq!(decisions::<ClsOffer>(setup, &steps), decisions::<ClsOffer>(setup, &steps));
        prop_assert_eq!(
            decisions::<EncoreCooperative>(setup, &steps),
            decisions::<EncoreCooperative>(setup, &steps)
        );
    }

    /// While trials fail the pause doubles from 250 µs to at most 64 ms, or 2 ms if they were only over too soon, and no offer is made during
    /// it. What the others have taught is not forgotten.
    #[test]
    fn adaptive_backs_off(trials in prop::collection::vec((1u64..1_000_000, any::<bool>()), 1..40)) {
        let mut policy = Adaptive::new(Setup { worker: 1, workers: 2, seed: 0 });
        let (mut now, mut board) = (1_000_000_000, Board::default());
        board.shared_at = now;
        for (gap, cut) in trials {
            let before = board.pause;
            board = policy.shared(now, board);
            let began = now;
            now += gap;
            // All of the time was spent on the other worker, or hardly any time has passed.
            let failure = if cut { Stint { toll: gap, ..stint(began, 1) } } else { stint(now, 0) };
            board = policy.parted(now, failure, board);
            let longest = if cut { 64_000_000 } else { 2_000_000 };
            let expected = if before == 0 { 250_000 } else { (before * 2).min(longest) };
            prop_assert_eq!(board.pause, expected.max(before));
            prop_assert_eq!(board.not_before, now + expected);
            for _ in 0..100 {
                // Short activations, that is: long ones do not wait.
                policy.watch(50, u32::MAX);
                prop_assert_eq!(policy.offer(now + expected - 1, 50, board), Offer::Keep);
            }
            now += expected;
        }
    }

    /// A backlog is offered once it has lasted 20 microseconds, and not before.
    #[test]
    fn adaptive_waits_for_a_lasting_backlog(start in 0u64..1 << 50, wait in 0u64..100_000, queued in 1usize..5000) {
        let mut policy = Adaptive::new(Setup { worker: 0, workers: 2, seed: 0 });
        prop_assert_eq!(policy.offer(start, queued, Board::default()), Offer::Keep);
        let wanted = if wait >= 20_000 { Offer::Give(queued.div_ceil(2).min(128)) } else { Offer::Keep };
        prop_assert_eq!(policy.offer(start + wait, queued, Board::default()), wanted);
    }

    /// No trial begins where those at work have all processors, nor while a thread outside streams and has the last one, nor for 3 ms after that; long
    /// activations are given away.
    #[test]
    fn adaptive_takes_no_processor_from_those_at_work_and_the_sender_of_a_stream(
        start in 1u64 << 20..1 << 50,
        workers in 2u32..64,
        spare in 0u32..3,
        took in 1u64..50_000,
        words in 0u64..5_000,
    ) {
        let mut policy = Adaptive::new(Setup { worker: 0, workers, seed: 0 });
        let at_work = workers - 1;
        let crowd = |sent| Crowd { at_work, processors: at_work + spare, sent };
        let mut asked = |now, sent| {
            policy.watch(100, 1);
            policy.crowded(now, crowd(sent));
            policy.offer(now, 100, Board::default())
        };
        asked(start, 0);
        // One short activation, and a stretch in which all that has passed is another one, which may be long.
        asked(start + 1_000, 0);
        let end = start + 20_000 + took;
        let streams = words * 32 >= 20_000 + took;
        let is_held_back = spare == 0 || streams && spare < 2;
        let wanted = |keeps| if keeps { Offer::Keep } else { Offer::Give(50) };
        prop_assert_eq!(asked(end, words), wanted(is_held_back));
        if is_held_back {
            // Short again, so that it is only the stream that matters.
            prop_assert_eq!(asked(end + 1_000, words), Offer::Keep);
            let mut now = end + 1_000;
            while now + 4_000 < end + 3_000_000 {
                now += 4_000;
                prop_assert_eq!(asked(now, words), Offer::Keep, "{} after", now - end);
            }
            prop_assert_eq!(asked(end + 3_000_000, words), wanted(spare == 0));
        }
    }

    #[test]
    fn adaptive_gives_long_activations_away_whatever_comes_from_outside(took in 5_000u64..1_000_000) {
        let mut policy = Adaptive::new(Setup { worker: 0, workers: 2, seed: 0 });
        let mut offers = Vec::new();
        for look in 0..3 {
            let now = 1_000_000 + look * took;
            policy.watch(100, 1);
            policy.crowded(now, Crowd { at_work: 1, processors: 2, sent: now });
            offers.push(policy.offer(now, 100, Board::default()));
        }
        prop_assert_eq!(offers, [Offer::Keep, Offer::Keep, Offer::Give(50)]);
    }

    /// A gap in the backlog starts the wait anew, unless it is as short as one between two rounds of dealing out work.
    #[test]
    fn adaptive_forgets_a_backlog_that_ended(start in 0u64..1 << 50, queued in 1usize..5000) {
        let mut policy = Adaptive::new(Setup { worker: 0, workers: 2, seed: 0 });
        policy.offer(start, queued, Board::default());
        for _ in 0..3 {
            policy.watch(0, 1);
        }
        policy.watch(queued, 1);
        for _ in 0..4 {
            policy.watch(0, 1);
        }
        prop_assert_eq!(policy.offer(start + 30_000, queued, Board::default()), Offer::Keep);
    }

    /// Activations of 5 µs and more are offered during a pause, too, once two looks at the clock have found them.
    #[test]
    fn adaptive_does_not_keep_long_activations(
        took in 1u64..20_000,
        each in 1u32..20,
        queued in 1usize..5000,
        disturbed in prop::option::of(0usize..3),
    ) {
        let mut policy = Adaptive::new(Setup { worker: 0, workers: 2, seed: 0 });
        let pause = Board { not_before: u64::MAX, ..Board::default() };
        let mut now = 1_000_000_000;
        policy.offer(now, queued, pause);
        prop_assert!(!policy.watches_closely(), "nothing is known");
        for look in 0..3 {
            now += took * u64::from(each);
            policy.watch(queued, each);
            if disturbed == Some(look) {
                // Milliseconds of something else, which are none of the actors'.
                policy.interrupted();
                now += 5_000_000;
            }
            // The first look of all knows nothing of what was before; then the two after a disturbance have one good look at most.
            let known = look >= 1 && disturbed.is_none_or(|disturbed| look < disturbed || look >= disturbed + 2);
            let gives = known && took >= 5_000;
            prop_assert_eq!(policy.offer(now, queued, pause) != Offer::Keep, gives, "look {}", look);
            prop_assert_eq!(policy.watches_closely(), gives, "look {}", look);
        }
    }

    #[test]
    fn random_stays_below_its_bound(seed in any::<u64>(), bound in 1u32.., workers in 2u32..100) {
        let mut random = Random::new(seed);
        prop_assert!(random.below(bound) < bound);
        let me = random.below(workers);
        let other = random.other(me, workers).expect("there is another one");
        prop_assert!(other < workers && other != me);
    }
}

/// What a worker of two decides that has paid these tolls in stretches of these lengths since work was given away.
fn verdict(stretches: &[(u64, u64)]) -> Verdict {
    let mut policy = of_two();
    let board = Board {
        shared_at: 1_000_000_000,
        pause: 2_000_000,
        paid: 3,
        ..Board::default()
    };
    // All that was paid before counts for nothing.
    let (mut now, mut toll) = (board.shared_at, 1_000_000_000);
    policy.crossed(now, toll, Pair::default(), board);
    for &(took, paid) in stretches {
        now += took;
        toll += paid;
        let verdict = policy.crossed(now, toll, Pair::default(), board);
        if let Verdict::Reunite(after) = verdict {
            assert_eq!(
                (after.pause, after.not_before, after.paid),
                (4_000_000, now + 4_000_000, 0),
                "each reunion is a failure"
            );
            return verdict;
        }
    }
    Verdict::Apart
}

#[test]
fn who_pays_clearly_more_than_half_of_its_time_for_being_apart_goes_back() {
    assert_eq!(verdict(&[(100_000, 70_000); 9]), Verdict::Apart);
    assert_ne!(verdict(&[(100_000, 70_001)]), Verdict::Apart);
    assert_ne!(
        verdict(&[(300_000, 0), (500_000, 0), (100_000, 80_000)]),
        Verdict::Apart,
        "however late"
    );
}

/// A worker of two pays nine tenths of its time for being apart, while the two together need so long for each message, which took one
/// worker 100 ns; what it decides after each tenth of a millisecond.
fn verdicts(board: Board, times: &[u64]) -> Vec<bool> {
    let mut policy = of_two();
    let board = Board {
        shared_at: 1_000_000,
        alone: 100 * 256,
        ..board
    };
    let (mut now, mut toll, mut messages) = (board.shared_at, 0, 0);
    policy.crossed(now, toll, Pair::default(), board);
    let mut stays = |time: &u64| {
        now += 100_000;
        toll += 90_000;
        messages += 100_000 / time;
        let pair = Pair { other: 0, messages };
        policy.crossed(now, toll, pair, board) == Verdict::Apart
    };
    times.iter().map(&mut stays).collect()
}

#[test]
fn two_that_get_more_done_than_one_did_stay_apart_at_any_cost() {
    let board = Board::default();
    assert_eq!(verdicts(board, &[90; 9]), [true; 9]);
    assert_eq!(verdicts(board, &[100]), [false]);
    // Until they do not any more.
    assert_eq!(
        verdicts(board, &[50, 50, 50, 50, 200]),
        [true, true, true, true, false]
    );
}

#[test]
fn a_worker_that_gives_something_away_says_how_fast_it_was_alone() {
    let mut policy = of_two();
    let board = Board::default();
    assert_eq!(policy.shared(0, board).alone, 0, "nobody knows yet");
    let mut now = 0;
    for looks in 0..40 {
        now += 10_000;
        policy.advanced(Progress {
            activations: 100 * looks,
            messages: 100 * looks,
            queued: 9,
        });
        policy.watch(9, 100);
        policy.offer(
            now,
            9,
            Board {
                not_before: u64::MAX,
                ..board
            },
        );
    }
    let shared = policy.shared(now, board);
    assert_eq!((shared.shared_at, shared.alone), (now, 100 * 256));
    assert_eq!(
        of_two().shared(now, shared).alone,
        100 * 256,
        "who does not know leaves it"
    );
}

/// Half of the pause is taken back, as if the trial had cost little, but nothing else.
#[test]
fn a_trial_in_which_two_got_more_done_did_not_fail() {
    let board = Board {
        shared_at: 1_000_000,
        pause: 32_000_000,
        paid: 3,
        alone: 100 * 256,
        ..Board::default()
    };
    let after = |time: u64, toll| {
        let mut policy = of_two();
        policy.crossed(1_000_000, 0, Pair::default(), board);
        let pair = Pair {
            other: 0,
            messages: 60_000 / time,
        };
        policy.crossed(1_060_000, 0, pair, board);
        let stint = Stint {
            toll,
            ..stint(1_000_000, 1_000)
        };
        policy.parted(1_100_000, stint, board)
    };
    let halved = Board {
        pause: 16_000_000,
        ..board
    };
    assert_eq!(after(90, 90_000), halved);
    assert_eq!(after(90, 30_000), halved);
    assert_eq!(after(100, 30_000), board);
    assert_eq!(after(100, 90_000).pause, 64_000_000);
}

/// What comes after two were brought together is looked at for itself.
#[test]
fn a_failure_does_not_count_against_what_comes_later() {
    let board = Board {
        shared_at: 1_000_000,
        pause: 32_000_000,
        alone: 100 * 256,
        ..Board::default()
    };
    let mut policy = of_two();
    let pair = |messages| Pair { other: 0, messages };
    policy.crossed(1_000_000, 0, pair(0), board);
    let verdict = policy.crossed(1_500_000, 500_000, pair(10), board);
    assert_ne!(verdict, Verdict::Apart);
    policy.crossed(1_600_000, 500_000, pair(10), board);
    policy.crossed(1_660_000, 500_000, pair(1_010), board);
    let stint = Stint {
        toll: 30_000,
        ..stint(1_600_000, 1_000)
    };
    assert_eq!(policy.parted(1_700_000, stint, board).pause, 16_000_000);
}

#[test]
fn a_burst_is_judged_with_what_surrounds_it() {
    let burst = (10_000, 10_000);
    assert_eq!(verdict(&[burst; 9]), Verdict::Apart, "too short to say");
    assert_ne!(verdict(&[burst; 10]), Verdict::Apart);
    assert_eq!(
        verdict(&[burst, burst, burst, (80_000, 10_000), burst, burst]),
        Verdict::Apart
    );
}

#[test]
fn a_new_trial_is_judged_for_itself() {
    let mut policy = of_two();
    let board = |shared_at| Board {
        shared_at,
        ..Board::default()
    };
    policy.crossed(1_000_000, 0, Pair::default(), board(1_000_000));
    // Before the second trial everything went wrong.
    assert_eq!(
        policy.crossed(1_500_000, 500_000, Pair::default(), board(1_400_000)),
        Verdict::Apart
    );
    assert_eq!(
        policy.crossed(1_600_000, 510_000, Pair::default(), board(1_400_000)),
        Verdict::Apart
    );
}

/// Moving actors costs as much as running them if they are small, so a trial moves few of them, and more when that has paid.
#[test]
fn shares_grow_with_success() {
    let mut policy = of_two();
    let mut portion = |paid| {
        let board = Board {
            paid,
            ..Board::default()
        };
        for _ in 0..4 {
            policy.watch(0, 1);
        }
        policy.offer(0, 1 << 30, board);
        policy.offer(30_000, 1 << 30, board)
    };
    assert_eq!(portion(0), Offer::Give(128));
    assert_eq!(portion(3), Offer::Give(1024));
    assert_eq!(portion(u32::MAX), Offer::Give(1 << 23));
}

#[test]
fn a_trial_that_paid_takes_half_of_the_pause_back() {
    let mut policy = of_two();
    let board = Board {
        shared_at: 10_000_000,
        pause: 32_000_000,
        not_before: 40_000_000,
        paid: 3,
        ..Board::default()
    };
    let paid = Board {
        pause: 16_000_000,
        not_before: 0,
        paid: 4,
        ..board
    };
    let mut after = |messages, toll| {
        let stint = Stint {
            toll,
            ..stint(10_000_000, messages)
        };
        policy.parted(10_800_000, stint, board)
    };
    assert_eq!(after(256, 0), paid);
    assert_eq!(after(100_000, 100_000), paid, "an eighth of the time is little");
    assert_eq!(after(100_000, 100_001), board, "neither paid nor failed");
    assert_eq!(after(100_000, 560_000), board);
    assert_eq!(
        after(100_000, 560_001).pause,
        64_000_000,
        "more than seven tenths are too much"
    );
    assert_eq!(after(2, 4), paid, "few messages, but long ones");
    let brief = policy.parted(10_099_999, stint(10_000_000, 255), board);
    assert_eq!(
        (brief.not_before, brief.pause),
        (12_099_999, 32_000_000),
        "not worth waking, but that cost little"
    );
}

/// Asking costs whoever is asked, and a processor that might sleep.
#[test]
fn a_worker_asks_for_work_only_while_being_apart_pays() {
    let mut policy = of_two();
    let never = Board::default();
    let paying = Board { paid: 1, ..never };
    let paying_toll = |toll| {
        Some(Stint {
            toll,
            ..stint(10_000_000, 200)
        })
    };
    assert!(policy.ran_dry(10_000_000, None, paying));
    assert!(!policy.ran_dry(10_000_000, None, never));
    assert!(policy.ran_dry(10_020_000, paying_toll(2_500), never));
    assert!(
        !policy.ran_dry(10_019_999, paying_toll(0), never),
        "too short to say"
    );
    assert!(
        !policy.ran_dry(10_020_000, paying_toll(2_501), never),
        "more than an eighth"
    );
    assert_eq!((policy.hunt(0), policy.hunt(24)), (Some(1), None));
}

/// A handler that has written to many is long by itself; they need not be. Nor is a worker slow that had no processor once.
#[test]
fn adaptive_is_not_misled_by_one_long_activation() {
    let setup = Setup {
        worker: 0,
        workers: 2,
        seed: 0,
    };
    let pause = Board {
        not_before: u64::MAX,
        ..Board::default()
    };
    let mut policy = Adaptive::new(setup);
    let mut now = 1_000_000_000;
    policy.watch(500, 1);
    policy.offer(now, 500, pause);
    // In the handler, again and again.
    for _ in 0..5 {
        now += 1_000_000;
        policy.watch(500, 0);
        assert_eq!(policy.offer(now, 500, pause), Offer::Keep);
    }
    // After it, and after those it wrote to.
    for (took, passed) in [(1_000_000, 1), (4_000, 200), (5_000_000, 200), (4_000, 200)] {
        now += took;
        policy.watch(500, passed);
        assert_eq!(policy.offer(now, 500, pause), Offer::Keep, "{took}");
    }
}

/// The clock is read about every 4 µs of activations, whatever they take, and never less often than every 256.
#[test]
fn looks_at_the_clock_adapt_to_the_handlers() {
    let mut policy = of_two();
    let busy = Board {
        not_before: u64::MAX,
        ..Board::default()
    };
    let mut now = 1_000_000_000;
    let mut activations_to_a_look = |took: u64| {
        for passed in 1.. {
            now += took;
            if policy.watch(5, 1) {
                policy.offer(now, 5, busy);
                assert!(policy.stride() >= 1);
                return passed;
            }
        }
        unreachable!()
    };
    let first: Vec<u32> = (0..12).map(|_| activations_to_a_look(10)).collect();
    assert_eq!(first[..6], [1, 1, 2, 4, 8, 16], "carefully at first");
    assert_eq!(first[11], 256);
    assert_eq!(activations_to_a_look(1_000), 256, "it cannot know");
    assert_eq!(activations_to_a_look(1_000), 4);
    assert_eq!(activations_to_a_look(1_000_000), 4);
    assert_eq!(
        activations_to_a_look(1_000_000),
        1,
        "long handlers are looked at one by one"
    );
}

#[test]
fn actors_follow_hungry_senders_and_steady_ones() {
    let policy = of_two();
    let follow = |alone, streak, waiting, backlog| {
        policy.follow(Encounter {
            alone,
            streak,
            waiting,
            backlog,
            reunion: false,
            awake: true,
        })
    };
    assert!(follow(true, 1, 0, 1));
    let reunion = Encounter {
        alone: false,
        streak: 1,
        waiting: 9,
        backlog: 0,
        reunion: true,
        awake: true,
    };
    assert!(policy.follow(reunion));
    let asleep = Encounter {
        awake: false,
        ..reunion
    };
    assert!(!policy.follow(asleep), "a wake-up costs more than it would bring");
    assert!(
        !follow(true, 1, 1, 9),
        "its sender's worker has something else to do"
    );
    assert!(!follow(false, 1, 0, 9), "there is more for it to do here");
    assert!(
        !follow(true, 1, 0, 0),
        "nothing is gained by leaving a worker without backlog"
    );
    assert!(!follow(false, 3, 0, 10));
    assert!(follow(false, 4, 0, 0));
    assert!(follow(false, 4, 7, 7));
    assert!(!follow(false, 63, 8, 7), "there it would have to wait longer");
}

#[test]
fn nobody_waits_for_ever_in_either_queue() {
    for (name, oldest, yielded) in [
        (
            "adaptive",
            longest_without::<Adaptive>(&[Pick::Oldest]),
            longest_without::<Adaptive>(&[Pick::Yielded]),
        ),
        (
            "work-sharing",
            longest_without::<WorkSharing>(&[Pick::Oldest]),
            longest_without::<WorkSharing>(&[Pick::Yielded]),
        ),
        (
            "encore",
            longest_without::<EncoreCooperative>(&[Pick::Oldest]),
            longest_without::<EncoreCooperative>(&[Pick::Yielded]),
        ),
    ] {
        assert!(oldest < 3000 && yielded < 3000, "{name}: {oldest} {yielded}");
    }
    assert!(
        longest_without::<Adaptive>(&[Pick::Yielded]) <= 128,
        "who has much mail is waited for"
    );
    // Actors of `cls-offer` run until their mailbox is empty, so its yield queue stays empty.
    assert_eq!(
        ClsOffer::new(Setup {
            worker: 0,
            workers: 1,
            seed: 0
        })
        .batch(),
        u32::MAX
    );
    assert!(longest_without::<ClsOffer>(&[Pick::Oldest]) < 3000);
}
