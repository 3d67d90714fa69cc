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
                    return self.go_on_driving(cost);
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
                    return self.go_on_driving(cost);
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
            Wish::Pause(nanos) => return self.schedule_driver(costs.cycles(nanos).max(1)),
            Wish::Population(actors) => {
                self.notes.push(Note::Population(actors));
                0
            }
        };
        self.go_on_driving(time);
    }

    /// The driver has done something that costs so much.
    fn go_on_driving(&mut self, cost: Cycles) {
        let time = self.paced(self.driver_pu, cost);
        self.schedule_driver(time.max(1));
    }

    /// A time that somebody needs, longer if the driver and the workers that are up are more than there are units. Where actors have no owners the
    /// driver has a unit of its own.
    pub(super) fn beside_driver(&self, time: Cycles) -> Cycles {
        let units = self.settings.machine.topology.pus().len();
        let up = self.workers.iter().filter(|worker| !worker.idles()).count();
        if self.settings.machine.owners.is_none() || self.driver.is_empty() || up < units {
            return time;
        }
        time * (up as Cycles + 1) / units as Cycles
    }

    /// The driver acts after `delay` if it wants anything more. Without that nothing is scheduled: what was left of this script
    /// would be a second driver of the next one.
    pub(super) fn schedule_driver(&mut self, delay: Cycles) {
        if !self.driver.is_empty() {
            let delay = self.beside_driver(delay);
            self.schedule(delay, Event::Driver);
        }
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::ClsTp;

    use super::super::worker::Phase;
    use super::*;
    use crate::host::{Rules, Settings};
    use crate::machine::preset;

    /// A thousand cycles beside workers in these phases, while the driver has something to do or not.
    fn thousand(machine: &str, phases: [Phase; 2], has_more: bool) -> Cycles {
        let settings = Settings {
            workers: 2,
            ..Settings::new(preset(machine).expect("a preset"))
        };
        let mut engine = Engine::new(Rules::of::<ClsTp>(), settings).expect("it fits the machine");
        engine.driver.extend(has_more.then_some(Wish::Pause(1)));
        for (worker, phase) in engine.workers.iter_mut().zip(phases) {
            worker.phase = phase;
        }
        engine.beside_driver(1_000)
    }

    #[test]
    fn a_driver_beside_as_many_workers_as_there_are_units_takes_a_part_of_their_time() {
        let busy = [Phase::Busy, Phase::Busy];
        assert_eq!(thousand("pair", busy, true), 1_500);
        assert_eq!(thousand("pair", [Phase::Busy, Phase::Polling], true), 1_500);
        assert_eq!(thousand("pair", [Phase::Busy, Phase::Sleeping], true), 1_000);
        assert_eq!(thousand("pair", busy, false), 1_000);
        assert_eq!(thousand("uniform", busy, true), 1_000, "it has a unit of its own");
    }
}
