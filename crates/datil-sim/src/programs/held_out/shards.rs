//! Clients that ask random shards of a store: a shard holds 2 MiB and touches a few lines of it per request. State is
//! large and each message needs hardly any of it, so that pinning should not pay.

use datil_policy::Random;
use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, coordinator, data, light};
use super::super::{Nature, Program, Simulation};
use super::{Sizes, To, play};
use crate::host::Settings;
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "shards",
    about: "written to try adaptive-locality on: a quarter as many shards of 2 MiB as clients",
    nature: Nature::Messages,
    parameters: &[("actors", "256"), ("rounds", "200")],
    scale: None,
    annotations: &[
        data("shards::Shard", |_| 2 << 20, |_| Charge::compute(300).touching(6)),
        actor("shards::Client", light),
        coordinator("shards::Keeper", light),
    ],
    run,
};

struct Shard;

enum ToShard {
    Get(To<Client>),
    Stop,
}

impl Actor<Simulated> for Shard {
    type Message = ToShard;

    fn handle(&mut self, message: ToShard, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToShard::Get(client) => cx.tell(&client, Answer),
            ToShard::Stop => cx.stop(),
        }
    }
}

struct Client {
    random: Random,
    rounds: u64,
    shards: Vec<To<Shard>>,
    keeper: To<Keeper>,
}

/// Also the first message, which answers nothing.
struct Answer;

impl Actor<Simulated> for Client {
    type Message = Answer;

    fn handle(&mut self, Answer: Answer, cx: &mut impl Context<Simulated, Self>) {
        if self.rounds == 0 {
            cx.tell(&self.keeper, Done);
            cx.stop();
            return;
        }
        self.rounds -= 1;
        let shard = self.random.below(self.shards.len() as u32) as usize;
        cx.tell(&self.shards[shard], ToShard::Get(cx.myself()));
    }
}

/// Stops the shards when all clients are done.
struct Keeper {
    clients: usize,
    shards: Vec<To<Shard>>,
}

struct Done;

impl Actor<Simulated> for Keeper {
    type Message = Done;

    fn handle(&mut self, Done: Done, cx: &mut impl Context<Simulated, Self>) {
        self.clients -= 1;
        if self.clients == 0 {
            for shard in &self.shards {
                cx.tell(shard, ToShard::Stop);
            }
            cx.stop();
        }
    }
}

struct Store(Sizes);

impl Store {
    fn shards(&self) -> usize {
        self.0.actors.div_ceil(4)
    }
}

impl Script<Simulated> for Store {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let shards: Vec<To<Shard>> = (0..self.shards()).map(|_| driver.spawn(Shard)).collect();
        let keeper = driver.spawn(Keeper {
            clients: self.0.actors,
            shards: shards.clone(),
        });
        for number in 0..self.0.actors {
            let client = driver.spawn(Client {
                random: Random::new(number as u64),
                rounds: self.0.rounds,
                shards: shards.clone(),
                keeper: keeper.clone(),
            });
            driver.tell(&client, Answer);
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let store = Store(Sizes::of(program, parameters)?);
    let actors = store.0.actors + store.shards() + 1;
    play(program, settings, store, actors)
}
