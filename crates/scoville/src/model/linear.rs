//! Linear expressions of named numbers, such as `2 * col - 1`: limits between parameters, and counts of messages.

use std::fmt;

use super::benchmark::Value;

/// A sum of terms; each is a whole number, a name, or a whole number times a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    factor: i64,
    name: Option<String>,
}

/// A text that is no linear expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a sum of terms such as `2 * size`, `size` and `1`")]
pub struct NotLinear(String);

impl Linear {
    /// Reads an expression. Operators stand between blanks: `2 * b`, `99 - 2 * write_pct`.
    ///
    /// # Errors
    /// The text is something else.
    pub fn parse(text: &str) -> Result<Self, NotLinear> {
        let wrong = || NotLinear(text.to_owned());
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut terms = Vec::new();
        let mut sign = 1;
        for part in words.split_inclusive(|word| matches!(*word, "+" | "-")) {
            let (term, next) = match part.split_last() {
                Some((&"+", term)) => (term, Some(1)),
                Some((&"-", term)) => (term, Some(-1)),
                _ => (part, None),
            };
            terms.push(Term::parse(term, sign).ok_or_else(wrong)?);
            sign = next.unwrap_or(0);
        }
        // A sign that was read and not used, or no term at all.
        if sign != 0 {
            return Err(wrong());
        }
        Ok(Self { terms })
    }

    /// The names that occur in it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().filter_map(|term| term.name.as_deref())
    }

    /// Its value: an integer if all its numbers are, without overflow but for the last step, which saturates.
    ///
    /// # Errors
    /// The first name that has no value.
    pub fn value(&self, of: impl Fn(&str) -> Option<Value>) -> Result<Value, &str> {
        let mut whole: i128 = 0;
        let mut broken: Option<f64> = None;
        for Term { factor, name } in &self.terms {
            let value = match name {
                Some(name) => of(name).ok_or(name.as_str())?,
                None => Value::Int(1),
            };
            match value {
                Value::Int(value) => whole += i128::from(*factor) * i128::from(value),
                Value::Float(value) => *broken.get_or_insert(0.0) += *factor as f64 * value,
            }
        }
        Ok(match broken {
            Some(broken) => Value::Float(whole as f64 + broken),
            None => Value::Int(whole.clamp(i64::MIN.into(), i64::MAX.into()) as i64),
        })
    }
}

impl Term {
    fn parse(words: &[&str], sign: i64) -> Option<Self> {
        let (factor, name) = match words {
            [number, "*", name] => (number.parse::<u32>().ok()?, Some(*name)),
            [word] => match word.parse() {
                Ok(number) => (number, None),
                Err(_) => (1, Some(*word)),
            },
            _ => return None,
        };
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_lowercase())
                && name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        name.is_none_or(is_name).then(|| Self {
            factor: i64::from(factor) * sign,
            name: name.map(str::to_owned),
        })
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, Term { factor, name }) in self.terms.iter().enumerate() {
            match (i, *factor < 0) {
                (0, false) => {}
                (0, true) => f.write_str("-")?,
                (_, false) => f.write_str(" + ")?,
                (_, true) => f.write_str(" - ")?,
            }
            match (factor.unsigned_abs(), name) {
                (1, Some(name)) => f.write_str(name)?,
                (factor, Some(name)) => write!(f, "{factor} * {name}")?,
                (factor, None) => write!(f, "{factor}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Value, String> {
        let of = |name: &str| match name {
            "b" => Some(Value::Int(7)),
            "huge" => Some(Value::Int(i64::MAX)),
            "l" => Some(Value::Float(0.5)),
            _ => None,
        };
        let linear = Linear::parse(text).map_err(|e| e.to_string())?;
        assert_eq!(linear.to_string(), text);
        linear.value(of).map_err(str::to_owned)
    }

    #[test]
    fn sums_of_terms_have_values() {
        for (text, expected) in [
            ("b", Value::Int(7)),
            ("2 * b", Value::Int(14)),
            ("2 * b - 1", Value::Int(13)),
            ("99 - 2 * b", Value::Int(85)),
            ("b + 1", Value::Int(8)),
            ("huge + huge - huge", Value::Int(i64::MAX)),
            ("2 * huge", Value::Int(i64::MAX)),
            ("l", Value::Float(0.5)),
            ("2 * l + b", Value::Float(8.0)),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
        assert_eq!(value("b + x"), Err("x".to_owned()));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "+",
            "b +",
            "+ b",
            "b b",
            "b * 2",
            "2 * 3",
            "2b",
            "2 * b * b",
            "b / 2",
            "b - - 1",
            "b + -1",
        ] {
            assert!(Linear::parse(text).is_err(), "{text}");
        }
    }
}
