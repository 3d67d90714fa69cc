//! What is asked of `adaptive-locality`, checked by simulation: that it gains where state is large without hints, loses
//! nothing where messages are all, under conditions that differ from the machine on which it was made, and on programs
//! that were written after it.
//!
//! Runs charge for what policies learn and show them stale information and clocks that are off by up to 20 %, as every run of
//! the simulator does.

mod limits;

use serde::Serialize;

use crate::laboratory::{Cell, Conditions, Laboratory};
pub use crate::laboratory::{Outcome, Ratio};
use crate::programs::{self, Nature, Program};
use crate::progress::Watch;
pub use limits::{Check, Part, limits};

/// The policy in question.
pub const RULE: &str = "adaptive-locality";
/// What it is compared with: bound threads and nothing else.
pub const BASELINE: &str = "cls-tp";
/// Policies that neither measure nor get hints; the best of them is the one to beat. `cls` differs from `cls-tp` only with the
/// operating system's terms.
pub const FIXED: [&str; 13] = [
    "cls-tp",
    "lgs",
    "lgs-co",
    "lgs-scan",
    "lgs-woken",
    "cls-wake",
    "cls-wake-long",
    "lgs-wake",
    "lgs-wake-half",
    "lgs-wake-node",
    "pony",
    "go-like",
    "tokio-like",
];
/// The rules with a term less each, without homes, without regard to thefts, and controls that do not weigh anything.
pub const ABLATED: [&str; 16] = [
    "adaptive-waking",
    "adaptive-locality-polling",
    "adaptive-locality-no-waking",
    "adaptive-locality-no-calls",
    "adaptive-locality-no-patience",
    "adaptive-locality-no-pauses",
    "adaptive-locality-no-nearness",
    "cls-tp-near",
    "adaptive-locality-no-calm",
    "adaptive-locality-no-order",
    "adaptive-locality-no-certainty",
    "adaptive-locality-no-guard",
    "adaptive-locality-no-resigning",
    "adaptive-locality-no-second-look",
    "pin-all",
    "pin-long",
];
/// The control that pins nothing and wakes nobody is `cls-tp-near`: a test holds that the rule without regard to thefts is the same run where nothing
/// is pinned, but for the cost of timing.
const WORKERS: [usize; 3] = [16, 32, 64];

/// Conditions with their names.
const CONDITIONS: [(&str, Conditions); 9] = [
    ("as it is", Conditions::USUAL),
    (
        "hops half as long",
        Conditions {
            hops: 50,
            ..Conditions::USUAL
        },
    ),
    (
        "hops twice as long",
        Conditions {
            hops: 200,
            ..Conditions::USUAL
        },
    ),
    (
        "1 node",
        Conditions {
            nodes: 1,
            ..Conditions::USUAL
        },
    ),
    (
        "2 nodes",
        Conditions {
            nodes: 2,
            ..Conditions::USUAL
        },
    ),
    (
        "16 nodes",
        Conditions {
            nodes: 16,
            ..Conditions::USUAL
        },
    ),
    (
        "nothing stale",
        Conditions {
            staleness: 0,
            ..Conditions::USUAL
        },
    ),
    (
        "stale by 20 µs",
        Conditions {
            staleness: 20_000,
            ..Conditions::USUAL
        },
    ),
    (
        "stale by 1 ms",
        Conditions {
            staleness: 1_000_000,
            ..Conditions::USUAL
        },
    ),
];

/// The cell that is worst for sure.
fn worst(cells: Vec<(String, Ratio)>) -> (String, Ratio) {
    let worst = cells
        .into_iter()
        .max_by(|(_, a), (_, b)| a.surely().total_cmp(&b.surely()));
    worst.expect("there are some")
}

/// A program under some policies, each by [`BASELINE`].
#[derive(Clone, Debug, Serialize)]
pub struct ProgramRow {
    /// The program.
    pub program: String,
    /// What its time goes into.
    pub nature: Nature,
    /// Whether it was written after the rule was final.
    pub held_out: bool,
    /// Number of workers.
    pub workers: usize,
    /// Policies with their ratios.
    pub ratios: Vec<(&'static str, Ratio)>,
}

/// What comes out at 64 workers under changed conditions.
#[derive(Clone, Debug, Serialize)]
pub struct ConditionRow {
    /// What is different.
    pub condition: &'static str,
    /// Matrix Search, continuous, by `cls-tp`.
    pub continuous: Ratio,
    /// Matrix Search, block-wise, by `cls-tp`.
    pub blockwise: Ratio,
    /// Matrix Search, continuous, with the operating system's terms, by `cls`.
    pub with_os: Ratio,
    /// The program of [`Nature::Messages`] that is worst for sure by `cls-tp`.
    pub messages: (String, Ratio),
    /// Geometric mean over all programs by `cls-tp`, those held out left aside.
    pub geomean: Ratio,
}

/// All tables.
#[derive(Clone, Debug, Serialize)]
pub struct Acceptance {
    /// Always true: nothing here was measured.
    pub simulated: bool,
    /// Runs per cell of the tables; cells that are held against a limit have [`SURE`] times as many.
    pub seeds: u64,
    /// What is asked, and whether it holds.
    pub checks: Vec<Check>,
    /// Geometric means over all programs at 64 workers by `cls-tp`, those held out left aside.
    pub geomeans: Vec<(&'static str, Ratio)>,
    /// Program by program.
    pub programs: Vec<ProgramRow>,
    /// Under changed conditions.
    pub conditions: Vec<ConditionRow>,
}

/// Cells that are held against a limit have so many times more seeds than others: in most programs that mostly send, the
/// slightest change of time gives another order of events, and makespans that differ by some hundredths.
pub const SURE: u64 = 4;

/// A program, or Matrix Search in its other form.
#[derive(Clone, Copy)]
struct Subject {
    program: &'static Program,
    blockwise: bool,
    held_out: bool,
}

impl Subject {
    fn name(self) -> String {
        let suffix = if self.blockwise { ", block-wise" } else { "" };
        format!("{}{suffix}", self.program.name)
    }

    fn cell(self, policy: &'static str, workers: usize) -> Cell {
        Cell {
            blockwise: self.blockwise,
            ..Cell::new(self.program.name, policy, workers)
        }
    }

    /// At 64 workers.
    fn under(self, conditions: Conditions, policy: &'static str) -> Cell {
        Cell {
            conditions,
            ..self.cell(policy, 64)
        }
    }
}

const MATRIX: &str = "matrixsearch";

fn subjects() -> Vec<Subject> {
    let subject = |program, held_out| Subject {
        program,
        blockwise: false,
        held_out,
    };
    let modelled = programs::ALL.iter().map(|program| subject(program, false));
    let blockwise = programs::ALL
        .iter()
        .filter(|program| program.name == MATRIX)
        .map(|program| Subject {
            blockwise: true,
            ..subject(program, false)
        });
    let held_out = programs::HELD_OUT.iter().map(|program| subject(program, true));
    modelled.chain(blockwise).chain(held_out).collect()
}

/// Those on which the rule was made.
fn modelled() -> Vec<Subject> {
    let subjects = subjects().into_iter();
    subjects.filter(|subject| !subject.held_out).collect()
}

/// All policies of the tables at 64 workers.
fn policies() -> impl Iterator<Item = &'static str> {
    [RULE].into_iter().chain(ABLATED).chain(FIXED)
}

/// What the tables show, with so many seeds.
fn cells(subjects: &[Subject], seeds: u64) -> Vec<(Cell, u64)> {
    let mut cells = Vec::new();
    let sure = seeds * SURE;
    for subject in subjects {
        // Terms are weighed against the rule on the same seeds.
        let of = |policy| if ABLATED.contains(&policy) { sure } else { seeds };
        cells.extend(policies().map(|policy| (subject.cell(policy, 64), of(policy))));
        for workers in WORKERS {
            cells.extend([RULE, BASELINE].map(|policy| (subject.cell(policy, workers), sure)));
        }
        if subject.held_out {
            continue;
        }
        for (_, conditions) in CONDITIONS {
            let asked = sends(subject) || subject.program.name == MATRIX;
            let seeds = if asked { sure } else { seeds };
            cells.extend([RULE, BASELINE].map(|policy| (subject.under(conditions, policy), seeds)));
        }
    }
    for (_, conditions) in CONDITIONS {
        let matrix = |policy| Cell {
            conditions,
            ..with_os(Cell::new(MATRIX, policy, 64))
        };
        cells.extend([RULE, "cls"].map(|policy| (matrix(policy), sure)));
    }
    cells
}

fn with_os(cell: Cell) -> Cell {
    Cell { os: true, ..cell }
}

/// Simulates all of it with so many seeds per cell, at least 1, and [`SURE`] times as many where a limit is asked for. It
/// takes tens of minutes, which is why somebody may watch.
///
/// # Errors
/// If a simulation fails.
pub fn accept(seeds: u64, watch: Watch) -> Result<Acceptance, String> {
    let subjects = subjects();
    let seeds = seeds.max(1);
    let mut laboratory = Laboratory::with(cells(&subjects, seeds), watch)?;
    let mut checks = Vec::new();
    for part in Part::ALL {
        checks.extend(part.checks(&mut laboratory, seeds)?);
    }
    let modelled = modelled();
    let by_baseline = |policy| geomean(&laboratory, &modelled, policy, BASELINE, Conditions::USUAL);
    Ok(Acceptance {
        simulated: true,
        seeds,
        checks,
        programs: program_rows(&laboratory, &subjects),
        conditions: CONDITIONS
            .iter()
            .map(|&(name, conditions)| condition_row(&laboratory, &modelled, name, conditions))
            .collect(),
        geomeans: policies().map(|policy| (policy, by_baseline(policy))).collect(),
    })
}

/// Geometric mean over programs of one policy's makespans by another's.
fn geomean(
    laboratory: &Laboratory,
    subjects: &[Subject],
    one: &'static str,
    other: &'static str,
    conditions: Conditions,
) -> Ratio {
    let ratio = |subject: &Subject| {
        let [one, other] = [one, other].map(|policy| subject.under(conditions, policy));
        laboratory.ratio(one, other)
    };
    Ratio::geometric_mean(&subjects.iter().map(ratio).collect::<Vec<_>>())
}

fn program_rows(laboratory: &Laboratory, subjects: &[Subject]) -> Vec<ProgramRow> {
    let row = |subject: &Subject, workers: usize| ProgramRow {
        program: subject.name(),
        nature: subject.program.nature,
        held_out: subject.held_out,
        workers,
        ratios: policies()
            .filter(|policy| *policy != BASELINE && (workers == 64 || *policy == RULE))
            .map(|policy| {
                let [one, other] = [policy, BASELINE].map(|policy| subject.cell(policy, workers));
                (policy, laboratory.ratio(one, other))
            })
            .collect(),
    };
    subjects
        .iter()
        .flat_map(|subject| WORKERS.map(|workers| row(subject, workers)))
        .collect()
}

fn condition_row(
    laboratory: &Laboratory,
    modelled: &[Subject],
    condition: &'static str,
    conditions: Conditions,
) -> ConditionRow {
    let matrix = |policy, blockwise| Cell {
        conditions,
        blockwise,
        ..Cell::new(MATRIX, policy, 64)
    };
    let against = |subject: &Subject| {
        let [one, other] = [RULE, BASELINE].map(|policy| subject.under(conditions, policy));
        (subject.program.name.to_owned(), laboratory.ratio(one, other))
    };
    let by_baseline = |blockwise| laboratory.ratio(matrix(RULE, blockwise), matrix(BASELINE, blockwise));
    let moved = |policy| with_os(matrix(policy, false));
    ConditionRow {
        condition,
        continuous: by_baseline(false),
        blockwise: by_baseline(true),
        with_os: laboratory.ratio(moved(RULE), moved("cls")),
        messages: worst(
            modelled
                .iter()
                .filter(|subject| sends(subject))
                .map(against)
                .collect(),
        ),
        geomean: geomean(laboratory, modelled, RULE, BASELINE, conditions),
    }
}

fn sends(subject: &Subject) -> bool {
    subject.program.nature == Nature::Messages
}
