//! The table of published and simulated numbers. Only what held under all variations of the model is asserted.

use std::collections::BTreeSet;

use datil_sim::unwatched;
use datil_sim::woelke_2018::{Chapter, Figure, Row, Verdict, reproduce};

#[test]
fn the_robust_statements_come_out_and_the_others_are_not_claimed() {
    let Chapter { rows, figures } = reproduce(1, unwatched()).expect("it runs");
    figures_and_statements_agree(&rows, &figures);
    let row = |text: &str| -> &Row {
        let own = rows
            .iter()
            .filter(|row| row.statement.starts_with("Matrix Search"));
        let mut found = own.filter(|row| row.statement.contains(text));
        let row = found.next().unwrap_or_else(|| panic!("no row says {text}"));
        assert!(found.next().is_none(), "{text} is said twice");
        row
    };
    for text in [
        "lgs-co / lgs,",
        "remote share of LGS",
        "steals of LGS",
        "block-wise: LGS keeps scaling",
        "CLS-TP at 64 workers by its best",
    ] {
        assert_eq!(row(text).verdict, Verdict::Native, "{:?}", row(text));
    }
    // No mechanism inside a runtime distinguishes bound from wandering threads.
    let bound = row("cls-tp / cls, best");
    assert_eq!(bound.verdict, Verdict::Fitted);
    assert!(bound.simulated.starts_with("1.00;"), "{bound:?}");
    assert_eq!(row("lgs / cls-tp, worst").verdict, Verdict::DoesNot);
    // Every program of the suite that the thesis ran is in the tallies.
    let tally = rows.iter().find(|row| row.statement.contains("faster with LGS"));
    assert!(tally.expect("it is there").simulated.contains("of 23"));
    for row in &rows {
        let unavailable = row.simulated == "unavailable";
        assert_eq!(unavailable, row.verdict == Verdict::NotModelled, "{row:?}");
        // A number that the thesis does not give is no published one, whatever it is held against.
        let in_words = ["nearly 1,", "below 1,", "above 1,"].map(|words| row.published.contains(words));
        assert!(!in_words.contains(&true) || row.number.is_none(), "{row:?}");
        let unexplained = !comes_out(row.verdict) && row.why.is_empty();
        assert!(!unexplained, "{row:?}");
    }
}

fn comes_out(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Native | Verdict::NeedsOs | Verdict::Fitted)
}

/// Each figure has a statement, each point was simulated, and a published value is one that a statement gives, too.
fn figures_and_statements_agree(rows: &[Row], figures: &[Figure]) {
    for figure in figures {
        let own = rows.iter().filter(|row| row.figures.contains(&figure.number));
        assert!(own.count() > 0, "nothing is said of Figure {}", figure.number);
        for panel in &figure.panels {
            let points = panel.series.iter().flat_map(|series| &series.points);
            for point in points {
                assert!(
                    point.without.is_finite() && point.with_os.is_finite(),
                    "{point:?}"
                );
                assert!(point.published.is_none() || point.said.is_some(), "{point:?}");
                let bars = panel.programs && point.said.is_some();
                let row = rows.iter().find(|row| {
                    row.figures.contains(&figure.number)
                        && row.statement.starts_with(&format!("{}, ", point.program))
                });
                let row = row.filter(|row| {
                    row.number == point.published && Some(&row.published) == point.said.as_ref()
                });
                assert!(
                    !bars || row.is_some_and(|row| row.without == Some(point.without)),
                    "{point:?}"
                );
            }
        }
    }
    let known: BTreeSet<&str> = figures.iter().map(|figure| figure.number).collect();
    let named = rows.iter().flat_map(|row| &row.figures);
    assert!(named.clone().all(|figure| known.contains(figure)));
}
