//! The section of one benchmark.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use crate::model::analysis::{Analysis, Cell, Estimate, GroupAnalysis, Measure, Pair};
use crate::model::benchmark::Benchmark;
use crate::model::plan::Group;

use super::super::figure::Figure;
use super::super::{comparison, csv, number, rows, words};
use super::{page, table};

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
            @let most = groups.iter().map(|g| g.key.cores).max();
            @for group in groups.iter().filter(|g| Some(g.key.cores) == most) { (fairness_table(analysis, group)) }
            @let ids: Vec<&str> = figures.iter().filter(|f| f.per_benchmark && wanted(f.id, analysis, &groups)).map(|f| f.id).collect();
            div.figures.js-only data-benchmark=(benchmark.name) data-figures=(ids.join(" ")) {}
            (metrics(analysis, &groups))
            (commands(analysis, &benchmark.name))
        }
    }
}

/// Cells without numbers, named in the summary line so that a closed section hides none.
fn troubles(groups: &[&GroupAnalysis]) -> Markup {
    let bad = (groups.iter().flat_map(|g| &g.cells))
        .filter(|c| words::failure(&c.state).is_some())
        .count();
    html! { @if bad > 0 { span.flag { (bad) " failed" } } }
}

fn wanted(figure: &str, analysis: &Analysis, groups: &[&GroupAnalysis]) -> bool {
    match figure {
        "curve" => has_curve(analysis, groups),
        // It has a section of its own.
        "growth" => false,
        "scaling" | "speedup" => groups.iter().map(|g| g.key.cores).collect::<BTreeSet<_>>().len() > 1,
        "fairness" => (groups.iter().flat_map(|g| &g.cells)).any(|c| !c.fairness.is_empty()),
        _ => true,
    }
}

/// Whether any curve has two points: two sizes of one kind on the same number of cores.
fn has_curve(analysis: &Analysis, groups: &[&GroupAnalysis]) -> bool {
    let mut places: BTreeMap<(&str, u32), BTreeSet<u64>> = BTreeMap::new();
    for group in groups {
        let kind = (rows::kind(&group.key.preset), group.key.cores);
        let points = group
            .cells
            .iter()
            .flat_map(|c| rows::curve_points(analysis, group, c));
        places
            .entry(kind)
            .or_default()
            .extend(points.map(|p| p.x.to_bits()));
    }
    places.values().any(|places| places.len() > 1)
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
                    "; " (number::count(p.work.actors)) @if p.work.actors == 1 { " actor" } @else { " actors" } (messages(p)) "; bound to " @if p.cpus.len() == 1 { "CPU " } @else { "CPUs " }
                    @for (i, cpu) in p.cpus.iter().enumerate() { @if i > 0 { ", " } (cpu) }
                    @if !group.stopped.is_empty() { "; stopped: " (group.stopped) }
                }
            }
        }
    }
}

/// The number of messages, as far as it is known before a run.
fn messages(group: &Group) -> String {
    match group.work.messages {
        None => String::new(),
        Some(1) if group.messages_plus.is_empty() => ", 1 message".into(),
        Some(fixed) if group.messages_plus.is_empty() => format!(", {} messages", number::count(fixed)),
        Some(fixed) => format!(", {} + {} messages", number::count(fixed), group.messages_plus),
    }
}

/// All measures of a group. Closing tags that HTML lets us omit are kept: `maud` guarantees the nesting.
fn measures_table(analysis: &Analysis, group: &GroupAnalysis) -> Markup {
    let size = (group.key.preset.clone(), group.key.cores);
    let baseline = comparison::reference(analysis, &size);
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "All measures, " (group.key.preset) ", " (words::cores(group.key.cores)) } {
            table.measures data-sortable[table::are_sortable(analysis)] {
                caption { "All measures: " (group.key.preset) ", " (words::cores(group.key.cores)) " (95 % intervals; ratios to " (baseline) ")" }
                thead { tr {
                    th scope="col" { "Runtime" } th scope="col" { "n" } th scope="col" { "Wall" } th scope="col" { "Ratio" } th scope="col" { "Blocks lower" } th scope="col" { "Per message" }
                    th scope="col" { "Cold" } th scope="col" { "CPU" } th scope="col" { "Utilisation" } th scope="col" { "Memory" }
                    th scope="col" { "Spread between / within" } th scope="col" { "Warm-up" }
                } }
                tbody { @for cell in &group.cells { (row(analysis, group, cell, baseline)) } }
            }
        }
        (marks(group, baseline))
    }
}

/// What the marks of the table above mean, one by one: not everybody can point at an entry.
fn marks(group: &GroupAnalysis, baseline: &str) -> Markup {
    let marks = group.cells.iter().filter_map(|cell| {
        let pair = words::pair(group, Measure::Wall, &cell.runtime, baseline);
        let of_pair = pair.and_then(|p| words::why_marked(&p.disturbance, "block"));
        let parts = [words::why_marked(&cell.disturbance, "invocation"), of_pair];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("{} {}", cell.runtime, parts.join(", ")))
    });
    let marks: Vec<String> = marks.collect();
    let clean = |cell: &Cell| {
        words::pair(group, Measure::Wall, &cell.runtime, baseline)?
            .clean_ratio
            .as_ref()
    };
    html! {
        @if group.cells.iter().any(|cell| clean(cell).is_some()) {
            p.note { "clean: the same ratio without the blocks that sensors say were disturbed." }
        }
        @if !marks.is_empty() {
            p.note { (words::MARK) " Mostly disturbed, as sensors say, and not left out: " (marks.join("; ")) "." }
        }
    }
}

fn row(analysis: &Analysis, group: &GroupAnalysis, cell: &Cell, baseline: &str) -> Markup {
    if let Some(word) = words::instead(&cell.state) {
        let bad = words::failure(&cell.state).is_some();
        return html! { tr { th scope="row" { (cell.runtime) } td.bad[bad].dim[!bad] colspan="11" { (word) ": " (reason(cell)) } } };
    }
    let pair = words::pair(group, Measure::Wall, &cell.runtime, baseline);
    let value = |m| match cell.estimates.get(&m) {
        Some(e) => html! { td { (measured(m, e)) } },
        None => html! { td.why { (words::unavailable(cell, m)) } },
    };
    html! {
        tr data-sort=[table::are_sortable(analysis).then(|| row_keys(cell, pair, baseline))] {
            th scope="row" { (cell.runtime) }
            td title=[table::why_marked(&cell.disturbance, "invocation")] {
                (cell.estimates.get(&Measure::Wall).map_or(0, |e| e.n)) (words::mark(&cell.disturbance)) @let part = words::partly(&cell.state); @if !part.is_empty() { " (" (part) ")" }
            }
            (value(Measure::Wall))
            td title=[pair.and_then(|p| table::why_marked(&p.disturbance, "block"))] { @match pair {
                Some(p) => { (number::ratio(&p.ratio)) " " (words::sign(p)) @if let Some(c) = &p.clean_ratio { " " span.clean { "clean " (number::significant(c.value)) } } }
                None if cell.runtime == baseline => "1",
                None => "no common block",
            } }
            td { @if let Some(p) = pair { (number::percent(p.share_lower)) } }
            td { @if let Some(e) = &cell.ns_per_message { (number::duration(e.value)) } }
            (value(Measure::Cold))
            (value(Measure::Cpu))
            (value(Measure::Utilisation))
            (value(Measure::Memory))
            td { (spread(cell.cv_between)) " / " (spread(cell.cv_within)) }
            td { (warmup(cell)) }
        }
    }
}

/// The numbers of [`row`], in its order. Of the two spreads the first counts.
fn row_keys(cell: &Cell, pair: Option<&Pair>, baseline: &str) -> String {
    let value = |m| Some(cell.estimates.get(&m)?.value);
    let itself = (cell.runtime == baseline).then_some(1.0);
    table::keys([
        None,
        cell.estimates.get(&Measure::Wall).map(|e| f64::from(e.n)),
        value(Measure::Wall),
        pair.map(|p| p.ratio.value).or(itself),
        pair.map(|p| p.share_lower),
        cell.ns_per_message.as_ref().map(|e| e.value),
        value(Measure::Cold),
        value(Measure::Cpu),
        value(Measure::Utilisation),
        value(Measure::Memory),
        cell.cv_between,
    ])
}

/// On the most cores only, where it matters most; the figure's table follows the selection.
fn fairness_table(analysis: &Analysis, group: &GroupAnalysis) -> Markup {
    let cells = || group.cells.iter().filter(|c| c.state.has_numbers());
    if cells().all(|c| c.fairness.is_empty()) {
        return html! {};
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Fairness, " (group.key.preset) ", " (words::cores(group.key.cores)) } {
            table.measures data-sortable[table::are_sortable(analysis)] {
                caption { "Fairness: " (group.key.preset) ", " (words::cores(group.key.cores)) " (counters of single actors; minimum to maximum relative to the mean)" }
                thead { tr {
                    th scope="col" { "Runtime" } th scope="col" { "Counter" } th scope="col" { "Actors" } th scope="col" { "Mean" }
                    th scope="col" { "Standard deviation" } th scope="col" { "Jain's index" }
                    @for title in ["Minimum", "Lower quartile", "Median", "Upper quartile", "Maximum"] { th scope="col" { (title) } }
                } }
                tbody { @for c in cells() { @for (counter, f) in &c.fairness {
                    @let numbers = [&[f.mean, f.sd, f.jain][..], &f.five].concat();
                    @let keys = || table::keys([None, None, Some(f64::from(f.actors))].into_iter().chain(numbers.iter().copied().map(Some)));
                    tr data-sort=[table::are_sortable(analysis).then(keys)] {
                        th scope="row" { (c.runtime) } td { (counter) } td { (f.actors) }
                        @for x in numbers { td { (number::significant(x)) } }
                    }
                } } }
            }
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
        (CellState::Unsupported { reason } | CellState::Unverified { reason }, _) => reason.clone(),
        _ => "not measured yet".into(),
    }
}

/// One line per cell, one column per metric that any of them has.
fn metrics(analysis: &Analysis, groups: &[&GroupAnalysis]) -> Markup {
    let shown = || {
        let cells = groups.iter().flat_map(|g| g.cells.iter().map(move |c| (g, c)));
        cells.filter(|(_, c)| c.state.has_metrics())
    };
    let all = |c: &Cell| -> BTreeMap<String, f64> {
        let both = c.metrics.iter().chain(&c.process);
        both.map(|(name, x)| (name.clone(), *x)).collect()
    };
    let names: BTreeSet<String> = shown().flat_map(|(_, c)| all(c).into_keys()).collect();
    if names.is_empty() {
        return html! {};
    }
    html! {
        details { summary { "Metrics and process counters (medians)" }
            div.scroll tabindex="0" role="region" aria-label="Metrics" {
                table.measures data-sortable[table::are_sortable(analysis)] {
                    thead { tr { th scope="col" { "Runtime, size, cores" } @for name in &names { th scope="col" { (name) } } } }
                    tbody { @for (g, c) in shown() {
                        @let values = all(c);
                        @let numbers = names.iter().map(|name| values.get(name).copied());
                        tr data-sort=[table::are_sortable(analysis).then(|| table::keys([None].into_iter().chain(numbers)))] { td { (c.runtime) ", " (g.key.preset) ", " (g.key.cores) }
                            @for name in &names { td { (values.get(name).map_or_else(|| "–".into(), |x| number::significant(*x))) } } }
                    } }
                }
            }
        }
    }
}

/// The commands of a runtime are the same for every benchmark, unless a manifest says otherwise: those stand here.
fn commands(analysis: &Analysis, benchmark: &str) -> Markup {
    let planned = || (analysis.plan.groups.iter()).filter(|g| g.key.benchmark == benchmark);
    let own = || {
        let all = planned().flat_map(|g| g.competitors.iter().map(move |c| (g, c)));
        all.filter(|(g, c)| page::usual_launch(analysis, &c.runtime, g.key.cores) != Some(&c.launch))
    };
    let runtimes: BTreeSet<&str> = planned()
        .flat_map(|g| &g.competitors)
        .map(|c| c.runtime.as_str())
        .collect();
    html! {
        details { summary { "Exact command lines" }
            p.note { "As for every benchmark: " @for r in &runtimes { a href={ "#runtime-" (r) } { (r) } " " } }
            @for (g, c) in own() { p.note { (c.runtime) ", " (g.key.preset) ", " (words::cores(g.key.cores)) } pre { (page::command_line(&c.launch)) } }
        }
    }
}
