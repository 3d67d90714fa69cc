//! `scoville show`.

use std::io::Write;

use anyhow::{Result, bail};

use super::Exit;
use super::world::World;
use crate::model::runtime::Runtime;
use crate::render::sheet;
use crate::suggest;

/// Shows a benchmark or a runtime.
pub fn run(world: &World, name: &str, out: &mut dyn Write) -> Result<Exit> {
    if let Ok(benchmark) = world.catalogue.get(name) {
        out.write_all(sheet::terminal(benchmark).as_bytes())?;
    } else if world.runtimes.get(without_policy(name)).is_ok() {
        for selection in world.select(&[name.to_owned()])? {
            show_runtime(world, &selection.runtime, out)?;
        }
    } else {
        let known: Vec<&str> = world.catalogue.names().chain(world.runtimes.names()).collect();
        bail!(
            "`{name}` is neither a benchmark nor a runtime: {}",
            suggest::advice(name, known)
        );
    }
    Ok(Exit::Good)
}

fn without_policy(name: &str) -> &str {
    name.split_once(':').map_or(name, |(name, _)| name)
}

fn show_runtime(world: &World, runtime: &Runtime, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{} - {} ({})", runtime.name, runtime.title, runtime.language)?;
    if !runtime.by_default() {
        writeln!(
            out,
            "{:<10} measured only when asked for: --runtime {}",
            if runtime.variant { "variant" } else { "on request" },
            runtime.name
        )?;
    }
    if !runtime.homepage.is_empty() {
        writeln!(out, "home page  {}", runtime.homepage)?;
    }
    writeln!(out, "command    {}", runtime.launch.command.join(" "))?;
    writeln!(out, "folder     {}", runtime.launch.cwd.display())?;
    if let Some(policies) = world
        .runtimes
        .policies
        .get(&runtime.name)
        .filter(|p| !p.is_empty())
    {
        writeln!(
            out,
            "policies   {}   as in {}:{}",
            policies.join(", "),
            runtime.name,
            policies[0]
        )?;
    }
    for requirement in runtime.all_requires() {
        let version = requirement
            .minimum
            .as_ref()
            .map_or(String::new(), |m| format!(" {m} or later"));
        writeln!(
            out,
            "needs      {}{version}: {}",
            requirement.program[0], requirement.install
        )?;
    }
    match &runtime.build {
        None => writeln!(out, "build      not needed")?,
        Some(build) => {
            writeln!(out, "build      {}", build.command.join(" "))?;
            writeln!(out, "built in   {}", build.out.display())?;
        }
    }
    Ok(())
}
