//! The report: one HTML file that needs no network, no server and, for its tables, no script.

mod benchmark;
pub mod data;
mod page;
pub mod simulation;
mod table;
mod validity;
mod vendor;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::model::analysis::Analysis;
use crate::plain;

/// The report as one HTML file.
///
/// Text from runtimes and machines is escaped by construction: markup is written through `maud`, data for the script
/// travel in base64. Control characters, which a browser does not show, are written out. The page's policy names its five scripts by their hashes and forbids every other, `eval` and every
/// connection. The libraries are packed; the report's script unpacks them, and they run because their hashes match.
pub fn render(analysis: &Analysis) -> String {
    let libraries = vendor::libraries();
    let scripts = libraries
        .iter()
        .map(String::as_str)
        .chain([vendor::SORT, vendor::REPORT]);
    let hashes: Vec<String> = scripts.map(vendor::policy_hash).collect();
    let policy = format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    );
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "scoville " (page::version(analysis)) };
                link rel="icon" href="data:,";
                title { "Scoville: " (analysis.session) }
                style { (PreEscaped(vendor::STYLE)) }
            }
            body {
                (PreEscaped(plain::text(&shortened(page::body(analysis)))))
                script type="application/octet-stream" id="data" { (PreEscaped(data::embedded(analysis))) }
                @for library in &libraries {
                    script type="application/octet-stream" class="library" { (PreEscaped(data::packed(library))) }
                }
                script { (PreEscaped(vendor::SORT)) }
                script { (PreEscaped(vendor::REPORT)) }
            }
        }
    };
    document.into_string()
}

/// Without the end tags that HTML lets us omit; a report may have 100 000 table cells. Text cannot contain one of them,
/// its `<` is escaped.
fn shortened(markup: Markup) -> String {
    let mut text = markup.into_string();
    for tag in ["</td>", "</th>", "</tr>", "</dd>", "</dt>", "</li>"] {
        text = text.replace(tag, "");
    }
    text
}
