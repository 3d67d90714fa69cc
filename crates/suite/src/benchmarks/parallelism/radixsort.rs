//! Radix Sort: a stage of a pipeline for each bit, which holds back the values that have it.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::Rng;
use crate::tools::collector::Once;

use super::stream::Stream;

/// The benchmark.
#[derive(Debug)]
pub struct RadixSort {
    values: i64,
    modulus: i64,
    seed: i64,
}

/// What the Validator reports.
#[derive(Debug, Default)]
pub struct Report {
    stream: Once<Stream>,
}

impl Benchmark for RadixSort {
    const NAME: &'static str = "radixsort";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("n", 1),
        Parameter::between("m", 2, 1 << 60).power_of_two(),
        Parameter::integer("s"),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            values: arguments.get("n"),
            modulus: arguments.get("m"),
            seed: arguments.get("s"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(i64::from(self.modulus.ilog2()) + 2)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let validator = driver.spawn(Validator {
            values: self.values,
            stream: Stream::default(),
            report,
        });
        let source = driver.spawn(Source {
            values: self.values,
            modulus: self.modulus,
            seed: self.seed,
        });
        let radices = (0..self.modulus.ilog2()).rev().map(|bit| 1 << bit);
        let first = radices.fold(Stage::Validator(validator), |next, radix| {
            Stage::Sorter(driver.spawn(Sorter {
                values: self.values,
                radix,
                received: 0,
                held_back: Vec::new(),
                next,
            }))
        });
        driver.tell(&source, Next(first));
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(report.stream.take("stream")?.outcome())
    }
}

/// What a value is sent to.
enum Stage<L: ActorLibrary> {
    Sorter(L::Address<Sorter<L>>),
    Validator(L::Address<Validator>),
}

impl<L: ActorLibrary> Stage<L> {
    fn tell<A: Actor<L>>(&self, value: i64, cx: &mut impl Context<L, A>) {
        match self {
            Self::Sorter(sorter) => cx.tell(sorter, Value(value)),
            Self::Validator(validator) => cx.tell(validator, Value(value)),
        }
    }
}

struct Value(i64);

struct Source {
    values: i64,
    modulus: i64,
    seed: i64,
}

struct Next<L: ActorLibrary>(Stage<L>);

impl<L: ActorLibrary> Actor<L> for Source {
    type Message = Next<L>;

    fn handle(&mut self, Next(first): Next<L>, cx: &mut impl Context<L, Self>) {
        let mut rng = Rng::new(self.seed);
        for _ in 0..self.values {
            first.tell(rng.below(self.modulus), cx);
        }
        cx.stop();
    }
}

struct Sorter<L: ActorLibrary> {
    values: i64,
    radix: i64,
    received: i64,
    held_back: Vec<i64>,
    next: Stage<L>,
}

impl<L: ActorLibrary> Actor<L> for Sorter<L> {
    type Message = Value;

    fn handle(&mut self, Value(value): Value, cx: &mut impl Context<L, Self>) {
        self.received += 1;
        if value & self.radix == 0 {
            self.next.tell(value, cx);
        } else {
            self.held_back.push(value);
        }
        if self.received == self.values {
            for value in self.held_back.drain(..) {
                self.next.tell(value, cx);
            }
            cx.stop();
        }
    }
}

struct Validator {
    values: i64,
    stream: Stream,
    report: &'static Report,
}

impl<L: ActorLibrary> Actor<L> for Validator {
    type Message = Value;

    fn handle(&mut self, Value(value): Value, cx: &mut impl Context<L, Self>) {
        self.stream.see(value);
        if self.stream.count() == self.values {
            self.report.stream.report(self.stream.clone());
            cx.stop();
        }
    }
}
