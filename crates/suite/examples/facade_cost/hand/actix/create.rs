//! Fork-join creation and Fibonacci: actors that live for a message or three.

use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use actix::{Actor, ActorContext, Addr, AsyncContext, Context, Handler, Message};

use super::Place;
use crate::Run;
use crate::hand::fib::check;
use crate::hand::tally::Tally;

messages!(Work, Request, Response);

struct Worker {
    id: i64,
    tally: &'static Tally,
}

struct Work {
    theta: f64,
}

impl Actor for Worker {
    type Context = Context<Self>;
}

impl Handler<Work> for Worker {
    type Result = ();

    fn handle(&mut self, Work { theta }: Work, context: &mut Context<Self>) {
        let sine = theta.sin();
        assert!(sine * sine > 0.0);
        self.tally.add(self.id);
        context.stop();
    }
}

pub fn fjcreate(place: Place, actors: i64) -> Run {
    let (tally, finished) = Tally::leaked();
    Box::new(move || {
        tally.expect(actors);
        let start = Instant::now();
        // Kept until all are done: without an address elsewhere actix 0.13.5 can end an actor before its last message.
        let workers: Vec<Addr<Worker>> = (1..=actors)
            .map(|id| {
                let worker = place.start(Worker { id, tally });
                worker.do_send(Work { theta: 37.2 });
                worker
            })
            .collect();
        finished.recv().expect("the last worker reports");
        let wall = start.elapsed();
        drop(workers);
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
    Actor(Addr<Fib>),
    Driver(Sender<Response>),
}

struct Request(i64);

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

    fn finish(&mut self, context: &mut Context<Self>) {
        let response = Response {
            value: self.value,
            actors: self.actors,
        };
        match &self.parent {
            Parent::Actor(parent) => parent.do_send(response),
            Parent::Driver(done) => done.send(response).expect("the driver waits"),
        }
        context.stop();
    }
}

impl Actor for Fib {
    type Context = Context<Self>;
}

impl Handler<Request> for Fib {
    type Result = ();

    fn handle(&mut self, Request(n): Request, context: &mut Context<Self>) {
        if n <= 2 {
            self.value = 1;
            self.finish(context);
            return;
        }
        for n in [n - 1, n - 2] {
            let child = Fib::new(Parent::Actor(context.address())).start();
            child.do_send(Request(n));
        }
    }
}

impl Handler<Response> for Fib {
    type Result = ();

    fn handle(&mut self, Response { value, actors }: Response, context: &mut Context<Self>) {
        self.value += value;
        self.actors += actors;
        self.got += 1;
        if self.got == 2 {
            self.finish(context);
        }
    }
}

pub fn fib(place: Place, index: i64) -> Run {
    Box::new(move || {
        let (done, results) = channel();
        let start = Instant::now();
        let root = place.start(Fib::new(Parent::Driver(done)));
        root.do_send(Request(index));
        let Response { value, actors } = results.recv().expect("the root responds");
        let wall = start.elapsed();
        check(index, value, actors);
        wall
    })
}
