//! The worker as its actors see it: private queues and pools, sending, spawning, the fate of an actor.
//!
//! A core is used by its worker thread alone. Every field is a `Cell` or the like, so that code of users may
//! re-enter at each of the points where it runs: handlers, hooks and destructors.

use crate::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use datil_policy::{Encounter, Stint};

use super::absence::{Patrol, Presence};
use super::port::{self, ABSENT, ABSENT_LOCKED, CLAIMED, Chain, Counters, IDLE, LOCKED, Port, bump};
use super::queue::Queue;
use super::routed::Showcase;
use super::team::Team;
use super::toll::{Passage, Toll};
use crate::actor::{Actor, Context};
use crate::address::{ActorId, Address, Target};
use crate::gate;
use crate::inbox::Inbox;
use crate::mailbox::block::{self, Block, Stored};
use crate::mailbox::cell::{
    EMPTY, Header, LAST_GENERATION, NOBODY, Pushed, Shape, TOKEN, TRANSIT, VTable, append, collect_remote,
    collect_remote_if_any, flag, push_remote, remote_word, split_remote, tag, take_token,
};
use crate::pool::Pools;
use crate::runtime::PanicInfo;
use crate::signal::attend::{self, Step};
use crate::signal::{self, extras};
use crate::sync::Instant;
use crate::trace;

/// Where the policy takes part in what happens inside handlers.
pub(crate) struct Hooks {
    /// Now and then when an actor becomes runnable: share, drain the inbound list.
    pub(crate) poll: unsafe fn(&Core),
    /// Every `crossings`th send to another worker.
    pub(crate) crossed: unsafe fn(&Core),
    /// A message from another worker found its receiver idle.
    pub(crate) follow: unsafe fn(&Core, Encounter) -> bool,
    /// A message from another worker found its receiver idle, and the policy routes; true if the actor has left.
    pub(crate) redirect: unsafe fn(&Core, *mut Header) -> bool,
    /// A token was brought to this worker, and the policy routes.
    pub(crate) insist: unsafe fn(&Core, &'static Port),
    /// The policy decides on the queue of every actor that becomes runnable; see `routed.rs`.
    pub(crate) routes: bool,
    pub(crate) crossings: u32,
    pub(crate) adopts: bool,
    pub(crate) follows: bool,
}

pub(crate) struct Core {
    pub(crate) me: u16,
    pub(crate) presence: Presence,
    /// What this worker saw of the others when it last was the guard.
    pub(crate) patrol: RefCell<Patrol>,
    batch: u32,
    /// Messages that the running actor may still handle before it goes behind the others.
    pub(crate) left: Cell<u32>,
    pub(crate) pools: Pools,
    pub(crate) run: Queue,
    pub(crate) yielded: Queue,
    pub(crate) port: &'static Port,
    pub(crate) team: Arc<Team>,
    /// The team's, at hand.
    pub(crate) inbox: &'static Inbox,
    /// This worker is the team's only one, so nobody else ever pushes into its actors' remote lists.
    alone: bool,
    /// The policy's state; only hooks and the worker's loop know its type.
    pub(crate) policy: *mut (),
    pub(crate) hooks: &'static Hooks,
    /// What this worker shows of its queue if the policy routes.
    pub(crate) showcase: Showcase,
    /// Who sends just now: this worker's port, or 0 while records of outside threads are handled and the policy routes.
    pub(crate) origin: Cell<u16>,
    /// The actor that runs.
    pub(crate) current: Cell<*mut Header>,
    crossings_left: Cell<u32>,
    /// The worker that was last written to.
    pub(crate) peer: Cell<u16>,
    /// Somebody to whom everything goes at the next opportunity, 0 for nobody.
    pub(crate) retreat_to: Cell<u16>,
    /// To whom everything went last, 0 for nobody since work was last divided anew: actors that were idle then go there, too, when they are written to from there.
    pub(crate) reunited_with: Cell<u16>,
    /// There is something to see to before the next activation that this worker alone knows of: `retreat_to`, `watches`.
    pub(crate) errand: Cell<bool>,
    /// Activations, counted as in `counters`, at which the worker looks around.
    pub(crate) look_at: Cell<u64>,
    /// The activation at which it last told the policy what waits.
    pub(crate) watched_at: Cell<u64>,
    /// When the worker was last claimed, and the counts then; the policy is told what came of it.
    trial: Cell<Option<Stint>>,
    pub(crate) toll: Toll,
    /// The inbound list is being handled; it must not be entered again.
    pub(crate) receiving: Cell<bool>,
    /// This worker watches while it is idle whether the inbox is emptied.
    pub(crate) watches: Cell<bool>,
    /// The last thing this worker did was to take records from the inbox and what followed from them.
    pub(crate) took: Cell<bool>,
    /// Position of the inbox when this worker, at work, last found that another one should take records, and when that was.
    pub(crate) kept_waiting: Cell<Option<(u64, Instant)>>,
}

impl Core {
    pub(crate) fn new(
        port: &'static Port,
        team: Arc<Team>,
        batch: u32,
        policy: *mut (),
        hooks: &'static Hooks,
    ) -> Self {
        Self {
            me: port.id,
            presence: Presence::new(port.id),
            patrol: RefCell::default(),
            batch,
            left: Cell::new(batch),
            pools: Pools::new(),
            run: Queue::new(),
            yielded: Queue::new(),
            port,
            inbox: team.inbox,
            alone: team.ports.len() == 1,
            team,
            policy,
            hooks,
            showcase: Showcase::default(),
            origin: Cell::new(port.id),
            current: Cell::new(ptr::null_mut()),
            crossings_left: Cell::new(hooks.crossings),
            peer: Cell::new(0),
            retreat_to: Cell::new(0),
            reunited_with: Cell::new(0),
            errand: Cell::new(false),
            look_at: Cell::new(0),
            watched_at: Cell::new(0),
            trial: Cell::new(None),
            toll: Toll::new(hooks.crossings > 0),
            receiving: Cell::new(false),
            watches: Cell::new(false),
            took: Cell::new(false),
            kept_waiting: Cell::new(None),
        }
    }

    pub(crate) fn index(&self) -> usize {
        self.port.rest.0.index.load(Relaxed)
    }

    pub(crate) fn counters(&self) -> &'static Counters {
        &self.port.counters.0
    }

    pub(crate) fn queued(&self) -> usize {
        self.run.len() + self.yielded.len()
    }

    /// Counts a message that is about to be handled.
    #[inline(always)]
    pub(crate) fn count(&self) {
        self.left.set(self.left.get() - 1);
    }

    /// Counts the messages of the activation that has ended; the next one has its full batch.
    #[inline(always)]
    pub(crate) fn tally(&self) {
        let handled = self.batch - self.left.replace(self.batch);
        bump(&self.counters().messages, u64::from(handled));
    }

    /// What this worker has done so far.
    fn so_far(&self) -> Stint {
        let counters = self.counters();
        Stint {
            began: self.team.now(),
            messages: counters.messages.load(Relaxed),
            toll: self.toll.paid(),
        }
    }

    /// Notes that this worker was claimed to get work from another.
    pub(crate) fn begin_trial(&self) {
        self.trial.set(Some(self.so_far()));
    }

    /// The trial is over because the work is on one worker again: what this one does from now on says nothing about it.
    pub(crate) fn forget_trial(&self) {
        self.trial.set(None);
    }

    /// What came of the last claim so far, if nobody has been told at its end.
    pub(crate) fn trial(&self) -> Option<Stint> {
        let (before, now) = (self.trial.get()?, self.so_far());
        Some(Stint {
            began: before.began,
            messages: now.messages - before.messages,
            toll: now.toll - before.toll,
        })
    }

    /// What came of the last claim, if nobody has been told yet.
    pub(crate) fn end_trial(&self) -> Option<Stint> {
        let stint = self.trial();
        self.trial.set(None);
        stint
    }

    /// Messages handled, those of the activation that runs included.
    #[cfg(feature = "metrics")]
    pub(crate) fn messages_so_far(&self) -> u64 {
        self.counters().messages.load(Relaxed) + u64::from(self.batch - self.left.get())
    }

    // ---- spawning and sending ------------------------------------------------------------------------------

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

    #[inline(always)]
    pub(crate) fn send<A: Actor>(&self, to: Address<A>, msg: A::Msg) {
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
                self.send_away(to, block, found);
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
    unsafe fn schedule(&self, cell: *mut Header) {
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
            let routed = self.route(to, block, found);
            self.restart_watch(stopped);
            match routed {
                Routed::Delivered => {}
                Routed::Dead => crate::signal::lose(block),
                Routed::Abroad => crate::client::signal(to, block),
            }
        }
    }

    /// Sends to an actor that is not ours, or not alive.
    ///
    /// # Safety
    /// The block is the caller's and holds one message for the actor; it is handed over.
    #[inline(never)]
    unsafe fn send_away<A: Actor>(&self, to: Address<A>, block: *mut Block, found: u32) {
        // SAFETY: by the caller; the block comes back unless it was delivered.
        unsafe {
            let stopped = self.stop_watch();
            let routed = self.route(to.target(), block, found);
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
    unsafe fn route(&self, to: Target, block: *mut Block, mut found: u32) -> Routed {
        let cell = to.cell();
        if self.is_revoked() {
            self.come_back();
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
        if !crate::client::home(to).is_some_and(|inbox| ptr::eq(inbox, self.inbox)) {
            return Routed::Abroad;
        }
        let began = self.toll.begin(Passage::Out, || self.team.now());
        // SAFETY: the block is ours until it is published, and holds a message for the actor of this generation.
        match unsafe {
            (*block).from.set(self.origin.get());
            (*block).hungry.set(self.queued() == 0);
            push_remote(cell, to.generation(), block)
        } {
            Pushed::Delivered => {}
            Pushed::WithToken => {
                // SAFETY: we hold the token.
                unsafe { self.bring(cell) };
                self.see_to_a_guard();
                if self.hooks.routes && owner & TRANSIT == 0 {
                    // SAFETY: the hook belongs to this core.
                    unsafe { (self.hooks.insist)(self, port::port(owner)) };
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
            Err(msg) => self.bounce(msg),
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
        self.bounce(msg);
    }

    /// Drops a message whose receiver is gone.
    #[cold]
    pub(crate) fn bounce<M>(&self, msg: M) {
        bump(&self.counters().dead_letters, 1);
        self.quietly("a message", || drop(msg));
    }

    /// Brings a token to the owner of its cell.
    ///
    /// # Safety
    /// We hold the token.
    pub(crate) unsafe fn bring(&self, cell: *mut Header) {
        // SAFETY: by the caller; while a token is out the cell has an owner with a port.
        if unsafe { bring_token(cell) } {
            bump(&self.counters().wakes, 1);
        }
    }

    /// Makes sure that an idle worker, if there is one, looks after those that are in handlers for long.
    pub(crate) fn see_to_a_guard(&self) {
        if self.team.lacks_a_guard() && self.team.appoint_guard(self.me) {
            bump(&self.counters().wakes, 1);
        }
    }

    /// Makes an actor of an idle or absent worker ours.
    fn adopt(&self, from: &'static Port, cell: *mut Header, found: u32) -> bool {
        let rest = &from.rest.0;
        let state = rest.state.load(Relaxed);
        let locked = match state {
            IDLE => LOCKED,
            ABSENT => ABSENT_LOCKED,
            _ => return false,
        };
        if rest.team.load(Relaxed) != self.team.key {
            return false;
        }
        // Acquire: what the worker, or the last adopter, did to its actors is visible.
        if rest
            .state
            .compare_exchange(state, locked, Acquire, Relaxed)
            .is_err()
        {
            return false;
        }
        // Under the lock the worker cannot get up or come back and nobody else can adopt, so this tag is stable.
        // SAFETY: a cell's tag is valid for ever.
        let tag_now = unsafe { &(*cell).tag };
        // An idle worker's actors are all idle; of an absent worker's one runs, and some may be queued.
        // SAFETY: we have locked the owner, whose runtime is ours.
        let free = |cell| unsafe { Self::is_free(from, cell) };
        let ours = tag_now.load(Acquire) == found && (state == IDLE || free(cell));
        if ours {
            tag_now.store(tag(self.me, found as u16), Release);
            self.toll.moved();
            bump(&self.counters().adoptions, 1);
        }
        rest.state.store(state, Release);
        ours
    }

    // ---- what arrives -----------------------------------------------------------------------------------

    /// Handles everything that has arrived.
    pub(crate) fn receive(&self) {
        if self.receiving.replace(true) {
            return;
        }
        let began = self.toll.begin(Passage::In, || self.team.now());
        for cell in self.port.take_all() {
            // SAFETY: what is in our list is ours to handle.
            unsafe { self.handle_token(cell) };
        }
        self.receiving.set(false);
        self.toll.end(began, || self.team.now());
    }

    /// # Safety
    /// We hold the cell's token.
    pub(crate) unsafe fn handle_token(&self, cell: *mut Header) {
        // SAFETY: by the caller; which of the cell's parts we may touch follows from the owner.
        unsafe {
            let header = &*cell;
            let found = header.tag.load(Acquire);
            let owner = (found >> 16) as u16;
            if owner == self.me {
                if header.flags.get() & flag::DEAD != 0 {
                    self.release_dead(cell);
                } else if !(self.hooks.follows && self.follow(cell))
                    && collect_remote(header, EMPTY).blocks > 0
                {
                    self.schedule(cell);
                }
            } else if owner & TRANSIT != 0 {
                self.toll.moved();
                self.accept(cell, found as u16);
            } else {
                self.bring(cell);
            }
        }
    }

    /// Makes an actor that was given to us ours.
    ///
    /// # Safety
    /// The cell is in transit and came through our inbound list, so we hold its token.
    pub(crate) unsafe fn accept(&self, cell: *mut Header, generation: u16) {
        // SAFETY: by the caller.
        let header = unsafe { &*cell };
        header.flags.set(header.flags.get() | flag::HOLDS);
        header.tag.store(tag(self.me, generation), Release);
        if header.flags.get() & flag::SCHEDULED != 0 {
            self.enqueue(cell);
            return;
        }
        // SAFETY: we own the cell and hold its token, which we give up.
        let collected = unsafe {
            header.flags.set(header.flags.get() & !flag::HOLDS);
            collect_remote(header, EMPTY)
        };
        if collected.blocks > 0 {
            // SAFETY: we own the cell.
            unsafe { self.schedule(cell) };
        }
    }

    /// Sends an idle actor to the worker that wrote to it, if the policy wants that.
    ///
    /// # Safety
    /// We own the cell and hold its token.
    unsafe fn follow(&self, cell: *mut Header) -> bool {
        if self.hooks.routes {
            // SAFETY: by the caller; the hook belongs to this core.
            return unsafe { (self.hooks.redirect)(self, cell) };
        }
        // SAFETY: by the caller. Blocks in the list are not changed by anybody before the owner takes them.
        let (header, from, hungry, alone) = unsafe {
            let header = &*cell;
            let (list, _) = split_remote(header.remote.load(Acquire));
            if list.addr() <= TOKEN || header.flags.get() & flag::SCHEDULED != 0 {
                return false;
            }
            (
                header,
                (*list).from.get(),
                (*list).hungry.get(),
                (*list).next.get().is_null(),
            )
        };
        if from == 0 || from == self.me || port::port(from).rest.0.team.load(Relaxed) != self.team.key {
            return false;
        }
        let flags = header.flags.get();
        let before = if (flags >> flag::FRIEND_SHIFT) as u16 == from {
            (flags & flag::STREAK) >> flag::STREAK_SHIFT
        } else {
            0
        };
        let streak = (before + 1).min(0x7F);
        let noted =
            flags & !flag::FOLLOW | streak << flag::STREAK_SHIFT | u32::from(from) << flag::FRIEND_SHIFT;
        header.flags.set(noted);
        let met = Encounter {
            hungry: hungry && alone,
            streak,
            backlog: self.queued(),
            reunion: from == self.reunited_with.get(),
            awake: !port::port(from).is_asleep(),
        };
        // SAFETY: the hook belongs to this core.
        if !unsafe { (self.hooks.follow)(self, met) } {
            return false;
        }
        header.flags.set(noted & !flag::FOLLOW);
        let generation = header.tag.load(Relaxed) as u16;
        bump(&self.counters().follows, 1);
        // The remote list stays as it is and the token with it: the receiver takes both.
        header.tag.store(tag(TRANSIT | from, generation), Release);
        // SAFETY: we hold the token and hand it over.
        if unsafe { port::port(from).deliver_one(cell) } {
            bump(&self.counters().wakes, 1);
        }
        true
    }

    // ---- giving work away -----------------------------------------------------------------------------------

    /// Hands up to `count` of our oldest runnable actors to `to`; returns how many.
    pub(crate) fn give(&self, count: usize, to: &'static Port) -> usize {
        let mut chain = Chain::new();
        let (mut given, mut kept) = (0, Vec::new());
        let from_yielded = count.min(self.queued()) * self.yielded.len() / self.queued().max(1);
        for i in 0..count.min(self.queued()) {
            let next = if i < from_yielded {
                self.yielded.pop_oldest()
            } else {
                self.run.pop_oldest()
            };
            let Some(cell) = next.or_else(|| self.yielded.pop_oldest()) else {
                break;
            };
            // SAFETY: what is in our queues is ours.
            unsafe {
                if !take_token(&*cell) {
                    // The token is on its way to us; until it is here the actor cannot be handed on.
                    kept.push(cell);
                    continue;
                }
                let generation = (*cell).tag.load(Relaxed) as u16;
                (*cell).tag.store(tag(TRANSIT | to.id, generation), Release);
                chain.add(cell);
            }
            given += 1;
        }
        kept.into_iter().for_each(|cell| {
            self.run.push(cell);
        });
        if to.deliver(chain) {
            bump(&self.counters().wakes, 1);
        }
        given
    }

    /// Takes back what was given to a worker that has not got up for it, and what has arrived for it since; false if it has got up.
    pub(crate) fn take_back(&self, from: &'static Port) -> bool {
        let state = &from.rest.0.state;
        // Acquire: its actors as it, or the last adopter, left them.
        if state.compare_exchange(CLAIMED, LOCKED, Acquire, Relaxed).is_err() {
            return false;
        }
        for cell in from.take_all() {
            // SAFETY: under the lock the worker cannot get up, and as it idles it runs no handler. The list made the token ours.
            unsafe { self.handle_token_for(from.id, cell) };
        }
        // As whoever claimed it found it. We are running, so this does not make all idle.
        self.inbox.idle.0.fetch_add(1, SeqCst);
        // Release: who locks it next, and the worker when it gets up, sees what we did.
        state.store(IDLE, Release);
        true
    }

    // ---- the end of an actor ---------------------------------------------------------------------------

    /// Ends an actor's remote list: leaves a word there that no sender accepts, and returns what was there.
    #[inline(always)]
    fn close(&self, header: &Header, word: *mut Block) -> *mut Block {
        if self.alone {
            // Only workers of the same team push, and what others send comes through the inbox: an exchange, the dearest part of a short
            // life, would guard against nobody.
            let last = header.remote.load(Relaxed);
            header.remote.store(word, Relaxed);
            last
        } else {
            // Acquire: what is in the list. Release: a sender that finds the word finds the new tag as well.
            header.remote.swap(word, AcqRel)
        }
    }

    /// Gives the cell of an actor back that has been dead for a while and whose token has come.
    ///
    /// # Safety
    /// As [`Core::release`]; the cell is marked as dead.
    pub(crate) unsafe fn release_dead(&self, cell: *mut Header) {
        // SAFETY: by the caller; the vtable outlives the actor and knows the cell's class.
        unsafe { self.release(cell, (*(*cell).vtable.get()).class) };
    }

    /// Gives a cell back whose actor is gone and whose token is not out.
    ///
    /// # Safety
    /// We own the cell, which is of that class, its actor is gone, nobody else holds its token.
    #[inline(always)]
    unsafe fn release(&self, cell: *mut Header, class: usize) {
        // SAFETY: by the caller.
        let header = unsafe { &*cell };
        let generation = header.tag.load(Relaxed) as u16;
        // No address has this generation yet, so nobody changes `remote` but us.
        header.remote.store(remote_word(EMPTY, generation), Relaxed);
        header.tag.store(tag(NOBODY, generation), Release);
        if generation != LAST_GENERATION {
            self.pools.cells[class].give(cell.cast());
        }
    }

    /// Runs an actor that was taken out of a queue; a panic ends it, or lets it begin anew.
    pub(crate) fn run_caught(&self, cell: *mut Header) {
        self.current.set(cell);
        // SAFETY: what is in our queues is ours, alive and scheduled, and the caller has just taken it out.
        let run = || unsafe { ((*(*cell).vtable.get()).run)(self, cell) };
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(()) => {
                self.current.set(ptr::null_mut());
                self.tally();
            }
            Err(panic) => {
                self.end_panicked_actor(&*panic);
                self.quietly("a panic's payload", || drop(panic));
            }
        }
    }

    /// Ends the actor that ran when a panic went through it, or lets it begin anew.
    pub(crate) fn end_panicked_actor(&self, panic: &(dyn std::any::Any + Send)) {
        // Most panics come out of handlers, which are outside the core.
        self.enter();
        self.be_present();
        self.tally();
        let cell = self.current.replace(ptr::null_mut());
        if cell.is_null() {
            eprintln!("datil: a worker panicked outside any actor; this is a bug in datil or in its policy");
            std::process::abort();
        }
        // SAFETY: the actor that ran is ours and alive: only the end of its activation could have changed that.
        unsafe {
            let vtable = &*(*cell).vtable.get();
            self.report_panic((vtable.name)(), panic);
            if (*cell).flags.get() & flag::EXTENDED != 0 && extras::panicked(self, cell, panic) {
                self.yielded.push(cell);
                return;
            }
            (vtable.bury)(self, cell);
        }
    }

    /// Runs a destructor of a user; a panic in it is counted and reported, and nothing else.
    pub(crate) fn quietly(&self, what: &str, destroy: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(destroy)) {
            self.report_panic(what, &*panic);
            // The payload has a destructor, too; what that one throws is let go.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(panic))).map_err(std::mem::forget);
        }
    }

    pub(crate) fn report_panic(&self, actor: &str, payload: &(dyn std::any::Any + Send)) {
        bump(&self.counters().panics, 1);
        let message = crate::watch::panic_message(payload);
        trace::panicked(self, actor, message);
        if let Some(hook) = &self.team.hook {
            let info = PanicInfo {
                actor,
                message,
                worker: self.index(),
            };
            // A panicking hook must not take the worker down.
            let _ = catch_unwind(AssertUnwindSafe(|| hook(&info))).map_err(std::mem::forget);
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

/// Brings a token to the owner of its cell; true if that worker had to be woken.
///
/// # Safety
/// The caller holds the token and hands it over.
pub(crate) unsafe fn bring_token(cell: *mut Header) -> bool {
    // SAFETY: by the caller. Acquire: we took the token over from whoever left EMPTY, so we see its owner or a later one,
    // never TRANSIT (an actor in transit has its token with it) and never NOBODY (a cell with its token out is not free).
    unsafe {
        let owner = ((*cell).tag.load(Acquire) >> 16) as u16;
        port::port(owner).deliver_one(cell)
    }
}

/// The table of an actor's type.
#[inline(always)]
pub(crate) fn vtable<A: Actor>() -> &'static VTable {
    const {
        &VTable {
            #[cfg(not(feature = "metrics"))]
            run: run::<A>,
            #[cfg(feature = "metrics")]
            // SAFETY: the caller keeps what `run` asks for.
            run: |core, cell| crate::meter::measure::<A>(core, || unsafe { run::<A>(core, cell) }),
            bury: bury::<A>,
            name: std::any::type_name::<A>,
            id: std::any::TypeId::of::<A>,
            class: Shape::<A>::CLASS,
            hint: A::HINT,
        }
    }
}

/// Runs a scheduled actor until its mailbox or its batch is used up, or it stops.
///
/// # Safety
/// The core owns the cell, which holds a live `A` that is marked as scheduled and in no queue.
unsafe fn run<A: Actor>(core: &Core, cell: *mut Header) {
    // SAFETY: by the caller, for the whole function: nothing that handlers can do makes somebody else the owner of
    // an actor that runs, or ends it.
    unsafe {
        let header = &*cell;
        let actor = Shape::<A>::state(cell);
        let mut cx = Context::<A>::new(core, cell);
        loop {
            let flags = header.flags.get();
            // One test for all that is not a message: whoever uses none of it pays for none. Each method of the actor is called in one place only,
            // so that the compiler puts it there.
            let special = flags & (flag::UNSTARTED | flag::STOPPING | flag::ATTEND) != 0;
            if special && flags & flag::UNSTARTED != 0 {
                header.flags.set(flags & !flag::UNSTARTED);
                trace::started(core, std::any::type_name::<A>(), cell);
                core.outside(|| (*actor).started(&mut cx));
                continue;
            }
            if special && flags & flag::STOPPING != 0 {
                break;
            }
            let step = if special {
                attend::step(&mut cx)
            } else {
                Step::Mail
            };
            if step == Step::Parked {
                return;
            }
            if step == Step::Mail {
                let Some(msg) = Shape::<A>::pop(&core.pools, cell) else {
                    if go_idle(header) {
                        return;
                    }
                    continue;
                };
                gate::release::<A>(core, cell);
                core.count();
                core.outside(|| (*actor).handle(msg, &mut cx));
                debug_assert_eq!(
                    header.tag.load(Relaxed) >> 16,
                    u32::from(core.me),
                    "taken over while it ran"
                );
            }
            if core.left.get() == 0 {
                core.tally();
                if wants_more::<A>(cell) {
                    core.yielded.push(cell);
                    return;
                }
            }
        }
        let extended = header.flags.get() & flag::EXTENDED != 0;
        if !(extended && signal::end::is_cut_short(header)) {
            core.outside(|| (*actor).stopped(&mut cx));
        }
        if extended && extras::revives(core, cell) {
            core.yielded.push(cell);
            return;
        }
        end::<A>(core, cell);
    }
}

/// Whether an actor that has used up its batch has something to go on with.
///
/// # Safety
/// The caller owns the cell, which holds a live `A`.
#[inline(always)]
unsafe fn wants_more<A: Actor>(cell: *mut Header) -> bool {
    // SAFETY: by the caller.
    let flags = unsafe { (*cell).flags.get() };
    // SAFETY: by the caller.
    flags & flag::STOPPING == 0 && (flags & flag::ATTEND != 0 || !unsafe { Shape::<A>::is_empty(cell) })
}

/// Ends an activation whose mailbox is empty; false if messages turned up.
///
/// # Safety
/// The caller owns the cell, whose private mailbox is empty.
#[inline(always)]
unsafe fn go_idle(header: &Header) -> bool {
    let flags = header.flags.get();
    if flags & flag::HOLDS != 0 {
        header.flags.set(flags & !flag::HOLDS);
        // SAFETY: by the caller; we hold the token and give it up.
        if unsafe { collect_remote(header, EMPTY) }.blocks > 0 {
            return false;
        }
    }
    header.flags.set(header.flags.get() & !flag::SCHEDULED);
    true
}

/// [`end`] for the rare ends: of actors that panicked, or had no worker any more.
///
/// # Safety
/// As [`end`].
unsafe fn bury<A: Actor>(core: &Core, cell: *mut Header) {
    // SAFETY: by the caller.
    unsafe { end::<A>(core, cell) }
}

/// Ends an actor: nothing more reaches it, its state and its messages are dropped, its cell is freed or waits for its token.
///
/// # Safety
/// The core owns the cell, which holds a live `A` and is in no queue.
#[inline(always)]
unsafe fn end<A: Actor>(core: &Core, cell: *mut Header) {
    // SAFETY: by the caller. From `close` on no sender can push: the generation differs.
    unsafe {
        let header = &*cell;
        let id = extras::id(cell);
        trace::stopped(core, std::any::type_name::<A>(), id);
        let generation = (header.tag.load(Relaxed) as u16) + 1;
        header.tag.store(tag(core.me, generation), Release);
        let last_word = core.close(header, remote_word(TOKEN, generation));
        let (list, _): (*mut Block, u16) = split_remote(last_word);
        if list.addr() > TOKEN {
            crate::mailbox::cell::adopt_list(header, list);
        }
        let flags = header.flags.get();
        let token_is_out = list.addr() != EMPTY && flags & flag::HOLDS == 0;
        let leaves_something = std::mem::needs_drop::<A>() || Shape::<A>::BOXED || gate::eases::<A>();
        if leaves_something || flags & (flag::ATTEND | flag::EXTENDED | flag::MAIL) != 0 {
            clear_out::<A>(core, cell, id);
        }
        if token_is_out {
            header.flags.set(flag::DEAD);
        } else {
            core.release(cell, Shape::<A>::CLASS);
        }
    }
}

/// Drops the state of an actor that has ended and what is left in its mailbox, and tells who wants to know.
///
/// # Safety
/// As [`end`]; the actor's generation is over.
#[inline(never)]
unsafe fn clear_out<A: Actor>(core: &Core, cell: *mut Header, id: ActorId) {
    // Destructors may send, and sending may look at the inbound list, where this cell's token may be. It must not be
    // handled before we know what becomes of the cell.
    let was_receiving = core.receiving.replace(true);
    // SAFETY: by the caller.
    unsafe {
        let header = &*cell;
        let attended = header.flags.get() & (flag::ATTEND | flag::EXTENDED) != 0;
        if (std::mem::needs_drop::<A>() || Shape::<A>::BOXED) && !(attended && extras::is_vacant(header)) {
            core.quietly(std::any::type_name::<A>(), || Shape::<A>::drop_state(cell));
        }
        if attended {
            signal::end::bury::<A>(core, cell, id);
        }
        while let Some(msg) = Shape::<A>::pop(&core.pools, cell) {
            core.bounce(msg);
        }
    }
    gate::end::<A>(core, id.0);
    core.receiving.set(was_receiving);
}
