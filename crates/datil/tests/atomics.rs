//! Read-modify-write operations and fences per message and per actor: the figures that make the runtime fast, seen without a quiet machine.
//!
//! Run with `cargo test -p datil --features count-atomics --test atomics`.

use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use datil::{
    Actor, Address, AtomicsCount, Context, Mailbox, Overflow, Restart, Runtime, Strategy, Supervisor,
    atomics_count,
};

/// The counts are of the whole process.
static TURN: Mutex<()> = Mutex::new(());

/// A message to another worker takes an exchange for the actor's list; the first of several one more to bring the token, and the receiver one or two
/// to take both over.
const PER_REMOTE_SEND: f64 = 4.0;

/// A worker that has nothing to do sleeps and looks up, every millisecond if it watches the others: how often in so many operations is up to how fast
/// the machine is. Each time takes a few exchanges, and work taken from a worker that is stuck, or has lost its processor, some more.
const PER_LOOK: f64 = 12.0;

/// Runs of a program of which one has to cost what it should.
const RUNS: usize = 10;

/// What a program costs per operation.
struct Cost {
    exchanges: f64,
    fences: f64,
    /// Messages that went to another worker.
    remote: f64,
    /// Times a worker went to sleep, or found another one stuck.
    looks: f64,
}

/// What `program` costs when it does so many operations. It is run once before, so that memory and queues are as big as they get.
fn cost(workers: usize, operations: u64, program: impl Fn(&Runtime)) -> Cost {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = Runtime::builder().workers(workers).build().unwrap();
    program(&runtime);
    runtime.wait_quiescent();
    let (atomics, before) = (atomics_count(), runtime.metrics().total());
    program(&runtime);
    runtime.wait_quiescent();
    let after = runtime.metrics().total();
    let AtomicsCount { exchanges, fences } = atomics_count();
    let per = |count: u64| count as f64 / operations as f64;
    Cost {
        exchanges: per(exchanges - atomics.exchanges),
        fences: per(fences - atomics.fences),
        remote: per(after.remote_sends - before.remote_sends),
        looks: per(after.parks + after.rescues - before.parks - before.rescues),
    }
}

/// Whether one of a few runs of `program` costs what it should. What is up to the machine can only make a run cost more: who loses the processor at the
/// wrong point lets others wait, by exchanges; and where the actors of a ring are split over two workers, the idle one asks for work all the time.
fn some_run_costs(
    workers: usize,
    operations: u64,
    program: impl Fn(&Runtime),
    is_right: impl Fn(&Cost) -> bool,
) -> bool {
    (0..RUNS).any(|_| {
        let did = cost(workers, operations, &program);
        println!(
            "{workers} workers: {:.4} exchanges, {:.4} fences, {:.4} remote, {:.4} looks per operation",
            did.exchanges, did.fences, did.remote, did.looks
        );
        is_right(&did)
    })
}

/// Fails if an operation takes more than `exchanges` and `fences` on average, apart from what messages between workers and waiting cost: how long two actors
/// are apart is up to the policy and the machine. What rest, wake-ups and the start cost must vanish in the number of operations.
fn assert_cost(workers: usize, operations: u64, exchanges: f64, fences: f64, program: impl Fn(&Runtime)) {
    let is_right = |did: &Cost| {
        did.exchanges <= exchanges + PER_REMOTE_SEND * did.remote + PER_LOOK * did.looks
            && did.fences <= fences + did.remote + PER_LOOK * did.looks
    };
    assert!(
        some_run_costs(workers, operations, program, is_right),
        "at most {exchanges} exchanges and {fences} fences allowed beside remote messages and looks"
    );
}

/// Passes a number on until it is 0.
struct Link {
    next: Option<Address<Link>>,
    done: Sender<()>,
}

enum Pass {
    Join(Address<Link>),
    Ball(u64),
}

impl Actor for Link {
    type Msg = Pass;
    const EAGER: bool = false;

    fn handle(&mut self, msg: Pass, cx: &mut Context<'_, Self>) {
        match msg {
            Pass::Join(next) => self.next = Some(next),
            Pass::Ball(0) => self.done.send(()).unwrap(),
            Pass::Ball(left) => cx.tell(self.next.expect("joined before"), Pass::Ball(left - 1)),
        }
    }
}

fn ring(length: usize, hops: u64) -> impl Fn(&Runtime) {
    move |runtime| {
        let (done, end) = mpsc::channel();
        let links: Vec<_> = (0..length)
            .map(|_| {
                let done = done.clone();
                runtime.spawn(Link { next: None, done })
            })
            .collect();
        for (i, link) in links.iter().enumerate() {
            link.tell(Pass::Join(links[(i + 1) % length]));
        }
        links[0].tell(Pass::Ball(hops));
        end.recv().unwrap();
    }
}

const HOPS: u64 = 100_000;

#[test]
fn pingpong_needs_none() {
    for workers in 1..=2 {
        assert_cost(workers, HOPS, 0.01, 0.01, ring(2, HOPS));
    }
}

#[test]
fn threadring_needs_none() {
    for workers in 1..=2 {
        assert_cost(workers, HOPS, 0.02, 0.02, ring(100, HOPS));
    }
}

/// As [`Link`], but it uses what it can of the library; how its messages are counted is up to the type.
struct Rich<const MAILBOX: u8> {
    next: Option<Address<Self>>,
    done: Sender<()>,
}

enum Riches<const MAILBOX: u8> {
    Join(Address<Rich<MAILBOX>>),
    Ball(u64),
    Ended,
}

const UNBOUNDED: u8 = 0;
const BOUNDED: u8 = 1;

impl<const MAILBOX: u8> Actor for Rich<MAILBOX> {
    type Msg = Riches<MAILBOX>;
    const MAILBOX: Mailbox = match MAILBOX {
        BOUNDED => Mailbox::Bounded {
            capacity: 16,
            overflow: Overflow::Reject,
        },
        _ => Mailbox::Unbounded,
    };

    fn handle(&mut self, msg: Self::Msg, cx: &mut Context<'_, Self>) {
        match msg {
            Riches::Join(next) => {
                self.next = Some(next);
                cx.monitor(next, |_| Riches::Ended);
                cx.link(next);
            }
            Riches::Ball(0) => self.done.send(()).unwrap(),
            Riches::Ball(left) => cx.tell(self.next.expect("joined before"), Riches::Ball(left - 1)),
            Riches::Ended => unreachable!("all live as long as the runtime"),
        }
    }
}

/// A ring of actors that are monitored, linked and supervised.
fn rich_ring<const MAILBOX: u8>(length: usize, hops: u64) -> impl Fn(&Runtime) {
    move |runtime| {
        let (done, end) = mpsc::channel();
        let supervisor = Supervisor::new(Strategy::OneForOne, 1, Duration::from_secs(1));
        let links: Vec<Address<Rich<MAILBOX>>> = (0..length)
            .map(|_| {
                let done = done.clone();
                let link = move || Rich {
                    next: None,
                    done: done.clone(),
                };
                supervisor
                    .start(&mut &*runtime, Restart::OnFailure, link)
                    .unwrap()
            })
            .collect();
        for (i, link) in links.iter().enumerate() {
            link.tell(Riches::Join(links[(i + 1) % length]));
        }
        links[0].tell(Riches::Ball(hops));
        end.recv().unwrap();
    }
}

/// Monitors, links and supervisors cost when they are set up and when something ends.
#[test]
fn a_message_between_actors_that_are_watched_needs_none() {
    for workers in 1..=2 {
        assert_cost(workers, HOPS, 0.01, 0.01, rich_ring::<UNBOUNDED>(2, HOPS));
    }
}

#[test]
fn features_that_others_use_need_none() {
    for workers in 1..=2 {
        assert_cost(workers, HOPS, 0.02, 0.02, |runtime| {
            rich_ring::<UNBOUNDED>(20, 20)(runtime);
            rich_ring::<BOUNDED>(20, 20)(runtime);
            ring(2, HOPS)(runtime);
        });
    }
}

/// One to let it in and one to let it out.
#[test]
fn a_message_to_a_bounded_mailbox_needs_two() {
    let needs_two = |did: &Cost| (1.99..2.02).contains(&did.exchanges);
    assert!(some_run_costs(1, HOPS, rich_ring::<BOUNDED>(2, HOPS), needs_two));
}

struct Counter(u64);

struct Producer {
    counter: Address<Counter>,
    done: Option<Sender<u64>>,
}

enum Count {
    One,
    Report(Sender<u64>),
}

impl Actor for Counter {
    type Msg = Count;

    fn handle(&mut self, msg: Count, cx: &mut Context<'_, Self>) {
        match msg {
            Count::One => self.0 += 1,
            Count::Report(to) => {
                to.send(self.0).unwrap();
                cx.stop();
            }
        }
    }
}

impl Actor for Producer {
    type Msg = ();

    fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
        for _ in 0..HOPS {
            cx.tell(self.counter, Count::One);
        }
        cx.tell(self.counter, Count::Report(self.done.take().unwrap()));
        cx.stop();
    }
}

#[test]
fn count_needs_none() {
    for workers in 1..=2 {
        assert_cost(workers, HOPS, 0.01, 0.01, |runtime| {
            let (done, end) = mpsc::channel();
            let counter = runtime.spawn(Counter(0));
            let done = Some(done);
            runtime.spawn(Producer { counter, done }).tell(());
            assert_eq!(end.recv(), Ok(HOPS));
        });
    }
}

/// Creates actors that live for one message.
struct Parent {
    left: u64,
    done: Sender<()>,
}

struct Child {
    parent: Address<Parent>,
}

enum Family {
    Begin,
    Gone,
}

impl Actor for Parent {
    type Msg = Family;

    fn handle(&mut self, msg: Family, cx: &mut Context<'_, Self>) {
        match msg {
            Family::Begin => {
                for _ in 0..self.left {
                    let child = cx.spawn(Child { parent: cx.address() });
                    cx.tell(child, ());
                }
            }
            Family::Gone => {
                self.left -= 1;
                if self.left == 0 {
                    self.done.send(()).unwrap();
                    cx.stop();
                }
            }
        }
    }
}

impl Actor for Child {
    type Msg = ();
    const EAGER: bool = false;

    fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
        cx.tell(self.parent, Family::Gone);
        cx.stop();
    }
}

const LIVES: u64 = 20_000;

/// One exchange closes the remote mailbox at the end of a life, and none where there is no other worker that could write into it.
#[test]
fn a_life_needs_one_or_none() {
    // On two workers some lives may be lived away from their parent: an exchange for what the child sends back, and the move.
    for (workers, allowed) in [(1, 0.01), (2, 1.5)] {
        assert_cost(workers, LIVES, allowed, 0.01, |runtime| {
            let (done, end) = mpsc::channel();
            runtime.spawn(Parent { left: LIVES, done }).tell(Family::Begin);
            end.recv().unwrap();
        });
    }
}

/// Created from outside in bulk: what there is, is per batch.
#[test]
fn a_life_from_outside_needs_none() {
    struct Mayfly(Sender<()>);
    impl Actor for Mayfly {
        type Msg = bool;
        const EAGER: bool = false;
        fn handle(&mut self, last: bool, cx: &mut Context<'_, Self>) {
            if last {
                self.0.send(()).unwrap();
            }
            cx.stop();
        }
    }
    assert_cost(1, LIVES, 0.1, 0.05, |runtime| {
        let (done, end) = mpsc::channel();
        runtime.client(|client| {
            for i in 1..=LIVES {
                let mayfly = client.spawn(Mayfly(done.clone()));
                client.tell(mayfly, i == LIVES);
            }
        });
        end.recv().unwrap();
    });
}

/// Plain sends from outside: a stream of them has the inbox's tail to itself, and none needs an exchange but those before that and after each sleep of a worker.
#[test]
fn a_stream_from_outside_needs_none() {
    assert_cost(1, HOPS, 0.2, 0.2, |runtime| {
        let (done, end) = mpsc::channel();
        let counter = runtime.spawn(Counter(0));
        for _ in 0..HOPS {
            counter.tell(Count::One);
        }
        counter.tell(Count::Report(done));
        assert_eq!(end.recv(), Ok(HOPS));
    });
}

/// The counting itself: without it all of the above would hold.
#[test]
fn what_costs_something_is_counted() {
    let Cost {
        exchanges, fences, ..
    } = cost(2, 1, |runtime| {
        let (done, end) = mpsc::channel();
        runtime.spawn(Counter(0)).tell(Count::Report(done));
        end.recv().unwrap();
    });
    assert!(exchanges > 2.0 && fences > 0.0, "{exchanges} {fences}");
}
