//! What it costs workers to be apart that share work, and how they get together again.
//!
//! As in `crates/datil/src/worker/toll.rs` and the hook `crossed` of `run.rs`, with the same numbers.

use datil_policy::{Nanos, Pair, Stint, Verdict};

use super::Engine;
use super::owners::Arrival;
use super::sharing::here;
use super::stint::TIMED;
use crate::machine::Cycles;

/// Added to what was timed: the limits of policies were found with a clock whose own time is part of what it shows.
const OF_THE_CLOCK: Nanos = 15;
/// What is timed takes no longer than this, but for a worker that had to wait.
const LONGEST: Nanos = 4_000;
/// What a message, or an actor, from another worker costs later, beyond what it costs anyway.
const LATER: Nanos = 50;

/// What a worker knows of being apart from others.
#[derive(Default)]
pub(super) struct Apart {
    /// What others have cost it; see [`Stint::toll`].
    toll: Nanos,
    /// Messages that it has sent to others.
    crossings: u32,
    /// To whom everything goes before its next activation.
    retreat_to: Option<u32>,
    /// To whom everything went last, unless work was divided anew since.
    pub(super) reunited_with: Option<u32>,
    /// When it was last taken into service, and what it had done by then.
    trial: Option<Stint>,
}

impl Engine {
    /// Counts what sending, or taking in what others have sent, took; returns what the timing costs.
    pub(super) fn pay(&mut self, me: u32, took: Cycles) -> Cycles {
        if self.rules.crossings == 0 {
            return 0;
        }
        let timed = self.clocked(took).min(LONGEST) + OF_THE_CLOCK;
        self.workers[me as usize].sharing.apart.toll += timed;
        Cycles::from(self.costs.timing / TIMED)
    }

    /// Counts what so many messages, or actors, that have come from others will cost yet.
    pub(super) fn pay_later(&mut self, me: u32, came: u64) {
        self.workers[me as usize].sharing.apart.toll += LATER * came;
    }

    /// Whether this worker is to hand over what it has.
    pub(super) fn is_to_retreat(&self, me: u32) -> bool {
        self.workers[me as usize].sharing.apart.retreat_to.is_some()
    }

    /// Counts a message to another worker; now and then the policy judges whether the two shall go on so. Returns what that costs.
    pub(super) fn cross(&mut self, me: u32, other: u32) -> Cycles {
        if self.rules.crossings == 0 {
            return 0;
        }
        let apart = &mut self.workers[me as usize].sharing.apart;
        apart.crossings += 1;
        if !apart.crossings.is_multiple_of(self.rules.crossings) {
            return 0;
        }
        let messages = |worker: u32| self.workers[worker as usize].sharing.messages;
        let pair = Pair {
            other,
            messages: messages(me) + messages(other),
        };
        let (now, board) = (self.clock(), self.shown_board());
        let cost = self.a_look_at_the_clock();
        let worker = &mut self.workers[me as usize];
        let toll = worker.sharing.apart.toll;
        let Verdict::Reunite(board) = worker.policy.crossed(now, toll, pair, board) else {
            return cost;
        };
        worker.sharing.apart.trial = None;
        self.board.fresh = board;
        cost + self.reunite(me, other)
    }

    /// Brings what two workers have to one of them: the one with the higher number goes, so that they do not swap places, and one that has not got up
    /// stays where it is.
    fn reunite(&mut self, me: u32, other: u32) -> Cycles {
        if self.workers[other as usize].sharing.claimed {
            return self.take_back(me, other);
        }
        let (goes, to) = if me > other { (me, other) } else { (other, me) };
        self.workers[goes as usize]
            .sharing
            .apart
            .retreat_to
            .get_or_insert(to);
        self.nudge_if_idle(goes)
    }

    /// A worker that idles has to get up for what is asked of it.
    fn nudge_if_idle(&mut self, worker: u32) -> Cycles {
        if self.workers[worker as usize].idles() {
            self.nudge(worker)
        } else {
            0
        }
    }

    /// Hands everything over to whom this worker is to be together with; returns what that costs.
    pub(super) fn retreat_if_asked(&mut self, me: u32) -> Cycles {
        let Some(to) = self.workers[me as usize].sharing.apart.retreat_to.take() else {
            return 0;
        };
        // What comes for the actors that go should not have to follow them.
        self.keeper = Some(to);
        let apart = &mut self.workers[me as usize].sharing.apart;
        apart.reunited_with = Some(to);
        apart.trial = None;
        self.run.reunions += 1;
        self.give(me, usize::MAX, to).1
    }

    /// Takes back what was given to a worker that has not got up for it, and what has arrived for it since; returns what that costs.
    fn take_back(&mut self, me: u32, from: u32) -> Cycles {
        self.workers[from as usize].sharing.claimed = false;
        self.run.reunions += 1;
        let arrivals = std::mem::take(&mut self.workers[from as usize].arrivals);
        let mut cost = 0;
        for (arrival, _) in arrivals {
            cost += self.later(cost, |engine| engine.take_arrival(me, from, arrival));
        }
        cost
    }

    /// Makes ours what has arrived for a worker that runs none of it; returns what that costs.
    pub(super) fn take_arrival(&mut self, me: u32, from: u32, arrival: Arrival) -> Cycles {
        self.active -= 1;
        match arrival {
            Arrival::Actor { actor, .. } => self.accept(me, me, actor, here(me).end),
            Arrival::Token { actor, sender } => {
                let slot = &mut self.slots[actor as usize];
                if slot.owner == Some(from) {
                    slot.owner = Some(me);
                }
                self.handle_token(me, me, actor, sender)
            }
        }
    }

    /// Notes that a worker was taken into service to get work from another one.
    pub(super) fn begin_trial(&mut self, me: u32) {
        let so_far = self.so_far(me);
        let sharing = &mut self.workers[me as usize].sharing;
        sharing.claimed = false;
        sharing.apart.reunited_with = None;
        sharing.apart.trial = Some(so_far);
    }

    /// What has come of that, if nobody was told at its end.
    pub(super) fn trial(&self, me: u32) -> Option<Stint> {
        let before = self.workers[me as usize].sharing.apart.trial?;
        let now = self.so_far(me);
        Some(Stint {
            began: before.began,
            messages: now.messages - before.messages,
            toll: now.toll - before.toll,
        })
    }

    /// Tells the policy of a worker that is about to rest what came of it.
    pub(super) fn end_trial(&mut self, me: u32) {
        let Some(stint) = self.trial(me) else {
            return;
        };
        let (now, board) = (self.clock(), self.board.fresh);
        let worker = &mut self.workers[me as usize];
        worker.sharing.apart.trial = None;
        self.board.fresh = worker.policy.parted(now, stint, board);
    }

    fn so_far(&self, me: u32) -> Stint {
        let sharing = &self.workers[me as usize].sharing;
        Stint {
            began: self.clock(),
            messages: sharing.messages,
            toll: sharing.apart.toll,
        }
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::{Adaptive, Hostile, WorkSharing};

    use super::super::owning::{begin_handler, mail, queue, ruled, send};
    use super::super::worker::Phase;
    use super::*;
    use crate::host::Rules;

    /// Both workers are in handlers; actor 0 belongs to the first one, actor 1 to the second one, for which it waits.
    fn both_at_work() -> Engine {
        let mut engine = ruled(Rules::of::<Hostile>(), 2);
        begin_handler(&mut engine, 0);
        begin_handler(&mut engine, 1);
        engine.slots[1].owner = Some(1);
        send(&mut engine, 1, 1, 0);
        engine
    }

    /// So many that this policy has brought two together once.
    fn cross_often(engine: &mut Engine, me: u32, other: u32) {
        (0..35).for_each(|_| {
            engine.cross(me, other);
        });
    }

    #[test]
    fn who_has_the_higher_number_hands_over_what_it_has() {
        for (me, other) in [(0, 1), (1, 0)] {
            let mut engine = both_at_work();
            cross_often(&mut engine, me, other);
            assert!(engine.is_to_retreat(1) && !engine.is_to_retreat(0));
            assert!(engine.retreat_if_asked(1) > 0);
            assert_eq!((engine.run.reunions, queue(&engine, 1)), (1, vec![]));
            assert_eq!(engine.workers[1].sharing.apart.reunited_with, Some(0));
            engine.receive(0, 0);
            assert_eq!((queue(&engine, 0), engine.slots[1].owner), (vec![1], Some(0)));
        }
    }

    #[test]
    fn what_a_worker_was_given_is_taken_back_if_it_has_not_got_up() {
        let mut engine = both_at_work();
        engine.workers[1].phase = Phase::Sleeping;
        engine.workers[1].activation = None;
        engine.workers[1].queue.clear();
        engine.workers[1].sharing.claimed = true;
        // One that was given, and another's mail.
        send(&mut engine, 0, 0, 7);
        engine.give(0, 1, 1);
        engine.write_to_other(
            0,
            1,
            super::super::actors::Mail {
                letter: Box::new(8u32),
                from: 0,
                lines: 0,
                in_row: false,
            },
            1,
            Some(0),
        );
        engine.reunite(0, 1);
        assert!(!engine.workers[1].sharing.claimed && engine.workers[1].arrivals.is_empty());
        assert_eq!((engine.slots[0].owner, engine.slots[1].owner), (Some(0), Some(0)));
        assert_eq!((mail(&engine, 0), mail(&engine, 1)), (vec![7], vec![0, 8]));
    }

    #[test]
    fn the_toll_is_what_was_timed_and_what_comes_later() {
        let mut engine = ruled(Rules::of::<Adaptive>(), 0);
        let us = engine.costs.cycles(1_000);
        assert!(engine.pay(0, us) > 0, "looks at the clock are not free");
        engine.pay_later(0, 3);
        let toll = engine.workers[0].sharing.apart.toll - OF_THE_CLOCK - 3 * LATER;
        assert!(
            (800..=1_200).contains(&toll),
            "clocks are off by a fifth at most: {toll}"
        );
        engine.pay(1, 1_000 * us);
        assert_eq!(engine.workers[1].sharing.apart.toll, LONGEST + OF_THE_CLOCK);
        let mut engine = ruled(Rules::of::<WorkSharing>(), 0);
        assert_eq!((engine.pay(0, us), engine.workers[0].sharing.apart.toll), (0, 0));
    }

    #[test]
    fn the_policy_hears_once_what_came_of_a_service() {
        let mut engine = ruled(Rules::of::<Adaptive>(), 0);
        engine.begin_trial(1);
        engine.now += engine.costs.cycles(1_000_000);
        engine.workers[1].sharing.messages += 1_000;
        engine.end_trial(1);
        assert_eq!(engine.board.fresh.paid, 1, "a millisecond of work, and no toll");
        engine.end_trial(1);
        assert_eq!(engine.board.fresh.paid, 1);
    }
}
