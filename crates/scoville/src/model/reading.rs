//! A measured number that may be missing, but never silently.

use serde::{Deserialize, Serialize};

/// A number with the source it was read from, or the reason why there is none. Missing is never 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reading<T> {
    /// The value, and where it came from (`"memory.peak"`, `"VmHWM"`, `"clock_gettime"` ...). Values from different
    /// sources are not comparable without a warning.
    Known {
        /// The number, in the unit that the field's documentation names.
        value: T,
        /// The kernel interface or protocol field it was read from.
        source: String,
    },
    /// Why there is no number, in words that a user understands.
    Unavailable {
        /// For example `"no hardware counters on this machine (ENOENT)"`.
        unavailable: String,
    },
}

impl<T> Reading<T> {
    /// A value with its source.
    pub fn known(value: T, source: impl Into<String>) -> Self {
        Reading::Known {
            value,
            source: source.into(),
        }
    }

    /// No value, for this reason.
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Reading::Unavailable {
            unavailable: reason.into(),
        }
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Reading::Known { value, .. } => Some(value),
            Reading::Unavailable { .. } => None,
        }
    }

    /// Why there is no value, if there is none.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Reading::Known { .. } => None,
            Reading::Unavailable { unavailable } => Some(unavailable),
        }
    }

    /// The same reading with another value computed from it; source and reason stay.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Reading::Known { value, source } => Reading::Known {
                value: change(value),
                source,
            },
            Reading::Unavailable { unavailable } => Reading::Unavailable { unavailable },
        }
    }
}
