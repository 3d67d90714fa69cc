use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use datil::{AskError, Restart, Runtime, StopReason, Strategy, Supervisor};

use crate::support::{Alive, Bomb, PATIENCE, Play, Puppet, on_all, sync, tell};

const TICK: Duration = Duration::from_millis(2);
const NEVER: Duration = Duration::from_secs(3600);

#[test]
fn a_timer_fires_once_not_early_and_quiescence_waits_for_it() {
    on_all(|runtime| {
        let puppet = runtime.spawn(Puppet::default());
        let set = Instant::now();
        let (reply, answer) = datil::promise();
        runtime.tell_after(
            10 * TICK,
            puppet,
            Box::new(move |_, _| reply.send(Instant::now())),
        );
        tell(puppet, |_, cx| {
            let me = cx.address();
            cx.tell_after(TICK, me, Box::new(|me, _| me.number += 1));
            cx.after(TICK, |me, cx| {
                me.number += 10;
                cx.after(TICK, |me, _| me.number += 100);
            });
        });
        runtime.wait_quiescent();
        assert!(answer.wait_for(PATIENCE).unwrap() >= set + 10 * TICK);
        let (reply, answer) = datil::promise();
        tell(puppet, move |me, _| reply.send(me.number));
        assert_eq!(answer.wait_for(PATIENCE), Ok(111));
        assert_eq!(runtime.timers(), 0);
        puppet.stop();
    });
}

#[test]
fn a_cancelled_timer_does_not_fire() {
    on_all(|runtime| {
        let puppet = runtime.spawn(Puppet::default());
        let alive = Arc::default();
        let held = Alive::new(&alive);
        let timer = runtime.tell_after(NEVER, puppet, Box::new(move |_, _| drop(held)));
        assert!(runtime.cancel(timer));
        assert!(!runtime.cancel(timer));
        assert_eq!(
            alive.load(SeqCst),
            0,
            "what a cancelled timer holds is dropped at once"
        );
        // A thread that loses its processor between setting and cancelling is too late, and tries again.
        let mut fired = 0;
        loop {
            let (reply, answer) = datil::promise();
            tell(puppet, move |_, cx| {
                let soon = cx.after(TICK, |me, _| me.number += 1);
                reply.send((cx.cancel(soon), cx.cancel(soon)));
            });
            let (first, second) = answer.wait_for(PATIENCE).unwrap();
            assert!(!second, "nothing is cancelled twice");
            if first {
                break;
            }
            fired += 1;
        }
        std::thread::sleep(3 * TICK);
        let (reply, answer) = datil::promise();
        tell(puppet, move |me, _| reply.send(me.number));
        assert_eq!(answer.wait_for(PATIENCE), Ok(fired));
        puppet.stop();
    });
}

#[test]
fn an_interval_beats_until_it_is_cancelled_or_nobody_listens() {
    on_all(|runtime| {
        let puppet = runtime.spawn(Puppet::default());
        let (reply, answer) = datil::promise();
        let mut reply = Some(reply);
        let beats: Arc<AtomicUsize> = Arc::default();
        let counted = beats.clone();
        let timer = runtime.tell_every(TICK, puppet, move || {
            let reply = if counted.fetch_add(1, SeqCst) == 4 {
                reply.take()
            } else {
                None
            };
            Box::new(move |_: &mut Puppet, _: &mut datil::Context<'_, Puppet>| {
                if let Some(reply) = reply {
                    reply.send(());
                }
            }) as Play
        });
        answer.wait_for(PATIENCE).unwrap();
        runtime.cancel(timer);
        runtime.wait_quiescent();
        let counted = beats.clone();
        tell(puppet, move |_, cx| {
            let me = cx.address();
            cx.tell_every(TICK, me, move || {
                counted.fetch_add(1, SeqCst);
                Box::new(|_, _| {})
            });
        });
        sync(puppet);
        assert_eq!(runtime.timers(), 1);
        let end = puppet.ended();
        puppet.stop();
        end.wait_for(PATIENCE).unwrap();
        assert_eq!(runtime.timers(), 0, "an actor's timers end with it");
    });
}

#[test]
fn timers_end_with_their_actor_and_with_a_restart() {
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 3, PATIENCE);
        let puppet = supervisor
            .start(&mut &*runtime, Restart::OnFailure, Puppet::default)
            .unwrap();
        tell(puppet, |_, cx| {
            (0..10).for_each(|_| {
                cx.after(NEVER, |_, _| {});
            });
        });
        sync(puppet);
        assert_eq!(runtime.timers(), 10);
        tell(puppet, |_, _| panic!("on purpose"));
        sync(puppet);
        assert_eq!(runtime.timers(), 0);
        let end = puppet.ended();
        supervisor.stop();
        assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Supervisor));
    });
}

#[test]
fn a_question_that_takes_too_long_is_answered_by_the_clock_and_leaves_nothing() {
    let alive: Arc<AtomicUsize> = Arc::default();
    on_all(|runtime| {
        let (deaf, asker) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        for most in [TICK, NEVER] {
            let (reply, answer) = datil::promise();
            let held = Alive::new(&alive);
            tell(asker, move |_, cx| {
                cx.ask_within(
                    most,
                    deaf,
                    |reply| {
                        Box::new(move |me: &mut Puppet, _: &mut datil::Context<'_, Puppet>| {
                            me.asked.push(reply)
                        }) as Play
                    },
                    move |_, answer, _| {
                        drop(held);
                        reply.send(answer);
                    },
                );
            });
            if most == TICK {
                assert_eq!(answer.wait_for(PATIENCE), Ok(Err(AskError::TimedOut)));
                tell(deaf, |me, _| me.asked.drain(..).for_each(|reply| reply.send(1)));
                sync(deaf);
            } else {
                sync(asker);
                tell(deaf, |me, _| me.asked.drain(..).for_each(|reply| reply.send(2)));
                assert_eq!(answer.wait_for(PATIENCE), Ok(Ok(2)));
            }
            runtime.wait_quiescent();
            assert_eq!((runtime.timers(), alive.load(SeqCst)), (0, 0));
        }
        deaf.stop();
        asker.stop();
    });
}

#[test]
fn a_timer_that_is_left_is_in_the_report() {
    let runtime = crate::support::runtime(1);
    let puppet = runtime.spawn(Puppet::default());
    let alive = Arc::default();
    let held = Alive::new(&alive);
    runtime.tell_after(NEVER, puppet, Box::new(move |_, _| drop(held)));
    runtime.register("left", puppet).unwrap();
    let leftovers = runtime.shutdown();
    assert_eq!(
        (leftovers.timers, leftovers.names.clone()),
        (1, vec!["left".to_owned()])
    );
    assert!(leftovers.to_string().contains("1 timers"), "{leftovers}");
    assert_eq!(alive.load(SeqCst), 0);
}

#[test]
fn an_interval_ends_with_its_owner_also_while_it_beats() {
    on_all(|runtime| {
        let (owner, listener) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        let beats: Arc<AtomicUsize> = Arc::default();
        let counted = beats.clone();
        tell(owner, move |_, cx| {
            let me = cx.address();
            cx.tell_every(TICK, listener, move || {
                counted.fetch_add(1, SeqCst);
                me.stop();
                me.ended().wait_for(PATIENCE).unwrap();
                Box::new(|_, _| {})
            });
        });
        owner.ended().wait_for(PATIENCE).unwrap();
        std::thread::sleep(5 * TICK);
        assert_eq!((beats.load(SeqCst), runtime.timers()), (1, 0));
        listener.stop();
    });
}

#[test]
fn a_panic_in_what_a_timer_holds_ends_that_timer_only() {
    on_all(|runtime| {
        let (dead, listener) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        let end = dead.ended();
        dead.stop();
        end.wait_for(PATIENCE).unwrap();
        let bomb = Bomb;
        runtime.tell_every(TICK, dead, move || {
            let _held = &bomb;
            Box::new(|_, _| {})
        });
        let (reply, answer) = datil::promise();
        runtime.tell_after(5 * TICK, listener, Box::new(move |_, _| reply.send(())));
        assert_eq!(answer.wait_for(PATIENCE), Ok(()), "the others go on");
        listener.stop();
    });
}

#[test]
fn all_timers_of_an_actor_end_with_it_whatever_their_destructors_do() {
    fn set_three(owner: datil::Address<Puppet>) {
        tell(owner, |_, cx| {
            let me = cx.address();
            for bomb in [Bomb, Bomb, Bomb] {
                cx.tell_after(NEVER, me, Box::new(move |_, _| drop(bomb)));
            }
        });
        sync(owner);
    }
    on_all(|runtime| {
        let supervisor = Supervisor::new(Strategy::OneForOne, 3, PATIENCE);
        let puppet = supervisor
            .start(&mut &*runtime, Restart::OnFailure, Puppet::default)
            .unwrap();
        set_three(puppet);
        tell(puppet, |_, _| panic!("on purpose"));
        sync(puppet);
        assert_eq!(runtime.timers(), 0, "restarted");
        set_three(puppet);
        let end = puppet.ended();
        supervisor.stop();
        assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Supervisor));
        assert_eq!(runtime.timers(), 0, "stopped");
    });
}

#[test]
fn a_timer_that_waits_for_its_own_runtime_is_refused() {
    // The panic is meant.
    let runtime = Arc::new(Runtime::builder().workers(1).build().unwrap());
    let puppet = runtime.spawn(Puppet::default());
    let inside = runtime.clone();
    runtime.tell_every(TICK, puppet, move || {
        inside.wait_quiescent();
        Box::new(|_, _| {})
    });
    // Quiescence waits for this one, and so would the thread that sends it.
    let (reply, sent) = datil::promise();
    runtime.tell_after(20 * TICK, puppet, Box::new(move |_, _| reply.send(())));
    assert_eq!(sent.wait_for(PATIENCE), Ok(()));
    assert_eq!((runtime.metrics().timer_panics, runtime.timers()), (1, 0));
    puppet.stop();
    runtime.wait_quiescent();
}
