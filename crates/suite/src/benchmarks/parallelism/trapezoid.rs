//! Trapezoidal Approximation: workers integrate a function, each over its part of the interval.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Bounds, Parameter, Relation};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct Trapezoid {
    pieces: i64,
    workers: i64,
    left: f64,
    right: f64,
}

/// What the Master reports.
#[derive(Debug, Default)]
pub struct Report {
    total: Once<Part>,
}

/// The area under a part of the curve, and of how many pieces it was added up.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    area: f64,
    pieces: i64,
}

impl Benchmark for Trapezoid {
    const NAME: &'static str = "trapezoid";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("n", 1),
        Parameter::at_least("w", 1),
        Parameter::number("l", Bounds::AtLeast(0.0)),
        Parameter::number("r", Bounds::Any),
    ];
    const RELATIONS: &'static [Relation] = &[Relation::Above {
        parameter: "r",
        of: "l",
    }];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            pieces: arguments.get("n"),
            workers: arguments.get("w"),
            left: arguments.number("l"),
            right: arguments.number("r"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.workers.saturating_add(1))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let master = driver.spawn(Master {
            workers: self.workers,
            received: 0,
            total: Part::default(),
            report,
        });
        let start = Start {
            left: self.left,
            right: self.right,
            pieces: self.pieces,
        };
        driver.tell(&master, ToMaster::Start(start));
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let Part { area, pieces } = report.total.take("total")?;
        Ok(Outcome::new(area).check("pieces", pieces))
    }
}

fn curve(x: f64) -> f64 {
    (x * x * x - 1.0).sin() / (x + 1.0) * (1.0 + (2.0 * x).sqrt().exp()).sqrt()
}

struct Master {
    workers: i64,
    received: i64,
    total: Part,
    report: &'static Report,
}

enum ToMaster {
    Start(Start),
    Result(Part),
}

struct Start {
    left: f64,
    right: f64,
    pieces: i64,
}

impl Master {
    fn start<L: ActorLibrary>(&self, start: &Start, cx: &mut impl Context<L, Self>) {
        let width = (start.right - start.left) / start.pieces as f64;
        // The product may be wider than 64 bits.
        let bound =
            |worker: i64| (i128::from(worker) * i128::from(start.pieces) / i128::from(self.workers)) as i64;
        for worker in 0..self.workers {
            let address = cx.spawn(Worker::<L> { master: cx.myself() });
            let work = Work {
                first: bound(worker),
                last: bound(worker + 1),
                left: start.left,
                width,
            };
            cx.tell(&address, work);
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Master {
    type Message = ToMaster;

    fn handle(&mut self, message: ToMaster, cx: &mut impl Context<L, Self>) {
        match message {
            ToMaster::Start(start) => self.start(&start, cx),
            ToMaster::Result(part) => {
                self.total.area += part.area;
                self.total.pieces += part.pieces;
                self.received += 1;
                if self.received == self.workers {
                    self.report.total.report(self.total);
                    cx.stop();
                }
            }
        }
    }
}

struct Worker<L: ActorLibrary> {
    master: L::Address<Master>,
}

struct Work {
    first: i64,
    /// The first piece of the next worker.
    last: i64,
    left: f64,
    width: f64,
}

impl Work {
    // One copy for all libraries.
    #[inline(never)]
    fn area(&self) -> f64 {
        let piece = |number: i64| {
            let left = self.left + number as f64 * self.width;
            let right = left + self.width;
            0.5 * (curve(left) + curve(right)) * self.width
        };
        (self.first..self.last).fold(0.0, |area, number| area + piece(number))
    }
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = Work;

    fn handle(&mut self, work: Work, cx: &mut impl Context<L, Self>) {
        let part = Part {
            area: work.area(),
            pieces: work.last - work.first,
        };
        cx.tell(&self.master, ToMaster::Result(part));
        cx.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::{Work, curve};

    #[test]
    fn the_curve_is_that_of_the_entry() {
        assert_eq!(curve(1.0), 0.0);
        let expected = (26.0_f64).sin() / 4.0 * (1.0 + (6.0_f64).sqrt().exp()).sqrt();
        assert_eq!(curve(3.0), expected);
    }

    #[test]
    fn the_whole_in_one_part_has_the_area_of_the_entry() {
        let work = Work {
            first: 0,
            last: 1000,
            left: 1.0,
            width: 4.0 / 1000.0,
        };
        let expected = 0.271_068_559_391_053;
        assert!((work.area() - expected).abs() <= 1e-9 * expected);
    }
}
