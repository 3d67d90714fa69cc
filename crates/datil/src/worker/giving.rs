//! How a worker gives actors away: to who idles, to a thief that asks, and all of them where two workers had better be one.

use crate::atomic::Ordering::{AcqRel, Relaxed};

use datil_policy::{Offer, Pair, Policy, Verdict};

use super::core::Core;
use super::port::{self, Port, RETREAT, STEAL, bump};
use super::run::{Worker, worker};

impl<P: Policy> Worker<'_, P> {
    /// Answers a thief. An actor that is about to run was taken out before, so a queue of one does not travel to and fro.
    #[inline]
    pub(super) fn grant(&self, request: u32) {
        if request & STEAL == 0 {
            return;
        }
        let core = self.core;
        if P::ROUTES {
            self.hand_over(request);
        } else {
            let queued = core.queued();
            let count = self.policy().grant(queued).min(queued);
            let thief = request as u16;
            if count > 0 && thief != core.me {
                let given = core.give(count, port::port(thief));
                bump(&core.counters().shared_actors, given as u64);
            }
        }
        // Afterwards: a thief that sees its request gone without a gift gives up.
        self.clear(request);
    }

    /// Gives a part of what waits here to an idle worker, if the policy is for it and one can be claimed.
    #[cold]
    pub(super) fn offer(&self) {
        let core = self.core;
        let now = core.team.now();
        let board = core.team.board();
        self.policy().crowded(now, core.team.crowd());
        let Offer::Give(count) = self.policy().offer(now, core.queued(), board) else {
            return;
        };
        let Some(to) = core.team.claim(core.me) else {
            return;
        };
        core.reunited_with.set(0);
        bump(&core.counters().shares, 1);
        bump(&core.counters().shared_actors, core.give(count, to) as u64);
        // Claimed, so it must be woken even if nothing could be given.
        if to.notify() {
            bump(&core.counters().wakes, 1);
        }
        core.team.post(self.policy().shared(now, core.team.board()));
    }

    /// Withdraws a request that was read. If it has changed meanwhile (a stop was added, the thief gave up) it stays
    /// for the next turn.
    pub(super) fn clear(&self, request: u32) {
        let _ = self
            .core
            .port
            .request
            .compare_exchange(request, 0, AcqRel, Relaxed);
    }

    /// Brings all actors to another worker, if that or this worker itself wants it: two that would rather be one.
    pub(super) fn retreat(&self, request: u32) {
        let core = self.core;
        let asked_by = request as u16;
        if request & RETREAT != 0 {
            self.clear(request);
            core.retreat_to.set(asked_by);
        }
        let to = core.retreat_to.replace(0);
        if to != 0 && to != core.me {
            // What comes for the actors that go should not have to follow them.
            core.inbox.entrust(to);
            bump(&core.counters().retreats, 1);
            core.reunited_with.set(to);
            core.forget_trial();
            core.give(usize::MAX, port::port(to));
        }
    }
}

/// Brings this worker and the one that it writes to together again, if the policy says that working apart does not pay.
///
/// # Safety
/// As [`worker`].
#[cold]
pub(super) unsafe fn crossed<P: Policy>(core: &Core) {
    if core.receiving.get() {
        // A destructor sends: the token of the actor that ends may be in the list that is taken back, and is not to be handled yet.
        return;
    }
    // SAFETY: by the caller.
    let worker = unsafe { worker::<P>(core) };
    let peer = core.peer.get();
    if peer == 0 || peer == core.me {
        return;
    }
    let port = port::port(peer);
    if port.rest.0.team.load(Relaxed) != core.team.key {
        return;
    }
    // Numbers that nothing else depends on: another worker's may be of a moment ago.
    let handled = |port: &Port| port.counters.0.messages.load(Relaxed);
    let pair = Pair {
        other: peer.into(),
        messages: handled(core.port) + handled(port),
    };
    let (toll, board) = (core.toll.paid(), core.team.board());
    let Verdict::Reunite(board) = worker.policy().crossed(core.team.now(), toll, pair, board) else {
        return;
    };
    core.team.post(board);
    core.forget_trial();
    if core.take_back(port) {
        return;
    }
    // The worker with the higher number goes, so that the two do not swap places.
    if core.me > peer {
        core.retreat_to.set(peer);
        core.errand.set(true);
    } else {
        let _ = port
            .request
            .compare_exchange(0, RETREAT | u32::from(core.me), AcqRel, Relaxed);
    }
}
