//! What a user writes to choose a runtime: `name`, `name:policy`, or `alias=name` to measure it under another name.

use super::Runtimes;
use super::manifest::is_name;
use crate::glob;
use crate::model::runtime::{Runtime, RuntimeName};
use crate::suggest;

/// A runtime as it takes part in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Name shown and stored.
    pub shown: RuntimeName,
    /// The runtime, started as the policy asks.
    pub runtime: Runtime,
    /// Whether the user named it, which a variant needs to be measured.
    pub named: bool,
}

impl Runtimes {
    /// Everything there is, named by nobody.
    pub fn everything(&self) -> Vec<Selection> {
        self.all.iter().map(|runtime| plainly(runtime, false)).collect()
    }

    /// Resolves what a user wrote; a name may hold `*` and `?` and then stands for every match. Stars alone name nobody.
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
            if alias != rest && self.names().any(|name| name == alias) {
                return Err(format!(
                    "`{written}`: `{alias}` is a runtime, and nothing else may pass for it; choose a name that none has"
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
        let (name, policy) = match written.split_once(':') {
            Some((name, policy)) => (name, Some(policy)),
            None => (written, None),
        };
        let mut runtime = self.get(name)?.clone();
        if let Some(policy) = policy {
            self.check_policy(name, policy)?;
            let chosen = ["--policy".to_owned(), policy.to_owned()];
            runtime.launch.command.extend(chosen);
        }
        Ok(Selection {
            shown: written.to_owned(),
            runtime,
            named: true,
        })
    }

    fn matching(&self, pattern: &str) -> Result<Vec<Selection>, String> {
        let found: Vec<Selection> = self
            .all
            .iter()
            .filter(|runtime| glob::matches(pattern, &runtime.name))
            .map(|runtime| plainly(runtime, pattern.chars().any(|c| c != '*')))
            .collect();
        if found.is_empty() {
            let known: Vec<&str> = self.names().collect();
            return Err(format!(
                "no runtime matches `{pattern}`; known: {}{}",
                known.join(", "),
                self.hidden()
            ));
        }
        Ok(found)
    }

    /// Only runtimes inside the binary let a scheduling policy be chosen.
    fn check_policy(&self, name: &str, policy: &str) -> Result<(), String> {
        let Some(policies) = self.policies.get(name).filter(|policies| !policies.is_empty()) else {
            return Err(format!(
                "`{name}:{policy}`: {name} has no policies to choose from; write `{name}`"
            ));
        };
        if policies.iter().any(|known| known == policy) {
            return Ok(());
        }
        let advice = suggest::advice(policy, policies.iter().map(String::as_str));
        Err(format!(
            "`{name}:{policy}`: {name} has no policy `{policy}`: {advice}"
        ))
    }
}

fn plainly(runtime: &Runtime, named: bool) -> Selection {
    Selection {
        shown: runtime.name.clone(),
        runtime: runtime.clone(),
        named,
    }
}
