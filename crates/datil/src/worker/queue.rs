//! A growable double-ended queue of cells: run queue and yield queue. Private to its worker.
//!
//! The cells lie in a row, not in a ring: both ends are plain pointers, and adding the newest one is a comparison and two stores.
//! What that costs is paid when the newest end reaches the end of the buffer: the cells move to its beginning, or into a bigger one.

use std::cell::Cell;
use std::ptr;

use crate::mailbox::cell::Header;

/// After so many more cells [`Queue::push`] says that the queue has grown.
pub(crate) const STEP: usize = if cfg!(shuttle) { 4 } else { 64 };

pub(crate) struct Queue {
    /// One behind the newest cell.
    top: Cell<*mut *mut Header>,
    /// The oldest cell, if `bottom` is not `top`.
    bottom: Cell<*mut *mut Header>,
    /// Where `push` has something to do before it can go on; never beyond the end of the buffer.
    limit: Cell<*mut *mut Header>,
    buffer: Cell<*mut *mut Header>,
    capacity: Cell<usize>,
}

impl Queue {
    pub(crate) fn new() -> Self {
        let capacity = 512;
        let buffer = Self::allocate(capacity);
        Self {
            top: Cell::new(buffer),
            bottom: Cell::new(buffer),
            limit: Cell::new(buffer.wrapping_add(STEP)),
            buffer: Cell::new(buffer),
            capacity: Cell::new(capacity),
        }
    }

    fn allocate(capacity: usize) -> *mut *mut Header {
        vec![ptr::null_mut::<Header>(); capacity].leak().as_mut_ptr()
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        (self.top.get().addr() - self.bottom.get().addr()) / size_of::<*mut Header>()
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.top.get() == self.bottom.get()
    }

    /// Adds a cell as the newest. True if there are many more cells than when somebody last looked: then it is time to look again.
    #[inline(always)]
    pub(crate) fn push(&self, cell: *mut Header) -> bool {
        let grown = self.top.get() == self.limit.get();
        if grown {
            self.extend();
        }
        let top = self.top.get();
        // SAFETY: `top` is below `limit` and so within the buffer.
        unsafe { *top = cell };
        self.top.set(top.wrapping_add(1));
        grown
    }

    /// Adds a cell as the oldest.
    #[inline]
    pub(crate) fn push_oldest(&self, cell: *mut Header) {
        if self.bottom.get() == self.buffer.get() {
            self.make_room_below();
        }
        let bottom = self.bottom.get().wrapping_sub(1);
        // SAFETY: the oldest cell was not the first of the buffer, so the place before it is within.
        unsafe { *bottom = cell };
        self.bottom.set(bottom);
    }

    /// Moves the cells to the middle of the buffer, or of one twice as big if they fill more than half of it.
    #[cold]
    #[inline(never)]
    fn make_room_below(&self) {
        let (buffer, capacity, len) = (self.buffer.get(), self.capacity.get(), self.len());
        let wanted = if len > capacity / 2 {
            2 * capacity
        } else {
            capacity
        };
        let room = if wanted == capacity {
            buffer
        } else {
            Self::allocate(wanted)
        };
        // At least a quarter of the buffer is free on either side: as many steps go by before anything is moved again.
        let bottom = room.wrapping_add((wanted - len) / 2);
        // SAFETY: `len` cells lie from `bottom` on, and they fit into the middle of `room`.
        unsafe { ptr::copy(self.bottom.get(), bottom, len) };
        if wanted != capacity {
            self.buffer.set(room);
            self.capacity.set(wanted);
            // SAFETY: `allocate` made the buffer as a vector of this length.
            drop(unsafe { Vec::from_raw_parts(buffer, capacity, capacity) });
        }
        self.bottom.set(bottom);
        self.top.set(bottom.wrapping_add(len));
        self.look();
    }

    #[inline(always)]
    pub(crate) fn pop_newest(&self) -> Option<*mut Header> {
        if self.is_empty() {
            return None;
        }
        let newest = self.top.get().wrapping_sub(1);
        self.top.set(newest);
        // SAFETY: the queue was not empty, so this place was written.
        Some(unsafe { *newest })
    }

    #[inline(always)]
    pub(crate) fn pop_oldest(&self) -> Option<*mut Header> {
        if self.is_empty() {
            return None;
        }
        let oldest = self.bottom.get();
        self.bottom.set(oldest.wrapping_add(1));
        // SAFETY: as in `pop_newest`.
        Some(unsafe { *oldest })
    }

    /// Somebody looks at the queue: growth counts from here.
    #[inline]
    pub(crate) fn look(&self) {
        self.remind_after(STEP);
    }

    /// Makes the `push` after `more` others, or an earlier one, say that it is time to look.
    #[inline]
    pub(crate) fn remind_after(&self, more: usize) {
        let end = self.buffer.get().wrapping_add(self.capacity.get());
        let left = (end.addr() - self.top.get().addr()) / size_of::<*mut Header>();
        self.limit.set(self.top.get().wrapping_add(left.min(more)));
    }

    /// Makes the next `push` say so.
    pub(crate) fn remind(&self) {
        self.limit.set(self.top.get());
    }

    /// Moves `limit` on, and makes room if it was the end of the buffer.
    #[cold]
    #[inline(never)]
    fn extend(&self) {
        let (buffer, capacity, len) = (self.buffer.get(), self.capacity.get(), self.len());
        if self.top.get() == buffer.wrapping_add(capacity) {
            // Moved at most once for every cell that was added since: before the next move at least half of the buffer fills up.
            if len > capacity / 2 {
                let bigger = Self::allocate(2 * capacity);
                // SAFETY: `len` cells lie from `bottom` on; the new buffer is twice as long as the old one.
                unsafe { ptr::copy_nonoverlapping(self.bottom.get(), bigger, len) };
                self.buffer.set(bigger);
                self.capacity.set(2 * capacity);
                // SAFETY: `allocate` made the buffer as a vector of this length.
                drop(unsafe { Vec::from_raw_parts(buffer, capacity, capacity) });
            } else {
                // SAFETY: `len` cells lie from `bottom` on, and they fit into the buffer.
                unsafe { ptr::copy(self.bottom.get(), buffer, len) };
            }
            self.bottom.set(self.buffer.get());
            self.top.set(self.buffer.get().wrapping_add(len));
        }
        self.look();
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let capacity = self.capacity.get();
        // SAFETY: `allocate` made the buffer as a vector of this length.
        drop(unsafe { Vec::from_raw_parts(self.buffer.get(), capacity, capacity) });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    fn cell(i: usize) -> *mut Header {
        ptr::without_provenance_mut(i)
    }

    /// Against the standard library's queue, with phases that grow, shrink, and only pass through.
    #[test]
    fn both_ends_keep_their_order() {
        let (queue, mut model) = (Queue::new(), VecDeque::new());
        let (mut next, mut state) = (0, 1u32);
        for step in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let pushes_of_ten = [7, 5, 2, 5][step / 2_500 % 4];
            if state >> 16 & 0xFFFF < pushes_of_ten * 6_554 {
                next += 1;
                if state & 0x4000 != 0 {
                    queue.push(cell(next));
                    model.push_back(cell(next));
                } else {
                    queue.push_oldest(cell(next));
                    model.push_front(cell(next));
                }
            } else if state & 0x8000 != 0 {
                assert_eq!(queue.pop_newest(), model.pop_back());
            } else {
                assert_eq!(queue.pop_oldest(), model.pop_front());
            }
            assert_eq!(queue.len(), model.len());
            assert_eq!(queue.is_empty(), model.is_empty());
        }
        assert!(next > 5_000, "the test must have used more than one buffer");
    }

    #[test]
    fn growth_is_told_once_per_step() {
        let queue = Queue::new();
        let told = (0..10 * STEP).filter(|&i| queue.push(cell(i))).count();
        assert_eq!(told, 9, "the first step needs no look");
        queue.look();
        assert!(!queue.push(cell(1)), "somebody has just looked");
        // To and fro at one end is no growth.
        for i in 0..10 * STEP {
            queue.pop_newest();
            assert!(!queue.push(cell(i)));
        }
    }
}
