//! The section of one benchmark.

use maud::{Markup, html};

use crate::model::analysis::{Analysis, Cell, Estimate, GroupAnalysis, Measure};
use crate::model::benchmark::Benchmark;

use super::super::figure::Figure;
use super::super::{csv, number, rows, words};
use super::page;

pub fn section(analysis: &Analysis, benchmark: &Benchmark, figures: &[Figure]) -> Markup {
    let groups: Vec<&GroupAnalysis> = (analysis.groups.iter())
        .filter(|g| g.key.benchmark == benchmark.name)
        .collect();
    if groups.is_empty() {
        return html! {};
    }
    html! {
        details.bench id={ "benchmark-" (benchmark.name) } data-name=(benchmark.name) {
            summary { h3 { (benchmark.title) } span.note { (benchmark.measures) } (troubles(&groups)) }
            (description(analysis, benchmark, &groups))
            @for group in &groups { (measures_table(analysis, group)) }
            @for figure in figures.iter().filter(|f| f.per_benchmark && wanted(f.id, &groups)) {
                (page::skeleton(figure, Some(&benchmark.name), title(analysis, figure), html! {}))
            }
            (metrics(&groups))
            (commands(analysis, &benchmark.name))
        }
    }
}

/// The title of the default selection; the section already names the benchmark.
fn title(analysis: &Analysis, figure: &Figure) -> String {
    rows::first_selection(analysis).map_or_else(String::new, |selection| figure.title_for(&selection))
}

/// Cells without numbers, named in the summary line so that a closed section hides none.
fn troubles(groups: &[&GroupAnalysis]) -> Markup {
    let bad = (groups.iter().flat_map(|g| &g.cells))
        .filter(|c| words::failure(&c.state).is_some())
        .count();
    html! { @if bad > 0 { span.flag { (bad) " failed" } } }
}

fn wanted(figure: &str, groups: &[&GroupAnalysis]) -> bool {
    match figure {
        "scaling" => groups.len() > 1,
        "fairness" => (groups.iter().flat_map(|g| &g.cells)).any(|c| !c.fairness.is_empty()),
        _ => true,
    }
}

fn description(analysis: &Analysis, b: &Benchmark, groups: &[&GroupAnalysis]) -> Markup {
    html! {
        p.prose { (b.description) }
        dl.facts {
            div { dt { "Origin" } dd { (b.origin) } }
            div { dt { "Category" } dd { (b.category) } }
            div { dt { "Actors" } dd { (b.actors) } }
            div { dt { "Messages" } dd { (b.messages) } }
            @for group in groups { (plan_facts(analysis, group)) }
            @for f in &b.fields { div { dt { "Verified: " (f.name) } dd { (f.meaning) ", " code { (f.formula) } } } }
            @for p in &b.published { div { dt { "Published" } dd { (p.source) ", " (p.figure) @if !p.note.is_empty() { ": " (p.note) } } } }
        }
    }
}

fn plan_facts(analysis: &Analysis, group: &GroupAnalysis) -> Markup {
    let planned = analysis.plan.groups.iter().find(|g| g.key == group.key);
    html! {
        @if let Some(p) = planned {
            div {
                dt { (group.key.preset) ", " (words::cores(group.key.cores)) }
                dd {
                    @for (i, (name, value)) in p.parameters.iter().enumerate() { @if i > 0 { ", " } (name) " = " (value) }
                    "; " (number::count(p.work.actors)) " actors, " (number::count(p.work.messages)) " messages; bound to CPUs "
                    @for (i, cpu) in p.cpus.iter().enumerate() { @if i > 0 { ", " } (cpu) }
                    @if !group.stopped.is_empty() { "; stopped: " (group.stopped) }
                }
            }
        }
    }
}

/// All measures of a group. Closing tags that HTML lets us omit are kept: `maud` guarantees the nesting.
fn measures_table(analysis: &Analysis, group: &GroupAnalysis) -> Markup {
    let baseline = &analysis.plan.baseline;
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "All measures, " (group.key.preset) ", " (words::cores(group.key.cores)) } {
            table.measures {
                caption { "All measures: " (group.key.preset) ", " (words::cores(group.key.cores)) " (95 % intervals; ratios to " (baseline) ")" }
                thead { tr {
                    th scope="col" { "Runtime" } th scope="col" { "n" } th scope="col" { "Wall" } th scope="col" { "Ratio" } th scope="col" { "Blocks lower" } th scope="col" { "Per message" }
                    th scope="col" { "Cold" } th scope="col" { "CPU" } th scope="col" { "Utilisation" } th scope="col" { "Memory" }
                    th scope="col" { "Spread between / within" } th scope="col" { "Warm-up" }
                } }
                tbody { @for cell in &group.cells { (row(group, cell, baseline)) } }
            }
        }
    }
}

fn row(group: &GroupAnalysis, cell: &Cell, baseline: &str) -> Markup {
    if let Some(word) = words::instead(&cell.state) {
        let bad = words::failure(&cell.state).is_some();
        return html! { tr { th scope="row" { (cell.runtime) } td.bad[bad].dim[!bad] colspan="11" { (word) ": " (reason(cell)) } } };
    }
    let pair = words::pair(group, Measure::Wall, &cell.runtime, baseline);
    let value = |m| {
        cell.estimates
            .get(&m)
            .map_or_else(|| "unavailable".to_string(), |e| measured(m, e))
    };
    html! {
        tr {
            th scope="row" { (cell.runtime) }
            td { (cell.estimates.get(&Measure::Wall).map_or(0, |e| e.n)) @let part = words::partly(&cell.state); @if !part.is_empty() { " (" (part) ")" } }
            td { (value(Measure::Wall)) }
            td { @match pair {
                Some(p) => { (number::ratio(&p.ratio)) " " (words::sign(p)) @if let Some(c) = &p.clean_ratio { " (clean " (number::significant(c.value)) ")" } }
                None if cell.runtime == baseline => "1",
                None => "no common block",
            } }
            td { @if let Some(p) = pair { (number::percent(p.share_lower)) } }
            td { @if let Some(e) = &cell.ns_per_message { (number::duration(e.value)) } }
            td { (value(Measure::Cold)) }
            td { (value(Measure::Cpu)) }
            td { (value(Measure::Utilisation)) }
            td { (value(Measure::Memory)) }
            td { (spread(cell.cv_between)) " / " (spread(cell.cv_within)) }
            td { (warmup(cell)) }
        }
    }
}

fn measured(measure: Measure, e: &Estimate) -> String {
    format!("{} {}", number::value(measure, e.value), number::half_width(e))
        .trim_end()
        .to_string()
}

fn spread(cv: Option<f64>) -> String {
    cv.map_or_else(|| "–".into(), number::percent)
}

fn warmup(cell: &Cell) -> String {
    if let Some(class) = cell.warmup.consistent {
        return csv::warmup(class).into();
    }
    let classes: Vec<String> = (cell.warmup.classes.iter())
        .map(|(class, n)| format!("{n} {}", csv::warmup(*class)))
        .collect();
    classes.join(", ")
}

fn reason(cell: &Cell) -> String {
    use crate::model::analysis::CellState;
    match (&cell.state, words::failure(&cell.state)) {
        (_, Some(f)) => f.message.clone(),
        (CellState::Unsupported { reason }, _) => reason.clone(),
        _ => "not measured yet".into(),
    }
}

fn metrics(groups: &[&GroupAnalysis]) -> Markup {
    let any = (groups.iter().flat_map(|g| &g.cells))
        .any(|c| words::has_numbers(c) && !(c.metrics.is_empty() && c.process.is_empty()));
    html! {
        @if any {
            details { summary { "Metrics and process counters (medians)" }
                div.scroll tabindex="0" role="region" aria-label="Metrics" {
                    table { thead { tr { th scope="col" { "Size" } th scope="col" { "Runtime" } th scope="col" { "Metric" } th.num scope="col" { "Median" } } }
                        tbody { @for g in groups { @for c in g.cells.iter().filter(|c| words::has_numbers(c)) {
                            @for (name, value) in c.metrics.iter().chain(&c.process) {
                                tr { td { (g.key.preset) ", " (words::cores(g.key.cores)) } td { (c.runtime) } td { (name) } td.num { (number::significant(*value)) } }
                            }
                        } } }
                    }
                }
            }
        }
    }
}

fn commands(analysis: &Analysis, benchmark: &str) -> Markup {
    let planned = analysis
        .plan
        .groups
        .iter()
        .filter(|g| g.key.benchmark == benchmark);
    html! {
        details { summary { "Exact command lines" }
            @for group in planned {
                p.note { (group.key.preset) ", " (words::cores(group.key.cores)) }
                @for c in &group.competitors { pre { (c.runtime) ": " @for (k, v) in &c.launch.env { (k) "=" (v) " " } (c.launch.command.join(" ")) } }
            }
        }
    }
}
