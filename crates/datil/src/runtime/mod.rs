//! Using and shutting down a runtime.

mod build;
mod handle;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
#[cfg(not(shuttle))]
use std::time::Duration;

use crate::actor::Actor;
use crate::address::Address;
use crate::atomic::Ordering::{Acquire, Relaxed};
use crate::client::{self, Client};
use crate::inbox::{self, Inbox};
use crate::lost;
use crate::mailbox::cell::{Header, flag};
use crate::placement::{MemoryAccesses, Meter, Placement};
use crate::pool;
use crate::query;
use crate::supervisor::LostChildren;
use crate::sync::thread::{self, JoinHandle, ThreadId};
use crate::timer::Timers;
use crate::worker::port::{self, STOP, WorkerMetrics};
use crate::worker::run::Stopped;
use crate::worker::team::Team;

pub(crate) use build::lease_ports;
pub use build::{BuildError, Builder};
pub use handle::{RuntimeHandle, RuntimeOver};

/// A panic that was caught; see [`Builder::on_panic`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PanicInfo<'a> {
    /// Type of the actor; or what it was, if no actor ends or begins anew by it: `a message`, `a timer`, `a continuation`,
    /// `a monitor`, `an answer` and the like.
    pub actor: &'a str,
    /// The panic's message, or `(not a string)` if it was no text.
    pub message: &'a str,
    /// Index of the worker; `None` if it was on the thread of the timers, or on another one that did their work (at a
    /// shutdown, or in a [`crate::Simulation`]).
    pub worker: Option<usize>,
}

/// Worker threads and the actors they own.
///
/// Several runtimes may exist in a process; their actors may write to each other. Dropping a runtime shuts it down. Threads
/// that shall create actors without holding it get a [`RuntimeHandle`].
pub struct Runtime {
    /// `None` only after the shutdown.
    team: Option<Arc<Team>>,
    threads: Vec<JoinHandle<Stopped>>,
    policy: &'static str,
    /// Name of the policy that the workers run.
    rules: &'static str,
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
        Builder::new()
    }

    pub(crate) fn team(&self) -> &Arc<Team> {
        self.team.as_ref().expect("the team is there until the shutdown")
    }

    /// Creates an actor on a worker of the policy's choice. May be called from any thread; many actors are created faster
    /// through [`Runtime::client`], and by actors themselves through [`crate::Context::spawn`]. [`Actor::started`] runs on
    /// a worker, perhaps before this returns.
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

    /// Name of the scheduling policy that the runtime was built with.
    pub fn policy(&self) -> &'static str {
        self.policy
    }

    /// Name of the policy by whose rules the workers act: [`Runtime::policy`], or its uniform form if it was chosen by name and none of
    /// the workers is nearer to another than any other is ([`datil_policy::Policy::UNIFORM`]).
    ///
    /// ```
    /// # fn main() -> Result<(), datil::BuildError> {
    /// use datil::policy::topology::Synthetic;
    ///
    /// let one_node = Synthetic::default().build().expect("a machine");
    /// let runtime = datil::Runtime::builder().workers(2).policy("lgs").topology(one_node).build()?;
    /// assert_eq!((runtime.policy(), runtime.rules()), ("lgs", "cls-tp"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn rules(&self) -> &'static str {
        self.rules
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
    /// timers that fire once; periodic ones and time-outs are not waited for. Meaningful only while no thread outside sends.
    ///
    /// # Panics
    /// If an actor of this runtime calls it, or what one of its timers runs, which would wait for itself for ever.
    pub fn wait_quiescent(&self) {
        loop {
            let mut teams = self.team().blocking.teams();
            teams.push(self.team().clone());
            assert!(
                !has_this_thread(&self.threads)
                    && teams
                        .iter()
                        .all(|team| !team.is_here() && !team.timers.are_here()),
                "datil: an actor or a timer that calls wait_quiescent of its own runtime would wait for itself; call it from a thread outside"
            );
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
        Metrics::of(self.team())
    }

    /// Stops the workers after the activations that are running, drops what is left, and reports it. Actors that are
    /// left over are dropped without [`Actor::stopped`]; messages in their mailboxes are dropped. Their addresses go dead.
    ///
    /// It waits for running handlers. For an orderly end let the actors stop themselves, or call [`Runtime::wait_quiescent`] first. Called in a handler of this runtime it
    /// waits for nothing and reports nothing but that ([`Leftovers::incomplete`]): what is left is dropped when that handler has returned.
    pub fn shutdown(mut self) -> Leftovers {
        self.end(|| {})
    }

    /// Shuts down; `stopped` is called when no handler runs any more.
    pub(crate) fn end(&mut self, stopped: impl FnOnce()) -> Leftovers {
        let Some(team) = self.team.take() else {
            return Leftovers::default();
        };
        team.end();
        for port in &team.ports {
            port.call(STOP);
        }
        if team.may_block {
            // Its handler may wait for one of its own blocking actors.
            team.blocking.begin_to_end();
        }
        let threads = std::mem::take(&mut self.threads);
        if has_this_thread(&threads) {
            // An actor drops its own runtime: its worker cannot wait for itself, so somebody else cleans up.
            thread::spawn(move || finish(&team, &join(threads)));
            return Leftovers::unknown();
        }
        let workers = join(threads);
        stopped();
        finish(&team, &workers)
    }

    /// The thread of the first worker.
    pub(crate) fn first_thread(&self) -> Option<ThreadId> {
        self.threads.first().map(|thread| thread.thread().id())
    }
}

/// Not for the model checker, whose threads do not say whether they have ended.
#[cfg(not(shuttle))]
impl Runtime {
    /// As [`Runtime::shutdown`], but waits for running handlers no longer than `limit`.
    ///
    /// # Errors
    /// [`StillRunning`] if some take longer. Nothing new is begun any more; what is left is dropped, without a report, when the last of them has returned. The calling thread need not wait for that,
    /// but a process that ends before drops nothing. Called in a handler of this runtime it fails after `limit`, since that handler runs. Called by what a timer of this runtime runs or drops it
    /// reports nothing but that if it had to wait for blocking actors ([`Leftovers::incomplete`]).
    pub fn shutdown_within(mut self, limit: Duration) -> Result<Leftovers, StillRunning> {
        let began = crate::sync::Instant::now();
        self.ask_to_stop();
        loop {
            let running = self.still_running();
            if running.workers.is_empty() {
                return match running.blocking {
                    0 => Ok(self.end(|| {})),
                    _ => self.end_blocking_within(began, limit),
                };
            }
            if began.elapsed() >= limit {
                thread::spawn(move || drop(self));
                return Err(running);
            }
            thread::sleep(Duration::from_millis(1));
            // A handler that still ran may have created some since.
            self.team().blocking.each(Runtime::ask_to_stop);
        }
    }

    /// Ends a runtime of which only blocking actors run handlers. These may wait for what is dropped here, so another thread does that.
    fn end_blocking_within(
        mut self,
        began: crate::sync::Instant,
        limit: Duration,
    ) -> Result<Leftovers, StillRunning> {
        let team = self.team().clone();
        let ending = thread::spawn(move || self.end(|| {}));
        loop {
            let blocking = team.blocking.running();
            if blocking == 0 {
                // The end waits for the thread of the timers, which has to return before.
                let is_awaited = team.timers.are_here() || team.blocking.have_this_thread();
                return Ok(if is_awaited {
                    Leftovers::unknown()
                } else {
                    ending.join().expect("who ends a runtime catches all panics")
                });
            }
            if began.elapsed() >= limit {
                let workers = Vec::new();
                return Err(StillRunning { workers, blocking });
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
        StillRunning {
            workers: workers
                .filter(|(_, thread)| !thread.is_finished())
                .map(|(index, _)| index)
                .collect(),
            blocking: self.team().blocking.running(),
        }
    }

    /// Whether one of its workers has not stopped.
    pub(crate) fn runs(&self) -> bool {
        self.threads.iter().any(|thread| !thread.is_finished())
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.end(|| {});
    }
}

/// Whether the calling thread is one of these. Not the same as which worker it is: a handler may run a simulation, and the thread is a simulated worker then.
fn has_this_thread(threads: &[JoinHandle<Stopped>]) -> bool {
    let me = thread::current().id();
    threads.iter().any(|thread| thread.thread().id() == me)
}

fn join(threads: Vec<JoinHandle<Stopped>>) -> Vec<Stopped> {
    let threads = threads.into_iter();
    threads
        .map(|thread| thread.join().expect("workers catch all panics"))
        .collect()
}

/// Drops all that is left in workers that have stopped.
pub(crate) fn finish(team: &Team, stopped: &[Stopped]) -> Leftovers {
    team.inherit();
    // Perhaps the last reference to the runtime was in a message that is lost.
    team.stand_in(|| lost::apart(|| drop_all(team, stopped)))
}

fn drop_all(team: &Team, stopped: &[Stopped]) -> Leftovers {
    let (timers, pending) = Timers::stop(team);
    let mut leftovers = Leftovers {
        timers: pending,
        // A blocking actor's runtime shares the names of the one that it is part of, which reports them.
        names: if team.may_block {
            Vec::new()
        } else {
            own_names(team)
        },
        ..Leftovers::default()
    };
    let dropped_before = dead_letters(stopped);
    // In this order: handlers of blocking actors, destructors and the timers' thread may wait for the answer of any other of them, or of an actor here. So
    // none is waited for before all that could hold up an answer is refused, dropped, or being ended by another thread.
    team.blocking.begin_to_end();
    team.inbox.close();
    drop_actors(team, stopped, &mut leftovers).forget();
    timers.end(team);
    leftovers += team.blocking.end();
    debug_assert!(team.inbox.is_empty(), "it accepts nothing since it was closed");
    leftovers.messages += dead_letters(stopped) - dropped_before;
    inbox::give_back(team.inbox);
    team.ports.iter().copied().for_each(port::give_back);
    team.be_gone();
    leftovers
}

/// The names of a runtime's own actors, those that block included. (Others may be registered with it, and live on.)
fn own_names(team: &Team) -> Vec<String> {
    let blocking = team.blocking.teams();
    let inboxes: Vec<_> = blocking
        .iter()
        .map(|team| team.inbox)
        .chain([team.inbox])
        .collect();
    let is_own = |home: &Inbox| inboxes.iter().any(|&own| std::ptr::eq(own, home));
    team.registry
        .names(|actor| client::home(actor).is_some_and(is_own))
}

/// Drops all actors and what is on its way to them. Nobody else delivers anything: what comes too late finds the inbox closed. Returns those that had supervisors.
fn drop_actors(team: &Team, stopped: &[Stopped], leftovers: &mut Leftovers) -> LostChildren {
    let mut children = LostChildren::default();
    loop {
        while !team.inbox.is_empty() || stopped.iter().any(|worker| worker.core.port.has_mail()) {
            stopped.iter().for_each(|worker| {
                worker.core.receive();
                team.inbox.drain(&worker.core);
            });
        }
        if !bury_all(stopped, leftovers, &mut children) {
            return children;
        }
    }
}

fn dead_letters(stopped: &[Stopped]) -> u64 {
    stopped
        .iter()
        .map(|worker| worker.core.counters().dead_letters.load(Relaxed))
        .sum()
}

/// Ends every actor of these workers; false if there was none.
fn bury_all(stopped: &[Stopped], leftovers: &mut Leftovers, children: &mut LostChildren) -> bool {
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
            crate::signal::end::leave_over(&worker.core, cell, children);
            if !query::is_helper((vtable.name)()) {
                *leftovers.actors.entry((vtable.name)()).or_default() += 1;
            }
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
    /// Panics in what timers ran or held, outside of workers: messages that [`Runtime::tell_every`] had made, and
    /// destructors. All others are in [`WorkerMetrics::panics`].
    pub timer_panics: u64,
}

impl Metrics {
    pub(crate) fn of(team: &Team) -> Self {
        let workers = team.ports.iter().map(|port| port.counters.0.read());
        Self {
            workers: workers.collect(),
            outside_dead_letters: client::dead_letters(),
            timer_panics: team.timer_panics.load(Relaxed),
        }
    }

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
    /// Messages that were dropped: in their mailboxes, put aside by them, or on their way when the workers had stopped. What is sent to them later, by handlers
    /// of blocking actors and by destructors, is sent to actors that are gone.
    pub messages: u64,
    /// Timers that had yet to fire, time-outs of questions included.
    pub timers: usize,
    /// Names of actors that were left, sorted.
    pub names: Vec<String>,
    /// More may have been left: the shutdown was called by what it would have had to wait for, a handler or timer of the runtime, or what these drop. The rest is dropped when that has
    /// returned, and nobody reports it.
    pub incomplete: bool,
}

impl Leftovers {
    /// Of what nobody has waited for.
    pub(crate) fn unknown() -> Self {
        Self {
            incomplete: true,
            ..Self::default()
        }
    }

    /// Whether nothing was left. A report that is [`Leftovers::incomplete`] is not empty.
    pub fn is_empty(&self) -> bool {
        !self.incomplete && self.actors.is_empty() && self.messages == 0 && self.timers == 0
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
        self.incomplete |= other.incomplete;
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
        if self.incomplete {
            f.write_str("\n  and perhaps more, dropped after this report")?;
        }
        Ok(())
    }
}
