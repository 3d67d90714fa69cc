//! Several cells that arrive at a worker at once.

use loom::sync::Arc;
use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use loom::thread;

use super::cell::*;
use super::explore;

/// Cells of which something is on its way to a worker, number 2, whose list of arrivals this is.
struct Delivery<const CELLS: usize> {
    cells: [Cell; CELLS],
    list: List,
    /// `Inbox::position`, of two records.
    position: AtomicUsize,
}

impl<const CELLS: usize> Delivery<CELLS> {
    fn new(owner: usize) -> Self {
        Self {
            cells: std::array::from_fn(|_| Cell::new(owner)),
            list: List::default(),
            position: AtomicUsize::new(0),
        }
    }

    /// `Core::route` and `Core::bring`, of a worker that takes no records: the token is delivered at once.
    fn send(&self, cell: usize, block: usize) {
        if self.cells[cell - 1].push_remote(block, 0, block) == Some(true) {
            self.list.deliver_one(&self.cells, cell);
        }
    }

    /// `Core::receive` and `Core::handle_token` of the worker that owns the cells.
    fn receive(&self) {
        for cell in self.list.take_all(&self.cells) {
            self.cells[cell - 1].collect_remote(EMPTY);
        }
    }

    fn got(&self, cell: usize) -> Vec<usize> {
        self.cells[cell - 1]
            .private
            .with(|private| unsafe { (*private).got.clone() })
    }
}

/// Two workers give actors to a third one, one of them two in a chain, while that one takes its list: each arrives once and as its giver left it, those of one
/// chain in order. Mirrors `Chain::add`, `Port::deliver`, `Port::take_all`.
///
/// Seen to fail: delivering without Release; taking without Acquire; delivering by a load and a store; a list that is not turned round.
#[test]
fn arrivals_are_all_there_and_in_order() {
    /// Worker 1 or 3 has run the actor last.
    fn give(shared: &Delivery<3>, tokens: &[usize]) {
        for &token in tokens {
            shared.cells[token - 1]
                .private
                .with_mut(|private| unsafe { (*private).got.push(token) });
        }
        shared
            .list
            .deliver(&shared.cells, Chain::of(&shared.cells, tokens));
    }
    explore(|| {
        let shared = Arc::new(Delivery::<3>::new(9));
        let givers: Vec<_> = [&[1, 2][..], &[3][..]]
            .into_iter()
            .map(|tokens| {
                let shared = shared.clone();
                thread::spawn(move || give(&shared, tokens))
            })
            .collect();
        let mut came = Vec::new();
        let mut accept = || {
            for cell in shared.list.take_all(&shared.cells) {
                assert_eq!(shared.got(cell), [cell], "not as it was left");
                came.push(cell);
            }
        };
        accept();
        givers.into_iter().for_each(|giver| giver.join().unwrap());
        accept();
        let at = |cell| came.iter().position(|&other| other == cell);
        assert!(at(1) < at(2), "out of order: {came:?}");
        came.sort_unstable();
        assert_eq!(came, [1, 2, 3], "lost or doubled");
    });
}

/// A worker handles the tokens of its list one after the other, while each cell whose token it has given up is brought again: the rest of the list is not lost
/// by that. Mirrors `Arrivals::next`, `Core::receive`, `Core::handle_token`.
///
/// Seen to fail: reading the link after the token was handled.
#[test]
fn a_link_is_read_before_its_token_is_handled() {
    explore(|| {
        let shared = Arc::new(Delivery::<2>::new(2));
        shared.send(1, FIRST);
        shared.send(2, FIRST);
        let senders: Vec<_> = (1..=2)
            .map(|cell| {
                let shared = shared.clone();
                thread::spawn(move || shared.send(cell, FIRST + 1))
            })
            .collect();
        shared.receive();
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        shared.receive();
        for cell in 1..=2 {
            assert_eq!(shared.got(cell), [FIRST, FIRST + 1], "lost or out of order");
            assert_eq!(shared.cells[cell - 1].remote.load(Relaxed), word(EMPTY, 0));
        }
        assert!(!shared.list.has_mail());
    });
}

/// A worker under a policy that routes takes two records for actors of another one and keeps the tokens until it has taken both; that one writes to one of the
/// actors meanwhile, and so does a third worker. Who finds the inbox empty finds delivered what was in it, and everything comes once and in order.
/// Mirrors `Inbox::drain`, `Core::deliver_token`, `Core::deliver_gathered`, `Core::admit`.
///
/// Seen to fail: saying so by the position before the tokens are delivered; storing the position without Release, or loading it without Acquire; delivering without
/// Release; a chain of which the newest token alone is delivered.
#[test]
fn who_finds_the_inbox_empty_finds_delivered_what_was_in_it() {
    explore(|| {
        let shared = Arc::new(Delivery::<2>::new(2));
        let taker = {
            let shared = shared.clone();
            thread::spawn(move || {
                let mut gathered = Chain::default();
                for cell in 1..=2 {
                    if shared.cells[cell - 1].push_remote(FIRST, 0, FIRST) == Some(true) {
                        gathered.add(&shared.cells, cell);
                    }
                }
                shared.list.deliver(&shared.cells, gathered);
                shared.position.store(2, Release);
            })
        };
        let sender = {
            let shared = shared.clone();
            thread::spawn(move || shared.send(1, FIRST + 1))
        };
        // A local send: what has come from elsewhere goes first, and the token, which is out, stays where it is.
        let local = &shared.cells[1];
        if local.remote.load(Relaxed) & 0xFF > TOKEN {
            local.collect_remote(TOKEN);
        }
        local
            .private
            .with_mut(|private| unsafe { (*private).got.push(FIRST + 2) });
        let is_empty = shared.position.load(Acquire) == 2;
        if shared.list.has_mail() {
            shared.receive();
        }
        if is_empty {
            let came = (1..=2).all(|cell| shared.got(cell).contains(&FIRST));
            // The token of the first one may be its sender's, who has not brought it yet; that one is not idle meanwhile.
            let others = shared.cells[0].remote.load(Relaxed) & 0xFF > TOKEN;
            assert!(came || others && shared.got(2).contains(&FIRST), "not delivered");
        }
        taker.join().unwrap();
        sender.join().unwrap();
        shared.receive();
        let sorted = |cell| {
            let mut got = shared.got(cell);
            got.sort_unstable();
            got
        };
        assert_eq!(sorted(1), [FIRST, FIRST + 1], "lost or doubled");
        assert_eq!(sorted(2), [FIRST, FIRST + 2], "lost or doubled");
        for cell in &shared.cells {
            assert_eq!(cell.remote.load(Relaxed), word(EMPTY, 0), "the token is back");
        }
    });
}
