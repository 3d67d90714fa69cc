//! Sieve of Eratosthenes: a pipeline of filters that grows with the primes it finds.

use std::hint::black_box;

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct Sieve {
    limit: i64,
    primes_per_filter: usize,
}

/// What the last filter reports.
#[derive(Debug, Default)]
pub struct Report {
    end: Once<End>,
}

#[derive(Debug)]
struct End {
    primes: i64,
    sum: i64,
    filters: i64,
}

impl Benchmark for Sieve {
    const NAME: &'static str = "sieve";
    const PARAMETERS: &'static [Parameter] = &[Parameter::at_least("n", 3), Parameter::at_least("m", 1)];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            limit: arguments.get("n"),
            primes_per_filter: arguments.get("m") as usize,
        }
    }

    fn actors(&self) -> Population {
        Population::Told
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let producer = driver.spawn(Producer { limit: self.limit });
        let filter = driver.spawn(Filter::<L>::new(1, 2, self.primes_per_filter, report));
        driver.tell(&producer, Start { filter });
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let End { primes, sum, filters } = report.end.take("end")?;
        Ok(Outcome::new(primes).check("sum", sum).check("filters", filters))
    }
}

struct Producer {
    limit: i64,
}

struct Start<L: ActorLibrary> {
    filter: L::Address<Filter<L>>,
}

impl<L: ActorLibrary> Actor<L> for Producer {
    type Message = Start<L>;

    fn handle(&mut self, Start { filter }: Start<L>, cx: &mut impl Context<L, Self>) {
        for candidate in (3..self.limit).step_by(2) {
            cx.tell(&filter, ToFilter::Candidate(candidate));
        }
        cx.tell(&filter, ToFilter::Exit { count: 0, sum: 0 });
        cx.stop();
    }
}

struct Filter<L: ActorLibrary> {
    /// Counted from 1.
    id: i64,
    primes: Vec<i64>,
    capacity: usize,
    next: Option<L::Address<Filter<L>>>,
    report: &'static Report,
}

enum ToFilter {
    Candidate(i64),
    Exit { count: i64, sum: i64 },
}

/// Whether one of the primes, in their order, divides the candidate.
fn is_divided(candidate: i64, primes: &[i64]) -> bool {
    // The entry asks for a remainder of 64 bits on every test. The compiler would look at each pair of numbers first and
    // divide small ones in 32 bits; it does not where it takes one for the outcome of a hash function, that is of an xor.
    let candidate = candidate ^ black_box(0);
    primes.iter().any(|prime| candidate % prime == 0)
}

impl<L: ActorLibrary> Filter<L> {
    fn new(id: i64, first: i64, capacity: usize, report: &'static Report) -> Self {
        Self {
            id,
            primes: vec![first],
            capacity,
            next: None,
            report,
        }
    }

    fn candidate(&mut self, candidate: i64, cx: &mut impl Context<L, Self>) {
        if is_divided(candidate, &self.primes) {
            return;
        }
        if let Some(next) = &self.next {
            cx.tell(next, ToFilter::Candidate(candidate));
        } else if self.primes.len() < self.capacity {
            self.primes.push(candidate);
        } else {
            let next = Self::new(self.id + 1, candidate, self.capacity, self.report);
            self.next = Some(cx.spawn(next));
        }
    }

    fn exit(&self, count: i64, sum: i64, cx: &mut impl Context<L, Self>) {
        let count = count + self.primes.len() as i64;
        let sum = sum + self.primes.iter().sum::<i64>();
        match &self.next {
            Some(next) => cx.tell(next, ToFilter::Exit { count, sum }),
            None => {
                self.report.end.report(End {
                    primes: count,
                    sum,
                    filters: self.id,
                });
                cx.population(self.id + 1);
            }
        }
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Filter<L> {
    type Message = ToFilter;

    fn handle(&mut self, message: ToFilter, cx: &mut impl Context<L, Self>) {
        match message {
            ToFilter::Candidate(candidate) => self.candidate(candidate, cx),
            ToFilter::Exit { count, sum } => self.exit(count, sum, cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_divided;

    #[test]
    fn a_candidate_is_divided_by_any_of_the_primes() {
        assert!(is_divided(9, &[2, 3, 5]));
        assert!(!is_divided(7, &[2, 3, 5]));
        assert!(!is_divided(1 << 40 | 1, &[2]));
    }
}
