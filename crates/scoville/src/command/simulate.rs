//! `scoville simulate`.

use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use datil_policy::topology::Topology;
use datil_sim::machine::{Machine, Os, PRESETS, Placement, opteron_on, preset};
use datil_sim::programs::check;
use datil_sim::{Progress, Run, Settings, policies, programs, simulate};
use indicatif::ProgressBar;
use rustix::fs::{Access, access};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Exit;
use super::list::{print, table};
use super::progress::{over_runs, watch};
use crate::digits::number_of;
use crate::render::field::Field;
use crate::render::html::simulation::{Figure, Page, Section, Table, render};
use crate::render::number::duration;
use crate::suggest;

/// What to simulate.
#[derive(Args, Clone, Debug)]
pub struct SimulateArgs {
    /// Programs to simulate, separated by spaces or commas; without any, those that there are are listed, with policies and machines
    #[arg(value_name = "BENCHMARK", value_delimiter = ',')]
    pub programs: Vec<String>,
    /// Policies, separated by commas
    #[arg(
        long,
        requires = "programs",
        value_delimiter = ',',
        default_value = "cls-tp,lgs,adaptive-locality"
    )]
    pub policy: Vec<String>,
    /// A machine that comes along, or a file that `lstopo --of xml` has written
    #[arg(long, requires = "programs", default_value = "opteron")]
    pub machine: String,
    /// Numbers of workers, separated by commas [default: all units of the machine]
    #[arg(long, requires = "programs", value_delimiter = ',')]
    pub workers: Vec<usize>,
    /// Where memory is placed
    #[arg(long, requires = "programs", value_enum, default_value = "first-touch")]
    pub memory: MemoryArg,
    /// Take actors from the head of a queue always, as CAF does; datil takes from the end that the policy says
    #[arg(long, requires = "programs")]
    pub from_head: bool,
    /// Add what an operating system does to threads that are not bound, as fitted to the thesis' machine
    #[arg(long, requires = "programs")]
    pub os: bool,
    /// Bind threads to units whatever the policy wants, as datil's `Binding::Units` does
    #[arg(long, requires = "os")]
    pub bound: bool,
    /// Seed of everything random
    #[arg(long, requires = "programs", default_value_t = 1)]
    pub seed: u64,
    /// Runs of each cell, with one seed more each; the table shows their mean
    #[arg(long, requires = "programs", default_value_t = 1, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub seeds: u64,
    /// Leave out the runs on one worker, of which there is one for each program, policy and seed, and with them the speed-up
    #[arg(long, requires = "programs")]
    pub no_speed_up: bool,
    /// Make what lies beyond the own memory node so many times as far away; 0.5 halves the hops, 2 doubles them, and with 0
    /// only waiting at controllers and links is left of them
    #[arg(long, requires = "programs", value_name = "FACTOR", value_parser = factor)]
    pub hops: Option<f64>,
    /// Deal the units of the machine opteron out to 1, 2, 4, 8 or 16 memory nodes
    #[arg(long, requires = "programs", value_name = "NUMBER")]
    pub nodes: Option<u32>,
    /// How old what policies see of others may be, in nanoseconds [default: 2000 on all machines that come along]
    #[arg(long, requires = "programs", value_name = "NANOSECONDS", value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    pub staleness: Option<u64>,
    /// How much longer units take for what they do, in turn, separated by commas: with 1,1.8 every second one takes nearly twice as long, as a core of another
    /// kind does, or one that others use too
    #[arg(long, requires = "programs", value_name = "FACTORS", value_delimiter = ',', value_parser = pace)]
    pub paces: Vec<f64>,
    /// Have actors belong to workers, as datil's do, at what that costs on the machine pair. Policies that decide for such actors only, datil's default among
    /// them, always have it so, and with them all others that are asked for
    #[arg(long, requires = "programs")]
    pub owners: bool,
    /// A parameter of the programs, as name=value; may be repeated
    #[arg(long = "set", requires = "programs", value_name = "NAME=VALUE", value_parser = assignment)]
    pub parameters: Vec<(String, Value)>,
    /// Write a page with figures and tables into this file
    #[arg(long, requires = "programs", value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print JSON, which docs/scheduling.md describes
    #[arg(long, requires = "programs")]
    pub json: bool,
}

/// Where memory is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MemoryArg {
    /// On the node that touches it first.
    FirstTouch,
    /// On all nodes in turn.
    Interleaved,
}

/// A number is one, and everything else is a word.
fn assignment(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("write it as name=value")?;
    let number = serde_json::from_str(value).ok().filter(Value::is_number);
    Ok((name.to_owned(), number.unwrap_or_else(|| value.into())))
}

fn factor(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| format!("{text} is not a number from 0 to 100"))
}

fn pace(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.01..=100.0).contains(number));
    number.ok_or_else(|| format!("{text} is not a number from 0.01 to 100"))
}

/// One simulated run.
#[derive(Serialize)]
struct Row {
    program: String,
    policy: String,
    workers: usize,
    seed: u64,
    /// Time on one worker by the time on these, with the same seed; none if it was left out.
    speed_up: Option<f64>,
    result: String,
    run: Run,
}

/// What `--json` prints. `docs/scheduling.md` describes it; what stands there stays.
#[derive(Serialize)]
struct Output {
    /// Always true: nothing here was measured.
    simulated: bool,
    machine: String,
    memory: Placement,
    operating_system: Option<Os>,
    bound: bool,
    from_head: bool,
    costs: datil_sim::machine::Costs,
    owners: Option<datil_sim::machine::Owners>,
    paces: Vec<f64>,
    seeds: Vec<u64>,
    /// Sizes of each program, by its name.
    sizes: Map<String, Value>,
    /// Those of them that were asked for.
    #[serde(skip)]
    set: Map<String, Value>,
    rows: Vec<Row>,
}

/// Simulates programs, or lists what there is.
pub fn run(arguments: &SimulateArgs, out: &mut dyn Write) -> Result<Exit> {
    if arguments.programs.is_empty() {
        list(out)?;
        return Ok(Exit::Good);
    }
    check_page(arguments.html.as_deref())?;
    check_names(arguments)?;
    if let Some(policy) = wants_owners(arguments).filter(|_| arguments.from_head) {
        bail!(
            "--from-head has workers take actors as CAF's do, of which {policy} decides itself; leave one out"
        );
    }
    let output = simulate_all(arguments, &machine(arguments)?)?;
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string(&output)?)?;
    } else {
        show(&output, out)?;
    }
    write_page(arguments.html.as_deref(), || page(&output))?;
    Ok(Exit::Good)
}

/// Whether there are such programs and policies; who misspells one is told what was perhaps meant.
fn check_names(arguments: &SimulateArgs) -> Result<()> {
    let programs = programs::ALL.iter().chain(programs::HELD_OUT);
    let programs: Vec<&str> = programs.map(|program| program.name).collect();
    let policies: Vec<&str> = policies::ALL.iter().map(|policy| policy.name).collect();
    for (kind, asked, known) in [
        ("program", &arguments.programs, programs),
        ("policy", &arguments.policy, policies),
    ] {
        if let Some(name) = asked.iter().find(|name| !known.contains(&name.as_str())) {
            bail!(
                "there is no {kind} {name:?} to simulate: {}",
                suggest::advice(name, known)
            );
        }
    }
    Ok(())
}

/// Whether a page could be written there: a simulation may take minutes, so what is wrong with the place is said before it.
///
/// # Errors
/// It could not.
pub fn check_page(path: Option<&Path>) -> Result<()> {
    let Some(path) = path else {
        return Ok(());
    };
    writable(path).with_context(|| cannot_write(path))
}

/// Whether a file could be written there, as far as can be told without touching it.
fn writable(path: &Path) -> io::Result<()> {
    // What ends in a slash or in dots names a folder, whether there is one or not.
    let name = path.file_name().unwrap_or_default().as_bytes();
    if name.is_empty() || !path.as_os_str().as_bytes().ends_with(name) {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => Ok(access(path, Access::WRITE_OK)?),
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
            // The file would be made where the link leads to.
            Ok(target) => writable(&folder.join(target)),
            Err(_) => Ok(access(folder, Access::WRITE_OK | Access::EXEC_OK)?),
        },
        Err(other) => Err(other),
    }
}

/// Writes the page if there is a place for it.
///
/// # Errors
/// It cannot be written.
pub fn write_page(path: Option<&Path>, page: impl FnOnce() -> Page) -> Result<()> {
    let Some(path) = path else {
        return Ok(());
    };
    fs::write(path, render(&page())).with_context(|| cannot_write(path))
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// The machine that is asked for, changed as asked for.
fn machine(arguments: &SimulateArgs) -> Result<Machine> {
    let mut machine = match arguments.nodes {
        Some(nodes) if arguments.machine == "opteron" => {
            opteron_on(nodes).map_err(|reason| anyhow!("--nodes: {reason}"))?
        }
        Some(_) => bail!(
            "--nodes deals out the units of the machine opteron; {} has the nodes that it has",
            named(&arguments.machine)?.name
        ),
        None => named(&arguments.machine)?,
    };
    if let Some(factor) = arguments.hops {
        machine = machine.with_hops(factor);
        machine.name = format!("{}, hops times {factor}", machine.name);
    }
    if let Some(nanos) = arguments.staleness {
        machine = machine.with_staleness(nanos);
    }
    if machine.owners.is_none() && (arguments.owners || wants_owners(arguments).is_some()) {
        machine = machine.with_owners();
        machine.name = format!("{}, with actors that belong to workers", machine.name);
    }
    if !arguments.paces.is_empty() {
        let paces: Vec<String> = arguments.paces.iter().map(f64::to_string).collect();
        machine = machine.with_paces(arguments.paces.clone());
        machine.name = format!(
            "{}, units slower by {} in turn",
            machine.name,
            paces.join(" and ")
        );
    }
    Ok(machine)
}

/// A policy that is asked for and decides only for actors that belong to workers.
fn wants_owners(arguments: &SimulateArgs) -> Option<&str> {
    let wants = |name: &&String| policies::find(name).is_ok_and(policies::Entry::wants_owners);
    arguments.policy.iter().find(wants).map(String::as_str)
}

/// The machine with this name, or from this file.
fn named(name: &str) -> Result<Machine> {
    if let Some(machine) = preset(name) {
        return Ok(machine);
    }
    if !name.ends_with(".xml") {
        let names = PRESETS.iter().map(|(name, _)| *name);
        bail!(
            "there is no machine {name:?} ({}); a file that `lstopo --of xml` has written is one if its name ends in .xml",
            suggest::advice(name, names)
        );
    }
    let text = fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
    let topology = Topology::from_hwloc(&text).with_context(|| name.to_owned())?;
    Ok(Machine::from_topology(name.to_owned(), topology))
}

fn simulate_all(arguments: &SimulateArgs, machine: &Machine) -> Result<Output> {
    let settings = Settings {
        os: arguments.os.then(Os::default),
        bound: arguments.bound,
        fair: !arguments.from_head,
        placement: match arguments.memory {
            MemoryArg::FirstTouch => Placement::FirstTouch,
            MemoryArg::Interleaved => Placement::Interleaved,
        },
        ..Settings::new(machine.clone())
    };
    let seeds = seeds(arguments)?;
    let set = parameters(arguments)?;
    let sizes = distinct(&arguments.programs).into_iter().map(|program| {
        let sizes = programs::sizes(&program, &set).map_err(|reason| anyhow!(reason))?;
        Ok((program, Value::Object(sizes)))
    });
    let sizes = sizes.collect::<Result<Map<String, Value>>>()?;
    let bar = over_runs();
    let rows = rows(arguments, &settings, &seeds, &set, &bar);
    bar.finish_and_clear();
    Ok(Output {
        simulated: true,
        machine: machine.name.clone(),
        memory: settings.placement,
        operating_system: settings.os,
        bound: arguments.bound,
        from_head: arguments.from_head,
        costs: machine.costs.clone(),
        owners: machine.owners,
        paces: machine.paces.clone(),
        seeds,
        sizes,
        set,
        rows: rows?,
    })
}

fn seeds(arguments: &SimulateArgs) -> Result<Vec<u64>> {
    let last = arguments.seed.checked_add(arguments.seeds - 1);
    let last = last.with_context(|| {
        format!(
            "there are no {} seeds from {} on",
            arguments.seeds, arguments.seed
        )
    })?;
    Ok((arguments.seed..=last).collect())
}

/// Each once, in this order: the same run twice would pass for two runs that agree.
fn distinct<T: Clone + PartialEq>(asked: &[T]) -> Vec<T> {
    let mut distinct: Vec<T> = Vec::new();
    for item in asked {
        if !distinct.contains(item) {
            distinct.push(item.clone());
        }
    }
    distinct
}

fn parameters(arguments: &SimulateArgs) -> Result<Map<String, Value>> {
    let mut parameters = Map::new();
    for (name, value) in &arguments.parameters {
        if parameters.insert(name.clone(), value.clone()).is_some() {
            bail!("--set {name}: it is set twice; leave out one of the two");
        }
    }
    Ok(parameters)
}

/// Simulates each cell with each seed, and moves the bar on with each run.
fn rows(
    arguments: &SimulateArgs,
    settings: &Settings,
    seeds: &[u64],
    set: &Map<String, Value>,
    bar: &ProgressBar,
) -> Result<Vec<Row>> {
    let (programs, policies) = (distinct(&arguments.programs), distinct(&arguments.policy));
    let workers = match distinct(&arguments.workers) {
        none if none.is_empty() => vec![settings.machine.topology.pus().len()],
        asked => asked,
    };
    let settings = |policy: &str, workers: usize, seed: u64| Settings {
        policy: policy.to_owned(),
        workers,
        seed,
        ..settings.clone()
    };
    let mut pairs = Vec::new();
    for program in &programs {
        pairs.extend(policies.iter().map(|policy| (program, policy)));
    }
    // Thousands of runs may take minutes, after which nobody wants to hear of a typing error.
    for (program, policy) in &pairs {
        for &workers in &workers {
            check(program, &settings(policy, workers, arguments.seed), set)
                .map_err(|reason| anyhow!(reason))?;
        }
    }
    let alone = usize::from(!arguments.no_speed_up);
    let asked = (pairs.len() * seeds.len() * (workers.len() + alone)) as u64;
    let watch = watch(bar);
    watch(Progress { ended: 0, asked });
    let once = |program: &str, policy: &str, workers: usize, seed: u64| {
        let simulation = simulate(program, settings(policy, workers, seed), set);
        let ended = bar.position() + 1;
        watch(Progress { ended, asked });
        simulation.map_err(|reason| anyhow!(reason))
    };
    let mut rows = Vec::new();
    for (program, policy) in pairs {
        for &seed in seeds {
            let alone = (!arguments.no_speed_up).then(|| once(program, policy, 1, seed));
            let alone = alone.transpose()?.map(|alone| alone.run.makespan as f64);
            for &workers in &workers {
                let simulation = once(program, policy, workers, seed)?;
                rows.push(Row {
                    program: program.clone(),
                    policy: policy.clone(),
                    workers,
                    seed,
                    speed_up: alone.map(|alone| alone / simulation.run.makespan.max(1) as f64),
                    result: simulation.result,
                    run: simulation.run,
                });
            }
        }
    }
    Ok(rows)
}

/// The rows of one cell, a row per seed.
struct Cell<'a> {
    program: &'a str,
    policy: &'a str,
    workers: usize,
    rows: Vec<&'a Row>,
}

/// Rows by cell, in the order in which the cells were asked for.
fn cells(output: &Output) -> Vec<Cell<'_>> {
    let mut cells: Vec<Cell<'_>> = Vec::new();
    for row in &output.rows {
        let same = |cell: &&mut Cell<'_>| {
            (cell.program, cell.policy, cell.workers) == (&row.program, &row.policy, row.workers)
        };
        match cells.iter_mut().find(same) {
            Some(cell) => cell.rows.push(row),
            None => cells.push(Cell {
                program: &row.program,
                policy: &row.policy,
                workers: row.workers,
                rows: vec![row],
            }),
        }
    }
    cells
}

impl Cell<'_> {
    /// Mean over the seeds.
    fn mean(&self, of: impl Fn(&Row) -> f64) -> f64 {
        self.rows.iter().map(|row| of(row)).sum::<f64>() / self.rows.len() as f64
    }

    fn makespan(&self) -> f64 {
        self.mean(|row| row.run.makespan as f64)
    }

    /// From the smallest to the largest makespan, by their mean. One seed says nothing of that.
    fn spread(&self) -> Field {
        if self.rows.len() < 2 {
            return "unknown: one seed".into();
        }
        let times = || self.rows.iter().map(|row| row.run.makespan);
        let (least, most) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
        share((most - least) as f64 / self.makespan())
    }

    fn speed_up(&self) -> Field {
        let each: Option<Vec<f64>> = self.rows.iter().map(|row| row.speed_up).collect();
        match each {
            Some(each) => {
                let mean = each.iter().sum::<f64>() / each.len() as f64;
                Field::of(mean, format!("{mean:.2}"))
            }
            None => "unavailable: left out".into(),
        }
    }

    fn columns(&self) -> Vec<Field> {
        let whole = |mean: f64| Field::of(mean, format!("{mean:.0}"));
        let count = |of: fn(&Run) -> u64| whole(self.mean(|row| of(&row.run) as f64));
        let share = |of: &dyn Fn(&Run) -> f64| share(self.mean(|row| of(&row.run)));
        vec![
            self.program.into(),
            self.policy.into(),
            Field::of(self.workers as f64, self.workers.to_string()),
            Field::of(self.makespan(), duration(self.makespan())),
            self.spread(),
            self.speed_up(),
            share(&|run| run.idle as f64 / (run.idle + run.busy).max(1) as f64),
            whole(self.mean(|row| row.run.local_lines + row.run.remote_lines)),
            share(&Run::remote_share),
            count(|run| run.steal_attempts),
            count(|run| run.steals),
            count(|run| run.events),
            count(|run| run.pushed_to_sleepers),
            share(&Run::busiest_link),
        ]
    }
}

const HEADER: [&str; 14] = [
    "program",
    "policy",
    "workers",
    "makespan",
    "spread",
    "speed-up",
    "idle",
    "accesses",
    "remote",
    "steal attempts",
    "steals",
    "messages",
    "to sleepers",
    "busiest link",
];

/// The machine's name and all else that the numbers depend on.
fn method(output: &Output) -> String {
    let seeds: Vec<String> = output.seeds.iter().map(u64::to_string).collect();
    let memory = match output.memory {
        Placement::FirstTouch => "memory by first touch",
        Placement::Interleaved => "memory interleaved",
    };
    let system = match output.operating_system {
        Some(_) => "operating system as fitted",
        None => "operating system left out",
    };
    let bound = output.bound.then(|| "all threads bound".to_owned());
    let end = output
        .from_head
        .then(|| "actors taken from the head always".to_owned());
    let staleness = format!("policies see what is {} ns old", output.costs.staleness);
    let set = (!output.set.is_empty()).then(|| format!("with {}", assignments(&output.set)));
    let seeds = match (seeds.first(), seeds.last()) {
        (Some(first), Some(last)) if first != last => format!("seeds {first} to {last}, means shown"),
        _ => format!("seed {}", seeds.concat()),
    };
    let parts = [
        output.machine.clone(),
        memory.to_owned(),
        system.to_owned(),
        staleness,
    ];
    let parts = parts
        .into_iter()
        .chain(bound)
        .chain(end)
        .chain(set)
        .chain([seeds]);
    parts.collect::<Vec<_>>().join(", ")
}

/// Sizes as they are given on the command line.
fn assignments(sizes: &Map<String, Value>) -> String {
    let one = |(name, value): (&String, &Value)| match value.as_str() {
        Some(word) => format!("{name}={word}"),
        None => format!("{name}={value}"),
    };
    sizes.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn show(output: &Output, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "Simulated, not measured: machine {}.", method(output))?;
    let mut table = table();
    table.set_header(HEADER);
    for cell in cells(output) {
        table.add_row(cell.columns().into_iter().map(|field| field.text));
    }
    print(&table, out)
}

/// Two sections per program: time by workers, or by policy if there is only one number of workers; and how busy links and
/// memory controllers are.
fn page(output: &Output) -> Page {
    let cells = cells(output);
    let mut programs: Vec<&str> = cells.iter().map(|cell| cell.program).collect();
    programs.dedup();
    let sizes = |program: &str| {
        output.sizes[program]
            .as_object()
            .map_or_else(String::new, assignments)
    };
    let sections = |program: &&str| {
        let own: Vec<&Cell<'_>> = cells.iter().filter(|cell| cell.program == *program).collect();
        let times = Section {
            title: (*program).to_owned(),
            text: format!(
                "Simulated makespans with {}. The spread is from the fastest to the slowest seed, by the mean; the speed-up is the time \
                 on one worker by this one, of the same policy with the same seed.",
                sizes(program)
            ),
            figure: Some(figure(&own)),
            table: Table::new(&HEADER, own.iter().map(|cell| cell.columns()).collect()),
            numbers: None,
        };
        [times, loads(program, &own)]
    };
    Page {
        title: format!("{} on {}", programs.join(", "), output.machine),
        method: format!("Machine {}.", method(output)),
        sections: programs.iter().flat_map(sections).collect(),
    }
}

/// How busy something was in a run.
type Load = Box<dyn Fn(&Run) -> f64>;

/// The share of the makespan for which each link and each memory controller is busy: a row for each of them, a column for
/// each cell.
fn loads(program: &str, cells: &[&Cell<'_>]) -> Section {
    let run = &cells[0].rows[0].run;
    let links = run.links.iter().enumerate().map(|(link, (from, to, _))| {
        let load = move |run: &Run| run.links[link].2;
        (format!("link {from} to {to}"), Box::new(load) as Load)
    });
    let controllers = (0..run.controllers.len()).map(|node| {
        let load = move |run: &Run| run.controllers[node];
        (format!("controller {node}"), Box::new(load) as Load)
    });
    let row = |(name, load): (String, Load)| {
        let shares = cells.iter().map(|cell| share(cell.mean(|row| load(&row.run))));
        [name.into()].into_iter().chain(shares).collect()
    };
    let names = cells
        .iter()
        .map(|cell| format!("{}, {}", cell.policy, cell.workers));
    Section {
        title: format!("{program}: links and memory controllers"),
        text: "Share of the makespan for which each is busy, simulated, by policy and workers. A link leads from one memory \
               node to another, or from one socket to another on machines whose sockets are wired; a controller belongs to a \
               node."
            .to_owned(),
        figure: None,
        table: Table {
            header: ["".to_owned()].into_iter().chain(names).collect(),
            rows: links.chain(controllers).map(row).collect(),
        },
        numbers: None,
    }
}

fn figure(cells: &[&Cell<'_>]) -> Figure {
    let mut policies: Vec<&str> = cells.iter().map(|cell| cell.policy).collect();
    policies.dedup();
    let of = |policy: &str| -> Vec<(f64, f64)> {
        let own = cells.iter().filter(|cell| cell.policy == policy);
        own.map(|cell| (cell.workers as f64, cell.makespan() / 1e6))
            .collect()
    };
    let single = cells.iter().all(|cell| cell.workers == cells[0].workers);
    if single {
        let first = cells[0].makespan();
        let row = |cell: &&Cell<'_>| (cell.policy.to_owned(), vec![Some(cell.makespan() / first)]);
        return Figure::Dots {
            axis: format!("makespan by that of {}", cells[0].policy),
            series: vec![number_of(cells[0].workers, "worker")],
            rows: cells.iter().map(row).collect(),
        };
    }
    Figure::Lines {
        axes: ("workers".to_owned(), "makespan in ms".to_owned()),
        series: policies
            .iter()
            .map(|policy| ((*policy).to_owned(), of(policy)))
            .collect(),
        published: Vec::new(),
        reaches: 0.0,
    }
}

fn share(share: f64) -> Field {
    Field::of(share, format!("{:.1} %", 100.0 * share))
}

fn list(out: &mut dyn Write) -> Result<()> {
    let mut table = table();
    table.set_header(["program", "sizes", "code"]);
    for program in programs::ALL.iter().chain(programs::HELD_OUT) {
        let sizes: Vec<String> = (program.parameters.iter())
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        table.add_row([program.name, &sizes.join(" "), program.about]);
    }
    print(&table, out)?;
    writeln!(out)?;
    let mut table = super::list::table();
    table.set_header(["policy", "rule"]);
    for policy in policies::ALL {
        table.add_row([policy.name, policy.about]);
    }
    print(&table, out)?;
    writeln!(out)?;
    let mut table = super::list::table();
    table.set_header(["machine", "what it is"]);
    for (name, about) in PRESETS {
        table.add_row([name, about]);
    }
    print(&table, out)
}
