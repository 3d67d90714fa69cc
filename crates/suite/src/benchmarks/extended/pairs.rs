//! Concurrent Pairs: servers and clients exchange payloads, pair by pair.

use std::time::{Duration, Instant};

use crate::benchmark::{Outcome, Phase, Phased, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter, Relation};
use crate::tools::Payload;
use crate::tools::collector::{Indexed, Once};

/// The benchmark.
#[derive(Debug)]
pub struct Pairs {
    pairs: i64,
    length: Length,
    report: i64,
    size: usize,
    shared: bool,
}

/// How long pairs go on.
#[derive(Clone, Copy, Debug)]
enum Length {
    /// This number of exchanges.
    Rounds(i64),
    /// Until the driver says that it is enough, after this time.
    Time(Duration),
}

/// What Aggregator, the servers and the driver report.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    hashsum: Once<i64>,
    exchanges: Indexed,
    start: Once<Instant>,
    end: Once<Instant>,
}

/// The servers, created in setup.
pub type Servers<L> = Vec<<L as ActorLibrary>::Address<Server<L>>>;

impl Phased for Pairs {
    const NAME: &'static str = "pairs";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("pairs", 1),
        Parameter::choice("mode", &["fixed", "timed"]),
        Parameter::at_least("rounds", 1),
        Parameter::at_least("seconds", 1),
        Parameter::at_least("report", 1),
        Parameter::at_least("size", 1),
        Parameter::choice("payload", &["copy", "share"]),
    ];
    const RELATIONS: &'static [Relation] = &[];
    const CHECK_STEPS: usize = 0;
    type Report = Report;
    type Prepared<L: ActorLibrary> = Servers<L>;

    fn new(arguments: &Arguments) -> Self {
        Self {
            pairs: arguments.get("pairs"),
            length: match arguments.word("mode") {
                "fixed" => Length::Rounds(arguments.get("rounds")),
                _ => Length::Time(Duration::from_secs(arguments.get("seconds").unsigned_abs())),
            },
            report: arguments.get("report"),
            size: arguments.get("size") as usize,
            shared: arguments.word("payload") == "share",
        }
    }

    fn stops(&self, phase: Phase) -> Population {
        Population::Known(match phase {
            Phase::Run => self.pairs.saturating_mul(2).saturating_add(1),
            Phase::Setup | Phase::Check(_) => 0,
        })
    }

    fn setup<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) -> Servers<L> {
        let aggregator = driver.spawn(Aggregator {
            running: self.pairs,
            reported: 0,
            exchanges: 0,
            hashsum: 0,
            report,
        });
        let server = |id| Server {
            id,
            last: match self.length {
                Length::Rounds(rounds) => Some(rounds),
                Length::Time(_) => None,
            },
            report_every: self.report,
            size: self.size,
            shared: self.shared,
            exchanges: 0,
            unreported: 0,
            client: None,
            aggregator: aggregator.clone(),
            report,
        };
        (0..self.pairs).map(|id| driver.spawn(server(id))).collect()
    }

    fn run<L: ActorLibrary>(
        &self,
        servers: &mut Servers<L>,
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) {
        report.start.report(Instant::now());
        for server in servers.iter() {
            driver.tell(server, ToServer::Start);
        }
        if let Length::Time(duration) = self.length {
            driver.pause(duration);
            for server in servers.iter() {
                driver.tell(server, ToServer::Halt);
            }
        }
    }

    fn check<L: ActorLibrary>(
        &self,
        _: usize,
        _: &mut Servers<L>,
        _: &mut impl Driver<L>,
        _: &'static Report,
    ) {
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let exchanges = report.result.take("result")?;
        let hashsum = report.hashsum.take("hashsum")?;
        let elapsed = report.end.take("end")? - report.start.take("start")?;
        let outcome = Outcome::new(exchanges)
            .metric("throughput", exchanges as f64 * 60.0 / elapsed.as_secs_f64())
            .per_actor("n", report.exchanges.take("n", self.pairs)?);
        Ok(match self.length {
            Length::Rounds(_) => outcome.check("hashsum", hashsum),
            Length::Time(_) => outcome,
        })
    }
}

/// Adds up what the servers tell.
pub struct Aggregator {
    running: i64,
    reported: i64,
    exchanges: i64,
    hashsum: i64,
    report: &'static Report,
}

/// What Aggregator understands.
pub enum ToAggregator {
    /// Exchanges since the last report.
    Report(i64),
    /// A pair is done.
    Finished {
        /// All its exchanges.
        exchanges: i64,
        /// The checksum of its last payload.
        hash: i64,
    },
}

impl<L: ActorLibrary> Actor<L> for Aggregator {
    type Message = ToAggregator;

    fn handle(&mut self, message: ToAggregator, cx: &mut impl Context<L, Self>) {
        match message {
            ToAggregator::Report(exchanges) => self.reported += exchanges,
            ToAggregator::Finished { exchanges, hash } => {
                assert!(exchanges >= 1, "a pair made no exchange");
                self.exchanges += exchanges;
                self.hashsum += hash;
                self.running -= 1;
                if self.running == 0 {
                    assert_eq!(self.reported, self.exchanges, "reports were lost or repeated");
                    self.report.end.report(Instant::now());
                    self.report.result.report(self.reported);
                    self.report.hashsum.report(self.hashsum);
                    cx.stop();
                }
            }
        }
    }
}

/// The half of a pair that counts.
pub struct Server<L: ActorLibrary> {
    id: i64,
    /// The number of the last exchange, once it is known.
    last: Option<i64>,
    report_every: i64,
    size: usize,
    shared: bool,
    exchanges: i64,
    unreported: i64,
    client: Option<L::Address<Client<L>>>,
    aggregator: L::Address<Aggregator>,
    report: &'static Report,
}

/// What a server understands.
pub enum ToServer {
    /// Begin.
    Start,
    /// The client's answer.
    Reply(Payload),
    /// The next exchange is the last.
    Halt,
}

impl<L: ActorLibrary> Server<L> {
    fn reply(&mut self, payload: Payload, cx: &mut impl Context<L, Self>) {
        let payload = payload.pass_on((self.exchanges % self.size as i64) as usize);
        self.exchanges += 1;
        self.unreported += 1;
        let is_last = self.last == Some(self.exchanges);
        if self.unreported == self.report_every || is_last {
            cx.tell(&self.aggregator, ToAggregator::Report(self.unreported));
            self.unreported = 0;
        }
        let client = self.client.as_ref().expect("the client that replied");
        if is_last {
            cx.tell(client, ToClient::Stop);
            self.finish(&payload, cx);
        } else {
            cx.tell(client, ToClient::Data(payload));
        }
    }

    fn finish(&self, payload: &Payload, cx: &mut impl Context<L, Self>) {
        let finished = ToAggregator::Finished {
            exchanges: self.exchanges,
            hash: payload.hash(),
        };
        cx.tell(&self.aggregator, finished);
        self.report.exchanges.report(self.id, self.exchanges);
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Server<L> {
    type Message = ToServer;

    fn handle(&mut self, message: ToServer, cx: &mut impl Context<L, Self>) {
        match message {
            ToServer::Start => {
                let client = self.client.insert(cx.spawn(Client {
                    received: 0,
                    size: self.size,
                    server: cx.myself(),
                }));
                cx.tell(client, ToClient::Data(Payload::fresh(self.size, self.shared)));
            }
            ToServer::Reply(payload) => self.reply(payload, cx),
            // One exchange is always under way.
            ToServer::Halt => self.last = Some(self.exchanges + 1),
        }
    }
}

/// The half of a pair that answers.
pub struct Client<L: ActorLibrary> {
    received: i64,
    size: usize,
    server: L::Address<Server<L>>,
}

/// What a client understands.
pub enum ToClient {
    /// A payload to be sent back.
    Data(Payload),
    /// The pair is done.
    Stop,
}

impl<L: ActorLibrary> Actor<L> for Client<L> {
    type Message = ToClient;

    fn handle(&mut self, message: ToClient, cx: &mut impl Context<L, Self>) {
        match message {
            ToClient::Data(payload) => {
                let payload = payload.pass_on((self.received % self.size as i64) as usize);
                self.received += 1;
                cx.tell(&self.server, ToServer::Reply(payload));
            }
            ToClient::Stop => cx.stop(),
        }
    }
}
