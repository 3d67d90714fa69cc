//! Which build of a runtime is measured: a digest of the files that run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::Runtimes;
use super::build::collect;
use super::launch;
use crate::model::plan::Plan;
use crate::model::reading::Reading;
use crate::model::runtime::Runtime;

/// What the names of these facts begin with; the runtime's own name follows.
pub const FACT: &str = "build of ";

/// Digits that are kept: enough to tell builds apart, and short enough to be read.
const DIGITS: usize = 16;

/// For every runtime of the plan the digest of what is measured, as facts of the session.
pub fn builds(plan: &Plan, runtimes: &Runtimes) -> BTreeMap<String, Reading<String>> {
    let grouped = plan.groups.iter().flat_map(|group| &group.competitors);
    let climbing = plan.ladders.iter().flat_map(|ladder| &ladder.competitors);
    let names: BTreeSet<&String> = grouped
        .chain(climbing)
        .map(|competitor| &competitor.reports_as)
        .collect();
    // Several runtimes share a file or a folder, which may be large.
    let mut known: BTreeMap<PathBuf, Reading<String>> = BTreeMap::new();
    let mut facts = BTreeMap::new();
    for name in names {
        let Ok(runtime) = runtimes.get(name) else { continue };
        let place = place(runtime);
        let reading = known.entry(place.clone()).or_insert_with(|| read(&place));
        facts.insert(format!("{FACT}{name}"), reading.clone());
    }
    facts
}

/// What the build made for it; without a build the program, or the peer's folder if the program is the system's.
fn place(runtime: &Runtime) -> PathBuf {
    let folder = &runtime.launch.cwd;
    // No program is named by its number of workers.
    match (&runtime.build, launch(runtime, 1).command.first()) {
        (Some(build), _) => build.output.as_ref().unwrap_or(&build.out).clone(),
        (None, Some(program)) if program.contains('/') => folder.join(program),
        (None, _) => folder.clone(),
    }
}

fn read(place: &Path) -> Reading<String> {
    match digest(place) {
        Ok(digest) => Reading::known(digest, format!("SHA-256 of {}", place.display())),
        Err(e) => Reading::unavailable(format!("cannot read {}: {e}", place.display())),
    }
}

/// Digest of a file, or of every file below a folder with its name.
fn digest(place: &Path) -> io::Result<String> {
    let mut files = BTreeSet::new();
    collect(place, &mut files)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    for path in &files {
        let name = path.strip_prefix(place).unwrap_or(path).to_string_lossy();
        let mut file = File::open(path)?;
        // Lengths in front, so that no two lists of files look the same.
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
        hash.update(file.metadata()?.len().to_le_bytes());
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                n => hash.update(&buffer[..n]),
            }
        }
    }
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(digits[..DIGITS].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::runtime::Launch;
    use std::fs;

    #[test]
    fn a_program_beside_the_manifest_is_found() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("run.sh"), "exit").unwrap();
        let mut runtime = Runtime {
            name: "sh".into(),
            title: String::new(),
            language: String::new(),
            homepage: String::new(),
            variant: false,
            on_request: false,
            launch: Launch {
                command: Vec::new(),
                env: BTreeMap::new(),
                cwd: folder.path().into(),
                quit: None,
            },
            requires: Vec::new(),
            also_requires: Vec::new(),
            build: None,
        };
        for (program, found) in [("{peer}/run.sh", "run.sh"), ("./run.sh", "run.sh"), ("sh", "")] {
            runtime.launch.command = vec![program.into()];
            let place = place(&runtime);
            assert_eq!(
                place.canonicalize().unwrap(),
                folder.path().join(found).canonicalize().unwrap()
            );
            assert!(read(&place).value().is_some(), "{program}");
        }
    }

    #[test]
    fn names_contents_and_borders_of_files_count() {
        let folder = tempfile::tempdir().unwrap();
        let of = |files: &[(&str, &str)]| {
            let place = tempfile::tempdir_in(folder.path()).unwrap();
            for (name, text) in files {
                fs::write(place.path().join(name), text).unwrap();
            }
            digest(place.path()).unwrap()
        };
        let one = of(&[("a", "xy"), ("b", "z")]);
        assert_eq!(one, of(&[("b", "z"), ("a", "xy")]));
        assert_eq!(one.len(), DIGITS);
        for other in [
            of(&[("a", "x"), ("b", "yz")]),
            of(&[("a", "xy"), ("c", "z")]),
            of(&[("a", "xy")]),
        ] {
            assert_ne!(one, other);
        }
    }
}
