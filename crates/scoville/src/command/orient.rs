//! `scoville` alone: a dozen lines of orientation.

use std::io::Write;

use anyhow::Result;

use super::world::World;
use super::{Exit, prepare};
use crate::session::TOOL;

/// Says what is ready, what is missing and what to type first.
pub fn run(world: &World, out: &mut dyn Write) -> Result<Exit> {
    let tools = prepare::inspect(world.runtimes.all.iter());
    let (plain, named): (Vec<_>, Vec<_>) = world.runtimes.all.iter().partition(|r| r.by_default());
    let (missing, ready): (Vec<_>, Vec<_>) = plain
        .iter()
        .partition(|runtime| !tools[&runtime.name].missing.is_empty());
    let names = |list: &[&crate::model::runtime::Runtime]| -> String {
        let names: Vec<&str> = list.iter().map(|r| r.name.as_str()).collect();
        names.join("  ")
    };
    writeln!(
        out,
        "{TOOL} - compare actor runtimes.  {} benchmarks, {} runtimes known, {} usable here",
        world.catalogue.benchmarks.len(),
        plain.len(),
        ready.len()
    )?;
    writeln!(out, "  ready    {}", names(&ready))?;
    if !missing.is_empty() {
        writeln!(out, "  missing  {}   -> scoville doctor", names(&missing))?;
    }
    let (variants, others): (Vec<_>, Vec<_>) = named.into_iter().partition(|r| r.variant);
    if !variants.is_empty() {
        writeln!(out, "  variants {}   only when asked for", names(&variants))?;
    }
    if !others.is_empty() {
        writeln!(out, "  others   {}   only when asked for", names(&others))?;
    }
    if !world.runtimes.mistakes.is_empty() {
        writeln!(
            out,
            "  wrong    {} mistakes in manifests   -> scoville doctor",
            world.runtimes.mistakes.len()
        )?;
    }
    if world.home.root.is_none() {
        writeln!(
            out,
            "  outside a checkout: only the built-in runtimes; --home DIR names one"
        )?;
    }
    writeln!(
        out,
        "Start:  scoville run --quick micro   a first impression, about 90 s"
    )?;
    writeln!(
        out,
        "        scoville run pingpong        one benchmark, carefully"
    )?;
    writeln!(out, "        scoville list                what there is")?;
    match crate::log::sessions(&world.results).last() {
        Some(last) => writeln!(
            out,
            "        scoville report --open       the last session, {last}"
        )?,
        None => writeln!(out, "        scoville --help              all commands")?,
    }
    Ok(Exit::Good)
}
