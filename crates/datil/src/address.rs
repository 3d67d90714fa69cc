//! Addresses: one word, copied freely, never dangling.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::actor::Actor;
use crate::atomic::Ordering::{Acquire, Relaxed};
use crate::mailbox::cell::{GENERATION_BITS, Header, NOBODY};

/// An actor of any type: its cell in the upper 48 bits, its generation below.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Target(NonNull<Header>);

// SAFETY: the pointer leads to memory that is never unmapped, of which other threads touch only the atomics.
unsafe impl Send for Target {}
// SAFETY: as above; a target is immutable.
unsafe impl Sync for Target {}

impl Target {
    /// # Safety
    /// `cell` must hold a live actor, and the caller must own it.
    #[inline(always)]
    pub(crate) unsafe fn of(cell: *mut Header) -> Self {
        // SAFETY: the caller vouches for the cell; its tag is atomic.
        let generation = unsafe { (*cell).tag.load(Relaxed) } as u16;
        let packed = cell.map_addr(|addr| addr << GENERATION_BITS | usize::from(generation));
        // SAFETY: a cell's address is not zero and has at most 48 significant bits, so some bit of it is left.
        Self(unsafe { NonNull::new_unchecked(packed) })
    }

    #[inline(always)]
    pub(crate) fn cell(self) -> *mut Header {
        self.0.as_ptr().map_addr(|addr| addr >> GENERATION_BITS)
    }

    #[inline(always)]
    pub(crate) fn generation(self) -> u16 {
        self.0.as_ptr().addr() as u16
    }

    /// Whether the actor has not stopped yet. It may do so at any time after.
    pub(crate) fn is_alive(self) -> bool {
        // SAFETY: a cell's tag is valid for ever.
        let found = unsafe { (*self.cell()).tag.load(Acquire) };
        found as u16 == self.generation() && (found >> 16) as u16 != NOBODY
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}:{}", self.cell().addr(), self.generation())
    }
}

/// Which actor, whatever its type: unique within the process for ever. To be compared, hashed and printed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ActorId(pub(crate) Target);

impl fmt::Debug for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ActorId({:?})", self.0)
    }
}

/// Where to send messages for one actor.
///
/// An address is one word, `Copy`, and keeps nothing alive. Once its actor has stopped it is dead for ever,
/// also if the memory is used by another actor, and also after the runtime is gone: sending to it is safe and the message is dropped.
pub struct Address<A: Actor> {
    target: Target,
    actor: PhantomData<fn(A) -> A>,
}

impl<A: Actor> Address<A> {
    /// # Safety
    /// `cell` must hold a live actor of type `A`, and the caller must own it.
    #[inline(always)]
    pub(crate) unsafe fn of(cell: *mut Header) -> Self {
        // SAFETY: by the caller.
        unsafe { Self::to(Target::of(cell)) }
    }

    /// # Safety
    /// The target was made when its cell held an `A`.
    #[inline(always)]
    pub(crate) unsafe fn to(target: Target) -> Self {
        Self {
            target,
            actor: PhantomData,
        }
    }

    #[inline(always)]
    pub(crate) fn target(self) -> Target {
        self.target
    }

    #[inline(always)]
    pub(crate) fn cell(self) -> *mut Header {
        self.target.cell()
    }

    #[inline(always)]
    pub(crate) fn generation(self) -> u16 {
        self.target.generation()
    }

    /// Which actor this is.
    pub fn id(self) -> ActorId {
        ActorId(self.target)
    }

    /// Whether the actor has not stopped yet. It may stop right after; to be told when it does, see [`crate::Context::monitor`].
    pub fn is_alive(self) -> bool {
        self.target.is_alive()
    }

    /// Sends `msg` from any thread, worker or not. On a worker of the actor's runtime it is in the mailbox when this returns,
    /// else in the runtime's inbox, behind everything that such threads sent before. Never blocks and is
    /// never refused; a message to an actor that has stopped, or whose mailbox is bounded ([`Actor::MAILBOX`]) and full, is
    /// dropped and counted ([`crate::WorkerMetrics::dead_letters`], from threads outside
    /// [`crate::Metrics::outside_dead_letters`]).
    ///
    /// Inside a handler [`crate::Context::tell`] does the same and saves looking up the worker. For many sends from
    /// outside see [`crate::Runtime::client`].
    #[inline]
    pub fn tell(self, msg: A::Msg) {
        match crate::gate::enter(self, msg) {
            Ok(msg) => self.tell_admitted(msg),
            Err(refused) => crate::gate::refuse(self, refused),
        }
    }

    /// Sends a message that a bounded mailbox has been asked about.
    #[inline]
    pub(crate) fn tell_admitted(self, msg: A::Msg) {
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
        self.target == other.target
    }
}

impl<A: Actor> Eq for Address<A> {}

impl<A: Actor> Hash for Address<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.target.hash(state);
    }
}

impl<A: Actor> fmt::Debug for Address<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({:?})", self.target)
    }
}
