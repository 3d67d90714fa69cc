//! The command line of Scoville.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // The process that is measured and the one that launches it begin here, before anything of the laboratory does.
    match words[..] {
        ["peer", name] => suite::peer::main(name, None),
        ["peer", name, "--policy", policy] => suite::peer::main(name, Some(policy.to_owned())),
        ["peer", ..] => {
            eprintln!("scoville peer: usage: scoville peer NAME [--policy POLICY]");
            ExitCode::from(2)
        }
        _ => scoville::command::main(),
    }
}
