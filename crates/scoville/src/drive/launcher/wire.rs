//! What laboratory and launcher say to each other: one JSON value per packet, descriptors beside it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::drive::sys::{Exit, Usage};

/// Most descriptors in one packet.
const MOST_FDS: usize = 8;

/// Largest packet: arguments and environment of one process.
const LARGEST: usize = 128 * 1024;

/// From the laboratory.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum Request {
    /// Fork a process that waits for a byte before it execs. Answered by [`Started`].
    Spawn(Spawn),
    /// Reap the process, which has ended, and every orphan that has ended. Answered by [`Reaped`].
    Reap {
        /// The process.
        pid: i32,
    },
}

/// A process to fork.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spawn {
    /// Path of the program.
    pub program: String,
    /// Arguments, the program's own name first.
    pub arguments: Vec<String>,
    /// The whole environment, as `NAME=VALUE`.
    pub environment: Vec<String>,
    /// Working directory.
    pub cwd: String,
    /// CPUs that it is bound to.
    pub cpus: Vec<u32>,
    /// Folder of the control group that it belongs into, whose descriptor comes last.
    pub cgroup: Option<String>,
}

/// Answer to [`Request::Spawn`]; the pidfd comes with it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// The process, or why there is none.
    pub pid: Result<i32, String>,
}

/// Why a process that was forked did not become its program; the process itself says so, as JSON.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct NotStarted {
    /// Whether the laboratory could not do its part, or the system had nothing left for another process. Else it is the program.
    pub laboratory: bool,
    /// In words.
    pub reason: String,
}

impl NotStarted {
    /// By the program's fault.
    pub fn program(reason: String) -> Self {
        let laboratory = false;
        Self { laboratory, reason }
    }

    /// By the laboratory's fault.
    pub fn laboratory(reason: String) -> Self {
        let laboratory = true;
        Self { laboratory, reason }
    }
}

/// Answer to [`Request::Reap`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reaped {
    /// How the process ended; `None` if it still runs.
    pub exit: Option<Exit>,
    /// What it used, with all that it waited for.
    pub usage: Usage,
    /// What the orphans used that the launcher inherited.
    pub orphans: Usage,
    /// How many orphans there were.
    pub orphan_count: u32,
}

/// Sends one value with descriptors.
///
/// # Errors
/// `EPIPE` if the other side is gone, `EMSGSIZE` if the value is too large for one packet.
pub fn send(socket: BorrowedFd<'_>, value: &impl Serialize, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let bytes = serde_json::to_vec(value)?;
    if bytes.len() > LARGEST {
        return Err(Errno::MSGSIZE.into());
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(Errno::MSGSIZE.into());
    }
    rustix::io::retry_on_intr(|| {
        rustix::net::sendmsg(socket, &[IoSlice::new(&bytes)], &mut control, SendFlags::NOSIGNAL)
    })?;
    Ok(())
}

/// Receives one value with its descriptors; `None` when the other side is gone.
///
/// # Errors
/// Any error of the socket, or a packet that is not a `T`.
pub fn receive<T: DeserializeOwned>(socket: BorrowedFd<'_>) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut bytes = vec![0; LARGEST];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let mut slice = [IoSliceMut::new(&mut bytes)];
        match rustix::net::recvmsg(socket, &mut slice, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Ok(message) => break message.bytes,
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    };
    if received == 0 {
        return Ok(None);
    }
    let fds = control
        .drain()
        .flat_map(|message| match message {
            RecvAncillaryMessage::ScmRights(fds) => fds.collect(),
            _ => Vec::new(),
        })
        .collect();
    Ok(Some((serde_json::from_slice(&bytes[..received])?, fds)))
}
