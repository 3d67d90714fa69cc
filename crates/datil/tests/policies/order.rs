//! The default finds out in which order its worker's actors run faster, by what the host tells it.

use std::sync::atomic::Ordering::Relaxed;

use datil::policy::{Adaptive, Progress};
use datil::{Actor, Context, Runtime};

use crate::recorded::{ByActivation, ByMessage, Question, Record, Recorded, TALLY, Times, collect};
use crate::{PATIENCE, Quick, alone, nodes, work_until};

/// Has one worker do jobs, which take as long as `T` says, until it is enough.
fn work<T: Times>(enough: fn() -> bool) -> Record {
    let run = || work_until::<Recorded<Adaptive, T>, Quick>(1, nodes(1), PATIENCE, enough);
    collect(run).0.pop().expect("there was a worker")
}

/// In the newest first the boss has one message at a time.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn the_oldest_goes_first_where_that_is_faster() {
    let _turn = alone();
    let enough = || TALLY.oldest.load(Relaxed) > 20_000;
    work::<ByActivation>(enough);
    assert!(enough(), "never found out");
}

#[test]
#[cfg_attr(miri, ignore = "too long")]
fn the_newest_goes_first_where_it_makes_no_difference() {
    let _turn = alone();
    let enough = || TALLY.newest.load(Relaxed) > 50_000;
    work::<ByMessage>(enough);
    let oldest = TALLY.oldest.load(Relaxed);
    assert!(
        enough() && (500..5_000).contains(&oldest),
        "it is tried: {oldest}"
    );
}

/// A policy hears at least every 16 activations how far its worker is, and what it hears is true.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn progress_is_told_often_enough() {
    let _turn = alone();
    let record = work::<ByMessage>(|| TALLY.newest.load(Relaxed) > 10_000);
    let mut before = Progress {
        activations: 0,
        messages: 0,
        queued: 0,
    };
    let mut picks = 0;
    for (question, _) in &record.asked {
        match *question {
            Question::pick { tick } => picks = tick,
            Question::advanced { progress } => {
                assert!(progress.activations - before.activations <= 16);
                assert!(progress.messages >= before.messages);
                // Whoever was picked last has run, if there was anybody; the boss and its hands are all there are.
                assert!(u64::from(picks) - progress.activations <= 1);
                assert!(progress.queued <= 7, "{progress:?}");
                before = progress;
            }
            _ => {}
        }
    }
    // Each but the start of an actor handles a message.
    assert!(
        before.activations > 10_000 && before.messages + 7 >= before.activations,
        "{before:?}"
    );
}

/// Counts nothing, answers nobody.
struct Listener;

impl Actor for Listener {
    type Msg = ();
    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

/// A worker that has had nothing to do looks around at once: what comes now has nothing to do with what was before.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn progress_is_told_after_each_rest() {
    let _turn = alone();
    let (records, _) = collect(|| {
        let builder = Runtime::builder().workers(1).topology(nodes(1));
        let runtime = builder.build_with::<Recorded<Adaptive>>().unwrap();
        let listener = runtime.spawn(Listener);
        for _ in 0..10 {
            runtime.wait_quiescent();
            listener.tell(());
        }
        runtime.wait_quiescent();
    });
    let mut told = records[0]
        .asked
        .iter()
        .filter_map(|(question, _)| match *question {
            Question::advanced { progress } => Some(progress.messages),
            _ => None,
        });
    for messages in 0..10 {
        assert!(
            told.any(|so_far| so_far == messages),
            "not before message {messages}"
        );
    }
}
