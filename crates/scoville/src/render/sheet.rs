//! A benchmark's data sheet: what it does, between whom, how large, and what it must return. The same content is a page
//! of `docs/benchmarks` and what `scoville show` prints.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use comfy_table::{Table, presets};

use super::markdown::escape;
use crate::catalogue::{Catalogue, arguments};
use crate::model::benchmark::{Benchmark, Preset};

/// One part of a sheet.
enum Block {
    /// A heading and what stands under it.
    Section(&'static str),
    /// A paragraph.
    Text(String),
    /// A table; empty columns have no heading.
    Rows(Vec<String>, Vec<Vec<String>>),
    /// Who sends what to whom.
    Diagram,
}

/// The sheet in Markdown (GitHub's dialect, with a Mermaid diagram).
pub fn markdown(benchmark: &Benchmark) -> String {
    let mut out = format!(
        "# {} (`{}`)\n\n{} benchmark {}. Stresses: {}.\n",
        benchmark.title,
        benchmark.name,
        capitalised(&benchmark.category),
        benchmark.number,
        benchmark.measures
    );
    for block in blocks(benchmark) {
        match block {
            Block::Section(title) => write!(out, "\n## {title}\n"),
            Block::Text(text) => write!(out, "\n{}\n", paragraphs(&text)),
            Block::Rows(head, rows) => write!(out, "\n{}", markdown_table(&head, &rows)),
            Block::Diagram => write!(out, "\n{}", mermaid(benchmark)),
        }
        .expect("writing to a string");
    }
    let name = &benchmark.name;
    write!(
        out,
        "\n---\n\nRun it with `scoville run {name}`, check it with `scoville verify {name}`. This page is made from\n\
         `catalogue/{name}.toml`; change that file and make the page anew with\n\
         `SCOVILLE_WRITE_PAGES=1 cargo test -p scoville --test pages`.\n"
    )
    .expect("writing to a string");
    out
}

/// The sheet for a terminal.
pub fn terminal(benchmark: &Benchmark) -> String {
    let b = benchmark;
    let mut out = format!("{} - {} ({} {})\n", b.name, b.title, b.category, b.number);
    writeln!(out, "stresses {}", b.measures).expect("writing to a string");
    for block in blocks(b) {
        match block {
            Block::Section(title) => write!(out, "\n{}\n", title.to_uppercase()),
            Block::Text(text) => write!(out, "\n{}\n", text.trim()),
            Block::Rows(head, rows) => write!(out, "\n{}", plain_table(&head, &rows)),
            Block::Diagram => Ok(()),
        }
        .expect("writing to a string");
    }
    out
}

/// The overview of all benchmarks, in Markdown.
pub fn index(benchmarks: &[Benchmark]) -> String {
    let rows: Vec<Vec<String>> = benchmarks
        .iter()
        .map(|b| {
            vec![
                b.number.to_string(),
                format!("[{}]({}.md)", b.name, b.name),
                b.category.clone(),
                escape(&b.title),
                escape(&b.measures),
            ]
        })
        .collect();
    let head = ["", "Benchmark", "Category", "Title", "Stresses"];
    format!(
        "# The benchmarks\n\nOne page for each, made from its file in `catalogue/`; `scoville show NAME` prints the \
         same. How to add one is told\nin [adding a benchmark](../adding-a-benchmark.md).\n\n{}",
        raw_table(&head.map(str::to_owned), &rows)
    )
}

fn blocks(b: &Benchmark) -> Vec<Block> {
    let mut blocks = vec![Block::Text(b.description.clone())];
    blocks.extend(work(b));
    blocks.extend(phases(b));
    blocks.extend(parameters(b));
    blocks.extend(results(b));
    blocks.push(Block::Section("Sizes"));
    blocks.extend(sizes(b));
    blocks.extend(origin(b));
    blocks
}

fn work(b: &Benchmark) -> [Block; 4] {
    let kinds = b.kinds.iter().map(|a| vec![a.kind.clone(), a.number.clone()]);
    let flows = b.flows.iter();
    let flows = flows.map(|f| vec![f.name.clone(), f.from.clone(), f.to.clone(), f.number.clone()]);
    let all_actors = vec!["all".into(), b.actors.clone()];
    let all_messages = vec!["all".into(), String::new(), String::new(), b.messages.clone()];
    [
        Block::Section("Actors and messages"),
        Block::Diagram,
        Block::Rows(names(["actor", "number"]), kinds.chain([all_actors]).collect()),
        Block::Rows(
            names(["message", "from", "to", "number"]),
            flows.chain([all_messages]).collect(),
        ),
    ]
}

fn phases(b: &Benchmark) -> Option<Block> {
    let phases = [("setup", &b.phases.setup), ("check", &b.phases.check)];
    let told: Vec<String> = phases
        .iter()
        .filter(|(_, what)| !what.is_empty())
        .map(|(phase, what)| format!("Untimed {phase}: {what}."))
        .collect();
    (!told.is_empty()).then(|| Block::Text(told.join(" ")))
}

fn parameters(b: &Benchmark) -> Vec<Block> {
    let rows = b.parameters.iter().map(|p| {
        vec![
            p.name.clone(),
            p.symbol.clone(),
            p.meaning.clone(),
            arguments::demand(p),
        ]
    });
    let mut blocks = vec![
        Block::Section("Parameters"),
        Block::Rows(
            names(["parameter", "in formulas", "meaning", "value"]),
            rows.collect(),
        ),
    ];
    if !b.relations.is_empty() {
        let relations = b.relations.iter();
        let lines = relations.map(|r| format!("{} must be {} {}.", r.parameter, r.rule, r.limit));
        blocks.push(Block::Text(lines.collect::<Vec<_>>().join(" ")));
    }
    blocks
}

fn origin(b: &Benchmark) -> Vec<Block> {
    let mut blocks = vec![
        Block::Section("Origin and published figures"),
        Block::Text(format!("Origin: {}.", b.origin)),
    ];
    if !b.published.is_empty() {
        let rows = b.published.iter().map(|p| {
            let size = p.preset.clone().unwrap_or_else(|| "unknown".into());
            vec![p.source.clone(), p.figure.clone(), size, p.note.clone()]
        });
        blocks.push(Block::Rows(
            names(["source", "figure", "size", "what it reports"]),
            rows.collect(),
        ));
    }
    blocks
}

fn results(b: &Benchmark) -> Vec<Block> {
    let mut blocks = vec![Block::Section("What is verified")];
    blocks.push(Block::Rows(
        names(["field", "meaning", "formula"]),
        b.fields
            .iter()
            .map(|f| vec![only(&f.name, &f.when), f.meaning.clone(), f.formula.clone()])
            .collect(),
    ));
    let metrics = b.metrics.iter().map(|m| {
        let name = only(&m.name, &m.when);
        let name = if m.optional {
            format!("{name}, optional")
        } else {
            name
        };
        vec![name, m.unit.clone(), m.meaning.clone()]
    });
    let counters = b.per_actor.iter().map(|c| {
        let fairness = if c.fairness {
            "; its spread measures fairness"
        } else {
            ""
        };
        let what = format!("{}{fairness}", c.meaning);
        vec![c.name.clone(), "per actor".into(), what]
    });
    let rows: Vec<Vec<String>> = metrics.chain(counters).collect();
    if !rows.is_empty() {
        blocks.push(Block::Section("What is reported and not compared"));
        blocks.push(Block::Rows(names(["name", "unit", "meaning"]), rows));
    }
    if !b.labels.is_empty() {
        let labels = b.labels.join(", ");
        blocks.push(Block::Text(format!(
            "Every runtime states with its results: {labels}."
        )));
    }
    blocks
}

/// A name with the choice under which it exists.
fn only(name: &str, when: &std::collections::BTreeMap<String, String>) -> String {
    let conditions: Vec<String> = when.iter().map(|(p, word)| format!("{p} = {word}")).collect();
    if conditions.is_empty() {
        name.to_owned()
    } else {
        format!("{name}, if {}", conditions.join(" and "))
    }
}

/// What goes in and what must come out, in two tables.
fn sizes(b: &Benchmark) -> Vec<Block> {
    let all: Vec<(&str, &Preset)> = Catalogue::presets([b])
        .into_iter()
        .map(|name| (name, &b.presets[name]))
        .collect();
    let mut input = names(["size"]);
    input.extend(b.parameters.iter().map(|p| p.name.clone()));
    let given = all.iter().map(|(name, preset)| {
        let values = b
            .parameters
            .iter()
            .map(|p| preset.parameters[&p.name].to_string());
        [(*name).to_owned()].into_iter().chain(values).collect()
    });
    let mut output = names(["size", "actors", "messages"]);
    output.extend(b.fields.iter().map(|f| f.name.clone()));
    let expected = all.iter().map(|(name, preset)| {
        let fields = b.fields.iter().map(|f| match preset.expect.get(&f.name) {
            Some(value) => value.to_string(),
            None if b.fields_of(&preset.parameters).any(|known| known == f) => "unverified".into(),
            None => "-".into(),
        });
        let work = [
            (*name).to_owned(),
            preset.work.actors.to_string(),
            messages(b, preset),
        ];
        work.into_iter().chain(fields).collect()
    });
    let mut blocks = vec![
        Block::Rows(input, given.collect()),
        Block::Rows(output, expected.collect()),
    ];
    let reasons: BTreeSet<&str> = all.iter().map(|(_, preset)| preset.unverified.as_str()).collect();
    for reason in reasons.into_iter().filter(|reason| !reason.is_empty()) {
        blocks.push(Block::Text(format!("Unverified: {reason}.")));
    }
    blocks
}

fn messages(b: &Benchmark, preset: &Preset) -> String {
    match preset.work.messages {
        None => "-".into(),
        Some(fixed) if b.messages_plus.is_empty() => fixed.to_string(),
        Some(fixed) => format!("{fixed} + {}", b.messages_plus),
    }
}

fn names<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

/// The text with its own line breaks, shown as it is.
fn paragraphs(text: &str) -> String {
    text.trim().lines().map(escape).collect::<Vec<_>>().join("\n")
}

fn markdown_table(head: &[String], rows: &[Vec<String>]) -> String {
    let escaped: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|entry| escape(entry)).collect())
        .collect();
    raw_table(head, &escaped)
}

fn raw_table(head: &[String], rows: &[Vec<String>]) -> String {
    let mut out = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let line = format!("| {} |", row.join(" | "));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn plain_table(head: &[String], rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(head);
    for row in rows {
        table.add_row(row);
    }
    let lines = table.to_string();
    lines
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// The actors as nodes, and for each pair that talks one arrow with all messages of that direction.
fn mermaid(b: &Benchmark) -> String {
    let mut out = String::from("```mermaid\nflowchart LR\n");
    if b.flows.iter().any(|flow| flow.from == "driver") {
        out.push_str("    driver([driver])\n");
    }
    for actor in &b.kinds {
        let number = actor.number.replace('"', "");
        writeln!(out, "    {0}[\"{0}<br/>{number}\"]", actor.kind).expect("writing to a string");
    }
    let mut arrows: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for flow in &b.flows {
        match arrows
            .iter_mut()
            .find(|(from, to, _)| *from == flow.from && *to == flow.to)
        {
            Some((.., messages)) => messages.push(&flow.name),
            None => arrows.push((&flow.from, &flow.to, vec![&flow.name])),
        }
    }
    for (from, to, messages) in arrows {
        writeln!(out, "    {from} -->|{}| {to}", messages.join(", ")).expect("writing to a string");
    }
    out.push_str("```\n");
    out
}
