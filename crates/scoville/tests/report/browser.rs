//! The report in a real browser: headless Chromium through its WebDriver.

use std::io::Read as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use scoville::model::analysis::Measure;
use scoville::render::field::Field;
use scoville::render::html::simulation;
use scoville::render::rows::{self, Selection};
use scoville::render::{figure, html};
use serde_json::{Value, json};

use super::fixture;

#[test]
fn report_in_browser() {
    let (Some(chromium), Some(driver)) = (
        find(&["chromium", "chromium-browser", "google-chrome"]),
        find(&["chromedriver"]),
    ) else {
        let message =
            "SKIPPED report_in_browser: chromium not found (install: apt install chromium chromium-driver)";
        assert!(
            std::env::var("SCOVILLE_REQUIRE_ALL").as_deref() != Ok("1"),
            "{message}"
        );
        println!("{message}");
        return;
    };
    let analysis = fixture::rich();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    std::fs::write(&file, html::render(&analysis)).unwrap();
    let browser = Browser::start(&driver, &chromium, folder.path());
    browser.open(&format!("file://{}", file.display()));
    browser.wait_for("return document.documentElement.dataset.ready === 'yes'");

    every_heading_says_something(&browser);
    every_figure_is_drawn(&browser);
    rows_are_the_ones_that_rust_exports(&browser, &analysis);
    baseline_switch_changes_the_forest_plot(&browser);
    address_restores_the_selection(&browser, &file);
    everything_can_be_reached_by_keyboard(&browser);
    theme_switch_redraws(&browser);
    rows_are_sorted_by_the_numbers_that_they_show(&browser);
    numbers_can_be_read_on_their_colours(&browser);
    headings_sort_their_tables(&browser);
    a_sorted_table_is_drawn_anew_as_it_was(&browser);
    every_panel_has_its_axis_and_no_column_is_empty(&browser);
    a_telephone_shows_everything(&browser);
    paper_shows_every_figure_and_no_control(&browser);
    hostile_text_stays_text(&browser);
    tables_say_what_the_figures_of_growth_scaling_and_fairness_show(&browser);
    a_session_that_only_grew_has_its_report(&browser, folder.path());
    headings_of_many_runtimes_do_not_run_into_each_other(&browser, folder.path());
    what_is_long_stays_inside_its_figure(&browser, folder.path());
    a_runtime_alone_is_compared_with_nothing(&browser, folder.path());
    a_baseline_without_numbers_is_replaced_where_it_has_none(&browser, folder.path());
    simulated_tables_are_sorted_too(&browser, folder.path());
    simulated_panels_lie_side_by_side(&browser, folder.path());
    assert_eq!(
        browser.console(),
        Vec::<String>::new(),
        "the console must stay empty"
    );
    assert_eq!(
        browser.requests(),
        Vec::<String>::new(),
        "the report must ask for nothing"
    );
}

/// Figures are drawn when they come into sight; a screen reader goes through their titles before.
fn every_heading_says_something(browser: &Browser) {
    let empty = browser.run(
        "return [...document.querySelectorAll('h1, h2, h3, h4')].filter((h) => h.textContent.trim() === '').map((h) => h.parentElement.parentElement.dataset.figure);",
    );
    assert_eq!(empty, json!([]), "headings without a word");
}

/// Opening everything and passing over it draws every figure, as printing does.
fn every_figure_is_drawn(browser: &Browser) {
    browser.run("document.querySelectorAll('details.bench').forEach((d) => (d.open = true)); window.dispatchEvent(new Event('beforeprint'));");
    let missing = browser.run(
        "return [...document.querySelectorAll('figure.fig')].filter((f) => !f.querySelector('.plot svg path, .plot svg text'))
            .map((f) => [f.dataset.figure, f.dataset.benchmark, f.querySelector('.plot').textContent].join(' '));",
    );
    assert_eq!(missing, json!([]), "figures without a drawing");
    let drawn = browser.run("return document.querySelectorAll('figure.fig .plot svg').length;");
    assert!(drawn.as_u64().unwrap() > 30, "{drawn}");
    let tight = browser.run(
        "return [...document.querySelectorAll('.plot .role-axis-label text')].map((e) => e.textContent).filter((t) => /^[\\d.]+[a-zµ]?[sB%]$/i.test(t));",
    );
    assert_eq!(tight, json!([]), "a space sets units apart");
    let shares = browser.run("return [...document.querySelectorAll(\"[data-figure='cores'] .role-axis-label text\")].map((e) => e.textContent).filter((t) => /^100.%$/.test(t)).length > 0;");
    assert_eq!(shares, json!(true));
    browser.run("window.dispatchEvent(new Event('afterprint'));");
}

/// The script decodes compact numbers; they must be those of the exact export, to within a coding step.
fn rows_are_the_ones_that_rust_exports(browser: &Browser, analysis: &scoville::model::analysis::Analysis) {
    let first = rows::first_selection(analysis).unwrap();
    for f in figure::figures(analysis) {
        let benchmark = f.per_benchmark.then(|| "chameneos".to_string());
        let place = benchmark
            .as_ref()
            .map_or_else(String::new, |b| format!("[data-benchmark='{b}']"));
        let selection = Selection {
            benchmark,
            measure: Measure::Wall,
            ..first.clone()
        };
        let mut expected = rows::rows(analysis, f.id, &selection);
        // Warm-up curves are thinned to five invocations in the report.
        if f.id == "warmup" {
            expected.retain(|r| [0, 2, 5, 8, 11].contains(&r["invocation"].as_u64().unwrap()));
        }
        let script = format!(
            "return document.querySelector(\"figure.fig[data-figure='{}']{place}\").rows ?? null;",
            f.id
        );
        let shown = browser.run(&script);
        let shown = shown
            .as_array()
            .unwrap_or_else(|| panic!("{} keeps no rows", f.id));
        assert_eq!(shown.len(), expected.len(), "{}", f.id);
        let key = |r: &Value| {
            [
                "order",
                "benchmark",
                "runtime",
                "a",
                "b",
                "sequence",
                "invocation",
                "iteration",
                "cores",
                "curve",
                "x",
            ]
            .map(|k| r[k].to_string())
        };
        let mut shown = shown.clone();
        shown.sort_by_key(key);
        expected.sort_by_key(key);
        for (got, want) in shown.iter().zip(&expected) {
            // What is printed in cells is what the tables in the file and the terminal print.
            if ["heat", "matrix"].contains(&f.id) {
                assert_eq!(got["text"], want["text"], "{}: {want}", f.id);
            }
            assert_eq!(got["disturbed"], want["disturbed"], "{}: {want}", f.id);
            for (field, _, _) in f.columns {
                assert!(
                    close(field, &got[*field], &want[*field]),
                    "{}: {field} is {}, exported {}",
                    f.id,
                    got[*field],
                    want[*field]
                );
            }
        }
    }
}

/// Within a few coding steps; shares of sensors are stored to a hundredth of a per cent.
fn close(field: &str, got: &Value, want: &Value) -> bool {
    let least = if field == "share" { 1e-4 } else { 0.0 };
    match (got.as_f64(), want.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= (1.5e-3 * b.abs()).max(least),
        _ => got == want,
    }
}

fn baseline_switch_changes_the_forest_plot(browser: &Browser) {
    let forest = "document.querySelector(\"figure[data-figure='forest']\")";
    browser.run(&format!("{forest}.scrollIntoView();"));
    browser.wait_for(&format!("return {forest}.querySelector('svg') !== null"));
    let drawing = format!("return {forest}.querySelector('svg').innerHTML;");
    let before = browser.run(&drawing);
    browser.run("const s = document.querySelector('#baseline'); s.value = 'actix'; s.dispatchEvent(new Event('change'));");
    browser.wait_for(&format!(
        "return {forest}.querySelector('.title').textContent.includes('relative to actix')"
    ));
    assert_ne!(
        browser.run(&drawing),
        before,
        "the forest plot did not change with the baseline"
    );
    assert!(
        browser
            .run("return location.hash;")
            .as_str()
            .unwrap()
            .contains("baseline=actix")
    );
}

fn address_restores_the_selection(browser: &Browser, file: &Path) {
    browser.open("about:blank");
    browser.open(&format!(
        "file://{}#baseline=tokio&measure=memory&size=savina/2&runtime=go",
        file.display()
    ));
    browser.wait_for("return document.documentElement.dataset.ready === 'yes'");
    let chosen =
        browser.run("return ['baseline', 'measure', 'size'].map((id) => document.getElementById(id).value);");
    assert_eq!(chosen, json!(["tokio", "memory", "savina/2"]));
}

/// Tab from the top: the skip link first, then every control and every disclosure; nothing traps the focus.
fn everything_can_be_reached_by_keyboard(browser: &Browser) {
    browser.run("document.querySelectorAll('details').forEach((d) => (d.open = false)); document.activeElement.blur(); scrollTo(0, 0);");
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..200 {
        browser.press("\u{e004}");
        let at = browser.run(
            "const e = document.activeElement; return e === document.body ? '' :
                e.id || e.closest('[id]')?.id + ' ' + e.tagName + ' ' + [...document.querySelectorAll(e.tagName)].indexOf(e);",
        );
        match at.as_str().unwrap_or_default() {
            "" => break,
            at => seen.push(at.to_string()),
        }
    }
    assert!(
        seen[0].contains(" A 0"),
        "the first stop is the skip link: {seen:?}"
    );
    for id in ["baseline", "measure", "size", "theme", "open-all"] {
        assert!(seen.iter().any(|s| s == id), "{id} cannot be reached: {seen:?}");
    }
    let stops = seen.iter().filter(|s| s.contains(" SUMMARY ")).count();
    let visible = browser.run("return [...document.querySelectorAll('summary')].filter((s) => s.checkVisibility({ contentVisibilityAuto: true }) && s.offsetParent !== null).length;");
    assert_eq!(
        stops as u64,
        visible.as_u64().unwrap(),
        "disclosures out of reach: {seen:?}"
    );
    // A disclosure opens by the keyboard, and then holds the table of what is selected now.
    browser.run("document.querySelector(\"figure[data-figure='forest'] summary\").focus();");
    browser.press("\u{e007}");
    browser
        .wait_for("return document.querySelectorAll(\"figure[data-figure='forest'] tbody tr\").length > 2");
}

fn theme_switch_redraws(browser: &Browser) {
    browser.run("document.querySelector('#overview').scrollIntoView();");
    let heat = "document.querySelector(\"figure[data-figure='heat'] svg\")";
    browser.wait_for(&format!("return {heat} !== null"));
    let theme = "return document.documentElement.dataset.theme;";
    let before = browser.run(theme);
    browser.run(&format!(
        "window.colours = {heat}.innerHTML; document.querySelector('#theme').click();"
    ));
    assert_ne!(before, browser.run(theme));
    // The heat map takes the other theme's colours as soon as it is in sight.
    browser.wait_for(&format!("return {heat}.innerHTML !== window.colours"));
}

/// In both themes, every number of the heat map differs enough from the colour behind it (contrast ratio of the web's
/// accessibility guidelines; 4.5 is their wish, 3 their least for large text).
fn numbers_can_be_read_on_their_colours(browser: &Browser) {
    let contrasts = "
        const light = (colour) => {
            const probe = document.createElement('canvas').getContext('2d');
            probe.fillStyle = colour;
            probe.fillRect(0, 0, 1, 1);
            const [r, g, b] = [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3).map((c) => c / 255)
                .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
        };
        const fills = (layer) => [...document.querySelectorAll(`figure[data-figure='heat'] svg .layer_${layer}_marks > *`)]
            .map((e) => light(e.getAttribute('fill')));
        const [below, above] = [fills(0), fills(1)];
        return above.map((a, i) => Math.max(a, below[i]) / Math.min(a, below[i]));";
    let heat = "document.querySelector(\"figure[data-figure='heat'] svg\").innerHTML";
    for _ in 0..2 {
        browser.run("document.querySelector('#overview').scrollIntoView();");
        let theme = browser.run("return document.documentElement.dataset.theme;");
        let contrasts = browser.run(contrasts);
        let contrasts: Vec<f64> = serde_json::from_value(contrasts).unwrap();
        assert!(contrasts.len() > 10);
        for contrast in contrasts {
            assert!(contrast > 3.9, "{theme}: {contrast}");
        }
        browser.run(&format!(
            "window.colours = {heat}; document.querySelector('#theme').click();"
        ));
        browser.wait_for(&format!("return {heat} !== window.colours"));
    }
}

/// Every number of a benchmark's tables has its key, in its own column, and nothing else has: the digits are the same, but for
/// bytes, whose units are no powers of ten.
fn rows_are_sorted_by_the_numbers_that_they_show(browser: &Browser) {
    let found = browser.run(
        "const digits = (text) => text.replace(/\\D/g, '').replace(/^0+|0+$/g, '');
         const entries = [...document.querySelectorAll('#benchmarks table.measures tbody tr')].flatMap((row) =>
             [...row.cells].map((cell, column) => [cell.textContent.trim(), row.dataset.sort?.split(',')[column] ?? '']));
         const wrong = entries.filter(([text, key]) => {
             const shown = text.match(/^[\\d.\\u202f]+/)?.[0] ?? '';
             if (shown === '' || key === '') return shown !== '' || key !== '';
             return !text.includes('iB') && ![2, 3].some((n) => digits(shown) === digits(Number(key).toExponential(n).split('e')[0]));
         });
         return [entries.filter(([, key]) => key !== '').length, wrong];",
    );
    assert!(found[0].as_u64().unwrap() > 500, "{found}");
    assert_eq!(found[1], json!([]), "text and key");
}

/// The table of all measures of a group, in which a runtime has a wrong result and so no number.
const COUNTING: &str = "document.querySelector('#benchmark-counting table.measures')";

/// Clicks the heading of a column, or does nothing without one; what the first column and this one say then, and how the
/// headings say that they are sorted.
fn after_click(
    browser: &Browser,
    table: &str,
    column: usize,
    click: bool,
) -> (Vec<String>, Vec<String>, Vec<Value>) {
    let found = browser.run(&format!(
        "const table = {table}, heads = [...table.tHead.rows[0].cells];
         if ({click}) heads[{column}].querySelector('button').click();
         const says = (column) => [...table.tBodies[0].rows].map((row) => row.cells[column]?.textContent.trim() ?? '');
         return [says(0), says({column}), heads.map((head) => head.getAttribute('aria-sort'))];"
    ));
    serde_json::from_value(found).unwrap()
}

/// Numbers by value and words last in both directions, a third click as written; by keyboard too, and one column at a time.
fn headings_sort_their_tables(browser: &Browser) {
    browser.run("document.querySelectorAll('details').forEach((d) => (d.open = true));");
    let (written, ..) = after_click(browser, COUNTING, 2, false);
    assert_eq!(written, ["datil", "tokio", "actix", "kameo", "erlang", "go"]);
    let sorted = |column| {
        let state = |value: Value| {
            let mut all = vec![Value::Null; 12];
            all[column] = value;
            all
        };
        let (up, shown, now) = after_click(browser, COUNTING, column, true);
        assert_eq!(now, state(json!("ascending")));
        let (down, _, now) = after_click(browser, COUNTING, column, true);
        assert_eq!(now, state(json!("descending")));
        let (back, _, now) = after_click(browser, COUNTING, column, true);
        assert_eq!((&back, now), (&written, state(Value::Null)));
        (up, down, shown)
    };
    // 6.28, 8.99, 9.88 and 9.90 ms, and 13.2: as text, 13.2 would be the first.
    let (up, down, shown) = sorted(2);
    assert_eq!(
        up,
        ["go", "tokio", "actix", "datil", "erlang", "kameo"],
        "{shown:?}"
    );
    assert_eq!(down, ["erlang", "datil", "actix", "tokio", "go", "kameo"]);
    // The baseline's ratio is 1, that of actix 1.001: both are shown as 1.
    let (up, down, shown) = sorted(3);
    assert_eq!(
        up,
        ["go", "tokio", "datil", "actix", "erlang", "kameo"],
        "{shown:?}"
    );
    assert_eq!(down, ["erlang", "actix", "datil", "tokio", "go", "kameo"]);
    // Each has as many invocations as the others: equal rows stay in their order, and who has none is last.
    let (up, down, _) = sorted(1);
    assert_eq!(
        (&up, &up),
        (
            &down,
            &vec_of(["datil", "tokio", "actix", "erlang", "go", "kameo"])
        )
    );
    let (up, down, _) = sorted(0);
    assert_eq!(up, ["actix", "datil", "erlang", "go", "kameo", "tokio"]);
    assert_eq!(down, ["tokio", "kameo", "go", "erlang", "datil", "actix"]);

    // By keyboard; another column takes over.
    let focus = |column: usize| {
        browser.run(&format!(
            "{COUNTING}.tHead.rows[0].cells[{column}].querySelector('button').focus();"
        ));
    };
    focus(2);
    browser.press(" ");
    browser.press("\u{e007}");
    let (rows, _, now) = after_click(browser, COUNTING, 2, false);
    assert_eq!((rows[0].as_str(), &now[2]), ("erlang", &json!("descending")));
    focus(9);
    browser.press("\u{e007}");
    let (rows, _, now) = after_click(browser, COUNTING, 9, false);
    assert_eq!(rows, ["datil", "tokio", "actix", "erlang", "go", "kameo"]);
    assert_eq!((&now[2], &now[9]), (&Value::Null, &json!("ascending")));
    let outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle;");
    assert_eq!(outline, json!("solid"), "the focus can be seen");
    after_click(browser, COUNTING, 9, true);
    after_click(browser, COUNTING, 9, true);
    browser.run("document.querySelectorAll('details').forEach((d) => (d.open = false));");
}

fn vec_of<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// The table of a figure, sorted by what the script was given and not by what it prints.
fn a_sorted_table_is_drawn_anew_as_it_was(browser: &Browser) {
    let heat = "document.querySelector(\"figure[data-figure='heat'] table\")";
    browser.run(&format!(
        "document.querySelector('#overview').scrollIntoView(); {heat}.closest('details').open = true;"
    ));
    browser.wait_for(&format!(
        "return {heat}.tHead.rows[0].cells[2].textContent === 'Ratio'"
    ));
    let (.., now) = after_click(browser, heat, 2, true);
    assert_eq!(now[2], json!("ascending"));
    let numbers = format!(
        "return [...{heat}.tBodies[0].rows].map((row) => [row.dataset.sort.split(',')[2], row.cells[2].textContent]);"
    );
    let before: Vec<[String; 2]> = serde_json::from_value(browser.run(&numbers)).unwrap();
    let ratios: Vec<f64> = before.iter().map_while(|[key, _]| key.parse().ok()).collect();
    assert!(ratios.len() > 20 && ratios.is_sorted(), "{ratios:?}");
    let words: Vec<&str> = before[ratios.len()..]
        .iter()
        .map(|[_, text]| text.as_str())
        .collect();
    assert!(
        words.contains(&"WRONG") && words.contains(&"unsupported"),
        "{words:?}"
    );
    browser.run(&format!(
        "window.before = {heat}; document.querySelector('#theme').click();"
    ));
    browser.wait_for(&format!("return {heat} !== window.before"));
    assert_eq!(
        serde_json::from_value::<Vec<[String; 2]>>(browser.run(&numbers)).unwrap(),
        before
    );
    let (.., now) = after_click(browser, heat, 2, false);
    assert_eq!(now[2], json!("ascending"));
    after_click(browser, heat, 2, true);
    after_click(browser, heat, 2, true);
    browser.run(&format!("{heat}.closest('details').open = false;"));
}

/// Pages of simulated results have no other script.
fn simulated_tables_are_sorted_too(browser: &Browser, folder: &Path) {
    let row = |name: &str, ns: f64, text: &str| vec![name.into(), Field::of(ns, text)];
    let section = simulation::Section {
        title: "big".into(),
        text: String::new(),
        figure: None,
        table: simulation::Table::new(
            &["policy", "makespan"],
            vec![
                row("slow", 2e9, "2.00 s"),
                vec!["none".into(), "unknown: one seed".into()],
                row("fast", 9e6, "9.00 ms"),
            ],
        ),
        numbers: None,
    };
    let page = simulation::Page {
        title: "big".into(),
        method: String::new(),
        sections: vec![section],
    };
    let file = folder.join("simulated.html");
    std::fs::write(&file, simulation::render(&page)).unwrap();
    browser.open(&format!("file://{}", file.display()));
    let table = "document.querySelector('table')";
    let click = || after_click(browser, table, 1, true).0;
    assert_eq!(click(), ["fast", "slow", "none"]);
    assert_eq!(click(), ["slow", "fast", "none"]);
    assert_eq!(click(), ["slow", "none", "fast"]);
}

/// Two panels share a line and are reached by keyboard, and neither they nor what is opened below makes the page wider.
fn simulated_panels_lie_side_by_side(browser: &Browser, folder: &Path) {
    let panel = |caption: &str| {
        let figure = simulation::Figure::Lines {
            axes: ("workers".into(), "time".into()),
            series: vec![("cls".into(), vec![(4.0, 2.0), (64.0, 1.0)])],
            published: vec![(64.0, 1.5, "published, cls: 1.5".into())],
            reaches: 2.0,
        };
        (caption.to_owned(), figure)
    };
    let table = || simulation::Table::new(&["policy"], vec![vec!["cls".into()]]);
    let page = simulation::Page {
        title: "big".into(),
        method: String::new(),
        sections: vec![simulation::Section {
            title: "big".into(),
            text: String::new(),
            figure: Some(simulation::Figure::Panels(vec![panel("one"), panel("two")])),
            table: table(),
            numbers: Some(table()),
        }],
    };
    let file = folder.join("panels.html");
    std::fs::write(&file, simulation::render(&page)).unwrap();
    browser.open(&format!("file://{}", file.display()));
    browser.run("document.querySelector('details').open = true;");
    let tops = browser.run(
        "return [...document.querySelectorAll('.panels > figure')].map((f) => [f.tabIndex, f.getBoundingClientRect().top]);",
    );
    let tops = tops.as_array().unwrap();
    assert_eq!((tops.len(), &tops[0]), (2, &tops[1]));
    assert_eq!(tops[0][0], 0);
    let wider = "return document.documentElement.scrollWidth > document.documentElement.clientWidth;";
    assert_eq!(browser.run(wider), json!(false));
}

/// In a figure of many panels: each has an axis right below it, no axis stands elsewhere, and fewer columns would need another line.
fn every_panel_has_its_axis_and_no_column_is_empty(browser: &Browser) {
    browser.run("window.dispatchEvent(new Event('beforeprint'));");
    for figure in ["cores", "warmup", "growth"] {
        let found = browser.run(&format!(
            "const svg = document.querySelector(\"figure.fig[data-figure='{figure}'] .plot svg\");
             const boxes = (selector) => [...svg.querySelectorAll(selector)].map((e) => e.getBoundingClientRect());
             const panels = boxes('.cell > g > path.background');
             const axes = boxes('.cell .role-axis-label').filter((b) => b.width > b.height);
             const under = (a, p) => Math.abs(a.left - p.left) < 30 && a.top >= p.bottom - 1 && a.top < p.bottom + 20;
             const places = (side) => new Set(panels.map((p) => Math.round(p[side]))).size;
             return [panels.length, panels.filter((p) => axes.some((a) => under(a, p))).length,
                     boxes('.role-column-footer .role-axis-label').length, places('left'), places('top')];"
        ));
        let found: Vec<u64> = serde_json::from_value(found).unwrap();
        let [panels, with_axis, elsewhere, columns, lines] = found[..] else {
            panic!("{figure}: {found:?}");
        };
        assert!(panels > 1, "{figure}: {found:?}");
        assert_eq!((with_axis, elsewhere), (panels, 0), "{figure}: {found:?}");
        assert!((columns - 1) * lines < panels, "{figure}: {found:?}");
    }
    browser.run("window.dispatchEvent(new Event('afterprint'));");
}

/// On a screen of 390 pixels nothing sticks out but what can be scrolled by itself.
fn a_telephone_shows_everything(browser: &Browser) {
    browser.devtools(
        "Emulation.setDeviceMetricsOverride",
        json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true }),
    );
    browser.run("document.querySelectorAll('details').forEach((d) => (d.open = true));");
    let outside = browser.run(
        "const scrolls = (e) => e && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement === document.body ? null : e.parentElement));
         return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > 391 && !scrolls(e)).map((e) => e.outerHTML.slice(0, 80));",
    );
    assert_eq!(outside, json!([]), "outside the screen");
    let width = browser.run("return document.documentElement.scrollWidth;");
    assert_eq!(width, json!(390), "the page itself must not scroll sideways");
    browser.run("document.querySelectorAll('details').forEach((d) => (d.open = false));");
    browser.devtools("Emulation.clearDeviceMetricsOverride", json!({}));
}

/// The figures of each benchmark, too, and on white; what can only be clicked is gone.
fn paper_shows_every_figure_and_no_control(browser: &Browser) {
    browser.run("window.dispatchEvent(new Event('beforeprint'));");
    browser.devtools("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    let hidden = browser.run(
        "return [...document.querySelectorAll('figure.fig')].filter((f) => f.getClientRects().length === 0).map((f) => `${f.dataset.figure} ${f.dataset.benchmark}`);",
    );
    assert_eq!(hidden, json!([]), "not on paper");
    let controls = browser.run(
        "return [...document.querySelectorAll('button:not(.sort), select')].filter((e) => e.getClientRects().length > 0).length;",
    );
    assert_eq!(controls, json!(0));
    // A heading stays, and nothing shows that it could be clicked.
    let heading = browser.run(
        "const heading = document.querySelector('#benchmark-counting thead th:nth-child(3)');
         heading.setAttribute('aria-sort', 'ascending');
         const mark = getComputedStyle(heading.querySelector('.sort'), '::after').display;
         heading.removeAttribute('aria-sort');
         return [heading.innerText, mark];",
    );
    assert_eq!(heading, json!(["Wall", "none"]));
    assert_eq!(
        browser.run("return getComputedStyle(document.body).backgroundColor;"),
        json!("rgb(255, 255, 255)")
    );
    browser.devtools("Emulation.setEmulatedMedia", json!({ "media": "" }));
    browser.run("window.dispatchEvent(new Event('afterprint'));");
}

/// Each of the three figures stands beside a table with a caption, column headings and a row per runtime, which is there
/// without script too.
fn tables_say_what_the_figures_of_growth_scaling_and_fairness_show(browser: &Browser) {
    browser.run("window.dispatchEvent(new Event('beforeprint'));");
    for (section, caption, rows) in [
        ("#growth", "chameneos on 1 core", 7),
        ("#benchmark-chameneos", "Fairness", 4),
    ] {
        let found = browser.run(&format!(
            "const table = [...document.querySelectorAll(\"{section} table\")].find((t) => t.caption?.textContent.startsWith(\"{caption}\"));
             return [table.tBodies[0].rows.length, table.querySelectorAll('thead th[scope=col]').length > 1,
                     [...table.tBodies[0].rows].every((r) => r.cells[0].tagName === 'TH' && r.cells[0].scope === 'row'),
                     table.closest('[role=region][aria-label][tabindex]') !== null];"
        ));
        assert!(found[0].as_u64().unwrap() >= rows, "{section} {caption}: {found}");
        assert_eq!(
            found.as_array().unwrap()[1..],
            [json!(true), json!(true), json!(true)],
            "{caption}"
        );
    }
    for (figure, smallest) in [("growth", 20), ("speedup", 8), ("fairness", 4)] {
        let rows = browser.run(&format!(
            "return document.querySelector(\"figure.fig[data-figure='{figure}'][data-benchmark='chameneos']\").rows.length;"
        ));
        assert!(rows.as_u64().unwrap() >= smallest, "{figure}: {rows}");
    }
    browser.run("window.dispatchEvent(new Event('afterprint'));");
}

fn a_session_that_only_grew_has_its_report(browser: &Browser, folder: &Path) {
    let mut analysis = fixture::rich();
    analysis.groups.clear();
    analysis.plan.groups.clear();
    analysis.summaries.clear();
    analysis.speedups.clear();
    let file = folder.join("grown.html");
    std::fs::write(&file, html::render(&analysis)).unwrap();
    browser.open(&format!("file://{}", file.display()));
    browser.wait_for("return document.documentElement.dataset.ready === 'yes'");
    browser.run("window.dispatchEvent(new Event('beforeprint'));");
    let drawn = browser
        .run("return document.querySelector(\"figure.fig[data-figure='growth'] .plot svg path\") !== null;");
    assert_eq!(drawn, json!(true), "the growth figure needs no groups");
    let empty = browser
        .run("return document.querySelectorAll('#overview, #benchmarks, nav a[href=\"#overview\"]').length;");
    assert_eq!(empty, json!(0), "nothing stands where nothing was compared");
    browser.run("window.dispatchEvent(new Event('afterprint'));");
}

/// Each heading is narrower than its column, or all stand aslant.
fn headings_of_many_runtimes_do_not_run_into_each_other(browser: &Browser, folder: &Path) {
    let mut analysis = fixture::synthetic(&fixture::Shape {
        benchmarks: 2,
        runtimes: 16,
        cores: vec![1],
        blocks: 2,
        iterations: 3,
    });
    let long = |name: &mut String| {
        if name == "pekko" {
            *name = "pekko-default-mailbox".into();
        }
    };
    analysis.runtimes.iter_mut().for_each(|r| long(&mut r.name));
    for group in &mut analysis.groups {
        group.cells.iter_mut().for_each(|c| long(&mut c.runtime));
        for pair in &mut group.pairs {
            long(&mut pair.a);
            long(&mut pair.b);
        }
    }
    let file = folder.join("many.html");
    std::fs::write(&file, html::render(&analysis)).unwrap();
    browser.open(&format!("file://{}", file.display()));
    browser.wait_for("return document.documentElement.dataset.ready === 'yes'");
    browser.run("window.dispatchEvent(new Event('beforeprint'));");
    for figure in ["heat", "matrix"] {
        let heads = browser.run(&format!(
            "const all = [...document.querySelectorAll(\"figure.fig[data-figure='{figure}'] .role-axis-label text\")];
             const heads = all.slice(0, 16).map((e) => [e.getBoundingClientRect(), e.getAttribute('transform')]);
             return heads.slice(1).map(([box, turn], i) => turn.includes('rotate') || box.left > heads[i][0].right);"
        ));
        assert_eq!(heads, json!(vec![true; 15]), "{figure}");
    }
    browser.run("window.dispatchEvent(new Event('afterprint'));");
}

/// Names beyond the edge of a drawing would be cut off, and a stroke beyond its panel would shrink all panels.
fn what_is_long_stays_inside_its_figure(browser: &Browser, folder: &Path) {
    let mut analysis = fixture::synthetic(&fixture::Shape {
        benchmarks: 2,
        runtimes: 16,
        cores: vec![1, 2],
        blocks: 2,
        iterations: 3,
    });
    // Twenty threads that are ready at a time wait for twenty times as long as there is.
    let waits = &mut analysis.groups[0].cells[0].process;
    waits.insert("run-queue-wait".into(), 20.0);
    let reason = "an iteration takes less than a millisecond, too short to be read from outside";
    let cell = &mut analysis.groups[0].cells[1];
    cell.estimates.remove(&Measure::Cpu);
    cell.unavailable.insert(Measure::Cpu, reason.into());
    let file = folder.join("long.html");
    std::fs::write(&file, html::render(&analysis)).unwrap();
    for width in [390, 768, 1440] {
        browser.devtools(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": 844, "deviceScaleFactor": 1, "mobile": false }),
        );
        browser.open(&format!("file://{}", file.display()));
        browser.wait_for("return document.documentElement.dataset.ready === 'yes'");
        browser.run("window.dispatchEvent(new Event('beforeprint'));");
        let outside = browser.run(
            "return [...document.querySelectorAll('figure.fig')].flatMap((f) => {
                 const edge = f.querySelector('.plot svg').getBoundingClientRect().right + 1;
                 return [...f.querySelectorAll('.role-legend-label text')].filter((e) => e.getBoundingClientRect().right > edge)
                     .map((e) => `${f.dataset.figure} ${e.textContent}`);
             });",
        );
        assert_eq!(outside, json!([]), "cut off at {width}");
        let panel = browser.run(
            "return document.querySelector(\"figure.fig[data-figure='cores'] .cell > g > path.background\").getBoundingClientRect().width;",
        );
        assert!(panel.as_f64().unwrap() > 100.0, "{panel} of {width}");
        let reason =
            browser.run("return document.querySelector('.measures td.why').getBoundingClientRect().width;");
        assert!(reason.as_f64().unwrap() < 320.0, "{reason} of {width}");
        let lines = browser.run(
            "const tops = [...document.querySelectorAll('.tiles li')].map((e) => e.offsetTop);
             return [...new Set(tops.map((top) => tops.filter((other) => other === top).length))].length;",
        );
        assert_eq!(lines, json!(1), "lines of tiles have as many each at {width}");
        browser.run("window.dispatchEvent(new Event('afterprint'));");
    }
    browser.devtools("Emulation.clearDeviceMetricsOverride", json!({}));
}

/// Nothing is missing where there is only one runtime, and the page says why it compares nothing.
fn a_runtime_alone_is_compared_with_nothing(browser: &Browser, folder: &Path) {
    let mut analysis = fixture::synthetic(&fixture::Shape {
        benchmarks: 1,
        runtimes: 1,
        cores: vec![1],
        blocks: 2,
        iterations: 3,
    });
    // The judge says nothing of a runtime that nothing is compared with.
    analysis.sentences.clear();
    let file = folder.join("alone.html");
    std::fs::write(&file, html::render(&analysis)).unwrap();
    browser.open(&format!("file://{}", file.display()));
    browser.wait_for("return document.documentElement.dataset.ready === 'yes'");
    browser.run("window.dispatchEvent(new Event('beforeprint'));");
    let said = browser.run(
        "return ['#summary .sentence', \"[data-figure='geomean'] .plot\", \"[data-figure='forest'] .plot\"].map((s) => document.querySelector(s).textContent);",
    );
    browser.run("window.dispatchEvent(new Event('afterprint'));");
    let nothing = "Only datil was measured; there is nothing to compare it with.";
    assert_eq!(
        said,
        json!([
            "Only datil was measured: its numbers stand below, and there is nothing to compare them with.",
            nothing,
            nothing
        ])
    );
}

/// At the first size the baseline has no numbers: figures are relative to what was judged in its place, and say so.
fn a_baseline_without_numbers_is_replaced_where_it_has_none(browser: &Browser, folder: &Path) {
    let file = folder.join("without-baseline.html");
    std::fs::write(&file, html::render(&fixture::without_baseline())).unwrap();
    browser.open(&format!("file://{}", file.display()));
    browser.wait_for("return document.documentElement.dataset.ready === 'yes'");
    let choose = |field: &str, value: &str| {
        browser.run(&format!(
            "const s = document.querySelector('#{field}'); s.value = '{value}'; s.dispatchEvent(new Event('change'));"
        ));
    };
    let shown = || {
        browser.run(
            "window.dispatchEvent(new Event('beforeprint'));
             const figures = ['heat', 'geomean', 'forest', 'memory-time'].map((id) => document.querySelector(`figure[data-figure='${id}']`));
             const titles = figures.map((f) => f.querySelector('.title').textContent.match(/(?:relative|ratios) to (\\w+)/)[1]);
             const rows = figures.map((f) => f.rows.filter((r) => r.label !== 'no pair').length);
             window.dispatchEvent(new Event('afterprint'));
             return [document.querySelector('#instead').textContent, document.querySelector('#baseline').value, [...new Set(titles)], rows];",
        )
    };
    // Three benchmarks on four runtimes, one of which is the baseline, and another has no numbers at the first size.
    let note = "datil has no verified numbers at savina, 1 core; ratios are relative to tokio instead.";
    assert_eq!(shown(), json!([note, "datil", ["tokio"], [12, 2, 3, 6]]));
    choose("size", "savina/2");
    assert_eq!(shown(), json!(["", "datil", ["datil"], [12, 3, 3, 9]]));
    choose("baseline", "tokio");
    choose("size", "savina/1");
    assert_eq!(shown(), json!(["", "tokio", ["tokio"], [12, 2, 3, 6]]));
}

fn hostile_text_stays_text(browser: &Browser) {
    assert_eq!(browser.run("return window.pwned ?? null;"), Value::Null);
    assert_eq!(
        browser.run("return document.querySelectorAll('img, iframe, object, embed').length;"),
        json!(0)
    );
    let shown = browser.run("return document.querySelector('h1').textContent;");
    assert!(shown.as_str().unwrap().contains("<img src=x onerror="), "{shown}");
}

fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|n| folders.iter().map(move |f| f.join(n)))
        .find(|p| p.is_file())
}

/// A browser that ends with the test.
struct Browser {
    driver: Child,
    session: String,
    agent: ureq::Agent,
}

impl Browser {
    fn start(driver: &Path, chromium: &Path, folder: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let driver = Command::new(driver)
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .build()
            .into();
        let mut browser = Browser {
            driver,
            session: format!("http://127.0.0.1:{port}"),
            agent,
        };
        browser.wait_for_port(port);
        let profile = folder.join("profile");
        let arguments = json!([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,1200",
            format!("--user-data-dir={}", profile.display()),
        ]);
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "args": arguments, "binary": chromium, "perfLoggingPrefs": { "enableNetwork": true } },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let made = browser.post("/session", &wanted);
        browser.session += &format!("/session/{}", made["sessionId"].as_str().expect("a session"));
        browser
    }

    fn wait_for_port(&mut self, port: u16) {
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if let Some(status) = self.driver.try_wait().unwrap() {
                let mut said = String::new();
                self.driver
                    .stderr
                    .take()
                    .unwrap()
                    .read_to_string(&mut said)
                    .unwrap();
                panic!("chromedriver ended with {status}: {said}");
            }
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "chromedriver does not answer"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let url = format!("{}{path}", self.session);
        let mut answer = self.agent.post(&url).send_json(body).unwrap();
        let value: Value = answer
            .body_mut()
            .with_config()
            .limit(200 << 20)
            .read_json()
            .unwrap();
        assert!(answer.status().is_success(), "{path}: {value}");
        value["value"].clone()
    }

    fn open(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// A command of the browser's own tools, such as another screen.
    fn devtools(&self, command: &str, parameters: Value) {
        self.post(
            "/goog/cdp/execute",
            &json!({ "cmd": command, "params": parameters }),
        );
    }

    /// Polls until the script returns true. The limit only bounds a failing test.
    fn wait_for(&self, script: &str) {
        let started = Instant::now();
        while self.run(script) != json!(true) {
            assert!(
                started.elapsed() < Duration::from_secs(120),
                "never true: {script}; console: {:?}",
                self.console()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn press(&self, key: &str) {
        let strokes = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        self.post(
            "/actions",
            &json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": strokes }] }),
        );
    }

    /// What the page wrote to the console, security violations included.
    fn console(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "browser" }));
        let entries = entries.as_array().unwrap();
        entries.iter().map(|e| e["message"].to_string()).collect()
    }

    /// Every request of the report but for itself and what it holds inside; the browser's own start page asks for more.
    fn requests(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "performance" }));
        let mut urls = Vec::new();
        for entry in entries.as_array().unwrap() {
            let event: Value = serde_json::from_str(entry["message"].as_str().unwrap()).unwrap();
            if event["message"]["method"] == "Network.requestWillBeSent" {
                let request = &event["message"]["params"];
                let url = request["request"]["url"].as_str().unwrap().to_string();
                let ours = request["documentURL"]
                    .as_str()
                    .is_some_and(|d| d.starts_with("file:"));
                let inside = ["data:", "blob:"].iter().any(|p| url.starts_with(p));
                if ours && !inside && request["type"] != "Document" {
                    urls.push(url);
                }
            }
        }
        urls
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ending the session ends Chromium; the driver is our own child.
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
