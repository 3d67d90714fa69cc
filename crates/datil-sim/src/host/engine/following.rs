//! Whether an actor moves to the worker that has written to it.

use datil_policy::{Encounter, Route};

use super::Engine;
use super::sharing::here;
use super::worker::Phase;

/// Nobody counts further.
const MOST: u32 = 63;

/// Who has written to an actor lately.
#[derive(Clone, Copy, Default)]
pub(super) struct Friend {
    worker: Option<u32>,
    /// Activations in a row that it has caused.
    streak: u32,
    /// A message from the actor's own worker has woken it since.
    pub(super) own: bool,
}

impl Engine {
    /// Where an idle actor of ours runs that another worker, or a thread outside, has written to.
    pub(super) fn follow(&mut self, me: u32, sender: Option<u32>, actor: u32) -> Route {
        let Some(sender) = sender.filter(|&sender| sender != me && self.rules.follows) else {
            return here(me);
        };
        let is_awake = self.workers[sender as usize].phase != Phase::Sleeping;
        let (waiting, backlog) = (self.queued(sender), self.queued(me));
        let slot = &mut self.slots[actor as usize];
        let before = slot.friend;
        let goes_on = before.worker == Some(sender) && !before.own;
        let streak = if goes_on { before.streak + 1 } else { 1 };
        slot.friend = Friend {
            worker: Some(sender),
            streak: streak.min(MOST),
            own: false,
        };
        let met = Encounter {
            alone: slot.mailbox.len() == 1,
            streak: slot.friend.streak,
            waiting,
            backlog,
            reunion: self.workers[me as usize].sharing.apart.reunited_with == Some(sender),
            awake: is_awake,
        };
        if !self.workers[me as usize].policy.follow(met) {
            return here(me);
        }
        self.slots[actor as usize].friend = Friend::default();
        self.run.follows += 1;
        here(sender)
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::{Adaptive, ClsOffer, Policy, WorkSharing};

    use super::super::actors::Status;
    use super::super::owning::{begin_handler, ruled, send};
    use super::*;
    use crate::host::Rules;

    /// Both workers are in handlers; actor 0 belongs to the first one, for which another one waits.
    fn engine<P: Policy>() -> Engine {
        let mut engine = ruled(Rules::of::<P>(), 2);
        begin_handler(&mut engine, 0);
        begin_handler(&mut engine, 1);
        engine.workers[0].queue.push_back(1);
        engine
    }

    /// Where the actor runs that was written to so often in a row by worker 1.
    fn runs_after(engine: &mut Engine, times: u32) -> u32 {
        (0..times).fold(0, |_, _| engine.follow(0, Some(1), 0).worker)
    }

    #[test]
    fn an_actor_goes_to_who_has_written_to_it_again_and_again() {
        let mut adaptive = engine::<Adaptive>();
        assert_eq!(runs_after(&mut adaptive, 3), 0);
        assert_eq!(runs_after(&mut adaptive, 1), 1);
        assert_eq!(
            (adaptive.run.follows, runs_after(&mut adaptive, 3)),
            (1, 0),
            "and begins anew"
        );
        assert_eq!(runs_after(&mut engine::<ClsOffer>(), 1), 1);
        assert_eq!(runs_after(&mut engine::<WorkSharing>(), 100), 0);
    }

    #[test]
    fn what_wakes_it_on_its_own_worker_ends_a_row() {
        let mut engine = engine::<Adaptive>();
        runs_after(&mut engine, 3);
        engine.slots[0].friend.own = true;
        assert_eq!(runs_after(&mut engine, 3), 0);
        assert_eq!(runs_after(&mut engine, 1), 1);
    }

    #[test]
    fn what_finds_it_scheduled_does_not_end_a_row() {
        let mut engine = engine::<Adaptive>();
        runs_after(&mut engine, 3);
        engine.slots[0].status = Status::Running;
        send(&mut engine, 0, 0, 1);
        assert!(!engine.slots[0].friend.own, "it writes to itself");
        engine.slots[0].status = Status::Idle;
        send(&mut engine, 0, 0, 1);
        assert!(engine.slots[0].friend.own);
    }

    #[test]
    fn after_a_reunion_it_follows_at_once_but_never_who_sleeps() {
        let mut engine = engine::<Adaptive>();
        engine.workers[0].sharing.apart.reunited_with = Some(1);
        assert_eq!(runs_after(&mut engine, 1), 1);
        engine.workers[1].phase = Phase::Sleeping;
        assert_eq!(runs_after(&mut engine, 9), 0);
        assert_eq!(
            engine.follow(0, None, 0).worker,
            0,
            "nobody wrote who could be followed"
        );
    }
}
