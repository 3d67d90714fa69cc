//! One iteration of one benchmark on one library: run, wait, check, and tell the time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::benchmark::{Arguments, Benchmark, Number, Outcome, Parameter, Work};
use crate::counting::{CountedScript, Counters};
use crate::library::{ActorLibrary, DEAD_LETTERS, Driver, Host, Script};
use crate::tools::{Latch, TimedOut, panics};

/// A benchmark on the library `L`, ready to be iterated.
pub trait Program<L: Host> {
    /// The benchmark's name.
    fn name(&self) -> &'static str;

    /// The benchmark's parameters in catalogue order.
    fn parameters(&self) -> &'static [Parameter];

    /// Runs one iteration. `order.begin` is called immediately before the clock starts.
    ///
    /// # Errors
    /// What went wrong. After [`Failure::Failed`] actors may be left in `system`; it should not be used any more.
    fn iterate(&mut self, system: &mut L::System, order: Order<'_>) -> Result<Record, Failure>;
}

/// What an iteration has to do.
pub struct Order<'a> {
    /// Parameters as they came from outside.
    pub parameters: &'a Map<String, Value>,
    /// Whether to count actors and messages; the time is then worth nothing.
    pub count_messages: bool,
    /// How long to wait for the actors; `None` is for ever.
    pub patience: Option<Duration>,
    /// Called immediately before the clock starts.
    pub begin: &'a mut dyn FnMut(),
}

/// A successful iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// From before the first actor is created until all have stopped.
    pub wall: Duration,
    /// What the actors reported.
    pub outcome: Outcome,
    /// What was counted, if that was asked for.
    pub work: Option<Work>,
}

/// A failed iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A parameter is wrong; nothing was started.
    BadParameter(String),
    /// An assertion was violated or an actor crashed.
    Failed(String),
    /// Patience ran out.
    TimedOut(TimedOut),
}

/// Builds the program of a benchmark.
pub fn program<L: Host, B: Benchmark>() -> Box<dyn Program<L>> {
    Box::new(Stage::<B>::set_up())
}

/// What actors and driver of a benchmark share. It outlives all actors, so that they need no reference counts to it.
#[repr(C, align(64))]
struct Stage<B: Benchmark> {
    latch: Latch,
    report: B::Report,
    counters: Counters,
}

impl<B: Benchmark> Stage<B> {
    /// A stage that lasts as long as the process. There is one per benchmark, used for all its iterations.
    fn set_up() -> &'static Self {
        Box::leak(Box::new(Self {
            latch: Latch::default(),
            report: B::Report::default(),
            counters: Counters::default(),
        }))
    }

    fn run<L: Host>(&'static self, benchmark: &B, system: &mut L::System, count_messages: bool) {
        let Self {
            latch,
            report,
            counters,
        } = self;
        if count_messages {
            L::drive(
                system,
                latch,
                CountedScript {
                    benchmark,
                    report,
                    counters,
                },
            );
        } else {
            L::drive(system, latch, PlainScript { benchmark, report });
        }
    }
}

struct PlainScript<'a, B: Benchmark> {
    benchmark: &'a B,
    report: &'static B::Report,
}

impl<L: ActorLibrary, B: Benchmark> Script<L> for PlainScript<'_, B> {
    fn run(self, driver: &mut impl Driver<L>) {
        self.benchmark.run::<L>(driver, self.report);
    }
}

impl<L: Host, B: Benchmark> Program<L> for &'static Stage<B> {
    fn name(&self) -> &'static str {
        B::NAME
    }

    fn parameters(&self) -> &'static [Parameter] {
        B::PARAMETERS
    }

    fn iterate(&mut self, system: &mut L::System, order: Order<'_>) -> Result<Record, Failure> {
        let arguments =
            Arguments::check(B::NAME, B::PARAMETERS, order.parameters).map_err(Failure::BadParameter)?;
        let benchmark = B::new(&arguments);
        let stage: &'static Stage<B> = self;
        stage.latch.arm(benchmark.actors());
        let counters = L::counters(system);

        (order.begin)();
        let start = Instant::now();
        let ended = catch_unwind(AssertUnwindSafe(|| {
            stage.run::<L>(&benchmark, system, order.count_messages)
        }))
        .map_err(|_| {
            let own = panics::take_last().unwrap_or_default();
            // It may have suffered from an actor that failed before.
            let cause = stage.latch.failure();
            Failure::Failed(cause.unwrap_or_else(|| format!("the driver panicked: {own}")))
        })
        .and_then(|()| match stage.latch.wait(order.patience) {
            Ok(stopped) => stopped.map_err(Failure::Failed),
            Err(late) => Err(Failure::TimedOut(late)),
        });
        let wall = start.elapsed();

        let record = ended.and_then(|()| {
            let mut outcome = benchmark.outcome(&stage.report).map_err(Failure::Failed)?;
            outcome
                .metrics
                .extend(growth(&counters, &L::counters(system)).map_err(Failure::Failed)?);
            Ok(Record {
                wall,
                outcome,
                work: order.count_messages.then(|| stage.counters.take()),
            })
        });
        if record.is_err() {
            // Actors of the failed iteration may still use the old stage.
            *self = Stage::set_up();
        }
        record.map_err(|failure| match failure {
            Failure::Failed(reason) => Failure::Failed(format!("{}: {reason}", B::NAME)),
            other => other,
        })
    }
}

/// How much each counter grew.
fn growth(
    before: &[(&'static str, u64)],
    after: &[(&'static str, u64)],
) -> Result<Vec<(&'static str, Number)>, String> {
    let growth: Vec<_> = before
        .iter()
        .zip(after)
        .map(|((name, before), (_, after))| (*name, after - before))
        .collect();
    match growth
        .iter()
        .find(|(name, growth)| *name == DEAD_LETTERS && *growth > 0)
    {
        Some((_, lost)) => Err(format!("{lost} messages were sent to stopped actors")),
        None => Ok(growth
            .into_iter()
            .map(|(name, growth)| (name, Number::Integer(growth as i64)))
            .collect()),
    }
}
