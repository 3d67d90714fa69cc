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

/// The runtime of one blocking actor, until the actor ends.
type Slot = Arc<Mutex<Option<Runtime>>>;

/// The blocking actors of a runtime.
#[derive(Default)]
pub(crate) struct Blocking(Mutex<Vec<Slot>>);

impl Blocking {
    fn add(&self, slot: Slot) {
        let mut slots = lock(&self.0);
        if slots.len() == slots.capacity() {
            slots.retain(|slot| lock(slot).is_some());
        }
        slots.push(slot);
    }

    /// Ends those that are left; returns what they left.
    pub(crate) fn end(&self) -> Vec<Leftovers> {
        let slots = std::mem::take(&mut *lock(&self.0));
        let runtimes = slots.iter().filter_map(|slot| lock(slot).take());
        runtimes.map(Runtime::shutdown).collect()
    }

    /// Calls `f` with the runtime of each that is left.
    #[cfg(not(shuttle))]
    pub(crate) fn each(&self, mut f: impl FnMut(&Runtime)) {
        let slots = lock(&self.0).clone();
        slots.iter().for_each(|slot| {
            if let Some(runtime) = &*lock(slot) {
                f(runtime);
            }
        });
    }

    /// The teams of those that are left, and of the blocking actors that these have created.
    pub(crate) fn teams(&self) -> Vec<Arc<Team>> {
        let slots = lock(&self.0).clone();
        let mut teams: Vec<_> = slots
            .iter()
            .filter_map(|slot| lock(slot).as_ref().map(|runtime| runtime.team().clone()))
            .collect();
        let theirs: Vec<_> = teams.iter().flat_map(|team| team.blocking.teams()).collect();
        teams.extend(theirs);
        teams
    }
}

pub(crate) fn spawn<A: Actor>(team: &Team, actor: A) -> Address<A> {
    let runtime =
        Runtime::for_blocking(team).expect("datil: the system refused the thread for a blocking actor");
    let own_team = runtime.team().clone();
    let slot: Slot = Arc::new(Mutex::new(Some(runtime)));
    team.blocking.add(slot.clone());
    // When the actor ends its worker takes the runtime out and drops it, which ends the worker. Known to the actor before
    // it can run: sent afterwards it could find the actor gone, and this thread would drop the runtime, and wait for
    // whatever the actor has created there.
    client::spawn_prepared(&own_team, actor, |extras| {
        watch::when_down(extras, move || {
            let ended = lock(&slot).take();
            drop(ended);
        });
    })
}

impl Runtime {
    /// Creates an actor on a thread of its own, where it may block without holding up others. Its address is like any other; messages to and from it take the way of threads outside.
    ///
    /// The thread ends with the actor. Actors that it creates live on that thread and end with it, so create them elsewhere unless that is wanted. It may wait for answers
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
