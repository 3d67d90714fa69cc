//! Two actors exchange a ball: `pingpong [round trips] [workers]`.
//!
//! Prints the time per message (three per round trip: ball, answer, and a message of Ping to itself).

use std::sync::mpsc;
use std::time::Instant;

use datil::{Actor, Address, Context, Runtime};

struct Ping {
    left: i64,
    sum: i64,
    pong: Address<Pong>,
    result: mpsc::Sender<i64>,
}

enum PingMsg {
    Next,
    Back { n: i64 },
}

struct Pong;

enum PongMsg {
    Ball { from: Address<Ping>, n: i64 },
    Stop,
}

impl Actor for Ping {
    type Msg = PingMsg;

    fn handle(&mut self, msg: PingMsg, cx: &mut Context<'_, Self>) {
        match msg {
            PingMsg::Next => {
                cx.tell(
                    self.pong,
                    PongMsg::Ball {
                        from: cx.address(),
                        n: self.left,
                    },
                );
                self.left -= 1;
            }
            PingMsg::Back { n } => {
                self.sum += n;
                if self.left > 0 {
                    cx.tell(cx.address(), PingMsg::Next);
                } else {
                    cx.tell(self.pong, PongMsg::Stop);
                    self.result.send(self.sum).expect("main waits for the result");
                    cx.stop();
                }
            }
        }
    }
}

impl Actor for Pong {
    type Msg = PongMsg;

    fn handle(&mut self, msg: PongMsg, cx: &mut Context<'_, Self>) {
        match msg {
            PongMsg::Ball { from, n } => cx.tell(from, PingMsg::Back { n }),
            PongMsg::Stop => cx.stop(),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let trips: i64 = args.next().map_or(Ok(500_000), |n| n.parse())?;
    let workers = args.next().map_or(Ok(1), |n| n.parse())?;
    let runtime = Runtime::builder().workers(workers).build()?;
    let (result, end) = mpsc::channel();
    let start = Instant::now();
    let pong = runtime.spawn(Pong);
    runtime
        .spawn(Ping {
            left: trips,
            sum: 0,
            pong,
            result,
        })
        .tell(PingMsg::Next);
    let sum = end.recv()?;
    let took = start.elapsed();
    assert_eq!(sum, trips * (trips + 1) / 2);
    println!(
        "{:.2} ns per message, {took:?} in all",
        took.as_nanos() as f64 / (3 * trips + 1) as f64
    );
    runtime.wait_quiescent();
    assert!(runtime.shutdown().is_empty());
    Ok(())
}
