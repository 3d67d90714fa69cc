//! Of which panics a runtime tells, and under which name.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use datil::{Actor, AskError, Context, Query, QueryContext, Restart, Runtime, Strategy, Supervisor};

use crate::support::{Bomb, PATIENCE, Play, Puppet, sync, tell};

const TICK: Duration = Duration::from_millis(2);
const NEVER: Duration = Duration::from_secs(3600);

/// What the hook was told: what it was, and whether a worker was named.
type Told = Arc<Mutex<Vec<(String, bool)>>>;

fn listening() -> (Runtime, Told) {
    let told = Told::default();
    let heard = told.clone();
    let runtime = Runtime::builder()
        .workers(2)
        .on_panic(move |info| {
            assert!(info.message.contains("on purpose"), "{info:?}");
            let what = info.actor.rsplit("::").next().unwrap_or_default().to_owned();
            heard.lock().unwrap().push((what, info.worker.is_some()));
        })
        .build()
        .unwrap();
    (runtime, told)
}

/// Runs a scenario and its shutdown; returns what was told, sorted.
fn told_of(scenario: impl FnOnce(&Runtime)) -> Vec<(String, bool)> {
    let (runtime, told) = listening();
    scenario(&runtime);
    runtime.wait_quiescent();
    drop(runtime);
    let mut told = std::mem::take(&mut *told.lock().unwrap());
    told.sort();
    told
}

fn of(what: &str, on_a_worker: bool) -> (String, bool) {
    (what.to_owned(), on_a_worker)
}

/// An actor that has stopped.
fn gone(runtime: &Runtime) -> datil::Address<Puppet> {
    let puppet = runtime.spawn(Puppet::default());
    let end = puppet.ended();
    puppet.stop();
    end.wait_for(PATIENCE).unwrap();
    puppet
}

/// A reply to an actor that is gone; its continuation holds a bomb.
fn reply_to_the_gone(runtime: &Runtime) -> datil::ReplyTo<()> {
    let asker = runtime.spawn(Puppet::default());
    let (give, given) = datil::promise();
    tell(asker, move |_, cx| {
        let bomb = Bomb;
        give.send(cx.reply(move |_, _: Result<(), AskError>, _| drop(bomb)));
        cx.stop();
    });
    asker.ended().wait_for(PATIENCE).unwrap();
    given.wait_for(PATIENCE).unwrap()
}

#[test]
fn what_a_timer_makes_and_holds_is_told_of_and_counted() {
    let (runtime, told) = listening();
    // Where there is another runtime a thread sees by itself that an actor is gone.
    let _other = crate::support::runtime(1);
    let (puppet, dead) = (runtime.spawn(Puppet::default()), gone(&runtime));
    runtime.tell_every(TICK, puppet, || panic!("a message, on purpose"));
    let bomb = Bomb;
    runtime.tell_after(TICK, dead, Box::new(move |_, _| drop(bomb)));
    let bomb = Bomb;
    // Ends when it finds its receiver gone.
    runtime.tell_every(TICK, dead, move || {
        let _held = &bomb;
        Box::new(|_, _| {})
    });
    let began = std::time::Instant::now();
    while runtime.metrics().timer_panics < 3 {
        assert!(began.elapsed() < PATIENCE, "{told:?}");
        std::thread::yield_now();
    }
    let bomb = Bomb;
    runtime.tell_after(NEVER, puppet, Box::new(move |_, _| drop(bomb)));
    assert_eq!(runtime.metrics().total().panics, 0);
    assert_eq!(runtime.shutdown().timers, 1);
    let mut told = told.lock().unwrap().clone();
    told.sort();
    let [timer, message] = ["a timer", "a message"].map(|what| of(what, false));
    assert_eq!(told, [message, timer.clone(), timer.clone(), timer]);
}

#[test]
fn timers_that_end_with_their_actor_are_told_of_on_its_worker() {
    let told = told_of(|runtime| {
        let puppet = runtime.spawn(Puppet::default());
        tell(puppet, |_, cx| {
            let (me, bomb) = (cx.address(), Bomb);
            cx.tell_after(NEVER, me, Box::new(move |_, _| drop(bomb)));
            cx.stop();
        });
        puppet.ended().wait_for(PATIENCE).unwrap();
    });
    assert_eq!(told, [of("a timer", true)]);
}

#[test]
fn all_lost_continuations_are_told_of_wherever_they_are_lost() {
    // On a worker, two in a row.
    let told = told_of(|runtime| {
        let (first, second) = (reply_to_the_gone(runtime), reply_to_the_gone(runtime));
        let asker = runtime.spawn(Puppet::default());
        let (give, given) = datil::promise();
        tell(asker, move |_, cx| {
            give.send(cx.reply(move |_, _: Result<(), AskError>, _| drop((first, second))));
            cx.stop();
        });
        asker.ended().wait_for(PATIENCE).unwrap();
        let both = given.wait_for(PATIENCE).unwrap();
        let holder = runtime.spawn(Puppet::default());
        tell(holder, move |_, cx| {
            drop(both);
            cx.stop();
        });
        holder.ended().wait_for(PATIENCE).unwrap();
    });
    assert_eq!(told, vec![of("a continuation", true); 2]);
    // By a time-out.
    let told = told_of(|runtime| {
        let (asker, deaf) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        tell(asker, move |_, cx| {
            let (keep, bomb) = (
                |reply| {
                    Box::new(move |me: &mut Puppet, _: &mut datil::Context<'_, Puppet>| me.asked.push(reply))
                        as Play
                },
                Bomb,
            );
            cx.ask_within(20 * TICK, deaf, keep, move |_, _, _| drop(bomb));
            cx.stop();
        });
        let waits = Instant::now();
        while runtime.metrics().timer_panics == 0 && waits.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
        // Not before: the reply that it keeps would be dropped, which answers, too, and on a worker.
        deaf.stop();
    });
    assert_eq!(told, [of("a continuation", false)]);
    // At the shutdown.
    let told = told_of(|runtime| {
        let reply = reply_to_the_gone(runtime);
        let puppet = runtime.spawn(Puppet::default());
        tell(puppet, move |me, _| {
            let kept = reply;
            me.kept = Some(Box::new(kept));
        });
        sync(puppet);
    });
    assert_eq!(told, [of("a continuation", false)]);
}

#[test]
fn a_thread_that_answers_somebody_who_is_gone_is_none_the_worse() {
    let told = told_of(|runtime| {
        reply_to_the_gone(runtime).send(());
        // Dropped because of a panic, where another one would end the process.
        let reply = reply_to_the_gone(runtime);
        let fails = std::thread::spawn(move || {
            let _reply = reply;
            panic!("a thread, on purpose");
        });
        assert!(fails.join().is_err());
    });
    assert!(told.is_empty(), "no runtime is concerned: {told:?}");
}

/// Its messages, and what it is asked, have a destructor that panics.
struct Minefield;

impl Actor for Minefield {
    type Msg = Bomb;
    fn handle(&mut self, bomb: Bomb, _: &mut Context<'_, Self>) {
        std::mem::forget(bomb);
    }
}

impl Query<Bomb> for Minefield {
    fn query(&self, bomb: Bomb, _: &mut QueryContext<'_, Self>) {
        std::mem::forget(bomb);
    }
}

#[test]
fn a_thread_that_writes_to_somebody_who_is_gone_is_none_the_worse() {
    // Where there is another runtime a thread sees by itself that an actor is gone, and drops the message.
    let _other = crate::support::runtime(1);
    let told = told_of(|runtime| {
        let gone = runtime.spawn(Minefield);
        let end = gone.ended();
        gone.stop();
        end.wait_for(PATIENCE).unwrap();
        gone.tell(Bomb);
        gone.query(Bomb);
        runtime.client(|client| client.tell(gone, Bomb));
    });
    assert_eq!(told, [of("a message", true)], "a client has a worker send it");
}

#[test]
fn monitors_traps_and_factories_are_told_of() {
    let told = told_of(|runtime| {
        let (watcher, watched) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        let dead = gone(runtime);
        tell(watcher, move |_, cx| {
            cx.monitor(watched, |_| panic!("a monitor, on purpose"));
            cx.monitor(dead, |_| panic!("a monitor of the dead, on purpose"));
        });
        sync(watcher);
        watched.stop();
        watched.ended().wait_for(PATIENCE).unwrap();
        watcher.stop();
    });
    assert_eq!(told, vec![of("a monitor", true); 2]);
    let told = told_of(|runtime| {
        let (trapper, peer) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        tell(trapper, move |_, cx| {
            cx.trap_links(|_| panic!("a trap, on purpose"));
            cx.link(peer);
        });
        sync(trapper);
        let end = trapper.ended();
        peer.stop();
        let reason = end.wait_for(PATIENCE).unwrap();
        assert_eq!(reason.to_string(), "panicked: a trap, on purpose");
    });
    assert_eq!(told, [of("Puppet", true)]);
    let told = told_of(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 1, PATIENCE);
        let first = std::sync::atomic::AtomicBool::new(true);
        let factory = move || {
            assert!(
                first.swap(false, std::sync::atomic::Ordering::SeqCst),
                "a factory, on purpose"
            );
            Puppet::default()
        };
        let puppet = supervisor
            .start(&mut &*runtime, Restart::Always, factory)
            .unwrap();
        let end = puppet.ended();
        tell(puppet, |_, _| panic!("a handler, on purpose"));
        end.wait_for(PATIENCE).unwrap();
    });
    assert_eq!(told, vec![of("Puppet", true); 2], "the handler, and the factory");
}
