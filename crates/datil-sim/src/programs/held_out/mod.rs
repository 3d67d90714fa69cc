//! Programs that were written after rules of `adaptive-locality` were final, to try these on something unknown. After the rule for homes
//! came five of the suite that nobody had annotated before, and three that are made to be hard for a rule that decides by
//! type of actor. One of these, the stencil, led to another term of the rule; since then it is held out no longer,
//! and `tides` was written after that change. The rule for waking was made with all of these in sight.
//!
//! Five more were written after that rule was final, by somebody who looked neither at the rules nor at what comes of them.
//! They are of kinds that actor programs in practice are and the others here are not: `mapreduce`, `gossip`,
//! `lockstep`, `server` and `pipeline`. Each knows what its messages must add up to. That thieves ask neighbours was decided with these in
//! sight, too.
//!
//! Five more still were written after all rules were final, by somebody who had read neither the rules nor any results of
//! them, and who chose the sizes by runs of `cls-tp` alone: `publish`, `pregel`, `replicas`, `bound` and `exchange`. They, too,
//! are of kinds that are common in practice and that the others are not, and each knows what its messages must add up to.
//!
//! Three more were written after waking of neighbours was decided, by somebody who had read neither the rules nor any
//! results of them, and who chose the sizes by runs of `cls-tp` alone: `quorum`, `buildgraph` and `cachetier`. Of these
//! kinds, too, there are many in practice and were none here, and each knows what its messages must add up to.
//!
//! Three more were written after it was decided how often workers look for sleepers and how many activations are timed, by
//! somebody who had read neither the rules nor any results of them, and who chose the sizes by runs of `cls-tp` alone:
//! `saga`, `zones` and `crawler`. They, too, are of kinds that are common in practice and that the others are not, and each
//! knows what its messages must add up to.

mod bound;
mod buildgraph;
mod cachetier;
mod crawler;
mod exchange;
mod gossip;
mod lockstep;
mod mapreduce;
mod pipeline;
mod pregel;
mod publish;
mod quorum;
mod replicas;
mod saga;
mod server;
mod shards;
mod stencil;
mod tides;
mod two_faced;
mod zones;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datil_policy::Random;
use serde_json::{Map, Value};
use suite::library::{ActorLibrary, Script};

use super::charges::{actor, burst, coordinator, light, varied};
use super::{Nature, Program, Simulation, suite_program};
use crate::host::{Activity, Annotation, Settings};
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
    mapreduce::PROGRAM,
    gossip::PROGRAM,
    lockstep::PROGRAM,
    server::PROGRAM,
    pipeline::PROGRAM,
    publish::PROGRAM,
    pregel::PROGRAM,
    replicas::PROGRAM,
    bound::PROGRAM,
    exchange::PROGRAM,
    quorum::PROGRAM,
    buildgraph::PROGRAM,
    cachetier::PROGRAM,
    saga::PROGRAM,
    zones::PROGRAM,
    crawler::PROGRAM,
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
        Ok(Self {
            actors: number(program, parameters, "actors")? as usize,
            rounds: number(program, parameters, "rounds")?,
        })
    }
}

/// A parameter that says how many.
fn number(program: &Program, parameters: &Map<String, Value>, name: &str) -> Result<u64, String> {
    let value = &parameters[name];
    let number = value.as_u64().filter(|number| (1..=100_000).contains(number));
    number.ok_or_else(|| {
        format!(
            "{}: {name} is {value}; it must be between 1 and 100000",
            program.name
        )
    })
}

/// Stands for the outcome of a computation on `value`: the same for the same value.
fn mixed(value: u64) -> u64 {
    Random::new(value).next()
}

/// `least` to `most` cycles, by actor and message: work whose length depends on the data.
fn between(least: u64, most: u64, activity: &Activity) -> u64 {
    let seed = u64::from(activity.actor) << 32 | activity.ordinal;
    least + u64::from(Random::new(seed).below((most - least) as u32 + 1))
}

/// What a program's messages add up to, told by the actors that know.
#[derive(Clone, Default)]
struct Sum(Arc<AtomicU64>);

impl Sum {
    fn add(&self, share: u64) {
        self.0.fetch_add(share, Ordering::Relaxed);
    }

    /// As [`play`], of a script whose actors must tell `expected` in all.
    fn play(
        &self,
        program: &Program,
        settings: Settings,
        script: impl Script<Simulated>,
        (actors, expected): (usize, u64),
    ) -> Result<Simulation, String> {
        let simulation = play(program, settings, script, actors)?;
        let sum = self.0.load(Ordering::Relaxed);
        if sum != expected {
            return Err(format!("{}: the sum is {sum}, not {expected}", program.name));
        }
        Ok(Simulation {
            result: format!("{}, sum {sum}", simulation.result),
            ..simulation
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
