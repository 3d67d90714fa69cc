//! Every number of chapter 6 of Woelke, "Optimizing Data Locality in CAF" (2018), beside what the simulation makes of
//! it.
//!
//! The machine is the preset `opteron`. It is calibrated on the points that [`CALIBRATION`] names and on nothing
//! else; rows that are among them say so. A ratio comes out if it is on the published side of 1 and no farther than
//! [`CLOSE`] from the published one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::thread;

use serde::Serialize;
use serde_json::Map;

use crate::host::{Run, Settings};
use crate::machine::{Os, Placement, preset};
use crate::simulate;

/// What the model was fitted to, with the parameter that was. The values are those of an earlier prototype of this
/// simulator, which also modelled concdict; none was changed since.
pub const CALIBRATION: [(&str, &str); 6] = [
    ("length of a job, 60 ms", "steal attempts of CLS at 64 workers"),
    (
        "exposed share of latency, 0.196",
        "CLS-TP interleaved against LGS-UC at 4 workers",
    ),
    (
        "controller's work, 20 us per report",
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

/// How far a simulated ratio may be from the published one.
pub const CLOSE: f64 = 0.10;

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
    /// The direction comes out and the size does not.
    SignOnly,
    /// Does not come out.
    DoesNot,
    /// Cannot be simulated yet.
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
            Self::DoesNot => "does not come out",
            Self::NotModelled => "not modelled",
        }
    }
}

/// A published statement and what the simulation makes of it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Section or figure.
    pub place: &'static str,
    /// What is stated.
    pub statement: String,
    /// The published number.
    pub published: String,
    /// The simulated number, without and with the operating system where both were tried.
    pub simulated: String,
    /// What came of it.
    pub verdict: Verdict,
    /// Why, where that is not plain.
    pub why: &'static str,
}

/// A simulated cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Cell {
    program: &'static str,
    policy: &'static str,
    workers: usize,
    interleaved: bool,
    os: bool,
    blockwise: bool,
}

const MATRIX: &str = "matrixsearch";

fn matrix(policy: &'static str, workers: usize) -> Cell {
    Cell {
        program: MATRIX,
        policy,
        workers,
        interleaved: false,
        os: false,
        blockwise: false,
    }
}

/// Numbers of workers for continuous and for block-wise assignment.
const WORKERS: [usize; 10] = [4, 8, 12, 16, 24, 32, 44, 52, 56, 64];
const BLOCKWISE: [usize; 8] = [8, 16, 24, 28, 32, 40, 48, 64];

/// Rows about Matrix Search as ratios of makespans: place, one, the other, published, how, fitted, why it may fail.
struct Ratio {
    place: &'static str,
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
}

const fn ratio(
    place: &'static str,
    one: (&'static str, bool),
    other: (&'static str, bool),
    published: f64,
    how: How,
) -> Ratio {
    Ratio {
        place,
        one,
        other,
        published,
        how,
        fitted: false,
        why: "",
    }
}

const RATIOS: [Ratio; 12] = [
    ratio("6.3", ("lgs", false), ("cls", false), 1.00, How::UpTo(12)),
    Ratio {
        why: "the controller waits at the tail, which is where thieves take from; so LGS wins more than published",
        ..ratio("6.3", ("lgs", false), ("cls", false), 0.67, How::Best)
    },
    Ratio {
        fitted: true,
        ..ratio("6.3", ("cls-tp", false), ("cls", false), 0.63, How::Best)
    },
    Ratio {
        why: "thieves take the controller from the tail, so that no convoy forms",
        ..ratio("6.3", ("lgs", false), ("cls-tp", false), 1.11, How::Worst)
    },
    ratio("6.3", ("lgs-uc", false), ("cls", false), 0.56, How::Best),
    ratio("6.3", ("lgs-uc", false), ("cls-tp", false), 0.87, How::Best),
    Ratio {
        fitted: true,
        ..ratio("6.4.1", ("cls", true), ("cls", false), 0.70, How::Best)
    },
    Ratio {
        fitted: true,
        ..ratio("6.4.1", ("cls-tp", true), ("cls", false), 0.53, How::Best)
    },
    ratio("6.4.1", ("cls-tp", true), ("lgs-uc", false), 1.03, How::FourTo52),
    Ratio {
        why: "a bandwidth effect is supposed; the controllers of the model are far from saturated",
        ..ratio("6.4.1", ("cls-tp", true), ("lgs-uc", false), 0.97, How::Above52)
    },
    ratio("6.4.2", ("lgs-dfs", false), ("lgs", false), 1.19, How::Worst),
    ratio("6.4.2", ("lgs-co", false), ("lgs", false), 1.00, How::UpTo(64)),
];

/// Makespan of LGS by that of CLS, and of CLS-TP by that of CLS, at 64 workers (section 6.5.1): program, policy,
/// published. Where a text gives a bound the number is that bound.
const SAVINA: [(&str, &str, &str, f64); 4] = [
    ("6.5.1", "fjthrput", "lgs", 1.17),
    ("6.5.1", "fjthrput", "cls-tp", 1.33),
    ("6.5.1", "big", "lgs", 2.0),
    ("6.5.2", "pingpong", "lgs", 1.02),
];

/// Statements about programs that are no part of the simulation yet.
const MISSING: [(&str, &str, &str); 17] = [
    (
        "6.5.1",
        "programs that are faster with LGS than with CLS",
        "6 of 23 (8 in chapter 7)",
    ),
    ("6.5.1", "apsp, LGS / CLS", "0.63 in one place, 0.64 in another"),
    ("6.5.1", "bitonicsort, LGS / CLS", "below 0.70"),
    ("6.5.3", "concsll, LGS / CLS, best", "0.675"),
    ("6.5.1", "bndbuffer, LGS / CLS", "nearly 9"),
    ("6.5.1", "logmap, LGS / CLS", "above 2"),
    ("6.5.1", "facloc, LGS / CLS", "above 2"),
    (
        "6.5.1",
        "programs with fewer remote, with more local accesses",
        "16 and 15 of 23",
    ),
    ("6.5.1", "logmap, CLS-TP / CLS", "1.52"),
    (
        "6.5.1",
        "programs that are faster with CLS-TP than with CLS",
        "7 of 23",
    ),
    (
        "6.5.1",
        "programs that LGS-CO changes by less than 3 %",
        "14 of 23",
    ),
    ("6.5.1", "bndbuffer and facloc, LGS-CO / LGS", "0.64 and 1.67"),
    (
        "6.5.1",
        "bitonicsort and quicksort, CLS interleaved / CLS",
        "0.85 and 1.26",
    ),
    (
        "6.5.1",
        "programs that are faster with CLS-TP interleaved",
        "6 of 23",
    ),
    ("6.5.3", "concdict, LGS / CLS, mean", "1.176 to 1.21"),
    ("6.5.3", "concdict, LGS-UW / CLS, best", "0.96"),
    (
        "6.5.4",
        "philosopher, LGS / CLS: time and steal attempts",
        "1.04 and about 50",
    ),
];

/// All simulated cells, each with a run per seed.
struct Laboratory {
    runs: BTreeMap<Cell, Vec<Run>>,
}

impl Laboratory {
    /// Simulates everything, on all processors.
    fn new(cells: &BTreeSet<Cell>, seeds: u64) -> Result<Self, String> {
        let queue = Mutex::new(cells.iter().copied().collect::<Vec<_>>());
        let results = Mutex::new(Vec::new());
        let threads = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(cell) = pop(&queue) {
                        let runs: Result<Vec<Run>, String> =
                            (1..=seeds).map(|seed| run(cell, seed)).collect();
                        results.lock().expect("no thread panics here").push((cell, runs));
                    }
                });
            }
        });
        let results = results.into_inner().expect("no thread panics here").into_iter();
        Ok(Self {
            runs: results
                .map(|(cell, runs)| Ok((cell, runs?)))
                .collect::<Result<_, String>>()?,
        })
    }

    /// Mean of a property over the seeds.
    fn mean(&self, cell: Cell, property: impl Fn(&Run) -> f64) -> f64 {
        let runs = &self.runs[&cell];
        runs.iter().map(property).sum::<f64>() / runs.len() as f64
    }

    fn makespan(&self, cell: Cell) -> f64 {
        self.mean(cell, |run| run.makespan as f64)
    }
}

fn pop(queue: &Mutex<Vec<Cell>>) -> Option<Cell> {
    queue.lock().expect("no thread panics here").pop()
}

fn run(cell: Cell, seed: u64) -> Result<Run, String> {
    let settings = Settings {
        workers: cell.workers,
        policy: cell.policy.to_owned(),
        placement: if cell.interleaved {
            Placement::Interleaved
        } else {
            Placement::FirstTouch
        },
        os: cell.os.then(Os::default),
        seed,
        ..Settings::new(preset("opteron").expect("it is a preset"))
    };
    let mut parameters = Map::new();
    if cell.blockwise {
        parameters.insert("blockwise".to_owned(), 1.into());
    }
    Ok(simulate(cell.program, settings, &parameters)?.run)
}

/// Simulates chapter 6, with so many seeds per cell, at least 1.
///
/// # Errors
/// If a simulation fails.
pub fn reproduce(seeds: u64) -> Result<Vec<Row>, String> {
    let laboratory = Laboratory::new(&cells(), seeds.max(1))?;
    let ratios = RATIOS.iter().map(|row| judge_ratio(row, &laboratory));
    let savina = SAVINA.iter().map(|row| judge_program(*row, &laboratory));
    let missing = MISSING.iter().map(|&(place, statement, published)| Row {
        place,
        statement: statement.to_owned(),
        published: published.to_owned(),
        simulated: "unavailable".to_owned(),
        verdict: Verdict::NotModelled,
        why: "these programs have no annotations yet",
    });
    let counters = counters(&laboratory);
    Ok(ratios.chain(counters).chain(savina).chain(missing).collect())
}

fn cells() -> BTreeSet<Cell> {
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
        for (_, program, policy, _) in SAVINA {
            cells.extend([policy, "cls"].map(|policy| Cell {
                program,
                os,
                ..matrix(policy, 64)
            }));
        }
    }
    for policy in ["cls-tp", "lgs"] {
        cells.extend(BLOCKWISE.map(|workers| Cell {
            blockwise: true,
            ..matrix(policy, workers)
        }));
    }
    cells
}

/// A ratio's verdict from its values without and with the operating system.
fn judge(published: f64, without: f64, with: f64, fitted: bool) -> Verdict {
    let close = |value: f64| (value - published).abs() <= CLOSE;
    // Above, below, or the same as 1: what is nearer to 1 than a third of the published difference, or than 3 %, is
    // the same.
    let same = if published == 1.0 {
        0.03
    } else {
        ((published - 1.0).abs() / 3.0).min(0.03)
    };
    let sign = |value: f64| {
        if (value - 1.0).abs() <= same {
            0.0
        } else {
            (value - 1.0).signum()
        }
    };
    let side = |value: f64| sign(value) == sign(published);
    if fitted && (close(with) || close(without)) {
        Verdict::Fitted
    } else if close(without) && side(without) {
        Verdict::Native
    } else if close(with) && side(with) {
        Verdict::NeedsOs
    } else if side(with) || side(without) {
        Verdict::SignOnly
    } else {
        Verdict::DoesNot
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
    };
    let verdict = judge(row.published, without, with, row.fitted);
    Row {
        place: row.place,
        statement: format!("Matrix Search, {} / {}, {how}", name(row.one), name(row.other)),
        published: match row.how {
            How::Above52 => "below 1".to_owned(),
            _ => format!("{:.2}", row.published),
        },
        simulated: format!("{without:.2}; with os {with:.2}"),
        verdict,
        why: if matches!(verdict, Verdict::SignOnly | Verdict::DoesNot) {
            row.why
        } else {
            ""
        },
    }
}

fn judge_program(
    (place, program, policy, published): (&'static str, &'static str, &'static str, f64),
    laboratory: &Laboratory,
) -> Row {
    let value = |os| {
        let cell = |policy| Cell {
            program,
            os,
            ..matrix(policy, 64)
        };
        laboratory.makespan(cell(policy)) / laboratory.makespan(cell("cls"))
    };
    let (without, with) = (value(false), value(true));
    let bound = program == "big";
    let text = match program {
        "big" => "above 2".to_owned(),
        "pingpong" => "slightly above 1".to_owned(),
        _ => format!("{published:.2}"),
    };
    Row {
        place,
        statement: format!("{program}, {policy} / cls, 64 workers"),
        published: text,
        simulated: format!("{without:.2}; with os {with:.2}"),
        verdict: if bound && without > published {
            Verdict::Native
        } else {
            judge(published, without, with, false)
        },
        why: "simulated with fewer messages than published; lasts milliseconds, so that the start counts",
    }
}

/// Statements about counters and about block-wise assignment.
fn counters(laboratory: &Laboratory) -> Vec<Row> {
    let share = |policy, workers, os| {
        let cell = Cell {
            os,
            ..matrix(policy, workers)
        };
        laboratory.mean(cell, Run::remote_share)
    };
    let count =
        |policy, workers, of: fn(&Run) -> u64| laboratory.mean(matrix(policy, workers), |run| of(run) as f64);
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let mut rows = Vec::new();
    let mut row = |place, statement: &str, published: &str, simulated: String, verdict, why| {
        rows.push(Row {
            place,
            statement: format!("Matrix Search, {statement}"),
            published: published.to_owned(),
            simulated,
            verdict,
            why,
        });
    };
    let either = |native: bool, with_os: bool| match (native, with_os) {
        (true, _) => Verdict::Native,
        (_, true) => Verdict::NeedsOs,
        _ => Verdict::DoesNot,
    };

    let start = [share("cls", 4, false), share("lgs", 4, false)];
    row(
        "6.3",
        "remote share of CLS and LGS at 4 workers",
        "4 %",
        format!("{} and {}", percent(start[0]), percent(start[1])),
        either(start.iter().all(|share| *share < 0.08), false),
        "",
    );
    let half = [share("cls", 32, false), share("cls", 32, true)];
    row(
        "6.3",
        "remote share of CLS at 32 workers",
        "above 50 %",
        format!("{}; with os {}", percent(half[0]), percent(half[1])),
        either(half[0] > 0.5, half[1] > 0.5),
        "",
    );
    let guided: Vec<f64> = WORKERS
        .iter()
        .map(|&workers| share("lgs", workers, false))
        .collect();
    let most = guided.iter().copied().fold(0.0, f64::max);
    row(
        "6.3",
        "remote share of LGS",
        "1 to 8 %",
        format!("up to {}", percent(most)),
        either(most <= 0.08, false),
        "",
    );
    let bound: Vec<f64> = WORKERS
        .iter()
        .map(|&workers| share("cls-tp", workers, false))
        .collect();
    row(
        "6.3",
        "remote share of CLS-TP rises almost linearly",
        "almost linear",
        format!(
            "{} to {}, linear with r = {:.2}",
            percent(bound[0]),
            percent(bound[bound.len() - 1]),
            correlation(&bound)
        ),
        if correlation(&bound) > 0.95 {
            Verdict::Fitted
        } else {
            Verdict::DoesNot
        },
        "",
    );
    let attempts: Vec<f64> = WORKERS
        .iter()
        .map(|&w| count("cls-tp", w, |run| run.steal_attempts))
        .collect();
    row(
        "6.3",
        "steal attempts of CLS-TP, 4 to 64 workers",
        "1,000 to 30,000, linear",
        format!(
            "{:.0} to {:.0}, linear with r = {:.2}",
            attempts[0],
            attempts[attempts.len() - 1],
            correlation(&attempts)
        ),
        if correlation(&attempts) > 0.95 {
            Verdict::Fitted
        } else {
            Verdict::DoesNot
        },
        "the level is fitted, the shape is not",
    );
    let steals = [
        count("cls-tp", 64, |run| run.steals),
        count("lgs", 64, |run| run.steals),
    ];
    row(
        "6.3",
        "steals of LGS by those of CLS-TP at 64 workers",
        "a multiple",
        format!("{:.0} by {:.0}", steals[1], steals[0]),
        either(steals[1] > 2.0 * steals[0], false),
        "",
    );
    let moved = Cell {
        os: true,
        ..matrix("cls", 64)
    };
    row(
        "6.3",
        "thread migrations of CLS and CLS-TP at 64 workers",
        "100,000 and 150",
        format!(
            "with os {:.0} and 0",
            laboratory.mean(moved, |run| run.migrations as f64)
        ),
        Verdict::Fitted,
        "",
    );
    row(
        "6.3",
        "page faults of CLS and CLS-TP at 64 workers",
        "4,000,000 and 2,000,000",
        "unavailable".to_owned(),
        Verdict::NotModelled,
        "the model has no page faults, only the time that the balancing of pages takes",
    );
    blockwise(laboratory, &mut row);
    rows
}

fn blockwise(
    laboratory: &Laboratory,
    row: &mut impl FnMut(&'static str, &str, &str, String, Verdict, &'static str),
) {
    let time = |policy, workers| {
        laboratory.makespan(Cell {
            blockwise: true,
            ..matrix(policy, workers)
        })
    };
    let best = |policy| {
        BLOCKWISE
            .into_iter()
            .min_by(|a, b| time(policy, *a).total_cmp(&time(policy, *b)))
            .expect("there are some")
    };
    let (classic, guided) = (best("cls-tp"), best("lgs"));
    row(
        "6.4.3",
        "block-wise: best number of workers for CLS-TP",
        "28",
        classic.to_string(),
        match classic {
            24..=32 => Verdict::Native,
            16..64 => Verdict::SignOnly,
            _ => Verdict::DoesNot,
        },
        "it depends on the length of a job: a shorter one gives fewer workers",
    );
    let worse = time("cls-tp", 64) / time("cls-tp", classic);
    row(
        "6.4.3",
        "block-wise: CLS-TP at 64 workers by its best",
        "significantly above 1",
        format!("{worse:.2}"),
        if worse > 1.1 {
            Verdict::Native
        } else {
            Verdict::DoesNot
        },
        "",
    );
    row(
        "6.4.3",
        "block-wise: LGS keeps scaling",
        "best at 64 workers",
        format!("best at {guided}"),
        if guided == 64 {
            Verdict::Native
        } else {
            Verdict::DoesNot
        },
        "",
    );
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
    fn verdicts_tell_direction_from_size() {
        assert_eq!(judge(0.60, 0.65, 0.9, false), Verdict::Native);
        assert_eq!(judge(0.60, 1.0, 0.65, false), Verdict::NeedsOs);
        assert_eq!(judge(0.60, 1.0, 0.65, true), Verdict::Fitted);
        assert_eq!(judge(0.60, 1.0, 0.8, false), Verdict::SignOnly);
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
        assert_eq!(judge(1.00, 1.08, 1.2, false), Verdict::DoesNot);
    }

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
