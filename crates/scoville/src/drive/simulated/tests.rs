use super::*;
use crate::model::benchmark::{Mismatch, Value, Work};
use crate::model::plan::{GroupKey, IterationRule, Limits};
use crate::model::runtime::Launch;

fn order(runtime: &str) -> Order {
    Order {
        launch: Launch {
            command: vec![format!("/bin/{runtime}")],
            env: BTreeMap::new(),
            cwd: "/".into(),
            quit: None,
        },
        reports_as: runtime.to_owned(),
        group: GroupKey {
            benchmark: "pingpong".into(),
            preset: "tiny".into(),
            cores: 2,
        },
        parameters: BTreeMap::new(),
        expect: BTreeMap::from([("result".to_owned(), Value::Int(42))]),
        work: Work {
            actors: 2,
            messages: Some(301),
        },
        messages_plus: String::new(),
        workers: 2,
        cpus: vec![0, 1],
        iterations: IterationRule {
            min: 10,
            max: 10,
            floor_ns: 0,
            ceiling_ns: u64::MAX,
        },
        limits: Limits {
            start_ns: 1,
            iteration_ns: 1,
            leave_ns: 1,
        },
        count_messages: false,
        padding: 0,
        memory_limit: None,
    }
}

fn world() -> World {
    World {
        seed: 7,
        cpus: 4,
        runtimes: BTreeMap::from([
            ("a".to_owned(), Behaviour::default()),
            (
                "b".to_owned(),
                Behaviour {
                    iteration_ns: 20_000_000.0,
                    ..Behaviour::default()
                },
            ),
        ]),
        ..World::default()
    }
}

fn median_wall(host: &mut SimulatedHost, runtime: &str, invocations: u32) -> f64 {
    let mut all = Vec::new();
    for _ in 0..invocations {
        all.extend(
            host.invoke(&order(runtime), &Interrupt::default())
                .iterations
                .wall_ns,
        );
    }
    all.sort_unstable();
    all[all.len() / 2] as f64
}

#[test]
fn the_same_seed_gives_the_same_session_and_another_does_not() {
    let session = |seed| {
        let mut host = SimulatedHost::new(World { seed, ..world() });
        let sensors = host.sense_block(&[0, 1]);
        let invocations = ["a", "b", "a"].map(|r| host.invoke(&order(r), &Interrupt::default()));
        (sensors, invocations, host.now_ns())
    };
    assert_eq!(session(1), session(1));
    assert_ne!(session(1), session(2));
}

#[test]
fn invocations_are_complete_and_follow_their_distribution() {
    let mut host = SimulatedHost::new(world());
    let one = host.invoke(&order("a"), &Interrupt::default());
    assert_eq!(one.outcome, Outcome::Ok);
    assert_eq!(one.iterations.wall_ns.len(), 10);
    assert_eq!(one.iterations.cpu_ns.unwrap().value().unwrap().len(), 10);
    assert_eq!(one.iterations.fields["result"], Value::Int(42));
    assert!(one.process.wall_ns >= one.iterations.wall_ns.iter().sum());
    assert_eq!(host.now_ns(), one.process.wall_ns);
    let (a, b) = (median_wall(&mut host, "a", 200), median_wall(&mut host, "b", 200));
    assert!((b / a - 2.0).abs() < 0.05, "{a} {b}");
}

#[test]
fn the_first_word_of_the_command_comes_before_the_name() {
    let mut world = world();
    world.runtimes.insert(
        "/bin/a".into(),
        Behaviour {
            iteration_ns: 1e9,
            ..Behaviour::default()
        },
    );
    let mut host = SimulatedHost::new(world);
    assert!(median_wall(&mut host, "a", 1) > 5e8);
}

#[test]
fn warm_up_drift_steps_and_far_seconds_slow_things_down() {
    let mut warm = world();
    warm.runtimes.insert(
        "a".into(),
        Behaviour {
            warmup: 9.0,
            warmup_iterations: 2.0,
            iteration_sd: 0.0,
            ..Behaviour::default()
        },
    );
    let times = SimulatedHost::new(warm)
        .invoke(&order("a"), &Interrupt::default())
        .iterations
        .wall_ns;
    assert!(
        times[0] > 5 * times[9] && times.is_sorted_by(|x, y| x > y),
        "{times:?}"
    );

    let base = median_wall(&mut SimulatedHost::new(world()), "a", 50);
    let mut drifting = SimulatedHost::new(World {
        drift_per_hour: 0.5,
        ..world()
    });
    drifting.pass(3_600_000_000_000);
    assert!((median_wall(&mut drifting, "a", 50) / base - 1.5).abs() < 0.05);
    let steps = vec![Step {
        at_ns: 0,
        factor: 3.0,
    }];
    assert!(
        (median_wall(&mut SimulatedHost::new(World { steps, ..world() }), "a", 50) / base - 3.0).abs() < 0.1
    );

    let far = Some(Far {
        probability: 1.0,
        slowdown: 2.0,
        line_ns: 235.0,
    });
    let mut host = SimulatedHost::new(World { far, ..world() });
    assert!(*host.sense_block(&[0, 1]).line_handover_ns.value().unwrap() > 200.0);
    assert!((median_wall(&mut host, "a", 50) / base - 2.0).abs() < 0.1);
}

#[test]
fn contamination_is_seen_by_the_sensors() {
    let noise = Contamination {
        probability: 0.5,
        slowdown: 2.0,
        steal: 0.05,
        foreign: 0.4,
        pressure: 0.3,
    };
    let mut host = SimulatedHost::new(World {
        contamination: Some(noise),
        ..world()
    });
    for _ in 0..50 {
        let invocation = host.invoke(&order("a"), &Interrupt::default());
        let slow = invocation.iterations.wall_ns[0] > 15_000_000;
        assert_eq!(slow, *invocation.sensors.foreign.value().unwrap() > 0.0);
    }
}

#[test]
fn every_kind_of_failure_can_be_had() {
    let mismatch = Mismatch {
        field: "result".into(),
        expected: Value::Int(42),
        got: None,
    };
    let work = Work {
        actors: 1,
        messages: Some(1),
    };
    let timed_out = |state: &str| FailureKind::TimedOut {
        state: state.into(),
        limit_ns: 5,
    };
    let kinds = [
        (FailureKind::CannotStart, 0),
        (
            FailureKind::WrongResult {
                iteration: 3,
                mismatch,
            },
            0,
        ),
        (
            FailureKind::WrongWork {
                expected: work,
                counted: work,
            },
            0,
        ),
        (timed_out("starting"), 0),
        (timed_out("running"), 3),
        (
            FailureKind::Crashed {
                status: None,
                signal: Some(11),
            },
            3,
        ),
        (FailureKind::Protocol, 3),
        (FailureKind::Workers { asked: 2, uses: 4 }, 0),
        (FailureKind::BadParameter, 3),
        (FailureKind::Assertion, 3),
        (FailureKind::LeftChildren { count: 1 }, 3),
        (FailureKind::Flood { limit: 1 }, 3),
        (FailureKind::Interrupted, 3),
        (FailureKind::Laboratory, 0),
    ];
    for (kind, kept) in kinds {
        let fault = Fault {
            runtime: "a".into(),
            invocation: Some(1),
            iteration: 3,
            kind: kind.clone(),
        };
        let mut host = SimulatedHost::new(World {
            faults: vec![fault],
            ..world()
        });
        let outcomes = [0, 1, 2].map(|_| host.invoke(&order("a"), &Interrupt::default()));
        let Outcome::Failed(failure) = &outcomes[1].outcome else {
            panic!("{kind:?}")
        };
        assert_eq!(failure.kind, kind);
        assert_eq!(outcomes[1].iterations.wall_ns.len(), kept, "{kind:?}");
        assert_eq!(outcomes[0].outcome, Outcome::Ok);
        assert_eq!(outcomes[2].outcome, Outcome::Ok);
        assert_eq!(host.dirty(), kind == FailureKind::Laboratory);
    }
}

#[test]
fn presses_and_crashes_come_when_they_are_told_to() {
    let presses_ns = vec![30_000_000, 60_000_000];
    let mut host = SimulatedHost::new(World {
        presses_ns,
        ..world()
    });
    let interrupt = Interrupt::default();
    let invocation = host.invoke(&order("a"), &interrupt);
    let Outcome::Failed(failure) = invocation.outcome else {
        panic!()
    };
    assert_eq!(failure.kind, FailureKind::Interrupted);
    assert!(invocation.iterations.wall_ns.len() < 10);
    assert!(interrupt.at_once());

    let mut host = SimulatedHost::new(World {
        crash_at_call: Some(1),
        ..world()
    });
    host.sense_block(&[0]);
    let crash = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        host.invoke(&order("a"), &Interrupt::default())
    }));
    assert_eq!(
        crash.unwrap_err().downcast_ref(),
        Some(&LaboratoryCrash { call: 1 })
    );
}

#[test]
fn what_cannot_be_run_says_so() {
    let mut world = world();
    world.runtimes.get_mut("a").unwrap().unsupported = Some("no locks".into());
    let mut host = SimulatedHost::new(world);
    assert_eq!(
        host.invoke(&order("a"), &Interrupt::default()).outcome,
        Outcome::Unsupported {
            reason: "no locks".into()
        }
    );
    let Outcome::Failed(failure) = host.invoke(&order("c"), &Interrupt::default()).outcome else {
        panic!()
    };
    assert_eq!(failure.kind, FailureKind::CannotStart);
    let counting = Order {
        count_messages: true,
        ..order("b")
    };
    let counted = host.invoke(&counting, &Interrupt::default()).iterations;
    assert_eq!(
        (counted.work, counted.wall_ns.len()),
        (
            Some(Work {
                actors: 2,
                messages: Some(301)
            }),
            0
        )
    );
}
