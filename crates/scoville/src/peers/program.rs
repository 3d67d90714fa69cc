//! Running a helper program to its end: never longer than a limit, never without its output.

use std::env;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Access, access};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

/// How a helper program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It took too long and was killed with everything it had started.
    TimedOut,
}

/// A shell script that runs its arguments, and ends its whole process group as soon as nobody holds the other end of its
/// standard input any more.
const TIED: &str = r#"
exec 3<&0 </dev/null
{ read -r _ <&3; kill -KILL 0; } &
watch=$!
"$@" 3<&-
status=$?
kill "$watch"
exit "$status"
"#;

/// The same for a program whose end and outputs are its own: the shell becomes it. What it has started and left behind ends with
/// it, as soon as nobody holds the other end.
const BECOMING: &str = r#"
exec 3<&0 </dev/null
( { read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 & )
exec "$0" "$@" 3<&-
"#;

/// Runs a program that starts others and may take minutes, with all outputs going to `output`. They end with this process,
/// however that ends: a build that goes on unseen would get in the way of the next.
///
/// # Errors
/// There is no shell. A program that is not there is an exit status of 127, and a line of the output.
pub fn run_tied(command: &[String], folder: &Path, output: &File, limit: Duration) -> io::Result<End> {
    let mut shell = Command::new("sh");
    shell.args(["-c", TIED, "sh"]).args(command).current_dir(folder);
    // Nothing is ever written to it, and the system closes it when this process ends.
    shell
        .stdin(Stdio::piped())
        .stdout(output.try_clone()?)
        .stderr(output.try_clone()?);
    run(&mut shell, limit)
}

/// Runs `command`, of which both outputs have been decided.
fn run(command: &mut Command, limit: Duration) -> io::Result<End> {
    let mut child = command.process_group(0).spawn()?;
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

/// What a program printed: the first 64 KiB of each output, with a replacement for what is not UTF-8.
#[derive(Clone, Debug)]
pub struct Printed {
    /// On its standard output.
    pub output: String,
    /// On its standard error, where virtual machines also say which options they took from the environment.
    pub errors: String,
}

/// Runs a program and returns what it printed. It ends with this process, however that ends.
///
/// # Errors
/// The program is not there or is none, there is no shell, or no room for its outputs.
pub fn capture(program: &str, arguments: &[String], limit: Duration) -> io::Result<(End, Printed)> {
    find(program)?;
    // Files instead of pipes: a grandchild that keeps them open cannot make us wait.
    let [output, errors] = [anonymous_file()?, anonymous_file()?];
    // Never written to; the system closes it when this process ends.
    let (tied, _tie) = io::pipe()?;
    let mut shell = Command::new("sh");
    shell.args(["-c", BECOMING, program]).args(arguments);
    shell
        .stdin(tied)
        .stdout(output.try_clone()?)
        .stderr(errors.try_clone()?);
    let end = run(&mut shell, limit)?;
    let printed = Printed {
        output: beginning(output)?,
        errors: beginning(errors)?,
    };
    Ok((end, printed))
}

/// Whether there is a program that the shell would find. What the shell would say of it instead could be the program's own words.
fn find(program: &str) -> io::Result<()> {
    let places: Vec<PathBuf> = if program.contains('/') {
        vec![program.into()]
    } else if let Some(path) = env::var_os("PATH") {
        env::split_paths(&path)
            .map(|folder| folder.join(program))
            .filter(|place| place.is_file())
            .collect()
    } else {
        // The shell has a path of its own then.
        return Ok(());
    };
    let is_program = |place: &PathBuf| place.is_file() && access(place, Access::EXEC_OK).is_ok();
    if places.iter().any(is_program) {
        Ok(())
    } else if places.iter().any(|place| place.exists()) {
        Err(Errno::ACCESS.into())
    } else {
        Err(Errno::NOENT.into())
    }
}

fn beginning(mut file: File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(64 * 1024).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn anonymous_file() -> io::Result<File> {
    Ok(rustix::fs::memfd_create("scoville-output", rustix::fs::MemfdFlags::CLOEXEC)?.into())
}
