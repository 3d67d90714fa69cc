//! What threads outside want of actors that belong to workers: it lies in the runtime's inbox until a worker takes it.

use datil_policy::Route;

use super::Engine;
use super::activation::Activation;
use super::actors::{Mail, Status, Token};
use super::sharing::here;
use super::worker::{Phase, Worker};
use crate::actor::Letter;
use crate::machine::Cycles;

/// Nanoseconds after which a handler takes so long that another worker takes what comes from outside.
const PATIENCE: u64 = 1_000_000;
/// Bytes of a record, which says what is to be done and to whom, with a short message; and of a line.
const RECORD: u32 = 24;
const LINE: u32 = 64;
/// Whenever records have waited for too long, one part of so many is taken off what they wait for.
const REMITTED: u64 = 8;

/// One thing that a thread outside wants.
pub(super) enum Record {
    Spawn(u32),
    Send(u32, Letter),
}

impl Engine {
    /// Leaves a record; returns what that costs the thread outside.
    pub(super) fn record(&mut self, record: Record) -> Cycles {
        self.active += 1;
        self.sent += u64::from(RECORD) / 8;
        self.inbox.push_back(record);
        let at_work = |phase| matches!(phase, Phase::Busy | Phase::Searching);
        if self.workers.iter().any(|worker| at_work(worker.phase)) {
            return 0;
        }
        let polls = |phase| matches!(phase, Phase::Polling | Phase::Resting);
        let found = self.workers.iter().position(|worker| polls(worker.phase));
        if let Some(polling) = found {
            return self.nudge(polling as u32);
        }
        self.wake(0)
    }

    /// Whether there are records that this worker is to take. Whoever took the last ones goes on doing so, unless it idles or is in a handler for
    /// long.
    pub(super) fn may_take_in(&self, me: u32) -> bool {
        let Some(keeper) = self.keeper.filter(|keeper| *keeper != me) else {
            return !self.inbox.is_empty();
        };
        let keeper = &self.workers[keeper as usize];
        let patience = self.costs.cycles(PATIENCE);
        let is_long = |activation: &Activation| self.now.saturating_sub(activation.began) >= patience;
        let keeps = !keeper.idles() && !keeper.activation.as_ref().is_some_and(is_long);
        !keeps && !self.inbox.is_empty()
    }

    /// Whether this worker should take records, but not yet, since somebody has too many messages before it that came from there.
    pub(super) fn lets_records_wait(&mut self, me: u32) -> bool {
        let Some(owners) = self.settings.machine.owners.filter(|_| self.rules.routes) else {
            return false;
        };
        for worker in &mut self.workers {
            let is_out_of_work =
                worker.activation.is_none() && worker.queue.is_empty() && worker.arrivals.is_empty();
            if is_out_of_work {
                worker.forwarded = 0;
            }
        }
        let is_behind = |worker: &Worker| worker.forwarded > u64::from(owners.ahead);
        if !self.may_take_in(me) || !self.workers.iter().any(is_behind) {
            self.waits_since = None;
            return false;
        }
        let since = *self.waits_since.get_or_insert(self.now);
        let waits = self.now.saturating_sub(since) < self.costs.cycles(owners.wait);
        if !waits {
            self.waits_since = Some(self.now);
            let remit = |worker: &mut Worker| worker.forwarded -= worker.forwarded / REMITTED;
            self.workers.iter_mut().for_each(remit);
        }
        waits
    }

    /// Does what the oldest records say, at most so many; returns what that costs.
    pub(super) fn take_in(&mut self, me: u32, most: u32) -> Cycles {
        if !self.may_take_in(me) || self.lets_records_wait(me) {
            return 0;
        }
        self.keeper = Some(me);
        let mut cost = self.fetch_records(me, most.min(self.inbox.len() as u32));
        for _ in 0..most {
            let Some(record) = self.inbox.pop_front() else {
                break;
            };
            self.active -= 1;
            // A record is no actor, and costs the same whoever queues those.
            cost += Cycles::from(self.settings.machine.costs.queue);
            cost += self.later(cost, |engine| match record {
                Record::Spawn(actor) => engine.admit(me, actor),
                Record::Send(to, letter) => engine.pass_on(me, to, letter),
            });
        }
        cost
    }

    /// What it costs that records were written on another unit.
    fn fetch_records(&mut self, me: u32, records: u32) -> Cycles {
        let pu = self.workers[me as usize].pu;
        let lines = (records * RECORD).div_ceil(LINE);
        let way = self.memory.transfer(self.driver_pu, pu, lines);
        let owners = self.settings.machine.owners;
        owners.map_or(way, |owners| owners.together(way))
    }

    fn admit(&mut self, me: u32, actor: u32) -> Cycles {
        let route = if self.rules.routes {
            let workers = self.workers.len() as u32;
            let (word, route) = (self.rules.admitted)(self.role(actor), self.turns.0, workers);
            self.turns.0 += 1;
            self.slots[actor as usize].word = word;
            route
        } else {
            self.place(me)
        };
        self.rouse(actor);
        self.write_state(actor, self.workers[me as usize].pu);
        self.carry_out(me, actor, route)
    }

    fn pass_on(&mut self, me: u32, to: u32, letter: Letter) -> Cycles {
        let mail = Mail {
            letter,
            from: self.workers[me as usize].pu,
            lines: 0,
            in_row: false,
        };
        self.lost |= self.slots[to as usize].status == Status::Dead;
        let owner = self.owner(to);
        let adoption = self.adopt(me, to);
        let travels = self.slots[to as usize].token == Token::InTransit;
        if travels || owner != me && adoption.is_none() {
            self.workers[owner as usize].forwarded += 1;
            // Policies that do not route take what comes from outside for the worker's own that brings it.
            let sender = (!self.rules.routes).then_some(me);
            return self.write_to_other(me, owner, mail, to, sender);
        }
        let slot = &mut self.slots[to as usize];
        slot.collect();
        slot.mailbox.push_back(mail);
        let cost = adoption.unwrap_or(0) + slot.line.fetch(&mut self.memory, self.workers[me as usize].pu);
        if slot.status != Status::Idle {
            return cost;
        }
        self.rouse(to);
        let route = if self.rules.routes {
            self.ask_for_call(to)
        } else {
            here(me)
        };
        cost + self.carry_out(me, to, route)
    }

    /// Where the policy queues an idle actor to which a thread outside has sent.
    pub(super) fn ask_for_call(&mut self, to: u32) -> Route {
        let workers = self.workers.len() as u32;
        let turn = self.turns.1;
        self.turns.1 += 1;
        (self.rules.called)(self.slots[to as usize].word, turn, workers)
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::ClsTp;

    use super::super::actors::Slot;
    use super::*;
    use crate::host::{Rules, Settings};
    use crate::machine::{Region, preset};

    /// Two workers that sleep, and so many actors of which nobody has heard.
    fn engine(actors: u32) -> Engine {
        let settings = Settings::new(preset("pair").expect("a preset"));
        let mut engine = Engine::new(Rules::of::<ClsTp>(), settings).expect("it fits the machine");
        engine.start();
        let unborn = || Slot::unborn(None, 0, 0, Region::new(128));
        engine.slots.extend((0..actors).map(|_| unborn()));
        engine.class_of.insert("nobody", 0);
        engine.classes.push(super::super::actors::Class {
            annotation: None,
            lore: super::super::learning::Lore::default(),
        });
        engine
    }

    #[test]
    fn the_first_record_wakes_a_worker_and_others_wait_for_it() {
        let mut engine = engine(2);
        assert!(engine.record(Record::Spawn(0)) > 0, "waking costs something");
        assert_eq!((engine.workers[0].phase, engine.run.wakes), (Phase::Searching, 1));
        assert_eq!(engine.record(Record::Spawn(1)), 0);
        assert_eq!((engine.run.wakes, engine.active, engine.inbox.len()), (1, 2, 2));
    }

    #[test]
    fn records_are_taken_in_order_and_no_more_than_are_wanted() {
        let mut engine = engine(1);
        engine.record(Record::Spawn(0));
        for number in 1..=3u32 {
            engine.record(Record::Send(0, Box::new(number)));
        }
        assert!(engine.take_in(0, 3) > 0);
        assert_eq!(engine.inbox.len(), 1);
        let numbers = engine.slots[0].mailbox.iter();
        let numbers: Vec<u32> = numbers
            .filter_map(|mail| mail.letter.downcast_ref().copied())
            .collect();
        assert_eq!(numbers, [1, 2]);
        // It waits in one queue, once, and a record is left.
        assert_eq!(engine.active, 2);
    }

    #[test]
    fn records_wait_for_who_has_enough_before_it_but_not_for_long() {
        let mut engine = engine(2);
        engine.record(Record::Spawn(0));
        engine.record(Record::Spawn(1));
        let owners = engine.settings.machine.owners.expect("it has some");
        for number in 0..3 * owners.ahead {
            engine.record(Record::Send(1, Box::new(number)));
        }
        // The second actor goes to the second worker, which handles nothing.
        let takes = |engine: &mut Engine, most| {
            let before = engine.inbox.len();
            engine.take_in(0, most);
            before - engine.inbox.len()
        };
        assert_eq!(takes(&mut engine, 2 + owners.ahead), 2 + owners.ahead as usize);
        assert_eq!(takes(&mut engine, 9), 9, "no more than it may have");
        assert_eq!(takes(&mut engine, 9), 0);
        engine.workers[1].forwarded -= 9;
        assert_eq!(takes(&mut engine, 9), 9);
        engine.now += engine.costs.cycles(owners.wait) - 1;
        assert_eq!(takes(&mut engine, 9), 0, "it waits since just now");
        engine.now += engine.costs.cycles(owners.wait);
        assert_eq!(takes(&mut engine, 9), 9, "it has waited for long enough");
        engine.workers[1].forwarded = 9_999;
        assert_eq!(takes(&mut engine, 9), 0);
        engine.workers[1].arrivals.clear();
        assert_eq!(takes(&mut engine, 9), 9, "the receiver has nothing to do");
    }

    #[test]
    fn actors_from_outside_are_dealt_out_and_keep_what_is_sent_to_them() {
        let mut engine = engine(2);
        for actor in 0..2 {
            engine.record(Record::Spawn(actor));
            engine.record(Record::Send(actor, Box::new(actor)));
        }
        engine.take_in(0, 9);
        let owners: Vec<_> = engine.slots.iter().map(|slot| slot.owner).collect();
        assert_eq!(owners, [Some(0), Some(1)]);
        engine.receive(1, 1);
        assert_eq!(engine.workers[1].queue, [1]);
        assert_eq!((engine.slots[1].mailbox.len(), engine.active), (1, 2));
    }

    #[test]
    fn a_worker_that_finds_something_wakes_those_that_would_poll() {
        let mut engine = engine(0);
        engine.wake(0);
        assert!(engine.rouse_all() > 0);
        assert_eq!((engine.workers[1].phase, engine.run.wakes), (Phase::Searching, 2));
        assert_eq!(engine.rouse_all(), 0);
    }
}
