//! Where a core lies in memory: not where its worker's stack seems to be.
//!
//! A processor that looks for the store on which a load depends compares the low twelve bits of their addresses first, so a load of
//! a stack slot can wait for a store to a core that has the same offset in another page (*4-KByte aliasing* in Intel's optimization
//! manual; AMD's processors do it too). Each activation saves and restores registers, among them the loop's pointer to its core, and
//! stores to some of the core's fields in between. Where a field had the page offset of that register's slot, a message took between
//! 1.2 and 1.8 times as long, and whether it had was decided by what else the program had allocated before.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ops::Deref;
use std::ptr::{self, NonNull};

/// Distance at which addresses are mistaken for each other.
const PAGE: usize = 4096;
const LINE: usize = 64;

/// An address just below the frame of the caller: what it calls has its frames below. (Stacks grow downwards wherever this runs.)
#[inline(never)]
pub(crate) fn stack() -> usize {
    let here = 0_u8;
    ptr::from_ref(std::hint::black_box(&here)).addr()
}

/// A value in memory of its own, as in a box, but apart from a stack.
pub(crate) struct Apart<T> {
    memory: NonNull<u8>,
    value: NonNull<T>,
}

impl<T> Apart<T> {
    /// There is room for the value wherever in a page it has to begin.
    const LAYOUT: Layout = match Layout::from_size_align(PAGE + size_of::<T>(), LINE) {
        Ok(layout) if align_of::<T>() <= LINE => layout,
        _ => panic!("the value is too large, or wants to be aligned to more than a line"),
    };

    /// Puts the value where its page offsets are those of the memory above `stack`: frames below `stack` reach them only where
    /// they are a page less the value deep.
    pub(crate) fn from(stack: usize, value: T) -> Self {
        // SAFETY: the size is not zero.
        let memory =
            NonNull::new(unsafe { alloc(Self::LAYOUT) }).unwrap_or_else(|| handle_alloc_error(Self::LAYOUT));
        // The next line but one: `stack` may lie somewhat below the caller's frame.
        let begin = (stack / LINE + 2) * LINE;
        let shift = begin.wrapping_sub(memory.addr().get()) % PAGE;
        // SAFETY: `shift` is less than a page and a multiple of a line, as `begin` and the memory's address are. So the place is
        // within the memory and aligned.
        let place = unsafe { memory.add(shift) }.cast::<T>();
        // SAFETY: as above; nothing lies there.
        unsafe { place.write(value) };
        Self { memory, value: place }
    }
}

impl<T> Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: `from` has put a value there, which stays until `drop`.
        unsafe { self.value.as_ref() }
    }
}

impl<T> Drop for Apart<T> {
    fn drop(&mut self) {
        // SAFETY: the value is there, and nobody uses it after this.
        unsafe { self.value.drop_in_place() };
        // SAFETY: `from` allocated it with this layout.
        unsafe { dealloc(self.memory.as_ptr(), Self::LAYOUT) };
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::rc::Rc;

    const DEEP: usize = 2048;

    #[test]
    fn frames_below_the_stack_have_other_page_offsets() {
        for stack in (0..2 * PAGE).step_by(8) {
            let apart = Apart::from(1 << 40 | stack, [0_u8; 1600]);
            let begin = ptr::from_ref(&*apart).addr();
            let above = begin.wrapping_sub(stack) % PAGE;
            assert!((1..=2 * LINE).contains(&above), "{above} above {stack}");
            assert!(above + size_of_val(&*apart) + DEEP <= PAGE);
            assert_eq!(begin % LINE, 0);
        }
    }

    #[test]
    fn the_value_is_dropped_once() {
        let counted = Rc::new(());
        let apart = Apart::from(stack(), counted.clone());
        assert_eq!(Rc::strong_count(&apart), 2);
        drop(apart);
        assert_eq!(Rc::strong_count(&counted), 1);
    }

    #[test]
    fn a_core_leaves_room_for_frames() {
        assert!(size_of::<super::super::Core>() + 2 * LINE + DEEP <= PAGE);
    }
}
