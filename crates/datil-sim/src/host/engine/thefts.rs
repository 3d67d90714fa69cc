//! Thefts. Where actors have no owners a thief takes what it finds; where they have, it asks, and acts in the place of a victim that does not
//! answer, or takes what is on its way to one that naps.

use datil_policy::{End, Route};

use super::Engine;
use super::actors::Token;
use super::owners::Arrival;
use super::worker::Phase;
use crate::machine::{Cycles, Owners};

/// What became of a request for work.
pub(super) enum Answer {
    /// Something has arrived, and it costs so much to take it in.
    Gift(Cycles),
    /// The victim has nothing to give, or the thief has something else to do.
    Nothing,
    /// The victim has not looked.
    Unanswered,
}

impl Engine {
    /// What a worker has robbed whose look at a victim, or wait for its answer, is over: from whom, and what that cost.
    pub(super) fn loot(&mut self, me: u32, probed: Option<(u32, End)>) -> Option<(u32, Cycles)> {
        let (victim, cost) = match (self.settings.machine.owners, probed) {
            (None, Some((victim, end))) => (victim, self.rob(me, victim, end)?),
            (None, None) => return None,
            (Some(_), Some((victim, _))) => (victim, self.intercept(me, victim)?),
            (Some(owners), None) => {
                let (victim, end) = self.workers[me as usize].asked.take()?;
                (victim, self.hear(me, victim, end, owners)?)
            }
        };
        self.run.thefts += 1;
        Some((victim, cost))
    }

    /// Takes what there is at the victim, if that is something, and returns what it costs.
    fn rob(&mut self, me: u32, victim: u32, end: End) -> Option<Cycles> {
        self.run.steal_attempts += 1;
        let loot = self.draw(victim, end);
        if loot.is_empty() {
            return None;
        }
        let pu = self.workers[me as usize].pu;
        let hold = Cycles::from(self.costs.queue);
        let robbed = &mut self.workers[victim as usize];
        let lock = match end {
            End::Tail => &mut robbed.tail,
            End::Head | End::Next => &mut robbed.head,
        };
        let cost = lock.take(&mut self.memory, pu, self.now, hold);
        self.keep(me, loot);
        Some(cost)
    }

    /// Asks a victim for what lies at this end of its queue; false if there is nothing that it could give.
    pub(super) fn ask(&mut self, me: u32, victim: u32, end: End, owners: Owners) -> bool {
        self.run.steal_attempts += 1;
        let asked = &mut self.workers[victim as usize];
        let is_poor = asked.queue.is_empty() && asked.arrivals.is_empty();
        if is_poor || asked.phase != Phase::Busy || asked.request.is_some() {
            return false;
        }
        self.post(me, victim, end, owners.patience);
        true
    }

    /// Posts a request at a victim, and looks so many times for the answer.
    pub(super) fn post(&mut self, me: u32, victim: u32, end: End, looks: u32) {
        self.workers[victim as usize].request = Some((me, end));
        self.workers[me as usize].asked = Some((victim, end));
        self.wait(me, looks);
    }

    /// Looks so many times at what comes for a worker that has nothing to do, which notices at once if something does.
    pub(super) fn wait(&mut self, me: u32, looks: u32) {
        self.workers[me as usize].phase = Phase::Polling;
        let time = Cycles::from(self.costs.poll) * Cycles::from(looks);
        self.next_turn(me, time);
    }

    /// Takes what is on its way into the queue of a worker that naps, and would lie there until it has slept enough; returns what that costs.
    pub(super) fn intercept(&mut self, me: u32, victim: u32) -> Option<Cycles> {
        let naps = self.workers[victim as usize].phase == Phase::Sleeping && self.rules.polls();
        let waiting = self.workers[victim as usize].arrivals.len();
        if !naps || waiting == 0 {
            return None;
        }
        let granted = self.workers[me as usize].policy.grant(waiting);
        let arrivals = std::mem::take(&mut self.workers[victim as usize].arrivals);
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        for (arrival, from) in arrivals {
            match arrival {
                Arrival::Actor { actor, .. } if taken.len() < granted => taken.push(actor),
                _ => left.push((arrival, from)),
            }
        }
        self.workers[victim as usize].arrivals = left;
        let (theirs, mine) = (self.workers[victim as usize].pu, self.workers[me as usize].pu);
        let mut cost = self.memory.transfer(theirs, mine, 1);
        for &actor in &taken {
            self.active -= 1;
            cost += self.later(cost, |engine| engine.accept(me, me, actor, End::Tail));
        }
        self.run.steals += taken.len() as u64;
        (!taken.is_empty()).then_some(cost)
    }

    /// Answers a thief after the worker has taken what it runs next; returns what that costs.
    pub(super) fn answer(&mut self, me: u32) -> Cycles {
        let Some((thief, end)) = self.workers[me as usize].request.take() else {
            return 0;
        };
        if !self.rules.routes {
            return self.hand_over(me, thief);
        }
        let mut cost = Cycles::from(self.costs.queue);
        for actor in self.draw(me, end) {
            let there = Route {
                worker: thief,
                end: End::Tail,
            };
            self.run.steals += u64::from(self.slots[actor as usize].token == Token::Home);
            cost += self.later(cost, |engine| engine.carry_out(me, actor, there));
        }
        // The thief sees its request gone.
        cost + self.nudge(thief)
    }

    /// Takes up to as many as the worker's policy grants from an end of its queue.
    fn draw(&mut self, from: u32, end: End) -> Vec<u32> {
        let robbed = &mut self.workers[from as usize];
        let granted = robbed.policy.grant(robbed.queue.len()).min(robbed.queue.len());
        let drawn = (0..granted).filter_map(|_| match end {
            End::Tail => robbed.queue.pop_back(),
            End::Head | End::Next => robbed.queue.pop_front(),
        });
        let drawn = drawn.collect();
        robbed.length.store(robbed.queue.len() as u32, robbed.pu);
        drawn
    }

    /// The wait for a victim's answer is over; a request that is still there is taken back.
    pub(super) fn answer_of(&mut self, me: u32, victim: u32) -> Answer {
        let mut arrivals = self.workers[me as usize].arrivals.iter();
        if arrivals.any(|(arrival, _)| matches!(arrival, Arrival::Actor { .. })) {
            return Answer::Gift(self.receive(me, me));
        }
        let called = !self.workers[me as usize].arrivals.is_empty();
        let asked = &mut self.workers[victim as usize];
        if asked.request.is_none_or(|(thief, _)| thief != me) {
            return Answer::Nothing;
        }
        asked.request = None;
        if called || asked.phase != Phase::Busy {
            return Answer::Nothing;
        }
        Answer::Unanswered
    }

    /// What a theft costs whose victim had time to answer, if something came of it.
    pub(super) fn hear(&mut self, me: u32, victim: u32, end: End, owners: Owners) -> Option<Cycles> {
        match self.answer_of(me, victim) {
            Answer::Gift(cost) => return Some(cost),
            Answer::Nothing => return None,
            Answer::Unanswered => {}
        }
        let cost = self.step_in(victim, owners) + self.receive(victim, me);
        let loot = self.draw(victim, end);
        if loot.is_empty() {
            return None;
        }
        for &actor in &loot {
            self.slots[actor as usize].owner = Some(me);
        }
        self.keep(me, loot);
        Some(cost)
    }

    /// Puts what a worker has stolen into its queue.
    fn keep(&mut self, me: u32, loot: Vec<u32>) {
        self.run.steals += loot.len() as u64;
        let thief = &mut self.workers[me as usize];
        thief.queue.extend(loot);
        thief.length.store(thief.queue.len() as u32, thief.pu);
    }
}
