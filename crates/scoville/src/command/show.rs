//! `scoville show`.

use std::io::Write;

use anyhow::{Result, bail};

use super::Exit;
use super::list::{print, table};
use super::world::World;
use crate::catalogue::{Catalogue, arguments};
use crate::model::benchmark::Benchmark;
use crate::model::runtime::Runtime;
use crate::suggest;

/// Shows a benchmark or a runtime.
pub fn run(world: &World, name: &str, out: &mut dyn Write) -> Result<Exit> {
    if let Ok(benchmark) = world.catalogue.get(name) {
        show_benchmark(benchmark, out)?;
    } else if let Ok(runtime) = world.runtimes.get(name) {
        show_runtime(world, runtime, out)?;
    } else {
        let known: Vec<&str> = world.catalogue.names().chain(world.runtimes.names()).collect();
        bail!(
            "`{name}` is neither a benchmark nor a runtime: {}",
            suggest::advice(name, known)
        );
    }
    Ok(Exit::Good)
}

fn show_benchmark(b: &Benchmark, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{} - {} ({} {})\n", b.name, b.title, b.category, b.number)?;
    writeln!(out, "{}", b.description.trim())?;
    writeln!(out, "\nmeasures   {}\norigin     {}", b.measures, b.origin)?;
    writeln!(out, "actors     {}\nmessages   {}\n", b.actors, b.messages)?;
    let mut parameters = table();
    parameters.set_header(["parameter", "", "meaning", "range"]);
    for p in &b.parameters {
        parameters.add_row([&p.name, &p.symbol, &p.meaning, &arguments::demand(p)]);
    }
    print(&parameters, out)?;
    writeln!(out)?;
    let mut fields = table();
    fields.set_header(["verified", "meaning", "formula"]);
    for field in &b.fields {
        fields.add_row([&field.name, &field.meaning, &field.formula]);
    }
    print(&fields, out)?;
    writeln!(out)?;
    print(&sizes(b), out)?;
    for published in &b.published {
        writeln!(
            out,
            "\n{}, {}: {}",
            published.source, published.figure, published.note
        )?;
    }
    Ok(())
}

fn sizes(b: &Benchmark) -> comfy_table::Table {
    let mut sizes = table();
    let parameters = b.parameters.iter().map(|p| p.name.clone());
    let fields = b.fields.iter().map(|f| f.name.clone());
    let work = ["actors".to_owned(), "messages".to_owned()];
    sizes.set_header(
        ["size".to_owned()]
            .into_iter()
            .chain(parameters)
            .chain(work)
            .chain(fields),
    );
    for name in Catalogue::presets([b]) {
        let preset = &b.presets[name];
        let parameters = b
            .parameters
            .iter()
            .map(|p| preset.parameters[&p.name].to_string());
        let fields = b.fields.iter().map(|f| match preset.expect.get(&f.name) {
            Some(value) => value.to_string(),
            None => "-".into(),
        });
        let messages = match (preset.work.messages, b.messages_plus.is_empty()) {
            (Some(messages), true) => messages.to_string(),
            (Some(messages), false) => format!("{messages} + ..."),
            (None, _) => "-".into(),
        };
        let work = [preset.work.actors.to_string(), messages];
        sizes.add_row(
            [name.to_owned()]
                .into_iter()
                .chain(parameters)
                .chain(work)
                .chain(fields),
        );
    }
    sizes
}

fn show_runtime(world: &World, runtime: &Runtime, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "{} - {} ({})", runtime.name, runtime.title, runtime.language)?;
    if runtime.variant {
        writeln!(
            out,
            "variant    measured only when asked for: --runtime {}",
            runtime.name
        )?;
    }
    writeln!(out, "home page  {}", runtime.homepage)?;
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
    for requirement in &runtime.requires {
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
