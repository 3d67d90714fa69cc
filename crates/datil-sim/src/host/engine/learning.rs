//! What a policy that learns is told, and what it is shown.

use datil_policy::{Route, Sample, Surroundings};

use super::Engine;
use crate::machine::Cycles;

impl Engine {
    /// Whether the policy wants the activation of an actor timed. One in which the actor starts never is: it says nothing
    /// about messages.
    pub(super) fn is_to_be_timed(&mut self, me: u32, actor: u32) -> bool {
        let worker = &mut self.workers[me as usize];
        let slot = &self.slots[actor as usize];
        if !worker.learns || !slot.started || slot.word.home().is_none() {
            return false;
        }
        let age = self.costs.cycles(self.costs.staleness);
        let profile = self.classes[slot.class].profile.read(self.now, age);
        worker.policy.samples(worker.tick, &profile)
    }

    /// Where the policy of this worker queues an idle actor to which a worker has sent something.
    pub(super) fn ask_for_route(&mut self, me: u32, sender: u32, receiver: u32) -> Route {
        let word = self.slots[receiver as usize].word;
        let around = if self.workers[me as usize].learns {
            self.surroundings(receiver)
        } else {
            Surroundings::default()
        };
        self.workers[me as usize].policy.woken(sender, word, &around)
    }

    /// What a policy that learns may see beside the actor's word.
    fn surroundings(&mut self, receiver: u32) -> Surroundings {
        let age = self.costs.cycles(self.costs.staleness);
        let slot = &self.slots[receiver as usize];
        let home_queue = match slot.word.home() {
            Some(home) => self.workers[home as usize].length.read(self.now, age),
            None => 0,
        };
        Surroundings {
            profile: self.classes[slot.class].profile.read(self.now, age),
            home_queue,
            idle: self.idle_workers.read(self.now, age),
        }
    }

    /// A time as a clock shows it, with the errors that clocks have.
    pub(super) fn clocked(&mut self, time: Cycles) -> u64 {
        let error = 80 + u64::from(self.random.below(41));
        self.costs.nanos(time) * error / 100
    }

    /// Tells the policy what a timed activation took.
    pub(super) fn learn(&mut self, me: u32) {
        let worker = &self.workers[me as usize];
        let activation = worker.activation.as_ref().expect("the worker is busy");
        if !activation.timed || activation.messages == 0 {
            return;
        }
        let (actor, messages) = (activation.actor, activation.messages);
        let nanos = self.clocked(activation.computing);
        let worker = &self.workers[me as usize];
        let slot = &self.slots[actor as usize];
        let Some(home) = slot.word.home() else {
            return;
        };
        let here = self.memory.node(worker.pu);
        let at_home = self.memory.node(self.workers[home as usize].pu) == here;
        let sample = Sample {
            per_message: nanos / u64::from(messages),
            at_home,
        };
        let word = slot.word;
        let profile = &mut self.classes[slot.class].profile;
        let worker = &mut self.workers[me as usize];
        profile.fresh = worker.policy.finished(word, sample, profile.fresh);
        worker.learns = worker.policy.learns();
    }
}
