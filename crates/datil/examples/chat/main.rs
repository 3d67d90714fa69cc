//! A chat server: `chat [address]`, by default 127.0.0.1:7878. Talk to it with `nc 127.0.0.1 7878`; the first line is your name. Ctrl-C ends it.

mod server;

use datil::Runtime;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7878".into());
    let at = at
        .parse()
        .map_err(|error| format!("{at:?} is no address such as 127.0.0.1:7878: {error}"))?;
    let actors = Runtime::builder().build()?;
    let server = server::Server::start(actors.handle(), at)
        .await
        .map_err(|error| format!("cannot listen at {at}: {error}; give another address"))?;
    println!("listening at {}", server.at);
    tokio::signal::ctrl_c().await?;
    server.close().await;
    actors.wait_quiescent();
    let left = actors.shutdown();
    if !left.is_empty() {
        eprintln!("left over: {left}");
    }
    Ok(())
}
