//! What a handler does, step by step.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use super::sharing::here;
use super::{Engine, system};
use crate::actor::{Handling, Note, Wish};
use crate::host::{Activity, Settings};
use crate::machine::{Charge, Cycles};

/// Long computations are charged in pieces of at most so many nanoseconds, so that they feel changes of the load.
const PIECE: u64 = 5_000_000;

/// One step of an activation.
pub(super) enum Step {
    Compute(Charge),
    Wish(Wish),
}

impl Engine {
    /// Begins to handle the actor's start, or its next message; returns the time until the first step has ended.
    pub(super) fn begin_handling(&mut self, me: u32) -> Result<Cycles, String> {
        let activation = self.workers[me as usize].activation.as_ref();
        let actor = activation.expect("the worker is busy").actor;
        let line = self.fetch_line(me, actor);
        let (cost, handling) = self.run_code(me)?;
        self.note_steps(me, handling);
        Ok(line + cost + self.begin_step(me))
    }

    /// Runs the code of the actor's start, or of its next message; returns what it costs to get there, and what the code asked
    /// for.
    fn run_code(&mut self, me: u32) -> Result<(Cycles, Handling), String> {
        let owners = self.settings.machine.owners;
        let worker = &mut self.workers[me as usize];
        let pu = worker.pu;
        let activation = worker.activation.as_mut().expect("the worker is busy");
        let mut handling = Handling::new(activation.actor, self.slots.len() as u32);
        let slot = &mut self.slots[activation.actor as usize];
        let body = slot.body.as_mut().expect("it is alive");
        let mut cost = 0;
        let code = if slot.started {
            let mail = slot.mailbox.pop_front().expect("only actors with mail are run");
            slot.handled += 1;
            activation.messages += 1;
            worker.forwarded = worker.forwarded.saturating_sub(1);
            worker.sharing.messages += 1;
            self.run.events += 1;
            let lines = self.costs.message_lines + mail.lines;
            let moved = self.memory.transfer(mail.from, pu, lines);
            let moved = match owners {
                Some(owners) if mail.in_row => owners.together(moved),
                _ => moved,
            };
            cost += Cycles::from(self.costs.receive) + moved;
            if let Some(stint) = &mut worker.stint {
                cost += stint.take_in(moved, self.costs.timing);
            }
            catch_unwind(AssertUnwindSafe(|| body.handle(mail.letter, &mut handling)))
        } else {
            slot.started = true;
            let before = worker.started.replace(activation.actor);
            activation.in_row = before.is_some_and(|before| before + 1 == activation.actor);
            slot.word = worker.policy.started(slot.word);
            self.memory.touch(&mut slot.region, pu, self.settings.placement);
            self.run.first_run[self.memory.node(pu)] += 1;
            catch_unwind(AssertUnwindSafe(|| body.started(&mut handling)))
        };
        code.map_err(|panic| panicked(&*panic))?;
        Ok((cost, handling))
    }

    /// Notes the steps of a handler: the computing that it is charged, and then what its code asked for.
    fn note_steps(&mut self, me: u32, handling: Handling) {
        let worker = &mut self.workers[me as usize];
        let activation = worker.activation.as_mut().expect("the worker is busy");
        let slot = &self.slots[activation.actor as usize];
        let activity = Activity {
            actor: activation.actor,
            ordinal: slot.handled,
            sends: handling.wishes.len() - handling.births.len(),
            spawns: handling.births.len(),
            stops: handling.stopped,
            depth: slot.depth,
            scale: self.settings.scale,
        };
        let annotation = self.classes[slot.class].annotation;
        let charge = annotation.map_or(Settings::DEFAULT_CHARGE, |annotation| {
            (annotation.charge)(&activity)
        });
        let charge = Charge {
            cycles: (charge.cycles as f64 * self.costs.computing).round() as u64,
            ..charge
        };
        activation.carries = annotation.map_or(0, |annotation| (annotation.carries)(&activity));
        activation.stopping = handling.stopped;
        activation.steps.push_back(Step::Compute(charge));
        activation
            .steps
            .extend(handling.wishes.into_iter().map(Step::Wish));
        self.bear(handling.births, activity.depth + 1);
    }

    /// Time that the first of the worker's steps takes.
    fn begin_step(&mut self, me: u32) -> Cycles {
        let slowdown = self.slowdown(me);
        let worker = &mut self.workers[me as usize];
        let activation = worker.activation.as_mut().expect("the worker is busy");
        let costs = Rc::clone(&self.costs);
        match activation.steps.front_mut() {
            None | Some(Step::Wish(Wish::Population(_) | Wish::Pause(_))) => 0,
            Some(Step::Wish(Wish::Send(..))) => Cycles::from(costs.send) * slowdown,
            Some(Step::Wish(Wish::Spawn(_))) => Cycles::from(costs.spawn) * slowdown,
            Some(Step::Compute(charge)) => {
                let slot = &mut self.slots[activation.actor as usize];
                let remote = self.memory.remote_share(&slot.region, worker.pu);
                let (mut piece, rest) = split(*charge, costs.cycles(PIECE));
                *charge = rest;
                if let Some(owners) = self.settings.machine.owners.filter(|_| activation.in_row) {
                    piece.exposed *= owners.in_row;
                }
                let (time, stream) = self.memory.access(&mut slot.region, piece, worker.pu);
                if let Some(stream) = &stream {
                    self.memory.load(stream, 1.0);
                }
                let time = if stream.is_some() {
                    system::taxed(self.tax, time, remote)
                } else {
                    time
                };
                activation.stream = stream;
                activation.computing += time;
                time * slowdown
            }
        }
    }

    /// The worker's first step has ended: it takes effect, and the next one begins.
    pub(super) fn advance(&mut self, me: u32) -> Result<(), String> {
        let worker = &mut self.workers[me as usize];
        let activation = worker.activation.as_mut().expect("the worker is busy");
        if let Some(stream) = activation.stream.take() {
            self.memory.load(&stream, -1.0);
        }
        if let Some(Step::Compute(rest)) = activation.steps.front()
            && (rest.cycles > 0 || rest.lines > 0)
        {
            let time = self.begin_step(me);
            self.next_turn(me, time);
            return Ok(());
        }
        let ended = activation.steps.pop_front();
        let is_last = activation.steps.is_empty();
        let cost = ended.map_or(0, |step| self.take_effect(me, step));
        if is_last {
            return self.end_handling(me, cost);
        }
        let time = cost + self.begin_step(me);
        self.next_turn(me, time);
        Ok(())
    }

    /// What a step brings about when it has ended; returns what that costs.
    fn take_effect(&mut self, me: u32, step: Step) -> Cycles {
        let worker = &mut self.workers[me as usize];
        let pu = worker.pu;
        match step {
            Step::Wish(Wish::Send(to, letter)) => {
                let activation = worker.activation.as_ref().expect("the worker is busy");
                let carries = activation.carries;
                if self.settings.machine.owners.is_some() {
                    return self.send_owned(me, to, letter, carries);
                }
                if !self.receive_letter(to, letter, pu, carries) {
                    return 0;
                }
                let (route, asked) = self.ask_for_route(me, me, to);
                let away = if route.worker == me { 0 } else { self.aside(me) };
                asked + away + self.enqueue(to, route, pu, Some(me))
            }
            Step::Wish(Wish::Spawn(actor)) => {
                if !self.rules.routes {
                    self.rouse(actor);
                    self.write_state(actor, pu);
                    return self.carry_out(me, actor, here(me)) + self.look_up(me);
                }
                let role = self.role(actor);
                let (word, route) = self.workers[me as usize].policy.spawned(role);
                self.slots[actor as usize].word = word;
                if self.settings.machine.owners.is_some() {
                    self.rouse(actor);
                    self.write_state(actor, pu);
                    return self.carry_out(me, actor, route) + self.receive(me, me);
                }
                self.enqueue(actor, route, pu, Some(me))
            }
            Step::Wish(Wish::Population(actors)) => {
                self.notes.push(Note::Population(actors));
                0
            }
            Step::Wish(Wish::Pause(_)) | Step::Compute(_) => 0,
        }
    }
}

/// The part of a charge that fits into `most` cycles of computing, and the rest. Accesses are split in proportion.
fn split(charge: Charge, most: Cycles) -> (Charge, Charge) {
    // Memory may make it several times longer; computing and lines are what is known beforehand.
    let size = charge.cycles + charge.lines * 100;
    if size <= most {
        return (charge, Charge::default());
    }
    let share = most as f64 / size as f64;
    let piece = Charge {
        cycles: (charge.cycles as f64 * share) as Cycles,
        lines: ((charge.lines as f64 * share) as u64).max(1).min(charge.lines),
        ..charge
    };
    let rest = Charge {
        cycles: charge.cycles - piece.cycles,
        lines: charge.lines - piece.lines,
        ..charge
    };
    (piece, rest)
}

/// What is said of a handler that panicked.
fn panicked(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    format!(
        "a handler panicked: {}",
        text.unwrap_or_else(|| "without a text".to_owned())
    )
}

#[cfg(test)]
mod tests {
    use datil_policy::ClsTp;

    use super::super::activation::Activation;
    use super::super::actors::{Class, Slot};
    use super::super::learning::Lore;
    use super::*;
    use crate::actor::{Body, Letter};
    use crate::host::Rules;
    use crate::machine::{Region, preset};

    struct Idler;

    impl Body for Idler {
        fn started(&mut self, _: &mut Handling) {}

        fn handle(&mut self, _: Letter, _: &mut Handling) {}
    }

    /// What it takes to start actors that were created in the order of their numbers, long ago, in this order.
    fn starts<const N: usize>(order: [u32; N]) -> [Cycles; N] {
        let settings = Settings::new(preset("pair").expect("a preset"));
        let mut engine = Engine::new(Rules::of::<ClsTp>(), settings).expect("it fits the machine");
        engine.classes.push(Class {
            annotation: None,
            lore: Lore::default(),
        });
        for actor in 0..=order.into_iter().max().expect("somebody starts") {
            let body: Box<dyn Body> = Box::new(Idler);
            engine
                .slots
                .push(Slot::unborn(Some(body), 0, 0, Region::new(128)));
            engine.write_state(actor, engine.workers[0].pu);
        }
        // More than the second cache holds.
        let mut large = Region::new(8 << 20);
        let pu = engine.workers[0].pu;
        engine
            .memory
            .access(&mut large, Charge::compute(0).touching(8 << 14), pu);
        order.map(|actor| {
            engine.workers[0].activation = Some(Activation::of(actor, false, 0));
            engine.begin_handling(0).expect("it does nothing")
        })
    }

    #[test]
    fn actors_that_start_in_the_order_of_their_creation_are_fetched_in_a_row() {
        let [first, second, third] = starts([0, 1, 2]);
        assert!(second < first && second == third, "{first} {second} {third}");
        let [first, second, third] = starts([2, 0, 1]);
        assert!(first == second && third < first, "{first} {second} {third}");
    }

    #[test]
    fn long_charges_are_split_without_loss() {
        let mut rest = Charge::compute(10_000_000).touching(12_345).exposing(0.5);
        let (mut cycles, mut lines, mut pieces) = (0, 0, 0);
        while rest.cycles > 0 || rest.lines > 0 {
            let (piece, left) = split(rest, 100_000);
            assert!(piece.cycles > 0 || piece.lines > 0);
            cycles += piece.cycles;
            lines += piece.lines;
            pieces += 1;
            rest = left;
        }
        assert_eq!((cycles, lines), (10_000_000, 12_345));
        assert!((100..130).contains(&pieces), "{pieces}");
    }
}
