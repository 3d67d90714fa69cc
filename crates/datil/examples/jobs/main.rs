//! A job queue: `jobs [address]`, by default 127.0.0.1:7879. Try `PUT 100000`, then `GET 0`. Ctrl-C ends it.

mod queue;
mod service;

use std::time::Duration;

use datil::Runtime;
use service::Service;

/// How long jobs that run may take to finish at the end.
const PATIENCE: Duration = Duration::from_secs(5);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7879".into());
    let at = at
        .parse()
        .map_err(|error| format!("{at:?} is no address such as 127.0.0.1:7879: {error}"))?;
    let actors = Runtime::builder().build()?;
    let service = Service::start(&actors, 4, at)
        .map_err(|error| format!("cannot listen at {at}: {error}; give another address"))?;
    println!(
        "listening at {}, {} workers",
        service.at,
        service.supervisor.children()
    );
    let failed = wait_for_the_end(&service)?;
    let given_up = service.close(PATIENCE);
    if given_up > 0 {
        eprintln!("{given_up} jobs waited and were given up");
    }
    // Jobs that still run, of which the error tells, end with the process.
    let left = actors.shutdown_within(PATIENCE);
    let left = left.map_err(|running| running.to_string())?;
    if !left.is_empty() {
        eprintln!("left over: {left}");
    }
    failed.map_or(Ok(()), |reason| Err(reason.into()))
}

/// Waits for Ctrl-C, or for the queue to end, which it does if its workers have failed too often: then it returns why.
fn wait_for_the_end(service: &Service) -> std::io::Result<Option<String>> {
    let signals = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    signals.block_on(async {
        tokio::select! {
            pressed = tokio::signal::ctrl_c() => pressed.map(|()| None),
            reason = service.queue.ended() => Ok(Some(match reason {
                Ok(reason) => format!("the queue has ended: {reason}"),
                Err(error) => format!("the queue has ended: {error}"),
            })),
        }
    })
}
