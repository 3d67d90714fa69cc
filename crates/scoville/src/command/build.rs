//! `scoville build`.

use std::io::Write;

use anyhow::Result;

use super::streams::Remarks;
use super::world::World;
use super::{Exit, prepare};
use crate::model::runtime::Build;
use crate::peers::build::{Built, check, missing};

/// Builds what needs it; one failure does not stop the others.
pub fn run(world: &World, runtimes: &[String], checked: bool, out: &mut dyn Write) -> Result<Exit> {
    let selections = world.select(runtimes)?;
    let tools = prepare::inspect(selections.iter().map(|s| &s.runtime));
    let built = prepare::build_all(&selections, &tools, &mut Remarks);
    let mut exit = Exit::Good;
    for (peer, result) in &built {
        match result {
            Ok(Built::Fresh) => writeln!(out, "{peer:<10} built")?,
            Ok(Built::UpToDate) => writeln!(out, "{peer:<10} up to date")?,
            Err(e) => {
                exit = Exit::RuntimeFailed;
                writeln!(out, "{peer:<10} FAILED: {e}")?;
            }
        }
    }
    for selection in &selections {
        let name = &selection.runtime.name;
        if let Some(reason) = tools[name].unusable() {
            if selection.named {
                exit = exit.without_a_named_one();
            }
            writeln!(out, "{name:<10} left out: {reason}")?;
        } else if selection.runtime.build.is_none() {
            writeln!(out, "{name:<10} nothing to build")?;
        } else if let Some(recipe) = &selection.runtime.build
            && built.get(&recipe.peer).is_some_and(Result::is_ok)
            && let Some(e) = missing(recipe)
        {
            exit = Exit::RuntimeFailed;
            writeln!(out, "{name:<10} FAILED: {e}")?;
        }
    }
    if checked {
        let recipes: Vec<&Build> = selections
            .iter()
            .filter_map(|s| s.runtime.build.as_ref())
            .filter(|recipe| built.get(&recipe.peer).is_some_and(Result::is_ok))
            .collect();
        exit = run_checks(&recipes, out, exit)?;
    }
    Ok(exit)
}

fn run_checks(recipes: &[&Build], out: &mut dyn Write, mut exit: Exit) -> Result<Exit> {
    let mut done: Vec<&str> = Vec::new();
    for recipe in recipes {
        let peer = recipe.peer.as_str();
        if done.contains(&peer) {
            continue;
        }
        done.push(peer);
        match check(recipe) {
            Ok(true) => writeln!(out, "{peer:<10} checks passed")?,
            Ok(false) => writeln!(out, "{peer:<10} has no checks of its own")?,
            Err(e) => {
                exit = Exit::RuntimeFailed;
                writeln!(out, "{peer:<10} FAILED: {e}")?;
            }
        }
    }
    Ok(exit)
}
