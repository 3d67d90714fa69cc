//! What policies and hosts say to each other about actors that have no fixed owner: where they belong, where they are
//! queued when they become runnable, and how an idle worker looks for work.
//!
//! A host that routes has, per worker, a queue with two ends and a slot for the actor that runs next; it keeps a
//! [`Word`] per actor and a [`Profile`] per class of actors.

use crate::Nanos;

/// What a policy remembers of one actor; a host keeps it and never reads it, but for [`Word::home`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Word(u64);

impl Word {
    const FREE: u64 = 1 << 32;

    /// An actor that belongs to `home`, or to nobody yet. `free` ones are exempt from going home.
    pub fn new(home: Option<u32>, free: bool) -> Self {
        let home = home.map_or(0, |worker| u64::from(worker) + 1);
        Self(home | if free { Self::FREE } else { 0 })
    }

    /// The worker to which the actor belongs.
    pub fn home(self) -> Option<u32> {
        (self.0 as u32).checked_sub(1)
    }

    /// Whether the actor is exempt from going home.
    pub fn is_free(self) -> bool {
        self.0 & Self::FREE != 0
    }

    /// The same actor with another home.
    #[must_use]
    pub fn moved(self, home: u32) -> Self {
        Self::new(Some(home), self.is_free())
    }
}

/// What a programmer may tell about an actor. Only policies made for hints ([`crate::LgsUc`], [`crate::LgsUw`],
/// [`crate::ClsDealt`]) listen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// Nothing is told.
    #[default]
    Untold,
    /// Light, and others wait for it.
    Coordinator,
    /// Holds the data on which the others work.
    Data,
}

/// An end of a queue. The owner of a queue takes its actors from the head.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The slot before the head: runs next; whoever was in it goes to the tail.
    Next,
    /// Runs before what is queued.
    Head,
    /// Runs after what is queued.
    Tail,
}

/// Where a runnable actor is queued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Route {
    /// Whose queue.
    pub worker: u32,
    /// Which end of it.
    pub end: End,
}

/// What an idle worker does next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Looks into the queue of this worker, never its own, and takes from this end, if there is something.
    Probe(u32, End),
    /// Looks at its own queue so many times.
    Poll(u32),
    /// Sleeps so long, then looks at its own queue. Nobody wakes it, unless [`Waking`] says so.
    Sleep(Nanos),
    /// Sleeps until it is woken.
    Park,
}

/// Who is woken when an actor is queued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waking {
    /// Nobody: idle workers look again by themselves.
    Never,
    /// The owner of the queue, if it sleeps.
    Owner,
    /// The owner of the queue if it sleeps; if it is the sender's own queue, one sleeping worker, unless some worker
    /// is searching.
    OneSearcher,
    /// As `OneSearcher`, but if the owner of another's queue does not sleep, one sleeping worker of its memory node.
    OneNear,
    /// One sleeping worker, where the policy has learned from thefts that it is worth that ([`crate::Policy::wakes`], [`crate::Policy::calls`]); otherwise idle
    /// workers look again by themselves.
    Proven,
}

impl Waking {
    /// Whether idle workers look again by themselves after a while, so that nobody need be woken lest something be forgotten.
    pub const fn polls(self) -> bool {
        matches!(self, Self::Never | Self::Proven)
    }
}

/// What a sender's worker knows of the receiver and of the others. All of it may be stale.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Surroundings {
    /// What is known of the receiver's class.
    pub profile: Profile,
    /// Actors queued at the receiver's home; 0 unless the policy wanted to know ([`crate::Policy::looks`]).
    pub home_queue: u32,
    /// Workers that found nothing to do and lie asleep, for however long; 0 as well.
    pub idle: u32,
}

/// A measured activation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    /// Time in handlers per message, without the time that sending took, and without the actor's start.
    pub per_message: Nanos,
    /// Whether the actor ran on the memory node of its home.
    pub at_home: bool,
}

/// Running mean and spread of a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mean {
    /// Measurements so far; stops counting at [`Mean::WINDOW`].
    pub count: u32,
    /// What dividing has left over of the mean, in nanoseconds over `count`. Without it a measurement that is less than `count`
    /// nanoseconds away from the mean would not move it, and a few far ones on one side would move it for good.
    pub rest: u32,
    /// Mean in nanoseconds, of about the last [`Mean::WINDOW`] measurements.
    pub mean: Nanos,
    /// Mean square distance from the mean, in square nanoseconds.
    pub variance: u64,
}

impl Mean {
    /// Measurements that the mean remembers.
    pub const WINDOW: u32 = 1024;

    /// With one more measurement.
    #[must_use]
    pub fn with(self, nanos: Nanos) -> Self {
        // Wide numbers are only for times of seconds: dividing them takes three times as long, and this is on the way of messages.
        let narrow = |nanos: Nanos| nanos < 1 << 31;
        if narrow(nanos) && narrow(self.mean) && self.variance < 1 << 62 {
            self.with_narrow(nanos)
        } else {
            self.with_wide(nanos)
        }
    }

    /// Both times are below 2^31, so that squares of their distance are below 2^62.
    fn with_narrow(self, nanos: Nanos) -> Self {
        let count = (self.count + 1).min(Self::WINDOW);
        let weight = i64::from(count);
        let distance = nanos as i64 - self.mean as i64;
        let moved = distance + i64::from(self.rest);
        let mean = self.mean as i64 + moved.div_euclid(weight);
        let spread = distance * (nanos as i64 - mean);
        let variance = self.variance as i64 + (spread - self.variance as i64) / weight;
        Self {
            count,
            rest: moved.rem_euclid(weight) as u32,
            mean: mean.max(0) as Nanos,
            variance: variance.max(0) as u64,
        }
    }

    fn with_wide(self, nanos: Nanos) -> Self {
        let count = (self.count + 1).min(Self::WINDOW);
        let weight = i128::from(count);
        let distance = i128::from(nanos) - i128::from(self.mean);
        let moved = distance + i128::from(self.rest);
        let mean = i128::from(self.mean) + moved.div_euclid(weight);
        let spread = distance.saturating_mul(i128::from(nanos) - mean);
        let variance = i128::from(self.variance) + (spread - i128::from(self.variance)) / weight;
        Self {
            count,
            rest: moved.rem_euclid(weight) as u32,
            mean: mean.clamp(0, i128::from(Nanos::MAX)) as Nanos,
            variance: variance.clamp(0, i128::from(u64::MAX)) as u64,
        }
    }

    /// Square of the standard error of the mean, in square nanoseconds.
    pub fn squared_error(self) -> u64 {
        self.variance / u64::from(self.count.max(1))
    }
}

/// What is known of a class of actors: those of one type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Profile {
    /// Time per message on the node of the actor's home.
    pub home: Mean,
    /// Time per message elsewhere.
    pub away: Mean,
    /// Whether actors of the class go home.
    pub pinned: bool,
    /// Share of the measurements in which actors that go home were elsewhere all the same, recent ones counting most;
    /// [`Profile::ALWAYS`] is all of them.
    pub strayed: u32,
}

impl Profile {
    /// See [`Profile::strayed`].
    pub const ALWAYS: u32 = 1 << 16;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn narrow_numbers_give_the_same_mean_as_wide_ones(times in proptest::collection::vec(0..1u64 << 31, 1..40), count in 0..2 * Mean::WINDOW) {
            let start = Mean { count: count.min(Mean::WINDOW), ..Mean::default() };
            let narrow = times.iter().fold(start, |mean, &time| mean.with_narrow(time));
            let wide = times.iter().fold(start, |mean, &time| mean.with_wide(time));
            prop_assert_eq!(narrow, wide);
        }

        #[test]
        fn no_time_is_too_long_for_a_mean(times in proptest::collection::vec(any::<u64>(), 1..40)) {
            let mean = times.iter().fold(Mean::default(), |mean, &time| mean.with(time));
            let wide = times.iter().fold(Mean::default(), |mean, &time| mean.with_wide(time));
            prop_assert_eq!(mean, wide);
        }
    }
}
