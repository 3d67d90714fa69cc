//! Two tiers: clients ask caches, which keep some of the values and ask stores for the others. A few keys are asked for
//! very often and most of them hardly ever. A cache has few values and a store has much that it goes through for one of
//! them; who asks for a value that is on its way waits for it with the others. Answers come by the way of the requests.
//! How many requests get to the stores depends on their order. Written as held out, after waking of neighbours was
//! decided.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use datil_policy::Random;
use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, coordinator, data, light};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, between, mixed, number};
use crate::host::{Activity, Annotation, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "cachetier",
    about: "written to try the final rules on: caches before stores of 1 MiB, some keys much more popular than others",
    nature: Nature::State,
    parameters: &[
        ("clients", "240"),
        ("caches", "16"),
        ("stores", "32"),
        ("keys", "8188"),
        ("capacity", "128"),
        ("requests", "100"),
    ],
    scale: None,
    annotations: &[
        // Of four messages that a cache sends about one only asks a store.
        Annotation {
            carries: |_| VALUE_LINES * 3 / 4,
            ..data("cachetier::Cache", |_| CACHE_BYTES, look_up)
        },
        Annotation {
            carries: |_| VALUE_LINES,
            ..data("cachetier::Store", |_| STORE_BYTES, load)
        },
        actor("cachetier::Client", ask),
        coordinator("cachetier::Keeper", light),
    ],
    run,
};

/// A value of 1 KiB.
const VALUE_LINES: u32 = 16;
/// 128 values and what finds them.
const CACHE_BYTES: u64 = 144 << 10;
const STORE_BYTES: u64 = 1 << 20;
/// So many keys are the most popular ones.
const FIRST: u64 = 4;

/// The key is hashed and found or not; the value is copied out, or in, except when a store is asked. Who waits for a
/// value that is on its way is only written down.
fn look_up(activity: &Activity) -> Charge {
    match activity.sends {
        0 => Charge::compute(200).touching(3),
        sends => Charge::compute(200 + 200 * sends as u64)
            .touching(3 + u64::from(VALUE_LINES) * 3 / 4)
            .exposing(0.5),
    }
}

/// The index, four nodes with a binary search in each, then the value is put together out of 256 entries of 128 bytes: a
/// 32nd of the store, some 40 cycles an entry.
fn load(activity: &Activity) -> Charge {
    match activity.sends {
        0 => light(activity),
        _ => Charge::compute(1_000 + 256 * 40)
            .touching(4 * 4 + STORE_BYTES / 64 / 32)
            .exposing(0.2),
    }
}

/// 0.2 to 1 µs at 2.3 GHz: an answer is used, and the next request put together.
fn ask(activity: &Activity) -> Charge {
    Charge::compute(between(460, 2_300, activity)).touching(2)
}

/// A key to ask for, about as Zipf's law says: the first four are asked for as often as the next eight together, as the
/// next sixteen, and so on. There are `keys` of them, or fewer if the last such group would not be full.
fn asked(random: &mut Random, keys: u64) -> u64 {
    let groups = (keys / FIRST + 1).ilog2().max(1);
    let group = FIRST << random.below(groups);
    group + u64::from(random.below(group as u32))
}

/// The value that a store has under a key.
fn value(key: u64) -> u64 {
    mixed(key)
}

/// Who of a tier is asked for a key. Tiers divide the keys differently, or each cache would ask few of the stores.
fn shard<A: Actor<Simulated>>(tier: &[To<A>], number: u64, key: u64) -> &To<A> {
    let hash = mixed(key << 8 | number);
    &tier[(hash % tier.len() as u64) as usize]
}

struct Store;

enum ToStore {
    Load(u64, To<Cache>),
    Stop,
}

impl Actor<Simulated> for Store {
    type Message = ToStore;

    fn handle(&mut self, message: ToStore, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToStore::Load(key, cache) => cx.tell(&cache, ToCache::Loaded(key, value(key))),
            ToStore::Stop => cx.stop(),
        }
    }
}

struct Cache {
    stores: Arc<[To<Store>]>,
    capacity: usize,
    kept: HashMap<u64, u64>,
    /// The keys that are kept, the oldest first.
    order: VecDeque<u64>,
    /// Who waits for the values that are on their way.
    waiting: HashMap<u64, Vec<To<Client>>>,
}

enum ToCache {
    Get(u64, To<Client>),
    Loaded(u64, u64),
    Stop,
}

impl Cache {
    fn get(&mut self, key: u64, client: To<Client>, cx: &mut impl Context<Simulated, Self>) {
        if let Some(&value) = self.kept.get(&key) {
            return cx.tell(&client, ToClient::Answer(value));
        }
        let waiting = self.waiting.entry(key).or_default();
        if waiting.is_empty() {
            cx.tell(shard(&self.stores, 2, key), ToStore::Load(key, cx.myself()));
        }
        waiting.push(client);
    }

    /// Keeps a value, in the place of the oldest one if there are enough.
    fn keep(&mut self, key: u64, value: u64) {
        if self.kept.len() == self.capacity
            && let Some(oldest) = self.order.pop_front()
        {
            self.kept.remove(&oldest);
        }
        self.kept.insert(key, value);
        self.order.push_back(key);
    }
}

impl Actor<Simulated> for Cache {
    type Message = ToCache;

    fn handle(&mut self, message: ToCache, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToCache::Get(key, client) => self.get(key, client, cx),
            ToCache::Loaded(key, value) => {
                for client in self.waiting.remove(&key).into_iter().flatten() {
                    cx.tell(&client, ToClient::Answer(value));
                }
                self.keep(key, value);
            }
            ToCache::Stop => cx.stop(),
        }
    }
}

struct Client {
    random: Random,
    keys: u64,
    /// Requests that are still to be made.
    left: u64,
    caches: Arc<[To<Cache>]>,
    keeper: To<Keeper>,
    /// All answers so far.
    total: u64,
}

enum ToClient {
    Begin,
    Answer(u64),
}

impl Actor<Simulated> for Client {
    type Message = ToClient;

    fn handle(&mut self, message: ToClient, cx: &mut impl Context<Simulated, Self>) {
        if let ToClient::Answer(value) = message {
            self.total = self.total.wrapping_add(value);
        }
        if self.left == 0 {
            cx.tell(&self.keeper, Done(self.total));
            return cx.stop();
        }
        self.left -= 1;
        let key = asked(&mut self.random, self.keys);
        cx.tell(shard(&self.caches, 1, key), ToCache::Get(key, cx.myself()));
    }
}

/// Stops both tiers when all clients are done.
struct Keeper {
    clients: u64,
    caches: Arc<[To<Cache>]>,
    stores: Arc<[To<Store>]>,
    sum: Sum,
}

struct Done(u64);

impl Actor<Simulated> for Keeper {
    type Message = Done;

    fn handle(&mut self, Done(total): Done, cx: &mut impl Context<Simulated, Self>) {
        self.sum.add(total);
        self.clients -= 1;
        if self.clients == 0 {
            for cache in self.caches.iter() {
                cx.tell(cache, ToCache::Stop);
            }
            for store in self.stores.iter() {
                cx.tell(store, ToStore::Stop);
            }
            cx.stop();
        }
    }
}

struct Tiers {
    clients: u64,
    caches: u64,
    stores: u64,
    keys: u64,
    /// Values that one cache keeps.
    capacity: u64,
    requests: u64,
    sum: Sum,
}

impl Tiers {
    /// Each request is answered with the value of its key.
    fn expected(&self) -> u64 {
        let client = |client| {
            let mut random = Random::new(client);
            let values = (0..self.requests).map(|_| value(asked(&mut random, self.keys)));
            values.fold(0, u64::wrapping_add)
        };
        (0..self.clients).map(client).fold(0, u64::wrapping_add)
    }
}

impl Script<Simulated> for Tiers {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let stores: Arc<[To<Store>]> = (0..self.stores).map(|_| driver.spawn(Store)).collect();
        let cache = |_| {
            driver.spawn(Cache {
                stores: Arc::clone(&stores),
                capacity: self.capacity as usize,
                kept: HashMap::new(),
                order: VecDeque::new(),
                waiting: HashMap::new(),
            })
        };
        let caches: Arc<[To<Cache>]> = (0..self.caches).map(cache).collect();
        let keeper = driver.spawn(Keeper {
            clients: self.clients,
            caches: Arc::clone(&caches),
            stores,
            sum: self.sum,
        });
        for number in 0..self.clients {
            let client = driver.spawn(Client {
                random: Random::new(number),
                keys: self.keys,
                left: self.requests,
                caches: Arc::clone(&caches),
                keeper: keeper.clone(),
                total: 0,
            });
            driver.tell(&client, ToClient::Begin);
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let script = Tiers {
        clients: number(program, parameters, "clients")?,
        caches: number(program, parameters, "caches")?,
        stores: number(program, parameters, "stores")?,
        keys: number(program, parameters, "keys")?,
        capacity: number(program, parameters, "capacity")?,
        requests: number(program, parameters, "requests")?,
        sum: sum.clone(),
    };
    let actors = script.clients + script.caches + script.stores + 1;
    let expected = script.expected();
    sum.play(program, settings, script, (actors as usize, expected))
}
