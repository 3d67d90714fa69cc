//! How actors change hands: adoption from idle workers, gifts, and claims of idle workers.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use loom::thread;

use super::cell::*;
use super::explore;
use super::worker::*;

/// Two adopters and the owner that wakes up: whoever the tag names touches the actor, and nobody else.
/// Mirrors `Core::adopt`, `Worker::rest` and `Worker::get_up`.
#[test]
fn adoption_against_waking_up_and_each_other() {
    explore(|| {
        let shared = Arc::new((Cell::new(1), AtomicUsize::new(RUNNING)));
        let adopters: Vec<_> = (2..4)
            .map(|me| {
                let shared = shared.clone();
                thread::spawn(move || adopt(&shared.0, &shared.1, 1, me))
            })
            .collect();
        let (cell, state) = &*shared;
        cell.private.with_mut(|private| unsafe { (*private).got.push(1) });
        state.store(IDLE, Release);
        // get_up
        while state.compare_exchange(IDLE, RUNNING, Acquire, Acquire).is_err() {
            thread::yield_now();
        }
        let still_mine = cell.tag.load(Acquire) == tag(1, 0);
        if still_mine {
            cell.private.with_mut(|private| unsafe { (*private).got.push(1) });
        }
        let adopted = adopters
            .into_iter()
            .filter(|_| true)
            .map(|a| a.join().unwrap())
            .filter(|&a| a)
            .count();
        assert_eq!(adopted + usize::from(still_mine), 1, "two owners, or none");
    });
}

/// One who has something to give claims an idle worker, and perhaps takes that back, while another adopts an actor of that worker: once it has got up it sees
/// whose the actor is. Mirrors `Core::adopt`, `Team::claim`, `Core::take_back`, `Worker::get_up` and `Worker::follow_claim`.
///
/// Seen to fail: claiming without Acquire, or taking back without Release.
#[test]
fn adoption_against_a_claim() {
    explore(|| {
        let shared = Arc::new((Cell::new(2), AtomicUsize::new(IDLE)));
        let adopter = {
            let shared = shared.clone();
            thread::spawn(move || adopt(&shared.0, &shared.1, 2, 3))
        };
        let giver = {
            let shared = shared.clone();
            thread::spawn(move || {
                let state = &shared.1;
                if state.compare_exchange(IDLE, LOCKED, Acquire, Relaxed).is_err() {
                    return;
                }
                state.store(CLAIMED, Release);
                if state.compare_exchange(CLAIMED, LOCKED, Acquire, Relaxed).is_ok() {
                    state.store(IDLE, Release);
                }
            })
        };
        let (cell, state) = &*shared;
        // get_up
        loop {
            match state.compare_exchange(IDLE, RUNNING, Acquire, Acquire) {
                Ok(_) => break,
                Err(CLAIMED) if state.compare_exchange(CLAIMED, RUNNING, Acquire, Relaxed).is_ok() => break,
                Err(_) => thread::yield_now(),
            }
        }
        let still_mine = cell.tag.load(Acquire) == tag(2, 0);
        if still_mine {
            cell.private.with_mut(|private| unsafe { (*private).got.push(2) });
        }
        let adopted = adopter.join().unwrap();
        giver.join().unwrap();
        assert!(adopted != still_mine, "two owners, or none");
    });
}

/// One who claims an idle worker, and perhaps takes that back, and one who calls it note that its thread is kept off some processors; once it has got up it takes
/// that back, and nobody notes it any more. Mirrors `Team::claim`, `Team::call_apart`, `Core::take_back`, `Worker::get_up`, `Worker::follow_claim` and, for what is
/// noted, `placement::Spot`: loom reports two accesses that nothing orders.
///
/// Seen to fail: getting up without Acquire, calling without the lock.
#[test]
fn who_is_kept_off_goes_free() {
    explore(|| {
        let shared = Arc::new((AtomicUsize::new(IDLE), UnsafeCell::new(0)));
        let locks = |state: &AtomicUsize| state.compare_exchange(IDLE, LOCKED, Acquire, Relaxed).is_ok();
        let keep_off = |noted: &UnsafeCell<usize>| noted.with_mut(|noted| unsafe { *noted += 1 });
        let claimer = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (state, noted) = &*shared;
                if !locks(state) {
                    return;
                }
                keep_off(noted);
                state.store(CLAIMED, Release);
                if state.compare_exchange(CLAIMED, LOCKED, Acquire, Relaxed).is_ok() {
                    state.store(IDLE, Release);
                }
            })
        };
        let caller = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (state, noted) = &*shared;
                if locks(state) {
                    keep_off(noted);
                    state.store(IDLE, Release);
                }
            })
        };
        let (state, noted) = &*shared;
        // get_up
        loop {
            match state.compare_exchange(IDLE, RUNNING, Acquire, Acquire) {
                Ok(_) => break,
                Err(CLAIMED) if state.compare_exchange(CLAIMED, RUNNING, Acquire, Relaxed).is_ok() => break,
                Err(_) => thread::yield_now(),
            }
        }
        noted.with_mut(|noted| unsafe { *noted = 0 });
        claimer.join().unwrap();
        caller.join().unwrap();
        assert_eq!(noted.with(|noted| unsafe { *noted }), 0, "kept off for ever");
    });
}

/// An owner gives an actor away while a sender writes to it. Mirrors `Core::give` (`take_token`), `Core::accept`,
/// `Core::handle_token` (forwarding), `bring_token`.
#[test]
fn gift_against_a_send() {
    explore(|| {
        // Worker 1 gives to worker 2; TRANSIT is owner 9.
        let shared = Arc::new((Cell::new(1), [Inbound::default(), Inbound::default()]));
        let bring = |cell: &Cell, inbound: &[Inbound; 2]| {
            let owner = cell.owner();
            assert!(owner == 1 || owner == 2, "a token holder met an actor in transit");
            inbound[owner - 1].push();
        };
        let sender = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (cell, inbound) = &*shared;
                if cell.push_remote(FIRST, 0, 7) == Some(true) {
                    bring(cell, inbound);
                }
            })
        };
        let receiver = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (cell, inbound) = &*shared;
                if inbound[1].take() {
                    handle(cell, inbound, 2);
                }
            })
        };
        fn handle(cell: &Cell, inbound: &[Inbound; 2], me: usize) {
            let owner = cell.owner();
            if owner == me {
                cell.collect_remote(EMPTY);
            } else if owner == 9 {
                // accept, then the end of the activation gives the token up (`go_idle`).
                cell.private
                    .with_mut(|private| unsafe { (*private).holds = true });
                cell.tag.store(tag(me, 0), Release);
                cell.private
                    .with_mut(|private| unsafe { (*private).holds = false });
                cell.collect_remote(EMPTY);
            } else {
                inbound[owner - 1].push();
            }
        }
        let (cell, inbound) = &*shared;
        let taken = cell
            .remote
            .compare_exchange(word(EMPTY, 0), word(TOKEN, 0), Acquire, Relaxed)
            .is_ok();
        if taken {
            cell.private
                .with_mut(|private| unsafe { (*private).holds = true });
            cell.tag.store(tag(9, 0), Release);
            inbound[1].push();
        }
        sender.join().unwrap();
        receiver.join().unwrap();
        for _ in 0..2 {
            for me in 1..=2 {
                if inbound[me - 1].take() {
                    handle(cell, inbound, me);
                }
            }
        }
        assert_eq!(cell.owner(), if taken { 2 } else { 1 });
        cell.private
            .with(|private| assert_eq!(unsafe { &(*private).got }, &[7]));
        assert_eq!(cell.remote.load(Relaxed), word(EMPTY, 0));
    });
}

/// A giver claims an idle worker and delivers an actor to it, then takes it back unless the
/// worker has got up. Mirrors `Team::claim`, `Core::give`, `Core::take_back`, `Worker::follow_claim`.
///
/// Seen to fail: taking back without the exchange (a load of `CLAIMED`), the worker following without it, claiming by one exchange and counting afterwards.
#[test]
fn a_claim_is_followed_or_taken_back() {
    const TRANSIT: usize = 9;
    struct Shared {
        cell: Cell,
        /// Of the idle worker, number 2.
        inbound: Inbound,
        state: AtomicUsize,
        /// Workers that idle, of two.
        idle: AtomicUsize,
    }
    fn accept(cell: &Cell, me: usize) {
        assert_eq!(
            cell.owner(),
            TRANSIT,
            "the list held an actor that is not on its way"
        );
        cell.private
            .with_mut(|private| unsafe { (*private).got.push(me) });
        cell.tag.store(tag(me, 0), Release);
        cell.collect_remote(EMPTY);
    }
    explore(|| {
        let mut cell = Cell::new(1);
        // The giver holds the token of what it gives.
        cell.remote = AtomicUsize::new(word(TOKEN, 0));
        let shared = Arc::new(Shared {
            cell,
            inbound: Inbound::default(),
            state: AtomicUsize::new(IDLE),
            idle: AtomicUsize::new(1),
        });
        let worker = {
            let shared = shared.clone();
            thread::spawn(move || {
                let Shared {
                    cell,
                    inbound,
                    state,
                    idle,
                } = &*shared;
                let followed = state.load(Relaxed) == CLAIMED
                    && state.compare_exchange(CLAIMED, RUNNING, Acquire, Relaxed).is_ok();
                if followed && inbound.take() {
                    accept(cell, 2);
                }
                if followed {
                    // It rests.
                    let idle = idle.fetch_add(1, SeqCst) + 1;
                    assert!(idle < 2, "all seem to idle while the giver is at work");
                }
                followed
            })
        };
        let Shared {
            cell,
            inbound,
            state,
            idle,
        } = &*shared;
        assert!(state.compare_exchange(IDLE, LOCKED, Acquire, Relaxed).is_ok());
        idle.fetch_sub(1, SeqCst);
        state.store(CLAIMED, Release);
        cell.tag.store(tag(TRANSIT, 0), Release);
        inbound.push();
        let taken_back = state.compare_exchange(CLAIMED, LOCKED, Acquire, Relaxed).is_ok();
        if taken_back {
            if inbound.take() {
                accept(cell, 1);
            }
            idle.fetch_add(1, SeqCst);
            state.store(IDLE, Release);
        }
        let followed = worker.join().unwrap();
        assert_eq!(idle.load(SeqCst), 1);
        if followed && inbound.take() {
            // It looks again before it rests.
            accept(cell, 2);
        }
        assert!(!(followed && taken_back), "both have it");
        assert_eq!(followed || taken_back, cell.owner() != TRANSIT);
        assert_eq!(state.load(Relaxed), if followed { RUNNING } else { IDLE });
    });
}
