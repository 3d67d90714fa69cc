//! A coordinator that sends to all its workers and begins the next round when all have answered. Work is so short that
//! rounds are messages above all, most of which the coordinator sends or receives one after the other. Written as held
//! out, after the rules for waking.

use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, burst, coordinator, light};
use super::super::{Nature, Program, Simulation};
use super::{Sizes, Sum, To, between, mixed};
use crate::host::{Activity, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "lockstep",
    about: "written to try the rules for waking on: rounds of short work that end when all have answered",
    nature: Nature::Messages,
    parameters: &[("actors", "100"), ("rounds", "250")],
    scale: None,
    annotations: &[
        coordinator("lockstep::Coordinator", burst),
        actor("lockstep::Worker", step),
    ],
    run,
};

/// 0.3 to 3 µs at 2.3 GHz.
fn step(activity: &Activity) -> Charge {
    match activity.sends {
        0 => light(activity),
        _ => Charge::compute(between(690, 6_900, activity)).touching(2),
    }
}

/// What a worker answers in a round whose beginning told `round`.
fn answer(worker: u64, round: u64) -> u64 {
    mixed(round ^ worker << 40)
}

struct Coordinator {
    wanted: usize,
    rounds_left: u64,
    workers: Vec<To<Worker>>,
    /// Workers that have not answered in this round.
    working: usize,
    /// Of all answers so far; the next round depends on it.
    total: u64,
    sum: Sum,
}

enum ToCoordinator {
    Begin,
    Answer(u64),
}

impl Coordinator {
    /// The next round, or the end after the last.
    fn turn(&mut self, cx: &mut impl Context<Simulated, Self>) {
        if self.rounds_left == 0 {
            for worker in &self.workers {
                cx.tell(worker, ToWorker::Stop);
            }
            self.sum.add(self.total);
            return cx.stop();
        }
        self.rounds_left -= 1;
        self.working = self.workers.len();
        for worker in &self.workers {
            cx.tell(worker, ToWorker::Step(self.total));
        }
    }
}

impl Actor<Simulated> for Coordinator {
    type Message = ToCoordinator;

    fn handle(&mut self, message: ToCoordinator, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToCoordinator::Begin => {
                let worker = |number| {
                    cx.spawn(Worker {
                        number: number as u64,
                        coordinator: cx.myself(),
                    })
                };
                self.workers = (0..self.wanted).map(worker).collect();
                self.turn(cx);
            }
            ToCoordinator::Answer(answer) => {
                self.total = self.total.wrapping_add(answer);
                self.working -= 1;
                if self.working == 0 {
                    self.turn(cx);
                }
            }
        }
    }
}

struct Worker {
    number: u64,
    coordinator: To<Coordinator>,
}

enum ToWorker {
    Step(u64),
    Stop,
}

impl Actor<Simulated> for Worker {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToWorker::Step(round) => {
                let answer = answer(self.number, round);
                cx.tell(&self.coordinator, ToCoordinator::Answer(answer));
            }
            ToWorker::Stop => cx.stop(),
        }
    }
}

struct Lockstep {
    sizes: Sizes,
    sum: Sum,
}

impl Lockstep {
    fn expected(&self) -> u64 {
        (0..self.sizes.rounds).fold(0u64, |round, _| {
            let answers = (0..self.sizes.actors as u64).map(|worker| answer(worker, round));
            answers.fold(round, u64::wrapping_add)
        })
    }
}

impl Script<Simulated> for Lockstep {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let coordinator = driver.spawn(Coordinator {
            wanted: self.sizes.actors,
            rounds_left: self.sizes.rounds,
            workers: Vec::new(),
            working: 0,
            total: 0,
            sum: self.sum,
        });
        driver.tell(&coordinator, ToCoordinator::Begin);
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let script = Lockstep {
        sizes: Sizes::of(program, parameters)?,
        sum: sum.clone(),
    };
    let (actors, expected) = (script.sizes.actors + 1, script.expected());
    sum.play(program, settings, script, (actors, expected))
}
