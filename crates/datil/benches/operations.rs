//! Single operations: `cargo bench -p datil [-- <filter>]`. Times are per operation; the machine should be quiet.

use std::sync::mpsc;

use datil::{Actor, Address, Context, ReplyTo, Runtime};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// Operations per sample: the way into the runtime and out vanishes in them.
const MANY: u64 = 20_000;

/// Does something on its worker.
struct Stage;

type Play = Box<dyn FnOnce(&mut Context<'_, Stage>) + Send>;

impl Actor for Stage {
    type Msg = Play;

    fn handle(&mut self, play: Play, cx: &mut Context<'_, Self>) {
        play(cx);
    }
}

/// Times `play` inside a handler, until all that follows from it is done.
fn inside(
    bencher: Bencher<'_, '_>,
    workers: usize,
    play: impl Fn(&mut Context<'_, Stage>) + Clone + Send + Sync + 'static,
) {
    let runtime = Runtime::builder().workers(workers).build().expect("a runtime");
    let stage = runtime.spawn(Stage);
    bencher.counter(ItemsCount::new(MANY)).bench(|| {
        let play = play.clone();
        stage.tell(Box::new(move |cx| play(cx)));
        runtime.wait_quiescent();
    });
}

struct Sink(u64);

impl Actor for Sink {
    type Msg = u64;
    const EAGER: bool = false;

    fn handle(&mut self, n: u64, cx: &mut Context<'_, Self>) {
        self.0 = self.0.wrapping_add(n);
        if n == 0 {
            cx.stop();
        }
    }
}

/// A send, and handling the message, many to one actor.
#[divan::bench(args = [1, 2])]
fn tell_one(bencher: Bencher<'_, '_>, workers: usize) {
    inside(bencher, workers, |cx| {
        let sink = cx.spawn(Sink(0));
        (1..MANY).for_each(|n| cx.tell(sink, n));
        cx.tell(sink, 0);
    });
}

/// A send, and handling the message, one to each of many actors.
#[divan::bench(args = [1, 2])]
fn tell_many(bencher: Bencher<'_, '_>, workers: usize) {
    let runtime = Runtime::builder().workers(workers).build().expect("a runtime");
    let sinks: Vec<_> = (0..MANY).map(|_| runtime.spawn(Sink(0))).collect();
    let stage = runtime.spawn(Stage);
    bencher.counter(ItemsCount::new(MANY)).bench(|| {
        let sinks = sinks.clone();
        stage.tell(Box::new(move |cx| {
            sinks.iter().for_each(|&sink| cx.tell(sink, 1))
        }));
        runtime.wait_quiescent();
    });
    drop(runtime.shutdown());
}

/// An actor that is created, gets one message, and ends.
#[divan::bench(args = [1, 2])]
fn life(bencher: Bencher<'_, '_>, workers: usize) {
    inside(bencher, workers, |cx| {
        for _ in 0..MANY {
            let sink = cx.spawn(Sink(0));
            cx.tell(sink, 0);
        }
    });
}

struct Player {
    other: Option<Address<Player>>,
}

impl Actor for Player {
    type Msg = (u64, Option<Address<Player>>);
    const EAGER: bool = false;

    fn handle(&mut self, (left, other): Self::Msg, cx: &mut Context<'_, Self>) {
        self.other = other.or(self.other);
        if left > 0 {
            let other = self.other.expect("the first ball brings it");
            cx.tell(other, (left - 1, Some(cx.address())));
        }
    }
}

/// A message to an idle actor that answers: one activation each.
#[divan::bench(args = [1, 2])]
fn ping_pong(bencher: Bencher<'_, '_>, workers: usize) {
    let runtime = Runtime::builder().workers(workers).build().expect("a runtime");
    let (a, b) = (
        runtime.spawn(Player { other: None }),
        runtime.spawn(Player { other: None }),
    );
    bencher.counter(ItemsCount::new(MANY)).bench(|| {
        a.tell((MANY, Some(b)));
        runtime.wait_quiescent();
    });
    drop(runtime.shutdown());
}

/// A plain send from a thread outside.
#[divan::bench(args = [1, 2])]
fn tell_from_outside(bencher: Bencher<'_, '_>, workers: usize) {
    let runtime = Runtime::builder().workers(workers).build().expect("a runtime");
    let sink = runtime.spawn(Sink(0));
    bencher.counter(ItemsCount::new(MANY)).bench(|| {
        (0..MANY).for_each(|_| sink.tell(1));
        runtime.wait_quiescent();
    });
    drop(runtime.shutdown());
}

/// Says what it is asked to say.
struct Echo;

impl Actor for Echo {
    type Msg = (u64, ReplyTo<u64>);

    fn handle(&mut self, (n, reply): Self::Msg, _: &mut Context<'_, Self>) {
        reply.send(n);
    }
}

/// A question from a thread outside that waits for the answer and asks the next one.
#[divan::bench(args = [1, 2])]
fn ask_from_outside(bencher: Bencher<'_, '_>, workers: usize) {
    const QUESTIONS: u64 = MANY / 10;
    let runtime = Runtime::builder().workers(workers).build().expect("a runtime");
    let echo = runtime.spawn(Echo);
    bencher.counter(ItemsCount::new(QUESTIONS)).bench(|| {
        for n in 0..QUESTIONS {
            assert_eq!(echo.ask(|reply| (n, reply)).wait(), Ok(n));
        }
    });
    drop(runtime.shutdown());
}

/// From a thread outside to a sleeping worker and back.
#[divan::bench]
fn wake_and_answer(bencher: Bencher<'_, '_>) {
    let runtime = Runtime::builder().workers(1).build().expect("a runtime");
    let stage = runtime.spawn(Stage);
    let (tx, rx) = mpsc::channel();
    bencher.bench_local(|| {
        let tx = tx.clone();
        stage.tell(Box::new(move |_| tx.send(()).expect("somebody waits")));
        rx.recv().expect("it answers");
    });
    drop(runtime.shutdown());
}
