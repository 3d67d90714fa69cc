//! Policies that do not route: an actor runs where it belongs, and a worker that has more than it runs gives some of it to one that idles.
//!
//! As datil's workers do it (`crates/datil/src/worker/run.rs`, `giving.rs`), whose words and numbers these are. What becomes of two workers that share work is
//! in [`super::apart`], what a worker does that has none in [`super::hunting`] and [`super::guard`].

use datil_policy::{Board, Crowd, End, Nanos, Offer, Pick, Progress, Route};

use super::Engine;
use super::actors::Token;
use super::apart::Apart;
use super::hunting::Hunt;
use super::owners::Arrival;
use super::worker::Phase;
use crate::machine::Cycles;

/// Activations between two looks around.
pub(super) const LOOK_EVERY: u32 = 16;
/// A handler that makes so many actors more runnable looks up.
const STEP: usize = 64;
/// The longer a batch is, the sooner a worker looks around that has used one up.
const SHORT: u32 = 64;

/// What a worker keeps whose policy does not route.
#[derive(Default)]
pub(super) struct Sharing {
    /// The activation before which it looks around next.
    pub(super) look_at: u32,
    /// The one before which it last told its policy what waits.
    watched_at: u32,
    /// Nothing waited then: as soon as something does it is time to look again.
    reminded: bool,
    /// Messages that it has handled.
    pub(super) messages: u64,
    /// Somebody has work for it, and it has not got up yet.
    pub(super) claimed: bool,
    pub(super) apart: Apart,
    pub(super) hunt: Hunt,
}

impl Engine {
    /// What a worker does before it takes its next actor; returns what that costs.
    pub(super) fn see_to_others(&mut self, me: u32) -> Cycles {
        let mut cost = std::mem::take(&mut self.workers[me as usize].late);
        cost += self.receive(me, me);
        cost += self.later(cost, |engine| engine.retreat_if_asked(me));
        let worker = &self.workers[me as usize];
        if worker.phase != Phase::Busy || worker.tick + 1 >= worker.sharing.look_at {
            cost += self.later(cost, |engine| engine.look_at_others(me));
        }
        cost
    }

    /// What need not be done before each activation.
    fn look_at_others(&mut self, me: u32) -> Cycles {
        let owners = self.settings.machine.owners.expect("actors have owners");
        let mut cost = self.take_in(me, owners.records);
        if cost > 0 {
            self.workers[me as usize].policy.interrupted();
        }
        cost += self.tell_progress(me);
        let stride = if self.somebody_idles() {
            cost += self.see_to_a_guard(me);
            let (stride, watching) = self.later(cost, |engine| engine.watch_backlog(me));
            cost += watching;
            stride
        } else if self.workers[me as usize].policy.watches_closely() {
            1
        } else {
            LOOK_EVERY
        };
        let worker = &mut self.workers[me as usize];
        worker.sharing.look_at = worker.tick + 1 + stride;
        cost
    }

    /// Tells the policy how far this worker has got, and when if it wants to know.
    fn tell_progress(&mut self, me: u32) -> Cycles {
        let now = self.costs.nanos(self.now);
        let queued = self.queued(me);
        let worker = &mut self.workers[me as usize];
        let progress = Progress {
            activations: worker.tick.into(),
            messages: worker.sharing.messages,
            queued,
        };
        if !worker.policy.advanced(progress) {
            return 0;
        }
        worker.policy.timed(now, progress);
        self.a_look_at_the_clock()
    }

    /// Tells the policy, which may give something away, what waits here while another worker idles; returns when to do so again, and what it costs.
    fn watch_backlog(&mut self, me: u32) -> (u32, Cycles) {
        // What is about to run does not wait.
        let waiting = self.queued(me).saturating_sub(1);
        let worker = &mut self.workers[me as usize];
        let tick = worker.tick + 1;
        let passed = tick - std::mem::replace(&mut worker.sharing.watched_at, tick);
        let is_time = worker.policy.watch(waiting, passed);
        let cost = if is_time { self.offer(me) } else { 0 };
        let worker = &mut self.workers[me as usize];
        if waiting == 0 {
            worker.sharing.reminded = true;
            return (LOOK_EVERY, cost);
        }
        (worker.policy.stride().clamp(1, LOOK_EVERY), cost)
    }

    /// Gives to an idle worker what the policy grants it.
    fn offer(&mut self, me: u32) -> Cycles {
        let mut cost = self.a_look_at_the_clock();
        let (now, crowd, board) = (self.costs.nanos(self.now), self.crowd(), self.shown_board());
        let queued = self.queued(me);
        let policy = &mut self.workers[me as usize].policy;
        policy.crowded(now, crowd);
        let Offer::Give(count) = policy.offer(now, queued, board) else {
            return cost;
        };
        let Some(to) = self.claim(me) else {
            return cost;
        };
        self.workers[me as usize].sharing.apart.reunited_with = None;
        let (given, giving) = self.give(me, count, to);
        self.run.shares += given;
        cost += giving;
        if given == 0 {
            // It was taken into service, so it must get up.
            cost += self.nudge(to);
        }
        let board = self.board.fresh;
        self.board.fresh = self.workers[me as usize].policy.shared(now, board);
        cost
    }

    /// Takes an idle worker into service: the first one, and the guard last, for which another one would have to be woken.
    fn claim(&mut self, me: u32) -> Option<u32> {
        let count = self.workers.len() as u32;
        let is_free = |&other: &u32| {
            let worker = &self.workers[other as usize];
            other != me && worker.idles() && !worker.sharing.claimed
        };
        let found = (0..count)
            .filter(is_free)
            .find(|other| !self.guard.is(*other))
            .or_else(|| (0..count).find(is_free))?;
        self.workers[found as usize].sharing.claimed = true;
        Some(found)
    }

    /// Hands up to `count` of the oldest actors that wait to another worker; returns how many, and what it costs.
    pub(super) fn give(&mut self, me: u32, count: usize, to: u32) -> (u64, Cycles) {
        let queued = self.queued(me);
        let count = count.min(queued);
        let hold = Cycles::from(self.costs.queue);
        let pu = self.workers[me as usize].pu;
        let from_yielded = count * self.workers[me as usize].yielded.len() / queued.max(1);
        let (mut given, mut kept) = (0, Vec::new());
        for turn in 0..count {
            let Some(actor) = self.oldest(me, turn < from_yielded) else {
                break;
            };
            let slot = &mut self.slots[actor as usize];
            if slot.token != Token::Home {
                // Until its token is here it cannot be handed on.
                kept.push(actor);
                continue;
            }
            slot.owner = Some(to);
            slot.token = Token::InTransit;
            self.active += 1;
            let arrival = Arrival::Actor {
                actor,
                end: End::Head,
            };
            self.workers[to as usize].arrivals.push((arrival, pu));
            given += 1;
        }
        kept.into_iter()
            .for_each(|actor| self.workers[me as usize].queue.push_front(actor));
        if given == 0 {
            return (0, 0);
        }
        let now = self.now;
        let receiver = &mut self.workers[to as usize];
        let cost = given * hold + receiver.door.take(&mut self.memory, pu, now, hold);
        (given, cost + self.nudge(to))
    }

    /// Takes the actor out that has waited longest, if it can be among those that have used up their batch.
    pub(super) fn oldest(&mut self, me: u32, from_yielded: bool) -> Option<u32> {
        let worker = &mut self.workers[me as usize];
        let first = if from_yielded {
            worker.yielded.pop_front()
        } else {
            worker.queue.pop_back()
        };
        first.or_else(|| worker.yielded.pop_front())
    }

    /// The actor that the worker runs next, and what it costs to take it.
    pub(super) fn pick(&mut self, me: u32) -> Option<(u32, Cycles)> {
        let hold = Cycles::from(self.costs.queue);
        let worker = &mut self.workers[me as usize];
        let first = match worker.policy.pick(worker.tick.wrapping_add(1)) {
            Pick::Newest => None,
            Pick::Oldest => worker.queue.pop_back(),
            Pick::Yielded => worker.yielded.pop_front(),
        };
        let actor = first
            .or_else(|| worker.queue.pop_front())
            .or_else(|| worker.yielded.pop_front())?;
        Some((actor, hold))
    }

    /// Puts an actor that has used up its batch behind the others; returns what that costs.
    pub(super) fn set_aside(&mut self, me: u32, actor: u32) -> Cycles {
        self.rouse(actor);
        let worker = &mut self.workers[me as usize];
        worker.yielded.push_back(actor);
        let more = (worker.policy.batch() / SHORT).saturating_sub(1);
        worker.sharing.look_at = worker.sharing.look_at.saturating_sub(more);
        Cycles::from(self.costs.queue)
    }

    /// A handler has made one of its worker's own actors run: long ones that do so look up now and then. Returns what that costs.
    pub(super) fn look_up(&mut self, me: u32) -> Cycles {
        let worker = &mut self.workers[me as usize];
        let is_step = !worker.queue.is_empty() && worker.queue.len().is_multiple_of(STEP);
        // What will run next does not wait.
        let waits = worker.queue.len() > 1 && std::mem::take(&mut worker.sharing.reminded);
        if !waits && !is_step {
            return 0;
        }
        let mut cost = self.receive(me, me);
        self.workers[me as usize].sharing.look_at = 0;
        if !self.somebody_idles() {
            return cost;
        }
        cost += self.see_to_a_guard(me);
        let queued = self.queued(me);
        if queued >= STEP {
            self.workers[me as usize].policy.watch(queued, 0);
            cost += self.later(cost, |engine| engine.offer(me));
        }
        cost
    }

    /// Answers a thief: gives it what the policy grants, and lets it see its request gone.
    pub(super) fn hand_over(&mut self, me: u32, thief: u32) -> Cycles {
        let queued = self.queued(me);
        let count = self.workers[me as usize].policy.grant(queued).min(queued);
        let (given, cost) = self.give(me, count, thief);
        self.run.steals += given;
        cost + Cycles::from(self.costs.queue) + self.nudge(thief)
    }

    /// Where an actor from outside belongs that this worker has taken from the inbox.
    pub(super) fn place(&mut self, me: u32) -> Route {
        let workers = self.workers.len() as u32;
        let turn = self.turns.0;
        self.turns.0 += 1;
        let chosen = (self.rules.place)(turn, workers);
        here(chosen.map_or(me, |chosen| chosen % workers))
    }

    /// Actors that wait at a worker.
    pub(super) fn queued(&self, worker: u32) -> usize {
        let worker = &self.workers[worker as usize];
        worker.queue.len() + worker.yielded.len()
    }

    pub(super) fn somebody_idles(&self) -> bool {
        self.workers.iter().any(|worker| worker.idles())
    }

    fn crowd(&self) -> Crowd {
        let at_work = self.workers.iter().filter(|worker| !worker.idles()).count();
        Crowd {
            at_work: at_work as u32,
            processors: self.settings.machine.topology.pus().len() as u32,
            sent: self.sent,
        }
    }

    /// What the policies have in common, as a worker sees it.
    pub(super) fn shown_board(&mut self) -> Board {
        let age = self.staleness();
        self.board.read(self.now, age)
    }

    pub(super) fn a_look_at_the_clock(&self) -> Cycles {
        // An activation is timed by two.
        Cycles::from(self.costs.timing / 2)
    }

    pub(super) fn clock(&self) -> Nanos {
        self.costs.nanos(self.now)
    }
}

/// The place of the newest of a worker.
pub(super) fn here(worker: u32) -> Route {
    Route {
        worker,
        end: End::Head,
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::{Adaptive, EncoreCooperative, Policy, WorkSharing};

    use super::super::owning::{begin_handler, queue, ruled, send};
    use super::*;
    use crate::host::Rules;

    /// Worker 0 is in a handler, worker 1 sleeps, and so many actors are idle.
    fn one_at_work<P: Policy>(actors: u32) -> Engine {
        let mut engine = ruled(Rules::of::<P>(), actors);
        begin_handler(&mut engine, 0);
        engine.workers[1].phase = Phase::Sleeping;
        engine
    }

    #[test]
    fn half_of_what_waits_goes_to_who_idles_the_oldest_first() {
        let mut engine = one_at_work::<WorkSharing>(4);
        for actor in 0..4 {
            send(&mut engine, 0, actor, actor);
        }
        assert!(engine.see_to_others(0) > 0);
        assert_eq!(queue(&engine, 0), [3, 2], "the newest first");
        assert_eq!((engine.run.shares, engine.run.wakes), (2, 2), "it, and the guard");
        assert!(engine.workers[1].sharing.claimed);
        assert_eq!(engine.active, 6, "two of four are on their way");
        engine.see_to_others(1);
        assert_eq!((queue(&engine, 1), engine.active), (vec![1, 0], 4));
        assert_eq!(engine.slots[0].owner, Some(1));
    }

    #[test]
    fn nothing_is_given_to_who_was_given_something_and_has_not_got_up() {
        let mut engine = one_at_work::<WorkSharing>(1);
        engine.workers[1].sharing.claimed = true;
        assert_eq!(engine.claim(0), None);
        engine.workers[1].sharing.claimed = false;
        assert_eq!(engine.claim(1), None, "one does not give to oneself");
        assert_eq!(engine.claim(0), Some(1));
    }

    #[test]
    fn an_actor_whose_token_is_out_stays() {
        let mut engine = one_at_work::<WorkSharing>(2);
        send(&mut engine, 0, 0, 1);
        send(&mut engine, 0, 1, 1);
        engine.slots[0].token = Token::Brought;
        assert_eq!(engine.give(0, 2, 1).0, 1);
        assert_eq!(
            (queue(&engine, 0), engine.workers[1].arrivals.len()),
            (vec![0], 1)
        );
    }

    #[test]
    fn who_has_used_up_a_batch_waits_behind_all_others() {
        let mut engine = one_at_work::<Adaptive>(3);
        engine.set_aside(0, 2);
        send(&mut engine, 0, 0, 1);
        send(&mut engine, 0, 1, 1);
        let picked: Vec<_> = (0..3).filter_map(|_| engine.pick(0)).collect();
        let picked: Vec<_> = picked.into_iter().map(|(actor, _)| actor).collect();
        assert_eq!(picked, [1, 0, 2]);
        assert!(engine.pick(0).is_none());
    }

    #[test]
    fn a_handler_that_makes_many_run_shares_before_it_ends() {
        let mut engine = one_at_work::<WorkSharing>(STEP as u32);
        for actor in 0..STEP as u32 - 1 {
            send(&mut engine, 0, actor, 1);
        }
        assert_eq!(engine.run.shares, 0);
        send(&mut engine, 0, STEP as u32 - 1, 1);
        assert_eq!(engine.run.shares, STEP as u64 / 2);
    }

    #[test]
    fn what_runs_next_makes_nobody_look() {
        let mut engine = one_at_work::<Adaptive>(2);
        engine.workers[0].sharing.reminded = true;
        engine.workers[0].sharing.look_at = LOOK_EVERY;
        send(&mut engine, 0, 0, 1);
        assert_eq!(engine.workers[0].sharing.look_at, LOOK_EVERY);
        send(&mut engine, 0, 1, 1);
        assert_eq!(engine.workers[0].sharing.look_at, 0, "somebody waits behind it");
    }

    #[test]
    fn who_writes_to_an_actor_of_a_sleeper_wakes_it_unless_the_policy_adopts() {
        let mut engine = one_at_work::<WorkSharing>(1);
        engine.slots[0].owner = Some(1);
        send(&mut engine, 0, 0, 1);
        assert_eq!(
            (engine.slots[0].owner, engine.workers[1].phase),
            (Some(1), Phase::Searching)
        );
        let mut engine = one_at_work::<EncoreCooperative>(1);
        engine.slots[0].owner = Some(1);
        send(&mut engine, 0, 0, 1);
        assert_eq!(
            (engine.slots[0].owner, engine.workers[1].phase),
            (Some(0), Phase::Sleeping)
        );
    }

    #[test]
    fn what_comes_from_outside_belongs_to_whom_the_policy_says() {
        let placed = |mut engine: Engine| [0, 0, 0].map(|me| engine.place(me).worker);
        assert_eq!(placed(one_at_work::<WorkSharing>(0)), [0, 1, 0], "to all in turn");
        assert_eq!(placed(one_at_work::<Adaptive>(0)), [0, 0, 0], "to who takes it");
    }
}
