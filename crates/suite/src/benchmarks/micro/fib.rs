//! Fibonacci: an actor for each call of the recursion.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct Fibonacci {
    index: i64,
}

/// What the root reports.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    actors: Once<i64>,
}

impl Benchmark for Fibonacci {
    const NAME: &'static str = "fib";
    const PARAMETERS: &'static [Parameter] = &[Parameter::between("index", 1, 45)];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            index: arguments.get("index"),
        }
    }

    /// The size of the recursion's tree, 2F(N) - 1.
    fn actors(&self) -> Population {
        let (fibonacci, _) = (1..self.index).fold((1, 1), |(this, next), _| (next, this + next));
        Population::Known(2 * fibonacci - 1)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let root = driver.spawn(Fib::new(None, report));
        driver.tell(&root, Message::Request { n: self.index });
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?).check("actors", report.actors.take("actors")?))
    }
}

struct Fib<L: ActorLibrary> {
    parent: Option<L::Address<Fib<L>>>,
    got: i64,
    value: i64,
    actors: i64,
    report: &'static Report,
}

enum Message {
    Request { n: i64 },
    Response { value: i64, actors: i64 },
}

impl<L: ActorLibrary> Fib<L> {
    fn new(parent: Option<L::Address<Fib<L>>>, report: &'static Report) -> Self {
        Self {
            parent,
            got: 0,
            value: 0,
            actors: 1,
            report,
        }
    }

    fn request(&self, n: i64, cx: &mut impl Context<L, Self>) {
        let child = cx.spawn(Fib::new(Some(cx.myself()), self.report));
        cx.tell(&child, Message::Request { n });
    }

    fn finish(&self, cx: &mut impl Context<L, Self>) {
        match &self.parent {
            Some(parent) => cx.tell(
                parent,
                Message::Response {
                    value: self.value,
                    actors: self.actors,
                },
            ),
            None => {
                self.report.result.report(self.value);
                self.report.actors.report(self.actors);
            }
        }
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Fib<L> {
    type Message = Message;

    fn handle(&mut self, message: Message, cx: &mut impl Context<L, Self>) {
        match message {
            Message::Request { n: ..=2 } => {
                self.value = 1;
                self.finish(cx);
            }
            Message::Request { n } => {
                self.request(n - 1, cx);
                self.request(n - 2, cx);
            }
            Message::Response { value, actors } => {
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
