//! How the driver learns that an actor has stopped, or failed.
//!
//! An adapter keeps each actor in a [`Resident`]. When the library drops it the latch is told: as a stop if the actor
//! asked for it in a handler that returned, and as a failure otherwise.
//!
//! A panic of the actor itself is told earlier, while it unwinds out of the actor. The library has not seen it yet: the
//! actor's mailbox is still open, so that nobody can have suffered from its end. Of a panic and its consequences the
//! latch therefore hears the panic first, in every library. (One exception: what the handler owned is dropped a moment
//! earlier. If that was the last address of another actor, kameo ends the other one, and the latch may hear that first.)

use std::marker::PhantomData;
use std::mem;

use crate::tools::{Latch, panics};

/// An actor together with its entry in the driver's latch.
pub struct Resident<A> {
    /// The actor. It is dropped before the latch hears of it.
    pub actor: A,
    presence: Presence<A>,
}

impl<A> Resident<A> {
    /// Places an actor that will count `latch` down once.
    pub fn new(actor: A, latch: &'static Latch) -> Self {
        Self {
            actor,
            presence: Presence {
                latch,
                stopped: false,
                actor: PhantomData,
            },
        }
    }

    /// Lets the actor act. On the way without a panic this costs nothing.
    #[inline(always)]
    pub fn act<R>(&mut self, act: impl FnOnce(&mut A) -> R) -> R {
        let unwinding = Unwinding::<A> {
            latch: self.latch(),
            actor: PhantomData,
        };
        let result = act(&mut self.actor);
        mem::forget(unwinding);
        result
    }

    /// As [`Resident::act`], for an actor that only reads.
    #[inline(always)]
    pub fn read<R>(&self, read: impl FnOnce(&A) -> R) -> R {
        let unwinding = Unwinding::<A> {
            latch: self.latch(),
            actor: PhantomData,
        };
        let result = read(&self.actor);
        mem::forget(unwinding);
        result
    }

    /// The latch, for the actors that this one creates.
    #[inline(always)]
    pub fn latch(&self) -> &'static Latch {
        self.presence.latch
    }

    /// Notes that the actor asked to stop, in a handler that has returned.
    #[inline(always)]
    pub fn mark_stopped(&mut self) {
        self.presence.stopped = true;
    }
}

struct Presence<A> {
    latch: &'static Latch,
    stopped: bool,
    actor: PhantomData<fn() -> A>,
}

impl<A> Drop for Presence<A> {
    fn drop(&mut self) {
        if self.stopped {
            self.latch.count_down();
        } else {
            report_loss::<A>(self.latch);
        }
    }
}

/// Panics because a receiver has stopped. It takes the error of the send along, so that a send that succeeds has no result to
/// drop: with an error that holds the message that is a call per message.
#[cold]
#[inline(never)]
pub fn refused<E>(_error: E) -> ! {
    panic!("a message was sent to a stopped actor")
}

/// Dropped only when a panic leaves the actor.
struct Unwinding<A> {
    latch: &'static Latch,
    actor: PhantomData<fn() -> A>,
}

impl<A> Drop for Unwinding<A> {
    #[cold]
    fn drop(&mut self) {
        report_loss::<A>(self.latch);
    }
}

#[cold]
fn report_loss<A>(latch: &Latch) {
    let reason =
        panics::take_last().unwrap_or_else(|| "it was dropped although it had not stopped".to_owned());
    latch.fail(format!("{}: {reason}", std::any::type_name::<A>()));
}
