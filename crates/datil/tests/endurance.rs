//! Many actors, many messages, and nothing to do: what must not grow does not. Memory is that of the whole process, so the tests take turns.
//!
//! The full sizes take minutes and gigabytes: `cargo test --release -p datil --test endurance -- --ignored --nocapture`.
#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use datil::policy::{Pick, Policy, Setup};
use datil::{Actor, Address, Context, Restart, Runtime, Strategy, Supervisor};

static TURN: Mutex<()> = Mutex::new(());

/// Bytes of memory that the process has in use.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
    // SAFETY: the call has no preconditions.
    pages * usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap()
}

/// Sends a burst for each that the consumer has had, until `left` is 0. Mailboxes are unbounded: that not more than so many messages wait is
/// the two actors' own agreement.
struct Producer {
    left: u64,
    consumer: Address<Consumer>,
}

/// Notes how much memory the process uses now and then.
struct Consumer {
    expected: u64,
    seen: u64,
    producer: Option<Address<Producer>>,
    every: u64,
    samples: Vec<usize>,
    done: Sender<Vec<usize>>,
}

const BURST: u64 = 1_000;
/// Bursts on their way at a time.
const WINDOW: u64 = 8;

enum Item {
    From(Address<Producer>),
    Number(u64),
}

impl Actor for Producer {
    type Msg = ();

    fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
        let burst = BURST.min(self.left);
        for i in 0..burst {
            cx.tell(self.consumer, Item::Number(self.left - i));
        }
        self.left -= burst;
    }
}

impl Actor for Consumer {
    type Msg = Item;

    fn handle(&mut self, item: Item, cx: &mut Context<'_, Self>) {
        let number = match item {
            Item::From(producer) => {
                self.producer = Some(producer);
                return (0..WINDOW).for_each(|_| cx.tell(producer, ()));
            }
            Item::Number(number) => number,
        };
        assert_eq!(number, self.expected, "out of order, lost or doubled");
        self.expected -= 1;
        self.seen += 1;
        if self.seen.is_multiple_of(self.every) {
            self.samples.push(resident());
        }
        if self.seen.is_multiple_of(BURST) {
            cx.tell(self.producer.expect("it came first"), ());
        }
        if self.expected == 0 {
            self.done.send(std::mem::take(&mut self.samples)).unwrap();
            cx.stop();
        }
    }
}

/// `count` messages one way, in order, while the memory in use stays what it was after the first twentieth.
fn stream(runtime: Runtime, count: u64) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (done, end) = mpsc::channel();
    let consumer = runtime.spawn(Consumer {
        expected: count,
        seen: 0,
        producer: None,
        every: count / 20,
        samples: Vec::with_capacity(20),
        done,
    });
    let start = Instant::now();
    let producer = runtime.spawn(Producer {
        left: count,
        consumer,
    });
    consumer.tell(Item::From(producer));
    let samples = end.recv().unwrap();
    println!(
        "{count} messages, {} workers, {}: {:?}, bytes {samples:?}",
        runtime.workers(),
        runtime.policy(),
        start.elapsed()
    );
    let (first, most) = (samples[0], samples.iter().max().unwrap());
    // Huge pages come 2 MiB at a time. A block that is not used again for each that is full would be 16 MiB per million messages.
    let allowed = first + (8 << 20);
    assert!(
        *most <= allowed,
        "memory grew from {first} to {most} bytes: {samples:?}"
    );
}

#[test]
fn a_stream_of_messages_needs_no_more_memory_in_the_end() {
    for policy in ["adaptive", "cls-offer"] {
        for workers in 1..=2 {
            stream(
                Runtime::builder()
                    .workers(workers)
                    .policy(policy)
                    .build()
                    .unwrap(),
                1_000_000,
            );
        }
    }
}

/// Leaves actors where they are created, one on each worker in turn.
struct Apart;

impl Policy for Apart {
    const NAME: &'static str = "apart";

    fn new(_: Setup) -> Self {
        Self
    }

    fn batch(&self) -> u32 {
        128
    }

    fn pick(&mut self, tick: u32) -> Pick {
        if tick.is_multiple_of(2) {
            Pick::Oldest
        } else {
            Pick::Yielded
        }
    }
}

/// One worker only sends and the other only receives: what the latter frees comes back to the former.
#[test]
fn memory_that_goes_one_way_comes_back() {
    stream(
        Runtime::builder().workers(2).build_with::<Apart>().unwrap(),
        1_000_000,
    );
}

#[test]
#[ignore = "takes minutes; see the head of this file"]
fn a_billion_messages_in_constant_memory() {
    stream(Runtime::builder().workers(2).build().unwrap(), 1_000_000_000);
}

struct Cell(u64);

impl Actor for Cell {
    type Msg = Sender<u64>;
    const EAGER: bool = false;

    fn handle(&mut self, to: Sender<u64>, cx: &mut Context<'_, Self>) {
        to.send(self.0).unwrap();
        cx.stop();
    }
}

/// Creates that many actors and hands their addresses out.
struct Mother(u64);

impl Actor for Mother {
    type Msg = Sender<Vec<Address<Cell>>>;

    fn handle(&mut self, to: Sender<Vec<Address<Cell>>>, cx: &mut Context<'_, Self>) {
        to.send((0..self.0).map(|i| cx.spawn(Cell(i))).collect()).unwrap();
        cx.stop();
    }
}

/// `count` actors are alive at a time, all different, all reachable, in at most 80 bytes each.
fn alive(count: u64) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = Runtime::builder().workers(2).build().unwrap();
    let before = resident();
    let (tx, rx) = mpsc::channel();
    runtime.spawn(Mother(count)).tell(tx);
    let actors = rx.recv().unwrap();
    let (tx, rx) = mpsc::channel();
    let each = (resident() - before) as f64 / count as f64 - size_of::<Address<Cell>>() as f64;
    println!("{count} actors: {each:.1} bytes each");
    // Memory that a former test has used may be used again; more than this it must not be. Huge pages come 2 MiB at a time.
    assert!(
        each <= 80.0 + (8 << 20) as f64 / count as f64,
        "{each} bytes per actor"
    );
    for (i, &actor) in actors.iter().enumerate().step_by(997) {
        actor.tell(tx.clone());
        assert_eq!(rx.recv(), Ok(i as u64));
    }
    let left = runtime.shutdown();
    let asked = actors.len().div_ceil(997);
    assert_eq!(
        left.actors.values().sum::<usize>(),
        actors.len() - asked,
        "{left}"
    );
}

#[test]
fn many_actors_are_alive() {
    alive(200_000);
}

#[test]
#[ignore = "takes a gigabyte; see the head of this file"]
fn ten_million_actors_are_alive() {
    alive(10_000_000);
}

fn cpu_time() -> Duration {
    // SAFETY: the call writes the structure that it is given.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, &mut usage), 0);
        usage
    };
    [usage.ru_utime, usage.ru_stime]
        .map(|time| Duration::new(time.tv_sec as u64, 1_000 * time.tv_usec as u32))
        .iter()
        .sum()
}

/// A process with 10,000 idle actors uses less than 5 ms of CPU in 5 s. What the machine has to do besides does not count.
#[test]
fn an_idle_process_uses_no_cpu() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = Runtime::builder().workers(4).build().unwrap();
    let (tx, rx) = mpsc::channel();
    runtime.spawn(Mother(10_000)).tell(tx);
    let actors = rx.recv().unwrap();
    runtime.wait_quiescent();
    // Whoever watches gives that up; so does the test that wakes them.
    std::thread::sleep(Duration::from_millis(200));
    let before = cpu_time();
    std::thread::sleep(Duration::from_secs(5));
    let used = cpu_time() - before;
    println!("idle: {used:?} in 5 s");
    assert!(used < Duration::from_millis(5), "{used:?}");
    drop(actors);
}

/// A state that lies in a box, beside the actor's cell.
struct Big(#[expect(dead_code, reason = "takes room")] [u8; 64 << 10]);

impl Actor for Big {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {
        panic!("on purpose");
    }
}

/// What is dropped to begin anew, and cannot be built again, takes no memory.
#[test]
fn a_restart_that_fails_leaves_nothing() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = Runtime::builder().workers(1).build().unwrap();
    let round = || {
        let supervisor = Supervisor::new(Strategy::OneForOne, 1, Duration::from_secs(60));
        let made = AtomicBool::new(false);
        let factory = move || {
            assert!(!made.swap(true, Relaxed), "on purpose");
            Big([1; 64 << 10])
        };
        let big = supervisor
            .start(&mut &runtime, Restart::OnFailure, factory)
            .unwrap();
        let end = big.ended();
        big.tell(());
        end.wait().unwrap();
    };
    (0..20).for_each(|_| round());
    let before = resident();
    (0..500).for_each(|_| round());
    let grown = resident().saturating_sub(before);
    assert!(grown < 12 << 20, "{grown} bytes for 500 states of 65536");
}
