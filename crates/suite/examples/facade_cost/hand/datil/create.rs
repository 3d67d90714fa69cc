//! Fork-join creation and Fibonacci: actors that live for a message or three.

use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use datil::{Actor, Address, Context, Runtime};

use crate::Run;
use crate::hand::fib::check;
use crate::hand::tally::Tally;

struct Worker {
    id: i64,
    tally: &'static Tally,
}

struct Work {
    theta: f64,
}

impl Actor for Worker {
    type Msg = Work;

    fn handle(&mut self, Work { theta }: Work, cx: &mut Context<'_, Self>) {
        let sine = theta.sin();
        assert!(sine * sine > 0.0);
        self.tally.add(self.id);
        cx.stop();
    }
}

pub fn fjcreate(runtime: Runtime, actors: i64) -> Run {
    let (tally, finished) = Tally::leaked();
    Box::new(move || {
        tally.expect(actors);
        let start = Instant::now();
        for id in 1..=actors {
            let worker = runtime.spawn(Worker { id, tally });
            worker.tell(Work { theta: 37.2 });
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
    Actor(Address<Fib>),
    Driver(Sender<Call>),
}

enum Call {
    Request(i64),
    Response { value: i64, actors: i64 },
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

    fn finish(&self, cx: &mut Context<'_, Self>) {
        let response = Call::Response {
            value: self.value,
            actors: self.actors,
        };
        match &self.parent {
            Parent::Actor(parent) => cx.tell(*parent, response),
            Parent::Driver(done) => done.send(response).expect("the driver waits"),
        }
        cx.stop();
    }
}

impl Actor for Fib {
    type Msg = Call;

    fn handle(&mut self, message: Call, cx: &mut Context<'_, Self>) {
        match message {
            Call::Request(..=2) => {
                self.value = 1;
                self.finish(cx);
            }
            Call::Request(n) => {
                for n in [n - 1, n - 2] {
                    let child = cx.spawn(Fib::new(Parent::Actor(cx.address())));
                    cx.tell(child, Call::Request(n));
                }
            }
            Call::Response { value, actors } => {
                self.value += value;
                self.actors += actors;
                self.got += 1;
                if self.got == 2 {
                    self.finish(cx);
                }
            }
        }
    }
}

pub fn fib(runtime: Runtime, index: i64) -> Run {
    Box::new(move || {
        let (done, results) = channel();
        let start = Instant::now();
        let root = runtime.spawn(Fib::new(Parent::Driver(done)));
        root.tell(Call::Request(index));
        let Ok(Call::Response { value, actors }) = results.recv() else {
            panic!("the root responds");
        };
        let wall = start.elapsed();
        check(index, value, actors);
        wall
    })
}
