//! Why actors stop, who is told, and whom they take along: stop reasons, monitors and links.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::actor::{Actor, Context};
use crate::address::{ActorId, Address, Target};
use crate::answer::{Answer, Waiter};
use crate::atomic::{AtomicU64, Ordering::Relaxed};
use crate::gate;
use crate::keyed::Keyed;
use crate::mailbox::cell::flag;
use crate::recipient::Receiver;
use crate::signal::extras::{self, Extras};
use crate::signal::{self, At, Lane, Signal};
use crate::worker::core::{Core, contain};

/// Why an actor stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// It called [`Context::stop`], or was asked to by [`Address::stop`].
    Stopped,
    /// Its handler, or one of its hooks, panicked with this message.
    Panicked(Arc<str>),
    /// [`Address::kill`].
    Killed,
    /// It was linked to this actor, which failed.
    Linked(ActorId),
    /// Its supervisor stopped it.
    Supervisor,
    /// Its mailbox was full and its overflow policy is to stop.
    Overflow,
    /// It was left over when its runtime was shut down, or when the blocking actor ended on whose thread it lived. Told to actors of other runtimes: those of its own are left over, too.
    Shutdown,
    /// It had stopped before anybody asked; why is not known any more.
    Gone,
}

impl StopReason {
    /// Whether the actor did what it was to do: only then linked actors stay and a supervisor leaves it at that.
    pub fn is_normal(&self) -> bool {
        matches!(self, Self::Stopped)
    }

    pub(crate) fn of_panic(payload: &(dyn Any + Send)) -> Self {
        Self::Panicked(panic_message(payload).into())
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopped"),
            Self::Panicked(message) => write!(f, "panicked: {message}"),
            Self::Killed => f.write_str("killed"),
            Self::Linked(id) => write!(f, "linked to {id:?}, which failed"),
            Self::Supervisor => f.write_str("stopped by its supervisor"),
            Self::Overflow => f.write_str("its mailbox was full"),
            Self::Shutdown => f.write_str("left over at the shutdown"),
            Self::Gone => f.write_str("had stopped before"),
        }
    }
}

/// The text of a panic.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(not a string)")
}

/// An actor has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Down {
    /// Which one.
    pub actor: ActorId,
    /// Why.
    pub reason: StopReason,
}

/// Names a monitor, to end it with [`Context::demonitor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MonitorId {
    of: Target,
    number: u64,
}

/// Who is told of an end (`E` says which), and how.
pub(crate) enum Watcher<E> {
    /// An actor, by a closure that writes to it.
    Actor(Target, Box<dyn FnOnce(E) + Send>),
    /// A thread or task that waits.
    Waits(Waiter<E>),
    /// The runtime itself.
    Runtime(Box<dyn FnOnce() + Send>),
}

impl<E> Watcher<E> {
    /// The actor that watches, if it is one.
    pub(crate) fn by(&self) -> Option<Target> {
        match self {
            Self::Actor(by, _) => Some(*by),
            Self::Waits(_) | Self::Runtime(_) => None,
        }
    }

    /// Whether nobody is left to be told.
    pub(crate) fn is_gone(&self) -> bool {
        match self {
            Self::Actor(by, _) => !by.is_alive(),
            Self::Waits(waiter) => waiter.is_gone(),
            Self::Runtime(_) => false,
        }
    }

    pub(crate) fn tell(self, end: E) {
        match self {
            Self::Actor(_, notify) => notify(end),
            Self::Waits(waiter) => waiter.tell(end),
            Self::Runtime(act) => act(),
        }
    }
}

/// One who wants to know of an actor's end.
pub(crate) struct Monitor {
    number: u64,
    watcher: Watcher<StopReason>,
}

impl Keyed for Monitor {
    type Key = u64;

    fn key(&self) -> u64 {
        self.number
    }
}

impl Monitor {
    fn new(watcher: Watcher<StopReason>) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Relaxed);
        Self { number, watcher }
    }

    /// The actor that watches, if it is one.
    pub(crate) fn by(&self) -> Option<Target> {
        self.watcher.by()
    }

    pub(crate) fn notify(self, down: Down) {
        self.watcher.tell(down.reason);
    }

    /// Drops the closure, which is the watcher's: a panic in it is not one of the actor that is watched.
    fn discard(self, at: At<'_>) {
        at.core().quietly("a monitor", || drop(self));
    }
}

/// Signal: somebody wants to know of the receiver's end.
struct Watch(Monitor);

impl Signal for Watch {
    const LANE: Lane = Lane::System;

    unsafe fn act(self, at: At<'_>) {
        // SAFETY: the actor runs on this worker.
        let monitors = unsafe { &extras::attach(at.header()).monitors };
        let gone = |monitor: &mut Monitor| monitor.watcher.is_gone();
        let vain = monitors.borrow_mut().push_and_prune(self.0, gone);
        vain.into_iter().for_each(|monitor| monitor.discard(at));
    }

    fn lost(self, on: Option<&Core>) {
        // Code of its watcher.
        contain("a monitor", on, || self.0.watcher.tell(StopReason::Gone));
    }

    fn left_over(self, extras: &Extras, _: &Core) {
        extras.monitors.borrow_mut().push(self.0);
    }
}

/// Signal: a monitor is not wanted any more.
struct Unwatch(u64);

impl Signal for Unwatch {
    const LANE: Lane = Lane::System;

    unsafe fn act(self, at: At<'_>) {
        // SAFETY: the actor runs on this worker.
        let Some(extras) = (unsafe { extras::of(at.header()) }) else {
            return;
        };
        let ended = extras.monitors.borrow_mut().remove(self.0);
        if let Some(ended) = ended {
            ended.discard(at);
        }
    }
}

fn watch(of: Target, watcher: Watcher<StopReason>) -> MonitorId {
    let monitor = Monitor::new(watcher);
    let number = monitor.number;
    signal::send(of, Watch(monitor));
    MonitorId { of, number }
}

/// Runs something on the worker of an actor when that has ended, and drops it if the runtime ends first. For an actor that
/// cannot run yet.
pub(crate) fn when_down(of: &Extras, act: impl FnOnce() + Send + 'static) {
    let monitor = Monitor::new(Watcher::Runtime(Box::new(act)));
    of.monitors.borrow_mut().push(monitor);
}

impl Keyed for Target {
    type Key = Self;

    fn key(&self) -> Self {
        *self
    }
}

/// Signal: the receiver is linked to this actor from now on.
struct Link(Target, Target);

impl Link {
    fn note(&self, extras: &Extras) {
        let mut links = extras.links.borrow_mut();
        if !links.contains(self.1) {
            links.push(self.1);
        }
    }
}

impl Signal for Link {
    const LANE: Lane = Lane::System;

    unsafe fn act(self, at: At<'_>) {
        // SAFETY: the actor runs on this worker.
        self.note(unsafe { extras::attach(at.header()) });
    }

    fn left_over(self, extras: &Extras, _: &Core) {
        self.note(extras);
    }

    fn lost(self, _: Option<&Core>) {
        exit(
            self.1,
            Down {
                actor: ActorId(self.0),
                reason: StopReason::Gone,
            },
        );
    }
}

/// Signal: the receiver is not linked to this actor any more.
struct Unlink(Target);

impl Signal for Unlink {
    const LANE: Lane = Lane::System;

    unsafe fn act(self, at: At<'_>) {
        // SAFETY: the actor runs on this worker.
        if let Some(extras) = unsafe { extras::of(at.header()) } {
            extras.links.borrow_mut().remove(self.0);
        }
    }
}

/// Signal: a linked actor has ended.
struct Exit(Down);

impl Signal for Exit {
    const LANE: Lane = Lane::System;

    unsafe fn act(self, at: At<'_>) {
        // SAFETY: the actor runs on this worker.
        let Some(extras) = (unsafe { extras::of(at.header()) }) else {
            return;
        };
        let Self(down) = self;
        if extras.links.borrow_mut().remove(down.actor.0).is_none() {
            // Unlinked meanwhile.
            return;
        }
        if let Some(trap) = &*extras.trap.borrow() {
            trap(down);
        } else if !down.reason.is_normal() {
            extras.because(StopReason::Linked(down.actor));
            let header = at.header();
            header.flags.set(header.flags.get() | flag::STOPPING);
        }
    }
}

/// Tells an actor that one it is linked to has ended.
pub(crate) fn exit(to: Target, down: Down) {
    signal::send(to, Exit(down));
}

/// Signal: stop.
struct Stop(StopReason);

impl Signal for Stop {
    const LANE: Lane = Lane::System;

    unsafe fn act(self, at: At<'_>) {
        // SAFETY: the actor runs on this worker.
        unsafe { extras::attach(at.header()) }.because(self.0);
        let header = at.header();
        header.flags.set(header.flags.get() | flag::STOPPING);
    }

    fn is_met(&self, by: &StopReason) -> bool {
        match self.0 {
            // After a failure it is still to come: whoever begins anew after that need not do so after a stop.
            StopReason::Stopped => by.is_normal(),
            StopReason::Killed | StopReason::Overflow => true,
            // One by the supervisor itself is for good.
            _ => false,
        }
    }
}

/// Signal: stop when this has its turn among the messages.
pub(crate) struct StopInTurn;

impl Signal for StopInTurn {
    const LANE: Lane = Lane::Mail;

    unsafe fn act(self, at: At<'_>) {
        let header = at.header();
        header.flags.set(header.flags.get() | flag::STOPPING);
    }
}

/// Makes an actor stop for a reason.
pub(crate) fn stop(to: Target, reason: StopReason) {
    signal::send(to, Stop(reason));
}

pub(crate) fn stop_in_turn(to: Target) {
    signal::send(to, StopInTurn);
}

/// See [`Address::ended`].
pub(crate) fn ended(of: Target) -> Answer<StopReason> {
    let (waiter, answer) = Waiter::new();
    watch(of, Watcher::Waits(waiter));
    answer
}

impl<A: Actor> Address<A> {
    /// Asks the actor to stop before it handles anything else: after the message that it handles, if any, [`Actor::stopped`] runs and the
    /// mailbox is dropped (and counted). It overtakes messages; a worker that is inside a batch of the actor's messages may end that first.
    /// Does nothing if the actor has stopped.
    pub fn stop(self) {
        stop(self.target(), StopReason::Stopped);
    }

    /// Asks the actor to stop when it has handled what the calling thread or actor, and others before, have sent.
    /// In order with the messages of the caller, as if it was one.
    pub fn stop_in_turn(self) {
        stop_in_turn(self.target());
    }

    /// As [`Address::stop`], but without [`Actor::stopped`], and as a failure: linked actors stop as well, and a supervisor restarts it.
    pub fn kill(self) {
        stop(self.target(), StopReason::Killed);
    }

    /// Waits for the actor's end, from any thread or task: the answer arrives when it has stopped, at once if it has already.
    ///
    /// # Errors
    /// The answer is [`crate::AskError::Dropped`] if the runtime is shut down before the actor stops.
    pub fn ended(self) -> Answer<StopReason> {
        ended(self.target())
    }
}

impl<A: Actor> Context<'_, A> {
    /// As [`Context::stop`], with a reason for those who watch or supervise this actor. With [`StopReason::Killed`] it ends as by
    /// [`Address::kill`], without [`Actor::stopped`].
    pub fn stop_because(&mut self, reason: StopReason) {
        self.extras().because(reason);
        self.stop();
    }

    /// Sends this actor a message when `of` (an [`Address`] or a [`crate::Recipient`]) has stopped, or at once if it has
    /// already (with [`StopReason::Gone`]).
    ///
    /// The message comes behind everything that the other actor has sent before, and is taken also by a bounded mailbox that is full. Each call is a monitor of its own. A restart by a supervisor is no
    /// end. Monitors end with either actor, and by [`Context::demonitor`].
    ///
    /// `message` runs where the other actor has ended, so it should be quick; a panic in it loses the message, and is told
    /// to [`crate::Builder::on_panic`].
    pub fn monitor(
        &mut self,
        of: impl Receiver,
        message: impl FnOnce(Down) -> A::Msg + Send + 'static,
    ) -> MonitorId {
        let (me, actor) = (self.address(), of.id());
        let notify = move |reason| gate::tell_in_any_case(me, message(Down { actor, reason }));
        watch(actor.0, Watcher::Actor(me.target(), Box::new(notify)))
    }

    /// Ends a monitor. A message that is under way already still arrives.
    pub fn demonitor(&mut self, monitor: MonitorId) {
        signal::send(monitor.of, Unwatch(monitor.number));
    }

    /// Links this actor and another: when one of them ends in another way than [`StopReason::Stopped`], the other one stops too,
    /// with [`StopReason::Linked`], unless it traps that ([`Context::trap_links`]). If the other one has stopped already this one does.
    /// Linking twice is linking once.
    pub fn link<B: Actor>(&mut self, with: Address<B>) {
        let (me, peer) = (self.address().target(), with.target());
        if me == peer {
            return;
        }
        let extras = self.extras();
        let mut links = extras.links.borrow_mut();
        if !links.contains(peer) {
            links.push(peer);
        }
        drop(links);
        // Also if it is listed here: an `unlink` that has crossed an earlier one may have taken this actor off the other's list.
        signal::send(peer, Link(peer, me));
    }

    /// Ends a link. If the other actor's end is under way already it has no effect on this one any more.
    pub fn unlink<B: Actor>(&mut self, with: Address<B>) {
        let (me, peer) = (self.address().target(), with.target());
        let extras = self.extras();
        extras.links.borrow_mut().remove(peer);
        signal::send(peer, Unlink(me));
    }

    /// Makes messages of the ends of linked actors, whatever the reason, instead of stopping with them. A bounded mailbox takes them also when it is full.
    /// `message` runs as part of this actor: a panic in it is one of the actor.
    pub fn trap_links(&mut self, message: impl Fn(Down) -> A::Msg + Send + 'static) {
        let me = self.address();
        let extras = self.extras();
        let former = extras.trap.replace(Some(Box::new(move |down| {
            gate::tell_in_any_case(me, message(down))
        })));
        // Code of users: what the former closure holds.
        drop(former);
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;
    use crate::answer::ReplyTo;
    use crate::runtime::Runtime;

    /// Says by how many it is watched.
    struct Watched;
    impl Actor for Watched {
        type Msg = ReplyTo<usize>;
        fn handle(&mut self, reply: ReplyTo<usize>, cx: &mut Context<'_, Self>) {
            reply.send(cx.extras().monitors.borrow().len());
        }
    }

    #[test]
    fn who_does_not_wait_for_an_end_any_more_is_forgotten() {
        let runtime = Runtime::builder().workers(1).build().expect("a worker");
        let watched = runtime.spawn(Watched);
        let waits = watched.ended();
        (0..100).for_each(|_| drop(watched.ended()));
        let kept = watched.ask(|reply| reply).wait().expect("it answers");
        assert!(kept < 10, "{kept} of 100 are kept");
        watched.stop();
        assert_eq!(waits.wait(), Ok(StopReason::Stopped));
        let leftovers = runtime.shutdown();
        assert!(leftovers.is_empty(), "{leftovers}");
    }
}
