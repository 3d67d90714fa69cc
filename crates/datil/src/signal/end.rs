//! The end of an actor that uses more than messages.

use std::mem::take;

use super::extras::{self, Extras};
use super::{leave_on, lose_on};
use crate::actor::Actor;
use crate::address::{ActorId, Target};
use crate::lost::Lost;
use crate::mailbox::block;
use crate::mailbox::cell::{self, Header, Shape, flag};
use crate::pressure;
use crate::supervisor::LostChildren;
use crate::timer::Timers;
use crate::watch::{self, Down, StopReason};
use crate::worker::core::Core;

/// Whether the actor ends without [`Actor::stopped`]: it was killed, or there is nothing left of it.
///
/// # Safety
/// The caller owns the cell, which holds a live actor or a vacant one.
#[cold]
pub(crate) unsafe fn is_cut_short(header: &Header) -> bool {
    // SAFETY: by the caller.
    unsafe { extras::of(header) }.is_some_and(|extras| {
        extras.vacant.get() || matches!(*extras.reason.borrow(), Some(StopReason::Killed))
    })
}

/// Drops all that waits for an actor whose state is gone, and tells of its end.
///
/// # Safety
/// The core owns the cell; nothing can reach the actor any more.
#[cold]
pub(crate) unsafe fn bury<A: Actor>(core: &Core, cell: *mut Header, id: ActorId) {
    // SAFETY: by the caller.
    unsafe {
        let header = &*cell;
        loop {
            if header.flags.get() & flag::SLOT == 0
                && let Some(signal) = cell::head(header).filter(|&head| block::is_signal(head))
            {
                cell::unlink_head(header);
                core.quietly("a signal", || lose_on(core, signal));
            } else if let Some(msg) = Shape::<A>::pop(&core.pools, cell) {
                core.bounce(Lost::gone(msg));
            } else {
                break;
            }
        }
        let Some(mut extended) = extras::detach(header) else {
            return;
        };
        let extras = &mut extended.extras;
        for signal in take(extras.system.get_mut())
            .into_iter()
            .chain(take(extras.urgent.get_mut()))
        {
            core.quietly("a signal", || {
                if extras.left_over.get() {
                    leave_on(core, signal, extras);
                } else {
                    lose_on(core, signal);
                }
            });
        }
        extras.if_typed::<A, _>(|typed| {
            take(&mut typed.replay)
                .into_iter()
                .chain(take(&mut typed.stash))
                // Not lost: the actor has looked at these before, and put them aside.
                .for_each(|msg| core.bounce(msg));
        });
        if extras.has_rested.get() {
            pressure::forget(core, id.0);
        }
        if extras.timers.get() {
            Timers::cancel_all(core, id.0);
        }
        announce(core, extras, id);
        // Each by itself: a destructor that panics while another one's panic is under way ends the process.
        let (trap, guard) = (extras.trap.take(), extras.guard.take());
        core.quietly("a trap", || drop(trap));
        core.quietly("a factory", || drop(guard));
    }
}

/// Tells those who want to know that the actor has ended.
fn announce(core: &Core, extras: &mut Extras, actor: ActorId) {
    let left_over = extras.left_over.get();
    let reason = if left_over {
        StopReason::Shutdown
    } else {
        take(extras.reason.get_mut()).unwrap_or(StopReason::Stopped)
    };
    let down = || Down {
        actor,
        reason: reason.clone(),
    };
    // When the runtime is over nobody runs any more who could be told, but for actors of other runtimes.
    let lives_elsewhere =
        |who| crate::client::home(who).is_some_and(|inbox| !std::ptr::eq(inbox, core.inbox));
    let is_told = |who: Option<Target>| !left_over || who.is_some_and(lives_elsewhere);
    for peer in take(extras.links.get_mut()) {
        if is_told(Some(peer)) {
            watch::exit(peer, down());
        }
    }
    for monitor in take(extras.monitors.get_mut()) {
        // Code of its watcher, which must not keep it from the others.
        core.quietly("a monitor", || {
            if is_told(monitor.by()) {
                monitor.notify(down());
            }
        });
    }
}

/// Says that an actor is left over at the shutdown; if it has a supervisor it is put among the children that are to be forgotten.
///
/// # Safety
/// The caller acts for the owner of the cell, which holds a live actor.
pub(crate) unsafe fn leave_over(core: &Core, cell: *mut Header, children: &mut LostChildren) {
    // SAFETY: by the caller.
    if let Some(extras) = unsafe { extras::of(&*cell) } {
        extras.left_over.set(true);
        let guard = extras.guard.take();
        if let Some(guard) = &guard {
            guard.leave(children);
        }
        core.quietly("a factory", || drop(guard));
    }
}
