//! A job queue: `jobs [address]`, by default 127.0.0.1:7879. Try `PUT 100000`, then `GET 0`.

mod queue;

use std::sync::Arc;

use datil::Runtime;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7879".into());
    let at = at
        .parse()
        .map_err(|error| format!("{at:?} is no address such as 127.0.0.1:7879: {error}"))?;
    let actors = Arc::new(Runtime::builder().build()?);
    let service = queue::Service::start(&actors, 4, at)
        .map_err(|error| format!("cannot listen at {at}: {error}; give another address"))?;
    println!(
        "listening at {}, {} workers",
        service.at,
        service.supervisor.children()
    );
    // Until the queue ends, which it does if its workers have failed too often.
    let reason = service.queue.ended().wait()?;
    Err(format!("the queue has ended: {reason:?}").into())
}
