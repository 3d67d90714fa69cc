//! Fork Join (actor creation): actors that live for one message.

use super::fjthrput::{THETA, square_of_sine};
use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Sum;

/// The benchmark.
#[derive(Debug)]
pub struct ForkJoinCreation {
    actors: i64,
}

/// What the workers report.
#[derive(Debug, Default)]
pub struct Report {
    result: Sum,
}

impl Benchmark for ForkJoinCreation {
    const NAME: &'static str = "fjcreate";
    const PARAMETERS: &'static [Parameter] = &[Parameter::at_least("actors", 1)];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            actors: arguments.get("actors"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.actors)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        for id in 1..=self.actors {
            let worker = driver.spawn(Worker { id, report });
            driver.tell(&worker, Work { theta: THETA });
        }
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take()))
    }
}

struct Worker {
    id: i64,
    report: &'static Report,
}

struct Work {
    theta: f64,
}

impl<L: ActorLibrary> Actor<L> for Worker {
    type Message = Work;

    fn handle(&mut self, Work { theta }: Work, cx: &mut impl Context<L, Self>) {
        square_of_sine(theta);
        self.report.result.add(self.id);
        cx.stop();
    }
}
