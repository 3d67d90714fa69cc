//! Where workers, actors and memory are.

use std::collections::BTreeSet;
use std::sync::mpsc;

use datil::policy::topology::{Synthetic, Topology, cpu_list};
use datil::{Actor, Address, Binding, BuildError, Context, Memory, Runtime};

/// So many nodes, all equally far apart, with one unit each.
fn nodes(count: u32) -> Topology {
    let machine = Synthetic {
        packages: count,
        ..Synthetic::default()
    };
    machine.build().unwrap()
}

/// Units on which the calling thread may run.
fn allowed() -> Vec<u32> {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    cpu_list(list.unwrap()).unwrap()
}

/// Tells on which units its worker's thread may run.
struct Witness(mpsc::Sender<(usize, Vec<u32>)>);

impl Actor for Witness {
    type Msg = ();

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        self.0.send((cx.worker(), allowed())).unwrap();
        cx.stop();
    }

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

/// The units of each worker that ran something.
fn witnessed(runtime: &Runtime) -> BTreeSet<(usize, Vec<u32>)> {
    let (tell, told) = mpsc::channel();
    for _ in 0..50 {
        runtime.spawn(Witness(tell.clone()));
    }
    drop(tell);
    told.iter().collect()
}

/// A worker that is woken to do part of another one's work is kept off that one's unit, and only until it is up.
#[test]
#[cfg_attr(any(not(target_os = "linux"), miri), ignore = "reads Linux's affinity masks")]
fn who_was_kept_off_a_unit_may_run_everywhere_again() {
    let everywhere = allowed();
    // It gives away what it can at every look.
    let runtime = Runtime::builder().workers(2).policy("hostile").build().unwrap();
    for _ in 0..200 {
        for (worker, units) in witnessed(&runtime) {
            assert_eq!(units, everywhere, "worker {worker}");
        }
        // Both lie down, so that one of them has to be woken again.
        runtime.wait_quiescent();
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
}

#[test]
#[cfg_attr(any(not(target_os = "linux"), miri), ignore = "reads Linux's affinity masks")]
fn threads_are_bound_as_reported() {
    let machine = Topology::from_linux(|path| std::fs::read_to_string(path).ok()).unwrap();
    let order = machine.by_core();
    for (policy, binding) in [
        ("adaptive", Binding::Units),
        ("lgs", Binding::Units),
        ("adaptive", Binding::Nodes),
        ("lgs", Binding::Nodes),
    ] {
        let builder = Runtime::builder().workers(3).policy(policy);
        let runtime = builder.binding(binding).build().unwrap();
        let placement = runtime.placement().clone();
        for (index, worker) in placement.workers.iter().enumerate() {
            let unit = &machine.pus()[order[index % order.len()]];
            let bound = if binding == Binding::Nodes {
                machine.pus_of(unit.node).map(|pu| machine.pus()[pu].os).collect()
            } else {
                vec![unit.os]
            };
            assert_eq!(worker.unit, Some(unit.os), "{placement}");
            assert_eq!(worker.bound, Ok(bound), "{placement}");
        }
        for (worker, units) in witnessed(&runtime) {
            assert_eq!(placement.workers[worker].bound, Ok(units), "{placement}");
        }
    }
}

/// Linux may give the two hardware threads of a core numbers that follow each other. Two workers then sat on one core while others
/// were free.
#[test]
fn workers_share_no_core_while_another_is_free() {
    let smt = Synthetic {
        packages: 2,
        cores: 2,
        threads: 2,
        ..Synthetic::default()
    };
    let smt = smt.build().unwrap();
    let units = |workers| -> Vec<u32> {
        let builder = Runtime::builder().workers(workers).policy("lgs");
        let runtime = builder.topology(smt.clone()).build().unwrap();
        let workers = runtime.placement().workers.iter();
        workers.map(|worker| worker.unit.unwrap()).collect()
    };
    assert_eq!(units(2), [0, 2]);
    assert_eq!(units(4), [0, 2, 4, 6]);
    assert_eq!(units(9), [0, 2, 4, 6, 1, 3, 5, 7, 0]);
}

#[test]
#[cfg_attr(any(not(target_os = "linux"), miri), ignore = "reads Linux's affinity masks")]
fn threads_stay_free_unless_bound() {
    let builders = [
        Runtime::builder().workers(2),
        Runtime::builder().workers(2).policy("cls"),
        Runtime::builder()
            .workers(2)
            .policy("lgs")
            .binding(Binding::Never),
        Runtime::builder().workers(2).policy("lgs").topology(nodes(2)),
    ];
    for builder in builders {
        let runtime = builder.build().unwrap();
        let report = runtime.placement().to_string();
        assert_eq!(report.matches("not bound (").count(), 2, "{report}");
        for (_, units) in witnessed(&runtime) {
            assert_eq!(units, allowed(), "{report}");
        }
    }
}

/// By default a policy gets bound threads if, and only if, nothing speaks against it; which of both is told.
#[test]
#[cfg_attr(any(not(target_os = "linux"), miri), ignore = "reads Linux's affinity masks")]
fn a_policy_that_wants_bound_threads_is_told_whether_it_got_them() {
    let runtime = Runtime::builder().workers(2).policy("cls-tp").build().unwrap();
    for (worker, units) in witnessed(&runtime) {
        match &runtime.placement().workers[worker].bound {
            Ok(bound) => assert_eq!(*bound, units),
            Err(reason) => {
                assert!(
                    reason.contains("cgroup") || reason.contains("control group"),
                    "{reason}"
                );
                assert_eq!(units, allowed());
            }
        }
    }
}

#[test]
#[cfg_attr(any(not(target_os = "linux"), miri), ignore = "needs Linux")]
fn interleaving_is_done_or_refused_with_a_reason() {
    let machine = Topology::from_linux(|path| std::fs::read_to_string(path).ok()).unwrap();
    let several = machine.nodes().iter().filter(|node| node.memory > 0).count() > 1;
    match Runtime::builder()
        .workers(2)
        .policy("lgs")
        .memory(Memory::Interleaved)
        .build()
    {
        Ok(runtime) => {
            for worker in &runtime.placement().workers {
                match &worker.interleaved {
                    Ok(nodes) => assert!(several && nodes.len() > 1),
                    Err(reason) => assert!(!several && reason.contains("one memory node"), "{reason}"),
                }
            }
            assert!(!witnessed(&runtime).is_empty());
        }
        Err(BuildError::Placement { reason, .. }) => {
            assert!(several && reason.contains("set_mempolicy"), "{reason}")
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn accesses_are_counted_or_unknown_with_a_reason() {
    let runtime = Runtime::builder().workers(1).build().unwrap();
    assert!(
        runtime
            .memory_accesses()
            .unwrap_err()
            .contains("count_memory_accesses")
    );
    let runtime = Runtime::builder()
        .workers(2)
        .count_memory_accesses(true)
        .build()
        .unwrap();
    runtime.wait_quiescent();
    if let Err(reason) = runtime.memory_accesses() {
        assert!(
            reason.contains("perf_event_open") || reason.contains("counter"),
            "{reason}"
        );
    }
}

/// Nobody pays for homes where all are at home everywhere.
#[test]
fn workers_that_are_alike_run_the_uniform_form() {
    let rules = |policy: &str, machine: Topology| {
        let builder = Runtime::builder().workers(4).policy(policy).topology(machine);
        builder.build().unwrap().rules()
    };
    let forms = [
        ("lgs", "cls-tp"),
        ("lgs-wake", "cls-wake"),
        ("adaptive-locality", "adaptive-waking"),
        ("adaptive-waking", "adaptive-waking"),
        ("cls", "cls"),
        ("adaptive", "adaptive"),
    ];
    for (policy, form) in forms {
        assert_eq!(rules(policy, nodes(1)), form, "{policy} on one node");
        assert_eq!(rules(policy, nodes(2)), policy, "on two");
    }
    let two_caches = Synthetic {
        l2: (2, 0),
        cores: 2,
        ..Synthetic::default()
    };
    let two_caches = two_caches.build().unwrap();
    assert_eq!(rules("lgs", two_caches.clone()), "cls-tp");
    assert_eq!(
        rules("lgs-co", two_caches),
        "lgs-co",
        "near is who shares a cache"
    );
    assert_eq!(rules("lgs-co", nodes(1)), "cls-tp");
    let given = Runtime::builder().workers(2).topology(nodes(1));
    let given = given.build_with::<datil::policy::Lgs>().unwrap();
    assert_eq!((given.policy(), given.rules()), ("lgs", "lgs"), "as it was given");
}

/// Throws a ball to the other one, and notes on which worker it catches it.
struct Player {
    other: Option<Address<Player>>,
    caught_at: Vec<u64>,
    report: mpsc::Sender<Vec<u64>>,
}

enum Play {
    With(Address<Player>),
    Ball(u32),
    Over,
}

impl Actor for Player {
    type Msg = Play;

    fn handle(&mut self, play: Play, cx: &mut Context<'_, Self>) {
        match play {
            Play::With(other) => self.other = Some(other),
            Play::Ball(0) => {
                cx.tell(self.other.unwrap(), Play::Over);
                cx.tell(cx.address(), Play::Over);
            }
            Play::Ball(left) => {
                self.caught_at[cx.worker()] += 1;
                // Long enough for the other worker to wait for, so that it looks for work again and again.
                std::hint::black_box((0..200).sum::<u64>());
                cx.tell(self.other.unwrap(), Play::Ball(left - 1));
            }
            Play::Over => {
                self.report.send(std::mem::take(&mut self.caught_at)).unwrap();
                cx.stop();
            }
        }
    }
}

/// Two players on two nodes, put there from outside; returns where each was and the metrics.
fn play(policy: &str) -> (Vec<Vec<u64>>, datil::WorkerMetrics) {
    let builder = Runtime::builder().workers(2).policy(policy).topology(nodes(2));
    let runtime = builder.build().unwrap();
    let (report, reports) = mpsc::channel();
    let player = || Player {
        other: None,
        caught_at: vec![0; 2],
        report: report.clone(),
    };
    let (left, right) = (runtime.spawn(player()), runtime.spawn(player()));
    runtime.wait_quiescent();
    left.tell(Play::With(right));
    right.tell(Play::With(left));
    left.tell(Play::Ball(2_000));
    let caught = reports.iter().take(2).collect();
    (caught, runtime.metrics().total())
}

#[test]
#[cfg_attr(miri, ignore = "too long")]
fn actors_go_home_or_follow_their_senders() {
    for _ in 0..3 {
        let (caught, total) = play("lgs");
        assert_eq!(
            caught.iter().flatten().sum::<u64>(),
            2_000,
            "{caught:?} {total:?}"
        );
        assert_eq!(
            total.near_activations + total.far_activations,
            total.activations,
            "everybody has a home: {total:?}"
        );
        // How often thieves take somebody away from home depends on the machine's load.
        assert!(total.near_activations > 0, "{total:?}");
        let (_, total) = play("cls-tp");
        assert_eq!(
            total.near_activations + total.far_activations,
            0,
            "nobody has a home"
        );
    }
}
