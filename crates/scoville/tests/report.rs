//! Every renderer on an analysis in which everything that can go wrong has gone wrong.

#[path = "report/fixture.rs"]
mod fixture;

use scoville::model::analysis::Measure;
use scoville::render::terminal::Screen;
use scoville::render::{benchstat, markdown, terminal};

#[test]
fn print_for_now() {
    let a = fixture::rich();
    println!(
        "{}",
        terminal::render(
            &a,
            Measure::Wall,
            Screen {
                width: 120,
                colour: false
            }
        )
    );
    println!(
        "{}",
        terminal::render(
            &a,
            Measure::Utilisation,
            Screen {
                width: 100,
                colour: false
            }
        )
    );
    println!("{}", markdown::render(&a, Measure::Memory));
    std::fs::write("/tmp/b.txt", benchstat::render(&a)).unwrap();
}
#[test]
fn write_html() {
    std::fs::write(
        "/tmp/report.html",
        scoville::render::html::render(&fixture::rich()),
    )
    .unwrap();
}
