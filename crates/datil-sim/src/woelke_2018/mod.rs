//! Every number of chapter 6 of Woelke, "Optimizing Data Locality in CAF" (2018), beside what the simulation makes of
//! it.
//!
//! The machine is the preset `opteron`. It is calibrated on the points that [`CALIBRATION`] names and on nothing
//! else; rows that are among them say so. A ratio comes out if it is on the published side of 1 and no farther than
//! [`CLOSE`] from the published one.
//!
//! What the chapter computes rather than measures has no row: 3.5 seekers per worker, a controller that meets its own
//! node in one case of eight, 16 of 23 being 70 per cent and 6 of 23 being 26. Nor have other runtimes, beside which it
//! shows CAF without a number.

mod figures;
mod matrix_search;
mod quantity;
mod savina;

use std::collections::BTreeSet;

use serde::Serialize;

pub use self::figures::{Figure, Panel, Point, Series};
pub use self::quantity::Quantity;

use crate::laboratory::{Cell, Laboratory};
use crate::progress::Watch;

/// What the model was fitted to, with the parameter that was. The values are those of an earlier prototype of this
/// simulator, which also modelled concdict; none was changed since.
pub const CALIBRATION: [(&str, &str); 6] = [
    ("length of a job, 60 ms", "steal attempts of CLS at 64 workers"),
    (
        "exposed share of latency, 0.196",
        "CLS-TP interleaved against LGS-UC at 4 workers",
    ),
    (
        "controller's work, 20 µs per report",
        "rise of the remote share of CLS-TP",
    ),
    (
        "lines per message, 7",
        "concdict, LGS against CLS-TP at 64 workers, in an earlier prototype",
    ),
    (
        "operating system: migrations, stacking",
        "100,000 migrations; CLS interleaved against CLS-TP interleaved",
    ),
    (
        "operating system: balancing of pages",
        "interleaved against first touch, both for CLS and CLS-TP at 64 workers",
    ),
];

/// How far a simulated ratio may be from the published one, which counts as 1 if it is less, where the published one
/// differs from 1 by twice as much or more. Otherwise it is half of that difference, but not less than [`NEAR`]: a third of
/// an effect is not the effect.
pub const CLOSE: f64 = 0.10;
/// See [`CLOSE`].
pub const NEAR: f64 = 0.03;
/// An effect that is more than so many times the published one, in logarithms, is another effect.
pub const FAR: f64 = 5.0;

/// A cell whose workers take actors as those did with which Woelke measured.
fn as_in_caf(program: &'static str, policy: &'static str, workers: usize) -> Cell {
    Cell {
        fair: false,
        ..Cell::new(program, policy, workers)
    }
}

/// What came of a published statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Comes out of machine and policy.
    Native,
    /// Comes out only with the fitted terms of the operating system.
    NeedsOs,
    /// Agrees, but the model was fitted to it.
    Fitted,
    /// The direction comes out and the size does not; the effect is at most [`FAR`] times the published one.
    SignOnly,
    /// What is seen may be chance: it differs from seed to seed by as much.
    Chance,
    /// Does not come out.
    DoesNot,
    /// The model has nothing of the kind.
    NotModelled,
}

impl Verdict {
    /// For readers.
    pub fn text(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::NeedsOs => "needs the operating system",
            Self::Fitted => "fitted",
            Self::SignOnly => "direction only",
            Self::Chance => "may be chance",
            Self::DoesNot => "does not come out",
            Self::NotModelled => "not modelled",
        }
    }

    /// What that means, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Native => "comes out of the machine and the policy alone",
            Self::NeedsOs => {
                "comes out only with the operating system's terms, which were fitted to four numbers"
            }
            Self::Fitted => "agrees, but the model was fitted to it, so that it proves nothing",
            Self::SignOnly => "has the published direction, with another size",
            Self::Chance => "has the published direction, but differs from seed to seed by as much",
            Self::DoesNot => "has not the published direction, or a size that is much too far from it",
            Self::NotModelled => "the model has nothing of the kind",
        }
    }
}

impl Verdict {
    /// Whether a reason is due.
    fn asks_why(self) -> bool {
        matches!(self, Self::SignOnly | Self::Chance | Self::DoesNot)
    }
}

/// A published statement and what the simulation makes of it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Section.
    pub place: &'static str,
    /// Figures that show what is stated; none where the thesis only says it.
    pub figures: Vec<&'static str>,
    /// What is stated.
    pub statement: String,
    /// The published number.
    pub published: String,
    /// The simulated number, without and with the operating system where both were tried.
    pub simulated: String,
    /// The published number, where it is a ratio that can be drawn. A bound is none, nor is the number that "nearly 1" is held
    /// against.
    pub number: Option<f64>,
    /// The simulated number without the operating system, where it is such a ratio.
    pub without: Option<f64>,
    /// The simulated number with it.
    pub with_os: Option<f64>,
    /// What came of it.
    pub verdict: Verdict,
    /// Why, where that is not plain.
    pub why: &'static str,
}

/// Chapter 6, simulated.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// What it states.
    pub rows: Vec<Row>,
    /// What its figures show, in their order.
    pub figures: Vec<Figure>,
}

/// Simulates chapter 6, with so many seeds per cell, at least 1. It takes minutes, which is why somebody may watch. Statements and
/// figures share their runs.
///
/// # Errors
/// If a simulation fails.
pub fn reproduce(seeds: u64, watch: Watch) -> Result<Chapter, String> {
    let stated = matrix_search::cells().chain(savina::cells());
    let cells: BTreeSet<Cell> = stated.chain(figures::cells()).collect();
    let laboratory = Laboratory::new(&cells, seeds.max(1), watch)?;
    let mut rows = matrix_search::rows(&laboratory);
    rows.extend(savina::rows(&laboratory));
    let figures = figures::figures(&laboratory);
    Ok(Chapter { rows, figures })
}

/// A ratio's verdict from its values without and with the operating system.
fn judge(published: f64, without: f64, with: f64, fitted: bool) -> Verdict {
    let distance = (CLOSE * published.max(1.0))
        .min((published - 1.0).abs() / 2.0)
        .max(NEAR);
    let close = |value: f64| (value - published).abs() <= distance;
    // Above, below, or the same as 1: what is nearer to 1 than a third of the published difference, or than 3 %, is
    // the same.
    let same = if published == 1.0 {
        NEAR
    } else {
        ((published - 1.0).abs() / 3.0).min(NEAR)
    };
    let sign = |value: f64| {
        if (value - 1.0).abs() <= same {
            0.0
        } else {
            (value - 1.0).signum()
        }
    };
    let side = |value: f64| sign(value) == sign(published);
    let alike =
        |value: f64| side(value) && (published == 1.0 || value.ln().abs() <= FAR * published.ln().abs());
    if fitted && (close(with) || close(without)) {
        Verdict::Fitted
    } else if close(without) && side(without) {
        Verdict::Native
    } else if close(with) && side(with) {
        Verdict::NeedsOs
    } else if alike(with) || alike(without) {
        Verdict::SignOnly
    } else {
        Verdict::DoesNot
    }
}

impl Row {
    /// With the ratios behind it; of what is published as a bound, or vaguely, there is no number.
    fn drawn(self, published: Option<f64>, without: f64, with_os: f64) -> Self {
        let positive = |value: f64| Some(value).filter(|value| *value > 0.0);
        Self {
            number: published.and_then(positive),
            without: positive(without),
            with_os: positive(with_os),
            ..self
        }
    }
}

/// [`judge`] for "above this", and below that.
fn judge_above(least: f64, most: f64, without: f64, with: f64) -> Verdict {
    let within = |value: f64| value > least && value < most;
    // A limit that lies just between the two does not make the operating system necessary.
    let differ = (with / without).ln().abs() > NEAR;
    if within(without) {
        Verdict::Native
    } else if within(with) && differ {
        Verdict::NeedsOs
    } else if without > 1.0 + NEAR || with > 1.0 + NEAR {
        Verdict::SignOnly
    } else {
        Verdict::DoesNot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_tell_direction_from_size() {
        assert_eq!(judge(0.60, 0.65, 0.9, false), Verdict::Native);
        assert_eq!(judge(0.60, 1.0, 0.65, false), Verdict::NeedsOs);
        assert_eq!(judge(0.60, 1.0, 0.65, true), Verdict::Fitted);
        assert_eq!(judge(0.60, 1.0, 0.8, false), Verdict::SignOnly);
        assert_eq!(
            judge(0.87, 0.95, 1.0, false),
            Verdict::SignOnly,
            "less than half of the effect"
        );
        assert_eq!(judge(0.60, 1.0, 1.2, false), Verdict::DoesNot);
        assert_eq!(
            judge(1.33, 1.0, 1.0, false),
            Verdict::DoesNot,
            "no difference is no direction"
        );
        assert_eq!(
            judge(1.05, 0.97, 0.98, false),
            Verdict::DoesNot,
            "near, but on the other side"
        );
        assert_eq!(judge(1.00, 1.02, 1.2, false), Verdict::Native);
        assert_eq!(
            judge(1.02, 3.2, 3.2, false),
            Verdict::DoesNot,
            "three times is not slightly more"
        );
        assert_eq!(judge(1.00, 1.08, 1.2, false), Verdict::DoesNot);
    }

    #[test]
    fn a_bound_is_kept_or_only_approached() {
        let judged = |without, with| judge_above(2.0, 9.0, without, with);
        assert_eq!(judged(2.5, 1.0), Verdict::Native);
        assert_eq!(judged(1.0, 2.5), Verdict::NeedsOs);
        assert_eq!(judged(1.5, 1.0), Verdict::SignOnly);
        assert_eq!(judged(1.0, 0.5), Verdict::DoesNot);
        assert_eq!(judged(26.0, 26.0), Verdict::SignOnly, "by far too much");
        assert_eq!(judged(1.98, 2.01), Verdict::SignOnly, "the same with and without");
        assert_eq!(judge(9.0, 8.2, 1.0, false), Verdict::Native, "within a tenth");
    }
}
