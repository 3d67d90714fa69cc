//! Ping Ping with Payload: two partners send to each other at the same time.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::Payload;
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct PingPing {
    repetitions: i64,
    size: usize,
    shared: bool,
}

/// What Tally reports.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    hash: Once<i64>,
}

impl Benchmark for PingPing {
    const NAME: &'static str = "pingping";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("r", 1),
        Parameter::at_least("size", 1),
        Parameter::choice("mode", &["copy", "share"]),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            repetitions: arguments.get("r"),
            size: arguments.get("size") as usize,
            shared: arguments.word("mode") == "share",
        }
    }

    fn actors(&self) -> Population {
        Population::Known(3)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let tally = driver.spawn(Tally { first: None, report });
        let partners: [L::Address<Partner<L>>; 2] = std::array::from_fn(|_| {
            driver.spawn(Partner {
                left: self.repetitions,
                size: self.size,
                shared: self.shared,
                peer: None,
                early: None,
                acc: 0,
                hash: None,
                tally: tally.clone(),
            })
        });
        let [a, b] = &partners;
        driver.tell(a, Message::Start { peer: b.clone() });
        driver.tell(b, Message::Start { peer: a.clone() });
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?).check("hash", report.hash.take("hash")?))
    }
}

struct Tally {
    /// What the first partner said that was done.
    first: Option<Done>,
    report: &'static Report,
}

struct Done {
    acc: i64,
    hash: i64,
}

impl<L: ActorLibrary> Actor<L> for Tally {
    type Message = Done;

    fn handle(&mut self, done: Done, cx: &mut impl Context<L, Self>) {
        let Some(first) = &self.first else {
            self.first = Some(done);
            return;
        };
        assert_eq!(
            first.hash, done.hash,
            "the two balls ended with different payloads"
        );
        self.report.result.report(first.acc + done.acc);
        self.report.hash.report(done.hash);
        cx.stop();
    }
}

struct Partner<L: ActorLibrary> {
    /// Messages that are still to be received.
    left: i64,
    size: usize,
    shared: bool,
    peer: Option<L::Address<Partner<L>>>,
    /// The peer's first ball, if it came before Start.
    early: Option<Ball>,
    acc: i64,
    /// The checksum of the ball that ended here.
    hash: Option<i64>,
    tally: L::Address<Tally>,
}

enum Message<L: ActorLibrary> {
    Start { peer: L::Address<Partner<L>> },
    Ping(Ball),
}

struct Ball {
    /// Messages that it still has to be.
    left: i64,
    payload: Payload,
}

impl<L: ActorLibrary> Partner<L> {
    fn start(&mut self, peer: L::Address<Self>, cx: &mut impl Context<L, Self>) {
        let ball = Ball {
            left: self.left - 1,
            payload: Payload::fresh(self.size, self.shared),
        };
        cx.tell(&peer, Message::Ping(ball));
        self.peer = Some(peer);
        if let Some(early) = self.early.take() {
            self.receive(early, cx);
        }
    }

    fn receive(&mut self, ball: Ball, cx: &mut impl Context<L, Self>) {
        let Some(peer) = &self.peer else {
            self.early = Some(ball);
            return;
        };
        let Ball { left, payload } = ball;
        let place = (left % self.size as i64) as usize;
        self.acc += i64::from(payload.bytes()[place]);
        let payload = payload.pass_on(place);
        if left > 0 {
            let left = left - 1;
            cx.tell(peer, Message::Ping(Ball { left, payload }));
        } else {
            self.hash = Some(payload.hash());
        }
        self.left -= 1;
        if self.left == 0 {
            let hash = self.hash.expect("one of the two balls ended here");
            cx.tell(&self.tally, Done { acc: self.acc, hash });
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Partner<L> {
    type Message = Message<L>;

    fn handle(&mut self, message: Message<L>, cx: &mut impl Context<L, Self>) {
        match message {
            Message::Start { peer } => self.start(peer, cx),
            Message::Ping(ball) => self.receive(ball, cx),
        }
    }
}
