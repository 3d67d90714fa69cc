//! Message blocks: a few messages of one type behind a 16-byte header.

use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};

use crate::pool::{BLOCK_SIZES, Pools, class_of};

/// Bytes before the first message.
const HEADER: usize = 16;

/// The header of a block; messages follow.
///
/// A block belongs to whoever holds it: the pool, a mailbox (its owner), or the sender until it is published in a remote list.
#[repr(C, align(16))]
pub(crate) struct Block {
    /// Next block: towards older ones in a remote list, towards newer ones in a mailbox.
    pub(crate) next: Cell<*mut Block>,
    /// Messages in `read..write` are present, and there is room for more up to `end`.
    pub(crate) read: Cell<u8>,
    pub(crate) write: Cell<u8>,
    pub(crate) end: Cell<u8>,
    pub(crate) class: Cell<u8>,
    /// Worker of the sender, 0 if it was none.
    pub(crate) from: Cell<u16>,
    /// Actors that waited on the sender's worker, as far as this can tell.
    pub(crate) waiting: Cell<u16>,
}

const _: () = assert!(size_of::<Block>() == HEADER);

/// Class of a block that holds a signal (`crate::signal`) instead of messages.
pub(crate) const SIGNAL: u8 = BLOCK_SIZES.len() as u8;

/// Whether a block holds a signal.
///
/// # Safety
/// The block belongs to the caller.
#[inline(always)]
pub(crate) unsafe fn is_signal(block: *mut Block) -> bool {
    // SAFETY: by the caller.
    unsafe { (*block).class.get() == SIGNAL }
}

/// Class of a mailbox's third block and those after it: one this long is a stream, which wants memory in a row.
const STREAM: usize = BLOCK_SIZES.len() - 1;

/// How messages of type `M` lie in memory: in place, or boxed if they are big or over-aligned.
pub(crate) struct Stored<M>(PhantomData<M>);

impl<M> Stored<M> {
    const BOXED: bool = size_of::<M>() > 240 || align_of::<M>() > 16;
    pub(crate) const SIZE: usize = if Self::BOXED {
        size_of::<Box<M>>()
    } else {
        size_of::<M>()
    };
    pub(crate) const ALIGN: usize = if Self::BOXED {
        align_of::<Box<M>>()
    } else {
        align_of::<M>()
    };
    /// Class of a mailbox's first block: one line where a message fits.
    const SMALL: usize = class_of(&BLOCK_SIZES, HEADER + Self::SIZE);
    /// Class of the second block: eight messages or half a kilobyte, whichever is more.
    const LARGE: usize = {
        let wanted = HEADER + 8 * Self::SIZE;
        let most = BLOCK_SIZES[BLOCK_SIZES.len() - 1];
        class_of(
            &BLOCK_SIZES,
            if wanted < 512 {
                512
            } else if wanted > most {
                most
            } else {
                wanted
            },
        )
    };

    /// Stores a message. It comes as `ManuallyDrop` from the beginning of a send on: were it dropped when something unwinds,
    /// it would have to lie in memory for that.
    ///
    /// # Safety
    /// `place` is valid for writes of `SIZE` bytes at alignment `ALIGN`.
    #[inline(always)]
    pub(crate) unsafe fn write(place: *mut u8, msg: ManuallyDrop<M>) {
        // SAFETY: by the caller. A message of whole words is copied word by word: a wide load of what was just written in
        // words would wait for the store buffer, which costs as much as all the rest of a send.
        unsafe {
            if Self::BOXED {
                place
                    .cast::<Box<M>>()
                    .write(Box::new(ManuallyDrop::into_inner(msg)));
            } else if align_of::<M>() == 8 && size_of::<M>() <= 32 {
                let from = (&raw const msg).cast::<MaybeUninit<u64>>();
                let to = place.cast::<MaybeUninit<u64>>();
                let words = size_of::<M>() / 8;
                let copy = |word: usize| {
                    if word < words {
                        to.add(word).write(from.add(word).read());
                    }
                };
                // Written out: the compiler turns a loop back into the copy that is to be avoided.
                copy(0);
                copy(1);
                copy(2);
                copy(3);
            } else {
                place.cast::<ManuallyDrop<M>>().write(msg);
            }
        }
    }

    /// # Safety
    /// `place` holds a message written by [`Stored::write`] that was not read yet.
    #[inline(always)]
    pub(crate) unsafe fn read(place: *mut u8) -> M {
        // SAFETY: by the caller.
        unsafe {
            if Self::BOXED {
                *place.cast::<Box<M>>().read()
            } else {
                place.cast::<M>().read()
            }
        }
    }

    /// Messages in a block, for tiny ones fewer than there is room for.
    const fn capacity(class: usize) -> u8 {
        match (BLOCK_SIZES[class] - HEADER).checked_div(Self::SIZE) {
            Some(messages) if messages < 255 => messages as u8,
            _ => 255,
        }
    }

    /// # Safety
    /// `block` belongs to the caller and is a block for messages of type `M`.
    #[inline(always)]
    unsafe fn place(block: *mut Block, index: u8) -> *mut u8 {
        block
            .cast::<u8>()
            .wrapping_add(HEADER + usize::from(index) * Self::SIZE)
    }

    /// A block with room for one message taken, in which the caller writes it.
    #[inline(always)]
    pub(crate) fn block(pools: &Pools) -> (*mut Block, *mut u8) {
        let block = fresh(pools, Self::SMALL, const { Self::capacity(Self::SMALL) });
        // SAFETY: the block is ours and big enough for the header and one message by the choice of its class.
        (block, unsafe { Self::place(block, 0) })
    }

    /// As [`Stored::block`], to follow `last`.
    ///
    /// # Safety
    /// `last` belongs to the caller and is a block for messages of type `M`.
    #[inline(always)]
    pub(crate) unsafe fn block_after(pools: &Pools, last: *mut Block) -> (*mut Block, *mut u8) {
        // SAFETY: by the caller.
        let block = if usize::from(unsafe { (*last).class.get() }) < Self::LARGE {
            fresh(pools, Self::LARGE, const { Self::capacity(Self::LARGE) })
        } else {
            fresh(pools, STREAM, const { Self::capacity(STREAM) })
        };
        // SAFETY: as in `block`.
        (block, unsafe { Self::place(block, 0) })
    }

    /// Takes the next place of a block, in which the caller writes a message; `None` if the block is full.
    ///
    /// # Safety
    /// As [`Stored::place`].
    #[inline(always)]
    pub(crate) unsafe fn room(block: *mut Block) -> Option<*mut u8> {
        // SAFETY: by the caller; the index is below the block's end.
        unsafe {
            let write = (*block).write.get();
            if write == (*block).end.get() {
                return None;
            }
            (*block).write.set(write + 1);
            Some(Self::place(block, write))
        }
    }

    /// Takes the oldest message; true if it was the last one.
    ///
    /// # Safety
    /// As [`Stored::place`]; the block is not empty.
    #[inline(always)]
    pub(crate) unsafe fn take(block: *mut Block) -> (M, bool) {
        // SAFETY: by the caller; the message at `read` is present and is not read again, since `read` moves on.
        unsafe {
            let read = (*block).read.get();
            let msg = Self::read(Self::place(block, read));
            (*block).read.set(read + 1);
            (msg, read + 1 == (*block).write.get())
        }
    }
}

/// A block of a class, linked to itself, with one message counted.
#[inline(never)]
fn fresh(pools: &Pools, class: usize, end: u8) -> *mut Block {
    if class == STREAM {
        // Another one will follow when this is full.
        pools.blocks[class].expect_more();
    }
    let block = pools.blocks[class].take().cast::<Block>();
    // SAFETY: the item came from the pool of this class, so it is ours, aligned, and bigger than the header.
    unsafe {
        block.write(Block {
            next: Cell::new(block),
            read: Cell::new(0),
            write: Cell::new(1),
            end: Cell::new(end),
            class: Cell::new(class as u8),
            from: Cell::new(0),
            waiting: Cell::new(0),
        });
    }
    block
}

/// Gives an empty block back.
///
/// # Safety
/// The block belongs to the caller and nothing refers to it any more.
#[inline(always)]
pub(crate) unsafe fn free(pools: &Pools, block: *mut Block) {
    // SAFETY: by the caller; `fresh` wrote the class of one of the pools into the block.
    unsafe {
        let class = (*block).class.get();
        pools.blocks.get_unchecked(usize::from(class)).give(block.cast());
    }
}
