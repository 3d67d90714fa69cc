//! The default: keep conversations on one worker, spread what is independent, and find out which is which.
//!
//! Messages inside a worker cost a few nanoseconds, messages between workers ten times that, and waking a
//! worker as much as a thousand local messages. So work leaves a worker only after a backlog has lasted, and
//! every such move is a trial. Two workers of which each spends half of its time on the other, on sending to it and on taking in
//! what comes from it, get no more done than one; if it comes to that, and clearly so, or the receiver runs dry at once, the trial failed
//! and the pause before the next one doubles, for all workers together. It did not if the two were seen to handle messages faster than one
//! of them did alone (`pace.rs`). While trials pay, a worker that runs dry asks the others
//! for more instead of going to sleep, and takes some of it itself if they are in handlers that take long. Activations that take longer than it takes to wake somebody are worth that by themselves, whatever
//! came of trials. No trial begins where those at work have all processors, or a thread outside that sends all the time needs the one on which it would be
//! made (`stream.rs`).
//!
//! Whether the newest actor runs next or the oldest is found out by the time that messages take in either order, by each worker
//! for itself (`order.rs`).

use std::mem;

use crate::order::Order;
use crate::pace::{Alone, Together};
use crate::stream::Stream;
use crate::{
    Board, Crowd, Encounter, Nanos, Offer, Pair, Pick, Policy, Preemption, Progress, Setup, Stint, Verdict,
};

/// Backlog must last this long before anything is offered; a wake costs about as much.
const PATIENCE: Nanos = 20_000;
/// Activations that take so long are given away at once: it is what a wake costs who calls.
const LONG: Nanos = 5_000;
/// Time between two looks at the clock while a backlog lasts. A look costs as much as some messages, and long handlers must not wait
/// for many of their kind; so activations are counted, as many as will take about this long.
const GLANCE: Nanos = 4_000;
/// Activations between two looks at the clock, at most.
const GLANCE_EVERY: u32 = 256;
/// Percent of a worker's time that others may cost it ([`Stint::toll`]) before a conversation was cut. Half is what two workers can bear. It
/// is more, for what is timed holds the looks at the clock, and a stretch is a small sample. Where a line takes 40 ns from processor to
/// processor, a program that gained by being apart paid 30 % and in its worst stretch 73, and conversations that were cut mostly 85 to 115;
/// where it takes 200 ns they come nearer: 43 % and at worst 89, and mostly 62 to 97.
const TOO_MUCH: u64 = 70;
/// One in so many parts is little enough for a trial that paid.
const LITTLE: Nanos = 8;
/// A worker looks back at least so far when it asks itself what others cost it: long handlers often send all they have to send at
/// their end, and streams pass on many messages at a time.
const STRETCH: Nanos = 100_000;
/// First and longest pause after a failed trial.
const PAUSE: (Nanos, Nanos) = (250_000, 64_000_000);
/// Longest pause after a trial that was only over too soon: it cost a wake, which is a hundredth of this.
const SHORT_PAUSE: Nanos = 2_000_000;
/// Actors given away at a time, at first; twice as many after each trial that paid. Each costs what it takes to move its lines, there and
/// back, which is more than most need to run once.
const PORTION: usize = 128;
/// A receiver that runs dry having handled fewer messages, and sooner than this, was not worth waking.
const WORTH_WAKING: (u64, Nanos) = (256, 100_000);
/// So often a worker looks around after each activation while actors start, for their first message: as many as a program may have whose
/// messages take long.
const STARTS: u32 = 64;
/// Looks in a row that find no backlog before it counts as ended: one who deals out work to many has none for a moment each time they
/// are all done.
const LULLS: u32 = 4;
/// Times that a worker asks others for work before it sleeps, while trials pay; each of them once, if there are more. The host
/// pauses for about a microsecond between two of them.
const ASKS: u32 = 24;
/// Activations in a row by the same foreign worker after which an actor moves there.
const STREAK: u32 = 4;

/// Adopt, share, judge, follow, ask for more; see the module documentation.
#[derive(Clone, Debug)]
pub struct Adaptive {
    me: u32,
    workers: u32,
    /// Activations until the next look at the clock.
    until_glance: u32,
    /// Activations between the last look and the next.
    glance_every: u32,
    glanced_at: Nanos,
    /// Activations since that look.
    passed: u32,
    start: Start,
    /// Whether this worker has done something else since that look.
    interrupted: bool,
    /// How long an activation took on average before the last look at the clock, and before the last but one; 0 if that is not known.
    activations: [Nanos; 2],
    backlog_since: Option<Nanos>,
    stream: Stream,
    /// No processor is left for another worker, or a thread outside that sends has the last one.
    is_crowded: bool,
    /// Looks in a row that found no backlog.
    lulls: u32,
    /// When the toll was last judged, and how much had been paid by then.
    judged: (Nanos, Nanos),
    alone: Alone,
    together: Together,
    order: Order,
}

impl Adaptive {
    /// Notes a look at the clock and decides when the next is due.
    fn glance(&mut self, now: Nanos) {
        let took = now.saturating_sub(self.glanced_at);
        self.glanced_at = now;
        let passed = u64::from(mem::take(&mut self.passed));
        let interrupted = mem::take(&mut self.interrupted);
        let messages = self.start.handled.1;
        self.alone.note(now, messages, (!interrupted).then_some(took));
        let activation = if interrupted {
            0
        } else {
            // None has passed if one is still at it and has just sent to many. That it takes long says nothing about those.
            took.checked_div(passed).unwrap_or(0)
        };
        self.activations = [activation, self.activations[0]];
        let most = (2 * self.glance_every).min(GLANCE_EVERY);
        let fitting = passed.max(1) * GLANCE / took.max(1);
        self.glance_every = fitting.clamp(1, u64::from(most)) as u32;
        self.until_glance = self.glance_every;
    }

    /// Whether activations take long, at two looks in a row: a worker that had no processor for a while, or one long handler that wrote
    /// to many others, looks like that once.
    fn are_long(&self) -> bool {
        self.activations.iter().all(|&took| took >= LONG)
    }
}

/// Actors that start one after the other and handle nothing yet. How long that takes does not say how long their messages will.
#[derive(Clone, Debug, Default)]
struct Start {
    /// Activations and messages handled by the last look.
    handled: (u64, u64),
    /// The activations before that were of no message.
    is_on: bool,
    /// Looks that are still worth while after each activation.
    looks: u32,
}

impl Start {
    /// Notes how far the worker is; true if the first messages were handled since the last look.
    fn ends(&mut self, progress: Progress) -> bool {
        let (activations, messages) =
            mem::replace(&mut self.handled, (progress.activations, progress.messages));
        if activations == progress.activations {
            return false;
        }
        let was_on = mem::replace(&mut self.is_on, messages == progress.messages);
        self.looks = match (was_on, self.is_on) {
            (_, false) => 0,
            (false, true) => STARTS,
            (true, true) => self.looks.saturating_sub(1),
        };
        was_on && !self.is_on
    }
}

/// Whether such a toll in a time says that a conversation was cut.
fn is_too_much(toll: Nanos, time: Nanos) -> bool {
    toll > time.saturating_mul(TOO_MUCH) / 100
}

/// The board after a trial that failed at `now`, with a pause of at most so long. One that was longer before is not forgotten.
fn failed(now: Nanos, board: Board, longest: Nanos) -> Board {
    let pause = board.pause.saturating_mul(2).clamp(PAUSE.0, longest);
    Board {
        not_before: now.saturating_add(pause),
        pause: pause.max(board.pause),
        paid: 0,
        ..board
    }
}

/// The board after a trial that paid: the next may be at once. Where some pay and others do not, as while threads outside send and after
/// that, the pauses after failures become shorter only step by step.
fn succeeded(board: Board) -> Board {
    Board {
        not_before: 0,
        pause: board.pause / 2,
        paid: board.paid.saturating_add(1),
        ..board
    }
}

/// Actors to give away at most after so many times that paid, or to take over after so many times that did not suffice.
fn portion(times: u32) -> usize {
    PORTION << times.min(16)
}

impl Policy for Adaptive {
    const NAME: &'static str = "adaptive";
    const STEALS: bool = true;
    const PREEMPTS: Preemption = Preemption::Unanswered;
    const ADOPTS: bool = true;
    const FOLLOWS: bool = true;
    const CROSSINGS: u32 = 64;

    fn place(_: u32, _: u32) -> Option<u32> {
        // Sharing spreads it if that pays.
        None
    }

    fn new(setup: Setup) -> Self {
        Self {
            me: setup.worker,
            workers: setup.workers,
            until_glance: 1,
            glance_every: 1,
            glanced_at: 0,
            passed: 0,
            start: Start::default(),
            interrupted: true,
            activations: [0; 2],
            backlog_since: None,
            stream: Stream::default(),
            is_crowded: false,
            lulls: 0,
            judged: (0, 0),
            alone: Alone::default(),
            together: Together::default(),
            order: Order::new(),
        }
    }

    fn batch(&self) -> u32 {
        128
    }

    #[inline(always)]
    fn pick(&mut self, tick: u32) -> Pick {
        self.order.pick(tick)
    }

    fn advanced(&mut self, progress: Progress) -> bool {
        if self.start.ends(progress) {
            self.until_glance = 0;
        }
        self.order.advance(progress)
    }

    fn timed(&mut self, now: Nanos, progress: Progress) {
        self.order.judge(now, progress);
    }

    fn watch(&mut self, queued: usize, passed: u32) -> bool {
        self.passed = self.passed.saturating_add(passed);
        if queued == 0 {
            self.lulls = self.lulls.saturating_add(1);
            if self.lulls >= LULLS {
                self.backlog_since = None;
            }
            return false;
        }
        self.lulls = 0;
        self.until_glance = self.until_glance.saturating_sub(passed);
        self.until_glance == 0
    }

    fn stride(&self) -> u32 {
        if self.start.looks > 0 {
            1
        } else {
            self.glance_every
        }
    }

    fn watches_closely(&self) -> bool {
        self.are_long()
    }

    fn interrupted(&mut self) {
        self.interrupted = true;
        self.order.disturb();
    }

    fn crowded(&mut self, now: Nanos, crowd: Crowd) {
        self.is_crowded = self.stream.fills(now, crowd) || crowd.at_work >= crowd.processors;
    }

    fn offer(&mut self, now: Nanos, queued: usize, board: Board) -> Offer {
        self.glance(now);
        let since = *self.backlog_since.get_or_insert(now);
        let lasts = now.saturating_sub(since) >= PATIENCE;
        let due = lasts && now >= board.not_before && !self.is_crowded;
        if queued == 0 || !(due || self.are_long()) {
            return Offer::Keep;
        }
        self.backlog_since = None;
        // What is left is another program than before.
        self.order.disturb();
        Offer::Give(queued.div_ceil(2).min(portion(board.paid)))
    }

    fn shared(&mut self, now: Nanos, board: Board) -> Board {
        self.alone.shares(now);
        Board {
            shared_at: now,
            alone: self.alone.pace().unwrap_or(board.alone),
            ..board
        }
    }

    fn crossed(&mut self, now: Nanos, toll: Nanos, pair: Pair, board: Board) -> Verdict {
        self.alone.shares(now);
        let (then, paid) = self.judged;
        if then < board.shared_at {
            // What was before the trial says nothing about it.
            self.judged = (now, toll);
            self.together.begin(now, pair);
            return Verdict::Apart;
        }
        self.together.look(now, pair);
        let took = now.saturating_sub(then);
        if took < STRETCH {
            return Verdict::Apart;
        }
        self.judged = (now, toll);
        let gain = self.together.gain(board.alone);
        if gain || !is_too_much(toll.saturating_sub(paid), took) {
            return Verdict::Apart;
        }
        self.together = Together::default();
        self.backlog_since = None;
        Verdict::Reunite(failed(now, board, PAUSE.1))
    }

    fn parted(&mut self, now: Nanos, stint: Stint, board: Board) -> Board {
        let lasted = now.saturating_sub(stint.began);
        let worthless = stint.messages < WORTH_WAKING.0 && lasted < WORTH_WAKING.1;
        let gained = self.together.end(board.alone);
        self.alone.shares(now);
        if is_too_much(stint.toll, lasted) && !gained {
            failed(now, board, PAUSE.1)
        } else if worthless {
            failed(now, board, SHORT_PAUSE)
        } else if stint.toll > lasted / LITTLE {
            Board {
                pause: if gained { board.pause / 2 } else { board.pause },
                ..board
            }
        } else {
            succeeded(board)
        }
    }

    fn ran_dry(&mut self, now: Nanos, stint: Option<Stint>, board: Board) -> bool {
        let pays = |stint: Stint| {
            let lasted = now.saturating_sub(stint.began);
            lasted >= PATIENCE && stint.toll <= lasted / LITTLE
        };
        board.paid > 0 || stint.is_some_and(pays)
    }

    fn hunt(&mut self, attempt: u32) -> Option<u32> {
        // The others in turn, beginning with the next.
        let others = self.workers - 1;
        (others > 0 && attempt < ASKS.max(others)).then(|| (self.me + 1 + attempt % others) % self.workers)
    }

    fn grant(&mut self, queued: usize) -> usize {
        queued.div_ceil(2).min(PORTION)
    }

    fn relieve(&mut self, queued: usize, before: u32) -> usize {
        // Nobody has tried yet whether it pays to take them. They must not wait, so twice as many go each time.
        queued.div_ceil(2).min(portion(before))
    }

    fn follow(&self, met: Encounter) -> bool {
        // Who has nothing else to do may as well do this.
        let wanted = met.alone && met.waiting == 0 && met.backlog > 0;
        // Whoever goes where more waits is soon brought back by a thief.
        let persistent = met.streak >= STREAK && met.waiting <= met.backlog;
        // A worker that has fallen asleep has got over it; what it waits for finds it adopted.
        met.awake && (met.reunion || wanted || persistent)
    }
}

/// [`Adaptive`] with every brake released: shares at once and always, takes from those in handlers, moves actors on every occasion and never judges.
/// Useless for work, good for finding races; hosts use it in their stress tests.
#[derive(Clone, Debug)]
pub struct Hostile {
    toggle: u32,
}

impl Policy for Hostile {
    const NAME: &'static str = "hostile";
    const STEALS: bool = true;
    const PREEMPTS: Preemption = Preemption::Unanswered;
    const ADOPTS: bool = true;
    const FOLLOWS: bool = true;
    const CROSSINGS: u32 = 7;

    fn new(setup: Setup) -> Self {
        Self { toggle: setup.worker }
    }

    fn batch(&self) -> u32 {
        3
    }

    fn spin(&self) -> u32 {
        0
    }

    fn pick(&mut self, tick: u32) -> Pick {
        [Pick::Newest, Pick::Oldest, Pick::Yielded][(tick % 3) as usize]
    }

    fn watch(&mut self, queued: usize, _: u32) -> bool {
        queued > 0
    }

    fn offer(&mut self, _: Nanos, queued: usize, _: Board) -> Offer {
        if queued == 0 {
            return Offer::Keep;
        }
        Offer::Give(queued.div_ceil(2))
    }

    fn crossed(&mut self, now: Nanos, _: Nanos, _: Pair, board: Board) -> Verdict {
        self.toggle = self.toggle.wrapping_add(1);
        if self.toggle.is_multiple_of(5) {
            Verdict::Reunite(failed(now, board, PAUSE.1))
        } else {
            Verdict::Apart
        }
    }

    fn follow(&self, _: Encounter) -> bool {
        true
    }

    fn hunt(&mut self, attempt: u32) -> Option<u32> {
        // The host skips a victim that is itself; two attempts keep thieves from spinning for ever.
        (attempt < 2).then_some(attempt)
    }

    fn grant(&mut self, queued: usize) -> usize {
        // All, or what leaves something behind.
        self.toggle = self.toggle.wrapping_add(1);
        if self.toggle.is_multiple_of(3) {
            queued
        } else {
            queued.div_ceil(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Adaptive, Board, GLANCE_EVERY, Offer, Policy, Progress, STARTS, Setup};

    /// It takes a worker that is never idle an hour to look so often.
    #[test]
    fn looks_that_find_no_backlog_may_be_any_number() {
        let setup = Setup {
            worker: 0,
            workers: 2,
            seed: 0,
        };
        let mut policy = Adaptive {
            lulls: u32::MAX,
            ..Adaptive::new(setup)
        };
        assert!(!policy.watch(0, 1));
        assert_eq!(policy.lulls, u32::MAX);
    }

    fn of_two() -> Adaptive {
        Adaptive::new(Setup {
            worker: 0,
            workers: 2,
            seed: 0,
        })
    }

    fn at(activations: u64, messages: u64) -> Progress {
        Progress {
            activations,
            messages,
            queued: 20,
        }
    }

    /// Twenty actors start in no time, and then the first message takes long: the next activation is not the sixteenth to be looked at.
    #[test]
    fn how_long_starts_take_says_nothing_of_messages() {
        let mut policy = of_two();
        policy.advanced(at(1, 0));
        policy.watch(20, 1);
        assert_eq!(policy.offer(0, 20, Board::default()), Offer::Keep);
        let mut looks = 0;
        for started in 2..20 {
            policy.advanced(at(started, 0));
            if policy.watch(20, 1) {
                looks += 1;
                policy.offer(started * 100, 20, Board::default());
            }
            assert_eq!(policy.stride(), 1);
        }
        assert!(looks < 10, "the clock is read more and more seldom: {looks}");
        policy.advanced(at(20, 1));
        assert!(policy.watch(20, 1), "time for the clock");
        let now = 200_000;
        assert_ne!(policy.offer(now, 20, Board::default()), Offer::Keep);
    }

    /// It is also seen if nobody idles, or nothing waits, just after that message.
    #[test]
    fn the_look_at_the_clock_after_starts_can_wait() {
        let mut policy = of_two();
        policy.advanced(at(1, 0));
        policy.advanced(at(2, 1));
        assert!(!policy.watch(0, 1));
        policy.advanced(at(3, 2));
        assert!(policy.watch(1, 1));
    }

    #[test]
    fn starts_are_watched_closely_for_a_while() {
        let mut policy = of_two();
        // Nothing else asks for close looks.
        policy.glance_every = GLANCE_EVERY;
        let mut closely = |all: &[Progress]| {
            let watched = all.iter().map(|&progress| {
                policy.advanced(progress);
                policy.stride() == 1
            });
            watched.filter(|&closely| closely).count() as u32
        };
        assert_eq!(closely(&[at(0, 0); 9]), 0, "nobody starts");
        let handles = |handled| at(handled, handled);
        assert_eq!(closely(&(1..100).map(handles).collect::<Vec<_>>()), 0);
        assert_eq!(
            closely(&(100..1_000).map(|all| at(all, 99)).collect::<Vec<_>>()),
            STARTS
        );
        assert_eq!(closely(&(1_000..1_100).map(handles).collect::<Vec<_>>()), 0);
    }
}
