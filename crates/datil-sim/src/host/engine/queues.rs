//! Queues, and who is told that something lies in them.

use datil_policy::{Board, End, Route, Waking};

use super::Engine;
use super::actors::Status;
use super::stint::Stint;
use super::worker::{Phase, Worker};
use crate::machine::Cycles;

/// What speaks for waking somebody for an actor that was queued, and against it.
#[derive(Clone, Copy)]
struct Reason {
    /// Somebody waited there already.
    beside: bool,
    /// It lies in the slot, which was empty.
    runs_next: bool,
}

impl Engine {
    /// Queues an actor that did not wait; returns what that costs unit `pu`.
    pub(super) fn enqueue(&mut self, actor: u32, route: Route, pu: usize, from: Option<u32>) -> Cycles {
        self.rouse(actor);
        self.put(actor, route, pu, from)
    }

    /// Notes that an actor is to run.
    pub(super) fn rouse(&mut self, actor: u32) {
        self.active += 1;
        self.slots[actor as usize].status = Status::Queued;
    }

    /// Puts an actor that is to run into a queue; returns what that costs unit `pu`.
    pub(super) fn put(&mut self, actor: u32, route: Route, pu: usize, from: Option<u32>) -> Cycles {
        let hold = Cycles::from(self.costs.queue);
        let worker = &mut self.workers[route.worker as usize];
        let reason = Reason {
            beside: worker.next.is_some() || !worker.queue.is_empty(),
            runs_next: route.end == End::Next && worker.next.is_none(),
        };
        let mut cost = match route.end {
            End::Next => {
                if let Some(before) = worker.next.replace(actor) {
                    worker.queue.push_back(before);
                }
                hold
            }
            End::Head => {
                worker.queue.push_front(actor);
                worker.head.take(&mut self.memory, pu, self.now, hold)
            }
            End::Tail => {
                worker.queue.push_back(actor);
                worker.tail.take(&mut self.memory, pu, self.now, hold)
            }
        };
        // Who puts an actor of another worker at the head needs both locks.
        if route.end == End::Head && from != Some(route.worker) {
            cost += worker.tail.take(&mut self.memory, pu, self.now, hold);
        }
        worker.length.store(worker.queue.len() as u32, pu);
        cost + self.notice(route.worker, from, reason)
    }

    /// Lets a worker notice that something was left for it which is not in its queue yet; returns what that costs the one who left it.
    pub(super) fn nudge(&mut self, worker: u32) -> Cycles {
        if self.workers[worker as usize].sleeps_on {
            self.run.pushed_to_sleepers += 1;
            return self.wake(worker);
        }
        let reason = Reason {
            beside: false,
            runs_next: false,
        };
        self.notice(worker, None, reason)
    }

    /// Lets the owner of a queue notice that something was put there, if it can; returns what that costs the one who
    /// did it.
    fn notice(&mut self, owner: u32, from: Option<u32>, reason: Reason) -> Cycles {
        let poll = Cycles::from(self.costs.poll);
        match self.workers[owner as usize].phase {
            Phase::Searching => {}
            Phase::Busy if self.rules.waking == Waking::OneNear && from != Some(owner) => {
                let node = self.memory.node(self.workers[owner as usize].pu);
                return self.wake_another(owner, Some(node));
            }
            Phase::Busy => {}
            Phase::Resting => self.get_up(owner),
            Phase::Polling => {
                // It has noticed: what else comes before it looks does not make it look later.
                self.workers[owner as usize].phase = Phase::Searching;
                let time = poll + self.until_idle(owner);
                self.next_turn(owner, time);
            }
            Phase::Sleeping => {
                self.run.pushed_to_sleepers += 1;
                if !self.rules.polls() {
                    return self.wake(owner);
                }
            }
        }
        match self.rules.waking {
            _ if from != Some(owner) => 0,
            Waking::Proven if reason.beside => self.summon_for_own(owner),
            Waking::Proven => 0,
            _ if reason.runs_next && !self.rules.slot_wakes => 0,
            _ => self.wake_another(owner, None),
        }
    }

    /// Wakes a sleeping worker for what a worker has queued behind something else, if its policy wants to look for one just now; returns what that costs.
    fn summon_for_own(&mut self, me: u32) -> Cycles {
        if !self.workers[me as usize].policy.looks_for_sleepers() {
            return 0;
        }
        let (woke, cost) = self.summon(me, me);
        self.workers[me as usize].policy.looked(woke);
        cost
    }

    /// Wakes a sleeping worker for what waits at the owner, if the policy of `me` wants that and nobody who was woken so is still looking
    /// for work; returns whether it did, and what that costs.
    pub(super) fn summon(&mut self, me: u32, owner: u32) -> (bool, Cycles) {
        let (sleeper, mut cost) = self.look_for_sleeper(me, owner);
        let Some(sleeper) = sleeper else {
            return (false, cost);
        };
        let pu = self.workers[me as usize].pu;
        cost += self.seeking.fetch(&mut self.memory, pu);
        let worker = &mut self.workers[sleeper as usize];
        worker.policy.summoned();
        worker.summoned = true;
        worker.stint = Some(Stint::default());
        (true, cost + self.wake(sleeper))
    }

    /// Whom a worker may wake for what waits at the owner, and what it costs to find that out: it looks first at what most often says that there is nobody.
    fn look_for_sleeper(&mut self, me: u32, owner: u32) -> (Option<u32>, Cycles) {
        let (pu, now, age) = (self.workers[me as usize].pu, self.now, self.staleness());
        let (idle, mut cost) = self.idle_workers.look(&mut self.memory, pu, now, age);
        if idle == 0 {
            return (None, cost);
        }
        cost += self.seeking.look(&mut self.memory, pu);
        if self.somebody_seeks(me) {
            return (None, cost);
        }
        let (board, line) = self.board.look(&mut self.memory, pu, now, age);
        cost += line + Cycles::from(self.costs.answers.wakes);
        if !self.workers[me as usize].policy.wakes(board) {
            return (None, cost);
        }
        let (sleeper, search) = self.call_up(me, owner, board);
        (sleeper, cost + search)
    }

    /// Whether somebody else that was woken to look for work is still looking.
    fn somebody_seeks(&self, me: u32) -> bool {
        let looks =
            |worker: &Worker| worker.summoned && matches!(worker.phase, Phase::Searching | Phase::Polling);
        let mut all = self.workers.iter().enumerate();
        all.any(|(at, worker)| at != me as usize && looks(worker))
    }

    /// The next sleeping worker after the owner that the policy of `me` calls, and what it costs to find it.
    fn call_up(&mut self, me: u32, owner: u32, board: Board) -> (Option<u32>, Cycles) {
        let (count, pu) = (self.workers.len() as u32, self.workers[me as usize].pu);
        let mut cost = self.aside(me);
        for step in 1..count {
            let other = (owner + step) % count;
            cost += Cycles::from(self.costs.answers.wakes);
            if !self.workers[me as usize].policy.calls(owner, other, board) {
                continue;
            }
            let called = &mut self.workers[other as usize];
            cost += called.rest.look(&mut self.memory, pu);
            if called.idles() {
                return (Some(other), cost);
            }
        }
        (None, cost)
    }

    /// The next sleeping worker after this one that is wanted.
    fn sleeper_after(&self, worker: u32, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let count = self.workers.len() as u32;
        let mut others = (1..count).map(|step| (worker + step) % count);
        others.find(|&other| self.workers[other as usize].idles() && wanted(other))
    }

    /// Wakes the next sleeping worker after `me`, on this node or anywhere, if the policy wants that and nobody there
    /// searches besides `me`.
    pub(super) fn wake_another(&mut self, me: u32, node: Option<usize>) -> Cycles {
        if !matches!(self.rules.waking, Waking::OneSearcher | Waking::OneNear) {
            return 0;
        }
        let is_there = |worker: &Worker| node.is_none_or(|node| self.memory.node(worker.pu) == node);
        let searching = |(at, worker): (usize, &Worker)| {
            at != me as usize && is_there(worker) && matches!(worker.phase, Phase::Searching | Phase::Polling)
        };
        if self.workers.iter().enumerate().any(searching) {
            return 0;
        }
        let sleeper = self.sleeper_after(me, |at| is_there(&self.workers[at as usize]));
        sleeper.map_or(0, |sleeper| self.wake(sleeper))
    }

    /// Wakes those that would poll if not all had been idle; returns what that costs.
    pub(super) fn rouse_all(&mut self) -> Cycles {
        if !self.rules.polls() {
            return 0;
        }
        let sleepers = (0..self.workers.len() as u32).filter(|&at| self.workers[at as usize].sleeps_on);
        let sleepers: Vec<u32> = sleepers.collect();
        sleepers.into_iter().map(|sleeper| self.wake(sleeper)).sum()
    }

    /// Wakes a worker that sleeps, or is about to; returns what that costs the one who does it.
    pub(super) fn wake(&mut self, worker: u32) -> Cycles {
        if self.workers[worker as usize].phase == Phase::Resting {
            self.get_up(worker);
            // Whether anybody searches has changed again when it is up, and is looked at for the next actor that is queued.
            return self.words() + Cycles::from(self.costs.line[0]);
        }
        let (cost, latency) = self.costs.wake;
        self.run.wakes += 1;
        // Who gets up counts itself.
        let counted = self.turn_to(worker, Phase::Searching);
        let sleeper = &mut self.workers[worker as usize];
        if !std::mem::take(&mut sleeper.sleeps_on) || !self.rules.polls() {
            sleeper.step = 0;
        }
        let latency = self.costs.cycles(latency);
        self.next_turn(worker, latency + counted);
        Cycles::from(cost)
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::{AdaptiveWaking, ClsTp};

    use super::super::Event;
    use super::super::actors::Slot;
    use super::*;
    use crate::host::{Rules, Settings};
    use crate::machine::{Region, preset};

    fn engine(actors: usize) -> Engine {
        ruled(Rules::of::<ClsTp>(), actors)
    }

    fn ruled(rules: Rules, actors: usize) -> Engine {
        let settings = Settings {
            workers: 4,
            ..Settings::new(preset("opteron").expect("a preset"))
        };
        let mut engine = Engine::new(rules, settings).expect("it fits the machine");
        let idle = || Slot {
            status: Status::Idle,
            ..Slot::unborn(None, 0, 0, Region::new(0))
        };
        engine.slots.extend((0..actors).map(|_| idle()));
        engine
    }

    /// When the worker does the next thing.
    fn next_turn_of(engine: &Engine, worker: u32) -> Option<Cycles> {
        let valid = Event::Turn(worker, engine.workers[worker as usize].generation);
        let mut events = engine.events.iter();
        let found = events.find(|std::cmp::Reverse((_, _, event))| *event == valid);
        found.map(|std::cmp::Reverse((time, ..))| *time)
    }

    /// Others may queue something every few cycles: a worker that looked later each time would never look.
    #[test]
    fn a_polling_worker_looks_soon_however_much_is_queued() {
        let mut engine = engine(20);
        engine.workers[0].phase = Phase::Polling;
        engine.next_turn(0, 10 * Cycles::from(engine.costs.poll));
        let soon = Cycles::from(engine.costs.poll);
        let to_it = Route {
            worker: 0,
            end: End::Tail,
        };
        for actor in 0..20 {
            engine.now = u64::from(actor) * 3;
            let pu = engine.workers[1].pu;
            engine.enqueue(actor, to_it, pu, Some(1));
        }
        assert_eq!(next_turn_of(&engine, 0), Some(soon));
    }

    /// Worker 0 queues an actor behind another one, this time later; returns what it costs to see to somebody who could be woken.
    fn queue_another(engine: &mut Engine) -> Cycles {
        engine.now += engine.staleness();
        engine.summon_for_own(0)
    }

    #[test]
    fn whoever_looks_for_a_sleeper_in_vain_looks_again_some_actors_later() {
        let mut engine = ruled(Rules::of::<AdaptiveWaking>(), 0);
        let away = engine.workers[1].pu;
        let mut costs = Vec::new();
        for _ in 0..8 {
            // Others lie down and get up all the time.
            engine.idle_workers.store(0, away);
            costs.push(queue_another(&mut engine) > 0);
        }
        assert_eq!(costs, [true, false, true, false, false, false, true, false]);
    }

    #[test]
    fn whoever_wakes_somebody_pays_for_all_that_it_has_looked_at() {
        let mut engine = ruled(Rules::of::<AdaptiveWaking>(), 0);
        for worker in 1..4 {
            engine.turn_to(worker, Phase::Sleeping);
        }
        engine.board.fresh.paid = 1;
        let cost = queue_another(&mut engine);
        let mut line = |from: usize| {
            let units = [from, 0].map(|worker| engine.workers[worker].pu);
            engine.memory.transfer(units[0], units[1], 1)
        };
        // Worker 3 lay down last, so that it has written how many sleep; worker 1 is the first to be called.
        let lines = line(3) + line(1);
        let asked = 2 * Cycles::from(engine.costs.answers.wakes);
        assert_eq!(cost, lines + asked + Cycles::from(engine.costs.wake.0));
        assert_eq!(engine.run.wakes, 1);
    }
}
