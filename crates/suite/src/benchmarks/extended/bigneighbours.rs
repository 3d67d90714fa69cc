//! Big with Neighbourhoods: everybody pings members of its neighbourhood, one ping at a time.

use std::sync::Arc;

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::Rng;
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct BigNeighbours {
    workers: i64,
    hood: i64,
    pings: i64,
}

/// What Sink reports.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    pings: Once<i64>,
    pongs: Once<i64>,
    errors: Once<i64>,
}

/// Workers in the order of their numbers; an immutable array that its readers share.
type Members<L> = Arc<[<L as ActorLibrary>::Address<Worker<L>>]>;

impl Benchmark for BigNeighbours {
    const NAME: &'static str = "bigneighbours";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("workers", 1),
        Parameter::at_least("hood", 1),
        Parameter::at_least("pings", 1),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            workers: arguments.get("workers"),
            hood: arguments.get("hood"),
            pings: arguments.get("pings"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.workers.saturating_add(1))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let sink = driver.spawn(Sink::<L> {
            workers: None,
            exits: 0,
            stopped: 0,
            totals: Totals::default(),
            report,
        });
        let hoods = neighbourhoods(self.workers, self.hood);
        let hoods: Vec<Members<L>> = hoods
            .map(|(first, members)| {
                let workers =
                    (0..members).map(|local| Worker::new(first + local, local, self.pings, sink.clone()));
                workers.map(|worker| driver.spawn(worker)).collect()
            })
            .collect();
        let workers: Members<L> = hoods.iter().flat_map(|hood| hood.iter().cloned()).collect();

        driver.tell(&sink, ToSink::Workers(workers.clone()));
        for hood in &hoods {
            for worker in hood.iter() {
                driver.tell(worker, ToWorker::Neighbours(hood.clone()));
            }
        }
        for worker in workers.iter() {
            driver.tell(worker, ToWorker::Pong { from: NOBODY });
        }
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?)
            .check("pings", report.pings.take("pings")?)
            .check("pongs", report.pongs.take("pongs")?)
            .check("errors", report.errors.take("errors")?))
    }
}

/// The first worker and the number of members of every neighbourhood. The last one takes the remainder too.
fn neighbourhoods(workers: i64, hood: i64) -> impl Iterator<Item = (i64, i64)> {
    let hoods = (workers / hood).max(1);
    (0..hoods).map(move |number| {
        let first = number * hood;
        let members = if number + 1 < hoods { hood } else { workers - first };
        (first, members)
    })
}

/// The number in the first Pong, that of the driver.
const NOBODY: i64 = -1;

struct Sink<L: ActorLibrary> {
    workers: Option<Members<L>>,
    exits: usize,
    stopped: usize,
    totals: Totals,
    report: &'static Report,
}

/// What one worker, or all together, counted.
#[derive(Default)]
struct Totals {
    pings: i64,
    pongs: i64,
    weighted: i64,
    errors: i64,
}

enum ToSink<L: ActorLibrary> {
    Workers(Members<L>),
    Exit,
    Stopped(Totals),
}

impl<L: ActorLibrary> Sink<L> {
    fn workers(&self) -> &[L::Address<Worker<L>>] {
        self.workers
            .as_ref()
            .expect("the driver sent Workers before all that leads to an Exit")
    }

    fn exit(&mut self, cx: &mut impl Context<L, Self>) {
        self.exits += 1;
        if self.exits == self.workers().len() {
            for worker in self.workers() {
                cx.tell(worker, ToWorker::Stop);
            }
        }
    }

    fn stopped(&mut self, totals: &Totals, cx: &mut impl Context<L, Self>) {
        self.totals.pings += totals.pings;
        self.totals.pongs += totals.pongs;
        self.totals.weighted = self.totals.weighted.wrapping_add(totals.weighted);
        self.totals.errors += totals.errors;
        self.stopped += 1;
        if self.stopped == self.workers().len() {
            self.report.result.report(self.totals.weighted);
            self.report.pings.report(self.totals.pings);
            self.report.pongs.report(self.totals.pongs);
            self.report.errors.report(self.totals.errors);
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Sink<L> {
    type Message = ToSink<L>;

    fn handle(&mut self, message: ToSink<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToSink::Workers(workers) => self.workers = Some(workers),
            ToSink::Exit => self.exit(cx),
            ToSink::Stopped(totals) => self.stopped(&totals, cx),
        }
    }
}

struct Worker<L: ActorLibrary> {
    /// The number among all workers.
    global: i64,
    /// The number in the neighbourhood.
    local: i64,
    /// Pings that are not sent yet.
    left: i64,
    expected: i64,
    pings: i64,
    pongs: i64,
    errors: i64,
    rng: Rng,
    neighbours: Option<Members<L>>,
    sink: L::Address<Sink<L>>,
}

enum ToWorker<L: ActorLibrary> {
    Neighbours(Members<L>),
    Ping {
        #[expect(
            dead_code,
            reason = "the entry sends the number, and its receiver answers the reference"
        )]
        from: i64,
        sender: L::Address<Worker<L>>,
    },
    Pong {
        from: i64,
    },
    Stop,
}

impl<L: ActorLibrary> Worker<L> {
    fn new(global: i64, local: i64, pings: i64, sink: L::Address<Sink<L>>) -> Self {
        Self {
            global,
            local,
            left: pings,
            expected: NOBODY,
            pings: 0,
            pongs: 0,
            errors: 0,
            rng: Rng::new(global),
            neighbours: None,
            sink,
        }
    }

    fn pong(&mut self, from: i64, cx: &mut impl Context<L, Self>) {
        if from != self.expected {
            self.errors += 1;
        }
        if from != NOBODY {
            self.pongs += 1;
        }
        if self.left == 0 {
            cx.tell(&self.sink, ToSink::Exit);
            return;
        }
        let neighbours = self
            .neighbours
            .as_deref()
            .expect("the driver sent Neighbours first");
        let target = self.rng.below(neighbours.len() as i64);
        self.expected = target;
        self.left -= 1;
        let ping = ToWorker::Ping {
            from: self.local,
            sender: cx.myself(),
        };
        cx.tell(&neighbours[target as usize], ping);
    }

    fn stop(&self, cx: &mut impl Context<L, Self>) {
        let totals = Totals {
            pings: self.pings,
            pongs: self.pongs,
            weighted: self.pings.wrapping_mul(self.global % 97 + 1),
            errors: self.errors,
        };
        cx.tell(&self.sink, ToSink::Stopped(totals));
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker<L>;

    fn handle(&mut self, message: ToWorker<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToWorker::Neighbours(neighbours) => self.neighbours = Some(neighbours),
            ToWorker::Ping { sender, .. } => {
                self.pings += 1;
                cx.tell(&sender, ToWorker::Pong { from: self.local });
            }
            ToWorker::Pong { from } => self.pong(from, cx),
            ToWorker::Stop => self.stop(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::neighbourhoods;

    #[test]
    fn the_last_neighbourhood_takes_the_remainder() {
        for (workers, hood, expected) in [
            (10, 3, vec![(0, 3), (3, 3), (6, 4)]),
            (9, 3, vec![(0, 3), (3, 3), (6, 3)]),
            (2, 3, vec![(0, 2)]),
            (5, 3, vec![(0, 5)]),
        ] {
            assert_eq!(neighbourhoods(workers, hood).collect::<Vec<_>>(), expected);
        }
    }
}
