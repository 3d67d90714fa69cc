//! Workers with 4 MiB each that one clock sends through high and low tide by turns: at high tide all of them work, at low
//! tide every eighth, so much longer. Written to be hard for a rule that lets a class go because its actors do not stay
//! at home: they cannot while all work, and could as soon as few do.

use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{coordinator, data, light, varied};
use super::super::{Nature, Program, Simulation};
use super::{Sizes, To, play};
use crate::host::{Activity, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "tides",
    about: "written to try adaptive-locality on: workers with 4 MiB, by turns all of them and every eighth",
    nature: Nature::State,
    parameters: Sizes::DEFAULT,
    scale: None,
    annotations: &[
        coordinator("tides::Clock", light),
        data("tides::Worker", |_| BYTES, job),
    ],
    run,
};

const BYTES: u64 = 4 << 20;
/// At low tide one of so many works.
const LOW: usize = 8;
const TIDES: u32 = 4;

/// Every job goes through the state once, with some computing per line.
fn job(activity: &Activity) -> Charge {
    if activity.sends == 0 {
        return light(activity);
    }
    Charge::compute(varied(2_000_000, activity))
        .touching(BYTES / 64)
        .exposing(0.15)
}

struct Clock {
    rounds: u64,
    tide: u32,
    workers: Vec<To<Worker>>,
    /// Jobs left of each worker in this tide, and workers that have some.
    left: Vec<u64>,
    working: usize,
}

enum ToClock {
    Begin(Vec<To<Worker>>),
    Done(usize),
}

impl Clock {
    /// The next tide, or the end after the last.
    fn turn(&mut self, cx: &mut impl Context<Simulated, Self>) {
        if self.tide == TIDES {
            for worker in &self.workers {
                cx.tell(worker, ToWorker::Stop);
            }
            return cx.stop();
        }
        let (every, rounds) = if self.tide.is_multiple_of(2) {
            (1, self.rounds)
        } else {
            (LOW, self.rounds * LOW as u64)
        };
        self.tide += 1;
        self.left.fill(0);
        self.working = 0;
        for number in (0..self.workers.len()).step_by(every) {
            self.left[number] = rounds;
            self.working += 1;
            cx.tell(&self.workers[number], ToWorker::Job(number, cx.myself()));
        }
    }
}

impl Actor<Simulated> for Clock {
    type Message = ToClock;

    fn handle(&mut self, message: ToClock, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToClock::Begin(workers) => {
                self.left = vec![0; workers.len()];
                self.workers = workers;
                self.turn(cx);
            }
            ToClock::Done(number) => {
                self.left[number] -= 1;
                if self.left[number] > 0 {
                    return cx.tell(&self.workers[number], ToWorker::Job(number, cx.myself()));
                }
                self.working -= 1;
                if self.working == 0 {
                    self.turn(cx);
                }
            }
        }
    }
}

struct Worker;

enum ToWorker {
    Job(usize, To<Clock>),
    Stop,
}

impl Actor<Simulated> for Worker {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToWorker::Job(number, clock) => cx.tell(&clock, ToClock::Done(number)),
            ToWorker::Stop => cx.stop(),
        }
    }
}

struct Tides(Sizes);

impl Script<Simulated> for Tides {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let clock = driver.spawn(Clock {
            rounds: self.0.rounds,
            tide: 0,
            workers: Vec::new(),
            left: Vec::new(),
            working: 0,
        });
        let workers: Vec<To<Worker>> = (0..self.0.actors).map(|_| driver.spawn(Worker)).collect();
        driver.tell(&clock, ToClock::Begin(workers));
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let tides = Tides(Sizes::of(program, parameters)?);
    let actors = tides.0.actors + 1;
    play(program, settings, tides, actors)
}
