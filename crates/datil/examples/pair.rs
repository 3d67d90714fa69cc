//! What the simulated machine `pair` says of two processors, measured here: `pair` prints times in nanoseconds and in cycles.
//!
//! Medians of many repeats; the whole takes some seconds. Another busy program makes most of it worthless. What a message and a life cost is told by
//! `bench`.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

const LINE: usize = 64;

/// The one in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Nanoseconds that one of so many repeats takes.
fn per_repeat(repeats: u32, mut act: impl FnMut()) -> f64 {
    let once = |_| {
        let began = Instant::now();
        (0..repeats).for_each(|_| act());
        began.elapsed().as_nanos() as f64 / f64::from(repeats)
    };
    median((0..21).map(once).collect())
}

#[repr(align(64))]
struct Line(AtomicUsize);

/// Reading a line of so many bytes, each of whose lines says where the next one is.
fn chase(bytes: usize) -> f64 {
    let count = bytes / LINE;
    let mut order: Vec<usize> = (0..count).collect();
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for left in (1..count).rev() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        order.swap(left, (random >> 33) as usize % (left + 1));
    }
    let lines: Vec<_> = (0..count).map(|_| Line(AtomicUsize::new(0))).collect();
    for (at, &line) in order.iter().enumerate() {
        lines[line].0.store(order[(at + 1) % count], Relaxed);
    }
    let mut at = 0;
    per_repeat(200_000, || at = black_box(lines[at].0.load(Relaxed)))
}

/// A line's way from one processor to another.
fn line() -> f64 {
    const ROUNDS: u64 = 20_000;
    let ball = Arc::new(AtomicU64::new(0));
    let pass = |mine: u64, ball: &AtomicU64| {
        for round in 0..ROUNDS {
            while ball.load(Relaxed) != 2 * round + mine {
                spin_loop();
            }
            ball.store(2 * round + mine + 1, Relaxed);
        }
    };
    let game = |_| {
        ball.store(0, Relaxed);
        let (together, theirs) = (Arc::new(Barrier::new(2)), Arc::clone(&ball));
        let start = Arc::clone(&together);
        let other = thread::spawn(move || {
            start.wait();
            pass(1, &theirs);
        });
        together.wait();
        let began = Instant::now();
        pass(0, &ball);
        other.join().expect("it only counts");
        began.elapsed().as_nanos() as f64 / (2 * ROUNDS) as f64
    };
    median((0..11).map(game).collect())
}

/// Going along a list whose lines another processor has written one after the other, from the newest to the oldest: a line's part of that.
fn list() -> f64 {
    const LINES: usize = 512;
    const ROUNDS: u64 = 2_001;
    let lines: Arc<[Line]> = (0..LINES).map(|_| Line(AtomicUsize::new(0))).collect();
    let turn = Arc::new(AtomicU64::new(0));
    let until = |turn: &AtomicU64, when: u64| {
        while turn.load(Acquire) != when {
            spin_loop();
        }
    };
    let writer = {
        let (lines, turn) = (Arc::clone(&lines), Arc::clone(&turn));
        thread::spawn(move || {
            for round in 0..ROUNDS {
                until(&turn, 2 * round);
                (0..LINES).for_each(|at| lines[at].0.store(at.wrapping_sub(1), Relaxed));
                turn.store(2 * round + 1, Release);
            }
        })
    };
    let walk = |round| {
        until(&turn, 2 * round + 1);
        let (began, mut at) = (Instant::now(), LINES - 1);
        while let Some(line) = lines.get(at) {
            at = line.0.load(Relaxed);
        }
        let took = began.elapsed().as_nanos() as f64 / LINES as f64;
        turn.store(2 * round + 2, Release);
        took
    };
    let walks = (0..ROUNDS).map(walk).collect();
    writer.join().expect("it only writes");
    median(walks)
}

/// How much longer than asked for a short sleep takes.
fn sleep_slack() -> f64 {
    let asked = Duration::from_micros(50);
    let slack = |_| {
        let began = Instant::now();
        thread::sleep(asked);
        (began.elapsed() - asked).as_nanos() as f64
    };
    median((0..301).map(slack).collect())
}

/// What waking a thread costs who does it, and after how long it runs.
fn wake() -> (f64, f64) {
    let began = Instant::now();
    let (woken, over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let sleeper = {
        let (woken, over) = (Arc::clone(&woken), Arc::clone(&over));
        thread::spawn(move || {
            while !over.load(Relaxed) {
                thread::park();
                woken.store(began.elapsed().as_nanos() as u64, Relaxed);
            }
        })
    };
    let (mut costs, mut latencies) = (Vec::new(), Vec::new());
    for _ in 0..301 {
        // Long enough for it to sleep again.
        thread::sleep(Duration::from_micros(300));
        let (before, last) = (began.elapsed().as_nanos() as u64, woken.load(Relaxed));
        sleeper.thread().unpark();
        costs.push((began.elapsed().as_nanos() as u64 - before) as f64);
        while woken.load(Relaxed) == last {
            spin_loop();
        }
        latencies.push((woken.load(Relaxed) - before) as f64);
    }
    over.store(true, Relaxed);
    sleeper.thread().unpark();
    sleeper.join().expect("it only sleeps");
    (median(costs), median(latencies))
}

/// A fence on all threads of the process, one of which is at work elsewhere; `None` where the system offers none.
#[cfg(target_os = "linux")]
fn fence() -> Option<f64> {
    const PRIVATE_EXPEDITED: libc::c_long = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: libc::c_long = 1 << 4;
    // SAFETY: the call reads and writes no memory of ours.
    let call = |command: libc::c_long| unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) };
    if call(REGISTER_PRIVATE_EXPEDITED) != 0 {
        return None;
    }
    let over = Arc::new(AtomicBool::new(false));
    let busy = {
        let over = Arc::clone(&over);
        thread::spawn(move || {
            while !over.load(Relaxed) {
                spin_loop();
            }
        })
    };
    let took = per_repeat(200, || assert_eq!(call(PRIVATE_EXPEDITED), 0));
    over.store(true, Relaxed);
    busy.join().expect("it only waits");
    Some(took)
}

#[cfg(not(target_os = "linux"))]
fn fence() -> Option<f64> {
    None
}

/// The clock of the processors, as the system tells it.
fn megahertz() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = told.lines().find(|line| line.starts_with("cpu MHz"))?;
    line.split(':').nth(1)?.trim().parse().ok()
}

fn main() {
    let megahertz = megahertz();
    let print = |what: &str, nanos: f64| {
        let cycles = megahertz.map_or_else(
            || "unavailable: no clock in /proc/cpuinfo".to_owned(),
            |megahertz| format!("{:.0}", nanos * megahertz / 1000.0),
        );
        println!("{what:<42} {nanos:>10.2} ns  {cycles:>8} cycles");
    };
    match megahertz {
        Some(megahertz) => println!("processors of {megahertz:.0} MHz, {} of them", processors()),
        None => println!("processors of unknown clock, {} of them", processors()),
    }
    for (name, bytes) in [
        ("a line from 16 KiB", 16 << 10),
        ("a line from 256 KiB", 256 << 10),
        ("a line from 4 MiB", 4 << 20),
        ("a line from 256 MiB", 256 << 20),
    ] {
        print(name, chase(bytes));
    }
    print("a line from another processor", line());
    print("a line of a list from there", list());
    let word = AtomicU64::new(0);
    let poll = per_repeat(10_000, || {
        spin_loop();
        black_box(word.load(Relaxed));
    });
    print("a look at the own queue", poll);
    print(
        "two looks at the clock",
        2.0 * per_repeat(10_000, || {
            black_box(Instant::now());
        }),
    );
    print("a sleep of 50 us takes longer by", sleep_slack());
    let (cost, latency) = wake();
    print("waking a thread takes its waker", cost);
    print("and the thread until it runs", latency);
    match fence() {
        Some(took) => print("a fence on all threads", took),
        None => println!("{:<42} unavailable: no membarrier here", "a fence on all threads"),
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
