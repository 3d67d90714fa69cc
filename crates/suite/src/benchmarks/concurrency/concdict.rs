//! Concurrent Dictionary: workers read and write the map of one actor.

use std::collections::HashMap;

use crate::benchmark::{Outcome, Phase, Phased, Population};
use crate::library::{Actor, ActorLibrary, Alone, Context, Driver, Reads, Tell};
use crate::parameters::{Arguments, Parameter, Relation};
use crate::tools::Rng;
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct ConcurrentDictionary {
    workers: i64,
    requests: i64,
    write_pct: i64,
    entries: i64,
}

/// What Master and, in the end, Dictionary report.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    writes: Once<i64>,
    reads: Once<i64>,
    map_size: Once<i64>,
    map_sum: Once<i64>,
}

impl Phased for ConcurrentDictionary {
    const NAME: &'static str = "concdict";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("workers", 1),
        Parameter::at_least("requests", 0),
        Parameter::between("write_pct", 0, 100),
        Parameter::integer("entries"),
    ];
    const RELATIONS: &'static [Relation] = &[Relation::AtLeast {
        parameter: "entries",
        times: 1,
        of: "workers",
        plus: 0,
    }];
    const CHECK_STEPS: usize = 1;
    type Report = Report;
    type Prepared<L: ActorLibrary> = L::Address<Dictionary>;

    fn new(arguments: &Arguments) -> Self {
        Self {
            workers: arguments.get("workers"),
            requests: arguments.get("requests"),
            write_pct: arguments.get("write_pct"),
            entries: arguments.get("entries"),
        }
    }

    fn stops(&self, phase: Phase) -> Population {
        Population::Known(match phase {
            Phase::Setup => 0,
            Phase::Run => self.workers.saturating_add(1),
            Phase::Check(_) => 1,
        })
    }

    fn setup<L: ActorLibrary>(
        &self,
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) -> L::Address<Dictionary> {
        driver.spawn(Dictionary {
            map: (0..self.entries).map(|key| (key, key)).collect(),
            report,
        })
    }

    fn run<L: ActorLibrary>(
        &self,
        dictionary: &mut L::Address<Dictionary>,
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) {
        driver.spawn(Master::<L> {
            workers: self.workers,
            plan: Plan {
                requests: self.requests,
                write_pct: self.write_pct,
                keys: self.entries / self.workers,
                stride: self.workers,
            },
            dictionary: dictionary.clone(),
            done: 0,
            sum: 0,
            writes: 0,
            reads: 0,
            report,
        });
    }

    fn check<L: ActorLibrary>(
        &self,
        _: usize,
        dictionary: &mut L::Address<Dictionary>,
        driver: &mut impl Driver<L>,
        _: &'static Report,
    ) {
        driver.tell(dictionary, ToDictionary::End);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?)
            .check("writes", report.writes.take("writes")?)
            .check("reads", report.reads.take("reads")?)
            .check("map_size", report.map_size.take("map_size")?)
            .check("map_sum", report.map_sum.take("map_sum")?))
    }
}

/// The actor that owns the map.
pub struct Dictionary {
    map: HashMap<i64, i64>,
    report: &'static Report,
}

/// What Dictionary understands.
pub enum ToDictionary<L: ActorLibrary> {
    /// Sets a key.
    Write {
        /// Who is to be answered.
        from: L::Address<Worker<L>>,
        /// The key.
        key: i64,
        /// Its new value.
        value: i64,
    },
    /// Asks for the value of a key.
    Read(Read<L>),
    /// Report and stop.
    End,
}

/// A question for the value of a key.
pub struct Read<L: ActorLibrary> {
    /// Who is to be answered.
    from: L::Address<Worker<L>>,
    /// The key.
    key: i64,
}

impl<L: ActorLibrary> From<Read<L>> for ToDictionary<L> {
    #[inline(always)]
    fn from(read: Read<L>) -> Self {
        Self::Read(read)
    }
}

impl<L: ActorLibrary> Actor<L> for Dictionary {
    type Message = ToDictionary<L>;

    fn handle(&mut self, message: ToDictionary<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToDictionary::Write { from, key, value } => {
                self.map.insert(key, value);
                cx.tell(&from, ToWorker::Result { value });
            }
            ToDictionary::Read(read) => self.read(read, &mut Alone::new(cx)),
            ToDictionary::End => {
                self.report.map_size.report(self.map.len() as i64);
                let sum = self
                    .map
                    .values()
                    .fold(0, |sum: i64, value| sum.wrapping_add(*value));
                self.report.map_sum.report(sum);
                cx.stop();
            }
        }
    }
}

impl<L: ActorLibrary> Reads<L> for Dictionary {
    type Query = Read<L>;

    #[inline(always)]
    fn read(&self, Read { from, key }: Read<L>, cx: &mut impl Tell<L>) {
        let value = self.map[&key];
        cx.tell(&from, ToWorker::Result { value });
    }
}

struct Master<L: ActorLibrary> {
    workers: i64,
    plan: Plan,
    dictionary: L::Address<Dictionary>,
    done: i64,
    sum: i64,
    writes: i64,
    reads: i64,
    report: &'static Report,
}

struct Done {
    sum: i64,
    writes: i64,
    reads: i64,
}

impl<L: ActorLibrary> Actor<L> for Master<L> {
    type Message = Done;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        for id in 0..self.workers {
            let worker = cx.spawn(Worker {
                id,
                plan: self.plan,
                sent: 0,
                sum: 0,
                writes: 0,
                rng: self.plan.rng(id),
                dictionary: self.dictionary.clone(),
                master: cx.myself(),
            });
            cx.tell(&worker, ToWorker::DoWork);
        }
    }

    fn handle(&mut self, Done { sum, writes, reads }: Done, cx: &mut impl Context<L, Self>) {
        self.done += 1;
        self.sum = self.sum.wrapping_add(sum);
        self.writes += writes;
        self.reads += reads;
        if self.done == self.workers {
            self.report.result.report(self.sum);
            self.report.writes.report(self.writes);
            self.report.reads.report(self.reads);
            cx.stop();
        }
    }
}

/// What all workers do alike.
#[derive(Clone, Copy)]
struct Plan {
    requests: i64,
    write_pct: i64,
    /// Keys of each worker.
    keys: i64,
    /// Distance between two keys of a worker: no two workers share one.
    stride: i64,
}

impl Plan {
    fn rng(&self, id: i64) -> Rng {
        Rng::new(id.wrapping_add(self.requests).wrapping_add(self.write_pct))
    }
}

/// A client of Dictionary.
pub struct Worker<L: ActorLibrary> {
    id: i64,
    plan: Plan,
    sent: i64,
    sum: i64,
    writes: i64,
    rng: Rng,
    dictionary: L::Address<Dictionary>,
    master: L::Address<Master<L>>,
}

/// What a worker understands.
pub enum ToWorker {
    /// Begin.
    DoWork,
    /// The answer to a request.
    Result {
        /// The value written or read.
        value: i64,
    },
}

impl<L: ActorLibrary> Worker<L> {
    fn proceed(&mut self, cx: &mut impl Context<L, Self>) {
        if self.sent < self.plan.requests {
            self.sent += 1;
            self.request(cx);
        } else {
            cx.tell(
                &self.master,
                Done {
                    sum: self.sum,
                    writes: self.writes,
                    reads: self.plan.requests - self.writes,
                },
            );
            cx.stop();
        }
    }

    fn request(&mut self, cx: &mut impl Context<L, Self>) {
        let from = cx.myself();
        let writes = self.rng.scaled(100) < self.plan.write_pct;
        let key = self.rng.below(self.plan.keys) * self.plan.stride + self.id;
        if writes {
            self.writes += 1;
            let value = self.rng.draw();
            cx.tell(&self.dictionary, ToDictionary::Write { from, key, value });
        } else {
            cx.query(&self.dictionary, Read { from, key });
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<L, Self>) {
        if let ToWorker::Result { value } = message {
            self.sum = self.sum.wrapping_add(value);
        }
        self.proceed(cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The requests that the entry lists for the preset `quick`.
    #[test]
    fn requests_are_those_of_the_entry() {
        let plan = Plan {
            requests: 20000,
            write_pct: 10,
            keys: 65536 / 20,
            stride: 20,
        };
        for (id, reads, first_write, write) in [
            (0, [48720, 26040, 10400], 21, (22720, 41785)),
            (1, [43061, 3661, 19461], 11, (821, 4482)),
        ] {
            let mut rng = plan.rng(id);
            for number in 1..=first_write {
                let writes = rng.scaled(100) < plan.write_pct;
                let key = rng.below(plan.keys) * plan.stride + id;
                assert_eq!(writes, number == first_write, "worker {id}, request {number}");
                if writes {
                    assert_eq!((key, rng.draw()), write);
                } else if number <= 3 {
                    assert_eq!(key, reads[number - 1]);
                }
            }
        }
    }
}
