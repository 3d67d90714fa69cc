//! Fork-join creation and Fibonacci: actors that live for a message or three.

use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::runtime::Runtime;

use crate::Run;
use crate::hand::fib::check;
use crate::hand::tally::Tally;

struct Worker;

struct WorkerState {
    id: i64,
    tally: &'static Tally,
}

struct Work {
    theta: f64,
}

impl Actor for Worker {
    type Msg = Work;
    type State = WorkerState;
    type Arguments = WorkerState;

    async fn pre_start(
        &self,
        _myself: ActorRef<Work>,
        state: WorkerState,
    ) -> Result<WorkerState, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Work>,
        Work { theta }: Work,
        state: &mut WorkerState,
    ) -> Result<(), ActorProcessingErr> {
        let sine = theta.sin();
        assert!(sine * sine > 0.0);
        state.tally.add(state.id);
        myself.stop(None);
        Ok(())
    }
}

pub fn fjcreate(runtime: Runtime, actors: i64) -> Run {
    let (tally, finished) = Tally::leaked();
    Box::new(move || {
        tally.expect(actors);
        let start = Instant::now();
        runtime.block_on(async {
            for id in 1..=actors {
                let started = Worker::spawn(None, Worker, WorkerState { id, tally }).await;
                let (worker, _task) = started.expect("it has no name");
                worker
                    .send_message(Work { theta: 37.2 })
                    .expect("the worker lives");
            }
        });
        finished.recv().expect("the last worker reports");
        let wall = start.elapsed();
        assert_eq!(tally.take(), actors * (actors + 1) / 2);
        wall
    })
}

struct Fib;

struct FibState {
    parent: Parent,
    got: i64,
    value: i64,
    actors: i64,
}

enum Parent {
    Actor(ActorRef<Call>),
    Driver(Sender<Call>),
}

enum Call {
    Request(i64),
    Response { value: i64, actors: i64 },
}

impl FibState {
    fn new(parent: Parent) -> Self {
        Self {
            parent,
            got: 0,
            value: 0,
            actors: 1,
        }
    }

    fn finish(&self, myself: &ActorRef<Call>) -> Result<(), ActorProcessingErr> {
        let response = Call::Response {
            value: self.value,
            actors: self.actors,
        };
        match &self.parent {
            Parent::Actor(parent) => parent.send_message(response)?,
            Parent::Driver(done) => done.send(response).expect("the driver waits"),
        }
        myself.stop(None);
        Ok(())
    }
}

impl Actor for Fib {
    type Msg = Call;
    type State = FibState;
    type Arguments = FibState;

    async fn pre_start(
        &self,
        _myself: ActorRef<Call>,
        state: FibState,
    ) -> Result<FibState, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Call>,
        message: Call,
        state: &mut FibState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            Call::Request(..=2) => {
                state.value = 1;
                state.finish(&myself)?;
            }
            Call::Request(n) => {
                for n in [n - 1, n - 2] {
                    let parent = Parent::Actor(myself.clone());
                    let (child, _task) = Fib::spawn(None, Fib, FibState::new(parent)).await?;
                    child.send_message(Call::Request(n))?;
                }
            }
            Call::Response { value, actors } => {
                state.value += value;
                state.actors += actors;
                state.got += 1;
                if state.got == 2 {
                    state.finish(&myself)?;
                }
            }
        }
        Ok(())
    }
}

pub fn fib(runtime: Runtime, index: i64) -> Run {
    Box::new(move || {
        let (done, results) = channel();
        let start = Instant::now();
        let root = runtime.block_on(Fib::spawn(None, Fib, FibState::new(Parent::Driver(done))));
        let (root, _task) = root.expect("it has no name");
        root.send_message(Call::Request(index)).expect("the root lives");
        let Ok(Call::Response { value, actors }) = results.recv() else {
            panic!("the root responds");
        };
        let wall = start.elapsed();
        check(index, value, actors);
        wall
    })
}
