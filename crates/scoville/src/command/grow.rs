//! `scoville grow`.

use std::time::Duration;

use anyhow::{Result, bail};

use super::args::{GrowArgs, Memory};
use super::streams::{Paper, remark};
use super::world::World;
use super::{Exit, plan, prepare, run};
use crate::drive::Host;
use crate::model::machine::Machine;
use crate::model::plan::{GrowthLimits, Plan};
use crate::plan::{Candidate, Request, fixed, grow, standard};
use crate::probe::machine::available_memory;

/// Share of the machine's memory that a step may have.
const USUAL_SHARE: f64 = 0.7;
/// Share of what other programs have left.
const LARGEST_SHARE: f64 = 0.9;

/// Grows benchmarks until each runtime fails. The session is resumed, shown and exported as every other.
pub fn run(world: &World, arguments: &GrowArgs, out: &mut dyn Paper) -> Result<Exit> {
    let mut host = run::host()?;
    let (machine, _) = host.machine();
    let selections = world.select(&arguments.runtimes)?;
    let (memory_bytes, usual) = budget(arguments.memory, &machine)?;
    let limits = GrowthLimits {
        time_ns: nanoseconds(arguments.time),
        memory_bytes,
        bisections: arguments.bisect,
    };
    // What is wrong with the request is said before anything else.
    let candidates = prepare::candidates_unasked(&selections);
    make(world, arguments, limits, &candidates, &machine)?;
    if memory_bytes < usual {
        let [usual, free] = [usual, memory_bytes].map(|bytes| bytes >> 20);
        remark(format_args!(
            "memory   a step may have {free} MiB, not {usual} MiB, since other programs use the machine; --memory sets it"
        ));
    }
    if arguments.dry_run {
        let candidates = prepare::candidates_unbuilt(selections);
        let plan = make(world, arguments, limits, &candidates, &machine)?;
        plan::show(&plan, &machine, out)?;
        return Ok(Exit::Good);
    }
    run::start(
        world,
        &arguments.runtimes,
        &mut host,
        &|candidates, machine| make(world, arguments, limits, candidates, machine),
        out,
    )
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn make(
    world: &World,
    arguments: &GrowArgs,
    limits: GrowthLimits,
    candidates: &[Candidate],
    machine: &Machine,
) -> Result<Plan> {
    let mut method = fixed(1, standard());
    method.budget_ns = arguments.budget.map(nanoseconds);
    let request = Request {
        benchmarks: arguments.benchmarks.clone(),
        everything: true,
        presets: Vec::new(),
        cores: arguments.cores.clone(),
        variants: false,
        method,
        baseline: None,
        seed: arguments.seed.unwrap_or_else(plan::draw_seed),
    };
    Ok(grow(
        &request,
        limits,
        &world.catalogue,
        candidates,
        &machine.cpus,
    )?)
}

/// A limit beyond the machine's memory would not be met before the machine is out of it, and ends whatever it likes.
fn at_most_all(bytes: u64, machine: &Machine) -> Result<u64> {
    match machine.memory_bytes.value() {
        Some(total) if bytes > *total => bail!(
            "--memory: this machine has {} MiB, less than {} MiB; leave the option out for a limit that fits",
            total >> 20,
            bytes >> 20
        ),
        _ => Ok(bytes),
    }
}

/// The memory that a step may have, and what it would have where no other program used any, bytes.
fn budget(asked: Option<Memory>, machine: &Machine) -> Result<(u64, u64)> {
    let share = match asked {
        Some(Memory::Bytes(bytes)) => return at_most_all(bytes, machine).map(|all| (all, all)),
        Some(Memory::Share(share)) => share,
        None => USUAL_SHARE,
    };
    let Some(total) = machine.memory_bytes.value() else {
        bail!(
            "this machine does not tell how much memory it has; say how much a step may have with --memory 4GiB"
        );
    };
    let usual = (*total as f64 * share) as u64;
    let free = available_memory().filter(|_| asked.is_none());
    let free = free.map(|available| (available as f64 * LARGEST_SHARE) as u64);
    Ok(match free {
        Some(free) if free < usual => (free >> 20 << 20, usual),
        _ => (usual, usual),
    })
}
