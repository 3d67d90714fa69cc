//! Signals: what reaches an actor besides its own messages. See `README.md` beside this file for the design.

pub(crate) mod attend;
pub(crate) mod end;
pub(crate) mod extras;
pub(crate) mod park;

use std::alloc::Layout;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};

use extras::Extras;

use crate::actor::{Actor, Context};
use crate::address::Target;
use crate::mailbox::block::{Block, SIGNAL, is_signal};
use crate::mailbox::cell::{Header, Shape, flag, link};
use crate::pool::{self, BLOCK_SIZES, Pools, class_of};
use crate::watch::StopReason;
use crate::worker::absence::Inside;
use crate::worker::core::Core;

/// When a signal's turn comes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// In order with the messages of its sender.
    Mail,
    /// Before all messages that wait.
    Urgent,
    /// Before everything else; what the runtime itself has to say.
    System,
    /// At once, as it arrives: an actor that was parked goes on.
    Resume(park::Wait),
}

/// Something that happens to an actor at a point between two of its messages.
pub(crate) trait Signal: Send + Sized + 'static {
    /// When its turn comes.
    const LANE: Lane;

    /// Takes effect.
    ///
    /// # Safety
    /// The actor is the one the signal was made for; it runs, and nobody else refers to its state or context.
    unsafe fn act(self, at: At<'_>);

    /// The receiver is gone, or goes before the signal's turn comes. `on` is the worker on which that happens, if the caller knows it; else it is the
    /// one that the calling thread is, if it is one. (At the shutdown it is none.)
    fn lost(self, on: Option<&Core>) {
        let _ = on;
    }

    /// The receiver is left over at the shutdown, where this has reached it and has not had its turn. It can still say to whom that is to be told.
    fn left_over(self, extras: &Extras, on: &Core) {
        let _ = extras;
        self.lost(Some(on));
    }

    /// Whether it asks for nothing but what has just happened: the receiver has ended, for this reason, and begins anew.
    fn is_met(&self, by: &StopReason) -> bool {
        let _ = by;
        false
    }

    /// Whether it lets the receiver begin anew, and so is as good as done if that ends before by a failure.
    const ANEW: bool = false;

    /// Whether it only reads the actor's state, so that others of its kind may do so at the same time.
    const READS: bool = false;

    /// Takes effect beside others that read, on any worker. For signals with [`Signal::READS`].
    ///
    /// # Safety
    /// The actor is the one the signal was made for; until this returns nobody gets an exclusive reference to its state.
    unsafe fn read(self, at: Reading<'_>) {
        let _ = at;
        unreachable!("signals that read say how");
    }
}

/// The actor whose state is read, and the worker on which that happens.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) core: &'a Core,
    pub(crate) actor: Target,
    pub(crate) state: *const (),
}

/// The running actor that a signal has reached.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    core: &'a Core,
    pub(crate) cell: *mut Header,
    context: *mut (),
}

impl<'a> At<'a> {
    pub(crate) fn new<A: Actor>(context: &'a mut Context<'_, A>) -> Self {
        Self {
            core: context.engine,
            cell: context.cell,
            context: ptr::from_mut(context).cast(),
        }
    }

    /// The worker, for what may be looked at without entering it.
    pub(crate) fn worker(&self) -> &'a Core {
        self.core
    }

    /// The worker; a signal acts outside of it, as a handler does.
    pub(crate) fn core(&self) -> Inside<'a> {
        Inside::new(self.core)
    }

    pub(crate) fn header(&self) -> &Header {
        // SAFETY: a cell's header is valid for ever; an `At` exists only on the worker that owns it.
        unsafe { &*self.cell }
    }

    /// State and context of the actor.
    ///
    /// # Safety
    /// The actor is an `A`, and this is called once for an `At` (and its copies).
    pub(crate) unsafe fn actor<A: Actor>(self) -> (&'a mut A, &'a mut Context<'a, A>) {
        // SAFETY: by the caller; `new` got the context by an exclusive reference of this lifetime.
        unsafe { (&mut *Shape::<A>::state(self.cell), &mut *self.context.cast()) }
    }
}

/// What the runtime must know about a type of signals.
struct Table {
    lane: Lane,
    anew: bool,
    act: unsafe fn(*mut Block, At<'_>),
    lose: unsafe fn(*mut Block, Option<&Core>),
    leave: unsafe fn(*mut Block, &Extras, &Core),
    is_met: unsafe fn(*mut Block, &StopReason) -> bool,
    read: Option<unsafe fn(*mut Block, Reading<'_>)>,
}

/// A block with a signal in it.
#[repr(C)]
struct Envelope<S> {
    block: Block,
    table: &'static Table,
    signal: S,
}

impl<S: Signal> Envelope<S> {
    const TABLE: Table = Table {
        lane: S::LANE,
        anew: S::ANEW,
        act: Self::act,
        lose: Self::lose,
        leave: Self::leave,
        is_met: Self::is_met,
        read: if S::READS { Some(Self::read) } else { None },
    };

    /// Class of the pool that an envelope comes from; the system's allocator gives those that are too big for any.
    const CLASS: Option<usize> = {
        let most = BLOCK_SIZES[BLOCK_SIZES.len() - 1];
        if size_of::<Self>() <= most && align_of::<Self>() <= 64 {
            Some(class_of(&BLOCK_SIZES, size_of::<Self>()))
        } else {
            None
        }
    };

    fn alloc() -> NonNull<Self> {
        let place = match Self::CLASS {
            Some(class) => with_pools(|pools| pools.blocks[class].take()),
            // SAFETY: an envelope is never of size zero.
            None => unsafe { std::alloc::alloc(Layout::new::<Self>()) },
        };
        NonNull::new(place.cast()).unwrap_or_else(|| std::alloc::handle_alloc_error(Layout::new::<Self>()))
    }

    /// Takes the signal out and frees the envelope.
    ///
    /// # Safety
    /// The block is the caller's and the beginning of an `Envelope<S>`; it is handed over.
    unsafe fn open(block: *mut Block) -> S {
        let envelope = block.cast::<Self>();
        // SAFETY: by the caller; the memory came from `alloc`.
        unsafe {
            let signal = (&raw const (*envelope).signal).read();
            match Self::CLASS {
                Some(class) => with_pools(|pools| pools.blocks[class].give(envelope.cast())),
                None => std::alloc::dealloc(envelope.cast(), Layout::new::<Self>()),
            }
            signal
        }
    }

    /// # Safety
    /// As [`Envelope::open`] and [`Signal::act`].
    unsafe fn act(block: *mut Block, at: At<'_>) {
        // SAFETY: by the caller. The envelope is free again before code of users runs, which may panic.
        unsafe { Self::open(block).act(at) }
    }

    /// # Safety
    /// As [`Envelope::open`] and [`Signal::read`].
    unsafe fn read(block: *mut Block, at: Reading<'_>) {
        // SAFETY: by the caller.
        unsafe { Self::open(block).read(at) }
    }

    /// # Safety
    /// As [`Envelope::open`].
    unsafe fn lose(block: *mut Block, on: Option<&Core>) {
        // SAFETY: by the caller.
        unsafe { Self::open(block) }.lost(on);
    }

    /// # Safety
    /// As [`Envelope::open`].
    unsafe fn leave(block: *mut Block, extras: &Extras, on: &Core) {
        // SAFETY: by the caller.
        unsafe { Self::open(block) }.left_over(extras, on);
    }

    /// # Safety
    /// The block is the caller's and the beginning of an `Envelope<S>`.
    unsafe fn is_met(block: *mut Block, by: &StopReason) -> bool {
        // SAFETY: by the caller.
        unsafe { (*block.cast::<Self>()).signal.is_met(by) }
    }
}

/// A signal that was not sent yet. Dropped, it is lost.
pub(crate) struct Parcel<S: Signal>(NonNull<Envelope<S>>);

// SAFETY: a parcel owns its signal, and signals are `Send`.
unsafe impl<S: Signal> Send for Parcel<S> {}

impl<S: Signal> Parcel<S> {
    pub(crate) fn new(signal: S) -> Self {
        let envelope = Envelope::<S>::alloc();
        // SAFETY: the memory is ours, big enough and aligned.
        unsafe {
            envelope.write(Envelope {
                block: Block {
                    next: Cell::new(ptr::null_mut()),
                    read: Cell::new(0),
                    write: Cell::new(0),
                    // Room for no message: a mailbox that ends with a signal goes on in a new block.
                    end: Cell::new(0),
                    class: Cell::new(SIGNAL),
                    from: Cell::new(0),
                    waiting: Cell::new(0),
                },
                table: const { &Envelope::<S>::TABLE },
                signal,
            });
        }
        Self(envelope)
    }

    /// Where the signal lies until it is sent. The pointer leads to the whole envelope.
    pub(crate) fn place(&self) -> NonNull<S> {
        // SAFETY: the envelope is valid as long as the parcel was not sent.
        unsafe { NonNull::new_unchecked(&raw mut (*self.0.as_ptr()).signal) }
    }

    /// Lets go of the parcel, which somebody else will pick up with [`Parcel::at`].
    pub(crate) fn leave(self) -> NonNull<S> {
        ManuallyDrop::new(self).place()
    }

    /// # Safety
    /// The place is that of a parcel that was left and is picked up once.
    pub(crate) unsafe fn at(place: NonNull<S>) -> Self {
        // SAFETY: by the caller the place is inside an envelope, whose beginning is so far before it.
        Self(unsafe { place.byte_sub(std::mem::offset_of!(Envelope<S>, signal)).cast() })
    }

    /// # Safety
    /// The signal was made for this receiver.
    pub(crate) unsafe fn send(self, to: Target) {
        let block = ManuallyDrop::new(self).0.as_ptr().cast();
        // SAFETY: by the caller; the block is ours and holds a signal.
        crate::worker::current::with(|core| unsafe {
            match core {
                Some(core) => core.send_signal(to, block),
                None => crate::client::signal(to, block),
            }
        });
    }
}

impl<S: Signal> Drop for Parcel<S> {
    fn drop(&mut self) {
        // SAFETY: the envelope is ours.
        unsafe { Envelope::<S>::lose(self.0.as_ptr().cast(), None) };
    }
}

/// Sends a signal that any actor understands.
pub(crate) fn send<S: Signal>(to: Target, signal: S) {
    // SAFETY: such signals look at nothing that depends on the actor's type.
    unsafe { Parcel::new(signal).send(to) };
}

/// As [`send`], but always by the receiver's inbox: behind what threads outside have put there, and what workers have put into the mailbox.
pub(crate) fn send_by_inbox<S: Signal>(to: Target, signal: S) {
    let block = ManuallyDrop::new(Parcel::new(signal)).0.as_ptr().cast();
    // SAFETY: the block is ours and holds a signal that any actor understands.
    unsafe { crate::client::signal(to, block) };
}

/// Pools of the calling thread.
fn with_pools<R>(f: impl FnOnce(&Pools) -> R) -> R {
    crate::worker::current::with(|core| match core {
        Some(core) => f(&core.pools),
        None => pool::with_thread_pools(f),
    })
}

/// # Safety
/// The block is the caller's and holds a signal.
unsafe fn table(block: *mut Block) -> &'static Table {
    // SAFETY: by the caller; the table stands at the same place in all envelopes, behind the block.
    unsafe {
        block
            .byte_add(std::mem::offset_of!(Envelope<()>, table))
            .cast::<&'static Table>()
            .read()
    }
}

/// Ends a signal whose receiver is gone.
///
/// # Safety
/// The block is the caller's and holds a signal; it is handed over.
#[cold]
pub(crate) unsafe fn lose(block: *mut Block) {
    // SAFETY: by the caller.
    unsafe { (table(block).lose)(block, None) };
}

/// The same on behalf of a worker, which the calling thread need not be.
///
/// # Safety
/// As [`lose`]; the caller is inside the core.
#[cold]
pub(crate) unsafe fn lose_on(core: &Core, block: *mut Block) {
    // SAFETY: by the caller.
    unsafe { (table(block).lose)(block, Some(core)) };
}

/// The same for an actor with these extras that is left over at the shutdown.
///
/// # Safety
/// As [`lose_on`].
#[cold]
pub(crate) unsafe fn leave_on(core: &Core, block: *mut Block, extras: &Extras) {
    // SAFETY: by the caller.
    unsafe { (table(block).leave)(block, extras, core) };
}

/// Whether a signal asks for nothing but an end that its receiver has just come to, before it begins anew.
///
/// # Safety
/// The block is the caller's and holds a signal.
unsafe fn is_met(block: *mut Block, by: &StopReason) -> bool {
    // SAFETY: by the caller.
    unsafe { (table(block).is_met)(block, by) }
}

/// Whether a signal lets its receiver begin anew.
///
/// # Safety
/// The block is the caller's and holds a signal.
unsafe fn is_anew(block: *mut Block) -> bool {
    // SAFETY: by the caller.
    unsafe { table(block).anew }
}

/// Whether a block holds a signal that only reads.
///
/// # Safety
/// The block is the caller's.
pub(crate) unsafe fn reads(block: *mut Block) -> bool {
    // SAFETY: by the caller; the table is looked at only where there is one.
    unsafe { is_signal(block) && table(block).read.is_some() }
}

/// Lets a signal that only reads take effect.
///
/// # Safety
/// The block is the caller's and holds such a signal; it is handed over. And as [`Signal::read`].
pub(crate) unsafe fn read(block: *mut Block, at: Reading<'_>) {
    // SAFETY: by the caller.
    unsafe { (table(block).read.unwrap_unchecked())(block, at) };
}

/// Puts a signal that has reached the actor's owner where it waits for its turn.
///
/// # Safety
/// The caller owns the cell, which holds a live actor, and the block, which holds a signal for it.
#[cold]
pub(crate) unsafe fn arrive(header: &Header, block: *mut Block) {
    header.flags.set(header.flags.get() | flag::ATTEND);
    // SAFETY: by the caller.
    unsafe {
        match table(block).lane {
            Lane::Mail => link(header, block),
            Lane::Urgent => {
                extras::attach(header).urgent.borrow_mut().push_back(block);
                park::resume(header, park::Wait::Pressure);
            }
            Lane::System => {
                extras::attach(header).system.borrow_mut().push_back(block);
                park::resume(header, park::Wait::Pressure);
            }
            Lane::Resume(wait) => {
                park::resume(header, wait);
                lose(block);
            }
        }
    }
}
