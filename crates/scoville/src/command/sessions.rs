//! Finding the session that a user means.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::{log, suggest};

/// The folder of the session of that name or path, or of the last session.
///
/// # Errors
/// There is none.
pub fn find(results: &Path, wanted: Option<&str>) -> Result<PathBuf> {
    let sessions = log::sessions(results);
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

/// Whether a text names a session.
pub fn exists(results: &Path, name: &str) -> bool {
    results.join(name).join(log::FILE).is_file() || Path::new(name).join(log::FILE).is_file()
}
