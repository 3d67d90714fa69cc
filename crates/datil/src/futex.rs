//! Sleeping on a word.

#[cfg(all(target_os = "linux", not(any(miri, shuttle))))]
mod imp {
    use crate::atomic::AtomicU32;
    use std::ptr;
    use std::time::Duration;

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

    /// As [`wait`], at most so long.
    pub(crate) fn wait_for(word: &AtomicU32, expected: u32, most: Duration) {
        let most = libc::timespec {
            tv_sec: most.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: i64::from(most.subsec_nanos()),
        };
        // SAFETY: the word and the time outlive the call; the kernel only reads them.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                word.as_ptr(),
                libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                expected,
                &raw const most,
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

#[cfg(shuttle)]
mod imp {
    use crate::atomic::AtomicU32;
    use crate::model::{checker, sync};
    use std::time::Duration;

    pub(crate) fn wait(word: &AtomicU32, expected: u32) {
        checker::sleep(word, expected);
    }

    pub(crate) fn wait_for(_: &AtomicU32, _: u32, most: Duration) {
        checker::doze();
        sync::pass(most);
    }

    pub(crate) fn wake(word: &AtomicU32) {
        checker::wake(word, false);
    }

    pub(crate) fn wake_all(word: &AtomicU32) {
        checker::wake(word, true);
    }
}

#[cfg(all(any(not(target_os = "linux"), miri), not(shuttle)))]
mod imp {
    use crate::atomic::{AtomicU32, Ordering::SeqCst};
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

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

    pub(crate) fn wait_for(word: &AtomicU32, expected: u32, most: Duration) {
        let guard = lock(&GATE);
        if word.load(SeqCst) == expected {
            drop(BELL.wait_timeout(guard, most));
        }
    }

    pub(crate) fn wake(_: &AtomicU32) {
        drop(lock(&GATE));
        BELL.notify_all();
    }
}

#[cfg(shuttle)]
pub(crate) use imp::wake_all;
pub(crate) use imp::{wait, wait_for, wake};

#[cfg(all(test, not(shuttle)))]
mod tests {
    use std::time::{Duration, Instant};

    use crate::atomic::AtomicU32;

    #[test]
    fn a_sleep_may_take_whole_seconds() {
        let began = Instant::now();
        super::wait_for(&AtomicU32::new(1), 1, Duration::from_secs(1));
        assert!(began.elapsed() >= Duration::from_millis(900));
    }
}
