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
    /// The table.
    pub table: Table,
    /// Every number of the figure, where the table is about something else; to be opened.
    pub numbers: Option<Table>,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Headings of its columns.
    pub header: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<Field>>,
}

impl Table {
    /// With these headings.
    pub fn new(header: &[&str], rows: Vec<Vec<Field>>) -> Self {
        Self {
            header: header.iter().map(|heading| (*heading).to_owned()).collect(),
            rows,
        }
    }
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
        /// Published values, where any are known: each with its place and what is said of it.
        published: Vec<(f64, f64, String)>,
        /// What the vertical axis reaches at least, so that figures can be compared.
        reaches: f64,
    },
    /// Figures side by side, each with its caption.
    Panels(Vec<(String, Figure)>),
}

/// Tables are what these pages are read for: they are shown as a whole. What is short stays on one line.
const STYLE: &str = "\
    .scroll { max-height: none; } .short { white-space: nowrap; } \
    .panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 0.6rem 2rem; margin-bottom: 1.2rem; } \
    .panels > figure.drawing { min-width: 0; margin: 0; } .panels > figure.drawing > svg { min-width: 24rem; } \
    .panels h3 { margin-bottom: 0.4rem; } \
    .sections.contents { display: block; columns: 22rem; column-gap: 2rem; margin-top: 1.5rem; }";
/// Parts of a page from which on it says at its beginning which there are.
const MANY: usize = 8;
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
                    @if page.sections.len() >= MANY { (contents(&page.sections)) }
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

fn contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul.sections.contents {
                @for (number, part) in sections.iter().enumerate() { li { a href={ "#part-" (number) } { (part.title) } } }
            }
        }
    }
}

fn section(number: usize, part: &Section) -> Markup {
    let id = format!("part-{number}");
    html! {
        section id=(id) aria-labelledby={ (id) "-title" } {
            h2 id={ (id) "-title" } { (part.title) }
            p.prose { (part.text) }
            @if let Some(figure) = &part.figure {
                (framed(figure, &part.title))
            }
            div.scroll tabindex="0" role="region" aria-label={ "Table: " (part.title) } { (rows(&part.table)) }
            @if let Some(numbers) = &part.numbers {
                details.table {
                    summary { "All numbers of this figure" }
                    div.scroll tabindex="0" role="region" aria-label={ "Numbers: " (part.title) } { (rows(numbers)) }
                }
            }
        }
    }
}

fn rows(part: &Table) -> Markup {
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

/// A figure that can be reached by keyboard, or several of them.
fn framed(figure: &Figure, title: &str) -> Markup {
    let Figure::Panels(panels) = figure else {
        return html! { figure.drawing tabindex="0" aria-label={ "Figure: " (title) } { (drawn(figure, title, WIDTH)) } };
    };
    html! {
        div.panels {
            @for (caption, panel) in panels {
                figure.drawing tabindex="0" aria-label={ "Figure: " (title) ", " (caption) } {
                    h3 { (caption) }
                    (drawn(panel, caption, NARROW))
                }
            }
        }
    }
}

fn drawn(figure: &Figure, title: &str, width: f64) -> Markup {
    match figure {
        Figure::Dots { axis, series, rows } => dots(title, axis, series, rows),
        Figure::Lines {
            axes,
            series,
            published,
            reaches,
        } => {
            let plot = Plot::new(series, published, *reaches, width);
            lines(title, axes, series, published, &plot)
        }
        Figure::Panels(_) => framed(figure, title),
    }
}

const WIDTH: f64 = 860.0;
/// Width of a figure beside another one.
const NARROW: f64 = 540.0;
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

/// What is marked of a logarithmic axis between these powers of two, as it is written: round numbers about 1, or powers of two, at
/// most thirteen of them, with 1.
fn ticks(low: f64, high: f64) -> Vec<(f64, String)> {
    let round = [0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 4.0];
    let near = |tick: &f64| (low..=high).contains(&tick.log2());
    let ticks: Vec<f64> = if high - low > 2.0 {
        let apart = ((high - low) / 12.0).ceil() as i32;
        let powers = (low.ceil() as i32)..=(high.floor() as i32);
        let kept = powers.filter(|power| power % apart == 0);
        kept.map(|power| 2_f64.powi(power)).collect()
    } else {
        round.into_iter().filter(near).collect()
    };
    ticks.into_iter().map(|tick| (tick, small(tick))).collect()
}

/// A number of which two digits are enough if it is far below 1.
fn small(number: f64) -> String {
    if number >= 0.1 {
        return number.to_string();
    }
    let decimals = 1 - number.log10().floor() as i32;
    format!("{number:.*}", decimals.max(0) as usize)
}

/// What each series looks like: a mark, on a piece of its line if it has one; and what marks published values, if there are any.
fn legend(names: &[&str], with_lines: bool, with_published: bool) -> Markup {
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
            @if with_published {
                span { svg viewBox="0 0 30 14" width="30" height="14" aria-hidden="true" { (rhombus("15", "7")) } "published" }
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
    html! {
        (legend(&series.iter().map(String::as_str).collect::<Vec<_>>(), false, false))
        svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(title) font-size="12" fill="currentColor" {
            @for (tick, label) in ticks(low, high) {
                line x1=(x.at(tick.log2())) x2=(x.at(tick.log2())) y1="0" y2=(floor) stroke="currentColor"
                    stroke-opacity=(if tick == 1.0 { 0.8 } else { 0.15 }) {}
                text x=(x.at(tick.log2())) y=(floor + 16.0) text-anchor="middle" { (label) }
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

/// Where values lie in a figure of lines.
struct Plot {
    width: f64,
    /// Whether the horizontal axis is logarithmic.
    doubles: bool,
    x: Scale,
    y: Scale,
    /// Steps of the vertical axis.
    steps: Vec<(f64, String)>,
    /// Places on the horizontal axis that have values.
    marks: Vec<f64>,
}

impl Plot {
    const FLOOR: f64 = 360.0 - BOTTOM;

    fn new(
        series: &[(String, Vec<(f64, f64)>)],
        published: &[(f64, f64, String)],
        reaches: f64,
        width: f64,
    ) -> Self {
        let drawn = series.iter().flat_map(|(_, points)| points.iter().copied());
        let points = || drawn.clone().chain(published.iter().map(|(x, y, _)| (*x, *y)));
        // What doubles from point to point would be crowded at the left of a linear axis.
        let (least, largest) = extent(points().map(|point| point.0), 0.0);
        let doubles = least > 0.0 && largest / least >= 8.0;
        let along = |value: f64| if doubles { value.log2() } else { value };
        let (_, most) = extent(points().map(|point| point.1), 0.1);
        let steps = steps(most.max(reaches));
        let mut marks: Vec<f64> = points().map(|point| point.0).collect();
        marks.sort_by(f64::total_cmp);
        marks.dedup();
        Self {
            width,
            doubles,
            x: Scale {
                from: extent(points().map(|point| along(point.0)), 1.0),
                to: (AXIS, width - RIGHT),
            },
            y: Scale {
                from: (0.0, steps.last().expect("there is 0").0),
                to: (Self::FLOOR, 8.0),
            },
            steps,
            marks,
        }
    }

    fn across(&self, value: f64) -> String {
        self.x.at(if self.doubles { value.log2() } else { value })
    }

    fn path(&self, points: &[(f64, f64)]) -> String {
        let places = points
            .iter()
            .map(|point| format!("{},{}", self.across(point.0), self.y.at(point.1)));
        places.collect::<Vec<_>>().join(" ")
    }

    /// Both axes with their labels.
    fn axes(&self, (across, up): &(String, String)) -> Markup {
        let (right, floor) = (self.width - RIGHT, Self::FLOOR);
        html! {
            @for (value, label) in &self.steps {
                line x1=(AXIS) x2=(right) y1=(self.y.at(*value)) y2=(self.y.at(*value)) stroke="currentColor" stroke-opacity="0.15" {}
                text x=(AXIS - 8.0) y=(self.y.at(*value)) text-anchor="end" dominant-baseline="middle" { (label) }
            }
            @for mark in self.labelled() { text x=(self.across(mark)) y=(floor + 16.0) text-anchor="middle" { (mark) } }
            text x=(f64::midpoint(AXIS, right)) y=(floor + 36.0) text-anchor="middle" { (across) }
            text x="12" y=(floor / 2.0) text-anchor="middle" transform={ "rotate(-90 12 " (floor / 2.0) ")" } { (up) }
        }
    }

    /// The places that have a label: those that leave room for the next one, from the right, and the last.
    fn labelled(&self) -> Vec<f64> {
        const ROOM: f64 = 22.0;
        let at = |mark: f64| self.across(mark).parse::<f64>().unwrap_or(0.0);
        let mut kept: Vec<f64> = Vec::new();
        for &mark in self.marks.iter().rev() {
            if kept.last().is_none_or(|next| at(*next) - at(mark) >= ROOM) {
                kept.push(mark);
            }
        }
        kept
    }
}

fn lines(
    title: &str,
    axes: &(String, String),
    series: &[(String, Vec<(f64, f64)>)],
    published: &[(f64, f64, String)],
    plot: &Plot,
) -> Markup {
    html! {
        (legend(&series.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), true, !published.is_empty()))
        svg viewBox={ "0 0 " (plot.width) " 360" } role="img" aria-label=(title) font-size="12" fill="currentColor" {
            (plot.axes(axes))
            @for (number, (name, points)) in series.iter().enumerate() {
                (stroke(number, &plot.path(points)))
                @for point in points {
                    circle cx=(plot.across(point.0)) cy=(plot.y.at(point.1)) r=(radius(number, series.len())) fill=(colour(number)) {
                        title { (name) ": " (format!("{} at {}", format_args!("{:.3}", point.1), point.0)) }
                    }
                }
            }
            @for (x, y, said) in published {
                g { title { (said) } (rhombus(&plot.across(*x), &plot.y.at(*y))) }
            }
        }
    }
}

/// What marks a published value: it can be told from all dots, and lets what is behind it be seen.
fn rhombus(x: &str, y: &str) -> Markup {
    html! {
        path transform={ "translate(" (x) " " (y) ")" } d="M0 -7L7 0L0 7L-7 0Z" fill="currentColor" fill-opacity="0.1" stroke="currentColor" stroke-width="1.8" {}
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
                table: Table::new(&["program"], vec![vec![name.into()]]),
                numbers: None,
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
    fn a_wide_axis_is_marked_to_its_ends() {
        let labels =
            |low, high| -> Vec<String> { ticks(low, high).into_iter().map(|(_, label)| label).collect() };
        assert_eq!(labels(-0.2, 0.6), ["0.9", "1", "1.1", "1.25", "1.5"]);
        assert_eq!(labels(-3.5, 1.2), ["0.125", "0.25", "0.5", "1", "2"]);
        assert_eq!(
            labels(-14.2, 6.0),
            [
                "0.000061", "0.00024", "0.00098", "0.0039", "0.016", "0.062", "0.25", "1", "4", "16", "64"
            ]
        );
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
            published: Vec::new(),
            reaches: 0.0,
        };
        let text = drawn(&figure, "t", WIDTH).into_string();
        // From the axis to the right edge, and from the largest step, 10, half the way down to 0.
        assert!(text.contains(r#"points="76.0,8.0 840.0,161.0""#), "{text}");
        assert_eq!(text.matches("<circle").count(), 3, "one in the legend");
    }

    #[test]
    fn a_published_value_is_marked_and_has_room() {
        let figure = Figure::Lines {
            axes: ("workers".to_owned(), "ms".to_owned()),
            series: vec![("a".to_owned(), vec![(1.0, 10.0), (2.0, 5.0)])],
            published: vec![(2.0, 20.0, "published, a: 20".to_owned())],
            reaches: 40.0,
        };
        let text = drawn(&figure, "t", NARROW).into_string();
        assert!(text.contains("<title>published, a: 20</title>"), "{text}");
        // At the right edge, half the way up, since the axis reaches 40.
        assert!(text.contains("translate(520.0 161.0)"), "{text}");
        assert!(text.contains(">published</span>"), "{text}");
    }

    #[test]
    fn panels_can_be_reached_one_by_one() {
        let panel = || Figure::Dots {
            axis: String::new(),
            series: Vec::new(),
            rows: Vec::new(),
        };
        let both = Figure::Panels(vec![("one".to_owned(), panel()), ("two".to_owned(), panel())]);
        let text = framed(&both, "t").into_string();
        for name in ["Figure: t, one", "Figure: t, two"] {
            let frame = format!(r#"<figure class="drawing" tabindex="0" aria-label="{name}">"#);
            assert!(text.contains(&frame), "{text}");
        }
    }

    #[test]
    fn only_long_pages_begin_with_their_contents() {
        let long = |parts| {
            let one = page("x", 2.0);
            let sections = vec![one.sections[0].clone(); parts];
            render(&Page { sections, ..one }).contains(r##"<a href="#part-1">"##)
        };
        assert_eq!([MANY - 1, MANY].map(long), [false, true]);
    }

    #[test]
    fn what_doubles_is_spread_evenly() {
        let points = [1.0, 4.0, 16.0].map(|workers| (workers, 1.0));
        let figure = Figure::Lines {
            axes: (String::new(), String::new()),
            series: vec![("a".to_owned(), points.to_vec())],
            published: Vec::new(),
            reaches: 0.0,
        };
        let text = drawn(&figure, "t", WIDTH).into_string();
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
