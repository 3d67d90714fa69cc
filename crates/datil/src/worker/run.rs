//! The worker's loop: pick, run, share, rest. Generic over the policy, so that its questions cost nothing
//! when the answer is a constant.

use crate::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use crate::atomic::fence;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use datil_policy::{
    Encounter, Nanos, Offer, Pair, Pick, Policy, Preemption, Progress, Setup, Stint, Verdict, Waking,
};

use super::absence::Watch;
use super::core::{Apart, Core, Hooks, stack};
use super::port::{
    self, ABSENT, ASLEEP, CLAIMED, FROM_HEAD, IDLE, LOCKED, LOOK, Port, RETREAT, RUNNING, STEAL, STOP,
    SUMMONED, WATCH, bump,
};
use super::queue::STEP;
use super::routed;
use super::team::Team;
use crate::futex;
use crate::inbox::Sleep;
use crate::mailbox::cell::Header;
use crate::placement::Seat;
use crate::sync::{Instant, Spin, spin_loop, thread};

/// The bits of a thief's request.
pub(super) const STEAL_REQUEST: u32 = STEAL | FROM_HEAD | 0xFFFF;
/// Polls of a thief for the answer of its victim: about a tenth of a millisecond.
pub(super) const PATIENCE_OF_A_THIEF: u32 = 2000;
/// Polls without an answer after which a thief gives up.
const UNANSWERED: u32 = 12_000;
/// Polls of a thief for other work before it asks again: about a microsecond.
const BETWEEN_ATTEMPTS: u32 = 32;
/// Activations between two looks around, at the inbox and at who idles.
pub(super) const LOOK_EVERY: u32 = 16;
/// Rounds of [`ROUND`] polls that the worker which took the last records from the inbox waits for more before it goes to rest: about
/// as long as waking it would take.
const LINGER: u32 = 64;
/// Round of waiting for more in which a worker that has taken no more than [`FEW`] records gives its processor up for a moment: whoever sent them may
/// share it, and wait for the answer.
const GIVE_WAY: u32 = 3;
/// So few records come from threads that may wait for answers; more are a stream.
const FEW: u32 = 4;
/// Polls in a round, about a third of a microsecond.
const ROUND: u32 = 8;
/// After this time without progress another worker takes records in the keeper's place, and an idle one takes over what
/// waits for a worker in a handler.
const PATIENCE: Duration = Duration::from_millis(1);
/// Times that a watching worker finds nothing new before it sleeps for good.
const WATCHES: u32 = 16;

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
        crossed: crossed::<P>,
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

/// What became of a request for work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Something has arrived.
    Gift,
    /// The victim has nothing to give, or this worker is asked for something itself.
    Nothing,
    /// The victim has not looked.
    Unanswered,
}

/// What a watching worker saw of the inbox.
#[derive(Default)]
struct Seen {
    position: Option<u64>,
    /// Looks in a row without anything new.
    silent: u32,
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

    /// Answers a sender that has woken this worker: it looks at the inbox anyway, now that it is at work.
    #[cold]
    fn answer(&self) {
        let core = self.core;
        // As it is now: somebody may have asked this worker to watch since it looked, and does so once.
        let request = core.port.request.fetch_and(!(LOOK | WATCH), AcqRel);
        if request & WATCH != 0 {
            core.watches.set(true);
        }
        // It may have been made the guard, too.
        core.errand.set(true);
        // Or the guard has found that somebody waits for work while this worker, whose handlers take long, does not look around.
        core.look_at.set(0);
    }

    /// Takes records from the inbox when there is nothing else to do. The worker that took the last ones waits for more; false if there
    /// are none.
    fn linger(&self) -> bool {
        let core = self.core;
        let took = core.took.replace(0);
        let rounds = if took > 0 {
            LINGER
        } else {
            core.pace_at_rest.reset();
            1
        };
        for round in 0..rounds {
            if round == GIVE_WAY && took <= FEW {
                thread::yield_now();
            }
            if core.pace_at_rest.is_due() && core.inbox.has_mail() {
                let records = self.take_in();
                core.pace_at_rest.found(records);
                if records > 0 {
                    core.took.set(records);
                    return true;
                }
            }
            if core.port.has_mail() || core.port.request.load(Relaxed) != 0 {
                return false;
            }
            (0..ROUND).for_each(|_| spin_loop());
        }
        false
    }

    /// Takes records from the inbox, if that is up to this worker or nobody gets anywhere with it; returns how many.
    pub(super) fn take_in(&self) -> u32 {
        let core = self.core;
        let inbox = core.inbox;
        if P::ROUTES && core.has_forwarded_enough() {
            return 0;
        }
        let drain = || {
            if P::ROUTES {
                core.origin.set(0);
            }
            self.policy().interrupted();
            let records = inbox.drain(core);
            core.origin.set(core.me);
            records
        };
        if inbox.is_kept_by(core.me) {
            return drain();
        }
        let (position, _) = inbox.progress();
        match core.kept_waiting.get() {
            Some((before, since)) if before == position => {
                let stuck = since.elapsed() > PATIENCE;
                if stuck { drain() } else { 0 }
            }
            _ => {
                core.kept_waiting.set(Some((position, Instant::now())));
                0
            }
        }
    }

    /// Does what others ask for; true if the loop ends.
    #[cold]
    fn obey(&self, request: u32) -> bool {
        let core = self.core;
        if request & STOP != 0 {
            return true;
        }
        if request & (LOOK | WATCH) != 0 {
            self.answer();
            return false;
        }
        let asked_by = request as u16;
        if request & RETREAT != 0 {
            self.clear(request);
            core.retreat_to.set(asked_by);
        }
        let to = core.retreat_to.replace(0);
        if to != 0 && to != core.me {
            // What comes for the actors that go should not have to follow them.
            core.inbox.entrust(to);
            bump(&core.counters().retreats, 1);
            core.reunited_with.set(to);
            core.forget_trial();
            core.give(usize::MAX, port::port(to));
        }
        false
    }

    /// Answers a thief. An actor that is about to run was taken out before, so a queue of one does not travel to and fro.
    #[inline]
    fn grant(&self, request: u32) {
        if request & STEAL == 0 {
            return;
        }
        let core = self.core;
        if P::ROUTES {
            self.hand_over(request);
        } else {
            let queued = core.queued();
            let count = self.policy().grant(queued).min(queued);
            let thief = request as u16;
            if count > 0 && thief != core.me {
                let given = core.give(count, port::port(thief));
                bump(&core.counters().shared_actors, given as u64);
            }
        }
        // Afterwards: a thief that sees its request gone without a gift gives up.
        self.clear(request);
    }

    /// Withdraws a request that was read. If it has changed meanwhile (a stop was added, the thief gave up) it stays
    /// for the next turn.
    pub(super) fn clear(&self, request: u32) {
        let _ = self
            .core
            .port
            .request
            .compare_exchange(request, 0, AcqRel, Relaxed);
    }

    #[cold]
    fn offer(&self) {
        let core = self.core;
        let now = core.team.now();
        let board = core.team.board();
        self.policy().crowded(now, core.team.crowd());
        let Offer::Give(count) = self.policy().offer(now, core.queued(), board) else {
            return;
        };
        let Some(to) = core.team.claim(core.me) else {
            return;
        };
        core.reunited_with.set(0);
        bump(&core.counters().shares, 1);
        bump(&core.counters().shared_actors, core.give(count, to) as u64);
        // Claimed, so it must be woken even if nothing could be given.
        if to.notify() {
            bump(&core.counters().wakes, 1);
        }
        core.team.post(self.policy().shared(now, core.team.board()));
    }

    /// Asks others for work; true if something arrived.
    fn hunt(&self) -> bool {
        let core = self.core;
        if !self
            .policy()
            .ran_dry(core.team.now(), core.trial(), core.team.board())
        {
            return false;
        }
        let (mut attempt, mut unanswered) = (0, 0);
        while let Some(victim) = self.policy().hunt(attempt) {
            if unanswered * PATIENCE_OF_A_THIEF >= UNANSWERED {
                // They are in long handlers. Whoever sleeps looks after them; see `absence.rs`.
                break;
            }
            if attempt > 0 && self.is_wanted_soon() {
                return true;
            }
            attempt += 1;
            let victim = core.team.ports[victim as usize % core.team.ports.len()];
            if victim.id == core.me || !self.can_be_robbed(victim) {
                continue;
            }
            bump(&core.counters().steal_attempts, 1);
            let answer = self.take_from(victim);
            if answer == Answer::Gift {
                bump(&core.counters().steals, 1);
                return true;
            }
            unanswered += u32::from(answer == Answer::Unanswered);
        }
        core.port.has_mail() || self.is_called()
    }

    /// Waits a little between two attempts to rob somebody; true if this worker has something to do meanwhile.
    fn is_wanted_soon(&self) -> bool {
        (0..BETWEEN_ATTEMPTS).any(|_| {
            spin_loop();
            self.core.port.has_mail() || self.is_called()
        })
    }

    /// Whether somebody asks for anything but work, of which this worker has none. Two thieves that asked each other would otherwise keep
    /// each other awake for as long as they go in step.
    fn is_called(&self) -> bool {
        self.core.port.request.load(Relaxed) & !STEAL_REQUEST != 0
    }

    fn can_be_robbed(&self, victim: &Port) -> bool {
        let state = victim.rest.0.state.load(Relaxed);
        state == RUNNING || (P::PREEMPTS != Preemption::Never && state == ABSENT)
    }

    /// Gets work from a victim, as the policy has it.
    fn take_from(&self, victim: &'static Port) -> Answer {
        let core = self.core;
        let may_preempt = |when| P::PREEMPTS == when && core.team.guarded;
        let grant = |queued| self.policy().grant(queued);
        if may_preempt(Preemption::AtOnce) && core.seize(victim, grant) {
            return Answer::Gift;
        }
        let answer = self.rob(victim, 0, PATIENCE_OF_A_THIEF);
        let ignored = answer == Answer::Unanswered && may_preempt(Preemption::Unanswered);
        if ignored && core.rescue(victim, grant) {
            Answer::Gift
        } else {
            answer
        }
    }

    /// Posts a request at the victim, with these bits besides, and looks so many times for the answer.
    pub(super) fn rob(&self, victim: &Port, besides: u32, patience: u32) -> Answer {
        let core = self.core;
        if victim.rest.0.state.load(Relaxed) == ABSENT {
            return Answer::Unanswered;
        }
        let request = STEAL | besides | u32::from(core.me);
        if victim
            .request
            .compare_exchange(0, request, AcqRel, Relaxed)
            .is_err()
        {
            return Answer::Nothing;
        }
        let interrupted = || {
            core.port.has_mail()
                || core.port.request.load(Relaxed) != 0
                || victim.request.load(Relaxed) != request
                || victim.rest.0.state.load(Relaxed) == IDLE
        };
        let (here, there) = (&core.port.spot.0, &victim.spot.0);
        here.note();
        // It cannot answer while we have its processor.
        let gives_way = here.is_shared_with(there);
        let mut spin = Spin::default();
        let answered = (0..patience).any(|_| {
            if gives_way {
                spin.turn();
            } else {
                spin_loop();
            }
            interrupted()
        });
        // If the victim answers just now its gift is in our list before we sleep, or it wakes us.
        let _ = victim.request.compare_exchange(request, 0, AcqRel, Relaxed);
        if core.port.has_mail() {
            Answer::Gift
        } else if answered {
            Answer::Nothing
        } else {
            Answer::Unanswered
        }
    }

    /// Tells the policy what has become of the work that this worker got from another.
    pub(super) fn part(&self, now: Nanos, stint: Stint) {
        let core = self.core;
        // Another worker may post between our look at the board and what we post, and its opinion is lost then. Policies allow for that: one
        // trial more or less among those that are remembered.
        core.team
            .post(self.policy().parted(now, stint, core.team.board()));
        if P::LEARNS {
            core.showcase.lessons.set(self.policy().learns());
        }
    }

    /// Waits for work: polls a little, then sleeps. See `README.md` for the proof that no wake-up is lost.
    #[cold]
    #[inline(never)]
    pub(super) fn rest(&self) {
        let core = self.core;
        let team = &core.team;
        let rest = &core.port.rest.0;
        if let Some(stint) = core.end_trial() {
            self.part(team.now(), stint);
        }
        self.policy().watch(0, 0);
        // Release: adopters see our actors as we leave them.
        rest.state.store(IDLE, Release);
        // Whoever has claimed this worker since may have counted it as busy already, so the count may have been one below 0.
        if team.inbox.idle.0.fetch_add(1, SeqCst).wrapping_add(1) == team.ports.len() {
            team.announce_quiet();
        }
        let called = || core.port.has_mail() || self.is_called();
        let mut polls = self.policy().spin();
        let mut seen = Seen::default();
        let mut calm = false;
        // When it gets up it may have to look after itself; see `attend`.
        core.errand.set(true);
        loop {
            if rest.state.load(Relaxed) == CLAIMED && self.follow_claim() {
                return self.stop_watching();
            }
            if called() {
                return self.get_up();
            }
            if polls > 0 {
                polls -= 1;
                spin_loop();
                continue;
            }
            // Exchanges, not stores: with stores loom finds a wake-up that is lost, and here they cost nothing.
            rest.sleeping.swap(ASLEEP, AcqRel);
            fence(SeqCst);
            let quiet = !called() && rest.state.load(Relaxed) != CLAIMED;
            let guards = team.guarded && !calm && team.guard.give(core.me);
            let sleep = team.inbox.may_sleep();
            if sleep == Sleep::Watching {
                core.watches.set(true);
            }
            if quiet && sleep != Sleep::No {
                bump(&core.counters().parks, 1);
                if core.watches.get() || guards {
                    futex::wait_for(&rest.sleeping, ASLEEP, PATIENCE);
                } else {
                    futex::wait(&rest.sleeping, ASLEEP);
                }
            }
            let found = rest.sleeping.swap(0, AcqRel);
            if P::WAKING == Waking::Proven && found == SUMMONED {
                self.obey_summons();
                return self.get_up();
            }
            if sleep == Sleep::No || (core.watches.get() && self.watch(&mut seen)) {
                return self.get_up();
            }
            if guards {
                let watch = core.patrol.borrow_mut().look(team, core.me);
                match watch {
                    Watch::On => {}
                    Watch::Off => calm = self.may_all_sleep(),
                    Watch::Rescue(port) => {
                        self.get_up();
                        // More when this is done, if the other worker does not come back. Two whose handlers all take long would take everything
                        // from each other by turns, and each of them would mostly wait.
                        core.rescue(port, |queued| self.relief(port, queued));
                        return;
                    }
                }
            }
        }
    }

    /// How many of the actors that are queued at a worker in a long handler the guard takes over.
    fn relief(&self, port: &Port, queued: usize) -> usize {
        if queued == 0 {
            return 0;
        }
        let before = self.core.patrol.borrow_mut().relieve(port);
        self.policy().relieve(queued, before)
    }

    /// Looks whether the inbox is being emptied; true if this worker should do it.
    fn watch(&self, seen: &mut Seen) -> bool {
        let core = self.core;
        let (position, mail) = core.inbox.progress();
        if mail && seen.position == Some(position) {
            // Whoever should take records has not for a while.
            core.inbox.entrust(core.me);
            return true;
        }
        if seen.position.replace(position) == Some(position) {
            seen.silent += 1;
        } else {
            seen.silent = 0;
        }
        if seen.silent >= WATCHES {
            self.stop_watching();
        }
        false
    }

    /// Ends the watch of the guard because nothing runs; false if something does after all.
    fn may_all_sleep(&self) -> bool {
        let team = &self.core.team;
        // A worker that gets up first lowers `idle` and then asks for the guard, both in one order with these two: it finds
        // that there is none, or we find that it is up.
        team.guard.resign(self.core.me) && team.inbox.idle.0.load(SeqCst) == team.ports.len()
    }

    /// A guard that has something to do leaves its watch to another idle worker, if there is anybody to watch.
    #[cold]
    fn stop_guarding(&self) {
        let team = &self.core.team;
        if team.guard.resign(self.core.me) {
            // Somebody idles, and somebody else than this worker does not.
            let idle = team.inbox.idle.0.load(Relaxed);
            if (1..team.ports.len() - 1).contains(&idle) {
                self.core.see_to_a_guard();
            }
        }
    }

    #[cold]
    fn stop_watching(&self) {
        if self.core.watches.replace(false) {
            self.core.inbox.unwatch();
        }
    }

    /// Gets up for somebody who has work for this worker and has counted it as busy; false if that was taken back.
    fn follow_claim(&self) -> bool {
        let core = self.core;
        let state = &core.port.rest.0.state;
        // Acquire: our actors as adopters left them.
        let followed = state.compare_exchange(CLAIMED, RUNNING, Acquire, Relaxed).is_ok();
        if followed {
            core.port.spot.0.go_free();
            core.begin_trial();
            core.reunited_with.set(0);
        }
        followed
    }

    /// Ends being idle, once no adopter is at work.
    pub(super) fn get_up(&self) {
        self.stop_watching();
        // What comes next has nothing to do with what was before.
        self.core.gets_up.set(true);
        self.core.look_at.set(0);
        let team = &self.core.team;
        let state = &self.core.port.rest.0.state;
        let mut turns = 0u32;
        loop {
            match state.compare_exchange_weak(IDLE, RUNNING, Acquire, Acquire) {
                Ok(_) => {
                    // In this order: who reads `epoch` and takes us for idle after that will see another one (`Team::is_quiet`).
                    team.inbox.idle.0.fetch_sub(1, SeqCst);
                    team.epoch.fetch_add(1, SeqCst);
                    self.core.port.spot.0.go_free();
                    return;
                }
                Err(CLAIMED) if self.follow_claim() => return,
                Err(LOCKED) if turns > 100 => thread::yield_now(),
                Err(_) => spin_loop(),
            }
            turns += 1;
        }
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
#[cold]
unsafe fn crossed<P: Policy>(core: &Core) {
    if core.receiving.get() {
        // A destructor sends: the token of the actor that ends may be in the list that is taken back, and is not to be handled yet.
        return;
    }
    // SAFETY: by the caller.
    let worker = unsafe { worker::<P>(core) };
    let peer = core.peer.get();
    if peer == 0 || peer == core.me {
        return;
    }
    let port = port::port(peer);
    if port.rest.0.team.load(Relaxed) != core.team.key {
        return;
    }
    // Numbers that nothing else depends on: another worker's may be of a moment ago.
    let handled = |port: &Port| port.counters.0.messages.load(Relaxed);
    let pair = Pair {
        other: peer.into(),
        messages: handled(core.port) + handled(port),
    };
    let (toll, board) = (core.toll.paid(), core.team.board());
    let Verdict::Reunite(board) = worker.policy().crossed(core.team.now(), toll, pair, board) else {
        return;
    };
    core.team.post(board);
    core.forget_trial();
    if core.take_back(port) {
        return;
    }
    // The worker with the higher number goes, so that the two do not swap places.
    if core.me > peer {
        core.retreat_to.set(peer);
        core.errand.set(true);
    } else {
        let _ = port
            .request
            .compare_exchange(0, RETREAT | u32::from(core.me), AcqRel, Relaxed);
    }
}

/// # Safety
/// As [`worker`].
unsafe fn follow<P: Policy>(core: &Core, met: Encounter) -> bool {
    // SAFETY: by the caller.
    unsafe { worker::<P>(core) }.policy().follow(met)
}
