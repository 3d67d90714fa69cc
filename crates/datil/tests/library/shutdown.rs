use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use datil::{Actor, Address, Context, ReplyTo, Restart, Runtime, Simulation, Strategy, Supervisor};

use crate::support::{Alive, Bomb, PATIENCE, Play, Puppet, runtime, sync, tell};

/// Waits inside a handler until the sender is dropped.
fn hold(actor: Address<Puppet>) -> mpsc::Sender<()> {
    let (hold, gate) = mpsc::channel::<()>();
    let (inside, entered) = mpsc::channel();
    tell(actor, move |_, _| {
        inside.send(()).unwrap();
        let _ = gate.recv();
    });
    entered.recv_timeout(PATIENCE).unwrap();
    hold
}

struct Witness(#[expect(dead_code, reason = "its drop counts")] Alive);

impl Actor for Witness {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

#[test]
fn a_shutdown_with_a_limit_says_who_still_runs_and_cleans_up_later() {
    // A worker that has nothing to do may still need longer than the limit to notice on a busy machine.
    let mut limit = Duration::from_millis(20);
    let mut others = [1, 3].to_vec();
    while let Some(&workers) = others.last() {
        let runtime = runtime(workers);
        let alive = Arc::new(AtomicUsize::new(0));
        (0..10).for_each(|_| drop(runtime.spawn(Witness(Alive::new(&alive))).ended()));
        let holds = [
            hold(runtime.spawn(Puppet::default())),
            hold(runtime.spawn_blocking(Puppet::default())),
        ];
        let running = runtime.shutdown_within(limit).unwrap_err();
        if running.workers.len() == 1 {
            others.pop();
        } else {
            limit *= 4;
            assert!(limit < PATIENCE && running.workers.len() <= workers, "{running}");
        }
        assert_eq!(running.blocking, 1, "{running}");
        assert!(running.to_string().contains("1 blocking"), "{running}");
        drop(holds);
        let began = Instant::now();
        while alive.load(SeqCst) > 0 {
            assert!(began.elapsed() < PATIENCE, "{alive:?} are left");
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_shutdown_in_time_reports_all_kinds_of_leftovers() {
    for workers in [1, 3] {
        let runtime = runtime(workers);
        let puppets: Vec<_> = (0..4).map(|_| runtime.spawn(Puppet::default())).collect();
        let blocking = runtime.spawn_blocking(Puppet::default());
        runtime.register("first", puppets[0]).unwrap();
        runtime.tell_after(Duration::from_secs(3600), puppets[1], Box::new(|_, _| ()));
        puppets[2].stop();
        let held = hold(puppets[3]);
        let sender = runtime.spawn(Puppet::default());
        let to = puppets[3];
        (0..5).for_each(|_| tell(to, |_, _| ()));
        sender.stop();
        let letting_go = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            drop(held);
        });
        let left = runtime.shutdown_within(PATIENCE).unwrap();
        letting_go.join().unwrap();
        let puppets_left = left.actors[std::any::type_name::<Puppet>()];
        // The one that was told to stop, and the helper, may or may not have got to it before the workers ended; so may the five messages.
        assert!((4..=6).contains(&puppets_left), "{left}");
        assert!(left.messages <= 5, "{left}");
        assert_eq!(
            (left.timers, &left.names[..]),
            (1, &["first".to_owned()][..]),
            "{left}"
        );
        assert!(!left.is_empty() && left.to_string().contains("1 timers"));
        assert!(!blocking.is_alive() && !puppets[0].is_alive());
    }
}

#[test]
fn destructors_that_panic_do_not_end_a_shutdown() {
    for workers in [1, 3] {
        let runtime = runtime(workers);
        let (alive, bomb) = (Arc::<AtomicUsize>::default(), Bomb);
        let puppet = runtime.spawn(Puppet::default());
        runtime.tell_after(PATIENCE, puppet, Box::new(move |_, _| drop(bomb)));
        let supervisor = Supervisor::new(Strategy::OneForOne, 3, PATIENCE);
        for bomb in [Bomb, Bomb] {
            let alive = alive.clone();
            let factory = move || {
                let _held = &bomb;
                Witness(Alive::new(&alive))
            };
            supervisor
                .start(&mut &runtime, Restart::OnFailure, factory)
                .unwrap();
        }
        let left = runtime.shutdown();
        assert_eq!(
            (left.actors.values().sum::<usize>(), left.timers),
            (3, 1),
            "{left}"
        );
        assert_eq!(alive.load(SeqCst), 0);
    }
}

/// Panics whenever it is dropped. Two that are dropped in one go end the process.
struct Mine;

impl Drop for Mine {
    fn drop(&mut self) {
        panic!("a destructor, on purpose");
    }
}

#[test]
fn what_several_have_left_with_an_actor_is_dropped_apart() {
    for left_over in [false, true] {
        let runtime = runtime(1);
        let (mine, [watcher, other]) = (
            Mine,
            [Puppet::default(), Puppet::default()].map(|one| runtime.spawn(one)),
        );
        let watched = Supervisor::new(Strategy::OneForOne, 3, PATIENCE)
            .start(&mut &runtime, Restart::Never, move || {
                let _held = &mine;
                Puppet::default()
            })
            .unwrap();
        let mine = Mine;
        tell(watched, move |_, cx| {
            cx.trap_links(move |_| {
                let _held = &mine;
                Box::new(|_, _| {})
            });
        });
        for who in [watcher, other] {
            let mine = Mine;
            tell(who, move |_, cx| {
                cx.monitor(watched, move |_| {
                    let _held = &mine;
                    Box::new(|_, _| {})
                });
            });
            sync(who);
        }
        sync(watched);
        if !left_over {
            watched.stop();
            runtime.wait_quiescent();
            assert_eq!(runtime.metrics().total().panics, 4);
        }
        let left = runtime.shutdown();
        assert_eq!(
            left.actors.values().sum::<usize>(),
            2 + usize::from(left_over),
            "{left}"
        );
    }
}

#[test]
fn a_lost_question_that_panics_leaves_what_held_its_reply_alone() {
    struct Keeper;
    impl Actor for Keeper {
        // The reply is dropped first.
        type Msg = (ReplyTo<()>, Mine, Alive);
        fn handle(&mut self, _: Self::Msg, _: &mut Context<'_, Self>) {}
    }
    let (runtime, alive) = (runtime(1), Arc::<AtomicUsize>::default());
    let (asker, keeper) = (runtime.spawn(Puppet::default()), runtime.spawn(Keeper));
    let (hold, gate) = mpsc::channel::<()>();
    let (inside, entered) = mpsc::channel();
    let (count, mine) = (Alive::new(&alive), Mine);
    tell(asker, move |_, cx| {
        cx.ask(
            keeper,
            |reply| (reply, Mine, count),
            move |_, _, _| {
                let _held = &mine;
            },
        );
        inside.send(()).unwrap();
        let _ = gate.recv();
    });
    entered.recv_timeout(PATIENCE).unwrap();
    // The question waits until it is dropped, by a thread that is no worker.
    assert!(runtime.shutdown_within(Duration::ZERO).is_err());
    drop(hold);
    let began = Instant::now();
    while alive.load(SeqCst) > 0 {
        assert!(began.elapsed() < PATIENCE, "the question is left");
        std::thread::yield_now();
    }
}

#[test]
fn a_limit_counts_blocking_actors_of_blocking_actors() {
    let runtime = runtime(1);
    let outer = runtime.spawn_blocking(Puppet::default());
    let (reply, inner) = datil::promise();
    tell(outer, move |_, cx| {
        reply.send(cx.spawn_blocking(Puppet::default()))
    });
    let held = hold(inner.wait_for(PATIENCE).unwrap());
    let (over, end) = mpsc::channel::<()>();
    let letting_go = std::thread::spawn(move || {
        let _ = end.recv_timeout(PATIENCE / 10);
        drop(held);
    });
    let running = runtime.shutdown_within(Duration::from_secs(1));
    assert_eq!(running.map_err(|running| running.blocking), Err(1));
    drop(over);
    letting_go.join().unwrap();
}

#[test]
fn blocking_actors_made_during_a_shutdown_are_told_of_it() {
    let runtime = runtime(1);
    let makers = [
        runtime.spawn(Puppet::default()),
        runtime.spawn_blocking(Puppet::default()),
    ];
    let (inside, entered) = mpsc::channel();
    for maker in makers {
        let inside = inside.clone();
        tell(maker, move |_, cx| {
            inside.send(()).unwrap();
            // Long enough for the shutdown to begin; if it does not the test says nothing.
            std::thread::sleep(Duration::from_millis(100));
            cx.spawn_blocking(Puppet::default());
        });
    }
    makers
        .iter()
        .for_each(|_| entered.recv_timeout(PATIENCE).unwrap());
    let left = runtime
        .shutdown_within(PATIENCE / 10)
        .expect("nobody runs a handler");
    assert_eq!(left.actors.values().sum::<usize>(), 4, "{left}");
}

thread_local! {
    static RUNTIME: RefCell<Option<Runtime>> = const { RefCell::new(None) };
    static SIMULATION: RefCell<Option<Simulation>> = const { RefCell::new(None) };
}

#[test]
fn a_thread_that_ends_may_end_what_runs_actors() {
    // What the runtime keeps of the thread is gone before or after, by which of the two was used first.
    for keeps_first in [false, true] {
        let alive = Arc::<AtomicUsize>::default();
        let (of_runtime, of_simulation) = (Alive::new(&alive), Alive::new(&alive));
        let use_other = || drop(runtime(1).shutdown());
        let thread = std::thread::spawn(move || {
            if !keeps_first {
                use_other();
            }
            RUNTIME.set(Some(runtime(1)));
            SIMULATION.set(Some(Simulation::new(1, 1).unwrap()));
            RUNTIME.with_borrow(|runtime| runtime.as_ref().unwrap().spawn(Witness(of_runtime)));
            SIMULATION.with_borrow(|simulation| {
                simulation.as_ref().unwrap().spawn(Witness(of_simulation));
            });
            if keeps_first {
                use_other();
            }
        });
        thread.join().unwrap();
        assert_eq!(alive.load(SeqCst), 0);
    }
}

#[test]
fn a_timer_may_end_its_runtime_within_a_limit() {
    // One of the runtime itself, and one of a blocking actor.
    for of_blocking in [false, true] {
        let runtime = runtime(1);
        let plain = runtime.spawn(Puppet::default());
        let (one, busy) = (
            runtime.spawn_blocking(Puppet::default()),
            runtime.spawn_blocking(Puppet::default()),
        );
        let (inside, entered) = mpsc::channel();
        tell(busy, move |_, _| {
            inside.send(()).unwrap();
            std::thread::sleep(Duration::from_millis(50));
        });
        entered.recv_timeout(PATIENCE).unwrap();
        let (give, given) = mpsc::channel::<Runtime>();
        let (say, hear) = mpsc::channel();
        let beat = move || -> Play {
            if let Ok(runtime) = given.try_recv() {
                say.send(runtime.shutdown_within(PATIENCE)).unwrap();
            }
            Box::new(|_, _| {})
        };
        if of_blocking {
            tell(one, move |_, cx| {
                cx.tell_every(Duration::from_millis(1), plain, beat);
            });
            sync(one);
        } else {
            runtime.tell_every(Duration::from_millis(1), plain, beat);
        }
        give.send(runtime).unwrap();
        let ended = hear.recv_timeout(PATIENCE).expect("nobody waits for itself");
        // Nobody knows what was left: that is dropped when the timer's thread has returned.
        let left = ended.unwrap_or_else(|running| panic!("{of_blocking}: {running}"));
        assert!(left.incomplete && !left.is_empty(), "{of_blocking}: {left:?}");
        while plain.is_alive() || one.is_alive() || busy.is_alive() {
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_handler_that_ends_its_runtime_hears_that_nobody_has_waited() {
    // One of the runtime itself, and one of a blocking actor.
    for blocks in [false, true] {
        let runtime = runtime(1);
        let plain = runtime.spawn(Puppet::default());
        let ends = if blocks {
            runtime.spawn_blocking(Puppet::default())
        } else {
            runtime.spawn(Puppet::default())
        };
        let (say, hear) = mpsc::channel();
        tell(ends, move |_, _| say.send(runtime.shutdown()).unwrap());
        let left = hear.recv_timeout(PATIENCE).expect("nobody waits for itself");
        assert!(left.incomplete && !left.is_empty(), "{blocks}: {left:?}");
        // A blocking actor's thread waits for the workers, but not for itself.
        assert_eq!(left.actors.values().sum::<usize>(), usize::from(blocks));
        while plain.is_alive() || ends.is_alive() {
            std::thread::yield_now();
        }
    }
}
