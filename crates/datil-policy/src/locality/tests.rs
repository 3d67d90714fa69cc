use std::collections::BTreeSet;

use proptest::prelude::*;

use super::homes::{FORGIVEN, KNOWN, STRAYING, is_root_above};
use super::*;
use crate::topology;

const SETUP: Setup = Setup {
    worker: 0,
    workers: 8,
    seed: 0,
};

fn mean(count: u32, mean: Nanos, variance: u64) -> Mean {
    Mean {
        count,
        rest: 0,
        mean,
        variance,
    }
}

fn profile(home: Mean, away: Mean, pinned: bool) -> Profile {
    Profile {
        home,
        away,
        pinned,
        strayed: 0,
    }
}

/// Around one of eight workers, four on each node.
fn on_two_nodes(me: u32) -> Rings {
    let machine = topology::Synthetic {
        packages: 2,
        l2: (4, 0),
        ..topology::Synthetic::default()
    };
    let machine = machine.build().expect("a machine");
    let pus: Vec<usize> = (0..8).collect();
    Rings::around(me, &pus, &machine, AdaptiveLocality::neighbourhood())
}

proptest! {
    #[test]
    fn a_root_is_above_a_bound_if_its_whole_part_is(square: u64, near in 0..3u64, far: u64) {
        let root = square.isqrt();
        for bound in [root.saturating_sub(near), root + near, far] {
            prop_assert_eq!(is_root_above(square, bound), root > bound, "{} of {}", root, bound);
        }
        prop_assert!(is_root_above(u64::MAX, u64::from(u32::MAX) - 1) && !is_root_above(u64::MAX, u32::MAX.into()));
    }

    /// One by one what may make a difference: the mean times, and being pinned.
    #[test]
    fn of_plain_classes_nothing_need_be_known(home in 0..2 * LONG, away in 0..2 * LONG, pinned: bool, tick: u32, at in 0..8u32, together: bool) {
        let profile = profile(mean(100, home, 0), mean(100, away, 0), pinned);
        let rings = if together { Rings::uniform(0, 8) } else { on_two_nodes(0) };
        let mut policy = AdaptiveLocality::on(SETUP, &rings);
        prop_assert_eq!(policy.is_plain(&profile), !pinned && home.max(away) <= LONG);
        if policy.is_plain(&profile) {
            let word = Word::new(Some(at), false);
            let known = policy.woken(0, word, &Surroundings { profile, home_queue: 100, idle: 8 });
            prop_assert_eq!(known, policy.woken(0, word, &Surroundings::default()));
            prop_assert_eq!(policy.samples(tick, &profile), policy.samples(tick, &Profile::default()));
        }
        prop_assert!(!PinAll::on(SETUP, &rings).is_plain(&profile), "these are sent home");
    }
}

#[test]
fn only_for_those_who_are_sent_home_does_it_look_at_others() {
    let policy = AdaptiveLocality::on(SETUP, &on_two_nodes(0));
    assert!(policy.looks(&profile(mean(100, 50_000, 0), mean(100, 60_000, 0), true)));
    assert!(!policy.looks(&profile(mean(100, 50_000, 0), mean(100, 60_000, 0), false)));
    assert!(!WithoutGuard::on(SETUP, &on_two_nodes(0)).looks(&profile(mean(1, 1, 0), mean(1, 1, 0), true)));
    assert!(PinAll::on(SETUP, &on_two_nodes(0)).looks(&Profile::default()));
}

#[test]
fn a_class_is_pinned_by_a_clear_difference_only() {
    let decided = |home, away, pinned| is_pinned(&profile(home, away, pinned), true);
    assert!(decided(
        mean(100, 50_000, 10_000),
        mean(100, 60_000, 10_000),
        false
    ));
    assert!(
        !decided(mean(100, 50_000, 10_000), mean(100, 51_900, 10_000), false),
        "worth too little"
    );
    assert!(
        !decided(mean(100, 60_000, 10_000), mean(100, 50_000, 10_000), false),
        "better away"
    );
    let spread = 10_000_000_000;
    assert!(
        !decided(mean(100, 50_000, spread), mean(100, 60_000, spread), false),
        "by chance"
    );
    assert!(is_pinned(
        &profile(mean(100, 50_000, spread), mean(100, 60_000, spread), false),
        false
    ));
    assert!(
        !decided(mean(7, 50_000, 0), mean(100, 60_000, 0), false),
        "hardly known"
    );
    assert!(decided(mean(100, 50_000, 0), mean(100, 51_900, 0), true), "stays");
    assert!(
        !decided(mean(100, 50_000, 0), mean(100, 50_900, 0), true),
        "is let go"
    );
}

/// The profile of a class after so many measurements of the same two times, `stay` of ten at home.
fn after<P: Policy>(mut known: Profile, measurements: u32, stay: u32) -> Profile {
    let mut policy = P::new(SETUP);
    for number in 0..measurements {
        let at_home = number % 10 < stay;
        let per_message = if at_home { 50_000 } else { 60_000 };
        known = policy.finished(Word::new(Some(0), false), Sample { per_message, at_home }, known);
    }
    known
}

#[test]
fn what_made_a_class_suspicious_does_not_keep_it_pinned() {
    let suspicious = Profile {
        home: mean(20, 50_000, 0),
        ..profile(mean(0, 0, 0), mean(20, 60_000, 0), false)
    };
    let sample = Sample {
        per_message: 60_000,
        at_home: true,
    };
    let mut policy = AdaptiveLocality::new(SETUP);
    let mut learn = |known| policy.finished(Word::new(Some(0), false), sample, known);
    let mut known = learn(suspicious);
    assert_eq!((known.pinned, known.home.count), (true, 0));
    for count in 1..KNOWN {
        known = learn(known);
        assert_eq!(
            (known.pinned, known.home.count),
            (true, count),
            "too little is known"
        );
    }
    assert!(!learn(known).pinned);
    // All of what was measured together still looks as if it took longer away.
    let mut policy = WithoutSecondLook::new(SETUP);
    let known = (0..=KNOWN).fold(suspicious, |known, _| {
        policy.finished(Word::new(Some(0), false), sample, known)
    });
    assert!(known.pinned && known.home.count > 20, "{known:?}");
}

#[test]
fn a_class_is_let_go_whose_actors_do_not_stay_at_home() {
    let learned = after::<AdaptiveLocality>(Profile::default(), 200, 5);
    assert!(learned.pinned, "the difference is clear");
    assert!(after::<AdaptiveLocality>(learned, 100_000, 6).pinned, "most stay");
    // The first ones were under way when it was pinned.
    let soon = after::<AdaptiveLocality>(learned, 200, 0);
    assert!(soon.pinned);
    assert!(
        after::<AdaptiveLocality>(soon, 10_000, 8).pinned,
        "they came home"
    );
    let strayed = after::<AdaptiveLocality>(learned, 1_500, 3);
    assert!(!strayed.pinned, "{strayed:?}");
    assert!(after::<WithoutResigning>(learned, 1_500, 3).pinned);
}

#[test]
fn a_class_that_was_let_go_is_given_another_trial() {
    let learned = after::<AdaptiveLocality>(Profile::default(), 200, 5);
    let mut known = learned;
    while known.pinned {
        known = after::<AdaptiveLocality>(known, 1, 0);
    }
    let mut waits = 0;
    while !known.pinned {
        waits += 10;
        assert!(waits < 100_000, "{known:?}");
        known = after::<AdaptiveLocality>(known, 10, 3);
    }
    assert!(waits > FORGIVEN / 2, "{waits}");
}

#[test]
fn shares_of_strayed_actors_stay_shares() {
    let pinned = |strayed| Profile {
        strayed,
        ..profile(Mean::default(), Mean::default(), true)
    };
    let next = |known, at_home| strayed(&pinned(known), at_home);
    assert_eq!(next(Profile::ALWAYS, false), Profile::ALWAYS);
    assert_eq!(next(0, true), 0);
    let always = (0..100 * STRAYING).fold(0, |known, _| next(known, false));
    assert!(
        (Profile::ALWAYS - 600..=Profile::ALWAYS).contains(&always),
        "{always}"
    );
    let never = (0..100 * STRAYING).fold(Profile::ALWAYS, |known, _| next(known, true));
    assert_eq!(never, 0);
}

#[test]
fn all_who_take_turns_on_a_worker_are_timed_alike() {
    let mut policy = AdaptiveLocality::new(SETUP);
    for actors in 1..=64 {
        let mut timed = vec![0; actors];
        for tick in 0..1 << 16 {
            timed[tick as usize % actors] += u32::from(policy.samples(tick, &Profile::default()));
        }
        let share = (1 << 16) / TIMED / actors as u32;
        let fair = share / 2..2 * share;
        assert!(
            timed.iter().all(|count| fair.contains(count)),
            "{share}: {timed:?}"
        );
    }
}

/// How many of a thousand activations of a class with this profile are timed after so many that were short, and a last one.
fn timed_after<P: Policy>(short: u32, last: Nanos, profile: Profile) -> usize {
    let mut policy = P::on(SETUP, &on_two_nodes(0));
    (0..short).for_each(|_| heard(&mut policy, 100));
    heard(&mut policy, last);
    (0..1_024).filter(|&tick| policy.samples(tick, &profile)).count()
}

#[test]
fn who_hears_of_short_messages_only_times_fewer() {
    let often = (1_024 / TIMED) as usize - 2..=(1_024 / TIMED) as usize + 2;
    let seldom = (1_024 / SELDOM) as usize - 2..=(1_024 / SELDOM) as usize + 2;
    let unknown = Profile::default();
    let timed = |short, last| timed_after::<AdaptiveLocality>(short, last, unknown);
    assert!(seldom.contains(&timed(CURIOUS, LONG)));
    assert!(often.contains(&timed(CURIOUS / 2, LONG)), "too few");
    assert!(often.contains(&timed(10 * CURIOUS, LONG + 1)), "a long one");
    assert!(often.contains(&timed_after::<WithoutCalm>(CURIOUS, 100, unknown)));
    let pinned = profile(mean(100, 100, 0), mean(100, 5_000, 0), true);
    let timed = |profile| timed_after::<AdaptiveLocality>(CURIOUS, 100, profile);
    assert!(often.contains(&timed(pinned)), "more is to be known of these");
    let long = profile(mean(100, LONG + 1, 0), mean(0, 0, 0), false);
    assert_eq!(timed(long), 1_024);
}

#[test]
fn who_looks_for_sleepers_in_vain_does_not_look_for_every_actor() {
    fn looks<P: Policy>() -> usize {
        let mut policy = P::new(SETUP);
        let looks = (0..1_000).filter(|_| {
            let looks = policy.looks_for_sleepers();
            if looks {
                policy.looked(false);
            }
            looks
        });
        looks.count()
    }
    assert!((30..40).contains(&looks::<AdaptiveLocality>()));
    assert!((30..40).contains(&looks::<AdaptiveWaking>()));
    assert_eq!(looks::<WithoutPauses>(), 1_000);
}

#[test]
fn whoever_has_short_messages_never_leaves_the_sender() {
    let setup = Setup {
        worker: 0,
        workers: 8,
        seed: 3,
    };
    let mut policy = AdaptiveLocality::new(setup);
    let around = Surroundings {
        profile: profile(mean(3, 1_900, 0), mean(3, 1_999, 0), false),
        ..Surroundings::default()
    };
    for home in 0..8 {
        for _ in 0..1000 {
            let route = policy.woken(0, Word::new(Some(home), false), &around);
            assert_eq!((route.worker, route.end), (0, End::Head));
        }
    }
}

#[test]
fn pinned_actors_go_home_unless_it_is_crowded_there() {
    let rings = on_two_nodes(0);
    let mut policy = AdaptiveLocality::on(SETUP, &rings);
    let mut route = |home: u32, time: Nanos, home_queue, idle| {
        let known = profile(mean(100, time, 0), mean(100, time * 2, 0), true);
        let around = Surroundings {
            profile: known,
            home_queue,
            idle,
        };
        let route = policy.woken(0, Word::new(Some(home), false), &around);
        (route.worker, route.end)
    };
    assert_eq!(route(5, 5_000, 0, 0), (5, End::Tail));
    assert_eq!(route(2, 5_000, 0, 0), (0, End::Head), "the home is near");
    assert_eq!(
        route(2, 50_000, 0, 0),
        (2, End::Tail),
        "a long one waits its turn"
    );
    assert_eq!(route(5, 5_000, 4, 3), (0, End::Head), "others are idle");
    assert_eq!(route(5, 5_000, 4, 2), (5, End::Tail));
    assert_eq!(route(5, 5_000, 3, 7), (5, End::Tail));
}

/// What the first steps of a search are: how many others are asked before the first pause.
fn asked_first<P: Policy>(policy: &mut P) -> usize {
    let asks = |step: &u32| matches!(policy.search(*step), Search::Probe(..));
    (0..).take_while(asks).count()
}

#[test]
fn who_was_woken_or_robbed_with_profit_asks_everybody_before_it_polls() {
    let stint = |lasted: Nanos| Stint {
        began: 1_000_000 - lasted,
        messages: 1,
        toll: 0,
    };
    let board = Board::default();
    let patient = (ROUNDS * 7) as usize;
    let mut policy = AdaptiveLocality::new(SETUP);
    assert!(asked_first(&mut policy) < patient);
    let proven = policy.parted(1_000_000, stint(100_000), board);
    assert_eq!((proven.paid, board.paid), (1, 0));
    assert!(asked_first(&mut policy) >= patient);
    assert_eq!(policy.parted(1_000_000, stint(1_000), proven).paid, 0);
    assert!(asked_first(&mut policy) < patient);
    policy.summoned();
    assert!(asked_first(&mut policy) >= patient);

    let mut policy = WithoutPatience::new(SETUP);
    assert!(policy.wakes(policy.clone().parted(1_000_000, stint(100_000), board)));
    policy.summoned();
    assert!(asked_first(&mut policy) < patient);
    assert!(!WithoutWaking::new(SETUP).wakes(proven));
    assert_eq!(AdaptiveLocalityPolling::WAKING, Waking::Never);
}

#[test]
fn neighbours_are_called_without_proof_and_others_with_it() {
    let policy = AdaptiveLocality::on(SETUP, &on_two_nodes(0));
    let unknown = Board::default();
    let proven = Board {
        paid: 1,
        gain: 1,
        ..unknown
    };
    let poor = Board { gain: 1, ..unknown };
    assert!(policy.wakes(unknown) && policy.wakes(proven) && !policy.wakes(poor));
    for owner in 0..8 {
        for sleeper in 0..8 {
            let near = owner / 4 == sleeper / 4;
            assert_eq!(policy.calls(owner, sleeper, unknown), near, "{owner}, {sleeper}");
            assert!(policy.calls(owner, sleeper, proven));
            assert!(!policy.calls(owner, sleeper, poor));
        }
    }
    let on_two = || on_two_nodes(0);
    assert!(!WithoutCalls::on(SETUP, &on_two()).wakes(unknown));
    assert!(WithoutCalls::on(SETUP, &on_two()).wakes(proven));
    let silent = WithoutWaking::on(SETUP, &on_two());
    assert!(!silent.wakes(unknown) && !silent.wakes(proven));
}

#[test]
fn three_call_nobody_without_proof() {
    let policy = |workers| {
        let setup = Setup { workers, ..SETUP };
        AdaptiveWaking::new(setup)
    };
    assert!(!policy(3).wakes(Board::default()));
    assert!(policy(4).wakes(Board::default()));
    assert!(policy(3).wakes(Board {
        paid: 1,
        ..Board::default()
    }));
}

/// Whom the first thefts of a worker ask, on two nodes of four units.
fn asked<P: Policy>(me: u32, steps: u32) -> Vec<u32> {
    let rings = on_two_nodes(me);
    let setup = Setup {
        worker: me,
        workers: 8,
        seed: 7,
    };
    let mut policy = P::on(setup, &rings);
    let victims = (0..steps).filter_map(|step| match policy.search(step) {
        Search::Probe(victim, _) => Some(victim),
        _ => None,
    });
    victims.collect()
}

#[test]
fn of_ten_attempts_the_last_four_ask_neighbours_and_the_others_anybody() {
    for me in 0..8 {
        let victims = asked::<AdaptiveLocality>(me, 20 + 600);
        assert_eq!(victims.len(), 110, "those of two stages");
        let is_near = |victim: &u32| victim / 4 == me / 4;
        let mut neighbours = BTreeSet::<u32>::new();
        let mut others = BTreeSet::<u32>::new();
        for ten in victims.chunks(10) {
            assert!(ten[6..].iter().all(is_near), "{ten:?}");
            neighbours.extend(&ten[6..]);
            others.extend(&ten[..6]);
        }
        assert_eq!((neighbours.len(), others.len()), (3, 7), "each of them");
        assert!(!others.contains(&me) && !neighbours.contains(&me));
        // Nothing else is different.
        let anybody = asked::<WithoutNearness>(me, 20 + 600);
        for (ten, as_before) in victims.chunks(10).zip(anybody.chunks(10)) {
            assert_eq!(ten[..6], as_before[..6]);
        }
    }
}

/// A long message, or a short one.
fn heard<P: Policy>(policy: &mut P, per_message: Nanos) {
    let sample = Sample {
        per_message,
        at_home: true,
    };
    policy.finished(Word::default(), sample, Profile::default());
}

/// A theft that kept a policy's worker busy for so long.
fn robbed<P: Policy>(policy: &mut P, lasted: Nanos, messages: u64) {
    let stint = Stint {
        began: 1_000,
        messages,
        toll: 0,
    };
    policy.parted(1_000 + lasted, stint, Board::default());
}

/// How an actor is woken by worker 0 whose class has messages of this length on average, not pinned.
fn end_for<P: Policy>(policy: &mut P, time: Nanos) -> End {
    let around = Surroundings {
        profile: profile(mean(100, time, 0), Mean::default(), false),
        ..Surroundings::default()
    };
    let route = policy.woken(0, Word::new(Some(1), false), &around);
    assert_eq!(route.worker, 0);
    route.end
}

#[test]
fn on_a_single_node_long_messages_wait_their_turn() {
    assert_eq!(end_for(&mut AdaptiveLocality::new(SETUP), LONG + 1), End::Tail);
    assert_eq!(end_for(&mut AdaptiveLocality::new(SETUP), LONG), End::Head);
    assert_eq!(end_for(&mut WithoutOrder::new(SETUP), LONG + 1), End::Head);
    let mut on_two = AdaptiveLocality::on(SETUP, &on_two_nodes(0));
    assert_eq!(
        end_for(&mut on_two, LONG + 1),
        End::Head,
        "only those that are pinned"
    );
}

#[test]
fn on_a_single_node_it_learns_until_it_has_heard_of_many_short_messages() {
    let mut policy = AdaptiveLocality::new(SETUP);
    let hears_short = |policy: &mut AdaptiveLocality, times| {
        for _ in 0..times {
            assert!(policy.learns());
            heard(policy, LONG);
        }
    };
    hears_short(&mut policy, CURIOUS - 1);
    assert!(!policy.learns());
    robbed(&mut policy, 0, 0);
    robbed(&mut policy, 100 * LONG, 100);
    assert!(!policy.learns(), "nothing long among what was stolen");
    robbed(&mut policy, 100 * LONG, 99);
    hears_short(&mut policy, CURIOUS / 2);
    heard(&mut policy, LONG + 1);
    hears_short(&mut policy, CURIOUS);
    assert!(!policy.learns());

    assert!(!WithoutOrder::new(SETUP).learns());
    const { assert!(!AdaptiveWaking::LEARNS && !ClsTpNear::LEARNS) };
    let mut on_two = AdaptiveLocality::on(SETUP, &on_two_nodes(0));
    for _ in 0..10 * CURIOUS {
        heard(&mut on_two, 100);
    }
    assert!(on_two.learns());
}

#[test]
fn after_a_long_message_a_thief_on_a_single_node_takes_whoever_waits_longest() {
    let ends = |policy: &mut AdaptiveLocality| -> BTreeSet<bool> {
        let ends = (0..700).filter_map(|step| match policy.search(step) {
            Search::Probe(_, end) => Some(end == End::Head),
            _ => None,
        });
        ends.collect()
    };
    let [from_head, from_tail] = [true, false].map(|head| BTreeSet::from([head]));
    let mut policy = AdaptiveLocality::new(SETUP);
    assert_eq!(ends(&mut policy), from_tail, "nothing is known");
    robbed(&mut policy, 2 * LONG, 1);
    assert_eq!(ends(&mut policy), from_head);
    heard(&mut policy, 100);
    assert_eq!(ends(&mut policy), from_tail);
    heard(&mut policy, 2 * LONG);
    policy.summoned();
    assert_eq!(ends(&mut policy), from_head);
    let mut on_two = AdaptiveLocality::on(SETUP, &on_two_nodes(0));
    robbed(&mut on_two, 2 * LONG, 1);
    assert_eq!(ends(&mut on_two), from_tail);
}

#[test]
fn variants_have_names_of_their_own() {
    let names = [
        AdaptiveLocality::NAME,
        AdaptiveLocalityPolling::NAME,
        AdaptiveWaking::NAME,
        WithoutWaking::NAME,
        WithoutCalls::NAME,
        WithoutPatience::NAME,
        WithoutPauses::NAME,
        WithoutCalm::NAME,
        WithoutNearness::NAME,
        ClsTpNear::NAME,
        WithoutGuard::NAME,
        WithoutOrder::NAME,
        WithoutCertainty::NAME,
        WithoutResigning::NAME,
        WithoutSecondLook::NAME,
        PinAll::NAME,
        PinLong::NAME,
    ];
    let different: BTreeSet<_> = names.iter().collect();
    assert_eq!(different.len(), names.len());
}
