use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use datil::{Actor, Address, Answer, AskError, Context, Leftovers, ReplyTo, Runtime, StopReason};

use crate::support::{Alive, PATIENCE, Play, Puppet, on_all, runtime, sync, tell};

#[test]
fn a_blocking_actor_holds_up_nobody_else() {
    on_all(|runtime| {
        let (hold, gate) = mpsc::channel::<()>();
        let blocked = runtime.spawn_blocking(Puppet::default());
        let other = runtime.spawn(Puppet::default());
        tell(blocked, move |me, _| {
            let _ = gate.recv();
            me.number = 1;
        });
        (0..100).for_each(|_| sync(other));
        drop(hold);
        let (reply, answer) = datil::promise();
        tell(blocked, move |me, cx| {
            // It may wait for answers, and write to and watch others like any actor.
            let waited = other.ask(|reply| {
                Box::new(move |_: &mut Puppet, _: &mut datil::Context<'_, Puppet>| reply.send(5))
                    as crate::support::Play
            });
            let answer = waited.wait();
            cx.monitor(other, move |down| {
                Box::new(move |_, cx| {
                    reply.send((down.reason.to_string(), answer, cx.address().is_alive()));
                    cx.stop();
                })
            });
            me.number += 1;
        });
        sync(blocked);
        let end = blocked.ended();
        other.stop();
        assert_eq!(answer.wait_for(PATIENCE), Ok(("stopped".into(), Ok(5), true)));
        assert!(end.wait_for(PATIENCE).is_ok());
    });
}

#[test]
fn quiescence_includes_blocking_actors() {
    on_all(|runtime| {
        for _ in 0..20 {
            let blocked = runtime.spawn_blocking(Puppet::default());
            let other = runtime.spawn(Puppet::default());
            let (reply, answer) = datil::promise();
            // To and fro between the two runtimes.
            fn pass(
                from: datil::Address<Puppet>,
                to: datil::Address<Puppet>,
                left: u32,
                reply: datil::ReplyTo<()>,
            ) {
                tell(to, move |_, _| {
                    if left == 0 {
                        reply.send(());
                    } else {
                        pass(to, from, left - 1, reply);
                    }
                });
            }
            pass(other, blocked, 50, reply);
            runtime.wait_quiescent();
            assert_eq!(
                answer.wait_for(std::time::Duration::ZERO),
                Ok(()),
                "a message was under way"
            );
            blocked.stop();
            other.stop();
        }
    });
}

#[test]
fn blocking_actors_that_are_left_are_reported() {
    let runtime = runtime(1);
    (0..3).for_each(|_| sync(runtime.spawn_blocking(Puppet::default())));
    let parent = runtime.spawn(Puppet::default());
    tell(parent, |_, cx| {
        let child = cx.spawn_blocking(Puppet::default());
        cx.tell(child, Box::new(|_, cx| cx.stop()));
        cx.stop();
    });
    runtime.wait_quiescent();
    assert_eq!(runtime.shutdown().actors.values().sum::<usize>(), 3);
}

#[test]
fn quiescence_includes_blocking_actors_of_blocking_actors() {
    on_all(|runtime| {
        let outer = runtime.spawn_blocking(Puppet::default());
        let (reply, inner) = datil::promise();
        tell(outer, move |_, cx| {
            reply.send(cx.spawn_blocking(Puppet::default()))
        });
        let inner = inner.wait_for(PATIENCE).unwrap();
        sync(outer);
        let (reply, answer) = datil::promise();
        let (hold, gate) = mpsc::channel::<()>();
        tell(inner, move |_, _| {
            let _ = gate.recv();
        });
        tell(inner, move |_, _| reply.send(()));
        let letting_go = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(100));
            drop(hold);
        });
        runtime.wait_quiescent();
        assert_eq!(answer.wait_for(std::time::Duration::ZERO), Ok(()));
        letting_go.join().unwrap();
        inner.stop();
        outer.stop();
    });
}

#[test]
fn quiescence_includes_the_news_of_a_blocking_actors_end() {
    on_all(|runtime| {
        for round in 0..if cfg!(miri) { 2 } else { 100 } {
            let heard: Arc<AtomicUsize> = Arc::default();
            let blocked = runtime.spawn_blocking(Puppet::default());
            let watcher = runtime.spawn(Puppet::default());
            let hears = heard.clone();
            tell(watcher, move |_, cx| {
                cx.monitor(blocked, move |_| {
                    Box::new(move |_, cx| {
                        hears.fetch_add(1, SeqCst);
                        cx.stop();
                    })
                });
            });
            sync(watcher);
            blocked.stop();
            runtime.wait_quiescent();
            assert_eq!(heard.load(SeqCst), 1, "round {round}");
        }
    });
}

/// Lives beside a blocking actor and is left over when that ends; takes long to be dropped.
struct Neighbour(Option<Alive>);

impl Actor for Neighbour {
    type Msg = datil::ReplyTo<u64>;
    const EAGER: bool = false;
    fn handle(&mut self, _: Self::Msg, _: &mut Context<'_, Self>) {}
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        std::thread::sleep(Duration::from_millis(50));
        drop(self.0.take());
    }
}

/// Makes a blocking actor end while a neighbour is left.
fn end_beside_a_neighbour(
    runtime: &Runtime,
    alive: &Arc<AtomicUsize>,
    meanwhile: impl FnOnce(Address<Neighbour>),
) {
    let blocked = runtime.spawn_blocking(Puppet::default());
    let (reply, answer) = datil::promise();
    let (neighbour, (hold, gate)) = (Neighbour(Some(Alive::new(alive))), mpsc::channel::<()>());
    // Asked before the actor is told to end: after that it may come too late, and be answered that the actor is gone.
    let end = blocked.ended();
    tell(blocked, move |_, cx| {
        reply.send(cx.spawn(neighbour));
        let _ = gate.recv();
        cx.stop();
    });
    meanwhile(answer.wait_for(PATIENCE).unwrap());
    drop(hold);
    assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Stopped));
}

#[test]
fn quiescence_includes_what_a_blocking_actor_leaves() {
    on_all(|runtime| {
        let alive = Arc::default();
        let asker = runtime.spawn(Puppet::default());
        let (reply, answer) = datil::promise();
        end_beside_a_neighbour(runtime, &alive, |neighbour| {
            tell(asker, move |_, cx| {
                cx.ask(neighbour, |reply| reply, |_, answer, _| reply.send(answer));
            });
            sync(asker);
        });
        runtime.wait_quiescent();
        let answer = answer.wait_for(Duration::ZERO);
        // The neighbour drops the question, or ends before it has seen it.
        assert!(
            matches!(answer, Ok(Err(AskError::Dropped | AskError::Gone))),
            "an answer was under way: {answer:?}"
        );
        assert_eq!(alive.load(SeqCst), 0);
        asker.stop();
    });
}

#[test]
fn the_end_of_what_a_blocking_actor_leaves_is_told() {
    on_all(|runtime| {
        let watcher = runtime.spawn(Puppet::default());
        let blocked = runtime.spawn_blocking(Puppet::default());
        let (reply, answer) = datil::promise();
        tell(blocked, move |_, cx| reply.send(cx.spawn(Neighbour(None))));
        let neighbour = answer.wait_for(PATIENCE).unwrap();
        let (reply, reason) = datil::promise();
        tell(watcher, move |_, cx| {
            cx.monitor(neighbour, |down| {
                Box::new(move |_, cx| {
                    reply.send(down.reason);
                    cx.stop();
                })
            });
        });
        sync(watcher);
        let heard = neighbour.ask(|reply| reply);
        assert_eq!(heard.wait_for(PATIENCE), Err(AskError::Dropped));
        blocked.stop();
        assert_eq!(reason.wait_for(PATIENCE), Ok(StopReason::Shutdown));
    });
}

#[test]
fn a_shutdown_waits_for_what_blocking_actors_have_left() {
    let (runtime, alive) = (runtime(1), Arc::default());
    end_beside_a_neighbour(&runtime, &alive, |_| {});
    assert!(runtime.shutdown().is_empty());
    assert_eq!(alive.load(SeqCst), 0);
}

/// Ends another runtime when it is dropped.
struct Ender(Option<Arc<Runtime>>, mpsc::Sender<()>);

impl Actor for Ender {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

impl Drop for Ender {
    fn drop(&mut self) {
        drop(self.0.take());
        self.1.send(()).unwrap();
    }
}

#[test]
fn what_a_blocking_actor_leaves_may_end_the_runtime() {
    // Left on its thread, and dropped by its worker after it has taken its runtime out.
    for by_worker in [false, true] {
        let runtime = Arc::new(runtime(1));
        let blocked = runtime.spawn_blocking(Puppet::default());
        let (done, ended) = mpsc::channel();
        let ender = Ender(Some(runtime), done);
        tell(blocked, move |_, cx| {
            if by_worker {
                cx.trap_links(move |_| {
                    let _held = &ender;
                    Box::new(|_, _| {})
                });
            } else {
                cx.spawn(ender);
            }
            cx.stop();
        });
        ended.recv_timeout(PATIENCE).expect("nobody waits for itself");
    }
}

#[test]
fn what_a_timer_of_a_blocking_actor_drops_may_end_the_runtime() {
    // Of the actor itself, and of one that it has created.
    for nested in [false, true] {
        let runtime = Arc::new(runtime(1));
        let (gone, blocked) = (
            runtime.spawn(Puppet::default()),
            runtime.spawn_blocking(Puppet::default()),
        );
        let end = gone.ended();
        gone.stop();
        end.wait_for(PATIENCE).unwrap();
        let (done, ended) = mpsc::channel();
        let ender = Ender(Some(runtime), done);
        // Nobody gets it, so it is dropped by who sends it: the thread of the timers.
        let set = move |_: &mut Puppet, cx: &mut Context<'_, Puppet>| {
            cx.tell_after(Duration::from_millis(10), gone, Box::new(move |_, _| drop(ender)));
        };
        if nested {
            tell(blocked, move |_, cx| {
                tell(cx.spawn_blocking(Puppet::default()), set)
            });
        } else {
            tell(blocked, set);
        }
        ended.recv_timeout(PATIENCE).expect("nobody waits for itself");
    }
}

/// Ends as soon as it has begun, and when it is dropped waits for who has created it.
struct Brief(Address<Puppet>);

impl Actor for Brief {
    type Msg = ();
    fn started(&mut self, cx: &mut Context<'_, Self>) {
        cx.stop();
    }
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

impl Drop for Brief {
    fn drop(&mut self) {
        sync(self.0);
    }
}

#[test]
fn who_creates_a_blocking_actor_does_not_wait_for_its_end() {
    on_all(|runtime| {
        for _ in 0..if cfg!(miri) { 2 } else { 300 } {
            let parent = runtime.spawn(Puppet::default());
            tell(parent, move |_, cx| {
                cx.spawn_blocking(Brief(cx.address()));
            });
            sync(parent);
            runtime.wait_quiescent();
            parent.stop();
        }
    });
}

#[test]
fn waiting_for_ones_own_end_is_refused() {
    // The panics are meant.
    let runtime = Arc::new(Runtime::builder().workers(2).build().unwrap());
    for actor in [
        runtime.spawn(Puppet::default()),
        runtime.spawn_blocking(Puppet::default()),
    ] {
        let (inside, end) = (runtime.clone(), actor.ended());
        tell(actor, move |_, _| inside.wait_quiescent());
        match end.wait_for(PATIENCE) {
            Ok(StopReason::Panicked(message)) => assert!(message.contains("wait for itself"), "{message}"),
            other => panic!("{other:?}"),
        }
    }
    // Of another one it may.
    let other = Arc::new(Runtime::builder().workers(1).build().unwrap());
    let actor = runtime.spawn(Puppet::default());
    tell(actor, move |_, _| other.wait_quiescent());
    sync(actor);
}

/// Asks a question that is never answered.
fn ask_in_vain(who: Address<Puppet>) -> Answer<u64> {
    let keep = |reply| Box::new(move |me: &mut Puppet, _: &mut Context<'_, Puppet>| me.asked.push(reply));
    who.ask(|reply| keep(reply) as Play)
}

/// What a shutdown reports that ends at all.
fn end(runtime: Runtime, limited: bool) -> Leftovers {
    let (say, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let left = if limited {
            runtime.shutdown_within(PATIENCE).expect("nobody runs for ever")
        } else {
            runtime.shutdown()
        };
        say.send(left).unwrap();
    });
    ended.recv_timeout(PATIENCE).expect("nobody waits for ever")
}

#[test]
fn a_shutdown_ends_the_wait_for_an_answer() {
    // Of an actor, of a blocking actor that is younger, of an older one, of one that the asker creates before it waits.
    for (whom, limited) in (0..4).flat_map(|whom| [(whom, false), (whom, true)]) {
        let runtime = runtime(1);
        let plain = runtime.spawn(Puppet::default());
        let older = runtime.spawn_blocking(Puppet::default());
        let asker = runtime.spawn_blocking(Puppet::default());
        let younger = runtime.spawn_blocking(Puppet::default());
        let (inside, entered) = mpsc::channel();
        let (heard, hear) = mpsc::channel();
        tell(asker, move |_, cx| {
            let keeper = match whom {
                0 => plain,
                1 => younger,
                2 => older,
                _ => cx.spawn_blocking(Puppet::default()),
            };
            let answer = ask_in_vain(keeper);
            sync(keeper);
            inside.send(()).unwrap();
            heard.send(answer.wait()).unwrap();
        });
        entered.recv_timeout(PATIENCE).unwrap();
        let left = end(runtime, limited);
        assert_eq!(hear.recv_timeout(PATIENCE), Ok(Err(AskError::Dropped)), "{whom}");
        let puppets = 4 + usize::from(whom == 3);
        assert_eq!(left.actors.values().sum::<usize>(), puppets, "{whom}: {left}");
        assert_eq!(left.messages, 0, "{whom}: {left}");
    }
}

#[test]
fn blocking_actors_made_and_asked_during_a_shutdown_end() {
    for limited in [false, true] {
        let runtime = runtime(1);
        let asker = runtime.spawn_blocking(Puppet::default());
        let handle = runtime.handle();
        let (inside, entered) = mpsc::channel();
        tell(asker, move |_, cx| {
            inside.send(()).unwrap();
            while !handle.is_over() {
                std::thread::yield_now();
            }
            for _ in 0..if cfg!(miri) { 2 } else { 20 } {
                let made = cx.spawn_blocking(Puppet::default());
                assert!(ask_in_vain(made).wait().is_err());
            }
        });
        entered.recv_timeout(PATIENCE).unwrap();
        end(runtime, limited);
    }
}

/// When it is dropped it asks, waits, and says what it heard, and whether from the first.
struct LastWords(Vec<Address<Puppet>>, mpsc::Sender<(bool, Result<u64, AskError>)>);

impl Drop for LastWords {
    fn drop(&mut self) {
        for (place, &who) in self.0.iter().enumerate() {
            self.1.send((place == 0, ask_in_vain(who).wait())).unwrap();
        }
    }
}

impl Actor for LastWords {
    type Msg = ReplyTo<()>;
    fn handle(&mut self, reply: Self::Msg, _: &mut Context<'_, Self>) {
        reply.send(());
    }
}

#[test]
fn what_is_dropped_at_a_shutdown_may_wait_for_answers() {
    for whose in 0..4 {
        let runtime = runtime(2);
        let blocking = || runtime.spawn_blocking(Puppet::default());
        let older = [runtime.spawn(Puppet::default()), blocking()];
        let (heard, hear) = mpsc::channel();
        let holder = runtime.spawn(Puppet::default());
        let words = |others: &[Address<Puppet>]| LastWords([&older[..], others].concat(), heard.clone());
        match whose {
            0 => drop(runtime.spawn(words(&[blocking()])).ended()),
            1 => drop(runtime.spawn_blocking(words(&[])).ended()),
            2 => {
                let words = words(&[blocking()]);
                runtime.tell_after(
                    Duration::from_secs(3600),
                    holder,
                    Box::new(move |_, _| drop(words)),
                );
            }
            _ => {
                // Two that wait for each other's runtime, one of which is dropped first.
                let (one, other) = (blocking(), blocking());
                for (holder, asked) in [(one, other), (other, one)] {
                    let words = words(&[asked]);
                    tell(holder, move |me, _| me.kept = Some(Box::new(words)));
                    sync(holder);
                }
            }
        }
        drop(heard);
        end(runtime, false);
        let heard: Vec<_> = hear.iter().collect();
        assert_eq!(heard.len(), [3, 2, 3, 6][whose], "{heard:?}");
        for (first, answer) in heard {
            // A blocking actor may not have stopped yet, and keep the question.
            let dropped = !first && answer == Err(AskError::Dropped);
            assert!(dropped || answer == Err(AskError::Gone), "{whose}: {answer:?}");
        }
    }
}
