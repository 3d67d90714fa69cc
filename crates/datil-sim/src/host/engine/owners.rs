//! Actors that belong to workers, as datil's do: nobody but its owner queues an actor, on behalf of whoever has written to it, and the owner
//! does so between two activations, or when a handler makes one of its own actors run.
//!
//! Mail of others lies in the actor's remote list. Who puts the first message there brings the actor's token to the owner's list of
//! arrivals; the owner handles that. An actor goes to another worker's queue through that one's list, with its token. See
//! `crates/datil/src/worker/README.md`, whose words these are.

use datil_policy::{End, Route};

use super::Engine;
use super::actors::{Mail, Status, Token};
use super::sharing::here;
use super::worker::Phase;
use crate::actor::Letter;
use crate::machine::{Cycles, Owners};

/// Bytes of the largest cells that datil's pools have (`crates/datil/src/pool`).
const LARGEST_CELL: u64 = 1024;

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
            in_row: false,
        };
        self.lost |= self.slots[to as usize].status == Status::Dead;
        let owner = self.owner(to);
        let adoption = self.adopt(me, to);
        let travels = self.slots[to as usize].token == Token::InTransit;
        if travels || owner != me && adoption.is_none() {
            return self.write_to_other(me, owner, mail, to, Some(me));
        }
        let slot = &mut self.slots[to as usize];
        slot.collect();
        slot.mailbox.push_back(mail);
        let mut cost = adoption.unwrap_or(0) + slot.line.fetch(&mut self.memory, pu);
        if slot.status == Status::Idle {
            slot.friend.own = true;
            self.rouse(to);
            if !self.rules.routes {
                cost += self.carry_out(me, to, here(me));
                return cost + self.look_up(me);
            }
            let (route, asked) = self.ask_for_route(me, me, to);
            cost += asked + self.carry_out(me, to, route);
            // Tokens lie open to thieves only when they have been handled, and a handler may go on for long.
            cost += self.receive(me, me);
        }
        cost
    }

    /// A unit creates an actor in a cell of its pools. A state that is larger than any cell lies elsewhere, and is touched first by
    /// the actor when it starts.
    pub(super) fn write_state(&mut self, actor: u32, pu: usize) {
        let slot = &mut self.slots[actor as usize];
        slot.line.fetch(&mut self.memory, pu);
        if slot.region.bytes() <= LARGEST_CELL {
            self.memory.write(&mut slot.region, pu, self.settings.placement);
        }
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
        let may_be_taken = may_be_taken && self.rules.adopts;
        if owner == me || !may_be_taken || !self.workers[owner as usize].idles() {
            return None;
        }
        self.slots[actor as usize].owner = Some(me);
        self.pay_later(me, 1);
        let (theirs, mine) = (self.workers[owner as usize].pu, self.workers[me as usize].pu);
        // The lock of the sleeper; whoever adopts goes on to write to the actor.
        Some(self.memory.transfer(theirs, mine, 1))
    }

    /// Puts mail into the remote list of another worker's actor, and brings the token if it is there; `sender` is nobody if a thread outside has
    /// sent it.
    pub(super) fn write_to_other(
        &mut self,
        me: u32,
        owner: u32,
        mail: Mail,
        to: u32,
        sender: Option<u32>,
    ) -> Cycles {
        let pu = mail.from;
        let before = self.workers[me as usize].wrote_to.replace(to);
        let slot = &mut self.slots[to as usize];
        let in_row = before == Some(to) && !slot.remote.is_empty();
        slot.remote.push_back(Mail { in_row, ..mail });
        let mut cost = slot.line.fetch(&mut self.memory, pu);
        if slot.token == Token::Home {
            slot.token = Token::Brought;
            if !self.rules.routes {
                cost += self.see_to_a_guard(me);
            } else if let Some(sender) = sender {
                self.note_brought(sender, owner);
            }
            cost += self.deliver(owner, Arrival::Token { actor: to, sender }, pu);
        }
        if self.rules.routes {
            return cost;
        }
        cost += self.pay(me, cost);
        cost + self.later(cost, |engine| engine.cross(me, owner))
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
        for (arrival, _) in arrivals {
            self.active -= 1;
            let (Arrival::Token { actor, .. } | Arrival::Actor { actor, .. }) = arrival;
            cost += self.slots[actor as usize].line.fetch(&mut self.memory, pu);
            cost += self.later(cost, |engine| match arrival {
                Arrival::Token { actor, sender } => engine.handle_token(owner, by, actor, sender),
                Arrival::Actor { actor, end } => engine.accept(owner, by, actor, end),
            });
        }
        cost + self.pay(by, cost)
    }

    /// Puts an actor that has come to a worker into its queue.
    pub(super) fn accept(&mut self, owner: u32, by: u32, actor: u32, end: End) -> Cycles {
        self.slots[actor as usize].take_home();
        self.pay_later(by, 1);
        self.carry_out_by(by, owner, actor, Route { worker: owner, end })
    }

    /// Lets the owner see what others have written to its actor.
    pub(super) fn handle_token(&mut self, owner: u32, by: u32, actor: u32, sender: Option<u32>) -> Cycles {
        let pu = self.workers[by as usize].pu;
        let now_of = self.owner(actor);
        if now_of != owner {
            // It was adopted meanwhile; its token follows.
            return self.deliver(now_of, Arrival::Token { actor, sender }, pu);
        }
        let slot = &mut self.slots[actor as usize];
        let first = slot.mailbox.len();
        slot.take_home();
        let messages = (slot.mailbox.len() - first) as u64;
        if slot.status != Status::Idle || slot.mailbox.is_empty() {
            self.pay_later(by, messages);
            return 0;
        }
        self.rouse(actor);
        if !self.rules.routes {
            let route = self.follow(owner, sender, actor);
            if route.worker == owner {
                self.pay_later(by, messages);
            }
            // Who has written stands in the first message.
            let from = self.slots[actor as usize].mailbox[first].from;
            let cost = self.memory.transfer(from, pu, u32::from(self.rules.follows));
            return cost + self.carry_out_by(by, owner, actor, route);
        }
        let (route, mut cost) = match sender {
            Some(sender) => self.ask_for_route(owner, sender, actor),
            None => (self.ask_for_call(actor), 0),
        };
        if route.worker != owner {
            // Where it goes is told by the sender of the oldest message, which is the last one of the list. What stays is read when it is handled.
            let mail = self.slots[actor as usize].mailbox.range(first..);
            cost += mail
                .map(|mail| self.memory.transfer(mail.from, pu, 1))
                .sum::<Cycles>();
        }
        cost + self.carry_out_by(by, owner, actor, route)
    }

    /// What a worker does between two activations besides taking the next actor; returns what it costs.
    pub(super) fn between_activations(&mut self, me: u32) -> Cycles {
        if !self.rules.routes {
            return self.see_to_others(me);
        }
        let Some(owners) = self.settings.machine.owners else {
            return 0;
        };
        let worker = &mut self.workers[me as usize];
        let mut cost = std::mem::take(&mut worker.late);
        let looks = worker.phase != Phase::Busy || worker.tick.is_multiple_of(owners.look_every);
        cost += self.see_to_brought(me, owners);
        cost += self.receive(me, me);
        if looks {
            cost += self.take_in(me, owners.records);
        }
        cost
    }

    /// Gets into the place of a worker that is in a handler; returns what that costs.
    pub(super) fn step_in(&mut self, owner: u32, owners: Owners) -> Cycles {
        let fence = Cycles::from(owners.fence);
        self.workers[owner as usize].late += fence;
        fence
    }
}
