//! What users write: actors, and what a handler can do.

use std::marker::PhantomData;

use datil_policy::Role;

use crate::address::Address;
use crate::gate::{self, Mailbox};
use crate::mailbox::cell::{Header, flag};
use crate::recipient::Receiver;
use crate::worker::absence::Inside;
use crate::worker::core::Core;

/// An actor: private state that handles one message at a time.
pub trait Actor: Send + Sized + 'static {
    /// The messages it understands.
    type Msg: Send + 'static;

    /// Whether the actor runs as soon as it is spawned, so that [`Actor::started`] takes place without a message.
    /// With `false`, `started` runs just before the first thing that reaches the actor, and an actor that nothing reaches never runs,
    /// which makes ten million dormant actors cheap. Besides messages that is whatever concerns the actor itself: who watches it
    /// ([`Address::ended`], [`Context::monitor`], [`Context::link`]) and who stops it ([`Address::stop`], [`Address::kill`]).
    const EAGER: bool = true;

    /// What its author knows of the part that actors of this type play. Only the policies `lgs-uc`, `lgs-uw` and
    /// `cls-dealt`, which were made for such hints, listen.
    const HINT: Role = Role::Untold;

    /// How many messages the mailbox takes, and what becomes of one too many.
    const MAILBOX: Mailbox = Mailbox::Unbounded;

    /// Runs once on a worker before the first message, and after each restart by a supervisor. A panic in it ends the actor as one in a handler does.
    fn started(&mut self, cx: &mut Context<'_, Self>) {
        let _ = cx;
    }

    /// Handles one message. A panic stops this actor only.
    fn handle(&mut self, msg: Self::Msg, cx: &mut Context<'_, Self>);

    /// Runs when the actor ends by [`Context::stop`], [`Address::stop`], [`Address::stop_in_turn`], a link, its supervisor or a full mailbox
    /// ([`crate::Overflow::Stop`]), after the handler that runs, if any. It does not run after a panic, [`Address::kill`] or
    /// [`Context::stop_because`] with [`crate::StopReason::Killed`], nor for actors that are left over when the runtime shuts down; `Drop` runs in all cases. A panic in it is one of the actor: counted, reported, and a failure for those who watch.
    fn stopped(&mut self, cx: &mut Context<'_, Self>) {
        let _ = cx;
    }
}

/// The runtime as an actor sees it while it runs.
pub struct Context<'a, A: Actor> {
    /// The worker, for code of its loop, which is inside the core. What handlers call uses it through [`Context::core`].
    pub(crate) engine: &'a Core,
    pub(crate) cell: *mut Header,
    // Neither Send nor Sync, as below.
    pub(crate) actor: PhantomData<*mut A>,
}

/// What would allow a context to be sent: nothing. It is bound to the worker that runs the actor, as its fields say by
/// themselves, but the compiler would name each of them, those of the worker included, to everybody who uses a context in a
/// closure for later.
#[diagnostic::on_unimplemented(
    message = "a context cannot be used after or outside of the handler that got it",
    label = "uses the context of the handler that surrounds it, or sends one",
    note = "a closure that runs in the actor later, as that of `Context::ask`, gets the context of that time as its last \
            argument: use that one"
)]
pub trait MayLeaveItsHandler {}

// SAFETY: nothing implements the trait, so no context is `Send`.
unsafe impl<A: Actor> Send for Context<'_, A> where Self: MayLeaveItsHandler {}
// SAFETY: nor `Sync`.
unsafe impl<A: Actor> Sync for Context<'_, A> where Self: MayLeaveItsHandler {}

impl<'a, A: Actor> Context<'a, A> {
    pub(crate) fn new(core: &'a Core, cell: *mut Header) -> Self {
        Self {
            engine: core,
            cell,
            actor: PhantomData,
        }
    }

    /// The worker, for what is not worth [`Context::tell`]'s shortcut: in a handler nobody may use it without entering it.
    #[inline(always)]
    pub(crate) fn core(&self) -> Inside<'a> {
        Inside::new(self.engine)
    }

    /// The address of this actor.
    #[inline]
    pub fn address(&self) -> Address<A> {
        // SAFETY: a context exists only while its actor runs, so the cell holds a live `A`.
        unsafe { Address::of(self.cell) }
    }

    /// Puts `msg` into the mailbox of `to`, an [`Address`] or a [`crate::Recipient`], before it returns. It never blocks
    /// and is never refused; a message to an actor that has stopped, or whose mailbox is bounded ([`Actor::MAILBOX`]) and
    /// full, is dropped and counted ([`crate::WorkerMetrics::dead_letters`]).
    #[inline(always)]
    pub fn tell<T: Receiver>(&mut self, to: T, msg: T::Msg) {
        to.tell_in(self, msg);
    }

    /// [`Context::tell`] to an address.
    #[inline(always)]
    pub(crate) fn tell_to<B: Actor>(&mut self, to: Address<B>, msg: B::Msg) {
        match gate::enter(to, msg) {
            Ok(msg) => {
                // A context is used in handlers only, which are outside the core. `send` finds out whether it may be entered.
                self.engine.enter();
                self.engine.send_first(to, msg);
                self.engine.leave();
            }
            Err(refused) => gate::refuse(to, refused),
        }
    }

    /// Creates an actor on this worker. [`Actor::started`] runs when this handler has returned, or at once on another
    /// worker that takes it over.
    #[inline(always)]
    pub fn spawn<B: Actor>(&mut self, actor: B) -> Address<B> {
        self.engine.enter();
        self.engine.be_present();
        let address = self.engine.spawn(actor);
        self.engine.leave();
        address
    }

    /// Stops this actor when its handler returns: the rest of its mailbox is dropped (and counted) and its
    /// address goes dead. Calling it twice changes nothing.
    #[inline]
    pub fn stop(&mut self) {
        self.flags(flag::STOPPING);
    }

    /// Sets flags of this actor.
    #[inline(always)]
    pub(crate) fn flags(&self, set: u32) {
        // SAFETY: a context exists only while its actor runs on this worker, which owns it.
        let flags = unsafe { &(*self.cell).flags };
        flags.set(flags.get() | set);
    }

    /// Index of the worker that runs this handler, `0..workers`.
    pub fn worker(&self) -> usize {
        self.engine.index()
    }
}

impl<A: Actor> std::fmt::Debug for Context<'_, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}
