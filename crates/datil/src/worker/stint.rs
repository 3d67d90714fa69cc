//! Workers under [`Waking::Proven`]: what becomes of a theft, which the policy is told at its end, and who is woken because thefts pay. See
//! `README.md` beside this file, *Proven*.
//!
//! Engines of other policies have none of this: every way in compares [`Policy::WAKING`], a constant.

use crate::atomic::Ordering::Relaxed;
use std::cell::Cell;

use datil_policy::{Board, Policy, Stint, Waking};

use super::core::Core;
use super::port::bump;
use super::routed::aside;
use super::run::{Worker, worker};

/// What a worker has been woken for.
#[derive(Default)]
pub(crate) struct Summons {
    /// The worker was woken to look for work, and has not gone to sleep since.
    obeyed: Cell<bool>,
    /// It was, and has neither robbed anybody nor told its policy that nothing came of it.
    unanswered: Cell<bool>,
}

impl Summons {
    pub(super) fn are_obeyed(&self) -> bool {
        self.obeyed.get()
    }
}

/// Wakes a sleeping worker for what was queued here behind something else, if the policy wants to look for one just now.
///
/// # Safety
/// The core's policy is a `P`.
#[inline(always)]
pub(super) unsafe fn summon_for_own<P: Policy>(core: &Core) {
    // SAFETY: by the caller.
    let worker = unsafe { worker::<P>(core) };
    if worker.policy().looks_for_sleepers() {
        let woke = summon::<P>(&worker, core.index());
        worker.policy().looked(woke);
    }
}

/// Wakes a sleeping worker for what waits in the queue of the worker with the index `owner`, if the policy wants that and nobody who was
/// woken so is still looking for work; true if it did.
fn summon<P: Policy>(worker: &Worker<'_, P>, owner: usize) -> bool {
    let core = worker.core;
    let team = &core.team;
    // Relaxed: both are hints. Who looks for work just now may have looked here before, and who sleeps may not be counted yet: then
    // what waits here is found after a nap.
    if core.inbox.idle.0.load(Relaxed) == 0 || team.seeking.load(Relaxed) > 0 {
        return false;
    }
    let board = team.board();
    worker.policy().wakes(board) && aside::<P, _>(core, || call_up(worker, owner, board))
}

/// Wakes the next sleeping worker after the one with this index that the policy calls, if nobody else does so just now; true if it did.
#[cold]
#[inline(never)]
fn call_up<P: Policy>(worker: &Worker<'_, P>, owner: usize, board: Board) -> bool {
    let core = worker.core;
    let team = &core.team;
    let count = team.ports.len();
    // Asked first, since it costs less than to look at a port that its worker has written to.
    let called = |index: &usize| worker.policy().calls(owner as u32, *index as u32, board);
    let mut sleepers = (1..count)
        .map(|step| (owner + step) % count)
        .filter(called)
        .filter(|&index| team.ports[index].sleeps())
        .peekable();
    // Nobody is there to be called, mostly: then the word that all summoners share is left alone.
    if sleepers.peek().is_none() {
        return false;
    }
    // It is counted in the place of whoever gets up, so that only one is woken before that is at work. Relaxed: the number is exact as all
    // change it by exchanges, and it publishes nothing.
    if team.seeking.compare_exchange(0, 1, Relaxed, Relaxed).is_err() {
        return false;
    }
    let woke = sleepers.any(|index| team.ports[index].summon());
    if woke {
        bump(&core.counters().wakes, 1);
    } else {
        team.seeking.fetch_sub(1, Relaxed);
    }
    woke
}

impl<P: Policy> Worker<'_, P> {
    /// This worker has run dry, and begins to look for work.
    pub(super) fn begin_to_seek(&self) {
        if P::WAKING == Waking::Proven {
            self.settle();
            if self.core.summons.are_obeyed() {
                self.core.team.seeking.fetch_add(1, Relaxed);
            }
        }
    }

    /// This worker ends its search, and has robbed the worker with this index if it has robbed one.
    pub(super) fn end_seeking(&self, robbed: Option<usize>) {
        let core = self.core;
        if P::WAKING != Waking::Proven {
            return;
        }
        if core.summons.are_obeyed() {
            core.team.seeking.fetch_sub(1, Relaxed);
        }
        let Some(victim) = robbed else {
            return;
        };
        // None runs: the last one ended when this search began, and a search ends with its first theft.
        core.summons.unanswered.set(false);
        core.toll.measure(true);
        core.begin_trial();
        if !self.is_poor(victim) {
            summon(self, victim);
        }
    }

    /// This worker has found nothing, and goes to sleep.
    pub(super) fn give_up(&self) {
        let core = self.core;
        if P::WAKING == Waking::Proven {
            if core.summons.obeyed.replace(false) {
                core.team.seeking.fetch_sub(1, Relaxed);
            }
            self.settle();
        }
    }

    /// This worker was woken to look for work. Whoever did that has counted it among those who do.
    #[cold]
    pub(super) fn obey_summons(&self) {
        let summons = &self.core.summons;
        summons.obeyed.set(true);
        summons.unanswered.set(true);
        self.policy().summoned();
    }

    /// Tells the policy what has become of the theft, or that nothing came of being woken.
    fn settle(&self) {
        let core = self.core;
        let robbed = core.end_trial();
        if !core.summons.unanswered.replace(false) && robbed.is_none() {
            return;
        }
        // Policies that ask what passes between workers at any time go on being told.
        core.toll.measure(P::CROSSINGS > 0);
        let now = core.team.now();
        let stint = robbed.unwrap_or(Stint {
            began: now,
            messages: 0,
            toll: 0,
        });
        self.part(now, stint);
    }
}
