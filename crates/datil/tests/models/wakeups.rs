//! No wake-up is lost.

use loom::sync::Arc;
use loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use loom::sync::atomic::{AtomicUsize, fence};
use loom::thread;

use super::explore;
use super::worker::*;

/// Two threads deliver while the worker goes to sleep; it must see both. A lost wake-up is a deadlock, which loom reports.
/// Mirrors `Worker::rest`, `Worker::get_up`, `Port::deliver`, `Port::notify`, `Port::rouse`.
#[test]
fn no_wake_up_is_lost() {
    explore(|| {
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(RUNNING), Futex::default()));
        let senders: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let (inbound, state, sleeping) = &*shared;
                    inbound.fetch_add(1, Release);
                    fence(SeqCst);
                    if state.load(Relaxed) == RUNNING && sleeping.word.load(Relaxed) == 0 {
                        return;
                    }
                    if sleeping.word.load(Relaxed) == 1 && sleeping.word.swap(0, AcqRel) == 1 {
                        sleeping.wake();
                    }
                })
            })
            .collect();
        let (inbound, state, sleeping) = &*shared;
        let mut seen = inbound.swap(0, Acquire);
        while seen < 2 {
            state.store(IDLE, Release);
            while inbound.load(Relaxed) == 0 {
                sleeping.word.swap(1, AcqRel);
                fence(SeqCst);
                if inbound.load(Relaxed) == 0 {
                    sleeping.wait();
                }
                sleeping.word.swap(0, AcqRel);
            }
            while state.compare_exchange(IDLE, RUNNING, Acquire, Acquire).is_err() {
                thread::yield_now();
            }
            seen += inbound.swap(0, Acquire);
        }
        senders.into_iter().for_each(|sender| sender.join().unwrap());
    });
}
