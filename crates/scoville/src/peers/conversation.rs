//! A plain conversation with a peer, without any measuring: to ask what it can do, and to test its manners.

use std::io::{self, BufRead as _, BufReader, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::model::invocation::Hello;
use crate::model::runtime::Launch;
use crate::tail::{Tail, last_line};

/// Longest line, bytes: as long as an invocation takes it.
const LONGEST: usize = 16 << 20;

/// A shell script that becomes its arguments, with the socket from its standard input as descriptor 3, which no safe call here
/// could arrange, and both outputs where its standard output goes. As soon as nobody holds the other end of what it has in place of
/// a standard error any more, the whole process group is ended; the process that waits for that is no child of the peer.
const TIED: &str = r#"
exec 3<&0 4<&2 2>&1 </dev/null
( { read -r _ <&4; kill -KILL 0; } 3<&- >/dev/null 2>&1 & )
exec "$0" "$@" 4<&-
"#;

/// All has been heard of a peer that is let go; who takes longer for either half of its leave is ended.
const LEAVE: Duration = Duration::from_secs(5);

/// A running peer and our end of its socket.
#[derive(Debug)]
pub struct Conversation {
    child: Child,
    lines: BufReader<UnixStream>,
    /// Closed early by [`hang_up`](Self::hang_up).
    socket: Option<UnixStream>,
    printed: Printed,
    reaped: bool,
    /// Never written to; the system closes it when this process ends, however that happens.
    _tie: PipeWriter,
}

/// The last that a peer has printed, on either output. A thread reads it, so that the peer never waits for a reader.
#[derive(Debug)]
struct Printed {
    tail: Arc<Mutex<Tail>>,
    reader: JoinHandle<()>,
}

impl Printed {
    /// What is read from `pipe` until everybody has closed its other end.
    fn from(mut pipe: PipeReader) -> Self {
        let tail = Arc::new(Mutex::new(Tail::default()));
        let kept = tail.clone();
        let reader = thread::spawn(move || {
            let mut bytes = [0; 8192];
            while let Ok(read @ 1..) = pipe.read(&mut bytes) {
                kept.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(&bytes[..read]);
            }
        });
        Self { tail, reader }
    }

    /// The text. What a process printed before its end may take a moment to arrive; a helper of it may keep the pipe open.
    fn text(&self) -> String {
        for _ in 0..20 {
            if self.reader.is_finished() {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }
}

/// What came instead of a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Silence {
    /// Nothing within the limit.
    TimedOut(Duration),
    /// The peer has closed its end.
    Closed,
    /// Bytes that are no JSON object.
    Garbage(String),
    /// The socket failed.
    Broken(String),
}

impl std::fmt::Display for Silence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Silence::TimedOut(limit) => write!(f, "nothing within {} s", limit.as_secs()),
            Silence::Closed => write!(f, "the end of the conversation"),
            Silence::Garbage(text) => write!(f, "a line that is no JSON object: {text}"),
            Silence::Broken(why) => write!(f, "a broken socket: {why}"),
        }
    }
}

impl Conversation {
    /// Starts a peer.
    ///
    /// # Errors
    /// The program cannot be started.
    pub fn start(launch: &Launch, workers: u32) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let (printed, output) = io::pipe()?;
        let (tied, tie) = io::pipe()?;
        let child = Command::new("sh")
            .args(["-c", TIED])
            .args(&launch.command)
            .current_dir(&launch.cwd)
            .envs(&launch.env)
            .env("SCOVILLE_WORKERS", workers.to_string())
            .stdin(OwnedFd::from(theirs))
            .stdout(output)
            .stderr(tied)
            .process_group(0)
            .spawn()?;
        Ok(Self {
            child,
            lines: BufReader::new(ours.try_clone()?),
            socket: Some(ours),
            printed: Printed::from(printed),
            reaped: false,
            _tie: tie,
        })
    }

    /// Sends one line.
    ///
    /// # Errors
    /// The peer has closed its end.
    pub fn say(&mut self, message: &Value) -> io::Result<()> {
        let socket = self.socket.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        writeln!(socket, "{message}")
    }

    /// Waits for one line, which has to arrive as a whole within the limit.
    ///
    /// # Errors
    /// What came instead.
    pub fn hear(&mut self, limit: Duration) -> Result<Value, Silence> {
        let line = self.line(limit).map_err(|e| match e.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Silence::TimedOut(limit),
            io::ErrorKind::ConnectionReset => Silence::Closed,
            _ => Silence::Broken(e.to_string()),
        })?;
        match serde_json::from_slice(&line) {
            _ if line.is_empty() => Err(Silence::Closed),
            Ok(value @ Value::Object(_)) => Ok(value),
            _ => Err(Silence::Garbage(excerpt(&line))),
        }
    }

    /// What arrives until the end of a line, of the conversation, or of what a line may have.
    fn line(&mut self, limit: Duration) -> io::Result<Vec<u8>> {
        let started = Instant::now();
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') && line.len() < LONGEST {
            // The socket's own limit is one for every piece that arrives.
            let left = limit.saturating_sub(started.elapsed());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.lines.get_ref().set_read_timeout(Some(left))?;
            let arrived = match self.lines.fill_buf() {
                Ok([]) => break,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                arrived => arrived?,
            };
            let end = arrived.iter().position(|byte| *byte == b'\n');
            let piece = end.map_or(arrived.len(), |end| end + 1);
            line.extend_from_slice(&arrived[..piece]);
            self.lines.consume(piece);
        }
        Ok(line)
    }

    /// Closes our end, as a laboratory does that has died.
    pub fn hang_up(&mut self) {
        if let Some(socket) = self.socket.take() {
            // The reader is a second handle to the same socket, so that closing one would not end the conversation.
            let _ = socket.shutdown(std::net::Shutdown::Both);
        }
    }

    /// The last that the peer has printed, on either output.
    pub fn printed(&self) -> String {
        self.printed.text()
    }

    /// Waits for the peer's exit; `None` if it is still there after the limit.
    ///
    /// # Errors
    /// The system cannot tell.
    pub fn exit(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                self.reaped = true;
                return Ok(Some(status));
            }
            if started.elapsed() > limit {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        // Its leader is not reaped yet, so the group's number still belongs to it.
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.trim_end().chars().take(120).collect()
}

/// Starts a peer, hears its greeting and lets it go.
///
/// # Errors
/// A sentence about what went wrong.
pub fn greet(launch: &Launch, workers: u32, limit: Duration) -> Result<Hello, String> {
    let program = launch.command.first().map_or("", String::as_str);
    let mut peer =
        Conversation::start(launch, workers).map_err(|e| format!("{program} cannot be started: {e}"))?;
    let hello = peer.hear(limit).map_err(|silence| {
        let what = match (&silence, peer.exit(Duration::from_secs(1))) {
            (Silence::Closed, Ok(Some(status))) => format!("instead of saying hello it ended with {status}"),
            _ => format!("instead of hello came {silence}"),
        };
        match last_line(&peer.printed()) {
            Some(line) => format!("{what}; its last words: {line}"),
            None => what,
        }
    })?;
    let hello: Hello = serde_json::from_value(hello).map_err(|e| format!("its hello is wrong: {e}"))?;
    let _ = peer.say(&serde_json::json!({"type": "bye"}));
    let _ = peer.hear(limit.min(LEAVE));
    let _ = peer.exit(limit.min(LEAVE));
    Ok(hello)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A peer that is a script, with the conversation as its descriptor 3.
    fn script(text: &str) -> Launch {
        Launch {
            command: ["sh", "-c", text].map(String::from).to_vec(),
            env: BTreeMap::new(),
            cwd: "/".into(),
            quit: None,
        }
    }

    fn peer(text: &str) -> Conversation {
        Conversation::start(&script(text), 1).unwrap()
    }

    #[test]
    fn the_limit_is_one_for_the_whole_line() {
        let limit = Duration::from_millis(300);
        // Its end, after some ten seconds, is what it is heard to say where every byte has a limit of its own.
        let mut trickling = peer("for i in $(seq 200); do printf x >&3; sleep 0.05; done");
        assert_eq!(trickling.hear(limit), Err(Silence::TimedOut(limit)));
    }

    #[test]
    fn who_has_greeted_and_does_not_leave_is_not_waited_for() {
        let hello = r#"{"runtime":"a","version":"1","language":"","workers":1,"benchmarks":[]}"#;
        let folder = tempfile::tempdir().unwrap();
        let launch = Launch {
            cwd: folder.path().into(),
            ..script(&format!("printf '%s\\n' '{hello}' >&3; sleep 1000; touch left"))
        };
        // Long enough to see it leave: who waits for that, at either half of its leave, has seen it.
        let limit = Duration::from_secs(100_000);
        assert_eq!(greet(&launch, 1, limit).unwrap().runtime, "a");
        assert!(!folder.path().join("left").exists());
    }

    #[test]
    fn a_line_may_come_in_pieces_and_two_at_once() {
        let limit = Duration::from_secs(20);
        let mut peer = peer(r#"printf '{"a":' >&3; sleep 0.05; printf '1}\n{"b":2}\n[3]\n{"c"' >&3"#);
        assert_eq!(peer.hear(limit), Ok(serde_json::json!({"a": 1})));
        assert_eq!(peer.hear(limit), Ok(serde_json::json!({"b": 2})));
        assert_eq!(peer.hear(limit), Err(Silence::Garbage("[3]".into())));
        assert_eq!(peer.hear(limit), Err(Silence::Garbage(r#"{"c""#.into())));
        assert_eq!(peer.hear(limit), Err(Silence::Closed));
    }
}
