//! A figure of the thesis as a part of the page: what is simulated, with the published values that are known, and what the text says
//! of it.

use std::collections::BTreeMap;

use datil_sim::woelke_2018::{Figure as Published, Panel, Point, Quantity, Row, Series};

use super::thesis::statement_columns;
use crate::render::field::Field;
use crate::render::html::simulation::{Figure, Section, Table};

/// The part that is about a figure.
pub(super) fn section(figure: &Published, rows: &[Row]) -> Section {
    let own = rows.iter().filter(|row| row.figures.contains(&figure.number));
    let units: Vec<Unit> = figure.panels.iter().map(Unit::of).collect();
    let pairs = || figure.panels.iter().zip(&units);
    Section {
        title: format!("Figure {}. {}", figure.number, figure.caption),
        text: text(figure),
        figure: Some(match pairs().next() {
            Some((panel, _)) if panel.programs => bars(panel),
            _ => {
                let panels = pairs().flat_map(|(panel, unit)| curves(&drawn(panel, figure.drawn_from), unit));
                Figure::Panels(panels.collect())
            }
        }),
        table: Table::new(
            &["statement", "published", "simulated", "verdict", "why"],
            own.map(|row| statement_columns(row).to_vec()).collect(),
        ),
        numbers: Some(Table::new(
            &[
                "quantity",
                "policy",
                "program",
                "workers",
                "published",
                "simulated",
                "with os",
            ],
            pairs().flat_map(|(panel, unit)| numbers(panel, unit)).collect(),
        )),
    }
}

/// What is drawn of a panel.
fn drawn(panel: &Panel, from: Option<usize>) -> Panel {
    let mut panel = panel.clone();
    for series in &mut panel.series {
        series.points.retain(|point| point.workers >= from.unwrap_or(0));
    }
    panel
}

/// Where it stands, and what of it is not known.
fn text(figure: &Published) -> String {
    let missing = match figure.not_simulated {
        "" => String::new(),
        what => format!(" Not simulated: {what}."),
    };
    let zoomed = figure.drawn_from.map_or_else(String::new, |workers| {
        format!(" It is zoomed in, the text does not say how far; here it begins with {workers} workers.")
    });
    format!(
        "Section {}. Published values that are unavailable: {}.{zoomed}{missing}",
        figure.section, figure.unavailable
    )
}

/// What values are divided by, and its name.
struct Unit {
    divisor: f64,
    label: String,
}

impl Unit {
    fn of(panel: &Panel) -> Self {
        let most = most(panel, |point| point.without.max(point.with_os));
        let name = panel.quantity.name();
        let (divisor, unit) = match panel.quantity {
            _ if panel.programs => (1.0, ""),
            Quantity::Time if most >= 1e9 => (1e9, " in s"),
            Quantity::Time => (1e6, " in ms"),
            Quantity::RemoteShare => (0.01, " in %"),
            _ if most >= 1e6 => (1e6, " in millions"),
            _ => (1.0, ""),
        };
        Self {
            divisor,
            label: format!("{name}{unit}"),
        }
    }

    /// A value in this unit, with three digits.
    fn say(&self, value: f64) -> String {
        let value = value / self.divisor;
        let decimals = match value.abs() {
            size if size >= 100.0 => 0,
            size if size >= 10.0 => 1,
            size if size >= 1.0 => 2,
            _ => 3,
        };
        format!("{value:.decimals$}")
    }

    /// A mean with its standard error, if there is one.
    fn mean(&self, value: f64, error: Option<f64>) -> Field {
        let error = error.map_or_else(String::new, |error| format!(" ± {}", self.say(error)));
        Field::of(value, format!("{}{error}", self.say(value)))
    }
}

fn most(panel: &Panel, of: impl Fn(&Point) -> f64) -> f64 {
    let points = panel.series.iter().flat_map(|series| &series.points);
    points.map(of).fold(0.0, f64::max)
}

/// Two figures, without and with the operating system, to the same scale.
fn curves(panel: &Panel, unit: &Unit) -> [(String, Figure); 2] {
    let reaches = most(panel, |point| point.without.max(point.with_os)) / unit.divisor;
    let figure = |of: fn(&Point) -> f64| {
        let points = |series: &Series| {
            let points = series.points.iter();
            points
                .map(|point| (point.workers as f64, of(point) / unit.divisor))
                .collect()
        };
        let series = panel.series.iter();
        Figure::Lines {
            axes: ("workers".to_owned(), unit.label.clone()),
            series: series
                .map(|series| (series.name.clone(), points(series)))
                .collect(),
            published: published(panel, unit),
            reaches,
        }
    };
    [
        (unit.label.clone(), figure(|point| point.without)),
        (
            format!("{}, with the operating system", unit.label),
            figure(|point| point.with_os),
        ),
    ]
}

/// The published values that are known. What is said of several policies is one mark.
fn published(panel: &Panel, unit: &Unit) -> Vec<(f64, f64, String)> {
    let mut marks: BTreeMap<(usize, &str), (f64, Vec<&str>)> = BTreeMap::new();
    for series in &panel.series {
        for point in &series.points {
            if let (Some(value), Some(said)) = (point.published, &point.said) {
                let mark = marks.entry((point.workers, said)).or_insert((value, Vec::new()));
                mark.1.push(&series.name);
            }
        }
    }
    let mark = |((workers, said), (value, names)): ((usize, &str), (f64, Vec<&str>))| {
        let of = names.join(" and ");
        (
            workers as f64,
            value / unit.divisor,
            format!("published, {of}: {said} at {workers}"),
        )
    };
    marks.into_iter().map(mark).collect()
}

/// A row per program. A ratio of nothing has no place on the axis.
fn bars(panel: &Panel) -> Figure {
    let positive = |value: f64| Some(value).filter(|value| *value > 0.0);
    let points = panel.series.iter().flat_map(|series| &series.points);
    let row = |point: &Point| {
        let values = [point.published, positive(point.without), positive(point.with_os)];
        (bar_name(point), values.to_vec())
    };
    let name = panel
        .series
        .first()
        .map_or_else(String::new, |series| series.name.clone());
    Figure::Dots {
        axis: format!("{}, {name}, 64 workers", panel.quantity.name()),
        series: ["published", "simulated", "simulated with the operating system"]
            .map(str::to_owned)
            .to_vec(),
        rows: points.map(row).collect(),
    }
}

/// Of a bound there is no dot, so that the row says what is published.
fn bar_name(point: &Point) -> String {
    match (&point.said, point.published) {
        (Some(said), None) => format!("{}; {said}", point.program),
        _ => point.program.to_owned(),
    }
}

fn numbers<'a>(panel: &'a Panel, unit: &'a Unit) -> impl Iterator<Item = Vec<Field>> + 'a {
    let row = move |series: &'a Series| {
        series.points.iter().map(move |point| {
            let said = point.said.clone().unwrap_or_else(|| "unavailable".to_owned());
            vec![
                unit.label.as_str().into(),
                series.name.as_str().into(),
                point.program.into(),
                Field::of(point.workers as f64, point.workers.to_string()),
                Field {
                    number: point.published,
                    ..said.into()
                },
                unit.mean(point.without, point.without_error),
                unit.mean(point.with_os, point.with_os_error),
            ]
        })
    };
    panel.series.iter().flat_map(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::html::simulation::{Page, render};

    fn point(program: &'static str, published: Option<f64>, said: Option<&str>) -> Point {
        Point {
            program,
            workers: 64,
            published,
            said: said.map(str::to_owned),
            without: 2e9,
            without_error: Some(1e8),
            with_os: 4e9,
            with_os_error: None,
        }
    }

    fn figure(programs: bool, points: &[Point]) -> Published {
        let series = ["cls", "lgs"].map(|name| Series {
            name: name.to_owned(),
            points: points.to_vec(),
        });
        Published {
            number: "6.2",
            section: "6.3",
            caption: "time",
            unavailable: "all times",
            not_simulated: "Akka",
            drawn_from: None,
            panels: vec![Panel {
                quantity: Quantity::Time,
                programs,
                series: series.into_iter().take(if programs { 1 } else { 2 }).collect(),
            }],
        }
    }

    fn page(figure: &Published) -> String {
        render(&Page {
            title: String::new(),
            method: String::new(),
            sections: vec![section(figure, &[])],
        })
    }

    #[test]
    fn what_is_not_known_is_said() {
        let text = page(&figure(false, &[point("big", None, None)]));
        assert!(text.contains("Published values that are unavailable: all times. Not simulated: Akka."));
        assert_eq!(text.matches(">unavailable</td>").count(), 2, "{text}");
        assert!(!text.contains(">published</span>"), "nothing to mark");
    }

    /// What was left out of the drawing is in the numbers.
    #[test]
    fn a_zoomed_figure_says_so() {
        let points = [4, 64].map(|workers| Point {
            workers,
            ..point("big", None, None)
        });
        let whole = page(&figure(false, &points));
        let zoomed = page(&Published {
            drawn_from: Some(24),
            ..figure(false, &points)
        });
        let dots = |page: &str| page.matches(": 2.000 at ").count();
        assert_eq!((dots(&whole), dots(&zoomed)), (4, 2));
        let rows = |page: &str| page.matches(">unavailable</td>").count();
        assert_eq!((rows(&whole), rows(&zoomed)), (4, 4));
        assert!(zoomed.contains("here it begins with 24 workers.") && !whole.contains("zoomed"));
    }

    #[test]
    fn curves_have_a_unit_and_one_scale() {
        let text = page(&figure(false, &[point("big", Some(1e9), Some("1 s"))]));
        assert!(text.contains("2.00 ± 0.100") && text.contains("time in s, with the operating system"));
        assert_eq!(
            text.matches("<title>published, cls and lgs: 1 s at 64</title>")
                .count(),
            2
        );
        assert_eq!(
            text.matches(r#"dominant-baseline="middle">4</text>"#).count(),
            2,
            "{text}"
        );
    }

    #[test]
    fn a_published_bar_is_a_dot_unless_it_is_a_bound() {
        let points = [
            point("big", None, Some("above 2")),
            point("fib", Some(1.5), Some("1.5")),
            point("sieve", None, None),
        ];
        let text = page(&figure(true, &points));
        assert_eq!(text.matches(", published: ").count(), 1, "{text}");
        assert!(text.contains("<title>fib, published: 1.500</title>"));
        assert!(text.contains(">big; above 2</text>") && text.contains(">sieve</text>"));
    }
}
