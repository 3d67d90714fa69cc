//! The limits that the rule must keep, in parts that can be asked for one by one.

use serde::Serialize;

use super::{
    BASELINE, CONDITIONS, FIXED, MATRIX, RULE, SURE, Subject, WORKERS, geomean, modelled, sends, subjects,
    with_os, worst,
};
use crate::laboratory::{Cell, Conditions, Laboratory, Outcome, Ratio};
use crate::progress::unwatched;
use crate::sequential::{Pair, decide};

/// A limit that makespans by those of another policy must not exceed.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// What is asked.
    pub statement: String,
    /// The limit.
    pub limit: f64,
    /// The worst of the cells: the one that is most even if chance was against it.
    pub worst: (String, Ratio),
    /// What can be said of all cells together.
    pub outcome: Outcome,
    /// Cells that exceed the limit for sure.
    pub broken: Vec<(String, Ratio)>,
    /// Cells of which nothing can be said, even with as many seeds as they were given at last.
    pub undecided: Vec<(String, Ratio)>,
}

impl Check {
    fn new(statement: &str, limit: f64, cells: Vec<(String, Ratio)>) -> Self {
        let all = |outcome| {
            let cells = cells.iter().filter(|(_, ratio)| ratio.against(limit) == outcome);
            cells.cloned().collect::<Vec<_>>()
        };
        let outcomes = cells.iter().map(|(_, ratio)| ratio.against(limit));
        Self {
            statement: statement.to_owned(),
            limit,
            outcome: outcomes.max().expect("there are some"),
            broken: all(Outcome::Broken),
            undecided: all(Outcome::Undecided),
            worst: worst(cells),
        }
    }
}

/// Limits for which the same cells are simulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// What is to be gained on Matrix Search: the first three limits.
    MatrixSearch,
    /// The same under changed conditions, but for what is to be gained with the operating system's terms on a single node: a run in which all
    /// workers are at work all the time takes 0.576 of `cls` there.
    Conditions,
    /// What may be lost on programs that mostly send.
    Sending,
    /// The same with 64 workers under changed conditions.
    SendingConditions,
    /// The same as usual, with the operating system's terms.
    SendingWithOs,
    /// What may be lost on programs that mostly send and were written after the rules.
    HeldOut,
    /// The same of the others that were: nothing is asked of these but that it be said.
    HeldOutOthers,
    /// Geometric means over all programs.
    Means,
    /// The same under changed conditions.
    MeansConditions,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::MatrixSearch,
        Self::Conditions,
        Self::Sending,
        Self::SendingConditions,
        Self::SendingWithOs,
        Self::HeldOut,
        Self::HeldOutOthers,
        Self::Means,
        Self::MeansConditions,
    ];

    /// Simulates what is missing in the laboratory.
    pub(super) fn checks(self, laboratory: &mut Laboratory, seeds: u64) -> Result<Vec<Check>, String> {
        let sure = seeds * SURE;
        match self {
            Self::MatrixSearch => on_matrix_search(laboratory, "", &CONDITIONS[..1], sure),
            Self::Conditions => {
                on_matrix_search(laboratory, ", under changed conditions", &CONDITIONS[1..], sure)
            }
            Self::Sending => one("every program that mostly sends, by cls-tp", 1.03, || {
                decide(laboratory, 1.03, &everywhere(&sending()), sure)
            }),
            Self::SendingConditions => one(
                "every program that mostly sends, under changed conditions, by cls-tp",
                1.03,
                || decide(laboratory, 1.03, &under_conditions(&sending()), sure),
            ),
            Self::SendingWithOs => one(
                "every program that mostly sends, with the operating system's terms, by the better of cls and cls-tp",
                1.03,
                || {
                    let pairs = by_the_better(laboratory, sure)?;
                    decide(laboratory, 1.03, &pairs, sure)
                },
            ),
            Self::HeldOut => one(
                "every program held out that mostly sends, by cls-tp",
                1.03,
                || decide(laboratory, 1.03, &everywhere(&held_out(sends)), sure),
            ),
            Self::HeldOutOthers => one("every other program held out, by cls-tp", 1.03, || {
                decide(
                    laboratory,
                    1.03,
                    &everywhere(&held_out(|subject| !sends(subject))),
                    sure,
                )
            }),
            Self::Means => means(laboratory, "", &CONDITIONS[..1], seeds),
            Self::MeansConditions => means(laboratory, ", under changed conditions", &CONDITIONS[1..], seeds),
        }
    }
}

/// Whether the limits of this part are kept. Cells begin with [`SURE`] times as many seeds, at least 1, but for those of the
/// geometric means, which have no more than that; those that are open get more.
///
/// # Errors
/// If a simulation fails.
pub fn limits(part: Part, seeds: u64) -> Result<Vec<Check>, String> {
    part.checks(&mut Laboratory::with([], unwatched())?, seeds.max(1))
}

/// A part that is one limit.
fn one(
    statement: &str,
    limit: f64,
    cells: impl FnOnce() -> Result<Vec<(String, Ratio)>, String>,
) -> Result<Vec<Check>, String> {
    Ok(vec![Check::new(statement, limit, cells()?)])
}

/// The three limits of Matrix Search with 64 workers under all of these conditions.
fn on_matrix_search(
    laboratory: &mut Laboratory,
    suffix: &str,
    conditions: &[(&'static str, Conditions)],
    seeds: u64,
) -> Result<Vec<Check>, String> {
    let plain = |policy| Cell::new(MATRIX, policy, 64);
    let blockwise = |policy| Cell {
        blockwise: true,
        ..plain(policy)
    };
    let asked = [
        ("continuous, by cls-tp", 0.90, plain(RULE), plain(BASELINE)),
        (
            "block-wise, by cls-tp",
            0.40,
            blockwise(RULE),
            blockwise(BASELINE),
        ),
        (
            "continuous, with the operating system's terms, by cls",
            0.56,
            with_os(plain(RULE)),
            with_os(plain("cls")),
        ),
    ];
    let check = |(what, limit, one, other): (&str, f64, Cell, Cell)| {
        let is_asked = |(_, changed): &&(_, Conditions)| !(one.os && changed.nodes == 1);
        let pairs: Vec<Pair> = conditions
            .iter()
            .filter(is_asked)
            .map(|&(name, conditions)| Pair {
                name: format!("64 workers, {name}"),
                one: Cell { conditions, ..one },
                other: Cell { conditions, ..other },
            })
            .collect();
        let cells = decide(laboratory, limit, &pairs, seeds)?;
        Ok(Check::new(
            &format!("Matrix Search, {what}{suffix}"),
            limit,
            cells,
        ))
    };
    asked.into_iter().map(check).collect()
}

fn sending() -> Vec<Subject> {
    modelled().into_iter().filter(sends).collect()
}

/// Programs that were written after the rules.
fn held_out(of: impl Fn(&Subject) -> bool) -> Vec<Subject> {
    let late = subjects().into_iter().filter(|subject| subject.held_out);
    late.filter(of).collect()
}

/// Programs at all numbers of workers.
fn everywhere(subjects: &[Subject]) -> Vec<Pair> {
    let cells = subjects
        .iter()
        .flat_map(|subject| WORKERS.map(|workers| (subject, workers)));
    cells
        .map(|(subject, workers)| Pair {
            name: format!("{}, {workers} workers", subject.name()),
            one: subject.cell(RULE, workers),
            other: subject.cell(BASELINE, workers),
        })
        .collect()
}

/// Programs with 64 workers under each of the changed conditions.
fn under_conditions(subjects: &[Subject]) -> Vec<Pair> {
    let cells = subjects
        .iter()
        .flat_map(|subject| CONDITIONS[1..].iter().map(move |changed| (subject, changed)));
    cells
        .map(|(subject, &(name, conditions))| Pair {
            name: format!("{}, 64 workers, {name}", subject.name()),
            one: subject.under(conditions, RULE),
            other: subject.under(conditions, BASELINE),
        })
        .collect()
}

/// Programs that mostly send, with the operating system's terms: the rule by whichever of `cls` and `cls-tp` is faster there.
fn by_the_better(laboratory: &mut Laboratory, seeds: u64) -> Result<Vec<Pair>, String> {
    let mut pairs = Vec::new();
    for subject in sending() {
        let [rule, bound, wandering] =
            [RULE, BASELINE, "cls"].map(|policy| with_os(subject.cell(policy, 64)));
        laboratory.simulate([bound, wandering].map(|cell| (cell, seeds)))?;
        let better = if laboratory.ratio(wandering, bound).mean < 1.0 {
            wandering
        } else {
            bound
        };
        pairs.push(Pair {
            name: format!("{}, 64 workers", subject.name()),
            one: rule,
            other: better,
        });
    }
    Ok(pairs)
}

/// What is asked of geometric means over all programs with 64 workers under each of these conditions.
fn means(
    laboratory: &mut Laboratory,
    suffix: &str,
    conditions: &[(&'static str, Conditions)],
    seeds: u64,
) -> Result<Vec<Check>, String> {
    let all = modelled();
    let once: Vec<Subject> = all.iter().copied().filter(|subject| !subject.blockwise).collect();
    let policies = || [RULE].into_iter().chain(FIXED);
    let cells = conditions.iter().flat_map(|&(_, changed)| {
        let each = all.iter();
        each.flat_map(move |subject| policies().map(move |policy| (subject.under(changed, policy), seeds)))
    });
    laboratory.simulate(cells)?;
    let check = |over: &str, subjects: &[Subject]| {
        let by_the_best = |condition| by_the_best(laboratory, subjects, condition);
        Check::new(
            &format!("geometric mean over {over}, by that of the best fixed policy{suffix}"),
            0.98,
            conditions.iter().map(by_the_best).collect(),
        )
    };
    Ok(vec![
        check("all programs and block-wise Matrix Search", &all),
        check("all programs, each once", &once),
    ])
}

/// The rule by whichever fixed policy has the smallest geometric mean under a condition.
fn by_the_best(
    laboratory: &Laboratory,
    subjects: &[Subject],
    &(name, conditions): &(&'static str, Conditions),
) -> (String, Ratio) {
    let mean = |one, other| geomean(laboratory, subjects, one, other, conditions);
    let means = FIXED.iter().map(|policy| (*policy, mean(policy, BASELINE).mean));
    let (best, _) = means.min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are some");
    (format!("by {best}, 64 workers, {name}"), mean(RULE, best))
}
