//! Addresses: one word, copied freely, never dangling.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;

use crate::actor::Actor;
use crate::mailbox::cell::{GENERATION_BITS, Header};

/// Where to send messages for one actor.
///
/// An address is one word, `Copy`, and keeps nothing alive. Once its actor has stopped it is dead for ever,
/// also if the memory is used by another actor, and also after the runtime is gone: sending to it is safe and the message is dropped.
pub struct Address<A: Actor> {
    /// Address of the cell in the upper 48 bits, generation of the actor below.
    packed: NonNull<Header>,
    actor: PhantomData<fn(A) -> A>,
}

// SAFETY: the pointer leads to memory that is never unmapped, of which other threads touch only the atomics.
unsafe impl<A: Actor> Send for Address<A> {}
// SAFETY: as above; an address is immutable.
unsafe impl<A: Actor> Sync for Address<A> {}

impl<A: Actor> Address<A> {
    /// # Safety
    /// `cell` must hold a live actor of type `A`, and the caller must own it.
    #[inline(always)]
    pub(crate) unsafe fn of(cell: *mut Header) -> Self {
        // SAFETY: the caller vouches for the cell; its tag is atomic.
        let generation = unsafe { (*cell).tag.load(Relaxed) } as u16;
        let packed = cell.map_addr(|addr| addr << GENERATION_BITS | usize::from(generation));
        // SAFETY: a cell's address is not zero and has at most 48 significant bits, so some bit of it is left.
        let packed = unsafe { NonNull::new_unchecked(packed) };
        Self {
            packed,
            actor: PhantomData,
        }
    }

    #[inline(always)]
    pub(crate) fn cell(self) -> *mut Header {
        self.packed.as_ptr().map_addr(|addr| addr >> GENERATION_BITS)
    }

    #[inline(always)]
    pub(crate) fn generation(self) -> u16 {
        self.packed.as_ptr().addr() as u16
    }

    /// Sends `msg` from any thread, worker or not. On a worker of the actor's runtime it is in the mailbox when this returns,
    /// else in the runtime's inbox, behind everything that such threads sent before. Never blocks and is
    /// never refused; a message to an actor that has stopped is dropped and counted.
    ///
    /// Inside a handler [`crate::Context::tell`] does the same and saves looking up the worker. For many sends from
    /// outside see [`crate::Runtime::client`].
    #[inline]
    pub fn tell(self, msg: A::Msg) {
        crate::worker::current::with(|core| match core {
            Some(core) => core.send(self, msg),
            None => crate::client::tell_from_outside(self, msg),
        });
    }
}

impl<A: Actor> Clone for Address<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Actor> Copy for Address<A> {}

impl<A: Actor> PartialEq for Address<A> {
    fn eq(&self, other: &Self) -> bool {
        self.packed == other.packed
    }
}

impl<A: Actor> Eq for Address<A> {}

impl<A: Actor> Hash for Address<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.packed.hash(state);
    }
}

impl<A: Actor> fmt::Debug for Address<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({:x}:{})", self.cell().addr(), self.generation())
    }
}
