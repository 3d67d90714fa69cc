//! `scoville doctor`.

use std::io::Write;

use anyhow::Result;

use super::world::World;
use super::{Exit, prepare, world};
use crate::drive::Host as _;
use crate::model::machine::{Level, Machine};
use crate::model::reading::Reading;

/// The facts that decide most often how much numbers can be trusted; `--all` shows the others.
const FIRST: [&str; 5] = ["governor", "turbo", "load", "steal since boot", "power"];

/// Says what is missing and what makes numbers noisy. Changes nothing.
pub fn run(world: &World, all: bool, out: &mut dyn Write) -> Result<Exit> {
    let (machine, findings) = super::run::host()?.machine();
    show_machine(&machine, all, out)?;
    writeln!(out)?;
    runtimes(world, out)?;
    writeln!(out)?;
    for finding in &findings {
        let level = match finding.level {
            Level::Note => "note",
            Level::Warn => "WARN",
            Level::Stop => "STOP",
        };
        writeln!(out, "{level:<5} {}: {}", finding.what, finding.why)?;
        if !finding.mend.is_empty() {
            writeln!(out, "      {}", finding.mend)?;
        }
    }
    if findings.is_empty() {
        writeln!(out, "nothing on this machine speaks against measuring")?;
    }
    let stop = findings.iter().any(|finding| finding.level == Level::Stop);
    Ok(if stop { Exit::Impossible } else { Exit::Good })
}

fn show_machine(machine: &Machine, all: bool, out: &mut dyn Write) -> Result<()> {
    let text = |reading: &Reading<String>| match reading {
        Reading::Known { value, .. } => value.clone(),
        Reading::Unavailable { unavailable } => format!("unknown: {unavailable}"),
    };
    let countable = machine
        .events
        .values()
        .filter(|event| event.value() == Some(&true))
        .count();
    let mut lines = vec![
        (
            "CPU",
            format!("{}, {} usable", text(&machine.cpu_model), machine.cpus.len()),
        ),
        ("kernel", text(&machine.kernel)),
        ("distribution", text(&machine.distribution)),
        ("virtualisation", text(&machine.virtualisation)),
        ("control groups", text(&machine.cgroup)),
        (
            "events",
            format!("{countable} of {} can be counted", machine.events.len()),
        ),
    ];
    let facts = machine.facts.iter();
    let shown = facts
        .filter(|(name, fact)| all || (FIRST.contains(&name.as_str()) && fact.value().is_some()))
        .map(|(name, fact)| (name.as_str(), text(fact)));
    lines.extend(shown);
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, value) in lines {
        writeln!(out, "{}", format!("{name:<width$}  {value}").trim_end())?;
    }
    if !all {
        writeln!(out, "{:<width$}  scoville doctor --all", "more")?;
    }
    Ok(())
}

fn runtimes(world: &World, out: &mut dyn Write) -> Result<()> {
    let tools = prepare::inspect(world.runtimes.all.iter());
    let names = world.runtimes.all.iter().map(|runtime| runtime.listed().len());
    let width = names.max().unwrap_or_default();
    for runtime in &world.runtimes.all {
        let tools = &tools[&runtime.name];
        let built = prepare::is_built(runtime, tools);
        let state = match tools.missing.is_empty() {
            true if built => "ready",
            true => "ready to be built: scoville build, or run does it",
            false => "missing",
        };
        writeln!(out, "{:<width$}  {state}", runtime.listed())?;
        for (what, install) in &tools.missing {
            writeln!(out, "{:width$}  {what}", "")?;
            if let Some(install) = install {
                writeln!(out, "{:width$}  {install}", "")?;
            }
        }
    }
    if !world.runtimes.mistakes.is_empty() {
        writeln!(
            out,
            "\nwrong manifests:\n{}",
            world::lines(&world.runtimes.mistakes)
        )?;
    }
    Ok(())
}
