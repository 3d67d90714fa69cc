//! One step of an actor whose next step may be something else than handling its next message.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::mem::ManuallyDrop;

use super::extras::{self, Extras};
use super::{At, park, table};
use crate::actor::{Actor, Context};
use crate::gate;
use crate::mailbox::block::{self, Block};
use crate::mailbox::cell::{self, Header, Shape, flag};
use crate::pressure;
use crate::query;

/// Messages after which an actor is asked whether it still has to be attended to.
const SETTLE_EVERY: u32 = 32;

/// What a step came to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Something was done.
    Done,
    /// The next thing to do is to handle the mailbox's oldest message, if there is any.
    Mail,
    /// The actor waits, in no queue; its activation is over.
    Parked,
}

impl From<bool> for Step {
    fn from(done: bool) -> Self {
        if done { Self::Done } else { Self::Mail }
    }
}

/// Sees to what comes before the next message of the mailbox: what the runtime has to say, then what is urgent, then messages put back from the stash; and to
/// signals and changed behaviours.
///
/// # Safety
/// The context is that of the actor that runs, whose state nobody refers to.
#[cold]
#[inline(never)]
pub(crate) unsafe fn step<A: Actor>(cx: &mut Context<'_, A>) -> Step {
    // SAFETY: by the caller, for the whole function; references to extras end before the actor can.
    unsafe {
        let header = &*cx.cell;
        if let Some(extras) = extras::of(header) {
            if extras.readers.is_open() && !query::is_next(header, extras) && !query::close(header, extras) {
                return Step::Parked;
            }
            if extras.rests.get() {
                // Before the look at the lanes: what this brings must not wait for the rest to end.
                park::prepare(header);
            }
            if let Some(signal) = pop(&extras.system) {
                act(signal, cx);
                return Step::Done;
            }
            if let Some(signal) = pop(&extras.urgent) {
                // As it is now: a behaviour that ends itself has handled the message all the same, and what comes next need not be the mailbox.
                let behaves = extras.behaves.get();
                act(signal, cx);
                return behaves.into();
            }
            if extras.rests.get() && pressure::rest(cx.engine, extras, cx.address().target()) {
                return Step::Parked;
            }
            if extras.replays.get()
                && let Some(msg) = extras.typed::<A, _>(|typed| typed.replay.pop_front())
            {
                let more = extras.typed::<A, _>(|typed| !typed.replay.is_empty());
                extras.replays.set(more);
                return hand(msg, cx).into();
            }
        }
        if let Some(signal) =
            cell::head(header).filter(|&head| header.flags.get() & flag::SLOT == 0 && block::is_signal(head))
        {
            cell::unlink_head(header);
            cx.engine.count();
            settle(header);
            act(signal, cx);
            return Step::Done;
        }
        if extras::of(header).is_some_and(|extras| extras.behaves.get())
            && let Some(msg) = Shape::<A>::pop(&cx.engine.pools, cx.cell)
        {
            gate::release::<A>(cx.engine, cx.cell);
            return hand(msg, cx).into();
        }
        if Shape::<A>::is_empty(cx.cell) || cx.engine.left.get().is_multiple_of(SETTLE_EVERY) {
            settle(header);
        }
        Step::Mail
    }
}

fn pop(lane: &RefCell<VecDeque<*mut Block>>) -> Option<*mut Block> {
    lane.borrow_mut().pop_front()
}

/// # Safety
/// As [`step`]; the signal is the actor's, taken from where it waited.
unsafe fn act<A: Actor>(signal: *mut Block, cx: &mut Context<'_, A>) {
    let engine = cx.engine;
    // It may run code of the actor, and reaches the core as that does.
    // SAFETY: by the caller.
    engine.outside(|| unsafe { (table(signal).act)(signal, At::new(cx)) });
}

/// Lets the behaviour that the actor has chosen handle a message; without one it becomes the first of the mailbox, and false is returned.
///
/// # Safety
/// As [`step`].
pub(crate) unsafe fn hand<A: Actor>(msg: A::Msg, cx: &mut Context<'_, A>) -> bool {
    // SAFETY: by the caller.
    unsafe {
        let behaviour = extras::of(&*cx.cell)
            .filter(|extras| extras.behaves.get())
            .and_then(|extras| extras.typed::<A, _>(|typed| typed.behaviour));
        let Some(behaviour) = behaviour else {
            gate::reenter(cx.address());
            // Entered: an urgent message acts as a handler does, outside of the core.
            Shape::<A>::push_front(&cx.core().pools, cx.cell, ManuallyDrop::new(msg));
            return false;
        };
        cx.core().count();
        let engine = cx.engine;
        engine.outside(|| behaviour(&mut *Shape::<A>::state(cx.cell), msg, cx));
        true
    }
}

/// Clears the flag that leads here if the actor has only messages left.
///
/// # Safety
/// The caller owns the cell, which holds a live actor.
unsafe fn settle(header: &Header) {
    // SAFETY: by the caller.
    let waiting = unsafe { extras::of(header) }.is_some_and(Extras::attends);
    // SAFETY: by the caller.
    if !waiting && !unsafe { cell::may_have_signal(header) } {
        header.flags.set(header.flags.get() & !flag::ATTEND);
    }
}
