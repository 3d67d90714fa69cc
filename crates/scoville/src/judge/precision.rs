//! How precise a group is so far: the cheap path for the stopping rule.

use std::slice;

use crate::model::event::{Event, What};
use crate::model::plan::{GroupKey, Plan};
use crate::stats::{order_statistics, quantile, student};

use super::CONFIDENCE;
use super::cell::EXACT_FROM;
use super::pair::typical;
use super::point::wall;
use super::replay::{GroupLog, replay_groups};

/// The widest relative half-width of a wall-time ratio to the baseline in this group: 0.02 says that every ratio is known
/// within 2 %. Where the baseline has no numbers the first competitor that has some stands in; where only one competitor
/// has numbers it is the half-width of its own estimate.
///
/// `None` while that cannot be said: some competitor with numbers has no interval yet, nobody has numbers, or there is no
/// such group. Cells that failed or are void do not keep a group going.
pub fn precision(events: &[Event], group: &GroupKey) -> Option<f64> {
    let plan = plan(events)?;
    let group = plan.groups.iter().find(|g| g.key == *group)?;
    let logs = replay_groups(events, slice::from_ref(group));
    let walls: Vec<Walls> = (0..group.competitors.len())
        .filter_map(|c| walls(&logs[0], c))
        .collect();
    let reference = walls
        .iter()
        .position(|walls| group.competitors[walls.competitor].runtime == plan.baseline)
        .unwrap_or(0);
    let base = walls.get(reference)?;
    if walls.len() == 1 {
        return own_half_width(base);
    }
    let others = walls.iter().enumerate().filter(|(i, _)| *i != reference);
    let widths: Option<Vec<f64>> = others.map(|(_, other)| half_width(other, base)).collect();
    widths?.into_iter().reduce(f64::max)
}

fn plan(events: &[Event]) -> Option<&Plan> {
    match &events.first()?.what {
        What::SessionStarted { plan, .. } => Some(plan),
        _ => None,
    }
}

/// Logarithms of a competitor's wall summaries by block.
struct Walls {
    competitor: usize,
    logs: Vec<(u32, f64)>,
}

/// `None` where the competitor has no numbers.
fn walls(log: &GroupLog<'_>, competitor: usize) -> Option<Walls> {
    let runs = || log.runs.iter().filter(|run| run.competitor == competitor);
    if runs().any(|run| run.wrong().is_some()) {
        return None;
    }
    let usable = runs().filter(|run| run.usable());
    let logs: Vec<(u32, f64)> = usable
        .filter_map(|run| Some((run.block, wall(run.invocation)?.ln())))
        .collect();
    (!logs.is_empty()).then_some(Walls { competitor, logs })
}

fn half_width(a: &Walls, b: &Walls) -> Option<f64> {
    let of_block = |block: u32| {
        b.logs
            .iter()
            .find(|(other, _)| *other == block)
            .map(|(_, log)| *log)
    };
    let logs: Vec<f64> = a
        .logs
        .iter()
        .filter_map(|(block, log)| Some(log - of_block(*block)?))
        .collect();
    Some(typical(&logs)?.interval?.half_width().exp_m1())
}

fn own_half_width(walls: &Walls) -> Option<f64> {
    let logs = quantile::sorted(&walls.logs.iter().map(|(_, log)| *log).collect::<Vec<_>>());
    let interval = if logs.len() < EXACT_FROM {
        student::interval(&logs, CONFIDENCE)
    } else {
        order_statistics::median_interval(&logs, CONFIDENCE)
    };
    Some(interval?.half_width().exp_m1())
}
