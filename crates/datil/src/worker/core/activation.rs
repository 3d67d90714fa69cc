//! An actor's activation, from its first message to its end.

use crate::atomic::Ordering::{AcqRel, Relaxed, Release};

use super::Core;
use crate::actor::{Actor, Context};
use crate::address::ActorId;
use crate::gate;
use crate::lost::Lost;
use crate::mailbox::block::Block;
use crate::mailbox::cell::{
    EMPTY, Header, LAST_GENERATION, NOBODY, Shape, TOKEN, VTable, collect_remote, collect_remote_if_any,
    flag, remote_word, split_remote, tag,
};
use crate::signal::attend::{self, Step};
use crate::signal::{self, extras};
use crate::trace;

/// The table of an actor's type.
#[inline(always)]
pub(crate) fn vtable<A: Actor>() -> &'static VTable {
    const {
        &VTable {
            #[cfg(not(feature = "metrics"))]
            run: run::<A>,
            #[cfg(feature = "metrics")]
            // SAFETY: the caller keeps what `run` asks for.
            run: |core, cell| crate::meter::measure::<A>(core, || unsafe { run::<A>(core, cell) }),
            bury: bury::<A>,
            name: std::any::type_name::<A>,
            id: std::any::TypeId::of::<A>,
            class: Shape::<A>::CLASS,
            hint: A::HINT,
        }
    }
}

/// Runs a scheduled actor until its mailbox or its batch is used up, or it stops.
///
/// # Safety
/// The core owns the cell, which holds a live `A` that is marked as scheduled and in no queue.
unsafe fn run<A: Actor>(core: &Core, cell: *mut Header) {
    // SAFETY: by the caller, for the whole function: nothing that handlers can do makes somebody else the owner of
    // an actor that runs, or ends it.
    unsafe {
        let header = &*cell;
        let actor = Shape::<A>::state(cell);
        let mut cx = Context::<A>::new(core, cell);
        loop {
            let flags = header.flags.get();
            // One test for all that is not a message: whoever uses none of it pays for none. Each method of the actor is called in one place only,
            // so that the compiler puts it there.
            let special = flags & (flag::UNSTARTED | flag::STOPPING | flag::ATTEND) != 0;
            if special && flags & flag::UNSTARTED != 0 {
                header.flags.set(flags & !flag::UNSTARTED);
                trace::started(core, std::any::type_name::<A>(), cell);
                core.outside(|| (*actor).started(&mut cx));
                continue;
            }
            if special && flags & flag::STOPPING != 0 {
                break;
            }
            let step = if special {
                attend::step(&mut cx)
            } else {
                Step::Mail
            };
            if step == Step::Parked {
                return;
            }
            if step == Step::Mail {
                let Some(msg) = Shape::<A>::pop(&core.pools, cell) else {
                    if go_idle(header) {
                        return;
                    }
                    continue;
                };
                gate::release::<A>(core, cell);
                core.count();
                core.outside(|| (*actor).handle(msg, &mut cx));
                debug_assert_eq!(
                    header.tag.load(Relaxed) >> 16,
                    u32::from(core.me),
                    "taken over while it ran"
                );
            }
            if core.left.get() == 0 {
                core.use_up();
                // Nobody brings the token of an actor that holds it, and what is urgent must not wait until the mailbox is empty.
                collect_remote_if_any(header);
                if wants_more::<A>(cell) {
                    core.yielded.push(cell);
                    return;
                }
            }
        }
        let extended = header.flags.get() & flag::EXTENDED != 0;
        if !(extended && signal::end::is_cut_short(header)) {
            core.outside(|| (*actor).stopped(&mut cx));
        }
        if extended && extras::revives(core, cell) {
            core.yielded.push(cell);
            return;
        }
        end::<A>(core, cell);
    }
}

/// Whether an actor that has used up its batch has something to go on with.
///
/// # Safety
/// The caller owns the cell, which holds a live `A`.
#[inline(always)]
unsafe fn wants_more<A: Actor>(cell: *mut Header) -> bool {
    // SAFETY: by the caller.
    let flags = unsafe { (*cell).flags.get() };
    // SAFETY: by the caller.
    flags & flag::STOPPING == 0 && (flags & flag::ATTEND != 0 || !unsafe { Shape::<A>::is_empty(cell) })
}

/// Ends an activation whose mailbox is empty; false if messages turned up.
///
/// # Safety
/// The caller owns the cell, whose private mailbox is empty.
#[inline(always)]
unsafe fn go_idle(header: &Header) -> bool {
    let flags = header.flags.get();
    if flags & flag::HOLDS != 0 {
        header.flags.set(flags & !flag::HOLDS);
        // SAFETY: by the caller; we hold the token and give it up.
        if unsafe { collect_remote(header, EMPTY) } > 0 {
            return false;
        }
    }
    header.flags.set(header.flags.get() & !flag::SCHEDULED);
    true
}

/// [`end`] for the rare ends: of actors that panicked, or had no worker any more.
///
/// # Safety
/// As [`end`].
unsafe fn bury<A: Actor>(core: &Core, cell: *mut Header) {
    // SAFETY: by the caller.
    unsafe { end::<A>(core, cell) }
}

/// Ends an actor: nothing more reaches it, its state and its messages are dropped, its cell is freed or waits for its token.
///
/// # Safety
/// The core owns the cell, which holds a live `A` and is in no queue.
#[inline(always)]
unsafe fn end<A: Actor>(core: &Core, cell: *mut Header) {
    // SAFETY: by the caller. From `close` on no sender can push: the generation differs.
    unsafe {
        let header = &*cell;
        let id = extras::id(cell);
        trace::stopped(core, std::any::type_name::<A>(), id);
        let generation = (header.tag.load(Relaxed) as u16) + 1;
        header.tag.store(tag(core.me, generation), Release);
        let last_word = core.close(header, remote_word(TOKEN, generation));
        let (list, _): (*mut Block, u16) = split_remote(last_word);
        if list.addr() > TOKEN {
            crate::mailbox::cell::adopt_list(header, list);
        }
        let flags = header.flags.get();
        let token_is_out = list.addr() != EMPTY && flags & flag::HOLDS == 0;
        let leaves_something = std::mem::needs_drop::<A>() || Shape::<A>::BOXED || gate::eases::<A>();
        if leaves_something || flags & (flag::ATTEND | flag::EXTENDED | flag::MAIL) != 0 {
            clear_out::<A>(core, cell, id);
        }
        if token_is_out {
            header.flags.set(flag::DEAD);
        } else {
            core.release(cell, Shape::<A>::CLASS);
        }
    }
}

/// Drops the state of an actor that has ended and what is left in its mailbox, and tells who wants to know.
///
/// # Safety
/// As [`end`]; the actor's generation is over.
#[inline(never)]
unsafe fn clear_out<A: Actor>(core: &Core, cell: *mut Header, id: ActorId) {
    // Destructors may send, and sending may look at the inbound list, where this cell's token may be. It must not be
    // handled before we know what becomes of the cell.
    let was_receiving = core.receiving.replace(true);
    // SAFETY: by the caller.
    unsafe {
        let header = &*cell;
        let attended = header.flags.get() & (flag::ATTEND | flag::EXTENDED) != 0;
        if attended && extras::is_vacant(header) {
            Shape::<A>::free_place(cell);
        } else if std::mem::needs_drop::<A>() || Shape::<A>::BOXED {
            core.quietly(std::any::type_name::<A>(), || Shape::<A>::drop_state(cell));
        }
        if attended {
            signal::end::bury::<A>(core, cell, id);
        }
        while let Some(msg) = Shape::<A>::pop(&core.pools, cell) {
            core.bounce(Lost::gone(msg));
        }
    }
    gate::end::<A>(core, id.0);
    core.receiving.set(was_receiving);
}

impl Core {
    /// Ends an actor's remote list: leaves a word there that no sender accepts, and returns what was there.
    #[inline(always)]
    fn close(&self, header: &Header, word: *mut Block) -> *mut Block {
        if self.alone {
            // Only workers of the same team push, and what others send comes through the inbox: an exchange, the dearest part of a short
            // life, would guard against nobody.
            let last = header.remote.load(Relaxed);
            header.remote.store(word, Relaxed);
            last
        } else {
            // Acquire: what is in the list. Release: a sender that finds the word finds the new tag as well.
            header.remote.swap(word, AcqRel)
        }
    }

    /// Gives the cell of an actor back that has been dead for a while and whose token has come.
    ///
    /// # Safety
    /// As [`Core::release`]; the cell is marked as dead.
    pub(crate) unsafe fn release_dead(&self, cell: *mut Header) {
        // SAFETY: by the caller; the vtable outlives the actor and knows the cell's class.
        unsafe { self.release(cell, (*(*cell).vtable.get()).class) };
    }

    /// Gives a cell back whose actor is gone and whose token is not out.
    ///
    /// # Safety
    /// We own the cell, which is of that class, its actor is gone, nobody else holds its token.
    #[inline(always)]
    unsafe fn release(&self, cell: *mut Header, class: usize) {
        // SAFETY: by the caller.
        let header = unsafe { &*cell };
        let generation = header.tag.load(Relaxed) as u16;
        // No address has this generation yet, so nobody changes `remote` but us.
        header.remote.store(remote_word(EMPTY, generation), Relaxed);
        header.tag.store(tag(NOBODY, generation), Release);
        if generation != LAST_GENERATION {
            self.pools.cells[class].give(cell.cast());
        }
    }
}
