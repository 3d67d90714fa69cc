//! Thread Ring: a token goes round a ring of actors, then an exit message collects what each has seen.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct ThreadRing {
    actors: i64,
    hops: i64,
}

/// What the last actor of the ring reports.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    last: Once<i64>,
}

impl Benchmark for ThreadRing {
    const NAME: &'static str = "threadring";
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::at_least("actors", 1), Parameter::at_least("hops", 0)];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            actors: arguments.get("actors"),
            hops: arguments.get("hops"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.actors)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let size = self.actors;
        let ring: Vec<L::Address<Ring<L>>> = (0..size)
            .map(|id| {
                driver.spawn(Ring {
                    id,
                    size,
                    next: None,
                    seen: 0,
                    report,
                })
            })
            .collect();
        let successors = ring.iter().cycle().skip(1);
        for (actor, next) in ring.iter().zip(successors) {
            driver.tell(actor, Message::Data { next: next.clone() });
        }
        driver.tell(&ring[0], Message::Token { k: self.hops });
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?).check("last", report.last.take("last")?))
    }
}

struct Ring<L: ActorLibrary> {
    id: i64,
    size: i64,
    next: Option<L::Address<Ring<L>>>,
    seen: i64,
    report: &'static Report,
}

enum Message<L: ActorLibrary> {
    Data { next: L::Address<Ring<L>> },
    Token { k: i64 },
    Exit { k: i64, acc: i64 },
}

impl<L: ActorLibrary> Ring<L> {
    fn pass_on(&self, message: Message<L>, cx: &mut impl Context<L, Self>) {
        // Every library here puts a message into the mailbox before the send returns, so that the driver's Data comes
        // before anything that follows from it. One that does not would fail here.
        let next = self
            .next
            .as_ref()
            .expect("a token came before Data: the library does not keep causal order");
        cx.tell(next, message);
    }
}

impl<L: ActorLibrary> Actor<L> for Ring<L> {
    type Message = Message<L>;

    fn handle(&mut self, message: Message<L>, cx: &mut impl Context<L, Self>) {
        match message {
            Message::Data { next } => self.next = Some(next),
            Message::Token { k } => {
                self.seen += 1;
                let message = match k {
                    0 => Message::Exit {
                        k: self.size - 1,
                        acc: 0,
                    },
                    _ => Message::Token { k: k - 1 },
                };
                self.pass_on(message, cx);
            }
            Message::Exit { k, acc } => {
                let acc = acc.wrapping_add((self.id + 1).wrapping_mul(self.seen));
                if k > 0 {
                    self.pass_on(Message::Exit { k: k - 1, acc }, cx);
                } else {
                    self.report.result.report(acc);
                    self.report.last.report(self.id);
                }
                cx.stop();
            }
        }
    }
}
