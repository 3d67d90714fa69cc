//! A growable ring of cells: run queue and yield queue. Private to its worker.

use std::cell::Cell;
use std::ptr;

use crate::mailbox::cell::Header;

pub(crate) struct Ring {
    buffer: Cell<*mut *mut Header>,
    /// Capacity minus one; the capacity is a power of two.
    mask: Cell<usize>,
    /// Positions count up for ever and wrap; `newest - oldest` cells are queued.
    oldest: Cell<usize>,
    newest: Cell<usize>,
}

impl Ring {
    pub(crate) fn new() -> Self {
        let capacity = 256;
        Self {
            buffer: Cell::new(Self::allocate(capacity)),
            mask: Cell::new(capacity - 1),
            oldest: Cell::new(0),
            newest: Cell::new(0),
        }
    }

    fn allocate(capacity: usize) -> *mut *mut Header {
        vec![ptr::null_mut::<Header>(); capacity].leak().as_mut_ptr()
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.newest.get().wrapping_sub(self.oldest.get())
    }

    #[inline(always)]
    fn slot(&self, position: usize) -> *mut *mut Header {
        self.buffer.get().wrapping_add(position & self.mask.get())
    }

    /// Adds a cell as the newest; returns the new length.
    #[inline(always)]
    pub(crate) fn push(&self, cell: *mut Header) -> usize {
        if self.len() > self.mask.get() {
            self.grow();
        }
        let newest = self.newest.get();
        // SAFETY: a masked position lies in the buffer.
        unsafe { *self.slot(newest) = cell };
        self.newest.set(newest.wrapping_add(1));
        self.len()
    }

    #[inline(always)]
    pub(crate) fn pop_newest(&self) -> Option<*mut Header> {
        if self.len() == 0 {
            return None;
        }
        self.newest.set(self.newest.get().wrapping_sub(1));
        // SAFETY: as in `push`; the ring was not empty, so this position was written.
        Some(unsafe { *self.slot(self.newest.get()) })
    }

    #[inline(always)]
    pub(crate) fn pop_oldest(&self) -> Option<*mut Header> {
        if self.len() == 0 {
            return None;
        }
        let oldest = self.oldest.get();
        self.oldest.set(oldest.wrapping_add(1));
        // SAFETY: as in `pop_newest`.
        Some(unsafe { *self.slot(oldest) })
    }

    #[cold]
    #[inline(never)]
    fn grow(&self) {
        let (old, old_mask) = (self.buffer.get(), self.mask.get());
        let capacity = 2 * (old_mask + 1);
        let new = Self::allocate(capacity);
        for i in 0..self.len() {
            let position = self.oldest.get().wrapping_add(i);
            // SAFETY: masked positions lie in their buffers; the old one holds `len` cells from `oldest` on.
            unsafe { *new.wrapping_add(position & (capacity - 1)) = *old.wrapping_add(position & old_mask) };
        }
        self.buffer.set(new);
        self.mask.set(capacity - 1);
        // SAFETY: `allocate` made the buffer as a vector of this length.
        drop(unsafe { Vec::from_raw_parts(old, old_mask + 1, old_mask + 1) });
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        let capacity = self.mask.get() + 1;
        // SAFETY: as in `grow`.
        drop(unsafe { Vec::from_raw_parts(self.buffer.get(), capacity, capacity) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(i: usize) -> *mut Header {
        ptr::without_provenance_mut(i)
    }

    #[test]
    fn both_ends_keep_their_order_while_growing() {
        let ring = Ring::new();
        for i in 0..200 {
            ring.push(cell(i));
        }
        for i in 0..100 {
            assert_eq!(ring.pop_oldest(), Some(cell(i)));
        }
        for i in 200..1000 {
            ring.push(cell(i));
        }
        for i in (500..1000).rev() {
            assert_eq!(ring.pop_newest(), Some(cell(i)));
        }
        for i in 100..500 {
            assert_eq!(ring.pop_oldest(), Some(cell(i)));
        }
        assert_eq!((ring.pop_newest(), ring.pop_oldest()), (None, None));
    }
}
