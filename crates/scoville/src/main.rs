//! The command line of Scoville.

use std::ffi::OsString;
use std::process::ExitCode;

use scoville::drive::launcher;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // What is no text is none of the words below; the command line says what is wrong with it, or takes it for a path.
    let words: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap_or("")).collect();
    // The launcher and the runtimes begin here, before anything of the laboratory does: both have to start small.
    match words[..] {
        [launcher::ARGUMENT, ..] => match launcher::main() {
            Ok(()) => ExitCode::SUCCESS,
            Err(e) => usage(&format!("{}: {e}", launcher::ARGUMENT)),
        },
        ["peer", name] => suite::peer::main(name, None),
        ["peer", name, "--policy", policy] => suite::peer::main(name, Some(policy.to_owned())),
        ["peer", ..] => usage("peer: usage: scoville peer NAME [--policy POLICY]"),
        _ => scoville::command::main(),
    }
}

fn usage(message: &str) -> ExitCode {
    eprintln!("scoville {message}");
    ExitCode::from(2)
}
