//! Fork Join (throughput): the driver sends to many actors in turn.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::{FloatSum, Sum};

/// The angle that every message carries.
pub(super) const THETA: f64 = 37.2;

/// The benchmark.
#[derive(Debug)]
pub struct ForkJoinThroughput {
    messages: i64,
    actors: i64,
}

/// What the workers report.
#[derive(Debug, Default)]
pub struct Report {
    result: Sum,
    sum: FloatSum,
}

impl Benchmark for ForkJoinThroughput {
    const NAME: &'static str = "fjthrput";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("messages", 1),
        Parameter::at_least("actors", 1),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            messages: arguments.get("messages"),
            actors: arguments.get("actors"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.actors)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let messages = self.messages;
        let workers: Vec<L::Address<Worker>> = (0..self.actors)
            .map(|id| {
                driver.spawn(Worker {
                    id,
                    messages,
                    count: 0,
                    sum: 0.0,
                    report,
                })
            })
            .collect();
        for _ in 0..messages {
            for worker in &workers {
                driver.tell(worker, Work { theta: THETA });
            }
        }
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take()).check("sum", report.sum.take()))
    }
}

struct Worker {
    id: i64,
    messages: i64,
    count: i64,
    sum: f64,
    report: &'static Report,
}

struct Work {
    theta: f64,
}

/// The work on one message, also that of `fjcreate`.
pub(super) fn square_of_sine(theta: f64) -> f64 {
    let sine = theta.sin();
    let square = sine * sine;
    assert!(square > 0.0, "the square of sin({theta}) is {square}");
    square
}

impl<L: ActorLibrary> Actor<L> for Worker {
    type Message = Work;

    fn handle(&mut self, Work { theta }: Work, cx: &mut impl Context<L, Self>) {
        self.sum += square_of_sine(theta);
        self.count += 1;
        if self.count == self.messages {
            self.report.result.add((self.id + 1).wrapping_mul(self.count));
            self.report.sum.add(self.sum);
            cx.stop();
        }
    }
}
