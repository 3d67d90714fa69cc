//! Urgent messages: they overtake those that wait.
//!
//! An actor has three lanes: what the runtime says (stop, monitors, links), what is urgent, and the rest. Order within a lane is as sent, per sender.

use crate::actor::{Actor, Context};
use crate::address::Address;
use crate::lost::Lost;
use crate::signal::attend;
use crate::signal::{At, Lane, Parcel, Signal};
use crate::worker::core::Core;

/// Signal: a message that overtakes others.
struct Urgent<A: Actor>(A::Msg);

// SAFETY: it holds a message and nothing else, and messages are `Send`.
unsafe impl<A: Actor> Send for Urgent<A> {}

impl<A: Actor> Signal for Urgent<A> {
    const LANE: Lane = Lane::Urgent;

    unsafe fn act(self, at: At<'_>) {
        // SAFETY: by the caller; it was made for an `A`.
        unsafe { attend::hand(self.0, at.actor::<A>().1) };
    }

    fn lost(self, on: Option<&Core>) {
        crate::client::dead_letter(on, Lost::gone(self.0));
    }
}

impl<A: Actor> Address<A> {
    /// As [`Address::tell`], but the message overtakes all that wait in the mailbox, except for urgent ones. It costs more than a plain message.
    ///
    /// An actor that is handling a batch of messages goes on with that one message; a worker that has not yet heard of an urgent message from another
    /// worker, or from outside, may end the batch first.
    pub fn tell_urgently(self, msg: A::Msg) {
        // SAFETY: made for an `A`.
        unsafe { Parcel::new(Urgent::<A>(msg)).send(self.target()) };
    }
}

impl<A: Actor> Context<'_, A> {
    /// As [`Address::tell_urgently`].
    pub fn tell_urgently<B: Actor>(&mut self, to: Address<B>, msg: B::Msg) {
        to.tell_urgently(msg);
    }
}
