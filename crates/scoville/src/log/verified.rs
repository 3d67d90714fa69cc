//! What `scoville verify` has found out, one line per cell; the last line about a cell counts.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use super::LogError;
use crate::model::plan::GroupKey;
use crate::model::runtime::RuntimeName;
use crate::model::verified::VerifiedCell;

/// Name of the file beside the sessions.
pub const VERIFIED: &str = "verified.jsonl";

/// Adds what was found out. Of two commands that do so at the same time one waits for the other; what an earlier one could
/// not write to its end is cut off.
///
/// # Errors
/// The file cannot be written.
pub fn note(results: &Path, cell: &VerifiedCell) -> Result<(), LogError> {
    let file = results.join(VERIFIED);
    let write = || -> io::Result<()> {
        fs::create_dir_all(results)?;
        let mut line = serde_json::to_string(cell)?;
        line.push('\n');
        let mut open = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(&file)?;
        open.lock()?;
        cut_torn_line(&mut open)?;
        open.write_all(line.as_bytes())
    };
    write().map_err(|source| LogError::Io {
        file: file.clone(),
        source,
    })
}

/// A full disk may have left the beginning of a line, to which the next one must not be joined.
fn cut_torn_line(file: &mut File) -> io::Result<()> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let sound = bytes.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
    if sound < bytes.len() {
        file.set_len(sound as u64)?;
    }
    Ok(())
}

/// What is known of every cell; nothing where nothing was ever verified.
///
/// # Errors
/// The file is there and cannot be read, or a line before the last is damaged.
pub fn verified(results: &Path) -> Result<BTreeMap<(GroupKey, RuntimeName), VerifiedCell>, LogError> {
    let file = results.join(VERIFIED);
    let bytes = match fs::read(&file) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(source) => return Err(LogError::Io { file, source }),
    };
    let mut cells = BTreeMap::new();
    for (index, line) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
        // A last line without its end was cut off, perhaps within a character.
        if !line.ends_with(b"\n") {
            break;
        }
        let cell: VerifiedCell = serde_json::from_slice(line).map_err(|e| LogError::Damaged {
            file: file.clone(),
            line: index + 1,
            why: e.to_string(),
            mend: "remove the line, and verify its cell again".into(),
        })?;
        cells.insert((cell.group.clone(), cell.runtime.clone()), cell);
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::verified::CellVerdict;

    fn cell(runtime: &str, verdict: CellVerdict) -> VerifiedCell {
        VerifiedCell {
            unix: 1.5,
            group: GroupKey {
                benchmark: "count".into(),
                preset: "tiny".into(),
                cores: 2,
            },
            runtime: runtime.into(),
            version: "1".into(),
            verdict,
        }
    }

    #[test]
    fn the_last_line_about_a_cell_counts() {
        let results = tempfile::tempdir().unwrap();
        assert_eq!(verified(results.path()).unwrap(), BTreeMap::new());
        let failed = CellVerdict::Failed { message: "no".into() };
        let (first, second) = (cell("a", failed), cell("a", CellVerdict::Counted));
        let other = cell("b", CellVerdict::Uncounted);
        for cell in [&first, &other, &second] {
            note(results.path(), cell).unwrap();
        }
        let known = verified(results.path()).unwrap();
        assert_eq!(
            known.into_values().collect::<Vec<_>>(),
            [second.clone(), other.clone()]
        );
        // A line that was cut off is no line; one in the middle is damage.
        let file = results.path().join(VERIFIED);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, &text[..text.len() - 5]).unwrap();
        let known = verified(results.path()).unwrap();
        assert_eq!(known.into_values().collect::<Vec<_>>(), [first, other.clone()]);
        note(results.path(), &second).unwrap();
        let known = verified(results.path()).unwrap();
        assert_eq!(
            known.into_values().collect::<Vec<_>>(),
            [second.clone(), other.clone()]
        );
        for damage in [b"what\n".as_slice(), b"\xff\n"] {
            fs::write(&file, [damage, text.as_bytes()].concat()).unwrap();
            let told = verified(results.path()).unwrap_err().to_string();
            assert!(
                told.contains("verified.jsonl:1")
                    && told.ends_with("remove the line, and verify its cell again"),
                "{told}"
            );
        }
        // It may be cut off within a character as well.
        fs::write(
            &file,
            [text.as_bytes(), b"{\"unix\":1.5,\"message\":\"\xe2\x80"].concat(),
        )
        .unwrap();
        let known = verified(results.path()).unwrap();
        assert_eq!(known.into_values().collect::<Vec<_>>(), [second, other]);
    }
}
