//! Several readers of an actor in parallel, and the write that waits for them.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use loom::thread;

use super::explore;

/// The state of an actor that is read by several, and how its owner hears that it may go on.
#[derive(Default)]
struct ReadState {
    state: UnsafeCell<usize>,
    /// `query::readers::Room`.
    inside: AtomicUsize,
    /// The last reader's signal, on its way through the actor's remote list.
    resumed: AtomicUsize,
}

impl ReadState {
    /// `Room::open`.
    fn open(&self) {
        self.inside.store(1, Release);
    }

    /// `Room::enter`.
    fn enter(&self) -> bool {
        let mut inside = self.inside.load(Relaxed);
        while inside > 0 {
            match self.inside.compare_exchange(inside, inside + 1, Acquire, Relaxed) {
                Ok(_) => return true,
                Err(now) => inside = now,
            }
        }
        false
    }

    /// `Room::leave`.
    fn leave(&self) -> bool {
        self.inside.fetch_sub(1, AcqRel) == 1
    }

    fn read(&self) -> usize {
        self.state.with(|state| unsafe { *state })
    }

    fn write(&self, value: usize) {
        self.state.with_mut(|state| unsafe { *state = value });
    }

    /// `query::Helper::started`, and the end of its `Visit`.
    fn help(&self, sees: &[usize]) {
        if self.enter() {
            let seen = self.read();
            assert!(sees.contains(&seen), "a reader saw {seen}");
            if self.leave() {
                // `park::nobody_reads`: pushed with Release, as any block.
                assert_eq!(self.resumed.swap(1, AcqRel), 0, "let go on twice");
            }
        }
    }

    /// `query::close`, and what follows: a message that changes the state, at once or when the actor goes on.
    fn close_and_write(&self, value: usize) {
        if !self.leave() {
            while self.resumed.swap(0, AcqRel) == 0 {
                thread::yield_now();
            }
        }
        self.write(value);
    }
}

/// The owner reads beside two helpers, then changes the state; helpers may come too late. Mirrors `query::readers::Room`, `query::close`
/// and `park::resume`. Loom reports a reader that meets the write.
#[test]
fn readers_leave_before_the_state_changes() {
    explore(|| {
        let shared = Arc::new(ReadState::default());
        shared.write(1);
        shared.open();
        let helpers: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || shared.help(&[1]))
            })
            .collect();
        assert_eq!(shared.read(), 1);
        shared.close_and_write(2);
        helpers
            .into_iter()
            .for_each(|helper| helper.join().expect("helpers do not panic"));
        assert_eq!((shared.read(), shared.inside.load(Relaxed)), (2, 0));
    });
}

/// A helper called for one phase of reading may come in the next one; it is then one of that phase's readers, and the owner waits for it.
#[test]
fn a_late_reader_joins_the_next_phase() {
    explore(|| {
        let shared = Arc::new(ReadState::default());
        shared.write(1);
        shared.open();
        let helper = {
            let shared = shared.clone();
            thread::spawn(move || shared.help(&[1, 2]))
        };
        shared.close_and_write(2);
        shared.open();
        shared.close_and_write(3);
        helper.join().expect("helpers do not panic");
        assert_eq!(shared.read(), 3);
    });
}
