//! Cells: the header every actor has, the words other threads may touch, and the private mailbox.
//!
//! See `README.md` beside this file for states, transitions and the proof.

use crate::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::atomic::{AtomicPtr, AtomicU32};
use std::any::TypeId;
use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr;

use datil_policy::Role;

use super::block::{self, Block, Stored};
use crate::actor::Actor;
use crate::pool::{CELL_SIZES, Pools, class_of};
use crate::prefetch;
use crate::worker::core::Core;

/// A generation lies in the lower bits of a word, below the 48 significant bits of a memory address: so the address is one shift away,
/// and one comparison tells whether there is one.
pub(crate) const GENERATION_BITS: u32 = 16;
/// Cells that reach this generation are never used again, so no address can match a later actor.
pub(crate) const LAST_GENERATION: u16 = u16::MAX;

/// Owner of a free cell.
pub(crate) const NOBODY: u16 = 0;
/// Set in the owner of a cell on its way to the port in the other bits.
pub(crate) const TRANSIT: u16 = 1 << 15;

/// `tag` word: owner above, generation below. One comparison proves "alive and mine".
#[inline(always)]
pub(crate) const fn tag(owner: u16, generation: u16) -> u32 {
    (owner as u32) << 16 | generation as u32
}

/// `remote` word: nothing in the list and no token out.
pub(crate) const EMPTY: usize = 0;
/// `remote` word: nothing in the list, but the token is out.
pub(crate) const TOKEN: usize = 1;

/// A remote word without a list.
#[inline(always)]
pub(crate) fn remote_word(state: usize, generation: u16) -> *mut Block {
    ptr::without_provenance_mut(state << GENERATION_BITS | usize::from(generation))
}

/// Splits a remote word into list (or `EMPTY`, `TOKEN`) and generation.
#[inline(always)]
pub(crate) fn split_remote(word: *mut Block) -> (*mut Block, u16) {
    (word.map_addr(|addr| addr >> GENERATION_BITS), word.addr() as u16)
}

/// Flags of a cell; only the owner touches them.
pub(crate) mod flag {
    /// In exactly one run queue, or running.
    pub(crate) const SCHEDULED: u32 = 1;
    /// The inline slot holds a message.
    pub(crate) const SLOT: u32 = 2;
    /// `started` has not run.
    pub(crate) const UNSTARTED: u32 = 4;
    /// The owner itself holds the token: it looks at `remote` before the actor goes idle.
    pub(crate) const HOLDS: u32 = 8;
    /// The actor is gone; the cell is free when its token arrives.
    pub(crate) const DEAD: u32 = 16;
    /// There are blocks in the mailbox: `tail` means something.
    pub(crate) const BLOCKS: u32 = 32;
    /// Any message at all.
    pub(crate) const MAIL: u32 = SLOT | BLOCKS;
    /// The next step of this actor may be something else than handling its next message; see `crate::signal`.
    pub(crate) const ATTEND: u32 = 64;
    /// The vtable is the beginning of an `Extended` (`crate::signal::extras`).
    pub(crate) const EXTENDED: u32 = 128;
    /// The actor stops when its handler returns.
    pub(crate) const STOPPING: u32 = 256;
    /// Activations in a row caused by the worker in the upper half.
    pub(crate) const STREAK_SHIFT: u32 = 9;
    pub(crate) const STREAK: u32 = 0x3F << STREAK_SHIFT;
    /// A message from the actor's own worker has woken it since the last of these. One that finds it scheduled is mostly its own, to itself,
    /// and says nothing about whom it talks with.
    pub(crate) const LOCAL: u32 = 1 << 15;
    pub(crate) const FRIEND_SHIFT: u32 = 16;
    pub(crate) const FOLLOW: u32 = STREAK | LOCAL | 0xFFFF << FRIEND_SHIFT;
    // A policy that routes follows nobody and has these bits for its word; see `crate::worker::routed`.
    /// Created by a thread that is no worker.
    pub(crate) const OUTSIDER: u32 = 1 << 9;
}

/// What the runtime must know about an actor's type.
#[derive(Clone, Copy)]
pub(crate) struct VTable {
    /// Runs a scheduled actor until its mailbox or its batch is used up.
    pub(crate) run: unsafe fn(&Core, *mut Header),
    /// Ends an actor: drops its state and its messages, frees or marks the cell.
    pub(crate) bury: unsafe fn(&Core, *mut Header),
    /// Size class of the cell.
    pub(crate) class: usize,
    /// What its author says of the type.
    pub(crate) hint: Role,
    /// The type's name.
    pub(crate) name: fn() -> &'static str,
    /// The type: actors of one type are a class to policies that learn.
    pub(crate) id: fn() -> TypeId,
}

/// The first 40 bytes of every cell; an optional inline message and the actor's state follow.
///
/// `tag`, `remote` and `next_in` are valid for ever. Everything else belongs to the owner named in `tag`.
#[repr(C)]
pub(crate) struct Header {
    pub(crate) tag: AtomicU32,
    pub(crate) flags: Cell<u32>,
    /// Messages from other workers, newest block first, and whether the token is out.
    pub(crate) remote: AtomicPtr<Block>,
    /// Link of the inbound list; belongs to the holder of the token.
    pub(crate) next_in: AtomicPtr<Header>,
    /// Newest block of the mailbox, whose `next` is the oldest one; anything if there is none (flag `BLOCKS`).
    pub(crate) tail: Cell<*mut Block>,
    pub(crate) vtable: Cell<*const VTable>,
}

const _: () = assert!(size_of::<Header>() == 40);

const fn align_up(offset: usize, align: usize) -> usize {
    offset.next_multiple_of(align)
}

/// Where things lie in the cell of an actor of type `A`.
pub(crate) struct Shape<A>(PhantomData<A>);

impl<A: Actor> Shape<A> {
    const SLOTTED: bool = Stored::<A::Msg>::SIZE <= 32;
    const SLOT: usize = align_up(size_of::<Header>(), Stored::<A::Msg>::ALIGN);
    const AFTER_SLOT: usize = if Self::SLOTTED {
        Self::SLOT + Stored::<A::Msg>::SIZE
    } else {
        size_of::<Header>()
    };
    pub(crate) const BOXED: bool = size_of::<A>() > 768 || align_of::<A>() > 64;
    const STATE: usize = align_up(
        Self::AFTER_SLOT,
        if Self::BOXED {
            align_of::<Box<A>>()
        } else {
            align_of::<A>()
        },
    );
    /// Size class of the cell.
    pub(crate) const CLASS: usize = class_of(
        &CELL_SIZES,
        Self::STATE
            + if Self::BOXED {
                size_of::<Box<A>>()
            } else {
                size_of::<A>()
            },
    );

    #[inline(always)]
    fn slot(cell: *mut Header) -> *mut u8 {
        cell.cast::<u8>().wrapping_add(Self::SLOT)
    }

    /// # Safety
    /// The caller owns the cell, which holds an `A`.
    #[inline(always)]
    pub(crate) unsafe fn state(cell: *mut Header) -> *mut A {
        let place = cell.cast::<u8>().wrapping_add(Self::STATE);
        if Self::BOXED {
            // SAFETY: by the caller; a boxed state is stored as the pointer that `Box::into_raw` gave.
            unsafe { place.cast::<*mut A>().read() }
        } else {
            place.cast()
        }
    }

    /// # Safety
    /// As [`Shape::state`]; afterwards the cell holds no `A` any more.
    pub(crate) unsafe fn drop_state(cell: *mut Header) {
        // SAFETY: by the caller.
        unsafe {
            let state = Self::state(cell);
            if Self::BOXED {
                drop(Box::from_raw(state))
            } else {
                state.drop_in_place()
            }
        }
    }

    /// Frees what a state took beside its cell.
    ///
    /// # Safety
    /// As [`Shape::drop_state`], but the state was dropped in its place already.
    pub(crate) unsafe fn free_place(cell: *mut Header) {
        if Self::BOXED {
            // SAFETY: by the caller; the box holds nothing to drop.
            drop(unsafe { Box::from_raw(Self::state(cell).cast::<ManuallyDrop<A>>()) });
        }
    }

    /// Makes a cell for `actor` with the given owner and flags. `token` says whether the owner starts out holding the token.
    #[inline(always)]
    pub(crate) fn create(
        pools: &Pools,
        vtable: &'static VTable,
        owner: u16,
        flags: u32,
        actor: A,
    ) -> *mut Header {
        let item = pools.cells[Self::CLASS].take();
        // SAFETY: the item comes from the pool of this class.
        unsafe { Self::create_in(item, vtable, owner, flags, actor) }
    }

    /// As [`Shape::create`], in an item that was taken already.
    ///
    /// # Safety
    /// The item was taken from a pool of cells of this class.
    #[inline(always)]
    pub(crate) unsafe fn create_in(
        item: *mut u8,
        vtable: &'static VTable,
        owner: u16,
        flags: u32,
        actor: A,
    ) -> *mut Header {
        // As for messages: nothing here drops it.
        let actor = ManuallyDrop::new(actor);
        let cell = item.cast::<Header>();
        // SAFETY: the item is ours, and its header is a former one or zero, both valid. The state lies behind the header within
        // the cell by the choice of the class.
        unsafe {
            let header = &*cell;
            let generation = header.tag.load(Relaxed) as u16;
            header.vtable.set(vtable);
            header.flags.set(flags);
            if flags & flag::HOLDS != 0 {
                // Nobody has an address of this generation yet, so nobody pushes.
                header.remote.store(remote_word(TOKEN, generation), Relaxed);
            }
            let place = cell.cast::<u8>().wrapping_add(Self::STATE);
            if Self::BOXED {
                place
                    .cast::<*mut A>()
                    .write(Box::into_raw(Box::new(ManuallyDrop::into_inner(actor))));
            } else {
                place.cast::<ManuallyDrop<A>>().write(actor);
            }
            // Release: who acquires the tag sees the cell complete.
            header.tag.store(tag(owner, generation), Release);
        }
        cell
    }

    /// Puts `msg` into the private mailbox and marks the actor as scheduled; true if it was not, so that the caller must queue it.
    ///
    /// # Safety
    /// The caller owns the cell, which holds a live `A`.
    #[inline(always)]
    pub(crate) unsafe fn push(pools: &Pools, cell: *mut Header, msg: ManuallyDrop<A::Msg>) -> bool {
        const WOKEN: u32 = flag::SCHEDULED | flag::LOCAL;
        // SAFETY: by the caller: header, slot and mailbox belong to us.
        unsafe {
            let header = &*cell;
            collect_remote_if_any(header);
            let flags = header.flags.get();
            if Self::SLOTTED && flags & (flag::SCHEDULED | flag::MAIL) == 0 {
                // The usual way of who was idle, with nothing to find out.
                header.flags.set(flags | flag::SLOT | WOKEN);
                Stored::<A::Msg>::write(Self::slot(cell), msg);
                return true;
            }
            let more = flags & flag::BLOCKS != 0;
            let (place, now) = if Self::SLOTTED && flags & flag::MAIL == 0 {
                (Self::slot(cell), flags | flag::SLOT)
            } else if more && let Some(place) = Stored::<A::Msg>::room(header.tail.get()) {
                if flags & flag::SCHEDULED != 0 {
                    // Nothing to note: without a store the next send's load of the flags has nothing to wait for.
                    Stored::<A::Msg>::write(place, msg);
                    return false;
                }
                (place, flags)
            } else {
                let (block, place) = if more {
                    Stored::<A::Msg>::block_after(pools, header.tail.get())
                } else {
                    Stored::<A::Msg>::block(pools)
                };
                link(header, block);
                (place, flags | flag::BLOCKS)
            };
            let wakes = flags & flag::SCHEDULED == 0;
            header.flags.set(if wakes { now | WOKEN } else { now });
            Stored::<A::Msg>::write(place, msg);
            wakes
        }
    }

    /// Makes `msg` the oldest message of the private mailbox.
    ///
    /// # Safety
    /// As [`Shape::push`].
    #[cold]
    pub(crate) unsafe fn push_front(pools: &Pools, cell: *mut Header, msg: ManuallyDrop<A::Msg>) {
        // SAFETY: by the caller.
        unsafe {
            let header = &*cell;
            let first = if !Self::SLOTTED {
                Some(msg)
            } else {
                let occupied = header.flags.get() & flag::SLOT != 0;
                let former = occupied.then(|| ManuallyDrop::new(Stored::<A::Msg>::read(Self::slot(cell))));
                Stored::<A::Msg>::write(Self::slot(cell), msg);
                header.flags.set(header.flags.get() | flag::SLOT);
                former
            };
            if let Some(first) = first {
                let (block, place) = Stored::<A::Msg>::block(pools);
                Stored::<A::Msg>::write(place, first);
                link_first(header, block);
            }
        }
    }

    /// Takes the oldest message of the private mailbox.
    ///
    /// # Safety
    /// As [`Shape::push`].
    #[inline(always)]
    pub(crate) unsafe fn pop(pools: &Pools, cell: *mut Header) -> Option<A::Msg> {
        // SAFETY: by the caller. The slot is filled only while there are no blocks, so it is always the oldest.
        unsafe {
            let header = &*cell;
            let flags = header.flags.get();
            if Self::SLOTTED && flags & flag::SLOT != 0 {
                header.flags.set(flags & !flag::SLOT);
                return Some(Stored::<A::Msg>::read(Self::slot(cell)));
            }
            if flags & flag::BLOCKS == 0 {
                return None;
            }
            let tail = header.tail.get();
            let head = (*tail).next.get();
            let (msg, last) = Stored::<A::Msg>::take(head);
            if last {
                if head == tail {
                    header.flags.set(flags & !flag::BLOCKS);
                } else {
                    go_on_with((*head).next.get(), tail);
                }
                block::free(pools, head);
            }
            Some(msg)
        }
    }

    /// Whether the private mailbox is empty.
    ///
    /// # Safety
    /// As [`Shape::push`].
    #[inline(always)]
    pub(crate) unsafe fn is_empty(cell: *mut Header) -> bool {
        // SAFETY: by the caller.
        unsafe { (*cell).flags.get() & flag::MAIL == 0 }
    }
}

/// Makes `head` the first block of a mailbox that ends with `tail`.
///
/// Apart, because most mailboxes never have two blocks, and cold for the sake of their handlers' registers.
///
/// # Safety
/// The caller owns the mailbox; its first block so far is the caller's afterwards.
#[cold]
#[inline(never)]
unsafe fn go_on_with(head: *mut Block, tail: *mut Block) {
    // SAFETY: by the caller.
    unsafe {
        (*tail).next.set(head);
        if head != tail {
            // Fetched while the messages of this one are handled.
            prefetch::block_to_read((*head).next.get());
        }
    }
}

/// Appends a block to the mailbox.
///
/// # Safety
/// The caller owns the cell and the block.
pub(crate) unsafe fn link(header: &Header, block: *mut Block) {
    let flags = header.flags.get();
    // SAFETY: by the caller; a tail that means something is a block of this mailbox.
    unsafe {
        if flags & flag::BLOCKS == 0 {
            header.flags.set(flags | flag::BLOCKS);
            (*block).next.set(block);
        } else {
            let tail = header.tail.get();
            (*block).next.set((*tail).next.get());
            (*tail).next.set(block);
        }
    }
    header.tail.set(block);
}

/// Puts a block before the others of the mailbox.
///
/// # Safety
/// As [`link`].
unsafe fn link_first(header: &Header, block: *mut Block) {
    if header.flags.get() & flag::BLOCKS == 0 {
        // SAFETY: by the caller.
        return unsafe { link(header, block) };
    }
    // SAFETY: by the caller; the tail's `next` is the first block.
    unsafe {
        let tail = header.tail.get();
        (*block).next.set((*tail).next.replace(block));
    }
}

/// The oldest block of the mailbox.
///
/// # Safety
/// The caller owns the cell.
pub(crate) unsafe fn head(header: &Header) -> Option<*mut Block> {
    let some = header.flags.get() & flag::BLOCKS != 0;
    // SAFETY: by the caller; a tail that means something is a block of this mailbox.
    some.then(|| unsafe { (*header.tail.get()).next.get() })
}

/// Takes the oldest block out of the mailbox, which has one.
///
/// # Safety
/// As [`head`]. The block is the caller's afterwards.
pub(crate) unsafe fn unlink_head(header: &Header) {
    let tail = header.tail.get();
    // SAFETY: by the caller.
    unsafe {
        let head = (*tail).next.get();
        if head == tail {
            header.flags.set(header.flags.get() & !flag::BLOCKS);
        } else {
            (*tail).next.set((*head).next.get());
        }
    }
}

/// Whether there is a signal among the blocks of the mailbox, or it is too long to be looked through.
///
/// # Safety
/// As [`head`].
pub(crate) unsafe fn may_have_signal(header: &Header) -> bool {
    const MOST: u32 = 64;
    let (tail, mut seen) = (header.tail.get(), 0);
    // SAFETY: by the caller.
    let mut at = unsafe { head(header) };
    while let Some(block) = at {
        // SAFETY: by the caller; the mailbox is a ring of blocks that ends with the tail.
        unsafe {
            seen += 1;
            if block::is_signal(block) || seen == MOST {
                return true;
            }
            at = (block != tail).then(|| (*block).next.get());
        }
    }
    false
}

/// Adds a block that has reached the owner: messages to the mailbox, a signal to where its kind belongs.
///
/// # Safety
/// As [`link`].
#[inline(always)]
pub(crate) unsafe fn append(header: &Header, block: *mut Block) {
    // SAFETY: by the caller.
    unsafe {
        if block::is_signal(block) {
            crate::signal::arrive(header, block);
        } else {
            link(header, block);
        }
    }
}

/// Moves what other workers sent into the private mailbox before something is added to that: the sender may have come
/// from there, and its earlier messages must be handled earlier.
///
/// # Safety
/// The caller owns the cell.
#[inline(always)]
pub(crate) unsafe fn collect_remote_if_any(header: &Header) {
    let (list, _) = split_remote(header.remote.load(Relaxed));
    if list.addr() > TOKEN {
        // SAFETY: by the caller.
        unsafe { collect_remote(header, TOKEN) };
    }
}

/// Moves the remote list into the private mailbox, leaving `state` (`EMPTY` gives the token up) behind; returns how many blocks that
/// were.
///
/// # Safety
/// The caller owns the cell; with `EMPTY` it must also hold the token.
#[cold]
#[inline(never)]
pub(crate) unsafe fn collect_remote(header: &Header, state: usize) -> u32 {
    let generation = header.tag.load(Relaxed) as u16;
    // Acquire: the blocks' content is visible. Release: with EMPTY the next sender takes the token over from us.
    let (list, _) = split_remote(header.remote.swap(remote_word(state, generation), AcqRel));
    // SAFETY: the swap made the list ours.
    unsafe { adopt_list(header, list) }
}

/// Appends a list taken from `remote` (newest first) to the mailbox in the order sent; returns its length.
///
/// # Safety
/// The caller owns the cell and the list.
pub(crate) unsafe fn adopt_list(header: &Header, list: *mut Block) -> u32 {
    if list.addr() <= TOKEN {
        return 0;
    }
    let mut blocks = 0;
    // SAFETY: by the caller: all blocks of the list are ours and end with null.
    unsafe {
        let mut oldest: *mut Block = ptr::null_mut();
        let mut newest_left = list;
        while !newest_left.is_null() {
            let next = (*newest_left).next.replace(oldest);
            oldest = newest_left;
            newest_left = next;
        }
        while !oldest.is_null() {
            let next = (*oldest).next.get();
            append(header, oldest);
            oldest = next;
            blocks += 1;
        }
    }
    blocks
}

/// What became of a block offered to a cell.
pub(crate) enum Pushed {
    /// It is in the list, and the token is with somebody who will see to it.
    Delivered,
    /// It is in the list, and the caller now holds the token: it must bring it to the owner.
    WithToken,
    /// The actor is gone; the block is still the caller's.
    Dead,
}

/// Publishes `block` in the remote list of `cell` if it still has that generation.
///
/// # Safety
/// `cell` is a cell; the block is the caller's and holds messages of the type that the actor of that generation takes.
pub(crate) unsafe fn push_remote(cell: *mut Header, generation: u16, block: *mut Block) -> Pushed {
    // SAFETY: a cell's atomics are valid for ever; the block is ours until the exchange succeeds.
    unsafe {
        let remote = &(*cell).remote;
        let mut word = remote.load(Relaxed);
        loop {
            let (list, current) = split_remote(word);
            if current != generation {
                return Pushed::Dead;
            }
            (*block).next.set(if list.addr() > TOKEN {
                list
            } else {
                ptr::null_mut()
            });
            let new = block.map_addr(|addr| addr << GENERATION_BITS | usize::from(generation));
            // Release publishes the block; Acquire because with the token we take over from who left EMPTY.
            match remote.compare_exchange_weak(word, new, AcqRel, Relaxed) {
                Ok(_) if list.addr() == EMPTY => return Pushed::WithToken,
                Ok(_) => return Pushed::Delivered,
                Err(now) => word = now,
            }
        }
    }
}

/// Takes the token of a cell for its owner; false if it is out.
///
/// # Safety
/// The caller owns the cell.
pub(crate) unsafe fn take_token(header: &Header) -> bool {
    if header.flags.get() & flag::HOLDS != 0 {
        return true;
    }
    let generation = header.tag.load(Relaxed) as u16;
    let taken = header
        .remote
        .compare_exchange(
            remote_word(EMPTY, generation),
            remote_word(TOKEN, generation),
            Acquire,
            Relaxed,
        )
        .is_ok();
    if taken {
        header.flags.set(header.flags.get() | flag::HOLDS);
    }
    taken
}
