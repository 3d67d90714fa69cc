//! How far the session can be trusted: what was verified, what failed and why, what disturbed it.

use maud::{Markup, html};

use crate::digits::number_of;
use crate::model::analysis::{Analysis, Cell, CellState};

use super::super::{comparison, number, words};
use super::{page, table};

/// Class and word of the traffic light. Red where a result was wrong or nothing is verified. The steps of growth are no cells:
/// one that is wrong ends its runtime's climb, which its table says.
pub fn light(analysis: &Analysis) -> (&'static str, String) {
    let v = &analysis.validity;
    let only_grew = v.cells == 0 && !analysis.ladders.is_empty();
    let counts = match only_grew {
        true => "every step that passed is verified".to_owned(),
        false => format!(
            "{} of {} verified",
            v.verified,
            number_of(v.cells as usize, "cell")
        ),
    };
    if v.void > 0 || (v.verified == 0 && !only_grew) {
        ("red", format!("{counts}, {} with wrong results", v.void))
    } else if v.failed > 0 || v.contaminated > 0 || !v.warnings.is_empty() {
        let doubts = [
            (v.failed as usize, "failed cell"),
            (v.contaminated as usize, "contaminated invocation"),
            (v.warnings.len(), "warning"),
        ];
        let doubts = doubts.into_iter().filter(|(n, _)| *n > 0);
        let doubts: Vec<String> = doubts.map(|(n, noun)| number_of(n, noun)).collect();
        ("amber", format!("{counts}, with {}", doubts.join(", ")))
    } else {
        ("green", counts)
    }
}

pub fn tiles(analysis: &Analysis) -> Markup {
    let v = &analysis.validity;
    let tile = |n: u32, what: &str, class: &str| html! { li class=(class) { strong { (number::count(u64::from(n))) } span { (what) } } };
    html! {
        ul.tiles aria-label="Counts" {
            (tile(v.verified, "cells verified", ""))
            (tile(v.void, "wrong results", if v.void > 0 { "bad" } else { "" }))
            (tile(v.failed, "failed", if v.failed > 0 { "bad" } else { "" }))
            (tile(v.unsupported, "unsupported", ""))
            (tile(v.invocations, "invocations", ""))
            (tile(v.contaminated, "contaminated", if v.contaminated > 0 { "warn" } else { "" }))
        }
    }
}

pub fn section(analysis: &Analysis) -> Markup {
    html! {
        section id="validity" aria-labelledby="validity-title" {
            h2 id="validity-title" { "Validity" }
            p { "A result that differs from the catalogue voids its cell: no time of it appears anywhere. Contamination is judged by sensors "
                "alone, never by the measured value, and nothing is dropped." }
            (page::findings(&analysis.validity.warnings))
            (coverage(analysis))
            (failures(analysis))
            (contamination(analysis))
            (skipped(analysis))
        }
    }
}

fn coverage(analysis: &Analysis) -> Markup {
    html! {
        details open { summary { "Results: expected and verified" }
            div.scroll tabindex="0" role="region" aria-label="Verified results" {
                table data-sortable {
                    thead { tr { th scope="col" { "Benchmark" } th scope="col" { "Size" } th scope="col" { "Expected" } @for r in &analysis.runtimes { th scope="col" { (r.name) } } } }
                    tbody { @for g in &analysis.groups { tr {
                        th scope="row" { (g.key.benchmark) }
                        td { (g.key.preset) ", " (words::cores(g.key.cores)) }
                        td { @for p in analysis.plan.groups.iter().filter(|p| p.key == g.key) {
                            @for (i, (name, value)) in p.expect.iter().enumerate() { @if i > 0 { ", " } (name) " = " (value) } @if !p.unverified.is_empty() { " unverified: " (p.unverified) } } }
                        @for r in &analysis.runtimes { (verified(words::cell(g, &r.name))) }
                    } } }
                }
            }
        }
    }
}

fn verified(cell: Option<&Cell>) -> Markup {
    match cell {
        None => html! { td.dim { "not planned" } },
        Some(c) => match words::instead(&c.state) {
            Some(word) => {
                html! { td.bad[words::failure(&c.state).is_some()].dim[words::failure(&c.state).is_none()] { (word) } }
            }
            None => html! { td { "✓ " (words::partly(&c.state)) } },
        },
    }
}

fn failures(analysis: &Analysis) -> Markup {
    let failed = || {
        (analysis.groups.iter())
            .flat_map(|g| g.cells.iter().map(move |c| (g, c)))
            .filter_map(|(g, c)| Some((g, c, words::failure(&c.state)?)))
    };
    html! {
        h3 { "Failures" }
        @if failed().next().is_none() { p { "None." } }
        @for (g, c, f) in failed() {
            details.failure { summary { span.flag { (words::failure_word(&f.kind)) } " " (g.key.benchmark) ", " (c.runtime) ", " (g.key.preset) ", " (words::cores(g.key.cores)) (how_many(&c.state)) }
                p { (f.message) }
                @if !f.stderr_tail.is_empty() { p.note { "The last of its output:" } pre tabindex="0" { (f.stderr_tail) } }
                @if !f.diagnosis.is_empty() { p.note { "Diagnosis taken before it was ended:" } pre tabindex="0" { (f.diagnosis) } }
            }
        }
    }
}

fn how_many(state: &CellState) -> String {
    match state {
        CellState::Partly { failed, of, .. } => format!(" ({failed} of {of} invocations)"),
        CellState::Failed { failed, .. } => format!(" ({})", number_of(*failed as usize, "invocation")),
        _ => String::new(),
    }
}

/// By cause, over all invocations: the causes are sentences with numbers in them, so they are listed with their cells.
fn contamination(analysis: &Analysis) -> Markup {
    const SHOWN: usize = 200;
    let all: Vec<_> = (analysis.groups.iter())
        .flat_map(|g| {
            g.cells
                .iter()
                .flat_map(move |c| c.invocations.iter().map(move |p| (g, c, p)))
        })
        .filter(|(_, _, p)| !p.contaminated.is_empty())
        .collect();
    html! {
        h3 { "Contaminated invocations" }
        p { (analysis.validity.contaminated) " of " (analysis.validity.invocations) " invocations. A number that rests on at least as many of them as of others carries " (words::MARK) "." }
        @if !all.is_empty() {
            // An excerpt is not sorted: its ends would look like those of all.
            details { summary { "Which and why" }
                div.scroll tabindex="0" role="region" aria-label="Contaminated invocations" {
                    table data-sortable[all.len() <= SHOWN] { thead { tr { th.num scope="col" { "Position" } th scope="col" { "Benchmark" } th scope="col" { "Size" } th scope="col" { "Runtime" } th scope="col" { "Why" } } }
                        tbody { @for (g, c, p) in all.iter().take(SHOWN) { tr data-sort=[(all.len() <= SHOWN).then(|| table::keys([Some(f64::from(p.sequence))]))] {
                            td.num { (p.sequence) } td { (g.key.benchmark) } td { (g.key.preset) ", " (words::cores(g.key.cores)) } td { (c.runtime) } td { (p.contaminated.join("; ")) }
                        } } }
                    }
                }
                @if all.len() > SHOWN { p.note { "The first " (SHOWN) " of " (all.len()) "; the CSV export has all." } }
            }
        }
    }
}

fn skipped(analysis: &Analysis) -> Markup {
    html! {
        h3 { "Asked for and not run" }
        @if analysis.validity.skipped.is_empty() { p { "Nothing: " (number_of(comparison::sizes(analysis).len(), "size")) " as planned." } }
        @else { ul { @for s in &analysis.validity.skipped { li { strong { (s.runtime) } ", " (s.benchmark.as_deref().unwrap_or("every benchmark")) ": " (s.reason) } } } }
    }
}
