//! Who is woken: under a policy that finds out whether thefts pay, and for an actor in the slot.

use std::hint::black_box;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use datil::policy::{AdaptiveLocality, AdaptiveWaking, Board, GoLike, Policy, TokioLike};
use datil::{Actor, Address, Context, Runtime, WorkerMetrics};

use super::recorded::{Answer, Paid, Question, Record, Recorded, TALLY, Unproven, collect, pays};
use super::{alone, nodes};

/// Actors that a [`Source`] makes at a time, and how long each runs: longer than a theft must keep its thief busy to be worth it.
const PIECES: u32 = 6;
const PIECE: Duration = Duration::from_micros(100);
/// How long a source lets the others go without work. They go to sleep meanwhile.
const PAUSE: Duration = Duration::from_micros(500);
/// More bursts than any of the programs below needs, whatever else the machine does.
const PATIENCE: u32 = 5_000;

fn compute(time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {
        black_box((0..200).sum::<u32>());
    }
}

/// Makes a few actors that have nothing to do with each other, waits until they have ended, and begins anew until it is enough.
struct Source {
    bursts: u32,
    ended: u32,
    enough: fn() -> bool,
    over: mpsc::Sender<()>,
}

enum Turn {
    Burst,
    Ended,
}

impl Actor for Source {
    type Msg = Turn;

    fn handle(&mut self, turn: Turn, cx: &mut Context<'_, Self>) {
        match turn {
            Turn::Burst => {
                compute(PAUSE);
                for _ in 0..PIECES {
                    cx.spawn(Piece(cx.address()));
                }
            }
            Turn::Ended => self.ended += 1,
        }
        if self.ended == PIECES {
            self.ended = 0;
            self.bursts -= 1;
            if self.bursts == 0 || (self.enough)() {
                self.over.send(()).unwrap();
            } else {
                cx.tell(cx.address(), Turn::Burst);
            }
        }
    }
}

struct Piece(Address<Source>);

impl Actor for Piece {
    type Msg = ();

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        compute(PIECE);
        cx.tell(self.0, Turn::Ended);
        cx.stop();
    }

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

/// Lets a source work until it is enough.
fn burst_until<P: Policy>(workers: usize, enough: fn() -> bool) -> WorkerMetrics {
    let builder = Runtime::builder().workers(workers).topology(nodes(1));
    let runtime = builder.build_with::<P>().unwrap();
    let (over, is_over) = mpsc::channel();
    let source = runtime.spawn(Source {
        bursts: PATIENCE,
        ended: 0,
        enough,
        over,
    });
    source.tell(Turn::Burst);
    is_over.recv().unwrap();
    runtime.wait_quiescent();
    runtime.metrics().total()
}

/// How often a worker, or all of them, were asked something and gave such an answer.
fn count(records: &[Record], is_one: impl Fn(&Question, &Answer) -> bool) -> u64 {
    let asked = records.iter().flat_map(|record| &record.asked);
    asked
        .filter(|(question, answer)| is_one(question, answer))
        .count() as u64
}

fn summoned(records: &[Record]) -> u64 {
    count(records, |question, _| matches!(question, Question::summoned {}))
}

/// Independent work wakes the others as soon as thieves have found out by themselves that it is worth it, and what they find out is shown
/// to those who have something waiting.
fn thefts_that_pay_wake_sleepers<P: Policy>(workers: usize) {
    let _turn = alone();
    let enough = || TALLY.summoned.load(Relaxed) >= 10 && TALLY.paying.load(Relaxed) >= 10;
    let mut did = WorkerMetrics::default();
    let (records, _) = collect(|| did = burst_until::<Recorded<P>>(workers, enough));
    assert!(enough(), "{} workers: {did:?}", P::NAME);
    // Three or fewer call nobody without proof.
    let proven = |board: &Board| board.paid > 0 || workers > 3;
    let wanted = count(&records, |question, answer| {
        matches!(question, Question::calls { board, .. } if proven(board)) && *answer == Answer::Yes(true)
    });
    assert!(
        wanted >= summoned(&records),
        "nobody is woken unless the policy says so"
    );
    assert!(did.wakes >= summoned(&records) && did.steals >= 10, "{did:?}");
    for record in &records {
        for (question, answer) in &record.asked {
            if let (Question::parted { now, stint, board }, Answer::Board(after)) = (question, answer) {
                assert!(stint.began <= *now, "{question:?}");
                let worked = stint.messages > 0 || *now > stint.began;
                assert!(
                    worked || !pays(*board, *after),
                    "who took nothing has gained nothing"
                );
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "too long")]
fn adaptive_waking_wakes_sleepers_for_independent_work() {
    thefts_that_pay_wake_sleepers::<AdaptiveWaking>(2);
    thefts_that_pay_wake_sleepers::<AdaptiveWaking>(4);
}

#[test]
#[cfg_attr(miri, ignore = "too long")]
fn adaptive_locality_wakes_sleepers_for_independent_work() {
    thefts_that_pay_wake_sleepers::<AdaptiveLocality>(2);
}

/// On a node of four workers nobody waits for a theft that pays: an actor that waits beside another one wakes a neighbour, proof or not.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn neighbours_are_woken_before_anything_is_proven() {
    let _turn = alone();
    let enough = || TALLY.summoned.load(Relaxed) >= 10;
    collect(|| {
        burst_until::<Recorded<AdaptiveWaking, Unproven>>(4, enough);
    });
    assert!(enough(), "only what was proven woke anybody");
}

/// Who is woken is told so and begins to search anew, and its policy hears once what came of it before it is woken again.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn who_is_woken_searches_anew_and_gives_an_account() {
    let _turn = alone();
    let enough = || TALLY.summoned.load(Relaxed) >= 20;
    let (records, _) = collect(|| {
        burst_until::<Recorded<AdaptiveWaking, Paid>>(3, enough);
    });
    assert!(enough(), "hardly anybody was woken");
    let mut anew = 0;
    for record in &records {
        // Step of the last search before, whether it was summoned since, and whether it owes an account.
        let (mut last, mut begins, mut owes) = (0, false, false);
        for (question, _) in &record.asked {
            match *question {
                Question::summoned {} => {
                    assert!(!owes, "woken twice without an account");
                    anew += u32::from(last > 0);
                    (begins, owes) = (true, true);
                }
                Question::search { step } => {
                    assert!(!begins || step == 0, "went on with step {step}");
                    (last, begins) = (step, false);
                }
                Question::parted { .. } => owes = false,
                _ => {}
            }
        }
    }
    assert!(anew > 0, "nobody had searched before");
}

/// Writes to another one, which writes back, so many times, and computes so long each time.
struct Volley {
    effort: Duration,
    other: Option<Address<Volley>>,
    over: mpsc::Sender<()>,
}

enum Ball {
    Serve(u32),
    Caught(Address<Volley>, u32),
}

impl Actor for Volley {
    type Msg = Ball;

    fn handle(&mut self, ball: Ball, cx: &mut Context<'_, Self>) {
        let left = match ball {
            Ball::Serve(left) => {
                self.other = Some(cx.spawn(Volley {
                    effort: self.effort,
                    other: None,
                    over: self.over.clone(),
                }));
                left
            }
            Ball::Caught(_, 0) => return self.over.send(()).unwrap(),
            Ball::Caught(from, left) => {
                self.other = Some(from);
                left
            }
        };
        compute(self.effort);
        cx.tell(self.other.unwrap(), Ball::Caught(cx.address(), left - 1));
    }
}

/// Two actors that only write to each other.
fn volley<P: Policy>(balls: u32, effort: Duration) -> WorkerMetrics {
    let builder = Runtime::builder().workers(2).topology(nodes(1));
    let runtime = builder.build_with::<P>().unwrap();
    let (over, is_over) = mpsc::channel();
    let first = runtime.spawn(Volley {
        effort,
        other: None,
        over,
    });
    first.tell(Ball::Serve(balls));
    is_over.recv().unwrap();
    runtime.wait_quiescent();
    runtime.metrics().total()
}

const BALLS: u32 = if cfg!(miri) { 200 } else { 30_000 };
/// Balls of which each takes so long that the other worker is asleep again.
const LONG_BALLS: u32 = if cfg!(miri) { 5 } else { 200 };

/// Whatever thefts have proved: there is never anybody who waits beside another one.
#[test]
fn two_who_write_to_each_other_wake_nobody() {
    let _turn = alone();
    for (balls, effort) in [(BALLS, Duration::ZERO), (LONG_BALLS, PIECE)] {
        let (records, _) = collect(|| {
            volley::<Recorded<AdaptiveWaking, Paid>>(balls, effort);
        });
        assert_eq!(TALLY.summoned.load(Relaxed), 0);
        assert_eq!(summoned(&records), 0);
    }
}

/// Runs of which one must be as it should: a worker that loses its processor is looked after by the guard, who must be woken for that.
const RUNS: u32 = 20;
/// Wakes that are not for the actors' sake: the start, and the guard.
const FEW: u64 = 5;

/// An actor in an empty slot is about to run, and policies may say that nobody is woken for it.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn the_slot_wakes_somebody_only_where_the_policy_says_so() {
    let some_run = |wakes: fn(u32, Duration) -> WorkerMetrics, is_right: fn(u64) -> bool| {
        (0..RUNS).any(|_| is_right(wakes(LONG_BALLS, PIECE).wakes))
    };
    assert!(some_run(volley::<TokioLike>, |wakes| wakes <= FEW));
    assert!(some_run(volley::<GoLike>, |wakes| wakes >= u64::from(LONG_BALLS / 4)));
}
