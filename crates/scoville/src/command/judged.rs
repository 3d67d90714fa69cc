//! A session's log as the judge sees it.

use std::path::Path;

use anyhow::Result;

use super::Exit;
use super::world::World;
use crate::model::analysis::{Analysis, CellState, ClimbEnd};
use crate::model::event::Event;
use crate::model::plan::GroupKey;
use crate::schedule::Assess;
use crate::{judge, log, session};

/// The judge, as the schedule asks it.
#[derive(Clone, Copy, Debug)]
pub struct Judge;

impl Assess for Judge {
    fn half_width(&self, events: &[Event], group: &GroupKey) -> Option<f64> {
        judge::precision(events, group)
    }

    fn contaminated(&self, events: &[Event], group: &GroupKey) -> Vec<u32> {
        let all = judge::contaminated_blocks(events);
        let found = all.into_iter().find(|(key, _)| key == group);
        found.map_or(Vec::new(), |(_, blocks)| blocks)
    }
}

/// Judges the session in that folder. Its log may still grow.
///
/// # Errors
/// The log is damaged, or contradicts itself: nobody knows what its numbers are then.
pub fn analyse(world: &World, folder: &Path) -> Result<Analysis> {
    let replay = log::read(folder)?;
    session::replay(folder, &replay)?;
    Ok(judge::analyse(&replay.events, &world.catalogue.benchmarks)?)
}

/// What a session's cells say about its success: a wrong result weighs more than a crash.
pub fn exit(analysis: &Analysis) -> Exit {
    let states = || {
        analysis
            .groups
            .iter()
            .flat_map(|group| &group.cells)
            .map(|cell| &cell.state)
    };
    let mut climbs = analysis.ladders.iter().flat_map(|ladder| &ladder.climbs);
    let wrong = climbs.any(|climb| matches!(&climb.end, ClimbEnd::Fell { why, .. } if why == "wrong"));
    if wrong || states().any(|state| matches!(state, CellState::Void { .. })) {
        Exit::WrongResult
    } else if states().any(|state| matches!(state, CellState::Failed { .. } | CellState::Partly { .. })) {
        Exit::RuntimeFailed
    } else {
        Exit::Good
    }
}
