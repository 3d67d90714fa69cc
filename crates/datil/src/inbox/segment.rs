//! Segments: the memory of an inbox, filled by senders and emptied by workers.

use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr;

use crate::pool::lock;
use crate::prefetch;
use crate::sync::Mutex;

/// Words in a segment: 32 KiB, about a thousand messages; for a model checker a few.
pub(crate) const WORDS: u64 = if cfg!(shuttle) { 128 } else { 4096 };
/// Words between what is accessed and what is asked for meanwhile: eight lines. Whoever fills a segment takes its lines from the worker that has
/// emptied it before, and the exchange that locks the tail waits for what was written ahead of it; whoever empties it takes them back.
const AHEAD: usize = 64;
/// Segments kept for reuse by the whole process.
pub(super) const KEPT: usize = if cfg!(miri) { 2 } else { 256 };

#[repr(C, align(64))]
pub(crate) struct Segment {
    /// Written by whoever fills this segment before it publishes anything in the next one.
    pub(crate) next: Cell<*mut Segment>,
    words: UnsafeCell<[MaybeUninit<u64>; WORDS as usize]>,
}

struct Spare(Box<Segment>);

// SAFETY: a spare segment is empty and referred to by nobody else.
unsafe impl Send for Spare {}

static SPARE: Mutex<Vec<Spare>> = Mutex::new(Vec::new());

#[cfg(shuttle)]
pub(super) fn forget() {
    lock(&SPARE).clear();
}

impl Segment {
    pub(crate) fn take() -> *mut Segment {
        let spare = lock(&SPARE).pop();
        let segment = spare.map_or_else(
            || {
                Box::new(Segment {
                    next: Cell::new(ptr::null_mut()),
                    words: UnsafeCell::new([MaybeUninit::uninit(); WORDS as usize]),
                })
            },
            |Spare(segment)| segment,
        );
        segment.next.set(ptr::null_mut());
        Box::into_raw(segment)
    }

    /// # Safety
    /// `segment` came from [`Segment::take`], is empty, and nobody refers to it any more.
    pub(crate) unsafe fn recycle(segment: *mut Segment) {
        // SAFETY: by the caller.
        let segment = unsafe { Box::from_raw(segment) };
        let mut spare = lock(&SPARE);
        if spare.len() < KEPT {
            spare.push(Spare(segment));
        }
    }

    /// The word of a position.
    ///
    /// # Safety
    /// `segment` is one; who may access the word is up to the inbox.
    #[inline(always)]
    pub(crate) unsafe fn word(segment: *mut Segment, position: u64) -> *mut u64 {
        // SAFETY: by the caller; the remainder lies within the array.
        unsafe {
            (&raw mut (*segment).words)
                .cast::<u64>()
                .add((position % WORDS) as usize)
        }
    }

    /// Asks for the line to which who fills a segment will write soon; behind a segment's end that is a line of something else, and of no use.
    #[inline(always)]
    pub(crate) fn ask_to_write(word: *mut u64) {
        prefetch::line_to_write(word.wrapping_add(AHEAD));
    }

    /// The same for who empties it.
    #[inline(always)]
    pub(crate) fn ask_to_read(word: *mut u64) {
        prefetch::line(word.wrapping_add(AHEAD));
    }
}
