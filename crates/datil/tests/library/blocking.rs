use std::sync::{Arc, mpsc};

use datil::{Runtime, StopReason};

use crate::support::{PATIENCE, Puppet, on_all, runtime, sync, tell};

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
