//! Filter Bank: a stream is copied to the banks of all channels, filtered twice in each, and joined again.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::benchmark::{Outcome, Phase, Phased, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter, Relation};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct FilterBank {
    inputs: i64,
    columns: usize,
    channels: usize,
}

/// What the Sink reports.
#[derive(Debug, Default)]
pub struct Report {
    end: Once<End>,
}

#[derive(Clone, Copy, Debug, Default)]
struct End {
    count: i64,
    sum: f64,
    weighted: f64,
    samples: Samples,
}

/// What samplers saw of the first filters' output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Samples {
    count: i64,
    checksum: i64,
}

/// The coefficients of both filters of a channel.
type Coefficients = [Arc<[f64]>; 2];

impl Phased for FilterBank {
    const NAME: &'static str = "filterbank";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::integer("sim"),
        Parameter::between("col", 2, 16384),
        Parameter::between("chan", 2, 34),
    ];
    const RELATIONS: &'static [Relation] = &[Relation::AtLeast {
        parameter: "sim",
        times: 2,
        of: "col",
        plus: -1,
    }];
    type Report = Report;
    type Prepared<L: ActorLibrary> = Vec<Coefficients>;

    fn new(arguments: &Arguments) -> Self {
        Self {
            inputs: arguments.get("sim"),
            columns: arguments.get("col") as usize,
            channels: arguments.get("chan") as usize,
        }
    }

    fn stops(&self, phase: Phase) -> Population {
        match phase {
            Phase::Run => Population::Known(6 + 7 * self.channels as i64),
            Phase::Setup | Phase::Check(_) => Population::Known(0),
        }
    }

    fn setup<L: ActorLibrary>(&self, _: &mut impl Driver<L>, _: &'static Report) -> Vec<Coefficients> {
        let channels = 0..self.channels;
        channels
            .map(|channel| coefficients(channel, self.columns, self.channels))
            .collect()
    }

    fn run<L: ActorLibrary>(
        &self,
        coefficients: &mut Vec<Coefficients>,
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) {
        let end = End::default();
        let sink = driver.spawn(Sink { end, report });
        let combiner = driver.spawn(Combiner::<L> { sink });
        let integrator = driver.spawn(Integrator::<L> {
            joint: Joint::new(self.channels),
            exits: 0,
            samples: Samples::default(),
            combiner,
        });
        let banks = coefficients.iter().enumerate().map(|(channel, coefficients)| {
            let integrator = integrator.clone();
            let tagged = Next::Integrator { channel, integrator };
            bank(coefficients, tagged, driver)
        });
        let banks = banks.collect();
        let branches = driver.spawn(Branches { banks });
        let producer = driver.spawn(Producer {
            boots: 0,
            inputs: self.inputs,
        });
        let source = driver.spawn(Source {
            current: 0,
            producer: producer.clone(),
            branches,
        });
        driver.tell(&producer, Request { source });
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let End {
            count,
            sum,
            weighted,
            samples,
        } = report.end.take("end")?;
        Ok(Outcome::new(samples.checksum)
            .check("count", count)
            .check("sum", sum)
            .check("wsum", weighted)
            .check("fir", samples.count))
    }
}

fn coefficients(channel: usize, columns: usize, channels: usize) -> Coefficients {
    let j = channel;
    let first = |i: usize| (i * columns + j * channels + j + i + j + 1) as f64;
    let second = |i: usize| (i * j + j * j + j + i) as f64;
    [
        (0..columns).map(first).collect(),
        (0..columns).map(second).collect(),
    ]
}

/// Creates the seven actors of a channel, the last one first. Returns the first.
fn bank<L: ActorLibrary>(
    [first, second]: &Coefficients,
    tagged: Next<L>,
    driver: &mut impl Driver<L>,
) -> L::Address<Stage<L>> {
    let columns = first.len();
    let tagger = driver.spawn(Stage {
        filter: Filter::Identity,
        next: tagged,
    });
    let upstream = [
        Filter::Fir(Fir::new(second)),
        Filter::Delay(Delay::new(columns)),
        Filter::Sample(Sample::new(columns)),
        Filter::Fir(Fir::new(first)),
        Filter::Delay(Delay::new(columns)),
        Filter::Identity,
    ];
    upstream.into_iter().fold(tagger, |next, filter| {
        let next = Next::Stage(next);
        driver.spawn(Stage { filter, next })
    })
}

/// What flows through the graph.
#[derive(Clone, Copy)]
enum Flow {
    Value(f64),
    Exit(Samples),
}

struct Producer {
    boots: i64,
    inputs: i64,
}

/// The message Next.
struct Request<L: ActorLibrary> {
    source: L::Address<Source<L>>,
}

impl<L: ActorLibrary> Actor<L> for Producer {
    type Message = Request<L>;

    fn handle(&mut self, Request { source }: Request<L>, cx: &mut impl Context<L, Self>) {
        if self.boots == self.inputs {
            cx.tell(&source, ToSource::Exit);
            cx.stop();
        } else {
            cx.tell(&source, ToSource::Boot);
            self.boots += 1;
        }
    }
}

struct Source<L: ActorLibrary> {
    current: u16,
    producer: L::Address<Producer>,
    branches: L::Address<Branches<L>>,
}

enum ToSource {
    Boot,
    Exit,
}

impl<L: ActorLibrary> Actor<L> for Source<L> {
    type Message = ToSource;

    fn handle(&mut self, message: ToSource, cx: &mut impl Context<L, Self>) {
        match message {
            ToSource::Boot => {
                cx.tell(&self.branches, Flow::Value(self.current.into()));
                self.current = (self.current + 1) % 1000;
                let source = cx.myself();
                cx.tell(&self.producer, Request { source });
            }
            ToSource::Exit => {
                cx.tell(&self.branches, Flow::Exit(Samples::default()));
                cx.stop();
            }
        }
    }
}

struct Branches<L: ActorLibrary> {
    banks: Vec<L::Address<Stage<L>>>,
}

impl<L: ActorLibrary> Actor<L> for Branches<L> {
    type Message = Flow;

    fn handle(&mut self, message: Flow, cx: &mut impl Context<L, Self>) {
        for bank in &self.banks {
            cx.tell(bank, message);
        }
        if let Flow::Exit(_) = message {
            cx.stop();
        }
    }
}

/// One of the seven actors of a bank.
struct Stage<L: ActorLibrary> {
    filter: Filter,
    next: Next<L>,
}

/// Where a stage sends its values.
enum Next<L: ActorLibrary> {
    Stage(L::Address<Stage<L>>),
    /// That of the last stage, which tags them.
    Integrator {
        channel: usize,
        integrator: L::Address<Integrator<L>>,
    },
}

impl<L: ActorLibrary> Actor<L> for Stage<L> {
    type Message = Flow;

    fn handle(&mut self, message: Flow, cx: &mut impl Context<L, Self>) {
        let message = match message {
            Flow::Value(value) => match self.filter.pass(value) {
                Some(value) => Flow::Value(value),
                None => return,
            },
            Flow::Exit(samples) => {
                cx.stop();
                Flow::Exit(self.filter.samples().unwrap_or(samples))
            }
        };
        match &self.next {
            Next::Stage(stage) => cx.tell(stage, message),
            Next::Integrator { channel, integrator } => {
                let message = match message {
                    Flow::Value(value) => ToIntegrator::Tagged {
                        channel: *channel,
                        value,
                    },
                    Flow::Exit(samples) => ToIntegrator::Exit(samples),
                };
                cx.tell(integrator, message);
            }
        }
    }
}

/// What a stage does to the stream.
enum Filter {
    Identity,
    Delay(Delay),
    Fir(Fir),
    Sample(Sample),
}

impl Filter {
    fn pass(&mut self, value: f64) -> Option<f64> {
        match self {
            Self::Identity => Some(value),
            Self::Delay(delay) => Some(delay.pass(value)),
            Self::Fir(fir) => fir.pass(value),
            Self::Sample(sample) => Some(sample.pass(value)),
        }
    }

    fn samples(&self) -> Option<Samples> {
        match self {
            Self::Sample(sample) => Some(sample.samples),
            _ => None,
        }
    }
}

/// Holds values back until `columns` - 1 more have come; begins with zeros.
struct Delay {
    ring: Vec<f64>,
    position: usize,
}

impl Delay {
    fn new(columns: usize) -> Self {
        Self {
            ring: vec![0.0; columns - 1],
            position: 0,
        }
    }

    fn pass(&mut self, value: f64) -> f64 {
        let delayed = std::mem::replace(&mut self.ring[self.position], value);
        self.position = (self.position + 1) % self.ring.len();
        delayed
    }
}

/// A filter of finite impulse response. Its coefficients belong to slots of the ring, not to ages of values.
struct Fir {
    ring: Vec<f64>,
    position: usize,
    full: bool,
    coefficients: Arc<[f64]>,
}

impl Fir {
    fn new(coefficients: &Arc<[f64]>) -> Self {
        Self {
            ring: vec![0.0; coefficients.len()],
            position: 0,
            full: false,
            coefficients: Arc::clone(coefficients),
        }
    }

    /// Nothing until the ring is full.
    fn pass(&mut self, value: f64) -> Option<f64> {
        self.ring[self.position] = value;
        self.position += 1;
        if self.position == self.ring.len() {
            self.full = true;
            self.position = 0;
        }
        self.full.then(|| {
            let products = self.ring.iter().zip(self.coefficients.iter().rev());
            products.fold(0.0, |sum, (value, coefficient)| sum + value * coefficient)
        })
    }
}

/// Lets one of `columns` values pass and replaces the others by zeros. Adds up what comes.
struct Sample {
    columns: usize,
    position: usize,
    samples: Samples,
}

impl Sample {
    fn new(columns: usize) -> Self {
        Self {
            columns,
            position: 0,
            samples: Samples::default(),
        }
    }

    fn pass(&mut self, value: f64) -> f64 {
        self.samples.count += 1;
        self.samples.checksum += value as i64 % 1_000_003;
        let sampled = if self.position == 0 { value } else { 0.0 };
        self.position = (self.position + 1) % self.columns;
        sampled
    }
}

struct Integrator<L: ActorLibrary> {
    joint: Joint,
    exits: usize,
    samples: Samples,
    combiner: L::Address<Combiner<L>>,
}

enum ToIntegrator {
    Tagged { channel: usize, value: f64 },
    Exit(Samples),
}

impl<L: ActorLibrary> Actor<L> for Integrator<L> {
    type Message = ToIntegrator;

    fn handle(&mut self, message: ToIntegrator, cx: &mut impl Context<L, Self>) {
        match message {
            ToIntegrator::Tagged { channel, value } => {
                if let Some(row) = self.joint.put(channel, value) {
                    cx.tell(&self.combiner, ToCombiner::Row(row));
                }
            }
            ToIntegrator::Exit(samples) => {
                self.samples.count += samples.count;
                self.samples.checksum += samples.checksum;
                self.exits += 1;
                if self.exits == self.joint.channels() {
                    assert!(self.joint.rows.is_empty(), "a row is incomplete at the end");
                    cx.tell(&self.combiner, ToCombiner::Exit(self.samples));
                    cx.stop();
                }
            }
        }
    }
}

/// Rows that still lack values of some channels, the oldest first.
struct Joint {
    rows: VecDeque<Row>,
    /// By channel, the first row that lacks it. Values of a channel come in the order of rows.
    lacking: Vec<usize>,
}

struct Row {
    values: Vec<f64>,
    missing: usize,
}

impl Joint {
    fn new(channels: usize) -> Self {
        Self {
            rows: VecDeque::new(),
            lacking: vec![0; channels],
        }
    }

    fn channels(&self) -> usize {
        self.lacking.len()
    }

    /// Puts a value into the first row that lacks its channel. Returns the first row once it is complete.
    fn put(&mut self, channel: usize, value: f64) -> Option<Vec<f64>> {
        let channels = self.channels();
        let index = self.lacking[channel];
        self.lacking[channel] += 1;
        if index == self.rows.len() {
            self.rows.push_back(Row {
                values: vec![0.0; channels],
                missing: channels,
            });
        }
        let row = &mut self.rows[index];
        row.values[channel] = value;
        row.missing -= 1;
        // No later row is complete before the first one.
        if row.missing > 0 {
            return None;
        }
        for index in &mut self.lacking {
            *index -= 1;
        }
        self.rows.pop_front().map(|row| row.values)
    }
}

struct Combiner<L: ActorLibrary> {
    sink: L::Address<Sink>,
}

enum ToCombiner {
    Row(Vec<f64>),
    Exit(Samples),
}

impl<L: ActorLibrary> Actor<L> for Combiner<L> {
    type Message = ToCombiner;

    fn handle(&mut self, message: ToCombiner, cx: &mut impl Context<L, Self>) {
        match message {
            ToCombiner::Row(values) => {
                let sum = values.iter().fold(0.0, |sum, value| sum + value);
                cx.tell(&self.sink, Flow::Value(sum));
            }
            ToCombiner::Exit(samples) => {
                cx.tell(&self.sink, Flow::Exit(samples));
                cx.stop();
            }
        }
    }
}

struct Sink {
    end: End,
    report: &'static Report,
}

impl<L: ActorLibrary> Actor<L> for Sink {
    type Message = Flow;

    fn handle(&mut self, message: Flow, cx: &mut impl Context<L, Self>) {
        match message {
            Flow::Value(value) => {
                self.end.sum += value;
                self.end.weighted += value * (self.end.count % 7 + 1) as f64;
                self.end.count += 1;
            }
            Flow::Exit(samples) => {
                self.end.samples = samples;
                self.report.end.report(self.end);
                cx.stop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_begins_with_zeros() {
        let mut delay = Delay::new(3);
        assert_eq!(
            [1.0, 2.0, 3.0, 4.0].map(|value| delay.pass(value)),
            [0.0, 0.0, 1.0, 2.0]
        );
    }

    #[test]
    fn coefficients_meet_slots() {
        let mut fir = Fir::new(&[1.0, 10.0, 100.0].into());
        let passed = [1.0, 2.0, 3.0, 4.0].map(|value| fir.pass(value));
        assert_eq!(passed, [None, None, Some(123.0), Some(423.0)]);
    }

    #[test]
    fn a_sampler_adds_up_what_it_replaces_by_zeros() {
        let mut sample = Sample::new(2);
        assert_eq!(
            [3.0, 4.0, 1_000_004.0].map(|value| sample.pass(value)),
            [3.0, 0.0, 1_000_004.0]
        );
        let samples = Samples {
            count: 3,
            checksum: 8,
        };
        assert_eq!(sample.samples, samples);
    }

    #[test]
    fn rows_are_complete_in_order() {
        let mut joint = Joint::new(2);
        assert_eq!(joint.put(0, 1.0), None);
        assert_eq!(joint.put(0, 2.0), None);
        assert_eq!(joint.put(1, 3.0), Some(vec![1.0, 3.0]));
        assert_eq!(joint.put(0, 4.0), None);
        assert_eq!(joint.put(1, 5.0), Some(vec![2.0, 5.0]));
        assert_eq!(joint.rows.len(), 1);
    }
}
