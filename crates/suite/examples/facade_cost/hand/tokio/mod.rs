//! By hand against tokio.

mod create;
mod crowd;

pub use create::{fib, fib_bare, fjcreate};
pub use crowd::{big, chameneos};

use std::sync::Arc;
use std::sync::mpsc as outside;
use std::time::Instant;

use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::Run;

enum ToPing {
    Start,
    Next,
    #[expect(
        dead_code,
        reason = "the benchmark sends the reference, and its receiver does not need it"
    )]
    Back(UnboundedSender<ToPong>, i64),
}

enum ToPong {
    Ball(UnboundedSender<ToPing>, i64),
    Stop,
}

pub fn pingpong(runtime: Runtime, pings: i64) -> Run {
    Box::new(move || {
        let (done, results) = outside::channel();
        let done = Arc::new(done);
        let start = Instant::now();
        let (pong, mailbox) = unbounded_channel();
        runtime.spawn(play_pong(mailbox, pong.clone(), done.clone()));
        let (ping, mailbox) = unbounded_channel();
        runtime.spawn(play_ping(mailbox, ping.clone(), pong, pings, done));
        ping.send(ToPing::Start).expect("ping lives");
        let sum = [results.recv(), results.recv()]
            .map(|result| result.expect("both report"))
            .iter()
            .sum::<i64>();
        let wall = start.elapsed();
        assert_eq!(sum, pings * (pings + 1) / 2 + pings);
        wall
    })
}

async fn play_ping(
    mut mailbox: UnboundedReceiver<ToPing>,
    myself: UnboundedSender<ToPing>,
    pong: UnboundedSender<ToPong>,
    mut left: i64,
    done: Arc<outside::Sender<i64>>,
) {
    let mut sum = 0;
    while let Some(message) = mailbox.recv().await {
        match message {
            ToPing::Start | ToPing::Next => {
                pong.send(ToPong::Ball(myself.clone(), left)).expect("pong lives");
                left -= 1;
            }
            ToPing::Back(_, n) => {
                assert_eq!(n, left + 1);
                sum += n;
                if left == 0 {
                    break;
                }
                myself.send(ToPing::Next).expect("ping lives");
            }
        }
    }
    pong.send(ToPong::Stop).expect("pong lives");
    done.send(sum).expect("the driver waits");
}

async fn play_pong(
    mut mailbox: UnboundedReceiver<ToPong>,
    myself: UnboundedSender<ToPong>,
    done: Arc<outside::Sender<i64>>,
) {
    let mut count = 0;
    while let Some(ToPong::Ball(from, n)) = mailbox.recv().await {
        count += 1;
        from.send(ToPing::Back(myself.clone(), n)).expect("ping lives");
    }
    done.send(count).expect("the driver waits");
}

/// Ping serves as soon as the ball is back: no message to itself, a third of the messages less than the benchmark sends.
pub fn pingpong_bare(runtime: Runtime, pings: i64) -> Run {
    Box::new(move || {
        let (done, results) = outside::channel();
        let start = Instant::now();
        let (pong, mut balls) = unbounded_channel::<i64>();
        let (ping, mut returned) = unbounded_channel();
        runtime.spawn(async move {
            while let Some(n) = balls.recv().await {
                ping.send(n).expect("ping lives");
            }
        });
        runtime.spawn(async move {
            let mut sum = 0;
            for n in (1..=pings).rev() {
                pong.send(n).expect("pong lives");
                sum += returned.recv().await.expect("pong lives");
            }
            done.send(sum).expect("the driver waits");
        });
        let sum = results.recv().expect("ping reports");
        let wall = start.elapsed();
        assert_eq!(sum, pings * (pings + 1) / 2);
        wall
    })
}

enum ToCounter {
    Increment,
    Retrieve(UnboundedSender<ToProducer>),
}

enum ToProducer {
    Start,
    Result(i64),
}

pub fn count(runtime: Runtime, messages: i64) -> Run {
    Box::new(move || {
        let (done, results) = outside::channel();
        let start = Instant::now();
        let (counter, mailbox) = unbounded_channel();
        runtime.spawn(be_counter(mailbox));
        let (producer, mailbox) = unbounded_channel();
        runtime.spawn(be_producer(mailbox, producer.clone(), counter, messages, done));
        producer.send(ToProducer::Start).expect("the producer lives");
        let count = results.recv().expect("the producer reports");
        let wall = start.elapsed();
        assert_eq!(count, messages);
        wall
    })
}

async fn be_producer(
    mut mailbox: UnboundedReceiver<ToProducer>,
    myself: UnboundedSender<ToProducer>,
    counter: UnboundedSender<ToCounter>,
    messages: i64,
    done: outside::Sender<i64>,
) {
    while let Some(message) = mailbox.recv().await {
        match message {
            ToProducer::Start => {
                for _ in 0..messages {
                    counter.send(ToCounter::Increment).expect("the counter lives");
                }
                counter
                    .send(ToCounter::Retrieve(myself.clone()))
                    .expect("the counter lives");
            }
            ToProducer::Result(value) => {
                done.send(value).expect("the driver waits");
                return;
            }
        }
    }
}

/// Takes many messages at once: many wait.
async fn be_counter(mut mailbox: UnboundedReceiver<ToCounter>) {
    let mut count = 0;
    let mut waiting = Vec::with_capacity(32);
    while mailbox.recv_many(&mut waiting, 32).await > 0 {
        for message in waiting.drain(..) {
            match message {
                ToCounter::Increment => count += 1,
                ToCounter::Retrieve(from) => {
                    from.send(ToProducer::Result(count)).expect("the producer lives");
                    return;
                }
            }
        }
    }
}
