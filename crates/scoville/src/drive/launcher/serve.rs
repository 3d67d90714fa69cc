//! The launcher's side: a loop over requests until the laboratory is gone.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::child::{self, ChildEnds};
use super::wire::{self, Reaped, Request, Spawn, Started};
use crate::drive::cgroup;
use crate::drive::sys::{self, Fork, Usage};
use crate::drive::tree;

/// The launcher. Standard input is its socket; it returns when the laboratory has gone and everything that it started
/// has been ended. Call it first thing in `main`, when the first argument is [`ARGUMENT`](super::ARGUMENT).
///
/// # Errors
/// If standard input is no socket of the laboratory's, or this process is not fit to fork.
pub fn main() -> io::Result<()> {
    // Away from the terminal's process group, so that Ctrl-C reaches the laboratory alone.
    let _ = rustix::process::setsid();
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    let null = null_above_standard()?;
    let mut launcher = Server {
        socket,
        null,
        started: Vec::new(),
    };
    let served = launcher.serve();
    launcher.end_everything();
    served
}

/// `/dev/null` at a number above 3; every lower number is taken, so that received descriptors are above 3, too.
fn null_above_standard() -> io::Result<OwnedFd> {
    loop {
        let null = OwnedFd::from(File::options().read(true).write(true).open("/dev/null")?);
        if std::os::fd::AsRawFd::as_raw_fd(&null) > 3 {
            return Ok(null);
        }
        // Deliberately kept open for the life of the process.
        std::mem::forget(null);
    }
}

struct Server {
    socket: OwnedFd,
    null: OwnedFd,
    /// Processes not yet reaped, with the control groups that they were put into.
    started: Vec<(Pid, Option<PathBuf>)>,
}

impl Server {
    fn serve(&mut self) -> io::Result<()> {
        while let Some((request, fds)) = wire::receive::<Request>(self.socket.as_fd())? {
            match request {
                Request::Spawn(spawn) => self.answer_spawn(spawn, fds)?,
                Request::Reap { pid } => {
                    let reaped = self.reap(pid)?;
                    wire::send(self.socket.as_fd(), &reaped, &[])?;
                }
            }
        }
        Ok(())
    }

    fn answer_spawn(&mut self, spawn: Spawn, fds: Vec<OwnedFd>) -> io::Result<()> {
        let Some(ends) = ChildEnds::from_packet(fds) else {
            let pid = Err("the request came without its descriptors".to_owned());
            return wire::send(self.socket.as_fd(), &Started { pid }, &[]);
        };
        match self.spawn(spawn, ends) {
            Ok((pid, pidfd)) => {
                let pid = Ok(pid.as_raw_nonzero().get());
                wire::send(self.socket.as_fd(), &Started { pid }, &[pidfd.as_fd()])
            }
            Err(e) => wire::send(
                self.socket.as_fd(),
                &Started {
                    pid: Err(e.to_string()),
                },
                &[],
            ),
        }
    }

    fn spawn(&mut self, spawn: Spawn, ends: ChildEnds) -> io::Result<(Pid, OwnedFd)> {
        if tree::thread_count(None) != Some(1) {
            return Err(io::Error::other(
                "the launcher has more than one thread and must not fork",
            ));
        }
        let launcher = rustix::process::getpid();
        let cgroup = ends.cgroup.as_ref().map(AsFd::as_fd);
        // SAFETY: this process has one thread, as just read from the kernel, and only a thread could start another.
        match unsafe { sys::fork(cgroup) }? {
            Fork::Child => {
                let null = duplicate(self.null.as_fd());
                child::become_program(&spawn, ends, null, launcher)
            }
            Fork::Parent {
                pid,
                pidfd,
                in_cgroup,
            } => {
                let leaf = spawn.cgroup.map(PathBuf::from);
                self.started.push((pid, leaf.clone()));
                if let (Some(leaf), false) = (leaf, in_cgroup) {
                    // The child waits for the laboratory's word, so it is moved before it runs anything.
                    cgroup::enter(&leaf, pid)?;
                }
                Ok((pid, pidfd))
            }
        }
    }

    /// Reaps `pid` and every orphan that has ended.
    fn reap(&mut self, pid: i32) -> io::Result<Reaped> {
        let wanted = Pid::from_raw(pid).ok_or_else(|| io::Error::other("process 0 cannot be reaped"))?;
        let mut reaped = Reaped {
            exit: None,
            usage: Usage::default(),
            orphans: Usage::default(),
            orphan_count: 0,
        };
        if let Some((_, exit, usage)) = sys::reap(Some(wanted))? {
            reaped.exit = Some(exit);
            reaped.usage = usage;
            self.started.retain(|(started, _)| *started != wanted);
        }
        while reaped.exit.is_some()
            && let Some((_, _, usage)) = sys::reap(None)?
        {
            reaped.orphans = reaped.orphans.plus(usage);
            reaped.orphan_count += 1;
        }
        Ok(reaped)
    }

    /// The laboratory is gone: nothing that it started may live on.
    fn end_everything(&mut self) {
        for _ in 0..500 {
            for (pid, leaf) in &self.started {
                let _ = rustix::process::kill_process_group(*pid, Signal::KILL);
                if let Some(leaf) = leaf {
                    let _ = cgroup::kill(leaf);
                }
            }
            for pid in tree::descendants(rustix::process::getpid()) {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
            while let Ok(Some(_)) = sys::reap(None) {}
            if tree::descendants(rustix::process::getpid()).is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        for (_, leaf) in self.started.drain(..) {
            if let Some(leaf) = leaf {
                let _ = std::fs::remove_dir(leaf);
            }
        }
    }
}

/// A copy for the child, or the end of it: there is no one to report to yet.
fn duplicate(fd: BorrowedFd<'_>) -> OwnedFd {
    match fd.try_clone_to_owned() {
        Ok(copy) => copy,
        Err(_) => sys::exit_now(127),
    }
}
