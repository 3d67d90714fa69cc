//! The runtimes that can be asked for: the ones inside this binary and the foreign ones below `peers/`.

pub mod build;
pub mod conformance;
pub mod conversation;
pub mod identity;
pub mod manifest;
pub mod program;
pub mod requirement;
mod select;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub use select::Selection;

use crate::home::Home;
use crate::model::runtime::{Build, Launch, Runtime, RuntimeName};
use crate::suggest;
use crate::toml_file::Mistake;
use manifest::{Manifest, RuntimeSection};

/// All runtimes that are known here, usable or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runtimes {
    /// The runtimes: first the ones inside the binary, then the peers by folder.
    pub all: Vec<Runtime>,
    /// Scheduling policies by runtime, for those that let one choose; the default first.
    pub policies: BTreeMap<RuntimeName, Vec<String>>,
    /// Manifests that could not be read; their runtimes are missing from `all`.
    pub mistakes: Vec<Mistake>,
}

impl Runtimes {
    /// The runtimes inside the binary, each with its policies, and the peers of the checkout. A wrong manifest does not
    /// hide the others.
    pub fn load(home: &Home, inside: Vec<(Runtime, Vec<String>)>) -> Self {
        let mut runtimes = Self {
            policies: inside
                .iter()
                .map(|(runtime, policies)| (runtime.name.clone(), policies.clone()))
                .collect(),
            all: inside.into_iter().map(|(runtime, _)| runtime).collect(),
            mistakes: Vec::new(),
        };
        let Some(peers) = home.peers() else {
            return runtimes;
        };
        for folder in peer_folders(&peers) {
            match read_peer(home, &folder) {
                Ok(found) => runtimes.add(&folder, found),
                Err(mistakes) => runtimes.mistakes.extend(mistakes),
            }
        }
        runtimes
    }

    fn add(&mut self, folder: &Path, found: Vec<Runtime>) {
        for runtime in found {
            if self.all.iter().any(|known| known.name == runtime.name) {
                self.mistakes.push(Mistake {
                    file: folder.join("peer.toml"),
                    place: None,
                    what: format!("a runtime named `{}` exists already", runtime.name),
                    mend: "give it another name".into(),
                });
            } else {
                self.all.push(runtime);
            }
        }
    }

    /// The runtime of that name.
    ///
    /// # Errors
    /// Says which name was probably meant.
    pub fn get(&self, name: &str) -> Result<&Runtime, String> {
        self.all
            .iter()
            .find(|runtime| runtime.name == name)
            .ok_or_else(|| {
                format!(
                    "unknown runtime `{name}`: {}{}",
                    suggest::advice(name, self.names()),
                    self.hidden()
                )
            })
    }

    /// What may be why a name is unknown, as the end of a message: manifests that could not be read.
    fn hidden(&self) -> String {
        if self.mistakes.is_empty() {
            return String::new();
        }
        let mistakes: String = self
            .mistakes
            .iter()
            .map(|mistake| format!("\n  {mistake}"))
            .collect();
        format!("\nwrong manifests, whose runtimes are not known:{mistakes}")
    }

    /// Names of all runtimes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|runtime| runtime.name.as_str())
    }
}

fn peer_folders(peers: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(peers) else {
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|folder| folder.join("peer.toml").is_file())
        .collect();
    folders.sort();
    folders
}

fn read_peer(home: &Home, folder: &Path) -> Result<Vec<Runtime>, Vec<Mistake>> {
    let file = folder.join("peer.toml");
    let text = fs::read_to_string(&file).map_err(|e| {
        vec![Mistake {
            file: file.clone(),
            place: None,
            what: format!("cannot be read: {e}"),
            mend: String::new(),
        }]
    })?;
    let manifest = manifest::read(&file, &text)?;
    let peer = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let out = home.build_folder(&peer).unwrap_or_else(|| folder.join("out"));
    let runtimes = manifest.runtimes.iter();
    Ok(runtimes
        .map(|section| runtime(&manifest, section, &peer, folder, &out))
        .collect())
}

fn runtime(manifest: &Manifest, section: &RuntimeSection, peer: &str, folder: &Path, out: &Path) -> Runtime {
    Runtime {
        name: section.name.clone(),
        title: section.title.clone(),
        language: manifest.language.clone(),
        homepage: section.homepage.clone(),
        variant: section.variant,
        on_request: section.on_request,
        launch: Launch {
            command: section.command.clone(),
            env: section.env.clone(),
            cwd: folder.to_owned(),
            quit: section.quit.clone(),
        },
        requires: manifest.requires.clone(),
        also_requires: section.requires.clone(),
        build: manifest.build.as_ref().map(|build| Build {
            peer: peer.to_owned(),
            folder: folder.to_owned(),
            out: out.to_owned(),
            output: section
                .output
                .as_ref()
                .map(|output| fill_text(output, folder, Some(out), None).into()),
            command: build.command.clone(),
            inputs: build.inputs.clone(),
            check: manifest.check.as_ref().map(|check| check.command.clone()),
        }),
    }
}

/// Fills in a command template. A placeholder without a value stays as it is.
pub fn fill(template: &[String], peer: &Path, out: Option<&Path>, workers: Option<u32>) -> Vec<String> {
    template
        .iter()
        .map(|text| fill_text(text, peer, out, workers))
        .collect()
}

fn fill_text(text: &str, peer: &Path, out: Option<&Path>, workers: Option<u32>) -> String {
    let mut text = text.replace("{peer}", &peer.to_string_lossy());
    if let Some(out) = out {
        text = text.replace("{out}", &out.to_string_lossy());
    }
    if let Some(workers) = workers {
        text = text.replace("{workers}", &workers.to_string());
    }
    text
}

/// How an invocation of `runtime` with that many workers is started, with nothing left to fill in.
pub fn launch(runtime: &Runtime, workers: u32) -> Launch {
    let out = runtime.build.as_ref().map(|build| build.out.as_path());
    let folder = &runtime.launch.cwd;
    let env: BTreeMap<String, String> = runtime
        .launch
        .env
        .iter()
        .map(|(name, value)| (name.clone(), fill_text(value, folder, out, Some(workers))))
        .collect();
    Launch {
        command: fill(&runtime.launch.command, folder, out, Some(workers)),
        env,
        cwd: folder.clone(),
        quit: runtime.launch.quit.clone(),
    }
}
