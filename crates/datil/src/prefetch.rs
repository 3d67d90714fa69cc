//! Hints to the processor about memory that will be needed soon. They have no effect but time, whatever the address.
//!
//! A mailbox that has grown to many blocks lies in memory that no cache holds any more, and a block is much shorter than the page
//! within which the processor recognises a stream by itself: without a hint each block begins with a wait for memory.
//! And what goes to and fro between threads, segments of an inbox and cells that one thread takes and another gives back, lies in another processor's
//! cache when its turn comes.

/// Bytes of a cache line.
pub(crate) const LINE: usize = 64;
/// Of a block in a row of many: half of the longest one. The rest follows by itself while that is used.
const BEGINNING: usize = 1024;

/// Asks for a line.
#[inline(always)]
pub(crate) fn line<T>(at: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}

/// Asks for a line and for the right to write to it.
#[inline(always)]
pub(crate) fn line_to_write<T>(at: *const T) {
    // `_mm_prefetch` with `_MM_HINT_ET0` would do, but without the target feature `prfchw`, which a program for any processor is built without, the
    // compiler makes a hint for reading of it.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint never faults and changes nothing; to a processor that does not know this one it is an empty instruction.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) at, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}

/// Asks for the beginning of a block that will be read from there on.
#[inline(always)]
pub(crate) fn block_to_read<T>(block: *const T) {
    (0..BEGINNING)
        .step_by(LINE)
        .for_each(|offset| line(block.wrapping_byte_add(offset)));
}

/// Asks for the beginning of a block that will be written from there on.
#[inline(always)]
pub(crate) fn block_to_write<T>(block: *const T) {
    (0..BEGINNING)
        .step_by(LINE)
        .for_each(|offset| line_to_write(block.wrapping_byte_add(offset)));
}
