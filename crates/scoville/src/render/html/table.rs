//! What the report's tables say beside their entries.
//!
//! Their script computes nothing and reads no number from a text: each row says the numbers of its columns, before they were
//! rounded.

use crate::model::analysis::{Analysis, Disturbance};

use super::super::words;

/// Invocations from which on tables that stand in the page cannot be sorted: their numbers would be a fifth of a page that is to
/// stay below three megabytes. Those that the script draws can.
const MANY: u32 = 20_000;

/// Whether the tables of results that stand in the page can be sorted.
pub fn are_sortable(analysis: &Analysis) -> bool {
    analysis.validity.invocations < MANY
}

/// The value of a row's `data-sort`: the number of each column, nothing for words. One attribute for the row, since a
/// report may have 100 000 entries.
pub fn keys(numbers: impl IntoIterator<Item = Option<f64>>) -> String {
    let key = |number: Option<f64>| {
        let number = number.filter(|number| number.is_finite());
        number.map_or_else(String::new, |number| number.to_string())
    };
    numbers.into_iter().map(key).collect::<Vec<_>>().join(",")
}

/// The title of an entry that is marked.
pub fn why_marked(disturbance: &Disturbance, what: &str) -> Option<String> {
    words::why_marked(disturbance, what).map(|why| title(&why))
}

/// The title of an entry that is marked for this reason.
pub fn title(why: &str) -> String {
    format!("mostly disturbed: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_every_digit_and_what_is_in_no_order_has_none() {
        assert_eq!(
            keys([None, Some(0.1 + 0.2), None, Some(-2e9)]),
            ",0.30000000000000004,,-2000000000"
        );
        assert_eq!(keys([Some(f64::NAN), Some(f64::INFINITY), Some(1.0)]), ",,1");
    }
}
