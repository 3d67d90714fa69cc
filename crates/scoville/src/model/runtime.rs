//! What a runtime is and how it is started.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Name of a runtime, such as `tokio`; a variant has a suffix, as `datil:cls`.
pub type RuntimeName = String;

/// A runtime that can be asked for, usable here or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Runtime {
    /// Name used everywhere.
    pub name: RuntimeName,
    /// Name for people.
    pub title: String,
    /// Its language.
    pub language: String,
    /// Its home page.
    pub homepage: String,
    /// Whether it is another way to use a runtime that is listed in its plain way too. Variants are measured only when
    /// they are asked for by name.
    pub variant: bool,
    /// Whether it is one of many of its kind: no variant, but measured only when it is asked for by name too.
    pub on_request: bool,
    /// How one invocation is started.
    pub launch: Launch,
    /// What it needs on this machine, and what its build depends on.
    pub requires: Vec<Requirement>,
    /// What it needs beyond its peer's other runtimes, of which no build depends on the version.
    pub also_requires: Vec<Requirement>,
    /// How it is built; `None` for the runtimes inside the `scoville` binary.
    pub build: Option<Build>,
}

impl Runtime {
    /// Everything that it needs on this machine.
    pub fn all_requires(&self) -> impl Iterator<Item = &Requirement> {
        self.requires.iter().chain(&self.also_requires)
    }

    /// Whether it is measured without being named.
    pub fn by_default(&self) -> bool {
        !self.variant && !self.on_request
    }

    /// Its name in a list, marked if it has to be asked for.
    pub fn listed(&self) -> String {
        let mark = match (self.variant, self.on_request) {
            (true, _) => " (variant)",
            (false, true) => " (on request)",
            (false, false) => "",
        };
        format!("{}{mark}", self.name)
    }
}

/// Command template of an invocation. `{workers}`, `{out}` and `{peer}` stand for the worker count, the peer's build
/// directory and the folder of its manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Environment on top of the allow list.
    pub env: BTreeMap<String, String>,
    /// Working directory.
    pub cwd: PathBuf,
    /// Signal that makes the runtime print a diagnosis before it is ended, such as `SIGQUIT`.
    pub quit: Option<String>,
}

/// A program that must answer before a runtime is usable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Program and arguments that print a version.
    pub program: Vec<String>,
    /// Smallest version, compared number by number with the first version in the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<String>,
    /// The command that installs it on Debian.
    pub install: String,
}

/// How a peer is built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Name of the peer's folder; peers with several runtimes are built once.
    pub peer: String,
    /// Folder of the manifest.
    pub folder: PathBuf,
    /// Build directory.
    pub out: PathBuf,
    /// What of it belongs to this runtime alone, where the peer's runtimes can be built without each other.
    pub output: Option<PathBuf>,
    /// Build command template.
    pub command: Vec<String>,
    /// Files and folders that the build depends on.
    pub inputs: Vec<String>,
    /// The language's own checks, if it has any.
    pub check: Option<Vec<String>>,
}
