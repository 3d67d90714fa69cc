//! The append-only log of a session, the only place where results are written. Replaying it is the state.

mod verified;
mod words;

pub use verified::{VERIFIED, note, verified};

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{Access, access};
use thiserror::Error;

use crate::digits::number_of;
use crate::model::event::{Event, LOG_VERSION, What};

/// Name of the log within a session's folder.
pub const FILE: &str = "log.jsonl";

/// Why a log cannot be read or written.
#[derive(Debug, Error)]
pub enum LogError {
    /// The file system refused.
    #[error("{file} cannot be read or written")]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Whether a folder is a session, or has some, cannot be seen.
    #[error("the sessions in {folder} cannot be read; mend that, or name another folder with --results")]
    Hidden {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process writes to it.
    #[error("{file}: another scoville is writing to this session; wait for it, or end it")]
    Locked {
        /// The file.
        file: PathBuf,
    },
    /// A line before the last is no entry.
    #[error("{file}:{line}: this line is damaged ({why}); {mend}")]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
        /// What to do about it.
        mend: String,
    },
    /// The log was cut off before its first line was complete.
    #[error(
        "{file}: the session was cut off before anything was measured; start a new one with `scoville run`"
    )]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// Another version of the tool wrote it.
    #[error(
        "{file}: the log has format version {found}, this scoville reads version {LOG_VERSION}; use the scoville that wrote it ({tool})"
    )]
    Version {
        /// The file.
        file: PathBuf,
        /// Its version.
        found: u32,
        /// The tool that wrote it.
        tool: String,
    },
}

/// What a log file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Every event in order; the first is [`What::SessionStarted`].
    pub events: Vec<Event>,
    /// Bytes of a last line that was cut off, 0 if none was.
    pub torn: u64,
}

/// Reads the log of a session's folder. Safe while another process writes to it.
///
/// # Errors
/// Any damage but a last line that lacks its end.
pub fn read(folder: &Path) -> Result<Replay, LogError> {
    let file = folder.join(FILE);
    let bytes = fs::read(&file).map_err(|source| LogError::Io {
        file: file.clone(),
        source,
    })?;
    let sound = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
    let mut events = Vec::new();
    for (index, line) in bytes[..sound].split_inclusive(|&b| b == b'\n').enumerate() {
        events.push(parse(&file, index + 1, line)?);
    }
    match events.first().map(|event: &Event| &event.what) {
        None => Err(LogError::Empty { file }),
        Some(What::SessionStarted { .. }) => Ok(Replay {
            events,
            torn: (bytes.len() - sound) as u64,
        }),
        Some(_) => Err(damaged(&file, 1, "a log begins with session-started")),
    }
}

fn parse(file: &Path, line: usize, text: &[u8]) -> Result<Event, LogError> {
    let event: Result<Event, _> = serde_json::from_slice(text);
    let version = || -> Option<(u32, String)> {
        let value: serde_json::Value = serde_json::from_slice(text).ok()?;
        let version = value.get("log_version")?.as_u64()?.try_into().ok()?;
        let tool = value
            .get("tool")
            .and_then(|t| t.as_str())
            .unwrap_or("unknown")
            .to_owned();
        Some((version, tool))
    };
    // The version decides first: a line of another version may parse by chance, or fail for no fault of its own.
    if line == 1
        && let Some((found, tool)) = version()
        && found != LOG_VERSION
    {
        let file = file.to_owned();
        return Err(LogError::Version { file, found, tool });
    }
    event.map_err(|e| damaged(file, line, &e.to_string()))
}

fn damaged(file: &Path, line: usize, why: &str) -> LogError {
    LogError::Damaged {
        file: file.to_owned(),
        line,
        why: why.to_owned(),
        mend: match line - 1 {
            // It has the plan, without which the others say nothing.
            0 => "the session is lost unless you have a copy; start a new one with `scoville run`".to_owned(),
            sound => format!(
                "the lines before it are sound: to go on from there, keep the first {} and resume",
                number_of(sound, "line")
            ),
        },
    }
}

/// The open log of the session that this process measures.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Makes a folder for a new session below `results` and opens its log. The name is made of `date` and of words
    /// drawn from the seed; a number is added if it is taken.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn create(results: &Path, date: &str, seed: u64) -> Result<(Self, String), LogError> {
        make_folder(results)?;
        let base = format!("{date}-{}", words::of_seed(seed));
        let mut name = base.clone();
        for suffix in 2.. {
            match fs::create_dir(results.join(&name)) {
                Ok(()) => break,
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => name = format!("{base}-{suffix}"),
                Err(source) => {
                    let file = results.join(name);
                    return Err(LogError::Io { file, source });
                }
            }
        }
        let log = Self::open(&results.join(&name))?;
        sync_folder(results)?;
        sync_folder(&results.join(&name))?;
        Ok((log, name))
    }

    /// Opens the log of an earlier session for appending and says what it holds. A torn last line is cut off.
    ///
    /// # Errors
    /// Another process holds it, or it is damaged.
    pub fn resume(folder: &Path) -> Result<(Self, Replay), LogError> {
        let log = Self::open(folder)?;
        let replay = read(folder)?;
        if replay.torn > 0 {
            let io = |source| LogError::Io {
                file: log.path.clone(),
                source,
            };
            let length = log.file.metadata().map_err(io)?.len();
            log.file.set_len(length - replay.torn).map_err(io)?;
            log.file.sync_all().map_err(io)?;
        }
        Ok((log, replay))
    }

    fn open(folder: &Path) -> Result<Self, LogError> {
        let path = folder.join(FILE);
        let io = |source| LogError::Io {
            file: path.clone(),
            source,
        };
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { path, file }),
            Err(TryLockError::WouldBlock) => Err(LogError::Locked { file: path }),
            Err(TryLockError::Error(source)) => Err(io(source)),
        }
    }

    /// Appends an event; it is on the disk when this returns.
    ///
    /// # Errors
    /// The disk is full or broken.
    pub fn append(&mut self, event: &Event) -> Result<(), LogError> {
        let mut line = serde_json::to_vec(event).expect("events hold nothing that JSON cannot");
        line.push(b'\n');
        self.file
            .write_all(&line)
            .and_then(|()| self.file.sync_data())
            .map_err(|source| LogError::Io {
                file: self.path.clone(),
                source,
            })
    }

    /// The log's file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Without this the lock would last until the last copy of the file is closed, and a child of this process has one between fork
/// and exec.
impl Drop for Log {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// Makes the folder that sessions are kept in, unless it is there, and sees to it that one could be made in it.
///
/// # Errors
/// It cannot be made or written.
pub fn make_folder(folder: &Path) -> Result<(), LogError> {
    fs::create_dir_all(folder)
        .and_then(|()| Ok(access(folder, Access::WRITE_OK | Access::EXEC_OK)?))
        .map_err(|source| LogError::Io {
            file: folder.to_owned(),
            source,
        })
}

/// A new file survives a power loss only when its folder's entry is on the disk too.
fn sync_folder(folder: &Path) -> Result<(), LogError> {
    File::open(folder)
        .and_then(|f| f.sync_all())
        .map_err(|source| LogError::Io {
            file: folder.to_owned(),
            source,
        })
}

/// Names of all sessions below `results`, by the time of their last event. A folder of results that is not there has none.
///
/// # Errors
/// The folder, or one in it, cannot be read: the last session may be in there.
pub fn sessions(results: &Path) -> Result<Vec<String>, LogError> {
    let hidden = |folder: &Path| {
        let folder = folder.to_owned();
        move |source| LogError::Hidden { folder, source }
    };
    let entries = match fs::read_dir(results) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(hidden(results))?,
    };
    let mut sessions = Vec::new();
    for entry in entries {
        let folder = entry.map_err(hidden(results))?.path();
        let written = written(&folder.join(FILE)).map_err(hidden(&folder))?;
        let name = folder.file_name().and_then(OsStr::to_str);
        sessions.extend(written.zip(name.map(str::to_owned)));
    }
    sessions.sort();
    Ok(sessions.into_iter().map(|(_, name)| name).collect())
}

/// When a log's file was last written; `None` where there is none.
fn written(log: &Path) -> io::Result<Option<SystemTime>> {
    match fs::metadata(log).and_then(|log| log.modified()) {
        Err(e) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&e.kind()) => Ok(None),
        modified => modified.map(Some),
    }
}

/// Whether a process is writing to the session in that folder.
pub fn is_written(folder: &Path) -> bool {
    let file = OpenOptions::new().read(true).open(folder.join(FILE));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_file_does_not_keep_the_session_from_others() {
        let results = tempfile::tempdir().unwrap();
        let (log, name) = Log::create(results.path(), "2026-11-28", 1).unwrap();
        let folder = results.path().join(name);
        assert!(matches!(Log::open(&folder), Err(LogError::Locked { .. })));
        let _copy = log.file.try_clone().unwrap();
        drop(log);
        assert!(!is_written(&folder));
        assert!(Log::open(&folder).is_ok());
    }
}
