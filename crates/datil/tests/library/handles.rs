use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};

use datil::{Actor, Context, NameError, ReplyTo, Runtime, RuntimeHandle};

use crate::support::{Alive, PATIENCE, Puppet, on_all, runtime, sync, tell};

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
