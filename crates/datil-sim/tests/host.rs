//! What must hold for every simulated run, whatever the policy; and where the model must not surprise.

mod support;

use datil_sim::machine::{Answers, Machine, Os, PRESETS, Placement, preset};
use datil_sim::programs::Simulation;
use datil_sim::{Run, Settings, policies, programs, simulate};
use serde_json::{Map, Value, json};
use support::{parameters, run, settings};

fn matrix_search(settings: Settings, more: Value) -> Run {
    let mut sizes = parameters(json!({"seekers": 60, "size": 3500, "jobs": 10}));
    sizes.extend(parameters(more));
    simulate("matrixsearch", settings, &sizes).expect("it runs").run
}

/// Seekers come from outside and fill their matrices when they start, on whichever worker that is.
#[test]
fn large_states_lie_where_actors_start_also_where_these_have_owners() {
    for policy in ["work-sharing", "cls-tp"] {
        let owned = Settings {
            machine: preset("opteron").expect("a preset").with_owners(),
            ..settings(policy, 64)
        };
        let run = matrix_search(owned, json!({"seekers": 120}));
        let busiest = run.controllers.iter().copied().fold(0.0, f64::max);
        assert!(
            busiest < 0.6,
            "{policy}: all lies on one node, which is busy for {busiest} of the time"
        );
    }
}

fn same(one: &str, other: &str) -> bool {
    let numbers = one.parse::<f64>().ok().zip(other.parse::<f64>().ok());
    one == other || numbers.is_some_and(|(one, other)| (one - other).abs() <= 1e-9 * other.abs())
}

#[test]
fn every_policy_runs_every_program_to_the_same_result() {
    for program in programs::ALL.iter().chain(programs::HELD_OUT) {
        let alone = run(program.name, settings("cls-tp", 1));
        for policy in policies::ALL {
            // All units for two programs only: it is the number of workers that makes runs long.
            let most = if ["big", "matrixsearch"].contains(&program.name) {
                64
            } else {
                12
            };
            let owned = Settings {
                machine: support::owned(),
                ..settings(policy.name, 7)
            };
            let shared = [1, 6, most].map(|workers| settings(policy.name, workers));
            for settings in shared.into_iter().chain([owned]) {
                let workers = settings.workers;
                let context = format!("{} with {} on {workers}", program.name, policy.name);
                let simulation = run(program.name, settings);
                // The winner of a race is part of no result here; sums of floats depend on the order.
                assert!(
                    same(&simulation.result, &alone.result),
                    "{context}: {} {}",
                    simulation.result,
                    alone.result
                );
                let Run {
                    makespan, busy, idle, ..
                } = simulation.run;
                let all = makespan * workers as u64;
                assert!(
                    (busy + idle).abs_diff(all) <= 2 * workers as u64,
                    "{context}: {busy} + {idle} is not {all}"
                );
                assert!(simulation.run.steals == 0 || workers > 1, "{context}");
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_seed_another() {
    for policy in ["cls", "lgs", "go-like"] {
        let with = |seed| {
            let settings = Settings {
                seed,
                os: Some(Os::default()),
                ..settings(policy, 16)
            };
            matrix_search(settings, json!({}))
        };
        assert_eq!(with(7), with(7), "{policy}");
        assert_ne!(with(7), with(8), "{policy}");
    }
}

#[test]
fn one_worker_takes_as_long_as_the_work() {
    let lines = (3500u64 * 3500).div_ceil(64);
    let job = lines as f64 * (700.0 + 0.196 * 136.0) + 46_000.0;
    let start = lines as f64 * 220.0;
    let cycles = 60.0 * (10.0 * job + start);
    let expected = cycles / 2.3;
    let makespan = matrix_search(settings("cls-tp", 1), json!({})).makespan as f64;
    assert!((makespan / expected - 1.0).abs() < 0.01, "{makespan} {expected}");
}

#[test]
fn interleaved_memory_is_seven_eighths_remote() {
    for policy in ["cls-tp", "lgs"] {
        let settings = Settings {
            placement: Placement::Interleaved,
            ..settings(policy, 32)
        };
        let share = matrix_search(settings, json!({})).remote_share();
        assert!((share - 0.875).abs() < 0.001, "{policy}: {share}");
    }
}

#[test]
fn without_the_operating_system_bound_threads_change_nothing() {
    for program in programs::ALL.iter().chain(programs::HELD_OUT) {
        assert_eq!(
            run(program.name, settings("cls", 32)).run,
            run(program.name, settings("cls-tp", 32)).run
        );
    }
}

#[test]
fn the_operating_system_moves_only_threads_that_are_not_bound() {
    let with_os = |policy| {
        let settings = Settings {
            os: Some(Os::default()),
            ..settings(policy, 64)
        };
        matrix_search(settings, json!({"jobs": 30}))
    };
    let (cls, bound) = (with_os("cls"), with_os("cls-tp"));
    assert!(cls.migrations > 100 && bound.migrations == 0);
    assert!(
        cls.makespan > bound.makespan * 11 / 10,
        "{} {}",
        cls.makespan,
        bound.makespan
    );
}

#[test]
fn on_a_single_node_guided_stealing_is_uniform_stealing() {
    for program in programs::ALL {
        let on_one_node = |policy| {
            let settings = Settings {
                machine: preset("uniform").expect("a preset"),
                ..settings(policy, 16)
            };
            run(program.name, settings).run
        };
        let lgs = on_one_node("lgs");
        assert_eq!(lgs.remote_lines, 0.0);
        assert_eq!(lgs.links, []);
        // The others send from outside to idle actors: these have a home with one policy and get the next worker with
        // the other.
        if program.name == "matrixsearch" {
            assert_eq!(lgs.makespan, on_one_node("cls-tp").makespan);
        }
    }
}

#[test]
fn actors_created_from_outside_are_spread_over_all_nodes() {
    let run = matrix_search(settings("lgs", 64), json!({}));
    assert_eq!(run.first_run.iter().sum::<u64>(), 61);
    assert!(
        run.first_run.iter().all(|&actors| actors > 0),
        "{:?}",
        run.first_run
    );
}

#[test]
fn locality_guided_scheduling_keeps_accesses_local() {
    let share =
        |policy| matrix_search(settings(policy, 32), json!({"seekers": 100, "jobs": 20})).remote_share();
    let (lgs, cls) = (share("lgs"), share("cls-tp"));
    assert!(lgs < 0.1 && cls > 2.0 * lgs, "{lgs} {cls}");
}

#[test]
fn nearer_and_farther_hops_move_remote_work_only() {
    let with = |factor, placement| {
        let settings = Settings {
            machine: preset("opteron").expect("a preset").with_hops(factor),
            placement,
            ..settings("lgs", 8)
        };
        matrix_search(settings, json!({})).makespan as f64
    };
    assert!((with(2.0, Placement::FirstTouch) / with(0.5, Placement::FirstTouch) - 1.0).abs() < 0.01);
    assert!(with(2.0, Placement::Interleaved) > 1.03 * with(0.5, Placement::Interleaved));
}

/// What programs are charged is for a core of 2012; others need more or fewer cycles for it, and as many for what the host does.
#[test]
fn computing_takes_as_many_cycles_as_the_machine_says() {
    let time = |computing| {
        let mut machine = preset("opteron").expect("a preset");
        machine.costs.computing = computing;
        let settings = Settings {
            machine,
            ..settings("cls-tp", 1)
        };
        run("trapezoid", settings).run.busy as f64
    };
    let (once, twice, never) = (time(1.0), time(2.0), time(0.0));
    assert!(never > 0.0 && never < 0.1 * once, "{never} {once}");
    let linear = 2.0 * once - never;
    assert!((twice / linear - 1.0).abs() < 0.01, "{twice} {linear}");
}

/// A worker is busy for twice as long if its unit takes twice as long.
#[test]
fn a_slower_unit_takes_longer() {
    let time = |machine: &str, workers: usize, paces: &[f64]| {
        let settings = Settings {
            machine: preset(machine).expect("a preset").with_paces(paces.to_vec()),
            ..settings("cls-tp", workers)
        };
        run("chameneos", settings).run.busy as f64
    };
    for machine in ["uniform", "pair"] {
        let (costs, alike, twice) = (
            time(machine, 1, &[]),
            time(machine, 1, &[1.0]),
            time(machine, 1, &[2.0]),
        );
        assert_eq!(costs, alike, "{machine}");
        assert!((twice / costs - 2.0).abs() < 0.02, "{machine}: {twice} {costs}");
        assert_eq!(
            time(machine, 2, &[3.0]),
            time(machine, 2, &[3.0, 3.0]),
            "{machine}: in turn"
        );
    }
    // Here the driver is on the first unit, too.
    let other = time("uniform", 1, &[1.0, 5.0]);
    assert_eq!(other, time("uniform", 1, &[]), "nothing runs on the slower one");
    assert!(time("uniform", 2, &[1.0, 3.0]) > time("uniform", 2, &[]));
}

/// A worker may be called before its slow unit has done what it did last, and has not idled then.
#[test]
fn a_slow_worker_that_is_called_at_once_has_not_idled() {
    for policy in ["cls-tp", "cls-tp-near", "lgs"] {
        let run = |pace: f64| {
            let settings = Settings {
                machine: preset("uniform").expect("a preset").with_paces(vec![pace]),
                ..settings(policy, 1)
            };
            run("pingpong", settings).run
        };
        let (costs, slow) = (run(1.0), run(100.0));
        assert!(slow.idle <= slow.makespan / 10, "{policy}: {slow:?}");
        let ratio = slow.busy as f64 / costs.busy as f64;
        assert!((ratio / 100.0 - 1.0).abs() < 0.02, "{policy}: {ratio}");
    }
}

/// Who waits for a worker whose unit is slow waits for that, and not once more for the slowness of its own. Otherwise times grow with each wait, and
/// without end where one waits for another who has waited. Thieves that look for work, which takes no longer, get into the way of slow workers more often.
#[test]
fn waiting_takes_no_longer_on_a_slower_unit() {
    let time = |policy: &str, owners: bool, pace: f64| {
        let machine = preset("uniform").expect("a preset").with_paces(vec![pace]);
        let settings = Settings {
            machine: if owners { machine.with_owners() } else { machine },
            ..settings(policy, 20)
        };
        let simulation = simulate("sor", settings, &serde_json::Map::new());
        simulation.map(|simulation| simulation.run.makespan as f64)
    };
    for (policy, owners) in [("cls-wake", true), ("cls-tp", true), ("go-like", false)] {
        let [alike, slow] = [1.0, 100.0].map(|pace| time(policy, owners, pace).expect("it ends"));
        assert!(slow < 300.0 * alike, "{policy}: {slow} {alike}");
    }
}

#[test]
fn the_opteron_has_as_many_nodes_as_asked_for_and_always_64_units() {
    use datil_sim::machine::opteron_on;
    for nodes in [1, 2, 4, 8, 16] {
        let machine = opteron_on(nodes).expect("a machine");
        let topology = &machine.topology;
        assert_eq!(
            (topology.nodes().len(), topology.pus().len()),
            (nodes as usize, 64)
        );
        let l2: u64 = topology
            .caches()
            .iter()
            .filter(|cache| cache.level == 2)
            .map(|cache| cache.size)
            .sum();
        let l3: u64 = topology
            .caches()
            .iter()
            .filter(|cache| cache.level == 3)
            .map(|cache| cache.size)
            .sum();
        assert_eq!((l2, l3), (64 << 20, 48 << 20), "{nodes} nodes");
        for from in 0..nodes as usize {
            for to in 0..nodes as usize {
                assert_eq!(topology.hops(from, to), topology.hops(to, from));
                assert_eq!(
                    topology.hops(from, to) == 0,
                    from == to,
                    "{nodes} nodes: {from} to {to}"
                );
            }
        }
        let with = Settings {
            machine,
            ..settings("lgs", 64)
        };
        run("big", with);
    }
    let reason = opteron_on(3).expect_err("64 is no multiple");
    assert!(reason.contains("1, 2, 4, 8 or 16 nodes, not 3"), "{reason}");
}

#[test]
fn what_is_seen_may_be_older_and_the_run_then_differs() {
    let with = |nanos| {
        let machine = preset("opteron").expect("a preset").with_staleness(nanos);
        matrix_search(
            Settings {
                machine,
                ..settings("adaptive-locality", 16)
            },
            json!({}),
        )
    };
    assert_eq!(with(2_000), with(2_000));
    assert_ne!(
        with(0),
        with(1_000_000_000),
        "with what is a second old nothing is ever pinned"
    );
}

/// The opteron, where the clock, the policies' answers and lines that others have written cost nothing.
fn where_learning_is_free() -> Machine {
    let mut machine = preset("opteron").expect("a preset");
    machine.costs.timing = 0;
    machine.costs.answers = Answers::default();
    machine.costs.line_shared = 0;
    machine.costs.line = vec![0];
    machine
}

#[test]
fn what_is_learned_costs_something() {
    let costs = |policy| {
        let takes = |machine| {
            let settings = Settings {
                machine,
                ..settings(policy, 16)
            };
            let run = simulate("pingpong", settings, &parameters(json!({"pings": 10_000})));
            run.expect("it runs").run.makespan
        };
        takes(preset("opteron").expect("a preset")) - takes(where_learning_is_free())
    };
    let policies = ["cls-tp-near", "adaptive-locality", "adaptive-locality-no-calm"];
    let [nothing, less, more] = policies.map(costs);
    assert!(nothing < less && 3 * less < 2 * more, "{nothing} {less} {more}");
}

#[test]
fn a_rule_that_pins_nothing_is_its_control_but_for_the_cost_of_learning() {
    // Without state nothing is pinned.
    let with = |policy| {
        let settings = Settings {
            machine: where_learning_is_free(),
            ..settings(policy, 16)
        };
        run("pingpong", settings).run
    };
    assert_eq!(
        with("adaptive-locality-polling").makespan,
        with("cls-tp-near").makespan
    );
    assert_eq!(
        with("adaptive-locality").makespan,
        with("adaptive-waking").makespan
    );
}

/// Of two actors one stays where the driver put it, and whoever takes the other one is on its node, or anywhere.
#[test]
fn who_is_taken_stays_nearer_if_thieves_ask_neighbours() {
    let near = |policy| {
        let share = |seed| {
            let settings = Settings {
                seed,
                ..settings(policy, 64)
            };
            let run = run("count", settings).run;
            run.remote_lines / (run.local_lines + run.remote_lines)
        };
        (1..=24).map(share).filter(|remote| *remote < 0.1).count()
    };
    let (neighbours, anybody) = (near("cls-tp-near"), near("cls-tp"));
    assert!(neighbours >= 2 * anybody.max(1), "{neighbours} {anybody}");
    assert!(near("adaptive-locality") >= 2 * near("adaptive-locality-no-nearness").max(1));
}

/// Thefts show by themselves what another worker would be good for.
#[test]
fn workers_are_woken_where_thefts_pay_and_nowhere_else() {
    let with = |program, policy| {
        let settings = Settings {
            machine: where_learning_is_free(),
            ..settings(policy, 16)
        };
        run(program, settings).run
    };
    for program in ["pingpong", "threadring"] {
        let policies = ["adaptive-locality-no-calls", "adaptive-waking", "cls-tp-near"];
        let [proven, calling, polling] = policies.map(|policy| with(program, policy));
        assert_eq!(
            (proven.wakes, proven.makespan),
            (0, polling.makespan),
            "{program}"
        );
        // A neighbour may be called as the program begins, and is not missed.
        assert!(
            calling.wakes <= 1 && calling.makespan <= polling.makespan,
            "{program}: {calling:?}"
        );
    }
    let (waking, polling) = (with("apsp", "adaptive-waking"), with("apsp", "cls-tp"));
    assert!(waking.wakes > 0 && waking.idle < polling.idle / 2, "{waking:?}");
    let without = with("apsp", "adaptive-locality-no-waking");
    assert_eq!(without.wakes, 0, "{without:?}");
}

/// A runtime that has a slot for the actor that runs next may wake somebody for it, or not.
#[test]
fn whether_an_actor_in_the_slot_wakes_somebody_is_the_policys_business() {
    let wakes = |policy| run("pingpong", settings(policy, 16)).run.wakes;
    let (go, tokio) = (wakes("go-like"), wakes("tokio-like"));
    assert!(10 * tokio < go, "{go} {tokio}");
}

/// Sixteen workers on a single node.
fn on_one_node(policy: &str) -> Settings {
    Settings {
        machine: preset("uniform").expect("a preset"),
        ..settings(policy, 16)
    }
}

#[test]
fn on_a_single_node_homes_that_do_not_order_cost_nothing() {
    for program in programs::ALL {
        let [rule, control] = ["adaptive-locality-no-order", "adaptive-waking"]
            .map(|policy| run(program.name, on_one_node(policy)).run);
        assert_eq!(rule, control, "{}", program.name);
    }
}

#[test]
fn on_a_single_node_nobody_times_short_messages_for_long() {
    let takes = |policy, pings| {
        let run = simulate(
            "pingpong",
            on_one_node(policy),
            &parameters(json!({"pings": pings})),
        );
        run.expect("it runs").run.makespan
    };
    let costs = |pings| takes("adaptive-locality", pings) - takes("adaptive-waking", pings);
    let [few, some, many] = [100, 1_000, 10_000].map(costs);
    assert!(0 < few && few < some, "{few} {some}");
    assert_eq!(some, many);
}

/// Seekers that take turns are all done at about the same time, and then nobody idles while others have several left.
#[test]
fn on_a_single_node_long_messages_take_turns() {
    let (mut taking_turns, mut others) = (0, 0);
    for seed in 1..9 {
        let idles = |policy| {
            let settings = Settings {
                seed,
                ..on_one_node(policy)
            };
            matrix_search(settings, json!({"seekers": 100, "jobs": 30})).idle
        };
        let [turns, without] = ["adaptive-locality", "adaptive-locality-no-order"].map(idles);
        assert!(turns < without, "{turns} {without}, seed {seed}");
        taking_turns += turns;
        others += without;
    }
    assert!(4 * taking_turns < others, "{taking_turns} {others}");
}

#[test]
fn messages_that_carry_much_take_longer_between_nodes() {
    // The lists of quicksort travel in messages; on one worker nothing travels.
    let time = |hops, workers| {
        let machine = preset("opteron").expect("a preset").with_hops(hops);
        run(
            "quicksort",
            Settings {
                machine,
                ..settings("cls-wake", workers)
            },
        )
        .run
        .makespan
    };
    assert_eq!(time(0.5, 1), time(2.0, 1));
    assert!(time(4.0, 8) > time(0.5, 8));
}

#[test]
fn a_machine_from_hwloc_runs_a_program() {
    let xml = r#"<topology version="2.0"><object type="Machine" allowed_cpuset="0xf">
        <object type="Package" os_index="0"><object type="NUMANode" os_index="0" cpuset="0x3"/>
            <object type="Core" os_index="0"><object type="PU" os_index="0"/></object>
            <object type="Core" os_index="1"><object type="PU" os_index="1"/></object></object>
        <object type="Package" os_index="1"><object type="NUMANode" os_index="1" cpuset="0xc"/>
            <object type="Core" os_index="0"><object type="PU" os_index="2"/></object>
            <object type="Core" os_index="1"><object type="PU" os_index="3"/></object></object>
        </object></topology>"#;
    let topology = datil_policy::topology::Topology::from_hwloc(xml).expect("a machine");
    let machine = Machine::from_topology("mine".to_owned(), topology);
    let settings = Settings {
        policy: "lgs".to_owned(),
        ..Settings::new(machine)
    };
    assert_eq!(settings.workers, 4);
    let run = run("big", settings).run;
    assert!(run.remote_lines > 0.0);
    assert_eq!(run.links.len(), 2, "one in each direction");
}

#[test]
fn workers_fill_four_nodes_first_on_the_machine_of_the_thesis_and_cores_elsewhere() {
    let machine = preset("opteron").expect("a preset");
    let nodes = |workers| -> Vec<usize> {
        let pus = machine.units(workers).expect("there are so many");
        pus.iter().map(|&pu| machine.topology.pus()[pu].node).collect()
    };
    assert_eq!(nodes(6), [0, 1, 2, 3, 0, 1]);
    assert!(nodes(32).iter().all(|&node| node < 4));
    assert_eq!(nodes(36)[32..], [4, 5, 6, 7]);
    let smt = datil_policy::topology::Synthetic {
        cores: 2,
        threads: 2,
        ..datil_policy::topology::Synthetic::default()
    };
    let smt = Machine::from_topology("smt".to_owned(), smt.build().expect("a machine"));
    assert_eq!(smt.units(3), Ok(vec![0, 2, 1]), "one thread of each core first");
    assert!(machine.units(0).is_err() && machine.units(65).expect_err("too many").contains("1 to 64"));
}

#[test]
fn what_does_not_exist_is_refused_by_name() {
    let nothing = Map::new();
    let reason = |result: Result<Simulation, String>| result.expect_err("it does not exist");
    assert!(reason(simulate("bing", settings("lgs", 4), &nothing)).contains("pingpong"));
    assert!(reason(simulate("big", settings("lgsx", 4), &nothing)).contains("lgs-uc"));
    assert!(reason(simulate("big", settings("lgs", 400), &nothing)).contains("1 to 64 workers"));
    assert!(
        reason(simulate(
            "big",
            settings("lgs", 4),
            &parameters(json!({"pongs": 1}))
        ))
        .contains("there are pings, actors")
    );
    assert!(
        reason(simulate(
            "big",
            settings("lgs", 4),
            &parameters(json!({"actors": 0}))
        ))
        .contains("between 1 and 65536")
    );
    assert!(
        reason(simulate(
            "matrixsearch",
            settings("lgs", 4),
            &parameters(json!({"jobs": 0}))
        ))
        .contains("jobs is 0")
    );
    for (name, _) in PRESETS {
        assert!(preset(name).is_some(), "{name}");
    }
    assert!(preset("abacus").is_none());
}

/// With such a rate the series leave all bounds.
#[test]
fn a_result_that_is_no_number_is_told_of_by_name() {
    let error = simulate(
        "logmap",
        settings("lgs", 4),
        &parameters(json!({"terms": 40, "start_rate": 100.0})),
    );
    assert_eq!(
        error.expect_err("it overflows"),
        "logmap: its result is no finite number"
    );
}

#[test]
fn a_run_without_end_is_given_up() {
    let settings = Settings {
        patience: 1_000_000,
        ..settings("lgs", 4)
    };
    let error = simulate("matrixsearch", settings, &Map::new()).expect_err("a millisecond is too short");
    assert!(
        error.contains("had not ended after 0.001 s of virtual time"),
        "{error}"
    );
}

#[test]
fn a_policy_for_owning_workers_is_refused_where_actors_belong_to_nobody() {
    let settings = Settings {
        policy: "adaptive".to_owned(),
        ..Settings::new(preset("opteron").expect("a preset"))
    };
    let reason = simulate("big", settings, &Map::new()).expect_err("nobody owns them");
    assert!(
        reason.contains("adaptive") && reason.contains("opteron"),
        "{reason}"
    );
}

/// As natively: programs that should be on one worker lose next to nothing by a second one, and one that gains by it does so.
#[test]
fn the_default_keeps_together_what_talks_and_spreads_what_does_not() {
    let by_one_worker = |program: &str, policy: &str| {
        let makespan = |workers| {
            let settings = support::on(preset("pair").expect("a preset"), policy, workers);
            let simulation = simulate(program, settings, &Map::new()).expect("it runs");
            simulation.run.makespan as f64
        };
        makespan(2) / makespan(1)
    };
    for program in ["pingpong", "threadring", "count"] {
        let ratio = by_one_worker(program, "adaptive");
        assert!(ratio < 1.05, "{program}: {ratio}");
        assert!(by_one_worker(program, "work-sharing") > 2.0, "{program}");
    }
    let ratio = by_one_worker("fib", "adaptive");
    assert!(ratio < 0.65, "fib: {ratio}");
}

/// As natively on Zen 5: routing is two fifths of a message that makes an actor run, and nothing of one that finds it running.
#[test]
fn who_does_not_route_queues_for_less() {
    let by_one_that_routes = |program: &str, size: &str| {
        // Without the beginning and the end of the program, which are the same for both.
        let takes = |policy: &str| {
            let makespan = |count: u64| {
                let settings = support::on(preset("pair").expect("a preset"), policy, 1);
                let sizes = Map::from_iter([(size.to_owned(), count.into())]);
                let simulation = simulate(program, settings, &sizes).expect("it runs");
                simulation.run.makespan as f64
            };
            makespan(50_000) - makespan(10_000)
        };
        takes("work-sharing") / takes("cls-tp")
    };
    for (program, size) in [("pingpong", "pings"), ("threadring", "hops")] {
        let ratio = by_one_that_routes(program, size);
        assert!((0.55..0.68).contains(&ratio), "{program}: {ratio}");
    }
    let count = by_one_that_routes("count", "messages");
    assert!((0.97..1.03).contains(&count), "{count}");
}
