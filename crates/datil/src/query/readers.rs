//! Who reads an actor's state: its owner opens it to readers, who come and go, and gets it back when the last one has left.
//!
//! See `README.md` beside this file for the protocol and its proof.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use crate::address::Target;
use crate::atomic::AtomicU32;
use crate::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::signal::park;

/// Counts those who may hold a shared reference to an actor's state, the owner included.
#[derive(Default)]
pub(crate) struct Room {
    inside: AtomicU32,
}

impl Room {
    /// The owner, who had the state for itself, is the first one inside. Release: who enters sees the state as it left it.
    fn open(&self) {
        debug_assert_eq!(self.inside.load(Relaxed), 0);
        self.inside.store(1, Release);
    }

    /// One more wants to read; false if the state is not open.
    fn enter(&self) -> bool {
        let mut inside = self.inside.load(Relaxed);
        while inside > 0 {
            // Acquire: pairs with `open`, through the exchanges of those who entered before.
            match self
                .inside
                .compare_exchange_weak(inside, inside + 1, Acquire, Relaxed)
            {
                Ok(_) => return true,
                Err(now) => inside = now,
            }
        }
        false
    }

    /// One has done reading; true if it was the last one. Release for all but the last one, whose Acquire puts what the others read before
    /// what is written next.
    fn leave(&self) -> bool {
        self.inside.fetch_sub(1, AcqRel) == 1
    }
}

/// A reader's stay. It ends when it is dropped, also by a panic.
pub(crate) struct Visit {
    room: Arc<Room>,
    actor: Target,
}

impl Visit {
    /// Enters the room of an actor, if that is open.
    pub(crate) fn begin(room: &Arc<Room>, actor: Target) -> Option<Self> {
        room.enter().then(|| Self {
            room: room.clone(),
            actor,
        })
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if self.room.leave() {
            // The owner has left before, so it has parked the actor.
            park::nobody_reads(self.actor);
        }
    }
}

/// The owner's side; among the extras of an actor.
#[derive(Default)]
pub(crate) struct Readers {
    /// Made when others read for the first time.
    room: OnceCell<Arc<Room>>,
    /// The owner is inside: the state is open.
    open: Cell<bool>,
    /// What a query takes, in nanoseconds, as far as was seen; 0 if none was.
    pub(crate) pace: Cell<u32>,
}

impl Readers {
    /// Whether others may read at this moment.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.open.get()
    }

    /// Opens the state, if it is not open, and says where to enter. Until [`Readers::close`] or a later [`park::Wait::Readers`] has come to its end
    /// the owner must not make an exclusive reference to it.
    pub(crate) fn open(&self) -> &Arc<Room> {
        let room = self.room.get_or_init(Arc::default);
        if !self.open.replace(true) {
            room.open();
        }
        room
    }

    /// The owner, who has opened the state, wants it for itself; true if nobody else reads. If false is returned the last one who leaves calls
    /// [`park::nobody_reads`], once, at any time from now on.
    pub(crate) fn close(&self) -> bool {
        self.open.set(false);
        self.room.get().is_none_or(|room| room.leave())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_entered_only_while_it_is_open_and_the_last_one_knows() {
        let room = Room::default();
        assert!(!room.enter(), "nobody has opened it");
        room.open();
        assert!(room.enter() && room.enter());
        assert!(!room.leave(), "the owner leaves first");
        assert!(room.enter(), "somebody is still inside, so another one may join");
        assert!(!room.leave() && !room.leave());
        assert!(room.leave());
        assert!(!room.enter(), "closed again");
    }
}
