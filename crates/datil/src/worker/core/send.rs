//! How actors are made and messages leave.

use std::mem::ManuallyDrop;

use super::{Core, vtable};
use crate::actor::Actor;
use crate::address::{Address, Target};
use crate::atomic::Ordering::{Acquire, Relaxed};
use crate::lost::Lost;
use crate::mailbox::block::{self, Block, Stored};
use crate::mailbox::cell::{
    Header, NOBODY, Pushed, Shape, TRANSIT, append, collect_remote_if_any, flag, push_remote, tag,
};
use crate::signal::extras;
use crate::worker::port::{self, bump};
use crate::worker::toll::Passage;

impl Core {
    #[inline(always)]
    pub(crate) fn spawn<A: Actor>(&self, actor: A) -> Address<A> {
        let flags = if A::EAGER {
            flag::UNSTARTED | flag::SCHEDULED
        } else {
            flag::UNSTARTED
        };
        let cell = Shape::<A>::create(&self.pools, vtable::<A>(), self.me, flags, actor);
        bump(&self.counters().spawned, 1);
        // SAFETY: we have just made the cell.
        let address = unsafe { Address::of(cell) };
        if A::EAGER {
            self.enqueue(cell);
        }
        address
    }

    /// Creates an actor that has extras from the start.
    pub(crate) fn spawn_prepared<A: Actor>(
        &self,
        actor: A,
        prepare: impl FnOnce(&extras::Extras),
    ) -> Address<A> {
        let flags = if A::EAGER {
            flag::UNSTARTED | flag::SCHEDULED
        } else {
            flag::UNSTARTED
        };
        let cell = Shape::<A>::create(&self.pools, vtable::<A>(), self.me, flags, actor);
        bump(&self.counters().spawned, 1);
        // SAFETY: we have just made the cell.
        let address = unsafe {
            prepare(extras::attach(&*cell));
            Address::of(cell)
        };
        if A::EAGER {
            self.enqueue(cell);
        }
        address
    }

    /// Sends a message; the core may be in use besides.
    #[inline(always)]
    pub(crate) fn send<A: Actor>(&self, to: Address<A>, msg: A::Msg) {
        self.send_when::<A, false>(to, msg);
    }

    /// As [`Core::send`] from a handler, which has entered the core for this alone.
    #[inline(always)]
    pub(crate) fn send_first<A: Actor>(&self, to: Address<A>, msg: A::Msg) {
        self.send_when::<A, true>(to, msg);
    }

    #[inline(always)]
    fn send_when<A: Actor, const FIRST: bool>(&self, to: Address<A>, msg: A::Msg) {
        let msg = ManuallyDrop::new(msg);
        let cell = to.cell();
        // SAFETY: a cell's tag is valid for ever. Acquire: somebody else may have made us the owner, and the actor as
        // it was then must be visible.
        let found = unsafe { (*cell).tag.load(Acquire) };
        if found == self.presence.my_tag.load(Relaxed) | u32::from(to.generation()) {
            // SAFETY: the tag says that the actor is alive and ours, and nobody else can change that while we are inside.
            unsafe { self.deliver::<A>(cell, msg) };
        } else {
            // The message goes into a block here and not in the function called, so that it need not lie in memory for the call's
            // sake: most messages never take this way and would pay for that.
            let (block, place) = Stored::<A::Msg>::block(&self.pools);
            // SAFETY: the place is in the block, which is ours.
            unsafe {
                Stored::<A::Msg>::write(place, msg);
                self.send_away::<A, FIRST>(to, block, found);
            }
        }
    }

    /// # Safety
    /// We own the cell, which holds a live `A`.
    #[inline(always)]
    unsafe fn deliver<A: Actor>(&self, cell: *mut Header, msg: ManuallyDrop<A::Msg>) {
        // SAFETY: by the caller.
        unsafe {
            if Shape::<A>::push(&self.pools, cell, msg) {
                self.enqueue(cell);
            }
        }
    }

    /// # Safety
    /// We own the cell.
    #[inline(always)]
    pub(in super::super) unsafe fn schedule(&self, cell: *mut Header) {
        // SAFETY: by the caller.
        let header = unsafe { &*cell };
        let flags = header.flags.get();
        if flags & flag::SCHEDULED == 0 {
            header.flags.set(flags | flag::SCHEDULED);
            self.enqueue(cell);
        }
    }

    /// Queues a cell that is marked as scheduled.
    #[inline(always)]
    pub(crate) fn enqueue(&self, cell: *mut Header) {
        if self.run.push(cell) {
            // Long handlers that make others runnable look up now and then; short ones never come here.
            // SAFETY: the hook belongs to this core.
            unsafe { (self.hooks.poll)(self) };
        }
    }

    /// Sends a signal.
    ///
    /// # Safety
    /// The block is the caller's and holds a signal for the actor; it is handed over.
    pub(crate) unsafe fn send_signal(&self, to: Target, block: *mut Block) {
        let cell = to.cell();
        // SAFETY: a cell's tag is valid for ever. Acquire: as in `send`.
        let found = unsafe { (*cell).tag.load(Acquire) };
        if found == self.presence.my_tag.load(Relaxed) | u32::from(to.generation()) {
            // SAFETY: the tag says that the actor is alive and ours.
            return unsafe { self.admit(cell, block) };
        }
        // SAFETY: by the caller; the block comes back unless it was delivered.
        unsafe {
            let stopped = self.stop_watch();
            let routed = self.route::<false>(to, block, found);
            self.restart_watch(stopped);
            match routed {
                Routed::Delivered => {}
                // What it holds is code of users.
                Routed::Dead => self.quietly("a signal", || crate::signal::lose_on(self, block)),
                Routed::Abroad => self.quietly("a signal", || crate::client::signal(to, block)),
            }
        }
    }

    /// Sends to an actor that is not ours, or not alive.
    ///
    /// # Safety
    /// The block is the caller's and holds one message for the actor; it is handed over.
    #[inline(never)]
    unsafe fn send_away<A: Actor, const FIRST: bool>(&self, to: Address<A>, block: *mut Block, found: u32) {
        // SAFETY: by the caller; the block comes back unless it was delivered.
        unsafe {
            let stopped = self.stop_watch();
            let routed = self.route::<FIRST>(to.target(), block, found);
            self.restart_watch(stopped);
            match routed {
                Routed::Delivered => {}
                Routed::Dead => self.bounce_block::<A>(block),
                Routed::Abroad => self.send_abroad(to, block),
            }
        }
    }

    /// Delivers a block to an actor that is not ours, if it is alive and of this runtime; else the block stays the caller's.
    ///
    /// # Safety
    /// The block is the caller's and holds what the actor understands.
    #[inline(always)]
    unsafe fn route<const FIRST: bool>(&self, to: Target, block: *mut Block, mut found: u32) -> Routed {
        let cell = to.cell();
        if self.is_revoked() {
            if FIRST {
                // Nothing of the core is in use yet that anybody who acts for this worker touches: the block comes out of a pool of ours that nobody else does.
                self.come_in();
            } else {
                self.come_back();
            }
            // SAFETY: a cell's tag is valid for ever.
            found = unsafe { (*cell).tag.load(Acquire) };
            if found == tag(self.me, to.generation()) {
                // SAFETY: the actor is alive and ours.
                unsafe { self.admit(cell, block) };
                return Routed::Delivered;
            }
        }
        let owner = (found >> 16) as u16;
        if found as u16 != to.generation() || owner == NOBODY {
            return Routed::Dead;
        }
        if self.hooks.adopts && owner & TRANSIT == 0 && self.adopt(port::port(owner), cell, found) {
            // SAFETY: the adoption succeeded, so the actor is alive and ours.
            unsafe { self.admit(cell, block) };
            return Routed::Delivered;
        }
        if !crate::client::home(to).is_some_and(|inbox| std::ptr::eq(inbox, self.inbox)) {
            return Routed::Abroad;
        }
        let began = self.toll.begin(Passage::Out, || self.team.now());
        // SAFETY: the block is ours until it is published, and holds a message for the actor of this generation.
        match unsafe {
            (*block).from.set(self.origin.get());
            (*block).waiting.set(self.queued().min(u16::MAX.into()) as u16);
            push_remote(cell, to.generation(), block)
        } {
            Pushed::Delivered => self.note_forwarded(port::port(owner & !TRANSIT)),
            Pushed::WithToken => {
                self.note_forwarded(port::port(owner & !TRANSIT));
                // SAFETY: we hold the token.
                unsafe { self.bring(cell) };
                self.see_to_a_guard();
                if self.hooks.routes && owner & TRANSIT == 0 {
                    let index = port::port(owner).rest.0.index.load(Relaxed);
                    let activation = self.counters().activations.load(Relaxed);
                    self.brought.note(index, activation, || self.team.now());
                }
            }
            Pushed::Dead => return Routed::Dead,
        }
        bump(&self.counters().remote_sends, 1);
        self.toll.end(began, || self.team.now());
        if owner & TRANSIT == 0 {
            self.peer.set(owner);
        }
        if self.hooks.crossings > 0 {
            self.crossings_left.set(self.crossings_left.get() - 1);
            if self.crossings_left.get() == 0 {
                self.crossings_left.set(self.hooks.crossings);
                // SAFETY: the hook belongs to this core.
                unsafe { (self.hooks.crossed)(self) };
            }
        }
        Routed::Delivered
    }

    /// Puts a block into the mailbox of an actor of ours, behind what other workers sent.
    ///
    /// # Safety
    /// We own the cell, which holds a live actor; the block is the caller's and holds what it understands.
    unsafe fn admit(&self, cell: *mut Header, block: *mut Block) {
        // SAFETY: by the caller.
        unsafe {
            collect_remote_if_any(&*cell);
            append(&*cell, block);
            self.schedule(cell);
        }
    }

    /// Sends to an actor of another runtime (or one that has stopped meanwhile) the way all threads do that are not its workers, behind what they sent before.
    ///
    /// # Safety
    /// The block is the caller's and holds one message for the actor; it is handed over.
    #[cold]
    unsafe fn send_abroad<A: Actor>(&self, to: Address<A>, block: *mut Block) {
        // SAFETY: by the caller; after its only message was taken the block is empty.
        let msg = unsafe {
            let (msg, _) = Stored::<A::Msg>::take(block);
            block::free(&self.pools, block);
            msg
        };
        match crate::client::enter(to, msg) {
            Ok(()) => bump(&self.counters().remote_sends, 1),
            Err(msg) => self.bounce(Lost::gone(msg)),
        }
    }

    /// Drops the message of a block whose receiver is gone.
    ///
    /// # Safety
    /// The block is the caller's and holds one message for an `A`; it is handed over.
    unsafe fn bounce_block<A: Actor>(&self, block: *mut Block) {
        // SAFETY: by the caller; after its only message was taken the block is empty.
        let msg = unsafe {
            let (msg, _) = Stored::<A::Msg>::take(block);
            block::free(&self.pools, block);
            msg
        };
        self.bounce(Lost::gone(msg));
    }

    /// Counts and drops a message whose receiver is gone: one that it has not seen is [`Lost`].
    #[cold]
    pub(crate) fn bounce<M>(&self, msg: M) {
        bump(&self.counters().dead_letters, 1);
        self.quietly("a message", || drop(msg));
    }

    /// Makes sure that an idle worker, if there is one, looks after those that are in handlers for long.
    pub(crate) fn see_to_a_guard(&self) {
        if self.team.lacks_a_guard() && self.team.appoint_guard(self.me) {
            bump(&self.counters().wakes, 1);
        }
    }
}

/// What became of a block.
enum Routed {
    Delivered,
    /// The receiver is gone; the block is still the caller's.
    Dead,
    /// The receiver is of another runtime; the block is still the caller's.
    Abroad,
}
