//! Chapter 6 of Woelke's thesis: each statement and each figure, published beside simulated.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use datil_sim::woelke_2018::{self, CALIBRATION, CLOSE, Chapter, NEAR, Row, Verdict};

use super::super::Exit;
use super::super::simulate::write_page;
use super::{ReproduceArgs, doubt, figures, section, show, watched};
use crate::digits::number_of;
use crate::render::field::Field;
use crate::render::html::simulation::{Figure, Page, Section};

/// Prints the chapter, and writes its page.
pub(super) fn run(arguments: &ReproduceArgs, out: &mut dyn Write) -> Result<Exit> {
    let chapter = watched(|watch| woelke_2018::reproduce(arguments.seeds, watch))?;
    show_thesis(&chapter, arguments, out)?;
    // The page last: what is simulated is of use without it.
    write_page(arguments.html.as_deref(), || {
        thesis_page(&chapter, arguments.seeds)
    })?;
    Ok(Exit::Good)
}

fn show_thesis(chapter: &Chapter, arguments: &ReproduceArgs, out: &mut dyn Write) -> Result<()> {
    if arguments.json {
        let value = serde_json::json!({
            "simulated": true,
            "publication": "woelke-2018",
            "seeds": arguments.seeds,
            "calibration": CALIBRATION,
            "close": CLOSE,
            "rows": chapter.rows,
            "figures": chapter.figures,
        });
        writeln!(out, "{value}")?;
        return Ok(());
    }
    writeln!(
        out,
        "Woelke, Optimizing Data Locality in CAF, 2018, chapter 6: published beside simulated, nothing measured.{}\n\
         {}\n{NOTATION}\n",
        doubt(arguments.seeds),
        rule_of_verdicts()
    )?;
    let rows = &chapter.rows;
    show(&THESIS_HEADER, rows.iter().map(thesis_columns), out)?;
    writeln!(out)?;
    for (verdict, count) in verdicts(rows) {
        writeln!(out, "{count:3} {}: {}", verdict.text(), verdict.meaning())?;
    }
    writeln!(out, "\nThe model was fitted to these points and to no others:")?;
    show(
        &["parameter", "fitted to"],
        CALIBRATION.iter().map(|(a, b)| vec![(*a).into(), (*b).into()]),
        out,
    )
}

fn rule_of_verdicts() -> String {
    format!(
        "A simulated ratio comes out if it is on the same side of 1 as the published one and near it: not farther away than {CLOSE} \
         (times the published one, if that is above 1), and not farther than half of what lies between the published one and \
         1, or {NEAR} if that is more."
    )
}

/// How statements and numbers are to be read.
const NOTATION: &str = "a / b is what a takes by what b takes. The second simulated number, with os, is with the operating system's terms, \
     which move threads that are not bound and balance pages. \"Here\" stands before the number that a vague statement is \
     held against.";

const THESIS_HEADER: [&str; 7] = [
    "section",
    "figure",
    "statement",
    "published",
    "simulated",
    "verdict",
    "why",
];

/// The simulated number is that without the operating system, which its text begins with.
fn thesis_columns(row: &Row) -> Vec<Field> {
    let place = [row.place.into(), row.figures.join(", ").into()];
    place.into_iter().chain(statement_columns(row)).collect()
}

/// A row without its place.
pub(super) fn statement_columns(row: &Row) -> [Field; 5] {
    let number = |number, text: &String| Field {
        number,
        ..text.as_str().into()
    };
    [
        row.statement.as_str().into(),
        number(row.number, &row.published),
        number(row.without, &row.simulated),
        row.verdict.text().into(),
        row.why.into(),
    ]
}

/// How many rows got which verdict, the best first.
fn verdicts(rows: &[Row]) -> Vec<(Verdict, usize)> {
    let mut counts = BTreeMap::new();
    for row in rows {
        *counts.entry(row.verdict).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

fn thesis_page(chapter: &Chapter, seeds: u64) -> Page {
    let rows = &chapter.rows;
    let figures = chapter
        .figures
        .iter()
        .map(|figure| figures::section(figure, rows));
    let begin = [verdicts_section(rows, seeds), statements_section(rows)].into_iter();
    Page {
        title: "Woelke 2018, chapter 6: published and simulated".to_owned(),
        method: format!("Machine opteron, {} per cell.", number_of(seeds as usize, "seed")),
        sections: begin.chain(figures).chain([calibration_section()]).collect(),
    }
}

fn verdicts_section(rows: &[Row], seeds: u64) -> Section {
    let summary = verdicts(rows).into_iter().map(|(verdict, count)| {
        vec![
            verdict.text().into(),
            Field::of(count as f64, count.to_string()),
            verdict.meaning().into(),
        ]
    });
    section(
        "Verdicts",
        format!(
            "What came of {} statements.{} {WITHOUT_RESULTS}",
            rows.len(),
            doubt(seeds)
        ),
        None,
        &["verdict", "statements", "meaning"],
        summary.collect(),
    )
}

fn statements_section(rows: &[Row]) -> Section {
    // Of a bound there is no dot, so that its row says what is published.
    let named = |row: &Row| match row.number {
        Some(_) => row.statement.clone(),
        None => format!("{}; {}", row.statement, row.published),
    };
    let drawn = rows
        .iter()
        .filter(|row| row.without.is_some() && row.with_os.is_some())
        .map(|row| (named(row), vec![row.number, row.without, row.with_os]));
    let figure = Figure::Dots {
        axis: "published and simulated ratios".to_owned(),
        series: ["published", "simulated", "simulated with the operating system"]
            .map(str::to_owned)
            .to_vec(),
        rows: drawn.collect(),
    };
    section(
        "Statements",
        format!("{} {NOTATION}", rule_of_verdicts()),
        Some(figure),
        &THESIS_HEADER,
        rows.iter().map(thesis_columns).collect(),
    )
}

fn calibration_section() -> Section {
    let fitted = CALIBRATION.iter().map(|(a, b)| vec![(*a).into(), (*b).into()]);
    section(
        "Calibration",
        "The model was fitted to these points and to no others.".to_owned(),
        None,
        &["parameter", "fitted to"],
        fitted.collect(),
    )
}

/// Why some figures and tables of the chapter are missing.
const WITHOUT_RESULTS: &str = "Each figure with results has a section below. Figure 6.1 and the tables 6.1 and 6.2 describe the server and its software; \
     the distances of Table 6.1 are those of the simulated machine.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::html::simulation::render;

    fn chapter(row: Row) -> Chapter {
        Chapter {
            rows: vec![row],
            figures: Vec::new(),
        }
    }

    #[test]
    fn the_page_says_what_its_verdicts_mean_and_how_often_was_simulated() {
        let row = Row {
            place: "6.3",
            figures: vec!["6.2"],
            statement: "Matrix Search".to_owned(),
            published: "0.62".to_owned(),
            simulated: "1.00".to_owned(),
            number: Some(0.62),
            without: Some(1.0),
            with_os: Some(0.62),
            verdict: Verdict::Fitted,
            why: "",
        };
        let page = |seeds| render(&thesis_page(&chapter(row.clone()), seeds));
        assert!(page(1).contains("1 seed per cell") && page(2).contains("2 seeds per cell"));
        assert!(page(1).contains("proves nothing"), "{}", page(1));
        let doubted = "nothing is known of chance";
        assert!(page(1).contains(doubted) && !page(2).contains(doubted));
    }

    #[test]
    fn a_bound_is_written_and_not_drawn() {
        let row = |number| Row {
            place: "6.5.4",
            figures: Vec::new(),
            statement: "big".to_owned(),
            published: "above 2".to_owned(),
            simulated: "14; with os 13".to_owned(),
            number,
            without: Some(14.0),
            with_os: Some(13.0),
            verdict: Verdict::Native,
            why: "",
        };
        let dots = |number| {
            render(&thesis_page(&chapter(row(number)), 1))
                .matches("<title>big, ")
                .count()
        };
        assert_eq!((dots(Some(2.0)), dots(None)), (3, 0));
        let page = render(&thesis_page(&chapter(row(None)), 1));
        assert_eq!(page.matches("<title>big; above 2, ").count(), 2, "{page}");
    }
}
