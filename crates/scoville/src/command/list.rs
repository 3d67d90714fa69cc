//! `scoville list`.

use std::collections::BTreeMap;
use std::io::Write;
use std::thread;

use anyhow::Result;
use comfy_table::{Table, presets};

use super::args::Listed;
use super::prepare::{self, Tools};
use super::world::World;
use super::{Exit, matrix, world};
use crate::catalogue::{Catalogue, FAMILIES, family};
use crate::model::runtime::Runtime;

/// Lists one kind of thing, or all.
pub fn run(world: &World, what: Option<Listed>, out: &mut dyn Write) -> Result<Exit> {
    match what {
        Some(Listed::Benchmarks) => benchmarks(world, out)?,
        Some(Listed::Runtimes) => runtimes(world, out)?,
        Some(Listed::Presets) => presets(world, out)?,
        Some(Listed::Matrix) => matrix::run(world, out)?,
        None => {
            benchmarks(world, out)?;
            writeln!(out)?;
            presets(world, out)?;
            writeln!(out)?;
            runtimes(world, out)?;
        }
    }
    Ok(Exit::Good)
}

/// A table without lines, as wide as the terminal lets it be.
pub fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

/// Prints a table without the blanks that pad its last column.
pub fn print(table: &Table, out: &mut dyn Write) -> Result<()> {
    for line in table.to_string().lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn benchmarks(world: &World, out: &mut dyn Write) -> Result<()> {
    let mut table = table();
    table.set_header(["benchmark", "category", "measures"]);
    for benchmark in &world.catalogue.benchmarks {
        table.add_row([&benchmark.name, &benchmark.category, &benchmark.measures]);
    }
    print(&table, out)
}

fn presets(world: &World, out: &mut dyn Write) -> Result<()> {
    let mut table = table();
    table.set_header(["preset", "benchmarks", "meaning"]);
    for (i, (name, meaning)) in FAMILIES.into_iter().enumerate() {
        let all = world.catalogue.benchmarks.iter();
        let with = all.filter(|b| b.presets.keys().any(|preset| family(preset) == Some(i)));
        table.add_row([name, &with.count().to_string(), meaning]);
    }
    print(&table, out)?;
    let names = Catalogue::presets(&world.catalogue.benchmarks);
    let suffixed: Vec<&str> = names.into_iter().filter(|name| name.contains('-')).collect();
    if !suffixed.is_empty() {
        writeln!(
            out,
            "\nSome benchmarks have several of a kind, such as {}: `scoville show BENCHMARK`, --preset 'thesis*'",
            suffixed[..suffixed.len().min(3)].join(", ")
        )?;
    }
    Ok(())
}

fn runtimes(world: &World, out: &mut dyn Write) -> Result<()> {
    let tools = prepare::inspect(world.runtimes.all.iter());
    let states: Vec<State> = ask_all(&world.runtimes.all, &tools);
    let mut table = table();
    table.set_header(["runtime", "language", "version", "state"]);
    for (runtime, state) in world.runtimes.all.iter().zip(&states) {
        table.add_row([&runtime.listed(), &runtime.language, &state.version, &state.text]);
    }
    print(&table, out)?;
    writeln!(out)?;
    coverage(world, &states, out)?;
    if !world.runtimes.mistakes.is_empty() {
        writeln!(
            out,
            "\nwrong manifests:\n{}",
            world::lines(&world.runtimes.mistakes)
        )?;
    }
    Ok(())
}

/// What a runtime says of itself.
pub struct State {
    /// Whether it can be used, and if not, why.
    pub text: String,
    /// Its version, if it could be asked.
    pub version: String,
    /// What it offers, if it could be asked.
    pub benchmarks: Option<Vec<String>>,
}

/// Asks all runtimes at the same time.
pub fn ask_all(runtimes: &[Runtime], tools: &BTreeMap<String, Tools>) -> Vec<State> {
    thread::scope(|scope| {
        let asked: Vec<_> = runtimes
            .iter()
            .map(|runtime| scope.spawn(|| ask(runtime, &tools[&runtime.name])))
            .collect();
        asked
            .into_iter()
            .map(|asked| asked.join().expect("asking does not panic"))
            .collect()
    })
}

fn ask(runtime: &Runtime, tools: &Tools) -> State {
    let unknown = |text: String| State {
        text,
        version: String::new(),
        benchmarks: None,
    };
    if let Some(reason) = tools.unusable() {
        return unknown(format!("missing: {reason}"));
    }
    if !prepare::is_built(runtime, tools) {
        return unknown("not built: `scoville build`, or `run` does it".into());
    }
    match prepare::greet(runtime) {
        Ok(hello) => State {
            text: "ready".into(),
            version: hello.version,
            benchmarks: Some(hello.benchmarks),
        },
        Err(reason) => unknown(format!("does not start: {reason}")),
    }
}

fn coverage(world: &World, states: &[State], out: &mut dyn Write) -> Result<()> {
    let mut table = table();
    let names = world.runtimes.all.iter().map(Runtime::listed);
    table.set_header([String::from("coverage")].into_iter().chain(names));
    for benchmark in &world.catalogue.benchmarks {
        let marks = states.iter().map(|state| match &state.benchmarks {
            Some(can) if can.contains(&benchmark.name) => "yes".to_owned(),
            Some(_) => "-".to_owned(),
            None => "?".to_owned(),
        });
        table.add_row([benchmark.name.clone()].into_iter().chain(marks));
    }
    print(&table, out)
}
