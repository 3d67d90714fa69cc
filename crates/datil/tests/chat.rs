//! The chat example, over loopback.

#[path = "../examples/chat/server.rs"]
mod server;

use std::time::Duration;

use datil::{Actor, AskError, Context, Recipient, ReplyTo, Runtime};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(60);

struct Guest(BufReader<TcpStream>);

impl Guest {
    async fn enter(server: &server::Server, name: &str) -> Self {
        let mut guest = Self(BufReader::new(TcpStream::connect(server.at).await.unwrap()));
        guest.say(name).await;
        guest
    }

    async fn say(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn hears(&mut self, expected: &str) {
        let mut line = String::new();
        timeout(PATIENCE, self.0.read_line(&mut line))
            .await
            .expect(expected)
            .unwrap();
        assert_eq!(line.trim_end(), expected);
    }
}

/// A server with a guest.
async fn open_with_ann() -> (Runtime, server::Server, Guest) {
    let actors = Runtime::builder().workers(2).build().unwrap();
    let server = server::Server::start(actors.handle(), "127.0.0.1:0".parse().unwrap())
        .await
        .unwrap();
    let mut ann = Guest::enter(&server, "ann").await;
    ann.hears("* ann is here, 1 in all").await;
    (actors, server, ann)
}

#[tokio::test]
async fn guests_hear_each_other_and_who_leaves() {
    let (actors, server, mut ann) = open_with_ann().await;
    let mut bob = Guest::enter(&server, "bob").await;
    bob.hears("* bob is here, 2 in all").await;
    ann.hears("* bob is here, 2 in all").await;
    for n in 0..20 {
        ann.say(&format!("line {n}")).await;
    }
    for n in 0..20 {
        bob.hears(&format!("ann: line {n}")).await;
        ann.hears(&format!("ann: line {n}")).await;
    }
    bob.say("/quit").await;
    ann.hears("* bob has left").await;
    bob.hears("").await;
    let eve = Guest::enter(&server, "eve").await;
    ann.hears("* eve is here, 2 in all").await;
    drop(eve);
    ann.hears("* eve has left").await;
    // The end: also of who has not said a name yet.
    let mut nobody = Guest(BufReader::new(TcpStream::connect(server.at).await.unwrap()));
    let at = server.at;
    server.close().await;
    ann.hears("").await;
    // Taken in before the end and ended with the room, or not taken in.
    let mut line = String::new();
    let heard = timeout(PATIENCE, nobody.0.read_line(&mut line))
        .await
        .expect("it is closed");
    assert!(matches!(heard, Ok(0) | Err(_)), "{line}");
    assert!(TcpStream::connect(at).await.is_err());
    actors.wait_quiescent();
    assert!(actors.shutdown().is_empty());
}

#[tokio::test]
async fn who_does_not_read_is_sent_away() {
    let (_actors, server, mut ann) = open_with_ann().await;
    let _deaf = Guest::enter(&server, "bob").await;
    ann.hears("* bob is here, 2 in all").await;
    // What the system keeps for a connection is some megabytes.
    let long = "x".repeat(16 << 10);
    for _ in 0..4000 {
        ann.say(&long).await;
        let mut line = String::new();
        timeout(PATIENCE, ann.0.read_line(&mut line))
            .await
            .unwrap()
            .unwrap();
        if line.trim_end() == "* bob has left" {
            return;
        }
    }
    panic!("64 MiB wait for somebody who does not read");
}

#[tokio::test]
async fn a_line_that_does_not_end_is_refused_and_not_kept() {
    let (actors, server, mut ann) = open_with_ann().await;
    let longest = "x".repeat(server::LONGEST_LINE);
    ann.say(&longest).await;
    ann.hears(&format!("ann: {longest}")).await;
    let refusal = "* that line is too long and is not shown; send at most 16384 bytes";
    // Said while the line goes on, and once.
    ann.0.write_all(format!("{longest}x").as_bytes()).await.unwrap();
    ann.hears(refusal).await;
    for _ in 0..100 {
        ann.0.write_all(longest.as_bytes()).await.unwrap();
    }
    ann.say("the end of it").await;
    ann.say("next").await;
    ann.hears("ann: next").await;
    // One that never ends goes with its connection.
    ann.0.write_all(format!("{longest}x").as_bytes()).await.unwrap();
    ann.hears(refusal).await;
    drop(ann);
    server.close().await;
    actors.wait_quiescent();
    assert!(actors.shutdown().is_empty());
}

/// Fetches numbers by way of tokio.
struct Fetcher(tokio::runtime::Handle, Vec<u32>);

enum Msg {
    Fetch(u32),
    Fail(ReplyTo<AskError>),
    Number(u32),
    All(ReplyTo<Vec<u32>>),
}

impl From<u32> for Msg {
    fn from(n: u32) -> Self {
        Self::Number(n)
    }
}

impl Actor for Fetcher {
    type Msg = Msg;
    fn handle(&mut self, msg: Msg, cx: &mut Context<'_, Self>) {
        let on = self.0.clone();
        match msg {
            Msg::Fetch(n) => {
                let fetch = async move {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    n * n
                };
                cx.pipe(&on, fetch, |me, n, _| me.1.push(n.unwrap()));
            }
            Msg::Fail(reply) => {
                cx.pipe(&on, std::future::pending::<()>(), |_, error, _| {
                    reply.send(error.unwrap_err())
                })
                .abort();
            }
            Msg::Number(n) => self.1.push(n),
            Msg::All(reply) => reply.send(self.1.clone()),
        }
    }
}

#[tokio::test]
async fn futures_and_channels_reach_actors() {
    let actors = Runtime::builder().workers(2).build().unwrap();
    let fetcher = actors.spawn(Fetcher(tokio::runtime::Handle::current(), Vec::new()));
    (0..5).for_each(|n| fetcher.tell(Msg::Fetch(n)));
    let all = async || timeout(PATIENCE, fetcher.ask(Msg::All)).await.unwrap().unwrap();
    while all().await.len() < 5 {
        tokio::task::yield_now().await;
    }
    let mut got = all().await;
    got.sort_unstable();
    assert_eq!(got, [0, 1, 4, 9, 16]);
    assert_eq!(
        timeout(PATIENCE, fetcher.ask(Msg::Fail)).await.unwrap(),
        Ok(AskError::Dropped)
    );
    let (send, receive) = tokio::sync::mpsc::channel(4);
    let to: Recipient<u32> = fetcher.recipient();
    let task = tokio::spawn(datil::interop::forward(receive, to));
    for n in 100..110 {
        send.send(n).await.unwrap();
    }
    drop(send);
    timeout(PATIENCE, task).await.unwrap().unwrap();
    assert_eq!(all().await[5..], (100..110).collect::<Vec<_>>());
    fetcher.stop();
}

#[tokio::test]
async fn a_question_that_finds_its_actor_gone_behind_a_channel_is_counted_and_says_so() {
    let actors = Runtime::builder().workers(1).build().unwrap();
    let fetcher = actors.spawn(Fetcher(tokio::runtime::Handle::current(), Vec::new()));
    let end = fetcher.ended();
    fetcher.stop();
    timeout(PATIENCE, end).await.unwrap().unwrap();
    let lost = || actors.metrics().total().dead_letters + actors.metrics().outside_dead_letters;
    let before = lost();
    let (send, receive) = tokio::sync::mpsc::channel(1);
    let task = tokio::spawn(datil::interop::forward(receive, fetcher));
    let (reply, answer) = datil::promise();
    send.send(Msg::All(reply)).await.unwrap();
    assert_eq!(timeout(PATIENCE, answer).await.unwrap(), Err(AskError::Gone));
    timeout(PATIENCE, task).await.unwrap().unwrap();
    actors.wait_quiescent();
    assert!(lost() > before);
}
