//! The final table in a terminal.

use std::io::IsTerminal;

use comfy_table::{Attribute, Cell as TableCell, CellAlignment, Color, Table, presets};

use crate::digits::number_of;
use crate::model::analysis::{Analysis, Measure};
use crate::plain;

use super::comparison::{self, Comparison, Entry, Tone};
use super::{growth, words};

/// How wide and whether in colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Columns; a table that is wider is cut into several.
    pub width: usize,
    /// Colour on top of the signs. Nothing is said by colour alone.
    pub colour: bool,
}

impl Screen {
    /// Standard output as it is now: its width if it is a terminal that knows it, else 120 columns; colour only on a terminal and
    /// only if `NO_COLOR` is unset or empty.
    pub fn stdout() -> Self {
        let terminal = std::io::stdout().is_terminal();
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        Screen {
            width: width(terminal.then(|| Table::new().width()).flatten()),
            colour: terminal && !no_colour,
        }
    }
}

/// A terminal that nobody has told its size, such as one of a container or on a serial line, says that it has 0 columns.
fn width(columns: Option<u16>) -> usize {
    columns.filter(|columns| *columns > 0).map_or(120, usize::from)
}

/// The tables of a measure, one per size and core count, with their legends. Nothing in it steers a terminal but its colours.
pub fn render(analysis: &Analysis, measure: Measure, screen: Screen) -> String {
    let mut out = String::new();
    for comparison in comparison::tables(analysis, measure) {
        out.push_str(&one(analysis, &comparison, screen));
        out.push('\n');
    }
    for table in growth::tables(analysis) {
        out.push_str(&ladder(&table, screen));
        out.push('\n');
    }
    let v = &analysis.validity;
    if v.void + v.failed + v.contaminated > 0 {
        out.push_str(&format!(
            "{} of {} verified, {} void, {} failed, {} unsupported; {} of {} contaminated\n",
            v.verified,
            number_of(v.cells as usize, "cell"),
            v.void,
            v.failed,
            v.unsupported,
            v.contaminated,
            number_of(v.invocations as usize, "invocation")
        ));
    }
    for (runtimes, reason) in v.left_out() {
        let line = format!("left out: {}: {reason}", runtimes.join(", "));
        out.push_str(&wrapped(&plain::line(&line), screen.width));
    }
    out
}

/// Who climbed how far. What happened stands below the table, since it may be long; metrics are left to the other formats.
fn ladder(table: &growth::Table, screen: Screen) -> String {
    let mut shown = Table::new();
    shown.load_style(presets::NOTHING);
    shown.force_no_tty();
    let (short, story) = (growth::SHORT, table.columns.len() - 1);
    shown.set_header(table.columns[..short].iter().map(|title| plain::line(title)));
    for row in &table.rows {
        shown.add_row(row[..short].iter().map(|cell| plain::line(&cell.text)));
    }
    let mut out = wrapped(&plain::line(&table.caption), screen.width)
        .trim_start()
        .to_owned();
    for line in shown.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    for row in table.rows.iter().filter(|row| !row[story].text.is_empty()) {
        let line = format!("{}: {}", row[0].text, row[story].text);
        out.push_str(&wrapped(&plain::line(&line), screen.width));
    }
    out
}

fn one(analysis: &Analysis, comparison: &Comparison, screen: Screen) -> String {
    let relative = match &comparison.baseline {
        Some(b) => format!(", ratio to {}", plain::line(b)),
        None => String::new(),
    };
    let mut out = format!(
        "{}{relative}; {}; {}, {}\n",
        words::title(comparison.measure),
        words::meaning(comparison.measure),
        plain::line(&comparison.preset),
        words::cores(comparison.cores)
    );
    for columns in pages(comparison, screen.width) {
        out.push_str(&layout(comparison, &columns, screen.colour));
        out.push('\n');
    }
    for line in comparison::legend(analysis, comparison) {
        out.push_str(&wrapped(&plain::line(&line), screen.width));
    }
    out
}

/// A line broken at spaces, indented by one. A number keeps its %.
pub fn wrapped(line: &str, width: usize) -> String {
    const KEPT: char = '\u{a0}';
    let line = line.replace(" %", &format!("{KEPT}%"));
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let last = lines.last_mut().expect("there is always a line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(format!(" {word}"));
        } else {
            last.push(' ');
            last.push_str(word);
        }
    }
    let lines: Vec<&str> = lines.iter().map(|l| l.trim_end()).collect();
    lines.join("\n").replace(KEPT, " ") + "\n"
}

/// Cuts the runtimes into pages that fit; every page repeats the first column, which ratios are relative to.
fn pages(comparison: &Comparison, width: usize) -> Vec<Vec<usize>> {
    let fits = |columns: &[usize]| {
        let text = layout(comparison, columns, false);
        text.lines().map(|l| l.chars().count()).max().unwrap_or(0) <= width
    };
    let mut pages: Vec<Vec<usize>> = vec![vec![0]];
    for column in 1..comparison.runtimes.len() {
        let page = pages.last_mut().expect("there is always a page");
        page.push(column);
        // A page with one runtime beside the baseline stays, however wide it is: less would say nothing.
        if page.len() > 2 && !fits(page) {
            page.pop();
            pages.push(vec![0, column]);
        }
    }
    pages
}

fn layout(comparison: &Comparison, columns: &[usize], colour: bool) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if colour {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    let heads = columns.iter().map(|&c| plain::line(&comparison.runtimes[c]));
    table.set_header(
        std::iter::once("benchmark".to_string())
            .chain(heads)
            .map(|h| TableCell::new(h).add_attribute(Attribute::Bold)),
    );
    // Numbers stand right-aligned, signs left-aligned beside them.
    let width = |c: usize| {
        comparison
            .rows
            .iter()
            .map(|r| r.entries[c].text.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = columns.iter().map(|&c| width(c)).collect();
    for row in &comparison.rows {
        let mut cells = vec![TableCell::new(plain::line(&row.label))];
        cells.extend(
            columns
                .iter()
                .zip(&widths)
                .map(|(&c, &w)| styled(&row.entries[c], w, colour)),
        );
        table.add_row(cells);
    }
    let lines: Vec<String> = (table.lines()).map(|l| l.trim_end().to_string()).collect();
    lines.join("\n")
}

fn styled(entry: &Entry, width: usize, colour: bool) -> TableCell {
    let text = format!("{:>width$} {}", plain::line(&entry.text), entry.sign);
    let cell = TableCell::new(text.trim_end()).set_alignment(CellAlignment::Left);
    if !colour {
        return cell;
    }
    match entry.tone {
        Tone::Plain => cell,
        Tone::Better => cell.fg(Color::Cyan),
        Tone::Worse => cell.fg(Color::Yellow),
        Tone::Dim => cell.add_attribute(Attribute::Dim),
        Tone::Bad => cell.fg(Color::Red).add_attribute(Attribute::Bold),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_without_a_size_is_no_narrow_one() {
        assert_eq!([None, Some(0), Some(80)].map(width), [120, 120, 80]);
    }

    #[test]
    fn a_number_keeps_its_per_cent_at_the_end_of_a_line() {
        assert_eq!(
            wrapped("equal within 2.0 %; else not", 18),
            " equal within\n 2.0 %; else not\n"
        );
    }
}
