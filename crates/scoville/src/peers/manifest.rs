//! The manifest of a peer, `peer.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::model::runtime::Requirement;
use crate::suggest;
use crate::toml_file::{Mistake, Step, Step::Item, Step::Key, TomlFile};

/// One folder below `peers/`: a language, how it is built, and the runtimes it brings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The language of all its runtimes.
    pub language: String,
    /// Programs that must answer before anything is built or run.
    #[serde(default)]
    pub requires: Vec<Requirement>,
    /// How it is built; without it nothing has to be.
    #[serde(default)]
    pub build: Option<BuildSection>,
    /// The language's own checks.
    #[serde(default)]
    pub check: Option<CheckSection>,
    /// The runtimes.
    #[serde(rename = "runtime")]
    pub runtimes: Vec<RuntimeSection>,
}

/// `[build]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildSection {
    /// Command template, run in the peer's folder.
    pub command: Vec<String>,
    /// Files and folders, relative to the peer's folder, that the build depends on.
    pub inputs: Vec<String>,
}

/// `[check]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckSection {
    /// Command template, run in the peer's folder.
    pub command: Vec<String>,
}

/// `[[runtime]]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuntimeSection {
    /// Name used everywhere.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Home page.
    #[serde(default)]
    pub homepage: String,
    /// Another way to use a runtime that is listed in its plain way too: measured only when asked for by name.
    #[serde(default)]
    pub variant: bool,
    /// One of many of its kind: measured only when asked for by name too.
    #[serde(default)]
    pub on_request: bool,
    /// Programs that this runtime needs beyond the others.
    #[serde(default)]
    pub requires: Vec<Requirement>,
    /// File or folder that the build makes for this runtime alone, a template.
    #[serde(default)]
    pub output: Option<String>,
    /// Command template, run in the peer's folder.
    pub command: Vec<String>,
    /// Environment on top of the allow list.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Signal that makes it print a diagnosis.
    #[serde(default)]
    pub quit: Option<String>,
}

/// What may stand between braces in a command or an environment value.
const PLACEHOLDERS: [&str; 3] = ["workers", "out", "peer"];
const SIGNALS: [&str; 5] = ["SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGHUP", "SIGINT"];

/// Reads and checks a manifest.
///
/// # Errors
/// Every mistake found.
pub fn read(file: &Path, text: &str) -> Result<Manifest, Vec<Mistake>> {
    let document = TomlFile::parse(file, text).map_err(|m| vec![m])?;
    let manifest: Manifest = document.read().map_err(|m| vec![m])?;
    let mut check = Check {
        document: &document,
        mistakes: Vec::new(),
    };
    check.manifest(&manifest);
    check.mistakes.sort_by_key(|mistake| mistake.place);
    if check.mistakes.is_empty() {
        Ok(manifest)
    } else {
        Err(check.mistakes)
    }
}

struct Check<'a> {
    document: &'a TomlFile<'a>,
    mistakes: Vec<Mistake>,
}

impl Check<'_> {
    fn report(&mut self, path: &[Step<'_>], what: impl Into<String>, mend: impl Into<String>) {
        self.mistakes.push(self.document.mistake_at(path, what, mend));
    }

    fn manifest(&mut self, manifest: &Manifest) {
        for (i, requirement) in manifest.requires.iter().enumerate() {
            self.requirement(&[Key("requires"), Item(i)], requirement);
        }
        if let Some(build) = &manifest.build {
            self.command(&[Key("build"), Key("command")], &build.command, &["out", "peer"]);
            if build.inputs.is_empty() {
                self.report(
                    &[Key("build"), Key("inputs")],
                    "inputs is empty",
                    "name the files and folders that the build depends on, or it would never be built again",
                );
            }
        }
        if let Some(check) = &manifest.check {
            self.command(&[Key("check"), Key("command")], &check.command, &["out", "peer"]);
        }
        if manifest.build.is_none() {
            self.without_build(manifest);
        }
        if manifest.runtimes.is_empty() {
            self.report(
                &[Key("runtime")],
                "there is no runtime",
                "add a section [[runtime]]",
            );
        }
        let known: Vec<&str> = PLACEHOLDERS
            .into_iter()
            .filter(|&name| name != "out" || manifest.build.is_some())
            .collect();
        for (i, runtime) in manifest.runtimes.iter().enumerate() {
            self.runtime(i, runtime, &known);
        }
    }

    /// What would be ignored where nothing is built.
    fn without_build(&mut self, manifest: &Manifest) {
        if manifest.check.is_some() {
            let what = "a section [check] without a section [build], after which it is run";
            self.report(&[Key("check")], what, "add one; its command may be [\"true\"]");
        }
        for (i, _) in (manifest.runtimes.iter().enumerate()).filter(|(_, runtime)| runtime.output.is_some()) {
            let what = "an output is what a build makes, and there is no section [build]";
            let mend = "add one that makes it, or leave the output out";
            self.report(&[Key("runtime"), Item(i), Key("output")], what, mend);
        }
    }

    fn requirement(&mut self, at: &[Step<'_>], requirement: &Requirement) {
        let key = |name| -> Vec<Step<'_>> { at.iter().copied().chain([Key(name)]).collect() };
        if requirement.program.is_empty() {
            self.report(
                &key("program"),
                "program is empty",
                "name the program and its arguments",
            );
        }
        if let Some(minimum) = &requirement.minimum
            && super::requirement::Version::find(minimum).is_none()
        {
            self.report(
                &key("minimum"),
                format!("`{minimum}` is not a version"),
                "write numbers with points, such as \"17.0.2\"",
            );
        }
    }

    /// `known` are the placeholders that its command and environment may have.
    fn runtime(&mut self, i: usize, runtime: &RuntimeSection, known: &[&str]) {
        let at = [Key("runtime"), Item(i)];
        if !is_name(&runtime.name) {
            self.report(
                &[at[0], at[1], Key("name")],
                format!("`{}` is not a runtime name", runtime.name),
                "use lower-case letters, digits and inner hyphens, beginning with a letter",
            );
        }
        for (j, requirement) in runtime.requires.iter().enumerate() {
            self.requirement(&[at[0], at[1], Key("requires"), Item(j)], requirement);
        }
        if let Some(output) = &runtime.output {
            self.placeholders(&[at[0], at[1], Key("output")], output, &["out", "peer"]);
        }
        let command = [at[0], at[1], Key("command")];
        self.command(&command, &runtime.command, known);
        for (name, value) in &runtime.env {
            self.placeholders(&[at[0], at[1], Key("env"), Key(name)], value, known);
        }
        if let Some(signal) = &runtime.quit
            && !SIGNALS.contains(&signal.as_str())
        {
            let mend = suggest::advice(signal, SIGNALS);
            self.report(
                &[at[0], at[1], Key("quit")],
                format!("unknown signal `{signal}`"),
                mend,
            );
        }
    }

    fn command(&mut self, path: &[Step<'_>], command: &[String], known: &[&str]) {
        if command.is_empty() {
            self.report(path, "the command is empty", "name the program and its arguments");
        }
        for (i, argument) in command.iter().enumerate() {
            let path: Vec<Step<'_>> = path.iter().copied().chain([Item(i)]).collect();
            self.placeholders(&path, argument, known);
        }
    }

    fn placeholders(&mut self, path: &[Step<'_>], text: &str, known: &[&str]) {
        for name in placeholders(text).filter(|name| !known.contains(name)) {
            if name == "out" {
                let mend = "add one that makes it, or start what lies in {peer}";
                self.report(path, "there is no {out} without a section [build]", mend);
                continue;
            }
            let mend = match suggest::nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean {{{near}}}?"),
                None => {
                    let known: Vec<String> = known.iter().map(|k| format!("{{{k}}}")).collect();
                    format!("known here: {}", known.join(", "))
                }
            };
            self.report(path, format!("unknown placeholder {{{name}}}"), mend);
        }
    }
}

/// Names between braces that look like placeholders: lower-case letters only, so that code in an argument is left alone.
fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        (!name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase())).then_some(name)
    })
}

/// Whether a text may name a runtime.
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('-')
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
