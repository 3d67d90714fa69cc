//! Sets of processing units, as the system says on which ones a thread may run.

use std::io;

const WORDS: usize = 128;

/// Processing units by the system's numbers, below [`Mask::UNITS`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mask([u64; WORDS]);

impl Mask {
    /// No unit has this number or a bigger one.
    const UNITS: u32 = 64 * WORDS as u32;

    pub(super) const fn empty() -> Self {
        Self([0; WORDS])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// # Errors
    /// The unit has too big a number.
    pub(super) fn insert(&mut self, unit: u32) -> io::Result<()> {
        if unit >= Self::UNITS {
            return Err(io::Error::other(format!("unit {unit} has too big a number")));
        }
        self.0[unit as usize / 64] |= 1 << (unit % 64);
        Ok(())
    }

    pub(super) fn remove(&mut self, unit: u32) {
        if let Some(word) = self.0.get_mut(unit as usize / 64) {
            *word &= !(1 << (unit % 64));
        }
    }

    /// Where this thread may run; 0 is the calling one.
    ///
    /// # Errors
    /// What the system says.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub(super) fn of(thread: i32) -> io::Result<Self> {
        let mut mask = Self::empty();
        // SAFETY: the kernel writes at most as many bytes as it is told that there are.
        let done =
            unsafe { libc::sched_getaffinity(thread, size_of_val(&mask.0), mask.0.as_mut_ptr().cast()) };
        if done == 0 {
            Ok(mask)
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Lets this thread run on these units only; 0 is the calling one.
    ///
    /// # Errors
    /// What the system says.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub(super) fn give_to(&self, thread: i32) -> io::Result<()> {
        // SAFETY: the kernel reads the mask, which is as long as it is told.
        let done = unsafe { libc::sched_setaffinity(thread, size_of_val(&self.0), self.0.as_ptr().cast()) };
        if done == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    #[cfg(not(all(target_os = "linux", not(miri))))]
    pub(super) fn of(_: i32) -> io::Result<Self> {
        Err(io::Error::other("datil asks on Linux only where threads may run"))
    }

    #[cfg(not(all(target_os = "linux", not(miri))))]
    pub(super) fn give_to(&self, _: i32) -> io::Result<()> {
        Err(io::Error::other("datil can bind threads on Linux only"))
    }
}
