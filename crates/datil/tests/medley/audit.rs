//! What the book says when a run has come to rest, or is over.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::task::{self, Poll, Waker};

use datil::{Leftovers, Metrics, Restart, StopReason};

use crate::book::{Book, Record, Watch, lock};

impl Book {
    /// What is wrong while nothing goes on. The metrics are those of a runtime without other work; `dead_before` is how many
    /// messages of threads outside had been lost in the process before it.
    pub fn audit(&self, metrics: &Metrics, dead_before: u64) -> Vec<String> {
        let mut faults = self.take_faults();
        for actor in &*lock(&self.actors) {
            actor.learn_of_end();
            faults.extend(actor.wrong());
            faults.extend(self.wrong_with_guard_of(actor));
        }
        for watch in &*lock(&self.watches) {
            faults.extend(watch.wrong());
        }
        for [one, other] in &*lock(&self.links) {
            faults.extend(self.wrong_with_link(one, other));
            faults.extend(self.wrong_with_link(other, one));
        }
        faults.extend(self.wrong_with_figures(metrics, dead_before));
        faults
    }

    /// A supervisor keeps those alive that it has promised to, and nobody else when it is over.
    fn wrong_with_guard_of(&self, actor: &Record) -> Option<String> {
        let (supervisor, restart) = actor.guard?;
        let is_over = self.supervisors[supervisor].is_over();
        let reason = actor.reason.get();
        // It lived on the thread of a blocking actor, or nobody knows.
        if matches!(reason, Some(StopReason::Shutdown | StopReason::Gone)) {
            return None;
        }
        let begins_anew = match restart {
            Restart::Always => true,
            Restart::OnFailure => reason.is_some_and(|reason| !reason.is_normal()),
            Restart::Never => false,
        };
        let wrong = if actor.is_alive() {
            is_over
        } else {
            begins_anew && !is_over
        };
        let Record { name, .. } = actor;
        wrong.then(|| format!("{name}, {restart:?}, has ended: {reason:?}; its supervisor: {is_over}"))
    }

    /// Who is linked to an actor that failed does not outlive it.
    fn wrong_with_link(&self, failed: &Record, linked: &Record) -> Option<String> {
        let (one, two) = (failed.name, linked.name);
        let loosened = lock(&self.loosened).contains(&[one.min(two), one.max(two)]);
        let fails = |reason: &StopReason| !reason.is_normal() && *reason != StopReason::Gone;
        let stays = linked.is_alive() && linked.guard.is_none() && !linked.traps.load(SeqCst);
        let wrong = !loosened && stays && failed.reason.get().is_some_and(fails);
        wrong.then(|| format!("{two} outlives {one}, which failed"))
    }

    /// Each message was handled or counted as a dead letter, and so on: the figures agree with the book.
    fn wrong_with_figures(&self, metrics: &Metrics, dead_before: u64) -> Vec<String> {
        let total = metrics.total();
        let dead = total.dead_letters + metrics.outside_dead_letters - dead_before;
        let panics = total.panics + metrics.timer_panics;
        let [pending, lost, by_timers] = [
            self.pending.load(SeqCst) as u64,
            self.lost.load(SeqCst),
            self.lost_by_timers.load(SeqCst),
        ];
        let (handled, in_turn) = (self.handled.load(SeqCst), self.stops_in_turn.load(SeqCst));
        let told = self.panics.load(SeqCst);
        let mut faults = Vec::new();
        if pending != 0 {
            faults.push(format!("{pending} questions are open"));
        }
        // What blocking actors do is not among the figures.
        let all = !self.has_blocking.load(SeqCst);
        if dead > lost + by_timers || all && dead < lost {
            faults.push(format!(
                "{lost} messages and {by_timers} of timers were lost, {dead} counted"
            ));
        }
        let messages = total.messages;
        if messages > handled + in_turn || all && messages < handled {
            faults.push(format!(
                "{handled} messages and up to {in_turn} stops were handled, {messages} counted"
            ));
        }
        if panics > told || all && panics < told {
            faults.push(format!("{told} panics were told of, {panics} counted"));
        }
        faults
    }
}

impl Record {
    /// Notes why it has ended, if that was told to who waits for it.
    fn learn_of_end(&self) {
        let mut end = lock(&self.end);
        let Some(answer) = end.as_mut() else { return };
        if let Poll::Ready(reason) = Pin::new(answer).poll(&mut task::Context::from_waker(Waker::noop())) {
            *end = None;
            // Dropped: it was left over, at the shutdown or where a blocking actor has ended.
            _ = self.reason.set(reason.unwrap_or(StopReason::Shutdown));
        }
    }

    /// Who has ended is known to have, and who has not has been answered and has nothing left to do.
    fn wrong(&self) -> Option<String> {
        let (alive, reason) = (self.is_alive(), self.reason.get());
        let unanswered = self.unanswered.load(SeqCst);
        let waiting = self.seat().waiting().unwrap_or(0);
        let right = alive == reason.is_none() && !(alive && unanswered + waiting as u32 > 0);
        (!right).then(|| {
            let name = self.name;
            format!("{name} lives: {alive}, its end: {reason:?}; {unanswered} unanswered, {waiting} waiting")
        })
    }
}

impl Watch {
    /// Who watches an actor is told of its end, once, and of nothing else.
    fn wrong(&self) -> Option<String> {
        let (told, heard) = (self.told.load(SeqCst), self.heard.load(SeqCst));
        let [watches, lives] = [&self.by, &self.of].map(|actor| actor.is_alive());
        let due = !lives && !self.withdrawn.load(SeqCst);
        let invented = told > 1 || heard > told || lives && told > 0;
        let missed = watches && (due && told == 0 || heard < told);
        (invented || missed).then(|| {
            let (by, of) = (self.by.name, self.of.name);
            format!("{by} ({watches}) watches {of} ({lives}); told {told} times, {heard} heard")
        })
    }
}

/// What a shutdown must find that comes next.
pub struct Expected {
    actors: usize,
    names: Vec<String>,
    lost: u64,
    dead_outside: u64,
}

impl Book {
    pub fn expect(&self, dead_outside: u64) -> Expected {
        let registered = lock(&self.registered);
        let names = registered.iter().filter(|(_, holder)| holder.is_alive());
        Expected {
            actors: lock(&self.actors).iter().filter(|actor| actor.is_alive()).count(),
            names: names.map(|(name, _)| name.clone()).collect(),
            lost: self.lost.load(SeqCst),
            dead_outside,
        }
    }

    /// What is wrong with the report of the shutdown of a runtime that had come to rest.
    pub fn audit_leftovers(&self, left: &Leftovers, expected: &Expected, dead_outside: u64) -> Vec<String> {
        let mut faults = Vec::new();
        if left.names != expected.names {
            faults.push(format!("{:?} had names; left are {left}", expected.names));
        }
        // What the others leave makes a blocking actor go on until its turn comes.
        if self.has_blocking.load(SeqCst) {
            return faults;
        }
        let actors: usize = left.actors.values().sum();
        if actors != expected.actors || left.timers > 0 {
            faults.push(format!("{} actors lived; left are {left}", expected.actors));
        }
        let lost = self.lost.load(SeqCst) - expected.lost;
        let counted = left.messages + dead_outside - expected.dead_outside;
        if lost != counted {
            faults.push(format!(
                "{lost} messages were lost by the shutdown, {counted} counted"
            ));
        }
        faults
    }

    /// What is wrong when the runtime is gone: nobody lives, and nothing is left.
    pub fn audit_end(&self) -> Vec<String> {
        let mut faults = self.take_faults();
        for actor in &*lock(&self.actors) {
            actor.learn_of_end();
            faults.extend(actor.wrong());
            if actor.is_alive() {
                faults.push(format!("{} outlives its runtime", actor.name));
            }
        }
        let existing = lock(&self.existing);
        let left = existing.iter().filter(|&(_, &count)| count != 0);
        faults.extend(left.map(|(kind, count)| format!("{count} of kind {kind} are left")));
        // They know their parents, who know them.
        self.supervisors.iter().for_each(datil::Supervisor::stop);
        faults
    }

    /// Whether nothing is left, and nobody's end remains to be told.
    pub fn is_over(&self) -> bool {
        let is_told = |actor: &Arc<Record>| {
            actor.learn_of_end();
            actor.reason.get().is_some()
        };
        lock(&self.existing).values().all(|&count| count == 0) && lock(&self.actors).iter().all(is_told)
    }
}
