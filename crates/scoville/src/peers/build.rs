//! Building peers, again only when something that the build depends on has changed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::program::{End, run_tied};
use crate::model::runtime::Build;
use crate::tail::last_lines;

/// A first build may fetch and compile a compiler's worth of libraries.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// What became of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Built {
    /// Nothing had changed.
    UpToDate,
    /// It was built.
    Fresh,
}

/// Why a peer could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// The command failed.
    #[error("{peer}: `{command}` {how}; its output is in {log}{tail}", log = log.display())]
    Failed {
        /// The peer.
        peer: String,
        /// The command.
        command: String,
        /// How it ended.
        how: String,
        /// Where its output is.
        log: PathBuf,
        /// The last lines of it.
        tail: String,
    },
    /// The command succeeded, but not for this runtime.
    #[error(
        "{peer}: {output} was not made; the build's output is in {log}{tail}",
        output = output.display(),
        log = log.display()
    )]
    Missing {
        /// The peer.
        peer: String,
        /// What the runtime would be started from.
        output: PathBuf,
        /// Where the build's output is.
        log: PathBuf,
        /// The last lines of it.
        tail: String,
    },
    /// A file could not be read or written.
    #[error("{peer}: {what}: {source}")]
    Io {
        /// The peer.
        peer: String,
        /// What was tried.
        what: String,
        /// What the system says.
        source: io::Error,
    },
}

/// Builds a peer if it has to be. `tools` are the versions of the programs it needs: another compiler builds again.
///
/// # Errors
/// The build failed; its log is kept.
pub fn build(build: &Build, tools: &[String]) -> Result<Built, BuildError> {
    let io = |what: String| {
        let peer = build.peer.clone();
        move |source| BuildError::Io { peer, what, source }
    };
    fs::create_dir_all(&build.out).map_err(io(format!("cannot make {}", build.out.display())))?;
    let _turn = take_turn(build).map_err(io("cannot lock its build".into()))?;
    let digest = digest(build, tools)?;
    if is_built(build, &digest) {
        return Ok(Built::UpToDate);
    }
    // Removed first: a build that is cut off must not look like one that succeeded.
    let _ = fs::remove_file(stamp(build));
    execute(build, &build.command, &log(build, "build"))?;
    fs::write(stamp(build), digest).map_err(io("cannot note that it was built".into()))?;
    Ok(Built::Fresh)
}

/// Whether a build with these tools would have nothing to do.
pub fn is_current(build: &Build, tools: &[String]) -> bool {
    digest(build, tools).is_ok_and(|digest| is_built(build, &digest))
}

fn is_built(build: &Build, digest: &str) -> bool {
    fs::read_to_string(stamp(build)).is_ok_and(|built| built == digest) && missing(build).is_none()
}

/// Why one runtime of a peer that was built is not there; `None` if it is.
pub fn missing(build: &Build) -> Option<BuildError> {
    let output = build.output.as_ref().filter(|output| !output.exists())?;
    let log = log(build, "build");
    Some(BuildError::Missing {
        peer: build.peer.clone(),
        output: output.clone(),
        tail: tail(&log),
        log,
    })
}

/// Runs the peer's own checks; `Ok(false)` if it has none.
///
/// # Errors
/// A check failed; its log is kept.
pub fn check(build: &Build) -> Result<bool, BuildError> {
    match &build.check {
        None => Ok(false),
        Some(command) => execute(build, command, &log(build, "check")).map(|()| true),
    }
}

fn execute(build: &Build, template: &[String], log: &Path) -> Result<(), BuildError> {
    let command = super::fill(template, &build.folder, Some(&build.out), None);
    let io = |what: &str| {
        let (peer, what) = (build.peer.clone(), format!("{what} ({})", command.join(" ")));
        move |source| BuildError::Io { peer, what, source }
    };
    let mut output = File::create(log).map_err(io("cannot write the log"))?;
    writeln!(output, "$ {}", command.join(" ")).map_err(io("cannot write the log"))?;
    let end = run_tied(&command, &build.folder, &output, LIMIT).map_err(io("cannot start the command"))?;
    let how = match end {
        End::Exited(status) if status.success() => return Ok(()),
        End::Exited(status) => format!("ended with {status}"),
        End::TimedOut => format!("was ended after {} minutes", LIMIT.as_secs() / 60),
    };
    Err(BuildError::Failed {
        peer: build.peer.clone(),
        command: command.join(" "),
        how,
        log: log.to_owned(),
        tail: tail(log),
    })
}

/// The last lines of a log, without its first, which is the command.
fn tail(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let (_, output) = text.split_once('\n').unwrap_or_default();
    last_lines(output, 5)
}

/// Two sessions must not build one peer at a time.
fn take_turn(build: &Build) -> io::Result<File> {
    let lock = File::create(beside(build, "lock"))?;
    lock.lock()?;
    Ok(lock)
}

fn stamp(build: &Build) -> PathBuf {
    beside(build, "built")
}

fn log(build: &Build, what: &str) -> PathBuf {
    beside(build, &format!("{what}.log"))
}

/// A file of our own next to the peer's build directory, which belongs to the peer.
fn beside(build: &Build, extension: &str) -> PathBuf {
    let mut name = build.out.as_os_str().to_owned();
    name.push(format!(".{extension}"));
    PathBuf::from(name)
}

fn digest(build: &Build, tools: &[String]) -> Result<String, BuildError> {
    let io = |path: &Path| {
        let (peer, what) = (
            build.peer.clone(),
            format!("cannot read the input {}", path.display()),
        );
        move |source| BuildError::Io { peer, what, source }
    };
    let mut hash = Sha256::new();
    for text in build.command.iter().chain(tools) {
        hash_text(&mut hash, text);
    }
    let mut files = BTreeSet::new();
    for input in &build.inputs {
        let path = build.folder.join(input);
        collect(&path, &mut files).map_err(io(&path))?;
    }
    for file in files {
        let name = file.strip_prefix(&build.folder).unwrap_or(&file);
        hash_text(&mut hash, &name.to_string_lossy());
        let bytes = fs::read(&file).map_err(io(&file))?;
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// With its length in front, so that two lists of texts cannot look the same.
fn hash_text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
}

/// Every file at or below `path`. Below it, a link to nothing holds nothing: an editor's lock is one.
pub(super) fn collect(path: &Path, files: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    if fs::metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            let below = entry?.path();
            let leads_nowhere = below.is_symlink() && !below.exists();
            if !leads_nowhere {
                collect(&below, files)?;
            }
        }
    } else {
        files.insert(path.to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(folder: &Path, script: &str) -> Build {
        fs::create_dir_all(folder.join("peer/src")).unwrap();
        fs::write(folder.join("peer/src/a"), "1").unwrap();
        Build {
            peer: "dummy".into(),
            folder: folder.join("peer"),
            out: folder.join("out"),
            output: None,
            command: ["sh", "-c", script].map(String::from).to_vec(),
            inputs: vec!["src".into()],
            check: None,
        }
    }

    #[test]
    fn builds_again_only_when_an_input_or_a_tool_changes() {
        let folder = tempfile::tempdir().unwrap();
        let dummy = peer(folder.path(), "echo x >> {out}/count");
        let tools = vec!["1.0".to_owned()];
        assert_eq!(build(&dummy, &tools).unwrap(), Built::Fresh);
        assert!(is_current(&dummy, &tools));
        assert_eq!(build(&dummy, &tools).unwrap(), Built::UpToDate);
        fs::write(folder.path().join("peer/src/b"), "2").unwrap();
        assert!(!is_current(&dummy, &tools));
        assert_eq!(build(&dummy, &tools).unwrap(), Built::Fresh);
        assert_eq!(build(&dummy, &["1.1".to_owned()]).unwrap(), Built::Fresh);
        let count = fs::read_to_string(folder.path().join("out/count")).unwrap();
        assert_eq!(count.lines().count(), 3);
    }

    #[test]
    fn an_editors_lock_is_no_input() {
        let folder = tempfile::tempdir().unwrap();
        let dummy = peer(folder.path(), "true");
        assert_eq!(build(&dummy, &[]).unwrap(), Built::Fresh);
        let lock = folder.path().join("peer/src/.#a");
        std::os::unix::fs::symlink("somebody@somewhere.1:2", &lock).unwrap();
        assert_eq!(build(&dummy, &[]).unwrap(), Built::UpToDate);
    }

    #[test]
    fn a_failed_build_shows_its_last_lines_and_is_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let dummy = peer(folder.path(), "echo cannot find the thing; exit 7");
        for _ in 0..2 {
            let error = build(&dummy, &[]).unwrap_err().to_string();
            let log = folder.path().join("out.build.log");
            assert!(error.contains("ended with exit status: 7"), "{error}");
            assert!(error.contains(&log.display().to_string()), "{error}");
            assert!(error.ends_with("cannot find the thing"), "{error}");
            assert!(fs::read_to_string(log).unwrap().contains("cannot find the thing"));
        }
    }

    #[test]
    fn what_was_not_made_for_one_runtime_is_told_and_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut dummy = peer(
            folder.path(),
            "echo no library; test -e {out}/ready && touch {out}/made; true",
        );
        assert_eq!(build(&dummy, &[]).unwrap(), Built::Fresh);
        assert!(missing(&dummy).is_none());
        dummy.output = Some(dummy.out.join("made"));
        assert!(!is_current(&dummy, &[]));
        assert_eq!(build(&dummy, &[]).unwrap(), Built::Fresh);
        let error = missing(&dummy).unwrap().to_string();
        assert!(error.contains("out/made was not made"), "{error}");
        assert!(error.ends_with("no library"), "{error}");
        fs::write(dummy.out.join("ready"), "").unwrap();
        assert_eq!(build(&dummy, &[]).unwrap(), Built::Fresh);
        assert!(missing(&dummy).is_none());
        assert_eq!(build(&dummy, &[]).unwrap(), Built::UpToDate);
    }

    #[test]
    fn a_missing_input_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut dummy = peer(folder.path(), "true");
        dummy.inputs.push("nowhere".into());
        let error = build(&dummy, &[]).unwrap_err().to_string();
        assert!(error.contains("peer/nowhere"), "{error}");
    }
}
