//! Workers of one type, half of which search 8 MiB per job while the others compute on nothing: a rule that decides by
//! type must get one half wrong. All report to one overseer.

use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{coordinator, data, light, varied};
use super::super::{Nature, Program, Simulation};
use super::{Sizes, To, play};
use crate::host::{Activity, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "twofaced",
    about: "written to try adaptive-locality on: workers of one type with and without 8 MiB",
    nature: Nature::State,
    parameters: Sizes::DEFAULT,
    scale: None,
    annotations: &[
        coordinator("two_faced::Overseer", light),
        data("two_faced::Worker", |_| BYTES, job),
    ],
    run,
};

const BYTES: u64 = 8 << 20;

/// Jobs of some 10 ms; those of every second worker go through its state.
fn job(activity: &Activity) -> Charge {
    if activity.sends == 0 {
        return light(activity);
    }
    let computing = Charge::compute(varied(20_000_000, activity));
    match activity.actor % 2 {
        0 => computing.touching(BYTES / 64).exposing(0.2),
        _ => computing,
    }
}

struct Overseer {
    rounds_left: Vec<u64>,
    working: usize,
}

struct Report(usize, To<Worker>);

impl Actor<Simulated> for Overseer {
    type Message = Report;

    fn handle(&mut self, Report(number, worker): Report, cx: &mut impl Context<Simulated, Self>) {
        self.rounds_left[number] -= 1;
        if self.rounds_left[number] > 0 {
            cx.tell(&worker, ToWorker::Job(number, cx.myself()));
            return;
        }
        cx.tell(&worker, ToWorker::Stop);
        self.working -= 1;
        if self.working == 0 {
            cx.stop();
        }
    }
}

struct Worker;

enum ToWorker {
    Job(usize, To<Overseer>),
    Stop,
}

impl Actor<Simulated> for Worker {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToWorker::Job(number, overseer) => cx.tell(&overseer, Report(number, cx.myself())),
            ToWorker::Stop => cx.stop(),
        }
    }
}

struct Workers(Sizes);

impl Script<Simulated> for Workers {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let overseer = driver.spawn(Overseer {
            rounds_left: vec![self.0.rounds; self.0.actors],
            working: self.0.actors,
        });
        for number in 0..self.0.actors {
            let worker = driver.spawn(Worker);
            driver.tell(&worker, ToWorker::Job(number, overseer.clone()));
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let workers = Workers(Sizes::of(program, parameters)?);
    let actors = workers.0.actors + 1;
    play(program, settings, workers, actors)
}
