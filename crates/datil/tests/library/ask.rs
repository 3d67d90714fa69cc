use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use datil::{Actor, Answer, AskError, Context, ReplyTo};

use crate::support::{Alive, PATIENCE, Play, Puppet, on_all, runtime, sync, tell};

/// A question that the receiver keeps.
fn keep(reply: ReplyTo<u64>) -> Play {
    Box::new(move |me: &mut Puppet, _: &mut Context<'_, Puppet>| me.asked.push(reply))
}

/// A question that is answered at once.
fn number(reply: ReplyTo<u64>) -> Play {
    Box::new(move |me: &mut Puppet, _: &mut Context<'_, Puppet>| reply.send(me.number))
}

#[test]
fn an_answer_reaches_threads_tasks_and_actors() {
    on_all(|runtime| {
        let oracle = runtime.spawn(Puppet {
            number: 42,
            ..Puppet::default()
        });
        assert_eq!(oracle.ask(number).wait(), Ok(42));
        assert_eq!(oracle.ask(number).wait_for(PATIENCE), Ok(42));
        assert_eq!(pollster::block_on(oracle.ask(number)), Ok(42));
        let asker = runtime.spawn(Puppet::default());
        let (reply, answer) = datil::promise();
        tell(asker, move |_, cx| {
            cx.ask(oracle, number, move |me, answer, cx| {
                me.number = answer.unwrap();
                reply.send((me.number, cx.address()));
            });
        });
        assert_eq!(answer.wait_for(PATIENCE), Ok((42, asker)));
        asker.stop();
        oracle.stop();
    });
}

#[test]
fn an_answer_comes_in_order_with_what_the_other_has_sent() {
    on_all(|runtime| {
        let (oracle, asker) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        for round in 0..200 {
            let (done, answer) = datil::promise();
            tell(asker, move |_, cx| {
                let me = cx.address();
                cx.ask(
                    oracle,
                    move |reply: ReplyTo<()>| {
                        Box::new(move |_: &mut Puppet, cx: &mut Context<'_, Puppet>| {
                            cx.tell(me, Box::new(move |me, _| me.number = 2 * round + 1));
                            reply.send(());
                            cx.tell(me, Box::new(move |me, _| me.number = 2 * round + 2));
                        }) as Play
                    },
                    move |me, _, _| done.send(me.number),
                );
            });
            assert_eq!(
                answer.wait_for(PATIENCE),
                Ok(2 * round + 1),
                "the answer overtook, or was overtaken"
            );
        }
        asker.stop();
        oracle.stop();
    });
}

#[test]
fn a_question_that_is_dropped_is_an_error_and_no_hang() {
    on_all(|runtime| {
        let (deaf, gone, asker) = (
            runtime.spawn(Puppet::default()),
            runtime.spawn(Puppet::default()),
            runtime.spawn(Puppet::default()),
        );
        gone.stop();
        assert!(gone.ended().wait_for(PATIENCE).is_ok());
        // From outside: to an actor that is gone; that drops the question; that stops with it in its mailbox or state; that panics.
        assert_eq!(gone.ask(number).wait_for(PATIENCE), Err(AskError::Gone));
        let dropped = deaf.ask(|reply: ReplyTo<()>| {
            Box::new(move |_: &mut Puppet, _: &mut Context<'_, Puppet>| drop(reply)) as Play
        });
        assert_eq!(dropped.wait_for(PATIENCE), Err(AskError::Dropped));
        let kept = deaf.ask(keep);
        sync(deaf);
        tell(deaf, |_, _| panic!("on purpose"));
        let behind = deaf.ask(keep);
        assert_eq!(kept.wait_for(PATIENCE), Err(AskError::Dropped));
        assert_eq!(behind.wait_for(PATIENCE), Err(AskError::Gone));
        // From an actor, the same.
        let (reply, answer) = datil::promise();
        tell(asker, move |_, cx| {
            cx.ask(gone, number, move |_, answer, _| reply.send(answer));
        });
        assert_eq!(answer.wait_for(PATIENCE), Ok(Err(AskError::Gone)));
        asker.stop();
    });
}

/// Why a lost question is lost says the message that it is in, and nobody else's.
#[test]
fn what_a_lost_message_leads_to_is_not_lost_for_its_reason() {
    on_all(|runtime| {
        let (gone, asker, owner) = (
            runtime.spawn(Puppet::default()),
            runtime.spawn(Puppet::default()),
            datil::Runtime::builder().workers(1).build().unwrap(),
        );
        gone.stop();
        gone.ended().wait_for(PATIENCE).unwrap();
        // The asker of a lost question is gone, too, and its continuation has the reply to another one.
        let (reply, answer) = datil::promise::<()>();
        let (give, lost) = datil::promise();
        tell(asker, move |_, cx| {
            give.send(cx.reply(move |_, _: Result<u64, AskError>, _| reply.send(())));
            cx.stop();
        });
        asker.ended().wait_for(PATIENCE).unwrap();
        let lost = lost.wait_for(PATIENCE).unwrap();
        gone.tell(number(lost));
        assert_eq!(answer.wait_for(PATIENCE), Err(AskError::Dropped));
        // A lost message has the last reference to a runtime, in which a question is kept.
        let keeper = owner.spawn(Puppet::default());
        let kept = keeper.ask(keep);
        sync(keeper);
        tell(gone, move |_, _| drop(owner));
        assert_eq!(kept.wait_for(PATIENCE), Err(AskError::Dropped));
        // What panics when it is dropped leaves nothing behind.
        let bomb = crate::support::Bomb;
        let holder = runtime.spawn(Puppet::default());
        let kept = holder.ask(keep);
        sync(holder);
        tell(holder, move |me, cx| {
            cx.tell(gone, Box::new(move |_, _| drop(bomb)));
            me.asked.clear();
            cx.stop();
        });
        assert_eq!(kept.wait_for(PATIENCE), Err(AskError::Dropped));
    });
}

#[test]
fn a_question_that_the_actor_has_put_aside_is_not_lost() {
    struct Later(u32);
    impl Actor for Later {
        type Msg = ReplyTo<()>;
        fn handle(&mut self, question: ReplyTo<()>, cx: &mut Context<'_, Self>) {
            self.0 += 1;
            cx.stash(question);
        }
    }
    on_all(|runtime| {
        let later = runtime.spawn(Later(0));
        let put_aside = later.ask(|reply| reply);
        later.stop_in_turn();
        let behind = later.ask(|reply| reply);
        assert_eq!(put_aside.wait_for(PATIENCE), Err(AskError::Dropped));
        assert_eq!(behind.wait_for(PATIENCE), Err(AskError::Gone));
    });
}

#[test]
fn an_answer_to_one_who_is_gone_is_dropped() {
    let alive: Arc<AtomicUsize> = Arc::default();
    on_all(|runtime| {
        let (oracle, asker) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        let held = Alive::new(&alive);
        tell(asker, move |_, cx| {
            cx.ask(oracle, keep, move |_, _, _| drop(held));
            cx.stop();
        });
        drop(oracle.ask(keep));
        asker.ended().wait_for(PATIENCE).unwrap();
        tell(oracle, |me, _| me.asked.drain(..).for_each(|reply| reply.send(1)));
        sync(oracle);
        oracle.stop();
    });
    assert_eq!(alive.load(SeqCst), 0, "a continuation has leaked");
}

#[test]
fn waiting_is_bounded_and_refused_inside_actors() {
    on_all(|runtime| {
        let deaf = runtime.spawn(Puppet::default());
        assert_eq!(
            deaf.ask(keep).wait_for(Duration::from_millis(5)),
            Err(AskError::TimedOut)
        );
        let (reply, answer) = datil::promise();
        tell(deaf, move |_, cx| {
            let me = cx.address();
            reply.send((me.ask(keep).wait(), me.ask(keep).wait_for(PATIENCE)));
        });
        let refused = Err(AskError::InsideActor);
        assert_eq!(answer.wait_for(PATIENCE), Ok((refused, refused)));
        deaf.stop();
    });
}

#[test]
fn two_actors_that_ask_each_other_both_get_on() {
    on_all(|runtime| {
        let (one, other) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        let answers: Vec<_> = [(one, other), (other, one)]
            .map(|(asker, asked)| {
                let (reply, answer) = datil::promise();
                tell(asker, move |_, cx| {
                    cx.ask(asked, number, move |_, answer, _| reply.send(answer));
                });
                answer
            })
            .into();
        for answer in answers {
            assert_eq!(answer.wait_for(PATIENCE), Ok(Ok(0)));
        }
        one.stop();
        other.stop();
    });
}

#[test]
fn big_and_aligned_answers_and_continuations_arrive() {
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[repr(align(128))]
    struct Aligned(u8);
    on_all(|runtime| {
        let (oracle, asker) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        let (big, aligned) = ([7u64; 500], Aligned(3));
        let (first, one) = datil::promise();
        let (second, two) = datil::promise();
        tell(asker, move |_, cx| {
            cx.ask(
                oracle,
                move |reply: ReplyTo<[u64; 500]>| {
                    Box::new(move |_: &mut Puppet, _: &mut Context<'_, Puppet>| reply.send(big)) as Play
                },
                move |_, answer, _| first.send(answer.unwrap().iter().chain(&big).sum::<u64>()),
            );
            cx.ask(
                oracle,
                move |reply: ReplyTo<Aligned>| {
                    Box::new(move |_: &mut Puppet, _: &mut Context<'_, Puppet>| reply.send(aligned)) as Play
                },
                move |_, answer, _| second.send(answer.unwrap() == aligned),
            );
        });
        assert_eq!(one.wait_for(PATIENCE), Ok(7000));
        assert_eq!(two.wait_for(PATIENCE), Ok(true));
        oracle.stop();
        asker.stop();
    });
}

#[test]
fn a_continuation_that_panics_stops_its_actor_only() {
    on_all(|runtime| {
        let (oracle, asker) = (runtime.spawn(Puppet::default()), runtime.spawn(Puppet::default()));
        let end = asker.ended();
        tell(asker, move |_, cx| {
            cx.ask(oracle, number, |_, _, _| panic!("on purpose"))
        });
        let reason = end.wait_for(PATIENCE).unwrap();
        assert_eq!(reason, datil::StopReason::Panicked("on purpose".into()));
        sync(oracle);
        oracle.stop();
    });
}

#[test]
fn many_questions_among_many_actors_are_all_answered_or_refused() {
    on_all(|runtime| {
        let actors: Arc<Vec<_>> = Arc::new((0..8).map(|_| runtime.spawn(Puppet::default())).collect());
        let rounds = if cfg!(miri) { 3 } else { 200 };
        let answered: Arc<AtomicUsize> = Arc::default();
        for round in 0..rounds {
            for (i, &asker) in actors.iter().enumerate() {
                let (actors, answered) = (actors.clone(), answered.clone());
                tell(asker, move |_, cx| {
                    let asked = actors[(i * 5 + round) % actors.len()];
                    cx.ask(asked, number, move |_, _, _| {
                        answered.fetch_add(1, SeqCst);
                    });
                });
            }
        }
        runtime.wait_quiescent();
        assert_eq!(answered.load(SeqCst), 8 * rounds);
        actors.iter().for_each(|actor| actor.stop());
    });
}

/// Each asks the next one and stops; the last one drops its reply, and with it the continuations of all, or it is left over.
#[test]
fn a_long_chain_of_questions_ends_although_the_askers_are_gone() {
    struct Link {
        keeps: bool,
        kept: Option<ReplyTo<()>>,
    }
    impl Actor for Link {
        type Msg = (usize, ReplyTo<()>);
        fn handle(&mut self, (left, reply): Self::Msg, cx: &mut Context<'_, Self>) {
            if left == 0 {
                self.kept = self.keeps.then_some(reply);
                return;
            }
            let next = cx.spawn(Link {
                keeps: self.keeps,
                kept: None,
            });
            cx.ask(next, |reply| (left - 1, reply), move |_, _, _| reply.send(()));
            cx.stop();
        }
    }
    let links = if cfg!(miri) { 100 } else { 100_000 };
    for keeps in [false, true] {
        let runtime = runtime(1);
        let (reply, answer) = datil::promise();
        let first = Link { keeps, kept: None };
        runtime.spawn(first).tell((links, reply));
        runtime.wait_quiescent();
        let left: Vec<_> = runtime.shutdown().actors.into_values().collect();
        assert_eq!(left, [1], "the last one");
        assert_eq!(answer.wait(), Err(AskError::Dropped));
    }
}

/// Panics when it is dropped, and once more with what it has thrown.
struct Fuse;

impl Drop for Fuse {
    fn drop(&mut self) {
        std::panic::panic_any(crate::support::Bomb);
    }
}

#[test]
fn lost_questions_that_panic_in_a_row_lose_no_later_ones() {
    // What is thrown is no text, so that nobody is told that it is on purpose.
    let runtime = datil::Runtime::builder().workers(1).build().unwrap();
    // A reply to an actor that is gone, which would do this.
    let lost = |then: Box<dyn FnOnce() + Send>| {
        let (reply, made) = datil::promise();
        let asker = runtime.spawn(Puppet::default());
        tell(asker, move |_, cx| {
            reply.send(cx.reply(move |_, _: Result<(), _>, _| then()));
            cx.stop();
        });
        asker.ended().wait_for(PATIENCE).unwrap();
        made.wait_for(PATIENCE).unwrap()
    };
    let mut chain = lost(Box::new(|| {}));
    for _ in 0..2 {
        let fuse = Fuse;
        chain = lost(Box::new(move || {
            drop(fuse);
            drop(chain);
        }));
    }
    let (reply, answer) = datil::promise::<()>();
    let later = lost(Box::new(move || reply.send(())));
    let holder = runtime.spawn(Puppet::default());
    // On one thread, the worker's.
    tell(holder, move |_, cx| {
        drop(chain);
        drop(later);
        cx.stop();
    });
    runtime.wait_quiescent();
    assert_eq!(answer.wait_for(PATIENCE / 60), Err(AskError::Dropped));
    assert!(runtime.shutdown().is_empty());
}

/// A waker that panics.
struct Grumpy;

impl std::task::Wake for Grumpy {
    fn wake(self: Arc<Self>) {
        panic!("a waker, on purpose");
    }
}

#[test]
fn a_waker_that_panics_is_not_the_answering_actors_failure() {
    on_all(|runtime| {
        let plays: [fn(&mut Puppet); 2] = [|me| me.asked.pop().unwrap().send(1), |me| drop(me.asked.pop())];
        let oracle = runtime.spawn(Puppet::default());
        let waker = std::task::Waker::from(Arc::new(Grumpy));
        let wait = || {
            let mut answer = Box::pin(oracle.ask(keep));
            let poll = answer.as_mut().poll(&mut std::task::Context::from_waker(&waker));
            assert!(poll.is_pending());
            sync(oracle);
            answer
        };
        for play in plays {
            let answer = wait();
            tell(oracle, move |me, _| play(me));
            sync(oracle);
            drop(answer);
        }
        let _answer = wait();
        let end = oracle.ended();
        // The reply is dropped while the panic is under way, and the waker panics in that.
        tell(oracle, |me, _| {
            let _reply = me.asked.pop();
            panic!("a handler, on purpose");
        });
        let reason = end.wait_for(PATIENCE).unwrap();
        assert_eq!(reason.to_string(), "panicked: a handler, on purpose");
        assert_eq!(runtime.metrics().total().panics, 4);
    });
}

#[test]
fn a_thread_can_wait_for_what_was_awaited_before() {
    /// An answer that a task has given up to wait for.
    fn awaited() -> (ReplyTo<u64>, Answer<u64>) {
        let (reply, mut answer) = datil::promise();
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(Pin::new(&mut answer).poll(&mut cx).is_pending());
        (reply, answer)
    }
    let later = |act: Box<dyn FnOnce() + Send>| {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            act();
        })
    };
    type Wait = fn(Answer<u64>) -> Result<u64, AskError>;
    let waits: [Wait; 2] = [Answer::wait, |answer| answer.wait_for(PATIENCE)];
    for wait in waits {
        let (reply, answer) = awaited();
        reply.send(1);
        assert_eq!(wait(answer), Ok(1));
        let (reply, answer) = awaited();
        let thread = later(Box::new(|| reply.send(2)));
        assert_eq!(wait(answer), Ok(2));
        thread.join().unwrap();
        let (reply, answer) = awaited();
        let thread = later(Box::new(|| drop(reply)));
        assert_eq!(wait(answer), Err(AskError::Dropped));
        thread.join().unwrap();
    }
    let (_reply, answer) = awaited();
    assert_eq!(answer.wait_for(Duration::from_millis(5)), Err(AskError::TimedOut));
}
