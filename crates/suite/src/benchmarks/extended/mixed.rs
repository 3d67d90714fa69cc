//! Mixed Scenario: rings of short-lived actors pass a token while workers factorise a number.

use std::hint::black_box;

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Mixed {
    rings: i64,
    size: i64,
    token: i64,
    repetitions: i64,
    number: i64,
}

/// What Tally reports.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    results: Once<i64>,
    rounds: Once<i64>,
}

impl Benchmark for Mixed {
    const NAME: &'static str = "mixed";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("rings", 1),
        Parameter::at_least("size", 2),
        Parameter::at_least("token", 0),
        Parameter::at_least("reps", 1),
        Parameter::integer("number"),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            rings: arguments.get("rings"),
            size: arguments.get("size"),
            token: arguments.get("token"),
            repetitions: arguments.get("reps"),
            number: arguments.get("number"),
        }
    }

    /// Tally, and in every ring a master, a worker and new links for each repetition.
    fn actors(&self) -> Population {
        let links = self.repetitions.saturating_mul(self.size - 1);
        let ring = links.saturating_add(2);
        Population::Known(self.rings.saturating_mul(ring).saturating_add(1))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let tally = driver.spawn(Tally {
            plan: *self,
            results: 0,
            masters: 0,
            sum: 0,
            rounds: 0,
            report,
        });
        for _ in 0..self.rings {
            let master = driver.spawn(Master::<L> {
                plan: *self,
                repetitions: self.repetitions,
                rounds: 0,
                worker: None,
                last_link: None,
                tally: tally.clone(),
            });
            driver.tell(&master, ToMaster::Start);
        }
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?)
            .check("results", report.results.take("results")?)
            .check("rounds", report.rounds.take("rounds")?))
    }
}

/// Splits a number by trial division up to its greatest factor, without a bound at its square root: that is the work.
// One copy for all libraries.
#[inline(never)]
fn factorise(number: i64) -> Vec<i64> {
    let mut factors = Vec::new();
    let mut rest = number;
    let mut divisor = 2;
    // The entry asks for a remainder of 64 bits. Without the xor the compiler divides small numbers in 32 bits, as in `sieve`;
    // here that would be most of the work, which goes on from the smaller factor to the larger one.
    let zero = black_box(0);
    while divisor < rest {
        if (rest ^ zero) % divisor == 0 {
            factors.push(divisor);
            rest /= divisor;
        } else {
            divisor += if divisor == 2 { 1 } else { 2 };
        }
    }
    factors.push(rest);
    factors
}

struct Tally {
    plan: Mixed,
    results: i64,
    masters: i64,
    sum: i64,
    rounds: i64,
    report: &'static Report,
}

enum ToTally {
    Result { factors: Vec<i64> },
    MasterDone { rounds: i64 },
}

impl Tally {
    fn result(&mut self, factors: &[i64]) {
        let product = factors
            .iter()
            .fold(1, |product: i64, factor| product.wrapping_mul(*factor));
        let number = self.plan.number;
        assert!(
            factors.len() == 2 && product == number,
            "{number} is not a product of two primes {factors:?}"
        );
        self.results += 1;
        self.sum = factors
            .iter()
            .fold(self.sum, |sum, factor| sum.wrapping_add(*factor));
    }

    fn is_done(&self) -> bool {
        self.masters == self.plan.rings && self.results == self.plan.rings * self.plan.repetitions
    }
}

impl<L: ActorLibrary> Actor<L> for Tally {
    type Message = ToTally;

    fn handle(&mut self, message: ToTally, cx: &mut impl Context<L, Self>) {
        match message {
            ToTally::Result { factors } => self.result(&factors),
            ToTally::MasterDone { rounds } => {
                self.masters += 1;
                self.rounds += rounds;
            }
        }
        if self.is_done() {
            self.report.result.report(self.sum);
            self.report.results.report(self.results);
            self.report.rounds.report(self.rounds);
            cx.stop();
        }
    }
}

struct Master<L: ActorLibrary> {
    plan: Mixed,
    /// Repetitions that have not begun.
    repetitions: i64,
    rounds: i64,
    worker: Option<L::Address<Worker<L>>>,
    last_link: Option<L::Address<Link<L>>>,
    tally: L::Address<Tally>,
}

enum ToMaster {
    Start,
    Token(i64),
}

impl<L: ActorLibrary> Master<L> {
    fn repeat(&mut self, cx: &mut impl Context<L, Self>) {
        self.repetitions -= 1;
        cx.tell(self.worker(), ToWorker::Calc(self.plan.number));
        let mut next = Next::Master(cx.myself());
        for _ in 1..self.plan.size {
            next = Next::Link(cx.spawn(Link { next }));
        }
        if let Next::Link(last) = next {
            cx.tell(&last, Token(self.plan.token));
            self.last_link = Some(last);
        }
    }

    fn token(&mut self, value: i64, cx: &mut impl Context<L, Self>) {
        self.rounds += 1;
        if value > 0 {
            let last = self
                .last_link
                .as_ref()
                .expect("the ring that the token came through");
            cx.tell(last, Token(value - 1));
        } else if self.repetitions > 0 {
            self.repeat(cx);
        } else {
            cx.tell(self.worker(), ToWorker::Quit);
            cx.tell(&self.tally, ToTally::MasterDone { rounds: self.rounds });
            cx.stop();
        }
    }

    fn worker(&self) -> &L::Address<Worker<L>> {
        self.worker.as_ref().expect("a worker from the start on")
    }
}

impl<L: ActorLibrary> Actor<L> for Master<L> {
    type Message = ToMaster;

    fn handle(&mut self, message: ToMaster, cx: &mut impl Context<L, Self>) {
        match message {
            ToMaster::Start => {
                let tally = self.tally.clone();
                self.worker = Some(cx.spawn(Worker { tally }));
                self.repeat(cx);
            }
            ToMaster::Token(value) => self.token(value, cx),
        }
    }
}

struct Worker<L: ActorLibrary> {
    tally: L::Address<Tally>,
}

enum ToWorker {
    Calc(i64),
    Quit,
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<L, Self>) {
        match message {
            ToWorker::Calc(number) => {
                let factors = factorise(number);
                cx.tell(&self.tally, ToTally::Result { factors });
            }
            ToWorker::Quit => cx.stop(),
        }
    }
}

struct Link<L: ActorLibrary> {
    next: Next<L>,
}

/// The next actor of a ring.
enum Next<L: ActorLibrary> {
    Link(L::Address<Link<L>>),
    Master(L::Address<Master<L>>),
}

struct Token(i64);

impl<L: ActorLibrary> Actor<L> for Link<L> {
    type Message = Token;

    fn handle(&mut self, Token(value): Token, cx: &mut impl Context<L, Self>) {
        match &self.next {
            Next::Link(link) => cx.tell(link, Token(value)),
            Next::Master(master) => cx.tell(master, ToMaster::Token(value)),
        }
        if value == 0 {
            cx.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::factorise;

    #[test]
    fn numbers_are_split_into_primes() {
        for (number, factors) in [
            (8051, &[83, 97][..]),
            (136_117_223_861, &[104_729, 1_299_709]),
            (4, &[2, 2]),
            (12, &[2, 2, 3]),
            (9, &[3, 3]),
            (3, &[3]),
            (1, &[1]),
            (-6, &[-6]),
        ] {
            assert_eq!(factorise(number), factors, "{number}");
        }
    }
}
