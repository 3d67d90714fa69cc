//! The guard: one idle worker that looks now and then after those that are in handlers for long, and takes over of what waits for them as much as the policy says.
//!
//! See *Absence* in `crates/datil/src/worker/README.md`.

use super::Engine;
use super::owners::Arrival;
use super::sharing::LOOK_EVERY;
use super::worker::Phase;
use crate::machine::Cycles;

/// Nanoseconds between two looks.
const BETWEEN_LOOKS: u64 = 1_000_000;
/// Looks in a row that find nobody at work, after which the guard sleeps like others.
const CALM: u32 = 16;

/// Who the guard is, and what it saw when it last looked.
#[derive(Default)]
pub(super) struct Guard {
    worker: Option<u32>,
    /// Activations by then, of those that were at work.
    seen: Vec<Option<u32>>,
    /// Looks in a row that found nobody at work.
    calm: u32,
}

/// The handler during which a worker has relieved another one last, and how often that was.
#[derive(Default)]
pub(super) struct Relieved {
    handler: Option<(u32, u32)>,
    times: u32,
}

impl Guard {
    pub(super) fn is(&self, worker: u32) -> bool {
        self.worker == Some(worker)
    }
}

impl Engine {
    /// Makes sure that an idle worker, if there is one, looks after the others; returns what that costs.
    pub(super) fn see_to_a_guard(&mut self, me: u32) -> Cycles {
        if self.guard.worker.is_some() {
            return 0;
        }
        let count = self.workers.len() as u32;
        let idles = |&other: &u32| other != me && self.workers[other as usize].idles();
        let Some(chosen) = (0..count).find(idles) else {
            return 0;
        };
        self.guard = Guard {
            worker: Some(chosen),
            ..Guard::default()
        };
        if self.workers[chosen as usize].phase != Phase::Sleeping {
            return 0;
        }
        // It is woken for that, looks once and goes on sleeping.
        self.run.wakes += 1;
        let wait = self.costs.cycles(BETWEEN_LOOKS);
        self.next_turn(chosen, wait);
        Cycles::from(self.costs.wake.0)
    }

    /// A guard that has something to do leaves its watch to another idle worker.
    pub(super) fn stop_guarding(&mut self, me: u32) -> Cycles {
        if !self.guard.is(me) {
            return 0;
        }
        self.guard.worker = None;
        self.see_to_a_guard(me)
    }

    /// Goes to sleep until somebody wakes it, or as the guard until its next look.
    pub(super) fn lie_down(&mut self, me: u32) {
        self.workers[me as usize].phase = Phase::Sleeping;
        if self.guard.worker.is_none() && self.workers.len() > 1 {
            self.guard = Guard {
                worker: Some(me),
                ..Guard::default()
            };
        }
        if self.guard.is(me) {
            let wait = self.costs.cycles(BETWEEN_LOOKS);
            return self.next_turn(me, wait);
        }
        // Only being woken makes a new event.
        let worker = &mut self.workers[me as usize];
        worker.generation = worker.generation.wrapping_add(1);
    }

    /// The guard looks after the others.
    pub(super) fn patrol(&mut self, me: u32) -> Result<(), String> {
        let stuck = self.look_after(me);
        if let Some(worker) = stuck {
            let granted = self.relief(me, worker);
            if let Some(cost) = self.rescue(me, worker, granted) {
                self.workers[me as usize].phase = Phase::Searching;
                return self.go_on(me, cost);
            }
        }
        if self.guard.calm >= CALM {
            self.guard = Guard::default();
            let worker = &mut self.workers[me as usize];
            worker.generation = worker.generation.wrapping_add(1);
            return Ok(());
        }
        self.lie_down(me);
        Ok(())
    }

    /// How many actors the guard takes over that wait for a worker in a long handler.
    fn relief(&mut self, me: u32, from: u32) -> usize {
        let queued = self.queued(from);
        if queued == 0 {
            return 0;
        }
        let handler = (from, self.workers[from as usize].tick);
        let guard = &mut self.workers[me as usize];
        if guard.relieved.handler != Some(handler) {
            guard.relieved = Relieved {
                handler: Some(handler),
                times: 0,
            };
        }
        let before = guard.relieved.times;
        guard.relieved.times += 1;
        guard.policy.relieve(queued, before)
    }

    /// Somebody at work who has begun no activation since the last look while something waits for it. Whoever has begun a few only is told to look
    /// around: nobody may have idled when it last did.
    fn look_after(&mut self, me: u32) -> Option<u32> {
        let mut watch = std::mem::take(&mut self.guard);
        watch.seen.resize(self.workers.len(), None);
        let (mut is_calm, mut stuck) = (true, None);
        for (at, (worker, seen)) in self.workers.iter_mut().zip(&mut watch.seen).enumerate() {
            if at as u32 == me {
                continue;
            }
            is_calm &= worker.idles();
            let at_work = (worker.phase == Phase::Busy).then_some(worker.tick);
            let waits = !worker.arrivals.is_empty() || !worker.queue.is_empty() || !worker.yielded.is_empty();
            match at_work.zip(*seen) {
                Some((now, then)) if now == then && waits => stuck = Some(at as u32),
                Some((now, then)) if now - then < LOOK_EVERY => worker.sharing.look_at = 0,
                _ => {}
            }
            *seen = at_work;
        }
        watch.calm = if is_calm { watch.calm + 1 } else { 0 };
        self.guard = watch;
        stuck
    }

    /// Takes over what has arrived for a worker in a handler, and so many of the oldest that wait there; returns what that costs if it gave us
    /// something to run.
    pub(super) fn rescue(&mut self, me: u32, from: u32, granted: usize) -> Option<Cycles> {
        let owners = self.settings.machine.owners?;
        let before = self.queued(me);
        let mut cost = self.step_in(from, owners);
        cost += self.take_queued(me, from, granted);
        let runs = self.workers[from as usize]
            .activation
            .as_ref()
            .map(|activation| activation.actor);
        let arrivals = std::mem::take(&mut self.workers[from as usize].arrivals);
        for (arrival, pu) in arrivals {
            match arrival {
                // All of the actor that runs is its handler's alone.
                Arrival::Token { actor, .. } if Some(actor) == runs => {
                    self.workers[from as usize].arrivals.push((arrival, pu));
                }
                Arrival::Token { actor, .. } if self.is_queued_at(actor, from) => {
                    // It stays there, with what was sent to it.
                    self.active -= 1;
                    self.slots[actor as usize].take_home();
                }
                _ => cost += self.later(cost, |engine| engine.take_arrival(me, from, arrival)),
            }
        }
        (self.queued(me) > before).then_some(cost)
    }

    /// Makes so many of the oldest ours that wait for another worker, for which the caller acts; returns what that costs.
    pub(super) fn take_queued(&mut self, me: u32, from: u32, granted: usize) -> Cycles {
        let mut cost = 0;
        for _ in 0..granted {
            let Some(actor) = self.oldest(from, false) else {
                break;
            };
            self.pay_later(me, 1);
            self.slots[actor as usize].owner = Some(me);
            self.run.steals += 1;
            self.workers[me as usize].queue.push_front(actor);
            cost += Cycles::from(self.costs.queue) + self.fetch_line(me, actor);
        }
        cost
    }

    fn is_queued_at(&self, actor: u32, worker: u32) -> bool {
        let slot = &self.slots[actor as usize];
        slot.owner == Some(worker) && slot.status == super::actors::Status::Queued
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::Adaptive;

    use super::super::owning::{begin_handler, queue, ruled, send};
    use super::*;
    use crate::host::Rules;

    /// Worker 0 is in a handler while others wait for it, and worker 1 has lain down.
    fn watched(actors: u32) -> Engine {
        let mut engine = ruled(Rules::of::<Adaptive>(), actors);
        begin_handler(&mut engine, 0);
        for actor in 0..actors {
            send(&mut engine, 0, actor, 1);
        }
        engine.lie_down(1);
        engine
    }

    #[test]
    fn who_lies_down_first_is_the_guard() {
        let mut engine = watched(0);
        assert!(engine.guard.is(1));
        assert_eq!(engine.see_to_a_guard(0), 0, "there is one");
        engine.stop_guarding(1);
        assert!(
            !engine.guard.is(1),
            "it has something to do, and nobody else idles"
        );
    }

    #[test]
    fn the_guard_takes_half_of_what_waits_for_a_long_handler() {
        let mut engine = watched(4);
        assert_eq!(engine.look_after(1), None, "it has not seen it before");
        assert_eq!(engine.look_after(1), Some(0));
        engine.workers[0].tick += 1;
        assert_eq!(engine.look_after(1), None, "it goes on");
        assert_eq!(engine.look_after(1), Some(0));
        assert!(engine.rescue(1, 0, 2).is_some());
        assert_eq!((queue(&engine, 0), queue(&engine, 1)), (vec![3, 2], vec![1, 0]));
        assert_eq!((engine.slots[0].owner, engine.active), (Some(1), 4));
    }

    #[test]
    fn what_was_sent_to_the_actor_that_runs_is_left_for_it() {
        let mut engine = watched(2);
        engine.workers[0].activation = Some(super::super::activation::Activation::of(0, false, 0));
        for (actor, number) in [(0, 7u32), (1, 8)] {
            let arrival = Arrival::Token {
                actor,
                sender: Some(1),
            };
            engine.slots[actor as usize].token = super::super::actors::Token::Brought;
            engine.slots[actor as usize]
                .remote
                .push_back(super::super::actors::Mail {
                    letter: Box::new(number),
                    from: 1,
                    lines: 0,
                    in_row: false,
                });
            engine.workers[0].arrivals.push((arrival, 1));
            engine.active += 1;
        }
        // The second one waits in the queue, and stays there with what was sent to it.
        assert!(engine.rescue(1, 0, 0).is_none());
        assert_eq!(engine.workers[0].arrivals.len(), 1);
        assert_eq!(super::super::owning::mail(&engine, 1), [1, 8]);
        assert_eq!(super::super::owning::mail(&engine, 0), [1]);
    }

    #[test]
    fn a_guard_with_nobody_to_look_after_sleeps_in_the_end() {
        let mut engine = watched(0);
        engine.workers[0].phase = Phase::Sleeping;
        for _ in 0..CALM {
            assert!(engine.guard.is(1));
            engine.patrol(1).expect("it looks");
        }
        assert!(!engine.guard.is(1));
    }
}
