//! Pages of simulated results: figures and tables, complete without any script. One sorts the tables.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::super::field::Field;
use super::super::figure::PALETTE;
use super::{table, vendor};

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// Under which conditions it came about.
    pub method: String,
    /// Its parts, in order.
    pub sections: Vec<Section>,
}

/// A part of a page: perhaps a figure, and always the table of what it shows.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// What is to be seen.
    pub text: String,
    /// The figure.
    pub figure: Option<Figure>,
    /// Headings of the table's columns.
    pub header: Vec<String>,
    /// Rows of the table.
    pub rows: Vec<Vec<Field>>,
}

/// A figure.
#[derive(Clone, Debug)]
pub enum Figure {
    /// A row per thing with a dot per series on a logarithmic axis, on which 1 is marked.
    Dots {
        /// Label of the axis.
        axis: String,
        /// Names of the series.
        series: Vec<String>,
        /// Name of each row, with a value per series where there is one.
        rows: Vec<(String, Vec<Option<f64>>)>,
    },
    /// A line per series over whole numbers.
    Lines {
        /// Labels of both axes.
        axes: (String, String),
        /// Name of each series with its points.
        series: Vec<(String, Vec<(f64, f64)>)>,
    },
}

/// Tables are what these pages are read for: they are shown as a whole. What is short stays on one line.
const STYLE: &str = ".scroll { max-height: none; } .short { white-space: nowrap; }";
/// Letters of the longest entry of a column that is short.
const SHORT: usize = 26;

/// The page as one HTML file. Its policy forbids connections, and scripts but the one that sorts tables.
pub fn render(page: &Page) -> String {
    let policy = format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
        vendor::policy_hash(vendor::SORT)
    );
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "scoville " (env!("CARGO_PKG_VERSION")) };
                link rel="icon" href="data:,";
                title { "Scoville: " (page.title) }
                style { (PreEscaped(vendor::STYLE)) (PreEscaped(STYLE)) }
            }
            body {
                header.masthead {
                    p.brand { "Scoville" }
                    h1 { (page.title) }
                    p.method { "Simulated, not measured. " (page.method) }
                }
                main id="main" {
                    @for (number, part) in page.sections.iter().enumerate() { (section(number, part)) }
                }
                footer { p { "Written by Scoville " (env!("CARGO_PKG_VERSION")) ". The same command writes the same page." } }
                script { (PreEscaped(vendor::SORT)) }
            }
        }
    };
    document.into_string()
}

fn section(number: usize, part: &Section) -> Markup {
    let id = format!("part-{number}");
    html! {
        section id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { (part.title) }
            p.prose { (part.text) }
            @if let Some(figure) = &part.figure {
                figure.drawing tabindex="0" aria-label={ "Figure: " (part.title) } { (drawn(figure, &part.title)) }
            }
            div.scroll tabindex="0" role="region" aria-label={ "Table: " (part.title) } { (rows(part)) }
        }
    }
}

fn rows(part: &Section) -> Markup {
    let class = |column| match holds_numbers(&part.rows, column) {
        true => Some("num"),
        false => is_short(&part.rows, column).then_some("short"),
    };
    let classes: Vec<_> = (0..part.header.len()).map(class).collect();
    html! {
        table data-sortable {
            thead { tr { @for (heading, class) in part.header.iter().zip(&classes) { th scope="col" class=[class] { (heading) } } } }
            tbody { @for row in &part.rows {
                tr data-sort=(table::keys(row.iter().map(|cell| cell.number))) { @for (cell, class) in row.iter().zip(&classes) { td class=[class] { (cell.text) } } }
            } }
        }
    }
}

/// Whether a column holds a number in each row, perhaps with a unit, or nothing.
fn holds_numbers(rows: &[Vec<Field>], column: usize) -> bool {
    let is_number = |cell: &str| {
        let mut words = cell.split_whitespace();
        let number = words.next().is_some_and(|first| first.parse::<f64>().is_ok());
        number && words.count() <= 1
    };
    let mut cells = rows
        .iter()
        .filter_map(|row| Some(row.get(column)?.text.as_str()))
        .filter(|cell| !matches!(*cell, "" | "-"));
    cells.clone().next().is_some() && cells.all(is_number)
}

/// Whether no entry of a column has more than [`SHORT`] letters.
fn is_short(rows: &[Vec<Field>], column: usize) -> bool {
    let mut cells = rows.iter().filter_map(|row| row.get(column));
    cells.all(|cell| cell.text.chars().count() <= SHORT)
}

fn drawn(figure: &Figure, title: &str) -> Markup {
    match figure {
        Figure::Dots { axis, series, rows } => dots(title, axis, series, rows),
        Figure::Lines { axes, series } => lines(title, axes, series),
    }
}

const WIDTH: f64 = 860.0;
/// Room for names of rows, at least.
const LEFT: f64 = 180.0;
/// Room for the values and the label of a vertical axis.
const AXIS: f64 = 76.0;
/// Room between a row's name and the smallest value, of which half a mark is to be seen.
const GAP: f64 = 12.0;
/// Room that a letter of a row's name takes, on average.
const LETTER: f64 = 6.4;
const BOTTOM: f64 = 46.0;
const RIGHT: f64 = 20.0;
const ROW: f64 = 20.0;

fn colour(series: usize) -> &'static str {
    PALETTE[series % PALETTE.len()]
}

/// Radius of a series' marks: later ones are smaller, so that none hides another in the same place.
fn radius(series: usize, of: usize) -> f64 {
    const LARGEST: f64 = 6.0;
    const SMALLEST: f64 = 3.0;
    LARGEST - (LARGEST - SMALLEST) * series as f64 / (of.max(2) - 1) as f64
}

/// Dashes of a series' line, for the same reason; those of one colour differ.
fn dashes(series: usize) -> &'static str {
    ["none", "9 5", "2 4", "9 4 2 4"][(series + series / PALETTE.len()) % 4]
}

/// A linear map of one interval onto another.
struct Scale {
    from: (f64, f64),
    to: (f64, f64),
}

impl Scale {
    fn at(&self, value: f64) -> String {
        let share = (value - self.from.0) / (self.from.1 - self.from.0);
        format!("{:.1}", self.to.0 + share * (self.to.1 - self.to.0))
    }
}

/// The smallest and the largest of the values, made wider where they are too near to each other.
fn extent(values: impl Iterator<Item = f64>, least: f64) -> (f64, f64) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low > high {
        return (0.0, least);
    }
    let missing = (least - (high - low)).max(0.0) / 2.0;
    (low - missing, high + missing)
}

/// Whole steps of 1, 2 or 5 times a power of ten from 0 to at least `most`, at most six of them, as they are written.
fn steps(most: f64) -> Vec<(f64, String)> {
    let power = 10_f64.powf((most / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| most / step <= 5.0)
        .expect("five times the last is more");
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let count = (most / step).ceil() as u32;
    (0..=count)
        .map(|number| {
            let value = f64::from(number) * step;
            (value, format!("{value:.decimals$}"))
        })
        .collect()
}

/// What each series looks like: a mark, on a piece of its line if it has one.
fn legend(names: &[&str], with_lines: bool) -> Markup {
    html! {
        figcaption.series {
            @for (number, name) in names.iter().enumerate() {
                span {
                    svg viewBox="0 0 30 14" width="30" height="14" aria-hidden="true" {
                        @if with_lines { (stroke(number, "0,7 30,7")) }
                        circle cx="15" cy="7" r=(radius(number, names.len())) fill=(colour(number)) {}
                    }
                    (name)
                }
            }
        }
    }
}

fn stroke(series: usize, points: &str) -> Markup {
    html! { polyline points=(points) fill="none" stroke=(colour(series)) stroke-width="2.5" stroke-dasharray=(dashes(series)) {} }
}

fn dots(title: &str, axis: &str, series: &[String], rows: &[(String, Vec<Option<f64>>)]) -> Markup {
    let values = rows.iter().flat_map(|(_, values)| values.iter().flatten());
    let (low, high) = extent(values.map(|value| value.log2()).chain([0.0]), 0.5);
    let longest = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    let left = LEFT.max(LETTER * longest as f64 + 2.0 * GAP);
    let width = WIDTH - LEFT + left;
    let x = Scale {
        from: (low, high),
        to: (left, width - RIGHT),
    };
    let height = ROW * rows.len() as f64 + BOTTOM;
    let floor = height - BOTTOM;
    let ticks: [f64; 17] = [
        0.125, 0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0,
    ];
    let crowded = high - low > 2.0;
    let shown = ticks
        .iter()
        .filter(|tick| (low..=high).contains(&tick.log2()) && (!crowded || tick.log2().fract() == 0.0));
    html! {
        (legend(&series.iter().map(String::as_str).collect::<Vec<_>>(), false))
        svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(title) font-size="12" fill="currentColor" {
            @for tick in shown {
                line x1=(x.at(tick.log2())) x2=(x.at(tick.log2())) y1="0" y2=(floor) stroke="currentColor"
                    stroke-opacity=(if *tick == 1.0 { 0.8 } else { 0.15 }) {}
                text x=(x.at(tick.log2())) y=(floor + 16.0) text-anchor="middle" { (tick) }
            }
            text x=(f64::midpoint(left, width - RIGHT)) y=(floor + 36.0) text-anchor="middle" { (axis) }
            @for (number, (name, values)) in rows.iter().enumerate() {
                @let middle = ROW * (number as f64 + 0.5);
                text x=(left - GAP) y=(middle + 4.0) text-anchor="end" { (name) }
                line x1=(left) x2=(width - RIGHT) y1=(middle) y2=(middle) stroke="currentColor" stroke-opacity="0.08" {}
                @for (which, value) in values.iter().enumerate() {
                    @if let Some(value) = value {
                        circle cx=(x.at(value.log2())) cy=(middle) r=(radius(which, series.len())) fill=(colour(which)) {
                            title { (name) ", " (series[which]) ": " (format!("{value:.3}")) }
                        }
                    }
                }
            }
        }
    }
}

fn lines(title: &str, axes: &(String, String), series: &[(String, Vec<(f64, f64)>)]) -> Markup {
    let points = || series.iter().flat_map(|(_, points)| points);
    // What doubles from point to point would be crowded at the left of a linear axis.
    let (least, largest) = extent(points().map(|point| point.0), 0.0);
    let doubles = least > 0.0 && largest / least >= 8.0;
    let along = |value: f64| if doubles { value.log2() } else { value };
    let (_, most) = extent(points().map(|point| point.1), 0.1);
    let steps = steps(most);
    let height = 360.0;
    let floor = height - BOTTOM;
    let x = Scale {
        from: extent(points().map(|point| along(point.0)), 1.0),
        to: (AXIS, WIDTH - RIGHT),
    };
    let y = Scale {
        from: (0.0, steps.last().expect("there is 0").0),
        to: (floor, 8.0),
    };
    let place = |point: &(f64, f64)| (x.at(along(point.0)), y.at(point.1));
    let path = |points: &[(f64, f64)]| {
        let places = points.iter().map(place).map(|(x, y)| format!("{x},{y}"));
        places.collect::<Vec<_>>().join(" ")
    };
    let mut marks: Vec<f64> = points().map(|point| point.0).collect();
    marks.sort_by(f64::total_cmp);
    marks.dedup();
    html! {
        (legend(&series.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), true))
        svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label=(title) font-size="12" fill="currentColor" {
            @for (value, label) in &steps {
                line x1=(AXIS) x2=(WIDTH - RIGHT) y1=(y.at(*value)) y2=(y.at(*value)) stroke="currentColor" stroke-opacity="0.15" {}
                text x=(AXIS - 8.0) y=(y.at(*value)) text-anchor="end" dominant-baseline="middle" { (label) }
            }
            @for mark in &marks { text x=(x.at(along(*mark))) y=(floor + 16.0) text-anchor="middle" { (mark) } }
            text x=(f64::midpoint(AXIS, WIDTH - RIGHT)) y=(floor + 36.0) text-anchor="middle" { (axes.0) }
            text x="12" y=(floor / 2.0) text-anchor="middle" transform={ "rotate(-90 12 " (floor / 2.0) ")" } { (axes.1) }
            @for (number, (name, points)) in series.iter().enumerate() {
                (stroke(number, &path(points)))
                @for point in points {
                    @let (across, up) = place(point);
                    circle cx=(across) cy=(up) r=(radius(number, series.len())) fill=(colour(number)) {
                        title { (name) ": " (format!("{} at {}", format_args!("{:.3}", point.1), point.0)) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str, value: f64) -> Page {
        Page {
            title: name.to_owned(),
            method: "Two ways.".to_owned(),
            sections: vec![Section {
                title: "Ratios".to_owned(),
                text: String::new(),
                figure: Some(Figure::Dots {
                    axis: "ratio".to_owned(),
                    series: vec!["one".to_owned()],
                    rows: vec![
                        (name.to_owned(), vec![Some(value)]),
                        ("none".to_owned(), vec![None]),
                    ],
                }),
                header: vec!["program".to_owned()],
                rows: vec![vec![name.into()]],
            }],
        }
    }

    #[test]
    fn a_page_says_what_it_is_and_escapes_what_it_is_given() {
        let text = render(&page("<script>alert(1)</script>", 2.0));
        assert!(text.contains("Simulated, not measured.") && !text.contains("<script>alert"));
        assert!(text.contains("&lt;script&gt;"));
        assert_eq!(text.matches("<script").count(), 1, "the one that sorts tables");
    }

    #[test]
    fn values_lie_where_they_belong() {
        let text = render(&page("x", 2.0));
        // The axis ends with the largest value; 1 is its left end.
        assert!(text.contains(r#"<circle cx="840.0""#), "{text}");
        let same = render(&page("x", 1.0));
        assert!(
            same.contains(r#"<circle cx="510.0""#),
            "in the middle of a widened axis"
        );
        assert_eq!(extent([].into_iter(), 1.0), (0.0, 1.0));
    }

    #[test]
    fn long_names_get_room() {
        let name = "n".repeat(100);
        let text = render(&page(&name, 2.0));
        // A hundred letters and the gaps beside them, instead of the usual 180.
        assert!(text.contains(r#"viewBox="0 0 1344 "#), "{text}");
        assert!(text.contains(r#"<text x="652" "#), "{text}");
        assert!(text.contains(r#"<circle cx="1324.0""#), "{text}");
    }

    #[test]
    fn a_line_joins_its_points() {
        let figure = Figure::Lines {
            axes: ("workers".to_owned(), "ms".to_owned()),
            series: vec![("a".to_owned(), vec![(1.0, 10.0), (2.0, 5.0)])],
        };
        let text = drawn(&figure, "t").into_string();
        // From the axis to the right edge, and from the largest step, 10, half the way down to 0.
        assert!(text.contains(r#"points="76.0,8.0 840.0,161.0""#), "{text}");
        assert_eq!(text.matches("<circle").count(), 3, "one in the legend");
    }

    #[test]
    fn what_doubles_is_spread_evenly() {
        let points = [1.0, 4.0, 16.0].map(|workers| (workers, 1.0));
        let figure = Figure::Lines {
            axes: (String::new(), String::new()),
            series: vec![("a".to_owned(), points.to_vec())],
        };
        let text = drawn(&figure, "t").into_string();
        for place in ["76.0", "458.0", "840.0"] {
            assert!(text.contains(&format!(r#"<circle cx="{place}""#)), "{text}");
        }
    }

    #[test]
    fn steps_are_round() {
        let labels = |most| {
            steps(most)
                .into_iter()
                .map(|(_, label)| label)
                .collect::<Vec<_>>()
        };
        assert_eq!(labels(71.487), ["0", "20", "40", "60", "80"]);
        assert_eq!(labels(10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(0.1), ["0.00", "0.02", "0.04", "0.06", "0.08", "0.10"]);
        assert_eq!(labels(1366.0), ["0", "500", "1000", "1500"]);
    }

    #[test]
    fn series_in_one_place_are_all_seen() {
        let looks: std::collections::BTreeSet<_> = (0..64).map(|s| (colour(s), dashes(s))).collect();
        assert_eq!(looks.len(), 64);
        let radii: Vec<f64> = (0..3).map(|series| radius(series, 3)).collect();
        assert_eq!(radii, [6.0, 4.5, 3.0]);
        assert_eq!(radius(0, 1), 6.0);
        assert_ne!(dashes(0), dashes(1));
    }

    #[test]
    fn short_columns_do_not_wrap() {
        let rows = vec![vec![
            "needs the operating system".into(),
            "w".repeat(SHORT + 1).into(),
        ]];
        assert_eq!([0, 1].map(|column| is_short(&rows, column)), [true, false]);
        let text = render(&page("x", 2.0));
        assert!(text.contains(r#"<td class="short">x</td>"#), "{text}");
    }

    #[test]
    fn columns_of_numbers_are_told_from_names() {
        let rows = |cells: [&str; 3]| cells.map(|cell| vec![cell.into()]).to_vec();
        assert!(holds_numbers(&rows(["1.5 ms", "-0.2", "-"]), 0));
        assert!(holds_numbers(&rows(["12.2 %", "", "3"]), 0));
        assert!(!holds_numbers(&rows(["1", "big", "3"]), 0));
        assert!(!holds_numbers(&rows(["", "-", ""]), 0));
    }
}
