//! What to do next: a pure function of the plan and of the events so far.
//!
//! A session is a sequence of [`Step`]s. Each step becomes one [`Event`], the event goes into the log, and
//! [`Progress::apply`] takes it into account. Because the state is nothing but the replayed events, a resumed session
//! goes on exactly as the first one would have.

mod draw;
pub mod growth;
mod progress;

pub use draw::{block_order, padding};
use progress::LABORATORY_TRIES;
pub use progress::{Block, Climber, GroupProgress, Progress, Settled};

use crate::model::event::{Event, StopReason};
use crate::model::plan::{GroupKey, LadderKey, Plan};
use crate::model::runtime::RuntimeName;

/// The next thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Begin a block.
    StartBlock {
        /// Its group.
        group: GroupKey,
        /// Its number within the group.
        block: u32,
        /// Competitors in the order in which they will run.
        order: Vec<RuntimeName>,
        /// Environment padding, bytes.
        padding: u32,
    },
    /// Run one invocation of the open block.
    Invoke {
        /// Its group.
        group: GroupKey,
        /// Its block.
        block: u32,
        /// Its runtime.
        runtime: RuntimeName,
        /// Environment padding of the block, bytes.
        padding: u32,
    },
    /// The open block is complete.
    FinishBlock {
        /// Its group.
        group: GroupKey,
        /// Its number.
        block: u32,
    },
    /// A group needs no further block.
    FinishGroup {
        /// The group.
        group: GroupKey,
        /// Why.
        reason: StopReason,
    },
    /// Let a runtime try the next step of a ladder.
    Climb {
        /// The ladder.
        ladder: LadderKey,
        /// The runtime.
        runtime: RuntimeName,
        /// The value of the parameter that grows.
        size: i64,
    },
    /// Nothing is left to do.
    End {
        /// Why.
        reason: StopReason,
    },
}

/// What the schedule has to know of the data. The judge answers; tests answer in its place. `events` is the whole session.
pub trait Assess {
    /// The widest relative half-width among the intervals of a group's ratios to the baseline; `None` while it is unknown.
    fn half_width(&self, events: &[Event], group: &GroupKey) -> Option<f64>;

    /// Numbers of the group's blocks that the sensors flagged. Never a function of the measured times.
    fn contaminated(&self, events: &[Event], group: &GroupKey) -> Vec<u32>;
}

/// Blocks that may be repeated because their sensors flagged them, relative to the blocks of the group.
const EXTRA_SHARE: f64 = 0.2;

/// How many blocks of a group with so many may be repeated.
fn repetitions(blocks: u32) -> u32 {
    (f64::from(blocks) * EXTRA_SHARE).floor() as u32
}

/// The next step of a session that nobody interrupts.
pub fn next(plan: &Plan, progress: &Progress, assess: &dyn Assess) -> Step {
    if let Some(step) = in_open_block(progress) {
        return step;
    }
    if let Some((group, reason)) = finished_group(plan, progress, assess) {
        return Step::FinishGroup { group, reason };
    }
    if let Some(group) = next_group(plan, progress).or_else(|| group_to_repeat(plan, progress, assess)) {
        return start_block(plan, progress, group);
    }
    if progress.laboratory_failures >= LABORATORY_TRIES {
        return Step::End {
            reason: StopReason::Laboratory,
        };
    }
    if let Some(step) = next_rung(plan, progress) {
        return step;
    }
    Step::End {
        reason: overall_reason(plan, progress),
    }
}

/// The smallest step that any runtime has to try, so that what the machine does over minutes hits all alike. Who begins
/// is drawn anew for every size.
fn next_rung(plan: &Plan, progress: &Progress) -> Option<Step> {
    if budget_is_spent(plan, progress) {
        return None;
    }
    for (ladder, climbers) in plan.ladders.iter().zip(&progress.ladders) {
        let next = |climber: &Climber| growth::next_size(ladder, &climber.tried);
        let Some(size) = climbers.iter().filter_map(next).min() else {
            continue;
        };
        let waiting = climbers.iter().filter(|climber| next(climber) == Some(size));
        let names = waiting.map(|climber| climber.runtime.clone()).collect();
        let order = draw::rung_order(plan.seed, &ladder.key, size, names);
        return order.into_iter().next().map(|runtime| Step::Climb {
            ladder: ladder.key.clone(),
            runtime,
            size,
        });
    }
    None
}

fn in_open_block(progress: &Progress) -> Option<Step> {
    let (key, block) = progress.open_block()?;
    let group = key.clone();
    Some(match block.missing().next() {
        Some(runtime) => Step::Invoke {
            group,
            block: block.number,
            runtime: runtime.clone(),
            padding: block.padding,
        },
        None => Step::FinishBlock {
            group,
            block: block.number,
        },
    })
}

/// The first group for which measuring should stop now.
fn finished_group(plan: &Plan, progress: &Progress, assess: &dyn Assess) -> Option<(GroupKey, StopReason)> {
    let groups = plan.groups.iter().zip(&progress.groups);
    groups
        .filter(|(_, state)| !state.finished)
        .find_map(|(group, state)| {
            stop_reason(plan, progress, state, &group.key, assess).map(|why| (group.key.clone(), why))
        })
}

fn stop_reason(
    plan: &Plan,
    progress: &Progress,
    state: &GroupProgress,
    key: &GroupKey,
    assess: &dyn Assess,
) -> Option<StopReason> {
    if let Some(settled) = state.settled {
        // It was opened again for a repetition, which changes nothing about why it had stopped.
        return Some(settled.reason);
    }
    let blocks = state.blocks.len() as u32;
    if state.live().next().is_none() {
        return Some(StopReason::Failed);
    }
    if blocks >= plan.method.max_blocks {
        return Some(StopReason::Max);
    }
    if blocks >= plan.method.sure_blocks() && budget_is_spent(plan, progress) {
        return Some(StopReason::Budget);
    }
    let target = plan
        .method
        .target
        .filter(|_| blocks >= plan.method.min_blocks.max(2))?;
    let width = assess.half_width(&progress.events, key)?;
    (width <= target).then_some(StopReason::Target)
}

fn budget_is_spent(plan: &Plan, progress: &Progress) -> bool {
    plan.method
        .budget_ns
        .is_some_and(|budget| progress.spent_ns >= budget)
}

/// Groups take turns: the one with the fewest blocks is next, in an order drawn anew for every round. The first round
/// keeps the plan's order, so that its output can be read along the catalogue.
fn next_group(plan: &Plan, progress: &Progress) -> Option<usize> {
    let open = |index: &usize| progress.groups[*index].settled.is_none();
    let round = (0..plan.groups.len())
        .filter(open)
        .map(|i| progress.groups[i].blocks.len())
        .min()?;
    let turn = draw::round_order(plan.seed, plan.groups.len(), round as u32);
    turn.into_iter()
        .filter(open)
        .find(|&i| progress.groups[i].blocks.len() == round)
}

/// A settled group with a contaminated block that was not repeated yet, as far as budget and [`EXTRA_SHARE`] allow.
fn group_to_repeat(plan: &Plan, progress: &Progress, assess: &dyn Assess) -> Option<usize> {
    if budget_is_spent(plan, progress) {
        return None;
    }
    (0..plan.groups.len()).find(|&i| {
        let state = &progress.groups[i];
        let regular = state.settled.map_or(0, |settled| settled.blocks);
        let extra = state.blocks.len() - regular as usize;
        if extra >= repetitions(regular) as usize || state.live().next().is_none() {
            return false;
        }
        let flagged = assess.contaminated(&progress.events, &state.key);
        extra < flagged.iter().filter(|&&block| block < regular).count()
    })
}

fn start_block(plan: &Plan, progress: &Progress, index: usize) -> Step {
    let group = plan.groups[index].key.clone();
    let block = progress.groups[index].blocks.len() as u32;
    let live: Vec<RuntimeName> = progress.groups[index].live().cloned().collect();
    Step::StartBlock {
        order: block_order(plan.seed, &group, block, live),
        padding: padding(plan.seed, &group, block),
        group,
        block,
    }
}

/// One reason for the session: the one that a user most needs to know.
fn overall_reason(plan: &Plan, progress: &Progress) -> StopReason {
    if plan.groups.is_empty() {
        return if budget_is_spent(plan, progress) {
            StopReason::Budget
        } else {
            StopReason::Max
        };
    }
    let reasons: Vec<StopReason> = progress
        .groups
        .iter()
        .filter_map(|g| Some(g.settled?.reason))
        .collect();
    let has = |reason| reasons.contains(&reason);
    if reasons.iter().all(|&r| r == StopReason::Failed) {
        StopReason::Failed
    } else if has(StopReason::Budget) {
        StopReason::Budget
    } else if has(StopReason::Max) {
        StopReason::Max
    } else {
        StopReason::Target
    }
}
