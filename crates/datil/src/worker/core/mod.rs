//! The worker as its actors see it: private queues and pools, and what is done with them. How messages leave is in `send.rs`, how
//! they and actors come and go between workers in `transfer.rs`, what becomes of an actor in `activation.rs` and `panic.rs`.
//!
//! A core is used by its worker thread alone. Every field is a `Cell` or the like, so that code of users may
//! re-enter at each of the points where it runs: handlers, hooks and destructors.

mod activation;
mod apart;
mod panic;
mod send;
mod transfer;

use crate::atomic::Ordering::Relaxed;
use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::Arc;

use datil_policy::{Encounter, Stint};

pub(crate) use activation::vtable;
pub(crate) use apart::{Apart, stack};
pub(crate) use panic::contain;

use super::absence::{Patrol, Presence};
use super::brought::Brought;
use super::forwarded::Forwarded;
use super::port::{Counters, Port, bump};
use super::queue::Queue;
use super::routed::Showcase;
use super::stint::Summons;
use super::team::Team;
use super::toll::Toll;
use crate::inbox::{Inbox, Pace};
use crate::mailbox::cell::Header;
use crate::pool::Pools;
use crate::sync::Instant;
use crate::ticks::Look;

/// Messages of a short activation; whoever handles more at a time has done as much as several.
const SHORT: u32 = 64;

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
    /// What it has brought to others lately if the policy routes.
    pub(crate) brought: Brought,
    /// What it has taken from the inbox for others if the policy routes.
    pub(super) forwarded: Forwarded,
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
    /// It gets up, and has handled nothing yet.
    pub(crate) gets_up: Cell<bool>,
    /// The activation at which it last told the policy what waits.
    pub(crate) watched_at: Cell<u64>,
    /// When the worker was last claimed, or robbed somebody under a policy that asks what becomes of that, and the counts then; the policy is
    /// told what came of it.
    trial: Cell<Option<Stint>>,
    pub(crate) summons: Summons,
    pub(crate) toll: Toll,
    /// The inbound list is being handled; it must not be entered again.
    pub(crate) receiving: Cell<bool>,
    /// This worker watches while it is idle whether the inbox is emptied.
    pub(crate) watches: Cell<bool>,
    /// Records that this worker took from the inbox, if doing so and what followed from them was the last thing it did; else 0.
    pub(crate) took: Cell<u32>,
    /// How often this worker looks at the inbox while it waits for more.
    pub(crate) pace_at_rest: Pace,
    /// How often it does so between activations.
    pub(crate) pace_at_work: Pace,
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
        let alone = team.ports.len() == 1;
        // Nobody pays a toll to himself, and virtual time has no ticks.
        let start = (!alone && team.virtual_now().is_none())
            .then(|| Look::take(|| team.now()))
            .flatten();
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
            forwarded: Forwarded::new(team.ports.len()),
            alone,
            team,
            policy,
            hooks,
            showcase: Showcase::default(),
            brought: Brought::default(),
            origin: Cell::new(port.id),
            current: Cell::new(ptr::null_mut()),
            crossings_left: Cell::new(hooks.crossings),
            peer: Cell::new(0),
            retreat_to: Cell::new(0),
            reunited_with: Cell::new(0),
            errand: Cell::new(false),
            look_at: Cell::new(0),
            gets_up: Cell::new(false),
            watched_at: Cell::new(0),
            trial: Cell::new(None),
            summons: Summons::default(),
            toll: Toll::new(hooks.crossings > 0, start),
            receiving: Cell::new(false),
            watches: Cell::new(false),
            took: Cell::new(0),
            pace_at_rest: Pace::at_rest(),
            pace_at_work: Pace::at_work(),
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

    /// Counts the messages of a whole batch. It takes as long as several activations, so the worker looks around sooner.
    #[inline(always)]
    pub(crate) fn use_up(&self) {
        self.tally();
        let more = (self.batch / SHORT).saturating_sub(1);
        self.look_at
            .set(self.look_at.get().saturating_sub(u64::from(more)));
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

    /// Notes that this worker was claimed to get work from another, or has robbed one.
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
}
