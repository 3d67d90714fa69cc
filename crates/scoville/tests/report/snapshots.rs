//! What the renderers write, word for word. After a wanted change: `cargo insta review`, or run the tests once with
//! `INSTA_UPDATE=always` and read the difference.

use scoville::model::analysis::{Analysis, Measure};
use scoville::render::terminal::Screen;
use scoville::render::{bencher, benchstat, csv, html, json, junit, markdown, terminal, vega};

use super::fixture;

/// Two benchmarks with few invocations of few iterations: enough to read.
fn small() -> Analysis {
    let mut analysis = fixture::rich();
    let kept = ["counting", "chameneos"];
    analysis
        .groups
        .retain(|g| kept.contains(&g.key.benchmark.as_str()) && g.key.cores == 1);
    analysis
        .plan
        .groups
        .retain(|g| kept.contains(&g.key.benchmark.as_str()) && g.key.cores == 1);
    analysis.benchmarks.retain(|b| kept.contains(&b.name.as_str()));
    for group in &mut analysis.groups {
        group.blocks.truncate(1);
        group.cells.truncate(4);
        group
            .pairs
            .retain(|p| ["datil", "tokio", "actix"].contains(&p.a.as_str()) && p.b == "datil");
        for point in group.cells.iter_mut().map(|c| {
            c.invocations.truncate(2);
            &mut c.invocations
        }) {
            point.iter_mut().for_each(|p| p.wall_ns.truncate(2));
        }
    }
    analysis
}

fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn terminal_tables() {
    let analysis = fixture::rich();
    let show = |measure, width, colour| terminal::render(&analysis, measure, Screen { width, colour });
    check("terminal-wall-120", &show(Measure::Wall, 120, false));
    check("terminal-wall-80-colour", &show(Measure::Wall, 80, true));
    check("terminal-memory", &show(Measure::Memory, 160, false));
    check("terminal-utilisation", &show(Measure::Utilisation, 100, false));
}

#[test]
fn markdown_table() {
    check("markdown", &markdown::render(&fixture::rich(), Measure::Wall));
}

#[test]
fn exchange_formats() {
    let analysis = small();
    check("json", &json::render(&analysis).unwrap());
    check("csv-invocations", &csv::invocations(&analysis));
    check("csv-iterations", &csv::iterations(&analysis));
    check("benchstat", &benchstat::render(&analysis));
    check("bencher", &bencher::render(&analysis).unwrap());
    check("junit", &junit::render(&analysis));
}

#[test]
fn vega_lite() {
    let files = vega::render(&small(), Measure::Wall).unwrap();
    let (_, forest) = files.iter().find(|(name, _)| name.starts_with("forest")).unwrap();
    check("vega-forest", forest);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    check("vega-files", &names.join("\n"));
}

#[test]
fn page_without_its_scripts() {
    check(
        "html",
        &without_scripts(&html::render(&small())).replace("><", ">\n<"),
    );
}

/// The page as it is read without script; the policy's hashes and the style sheet go too, they change with the assets.
pub fn without_scripts(page: &str) -> String {
    let (before, rest) = page.split_once("<script").unwrap();
    let after = rest.rsplit_once("</script>").unwrap().1;
    let (head, body) = before.split_once("<style>").unwrap();
    let (_, body) = body.split_once("</style>").unwrap();
    let parts: Vec<&str> = head.split(' ').filter(|p| !p.starts_with("'sha256-")).collect();
    format!("{}{body}{after}", parts.join(" "))
}
