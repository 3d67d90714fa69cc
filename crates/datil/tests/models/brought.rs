//! What was brought to a worker that is in a handler.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::Ordering::{Relaxed, Release};
use loom::thread;

use super::cell::*;
use super::explore;
use super::worker::*;

/// A worker (1) that is in the handler of an actor, and what others have brought to it.
struct Deaf {
    presence: Presence,
    core: UnsafeCell<DeafCore>,
    /// The one that runs, and an idle one.
    cells: [Cell; 2],
    /// Of workers 1 and 2.
    lists: [List; 2],
}

/// The part that only the worker, or who acts for it, may touch.
struct DeafCore {
    /// `Core::current`.
    current: usize,
    /// `Presence::kept`.
    kept: usize,
}

impl Deaf {
    /// `Core::route` and `Core::bring`.
    fn send(&self, cell: usize, block: usize) {
        if self.cells[cell - 1].push_remote(block, 0, block) == Some(true) {
            self.bring(cell);
        }
    }

    fn bring(&self, cell: usize) {
        let owner = self.cells[cell - 1].owner();
        assert!(owner == 1 || owner == 2, "a token holder met an actor in transit");
        self.lists[owner - 1].deliver_one(&self.cells, cell);
    }

    /// `brought::insist`, and `Core::receive_absent`, where the policy routes what is idle to worker 2.
    fn insist(&self) {
        let state = &self.presence.state;
        if !self.lists[0].has_mail() || state.load(Relaxed) != RUNNING || !self.presence.lock() {
            return;
        }
        for cell in self.lists[0].take_all(&self.cells) {
            let owner = self.cells[cell - 1].owner();
            let runs = self.core.with(|core| unsafe { (*core).current });
            if owner == 1 && cell == runs {
                self.core.with_mut(|core| unsafe { (*core).kept = cell });
            } else if owner == 1 {
                // `routed::redirect`: list and token go along.
                self.cells[cell - 1].tag.store(tag(9, 0), Release);
                self.lists[1].deliver_one(&self.cells, cell);
            } else {
                self.bring(cell);
            }
        }
        self.presence.unlock();
    }

    /// `Core::enter` after a handler.
    fn enter(&self) {
        if self.presence.enter() {
            let kept = self
                .core
                .with_mut(|core| unsafe { std::mem::take(&mut (*core).kept) });
            if kept != 0 {
                self.lists[0].deliver_one(&self.cells, kept);
            }
        }
    }

    /// `Core::receive`.
    fn receive(&self, me: usize) {
        for cell in self.lists[me - 1].take_all(&self.cells) {
            let owner = self.cells[cell - 1].owner();
            if owner == 9 {
                // `Core::accept`, then the activation.
                self.cells[cell - 1].tag.store(tag(me, 0), Release);
            }
            if owner == 9 || owner == me {
                self.cells[cell - 1].collect_remote(EMPTY);
            } else {
                self.bring(cell);
            }
        }
    }
}

/// Two workers bring tokens to one that is in a handler, and insist: one of them acts for it, what is idle goes on elsewhere, the actor whose handler runs is left
/// alone, and its token is there when the worker comes back. Mirrors `brought::insist`, `Core::with_absent`, `Core::receive_absent`, `Core::come_back`.
///
/// Seen to fail: handling the token of the actor that runs, or giving that away; forgetting it when the worker comes back, or that it is inside then; storing ABSENT without Release; coming back, or locking
/// ABSENT, without Acquire; leaving without Release, or looking whether the worker is inside without Acquire, or not at all; either side without its fence.
#[test]
fn what_was_brought_to_a_worker_in_a_handler_is_insisted_on() {
    explore(|| {
        let shared = Arc::new(Deaf {
            presence: Presence::new(),
            core: UnsafeCell::new(DeafCore { current: 1, kept: 0 }),
            cells: [Cell::new(1), Cell::new(1)],
            lists: Default::default(),
        });
        let bringers: Vec<_> = [(2, FIRST), (3, FIRST + 1)]
            .into_iter()
            .map(|(me, block)| {
                let shared = shared.clone();
                thread::spawn(move || {
                    if me == 2 {
                        shared.send(1, block);
                    }
                    shared.send(2, block);
                    shared.insist();
                    if me == 2 {
                        shared.receive(2);
                    }
                })
            })
            .collect();
        shared.core.with_mut(|core| unsafe { (*core).current = 1 });
        shared.presence.leave();
        // The handler: its actor is its own, without entering.
        shared.cells[0]
            .private
            .with_mut(|private| unsafe { (*private).holds = false });
        shared.enter();
        shared.core.with_mut(|core| unsafe { (*core).current = 0 });
        shared.receive(1);
        bringers.into_iter().for_each(|bringer| bringer.join().unwrap());
        for me in [1, 2, 1, 2] {
            shared.receive(me);
        }
        let got = |cell: usize| {
            let mut got = shared.cells[cell - 1]
                .private
                .with(|private| unsafe { (*private).got.clone() });
            got.sort_unstable();
            got
        };
        assert_eq!(got(1), [FIRST], "lost or doubled");
        assert_eq!(got(2), [FIRST, FIRST + 1], "lost or doubled");
        assert_eq!(shared.cells[0].owner(), 1, "taken while its handler ran");
        for cell in &shared.cells {
            assert_eq!(cell.remote.load(Relaxed), word(EMPTY, 0), "the token is back");
        }
    });
}
