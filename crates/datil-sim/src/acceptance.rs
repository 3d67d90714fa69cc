//! What is asked of `adaptive-locality`, checked by simulation: that it gains where state is large without hints, loses
//! nothing where messages are all, under conditions that differ from the machine on which it was made, and on programs
//! that were written after it.
//!
//! Runs charge for timing and show policies stale information and clocks that are off by up to 20 %, as every run of
//! the simulator does.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::laboratory::{Cell, Conditions, Laboratory};
use crate::programs::{self, Nature, Program};

/// The policy in question.
pub const RULE: &str = "adaptive-locality";
/// What it is compared with: bound threads and nothing else.
pub const BASELINE: &str = "cls-tp";
/// The rule with workers that are woken instead of polling, and what that one is compared with.
pub const WOKEN_RULE: &str = "adaptive-locality-wake";
/// See [`WOKEN_RULE`].
pub const WOKEN_BASELINE: &str = "cls-wake";
/// Policies that neither measure nor get hints and whose idle workers poll; the best of them is the one to beat. `cls`
/// differs from `cls-tp` only with the operating system's terms.
pub const POLLING: [&str; 3] = ["cls-tp", "lgs", "lgs-co"];
/// Those whose idle workers are woken.
pub const WOKEN: [&str; 6] = [
    "cls-wake",
    "lgs-wake",
    "lgs-wake-node",
    "pony",
    "go-like",
    "tokio-like",
];
/// The rule with a term less each, and controls that do not weigh anything.
pub const ABLATED: [&str; 5] = [
    "adaptive-locality-no-order",
    "adaptive-locality-no-certainty",
    "adaptive-locality-no-guard",
    "pin-all",
    "pin-long",
];
/// The control that pins nothing is [`BASELINE`]: a test holds that they are the same run but for the cost of timing.
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
        "stale by 20 us",
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

/// A number that must not exceed a limit.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What is asked.
    pub statement: String,
    /// The limit.
    pub limit: f64,
    /// The worst value that was seen.
    pub worst: f64,
    /// Where it was seen.
    pub at: String,
    /// Whether the limit is kept.
    pub holds: bool,
}

/// Makespans of one policy by those of another: of the means over the seeds, and the range seed by seed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ratio {
    /// Of the means.
    pub mean: f64,
    /// The smallest of one seed.
    pub least: f64,
    /// The largest.
    pub most: f64,
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
    pub continuous: f64,
    /// Matrix Search, block-wise, by `cls-tp`.
    pub blockwise: f64,
    /// Matrix Search, continuous, with the operating system's terms, by `cls`.
    pub with_os: f64,
    /// The worst program of [`Nature::Messages`] by `cls-tp`, and its ratio.
    pub messages: (&'static str, f64),
    /// Geometric mean over all programs by `cls-tp`, those held out left aside.
    pub geomean: f64,
}

/// All tables.
#[derive(Clone, Debug, Serialize)]
pub struct Acceptance {
    /// Always true: nothing here was measured.
    pub simulated: bool,
    /// Runs per cell.
    pub seeds: u64,
    /// What is asked, and whether it holds.
    pub checks: Vec<Check>,
    /// Geometric means over all programs at 64 workers by `cls-tp`, those held out left aside.
    pub geomeans: Vec<(&'static str, f64)>,
    /// Program by program.
    pub programs: Vec<ProgramRow>,
    /// Under changed conditions.
    pub conditions: Vec<ConditionRow>,
    /// Programs, with workers, that no check of single programs regards: with one seed and another the baseline itself
    /// differs by more than [`CHAOTIC`].
    pub chaotic: Vec<String>,
}

/// From the fastest to the slowest seed, by the mean.
pub const CHAOTIC: f64 = 0.10;

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

/// All policies of the tables at 64 workers.
fn policies() -> impl Iterator<Item = &'static str> {
    [RULE, WOKEN_RULE]
        .into_iter()
        .chain(ABLATED)
        .chain(POLLING)
        .chain(WOKEN)
}

fn cells(subjects: &[Subject]) -> BTreeSet<Cell> {
    let mut cells = BTreeSet::new();
    for subject in subjects {
        cells.extend(policies().map(|policy| subject.cell(policy, 64)));
        for workers in WORKERS {
            cells.extend([RULE, BASELINE].map(|policy| subject.cell(policy, workers)));
        }
        if subject.held_out {
            continue;
        }
        for (_, conditions) in CONDITIONS {
            cells.extend([RULE, BASELINE].map(|policy| Cell {
                conditions,
                ..subject.cell(policy, 64)
            }));
        }
        cells.extend([RULE, BASELINE, "cls"].map(|policy| with_os(subject.cell(policy, 64))));
    }
    for (_, conditions) in CONDITIONS {
        cells.extend([RULE, "cls"].map(|policy| Cell {
            conditions,
            ..with_os(Cell::new(MATRIX, policy, 64))
        }));
    }
    cells
}

fn with_os(cell: Cell) -> Cell {
    Cell { os: true, ..cell }
}

/// Simulates all of it with so many seeds per cell, at least 1.
///
/// # Errors
/// If a simulation fails.
pub fn accept(seeds: u64) -> Result<Acceptance, String> {
    let subjects = subjects();
    let laboratory = Laboratory::new(&cells(&subjects), seeds.max(1))?;
    let modelled: Vec<Subject> = subjects
        .iter()
        .copied()
        .filter(|subject| !subject.held_out)
        .collect();
    let geomeans: Vec<(&'static str, f64)> = policies()
        .map(|policy| (policy, geomean(&laboratory, &modelled, policy, Conditions::USUAL)))
        .collect();
    Ok(Acceptance {
        simulated: true,
        seeds: seeds.max(1),
        checks: checks(&laboratory, &subjects, &geomeans),
        programs: program_rows(&laboratory, &subjects),
        conditions: CONDITIONS
            .iter()
            .map(|&(name, conditions)| condition_row(&laboratory, &modelled, name, conditions))
            .collect(),
        chaotic: chaotic(&laboratory, &subjects),
        geomeans,
    })
}

/// From the fastest to the slowest seed, by the mean.
fn spread(laboratory: &Laboratory, cell: Cell) -> f64 {
    let times = || laboratory.runs(cell).iter().map(|run| run.makespan as f64);
    (times().fold(0.0, f64::max) - times().fold(f64::MAX, f64::min)) / laboratory.makespan(cell)
}

fn chaotic(laboratory: &Laboratory, subjects: &[Subject]) -> Vec<String> {
    subjects
        .iter()
        .flat_map(|subject| WORKERS.map(|workers| (subject, workers)))
        .filter(|(subject, workers)| spread(laboratory, subject.cell(BASELINE, *workers)) > CHAOTIC)
        .map(|(subject, workers)| format!("{} on {workers}", subject.name()))
        .collect()
}

fn geomean(
    laboratory: &Laboratory,
    subjects: &[Subject],
    policy: &'static str,
    conditions: Conditions,
) -> f64 {
    let at = |subject: &Subject, policy| Cell {
        conditions,
        ..subject.cell(policy, 64)
    };
    let logarithm = |subject: &Subject| laboratory.ratio(at(subject, policy), at(subject, BASELINE)).ln();
    (subjects.iter().map(logarithm).sum::<f64>() / subjects.len() as f64).exp()
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
                (policy, ratio(laboratory, one, other))
            })
            .collect(),
    };
    subjects
        .iter()
        .flat_map(|subject| WORKERS.map(|workers| row(subject, workers)))
        .collect()
}

fn ratio(laboratory: &Laboratory, one: Cell, other: Cell) -> Ratio {
    let pairs = laboratory.runs(one).iter().zip(laboratory.runs(other));
    let each: Vec<f64> = pairs
        .map(|(one, other)| one.makespan as f64 / other.makespan.max(1) as f64)
        .collect();
    Ratio {
        mean: laboratory.ratio(one, other),
        least: each.iter().copied().fold(f64::MAX, f64::min),
        most: each.iter().copied().fold(0.0, f64::max),
    }
}

fn condition_row(
    laboratory: &Laboratory,
    modelled: &[Subject],
    condition: &'static str,
    conditions: Conditions,
) -> ConditionRow {
    let cell = |policy, blockwise| Cell {
        conditions,
        blockwise,
        ..Cell::new(MATRIX, policy, 64)
    };
    let against = |cell: &dyn Fn(&'static str) -> Cell, other| laboratory.ratio(cell(RULE), cell(other));
    let messages = modelled
        .iter()
        .filter(|subject| subject.program.nature == Nature::Messages)
        .filter(|subject| {
            let baseline = subject.cell(BASELINE, 64);
            spread(
                laboratory,
                Cell {
                    conditions,
                    ..baseline
                },
            ) <= CHAOTIC
        })
        .map(|subject| {
            let at = |policy| Cell {
                conditions,
                ..subject.cell(policy, 64)
            };
            (subject.program.name, against(&at, BASELINE))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .expect("there are such programs");
    ConditionRow {
        condition,
        continuous: against(&|policy| cell(policy, false), BASELINE),
        blockwise: against(&|policy| cell(policy, true), BASELINE),
        with_os: against(&|policy| with_os(cell(policy, false)), "cls"),
        messages,
        geomean: geomean(laboratory, modelled, RULE, conditions),
    }
}

fn checks(laboratory: &Laboratory, subjects: &[Subject], geomeans: &[(&'static str, f64)]) -> Vec<Check> {
    let usual = condition_row(
        laboratory,
        &subjects
            .iter()
            .copied()
            .filter(|subject| !subject.held_out)
            .collect::<Vec<_>>(),
        "as it is",
        Conditions::USUAL,
    );
    let check = |statement: &str, limit: f64, worst: f64, at: String| Check {
        statement: statement.to_owned(),
        limit,
        worst,
        at,
        holds: worst <= limit,
    };
    let at_64 = || "64 workers".to_owned();
    let (program, workers, worst) = worst_of(laboratory, subjects, |subject| {
        !subject.held_out && subject.program.nature == Nature::Messages
    });
    let (late, late_workers, late_worst) = worst_of(laboratory, subjects, |subject| subject.held_out);
    let (moved, moved_worst) = worst_with_os(laboratory, subjects);
    let mean = |name: &str| {
        let found = geomeans.iter().find(|(policy, _)| *policy == name);
        found.expect("it is there").1
    };
    let best = |names: &[&'static str]| {
        let means = names.iter().map(|name| (*name, mean(name)));
        means.min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are some")
    };
    let ((polling, polling_mean), (woken, woken_mean)) = (best(&POLLING), best(&WOKEN));
    vec![
        check(
            "Matrix Search, continuous, by cls-tp",
            0.90,
            usual.continuous,
            at_64(),
        ),
        check(
            "Matrix Search, block-wise, by cls-tp",
            0.40,
            usual.blockwise,
            at_64(),
        ),
        check(
            "Matrix Search, continuous, with the operating system's terms, by cls",
            0.56,
            usual.with_os,
            at_64(),
        ),
        check(
            "every program that mostly sends, by cls-tp",
            1.03,
            worst,
            format!("{program}, {workers} workers"),
        ),
        check(
            "every program that mostly sends, with the operating system's terms, by the better of cls and cls-tp",
            1.03,
            moved_worst,
            format!("{moved}, 64 workers"),
        ),
        check(
            "geometric mean over all programs, by that of the best fixed policy that polls",
            0.98,
            mean(RULE) / polling_mean,
            format!("{polling}, 64 workers"),
        ),
        check(
            "geometric mean of adaptive-locality-wake, by that of the best fixed policy that is woken",
            0.98,
            mean(WOKEN_RULE) / woken_mean,
            format!("{woken}, 64 workers"),
        ),
        check(
            "every program held out, by cls-tp",
            1.03,
            late_worst,
            format!("{late}, {late_workers} workers"),
        ),
    ]
}

/// The program, among some, on which the rule is worst by the baseline, with its number of workers.
fn worst_of(
    laboratory: &Laboratory,
    subjects: &[Subject],
    among: impl Fn(&Subject) -> bool,
) -> (String, usize, f64) {
    subjects
        .iter()
        .filter(|subject| among(subject))
        .flat_map(|subject| WORKERS.map(|workers| (subject, workers)))
        .filter(|(subject, workers)| spread(laboratory, subject.cell(BASELINE, *workers)) <= CHAOTIC)
        .map(|(subject, workers)| {
            let [one, other] = [RULE, BASELINE].map(|policy| subject.cell(policy, workers));
            (subject.name(), workers, laboratory.ratio(one, other))
        })
        .max_by(|a, b| a.2.total_cmp(&b.2))
        .unwrap_or_else(|| ("none".to_owned(), 64, 1.0))
}

fn worst_with_os(laboratory: &Laboratory, subjects: &[Subject]) -> (&'static str, f64) {
    subjects
        .iter()
        .filter(|subject| !subject.held_out && subject.program.nature == Nature::Messages)
        .filter(|subject| spread(laboratory, with_os(subject.cell(BASELINE, 64))) <= CHAOTIC)
        .map(|subject| {
            let time = |policy| laboratory.makespan(with_os(subject.cell(policy, 64)));
            (subject.program.name, time(RULE) / time("cls").min(time(BASELINE)))
        })
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .expect("there are such programs")
}
