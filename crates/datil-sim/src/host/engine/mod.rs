//! The event loop.

mod activation;
mod actors;
mod apart;
mod brought;
mod driver;
mod following;
mod guard;
mod handling;
mod hunting;
mod idle;
mod inbox;
mod learning;
mod owners;
#[cfg(test)]
mod owning;
mod queues;
mod shared;
mod sharing;
mod stint;
mod system;
mod thefts;
mod worker;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::rc::Rc;

use datil_policy::topology::Rings;
use datil_policy::{Board, Random, Setup};

use self::actors::{Class, Slot};
use self::guard::Guard;
use self::inbox::Record;
use self::shared::Shared;
use self::worker::{Phase, Worker};
use super::line::Line;
use super::rules::Rules;
use super::run::Run;
use super::{Play, Settings};
use crate::actor::{Handling, Note, Wish};
use crate::machine::{Costs, Cycles, Machine, Memory};

/// What happens at some time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    /// Worker, generation.
    Turn(u32, u32),
    Driver,
    /// The operating system looks at the thread of this worker.
    Balance(u32),
}

/// A run in progress.
pub(crate) struct Engine {
    rules: Rules,
    settings: Settings,
    costs: Rc<Costs>,
    /// What the suite is to be told.
    notes: Vec<Note>,
    /// A message went to an actor that had stopped.
    lost: bool,
    /// See [`system::tax`].
    tax: (f64, f64),
    memory: Memory,
    workers: Vec<Worker>,
    slots: Vec<Slot>,
    classes: Vec<Class>,
    class_of: HashMap<&'static str, usize>,
    driver: VecDeque<Wish>,
    driver_pu: usize,
    /// What threads outside want where actors have owners.
    inbox: VecDeque<Record>,
    /// The worker that took from there last.
    keeper: Option<u32>,
    /// Since when records wait for workers that have enough before them.
    waits_since: Option<Cycles>,
    /// Words of 8 bytes that went there.
    sent: u64,
    /// Who looks after workers in long handlers, if the policy does not route.
    guard: Guard,
    /// Actors spawned and messages sent by the driver.
    turns: (u32, u32),
    events: BinaryHeap<Reverse<(Cycles, u64, Event)>>,
    sequence: u64,
    now: Cycles,
    /// Those that sleep.
    idle_workers: Shared<u32>,
    /// The line that counts those that were woken to look for work and are still looking.
    seeking: Line,
    /// Classes of which the policies need know something.
    peculiar: Shared<u32>,
    /// What thefts have shown.
    board: Shared<Board>,
    /// Actors that are queued or run; without any, and with the driver at its end, nothing more can happen.
    active: usize,
    random: Random,
    /// When the present script began.
    began: Cycles,
    run: Run,
}

impl Play for Engine {
    fn born(&self) -> u32 {
        self.slots.len() as u32
    }

    fn play(&mut self, driver: Handling, note: &mut dyn FnMut(Note)) -> Result<Run, String> {
        self.begin();
        self.bear(driver.births, 0);
        self.driver = driver.wishes.into();
        self.schedule_driver(0);
        self.work(note)?;
        Ok(self.finish())
    }
}

impl Engine {
    /// An idle host.
    ///
    /// # Errors
    /// If the policy wants actors to have owners and the machine has none, or the settings do not fit the machine.
    pub(crate) fn build(rules: Rules, settings: Settings) -> Result<Box<dyn Play>, String> {
        rules.check(&settings.machine)?;
        let mut engine = Self::new(rules, settings)?;
        engine.start();
        Ok(Box::new(engine))
    }

    fn new(rules: Rules, settings: Settings) -> Result<Self, String> {
        let machine = &settings.machine;
        let pus = machine.units(settings.workers)?;
        let count = pus.len() as u32;
        let worker = |me: u32| {
            let rings = Rings::around(me, &pus, &machine.topology, (rules.neighbourhood)());
            let setup = Setup {
                worker: me,
                workers: count,
                seed: settings.seed,
            };
            Worker::idle((rules.on)(setup, &rings), pus[me as usize])
        };
        Ok(Self {
            memory: Memory::new(machine),
            workers: (0..count).map(worker).collect(),
            slots: Vec::new(),
            classes: Vec::new(),
            class_of: HashMap::new(),
            driver: VecDeque::new(),
            driver_pu: driver_unit(machine, pus[0])?,
            inbox: VecDeque::new(),
            keeper: None,
            waits_since: None,
            sent: 0,
            guard: Guard::default(),
            turns: (0, 0),
            events: BinaryHeap::new(),
            sequence: 0,
            now: 0,
            idle_workers: Shared::default(),
            seeking: Line::default(),
            peculiar: Shared::default(),
            board: Shared::default(),
            active: 0,
            random: Random::new(settings.seed ^ 0x5EED),
            run: Run {
                first_run: vec![0; machine.topology.nodes().len()],
                ..Run::default()
            },
            costs: Rc::new(costs_under(&rules, machine)),
            notes: Vec::new(),
            lost: false,
            tax: system::tax(rules.pins || settings.bound, &settings),
            rules,
            began: 0,
            settings,
        })
    }

    /// Starts the workers, which find nothing to do. Where actors have owners they have slept since.
    fn start(&mut self) {
        for worker in 0..self.workers.len() as u32 {
            if !self.rules.routes {
                self.workers[worker as usize].phase = Phase::Sleeping;
            } else if self.settings.machine.owners.is_some() {
                self.workers[worker as usize].sleep_on();
                self.idle_workers.fresh += 1;
            } else {
                self.schedule(0, Event::Turn(worker, 0));
            }
            if self.os().is_some() {
                let wait = self.between_migrations();
                self.schedule(wait, Event::Balance(worker));
            }
        }
    }

    /// Counts from here on.
    fn begin(&mut self) {
        self.began = self.now;
        self.run = Run {
            first_run: vec![0; self.run.first_run.len()],
            ..Run::default()
        };
        self.memory.forget_traffic();
        for worker in &mut self.workers {
            worker.idle = 0;
            worker.idle_since = self.now;
        }
    }

    /// Handles events until the driver has ended and no actor is queued or runs.
    fn work(&mut self, note: &mut dyn FnMut(Note)) -> Result<(), String> {
        let patience = self.began + self.costs.cycles(self.settings.patience);
        while self.active > 0 || !self.driver.is_empty() {
            let Some(Reverse((time, _, event))) = self.events.pop() else {
                return Err("nobody is left to run what is queued: the policy has lost a wake-up".to_owned());
            };
            self.now = time;
            // What was waited for in the event before, and not charged, is no part of this one.
            self.memory.take_waited();
            if time > patience {
                let seconds = self.settings.patience as f64 / 1e9;
                return Err(format!(
                    "the program had not ended after {seconds} s of virtual time"
                ));
            }
            match event {
                Event::Turn(worker, generation) => {
                    if self.workers[worker as usize].generation == generation {
                        self.turn(worker)?;
                    }
                }
                Event::Driver => self.drive(),
                Event::Balance(worker) => self.balance(worker),
            }
            self.notes.drain(..).for_each(&mut *note);
            if self.lost {
                return Err("a message was sent to a stopped actor".to_owned());
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Run {
        let now = self.now;
        let idle: Cycles = self
            .workers
            .iter()
            .map(|worker| match worker.phase {
                Phase::Busy => worker.idle,
                // The last actor's end costs its worker a few cycles more.
                _ => worker.idle + now.saturating_sub(worker.idle_since),
            })
            .sum();
        let span = now - self.began;
        let all = span * self.workers.len() as Cycles;
        let mut run = std::mem::take(&mut self.run);
        run.makespan = self.costs.nanos(span);
        run.idle = self.costs.nanos(idle);
        run.busy = self.costs.nanos(all.saturating_sub(idle));
        run.local_lines = self.memory.traffic.local;
        run.remote_lines = self.memory.traffic.remote;
        run.links = self.memory.links(span);
        run.controllers = self.memory.controllers(span);
        self.run.first_run = vec![0; run.first_run.len()];
        run
    }

    fn schedule(&mut self, delay: Cycles, event: Event) {
        self.events
            .push(Reverse((self.now + delay, self.sequence, event)));
        self.sequence += 1;
    }

    /// A time as it comes out: where actors have owners a little longer or shorter each time, lest workers fall into step with each other and stay so.
    fn jittered(&mut self, time: Cycles) -> Cycles {
        let jitter = self.settings.machine.owners.map_or(0, |owners| owners.jitter);
        if jitter == 0 {
            return time;
        }
        let percent = 100 - jitter + self.random.below(2 * jitter + 1);
        (time * Cycles::from(percent) + 50) / 100
    }

    /// How long a unit takes for what costs so much. What it waits for others of that takes no longer on a slow one.
    fn paced(&mut self, unit: usize, cost: Cycles) -> Cycles {
        let waited = self.memory.take_waited().min(cost);
        waited + self.settings.machine.paced(unit, cost - waited)
    }

    /// The worker's next event comes after `delay`; an earlier one is void.
    fn next_turn(&mut self, worker: u32, delay: Cycles) {
        let is_busy = self.workers[worker as usize].phase == Phase::Busy;
        let delay = if is_busy {
            let delay = self.jittered(delay);
            let unit = self.workers[worker as usize].pu;
            let delay = self.paced(unit, delay);
            self.beside_driver(delay)
        } else {
            delay
        };
        let state = &mut self.workers[worker as usize];
        state.generation = state.generation.wrapping_add(1);
        let generation = state.generation;
        self.schedule(delay, Event::Turn(worker, generation));
    }

    fn turn(&mut self, worker: u32) -> Result<(), String> {
        if self.workers[worker as usize].phase == Phase::Busy {
            self.advance(worker)
        } else {
            self.look_around(worker)
        }
    }
}

/// What things cost under a policy: where actors belong to workers, one that is not asked for routes queues for less.
fn costs_under(rules: &Rules, machine: &Machine) -> Costs {
    let mut costs = machine.costs.clone();
    if let Some(owners) = machine.owners.filter(|_| !rules.routes) {
        costs.queue = costs.queue.saturating_sub(owners.unrouted);
    }
    costs
}

/// Where the driver runs. As a thread like others it is on the last unit, beside the workers if there is room; where actors have no owners it is on that of the
/// first worker.
fn driver_unit(machine: &Machine, first: usize) -> Result<usize, String> {
    if machine.owners.is_none() {
        return Ok(first);
    }
    let units = machine.units(machine.topology.pus().len())?;
    Ok(*units.last().expect("a machine has units"))
}
