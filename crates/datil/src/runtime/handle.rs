//! Creating actors in a runtime that somebody else holds.

use std::fmt;
use std::sync::{Arc, PoisonError, Weak};

use crate::actor::Actor;
use crate::address::Address;
use crate::registry::NameError;
use crate::runtime::Runtime;
use crate::worker::team::Team;
use crate::{blocking, client};

/// Creates and finds actors in a runtime, from any thread and for as long as one likes. Made by [`Runtime::handle`];
/// cloned, it leads to the same runtime. A [`crate::Supervisor`] starts children through it ([`crate::Supervisor::start`]).
///
/// It keeps nothing alive: who holds the [`Runtime`] decides when that is shut down, and that does not wait for handles.
/// From the beginning of the shutdown on a handle refuses, and never blocks. So an actor that was created through one has
/// ended, or is in the report of the shutdown.
///
/// To write to actors, or to ask them, needs no runtime and no handle: [`Address::tell`] and [`Address::ask`] work in every
/// thread; after the shutdown messages are dropped and counted, and a question is answered by [`crate::AskError::Gone`].
///
/// ```
/// use datil::{Actor, Context, ReplyTo, Runtime};
///
/// struct Square;
/// impl Actor for Square {
///     type Msg = (u64, ReplyTo<u64>);
///     fn handle(&mut self, (n, reply): Self::Msg, cx: &mut Context<'_, Self>) {
///         reply.send(n * n);
///         cx.stop();
///     }
/// }
///
/// let runtime = Runtime::builder().workers(2).build()?;
/// let handle = runtime.handle();
/// let thread = std::thread::spawn({
///     let handle = handle.clone();
///     move || handle.spawn(Square).unwrap().ask(|reply| (12, reply)).wait()
/// });
/// assert_eq!(thread.join().unwrap(), Ok(144));
/// assert!(runtime.shutdown().is_empty());
/// let Square = handle.spawn(Square).unwrap_err().into_actor();
/// # Ok::<(), datil::BuildError>(())
/// ```
#[derive(Clone)]
pub struct RuntimeHandle(Weak<Team>);

impl RuntimeHandle {
    /// As [`Runtime::spawn`]. Takes a lock besides, which others that create through handles share and which only the
    /// beginning of the shutdown holds alone.
    ///
    /// # Errors
    /// [`RuntimeOver`] if the runtime has been shut down or is about to be. The actor comes back.
    pub fn spawn<A: Actor>(&self, actor: A) -> Result<Address<A>, RuntimeOver<A>> {
        self.unless_over(actor, client::spawn_from_outside)
    }

    /// As [`Runtime::spawn_blocking`].
    ///
    /// # Errors
    /// As [`RuntimeHandle::spawn`].
    ///
    /// # Panics
    /// As [`Runtime::spawn_blocking`].
    pub fn spawn_blocking<A: Actor>(&self, actor: A) -> Result<Address<A>, RuntimeOver<A>> {
        self.unless_over(actor, blocking::spawn)
    }

    /// As [`Runtime::whereis`].
    ///
    /// # Errors
    /// As [`Runtime::whereis`]. After the shutdown no actor of that runtime is found.
    pub fn whereis<A: Actor>(&self, name: &str) -> Result<Address<A>, NameError> {
        match self.0.upgrade() {
            Some(team) => team.registry.whereis(name),
            None => Err(NameError::Unknown {
                name: name.to_owned(),
            }),
        }
    }

    /// Whether the runtime has been shut down or is about to be. If not, it may be right after.
    pub fn is_over(&self) -> bool {
        self.0.upgrade().is_none_or(|team| team.is_closed())
    }

    pub(crate) fn team(&self) -> Option<Arc<Team>> {
        self.0.upgrade()
    }

    /// Creates an actor, and holds up the beginning of a shutdown meanwhile: what comes to the inbox afterwards might find
    /// it to be another runtime's.
    pub(crate) fn unless_over<A: Actor>(
        &self,
        actor: A,
        spawn: impl FnOnce(&Team, A) -> Address<A>,
    ) -> Result<Address<A>, RuntimeOver<A>> {
        let Some(team) = self.0.upgrade() else {
            return Err(RuntimeOver(actor));
        };
        let closed = team.closed.read().unwrap_or_else(PoisonError::into_inner);
        if *closed {
            return Err(RuntimeOver(actor));
        }
        Ok(spawn(&team, actor))
    }
}

impl fmt::Debug for RuntimeHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RuntimeHandle")
            .field("is_over", &self.is_over())
            .finish()
    }
}

/// The runtime has been shut down or is about to be; the actor was not created and comes back.
pub struct RuntimeOver<A>(A);

impl<A> RuntimeOver<A> {
    /// The actor.
    pub fn into_actor(self) -> A {
        self.0
    }
}

impl<A> fmt::Debug for RuntimeOver<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RuntimeOver(..)")
    }
}

impl<A> fmt::Display for RuntimeOver<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the runtime has been shut down, or is about to be; create the actor in another one")
    }
}

impl<A> std::error::Error for RuntimeOver<A> {}

impl Runtime {
    /// A handle, with which threads create actors here without holding or borrowing the runtime.
    pub fn handle(&self) -> RuntimeHandle {
        RuntimeHandle(Arc::downgrade(self.team()))
    }
}
