//! By hand against ractor.

mod create;

pub use create::{fib, fjcreate};

use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef};
use tokio::runtime::Runtime;

use crate::Run;

struct Ping;

struct PingState {
    left: i64,
    sum: i64,
    pong: ActorRef<ToPong>,
    done: Sender<i64>,
}

enum ToPing {
    Start,
    Next,
    #[expect(
        dead_code,
        reason = "the benchmark sends the reference, and its receiver does not need it"
    )]
    Back(ActorRef<ToPong>, i64),
}

impl Actor for Ping {
    type Msg = ToPing;
    type State = PingState;
    type Arguments = PingState;

    async fn pre_start(
        &self,
        _myself: ActorRef<ToPing>,
        state: PingState,
    ) -> Result<PingState, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<ToPing>,
        message: ToPing,
        state: &mut PingState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ToPing::Start | ToPing::Next => {
                state.pong.send_message(ToPong::Ball(myself, state.left))?;
                state.left -= 1;
            }
            ToPing::Back(_, n) => {
                assert_eq!(n, state.left + 1);
                state.sum += n;
                if state.left > 0 {
                    myself.send_message(ToPing::Next)?;
                } else {
                    state.pong.send_message(ToPong::Stop)?;
                    state.done.send(state.sum)?;
                    myself.stop(None);
                }
            }
        }
        Ok(())
    }
}

struct Pong;

struct PongState {
    count: i64,
    done: Sender<i64>,
}

enum ToPong {
    Ball(ActorRef<ToPing>, i64),
    Stop,
}

impl Actor for Pong {
    type Msg = ToPong;
    type State = PongState;
    type Arguments = PongState;

    async fn pre_start(
        &self,
        _myself: ActorRef<ToPong>,
        state: PongState,
    ) -> Result<PongState, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<ToPong>,
        message: ToPong,
        state: &mut PongState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ToPong::Ball(from, n) => {
                state.count += 1;
                from.send_message(ToPing::Back(myself, n))?;
            }
            ToPong::Stop => {
                state.done.send(state.count)?;
                myself.stop(None);
            }
        }
        Ok(())
    }
}

pub fn pingpong(runtime: Runtime, pings: i64) -> Run {
    Box::new(move || {
        let (done, results) = channel();
        let start = Instant::now();
        let state = PongState {
            count: 0,
            done: done.clone(),
        };
        let pong = runtime.block_on(Pong::spawn(None, Pong, state));
        let (pong, _task) = pong.expect("it has no name");
        let state = PingState {
            left: pings,
            sum: 0,
            pong,
            done,
        };
        let ping = runtime.block_on(Ping::spawn(None, Ping, state));
        let (ping, _task) = ping.expect("it has no name");
        ping.send_message(ToPing::Start).expect("ping lives");
        let sum = [results.recv(), results.recv()]
            .map(|result| result.expect("both report"))
            .iter()
            .sum::<i64>();
        let wall = start.elapsed();
        assert_eq!(sum, pings * (pings + 1) / 2 + pings);
        wall
    })
}

struct Producer;

struct ProducerState {
    messages: i64,
    counter: ActorRef<ToCounter>,
    done: Sender<i64>,
}

enum ToProducer {
    Start,
    Result(i64),
}

impl Actor for Producer {
    type Msg = ToProducer;
    type State = ProducerState;
    type Arguments = ProducerState;

    async fn pre_start(
        &self,
        _myself: ActorRef<ToProducer>,
        state: ProducerState,
    ) -> Result<ProducerState, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<ToProducer>,
        message: ToProducer,
        state: &mut ProducerState,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ToProducer::Start => {
                for _ in 0..state.messages {
                    state.counter.send_message(ToCounter::Increment)?;
                }
                state.counter.send_message(ToCounter::Retrieve(myself))?;
            }
            ToProducer::Result(value) => {
                state.done.send(value)?;
                myself.stop(None);
            }
        }
        Ok(())
    }
}

struct Counter;

enum ToCounter {
    Increment,
    Retrieve(ActorRef<ToProducer>),
}

impl Actor for Counter {
    type Msg = ToCounter;
    type State = i64;
    type Arguments = i64;

    async fn pre_start(&self, _myself: ActorRef<ToCounter>, count: i64) -> Result<i64, ActorProcessingErr> {
        Ok(count)
    }

    async fn handle(
        &self,
        myself: ActorRef<ToCounter>,
        message: ToCounter,
        count: &mut i64,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            ToCounter::Increment => *count += 1,
            ToCounter::Retrieve(from) => {
                from.send_message(ToProducer::Result(*count))?;
                myself.stop(None);
            }
        }
        Ok(())
    }
}

pub fn count(runtime: Runtime, messages: i64) -> Run {
    Box::new(move || {
        let (done, results) = channel();
        let start = Instant::now();
        let counter = runtime.block_on(Counter::spawn(None, Counter, 0));
        let (counter, _task) = counter.expect("it has no name");
        let state = ProducerState {
            messages,
            counter,
            done,
        };
        let producer = runtime.block_on(Producer::spawn(None, Producer, state));
        let (producer, _task) = producer.expect("it has no name");
        producer
            .send_message(ToProducer::Start)
            .expect("the producer lives");
        let count = results.recv().expect("the producer reports");
        let wall = start.elapsed();
        assert_eq!(count, messages);
        wall
    })
}
