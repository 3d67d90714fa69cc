use std::sync::mpsc;

use datil::{Actor, Context, ReplyTo};

use crate::support::{PATIENCE, Play, Puppet, on_all, runtime, sync, tell};

/// Collects what it hears; while locked it puts numbers aside.
#[derive(Default)]
struct Locker(Vec<u32>);

enum Msg {
    Number(u32),
    Lock,
    Unlock,
    Heard(ReplyTo<Vec<u32>>),
}

impl Locker {
    fn locked(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
        match msg {
            Msg::Unlock => {
                cx.unbecome();
                cx.unstash();
            }
            Msg::Heard(reply) => reply.send(vec![cx.stashed() as u32]),
            other => cx.stash(other),
        }
    }
}

impl Actor for Locker {
    type Msg = Msg;

    fn handle(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
        match msg {
            Msg::Number(n) => self.0.push(n),
            Msg::Lock => cx.become_with(Self::locked),
            Msg::Unlock => {}
            Msg::Heard(reply) => reply.send(self.0.clone()),
        }
    }
}

#[test]
fn what_was_stashed_is_handled_before_what_waits_and_in_order() {
    on_all(|runtime| {
        let locker = runtime.spawn(Locker::default());
        runtime.client(|client| {
            client.tell(locker, Msg::Number(1));
            client.tell(locker, Msg::Lock);
            (2..100).for_each(|n| client.tell(locker, Msg::Number(n)));
        });
        assert_eq!(locker.ask(Msg::Heard).wait_for(PATIENCE), Ok(vec![98]));
        runtime.client(|client| {
            client.tell(locker, Msg::Unlock);
            (100..200).for_each(|n| client.tell(locker, Msg::Number(n)));
        });
        assert_eq!(locker.ask(Msg::Heard).wait_for(PATIENCE), Ok((1..200).collect()));
        locker.stop();
    });
}

#[test]
fn what_is_put_aside_again_keeps_its_place() {
    on_all(|runtime| {
        let locker = runtime.spawn(Locker::default());
        for msg in [Msg::Lock, Msg::Number(1), Msg::Lock, Msg::Number(2), Msg::Unlock] {
            locker.tell(msg);
        }
        // Number(1), then Lock again, so Number(2) is put aside once more.
        assert_eq!(locker.ask(Msg::Heard).wait_for(PATIENCE), Ok(vec![1]));
        locker.tell(Msg::Unlock);
        locker.tell(Msg::Number(3));
        assert_eq!(locker.ask(Msg::Heard).wait_for(PATIENCE), Ok(vec![1, 2, 3]));
        locker.stop();
    });
}

#[test]
fn a_stash_ends_with_its_actor_and_is_counted() {
    let runtime = crate::support::runtime(1);
    let locker = runtime.spawn(Locker::default());
    locker.tell(Msg::Lock);
    let answer = locker.ask(Msg::Heard);
    (0..5).for_each(|n| locker.tell(Msg::Number(n)));
    answer.wait_for(PATIENCE).unwrap();
    locker.stop_in_turn();
    locker.ended().wait_for(PATIENCE).unwrap();
    assert_eq!(runtime.metrics().total().dead_letters, 5);
}

#[test]
fn urgent_overtakes_normal_and_order_inside_a_lane_stays() {
    on_all(|runtime| {
        for to_itself in [true, false] {
            let puppet = runtime.spawn(Puppet::default());
            let sender = if to_itself {
                puppet
            } else {
                runtime.spawn(Puppet::default())
            };
            let log = crate::support::Log::default();
            let sink = log.clone();
            tell(sender, move |_, cx| {
                for n in 0..300 {
                    let log = sink.clone();
                    cx.tell(puppet, Box::new(move |_, _| log.note(format!("normal {n}"))));
                }
                for n in 0..300 {
                    let log = sink.clone();
                    cx.tell_urgently(puppet, Box::new(move |_, _| log.note(format!("urgent {n}"))));
                }
            });
            runtime.wait_quiescent();
            let lines = log.lines();
            let of = |kind: &str| {
                lines
                    .iter()
                    .filter(|line| line.starts_with(kind))
                    .cloned()
                    .collect::<Vec<_>>()
            };
            for kind in ["normal", "urgent"] {
                assert_eq!(
                    of(kind),
                    (0..300).map(|n| format!("{kind} {n}")).collect::<Vec<_>>()
                );
            }
            let last_urgent = lines.iter().rposition(|line| line.starts_with("urgent")).unwrap();
            let overtaken = lines.len() - 1 - last_urgent;
            // Only what an actor sends to itself is sure to wait until all is sent: while another one is at that, this one may be run by another worker.
            // A batch may end first.
            assert!(
                !to_itself || overtaken >= 100,
                "only {overtaken} normal messages were overtaken"
            );
            sender.stop();
            puppet.stop();
        }
    });
}

/// An actor that has not been idle since it was created holds its token: nobody brings word of what other workers send to it.
#[test]
fn a_stop_and_what_is_urgent_overtake_the_backlog_of_a_new_actor() {
    const BACKLOG: u64 = 10_000;
    for urgently in [true, false] {
        let runtime = runtime(2);
        let other = runtime.spawn(Puppet::default());
        sync(other);
        let ((began, begun), (open, gate)) = (mpsc::channel(), mpsc::channel::<()>());
        let (reply, answer) = datil::promise();
        let busy = runtime.client(|client| {
            let busy = client.spawn(Puppet::default());
            let wait = move |me: &mut Puppet, _: &mut Context<'_, Puppet>| {
                began.send(()).unwrap();
                gate.recv().unwrap();
                me.asked.push(reply);
            };
            client.tell(busy, Box::new(wait) as Play);
            (0..BACKLOG).for_each(|_| client.tell(busy, Box::new(|me, _| me.number += 1)));
            busy
        });
        begun.recv_timeout(PATIENCE).unwrap();
        let end: Play = Box::new(|me, _| me.asked.pop().unwrap().send(me.number));
        if urgently {
            busy.tell_urgently(end);
        } else {
            busy.stop();
        }
        // The other worker has passed that on before it comes to this.
        sync(other);
        open.send(()).unwrap();
        let handled = if urgently {
            let handled = answer.wait_for(PATIENCE).unwrap();
            busy.stop_in_turn();
            handled
        } else {
            busy.ended().wait_for(PATIENCE).unwrap();
            // Watchers are told of the end before all that was left is counted.
            runtime.wait_quiescent();
            BACKLOG - runtime.metrics().total().dead_letters
        };
        // A batch may end first.
        assert!(
            handled < BACKLOG / 2,
            "{handled} of {BACKLOG} messages came first"
        );
    }
}

#[test]
fn an_actor_that_writes_to_itself_urgently_does_so_at_once() {
    on_all(|runtime| {
        let puppet = runtime.spawn(Puppet::default());
        tell(puppet, |me, cx| {
            let address = cx.address();
            (0..10).for_each(|n| cx.tell(address, Box::new(move |me, _| me.log.note(format!("normal {n}")))));
            cx.tell_urgently(address, Box::new(|me, _| me.log.note("urgent")));
            me.log.note("first");
        });
        runtime.wait_quiescent();
        let (reply, answer) = datil::promise();
        tell(puppet, move |me, _| reply.send(me.log.lines()));
        let lines = answer.wait_for(PATIENCE).unwrap();
        assert_eq!(lines[..3], ["first", "urgent", "normal 0"]);
        puppet.stop();
    });
}

/// Says what it hears. The urgent message that it then sends itself ends its behaviour.
struct Bell(mpsc::Sender<&'static str>);

impl Bell {
    fn waiting(&mut self, word: &'static str, cx: &mut Context<'_, Self>) {
        self.0.send(word).unwrap();
        cx.unbecome();
        if word == "last" {
            cx.stop();
        }
    }
}

impl Actor for Bell {
    type Msg = &'static str;

    fn handle(&mut self, word: &'static str, cx: &mut Context<'_, Self>) {
        self.0.send(word).unwrap();
        let me = cx.address();
        match word {
            "stops" | "waits" | "ends in turn" => cx.become_with(Self::waiting),
            _ => return,
        }
        match word {
            "stops" => me.tell_urgently("last"),
            "waits" => {
                me.tell_urgently("first");
                me.tell_urgently("second");
            }
            _ => {
                me.tell_urgently("first");
                me.stop_in_turn();
            }
        }
        me.tell("plain");
    }
}

#[test]
fn an_urgent_message_that_ends_the_behaviour_is_all_that_its_step_does() {
    let expected = [
        ("stops", vec!["stops", "last"]),
        ("waits", vec!["waits", "first", "second", "plain"]),
        // What lies next in the mailbox is no message.
        ("ends in turn", vec!["ends in turn", "first"]),
    ];
    on_all(|runtime| {
        for (word, expected) in &expected {
            let (heard, words) = mpsc::channel();
            let bell = runtime.spawn(Bell(heard));
            bell.tell(word);
            runtime.wait_quiescent();
            bell.stop();
            assert_eq!(&words.iter().collect::<Vec<_>>(), expected);
        }
    });
}
