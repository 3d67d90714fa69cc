//! `scoville status`.

use std::io::Write;

use anyhow::Result;

use super::list::{print, table};
use super::plan::human;
use super::progress::{self, place};
use super::world::World;
use super::{Exit, run, sessions};
use crate::digits::number_of;
use crate::model::event::StopReason;
use crate::model::plan::Plan;
use crate::schedule::{Progress, growth};
use crate::session::opening;
use crate::{log, session};

/// Says how far a session is. Reads only, so it may be asked at any time.
pub fn run(world: &World, session: Option<&str>, out: &mut dyn Write) -> Result<Exit> {
    let folder = sessions::find(&world.results, session)?;
    let replay = log::read(&folder)?;
    let (plan, _) = opening(&replay.events);
    let progress = session::replay(&folder, &replay)?;
    let running = log::is_written(&folder);
    writeln!(out, "session  {}", folder.display())?;
    writeln!(out, "state    {}", state(&progress, running))?;
    writeln!(
        out,
        "done     {}, {} of measuring",
        number_of(progress.invocations(), "invocation"),
        human(progress.spent_ns)
    )?;
    if progress.ended.is_none()
        && let Some(left) = progress::left(&progress, plan)
    {
        writeln!(out, "left     {}", left.trim_end_matches(" left"))?;
    }
    writeln!(out)?;
    if !plan.groups.is_empty() {
        groups(plan, &progress, out)?;
    }
    ladders(plan, &progress, out)?;
    if !running
        && !matches!(
            progress.ended,
            Some(StopReason::Target | StopReason::Max | StopReason::Budget | StopReason::Failed)
        )
    {
        writeln!(out, "\nnext     {}", run::resuming(world, &folder))?;
    }
    Ok(Exit::Good)
}

fn state(progress: &Progress, running: bool) -> &'static str {
    match progress.ended {
        _ if running => "running",
        None => "cut off; what was measured is kept",
        Some(StopReason::Target) => "complete: every ratio is known well enough",
        Some(StopReason::Max) => "complete: all blocks are measured",
        Some(StopReason::Budget) => "ended: the time budget is used up",
        Some(StopReason::User) => "ended by the user",
        Some(StopReason::Failed) => "ended: no runtime is left that works",
        Some(StopReason::MachineDirty) => "ended: a process could not be ended",
        Some(StopReason::Laboratory) => "ended: the laboratory could not start processes",
    }
}

fn ladders(plan: &Plan, progress: &Progress, out: &mut dyn Write) -> Result<()> {
    for (ladder, climbers) in plan.ladders.iter().zip(&progress.ladders) {
        let mut table = table();
        table.set_header(["grown", "runtime", "steps", "largest passed", "state"]);
        for climber in climbers {
            let passed = climber.tried.iter().filter(|(_, passed)| *passed);
            let largest = passed.map(|(size, _)| *size).max();
            let open = growth::next_size(ladder, &climber.tried).is_some();
            table.add_row([
                format!("{} on {}", ladder.key.benchmark, ladder.key.cores),
                climber.runtime.clone(),
                climber.tried.len().to_string(),
                largest.map_or("none".to_owned(), |size| size.to_string()),
                if open { "open" } else { "at its limit" }.to_owned(),
            ]);
        }
        print(&table, out)?;
    }
    Ok(())
}

/// Disturbed blocks are answered by further ones, which the method's number leaves out.
fn at_most(complete: usize, regular: u32) -> String {
    match complete.checked_sub(regular as usize) {
        None | Some(0) => regular.to_string(),
        Some(further) => format!("{regular}, and {further} for disturbed ones"),
    }
}

fn groups(plan: &Plan, progress: &Progress, out: &mut dyn Write) -> Result<()> {
    let mut table = table();
    table.set_header(["benchmark", "blocks", "of at most", "given up", "state"]);
    for group in &progress.groups {
        let competitors = plan.groups.iter().find(|g| g.key == group.key);
        let live: Vec<&String> = group.live().collect();
        let given_up: Vec<&str> = competitors
            .iter()
            .flat_map(|g| &g.competitors)
            .map(|c| c.runtime.as_str())
            .filter(|name| !live.iter().any(|l| l == name))
            .collect();
        // A block that was begun is measured again as a whole if the session was cut off in it.
        let complete = group.blocks.iter().filter(|block| block.closed).count();
        let state = if group.finished { "finished" } else { "open" };
        table.add_row([
            place(&group.key),
            complete.to_string(),
            at_most(complete, plan.method.max_blocks),
            given_up.join(" "),
            state.to_owned(),
        ]);
    }
    print(&table, out)
}

#[cfg(test)]
mod tests {
    use super::at_most;

    #[test]
    fn blocks_beyond_the_regular_ones_are_told_apart() {
        let told: Vec<String> = (4..=6).map(|complete| at_most(complete, 5)).collect();
        assert_eq!(told, ["5", "5", "5, and 1 for disturbed ones"]);
    }
}
