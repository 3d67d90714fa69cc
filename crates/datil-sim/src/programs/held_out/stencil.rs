//! A ring of blocks of 4 MiB that exchange borders: none begins a step before both neighbours have sent theirs. State
//! is large, nobody coordinates, and blocks wait for each other.

use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{data, light};
use super::super::{Nature, Program, Simulation};
use super::{Sizes, To, play};
use crate::host::{Activity, Annotation, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "stencil",
    about: "written to try adaptive-locality on: blocks of 4 MiB in a ring",
    nature: Nature::State,
    parameters: Sizes::DEFAULT,
    scale: None,
    annotations: &[Annotation {
        carries: |_| 4,
        ..data("stencil::Block", |_| BYTES, step)
    }],
    run,
};

const BYTES: u64 = 4 << 20;

/// Every second border that comes begins a step: each line is read and written, three operations per cell.
fn step(activity: &Activity) -> Charge {
    let steps = activity.ordinal > 1 && (activity.sends > 0 || activity.stops);
    if steps {
        Charge::compute(BYTES / 8 * 3).touching(BYTES / 64).exposing(0.1)
    } else {
        light(activity)
    }
}

struct Block {
    rounds: u64,
    done: u64,
    neighbours: Vec<To<Block>>,
    /// Borders of this step, and of the next one: a neighbour is never further ahead.
    borders: [u32; 2],
}

enum Message {
    Start(Vec<To<Block>>),
    /// The border after so many steps of the sender.
    Border(u64),
}

impl Block {
    fn send(&self, cx: &mut impl Context<Simulated, Self>) {
        for neighbour in &self.neighbours {
            cx.tell(neighbour, Message::Border(self.done));
        }
    }
}

impl Actor<Simulated> for Block {
    type Message = Message;

    fn handle(&mut self, message: Message, cx: &mut impl Context<Simulated, Self>) {
        match message {
            Message::Start(neighbours) => {
                self.neighbours = neighbours;
                self.send(cx);
            }
            Message::Border(after) => self.borders[(after - self.done) as usize] += 1,
        }
        // Borders may come before the start: then nothing was sent yet, and nobody is ahead.
        if self.borders[0] == 2 && !self.neighbours.is_empty() {
            self.borders = [self.borders[1], 0];
            self.done += 1;
            if self.done == self.rounds {
                cx.stop();
            } else {
                self.send(cx);
            }
        }
    }
}

impl Script<Simulated> for Sizes {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let block = |_| {
            driver.spawn(Block {
                rounds: self.rounds,
                done: 0,
                neighbours: Vec::new(),
                borders: [0; 2],
            })
        };
        let blocks: Vec<To<Block>> = (0..self.actors).map(block).collect();
        for (number, block) in blocks.iter().enumerate() {
            let around = [number + self.actors - 1, number + 1];
            let neighbours = around.map(|other| blocks[other % self.actors].clone());
            driver.tell(block, Message::Start(neighbours.to_vec()));
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sizes = Sizes::of(program, parameters)?;
    let actors = sizes.actors;
    play(program, settings, sizes, actors)
}
