//! What an actor has that uses more than messages; plain actors have none of it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use super::park::Wait;
use crate::actor::{Actor, Context};
use crate::address::{ActorId, Target};
use crate::keyed::KeyedList;
use crate::mailbox::block::Block;
use crate::mailbox::cell::{Header, VTable, collect_remote_if_any, flag};
use crate::query::readers::Readers;
use crate::supervisor::Guard;
use crate::timer::Timers;
use crate::watch::{Down, Monitor, StopReason};
use crate::worker::core::Core;

/// Begins as the table of the actor's type, so the engine reads it as that.
#[repr(C)]
pub(crate) struct Extended {
    table: VTable,
    plain: *const VTable,
    pub(crate) extras: Extras,
}

/// Belongs to the actor's owner, like the private part of the cell.
#[derive(Default)]
pub struct Extras {
    pub(crate) system: RefCell<VecDeque<*mut Block>>,
    pub(crate) urgent: RefCell<VecDeque<*mut Block>>,
    /// Who wants to know of the actor's end.
    pub(crate) monitors: RefCell<KeyedList<Monitor>>,
    /// Whose failure is this actor's, and the other way round.
    pub(crate) links: RefCell<KeyedList<Target>>,
    /// Makes a message of a linked actor's end instead.
    pub(crate) trap: RefCell<Option<Trap>>,
    /// Why the actor stops, if not just because it wants to.
    pub(crate) reason: RefCell<Option<StopReason>>,
    /// The runtime has ended before it.
    pub(crate) left_over: Cell<bool>,
    /// Whoever decides what becomes of the actor when it ends.
    pub(crate) guard: RefCell<Option<Box<dyn Guard>>>,
    /// The state was dropped and there is no new one.
    pub(crate) vacant: Cell<bool>,
    /// There may be timers that end with this actor.
    pub(crate) timers: Cell<bool>,
    /// Messages are handled by a behaviour of `Typed`.
    pub(crate) behaves: Cell<bool>,
    /// `Typed::replay` is not empty.
    pub(crate) replays: Cell<bool>,
    /// What it waits for in no queue.
    pub(crate) parked: Cell<Wait>,
    /// It has written to an actor with too much mail.
    pub(crate) rests: Cell<bool>,
    /// It has done so at least once.
    pub(crate) has_rested: Cell<bool>,
    /// Who reads the state besides the owner.
    pub(crate) readers: Readers,
    /// A `Typed` of the actor's type.
    typed: RefCell<Option<Box<dyn Any + Send>>>,
}

/// Tells an actor of the end of one that it is linked to.
pub(crate) type Trap = Box<dyn Fn(Down) + Send>;

/// The part that depends on the actor's type.
pub(crate) struct Typed<A: Actor> {
    pub(crate) behaviour: Option<Behaviour<A>>,
    /// Put aside by the actor.
    pub(crate) stash: VecDeque<A::Msg>,
    /// Taken from the stash again: handled before the mailbox.
    pub(crate) replay: VecDeque<A::Msg>,
}

/// What handles the messages of an actor instead of [`Actor::handle`]; see [`Context::become_with`].
pub type Behaviour<A> = fn(&mut A, <A as Actor>::Msg, &mut Context<'_, A>);

impl<A: Actor> Default for Typed<A> {
    fn default() -> Self {
        Self {
            behaviour: None,
            stash: VecDeque::new(),
            replay: VecDeque::new(),
        }
    }
}

impl Extras {
    /// Runs `f` with the part that depends on the type, which must not be used again inside.
    pub(crate) fn typed<A: Actor, R>(&self, f: impl FnOnce(&mut Typed<A>) -> R) -> R {
        let mut slot = self.typed.borrow_mut();
        let typed = slot.get_or_insert_with(|| Box::<Typed<A>>::default());
        f(typed.downcast_mut().expect("an actor's type does not change"))
    }

    /// As [`Extras::typed`]; does nothing if there is no such part.
    pub(crate) fn if_typed<A: Actor, R>(&self, f: impl FnOnce(&mut Typed<A>) -> R) -> Option<R> {
        let mut slot = self.typed.borrow_mut();
        slot.as_mut()
            .map(|typed| f(typed.downcast_mut().expect("an actor's type does not change")))
    }

    /// Whether the actor's next step may be something else than the next message of its mailbox, handled as usual.
    pub(crate) fn attends(&self) -> bool {
        self.behaves.get()
            || self.readers.is_open()
            || self.rests.get()
            || !self.system.borrow().is_empty()
            || !self.urgent.borrow().is_empty()
            || self.replays.get()
    }

    /// Notes why the actor stops; the first reason counts.
    pub(crate) fn because(&self, reason: StopReason) {
        self.reason.borrow_mut().get_or_insert(reason);
    }
}

/// The extras of an actor, if it has any.
///
/// # Safety
/// The caller owns the cell, which holds a live actor; the reference is not used beyond that.
#[inline(always)]
pub(crate) unsafe fn of<'a>(header: &Header) -> Option<&'a Extras> {
    if header.flags.get() & flag::EXTENDED == 0 {
        return None;
    }
    // SAFETY: by the caller; the flag says that the table is the beginning of an `Extended` in a box that lives as long as the flag.
    Some(unsafe { &(*header.vtable.get().cast::<Extended>()).extras })
}

/// The extras of an actor, made if it has none.
///
/// # Safety
/// As [`of`].
pub(crate) unsafe fn attach<'a>(header: &Header) -> &'a Extras {
    if header.flags.get() & flag::EXTENDED == 0 {
        let plain = header.vtable.get();
        let extended = Box::new(Extended {
            // SAFETY: by the caller the cell has the table of a live actor.
            table: unsafe { *plain },
            plain,
            extras: Extras::default(),
        });
        header.vtable.set(Box::into_raw(extended).cast());
        header.flags.set(header.flags.get() | flag::EXTENDED);
    }
    // SAFETY: by the caller; the flag is set now.
    unsafe { of(header).unwrap_unchecked() }
}

/// The table of the actor's type, which all actors of that type share and which is there for ever.
///
/// # Safety
/// As [`of`].
pub(crate) unsafe fn plain_table(header: &Header) -> &'static VTable {
    let table = header.vtable.get();
    // SAFETY: by the caller; the flag says which of the two it is, as in `of`.
    unsafe {
        if header.flags.get() & flag::EXTENDED == 0 {
            &*table
        } else {
            &*(*table.cast::<Extended>()).plain
        }
    }
}

/// Takes the extras away.
///
/// # Safety
/// As [`of`]; no reference got from there is used afterwards.
pub(crate) unsafe fn detach(header: &Header) -> Option<Box<Extended>> {
    if header.flags.get() & flag::EXTENDED == 0 {
        return None;
    }
    // SAFETY: by the caller; `attach` got the pointer from `Box::into_raw`, and it is taken once, since the flag goes.
    let extended = unsafe { Box::from_raw(header.vtable.get().cast::<Extended>().cast_mut()) };
    header.vtable.set(extended.plain);
    header.flags.set(header.flags.get() & !flag::EXTENDED);
    Some(extended)
}

/// Whether the cell holds no state, because that was dropped and could not be built anew.
///
/// # Safety
/// As [`of`].
pub(crate) unsafe fn is_vacant(header: &Header) -> bool {
    // SAFETY: by the caller.
    unsafe { of(header) }.is_some_and(|extras| extras.vacant.get())
}

/// The actor with this cell.
///
/// # Safety
/// As [`of`].
pub(crate) unsafe fn id(cell: *mut Header) -> ActorId {
    // SAFETY: by the caller.
    ActorId(unsafe { Target::of(cell) })
}

/// Asks the guard of an actor that ends, if it has one, whether it begins anew; true if it does, or has tried to: then it is to be run, too.
///
/// # Safety
/// The core owns the cell, whose actor is at its end and in no queue.
pub(crate) unsafe fn revives(core: &Core, cell: *mut Header) -> bool {
    // SAFETY: by the caller.
    let Some(extras) = (unsafe { of(&*cell) }) else {
        return false;
    };
    // Taken out: rebuilding runs code of users.
    let Some(guard) = extras.guard.take() else {
        return false;
    };
    let reason = extras.reason.borrow().clone().unwrap_or(StopReason::Stopped);
    // SAFETY: by the caller.
    let header = unsafe { &*cell };
    // SAFETY: as above.
    let revives = unsafe { was_to_begin_anew(header, extras, &reason) }
        || guard.restarts(&reason, core.team.virtual_now());
    if revives {
        // SAFETY: as above.
        unsafe { forget_met(core, header, extras, &reason) };
    }
    // SAFETY: by the caller; a guard is made for the actor that has it.
    if revives && !unsafe { rebuild(core, cell, extras, &*guard) } {
        // A failure like others, for which the actor is run again: who fails for ever must not hold up the worker.
        // SAFETY: by the caller.
        let flags = unsafe { &(*cell).flags };
        flags.set(flags.get() | flag::STOPPING);
    }
    extras.guard.replace(Some(guard));
    revives
}

/// Whether the actor has failed when its supervisor had decided already that it begins anew, because another child has failed: both are one failure.
///
/// # Safety
/// As [`revives`]; these are the actor's extras.
unsafe fn was_to_begin_anew(header: &Header, extras: &Extras, end: &StopReason) -> bool {
    // By its supervisor it ends for good, whatever that had decided before; and so it does, perhaps, of its own will.
    if end.is_normal() || *end == StopReason::Supervisor {
        return false;
    }
    // SAFETY: by the caller, for the whole function.
    unsafe {
        collect_remote_if_any(header);
        extras
            .system
            .borrow()
            .iter()
            .any(|&signal| super::is_anew(signal))
    }
}

/// Drops what has asked the actor for no more than the end that it has just come to: that was one, however often it was asked for.
///
/// # Safety
/// As [`revives`]; these are the actor's extras.
unsafe fn forget_met(core: &Core, header: &Header, extras: &Extras, end: &StopReason) {
    // SAFETY: by the caller, for the whole function. Nothing that is dropped here runs code of users.
    unsafe {
        collect_remote_if_any(header);
        extras.system.borrow_mut().retain(|&signal| {
            let met = super::is_met(signal, end);
            if met {
                super::lose_on(core, signal);
            }
            !met
        });
    }
}

/// Drops the state of an actor and builds it anew; its mailbox stays. False if the factory panicked: then the cell is vacant.
///
/// # Safety
/// As [`revives`]; the guard was made for this actor.
pub(crate) unsafe fn rebuild(core: &Core, cell: *mut Header, extras: &Extras, guard: &dyn Guard) -> bool {
    // SAFETY: by the caller.
    let (header, name) = unsafe { (&*cell, (*(*cell).vtable.get()).name) };
    if extras.timers.take() {
        // SAFETY: by the caller.
        Timers::cancel_all(core, unsafe { Target::of(cell) });
    }
    if !extras.vacant.replace(true) {
        // SAFETY: the cell held a state until now, which nobody refers to.
        core.quietly(name(), || unsafe { guard.clear(cell) });
    }
    // SAFETY: the cell is vacant, and the guard knows its type.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| unsafe { guard.fill(cell) })) {
        Ok(()) => {
            // SAFETY: the cell has just been filled, and the core owns it.
            unsafe { crate::trace::restarted(core, name(), cell) };
            extras.vacant.set(false);
            extras.reason.replace(None);
            guard.refresh(cell, extras);
            header
                .flags
                .set(header.flags.get() & !flag::STOPPING | flag::UNSTARTED);
            true
        }
        Err(panic) => {
            core.report_panic(name(), &*panic);
            extras.reason.replace(Some(StopReason::of_panic(&*panic)));
            core.quietly("a panic's payload", || drop(panic));
            false
        }
    }
}

/// An actor has panicked; true if it begins anew.
///
/// # Safety
/// As [`revives`].
pub(crate) unsafe fn panicked(core: &Core, cell: *mut Header, panic: &(dyn Any + Send)) -> bool {
    // SAFETY: by the caller.
    if let Some(extras) = unsafe { of(&*cell) } {
        extras.reason.replace(Some(StopReason::of_panic(panic)));
    }
    // SAFETY: by the caller.
    unsafe { revives(core, cell) }
}
