//! What a user writes to choose a runtime: `name`, `name:variant`, or `alias=name` to measure it under another name.

use super::Runtimes;
use super::manifest::is_name;
use crate::model::runtime::{Runtime, RuntimeName};
use crate::suggest;

/// A runtime as it takes part in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Name shown and stored.
    pub shown: RuntimeName,
    /// The runtime, started as the variant asks.
    pub runtime: Runtime,
}

impl Runtimes {
    /// Resolves what a user wrote; a name may hold `*` and `?` and then stands for every match.
    ///
    /// # Errors
    /// The name is unknown, or the variant not possible.
    pub fn select(&self, written: &str) -> Result<Vec<Selection>, String> {
        if let Some((alias, rest)) = written.split_once('=') {
            if !is_name(alias) {
                return Err(format!(
                    "`{written}`: `{alias}` cannot be a name; use lower-case letters, digits and inner hyphens"
                ));
            }
            let shown = alias.to_owned();
            return Ok(vec![Selection {
                shown,
                ..self.one(rest)?
            }]);
        }
        if written.contains(['*', '?']) {
            return self.matching(written);
        }
        self.one(written).map(|one| vec![one])
    }

    fn one(&self, written: &str) -> Result<Selection, String> {
        let (name, variant) = match written.split_once(':') {
            Some((name, variant)) => (name, Some(variant)),
            None => (written, None),
        };
        let mut runtime = self.get(name)?.clone();
        if let Some(variant) = variant {
            self.check_variant(name, variant)?;
            let policy = ["--policy".to_owned(), variant.to_owned()];
            runtime.launch.command.extend(policy);
        }
        Ok(Selection {
            shown: written.to_owned(),
            runtime,
        })
    }

    fn matching(&self, pattern: &str) -> Result<Vec<Selection>, String> {
        let found: Vec<Selection> = self
            .all
            .iter()
            .filter(|runtime| crate::plan::matches(pattern, &runtime.name))
            .map(|runtime| Selection {
                shown: runtime.name.clone(),
                runtime: runtime.clone(),
            })
            .collect();
        if found.is_empty() {
            let known: Vec<&str> = self.names().collect();
            return Err(format!(
                "no runtime matches `{pattern}`; known: {}",
                known.join(", ")
            ));
        }
        Ok(found)
    }

    /// A variant is a scheduling policy; only runtimes inside the binary have some.
    fn check_variant(&self, name: &str, variant: &str) -> Result<(), String> {
        let Some(policies) = self.policies.get(name).filter(|policies| !policies.is_empty()) else {
            return Err(format!(
                "`{name}:{variant}`: {name} has no variants; write `{name}`"
            ));
        };
        if policies.iter().any(|policy| policy == variant) {
            return Ok(());
        }
        let advice = suggest::advice(variant, policies.iter().map(String::as_str));
        Err(format!(
            "`{name}:{variant}`: {name} has no policy `{variant}`: {advice}"
        ))
    }
}
