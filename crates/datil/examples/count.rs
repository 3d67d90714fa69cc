//! One actor floods another: `count [messages] [workers]`. Prints the time per message.

use std::sync::mpsc;
use std::time::Instant;

use datil::{Actor, Address, Context, Runtime};

struct Producer {
    messages: u64,
    counter: Address<Counter>,
    result: mpsc::Sender<u64>,
}

enum ProducerMsg {
    Start,
    Result(u64),
}

#[derive(Default)]
struct Counter {
    count: u64,
}

enum CounterMsg {
    Increment,
    Retrieve(Address<Producer>),
}

impl Actor for Producer {
    type Msg = ProducerMsg;

    fn handle(&mut self, msg: ProducerMsg, cx: &mut Context<'_, Self>) {
        match msg {
            ProducerMsg::Start => {
                for _ in 0..self.messages {
                    cx.tell(self.counter, CounterMsg::Increment);
                }
                cx.tell(self.counter, CounterMsg::Retrieve(cx.address()));
            }
            ProducerMsg::Result(count) => {
                self.result.send(count).expect("main waits for the result");
                cx.stop();
            }
        }
    }
}

impl Actor for Counter {
    type Msg = CounterMsg;

    fn handle(&mut self, msg: CounterMsg, cx: &mut Context<'_, Self>) {
        match msg {
            CounterMsg::Increment => self.count += 1,
            CounterMsg::Retrieve(from) => {
                cx.tell(from, ProducerMsg::Result(self.count));
                cx.stop();
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let messages: u64 = args.next().map_or(Ok(2_000_000), |n| n.parse())?;
    let workers = args.next().map_or(Ok(1), |n| n.parse())?;
    let runtime = Runtime::builder().workers(workers).build()?;
    let (result, end) = mpsc::channel();
    let start = Instant::now();
    let counter = runtime.spawn(Counter::default());
    runtime
        .spawn(Producer {
            messages,
            counter,
            result,
        })
        .tell(ProducerMsg::Start);
    let count = end.recv()?;
    let took = start.elapsed();
    assert_eq!(count, messages);
    println!(
        "{:.2} ns per message, {took:?} in all",
        took.as_nanos() as f64 / (messages + 3) as f64
    );
    runtime.wait_quiescent();
    assert!(runtime.shutdown().is_empty());
    Ok(())
}
