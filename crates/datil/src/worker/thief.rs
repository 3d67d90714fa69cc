//! A thief's side of a theft: whom a worker asks that has run dry, and for how long it waits for an answer. The victim's
//! side is in `giving.rs`.

use crate::atomic::Ordering::{AcqRel, Relaxed};

use datil_policy::{Policy, Preemption};

use super::port::{ABSENT, FROM_HEAD, IDLE, Port, RUNNING, STEAL, bump};
use super::run::Worker;
use crate::sync::{Spin, spin_loop};

/// The bits of a thief's request.
pub(super) const STEAL_REQUEST: u32 = STEAL | FROM_HEAD | 0xFFFF;
/// Polls of a thief for the answer of its victim: about a tenth of a millisecond.
pub(super) const PATIENCE_OF_A_THIEF: u32 = 2000;
/// Polls without an answer after which a thief gives up.
const UNANSWERED: u32 = 12_000;
/// Polls of a thief for other work before it asks again: about a microsecond.
const BETWEEN_ATTEMPTS: u32 = 32;

/// What became of a request for work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Something has arrived.
    Gift,
    /// The victim has nothing to give, or this worker is asked for something itself.
    Nothing,
    /// The victim has not looked.
    Unanswered,
}

impl<P: Policy> Worker<'_, P> {
    /// Asks others for work; true if something arrived.
    pub(super) fn hunt(&self) -> bool {
        let core = self.core;
        if !self
            .policy()
            .ran_dry(core.team.now(), core.trial(), core.team.board())
        {
            return false;
        }
        let (mut attempt, mut unanswered) = (0, 0);
        while let Some(victim) = self.policy().hunt(attempt) {
            if unanswered * PATIENCE_OF_A_THIEF >= UNANSWERED {
                // They are in long handlers. Whoever sleeps looks after them; see `absence.rs`.
                break;
            }
            if attempt > 0 && self.is_wanted_soon() {
                return true;
            }
            attempt += 1;
            let victim = core.team.ports[victim as usize % core.team.ports.len()];
            if victim.id == core.me || !self.can_be_robbed(victim) {
                continue;
            }
            bump(&core.counters().steal_attempts, 1);
            let answer = self.take_from(victim);
            if answer == Answer::Gift {
                bump(&core.counters().steals, 1);
                return true;
            }
            unanswered += u32::from(answer == Answer::Unanswered);
        }
        core.port.has_mail() || self.is_called()
    }

    /// Waits a little between two attempts to rob somebody; true if this worker has something to do meanwhile.
    fn is_wanted_soon(&self) -> bool {
        (0..BETWEEN_ATTEMPTS).any(|_| {
            spin_loop();
            self.core.port.has_mail() || self.is_called()
        })
    }

    /// Whether somebody asks for anything but work, of which this worker has none. Two thieves that asked each other would otherwise keep
    /// each other awake for as long as they go in step.
    pub(super) fn is_called(&self) -> bool {
        self.core.port.request.load(Relaxed) & !STEAL_REQUEST != 0
    }

    /// Whether a victim may answer, or its queue be opened without it.
    fn can_be_robbed(&self, victim: &Port) -> bool {
        let state = victim.rest.0.state.load(Relaxed);
        state == RUNNING || (P::PREEMPTS != Preemption::Never && state == ABSENT)
    }

    /// Gets work from a victim, as the policy has it.
    fn take_from(&self, victim: &'static Port) -> Answer {
        let core = self.core;
        let may_preempt = |when| P::PREEMPTS == when && core.team.guarded;
        let grant = |queued| self.policy().grant(queued);
        if may_preempt(Preemption::AtOnce) && core.seize(victim, grant) {
            return Answer::Gift;
        }
        let answer = self.rob(victim, 0, PATIENCE_OF_A_THIEF);
        let ignored = answer == Answer::Unanswered && may_preempt(Preemption::Unanswered);
        if ignored && core.rescue(victim, grant) {
            Answer::Gift
        } else {
            answer
        }
    }

    /// Posts a request at the victim, with these bits besides, and looks so many times for the answer.
    pub(super) fn rob(&self, victim: &Port, besides: u32, patience: u32) -> Answer {
        let core = self.core;
        if victim.rest.0.state.load(Relaxed) == ABSENT {
            return Answer::Unanswered;
        }
        let request = STEAL | besides | u32::from(core.me);
        if victim
            .request
            .compare_exchange(0, request, AcqRel, Relaxed)
            .is_err()
        {
            return Answer::Nothing;
        }
        let interrupted = || {
            core.port.has_mail()
                || core.port.request.load(Relaxed) != 0
                || victim.request.load(Relaxed) != request
                || victim.rest.0.state.load(Relaxed) == IDLE
        };
        let (here, there) = (&core.port.spot.0, &victim.spot.0);
        here.note();
        // It cannot answer while we have its processor.
        let gives_way = here.is_shared_with(there);
        let mut spin = Spin::default();
        let answered = (0..patience).any(|_| {
            if gives_way {
                spin.turn();
            } else {
                spin_loop();
            }
            interrupted()
        });
        // If the victim answers just now its gift is in our list before we sleep, or it wakes us.
        let _ = victim.request.compare_exchange(request, 0, AcqRel, Relaxed);
        if core.port.has_mail() {
            Answer::Gift
        } else if answered {
            Answer::Nothing
        } else {
            Answer::Unanswered
        }
    }
}
