//! The state of a session: its events, taken into account one after the other.

use crate::model::event::{Event, StopReason, What};
use crate::model::invocation::{FailureKind, Invocation, Outcome};
use crate::model::plan::{GroupKey, LadderKey, Plan};
use crate::model::runtime::RuntimeName;

use super::growth::{self, Fall, Why};
use super::repetitions;

/// A session is given up after this many steps of ladders in a row that failed by the laboratory's fault.
pub(super) const LABORATORY_TRIES: u32 = 2;
/// A competitor that never worked is given up after this many failures that another try might mend.
const TRIES: u32 = 2;
/// A competitor that has worked is given up after this many such failures in a row.
const FAILURES_IN_A_ROW: u32 = 3;

/// What has been done so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Groups in plan order.
    pub groups: Vec<GroupProgress>,
    /// Who has climbed how far, by ladder in plan order.
    pub ladders: Vec<Vec<Climber>>,
    /// Steps of ladders in a row that failed by the laboratory's fault, since the session was last begun or resumed.
    pub laboratory_failures: u32,
    /// Time spent in invocations, ns.
    pub spent_ns: u64,
    /// Why the session ended, if it did and was not resumed.
    pub ended: Option<StopReason>,
    /// Every event so far.
    pub events: Vec<Event>,
}

/// How far a runtime has climbed a ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct Climber {
    /// The runtime.
    pub runtime: RuntimeName,
    /// Sizes that it has tried, in that order, and whether it passed.
    pub tried: Vec<(i64, bool)>,
}

/// What has been done in one group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupProgress {
    /// Which group.
    pub key: GroupKey,
    /// Blocks by number; only the last may be open.
    pub blocks: Vec<Block>,
    /// Whether it has stopped and was not opened again.
    pub finished: bool,
    /// Why and when it stopped for the first time; further blocks repeat contaminated ones.
    pub settled: Option<Settled>,
    /// Competitors in plan order.
    competitors: Vec<(RuntimeName, Record)>,
}

/// The end of a group's regular blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Why.
    pub reason: StopReason,
    /// After how many blocks.
    pub blocks: u32,
}

/// One block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its number.
    pub number: u32,
    /// Competitors in the order in which they run.
    pub order: Vec<RuntimeName>,
    /// Environment padding, bytes.
    pub padding: u32,
    /// Competitors that have run.
    pub done: Vec<RuntimeName>,
    /// Whether its end is in the log.
    pub closed: bool,
}

impl Block {
    /// Competitors that have yet to run, in order.
    pub fn missing(&self) -> impl Iterator<Item = &RuntimeName> {
        self.order.iter().filter(|runtime| !self.done.contains(runtime))
    }
}

/// How one competitor has done in its group.
#[derive(Clone, Debug, Default, PartialEq)]
struct Record {
    succeeded: u32,
    failed_in_a_row: u32,
    hopeless: bool,
    total_ns: u64,
    runs: u32,
    longest_iteration_ns: Option<u64>,
}

impl Progress {
    /// The state before anything was done.
    pub fn new(plan: &Plan) -> Self {
        let groups = plan.groups.iter().map(|group| GroupProgress {
            key: group.key.clone(),
            blocks: Vec::new(),
            finished: false,
            settled: None,
            competitors: group
                .competitors
                .iter()
                .map(|c| (c.runtime.clone(), Record::default()))
                .collect(),
        });
        let ladders = plan.ladders.iter().map(|ladder| {
            let climbers = ladder.competitors.iter().map(|c| Climber {
                runtime: c.runtime.clone(),
                tried: Vec::new(),
            });
            climbers.collect()
        });
        Self {
            groups: groups.collect(),
            ladders: ladders.collect(),
            ..Self::default()
        }
    }

    /// The state after these events.
    ///
    /// # Errors
    /// The number of the first event (from 1, as its line in the log) that cannot follow the ones before it, and why.
    pub fn replay(plan: &Plan, events: &[Event]) -> Result<Self, (usize, String)> {
        let mut progress = Self::new(plan);
        for (index, event) in events.iter().enumerate() {
            progress
                .apply(plan, event.clone())
                .map_err(|why| (index + 1, why))?;
        }
        Ok(progress)
    }

    /// Takes one more event into account.
    ///
    /// # Errors
    /// The event cannot follow the ones before it. The state must not be used further.
    pub fn apply(&mut self, plan: &Plan, event: Event) -> Result<(), String> {
        match &event.what {
            What::SessionStarted { .. } if self.events.is_empty() => {}
            What::SessionStarted { .. } => return Err("the session starts a second time".into()),
            What::SessionResumed { .. } => {
                self.ended = None;
                self.laboratory_failures = 0;
                // The invocations of a block belong close together in time, so a torn block is run again as a whole, under
                // its old number: what it had is still in the log, and its later run stands for it.
                for group in &mut self.groups {
                    group.blocks.pop_if(|block| !block.closed);
                }
            }
            What::BlockStarted {
                group,
                block,
                order,
                padding,
                ..
            } => self.start_block(group, *block, order, *padding)?,
            What::InvocationFinished {
                group,
                block,
                runtime,
                invocation,
            } => {
                self.finish_invocation(group, *block, runtime, invocation)?;
            }
            What::BlockFinished { group, block, .. } => self.block(group, *block)?.closed = true,
            What::GroupFinished { group, reason } => {
                let state = self.group(group)?;
                let blocks = state.blocks.len() as u32;
                state.finished = true;
                state.settled.get_or_insert(Settled {
                    reason: *reason,
                    blocks,
                });
            }
            What::RungFinished {
                ladder,
                runtime,
                size,
                invocation,
            } => self.finish_rung(plan, ladder, runtime, *size, invocation)?,
            What::SessionEnded { reason } => self.ended = Some(*reason),
        }
        self.events.push(event);
        Ok(())
    }

    /// The block that has begun and not ended.
    pub fn open_block(&self) -> Option<(&GroupKey, &Block)> {
        self.groups.iter().find_map(|group| {
            let block = group.blocks.last().filter(|block| !block.closed)?;
            Some((&group.key, block))
        })
    }

    fn start_block(
        &mut self,
        key: &GroupKey,
        number: u32,
        order: &[RuntimeName],
        padding: u32,
    ) -> Result<(), String> {
        if self.open_block().is_some() {
            return Err(format!(
                "block {number} of {} starts within another",
                key.benchmark
            ));
        }
        let group = self.group(key)?;
        if number as usize != group.blocks.len() {
            let expected = group.blocks.len();
            return Err(format!(
                "block {number} of {} follows where {expected} should",
                key.benchmark
            ));
        }
        group.blocks.push(Block {
            number,
            order: order.to_vec(),
            padding,
            done: Vec::new(),
            closed: false,
        });
        group.finished = false;
        Ok(())
    }

    fn finish_invocation(
        &mut self,
        key: &GroupKey,
        number: u32,
        runtime: &RuntimeName,
        invocation: &Invocation,
    ) -> Result<(), String> {
        let block = self.block(key, number)?;
        if !block.missing().any(|missing| missing == runtime) {
            return Err(format!(
                "{runtime} has no turn left in block {number} of {}",
                key.benchmark
            ));
        }
        block.done.push(runtime.clone());
        let record = self.group(key)?.record(runtime)?;
        record.runs += 1;
        record.total_ns += invocation.process.wall_ns;
        record.longest_iteration_ns = record
            .longest_iteration_ns
            .max(invocation.iterations.outer_ns.iter().copied().flatten().max());
        record.judge(&invocation.outcome);
        self.spent_ns += invocation.process.wall_ns;
        Ok(())
    }

    fn finish_rung(
        &mut self,
        plan: &Plan,
        key: &LadderKey,
        runtime: &RuntimeName,
        size: i64,
        invocation: &Invocation,
    ) -> Result<(), String> {
        let index = plan.ladders.iter().position(|ladder| ladder.key == *key);
        let index =
            index.ok_or_else(|| format!("no ladder of {} on {} is planned", key.benchmark, key.cores))?;
        let climber = self.ladders[index].iter_mut().find(|c| c.runtime == *runtime);
        let climber = climber.ok_or_else(|| format!("{runtime} does not climb {}", key.benchmark))?;
        let ladder = &plan.ladders[index];
        let expected = growth::next_size(ladder, &climber.tried);
        if expected != Some(size) {
            let expected = expected.map_or("nothing".to_owned(), |size| size.to_string());
            return Err(format!("{runtime} tries {size} where {expected} is next"));
        }
        match growth::judge(ladder, invocation) {
            Err(Fall {
                why: Why::Laboratory, ..
            }) => self.laboratory_failures += 1,
            how => {
                climber.tried.push((size, how.is_ok()));
                self.laboratory_failures = 0;
            }
        }
        self.spent_ns += invocation.process.wall_ns;
        Ok(())
    }

    fn group(&mut self, key: &GroupKey) -> Result<&mut GroupProgress, String> {
        self.groups
            .iter_mut()
            .find(|group| group.key == *key)
            .ok_or_else(|| {
                format!(
                    "{} {} {} is not in the plan",
                    key.benchmark, key.preset, key.cores
                )
            })
    }

    fn block(&mut self, key: &GroupKey, number: u32) -> Result<&mut Block, String> {
        self.group(key)?
            .blocks
            .get_mut(number as usize)
            .filter(|block| !block.closed)
            .ok_or_else(|| format!("block {number} of {} is not open", key.benchmark))
    }

    /// The longest verified iteration of a competitor so far, by the laboratory's clock, ns.
    pub fn longest_iteration_ns(&self, key: &GroupKey, runtime: &RuntimeName) -> Option<u64> {
        let group = self.groups.iter().find(|group| group.key == *key)?;
        let (_, record) = group.competitors.iter().find(|(name, _)| name == runtime)?;
        record.longest_iteration_ns
    }

    /// Time that the remaining blocks will take if they take as long as the ones before, ns; `None` before anything has
    /// run. During the first pass, what has not run yet counts as the mean of what has. Precision may end the session
    /// earlier, and so does every block that need not be repeated.
    pub fn remaining_ns(&self, plan: &Plan) -> Option<u64> {
        let typical = self.spent_ns.checked_div(self.runs())?;
        let (mut sum, mut sure) = (0, 0);
        for group in &self.groups {
            let per_block = group.block_ns(typical);
            let left = |blocks: u32| u64::from(blocks).saturating_sub(group.blocks.len() as u64);
            let regular = group
                .settled
                .map_or(plan.method.max_blocks, |settled| settled.blocks);
            sum += per_block * left(regular + repetitions(regular));
            if group.settled.is_none() {
                sure += per_block * left(plan.method.sure_blocks());
            }
        }
        Some(match plan.method.budget_ns {
            Some(budget) => sum.min(budget.saturating_sub(self.spent_ns).max(sure)),
            None => sum,
        })
    }

    /// Whether something has not run yet, so that times to come are guesses.
    pub fn in_first_pass(&self) -> bool {
        let mut records = self.groups.iter().flat_map(|group| &group.competitors);
        records.any(|(_, record)| record.runs == 0 && !record.given_up())
    }

    /// Invocations that were made, those of torn blocks included.
    fn runs(&self) -> u64 {
        let records = self.groups.iter().flat_map(|group| &group.competitors);
        records.map(|(_, record)| u64::from(record.runs)).sum()
    }

    /// Invocations that have ended.
    pub fn invocations(&self) -> usize {
        let blocks = self.groups.iter().flat_map(|group| &group.blocks);
        let climbers = self.ladders.iter().flatten();
        blocks.map(|block| block.done.len()).sum::<usize>()
            + climbers.map(|climber| climber.tried.len()).sum::<usize>()
    }
}

impl GroupProgress {
    /// Competitors that are worth running again, in plan order.
    pub fn live(&self) -> impl Iterator<Item = &RuntimeName> {
        self.competitors
            .iter()
            .filter(|(_, record)| !record.given_up())
            .map(|(name, _)| name)
    }

    fn record(&mut self, runtime: &RuntimeName) -> Result<&mut Record, String> {
        self.competitors
            .iter_mut()
            .find(|(name, _)| name == runtime)
            .map(|(_, record)| record)
            .ok_or_else(|| format!("{runtime} does not compete in {}", self.key.benchmark))
    }

    /// Time that a further block takes, if a competitor that has not run yet takes the `typical` time, ns.
    fn block_ns(&self, typical: u64) -> u64 {
        let live = self.competitors.iter().filter(|(_, record)| !record.given_up());
        live.map(|(_, record)| {
            record
                .total_ns
                .checked_div(u64::from(record.runs))
                .unwrap_or(typical)
        })
        .sum()
    }
}

impl Record {
    fn judge(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Ok => {
                self.succeeded += 1;
                self.failed_in_a_row = 0;
            }
            Outcome::Unsupported { .. } => self.hopeless = true,
            Outcome::Failed(failure) => {
                self.failed_in_a_row += 1;
                self.hopeless |= is_permanent(&failure.kind);
            }
        }
    }

    fn given_up(&self) -> bool {
        let limit = if self.succeeded == 0 {
            TRIES
        } else {
            FAILURES_IN_A_ROW
        };
        self.hopeless || self.failed_in_a_row >= limit
    }
}

/// Whether another try could not change anything: it would fail again, or its result is void anyway.
fn is_permanent(kind: &FailureKind) -> bool {
    match kind {
        FailureKind::WrongResult { .. }
        | FailureKind::WrongWork { .. }
        | FailureKind::Assertion
        | FailureKind::CannotStart
        | FailureKind::Protocol
        | FailureKind::Workers { .. }
        | FailureKind::BadParameter => true,
        FailureKind::TimedOut { .. }
        | FailureKind::Crashed { .. }
        | FailureKind::LeftChildren { .. }
        | FailureKind::Flood { .. }
        | FailureKind::Memory { .. }
        | FailureKind::Interrupted
        | FailureKind::Laboratory => false,
    }
}
