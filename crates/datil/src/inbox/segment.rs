//! Segments: the memory of an inbox, filled by senders and emptied by workers.

use std::cell::{Cell, UnsafeCell};
use std::collections::VecDeque;
use std::mem::MaybeUninit;
use std::ptr;

use crate::pool::lock;
use crate::prefetch;
use crate::sync::Mutex;

/// Words in a segment: 32 KiB, about a thousand messages; for a model checker a few.
pub(crate) const WORDS: u64 = if cfg!(shuttle) { 128 } else { 4096 };
/// Words between what is accessed and what is asked for meanwhile: eight lines. Whoever fills a segment finds its lines in no cache of its own, and the
/// exchange that locks the tail waits for what was written ahead of it; whoever empties it takes them from who has filled it.
const AHEAD: usize = 64;
/// Segments kept for reuse by the whole process.
pub(super) const KEPT: usize = if cfg!(miri) { 2 } else { 256 };
/// Segments that are emptied after another before that is filled again, 4 MiB: so much that no line of it is still in the cache of the processor that has
/// emptied it. A sender must wait for lines from there, one after the other, asked for ahead or not.
const RESTING: usize = if cfg!(any(miri, shuttle)) { 0 } else { KEPT / 2 };

#[repr(C, align(64))]
pub(crate) struct Segment {
    /// Written by whoever fills this segment before it publishes anything in the next one.
    pub(crate) next: Cell<*mut Segment>,
    words: UnsafeCell<[MaybeUninit<u64>; WORDS as usize]>,
}

/// Empty segments, the longest unused first.
struct Spares(VecDeque<Box<Segment>>);

// SAFETY: a spare segment is empty and referred to by nobody else.
unsafe impl Send for Spares {}

impl Spares {
    const fn new() -> Self {
        Self(VecDeque::new())
    }

    /// The one that has rested longest, if that is long enough.
    fn take(&mut self) -> Option<Box<Segment>> {
        if self.0.len() > RESTING {
            self.0.pop_front()
        } else {
            None
        }
    }

    /// Keeps one, or gives it back if there are enough.
    fn put(&mut self, segment: Box<Segment>) -> Option<Box<Segment>> {
        if self.0.len() == KEPT {
            return Some(segment);
        }
        self.0.push_back(segment);
        None
    }
}

static SPARES: Mutex<Spares> = Mutex::new(Spares::new());

#[cfg(shuttle)]
pub(super) fn forget() {
    lock(&SPARES).0.clear();
}

impl Segment {
    fn new() -> Box<Self> {
        Box::new(Self {
            next: Cell::new(ptr::null_mut()),
            words: UnsafeCell::new([MaybeUninit::uninit(); WORDS as usize]),
        })
    }

    pub(crate) fn take() -> *mut Segment {
        let spare = lock(&SPARES).take();
        let segment = spare.unwrap_or_else(Self::new);
        segment.next.set(ptr::null_mut());
        Box::into_raw(segment)
    }

    /// # Safety
    /// `segment` came from [`Segment::take`], is empty, and nobody refers to it any more.
    pub(crate) unsafe fn recycle(segment: *mut Segment) {
        // SAFETY: by the caller.
        let segment = unsafe { Box::from_raw(segment) };
        let surplus = lock(&SPARES).put(segment);
        // Freed without the lock.
        drop(surplus);
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

#[cfg(test)]
mod tests {
    use super::{KEPT, RESTING, Segment, Spares};

    #[test]
    fn a_segment_is_filled_again_when_so_many_others_were_emptied_after_it() {
        let mut spares = Spares::new();
        let mut emptied = Vec::new();
        for segments in 1..=KEPT + 2 {
            let segment = Segment::new();
            emptied.push(std::ptr::from_ref(&*segment).addr());
            let surplus = spares.put(segment);
            assert_eq!(surplus.is_some(), segments > KEPT, "segment {segments}");
        }
        let filled = |segment: Box<Segment>| std::ptr::from_ref(&*segment).addr();
        let again: Vec<usize> = std::iter::from_fn(|| spares.take().map(filled)).collect();
        assert_eq!(again, emptied[..KEPT - RESTING]);
        spares.put(Segment::new());
        assert_eq!(spares.take().map(filled), Some(emptied[KEPT - RESTING]));
        assert!(spares.take().is_none());
    }
}
