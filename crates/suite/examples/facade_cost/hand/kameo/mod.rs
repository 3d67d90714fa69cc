//! By hand against kameo.

/// Implements `Actor` for actors that need no hooks, as kameo's own derive does.
macro_rules! plain_actors {
    ($($actor:ty),+) => {
        $(impl Actor for $actor {
            type Args = Self;
            type Error = Infallible;

            async fn on_start(state: Self, _myself: ActorRef<Self>) -> Result<Self, Infallible> {
                Ok(state)
            }
        })+
    };
}

mod create;

pub use create::{fib, fjcreate};

use std::convert::Infallible;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use kameo::Actor;
use kameo::actor::{ActorRef, Spawn};
use kameo::mailbox;
use kameo::message::{Context, Message};
use tokio::runtime::Runtime;

use crate::Run;

plain_actors!(Ping, Pong, Producer, Counter);

struct Ping {
    left: i64,
    sum: i64,
    pong: ActorRef<Pong>,
    done: Sender<i64>,
}

struct Start;

struct Next;

struct Back {
    #[expect(
        dead_code,
        reason = "the benchmark sends the reference, and its receiver does not need it"
    )]
    from: ActorRef<Pong>,
    n: i64,
}

struct Ball {
    from: ActorRef<Ping>,
    n: i64,
}

struct Stop;

impl Ping {
    fn serve(&mut self, myself: &ActorRef<Self>) {
        let ball = Ball {
            from: myself.clone(),
            n: self.left,
        };
        self.pong.tell(ball).try_send().expect("pong lives");
        self.left -= 1;
    }
}

impl Message<Start> for Ping {
    type Reply = ();

    async fn handle(&mut self, _: Start, cx: &mut Context<Self, ()>) {
        self.serve(cx.actor_ref());
    }
}

impl Message<Next> for Ping {
    type Reply = ();

    async fn handle(&mut self, _: Next, cx: &mut Context<Self, ()>) {
        self.serve(cx.actor_ref());
    }
}

impl Message<Back> for Ping {
    type Reply = ();

    async fn handle(&mut self, Back { n, .. }: Back, cx: &mut Context<Self, ()>) {
        assert_eq!(n, self.left + 1);
        self.sum += n;
        if self.left > 0 {
            cx.actor_ref().tell(Next).try_send().expect("ping lives");
        } else {
            self.pong.tell(Stop).try_send().expect("pong lives");
            self.done.send(self.sum).expect("the driver waits");
            cx.stop();
        }
    }
}

struct Pong {
    count: i64,
    done: Sender<i64>,
}

impl Message<Ball> for Pong {
    type Reply = ();

    async fn handle(&mut self, Ball { from, n }: Ball, cx: &mut Context<Self, ()>) {
        self.count += 1;
        let back = Back {
            from: cx.actor_ref().clone(),
            n,
        };
        from.tell(back).try_send().expect("ping lives");
    }
}

impl Message<Stop> for Pong {
    type Reply = ();

    async fn handle(&mut self, _: Stop, cx: &mut Context<Self, ()>) {
        self.done.send(self.count).expect("the driver waits");
        cx.stop();
    }
}

pub fn pingpong(runtime: Runtime, pings: i64) -> Run {
    Box::new(move || {
        let _runtime = runtime.enter();
        let (done, results) = channel();
        let start = Instant::now();
        let pong = Pong {
            count: 0,
            done: done.clone(),
        };
        let pong = Pong::spawn_with_mailbox(pong, mailbox::unbounded());
        let ping = Ping {
            left: pings,
            sum: 0,
            pong,
            done,
        };
        let ping = Ping::spawn_with_mailbox(ping, mailbox::unbounded());
        ping.tell(Start).try_send().expect("ping lives");
        let sum = [results.recv(), results.recv()]
            .map(|result| result.expect("both report"))
            .iter()
            .sum::<i64>();
        let wall = start.elapsed();
        assert_eq!(sum, pings * (pings + 1) / 2 + pings);
        wall
    })
}

struct Producer {
    messages: i64,
    counter: ActorRef<Counter>,
    done: Sender<i64>,
}

struct Increment;

struct Retrieve {
    from: ActorRef<Producer>,
}

struct Total(i64);

impl Message<Start> for Producer {
    type Reply = ();

    async fn handle(&mut self, _: Start, cx: &mut Context<Self, ()>) {
        for _ in 0..self.messages {
            self.counter
                .tell(Increment)
                .try_send()
                .expect("the counter lives");
        }
        let retrieve = Retrieve {
            from: cx.actor_ref().clone(),
        };
        self.counter.tell(retrieve).try_send().expect("the counter lives");
    }
}

impl Message<Total> for Producer {
    type Reply = ();

    async fn handle(&mut self, Total(value): Total, cx: &mut Context<Self, ()>) {
        self.done.send(value).expect("the driver waits");
        cx.stop();
    }
}

struct Counter {
    count: i64,
}

impl Message<Increment> for Counter {
    type Reply = ();

    async fn handle(&mut self, _: Increment, _cx: &mut Context<Self, ()>) {
        self.count += 1;
    }
}

impl Message<Retrieve> for Counter {
    type Reply = ();

    async fn handle(&mut self, Retrieve { from }: Retrieve, cx: &mut Context<Self, ()>) {
        from.tell(Total(self.count))
            .try_send()
            .expect("the producer lives");
        cx.stop();
    }
}

pub fn count(runtime: Runtime, messages: i64) -> Run {
    Box::new(move || {
        let _runtime = runtime.enter();
        let (done, results) = channel();
        let start = Instant::now();
        let counter = Counter::spawn_with_mailbox(Counter { count: 0 }, mailbox::unbounded());
        let producer = Producer {
            messages,
            counter,
            done,
        };
        let producer = Producer::spawn_with_mailbox(producer, mailbox::unbounded());
        producer.tell(Start).try_send().expect("the producer lives");
        let count = results.recv().expect("the producer reports");
        let wall = start.elapsed();
        assert_eq!(count, messages);
        wall
    })
}
