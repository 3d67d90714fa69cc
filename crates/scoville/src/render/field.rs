//! An entry of a table that several renderers share: what it says, and what a reader may sort it by.

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// What it says.
    pub text: String,
    /// The number behind it, before it was rounded for the text; `None` for words.
    pub number: Option<f64>,
}

impl Field {
    /// An entry that says a number.
    pub fn of(number: f64, text: impl Into<String>) -> Self {
        Field {
            text: text.into(),
            number: Some(number),
        }
    }
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        Field { text, number: None }
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}
