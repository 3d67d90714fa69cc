//! Others act for a worker that is in a long handler.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use loom::thread;

use super::cell::*;
use super::explore;
use super::worker::*;

/// What `worker::absence` is about: a worker's private core, whether it is inside, its tag, its state.
struct Absent {
    presence: Presence,
    /// The run queue: numbers of the cells in it.
    queue: UnsafeCell<Vec<usize>>,
    /// Number of the cell whose token is in the inbound list, 0 if none is.
    inbound: AtomicUsize,
    /// The actor that runs, one that is queued, one that is idle, another one that is queued.
    cells: [Cell; 4],
    /// The actor whose handler runs: `Core::current`, part of the core.
    current: UnsafeCell<usize>,
}

impl Absent {
    /// `Core::take_over`: of what is queued there so many belong to `me` now, and what has arrived for one that stays queued is seen to in its
    /// worker's place. Returns what was taken.
    fn rescue(&self, me: usize, grant: usize) -> Vec<usize> {
        if !self.presence.lock() {
            return Vec::new();
        }
        let taken: Vec<usize> = self
            .queue
            .with_mut(|queue| unsafe { (*queue).drain(..grant).collect() });
        for &cell in &taken {
            self.cells[cell].tag.store(tag(me, 0), Release);
            self.touch(cell, me);
        }
        self.receive(me);
        self.presence.unlock();
        taken
    }

    /// `Core::handle_token_for` for what is in the inbound list, by who may use the core.
    fn receive(&self, me: usize) {
        let arrived = self.inbound.swap(0, AcqRel);
        if arrived == 0 {
            return;
        }
        let stays = self.queue.with(|queue| unsafe { (*queue).contains(&arrived) });
        if !stays && self.cells[arrived].tag.load(Acquire) == tag(1, 0) {
            self.cells[arrived].tag.store(tag(me, 0), Release);
        }
        if stays || self.cells[arrived].tag.load(Acquire) == tag(me, 0) {
            self.touch(arrived, me);
        }
    }

    /// `Core::adopt` of an absent worker's actor, then a local send.
    fn adopt(&self, cell: usize, me: usize) -> bool {
        if self
            .presence
            .state
            .compare_exchange(ABSENT, ABSENT_LOCKED, Acquire, Relaxed)
            .is_err()
        {
            return false;
        }
        let ours = self.cells[cell].tag.load(Acquire) == tag(1, 0)
            && cell != self.current.with(|current| unsafe { *current });
        if ours {
            self.cells[cell].tag.store(tag(me, 0), Release);
        }
        self.presence.unlock();
        if ours {
            self.touch(cell, me);
        }
        ours
    }

    /// What only the owner may do.
    fn touch(&self, cell: usize, me: usize) {
        self.cells[cell]
            .private
            .with_mut(|private| unsafe { (*private).got.push(me) });
    }
}

/// A worker runs a handler and enters the runtime in it, while one worker takes some of what is queued there and adopts, and another adopts. Whoever
/// touches the core or an actor is alone with it: loom reports two accesses that nothing orders.
/// Mirrors `Core::enter`, `Core::leave`, `Core::come_back`, `Core::come_in`, `Core::rescue`, `Core::revoke`, `Core::adopt`.
#[test]
fn absence() {
    explore(|| {
        let shared = Arc::new(Absent {
            presence: Presence::new(),
            queue: UnsafeCell::new(vec![1, 3]),
            // For the one that stays behind.
            inbound: AtomicUsize::new(3),
            cells: [Cell::new(1), Cell::new(1), Cell::new(1), Cell::new(1)],
            current: UnsafeCell::new(0),
        });
        let rescuer = {
            let shared = shared.clone();
            thread::spawn(move || {
                let rescued = shared.rescue(2, 1);
                // The actor whose handler runs is never to be had.
                assert!(!shared.adopt(0, 2));
                rescued
            })
        };
        let adopter = {
            let shared = shared.clone();
            thread::spawn(move || usize::from(shared.adopt(2, 3)))
        };
        // The worker: its core and the actor that runs are its own before the handler, in a send, and after it.
        let queued = |shared: &Absent| {
            shared.touch(0, 1);
            let queued = shared.queue.with_mut(|queue| unsafe { (*queue).clone() });
            let ours = |&cell: &usize| shared.cells[cell].tag.load(Acquire) == tag(1, 0);
            assert!(queued.iter().all(ours), "what is queued here is another's");
            for cell in 1..4 {
                if shared.cells[cell].tag.load(Acquire) == tag(1, 0) {
                    shared.touch(cell, 1);
                }
            }
            queued
        };
        assert_eq!(queued(&shared), [1, 3]);
        shared.presence.leave();
        shared.presence.enter_and_stay();
        queued(&shared);
        shared.presence.leave();
        shared.presence.enter();
        let before = queued(&shared);
        shared.receive(1);
        let adopted = adopter.join().unwrap();
        let rescued = rescuer.join().unwrap();
        // Nobody comes any more but us: we are inside.
        let left = queued(&shared);
        assert_eq!(
            [rescued, left.clone()].concat(),
            [1, 3],
            "queued twice or nowhere"
        );
        assert!(left.len() <= before.len());
        assert_eq!(
            shared.cells[2].tag.load(Acquire),
            if adopted == 1 { tag(3, 0) } else { tag(1, 0) }
        );
        assert_eq!(shared.presence.state.load(Relaxed), RUNNING);
    });
}
