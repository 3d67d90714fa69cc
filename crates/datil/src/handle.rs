//! Counted handles: for actors that are to end with their last reference.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use crate::actor::Actor;
use crate::address::Address;
use crate::signal;
use crate::watch::StopInTurn;

/// Stops its actor when the last clone is dropped, behind all messages that whoever held a clone has sent before it dropped that; otherwise as [`Address::stop_in_turn`].
/// (What a [`crate::Client`] has collected counts as sent when it is handed over.)
///
/// Addresses are plain words and keep nothing alive; that is what makes them cheap. Who wants an actor to live as long as somebody can write to it makes a handle of its address, once
/// ([`Handle::new`]), and passes clones of that. Actors that hold handles to each other in a circle, or an actor that holds one to itself, keep each other alive for ever: use [`Handle::downgrade`] for one
/// direction. What is left at the end is in the report of [`crate::Runtime::shutdown`].
///
/// ```
/// # use datil::{Actor, Context, Handle, Runtime};
/// # struct Echo;
/// # impl Actor for Echo {
/// #     type Msg = ();
/// #     fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
/// # }
/// let runtime = Runtime::builder().workers(1).build()?;
/// let handle = Handle::new(runtime.spawn(Echo));
/// let address = *handle;
/// let other = handle.clone();
/// drop(handle);
/// assert!(address.is_alive());
/// let end = address.ended();
/// drop(other);
/// assert!(end.wait().is_ok());
/// # Ok::<(), datil::BuildError>(())
/// ```
pub struct Handle<A: Actor>(Arc<Owner<A>>);

struct Owner<A: Actor>(Address<A>);

impl<A: Actor> Drop for Owner<A> {
    fn drop(&mut self) {
        // By the inbox: others may have sent by it before they dropped their clones, whose last drops (AcqRel in `Arc`) order their records before this one.
        // What this and other actors of the runtime have sent is in the mailbox already.
        signal::send_by_inbox(self.0.target(), StopInTurn);
    }
}

impl<A: Actor> Handle<A> {
    /// Ties the actor's life to the handle and its clones. Two handles made separately for one actor are not counted together: the first that is gone stops it.
    pub fn new(address: Address<A>) -> Self {
        Self(Arc::new(Owner(address)))
    }

    /// A reference that does not count.
    pub fn downgrade(&self) -> WeakHandle<A> {
        WeakHandle(Arc::downgrade(&self.0))
    }

    /// Number of clones, this one included.
    pub fn count(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

impl<A: Actor> Deref for Handle<A> {
    type Target = Address<A>;

    fn deref(&self) -> &Address<A> {
        &self.0.0
    }
}

impl<A: Actor> Clone for Handle<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<A: Actor> fmt::Debug for Handle<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({:?}, {} clones)", **self, self.count())
    }
}

/// A reference to a counted actor that does not keep it alive.
pub struct WeakHandle<A: Actor>(Weak<Owner<A>>);

impl<A: Actor> WeakHandle<A> {
    /// A handle, if there is one left.
    pub fn upgrade(&self) -> Option<Handle<A>> {
        self.0.upgrade().map(Handle)
    }
}

impl<A: Actor> Clone for WeakHandle<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<A: Actor> fmt::Debug for WeakHandle<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WeakHandle({} clones)", self.0.strong_count())
    }
}
