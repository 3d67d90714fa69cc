//! Dormant Processes: actors are created and then wait, until each is woken once.

use std::time::{Duration, Instant};

use crate::benchmark::{Outcome, Phase, Phased, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter, Relation};
use crate::tools::collector::Once;
use crate::tools::memory::resident_bytes;

/// The benchmark.
#[derive(Debug)]
pub struct Spawn {
    actors: i64,
}

/// What Tally and the driver report.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    awake: Once<i64>,
    t_spawn: Once<Duration>,
    first_wake: Once<Instant>,
    last_answer: Once<Instant>,
    /// Resident memory before, after the creation and after the wake-up.
    memory: [Once<i64>; 3],
}

/// Addresses for the check phase.
pub struct Prepared<L: ActorLibrary> {
    tally: L::Address<Tally>,
    dormant: Vec<L::Address<Dormant<L>>>,
}

/// Time for what was created to come to rest before memory is looked at.
const REST: Duration = Duration::from_millis(100);
/// The same for a single actor.
const SHORT_REST: Duration = Duration::from_millis(10);

impl Phased for Spawn {
    const NAME: &'static str = "spawn";
    const PARAMETERS: &'static [Parameter] = &[Parameter::at_least("n", 1)];
    const RELATIONS: &'static [Relation] = &[];
    const CHECK_STEPS: usize = 2;
    type Report = Report;
    type Prepared<L: ActorLibrary> = Prepared<L>;

    fn new(arguments: &Arguments) -> Self {
        Self {
            actors: arguments.get("n"),
        }
    }

    fn stops(&self, phase: Phase) -> Population {
        Population::Known(match phase {
            // The actor that warms up.
            Phase::Setup => 1,
            Phase::Run => 0,
            // Tally.
            Phase::Check(0) => 1,
            Phase::Check(_) => self.actors,
        })
    }

    fn setup<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) -> Prepared<L> {
        let tally = driver.spawn(Tally {
            actors: self.actors,
            ids: 0,
            awake: 0,
            report,
        });
        let first = driver.spawn_uncounted(Dormant::<L> {
            id: -1,
            tally: tally.clone(),
        });
        driver.tell_uncounted(&first, ToDormant::Stop);
        driver.pause(SHORT_REST);
        report.memory[0].report(resident_bytes());
        Prepared {
            tally,
            dormant: Vec::with_capacity(self.actors as usize),
        }
    }

    fn run<L: ActorLibrary>(
        &self,
        Prepared { tally, dormant }: &mut Prepared<L>,
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) {
        let start = Instant::now();
        for id in 0..self.actors {
            let tally = tally.clone();
            dormant.push(driver.spawn(Dormant { id, tally }));
        }
        report.t_spawn.report(start.elapsed());
    }

    fn check<L: ActorLibrary>(
        &self,
        step: usize,
        Prepared { dormant, .. }: &mut Prepared<L>,
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) {
        if step == 0 {
            driver.pause(REST);
            report.memory[1].report(resident_bytes());
            report.first_wake.report(Instant::now());
            for actor in dormant.iter() {
                driver.tell(actor, ToDormant::Wake);
            }
        } else {
            report.memory[2].report(resident_bytes());
            for actor in dormant.iter() {
                driver.tell_uncounted(actor, ToDormant::Stop);
            }
        }
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let first_wake = report.first_wake.take("first_wake")?;
        let t_wake = report.last_answer.take("last_answer")? - first_wake;
        let t_spawn = report.t_spawn.take("t_spawn")?;
        let [before, dormant, awake] = report.memory.each_ref().map(|memory| memory.take("memory"));
        let before = before?;
        let per_actor = |memory| (memory - before) as f64 / self.actors as f64;
        Ok(Outcome::new(report.result.take("result")?)
            .check("awake", report.awake.take("awake")?)
            .metric("t_spawn", t_spawn.as_nanos() as i64)
            .metric("t_wake", t_wake.as_nanos() as i64)
            .metric("bytes_dormant", per_actor(dormant?))
            .metric("bytes_awake", per_actor(awake?)))
    }
}

/// Counts the actors that are awake.
pub struct Tally {
    actors: i64,
    ids: i64,
    awake: i64,
    report: &'static Report,
}

/// The answer of an actor that was woken.
pub struct Awake {
    id: i64,
}

impl<L: ActorLibrary> Actor<L> for Tally {
    type Message = Awake;

    fn handle(&mut self, Awake { id }: Awake, cx: &mut impl Context<L, Self>) {
        self.ids += id;
        self.awake += 1;
        if self.awake == self.actors {
            self.report.last_answer.report(Instant::now());
            self.report.result.report(self.ids);
            self.report.awake.report(self.awake);
            cx.stop();
        }
    }
}

/// An actor that waits.
pub struct Dormant<L: ActorLibrary> {
    id: i64,
    tally: L::Address<Tally>,
}

/// What a dormant actor understands.
pub enum ToDormant {
    /// Answer.
    Wake,
    /// Stop, without an answer: how is left to the library, so it is no message of the entry.
    Stop,
}

impl<L: ActorLibrary> Actor<L> for Dormant<L> {
    type Message = ToDormant;

    fn handle(&mut self, message: ToDormant, cx: &mut impl Context<L, Self>) {
        match message {
            ToDormant::Wake => cx.tell(&self.tally, Awake { id: self.id }),
            ToDormant::Stop => cx.stop(),
        }
    }
}
