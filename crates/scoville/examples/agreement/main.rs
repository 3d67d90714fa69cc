//! Times of datil on this machine beside those of the simulated machine `pair`, as `docs/scheduling-native.md` shows them.
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

mod probe;

use std::collections::BTreeMap;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use clap::Parser;
use datil_sim::machine::preset;
use datil_sim::{Run, Settings, programs, simulate};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use serde_json::{Map, Value};
use suite::adapters::datil::Datil;
use suite::iteration::Order;
use suite::library::{Host as _, Options};

use self::probe::{probe, processors};

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

/// What an iteration took, in nanoseconds.
struct Iteration {
    took: f64,
    /// The longest calculation and the longest way of a line, before and after it.
    beside: (f64, f64),
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
    let calculations = measured.values().flatten().map(|iteration| iteration.beside.0);
    let shortest = calculations.fold(f64::INFINITY, f64::min);
    let machine = preset("pair").expect("a preset");
    let line = 1_000.0 * f64::from(machine.costs.line[0]) / machine.costs.megahertz as f64;
    let counts = |(calculation, way)| calculation <= UNDISTURBED * shortest && way <= NEAR * line;
    println!("Nanoseconds per message: medians, and quartiles in brackets.\n");
    println!(
        "| workers | program | policy | undisturbed iterations | native | simulated | simulated / native |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (cell, iterations) in measured {
        let undisturbed = iterations.iter().filter(|iteration| counts(iteration.beside));
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
        let beside = (calculation, line);
        Ok(Iteration { took, beside })
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
        measured.push((took, before, probe(&processors)));
    }
    for (took, before, after) in &measured[1..] {
        let calculations = before.calculations.into_iter().chain(after.calculations);
        let calculation = calculations.fold(0.0, f64::max);
        println!("{took} {calculation} {}", before.line.max(after.line));
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
