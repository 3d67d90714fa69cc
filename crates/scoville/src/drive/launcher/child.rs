//! The forked child on its way to the runtime's program.

use std::convert::Infallible;
use std::ffi::{CString, NulError};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal};
use rustix::thread::CpuSet;

use super::wire::{NotStarted, Spawn};
use crate::drive::sys;

/// The ends of the wiring that the child needs, in the order in which they are sent.
pub struct ChildEnds {
    /// Becomes descriptor 3.
    pub conversation: OwnedFd,
    /// Becomes standard output.
    pub stdout: OwnedFd,
    /// Becomes standard error.
    pub stderr: OwnedFd,
    /// Gives one byte when the child may go on; end of file means that the laboratory has given up.
    pub go: OwnedFd,
    /// Takes the reason if the program cannot be started; closed by a successful exec.
    pub failure: OwnedFd,
    /// The control group's folder, if there is one.
    pub cgroup: Option<OwnedFd>,
}

impl ChildEnds {
    /// Names the descriptors of a packet.
    pub fn from_packet(fds: Vec<OwnedFd>) -> Option<Self> {
        let mut fds = fds.into_iter();
        Some(ChildEnds {
            conversation: fds.next()?,
            stdout: fds.next()?,
            stderr: fds.next()?,
            go: fds.next()?,
            failure: fds.next()?,
            cgroup: fds.next(),
        })
    }
}

/// Becomes the program that was asked for, or reports why it could not.
pub fn become_program(spawn: &Spawn, ends: ChildEnds, null: OwnedFd, launcher: Pid) -> ! {
    let failure = match ends.failure.try_clone() {
        Ok(fd) => fd,
        Err(_) => sys::exit_now(127),
    };
    let why = match prepare_and_exec(spawn, ends, null, launcher) {
        Err(why) => why,
        Ok(never) => match never {},
    };
    // Nobody is left to hear of a failure to report the failure.
    let _ = serde_json::to_writer(std::fs::File::from(failure), &why);
    sys::exit_now(127)
}

fn prepare_and_exec(
    spawn: &Spawn,
    ends: ChildEnds,
    null: OwnedFd,
    launcher: Pid,
) -> Result<Infallible, NotStarted> {
    let program = c_string(&spawn.program).map_err(NotStarted::program)?;
    let arguments = c_strings(&spawn.arguments).map_err(NotStarted::program)?;
    let environment = c_strings(&spawn.environment).map_err(NotStarted::program)?;

    let step = |what: &'static str| move |e: io::Error| NotStarted::laboratory(format!("{what}: {e}"));
    rustix::process::setsid().map_err(|e| step("making a session")(e.into()))?;
    die_with(launcher).map_err(step("arranging to end with the laboratory"))?;
    bind(&spawn.cpus).map_err(step("binding to the CPUs"))?;
    // A crashing runtime must not spend seconds, and gigabytes, on a core file that nobody asked for.
    rustix::process::setrlimit(
        Resource::Core,
        Rlimit {
            current: Some(0),
            maximum: Some(0),
        },
    )
    .map_err(|e| step("switching core files off")(e.into()))?;
    std::env::set_current_dir(&spawn.cwd)
        .map_err(|e| NotStarted::program(format!("entering the working directory {}: {e}", spawn.cwd)))?;
    sys::reset_signals();
    wait_for_go(ends.go).map_err(NotStarted::laboratory)?;
    sys::place_standard_fds([
        null.as_fd(),
        ends.stdout.as_fd(),
        ends.stderr.as_fd(),
        ends.conversation.as_fd(),
    ])
    .map_err(step("placing the descriptors"))?;
    let e = sys::exec(&program, &arguments, &environment);
    let reason = format!("{}: {e}", spawn.program);
    Err(NotStarted {
        laboratory: is_the_systems(&e),
        reason,
    })
}

/// Whether the system had nothing left for a program, whichever it is.
fn is_the_systems(error: &io::Error) -> bool {
    let lacking = [Errno::AGAIN, Errno::NOMEM, Errno::MFILE, Errno::NFILE];
    Errno::from_io_error(error).is_some_and(|errno| lacking.contains(&errno))
}

/// The kernel kills this process when the launcher ends. If it had ended before this call, nobody would: so look again.
fn die_with(launcher: Pid) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() != Some(launcher) {
        return Err(io::Error::other("the launcher is gone"));
    }
    Ok(())
}

fn bind(cpus: &[u32]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &cpu in cpus {
        set.set(cpu as usize);
    }
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}

/// The laboratory needs the process to exist before it runs, to attach counters to it.
fn wait_for_go(go: OwnedFd) -> Result<(), String> {
    let mut byte = [0];
    match std::fs::File::from(go).read(&mut byte) {
        Ok(1) => Ok(()),
        Ok(_) => Err("the laboratory gave up".to_owned()),
        Err(e) => Err(format!("waiting for the laboratory: {e}")),
    }
}

fn c_strings(strings: &[String]) -> Result<Vec<CString>, String> {
    strings.iter().map(|s| c_string(s)).collect()
}

fn c_string(string: &str) -> Result<CString, String> {
    CString::new(string).map_err(|_: NulError| format!("{string:?} has a NUL byte in it"))
}
