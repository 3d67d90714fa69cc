//! Every renderer on an analysis in which everything that can go wrong has gone wrong, and the report in a browser.

#[path = "report/browser.rs"]
mod browser;
#[path = "report/colours.rs"]
mod colours;
#[path = "report/fixture.rs"]
mod fixture;
#[path = "report/snapshots.rs"]
mod snapshots;

use std::io::Read as _;

use base64::Engine as _;
use fixture::{HOSTILE, VOID_NS};
use scoville::model::analysis::{Analysis, CellState, Measure, RuntimeInfo};
use scoville::model::plan::Skip;
use scoville::render::terminal::Screen;
use scoville::render::{bencher, benchstat, csv, figure, html, json, junit, markdown, terminal, vega, words};
use serde_json::Value;

const NARROW: Screen = Screen {
    width: 80,
    colour: false,
};

#[test]
fn no_line_of_a_table_is_wider_than_the_screen() {
    let analysis = fixture::rich();
    for width in [80, 100, 140] {
        let text = terminal::render(&analysis, Measure::Wall, Screen { width, ..NARROW });
        let rows = text.lines().filter(|l| l.starts_with(' '));
        for line in rows {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        for runtime in &analysis.runtimes {
            assert!(text.contains(&runtime.name), "{} at {width}", runtime.name);
        }
    }
}

#[test]
fn a_table_says_why_a_number_is_unavailable() {
    let mut analysis = fixture::rich();
    let baseline = analysis.plan.baseline.clone();
    let cells = analysis.groups.iter_mut().flat_map(|group| &mut group.cells);
    for cell in cells.filter(|cell| cell.runtime == baseline && cell.state.has_numbers()) {
        cell.estimates.remove(&Measure::Cpu);
        cell.unavailable.insert(Measure::Cpu, "nobody can read it".into());
    }
    let wide = Screen { width: 200, ..NARROW };
    for text in [
        terminal::render(&analysis, Measure::Cpu, wide),
        markdown::render(&analysis, Measure::Cpu),
    ] {
        assert!(text.contains("unavailable: nobody can read it"), "{text}");
    }
    let wall = terminal::render(&analysis, Measure::Wall, wide);
    assert!(!wall.contains("nobody can read it"), "{wall}");
}

/// A benchmark without a p value is corrected with no other.
#[test]
fn the_legend_counts_what_is_corrected_together() {
    let mut analysis = fixture::rich();
    // Each benchmark has a group for one core and one for two; one column lacks the second benchmark.
    let mut told = |tested: usize| {
        for group in analysis.groups.iter_mut().skip(tested) {
            group.pairs.iter_mut().for_each(|pair| pair.p = None);
        }
        markdown::render(&analysis, Measure::Wall)
    };
    assert!(told(4).contains("Holm's correction over the 1 to 2 benchmarks of a column"));
    assert!(told(2).contains("Holm's correction over the 1 benchmark of a column"));
    assert!(!told(0).contains("Holm"));
}

#[test]
fn colour_adds_nothing_to_the_text() {
    let analysis = fixture::rich();
    let plain = terminal::render(&analysis, Measure::Wall, NARROW);
    let coloured = terminal::render(
        &analysis,
        Measure::Wall,
        Screen {
            colour: true,
            ..NARROW
        },
    );
    assert!(!plain.contains('\u{1b}'));
    assert!(coloured.contains("\u{1b}["));
    assert_eq!(without_escapes(&coloured), plain);
}

/// Without `ESC [ ... m`, and without the spaces that stand before such a sequence at the end of a line.
fn without_escapes(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = after.split_once('m').map_or("", |(_, tail)| tail);
    }
    out.push_str(rest);
    let lines: Vec<&str> = out.lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

#[test]
fn a_wrong_result_has_no_time_in_any_format() {
    let analysis = fixture::rich();
    let mut texts = vec![
        ("json", json::render(&analysis).unwrap()),
        ("csv", csv::invocations(&analysis)),
        ("csv of iterations", csv::iterations(&analysis)),
        ("benchstat", benchstat::render(&analysis)),
        ("bencher", bencher::render(&analysis).unwrap()),
        ("junit", junit::render(&analysis)),
        ("html", snapshots::without_scripts(&html::render(&analysis))),
        (
            "data of the report",
            embedded_data(&html::render(&analysis)).to_string(),
        ),
    ];
    for measure in words::MEASURES {
        texts.push(("terminal", terminal::render(&analysis, measure, NARROW)));
        texts.push(("markdown", markdown::render(&analysis, measure)));
        texts.extend(
            vega::render(&analysis, measure)
                .unwrap()
                .into_iter()
                .map(|f| ("vega", f.1)),
        );
    }
    let digits = VOID_NS.to_string();
    for (format, text) in texts {
        for leak in [
            digits.as_str(),
            "777.123456789",
            " 777 s",
            ">777 s",
            "724 GiB",
            "7.7712e11",
        ] {
            assert!(!text.contains(leak), "{format} shows {leak}");
        }
    }
}

#[test]
fn json_reads_back_as_the_same_analysis_but_for_void_cells() {
    let analysis = fixture::rich();
    let back: Analysis = serde_json::from_str(&json::render(&analysis).unwrap()).unwrap();
    assert_eq!(back.schema, analysis.schema);
    for (group, was) in back.groups.iter().zip(&analysis.groups) {
        for (cell, was) in group.cells.iter().zip(&was.cells) {
            if was.state.has_numbers() {
                assert!(cell == was, "{} of {}", cell.runtime, group.key.benchmark);
            } else {
                assert_eq!(cell.state, was.state);
                assert!(cell.estimates.is_empty());
            }
        }
    }
}

#[test]
fn csv_has_one_row_per_invocation_and_empty_fields_where_there_is_no_number() {
    let analysis = fixture::rich();
    let text = csv::invocations(&analysis);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().unwrap().clone();
    let column = |name: &str| head.iter().position(|h| h == name).unwrap();
    let rows: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let cells = || analysis.groups.iter().flat_map(|g| &g.cells);
    assert_eq!(rows.len(), cells().map(|c| c.invocations.len()).sum::<usize>());
    for row in &rows {
        let shown = matches!(&row[column("state")], "verified" | "partly") && &row[column("outcome")] == "ok";
        for measure in ["wall_ns", "cold_ns", "cpu_ns", "memory_bytes", "utilisation"] {
            assert_eq!(row[column(measure)].parse::<f64>().is_ok(), shown, "{row:?}");
            assert!(shown || row[column(measure)].is_empty(), "{row:?}");
        }
    }
    let iterations = csv::iterations(&analysis).lines().count() - 1;
    let shown = cells().filter(|c| c.state.has_numbers());
    assert_eq!(
        iterations,
        shown
            .flat_map(|c| &c.invocations)
            .map(|p| p.wall_ns.len())
            .sum::<usize>()
    );
}

#[test]
fn an_invocation_that_was_run_again_is_in_no_series() {
    let mut analysis = fixture::rich();
    // Rows per iteration, rows of warm-ups, and cells of the report whose warm-ups begin with the first invocation.
    let series = |analysis: &Analysis| {
        let warmups = vega::render(analysis, Measure::Wall).unwrap();
        let rows = warmups.iter().filter(|(name, _)| name.starts_with("warmup"));
        let rows = rows
            .map(|(_, text)| text.matches("\"steady\":").count())
            .sum::<usize>();
        let data = embedded_data(&html::render(analysis)).to_string();
        let shown = data.matches("\"u\":[[0,").count();
        (csv::iterations(analysis).lines().count(), rows, shown)
    };
    let before = series(&analysis);
    let mut cells = analysis.groups.iter_mut().flat_map(|g| &mut g.cells);
    let again = &mut cells.find(|c| c.state.has_numbers()).unwrap().invocations[0];
    again.superseded = true;
    let iterations = again.wall_ns.len();
    let after = (before.0 - iterations, before.1 - iterations, before.2 - 1);
    assert_eq!(series(&analysis), after);
}

#[test]
fn junit_is_xml_whose_counts_agree_with_its_cases() {
    let analysis = fixture::rich();
    let text = junit::render(&analysis);
    let document = roxmltree::Document::parse(&text).unwrap();
    let count = |tag: &str| document.descendants().filter(|n| n.has_tag_name(tag)).count();
    let total = |attribute: &str| {
        document
            .root_element()
            .attribute(attribute)
            .unwrap()
            .parse::<usize>()
            .unwrap()
    };
    assert_eq!(total("tests"), count("testcase"));
    assert_eq!(total("failures"), count("failure"));
    assert_eq!(total("skipped"), count("skipped"));
    for suite in document.descendants().filter(|n| n.has_tag_name("testsuite")) {
        let cases = suite.children().filter(|n| n.has_tag_name("testcase")).count();
        assert_eq!(suite.attribute("tests").unwrap().parse::<usize>().unwrap(), cases);
    }
    let failed = |n: &roxmltree::Node<'_, '_>| n.children().any(|c| c.has_tag_name("failure"));
    let timed = |n: &roxmltree::Node<'_, '_>| n.attribute("time").is_some();
    let cases = || document.descendants().filter(|n| n.has_tag_name("testcase"));
    let partly = (analysis.groups.iter().flat_map(|g| &g.cells))
        .filter(|c| matches!(c.state, CellState::Partly { .. }));
    assert_eq!(cases().filter(|n| failed(n) && timed(n)).count(), partly.count());
    let messages: Vec<&str> = document
        .descendants()
        .filter_map(|n| n.attribute("message"))
        .collect();
    assert!(messages.iter().any(|m| m.contains("onerror=")));
}

#[test]
fn junit_counts_an_unsupported_cell_once() {
    let mut analysis = fixture::rich();
    let before = junit::render(&analysis);
    let group = &analysis.groups[8];
    let mut cells = group.cells.iter();
    let unsupported = cells.find(|c| matches!(c.state, CellState::Unsupported { .. }));
    analysis.plan.skipped.push(Skip {
        runtime: unsupported.unwrap().runtime.clone(),
        benchmark: Some(group.key.benchmark.clone()),
        reason: format!("{}no stash", Skip::UNSUPPORTED),
        unusable: false,
    });
    assert_eq!(junit::render(&analysis), before);
    analysis.plan.skipped[1].reason = "its peer was not built".into();
    assert!(junit::render(&analysis).contains("its peer was not built"));
}

#[test]
fn bencher_has_an_interval_for_every_estimate() {
    let analysis = fixture::rich();
    let value: serde_json::Value = serde_json::from_str(&bencher::render(&analysis).unwrap()).unwrap();
    let benchmarks = value.as_object().unwrap();
    let shown = (analysis.groups.iter().flat_map(|g| &g.cells))
        .filter(|c| c.state.has_numbers())
        .count();
    assert_eq!(benchmarks.len(), shown);
    for metric in benchmarks.values().flat_map(|m| m.as_object().unwrap().values()) {
        let number = |key: &str| metric[key].as_f64().unwrap();
        assert!(number("lower_value") <= number("value") && number("value") <= number("upper_value"));
    }
}

#[test]
fn every_figure_is_exported_with_rows_that_have_its_fields() {
    let analysis = fixture::rich();
    let files = vega::render(&analysis, Measure::Wall).unwrap();
    for f in figure::figures(&analysis) {
        let mine: Vec<_> = files.iter().filter(|(name, _)| name.starts_with(f.id)).collect();
        assert!(!mine.is_empty(), "{}", f.id);
        for (name, text) in mine {
            let spec: serde_json::Value = serde_json::from_str(text).unwrap();
            let rows = spec["data"]["values"].as_array().unwrap();
            // A number is never an empty text; what is told in words may be.
            for (field, _, format) in f.columns {
                let has = |row: &Value| match format {
                    figure::Format::Text => row[*field].is_string(),
                    _ => row[*field].is_number(),
                };
                assert!(rows.iter().any(has), "{name}: no row has {field}");
            }
        }
    }
    let names: std::collections::BTreeSet<_> = files.iter().map(|f| &f.0).collect();
    assert_eq!(names.len(), files.len());
}

/// The table of runtimes in the README has nineteen.
#[test]
fn no_two_runtimes_share_colour_and_shape() {
    let mut analysis = fixture::rich();
    let first = analysis.runtimes[0].clone();
    analysis.runtimes = (0..40)
        .map(|i| RuntimeInfo {
            name: format!("runtime{i}"),
            ..first.clone()
        })
        .collect();
    let figures = figure::figures(&analysis);
    let absolute = figures.iter().find(|f| f.id == "absolute").unwrap();
    let range = |channel: &str| -> Vec<String> {
        let mut found = None;
        let mut open = vec![&absolute.spec];
        while let Some(value) = open.pop() {
            let inner = value.as_object().into_iter().flat_map(|map| map.values());
            open.extend(inner.chain(value.as_array().into_iter().flatten()));
            let range = &value[channel]["scale"]["range"];
            found = found.or(range.as_array());
        }
        let range = found.expect("the figure tells runtimes apart");
        range.iter().map(|look| look.to_string()).collect()
    };
    let looks: std::collections::BTreeSet<_> = range("color").into_iter().zip(range("shape")).collect();
    assert_eq!(looks.len(), 40);
}

/// In figures for a paper and in what the report shows without its script, as in its figures.
#[test]
fn a_baseline_without_numbers_is_replaced_where_it_has_none() {
    let analysis = fixture::without_baseline();
    let files = vega::render(&analysis, Measure::Wall).unwrap();
    let relative = |name: &str| {
        ["heat", "geomean", "forest", "memory-time"]
            .iter()
            .any(|f| name.starts_with(f))
    };
    let mut titles = Vec::new();
    for (name, text) in files.iter().filter(|(name, _)| relative(name)) {
        let spec: serde_json::Value = serde_json::from_str(text).unwrap();
        let title = spec["title"]["text"].as_str().unwrap().to_owned();
        let reference = if name.contains("savina-1") {
            "tokio"
        } else {
            "datil"
        };
        assert!(title.contains(&format!(" to {reference}")), "{name}: {title}");
        assert!(!text.contains("no pair"), "{name}");
        titles.push(title);
    }
    // One of each figure per size, and the forest of two and of three others.
    assert_eq!(titles.len(), 2 * 3 + 2 + 3, "{titles:?}");
    let page = snapshots::without_scripts(&html::render(&analysis));
    for (text, times) in [
        ("actix relative to tokio", 2),
        ("savina, 1 core (95 % intervals; ratios to tokio)", 3),
        ("savina, 2 cores (95 % intervals; ratios to datil)", 3),
        ("no common block", 0),
        ("No benchmark in common", 0),
        ("The baseline: ratios are relative to it.", 1),
    ] {
        assert_eq!(page.matches(text).count(), times, "{text}");
    }
}

#[test]
fn the_report_contains_hostile_text_only_escaped() {
    let text = html::render(&fixture::rich());
    assert!(!text.contains(HOSTILE));
    assert!(!text.contains("<img"));
    assert!(text.contains("&lt;img src=x onerror="));
    // Our own two scripts, the data and three packed libraries, nothing else.
    assert_eq!(text.matches("<script").count(), 6);
    assert_eq!(text.matches("</script>").count(), 6);
}

#[test]
fn the_report_asks_the_network_for_nothing() {
    let text = html::render(&fixture::rich());
    let page = snapshots::without_scripts(&text);
    for forbidden in ["http://", "https://", " src=", "@import", "url("] {
        assert!(
            !page.replace("&lt;img src=x", "").contains(forbidden),
            "{forbidden}"
        );
    }
    assert!(page.contains("default-src 'none'"));
    assert!(!page.contains("unsafe-eval"));
}

#[test]
fn a_report_of_a_small_session_is_small() {
    let text = html::render(&fixture::rich());
    assert!(text.len() < 900_000, "{} bytes", text.len());
}

/// The size that the design allows for: 39 benchmarks, 16 runtimes, 5 core counts, 20 blocks.
#[test]
fn a_report_of_62_400_invocations_is_below_three_megabytes() {
    let analysis = fixture::synthetic(&fixture::Shape {
        benchmarks: 39,
        runtimes: 16,
        cores: vec![1, 2, 4, 8, 16],
        blocks: 20,
        iterations: 30,
    });
    assert_eq!(analysis.validity.invocations, 62_400);
    let size = html::render(&analysis).len();
    assert!(size < 3_000_000, "{size} bytes");
}

#[test]
fn empty_and_single_runtime_sessions_have_a_report() {
    let mut analysis = fixture::synthetic(&fixture::Shape {
        benchmarks: 1,
        runtimes: 1,
        cores: vec![1],
        blocks: 1,
        iterations: 3,
    });
    assert!(html::render(&analysis).contains("1 of 1 cell verified"));
    assert!(terminal::render(&analysis, Measure::Wall, NARROW).contains("pingpong"));
    analysis.groups.clear();
    analysis.plan.groups.clear();
    analysis.validity = Default::default();
    assert!(html::render(&analysis).contains("0 of 0 cells verified"));
    assert_eq!(terminal::render(&analysis, Measure::Wall, NARROW), "");
    assert_eq!(vega::render(&analysis, Measure::Wall).unwrap(), []);
}

/// The data block of a report, decoded.
fn embedded_data(report: &str) -> serde_json::Value {
    let (_, rest) = report.split_once("id=\"data\">").unwrap();
    let (text, _) = rest.split_once("</script>").unwrap();
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
    let mut json = String::new();
    flate2::read::ZlibDecoder::new(bytes.as_slice())
        .read_to_string(&mut json)
        .unwrap();
    serde_json::from_str(&json).unwrap()
}

/// A field that a tooltip names and a row lacks would be shown, and read aloud, as "undefined".
#[test]
fn an_exported_figure_tells_nothing_undefined() {
    fn tooltips(part: &Value) -> Vec<&Value> {
        let own = part["encoding"]["tooltip"].as_array().into_iter().flatten();
        let parts = part["layer"].as_array().into_iter().flatten();
        let below = parts.chain(part.get("spec")).flat_map(tooltips);
        own.chain(below).collect()
    }
    for (name, text) in vega::render(&fixture::rich(), Measure::Wall).unwrap() {
        let spec: Value = serde_json::from_str(&text).unwrap();
        for entry in tooltips(&spec)
            .into_iter()
            .filter(|entry| entry["format"].is_null())
        {
            let field = entry["field"].as_str().unwrap();
            for row in spec["data"]["values"].as_array().unwrap() {
                assert!(!row[field].is_null(), "{name}: {field} in {row}");
            }
        }
    }
}

/// A mark with data of its own has no runtime, so that the colour of a runtime would be none.
#[test]
fn what_belongs_to_no_runtime_has_a_colour_of_its_own() {
    for figure in figure::figures(&fixture::rich()) {
        let common = &figure.spec["encoding"]["color"]["field"];
        for layer in figure.spec["layer"].as_array().into_iter().flatten() {
            if layer["data"].is_object() && *common == "runtime" {
                assert!(layer["encoding"]["color"].is_object(), "{}: {layer}", figure.id);
            }
        }
    }
}
