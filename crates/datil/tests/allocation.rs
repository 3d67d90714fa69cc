//! Once a worker's pools are warm it takes no memory from the system's allocator for messages, lives of actors, questions with their answers, and behaviours.

#[path = "../../datil-policy/tests/counting/mod.rs"]
mod counting;

use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use datil::{Actor, Address, Context, ReplyTo, Runtime};

/// Rounds until pools and queues are as big as they get, and as many that are counted.
const ROUNDS: u64 = if cfg!(miri) { 50 } else { 10_000 };

/// What a round is.
#[derive(Clone, Copy)]
enum Round {
    /// A message to another actor, and one back.
    Message,
    /// An actor that is created, hears something and stops.
    Life,
    /// A question to another actor.
    Question,
    /// A new behaviour, and the old one again.
    Behaviour,
    /// Memory, to see that it would be noticed.
    Box,
}

/// Goes through rounds, one after the other, and tells at the end what the second half of them took.
struct Player {
    round: Round,
    partner: Address<Partner>,
    played: u64,
    before: u64,
    end: Sender<u64>,
}

impl Player {
    fn play(&mut self, cx: &mut Context<'_, Self>) {
        match self.played {
            ROUNDS => self.before = counting::allocations(),
            played if played == 2 * ROUNDS => {
                let took = counting::allocations() - self.before;
                self.end.send(took).expect("the test waits");
                return cx.stop();
            }
            _ => {}
        }
        self.played += 1;
        let me = cx.address();
        match self.round {
            Round::Message => cx.tell(self.partner, Heard::Ball(me)),
            Round::Life => {
                let brief = cx.spawn(Partner { brief: true });
                cx.tell(brief, Heard::Ball(me));
            }
            Round::Question => {
                cx.ask(self.partner, Heard::Question, |me, answer, cx| {
                    assert_eq!(answer, Ok(42));
                    me.play(cx);
                });
            }
            Round::Behaviour => {
                cx.become_with(Self::changed);
                cx.tell(me, ());
            }
            Round::Box => {
                drop(std::hint::black_box(Box::new(self.played)));
                cx.tell(me, ());
            }
        }
    }

    fn changed(&mut self, (): (), cx: &mut Context<'_, Self>) {
        cx.unbecome();
        cx.tell(cx.address(), ());
    }
}

impl Actor for Player {
    type Msg = ();

    fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
        self.play(cx);
    }
}

struct Partner {
    /// Stops after a message.
    brief: bool,
}

enum Heard {
    Ball(Address<Player>),
    Question(ReplyTo<u64>),
}

impl Actor for Partner {
    type Msg = Heard;

    fn handle(&mut self, heard: Heard, cx: &mut Context<'_, Self>) {
        match heard {
            Heard::Ball(from) => cx.tell(from, ()),
            Heard::Question(reply) => reply.send(42),
        }
        if self.brief {
            cx.stop();
        }
    }
}

/// Allocations of the worker in as many rounds as it took to get warm.
fn allocations(round: Round) -> u64 {
    let runtime = Runtime::builder().workers(1).build().unwrap();
    let (end, took) = mpsc::channel();
    let player = Player {
        round,
        partner: runtime.spawn(Partner { brief: false }),
        played: 0,
        before: 0,
        end,
    };
    runtime.spawn(player).tell(());
    let took = took.recv_timeout(Duration::from_secs(120)).expect("it ends");
    runtime.shutdown();
    took
}

#[test]
fn messages_allocate_nothing() {
    assert_eq!(allocations(Round::Message), 0);
}

#[test]
fn lives_allocate_nothing() {
    assert_eq!(allocations(Round::Life), 0);
}

#[test]
fn questions_allocate_nothing() {
    assert_eq!(allocations(Round::Question), 0);
}

#[test]
fn behaviours_allocate_nothing() {
    assert_eq!(allocations(Round::Behaviour), 0);
}

#[test]
fn what_allocates_is_noticed() {
    assert_eq!(allocations(Round::Box), ROUNDS);
}
