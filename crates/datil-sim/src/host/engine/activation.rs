//! Which actor a worker runs, from taking it out of the queue to going on with the next one.

use std::collections::VecDeque;

use datil_policy::{End, Route};

use super::Engine;
use super::actors::Status;
use super::handling::Step;
use super::worker::Phase;
use crate::actor::Note;
use crate::machine::{Cycles, Stream};

/// What a worker runs.
pub(super) struct Activation {
    pub(super) actor: u32,
    pub(super) steps: VecDeque<Step>,
    /// The handler asked to stop.
    pub(super) stopping: bool,
    /// When it was taken from the queue.
    pub(super) began: Cycles,
    /// Messages handled.
    pub(super) messages: u32,
    /// Lines that the messages of the present handler carry.
    pub(super) carries: u32,
    /// Time of computing so far, without sends.
    pub(super) computing: Cycles,
    pub(super) timed: bool,
    pub(super) stream: Option<Stream>,
    /// The actor starts, and its worker has just started the one that was created before it, behind which it lies in memory.
    pub(super) in_row: bool,
}

impl Activation {
    pub(super) fn of(actor: u32, timed: bool, began: Cycles) -> Self {
        Self {
            actor,
            steps: VecDeque::new(),
            stopping: false,
            began,
            messages: 0,
            carries: 0,
            computing: 0,
            timed,
            stream: None,
            in_row: false,
        }
    }
}

impl Engine {
    /// Sees to what others want, takes the next actor and begins to run it; without one the worker begins to search.
    pub(super) fn dispatch(&mut self, me: u32) -> Result<(), String> {
        let seen_to = self.between_activations(me);
        self.later(seen_to, |engine| engine.run_next(me))
    }

    fn run_next(&mut self, me: u32) -> Result<(), String> {
        let taken = self.take(me);
        let mut answered = self.answer(me);
        let Some((actor, cost)) = taken else {
            return self.run_dry(me);
        };
        let worker = &mut self.workers[me as usize];
        worker.step = 0;
        worker.probing = None;
        worker.tick = worker.tick.wrapping_add(1);
        if worker.phase != Phase::Busy {
            worker.phase = Phase::Busy;
            // Called before what it did last has ended, it has not idled.
            worker.idle += self.now.saturating_sub(worker.idle_since);
            answered += self.rouse_all() + self.stop_guarding(me);
        }
        let (timed, asked) = self.is_to_be_timed(me, actor);
        self.workers[me as usize].activation = Some(Activation::of(actor, timed, self.now));
        self.run.activations += 1;
        self.slots[actor as usize].status = Status::Running;
        let timing = if timed { self.costs.timing } else { 0 };
        let begun = self.begin_handling(me)?;
        self.next_turn(me, answered + asked + cost + begun + Cycles::from(timing));
        Ok(())
    }

    /// A worker has nothing to run, and begins to look for something.
    fn run_dry(&mut self, me: u32) -> Result<(), String> {
        let mut cost = 0;
        let worker = &mut self.workers[me as usize];
        worker.step = 0;
        if !self.rules.routes {
            worker.policy.interrupted();
        }
        if worker.phase == Phase::Busy {
            worker.phase = Phase::Searching;
            worker.idle_since = self.now;
            cost = self.seek(me) + self.end_stint(me);
        }
        self.later(cost, |engine| {
            if let Some(owners) = engine.settings.machine.owners {
                engine.linger(me, owners);
                return Ok(());
            }
            engine.look_around(me)
        })
    }

    /// Takes the worker's next actor out of the slot or from the end of the queue, as the policy says; returns it and what that
    /// costs.
    fn take(&mut self, me: u32) -> Option<(u32, Cycles)> {
        if !self.rules.routes {
            return self.pick(me);
        }
        let hold = Cycles::from(self.costs.queue);
        let worker = &mut self.workers[me as usize];
        let end = if self.settings.fair {
            worker.policy.take(worker.tick.wrapping_add(1))
        } else {
            End::Next
        };
        if (end == End::Next || worker.queue.is_empty())
            && let Some(actor) = worker.next.take()
        {
            return Some((actor, hold));
        }
        let (actor, lock) = match end {
            End::Tail => (worker.queue.pop_back()?, &mut worker.tail),
            End::Head | End::Next => (worker.queue.pop_front()?, &mut worker.head),
        };
        worker.length.store(worker.queue.len() as u32, worker.pu);
        Some((actor, lock.take(&mut self.memory, worker.pu, self.now, hold)))
    }

    /// A handler has ended: the actor stops, goes on, rests, or goes behind others.
    pub(super) fn end_handling(&mut self, me: u32, cost: Cycles) -> Result<(), String> {
        let worker = &mut self.workers[me as usize];
        let activation = worker.activation.as_ref().expect("the worker is busy");
        let actor = activation.actor;
        let slot = &mut self.slots[actor as usize];
        if activation.stopping {
            slot.status = Status::Dead;
            slot.body = None;
            // What others have written lies apart until the owner looks.
            slot.collect();
            let unread = slot.mailbox.len();
            slot.mailbox.clear();
            if unread > 0 {
                return Err(format!("an actor stopped with {unread} messages in its mailbox"));
            }
            self.active -= 1;
            self.notes.push(Note::Stopped);
        } else if slot.mailbox.is_empty() {
            slot.status = Status::Idle;
            self.active -= 1;
        } else if activation.messages < worker.policy.batch() {
            let time = cost + self.begin_handling(me)?;
            self.next_turn(me, time);
            return Ok(());
        }
        let cost = cost + self.fetch_line(me, actor);
        let cost = cost + self.learn(me);
        let block = Cycles::from(self.costs.block);
        let pu = self.workers[me as usize].pu;
        let mut cost = cost + block;
        self.workers[me as usize].activation = None;
        if self.slots[actor as usize].status == Status::Running {
            self.active -= 1;
            let tail = Route {
                worker: me,
                end: End::Tail,
            };
            cost += if self.rules.routes {
                self.enqueue(actor, tail, pu, Some(me))
            } else {
                self.set_aside(me, actor)
            };
        }
        self.go_on(me, cost)
    }

    /// What it costs where actors have owners that somebody else has written to one since its worker has touched it.
    pub(super) fn fetch_line(&mut self, me: u32, actor: u32) -> Cycles {
        if self.settings.machine.owners.is_none() {
            return 0;
        }
        let pu = self.workers[me as usize].pu;
        self.slots[actor as usize].line.fetch(&mut self.memory, pu)
    }

    /// Goes on with the next actor after `cost`.
    pub(super) fn go_on(&mut self, me: u32, cost: Cycles) -> Result<(), String> {
        // The next actor is chosen now and its costs begin later: a difference of some dozen cycles that saves an
        // event each time.
        let worker = &mut self.workers[me as usize];
        worker.activation = None;
        let unit = worker.pu;
        let cost = self.paced(unit, cost);
        self.later(cost, |engine| engine.dispatch(me))
    }

    /// Does something as if it were so much later: it comes after other things that are charged together.
    pub(super) fn later<R>(&mut self, cost: Cycles, act: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.now;
        self.now += cost;
        let done = act(self);
        self.now = before;
        done
    }
}
