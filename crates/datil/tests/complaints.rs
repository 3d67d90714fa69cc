//! What users of actor runtimes complain about again and again, each as a test: ten families, with their number.
//!
//! Nothing is timed; what must not hang waits for at most a minute. `README.md` has the defects that were planted to see each test fail, and how to plant them again.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Barrier, mpsc};
use std::time::{Duration, Instant};

use datil::{
    Actor, Address, Context, Handle, Mailbox, Overflow, ReplyTo, Restart, Runtime, Strategy, Supervisor,
};

const PATIENCE: Duration = Duration::from_secs(60);
const SMALL: bool = cfg!(miri);

fn runtime(workers: usize) -> Runtime {
    Runtime::builder().workers(workers).build().unwrap()
}

/// Counts how many of something exist.
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

/// Does what its messages say.
#[derive(Default)]
struct Puppet {
    asked: Vec<ReplyTo<u64>>,
    number: u64,
}

type Play = Box<dyn FnOnce(&mut Puppet, &mut Context<'_, Puppet>) + Send>;

impl Actor for Puppet {
    type Msg = Play;
    fn handle(&mut self, play: Play, cx: &mut Context<'_, Self>) {
        play(self, cx);
    }
}

fn tell(to: Address<Puppet>, play: impl FnOnce(&mut Puppet, &mut Context<'_, Puppet>) + Send + 'static) {
    to.tell(Box::new(play));
}

fn number(reply: ReplyTo<u64>) -> Play {
    Box::new(move |me: &mut Puppet, _: &mut Context<'_, Puppet>| reply.send(me.number))
}

fn keep(reply: ReplyTo<u64>) -> Play {
    Box::new(move |me: &mut Puppet, _: &mut Context<'_, Puppet>| me.asked.push(reply))
}

fn sync(with: Address<Puppet>) -> u64 {
    with.ask(number).wait_for(PATIENCE).unwrap()
}

/// 1: polling while idle. Ten thousand actors, a distant timer, monitors and a pending question make no worker do anything.
#[test]
fn an_idle_runtime_does_nothing() {
    for workers in [1, 2, 4] {
        let runtime = runtime(workers);
        let actors: Vec<_> = (0..if SMALL { 50 } else { 10_000 })
            .map(|_| runtime.spawn(Puppet::default()))
            .collect();
        runtime.tell_after(Duration::from_secs(3600), actors[0], Box::new(|_, _| {}));
        let (a, b) = (actors[0], actors[1]);
        tell(a, move |_, cx| {
            cx.monitor(b, |_| Box::new(|_, _| {}));
            cx.ask(b, keep, |_, _, _| {});
        });
        sync(a);
        sync(b);
        // On a busy machine it may take long until the last worker has come to rest. One that polls never does: once a
        // millisecond would be hundreds, while a watch that ends late counts some naps.
        let began = Instant::now();
        loop {
            let before = runtime.metrics().total();
            std::thread::sleep(Duration::from_millis(500));
            let after = runtime.metrics().total();
            let quiet = (after.activations, after.wakes) == (before.activations, before.wakes);
            if quiet && after.parks - before.parks < 50 {
                break;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "{workers} workers never rest: {before:?}, {after:?}"
            );
        }
    }
}

/// 2: lost wake-ups. A question from outside to a runtime that sleeps, again and again, directly and through an actor and a timer.
#[test]
fn a_sleeping_runtime_always_wakes_up() {
    for workers in [1, 3] {
        let runtime = runtime(workers);
        let (first, second) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        for round in 0..if SMALL { 3 } else { 500 } {
            sync(first);
            let (reply, answer) = datil::promise();
            tell(first, move |_, cx| {
                cx.ask(second, number, move |_, answer, _| reply.send(answer))
            });
            assert_eq!(answer.wait_for(PATIENCE), Ok(Ok(0)), "round {round}");
            if round % 10 == 0 {
                let (reply, answer) = datil::promise();
                tell(second, move |_, cx| {
                    cx.after(Duration::from_micros(100), move |_, _| reply.send(()));
                });
                assert_eq!(answer.wait_for(PATIENCE), Ok(()), "round {round}");
            }
        }
    }
}

/// 3: quiescence before the end. One thing is under way at any time: a message, an answer, a timer, a message to a blocking actor.
#[test]
fn quiescence_is_not_announced_while_anything_is_under_way() {
    fn hop(at: Address<Puppet>, others: Arc<[Address<Puppet>]>, left: usize, hops: Arc<AtomicUsize>) {
        tell(at, move |_, cx| {
            hops.fetch_add(1, SeqCst);
            if left == 0 {
                return;
            }
            let next = others[left % others.len()];
            match left % 3 {
                0 => hop(next, others, left - 1, hops),
                1 => {
                    cx.after(Duration::from_micros(50), move |_, _| {
                        hop(next, others, left - 1, hops)
                    });
                }
                _ => cx.ask(next, number, move |_, _, _| hop(next, others, left - 1, hops)),
            }
        });
    }
    for workers in [1, 3] {
        let runtime = runtime(workers);
        let mut actors: Vec<_> = (0..4).map(|_| runtime.spawn(Puppet::default())).collect();
        actors.push(runtime.spawn_blocking(Puppet::default()));
        let actors: Arc<[_]> = actors.into();
        for round in 0..if SMALL { 2 } else { 30 } {
            let hops = Arc::default();
            hop(actors[round % 5], actors.clone(), 60, Arc::clone(&hops));
            runtime.wait_quiescent();
            assert_eq!(hops.load(SeqCst), 61, "something was under way");
        }
    }
}

/// 4: shutdown. While actors create each other, questions are pending both ways, timers run, a supervisor restarts, and from inside a handler: it ends, and everything is dropped once.
#[test]
fn a_shutdown_in_the_middle_of_everything_ends_and_drops_all_once() {
    struct Breeder(Alive, Handle<Puppet>);
    impl Actor for Breeder {
        type Msg = ();
        fn started(&mut self, cx: &mut Context<'_, Self>) {
            let me = cx.address();
            cx.tell(me, ());
            cx.after(Duration::from_micros(10), |_, _| {});
            let held = Alive::new(&self.0.0);
            cx.after(PATIENCE, move |_, _| drop(held));
            cx.ask(*self.1, keep, |_, _, _| {});
        }
        fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
            cx.spawn(Breeder(Alive::new(&self.0.0), self.1.clone()));
        }
    }
    struct Failing {
        _alive: Alive,
    }
    impl Actor for Failing {
        type Msg = ();
        fn started(&mut self, cx: &mut Context<'_, Self>) {
            let me = cx.address();
            cx.tell(me, ());
        }
        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
            panic!("on purpose");
        }
    }
    for round in 0..if SMALL { 2 } else { 20 } {
        let alive: Arc<AtomicUsize> = Arc::default();
        let runtime = runtime(1 + round % 3);
        let asked = Handle::new(runtime.spawn(Puppet::default()));
        let pending = asked.ask(keep);
        runtime.spawn(Breeder(Alive::new(&alive), asked.clone()));
        let supervisor = Supervisor::new(Strategy::OneForAll, usize::MAX, PATIENCE);
        let count = alive.clone();
        supervisor
            .start(&mut &runtime, Restart::Always, move || Failing {
                _alive: Alive::new(&count),
            })
            .unwrap();
        while runtime.metrics().total().messages < 200 {
            std::thread::yield_now();
        }
        if round % 4 == 0 {
            // An actor of another runtime drops it.
            let other = self::runtime(1);
            let puppet = other.spawn(Puppet::default());
            let (reply, answer) = datil::promise();
            tell(puppet, move |_, _| {
                drop(runtime);
                reply.send(());
            });
            assert_eq!(answer.wait_for(PATIENCE), Ok(()));
        } else {
            let leftovers = runtime.shutdown();
            assert!(
                leftovers.actors.keys().any(|name| name.ends_with("Breeder")),
                "{leftovers}"
            );
        }
        assert!(pending.wait_for(PATIENCE).is_err());
        drop((asked, supervisor));
        assert_eq!(alive.load(SeqCst), 0, "round {round}: a state has leaked");
    }
}

/// 5: deadlock. Actors that ask each other in a circle, and bounded ones that write to themselves and each other, go on.
#[test]
fn circles_of_questions_and_of_full_mailboxes_go_on() {
    type Ring = Arc<[Address<Small>]>;
    /// Sends twice what it gets, to the next one or to itself, for which nobody has room.
    struct Small(usize);
    impl Actor for Small {
        type Msg = (u32, Ring);
        const MAILBOX: Mailbox = Mailbox::Bounded {
            capacity: 4,
            overflow: Overflow::Drop,
        };
        fn handle(&mut self, (left, ring): Self::Msg, cx: &mut Context<'_, Self>) {
            let to = ring[(self.0 + 1) % ring.len()];
            for _ in 0..left.min(2) {
                cx.tell(to, (left - 1, ring.clone()));
            }
        }
    }
    for workers in [1, 3] {
        let runtime = runtime(workers);
        let ring: Arc<[_]> = (0..5).map(|_| runtime.spawn(Puppet::default())).collect();
        // Each asks the next while its own answer is pending.
        fn ask_round(at: usize, ring: Arc<[Address<Puppet>]>, left: usize, reply: ReplyTo<u64>) -> Play {
            Box::new(move |_: &mut Puppet, cx: &mut Context<'_, Puppet>| {
                if left == 0 {
                    return reply.send(7);
                }
                let next = (at + 1) % ring.len();
                let to = ring[next];
                cx.ask(
                    to,
                    move |inner| ask_round(next, ring, left - 1, inner),
                    move |_, answer, _| reply.send(answer.unwrap()),
                );
            })
        }
        let circle = ring.clone();
        let answer = ring[0].ask(move |reply| ask_round(0, circle, 23, reply));
        assert_eq!(answer.wait_for(PATIENCE), Ok(7));
        for length in [1, 4] {
            let dropped = runtime.metrics().total().dead_letters;
            let ring: Ring = (0..length).map(|n| runtime.spawn(Small(n))).collect();
            ring.iter()
                .for_each(|small| (0..4).for_each(|_| small.tell((50, ring.clone()))));
            runtime.wait_quiescent();
            assert!(
                runtime.metrics().total().dead_letters > dropped,
                "no mailbox was full"
            );
        }
    }
}

/// 6: memory. Producers that outrun a bounded consumer: never more waits than allowed, and each message is handled or dropped and counted.
#[test]
fn a_bounded_consumer_loses_exactly_what_is_counted() {
    struct Consumer(Arc<AtomicU64>);
    impl Actor for Consumer {
        type Msg = ();
        const MAILBOX: Mailbox = Mailbox::Bounded {
            capacity: 16,
            overflow: Overflow::Drop,
        };
        fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    for workers in [1, 3] {
        let runtime = runtime(workers);
        let handled: Arc<AtomicU64> = Arc::default();
        let consumer = runtime.spawn(Consumer(handled.clone()));
        let (producers, each) = (4, if SMALL { 100 } else { 20_000 });
        for _ in 0..producers {
            let producer = runtime.spawn(Puppet::default());
            tell(producer, move |_, cx| {
                for _ in 0..each {
                    cx.tell(consumer, ());
                    assert!(consumer.waiting() <= Some(16), "more waits than allowed");
                }
            });
        }
        runtime.wait_quiescent();
        let (handled, dropped) = (handled.load(SeqCst), runtime.metrics().total().dead_letters);
        assert_eq!(handled + dropped, producers * each);
        assert!(handled >= 16 && consumer.waiting() == Some(0));
        assert_eq!(
            runtime.metrics().total().panics,
            0,
            "the producers' assertions held"
        );
    }
}

/// 7: questions unanswered and messages lost around failures. Every question to actors that fail, are killed and restart is answered or refused.
#[test]
fn every_question_is_answered_or_refused_under_failures() {
    for workers in [1, 3] {
        let runtime = runtime(workers);
        let supervisor = Supervisor::new(Strategy::OneForOne, usize::MAX, PATIENCE);
        let asked: Vec<_> = (0..5)
            .map(|n| {
                let restart = if n % 2 == 0 {
                    Restart::Always
                } else {
                    Restart::Never
                };
                supervisor.start(&mut &runtime, restart, Puppet::default).unwrap()
            })
            .collect();
        let asker = runtime.spawn(Puppet::default());
        let (replies, errors): (Arc<AtomicUsize>, Arc<AtomicUsize>) = Default::default();
        let rounds = if SMALL { 10 } else { 1000 };
        let mut outside = Vec::new();
        for round in 0..rounds {
            let to = asked[round % asked.len()];
            match round % 7 {
                3 => tell(to, |_, _| panic!("on purpose")),
                5 if round % 3 == 0 => to.kill(),
                _ => {}
            }
            let (replies, errors) = (replies.clone(), errors.clone());
            tell(asker, move |_, cx| {
                cx.ask(
                    to,
                    if round % 2 == 0 { number } else { keep },
                    move |_, answer, _| {
                        let count = if answer.is_ok() { replies } else { errors };
                        count.fetch_add(1, SeqCst);
                    },
                );
            });
            outside.push(to.ask(number));
        }
        runtime.wait_quiescent();
        // Those that were kept are refused at the latest now.
        supervisor.stop();
        runtime.wait_quiescent();
        assert_eq!(replies.load(SeqCst) + errors.load(SeqCst), rounds);
        assert!(replies.load(SeqCst) > 0 && errors.load(SeqCst) > 0);
        for answer in outside {
            assert_ne!(answer.wait_for(PATIENCE), Err(datil::AskError::TimedOut));
        }
    }
}

/// 8: starvation. Beside actors that always have something to do, others run, timers fire, each of them gets its turn, and they can be stopped.
#[test]
fn nobody_starves_beside_a_busy_actor() {
    fn forever(me: &mut Puppet, cx: &mut Context<'_, Puppet>) {
        me.number += 1;
        let address = cx.address();
        cx.tell(address, Box::new(forever));
    }
    for workers in [1, 2] {
        let runtime = runtime(workers);
        let busy = [runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default())];
        busy.iter().for_each(|&actor| tell(actor, forever));
        let others: Vec<_> = (0..100).map(|_| runtime.spawn(Puppet::default())).collect();
        others.iter().for_each(|&other| {
            sync(other);
        });
        let (reply, answer) = datil::promise();
        tell(others[0], move |_, cx| {
            cx.after(Duration::from_millis(1), move |_, _| reply.send(()));
        });
        assert_eq!(answer.wait_for(PATIENCE), Ok(()));
        for actor in busy {
            sync(actor);
        }
        for actor in busy {
            let end = actor.ended();
            actor.stop();
            assert!(end.wait_for(PATIENCE).is_ok());
        }
    }
}

/// 9: leaks. Questions with time-outs, monitors set and ended, on the living and the dead, and messages that hold addresses leave nothing.
#[test]
fn questions_and_monitors_leave_nothing_behind() {
    let alive: Arc<AtomicUsize> = Arc::default();
    for workers in [1, 3] {
        let runtime = runtime(workers);
        let (watcher, living, dead) = (
            runtime.spawn(Puppet::default()),
            runtime.spawn(Puppet::default()),
            runtime.spawn(Puppet::default()),
        );
        let end = dead.ended();
        dead.stop();
        end.wait_for(PATIENCE).unwrap();
        let rounds = if SMALL { 10 } else { 10_000 };
        for _ in 0..rounds {
            let held = [(); 4].map(|()| Alive::new(&alive));
            tell(watcher, move |_, cx| {
                let [first, second, third, fourth] = held;
                let hour = Duration::from_secs(3600);
                cx.ask_within(hour, living, number, move |_, _, _| drop(first));
                cx.ask_within(hour, dead, number, move |_, _, _| drop(second));
                let monitor = cx.monitor(living, move |_| Box::new(move |_, _| drop(third)));
                cx.demonitor(monitor);
                let monitor = cx.monitor(dead, move |_| Box::new(move |_, _| drop(fourth)));
                cx.demonitor(monitor);
            });
        }
        runtime.wait_quiescent();
        assert_eq!((runtime.timers(), alive.load(SeqCst)), (0, 0));
    }
}

/// 10: work that does not spread. Two jobs that need each other, queued on one worker, both run.
#[test]
fn work_spreads_to_idle_workers() {
    let runtime = runtime(2);
    for _ in 0..if SMALL { 1 } else { 20 } {
        runtime.wait_quiescent();
        let barrier = Arc::new(Barrier::new(2));
        let (done, all) = mpsc::channel();
        let source = runtime.spawn(Puppet::default());
        tell(source, move |_, cx| {
            for _ in 0..2 {
                let (barrier, done) = (barrier.clone(), done.clone());
                let job = cx.spawn(Puppet::default());
                cx.tell(
                    job,
                    Box::new(move |_, cx| {
                        barrier.wait();
                        done.send(()).unwrap();
                        cx.stop();
                    }),
                );
            }
            cx.stop();
        });
        for _ in 0..2 {
            all.recv_timeout(PATIENCE)
                .expect("both jobs run at the same time");
        }
    }
}
