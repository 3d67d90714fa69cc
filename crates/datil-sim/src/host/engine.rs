//! The event loop.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use datil_policy::topology::Rings;
use datil_policy::{End, Profile, Random, Role, Route, Sample, Search, Setup, Surroundings, Waking, Word};

use super::lock::Lock;
use super::rules::{Decide, Rules};
use super::run::Run;
use super::{Activity, Annotation, Play, Settings};
use crate::actor::{Body, Handling, Letter, Note, Wish};
use crate::machine::{Charge, Costs, Cycles, Memory, Os, Placement, Region, Stream};

/// Long computations are charged in pieces of at most so many nanoseconds, so that they feel changes of the load.
const PIECE: u64 = 5_000_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    /// Not announced to a scheduler yet.
    Unborn,
    Idle,
    Queued,
    Running,
    Dead,
}

struct Mail {
    letter: Letter,
    /// The unit that wrote it.
    from: usize,
    /// Lines that it moves to another unit beyond those of every message.
    lines: u32,
}

struct Slot {
    body: Option<Box<dyn Body>>,
    class: usize,
    /// Generations from the driver.
    depth: u32,
    status: Status,
    started: bool,
    word: Word,
    mailbox: VecDeque<Mail>,
    region: Region,
    handled: u64,
}

/// The actors of one type.
struct Class {
    annotation: Option<&'static Annotation>,
    profile: Stale<Profile>,
}

/// A value as its writers and, later, its readers see it.
#[derive(Clone, Copy, Default)]
struct Stale<T> {
    fresh: T,
    shown: T,
    shown_at: Cycles,
}

impl<T: Copy> Stale<T> {
    /// What a reader sees: the value as it was at most `age` ago.
    fn read(&mut self, now: Cycles, age: Cycles) -> T {
        if now.saturating_sub(self.shown_at) >= age {
            self.shown = self.fresh;
            self.shown_at = now;
        }
        self.shown
    }
}

/// One step of an activation.
enum Step {
    Compute(Charge),
    Wish(Wish),
}

/// What a worker runs.
struct Activation {
    actor: u32,
    steps: VecDeque<Step>,
    /// The handler asked to stop.
    stopping: bool,
    /// Messages handled.
    messages: u32,
    /// Lines that the messages of the present handler carry.
    carries: u32,
    /// Time of computing so far, without sends.
    computing: Cycles,
    timed: bool,
    stream: Option<Stream>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Runs an actor.
    Busy,
    /// Looks for work; the next thing happens at its next event.
    Searching,
    /// Looks at its own queue, and notices at once what is put there.
    Polling,
    /// Sleeps, with or without a time at which it wakes.
    Sleeping,
}

struct Worker {
    policy: Box<dyn Decide>,
    /// Times can teach the policy something on this place in the machine.
    learns: bool,
    pu: usize,
    next: Option<u32>,
    queue: VecDeque<u32>,
    head: Lock,
    tail: Lock,
    phase: Phase,
    step: u32,
    probing: Option<(u32, End)>,
    tick: u32,
    /// Events of an older generation are void.
    generation: u32,
    idle_since: Cycles,
    idle: Cycles,
    activation: Option<Activation>,
    length: Stale<u32>,
}

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
    /// See [`tax`].
    tax: (f64, f64),
    memory: Memory,
    workers: Vec<Worker>,
    slots: Vec<Slot>,
    classes: Vec<Class>,
    class_of: HashMap<&'static str, usize>,
    driver: VecDeque<Wish>,
    driver_pu: usize,
    /// Actors spawned and messages sent by the driver.
    turns: (u32, u32),
    events: BinaryHeap<Reverse<(Cycles, u64, Event)>>,
    sequence: u64,
    now: Cycles,
    idle_workers: Stale<u32>,
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
        self.schedule(0, Event::Driver);
        self.work(note)?;
        Ok(self.finish())
    }
}

impl Engine {
    /// An idle host.
    ///
    /// # Errors
    /// If the policy is for another kind of host or the settings do not fit the machine.
    pub(crate) fn build(rules: Rules, settings: Settings) -> Result<Box<dyn Play>, String> {
        if !rules.routes {
            return Err(format!("the policy {} does not run on this host", rules.name));
        }
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
            let policy = (rules.on)(setup, &rings);
            Worker {
                learns: policy.learns(),
                policy,
                pu: pus[me as usize],
                next: None,
                queue: VecDeque::new(),
                head: Lock::default(),
                tail: Lock::default(),
                phase: Phase::Searching,
                step: 0,
                probing: None,
                tick: 0,
                generation: 0,
                idle_since: 0,
                idle: 0,
                activation: None,
                length: Stale::default(),
            }
        };
        Ok(Self {
            memory: Memory::new(machine),
            workers: (0..count).map(worker).collect(),
            slots: Vec::new(),
            classes: Vec::new(),
            class_of: HashMap::new(),
            driver: VecDeque::new(),
            driver_pu: pus[0],
            turns: (0, 0),
            events: BinaryHeap::new(),
            sequence: 0,
            now: 0,
            idle_workers: Stale {
                fresh: count,
                shown: count,
                shown_at: 0,
            },
            active: 0,
            random: Random::new(settings.seed ^ 0x5EED),
            run: Run {
                first_run: vec![0; machine.topology.nodes().len()],
                ..Run::default()
            },
            costs: Rc::new(machine.costs.clone()),
            notes: Vec::new(),
            lost: false,
            tax: tax(rules.pins, &settings),
            rules,
            began: 0,
            settings,
        })
    }

    /// Starts the workers, which find nothing to do.
    fn start(&mut self) {
        for worker in 0..self.workers.len() as u32 {
            self.schedule(0, Event::Turn(worker, 0));
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

    /// The worker's next event comes after `delay`; an earlier one is void.
    fn next_turn(&mut self, worker: u32, delay: Cycles) {
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

    // ---- actors ----------------------------------------------------------------------------------------

    fn bear(&mut self, births: Vec<crate::actor::Birth>, depth: u32) {
        for birth in births {
            let class = self.class(birth.kind);
            let state = self.classes[class]
                .annotation
                .map_or(128, |annotation| (annotation.state)(self.settings.scale));
            self.slots.push(Slot {
                body: Some(birth.body),
                class,
                depth,
                status: Status::Unborn,
                started: false,
                word: Word::default(),
                mailbox: VecDeque::new(),
                region: Region::new(state),
                handled: 0,
            });
        }
    }

    fn class(&mut self, kind: &'static str) -> usize {
        if let Some(&class) = self.class_of.get(kind) {
            return class;
        }
        let name = short(kind);
        let annotation = self
            .settings
            .annotations
            .iter()
            .find(|annotation| annotation.kind == name);
        self.classes.push(Class {
            annotation,
            profile: Stale::default(),
        });
        self.class_of.insert(kind, self.classes.len() - 1);
        self.classes.len() - 1
    }

    fn role(&self, actor: u32) -> Role {
        let class = self.slots[actor as usize].class;
        self.classes[class]
            .annotation
            .map_or(Role::Untold, |annotation| annotation.role)
    }

    // ---- the driver ------------------------------------------------------------------------------------

    fn drive(&mut self) {
        let Some(wish) = self.driver.pop_front() else {
            return;
        };
        let workers = self.workers.len() as u32;
        let costs = Rc::clone(&self.costs);
        let pu = self.driver_pu;
        let time = match wish {
            Wish::Spawn(actor) => {
                let cost = Cycles::from(costs.spawn);
                let (word, route) = (self.rules.admitted)(self.role(actor), self.turns.0, workers);
                self.turns.0 += 1;
                self.slots[actor as usize].word = word;
                cost + self.enqueue(actor, route, pu, None)
            }
            Wish::Send(to, letter) => {
                let cost = Cycles::from(costs.send);
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
        self.schedule(time.max(1), Event::Driver);
    }

    // ---- messages and queues ---------------------------------------------------------------------------

    /// Puts a message into a mailbox; true if the actor was idle and must be queued.
    fn receive_letter(&mut self, to: u32, letter: Letter, from: usize, lines: u32) -> bool {
        let slot = &mut self.slots[to as usize];
        self.lost |= slot.status == Status::Dead;
        slot.mailbox.push_back(Mail { letter, from, lines });
        slot.status == Status::Idle
    }

    /// Queues an actor; returns what that costs unit `pu`.
    fn enqueue(&mut self, actor: u32, route: Route, pu: usize, from: Option<u32>) -> Cycles {
        self.active += 1;
        self.slots[actor as usize].status = Status::Queued;
        let hold = Cycles::from(self.costs.queue);
        let worker = &mut self.workers[route.worker as usize];
        let mut cost = match route.end {
            End::Next => {
                if let Some(before) = worker.next.replace(actor) {
                    worker.queue.push_back(before);
                }
                hold
            }
            End::Head => {
                worker.queue.push_front(actor);
                worker.head.take(&mut self.memory, pu, self.now, hold)
            }
            End::Tail => {
                worker.queue.push_back(actor);
                worker.tail.take(&mut self.memory, pu, self.now, hold)
            }
        };
        // Who puts an actor of another worker at the head needs both locks.
        if route.end == End::Head && from != Some(route.worker) {
            cost += worker.tail.take(&mut self.memory, pu, self.now, hold);
        }
        worker.length.fresh = worker.queue.len() as u32;
        cost + self.notice(route.worker, from)
    }

    /// Lets the owner of a queue notice that something was put there, if it can; returns what that costs the one who
    /// did it.
    fn notice(&mut self, owner: u32, from: Option<u32>) -> Cycles {
        let poll = Cycles::from(self.costs.poll);
        match self.workers[owner as usize].phase {
            Phase::Searching => {}
            Phase::Busy if self.rules.waking == Waking::OneNear && from != Some(owner) => {
                let node = self.memory.node(self.workers[owner as usize].pu);
                return self.wake_another(owner, Some(node));
            }
            Phase::Busy => {}
            Phase::Polling => self.next_turn(owner, poll),
            Phase::Sleeping => {
                self.run.pushed_to_sleepers += 1;
                if self.rules.waking != Waking::Never {
                    return self.wake(owner);
                }
            }
        }
        if from == Some(owner) {
            self.wake_another(owner, None)
        } else {
            0
        }
    }

    /// Wakes the next sleeping worker after `me`, on this node or anywhere, if the policy wants that and nobody there
    /// searches besides `me`.
    fn wake_another(&mut self, me: u32, node: Option<usize>) -> Cycles {
        if !matches!(self.rules.waking, Waking::OneSearcher | Waking::OneNear) {
            return 0;
        }
        let is_there = |worker: &Worker| node.is_none_or(|node| self.memory.node(worker.pu) == node);
        let searching = |(at, worker): (usize, &Worker)| {
            at != me as usize && is_there(worker) && matches!(worker.phase, Phase::Searching | Phase::Polling)
        };
        if self.workers.iter().enumerate().any(searching) {
            return 0;
        }
        let count = self.workers.len() as u32;
        let sleeper = (1..count).map(|step| (me + step) % count).find(|&other| {
            let worker = &self.workers[other as usize];
            worker.phase == Phase::Sleeping && is_there(worker)
        });
        sleeper.map_or(0, |sleeper| self.wake(sleeper))
    }

    fn wake(&mut self, worker: u32) -> Cycles {
        let (cost, latency) = self.costs.wake;
        self.run.wakes += 1;
        self.workers[worker as usize].phase = Phase::Searching;
        self.workers[worker as usize].step = 0;
        let latency = self.costs.cycles(latency);
        self.next_turn(worker, latency);
        Cycles::from(cost)
    }

    // ---- idle workers ----------------------------------------------------------------------------------

    /// An idle worker's event: what it was doing has ended; it looks at its own queue and then does the next thing.
    fn look_around(&mut self, me: u32) -> Result<(), String> {
        if let Some((victim, end)) = self.workers[me as usize].probing.take()
            && let Some(cost) = self.rob(me, victim, end)
        {
            let cost = cost + self.wake_another(me, None);
            return self.go_on(me, cost);
        }
        let worker = &self.workers[me as usize];
        if worker.next.is_some() || !worker.queue.is_empty() {
            return self.dispatch(me);
        }
        let costs = Rc::clone(&self.costs);
        let worker = &mut self.workers[me as usize];
        let step = worker.step;
        worker.step = worker.step.saturating_add(1);
        let choice = worker.policy.search(step);
        let parks = choice == Search::Park && !self.somebody_has_work();
        let worker = &mut self.workers[me as usize];
        match choice {
            Search::Probe(victim, end) => {
                worker.phase = Phase::Searching;
                worker.probing = Some((victim, end));
                let pu = worker.pu;
                let lock = match end {
                    End::Tail => &self.workers[victim as usize].tail,
                    End::Head | End::Next => &self.workers[victim as usize].head,
                };
                let time = Cycles::from(costs.theft) + lock.look(&mut self.memory, pu);
                self.next_turn(me, time);
            }
            Search::Poll(times) => {
                worker.phase = Phase::Polling;
                let time = Cycles::from(costs.poll) * Cycles::from(times);
                self.next_turn(me, time);
            }
            Search::Sleep(nanos) => {
                worker.phase = Phase::Sleeping;
                let time = costs.cycles(nanos + costs.sleep_slack);
                self.next_turn(me, time);
            }
            Search::Park if !parks => {
                // Whoever goes to sleep looks once more, lest what was queued behind its back waits.
                worker.phase = Phase::Searching;
                worker.step = 0;
                self.next_turn(me, Cycles::from(costs.theft));
            }
            Search::Park => {
                worker.phase = Phase::Sleeping;
                // Only being woken makes a new event.
                worker.generation = worker.generation.wrapping_add(1);
            }
        }
        Ok(())
    }

    fn somebody_has_work(&self) -> bool {
        self.workers.iter().any(|worker| !worker.queue.is_empty())
    }

    /// Takes what there is at the victim, if that is something, and returns what it costs.
    fn rob(&mut self, me: u32, victim: u32, end: End) -> Option<Cycles> {
        self.run.steal_attempts += 1;
        let pu = self.workers[me as usize].pu;
        let hold = Cycles::from(self.costs.queue);
        let robbed = &mut self.workers[victim as usize];
        let wanted = robbed.policy.grant(robbed.queue.len()).min(robbed.queue.len());
        if wanted == 0 {
            return None;
        }
        let mut loot = Vec::with_capacity(wanted);
        for _ in 0..wanted {
            loot.extend(match end {
                End::Tail => robbed.queue.pop_back(),
                End::Head | End::Next => robbed.queue.pop_front(),
            });
        }
        let cost = match end {
            End::Tail => robbed.tail.take(&mut self.memory, pu, self.now, hold),
            End::Head | End::Next => robbed.head.take(&mut self.memory, pu, self.now, hold),
        };
        robbed.length.fresh = robbed.queue.len() as u32;
        self.run.steals += loot.len() as u64;
        let thief = &mut self.workers[me as usize];
        thief.queue.extend(loot);
        thief.length.fresh = thief.queue.len() as u32;
        Some(cost)
    }

    // ---- activations -----------------------------------------------------------------------------------

    /// Takes the next actor and begins to run it; without one the worker begins to search.
    fn dispatch(&mut self, me: u32) -> Result<(), String> {
        let taken = self.take(me);
        let worker = &mut self.workers[me as usize];
        let Some((actor, cost)) = taken else {
            worker.step = 0;
            if worker.phase == Phase::Busy {
                worker.phase = Phase::Searching;
                worker.idle_since = self.now;
                self.idle_workers.fresh += 1;
            }
            return self.look_around(me);
        };
        if worker.phase != Phase::Busy {
            worker.phase = Phase::Busy;
            worker.idle += self.now - worker.idle_since;
            self.idle_workers.fresh -= 1;
        }
        worker.step = 0;
        worker.probing = None;
        worker.tick = worker.tick.wrapping_add(1);
        let timed = self.is_to_be_timed(me, actor);
        self.workers[me as usize].activation = Some(Activation {
            actor,
            steps: VecDeque::new(),
            stopping: false,
            messages: 0,
            carries: 0,
            computing: 0,
            timed,
            stream: None,
        });
        self.run.activations += 1;
        self.slots[actor as usize].status = Status::Running;
        let timing = if timed { self.costs.timing } else { 0 };
        let begun = self.begin_handling(me)?;
        self.next_turn(me, cost + begun + Cycles::from(timing));
        Ok(())
    }

    /// Takes the worker's next actor out of the slot or from the end of the queue that the policy says; returns it and what
    /// that costs.
    fn take(&mut self, me: u32) -> Option<(u32, Cycles)> {
        let hold = Cycles::from(self.costs.queue);
        let worker = &mut self.workers[me as usize];
        let end = if self.settings.fair {
            worker.policy.take(worker.tick.wrapping_add(1))
        } else {
            End::Head
        };
        if let Some(actor) = worker.next.take() {
            return Some((actor, hold));
        }
        let (actor, lock) = match end {
            End::Tail => (worker.queue.pop_back()?, &mut worker.tail),
            End::Head | End::Next => (worker.queue.pop_front()?, &mut worker.head),
        };
        worker.length.fresh = worker.queue.len() as u32;
        Some((actor, lock.take(&mut self.memory, worker.pu, self.now, hold)))
    }

    /// Whether the policy wants the activation of an actor timed. One in which the actor starts never is: it says nothing
    /// about messages.
    fn is_to_be_timed(&mut self, me: u32, actor: u32) -> bool {
        let worker = &mut self.workers[me as usize];
        let slot = &self.slots[actor as usize];
        if !worker.learns || !slot.started || slot.word.home().is_none() {
            return false;
        }
        let age = self.costs.cycles(self.costs.staleness);
        let profile = self.classes[slot.class].profile.read(self.now, age);
        worker.policy.samples(worker.tick, &profile)
    }

    /// Runs the code of the actor's start, or of its next message, and notes the steps; returns the time until the
    /// first of them has ended.
    fn begin_handling(&mut self, me: u32) -> Result<Cycles, String> {
        let worker = &mut self.workers[me as usize];
        let pu = worker.pu;
        let activation = worker.activation.as_mut().expect("the worker is busy");
        let actor = activation.actor;
        let next = self.slots.len() as u32;
        let slot = &mut self.slots[actor as usize];
        let mut handling = Handling::new(actor, next);
        let mut body = slot.body.take().expect("it is alive and not running elsewhere");
        let mut cost = 0;
        let starting = !slot.started;
        let code = if starting {
            slot.started = true;
            slot.word = worker.policy.started(slot.word);
            self.memory.touch(&mut slot.region, pu, self.settings.placement);
            self.run.first_run[self.memory.node(pu)] += 1;
            catch_unwind(AssertUnwindSafe(|| body.started(&mut handling)))
        } else {
            let mail = slot.mailbox.pop_front().expect("only actors with mail are run");
            slot.handled += 1;
            activation.messages += 1;
            self.run.events += 1;
            let costs = Rc::clone(&self.costs);
            let lines = costs.message_lines + mail.lines;
            cost += Cycles::from(costs.receive) + self.memory.transfer(mail.from, pu, lines);
            catch_unwind(AssertUnwindSafe(|| body.handle(mail.letter, &mut handling)))
        };
        let slot = &mut self.slots[actor as usize];
        slot.body = Some(body);
        if let Err(panic) = code {
            return Err(panicked(&*panic));
        }
        let activity = Activity {
            actor,
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
        activation.carries = annotation.map_or(0, |annotation| (annotation.carries)(&activity));
        activation.stopping = handling.stopped;
        activation.steps.push_back(Step::Compute(charge));
        activation
            .steps
            .extend(handling.wishes.into_iter().map(Step::Wish));
        self.bear(handling.births, activity.depth + 1);
        Ok(cost + self.begin_step(me))
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
                let (piece, rest) = split(*charge, costs.cycles(PIECE));
                *charge = rest;
                let (time, stream) = self.memory.access(&mut slot.region, piece, worker.pu);
                if let Some(stream) = &stream {
                    self.memory.load(stream, 1.0);
                }
                let time = if stream.is_some() {
                    taxed(self.tax, time, remote)
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
    fn advance(&mut self, me: u32) -> Result<(), String> {
        let worker = &mut self.workers[me as usize];
        let pu = worker.pu;
        let activation = worker.activation.as_mut().expect("the worker is busy");
        if let Some(stream) = activation.stream.take() {
            self.memory.load(&stream, -1.0);
        }
        let mut cost = 0;
        if let Some(Step::Compute(rest)) = activation.steps.front()
            && (rest.cycles > 0 || rest.lines > 0)
        {
            let time = self.begin_step(me);
            self.next_turn(me, time);
            return Ok(());
        }
        let carries = activation.carries;
        match activation.steps.pop_front() {
            Some(Step::Wish(Wish::Send(to, letter))) => {
                if self.receive_letter(to, letter, pu, carries) {
                    let route = self.ask_for_route(me, to);
                    cost += self.enqueue(to, route, pu, Some(me));
                }
            }
            Some(Step::Wish(Wish::Spawn(actor))) => {
                let role = self.role(actor);
                let (word, route) = self.workers[me as usize].policy.spawned(role);
                self.slots[actor as usize].word = word;
                cost += self.enqueue(actor, route, pu, Some(me));
            }
            Some(Step::Wish(Wish::Population(actors))) => self.notes.push(Note::Population(actors)),
            Some(Step::Wish(Wish::Pause(_)) | Step::Compute(_)) | None => {}
        }
        let activation = self.workers[me as usize]
            .activation
            .as_ref()
            .expect("the worker is busy");
        if activation.steps.is_empty() {
            return self.end_handling(me, cost);
        }
        cost += self.begin_step(me);
        self.next_turn(me, cost);
        Ok(())
    }

    fn ask_for_route(&mut self, me: u32, receiver: u32) -> Route {
        let word = self.slots[receiver as usize].word;
        let around = if self.workers[me as usize].learns {
            self.surroundings(receiver)
        } else {
            Surroundings::default()
        };
        self.workers[me as usize].policy.woken(me, word, &around)
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

    /// A handler has ended: the actor stops, goes on, rests, or goes behind others.
    fn end_handling(&mut self, me: u32, cost: Cycles) -> Result<(), String> {
        let worker = &mut self.workers[me as usize];
        let activation = worker.activation.as_ref().expect("the worker is busy");
        let actor = activation.actor;
        let slot = &mut self.slots[actor as usize];
        if activation.stopping {
            slot.status = Status::Dead;
            slot.body = None;
            let unread = slot.mailbox.len();
            slot.mailbox.clear();
            if unread > 0 {
                return Err(format!("an actor stopped with {unread} messages in its mailbox"));
            }
            self.active -= 1;
            self.notes.push(Note::Stopped);
        } else if slot.mailbox.is_empty() {
            slot.status = Status::Idle;
            self.active -= 1;
        } else if activation.messages < worker.policy.batch() {
            let time = cost + self.begin_handling(me)?;
            self.next_turn(me, time);
            return Ok(());
        }
        self.learn(me);
        let block = Cycles::from(self.costs.block);
        let pu = self.workers[me as usize].pu;
        let mut cost = cost + block;
        self.workers[me as usize].activation = None;
        if self.slots[actor as usize].status == Status::Running {
            self.active -= 1;
            let tail = Route {
                worker: me,
                end: End::Tail,
            };
            cost += self.enqueue(actor, tail, pu, Some(me));
        }
        self.go_on(me, cost)
    }

    /// Goes on with the next actor after `cost`.
    fn go_on(&mut self, me: u32, cost: Cycles) -> Result<(), String> {
        // The next actor is chosen now and its costs begin later: a difference of some dozen cycles that saves an
        // event each time.
        self.workers[me as usize].activation = None;
        let before = self.now;
        self.now += cost;
        let done = self.dispatch(me);
        self.now = before;
        done
    }

    /// Tells the policy what a timed activation took, with the errors that clocks have.
    fn learn(&mut self, me: u32) {
        let worker = &self.workers[me as usize];
        let activation = worker.activation.as_ref().expect("the worker is busy");
        if !activation.timed || activation.messages == 0 {
            return;
        }
        let error = 80 + u64::from(self.random.below(41));
        let nanos = self.costs.nanos(activation.computing) * error / 100;
        let slot = &self.slots[activation.actor as usize];
        let Some(home) = slot.word.home() else {
            return;
        };
        let here = self.memory.node(worker.pu);
        let at_home = self.memory.node(self.workers[home as usize].pu) == here;
        let sample = Sample {
            per_message: nanos / u64::from(activation.messages),
            at_home,
        };
        let word = slot.word;
        let profile = &mut self.classes[slot.class].profile;
        profile.fresh = self.workers[me as usize]
            .policy
            .finished(word, sample, profile.fresh);
    }

    // ---- the operating system --------------------------------------------------------------------------

    fn os(&self) -> Option<Os> {
        self.settings.os
    }

    /// Busy threads on the worker's unit.
    fn slowdown(&self, me: u32) -> Cycles {
        if self.rules.pins || self.os().is_none() {
            return 1;
        }
        let pu = self.workers[me as usize].pu;
        let busy = |worker: &&Worker| worker.pu == pu && worker.phase == Phase::Busy;
        self.workers.iter().filter(busy).count().max(1) as Cycles
    }

    fn between_migrations(&mut self) -> Cycles {
        let os = self.os().expect("asked for only with it");
        let beyond = (self.workers.len() as f64 - 8.0).max(0.0) / 56.0;
        let rate = os.migrations * beyond * beyond;
        if self.rules.pins || rate <= 0.0 {
            return Cycles::MAX / 4;
        }
        self.exponential(1e9 / rate)
    }

    fn exponential(&mut self, nanos: f64) -> Cycles {
        let uniform = (f64::from(self.random.below(1 << 30)) + 0.5) / f64::from(1u32 << 30);
        self.costs.cycles((-uniform.ln() * nanos) as u64).max(1)
    }

    /// The operating system moves a thread: onto a unit that is in use, from which it moves to a free one later, or
    /// it changes places with another thread.
    fn balance(&mut self, me: u32) {
        if self.rules.pins {
            return;
        }
        let os = self.os().expect("asked for only with it");
        let count = self.workers.len() as u32;
        let own = self.workers[me as usize].pu;
        let stacked = self.workers.iter().filter(|worker| worker.pu == own).count() > 1;
        self.run.migrations += 1;
        if stacked {
            let pus = self
                .settings
                .machine
                .units(self.workers.len())
                .expect("they were there");
            let free = pus
                .into_iter()
                .find(|pu| self.workers.iter().all(|worker| worker.pu != *pu));
            self.workers[me as usize].pu = free.unwrap_or(own);
            let wait = self.between_migrations();
            return self.schedule(wait, Event::Balance(me));
        }
        let Some(other) = self.random.other(me, count) else {
            return;
        };
        let there = self.workers[other as usize].pu;
        self.workers[me as usize].pu = there;
        let wait = if f64::from(self.random.below(1000)) < os.stacks * 1000.0 {
            self.exponential(os.stacked_for as f64)
        } else {
            self.workers[other as usize].pu = own;
            self.between_migrations()
        };
        self.schedule(wait, Event::Balance(me));
    }
}

/// What the balancing of pages adds to a stream of memory: a share of its time if all of it is remote, and a share in
/// any case.
fn tax(pins: bool, settings: &Settings) -> (f64, f64) {
    match settings.os {
        Some(os) if settings.placement == Placement::FirstTouch => {
            let used = settings.workers as f64 / settings.machine.topology.pus().len() as f64;
            let unbound = if pins { 0.0 } else { os.balancing_unbound * used };
            (os.balancing * used, unbound)
        }
        _ => (0.0, 0.0),
    }
}

fn taxed((if_remote, always): (f64, f64), time: Cycles, remote: f64) -> Cycles {
    (time as f64 * (1.0 + if_remote * remote + always)) as Cycles
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

/// `big::Worker` of `suite::benchmarks::big::Worker<datil_sim::library::Simulated>`.
fn short(kind: &str) -> &str {
    let path = kind.split('<').next().unwrap_or(kind);
    let mut ends = path.rmatch_indices("::").map(|(at, _)| at);
    ends.next();
    ends.next().map_or(path, |at| &path[at + 2..])
}

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
    use super::*;

    #[test]
    fn kinds_are_named_by_their_last_module() {
        assert_eq!(
            short("suite::benchmarks::big::Worker<datil_sim::library::Simulated>"),
            "big::Worker"
        );
        assert_eq!(short("a::B"), "a::B");
        assert_eq!(short("B"), "B");
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
