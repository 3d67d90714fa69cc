//! The laboratory's side of the launcher.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::pipe::PipeFlags;
use rustix::process::Pid;

use super::wire::{self, NotStarted, Reaped, Request, Spawn, Started};

/// How long the launcher may take for an answer, in seconds, before it counts as broken.
const ANSWER_SECONDS: i64 = 30;

/// A running launcher. Dropping it ends everything that it started.
#[derive(Debug)]
pub struct Launcher {
    socket: Option<OwnedFd>,
    process: Child,
}

/// The laboratory's ends of the lines to one process.
#[derive(Debug)]
pub struct Wiring {
    /// The peer's descriptor 3, non-blocking.
    pub conversation: OwnedFd,
    /// Its standard output, non-blocking.
    pub stdout: OwnedFd,
    /// Its standard error, non-blocking.
    pub stderr: OwnedFd,
}

/// A process that exists and waits to exec.
#[derive(Debug)]
pub struct Launched {
    /// The process, leader of its own session and process group.
    pub pid: Pid,
    /// Becomes readable when it has ended.
    pub pidfd: OwnedFd,
    /// The lines to it.
    pub wiring: Wiring,
    go: OwnedFd,
    failure: OwnedFd,
}

impl Launcher {
    /// Starts the launcher: `command` is a program and its arguments that end up in [`main`](super::main).
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn start(command: &[String]) -> io::Result<Self> {
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| io::Error::other("the launcher's command line is empty"))?;
        let (ours, theirs) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        let process = Command::new(program)
            .args(arguments)
            .stdin(theirs)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Launcher {
            socket: Some(ours),
            process,
        })
    }

    /// The launcher's own process.
    pub fn pid(&self) -> Option<Pid> {
        i32::try_from(self.process.id()).ok().and_then(Pid::from_raw)
    }

    /// Forks a process, which waits for [`Launched::go`].
    ///
    /// # Errors
    /// If the launcher is gone or could not fork.
    pub fn spawn(&self, spawn: Spawn, cgroup: Option<&OwnedFd>) -> io::Result<Launched> {
        let (conversation, theirs) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::STREAM,
            SocketFlags::CLOEXEC,
            None,
        )?;
        let (stdout, stdout_theirs) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        let (stderr, stderr_theirs) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        let (go_theirs, go) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        let (failure, failure_theirs) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        let mut fds = vec![
            theirs.as_fd(),
            stdout_theirs.as_fd(),
            stderr_theirs.as_fd(),
            go_theirs.as_fd(),
            failure_theirs.as_fd(),
        ];
        fds.extend(cgroup.map(AsFd::as_fd));
        wire::send(self.socket()?.as_fd(), &Request::Spawn(spawn), &fds)?;
        let (started, mut received) = self.answer::<Started>()?;
        let pid = started.pid.map_err(io::Error::other)?;
        let pid = Pid::from_raw(pid).ok_or_else(|| io::Error::other("the launcher named process 0"))?;
        let pidfd = received
            .pop()
            .ok_or_else(|| io::Error::other("the launcher sent no pidfd"))?;
        // Only our ends: a runtime that never reads must not stop the laboratory.
        for ours in [&conversation, &stdout, &stderr] {
            rustix::io::ioctl_fionbio(ours, true)?;
        }
        Ok(Launched {
            pid,
            pidfd,
            wiring: Wiring {
                conversation,
                stdout,
                stderr,
            },
            go,
            failure,
        })
    }

    /// Reaps a process that has ended, and the orphans of its tree that have ended.
    ///
    /// # Errors
    /// If the launcher is gone.
    pub fn reap(&self, pid: Pid) -> io::Result<Reaped> {
        wire::send(
            self.socket()?.as_fd(),
            &Request::Reap {
                pid: pid.as_raw_nonzero().get(),
            },
            &[],
        )?;
        Ok(self.answer()?.0)
    }

    fn answer<T: serde::de::DeserializeOwned>(&self) -> io::Result<(T, Vec<OwnedFd>)> {
        let socket = self.socket()?;
        let patience = Timespec {
            tv_sec: ANSWER_SECONDS,
            tv_nsec: 0,
        };
        let mut poll = [PollFd::new(socket, PollFlags::IN)];
        if rustix::io::retry_on_intr(|| rustix::event::poll(&mut poll, Some(&patience)))? == 0 {
            return Err(io::Error::other(format!(
                "the launcher did not answer for {ANSWER_SECONDS} s"
            )));
        }
        wire::receive(socket.as_fd())?.ok_or_else(|| io::Error::other("the launcher is gone"))
    }

    fn socket(&self) -> io::Result<&OwnedFd> {
        self.socket
            .as_ref()
            .ok_or_else(|| io::Error::other("the launcher has been told to leave"))
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        // End of file on its socket makes the launcher end what is left and leave.
        self.socket = None;
        let _ = self.process.wait();
    }
}

impl Launched {
    /// Lets the process exec, and waits until it has.
    ///
    /// # Errors
    /// Why the program could not be started.
    pub fn go(self) -> Result<(Pid, OwnedFd, Wiring), NotStarted> {
        let spoken = std::fs::File::from(self.go).write_all(&[1]);
        let mut said = Vec::new();
        // End of file comes with the exec, which closes the child's end, or with the child's death.
        let heard = std::fs::File::from(self.failure).read_to_end(&mut said);
        match (spoken, heard) {
            _ if !said.is_empty() => Err(serde_json::from_slice(&said).unwrap_or_else(|e| did_not_go_on(&e))),
            (Ok(()), Ok(_)) => Ok((self.pid, self.pidfd, self.wiring)),
            (Err(e), _) | (_, Err(e)) => Err(did_not_go_on(&e)),
        }
    }
}

fn did_not_go_on(why: &dyn std::fmt::Display) -> NotStarted {
    NotStarted::laboratory(format!("the forked process did not go on: {why}"))
}
