//! Counting Actor: one actor floods another.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct Count {
    messages: i64,
}

/// What Producer reports.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
}

impl Benchmark for Count {
    const NAME: &'static str = "count";
    const PARAMETERS: &'static [Parameter] = &[Parameter::at_least("messages", 0)];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            messages: arguments.get("messages"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(2)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let counter = driver.spawn(Counter { count: 0 });
        let producer = driver.spawn(Producer {
            messages: self.messages,
            counter,
            report,
        });
        driver.tell(&producer, ToProducer::Start);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?))
    }
}

struct Producer<L: ActorLibrary> {
    messages: i64,
    counter: L::Address<Counter>,
    report: &'static Report,
}

enum ToProducer {
    Start,
    Result { value: i64 },
}

impl<L: ActorLibrary> Actor<L> for Producer<L> {
    type Message = ToProducer;

    fn handle(&mut self, message: ToProducer, cx: &mut impl Context<L, Self>) {
        match message {
            ToProducer::Start => {
                for _ in 0..self.messages {
                    cx.tell_kind(&self.counter, Increment);
                }
                cx.tell(&self.counter, ToCounter::Retrieve { from: cx.myself() });
            }
            ToProducer::Result { value } => {
                self.report.result.report(value);
                cx.stop();
            }
        }
    }
}

struct Counter {
    count: i64,
}

enum ToCounter<L: ActorLibrary> {
    Increment,
    Retrieve { from: L::Address<Producer<L>> },
}

kinds!(Increment of ToCounter<L>);

impl<L: ActorLibrary> Actor<L> for Counter {
    type Message = ToCounter<L>;

    fn handle(&mut self, message: ToCounter<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToCounter::Increment => self.count += 1,
            ToCounter::Retrieve { from } => {
                cx.tell(&from, ToProducer::Result { value: self.count });
                cx.stop();
            }
        }
    }
}
