//! The remote mailbox and its token, to the death of an actor.

use loom::sync::Arc;
use loom::sync::atomic::Ordering::{AcqRel, Relaxed, Release};
use loom::thread;

use super::cell::*;
use super::explore;

/// Two senders on other workers, the owner takes the token twice and collects before a local send in between.
/// Mirrors `Core::send_away`, `Core::handle_token`, `collect_remote_if_any`.
#[test]
fn remote_mailbox_and_token() {
    explore(|| {
        let shared = Arc::new((Cell::new(1), Inbound::default()));
        let senders: Vec<_> = (0..2)
            .map(|sender| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let (cell, inbound) = &*shared;
                    let blocks: &[usize] = if sender == 0 {
                        &[FIRST, FIRST + 1]
                    } else {
                        &[FIRST + 2]
                    };
                    for &block in blocks {
                        if cell.push_remote(block, 0, block) == Some(true) {
                            inbound.push();
                        }
                    }
                })
            })
            .collect();
        let (cell, inbound) = &*shared;
        if inbound.take() {
            cell.collect_remote(EMPTY);
        }
        // A local send: what came from elsewhere goes first, the token stays where it is.
        if cell.remote.load(Relaxed) & 0xFF > TOKEN {
            cell.collect_remote(TOKEN);
        }
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        if inbound.take() {
            cell.collect_remote(EMPTY);
        }
        cell.private.with(|private| {
            let got = unsafe { &(*private).got };
            let mut sorted = got.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [FIRST, FIRST + 1, FIRST + 2], "lost or doubled");
            let at = |body| got.iter().position(|&b| b == body).unwrap();
            assert!(at(FIRST) < at(FIRST + 1), "one sender's messages out of order");
        });
        assert_eq!(cell.remote.load(Relaxed), word(EMPTY, 0), "the token is back");
    });
}

/// A sender pushes while the actor dies, and the cell is used again as soon as it may be.
/// Mirrors `bury`, `Core::release`, `Core::handle_token` and `push_remote`.
#[test]
fn death_with_a_token_out() {
    explore(|| {
        let shared = Arc::new((Cell::new(1), Inbound::default()));
        let sender = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (cell, inbound) = &*shared;
                if cell.push_remote(FIRST, 0, 7) == Some(true) {
                    // The cell must still have an owner to bring the token to.
                    assert_ne!(cell.owner(), 0, "freed while its token was out");
                    inbound.push();
                }
            })
        };
        let (cell, inbound) = &*shared;
        // bury
        cell.tag.store(tag(1, 1), Release);
        let last = cell.remote.swap(word(TOKEN, 1), AcqRel) & 0xFF;
        let dropped = cell.take(last);
        let token_is_out = last != EMPTY;
        let reuse = || {
            cell.remote.store(word(EMPTY, 1), Relaxed);
            cell.tag.store(tag(0, 1), Release);
            cell.private.with_mut(|private| unsafe {
                (*private).got.clear();
                (*private).generation = 1;
            });
            cell.tag.store(tag(1, 1), Release);
        };
        if token_is_out {
            cell.private.with_mut(|private| unsafe { (*private).dead = true });
        } else {
            reuse();
        }
        sender.join().unwrap();
        if inbound.take() {
            assert!(
                token_is_out && dropped == 1,
                "a message reached an actor that is gone"
            );
            reuse();
        }
        cell.private.with(|private| unsafe {
            assert_eq!((*private).generation, 1, "the cell was never freed");
            assert!(
                (*private).got.is_empty(),
                "a message for the former actor reached the next one"
            );
        });
        assert_eq!(cell.remote.load(Relaxed), word(EMPTY, 1));
    });
}
