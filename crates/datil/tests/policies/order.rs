//! The default finds out in which order its worker's actors run faster, by what the host tells it.

use std::sync::atomic::Ordering::Relaxed;

use datil::policy::{Adaptive, Progress};

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
