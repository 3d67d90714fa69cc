//! Ping Pong: two actors, one message in flight.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct PingPong {
    pings: i64,
}

/// What Ping and Pong report.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    pongs: Once<i64>,
}

impl Benchmark for PingPong {
    const NAME: &'static str = "pingpong";
    const PARAMETERS: &'static [Parameter] = &[Parameter::at_least("pings", 1)];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            pings: arguments.get("pings"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(2)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let pong = driver.spawn(Pong { count: 0, report });
        let ping = driver.spawn(Ping {
            left: self.pings,
            sum: 0,
            pong,
            report,
        });
        driver.tell(&ping, ToPing::Start);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?).check("pongs", report.pongs.take("pongs")?))
    }
}

struct Ping<L: ActorLibrary> {
    left: i64,
    sum: i64,
    pong: L::Address<Pong>,
    report: &'static Report,
}

enum ToPing<L: ActorLibrary> {
    Start,
    Next,
    Back {
        #[expect(
            dead_code,
            reason = "the entry sends the reference, and its receiver does not need it"
        )]
        from: L::Address<Pong>,
        n: i64,
    },
}

kinds!(Next of ToPing<L>);

impl<L: ActorLibrary> Actor<L> for Ping<L> {
    type Message = ToPing<L>;

    fn handle(&mut self, message: ToPing<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToPing::Start | ToPing::Next => {
                cx.tell(
                    &self.pong,
                    ToPong::Ball {
                        from: cx.myself(),
                        n: self.left,
                    },
                );
                self.left -= 1;
            }
            ToPing::Back { n, .. } => {
                assert_eq!(n, self.left + 1, "a ball was lost or repeated");
                self.sum += n;
                if self.left > 0 {
                    cx.tell_self_kind(Next);
                } else {
                    cx.tell(&self.pong, ToPong::Stop);
                    self.report.result.report(self.sum);
                    cx.stop();
                }
            }
        }
    }
}

struct Pong {
    count: i64,
    report: &'static Report,
}

enum ToPong<L: ActorLibrary> {
    Ball { from: L::Address<Ping<L>>, n: i64 },
    Stop,
}

impl<L: ActorLibrary> Actor<L> for Pong {
    type Message = ToPong<L>;

    fn handle(&mut self, message: ToPong<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToPong::Ball { from, n } => {
                self.count += 1;
                cx.tell(&from, ToPing::Back { from: cx.myself(), n });
            }
            ToPong::Stop => {
                self.report.pongs.report(self.count);
                cx.stop();
            }
        }
    }
}
