//! A worker that is in a handler for long is absent: others take over what waits for it, and its actors as they write to them.
//!
//! See `README.md` beside this file for the protocol and its proof.

use crate::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use crate::atomic::{AtomicBool, AtomicU32};
use std::cell::Cell;
use std::ops::Deref;
use std::ptr;

use super::core::Core;
use super::port::{ABSENT, ABSENT_LOCKED, CLAIMED, LOOK, Port, RUNNING, bump};
use super::run::LOOK_EVERY;
use super::team::Team;
use crate::mailbox::cell::{EMPTY, Header, TRANSIT, collect_remote, flag, tag};
use crate::membarrier;
use crate::sync::Spin;

/// Whether a worker is inside the runtime, and whether it may be.
pub(crate) struct Presence {
    /// The worker's thread uses its core: everywhere but in handlers, and there in each call of the runtime.
    inside: AtomicBool,
    /// The owner part of this worker's tags; 0 while it may not use its core. So the comparison that every send makes anyway fails then.
    pub(crate) my_tag: AtomicU32,
    /// The token of the actor that runs, if it came while the worker was absent. Belongs to the worker, or to who has locked it.
    kept: Cell<*mut Header>,
    /// Somebody has left actors in the absent worker's queues.
    waiting: AtomicBool,
}

impl Presence {
    pub(crate) fn new(me: u16) -> Self {
        Self {
            inside: AtomicBool::new(true),
            my_tag: AtomicU32::new(tag(me, 0)),
            kept: Cell::new(ptr::null_mut()),
            waiting: AtomicBool::new(false),
        }
    }
}

impl Core {
    /// The worker's thread is about to use the core; it must then find out that it may ([`Core::be_present`], or a comparison with `my_tag`).
    #[inline(always)]
    pub(crate) fn enter(&self) {
        self.presence.inside.store(true, Relaxed);
        // Against `membarrier::heavy` in `revoke`: either that sees that we are inside, or we see that we may not be.
        membarrier::light();
    }

    /// The worker's thread goes on in a handler. Release: a rescuer sees the core as we leave it.
    #[inline(always)]
    pub(crate) fn leave(&self) {
        self.presence.inside.store(false, Release);
    }

    /// Waits until the core may be used, after [`Core::enter`] by who has not used it since.
    #[inline(always)]
    pub(crate) fn be_present(&self) {
        if self.is_revoked() {
            self.come_in();
        }
    }

    #[inline(always)]
    pub(crate) fn is_revoked(&self) -> bool {
        self.presence.my_tag.load(Relaxed) == 0
    }

    /// Runs code of a handler, which is outside the core.
    #[inline(always)]
    pub(crate) fn outside<R>(&self, handler: impl FnOnce() -> R) -> R {
        self.leave();
        let result = handler();
        self.enter();
        self.be_present();
        result
    }

    /// Waits until the core may be used, inside, since it is in use already: whoever has just revoked it finds that out, and gives it back.
    #[cold]
    #[inline(never)]
    pub(crate) fn come_back(&self) {
        self.end_absence();
    }

    /// Waits until the core may be used, outside, as if the handler had not called yet: else one that calls the runtime all the time would be found inside
    /// whenever somebody wants to act for this worker.
    #[cold]
    #[inline(never)]
    pub(crate) fn come_in(&self) {
        while self.is_revoked() {
            self.leave();
            self.end_absence();
            self.enter();
        }
    }

    /// Ends an absence, or waits until somebody who wanted to begin one has given that up.
    fn end_absence(&self) {
        let state = &self.port.rest.0.state;
        let mut spin = Spin::default();
        while self.is_revoked() {
            // Acquire: the core and our actors as rescuers and adopters left them.
            if state.compare_exchange(ABSENT, RUNNING, Acquire, Relaxed).is_ok() {
                self.presence.inside.store(true, Relaxed);
                // Release: who revokes it next sees that we are inside.
                self.presence.my_tag.store(tag(self.me, 0), Release);
                let kept = self.presence.kept.replace(ptr::null_mut());
                if !kept.is_null() {
                    // SAFETY: the token was kept for us.
                    unsafe { self.port.deliver_one(kept) };
                }
                return;
            }
            spin.turn();
        }
    }

    /// Takes over what waits for another worker of this runtime, if that is in a handler: all that has arrived, and of what is queued the oldest, as
    /// many as `grant` says. True if there was something to run.
    ///
    /// This worker is RUNNING. From here on the other one is absent until its handler returns or calls the runtime.
    pub(crate) fn rescue(&self, from: &'static Port, grant: impl FnOnce(usize) -> usize) -> bool {
        let rescued = self.with_absent(from, |other| {
            // SAFETY: the other worker is in a handler and cannot enter its core, and the lock keeps others out.
            unsafe {
                if self.hooks.routes {
                    // What is queued there is for thieves, and by now the slot is, too.
                    other.receive_absent();
                    other.open_slot();
                    0
                } else {
                    self.take_over(other, grant)
                }
            }
        });
        let Some(rescued) = rescued else {
            return false;
        };
        bump(&self.counters().rescues, 1);
        bump(&self.counters().rescued_actors, rescued);
        rescued > 0
    }

    /// Steals from a worker that is in a handler the oldest actors of its queues, as many as `grant` says; true if there were any.
    pub(crate) fn seize(&self, from: &'static Port, grant: impl FnOnce(usize) -> usize) -> bool {
        // SAFETY: the other worker is in a handler and cannot enter its core, and the lock keeps others out.
        let seized = self.with_absent(from, |other| unsafe { self.take_queued(other, grant) });
        seized.is_some_and(|seized| seized > 0)
    }

    /// Handles in the place of this core's worker what has arrived for it.
    ///
    /// # Safety
    /// The core is revoked, its worker runs a handler, and the caller has locked its state.
    pub(crate) unsafe fn receive_absent(&self) {
        // An actor that becomes runnable may have the list looked at again (`routed::queued`), as a worker does itself, which knows what its own
        // handler does. What has come meanwhile can wait.
        let was_receiving = self.receiving.replace(true);
        for cell in self.port.take_all() {
            // SAFETY: we act for the worker whose list it was.
            unsafe {
                let owner = ((*cell).tag.load(Acquire) >> 16) as u16;
                if owner == self.me && cell == self.current.get() {
                    // As in `handle_token_for`.
                    self.presence.kept.set(cell);
                } else {
                    self.handle_token(cell);
                }
            }
        }
        self.receiving.set(was_receiving);
    }

    /// Calls `act` with the core of another worker of our runtime, if that is in a handler and nobody else is at it.
    pub(crate) fn with_absent<R>(&self, from: &'static Port, act: impl FnOnce(&Core) -> R) -> Option<R> {
        let state = &from.rest.0.state;
        // SAFETY: the port is one of our runtime's, whose cores exist until all of its workers have ended.
        let other = unsafe { from.core.load(Acquire).as_ref() }?;
        if state
            .compare_exchange(ABSENT, ABSENT_LOCKED, Acquire, Relaxed)
            .is_err()
        {
            if !other.revoke() {
                return None;
            }
            // Outside and revoked: nobody but us changes the state of a running worker but itself.
            debug_assert_eq!(state.load(Relaxed), RUNNING);
            state.store(ABSENT_LOCKED, Relaxed);
        }
        let result = act(other);
        other.presence.waiting.store(other.queued() > 0, Relaxed);
        // Release: whoever locks next, and the worker that comes back, sees what we did.
        state.store(ABSENT, Release);
        Some(result)
    }

    /// Forbids the core's worker to use it, if that is in a handler. Called by another worker.
    fn revoke(&self) -> bool {
        let word = &self.presence.my_tag;
        let mine = tag(self.me, 0);
        // Only a look: the fence below is dear.
        if self.presence.inside.load(Relaxed) {
            return false;
        }
        if word.compare_exchange(mine, 0, AcqRel, Relaxed).is_err() {
            return false;
        }
        // Acquire: the core as its worker left it.
        if membarrier::heavy() && !self.presence.inside.load(Acquire) {
            return true;
        }
        word.store(mine, Release);
        false
    }

    /// Whether an actor of the absent worker with this port is neither the one that runs nor queued.
    ///
    /// # Safety
    /// The caller has locked the worker, which is one of our runtime's and owns the cell.
    pub(crate) unsafe fn is_free(port: &'static Port, cell: *mut Header) -> bool {
        // SAFETY: by the caller; the lock makes the core ours to read, and all of its actors but the one that runs.
        unsafe {
            (*port.core.load(Acquire)).current.get() != cell && (*cell).flags.get() & flag::SCHEDULED == 0
        }
    }

    /// Makes the oldest of what is queued at `other` ours, as many as `grant` says; returns their number.
    ///
    /// # Safety
    /// The other core is revoked and its state locked by us; its worker runs a handler.
    unsafe fn take_queued(&self, other: &Core, grant: impl FnOnce(usize) -> usize) -> usize {
        let queued = other.queued();
        (0..grant(queued).min(queued))
            .filter_map(|_| other.run.pop_oldest().or_else(|| other.yielded.pop_oldest()))
            .map(|cell| {
                // SAFETY: what was in its queues was its own; no cell is in transit and in a queue.
                unsafe { self.make_mine(cell) };
                self.toll.moved();
                self.enqueue(cell);
            })
            .count()
    }

    /// Makes what has arrived for `other` ours, and the oldest of what is queued there, as many as `grant` says; returns how many actors that gave us to run.
    ///
    /// # Safety
    /// As [`Core::take_queued`].
    unsafe fn take_over(&self, other: &Core, grant: impl FnOnce(usize) -> usize) -> u64 {
        let before = self.queued();
        // SAFETY: by the caller.
        unsafe { self.take_queued(other, grant) };
        for cell in other.port.take_all() {
            // SAFETY: we act for the worker whose list it was.
            unsafe {
                if cell == other.current.get() && (*cell).tag.load(Acquire) >> 16 == u32::from(other.me) {
                    // All of this actor is its handler's alone. There is one token of a cell, so the place is free.
                    other.presence.kept.set(cell);
                } else {
                    self.handle_token_for(other.me, cell);
                }
            }
        }
        // Some may have been given away again already.
        self.queued().saturating_sub(before) as u64
    }

    /// Writes this worker into the tag of a cell.
    ///
    /// # Safety
    /// The caller holds the lock of the cell's owner, or is it.
    pub(crate) unsafe fn make_mine(&self, cell: *mut Header) {
        // SAFETY: by the caller.
        let tag_now = unsafe { &(*cell).tag };
        tag_now.store(tag(self.me, tag_now.load(Relaxed) as u16), Release);
    }

    /// Handles a token out of the inbound list of another worker, whose state we have locked.
    ///
    /// # Safety
    /// The other worker runs no handler, or not that of this cell. The token is ours.
    pub(crate) unsafe fn handle_token_for(&self, other: u16, cell: *mut Header) {
        // SAFETY: by the caller; the flags of a cell belong to its owner, whose place we take.
        unsafe {
            let header = &*cell;
            let found = header.tag.load(Acquire);
            let owner = (found >> 16) as u16;
            if owner != other {
                debug_assert!(owner & TRANSIT == 0 || owner & !TRANSIT == other);
                self.handle_token(cell);
            } else if header.flags.get() & flag::DEAD != 0 {
                self.release_dead(cell);
            } else if header.flags.get() & flag::SCHEDULED != 0 {
                // It stays in its worker's queue with what was sent to it, unless it was parked and that lets it go on.
                collect_remote(header, EMPTY);
                if header.flags.get() & flag::SCHEDULED == 0 {
                    self.make_mine(cell);
                    self.schedule(cell);
                }
            } else {
                self.make_mine(cell);
                self.handle_token(cell);
            }
        }
    }
}

/// A use of a worker's core by code that may run in a handler or outside of one.
pub(crate) struct Inside<'a> {
    core: &'a Core,
    before: bool,
}

impl<'a> Inside<'a> {
    #[inline(always)]
    pub(crate) fn new(core: &'a Core) -> Self {
        let before = core.presence.inside.load(Relaxed);
        core.enter();
        if core.is_revoked() {
            if before {
                core.come_back();
            } else {
                core.come_in();
            }
        }
        Self { core, before }
    }
}

impl Deref for Inside<'_> {
    type Target = Core;

    #[inline(always)]
    fn deref(&self) -> &Core {
        self.core
    }
}

impl Drop for Inside<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.core.presence.inside.store(self.before, Release);
    }
}

/// Times in a row that the guard finds all workers idle before it sleeps for good.
const ROUNDS: u32 = 16;

/// What the guard saw of the others.
#[derive(Default)]
pub(crate) struct Patrol {
    /// Activations of each worker at the last look, if it was running then.
    seen: Vec<Option<u64>>,
    /// Looks in a row at which all were idle.
    calm: u32,
    relieved: Relieved,
}

/// The worker that a guard has relieved last: its port, its activations by then, and how often in a row that was.
#[derive(Default)]
struct Relieved {
    handler: (u16, u64),
    times: u32,
}

/// What a guard should do.
pub(crate) enum Watch {
    /// Go on.
    On,
    /// End the watch: for long nothing has run.
    Off,
    /// Get up and rescue what waits for this worker.
    Rescue(&'static Port),
}

impl Patrol {
    /// Looks at the other workers, a while after the last look.
    pub(crate) fn look(&mut self, team: &Team, me: u16) -> Watch {
        self.seen.resize(team.ports.len(), None);
        let (mut running, mut stuck) = (false, None);
        for (&port, seen) in team.ports.iter().zip(&mut self.seen) {
            if port.id == me {
                continue;
            }
            let state = port.rest.0.state.load(Relaxed);
            let at_work = (state == RUNNING).then(|| port.counters.0.activations.load(Relaxed));
            let absent = matches!(state, ABSENT | ABSENT_LOCKED);
            running |= at_work.is_some() || absent || state == CLAIMED;
            if (at_work.is_some() && at_work == *seen) || (absent && is_missed(port)) {
                stuck = Some(port);
            } else if at_work.zip(*seen).is_some_and(is_slow) {
                port.call(LOOK);
            }
            *seen = at_work;
        }
        self.calm = if running { 0 } else { self.calm + 1 };
        match stuck {
            Some(port) => Watch::Rescue(port),
            None if self.calm >= ROUNDS => Watch::Off,
            None => Watch::On,
        }
    }

    /// Notes that a worker is relieved of what waits for it; returns how often it was before in the handler in which it is.
    pub(crate) fn relieve(&mut self, port: &Port) -> u32 {
        let handler = (port.id, port.counters.0.activations.load(Relaxed));
        if self.relieved.handler != handler {
            self.relieved = Relieved { handler, times: 0 };
        }
        let before = self.relieved.times;
        self.relieved.times += 1;
        before
    }
}

/// Whether a worker may not have looked around since the guard's last look, when there was nobody who waited for work perhaps: activations that
/// take less than the time between two of these looks, but not much less. A number that wrapped, since the port has another worker by now, is none of
/// these.
fn is_slow((now, then): (u64, u64)) -> bool {
    now.wrapping_sub(then) < u64::from(LOOK_EVERY)
}

/// Whether something waits for an absent worker of our runtime.
fn is_missed(port: &Port) -> bool {
    // SAFETY: as in `Core::with_absent`; atomics of a core may be read by everybody.
    let core = unsafe { port.core.load(Acquire).as_ref() };
    port.has_mail() || core.is_some_and(|core| core.presence.waiting.load(Relaxed))
}

/// The guard: the one idle worker, if any, that looks after those in long handlers.
#[derive(Default)]
pub(crate) struct Guard(AtomicU32);

impl Guard {
    /// Gives the watch to `id`, unless somebody has it; true if it is `id`'s now.
    pub(crate) fn give(&self, id: u16) -> bool {
        let found = self.0.load(Relaxed);
        found == u32::from(id)
            || (found == 0 && self.0.compare_exchange(0, u32::from(id), SeqCst, Relaxed).is_ok())
    }

    /// Ends the watch of `me`; false if somebody else has it.
    pub(crate) fn resign(&self, me: u16) -> bool {
        self.0.compare_exchange(u32::from(me), 0, SeqCst, Relaxed).is_ok()
    }

    /// Whether it is `me`.
    pub(crate) fn is(&self, me: u16) -> bool {
        self.0.load(Relaxed) == u32::from(me)
    }

    /// Whether nobody watches.
    pub(crate) fn is_missing(&self) -> bool {
        self.0.load(SeqCst) == 0
    }
}
