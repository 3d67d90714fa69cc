//! A worker without work whose policy does not route: it asks others for some, and rests.

use datil_policy::{End, Preemption};

use super::Engine;
use super::thefts::Answer;
use super::worker::Phase;
use crate::machine::Cycles;

/// Looks of a thief for the answer of its victim.
const PATIENCE: u32 = 2_000;
/// Victims that do not answer for so long, after which a thief gives up: they are in long handlers.
const UNANSWERED: u32 = 6;
/// Looks of a thief at what comes for itself before it asks again.
const BETWEEN_ATTEMPTS: u32 = 32;

/// Where a worker is in its search for work.
#[derive(Default)]
pub(super) struct Hunt {
    is_on: bool,
    attempt: u32,
    unanswered: u32,
}

impl Engine {
    /// An idle worker's event: what it waited for has come, or not.
    pub(super) fn look_for_more(&mut self, me: u32) -> Result<(), String> {
        let phase = self.workers[me as usize].phase;
        if self.workers[me as usize].sharing.claimed {
            self.begin_trial(me);
        }
        if let Some((victim, _)) = self.workers[me as usize].asked.take()
            && let Some(cost) = self.hear_out(me, victim)
        {
            self.run.thefts += 1;
            return self.go_on(me, cost);
        }
        if self.has_something(me) {
            self.workers[me as usize].sharing.hunt = Hunt::default();
            return self.dispatch(me);
        }
        match phase {
            Phase::Resting => self.lie_down(me),
            Phase::Sleeping => return self.patrol(me),
            _ => return self.hunt(me),
        }
        Ok(())
    }

    fn has_something(&self, me: u32) -> bool {
        let worker = &self.workers[me as usize];
        !worker.arrivals.is_empty() || self.queued(me) > 0 || self.may_take_in(me) || self.is_to_retreat(me)
    }

    /// The next attempt to get work from somebody; rests if there is none.
    fn hunt(&mut self, me: u32) -> Result<(), String> {
        if !self.workers[me as usize].sharing.hunt.is_on {
            let is_on = self.rules.steals && self.asks_at_all(me);
            self.workers[me as usize].sharing.hunt = Hunt {
                is_on,
                ..Hunt::default()
            };
        }
        let worker = &mut self.workers[me as usize];
        let hunt = &mut worker.sharing.hunt;
        let attempt = hunt.attempt;
        hunt.attempt += 1;
        let goes_on = hunt.is_on && hunt.unanswered < UNANSWERED;
        let Some(victim) = goes_on.then(|| worker.policy.hunt(attempt)).flatten() else {
            self.come_to_rest(me);
            return Ok(());
        };
        if victim != me && self.workers[victim as usize].phase == Phase::Busy {
            self.run.steal_attempts += 1;
            if self.rules.preempts == Preemption::AtOnce
                && let Some(cost) = self.seize(me, victim)
            {
                self.run.thefts += 1;
                return self.go_on(me, cost);
            }
            if self.workers[victim as usize].request.is_none() {
                self.post(me, victim, End::Tail, PATIENCE);
                return Ok(());
            }
        }
        self.wait(me, BETWEEN_ATTEMPTS);
        Ok(())
    }

    /// What a theft costs whose victim had time to answer, if something came of it.
    fn hear_out(&mut self, me: u32, victim: u32) -> Option<Cycles> {
        match self.answer_of(me, victim) {
            Answer::Gift(cost) => return Some(cost),
            Answer::Nothing => return None,
            Answer::Unanswered => {}
        }
        self.workers[me as usize].sharing.hunt.unanswered += 1;
        if self.rules.preempts != Preemption::Unanswered {
            return None;
        }
        let waiting = self.queued(victim);
        let granted = self.workers[me as usize].policy.grant(waiting);
        self.rescue(me, victim, granted)
    }

    /// Whether a worker that has run dry asks others, as its policy says.
    fn asks_at_all(&mut self, me: u32) -> bool {
        let (now, stint, board) = (self.clock(), self.trial(me), self.shown_board());
        self.workers[me as usize].policy.ran_dry(now, stint, board)
    }

    /// Takes the oldest of what waits for a worker that is in a handler, without asking; returns what that costs if there is something.
    fn seize(&mut self, me: u32, victim: u32) -> Option<Cycles> {
        let waiting = self.queued(victim);
        if waiting == 0 {
            return None;
        }
        let owners = self.settings.machine.owners?;
        let granted = self.workers[me as usize].policy.grant(waiting);
        let cost = self.step_in(victim, owners);
        Some(cost + self.take_queued(me, victim, granted))
    }

    /// Has found nothing: its policy hears what came of its last service, and it rests.
    fn come_to_rest(&mut self, me: u32) {
        self.end_trial(me);
        let worker = &mut self.workers[me as usize];
        worker.sharing.hunt = Hunt::default();
        worker.policy.watch(0, 0);
        self.rest(me);
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::{Adaptive, EncoreCooperative, EncorePreemptive, Policy, WorkSharing};

    use super::super::owning::{begin_handler, queue, ruled, send};
    use super::*;
    use crate::host::Rules;

    /// Three actors wait for worker 0, which is in a handler.
    fn waiting<P: Policy>() -> Engine {
        let mut engine = ruled(Rules::of::<P>(), 3);
        begin_handler(&mut engine, 0);
        for actor in 0..3 {
            send(&mut engine, 0, actor, 1);
        }
        engine
    }

    /// So it is, and worker 1 has run dry and looked for work.
    fn hungry<P: Policy>() -> Engine {
        let mut engine = waiting::<P>();
        // Trials have paid, so the adaptive policy asks.
        engine.board.fresh.paid = 1;
        engine.now += engine.costs.cycles(engine.costs.staleness);
        engine.look_for_more(1).expect("it looks");
        engine
    }

    #[test]
    fn who_gives_unasked_is_not_asked() {
        let engine = hungry::<WorkSharing>();
        assert_eq!(
            (engine.workers[1].phase, engine.run.steal_attempts),
            (Phase::Resting, 0)
        );
    }

    #[test]
    fn a_victim_answers_between_two_activations_with_the_oldest() {
        for (mut engine, given) in [(hungry::<EncoreCooperative>(), 1), (hungry::<Adaptive>(), 2)] {
            assert_eq!((engine.workers[1].phase, engine.run.steals), (Phase::Polling, 0));
            assert!(engine.answer(0) > 0);
            assert_eq!(engine.workers[1].phase, Phase::Searching, "it has noticed");
            assert!(engine.hear_out(1, 0).is_some());
            assert_eq!(
                (engine.run.steals, queue(&engine, 1).len()),
                (given, given as usize)
            );
            assert_eq!(engine.slots[0].owner, Some(1));
            assert_eq!(engine.workers[0].late, 0, "nobody has acted in its place");
        }
    }

    #[test]
    fn who_does_not_answer_is_left_alone_or_robbed_as_the_policy_says() {
        let mut engine = hungry::<EncoreCooperative>();
        assert!(engine.hear_out(1, 0).is_none() && engine.workers[0].request.is_none());
        let mut engine = hungry::<Adaptive>();
        assert!(engine.hear_out(1, 0).is_some());
        assert_eq!((engine.run.steals, queue(&engine, 0)), (2, vec![2]));
        assert!(engine.workers[0].late > 0, "the fence costs both");
    }

    #[test]
    fn a_thief_that_preempts_takes_the_oldest_without_asking() {
        let mut engine = waiting::<EncorePreemptive>();
        assert!(engine.seize(1, 0).is_some());
        assert_eq!((queue(&engine, 0), queue(&engine, 1)), (vec![2, 1], vec![0]));
        assert_eq!((engine.run.steals, engine.slots[0].owner), (1, Some(1)));
        assert!(engine.workers[0].request.is_none() && engine.workers[0].late > 0);
    }

    #[test]
    fn a_thief_rests_when_all_are_in_long_handlers() {
        let mut engine = hungry::<EncoreCooperative>();
        for _ in 0..1_000 {
            engine.look_for_more(1).expect("it looks");
            if engine.workers[1].phase == Phase::Resting {
                break;
            }
        }
        assert_eq!(engine.workers[1].phase, Phase::Resting);
        // Two rounds over one victim.
        assert_eq!(engine.run.steal_attempts, 4);
    }
}
