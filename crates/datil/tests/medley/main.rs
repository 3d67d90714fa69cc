//! Programs drawn at random that mix all features, and an oracle that keeps book: what one sends another is handled in order,
//! every message is handled once or counted as a dead letter, every question is answered, every end is told once to each
//! who watches, what was made is dropped once, the metrics add up, and everything ends. On threads under every policy,
//! until nothing is left to do or with a shutdown in the middle; and in simulations, where besides a seed is one run.
//!
//! A failure names its seed. `DATIL_SEED` says with which seed each test begins, `DATIL_RUNS` how many it tries.

#[macro_use]
mod births;
mod audit;
mod book;
mod deeds;
mod hosts;
mod node;
mod outside;
mod post;
mod program;

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use datil::Runtime;
use datil::policy::Random;

use book::Book;
use hosts::{RUNS, come_to_rest, dead_outside, finish, populate, runtime, simulation};
use outside::Outsider;
use program::Program;

/// Nothing takes that long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// Deeds of a run, more or less.
const ENERGY: i64 = 600;

/// The seed of the run that is under way.
static SEED: AtomicU64 = AtomicU64::new(0);

/// Runs a test with so many seeds, and says with which one it fails.
fn with_seeds(runs: u64, test: impl Fn(u64)) {
    // The count of messages that threads outside have lost is one for the process, so the tests take turns.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let first = number("DATIL_SEED").unwrap_or(1);
    for seed in first..first + number("DATIL_RUNS").unwrap_or(runs) {
        SEED.store(seed, SeqCst);
        let (over, hears) = mpsc::channel::<()>();
        std::thread::spawn(move || {
            if hears.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                give_up("the run does not end");
            }
        });
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| test(seed))) {
            eprintln!("To repeat it: DATIL_SEED={seed} DATIL_RUNS=1");
            resume_unwind(panic);
        }
        drop(over);
    }
}

fn number(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} must be a number, not {value:?}")),
    )
}

/// Ends the process. Not with `eprintln!`, whose text the test's capture would take to the grave.
fn give_up(why: &str) -> ! {
    let _ = writeln!(
        std::io::stderr(),
        "{why}; to repeat it: DATIL_SEED={} DATIL_RUNS=1",
        SEED.load(SeqCst)
    );
    std::process::abort();
}

/// Two threads write, ask and create.
fn write(book: &Arc<Book>, runtime: &Runtime, random: &mut Random) {
    let outsiders: Vec<_> = (0..2).map(|_| Outsider::new(book, random)).collect();
    std::thread::scope(|scope| {
        for mut outsider in outsiders {
            scope.spawn(move || {
                let handle = runtime.handle();
                for _ in 0..ENERGY / 20 {
                    match outsider.draw(8) {
                        0..3 => runtime.client(|client| outsider.do_something_in(client)),
                        3 => outsider.do_something_with(&handle),
                        _ => outsider.do_something(),
                    }
                }
                outsider.hear();
            });
        }
    });
}

#[test]
fn what_comes_to_rest_has_kept_all_promises() {
    with_seeds(RUNS, |seed| {
        let mut random = Random::new(seed);
        let book = Book::new(Program::draw(&mut random, ENERGY));
        let runtime = runtime(&book, seed, &mut random);
        let dead_before = runtime.metrics().outside_dead_letters;
        populate(&book, &mut &runtime, &mut random);
        write(&book, &runtime, &mut random);
        come_to_rest(&book, &runtime);
        let (metrics, policy) = (runtime.metrics(), runtime.policy());
        let faults = book.audit(&metrics, dead_before);
        assert!(faults.is_empty(), "seed {seed}, {policy}: {faults:#?}");
        let expected = book.expect(metrics.outside_dead_letters);
        let left = runtime.shutdown();
        let mut faults = book.audit_leftovers(&left, &expected, dead_outside());
        faults.extend(book.audit_end());
        assert!(
            faults.is_empty(),
            "seed {seed}, {policy}, after the shutdown: {faults:#?}"
        );
    });
}

#[test]
fn a_shutdown_in_the_middle_of_everything_leaves_nothing() {
    with_seeds(RUNS, |seed| {
        let mut random = Random::new(seed);
        let book = Book::new(Program::draw(&mut random, 50 * ENERGY));
        let runtime = runtime(&book, seed, &mut random);
        populate(&book, &mut &runtime, &mut random);
        let (handle, over) = (runtime.handle(), AtomicBool::new(false));
        let mut outsider = Outsider::new(&book, &mut random);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(SeqCst) {
                    match outsider.draw(16) {
                        0 => outsider.do_something_with(&handle),
                        1 => std::thread::yield_now(),
                        _ => outsider.do_something(),
                    }
                }
                outsider.hear();
            });
            std::thread::sleep(Duration::from_micros(u64::from(random.below(3000))));
            finish(runtime, random.below(4));
            over.store(true, SeqCst);
        });
        // An actor that ends its own runtime does not wait for it.
        let began = Instant::now();
        while !book.is_over() && began.elapsed() < PATIENCE / 6 {
            std::thread::yield_now();
        }
        let faults = book.audit_end();
        assert!(faults.is_empty(), "seed {seed}: {faults:#?}");
    });
}

/// One run in a simulation, to its end or to somewhere before; what was done and heard in it.
fn simulate(seed: u64) -> impl PartialEq + use<> {
    let mut random = Random::new(seed);
    let book = Book::new(Program::draw(&mut random, ENERGY).simulated());
    let simulation = simulation(&book, seed, &mut random);
    let dead_before = simulation.metrics().outside_dead_letters;
    populate(&book, &mut &simulation, &mut random);
    let mut outsider = Outsider::new(&book, &mut random);
    for _ in 0..ENERGY / 10 {
        outsider.do_something();
        (0..random.below(20)).for_each(|_| _ = simulation.step());
    }
    let (mut faults, mut expected) = (Vec::new(), None);
    if random.below(4) > 0 {
        simulation.run_to_end();
        let metrics = simulation.metrics();
        faults.extend(book.audit(&metrics, dead_before));
        expected = Some(book.expect(metrics.outside_dead_letters));
    }
    let done = (simulation.steps(), simulation.now());
    let left = simulation.shutdown();
    if let Some(expected) = expected {
        faults.extend(book.audit_leftovers(&left, &expected, dead_outside()));
    }
    outsider.hear();
    faults.extend(book.audit_end());
    assert!(faults.is_empty(), "seed {seed}: {faults:#?}");
    (done, book.log())
}

#[test]
fn a_seed_is_one_run() {
    with_seeds(60, |seed| {
        assert!(simulate(seed) == simulate(seed), "seed {seed}: two runs differ");
    });
}
