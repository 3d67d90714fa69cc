//! One library of the suite as a peer, without the laboratory's command: `peer NAME [POLICY]`.
//!
//! To talk to it by hand: `socat - EXEC:'sh -c "exec peer tokio 3<&0"'` with `SCOVILLE_WORKERS=2`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next() {
        Some(name) => suite::peer::main(&name, arguments.next()),
        None => {
            eprintln!("usage: peer NAME [POLICY]");
            ExitCode::from(2)
        }
    }
}
