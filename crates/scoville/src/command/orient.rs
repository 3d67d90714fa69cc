//! `scoville` alone: a dozen lines of orientation.

use std::io::Write;

use anyhow::Result;

use super::world::World;
use super::{Exit, next, prepare};
use crate::digits::number_of;
use crate::model::runtime::Runtime;
use crate::session::TOOL;

/// Says what is ready, what is missing and what to type first.
pub fn run(world: &World, out: &mut dyn Write) -> Result<Exit> {
    runtimes(world, out)?;
    if world.home.root.is_none() {
        writeln!(
            out,
            "  outside a checkout: only the built-in runtimes; --home DIR names one"
        )?;
    }
    first_steps(world, out)?;
    Ok(Exit::Good)
}

fn runtimes(world: &World, out: &mut dyn Write) -> Result<()> {
    let tools = prepare::inspect(world.runtimes.all.iter());
    let (plain, named): (Vec<_>, Vec<_>) = world.runtimes.all.iter().partition(|r| r.by_default());
    let (missing, ready): (Vec<_>, Vec<_>) = plain
        .iter()
        .partition(|runtime| !tools[&runtime.name].missing.is_empty());
    let (variants, others): (Vec<_>, Vec<_>) = named.into_iter().partition(|r| r.variant);
    writeln!(
        out,
        "{TOOL} - compare actor runtimes.  {}, {} known, {} usable here",
        number_of(world.catalogue.benchmarks.len(), "benchmark"),
        number_of(plain.len(), "runtime"),
        ready.len()
    )?;
    let mut list = |what: &str, runtimes: &[&Runtime], hint: &str| {
        let names: Vec<&str> = runtimes.iter().map(|r| r.name.as_str()).collect();
        writeln!(out, "  {what:<8} {}{hint}", names.join("  "))
    };
    list("ready", &ready, "")?;
    for (what, runtimes, hint) in [
        ("missing", missing, "   -> scoville doctor"),
        ("variants", variants, "   only when asked for"),
        ("others", others, "   only when asked for"),
    ] {
        if !runtimes.is_empty() {
            list(what, &runtimes, hint)?;
        }
    }
    if !world.runtimes.mistakes.is_empty() {
        writeln!(
            out,
            "  wrong    {} in manifests   -> scoville doctor",
            number_of(world.runtimes.mistakes.len(), "mistake")
        )?;
    }
    Ok(())
}

fn first_steps(world: &World, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "Start:  scoville run --quick micro   a first impression, about 90 s"
    )?;
    writeln!(
        out,
        "        scoville run pingpong        one benchmark, carefully"
    )?;
    writeln!(out, "        scoville list                what there is")?;
    match crate::log::sessions(&world.results)?.last() {
        Some(last) => writeln!(
            out,
            "        {:<26}   the last session, {last}",
            next::command(world, "report --open")
        )?,
        None => writeln!(out, "        scoville --help              all commands")?,
    }
    Ok(())
}
