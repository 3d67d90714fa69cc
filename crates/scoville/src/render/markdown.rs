//! The comparison tables in Markdown (GitHub's dialect).

use crate::model::analysis::{Analysis, Measure};
use crate::plain;

use super::comparison;
use super::growth;
use super::words;

/// One table per size and core count, with its legend as a list.
pub fn render(analysis: &Analysis, measure: Measure) -> String {
    let mut out = String::new();
    for table in comparison::tables(analysis, measure) {
        let relative = match &table.baseline {
            Some(b) => format!(", ratio to {}", escape(b)),
            None => String::new(),
        };
        out.push_str(&format!(
            "### {}{relative}: {}, {}\n\n{}\n\n",
            words::title(measure),
            escape(&table.preset),
            words::cores(table.cores),
            words::meaning(measure)
        ));
        let heads: Vec<String> = table.runtimes.iter().map(|r| escape(r)).collect();
        out.push_str(&format!("| benchmark | {} |\n", heads.join(" | ")));
        out.push_str(&format!("|:--|{}\n", ":--|".repeat(heads.len())));
        for row in &table.rows {
            let entries: Vec<String> = row.entries.iter().map(|e| escape(&e.line())).collect();
            out.push_str(&format!("| {} | {} |\n", escape(&row.label), entries.join(" | ")));
        }
        out.push('\n');
        for line in comparison::legend(analysis, &table) {
            out.push_str(&format!("- {}\n", escape(&line).replacen('+', "\\+", 1)));
        }
        out.push('\n');
    }
    for table in growth::tables(analysis) {
        let line = |cells: Vec<&String>| {
            let cells: Vec<String> = cells.into_iter().map(|cell| escape(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        out.push_str(&format!("### Growth\n\n{}\n\n", escape(&table.caption)));
        out.push_str(&line(table.columns.iter().collect()));
        out.push_str(&format!("|{}\n", ":--|".repeat(table.columns.len())));
        for row in &table.rows {
            out.push_str(&line(row.iter().map(|cell| &cell.text).collect()));
        }
        out.push('\n');
    }
    out
}

/// Text that Markdown shows as it is, inside a table too.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in plain::line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}
