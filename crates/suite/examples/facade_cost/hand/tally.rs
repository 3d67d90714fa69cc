//! What actors of the hand-written programs leave behind: a sum, and the news that the last of them is done.
//!
//! It lasts as long as the process, as what the facade's actors share does. With a counted reference for each actor the
//! programs by hand would do work that a specialist spares, and the facade would look cheaper than it is.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

pub struct Tally {
    sum: AtomicI64,
    left: AtomicI64,
    done: SyncSender<()>,
}

impl Tally {
    /// A tally, and where the driver waits for the last actor.
    pub fn leaked() -> (&'static Self, Receiver<()>) {
        let (done, finished) = sync_channel(1);
        let tally = Box::leak(Box::new(Self {
            sum: AtomicI64::new(0),
            left: AtomicI64::new(0),
            done,
        }));
        (tally, finished)
    }

    /// Gets ready for this number of actors.
    pub fn expect(&self, actors: i64) {
        // Relaxed: the actors are handed over to other threads later.
        self.left.store(actors, Ordering::Relaxed);
    }

    /// The last that an actor does.
    pub fn add(&self, value: i64) {
        self.sum.fetch_add(value, Ordering::Relaxed);
        // Releases this actor's share of the sum and acquires all others' in whoever is the last.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.done.send(()).expect("the driver waits");
        }
    }

    /// Takes the sum out.
    pub fn take(&self) -> i64 {
        self.sum.swap(0, Ordering::Relaxed)
    }
}
