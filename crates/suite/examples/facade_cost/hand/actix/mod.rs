//! By hand against actix, on a single arbiter.
//!
//! An actor that sends its own address around keeps it behind a counted pointer: a clone of an `Addr` allocates twice.

/// Implements `Message` for messages without an answer, as actix's own derive does.
macro_rules! messages {
    ($($message:ty),+) => {
        $(impl Message for $message { type Result = (); })+
    };
}

mod create;

pub use create::{fib, fjcreate};

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use actix::{Actor, ActorContext, Addr, AsyncContext, Context, Handler, Message};
use actix_rt::{Arbiter, SystemRunner};

use crate::Run;

/// An arbiter and the system that it belongs to.
pub struct Place {
    arbiter: Arbiter,
    _system: SystemRunner,
}

impl Place {
    pub fn new() -> Self {
        let system = actix_rt::System::new();
        Self {
            arbiter: Arbiter::new(),
            _system: system,
        }
    }

    fn start<A: Actor<Context = Context<A>> + Send>(&self, actor: A) -> Addr<A> {
        A::start_in_arbiter(&self.arbiter.handle(), |_| actor)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.arbiter.stop();
    }
}

messages!(Start, Next, Back, Ball, Stop, Increment, Retrieve, Total);

struct Ping {
    myself: Option<Arc<Addr<Ping>>>,
    left: i64,
    sum: i64,
    pong: Addr<Pong>,
    done: Sender<i64>,
}

struct Start;

struct Next;

struct Back {
    #[expect(
        dead_code,
        reason = "the benchmark sends the reference, and its receiver does not need it"
    )]
    from: Arc<Addr<Pong>>,
    n: i64,
}

struct Ball {
    from: Arc<Addr<Ping>>,
    n: i64,
}

struct Stop;

impl Ping {
    fn myself(&self) -> &Arc<Addr<Self>> {
        self.myself.as_ref().expect("set at the start")
    }

    fn serve(&mut self) {
        self.pong.do_send(Ball {
            from: Arc::clone(self.myself()),
            n: self.left,
        });
        self.left -= 1;
    }
}

impl Actor for Ping {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Context<Self>) {
        self.myself = Some(Arc::new(context.address()));
    }
}

impl Handler<Start> for Ping {
    type Result = ();

    fn handle(&mut self, _: Start, _context: &mut Context<Self>) {
        self.serve();
    }
}

impl Handler<Next> for Ping {
    type Result = ();

    fn handle(&mut self, _: Next, _context: &mut Context<Self>) {
        self.serve();
    }
}

impl Handler<Back> for Ping {
    type Result = ();

    fn handle(&mut self, Back { n, .. }: Back, context: &mut Context<Self>) {
        assert_eq!(n, self.left + 1);
        self.sum += n;
        if self.left > 0 {
            self.myself().do_send(Next);
        } else {
            self.pong.do_send(Stop);
            self.done.send(self.sum).expect("the driver waits");
            context.stop();
        }
    }
}

struct Pong {
    myself: Option<Arc<Addr<Pong>>>,
    count: i64,
    done: Sender<i64>,
}

impl Actor for Pong {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Context<Self>) {
        self.myself = Some(Arc::new(context.address()));
    }
}

impl Handler<Ball> for Pong {
    type Result = ();

    fn handle(&mut self, Ball { from, n }: Ball, _context: &mut Context<Self>) {
        self.count += 1;
        let myself = self.myself.as_ref().expect("set at the start");
        from.do_send(Back {
            from: Arc::clone(myself),
            n,
        });
    }
}

impl Handler<Stop> for Pong {
    type Result = ();

    fn handle(&mut self, _: Stop, context: &mut Context<Self>) {
        self.done.send(self.count).expect("the driver waits");
        context.stop();
    }
}

pub fn pingpong(place: Place, pings: i64) -> Run {
    Box::new(move || {
        let (done, results) = channel();
        let start = Instant::now();
        let pong = place.start(Pong {
            myself: None,
            count: 0,
            done: done.clone(),
        });
        let ping = place.start(Ping {
            myself: None,
            left: pings,
            sum: 0,
            pong,
            done,
        });
        ping.do_send(Start);
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
    counter: Addr<Counter>,
    done: Sender<i64>,
}

struct Increment;

struct Retrieve {
    from: Addr<Producer>,
}

struct Total(i64);

impl Actor for Producer {
    type Context = Context<Self>;
}

impl Handler<Start> for Producer {
    type Result = ();

    fn handle(&mut self, _: Start, context: &mut Context<Self>) {
        for _ in 0..self.messages {
            self.counter.do_send(Increment);
        }
        self.counter.do_send(Retrieve {
            from: context.address(),
        });
    }
}

impl Handler<Total> for Producer {
    type Result = ();

    fn handle(&mut self, Total(value): Total, context: &mut Context<Self>) {
        self.done.send(value).expect("the driver waits");
        context.stop();
    }
}

struct Counter {
    count: i64,
}

impl Actor for Counter {
    type Context = Context<Self>;
}

impl Handler<Increment> for Counter {
    type Result = ();

    fn handle(&mut self, _: Increment, _context: &mut Context<Self>) {
        self.count += 1;
    }
}

impl Handler<Retrieve> for Counter {
    type Result = ();

    fn handle(&mut self, Retrieve { from }: Retrieve, context: &mut Context<Self>) {
        from.do_send(Total(self.count));
        context.stop();
    }
}

pub fn count(place: Place, messages: i64) -> Run {
    Box::new(move || {
        let (done, results) = channel();
        let start = Instant::now();
        let counter = place.start(Counter { count: 0 });
        let producer = place.start(Producer {
            messages,
            counter,
            done,
        });
        producer.do_send(Start);
        let count = results.recv().expect("the producer reports");
        let wall = start.elapsed();
        assert_eq!(count, messages);
        wall
    })
}
