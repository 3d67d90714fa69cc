//! Fork-join creation and Fibonacci: actors that live for a message or three.

use std::convert::Infallible;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use kameo::Actor;
use kameo::actor::{ActorRef, Spawn};
use kameo::mailbox;
use kameo::message::{Context, Message};
use tokio::runtime::Runtime;

use crate::Run;
use crate::hand::fib::check;
use crate::hand::tally::Tally;

plain_actors!(Worker, Fib);

struct Worker {
    id: i64,
    tally: &'static Tally,
}

struct Work {
    theta: f64,
}

impl Message<Work> for Worker {
    type Reply = ();

    async fn handle(&mut self, Work { theta }: Work, cx: &mut Context<Self, ()>) {
        let sine = theta.sin();
        assert!(sine * sine > 0.0);
        self.tally.add(self.id);
        cx.stop();
    }
}

pub fn fjcreate(runtime: Runtime, actors: i64) -> Run {
    let (tally, finished) = Tally::leaked();
    Box::new(move || {
        let _runtime = runtime.enter();
        tally.expect(actors);
        let start = Instant::now();
        for id in 1..=actors {
            let worker = Worker::spawn_with_mailbox(Worker { id, tally }, mailbox::unbounded());
            worker
                .tell(Work { theta: 37.2 })
                .try_send()
                .expect("the worker lives");
        }
        finished.recv().expect("the last worker reports");
        let wall = start.elapsed();
        assert_eq!(tally.take(), actors * (actors + 1) / 2);
        wall
    })
}

struct Fib {
    parent: Parent,
    got: i64,
    value: i64,
    actors: i64,
}

enum Parent {
    Actor(ActorRef<Fib>),
    Driver(Sender<Response>),
}

struct Request(i64);

#[derive(Debug)]
struct Response {
    value: i64,
    actors: i64,
}

impl Fib {
    fn new(parent: Parent) -> Self {
        Self {
            parent,
            got: 0,
            value: 0,
            actors: 1,
        }
    }

    fn finish(&self, cx: &mut Context<Self, ()>) {
        let response = Response {
            value: self.value,
            actors: self.actors,
        };
        match &self.parent {
            Parent::Actor(parent) => parent.tell(response).try_send().expect("the parent lives"),
            Parent::Driver(done) => done.send(response).expect("the driver waits"),
        }
        cx.stop();
    }
}

impl Message<Request> for Fib {
    type Reply = ();

    async fn handle(&mut self, Request(n): Request, cx: &mut Context<Self, ()>) {
        if n <= 2 {
            self.value = 1;
            self.finish(cx);
            return;
        }
        for n in [n - 1, n - 2] {
            let child = Fib::new(Parent::Actor(cx.actor_ref().clone()));
            let child = Fib::spawn_with_mailbox(child, mailbox::unbounded());
            child.tell(Request(n)).try_send().expect("the child lives");
        }
    }
}

impl Message<Response> for Fib {
    type Reply = ();

    async fn handle(&mut self, Response { value, actors }: Response, cx: &mut Context<Self, ()>) {
        self.value += value;
        self.actors += actors;
        self.got += 1;
        if self.got == 2 {
            self.finish(cx);
        }
    }
}

pub fn fib(runtime: Runtime, index: i64) -> Run {
    Box::new(move || {
        let _runtime = runtime.enter();
        let (done, results) = channel();
        let start = Instant::now();
        let root = Fib::spawn_with_mailbox(Fib::new(Parent::Driver(done)), mailbox::unbounded());
        root.tell(Request(index)).try_send().expect("the root lives");
        let Response { value, actors } = results.recv().expect("the root responds");
        let wall = start.elapsed();
        check(index, value, actors);
        wall
    })
}
