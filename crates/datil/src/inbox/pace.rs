//! How often a worker looks at the inbox.
//!
//! A look takes the line of the tail away from who sends, who then waits for it about as long as sending ten messages takes. While a stream
//! comes in, a worker that keeps up with it would look after each few; so it lets more and more of the stream gather between two
//! looks, as long as that brings more. Who waits for an answer before sending again brings no more, and is not kept waiting.

use std::cell::Cell;

/// Occasions between two looks, at most.
const SLOWEST: u32 = 8;

/// One worker's pace on one kind of occasion.
pub(crate) struct Pace {
    /// As many records per occasion are a stream, for which it is worth waiting.
    stream: u32,
    /// So many make a look cheap enough. Who finds more is behind, and has better things to do than to let even more come together.
    enough: u32,
    /// Each so many occasions there is a look.
    every: Cell<u32>,
    /// Occasions until the next one.
    left: Cell<u32>,
}

impl Pace {
    /// Of a worker that has nothing else to do; an occasion is a third of a microsecond. Two records in that time keep a sender busy.
    pub(crate) fn at_rest() -> Self {
        Self::new(2, 64)
    }

    /// Of a worker between activations; an occasion is 16 of them. As many records are a stream that does not end soon. It may be
    /// long, since nobody waits; but a mailbox that holds more leaves the first cache.
    pub(crate) fn at_work() -> Self {
        Self::new(16, 320)
    }

    fn new(stream: u32, enough: u32) -> Self {
        Self {
            stream,
            enough,
            every: Cell::new(1),
            left: Cell::new(1),
        }
    }

    /// Whether to look on this occasion.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        let left = self.left.get() - 1;
        self.left.set(if left == 0 { self.every.get() } else { left });
        left == 0
    }

    /// Notes how many records a look has found.
    pub(crate) fn found(&self, records: u32) {
        let every = self.every.get();
        let next = if (self.stream * every..self.enough).contains(&records) {
            (2 * every).min(SLOWEST)
        } else {
            (every / 2).max(1)
        };
        self.every.set(next);
        self.left.set(next);
    }

    /// Looks on the next occasion again: nothing comes.
    pub(crate) fn reset(&self) {
        self.every.set(1);
        self.left.set(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Occasions from one look to the next.
    fn until_due(pace: &Pace) -> u32 {
        (1..).find(|_| pace.is_due()).expect("it is due some time")
    }

    #[test]
    fn a_stream_is_let_gather_up_to_a_bound() {
        let pace = Pace::new(2, 64);
        let waits: Vec<u32> = (0..6)
            .map(|_| {
                let occasions = until_due(&pace);
                pace.found(5 * occasions);
                occasions
            })
            .collect();
        assert_eq!(waits, [1, 2, 4, 8, 8, 8]);
    }

    #[test]
    fn a_worker_that_is_behind_does_not_wait() {
        let pace = Pace::new(2, 64);
        (0..10).for_each(|_| pace.found(63));
        assert_eq!(until_due(&pace), 8);
        (0..3).for_each(|_| pace.found(64));
        assert_eq!(until_due(&pace), 1);
    }

    #[test]
    fn who_waits_for_answers_is_not_kept_waiting() {
        // Four threads that ask and wait: four records, however long the worker waits.
        let pace = Pace::new(2, 64);
        for _ in 0..100 {
            assert!(until_due(&pace) <= 4);
            pace.found(4);
        }
        // A single one.
        pace.reset();
        for _ in 0..100 {
            assert_eq!(until_due(&pace), 1);
            pace.found(1);
        }
    }

    #[test]
    fn a_stream_that_ends_is_forgotten() {
        let pace = Pace::new(2, 64);
        (0..10).for_each(|_| pace.found(50));
        assert_eq!(until_due(&pace), 8);
        let waits: Vec<u32> = (0..4)
            .map(|_| {
                pace.found(0);
                until_due(&pace)
            })
            .collect();
        assert_eq!(waits, [4, 2, 1, 1]);
        (0..10).for_each(|_| pace.found(50));
        pace.reset();
        assert_eq!(until_due(&pace), 1);
    }
}
