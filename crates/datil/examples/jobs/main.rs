//! A job queue: `jobs [address]`, by default 127.0.0.1:7879. Try `PUT 100000`, then `GET 0`.

mod queue;

use std::sync::Arc;

use datil::Runtime;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7879".into());
    let actors = Arc::new(Runtime::builder().build()?);
    let service = queue::Service::start(&actors, 4, at.parse()?)?;
    println!(
        "listening at {}, {} workers",
        service.at,
        service.supervisor.children()
    );
    // Until the queue ends, which it does not.
    service.queue.ended().wait()?;
    Ok(())
}
