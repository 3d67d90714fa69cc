//! The programs that can be simulated: benchmarks of the suite, whose own code runs, with annotations of what their
//! work costs.
//!
//! An annotation says what the handlers' code would cost on a real machine: computing and the lines of the actor's
//! own state that it touches. Sending, receiving, creating and moving messages between units are charged by the host
//! for everybody.

mod charges;
mod held_out;
mod matrix_search;

pub use held_out::HELD_OUT;

use serde::Serialize;
use serde_json::{Map, Value};
use suite::iteration::{Failure, Order};

use crate::host::{Annotation, Run, Settings};
use crate::library::{Simulated, System};
use crate::policies;

/// What the time of a program goes into, at the published sizes. Decided from its code, before anything was simulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nature {
    /// Messages and scheduling.
    Messages,
    /// Computing on little data.
    Computing,
    /// Work on the state of actors.
    State,
}

/// A program that can be simulated.
#[derive(Clone, Copy)]
pub struct Program {
    /// Name in the catalogue.
    pub name: &'static str,
    /// Where its code comes from, and what is different from the catalogue.
    pub about: &'static str,
    /// What its time goes into.
    pub nature: Nature,
    /// Parameters and, as JSON, the values that a simulation gives them by default.
    pub parameters: &'static [(&'static str, &'static str)],
    /// The parameter that becomes [`Settings::scale`].
    scale: Option<&'static str>,
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

/// All of them: the 23 benchmarks of the suite that Woelke measured, and Matrix Search.
pub const ALL: &[Program] = &[
    suite_program(
        "pingpong",
        Nature::Messages,
        &[("pings", "20000")],
        charges::PINGPONG,
    ),
    suite_program(
        "threadring",
        Nature::Messages,
        &[("actors", "100"), ("hops", "20000")],
        charges::THREADRING,
    ),
    suite_program(
        "count",
        Nature::Messages,
        &[("messages", "50000")],
        charges::COUNT,
    ),
    suite_program(
        "fjthrput",
        Nature::Messages,
        &[("messages", "300"), ("actors", "360")],
        charges::FJTHRPUT,
    ),
    suite_program(
        "fjcreate",
        Nature::Messages,
        &[("actors", "40000")],
        charges::FJCREATE,
    ),
    suite_program("fib", Nature::Messages, &[("index", "21")], charges::FIB),
    suite_program(
        "chameneos",
        Nature::Messages,
        &[("creatures", "400"), ("meetings", "40000")],
        charges::CHAMENEOS,
    ),
    suite_program(
        "big",
        Nature::Messages,
        &[("pings", "300"), ("actors", "360")],
        charges::BIG,
    ),
    suite_program(
        "concdict",
        Nature::Messages,
        &[
            ("workers", "100"),
            ("requests", "400"),
            ("write_pct", "10"),
            ("entries", "5000"),
        ],
        charges::CONCDICT,
    ),
    suite_program(
        "concsll",
        Nature::State,
        &[
            ("workers", "20"),
            ("requests", "400"),
            ("write_pct", "10"),
            ("size_pct", "1"),
        ],
        charges::CONCSLL,
    ),
    suite_program(
        "bndbuffer",
        Nature::Computing,
        &[
            ("buffer", "75"),
            ("producers", "60"),
            ("consumers", "60"),
            ("items", "150"),
            ("prod_cost", "0"),
            ("cons_cost", "0"),
        ],
        charges::BNDBUFFER,
    ),
    suite_program(
        "philosopher",
        Nature::Messages,
        &[("philosophers", "80"), ("rounds", "300")],
        charges::PHILOSOPHER,
    ),
    suite_program(
        "logmap",
        Nature::Messages,
        &[
            ("terms", "2500"),
            ("series", "10"),
            ("start_rate", "3.46"),
            ("increment", "0.0025"),
        ],
        charges::LOGMAP,
    ),
    suite_program(
        "banking",
        Nature::Messages,
        &[
            ("accounts", "500"),
            ("transactions", "25000"),
            ("initial_balance", "1000000"),
        ],
        charges::BANKING,
    ),
    suite_program(
        "apsp",
        Nature::State,
        &[("n", "60"), ("b", "10"), ("w", "300")],
        charges::APSP,
    ),
    suite_program(
        "nqueenk",
        Nature::Computing,
        &[
            ("w", "100"),
            ("n", "9"),
            ("t", "4"),
            ("k", "1500000"),
            ("p", "10"),
        ],
        charges::NQUEENK,
    ),
    suite_program(
        "recmatmul",
        Nature::Computing,
        &[("n", "128"), ("t", "64"), ("w", "40"), ("p", "10")],
        charges::RECMATMUL,
    ),
    Program {
        scale: Some("n"),
        ..suite_program(
            "quicksort",
            Nature::Computing,
            &[
                ("n", "100000"),
                ("m", "1152921504606846976"),
                ("t", "2048"),
                ("s", "1024"),
            ],
            charges::QUICKSORT,
        )
    },
    suite_program(
        "radixsort",
        Nature::Messages,
        &[("n", "1500"), ("m", "1152921504606846976"), ("s", "2048")],
        charges::RADIXSORT,
    ),
    suite_program(
        "bitonicsort",
        Nature::Messages,
        &[("n", "256"), ("m", "1152921504606846976"), ("s", "2048")],
        charges::BITONICSORT,
    ),
    suite_program(
        "sieve",
        Nature::Computing,
        &[("n", "20000"), ("m", "100")],
        charges::SIEVE,
    ),
    suite_program(
        "facloc",
        Nature::Messages,
        &[
            ("n", "10000"),
            ("g", "1000.0"),
            ("a", "0.1"),
            ("s", "123456"),
            ("dist", "\"savina\""),
        ],
        charges::FACLOC,
    ),
    suite_program(
        "trapezoid",
        Nature::Computing,
        &[("n", "4000"), ("w", "4000"), ("l", "1.0"), ("r", "5.0")],
        charges::TRAPEZOID,
    ),
    matrix_search::PROGRAM,
];

const fn suite_program(
    name: &'static str,
    nature: Nature,
    parameters: &'static [(&'static str, &'static str)],
    annotations: &'static [Annotation],
) -> Program {
    Program {
        name,
        about: "the suite's own code",
        nature,
        parameters,
        scale: None,
        annotations,
        run: run_of_the_suite,
    }
}

/// The program with this name.
///
/// # Errors
/// A text that names all programs.
pub fn find(name: &str) -> Result<&'static Program, String> {
    let all = || ALL.iter().chain(HELD_OUT);
    all().find(|program| program.name == name).ok_or_else(|| {
        let names: Vec<&str> = all().map(|program| program.name).collect();
        format!(
            "there is no program {name:?} to simulate; there are {}",
            names.join(", ")
        )
    })
}

/// The parameters of a program with their default sizes, which `given` replaces.
///
/// # Errors
/// If the program has no such parameter.
fn parameters(program: &Program, given: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut parameters: Map<String, Value> = program
        .parameters
        .iter()
        .map(|&(name, value)| {
            let value = serde_json::from_str(value).expect("defaults are JSON");
            (name.to_owned(), value)
        })
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
    Ok(parameters)
}

/// The sizes with which [`simulate`] would run a program: the default ones, which `given` replaces.
///
/// # Errors
/// If there is no such program, or it has no such parameter.
pub fn sizes(name: &str, given: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    parameters(find(name)?, given)
}

/// Whether [`simulate`] would know the program, its parameters, the policy and the number of workers, and the policy fits the machine.
///
/// # Errors
/// If it would not.
pub fn check(name: &str, settings: &Settings, given: &Map<String, Value>) -> Result<(), String> {
    parameters(find(name)?, given)?;
    policies::find(&settings.policy)?.rules.check(&settings.machine)?;
    settings.machine.units(settings.workers)?;
    Ok(())
}

/// Runs a program on a simulated machine. `given` replaces parameters' default sizes.
///
/// # Errors
/// If there is no such program or parameter, a value is out of range, or the program fails.
pub fn simulate(name: &str, settings: Settings, given: &Map<String, Value>) -> Result<Simulation, String> {
    let program = find(name)?;
    let parameters = parameters(program, given)?;
    let scale = program.scale.and_then(|name| parameters[name].as_u64());
    let settings = Settings {
        annotations: program.annotations,
        // A value that is no number is refused when the program runs.
        scale: scale.unwrap_or(1),
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
    let mut programs = suite::benchmarks::complete::<Simulated>();
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
    let result = serde_json::to_string(&record.outcome.result)
        .map_err(|_| format!("{}: its result is no finite number", program.name))?;
    Ok(Simulation { run, result })
}
