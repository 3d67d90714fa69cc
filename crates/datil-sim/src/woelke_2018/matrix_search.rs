//! Sections 6.3 and 6.4: Matrix Search.

use std::collections::BTreeSet;

use super::{Row, Verdict, as_in_caf, judge};
use crate::host::Run;
use crate::laboratory::{Cell, Laboratory};

/// Name of the program.
pub(super) const MATRIX: &str = "matrixsearch";
/// Why CLS and CLS-TP do not differ.
const SAME_RUN: &str = "without the operating system they are the same run";
/// Migrations of CLS' threads as published, a round number, of which a model that was fitted to it may be off by a quarter.
const MIGRATIONS: f64 = 100_000.0;

fn matrix(policy: &'static str, workers: usize) -> Cell {
    as_in_caf(MATRIX, policy, workers)
}

/// Numbers of workers for continuous assignment.
pub(super) const WORKERS: [usize; 10] = [4, 8, 12, 16, 24, 32, 44, 52, 56, 64];
/// And for block-wise assignment.
pub(super) const BLOCKWISE: [usize; 8] = [8, 16, 24, 28, 32, 40, 48, 64];

/// Rows about Matrix Search as ratios of makespans: place, figures, one, the other, published, how, fitted, why it may fail.
struct Ratio {
    place: &'static str,
    figures: &'static [&'static str],
    one: (&'static str, bool),
    other: (&'static str, bool),
    published: f64,
    how: How,
    fitted: bool,
    why: &'static str,
}

#[derive(Clone, Copy)]
enum How {
    /// The smallest over all numbers of workers.
    Best,
    /// The largest.
    Worst,
    /// The farthest from 1 over numbers of workers up to this.
    UpTo(usize),
    /// The mean from 4 to 52 workers.
    FourTo52,
    /// The smallest above 52.
    Above52,
    /// At 64 workers.
    At64,
}

const fn ratio(
    place: &'static str,
    figures: &'static [&'static str],
    one: (&'static str, bool),
    other: (&'static str, bool),
    published: f64,
    how: How,
) -> Ratio {
    Ratio {
        place,
        figures,
        one,
        other,
        published,
        how,
        fitted: false,
        why: "",
    }
}

const RATIOS: [Ratio; 13] = [
    Ratio {
        why: "not known",
        ..ratio(
            "6.3",
            &["6.2"],
            ("lgs", false),
            ("cls", false),
            1.00,
            How::UpTo(12),
        )
    },
    Ratio {
        why: "the controller waits at the tail, which is where thieves take from; so LGS wins more than published",
        ..ratio("6.3", &["6.2"], ("lgs", false), ("cls", false), 0.67, How::Best)
    },
    Ratio {
        fitted: true,
        ..ratio(
            "6.3",
            &["6.2", "6.6"],
            ("cls-tp", false),
            ("cls", false),
            0.62,
            How::Best,
        )
    },
    Ratio {
        why: "thieves take the controller from the tail, so that no convoy forms",
        ..ratio(
            "6.3",
            &["6.4"],
            ("lgs", false),
            ("cls-tp", false),
            1.11,
            How::Worst,
        )
    },
    Ratio {
        why: "memory that is far away is worth some hundredths in the model",
        ..ratio(
            "6.3",
            &["6.2"],
            ("lgs-uc", false),
            ("cls", false),
            0.56,
            How::Best,
        )
    },
    Ratio {
        why: "memory that is far away is worth some hundredths in the model",
        ..ratio(
            "6.3",
            &["6.2", "6.4"],
            ("lgs-uc", false),
            ("cls-tp", false),
            0.87,
            How::Best,
        )
    },
    Ratio {
        fitted: true,
        ..ratio("6.4.1", &["6.6"], ("cls", true), ("cls", false), 0.70, How::Best)
    },
    Ratio {
        fitted: true,
        ..ratio(
            "6.4.1",
            &["6.6"],
            ("cls-tp", true),
            ("cls", false),
            0.53,
            How::Best,
        )
    },
    Ratio {
        why: "LGS gains more than published, see above",
        ..ratio("6.4.1", &["6.6"], ("cls", true), ("lgs", false), 1.05, How::At64)
    },
    Ratio {
        fitted: true,
        ..ratio(
            "6.4.1",
            &["6.6"],
            ("cls-tp", true),
            ("lgs-uc", false),
            1.03,
            How::FourTo52,
        )
    },
    Ratio {
        why: "a bandwidth effect is supposed; the controllers of the model are far from saturated",
        ..ratio(
            "6.4.1",
            &["6.6"],
            ("cls-tp", true),
            ("lgs-uc", false),
            0.97,
            How::Above52,
        )
    },
    Ratio {
        why: "the gap depends on the length of a job: a longer one narrows it",
        ..ratio(
            "6.4.2",
            &["6.7"],
            ("lgs-dfs", false),
            ("lgs", false),
            1.19,
            How::Worst,
        )
    },
    Ratio {
        why: "not known",
        ..ratio(
            "6.4.2",
            &["6.7"],
            ("lgs-co", false),
            ("lgs", false),
            1.00,
            How::UpTo(64),
        )
    },
];

/// All rows of sections 6.3 and 6.4.
pub(super) fn rows(laboratory: &Laboratory) -> Vec<Row> {
    let ratios = RATIOS.iter().map(|row| judge_ratio(row, laboratory));
    ratios
        .chain(remote_shares(laboratory))
        .chain(thefts(laboratory))
        .chain(wandering(laboratory))
        .chain(assignment(laboratory))
        .collect()
}

/// What is simulated for them.
pub(super) fn cells() -> impl Iterator<Item = Cell> {
    let mut cells = BTreeSet::new();
    for os in [false, true] {
        for row in &RATIOS {
            for (policy, interleaved) in [row.one, row.other] {
                cells.extend(WORKERS.map(|workers| Cell {
                    interleaved,
                    os,
                    ..matrix(policy, workers)
                }));
            }
        }
    }
    for policy in ["cls-tp", "cls-dealt", "lgs"] {
        cells.extend(BLOCKWISE.map(|workers| blockwise(policy, workers)));
    }
    cells.extend(["cls", "cls-tp"].map(|policy| Cell {
        os: true,
        ..blockwise(policy, 64)
    }));
    cells.into_iter()
}

fn blockwise(policy: &'static str, workers: usize) -> Cell {
    Cell {
        blockwise: true,
        ..matrix(policy, workers)
    }
}

fn judge_ratio(row: &Ratio, laboratory: &Laboratory) -> Row {
    let value = |os: bool| {
        let cell = |(policy, interleaved): (&'static str, bool), workers| Cell {
            interleaved,
            os,
            ..matrix(policy, workers)
        };
        let at = |workers: &usize| {
            let one = laboratory.makespan(cell(row.one, *workers));
            one / laboratory.makespan(cell(row.other, *workers))
        };
        let all = |range: std::ops::RangeInclusive<usize>| {
            WORKERS.iter().filter(move |w| range.contains(w)).map(at)
        };
        match row.how {
            How::Best => all(4..=64).fold(f64::MAX, f64::min),
            How::Worst => all(4..=64).fold(0.0, f64::max),
            How::UpTo(most) => all(4..=most).fold(1.0, |far: f64, next: f64| {
                if (next - 1.0).abs() > (far - 1.0).abs() {
                    next
                } else {
                    far
                }
            }),
            How::FourTo52 => {
                let values: Vec<f64> = all(4..=52).collect();
                values.iter().sum::<f64>() / values.len() as f64
            }
            How::Above52 => all(53..=64).fold(f64::MAX, f64::min),
            How::At64 => at(&64),
        }
    };
    let (without, with) = (value(false), value(true));
    let name = |(policy, interleaved): (&str, bool)| {
        format!("{policy}{}", if interleaved { " interleaved" } else { "" })
    };
    let how = match row.how {
        How::Best => "best".to_owned(),
        How::Worst => "worst".to_owned(),
        How::UpTo(most) => format!("farthest from 1 up to {most} workers"),
        How::FourTo52 => "mean of 4 to 52 workers".to_owned(),
        How::Above52 => "best above 52 workers".to_owned(),
        How::At64 => "64 workers".to_owned(),
    };
    let verdict = judge(row.published, without, with, row.fitted);
    let number = match row.how {
        // The thesis says "surpasses" and "nearly".
        How::Above52 | How::At64 => None,
        _ => Some(row.published),
    };
    Row {
        place: row.place,
        figures: row.figures.to_vec(),
        statement: format!("Matrix Search, {} / {}, {how}", name(row.one), name(row.other)),
        published: match row.how {
            How::Above52 => format!("below 1, here {}", row.published),
            How::At64 => format!("nearly 1, here {}", row.published),
            How::Best if row.published == 0.62 => "0.62 to 0.63, here 0.62".to_owned(),
            _ => format!("{:.2}", row.published),
        },
        simulated: format!("{without:.2}; with os {with:.2}"),
        number: None,
        without: None,
        with_os: None,
        verdict,
        why: if verdict.asks_why() { row.why } else { "" },
    }
    .drawn(number, without, with)
}

/// A row that is no ratio.
fn row(
    place: &'static str,
    figure: Option<&'static str>,
    statement: &str,
    published: &str,
    simulated: String,
    verdict: Verdict,
    why: &'static str,
) -> Row {
    Row {
        place,
        figures: figure.into_iter().collect(),
        statement: format!("Matrix Search, {statement}"),
        published: published.to_owned(),
        simulated,
        number: None,
        without: None,
        with_os: None,
        verdict,
        why,
    }
}

/// The verdict of a statement that was asked without and with the operating system.
fn either(native: bool, with_os: bool) -> Verdict {
    match (native, with_os) {
        (true, _) => Verdict::Native,
        (_, true) => Verdict::NeedsOs,
        _ => Verdict::DoesNot,
    }
}

/// The verdict of a statement that the model was fitted to.
fn fitted(agrees: bool) -> Verdict {
    if agrees { Verdict::Fitted } else { Verdict::DoesNot }
}

/// Share of the accesses that are remote.
fn remote(laboratory: &Laboratory, policy: &'static str, workers: usize, os: bool) -> f64 {
    let cell = Cell {
        os,
        ..matrix(policy, workers)
    };
    laboratory.mean(cell, Run::remote_share)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Section 6.3: where memory is accessed.
fn remote_shares(laboratory: &Laboratory) -> [Row; 4] {
    let share = |policy, workers, os| remote(laboratory, policy, workers, os);
    let start = [share("cls", 4, false), share("lgs", 4, false)];
    let half = [share("cls", 32, false), share("cls", 32, true)];
    let guided = WORKERS.map(|workers| share("lgs", workers, false));
    let most = guided.into_iter().fold(0.0, f64::max);
    let bound = WORKERS.map(|workers| share("cls-tp", workers, false));
    let linear = correlation(&bound);
    [
        row(
            "6.3",
            Some("6.3"),
            "remote share of CLS and LGS at 4 workers",
            "4 %",
            format!("{} and {}", percent(start[0]), percent(start[1])),
            either(start.iter().all(|share| *share < 0.08), false),
            "",
        ),
        row(
            "6.3",
            Some("6.3"),
            "remote share of CLS at 32 workers",
            "above 50 %",
            format!("{}; with os {}", percent(half[0]), percent(half[1])),
            either(half[0] > 0.5, half[1] > 0.5),
            "",
        ),
        row(
            "6.3",
            Some("6.3"),
            "remote share of LGS",
            "1 to 8 %",
            format!("up to {}", percent(most)),
            either(most <= 0.08, false),
            "",
        ),
        row(
            "6.3",
            Some("6.3"),
            "remote share of CLS-TP rises almost linearly",
            "almost linear",
            format!(
                "{} to {}, linear with r = {linear:.2}",
                percent(bound[0]),
                percent(bound[bound.len() - 1]),
            ),
            fitted(linear > 0.95),
            "",
        ),
    ]
}

/// Section 6.3: how often workers steal, and try to.
fn thefts(laboratory: &Laboratory) -> [Row; 4] {
    let count =
        |policy, workers, of: fn(&Run) -> u64| laboratory.mean(matrix(policy, workers), |run| of(run) as f64);
    let attempts = |policy| WORKERS.map(|workers| count(policy, workers, |run| run.steal_attempts));
    let falls = |policy| {
        let attempts = attempts(policy);
        attempts.windows(2).filter(|pair| pair[1] < pair[0]).count()
    };
    let bound = attempts("cls-tp");
    let linear = correlation(&bound);
    let steals = [
        count("cls-tp", 64, |run| run.steals),
        count("lgs", 64, |run| run.steals),
    ];
    let few = WORKERS.map(|workers| count("cls-tp", workers, |run| run.steals));
    let most = few.into_iter().fold(0.0, f64::max);
    [
        row(
            "6.3",
            Some("6.5"),
            "steal attempts of CLS-TP, 4 to 64 workers",
            "1,000 to 30,000, linear",
            format!(
                "{:.0} to {:.0}, linear with r = {linear:.2}",
                bound[0],
                bound[bound.len() - 1],
            ),
            fitted(linear > 0.95),
            "the level is fitted, the shape is not",
        ),
        row(
            "6.3",
            Some("6.5"),
            "steals of LGS by those of CLS-TP at 64 workers",
            "a multiple",
            format!("{:.0} by {:.0}", steals[1], steals[0]),
            either(steals[1] > 2.0 * steals[0], false),
            "",
        ),
        row(
            "6.3",
            Some("6.5"),
            "steals of CLS-TP",
            "low, nearly constant",
            format!("{:.0} to {most:.0} for 22,500 jobs", few[0]),
            either(most < 0.05 * 22_500.0, false),
            "on the scale of the figure, which ends at 30,000; they rise",
        ),
        row(
            "6.3",
            Some("6.5"),
            "steal attempts of LGS fluctuate, those of CLS-TP rise",
            "LGS only",
            format!(
                "fall {} and {} times of 9 from one number of workers to the next",
                falls("lgs"),
                falls("cls-tp")
            ),
            either(falls("lgs") >= 2 && falls("cls-tp") <= 1, false),
            "no convoy forms, see above; ten numbers of workers are few to see a zigzag",
        ),
    ]
}

/// Section 6.3: what threads do that are not bound.
fn wandering(laboratory: &Laboratory) -> [Row; 3] {
    let drop = |policy, os| remote(laboratory, policy, 32, os) - remote(laboratory, policy, 4, os);
    let moved = |policy| {
        let cell = Cell {
            os: true,
            ..matrix(policy, 64)
        };
        laboratory.mean(cell, |run| run.migrations as f64)
    };
    [
        row(
            "6.3",
            Some("6.3"),
            "local share drops faster with CLS than with CLS-TP",
            "notably",
            format!(
                "by {} and {} up to 32 workers with os",
                percent(drop("cls", true)),
                percent(drop("cls-tp", true))
            ),
            either(false, drop("cls", true) > 1.2 * drop("cls-tp", true)),
            SAME_RUN,
        ),
        row(
            "6.3",
            None,
            "thread migrations of CLS and CLS-TP at 64 workers",
            "100,000 and 150",
            format!("with os {:.0} and {:.0}", moved("cls"), moved("cls-tp")),
            fitted((moved("cls") / MIGRATIONS - 1.0).abs() <= 0.25),
            "bound threads never migrate in the model",
        ),
        row(
            "6.3",
            None,
            "page faults of CLS and CLS-TP at 64 workers",
            "4,000,000 and 2,000,000",
            "unavailable".to_owned(),
            Verdict::NotModelled,
            "the model has no page faults, only the time that the balancing of pages takes",
        ),
    ]
}

/// Section 6.4.3: block-wise assignment.
fn assignment(laboratory: &Laboratory) -> [Row; 5] {
    let time = |policy, workers| laboratory.makespan(blockwise(policy, workers));
    let best = |policy| {
        BLOCKWISE
            .into_iter()
            .min_by(|a, b| time(policy, *a).total_cmp(&time(policy, *b)))
            .expect("there are some")
    };
    let (classic, guided) = (best("cls-tp"), best("lgs"));
    let worse = time("cls-tp", 64) / time("cls-tp", classic);
    let dealt = time("cls-dealt", 64) / time("cls-tp", 64);
    let bound = |os| {
        let cell = |policy| Cell {
            os,
            ..blockwise(policy, 64)
        };
        laboratory.ratio(cell("cls-tp"), cell("cls")).mean
    };
    let (without, with) = (bound(false), bound(true));
    [
        row(
            "6.4.3",
            Some("6.8"),
            "block-wise: best number of workers for CLS-TP",
            "28",
            classic.to_string(),
            match classic {
                24..=32 => Verdict::Native,
                16..64 => Verdict::SignOnly,
                _ => Verdict::DoesNot,
            },
            "it depends on the length of a job: a shorter one gives fewer workers",
        ),
        row(
            "6.4.3",
            Some("6.8"),
            "block-wise: CLS-TP at 64 workers by its best",
            "significantly above 1",
            format!("{worse:.2}"),
            either(worse > 1.1, false),
            "",
        ),
        row(
            "6.4.3",
            Some("6.8"),
            "block-wise: jobs dealt out round robin / local, 64 workers",
            "much below 1",
            format!("{dealt:.2}"),
            either(dealt < 0.7, false),
            "",
        ),
        row(
            "6.4.3",
            Some("6.8"),
            "block-wise: CLS-TP / CLS, 64 workers",
            "below 1",
            format!("{without:.2}; with os {with:.2}"),
            either(without < 0.97, with < 0.97),
            SAME_RUN,
        ),
        row(
            "6.4.3",
            Some("6.8"),
            "block-wise: LGS keeps scaling",
            "best at 64 workers",
            format!("best at {guided}"),
            either(guided == 64, false),
            "",
        ),
    ]
}

/// Linear correlation with the numbers of workers.
fn correlation(values: &[f64]) -> f64 {
    let workers: Vec<f64> = WORKERS.iter().map(|&workers| workers as f64).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (x, y) = (mean(&workers), mean(values));
    let sum = |f: &dyn Fn(f64, f64) -> f64| {
        workers
            .iter()
            .zip(values)
            .map(|(&a, &b)| f(a - x, b - y))
            .sum::<f64>()
    };
    sum(&|a, b| a * b) / (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_knows_lines() {
        let line: Vec<f64> = WORKERS
            .iter()
            .map(|&workers| 3.0 + 2.0 * workers as f64)
            .collect();
        assert!((correlation(&line) - 1.0).abs() < 1e-9);
        let square: Vec<f64> = WORKERS
            .iter()
            .map(|&workers| -((workers as f64 - 30.0).powi(2)))
            .collect();
        assert!(correlation(&square) < 0.5);
    }
}
