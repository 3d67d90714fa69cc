//! From settings to running workers.

use std::fmt;
use std::sync::{Arc, mpsc};

use datil_policy::topology::Topology;
use datil_policy::{Adaptive, Hostile, Policy, Setup};

use super::{PanicInfo, Runtime};
use crate::inbox;
use crate::placement::{Binding, Memory, Placement, Plan, Wishes};
use crate::sync::Instant;
use crate::sync::thread;
use crate::worker::port::{self, Port};
use crate::worker::run;
use crate::worker::team::{Clock, PanicHook, Role, Team};

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
    pub(super) fn new() -> Self {
        Self {
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

    /// Whether the workers' threads are bound to processing units. Of those that the process may use, workers get one of every core
    /// before a second one of any, node after node, and begin again when all are taken. What came of it is in
    /// [`Runtime::placement`]. Default: [`Binding::Auto`].
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

    /// Called for every panic in code of users that the runtime catches, on the thread where it happened, after the
    /// process's own panic hook:
    ///
    /// * in what actors do: methods, behaviours, queries, continuations, traps ([`crate::Context::trap_links`]), factories
    ///   of supervisors when they restart;
    /// * in what is made on behalf of actors: messages of monitors and of timers;
    /// * in destructors of actors and messages, and of closures that the runtime drops: continuations nobody needs any
    ///   more, timers that are over, and so on;
    /// * of what answers meet on a worker: the waker of the task that waits, and the destructor of an answer for which
    ///   nobody does.
    ///
    /// It is not called where the panic reaches the caller, as that of a factory in [`crate::Supervisor::start`] or of the
    /// closure of [`Runtime::client`]; nor for what a thread outside drops: a message that it sends to an actor that is
    /// gone, or what is an asker's that is gone. A panic in the hook itself is caught and
    /// changes nothing, and so is one in a subscriber of `tracing`. Blocking actors share the hook of their runtime.
    ///
    /// Default: nothing is called; panics are counted in any case ([`crate::WorkerMetrics::panics`],
    /// [`crate::Metrics::timer_panics`]).
    #[must_use]
    pub fn on_panic(mut self, hook: impl Fn(&PanicInfo<'_>) + Send + Sync + 'static) -> Self {
        self.hook = Some(Arc::new(hook));
        self
    }

    /// Starts the workers. Where none of them is nearer to another than any other is, as on a machine with one memory node, they follow
    /// the policy's uniform form ([`Policy::UNIFORM`]); [`Runtime::rules`] says which that is.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build(self) -> Result<Runtime, BuildError> {
        macro_rules! build {
            ($($policy:ident)*) => {
                match self.policy.as_str() {
                    $(datil_policy::$policy::NAME => {
                        self.plan::<datil_policy::$policy>()?.start_by_name(datil_policy::$policy::UNIFORM)
                    })*
                    Hostile::NAME => self.plan::<Hostile>()?.start_by_name(Hostile::UNIFORM),
                    _ => Err(BuildError::UnknownPolicy { name: self.policy }),
                }
            };
        }
        datil_policy::with_policies!(build)
    }

    /// Starts the workers with a policy given as a type, whatever [`Builder::policy`] says and wherever they are.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build_with<P: Policy>(self) -> Result<Runtime, BuildError> {
        self.plan::<P>()?.start::<P>(Role::Main)
    }

    /// Where the workers will be.
    fn plan<P: Policy>(self) -> Result<Planned, BuildError> {
        let workers = self.workers.unwrap_or_else(processors);
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
        Ok(Planned {
            policy: P::NAME,
            workers,
            seats: Plan::new(workers, wishes),
            seed: self.seed,
            hook: self.hook,
        })
    }
}

/// A runtime whose workers know where they will be.
struct Planned {
    policy: &'static str,
    workers: usize,
    seats: Plan,
    seed: u64,
    hook: Option<PanicHook>,
}

impl Planned {
    /// Starts the workers with the policy, or with its uniform form where they are alike.
    fn start_by_name(self, uniform: &'static str) -> Result<Runtime, BuildError> {
        let has_form = uniform != self.policy && self.seats.are_alike();
        let rules = if has_form { uniform } else { self.policy };
        macro_rules! start {
            ($($policy:ident)*) => {
                match rules {
                    $(datil_policy::$policy::NAME => self.start::<datil_policy::$policy>(Role::Main),)*
                    Hostile::NAME => self.start::<Hostile>(Role::Main),
                    unknown => unreachable!("{unknown} was not planned"),
                }
            };
        }
        datil_policy::with_policies!(start)
    }

    /// Starts the workers with a policy.
    fn start<P: Policy>(self, role: Role) -> Result<Runtime, BuildError> {
        let team = form::<P>(self.workers, self.hook, role)?;
        let mut runtime = Runtime {
            team: Some(team),
            threads: Vec::new(),
            policy: self.policy,
            rules: P::NAME,
            placement: Placement { workers: Vec::new() },
            meters: Vec::new(),
        };
        // Dropping the runtime ends the threads that have been started.
        runtime.start::<P>(self.seed, &self.seats)?;
        Ok(runtime)
    }
}

/// Processors that this process may use; 1 if the system does not say.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A team without threads.
fn form<P: Policy>(workers: usize, hook: Option<PanicHook>, role: Role) -> Result<Arc<Team>, BuildError> {
    let ports = lease_ports(workers)?;
    let inbox = inbox::lease(&ports);
    let place = if P::ROUTES { |_, _| None } else { P::place };
    let mut team = Team::new(ports, inbox, hook, place, Clock::Real(Instant::now()), role);
    // Idle workers that poll are all guards.
    team.guarded &= !(P::ROUTES && P::WAKING.polls());
    if workers > 1 {
        // One alone has nobody to give anything to.
        team.processors = u32::try_from(processors()).unwrap_or(u32::MAX);
    }
    let team = Arc::new(team);
    team.join();
    Ok(team)
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

impl Runtime {
    /// A runtime for an actor that may block, as part of another one.
    pub(crate) fn for_blocking(parent: &Team) -> Result<Self, BuildError> {
        let builder = Builder {
            workers: Some(1),
            hook: parent.hook.clone(),
            binding: Binding::Never,
            ..Builder::new()
        };
        let role = Role::Blocking(parent.registry.clone());
        builder.plan::<Adaptive>()?.start::<Adaptive>(role)
    }

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
