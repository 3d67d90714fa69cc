//! Times the micro-benchmarks written directly against datil: `bench [workers] [repeats] [policy] [name ...]`.
//!
//! Prints the minimum and the median over the repeats, per message or actor. Every result is checked; a wrong one ends the program.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use datil::{Actor, Address, Context, Runtime};

/// Counts down to the moment when all actors of an iteration have stopped.
#[derive(Clone)]
struct Latch(Arc<(AtomicI64, Mutex<bool>, Condvar)>);

impl Latch {
    fn new(count: i64) -> Self {
        Self(Arc::new((
            AtomicI64::new(count),
            Mutex::new(false),
            Condvar::new(),
        )))
    }

    fn done(&self) {
        if self.0.0.fetch_sub(1, std::sync::atomic::Ordering::AcqRel) == 1 {
            *self.0.1.lock().unwrap() = true;
            self.0.2.notify_all();
        }
    }

    fn wait(&self) {
        let mut open = self.0.1.lock().unwrap();
        while !*open {
            open = self.0.2.wait(open).unwrap();
        }
    }
}

type Total = Arc<AtomicI64>;

mod pingpong {
    use super::*;

    pub enum PingMsg {
        Start,
        Next,
        Back(
            #[expect(dead_code, reason = "part of the message")] Address<Pong>,
            i64,
        ),
    }
    pub enum PongMsg {
        Ball(Address<Ping>, i64),
        Stop,
    }
    pub struct Ping {
        left: i64,
        sum: i64,
        pong: Address<Pong>,
        result: Total,
        latch: Latch,
    }
    pub struct Pong {
        count: i64,
        latch: Latch,
    }

    impl Actor for Ping {
        type Msg = PingMsg;
        const EAGER: bool = false;
        fn handle(&mut self, msg: PingMsg, cx: &mut Context<'_, Self>) {
            match msg {
                PingMsg::Start | PingMsg::Next => {
                    cx.tell(self.pong, PongMsg::Ball(cx.address(), self.left));
                    self.left -= 1;
                }
                PingMsg::Back(_, n) => {
                    assert_eq!(n, self.left + 1);
                    self.sum += n;
                    if self.left > 0 {
                        cx.tell(cx.address(), PingMsg::Next);
                    } else {
                        cx.tell(self.pong, PongMsg::Stop);
                        self.result.fetch_add(self.sum, Relaxed);
                        cx.stop();
                        self.latch.done();
                    }
                }
            }
        }
    }

    impl Actor for Pong {
        type Msg = PongMsg;
        const EAGER: bool = false;
        fn handle(&mut self, msg: PongMsg, cx: &mut Context<'_, Self>) {
            match msg {
                PongMsg::Ball(from, n) => {
                    self.count += 1;
                    cx.tell(from, PingMsg::Back(cx.address(), n));
                }
                PongMsg::Stop => {
                    cx.stop();
                    self.latch.done();
                }
            }
        }
    }

    pub fn run(runtime: &Runtime, pairs: i64) -> f64 {
        let n = 500_000 / pairs;
        let (result, latch) = (Total::default(), Latch::new(2 * pairs));
        let start = Instant::now();
        for _ in 0..pairs {
            let pong = runtime.spawn(Pong {
                count: 0,
                latch: latch.clone(),
            });
            let ping = runtime.spawn(Ping {
                left: n,
                sum: 0,
                pong,
                result: result.clone(),
                latch: latch.clone(),
            });
            ping.tell(PingMsg::Start);
        }
        latch.wait();
        let took = start.elapsed();
        assert_eq!(result.load(Relaxed), pairs * n * (n + 1) / 2);
        took.as_nanos() as f64 / (pairs * (3 * n + 1)) as f64
    }
}

mod threadring {
    use super::*;

    pub enum Msg {
        Data(Address<Ring>),
        Token(i64),
        Exit(i64, i64),
    }
    pub struct Ring {
        id: i64,
        next: Option<Address<Ring>>,
        seen: i64,
        result: Total,
        latch: Latch,
    }

    impl Actor for Ring {
        type Msg = Msg;
        const EAGER: bool = false;
        fn handle(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
            match msg {
                Msg::Data(next) => self.next = Some(next),
                Msg::Token(k) => {
                    self.seen += 1;
                    let next = self.next.expect("data comes first");
                    let exit = k == 0;
                    cx.tell(
                        next,
                        if exit {
                            Msg::Exit(N - 1, 0)
                        } else {
                            Msg::Token(k - 1)
                        },
                    );
                }
                Msg::Exit(k, acc) => {
                    let a = acc + (self.id + 1) * self.seen;
                    if k > 0 {
                        cx.tell(self.next.expect("data comes first"), Msg::Exit(k - 1, a));
                    } else {
                        self.result.store(a, Relaxed);
                    }
                    cx.stop();
                    self.latch.done();
                }
            }
        }
    }

    const N: i64 = 100;
    const R: i64 = 1_000_050;

    pub fn run(runtime: &Runtime) -> f64 {
        let (result, latch) = (Total::default(), Latch::new(N));
        let start = Instant::now();
        let ring: Vec<_> = (0..N)
            .map(|id| {
                runtime.spawn(Ring {
                    id,
                    next: None,
                    seen: 0,
                    result: result.clone(),
                    latch: latch.clone(),
                })
            })
            .collect();
        for i in 0..ring.len() {
            ring[i].tell(Msg::Data(ring[(i + 1) % ring.len()]));
        }
        ring[0].tell(Msg::Token(R));
        latch.wait();
        let took = start.elapsed();
        assert_eq!(result.load(Relaxed), 50_501_326);
        took.as_nanos() as f64 / (R + 2 * N + 1) as f64
    }
}

mod count {
    use super::*;

    pub enum CounterMsg {
        Increment,
        Retrieve(Address<Producer>),
    }
    pub enum ProducerMsg {
        Start,
        Result(i64),
    }
    pub struct Producer {
        counter: Address<Counter>,
        result: Total,
        latch: Latch,
    }
    pub struct Counter {
        count: i64,
        latch: Latch,
    }

    const N: i64 = 2_000_000;

    impl Actor for Producer {
        type Msg = ProducerMsg;
        const EAGER: bool = false;
        fn handle(&mut self, msg: ProducerMsg, cx: &mut Context<'_, Self>) {
            match msg {
                ProducerMsg::Start => {
                    for _ in 0..N {
                        cx.tell(self.counter, CounterMsg::Increment);
                    }
                    cx.tell(self.counter, CounterMsg::Retrieve(cx.address()));
                }
                ProducerMsg::Result(value) => {
                    self.result.store(value, Relaxed);
                    cx.stop();
                    self.latch.done();
                }
            }
        }
    }

    impl Actor for Counter {
        type Msg = CounterMsg;
        const EAGER: bool = false;
        fn handle(&mut self, msg: CounterMsg, cx: &mut Context<'_, Self>) {
            match msg {
                CounterMsg::Increment => self.count += 1,
                CounterMsg::Retrieve(from) => {
                    cx.tell(from, ProducerMsg::Result(self.count));
                    cx.stop();
                    self.latch.done();
                }
            }
        }
    }

    pub fn run(runtime: &Runtime) -> f64 {
        let (result, latch) = (Total::default(), Latch::new(2));
        let start = Instant::now();
        let counter = runtime.spawn(Counter {
            count: 0,
            latch: latch.clone(),
        });
        runtime
            .spawn(Producer {
                counter,
                result: result.clone(),
                latch: latch.clone(),
            })
            .tell(ProducerMsg::Start);
        latch.wait();
        let took = start.elapsed();
        assert_eq!(result.load(Relaxed), N);
        took.as_nanos() as f64 / (N + 3) as f64
    }
}

mod fjthrput {
    use super::*;

    pub struct Worker {
        id: i64,
        count: i64,
        sum: f64,
        result: Total,
        latch: Latch,
    }

    const N: i64 = 20_000;
    const A: i64 = 60;

    impl Actor for Worker {
        type Msg = f64;
        const EAGER: bool = false;
        fn handle(&mut self, theta: f64, cx: &mut Context<'_, Self>) {
            let s = theta.sin();
            let r = s * s;
            assert!(r > 0.0);
            self.sum += r;
            self.count += 1;
            if self.count == N {
                self.result.fetch_add((self.id + 1) * self.count, Relaxed);
                cx.stop();
                self.latch.done();
            }
        }
    }

    pub fn run(runtime: &Runtime) -> f64 {
        let (result, latch) = (Total::default(), Latch::new(A));
        let start = Instant::now();
        runtime.client(|client| {
            let workers: Vec<_> = (0..A)
                .map(|id| {
                    client.spawn(Worker {
                        id,
                        count: 0,
                        sum: 0.0,
                        result: result.clone(),
                        latch: latch.clone(),
                    })
                })
                .collect();
            for _ in 0..N {
                for &worker in &workers {
                    client.tell(worker, std::hint::black_box(37.2));
                }
            }
        });
        latch.wait();
        let took = start.elapsed();
        assert_eq!(result.load(Relaxed), N * A * (A + 1) / 2);
        took.as_nanos() as f64 / (A * N) as f64
    }

    /// Each send and each creation by itself, without a client.
    pub fn run_plain(runtime: &Runtime) -> f64 {
        let (result, latch) = (Total::default(), Latch::new(A));
        let start = Instant::now();
        let workers: Vec<_> = (0..A)
            .map(|id| {
                runtime.spawn(Worker {
                    id,
                    count: 0,
                    sum: 0.0,
                    result: result.clone(),
                    latch: latch.clone(),
                })
            })
            .collect();
        for _ in 0..N {
            for &worker in &workers {
                worker.tell(std::hint::black_box(37.2));
            }
        }
        latch.wait();
        let took = start.elapsed();
        assert_eq!(result.load(Relaxed), N * A * (A + 1) / 2);
        took.as_nanos() as f64 / (A * N) as f64
    }
}

mod fjcreate {
    use super::*;

    pub struct Shared {
        total: AtomicI64,
        latch: Latch,
    }
    pub struct Worker {
        id: i64,
        shared: Arc<Shared>,
    }

    const N: i64 = 200_000;

    impl Actor for Worker {
        type Msg = f64;
        const EAGER: bool = false;
        fn handle(&mut self, theta: f64, cx: &mut Context<'_, Self>) {
            let s = theta.sin();
            assert!(s * s > 0.0);
            self.shared.total.fetch_add(self.id, Relaxed);
            cx.stop();
            self.shared.latch.done();
        }
    }

    /// Without the shared accounting, which costs as much as the actor: `&'static` instead of a counted reference.
    pub struct Bare {
        id: i64,
        shared: &'static Shared,
    }

    impl Actor for Bare {
        type Msg = f64;
        const EAGER: bool = false;
        fn handle(&mut self, theta: f64, cx: &mut Context<'_, Self>) {
            let s = theta.sin();
            assert!(s * s > 0.0);
            self.shared.total.fetch_add(self.id, Relaxed);
            cx.stop();
            self.shared.latch.done();
        }
    }

    pub fn run(runtime: &Runtime) -> f64 {
        let shared = Arc::new(Shared {
            total: AtomicI64::new(0),
            latch: Latch::new(N),
        });
        let start = Instant::now();
        runtime.client(|client| {
            for id in 1..=N {
                let worker = client.spawn(Worker {
                    id,
                    shared: shared.clone(),
                });
                client.tell(worker, std::hint::black_box(37.2));
            }
        });
        shared.latch.wait();
        let took = start.elapsed();
        assert_eq!(shared.total.load(Relaxed), N * (N + 1) / 2);
        took.as_nanos() as f64 / N as f64
    }

    /// Each creation and each send by itself, without a client.
    pub fn run_plain(runtime: &Runtime) -> f64 {
        let shared = Arc::new(Shared {
            total: AtomicI64::new(0),
            latch: Latch::new(N),
        });
        let start = Instant::now();
        for id in 1..=N {
            let worker = runtime.spawn(Worker {
                id,
                shared: shared.clone(),
            });
            worker.tell(std::hint::black_box(37.2));
        }
        shared.latch.wait();
        let took = start.elapsed();
        assert_eq!(shared.total.load(Relaxed), N * (N + 1) / 2);
        took.as_nanos() as f64 / N as f64
    }

    pub fn run_bare(runtime: &Runtime) -> f64 {
        let shared: &'static Shared = Box::leak(Box::new(Shared {
            total: AtomicI64::new(0),
            latch: Latch::new(N),
        }));
        let start = Instant::now();
        runtime.client(|client| {
            for id in 1..=N {
                let worker = client.spawn(Bare { id, shared });
                client.tell(worker, std::hint::black_box(37.2));
            }
        });
        shared.latch.wait();
        let took = start.elapsed();
        assert_eq!(shared.total.load(Relaxed), N * (N + 1) / 2);
        took.as_nanos() as f64 / N as f64
    }

    /// As the prototype measured it: an actor creates all others, on its own worker.
    pub struct Creator(Option<Arc<Shared>>);
    pub struct Short(Arc<Shared>);

    impl Actor for Creator {
        type Msg = ();
        fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
            let shared = self.0.take().expect("told once");
            for _ in 0..N {
                let short = cx.spawn(Short(shared.clone()));
                cx.tell(short, 1);
            }
            cx.stop();
        }
    }

    impl Actor for Short {
        type Msg = i64;
        const EAGER: bool = false;
        fn handle(&mut self, _: i64, cx: &mut Context<'_, Self>) {
            cx.stop();
            self.0.latch.done();
        }
    }

    pub fn run_inside(runtime: &Runtime) -> f64 {
        let shared = Arc::new(Shared {
            total: AtomicI64::new(0),
            latch: Latch::new(N),
        });
        let start = Instant::now();
        runtime.spawn(Creator(Some(shared.clone()))).tell(());
        shared.latch.wait();
        start.elapsed().as_nanos() as f64 / N as f64
    }
}

mod fib {
    use super::*;

    pub enum Msg {
        Request(i64),
        Response(i64, i64),
    }
    pub struct Fib {
        parent: Option<Address<Fib>>,
        got: i64,
        value: i64,
        actors: i64,
    }

    static RESULT: AtomicI64 = AtomicI64::new(0);
    static LATCH: Mutex<Option<Latch>> = Mutex::new(None);

    impl Fib {
        fn new(parent: Option<Address<Fib>>) -> Self {
            Self {
                parent,
                got: 0,
                value: 0,
                actors: 1,
            }
        }

        fn finish(&mut self, cx: &mut Context<'_, Self>) {
            match self.parent {
                Some(parent) => cx.tell(parent, Msg::Response(self.value, self.actors)),
                None => {
                    RESULT.store(self.value, Relaxed);
                    LATCH
                        .lock()
                        .unwrap()
                        .as_ref()
                        .expect("set before the start")
                        .done();
                }
            }
            cx.stop();
        }
    }

    impl Actor for Fib {
        type Msg = Msg;
        const EAGER: bool = false;
        fn handle(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
            match msg {
                Msg::Request(n) if n <= 2 => {
                    self.value = 1;
                    self.finish(cx);
                }
                Msg::Request(n) => {
                    for i in 1..=2 {
                        let child = cx.spawn(Fib::new(Some(cx.address())));
                        cx.tell(child, Msg::Request(n - i));
                    }
                }
                Msg::Response(value, actors) => {
                    self.value += value;
                    self.actors += actors;
                    self.got += 1;
                    if self.got == 2 {
                        self.finish(cx);
                    }
                }
            }
        }
    }

    pub fn run(runtime: &Runtime) -> f64 {
        let latch = Latch::new(1);
        *LATCH.lock().unwrap() = Some(latch.clone());
        let start = Instant::now();
        runtime.spawn(Fib::new(None)).tell(Msg::Request(26));
        latch.wait();
        let took = start.elapsed();
        assert_eq!(RESULT.load(Relaxed), 121_393);
        took.as_nanos() as f64 / 242_785.0
    }
}

mod chameneos {
    use super::*;

    pub enum MallMsg {
        Meet(i64, Address<Creature>),
        Count { id: i64, met: i64, colour: i64 },
    }
    pub enum Msg {
        Meet(i64, Address<Creature>),
        Change(i64),
        Exit,
    }
    pub struct Mall {
        left: i64,
        creatures: i64,
        waiting: Option<Address<Creature>>,
        gone: i64,
        sum: i64,
        result: Total,
        latch: Latch,
    }
    pub struct Creature {
        id: i64,
        colour: i64,
        met: i64,
        mall: Address<Mall>,
    }

    fn complement(a: i64, b: i64) -> i64 {
        if a == b { a } else { 3 - a - b }
    }

    impl Actor for Mall {
        type Msg = MallMsg;
        fn started(&mut self, cx: &mut Context<'_, Self>) {
            for id in 0..self.creatures {
                cx.spawn(Creature {
                    id,
                    colour: id % 3,
                    met: 0,
                    mall: cx.address(),
                });
            }
        }
        fn handle(&mut self, msg: MallMsg, cx: &mut Context<'_, Self>) {
            match msg {
                MallMsg::Meet(colour, who) if self.left > 0 => match self.waiting.take() {
                    None => self.waiting = Some(who),
                    Some(waiting) => {
                        self.left -= 1;
                        cx.tell(waiting, Msg::Meet(colour, who));
                    }
                },
                MallMsg::Meet(_, who) => cx.tell(who, Msg::Exit),
                MallMsg::Count { id, met, colour } => {
                    std::hint::black_box((id, colour));
                    self.gone += 1;
                    self.sum += met;
                    if self.gone == self.creatures {
                        self.result.store(self.sum, Relaxed);
                        cx.stop();
                        self.latch.done();
                    }
                }
            }
        }
    }

    impl Actor for Creature {
        type Msg = Msg;
        fn started(&mut self, cx: &mut Context<'_, Self>) {
            cx.tell(self.mall, MallMsg::Meet(self.colour, cx.address()));
        }
        fn handle(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
            match msg {
                Msg::Meet(colour, who) => {
                    self.colour = complement(self.colour, colour);
                    self.met += 1;
                    cx.tell(who, Msg::Change(self.colour));
                    cx.tell(self.mall, MallMsg::Meet(self.colour, cx.address()));
                }
                Msg::Change(colour) => {
                    self.colour = colour;
                    self.met += 1;
                    cx.tell(self.mall, MallMsg::Meet(self.colour, cx.address()));
                }
                Msg::Exit => {
                    cx.tell(
                        self.mall,
                        MallMsg::Count {
                            id: self.id,
                            met: self.met,
                            colour: self.colour,
                        },
                    );
                    cx.stop();
                }
            }
        }
    }

    pub fn run(runtime: &Runtime) -> f64 {
        let (creatures, meetings) = (100, 200_000);
        let (result, latch) = (Total::default(), Latch::new(1));
        let start = Instant::now();
        runtime.spawn(Mall {
            left: meetings,
            creatures,
            waiting: None,
            gone: 0,
            sum: 0,
            result: result.clone(),
            latch: latch.clone(),
        });
        latch.wait();
        let took = start.elapsed();
        assert_eq!(result.load(Relaxed), 2 * meetings);
        took.as_nanos() as f64 / (4 * meetings + 3 * creatures) as f64
    }
}

mod big {
    use super::*;

    pub enum Msg {
        Peers(Arc<[Address<Worker>]>),
        Ping(i64),
        Pong(i64),
        Exit,
    }
    pub struct Done;
    pub struct Sink {
        done: usize,
        peers: Arc<[Address<Worker>]>,
        latch: Latch,
    }
    pub struct Worker {
        id: i64,
        sent: i64,
        expect: i64,
        received: i64,
        rng: i64,
        peers: Arc<[Address<Worker>]>,
        sink: Address<Sink>,
        result: Total,
        latch: Latch,
    }

    const W: i64 = 120;
    const N: i64 = 8000;

    impl Actor for Sink {
        type Msg = Result<Done, Arc<[Address<Worker>]>>;
        const EAGER: bool = false;
        fn handle(&mut self, msg: Self::Msg, cx: &mut Context<'_, Self>) {
            match msg {
                Err(peers) => self.peers = peers,
                Ok(Done) => {
                    self.done += 1;
                    if self.done == self.peers.len() {
                        self.peers.iter().for_each(|&peer| cx.tell(peer, Msg::Exit));
                        cx.stop();
                        self.latch.done();
                    }
                }
            }
        }
    }

    impl Actor for Worker {
        type Msg = Msg;
        const EAGER: bool = false;
        fn handle(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
            match msg {
                Msg::Peers(peers) => self.peers = peers,
                Msg::Ping(j) => {
                    self.received += 1;
                    cx.tell(self.peers[j as usize], Msg::Pong(self.id));
                }
                Msg::Pong(j) => {
                    assert_eq!(j, self.expect);
                    if self.sent == N {
                        return cx.tell(self.sink, Ok(Done));
                    }
                    self.rng = (self.rng * 1309 + 13849) & 65535;
                    let target = self.rng % W;
                    self.expect = target;
                    self.sent += 1;
                    cx.tell(self.peers[target as usize], Msg::Ping(self.id));
                }
                Msg::Exit => {
                    self.result.fetch_add((self.id + 1) * self.received, Relaxed);
                    cx.stop();
                    self.latch.done();
                }
            }
        }
    }

    pub fn run(runtime: &Runtime) -> f64 {
        let (result, latch) = (Total::default(), Latch::new(W + 1));
        let start = Instant::now();
        let nobody: Arc<[Address<Worker>]> = Arc::new([]);
        runtime.client(|client| {
            let sink = client.spawn(Sink {
                done: 0,
                peers: nobody.clone(),
                latch: latch.clone(),
            });
            let peers: Arc<[_]> = (0..W)
                .map(|id| {
                    client.spawn(Worker {
                        id,
                        sent: 0,
                        expect: -1,
                        received: 0,
                        rng: id,
                        peers: nobody.clone(),
                        sink,
                        result: result.clone(),
                        latch: latch.clone(),
                    })
                })
                .collect();
            client.tell(sink, Err(peers.clone()));
            peers
                .iter()
                .for_each(|&peer| client.tell(peer, Msg::Peers(peers.clone())));
            peers.iter().for_each(|&peer| client.tell(peer, Msg::Pong(-1)));
        });
        latch.wait();
        let took = start.elapsed();
        assert_eq!(result.load(Relaxed), 58_058_584);
        took.as_nanos() as f64 / (2 * W * N + 4 * W + 1) as f64
    }
}

mod dormant {
    use super::*;

    pub struct Dormant(#[expect(dead_code, reason = "eight bytes of state")] u64);
    pub struct Spawner {
        count: usize,
        latch: Latch,
        actors: Vec<Address<Dormant>>,
    }

    impl Actor for Dormant {
        type Msg = u64;
        const EAGER: bool = false;
        fn handle(&mut self, _: u64, cx: &mut Context<'_, Self>) {
            cx.stop();
        }
    }

    impl Actor for Spawner {
        type Msg = bool;
        fn handle(&mut self, spawn: bool, cx: &mut Context<'_, Self>) {
            if spawn {
                self.actors
                    .extend((0..self.count).map(|i| cx.spawn(Dormant(i as u64))));
            } else {
                self.actors.drain(..).for_each(|actor| cx.tell(actor, 0));
                cx.stop();
            }
            self.latch.done();
        }
    }

    fn resident_bytes() -> f64 {
        let pages = std::fs::read_to_string("/proc/self/statm")
            .ok()
            .and_then(|text| text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()));
        pages.unwrap_or(f64::NAN) * 4096.0
    }

    pub fn run(runtime: &Runtime) -> f64 {
        static PRINTED: AtomicU32 = AtomicU32::new(0);
        let count = 1_000_000;
        let latch = Latch::new(2);
        let before = resident_bytes();
        let spawner = runtime.spawn(Spawner {
            count,
            latch: latch.clone(),
            actors: Vec::with_capacity(count),
        });
        let start = Instant::now();
        spawner.tell(true);
        while latch.0.0.load(Relaxed) == 2 {
            std::thread::yield_now();
        }
        let took = start.elapsed();
        if PRINTED.fetch_add(1, Relaxed) == 0 {
            let bytes = (resident_bytes() - before) / count as f64 - 8.0;
            println!("dormant: {bytes:.1} bytes resident per actor, 8 bytes for its address not counted");
        }
        spawner.tell(false);
        latch.wait();
        runtime.wait_quiescent();
        took.as_nanos() as f64 / count as f64
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let workers = args.next().map_or(1, |n| n.parse().expect("workers: a number"));
    let repeats: usize = args.next().map_or(5, |n| n.parse().expect("repeats: a number"));
    let policy = args.next().unwrap_or_else(|| "adaptive".to_owned());
    let chosen: Vec<String> = args.collect();
    let runtime = Runtime::builder()
        .workers(workers)
        .policy(&policy)
        .build()
        .unwrap_or_else(|error| {
            eprintln!("bench: {error}");
            std::process::exit(2)
        });
    type Program = (&'static str, fn(&Runtime) -> f64);
    let programs: [Program; 14] = [
        ("pingpong", |r| pingpong::run(r, 1)),
        ("pairs16", |r| pingpong::run(r, 16)),
        ("threadring", threadring::run),
        ("count", count::run),
        ("fjthrput", fjthrput::run),
        ("fjthrput-plain", fjthrput::run_plain),
        ("fjcreate", fjcreate::run),
        ("fjcreate-plain", fjcreate::run_plain),
        ("fjcreate-bare", fjcreate::run_bare),
        ("fjcreate-inside", fjcreate::run_inside),
        ("fib", fib::run),
        ("chameneos", chameneos::run),
        ("big", big::run),
        ("dormant", dormant::run),
    ];
    for (name, run) in programs {
        if !chosen.is_empty() && !chosen.iter().any(|c| c == name) {
            continue;
        }
        let before = runtime.metrics().total();
        let mut times: Vec<f64> = (0..repeats.max(1)).map(|_| run(&runtime)).collect();
        let after = runtime.metrics().total();
        times.sort_by(f64::total_cmp);
        println!(
            "{name:16} {:7.2} {:7.2} ns  (first to last: remote {} shares {} retreats {} adoptions {} follows {} steals {} rescues {} parks {} wakes {})",
            times[0],
            times[times.len() / 2],
            after.remote_sends - before.remote_sends,
            after.shares - before.shares,
            after.retreats - before.retreats,
            after.adoptions - before.adoptions,
            after.follows - before.follows,
            after.steals - before.steals,
            after.rescues - before.rescues,
            after.parks - before.parks,
            after.wakes - before.wakes,
        );
    }
    let left = runtime.shutdown();
    assert!(left.is_empty(), "{left}");
}
