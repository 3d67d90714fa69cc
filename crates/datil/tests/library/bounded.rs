use std::sync::mpsc;

use datil::{
    Actor, Address, AskError, Context, Down, Mailbox, Overflow, Pool, Recipient, ReplyTo, Route, StopReason,
    TellError,
};

use crate::support::{PATIENCE, Puppet, on_all, runtime, tell};

/// What overflows is up to the constant: 0 rejects, 1 drops, 2 stops, 3 only counts.
#[derive(Default)]
struct Sink<const KIND: u8> {
    sum: u64,
}

enum Msg {
    Wait(mpsc::Receiver<()>),
    Number(u64),
    Sum(ReplyTo<u64>),
}

impl<const KIND: u8> Actor for Sink<KIND> {
    type Msg = Msg;
    const MAILBOX: Mailbox = match KIND {
        0 => Mailbox::Bounded {
            capacity: 4,
            overflow: Overflow::Reject,
        },
        1 => Mailbox::Bounded {
            capacity: 4,
            overflow: Overflow::Drop,
        },
        2 => Mailbox::Bounded {
            capacity: 4,
            overflow: Overflow::Stop,
        },
        _ => Mailbox::Counted,
    };

    fn handle(&mut self, msg: Msg, _: &mut Context<'_, Self>) {
        match msg {
            Msg::Wait(gate) => drop(gate.recv()),
            Msg::Number(n) => self.sum += n,
            Msg::Sum(reply) => reply.send(self.sum),
        }
    }
}

/// Makes an actor that waits inside a handler until the sender is dropped, with nothing in its mailbox.
fn held<const KIND: u8>(runtime: &datil::Runtime) -> (Address<Sink<KIND>>, mpsc::Sender<()>) {
    let sink = runtime.spawn(Sink::default());
    let (hold, gate) = mpsc::channel();
    sink.tell(Msg::Wait(gate));
    while sink.waiting() != Some(0) {
        std::thread::yield_now();
    }
    (sink, hold)
}

#[test]
fn a_full_mailbox_gives_back_drops_or_stops_exactly() {
    on_all(|runtime| {
        let (sink, hold) = held::<0>(runtime);
        let outcomes: Vec<_> = (1..=7).map(|n| sink.try_tell(Msg::Number(n)).is_ok()).collect();
        assert_eq!(outcomes, [true, true, true, true, false, false, false]);
        assert_eq!(sink.waiting(), Some(4));
        drop(hold);
        while sink.waiting() != Some(0) {
            std::thread::yield_now();
        }
        assert_eq!(sink.ask(Msg::Sum).wait_for(PATIENCE), Ok(1 + 2 + 3 + 4));
        let end = sink.ended();
        sink.stop();
        end.wait_for(PATIENCE).unwrap();
        assert!(matches!(
            sink.try_tell(Msg::Number(1)),
            Err(TellError::Gone(Msg::Number(1)))
        ));

        let (sink, hold) = held::<1>(runtime);
        (1..=7).for_each(|n| sink.try_tell(Msg::Number(n)).unwrap());
        drop(hold);
        while sink.waiting() != Some(0) {
            std::thread::yield_now();
        }
        assert_eq!(sink.ask(Msg::Sum).wait_for(PATIENCE), Ok(1 + 2 + 3 + 4));
        sink.stop();

        let (sink, hold) = held::<2>(runtime);
        let end = sink.ended();
        (1..=7).for_each(|n| sink.tell(Msg::Number(n)));
        drop(hold);
        assert_eq!(end.wait_for(PATIENCE), Ok(StopReason::Overflow));
    });
}

#[test]
fn every_way_of_sending_is_counted() {
    on_all(|runtime| {
        let (sink, hold) = held::<1>(runtime);
        runtime.client(|client| (0..3).for_each(|n| client.tell(sink, Msg::Number(n))));
        let sender = runtime.spawn_blocking(Puppet::default());
        let (reply, answer) = datil::promise();
        tell(sender, move |_, cx| {
            (3..9).for_each(|n| cx.tell(sink, Msg::Number(n)));
            cx.stop();
            reply.send(());
        });
        answer.wait_for(PATIENCE).unwrap();
        // Urgent ones are always taken, and leave the count alone.
        sink.tell_urgently(Msg::Number(100));
        assert_eq!(sink.waiting(), Some(4));
        drop(hold);
        while sink.waiting() != Some(0) {
            std::thread::yield_now();
        }
        assert_eq!(sink.ask(Msg::Sum).wait_for(PATIENCE), Ok(1 + 2 + 3 + 100));
        assert_eq!(sink.waiting(), Some(0));
        sink.stop();
    });
}

#[test]
fn the_count_begins_anew_in_a_cell_that_is_used_again() {
    let runtime = runtime(1);
    for _ in 0..if cfg!(miri) { 3 } else { 100 } {
        let (sink, hold) = held::<3>(&runtime);
        (0..5).for_each(|n| sink.tell(Msg::Number(n)));
        assert_eq!(sink.waiting(), Some(5));
        let end = sink.ended();
        sink.stop();
        drop(hold);
        end.wait_for(PATIENCE).unwrap();
        assert_eq!(
            sink.waiting(),
            Some(5),
            "the dead keep theirs until the cell is used again"
        );
    }
}

#[test]
fn a_bounded_actor_that_writes_to_itself_and_a_ring_of_them_do_not_hang() {
    struct Ring {
        next: Option<Address<Ring>>,
        left: u32,
    }
    impl Actor for Ring {
        type Msg = Option<Address<Ring>>;
        const MAILBOX: Mailbox = Mailbox::Bounded {
            capacity: 1,
            overflow: Overflow::Reject,
        };
        fn handle(&mut self, msg: Option<Address<Ring>>, cx: &mut Context<'_, Self>) {
            if msg.is_some() {
                self.next = msg;
            }
            // The one before may be told, and write, earlier than we are told.
            let Some(next) = self.next else {
                return;
            };
            if self.left == 0 {
                return cx.stop();
            }
            self.left -= 1;
            let me = cx.address();
            // Twice for each one received: what does not fit is refused, and nothing blocks.
            for to in [next, next, me] {
                let _ = cx.try_tell(to, None);
            }
        }
    }
    on_all(|runtime| {
        let ring: Vec<_> = (0..5)
            .map(|_| {
                runtime.spawn(Ring {
                    next: None,
                    left: 100,
                })
            })
            .collect();
        let ends: Vec<_> = ring.iter().map(|member| member.ended()).collect();
        for (i, member) in ring.iter().enumerate() {
            while member.try_tell(Some(ring[(i + 1) % ring.len()])).is_err() && member.is_alive() {
                std::thread::yield_now();
            }
        }
        runtime.wait_quiescent();
        ring.iter().for_each(|member| member.stop());
        ends.into_iter()
            .for_each(|end| assert!(end.wait_for(PATIENCE).is_ok()));
    });
}

#[test]
fn a_full_mailbox_takes_the_news_of_an_end() {
    /// Keeps its mailbox full until it has heard of two ends, or patience ends.
    struct Boss {
        left: u32,
        ends: Vec<StopReason>,
        done: Option<ReplyTo<Vec<StopReason>>>,
    }
    enum News {
        Busy,
        Down(Down),
    }
    impl Actor for Boss {
        type Msg = News;
        const MAILBOX: Mailbox = Mailbox::Bounded {
            capacity: 1,
            overflow: Overflow::Reject,
        };
        fn started(&mut self, cx: &mut Context<'_, Self>) {
            let (watched, linked) = (cx.spawn(Puppet::default()), cx.spawn(Puppet::default()));
            cx.monitor(watched, News::Down);
            cx.trap_links(News::Down);
            cx.link(linked);
            watched.stop();
            linked.kill();
            cx.tell(cx.address(), News::Busy);
        }
        fn handle(&mut self, msg: News, cx: &mut Context<'_, Self>) {
            if let News::Down(down) = msg {
                self.ends.push(down.reason);
            }
            self.left -= 1;
            if self.left == 0 || self.ends.len() == 2 {
                self.done
                    .take()
                    .expect("the last message")
                    .send(std::mem::take(&mut self.ends));
                return cx.stop();
            }
            let _ = cx.try_tell(cx.address(), News::Busy);
        }
    }
    let runtime = runtime(1);
    let (reply, answer) = datil::promise();
    runtime.spawn(Boss {
        left: 10_000,
        ends: Vec::new(),
        done: Some(reply),
    });
    let ends = answer.wait_for(PATIENCE).unwrap();
    assert_eq!(ends, [StopReason::Stopped, StopReason::Killed]);
    runtime.wait_quiescent();
    assert!(runtime.shutdown().is_empty());
}

#[test]
fn a_question_that_finds_no_room_says_what_may_be_wrong() {
    let runtime = runtime(1);
    let (sink, hold) = held::<0>(&runtime);
    (1..=4).for_each(|n| sink.tell(Msg::Number(n)));
    let error = sink.ask(Msg::Sum).wait_for(PATIENCE).unwrap_err();
    assert!(error.to_string().contains("mailbox is full"), "{error}");
    drop(hold);
}

/// Asks an actor whose mailbox is full in each of the ways there are.
fn ask_in_vain<const KIND: u8>(runtime: &datil::Runtime) {
    let (sink, hold) = held::<KIND>(runtime);
    let to: Recipient<Msg> = sink.into();
    let pool = Pool::new(vec![sink], Route::RoundRobin);
    (1..=4).for_each(|n| sink.tell(Msg::Number(n)));
    let (reply, by_client) = datil::promise();
    runtime.client(|client| client.tell(sink, Msg::Sum(reply)));
    let (reply, by_pool) = datil::promise();
    assert!(pool.tell(Msg::Sum(reply)).is_ok(), "it is alive");
    let from_outside = [
        sink.ask(Msg::Sum),
        to.ask(Msg::Sum),
        pool.choose().expect("it is alive").ask(Msg::Sum),
        by_client,
        by_pool,
    ];
    for answer in from_outside {
        assert_eq!(pollster::block_on(answer), Err(AskError::Full));
    }
    // Not on the worker that is held.
    let asker = runtime.spawn_blocking(Puppet::default());
    let answers = [(); 3].map(|()| datil::promise());
    let [(by_address, one), (by_recipient, two), (in_time, three)] = answers;
    tell(asker, move |_, cx| {
        cx.ask(sink, Msg::Sum, |_, answer, _| by_address.send(answer));
        cx.ask(to, Msg::Sum, |_, answer, _| by_recipient.send(answer));
        cx.ask_within(PATIENCE, sink, Msg::Sum, |_, answer, _| in_time.send(answer));
    });
    for answer in [one, two, three] {
        assert_eq!(answer.wait_for(PATIENCE), Ok(Err(AskError::Full)));
    }
    asker.stop();
    drop(hold);
    if KIND < 2 {
        while sink.waiting() != Some(0) {
            std::thread::yield_now();
        }
        assert_eq!(sink.ask(Msg::Sum).wait_for(PATIENCE), Ok(1 + 2 + 3 + 4));
        sink.stop();
    }
    let _ = sink.ended().wait_for(PATIENCE);
    assert_eq!(sink.ask(Msg::Sum).wait_for(PATIENCE), Err(AskError::Gone));
    assert_eq!(to.ask(Msg::Sum).wait_for(PATIENCE), Err(AskError::Gone));
    assert!(pool.choose().is_none());
}

#[test]
fn an_asker_can_tell_a_full_mailbox_from_one_whose_actor_is_gone() {
    on_all(|runtime| {
        ask_in_vain::<0>(runtime);
        ask_in_vain::<1>(runtime);
        ask_in_vain::<2>(runtime);
    });
}
