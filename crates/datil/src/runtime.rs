//! Building, using and shutting down a runtime.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, mpsc};
#[cfg(not(shuttle))]
use std::time::Duration;

use datil_policy::topology::Topology;
use datil_policy::{Adaptive, Hostile, Policy, Setup, Waking};

use crate::actor::Actor;
use crate::address::Address;
use crate::atomic::Ordering::{Acquire, Relaxed};
use crate::client::{self, Client};
use crate::inbox;
use crate::mailbox::cell::{Header, flag};
use crate::placement::{Binding, Memory, MemoryAccesses, Meter, Placement, Plan, Wishes};
use crate::pool;
use crate::sync::Instant;
use crate::sync::thread::{self, JoinHandle};
use crate::timer::Timers;
use crate::worker::port::{self, Port, STOP, WorkerMetrics};
use crate::worker::run::{self, Stopped};
use crate::worker::team::{Clock, PanicHook, Role, Team};

/// A panic that stopped an actor, or that a destructor of an actor or message threw.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PanicInfo<'a> {
    /// Type of the actor, or what was being dropped.
    pub actor: &'a str,
    /// The panic's message if it was text.
    pub message: &'a str,
    /// Index of the worker.
    pub worker: usize,
}

/// Why a runtime could not be built.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// A runtime needs at least one worker.
    NoWorkers,
    /// More workers than there can be in one process, over all runtimes.
    TooManyWorkers {
        /// Workers that all runtimes of a process can have together.
        most: usize,
    },
    /// There is no policy of this name.
    UnknownPolicy {
        /// The name that was asked for.
        name: String,
    },
    /// A worker's thread could not be bound, or its memory not be placed, as was asked for.
    Placement {
        /// Index of the worker.
        worker: usize,
        /// What failed and why.
        reason: String,
    },
    /// The system refused a thread.
    Thread(std::io::Error),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWorkers => write!(
                f,
                "a runtime needs at least one worker; call workers(n) with n >= 1"
            ),
            Self::TooManyWorkers { most } => {
                write!(
                    f,
                    "all runtimes of a process can have {most} workers together; ask for fewer"
                )
            }
            Self::UnknownPolicy { name } => {
                write!(
                    f,
                    "there is no scheduling policy {name:?}; known are {}",
                    datil_policy::NAMES.join(", ")
                )
            }
            Self::Placement { worker, reason } => {
                write!(
                    f,
                    "cannot place worker {worker}: {reason}; leave binding and memory to their defaults"
                )
            }
            Self::Thread(error) => write!(f, "cannot start a worker thread: {error}"),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Thread(error) => Some(error),
            _ => None,
        }
    }
}

/// Settings of a runtime to be; made by [`Runtime::builder`].
pub struct Builder {
    workers: Option<usize>,
    policy: String,
    seed: u64,
    hook: Option<PanicHook>,
    machine: Option<Topology>,
    binding: Binding,
    memory: Memory,
    metered: bool,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("workers", &self.workers)
            .field("policy", &self.policy)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// Number of worker threads, at least 1. Default: the parallelism available to the process.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = Some(workers);
        self
    }

    /// Scheduling policy by name, one of [`datil_policy::NAMES`]. Default: `adaptive`.
    #[must_use]
    pub fn policy(mut self, name: &str) -> Self {
        name.clone_into(&mut self.policy);
        self
    }

    /// Seed of everything random in the policy. Default: 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Makes the policy believe that this is the machine; worker w sits on its unit number w, modulo their number. For tests
    /// and experiments: threads are not bound to units of a machine that is made up. Default: the machine as it is.
    #[must_use]
    pub fn topology(mut self, machine: Topology) -> Self {
        self.machine = Some(machine);
        self
    }

    /// Whether the workers' threads are bound to processing units. Worker w is bound to the w-th unit that the process may use, modulo
    /// their number. What came of it is in [`Runtime::placement`]. Default: [`Binding::Auto`].
    #[must_use]
    pub fn binding(mut self, binding: Binding) -> Self {
        self.binding = binding;
        self
    }

    /// On which memory nodes the pages lie that workers touch first: actors that they create, messages, and what handlers allocate.
    /// Pages that other threads touch first lie where those say, and so may memory that is used again. On a machine with one
    /// node there is no difference. Default: [`Memory::FirstTouch`].
    #[must_use]
    pub fn memory(mut self, memory: Memory) -> Self {
        self.memory = memory;
        self
    }

    /// Makes the machine count the workers' accesses to memory nodes; see [`Runtime::memory_accesses`]. Default: no.
    #[must_use]
    pub fn count_memory_accesses(mut self, yes: bool) -> Self {
        self.metered = yes;
        self
    }

    /// Called on the worker's thread for every panic that is caught, after the process's own panic hook.
    #[must_use]
    pub fn on_panic(mut self, hook: impl Fn(&PanicInfo<'_>) + Send + Sync + 'static) -> Self {
        self.hook = Some(Arc::new(hook));
        self
    }

    /// Starts the workers.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build(self) -> Result<Runtime, BuildError> {
        macro_rules! build {
            ($($policy:ident)*) => {
                match self.policy.as_str() {
                    $(datil_policy::$policy::NAME => self.build_with::<datil_policy::$policy>(),)*
                    Hostile::NAME => self.build_with::<Hostile>(),
                    _ => Err(BuildError::UnknownPolicy { name: self.policy }),
                }
            };
        }
        datil_policy::with_policies!(build)
    }

    /// Starts the workers with a policy given as a type, whatever [`Builder::policy`] says.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build_with<P: Policy>(self) -> Result<Runtime, BuildError> {
        self.build_as::<P>(Role::Main)
    }

    fn build_as<P: Policy>(self, role: Role) -> Result<Runtime, BuildError> {
        let workers = self
            .workers
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        if workers == 0 {
            return Err(BuildError::NoWorkers);
        }
        let wishes = Wishes {
            binding: self.binding,
            memory: self.memory,
            machine: self.machine,
            metered: self.metered,
            routes: P::ROUTES,
            pins: P::PINS,
            neighbours: P::neighbourhood(),
        };
        let plan = Plan::new(workers, wishes);
        let team = form::<P>(workers, self.hook, role)?;
        let mut runtime = Runtime {
            team: Some(team),
            threads: Vec::new(),
            policy: P::NAME,
            placement: Placement { workers: Vec::new() },
            meters: Vec::new(),
        };
        // Dropping the runtime ends the threads that have been started.
        runtime.start::<P>(self.seed, &plan)?;
        Ok(runtime)
    }
}

/// A team without threads.
fn form<P: Policy>(workers: usize, hook: Option<PanicHook>, role: Role) -> Result<Arc<Team>, BuildError> {
    let ports = lease_ports(workers)?;
    let inbox = inbox::lease(&ports);
    let place = if P::ROUTES { |_, _| None } else { P::place };
    let mut team = Team::new(ports, inbox, hook, place, Clock::Real(Instant::now()), role);
    // Idle workers that poll are all guards.
    team.guarded &= !(P::ROUTES && P::WAKING == Waking::Never);
    let team = Arc::new(team);
    team.join();
    Ok(team)
}

impl Runtime {
    /// Starts the threads of a team that has none yet. Those that were asked for a place take it before anything else, and say what came of it.
    fn start<P: Policy>(&mut self, seed: u64, plan: &Plan) -> Result<(), BuildError> {
        let team = self.team().clone();
        let mut takings = Vec::new();
        for (index, port) in team.ports.iter().copied().enumerate() {
            let setup = Setup {
                worker: index as u32,
                workers: team.ports.len() as u32,
                seed,
            };
            let (team, seat) = (team.clone(), plan.seat(index));
            let taking = if plan.is_asked_for() {
                let (say, hear) = mpsc::sync_channel(1);
                takings.push(hear);
                Some(say)
            } else {
                self.placement.workers.push(seat.untaken());
                None
            };
            let thread = thread::Builder::new()
                .name(format!("datil-{index}"))
                .spawn(move || {
                    if let Some(say) = taking {
                        // Nobody listens any more if another thread could not be started.
                        let _ = say.send(seat.take());
                    }
                    run::main::<P>(port, team, setup, seat)
                });
            self.threads.push(thread.map_err(BuildError::Thread)?);
        }
        for (worker, taken) in takings.into_iter().enumerate() {
            let (placed, meter) = taken
                .recv()
                .expect("a worker takes its seat before anything else");
            plan.insists(&placed)
                .map_err(|reason| BuildError::Placement { worker, reason })?;
            self.placement.workers.push(placed);
            self.meters.extend(meter);
        }
        Ok(())
    }
}

pub(crate) fn lease_ports(count: usize) -> Result<Vec<&'static Port>, BuildError> {
    let mut ports = Vec::new();
    while ports.len() < count {
        match port::lease() {
            Some(port) => ports.push(port),
            None => {
                ports.into_iter().for_each(port::give_back);
                return Err(BuildError::TooManyWorkers {
                    most: port::MAX_PORTS - 1,
                });
            }
        }
    }
    // Lowest id first: policies compare workers by index, the mechanism by id.
    ports.sort_by_key(|port| port.id);
    Ok(ports)
}

/// Worker threads and the actors they own.
///
/// Several runtimes may exist in a process; their actors may write to each other. Dropping a runtime shuts it down.
pub struct Runtime {
    /// `None` only after the shutdown.
    team: Option<Arc<Team>>,
    threads: Vec<JoinHandle<Stopped>>,
    policy: &'static str,
    placement: Placement,
    /// One per worker, if they were asked for.
    meters: Vec<Result<Meter, String>>,
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime")
            .field("workers", &self.threads.len())
            .field("policy", &self.policy)
            .finish()
    }
}

impl Runtime {
    /// Settings to start from.
    pub fn builder() -> Builder {
        Builder {
            workers: None,
            policy: Adaptive::NAME.to_owned(),
            seed: 0,
            hook: None,
            machine: None,
            binding: Binding::Auto,
            memory: Memory::FirstTouch,
            metered: false,
        }
    }

    pub(crate) fn team(&self) -> &Arc<Team> {
        self.team.as_ref().expect("the team is there until the shutdown")
    }

    /// Creates an actor on a worker of the policy's choice. May be called from any thread; many actors are created faster
    /// through [`Runtime::client`], and by actors themselves through [`crate::Context::spawn`].
    pub fn spawn<A: Actor>(&self, actor: A) -> Address<A> {
        client::spawn_from_outside(self.team(), actor)
    }

    /// Runs `f` with a [`Client`] through which the calling thread creates actors and sends in bulk, without atomics per actor or message.
    ///
    /// What the client collects is handed over in batches, the last one when `f` returns; call [`Client::flush`] before waiting for an effect inside the
    /// scope. Scopes of one runtime may be nested. On a worker's own thread the client works without batches.
    ///
    /// # Panics
    /// If the calling thread is inside a client scope of another runtime.
    pub fn client<R>(&self, f: impl FnOnce(&mut Client<'_>) -> R) -> R {
        client::scope(self.team(), f)
    }

    /// Number of workers.
    pub fn workers(&self) -> usize {
        self.team().ports.len()
    }

    /// Name of the scheduling policy.
    pub fn policy(&self) -> &'static str {
        self.policy
    }

    /// Where the workers are on the machine, and what of that was not possible.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Reads from memory by the workers' threads so far, from the node where they are and from others.
    ///
    /// # Errors
    /// Why it is unknown: nobody asked for it when the runtime was built ([`Builder::count_memory_accesses`]), the machine has no such
    /// counters (most virtual ones have none), or the system does not let the process use them (`/proc/sys/kernel/perf_event_paranoid`).
    pub fn memory_accesses(&self) -> Result<MemoryAccesses, String> {
        if self.meters.is_empty() {
            return Err("accesses were not to be counted; see Builder::count_memory_accesses".to_owned());
        }
        let mut sum = MemoryAccesses::default();
        for meter in &self.meters {
            sum += meter.as_ref().map_err(Clone::clone)?.read()?;
        }
        Ok(sum)
    }

    /// Blocks until every mailbox is empty, every worker idle and nothing on its way between them. Blocking actors ([`Runtime::spawn_blocking`]) are included, and so are
    /// timers that fire once; periodic ones and time-outs are not waited for. Meaningful only while no thread outside sends; must not be called by an actor of
    /// this runtime, which would wait for itself for ever.
    pub fn wait_quiescent(&self) {
        loop {
            let mut teams = self.team().blocking.teams();
            teams.push(self.team().clone());
            teams.iter().for_each(|team| team.wait_quiet());
            // A blocking actor's runtime and this one may have woken each other since.
            let stamps: Vec<_> = teams.iter().map(|team| team.quiet_stamp()).collect();
            let still = || {
                teams
                    .iter()
                    .map(|team| team.quiet_stamp())
                    .eq(stamps.iter().copied())
            };
            // An actor may have made a blocking one after the list was taken.
            let all_known = || {
                let now = self.team().blocking.teams();
                now.iter()
                    .all(|team| teams.iter().any(|known| Arc::ptr_eq(known, team)))
            };
            if stamps.iter().all(Option::is_some) && all_known() && still() {
                return;
            }
        }
    }

    /// What the workers have done so far.
    pub fn metrics(&self) -> Metrics {
        Metrics {
            workers: self
                .team()
                .ports
                .iter()
                .map(|port| port.counters.0.read())
                .collect(),
            outside_dead_letters: client::dead_letters(),
        }
    }

    /// Stops the workers after the activations that are running, drops what is left, and reports it. Actors that are
    /// left over are dropped without [`Actor::stopped`]; messages in their mailboxes are dropped. Their addresses go dead.
    ///
    /// It waits for running handlers. For an orderly end let the actors stop themselves, or call [`Runtime::wait_quiescent`] first.
    pub fn shutdown(mut self) -> Leftovers {
        self.end()
    }

    /// A runtime for an actor that may block, as part of another one.
    pub(crate) fn for_blocking(parent: &Team) -> Result<Runtime, BuildError> {
        let builder = Builder {
            workers: Some(1),
            policy: Adaptive::NAME.to_owned(),
            seed: 0,
            hook: parent.hook.clone(),
            machine: None,
            binding: Binding::Never,
            memory: Memory::FirstTouch,
            metered: false,
        };
        builder.build_as::<Adaptive>(Role::Blocking(parent.registry.clone()))
    }

    fn end(&mut self) -> Leftovers {
        let Some(team) = self.team.take() else {
            return Leftovers::default();
        };
        team.end();
        for port in &team.ports {
            port.call(STOP);
        }
        let threads = std::mem::take(&mut self.threads);
        let inside = crate::worker::current::with(|core| core.is_some_and(|core| core.team.key == team.key));
        if inside {
            // An actor drops its own runtime: its worker cannot wait for itself, so somebody else cleans up.
            thread::spawn(move || join(&team, threads));
            return Leftovers::default();
        }
        join(&team, threads)
    }
}

/// Not for the model checker, whose threads do not say whether they have ended.
#[cfg(not(shuttle))]
impl Runtime {
    /// As [`Runtime::shutdown`], but waits for running handlers no longer than `limit`.
    ///
    /// # Errors
    /// [`StillRunning`] if some take longer. Nothing new is begun any more; what is left is dropped, without a report, when the last of them has returned. The calling thread need not wait for that,
    /// but a process that ends before drops nothing. Called in a handler of this runtime it fails after `limit`, since that handler runs.
    pub fn shutdown_within(mut self, limit: Duration) -> Result<Leftovers, StillRunning> {
        let began = Instant::now();
        self.ask_to_stop();
        loop {
            let running = self.still_running();
            if running.workers.is_empty() && running.blocking == 0 {
                return Ok(self.end());
            }
            if began.elapsed() >= limit {
                thread::spawn(move || drop(self));
                return Err(running);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Tells all workers to stop after the activations that are running.
    fn ask_to_stop(&self) {
        let team = self.team();
        team.end();
        team.ports.iter().for_each(|port| {
            port.call(STOP);
        });
        team.blocking.each(Runtime::ask_to_stop);
    }

    /// Who has been asked to stop and has not yet.
    fn still_running(&self) -> StillRunning {
        let workers = self.threads.iter().enumerate();
        let mut blocking = 0;
        self.team().blocking.each(|runtime| {
            blocking += usize::from(!runtime.still_running().workers.is_empty());
        });
        StillRunning {
            workers: workers
                .filter(|(_, thread)| !thread.is_finished())
                .map(|(index, _)| index)
                .collect(),
            blocking,
        }
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.end();
    }
}

/// Joins the workers, then drops all that is left.
fn join(team: &Team, threads: Vec<JoinHandle<Stopped>>) -> Leftovers {
    let stopped: Vec<Stopped> = threads
        .into_iter()
        .map(|thread| thread.join().expect("workers catch all panics"))
        .collect();
    finish(team, &stopped)
}

/// Drops all that is left in workers that have stopped.
pub(crate) fn finish(team: &Team, stopped: &[Stopped]) -> Leftovers {
    let mut leftovers = Leftovers {
        timers: Timers::end(team),
        // A blocking actor's runtime shares the names of the one that it is part of, which reports them.
        names: if team.may_block {
            Vec::new()
        } else {
            team.registry.names()
        },
        ..Leftovers::default()
    };
    team.blocking.end().into_iter().for_each(|left| leftovers += left);
    let dropped_before = dead_letters(stopped);
    // From here on nobody else delivers anything: what comes too late finds the inbox closed.
    team.inbox.close();
    loop {
        while !team.inbox.is_empty() || stopped.iter().any(|worker| worker.core.port.has_mail()) {
            stopped.iter().for_each(|worker| {
                worker.core.receive();
                team.inbox.drain(&worker.core);
            });
        }
        if !bury_all(stopped, &mut leftovers) {
            break;
        }
    }
    leftovers.messages += dead_letters(stopped) - dropped_before;
    inbox::give_back(team.inbox);
    team.ports.iter().copied().for_each(port::give_back);
    leftovers
}

fn dead_letters(stopped: &[Stopped]) -> u64 {
    stopped
        .iter()
        .map(|worker| worker.core.counters().dead_letters.load(Relaxed))
        .sum()
}

/// Ends every actor of these workers; false if there was none.
fn bury_all(stopped: &[Stopped], leftovers: &mut Leftovers) -> bool {
    let mut found = false;
    for cell in pool::cell_pieces().into_iter().flat_map(pool::Piece::cells) {
        let cell = cell.cast::<Header>();
        // SAFETY: a cell's tag is valid for ever. Acquire: the owner's last writes are visible (its thread was joined anyway).
        let owner = (unsafe { (*cell).tag.load(Acquire) } >> 16) as u16;
        let Some(worker) = stopped.iter().find(|worker| worker.core.me == owner) else {
            continue;
        };
        // SAFETY: the owner has stopped and we act in its place; a cell with an owner that is not marked dead holds an actor.
        unsafe {
            if (*cell).flags.get() & flag::DEAD != 0 {
                continue;
            }
            let vtable = &*(*cell).vtable.get();
            crate::signal::end::leave_over(cell);
            *leftovers.actors.entry((vtable.name)()).or_default() += 1;
            (vtable.bury)(&worker.core, cell);
        }
        found = true;
    }
    found
}

/// What a runtime had done when it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// One entry per worker.
    pub workers: Vec<WorkerMetrics>,
    /// Messages that threads outside sent directly to actors that had stopped, in the whole process.
    pub outside_dead_letters: u64,
}

impl Metrics {
    /// The sum over all workers.
    pub fn total(&self) -> WorkerMetrics {
        let mut total = WorkerMetrics::default();
        self.workers.iter().for_each(|worker| total += *worker);
        total
    }
}

/// Handlers were still running when the time for a shutdown was up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StillRunning {
    /// Indices of the workers that run them.
    pub workers: Vec<usize>,
    /// Number of blocking actors ([`Runtime::spawn_blocking`]) that run one.
    pub blocking: usize,
}

impl fmt::Display for StillRunning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "handlers still run on workers {:?} and in {} blocking actors; make them return, or end the process",
            self.workers, self.blocking
        )
    }
}

impl std::error::Error for StillRunning {}

/// What was left when a runtime was shut down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leftovers {
    /// Number of actors by type.
    pub actors: BTreeMap<&'static str, usize>,
    /// Messages in their mailboxes.
    pub messages: u64,
    /// Timers that had yet to fire.
    pub timers: usize,
    /// Names of actors that were left, sorted.
    pub names: Vec<String>,
}

impl Leftovers {
    /// Whether nothing was left.
    pub fn is_empty(&self) -> bool {
        self.actors.is_empty() && self.messages == 0 && self.timers == 0
    }
}

impl std::ops::AddAssign for Leftovers {
    fn add_assign(&mut self, other: Self) {
        for (name, count) in other.actors {
            *self.actors.entry(name).or_default() += count;
        }
        self.messages += other.messages;
        self.timers += other.timers;
        self.names.extend(other.names);
    }
}

impl fmt::Display for Leftovers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actors: usize = self.actors.values().sum();
        write!(f, "{actors} actors and {} messages left", self.messages)?;
        self.actors
            .iter()
            .try_for_each(|(name, count)| write!(f, "\n  {count} x {name}"))?;
        if self.timers > 0 {
            write!(f, "\n  {} timers", self.timers)?;
        }
        if !self.names.is_empty() {
            write!(f, "\n  named: {}", self.names.join(", "))?;
        }
        Ok(())
    }
}
