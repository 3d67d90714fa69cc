use datil::{AskError, Simulation, StopReason};

use crate::support::{Bomb, PATIENCE, Puppet, on_all, runtime, sync, tell};

#[test]
fn a_stop_from_outside_overtakes_and_a_stop_in_turn_does_not() {
    on_all(|runtime| {
        let (now, later) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        for actor in [now, later] {
            (0..50).for_each(|_| tell(actor, |me, _| me.number += 1));
        }
        let kept = later.ask(|reply| {
            Box::new(move |me: &mut Puppet, _: &mut datil::Context<'_, Puppet>| reply.send(me.number))
                as crate::support::Play
        });
        let ends = [now, later].map(datil::Address::ended);
        now.stop();
        later.stop_in_turn();
        later.stop_in_turn();
        assert_eq!(kept.wait_for(PATIENCE), Ok(50));
        for (end, actor) in ends.into_iter().zip([now, later]) {
            assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Stopped));
            assert!(!actor.is_alive());
        }
        assert_eq!(now.ended().wait_for(PATIENCE), Ok(StopReason::Gone));
    });
}

#[test]
fn stopped_runs_unless_the_actor_is_killed_or_panics() {
    on_all(|runtime| {
        let log = crate::support::Log::default();
        let actors = [0, 1, 2].map(|_| {
            let actor = runtime.spawn(Puppet {
                log: log.clone(),
                ..Puppet::default()
            });
            sync(actor);
            actor
        });
        let ends = actors.map(datil::Address::ended);
        actors[0].stop();
        actors[1].kill();
        tell(actors[2], |_, _| panic!("on purpose"));
        let reasons = ends.map(|end| end.wait_for(PATIENCE).unwrap());
        assert_eq!(
            reasons,
            [
                StopReason::Stopped,
                StopReason::Killed,
                StopReason::Panicked("on purpose".into())
            ]
        );
        assert_eq!(log.lines(), ["stopped"]);
    });
}

#[test]
fn a_monitor_tells_once_why_and_after_all_that_was_sent() {
    on_all(|runtime| {
        for round in 0..50 {
            let (watcher, watched) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
            tell(watcher, move |_, cx| {
                cx.monitor(watched, move |down| {
                    Box::new(move |me, _| {
                        me.log
                            .note(format!("{} {}", down.actor == watched.id(), down.reason))
                    })
                });
            });
            sync(watcher);
            tell(watched, move |_, cx| {
                cx.tell(watcher, Box::new(|me, _| me.log.note("farewell")));
                if round % 2 == 0 {
                    cx.stop();
                } else {
                    panic!("on purpose");
                }
            });
            watched.ended().wait_for(PATIENCE).unwrap();
            let (reply, answer) = datil::promise();
            runtime.wait_quiescent();
            tell(watcher, move |me, _| reply.send(me.log.lines()));
            let why = if round % 2 == 0 {
                "true stopped"
            } else {
                "true panicked: on purpose"
            };
            assert_eq!(answer.wait_for(PATIENCE).unwrap(), ["farewell", why]);
            watcher.stop();
        }
    });
}

#[test]
fn monitors_of_the_dead_report_and_ended_monitors_do_not() {
    on_all(|runtime| {
        let (watcher, watched) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        tell(watcher, move |_, cx| {
            for n in 0..10 {
                let monitor = cx.monitor(watched, move |_| {
                    Box::new(move |me, _| me.log.note(format!("monitor {n}")))
                });
                if n != 5 {
                    cx.demonitor(monitor);
                }
            }
        });
        sync(watcher);
        watched.stop();
        watched.ended().wait_for(PATIENCE).unwrap();
        runtime.wait_quiescent();
        tell(watcher, move |_, cx| {
            cx.monitor(watched, |down| {
                Box::new(move |me, _| me.log.note(down.reason.to_string()))
            });
        });
        runtime.wait_quiescent();
        let (reply, answer) = datil::promise();
        tell(watcher, move |me, _| reply.send(me.log.lines()));
        assert_eq!(
            answer.wait_for(PATIENCE).unwrap(),
            ["monitor 5", "had stopped before"]
        );
        watcher.stop();
    });
}

#[test]
fn links_spread_failures_and_not_orderly_ends() {
    on_all(|runtime| {
        // A chain: the failure of one end reaches the other.
        let chain: Vec<_> = (0..10).map(|_| runtime.spawn(Puppet::default())).collect();
        for pair in chain.windows(2) {
            let next = pair[1];
            tell(pair[0], move |_, cx| cx.link(next));
        }
        chain.iter().copied().for_each(sync);
        runtime.wait_quiescent();
        let end = chain[0].ended();
        tell(chain[9], |_, _| panic!("on purpose"));
        assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Linked(chain[1].id())));
        // An orderly end stays alone; so does a failure after `unlink`, and one that is trapped.
        let (a, b, c, d) = (
            runtime.spawn(Puppet::default()),
            runtime.spawn(Puppet::default()),
            runtime.spawn(Puppet::default()),
            runtime.spawn(Puppet::default()),
        );
        tell(a, move |_, cx| {
            cx.trap_links(|down| {
                Box::new(move |me, _| me.log.note(format!("{:?} {}", down.actor, down.reason)))
            });
            cx.link(b);
            cx.link(c);
            cx.link(d);
            cx.unlink(d);
        });
        sync(a);
        b.stop();
        b.ended().wait_for(PATIENCE).unwrap();
        runtime.wait_quiescent();
        c.kill();
        d.kill();
        runtime.wait_quiescent();
        let (reply, answer) = datil::promise();
        tell(a, move |me, _| reply.send(me.log.lines()));
        assert_eq!(
            answer.wait_for(PATIENCE).unwrap(),
            [format!("{:?} stopped", b.id()), format!("{:?} killed", c.id())]
        );
        // Linking to the dead is sharing its fate.
        let (e, f) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        let end = e.ended();
        tell(e, move |_, cx| cx.link(b));
        assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Linked(b.id())));
        tell(f, move |_, cx| {
            cx.link(a);
            cx.stop_because(StopReason::Killed);
        });
        runtime.wait_quiescent();
        assert!(a.is_alive(), "it traps");
        a.stop();
    });
}

#[test]
fn a_runtime_that_ends_answers_those_who_wait_for_an_end() {
    let runtime = runtime(2);
    let actor = runtime.spawn(Puppet::default());
    sync(actor);
    let end = actor.ended();
    sync(actor);
    assert_eq!(runtime.shutdown().actors.len(), 1);
    assert_eq!(end.wait_for(PATIENCE), Err(AskError::Dropped));
    assert_eq!(actor.ended().wait_for(PATIENCE), Ok(StopReason::Gone));
}

#[test]
fn who_begins_to_watch_just_before_a_runtime_ends_is_not_told_that_the_actor_had_stopped() {
    let here = runtime(1);
    let watcher = here.spawn(Puppet::default());
    let simulation = Simulation::new(1, 2).unwrap();
    let watched = simulation.spawn(Puppet::default());
    let (reply, reason) = datil::promise();
    let (reply_of_link, link) = datil::promise();
    tell(watcher, move |_, cx| {
        cx.monitor(watched, |down| Box::new(move |_, _| reply.send(down.reason)));
        let reply = std::sync::Mutex::new(Some(reply_of_link));
        cx.trap_links(move |down| {
            let reply = reply.lock().unwrap().take();
            Box::new(move |_, _| reply.expect("one link").send(down.reason))
        });
        cx.link(watched);
    });
    sync(watcher);
    // No step is taken, so nobody has heard of it.
    let end = watched.ended();
    assert_eq!(simulation.shutdown().actors.values().sum::<usize>(), 1);
    assert_eq!(end.wait_for(PATIENCE), Err(AskError::Dropped));
    assert_eq!(reason.wait_for(PATIENCE), Ok(StopReason::Shutdown));
    assert_eq!(link.wait_for(PATIENCE), Ok(StopReason::Shutdown));
    watcher.stop();
    here.wait_quiescent();
    assert!(here.shutdown().is_empty());
}

#[test]
fn the_end_of_a_runtime_is_told_in_others() {
    let (here, there) = (runtime(2), runtime(1));
    let [watched, left] = [0, 1].map(|_| there.spawn(Puppet::default()));
    let [watcher, linked] = [0, 1].map(|_| here.spawn(Puppet::default()));
    let (reply, reason) = datil::promise();
    tell(watcher, move |_, cx| {
        cx.monitor(watched, |down| Box::new(move |_, _| reply.send(down.reason)));
    });
    tell(linked, move |_, cx| cx.link(watched));
    tell(left, move |_, cx| {
        cx.monitor(watched, |_| unreachable!("it is left over, too"));
    });
    [watcher, linked, left, watched].into_iter().for_each(sync);
    let end = linked.ended();
    let leftovers = there.shutdown();
    assert_eq!(
        (leftovers.actors.values().sum::<usize>(), leftovers.messages),
        (2, 0)
    );
    assert_eq!(reason.wait_for(PATIENCE), Ok(StopReason::Shutdown));
    assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Linked(watched.id())));
}

#[test]
fn signals_reach_actors_that_move_and_those_of_other_runtimes() {
    let (here, there) = (runtime(2), runtime(2));
    for _ in 0..100 {
        let (watcher, watched) = (here.spawn(Puppet::default()), there.spawn(Puppet::default()));
        let (reply, answer) = datil::promise();
        tell(watcher, move |_, cx| {
            cx.monitor(watched, |down| {
                Box::new(move |_, cx| {
                    reply.send(down.reason);
                    cx.stop();
                })
            });
            cx.tell(watched, Box::new(|_, cx| cx.stop()));
        });
        assert!(answer.wait_for(PATIENCE).is_ok());
    }
    here.wait_quiescent();
    there.wait_quiescent();
    assert!(here.shutdown().is_empty() && there.shutdown().is_empty());
}

#[test]
fn a_watcher_that_panics_harms_neither_the_others_nor_who_is_watched() {
    on_all(|runtime| {
        let [watched, bad, good] = [0, 1, 2].map(|_| runtime.spawn(Puppet::default()));
        tell(bad, move |_, cx| {
            let bomb = Bomb;
            let ended = cx.monitor(watched, move |_| {
                drop(bomb);
                Box::new(|_, _| {})
            });
            cx.demonitor(ended);
            cx.monitor(watched, |_| panic!("on purpose"));
        });
        sync(bad);
        let (reply, answer) = datil::promise();
        tell(good, move |_, cx| {
            cx.monitor(watched, |down| Box::new(move |_, _| reply.send(down.reason)));
        });
        sync(good);
        sync(watched);
        watched.stop();
        assert_eq!(answer.wait_for(PATIENCE), Ok(StopReason::Stopped));
        bad.stop();
        good.stop();
    });
}

#[test]
fn a_reason_of_the_actors_own_is_told_whichever_it_is() {
    on_all(|runtime| {
        let (watched, linked) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        tell(linked, move |_, cx| cx.link(watched));
        sync(linked);
        let ends = [watched, linked].map(datil::Address::ended);
        sync(watched);
        tell(watched, |_, cx| cx.stop_because(StopReason::Shutdown));
        let reasons = ends.map(|end| end.wait_for(PATIENCE));
        assert_eq!(
            reasons,
            [Ok(StopReason::Shutdown), Ok(StopReason::Linked(watched.id()))]
        );
    });
}
