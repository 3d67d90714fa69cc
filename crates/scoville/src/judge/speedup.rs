//! Strong scaling: how many times faster the same work is on more cores.

use crate::model::analysis::{Cell, GroupAnalysis, Measure, Speedup};

use super::unpaired::quotient;

/// Every cell that has numbers, relative to the same runtime on the fewest cores that it has numbers on; nothing for a
/// runtime that has them on one number of cores only. Different core counts never share a block, so the quotients are
/// not paired.
pub(super) fn speedups(groups: &[GroupAnalysis]) -> Vec<Speedup> {
    groups
        .iter()
        .flat_map(|group| group.cells.iter().filter_map(|cell| speedup(groups, group, cell)))
        .collect()
}

fn speedup(groups: &[GroupAnalysis], group: &GroupAnalysis, cell: &Cell) -> Option<Speedup> {
    let key = &group.key;
    let same = groups
        .iter()
        .filter(|g| g.key.benchmark == key.benchmark && g.key.preset == key.preset);
    let mut mine: Vec<(u32, &Cell)> = same
        .filter_map(|g| Some((g.key.cores, g.cells.iter().find(|c| c.runtime == cell.runtime)?)))
        .filter(|(_, c)| quotient(c, c, Measure::Wall).is_some())
        .collect();
    mine.sort_by_key(|(cores, _)| *cores);
    let (fewest, reference) = *mine.first().filter(|_| mine.len() > 1)?;
    let mut speedup = quotient(reference, cell, Measure::Wall)?;
    if key.cores == fewest {
        // It is 1 by definition, not by measurement.
        speedup.interval = None;
    }
    Some(Speedup {
        benchmark: key.benchmark.clone(),
        preset: key.preset.clone(),
        runtime: cell.runtime.clone(),
        cores: key.cores,
        ideal: f64::from(key.cores) / f64::from(fewest),
        speedup,
    })
}
