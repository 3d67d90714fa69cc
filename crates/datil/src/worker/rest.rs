//! How a worker without work rests and gets up again. `README.md` has the proof that no wake-up is lost.

use crate::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use crate::atomic::fence;
use std::time::Duration;

use datil_policy::{Nanos, Policy, Stint, Waking};

use super::absence::Watch;
use super::intake::Seen;
use super::port::{ASLEEP, CLAIMED, IDLE, LOCKED, Port, RUNNING, SUMMONED, bump};
use super::run::Worker;
use crate::futex;
use crate::inbox::Sleep;
use crate::sync::{spin_loop, thread};

/// After this time without progress another worker takes records in the keeper's place, and an idle one takes over what
/// waits for a worker in a handler.
pub(super) const PATIENCE: Duration = Duration::from_millis(1);

impl<P: Policy> Worker<'_, P> {
    /// Tells the policy what has become of the work that this worker got from another.
    pub(super) fn part(&self, now: Nanos, stint: Stint) {
        let core = self.core;
        // Another worker may post between our look at the board and what we post, and its opinion is lost then. Policies allow for that: one
        // trial more or less among those that are remembered.
        core.team
            .post(self.policy().parted(now, stint, core.team.board()));
        if P::LEARNS {
            core.showcase.lessons.set(self.policy().learns());
        }
    }

    /// Waits for work: polls a little, then sleeps. See `README.md` for the proof that no wake-up is lost.
    #[cold]
    #[inline(never)]
    pub(super) fn rest(&self) {
        let core = self.core;
        let team = &core.team;
        let rest = &core.port.rest.0;
        if let Some(stint) = core.end_trial() {
            self.part(team.now(), stint);
        }
        self.policy().watch(0, 0);
        // Release: adopters see our actors as we leave them.
        rest.state.store(IDLE, Release);
        // Whoever has claimed this worker since may have counted it as busy already, so the count may have been one below 0.
        if team.inbox.idle.0.fetch_add(1, SeqCst).wrapping_add(1) == team.ports.len() {
            team.announce_quiet();
        }
        let called = || core.port.has_mail() || self.is_called();
        let mut polls = self.policy().spin();
        let mut seen = Seen::default();
        let mut calm = false;
        // When it gets up it may have to look after itself; see `attend`.
        core.errand.set(true);
        loop {
            if rest.state.load(Relaxed) == CLAIMED && self.follow_claim() {
                return self.stop_watching();
            }
            if called() {
                return self.get_up();
            }
            if polls > 0 {
                polls -= 1;
                spin_loop();
                continue;
            }
            // Exchanges, not stores: with stores loom finds a wake-up that is lost, and here they cost nothing.
            rest.sleeping.swap(ASLEEP, AcqRel);
            fence(SeqCst);
            let quiet = !called() && rest.state.load(Relaxed) != CLAIMED;
            let guards = team.guarded && !calm && team.guard.give(core.me);
            let sleep = team.inbox.may_sleep();
            if sleep == Sleep::Watching {
                core.watches.set(true);
            }
            if quiet && sleep != Sleep::No {
                bump(&core.counters().parks, 1);
                if core.watches.get() || guards {
                    futex::wait_for(&rest.sleeping, ASLEEP, PATIENCE);
                } else {
                    futex::wait(&rest.sleeping, ASLEEP);
                }
            }
            let found = rest.sleeping.swap(0, AcqRel);
            if P::WAKING == Waking::Proven && found == SUMMONED {
                self.obey_summons();
                return self.get_up();
            }
            if sleep == Sleep::No || (core.watches.get() && self.watch(&mut seen)) {
                return self.get_up();
            }
            if guards {
                let watch = core.patrol.borrow_mut().look(team, core.me);
                match watch {
                    Watch::On => {}
                    Watch::Off => calm = self.may_all_sleep(),
                    Watch::Rescue(port) => {
                        self.get_up();
                        // More when this is done, if the other worker does not come back. Two whose handlers all take long would take everything
                        // from each other by turns, and each of them would mostly wait.
                        core.rescue(port, |queued| self.relief(port, queued));
                        return;
                    }
                }
            }
        }
    }

    /// How many of the actors that are queued at a worker in a long handler the guard takes over.
    fn relief(&self, port: &Port, queued: usize) -> usize {
        if queued == 0 {
            return 0;
        }
        let before = self.core.patrol.borrow_mut().relieve(port);
        self.policy().relieve(queued, before)
    }

    /// Ends the watch of the guard because nothing runs; false if something does after all.
    fn may_all_sleep(&self) -> bool {
        let team = &self.core.team;
        // A worker that gets up first lowers `idle` and then asks for the guard, both in one order with these two: it finds
        // that there is none, or we find that it is up.
        team.guard.resign(self.core.me) && team.inbox.idle.0.load(SeqCst) == team.ports.len()
    }

    /// A guard that has something to do leaves its watch to another idle worker, if there is anybody to watch.
    #[cold]
    pub(super) fn stop_guarding(&self) {
        let team = &self.core.team;
        if team.guard.resign(self.core.me) {
            // Somebody idles, and somebody else than this worker does not.
            let idle = team.inbox.idle.0.load(Relaxed);
            if (1..team.ports.len() - 1).contains(&idle) {
                self.core.see_to_a_guard();
            }
        }
    }

    /// Gets up for somebody who has work for this worker and has counted it as busy; false if that was taken back.
    fn follow_claim(&self) -> bool {
        let core = self.core;
        let state = &core.port.rest.0.state;
        // Acquire: our actors as adopters left them.
        let followed = state.compare_exchange(CLAIMED, RUNNING, Acquire, Relaxed).is_ok();
        if followed {
            core.port.spot.0.go_free();
            core.begin_trial();
            core.reunited_with.set(0);
        }
        followed
    }

    /// Ends being idle, once no adopter is at work.
    pub(super) fn get_up(&self) {
        self.stop_watching();
        // What comes next has nothing to do with what was before.
        self.core.gets_up.set(true);
        self.core.look_at.set(0);
        let team = &self.core.team;
        let state = &self.core.port.rest.0.state;
        let mut turns = 0u32;
        loop {
            match state.compare_exchange_weak(IDLE, RUNNING, Acquire, Acquire) {
                Ok(_) => {
                    // In this order: who reads `epoch` and takes us for idle after that will see another one (`Team::is_quiet`).
                    team.inbox.idle.0.fetch_sub(1, SeqCst);
                    team.epoch.fetch_add(1, SeqCst);
                    self.core.port.spot.0.go_free();
                    return;
                }
                Err(CLAIMED) if self.follow_claim() => return,
                Err(LOCKED) if turns > 100 => thread::yield_now(),
                Err(_) => spin_loop(),
            }
            turns += 1;
        }
    }
}
