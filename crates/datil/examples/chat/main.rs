//! A chat server: `chat [address]`, by default 127.0.0.1:7878. Talk to it with `nc 127.0.0.1 7878`; the first line is your name.

mod server;

use datil::Runtime;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7878".into());
    let actors: &'static Runtime = Box::leak(Box::new(Runtime::builder().build()?));
    let server = server::Server::start(actors, at.parse()?).await?;
    println!("listening at {}", server.at);
    // Until the room ends, which it does not.
    server.room.ended().await?;
    Ok(())
}
