//! Programs that were written after the rules of `adaptive-locality` were final, to try these on something unknown:
//! five of the suite that nobody had annotated before, and three that are made to be hard for a rule that decides by
//! type of actor. One of these, the stencil, led to another term of the rule; since then it is held out no longer,
//! and `tides` was written after that change.

mod shards;
mod stencil;
mod tides;
mod two_faced;

use serde_json::{Map, Value};
use suite::library::{ActorLibrary, Script};

use super::charges::{actor, burst, coordinator, light, varied};
use super::{Nature, Program, Simulation, suite_program};
use crate::host::{Annotation, Settings};
use crate::library::{Simulated, System};
use crate::machine::Charge;

/// See the module.
pub const HELD_OUT: &[Program] = &[
    suite_program(
        "barber",
        Nature::Computing,
        &[
            ("haircuts", "100"),
            ("chairs", "20"),
            ("arrival_work", "1000"),
            ("haircut_work", "1000"),
        ],
        BARBER,
    ),
    suite_program(
        "cigsmok",
        Nature::Computing,
        &[("rounds", "5000"), ("smokers", "200")],
        CIGSMOK,
    ),
    suite_program(
        "filterbank",
        Nature::Messages,
        &[("sim", "1024"), ("col", "64"), ("chan", "8")],
        FILTERBANK,
    ),
    suite_program(
        "sor",
        Nature::Messages,
        &[
            ("size", "20"),
            ("it", "20"),
            ("omega", "1.25"),
            ("seed", "10101010"),
        ],
        SOR,
    ),
    suite_program(
        "uct",
        Nature::Computing,
        &[
            ("nodes", "20000"),
            ("avg", "500"),
            ("stdev", "100"),
            ("binomial", "10"),
            ("urgent", "50"),
            ("unit", "1"),
            ("seed", "2"),
        ],
        UCT,
    ),
    stencil::PROGRAM,
    shards::PROGRAM,
    two_faced::PROGRAM,
    tides::PROGRAM,
];

/// A step of busy work is a random number: a multiplication and an addition.
const STEP: u64 = 8;

const BARBER: &[Annotation] = &[
    // Up to 1,000 steps per haircut; what else it gets is light.
    actor("barber::Chair", |activity| match activity.sends {
        3 => Charge::compute(varied(500 * STEP, activity)).touching(1),
        _ => light(activity),
    }),
    coordinator("barber::Room", light),
    // Its start makes all customers, with as many steps after each.
    actor("barber::Factory", |activity| {
        Charge::compute(60 + 500 * STEP * activity.spawns as u64).touching(1)
    }),
    actor("barber::Customer", light),
];

const CIGSMOK: &[Annotation] = &[
    coordinator("cigsmok::Arbiter", burst),
    actor("cigsmok::Smoker", |activity| {
        Charge::compute(varied(500 * STEP, activity)).touching(1)
    }),
];

/// Stages of three kinds have one type: a delay, a filter of 64 products, a sampler. On average some 40 operations.
const FILTERBANK: &[Annotation] = &[
    actor("filterbank::Producer", light),
    actor("filterbank::Source", light),
    actor("filterbank::Branches", burst),
    Annotation {
        state: |_| 64 * 8 * 2,
        ..actor("filterbank::Stage", |_| Charge::compute(90).touching(4))
    },
    coordinator("filterbank::Integrator", light),
    actor("filterbank::Combiner", |_| Charge::compute(80).touching(1)),
    actor("filterbank::Sink", light),
];

const SOR: &[Annotation] = &[
    coordinator("sor::Half", burst),
    actor("sor::Cell", |_| Charge::compute(90).touching(2)),
];

/// A node works when it is asked to generate children: some thousand steps each, and more for urgent ones.
const UCT: &[Annotation] = &[
    coordinator("uct::Root", burst),
    actor("uct::Node", |activity| match activity.spawns {
        0 => Charge::compute(200).touching(1),
        children => Charge::compute(children as u64 * varied(2_000, activity)).touching(2),
    }),
];

/// Address of an actor of a program of its own.
type To<A> = <Simulated as ActorLibrary>::Address<A>;

/// The programs' parameters: how many actors of the main kind, and how many rounds.
struct Sizes {
    actors: usize,
    rounds: u64,
}

impl Sizes {
    const DEFAULT: &'static [(&'static str, &'static str)] = &[("actors", "192"), ("rounds", "30")];

    fn of(program: &Program, parameters: &Map<String, Value>) -> Result<Self, String> {
        let number = |name: &str| {
            let value = &parameters[name];
            let number = value.as_u64().filter(|number| (1..=100_000).contains(number));
            number.ok_or_else(|| {
                format!(
                    "{}: {name} is {value}; it must be between 1 and 100000",
                    program.name
                )
            })
        };
        Ok(Self {
            actors: number("actors")? as usize,
            rounds: number("rounds")?,
        })
    }
}

/// Plays a script of so many actors, all of which must stop.
fn play(
    program: &Program,
    settings: Settings,
    script: impl Script<Simulated>,
    actors: usize,
) -> Result<Simulation, String> {
    let (run, stopped) = System::new(settings)?.play(script)?;
    if stopped != actors as u64 {
        return Err(format!("{}: {stopped} of {actors} actors stopped", program.name));
    }
    Ok(Simulation {
        run,
        result: format!("{actors} actors"),
    })
}
