//! Finding the session that a user means.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::{log, suggest};

/// The folder of the session of that name or path, or of the last session.
///
/// # Errors
/// There is none, or the folder of results cannot be read.
pub fn find(results: &Path, wanted: Option<&str>) -> Result<PathBuf> {
    let sessions = names(results)?;
    let Some(wanted) = wanted else {
        return match sessions.last() {
            Some(last) => Ok(results.join(last)),
            None => bail!(
                "there is no session in {}; measure one with `scoville run --quick`, or name the folder with --results",
                results.display()
            ),
        };
    };
    if sessions.iter().any(|name| name == wanted) {
        return Ok(results.join(wanted));
    }
    if Path::new(wanted).join(log::FILE).is_file() {
        return Ok(PathBuf::from(wanted));
    }
    let advice = suggest::advice(wanted, sessions.iter().map(String::as_str));
    bail!(
        "there is no session `{wanted}` in {}: {advice}",
        results.display()
    )
}

/// What [`find`] finds this session by.
pub fn typed(results: &Path, folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default();
    let typed = if folder == results.join(name) {
        Path::new(name)
    } else {
        folder
    };
    typed.display().to_string()
}

/// Names of all sessions. That there is no folder of results yet is no error; that it does not open is one.
fn names(results: &Path) -> Result<Vec<String>> {
    match fs::read_dir(results) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(e).with_context(|| {
            format!(
                "the sessions in {} cannot be read; mend that, or name another folder with --results",
                results.display()
            )
        }),
        _ => Ok(log::sessions(results)),
    }
}

/// Whether a text names a session.
pub fn exists(results: &Path, name: &str) -> bool {
    results.join(name).join(log::FILE).is_file() || Path::new(name).join(log::FILE).is_file()
}
