//! Whether two workers that share work get more done than one of them did alone.
//!
//! The toll of being apart ([`crate::Stint::toll`]) is estimated from a sample, and what it holds is partly spent anyway, by whoever sends or takes
//! in a message on one worker alone. A program may gain by a second worker although most of its time seems to go into that. What
//! decides is how many messages are handled: where they come faster from both together than they did before, being apart pays, whatever it costs.

use std::mem;

use crate::Nanos;

/// A pace is the time that so many messages take.
const MESSAGES: u64 = 256;
/// So long a worker must have been alone before its pace is known: messages of a program differ, and a few of them say little.
const KNOWN: Nanos = 200_000;
/// What was longer ago counts half.
const RECENT: Nanos = 2_000_000;
/// Looks at the clock that lie further apart have something else between them than work. And so long after anything has been shared a worker
/// is not taken to be alone: one that goes on writing to others does so more often.
const GAP: Nanos = 100_000;
/// What two workers have done is looked at over so long, and then afresh: a program may have ended what it gained by.
const STRETCH: Nanos = 400_000;
/// In a shorter time nothing can be seen.
const SHORTEST: Nanos = 50_000;
/// Two must need less than so many per cent of the time.
const GAIN: u64 = 95;

/// What a worker and the one to which it has written last have handled, the two together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pair {
    /// The other worker; a host may use any number that is different for each.
    pub other: u32,
    /// Messages since both started. Those of an activation that is still under way may be missing.
    pub messages: u64,
}

/// The time that so many messages took, as a pace.
fn pace(time: Nanos, messages: u64) -> Nanos {
    time.saturating_mul(MESSAGES) / messages.max(1)
}

/// The pace of a worker while it shares nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alone {
    time: Nanos,
    messages: u64,
    /// Messages handled when this was last told.
    handled: u64,
    /// It is not alone before.
    from: Nanos,
}

impl Alone {
    /// The worker shares something with others.
    pub(crate) fn shares(&mut self, now: Nanos) {
        self.from = now.saturating_add(GAP);
    }

    /// Notes how many messages the worker has handled so far, and how long it took since the last note, if it did nothing else.
    pub(crate) fn note(&mut self, now: Nanos, handled: u64, took: Option<Nanos>) {
        let messages = handled.saturating_sub(mem::replace(&mut self.handled, handled));
        let counts = |took: &Nanos| messages > 0 && *took < GAP && now.saturating_sub(*took) >= self.from;
        let Some(took) = took.filter(counts) else {
            return;
        };
        self.time += took;
        self.messages += messages;
        if self.time > RECENT {
            self.time /= 2;
            self.messages /= 2;
        }
    }

    /// The pace, if it is known.
    pub(crate) fn pace(&self) -> Option<Nanos> {
        (self.time >= KNOWN).then(|| pace(self.time, self.messages))
    }
}

/// A moment, and what two workers had done by then.
type Seen = (Nanos, Pair);

/// What a worker has got done together with another one.
#[derive(Clone, Copy, Debug)]
struct Watch {
    began: Seen,
    /// Since when it is looked at whether they still gain.
    lately: Seen,
    last: Seen,
}

/// The same, if there is such a one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Together(Option<Watch>);

impl Together {
    /// Begins to look at these two.
    pub(crate) fn begin(&mut self, now: Nanos, pair: Pair) {
        let seen = (now, pair);
        self.0 = Some(Watch {
            began: seen,
            lately: seen,
            last: seen,
        });
    }

    /// Looks at them again; begins anew if they are others than before.
    pub(crate) fn look(&mut self, now: Nanos, pair: Pair) {
        match &mut self.0 {
            Some(watch) if watch.last.1.other == pair.other => watch.last = (now, pair),
            _ => self.begin(now, pair),
        }
    }

    /// Whether the two were lately faster than one was `alone`; false if that is not known, as when `alone` is 0.
    pub(crate) fn gain(&mut self, alone: Nanos) -> bool {
        let Some(watch) = &mut self.0 else {
            return false;
        };
        let gain = is_faster(watch.lately, watch.last, alone);
        if watch.last.0.saturating_sub(watch.lately.0) >= STRETCH {
            watch.lately = watch.last;
        }
        gain
    }

    /// Ends it; whether they were faster on the whole.
    pub(crate) fn end(&mut self, alone: Nanos) -> bool {
        let watch = self.0.take();
        watch.is_some_and(|watch| is_faster(watch.began, watch.last, alone))
    }
}

/// Whether two were clearly faster between two moments than one was alone.
fn is_faster(before: Seen, after: Seen, alone: Nanos) -> bool {
    let took = after.0.saturating_sub(before.0);
    let together = pace(took, after.1.messages.saturating_sub(before.1.messages));
    took >= SHORTEST && together.saturating_mul(100) < alone.saturating_mul(GAIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_alone_is_known_after_a_while_and_of_work_only() {
        let mut alone = Alone::default();
        let (mut now, mut handled) = (0, 0);
        let mut note = |alone: &mut Alone, messages, took: Nanos, quiet: bool| {
            now += took;
            handled += messages;
            alone.note(now, handled, quiet.then_some(took));
            now
        };
        note(&mut alone, 1_000_000, 10_000, false);
        note(&mut alone, 1_000_000, GAP, true);
        let now = note(&mut alone, 0, 10_000, true);
        alone.shares(now);
        (0..10).for_each(|_| {
            note(&mut alone, 1_000_000, GAP / 10, true);
        });
        assert_eq!((alone.time, alone.messages), (0, 0));
        for _ in 0..19 {
            note(&mut alone, 100, 10_000, true);
            assert_eq!(alone.pace(), None);
        }
        note(&mut alone, 100, 10_000, true);
        assert_eq!(alone.pace(), Some(25_600), "a message takes 100 ns");
        // Twice as fast from now on.
        for _ in 0..2_000 {
            note(&mut alone, 200, 10_000, true);
        }
        assert_eq!(alone.pace().map(|pace| pace / 100), Some(128));
    }

    fn pair(other: u32, messages: u64) -> Pair {
        Pair { other, messages }
    }

    #[test]
    fn two_gain_if_they_are_clearly_faster_than_one() {
        let judged = |took: Nanos, messages: u64, alone| {
            let mut together = Together::default();
            together.begin(1_000, pair(1, 7));
            together.look(1_000 + took, pair(1, 7 + messages));
            let gain = together.gain(alone);
            assert_eq!(together.end(alone), gain);
            assert!(!together.end(alone), "it has ended");
            gain
        };
        // 256 messages take 25,600 ns.
        assert!(judged(100_000, 1_000, 27_000));
        assert!(!judged(100_000, 1_000, 26_900), "that may be chance");
        assert!(!judged(100_000, 1_000, 0), "nothing to compare with");
        assert!(!judged(100_000, 0, 1_000_000));
        assert!(judged(50_000, 500, 27_000));
        assert!(!judged(49_999, 500, 27_000), "seen for too short a time");
    }

    #[test]
    fn what_others_have_done_does_not_count() {
        let mut together = Together::default();
        together.look(0, pair(1, 0));
        together.look(100_000, pair(1, 1_000));
        assert!(together.gain(1_000_000));
        together.look(200_000, pair(2, 1_000_000));
        assert!(!together.gain(1_000_000) && !together.end(1_000_000));
    }

    #[test]
    fn what_was_gained_before_counts_on_the_whole_only() {
        let mut together = Together::default();
        together.begin(0, pair(1, 0));
        together.look(STRETCH, pair(1, 100_000));
        assert!(together.gain(10_000));
        // Almost nothing since.
        together.look(STRETCH + 100_000, pair(1, 100_100));
        assert!(!together.gain(10_000));
        assert!(together.end(10_000));
    }
}
