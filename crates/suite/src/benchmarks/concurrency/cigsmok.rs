//! Cigarette Smokers: an arbiter hands out work as soon as the previous receiver has begun.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::{Indexed, Sum};
use crate::tools::{Rng, busy};

/// The benchmark.
#[derive(Debug)]
pub struct CigaretteSmokers {
    rounds: i64,
    smokers: i64,
}

/// What the smokers report.
#[derive(Debug, Default)]
pub struct Report {
    result: Sum,
    busy_sum: Sum,
    smoked: Indexed,
}

impl Benchmark for CigaretteSmokers {
    const NAME: &'static str = "cigsmok";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("rounds", 1),
        Parameter::at_least("smokers", 1),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            rounds: arguments.get("rounds"),
            smokers: arguments.get("smokers"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.smokers.saturating_add(1))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let arbiter = driver.spawn(Arbiter::<L> {
            rounds: self.rounds,
            choices: Choices::new(self.rounds, self.smokers),
            smokers: Vec::new(),
            report,
        });
        driver.tell(&arbiter, ToArbiter::Start);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take())
            .check("busy_sum", report.busy_sum.take())
            .per_actor("smoked", report.smoked.take("smoked", self.smokers)?))
    }
}

/// Draws who is to smoke next, and for how long.
struct Choices {
    rng: Rng,
    smokers: i64,
}

impl Choices {
    fn new(rounds: i64, smokers: i64) -> Self {
        Self {
            rng: Rng::new(rounds.wrapping_mul(smokers)),
            smokers,
        }
    }

    fn draw(&mut self) -> (usize, i64) {
        let smoker = self.rng.scaled(self.smokers) as usize;
        (smoker, self.rng.below(1000) + 10)
    }
}

struct Arbiter<L: ActorLibrary> {
    /// Cigarettes that have not been begun.
    rounds: i64,
    choices: Choices,
    smokers: Vec<L::Address<Smoker<L>>>,
    report: &'static Report,
}

enum ToArbiter {
    Start,
    Started,
}

kinds!(Started of ToArbiter);

impl<L: ActorLibrary> Arbiter<L> {
    fn choose(&mut self, cx: &mut impl Context<L, Self>) {
        let (smoker, work) = self.choices.draw();
        cx.tell(&self.smokers[smoker], ToSmoker::Smoke { work });
    }
}

impl<L: ActorLibrary> Actor<L> for Arbiter<L> {
    type Message = ToArbiter;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        self.smokers = (0..self.choices.smokers)
            .map(|id| {
                cx.spawn(Smoker {
                    id,
                    smoked: 0,
                    busy_sum: 0,
                    arbiter: cx.myself(),
                    report: self.report,
                })
            })
            .collect();
    }

    fn handle(&mut self, message: ToArbiter, cx: &mut impl Context<L, Self>) {
        match message {
            ToArbiter::Start => self.choose(cx),
            ToArbiter::Started => {
                self.rounds -= 1;
                if self.rounds > 0 {
                    self.choose(cx);
                } else {
                    for smoker in &self.smokers {
                        cx.tell(smoker, ToSmoker::Exit);
                    }
                    cx.stop();
                }
            }
        }
    }
}

struct Smoker<L: ActorLibrary> {
    id: i64,
    smoked: i64,
    busy_sum: i64,
    arbiter: L::Address<Arbiter<L>>,
    report: &'static Report,
}

enum ToSmoker {
    Smoke { work: i64 },
    Exit,
}

impl<L: ActorLibrary> Actor<L> for Smoker<L> {
    type Message = ToSmoker;

    fn handle(&mut self, message: ToSmoker, cx: &mut impl Context<L, Self>) {
        match message {
            ToSmoker::Smoke { work } => {
                // Before the work, so that the next smoker can begin meanwhile.
                cx.tell_kind(&self.arbiter, Started);
                self.smoked += 1;
                self.busy_sum += busy(work);
            }
            ToSmoker::Exit => {
                self.report.result.add((self.id + 1).wrapping_mul(self.smoked));
                self.report.busy_sum.add(self.busy_sum);
                self.report.smoked.report(self.id, self.smoked);
                cx.stop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Choices;

    #[test]
    fn choices_are_those_of_the_entry() {
        for (rounds, choices) in [
            (50000, [(152, 992), (86, 646), (4, 764), (123, 658), (168, 352)]),
            (1000, [(192, 120), (187, 22), (154, 676), (8, 626), (177, 664)]),
        ] {
            let mut draws = Choices::new(rounds, 200);
            assert_eq!(choices.map(|_| draws.draw()), choices);
        }
    }
}
