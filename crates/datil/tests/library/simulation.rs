use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use datil::{Actor, Address, AskError, Context, Restart, Runtime, Simulation, Strategy, Supervisor};

use crate::support::{Bomb, Log, PATIENCE, Puppet, on_all, tell};

/// Three writers write to a reader, through helpers, so that much depends on the order.
fn interleaving(seed: u64, workers: usize) -> (Vec<String>, u64) {
    let simulation = Simulation::new(seed, workers).unwrap();
    let log = Log::default();
    let reader = simulation.spawn(Puppet {
        log: log.clone(),
        ..Puppet::default()
    });
    for writer in 0..3 {
        let puppet = simulation.spawn(Puppet::default());
        tell(puppet, move |_, cx| {
            for n in 0..5 {
                let helper = cx.spawn(Puppet::default());
                cx.tell(
                    helper,
                    Box::new(move |_, cx| {
                        cx.tell(
                            reader,
                            Box::new(move |me, _| me.log.note(format!("{writer}.{n} helped"))),
                        );
                        cx.stop();
                    }),
                );
                cx.tell(
                    reader,
                    Box::new(move |me, _| me.log.note(format!("{writer}.{n}"))),
                );
            }
            cx.stop();
        });
    }
    simulation.settle();
    reader.stop();
    simulation.settle();
    let steps = simulation.steps();
    let leftovers = simulation.shutdown();
    assert!(leftovers.is_empty(), "{leftovers}");
    (log.lines(), steps)
}

#[test]
fn a_seed_reproduces_a_run_and_seeds_differ() {
    let mut seen = std::collections::HashSet::new();
    for seed in 0..30 {
        let run = interleaving(seed, 3);
        assert_eq!(run, interleaving(seed, 3), "seed {seed} is not reproduced");
        assert_eq!(run.0.len(), 31);
        // Order per sender holds in each of them.
        for writer in 0..3 {
            let own: Vec<_> = run
                .0
                .iter()
                .filter(|line| line.starts_with(&format!("{writer}.")) && !line.ends_with("helped"))
                .collect();
            assert!(own.is_sorted(), "seed {seed}: {own:?}");
        }
        seen.insert(run.0);
    }
    assert!(seen.len() > 25, "only {} orders in 30 seeds", seen.len());
}

/// Two actors read, then write, a third one's number: an update is lost if the reads come first.
fn lost_update(seed: u64) -> bool {
    let simulation = Simulation::new(seed, 2).unwrap();
    let account = simulation.spawn(Puppet::default());
    for _ in 0..2 {
        let clerk = simulation.spawn(Puppet::default());
        tell(clerk, move |_, cx| {
            cx.ask(
                account,
                |reply| {
                    Box::new(move |me: &mut Puppet, _: &mut Context<'_, Puppet>| reply.send(me.number))
                        as crate::support::Play
                },
                move |_, number, cx| {
                    cx.tell(account, Box::new(move |me, _| me.number = number.unwrap() + 1));
                    cx.stop();
                },
            );
        });
    }
    simulation.settle();
    let number = simulation.ask(account, |reply| {
        Box::new(move |me: &mut Puppet, _: &mut Context<'_, Puppet>| reply.send(me.number))
            as crate::support::Play
    });
    number.unwrap() == 1
}

#[test]
fn a_race_in_the_program_is_found_by_some_seed_and_not_by_each() {
    let lost = (0..50).filter(|&seed| lost_update(seed)).count();
    assert!((1..50).contains(&lost), "lost with {lost} of 50 seeds");
}

#[test]
fn time_is_virtual_and_exact() {
    let simulation = Simulation::new(0, 1).unwrap();
    let log = Log::default();
    let puppet = simulation.spawn(Puppet {
        log: log.clone(),
        ..Puppet::default()
    });
    let day = Duration::from_secs(86_400);
    tell(puppet, move |_, cx| {
        let me = cx.address();
        cx.after(3 * day, |me, _| me.log.note("three days"));
        cx.after(day, |me, _| me.log.note("one day"));
        cx.tell_every(day, me, || Box::new(|me, _| me.log.note("beat")));
    });
    simulation.advance(2 * day + day / 2);
    assert_eq!(log.lines(), ["one day", "beat", "beat"]);
    assert_eq!(simulation.now(), 2 * day + day / 2);
    simulation.run_to_end();
    assert_eq!(simulation.now(), 3 * day);
    assert_eq!(log.lines().len(), 5);
    puppet.stop();
    simulation.settle();
    assert!(simulation.shutdown().is_empty());
}

#[test]
fn supervision_windows_are_in_virtual_time() {
    let simulation = Simulation::new(0, 2).unwrap();
    let supervisor = Supervisor::new(Strategy::OneForOne, 1, Duration::from_secs(60));
    let puppet: Address<Puppet> = supervisor
        .start(&mut &simulation, Restart::OnFailure, Puppet::default)
        .unwrap();
    for minute in 1..10 {
        tell(puppet, |_, _| panic!("on purpose"));
        simulation.advance(Duration::from_secs(61));
        assert!(puppet.is_alive(), "minute {minute}");
    }
    (0..2).for_each(|_| tell(puppet, |_, _| panic!("on purpose")));
    simulation.settle();
    assert!(!puppet.is_alive() && supervisor.is_over());
    assert!(simulation.shutdown().is_empty());
}

#[test]
fn a_question_that_nobody_answers_ends_the_wait() {
    struct Deaf(Vec<datil::ReplyTo<()>>);
    impl Actor for Deaf {
        type Msg = datil::ReplyTo<()>;
        fn handle(&mut self, reply: Self::Msg, _: &mut Context<'_, Self>) {
            self.0.push(reply);
        }
    }
    let simulation = Simulation::new(0, 1).unwrap();
    let deaf = simulation.spawn(Deaf(Vec::new()));
    assert_eq!(simulation.ask(deaf, |reply| reply), Err(AskError::TimedOut));
    assert_eq!(simulation.shutdown().actors.len(), 1);
}

/// More than the inbox hands out at a time.
#[test]
fn a_seed_is_a_run_also_when_much_comes_from_outside() {
    let run = || {
        let simulation = Simulation::new(7, 2).unwrap();
        let log = Log::default();
        let puppets = [0, 1, 2, 3].map(|_| {
            simulation.spawn(Puppet {
                log: log.clone(),
                ..Puppet::default()
            })
        });
        for n in 0..2000 {
            tell(puppets[n % 4], move |me, _| me.log.note(n.to_string()));
        }
        simulation.settle();
        (simulation.steps(), log.lines())
    };
    let first = run();
    (0..10).for_each(|again| assert!(run() == first, "run {again} differs"));
}

#[test]
fn time_has_an_end() {
    let half = Duration::from_nanos(u64::MAX / 2 + 10);
    for period in [half, Duration::from_nanos(u64::MAX), Duration::MAX] {
        let simulation = Simulation::new(0, 1).unwrap();
        let puppet = simulation.spawn(Puppet::default());
        tell(puppet, move |_, cx| {
            let me = cx.address();
            cx.tell_every(period, me, || Box::new(|me, _| me.number += 1));
        });
        simulation.advance(Duration::from_secs(1));
        simulation.advance(Duration::MAX);
        let number = simulation.ask(puppet, |reply| {
            Box::new(move |me: &mut Puppet, _: &mut Context<'_, Puppet>| reply.send(me.number))
                as crate::support::Play
        });
        assert_eq!(number, Ok(1));
    }
}

#[test]
fn a_run_to_the_end_includes_time_outs() {
    let simulation = Simulation::new(0, 1).unwrap();
    let [deaf, asker, beaten] = [0, 1, 2].map(|_| simulation.spawn(Puppet::default()));
    let (reply, answer) = datil::promise();
    let limit = Duration::from_secs(5);
    tell(asker, move |_, cx| {
        let question = |reply| {
            Box::new(move |me: &mut Puppet, _: &mut Context<'_, Puppet>| me.asked.push(reply))
                as crate::support::Play
        };
        cx.ask_within(limit, deaf, question, move |_, answer, _| reply.send(answer));
        cx.tell_every(limit / 2, beaten, || Box::new(|_, _| {}));
    });
    simulation.run_to_end();
    assert_eq!(simulation.now(), limit);
    assert_eq!(simulation.wait(answer), Ok(Err(AskError::TimedOut)));
}

/// An answer that comes when its asker has stopped is dropped, and with it what the asker meant to do.
#[test]
fn a_destructor_that_panics_for_an_actor_that_is_gone_is_reported_and_no_more() {
    let mut gone = 0;
    for seed in 0..40 {
        let simulation = Simulation::new(seed, 1).unwrap();
        let asker = simulation.spawn(Puppet::default());
        let (give, take) = std::sync::mpsc::channel();
        tell(asker, move |_, cx| {
            let bomb = Bomb;
            let reply = cx.reply(move |_, _: Result<(), AskError>, _| drop(bomb));
            give.send(reply).unwrap();
        });
        simulation.settle();
        let reply = take.recv().unwrap();
        tell(asker, |_, cx| cx.stop());
        simulation.step();
        reply.send(());
        simulation.step();
        gone += usize::from(!asker.is_alive());
        simulation.settle();
        assert!(simulation.shutdown().is_empty());
    }
    assert!((1..40).contains(&gone), "gone first with {gone} of 40 seeds");
}

#[test]
fn a_simulation_in_a_handler_leaves_the_worker_what_it_is() {
    on_all(|runtime| {
        let puppet = runtime.spawn(Puppet::default());
        let (reply, answer) = datil::promise();
        tell(puppet, move |_, cx| {
            let simulation = Simulation::new(0, 1).unwrap();
            simulation.spawn(Puppet::default()).stop();
            simulation.settle();
            let (unused, waiting) = datil::promise::<()>();
            reply.send(waiting.wait_for(std::time::Duration::ZERO));
            drop(unused);
            cx.stop();
        });
        assert_eq!(answer.wait_for(PATIENCE), Ok(Err(AskError::InsideActor)));
    });
}

/// The first runtime of a process has ways that later ones have not. So this is a process of its own.
#[test]
#[cfg_attr(miri, ignore = "starts a process")]
fn a_seed_is_a_run_also_for_the_first_simulation_of_a_process() {
    const ALONE: &str = "DATIL_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let name = "simulation::a_seed_is_a_run_also_for_the_first_simulation_of_a_process";
        let alone = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name])
            .env(ALONE, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&alone.stdout);
        assert!(alone.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let run = || {
        let simulation = Simulation::new(7, 2).unwrap();
        let [dead, one, other] = [0, 1, 2].map(|_| simulation.spawn(Puppet::default()));
        dead.stop();
        simulation.settle();
        let log = Log::default();
        for n in 0..20 {
            let log = log.clone();
            tell([one, other][n % 2], move |_, _| log.note(n.to_string()));
        }
        for _ in 0..10 {
            tell(dead, |_, _| ());
            simulation.step();
        }
        simulation.settle();
        (simulation.steps(), log.lines())
    };
    assert_eq!(run(), run());
}

/// The words of what `act` panics with.
fn complaint(act: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act)).expect_err("it must not go on");
    panic.downcast_ref::<String>().expect("text").clone()
}

#[test]
fn actors_that_keep_each_other_busy_are_ended_by_a_limit() {
    let run = |seed| {
        let simulation = Simulation::builder().seed(seed).most_steps(1000).build().unwrap();
        let puppet = simulation.spawn(Puppet::default());
        fn again(_: &mut Puppet, cx: &mut Context<'_, Puppet>) {
            cx.tell(cx.address(), Box::new(again));
        }
        tell(puppet, again);
        let said = complaint(|| simulation.settle());
        assert!(
            said.contains("1000 with seed") && said.contains("too low"),
            "{said}"
        );
        assert_eq!(simulation.steps(), 1000);
        let said = complaint(|| {
            simulation.step();
        });
        assert!(said.contains("1000 with seed"), "{said}");
        let left = simulation.shutdown();
        assert_eq!(
            (left.actors.len(), left.messages),
            (1, 1),
            "it ends in order: {left}"
        );
    };
    (0..5).for_each(run);
    // What is done within the limit is as without one.
    let simulation = Simulation::builder().most_steps(1000).build().unwrap();
    simulation.spawn(Puppet::default()).stop();
    simulation.settle();
    assert!(simulation.shutdown().is_empty());
}

#[test]
fn timers_that_beat_for_ever_are_ended_by_a_limit_too() {
    let elsewhere = crate::support::runtime(1);
    for outside in [false, true] {
        let simulation = Simulation::builder().most_steps(1000).build().unwrap();
        let puppet = simulation.spawn(Puppet::default());
        // A beat for an actor that is not simulated is no step of a worker.
        let beaten = if outside {
            elsewhere.spawn(Puppet::default())
        } else {
            puppet
        };
        tell(puppet, move |_, cx| {
            cx.tell_every(Duration::from_secs(1), beaten, || Box::new(|_, _| {}));
        });
        let (reply, answer) = datil::promise::<()>();
        let said = complaint(|| {
            let _ = simulation.wait(answer);
        });
        assert!(said.contains("keep each other busy"), "{said}");
        drop(reply);
    }
}

#[test]
fn panics_in_a_simulation_are_told_of_and_its_work_is_counted() {
    let told = std::sync::Arc::<std::sync::Mutex<Vec<_>>>::default();
    let heard = told.clone();
    let simulation = Simulation::builder()
        .seed(3)
        .workers(1)
        .on_panic(move |info| heard.lock().unwrap().push((info.message.to_owned(), info.worker)))
        .build()
        .unwrap();
    let (fragile, dead) = (
        simulation.spawn(Puppet::default()),
        simulation.spawn(Puppet::default()),
    );
    dead.stop();
    simulation.settle();
    tell(fragile, move |_, cx| {
        let bomb = Bomb;
        cx.tell(dead, Box::new(move |_, _| drop(bomb)));
        let child = cx.spawn(Puppet::default());
        cx.tell_after(Duration::from_secs(1), child, Box::new(|_, cx| cx.stop()));
        cx.tell_every(Duration::from_secs(2), cx.address(), || {
            panic!("a beat, on purpose")
        });
        cx.after(Duration::from_secs(3), |_, _| panic!("a handler, on purpose"));
    });
    simulation.advance(Duration::from_secs(5));
    let words = |told: &(String, _)| (told.0.replace(", on purpose", ""), told.1);
    let told: Vec<_> = told.lock().unwrap().iter().map(words).collect();
    let expected = [
        ("a destructor", Some(0)),
        ("a beat", None),
        ("a handler", Some(0)),
    ];
    assert_eq!(told, expected.map(|(what, worker)| (what.to_owned(), worker)));
    let metrics = simulation.metrics();
    let total = metrics.total();
    assert_eq!((metrics.workers.len(), metrics.timer_panics), (1, 1));
    assert_eq!((total.panics, total.dead_letters, total.spawned), (2, 1, 1));
    // The play of the first actor and its timer's; what its child was told. Each is an activation, and so is a stop.
    assert_eq!(total.messages, 3);
    assert!(total.activations >= 4, "{total:?}");
    assert!(simulation.shutdown().is_empty());
}

#[test]
fn a_simulation_needs_a_worker() {
    let refused = Simulation::builder().workers(0).build();
    assert!(matches!(refused, Err(datil::BuildError::NoWorkers)));
}

thread_local! {
    static SIMULATION: OnceCell<Rc<Simulation>> = const { OnceCell::new() };
}

/// Lets the thread's simulation take a step when it is dropped.
struct Stepper;

impl Drop for Stepper {
    fn drop(&mut self) {
        take_a_step();
    }
}

fn take_a_step() {
    SIMULATION.with(|simulation| simulation.get().unwrap().step());
}

#[test]
fn a_step_inside_of_a_step_is_refused() {
    // In a handler, in the destructor of a message for a dead actor that comes from outside, in a timer. The panics are meant.
    for seed in 0..5 {
        std::thread::spawn(move || {
            let (told, heard) = std::sync::mpsc::channel();
            let simulation = Simulation::builder()
                .seed(seed)
                .on_panic(move |info| told.send(info.message.to_owned()).unwrap())
                .build()
                .unwrap();
            let simulation = Rc::new(simulation);
            assert!(SIMULATION.with(|slot| slot.set(simulation.clone())).is_ok());
            let (puppet, dead) = (
                simulation.spawn(Puppet::default()),
                simulation.spawn(Puppet::default()),
            );
            let refused = || {
                simulation.settle();
                let told: Vec<_> = heard.try_iter().collect();
                assert!(
                    told.len() == 1 && told[0].contains("outside of the simulation"),
                    "{told:?}"
                );
            };
            tell(puppet, |_, _| take_a_step());
            refused();
            let end = dead.ended();
            dead.tell(Box::new(|_, cx| cx.stop()));
            let stepper = Stepper;
            dead.tell(Box::new(move |_, _| drop(stepper)));
            refused();
            assert!(end.wait().is_ok());
            let waits = simulation.spawn(Puppet::default());
            tell(waits, |_, cx| {
                let step = || -> crate::support::Play {
                    take_a_step();
                    Box::new(|_, _| {})
                };
                cx.tell_every(Duration::from_secs(1), cx.address(), step);
            });
            simulation.advance(Duration::from_secs(2));
            refused();
            // It goes on.
            tell(waits, |_, cx| cx.stop());
            simulation.settle();
            assert!(!waits.is_alive());
        })
        .join()
        .unwrap();
    }
}

/// Ends a runtime when it is told to.
struct Ender(Arc<Mutex<Option<Runtime>>>);

impl Actor for Ender {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        let runtime = self.0.lock().unwrap().take();
        drop(runtime);
    }
}

#[test]
fn an_actor_of_a_simulation_may_end_the_runtime_in_whose_handler_that_runs() {
    for blocking in [false, true] {
        let runtime = crate::support::runtime(1);
        let outer = if blocking {
            runtime.spawn_blocking(Puppet::default())
        } else {
            runtime.spawn(Puppet::default())
        };
        let slot = Arc::new(Mutex::new(Some(runtime)));
        let (done, ended) = std::sync::mpsc::channel();
        tell(outer, move |_, _| {
            let simulation = Simulation::new(1, 1).unwrap();
            simulation.spawn(Ender(slot)).tell(());
            simulation.settle();
            done.send(()).unwrap();
        });
        ended.recv_timeout(PATIENCE).expect("it does not wait for itself");
    }
}

#[test]
fn a_link_after_an_unlink_that_has_crossed_another_one_holds_both_ways() {
    for seed in 0..if cfg!(miri) { 5 } else { 100 } {
        for fails in 0..2 {
            let simulation = Simulation::new(seed, 2).unwrap();
            let pair = [0, 1].map(|_| simulation.spawn(Puppet::default()));
            let [a, b] = pair;
            tell(a, move |_, cx| cx.unlink(b));
            tell(b, move |_, cx| cx.link(a));
            simulation.settle();
            tell(a, move |_, cx| cx.link(b));
            simulation.settle();
            pair[fails].kill();
            simulation.settle();
            assert!(
                pair.iter().all(|actor| !actor.is_alive()),
                "seed {seed}: {fails} fails alone"
            );
            assert!(simulation.shutdown().is_empty());
        }
    }
}
