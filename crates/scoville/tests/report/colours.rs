//! Whether marks can be seen on their paper and told apart, also by the colour-blind.

use scoville::model::analysis::Analysis;
use scoville::render::figure::{Figure, PALETTE, SHADE, figures};
use serde_json::Value;

/// Red, green and blue as amounts of light.
type Light = [f64; 3];

fn light(colour: &str) -> Light {
    let channel = |at: usize| {
        let value = u8::from_str_radix(&colour[at..at + 2], 16).expect("a colour");
        let share = f64::from(value) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    };
    assert_eq!(colour.len(), 7, "{colour}");
    [channel(1), channel(3), channel(5)]
}

fn product(matrix: &[Light; 3], light: Light) -> Light {
    matrix.map(|row| row.iter().zip(light).map(|(a, b)| a * b).sum())
}

/// Contrast ratio of the web's accessibility guidelines, which ask for 3 between marks and what is beside them.
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |colour: &str| {
        let [red, green, blue] = light(colour);
        0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
    };
    let (one, other) = (luminance(one), luminance(other));
    one.max(other) / one.min(other)
}

/// What figures are drawn on: the paper of both themes, and what an exported figure has behind it.
fn papers() -> Vec<String> {
    let style = include_str!("../../src/render/html/assets/report.css");
    let papers = style.split("--paper: ").skip(1);
    let mut papers: Vec<String> = papers.map(|rest| rest[..7].to_owned()).collect();
    papers.retain(|paper| !paper.contains(';'));
    assert!(papers.len() >= 2, "{papers:?}");
    papers.push("#ffffff".to_owned());
    papers
}

#[test]
fn every_colour_can_be_seen_on_every_paper() {
    for colour in PALETTE {
        for paper in papers() {
            let contrast = contrast(colour, &paper);
            assert!(contrast >= 3.0, "{colour} on {paper}: {contrast:.2}");
        }
    }
}

/// A mark that lets its paper through has not the contrast of its colour. Vega-Lite draws points and strokes so unless told otherwise.
#[test]
fn no_mark_of_a_runtime_lets_the_paper_through() {
    fn visit(figure: &Figure, part: &Value) {
        let mark = &part["mark"];
        if mark.is_object() && mark["color"] != SHADE && !is_ink(part) {
            let usual = if mark["type"] == "point" { 0.7 } else { 1.0 };
            let opacity = mark["opacity"].as_f64().unwrap_or(usual);
            assert!(opacity == 1.0, "{}: {mark}", figure.id);
        }
        let parts = part["layer"].as_array().into_iter().flatten();
        parts.chain(part.get("spec")).for_each(|part| visit(figure, part));
    }
    /// Drawn in the colour of text, which has contrast to spare.
    fn is_ink(part: &Value) -> bool {
        let mark = &part["mark"];
        matches!(mark["type"].as_str(), Some("text" | "tick")) || mark["strokeDash"].is_array()
    }
    let analysis: Analysis = super::fixture::rich();
    for figure in figures(&analysis) {
        visit(&figure, &figure.spec);
    }
}

/// What people see who lack one kind of cones (Machado, Oliveira and Fernandes 2009), after those who lack none.
const SIGHTS: [(&str, [Light; 3]); 4] = [
    ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

/// A place in Oklab (Ottosson 2020), where distances are as large as differences look; black and white are 100 apart.
fn place(light: Light) -> Light {
    const CONES: [Light; 3] = [
        [0.412_221, 0.536_333, 0.051_446],
        [0.211_903, 0.680_700, 0.107_397],
        [0.088_302, 0.281_719, 0.629_979],
    ];
    const AXES: [Light; 3] = [
        [21.045_426, 79.361_779, -0.407_205],
        [197.799_850, -242.859_221, 45.059_371],
        [2.590_404, 78.277_177, -80.867_577],
    ];
    product(&AXES, product(&CONES, light).map(f64::cbrt))
}

/// The two of the first `many` colours that are the most alike to somebody.
fn most_alike(many: usize) -> (f64, String) {
    let seen = |sight: &[Light; 3], colour: &str| {
        place(product(sight, light(colour)).map(|amount| amount.clamp(0.0, 1.0)))
    };
    let mut nearest = (f64::MAX, String::new());
    for (name, sight) in &SIGHTS {
        for (at, one) in PALETTE[..many].iter().enumerate() {
            for other in &PALETTE[..at] {
                let (a, b) = (seen(sight, one), seen(sight, other));
                let distance = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                if distance < nearest.0 {
                    nearest = (distance, format!("{one} and {other} to {name}: {distance:.1}"));
                }
            }
        }
    }
    nearest
}

/// A difference of 2 can just be noticed side by side.
#[test]
fn the_colour_blind_tell_the_colours_apart() {
    for (many, least) in [(7, 8.0), (16, 4.0)] {
        let (distance, pair) = most_alike(many);
        assert!(distance >= least, "{pair}");
    }
}
