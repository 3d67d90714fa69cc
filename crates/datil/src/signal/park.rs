//! Actors that wait, scheduled but in no queue, until what they wait for says that they may go on.
//!
//! A parked actor is marked as scheduled, so nobody queues it; whatever arrives for it is put where it belongs and stays there. Its token is not held by its
//! owner, so what lets it go on reaches that owner wherever the actor is by then.

use super::{At, Lane, Signal, extras};
use crate::address::Target;
use crate::mailbox::cell::{EMPTY, Header, collect_remote, flag};

/// What a parked actor waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Nothing: it is not parked.
    #[default]
    No,
    /// Those who read its state (`crate::query`).
    Readers,
    /// The mail of another actor (`crate::pressure`).
    Pressure,
}

/// Signal: the last reader has left.
struct NobodyReads;

impl Signal for NobodyReads {
    const LANE: Lane = Lane::Resume(Wait::Readers);

    unsafe fn act(self, _: At<'_>) {
        unreachable!("it has its effect when it arrives");
    }
}

/// Lets an actor go on that waits for its readers. Called once for each time that it was parked for that.
pub(crate) fn nobody_reads(actor: Target) {
    super::send(actor, NobodyReads);
}

/// Signal: a rest is over.
struct PressureEnds;

impl Signal for PressureEnds {
    const LANE: Lane = Lane::Resume(Wait::Pressure);

    unsafe fn act(self, _: At<'_>) {
        unreachable!("it has its effect when it arrives");
    }
}

/// Lets an actor go on that rests, if it still does.
pub(crate) fn pressure_ends(actor: Target) {
    super::send(actor, PressureEnds);
}

/// Gives up the token, if the owner holds it. Needed before an actor that runs may be parked: who lets it go on must be able to bring that.
///
/// # Safety
/// The caller owns the cell, whose actor runs.
pub(crate) unsafe fn prepare(header: &Header) {
    let flags = header.flags.get();
    if flags & flag::HOLDS != 0 {
        header.flags.set(flags & !flag::HOLDS);
        // SAFETY: by the caller; we hold the token and give it up.
        unsafe { collect_remote(header, EMPTY) };
    }
}

/// Ends the wait for `wait`, if the actor waits for that: the caller queues it when it next schedules it.
///
/// # Safety
/// The caller owns the cell, which holds a live actor.
pub(crate) unsafe fn resume(header: &Header, wait: Wait) {
    // SAFETY: by the caller.
    let Some(extras) = (unsafe { extras::of(header) }) else {
        return;
    };
    if extras.parked.get() == wait {
        extras.parked.set(Wait::No);
        header.flags.set(header.flags.get() & !flag::SCHEDULED);
    }
}
