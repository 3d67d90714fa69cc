//! Actors that belong to workers, as datil's do: nobody but its owner queues an actor, on behalf of whoever has written to it, and the owner
//! does so between two activations.
//!
//! Mail of others lies in the actor's remote list. Who puts the first message there brings the actor's token to the owner's list of
//! arrivals; the owner handles that. An actor goes to another worker's queue through that one's list, with its token. See
//! `crates/datil/src/worker/README.md`, whose words these are.

use datil_policy::{End, Route};

use super::Engine;
use super::actors::{Mail, Status, Token};
use super::worker::Phase;
use crate::actor::Letter;
use crate::machine::{Cycles, Owners};

/// What others leave for a worker.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arrival {
    /// Somebody has written to an actor of this worker: a worker, or nobody if it was a thread outside.
    Token { actor: u32, sender: Option<u32> },
    /// An actor that was routed, or given, to this end of the worker's queue.
    Actor { actor: u32, end: End },
}

impl Engine {
    /// Puts a message into the mailbox of an actor, or its remote list, and sees to it that the actor runs; returns what that costs.
    pub(super) fn send_owned(&mut self, me: u32, to: u32, letter: Letter, lines: u32) -> Cycles {
        let pu = self.workers[me as usize].pu;
        let mail = Mail {
            letter,
            from: pu,
            lines,
        };
        self.lost |= self.slots[to as usize].status == Status::Dead;
        let owner = self.owner(to);
        let adoption = self.adopt(me, to);
        if owner != me && adoption.is_none() {
            return self.write_to_other(owner, mail, to, Some(me));
        }
        let slot = &mut self.slots[to as usize];
        slot.collect();
        slot.mailbox.push_back(mail);
        let mut cost = adoption.unwrap_or(0);
        if slot.status == Status::Idle {
            self.rouse(to);
            let route = self.ask_for_route(me, me, to);
            cost += self.carry_out(me, to, route);
        }
        cost
    }

    /// A unit creates an actor in a cell of its pools.
    pub(super) fn write_state(&mut self, actor: u32, pu: usize) {
        let region = &mut self.slots[actor as usize].region;
        self.memory.write(region, pu, self.settings.placement);
    }

    /// The actor's owner, once it was announced.
    pub(super) fn owner(&self, actor: u32) -> u32 {
        let owner = self.slots[actor as usize].owner;
        owner.expect("whoever can be written to was announced before")
    }

    /// Makes an actor ours whose owner idles; returns what that costs, or `None` if its owner is up.
    pub(super) fn adopt(&mut self, me: u32, actor: u32) -> Option<Cycles> {
        let owner = self.owner(actor);
        let may_be_taken = self.slots[actor as usize].token != Token::InTransit;
        if owner == me || !may_be_taken || !self.workers[owner as usize].idles() {
            return None;
        }
        self.slots[actor as usize].owner = Some(me);
        let (theirs, mine) = (self.workers[owner as usize].pu, self.workers[me as usize].pu);
        // The lock of the sleeper, and the actor's head.
        Some(self.memory.transfer(theirs, mine, 2))
    }

    /// Puts mail into the remote list of another worker's actor, and brings the token if it is there.
    pub(super) fn write_to_other(&mut self, owner: u32, mail: Mail, to: u32, sender: Option<u32>) -> Cycles {
        let pu = mail.from;
        let slot = &mut self.slots[to as usize];
        slot.remote.push_back(mail);
        if slot.token != Token::Home {
            // The owner has not touched the list since somebody wrote there.
            return 0;
        }
        slot.token = Token::Brought;
        let cost = self.memory.transfer(self.workers[owner as usize].pu, pu, 1);
        if let Some(sender) = sender {
            self.workers[sender as usize].brought.get_or_insert(self.now);
        }
        cost + self.deliver(owner, Arrival::Token { actor: to, sender }, pu)
    }

    /// Leaves something for a worker; returns what that costs unit `pu`.
    fn deliver(&mut self, to: u32, arrival: Arrival, pu: usize) -> Cycles {
        self.active += 1;
        let hold = Cycles::from(self.costs.queue);
        let worker = &mut self.workers[to as usize];
        worker.arrivals.push((arrival, pu));
        let cost = worker.door.take(&mut self.memory, pu, self.now, hold);
        cost + self.nudge(to)
    }

    /// Queues an actor of ours where it was routed; returns what that costs.
    pub(super) fn carry_out(&mut self, me: u32, actor: u32, route: Route) -> Cycles {
        self.carry_out_by(me, me, actor, route)
    }

    /// The same, done by another worker in the owner's place.
    fn carry_out_by(&mut self, by: u32, owner: u32, actor: u32, route: Route) -> Cycles {
        let pu = self.workers[by as usize].pu;
        let slot = &mut self.slots[actor as usize];
        let stays = route.worker == owner || slot.token != Token::Home;
        if stays {
            slot.owner = Some(owner);
            let end = if route.worker == owner {
                route.end
            } else {
                End::Head
            };
            let here = Route { worker: owner, end };
            return self.put(actor, here, pu, Some(owner));
        }
        slot.owner = Some(route.worker);
        slot.token = Token::InTransit;
        let arrival = Arrival::Actor {
            actor,
            end: route.end,
        };
        self.deliver(route.worker, arrival, pu)
    }

    /// Handles what has arrived for a worker, in its place if that is another one; returns what it costs.
    pub(super) fn receive(&mut self, owner: u32, by: u32) -> Cycles {
        let arrivals = std::mem::take(&mut self.workers[owner as usize].arrivals);
        if arrivals.is_empty() {
            return 0;
        }
        let pu = self.workers[by as usize].pu;
        let hold = Cycles::from(self.costs.queue);
        let mut cost = self.workers[owner as usize]
            .door
            .take(&mut self.memory, pu, self.now, hold);
        for (arrival, from) in arrivals {
            self.active -= 1;
            cost += self.memory.transfer(from, pu, 1);
            cost += self.later(cost, |engine| match arrival {
                Arrival::Token { actor, sender } => engine.handle_token(owner, by, actor, sender),
                Arrival::Actor { actor, end } => engine.accept(owner, by, actor, end),
            });
        }
        cost
    }

    /// Puts an actor that has come to a worker into its queue.
    fn accept(&mut self, owner: u32, by: u32, actor: u32, end: End) -> Cycles {
        let slot = &mut self.slots[actor as usize];
        slot.token = Token::Home;
        slot.collect();
        self.carry_out_by(by, owner, actor, Route { worker: owner, end })
    }

    fn handle_token(&mut self, owner: u32, by: u32, actor: u32, sender: Option<u32>) -> Cycles {
        let pu = self.workers[by as usize].pu;
        let now_of = self.owner(actor);
        if now_of != owner {
            // It was adopted meanwhile; its token follows.
            return self.deliver(now_of, Arrival::Token { actor, sender }, pu);
        }
        let slot = &mut self.slots[actor as usize];
        slot.token = Token::Home;
        slot.collect();
        if slot.status != Status::Idle || slot.mailbox.is_empty() {
            return 0;
        }
        self.rouse(actor);
        let route = match sender {
            Some(sender) => self.ask_for_route(owner, sender, actor),
            None => self.ask_for_call(actor),
        };
        self.carry_out_by(by, owner, actor, route)
    }

    /// What a worker does between two activations besides taking the next actor; returns what it costs.
    pub(super) fn between_activations(&mut self, me: u32) -> Cycles {
        let Some(owners) = self.settings.machine.owners else {
            return 0;
        };
        let worker = &mut self.workers[me as usize];
        let mut cost = std::mem::take(&mut worker.late);
        let looks = worker.phase != Phase::Busy || worker.tick.is_multiple_of(owners.look_every);
        cost += self.insist(me, owners);
        cost += self.receive(me, me);
        if looks {
            cost += self.take_in(me, owners.records);
        }
        cost
    }

    /// Handles what this worker brought to others in their place if they are in handlers that take long.
    fn insist(&mut self, me: u32, owners: Owners) -> Cycles {
        let worker = &self.workers[me as usize];
        let Some(since) = worker.brought else {
            return 0;
        };
        let pu = worker.pu;
        let waits = |owner: u32| {
            let mut arrivals = self.workers[owner as usize].arrivals.iter();
            arrivals.any(|&(arrival, from)| from == pu && matches!(arrival, Arrival::Token { .. }))
        };
        let unseen: Vec<u32> = (0..self.workers.len() as u32)
            .filter(|&other| other != me && waits(other))
            .collect();
        let silent = self.now.saturating_sub(since) >= self.costs.cycles(owners.silence);
        let may_wait = !silent && self.workers[me as usize].phase == Phase::Busy;
        if may_wait && !unseen.is_empty() {
            return 0;
        }
        let mut cost = 0;
        for owner in unseen {
            if self.is_in_handler_since(owner, since) {
                cost += self.step_in(owner, owners) + self.receive(owner, me);
            }
        }
        self.workers[me as usize].brought = None;
        cost
    }

    fn is_in_handler_since(&self, worker: u32, since: Cycles) -> bool {
        let activation = self.workers[worker as usize].activation.as_ref();
        activation.is_some_and(|activation| activation.began <= since)
    }

    /// Gets into the place of a worker that is in a handler; returns what that costs.
    fn step_in(&mut self, owner: u32, owners: Owners) -> Cycles {
        let fence = Cycles::from(owners.fence);
        self.workers[owner as usize].late += fence;
        fence
    }

    /// Asks a victim for what lies at this end of its queue; false if there is nothing that it could give.
    pub(super) fn ask(&mut self, me: u32, victim: u32, end: End, owners: Owners) -> bool {
        self.run.steal_attempts += 1;
        let asked = &mut self.workers[victim as usize];
        let is_poor = asked.queue.is_empty() && asked.arrivals.is_empty();
        if is_poor || asked.phase != Phase::Busy || asked.request.is_some() {
            return false;
        }
        asked.request = Some((me, end));
        let thief = &mut self.workers[me as usize];
        thief.asked = Some((victim, end));
        // It notices the answer at once.
        thief.phase = Phase::Polling;
        self.next_turn(me, Cycles::from(owners.patience));
        true
    }

    /// Takes what is on its way into the queue of a worker that naps, and would lie there until it has slept enough; returns what that costs.
    pub(super) fn intercept(&mut self, me: u32, victim: u32) -> Option<Cycles> {
        let naps = self.workers[victim as usize].phase == Phase::Sleeping && self.rules.waking.polls();
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
        robbed.length.fresh = robbed.queue.len() as u32;
        drawn
    }

    /// The wait for a victim's answer is over; returns what the theft costs if something came of it.
    pub(super) fn hear(&mut self, me: u32, victim: u32, end: End, owners: Owners) -> Option<Cycles> {
        let mut arrivals = self.workers[me as usize].arrivals.iter();
        if arrivals.any(|(arrival, _)| matches!(arrival, Arrival::Actor { .. })) {
            return Some(self.receive(me, me));
        }
        let called = !self.workers[me as usize].arrivals.is_empty();
        let asked = &mut self.workers[victim as usize];
        if asked.request.is_none_or(|(thief, _)| thief != me) {
            return None;
        }
        asked.request = None;
        if called || asked.phase != Phase::Busy {
            return None;
        }
        let cost = self.step_in(victim, owners) + self.receive(victim, me);
        let loot = self.draw(victim, end);
        if loot.is_empty() {
            return None;
        }
        self.run.steals += loot.len() as u64;
        for &actor in &loot {
            self.slots[actor as usize].owner = Some(me);
        }
        let thief = &mut self.workers[me as usize];
        thief.queue.extend(loot);
        thief.length.fresh = thief.queue.len() as u32;
        Some(cost)
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::{ClsTp, ClsWake};

    use super::super::activation::Activation;
    use super::super::actors::Slot;
    use super::*;
    use crate::host::{Rules, Settings};
    use crate::machine::{Region, preset};

    /// Two workers and so many idle actors, which belong to worker 0.
    fn engine(actors: u32) -> Engine {
        ruled(Rules::of::<ClsTp>(), actors)
    }

    fn ruled(rules: Rules, actors: u32) -> Engine {
        let settings = Settings::new(preset("pair").expect("a preset"));
        let mut engine = Engine::new(rules, settings).expect("it fits the machine");
        engine.slots.extend((0..actors).map(|_| Slot {
            status: Status::Idle,
            owner: Some(0),
            ..Slot::unborn(None, 0, 0, Region::new(0))
        }));
        engine
    }

    fn owners(engine: &Engine) -> Owners {
        engine.settings.machine.owners.expect("the machine has them")
    }

    /// The worker begins to run an actor that none of the tests is about.
    fn begin_handler(engine: &mut Engine, worker: u32) {
        engine.workers[worker as usize].phase = Phase::Busy;
        engine.workers[worker as usize].activation = Some(Activation::of(u32::MAX, false, engine.now));
    }

    /// Worker `from` sends a number.
    fn send(engine: &mut Engine, from: u32, to: u32, number: u32) -> Cycles {
        engine.send_owned(from, to, Box::new(number), 0)
    }

    /// The numbers in an actor's mailbox.
    fn mail(engine: &Engine, actor: u32) -> Vec<u32> {
        let mailbox = engine.slots[actor as usize].mailbox.iter();
        mailbox
            .map(|mail| *mail.letter.downcast_ref().expect("a number"))
            .collect()
    }

    fn queue(engine: &Engine, worker: u32) -> Vec<u32> {
        engine.workers[worker as usize].queue.iter().copied().collect()
    }

    #[test]
    fn an_actor_goes_to_its_sender_when_its_owner_has_seen_the_token() {
        let mut engine = engine(1);
        begin_handler(&mut engine, 0);
        begin_handler(&mut engine, 1);
        assert!(send(&mut engine, 1, 0, 7) > 0, "lines have moved");
        assert_eq!((mail(&engine, 0), queue(&engine, 1)), (vec![], vec![]));
        assert_eq!(engine.active, 1, "the token is something that will happen");
        // Between two activations of the owner, and then of the sender.
        assert!(engine.between_activations(0) > 0);
        assert_eq!(engine.slots[0].owner, Some(1));
        assert!(queue(&engine, 1).is_empty(), "it is on its way");
        engine.between_activations(1);
        assert_eq!((mail(&engine, 0), queue(&engine, 1)), (vec![7], vec![0]));
        assert_eq!(engine.active, 1);
    }

    #[test]
    fn one_token_is_out_however_much_is_sent_and_mail_stays_in_order() {
        let mut engine = engine(1);
        begin_handler(&mut engine, 0);
        begin_handler(&mut engine, 1);
        send(&mut engine, 1, 0, 1);
        assert_eq!(send(&mut engine, 1, 0, 2), 0, "nobody has touched the list since");
        assert_eq!(engine.workers[0].arrivals.len(), 1);
        // The owner itself sends behind what it can see, and may not give the actor away before the token is back.
        send(&mut engine, 0, 0, 3);
        assert_eq!((mail(&engine, 0), queue(&engine, 0)), (vec![1, 2, 3], vec![0]));
        let there = Route {
            worker: 1,
            end: End::Tail,
        };
        engine.workers[0].queue.clear();
        engine.carry_out(0, 0, there);
        assert_eq!(queue(&engine, 0), [0]);
        // Afterwards it may, and takes along what comes meanwhile.
        engine.between_activations(0);
        engine.workers[0].queue.clear();
        engine.carry_out(0, 0, there);
        send(&mut engine, 0, 0, 4);
        assert_eq!(engine.workers[1].arrivals.len(), 1, "its token travels with it");
        engine.between_activations(1);
        assert_eq!((mail(&engine, 0), queue(&engine, 1)), (vec![1, 2, 3, 4], vec![0]));
    }

    #[test]
    fn who_writes_to_an_actor_of_an_idle_worker_takes_it_over() {
        for phase in [Phase::Sleeping, Phase::Resting] {
            let mut engine = engine(1);
            engine.workers[0].phase = phase;
            begin_handler(&mut engine, 1);
            let cost = send(&mut engine, 1, 0, 7);
            let lines = engine
                .memory
                .transfer(engine.workers[0].pu, engine.workers[1].pu, 2);
            assert!(cost >= lines && lines > 0, "{cost} {lines}");
            assert_eq!((engine.slots[0].owner, queue(&engine, 1)), (Some(1), vec![0]));
            assert_eq!(engine.workers[0].phase, phase, "nobody is woken for that");
        }
    }

    #[test]
    fn the_token_of_an_actor_that_was_taken_over_follows_it() {
        let mut engine = engine(1);
        begin_handler(&mut engine, 0);
        begin_handler(&mut engine, 1);
        send(&mut engine, 1, 0, 1);
        engine.workers[0].phase = Phase::Resting;
        send(&mut engine, 1, 0, 2);
        assert_eq!((mail(&engine, 0), queue(&engine, 1)), (vec![1, 2], vec![0]));
        engine.receive(0, 0);
        assert_eq!(engine.slots[0].token, Token::Brought);
        engine.receive(1, 1);
        assert_eq!(engine.slots[0].token, Token::Home);
        assert_eq!((queue(&engine, 1), engine.active), (vec![0], 1));
    }

    #[test]
    fn a_sender_acts_for_an_owner_that_is_silent_for_long() {
        let mut engine = engine(1);
        begin_handler(&mut engine, 0);
        engine.now += 1;
        begin_handler(&mut engine, 1);
        send(&mut engine, 1, 0, 7);
        let owners = owners(&engine);
        engine.now += engine.costs.cycles(owners.silence) - 1;
        engine.between_activations(1);
        assert_eq!(engine.workers[0].late, 0, "not yet");
        engine.now += 1;
        assert!(engine.between_activations(1) > Cycles::from(owners.fence));
        assert_eq!((mail(&engine, 0), queue(&engine, 1)), (vec![7], vec![0]));
        // Both have paid for the fence.
        assert_eq!(engine.between_activations(0), Cycles::from(owners.fence));
    }

    #[test]
    fn nobody_acts_for_an_owner_that_has_begun_something_since() {
        let mut engine = engine(1);
        begin_handler(&mut engine, 0);
        begin_handler(&mut engine, 1);
        send(&mut engine, 1, 0, 7);
        engine.now += 2 * engine.costs.cycles(owners(&engine).silence);
        begin_handler(&mut engine, 0);
        engine.between_activations(1);
        assert_eq!((engine.workers[0].late, engine.workers[0].arrivals.len()), (0, 1));
    }

    /// Two actors wait at worker 0, and worker 1 has asked for one.
    fn asked() -> Engine {
        let mut engine = engine(2);
        begin_handler(&mut engine, 0);
        for actor in [0, 1] {
            send(&mut engine, 0, actor, actor);
        }
        let owners = owners(&engine);
        assert!(engine.ask(1, 0, End::Tail, owners));
        assert!(!engine.ask(1, 0, End::Tail, owners), "one request at a time");
        engine
    }

    #[test]
    fn a_victim_answers_between_two_activations() {
        let mut engine = asked();
        let owners = owners(&engine);
        assert!(engine.answer(0) > 0);
        assert_eq!(engine.workers[1].phase, Phase::Searching, "it has noticed");
        assert!(engine.hear(1, 0, End::Tail, owners).is_some());
        assert_eq!((queue(&engine, 0), queue(&engine, 1)), (vec![1], vec![0]));
        assert_eq!((engine.run.steals, engine.run.steal_attempts), (1, 2));
        assert_eq!(engine.slots[0].owner, Some(1));
        assert_eq!(engine.workers[0].late, 0, "nobody has acted in its place");
    }

    #[test]
    fn a_thief_takes_from_a_victim_that_does_not_answer() {
        let mut engine = asked();
        let owners = owners(&engine);
        let cost = engine.hear(1, 0, End::Tail, owners);
        assert!(cost.is_some_and(|cost| cost >= Cycles::from(owners.fence)));
        assert_eq!((queue(&engine, 0), queue(&engine, 1)), (vec![1], vec![0]));
        assert_eq!((engine.run.steals, engine.slots[0].owner), (1, Some(1)));
        assert_eq!(engine.workers[0].late, Cycles::from(owners.fence));
        assert!(engine.workers[0].request.is_none(), "it was taken back");
    }

    #[test]
    fn a_thief_that_is_written_to_meanwhile_takes_its_request_back() {
        let mut engine = asked();
        let owners = owners(&engine);
        engine.slots[0].owner = Some(1);
        engine.slots[0].token = Token::Home;
        begin_handler(&mut engine, 0);
        send(&mut engine, 0, 0, 9);
        assert!(engine.hear(1, 0, End::Tail, owners).is_none());
        assert_eq!((engine.workers[0].late, engine.workers[0].request), (0, None));
    }

    #[test]
    fn what_is_on_its_way_to_a_worker_that_naps_is_intercepted() {
        let mut engine = engine(2);
        begin_handler(&mut engine, 0);
        engine.workers[1].phase = Phase::Sleeping;
        let there = Route {
            worker: 1,
            end: End::Tail,
        };
        for actor in [0, 1] {
            engine.rouse(actor);
            engine.carry_out(0, actor, there);
        }
        assert_eq!(engine.workers[1].phase, Phase::Sleeping, "naps are not ended");
        // The policy grants one.
        assert!(engine.intercept(0, 1).is_some());
        assert_eq!(
            (queue(&engine, 0), engine.workers[1].arrivals.len()),
            (vec![0], 1)
        );
        assert_eq!(
            (engine.slots[0].owner, engine.slots[0].token),
            (Some(0), Token::Home)
        );
        assert_eq!((engine.run.steals, engine.active), (1, 3));
        engine.workers[1].phase = Phase::Searching;
        assert!(engine.intercept(0, 1).is_none(), "it sees to that itself");
    }

    #[test]
    fn nothing_is_to_be_had_from_who_has_nothing_or_is_idle() {
        let mut engine = engine(1);
        let owners = owners(&engine);
        begin_handler(&mut engine, 0);
        assert!(!engine.ask(1, 0, End::Tail, owners));
        send(&mut engine, 0, 0, 1);
        engine.workers[0].phase = Phase::Searching;
        assert!(!engine.ask(1, 0, End::Tail, owners));
        assert_eq!(engine.run.steal_attempts, 2);
    }

    #[test]
    fn a_worker_that_rests_is_called_without_a_wake_up_and_one_that_sleeps_is_woken() {
        let mut engine = ruled(Rules::of::<ClsWake>(), 2);
        begin_handler(&mut engine, 0);
        engine.workers[1].phase = Phase::Resting;
        let called = send(&mut engine, 0, 0, 1);
        assert_eq!((engine.workers[1].phase, engine.run.wakes), (Phase::Searching, 0));
        engine.workers[1].phase = Phase::Sleeping;
        let woken = send(&mut engine, 0, 1, 1);
        assert_eq!((engine.workers[1].phase, engine.run.wakes), (Phase::Searching, 1));
        assert!(woken > called, "{woken} {called}");
    }
}
