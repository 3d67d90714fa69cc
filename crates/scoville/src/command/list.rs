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
use crate::digits::number_of;
use crate::model::runtime::Runtime;
use crate::render::terminal::{self, Screen};

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

/// A table without lines, as wide as its contents.
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

/// Which runtimes can run what, those that can run the same together: a table of all would be wider than any screen.
fn coverage(world: &World, states: &[State], out: &mut dyn Write) -> Result<()> {
    let all: Vec<&str> = (world.catalogue.benchmarks.iter())
        .map(|benchmark| benchmark.name.as_str())
        .collect();
    let mut kinds: Vec<(Option<Vec<&str>>, Vec<&str>)> = Vec::new();
    for (runtime, state) in world.runtimes.all.iter().zip(states) {
        let offered = (state.benchmarks.as_ref()).map(|can| {
            let known = all.iter().filter(|name| can.iter().any(|c| c == *name));
            known.copied().collect::<Vec<&str>>()
        });
        match kinds.iter_mut().find(|(kind, _)| *kind == offered) {
            Some((_, runtimes)) => runtimes.push(&runtime.name),
            None => kinds.push((offered, vec![&runtime.name])),
        }
    }
    writeln!(out, "what they can run")?;
    for (kind, runtimes) in kinds {
        let line = format!("{}: {}", offer(kind.as_deref(), all.len()), runtimes.join(", "));
        write!(out, "{}", terminal::wrapped(&line, Screen::stdout().width))?;
    }
    Ok(())
}

/// How many benchmarks are offered, and which if it is not all of them.
fn offer(offered: Option<&[&str]>, all: usize) -> String {
    match offered {
        None => "not known".into(),
        Some([]) => format!("none of {}", number_of(all, "benchmark")),
        Some(some) if some.len() == all => format!("all {}", number_of(all, "benchmark")),
        Some(some) => format!(
            "{} of {} ({})",
            some.len(),
            number_of(all, "benchmark"),
            some.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::offer;

    #[test]
    fn what_is_offered_is_named_unless_it_is_everything() {
        assert_eq!(offer(None, 3), "not known");
        assert_eq!(offer(Some(&[]), 3), "none of 3 benchmarks");
        assert_eq!(offer(Some(&["fib", "big"]), 3), "2 of 3 benchmarks (fib, big)");
        assert_eq!(offer(Some(&["fib", "big", "count"]), 3), "all 3 benchmarks");
    }
}
