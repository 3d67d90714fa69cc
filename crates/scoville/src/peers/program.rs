//! Running a helper program to its end: never longer than a limit, never without its output.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How a helper program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It took too long and was killed with everything it had started.
    TimedOut,
}

/// Runs `command` with both outputs going to `output`.
///
/// # Errors
/// The program cannot be started.
pub fn run(command: &mut Command, output: &File, limit: Duration) -> io::Result<End> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?)
        .process_group(0)
        .spawn()?;
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(End::Exited(status));
        }
        if started.elapsed() > limit {
            // The group's leader is our child and not yet waited for, so that its number cannot have been given away.
            if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            child.wait()?;
            return Ok(End::TimedOut);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Runs `command` and returns what it printed on both outputs.
///
/// # Errors
/// The program cannot be started, or there is no room for its output.
pub fn capture(command: &mut Command, limit: Duration) -> io::Result<(End, String)> {
    // A file instead of a pipe: a grandchild that keeps it open cannot make us wait.
    let mut output = anonymous_file()?;
    let end = run(command, &output, limit)?;
    output.rewind()?;
    let mut bytes = Vec::new();
    output.take(64 * 1024).read_to_end(&mut bytes)?;
    Ok((end, String::from_utf8_lossy(&bytes).into_owned()))
}

fn anonymous_file() -> io::Result<File> {
    Ok(rustix::fs::memfd_create("scoville-output", rustix::fs::MemfdFlags::CLOEXEC)?.into())
}
