//! TOML files whose mistakes are reported with file, line, column and the way to mend them.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::suggest;

/// A mistake in a file that a person wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file, as it was opened.
    pub file: PathBuf,
    /// Line and column from 1, where the mistake has a place.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub what: String,
    /// What to do about it; empty if `what` says it all.
    pub mend: String,
}

impl std::error::Error for Mistake {}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.what)?;
        if !self.mend.is_empty() {
            write!(f, "; {}", self.mend)?;
        }
        Ok(())
    }
}

/// The text of a TOML file with the places of its keys.
#[derive(Debug)]
pub struct TomlFile<'t> {
    file: PathBuf,
    text: &'t str,
    tree: Spanned<DeTable<'t>>,
}

/// One step from a table or list into it.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// By key.
    Key(&'a str),
    /// By position, from 0.
    Item(usize),
}

impl<'t> TomlFile<'t> {
    /// Parses `text`; `file` is only for messages.
    ///
    /// # Errors
    /// The first place that is not TOML.
    pub fn parse(file: &Path, text: &'t str) -> Result<Self, Mistake> {
        let tree = DeTable::parse(text).map_err(|e| mistake(file, text, &e))?;
        Ok(Self {
            file: file.to_owned(),
            text,
            tree,
        })
    }

    /// Reads the whole file as a value.
    ///
    /// # Errors
    /// The first key that is missing, unknown, or of the wrong type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Mistake> {
        toml::from_str(self.text).map_err(|e| mistake(&self.file, self.text, &e))
    }

    /// A mistake at the deepest existing place on the way along `path`.
    pub fn mistake_at(&self, path: &[Step<'_>], what: impl Into<String>, mend: impl Into<String>) -> Mistake {
        Mistake {
            file: self.file.clone(),
            place: Some(line_and_column(self.text, self.span(path).start)),
            what: what.into(),
            mend: mend.into(),
        }
    }

    fn span(&self, path: &[Step<'_>]) -> Range<usize> {
        let Some((&Step::Key(first), rest)) = path.split_first() else {
            return self.tree.span();
        };
        let Some((key, mut value)) = self.tree.get_ref().get_key_value(first) else {
            return self.tree.span();
        };
        let mut span = best_span(key.span(), value);
        for step in rest {
            let next = match (step, value.get_ref()) {
                (Step::Key(name), DeValue::Table(table)) => table
                    .get_key_value(*name)
                    .map(|(key, value)| (best_span(key.span(), value), value)),
                (Step::Item(index), DeValue::Array(items)) => items.get(*index).map(|v| (v.span(), v)),
                _ => None,
            };
            let Some((next_span, next_value)) = next else {
                break;
            };
            (span, value) = (next_span, next_value);
        }
        span
    }
}

/// Tables are pointed at by their key, everything else by the value: that is what has to be changed.
fn best_span(key: Range<usize>, value: &Spanned<DeValue<'_>>) -> Range<usize> {
    match value.get_ref() {
        DeValue::Table(_) => key,
        _ => value.span(),
    }
}

fn mistake(file: &Path, text: &str, error: &toml::de::Error) -> Mistake {
    let message = error.message().trim();
    let (what, mend) = split_expectation(&in_words_of_toml(message));
    Mistake {
        file: file.to_owned(),
        place: error.span().map(|span| line_and_column(text, span.start)),
        what,
        mend,
    }
}

/// What serde calls sequences and maps are lists and tables here.
fn in_words_of_toml(message: &str) -> String {
    let words = [
        ("invalid type: map", "invalid type: table"),
        ("invalid type: sequence", "invalid type: list"),
        ("expected a map", "expected a table"),
        ("expected a sequence", "expected a list"),
    ];
    let message = (words.iter()).fold(message.to_owned(), |text, (serde, toml)| {
        text.replace(serde, toml)
    });
    match message.as_str() {
        "invalid type: table, expected a list" => message + ", whose headings have double brackets: [[...]]",
        text if text.ends_with("expected a list") => message + r#", such as ["make", "all"]"#,
        _ => message,
    }
}

/// Turns serde's "unknown field `a`, expected one of `b`, `c`" into the mistake and its mend.
fn split_expectation(message: &str) -> (String, String) {
    let unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let Some((what, expected)) = message.split_once(", expected ").filter(|_| unknown) else {
        return (message.replace('\n', "; "), String::new());
    };
    let name = quoted(what).next().unwrap_or_default();
    (
        what.replace("field", "key").replace("variant", "value"),
        suggest::advice(name, quoted(expected)),
    )
}

/// The parts of a text between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset.min(text.len())];
    let line_start = before.rfind('\n').map_or(0, |n| n + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}
