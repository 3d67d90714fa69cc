//! Deterministic runs for tests: the same actors on simulated workers and in virtual time, where a seed decides what happens next.

mod build;

use crate::atomic::AtomicU64;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use datil_policy::{Nanos, Random};

use crate::actor::Actor;
use crate::address::Address;
use crate::answer::{Answer, AskError, ReplyTo};
use crate::client;
use crate::inbox;
use crate::runtime::{BuildError, Leftovers, Metrics, finish, lease_ports};
use crate::timer::Timers;
use crate::worker::core::{Apart, Core, Hooks, stack};
use crate::worker::current;
use crate::worker::port::bump;
use crate::worker::run::Stopped;
use crate::worker::team::{Clock, Role, Team};

pub use build::SimulationBuilder;

/// A runtime whose workers take turns on the calling thread, in an order drawn from a seed, and whose clock stands still until nothing else is left to do.
///
/// The actors, and everything that carries their messages, are those of [`crate::Runtime`]; only threads and clock are replaced. So whatever order appears here may appear there,
/// and a failure is found again with its seed. What a simulation does not show is what needs true parallelism or another memory order; nor does it choose among the
/// threads that a test starts by itself.
///
/// Each step runs one actor for one message, lets a worker look at what others sent to it, or takes in what came from outside. All of these are equally likely.
/// The same seed and program give the same steps, if the program does not take time, randomness or hash order from elsewhere.
///
/// * Nothing runs but in [`Simulation::step`] and what calls it. So wait for an answer with [`Simulation::wait`]: [`Answer::wait`] on this thread would wait for ever.
/// * An assertion that fails in a handler stops that actor and no more, as everywhere; a test that is to fail by it looks
///   at what has come out, at [`Address::ended`], or listens with [`SimulationBuilder::on_panic`].
/// * Actors that keep each other busy do so for ever, unless there is a limit: [`SimulationBuilder::most_steps`].
/// * What is left at the shutdown is dropped in an order that depends on where it lies in memory, which no seed decides. A test to which that order matters
///   stops its actors before.
/// * An actor of [`crate::Context::spawn_blocking`] runs on a thread and in real time, and so is not simulated.
///
/// ```
/// use datil::{Actor, Context, ReplyTo, Simulation};
/// use std::time::Duration;
///
/// struct Egg;
/// impl Actor for Egg {
///     type Msg = ReplyTo<&'static str>;
///     fn handle(&mut self, reply: Self::Msg, cx: &mut Context<'_, Self>) {
///         cx.after(Duration::from_secs(300), move |_, cx| {
///             reply.send("boiled");
///             cx.stop();
///         });
///     }
/// }
///
/// let simulation = Simulation::new(1, 2)?;
/// let egg = simulation.spawn(Egg);
/// assert_eq!(simulation.ask(egg, |reply| reply), Ok("boiled"));
/// assert_eq!(simulation.now(), Duration::from_secs(300));
/// assert!(simulation.shutdown().is_empty());
/// # Ok::<(), datil::BuildError>(())
/// ```
pub struct Simulation {
    team: Arc<Team>,
    workers: Vec<Stopped>,
    seed: u64,
    random: RefCell<Random>,
    steps: Cell<u64>,
    /// Steps and moments that may still come, if that is limited.
    left: Cell<Option<u64>>,
    /// A step is being taken, or a timer fires.
    inside: Cell<bool>,
    over: Cell<bool>,
}

/// Says while it exists that a simulation takes a step, also if that panics.
struct Turn<'a>(&'a Cell<bool>);

impl<'a> Turn<'a> {
    fn begin(inside: &'a Cell<bool>) -> Self {
        assert!(
            !inside.replace(true),
            "datil: an actor, a timer or a destructor that lets its own simulation take steps would run inside of itself; take \
             them outside of the simulation"
        );
        Self(inside)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// Simulated workers neither share nor steal: where an actor is makes no difference to what it can meet.
const HOOKS: Hooks = Hooks {
    poll: |_| {},
    crossed: |_| {},
    follow: |_, _| false,
    redirect: |_, _| false,
    routes: false,
    crossings: 0,
    adopts: false,
    follows: false,
};

impl Simulation {
    /// A simulation with so many workers, at least 1. More workers mean more ways for messages of different senders to overtake each other.
    ///
    /// # Errors
    /// [`BuildError::NoWorkers`] and [`BuildError::TooManyWorkers`].
    pub fn new(seed: u64, workers: usize) -> Result<Self, BuildError> {
        Self::builder().seed(seed).workers(workers).build()
    }

    /// Settings to start from.
    ///
    /// ```
    /// use datil::{Actor, Context, Simulation};
    /// use std::sync::{Arc, Mutex};
    ///
    /// struct Careful;
    /// impl Actor for Careful {
    ///     type Msg = u32;
    ///     fn handle(&mut self, n: u32, _: &mut Context<'_, Self>) {
    ///         assert!(n < 10, "too much");
    ///     }
    /// }
    ///
    /// let failures = Arc::new(Mutex::new(Vec::new()));
    /// let heard = failures.clone();
    /// let simulation = Simulation::builder()
    ///     .seed(1)
    ///     .most_steps(1000)
    ///     .on_panic(move |info| heard.lock().unwrap().push(info.message.to_owned()))
    ///     .build()?;
    /// simulation.spawn(Careful).tell(10);
    /// simulation.settle();
    /// assert_eq!(*failures.lock().unwrap(), ["too much"]);
    /// assert_eq!(simulation.metrics().total().messages, 1);
    /// # Ok::<(), datil::BuildError>(())
    /// ```
    pub fn builder() -> SimulationBuilder {
        SimulationBuilder::new()
    }

    fn with(settings: SimulationBuilder) -> Result<Self, BuildError> {
        let SimulationBuilder {
            seed,
            workers,
            hook,
            most_steps,
        } = settings;
        if workers == 0 {
            return Err(BuildError::NoWorkers);
        }
        let ports = lease_ports(workers)?;
        let inbox = inbox::lease(&ports);
        inbox::forgo_sole();
        let place = |turn: u32, workers: u32| Some(turn % workers);
        let clock = Clock::Virtual(AtomicU64::new(0));
        let team = Arc::new(Team::new(ports, inbox, hook, place, clock, Role::Main));
        team.join();
        let core = |port| Apart::from(stack(), Core::new(port, team.clone(), 1, ptr::null_mut(), &HOOKS));
        let workers = team.ports.iter().map(|&port| Stopped::without_policy(core(port)));
        Ok(Self {
            workers: workers.collect(),
            team,
            seed,
            random: RefCell::new(Random::new(seed)),
            steps: Cell::new(0),
            left: Cell::new(most_steps),
            inside: Cell::new(false),
            over: Cell::new(false),
        })
    }

    /// As [`crate::Runtime::spawn`]. Actors that are created here are put on one worker after the other.
    pub fn spawn<A: Actor>(&self, actor: A) -> Address<A> {
        client::spawn_from_outside(&self.team, actor)
    }

    pub(crate) fn team(&self) -> &Arc<Team> {
        &self.team
    }

    /// Virtual time since the beginning.
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.team.now())
    }

    /// Number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// What the simulated workers have done so far, as [`crate::Runtime::metrics`]. They neither share, steal nor sleep, so
    /// counts of that are 0; and each message is an activation.
    pub fn metrics(&self) -> Metrics {
        Metrics::of(&self.team)
    }

    /// Takes one step; false if there is nothing to do before time passes.
    ///
    /// # Panics
    /// If there is something to do and the limit of steps is reached ([`SimulationBuilder::most_steps`]); and inside of a step: in what an actor of this
    /// simulation does, or is dropped there. So do the methods below that take steps.
    pub fn step(&self) -> bool {
        let _turn = Turn::begin(&self.inside);
        let cores = || self.workers.iter().map(|worker| &*worker.core);
        let busy = |core: &Core| usize::from(core.queued() > 0) + usize::from(core.port.has_mail());
        let outside = usize::from(!self.team.inbox.is_empty());
        let choices = outside + cores().map(busy).sum::<usize>();
        if choices == 0 {
            return false;
        }
        self.spend();
        let mut choice = self.draw(choices);
        self.steps.set(self.steps.get() + 1);
        if choice < outside {
            let core = &*self.workers[self.draw(self.workers.len())].core;
            // All of it: how much one turn takes depends on where in its memory the inbox stands, and so on what ran before.
            self.as_worker(core, || {
                while !self.team.inbox.is_empty() {
                    self.team.inbox.drain(core);
                }
            });
            return true;
        }
        choice -= outside;
        for core in cores() {
            if choice < busy(core) {
                let receives = core.port.has_mail() && (choice == 1 || core.queued() == 0);
                self.as_worker(core, || if receives { core.receive() } else { self.run(core) });
                return true;
            }
            choice -= busy(core);
        }
        unreachable!("one of the choices was drawn")
    }

    /// Takes one of the steps that are left.
    fn spend(&self) {
        let Some(left) = self.left.get() else {
            return;
        };
        assert!(
            left > 0,
            "datil: all steps that this simulation may take are taken ({} with seed {}, after {:?}) and there is still \
             something to do; its actors keep each other busy, or the limit is too low",
            self.steps(),
            self.seed,
            self.now()
        );
        self.left.set(Some(left - 1));
    }

    fn draw(&self, below: usize) -> usize {
        self.random.borrow_mut().below(below as u32) as usize
    }

    /// Runs what a worker does in its name.
    fn as_worker<R>(&self, core: &Core, f: impl FnOnce() -> R) -> R {
        // The thread may be a worker: of a runtime in whose handler this is used, or of another simulation.
        let before = current::set(core);
        let done = catch_unwind(AssertUnwindSafe(f));
        current::set(before);
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Runs one of the actors that wait on a worker, for one message.
    fn run(&self, core: &Core) {
        let chosen = self.draw(core.queued());
        for _ in 0..chosen {
            let cell = core.run.pop_oldest().or_else(|| core.yielded.pop_oldest());
            core.yielded.push(cell.expect("fewer were counted"));
        }
        let cell = core.run.pop_oldest().or_else(|| core.yielded.pop_oldest());
        bump(&core.counters().activations, 1);
        core.run_caught(cell.expect("fewer were counted"));
    }

    /// Takes steps until there is nothing to do before time passes.
    ///
    /// It does not return if the actors keep each other busy for ever and there is no limit
    /// ([`SimulationBuilder::most_steps`]).
    pub fn settle(&self) {
        while self.step() {}
    }

    /// Takes steps, and lets time pass whenever there is nothing to do, until nothing is left but timers that repeat.
    pub fn run_to_end(&self) {
        loop {
            self.settle();
            if !(self.team.timers.any_once() && self.pass(Nanos::MAX)) {
                return;
            }
        }
    }

    /// Takes steps, and lets so much time pass.
    pub fn advance(&self, time: Duration) {
        let until = self
            .team
            .now()
            .saturating_add(Nanos::try_from(time.as_nanos()).unwrap_or(Nanos::MAX));
        self.settle();
        while self.pass(until) {
            self.settle();
        }
        self.team.advance(until);
    }

    /// Lets time pass to the next timer and fires all that are due; false if there is none until then.
    fn pass(&self, until: Nanos) -> bool {
        let Some(at) = self.team.timers.next().filter(|&at| at <= until) else {
            return false;
        };
        let _turn = Turn::begin(&self.inside);
        self.spend();
        self.team.advance(at);
        while Timers::fire(&self.team) {}
        true
    }

    /// Asks an actor, and takes steps and lets time pass until the answer is there.
    ///
    /// # Errors
    /// [`AskError::Full`], [`AskError::Gone`] or [`AskError::Dropped`] if the question is dropped; [`AskError::TimedOut`] if nothing happens any more without
    /// an answer.
    /// While a timer repeats something always happens: then it does not return without an answer, unless there is a limit
    /// ([`SimulationBuilder::most_steps`]).
    pub fn ask<A: Actor, R: Send + 'static>(
        &self,
        to: Address<A>,
        request: impl FnOnce(ReplyTo<R>) -> A::Msg,
    ) -> Result<R, AskError> {
        self.wait(to.ask(request))
    }

    /// As [`Simulation::ask`], for an answer on its way.
    ///
    /// # Errors
    /// As [`Simulation::ask`].
    pub fn wait<R>(&self, answer: Answer<R>) -> Result<R, AskError> {
        loop {
            if let Some(here) = answer.look() {
                return here;
            }
            if !self.step() && !self.pass(Nanos::MAX) {
                return Err(AskError::TimedOut);
            }
        }
    }

    /// Drops what is left, and reports it.
    pub fn shutdown(self) -> Leftovers {
        self.end()
    }

    fn end(&self) -> Leftovers {
        if self.over.replace(true) {
            return Leftovers::default();
        }
        finish(&self.team, &self.workers)
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("now", &self.now())
            .field("steps", &self.steps())
            .finish_non_exhaustive()
    }
}
