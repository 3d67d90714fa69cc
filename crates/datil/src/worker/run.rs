//! The worker's loop: pick, run, share, rest. Generic over the policy, so that its questions cost nothing
//! when the answer is a constant.

use crate::atomic::Ordering::{Relaxed, Release};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use datil_policy::{Encounter, Pick, Policy, Progress, Setup};

use super::core::{Apart, Core, Hooks, stack};
use super::port::{LOOK, Port, STOP, WATCH};
use super::queue::STEP;
use super::team::Team;
use super::thief::STEAL_REQUEST;
use super::{giving, routed};
use crate::mailbox::cell::Header;
use crate::placement::Seat;

/// Activations between two looks around, at the inbox and at who idles.
pub(super) const LOOK_EVERY: u32 = 16;

/// A worker that has stopped: its core, to be emptied by whoever joins the thread.
pub(crate) struct Stopped {
    pub(crate) core: Apart<Core>,
    /// The core's hooks still refer to it.
    policy: *mut (),
    drop_policy: fn(*mut ()),
}

impl Stopped {
    /// A worker that never had a thread or a policy.
    pub(crate) fn without_policy(core: Apart<Core>) -> Self {
        Self {
            core,
            policy: ptr::null_mut(),
            drop_policy: |_| {},
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        (self.drop_policy)(self.policy);
    }
}

// SAFETY: a core is bound to one thread at a time; the worker's thread has ended when somebody gets this.
unsafe impl Send for Stopped {}

/// The policy's questions that arise inside handlers, for one policy type.
struct HooksOf<P>(P);

impl<P: Policy> HooksOf<P> {
    const TABLE: Hooks = Hooks {
        poll: poll::<P>,
        crossed: giving::crossed::<P>,
        follow: follow::<P>,
        redirect: routed::redirect::<P>,
        routes: P::ROUTES,
        crossings: P::CROSSINGS,
        adopts: P::ADOPTS || P::ROUTES,
        follows: P::FOLLOWS || P::ROUTES,
    };
}

/// Body of a worker's thread.
pub(crate) fn main<P: Policy>(port: &'static Port, team: Arc<Team>, setup: Setup, seat: Seat) -> Stopped {
    let policy = P::on(setup, &seat.rings);
    let (batch, learns) = (policy.batch().max(1), P::LEARNS && policy.learns());
    port.spot.0.settle(seat.wanders);
    let policy_at = Box::into_raw(Box::new(policy));
    let core = Apart::from(
        stack(),
        Core::new(
            port,
            team,
            batch,
            policy_at.cast(),
            &const { HooksOf::<P>::TABLE },
        ),
    );
    core.showcase.sit(seat, learns);
    if P::ROUTES {
        core.run.remind();
    }
    super::current::set(&*core);
    port.core.store(ptr::from_ref(&*core).cast_mut(), Release);
    let worker = Worker {
        core: &core,
        policy: policy_at,
    };
    // The loop is left by a panic of an actor and entered again; nothing on the way of a message costs anything for that.
    while let Err(panic) = catch_unwind(AssertUnwindSafe(|| worker.work())) {
        core.end_panicked_actor(&*panic);
        // The payload's destructor is code of a user too.
        core.quietly("a panic's payload", || drop(panic));
    }
    super::current::set(ptr::null());
    port.spot.0.leave();
    Stopped {
        core,
        policy: policy_at.cast(),
        drop_policy: drop_policy::<P>,
    }
}

/// Ends the policy that `main` put into a box; called once, when the core is not used any more.
fn drop_policy<P>(policy: *mut ()) {
    // SAFETY: `main` got the pointer from `Box::into_raw`, and `Stopped` calls this once.
    drop(unsafe { Box::from_raw(policy.cast::<P>()) });
}

pub(super) struct Worker<'a, P> {
    pub(super) core: &'a Core,
    policy: *mut P,
}

impl<P: Policy> Worker<'_, P> {
    /// The policy's state.
    #[inline(always)]
    #[expect(clippy::mut_from_ref, reason = "see the safety argument")]
    pub(super) fn policy(&self) -> &mut P {
        // SAFETY: only this thread reaches the policy, through this method and the hooks; each borrow ends within one call of a policy's
        // method, and policies call nothing back.
        unsafe { &mut *self.policy }
    }

    /// Runs actors until somebody asks to stop.
    fn work(&self) {
        let core = self.core;
        let port = core.port;
        loop {
            if P::ROUTES {
                self.see_to_brought();
            }
            if port.has_mail() {
                core.receive();
            }
            let request = port.request.load(Relaxed);
            if request != 0 || core.errand.get() {
                if self.attend(request) {
                    return;
                }
                continue;
            }
            let Some(cell) = self.next() else {
                self.run_dry(request);
                continue;
            };
            self.run(cell);
        }
    }

    /// Runs an actor that was taken out of a queue.
    #[inline(always)]
    fn run(&self, cell: *mut Header) {
        if P::ROUTES {
            self.begin(cell);
        }
        if P::LEARNS && self.core.learns() {
            return self.time(cell);
        }
        self.activate(cell);
    }

    /// Runs an actor that was taken out of a queue; the policy has been told.
    #[inline(always)]
    pub(super) fn activate(&self, cell: *mut Header) {
        self.core.current.set(cell);
        // SAFETY: what is in our queues is ours, alive and scheduled, and the caller has just taken it out.
        unsafe { ((*(*cell).vtable.get()).run)(self.core, cell) };
        // What panics from here on is not this actor, which may be gone or somebody else's by now.
        self.core.current.set(ptr::null_mut());
        self.core.tally();
    }

    /// The next actor to run, and now and then a look around.
    #[inline(always)]
    fn next(&self) -> Option<*mut Header> {
        let core = self.core;
        let activations = &core.counters().activations;
        let tick = activations.load(Relaxed).wrapping_add(1);
        if tick >= core.look_at.get() {
            self.look_around(tick);
        }
        let cell = match self.policy().pick(tick as u32) {
            _ if P::ROUTES => self.take(tick as u32),
            Pick::Newest => None,
            Pick::Oldest => core.run.pop_oldest(),
            Pick::Yielded => core.yielded.pop_oldest(),
        };
        let cell = cell
            .or_else(|| core.run.pop_newest())
            .or_else(|| core.yielded.pop_oldest());
        if cell.is_some() {
            activations.store(tick, Relaxed);
        }
        cell
    }

    /// What need not be done before each activation, but is where handlers take long and somebody has nothing to do.
    #[inline(never)]
    fn look_around(&self, tick: u64) {
        let core = self.core;
        // Who gets up has just looked whether anything has come from outside, and lets more of it gather.
        let may_take_in = !core.gets_up.replace(false);
        if may_take_in && (core.pace_at_work.is_due() || self.policy().watches_closely()) {
            let records = if core.inbox.has_mail() { self.take_in() } else { 0 };
            core.pace_at_work.found(records);
        }
        core.run.look();
        self.time_progress();
        let stride = if core.inbox.idle.0.load(Relaxed) > 0 {
            core.see_to_a_guard();
            self.watch_backlog(tick)
        } else if self.policy().watches_closely() {
            1
        } else {
            LOOK_EVERY
        };
        core.look_at.set(tick + u64::from(stride));
    }

    /// Tells the policy how far this worker has got, and when if it wants to know.
    #[inline(always)]
    fn time_progress(&self) {
        let core = self.core;
        let counters = core.counters();
        let progress = Progress {
            activations: counters.activations.load(Relaxed),
            messages: counters.messages.load(Relaxed),
            queued: core.queued(),
        };
        if self.policy().advanced(progress) {
            self.policy().timed(core.team.now(), progress);
        }
    }

    /// Tells the policy, which may give something away, what waits here while another worker idles; returns when to do so again.
    fn watch_backlog(&self, tick: u64) -> u32 {
        let core = self.core;
        let passed = tick - core.watched_at.replace(tick);
        // What is about to run does not wait.
        let waiting = core.queued().saturating_sub(1);
        if self
            .policy()
            .watch(waiting, passed.min(u64::from(u32::MAX)) as u32)
        {
            self.offer();
        }
        if waiting == 0 {
            // As soon as something waits it is time to look again.
            core.run.remind_after(1);
            return LOOK_EVERY;
        }
        self.policy().stride().clamp(1, LOOK_EVERY)
    }

    /// Sees to what others have asked for and what this worker has noted for itself; true if the loop ends.
    #[cold]
    #[inline(never)]
    fn attend(&self, request: u32) -> bool {
        let core = self.core;
        if request & !STEAL_REQUEST != 0 || core.retreat_to.get() != 0 {
            return self.obey(request);
        }
        // A thief has asked, this worker watches the inbox or guards the others, or it has just got up.
        let Some(cell) = self.next() else {
            self.run_dry(request);
            return false;
        };
        // A handler may take long; the next sender finds another worker to watch.
        self.stop_watching();
        self.stop_guarding();
        core.errand.set(core.team.lacks_a_guard());
        if core.errand.get() {
            // Nothing waits for us. Should the handler change that, then somebody must look after us.
            core.run.remind();
        }
        self.grant(request);
        self.run(cell);
        false
    }

    /// There is nothing to run: looks for more, and rests if there is none.
    #[inline(never)]
    fn run_dry(&self, request: u32) {
        self.policy().interrupted();
        if self.linger() {
            return;
        }
        self.grant(request);
        if P::ROUTES {
            return self.search();
        }
        if !(P::STEALS && self.hunt()) {
            self.rest();
        }
    }

    /// Does what others ask for; true if the loop ends.
    #[cold]
    fn obey(&self, request: u32) -> bool {
        if request & STOP != 0 {
            return true;
        }
        if request & (LOOK | WATCH) != 0 {
            self.answer();
            return false;
        }
        self.retreat(request);
        false
    }
}

/// # Safety
/// The core's policy is a `P`.
pub(super) unsafe fn worker<P: Policy>(core: &Core) -> Worker<'_, P> {
    Worker {
        core,
        policy: core.policy.cast(),
    }
}

/// # Safety
/// As [`worker`].
#[cold]
unsafe fn poll<P: Policy>(core: &Core) {
    if P::ROUTES {
        // SAFETY: by the caller.
        return unsafe { routed::queued::<P>(core) };
    }
    // SAFETY: by the caller.
    let worker = unsafe { worker::<P>(core) };
    if core.port.has_mail() {
        core.receive();
    }
    core.see_to_a_guard();
    core.look_at.set(0);
    // The running actor is not queued, so so many are more than this worker can start soon.
    if core.inbox.idle.0.load(Relaxed) > 0 && core.queued() >= STEP && !core.receiving.get() {
        worker.policy().watch(core.queued(), 0);
        worker.offer();
    }
}

/// # Safety
/// As [`worker`].
unsafe fn follow<P: Policy>(core: &Core, met: Encounter) -> bool {
    // SAFETY: by the caller.
    unsafe { worker::<P>(core) }.policy().follow(met)
}
