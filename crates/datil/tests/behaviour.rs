//! What datil promises, one promise per test.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use datil::policy::{Policy, WorkSharing};
use datil::{Actor, Address, BuildError, Context, Runtime};

const SMALL: bool = cfg!(miri);

fn runtime(workers: usize) -> Runtime {
    Runtime::builder().workers(workers).build().unwrap()
}

/// Does what its messages say.
struct Puppet {
    _alive: Alive,
}

type Play = Box<dyn FnOnce(&mut Context<'_, Puppet>) + Send>;

impl Actor for Puppet {
    type Msg = Play;
    fn handle(&mut self, play: Play, cx: &mut Context<'_, Self>) {
        play(cx);
    }
}

/// Counts how many of its kind exist.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, SeqCst);
        Self(count.clone())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        assert!(self.0.fetch_sub(1, SeqCst) > 0, "dropped twice");
    }
}

fn puppet(alive: &Arc<AtomicUsize>) -> Puppet {
    Puppet {
        _alive: Alive::new(alive),
    }
}

#[test]
fn a_panic_stops_its_actor_only_and_is_reported() {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let sink = reports.clone();
    let runtime = Runtime::builder()
        .workers(1)
        .on_panic(move |info| {
            sink.lock()
                .unwrap()
                .push((info.actor.to_owned(), info.message.to_owned()))
        })
        .build()
        .unwrap();
    let alive = Arc::default();
    let (victim, bystander) = (runtime.spawn(puppet(&alive)), runtime.spawn(puppet(&alive)));
    let (tx, rx) = mpsc::channel();
    runtime.client(|client| {
        client.tell(victim, Box::new(|_| panic!("on purpose")));
        client.tell(
            victim,
            Box::new(|_| unreachable!("a panicked actor handles nothing")),
        );
    });
    bystander.tell(Box::new(move |_| tx.send(7).unwrap()));
    assert_eq!(rx.recv(), Ok(7));
    runtime.wait_quiescent();
    assert_eq!(
        *reports.lock().unwrap(),
        [("behaviour::Puppet".to_owned(), "on purpose".to_owned())]
    );
    let total = runtime.metrics().total();
    assert_eq!((total.panics, total.dead_letters, total.messages), (1, 1, 2));
    assert_eq!(alive.load(SeqCst), 1);
}

#[test]
fn panics_in_destructors_and_start_and_stop_are_contained() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("destructor");
        }
    }
    struct Fragile {
        at: u8,
        _bomb: Option<Bomb>,
    }
    impl Actor for Fragile {
        type Msg = Option<Bomb>;
        fn started(&mut self, cx: &mut Context<'_, Self>) {
            assert!(self.at != 0, "started");
            cx.stop();
        }
        fn handle(&mut self, _: Option<Bomb>, _: &mut Context<'_, Self>) {
            unreachable!("it stops before");
        }
        fn stopped(&mut self, _: &mut Context<'_, Self>) {
            assert!(self.at != 1, "stopped");
        }
    }
    let runtime = runtime(1);
    // A state that panics when it is dropped: at the end of an actor, and of an actor that has panicked already.
    for at in 0..=2 {
        runtime.spawn(Fragile {
            at,
            _bomb: Some(Bomb),
        });
    }
    // Messages that panic when they are dropped: in a mailbox at the end, and at an address that is dead.
    let receiver = runtime.client(|client| {
        let receiver = client.spawn(Fragile { at: 2, _bomb: None });
        client.tell(receiver, Some(Bomb));
        client.tell(receiver, Some(Bomb));
        receiver
    });
    runtime.wait_quiescent();
    runtime.client(|client| client.tell(receiver, Some(Bomb)));
    let (tx, rx) = mpsc::channel();
    runtime
        .spawn(puppet(&Arc::default()))
        .tell(Box::new(move |_| tx.send(()).unwrap()));
    rx.recv().unwrap();
    runtime.wait_quiescent();
    let total = runtime.metrics().total();
    assert_eq!((total.panics, total.dead_letters), (2 + 3 + 3, 3));
    assert!(runtime.shutdown().actors.len() == 1, "only the puppet is left");
}

#[test]
fn shutdown_reports_and_drops_what_is_left() {
    let runtime = runtime(2);
    let alive = Arc::default();
    let left: Vec<_> = (0..10).map(|_| runtime.spawn(puppet(&alive))).collect();
    let stopped = runtime.spawn(puppet(&alive));
    stopped.tell(Box::new(|cx| cx.stop()));
    runtime.wait_quiescent();
    // A handler that ends only when the shutdown has begun keeps the messages behind it in their mailbox.
    let (started_tx, started) = mpsc::channel();
    let go_on = Arc::new(AtomicBool::new(false));
    let flag = go_on.clone();
    left[0].tell(Box::new(move |_| {
        started_tx.send(()).unwrap();
        while !flag.load(SeqCst) {
            std::thread::yield_now();
        }
        // The worker looks at the stop between activations; the batch goes on, so this one ends the actor's batch for good.
        panic!("on purpose");
    }));
    started.recv().unwrap();
    let counted: Arc<AtomicUsize> = Arc::default();
    for _ in 0..5 {
        let token = Alive::new(&counted);
        left[0].tell(Box::new(move |_| drop(token)));
    }
    go_on.store(true, SeqCst);
    let report = runtime.shutdown();
    assert_eq!(report.actors.get("behaviour::Puppet"), Some(&9), "{report}");
    assert_eq!(alive.load(SeqCst), 0, "every state is dropped exactly once");
    assert_eq!(counted.load(SeqCst), 0, "every message is dropped exactly once");
}

#[test]
fn addresses_outlive_actor_and_runtime() {
    let runtime_1 = runtime(2);
    let alive = Arc::default();
    let addresses: Vec<_> = (0..50).map(|_| runtime_1.spawn(puppet(&alive))).collect();
    drop(runtime_1);
    let runtime_2 = runtime(2);
    let heirs: Vec<_> = (0..500).map(|_| runtime_2.spawn(puppet(&alive))).collect();
    let before = runtime_2.metrics().outside_dead_letters;
    for &address in &addresses {
        address.tell(Box::new(|_| unreachable!("this actor is gone")));
    }
    heirs[0].tell(Box::new(move |cx| {
        addresses
            .iter()
            .for_each(|&address| cx.tell(address, Box::new(|_| unreachable!("this actor is gone"))));
    }));
    runtime_2.wait_quiescent();
    // Other tests of this process may add to the process-wide count.
    assert!(runtime_2.metrics().outside_dead_letters >= before + 50);
    assert_eq!(runtime_2.metrics().total().dead_letters, 50);
    assert_eq!(runtime_2.shutdown().actors["behaviour::Puppet"], 500);
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn no_address_ever_matches_a_later_actor() {
    /// Spawns a successor and dies, so that one cell is used again and again, past the range of a generation.
    struct Mayfly {
        left: u32,
        first: Option<Address<Mayfly>>,
        done: mpsc::Sender<()>,
    }
    impl Actor for Mayfly {
        type Msg = u32;
        const EAGER: bool = false;
        fn handle(&mut self, left: u32, cx: &mut Context<'_, Self>) {
            assert_eq!(left, self.left, "a message for a former actor of this cell");
            let first = self.first.unwrap_or(cx.address());
            if first != cx.address() {
                cx.tell(first, u32::MAX);
            }
            if left == 0 {
                self.done.send(()).unwrap();
            } else {
                // The successor is made when this cell is free: by the next message to a fresh actor.
                let next = cx.spawn(Mayfly {
                    left: left - 1,
                    first: Some(first),
                    done: self.done.clone(),
                });
                cx.tell(next, left - 1);
            }
            cx.stop();
        }
    }
    let lives = if SMALL { 100 } else { 3 * 65_536 };
    let runtime = runtime(1);
    let (done, end) = mpsc::channel();
    runtime
        .spawn(Mayfly {
            left: lives,
            first: None,
            done,
        })
        .tell(lives);
    end.recv().unwrap();
    runtime.wait_quiescent();
    assert_eq!(runtime.metrics().total().dead_letters, u64::from(lives));
}

#[test]
fn every_shape_of_message_and_state_arrives_intact() {
    #[repr(align(64))]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Aligned(u8);

    struct Holder<M: Send + PartialEq + std::fmt::Debug + 'static, const SIZE: usize> {
        ballast: [u8; SIZE],
        expected: Vec<M>,
        done: mpsc::Sender<()>,
    }
    impl<M: Send + PartialEq + std::fmt::Debug + 'static, const SIZE: usize> Actor for Holder<M, SIZE> {
        type Msg = M;
        fn handle(&mut self, msg: M, cx: &mut Context<'_, Self>) {
            assert!(
                self.ballast.iter().all(|&byte| byte == 0xA5),
                "the state was overwritten"
            );
            assert_eq!(msg, self.expected.remove(0));
            if self.expected.is_empty() {
                self.done.send(()).unwrap();
                cx.stop();
            }
        }
    }
    fn check<M: Send + PartialEq + std::fmt::Debug + Clone + 'static, const SIZE: usize>(
        runtime: &Runtime,
        make: impl Fn(usize) -> M,
    ) {
        let count = if SMALL { 40 } else { 300 };
        for from_client in [false, true] {
            let (done, end) = mpsc::channel();
            let expected: Vec<M> = (0..count).map(&make).collect();
            let holder = Holder {
                ballast: [0xA5; SIZE],
                expected: expected.clone(),
                done,
            };
            if from_client {
                runtime.client(|client| {
                    let to = client.spawn(holder);
                    expected.into_iter().enumerate().for_each(|(i, msg)| {
                        if i == 20 {
                            client.flush();
                        }
                        client.tell(to, msg);
                    });
                });
            } else {
                let to = runtime.spawn(holder);
                expected.into_iter().for_each(|msg| to.tell(msg));
            }
            end.recv().expect("no assertion failed");
        }
    }
    let runtime = runtime(2);
    check::<(), 0>(&runtime, |_| ());
    check::<u8, 1>(&runtime, |i| i as u8);
    check::<[u8; 3], 8>(&runtime, |i| [i as u8; 3]);
    check::<u64, 8>(&runtime, |i| i as u64);
    check::<(u64, u8), 40>(&runtime, |i| (i as u64, 1));
    check::<[u64; 3], 100>(&runtime, |i| [i as u64; 3]);
    check::<[u64; 4], 700>(&runtime, |i| [i as u64; 4]);
    check::<[u64; 5], 800>(&runtime, |i| [i as u64; 5]);
    check::<[u64; 30], 5000>(&runtime, |i| [i as u64; 30]);
    check::<[u64; 31], 8>(&runtime, |i| [i as u64; 31]);
    check::<[u64; 200], 8>(&runtime, |i| [i as u64; 200]);
    check::<u128, 8>(&runtime, |i| i as u128);
    check::<Aligned, 8>(&runtime, |i| Aligned(i as u8));
    check::<String, 8>(&runtime, |i| format!("message {i}"));
    check::<Option<Box<u64>>, 8>(&runtime, |i| (i % 2 == 0).then(|| Box::new(i as u64)));
}

#[test]
fn start_and_stop_run_once_and_in_order() {
    struct Recorder {
        log: Arc<Mutex<Vec<&'static str>>>,
    }
    impl Actor for Recorder {
        type Msg = bool;
        fn started(&mut self, _: &mut Context<'_, Self>) {
            self.log.lock().unwrap().push("started");
        }
        fn handle(&mut self, stop: bool, cx: &mut Context<'_, Self>) {
            self.log.lock().unwrap().push("handled");
            if stop {
                cx.stop();
                cx.stop();
            }
        }
        fn stopped(&mut self, cx: &mut Context<'_, Self>) {
            self.log.lock().unwrap().push("stopped");
            let me = cx.address();
            cx.tell(me, false);
        }
    }
    impl Drop for Recorder {
        fn drop(&mut self) {
            self.log.lock().unwrap().push("dropped");
        }
    }
    let runtime = runtime(1);
    let log = Arc::new(Mutex::new(Vec::new()));
    let recorder = runtime.spawn(Recorder { log: log.clone() });
    runtime.wait_quiescent();
    assert_eq!(
        *log.lock().unwrap(),
        ["started"],
        "an eager actor starts without a message"
    );
    recorder.tell(false);
    recorder.tell(true);
    recorder.tell(false);
    runtime.wait_quiescent();
    assert_eq!(
        *log.lock().unwrap(),
        ["started", "handled", "handled", "stopped", "dropped"]
    );
}

#[test]
fn a_lazy_actor_starts_with_its_first_message() {
    struct Lazy(mpsc::Sender<&'static str>);
    impl Actor for Lazy {
        type Msg = ();
        const EAGER: bool = false;
        fn started(&mut self, _: &mut Context<'_, Self>) {
            self.0.send("started").unwrap();
        }
        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
            self.0.send("handled").unwrap();
        }
    }
    let runtime = runtime(1);
    let (tx, rx) = mpsc::channel();
    let by_hand = runtime.spawn(Lazy(tx.clone()));
    let by_client = runtime.client(|client| client.spawn(Lazy(tx)));
    runtime.wait_quiescent();
    assert!(rx.try_recv().is_err());
    for address in [by_hand, by_client] {
        address.tell(());
        assert_eq!((rx.recv(), rx.recv()), (Ok("started"), Ok("handled")));
    }
}

#[test]
fn quiescence_is_not_announced_while_a_message_travels() {
    struct Runner {
        next: Option<Address<Runner>>,
        hops: Arc<AtomicU64>,
    }
    enum Msg {
        Next(Address<Runner>),
        Run(u64),
    }
    impl Actor for Runner {
        type Msg = Msg;
        fn handle(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
            match msg {
                Msg::Next(next) => self.next = Some(next),
                Msg::Run(left) => {
                    self.hops.fetch_add(1, SeqCst);
                    if left > 0 {
                        cx.tell(self.next.unwrap(), Msg::Run(left - 1));
                    }
                }
            }
        }
    }
    // Work sharing never adopts, so the token crosses between workers, through their sleep, all the time.
    for policy in ["work-sharing", "hostile", "adaptive"] {
        let runtime = Runtime::builder().workers(3).policy(policy).build().unwrap();
        let hops: Arc<AtomicU64> = Arc::default();
        let ring: Vec<_> = (0..9)
            .map(|_| {
                runtime.spawn(Runner {
                    next: None,
                    hops: hops.clone(),
                })
            })
            .collect();
        for i in 0..ring.len() {
            ring[i].tell(Msg::Next(ring[(i + 1) % ring.len()]));
        }
        let length = if SMALL { 10 } else { 200 };
        for round in 1..=10 {
            ring[0].tell(Msg::Run(length - 1));
            runtime.wait_quiescent();
            assert_eq!(
                hops.load(SeqCst),
                round * length,
                "{policy}: quiescence was announced too early"
            );
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(miri, ignore = "no affinity under miri")]
fn eight_workers_on_one_cpu() {
    // The affinity of the thread that builds the runtime is inherited by its workers.
    std::thread::spawn(|| {
        // SAFETY: a zeroed set is an empty one; the calls read and write only this set.
        unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::sched_getaffinity(0, size_of_val(&set), &mut set);
            let first = (0..libc::CPU_SETSIZE as usize)
                .find(|&cpu| libc::CPU_ISSET(cpu, &set))
                .unwrap();
            libc::CPU_ZERO(&mut set);
            libc::CPU_SET(first, &mut set);
            assert_eq!(libc::sched_setaffinity(0, size_of_val(&set), &set), 0);
        }
        for policy in datil::policy::NAMES {
            let runtime = Runtime::builder().workers(8).policy(policy).build().unwrap();
            let alive: Arc<AtomicUsize> = Arc::default();
            let handled: Arc<AtomicUsize> = Arc::default();
            runtime.client(|client| {
                for _ in 0..200 {
                    let actor = client.spawn(puppet(&alive));
                    for i in 0..50 {
                        let handled = handled.clone();
                        client.tell(
                            actor,
                            Box::new(move |cx| {
                                handled.fetch_add(1, SeqCst);
                                if i == 49 {
                                    cx.stop();
                                }
                            }),
                        );
                    }
                }
            });
            runtime.wait_quiescent();
            assert_eq!(
                (handled.load(SeqCst), alive.load(SeqCst)),
                (10_000, 0),
                "{policy}"
            );
        }
    })
    .join()
    .unwrap();
}

#[test]
fn idle_workers_sleep_and_stay_asleep() {
    let runtime = runtime(4);
    runtime.spawn(puppet(&Arc::default()));
    runtime.wait_quiescent();
    // Everybody gets to the futex; from then on nothing happens, so nobody can have woken up and gone to sleep again.
    let parked = || {
        runtime
            .metrics()
            .workers
            .iter()
            .map(|worker| worker.parks)
            .collect::<Vec<_>>()
    };
    while parked().contains(&0) {
        std::thread::yield_now();
    }
    // A worker that watches the inbox gives that up when nothing happens, on a busy machine not soon. A futex may return
    // for no reason; a worker that polls would do so thousands of times whenever one looks.
    let stayed_asleep = |_| {
        let before = (parked(), runtime.metrics().total().activations);
        std::thread::sleep(std::time::Duration::from_millis(if SMALL { 1 } else { 300 }));
        let after = (parked(), runtime.metrics().total().activations);
        after.0.iter().sum::<u64>() <= before.0.iter().sum::<u64>() + 4 && after.1 == before.1
    };
    assert!((0..100).any(stayed_asleep), "{:?}", runtime.metrics());
}

#[test]
fn a_message_from_outside_wakes_sleeping_workers_every_time() {
    let runtime = runtime(2);
    let alive = Arc::default();
    let (a, b) = (runtime.spawn(puppet(&alive)), runtime.spawn(puppet(&alive)));
    let (tx, rx) = mpsc::channel();
    for i in 0..if SMALL { 20 } else { 3000 } {
        let tx = tx.clone();
        let to = if i % 2 == 0 { a } else { b };
        to.tell(Box::new(move |_| tx.send(i).unwrap()));
        assert_eq!(rx.recv(), Ok(i));
    }
}

#[test]
fn runtimes_write_to_each_other() {
    let (one, two) = (runtime(1), runtime(2));
    let alive = Arc::default();
    let (tx, rx) = mpsc::channel();
    let far = two.spawn(puppet(&alive));
    for i in 0..100 {
        let tx = tx.clone();
        one.spawn(puppet(&alive)).tell(Box::new(move |cx| {
            cx.tell(far, Box::new(move |_| tx.send(i).unwrap()));
            cx.stop();
        }));
    }
    let mut got: Vec<i32> = rx.iter().take(100).collect();
    got.sort_unstable();
    assert_eq!(got, (0..100).collect::<Vec<_>>());
    // It has one worker only, so what it adopted would be the other's. The other's two may adopt from each other.
    assert_eq!(
        one.metrics().total().adoptions,
        0,
        "actors do not leave their runtime"
    );
}

#[test]
fn an_actor_may_use_and_drop_runtimes() {
    let outer = runtime(1);
    let (tx, rx) = mpsc::channel();
    let (done, left) = (tx.clone(), tx.clone());
    outer.spawn(puppet(&Arc::default())).tell(Box::new(move |_| {
        let inner = runtime(1);
        let alive = Arc::default();
        // On a worker's thread a client takes effect at once.
        inner.client(|client| {
            let actor = client.spawn(puppet(&alive));
            client.tell(actor, Box::new(move |_| done.send(1).unwrap()));
        });
        inner.wait_quiescent();
        inner.shutdown();
        // Told, not asserted: a panic here would be the actor's own.
        left.send(alive.load(SeqCst)).unwrap();
    }));
    assert_eq!((rx.recv(), rx.recv()), (Ok(1), Ok(0)));
    // An actor that owns its own runtime and drops it from inside.
    let owner = runtime(1);
    let actor = owner.spawn(puppet(&Arc::default()));
    actor.tell(Box::new(move |_| {
        drop(owner);
        tx.send(2).unwrap();
    }));
    assert_eq!(rx.recv(), Ok(2));
}

#[test]
fn client_scopes_nest_and_mix_with_plain_sends() {
    let runtime = runtime(2);
    let log: Arc<Mutex<Vec<u32>>> = Arc::default();
    let note = |n: u32| -> Play {
        let log = log.clone();
        Box::new(move |_| log.lock().unwrap().push(n))
    };
    runtime.client(|outer| {
        let actor = outer.spawn(puppet(&Arc::default()));
        outer.tell(actor, note(0));
        runtime.client(|inner| inner.tell(actor, note(1)));
        actor.tell(note(2));
        outer.tell(actor, note(3));
        outer.flush();
        outer.tell(actor, note(4));
        actor.tell(note(5));
    });
    runtime.wait_quiescent();
    assert_eq!(*log.lock().unwrap(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_plain_send_inside_a_scope_arrives_at_once() {
    let runtime = runtime(1);
    runtime.client(|client| {
        let actor = client.spawn(puppet(&Arc::default()));
        let (tx, rx) = mpsc::channel();
        actor.tell(Box::new(move |_| tx.send(1).unwrap()));
        // Without a flush of its own this would wait for ever.
        assert_eq!(rx.recv(), Ok(1));
    });
}

/// What the client sent first is there first, also for actors that it creates and that run at once on another worker.
#[test]
fn what_a_scope_sent_is_delivered_before_its_new_actors_run() {
    /// Makes the delivery take long.
    struct Slow;
    impl Drop for Slow {
        fn drop(&mut self) {
            std::thread::sleep(std::time::Duration::from_millis(3));
        }
    }
    let (rounds, actors) = if SMALL { (2, 70) } else { (30, 200) };
    // One that routes reads the machine's files, which miri has not.
    let policies: &[_] = if cfg!(miri) {
        &["adaptive", "work-sharing"]
    } else {
        &["adaptive", "work-sharing", "lgs"]
    };
    for policy in policies {
        let runtime = Runtime::builder().workers(2).policy(policy).build().unwrap();
        let gone = runtime.spawn(puppet(&Arc::default()));
        gone.tell(Box::new(|cx| cx.stop()));
        let judge = runtime.spawn(puppet(&Arc::default()));
        let overtaken = Arc::new(AtomicUsize::new(0));
        for _ in 0..rounds {
            runtime.wait_quiescent();
            let told = Arc::new(AtomicBool::new(false));
            runtime.client(|client| {
                let slow = Slow;
                client.tell(gone, Box::new(move |_| drop(slow)));
                let tell = told.clone();
                client.tell(judge, Box::new(move |_| tell.store(true, SeqCst)));
                for _ in 0..actors {
                    let fresh = client.spawn(puppet(&Arc::default()));
                    let (told, overtaken) = (told.clone(), overtaken.clone());
                    let look: Play = Box::new(move |_| {
                        overtaken.fetch_add(usize::from(!told.load(SeqCst)), SeqCst);
                    });
                    let ask: Play = Box::new(move |cx| {
                        cx.tell(judge, look);
                        cx.stop();
                    });
                    client.tell(fresh, ask);
                }
            });
        }
        runtime.wait_quiescent();
        assert_eq!(overtaken.load(SeqCst), 0, "under {policy}");
    }
}

/// A message to a runtime that is just being shut down is dropped in the middle of a scope, and its destructor sends. What is wrong with entering the scope
/// twice at a time only miri sees.
#[test]
fn a_destructor_may_send_inside_a_scope() {
    /// Holds the shutdown up at the first of its kind: the runtime accepts nothing any more, and the others are still there.
    struct Door(mpsc::Sender<()>, Arc<Mutex<mpsc::Receiver<()>>>);
    impl Drop for Door {
        fn drop(&mut self) {
            self.0.send(()).unwrap();
            assert!(self.1.lock().unwrap().recv().is_err(), "the other side is gone");
        }
    }
    impl Actor for Door {
        type Msg = Will;
        fn handle(&mut self, _: Will, _: &mut Context<'_, Self>) {}
    }
    struct Will(Address<Puppet>, Arc<AtomicUsize>);
    impl Drop for Will {
        fn drop(&mut self) {
            let count = self.1.clone();
            self.0.tell(Box::new(move |_| {
                count.fetch_add(1, SeqCst);
            }));
        }
    }
    let (here, there) = (runtime(1), runtime(1));
    let heir = here.spawn(puppet(&Arc::default()));
    let (closed, is_closed) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel();
    let may_go_on = Arc::new(Mutex::new(may_go_on));
    let doors: Vec<_> = (0..8)
        .map(|_| there.spawn(Door(closed.clone(), may_go_on.clone())))
        .collect();
    there.wait_quiescent();
    let end = std::thread::spawn(move || there.shutdown());
    is_closed.recv().unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    here.client(|client| {
        for &door in &doors {
            client.tell(heir, Box::new(|_| ()));
            client.tell(door, Will(heir, count.clone()));
        }
    });
    drop(go_on);
    end.join().unwrap();
    here.wait_quiescent();
    assert_eq!(count.load(SeqCst), doors.len());
}

#[test]
fn a_scope_inside_another_hands_over_at_its_end() {
    let runtime = runtime(1);
    runtime.client(|_| {
        let (tx, rx) = mpsc::channel();
        runtime.client(|inner| {
            let actor = inner.spawn(puppet(&Arc::default()));
            inner.tell(actor, Box::new(move |_| tx.send(1).unwrap()));
        });
        assert_eq!(rx.recv_timeout(std::time::Duration::from_secs(10)), Ok(1));
    });
}

#[test]
fn a_scope_that_panics_still_hands_over() {
    let runtime = runtime(1);
    let (tx, rx) = mpsc::channel();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        runtime.client(|client| {
            let actor = client.spawn(puppet(&Arc::default()));
            client.tell(actor, Box::new(move |_| tx.send(()).unwrap()));
            panic!("on purpose");
        })
    }));
    assert!(result.is_err());
    assert_eq!(rx.recv(), Ok(()));
    runtime.client(|_| ());
}

#[test]
fn a_destructor_may_send_and_spawn_nothing_twice() {
    struct Will {
        heir: Address<Puppet>,
        sent: mpsc::Sender<()>,
    }
    impl Drop for Will {
        fn drop(&mut self) {
            let sent = self.sent.clone();
            self.heir.tell(Box::new(move |_| sent.send(()).unwrap()));
        }
    }
    let runtime = runtime(2);
    let heir = runtime.spawn(puppet(&Arc::default()));
    let (sent, received) = mpsc::channel();
    let testator = runtime.spawn(puppet(&Arc::default()));
    let will = Will { heir, sent };
    // The message is dropped unhandled behind the stop, and its destructor sends in the middle of the actor's end.
    runtime.client(|client| {
        client.tell(testator, Box::new(|cx| cx.stop()));
        client.tell(testator, Box::new(move |_| drop(will)));
    });
    received.recv().unwrap();
    assert!(
        received.recv().is_err(),
        "one message, and the sender is gone with the will"
    );
}

/// The worker that empties the inbox gets stuck in a handler; the other one, asleep, must take over.
#[test]
fn a_stuck_worker_does_not_hold_up_what_others_can_do() {
    let runtime = runtime(2);
    for _ in 0..if SMALL { 2 } else { 20 } {
        let alive = Arc::default();
        let (started_tx, started) = mpsc::channel();
        let (go_on_tx, go_on) = mpsc::channel::<()>();
        runtime.spawn(puppet(&alive)).tell(Box::new(move |cx| {
            started_tx.send(()).unwrap();
            go_on.recv().unwrap();
            cx.stop();
        }));
        started.recv().unwrap();
        let (tx, rx) = mpsc::channel();
        runtime.spawn(puppet(&alive)).tell(Box::new(move |cx| {
            tx.send(()).unwrap();
            cx.stop();
        }));
        // Far more than it takes; without a takeover it would be for ever.
        rx.recv_timeout(std::time::Duration::from_secs(120)).unwrap();
        go_on_tx.send(()).unwrap();
        runtime.wait_quiescent();
        assert_eq!(alive.load(SeqCst), 0);
    }
}

#[test]
fn bad_settings_are_refused_with_a_reason() {
    assert!(matches!(
        Runtime::builder().workers(0).build(),
        Err(BuildError::NoWorkers)
    ));
    let error = Runtime::builder().policy("magic").build().unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("magic") && text.contains("adaptive") && text.contains("cls"),
        "{text}"
    );
    assert!(matches!(
        Runtime::builder().workers(5000).build(),
        Err(BuildError::TooManyWorkers { .. })
    ));
    // The refusal gave everything back.
    assert_eq!(runtime(2).workers(), 2);
}

/// What waits for a worker reaches another one while a handler there takes long: here for ever, unless that happens.
/// The handler makes others runnable on its own worker and waits for them.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
fn work_queued_behind_a_stuck_handler_goes_elsewhere() {
    for policy in datil::policy::NAMES {
        for workers in 2..=3 {
            let runtime = Runtime::builder()
                .workers(workers)
                .policy(policy)
                .build()
                .unwrap();
            let alive = Arc::default();
            let others: Vec<_> = (0..5).map(|_| puppet(&alive)).collect();
            let (done, end) = mpsc::channel();
            let stuck = runtime.spawn(puppet(&alive));
            stuck.tell(Box::new(move |cx| {
                let (tx, rx) = mpsc::channel();
                let me = cx.worker();
                let mine: Vec<_> = others.into_iter().map(|other| cx.spawn(other)).collect();
                for &other in &mine {
                    let tx = tx.clone();
                    cx.tell(other, Box::new(move |cx| tx.send(cx.worker()).unwrap()));
                }
                let ran_on: Vec<_> = mine.iter().map(|_| rx.recv().unwrap()).collect();
                assert!(!ran_on.contains(&me), "nobody can run where the handler waits");
                // The worker is still the actors' home as far as sends from here go, whoever owns them now.
                for &other in &mine {
                    let tx = tx.clone();
                    cx.tell(other, Box::new(move |_| tx.send(0).unwrap()));
                }
                mine.iter().for_each(|_| _ = rx.recv().unwrap());
                done.send(()).unwrap();
            }));
            end.recv().unwrap();
            runtime.wait_quiescent();
            assert_eq!(alive.load(SeqCst), 6, "{policy}");
        }
    }
}

/// Of what waits for a stuck worker another one takes half at a time: this one may come back soon.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
fn half_of_what_waits_for_a_stuck_worker_is_left_to_it() {
    let runtime = Runtime::builder()
        .workers(2)
        .policy(WorkSharing::NAME)
        .build()
        .unwrap();
    let alive = Arc::default();
    let others: Vec<_> = (0..8).map(|_| puppet(&alive)).collect();
    let (free, freed) = mpsc::channel::<()>();
    let freed = Arc::new(Mutex::new(freed));
    let stuck = runtime.spawn(puppet(&alive));
    let wait = Arc::clone(&freed);
    stuck.tell(Box::new(move |cx| {
        for other in others {
            let wait = Arc::clone(&wait);
            let other = cx.spawn(other);
            // Whoever takes some of them is stuck as well, and takes no more.
            cx.tell(other, Box::new(move |_| _ = wait.lock().unwrap().recv()));
        }
        let _ = wait.lock().unwrap().recv();
    }));
    let taken = loop {
        let workers = runtime.metrics().workers;
        let taken: u64 = workers.iter().map(|worker| worker.rescued_actors).sum();
        if taken > 0 {
            break taken;
        }
        thread::sleep(Duration::from_micros(100));
    };
    drop(free);
    runtime.wait_quiescent();
    assert_eq!(alive.load(SeqCst), 9);
    assert_eq!(taken, 4);
}

/// A worker whose handlers take long, though not so long that it counts as stuck, does not keep for long what waits for it, even if nobody idled when it
/// last looked.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
fn work_queued_behind_many_slow_handlers_goes_elsewhere() {
    /// Handlers that a worker runs before it looks around by itself.
    const UNSEEN: usize = 14;
    /// On a busy machine the worker loses its processor in a handler now and then, and is relieved as if that were long.
    const BY_CHANCE: usize = 60;
    let mut seen = 0;
    for _ in 0..400 {
        seen += usize::from(first_elsewhere() < UNSEEN);
        if seen > BY_CHANCE {
            return;
        }
    }
    panic!("{seen} of 400 times somebody who had nothing to do got some of it");
}

/// How many of many slow handlers, all runnable on one worker, have begun before one begins on the other, which has nothing to do as soon as the
/// first has begun.
fn first_elsewhere() -> usize {
    let runtime = runtime(2);
    let alive = Arc::default();
    let (free, freed) = mpsc::channel::<()>();
    let (blocks, is_blocked) = mpsc::channel();
    let blocked = runtime.spawn(puppet(&alive));
    blocked.tell(Box::new(move |_| {
        blocks.send(()).unwrap();
        let _ = freed.recv();
    }));
    is_blocked.recv().unwrap();
    let (ran_on, order) = mpsc::channel();
    let others: Vec<_> = (0..40).map(|_| puppet(&alive)).collect();
    let root = runtime.spawn(puppet(&alive));
    root.tell(Box::new(move |cx| {
        let free = Arc::new(Mutex::new(Some(free)));
        for other in others {
            let (free, ran_on) = (Arc::clone(&free), ran_on.clone());
            let other = cx.spawn(other);
            cx.tell(
                other,
                Box::new(move |cx| {
                    drop(free.lock().unwrap().take());
                    ran_on.send(cx.worker()).unwrap();
                    let began = Instant::now();
                    while began.elapsed() < Duration::from_micros(300) {}
                }),
            );
        }
    }));
    runtime.wait_quiescent();
    let order: Vec<usize> = order.iter().collect();
    assert_eq!(order.len(), 40);
    order.iter().take_while(|&worker| *worker == order[0]).count()
}

/// The same for what others send, from workers and from outside, to idle actors that a stuck worker owns. The actor whose
/// handler takes so long is run by nobody else meanwhile, though it is written to.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
fn actors_of_a_stuck_worker_are_reached() {
    for policy in datil::policy::NAMES {
        let runtime = Runtime::builder().workers(2).policy(policy).build().unwrap();
        let alive = Arc::default();
        let busy = Arc::new(AtomicBool::new(true));
        let (stuck, relay) = (runtime.spawn(puppet(&alive)), runtime.spawn(puppet(&alive)));
        let (ready, made) = mpsc::channel();
        let (go_on, wait) = mpsc::channel();
        let idle: Vec<_> = (0..3).map(|_| puppet(&alive)).collect();
        let ends = busy.clone();
        stuck.tell(Box::new(move |cx| {
            let idle: Vec<_> = idle.into_iter().map(|actor| cx.spawn(actor)).collect();
            ready.send(idle).unwrap();
            wait.recv().unwrap();
            ends.store(false, SeqCst);
        }));
        let idle = made.recv().unwrap();
        let (tx, rx) = mpsc::channel();
        let (visits, visited) = mpsc::channel();
        // Two rounds: the first finds out that the worker is stuck, in the second everybody knows.
        for _ in 0..2 {
            for &actor in &idle {
                let (from_outside, from_inside) = (tx.clone(), tx.clone());
                actor.tell(Box::new(move |_| from_outside.send(()).unwrap()));
                relay.tell(Box::new(move |cx| {
                    cx.tell(actor, Box::new(move |_| from_inside.send(()).unwrap()))
                }));
            }
            let visit = |visits: mpsc::Sender<bool>, busy: Arc<AtomicBool>| -> Play {
                Box::new(move |_| visits.send(busy.load(SeqCst)).unwrap())
            };
            stuck.tell(visit(visits.clone(), busy.clone()));
            let later = visit(visits.clone(), busy.clone());
            relay.tell(Box::new(move |cx| cx.tell(stuck, later)));
            (0..2 * idle.len()).for_each(|_| rx.recv().unwrap());
        }
        go_on.send(()).unwrap();
        for _ in 0..4 {
            assert_eq!(
                visited.recv(),
                Ok(false),
                "{policy}: run while its handler had not returned"
            );
        }
        runtime.wait_quiescent();
        assert_eq!(alive.load(SeqCst), 5);
    }
}

/// All workers but one are stuck one after the other, each with work behind it that frees the one before.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
fn a_chain_of_stuck_handlers_is_undone_by_the_last_worker() {
    const WORKERS: usize = 4;
    fn block(cx: &mut Context<'_, Puppet>, left: usize, alive: Arc<AtomicUsize>, free: mpsc::Sender<()>) {
        if left > 0 {
            let (tx, rx) = mpsc::channel();
            let next = cx.spawn(puppet(&alive));
            cx.tell(next, Box::new(move |cx| block(cx, left - 1, alive, tx)));
            rx.recv().unwrap();
        }
        free.send(()).unwrap();
    }
    for policy in datil::policy::NAMES {
        let runtime = Runtime::builder()
            .workers(WORKERS)
            .policy(policy)
            .build()
            .unwrap();
        let alive: Arc<AtomicUsize> = Arc::default();
        let (tx, rx) = mpsc::channel();
        let (first, count) = (runtime.spawn(puppet(&alive)), alive.clone());
        first.tell(Box::new(move |cx| block(cx, WORKERS - 1, count, tx)));
        rx.recv().unwrap();
        runtime.wait_quiescent();
        assert_eq!(alive.load(SeqCst), WORKERS);
    }
}

/// Fails once, when it has chosen an actor three times.
struct Panicky(u32);

impl datil::policy::Policy for Panicky {
    const NAME: &'static str = "panicky";

    fn new(_: datil::policy::Setup) -> Self {
        Self(0)
    }

    fn batch(&self) -> u32 {
        1
    }

    fn pick(&mut self, _: u32) -> datil::policy::Pick {
        self.0 += 1;
        assert!(self.0 != 4, "on purpose");
        datil::policy::Pick::Oldest
    }
}

/// A policy that fails between two activations has nothing to do with the actor that ran last, whose cell may be anybody's: the process ends, and says why.
#[test]
#[cfg_attr(miri, ignore = "no processes under miri")]
fn a_policy_that_panics_ends_the_process() {
    const CHILD: &str = "DATIL_TEST_PANICKY";
    if std::env::var_os(CHILD).is_some() {
        let runtime = Runtime::builder().workers(1).build_with::<Panicky>().unwrap();
        let alive = Arc::default();
        (0..10).for_each(|_| runtime.spawn(puppet(&alive)).tell(Box::new(|_| {})));
        runtime.wait_quiescent();
        return;
    }
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_policy_that_panics_ends_the_process", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stderr);
    assert!(
        !child.status.success() && said.contains("outside any actor"),
        "{}: {said}",
        child.status
    );
}
