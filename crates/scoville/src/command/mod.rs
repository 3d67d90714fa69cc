//! The command line: each command is a file that parses, calls and prints.

mod args;
mod build;
mod compare;
mod completions;
mod doctor;
mod export;
mod grow;
mod judged;
mod list;
mod matrix;
mod next;
mod orient;
mod plan;
mod prepare;
mod progress;
mod report;
mod reproduce;
mod run;
mod sessions;
mod show;
mod signals;
mod simulate;
mod status;
mod streams;
mod verify;
mod world;

use std::io::{self, IsTerminal as _, StdoutLock, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{Cli, Command};
use streams::{Output, Paper, remark};
use world::World;

/// How a command ended, as its exit status says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Good = 0,
    /// Something is slower than it may be.
    Regression = 1,
    /// The command line or a file is wrong.
    Usage = 2,
    /// A runtime returned a wrong result.
    WrongResult = 3,
    /// A runtime crashed, hung or broke the protocol, could not be built by `build`, or was named and had to be left out. What
    /// nobody named is left out without failure: the reason is said, and the others are measured or verified.
    RuntimeFailed = 4,
    /// No honest measuring is possible here.
    Impossible = 5,
    /// The user ended it; what was measured is kept.
    Interrupted = 130,
}

impl Exit {
    /// The status where a runtime that the user named takes no part, however well the others did.
    fn without_a_named_one(self) -> Self {
        match self {
            Exit::Good => Exit::RuntimeFailed,
            worse => worse,
        }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version are no failure, and clap knows which stream each belongs to.
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { Exit::Usage as u8 } else { 0 });
        }
    };
    let mut out = output(&cli.command);
    let result = dispatch(cli, &mut out).and_then(|exit| {
        out.flush()?;
        Ok(exit)
    });
    match result {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(e) => {
            remark(format_args!("scoville: {e:#}"));
            ExitCode::from(Exit::Usage as u8)
        }
    }
}

/// Standard output. What is exported is for other programs, unless somebody looks at it.
fn output(command: &Option<Command>) -> Output<StdoutLock<'static>> {
    let out = io::stdout().lock();
    if matches!(command, Some(Command::Export(_))) && !io::stdout().is_terminal() {
        Output::verbatim(out)
    } else {
        Output::new(out)
    }
}

fn dispatch(cli: Cli, out: &mut dyn Paper) -> anyhow::Result<Exit> {
    let world = || World::load(cli.home.as_deref(), &cli.results);
    match cli.command {
        None => orient::run(&world()?, out),
        Some(Command::Doctor { all }) => doctor::run(&world()?, all, out),
        Some(Command::List { what }) => list::run(&world()?, what, out),
        Some(Command::Show { name }) => show::run(&world()?, &name, out),
        Some(Command::Build { runtimes, check }) => build::run(&world()?, &runtimes, check, out),
        Some(Command::Verify(arguments)) => verify::run(&world()?, &arguments, out),
        Some(Command::Plan(arguments)) => plan::run(&world()?, &arguments, out),
        Some(Command::Run(arguments)) => run::run(&world()?, &arguments, out),
        Some(Command::Grow(arguments)) => grow::run(&world()?, &arguments, out),
        Some(Command::Status { session }) => status::run(&world()?, session.as_deref(), out),
        Some(Command::Compare(arguments)) => compare::run(&world()?, &arguments, out),
        Some(Command::Report { session, open }) => report::run(&world()?, session.as_deref(), open, out),
        Some(Command::Export(arguments)) => export::run(&world()?, &arguments, out),
        Some(Command::Simulate(arguments)) => simulate::run(&arguments, out),
        Some(Command::Reproduce(arguments)) => reproduce::run(&arguments, out),
        Some(Command::Completions { shell }) => completions::shell(shell, &mut Cli::command(), out),
        Some(Command::Man) => completions::man(Cli::command(), out),
        Some(Command::Peer { .. } | Command::Launch { .. }) => {
            // Without an option before it, main has started it long before.
            anyhow::bail!(
                "`peer` and `__launch` must be the first argument; the laboratory starts them itself"
            )
        }
    }
}
