//! Counting accesses to memory nodes with the machine's own counters.

use std::io;

/// Reads from memory by the workers' threads in their own code, as the machine counts them; see
/// [`crate::Runtime::memory_accesses`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryAccesses {
    /// Reads from the node of the unit that read.
    pub local: u64,
    /// Reads from other nodes.
    pub remote: u64,
}

impl std::ops::AddAssign for MemoryAccesses {
    fn add_assign(&mut self, other: Self) {
        self.local += other.local;
        self.remote += other.remote;
    }
}

/// The counters of one thread.
pub(crate) struct Meter {
    reads: imp::Counter,
    remote_reads: imp::Counter,
}

impl Meter {
    /// Counts what the calling thread does from now on.
    ///
    /// # Errors
    /// Why there are no such counters.
    pub(crate) fn start() -> Result<Self, String> {
        let refused = |error: io::Error| format!("perf_event_open for accesses to memory nodes: {error}");
        Ok(Self {
            reads: imp::Counter::open(false).map_err(refused)?,
            remote_reads: imp::Counter::open(true).map_err(refused)?,
        })
    }

    /// The counts so far.
    pub(crate) fn read(&self) -> Result<MemoryAccesses, String> {
        let read = |counter: &imp::Counter| counter.read().map_err(|error| format!("a counter: {error}"));
        let (all, remote) = (read(&self.reads)?, read(&self.remote_reads)?);
        Ok(MemoryAccesses {
            // They are read one after the other.
            local: all.saturating_sub(remote),
            remote,
        })
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
mod imp {
    use std::fs::File;
    use std::io::{self, Read};
    use std::os::fd::FromRawFd;

    /// The first version of the kernel's description of a counter, which later kernels understand.
    #[repr(C)]
    #[derive(Default)]
    struct Attributes {
        kind: u32,
        size: u32,
        config: u64,
        period: u64,
        sample_type: u64,
        read_format: u64,
        flags: u64,
        wakeup: u32,
        breakpoint: u32,
        config1: u64,
    }

    const _: () = assert!(size_of::<Attributes>() == 64);

    pub(super) struct Counter(File);

    impl Counter {
        /// Reads that ask a memory node, or those that another node than the own answers.
        pub(super) fn open(remote: bool) -> io::Result<Self> {
            const HW_CACHE: u32 = 3;
            const NODE: u64 = 6;
            const MISS: u64 = 1 << 16;
            const EXCLUDE_KERNEL_AND_HYPERVISOR: u64 = 1 << 5 | 1 << 6;
            // Enabled and running time, for counters that take turns.
            const TIMES: u64 = 1 | 2;
            const CLOSE_ON_EXEC: libc::c_long = 8;
            let attributes = Attributes {
                kind: HW_CACHE,
                size: size_of::<Attributes>() as u32,
                config: NODE | if remote { MISS } else { 0 },
                read_format: TIMES,
                flags: EXCLUDE_KERNEL_AND_HYPERVISOR,
                ..Attributes::default()
            };
            // SAFETY: the kernel reads the attributes, whose size they tell. The calling thread on any unit, no group.
            let descriptor = unsafe {
                libc::syscall(
                    libc::SYS_perf_event_open,
                    &raw const attributes,
                    0,
                    -1,
                    -1,
                    CLOSE_ON_EXEC,
                )
            };
            if descriptor < 0 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the kernel has just made the descriptor for us.
            Ok(Self(unsafe { File::from_raw_fd(descriptor as i32) }))
        }

        pub(super) fn read(&self) -> io::Result<u64> {
            let mut bytes = [0; 24];
            (&self.0).read_exact(&mut bytes)?;
            let word =
                |i: usize| u64::from_ne_bytes(bytes[8 * i..8 * i + 8].try_into().expect("eight bytes"));
            let (count, enabled, running) = (word(0), word(1), word(2));
            if running == 0 {
                return if enabled == 0 {
                    Ok(0)
                } else {
                    Err(io::Error::other("it never got its turn"))
                };
            }
            Ok((u128::from(count) * u128::from(enabled) / u128::from(running)) as u64)
        }
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod imp {
    use std::io;

    pub(super) struct Counter;

    impl Counter {
        pub(super) fn open(_: bool) -> io::Result<Self> {
            Err(io::Error::other("datil can count them on Linux only"))
        }

        pub(super) fn read(&self) -> io::Result<u64> {
            Ok(0)
        }
    }
}
