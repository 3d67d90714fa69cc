//! What stands in for processor and system when the model checker shuttle runs this library.
//!
//! Built with `--cfg shuttle` every atomic operation, lock, sleep and start of a thread is a point where shuttle decides who goes on, over the whole runtime
//! (`tests/shuttle.rs`).
//!
//! Atomics keep their size and place: they are real ones behind a scheduling point. So cells, ports and slabs are what they are otherwise. What differs: time is a number, and the pools hand out less at a time, so that short runs see them run dry.

pub(crate) mod atomic;
#[path = "shuttle.rs"]
pub(crate) mod checker;
pub(crate) mod sync;

/// Makes all that outlives a runtime as it is in a new process, so that one execution is like the next. No runtime exists.
///
/// # Safety
/// No address, and nothing else that an earlier execution has made with this library, is used afterwards.
pub unsafe fn begin() {
    checker::begin();
    sync::reset_clock();
    // SAFETY: by the caller.
    unsafe { crate::pool::forget() };
    crate::inbox::forget();
    crate::client::chunk::forget();
    crate::worker::port::forget();
}
