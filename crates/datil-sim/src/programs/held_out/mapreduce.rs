//! A master that deals out chunks in rounds: an actor of its own maps each chunk and sends a partial result to every
//! reducer; when the reducers have all of them they report, and the next round begins. Many short-lived actors with work
//! of different length, created by one. Written as held out, after the rules for waking.

use std::sync::Arc;

use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, burst, coordinator, data, light};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, between, mixed, number};
use crate::host::{Activity, Annotation, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "mapreduce",
    about: "written to try the rules for waking on: an actor per chunk, a few reducers, rounds",
    nature: Nature::Computing,
    parameters: &[("chunks", "250"), ("rounds", "6"), ("reducers", "4")],
    scale: None,
    annotations: &[
        coordinator("mapreduce::Master", burst),
        Annotation {
            carries: |_| 4,
            ..actor("mapreduce::Mapper", map)
        },
        data(
            "mapreduce::Reducer",
            |_| 16 << 10,
            |_| Charge::compute(300).touching(4),
        ),
    ],
    run,
};

/// 5 to 60 µs at 2.3 GHz.
fn map(activity: &Activity) -> Charge {
    match activity.sends {
        0 => light(activity),
        _ => Charge::compute(between(11_500, 138_000, activity)).touching(2),
    }
}

/// What mapping a chunk gives for one of the reducers.
fn partial(seed: u64, chunk: u64, reducer: u64) -> u64 {
    mixed(seed ^ chunk << 20 ^ reducer)
}

struct Master {
    chunks: u64,
    rounds_left: u64,
    wanted: usize,
    reducers: Arc<[To<Reducer>]>,
    /// Reducers that have not reported in this round.
    reducing: usize,
    /// Of all rounds so far; the next round depends on it.
    total: u64,
    sum: Sum,
}

enum ToMaster {
    Begin,
    Reduced(u64),
}

impl Master {
    /// Deals out the next round, or ends all.
    fn deal(&mut self, cx: &mut impl Context<Simulated, Self>) {
        if self.rounds_left == 0 {
            for reducer in self.reducers.iter() {
                cx.tell(reducer, ToReducer::Stop);
            }
            self.sum.add(self.total);
            return cx.stop();
        }
        self.rounds_left -= 1;
        self.reducing = self.reducers.len();
        for chunk in 0..self.chunks {
            let mapper = cx.spawn(Mapper);
            let work = Chunk {
                seed: self.total,
                number: chunk,
                reducers: Arc::clone(&self.reducers),
            };
            cx.tell(&mapper, work);
        }
    }
}

impl Actor<Simulated> for Master {
    type Message = ToMaster;

    fn handle(&mut self, message: ToMaster, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToMaster::Begin => {
                let reducer = |_| {
                    cx.spawn(Reducer {
                        chunks: self.chunks,
                        left: self.chunks,
                        sum: 0,
                        master: cx.myself(),
                    })
                };
                self.reducers = (0..self.wanted).map(reducer).collect();
                self.deal(cx);
            }
            ToMaster::Reduced(sum) => {
                self.total = self.total.wrapping_add(sum);
                self.reducing -= 1;
                if self.reducing == 0 {
                    self.deal(cx);
                }
            }
        }
    }
}

struct Mapper;

struct Chunk {
    seed: u64,
    number: u64,
    reducers: Arc<[To<Reducer>]>,
}

impl Actor<Simulated> for Mapper {
    type Message = Chunk;

    fn handle(&mut self, chunk: Chunk, cx: &mut impl Context<Simulated, Self>) {
        for (number, reducer) in chunk.reducers.iter().enumerate() {
            let partial = partial(chunk.seed, chunk.number, number as u64);
            cx.tell(reducer, ToReducer::Partial(partial));
        }
        cx.stop();
    }
}

struct Reducer {
    chunks: u64,
    /// Chunks of this round that are not reduced yet.
    left: u64,
    sum: u64,
    master: To<Master>,
}

enum ToReducer {
    Partial(u64),
    Stop,
}

impl Actor<Simulated> for Reducer {
    type Message = ToReducer;

    fn handle(&mut self, message: ToReducer, cx: &mut impl Context<Simulated, Self>) {
        let ToReducer::Partial(partial) = message else {
            return cx.stop();
        };
        self.sum = self.sum.wrapping_add(partial);
        self.left -= 1;
        if self.left == 0 {
            cx.tell(&self.master, ToMaster::Reduced(self.sum));
            (self.left, self.sum) = (self.chunks, 0);
        }
    }
}

struct MapReduce {
    chunks: u64,
    rounds: u64,
    reducers: u64,
    sum: Sum,
}

impl MapReduce {
    fn expected(&self) -> u64 {
        let mut total = 0u64;
        for _ in 0..self.rounds {
            let seed = total;
            for chunk in 0..self.chunks {
                for reducer in 0..self.reducers {
                    total = total.wrapping_add(partial(seed, chunk, reducer));
                }
            }
        }
        total
    }
}

impl Script<Simulated> for MapReduce {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let master = driver.spawn(Master {
            chunks: self.chunks,
            rounds_left: self.rounds,
            wanted: self.reducers as usize,
            reducers: Arc::from([]),
            reducing: 0,
            total: 0,
            sum: self.sum,
        });
        driver.tell(&master, ToMaster::Begin);
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let script = MapReduce {
        chunks: number(program, parameters, "chunks")?,
        rounds: number(program, parameters, "rounds")?,
        reducers: number(program, parameters, "reducers")?,
        sum: sum.clone(),
    };
    let actors = 1 + script.reducers + script.chunks * script.rounds;
    let expected = script.expected();
    sum.play(program, settings, script, (actors as usize, expected))
}
