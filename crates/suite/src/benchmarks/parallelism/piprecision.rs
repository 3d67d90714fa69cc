//! Precise Pi: workers compute terms of a series in big numbers, as many as the precision needs.

use std::sync::Arc;

use num_bigint::BigUint;
use num_integer::Integer;

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;
use crate::tools::sequence_hash;

/// The benchmark.
#[derive(Debug)]
pub struct PiPrecision {
    workers: usize,
    scale: u32,
}

/// What the Master reports.
#[derive(Debug, Default)]
pub struct Report {
    end: Once<End>,
}

#[derive(Debug)]
struct End {
    total: BigUint,
    terms: u64,
}

impl Benchmark for PiPrecision {
    const NAME: &'static str = "piprecision";
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::at_least("w", 1), Parameter::between("p", 10, 100_000)];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            workers: arguments.get("w") as usize,
            scale: arguments.get("p") as u32,
        }
    }

    fn actors(&self) -> Population {
        Population::Known((self.workers as i64).saturating_add(1))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let master = driver.spawn(Master::<L> {
            scale: self.scale,
            size: self.workers,
            workers: Vec::new(),
            total: BigUint::ZERO,
            requested: 0,
            received: 0,
            large: 0,
            stop_requested: false,
            stopped: 0,
            report,
        });
        driver.tell(&master, ToMaster::Start);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let End { total, terms } = report.end.take("end")?;
        let (result, digits) = checksums(&total);
        Ok(Outcome::new(result)
            .check("digits", digits)
            .metric("terms", terms as i64))
    }
}

/// The total modulo 2^31 - 1, and the checksum of its decimal digits.
fn checksums(total: &BigUint) -> (i64, i64) {
    let remainder = total % 2_147_483_647_u32;
    let remainder = remainder.iter_u64_digits().next().unwrap_or_default();
    let digits = total.to_radix_be(10);
    (remainder as i64, sequence_hash(digits.into_iter().map(i64::from)))
}

/// Small multiples of the unit, 10^scale.
struct Units {
    one: BigUint,
    two: BigUint,
    four: BigUint,
}

impl Units {
    fn new(scale: u32) -> Self {
        let one = BigUint::from(10_u8).pow(scale);
        Self {
            two: &one * 2_u8,
            four: &one * 4_u8,
            one,
        }
    }

    /// A term of the series of Bailey, Borwein and Plouffe, in units.
    // One copy for all libraries.
    #[inline(never)]
    fn term(&self, k: u64) -> BigUint {
        let eight = 8 * k;
        let sum = rounded_quotient(&self.four, &BigUint::from(eight + 1))
            - rounded_quotient(&self.two, &BigUint::from(eight + 4))
            - rounded_quotient(&self.one, &BigUint::from(eight + 5))
            - rounded_quotient(&self.one, &BigUint::from(eight + 6));
        rounded_quotient(&sum, &BigUint::from(16_u8).pow(k as u32))
    }
}

/// The quotient rounded to the nearest integer; half-way it is the even one.
fn rounded_quotient(dividend: &BigUint, divisor: &BigUint) -> BigUint {
    let (quotient, remainder) = dividend.div_rem(divisor);
    let twice: BigUint = remainder << 1;
    if twice > *divisor || twice == *divisor && quotient.bit(0) {
        quotient + 1_u8
    } else {
        quotient
    }
}

struct Master<L: ActorLibrary> {
    scale: u32,
    size: usize,
    workers: Vec<L::Address<Worker<L>>>,
    total: BigUint,
    requested: u64,
    received: u64,
    /// Terms above 1. Terms fall, so that these are the first ones.
    large: u64,
    stop_requested: bool,
    stopped: usize,
    report: &'static Report,
}

enum ToMaster {
    Start,
    Result { value: BigUint, worker: usize },
    Stopped,
}

impl<L: ActorLibrary> Master<L> {
    /// How many terms are requested before the first one is there.
    fn ahead(&self) -> u64 {
        u64::from(self.scale).min(10_u64.saturating_mul(self.size as u64))
    }

    fn start(&mut self, cx: &mut impl Context<L, Self>) {
        let units = Arc::new(Units::new(self.scale));
        for id in 0..self.size {
            let worker = cx.spawn(Worker {
                id,
                units: Arc::clone(&units),
                master: cx.myself(),
            });
            self.workers.push(worker);
        }
        for worker in (0..self.size).cycle().take(self.ahead() as usize) {
            self.request(worker, cx);
        }
    }

    fn request(&mut self, worker: usize, cx: &mut impl Context<L, Self>) {
        cx.tell(&self.workers[worker], ToWorker::Work { term: self.requested });
        self.requested += 1;
    }

    fn result(&mut self, value: &BigUint, worker: usize, cx: &mut impl Context<L, Self>) {
        self.received += 1;
        self.total += value;
        if *value <= BigUint::from(1_u8) {
            self.stop_requested = true;
        } else {
            self.large += 1;
        }
        if !self.stop_requested {
            self.request(worker, cx);
        }
        if self.received == self.requested {
            for worker in &self.workers {
                cx.tell(worker, ToWorker::Stop);
            }
        }
    }

    fn finish(&mut self, cx: &mut impl Context<L, Self>) {
        let needed = self.large + 1..=self.large + self.ahead();
        assert!(
            needed.contains(&self.requested),
            "{} terms were requested; it must be {needed:?}",
            self.requested
        );
        self.report.end.report(End {
            total: std::mem::take(&mut self.total),
            terms: self.requested,
        });
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Master<L> {
    type Message = ToMaster;

    fn handle(&mut self, message: ToMaster, cx: &mut impl Context<L, Self>) {
        match message {
            ToMaster::Start => self.start(cx),
            ToMaster::Result { value, worker } => self.result(&value, worker, cx),
            ToMaster::Stopped => {
                self.stopped += 1;
                if self.stopped == self.workers.len() {
                    self.finish(cx);
                }
            }
        }
    }
}

struct Worker<L: ActorLibrary> {
    id: usize,
    units: Arc<Units>,
    master: L::Address<Master<L>>,
}

enum ToWorker {
    Work { term: u64 },
    Stop,
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<L, Self>) {
        match message {
            ToWorker::Work { term } => {
                let value = self.units.term(term);
                let worker = self.id;
                cx.tell(&self.master, ToMaster::Result { value, worker });
            }
            ToWorker::Stop => {
                cx.tell(&self.master, ToMaster::Stopped);
                cx.stop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_rounded_half_to_even() {
        for (dividend, divisor, quotient) in
            [(7, 4, 2), (5, 4, 1), (6, 4, 2), (2, 4, 0), (10, 4, 2), (8, 4, 2)]
        {
            let (dividend, divisor) = (BigUint::from(dividend as u32), BigUint::from(divisor as u32));
            assert_eq!(
                rounded_quotient(&dividend, &divisor),
                BigUint::from(quotient as u32),
                "{dividend}/{divisor}"
            );
        }
    }

    #[test]
    fn the_series_has_the_values_of_the_entry() {
        for (scale, last, expected) in [
            (50, 39, (245_309_055, 1_431_576_654)),
            (1000, 825, (575_802_020, 370_934_602)),
        ] {
            let units = Units::new(scale);
            let terms: Vec<_> = (0..last + 20).map(|k| units.term(k)).collect();
            let one = BigUint::from(1_u8);
            assert_eq!(terms.iter().position(|term| *term <= one), Some(last as usize));
            assert_eq!(checksums(&terms.iter().sum()), expected, "scale {scale}");
        }
    }
}
