//! The report: one HTML file that needs no network, no server and, for its tables, no script.

mod benchmark;
pub mod data;
mod page;
mod validity;
mod vendor;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::model::analysis::Analysis;

/// The report as one HTML file.
///
/// Text from runtimes and machines is escaped by construction: markup is written through `maud`, data for the script
/// travel in base64, and the page's policy forbids every script but its own four, `eval` and every connection.
pub fn render(analysis: &Analysis) -> String {
    let scripts = vendor::scripts();
    let hashes: Vec<String> = scripts.iter().map(|s| vendor::policy_hash(s)).collect();
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
                meta name="generator" content={ "scoville " (analysis.tool) };
                link rel="icon" href="data:,";
                title { "Scoville: " (analysis.session) }
                style { (PreEscaped(vendor::STYLE)) }
            }
            body {
                (page::body(analysis))
                script type="application/octet-stream" id="data" { (PreEscaped(data::embedded(analysis))) }
                @for script in &scripts { (element(script)) }
            }
        }
    };
    document.into_string()
}

/// A script element; the text is our own and a test proves that it cannot end the element.
fn element(script: &str) -> Markup {
    html! { script { (PreEscaped(script)) } }
}
