use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use datil::{
    Actor, Address, AskError, Context, Mailbox, Overflow, ReplyTo, Restart, Runtime, Simulation, StartError,
    StopReason, Strategy, Supervisor, SupervisorEnd, SupervisorOver,
};

use crate::support::{Alive, PATIENCE, Puppet, on_all, runtime, sync, tell};

/// Numbered by generation; fails when told to.
struct Worker {
    generation: usize,
    heard: Vec<u32>,
    _alive: Alive,
}

enum Msg {
    Number(u32),
    Fail,
    Stop,
    State(ReplyTo<(usize, Vec<u32>)>),
}

impl Actor for Worker {
    type Msg = Msg;

    fn handle(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
        match msg {
            Msg::Number(n) => self.heard.push(n),
            Msg::Fail => panic!("on purpose"),
            Msg::Stop => cx.stop(),
            Msg::State(reply) => reply.send((self.generation, self.heard.clone())),
        }
    }
}

/// Makes workers with consecutive generations.
fn factory(alive: &Arc<AtomicUsize>) -> impl Fn() -> Worker + Send + use<> {
    let (alive, made) = (alive.clone(), AtomicUsize::new(0));
    move || Worker {
        generation: made.fetch_add(1, SeqCst),
        heard: Vec::new(),
        _alive: Alive::new(&alive),
    }
}

fn state(of: Address<Worker>) -> (usize, Vec<u32>) {
    of.ask(Msg::State).wait_for(PATIENCE).unwrap()
}

fn children(runtime: &Runtime, supervisor: &Supervisor, alive: &Arc<AtomicUsize>) -> [Address<Worker>; 3] {
    [0, 1, 2].map(|_| {
        supervisor
            .start(&mut &*runtime, Restart::OnFailure, factory(alive))
            .unwrap()
    })
}

#[test]
fn address_and_mail_survive_a_restart_and_the_bad_message_does_not() {
    let alive = Arc::default();
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 1000, PATIENCE);
        let worker = supervisor
            .start(&mut &*runtime, Restart::OnFailure, factory(&alive))
            .unwrap();
        let rounds = if cfg!(miri) { 2 } else { 100 };
        for round in 0..rounds {
            runtime.client(|client| {
                client.tell(worker, Msg::Number(1));
                client.tell(worker, Msg::Fail);
                (2..20).for_each(|n| client.tell(worker, Msg::Number(n)));
            });
            assert_eq!(state(worker), (round + 1, (2..20).collect()));
        }
        assert_eq!(runtime.metrics().total().panics, rounds as u64);
        supervisor.stop();
        assert_eq!(
            worker.ended().wait_for(PATIENCE).map(|reason| reason.is_normal()),
            Ok(false)
        );
    });
    assert_eq!(alive.load(SeqCst), 0, "each state is dropped once");
}

/// Gives itself a name and begins to watch another one whenever it starts.
struct Settler {
    other: Address<Puppet>,
    named: bool,
    ends: u32,
}

enum Deed {
    Fail,
    End,
    Report(ReplyTo<(bool, u32)>),
}

impl Actor for Settler {
    type Msg = Deed;

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        let me = cx.address();
        self.named = cx.register("settler", me).is_ok();
        cx.monitor(self.other, |_| Deed::End);
    }

    fn handle(&mut self, deed: Deed, _: &mut Context<'_, Self>) {
        match deed {
            Deed::Fail => panic!("on purpose"),
            Deed::End => self.ends += 1,
            Deed::Report(reply) => reply.send((self.named, self.ends)),
        }
    }
}

#[test]
fn names_and_monitors_survive_a_restart() {
    on_all(|runtime| {
        let other = runtime.spawn(Puppet::default());
        let supervisor = Supervisor::new(Strategy::OneForOne, 1, PATIENCE);
        let settler = supervisor
            .start(&mut &*runtime, Restart::OnFailure, move || Settler {
                other,
                named: false,
                ends: 0,
            })
            .unwrap();
        let report = || settler.ask(Deed::Report).wait_for(PATIENCE);
        assert_eq!(report(), Ok((true, 0)));
        settler.tell(Deed::Fail);
        assert_eq!(report(), Ok((false, 0)), "the name is its own still");
        assert_eq!(runtime.whereis("settler"), Ok(settler));
        other.stop();
        runtime.wait_quiescent();
        assert_eq!(report(), Ok((false, 2)), "one monitor of each life");
        supervisor.stop();
    });
}

#[test]
fn strategies_restart_those_they_name() {
    let alive = Arc::default();
    for (strategy, expected) in [
        (Strategy::OneForOne, [0, 1, 0]),
        (Strategy::OneForAll, [1, 1, 1]),
        (Strategy::RestForOne, [0, 1, 1]),
    ] {
        on_all(|runtime| {
            let supervisor = Supervisor::new(strategy, 3, PATIENCE);
            let workers = children(runtime, &supervisor, &alive);
            workers[1].tell(Msg::Fail);
            state(workers[1]);
            runtime.wait_quiescent();
            assert_eq!(workers.map(|worker| state(worker).0), expected, "{strategy:?}");
            supervisor.stop();
        });
    }
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn too_many_failures_in_the_window_end_all_children() {
    let alive = Arc::default();
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 3, PATIENCE);
        let workers = children(runtime, &supervisor, &alive);
        let ends = workers.map(Address::ended);
        (0..4).for_each(|_| workers[0].tell(Msg::Fail));
        let reasons = ends.map(|end| end.wait_for(PATIENCE).unwrap());
        assert_eq!(
            reasons,
            [
                StopReason::Panicked("on purpose".into()),
                StopReason::Supervisor,
                StopReason::Supervisor
            ]
        );
        assert!(supervisor.is_over() && supervisor.children() == 0);
        let refused = supervisor.start(&mut &*runtime, Restart::Never, factory(&alive));
        assert_eq!(refused, Err(StartError::SupervisorOver));
    });
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn failures_outside_the_window_do_not_count() {
    let alive = Arc::default();
    let runtime = runtime(1);
    let supervisor = Supervisor::new(Strategy::OneForOne, 1, Duration::from_nanos(1));
    let worker = supervisor
        .start(&mut &runtime, Restart::OnFailure, factory(&alive))
        .unwrap();
    for round in 1..10 {
        worker.tell(Msg::Fail);
        assert_eq!(state(worker).0, round);
    }
    supervisor.stop();
}

#[test]
fn kinds_of_children_differ_in_what_is_an_end() {
    let alive = Arc::default();
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 100, PATIENCE);
        let [always, on_failure, never] =
            [Restart::Always, Restart::OnFailure, Restart::Never].map(|restart| {
                supervisor
                    .start(&mut &*runtime, restart, factory(&alive))
                    .unwrap()
            });
        [always, on_failure, never]
            .iter()
            .for_each(|worker| worker.tell(Msg::Stop));
        assert_eq!(state(always).0, 1);
        for worker in [on_failure, never] {
            worker.ended().wait_for(PATIENCE).unwrap();
        }
        let never = supervisor
            .start(&mut &*runtime, Restart::Never, factory(&alive))
            .unwrap();
        let end = never.ended();
        never.tell(Msg::Fail);
        assert_eq!(
            end.wait_for(PATIENCE),
            Ok(StopReason::Panicked("on purpose".into()))
        );
        always.kill();
        assert_eq!(state(always).0, 2);
        runtime.wait_quiescent();
        assert_eq!(supervisor.children(), 1);
        supervisor.stop();
    });
}

#[test]
fn a_factory_that_fails_counts_as_a_failure() {
    let alive = Arc::default();
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 5, PATIENCE);
        let (make, calls) = (factory(&alive), AtomicUsize::new(0));
        let worker = supervisor
            .start(&mut &*runtime, Restart::OnFailure, move || {
                assert!(!(1..4).contains(&calls.fetch_add(1, SeqCst)), "on purpose");
                make()
            })
            .unwrap();
        let end = worker.ended();
        worker.tell(Msg::Fail);
        worker.tell(Msg::Number(7));
        assert_eq!(state(worker), (1, vec![7]));
        worker.tell(Msg::Fail);
        worker.tell(Msg::Fail);
        assert_eq!(
            end.wait_for(PATIENCE),
            Ok(StopReason::Panicked("on purpose".into()))
        );
        assert!(supervisor.is_over());
        // One that never succeeds again.
        let supervisor = Supervisor::new(Strategy::OneForAll, 2, PATIENCE);
        let (make, calls) = (factory(&alive), AtomicUsize::new(0));
        let worker = supervisor
            .start(&mut &*runtime, Restart::OnFailure, move || {
                assert!(calls.fetch_add(1, SeqCst) == 0, "the factory, on purpose");
                make()
            })
            .unwrap();
        let end = worker.ended();
        worker.tell(Msg::Fail);
        worker.tell(Msg::Number(1));
        assert_eq!(
            end.wait_for(PATIENCE),
            Ok(StopReason::Panicked("the factory, on purpose".into()))
        );
    });
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn a_supervisor_that_gives_up_is_restarted_by_its_parent() {
    let alive = Arc::default();
    on_all(|runtime| {
        let (parent, child) = (
            Supervisor::new(Strategy::OneForOne, 2, PATIENCE),
            Supervisor::new(Strategy::OneForOne, 1, PATIENCE),
        );
        parent.supervise(&child, Restart::OnFailure).unwrap();
        let workers = children(runtime, &child, &alive);
        workers[0].tell(Msg::Fail);
        assert_eq!(state(workers[0]).0, 1);
        // The second failure is too much for the child: all its children begin anew.
        workers[0].tell(Msg::Fail);
        state(workers[0]);
        runtime.wait_quiescent();
        assert_eq!(workers.map(|worker| state(worker).0), [2, 1, 1]);
        // Two more failures each time, until the parent has enough as well.
        let ends = workers.map(Address::ended);
        (0..4).for_each(|_| workers[1].tell(Msg::Fail));
        for end in ends {
            end.wait_for(PATIENCE).unwrap();
        }
        assert!(child.is_over() && parent.is_over());
    });
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn children_of_actors_and_boxed_states_and_hooks_that_panic() {
    struct Big([u64; 400], Arc<AtomicUsize>);
    impl Actor for Big {
        type Msg = ReplyTo<u64>;
        fn started(&mut self, _: &mut Context<'_, Self>) {
            assert!(self.1.fetch_add(1, SeqCst) > 2, "three times on purpose");
        }
        fn handle(&mut self, reply: ReplyTo<u64>, _: &mut Context<'_, Self>) {
            reply.send(self.0.iter().sum());
        }
    }
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 3, PATIENCE);
        let starts = Arc::default();
        let (reply, address) = datil::promise();
        let inner = supervisor.clone();
        let parent = runtime.spawn(crate::support::Puppet::default());
        crate::support::tell(parent, move |_, cx| {
            reply.send(
                inner
                    .start(cx, Restart::OnFailure, move || Big([2; 400], Arc::clone(&starts)))
                    .unwrap(),
            );
        });
        let big = address.wait_for(PATIENCE).unwrap();
        assert_eq!(big.ask(|reply| reply).wait_for(PATIENCE), Ok(800));
        supervisor.stop();
        parent.stop();
    });
}

#[test]
fn a_child_that_never_restarts_ends_when_its_supervisor_begins_anew() {
    let alive = Arc::default();
    on_all(|runtime| {
        let (parent, child) = (
            Supervisor::new(Strategy::OneForAll, 5, PATIENCE),
            Supervisor::new(Strategy::OneForOne, 0, PATIENCE),
        );
        parent.supervise(&child, Restart::OnFailure).unwrap();
        let start = |of: &Supervisor, restart| {
            let worker = of.start(&mut &*runtime, restart, factory(&alive)).unwrap();
            state(worker);
            worker
        };
        // The child gives up at once, and its parent restarts it.
        let failing = start(&child, Restart::OnFailure);
        let end = start(&child, Restart::Never).ended();
        failing.tell(Msg::Fail);
        assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Supervisor));
        assert_eq!(state(failing).0, 1);
        // The parent restarts it because of another of its children.
        let end = start(&child, Restart::Never).ended();
        start(&parent, Restart::OnFailure).tell(Msg::Fail);
        assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Supervisor));
        runtime.wait_quiescent();
        assert_eq!(state(failing).0, 2);
        parent.stop();
    });
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn a_refused_parent_changes_nothing_and_a_stopped_supervisor_is_no_child() {
    let alive = Arc::default();
    on_all(|runtime| {
        let [parent, other] = [0, 1].map(|_| Supervisor::new(Strategy::OneForOne, 5, PATIENCE));
        let child = Supervisor::new(Strategy::OneForOne, 0, PATIENCE);
        parent.supervise(&child, Restart::OnFailure).unwrap();
        let twice = || other.supervise(&child, Restart::OnFailure);
        let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(twice));
        assert!(refused.is_err(), "it has a parent");
        assert_eq!((parent.children(), other.children()), (1, 0));
        let worker = child
            .start(&mut &*runtime, Restart::OnFailure, factory(&alive))
            .unwrap();
        other.stop();
        worker.tell(Msg::Fail);
        assert_eq!(state(worker).0, 1, "the first parent restarts it");
        child.stop();
        assert_eq!(parent.children(), 0);
        assert_eq!(parent.supervise(&child, Restart::OnFailure), Err(SupervisorOver));
        assert_eq!(parent.children(), 0);
        worker.ended().wait_for(PATIENCE).unwrap();
    });
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn a_factory_that_goes_on_failing_holds_up_nobody() {
    let runtime = runtime(1);
    let [heard, gave_up] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let (began, [hears, gives_up]) = (Instant::now(), [&heard, &gave_up].map(Arc::clone));
    let (alive, made) = (Arc::default(), AtomicUsize::new(0));
    let supervisor = Supervisor::new(Strategy::OneForOne, usize::MAX, PATIENCE);
    let make = factory(&alive);
    let child = supervisor
        .start(&mut &runtime, Restart::OnFailure, move || {
            if made.fetch_add(1, SeqCst) > 0 && !hears.load(SeqCst) {
                if began.elapsed() < PATIENCE / 12 {
                    // Without a line for each.
                    std::panic::resume_unwind(Box::new("on purpose"));
                }
                gives_up.store(true, SeqCst);
            }
            make()
        })
        .unwrap();
    child.tell(Msg::Fail);
    let other = runtime.spawn(factory(&alive)());
    child.tell(Msg::Number(1));
    assert_eq!(state(other), (0, vec![]));
    heard.store(true, SeqCst);
    assert_eq!(state(child), (1, vec![1]));
    assert!(
        !gave_up.load(SeqCst),
        "nobody else ran before the factory gave up"
    );
    // A shutdown in the middle of that ends, too.
    heard.store(false, SeqCst);
    child.tell(Msg::Fail);
    runtime.shutdown();
    assert_eq!(alive.load(SeqCst), 0);
    assert!(!gave_up.load(SeqCst), "the shutdown had to wait");
}

/// Each runtime has a clock of its own, which begins with it.
#[test]
fn the_window_is_the_same_for_children_in_different_runtimes() {
    let alive = Arc::default();
    let window = Duration::from_millis(400);
    for _ in 0..20 {
        let older = runtime(1);
        std::thread::sleep(2 * window);
        let younger = runtime(1);
        let supervisor = Supervisor::new(Strategy::OneForOne, 1, window);
        let [first, second] = [&younger, &older].map(|mut runtime| {
            let worker = supervisor
                .start(&mut runtime, Restart::OnFailure, factory(&alive))
                .unwrap();
            state(worker);
            worker
        });
        let began = Instant::now();
        first.tell(Msg::Fail);
        assert_eq!(state(first).0, 1);
        second.tell(Msg::Fail);
        let answer = second.ask(Msg::State).wait_for(PATIENCE);
        if began.elapsed() < window {
            assert!(
                supervisor.is_over() && answer.is_err(),
                "there were two failures in the window"
            );
            return;
        }
        supervisor.stop();
    }
    panic!("two failures took longer than {window:?} each time");
}

#[test]
fn the_end_of_a_supervisor_is_told_to_all_who_watch_it() {
    let alive = Arc::default();
    on_all(|runtime| {
        for end in [SupervisorEnd::Stopped, SupervisorEnd::GaveUp] {
            let supervisor = Supervisor::new(Strategy::OneForOne, 1, PATIENCE);
            let worker = children(runtime, &supervisor, &alive)[0];
            let watcher = runtime.spawn(Puppet::default());
            let (reply, heard) = datil::promise();
            let watched = supervisor.clone();
            tell(watcher, move |_, cx| {
                cx.monitor_supervisor(&watched, |_| panic!("a monitor, on purpose"));
                cx.monitor_supervisor(&watched, move |end| Box::new(move |_, _| reply.send(end)));
            });
            sync(watcher);
            let (by_thread, by_task) = (supervisor.ended(), supervisor.ended());
            worker.tell(Msg::Fail);
            state(worker);
            assert_eq!(
                supervisor.ended().wait_for(Duration::ZERO),
                Err(AskError::TimedOut),
                "a restart is no end"
            );
            match end {
                SupervisorEnd::Stopped => supervisor.stop(),
                SupervisorEnd::GaveUp => worker.tell(Msg::Fail),
            }
            assert_eq!(by_thread.wait_for(PATIENCE), Ok(end));
            assert!(supervisor.is_over() && supervisor.children() == 0);
            assert_eq!(pollster::block_on(by_task), Ok(end));
            assert_eq!(heard.wait_for(PATIENCE), Ok(end));
            // It ends once, and says so ever after.
            supervisor.stop();
            assert_eq!(supervisor.ended().wait_for(PATIENCE), Ok(end));
            let (reply, heard) = datil::promise();
            let watched = supervisor.clone();
            tell(watcher, move |_, cx| {
                cx.monitor_supervisor(&watched, move |end| Box::new(move |_, _| reply.send(end)));
            });
            assert_eq!(heard.wait_for(PATIENCE), Ok(end));
            watcher.stop();
        }
    });
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn who_no_longer_watches_a_supervisor_is_not_told_and_keeps_nothing() {
    let alive = Arc::default();
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 0, PATIENCE);
        let watcher = runtime.spawn(Puppet::default());
        let (reply, heard) = datil::promise();
        let (watched, held) = (supervisor.clone(), Alive::new(&alive));
        tell(watcher, move |_, cx| {
            let ended = cx.monitor_supervisor(&watched, move |_| {
                drop(held);
                Box::new(|_, _| panic!("heard of it"))
            });
            cx.monitor_supervisor(&watched, move |end| Box::new(move |_, _| reply.send(end)));
            cx.demonitor_supervisor(&ended);
            // It has ended already.
            cx.demonitor_supervisor(&ended);
        });
        sync(watcher);
        assert_eq!(alive.load(SeqCst), 0, "the closure is dropped");
        supervisor.stop();
        assert_eq!(heard.wait_for(PATIENCE), Ok(SupervisorEnd::Stopped));
        sync(watcher);
        assert_eq!(runtime.metrics().total().panics, 0);
        // Of a supervisor that is gone nothing is left to end.
        tell(watcher, |_, cx| {
            let gone = Supervisor::new(Strategy::OneForOne, 0, PATIENCE);
            let monitor = cx.monitor_supervisor(&gone, |_| Box::new(|_, _| ()));
            drop(gone);
            cx.demonitor_supervisor(&monitor);
        });
        sync(watcher);
        watcher.stop();
    });
}

#[test]
fn a_child_hears_of_its_supervisor_and_a_parents_end_is_its_childrens() {
    on_all(|runtime| {
        // The child whose failure is the end watches, too; what it is told finds it gone.
        let (parent, supervisor) = (
            Supervisor::new(Strategy::OneForOne, 0, PATIENCE),
            Supervisor::new(Strategy::OneForOne, 0, PATIENCE),
        );
        parent.supervise(&supervisor, Restart::OnFailure).unwrap();
        let child = supervisor
            .start(&mut &*runtime, Restart::OnFailure, Puppet::default)
            .unwrap();
        let watched = supervisor.clone();
        tell(child, move |_, cx| {
            cx.monitor_supervisor(&watched, |_| Box::new(|_, _| panic!("heard of it")));
        });
        let (theirs, its) = (parent.ended(), supervisor.ended());
        tell(child, |_, _| panic!("on purpose"));
        assert_eq!(theirs.wait_for(PATIENCE), Ok(SupervisorEnd::GaveUp));
        assert_eq!(its.wait_for(PATIENCE), Ok(SupervisorEnd::Stopped));
        let _ = child.ended().wait_for(PATIENCE);
    });
}

#[test]
fn a_supervisor_forgets_watchers_and_is_forgotten() {
    let alive = Arc::default();
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 0, PATIENCE);
        for _ in 0..100 {
            let (watched, held) = (supervisor.clone(), Alive::new(&alive));
            let watcher = runtime.spawn(Puppet::default());
            tell(watcher, move |_, cx| {
                cx.monitor_supervisor(&watched, move |_| Box::new(move |_, _| drop(held)));
                cx.stop();
            });
            let _ = watcher.ended().wait_for(PATIENCE);
        }
        let kept = alive.load(SeqCst);
        assert!(kept < 10, "{kept} of 100 are kept");
        let end = supervisor.ended();
        drop(supervisor);
        assert_eq!(end.wait_for(PATIENCE), Err(AskError::Dropped));
        assert_eq!(alive.load(SeqCst), 0);
    });
}

#[test]
fn children_that_end_with_their_runtime_are_none_any_more() {
    let supervisor = Supervisor::new(Strategy::OneForOne, 3, PATIENCE);
    let stays = runtime(1);
    let start = |runtime: &Runtime| supervisor.start(&mut &*runtime, Restart::Always, Puppet::default);
    let kept = start(&stays).unwrap();
    let ends = runtime(2);
    let lost = [(); 3].map(|()| start(&ends).unwrap());
    assert_eq!(supervisor.children(), 4);
    drop(ends.shutdown());
    assert_eq!(supervisor.children(), 1);
    assert!(kept.is_alive() && lost.iter().all(|child| !child.is_alive()));
    // Those that live on the thread of a blocking actor end with it.
    let blocked = stays.spawn_blocking(Puppet::default());
    let theirs = supervisor.clone();
    tell(blocked, move |_, cx| {
        theirs.start(cx, Restart::Always, Puppet::default).unwrap();
    });
    sync(blocked);
    assert_eq!(supervisor.children(), 2);
    blocked.stop();
    stays.wait_quiescent();
    assert_eq!(supervisor.children(), 1);
    drop(stays.shutdown());
    assert_eq!(supervisor.children(), 0);
}

/// Takes one message at a time; one too many stops it.
struct Narrow;

impl Actor for Narrow {
    type Msg = ();
    const MAILBOX: Mailbox = Mailbox::Bounded {
        capacity: 1,
        overflow: Overflow::Stop,
    };
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

#[test]
fn an_overflow_is_one_failure_however_many_messages_are_refused() {
    for seed in 0..20 {
        let simulation = Simulation::new(seed, 2).unwrap();
        let supervisor = Supervisor::new(Strategy::OneForOne, 2, PATIENCE);
        let made = Arc::new(AtomicUsize::new(0));
        let count = made.clone();
        let factory = move || {
            count.fetch_add(1, SeqCst);
            Narrow
        };
        let narrow = supervisor
            .start(&mut &simulation, Restart::OnFailure, factory)
            .unwrap();
        for overflows in 1..=2 {
            (0..10).for_each(|_| narrow.tell(()));
            simulation.settle();
            assert_eq!(made.load(SeqCst), 1 + overflows, "seed {seed}");
        }
        (0..10).for_each(|_| narrow.tell(()));
        simulation.settle();
        assert!(
            supervisor.is_over() && !narrow.is_alive(),
            "the third is one too many"
        );
        assert!(simulation.shutdown().is_empty());
    }
}

#[test]
fn an_end_is_one_however_often_it_was_asked_for() {
    for seed in 0..20 {
        let simulation = Simulation::new(seed, 2).unwrap();
        let supervisor = Supervisor::new(Strategy::OneForOne, 6, PATIENCE);
        let made = Arc::new(AtomicUsize::new(0));
        let begin = |restart| {
            let count = made.clone();
            let factory = move || {
                count.fetch_add(1, SeqCst);
                Puppet::default()
            };
            made.store(0, SeqCst);
            supervisor.start(&mut &simulation, restart, factory).unwrap()
        };
        let starts = |child, play: fn(&mut Puppet, &mut Context<'_, Puppet>)| {
            tell(child, play);
            simulation.settle();
            made.load(SeqCst)
        };
        let always = begin(Restart::Always);
        let stops = starts(always, |_, cx| (0..5).for_each(|_| cx.address().stop()));
        assert_eq!(stops, 2, "seed {seed}");
        let both = starts(always, |_, cx| {
            cx.address().stop();
            cx.stop();
        });
        assert_eq!(both, 3, "seed {seed}");
        let on_failure = begin(Restart::OnFailure);
        let kills = starts(on_failure, |_, cx| (0..5).for_each(|_| cx.address().kill()));
        assert_eq!(kills, 2, "seed {seed}");
        let both = starts(on_failure, |_, cx| {
            (0..5).for_each(|_| cx.address().kill());
            panic!("on purpose");
        });
        assert_eq!(both, 3, "seed {seed}");
        (0..5).for_each(|_| on_failure.kill());
        assert_eq!(starts(on_failure, |_, _| ()), 4, "seed {seed}");
        assert!(!supervisor.is_over() && always.is_alive(), "there were five ends");
        // What is still to come is not forgotten.
        starts(on_failure, |_, cx| {
            cx.address().stop();
            panic!("on purpose");
        });
        assert!(!on_failure.is_alive(), "seed {seed}");
    }
}

#[test]
fn who_fails_when_it_was_to_begin_anew_anyway_is_not_counted_again() {
    let runtime = runtime(2);
    for strategy in [Strategy::OneForAll, Strategy::RestForOne] {
        let supervisor = Supervisor::new(strategy, 1, PATIENCE);
        let made = [0, 1].map(|_| Arc::new(AtomicUsize::new(0)));
        let start = |count: &Arc<AtomicUsize>| {
            let count = count.clone();
            let factory = move || {
                count.fetch_add(1, SeqCst);
                Puppet::default()
            };
            supervisor
                .start(&mut &runtime, Restart::OnFailure, factory)
                .unwrap()
        };
        let [first, second] = [start(&made[0]), start(&made[1])];
        let (reply, begun) = datil::promise();
        let firsts = made[0].clone();
        tell(second, move |_, _| {
            reply.send(());
            let until = Instant::now() + PATIENCE;
            while firsts.load(SeqCst) < 2 && Instant::now() < until {
                std::thread::yield_now();
            }
            panic!("on purpose");
        });
        begun.wait_for(PATIENCE).unwrap();
        tell(first, |_, _| panic!("on purpose"));
        [first, second].into_iter().for_each(sync);
        runtime.wait_quiescent();
        let made = made.map(|count| count.load(SeqCst));
        assert_eq!((made, supervisor.is_over()), ([2, 2], false), "{strategy:?}");
        supervisor.stop();
    }
    runtime.wait_quiescent();
    assert!(runtime.shutdown().is_empty());
}

#[test]
fn blocking_children_begin_anew_on_their_threads() {
    let alive = Arc::default();
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 3, PATIENCE);
        let child = supervisor
            .start_blocking(&mut &*runtime, Restart::OnFailure, factory(&alive))
            .unwrap();
        runtime.register("child", child).unwrap();
        child.tell(Msg::Number(1));
        assert_eq!(state(child), (0, vec![1]));
        // Its address, its name and its mail stay.
        let mail = [Msg::Fail, Msg::Number(2), Msg::Number(3)];
        mail.into_iter().for_each(|msg| child.tell(msg));
        assert_eq!(state(child), (1, vec![2, 3]));
        assert_eq!(runtime.whereis::<Worker>("child"), Ok(child));
        assert_eq!(supervisor.children(), 1);
        // Its thread ends when it has ended for good.
        let end = child.ended();
        child.tell(Msg::Stop);
        assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Stopped));
        runtime.wait_quiescent();
        assert_eq!(supervisor.children(), 0);
    });
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn blocking_children_begin_anew_and_stop_together_with_others() {
    let alive = Arc::default();
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForAll, 2, PATIENCE);
        let plain = (supervisor.start(&mut &*runtime, Restart::OnFailure, factory(&alive))).unwrap();
        let (maker, (reply, made)) = (runtime.spawn(Puppet::default()), datil::promise());
        let (of_handler, theirs) = (factory(&alive), supervisor.clone());
        tell(maker, move |_, cx| {
            reply.send(theirs.start_blocking(cx, Restart::OnFailure, of_handler));
            cx.stop();
        });
        let of_handler = made.wait_for(PATIENCE).unwrap().unwrap();
        let (handle, of_handle) = (runtime.handle(), factory(&alive));
        let of_handle = (supervisor.start_blocking(&mut &handle, Restart::OnFailure, of_handle)).unwrap();
        let all = [plain, of_handler, of_handle];
        for (generation, failing) in [(1, plain), (2, of_handle)] {
            failing.tell(Msg::Fail);
            while all.iter().any(|&child| state(child).0 != generation) {
                std::thread::yield_now();
            }
        }
        let ends = all.map(Address::ended);
        of_handler.tell(Msg::Fail);
        assert_eq!(supervisor.ended().wait_for(PATIENCE), Ok(SupervisorEnd::GaveUp));
        let reasons = ends.map(|end| end.wait_for(PATIENCE).unwrap());
        assert!(reasons.iter().all(|reason| !reason.is_normal()), "{reasons:?}");
    });
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn blocking_children_are_refused_and_left_like_others() {
    let (alive, supervisor) = (Arc::default(), Supervisor::new(Strategy::OneForOne, 3, PATIENCE));
    let runtime = runtime(1);
    let handle = runtime.handle();
    let start =
        |supervisor: &Supervisor| supervisor.start_blocking(&mut &handle, Restart::Always, factory(&alive));
    let left = start(&supervisor).unwrap();
    let over = Supervisor::new(Strategy::OneForOne, 3, PATIENCE);
    over.stop();
    assert_eq!(start(&over), Err(StartError::SupervisorOver));
    assert_eq!(runtime.shutdown().actors.values().sum::<usize>(), 1);
    assert!(!left.is_alive());
    assert_eq!(supervisor.children(), 0);
    assert_eq!(start(&supervisor), Err(StartError::RuntimeOver));
    assert_eq!((supervisor.children(), alive.load(SeqCst)), (0, 0));
}
