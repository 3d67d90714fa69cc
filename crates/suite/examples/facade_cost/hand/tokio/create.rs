//! Fork-join creation and Fibonacci: actors that live for a message or three.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc as outside;
use std::time::Instant;

use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::Run;

struct Work {
    theta: f64,
}

pub fn fjcreate(runtime: Runtime, actors: i64) -> Run {
    Box::new(move || {
        let sum = Arc::new(AtomicI64::new(0));
        let left = Arc::new(AtomicI64::new(actors));
        let (done, finished) = outside::sync_channel(1);
        let start = Instant::now();
        for id in 1..=actors {
            let (worker, mailbox) = unbounded_channel();
            runtime.spawn(be_worker(mailbox, id, sum.clone(), left.clone(), done.clone()));
            worker.send(Work { theta: 37.2 }).expect("the worker lives");
        }
        finished.recv().expect("the last worker reports");
        let wall = start.elapsed();
        assert_eq!(sum.load(Ordering::Relaxed), actors * (actors + 1) / 2);
        wall
    })
}

async fn be_worker(
    mut mailbox: UnboundedReceiver<Work>,
    id: i64,
    sum: Arc<AtomicI64>,
    left: Arc<AtomicI64>,
    done: outside::SyncSender<()>,
) {
    let work = mailbox.recv().await.expect("the driver sends work");
    let sine = work.theta.sin();
    assert!(sine * sine > 0.0);
    sum.fetch_add(id, Ordering::Relaxed);
    // Releases this worker's share of the sum and acquires all others' in whoever is the last.
    if left.fetch_sub(1, Ordering::AcqRel) == 1 {
        done.send(()).expect("the driver waits");
    }
}

enum Call {
    Request(i64),
    Response { value: i64, actors: i64 },
}

pub fn fib(runtime: Runtime, index: i64) -> Run {
    Box::new(move || {
        let start = Instant::now();
        let (parent, mut responses) = unbounded_channel();
        let (root, mailbox) = unbounded_channel();
        runtime.spawn(call(mailbox, root.clone(), parent));
        root.send(Call::Request(index)).expect("the root lives");
        check(responses.blocking_recv(), index);
        start.elapsed()
    })
}

/// A call as a future of known type: it spawns itself.
fn call(
    mut mailbox: UnboundedReceiver<Call>,
    myself: UnboundedSender<Call>,
    parent: UnboundedSender<Call>,
) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        let Some(Call::Request(n)) = mailbox.recv().await else {
            panic!("a call begins with a request");
        };
        let response = if n <= 2 {
            Call::Response { value: 1, actors: 1 }
        } else {
            for n in [n - 1, n - 2] {
                let (child, box_of_child) = unbounded_channel();
                tokio::spawn(call(box_of_child, child.clone(), myself.clone()));
                child.send(Call::Request(n)).expect("the child lives");
            }
            gather(&mut mailbox).await
        };
        parent.send(response).expect("the parent waits");
    })
}

/// The number is an argument of the call: a message for each actor less than the benchmark sends.
pub fn fib_bare(runtime: Runtime, index: i64) -> Run {
    Box::new(move || {
        let start = Instant::now();
        let (parent, mut responses) = unbounded_channel();
        runtime.spawn(bare_call(index, parent));
        check(responses.blocking_recv(), index);
        start.elapsed()
    })
}

fn bare_call(n: i64, parent: UnboundedSender<Call>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        let response = if n <= 2 {
            Call::Response { value: 1, actors: 1 }
        } else {
            let (myself, mut mailbox) = unbounded_channel();
            tokio::spawn(bare_call(n - 1, myself.clone()));
            tokio::spawn(bare_call(n - 2, myself));
            gather(&mut mailbox).await
        };
        parent.send(response).expect("the parent waits");
    })
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

fn check(response: Option<Call>, index: i64) {
    let Some(Call::Response { value, actors }) = response else {
        panic!("the root responds");
    };
    let (fibonacci, _) = (1..index).fold((1, 1), |(this, next), _| (next, this + next));
    assert_eq!((value, actors), (fibonacci, 2 * fibonacci - 1));
}
