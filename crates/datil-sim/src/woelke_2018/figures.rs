//! The figures of chapter 6: what each shows, simulated, with those of its values that the thesis' text gives. The text has most
//! figures only as captions, so that hardly any published value is known; none was read off a picture.
//!
//! Figure 6.1 and the tables 6.1 and 6.2 describe the server and its software; they have no results. Table 6.1 is part of the
//! machine `opteron`.

use serde::Serialize;

use super::matrix_search::{BLOCKWISE, MATRIX, WORKERS as MATRIX_WORKERS};
use super::quantity::{
    CLS, CLS_SPREAD, CLS_TP, CLS_TP_SPREAD, LGS, LGS_CO, Quantity, Way, cell, name, ratio, suite,
};
use super::savina::{self, WORKERS};
use crate::laboratory::{Cell, Laboratory};

/// A figure of the thesis.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// Its number.
    pub number: &'static str,
    /// Section that it belongs to.
    pub section: &'static str,
    /// What it shows, in short.
    pub caption: &'static str,
    /// Its published values that are not known.
    pub unavailable: &'static str,
    /// What it shows that is not simulated; empty if there is nothing.
    pub not_simulated: &'static str,
    /// Workers from which on it is drawn, if it is a zoomed one: the text does not say what it was zoomed to.
    pub drawn_from: Option<usize>,
    /// A panel per quantity.
    pub panels: Vec<Panel>,
}

/// One quantity of a figure.
#[derive(Clone, Debug, Serialize)]
pub struct Panel {
    /// What is shown, or whose ratios are.
    pub quantity: Quantity,
    /// Whether it has programs side by side, in ratios, rather than curves over workers.
    pub programs: bool,
    /// What is compared.
    pub series: Vec<Series>,
}

/// A policy's curve, or the ratios of two policies.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// Policy with placement, or two of them.
    pub name: String,
    /// In order of workers or programs.
    pub points: Vec<Point>,
}

/// A value of a figure.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Program that ran.
    pub program: &'static str,
    /// Workers that it had.
    pub workers: usize,
    /// The published value, if the text gives one.
    pub published: Option<f64>,
    /// How the text says it, if it says anything of this value.
    pub said: Option<String>,
    /// Mean over the seeds without the operating system.
    pub without: f64,
    /// Its standard error; of ratios, and with one seed, there is none.
    pub without_error: Option<f64>,
    /// Mean with the operating system's terms.
    pub with_os: f64,
    /// Its standard error.
    pub with_os_error: Option<f64>,
}

/// What a figure shows.
enum Shows {
    /// Quantities of one program over the number of workers.
    Curves {
        program: &'static str,
        blockwise: bool,
        of: &'static [Quantity],
        ways: &'static [Way],
        workers: &'static [usize],
        /// Values that the text gives.
        said: &'static [(Quantity, Way, usize, f64, &'static str)],
    },
    /// A quantity of all programs at 64 workers, by that of another policy.
    Ratios { of: Quantity, one: Way, other: Way },
}

struct Plan {
    number: &'static str,
    section: &'static str,
    caption: &'static str,
    shows: Shows,
    unavailable: &'static str,
    not_simulated: &'static str,
    drawn_from: Option<usize>,
}

/// In zoomed figures: before it the curves of Matrix Search fall so steeply that no difference is seen.
const ZOOMED: Option<usize> = Some(24);

const LGS_UC: Way = ("lgs-uc", false);
/// Of CLS and CLS-TP: attempts "rise linearly from 1,000 to 30,000", of workers from 4 to 64.
const RISE: [&str; 2] = ["1,000", "30,000"];

const TIMES: &str = "all times; the text gives ratios of some of them";
const COUNTS: &str = "all counts; the text gives none";
const BARS: &str = "those of all programs without a dot or bound of what is published; the text gives none";
const OTHERS: &str = "Akka, Habanero and other frameworks";

const fn matrix(ways: &'static [Way], of: &'static [Quantity]) -> Shows {
    Shows::Curves {
        program: MATRIX,
        blockwise: false,
        of,
        ways,
        workers: &MATRIX_WORKERS,
        said: &[],
    }
}

const fn curves(program: &'static str, ways: &'static [Way], of: &'static [Quantity]) -> Shows {
    Shows::Curves {
        program,
        blockwise: false,
        of,
        ways,
        workers: &WORKERS,
        said: &[],
    }
}

const fn ratios(of: Quantity, one: Way, other: Way) -> Shows {
    Shows::Ratios { of, one, other }
}

const fn plan(number: &'static str, section: &'static str, caption: &'static str, shows: Shows) -> Plan {
    let unavailable = match shows {
        Shows::Curves { .. } => TIMES,
        Shows::Ratios { .. } => BARS,
    };
    Plan {
        number,
        section,
        caption,
        shows,
        unavailable,
        not_simulated: "",
        drawn_from: None,
    }
}

const ACCESSES: &[Quantity] = &[Quantity::Local, Quantity::Remote];
const EVENTS: &[Quantity] = &[Quantity::Events, Quantity::Attempts, Quantity::Steals];
const VARIANTS: &[Way] = &[CLS, CLS_TP, LGS, LGS_UC];

const FIGURES: [Plan; 20] = [
    plan(
        "6.2",
        "6.3",
        "Matrix Search: time",
        matrix(VARIANTS, &[Quantity::Time]),
    ),
    Plan {
        unavailable: "all counts; the text gives shares of remote accesses, which have a panel of their own here, and bounds of them",
        ..plan(
            "6.3",
            "6.3",
            "Matrix Search: local and remote accesses",
            Shows::Curves {
                program: MATRIX,
                blockwise: false,
                of: &[Quantity::Local, Quantity::Remote, Quantity::RemoteShare],
                ways: &[CLS, CLS_TP, LGS],
                workers: &MATRIX_WORKERS,
                said: &[
                    (Quantity::RemoteShare, CLS, 4, 0.04, "4 %"),
                    (Quantity::RemoteShare, LGS, 4, 0.04, "4 %"),
                ],
            },
        )
    },
    Plan {
        drawn_from: ZOOMED,
        ..plan(
            "6.4",
            "6.3",
            "Matrix Search: time, cut out of Figure 6.2",
            matrix(VARIANTS, &[Quantity::Time]),
        )
    },
    Plan {
        unavailable: "all counts but the ends of the attempts of CLS and CLS-TP",
        ..plan(
            "6.5",
            "6.3",
            "Matrix Search: scheduling events, steal attempts and steals",
            Shows::Curves {
                program: MATRIX,
                blockwise: false,
                of: EVENTS,
                ways: &[CLS, CLS_TP, LGS],
                workers: &MATRIX_WORKERS,
                said: &[
                    (Quantity::Attempts, CLS, 4, 1_000.0, RISE[0]),
                    (Quantity::Attempts, CLS, 64, 30_000.0, RISE[1]),
                    (Quantity::Attempts, CLS_TP, 4, 1_000.0, RISE[0]),
                    (Quantity::Attempts, CLS_TP, 64, 30_000.0, RISE[1]),
                ],
            },
        )
    },
    Plan {
        drawn_from: ZOOMED,
        ..plan(
            "6.6",
            "6.4.1",
            "Matrix Search: time with memory interleaved",
            matrix(
                &[CLS, CLS_SPREAD, CLS_TP, CLS_TP_SPREAD, LGS, LGS_UC],
                &[Quantity::Time],
            ),
        )
    },
    Plan {
        drawn_from: ZOOMED,
        ..plan(
            "6.7",
            "6.4.2",
            "Matrix Search: time of variants of LGS",
            matrix(&[LGS, LGS_UC, ("lgs-dfs", false), LGS_CO], &[Quantity::Time]),
        )
    },
    Plan {
        unavailable: "all times; the text gives the best number of workers of CLS and CLS-TP, 28",
        ..plan(
            "6.8",
            "6.4.3",
            "Matrix Search: time with jobs assigned block-wise",
            Shows::Curves {
                program: MATRIX,
                blockwise: true,
                of: &[Quantity::Time],
                ways: &[CLS, CLS_TP, ("cls-dealt", false), LGS],
                workers: &BLOCKWISE,
                said: &[],
            },
        )
    },
    plan(
        "6.9",
        "6.5.1",
        "Savina: time of LGS by that of CLS",
        ratios(Quantity::Time, LGS, CLS),
    ),
    plan(
        "6.10",
        "6.5.1",
        "Savina: remote accesses of LGS by those of CLS",
        ratios(Quantity::Remote, LGS, CLS),
    ),
    plan(
        "6.11",
        "6.5.1",
        "Savina: local accesses of LGS by those of CLS",
        ratios(Quantity::Local, LGS, CLS),
    ),
    Plan {
        unavailable: "those of all programs without a dot of what is published; the text says that they are within 10 % of 1",
        ..plan(
            "6.12",
            "6.5.1",
            "Savina: time of CLS-TP by that of CLS",
            ratios(Quantity::Time, CLS_TP, CLS),
        )
    },
    Plan {
        unavailable: "those of all programs without a dot of what is published; the text says that 14 are within 3 % of 1. The \
                      caption calls CLS the baseline, the text says LGS, which the numbers fit",
        ..plan(
            "6.13",
            "6.5.1",
            "Savina: time of LGS-CO by that of LGS",
            ratios(Quantity::Time, LGS_CO, LGS),
        )
    },
    Plan {
        unavailable: "those of all programs without a dot of what is published; the text says that most are within 4 % of 1",
        ..plan(
            "6.14",
            "6.5.1",
            "Savina: time of CLS interleaved by that of CLS",
            ratios(Quantity::Time, CLS_SPREAD, CLS),
        )
    },
    Plan {
        unavailable: "all values; the text gives none",
        ..plan(
            "6.15",
            "6.5.1",
            "Savina: time of CLS-TP interleaved by that of CLS",
            ratios(Quantity::Time, CLS_TP_SPREAD, CLS),
        )
    },
    Plan {
        unavailable: "all times; the text gives none",
        not_simulated: "Akka and Habanero",
        ..plan(
            "6.16",
            "6.5.2",
            "pingpong: time",
            curves("pingpong", &[CLS, LGS, ("lgs-alt", false)], &[Quantity::Time]),
        )
    },
    Plan {
        not_simulated: OTHERS,
        ..plan(
            "6.17",
            "6.5.3",
            "concsll: time",
            curves("concsll", &[CLS, LGS], &[Quantity::Time]),
        )
    },
    Plan {
        not_simulated: OTHERS,
        ..plan(
            "6.18",
            "6.5.3",
            "concdict: time",
            curves("concdict", &[CLS, LGS, ("lgs-uw", false)], &[Quantity::Time]),
        )
    },
    Plan {
        unavailable: COUNTS,
        ..plan(
            "6.19",
            "6.5.3",
            "concsll: local and remote accesses",
            curves("concsll", &[CLS, LGS], ACCESSES),
        )
    },
    Plan {
        unavailable: "all counts; the text gives ratios of two of them",
        ..plan(
            "6.20",
            "6.5.3",
            "concdict: local and remote accesses",
            curves("concdict", &[CLS, LGS], ACCESSES),
        )
    },
    Plan {
        unavailable: "all counts; the text gives ratios of some of them",
        ..plan(
            "6.21",
            "6.5.4",
            "philosopher: scheduling events, steal attempts and steals",
            curves("philosopher", &[CLS, LGS], EVENTS),
        )
    },
];

/// The figures that show a program's quantity with two policies; bars show it only at 64 workers.
pub(super) fn figures_of(
    program: &str,
    of: Quantity,
    one: Way,
    other: Way,
    at_64: bool,
) -> Vec<&'static str> {
    let shows = |shows: &Shows| match *shows {
        Shows::Ratios { .. } => at_64 && compares(shows, of, one, other),
        Shows::Curves {
            program: shown,
            of: quantities,
            ways,
            ..
        } => shown == program && quantities.contains(&of) && ways.contains(&one) && ways.contains(&other),
    };
    let found = FIGURES.iter().filter(|plan| shows(&plan.shows));
    found.map(|plan| plan.number).collect()
}

/// The figures that show this of all programs.
pub(super) fn figures_of_all(of: Quantity, one: Way, other: Way) -> Vec<&'static str> {
    let found = FIGURES
        .iter()
        .filter(|plan| compares(&plan.shows, of, one, other));
    found.map(|plan| plan.number).collect()
}

fn compares(shows: &Shows, quantity: Quantity, first: Way, second: Way) -> bool {
    matches!(*shows, Shows::Ratios { of, one, other } if (of, one, other) == (quantity, first, second))
}

/// What is simulated for them.
pub(super) fn cells() -> impl Iterator<Item = Cell> {
    FIGURES.iter().flat_map(|plan| {
        let mut cells = Vec::new();
        for os in [false, true] {
            match plan.shows {
                Shows::Curves {
                    program,
                    blockwise,
                    ways,
                    workers,
                    ..
                } => cells.extend(ways.iter().flat_map(move |&way| {
                    let at = move |&workers| curve_cell(program, blockwise, way, workers, os);
                    workers.iter().map(at)
                })),
                Shows::Ratios { one, other, .. } => {
                    cells.extend(
                        suite().flat_map(|program| [one, other].map(|way| cell(program, way, 64, os))),
                    );
                }
            }
        }
        cells
    })
}

fn curve_cell(program: &'static str, blockwise: bool, way: Way, workers: usize, os: bool) -> Cell {
    Cell {
        blockwise,
        ..cell(program, way, workers, os)
    }
}

/// All figures, from runs that there are.
pub(super) fn figures(laboratory: &Laboratory) -> Vec<Figure> {
    let figure = |plan: &Plan| Figure {
        number: plan.number,
        section: plan.section,
        caption: plan.caption,
        unavailable: plan.unavailable,
        not_simulated: plan.not_simulated,
        drawn_from: plan.drawn_from,
        panels: panels(&plan.shows, laboratory),
    };
    FIGURES.iter().map(figure).collect()
}

fn panels(shows: &Shows, laboratory: &Laboratory) -> Vec<Panel> {
    match *shows {
        Shows::Ratios { of, one, other } => vec![Panel {
            quantity: of,
            programs: true,
            series: vec![Series {
                name: format!("{} / {}", name(one), name(other)),
                points: suite()
                    .map(|program| bar(program, of, one, other, laboratory))
                    .collect(),
            }],
        }],
        Shows::Curves { of, ways, .. } => {
            let series = |of| {
                move |&way: &Way| Series {
                    name: name(way),
                    points: curve(shows, of, way, laboratory),
                }
            };
            let panel = |&of: &Quantity| Panel {
                quantity: of,
                programs: false,
                series: ways.iter().map(series(of)).collect(),
            };
            of.iter().map(panel).collect()
        }
    }
}

fn bar(program: &'static str, of: Quantity, one: Way, other: Way, laboratory: &Laboratory) -> Point {
    let value = |os| {
        let [one, other] = [one, other].map(|way| cell(program, way, 64, os));
        ratio(laboratory, of, one, other)
    };
    let (published, said) = savina::published(program, of, one, other).unzip();
    Point {
        program,
        workers: 64,
        published: published.flatten(),
        said,
        without: value(false),
        without_error: None,
        with_os: value(true),
        with_os_error: None,
    }
}

fn curve(shows: &Shows, of: Quantity, way: Way, laboratory: &Laboratory) -> Vec<Point> {
    let Shows::Curves {
        program,
        blockwise,
        workers,
        said,
        ..
    } = *shows
    else {
        return Vec::new();
    };
    let point = |&workers: &usize| {
        let at = |os| curve_cell(program, blockwise, way, workers, os);
        let value = |os| laboratory.mean(at(os), |run| of.value(run));
        let error = |os| laboratory.error(at(os), |run| of.value(run));
        let known = said
            .iter()
            .find(|known| (known.0, known.1, known.2) == (of, way, workers));
        Point {
            program,
            workers,
            published: known.map(|known| known.3),
            said: known.map(|known| known.4.to_owned()),
            without: value(false),
            without_error: error(false),
            with_os: value(true),
            with_os_error: error(true),
        }
    };
    workers.iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_numbered_as_in_the_chapter() {
        let numbers = FIGURES.map(|plan| plan.number.to_owned());
        let expected: Vec<String> = (2..=21).map(|number| format!("6.{number}")).collect();
        assert_eq!(numbers.to_vec(), expected);
    }

    /// What bars show, curves of the same program may show, too; but what is said of other numbers of workers is not in bars.
    #[test]
    fn a_statement_belongs_to_what_shows_its_numbers() {
        let of = |program, of, one, at_64| figures_of(program, of, one, CLS, at_64);
        assert_eq!(of("concsll", Quantity::Time, LGS, true), ["6.9", "6.17"]);
        assert_eq!(of("concsll", Quantity::Time, LGS, false), ["6.17"]);
        assert_eq!(of("concdict", Quantity::Remote, LGS, true), ["6.10", "6.20"]);
        assert_eq!(
            of("pingpong", Quantity::Time, ("lgs-alt-awake", false), true),
            [""; 0]
        );
        assert_eq!(figures_of_all(Quantity::Time, CLS_TP, CLS), ["6.12"]);
        assert_eq!(figures_of_all(Quantity::Remote, CLS_TP, CLS), [""; 0]);
    }

    /// A published value stands where the text says it, and only there.
    #[test]
    fn values_of_the_text_are_found_and_no_others() {
        let said = |program, of, one, other| savina::published(program, of, one, other);
        let known = said("fjthrput", Quantity::Remote, LGS, CLS);
        assert_eq!(known, Some((Some(0.73), "0.73".to_owned())));
        let bound = said("big", Quantity::Time, LGS, CLS);
        assert_eq!(bound, Some((None, "above 2".to_owned())));
        assert_eq!(said("sieve", Quantity::Time, LGS, CLS), None);
        // Of concsll's best number of workers nothing is said in the bars.
        assert_eq!(
            said("concsll", Quantity::Time, LGS, CLS),
            Some((None, "below 0.7".to_owned()))
        );
    }
}
