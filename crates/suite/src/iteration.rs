//! One iteration of one benchmark on one library: run, wait, check, and tell the time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use crate::benchmark::{Number, Outcome, Phase, Phased, Work};
use crate::counting::{self, Counters, Counting};
use crate::library::{ActorLibrary, DEAD_LETTERS, Driver, Host, Script};
use crate::parameters::{Arguments, Parameter};
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
    /// The library cannot do this with these parameters; nothing was started.
    Unsupported(String),
    /// An assertion was violated or an actor crashed.
    Failed(String),
    /// Patience ran out.
    TimedOut(TimedOut),
}

/// Builds the program of a benchmark.
pub fn program<L: Host, B: Phased>() -> Box<dyn Program<L>> {
    Box::new(Stage::<B>::set_up())
}

/// Builds the program of a benchmark that counts in every iteration and has no plain part.
///
/// What the benchmark does is compiled only once for all libraries ([`counting`]): for tests of what does not depend on the
/// library's speed.
pub fn counting_program<L: Host, B: Phased>() -> Box<dyn Program<L>> {
    Box::new(CountingOnly(Stage::<B>::set_up()))
}

struct CountingOnly<B: Phased>(&'static Stage<B>);

impl<L: Host, B: Phased> Program<L> for CountingOnly<B> {
    fn name(&self) -> &'static str {
        B::NAME
    }

    fn parameters(&self) -> &'static [Parameter] {
        B::PARAMETERS
    }

    fn iterate(&mut self, system: &mut L::System, order: Order<'_>) -> Result<Record, Failure> {
        Stage::attempt(
            &mut self.0,
            Means::of::<L>(system),
            order,
            |stage, benchmark, order| stage.counted::<L>(benchmark, system, order),
        )
    }
}

/// What a started library can do, apart from what all of them can.
struct Means {
    as_asked: Result<(), String>,
    deals_out: Result<(), &'static str>,
}

impl Means {
    fn of<L: Host>(system: &L::System) -> Self {
        Self {
            as_asked: L::is_as_asked(system),
            deals_out: L::deals_out(system),
        }
    }

    /// `dealing` says why actors must be dealt out to all workers, if they must.
    fn suffice_for(self, dealing: Option<&'static str>) -> Result<(), String> {
        self.as_asked?;
        match (dealing, self.deals_out) {
            (Some(demand), Err(reason)) => Err(format!("{demand}, but {reason}")),
            _ => Ok(()),
        }
    }
}

/// What actors and driver of a benchmark share. It outlives all actors, so that they need no reference counts to it.
#[repr(C, align(64))]
struct Stage<B: Phased> {
    latch: Latch,
    report: B::Report,
    counters: Counters,
}

impl<L: Host, B: Phased> Program<L> for &'static Stage<B> {
    fn name(&self) -> &'static str {
        B::NAME
    }

    fn parameters(&self) -> &'static [Parameter] {
        B::PARAMETERS
    }

    fn iterate(&mut self, system: &mut L::System, order: Order<'_>) -> Result<Record, Failure> {
        Stage::attempt(
            self,
            Means::of::<L>(system),
            order,
            |stage, benchmark, order| match order.count_messages {
                true => stage.counted::<L>(benchmark, system, order),
                false => stage.plain::<L>(benchmark, system, order),
            },
        )
    }
}

impl<B: Phased> Stage<B> {
    /// A stage that lasts as long as the process. There is one per benchmark, used for all its iterations.
    fn set_up() -> &'static Self {
        Box::leak(Box::new(Self {
            latch: Latch::default(),
            report: B::Report::default(),
            counters: Counters::default(),
        }))
    }

    /// Performs the benchmark if it can be done with these parameters, and replaces the stage if that fails.
    fn attempt<'o>(
        current: &mut &'static Self,
        means: Means,
        order: Order<'o>,
        perform: impl FnOnce(&'static Self, &B, Order<'o>) -> Result<Record, Failure>,
    ) -> Result<Record, Failure> {
        let arguments = Arguments::check(B::NAME, B::PARAMETERS, B::RELATIONS, order.parameters)
            .map_err(Failure::BadParameter)?;
        let benchmark = B::new(&arguments);
        means
            .suffice_for(benchmark.dealing())
            .map_err(|reason| Failure::Unsupported(format!("{}: {reason}", B::NAME)))?;
        let record = perform(current, &benchmark, order);
        if record.is_err() {
            // Actors of the failed iteration may still use the old stage.
            *current = Stage::set_up();
        }
        record.map_err(|failure| match failure {
            Failure::Failed(reason) => Failure::Failed(format!("{}: {reason}", B::NAME)),
            other => other,
        })
    }

    fn plain<L: Host>(
        &'static self,
        benchmark: &B,
        system: &mut L::System,
        order: Order<'_>,
    ) -> Result<Record, Failure> {
        let mut performance = Performance::<B, L>::new(benchmark, &self.report);
        self.perform::<L>(benchmark, system, order, |system, phase| {
            let performance = &mut performance;
            L::drive(system, &self.latch, PlainScript { performance, phase });
        })
    }

    fn counted<L: Host>(
        &'static self,
        benchmark: &B,
        system: &mut L::System,
        order: Order<'_>,
    ) -> Result<Record, Failure> {
        let mut performance = Performance::<B, Counting>::new(benchmark, &self.report);
        let record = self.perform::<L>(benchmark, system, order, |system, phase| {
            let script = CountedScript {
                performance: &mut performance,
                phase,
                counters: &self.counters,
            };
            L::drive(system, &self.latch, script);
        })?;
        Ok(Record {
            work: Some(self.counters.take()),
            ..record
        })
    }

    /// Plays all phases by `play`, and takes the time of the run.
    fn perform<L: Host>(
        &'static self,
        benchmark: &B,
        system: &mut L::System,
        order: Order<'_>,
        mut play: impl FnMut(&mut L::System, Phase),
    ) -> Result<Record, Failure> {
        let first = L::counters(system);
        self.phase(benchmark, Phase::Setup, order.patience, || {
            play(system, Phase::Setup)
        })?;

        let before = L::counters(system);
        (order.begin)();
        let start = Instant::now();
        self.phase(benchmark, Phase::Run, order.patience, || play(system, Phase::Run))?;
        let wall = start.elapsed();
        let metrics = growth(&before, &L::counters(system));

        for step in 0..B::CHECK_STEPS {
            let phase = Phase::Check(step);
            self.phase(benchmark, phase, order.patience, || play(system, phase))?;
        }
        no_dead_letters(&growth(&first, &L::counters(system))).map_err(Failure::Failed)?;
        let mut outcome = benchmark.outcome(&self.report).map_err(Failure::Failed)?;
        let metrics = metrics.into_iter();
        outcome
            .metrics
            .extend(metrics.map(|(name, growth)| (name, Number::Integer(growth as i64))));
        Ok(Record {
            wall,
            outcome,
            work: None,
        })
    }

    /// Plays one phase and waits for the actors that stop in it.
    fn phase(
        &self,
        benchmark: &B,
        phase: Phase,
        patience: Option<Duration>,
        play: impl FnOnce(),
    ) -> Result<(), Failure> {
        self.latch.arm(benchmark.stops(phase));
        catch_unwind(AssertUnwindSafe(play)).map_err(|_| {
            let own = panics::take_last().unwrap_or_default();
            // It may have suffered from an actor that failed before.
            let cause = self.latch.failure();
            Failure::Failed(cause.unwrap_or_else(|| format!("the driver panicked: {own}")))
        })?;
        match self.latch.wait(patience) {
            Ok(stopped) => stopped.map_err(Failure::Failed),
            Err(late) => Err(Failure::TimedOut(late)),
        }
    }
}

/// A benchmark over the library `K` while it goes through its phases.
struct Performance<'a, B: Phased, K: ActorLibrary> {
    benchmark: &'a B,
    report: &'static B::Report,
    prepared: Option<B::Prepared<K>>,
}

impl<'a, B: Phased, K: ActorLibrary> Performance<'a, B, K> {
    fn new(benchmark: &'a B, report: &'static B::Report) -> Self {
        Self {
            benchmark,
            report,
            prepared: None,
        }
    }

    #[inline(always)]
    fn play(&mut self, phase: Phase, driver: &mut impl Driver<K>) {
        let Self {
            benchmark,
            report,
            prepared,
        } = self;
        match (phase, prepared) {
            (Phase::Setup, prepared) => *prepared = Some(benchmark.setup::<K>(driver, report)),
            (Phase::Run, Some(prepared)) => benchmark.run::<K>(prepared, driver, report),
            (Phase::Check(step), Some(prepared)) => benchmark.check::<K>(step, prepared, driver, report),
            (phase, None) => unreachable!("{phase:?} before setup"),
        }
    }
}

struct PlainScript<'p, 'a, B: Phased, L: ActorLibrary> {
    performance: &'p mut Performance<'a, B, L>,
    phase: Phase,
}

impl<L: ActorLibrary, B: Phased> Script<L> for PlainScript<'_, '_, B, L> {
    fn run(self, driver: &mut impl Driver<L>) {
        self.performance.play(self.phase, driver);
    }
}

struct CountedScript<'p, 'a, B: Phased> {
    performance: &'p mut Performance<'a, B, Counting>,
    phase: Phase,
    counters: &'static Counters,
}

impl<L: ActorLibrary, B: Phased> Script<L> for CountedScript<'_, '_, B> {
    fn run(self, driver: &mut impl Driver<L>) {
        counting::drive(driver, self.counters, |driver| {
            self.performance.play(self.phase, driver)
        });
    }
}

/// How much each counter grew.
fn growth(before: &[(&'static str, u64)], after: &[(&'static str, u64)]) -> Vec<(&'static str, u64)> {
    before
        .iter()
        .zip(after)
        .map(|((name, before), (_, after))| (*name, after - before))
        .collect()
}

fn no_dead_letters(growth: &[(&'static str, u64)]) -> Result<(), String> {
    match growth
        .iter()
        .find(|(name, growth)| *name == DEAD_LETTERS && *growth > 0)
    {
        Some((_, lost)) => Err(format!("{lost} messages were sent to stopped actors")),
        None => Ok(()),
    }
}
