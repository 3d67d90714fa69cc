//! Workers that look for work.

use datil_policy::{End, Search, Waking};

use super::Engine;
use super::worker::Phase;
use crate::machine::{Cycles, Owners};

impl Engine {
    /// An idle worker's event: what it was doing has ended; it looks at its own queue and then does the next thing.
    pub(super) fn look_around(&mut self, me: u32) -> Result<(), String> {
        if !self.rules.routes {
            return self.look_for_more(me);
        }
        if self.workers[me as usize].phase == Phase::Sleeping {
            let counted = self.turn_to(me, Phase::Searching);
            return self.later(counted, |engine| engine.look_around(me));
        }
        let rested = self.workers[me as usize].phase == Phase::Resting;
        let probed = self.workers[me as usize].probing.take();
        if let (Some((victim, end)), Some(owners)) = (probed, self.settings.machine.owners)
            && self.ask(me, victim, end, owners)
        {
            return Ok(());
        }
        if let Some((victim, cost)) = self.loot(me, probed) {
            let mut cost = cost + self.seek(me) + self.begin_stint(me) + self.wake_another(me, None);
            if self.rules.waking == Waking::Proven && !self.workers[victim as usize].queue.is_empty() {
                cost += self.summon(me, victim).1;
            }
            return self.go_on(me, cost);
        }
        let worker = &self.workers[me as usize];
        let is_left = !worker.arrivals.is_empty() || worker.next.is_some() || !worker.queue.is_empty();
        if let Some(cost) = self.watch_brought(me, is_left) {
            self.workers[me as usize].phase = Phase::Searching;
            self.next_turn(me, cost + Cycles::from(self.costs.poll));
            return Ok(());
        }
        let waits = self.lets_records_wait(me);
        if is_left || self.may_take_in(me) && !waits {
            return self.dispatch(me);
        }
        if rested && !waits {
            self.park(me);
            return Ok(());
        }
        let worker = &mut self.workers[me as usize];
        let step = worker.step;
        worker.step = worker.step.saturating_add(1);
        match worker.policy.search(step) {
            Search::Sleep(_) | Search::Park if waits => self.watch(me),
            Search::Probe(victim, end) => self.probe(me, victim, end),
            Search::Poll(times) => {
                worker.phase = Phase::Polling;
                let time = Cycles::from(self.costs.poll) * Cycles::from(times);
                self.next_turn(me, time);
            }
            Search::Sleep(nanos) => {
                let told = self.fall_asleep(me);
                let time = self.costs.cycles(nanos + self.costs.sleep_slack);
                self.next_turn(me, told + time);
            }
            Search::Park if self.settings.machine.owners.is_some() => self.rest(me),
            Search::Park => self.park(me),
        }
        Ok(())
    }

    /// Begins to look whether a victim has anything at this end of its queue.
    fn probe(&mut self, me: u32, victim: u32, end: End) {
        let worker = &mut self.workers[me as usize];
        worker.phase = Phase::Searching;
        worker.probing = Some((victim, end));
        let pu = worker.pu;
        let lock = match end {
            End::Tail => &self.workers[victim as usize].tail,
            End::Head | End::Next => &self.workers[victim as usize].head,
        };
        let time = Cycles::from(self.costs.theft) + lock.look(&mut self.memory, pu);
        self.next_turn(me, time);
    }

    /// Looks again soon, and for work from the beginning.
    fn watch(&mut self, me: u32) {
        let worker = &mut self.workers[me as usize];
        worker.phase = Phase::Polling;
        worker.step = 0;
        self.next_turn(me, Cycles::from(self.costs.poll));
    }

    /// Polls before it goes to sleep.
    pub(super) fn rest(&mut self, me: u32) {
        let words = self.words() + self.turn_to(me, Phase::Resting);
        let worker = &mut self.workers[me as usize];
        worker.rests_from = self.now + words;
        let time = Cycles::from(self.costs.poll) * Cycles::from(worker.policy.spin());
        self.next_turn(me, words + time);
    }

    /// Ends the rest of a worker that did not sleep yet.
    pub(super) fn get_up(&mut self, me: u32) {
        let counted = self.turn_to(me, Phase::Searching);
        let worker = &mut self.workers[me as usize];
        worker.step = 0;
        let until_rest = worker.rests_from.saturating_sub(self.now);
        let time = counted + Cycles::from(self.costs.poll) + self.words() + self.until_idle(me) + until_rest;
        self.next_turn(me, time);
    }

    /// Time until a worker that idles has done what it did last, whose costs began when it was chosen (see [`Engine::go_on`]). Where actors have
    /// no owners that is a few cycles, and not counted.
    pub(super) fn until_idle(&self, worker: u32) -> Cycles {
        let since = self.workers[worker as usize].idle_since;
        let counts = self.settings.machine.owners.is_some();
        if counts { since.saturating_sub(self.now) } else { 0 }
    }

    /// What the lines cost that tell others whether a worker rests, when they have changed: that worker, and whoever looks at them.
    pub(super) fn words(&self) -> Cycles {
        let words = self.settings.machine.owners.map_or(0, |owners| owners.words);
        Cycles::from(words * self.costs.line[0])
    }

    /// Waits a little when it has run dry: others may be about to send something.
    pub(super) fn linger(&mut self, me: u32, owners: Owners) {
        self.workers[me as usize].phase = Phase::Polling;
        let time = Cycles::from(self.costs.poll) * Cycles::from(owners.linger);
        self.next_turn(me, time);
    }

    /// Goes to sleep until somebody wakes it. Whoever does so looks once more, lest what was queued behind its back waits.
    fn park(&mut self, me: u32) {
        let has_work = self.somebody_has_work();
        if has_work {
            let counted = self.turn_to(me, Phase::Searching);
            self.workers[me as usize].step = 0;
            self.next_turn(me, counted + Cycles::from(self.costs.theft));
        } else {
            // Only being woken makes a new event.
            let worker = &mut self.workers[me as usize];
            worker.generation = worker.generation.wrapping_add(1);
            self.fall_asleep(me);
        }
    }

    /// Whoever was woken for something and sleeps again has found nothing. Returns what it costs to say so.
    fn fall_asleep(&mut self, me: u32) -> Cycles {
        let cost = self.seek(me) + self.turn_to(me, Phase::Sleeping);
        self.workers[me as usize].summoned = false;
        cost + self.end_stint(me)
    }

    /// A worker lies down or gets up, and all can see that; returns what it costs to change how many sleep, where the policy looks at that. Where actors have
    /// owners this is among [`Engine::words`].
    pub(super) fn turn_to(&mut self, me: u32, phase: Phase) -> Cycles {
        let worker = &mut self.workers[me as usize];
        let (pu, slept) = (worker.pu, worker.idles());
        worker.phase = phase;
        worker.rest.store(pu);
        if worker.idles() == slept {
            return 0;
        }
        let is_looked_at = worker.learns || self.rules.waking == Waking::Proven;
        self.idle_workers.fresh = self.workers.iter().filter(|worker| worker.idles()).count() as u32;
        if !is_looked_at || self.settings.machine.owners.is_some() {
            self.idle_workers.line.store(pu);
            return 0;
        }
        self.idle_workers.line.fetch(&mut self.memory, pu)
    }

    /// What it costs a worker to count itself among those that were woken to look for work, or not any more, if it was.
    pub(super) fn seek(&mut self, me: u32) -> Cycles {
        let worker = &self.workers[me as usize];
        if !worker.summoned {
            return 0;
        }
        self.seeking.fetch(&mut self.memory, worker.pu)
    }

    fn somebody_has_work(&self) -> bool {
        self.workers.iter().any(|worker| !worker.queue.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::ClsWake;

    use super::super::Event;
    use super::*;
    use crate::host::{Rules, Settings};
    use crate::machine::preset;

    /// How long after it was called a worker looks for work that has begun to rest so long before.
    fn up_after(rested: Cycles) -> Cycles {
        let settings = Settings::new(preset("pair").expect("a preset"));
        let mut engine = Engine::new(Rules::of::<ClsWake>(), settings).expect("it fits the machine");
        engine.rest(1);
        engine.now += rested;
        engine.get_up(1);
        let turn = Event::Turn(1, engine.workers[1].generation);
        let mut events = engine.events.iter();
        let found = events.find(|std::cmp::Reverse((_, _, event))| *event == turn);
        let time = found.map(|std::cmp::Reverse((time, ..))| *time);
        time.expect("it is called") - engine.now
    }

    #[test]
    fn a_worker_lies_down_before_it_gets_up() {
        let settings = Settings::new(preset("pair").expect("a preset"));
        let engine = Engine::new(Rules::of::<ClsWake>(), settings).expect("it fits the machine");
        let words = engine.words();
        assert!(words > 0);
        assert_eq!(up_after(0), up_after(words) + words);
        assert_eq!(up_after(words), up_after(2 * words));
    }
}
