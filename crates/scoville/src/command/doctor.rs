//! `scoville doctor`.

use std::io::Write;

use anyhow::Result;

use super::world::World;
use super::{Exit, prepare, world};
use crate::drive::Host as _;
use crate::model::machine::{Level, Machine};
use crate::model::reading::Reading;

/// Says what is missing and what makes numbers noisy. Changes nothing.
pub fn run(world: &World, out: &mut dyn Write) -> Result<Exit> {
    let (machine, findings) = super::run::host()?.machine();
    show_machine(&machine, out)?;
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

fn show_machine(machine: &Machine, out: &mut dyn Write) -> Result<()> {
    let text = |reading: &Reading<String>| match reading {
        Reading::Known { value, .. } => value.clone(),
        Reading::Unavailable { unavailable } => format!("unknown: {unavailable}"),
    };
    writeln!(
        out,
        "CPU             {}, {} usable",
        text(&machine.cpu_model),
        machine.cpus.len()
    )?;
    writeln!(out, "kernel          {}", text(&machine.kernel))?;
    writeln!(out, "distribution    {}", text(&machine.distribution))?;
    writeln!(out, "virtualisation  {}", text(&machine.virtualisation))?;
    writeln!(out, "control groups  {}", text(&machine.cgroup))?;
    let countable = machine
        .events
        .values()
        .filter(|event| event.value() == Some(&true))
        .count();
    writeln!(
        out,
        "events          {countable} of {} can be counted",
        machine.events.len()
    )?;
    for (name, fact) in &machine.facts {
        writeln!(out, "{name:<15} {}", text(fact))?;
    }
    Ok(())
}

fn runtimes(world: &World, out: &mut dyn Write) -> Result<()> {
    let tools = prepare::inspect(world.runtimes.all.iter());
    for runtime in &world.runtimes.all {
        let tools = &tools[&runtime.name];
        let built = prepare::is_built(runtime, tools);
        let state = match tools.missing.is_empty() {
            true if built => "ready",
            true => "ready to be built: scoville build, or run does it",
            false => "missing",
        };
        writeln!(out, "{:<15} {state}", runtime.listed())?;
        for (what, install) in &tools.missing {
            writeln!(out, "                {what}")?;
            writeln!(out, "                {install}")?;
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
