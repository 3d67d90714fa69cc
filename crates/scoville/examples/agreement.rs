//! Times of datil on this machine beside those of the simulated machine `pair`, as `docs/scheduling.md` shows them.
//!
//! Others who share the cores of a virtual machine make its processors up to twice as slow, for parts of a millisecond or for minutes, and its host may
//! move the processors apart. So each iteration stands between two probes: a calculation on both processors at once, and a line that goes back and
//! forth between them. It counts only if no calculation took a tenth more than the shortest of all, and no line twice as long as on `pair`; if everything
//! was disturbed all the time, that does not show. Each cell has processes of its own, at random turns: the only runtime of a process is faster than the
//! first of several, and the machine is not the same in an hour.
//!
//! ```text
//! cargo run --release --locked -p scoville --example agreement -- --minutes 15
//! ```

use std::collections::BTreeMap;
use std::hint::{black_box, spin_loop};
use std::process::Command;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::Parser;
use datil_sim::machine::preset;
use datil_sim::{Run, Settings, programs, simulate};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::{Map, Value};
use suite::adapters::datil::Datil;
use suite::iteration::Order;
use suite::library::{Host as _, Options};

/// Programs, and what is not of the simulator's default size: beginning and ending a program takes 30 to 80 µs more than simulated, which is not what is
/// compared here.
const PROGRAMS: [(&str, &[(&str, u64)]); 8] = [
    ("pingpong", &[("pings", 100_000)]),
    ("threadring", &[("hops", 200_000)]),
    ("count", &[("messages", 400_000)]),
    ("fjthrput", &[]),
    ("fjcreate", &[]),
    ("fib", &[("index", 24)]),
    ("chameneos", &[]),
    ("big", &[]),
];
/// What a process does before the next one has its turn; the first iteration does not count.
const ITERATIONS: usize = 9;
/// Workers fall asleep between iterations.
const PAUSE: Duration = Duration::from_millis(3);
/// How much longer than the shortest calculation one may take.
const UNDISTURBED: f64 = 1.1;
/// How much longer than on the simulated machine a line may take.
const NEAR: f64 = 2.0;
/// A line goes there and back so many times.
const PASSES: u32 = 200;
/// Times are simulated with so many seeds, of which the one in the middle is shown.
const SEEDS: u64 = 9;
/// Fewer iterations than these say nothing.
const ENOUGH: usize = 10;

#[derive(Parser)]
#[command(about = "Times of datil on this machine beside those of the simulated machine `pair`")]
struct Arguments {
    /// How long to measure
    #[arg(long, default_value_t = 15.0)]
    minutes: f64,
    /// Programs, separated by commas [default: eight]
    #[arg(long, value_delimiter = ',')]
    programs: Vec<String>,
    /// Policies, separated by commas
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "cls-tp,cls-wake,go-like,adaptive-locality"
    )]
    policies: Vec<String>,
    /// Numbers of workers, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    workers: Vec<usize>,
    /// Measures one cell and prints each iteration: for the processes that this program starts
    #[arg(long, hide = true)]
    cell: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    workers: usize,
    program: usize,
    policy: String,
}

/// What something took beside an iteration, the longer time before and after it, in nanoseconds.
#[derive(Clone, Copy)]
struct Probe {
    calculation: f64,
    line: f64,
}

impl Probe {
    /// The longer times of both.
    fn longer(self, other: Self) -> Self {
        Self {
            calculation: self.calculation.max(other.calculation),
            line: self.line.max(other.line),
        }
    }
}

/// What an iteration took, in nanoseconds.
struct Iteration {
    took: f64,
    probe: Probe,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let cells = cells(&arguments)?;
    if arguments.cell {
        return measure(&cells[0]);
    }
    let minutes = Duration::try_from_secs_f64(arguments.minutes * 60.0).context("--minutes")?;
    ensure!(
        !minutes.is_zero(),
        "--minutes 0 leaves no time to measure anything"
    );
    show(measure_in_turn(&cells, minutes)?)
}

/// All cells' iterations, in rounds, as long as there is time for another one to begin.
fn measure_in_turn(cells: &[Cell], time: Duration) -> Result<BTreeMap<&Cell, Vec<Iteration>>> {
    let mut measured: BTreeMap<&Cell, Vec<Iteration>> = BTreeMap::new();
    let mut random = Xoshiro256PlusPlus::from_seed(Default::default());
    let began = Instant::now();
    while let Some(left) = time.checked_sub(began.elapsed()) {
        eprintln!("{:.1} minutes left", left.as_secs_f64() / 60.0);
        let mut turns: Vec<&Cell> = cells.iter().collect();
        while !turns.is_empty() {
            let turn = random.next_u64() as usize % turns.len();
            let cell = turns.swap_remove(turn);
            measured.entry(cell).or_default().extend(iterations(cell)?);
        }
    }
    Ok(measured)
}

/// Prints the table, of iterations beside which nothing was disturbed.
fn show(measured: BTreeMap<&Cell, Vec<Iteration>>) -> Result<()> {
    let calculations = measured
        .values()
        .flatten()
        .map(|iteration| iteration.probe.calculation);
    let shortest = calculations.fold(f64::INFINITY, f64::min);
    let machine = preset("pair").expect("a preset");
    let line = 1_000.0 * f64::from(machine.costs.line[0]) / machine.costs.megahertz as f64;
    let counts = |probe: Probe| probe.calculation <= UNDISTURBED * shortest && probe.line <= NEAR * line;
    println!("Nanoseconds per message: medians, and quartiles in brackets.\n");
    println!(
        "| workers | program | policy | undisturbed iterations | native | simulated | simulated / native |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (cell, iterations) in measured {
        let undisturbed = iterations.iter().filter(|iteration| counts(iteration.probe));
        let took = undisturbed.map(|iteration| iteration.took).collect();
        println!("{}", row(cell, took, iterations.len())?);
    }
    Ok(())
}

fn cells(arguments: &Arguments) -> Result<Vec<Cell>> {
    let known = PROGRAMS.map(|(name, _)| name);
    let programs = if arguments.programs.is_empty() {
        (0..PROGRAMS.len()).collect()
    } else {
        let find = |name: &String| {
            let found = known.iter().position(|known| known == name);
            found.with_context(|| format!("no program {name:?}; there are {}", known.join(", ")))
        };
        arguments.programs.iter().map(find).collect::<Result<Vec<_>>>()?
    };
    let mut cells = Vec::new();
    for &workers in &arguments.workers {
        for &program in &programs {
            for policy in &arguments.policies {
                let policy = policy.clone();
                cells.push(Cell {
                    workers,
                    program,
                    policy,
                });
            }
        }
    }
    ensure!(!cells.is_empty(), "nothing to measure");
    Ok(cells)
}

/// A cell's iterations in a process of its own.
fn iterations(cell: &Cell) -> Result<Vec<Iteration>> {
    let output = Command::new(std::env::current_exe()?)
        .args([
            "--cell",
            "--programs",
            PROGRAMS[cell.program].0,
            "--policies",
            &cell.policy,
        ])
        .args(["--workers", &cell.workers.to_string()])
        .output()?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let line = |line: &str| {
        let numbers: Vec<f64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let &[took, calculation, line] = &numbers[..] else {
            bail!("a process prints three numbers for an iteration, not {line:?}");
        };
        let probe = Probe { calculation, line };
        Ok(Iteration { took, probe })
    };
    String::from_utf8(output.stdout)?.lines().map(line).collect()
}

/// Prints for each iteration but the first what it took and what the probes beside it did.
fn measure(cell: &Cell) -> Result<()> {
    let options = Options {
        policy: Some(cell.policy.clone()),
        ..Options::workers(cell.workers)
    };
    let mut system = Datil::start(&options).map_err(|error| anyhow!("{error}"))?;
    let mut programs = suite::benchmarks::all::<Datil>();
    let program = programs
        .iter_mut()
        .find(|found| found.name() == PROGRAMS[cell.program].0);
    let program = program.context("datil runs it")?;
    let processors = processors()?;
    let mut measured = Vec::new();
    for _ in 0..ITERATIONS {
        thread::sleep(PAUSE);
        let before = probe(&processors);
        let mut began = Instant::now();
        let order = Order {
            parameters: &sizes(cell.program),
            count_messages: false,
            patience: None,
            begin: &mut || began = Instant::now(),
        };
        program
            .iterate(&mut system, order)
            .map_err(|error| anyhow!("{error:?}"))?;
        let took = began.elapsed().as_nanos();
        measured.push((took, before.longer(probe(&processors))));
    }
    for (took, probe) in &measured[1..] {
        println!("{took} {} {}", probe.calculation, probe.line);
    }
    Ok(())
}

fn sizes(program: usize) -> Map<String, Value> {
    let (name, others) = PROGRAMS[program];
    let defaults = programs::find(name)
        .expect("it can be simulated")
        .parameters
        .iter();
    let mut sizes: Map<String, Value> = defaults
        .map(|&(name, value)| {
            (
                name.to_owned(),
                serde_json::from_str(value).expect("defaults are JSON"),
            )
        })
        .collect();
    for &(name, size) in others {
        assert!(
            sizes.insert(name.to_owned(), size.into()).is_some(),
            "{name} is no parameter"
        );
    }
    sizes
}

/// Two processors that this process may use, or the only one.
fn processors() -> Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|&processor| set.is_set(processor))
        .take(2)
        .collect())
}

/// Calculates on each of the processors, two at most, and sends a line back and forth between them; the longest calculation counts.
fn probe(processors: &[usize]) -> Probe {
    let (ball, together) = (AtomicU32::new(0), Barrier::new(processors.len()));
    let on = &|player: u32, processor: usize| {
        let mut set = CpuSet::new();
        set.set(processor);
        sched_setaffinity(None, &set).expect("this process may use it");
        together.wait();
        // What the system does first is not the processor's speed.
        let calculation = (0..3).map(|_| calculate()).min().expect("it was done");
        together.wait();
        let line = if processors.len() == 2 {
            play(&ball, player)
        } else {
            0.0
        };
        let calculation = calculation as f64;
        Probe { calculation, line }
    };
    thread::scope(|scope| {
        let players = processors.iter().zip(0..);
        let threads: Vec<_> = players
            .map(|(&processor, player)| scope.spawn(move || on(player, processor)))
            .collect();
        let probes = threads
            .into_iter()
            .map(|thread| thread.join().expect("it only calculates"));
        probes.reduce(Probe::longer).expect("there is a processor")
    })
}

/// Nanoseconds of a line's way from one player to the other.
fn play(ball: &AtomicU32, player: u32) -> f64 {
    let began = Instant::now();
    for pass in 0..PASSES {
        while ball.load(Relaxed) != 2 * pass + player {
            spin_loop();
        }
        ball.store(2 * pass + player + 1, Relaxed);
    }
    began.elapsed().as_nanos() as f64 / f64::from(2 * PASSES)
}

/// Nanoseconds for sums that do not wait for each other, so that they suffer from whoever shares the core.
fn calculate() -> u128 {
    let began = Instant::now();
    let mut sums = [1_u64, 2, 3, 4, 5, 6];
    for round in 0..10_000 {
        for sum in &mut sums {
            *sum = black_box((*sum ^ (*sum >> 7)).wrapping_add(round));
        }
    }
    black_box(sums);
    began.elapsed().as_nanos()
}

/// A cell's line of the table, for which it is simulated.
fn row(cell: &Cell, took: Vec<f64>, iterations: usize) -> Result<String> {
    let (simulated, messages) = simulated(cell)?;
    let mut native: Vec<f64> = took
        .into_iter()
        .map(|nanoseconds| nanoseconds / messages)
        .collect();
    native.sort_by(f64::total_cmp);
    let counted = format!("{} of {iterations}", native.len());
    let (native, ratio) = if native.len() < ENOUGH {
        let unavailable = format!("unavailable: fewer than {ENOUGH}");
        (unavailable.clone(), unavailable)
    } else {
        let ratio = format!("{:.2}", quartile(&simulated, 2) / quartile(&native, 2));
        (quartiles(&native), ratio)
    };
    let (workers, policy, program) = (cell.workers, &cell.policy, PROGRAMS[cell.program].0);
    let simulated = quartiles(&simulated);
    Ok(format!(
        "| {workers} | {program} | {policy} | {counted} | {native} | {simulated} | {ratio} |"
    ))
}

fn quartile(sorted: &[f64], quarters: usize) -> f64 {
    sorted[quarters * sorted.len() / 4]
}

fn quartiles(sorted: &[f64]) -> String {
    let [first, second, third] = [1, 2, 3].map(|quarters| quartile(sorted, quarters));
    format!("{second:.1} [{first:.1}, {third:.1}]")
}

/// Simulated nanoseconds per message, the shortest first, and how many messages there are.
fn simulated(cell: &Cell) -> Result<(Vec<f64>, f64)> {
    let once = |seed| {
        let settings = Settings {
            policy: cell.policy.clone(),
            workers: cell.workers,
            seed,
            ..Settings::new(preset("pair").expect("a preset"))
        };
        let simulation = simulate(PROGRAMS[cell.program].0, settings, &sizes(cell.program));
        simulation
            .map_err(|error| anyhow!("{error}"))
            .map(|simulation| simulation.run)
    };
    let runs: Vec<Run> = (1..=SEEDS).map(once).collect::<Result<_>>()?;
    let messages = runs[0].events as f64;
    let mut times: Vec<f64> = runs.iter().map(|run| run.makespan as f64 / messages).collect();
    times.sort_by(f64::total_cmp);
    Ok((times, messages))
}
