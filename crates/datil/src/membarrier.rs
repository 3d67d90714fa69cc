//! A fence that costs one side nothing: the other side makes the system run it on all threads of the process.
//!
//! Between `light` on one thread and `heavy` on another holds what holds between two sequentially consistent fences.

#[cfg(all(target_os = "linux", not(any(miri, shuttle))))]
mod imp {
    use std::sync::OnceLock;
    use std::sync::atomic::{Ordering::SeqCst, compiler_fence};

    const QUERY: libc::c_long = 0;
    const PRIVATE_EXPEDITED: libc::c_long = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: libc::c_long = 1 << 4;

    fn membarrier(command: libc::c_long) -> libc::c_long {
        // SAFETY: the call reads and writes no memory of ours.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) }
    }

    /// Whether the system offers such a fence; to be asked before the first [`heavy`].
    pub(crate) fn is_available() -> bool {
        static AVAILABLE: OnceLock<bool> = OnceLock::new();
        *AVAILABLE.get_or_init(|| {
            let offered = membarrier(QUERY);
            offered >= 0
                && offered & PRIVATE_EXPEDITED != 0
                && offered & REGISTER_PRIVATE_EXPEDITED != 0
                && membarrier(REGISTER_PRIVATE_EXPEDITED) == 0
        })
    }

    /// Keeps the compiler from moving memory accesses across; the processor is seen to by [`heavy`].
    #[inline(always)]
    pub(crate) fn light() {
        compiler_fence(SeqCst);
    }

    /// A fence on every running thread of the process; some microseconds. False if the system refused it.
    pub(crate) fn heavy() -> bool {
        membarrier(PRIVATE_EXPEDITED) == 0
    }
}

#[cfg(any(miri, shuttle))]
mod imp {
    use crate::atomic::{Ordering::SeqCst, fence};

    pub(crate) fn is_available() -> bool {
        true
    }

    pub(crate) fn light() {
        fence(SeqCst);
    }

    pub(crate) fn heavy() -> bool {
        fence(SeqCst);
        true
    }
}

#[cfg(not(any(target_os = "linux", miri, shuttle)))]
mod imp {
    pub(crate) fn is_available() -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn light() {}

    pub(crate) fn heavy() -> bool {
        false
    }
}

pub(crate) use imp::{heavy, is_available, light};
