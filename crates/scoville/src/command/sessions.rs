//! Finding the session that a user means.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::next;
use crate::{log, suggest};

/// The folder of the session of that name or path, or of the last session.
///
/// # Errors
/// There is none, or the folder of results cannot be read.
pub fn find(results: &Path, wanted: Option<&str>) -> Result<PathBuf> {
    if let Some(folder) = wanted.and_then(|name| named(results, name)) {
        return Ok(folder);
    }
    let sessions = log::sessions(results)?;
    let here = results.display();
    match (wanted, sessions.last()) {
        (None, Some(last)) => Ok(results.join(last)),
        (None, None) => bail!(
            "there is no session in {here}; measure one with `scoville run --quick`, or name the folder with --results"
        ),
        (Some(wanted), None) => bail!("there is no session `{wanted}` in {here}, and no other"),
        (Some(wanted), Some(_)) => bail!(
            "there is no session `{wanted}` in {here}: {}",
            suggest::advice(wanted, sessions.iter().map(String::as_str))
        ),
    }
}

/// The folder of the session of that name or path.
fn named(results: &Path, name: &str) -> Option<PathBuf> {
    [results.join(name), PathBuf::from(name)]
        .into_iter()
        .find(|folder| folder.join(log::FILE).exists())
}

/// What [`find`] finds this session by, as a word for a shell.
pub fn typed(results: &Path, folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default();
    if folder == results.join(name) {
        next::word(name)
    } else {
        next::word(folder)
    }
}

/// Whether a text names a session.
pub fn exists(results: &Path, name: &str) -> bool {
    named(results, name).is_some()
}
