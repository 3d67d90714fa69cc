//! Renders the report of a made-up session of 62 400 invocations: 39 benchmarks, 16 runtimes, 5 core counts, 20 blocks.
//!
//! `cargo run --release -p scoville --example render_60000 [report.html]` prints how long it took and how big the file is.

#[path = "../tests/report/fixture.rs"]
#[allow(dead_code, missing_docs)]
mod fixture;

use std::time::Instant;

use scoville::model::analysis::Measure;
use scoville::render::terminal::Screen;
use scoville::render::{csv, html, json, terminal};

fn main() -> std::io::Result<()> {
    let analysis = fixture::synthetic(&fixture::Shape {
        benchmarks: 39,
        runtimes: 16,
        cores: vec![1, 2, 4, 8, 16],
        blocks: 20,
        iterations: 30,
    });
    let cells = analysis.groups.iter().flat_map(|g| &g.cells);
    println!(
        "{} invocations",
        cells.map(|c| c.invocations.len()).sum::<usize>()
    );
    let screen = Screen {
        width: 160,
        colour: false,
    };
    timed("terminal", || terminal::render(&analysis, Measure::Wall, screen));
    timed("csv", || csv::invocations(&analysis));
    timed("json", || json::render(&analysis).unwrap_or_default());
    let report = timed("html", || html::render(&analysis));
    match std::env::args().nth(1) {
        Some(path) => std::fs::write(path, report),
        None => Ok(()),
    }
}

fn timed(what: &str, render: impl Fn() -> String) -> String {
    let started = Instant::now();
    let text = render();
    println!(
        "{what:9} {:6.2} s {:9.2} MB",
        started.elapsed().as_secs_f64(),
        text.len() as f64 / 1e6
    );
    text
}
