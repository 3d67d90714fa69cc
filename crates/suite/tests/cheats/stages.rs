//! Cheats of pipelines, and of workers that get their parts from a master.

use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::tools::{Rng, SequenceHash};

use num_bigint::BigUint;

use super::{Fields, cheat};

// radixsort: the stage of the highest bit is left out.
cheat!(MissingStage = RadixSort, |this| this.m.ilog2().into(), n, m, s);

impl MissingStage {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let mut stage = driver.spawn(Stage {
            radix: 0,
            left: self.n,
            kept: Vec::new(),
            next: None,
            report,
        });
        for bit in (0..self.m.ilog2() - 1).rev() {
            stage = driver.spawn(Stage::<L> {
                radix: 1 << bit,
                left: self.n,
                kept: Vec::new(),
                next: Some(stage),
                report,
            });
        }
        let mut rng = Rng::new(self.s);
        for _ in 0..self.n {
            driver.tell(&stage, rng.below(self.m));
        }
    }
}

struct Stage<L: ActorLibrary> {
    radix: i64,
    left: i64,
    kept: Vec<i64>,
    /// Nothing for the validator, which keeps all values.
    next: Option<L::Address<Stage<L>>>,
    report: &'static Fields,
}

impl<L: ActorLibrary> Actor<L> for Stage<L> {
    type Message = i64;

    fn handle(&mut self, value: i64, cx: &mut impl Context<L, Self>) {
        self.left -= 1;
        match &self.next {
            Some(next) if value & self.radix == 0 => cx.tell(next, value),
            _ => self.kept.push(value),
        }
        if self.left > 0 {
            return;
        }
        match &self.next {
            Some(next) => self.kept.iter().for_each(|value| cx.tell(next, *value)),
            None => {
                let mut hash = SequenceHash::default();
                self.kept.iter().for_each(|value| hash.add(*value));
                self.report.add("result", hash.value());
                self.report.add("count", self.kept.len() as i64);
                self.report.add("sum", self.kept.iter().sum());
                let errors = self.kept.windows(2).filter(|pair| pair[0] > pair[1]);
                self.report.add("errors", errors.count() as i64);
            }
        }
        cx.stop();
    }
}

// sieve: multiples of 3 are not even produced.
cheat!(Wheel = Sieve, |this| filters(this.n, this.m) + 1, n, m);

fn filters(limit: i64, primes_per_filter: i64) -> i64 {
    let is_prime = |x: &i64| (2..*x).all(|y| x % y != 0);
    let primes = (2..limit).filter(is_prime).count() as i64;
    (primes + primes_per_filter - 1) / primes_per_filter
}

impl Wheel {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let first = driver.spawn(Filter::new(2, self.m, report));
        let producer = driver.spawn(Producer::<L> { limit: self.n, first });
        driver.tell(&producer, ());
    }
}

struct Producer<L: ActorLibrary> {
    limit: i64,
    first: L::Address<Filter<L>>,
}

impl<L: ActorLibrary> Actor<L> for Producer<L> {
    type Message = ();

    fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
        for x in (3..self.limit).step_by(2).filter(|x| *x == 3 || x % 3 != 0) {
            cx.tell(&self.first, Some(x));
        }
        cx.tell(&self.first, None);
        cx.stop();
    }
}

struct Filter<L: ActorLibrary> {
    primes: Vec<i64>,
    capacity: i64,
    next: Option<L::Address<Filter<L>>>,
    report: &'static Fields,
}

impl<L: ActorLibrary> Filter<L> {
    fn new(first: i64, capacity: i64, report: &'static Fields) -> Self {
        Self {
            primes: vec![first],
            capacity,
            next: None,
            report,
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Filter<L> {
    type Message = Option<i64>;

    fn handle(&mut self, message: Option<i64>, cx: &mut impl Context<L, Self>) {
        let passes = |x: i64| self.primes.iter().all(|prime| x % prime != 0);
        match (message, &self.next) {
            (Some(x), _) if !passes(x) => {}
            (Some(x), Some(next)) => cx.tell(next, Some(x)),
            (Some(x), None) if (self.primes.len() as i64) < self.capacity => self.primes.push(x),
            (Some(x), None) => self.next = Some(cx.spawn(Self::new(x, self.capacity, self.report))),
            (None, next) => {
                self.report.add("result", self.primes.len() as i64);
                self.report.add("sum", self.primes.iter().sum());
                self.report.add("filters", 1);
                if let Some(next) = next {
                    cx.tell(next, None);
                }
                cx.stop();
            }
        }
    }
}

// facloc: the region of the whole grid is never divided.
cheat!(OneRegion = FacilityLocation, |_this| 2, n, s);

impl OneRegion {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let region = driver.spawn(Region { report });
        driver.spawn(Customers::<L> {
            left: self.n,
            rng: Rng::new(self.s),
            region,
        });
    }
}

struct Region {
    report: &'static Fields,
}

struct Customers<L: ActorLibrary> {
    left: i64,
    rng: Rng,
    region: L::Address<Region>,
}

struct Customer<L: ActorLibrary> {
    /// Nothing after the last one.
    at: Option<(f64, f64)>,
    from: L::Address<Customers<L>>,
}

impl<L: ActorLibrary> Actor<L> for Region {
    type Message = Customer<L>;

    fn handle(&mut self, Customer { at, from }: Customer<L>, cx: &mut impl Context<L, Self>) {
        if let Some((x, y)) = at {
            self.report.add("customers", 1);
            self.report.add_float("cost", (x - 250.0).hypot(y - 250.0));
            cx.tell(&from, ());
            return;
        }
        for field in ["result", "facilities", "maxdepth", "rootups"] {
            self.report.add(field, 0);
        }
        self.report.metric("facility_down", 0);
        cx.stop();
    }
}

impl<L: ActorLibrary> Customers<L> {
    fn send(&mut self, cx: &mut impl Context<L, Self>) {
        let mut draw = || self.rng.draw() as f64 / 65536.0 * 500.0;
        let at = (self.left > 0).then(|| (draw(), draw()));
        let from = cx.myself();
        cx.tell(&self.region, Customer { at, from });
        self.left -= 1;
    }
}

impl<L: ActorLibrary> Actor<L> for Customers<L> {
    type Message = ();

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        self.send(cx);
    }

    fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
        self.send(cx);
        if self.left < 0 {
            cx.stop();
        }
    }
}

// trapezoid: every worker loses the last piece of its interval, as one does that counts pieces in floats.
cheat!(LostPieces = Trapezoid, |this| this.w, n, w);

impl LostPieces {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        for worker in 0..self.w {
            let pieces = worker * self.n / self.w..(worker + 1) * self.n / self.w - 1;
            let width = 4.0 / self.n as f64;
            let worker = driver.spawn(Integral { width, report });
            driver.tell(&worker, pieces);
        }
    }
}

struct Integral {
    width: f64,
    report: &'static Fields,
}

impl<L: ActorLibrary> Actor<L> for Integral {
    type Message = std::ops::Range<i64>;

    fn handle(&mut self, pieces: Self::Message, cx: &mut impl Context<L, Self>) {
        let f = |x: f64| (x * x * x - 1.0).sin() / (x + 1.0) * (1.0 + (2.0 * x).sqrt().exp()).sqrt();
        for piece in pieces {
            let x = 1.0 + piece as f64 * self.width;
            self.report.add("pieces", 1);
            let area = 0.5 * (f(x) + f(x + self.width)) * self.width;
            self.report.add_float("result", area);
        }
        cx.stop();
    }
}

// piprecision: quotients are rounded down.
cheat!(RoundedDown = PiPrecision, |this| this.w, w, p);

impl RoundedDown {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        for worker in 0..self.w {
            let worker = driver.spawn(Terms {
                first: worker as u64,
                step: self.w as usize,
                report,
            });
            driver.tell(&worker, BigUint::from(10_u8).pow(self.p as u32));
        }
    }
}

struct Terms {
    first: u64,
    step: usize,
    report: &'static Fields,
}

impl<L: ActorLibrary> Actor<L> for Terms {
    type Message = BigUint;

    fn handle(&mut self, unit: BigUint, cx: &mut impl Context<L, Self>) {
        for k in (self.first..).step_by(self.step) {
            let quotient = |factor: u8, divisor: u64| &unit * factor / (8 * k + divisor);
            let sum = quotient(4, 1) - quotient(2, 4) - quotient(1, 5) - quotient(1, 6);
            let term = sum / BigUint::from(16_u8).pow(k as u32);
            if term == BigUint::ZERO {
                break;
            }
            let remainder = (term % 2_147_483_647_u32).try_into().expect("below 2^31");
            self.report.add("result", remainder);
        }
        self.report.add("digits", 0);
        self.report.metric("terms", 0);
        cx.stop();
    }
}
