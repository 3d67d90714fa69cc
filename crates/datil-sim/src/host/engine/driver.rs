//! The driver, outside all workers.

use std::rc::Rc;

use super::inbox::Record;
use super::{Engine, Event};
use crate::actor::{Note, Wish};
use crate::machine::Cycles;

impl Engine {
    /// Does the next thing that the driver wants.
    pub(super) fn drive(&mut self) {
        let Some(wish) = self.driver.pop_front() else {
            return;
        };
        let workers = self.workers.len() as u32;
        let costs = Rc::clone(&self.costs);
        let pu = self.driver_pu;
        let time = match wish {
            Wish::Spawn(actor) => {
                let cost = Cycles::from(costs.spawn);
                if self.settings.machine.owners.is_some() {
                    let cost = cost + self.record(Record::Spawn(actor));
                    return self.schedule_driver(cost.max(1));
                }
                let (word, route) = (self.rules.admitted)(self.role(actor), self.turns.0, workers);
                self.turns.0 += 1;
                self.slots[actor as usize].word = word;
                cost + self.enqueue(actor, route, pu, None)
            }
            Wish::Send(to, letter) => {
                let cost = Cycles::from(costs.send);
                if self.settings.machine.owners.is_some() {
                    let cost = cost + self.record(Record::Send(to, letter));
                    return self.schedule_driver(cost.max(1));
                }
                let turn = self.turns.1;
                if self.receive_letter(to, letter, pu, 0) {
                    self.turns.1 += 1;
                    let route = (self.rules.called)(self.slots[to as usize].word, turn, workers);
                    cost + self.enqueue(to, route, pu, None)
                } else {
                    cost
                }
            }
            Wish::Pause(nanos) => costs.cycles(nanos),
            Wish::Population(actors) => {
                self.notes.push(Note::Population(actors));
                0
            }
        };
        self.schedule_driver(time.max(1));
    }

    /// The driver acts after `delay` if it wants anything more. Without that nothing is scheduled: what was left of this script
    /// would be a second driver of the next one.
    pub(super) fn schedule_driver(&mut self, delay: Cycles) {
        if !self.driver.is_empty() {
            self.schedule(delay, Event::Driver);
        }
    }
}
