use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};

use datil::{
    Actor, Context, NameError, ReplyTo, Restart, Runtime, RuntimeHandle, StartError, Strategy, Supervisor,
};

use crate::support::{Alive, PATIENCE, Play, Puppet, on_all, runtime, sync, tell};

/// Is counted, and never stops by itself.
struct Witness(#[expect(dead_code, reason = "its drop counts")] Alive);

impl Actor for Witness {
    type Msg = ReplyTo<usize>;
    fn handle(&mut self, reply: Self::Msg, cx: &mut Context<'_, Self>) {
        reply.send(cx.worker());
    }
}

#[test]
fn threads_create_and_ask_without_the_runtime() {
    on_all(|runtime| {
        let handle = runtime.handle();
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let handle = handle.clone();
                std::thread::spawn(move || {
                    for _ in 0..50 {
                        let puppet = handle.spawn(Puppet::default()).unwrap();
                        sync(puppet);
                        puppet.stop();
                    }
                    let blocking = handle.spawn_blocking(Puppet::default()).unwrap();
                    sync(blocking);
                    blocking.stop();
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let puppet = runtime.spawn(Puppet::default());
        runtime.register("puppet", puppet).unwrap();
        assert_eq!(handle.whereis("puppet"), Ok(puppet));
        assert!(!handle.is_over());
        puppet.stop();
    });
}

/// Creates until the runtime is over; returns how many there were.
fn create(handle: &RuntimeHandle, alive: &Arc<AtomicUsize>) -> usize {
    let mut created = 0;
    loop {
        match handle.spawn(Witness(Alive::new(alive))) {
            Ok(_) => created += 1,
            Err(over) => {
                drop(over.into_actor());
                return created;
            }
        }
    }
}

#[test]
fn who_creates_during_a_shutdown_is_refused_or_in_the_report() {
    for round in 0..if cfg!(miri) { 2 } else { 40 } {
        let runtime = runtime(1 + round % 3);
        let alive = Arc::<AtomicUsize>::default();
        let (began, begun) = mpsc::channel();
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let (handle, alive, began) = (runtime.handle(), alive.clone(), began.clone());
                std::thread::spawn(move || {
                    began.send(()).unwrap();
                    create(&handle, &alive)
                })
            })
            .collect();
        (0..3).for_each(|_| begun.recv_timeout(PATIENCE).unwrap());
        let handle = runtime.handle();
        let left = runtime.shutdown();
        assert!(handle.is_over());
        // The next one may get what belonged to that one.
        let next = crate::support::runtime(2);
        let created: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        let reported: usize = left.actors.values().sum();
        assert_eq!((reported, alive.load(SeqCst)), (created, 0), "round {round}");
        next.wait_quiescent();
        assert!(next.shutdown().is_empty(), "nothing came to another runtime");
    }
}

#[test]
fn a_handle_refuses_as_soon_as_the_shutdown_has_begun() {
    let runtime = runtime(2);
    let (hold, gate) = mpsc::channel::<()>();
    let (inside, entered) = mpsc::channel();
    tell(runtime.spawn(Puppet::default()), move |_, cx| {
        inside.send(()).unwrap();
        let _ = gate.recv();
        cx.stop();
    });
    entered.recv_timeout(PATIENCE).unwrap();
    let handle = runtime.handle();
    let ending = std::thread::spawn(move || runtime.shutdown());
    while !handle.is_over() {
        std::thread::yield_now();
    }
    // A handler still runs, and nothing waits for it.
    assert!(handle.spawn(Puppet::default()).is_err());
    assert!(handle.spawn_blocking(Puppet::default()).is_err());
    drop(hold);
    assert!(ending.join().unwrap().is_empty());
    assert!(handle.spawn(Puppet::default()).is_err());
    let nobody = Err(NameError::Unknown {
        name: "nobody".into(),
    });
    assert_eq!(handle.whereis::<Puppet>("nobody"), nobody);
}

#[test]
fn a_handle_keeps_nothing_alive() {
    let alive = Arc::<AtomicUsize>::default();
    let held = Alive::new(&alive);
    let runtime = Runtime::builder()
        .workers(1)
        .on_panic(move |_| {
            let _ = &held;
        })
        .build()
        .unwrap();
    // In the state of an actor, too, whose runtime it is.
    struct Holder(#[expect(dead_code, reason = "it is held")] RuntimeHandle);
    impl Actor for Holder {
        type Msg = ();
        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
    }
    let handle = runtime.handle();
    let holder = handle.spawn(Holder(handle.clone())).unwrap();
    drop(runtime);
    assert!(!holder.is_alive() && handle.is_over());
    assert_eq!(alive.load(SeqCst), 0, "nor what the runtime held");
    assert!(format!("{handle:?}").contains("true"));
}

#[test]
fn threads_start_supervised_children_without_the_runtime() {
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 10, PATIENCE);
        let thread = std::thread::spawn({
            let (supervisor, handle) = (supervisor.clone(), runtime.handle());
            move || supervisor.start(&mut &handle, Restart::OnFailure, Puppet::default)
        });
        let child = thread.join().unwrap().unwrap();
        tell(child, |me, _| {
            me.number = 7;
            panic!("on purpose");
        });
        let number = child.ask(|reply| {
            Box::new(move |me: &mut Puppet, _: &mut Context<'_, Puppet>| reply.send(me.number)) as Play
        });
        assert_eq!(number.wait_for(PATIENCE), Ok(0));
        assert_eq!(supervisor.children(), 1);
        supervisor.stop();
    });
}

#[test]
fn a_child_that_is_started_during_a_shutdown_is_refused_or_in_the_report() {
    for round in 0..if cfg!(miri) { 2 } else { 40 } {
        let runtime = runtime(1 + round % 3);
        let supervisor = Supervisor::new(Strategy::OneForOne, 10, PATIENCE);
        let (began, begun) = mpsc::channel();
        let thread = std::thread::spawn({
            let (supervisor, handle) = (supervisor.clone(), runtime.handle());
            move || {
                began.send(()).unwrap();
                let start = || supervisor.start(&mut &handle, Restart::OnFailure, Puppet::default);
                std::iter::repeat_with(start)
                    .position(|child| child == Err(StartError::RuntimeOver))
                    .unwrap()
            }
        });
        begun.recv_timeout(PATIENCE).unwrap();
        let left = runtime.shutdown();
        let started = thread.join().unwrap();
        assert_eq!(left.actors.values().sum::<usize>(), started, "round {round}");
        assert_eq!(supervisor.children(), 0, "round {round}");
    }
}

/// Uses a supervisor when it is dropped.
struct Farewell(Supervisor);

impl Drop for Farewell {
    fn drop(&mut self) {
        assert_eq!(self.0.children(), 0);
    }
}

#[test]
fn what_a_refused_child_holds_may_use_the_supervisor() {
    let runtime = runtime(1);
    let handle = runtime.handle();
    runtime.shutdown();
    let supervisor = Supervisor::new(Strategy::OneForOne, 1, PATIENCE);
    let by_factory = Farewell(supervisor.clone());
    let factory = move || Puppet {
        kept: Some(Box::new(Farewell(by_factory.0.clone()))),
        ..Puppet::default()
    };
    let (say, hear) = mpsc::channel();
    std::thread::spawn(move || say.send(supervisor.start(&mut &handle, Restart::Always, factory)));
    let refused = hear
        .recv_timeout(PATIENCE)
        .expect("nothing is dropped under the lock");
    assert_eq!(refused, Err(StartError::RuntimeOver));
}
