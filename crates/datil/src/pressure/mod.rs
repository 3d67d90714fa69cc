//! Soft pressure: who writes to an actor that has too much mail rests until that has caught up.
//!
//! Only for actors whose type wants it ([`Mailbox::Soft`](crate::Mailbox::Soft)). See `README.md` beside this file for the states of a sender, and why no rest is missed and
//! none is for ever.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::address::Target;
use crate::atomic::Ordering::{Relaxed, SeqCst};
use crate::atomic::{AtomicUsize, fence};
use crate::gate;
use crate::mailbox::cell::{Header, flag};
use crate::pool::lock;
use crate::signal::extras::{self, Extras};
use crate::signal::park::{self, Wait};
use crate::sync::Mutex;
use crate::timer::TimeOut;
use crate::worker::core::Core;
use crate::worker::port::bump;
use crate::worker::team::Team;

const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(20);

/// Who rests because of whom, in one runtime.
#[derive(Default)]
pub(crate) struct Pressure {
    state: Mutex<State>,
    /// Number of resting actors, to be looked at without the lock.
    resting: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// By sender.
    rests: HashMap<Target, Rest>,
    /// How often in a row a sender's rest was ended by time, if it was.
    late: HashMap<Target, u32>,
    /// Senders by receiver.
    because_of: HashMap<Target, Vec<Target>>,
}

struct Rest {
    receiver: Target,
    /// The sender may go on when no more than so many messages wait.
    until: u64,
    /// Set when the sender is parked.
    time_out: Option<TimeOut>,
}

impl State {
    /// Whether `from` waits for `to`, directly or by others.
    fn leads(&self, from: Target, to: Target) -> bool {
        // Nobody is entered who would close a circle, so the chain ends.
        std::iter::successors(Some(from), |at| self.rests.get(at).map(|rest| rest.receiver))
            .any(|at| at == to)
    }

    fn enter(&mut self, sender: Target, receiver: Target, until: u64) {
        let rest = Rest {
            receiver,
            until,
            time_out: None,
        };
        self.rests.insert(sender, rest);
        self.because_of.entry(receiver).or_default().push(sender);
    }

    fn remove(&mut self, sender: Target) -> Option<Rest> {
        let rest = self.rests.remove(&sender)?;
        if let Some(others) = self.because_of.get_mut(&rest.receiver) {
            others.retain(|&other| other != sender);
            if others.is_empty() {
                self.because_of.remove(&rest.receiver);
            }
        }
        Some(rest)
    }

    fn remove_all(&mut self, receiver: Target) -> Vec<(Target, Rest)> {
        let senders = self.because_of.remove(&receiver).unwrap_or_default();
        for sender in &senders {
            self.late.remove(sender);
        }
        let rests = senders
            .into_iter()
            .filter_map(|sender| self.rests.remove(&sender).map(|rest| (sender, rest)));
        rests.collect()
    }
}

/// The actor that runs on the calling thread, if any, has written to one with too much mail: it rests after its handler, until no more than `until`
/// messages wait there.
#[cold]
pub(crate) fn feel(receiver: Target, until: u64) {
    crate::worker::current::with(|core| {
        let Some((core, cell)) = core.and_then(|core| running(core).map(|cell| (core, cell))) else {
            return;
        };
        // SAFETY: the actor is alive and this worker's.
        let (header, sender) = unsafe { (&*cell, Target::of(cell)) };
        let ours = crate::client::home(receiver).is_some_and(|inbox| std::ptr::eq(inbox, core.inbox));
        if sender == receiver || !ours {
            return;
        }
        let pressure = &core.team.pressure;
        let mut state = lock(&pressure.state);
        if state.rests.contains_key(&sender) || state.leads(receiver, sender) {
            return;
        }
        state.enter(sender, receiver, until);
        pressure.resting.fetch_add(1, SeqCst);
        drop(state);
        // SAFETY: as above; nobody uses the extras.
        let extras = unsafe { extras::attach(header) };
        extras.rests.set(true);
        extras.has_rested.set(true);
        header.flags.set(header.flags.get() | flag::ATTEND);
    });
}

/// The actor that the worker runs. Destructors may send when it runs none; then it may be the one that ran last, if that is still here.
fn running(core: &Core) -> Option<*mut Header> {
    let cell = core.current.get();
    if cell.is_null() || core.receiving.get() {
        return None;
    }
    // SAFETY: a cell's tag is valid for ever; if we are the owner the flags are ours to read. While an actor is buried `receiving` is set.
    let here = unsafe {
        ((*cell).tag.load(Relaxed) >> 16) as u16 == core.me && (*cell).flags.get() & flag::DEAD == 0
    };
    here.then_some(cell)
}

/// An actor that has felt pressure is about to go on: parks it, or finds that it need not rest; true if it is parked.
///
/// # Safety
/// The core's worker owns the cell, whose actor runs and does not hold its token ([`park::prepare`]); these are its extras.
pub(crate) unsafe fn rest(core: &Core, extras: &Extras, sender: Target) -> bool {
    let pressure = &core.team.pressure;
    // Pairs with `ease`: that finds the name, or we see the count that it comes from.
    fence(SeqCst);
    let mut state = lock(&pressure.state);
    let relieved = state
        .rests
        .get(&sender)
        .is_none_or(|rest| !rest.receiver.is_alive() || gate::waiting_for(rest.receiver) <= rest.until);
    if relieved {
        let rest = state.remove(sender);
        drop(state);
        extras.rests.set(false);
        end(pressure, rest);
        return false;
    }
    let turns = state.late.get(&sender).copied().unwrap_or(0);
    if let Some(rest) = state.rests.get_mut(&sender)
        && rest.time_out.is_none()
    {
        let most = SHORTEST.saturating_mul(1 << turns.min(16)).min(LONGEST);
        let team = Arc::downgrade(&core.team);
        rest.time_out = Some(TimeOut::of_the_runtime(&core.team, most, move || {
            if let Some(team) = team.upgrade() {
                time_is_up(&team, sender);
            }
        }));
        bump(&core.counters().rests, 1);
    }
    extras.parked.set(Wait::Pressure);
    true
}

/// A sender has rested long enough, whatever became of its receiver.
fn time_is_up(team: &Team, sender: Target) {
    let mut state = lock(&team.pressure.state);
    let rest = state.remove(sender);
    if rest.is_some() {
        *state.late.entry(sender).or_default() += 1;
    }
    drop(state);
    if rest.is_some() {
        team.pressure.resting.fetch_sub(1, SeqCst);
        park::pressure_ends(sender);
    }
}

/// A rest is over; its time-out is not wanted any more.
fn end(pressure: &Pressure, rest: Option<Rest>) {
    if let Some(rest) = rest {
        pressure.resting.fetch_sub(1, SeqCst);
        if let Some(time_out) = rest.time_out {
            time_out.cancel();
        }
    }
}

/// The mail of an actor is down to half the limit, or the actor has stopped: those who rest because of it go on.
#[cold]
pub(crate) fn ease(core: &Core, receiver: Target) {
    let pressure = &core.team.pressure;
    // Pairs with `rest`, as there.
    fence(SeqCst);
    if pressure.resting.load(Relaxed) == 0 {
        return;
    }
    let rests = lock(&pressure.state).remove_all(receiver);
    for (sender, rest) in rests {
        // First: quiescence waits for the time-out, and then finds that the sender has something to do.
        park::pressure_ends(sender);
        end(pressure, Some(rest));
    }
}

/// An actor that has felt pressure ends.
pub(crate) fn forget(core: &Core, sender: Target) {
    let mut state = lock(&core.team.pressure.state);
    state.late.remove(&sender);
    let rest = state.remove(sender);
    drop(state);
    end(&core.team.pressure, rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mailbox::cell::{NOBODY, Shape};
    use crate::pool::Pools;
    use crate::worker::core::vtable;

    struct Nobody;
    impl crate::Actor for Nobody {
        type Msg = ();
        fn handle(&mut self, (): (), _: &mut crate::Context<'_, Self>) {}
    }

    #[test]
    fn a_chain_is_followed_to_its_end() {
        let mut state = State::default();
        let pools = Pools::new();
        let cells: Vec<_> = (0..4)
            .map(|_| Shape::<Nobody>::create(&pools, vtable::<Nobody>(), NOBODY, flag::HOLDS, Nobody))
            .collect();
        // SAFETY: the cells are ours.
        let targets: Vec<_> = cells.iter().map(|&cell| unsafe { Target::of(cell) }).collect();
        let [a, b, c, d] = targets[..] else {
            unreachable!("four were made")
        };
        state.enter(a, b, 1);
        state.enter(b, c, 1);
        assert!(state.leads(a, c) && state.leads(c, c) && !state.leads(c, a) && !state.leads(d, a));
        state.enter(d, c, 1);
        let mut senders: Vec<_> = state
            .remove_all(c)
            .into_iter()
            .map(|(sender, _)| sender == b)
            .collect();
        senders.sort();
        assert_eq!(senders, [false, true], "b and d");
        assert!(!state.leads(a, c) && state.leads(a, b));
        assert!(state.remove(a).is_some() && state.remove(a).is_none());
        assert!(state.rests.is_empty() && state.because_of.is_empty());
    }
}
