//! Actors that may block: each on a thread of its own.

use std::sync::Arc;

use crate::actor::{Actor, Context};
use crate::address::Address;
use crate::atomic::AtomicBool;
use crate::atomic::Ordering::SeqCst;
use crate::client;
use crate::pool::lock;
use crate::runtime::{Leftovers, Runtime};
use crate::signal::extras::Extras;
use crate::sync::Mutex;
use crate::sync::thread::{self, JoinHandle, ThreadId};
use crate::watch;
use crate::worker::team::Team;

/// A blocking actor's thread.
struct Slot {
    /// Its runtime, until the actor ends or somebody begins to end it.
    runtime: Mutex<Option<Runtime>>,
    /// The same, to be waited for until all of it is gone.
    team: Arc<Team>,
    thread: Option<ThreadId>,
    /// The actor is in its inbox, which may be closed from now on.
    born: AtomicBool,
    /// Whoever ends it waits for its handler.
    awaited: AtomicBool,
    /// Ends it.
    ender: Mutex<Option<JoinHandle<Leftovers>>>,
}

impl Slot {
    fn new(runtime: Runtime) -> Self {
        Self {
            team: runtime.team().clone(),
            thread: runtime.first_thread(),
            runtime: Mutex::new(Some(runtime)),
            born: AtomicBool::new(false),
            awaited: AtomicBool::new(false),
            ender: Mutex::new(None),
        }
    }

    /// Has it ended by a thread of its own. If the system refuses that, [`Blocking::end`] does it.
    fn begin_to_end(self: &Arc<Self>) {
        let mut ender = lock(&self.ender);
        if ender.is_some() || lock(&self.runtime).is_none() {
            return;
        }
        let slot = self.clone();
        let thread = thread::Builder::new().name("datil-end".into());
        *ender = thread.spawn(move || slot.end()).ok();
    }

    /// Ends it, unless the actor has or somebody else does.
    fn end(&self) -> Leftovers {
        let mut runtime = lock(&self.runtime);
        let Some(mut ended) = runtime.take() else {
            return Leftovers::default();
        };
        self.awaited.store(true, SeqCst);
        drop(runtime);
        ended.end(|| self.awaited.store(false, SeqCst))
    }

    /// Waits until all of it is gone, and returns what was left if it did not end by itself. Does not wait if the calling thread is a part of it.
    fn wait(&self) -> Leftovers {
        if self.has_this_thread() {
            return Leftovers::unknown();
        }
        let ender = lock(&self.ender).take();
        let left = match ender {
            Some(ender) => ender.join().expect("who ends a runtime catches all panics"),
            None => self.end(),
        };
        self.team.wait_gone();
        left
    }

    /// Whether the calling thread is its worker, also if it runs a simulation, or drops what that has left; or that of its timers, for which it waits as well; or is one of a blocking actor of its own.
    fn has_this_thread(&self) -> bool {
        self.team.is_here()
            || self.team.timers.are_here()
            || self.thread == Some(thread::current().id())
            || self.team.blocking.have_this_thread()
    }

    /// Whether it runs a handler, or may.
    #[cfg(not(shuttle))]
    fn runs(&self) -> bool {
        match &*lock(&self.runtime) {
            Some(runtime) => runtime.runs(),
            None => self.awaited.load(SeqCst),
        }
    }
}

/// The blocking actors of a runtime.
#[derive(Default)]
pub(crate) struct Blocking(Mutex<Slots>);

#[derive(Default)]
struct Slots {
    all: Vec<Arc<Slot>>,
    /// Those that are left are being ended, and so are new ones.
    ending: bool,
}

impl Blocking {
    fn slots(&self) -> Vec<Arc<Slot>> {
        lock(&self.0).all.clone()
    }

    fn add(&self, slot: Arc<Slot>) {
        let slots = &mut lock(&self.0).all;
        if slots.len() == slots.capacity() {
            slots.retain(|slot| !slot.team.is_gone());
        }
        slots.push(slot);
    }

    /// The actor of a slot that was added is in its inbox.
    fn born(&self, slot: &Arc<Slot>) {
        // Under the lock: either whoever begins to end them finds it born, or we find that they are being ended.
        let slots = lock(&self.0);
        slot.born.store(true, SeqCst);
        if slots.ending {
            slot.begin_to_end();
        }
    }

    /// Begins to end those that are left, and all that are still created. Each is ended by a thread of its own: what one of them, or their parent, runs or
    /// drops may wait for the answer of any other, which comes when that one is over.
    pub(crate) fn begin_to_end(&self) {
        let mut slots = lock(&self.0);
        slots.ending = true;
        let born = slots.all.iter().filter(|slot| slot.born.load(SeqCst));
        born.for_each(Slot::begin_to_end);
    }

    /// Ends those that are left, and waits for those that have ended by themselves; returns what the former left. Nobody creates any more.
    pub(crate) fn end(&self) -> Leftovers {
        self.begin_to_end();
        let mut left = Leftovers::default();
        self.slots().iter().for_each(|slot| left += slot.wait());
        left
    }

    /// Calls `f` with the runtime of each that is left.
    #[cfg(not(shuttle))]
    pub(crate) fn each(&self, mut f: impl FnMut(&Runtime)) {
        self.slots().iter().for_each(|slot| {
            if let Some(runtime) = &*lock(&slot.runtime) {
                f(runtime);
            }
        });
    }

    /// How many of them, and of the blocking actors that these have created, run a handler.
    #[cfg(not(shuttle))]
    pub(crate) fn running(&self) -> usize {
        let slots = self.slots();
        let running = |slot: &Arc<Slot>| usize::from(slot.runs()) + slot.team.blocking.running();
        slots.iter().map(running).sum()
    }

    /// Whether the calling thread is one that the end of any of them waits for.
    pub(crate) fn have_this_thread(&self) -> bool {
        self.slots().iter().any(|slot| slot.has_this_thread())
    }

    /// The teams of those that are not gone, and of the blocking actors that these have created.
    pub(crate) fn teams(&self) -> Vec<Arc<Team>> {
        let slots = self.slots();
        let teams = slots.iter().map(|slot| slot.team.clone());
        let mut teams: Vec<_> = teams.filter(|team| !team.is_gone()).collect();
        let theirs: Vec<_> = teams.iter().flat_map(|team| team.blocking.teams()).collect();
        teams.extend(theirs);
        teams
    }
}

/// A thread whose actor is to come. Dropped without one, it ends.
pub(crate) struct OwnThread(Arc<Slot>);

impl OwnThread {
    /// # Panics
    /// If the system refuses the thread.
    pub(crate) fn start(team: &Team) -> Self {
        let runtime =
            Runtime::for_blocking(team).expect("datil: the system refused the thread for a blocking actor");
        Self(Arc::new(Slot::new(runtime)))
    }

    /// Creates its actor, a part of the runtime for which it was started.
    pub(crate) fn spawn<A: Actor>(self, team: &Team, actor: A, prepare: impl FnOnce(&Extras)) -> Address<A> {
        let Self(slot) = self;
        team.blocking.add(slot.clone());
        let ended = slot.clone();
        let address = client::spawn_prepared(&slot.team, actor, |extras| {
            prepare(extras);
            // When the actor ends its worker takes the runtime out and drops it, which ends the worker. Said before the actor can end: else the calling
            // thread would have to drop it, and wait for that one's destructor.
            watch::when_down(extras, move || {
                let runtime = lock(&ended.runtime).take();
                drop(runtime);
            });
        });
        team.blocking.born(&slot);
        address
    }
}

pub(crate) fn spawn<A: Actor>(team: &Team, actor: A) -> Address<A> {
    OwnThread::start(team).spawn(team, actor, |_| {})
}

impl Runtime {
    /// Creates an actor on a thread of its own, where it may block without holding up others. Its address is like any other; messages to and from it take the way of threads outside.
    ///
    /// The thread ends with the actor. Actors that it creates live on that thread and end with it, so create them elsewhere unless that is wanted; quiescence and shutdown wait for that. It may wait for answers
    /// ([`crate::Answer::wait`]), but while it does, or blocks otherwise, it does not handle messages, urgent ones and stops included; and [`Runtime::shutdown`] waits for it. The shutdown ends its wait for an answer, unless that is one of its own or of others that wait for it in turn.
    /// Its counters are not part of [`Runtime::metrics`], nor its timers of [`Runtime::timers`]: they are cancelled on its thread only, and no others are there.
    ///
    /// One that shall begin anew when it fails is started by [`crate::Supervisor::start_blocking`].
    ///
    /// No two runtimes may own each other by blocking actors, one of each that holds the other [`Runtime`] in its state, say: the end of each waits for the other one's, for ever.
    /// A [`crate::RuntimeHandle`] owns nothing.
    ///
    /// # Panics
    /// If the system refuses the thread, or there are too many workers in the process ([`crate::BuildError::TooManyWorkers`]).
    pub fn spawn_blocking<A: Actor>(&self, actor: A) -> Address<A> {
        spawn(self.team(), actor)
    }
}

impl<A: Actor> Context<'_, A> {
    /// As [`Runtime::spawn_blocking`].
    ///
    /// # Panics
    /// As [`Runtime::spawn_blocking`].
    pub fn spawn_blocking<B: Actor>(&mut self, actor: B) -> Address<B> {
        spawn(&self.engine.team, actor)
    }
}
