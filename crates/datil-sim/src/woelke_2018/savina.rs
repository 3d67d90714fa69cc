//! Section 6.5: the Savina suite. Programs are the suite's own, with fewer messages than published; the policies are
//! compared at 64 workers unless stated otherwise.

use std::collections::BTreeSet;

use super::figures::{figures_of, figures_of_all};
use super::quantity::{
    CLS, CLS_SPREAD, CLS_TP, CLS_TP_SPREAD, LGS, LGS_CO, Quantity, Way, cell, ratio, suite,
};
use super::{Row, Verdict, judge, judge_above};
use crate::laboratory::{Cell, Laboratory};

/// Numbers of workers of the statements about means and best values.
pub(super) const WORKERS: [usize; 5] = [4, 8, 16, 32, 64];

/// What is published.
#[derive(Clone, Copy)]
enum Published {
    /// About this.
    Value(f64),
    /// This, about which the thesis says something that can be read in another way, too.
    Read(f64, &'static str),
    /// About this, for which the thesis has words only.
    Vague(f64, &'static str),
    /// More than this.
    Above(f64),
    /// More than this, and less than that.
    Between(f64, f64),
    /// Less than this.
    Below(f64),
}

#[derive(Clone, Copy)]
enum At {
    SixtyFour,
    /// The mean over all numbers of workers.
    Mean,
    /// The smallest.
    Best,
}

/// A statement about one program.
struct Statement {
    place: &'static str,
    program: &'static str,
    of: Quantity,
    one: Way,
    other: Way,
    published: Published,
    at: At,
    /// A parameter of the model was fitted to it.
    fitted: bool,
    why: &'static str,
}

const fn time(
    place: &'static str,
    program: &'static str,
    one: Way,
    other: Way,
    published: Published,
    why: &'static str,
) -> Statement {
    Statement {
        place,
        program,
        of: Quantity::Time,
        one,
        other,
        published,
        at: At::SixtyFour,
        fitted: false,
        why,
    }
}

const fn count(of: Quantity, program: &'static str, published: Published, why: &'static str) -> Statement {
    Statement {
        of,
        ..time("6.5.1", program, LGS, CLS, published, why)
    }
}

/// "A very high number of steal attempts", taken for more than twice as many.
const fn many(program: &'static str) -> Statement {
    Statement {
        place: "6.5.4",
        ..count(Quantity::Attempts, program, Above(2.0), POLLS)
    }
}

// Reasons that hold for several.
const BIND: &str = "nothing in the model makes bound threads slower";
const APART: &str = "the suite's driver creates both actors, so that their homes are on different nodes; the rule for actors that \
     are created by actors has nothing to do";
const STAYS: &str = "the list's actor is busy all the time and stays in one cache under every policy";
const POLLS: &str = "runs of some ten milliseconds measure how soon sleeping thieves find work";
const CHAOS: &str = "the makespan of cls-tp varies by nine tenths of its mean from seed to seed";
const LETTERS: &str = "what messages carry lies on no memory node in the model";
const LINES: &str =
    "most lines that the model counts with LGS are those of messages, which go from cache to cache";
const AWAY: &str =
    "with CLS the dictionary's actor works away from its memory's node, so that hardly a line is local";

use Published::{Above, Below, Between, Read, Vague, Value};

const STATEMENTS: [Statement; 36] = [
    time("6.5.1", "apsp", LGS, CLS, Read(0.635, "0.63 and 0.64"), POLLS),
    time("6.5.1", "bitonicsort", LGS, CLS, Below(0.70), POLLS),
    time("6.5.1", "concsll", LGS, CLS, Below(0.70), STAYS),
    time("6.5.1", "bndbuffer", LGS, CLS, Read(8.9, "nearly 9"), POLLS),
    // Those that are named beside bndbuffer have less than it.
    time("6.5.1", "logmap", LGS, CLS, Between(2.0, 8.9), POLLS),
    time("6.5.1", "facloc", LGS, CLS, Between(2.0, 8.9), POLLS),
    time("6.5.1", "big", LGS, CLS, Between(2.0, 8.9), POLLS),
    time("6.5.1", "fjthrput", LGS, CLS, Value(1.17), "not known"),
    count(Quantity::Remote, "fjthrput", Value(0.73), LINES),
    count(Quantity::Local, "fjthrput", Value(0.84), LINES),
    count(Quantity::Remote, "apsp", Below(1.0), "not known"),
    count(Quantity::Local, "apsp", Below(1.0), "not known"),
    count(Quantity::Remote, "concdict", Value(1.40), LINES),
    count(Quantity::Local, "concdict", Value(1.55), AWAY),
    time("6.5.1", "fjthrput", CLS_TP, CLS, Value(1.33), BIND),
    time("6.5.1", "logmap", CLS_TP, CLS, Value(1.52), BIND),
    time("6.5.1", "bndbuffer", LGS_CO, LGS, Value(0.64), "not known"),
    time("6.5.1", "bndbuffer", LGS_CO, CLS, Above(4.0), POLLS),
    time("6.5.1", "facloc", LGS_CO, LGS, Value(1.67), "not known"),
    // These percentages are said of performance, in a figure of times. As performance, bitonicsort has the direction at most.
    time(
        "6.5.1",
        "bitonicsort",
        CLS_SPREAD,
        CLS,
        Read(0.85, "\"-15 %\" of performance or time"),
        LETTERS,
    ),
    time(
        "6.5.1",
        "quicksort",
        CLS_SPREAD,
        CLS,
        Read(1.26, "\"+26 %\" of performance or time"),
        LETTERS,
    ),
    time(
        "6.5.2",
        "pingpong",
        LGS,
        CLS,
        Vague(1.02, "slightly above 1"),
        APART,
    ),
    time(
        "6.5.2",
        "pingpong",
        ("lgs-alt-awake", false),
        LGS,
        Value(1.30),
        APART,
    ),
    Statement {
        at: At::Best,
        ..time("6.5.3", "concsll", LGS, CLS, Value(0.675), STAYS)
    },
    Statement {
        place: "6.5.3",
        ..count(Quantity::Remote, "concsll", Below(1.0), STAYS)
    },
    Statement {
        place: "6.5.3",
        ..count(Quantity::Local, "concsll", Below(1.0), STAYS)
    },
    Statement {
        at: At::Mean,
        fitted: true,
        ..time(
            "6.5.3",
            "concdict",
            LGS,
            CLS,
            Read(1.19, "1.18 to 1.21"),
            "not known",
        )
    },
    Statement {
        at: At::Best,
        ..time(
            "6.5.3",
            "concdict",
            ("lgs-uw", false),
            CLS,
            Read(0.96, "0.96 of CLS or of LGS, which is not said"),
            "the time of sending is fitted to LGS, which may be too much for it",
        )
    },
    time("6.5.4", "philosopher", LGS, CLS, Value(1.04), CHAOS),
    Statement {
        place: "6.5.4",
        ..count(Quantity::Attempts, "philosopher", Value(50.0), CHAOS)
    },
    Statement {
        place: "6.5.4",
        ..count(Quantity::Remote, "philosopher", Value(7.0), CHAOS)
    },
    Statement {
        place: "6.5.4",
        ..count(Quantity::Local, "philosopher", Value(6.0), CHAOS)
    },
    Statement {
        place: "6.5.4",
        at: At::Mean,
        ..count(Quantity::Events, "philosopher", Value(0.93), CHAOS)
    },
    many("bndbuffer"),
    many("logmap"),
    many("big"),
];

/// A statement about how many of the 23 programs do something.
struct Tally {
    place: &'static str,
    statement: &'static str,
    of: Quantity,
    one: Way,
    other: Way,
    counts: fn(f64) -> bool,
    published: usize,
    text: &'static str,
}

/// What differs by less is the same.
const SAME: f64 = 0.005;

fn less(ratio: f64) -> bool {
    ratio < 1.0 - SAME
}

fn more(ratio: f64) -> bool {
    ratio > 1.0 + SAME
}

const TALLIES: [Tally; 13] = [
    tally(
        "faster with LGS than with CLS",
        Quantity::Time,
        LGS,
        CLS,
        less,
        6,
        "6 of 23; 8 in chapter 7",
    ),
    tally(
        "faster by 30 % and more with LGS than with CLS",
        Quantity::Time,
        LGS,
        CLS,
        |ratio| ratio < 0.70,
        3,
        "3 of 23",
    ),
    tally(
        "fewer remote accesses with LGS than with CLS",
        Quantity::Remote,
        LGS,
        CLS,
        less,
        16,
        "16 of 23",
    ),
    tally(
        "more local accesses with LGS than with CLS",
        Quantity::Local,
        LGS,
        CLS,
        more,
        15,
        "15 of 23",
    ),
    tally(
        "faster with CLS-TP than with CLS",
        Quantity::Time,
        CLS_TP,
        CLS,
        less,
        7,
        "7 of 23",
    ),
    tally(
        "within 10 % with CLS-TP of CLS",
        Quantity::Time,
        CLS_TP,
        CLS,
        |ratio| (ratio - 1.0).abs() <= 0.10,
        21,
        "21 of 23",
    ),
    tally(
        "fewer remote accesses with CLS-TP than with CLS",
        Quantity::Remote,
        CLS_TP,
        CLS,
        less,
        20,
        "20 of 23",
    ),
    tally(
        "fewer local accesses with CLS-TP than with CLS",
        Quantity::Local,
        CLS_TP,
        CLS,
        less,
        16,
        "16 of 23",
    ),
    tally(
        "within 3 % with LGS-CO of LGS",
        Quantity::Time,
        LGS_CO,
        LGS,
        |ratio| (ratio - 1.0).abs() < 0.03,
        14,
        "14 of 23",
    ),
    tally(
        "faster with CLS interleaved than with CLS",
        Quantity::Time,
        CLS_SPREAD,
        CLS,
        less,
        12,
        "about half of 23, here 12",
    ),
    tally(
        "within 4 % with CLS interleaved of CLS",
        Quantity::Time,
        CLS_SPREAD,
        CLS,
        |ratio| (ratio - 1.0).abs() <= 0.04,
        18,
        "most of 23, here 18",
    ),
    tally(
        "faster with CLS-TP interleaved than with CLS",
        Quantity::Time,
        CLS_TP_SPREAD,
        CLS,
        less,
        6,
        "6 of 23",
    ),
    Tally {
        place: "6.5.4",
        ..tally(
            "different in scheduling events with LGS and with CLS",
            Quantity::Events,
            LGS,
            CLS,
            |ratio| less(ratio) || more(ratio),
            1,
            "philosopher alone",
        )
    },
];

const fn tally(
    statement: &'static str,
    of: Quantity,
    one: Way,
    other: Way,
    counts: fn(f64) -> bool,
    published: usize,
    text: &'static str,
) -> Tally {
    Tally {
        place: "6.5.1",
        statement,
        of,
        one,
        other,
        counts,
        published,
        text,
    }
}

/// What is simulated for the section.
pub(super) fn cells() -> impl Iterator<Item = Cell> {
    let mut cells = BTreeSet::new();
    for os in [false, true] {
        for row in &STATEMENTS {
            let workers: &[usize] = match row.at {
                At::SixtyFour => &[64],
                At::Mean | At::Best => &WORKERS,
            };
            for way in [row.one, row.other] {
                cells.extend(workers.iter().map(|&workers| cell(row.program, way, workers, os)));
            }
        }
        for row in &TALLIES {
            for program in suite() {
                cells.extend([row.one, row.other].map(|way| cell(program, way, 64, os)));
            }
        }
    }
    cells.extend(WORKERS.map(|workers| cell("pingpong", ("lgs-alt", false), workers, false)));
    cells.extend(WORKERS.map(|workers| cell("pingpong", LGS, workers, false)));
    cells.into_iter()
}

/// All rows of the section.
pub(super) fn rows(laboratory: &Laboratory) -> Vec<Row> {
    let statements = STATEMENTS.iter().map(|row| judge_statement(row, laboratory));
    let tallies = TALLIES.iter().map(|row| judge_tally(row, laboratory));
    let unstable = [unstable(laboratory)];
    statements.chain(tallies).chain(unstable).collect()
}

/// What is published of this quantity of one program at 64 workers: the number, where it can be drawn, and how it is said.
pub(super) fn published(program: &str, of: Quantity, one: Way, other: Way) -> Option<(Option<f64>, String)> {
    let own = |row: &&Statement| {
        (row.program, row.of, row.one, row.other) == (program, of, one, other)
            && matches!(row.at, At::SixtyFour)
    };
    let row = STATEMENTS.iter().find(own)?;
    Some((row.published.drawable(), row.said()))
}

impl Published {
    /// The number, unless it is a bound or one that vague words are held against.
    fn drawable(self) -> Option<f64> {
        match self {
            Value(value) | Read(value, _) => Some(value),
            Vague(..) | Above(_) | Below(_) | Between(..) => None,
        }
    }
}

impl Statement {
    /// What is published, in words.
    fn said(&self) -> String {
        match self.published {
            Read(value, text) | Vague(value, text) => format!("{text}, here {value}"),
            Value(value) => value.to_string(),
            Above(limit) if matches!(self.of, Quantity::Attempts) => format!("very many, here above {limit}"),
            Above(limit) | Between(limit, _) => format!("above {limit}"),
            Below(limit) => format!("below {limit}"),
        }
    }
}

fn judge_statement(row: &Statement, laboratory: &Laboratory) -> Row {
    let value = |os: bool| {
        let at = |workers: usize| {
            let [one, other] = [row.one, row.other].map(|way| cell(row.program, way, workers, os));
            ratio(laboratory, row.of, one, other)
        };
        match row.at {
            At::SixtyFour => at(64),
            At::Mean => WORKERS.map(at).iter().sum::<f64>() / WORKERS.len() as f64,
            At::Best => WORKERS.map(at).into_iter().fold(f64::MAX, f64::min),
        }
    };
    let (without, with) = (value(false), value(true));
    let verdict = match row.published {
        Value(published) | Read(published, _) | Vague(published, _) => {
            judge(published, without, with, row.fitted)
        }
        Above(limit) => judge_above(limit, f64::MAX, without, with),
        Between(least, most) => judge_above(least, most, without, with),
        Below(limit) => judge_above(1.0 / limit, f64::MAX, 1.0 / without, 1.0 / with),
    };
    let verdict = if chance(row, laboratory, verdict) {
        Verdict::Chance
    } else {
        verdict
    };
    let name =
        |(policy, interleaved): Way| format!("{policy}{}", if interleaved { " interleaved" } else { "" });
    let at = match row.at {
        At::SixtyFour => "64 workers",
        At::Mean => "mean of 4 to 64 workers",
        At::Best => "best of 4 to 64 workers",
    };
    let at_end = matches!(row.at, At::SixtyFour);
    Row {
        place: row.place,
        figures: figures_of(row.program, row.of, row.one, row.other, at_end),
        statement: format!(
            "{}, {} of {} / {}, {at}",
            row.program,
            row.of.name(),
            name(row.one),
            name(row.other)
        ),
        published: row.said(),
        simulated: format!("{without:.2}; with os {with:.2}"),
        number: None,
        without: None,
        with_os: None,
        verdict,
        why: if verdict.asks_why() { row.why } else { "" },
    }
    .drawn(row.published.drawable(), without, with)
}

/// Whether the direction of times at 64 workers, which a verdict found, may be chance: 1 is within two standard errors
/// of what was simulated.
fn chance(row: &Statement, laboratory: &Laboratory, verdict: Verdict) -> bool {
    let timed = matches!((row.of, row.at), (Quantity::Time, At::SixtyFour));
    let doubtful = |os: bool| {
        let [one, other] = [row.one, row.other].map(|way| cell(row.program, way, 64, os));
        let ratio = laboratory.ratio(one, other);
        (ratio.mean - 1.0).abs() < 2.0 * ratio.error
    };
    timed
        && match verdict {
            Verdict::Native | Verdict::Fitted => doubtful(false),
            Verdict::NeedsOs => doubtful(true),
            Verdict::SignOnly => doubtful(false) && doubtful(true),
            Verdict::Chance | Verdict::DoesNot | Verdict::NotModelled => false,
        }
}

fn judge_tally(row: &Tally, laboratory: &Laboratory) -> Row {
    let number = |os: bool| {
        let counted = suite().filter(|program| {
            let [one, other] = [row.one, row.other].map(|way| cell(program, way, 64, os));
            (row.counts)(ratio(laboratory, row.of, one, other))
        });
        counted.count()
    };
    let all = suite().count();
    let (without, with) = (number(false), number(true));
    // Without the operating system these two are the same run, which says nothing.
    let same = (row.one, row.other) == (CLS_TP, CLS);
    let within = |number: usize, most: usize| number.abs_diff(row.published) <= most;
    let half = |number: usize| 2 * number > all;
    let alike = |number: usize| within(number, 6) && half(number) == half(row.published);
    Row {
        place: row.place,
        figures: figures_of_all(row.of, row.one, row.other),
        statement: format!("programs that are {}", row.statement)
            .replace("are fewer", "make fewer")
            .replace("are more", "make more"),
        published: row.text.to_owned(),
        simulated: format!("{without} of {all}; with os {with}"),
        number: None,
        without: None,
        with_os: None,
        verdict: if within(without, 3) && !same {
            Verdict::Native
        } else if within(with, 3) {
            Verdict::NeedsOs
        } else if alike(without) && !same || alike(with) {
            Verdict::SignOnly
        } else {
            Verdict::DoesNot
        },
        why: "comes out within three programs, in direction within six on the same side of half; differences of some hundredths are chance",
    }
}

/// "Very unstable": times differ more from one number of workers to another than those of LGS. The thesis means its error bars,
/// too, but one seed has none.
fn unstable(laboratory: &Laboratory) -> Row {
    let spread = |policy| {
        let times =
            WORKERS.map(|workers| laboratory.makespan(cell("pingpong", (policy, false), workers, false)));
        let most = times.into_iter().fold(0.0, f64::max);
        most / times.into_iter().fold(f64::MAX, f64::min)
    };
    let (alt, lgs) = (spread("lgs-alt"), spread("lgs"));
    Row {
        place: "6.5.2",
        figures: vec!["6.16"],
        statement: "pingpong, slowest / fastest number of workers, lgs-alt beside lgs".to_owned(),
        published: "very unstable beside stable".to_owned(),
        simulated: format!("{alt:.2} beside {lgs:.2}"),
        number: None,
        without: None,
        with_os: None,
        verdict: if alt > 1.5 * lgs {
            Verdict::Native
        } else {
            Verdict::DoesNot
        },
        why: APART,
    }
}
