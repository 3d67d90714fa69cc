//! What every routing policy must keep to, and the rules of the locality thesis one by one.

use std::collections::BTreeSet;

use datil_policy::topology::{Neighbourhood, Rings, Synthetic, Topology};
use datil_policy::{
    AdaptiveLocality, AdaptiveLocalityPolling, AdaptiveWaking, Board, ClsDealt, ClsPolling, ClsTp, ClsTpNear,
    ClsWake, ClsWakeLong, End, GoLike, Lgs, LgsAlt, LgsAltAwake, LgsCo, LgsDfs, LgsScan, LgsUc, LgsUw,
    LgsWake, LgsWakeHalf, LgsWakeNode, LgsWoken, Mean, NAMES, Neighbourly, PinAll, PinLong, Policy, Pony,
    Role, Route, Search, Setup, Stint, Surroundings, TokioLike, Waking, WithoutCalls, WithoutCalm,
    WithoutCertainty, WithoutGuard, WithoutNearness, WithoutOrder, WithoutPatience, WithoutPauses,
    WithoutResigning, WithoutSecondLook, WithoutWaking, Word,
};
use proptest::prelude::*;

/// `nodes` nodes in a ring, each with `cores` cores in pairs that share a second-level cache.
fn ring_of_nodes(nodes: u32, cores: u32) -> Topology {
    let hops = |a: u32, b: u32| a.abs_diff(b).min(nodes - a.abs_diff(b));
    Synthetic {
        packages: nodes,
        l2: (cores.div_ceil(2), 0),
        cores: 2,
        distances: (0..nodes)
            .map(|a| (0..nodes).map(|b| hops(a, b)).collect())
            .collect(),
        ..Synthetic::default()
    }
    .build()
    .expect("a machine")
}

fn policy<P: Policy>(machine: &Topology, worker: u32, seed: u64) -> (P, Rings) {
    let pus: Vec<usize> = (0..machine.pus().len()).collect();
    let rings = Rings::around(worker, &pus, machine, P::neighbourhood());
    let setup = Setup {
        worker,
        workers: pus.len() as u32,
        seed,
    };
    (P::on(setup, &rings), rings)
}

const ROLES: [Role; 3] = [Role::Untold, Role::Coordinator, Role::Data];

/// Searches until every other worker was probed; fails if that takes too long or the worker gives up before, or if a
/// single sleep or the polling has no bound.
fn reaches_everybody<P: Policy>(machine: &Topology, worker: u32, seed: u64) -> Result<(), TestCaseError> {
    let (mut policy, rings) = policy::<P>(machine, worker, seed);
    let workers = rings.workers();
    let mut missing: BTreeSet<u32> = (0..workers).filter(|&other| other != worker).collect();
    let (mut step, mut rounds) = (0, 0);
    while !missing.is_empty() {
        match policy.search(step) {
            Search::Probe(victim, end) => {
                prop_assert!(victim < workers && victim != worker && end != End::Next);
                missing.remove(&victim);
            }
            Search::Sleep(nanos) => prop_assert!((1..=10_000_000).contains(&nanos)),
            Search::Poll(times) => prop_assert!((1..1000).contains(&times)),
            Search::Park => {
                prop_assert!(P::WAKING != Waking::Never, "nobody would wake it");
                // The next wake-up starts a new search. A round of random thefts may miss somebody by chance, many in a
                // row hardly ever.
                rounds += 1;
                prop_assert!(rounds < 100, "{}: {missing:?} never probed", P::NAME);
                step = 0;
                continue;
            }
        }
        step += 1;
        prop_assert!(step < 100_000, "{}: {missing:?} never probed", P::NAME);
    }
    Ok(())
}

/// Every route leads to a worker that exists.
fn routes_exist<P: Policy>(machine: &Topology, worker: u32, seed: u64) -> Result<(), TestCaseError> {
    prop_assert!(P::ROUTES);
    let (mut policy, rings) = policy::<P>(machine, worker, seed);
    let workers = rings.workers();
    for role in ROLES {
        let turn = seed as u32;
        let (word, route) = policy.spawned(role);
        let (admitted, arrival) = P::admitted(role, turn, workers);
        for word in [word, admitted, policy.started(word), policy.started(admitted)] {
            prop_assert!(word.home().is_none_or(|home| home < workers));
            prop_assert!(policy.woken(worker, word, &Surroundings::default()).worker < workers);
            prop_assert!(P::called(word, turn, workers).worker < workers);
        }
        prop_assert!(route.worker < workers && arrival.worker < workers);
    }
    prop_assert!(policy.batch() >= 1);
    for queued in 0..100 {
        prop_assert!(policy.grant(queued) <= queued);
    }
    Ok(())
}

/// Every other worker is asked once in each of so many rounds, and then the worker sleeps.
fn asks_before_it_sleeps<P: Policy>(rounds: u32, worker: u32, seed: u64) -> Result<(), TestCaseError> {
    let (mut policy, rings) = policy::<P>(&ring_of_nodes(4, 4), worker, seed);
    let others = rings.workers() - 1;
    for round in 0..rounds {
        let mut asked = BTreeSet::new();
        for step in round * others..(round + 1) * others {
            match policy.search(step) {
                Search::Probe(victim, _) => prop_assert!(asked.insert(victim), "{}: {victim} twice", P::NAME),
                other => prop_assert!(false, "{}: {other:?} at {step}", P::NAME),
            }
        }
    }
    prop_assert_eq!(policy.search(rounds * others), Search::Park);
    Ok(())
}

/// One node, with one cache of each level that all cores share: no worker is nearer to another than any other is.
fn machine_of_equals(cores: u32) -> Topology {
    Synthetic {
        cores,
        ..Synthetic::default()
    }
    .build()
    .expect("a machine")
}

/// Both policies decide the same for an actor that has its home somewhere, where all workers are alike.
fn decides_alike<P: Policy, Q: Policy>(worker: u32, home: u32, seed: u64) -> Result<(), TestCaseError> {
    prop_assert_eq!(P::UNIFORM, Q::NAME);
    prop_assert_eq!(Q::UNIFORM, Q::NAME, "the form of a form");
    prop_assert_eq!(
        (P::ROUTES, P::PINS, P::WAKING, P::STEALS, P::PREEMPTS, P::ADOPTS),
        (Q::ROUTES, Q::PINS, Q::WAKING, Q::STEALS, Q::PREEMPTS, Q::ADOPTS)
    );
    let machine = machine_of_equals(8);
    let (mut one, rings) = policy::<P>(&machine, worker, seed);
    let (mut other, _) = policy::<Q>(&machine, worker, seed);
    prop_assert_eq!((rings.are_together(), rings.count()), (true, 1), "{}", P::NAME);
    prop_assert_eq!(one.batch(), other.batch());
    // Nothing is known of messages that take long.
    let around = Surroundings::default();
    for role in ROLES {
        let (mine, its) = (one.spawned(role), other.spawned(role));
        prop_assert_eq!(mine.1, its.1);
        prop_assert_eq!(
            P::admitted(role, seed as u32, 8).1,
            Q::admitted(role, seed as u32, 8).1
        );
        let at_home = Word::new(Some(home), mine.0.is_free());
        for (mine, its) in [mine.0, at_home].map(|word| (one.started(word), other.started(its.0))) {
            prop_assert_eq!(
                one.woken(worker, mine, &around),
                other.woken(worker, its, &around)
            );
        }
    }
    for step in 0..700 {
        if P::WAKING == Waking::Proven && step % 100 == 50 {
            let stint = Stint {
                began: 0,
                messages: 1_000,
                toll: 0,
            };
            let board = Board::default();
            let now = u64::from(step) * 100;
            prop_assert_eq!(one.parted(now, stint, board), other.parted(now, stint, board));
            prop_assert_eq!(one.wakes(board), other.wakes(board));
            prop_assert_eq!(one.calls(worker, home, board), other.calls(worker, home, board));
        }
        prop_assert_eq!(one.search(step), other.search(step), "{} at {}", P::NAME, step);
        prop_assert_eq!(one.take(step), other.take(step));
        prop_assert_eq!(one.grant(step as usize), other.grant(step as usize));
    }
    Ok(())
}

macro_rules! for_all_forms {
    ($check:ident($($argument:expr),*)) => {
        $check::<Lgs, ClsTp>($($argument),*)?;
        $check::<LgsUc, ClsTp>($($argument),*)?;
        $check::<LgsUw, ClsTp>($($argument),*)?;
        $check::<LgsDfs, ClsTp>($($argument),*)?;
        $check::<LgsCo, ClsTp>($($argument),*)?;
        $check::<LgsAlt, ClsTp>($($argument),*)?;
        $check::<LgsWake, ClsWake>($($argument),*)?;
        $check::<AdaptiveLocalityPolling, ClsTp>($($argument),*)?;
        $check::<AdaptiveLocality, AdaptiveWaking>($($argument),*)?;
        $check::<ClsTpNear, ClsTp>($($argument),*)?;
        $check::<WithoutNearness, AdaptiveWaking>($($argument),*)?;
        $check::<WithoutCalm, AdaptiveWaking>($($argument),*)?;
        $check::<WithoutGuard, AdaptiveWaking>($($argument),*)?;
        $check::<WithoutOrder, AdaptiveWaking>($($argument),*)?;
        $check::<WithoutCertainty, AdaptiveWaking>($($argument),*)?;
        $check::<WithoutResigning, AdaptiveWaking>($($argument),*)?;
        $check::<WithoutSecondLook, AdaptiveWaking>($($argument),*)?;
    };
}

/// Whether the policy has a uniform form that is another policy.
fn has_form<P: Policy>(forms: &mut BTreeSet<(&'static str, &'static str)>) -> Result<(), TestCaseError> {
    if P::UNIFORM != P::NAME {
        forms.insert((P::NAME, P::UNIFORM));
    }
    Ok(())
}

fn listed<P: Policy, Q: Policy>(
    forms: &mut BTreeSet<(&'static str, &'static str)>,
) -> Result<(), TestCaseError> {
    prop_assert!(
        forms.remove(&(P::NAME, Q::NAME)),
        "{} is no policy that is tested",
        P::NAME
    );
    Ok(())
}

macro_rules! for_all {
    ($check:ident $arguments:tt) => {
        datil_policy::with_routing_policies!(each $check $arguments)
    };
}

macro_rules! each {
    ($check:ident $arguments:tt $($policy:ident $about:literal)*) => {
        $($check::<datil_policy::$policy> $arguments?;)*
    };
}

/// From another node an actor goes to that end of its home's queue, and stays with a sender on its home's node; one that
/// is free follows its sender anywhere.
fn goes_home<P: Policy>(far: End, sender: u32, home: u32) -> Result<(), TestCaseError> {
    let machine = ring_of_nodes(4, 4);
    let (mut policy, _) = policy::<P>(&machine, sender, 0);
    let mut route = |free| policy.woken(sender, Word::new(Some(home), free), &Surroundings::default());
    let here = Route {
        worker: sender,
        end: End::Head,
    };
    let there = Route {
        worker: home,
        end: far,
    };
    let near = sender / 4 == home / 4;
    prop_assert_eq!(route(false), if near { here } else { there }, "{}", P::NAME);
    prop_assert_eq!(route(true), here, "{}", P::NAME);
    prop_assert_eq!(
        P::called(Word::new(Some(home), false), 3, 16).worker,
        home,
        "{}",
        P::NAME
    );
    Ok(())
}

/// Its sender's worker queues an actor, wherever it ran first.
fn stays_with_senders<P: Policy>(sender: u32, runner: u32) -> Result<(), TestCaseError> {
    let machine = ring_of_nodes(4, 4);
    let (word, _) = P::admitted(Role::Untold, runner, 16);
    let word = policy::<P>(&machine, runner, 0).0.started(word);
    let (mut policy, _) = policy::<P>(&machine, sender, 0);
    let route = policy.woken(sender, word, &Surroundings::default());
    prop_assert_eq!(route.worker, sender, "{}", P::NAME);
    Ok(())
}

/// The home of an actor that `parent` created and `runner` ran first.
fn home_of_child<P: Policy>(parent: u32, runner: u32) -> Option<u32> {
    let machine = ring_of_nodes(4, 4);
    let (word, _) = policy::<P>(&machine, parent, 0).0.spawned(Role::Untold);
    policy::<P>(&machine, runner, 0).0.started(word).home()
}

/// The same search as LGS, if the same seed decides.
fn searches_like_lgs<P: Policy>(worker: u32, seed: u64) -> Result<(), TestCaseError> {
    let machine = ring_of_nodes(4, 4);
    let mut lgs = policy::<Lgs>(&machine, worker, seed).0;
    let mut other = policy::<P>(&machine, worker, seed).0;
    for step in 0..700 {
        prop_assert_eq!(lgs.search(step), other.search(step), "{} at {}", P::NAME, step);
    }
    Ok(())
}

/// Everybody is asked once before anybody is asked twice, near ones first.
fn scans_once<P: Policy>(worker: u32, seed: u64) -> Result<(), TestCaseError> {
    let machine = ring_of_nodes(4, 4);
    let (mut policy, rings) = policy::<P>(&machine, worker, seed);
    let probes = (0..2000).filter_map(|step| match policy.search(step) {
        Search::Probe(victim, _) => Some(victim),
        _ => None,
    });
    let round: Vec<u32> = probes.take(15).collect();
    for ring in 0..rings.count() {
        let group: BTreeSet<u32> = rings.group(ring).iter().copied().collect();
        let asked: BTreeSet<u32> = round[..group.len()].iter().copied().collect();
        prop_assert_eq!(asked, group, "{}", P::NAME);
    }
    Ok(())
}

/// What is put before others must not always be taken before them.
fn gives_everybody_a_turn<P: Policy>(machine: &Topology) -> Result<(), TestCaseError> {
    let (mut policy, _) = policy::<P>(machine, 0, 0);
    let (word, created) = policy.spawned(Role::Untold);
    let woken = policy.woken(0, word, &Surroundings::default());
    let passed_over = match (created.end, woken.end) {
        (End::Next, _) | (_, End::Next) => End::Head,
        (End::Head, _) | (_, End::Head) => End::Tail,
        (End::Tail, End::Tail) => return Ok(()),
    };
    let turns = (1..=4096)
        .filter(|&tick| policy.take(tick) == passed_over)
        .count();
    prop_assert!(
        turns > 0,
        "{}: who is at the {passed_over:?} may wait for ever",
        P::NAME
    );
    Ok(())
}

fn counted<P: Policy>(names: &mut BTreeSet<&'static str>) -> Result<(), TestCaseError> {
    prop_assert!(names.insert(P::NAME), "{} is there twice", P::NAME);
    Ok(())
}

/// A form that is in no list would be compared by nobody, and one that a native host does not know could not be run by it.
#[test]
fn every_uniform_form_is_compared_and_known() -> Result<(), TestCaseError> {
    let mut forms = BTreeSet::new();
    for_all!(has_form(&mut forms));
    let known = |name: &str| datil_policy::NAMES.contains(&name);
    for (name, form) in forms.iter().filter(|(name, _)| known(name)) {
        prop_assert!(known(form), "{form}, the form of {name}");
    }
    for_all_forms!(listed(&mut forms));
    prop_assert!(forms.is_empty(), "{forms:?}");
    Ok(())
}

#[test]
fn every_policy_has_a_name_of_its_own_and_gives_everybody_a_turn() -> Result<(), TestCaseError> {
    let mut names = BTreeSet::new();
    for_all!(counted(&mut names));
    for_all!(gives_everybody_a_turn(&ring_of_nodes(2, 2)));
    Ok(())
}

proptest! {
    /// Figure 4.3 for every policy with homes; hints free whom they free, see below.
    #[test]
    fn homes_are_respected(sender in 0u32..16, home in 0u32..16) {
        goes_home::<Lgs>(End::Tail, sender, home)?;
        goes_home::<LgsUc>(End::Tail, sender, home)?;
        goes_home::<LgsUw>(End::Tail, sender, home)?;
        goes_home::<LgsDfs>(End::Head, sender, home)?;
        goes_home::<LgsCo>(End::Tail, sender, home)?;
        goes_home::<LgsAlt>(End::Tail, sender, home)?;
        goes_home::<LgsAltAwake>(End::Tail, sender, home)?;
        goes_home::<LgsWoken>(End::Tail, sender, home)?;
        goes_home::<LgsScan>(End::Tail, sender, home)?;
        goes_home::<LgsWake>(End::Tail, sender, home)?;
        goes_home::<LgsWakeHalf>(End::Tail, sender, home)?;
        goes_home::<LgsWakeNode>(End::Tail, sender, home)?;
        stays_with_senders::<ClsPolling>(sender, home)?;
        stays_with_senders::<ClsTp>(sender, home)?;
        stays_with_senders::<ClsWake>(sender, home)?;
        stays_with_senders::<Neighbourly>(sender, home)?;
        stays_with_senders::<Pony>(sender, home)?;
        stays_with_senders::<GoLike>(sender, home)?;
        stays_with_senders::<TokioLike>(sender, home)?;
        // Nothing is known, so nothing is pinned.
        stays_with_senders::<AdaptiveLocality>(sender, home)?;
        stays_with_senders::<AdaptiveLocalityPolling>(sender, home)?;
        stays_with_senders::<AdaptiveWaking>(sender, home)?;
        stays_with_senders::<WithoutWaking>(sender, home)?;
        stays_with_senders::<WithoutCalls>(sender, home)?;
        stays_with_senders::<WithoutPatience>(sender, home)?;
        stays_with_senders::<WithoutPauses>(sender, home)?;
        stays_with_senders::<WithoutCalm>(sender, home)?;
        stays_with_senders::<WithoutNearness>(sender, home)?;
        stays_with_senders::<ClsTpNear>(sender, home)?;
        stays_with_senders::<WithoutGuard>(sender, home)?;
        stays_with_senders::<WithoutResigning>(sender, home)?;
        stays_with_senders::<WithoutSecondLook>(sender, home)?;
        stays_with_senders::<WithoutOrder>(sender, home)?;
        stays_with_senders::<WithoutCertainty>(sender, home)?;
        stays_with_senders::<PinLong>(sender, home)?;
    }

    /// Listing 5.2 for every policy with homes.
    #[test]
    fn homes_are_chosen_as_published(parent in 0u32..16, runner in 0u32..16) {
        let neighbour = if parent / 4 == runner / 4 { runner } else { parent };
        let chosen = [
            home_of_child::<Lgs>, home_of_child::<LgsUc>, home_of_child::<LgsUw>, home_of_child::<LgsDfs>,
            home_of_child::<LgsCo>,
            home_of_child::<LgsWoken>, home_of_child::<LgsScan>, home_of_child::<LgsWake>,
            home_of_child::<LgsWakeHalf>,
        ];
        for home in chosen {
            prop_assert_eq!(home(parent, runner), Some(neighbour));
        }
        let anybody = [
            home_of_child::<LgsAlt>, home_of_child::<LgsAltAwake>, home_of_child::<AdaptiveLocality>,
            home_of_child::<AdaptiveLocalityPolling>, home_of_child::<WithoutWaking>,
            home_of_child::<WithoutCalls>, home_of_child::<WithoutPatience>, home_of_child::<WithoutPauses>, home_of_child::<WithoutCalm>, home_of_child::<WithoutNearness>, home_of_child::<WithoutGuard>, home_of_child::<WithoutOrder>, home_of_child::<WithoutResigning>, home_of_child::<WithoutSecondLook>,
            home_of_child::<WithoutCertainty>, home_of_child::<PinAll>, home_of_child::<PinLong>,
        ];
        for home in anybody {
            prop_assert_eq!(home(parent, runner), Some(runner));
        }
        let nobody = [
            home_of_child::<ClsPolling>, home_of_child::<ClsTp>, home_of_child::<ClsWake>,
            home_of_child::<ClsWakeLong>, home_of_child::<ClsDealt>, home_of_child::<AdaptiveWaking>,
            home_of_child::<ClsTpNear>,
        ];
        for home in nobody {
            prop_assert_eq!(home(parent, runner), None);
        }
    }

    #[test]
    fn thieves_of_a_family_search_alike(worker in 0u32..16, seed in any::<u64>()) {
        searches_like_lgs::<LgsUc>(worker, seed)?;
        searches_like_lgs::<LgsUw>(worker, seed)?;
        searches_like_lgs::<LgsDfs>(worker, seed)?;
        searches_like_lgs::<LgsAlt>(worker, seed)?;
        scans_once::<LgsScan>(worker, seed)?;
        scans_once::<LgsWake>(worker, seed)?;
        scans_once::<LgsWakeHalf>(worker, seed)?;
    }

    #[test]
    fn workers_that_are_woken_ask_everybody_once_or_four_times(worker in 0u32..16, seed in any::<u64>()) {
        asks_before_it_sleeps::<ClsWake>(1, worker, seed)?;
        asks_before_it_sleeps::<LgsWake>(1, worker, seed)?;
        asks_before_it_sleeps::<ClsWakeLong>(4, worker, seed)?;
    }

    #[test]
    fn every_worker_is_reached_and_no_wait_is_unbounded(
        nodes in 1u32..6, cores in 1u32..6, worker in any::<u32>(), seed in any::<u64>(),
    ) {
        let machine = ring_of_nodes(nodes, cores);
        let worker = worker % machine.pus().len() as u32;
        for_all!(reaches_everybody(&machine, worker, seed));
        for_all!(routes_exist(&machine, worker, seed));
    }

    /// Figure 4.3 and listing 5.3: to the head of the sender's queue on the home's node, else to the tail of the
    /// home's queue.
    #[test]
    fn a_woken_actor_goes_home_from_other_nodes_only(sender in 0u32..16, home in 0u32..16) {
        let machine = ring_of_nodes(4, 4);
        let same_node = sender / 4 == home / 4;
        let here = Route { worker: sender, end: End::Head };
        let word = Word::new(Some(home), false);
        let around = Surroundings::default();
        let (mut lgs, _) = policy::<Lgs>(&machine, sender, 0);
        let there = Route { worker: home, end: End::Tail };
        prop_assert_eq!(lgs.woken(sender, word, &around), if same_node { here } else { there });
        let (mut dfs, _) = policy::<LgsDfs>(&machine, sender, 0);
        let there = Route { worker: home, end: End::Head };
        prop_assert_eq!(dfs.woken(sender, word, &around), if same_node { here } else { there });
        let (mut cls, _) = policy::<ClsTp>(&machine, sender, 0);
        prop_assert_eq!(cls.woken(sender, Word::default(), &around), here, "without a home it follows its sender");
        prop_assert_eq!(Lgs::called(word, 5, 16), Route { worker: home, end: End::Tail });
        prop_assert_eq!(lgs.woken(sender, Word::new(Some(home), true), &around), here, "a free actor follows its sender");
    }

    /// Figure 4.4 and listing 5.2.
    #[test]
    fn the_first_execution_decides_on_the_home(parent in 0u32..16, runner in 0u32..16) {
        let machine = ring_of_nodes(4, 4);
        let (mut spawner, _) = policy::<Lgs>(&machine, parent, 0);
        let (spawned, route) = spawner.spawned(Role::Untold);
        prop_assert_eq!(route, Route { worker: parent, end: End::Head });
        let (mut first, _) = policy::<Lgs>(&machine, runner, 0);
        let home = if parent / 4 == runner / 4 { runner } else { parent };
        prop_assert_eq!(first.started(spawned).home(), Some(home));
        let (outsider, _) = Lgs::admitted(Role::Untold, parent, 16);
        prop_assert_eq!(first.started(outsider).home(), Some(runner));
        let (mut alt, _) = policy::<LgsAlt>(&machine, runner, 0);
        prop_assert_eq!(alt.started(spawned).home(), Some(runner));
        let (mut cls, _) = policy::<ClsTp>(&machine, runner, 0);
        let (spawned, _) = cls.spawned(Role::Untold);
        prop_assert_eq!(cls.started(spawned).home(), None);
    }

    /// Section 4.1: as many attempts in a group as it has members.
    #[test]
    fn thieves_stay_near_first(worker in 0u32..16, seed in any::<u64>()) {
        let machine = ring_of_nodes(4, 4);
        let (mut lgs, rings) = policy::<Lgs>(&machine, worker, seed);
        let probes: Vec<u32> = (0..1000)
            .filter_map(|step| match lgs.search(step) {
                Search::Probe(victim, end) => {
                    assert_eq!(end, End::Tail);
                    Some(victim)
                }
                _ => None,
            })
            .collect();
        prop_assert!(probes[..3].iter().all(|&victim| rings.is_neighbour(victim)));
        prop_assert!(probes[..3 + 11].iter().all(|victim| rings.group(1).contains(victim)));
        prop_assert!(probes[14..].iter().any(|victim| !rings.group(1).contains(victim)));
        let (mut co, pairs) = policy::<LgsCo>(&machine, worker, seed);
        prop_assert_eq!(co.search(0), Search::Probe(pairs.group(0)[0], End::Tail));
        prop_assert_eq!(pairs.group(0), [worker ^ 1]);
    }

    /// With a queue per node an actor from afar goes to the node's first worker, at whose queue its neighbours look
    /// first.
    #[test]
    fn a_nodes_queue_is_kept_by_its_first_worker(runner in 0u32..16, sender in 0u32..16, seed in any::<u64>()) {
        let machine = ring_of_nodes(4, 4);
        let (mut first, _) = policy::<LgsWakeNode>(&machine, runner, seed);
        let word = first.started(LgsWakeNode::admitted(Role::Untold, 0, 16).0);
        let keeper = runner / 4 * 4;
        prop_assert_eq!(word.home(), Some(keeper));
        let (mut from, _) = policy::<LgsWakeNode>(&machine, sender, seed);
        let near = sender / 4 == runner / 4;
        let route = from.woken(sender, word, &Surroundings::default());
        prop_assert_eq!(route.worker, if near { sender } else { keeper });
        if sender % 4 != 0 {
            prop_assert_eq!(from.search(0), Search::Probe(sender / 4 * 4, End::Tail));
        }
    }

    /// Data actors are dealt out evenly; all others follow their senders.
    #[test]
    fn dealt_actors_go_to_everybody_in_turn(sender in 0u32..16) {
        let machine = ring_of_nodes(4, 4);
        let (mut cls, _) = policy::<ClsDealt>(&machine, sender, 0);
        let around = Surroundings::default();
        let data = ClsDealt::admitted(Role::Data, 0, 16).0;
        let dealt: BTreeSet<u32> = (0..16).map(|_| cls.woken(sender, data, &around).worker).collect();
        prop_assert_eq!(dealt.len(), 16);
        let other = ClsDealt::admitted(Role::Coordinator, 0, 16).0;
        prop_assert_eq!(cls.woken(sender, other, &around), Route { worker: sender, end: End::Head });
    }

    /// Where all workers are alike a policy with homes decides as its uniform form does, of which a native host therefore makes use.
    #[test]
    fn among_equals_policies_are_their_uniform_forms(worker in 0u32..8, home in 0u32..8, seed in any::<u64>()) {
        for_all_forms!(decides_alike(worker, home, seed));
    }

    /// The running mean is the mean while its window lasts, and its error shrinks.
    #[test]
    fn means_are_means(values in prop::collection::vec(0u64..1_000_000, 1..200)) {
        let mean = values.iter().fold(Mean::default(), |mean, &value| mean.with(value));
        let exact = values.iter().sum::<u64>() as f64 / values.len() as f64;
        prop_assert!((0.0..1.0).contains(&(exact - mean.mean as f64)), "{mean:?} {exact}");
        prop_assert_eq!(mean.count as usize, values.len());
        prop_assert!(Mean::default().with(u64::MAX).with(0).mean <= u64::MAX / 2 + 1);
    }
}

/// Once the window is full one measurement moves the mean by a thousandth of its distance, which is less than a nanosecond for most.
#[test]
fn means_of_many_do_not_drift() {
    // One in sixteen takes five times as long as the others: 1,250 on average.
    let values = (0..100_000).map(|number| if number % 16 == 0 { 5_000 } else { 1_000 });
    let mean = values.fold(Mean::default(), Mean::with);
    assert!((1_225..=1_275).contains(&mean.mean), "{mean:?}");
    // And when they have become faster, it follows all the way.
    let faster = (0..20_000).fold(mean, |mean, _| mean.with(700));
    assert_eq!(faster.mean, 700, "{faster:?}");
    let nothing = (0..2_000).fold(Mean::default(), |mean, _| mean.with(0));
    assert_eq!(
        nothing.with(u64::MAX).variance,
        u64::MAX,
        "as much as there is room for"
    );
}

/// Figure 4.2: four processors of two cores in a ring, seen from the thesis' core 6, our worker 5.
#[test]
fn the_groups_of_the_example_are_those_of_the_figure() {
    let machine = ring_of_nodes(4, 2);
    let (mut lgs, rings) = policy::<Lgs>(&machine, 5, 1);
    let group = |ring: usize| rings.group(ring).iter().copied().collect::<BTreeSet<u32>>();
    assert_eq!(rings.count(), 3);
    assert_eq!(group(0), BTreeSet::from([4]));
    assert_eq!(group(1), BTreeSet::from([2, 3, 4, 6, 7]));
    assert_eq!(group(2), BTreeSet::from([0, 1, 2, 3, 4, 6, 7]));
    // One attempt in the first group, five in the second; a new search begins anew.
    for _ in 0..2 {
        let probes = (0..100).filter_map(|step| match lgs.search(step) {
            Search::Probe(victim, _) => Some(victim),
            _ => None,
        });
        let probes: Vec<u32> = probes.collect();
        assert_eq!(probes[0], 4);
        assert!(
            probes[1..6].iter().all(|victim| group(1).contains(victim)),
            "{probes:?}"
        );
        assert!(
            probes[6..].iter().any(|victim| !group(1).contains(victim)),
            "{probes:?}"
        );
    }
}

/// Of searches with many seeds, how many ask worker 0 with each of the first so many attempts.
fn hits<P: Policy>(thief: u32, attempts: usize, searches: u64) -> Vec<u64> {
    let machine = ring_of_nodes(4, 2);
    let mut hits = vec![0; attempts];
    for seed in 0..searches {
        let (mut policy, _) = policy::<P>(&machine, thief, seed);
        let probes = (0..).filter_map(|step| match policy.search(step) {
            Search::Probe(victim, _) => Some(victim),
            _ => None,
        });
        for (hit, victim) in hits.iter_mut().zip(probes) {
            *hit += u64::from(victim == 0);
        }
    }
    hits
}

/// Whether so many of so many are one in `one_in` but for chance: five standard deviations.
fn is_one_in(hits: u64, searches: u64, one_in: u64) -> bool {
    let expected = searches as f64 / one_in as f64;
    let deviation = (expected * (1.0 - 1.0 / one_in as f64)).sqrt();
    (hits as f64 - expected).abs() <= 5.0 * deviation
}

const SEARCHES: u64 = 4_000;

/// Figure 4.1: with random work stealing each attempt of each thief finds core 1, the only one with work, with one chance in seven.
#[test]
fn random_thieves_find_the_one_with_work_by_one_chance_in_seven() {
    for thief in 1..8 {
        for found in hits::<ClsTp>(thief, 10, SEARCHES) {
            assert!(is_one_in(found, SEARCHES, 7), "core {}: {found}", thief + 1);
        }
    }
}

/// Figure 4.2: core 2 finds it at once; cores of the next processors with the second attempt at the earliest, by one chance in five; those
/// beyond with the seventh, by one in seven.
#[test]
fn the_chances_of_locality_aware_thieves_are_those_of_the_figure() {
    assert!(hits::<Lgs>(1, 1, SEARCHES) == [SEARCHES], "core 2");
    for thief in [2, 3, 6, 7] {
        let found = hits::<Lgs>(thief, 6, SEARCHES);
        assert_eq!(found[0], 0, "core {}", thief + 1);
        let second = found[1..].iter().all(|&found| is_one_in(found, SEARCHES, 5));
        assert!(second, "core {}: {found:?}", thief + 1);
    }
    for thief in [4, 5] {
        let found = hits::<Lgs>(thief, 10, SEARCHES);
        assert_eq!(found[..6], [0; 6], "core {}", thief + 1);
        let last = found[6..].iter().all(|&found| is_one_in(found, SEARCHES, 7));
        assert!(last, "core {}: {found:?}", thief + 1);
    }
}

/// Listing 5.1: a worker knows all others sorted by distance, and the first row are its direct neighbours.
#[test]
fn a_worker_begins_with_the_others_by_distance_and_its_neighbours_first() {
    let machine = ring_of_nodes(4, 4);
    for me in 0..16 {
        let (_, rings) = policy::<Lgs>(&machine, me, 0);
        let node = |worker: u32| worker / 4;
        let hops = |worker: u32| {
            let apart = node(worker).abs_diff(node(me));
            apart.min(4 - apart)
        };
        assert_eq!(rings.count(), 3, "neighbours, one step and two");
        for ring in 0..rings.count() {
            let group: BTreeSet<u32> = rings.group(ring).iter().copied().collect();
            let expected = (0..16).filter(|&other| other != me && hops(other) <= ring as u32);
            assert_eq!(group, expected.collect(), "worker {me}, ring {ring}");
            let steps: Vec<u32> = rings.group(ring).iter().map(|&worker| hops(worker)).collect();
            assert!(steps.is_sorted(), "worker {me}: {steps:?}");
        }
        let neighbours = (0..16).filter(|&other| other != me && rings.is_neighbour(other));
        assert_eq!(neighbours.collect::<Vec<_>>(), rings.group(0));
    }
}

/// Workers take from the head; those that queue there take from the tail now and then, so that nobody waits there for ever.
#[test]
fn nobody_waits_at_the_tail_for_ever() {
    let machine = ring_of_nodes(2, 2);
    let mut lgs = policy::<Lgs>(&machine, 0, 0).0;
    let tails = (1..=4096).filter(|&tick| lgs.take(tick) == End::Tail).count();
    assert_eq!(tails, 4);
    let mut pony = policy::<Pony>(&machine, 0, 0).0;
    assert!(
        (1..=4096).all(|tick| pony.take(tick) == End::Next),
        "what is queued there comes to the head"
    );
    let mut go = policy::<GoLike>(&machine, 0, 0).0;
    let heads = (1..=4096).filter(|&tick| go.take(tick) == End::Head).count();
    assert_eq!(heads, 4);
}

#[test]
fn the_documented_policy_is_the_one_that_is_registered() {
    let page = include_str!("../../../docs/scheduling.md");
    let file = include_str!("../src/neighbourly.rs");
    let rules = &file[file.find("impl Policy").expect("it is a policy")..];
    let squeezed = |text: &str| {
        text.split_whitespace()
            .collect::<String>()
            .replace(",}", "}")
            .replace(",)", ")")
    };
    assert!(
        squeezed(page).contains(&squeezed(rules)),
        "docs/scheduling.md shows another policy"
    );
    let list = include_str!("../src/registry.rs");
    let line = "Neighbourly \"asks its right neighbour first\"";
    assert!(list.contains(line) && page.contains(line), "{line}");
}

/// Who tries a policy of the page's table natively must not be told that there is none.
#[test]
fn the_page_says_which_policies_only_the_simulator_has() {
    let page = include_str!("../../../docs/scheduling.md");
    let between = |from: &str, to: &str| {
        let rest = page.split_once(from).expect("the page has it").1;
        rest.split_once(to).expect("it ends").0
    };
    let named = |text: &'static str| text.split('`').skip(1).step_by(2).collect::<BTreeSet<&str>>();
    let rows = between("## The policies", "*Rings*").lines();
    let table = rows.filter_map(|row| Some(named(row.strip_prefix('|')?.split('|').next()?)));
    let simulated = table.flatten().filter(|name| !NAMES.contains(name));
    let excepted = named(between("natively, all but", "which only the simulator has"));
    assert_eq!(simulated.collect::<BTreeSet<&str>>(), excepted);
}

#[test]
fn hints_free_whom_the_thesis_freed() {
    let free = |word: Word| word.is_free();
    assert_eq!(ROLES.map(|role| free(Lgs::admitted(role, 0, 4).0)), [false; 3]);
    assert_eq!(
        ROLES.map(|role| free(LgsUc::admitted(role, 0, 4).0)),
        [false, true, false]
    );
    assert_eq!(
        ROLES.map(|role| free(LgsUw::admitted(role, 0, 4).0)),
        [true, true, false]
    );
}

#[test]
fn whoever_does_not_sleep_polls_and_steals_on_the_same_timetable() {
    let machine = ring_of_nodes(4, 4);
    let (mut alt, _) = policy::<LgsAlt>(&machine, 3, 1);
    let (mut awake, _) = policy::<LgsAltAwake>(&machine, 3, 1);
    for step in 0..700 {
        match alt.search(step) {
            Search::Sleep(_) => assert!(matches!(awake.search(step), Search::Poll(_))),
            other => assert_eq!(awake.search(step), other),
        }
    }
}

#[test]
fn cls_lets_threads_wander_and_the_others_bind_them() {
    const { assert!(!ClsPolling::PINS && ClsTp::PINS && Lgs::PINS && LgsUc::PINS) }
    assert_eq!(ClsPolling::neighbourhood(), Neighbourhood::Everyone);
    assert_eq!(Lgs::WAKING, Waking::Never, "CAF's workers polled");
}
