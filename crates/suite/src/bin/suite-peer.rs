//! One library of the suite as a peer, without the laboratory's command: `suite-peer NAME [POLICY]`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next() {
        Some(name) => suite::peer::main(&name, arguments.next()),
        None => {
            eprintln!("usage: suite-peer NAME [POLICY]");
            ExitCode::from(2)
        }
    }
}
