//! `scoville list matrix`: which runtime can do which benchmark, and what `verify` last said of it.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;

use super::list::{State, ask_all};
use super::prepare;
use super::world::World;
use crate::digits::number_of;
use crate::log;
use crate::model::plan::GroupKey;
use crate::model::runtime::{Runtime, RuntimeName};
use crate::model::verified::{CellVerdict, VerifiedCell};
use crate::plan::not_offered_because;

/// What is known of a cell, a benchmark on a runtime, from all sizes that were verified.
#[derive(Clone, Debug, PartialEq)]
enum Known {
    /// Every size that was verified is right.
    Verified {
        /// Whether the work was counted at any.
        counted: bool,
    },
    Unsupported(String),
    Failed(String),
    /// Nobody knows: not verified yet, or the runtime cannot be asked here.
    Open(String),
}

/// Counts the cells and names every one that is not verified, with the reason.
pub fn run(world: &World, out: &mut dyn Write) -> Result<()> {
    let tools = prepare::inspect(world.runtimes.all.iter());
    let states = ask_all(&world.runtimes.all, &tools);
    let verified = log::verified(&world.results)?;
    for variant in [false, true] {
        let asked = world.runtimes.all.iter().zip(&states);
        let asked: Vec<(&Runtime, &State)> =
            asked.filter(|(runtime, _)| runtime.variant == variant).collect();
        if asked.is_empty() {
            continue;
        }
        if variant {
            writeln!(out, "\nvariants, which are never mixed with the plain runtimes:")?;
        }
        let cells = known(world, &asked, &verified);
        show(&cells, world.catalogue.benchmarks.len(), asked.len(), out)?;
    }
    writeln!(out, "\nsizes that runtimes do not support:")?;
    sizes(&verified, out)
}

/// Chooses cells.
type Wanted = fn(&Known) -> bool;

type Cells<'w> = Vec<(&'w str, &'w str, Known)>;

fn known<'w>(
    world: &'w World,
    asked: &[(&'w Runtime, &State)],
    verified: &BTreeMap<(GroupKey, RuntimeName), VerifiedCell>,
) -> Cells<'w> {
    let cell = |runtime: &Runtime, state: &State, benchmark: &str| {
        let Some(offered) = &state.benchmarks else {
            return Known::Open(state.text.clone());
        };
        if !offered.iter().any(|name| name == benchmark) {
            return Known::Unsupported(not_offered_because(&runtime.name).to_owned());
        }
        let mine = verified.values().filter(|cell| {
            cell.runtime == runtime.name && cell.group.benchmark == benchmark && cell.version == state.version
        });
        judge(mine)
    };
    asked
        .iter()
        .flat_map(|(runtime, state)| {
            let benchmarks = world.catalogue.benchmarks.iter();
            benchmarks.map(move |b| {
                (
                    runtime.name.as_str(),
                    b.name.as_str(),
                    cell(runtime, state, &b.name),
                )
            })
        })
        .collect()
}

/// One word about a benchmark on a runtime: a failure at any size weighs most.
fn judge<'c>(cells: impl Iterator<Item = &'c VerifiedCell>) -> Known {
    let mut known = Known::Open("not verified since this version: scoville verify".into());
    for cell in cells {
        match &cell.verdict {
            CellVerdict::Failed { message } => return Known::Failed(message.clone()),
            CellVerdict::Counted | CellVerdict::Uncounted => {
                let counted = matches!(known, Known::Verified { counted: true });
                known = Known::Verified {
                    counted: counted || cell.verdict == CellVerdict::Counted,
                };
            }
            CellVerdict::Unsupported { reason } if !matches!(known, Known::Verified { .. }) => {
                known = Known::Unsupported(reason.clone());
            }
            // A size that cannot be judged says nothing, and one that is not supported does not undo the others.
            CellVerdict::Unverified { .. } | CellVerdict::Unsupported { .. } => {}
        }
    }
    known
}

fn show(cells: &Cells<'_>, benchmarks: usize, runtimes: usize, out: &mut dyn Write) -> Result<()> {
    let count = |wanted: Wanted| cells.iter().filter(|(_, _, known)| wanted(known)).count();
    writeln!(
        out,
        "cells        {} = {} x {}",
        cells.len(),
        number_of(benchmarks, "benchmark"),
        number_of(runtimes, "runtime")
    )?;
    writeln!(
        out,
        "verified     {}, the work counted of {}",
        count(|known| matches!(known, Known::Verified { .. })),
        count(|known| matches!(known, Known::Verified { counted: true }))
    )?;
    let rest: [(&str, Wanted); 3] = [
        ("unsupported", |known| matches!(known, Known::Unsupported(_))),
        ("failed", |known| matches!(known, Known::Failed(_))),
        ("open", |known| matches!(known, Known::Open(_))),
    ];
    for (title, wanted) in rest {
        writeln!(out, "{title:<12} {}", count(wanted))?;
        for line in reasons(cells, wanted) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// Cells that share runtime and reason, in one line.
fn reasons(cells: &Cells<'_>, wanted: Wanted) -> Vec<String> {
    let mut grouped: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for (runtime, benchmark, known) in cells.iter().filter(|(_, _, known)| wanted(known)) {
        let (Known::Unsupported(why) | Known::Failed(why) | Known::Open(why)) = known else {
            continue;
        };
        match grouped.iter_mut().find(|(r, w, _)| r == runtime && w == why) {
            Some((_, _, benchmarks)) => benchmarks.push(benchmark),
            None => grouped.push((runtime, why, vec![benchmark])),
        }
    }
    let line = |(runtime, why, benchmarks): (&str, &str, Vec<&str>)| match benchmarks.len() {
        1..=8 => format!("{runtime} {}: {why}", benchmarks.join(", ")),
        n => format!("{runtime}, {n} benchmarks: {why}"),
    };
    grouped.into_iter().map(line).collect()
}

/// Sizes at which a runtime said `unsupported` although it offers the benchmark: modes that it has no means for.
fn sizes(verified: &BTreeMap<(GroupKey, RuntimeName), VerifiedCell>, out: &mut dyn Write) -> Result<()> {
    let mut grouped: BTreeMap<(&str, &str, &str), Vec<&str>> = BTreeMap::new();
    for cell in verified.values() {
        if let CellVerdict::Unsupported { reason } = &cell.verdict {
            let runtimes = grouped
                .entry((&cell.group.benchmark, &cell.group.preset, reason))
                .or_default();
            if !runtimes.contains(&cell.runtime.as_str()) {
                runtimes.push(&cell.runtime);
            }
        }
    }
    if grouped.is_empty() {
        writeln!(
            out,
            "  none that verify has seen; it tries every size of a kind with --preset 'tiny*'"
        )?;
    }
    for ((benchmark, preset, reason), runtimes) in grouped {
        writeln!(out, "  {benchmark} {preset}: {}: {reason}", runtimes.join(", "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(preset: &str, verdict: CellVerdict) -> VerifiedCell {
        VerifiedCell {
            unix: 0.0,
            group: GroupKey {
                benchmark: "matrixsearch".into(),
                preset: preset.into(),
                cores: 2,
            },
            runtime: "go".into(),
            version: "1".into(),
            verdict,
        }
    }

    #[test]
    fn a_failure_weighs_most_and_an_unsupported_size_least() {
        let unsupported = || {
            cell(
                "tiny-roundrobin",
                CellVerdict::Unsupported { reason: "no".into() },
            )
        };
        let counted = || cell("tiny", CellVerdict::Counted);
        let uncounted = || cell("quick", CellVerdict::Uncounted);
        let failed = || {
            cell(
                "tiny-blockwise",
                CellVerdict::Failed {
                    message: "7 is no 8".into(),
                },
            )
        };
        let of = |cells: &[VerifiedCell]| judge(cells.iter());
        assert!(matches!(of(&[]), Known::Open(_)));
        assert_eq!(of(&[unsupported()]), Known::Unsupported("no".into()));
        for cells in [
            [unsupported(), counted(), uncounted()],
            [uncounted(), counted(), unsupported()],
        ] {
            assert_eq!(of(&cells), Known::Verified { counted: true });
        }
        assert_eq!(
            of(&[uncounted(), unsupported()]),
            Known::Verified { counted: false }
        );
        assert_eq!(
            of(&[counted(), failed(), uncounted()]),
            Known::Failed("7 is no 8".into())
        );
    }
}
