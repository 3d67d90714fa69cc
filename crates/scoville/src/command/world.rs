//! What every command starts from: catalogue, runtimes, results.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};

use crate::catalogue::Catalogue;
use crate::home::Home;
use crate::model::runtime::{Launch, Runtime};
use crate::peers::{Runtimes, Selection};
use crate::toml_file::Mistake;

/// Everything that is known before anything is asked of the machine.
#[derive(Debug)]
pub struct World {
    /// The benchmarks.
    pub catalogue: Catalogue,
    /// The runtimes.
    pub runtimes: Runtimes,
    /// Where sessions are kept.
    pub results: PathBuf,
    /// The checkout.
    pub home: Home,
}

impl World {
    /// Reads catalogue and manifests.
    ///
    /// # Errors
    /// The catalogue is wrong. A wrong manifest only takes its runtimes out; `doctor` and `run` say so.
    pub fn load(home: Option<&Path>, results: &Path) -> Result<Self> {
        let home = Home::find(home)?;
        let catalogue = Catalogue::load(&home).map_err(|mistakes| anyhow!("{}", lines(&mistakes)))?;
        Ok(Self {
            catalogue,
            runtimes: Runtimes::load(&home, inside()?),
            results: results.to_owned(),
            home,
        })
    }

    /// The runtimes that were written, in that order, or all.
    ///
    /// # Errors
    /// A name is unknown.
    pub fn select(&self, written: &[String]) -> Result<Vec<Selection>> {
        if written.is_empty() {
            return Ok(self.runtimes.everything());
        }
        let mut selections: Vec<Selection> = Vec::new();
        for text in written {
            for selection in self.runtimes.select(text).map_err(Error::msg)? {
                let same = selections
                    .iter_mut()
                    .find(|s| s.shown == selection.shown && s.runtime == selection.runtime);
                match same {
                    Some(earlier) => earlier.named |= selection.named,
                    None => selections.push(selection),
                }
            }
        }
        Ok(selections)
    }
}

/// One mistake per line.
pub fn lines(mistakes: &[Mistake]) -> String {
    let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// The runtimes inside this binary, with their policies: it starts itself, as a peer.
fn inside() -> Result<Vec<(Runtime, Vec<String>)>> {
    let program = std::env::current_exe()?.to_string_lossy().into_owned();
    let runtimes = suite::runtimes().iter().map(|runtime| {
        let policies = runtime.policies.iter().map(ToString::to_string).collect();
        let launch = Launch {
            command: vec![program.clone(), "peer".into(), runtime.name.into()],
            env: runtime
                .preload
                .map(|library| ("LD_PRELOAD".to_owned(), library.to_owned()))
                .into_iter()
                .collect(),
            cwd: "/".into(),
            quit: None,
        };
        let runtime = Runtime {
            name: runtime.name.into(),
            title: runtime.title.into(),
            language: suite::runtimes::LANGUAGE.into(),
            homepage: runtime.homepage.into(),
            variant: runtime.variant,
            on_request: false,
            launch,
            requires: Vec::new(),
            also_requires: Vec::new(),
            build: None,
        };
        (runtime, policies)
    });
    Ok(runtimes.collect())
}
