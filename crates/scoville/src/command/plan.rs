//! `scoville plan`, and what `run` shows of its plan before it begins.

use std::hash::{BuildHasher as _, RandomState};
use std::io::Write;

use anyhow::Result;

use super::args::PlanArgs;
use super::list::{print, table};
use super::world::World;
use super::{Exit, prepare};
use crate::digits::number_of;
use crate::model::machine::Machine;
use crate::model::plan::{Method, Plan};
use crate::plan::{Candidate, QUICK_NS, Request, fixed, grouped, quick, resolve, standard};

/// Time that starting and ending one invocation takes before anything is known, ns.
const OVERHEAD_NS: u64 = 150_000_000;

/// Shows what `run` would do. Nothing is built and nothing measured.
pub fn run(world: &World, arguments: &PlanArgs, out: &mut dyn Write) -> Result<Exit> {
    let (machine, _) = crate::drive::Host::machine(&mut super::run::host()?);
    let candidates = prepare::candidates_unbuilt(world.select(&arguments.filters.runtimes)?);
    let plan = make(world, arguments, &candidates, &machine)?;
    show(&plan, &machine, out)?;
    let mut cells = table();
    cells.set_header(["benchmark", "size", "cores", "CPUs", "runtimes"]);
    for group in &plan.groups {
        let competitors: Vec<&str> = group.competitors.iter().map(|c| c.runtime.as_str()).collect();
        let cpus: Vec<String> = group.cpus.iter().map(u32::to_string).collect();
        cells.add_row([
            &group.key.benchmark,
            &group.key.preset,
            &group.key.cores.to_string(),
            &cpus.join(","),
            &competitors.join(" "),
        ]);
    }
    writeln!(out)?;
    print(&cells, out)?;
    Ok(Exit::Good)
}

/// Resolves the arguments.
///
/// # Errors
/// Something was asked for that does not exist.
pub fn make(
    world: &World,
    arguments: &PlanArgs,
    candidates: &[Candidate],
    machine: &Machine,
) -> Result<Plan> {
    let request = Request {
        benchmarks: arguments.filters.benchmarks(),
        everything: false,
        presets: arguments.filters.presets("quick"),
        cores: arguments.filters.cores.clone(),
        variants: false,
        method: method(arguments),
        baseline: arguments.baseline.clone(),
        seed: arguments.seed.unwrap_or_else(draw_seed),
    };
    let mut plan = resolve(&request, &world.catalogue, candidates, &machine.cpus)?;
    if arguments.quick && arguments.budget.is_none() {
        plan.method.budget_ns = Some(QUICK_NS * plan.groups.len() as u64);
    }
    Ok(plan)
}

fn method(arguments: &PlanArgs) -> Method {
    let mut method = if arguments.quick { quick() } else { standard() };
    if let Some(blocks) = arguments.blocks {
        method = fixed(blocks, method);
    }
    if let Some(target) = arguments.target {
        method.target = Some(target);
        method.max_blocks = method.max_blocks.max(standard().max_blocks);
    }
    if let Some(budget) = arguments.budget {
        method.budget_ns = Some(u64::try_from(budget.as_nanos()).unwrap_or(u64::MAX));
    }
    method
}

/// Short enough to be typed again.
pub fn draw_seed() -> u64 {
    RandomState::new().hash_one("seed") % 1_000_000
}

/// The plan in a few lines: how much, how, how long, what is left out.
pub fn show(plan: &Plan, machine: &Machine, out: &mut dyn Write) -> Result<()> {
    if plan.groups.is_empty() {
        return show_ladders(plan, machine, out);
    }
    let cells: usize = plan.groups.iter().map(|group| group.competitors.len()).sum();
    let cpu = machine.cpu_model.value().map_or("unknown CPU", String::as_str);
    let cpus = number_of(machine.cpus.len(), "CPU");
    writeln!(out, "machine  {cpu}, {cpus} usable")?;
    writeln!(
        out,
        "plan     {} in {}, {}, baseline {}, seed {}",
        number_of(cells, "cell"),
        number_of(plan.groups.len(), "group"),
        describe(&plan.method),
        plan.baseline,
        plan.seed
    )?;
    writeln!(out, "time     {}", cost(plan, cells as u64))?;
    for line in grouped(&plan.skipped) {
        writeln!(out, "skipped  {line}")?;
    }
    Ok(())
}

/// The same for a plan that grows benchmarks. How long it takes depends on how far the runtimes get.
fn show_ladders(plan: &Plan, machine: &Machine, out: &mut dyn Write) -> Result<()> {
    let cpu = machine.cpu_model.value().map_or("unknown CPU", String::as_str);
    let cpus = number_of(machine.cpus.len(), "CPU");
    writeln!(out, "machine  {cpu}, {cpus} usable")?;
    for ladder in &plan.ladders {
        let runtimes: Vec<&str> = ladder.competitors.iter().map(|c| c.runtime.as_str()).collect();
        writeln!(
            out,
            "grow     {} on {}: {} from {} until a step fails, takes {} or has {} MiB: {}",
            ladder.key.benchmark,
            ladder.key.cores,
            ladder.parameter,
            ladder.from,
            human(ladder.limits.time_ns),
            ladder.limits.memory_bytes >> 20,
            runtimes.join(" ")
        )?;
    }
    let limit = match plan.method.budget_ns {
        Some(budget) => format!("at most {}", human(budget)),
        None => "until every runtime has come to its limit; --budget limits it".to_owned(),
    };
    writeln!(out, "time     {limit}")?;
    for line in grouped(&plan.skipped) {
        writeln!(out, "skipped  {line}")?;
    }
    Ok(())
}

fn describe(method: &Method) -> String {
    let blocks = match (method.min_blocks, method.max_blocks) {
        (min, max) if min == max => number_of(max as usize, "block"),
        (min, max) => format!("{min} to {max} blocks"),
    };
    let target = method.target.map_or(String::new(), |t| {
        format!(" until ratios are known within {:.1} %", t * 100.0)
    });
    format!("{blocks}{target} ({})", method.name)
}

/// What is known before anything ran: each invocation lasts at least its floor.
fn cost(plan: &Plan, cells: u64) -> String {
    let rule = plan.method.iterations;
    let time = |blocks: u32, ns: u64| {
        let invocations = cells.saturating_mul(u64::from(blocks));
        invocations.saturating_mul(ns + OVERHEAD_NS)
    };
    let least = time(plan.method.min_blocks, rule.floor_ns);
    let most = time(plan.method.max_blocks, rule.ceiling_ns);
    match plan.method.budget_ns {
        Some(budget) => {
            let (least, most) = (human(least.min(budget)), human(most.min(budget)));
            let range = if least == most {
                format!("about {most}")
            } else {
                format!("{least} to {most}")
            };
            let sure = match plan.method.sure_blocks() {
                1 => "one block",
                _ => "two blocks",
            };
            format!("{range}; {sure} of everything, however long that takes, and more as time allows")
        }
        None => format!(
            "{} to {}, known better after the first pass; --budget limits it",
            human(least),
            human(most)
        ),
    }
}

/// A duration for people: two figures at most.
pub fn human(ns: u64) -> String {
    match ns / 1_000_000_000 {
        s @ 0..90 => format!("{s} s"),
        s @ 90..5400 => format!("{} min", (s + 30) / 60),
        s => format!("{:.1} h", s as f64 / 3600.0),
    }
}
