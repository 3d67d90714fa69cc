//! Supervision: actors that begin anew when they fail, alone or together.
//!
//! A supervisor is no actor but a list under a lock, used by whichever worker a child fails on: it decides at once, and the failed child is rebuilt where it
//! lies, so its address and its mailbox stay. Others that are to begin anew are told by a signal. The lock is never held while code of users runs.
//!
//! The strategies and the intensity window are those of Erlang/OTP (`supervisor`, OTP design principles).

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Weak};
use std::time::Duration;

use datil_policy::Nanos;

use crate::actor::{Actor, Context};
use crate::address::{Address, Target};
use crate::answer::{Answer, Waiter};
use crate::blocking::OwnThread;
use crate::gate;
use crate::keyed::{Keyed, KeyedList};
use crate::mailbox::cell::{Header, Shape};
use crate::pool::lock;
use crate::runtime::{Runtime, RuntimeHandle, RuntimeOver};
use crate::signal::extras::{self, Extras};
use crate::signal::{self, At, Lane, Signal};
use crate::simulation::Simulation;
use crate::sync::{Instant, Mutex};
use crate::watch::{self, StopReason, Watcher};
use crate::worker::core::contain;
use crate::worker::team::Team;

/// Who begins anew when a child fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The child that failed.
    OneForOne,
    /// All children.
    OneForAll,
    /// The child that failed and those that were started after it.
    RestForOne,
}

/// Which ends of a child call for a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// All. What waits for the child is kept by a stop, too, then.
    Always,
    /// Failures: all but [`StopReason::Stopped`].
    OnFailure,
    /// None. Its failure does not count, and it ends when others are restarted together with it.
    Never,
}

/// Decides what becomes of an actor that ends, and can build it anew. Kept among the extras of the actor.
pub(crate) trait Guard: Send {
    /// Whether the actor begins anew. `now` is the time if that is virtual.
    fn restarts(&self, reason: &StopReason, now: Option<Nanos>) -> bool;

    /// Drops the state of the cell.
    ///
    /// # Safety
    /// The caller owns the cell, which holds a live actor of the type that the guard was made for.
    unsafe fn clear(&self, cell: *mut Header);

    /// Builds a state in the cell.
    ///
    /// # Safety
    /// As [`Guard::clear`], but the state was dropped.
    unsafe fn fill(&self, cell: *mut Header);

    /// A restarted actor handles messages with [`Actor::handle`] again, and an overflow from before is none of its own.
    fn refresh(&self, cell: *mut Header, extras: &Extras);

    /// The actor ends with its runtime, where it cannot begin anew.
    fn leave(&self, children: &mut LostChildren);
}

/// Children that have ended with their runtime, by supervisor.
#[derive(Default)]
pub(crate) struct LostChildren(HashMap<*const Inner, (Arc<Inner>, Vec<u64>)>);

impl LostChildren {
    /// Tells their supervisors that they are none any more.
    pub(crate) fn forget(self) {
        for (supervisor, numbers) in self.0.into_values() {
            // Perhaps the last reference: what it holds is code of users.
            contain("a supervisor", None, || {
                supervisor.forget_all(&numbers);
                drop(supervisor);
            });
        }
    }
}

struct Child<A, F> {
    number: u64,
    supervisor: Arc<Inner>,
    factory: F,
    actor: PhantomData<fn(A)>,
}

impl<A: Actor, F: Fn() -> A + Send> Guard for Child<A, F> {
    fn restarts(&self, reason: &StopReason, now: Option<Nanos>) -> bool {
        self.supervisor.ended(self.number, reason, now)
    }

    unsafe fn clear(&self, cell: *mut Header) {
        // SAFETY: by the caller. The place stays, also where the state lies in a box.
        unsafe { Shape::<A>::state(cell).drop_in_place() };
    }

    unsafe fn fill(&self, cell: *mut Header) {
        let actor = (self.factory)();
        // SAFETY: by the caller.
        unsafe { Shape::<A>::state(cell).write(actor) };
    }

    fn refresh(&self, cell: *mut Header, extras: &Extras) {
        gate::begin_anew::<A>(cell);
        extras.behaves.set(false);
        extras.if_typed::<A, _>(|typed| typed.behaviour = None);
    }

    fn leave(&self, children: &mut LostChildren) {
        let of = Arc::as_ptr(&self.supervisor);
        let (_, numbers) = (children.0.entry(of)).or_insert_with(|| (self.supervisor.clone(), Vec::new()));
        numbers.push(self.number);
    }
}

/// Signal: begin anew, because another child failed.
struct BeginAnew;

impl Signal for BeginAnew {
    const LANE: Lane = Lane::System;
    const ANEW: bool = true;

    fn is_met(&self, _: &StopReason) -> bool {
        true
    }

    unsafe fn act(self, at: At<'_>) {
        // SAFETY: the actor runs on this worker, between two messages.
        unsafe {
            let Some(extras) = extras::of(at.header()) else {
                return;
            };
            let Some(guard) = extras.guard.take() else {
                return;
            };
            let core = at.core();
            let rebuilt = extras::rebuild(&core, at.cell, extras, &*guard);
            extras.guard.replace(Some(guard));
            if !rebuilt {
                // It has failed, and its guard is asked about that when it ends.
                let flags = &at.header().flags;
                flags.set(flags.get() | crate::mailbox::cell::flag::STOPPING);
            }
        }
    }
}

/// Who is supervised.
#[derive(Clone)]
enum Member {
    Actor(Target),
    Supervisor(Arc<Inner>),
}

impl Member {
    fn begin_anew(&self) {
        match self {
            Self::Actor(target) => signal::send(*target, BeginAnew),
            Self::Supervisor(inner) => inner.begin_anew(),
        }
    }

    fn stop(&self) {
        match self {
            Self::Actor(target) => watch::stop(*target, StopReason::Supervisor),
            Self::Supervisor(inner) => inner.end(SupervisorEnd::Stopped),
        }
    }
}

struct Entry {
    restart: Restart,
    member: Member,
}

struct State {
    /// By number, hence in the order in which they were started.
    children: BTreeMap<u64, Entry>,
    /// When the last restarts were, oldest first.
    restarts: VecDeque<Nanos>,
    next: u64,
    over: Option<SupervisorEnd>,
    parent: Option<(Arc<Inner>, u64)>,
    monitors: KeyedList<Monitor>,
}

/// One who wants to know of a supervisor's end.
struct Monitor {
    number: u64,
    watcher: Watcher<SupervisorEnd>,
}

impl Keyed for Monitor {
    type Key = u64;

    fn key(&self) -> u64 {
        self.number
    }
}

impl Monitor {
    fn notify(self, end: SupervisorEnd) {
        // Code of the watcher, which must not keep it from the others.
        contain("a monitor", None, || self.watcher.tell(end));
    }

    /// Drops the closure, which is the watcher's.
    fn discard(self) {
        contain("a monitor", None, || drop(self));
    }
}

struct Inner {
    strategy: Strategy,
    most: usize,
    within: Nanos,
    /// Where its clock begins: each runtime has one of its own, and children may be of several.
    made: Instant,
    state: Mutex<State>,
}

/// What a supervisor does about a child's end, decided under its lock and done after that.
enum Plan {
    Leave,
    Restart(Others),
    Escalate(Option<(Arc<Inner>, u64)>),
}

/// What a restart means for other children than the one that failed.
#[derive(Default)]
struct Others {
    anew: Vec<Member>,
    stop: Vec<Member>,
}

impl Others {
    /// All of these children but the one with this number.
    fn of<'a>(children: impl IntoIterator<Item = (&'a u64, &'a Entry)>, number: Option<u64>) -> Self {
        let mut others = Self::default();
        for (&child, entry) in children {
            if Some(child) != number {
                let list = if entry.restart == Restart::Never {
                    &mut others.stop
                } else {
                    &mut others.anew
                };
                list.push(entry.member.clone());
            }
        }
        others
    }

    /// Tells them, outside of the lock.
    fn tell(&self) {
        self.anew.iter().for_each(Member::begin_anew);
        self.stop.iter().for_each(Member::stop);
    }
}

impl Inner {
    /// A child has ended; true if it begins anew.
    fn ended(self: &Arc<Self>, number: u64, reason: &StopReason, now: Option<Nanos>) -> bool {
        match self.plan(number, reason, now) {
            Plan::Leave => false,
            Plan::Restart(others) => {
                others.tell();
                true
            }
            Plan::Escalate(parent) => {
                let goes_on =
                    parent.is_some_and(|(parent, place)| parent.ended(place, &StopReason::Supervisor, now));
                if !goes_on {
                    self.end(SupervisorEnd::GaveUp);
                    return false;
                }
                let mut state = lock(&self.state);
                state.restarts.clear();
                let others = Others::of(&state.children, Some(number));
                drop(state);
                others.tell();
                true
            }
        }
    }

    fn plan(&self, number: u64, reason: &StopReason, now: Option<Nanos>) -> Plan {
        let now = now.unwrap_or_else(|| self.made.elapsed().as_nanos() as Nanos);
        let mut state = lock(&self.state);
        let Some(child) = state.children.get(&number) else {
            return Plan::Leave;
        };
        let wanted = match child.restart {
            Restart::Always => true,
            Restart::OnFailure => !reason.is_normal(),
            Restart::Never => false,
        };
        if !wanted || state.over.is_some() {
            state.children.remove(&number);
            return Plan::Leave;
        }
        while state
            .restarts
            .front()
            .is_some_and(|&then| now.saturating_sub(then) > self.within)
        {
            state.restarts.pop_front();
        }
        if state.restarts.len() >= self.most {
            return Plan::Escalate(state.parent.clone());
        }
        state.restarts.push_back(now);
        let first = match self.strategy {
            Strategy::OneForOne => return Plan::Restart(Others::default()),
            Strategy::OneForAll => 0,
            Strategy::RestForOne => number,
        };
        Plan::Restart(Others::of(state.children.range(first..), Some(number)))
    }

    /// All children begin anew.
    fn begin_anew(&self) {
        let mut state = lock(&self.state);
        state.restarts.clear();
        let all = Others::of(&state.children, None);
        drop(state);
        all.tell();
    }

    /// Stops all children, the last one first; no further ones are started. It ends once: the first reason stays.
    fn end(&self, end: SupervisorEnd) {
        let mut state = lock(&self.state);
        let end = *state.over.get_or_insert(end);
        let children = std::mem::take(&mut state.children);
        let parent = state.parent.take();
        let monitors = std::mem::take(&mut state.monitors);
        drop(state);
        children.values().rev().for_each(|child| child.member.stop());
        if let Some((parent, number)) = parent {
            parent.forget(number);
        }
        monitors.into_iter().for_each(|monitor| monitor.notify(end));
    }

    /// Returns the number by which it is forgotten.
    fn watch(&self, watcher: Watcher<SupervisorEnd>) -> u64 {
        let mut state = lock(&self.state);
        let number = state.next;
        state.next += 1;
        let monitor = Monitor { number, watcher };
        if let Some(end) = state.over {
            drop(state);
            monitor.notify(end);
            return number;
        }
        let gone = |monitor: &mut Monitor| monitor.watcher.is_gone();
        let vain = state.monitors.push_and_prune(monitor, gone);
        drop(state);
        vain.into_iter().for_each(Monitor::discard);
        number
    }

    /// A watcher is none any more, if it was not told yet.
    fn unwatch(&self, number: u64) {
        let mut state = lock(&self.state);
        let monitor = state.monitors.remove(number);
        drop(state);
        if let Some(monitor) = monitor {
            monitor.discard();
        }
    }

    /// These children are none any more.
    fn forget_all(&self, numbers: &[u64]) {
        let mut state = lock(&self.state);
        for number in numbers {
            state.children.remove(number);
        }
    }

    /// A child is none any more.
    fn forget(&self, number: u64) {
        lock(&self.state).children.remove(&number);
    }
}

/// How a supervisor has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupervisorEnd {
    /// By [`Supervisor::stop`], or by its parent, which has ended itself.
    Stopped,
    /// A child has failed too often, and there is no parent that would restart them all.
    GaveUp,
}

/// Names a monitor of a supervisor, to end it with [`Context::demonitor_supervisor`]. It does not keep the supervisor.
#[derive(Clone)]
pub struct SupervisorMonitorId {
    of: Weak<Inner>,
    number: u64,
}

impl fmt::Debug for SupervisorMonitorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SupervisorMonitorId")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// The supervisor has ended: it was stopped, or gave up because restarts did not help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SupervisorOver;

impl fmt::Display for SupervisorOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the supervisor was stopped or has given up; make a new one")
    }
}

impl std::error::Error for SupervisorOver {}

/// Why a supervisor did not start a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// The supervisor was stopped or has given up.
    SupervisorOver,
    /// The runtime has been shut down or is about to be. Only children that are started through a [`RuntimeHandle`] meet
    /// this.
    RuntimeOver,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SupervisorOver => SupervisorOver.fmt(f),
            Self::RuntimeOver => f.write_str(
                "the runtime has been shut down, or is about to be; start the child in another one",
            ),
        }
    }
}

impl std::error::Error for StartError {}

/// Restarts actors that fail. Cloned, it is the same one; dropping it changes nothing for its children.
///
/// A child that fails keeps its address, its names, its monitors and links, and the messages in its mailbox; the message that it was handling is lost. What it
/// was is dropped and built anew by its factory, and [`Actor::started`] runs, which finds what an earlier life has set up: a name that it registers is taken, by
/// itself, and a monitor that it sets is one more ([`Context::link`] twice is once). Its stash is kept and its behaviour is [`Actor::handle`] again. Its timers
/// are cancelled. Answers to what it had asked still come, and find the new state, which does not know of the question.
///
/// An end is one, however often it was asked for by [`Address::stop`] or [`Address::kill`] before it came: what has arrived by then is not the new state's.
/// (A stop that waits while the child fails is still to come.)
///
/// When there were more than so many restarts within so much time ([`Supervisor::new`]) the supervisor gives up: it stops all children, the last one
/// first, unless it has a parent ([`Supervisor::supervise`]) that restarts it, with all its children.
#[derive(Clone)]
pub struct Supervisor(Arc<Inner>);

impl fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervisor")
            .field("strategy", &self.0.strategy)
            .field("children", &lock(&self.0.state).children.len())
            .finish_non_exhaustive()
    }
}

impl Supervisor {
    /// A supervisor that restarts at most `restarts` times within any period of length `within`; a further failure in it makes it give up.
    /// With one for all and rest for one, restarting several children at once counts as one restart, and so it does if one of them fails
    /// when it was to be restarted anyway.
    pub fn new(strategy: Strategy, restarts: usize, within: Duration) -> Self {
        Self(Arc::new(Inner {
            strategy,
            most: restarts,
            within: Nanos::try_from(within.as_nanos()).unwrap_or(Nanos::MAX),
            made: Instant::now(),
            state: Mutex::new(State {
                children: BTreeMap::new(),
                restarts: VecDeque::new(),
                next: 0,
                over: None,
                parent: None,
                monitors: KeyedList::default(),
            }),
        }))
    }

    /// Starts a child, in a runtime (`&mut &runtime`; from threads that do not hold it through a [`RuntimeHandle`],
    /// `&mut &handle`) or from inside an actor (its context). `factory` is called now and for every restart.
    ///
    /// ```
    /// # use datil::{Actor, Context, ReplyTo, Restart, Runtime, StartError, Strategy, Supervisor};
    /// # use std::time::Duration;
    /// #[derive(Default)]
    /// struct Sum(u32);
    /// enum Msg { Add(&'static str), Total(ReplyTo<u32>) }
    /// impl Actor for Sum {
    ///     type Msg = Msg;
    ///     fn handle(&mut self, msg: Msg, _: &mut Context<'_, Self>) {
    ///         match msg {
    ///             Msg::Add(number) => self.0 += number.parse::<u32>().expect("a number"),
    ///             Msg::Total(reply) => reply.send(self.0),
    ///         }
    ///     }
    /// }
    ///
    /// let runtime = Runtime::builder().workers(1).build()?;
    /// let supervisor = Supervisor::new(Strategy::OneForOne, 3, Duration::from_secs(10));
    /// let thread = std::thread::spawn({
    ///     let (supervisor, handle) = (supervisor.clone(), runtime.handle());
    ///     move || supervisor.start(&mut &handle, Restart::OnFailure, Sum::default)
    /// });
    /// let sum = thread.join().expect("the factory does not panic")?;
    /// ["1", "two", "3"].map(|number| sum.tell(Msg::Add(number)));
    /// assert_eq!(sum.ask(Msg::Total).wait(), Ok(3), "it has begun anew in between");
    ///
    /// let handle = runtime.handle();
    /// runtime.shutdown();
    /// let refused = supervisor.start(&mut &handle, Restart::OnFailure, Sum::default);
    /// assert_eq!(refused, Err(StartError::RuntimeOver));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`StartError::SupervisorOver`] if the supervisor was stopped or has given up; through a handle
    /// [`StartError::RuntimeOver`], too.
    ///
    /// # Panics
    /// If the factory does: now, in the caller; nothing is started then. (At a restart that is a failure like any other:
    /// counted, reported, and followed by the next attempt as long as the supervisor allows one.)
    pub fn start<A: Actor>(
        &self,
        place: &mut impl Spawn,
        restart: Restart,
        factory: impl Fn() -> A + Send + 'static,
    ) -> Result<Address<A>, StartError> {
        let actor = factory();
        // Until the lock is free again: what a runtime leaves, its panic hook for one, is code of users.
        let _kept = place.team();
        self.list(restart, factory, |guard| {
            place.spawn_prepared(actor, |extras| extras.guard.swap(guard))
        })
    }

    /// As [`Supervisor::start`], for a child on a thread of its own, where it may block ([`Runtime::spawn_blocking`]).
    ///
    /// It begins anew on the same thread, which ends when the child has ended for good; other actors that it has created there stay until then. Nobody interrupts what it
    /// waits for: a restart together with others, and the stop by its supervisor, come when its handler has returned.
    ///
    /// ```
    /// # use datil::{Actor, Context, ReplyTo, Restart, Runtime, Strategy, Supervisor};
    /// # use std::time::Duration;
    /// struct Reader;
    /// impl Actor for Reader {
    ///     type Msg = (&'static str, ReplyTo<String>);
    ///     fn handle(&mut self, (path, reply): Self::Msg, _: &mut Context<'_, Self>) {
    ///         reply.send(std::fs::read_to_string(path).expect("a file"));
    ///     }
    /// }
    ///
    /// let runtime = Runtime::builder().workers(1).build()?;
    /// let supervisor = Supervisor::new(Strategy::OneForOne, 3, Duration::from_secs(10));
    /// let reader = supervisor.start_blocking(&mut &runtime, Restart::OnFailure, || Reader)?;
    /// assert!(reader.ask(|reply| ("no such file", reply)).wait().is_err());
    /// assert!(reader.ask(|reply| ("Cargo.toml", reply)).wait().is_ok());
    /// supervisor.stop();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Supervisor::start`].
    ///
    /// # Panics
    /// As [`Supervisor::start`] and [`Runtime::spawn_blocking`]; nothing is started then.
    pub fn start_blocking<A: Actor>(
        &self,
        place: &mut impl Spawn,
        restart: Restart,
        factory: impl Fn() -> A + Send + 'static,
    ) -> Result<Address<A>, StartError> {
        if self.is_over() {
            return Err(StartError::SupervisorOver);
        }
        let actor = factory();
        let team = place.team().ok_or(StartError::RuntimeOver)?;
        // Outside of the lock, as is its end if the child is refused.
        let mut thread = Some(OwnThread::start(&team));
        self.list(restart, factory, |guard| {
            place.unless_over(actor, |team, actor| {
                let thread = thread.take().expect("one child");
                thread.spawn(team, actor, |extras| extras.guard.swap(guard))
            })
        })
    }

    /// Has a child created by `spawn`, with the guard that it is given, and lists it.
    fn list<A: Actor>(
        &self,
        restart: Restart,
        factory: impl Fn() -> A + Send + 'static,
        spawn: impl FnOnce(&RefCell<Option<Box<dyn Guard>>>) -> Result<Address<A>, RuntimeOver<A>>,
    ) -> Result<Address<A>, StartError> {
        let mut state = lock(&self.0.state);
        if state.over.is_some() {
            drop(state);
            return Err(StartError::SupervisorOver);
        }
        let number = state.next;
        state.next += 1;
        let guard = Box::new(Child {
            number,
            supervisor: self.0.clone(),
            factory,
            actor: PhantomData::<fn(A)>,
        });
        let guard: RefCell<Option<Box<dyn Guard>>> = RefCell::new(Some(guard));
        // The lock is held so that the child is listed before it can fail; no code of users runs in here.
        let spawned = spawn(&guard);
        if let Ok(address) = &spawned {
            let member = Member::Actor(address.target());
            state.children.insert(number, Entry { restart, member });
        }
        // Before the actor and the factory are dropped, if they were refused.
        drop(state);
        spawned.map_err(|_| StartError::RuntimeOver)
    }

    /// Makes another supervisor a child of this one: when it would give up, this one restarts it (which restarts all its children, and ends those with
    /// [`Restart::Never`]) as if it was an actor that fails.
    ///
    /// # Errors
    /// [`SupervisorOver`] if one of the two was stopped or has given up.
    ///
    /// # Panics
    /// If `other` has a parent already, or is this one or one of its parents.
    pub fn supervise(&self, other: &Supervisor, restart: Restart) -> Result<(), SupervisorOver> {
        let mut ancestor = Some(self.0.clone());
        while let Some(inner) = ancestor {
            assert!(
                !Arc::ptr_eq(&inner, &other.0),
                "datil: a supervisor must not supervise itself"
            );
            ancestor = lock(&inner.state)
                .parent
                .as_ref()
                .map(|(parent, _)| parent.clone());
        }
        let mut state = lock(&self.0.state);
        if state.over.is_some() {
            return Err(SupervisorOver);
        }
        let number = state.next;
        state.next += 1;
        let member = Member::Supervisor(other.0.clone());
        state.children.insert(number, Entry { restart, member });
        drop(state);
        let mut theirs = lock(&other.0.state);
        let (over, had_one) = (theirs.over.is_some(), theirs.parent.is_some());
        if !over && !had_one {
            theirs.parent = Some((self.0.clone(), number));
        }
        drop(theirs);
        if over || had_one {
            self.0.forget(number);
        }
        assert!(
            !had_one,
            "datil: a supervisor has one parent, and this one has it already"
        );
        if over { Err(SupervisorOver) } else { Ok(()) }
    }

    /// Asks all children to stop, the last one first, with [`StopReason::Supervisor`]; [`Actor::stopped`] runs. No further
    /// children can be started. It does not wait until they have ended ([`Address::ended`]).
    pub fn stop(&self) {
        self.0.end(SupervisorEnd::Stopped);
    }

    /// Waits for the supervisor's end, from any thread or task: the answer arrives when it was stopped or has given up, at once if it has already. Actors
    /// watch with [`Context::monitor_supervisor`].
    ///
    /// From then on no child is started or restarted, and all have been asked to stop; they may still be about to ([`Address::ended`]).
    ///
    /// # Errors
    /// The answer is [`crate::AskError::Dropped`] if the supervisor is gone without an end: nobody has a clone of it, nor has it children.
    pub fn ended(&self) -> Answer<SupervisorEnd> {
        let (waiter, answer) = Waiter::new();
        self.0.watch(Watcher::Waits(waiter));
        answer
    }

    /// Number of children that have not ended for good.
    pub fn children(&self) -> usize {
        lock(&self.0.state).children.len()
    }

    /// Whether the supervisor was stopped or has given up.
    pub fn is_over(&self) -> bool {
        lock(&self.0.state).over.is_some()
    }
}

impl<A: Actor> Context<'_, A> {
    /// Sends this actor a message when a supervisor was stopped or has given up, or at once if it has already. That of its children's ends may come before
    /// or after.
    ///
    /// The message is taken also by a bounded mailbox that is full. Each call is a monitor of its own, which ends with this actor, and by
    /// [`Context::demonitor_supervisor`]. It does not come if the supervisor is gone without an end ([`Supervisor::ended`]).
    ///
    /// `message` runs where the supervisor ends, so it should be quick; a panic in it loses the message, and is told to [`crate::Builder::on_panic`] if that
    /// is on a worker. It must not hold the supervisor, which would then keep itself alive.
    pub fn monitor_supervisor(
        &mut self,
        of: &Supervisor,
        message: impl FnOnce(SupervisorEnd) -> A::Msg + Send + 'static,
    ) -> SupervisorMonitorId {
        let me = self.address();
        let notify = Box::new(move |end| gate::tell_in_any_case(me, message(end)));
        SupervisorMonitorId {
            number: of.0.watch(Watcher::Actor(me.target(), notify)),
            of: Arc::downgrade(&of.0),
        }
    }

    /// Ends a monitor of a supervisor, and drops its closure. A message that is under way already still arrives.
    pub fn demonitor_supervisor(&mut self, monitor: &SupervisorMonitorId) {
        if let Some(supervisor) = monitor.of.upgrade() {
            supervisor.unwatch(monitor.number);
        }
    }
}

/// Where actors can be created: a runtime, a handle of one, or a simulation, of which a reference is enough
/// (`&mut &runtime`), or a running actor's context.
#[diagnostic::on_unimplemented(
    message = "no actors can be created through `&mut {Self}`; for a runtime, its handle or a simulation write `&mut &runtime`",
    label = "is neither a reference to one of these nor the context of a handler"
)]
pub trait Spawn: sealed::Place {}

impl Spawn for &Runtime {}
impl Spawn for &RuntimeHandle {}
impl Spawn for &Simulation {}
impl<A: Actor> Spawn for Context<'_, A> {}

mod sealed {
    use std::sync::Arc;

    use super::{Actor, Address, Context, Extras, Runtime, RuntimeHandle, RuntimeOver, Simulation, Team};

    pub trait Place {
        /// What the place leads to; `None` if that is gone.
        fn team(&self) -> Option<Arc<Team>>;

        /// Has an actor created by `spawn`, if the runtime is not over.
        fn unless_over<A: Actor>(
            &self,
            actor: A,
            spawn: impl FnOnce(&Team, A) -> Address<A>,
        ) -> Result<Address<A>, RuntimeOver<A>> {
            let team = self.team().expect("who holds the place holds its runtime");
            Ok(spawn(&team, actor))
        }

        /// Creates an actor that has extras from the start.
        fn spawn_prepared<A: Actor>(
            &mut self,
            actor: A,
            prepare: impl FnOnce(&Extras),
        ) -> Result<Address<A>, RuntimeOver<A>> {
            self.unless_over(actor, |team, actor| {
                crate::client::spawn_prepared(team, actor, prepare)
            })
        }
    }

    impl Place for &Runtime {
        fn team(&self) -> Option<Arc<Team>> {
            Some(Runtime::team(self).clone())
        }
    }

    impl Place for &RuntimeHandle {
        fn team(&self) -> Option<Arc<Team>> {
            RuntimeHandle::team(self)
        }

        fn unless_over<A: Actor>(
            &self,
            actor: A,
            spawn: impl FnOnce(&Team, A) -> Address<A>,
        ) -> Result<Address<A>, RuntimeOver<A>> {
            RuntimeHandle::unless_over(self, actor, spawn)
        }
    }

    impl Place for &Simulation {
        fn team(&self) -> Option<Arc<Team>> {
            Some(Simulation::team(self).clone())
        }
    }

    impl<B: Actor> Place for Context<'_, B> {
        fn team(&self) -> Option<Arc<Team>> {
            Some(self.engine.team.clone())
        }

        fn spawn_prepared<A: Actor>(
            &mut self,
            actor: A,
            prepare: impl FnOnce(&Extras),
        ) -> Result<Address<A>, RuntimeOver<A>> {
            Ok(self.core().spawn_prepared(actor, prepare))
        }
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_wait_for_an_end_any_more_is_forgotten() {
        let supervisor = Supervisor::new(Strategy::OneForOne, 1, Duration::from_secs(1));
        let waits = supervisor.ended();
        (0..100).for_each(|_| drop(supervisor.ended()));
        let kept = lock(&supervisor.0.state).monitors.len();
        assert!(kept < 10, "{kept} of 100 are kept");
        supervisor.stop();
        assert_eq!(waits.wait(), Ok(SupervisorEnd::Stopped));
    }
}
