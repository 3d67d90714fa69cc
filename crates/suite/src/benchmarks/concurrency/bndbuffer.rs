//! Producer-Consumer with Bounded Buffer: a manager hands the items of producers to consumers.

use std::collections::VecDeque;

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter, Relation};
use crate::tools::Rng;
use crate::tools::collector::{FloatSum, Indexed, Once, Sum};

/// The benchmark.
#[derive(Clone, Copy, Debug)]
pub struct BoundedBuffer {
    buffer: i64,
    producers: i64,
    consumers: i64,
    items: i64,
    prod_cost: i64,
    cons_cost: i64,
}

/// What Manager and the consumers report.
#[derive(Debug, Default)]
pub struct Report {
    result: Sum,
    items: Indexed,
    data_sum: FloatSum,
    max_pending: Once<i64>,
}

impl Benchmark for BoundedBuffer {
    const NAME: &'static str = "bndbuffer";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::integer("buffer"),
        Parameter::at_least("producers", 1),
        Parameter::at_least("consumers", 1),
        Parameter::at_least("items", 0),
        Parameter::at_least("prod_cost", 0),
        Parameter::at_least("cons_cost", 0),
    ];
    const RELATIONS: &'static [Relation] = &[Relation::AtLeast {
        parameter: "buffer",
        times: 1,
        of: "producers",
        plus: 1,
    }];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            buffer: arguments.get("buffer"),
            producers: arguments.get("producers"),
            consumers: arguments.get("consumers"),
            items: arguments.get("items"),
            prod_cost: arguments.get("prod_cost"),
            cons_cost: arguments.get("cons_cost"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.producers.saturating_add(self.consumers).saturating_add(1))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        driver.spawn(Manager::<L> {
            plan: *self,
            consumers: Vec::new(),
            idle_consumers: VecDeque::new(),
            parked_producers: VecDeque::new(),
            pending: VecDeque::new(),
            max_pending: 0,
            finished: 0,
            report,
        });
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let items = report.items.take("items", self.consumers)?;
        Ok(Outcome::new(report.result.take())
            .check("items", items.iter().sum::<i64>())
            .check("data_sum", report.data_sum.take())
            .metric("max_pending", report.max_pending.take("max_pending")?)
            .per_actor("items", items))
    }
}

/// The work on one item, which adds the same to any value.
fn process(value: f64, cost: i64) -> f64 {
    let mut rng = Rng::new(cost);
    let steps = if cost > 0 { cost.saturating_mul(100) } else { 1 };
    (0..steps).fold(value, |value, _| value + (rng.unit() + 0.01).ln())
}

struct Manager<L: ActorLibrary> {
    plan: BoundedBuffer,
    consumers: Vec<L::Address<Consumer<L>>>,
    idle_consumers: VecDeque<L::Address<Consumer<L>>>,
    parked_producers: VecDeque<L::Address<Producer<L>>>,
    pending: VecDeque<Data<L>>,
    max_pending: usize,
    finished: i64,
    report: &'static Report,
}

enum ToManager<L: ActorLibrary> {
    Data(Data<L>),
    Available { from: L::Address<Consumer<L>> },
    ProducerExit,
}

struct Data<L: ActorLibrary> {
    item: f64,
    seq: i64,
    from: L::Address<Producer<L>>,
}

impl<L: ActorLibrary> Manager<L> {
    fn data(&mut self, data: Data<L>, cx: &mut impl Context<L, Self>) {
        let producer = data.from.clone();
        match self.idle_consumers.pop_front() {
            Some(consumer) => cx.tell(&consumer, ToConsumer::Data(data)),
            None => self.pending.push_back(data),
        }
        self.max_pending = self.max_pending.max(self.pending.len());
        if self.pending.len() as i64 >= self.plan.buffer - self.plan.producers {
            self.parked_producers.push_back(producer);
        } else {
            cx.tell(&producer, Produce);
        }
    }

    fn available(&mut self, consumer: L::Address<Consumer<L>>, cx: &mut impl Context<L, Self>) {
        let Some(data) = self.pending.pop_front() else {
            self.idle_consumers.push_back(consumer);
            self.try_exit(cx);
            return;
        };
        cx.tell(&consumer, ToConsumer::Data(data));
        if let Some(producer) = self.parked_producers.pop_front() {
            cx.tell(&producer, Produce);
        }
    }

    fn try_exit(&mut self, cx: &mut impl Context<L, Self>) {
        if self.finished < self.plan.producers || self.idle_consumers.len() < self.consumers.len() {
            return;
        }
        for consumer in &self.consumers {
            cx.tell(consumer, ToConsumer::Exit);
        }
        let max_pending = self.max_pending as i64;
        assert!(max_pending < self.plan.buffer, "{max_pending} items were pending");
        self.report.max_pending.report(max_pending);
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Manager<L> {
    type Message = ToManager<L>;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        let producers: Vec<_> = (0..self.plan.producers)
            .map(|_| {
                cx.spawn(Producer {
                    items: self.plan.items,
                    cost: self.plan.prod_cost,
                    made: 0,
                    item: 0.0,
                    manager: cx.myself(),
                })
            })
            .collect();
        self.consumers = (0..self.plan.consumers)
            .map(|id| {
                cx.spawn(Consumer {
                    id,
                    cost: self.plan.cons_cost,
                    item: 0.0,
                    seq_sum: 0,
                    items: 0,
                    manager: cx.myself(),
                    report: self.report,
                })
            })
            .collect();
        self.idle_consumers.extend(self.consumers.iter().cloned());
        for producer in &producers {
            cx.tell(producer, Produce);
        }
    }

    fn handle(&mut self, message: ToManager<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToManager::Data(data) => self.data(data, cx),
            ToManager::Available { from } => self.available(from, cx),
            ToManager::ProducerExit => {
                self.finished += 1;
                self.try_exit(cx);
            }
        }
    }
}

struct Producer<L: ActorLibrary> {
    items: i64,
    cost: i64,
    made: i64,
    item: f64,
    manager: L::Address<Manager<L>>,
}

struct Produce;

impl<L: ActorLibrary> Actor<L> for Producer<L> {
    type Message = Produce;

    fn handle(&mut self, Produce: Produce, cx: &mut impl Context<L, Self>) {
        if self.made == self.items {
            cx.tell(&self.manager, ToManager::ProducerExit);
            cx.stop();
            return;
        }
        self.item = process(self.item, self.cost);
        self.made += 1;
        let data = Data {
            item: self.item,
            seq: self.made,
            from: cx.myself(),
        };
        cx.tell(&self.manager, ToManager::Data(data));
    }
}

struct Consumer<L: ActorLibrary> {
    id: i64,
    cost: i64,
    item: f64,
    seq_sum: i64,
    items: i64,
    manager: L::Address<Manager<L>>,
    report: &'static Report,
}

enum ToConsumer<L: ActorLibrary> {
    Data(Data<L>),
    Exit,
}

impl<L: ActorLibrary> Actor<L> for Consumer<L> {
    type Message = ToConsumer<L>;

    fn handle(&mut self, message: ToConsumer<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToConsumer::Data(Data { item, seq, .. }) => {
                self.item = process(self.item + item, self.cost);
                self.seq_sum += seq;
                self.items += 1;
                cx.tell(&self.manager, ToManager::Available { from: cx.myself() });
            }
            ToConsumer::Exit => {
                self.report.result.add(self.seq_sum);
                self.report.items.report(self.id, self.items);
                self.report.data_sum.add(self.item);
                cx.stop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::process;

    #[test]
    fn work_has_the_values_of_the_entry() {
        for (cost, value) in [
            (0, -4.597_975_910_354_064),
            (1, -459.233_910_608_433_8),
            (2, -918.593_980_759_151),
            (25, -11_482.378_824_363_414),
        ] {
            let is: f64 = process(0.0, cost);
            assert!(
                (is - value).abs() <= 1e-12 * value.abs(),
                "process(0, {cost}) is {is}"
            );
        }
    }
}
