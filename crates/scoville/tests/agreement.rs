//! The simulated machine with two processors and datil's costs against datil itself on this machine: the same benchmark
//! code, the same policies, the same counters.
//!
//! A worker of datil that loses its processor to other programs leaves its actors to the other one, so on two workers a
//! busy machine changes what is counted. There it is enough that some of a dozen runs agree; those of a scheduler that
//! decided differently would not. One worker is robbed by nobody, and has to agree at once.
//!
//! The processors of a virtual machine are slowed down by those who share their cores, each for itself, and who has the faster one steals from the other: in
//! chameneos thousands of times, where two that are alike steal hundreds of times. So what is simulated has processors as unequal as they were found
//! beside the native run.
//!
//! *Messages* agree exactly. *Activations* agree within 5 % of the messages on one worker, and within a factor of 2 on two.
//! On one worker nobody steals. *Thefts*, *attempts* and *wakes* on two workers agree within a factor of 10, or 2 % of the messages, with those of
//! one of four simulated machines, whose processors are as far apart as those of virtual machines are by turns. What cannot agree, and why, stands in
//! `docs/scheduling-native.md`; it is not compared here. Times are not compared here: they depend on what else the machine does. `examples/agreement` measures them
//! while nothing is disturbed.

#[path = "../examples/agreement/probe.rs"]
mod probe;

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use datil_sim::machine::{Machine, preset};
use datil_sim::{Run, Settings, programs, simulate};
use serde_json::{Map, Value};
use suite::adapters::datil::Datil;
use suite::iteration::Order;
use suite::library::{Host as _, Options};

use self::probe::{Probe, probe, processors};

const PROGRAMS: [&str; 8] = [
    "pingpong",
    "threadring",
    "count",
    "fjthrput",
    "fjcreate",
    "fib",
    "chameneos",
    "big",
];
const POLICIES: [&str; 5] = ["cls-tp", "lgs", "cls-wake", "go-like", "adaptive-locality"];

/// Here how many messages an actor finds when it runs depends on how fast the thread outside sends them.
const STREAMED: &str = "fjthrput";
/// Here it depends on the thread outside what waits for a thief.
const FED_FROM_OUTSIDE: [&str; 2] = [STREAMED, "fjcreate"];
/// These are woken; in some programs they look for something in vain again and again, and whether they fall asleep in between depends on
/// what else the machine does.
const WOKEN: [&str; 2] = ["cls-wake", "go-like"];
const IN_VAIN: [&str; 4] = ["pingpong", "threadring", "count", "fib"];

/// Cycles that a line takes from one processor to the other: those of `pair`, which was measured when they were near, and up to what was seen when they
/// were apart.
const DISTANCES: [u32; 4] = [88, 132, 264, 440];

/// Processors that are as fast as each other.
const ALIKE: Paces = [4, 4];

/// So many native runs on two workers at most, of which some have to agree.
const ATTEMPTS: usize = 12;

/// What disturbs the machine may be over after so long, or after twice or three times that.
const BREATHER: Duration = Duration::from_millis(500);

type Parameters = Map<String, Value>;
type Counters = BTreeMap<&'static str, u64>;

/// The simulator's default sizes.
fn sizes(program: &str) -> Parameters {
    let program = programs::find(program).expect("it can be simulated");
    let parameters = program.parameters.iter().map(|&(name, value)| {
        let value = serde_json::from_str(value).expect("defaults are JSON");
        (name.to_owned(), value)
    });
    parameters.collect()
}

/// How many quarters of the faster processor's time each of the two takes.
type Paces = [u32; 2];

/// What runs natively and simulated.
struct Cell<'a> {
    program: &'a str,
    policy: &'a str,
    workers: usize,
    distances: &'a [u32],
    /// What was simulated, by the paces found.
    simulated: BTreeMap<Paces, Vec<Run>>,
}

impl<'a> Cell<'a> {
    fn new(program: &'a str, policy: &'a str, workers: usize, distances: &'a [u32]) -> Self {
        Self {
            program,
            policy,
            workers,
            distances,
            simulated: BTreeMap::new(),
        }
    }

    /// Runs on such processors. Policies that do not bind their workers do not say which one is on which.
    fn simulated(&mut self, paces: Paces) -> &[Run] {
        let (program, policy, workers) = (self.program, self.policy, self.workers);
        self.simulated.entry(paces).or_insert_with(|| {
            let mut turned = vec![paces, [paces[1], paces[0]]];
            turned.dedup();
            let machines = turned.iter().flat_map(|&paces| {
                self.distances
                    .iter()
                    .map(move |&distance| machine(distance, paces))
            });
            machines
                .map(|machine| simulated(program, policy, workers, machine))
                .collect()
        })
    }

    /// What a native run has counted, and what the processors did before and after it.
    fn native(&mut self, processors: &[usize]) -> (Counters, [Probe; 2]) {
        let events = self.simulated(ALIKE)[0].events;
        let before = probe(processors);
        let counted = native(self.program, self.policy, self.workers, events);
        assert_eq!(counted["messages"], events, "{self}: {counted:?}");
        (counted, [before, probe(processors)])
    }
}

impl Display for Cell<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} on {}", self.program, self.policy, self.workers)
    }
}

fn paces([before, after]: [Probe; 2]) -> Paces {
    let both = [0, 1].map(|at| before.calculations[at] + after.calculations[at]);
    let fastest = both[0].min(both[1]);
    both.map(|took| (4.0 * took / fastest).round() as u32)
}

fn machine(distance: u32, paces: Paces) -> Machine {
    let paces = paces.map(|quarters| f64::from(quarters) / 4.0);
    let mut machine = preset("pair").expect("a preset").with_paces(paces.to_vec());
    machine.costs.line = vec![distance];
    machine.costs.line_shared = distance;
    machine
}

fn simulated(program: &str, policy: &str, workers: usize, machine: Machine) -> Run {
    let settings = Settings {
        policy: policy.to_owned(),
        workers,
        ..Settings::new(machine)
    };
    let simulation = simulate(program, settings, &sizes(program));
    simulation.expect("it runs").run
}

/// What a runtime of its own has counted when it has handled so many messages.
fn native(program: &str, policy: &str, workers: usize, messages: u64) -> Counters {
    let options = Options {
        policy: Some(policy.to_owned()),
        ..Options::workers(workers)
    };
    let mut system = Datil::start(&options).expect("datil starts");
    let mut programs = suite::benchmarks::all::<Datil>();
    let found = programs.iter_mut().find(|found| found.name() == program);
    let order = Order {
        parameters: &sizes(program),
        count_messages: false,
        patience: None,
        begin: &mut || {},
    };
    found
        .expect("datil runs it")
        .iterate(&mut system, order)
        .expect("its result is right");
    // The last activation is counted when it has ended, which may be after its program has.
    for _ in 0..1000 {
        let counted: Counters = Datil::counters(&system).into_iter().collect();
        if counted["messages"] >= messages {
            return counted;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!(
        "{program} with {policy} on {workers}: {:?}, not {messages} messages",
        Datil::counters(&system)
    );
}

/// Whether either is at most so many hundredths of the other and `more`.
fn within(percent: u64, more: u64, one: u64, other: u64) -> bool {
    let at_most = |one: u64, other: u64| one <= other * percent / 100 + more;
    at_most(one, other) && at_most(other, one)
}

/// Runs natively until `wanted` runs agree with one of the simulated ones, on one worker once, on two at most [`ATTEMPTS`] times, with ever longer pauses after
/// those that do not. Every run handles the same messages.
fn assert_some_agree(wanted: usize, mut cell: Cell<'_>, agree: impl Fn(&Counters, &Run) -> bool) {
    let processors = processors().expect("the system says where this process may run");
    let attempts = if cell.workers == 1 { 1 } else { ATTEMPTS };
    let mut others = Vec::new();
    let mut agreed = 0;
    while agreed < wanted {
        let (counted, beside) = cell.native(&processors);
        // One worker has nobody who could be faster.
        let paces = if cell.workers == 1 { ALIKE } else { paces(beside) };
        if cell
            .simulated(paces)
            .iter()
            .any(|simulated| agree(&counted, simulated))
        {
            agreed += 1;
        } else {
            others.push((paces, beside.map(|probe| probe.line), counted));
            thread::sleep(BREATHER * others.len() as u32);
        }
        let left = attempts - agreed - others.len();
        assert!(
            agreed + left >= wanted,
            "{cell}: only {agreed} runs agree; others, with the quarters that each processor took and a line's nanoseconds: {others:?}; simulated: {:?}",
            cell.simulated
        );
    }
}

/// The machine for this test alone: they would slow each other down.
fn alone() -> MutexGuard<'static, ()> {
    static MACHINE: Mutex<()> = Mutex::new(());
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn both_handle_the_same_messages_in_about_as_many_activations() {
    let _alone = alone();
    for program in PROGRAMS {
        for policy in POLICIES {
            for workers in [1, 2] {
                let cell = Cell::new(program, policy, workers, &DISTANCES[..1]);
                assert_some_agree(1, cell, |native, simulated| {
                    let (one, other) = (native["activations"], simulated.activations);
                    let activations = match (program, workers) {
                        (STREAMED, _) => true,
                        (_, 1) => one.abs_diff(other) <= simulated.events / 20,
                        // A handful of them, as in count, says nothing.
                        _ => within(200, 20, one, other),
                    };
                    activations && (workers > 1 || (native["steals"], simulated.thefts) == (0, 0))
                });
            }
        }
    }
}

#[test]
fn both_steal_and_wake_about_as_often() {
    let _alone = alone();
    for program in PROGRAMS {
        for policy in POLICIES {
            let thefts = !FED_FROM_OUTSIDE.contains(&program);
            let wakes = !WOKEN.contains(&policy) || !IN_VAIN.contains(&program);
            let cell = Cell::new(program, policy, 2, &DISTANCES);
            assert_some_agree(3, cell, |native, simulated| {
                let is_near =
                    |counter: &str, other: u64| within(1_000, simulated.events / 50, native[counter], other);
                let stolen = is_near("steals", simulated.thefts)
                    && is_near("steal_attempts", simulated.steal_attempts);
                (!thefts || stolen) && (!wakes || is_near("wakes", simulated.wakes))
            });
        }
    }
}
