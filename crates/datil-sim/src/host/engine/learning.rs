//! What a policy that learns is told, what it is shown, and what both cost.
//!
//! As in datil every worker decides with a copy of its own of what is known of a class, compares it with the original now and then, and keeps
//! measurements to itself for a while; and while nothing need be known of any class nobody looks for it.

use datil_policy::{Profile, Route, Sample, Surroundings, Word};

use super::Engine;
use super::shared::Shared;
use crate::host::lock::Lock;
use crate::machine::Cycles;

/// A copy is compared with the original after so many activations of its worker.
const COMPARED: u32 = 16;
/// Most measurements that a worker keeps to itself.
const MOST_KEPT: u32 = 64;
/// An activation that took longer, in nanoseconds, is told at once.
const LONG: u64 = 20_000;

/// A profile and how often it has changed.
#[derive(Clone, Copy, Default)]
struct Edition {
    profile: Profile,
    number: u32,
}

/// What is known of a class by all.
#[derive(Default)]
pub(super) struct Lore {
    edition: Shared<Edition>,
    lock: Lock,
}

/// What a worker knows of a class.
#[derive(Default)]
pub(super) struct Known {
    edition: Edition,
    /// The activation before which it was compared last.
    compared_at: Option<u32>,
    kept: Vec<(Word, Sample)>,
}

impl Known {
    fn is_due(&self, activation: u32) -> bool {
        self.compared_at
            .is_none_or(|at| activation.wrapping_sub(at) >= COMPARED)
    }

    /// Whether what was kept is to be told: the less is known of the class the sooner.
    fn is_full(&self) -> bool {
        let Profile { home, away, .. } = self.edition.profile;
        self.kept.len() >= (1 + (home.count + away.count) / 8).min(MOST_KEPT) as usize
    }
}

impl Engine {
    /// Whether the policy wants the activation of an actor timed, and what it costs to know that. One in which the actor starts never is: it says
    /// nothing about messages.
    pub(super) fn is_to_be_timed(&mut self, me: u32, actor: u32) -> (bool, Cycles) {
        let worker = &self.workers[me as usize];
        let slot = &self.slots[actor as usize];
        if !worker.learns || !slot.started || slot.word.home().is_none() {
            return (false, 0);
        }
        let (known, cost) = self.known(me, slot.class);
        let worker = &mut self.workers[me as usize];
        let timed = worker.policy.samples(worker.tick, &known.unwrap_or_default());
        (timed, cost + Cycles::from(self.costs.answers.samples))
    }

    /// Where the policy of this worker queues an idle actor to which a worker has sent something, and what it costs to know that besides what every
    /// policy costs.
    pub(super) fn ask_for_route(&mut self, me: u32, sender: u32, receiver: u32) -> (Route, Cycles) {
        let word = self.slots[receiver as usize].word;
        let (around, cost) = if self.workers[me as usize].learns {
            self.surroundings(me, receiver)
        } else {
            (Surroundings::default(), 0)
        };
        let route = self.workers[me as usize].policy.woken(sender, word, &around);
        (route, cost)
    }

    /// What a policy that learns may see beside the actor's word, and what that costs.
    fn surroundings(&mut self, me: u32, receiver: u32) -> (Surroundings, Cycles) {
        let slot = &self.slots[receiver as usize];
        let home = slot.word.home();
        let (known, mut cost) = self.known(me, slot.class);
        let Some(profile) = known else {
            return (Surroundings::default(), cost);
        };
        cost += Cycles::from(self.costs.answers.woken);
        let mut around = Surroundings {
            profile,
            ..Surroundings::default()
        };
        let worker = &self.workers[me as usize];
        if let Some(home) = home.filter(|_| worker.policy.looks(&profile)) {
            let (pu, now, age) = (worker.pu, self.now, self.staleness());
            let length = &mut self.workers[home as usize].length;
            let (home_queue, queue) = length.look(&mut self.memory, pu, now, age);
            let (idle, count) = self.idle_workers.look(&mut self.memory, pu, now, age);
            around.home_queue = home_queue;
            around.idle = idle;
            cost += queue + count;
        }
        (around, cost)
    }

    /// What a worker knows of a class, if anything need be known of any, and what it costs to find out.
    fn known(&mut self, me: u32, class: usize) -> (Option<Profile>, Cycles) {
        let (now, age) = (self.now, self.staleness());
        let worker = &mut self.workers[me as usize];
        let (peculiar, mut cost) = self.peculiar.look(&mut self.memory, worker.pu, now, age);
        if peculiar == 0 && worker.policy.is_plain(&Profile::default()) {
            return (None, cost);
        }
        cost += Cycles::from(self.costs.answers.found);
        let tick = worker.tick;
        let pu = worker.pu;
        let known = worker.known(class);
        if known.is_due(tick) {
            known.compared_at = Some(tick);
            let lore = &mut self.classes[class].lore;
            let (edition, line) = lore.edition.look(&mut self.memory, pu, now, age);
            cost += line;
            if edition.number != known.edition.number {
                known.edition = edition;
                let hold = Cycles::from(self.costs.answers.found);
                cost += lore.lock.take(&mut self.memory, pu, now, hold);
            }
        }
        (Some(known.edition.profile), cost)
    }

    /// What it costs to leave out of a timed activation what is no part of it: the clock is read twice more.
    pub(super) fn aside(&self, me: u32) -> Cycles {
        let activation = self.workers[me as usize].activation.as_ref();
        let is_timed = activation.is_some_and(|activation| activation.timed);
        if is_timed {
            Cycles::from(self.costs.timing)
        } else {
            0
        }
    }

    /// A time as a clock shows it, with the errors that clocks have.
    pub(super) fn clocked(&mut self, time: Cycles) -> u64 {
        let error = 80 + u64::from(self.random.below(41));
        self.costs.nanos(time) * error / 100
    }

    /// Notes what a timed activation took, and tells the policy when there is enough to tell; returns what that costs.
    pub(super) fn learn(&mut self, me: u32) -> Cycles {
        let worker = &self.workers[me as usize];
        let activation = worker.activation.as_ref().expect("the worker is busy");
        if !activation.timed || activation.messages == 0 {
            return 0;
        }
        let (actor, messages) = (activation.actor, activation.messages);
        let nanos = self.clocked(activation.computing);
        let worker = &self.workers[me as usize];
        let slot = &self.slots[actor as usize];
        let Some(home) = slot.word.home() else {
            return 0;
        };
        let here = self.memory.node(worker.pu);
        let at_home = self.memory.node(self.workers[home as usize].pu) == here;
        let sample = Sample {
            per_message: nanos / u64::from(messages),
            at_home,
        };
        let (word, class) = (slot.word, slot.class);
        let known = self.workers[me as usize].known(class);
        known.kept.push((word, sample));
        let tells = nanos > LONG || known.is_full();
        let cost = Cycles::from(self.costs.answers.found);
        if tells { cost + self.tell(me, class) } else { cost }
    }

    /// Tells the policy of a worker what that has kept about a class; returns what it costs.
    fn tell(&mut self, me: u32, class: usize) -> Cycles {
        let now = self.now;
        let lore = &mut self.classes[class].lore;
        let Edition {
            profile: before,
            number,
        } = lore.edition.fresh;
        let worker = &mut self.workers[me as usize];
        let kept = std::mem::take(&mut worker.known(class).kept);
        let hold = Cycles::from(self.costs.answers.finished) * kept.len() as Cycles;
        let mut cost = lore.lock.take(&mut self.memory, worker.pu, now, hold);
        let policy = &mut worker.policy;
        let profile = kept.into_iter().fold(before, |profile, (word, sample)| {
            policy.finished(word, sample, profile)
        });
        let edition = Edition {
            profile,
            number: number.wrapping_add(1),
        };
        lore.edition.store(edition, worker.pu);
        let are_peculiar = [before, profile].map(|profile| u32::from(!policy.is_plain(&profile)));
        if are_peculiar[0] != are_peculiar[1] {
            self.peculiar.fresh = self.peculiar.fresh + are_peculiar[1] - are_peculiar[0];
            cost += self.peculiar.line.fetch(&mut self.memory, worker.pu);
        }
        worker.learns = policy.learns();
        worker.known(class).edition = edition;
        cost
    }

    /// How old what others have written may be when somebody sees it.
    pub(super) fn staleness(&self) -> Cycles {
        self.costs.cycles(self.costs.staleness)
    }
}

#[cfg(test)]
mod tests {
    use datil_policy::{AdaptiveLocality, Mean, Policy};

    use super::super::activation::Activation;
    use super::super::actors::{Class, Slot};
    use super::*;
    use crate::host::{Rules, Settings};
    use crate::machine::{Region, preset};

    /// Workers on four nodes, a class, and an actor of it that has run on the first worker.
    fn engine() -> Engine {
        let settings = Settings {
            workers: 8,
            ..Settings::new(preset("opteron").expect("a preset"))
        };
        let mut engine = Engine::new(Rules::of::<AdaptiveLocality>(), settings).expect("it fits the machine");
        engine.classes.push(Class {
            annotation: None,
            lore: Lore::default(),
        });
        engine.slots.push(Slot {
            started: true,
            word: Word::new(Some(0), false),
            ..Slot::unborn(None, 0, 0, Region::new(0))
        });
        engine
    }

    /// A worker has timed an activation of one message that took so long; returns what it costs to learn from it.
    fn timed(engine: &mut Engine, me: u32, nanos: u64) -> Cycles {
        let mut activation = Activation::of(0, true, 0);
        activation.messages = 1;
        activation.computing = engine.costs.cycles(nanos);
        engine.workers[me as usize].activation = Some(activation);
        engine.learn(me)
    }

    /// Of a class that is sent home.
    fn pinned() -> Profile {
        let mean = |mean| Mean {
            count: 100,
            mean,
            ..Mean::default()
        };
        Profile {
            home: mean(5_000),
            away: mean(9_000),
            pinned: true,
            ..Profile::default()
        }
    }

    /// All know that the class is sent home.
    fn pin(engine: &mut Engine) {
        let edition = Edition {
            profile: pinned(),
            number: 1,
        };
        engine.classes[0].lore.edition.store(edition, 0);
        engine.peculiar.store(1, 0);
        engine.now += engine.staleness();
    }

    #[test]
    fn while_nothing_need_be_known_of_any_class_nobody_looks_for_it() {
        let mut engine = engine();
        let answers = engine.costs.answers;
        let samples = Cycles::from(answers.samples);
        assert_eq!(engine.is_to_be_timed(1, 0).1, samples);
        assert_eq!(engine.ask_for_route(1, 1, 0).1, 0);
        pin(&mut engine);
        assert!(engine.is_to_be_timed(1, 0).1 > samples + Cycles::from(answers.found));
        let woken = Cycles::from(answers.found + answers.woken);
        assert_eq!(engine.ask_for_route(1, 1, 0).1, woken);
        engine.slots[0].started = false;
        assert_eq!(engine.is_to_be_timed(1, 0), (false, 0), "starts are not timed");
    }

    #[test]
    fn to_look_at_the_home_of_an_actor_takes_as_long_as_that_is_far() {
        // Worker 4 is on the node of worker 0, and worker 1 is not, see `Filling::Spread`.
        let look = |from: u32| {
            let mut engine = engine();
            pin(&mut engine);
            engine.ask_for_route(from, from, 0);
            let again = engine.ask_for_route(from, from, 0).1;
            let pu = engine.workers[0].pu;
            engine.workers[0].length.store(3, pu);
            let after = engine.ask_for_route(from, from, 0).1;
            let units = [from, 0].map(|worker| engine.workers[worker as usize].pu);
            (after - again, engine.memory.transfer(units[1], units[0], 1))
        };
        let [near, far] = [4, 1].map(look);
        assert!(near.0 == near.1 && far.0 == far.1, "{near:?} {far:?}");
        assert!(0 < near.0 && near.0 < far.0, "{near:?} {far:?}");
    }

    #[test]
    fn copies_are_compared_now_and_then() {
        let mut engine = engine();
        engine.peculiar.store(1, 0);
        engine.now += engine.staleness();
        assert_eq!(engine.known(1, 0).0, Some(Profile::default()));
        pin(&mut engine);
        for activation in 1..=2 * COMPARED {
            engine.workers[1].tick = activation;
            let knows = engine.known(1, 0).0 == Some(pinned());
            assert_eq!(knows, activation >= COMPARED, "{activation}");
        }
    }

    #[test]
    fn measurements_are_told_together_once_much_is_known() {
        let mut engine = engine();
        let told = |engine: &Engine| engine.classes[0].lore.edition.fresh.profile.home.count;
        for count in 1..=8 {
            timed(&mut engine, 0, 1_000);
            assert_eq!(told(&engine), count, "little is known");
        }
        let cheap = timed(&mut engine, 0, 1_000);
        assert_eq!(told(&engine), 8);
        assert!(timed(&mut engine, 0, 1_000) > cheap);
        assert_eq!(told(&engine), 10);
        timed(&mut engine, 0, 1_000);
        timed(&mut engine, 0, 2 * LONG);
        assert_eq!(told(&engine), 12, "a long one is told at once");
        assert_eq!(engine.peculiar.fresh, 0, "on average they are short");
        (0..100).for_each(|_| {
            timed(&mut engine, 0, 2 * LONG);
        });
        assert_eq!(engine.peculiar.fresh, 1);
        (0..20_000).for_each(|_| {
            timed(&mut engine, 0, 1_000);
        });
        assert_eq!(engine.peculiar.fresh, 0);
        assert!(AdaptiveLocality::LEARNS && engine.workers[0].learns);
    }

    #[test]
    fn what_is_no_part_of_a_timed_activation_is_timed_too() {
        let mut engine = engine();
        assert_eq!(engine.aside(1), 0, "it runs nothing");
        engine.workers[1].activation = Some(Activation::of(0, false, 0));
        assert_eq!(engine.aside(1), 0);
        engine.workers[1].activation = Some(Activation::of(0, true, 0));
        assert_eq!(engine.aside(1), Cycles::from(engine.costs.timing));
    }
}
