//! The programs that can be simulated: benchmarks of the suite, whose own code runs, with annotations of what their
//! work costs.
//!
//! An annotation says what the handlers' code would cost on a real machine: computing and the lines of the actor's
//! own state that it touches. Sending, receiving, creating and moving messages between units are charged by the host
//! for everybody.

mod charges;
mod matrix_search;

use serde_json::{Map, Value};
use suite::iteration::{Failure, Order};

use crate::host::{Annotation, Run, Settings};
use crate::library::{Simulated, System};

/// A program that can be simulated.
#[derive(Clone, Copy)]
pub struct Program {
    /// Name in the catalogue.
    pub name: &'static str,
    /// Where its code comes from, and what is different from the catalogue.
    pub about: &'static str,
    /// Parameters and the sizes that a simulation has by default.
    pub parameters: &'static [(&'static str, i64)],
    annotations: &'static [Annotation],
    run: RunProgram,
}

type RunProgram = fn(&Program, Settings, &Map<String, Value>) -> Result<Simulation, String>;

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A simulated run of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// What was observed.
    pub run: Run,
    /// The program's result; it comes from the program's own code.
    pub result: String,
}

/// All of them.
pub const ALL: &[Program] = &[
    suite_program("pingpong", &[("pings", 20_000)], charges::PINGPONG),
    suite_program(
        "threadring",
        &[("actors", 100), ("hops", 20_000)],
        charges::THREADRING,
    ),
    suite_program("count", &[("messages", 50_000)], charges::COUNT),
    suite_program(
        "fjthrput",
        &[("messages", 600), ("actors", 360)],
        charges::FJTHRPUT,
    ),
    suite_program("fjcreate", &[("actors", 40_000)], charges::FJCREATE),
    suite_program("fib", &[("index", 21)], charges::FIB),
    suite_program(
        "chameneos",
        &[("creatures", 400), ("meetings", 40_000)],
        charges::CHAMENEOS,
    ),
    suite_program("big", &[("pings", 300), ("actors", 360)], charges::BIG),
    matrix_search::PROGRAM,
];

const fn suite_program(
    name: &'static str,
    parameters: &'static [(&'static str, i64)],
    annotations: &'static [Annotation],
) -> Program {
    Program {
        name,
        about: "the suite's own code",
        parameters,
        annotations,
        run: run_of_the_suite,
    }
}

/// The program with this name.
///
/// # Errors
/// A text that names all programs.
pub fn find(name: &str) -> Result<&'static Program, String> {
    ALL.iter().find(|program| program.name == name).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|program| program.name).collect();
        format!(
            "there is no program {name:?} to simulate; there are {}",
            names.join(", ")
        )
    })
}

/// Runs a program on a simulated machine. `given` replaces parameters' default sizes.
///
/// # Errors
/// If there is no such program or parameter, a value is out of range, or the program fails.
pub fn simulate(name: &str, settings: Settings, given: &Map<String, Value>) -> Result<Simulation, String> {
    let program = find(name)?;
    let mut parameters: Map<String, Value> = program
        .parameters
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.into()))
        .collect();
    for (name, value) in given {
        if parameters.insert(name.clone(), value.clone()).is_none() {
            let known: Vec<&str> = program.parameters.iter().map(|(name, _)| *name).collect();
            return Err(format!(
                "{}: unknown parameter {name}; there are {}",
                program.name,
                known.join(", ")
            ));
        }
    }
    let settings = Settings {
        annotations: program.annotations,
        ..settings
    };
    (program.run)(program, settings, &parameters)
}

fn run_of_the_suite(
    program: &Program,
    settings: Settings,
    parameters: &Map<String, Value>,
) -> Result<Simulation, String> {
    let mut system = System::new(settings)?;
    let mut programs = suite::benchmarks::all::<Simulated>();
    let found = programs
        .iter_mut()
        .find(|candidate| candidate.name() == program.name)
        .ok_or_else(|| format!("the suite has no benchmark {}", program.name))?;
    let order = Order {
        parameters,
        count_messages: false,
        // The simulation is over when the waiting begins.
        patience: Some(std::time::Duration::ZERO),
        begin: &mut || {},
    };
    let record = found
        .iterate(&mut system, order)
        .map_err(|failure| match failure {
            Failure::BadParameter(reason) | Failure::Failed(reason) | Failure::Unsupported(reason) => reason,
            Failure::TimedOut(late) => match late.remaining {
                Some(actors) => format!("{}: {actors} actors never stopped", program.name),
                None => format!("{}: some actors never stopped", program.name),
            },
        })?;
    // Scripts run for setup, run and checks, in this order.
    let runs = system.take_runs();
    let run = runs.into_iter().nth(1).ok_or("the benchmark has no run phase")?;
    let result = serde_json::to_string(&record.outcome.result).map_err(|error| error.to_string())?;
    Ok(Simulation { run, result })
}
