//! What waits for a worker in a long handler is taken over by another one: how much, and what that is said to cost.

use std::sync::{Mutex, PoisonError, mpsc};

use datil::policy::{Board, Nanos, Offer, Pick, Policy, Preemption, Setup, Stint};
use datil::{Actor, Address, Context, ReplyTo, Runtime};

use crate::alone;

/// How often a worker was relieved before, each time that somebody asked how much is to be taken over.
static ASKED: Mutex<Vec<u32>> = Mutex::new(Vec::new());
/// The messages and the toll of the stint that has handled most.
static LONGEST: Mutex<(u64, Nanos)> = Mutex::new((0, 0));

/// All begins on worker 0. Of what waits for a worker in a long handler the guard takes one actor at a time. If `ROBS` it takes all, and mostly comes too
/// late: one is given away at once, and who has it robs.
struct Relieving<const ROBS: bool>;

impl<const ROBS: bool> Policy for Relieving<ROBS> {
    const NAME: &'static str = "relieving";
    const STEALS: bool = ROBS;
    const PREEMPTS: Preemption = Preemption::Unanswered;
    // Else no toll is measured.
    const CROSSINGS: u32 = u32::MAX;

    fn new(_: Setup) -> Self {
        Self
    }
    fn batch(&self) -> u32 {
        1
    }
    fn pick(&mut self, _: u32) -> Pick {
        Pick::Oldest
    }
    fn place(_: u32, _: u32) -> Option<u32> {
        Some(0)
    }
    fn watch(&mut self, _: usize, _: u32) -> bool {
        true
    }
    fn offer(&mut self, _: Nanos, queued: usize, _: Board) -> Offer {
        if ROBS && queued > 0 {
            Offer::Give(1)
        } else {
            Offer::Keep
        }
    }
    fn ran_dry(&mut self, _: Nanos, stint: Option<Stint>, _: Board) -> bool {
        let Some(stint) = stint else { return false };
        let mut longest = LONGEST.lock().unwrap_or_else(PoisonError::into_inner);
        *longest = longest.max((stint.messages, stint.toll));
        true
    }
    fn hunt(&mut self, attempt: u32) -> Option<u32> {
        (attempt < 1_000).then_some(attempt % 2)
    }
    fn grant(&mut self, queued: usize) -> usize {
        queued
    }
    fn relieve(&mut self, queued: usize, before: u32) -> usize {
        if ROBS {
            return queued;
        }
        ASKED.lock().unwrap_or_else(PoisonError::into_inner).push(before);
        queued.min(1)
    }
}

/// Creates so many others, and stays in its handler until all have run.
struct Stuck(usize);

struct Short;

impl Actor for Stuck {
    type Msg = ReplyTo<()>;

    fn handle(&mut self, reply: Self::Msg, cx: &mut Context<'_, Self>) {
        let (done, all) = mpsc::channel();
        for _ in 0..self.0 {
            let short = cx.spawn(Short);
            cx.tell(short, done.clone());
        }
        drop(done);
        assert!(all.recv().is_err(), "it ends when nobody is left who could send");
        reply.send(());
    }
}

impl Actor for Short {
    type Msg = mpsc::Sender<()>;

    fn handle(&mut self, _: Self::Msg, cx: &mut Context<'_, Self>) {
        cx.stop();
    }
}

/// Lets it be stuck once.
fn get_stuck(stuck: Address<Stuck>) {
    assert_eq!(stuck.ask(|reply| reply).wait(), Ok(()));
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
#[cfg_attr(miri, ignore = "too long")]
fn a_policy_is_told_how_often_a_worker_was_relieved_in_the_same_handler() {
    let _turn = alone();
    let runtime = Runtime::builder()
        .workers(2)
        .build_with::<Relieving<false>>()
        .unwrap();
    let stuck = runtime.spawn(Stuck(4));
    for _ in 0..2 {
        ASKED.lock().unwrap_or_else(PoisonError::into_inner).clear();
        get_stuck(stuck);
        let asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner).clone();
        assert_eq!(asked, [0, 1, 2, 3]);
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs membarrier")]
#[cfg_attr(miri, ignore = "too long")]
fn actors_that_are_taken_over_cost_what_given_ones_do() {
    const ACTORS: usize = 100_000;
    /// Only a robber gets so many.
    const ROBBED: u64 = 1_000;
    // What datil counts for an actor from another worker.
    const EACH: Nanos = 50;
    let _turn = alone();
    let runtime = Runtime::builder()
        .workers(2)
        .build_with::<Relieving<true>>()
        .unwrap();
    let stuck = runtime.spawn(Stuck(ACTORS));
    // Where there is one processor only the guard mostly comes first.
    for _ in 0..1_000 {
        get_stuck(stuck);
        let (actors, toll) = *LONGEST.lock().unwrap_or_else(PoisonError::into_inner);
        if actors >= ROBBED {
            assert!(toll >= EACH * actors, "{toll} ns for {actors} actors");
            return;
        }
    }
    panic!("nobody robs a worker that is in its handler for long");
}
