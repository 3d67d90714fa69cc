//! Whether a stream from outside leaves a processor for another worker.
//!
//! A thread that sends message after message to a runtime keeps a processor busy, as a worker at work does. Where they have all processors between
//! them, an idle worker that is given work takes time from those that it is to help: the sender, or the worker that takes in what is sent and then has to
//! pass on half of it.

use crate::Nanos;

/// A stream takes less time than this for eight bytes. A message is three times that, and takes 6 ns if nothing holds the sender up, or 65 if each line of
/// the inbox comes from a processor far away. Whoever takes longer does something else, or sleeps, most of the time.
const WORD: Nanos = 32;
/// Sends are counted over this time at least: a sender may be held up for some microseconds.
const WINDOW: Nanos = 20_000;
/// So long after it was last seen a stream still counts as one, about a slice of the system's time: a sender that has lost its processor to somebody else
/// goes on when it gets one.
const SLICE: Nanos = 3_000_000;

/// Who wants processors besides the worker that is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crowd {
    /// Workers that are at work, this one included.
    pub at_work: u32,
    /// Processors that the process may use.
    pub processors: u32,
    /// Words of 8 bytes that threads outside have sent since some moment that stays the same. A message is as long as it is and two words more, for its
    /// kind and its receiver; an actor, or a batch of messages, is two or three words.
    pub sent: u64,
}

/// What threads outside send, as one worker sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stream {
    /// When sends were last counted, and how many words there had been by then.
    counted: (Nanos, u64),
    /// It has flowed, and counts until then.
    until: Nanos,
}

impl Stream {
    /// Notes what was sent until now; whether a stream flows and leaves no processor for another worker.
    pub(crate) fn fills(&mut self, now: Nanos, crowd: Crowd) -> bool {
        let (then, before) = self.counted;
        let took = now.saturating_sub(then);
        if took >= WINDOW {
            let words = crowd.sent.saturating_sub(before);
            if took <= words.saturating_mul(WORD) {
                self.until = now.saturating_add(SLICE);
            }
            self.counted = (now, crowd.sent);
        }
        now < self.until && crowd.at_work >= crowd.processors.saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crowd(sent: u64) -> Crowd {
        Crowd {
            at_work: 1,
            processors: 2,
            sent,
        }
    }

    #[test]
    fn a_stream_is_what_hardly_pauses() {
        let mut stream = Stream::default();
        let mut fills = |now: Nanos, sent| stream.fills(1_000_000 + now, crowd(sent));
        assert!(!fills(0, 1_000), "it took a millisecond");
        assert!(!fills(1, 2_000), "too soon to say");
        assert!(fills(20_000, 1_625));
        assert!(fills(40_000, 1_625), "its sender has lost its processor");
        assert!(fills(3_019_999, 60_000));
        assert!(!fills(3_020_000, 60_000));
        assert!(!fills(3_040_000, 60_624));
        assert!(fills(3_060_000, 61_249));
    }

    #[test]
    fn its_sender_is_one_who_needs_a_processor() {
        let fills = |at_work, processors| {
            let mut stream = Stream::default();
            stream.fills(
                WINDOW,
                Crowd {
                    at_work,
                    processors,
                    sent: WINDOW,
                },
            )
        };
        assert!(fills(1, 1) && fills(1, 2) && fills(2, 2) && fills(7, 8));
        assert!(!fills(1, 3) && !fills(6, 8) && !fills(1, u32::MAX));
    }

    #[test]
    fn odd_clocks_and_counts_are_no_stream() {
        let mut stream = Stream::default();
        assert!(stream.fills(1_000_000, crowd(1_000_000)));
        assert!(
            stream.fills(0, crowd(0)),
            "the clock went back: nothing is counted"
        );
        assert!(!stream.fills(9_000_000, crowd(0)));
    }
}
