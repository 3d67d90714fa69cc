//! Timers: something happens later, once or again and again, unless it is cancelled.
//!
//! One thread per runtime waits for the next deadline; it is started by the first timer, so a runtime without timers has none. What is due is sent from that
//! thread like from any other outside, so workers do nothing for timers. Setting and cancelling take a lock and logarithmic time.
//! In a [`Simulation`](crate::Simulation) there is no thread: time passes when there is nothing else to do.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use datil_policy::Nanos;

use crate::actor::{Actor, Context};
use crate::address::{Address, Target};
use crate::atomic::Ordering::{Relaxed, SeqCst};
use crate::atomic::{AtomicU64, AtomicUsize};
use crate::keyed::{Keyed, KeyedList};
use crate::pool::lock;
use crate::runtime::Runtime;
use crate::signal::{At, Lane, Parcel, Signal};
use crate::sync::thread::{self, JoinHandle, ThreadId};
use crate::sync::{Condvar, Mutex};
use crate::worker::core::Core;
use crate::worker::team::Team;

/// Names a timer, to cancel it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimerId(u64);

impl Keyed for TimerId {
    type Key = Self;

    fn key(&self) -> Self {
        *self
    }
}

/// What happens when a timer is due.
enum Action {
    Once(Box<dyn FnOnce() + Send>),
    /// Again after so long, until it says no.
    Every(Nanos, Box<dyn FnMut() -> bool + Send>),
}

struct Entry {
    /// The actor whose end cancels the timer.
    owner: Option<Target>,
    /// The runtime is not quiescent before it has fired.
    awaited: bool,
    /// The runtime's own: nobody has to be told that it was left over.
    internal: bool,
    action: Action,
}

#[derive(Default)]
struct State {
    due: BTreeMap<(Nanos, TimerId), Entry>,
    deadlines: HashMap<TimerId, Nanos>,
    owned: HashMap<Target, KeyedList<TimerId>>,
    /// The timer that is firing, and its owner; `None` if it was cancelled meanwhile.
    firing: Option<(TimerId, Option<Target>)>,
    thread: Option<JoinHandle<()>>,
    /// Which one that is, or was.
    server: Option<ThreadId>,
    over: bool,
}

impl State {
    fn insert(&mut self, at: Nanos, id: TimerId, entry: Entry) {
        if let Some(owner) = entry.owner {
            self.owned.entry(owner).or_default().push(id);
        }
        self.deadlines.insert(id, at);
        self.due.insert((at, id), entry);
    }

    fn remove(&mut self, id: TimerId) -> Option<Entry> {
        let at = self.deadlines.remove(&id)?;
        let entry = self.due.remove(&(at, id))?;
        if let Some(owner) = entry.owner
            && let Some(ids) = self.owned.get_mut(&owner)
        {
            ids.remove(id);
            if ids.is_empty() {
                self.owned.remove(&owner);
            }
        }
        Some(entry)
    }
}

/// The timers of one runtime.
#[derive(Default)]
pub(crate) struct Timers {
    state: Mutex<State>,
    bell: Condvar,
    /// Timers that the runtime's quiescence waits for.
    awaited: AtomicUsize,
}

impl Timers {
    /// Number of timers that have yet to fire.
    pub(crate) fn pending(&self) -> usize {
        lock(&self.state)
            .due
            .values()
            .filter(|entry| !entry.internal)
            .count()
    }

    /// Whether the calling thread is the one that waits for them.
    pub(crate) fn are_here(&self) -> bool {
        lock(&self.state).server == Some(thread::current().id())
    }

    /// Whether a timer that quiescence waits for has yet to fire.
    pub(crate) fn are_awaited(&self) -> bool {
        self.awaited.load(SeqCst) > 0
    }

    fn set(
        team: &Arc<Team>,
        delay: Duration,
        owner: Option<Target>,
        awaited: bool,
        action: Action,
    ) -> TimerId {
        let entry = Entry {
            owner,
            awaited,
            internal: false,
            action,
        };
        Self::add(team, delay, entry)
    }

    fn add(team: &Arc<Team>, delay: Duration, entry: Entry) -> TimerId {
        static IDS: AtomicU64 = AtomicU64::new(0);
        let id = TimerId(IDS.fetch_add(1, Relaxed));
        let timers = &team.timers;
        let at = team.now().saturating_add(nanos(delay));
        let mut state = lock(&timers.state);
        if state.over {
            return id;
        }
        if entry.awaited {
            timers.awaited.fetch_add(1, SeqCst);
        }
        state.insert(at, id, entry);
        if team.virtual_now().is_some() {
            return id;
        }
        if state.thread.is_none() {
            let team = team.clone();
            let thread = thread::Builder::new()
                .name("datil-timers".into())
                .spawn(move || serve(&team))
                .expect("datil: the system refused the thread for timers");
            state.server = Some(thread.thread().id());
            state.thread = Some(thread);
        } else if state
            .due
            .first_key_value()
            .is_some_and(|(first, _)| *first == (at, id))
        {
            timers.bell.notify_one();
        }
        id
    }

    /// Cancels a timer; true if it had yet to fire and will not any more.
    fn cancel(team: &Team, id: TimerId) -> bool {
        let mut state = lock(&team.timers.state);
        state.firing.take_if(|(firing, _)| *firing == id);
        let removed = state.remove(id);
        drop(state);
        match removed {
            Some(entry) => {
                settle(team, &entry);
                true
            }
            None => false,
        }
    }

    /// Cancels all timers of an actor, for its worker.
    pub(crate) fn cancel_all(core: &Core, owner: Target) {
        let mut state = lock(&core.team.timers.state);
        state.firing.take_if(|(_, of)| *of == Some(owner));
        let ids = state.owned.remove(&owner);
        drop(state);
        ids.into_iter().flatten().for_each(|id| {
            // Code of users: what the timer holds.
            core.quietly("a timer", || {
                Self::cancel(&core.team, id);
            });
        });
    }

    /// Whether there are timers that do not repeat.
    pub(crate) fn any_once(&self) -> bool {
        let state = lock(&self.state);
        state
            .due
            .values()
            .any(|entry| matches!(entry.action, Action::Once(_)))
    }

    /// When the next timer is due.
    pub(crate) fn next(&self) -> Option<Nanos> {
        lock(&self.state).due.first_key_value().map(|(&(at, _), _)| at)
    }

    /// Fires the first timer that is due; false if none is.
    pub(crate) fn fire(team: &Team) -> bool {
        let timers = &team.timers;
        let mut state = lock(&timers.state);
        let Some((&(at, id), _)) = state.due.first_key_value() else {
            return false;
        };
        if at > team.now() || state.over {
            return false;
        }
        let Some(mut entry) = state.remove(id) else {
            return false;
        };
        state.firing = Some((id, entry.owner));
        drop(state);
        // Code of users: a panic in it ends this timer only.
        match entry.action {
            Action::Once(ref mut act) => {
                let act = std::mem::replace(act, Box::new(|| {}));
                team.quietly("a timer", act);
            }
            Action::Every(period, ref mut act) => {
                let goes_on = team.quietly("a timer", act) == Some(true);
                let mut state = lock(&timers.state);
                // Beats that were missed are left out, not made up for.
                let late = team.now().saturating_sub(at) / period.max(1);
                // There is none any more if it would come after the end of time.
                let next = period
                    .max(1)
                    .checked_mul(late + 1)
                    .and_then(|ahead| at.checked_add(ahead));
                if let Some(next) = next
                    && goes_on
                    && state.firing.is_some()
                    && !state.over
                {
                    state.insert(next, id, entry);
                    return true;
                }
            }
        }
        lock(&timers.state).firing = None;
        settle(team, &entry);
        discard(team, entry);
        true
    }

    /// Fires none any more; returns them, and how many had yet to fire.
    pub(crate) fn stop(team: &Team) -> (Remains, usize) {
        let mut state = lock(&team.timers.state);
        state.over = true;
        let left = std::mem::take(&mut state.due);
        state.deadlines.clear();
        state.owned.clear();
        let thread = state.thread.take();
        drop(state);
        team.timers.bell.notify_all();
        let left: Vec<_> = left.into_values().collect();
        let pending = left.iter().filter(|entry| !entry.internal).count();
        (Remains { left, thread }, pending)
    }
}

/// Timers that do not fire any more, and their thread.
#[must_use]
pub(crate) struct Remains {
    left: Vec<Entry>,
    thread: Option<JoinHandle<()>>,
}

impl Remains {
    /// Waits for the thread and drops the timers. What it runs, and what they hold, may wait for answers of actors.
    pub(crate) fn end(self, team: &Team) {
        if let Some(thread) = self.thread
            && thread.thread().id() != thread::current().id()
        {
            thread
                .join()
                .expect("the thread of the timers catches all panics");
        }
        self.left.into_iter().for_each(|entry| discard(team, entry));
    }
}

/// Drops a timer. What it holds is code of users: a panic in it ends nothing else.
fn discard(team: &Team, entry: Entry) {
    team.quietly("a timer", || drop(entry));
}

/// A timer is over: the runtime may be quiescent now.
fn settle(team: &Team, entry: &Entry) {
    // The decrement comes after what the timer sent, so who sees it finds that in the inbox or later.
    if entry.awaited && team.timers.awaited.fetch_sub(1, SeqCst) == 1 {
        team.announce_quiet();
    }
}

/// Body of the thread.
fn serve(team: &Arc<Team>) {
    let timers = &team.timers;
    loop {
        while Timers::fire(team) {}
        let state = lock(&timers.state);
        if state.over {
            return;
        }
        let wait = state
            .due
            .first_key_value()
            .map(|(&(at, _), _)| Duration::from_nanos(at.saturating_sub(team.now())));
        match wait {
            Some(Duration::ZERO) => {}
            Some(wait) => drop(timers.bell.wait_timeout(state, wait)),
            None => drop(timers.bell.wait(state).unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

fn nanos(time: Duration) -> Nanos {
    Nanos::try_from(time.as_nanos()).unwrap_or(Nanos::MAX)
}

/// Signal: something an actor wanted to do later.
struct Later<A, F> {
    act: F,
    actor: std::marker::PhantomData<fn(A)>,
}

impl<A: Actor, F: FnOnce(&mut A, &mut Context<'_, A>) + Send + 'static> Signal for Later<A, F> {
    const LANE: Lane = Lane::Mail;

    unsafe fn act(self, at: At<'_>) {
        // SAFETY: by the caller; it was made for an `A`.
        let (actor, context) = unsafe { at.actor::<A>() };
        (self.act)(actor, context);
    }
}

fn once<A: Actor>(
    team: &Arc<Team>,
    owner: Option<Target>,
    delay: Duration,
    to: Address<A>,
    msg: A::Msg,
) -> TimerId {
    Timers::set(
        team,
        delay,
        owner,
        true,
        Action::Once(Box::new(move || to.tell(msg))),
    )
}

fn every<A: Actor>(
    team: &Arc<Team>,
    owner: Option<Target>,
    period: Duration,
    to: Address<A>,
    mut msg: impl FnMut() -> A::Msg + Send + 'static,
) -> TimerId {
    assert!(!period.is_zero(), "datil: the period of a timer must not be zero");
    let beat = move || {
        let goes_on = to.is_alive();
        if goes_on {
            to.tell(msg());
        }
        goes_on
    };
    Timers::set(
        team,
        period,
        owner,
        false,
        Action::Every(nanos(period), Box::new(beat)),
    )
}

impl Runtime {
    /// Sends a message later: not before `delay` has passed, and usually within a millisecond after.
    /// [`Runtime::wait_quiescent`] waits for it. If the actor has stopped by then the message is dropped and counted; if
    /// the runtime is shut down before, it is dropped and reported ([`crate::Leftovers::timers`]).
    ///
    /// # Panics
    /// If this is the runtime's first timer and the system refuses the thread that waits for them.
    pub fn tell_after<A: Actor>(&self, delay: Duration, to: Address<A>, msg: A::Msg) -> TimerId {
        once(self.team(), None, delay, to, msg)
    }

    /// Sends a message after each `period`, made by `msg` on the timers' thread (so it should be quick), until it is cancelled or the receiver has stopped.
    /// Beats that were missed are left out. [`Runtime::wait_quiescent`] does not wait for it. A panic in `msg` ends the
    /// timer, and is told to [`crate::Builder::on_panic`].
    ///
    /// # Panics
    /// If the period is zero, and as [`Runtime::tell_after`].
    pub fn tell_every<A: Actor>(
        &self,
        period: Duration,
        to: Address<A>,
        msg: impl FnMut() -> A::Msg + Send + 'static,
    ) -> TimerId {
        every(self.team(), None, period, to, msg)
    }

    /// Cancels a timer of this runtime. True if that was in time: it does not fire any more; false if it has fired, fires
    /// just now, or was cancelled before. What the timer holds is dropped here.
    pub fn cancel(&self, timer: TimerId) -> bool {
        Timers::cancel(self.team(), timer)
    }

    /// Number of timers that have yet to fire, those that repeat and the time-outs of questions ([`Context::ask_within`])
    /// included.
    pub fn timers(&self) -> usize {
        self.team().timers.pending()
    }
}

impl<A: Actor> Context<'_, A> {
    /// As [`Runtime::tell_after`]; the timer is cancelled when this actor stops or is restarted.
    ///
    /// # Panics
    /// As [`Runtime::tell_after`].
    pub fn tell_after<B: Actor>(&mut self, delay: Duration, to: Address<B>, msg: B::Msg) -> TimerId {
        once(&self.engine.team, self.owner(), delay, to, msg)
    }

    /// As [`Runtime::tell_every`]; the timer is cancelled when this actor stops or is restarted.
    ///
    /// # Panics
    /// As [`Runtime::tell_every`].
    pub fn tell_every<B: Actor>(
        &mut self,
        period: Duration,
        to: Address<B>,
        msg: impl FnMut() -> B::Msg + Send + 'static,
    ) -> TimerId {
        every(&self.engine.team, self.owner(), period, to, msg)
    }

    /// Does something in this actor later, not before `delay` has passed, unless it is cancelled, or the actor stops, or is
    /// restarted before that. Comes in turn with the messages from outside, and counts as one: if it waits in the mailbox when
    /// the actor is restarted it stays there, as messages do, and gets the new state. [`Runtime::wait_quiescent`] waits for it.
    ///
    /// # Panics
    /// As [`Runtime::tell_after`].
    pub fn after(
        &mut self,
        delay: Duration,
        act: impl FnOnce(&mut A, &mut Context<'_, A>) + Send + 'static,
    ) -> TimerId {
        let me = self.address().target();
        let parcel = Parcel::new(Later::<A, _> {
            act,
            actor: std::marker::PhantomData,
        });
        // SAFETY: made for an `A`.
        let send = move || unsafe { parcel.send(me) };
        Timers::set(
            &self.engine.team,
            delay,
            self.owner(),
            true,
            Action::Once(Box::new(send)),
        )
    }

    /// As [`Runtime::cancel`].
    pub fn cancel(&mut self, timer: TimerId) -> bool {
        Timers::cancel(&self.engine.team, timer)
    }

    /// This actor as the owner of a timer, which its end cancels.
    fn owner(&self) -> Option<Target> {
        self.extras().timers.set(true);
        Some(self.address().target())
    }
}

/// A time-out for something that somebody else may settle first. Quiescence does not wait for it.
pub(crate) struct TimeOut {
    team: std::sync::Weak<Team>,
    timer: TimerId,
}

impl TimeOut {
    pub(crate) fn set(team: &Arc<Team>, delay: Duration, act: impl FnOnce() + Send + 'static) -> Self {
        Self {
            team: Arc::downgrade(team),
            timer: Timers::set(team, delay, None, false, Action::Once(Box::new(act))),
        }
    }

    /// As [`TimeOut::set`], but quiescence waits for it, and it is none of those that users hear of.
    pub(crate) fn of_the_runtime(
        team: &Arc<Team>,
        delay: Duration,
        act: impl FnOnce() + Send + 'static,
    ) -> Self {
        let entry = Entry {
            owner: None,
            awaited: true,
            internal: true,
            action: Action::Once(Box::new(act)),
        };
        Self {
            team: Arc::downgrade(team),
            timer: Timers::add(team, delay, entry),
        }
    }

    pub(crate) fn cancel(self) {
        if let Some(team) = self.team.upgrade() {
            Timers::cancel(&team, self.timer);
        }
    }
}
