//! Nothing is left to do: who says so, and when.

use loom::sync::Arc;
use loom::sync::atomic::Ordering::{AcqRel, Relaxed, SeqCst};
use loom::sync::atomic::{AtomicUsize, fence};
use loom::thread;

use super::explore;

/// Two workers that idle. Something has come for the first one, which passes it on to the second.
struct Relay {
    mail: [AtomicUsize; 2],
    idle: AtomicUsize,
    epoch: AtomicUsize,
}

impl Relay {
    /// `Worker::get_up`, what it runs, and `Worker::rest`.
    fn pass_on(&self) {
        self.idle.fetch_sub(1, SeqCst);
        self.epoch.fetch_add(1, SeqCst);
        assert_eq!(self.mail[0].swap(0, AcqRel), 1);
        self.mail[1].swap(1, AcqRel);
        fence(SeqCst);
        self.idle.fetch_add(1, SeqCst);
    }

    /// `Team::is_quiet`; it may look at the list of the second one first.
    fn is_quiet(&self) -> bool {
        let epoch = self.epoch.load(SeqCst);
        self.idle.load(SeqCst) == 2 && {
            fence(SeqCst);
            self.mail.iter().rev().all(|mail| mail.load(Relaxed) == 0) && {
                fence(SeqCst);
                self.idle.load(SeqCst) == 2 && self.epoch.load(SeqCst) == epoch
            }
        }
    }
}

/// What a worker passes on to another one while somebody asks whether all is quiet is not overlooked, though one of the two lists is always empty. Mirrors
/// `Worker::get_up`, `Worker::rest`, `Team::is_quiet`.
///
/// Seen to fail: `epoch` is raised before `idle` is lowered.
#[test]
fn what_was_passed_on_is_not_quiet() {
    explore(|| {
        let shared = Arc::new(Relay {
            mail: [AtomicUsize::new(1), AtomicUsize::new(0)],
            idle: AtomicUsize::new(2),
            epoch: AtomicUsize::new(0),
        });
        let first = {
            let shared = shared.clone();
            thread::spawn(move || shared.pass_on())
        };
        assert!(!shared.is_quiet(), "the second one has not run");
        first.join().unwrap();
        assert!(!shared.is_quiet());
    });
}
