//! The order of the default: the newest first or the oldest first, whichever a worker's actors are found to run faster in.
//!
//! The newest first finds what was written a moment ago still in the nearest cache, and keeps queues short: new actors run before their
//! parents make more of them. The oldest first lets messages gather: whoever many write to (a mall, a table with its
//! philosophers, a dictionary) then runs once for all of them and not once for each. Neither how many messages an activation
//! finds nor how many actors wait tells which it will be, but the time that a message takes does, and it comes out the same again and again.
//!
//! So now and then a worker tries the order that it does not use. A *trial* is some *windows* in turn, one in each order; before each the
//! queue passes through once, for it was left by the other order. The newest first is the rule: it gives way only if every window of the
//! oldest first was faster than every one of the newest first, and clearly. The oldest first stays as long as its best
//! window is faster than the other's, and as long as that can be measured. It is over at once if the queue grows: then actors are made faster
//! than they end. A trial that changes nothing doubles the rest before the next one, so that all trials together cost little however bad the
//! other order is.

use crate::{Nanos, Pick, Progress};

/// Every so many activations an actor goes on that has used up its batch: many wait for its answers, if it has so much mail.
const TURN: u32 = 64;
/// Every so many activations the oldest runnable actor gets its turn; more often costs cache, not only time.
const FAIRNESS: u32 = 2048;
const _: () = assert!(
    TURN.is_power_of_two() && FAIRNESS.is_multiple_of(TURN),
    "turns are told by bits, and those of the oldest are among the others"
);

/// Activations before the first trial, and most between two.
const REST: (u64, u64) = (1 << 11, 1 << 18);
/// A window has so many activations at least, and takes so long at least: a look at the clock takes 25 ns, and it should be one of many
/// rounds of a program's actors.
const WINDOW: (u64, Nanos) = (512, 10_000);
/// Windows of each order in a trial.
const WINDOWS: u32 = 3;
/// Percent of the time of a message in the newest first that a message may take for the oldest first to be faster.
const FASTER: u64 = 95;
/// Activations that take longer on average have nothing to gain from an order.
const LONG: Nanos = 2_000;
/// With more actors in the queue it takes too long until they have passed through.
const MANY: usize = 1_024;
/// Activations after which an order has settled, beside one for each actor that was in the queue.
const SETTLED: u64 = 64;
/// A queue has grown that is longer than twice what it was and this.
const SLACK: usize = 128;

/// The time that messages took in the windows of one order, in 256ths of a nanosecond each.
#[derive(Clone, Copy, Debug)]
struct Times {
    windows: u32,
    best: u64,
    worst: u64,
}

impl Times {
    const NONE: Self = Self {
        windows: 0,
        best: u64::MAX,
        worst: 0,
    };

    fn add(&mut self, time: u64) {
        self.windows += 1;
        self.best = self.best.min(time);
        self.worst = self.worst.max(time);
    }
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// No trial is on.
    Resting,
    /// What is in the queue was put there in the other order.
    Settling,
    /// A window is open that began then; false if the worker has done something else since.
    Measuring(Nanos, Progress, bool),
}

/// The order of one worker; see the module documentation.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// Numbers of activations that have one of these bits are the newest actor's; none are while the oldest first is in use.
    newest_at: u32,
    /// The order of which the last trial has said that it is the faster one.
    decided: bool,
    stage: Stage,
    /// The number of activations at which the stage ends.
    due: u64,
    /// Activations before the next trial.
    rest: u64,
    /// A longer queue ends the oldest first.
    limit: usize,
    newest: Times,
    oldest: Times,
}

impl Order {
    pub(crate) fn new() -> Self {
        Self {
            newest_at: TURN - 1,
            decided: false,
            stage: Stage::Resting,
            due: REST.0,
            rest: REST.0,
            limit: usize::MAX,
            newest: Times::NONE,
            oldest: Times::NONE,
        }
    }

    /// See [`crate::Policy::pick`]. What is asked before each activation is one test as long as the newest is next.
    #[inline(always)]
    pub(crate) fn pick(&self, tick: u32) -> Pick {
        if tick & self.newest_at != 0 {
            Pick::Newest
        } else if !tick.is_multiple_of(TURN) {
            Pick::Oldest
        } else {
            turn_of_the_oldest(tick)
        }
    }

    fn is_oldest_first(&self) -> bool {
        self.newest_at == 0
    }

    /// Notes that the worker does something else than run actors: the time of an open window says nothing.
    pub(crate) fn disturb(&mut self) {
        if let Stage::Measuring(_, _, quiet) = &mut self.stage {
            *quiet = false;
        }
    }

    /// Notes how far the worker is; true if it is time for [`Order::judge`].
    pub(crate) fn advance(&mut self, progress: Progress) -> bool {
        if self.is_oldest_first() && progress.queued > self.limit {
            self.decide(false, progress);
        }
        progress.activations >= self.due
    }

    /// Ends the stage, if enough time has passed.
    pub(crate) fn judge(&mut self, now: Nanos, progress: Progress) {
        match self.stage {
            Stage::Resting if progress.queued > MANY => self.decide(false, progress),
            Stage::Resting => {
                (self.newest, self.oldest) = (Times::NONE, Times::NONE);
                self.measure(now, progress);
            }
            Stage::Settling => self.measure(now, progress),
            Stage::Measuring(_, _, false) if self.decided => self.give_up(progress),
            Stage::Measuring(_, _, false) if self.is_oldest_first() => self.decide(false, progress),
            // As long as the rule is in use that costs nothing.
            Stage::Measuring(_, _, false) => self.measure(now, progress),
            Stage::Measuring(then, before, true) => {
                let took = now.saturating_sub(then);
                if took >= WINDOW.1 {
                    self.close(took, before, progress);
                }
            }
        }
    }

    /// Opens a window.
    fn measure(&mut self, now: Nanos, progress: Progress) {
        self.stage = Stage::Measuring(now, progress, true);
        self.due = progress.activations + WINDOW.0;
    }

    /// Closes a window that was open for so long; goes on with the other order, or ends the trial.
    fn close(&mut self, took: Nanos, before: Progress, progress: Progress) {
        if took / (progress.activations - before.activations).max(1) >= LONG {
            return self.decide(false, progress);
        }
        let messages = (progress.messages - before.messages).max(1);
        let times = if self.is_oldest_first() {
            &mut self.oldest
        } else {
            &mut self.newest
        };
        times.add(took.saturating_mul(256) / messages);
        if self.is_lost() {
            return self.decide(false, progress);
        }
        if self.newest.windows.min(self.oldest.windows) == WINDOWS {
            return self.decide(is_faster(self.oldest.best, self.newest.best), progress);
        }
        self.turn(!self.is_oldest_first(), progress);
        self.stage = Stage::Settling;
        self.due = progress.activations + progress.queued as u64 + SETTLED;
    }

    /// Whether the newest first, if it is in use, will stay so whatever comes.
    fn is_lost(&self) -> bool {
        let both = self.newest.windows > 0 && self.oldest.windows > 0;
        both && !self.decided && !is_faster(self.oldest.worst, self.newest.best)
    }

    /// Ends a trial of the newest first that was disturbed. The oldest first stays, but not for ever where nothing can be measured.
    fn give_up(&mut self, progress: Progress) {
        if self.rest <= REST.0 {
            return self.decide(false, progress);
        }
        self.rest /= 2;
        self.rest_in(true, progress);
    }

    /// Ends a trial, or the oldest first.
    fn decide(&mut self, oldest_first: bool, progress: Progress) {
        if oldest_first == self.decided {
            self.rest = (2 * self.rest).min(REST.1);
        }
        self.rest_in(oldest_first, progress);
    }

    fn rest_in(&mut self, oldest_first: bool, progress: Progress) {
        self.decided = oldest_first;
        self.turn(oldest_first, progress);
        self.stage = Stage::Resting;
        self.due = progress.activations + self.rest;
    }

    fn turn(&mut self, oldest_first: bool, progress: Progress) {
        if oldest_first && !self.is_oldest_first() {
            self.limit = 2 * progress.queued + SLACK;
        }
        self.newest_at = if oldest_first { 0 } else { TURN - 1 };
    }
}

fn is_faster(oldest: u64, newest: u64) -> bool {
    oldest < newest.saturating_mul(FASTER) / 100
}

/// Whose turn it is now and then, in either order. Apart, so that the question before each activation is one test.
#[cold]
#[inline(never)]
fn turn_of_the_oldest(tick: u32) -> Pick {
    if tick.is_multiple_of(FAIRNESS) {
        Pick::Oldest
    } else {
        Pick::Yielded
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Random;

    /// A worker whose actors take so long in either order, and make so many others in the oldest first.
    struct Program {
        newest: Nanos,
        oldest: Nanos,
        growth: usize,
        /// Most percent by which a window's time differs from that, either way.
        noise: u32,
    }

    /// What came of it.
    struct Run {
        order: Order,
        /// Activations in the oldest first.
        oldest_first: u64,
        /// How often the order has changed but for trials.
        changes: u32,
        longest: usize,
    }

    const STEADY: Program = Program {
        newest: 100,
        oldest: 100,
        growth: 0,
        noise: 0,
    };
    const STRIDE: u64 = 16;
    const QUEUED: usize = 100;

    impl Program {
        /// Runs it from an order on, and tells the order every 16 activations of one message each.
        fn run(&self, mut order: Order, from: u64, activations: u64, random: &mut Random) -> Run {
            let (mut now, mut queued) = (from * 100, QUEUED);
            let mut run = Run {
                order: Order::new(),
                oldest_first: 0,
                changes: 0,
                longest: 0,
            };
            let mut factor = 100;
            for look in from / STRIDE..(from + activations) / STRIDE {
                let progress = Progress {
                    activations: look * STRIDE,
                    messages: look * STRIDE,
                    queued,
                };
                let decided = order.decided;
                if order.advance(progress) {
                    order.judge(now, progress);
                    factor = 100 - self.noise + random.below(2 * self.noise + 1);
                }
                run.changes += u32::from(order.decided != decided);
                let oldest_first = order.is_oldest_first();
                run.oldest_first += if oldest_first { STRIDE } else { 0 };
                run.longest = run.longest.max(queued);
                queued = if oldest_first {
                    queued + self.growth
                } else {
                    QUEUED
                };
                let each = if oldest_first { self.oldest } else { self.newest };
                now += STRIDE * each * u64::from(factor) / 100;
            }
            run.order = order;
            run
        }

        fn start(&self) -> Run {
            self.run(Order::new(), 0, 1 << 20, &mut Random::new(1))
        }
    }

    /// In either order.
    #[test]
    fn everybody_has_turns() {
        let mut order = Order::new();
        for oldest_first in [false, true] {
            order.newest_at = if oldest_first { 0 } else { TURN - 1 };
            let picks: Vec<Pick> = (0..FAIRNESS).map(|tick| order.pick(tick)).collect();
            let of = |pick| picks.iter().filter(|&&picked| picked == pick).count() as u32;
            assert_eq!(picks[0], Pick::Oldest);
            assert_eq!(of(Pick::Yielded), FAIRNESS / TURN - 1);
            let rule = if oldest_first { Pick::Oldest } else { Pick::Newest };
            assert!(of(rule) >= FAIRNESS - FAIRNESS / TURN, "{rule:?}");
        }
    }

    #[test]
    fn the_faster_order_wins() {
        let better = Program { oldest: 85, ..STEADY }.start();
        assert!(better.order.decided);
        assert!(better.oldest_first > 7 << 17, "{}", better.oldest_first);
        for oldest in [96, 100, 200, 10_000] {
            let worse = Program { oldest, ..STEADY }.start();
            assert_eq!(worse.changes, 0, "{oldest}");
            assert!(worse.oldest_first < 1 << 14, "{oldest}: {}", worse.oldest_first);
        }
    }

    /// Both ways, and not later than after the longest rest and a trial.
    #[test]
    fn a_program_that_changes_is_followed() {
        let (gathers, converses) = (
            Program { oldest: 80, ..STEADY },
            Program {
                oldest: 130,
                ..STEADY
            },
        );
        let mut random = Random::new(1);
        let (mut order, mut at) = (Order::new(), 0);
        for _ in 0..4 {
            for (program, oldest_first) in [(&gathers, true), (&converses, false)] {
                let most = REST.1 + 16 * WINDOW.0;
                order = program.run(order, at, most, &mut random).order;
                assert_eq!(order.decided, oldest_first);
                at += most;
            }
        }
    }

    #[test]
    fn a_queue_that_grows_ends_the_oldest_first() {
        let run = Program {
            oldest: 10,
            growth: 4,
            ..STEADY
        }
        .start();
        assert_eq!(run.changes, 0);
        assert!(run.longest <= 2 * QUEUED + SLACK + 4, "{}", run.longest);
        // Also one that began to grow later.
        let mut gathers = Program { oldest: 50, ..STEADY }.start();
        assert!(gathers.order.decided);
        let progress = Progress {
            activations: 1 << 21,
            messages: 1 << 21,
            queued: 2 * QUEUED + SLACK + 1,
        };
        gathers.order.advance(progress);
        assert!(!gathers.order.decided && !gathers.order.is_oldest_first());
    }

    /// Windows of equal orders differ by up to a fifth; in one trial of twenty all of the one would be the fastest, but they must be so
    /// clearly. What a wrong decision costs is nothing then, and that of a right one is not lost to noise.
    #[test]
    fn noise_decides_little() {
        let equal = Program { noise: 10, ..STEADY };
        let worse = Program {
            oldest: 125,
            noise: 10,
            ..STEADY
        };
        let better = Program {
            oldest: 70,
            noise: 10,
            ..STEADY
        };
        let (mut wrong, mut oldest_first) = (0, 0);
        for seed in 0..1_000 {
            let random = &mut Random::new(seed);
            wrong += equal.run(Order::new(), 0, 1 << 18, random).changes.min(1);
            assert_eq!(worse.run(Order::new(), 0, 1 << 18, random).changes, 0);
            oldest_first += better.run(Order::new(), 0, 1 << 18, random).oldest_first;
        }
        assert!(wrong < 200, "{wrong} of 1000");
        assert!(oldest_first > 800 << 18, "{oldest_first}");
    }

    /// So far, with a message in each activation.
    fn at(activations: u64) -> Progress {
        Progress {
            activations,
            messages: activations,
            queued: 0,
        }
    }

    #[test]
    fn a_disturbed_window_says_nothing() {
        let mut order = Order::new();
        order.judge(0, at(REST.0));
        order.disturb();
        order.judge(1_000_000, at(REST.0 + WINDOW.0));
        assert!(
            matches!(order.stage, Stage::Measuring(1_000_000, _, true)),
            "begins again"
        );
        order.judge(1_050_000, at(REST.0 + 2 * WINDOW.0));
        assert!(order.is_oldest_first());
        order.judge(1_060_000, at(REST.0 + 3 * WINDOW.0));
        order.disturb();
        order.judge(1_060_001, at(REST.0 + 4 * WINDOW.0));
        assert!(
            matches!(order.stage, Stage::Resting),
            "does not stay in an order that is not known"
        );
        assert!(!order.is_oldest_first());
    }

    /// A window is opened when all that waited have had their turn in the new order.
    #[test]
    fn an_order_is_given_time_to_settle() {
        let mut order = Order::new();
        let many = |activations| Progress {
            queued: MANY,
            ..at(activations)
        };
        order.judge(0, many(REST.0));
        let end = REST.0 + WINDOW.0;
        order.judge(50_000, many(end));
        assert!(order.is_oldest_first());
        assert!(!order.advance(many(end + MANY as u64)));
        assert!(order.advance(many(end + MANY as u64 + SETTLED)));
    }

    #[test]
    fn a_long_queue_is_not_tried() {
        let long = |activations| Progress {
            queued: MANY + 1,
            ..at(activations)
        };
        let mut order = Order::new();
        order.judge(0, long(REST.0));
        assert!(!order.advance(long(REST.0 + 2 * REST.0 - 1)));
        // If it has become so, there is no telling any more.
        let mut order = Program { oldest: 50, ..STEADY }.start().order;
        order.limit = usize::MAX;
        order.judge(0, long(order.due));
        assert!(!order.is_oldest_first());
    }

    /// A window in which the machine did something else does not end an order that has proved itself.
    #[test]
    fn one_slow_window_is_forgiven() {
        let mut order = Program { oldest: 50, ..STEADY }.start().order;
        let (mut now, mut rests) = (0, 0);
        for look in 1 << 16..(1 << 16) + 3 * REST.1 / STRIDE {
            let slow = matches!(order.stage, Stage::Measuring(..)) && order.oldest.windows == 1;
            now += if order.is_oldest_first() && !slow {
                800
            } else {
                1_600
            };
            if order.advance(at(look * STRIDE)) {
                order.judge(now, at(look * STRIDE));
                rests += u32::from(matches!(order.stage, Stage::Resting));
            }
            assert!(order.decided);
        }
        assert!(rests >= 2);
    }

    #[test]
    fn what_cannot_be_measured_any_more_does_not_stay() {
        let mut order = Program { oldest: 50, ..STEADY }.start().order;
        let mut now = 1 << 40;
        for look in 1 << 16.. {
            if !order.decided {
                break;
            }
            assert!(look < (1 << 16) + 2 * REST.1 / STRIDE, "never");
            now += 2_000;
            order.disturb();
            if order.advance(at(look * STRIDE)) {
                order.judge(now, at(look * STRIDE));
            }
        }
        assert!(!order.is_oldest_first());
    }

    #[test]
    fn long_activations_are_left_alone() {
        let run = Program {
            newest: LONG,
            oldest: 1,
            ..STEADY
        }
        .start();
        assert_eq!((run.changes, run.oldest_first), (0, 0));
    }

    proptest! {
        /// Whatever the clock and the queue do, the trials of an order that never wins take a small part of all activations.
        #[test]
        fn trials_are_few(
            steps in prop::collection::vec((0u64..100_000, 0usize..600, any::<bool>()), 64),
        ) {
            let mut order = Order::new();
            let (mut now, mut tried) = (0, 0);
            const ALL: u64 = 1 << 22;
            for look in 0..ALL / STRIDE {
                let (took, queued, disturbs) = steps[look as usize % steps.len()];
                // Slower in the oldest first.
                now += if order.is_oldest_first() { 2 * took + 100_000 } else { took };
                let progress = Progress { activations: look * STRIDE, messages: look * STRIDE, queued };
                if disturbs {
                    order.disturb();
                }
                if order.advance(progress) {
                    order.judge(now, progress);
                }
                tried += u64::from(order.is_oldest_first()) * STRIDE;
            }
            prop_assert!(tried <= ALL / 100, "{}", tried);
        }
    }
}
