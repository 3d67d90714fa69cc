//! Big: everybody pings everybody, one ping at a time.

use std::sync::Arc;

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::Rng;
use crate::tools::collector::Sum;

/// The benchmark.
#[derive(Debug)]
pub struct Big {
    pings: i64,
    actors: i64,
}

/// What the workers report.
#[derive(Debug, Default)]
pub struct Report {
    result: Sum,
    pings: Sum,
}

/// The workers, in the order of their ids; one immutable array for all.
type Peers<L> = Arc<[<L as ActorLibrary>::Address<Worker<L>>]>;

impl Benchmark for Big {
    const NAME: &'static str = "big";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("pings", 0),
        Parameter::between("actors", 1, 65536),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            pings: arguments.get("pings"),
            actors: arguments.get("actors"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.actors + 1)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let sink = driver.spawn(Sink::<L> { done: 0, peers: None });
        let peers: Peers<L> = (0..self.actors)
            .map(|id| driver.spawn(Worker::new(id, self.pings, sink.clone(), report)))
            .collect();
        driver.tell(&sink, ToSink::Peers(peers.clone()));
        for worker in peers.iter() {
            driver.tell(worker, ToWorker::Peers(peers.clone()));
        }
        for worker in peers.iter() {
            driver.tell(worker, ToWorker::Pong { id: NOBODY });
        }
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take()).check("pings", report.pings.take()))
    }
}

/// The id in the first Pong, that of the driver.
const NOBODY: i64 = -1;

/// Every library here puts a message into the mailbox before the send returns, so that the driver's Peers comes before
/// anything that follows from it. One that does not would fail with this text.
const NO_PEERS: &str = "a message came before Peers: the library does not keep causal order";

struct Sink<L: ActorLibrary> {
    done: usize,
    peers: Option<Peers<L>>,
}

enum ToSink<L: ActorLibrary> {
    Peers(Peers<L>),
    Done,
}

impl<L: ActorLibrary> Actor<L> for Sink<L> {
    type Message = ToSink<L>;

    fn handle(&mut self, message: ToSink<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToSink::Peers(peers) => self.peers = Some(peers),
            ToSink::Done => {
                let peers = self.peers.as_ref().expect(NO_PEERS);
                self.done += 1;
                if self.done == peers.len() {
                    for worker in peers.iter() {
                        cx.tell(worker, ToWorker::Exit);
                    }
                    cx.stop();
                }
            }
        }
    }
}

struct Worker<L: ActorLibrary> {
    id: i64,
    pings: i64,
    sent: i64,
    expect: i64,
    received: i64,
    rng: Rng,
    peers: Option<Peers<L>>,
    sink: L::Address<Sink<L>>,
    report: &'static Report,
}

enum ToWorker<L: ActorLibrary> {
    Peers(Peers<L>),
    Ping { id: i64 },
    Pong { id: i64 },
    Exit,
}

impl<L: ActorLibrary> Worker<L> {
    fn new(id: i64, pings: i64, sink: L::Address<Sink<L>>, report: &'static Report) -> Self {
        Self {
            id,
            pings,
            sent: 0,
            expect: NOBODY,
            received: 0,
            rng: Rng::new(id),
            peers: None,
            sink,
            report,
        }
    }

    fn peers(&self) -> &[L::Address<Worker<L>>] {
        self.peers.as_ref().expect(NO_PEERS)
    }

    fn ping(&mut self, from: i64, cx: &mut impl Context<L, Self>) {
        self.received += 1;
        cx.tell(&self.peers()[from as usize], ToWorker::Pong { id: self.id });
    }

    fn pong(&mut self, from: i64, cx: &mut impl Context<L, Self>) {
        assert_eq!(from, self.expect, "a pong came from an actor that was not pinged");
        if self.sent == self.pings {
            cx.tell(&self.sink, ToSink::Done);
            return;
        }
        let target = self.rng.below(self.peers().len() as i64);
        self.expect = target;
        self.sent += 1;
        cx.tell(&self.peers()[target as usize], ToWorker::Ping { id: self.id });
    }
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker<L>;

    fn handle(&mut self, message: ToWorker<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToWorker::Peers(peers) => self.peers = Some(peers),
            ToWorker::Ping { id } => self.ping(id, cx),
            ToWorker::Pong { id } => self.pong(id, cx),
            ToWorker::Exit => {
                self.report.result.add((self.id + 1).wrapping_mul(self.received));
                self.report.pings.add(self.received);
                cx.stop();
            }
        }
    }
}
