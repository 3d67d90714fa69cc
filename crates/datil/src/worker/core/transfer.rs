//! How actors and messages come from other workers and go to them.

use crate::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

use datil_policy::Encounter;

use super::Core;
use crate::mailbox::cell::{
    EMPTY, Header, TOKEN, TRANSIT, collect_remote, flag, split_remote, tag, take_token,
};
use crate::worker::port::{self, ABSENT, ABSENT_LOCKED, CLAIMED, Chain, IDLE, LOCKED, Port, bump};
use crate::worker::toll::Passage;

impl Core {
    /// Handles everything that has arrived.
    pub(crate) fn receive(&self) {
        if self.receiving.replace(true) {
            return;
        }
        debug_assert_ne!(
            self.port.rest.0.state.load(Relaxed),
            ABSENT_LOCKED,
            "who acts for a worker leaves the actor alone whose handler runs: `receive_absent`"
        );
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
                } else if !(self.hooks.follows && self.follow(cell)) {
                    let blocks = collect_remote(header, EMPTY);
                    if blocks > 0 {
                        self.toll.received(blocks);
                        self.schedule(cell);
                    }
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
        let blocks = unsafe {
            header.flags.set(header.flags.get() & !flag::HOLDS);
            collect_remote(header, EMPTY)
        };
        if blocks > 0 {
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
        let (header, from, waiting, alone) = unsafe {
            let header = &*cell;
            let (list, _) = split_remote(header.remote.load(Acquire));
            if list.addr() <= TOKEN || header.flags.get() & flag::SCHEDULED != 0 {
                return false;
            }
            (
                header,
                (*list).from.get(),
                (*list).waiting.get(),
                (*list).next.get().is_null(),
            )
        };
        if from == 0 || from == self.me || port::port(from).rest.0.team.load(Relaxed) != self.team.key {
            return false;
        }
        let flags = header.flags.get();
        let goes_on = (flags >> flag::FRIEND_SHIFT) as u16 == from && flags & flag::LOCAL == 0;
        let before = if goes_on {
            (flags & flag::STREAK) >> flag::STREAK_SHIFT
        } else {
            0
        };
        let streak = (before + 1).min(flag::STREAK >> flag::STREAK_SHIFT);
        let noted =
            flags & !flag::FOLLOW | streak << flag::STREAK_SHIFT | u32::from(from) << flag::FRIEND_SHIFT;
        header.flags.set(noted);
        let met = Encounter {
            alone,
            streak,
            waiting: waiting.into(),
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

    /// Brings a token to the owner of its cell.
    ///
    /// # Safety
    /// We hold the token.
    pub(crate) unsafe fn bring(&self, cell: *mut Header) {
        // SAFETY: by the caller; while a token is out the cell has an owner with a port. Acquire: we took the token over from whoever left
        // EMPTY, so we see its owner or a later one, never TRANSIT (an actor in transit has its token with it) and never NOBODY (a
        // cell with its token out is not free).
        unsafe {
            let owner = ((*cell).tag.load(Acquire) >> 16) as u16;
            self.deliver_token(cell, port::port(owner));
        }
    }

    /// Makes an actor of an idle or absent worker ours.
    pub(super) fn adopt(&self, from: &'static Port, cell: *mut Header, found: u32) -> bool {
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
}
