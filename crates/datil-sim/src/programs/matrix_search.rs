//! Matrix Search as the locality thesis ran it (Woelke 2018, section 6.2.2): controllers hand out jobs, seekers
//! search matrices that exceed every cache.
//!
//! This is a program of its own and not the suite's, for one reason: the thesis creates all actors from outside, in
//! turn on all workers, while the suite's controllers create their seekers. To locality-guided scheduling that makes
//! all the difference, because actors that are created by one actor get their homes on one node. Seekers hold no
//! matrices here; the annotation charges for them.

use datil_policy::{Random, Role};
use serde_json::{Map, Value};
use suite::library::{Actor, ActorLibrary, Context, Driver, Script};

use super::{Nature, Program, Simulation};
use crate::host::{Activity, Annotation, Settings};
use crate::library::{Simulated, System};
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "matrixsearch",
    about: "a program of its own: all actors are created from outside, as in the thesis",
    parameters: &[
        ("controllers", "1"),
        ("seekers", "225"),
        ("size", "3500"),
        ("jobs", "100"),
        ("blockwise", "0"),
    ],
    nature: Nature::State,
    scale: Some("size"),
    annotations: ANNOTATIONS,
    run,
};

/// How a controller hands out jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Assign {
    /// A seeker gets its next job when it has reported.
    Continuous,
    /// All seekers get their next job when all have reported.
    Blockwise,
}

/// A column-wise search reaches every line of the matrix once per byte, almost always in a near cache. What a line
/// costs in all is fitted to the length of a job (60 ms on the thesis' machine at home, which follows from its steal
/// attempts), and the share of latency that is exposed to "interleaved is 3 % slower than local" at 4 workers.
const CYCLES_PER_LINE: u64 = 700;
const EXPOSED: f64 = 0.196;
/// Per report, at the controller: making a word, bookkeeping. Fitted to the rise of remote accesses with CLS-TP.
const CONTROLLER: u64 = 46_000;
/// Filling a line of the matrix with random characters, its share of a page fault included. Assumed.
const FILL: u64 = 220;

fn lines(size: u64) -> u64 {
    (size * size).div_ceil(64)
}

const ANNOTATIONS: &[Annotation] = &[
    Annotation {
        kind: "matrix_search::Controller",
        role: Role::Coordinator,
        state: |_| 16 << 10,
        charge: |activity| Charge::compute(CONTROLLER * activity.sends as u64).touching(4),
        carries: |_| 0,
    },
    Annotation {
        kind: "matrix_search::Seeker",
        role: Role::Data,
        state: |size| size * size,
        charge: seek,
        carries: |_| 0,
    },
];

fn seek(activity: &Activity) -> Charge {
    let lines = lines(activity.scale);
    match (activity.ordinal, activity.sends) {
        (0, _) => Charge::compute(lines * FILL),
        // Told to stop.
        (_, 0) => Charge::default(),
        _ => Charge::compute(vary(lines * CYCLES_PER_LINE, activity))
            .touching(lines)
            .exposing(EXPOSED),
    }
}

/// A tenth more or less: words differ in how long they match. Assumed. If all jobs were equally long, all workers
/// would report at the same time again and again, which no real machine does.
fn vary(cycles: u64, activity: &Activity) -> u64 {
    let seed = u64::from(activity.actor) << 32 | activity.ordinal;
    let share = u64::from(Random::new(seed).below(2001));
    cycles * (9000 + share) / 10_000
}

type To<A> = <Simulated as ActorLibrary>::Address<A>;

struct MatrixSearch {
    controllers: u64,
    seekers: u64,
    jobs: u64,
    assign: Assign,
}

impl Script<Simulated> for MatrixSearch {
    /// The first jobs come from the driver, so that every seeker does its first one where it was placed, as the
    /// thesis describes.
    fn run(self, driver: &mut impl Driver<Simulated>) {
        for _ in 0..self.controllers {
            let controller = driver.spawn(Controller {
                reported: Vec::new(),
                jobs_left: vec![self.jobs - 1; self.seekers as usize],
                assign: self.assign,
                busy: self.seekers,
            });
            for number in 0..self.seekers as usize {
                let seeker = driver.spawn(Seeker);
                driver.tell(&seeker, ToSeeker::Job(number, controller.clone()));
            }
        }
    }
}

struct Controller {
    /// Seekers that have reported in this round.
    reported: Vec<(usize, To<Seeker>)>,
    jobs_left: Vec<u64>,
    assign: Assign,
    /// Seekers that have not been told to stop.
    busy: u64,
}

/// A seeker has searched: its number and address.
struct Found(usize, To<Seeker>);

impl Controller {
    fn assign(&mut self, number: usize, seeker: &To<Seeker>, cx: &mut impl Context<Simulated, Self>) {
        let message = match self.jobs_left[number] {
            0 => {
                self.busy -= 1;
                ToSeeker::Stop
            }
            _ => {
                self.jobs_left[number] -= 1;
                ToSeeker::Job(number, cx.myself())
            }
        };
        cx.tell(seeker, message);
        if self.busy == 0 {
            cx.stop();
        }
    }
}

impl Actor<Simulated> for Controller {
    type Message = Found;

    fn handle(&mut self, Found(number, seeker): Found, cx: &mut impl Context<Simulated, Self>) {
        match self.assign {
            Assign::Continuous => self.assign(number, &seeker, cx),
            Assign::Blockwise => {
                self.reported.push((number, seeker));
                if self.reported.len() == self.jobs_left.len() {
                    let round = std::mem::take(&mut self.reported);
                    for (number, seeker) in &round {
                        self.assign(*number, seeker, cx);
                    }
                }
            }
        }
    }
}

struct Seeker;

enum ToSeeker {
    Job(usize, To<Controller>),
    Stop,
}

impl Actor<Simulated> for Seeker {
    type Message = ToSeeker;

    fn handle(&mut self, message: ToSeeker, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToSeeker::Job(number, controller) => cx.tell(&controller, Found(number, cx.myself())),
            ToSeeker::Stop => cx.stop(),
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let number = |name: &str, most: u64| {
        let value = &parameters[name];
        let least = u64::from(name != "blockwise");
        value
            .as_u64()
            .filter(|value| (least..=most).contains(value))
            .ok_or_else(|| {
                format!(
                    "{}: {name} is {value}; it must be between {least} and {most}",
                    program.name
                )
            })
    };
    let search = MatrixSearch {
        controllers: number("controllers", 1000)?,
        seekers: number("seekers", 100_000)?,
        jobs: number("jobs", 1_000_000)?,
        assign: match number("blockwise", 1)? {
            0 => Assign::Continuous,
            _ => Assign::Blockwise,
        },
    };
    number("size", 100_000)?;
    let seekers = search.controllers * search.seekers;
    let (actors, jobs) = (search.controllers + seekers, seekers * search.jobs);
    let (run, stopped) = System::new(settings)?.play(search)?;
    if stopped != actors {
        return Err(format!("{}: {stopped} of {actors} actors stopped", program.name));
    }
    Ok(Simulation {
        run,
        result: format!("{jobs} jobs"),
    })
}
