//! What the workers of one runtime share.

use crate::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use crate::atomic::{AtomicBool, AtomicU32, AtomicU64, fence};
use std::sync::{Arc, PoisonError};

use datil_policy::{Board, Crowd, Nanos};

use super::absence::Guard;
use super::current;
use super::learning::Classes;
use super::port::{self, ABSENT, ABSENT_LOCKED, CLAIMED, IDLE, LOCKED, LOOK, Port};
use crate::blocking::Blocking;
use crate::inbox::Inbox;
use crate::membarrier;
use crate::pool::lock;
use crate::pressure::Pressure;
use crate::registry::Registry;
use crate::runtime::PanicInfo;
use crate::sync::thread::{self, ThreadId};
use crate::sync::{Condvar, Instant, Mutex, RwLock};
use crate::timer::Timers;

/// Called with every panic in code of users that is caught.
pub(crate) type PanicHook = Arc<dyn Fn(&PanicInfo<'_>) + Send + Sync>;

/// What a runtime takes the time from.
pub(crate) enum Clock {
    /// The system's clock; the moment is when the runtime was built.
    Real(Instant),
    /// A number that a simulation moves on.
    Virtual(AtomicU64),
}

/// What a runtime is there for.
pub(crate) enum Role {
    Main,
    /// For one actor that may block, of a runtime with these names.
    Blocking(Arc<Registry>),
}

/// What the workers of a runtime share. Public for the sealed trait of [`crate::Spawn`] only.
pub struct Team {
    /// Different for every runtime of the process; never 0.
    pub(crate) key: u64,
    pub(crate) ports: Vec<&'static Port>,
    /// What threads outside send and create; also counts the idle workers.
    pub(crate) inbox: &'static Inbox,
    pub(crate) guard: Guard,
    /// There can be a guard: more than one worker, and a system that offers the fence it needs.
    pub(crate) guarded: bool,
    /// Processors that the process could use when this was built.
    pub(crate) processors: u32,
    /// Workers that look for work, if the policy routes.
    pub(crate) searching: AtomicU32,
    /// Those among them that were woken because thefts pay, and whoever is being woken so; see `stint.rs`.
    pub(crate) seeking: AtomicU32,
    /// What policies that learn have learned.
    pub(crate) classes: Classes,
    /// Increases whenever a worker stops being idle.
    pub(crate) epoch: AtomicU64,
    not_before: AtomicU64,
    pause: AtomicU64,
    shared_at: AtomicU64,
    paid: AtomicU32,
    alone: AtomicU64,
    gain: AtomicU64,
    clock: Clock,
    pub(crate) timers: Timers,
    /// Panics in what they ran or held, where no worker was concerned.
    pub(crate) timer_panics: AtomicU64,
    pub(crate) pressure: Pressure,
    /// One for each worker.
    #[cfg(feature = "metrics")]
    pub(crate) meters: Vec<crate::meter::Meter>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) blocking: Blocking,
    /// Its actors may block.
    pub(crate) may_block: bool,
    pub(crate) hook: Option<PanicHook>,
    /// Turn counter of work from outside.
    pub(crate) turn: AtomicU32,
    /// The policy's choice of a worker for work from outside.
    pub(crate) place: fn(u32, u32) -> Option<u32>,
    quiet: Mutex<()>,
    quiet_bell: Condvar,
    waiting_for_quiet: AtomicU32,
    /// Its workers have been told to stop: they will not be idle any more, but gone.
    over: AtomicBool,
    /// As `over`, for handles: shared while one creates an actor, alone to shut down.
    pub(crate) closed: RwLock<bool>,
    /// Its workers have ended, and all that they have left was dropped.
    gone: AtomicBool,
    /// The thread that drops what its workers have left.
    heir: Mutex<Option<ThreadId>>,
}

impl Team {
    pub(crate) fn new(
        ports: Vec<&'static Port>,
        inbox: &'static Inbox,
        hook: Option<PanicHook>,
        place: fn(u32, u32) -> Option<u32>,
        clock: Clock,
        role: Role,
    ) -> Self {
        static KEYS: AtomicU64 = AtomicU64::new(1);
        let guarded = ports.len() > 1 && membarrier::is_available();
        Self {
            key: KEYS.fetch_add(1, Relaxed),
            #[cfg(feature = "metrics")]
            meters: ports.iter().map(|_| Default::default()).collect(),
            ports,
            inbox,
            guard: Guard::default(),
            guarded,
            // Virtual time takes none.
            processors: u32::MAX,
            searching: AtomicU32::new(0),
            seeking: AtomicU32::new(0),
            classes: Classes::default(),
            epoch: AtomicU64::new(0),
            not_before: AtomicU64::new(0),
            pause: AtomicU64::new(0),
            shared_at: AtomicU64::new(0),
            paid: AtomicU32::new(0),
            alone: AtomicU64::new(0),
            gain: AtomicU64::new(0),
            clock,
            timers: Timers::default(),
            timer_panics: AtomicU64::new(0),
            pressure: Pressure::default(),
            may_block: matches!(role, Role::Blocking(_)),
            registry: match role {
                Role::Main => Arc::default(),
                Role::Blocking(registry) => registry,
            },
            blocking: Blocking::default(),
            hook,
            turn: AtomicU32::new(0),
            place,
            quiet: Mutex::new(()),
            quiet_bell: Condvar::new(),
            waiting_for_quiet: AtomicU32::new(0),
            over: AtomicBool::new(false),
            closed: RwLock::default(),
            gone: AtomicBool::new(false),
            heir: Mutex::new(None),
        }
    }

    /// Makes the ports those of this runtime's workers.
    pub(crate) fn join(&self) {
        for (index, port) in self.ports.iter().enumerate() {
            port.counters.0.reset();
            port.rest.0.index.store(index, Relaxed);
            port.rest.0.team.store(self.key, Relaxed);
        }
    }

    /// The worker for the next actor from outside, if it matters.
    pub(crate) fn place(&self) -> Option<&'static Port> {
        let workers = self.ports.len() as u32;
        // A policy that does not mind where does so always: then no turns need be counted, by all threads on one word.
        (self.place)(0, workers)?;
        let chosen = (self.place)(self.turn.fetch_add(1, Relaxed), workers)?;
        Some(self.ports[(chosen % workers) as usize])
    }

    pub(crate) fn now(&self) -> Nanos {
        match &self.clock {
            Clock::Real(born) => born.elapsed().as_nanos() as Nanos,
            Clock::Virtual(now) => now.load(Relaxed),
        }
    }

    /// The time, if it passes only when somebody says so.
    pub(crate) fn virtual_now(&self) -> Option<Nanos> {
        matches!(self.clock, Clock::Virtual(_)).then(|| self.now())
    }

    /// Lets virtual time pass; it never goes back.
    pub(crate) fn advance(&self, to: Nanos) {
        if let Clock::Virtual(now) = &self.clock {
            // One thread does this.
            now.store(now.load(Relaxed).max(to), Relaxed);
        }
    }

    /// The policy's shared memory. The words may be of different moments; policies allow for that.
    pub(crate) fn board(&self) -> Board {
        Board {
            not_before: self.not_before.load(Relaxed),
            pause: self.pause.load(Relaxed),
            shared_at: self.shared_at.load(Relaxed),
            paid: self.paid.load(Relaxed),
            alone: self.alone.load(Relaxed),
            gain: self.gain.load(Relaxed),
        }
    }

    /// Who wants processors. The numbers may be of different moments; policies allow for that.
    pub(crate) fn crowd(&self) -> Crowd {
        let idle = self.inbox.idle.0.load(Relaxed);
        let mut at_work = self.ports.len().saturating_sub(idle) as u32;
        if at_work >= self.processors {
            // Whoever is in a handler for long may be waiting for something.
            let absent = |port: &&&Port| matches!(port.rest.0.state.load(Relaxed), ABSENT | ABSENT_LOCKED);
            at_work = at_work.saturating_sub(self.ports.iter().filter(absent).count() as u32);
        }
        Crowd {
            at_work,
            processors: self.processors,
            sent: self.inbox.sent(),
        }
    }

    pub(crate) fn post(&self, board: Board) {
        self.not_before.store(board.not_before, Relaxed);
        self.pause.store(board.pause, Relaxed);
        self.shared_at.store(board.shared_at, Relaxed);
        self.paid.store(board.paid, Relaxed);
        self.alone.store(board.alone, Relaxed);
        self.gain.store(board.gain, Relaxed);
    }

    /// Takes an idle worker into service for the caller, who then delivers something to it.
    pub(crate) fn claim(&self, not: u16) -> Option<&'static Port> {
        // The guard last: another one would have to be woken for its watch.
        self.claim_if(not, |port| !self.guard.is(port.id))
            .or_else(|| self.claim_if(not, |_| true))
    }

    fn claim_if(&self, not: u16, eligible: impl Fn(&Port) -> bool) -> Option<&'static Port> {
        self.ports.iter().copied().find(|port| {
            let state = &port.rest.0.state;
            // Acquire: what its adopters did, which it must see when it gets up.
            let locked = port.id != not
                && eligible(port)
                && state.load(Relaxed) == IDLE
                && state.compare_exchange(IDLE, LOCKED, Acquire, Relaxed).is_ok();
            if locked {
                // It is counted as busy before it can get up: else it might find nothing yet and count itself as idle once more, and all would seem to
                // idle while the caller is at work.
                self.inbox.idle.0.fetch_sub(1, SeqCst);
                self.epoch.fetch_add(1, SeqCst);
                if port.is_asleep() {
                    self.keep_apart(port, not);
                }
                state.store(CLAIMED, Release);
            }
            locked
        })
    }

    /// Posts a request at an idle worker, and wakes it if it sleeps, as [`Team::claim`] does: apart from those at work. True if it slept.
    pub(crate) fn call_apart(&self, port: &Port, request: u32, caller: u16) -> bool {
        let state = &port.rest.0.state;
        // Acquire and Release: who holds the lock sees what the one before it, or the worker, left of where the thread may be.
        if port.is_asleep() && state.compare_exchange(IDLE, LOCKED, Acquire, Relaxed).is_ok() {
            self.keep_apart(port, caller);
            state.store(IDLE, Release);
        }
        port.call(request)
    }

    /// Keeps a sleeping worker, which the caller has locked and is about to wake, off the processors of those at work, if there is another one.
    #[cold]
    fn keep_apart(&self, sleeper: &Port, waker: u16) {
        let idles = |port: &Port| matches!(port.rest.0.state.load(Relaxed), IDLE | LOCKED);
        let at_work = self.ports.iter().filter(|port| !idles(port));
        if at_work.clone().count() < self.processors as usize {
            let waker = &port::port(waker).spot.0;
            waker.note();
            sleeper.spot.0.keep_off(waker, at_work.map(|port| &port.spot.0));
        }
    }

    /// Whether a worker idles and nobody looks after those in long handlers.
    #[inline(always)]
    pub(crate) fn lacks_a_guard(&self) -> bool {
        self.guarded && self.guard.is_missing() && self.inbox.idle.0.load(Relaxed) > 0
    }

    /// Makes an idle worker the guard; true if one had to be woken for that.
    #[cold]
    pub(crate) fn appoint_guard(&self, not: u16) -> bool {
        let idle = self
            .ports
            .iter()
            .find(|port| port.id != not && port.rest.0.state.load(Relaxed) == IDLE);
        // If it gets something to do before it comes to its watch it resigns.
        idle.is_some_and(|port| self.guard.give(port.id) && self.call_apart(port, LOOK, not))
    }

    /// Called by a worker that went idle when it was the last one to.
    pub(crate) fn announce_quiet(&self) {
        if self.waiting_for_quiet.load(SeqCst) > 0 {
            drop(lock(&self.quiet));
            self.quiet_bell.notify_all();
        }
    }

    /// Whether no worker has anything to do and nothing is on its way to one.
    fn is_quiet(&self) -> bool {
        let epoch = self.epoch.load(SeqCst);
        let all_idle = || self.inbox.idle.0.load(SeqCst) == self.ports.len();
        // Whoever leaves lowers `idle` before it raises `epoch`, so those whom we take for idle leave `epoch` as it was for as long as they are. Between
        // the two looks at both nobody stopped being idle, so nobody took anything from a list before or after we looked at it.
        all_idle() && {
            fence(SeqCst);
            // Before the look at the inbox: a timer that is not pending any more has put its message there.
            !self.timers.are_awaited()
                && self.inbox.is_empty()
                && self.ports.iter().all(|port| !port.has_mail())
                && {
                    fence(SeqCst);
                    all_idle() && self.epoch.load(SeqCst) == epoch
                }
        }
    }

    /// Says that the workers are about to be stopped.
    pub(crate) fn end(&self) {
        *self.closed.write().unwrap_or_else(PoisonError::into_inner) = true;
        self.over.store(true, SeqCst);
    }

    /// Says that the calling thread drops what the workers have left.
    pub(crate) fn inherit(&self) {
        *lock(&self.heir) = Some(thread::current().id());
    }

    /// Says that nothing is left.
    pub(crate) fn be_gone(&self) {
        let guard = lock(&self.quiet);
        self.gone.store(true, SeqCst);
        drop(guard);
        self.quiet_bell.notify_all();
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(SeqCst)
    }

    /// Waits until nothing is left; not on a thread that others wait for in the same way.
    pub(crate) fn wait_gone(&self) {
        if self.is_here() {
            return;
        }
        let mut guard = lock(&self.quiet);
        while !self.is_gone() {
            guard = self
                .quiet_bell
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Whether the calling thread is one of its workers, or drops what these have left.
    pub(crate) fn is_here(&self) -> bool {
        let works = current::with(|core| core.is_some_and(|core| core.team.key == self.key));
        works || *lock(&self.heir) == Some(thread::current().id())
    }

    /// Whether handles create nothing any more.
    pub(crate) fn is_closed(&self) -> bool {
        *self.closed.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Different whenever something has happened between two quiet moments; `None` if this is no quiet moment.
    pub(crate) fn quiet_stamp(&self) -> Option<(u64, u64)> {
        if self.is_gone() {
            return Some((u64::MAX, 0));
        }
        if self.over.load(SeqCst) {
            return None;
        }
        let stamp = (self.epoch.load(SeqCst), self.inbox.progress().0);
        self.is_quiet().then_some(stamp)
    }

    /// Blocks until the workers have nothing left to do, or are gone.
    pub(crate) fn wait_quiet(&self) {
        self.waiting_for_quiet.fetch_add(1, SeqCst);
        let mut guard = lock(&self.quiet);
        while !self.is_gone() && (self.over.load(SeqCst) || !self.is_quiet()) {
            guard = self
                .quiet_bell
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
        drop(guard);
        self.waiting_for_quiet.fetch_sub(1, SeqCst);
    }
}
