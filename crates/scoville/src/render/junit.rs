//! JUnit XML: a cell is a test case. A wrong result, a time-out or a crash is a failure; what was not run is skipped.

use crate::digits::number_of;
use crate::model::analysis::{Analysis, Cell, CellState, GroupAnalysis, Measure};
use crate::model::invocation::Failure;
use crate::model::plan::Skip;

use super::words;

/// One suite per group and one for what was left out of the plan.
pub fn render(analysis: &Analysis) -> String {
    let mut suites: Vec<Suite> = analysis.groups.iter().map(group_suite).collect();
    suites.extend(skipped_suite(analysis));
    let total = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        escape(&analysis.session),
        total(|s| s.tests),
        total(|s| s.failures),
        total(|s| s.skipped)
    );
    for suite in &suites {
        out.push_str(&format!(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}  </testsuite>\n",
            escape(&suite.name),
            suite.tests,
            suite.failures,
            suite.skipped,
            suite.cases
        ));
    }
    out + "</testsuites>\n"
}

#[derive(Default)]
struct Suite {
    name: String,
    tests: usize,
    failures: usize,
    skipped: usize,
    cases: String,
}

fn group_suite(group: &GroupAnalysis) -> Suite {
    let key = &group.key;
    let mut suite = Suite {
        name: format!("{}.{}.{}", key.benchmark, key.preset, key.cores),
        ..Suite::default()
    };
    for cell in &group.cells {
        add_case(&mut suite, cell);
    }
    suite
}

fn add_case(suite: &mut Suite, cell: &Cell) {
    suite.tests += 1;
    let seconds = (cell.estimates.get(&Measure::Wall))
        .filter(|_| cell.state.has_numbers())
        .map_or_else(String::new, |e| format!(" time=\"{:.9}\"", e.value / 1e9));
    let inner = match &cell.state {
        CellState::Verified => String::new(),
        CellState::Unsupported { reason } => {
            suite.skipped += 1;
            skipped(reason)
        }
        CellState::Unverified { reason } => {
            suite.skipped += 1;
            skipped(&format!("unverified: {reason}"))
        }
        CellState::Missing => {
            suite.skipped += 1;
            skipped("not measured yet")
        }
        CellState::Void { failure } => {
            suite.failures += 1;
            failed("void", &failure.message, failure)
        }
        CellState::Failed { failure, failed: n } => {
            suite.failures += 1;
            let all = number_of(*n as usize, "invocation");
            let message = format!("{n} of {all} failed: {}", failure.message);
            failed(words::failure_word(&failure.kind), &message, failure)
        }
        CellState::Partly { failed: k, of, first } => {
            suite.failures += 1;
            let message = format!("{k} of {of} invocations failed: {}", first.message);
            failed(words::failure_word(&first.kind), &message, first)
        }
    };
    suite.cases.push_str(&format!(
        "    <testcase classname=\"{}\" name=\"{}\"{seconds}>{inner}</testcase>\n",
        escape(&suite.name),
        escape(&cell.runtime)
    ));
}

/// What is no cell of any group; `None` if there is nothing.
fn skipped_suite(analysis: &Analysis) -> Option<Suite> {
    let mut suite = Suite {
        name: "not planned".into(),
        ..Suite::default()
    };
    let skips = analysis.plan.skipped.iter();
    for skip in skips.filter(|skip| !is_cell(analysis, skip)) {
        suite.tests += 1;
        suite.skipped += 1;
        suite.cases.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"{}\">{}</testcase>\n",
            escape(skip.benchmark.as_deref().unwrap_or("every benchmark")),
            escape(&skip.runtime),
            skipped(&skip.reason)
        ));
    }
    (suite.tests > 0).then_some(suite)
}

/// Whether a group has it as an unsupported cell.
fn is_cell(analysis: &Analysis, skip: &Skip) -> bool {
    let groups = analysis.groups.iter();
    let mut cells = groups
        .filter(|group| Some(&group.key.benchmark) == skip.benchmark.as_ref())
        .flat_map(|group| &group.cells);
    cells.any(|cell| {
        let unsupported = matches!(cell.state, CellState::Unsupported { .. });
        cell.runtime == skip.runtime && unsupported && skip.unsupported().is_some()
    })
}

fn skipped(reason: &str) -> String {
    format!("<skipped message=\"{}\"/>", escape(reason))
}

fn failed(kind: &str, message: &str, failure: &Failure) -> String {
    let details = [&failure.stderr_tail, &failure.diagnosis];
    let details: Vec<&str> = (details.iter().map(|d| d.as_str()))
        .filter(|d| !d.is_empty())
        .collect();
    format!(
        "<failure type=\"{}\" message=\"{}\">{}</failure>",
        escape(kind),
        escape(message),
        escape(&details.join("\n"))
    )
}

/// Text as XML 1.0 can carry it; characters that it cannot are replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
