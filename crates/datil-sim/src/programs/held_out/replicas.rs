//! A store of shards, each of which has a leader and two followers with a copy of all its data. A client's write goes to
//! the leader, from there to the logs of the followers, and is applied and answered when one of them has it, so that two
//! of three copies do. Then the followers apply it, too. The leader answers reads alone. Every client reads only keys
//! that it alone writes, and must find what it has written last. Written as held out, after all rules.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use datil_policy::Random;
use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, coordinator, data, light};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, mixed, number};
use crate::host::{Activity, Annotation, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "replicas",
    about: "written to try the final rules on: a replicated store of shards of 768 KiB, a leader and two followers each",
    nature: Nature::State,
    parameters: &[("clients", "160"), ("shards", "24"), ("requests", "150")],
    scale: None,
    annotations: &[
        Annotation {
            carries: |activity| {
                if activity.sends == FOLLOWERS {
                    VALUE_LINES
                } else {
                    0
                }
            },
            ..data("replicas::Leader", |_| BYTES, lead)
        },
        data("replicas::Follower", |_| BYTES, follow),
        Annotation {
            carries: |_| VALUE_LINES / 3,
            ..actor("replicas::Client", ask)
        },
        coordinator("replicas::Keeper", light),
    ],
    run,
};

/// Table, index and the log of late.
const BYTES: u64 = 768 << 10;
/// One of them is enough for a write.
const FOLLOWERS: usize = 2;
/// One request of so many is a write.
const WRITES: u32 = 3;
/// A value of 2 KiB.
const VALUE_LINES: u32 = 32;

/// A value is copied to the end of the log, with a checksum: some 2 cycles a word.
const LOGGED: Charge = Charge::compute(200 + 2 * 256)
    .touching(VALUE_LINES as u64)
    .exposing(0.2);
/// Four nodes of the index with a binary search in each, then the value is put in its place.
const APPLIED: Charge = Charge::compute(1_200)
    .touching(4 * 4 + VALUE_LINES as u64)
    .exposing(0.5);
/// A range of 64 values, of which the simulation has one: the index, then one value after the other, with a test and a
/// sum of each. Only the sum is sent back.
const SCANNED: Charge = Charge::compute(1_000 + 64 * 300)
    .touching(4 * 4 + 64 * VALUE_LINES as u64)
    .exposing(0.2);

/// Messages that a leader sends when it commits.
const COMMITTED: usize = FOLLOWERS + 1;

fn lead(activity: &Activity) -> Charge {
    match activity.sends {
        _ if activity.stops => light(activity),
        1 => SCANNED,
        FOLLOWERS => LOGGED,
        // The first acknowledgement; the second finds everything done.
        COMMITTED => APPLIED,
        _ => light(activity),
    }
}

fn follow(activity: &Activity) -> Charge {
    match activity.sends {
        _ if activity.stops || activity.ordinal == 0 => light(activity),
        0 => APPLIED,
        _ => LOGGED,
    }
}

/// A request is put together, or an answer taken apart.
fn ask(_: &Activity) -> Charge {
    Charge::compute(800).touching(4)
}

/// By client: the value that it has written last.
type Table = HashMap<u64, u64>;

/// What copies that are the same agree on.
fn digest(table: &Table) -> u64 {
    let entries = table.iter().map(|(client, value)| mixed(client ^ value));
    entries.fold(0, u64::wrapping_add)
}

struct Write {
    client: u64,
    value: u64,
    from: To<Client>,
}

#[derive(Default)]
struct Leader {
    followers: Vec<To<Follower>>,
    table: Table,
    /// Entries of the log so far, and those that are not committed.
    logged: u64,
    open: HashMap<u64, Write>,
    /// Acknowledgements that are still to come.
    awaited: usize,
    stopping: bool,
    sum: Sum,
}

enum ToLeader {
    Read(u64, To<Client>),
    Write(Write),
    /// A follower has the entry in its log.
    Logged(u64),
    Stop,
}

impl Leader {
    fn replicate(&mut self, write: Write, cx: &mut impl Context<Simulated, Self>) {
        for follower in &self.followers {
            let entry = (write.client, write.value);
            cx.tell(follower, ToFollower::Log(self.logged, entry, cx.myself()));
        }
        self.awaited += FOLLOWERS;
        self.open.insert(self.logged, write);
        self.logged += 1;
    }

    /// Acknowledgements of a follower come in the order of the log, and so do the first ones of all entries.
    fn commit(&mut self, write: Write, cx: &mut impl Context<Simulated, Self>) {
        self.table.insert(write.client, write.value);
        cx.tell(&write.from, ToClient::Answer(write.value));
        for follower in &self.followers {
            cx.tell(follower, ToFollower::Apply);
        }
    }

    fn stop_if_done(&mut self, cx: &mut impl Context<Simulated, Self>) {
        if self.stopping && self.awaited == 0 {
            for follower in &self.followers {
                cx.tell(follower, ToFollower::Stop);
            }
            self.sum.add(digest(&self.table));
            cx.stop();
        }
    }
}

impl Actor<Simulated> for Leader {
    type Message = ToLeader;

    fn handle(&mut self, message: ToLeader, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToLeader::Read(client, from) => {
                let value = self.table.get(&client).copied().unwrap_or(0);
                cx.tell(&from, ToClient::Answer(value));
            }
            ToLeader::Write(write) => self.replicate(write, cx),
            ToLeader::Logged(entry) => {
                self.awaited -= 1;
                if let Some(write) = self.open.remove(&entry) {
                    self.commit(write, cx);
                }
                self.stop_if_done(cx);
            }
            ToLeader::Stop => {
                self.stopping = true;
                self.stop_if_done(cx);
            }
        }
    }
}

#[derive(Default)]
struct Follower {
    table: Table,
    /// Entries that are not applied yet.
    log: VecDeque<(u64, u64)>,
    sum: Sum,
}

enum ToFollower {
    /// The number of the entry, who writes, what, and whom to tell.
    Log(u64, (u64, u64), To<Leader>),
    /// The oldest entry that is not applied yet.
    Apply,
    Stop,
}

impl Actor<Simulated> for Follower {
    type Message = ToFollower;

    fn handle(&mut self, message: ToFollower, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToFollower::Log(number, entry, leader) => {
                self.log.push_back(entry);
                cx.tell(&leader, ToLeader::Logged(number));
            }
            ToFollower::Apply => self.table.extend(self.log.pop_front()),
            ToFollower::Stop => {
                self.sum.add(digest(&self.table));
                cx.stop();
            }
        }
    }
}

/// What clients ask for, one after the other.
struct Requests {
    client: u64,
    random: Random,
    left: u64,
    shards: usize,
}

impl Requests {
    fn new(client: u64, left: u64, shards: usize) -> Self {
        let random = Random::new(client);
        Self {
            client,
            random,
            left,
            shards,
        }
    }
}

impl Iterator for Requests {
    /// A shard, and what is written there; reads write nothing.
    type Item = (usize, Option<u64>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let shard = self.random.below(self.shards as u32) as usize;
        let writes = self.random.below(WRITES) == 0;
        Some((shard, writes.then(|| mixed(self.client << 32 | self.left))))
    }
}

struct Client {
    requests: Requests,
    leaders: Arc<[To<Leader>]>,
    keeper: To<Keeper>,
    /// What it has written last, by shard.
    written: Vec<u64>,
    /// What the answer must be.
    awaited: u64,
    /// Answers that were what they must be.
    right: u64,
}

enum ToClient {
    Begin,
    Answer(u64),
}

impl Actor<Simulated> for Client {
    type Message = ToClient;

    fn handle(&mut self, message: ToClient, cx: &mut impl Context<Simulated, Self>) {
        if let ToClient::Answer(value) = message {
            self.right += u64::from(value == self.awaited);
        }
        let Some((shard, write)) = self.requests.next() else {
            cx.tell(&self.keeper, Done(self.right));
            return cx.stop();
        };
        let (client, from) = (self.requests.client, cx.myself());
        let request = match write {
            Some(value) => {
                self.written[shard] = value;
                ToLeader::Write(Write { client, value, from })
            }
            None => ToLeader::Read(client, from),
        };
        self.awaited = self.written[shard];
        cx.tell(&self.leaders[shard], request);
    }
}

/// Stops the leaders when all clients are done.
struct Keeper {
    clients: u64,
    leaders: Arc<[To<Leader>]>,
    sum: Sum,
}

struct Done(u64);

impl Actor<Simulated> for Keeper {
    type Message = Done;

    fn handle(&mut self, Done(right): Done, cx: &mut impl Context<Simulated, Self>) {
        self.sum.add(right);
        self.clients -= 1;
        if self.clients == 0 {
            for leader in self.leaders.iter() {
                cx.tell(leader, ToLeader::Stop);
            }
            cx.stop();
        }
    }
}

struct Store {
    clients: u64,
    shards: usize,
    requests: u64,
    sum: Sum,
}

impl Store {
    /// All answers are right, and three copies of what was written last.
    fn expected(&self) -> u64 {
        let mut tables = vec![Table::new(); self.shards];
        for client in 0..self.clients {
            for (shard, write) in Requests::new(client, self.requests, self.shards) {
                tables[shard].extend(write.map(|value| (client, value)));
            }
        }
        let copy = tables.iter().map(digest).fold(0, u64::wrapping_add);
        copy.wrapping_mul(1 + FOLLOWERS as u64)
            .wrapping_add(self.clients * self.requests)
    }
}

impl Script<Simulated> for Store {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let leader = |_| {
            let follower = |_| {
                driver.spawn(Follower {
                    sum: self.sum.clone(),
                    ..Follower::default()
                })
            };
            let followers = (0..FOLLOWERS).map(follower).collect();
            driver.spawn(Leader {
                followers,
                sum: self.sum.clone(),
                ..Leader::default()
            })
        };
        let leaders: Arc<[To<Leader>]> = (0..self.shards).map(leader).collect();
        let keeper = driver.spawn(Keeper {
            clients: self.clients,
            leaders: Arc::clone(&leaders),
            sum: self.sum,
        });
        for number in 0..self.clients {
            let client = driver.spawn(Client {
                requests: Requests::new(number, self.requests, self.shards),
                leaders: Arc::clone(&leaders),
                keeper: keeper.clone(),
                written: vec![0; self.shards],
                awaited: 0,
                right: 0,
            });
            driver.tell(&client, ToClient::Begin);
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let script = Store {
        clients: number(program, parameters, "clients")?,
        shards: number(program, parameters, "shards")? as usize,
        requests: number(program, parameters, "requests")?,
        sum: sum.clone(),
    };
    let actors = script.clients as usize + script.shards * (1 + FOLLOWERS) + 1;
    let expected = script.expected();
    sum.play(program, settings, script, (actors, expected))
}
