//! Cheats with messages: one where the entry demands two, or none where it demands one.

use suite::benchmark::Outcome;
use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::tools::collector::{FloatSum, Once, Sum};

use super::{Pair, cheat};

// pingpong: Ping answers Back at once with the next Ball, without Next.
cheat!(InlinedPong = PingPong, Pair, |_this| 2, pings);

impl InlinedPong {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Pair) {
        let pong = driver.spawn(Pong { count: 0, report });
        let ping = driver.spawn(Ping {
            left: self.pings,
            sum: 0,
            pong,
            report,
        });
        driver.tell(&ping, ToPing::Start);
    }

    fn collect(report: &Pair) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?).check("pongs", report.check.take("pongs")?))
    }
}

struct Ping<L: ActorLibrary> {
    left: i64,
    sum: i64,
    pong: L::Address<Pong>,
    report: &'static Pair,
}

enum ToPing {
    Start,
    Back(i64),
}

enum ToPong<L: ActorLibrary> {
    Ball(L::Address<Ping<L>>, i64),
    Stop,
}

impl<L: ActorLibrary> Actor<L> for Ping<L> {
    type Message = ToPing;

    fn handle(&mut self, message: ToPing, cx: &mut impl Context<L, Self>) {
        if let ToPing::Back(n) = message {
            self.sum += n;
        }
        if self.left == 0 {
            cx.tell(&self.pong, ToPong::Stop);
            self.report.result.report(self.sum);
            cx.stop();
        } else {
            cx.tell(&self.pong, ToPong::Ball(cx.myself(), self.left));
            self.left -= 1;
        }
    }
}

struct Pong {
    count: i64,
    report: &'static Pair,
}

impl<L: ActorLibrary> Actor<L> for Pong {
    type Message = ToPong<L>;

    fn handle(&mut self, message: ToPong<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToPong::Ball(from, n) => {
                self.count += 1;
                cx.tell(&from, ToPing::Back(n));
            }
            ToPong::Stop => {
                self.report.check.report(self.count);
                cx.stop();
            }
        }
    }
}

// threadring: the ring leaves out its last actor; or the token counts two hops at a time.
cheat!(ShortRing = ThreadRing, Pair, |this| this.actors, actors, hops);
cheat!(LongHops = ThreadRing, Pair, |this| this.actors, actors, hops);

impl ShortRing {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Pair) {
        ring(self.actors - 1, 1, self.hops, driver, report);
    }

    fn collect(report: &Pair) -> Result<Outcome, String> {
        LongHops::collect(report)
    }
}

impl LongHops {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Pair) {
        ring(self.actors, 2, self.hops, driver, report);
    }

    fn collect(report: &Pair) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?).check("last", report.check.take("last")?))
    }
}

fn ring<L: ActorLibrary>(
    size: i64,
    step: i64,
    hops: i64,
    driver: &mut impl Driver<L>,
    report: &'static Pair,
) {
    let ring: Vec<_> = (0..size)
        .map(|id| {
            driver.spawn(Ring::<L> {
                id,
                size,
                step,
                next: None,
                seen: 0,
                report,
            })
        })
        .collect();
    for (actor, next) in ring.iter().zip(ring.iter().cycle().skip(1)) {
        driver.tell(actor, ToRing::Data(next.clone()));
    }
    driver.tell(&ring[0], ToRing::Token(hops));
}

struct Ring<L: ActorLibrary> {
    id: i64,
    size: i64,
    step: i64,
    next: Option<L::Address<Ring<L>>>,
    seen: i64,
    report: &'static Pair,
}

enum ToRing<L: ActorLibrary> {
    Data(L::Address<Ring<L>>),
    Token(i64),
    Exit(i64, i64),
}

impl<L: ActorLibrary> Actor<L> for Ring<L> {
    type Message = ToRing<L>;

    fn handle(&mut self, message: ToRing<L>, cx: &mut impl Context<L, Self>) {
        let next = self.next.clone();
        let pass_on =
            |message, cx: &mut _| Context::<L, Self>::tell(cx, &next.expect("Data came first"), message);
        match message {
            ToRing::Data(next) => self.next = Some(next),
            ToRing::Token(k) => {
                self.seen += 1;
                let token = if k > 0 {
                    ToRing::Token(k - self.step)
                } else {
                    ToRing::Exit(self.size - 1, 0)
                };
                pass_on(token, cx);
            }
            ToRing::Exit(k, acc) => {
                let acc = acc + (self.id + 1) * self.seen;
                if k > 0 {
                    pass_on(ToRing::Exit(k - 1, acc), cx);
                } else {
                    self.report.result.report(acc);
                    self.report.check.report(self.id);
                }
                cx.stop();
            }
        }
    }
}

// count: a message stands for two increments.
cheat!(MergedIncrements = Count, Once<i64>, |_this| 2, messages);

impl MergedIncrements {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Once<i64>) {
        let counter = driver.spawn(Counter { count: 0 });
        let producer = driver.spawn(Producer {
            messages: self.messages,
            counter,
            report,
        });
        driver.tell(&producer, ToProducer::Start);
    }

    fn collect(report: &Once<i64>) -> Result<Outcome, String> {
        Ok(Outcome::new(report.take("result")?))
    }
}

struct Producer<L: ActorLibrary> {
    messages: i64,
    counter: L::Address<Counter>,
    report: &'static Once<i64>,
}

enum ToProducer {
    Start,
    Result(i64),
}

struct Counter {
    count: i64,
}

enum ToCounter<L: ActorLibrary> {
    Add(i64),
    Retrieve(L::Address<Producer<L>>),
}

impl<L: ActorLibrary> Actor<L> for Producer<L> {
    type Message = ToProducer;

    fn handle(&mut self, message: ToProducer, cx: &mut impl Context<L, Self>) {
        match message {
            ToProducer::Start => {
                for _ in 0..self.messages / 2 {
                    cx.tell(&self.counter, ToCounter::Add(2));
                }
                cx.tell(&self.counter, ToCounter::Retrieve(cx.myself()));
            }
            ToProducer::Result(value) => {
                self.report.report(value);
                cx.stop();
            }
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Counter {
    type Message = ToCounter<L>;

    fn handle(&mut self, message: ToCounter<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToCounter::Add(more) => self.count += more,
            ToCounter::Retrieve(from) => {
                cx.tell(&from, ToProducer::Result(self.count));
                cx.stop();
            }
        }
    }
}

// fjthrput: a message stands for two; or the last worker gets one message less.
cheat!(
    MergedWork = ForkJoinThroughput,
    Sums,
    |this| this.actors,
    messages,
    actors
);
cheat!(
    UnevenRounds = ForkJoinThroughput,
    Sums,
    |this| this.actors,
    messages,
    actors
);

#[derive(Default)]
pub struct Sums {
    result: Sum,
    sum: FloatSum,
}

impl MergedWork {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Sums) {
        let workers: Vec<_> = spawn_workers(self.messages, self.actors, driver, report);
        for _ in 0..self.messages / 2 {
            for worker in &workers {
                driver.tell(
                    worker,
                    Work {
                        theta: 37.2,
                        times: 2,
                    },
                );
            }
        }
    }

    fn collect(report: &Sums) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take()).check("sum", report.sum.take()))
    }
}

impl UnevenRounds {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Sums) {
        let workers: Vec<_> = spawn_workers(self.messages, self.actors, driver, report);
        for round in 0..self.messages {
            let skipped = usize::from(round == 0);
            for worker in &workers[skipped..] {
                driver.tell(
                    worker,
                    Work {
                        theta: 37.2,
                        times: 1,
                    },
                );
            }
        }
    }

    fn collect(report: &Sums) -> Result<Outcome, String> {
        MergedWork::collect(report)
    }
}

fn spawn_workers<L: ActorLibrary>(
    messages: i64,
    actors: i64,
    driver: &mut impl Driver<L>,
    report: &'static Sums,
) -> Vec<L::Address<Worker>> {
    (0..actors)
        .map(|id| {
            driver.spawn(Worker {
                id,
                messages,
                count: 0,
                sum: 0.0,
                report,
            })
        })
        .collect()
}

struct Worker {
    id: i64,
    messages: i64,
    count: i64,
    sum: f64,
    report: &'static Sums,
}

struct Work {
    theta: f64,
    times: i64,
}

impl<L: ActorLibrary> Actor<L> for Worker {
    type Message = Work;

    fn handle(&mut self, Work { theta, times }: Work, cx: &mut impl Context<L, Self>) {
        self.sum += times as f64 * theta.sin() * theta.sin();
        self.count += times;
        if self.count == self.messages {
            self.report.result.add((self.id + 1) * self.count);
            self.report.sum.add(self.sum);
            cx.stop();
        }
    }
}
