//! The report's sections around the figures.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::model::analysis::{Analysis, Measure, RuntimeInfo, Summary};
use crate::model::machine::{Finding, Level};
use crate::model::reading::Reading;
use crate::model::runtime::Launch;

use super::super::comparison::{self, Comparison, Row, Tone};
use super::super::figure::{self, Figure};
use super::super::{growth, number, rows, words};
use super::data::Thinning;
use super::{benchmark, table, validity};

pub fn body(analysis: &Analysis) -> Markup {
    let figures = figure::figures(analysis);
    html! {
        a.skip href="#main" { "Skip to the results" }
        (masthead(analysis))
        (controls(analysis))
        main id="main" tabindex="-1" {
            section id="summary" aria-labelledby="summary-title" {
                h2 id="summary-title" { "In short" }
                @for sentence in &analysis.sentences { p.sentence { (sentence) } }
                @if let (true, [only]) = (compares(analysis), &analysis.runtimes[..]) {
                    p.sentence { "Only " (only.name) " was measured: its numbers stand below, and there is nothing to compare them with." }
                }
                @if compares(analysis) { (validity::tiles(analysis)) }
            }
            @if compares(analysis) { (compared(analysis, &figures)) }
            (grown(analysis))
            (runtimes(analysis))
            (environment(analysis, &figures))
            (validity::section(analysis))
            (reproduction(analysis))
        }
        footer { p { "Measured by Scoville " (version(analysis)) ". Every number in this file was computed before it was drawn; the page computes none." } }
        div id="tip" aria-hidden="true" hidden {}
    }
}

/// The version of the laboratory that measured; logs say `scoville 0.1.0`.
pub fn version(analysis: &Analysis) -> &str {
    (analysis.tool.strip_prefix("scoville ")).unwrap_or(&analysis.tool)
}

/// Whether runtimes were compared in groups; a session that only grew has none.
fn compares(analysis: &Analysis) -> bool {
    !analysis.plan.groups.is_empty()
}

/// The comparison of the runtimes, over all benchmarks and by benchmark.
fn compared(analysis: &Analysis, figures: &[Figure]) -> Markup {
    let overview = |id: &str| overview_figure(analysis, find(figures, id));
    html! {
        section id="overview" aria-labelledby="overview-title" {
            h2 id="overview-title" { "Overview" }
            (overview("heat"))
            (overview("geomean"))
        }
        section id="relative" aria-labelledby="relative-title" {
            h2 id="relative-title" { "Relative to the baseline" }
            (overview("forest"))
        }
        section id="absolute" aria-labelledby="absolute-title" {
            h2 id="absolute-title" { "Absolute" }
            (overview("absolute"))
        }
        section id="memory" aria-labelledby="memory-title" {
            h2 id="memory-title" { "Memory against time" }
            (overview("memory-time"))
        }
        section id="cores" aria-labelledby="cores-title" {
            h2 id="cores-title" { "Where the cores went" }
            (overview("utilisation"))
            (overview("cores"))
        }
        section id="benchmarks" aria-labelledby="benchmarks-title" {
            h2 id="benchmarks-title" { "Benchmark by benchmark" }
            p.js-only { button type="button" id="open-all" { "Open all" } " " button type="button" id="close-all" { "Close all" } }
            @for b in &analysis.benchmarks { (benchmark::section(analysis, b, figures)) }
        }
    }
}

fn find<'a>(figures: &'a [Figure], id: &str) -> &'a Figure {
    (figures.iter().find(|f| f.id == id)).expect("sections name figures that exist")
}

fn masthead(analysis: &Analysis) -> Markup {
    let (class, word) = validity::light(analysis);
    html! {
        header.masthead {
            p.brand { "Scoville" }
            h1 { (analysis.session) }
            p.method { (analysis.method) }
            dl.facts {
                div { dt { "Machine" } dd { (text(&analysis.machine.cpu_model)) ", " (analysis.machine.cpus.len()) " CPUs, " (memory(analysis)) } }
                div { dt { "System" } dd { (text(&analysis.machine.distribution)) ", Linux " (text(&analysis.machine.kernel)) ", " (text(&analysis.machine.virtualisation)) } }
                div { dt { "Measured" } dd { time { (date(analysis.started_unix)) } " to " time { (date(analysis.ended_unix)) } } }
                div { dt { "Validity" } dd { a href="#validity" class={ "light " (class) } { (word) } } }
            }
        }
    }
}

fn memory(analysis: &Analysis) -> String {
    match &analysis.machine.memory_bytes {
        Reading::Known { value, .. } => number::bytes(*value as f64),
        Reading::Unavailable { unavailable } => format!("memory unavailable: {unavailable}"),
    }
}

/// A reading as text; what is unavailable says why.
pub fn text(reading: &Reading<String>) -> String {
    match reading {
        Reading::Known { value, .. } => value.clone(),
        Reading::Unavailable { unavailable } => format!("unavailable: {unavailable}"),
    }
}

/// A time in UTC to the minute.
pub fn date(unix: f64) -> String {
    match jiff::Timestamp::from_second(unix as i64) {
        Ok(t) => t.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        Err(_) => format!("{unix} s after 1970"),
    }
}

/// Sections of a comparison.
const COMPARED: [(&str, &str); 6] = [
    ("overview", "Overview"),
    ("relative", "Relative"),
    ("absolute", "Absolute"),
    ("memory", "Memory"),
    ("cores", "Cores"),
    ("benchmarks", "Benchmarks"),
];

fn controls(analysis: &Analysis) -> Markup {
    let sizes = comparison::sizes(analysis);
    let compared: &[_] = if compares(analysis) { &COMPARED } else { &[] };
    let grown: &[_] = if analysis.ladders.is_empty() {
        &[]
    } else {
        &[("growth", "Growth")]
    };
    let always = [
        ("runtimes", "Runtimes"),
        ("environment", "Environment"),
        ("validity", "Validity"),
    ];
    html! {
        nav.bar aria-label="Sections and selection" {
            ul.sections {
                @for (id, title) in compared.iter().chain(grown).chain(&always) {
                    li { a href={ "#" (id) } { (title) } }
                }
            }
            form.selection.js-only id="selection" {
                @if compares(analysis) {
                    label { span { "Baseline" } select id="baseline" { @for r in &analysis.runtimes { option value=(r.name) selected[r.name == analysis.plan.baseline] { (r.name) } } } }
                    label { span { "Measure" } select id="measure" { @for m in words::MEASURES.into_iter().filter(|m| words::lower_is_better(*m)) { option value=(words::slug(m)) { (words::title(m)) } } } }
                    label { span { "Size" } select id="size" { @for (preset, cores) in &sizes { option value={ (preset) "/" (cores) } { (preset) ", " (words::cores(*cores)) } } } }
                }
                button type="button" id="theme" aria-label="Switch between light and dark" { "Light / dark" }
                @if compares(analysis) { span.note id="instead" role="status" {} }
            }
        }
    }
}

/// A figure of the whole session: the skeleton that the script fills, and the table of the default selection.
fn overview_figure(analysis: &Analysis, figure: &Figure) -> Markup {
    html! {
        (skeleton(figure, default_title(analysis, figure), static_table(analysis, figure.id)))
    }
}

/// The place of a figure. The table stands in the file where there is one; the script replaces it when the selection
/// changes.
fn skeleton(figure: &Figure, title: String, table: Markup) -> Markup {
    html! {
        figure.fig data-figure=(figure.id) {
            figcaption {
                h3.title { (title) }
                p.caption { (figure.caption) " " span.counts {} }
                @if figure.id == "forest" { label.js-only { span { "Runtime " } select.runtime {} } }
            }
            div.plot {}
            details.table {
                summary { "Table and downloads" }
                div.scroll tabindex="0" role="region" aria-label={ "Table: " (title) } { (table) }
                p.downloads.js-only {}
            }
        }
    }
}

fn default_title(analysis: &Analysis, figure: &Figure) -> String {
    rows::first_selection(analysis).map_or_else(String::new, |selection| figure.title_for(&selection))
}

fn static_table(analysis: &Analysis, id: &str) -> Markup {
    let measure = match id {
        "heat" => Measure::Wall,
        "memory-time" => Measure::Memory,
        "utilisation" => Measure::Utilisation,
        _ => {
            return html! { p { "The tables by benchmark below hold these numbers; with script, this table follows the selection." } };
        }
    };
    html! { @if let Some(table) = comparison::tables(analysis, measure).first() { (comparison_table(analysis, table)) } }
}

fn comparison_table(analysis: &Analysis, shown: &Comparison) -> Markup {
    let relative = shown
        .baseline
        .as_ref()
        .map_or_else(String::new, |b| format!(", ratio to {b}"));
    // What sums the benchmarks up stays below them, however they are sorted.
    let (means, benchmarks): (Vec<&Row>, Vec<&Row>) = shown.rows.iter().partition(|row| row.is_mean());
    html! {
        table.grid data-sortable[table::are_sortable(analysis)] {
            caption { (words::title(shown.measure)) (relative) ": " (shown.preset) ", " (words::cores(shown.cores)) }
            thead { tr { th scope="col" { "Benchmark" } @for r in &shown.runtimes { th scope="col" { (r) } } } }
            tbody { @for row in benchmarks { (comparison_row(analysis, row)) } }
            @if !means.is_empty() { tbody { @for row in means { (comparison_row(analysis, row)) } } }
        }
        ul.legend { @for line in comparison::legend(analysis, shown) { li { (line) } } }
    }
}

fn comparison_row(analysis: &Analysis, row: &Row) -> Markup {
    let keys = || table::keys([None].into_iter().chain(row.entries.iter().map(|e| e.number)));
    html! {
        tr data-sort=[table::are_sortable(analysis).then(keys)] {
            th scope="row" { (row.label) }
            @for e in &row.entries {
                td class=[tone(e.tone)] title=[e.marked.as_ref().map(|mark| table::title(&mark.why))] { (e.line()) }
            }
        }
    }
}

fn tone(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain => None,
        Tone::Better => Some("better"),
        Tone::Worse => Some("worse"),
        Tone::Dim => Some("dim"),
        Tone::Bad => Some("bad"),
    }
}

/// Who climbed how far; nothing in a session that grew nothing.
fn grown(analysis: &Analysis) -> Markup {
    let tables = growth::tables(analysis);
    let mut benchmarks: Vec<&str> = analysis
        .ladders
        .iter()
        .map(|l| l.key.benchmark.as_str())
        .collect();
    benchmarks.dedup();
    html! { @if !tables.is_empty() {
        section id="growth" aria-labelledby="growth-title" {
            h2 id="growth-title" { "Growth until a limit" }
            @for grown in &tables {
                div.scroll tabindex="0" role="region" aria-label={ "Growth: " (grown.caption) } {
                    table.measures data-sortable {
                        caption { (grown.caption) }
                        thead { tr { @for title in &grown.columns { th scope="col" { (title) } } } }
                        tbody { @for row in &grown.rows { tr data-sort=(table::keys(row.iter().map(|cell| cell.number))) {
                            @for (i, cell) in row.iter().enumerate() { @if i == 0 { th scope="row" { (cell.text) } } @else { td { (cell.text) } } }
                        } } }
                    }
                }
            }
            @for b in benchmarks { div.figures.js-only data-benchmark=(b) data-figures="growth" {} }
        }
    } }
}

fn runtimes(analysis: &Analysis) -> Markup {
    html! {
        section id="runtimes" aria-labelledby="runtimes-title" {
            h2 id="runtimes-title" { "Runtime by runtime" }
            @for (i, r) in analysis.runtimes.iter().enumerate() {
                details.runtime id={ "runtime-" (r.name) } {
                    summary { span.swatch style={ "background:" (figure::PALETTE[i % figure::PALETTE.len()]) } {} (r.name)
                        @if let Some(h) = &r.hello { span.note { (h.version) ", " (h.language) } } }
                    dl.facts {
                        @match &r.hello {
                            Some(h) => {
                                div { dt { "Version" } dd { (h.version) } }
                                div { dt { "Language" } dd { (h.language) } }
                                div { dt { "Workers of the first invocation" } dd { (h.workers) } }
                                div { dt { "Garbage collector" } dd { @if h.gc.is_empty() { "not reported" } @else { (h.gc) } } }
                                @for (k, v) in &h.labels { div { dt { (k) } dd { (v) } } }
                                @if !h.capabilities.is_empty() { div { dt { "Capabilities" } dd { (h.capabilities.join(", ")) } } }
                            }
                            None => { div { dt { "Greeting" } dd { "none came: see its failures under validity" } } }
                        }
                    }
                    (commands(analysis, r))
                    (standing(analysis, &r.name))
                }
            }
        }
    }
}

/// The exact command lines, each with the numbers of cores that it is for. A benchmark whose command differs lists its own.
fn commands(analysis: &Analysis, runtime: &RuntimeInfo) -> Markup {
    let mut cores: Vec<u32> = analysis.plan.groups.iter().map(|g| g.key.cores).collect();
    cores.sort_unstable();
    cores.dedup();
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for n in cores {
        let Some(line) = usual_launch(analysis, &runtime.name, n).map(command_line) else {
            continue;
        };
        match lines.iter_mut().find(|(known, _)| *known == line) {
            Some((_, on)) => on.push(words::cores(n)),
            None => lines.push((line, vec![words::cores(n)])),
        }
    }
    html! {
        @for (line, on) in &lines {
            p.note { "Command on " (on.join(", ")) }
            pre { (line) }
        }
        @if lines.is_empty() {
            p.note { "Command" }
            pre { (runtime.command.join(" ")) }
        }
    }
}

/// How a runtime is started in the first group with this many cores.
pub fn usual_launch<'a>(analysis: &'a Analysis, runtime: &str, cores: u32) -> Option<&'a Launch> {
    let groups = analysis.plan.groups.iter().filter(|g| g.key.cores == cores);
    let mut competitors = groups.flat_map(|g| &g.competitors);
    (competitors.find(|c| c.runtime == runtime)).map(|c| &c.launch)
}

/// Environment, program and arguments.
pub fn command_line(launch: &Launch) -> String {
    let env = launch.env.iter().map(|(k, v)| format!("{k}={v}"));
    let parts: Vec<String> = env.chain(launch.command.iter().cloned()).collect();
    parts.join(" ")
}

/// The runtime's whole-suite summaries: a table for each baseline, which is the same at all sizes if it has numbers there.
fn standing(analysis: &Analysis, runtime: &str) -> Markup {
    let mut tables: BTreeMap<&str, Vec<&Summary>> = BTreeMap::new();
    for summary in analysis.summaries.iter().filter(|s| s.runtime == runtime) {
        tables.entry(&summary.baseline).or_default().push(summary);
    }
    let sizes = comparison::sizes(analysis);
    let mut references = sizes.iter().map(|size| comparison::reference(analysis, size));
    html! {
        @if tables.is_empty() {
            p.note { @if references.any(|r| r == runtime) { "The baseline: ratios are relative to it." } @else { "No benchmark in common with the baseline yet." } }
        }
        @for (baseline, summaries) in &tables { (relative_to(analysis, runtime, baseline, summaries)) }
    }
}

fn relative_to(analysis: &Analysis, runtime: &str, baseline: &str, summaries: &[&Summary]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Summary of " (runtime) } {
            table data-sortable[table::are_sortable(analysis)] {
                caption { "Relative to " (baseline) ", lower is better" }
                thead { tr { th scope="col" { "Measure" } th scope="col" { "Size" } th.num scope="col" { "Geometric mean" } th.num scope="col" { "Benchmarks" }
                    th scope="col" { "Smallest ratio" } th scope="col" { "Largest ratio" } th scope="col" { "Not in it" } } }
                tbody { @for s in summaries { tr data-sort=[table::are_sortable(analysis).then(|| standing_keys(s))] {
                    th scope="row" { (words::title(s.measure)) }
                    td { (s.preset) ", " (words::cores(s.cores)) }
                    td.num title=[table::why_marked(&s.disturbance, "block")] { (number::ratio(&s.geomean)) (words::mark(&s.disturbance)) }
                    td.num { (s.common.len()) }
                    td { (number::significant(s.smallest.1)) " (" (s.smallest.0) ")" }
                    td { (number::significant(s.largest.1)) " (" (s.largest.0) ")" }
                    td { @for (i, (b, why)) in s.missing.iter().enumerate() { @if i > 0 { "; " } (b) ": " (why) } @if s.missing.is_empty() { "none" } }
                } } }
            }
        }
    }
}

/// What is not in a summary is sorted by how much it is.
fn standing_keys(s: &Summary) -> String {
    let [common, missing] = [&s.common.len(), &s.missing.len()].map(|n| *n as f64);
    let numbers = [s.geomean.value, common, s.smallest.1, s.largest.1, missing];
    table::keys([None; 2].into_iter().chain(numbers.map(Some)))
}

/// A long fact takes a whole row, lest one column become a page long.
fn is_long(fact: &Reading<String>) -> bool {
    fact.value().is_some_and(|fact| fact.len() > 120)
}

fn environment(analysis: &Analysis, figures: &[Figure]) -> Markup {
    let m = &analysis.machine;
    html! {
        section id="environment" aria-labelledby="environment-title" {
            h2 id="environment-title" { "Environment" }
            (findings(&analysis.findings))
            details open { summary { "Machine facts" }
                dl.facts {
                    div { dt { "CPU" } dd { (text(&m.cpu_model)) } }
                    div { dt { "CPUs (id: core, package, node, cache)" } dd { @for c in &m.cpus { span.cpu { (c.id) ": " (c.core) ", " (c.package) ", " (c.node) ", " (c.llc) } " " } } }
                    div { dt { "Memory" } dd { (memory(analysis)) } }
                    div { dt { "Kernel" } dd { (text(&m.kernel)) } }
                    div { dt { "Distribution" } dd { (text(&m.distribution)) } }
                    div { dt { "Virtualisation" } dd { (text(&m.virtualisation)) } }
                    div { dt { "Control groups" } dd { (text(&m.cgroup)) } }
                    @for (name, fact) in &m.facts { div class=[is_long(fact).then_some("long")] { dt { (name) } dd { (text(fact)) } } }
                    @for (name, event) in &m.events { div { dt { "Event " (name) } dd { @match event {
                        Reading::Known { value: true, source } => { "countable (" (source) ")" }
                        Reading::Known { value: false, source } => { "not countable (" (source) ")" }
                        Reading::Unavailable { unavailable } => { "unavailable: " (unavailable) }
                    } } } }
                    div { dt { "Fingerprint" } dd { code { (m.fingerprint) } } }
                }
            }
            @for id in ["sensors", "canary"] {
                @let figure = find(figures, id);
                (skeleton(figure, figure.title.to_string(), html! { p { "The CSV export holds these readings." } }))
            }
        }
    }
}

/// What was found, why it matters, what mends it.
pub fn findings(findings: &[Finding]) -> Markup {
    html! {
        @if !findings.is_empty() {
            ul.findings { @for f in findings {
                li class=(format!("{:?}", f.level).to_lowercase()) {
                    strong { (level(f.level)) ": " (f.what) }
                    p { (f.why) "." }
                    @if !f.mend.is_empty() { p.mend { (f.mend) } }
                }
            } }
        }
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Note => "Note",
        Level::Warn => "Warning",
        Level::Stop => "Stop",
    }
}

fn reproduction(analysis: &Analysis) -> Markup {
    let m = &analysis.plan.method;
    html! {
        section id="reproduction" aria-labelledby="reproduction-title" {
            h2 id="reproduction-title" { "Method and reproduction" }
            p { (analysis.method) }
            dl.facts {
                div { dt { "Asked" } dd { code { "scoville " (analysis.arguments.join(" ")) } } }
                div { dt { "Seed" } dd { (analysis.plan.seed) } }
                div { dt { "Method" } dd { (m.name) ": " (m.min_blocks) " to " (m.max_blocks) " blocks"
                    @if let Some(t) = m.target { ", until every ratio to the baseline is within " (number::percent(t)) } } }
                div { dt { "Iterations" } dd { (m.iterations.min) " to " (m.iterations.max) " in each invocation, " (number::duration(m.iterations.floor_ns as f64)) " of timed work" } }
                div { dt { "Margin" } dd { (number::percent(m.margin)) " count as equal" } }
                div { dt { "Time limits" } dd { "start " (number::duration(m.limits.start_ns as f64)) ", iteration " (number::duration(m.limits.iteration_ns as f64)) ", leaving " (number::duration(m.limits.leave_ns as f64)) } }
                div { dt { "Schema" } dd { (analysis.schema) } }
            }
            @let thinning = Thinning::of(analysis);
            @if thinning.thinned { p.note { "Warm-up curves: " (thinning.note()) } }
            p.note { "Every raw number: " code { "scoville export --format csv" } " or " code { "--format json" } "." }
        }
    }
}
