//! Cheats in the recursion.

use suite::benchmark::Outcome;
use suite::library::{Actor, ActorLibrary, Context, Driver};

use super::{Pair, cheat};

/// From here on the cheat computes sequentially.
const CUT_OFF: i64 = 5;

// fib: small numbers are computed without actors.
cheat!(
    CutOffFibonacci = Fibonacci,
    Pair,
    |this| actors(this.index),
    index
);

/// Actors of the tree with a leaf for every number up to the cut-off.
fn actors(index: i64) -> i64 {
    if index <= CUT_OFF {
        1
    } else {
        1 + actors(index - 1) + actors(index - 2)
    }
}

fn fibonacci(index: i64) -> i64 {
    if index <= 2 {
        1
    } else {
        fibonacci(index - 1) + fibonacci(index - 2)
    }
}

impl CutOffFibonacci {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Pair) {
        let root = driver.spawn(Fib::<L> {
            parent: None,
            got: 0,
            value: 0,
            actors: 1,
            report,
        });
        driver.tell(&root, Message::Request(self.index));
    }

    fn collect(report: &Pair) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?).check("actors", report.check.take("actors")?))
    }
}

struct Fib<L: ActorLibrary> {
    parent: Option<L::Address<Fib<L>>>,
    got: u32,
    value: i64,
    actors: i64,
    report: &'static Pair,
}

enum Message {
    Request(i64),
    Response(i64, i64),
}

impl<L: ActorLibrary> Fib<L> {
    fn finish(&self, cx: &mut impl Context<L, Self>) {
        match &self.parent {
            Some(parent) => cx.tell(parent, Message::Response(self.value, self.actors)),
            None => {
                self.report.result.report(self.value);
                self.report.check.report(self.actors);
            }
        }
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Fib<L> {
    type Message = Message;

    fn handle(&mut self, message: Message, cx: &mut impl Context<L, Self>) {
        match message {
            Message::Request(n) if n <= CUT_OFF => {
                self.value = fibonacci(n);
                self.finish(cx);
            }
            Message::Request(n) => {
                for smaller in [n - 1, n - 2] {
                    let parent = Some(cx.myself());
                    let child = cx.spawn(Fib {
                        parent,
                        got: 0,
                        value: 0,
                        actors: 1,
                        report: self.report,
                    });
                    cx.tell(&child, Message::Request(smaller));
                }
            }
            Message::Response(value, actors) => {
                self.value += value;
                self.actors += actors;
                self.got += 1;
                if self.got == 2 {
                    self.finish(cx);
                }
            }
        }
    }
}
