//! Sleeping on a word.

#[cfg(all(target_os = "linux", not(miri)))]
mod imp {
    use std::ptr;
    use std::sync::atomic::AtomicU32;

    /// Sleeps while `word` is `expected`; may return at any time.
    pub(crate) fn wait(word: &AtomicU32, expected: u32) {
        // SAFETY: the word outlives the call; the kernel only reads it.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                word.as_ptr(),
                libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                expected,
                ptr::null::<libc::timespec>(),
            );
        }
    }

    /// Wakes one sleeper.
    pub(crate) fn wake(word: &AtomicU32) {
        // SAFETY: the call does not touch memory of ours.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                word.as_ptr(),
                libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
                1,
            );
        }
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod imp {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::sync::{Condvar, Mutex};

    use crate::pool::lock;

    // One condition variable for all sleepers: correct everywhere, fast enough where there are no futexes.
    static GATE: Mutex<()> = Mutex::new(());
    static BELL: Condvar = Condvar::new();

    pub(crate) fn wait(word: &AtomicU32, expected: u32) {
        let guard = lock(&GATE);
        if word.load(SeqCst) == expected {
            drop(BELL.wait(guard));
        }
    }

    pub(crate) fn wake(_: &AtomicU32) {
        drop(lock(&GATE));
        BELL.notify_all();
    }
}

pub(crate) use imp::{wait, wake};
