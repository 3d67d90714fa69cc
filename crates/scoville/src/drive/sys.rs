//! System calls that no safe library wraps. All `unsafe` of the laboratory is in this module, but for the launcher's word that it
//! has one thread when it forks.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

/// Which side of a fork this is.
#[derive(Debug)]
pub enum Fork {
    /// The new process.
    Child,
    /// The old process.
    Parent {
        /// The new process.
        pid: Pid,
        /// Names it without a race for as long as this is open.
        pidfd: OwnedFd,
        /// Whether it was born inside the wanted control group.
        in_cgroup: bool,
    },
}

/// Forks the calling process, into `cgroup` where the kernel can.
///
/// `clone3` is absent before Linux 5.3 and forbidden by some container profiles; then plain `fork` is used and the
/// caller has to move the child itself, as `in_cgroup` tells.
///
/// # Errors
/// The error of `fork` or `pidfd_open`.
///
/// # Safety
/// The process must have one thread only: a lock held by another thread would stay locked in the child for ever.
pub unsafe fn fork(cgroup: Option<BorrowedFd<'_>>) -> io::Result<Fork> {
    // SAFETY: the caller promises that there is one thread.
    match unsafe { clone3(cgroup) } {
        Ok(fork) => return Ok(fork),
        Err(e) if cgroup.is_none() && !fallback(&e) => return Err(e),
        Err(_) => {}
    }
    // SAFETY: as above.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        raw => {
            let pid = Pid::from_raw(raw).ok_or_else(|| io::Error::other("fork returned no process"))?;
            let pidfd = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())?;
            Ok(Fork::Parent {
                pid,
                pidfd,
                in_cgroup: false,
            })
        }
    }
}

/// Whether `clone3` itself is missing or forbidden, so that plain `fork` may still work.
fn fallback(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ENOSYS | libc::EPERM | libc::EINVAL | libc::E2BIG)
    )
}

/// # Safety
/// As [`fork`].
unsafe fn clone3(cgroup: Option<BorrowedFd<'_>>) -> io::Result<Fork> {
    /// `CLONE_INTO_CGROUP` of `linux/sched.h`; wider than the `c_int` that libc gives it.
    const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;
    let mut pidfd: RawFd = -1;
    // SAFETY: `clone_args` is plain integers, for which all zero bits are valid.
    let mut args: libc::clone_args = unsafe { std::mem::zeroed() };
    args.flags = libc::CLONE_PIDFD as u64;
    args.pidfd = (&raw mut pidfd) as u64;
    args.exit_signal = libc::SIGCHLD as u64;
    if let Some(cgroup) = cgroup {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = cgroup.as_raw_fd() as u64;
    }
    // SAFETY: without CLONE_VM this is a fork: the child has its own copy of the address space and goes on with this
    // stack. `args` and `pidfd` outlive the call. The caller promises that there is one thread.
    let raw = unsafe { libc::syscall(libc::SYS_clone3, &raw mut args, size_of::<libc::clone_args>()) };
    match raw {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        _ => Ok(Fork::Parent {
            pid: i32::try_from(raw)
                .ok()
                .and_then(Pid::from_raw)
                .ok_or_else(|| io::Error::other("clone3 returned no process"))?,
            // SAFETY: the kernel stored a new descriptor here, and nobody else knows its number.
            pidfd: unsafe { OwnedFd::from_raw_fd(pidfd) },
            in_cgroup: cgroup.is_some(),
        }),
    }
}

/// Puts copies of the given descriptors at 0, 1, 2 and 3 and marks every other one close-on-exec.
///
/// # Errors
/// The error of `dup2` or of marking the others; `EBADF` if one of the descriptors is itself below 4, because it would
/// be overwritten before it is copied.
pub fn place_standard_fds(standard: [BorrowedFd<'_>; 4]) -> io::Result<()> {
    if standard.iter().any(|fd| fd.as_raw_fd() < 4) {
        return Err(io::Error::from_raw_os_error(libc::EBADF));
    }
    for (target, fd) in (0..).zip(standard) {
        // SAFETY: duplicating a descriptor touches no memory. Nothing in this process uses 0 to 3 from here on: it is
        // a forked child on its way to exec.
        if unsafe { libc::dup2(fd.as_raw_fd(), target) } == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    close_on_exec_from(4)
}

/// Marks every descriptor from `first` on close-on-exec.
fn close_on_exec_from(first: RawFd) -> io::Result<()> {
    const CLOSE_RANGE_CLOEXEC: libc::c_uint = 4;
    // SAFETY: sets a flag on descriptors; touches no memory.
    let done = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            libc::c_uint::MAX,
            CLOSE_RANGE_CLOEXEC,
        )
    };
    if done == 0 {
        return Ok(());
    }
    // Before Linux 5.11 the flag is unknown: one by one.
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        let Some(fd) = name.to_str().and_then(|n| n.parse::<RawFd>().ok()) else {
            continue;
        };
        if fd >= first {
            // SAFETY: as above. A descriptor that is closed by now gives EBADF, which is as good as close-on-exec.
            unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
    Ok(())
}

/// Whether this process ignores a signal, as one that was started by `nohup` does.
pub fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: `sigaction` is plain data, for which all zero bits are valid. Without a new action the call only fills it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Gives every signal its default action and unblocks all: Rust programs ignore SIGPIPE, and that would be inherited.
pub fn reset_signals() {
    for signal in 1..=64 {
        // SAFETY: SIG_DFL runs no code of ours. Signals that may not be changed are refused and stay as they are.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: `sigset_t` is plain data that sigemptyset fills; the pointers are valid for the calls.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// Replaces the process image. Returns only if that failed.
pub fn exec(program: &CString, arguments: &[CString], environment: &[CString]) -> io::Error {
    let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
        strings
            .iter()
            .map(|s| s.as_ptr())
            .chain([std::ptr::null()])
            .collect()
    };
    let (argv, envp) = (pointers(arguments), pointers(environment));
    // SAFETY: both arrays end with a null pointer, and every other element points to a C string that outlives the call.
    unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), envp.as_ptr()) };
    io::Error::last_os_error()
}

/// Ends the process at once: no destructor, no buffered output of the parent's is written twice.
pub fn exit_now(status: i32) -> ! {
    // SAFETY: always allowed.
    unsafe { libc::_exit(status) }
}

/// What `wait4` says a process used, with everything that it has itself waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// User and system time, ns.
    pub cpu_ns: u64,
    /// Voluntary context switches.
    pub voluntary: u64,
    /// Involuntary context switches.
    pub involuntary: u64,
}

impl Usage {
    /// Both together.
    pub fn plus(self, other: Usage) -> Usage {
        Usage {
            cpu_ns: self.cpu_ns + other.cpu_ns,
            voluntary: self.voluntary + other.voluntary,
            involuntary: self.involuntary + other.involuntary,
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// Exit status, if it exited.
    pub status: Option<i32>,
    /// Signal, if one ended it.
    pub signal: Option<i32>,
}

/// Reaps a child that has ended: `pid`, or any if `None`. `Ok(None)` if there is no such child or it still runs.
///
/// # Errors
/// Any error of `wait4` but `ECHILD`.
pub fn reap(pid: Option<Pid>) -> io::Result<Option<(Pid, Exit, Usage)>> {
    let mut status = 0;
    // SAFETY: `rusage` is plain integers, for which all zero bits are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let wanted = pid.map_or(-1, |p| p.as_raw_nonzero().get());
    // SAFETY: both pointers are valid for the call.
    let raw = unsafe { libc::wait4(wanted, &raw mut status, libc::WNOHANG, &raw mut usage) };
    if raw == -1 {
        let error = io::Error::last_os_error();
        return if error.raw_os_error() == Some(libc::ECHILD) {
            Ok(None)
        } else {
            Err(error)
        };
    }
    let Some(pid) = Pid::from_raw(raw) else {
        return Ok(None);
    };
    let exit = Exit {
        status: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
        signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
    };
    let ns = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1_000;
    let used = Usage {
        cpu_ns: ns(usage.ru_utime) + ns(usage.ru_stime),
        voluntary: usage.ru_nvcsw as u64,
        involuntary: usage.ru_nivcsw as u64,
    };
    Ok(Some((pid, exit, used)))
}

/// CPU time that all threads of a living process have used so far, ns.
///
/// # Errors
/// `ESRCH` if there is no such process.
pub fn process_cpu_ns(pid: Pid) -> io::Result<u64> {
    let mut clock = 0;
    // SAFETY: the pointer is valid for the call.
    let error = unsafe { libc::clock_getcpuclockid(pid.as_raw_nonzero().get(), &raw mut clock) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is valid for the call.
    if unsafe { libc::clock_gettime(clock, &raw mut time) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

/// `struct perf_event_attr` of `linux/perf_event.h`, as far as its second version (72 bytes).
#[repr(C)]
#[derive(Default)]
struct PerfEventAttr {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    config1: u64,
    config2: u64,
}

/// Opens a counter of `config` of the event source `kind` on `pid` and everything that it will fork and thread. It
/// starts to count at the process' next exec.
///
/// # Errors
/// The error of `perf_event_open`; `ENOENT` means that the machine has no such counter, `EACCES` that it is forbidden.
pub fn perf_event_open(kind: u32, config: u64, user_only: bool, pid: Pid) -> io::Result<OwnedFd> {
    const DISABLED: u64 = 1 << 0;
    const INHERIT: u64 = 1 << 1;
    const EXCLUDE_KERNEL: u64 = 1 << 5;
    const EXCLUDE_HV: u64 = 1 << 6;
    const ENABLE_ON_EXEC: u64 = 1 << 12;
    const TOTAL_TIME_ENABLED: u64 = 1 << 0;
    const TOTAL_TIME_RUNNING: u64 = 1 << 1;
    const FD_CLOEXEC: libc::c_ulong = 1 << 3;
    let attr = PerfEventAttr {
        kind,
        size: size_of::<PerfEventAttr>() as u32,
        config,
        read_format: TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING,
        flags: DISABLED | INHERIT | ENABLE_ON_EXEC | EXCLUDE_HV | if user_only { EXCLUDE_KERNEL } else { 0 },
        ..PerfEventAttr::default()
    };
    // SAFETY: `attr` has the layout of the version that its `size` names and outlives the call.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attr,
            pid.as_raw_nonzero().get(),
            -1 as libc::c_int,
            -1 as libc::c_int,
            FD_CLOEXEC,
        )
    };
    if fd == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel returned a new descriptor, and nobody else knows its number.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as RawFd) })
}
