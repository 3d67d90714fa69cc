//! A chat server: tokio carries the lines, actors know who is there.
//!
//! One [`Room`] and one [`Session`] per connection. The first line of a connection is a name; each further line goes to everybody. The room watches the sessions, so whoever leaves, or fails, is
//! taken off the list in one place; the sessions watch the room, and end with it.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use datil::{Actor, ActorId, Address, Context, Down, RuntimeHandle};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Lines that may wait for a connection that is slow to take them; one more ends its session, so that nobody fills memory by not reading.
const BACKLOG: usize = 64;

/// Bytes of a line from a connection, beside its end. No more of a longer one is kept, so that nobody fills memory with a line that does not end.
pub const LONGEST_LINE: usize = 16 << 10;

/// How long a line may take on its way out, also what still waits when the session has ended.
const PATIENCE: Duration = Duration::from_secs(10);

/// Who is there.
#[derive(Default)]
pub struct Room {
    members: HashMap<ActorId, (String, Address<Session>)>,
}

pub enum RoomMsg {
    Join { name: String, session: Address<Session> },
    Say { by: ActorId, text: String },
    Left(Down),
}

impl Room {
    fn tell_all(&self, line: &str, cx: &mut Context<'_, Self>) {
        for (_, session) in self.members.values() {
            cx.tell(*session, SessionMsg::Show(line.to_owned()));
        }
    }
}

impl Actor for Room {
    type Msg = RoomMsg;

    fn handle(&mut self, msg: RoomMsg, cx: &mut Context<'_, Self>) {
        match msg {
            RoomMsg::Join { name, session } => {
                cx.monitor(session, RoomMsg::Left);
                self.members.insert(session.id(), (name.clone(), session));
                self.tell_all(&format!("* {name} is here, {} in all", self.members.len()), cx);
            }
            RoomMsg::Say { by, text } => {
                if let Some((name, _)) = self.members.get(&by) {
                    let line = format!("{name}: {text}");
                    self.tell_all(&line, cx);
                }
            }
            RoomMsg::Left(down) => {
                if let Some((name, _)) = self.members.remove(&down.actor) {
                    self.tell_all(&format!("* {name} has left"), cx);
                }
            }
        }
    }
}

/// One connection.
pub struct Session {
    room: Address<Room>,
    joined: bool,
    /// What is to be written to the connection; closed when this actor ends.
    out: mpsc::Sender<String>,
}

pub enum SessionMsg {
    /// A line from the connection.
    Line(String),
    /// A line for the connection.
    Show(String),
    RoomEnded,
}

impl Actor for Session {
    type Msg = SessionMsg;

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        cx.monitor(self.room, |_| SessionMsg::RoomEnded);
    }

    fn handle(&mut self, msg: SessionMsg, cx: &mut Context<'_, Self>) {
        match msg {
            SessionMsg::Line(name) if !self.joined => {
                self.joined = true;
                let session = cx.address();
                cx.tell(self.room, RoomMsg::Join { name, session });
            }
            SessionMsg::Line(text) if text == "/quit" => cx.stop(),
            SessionMsg::Line(text) => {
                let by = cx.address().id();
                cx.tell(self.room, RoomMsg::Say { by, text });
            }
            SessionMsg::Show(line) => {
                // A connection that is broken or too slow ends the session. A handler must not wait for room: it would hold up its worker.
                if self.out.try_send(line).is_err() {
                    cx.stop();
                }
            }
            SessionMsg::RoomEnded => cx.stop(),
        }
    }
}

/// A server that accepts connections until it is closed.
pub struct Server {
    pub at: SocketAddr,
    pub room: Address<Room>,
    accepting: JoinHandle<()>,
}

impl Server {
    /// # Errors
    /// The address cannot be listened at, or the actors' runtime has ended.
    pub async fn start(actors: RuntimeHandle, at: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(at).await?;
        let at = listener.local_addr()?;
        let room = actors
            .spawn(Room::default())
            .map_err(|_| io::Error::other("the actors' runtime has ended"))?;
        let accepting = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                serve(&actors, room, connection);
            }
        });
        Ok(Self { at, room, accepting })
    }

    /// Accepts nobody any more and ends the room, and with it all sessions.
    pub async fn close(self) {
        self.accepting.abort();
        // Nothing is accepted from now on, not even what was about to be; that the task was aborted is no failure.
        let _ = self.accepting.await;
        self.room.stop();
    }
}

/// Starts what belongs to a connection: a session, and two tasks that carry lines from it and to it.
fn serve(actors: &RuntimeHandle, room: Address<Room>, connection: TcpStream) {
    let (input, mut output) = connection.into_split();
    let (out, mut lines_out) = mpsc::channel::<String>(BACKLOG);
    // A runtime that has ended takes nobody in: the connection is closed.
    let Ok(session) = actors.spawn(Session {
        room,
        joined: false,
        out,
    }) else {
        return;
    };
    tokio::spawn(async move {
        let ended = session.ended();
        tokio::select! {
            _ = listen(input, session) => session.stop_in_turn(),
            _ = ended => {}
        }
    });
    tokio::spawn(async move {
        while let Some(mut line) = lines_out.recv().await {
            line.push('\n');
            let written = timeout(PATIENCE, output.write_all(line.as_bytes())).await;
            if !matches!(written, Ok(Ok(()))) {
                return session.stop();
            }
        }
    });
}

/// Tells a session the lines from its connection, until there are no more. Who writes one that is too long hears of it at once, and may go on with the next.
async fn listen(input: OwnedReadHalf, session: Address<Session>) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    while read_part(&mut input, &mut line).await? > 0 {
        if line.len() > LONGEST_LINE && !line.ends_with(b"\n") {
            let refusal =
                format!("* that line is too long and is not shown; send at most {LONGEST_LINE} bytes");
            session.tell(SessionMsg::Show(refusal));
            while !line.ends_with(b"\n") && read_part(&mut input, &mut line).await? > 0 {}
        } else {
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            session.tell(SessionMsg::Line(String::from_utf8_lossy(text).into_owned()));
        }
    }
    Ok(())
}

/// Reads to the end of the line, but no more than shows that it is too long; returns how much that is.
async fn read_part(input: &mut BufReader<OwnedReadHalf>, line: &mut Vec<u8>) -> io::Result<usize> {
    line.clear();
    let most = LONGEST_LINE as u64 + 1;
    input.take(most).read_until(b'\n', line).await
}
