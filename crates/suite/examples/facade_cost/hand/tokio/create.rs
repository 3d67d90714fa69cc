//! Fork-join creation and Fibonacci: actors that live for a message or three.

use std::sync::mpsc as outside;
use std::time::Instant;

use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::Run;
use crate::hand::fib::check;
use crate::hand::tally::Tally;

struct Work {
    theta: f64,
}

pub fn fjcreate(runtime: Runtime, actors: i64) -> Run {
    let (tally, finished) = Tally::leaked();
    Box::new(move || {
        tally.expect(actors);
        let start = Instant::now();
        for id in 1..=actors {
            let (worker, mailbox) = unbounded_channel();
            runtime.spawn(be_worker(mailbox, id, tally));
            worker.send(Work { theta: 37.2 }).expect("the worker lives");
        }
        finished.recv().expect("the last worker reports");
        let wall = start.elapsed();
        assert_eq!(tally.take(), actors * (actors + 1) / 2);
        wall
    })
}

async fn be_worker(mut mailbox: UnboundedReceiver<Work>, id: i64, tally: &'static Tally) {
    let work = mailbox.recv().await.expect("the driver sends work");
    let sine = work.theta.sin();
    assert!(sine * sine > 0.0);
    tally.add(id);
}

enum Call {
    Request(i64),
    Response { value: i64, actors: i64 },
}

pub fn fib(runtime: Runtime, index: i64) -> Run {
    Box::new(move || {
        let (done, results) = outside::channel();
        let start = Instant::now();
        let (parent, mut responses) = unbounded_channel();
        runtime.spawn(async move {
            call(index, parent);
            done.send(responses.recv().await).expect("the driver waits");
        });
        respond(results.recv().expect("the root responds"), index);
        start.elapsed()
    })
}

/// Calls without waiting. That it is no `async fn` itself lets the calls be futures of a known size, which need no box.
fn call(n: i64, parent: UnboundedSender<Call>) {
    let (child, mailbox) = unbounded_channel();
    tokio::spawn(be_called(mailbox, child.clone(), parent));
    child.send(Call::Request(n)).expect("the child lives");
}

async fn be_called(
    mut mailbox: UnboundedReceiver<Call>,
    myself: UnboundedSender<Call>,
    parent: UnboundedSender<Call>,
) {
    let Some(Call::Request(n)) = mailbox.recv().await else {
        panic!("a call begins with a request");
    };
    let response = if n <= 2 {
        Call::Response { value: 1, actors: 1 }
    } else {
        call(n - 1, myself.clone());
        call(n - 2, myself.clone());
        gather(&mut mailbox).await
    };
    parent.send(response).expect("the parent waits");
}

/// The number is an argument of the call: a message for each actor less than the benchmark sends.
pub fn fib_bare(runtime: Runtime, index: i64) -> Run {
    Box::new(move || {
        let (done, results) = outside::channel();
        let start = Instant::now();
        let (parent, mut responses) = unbounded_channel();
        runtime.spawn(async move {
            call_barely(index, parent);
            done.send(responses.recv().await).expect("the driver waits");
        });
        respond(results.recv().expect("the root responds"), index);
        start.elapsed()
    })
}

fn call_barely(n: i64, parent: UnboundedSender<Call>) {
    tokio::spawn(be_called_barely(n, parent));
}

async fn be_called_barely(n: i64, parent: UnboundedSender<Call>) {
    let response = if n <= 2 {
        Call::Response { value: 1, actors: 1 }
    } else {
        let (myself, mut mailbox) = unbounded_channel();
        call_barely(n - 1, myself.clone());
        call_barely(n - 2, myself);
        gather(&mut mailbox).await
    };
    parent.send(response).expect("the parent waits");
}

async fn gather(mailbox: &mut UnboundedReceiver<Call>) -> Call {
    let (mut sum, mut tree) = (0, 1);
    for _ in 0..2 {
        let Some(Call::Response { value, actors }) = mailbox.recv().await else {
            panic!("a call gets two responses");
        };
        sum += value;
        tree += actors;
    }
    Call::Response {
        value: sum,
        actors: tree,
    }
}

fn respond(response: Option<Call>, index: i64) {
    let Some(Call::Response { value, actors }) = response else {
        panic!("the root responds");
    };
    check(index, value, actors);
}
