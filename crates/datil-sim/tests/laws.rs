//! Laws that hold whatever the model says: what is counted or charged twice, or never, breaks one of them.

mod support;

use datil_policy::topology::Synthetic;
use datil_sim::machine::{Costs, Machine, Os, Placement, Wiring, preset};
use datil_sim::programs::Simulation;
use datil_sim::{Run, Settings, policies, programs, simulate};
use serde_json::json;
use support::{parameters, run, settings};

/// A few of each kind: who polls and who is woken, with homes and without, who steals one and who steals half.
const POLICIES: [&str; 8] = [
    "cls-tp",
    "lgs",
    "adaptive-locality",
    "lgs-wake-node",
    "lgs-wake-half",
    "cls-wake",
    "go-like",
    "pony",
];

/// These take more than one actor at a time.
const GREEDY: [&str; 3] = ["lgs-wake-half", "go-like", "tokio-like"];

/// How many messages these handle depends on who comes first.
const RACES: [&str; 13] = [
    "chameneos",
    "bndbuffer",
    "philosopher",
    "barber",
    "cigsmok",
    "nqueenk",
    "uct",
    "facloc",
    "sor",
    "publish",
    "bound",
    "exchange",
    "cachetier",
];

/// The machine of the thesis with actors that belong to workers.
const OWNED: &str = "owned";

fn on(machine: &str, policy: &str, workers: usize) -> Settings {
    let machine = if machine == OWNED {
        support::owned()
    } else {
        preset(machine).expect("a preset")
    };
    Settings {
        machine,
        ..settings(policy, workers)
    }
}

/// Cycles that so many nanoseconds last.
fn cycles(costs: &Costs, nanos: u64) -> f64 {
    nanos as f64 * costs.megahertz as f64 / 1000.0
}

/// Who handles messages is at work: what the host charges for each of them, and for each activation, is part of that.
fn assert_work_is_charged(run: &Run, settings: &Settings, context: &str) {
    let costs = &settings.machine.costs;
    let workers = settings.workers as u64;
    // What an activation costs when it has ended is not part of the run if that was the worker's last.
    let ended = run.activations.saturating_sub(workers);
    let least = run.events * u64::from(costs.receive)
        + run.activations * u64::from(costs.queue)
        + ended * u64::from(costs.block);
    let busy = cycles(costs, run.busy + workers);
    assert!(
        busy >= least as f64,
        "{context}: busy for {busy} cycles, not {least}"
    );
}

/// A server is not busy for longer than there is time, and every line that came from afar went over a link.
fn assert_lines_are_served(run: &Run, settings: &Settings, context: &str) {
    // Streams that begin one by one get their share of a server that is asked for too much only one by one.
    const TRANSIENT: f64 = 1.1;
    let loads = run
        .links
        .iter()
        .map(|link| link.2)
        .chain(run.controllers.iter().copied());
    for load in loads {
        assert!((0.0..=TRANSIENT).contains(&load), "{context}: {run:?}");
    }
    let costs = &settings.machine.costs;
    let time = cycles(costs, run.makespan);
    let over_links = run.links.iter().map(|link| link.2).sum::<f64>() * time / costs.link;
    let from_memory = run.controllers.iter().sum::<f64>() * time / costs.controller;
    // The makespan is told in whole nanoseconds.
    let about = 1.0 + 3.0 / run.makespan as f64;
    if settings.machine.wiring == Wiring::Nodes {
        assert!(
            over_links * about >= run.remote_lines,
            "{context}: {over_links} {run:?}"
        );
    }
    let all = run.local_lines + run.remote_lines;
    assert!(from_memory <= all * about, "{context}: {from_memory} {run:?}");
}

fn assert_thefts_are_counted(run: &Run, settings: &Settings, context: &str) {
    let Run {
        thefts,
        steals,
        steal_attempts,
        ..
    } = *run;
    assert!(
        thefts <= steal_attempts,
        "{context}: {thefts} of {steal_attempts}"
    );
    if settings.machine.owners.is_none() {
        assert!(thefts <= steals, "{context}: {steals} in {thefts}");
        assert!(thefts > 0 || steals == 0, "{context}: {steals} in no theft");
    }
    if !GREEDY.contains(&settings.policy.as_str()) {
        assert!(
            steals <= steal_attempts,
            "{context}: {steals} of {steal_attempts}"
        );
    }
    assert!(
        settings.workers > 1 || (thefts, steals, steal_attempts) == (0, 0, 0),
        "{context}"
    );
}

#[test]
fn every_run_obeys_the_laws() {
    for program in programs::ALL.iter().chain(programs::HELD_OUT) {
        let alone = run(program.name, settings("cls-tp", 1)).run;
        for policy in POLICIES {
            for (machine, workers) in [
                ("opteron", 1),
                ("opteron", 5),
                ("opteron", 40),
                ("epyc", 70),
                ("pair", 1),
                ("pair", 2),
                (OWNED, 20),
            ] {
                let settings = on(machine, policy, workers);
                let context = format!("{} with {policy} on {workers} of {machine}", program.name);
                let run = run(program.name, settings.clone()).run;
                assert_work_is_charged(&run, &settings, &context);
                assert_lines_are_served(&run, &settings, &context);
                assert_thefts_are_counted(&run, &settings, &context);
                // Each message that was sent is received once, however the work is shared.
                if !RACES.contains(&program.name) {
                    let started = |run: &Run| run.first_run.iter().sum::<u64>();
                    assert_eq!(
                        (run.events, started(&run)),
                        (alone.events, started(&alone)),
                        "{context}"
                    );
                }
            }
        }
    }
}

/// Blocks that all lie on one node ask its controller for more than it can give.
#[test]
fn a_controller_that_everybody_uses_gives_what_it_can_and_no_more() {
    for (machine, policy) in [("opteron", "pin-all"), ("opteron", "cls-tp"), ("epyc", "cls-tp")] {
        let sizes = parameters(json!({"rounds": 30}));
        let workers = if machine == "epyc" { 64 } else { 16 };
        let run = simulate("stencil", on(machine, policy, workers), &sizes)
            .expect("it runs")
            .run;
        let most = run.controllers.iter().copied().fold(0.0, f64::max);
        assert!(most < 1.03, "{machine} with {policy}: {:?}", run.controllers);
    }
}

/// The driver does one thing after the other, and no benchmark that it feeds is over before it has sent everything.
#[test]
fn a_run_takes_as_long_as_its_driver_at_least() {
    let (actors, messages) = (40, 200);
    let sizes = parameters(json!({"actors": actors, "messages": messages}));
    for policy in POLICIES {
        for workers in [1, 8, 64] {
            let settings = settings(policy, workers);
            let costs = settings.machine.costs.clone();
            let run = simulate("fjthrput", settings, &sizes).expect("it runs").run;
            let (spawns, sends) = (
                actors * u64::from(costs.spawn),
                actors * messages * u64::from(costs.send),
            );
            let least = spawns + sends - u64::from(costs.send);
            let makespan = cycles(&costs, run.makespan + 1);
            assert!(
                makespan >= least as f64,
                "{policy} on {workers}: {makespan} cycles, not {least}"
            );
        }
    }
}

/// Where one message follows from the other no number of workers makes a run shorter than all of them.
#[test]
fn a_run_takes_as_long_as_its_longest_chain_at_least() {
    for policy in POLICIES {
        for workers in [1, 8, 64] {
            let settings = settings(policy, workers);
            let costs = settings.machine.costs.clone();
            let link = u64::from(costs.send) + u64::from(costs.receive);
            for (program, sizes, messages) in [
                ("pingpong", json!({"pings": 300}), 600),
                ("threadring", json!({"actors": 20, "hops": 300}), 300),
            ] {
                let sizes = parameters(sizes);
                let run = simulate(program, settings.clone(), &sizes).expect("it runs").run;
                let makespan = cycles(&costs, run.makespan + 1);
                let least = messages * link;
                assert!(
                    makespan >= least as f64,
                    "{program}, {policy} on {workers}: {makespan} {least}"
                );
            }
        }
    }
}

/// Maps whose order differs from one to the next, addresses and the time of day have no say.
#[test]
fn the_same_request_gives_the_same_run_of_every_program() {
    for program in programs::ALL.iter().chain(programs::HELD_OUT) {
        for policy in POLICIES {
            let once = || -> Simulation {
                let settings = Settings {
                    os: Some(Os::default()),
                    placement: Placement::Interleaved,
                    ..settings(policy, 20)
                };
                run(program.name, settings)
            };
            assert_eq!(once(), once(), "{} with {policy}", program.name);
        }
    }
}

#[test]
fn every_policy_runs_on_256_workers() {
    let synthetic = Synthetic {
        packages: 4,
        nodes: 2,
        l3: (4, 32 << 20),
        l2: (4, 1 << 20),
        threads: 2,
        ..Synthetic::default()
    };
    let topology = synthetic.build().expect("a machine");
    let machine = Machine::from_topology("large".to_owned(), topology);
    for policy in policies::ALL {
        let settings = support::on(machine.clone(), policy.name, 256);
        let run = run("big", settings.clone()).run;
        assert_work_is_charged(&run, &settings, policy.name);
        assert_lines_are_served(&run, &settings, policy.name);
        assert_eq!(run.first_run.len(), 8);
    }
}
