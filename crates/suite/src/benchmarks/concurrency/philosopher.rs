//! Dining Philosophers: an arbitrator hands out forks, and who is denied asks again at once.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::{Indexed, Once};

/// The benchmark.
#[derive(Debug)]
pub struct Philosophers {
    philosophers: i64,
    rounds: i64,
}

/// What Arbitrator and the philosophers report.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    errors: Once<i64>,
    retries: Once<i64>,
    received: Once<i64>,
    denied: Indexed,
}

impl Benchmark for Philosophers {
    const NAME: &'static str = "philosopher";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("philosophers", 1),
        Parameter::at_least("rounds", 1),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            philosophers: arguments.get("philosophers"),
            rounds: arguments.get("rounds"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.philosophers.saturating_add(1))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let arbitrator = driver.spawn(Arbitrator::new(self.philosophers as usize, report));
        let philosophers: Vec<L::Address<Philosopher<L>>> = (0..self.philosophers)
            .map(|id| {
                driver.spawn(Philosopher {
                    id,
                    rounds: self.rounds,
                    eaten: 0,
                    denied: 0,
                    arbitrator: arbitrator.clone(),
                    report,
                })
            })
            .collect();
        for philosopher in &philosophers {
            driver.tell(philosopher, ToPhilosopher::Start);
        }
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?)
            .check("errors", report.errors.take("errors")?)
            .metric("retries", report.retries.take("retries")?)
            .metric(
                "arbitrator_messages",
                report.received.take("arbitrator_messages")?,
            )
            .per_actor("denied", report.denied.take("denied", self.philosophers)?))
    }
}

struct Arbitrator {
    /// Whether each fork is taken. Philosopher i has fork i to the left and fork i + 1 to the right.
    forks: Vec<bool>,
    meals: Vec<i64>,
    exited: usize,
    retries: i64,
    errors: i64,
    received: i64,
    report: &'static Report,
}

enum ToArbitrator<L: ActorLibrary> {
    Hungry {
        from: L::Address<Philosopher<L>>,
        id: i64,
    },
    Done {
        id: i64,
    },
    Exit {
        denied: i64,
    },
}

impl Arbitrator {
    fn new(philosophers: usize, report: &'static Report) -> Self {
        Self {
            forks: vec![false; philosophers],
            meals: vec![0; philosophers],
            exited: 0,
            retries: 0,
            errors: 0,
            received: 0,
            report,
        }
    }

    fn forks_of(&self, id: i64) -> (usize, usize) {
        let left = id as usize;
        let right = left + 1;
        (left, if right == self.forks.len() { 0 } else { right })
    }

    /// Takes both forks of a philosopher, if they lie there.
    fn serve(&mut self, id: i64) -> bool {
        let (left, right) = self.forks_of(id);
        if self.forks[left] || self.forks[right] {
            return false;
        }
        self.forks[left] = true;
        self.forks[right] = true;
        self.meals[left] += 1;
        true
    }

    /// Lays both forks of a philosopher down.
    fn clear(&mut self, id: i64) {
        let (left, right) = self.forks_of(id);
        if !(self.forks[left] && self.forks[right]) {
            self.errors += 1;
        }
        self.forks[left] = false;
        self.forks[right] = false;
    }

    fn report(&self) {
        let left_over = self.forks.iter().filter(|taken| **taken).count() as i64;
        let weighted = self.meals.iter().zip(1..).map(|(meals, weight)| meals * weight);
        self.report.result.report(weighted.sum());
        self.report.errors.report(self.errors + left_over);
        self.report.retries.report(self.retries);
        self.report.received.report(self.received);
    }
}

impl<L: ActorLibrary> Actor<L> for Arbitrator {
    type Message = ToArbitrator<L>;

    fn handle(&mut self, message: ToArbitrator<L>, cx: &mut impl Context<L, Self>) {
        self.received += 1;
        match message {
            ToArbitrator::Hungry { from, id } => match self.serve(id) {
                true => cx.tell_kind(&from, Eat),
                false => cx.tell_kind(&from, Denied),
            },
            ToArbitrator::Done { id } => self.clear(id),
            ToArbitrator::Exit { denied } => {
                self.retries += denied;
                self.exited += 1;
                if self.exited == self.forks.len() {
                    self.report();
                    cx.stop();
                }
            }
        }
    }
}

struct Philosopher<L: ActorLibrary> {
    id: i64,
    rounds: i64,
    eaten: i64,
    denied: i64,
    arbitrator: L::Address<Arbitrator>,
    report: &'static Report,
}

enum ToPhilosopher {
    Start,
    Eat,
    Denied,
}

kinds!(Start, Eat, Denied of ToPhilosopher);

impl<L: ActorLibrary> Philosopher<L> {
    fn ask(&self, cx: &mut impl Context<L, Self>) {
        let from = cx.myself();
        cx.tell(&self.arbitrator, ToArbitrator::Hungry { from, id: self.id });
    }

    fn eat(&mut self, cx: &mut impl Context<L, Self>) {
        self.eaten += 1;
        cx.tell(&self.arbitrator, ToArbitrator::Done { id: self.id });
        if self.eaten < self.rounds {
            cx.tell_self_kind(Start);
        } else {
            cx.tell(&self.arbitrator, ToArbitrator::Exit { denied: self.denied });
            self.report.denied.report(self.id, self.denied);
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Philosopher<L> {
    type Message = ToPhilosopher;

    fn handle(&mut self, message: ToPhilosopher, cx: &mut impl Context<L, Self>) {
        match message {
            ToPhilosopher::Start => self.ask(cx),
            ToPhilosopher::Denied => {
                self.denied += 1;
                self.ask(cx);
            }
            ToPhilosopher::Eat => self.eat(cx),
        }
    }
}
