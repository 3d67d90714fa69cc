//! What the report's tables say beside their entries.

use crate::model::analysis::Disturbance;

use super::super::words;

/// The title of an entry that is marked.
pub fn why_marked(disturbance: &Disturbance, what: &str) -> Option<String> {
    words::why_marked(disturbance, what).map(|why| title(&why))
}

/// The title of an entry that is marked for this reason.
pub fn title(why: &str) -> String {
    format!("mostly disturbed: {why}")
}
