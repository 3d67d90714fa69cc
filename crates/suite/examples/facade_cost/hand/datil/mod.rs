//! By hand against datil.

mod create;

pub use create::{fib, fjcreate};

use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use datil::{Actor, Address, Context, Runtime};

use crate::Run;

struct Ping {
    left: i64,
    sum: i64,
    pong: Address<Pong>,
    done: Sender<i64>,
}

enum ToPing {
    Start,
    Next,
    #[expect(
        dead_code,
        reason = "the benchmark sends the reference, and its receiver does not need it"
    )]
    Back(Address<Pong>, i64),
}

impl Actor for Ping {
    type Msg = ToPing;

    fn handle(&mut self, message: ToPing, cx: &mut Context<'_, Self>) {
        match message {
            ToPing::Start | ToPing::Next => {
                cx.tell(self.pong, ToPong::Ball(cx.address(), self.left));
                self.left -= 1;
            }
            ToPing::Back(_, n) => {
                assert_eq!(n, self.left + 1);
                self.sum += n;
                if self.left > 0 {
                    cx.tell(cx.address(), ToPing::Next);
                } else {
                    cx.tell(self.pong, ToPong::Stop);
                    self.done.send(self.sum).expect("the driver waits");
                    cx.stop();
                }
            }
        }
    }
}

struct Pong {
    count: i64,
    done: Sender<i64>,
}

enum ToPong {
    Ball(Address<Ping>, i64),
    Stop,
}

impl Actor for Pong {
    type Msg = ToPong;

    fn handle(&mut self, message: ToPong, cx: &mut Context<'_, Self>) {
        match message {
            ToPong::Ball(from, n) => {
                self.count += 1;
                cx.tell(from, ToPing::Back(cx.address(), n));
            }
            ToPong::Stop => {
                self.done.send(self.count).expect("the driver waits");
                cx.stop();
            }
        }
    }
}

pub fn pingpong(runtime: Runtime, pings: i64) -> Run {
    Box::new(move || {
        let (done, results) = channel();
        let start = Instant::now();
        let pong = runtime.spawn(Pong {
            count: 0,
            done: done.clone(),
        });
        let ping = runtime.spawn(Ping {
            left: pings,
            sum: 0,
            pong,
            done,
        });
        ping.tell(ToPing::Start);
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
    counter: Address<Counter>,
    done: Sender<i64>,
}

enum ToProducer {
    Start,
    Result(i64),
}

impl Actor for Producer {
    type Msg = ToProducer;

    fn handle(&mut self, message: ToProducer, cx: &mut Context<'_, Self>) {
        match message {
            ToProducer::Start => {
                for _ in 0..self.messages {
                    cx.tell(self.counter, ToCounter::Increment);
                }
                cx.tell(self.counter, ToCounter::Retrieve(cx.address()));
            }
            ToProducer::Result(value) => {
                self.done.send(value).expect("the driver waits");
                cx.stop();
            }
        }
    }
}

struct Counter {
    count: i64,
}

enum ToCounter {
    Increment,
    Retrieve(Address<Producer>),
}

impl Actor for Counter {
    type Msg = ToCounter;

    fn handle(&mut self, message: ToCounter, cx: &mut Context<'_, Self>) {
        match message {
            ToCounter::Increment => self.count += 1,
            ToCounter::Retrieve(from) => {
                cx.tell(from, ToProducer::Result(self.count));
                cx.stop();
            }
        }
    }
}

pub fn count(runtime: Runtime, messages: i64) -> Run {
    Box::new(move || {
        let (done, results) = channel();
        let start = Instant::now();
        let counter = runtime.spawn(Counter { count: 0 });
        let producer = runtime.spawn(Producer {
            messages,
            counter,
            done,
        });
        producer.tell(ToProducer::Start);
        let count = results.recv().expect("the producer reports");
        let wall = start.elapsed();
        assert_eq!(count, messages);
        wall
    })
}
