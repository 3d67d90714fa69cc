//! Actors that may block: each on a thread of its own.

use std::sync::Arc;

use crate::actor::{Actor, Context};
use crate::address::Address;
use crate::client;
use crate::pool::lock;
use crate::runtime::{Leftovers, Runtime};
use crate::sync::Mutex;
use crate::watch;
use crate::worker::team::Team;

/// A blocking actor's thread.
struct Slot {
    /// Its runtime, until the actor ends.
    runtime: Mutex<Option<Runtime>>,
    /// The same, to be waited for until all of it is gone.
    team: Arc<Team>,
}

/// The blocking actors of a runtime.
#[derive(Default)]
pub(crate) struct Blocking(Mutex<Vec<Arc<Slot>>>);

impl Blocking {
    fn add(&self, slot: Arc<Slot>) {
        let mut slots = lock(&self.0);
        if slots.len() == slots.capacity() {
            slots.retain(|slot| !slot.team.is_gone());
        }
        slots.push(slot);
    }

    /// Ends those that are left, and waits for those that have ended by themselves; returns what the former left.
    pub(crate) fn end(&self) -> Vec<Leftovers> {
        let slots = std::mem::take(&mut *lock(&self.0));
        let runtimes = slots.iter().filter_map(|slot| lock(&slot.runtime).take());
        let left = runtimes.map(Runtime::shutdown).collect();
        slots.iter().for_each(|slot| slot.team.wait_gone());
        left
    }

    /// Calls `f` with the runtime of each that is left.
    #[cfg(not(shuttle))]
    pub(crate) fn each(&self, mut f: impl FnMut(&Runtime)) {
        let slots = lock(&self.0).clone();
        slots.iter().for_each(|slot| {
            if let Some(runtime) = &*lock(&slot.runtime) {
                f(runtime);
            }
        });
    }

    /// The teams of those that are not gone, and of the blocking actors that these have created.
    pub(crate) fn teams(&self) -> Vec<Arc<Team>> {
        let slots = lock(&self.0).clone();
        let teams = slots.iter().map(|slot| slot.team.clone());
        let mut teams: Vec<_> = teams.filter(|team| !team.is_gone()).collect();
        let theirs: Vec<_> = teams.iter().flat_map(|team| team.blocking.teams()).collect();
        teams.extend(theirs);
        teams
    }
}

pub(crate) fn spawn<A: Actor>(team: &Team, actor: A) -> Address<A> {
    let runtime =
        Runtime::for_blocking(team).expect("datil: the system refused the thread for a blocking actor");
    let slot = Arc::new(Slot {
        team: runtime.team().clone(),
        runtime: Mutex::new(Some(runtime)),
    });
    team.blocking.add(slot.clone());
    let theirs = slot.team.clone();
    client::spawn_prepared(&theirs, actor, |extras| {
        // When the actor ends its worker takes the runtime out and drops it, which ends the worker. Said before the actor can end: else the calling thread
        // would have to drop it, and wait for that one's destructor.
        watch::when_down(extras, move || {
            let ended = lock(&slot.runtime).take();
            drop(ended);
        });
    })
}

impl Runtime {
    /// Creates an actor on a thread of its own, where it may block without holding up others. Its address is like any other; messages to and from it take the way of threads outside.
    ///
    /// The thread ends with the actor. Actors that it creates live on that thread and end with it, so create them elsewhere unless that is wanted; quiescence and shutdown wait for that. It may wait for answers
    /// ([`crate::Answer::wait`]), but while it does, or blocks otherwise, it does not handle messages, urgent ones and stops included; and [`Runtime::shutdown`] waits for it.
    /// Its counters are not part of [`Runtime::metrics`].
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
