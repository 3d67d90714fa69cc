//! Sixty-four actors write to each other at random, die and are replaced, while threads outside write too and the
//! policy moves actors at every opportunity. Each pair of sender and receiver numbers its messages; a receiver
//! accepts exactly the next number. At the end every message was handled or counted as a dead letter.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use datil::policy::Random;
use datil::policy::topology::{Synthetic, Topology};
use datil::{Actor, Address, Builder, Context, Runtime, WorkerMetrics};

const SEATS: usize = if cfg!(miri) { 6 } else { 64 };

/// A sender: its seat and how many sat there before it. Threads outside have seats of their own.
type Name = (usize, u64);

#[derive(Default)]
struct World {
    /// Who sits where now.
    seats: Vec<Mutex<(Name, Address<Node>)>>,
    dawdles: bool,
    sent: AtomicU64,
    handled: AtomicU64,
    faults: Mutex<Vec<String>>,
}

struct Letter {
    from: Name,
    number: u64,
    /// Messages that will still follow from this one.
    left: u32,
    /// Makes some letters too big for the inline slot.
    _weight: [u64; 2],
}

struct Outbox {
    name: Name,
    numbers: HashMap<Name, u64>,
    random: Random,
}

impl Outbox {
    fn new(name: Name) -> Self {
        Self {
            name,
            numbers: HashMap::new(),
            random: Random::new((name.0 as u64) << 32 ^ name.1),
        }
    }

    /// The next letter to somebody; the address may die before it arrives.
    fn letter(&mut self, world: &World, left: u32) -> (Address<Node>, Letter) {
        let seat = self.random.below(world.seats.len() as u32) as usize;
        let (name, address) = *world.seats[seat].lock().unwrap();
        (address, self.letter_to(world, name, left))
    }

    fn letter_to(&mut self, world: &World, name: Name, left: u32) -> Letter {
        let number = self.numbers.entry(name).or_insert(0);
        *number += 1;
        world.sent.fetch_add(1, Relaxed);
        Letter {
            from: self.name,
            number: *number,
            left,
            _weight: [0; 2],
        }
    }
}

struct Node {
    world: Arc<World>,
    outbox: Outbox,
    seen: HashMap<Name, u64>,
}

impl Node {
    fn new(world: &Arc<World>, name: Name) -> Self {
        Self {
            world: world.clone(),
            outbox: Outbox::new(name),
            seen: HashMap::new(),
        }
    }
}

impl Node {
    /// Now and then, if the test wants that, takes so long that others must take over what waits here.
    fn dawdle(&mut self) {
        if self.world.dawdles && self.outbox.random.below(500) == 0 {
            std::thread::sleep(Duration::from_millis(3));
        }
    }
}

impl Actor for Node {
    type Msg = Letter;
    const EAGER: bool = false;

    fn handle(&mut self, letter: Letter, cx: &mut Context<'_, Self>) {
        self.world.handled.fetch_add(1, Relaxed);
        self.dawdle();
        let seen = self.seen.entry(letter.from).or_insert(0);
        *seen += 1;
        if *seen != letter.number {
            let (me, expected) = (self.outbox.name, *seen);
            *seen = letter.number;
            let fault = format!(
                "{me:?} expected {expected} from {:?} and got {}",
                letter.from, letter.number
            );
            self.world.faults.lock().unwrap().push(fault);
        }
        if letter.left > 0 {
            // Sometimes one letter becomes two that share the rest, sometimes it stays one.
            let split = self.outbox.random.below(4) == 0;
            let rest = letter.left - 1;
            let parts: &[u32] = if split {
                &[rest / 2, rest - rest / 2]
            } else {
                &[rest]
            };
            for &left in parts {
                let (to, letter) = self.outbox.letter(&self.world, left);
                self.dawdle();
                if self.outbox.random.below(2) == 0 {
                    cx.tell(to, letter)
                } else {
                    to.tell(letter)
                }
            }
        }
        if self.outbox.random.below(100) == 0 {
            let name = (self.outbox.name.0, self.outbox.name.1 + 1);
            let heir = cx.spawn(Node::new(&self.world, name));
            *self.world.seats[name.0].lock().unwrap() = (name, heir);
            cx.stop();
        }
    }
}

/// Runs the world until enough of what the test is about has happened: on a busy machine one worker may do all the work of a run.
fn run_until(
    enough: impl Fn(&WorkerMetrics) -> bool,
    builder: impl Fn() -> Builder,
    rounds: u64,
    dawdles: bool,
) {
    const TRIES: usize = 50;
    let mut last = WorkerMetrics::default();
    for _ in 0..TRIES {
        last = run_once(builder(), rounds, dawdles);
        if enough(&last) || cfg!(miri) {
            return;
        }
    }
    panic!("{TRIES} runs, and the test is too tame: {last:?}");
}

/// Whether an actor has moved.
fn moved(total: &WorkerMetrics) -> bool {
    total.shared_actors + total.adoptions + total.follows + total.routed_actors + total.steals > 0
}

fn run(workers: usize, policy: &str, rounds: u64) {
    let builder = || Runtime::builder().workers(workers).policy(policy).seed(rounds);
    run_until(|total| workers == 1 || moved(total), builder, rounds, false);
}

fn run_once(builder: Builder, rounds: u64, dawdles: bool) -> WorkerMetrics {
    let runtime = builder.build().unwrap();
    let outside_before = runtime.metrics().outside_dead_letters;
    // Everybody needs the world and the world needs an address per seat: until they are taken, that of an actor of an empty one.
    let placeholder = runtime.spawn(Node::new(&Arc::default(), (usize::MAX, 0)));
    let world = Arc::new(World {
        seats: (0..SEATS)
            .map(|seat| Mutex::new(((seat, 0), placeholder)))
            .collect(),
        dawdles,
        ..World::default()
    });
    for seat in 0..SEATS {
        let name = (seat, 0);
        let node = runtime.spawn(Node::new(&world, name));
        *world.seats[seat].lock().unwrap() = (name, node);
    }
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (world, runtime) = (&world, &runtime);
            scope.spawn(move || {
                let mut outbox = Outbox::new((1000 + thread, 0));
                for round in 0..rounds {
                    // Plain sends, batches and both mixed: the order per pair holds throughout.
                    runtime.client(|client| {
                        for i in 0..40 {
                            let (to, letter) = outbox.letter(world, 20);
                            client.tell(to, letter);
                            if i == 20 && round % 3 == 0 {
                                let (to, letter) = outbox.letter(world, 20);
                                to.tell(letter);
                            }
                            if i % 10 == 5 {
                                // A new actor takes a seat; others write to it before it has been handed over.
                                let seat = (round as usize * 7 + i + thread) % SEATS;
                                let name = (seat, (thread as u64 + 1) << 40 | round << 8 | i as u64);
                                let fresh = client.spawn(Node::new(world, name));
                                *world.seats[seat].lock().unwrap() = (name, fresh);
                                client.tell(fresh, outbox.letter_to(world, name, 20));
                                if i == 15 {
                                    client.flush();
                                }
                                client.tell(fresh, outbox.letter_to(world, name, 20));
                                fresh.tell(outbox.letter_to(world, name, 20));
                            }
                            if i == 30 && round % 2 == 0 {
                                client.flush();
                            }
                        }
                    });
                    for _ in 0..10 {
                        let (to, letter) = outbox.letter(world, 20);
                        to.tell(letter);
                    }
                }
            });
        }
    });
    runtime.wait_quiescent();
    let metrics = runtime.metrics();
    let total = metrics.total();
    let dead = total.dead_letters + metrics.outside_dead_letters - outside_before;
    let (sent, handled) = (world.sent.load(Relaxed), world.handled.load(Relaxed));
    let faults = world.faults.lock().unwrap();
    assert!(
        faults.is_empty(),
        "{} messages out of order, first: {}",
        faults.len(),
        faults[0]
    );
    assert_eq!(handled, total.messages);
    assert_eq!(sent, handled + dead, "messages lost or invented; {total:?}");
    assert!(dead > 0, "nobody wrote to a dying actor: the test is too tame");
    drop(faults);
    let left = runtime.shutdown();
    assert_eq!(left.messages, 0, "{left}");
    assert_eq!(
        left.actors.values().sum::<usize>(),
        SEATS + 1 + rounds as usize * 2 * 4,
        "each actor that ended made an heir"
    );
    total
}

const ROUNDS: u64 = if cfg!(miri) { 1 } else { 60 };

// The tests share the process-wide count of letters that outside threads lost, so they take turns.
static TURN: Mutex<()> = Mutex::new(());

#[test]
fn hostile_policy() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for workers in 1..=4 {
        run(workers, "hostile", ROUNDS);
    }
}

#[test]
fn every_policy() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for policy in datil::policy::NAMES {
        run(3, policy, ROUNDS / 4 + 1);
    }
}

/// A machine with so many nodes in a ring, with two units each.
fn ring(nodes: u32) -> Topology {
    let hops = |a: u32, b: u32| a.abs_diff(b).min(nodes - a.abs_diff(b));
    let machine = Synthetic {
        packages: nodes,
        cores: 2,
        distances: (0..nodes)
            .map(|a| (0..nodes).map(|b| hops(a, b)).collect())
            .collect(),
        ..Synthetic::default()
    };
    machine.build().unwrap()
}

/// Policies that route, on machines that are made up: two nodes for four workers, four for eight.
#[test]
fn every_policy_that_routes() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for policy in datil::policy::routing_names() {
        for workers in [1, 2, 4, 8] {
            let nodes = (workers as u32).div_ceil(2);
            let builder = || {
                Runtime::builder()
                    .workers(workers)
                    .policy(policy)
                    .topology(ring(nodes))
            };
            let goes_home = policy == "lgs" && workers > 2;
            let enough = |total: &WorkerMetrics| {
                workers == 1 || moved(total) && (!goes_home || total.routed_actors > 0)
            };
            run_until(enough, builder, ROUNDS / 8 + 1, false);
        }
    }
}

/// Handlers that take long: what waits for their workers is taken over, and what they send meanwhile keeps its order.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
fn long_handlers() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for policy in ["hostile", "adaptive", "cls-offer", "encore-preemptive"] {
        let builder = || Runtime::builder().workers(4).policy(policy).seed(ROUNDS);
        let rescued = |total: &WorkerMetrics| total.rescues > 0 && total.rescued_actors > 0;
        run_until(rescued, builder, ROUNDS / 8 + 1, true);
    }
}

/// The same under policies that route: senders insist, thieves take from those who are in handlers.
#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
fn long_handlers_under_policies_that_route() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let policies = [
        "cls",
        "lgs",
        "lgs-dfs",
        "lgs-wake-half",
        "pony",
        "go-like",
        "tokio-like",
        "adaptive-locality",
        "adaptive-waking",
    ];
    for policy in policies {
        let builder = || Runtime::builder().workers(4).policy(policy).topology(ring(2));
        run_until(|total| total.steals > 0, builder, ROUNDS / 8 + 1, true);
    }
}

/// X writes to Z, then to Y; Y writes to Z because of it. Z must hear of X first.
mod causal {
    use super::*;

    enum Msg {
        /// To X: do round so many.
        Round(u64),
        /// To Y: pass it on.
        PassOn(u64),
        /// To Z, from X.
        First(u64),
        /// To Z, from Y.
        Second(u64),
    }

    struct Party {
        z: Option<Address<Party>>,
        y: Option<Address<Party>>,
        heard: u64,
        seen: Arc<Seen>,
    }

    /// What all that are Z have seen.
    #[derive(Default)]
    struct Seen {
        rounds: AtomicU64,
        faults: AtomicU64,
    }

    impl Party {
        fn new(seen: &Arc<Seen>, z: Option<Address<Self>>, y: Option<Address<Self>>) -> Self {
            let (heard, seen) = (u64::MAX, seen.clone());
            Self { z, y, heard, seen }
        }
    }

    impl Seen {
        fn assert_in_order(&self, rounds: u64, workers: usize) {
            assert_eq!(self.rounds.load(Relaxed), rounds, "{workers} workers");
            assert_eq!(self.faults.load(Relaxed), 0, "{workers} workers");
        }
    }

    fn hostile(workers: usize) -> Runtime {
        let builder = Runtime::builder().workers(workers).policy("hostile");
        builder.build().unwrap()
    }

    impl Actor for Party {
        type Msg = Msg;
        fn handle(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
            match msg {
                Msg::Round(n) => {
                    cx.tell(self.z.unwrap(), Msg::First(n));
                    cx.tell(self.y.unwrap(), Msg::PassOn(n));
                    if n > 0 {
                        cx.tell(cx.address(), Msg::Round(n - 1));
                    }
                }
                Msg::PassOn(n) => cx.tell(self.z.unwrap(), Msg::Second(n)),
                Msg::First(n) => self.heard = n,
                Msg::Second(n) => {
                    self.seen.rounds.fetch_add(1, Relaxed);
                    // First(n) has been heard, and perhaps later ones, whose numbers are lower.
                    if self.heard > n {
                        self.seen.faults.fetch_add(1, Relaxed);
                    }
                }
            }
        }
    }

    #[test]
    fn order_across_three_actors() {
        let rounds = if cfg!(miri) { 20 } else { 3000 };
        for workers in 1..=4 {
            let (runtime, seen) = (hostile(workers), Arc::<Seen>::default());
            let party = |z, y| Party::new(&seen, z, y);
            let triples = 10;
            for _ in 0..triples {
                let z = runtime.spawn(party(None, None));
                let y = runtime.spawn(party(Some(z), None));
                let x = runtime.spawn(party(Some(z), Some(y)));
                x.tell(Msg::Round(rounds));
            }
            runtime.wait_quiescent();
            seen.assert_in_order(triples * (rounds + 1), workers);
        }
    }

    /// The same with a thread outside as X, in one client scope and across scopes and plain sends.
    #[test]
    fn order_from_outside() {
        let rounds = if cfg!(miri) { 20 } else { 3000 };
        for workers in 1..=4 {
            let (runtime, seen) = (hostile(workers), Arc::<Seen>::default());
            let party = |z, y| Party::new(&seen, z, y);
            let z = runtime.spawn(party(None, None));
            let y = runtime.spawn(party(Some(z), None));
            for n in (0..rounds).rev() {
                match n % 3 {
                    0 => {
                        z.tell(Msg::First(n));
                        y.tell(Msg::PassOn(n));
                    }
                    1 => runtime.client(|client| client.tell(z, Msg::First(n))),
                    _ => runtime.client(|client| {
                        client.tell(z, Msg::First(n));
                        client.tell(y, Msg::PassOn(n));
                    }),
                }
                if n % 3 == 1 {
                    y.tell(Msg::PassOn(n));
                }
            }
            runtime.wait_quiescent();
            seen.assert_in_order(rounds, workers);
        }
    }

    /// The same where many are written to in between, and Y before all of them as well. Seen to fail: where a local push leaves older messages
    /// in the remote list.
    #[test]
    fn order_from_outside_with_many_receivers() {
        let rounds = if cfg!(miri) { 20 } else { 5000 };
        for workers in 2..=4 {
            let (runtime, seen) = (hostile(workers), Arc::<Seen>::default());
            let party = |z, y| Party::new(&seen, z, y);
            let many: Vec<_> = (0..40).map(|_| runtime.spawn(party(None, None))).collect();
            let z = many[many.len() - 1];
            let y = runtime.spawn(party(Some(z), None));
            for n in (0..rounds).rev() {
                y.tell(Msg::First(n));
                many.iter().for_each(|other| other.tell(Msg::First(n)));
                y.tell(Msg::PassOn(n));
            }
            runtime.wait_quiescent();
            seen.assert_in_order(rounds, workers);
        }
    }

    /// The same with Y in another runtime than Z, by plain sends and by clients of either; several threads at once, each of
    /// which lives for a few rounds only.
    #[test]
    fn order_from_outside_across_runtimes() {
        let rounds = if cfg!(miri) { 6 } else { 600 };
        for workers in 1..=3 {
            let build = || {
                Runtime::builder()
                    .workers(workers)
                    .policy(if workers == 2 { "hostile" } else { "adaptive" })
                    .build()
                    .unwrap()
            };
            let (home, abroad) = (build(), build());
            let seen = Arc::<Seen>::default();
            let party = |z, y| Party::new(&seen, z, y);
            let (threads, lives) = (3, 4);
            for _ in 0..lives {
                std::thread::scope(|scope| {
                    for _ in 0..threads {
                        let z = home.spawn(party(None, None));
                        let (home, abroad, party) = (&home, &abroad, &party);
                        scope.spawn(move || {
                            let y = abroad.spawn(party(Some(z), None));
                            for n in (0..rounds).rev() {
                                match n % 4 {
                                    0 => {
                                        z.tell(Msg::First(n));
                                        y.tell(Msg::PassOn(n));
                                    }
                                    1 => home.client(|client| {
                                        client.tell(z, Msg::First(n));
                                        client.tell(y, Msg::PassOn(n));
                                    }),
                                    2 => abroad.client(|client| {
                                        client.tell(z, Msg::First(n));
                                        client.tell(y, Msg::PassOn(n));
                                    }),
                                    _ => {
                                        home.client(|client| client.tell(z, Msg::First(n)));
                                        y.tell(Msg::PassOn(n));
                                    }
                                }
                            }
                        });
                    }
                });
                abroad.wait_quiescent();
                home.wait_quiescent();
            }
            seen.assert_in_order(threads * lives * rounds, workers);
        }
    }
}
