//! Bitonic Sort: a sorting network of very many small actors.

use std::collections::VecDeque;

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::Rng;
use crate::tools::collector::Once;

use super::stream::Stream;

/// The benchmark.
#[derive(Debug)]
pub struct BitonicSort {
    values: i64,
    modulus: i64,
    seed: i64,
}

/// What the Validator reports.
#[derive(Debug, Default)]
pub struct Report {
    stream: Once<Stream>,
}

impl Benchmark for BitonicSort {
    const NAME: &'static str = "bitonicsort";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("n", 2).power_of_two(),
        Parameter::at_least("m", 1),
        Parameter::integer("s"),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            values: arguments.get("n"),
            modulus: arguments.get("m"),
            seed: arguments.get("s"),
        }
    }

    fn actors(&self) -> Population {
        // Wide enough for sizes that no machine can hold.
        let (size, log) = (i128::from(self.values), i128::from(self.values.ilog2()));
        let compares = size * log * (log + 1) / 4;
        let partitions = log * size / 2 - size + 1;
        let actors = compares + 4 * partitions + 2 * log * (log - 1) + 4 * log + 4;
        Population::Known(actors.try_into().unwrap_or(i64::MAX))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let stream = Stream::default();
        let validator = driver.spawn(Node::Validator { stream, report });
        let kernel = Network::new(driver, self.values as usize).build(validator);
        let source = driver.spawn(Source {
            values: self.values,
            modulus: self.modulus,
            seed: self.seed,
            kernel,
        });
        driver.tell(&source, Start);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(report.stream.take("stream")?.outcome())
    }
}

/// Creates the network, the last actor first.
struct Network<'a, D> {
    driver: &'a mut D,
    size: usize,
}

/// Whether a comparing actor sends the smaller value first, by the number of its worker.
type IsUp = dyn Fn(usize) -> bool;

impl<'a, D> Network<'a, D> {
    fn new(driver: &'a mut D, size: usize) -> Self {
        Self { driver, size }
    }

    /// All actors between source and validator. Returns the first one, Kernel.
    fn build<L: ActorLibrary>(&mut self, validator: L::Address<Node<L>>) -> L::Address<Node<L>>
    where
        D: Driver<L>,
    {
        let size = self.size;
        let mut next = self.forward(validator);
        for workers in halves(size) {
            next = self.step(size / workers, workers, &|_| true, next);
        }
        next = self.forward(next);
        for span in halves(size).take_while(|span| *span >= 2) {
            for workers in halves(span) {
                let up = move |worker: usize| (worker / workers).is_multiple_of(2);
                next = self.forward(next);
                next = self.step(span / workers, size / span * workers, &up, next);
            }
            next = self.forward(next);
        }
        self.forward(next)
    }

    /// An actor that has only a place in the network: Kernel, Stage, Step, Partition, Untag.
    fn forward<L: ActorLibrary>(&mut self, next: L::Address<Node<L>>) -> L::Address<Node<L>>
    where
        D: Driver<L>,
    {
        self.driver.spawn(Node::Forward { next })
    }

    /// Workers side by side, each of which sorts out runs of this length.
    fn step<L: ActorLibrary>(
        &mut self,
        length: usize,
        workers: usize,
        is_up: &IsUp,
        next: L::Address<Node<L>>,
    ) -> L::Address<Node<L>>
    where
        D: Driver<L>,
    {
        let joiner = self.driver.spawn(Node::joiner(length, workers, next));
        let workers = (0..workers).map(|worker| {
            if length > 2 {
                self.partition(worker, length, is_up(worker), joiner.clone())
            } else {
                let next = joiner.clone();
                self.driver.spawn(Node::compare(worker, is_up(worker), next))
            }
        });
        let workers = workers.collect();
        let splitter = self.driver.spawn(Node::splitter(length, workers));
        self.forward(splitter)
    }

    /// Compares each value of the first half of a run with its counterpart in the second half.
    fn partition<L: ActorLibrary>(
        &mut self,
        worker: usize,
        length: usize,
        up: bool,
        next: L::Address<Node<L>>,
    ) -> L::Address<Node<L>>
    where
        D: Driver<L>,
    {
        let origin = worker as u32;
        let tag = self.driver.spawn(Node::Tag { origin, next });
        let joiner = self.driver.spawn(Node::joiner(1, length / 2, tag));
        let compares = (0..length / 2).map(|pair| self.driver.spawn(Node::compare(pair, up, joiner.clone())));
        let compares = compares.collect();
        let splitter = self.driver.spawn(Node::splitter(1, compares));
        self.forward(splitter)
    }
}

/// `size / 2`, `size / 4` and so on to 1.
fn halves(size: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(size / 2), |half| Some(half / 2)).take_while(|half| *half >= 1)
}

struct Source<L: ActorLibrary> {
    values: i64,
    modulus: i64,
    seed: i64,
    kernel: L::Address<Node<L>>,
}

struct Start;

impl<L: ActorLibrary> Actor<L> for Source<L> {
    type Message = Start;

    fn handle(&mut self, Start: Start, cx: &mut impl Context<L, Self>) {
        let mut rng = Rng::new(self.seed);
        for _ in 0..self.values {
            cx.tell(&self.kernel, Message::Value(rng.below(self.modulus)));
        }
        cx.tell_kind(&self.kernel, Exit);
        cx.stop();
    }
}

/// An actor of the network.
enum Node<L: ActorLibrary> {
    Forward {
        next: L::Address<Node<L>>,
    },
    Splitter {
        turns: Turns,
        receivers: Box<[L::Address<Node<L>>]>,
    },
    Joiner {
        turns: Turns,
        /// What has come from each input before its turn.
        waiting: Box<[VecDeque<i64>]>,
        /// Inputs that have not ended yet.
        open: u32,
        next: L::Address<Node<L>>,
    },
    Compare {
        origin: u32,
        up: bool,
        /// The first value of a pair.
        first: Option<i64>,
        next: L::Address<Node<L>>,
    },
    Tag {
        origin: u32,
        next: L::Address<Node<L>>,
    },
    Validator {
        stream: Stream,
        report: &'static Report,
    },
}

/// Whose turn it is: everybody in order, for `length` values each.
struct Turns {
    length: u32,
    taken: u32,
    current: u32,
    parties: u32,
}

impl Turns {
    fn new(length: usize, parties: usize) -> Self {
        Self {
            length: length as u32,
            taken: 0,
            current: 0,
            parties: parties as u32,
        }
    }

    fn current(&self) -> usize {
        self.current as usize
    }

    /// Takes one value of the current turn.
    fn take(&mut self) {
        self.taken += 1;
        if self.taken == self.length {
            self.taken = 0;
            self.current = (self.current + 1) % self.parties;
        }
    }
}

enum Message {
    Value(i64),
    Data { origin: u32, value: i64 },
    Exit,
}

kinds!(Exit of Message);

impl<L: ActorLibrary> Node<L> {
    fn splitter(length: usize, receivers: Box<[L::Address<Self>]>) -> Self {
        Self::Splitter {
            turns: Turns::new(length, receivers.len()),
            receivers,
        }
    }

    fn joiner(length: usize, inputs: usize, next: L::Address<Self>) -> Self {
        Self::Joiner {
            turns: Turns::new(length, inputs),
            waiting: (0..inputs).map(|_| VecDeque::new()).collect(),
            open: inputs as u32,
            next,
        }
    }

    fn compare(origin: usize, up: bool, next: L::Address<Self>) -> Self {
        Self::Compare {
            origin: origin as u32,
            up,
            first: None,
            next,
        }
    }

    fn value(&mut self, value: i64, cx: &mut impl Context<L, Self>) {
        match self {
            Self::Forward { next } => cx.tell(next, Message::Value(value)),
            Self::Splitter { turns, receivers } => {
                cx.tell(&receivers[turns.current()], Message::Value(value));
                turns.take();
            }
            Self::Compare {
                origin,
                up,
                first,
                next,
            } => match first.take() {
                None => *first = Some(value),
                Some(other) => {
                    let (low, high) = (value.min(other), value.max(other));
                    for value in if *up { [low, high] } else { [high, low] } {
                        let origin = *origin;
                        cx.tell(next, Message::Data { origin, value });
                    }
                }
            },
            Self::Tag { origin, next } => {
                let origin = *origin;
                cx.tell(next, Message::Data { origin, value });
            }
            Self::Validator { stream, .. } => stream.see(value),
            Self::Joiner { .. } => panic!("a joiner got a value without origin"),
        }
    }

    fn data(&mut self, origin: u32, value: i64, cx: &mut impl Context<L, Self>) {
        let Self::Joiner {
            turns, waiting, next, ..
        } = self
        else {
            panic!("a value with origin came to an actor that is no joiner");
        };
        waiting[origin as usize].push_back(value);
        while let Some(value) = waiting[turns.current()].pop_front() {
            cx.tell(next, Message::Value(value));
            turns.take();
        }
    }

    fn exit(&mut self, cx: &mut impl Context<L, Self>) {
        match self {
            Self::Forward { next } | Self::Tag { next, .. } => cx.tell_kind(next, Exit),
            Self::Compare { first, next, .. } => {
                assert!(first.is_none(), "a value has no counterpart");
                cx.tell_kind(next, Exit);
            }
            Self::Splitter { receivers, .. } => {
                for receiver in receivers {
                    cx.tell_kind(receiver, Exit);
                }
            }
            Self::Joiner {
                waiting, open, next, ..
            } => {
                *open -= 1;
                if *open > 0 {
                    return;
                }
                assert!(waiting.iter().all(VecDeque::is_empty), "values are left over");
                cx.tell_kind(next, Exit);
            }
            Self::Validator { stream, report } => report.stream.report(stream.clone()),
        }
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Node<L> {
    type Message = Message;

    fn handle(&mut self, message: Message, cx: &mut impl Context<L, Self>) {
        match message {
            Message::Value(value) => self.value(value, cx),
            Message::Data { origin, value } => self.data(origin, value, cx),
            Message::Exit => self.exit(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_go_round() {
        let mut turns = Turns::new(2, 3);
        let order: Vec<_> = (0..8)
            .map(|_| {
                let current = turns.current();
                turns.take();
                current
            })
            .collect();
        assert_eq!(order, [0, 0, 1, 1, 2, 2, 0, 0]);
    }

    #[test]
    fn halves_end_with_one() {
        assert_eq!(halves(16).collect::<Vec<_>>(), [8, 4, 2, 1]);
        assert_eq!(halves(2).collect::<Vec<_>>(), [1]);
    }
}
