//! `scoville simulate`.

use std::fs;
use std::io::Write;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use datil_policy::topology::Topology;
use datil_sim::machine::{Machine, Os, PRESETS, Placement, preset};
use datil_sim::{Run, Settings, policies, programs, simulate};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Exit;
use super::list::{print, table};

/// What to simulate.
#[derive(Args, Clone, Debug)]
pub struct SimulateArgs {
    /// Programs; nothing lists programs, policies and machines
    #[arg(value_name = "BENCHMARK")]
    pub programs: Vec<String>,
    /// Policies, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "cls-tp,lgs,adaptive-locality")]
    pub policy: Vec<String>,
    /// A machine that comes along, or a file that `lstopo --of xml` has written
    #[arg(long, default_value = "opteron")]
    pub machine: String,
    /// Numbers of workers, separated by commas [default: all units of the machine]
    #[arg(long, value_delimiter = ',')]
    pub workers: Vec<usize>,
    /// Where memory is placed
    #[arg(long, value_enum, default_value = "first-touch")]
    pub memory: MemoryArg,
    /// Add what an operating system does to threads that are not bound, as fitted to the thesis' machine
    #[arg(long)]
    pub os: bool,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// A parameter of the programs, as name=value; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub parameters: Vec<(String, i64)>,
    /// Print JSON
    #[arg(long)]
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

fn assignment(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("write it as name=value")?;
    let value = value.parse().map_err(|_| format!("{value} is not an integer"))?;
    Ok((name.to_owned(), value))
}

/// One simulated run.
#[derive(Serialize)]
struct Row {
    program: String,
    policy: String,
    workers: usize,
    /// Time on one worker by the time on these.
    speed_up: f64,
    result: String,
    run: Run,
}

#[derive(Serialize)]
struct Output {
    /// Always true: nothing here was measured.
    simulated: bool,
    machine: String,
    memory: Placement,
    operating_system: Option<Os>,
    costs: datil_sim::machine::Costs,
    seed: u64,
    rows: Vec<Row>,
}

/// Simulates programs, or lists what there is.
pub fn run(arguments: &SimulateArgs, out: &mut dyn Write) -> Result<Exit> {
    if arguments.programs.is_empty() {
        list(out)?;
        return Ok(Exit::Good);
    }
    let machine = machine(&arguments.machine)?;
    let output = simulate_all(arguments, &machine)?;
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string(&output)?)?;
    } else {
        show(&output, out)?;
    }
    Ok(Exit::Good)
}

/// The machine with this name, or from this file.
fn machine(name: &str) -> Result<Machine> {
    if let Some(machine) = preset(name) {
        return Ok(machine);
    }
    if !name.ends_with(".xml") {
        let names: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
        bail!(
            "there is no machine {name:?}; there are {}, and files *.xml that `lstopo --of xml` has written",
            names.join(", ")
        );
    }
    let text = fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
    let topology = Topology::from_hwloc(&text).with_context(|| name.to_owned())?;
    Ok(Machine::from_topology(name.to_owned(), topology))
}

fn simulate_all(arguments: &SimulateArgs, machine: &Machine) -> Result<Output> {
    let all = [machine.topology.pus().len()];
    let workers = if arguments.workers.is_empty() {
        &all[..]
    } else {
        &arguments.workers
    };
    let mut settings = Settings::new(machine.clone());
    settings.seed = arguments.seed;
    settings.os = arguments.os.then(Os::default);
    settings.placement = match arguments.memory {
        MemoryArg::FirstTouch => Placement::FirstTouch,
        MemoryArg::Interleaved => Placement::Interleaved,
    };
    let parameters: Map<String, Value> = (arguments.parameters.iter())
        .map(|(name, value)| (name.clone(), Value::from(*value)))
        .collect();
    let once = |program: &str, policy: &str, workers: usize| {
        let settings = Settings {
            policy: policy.to_owned(),
            workers,
            ..settings.clone()
        };
        simulate(program, settings, &parameters).map_err(|reason| anyhow!(reason))
    };
    let mut rows = Vec::new();
    for program in &arguments.programs {
        for policy in &arguments.policy {
            let alone = once(program, policy, 1)?.run.makespan;
            for &workers in workers {
                let simulation = once(program, policy, workers)?;
                rows.push(Row {
                    program: program.clone(),
                    policy: policy.clone(),
                    workers,
                    speed_up: alone as f64 / simulation.run.makespan.max(1) as f64,
                    result: simulation.result,
                    run: simulation.run,
                });
            }
        }
    }
    Ok(Output {
        simulated: true,
        machine: machine.name.clone(),
        memory: settings.placement,
        operating_system: settings.os,
        costs: machine.costs.clone(),
        seed: arguments.seed,
        rows,
    })
}

fn show(output: &Output, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "Simulated, not measured: machine {}, memory {}, operating system {}, seed {}.",
        output.machine,
        match output.memory {
            Placement::FirstTouch => "by first touch",
            Placement::Interleaved => "interleaved",
        },
        if output.operating_system.is_some() {
            "as fitted"
        } else {
            "left out"
        },
        output.seed
    )?;
    let mut table = table();
    table.set_header([
        "program",
        "policy",
        "workers",
        "makespan",
        "speed-up",
        "idle",
        "remote",
        "steal attempts",
        "steals",
        "messages",
        "to sleepers",
        "busiest link",
    ]);
    for row in &output.rows {
        let run = &row.run;
        table.add_row([
            row.program.clone(),
            row.policy.clone(),
            row.workers.to_string(),
            time(run.makespan),
            format!("{:.2}", row.speed_up),
            percent(run.idle as f64 / (run.idle + run.busy).max(1) as f64),
            percent(run.remote_share()),
            run.steal_attempts.to_string(),
            run.steals.to_string(),
            run.events.to_string(),
            run.pushed_to_sleepers.to_string(),
            percent(run.busiest_link()),
        ]);
    }
    print(&table, out)
}

fn time(nanos: u64) -> String {
    match nanos {
        0..1_000_000 => format!("{:.1} us", nanos as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2} ms", nanos as f64 / 1e6),
        _ => format!("{:.2} s", nanos as f64 / 1e9),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn list(out: &mut dyn Write) -> Result<()> {
    let mut table = table();
    table.set_header(["program", "sizes", "code"]);
    for program in programs::ALL {
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
