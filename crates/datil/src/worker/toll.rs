//! What other workers cost a worker, as far as it can tell: the toll of being apart, by which a policy judges whether that pays.

use std::cell::Cell;

use datil_policy::Nanos;

use crate::ticks::{self, Look, Rate};

/// One in so many of each kind is timed: two looks at the clock take about as long as a send that finds the lines at hand, and at the processor's
/// ticks half of that.
const SAMPLE: u32 = 8;
/// Added to what the ticks show. The limits by which policies judge were found with the clock, whose own time is part of what it times, and
/// longer than the ticks' by so much; without it a program whose workers mostly wait for each other seems to gain by being apart.
const LESS_THAN_THE_CLOCK: Nanos = 15;
/// What is timed takes no longer than this, but for a worker that had to wait for a processor.
const LONGEST: Nanos = 4_000;
/// What a message from another worker costs afterwards, when it is handled, beyond what it costs anyway: one line that comes from another
/// processor's cache. Its first line is fetched, and timed, while it is taken in.
const MESSAGE: Nanos = 50;
/// The same of a moved actor. It has waited in a queue for a while: what its own worker keeps of it is not in the nearest cache, either.
const MOVED: Nanos = 50;

/// What is timed, each kind in turn by itself: two that alternate must not be sampled as one.
#[derive(Clone, Copy)]
pub(crate) enum Passage {
    /// A message goes to another worker.
    Out,
    /// What has come from other workers is taken in.
    In,
}

/// When a passage that is timed began, by the clock or in ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Began {
    Clock(Nanos),
    Ticks(u64),
}

/// The toll that a worker has paid since it started; see [`datil_policy::Stint::toll`].
pub(crate) struct Toll {
    /// The policy asks for it now; nothing is timed otherwise.
    is_asked_for: Cell<bool>,
    paid: Cell<Nanos>,
    /// Passages so far, by kind.
    passages: [Cell<u32>; 2],
    /// The first look at the processor's ticks, where these are of use.
    start: Option<Look>,
    /// How long they are, once that is known.
    rate: Cell<Option<Rate>>,
}

impl Toll {
    /// `start` is a look at the processor's ticks and the clock that times passages; without one only the latter does.
    pub(crate) fn new(is_asked_for: bool, start: Option<Look>) -> Self {
        Self {
            is_asked_for: Cell::new(is_asked_for),
            paid: Cell::new(0),
            passages: Default::default(),
            start,
            rate: Cell::new(None),
        }
    }

    /// Begins or ends to time passages; between two of them.
    pub(crate) fn measure(&self, is_asked_for: bool) {
        self.is_asked_for.set(is_asked_for);
    }

    /// When a passage began, if it is one of those that are timed.
    #[inline]
    pub(crate) fn begin(&self, passage: Passage, now: impl Fn() -> Nanos) -> Option<Began> {
        if !self.is_asked_for.get() {
            return None;
        }
        let passages = &self.passages[passage as usize];
        passages.set(passages.get().wrapping_add(1));
        passages.get().is_multiple_of(SAMPLE).then(|| self.look(now))
    }

    fn look(&self, now: impl Fn() -> Nanos) -> Began {
        if self.rate.get().is_some() {
            return Began::Ticks(ticks::read());
        }
        self.rate
            .set(self.start.and_then(|start| Rate::since(start, &now)));
        Began::Clock(now())
    }

    /// Counts a passage that has ended, for itself and for those that were not timed.
    #[inline]
    pub(crate) fn end(&self, began: Option<Began>, now: impl FnOnce() -> Nanos) {
        let took = match (began, self.rate.get()) {
            (None, _) => return,
            (Some(Began::Clock(began)), _) => now().saturating_sub(began),
            (Some(Began::Ticks(began)), Some(rate)) => {
                LESS_THAN_THE_CLOCK + rate.nanos(ticks::read().saturating_sub(began))
            }
            (Some(Began::Ticks(_)), None) => unreachable!("a rate that is known stays known"),
        };
        self.charge(took.min(LONGEST) * Nanos::from(SAMPLE));
    }

    /// Counts messages that have come from other workers.
    pub(crate) fn received(&self, messages: u32) {
        self.charge(MESSAGE * Nanos::from(messages));
    }

    /// Counts an actor that has come from another worker.
    pub(crate) fn moved(&self) {
        self.charge(MOVED);
    }

    pub(crate) fn paid(&self) -> Nanos {
        self.paid.get()
    }

    fn charge(&self, toll: Nanos) {
        self.paid.set(self.paid.get() + toll);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The toll of so many passages in turn, of which each takes as long as its place says.
    fn paid(toll: &Toll, passages: &[(Passage, Nanos)], rounds: usize) -> Nanos {
        let now = Cell::new(0);
        for &(passage, took) in passages.iter().cycle().take(rounds * passages.len()) {
            let began = toll.begin(passage, || now.get());
            now.set(now.get() + took);
            toll.end(began, || now.get());
        }
        toll.paid()
    }

    #[test]
    fn a_sample_stands_for_all() {
        assert_eq!(paid(&Toll::new(true, None), &[(Passage::Out, 100)], 64), 6_400);
        let alternating = [(Passage::Out, 100), (Passage::In, 300)];
        assert_eq!(paid(&Toll::new(true, None), &alternating, 64), 25_600);
    }

    #[test]
    fn a_worker_without_a_processor_does_not_pay_for_that() {
        assert_eq!(
            paid(&Toll::new(true, None), &[(Passage::In, 10_000_000)], 8),
            Nanos::from(SAMPLE) * LONGEST
        );
    }

    #[test]
    fn what_comes_counts_each() {
        let toll = Toll::new(true, None);
        (0..5).for_each(|_| toll.moved());
        assert_eq!(toll.paid(), 250);
        toll.received(7);
        assert_eq!(toll.paid(), 600);
    }

    #[test]
    fn nothing_is_timed_if_nobody_asks() {
        let toll = Toll::new(false, None);
        let never = || panic!("looks at the clock");
        (0..100).for_each(|_| assert_eq!(toll.begin(Passage::Out, never), None));
        assert_eq!(toll.paid(), 0);
    }

    #[test]
    fn what_passes_is_timed_while_somebody_asks() {
        let toll = Toll::new(false, None);
        let passages = [(Passage::Out, 100)];
        assert_eq!(paid(&toll, &passages, 64), 0);
        toll.measure(true);
        assert_eq!(paid(&toll, &passages, 64), 6_400);
        toll.measure(false);
        assert_eq!(paid(&toll, &passages, 64), 6_400);
    }

    /// By the clock until it is known how long ticks are, where they are of use.
    #[test]
    fn ticks_take_the_place_of_the_clock() {
        let born = std::time::Instant::now();
        let now = || born.elapsed().as_nanos() as Nanos;
        let start = Look::take(now);
        let toll = Toll::new(true, start);
        let sampled = || {
            (0..SAMPLE)
                .find_map(|_| toll.begin(Passage::Out, now))
                .expect("one is")
        };
        assert!(matches!(sampled(), Began::Clock(_)));
        if start.is_none() {
            return;
        }
        let began = loop {
            std::thread::sleep(std::time::Duration::from_millis(1));
            let began = sampled();
            if matches!(began, Began::Ticks(_)) {
                break began;
            }
        };
        assert_eq!(toll.paid(), 0);
        std::thread::sleep(std::time::Duration::from_micros(20));
        toll.end(Some(began), || panic!("looks at the clock"));
        assert_eq!(toll.paid(), LONGEST * Nanos::from(SAMPLE));
        toll.end(Some(sampled()), || panic!("looks at the clock"));
        let more = toll.paid() - LONGEST * Nanos::from(SAMPLE);
        assert!(
            (LESS_THAN_THE_CLOCK..=LONGEST).contains(&(more / Nanos::from(SAMPLE))),
            "{more}"
        );
    }
}
