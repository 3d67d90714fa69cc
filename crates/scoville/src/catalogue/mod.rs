//! The benchmarks' definitions, read from one TOML file each.

pub mod arguments;
mod check;
pub use check::CATEGORIES;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::home::Home;
use crate::model::benchmark::Benchmark;
use crate::suggest;
use crate::toml_file::{Mistake, TomlFile};

/// The catalogue as it was when the binary was built: file names and texts.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// Families of presets, smallest purpose first. A preset is called like its family, or has a suffix that says what makes
/// it different: `thesis-700`, `quick-share`.
pub const FAMILIES: [(&str, &str); 7] = [
    ("tiny", "a few hundred messages, for verification"),
    ("quick", "0.05 to 0.3 s on a fast native runtime"),
    ("savina", "the default sizes of Savina's reference code"),
    ("thesis", "the sizes of Woelke's or Oestlund's thesis"),
    (
        "paper",
        "the sizes of a figure of the Savina paper or of Valkov et al.",
    ),
    ("original", "the sizes of the original program"),
    ("remark", "the sizes of a later remark on the original program"),
];

/// The family that a preset belongs to, as its position in [`FAMILIES`].
pub fn family(preset: &str) -> Option<usize> {
    let stem = preset.split('-').next().unwrap_or_default();
    FAMILIES.iter().position(|(family, _)| *family == stem)
}

/// A preset's place among those of its benchmark: by family, then by the numbers in its suffix.
pub fn preset_order(preset: &str) -> impl Ord + use<> {
    let suffix: Vec<(u64, String)> = preset
        .split('-')
        .skip(1)
        .map(|part| {
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            (part[..digits].parse().unwrap_or(0), part.to_owned())
        })
        .collect();
    (family(preset).unwrap_or(FAMILIES.len()), suffix)
}

/// All benchmarks, ordered by number.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    /// The benchmarks.
    pub benchmarks: Vec<Benchmark>,
}

impl Catalogue {
    /// Reads the checkout's catalogue, or the embedded copy outside a checkout.
    ///
    /// # Errors
    /// Every mistake found, one per wrong file at least.
    pub fn load(home: &Home) -> Result<Self, Vec<Mistake>> {
        match home.catalogue() {
            Some(folder) => Self::from_folder(&folder),
            None => Self::embedded(),
        }
    }

    /// The copy inside the binary.
    ///
    /// # Errors
    /// As for [`load`](Self::load); only a faulty build can cause one.
    pub fn embedded() -> Result<Self, Vec<Mistake>> {
        Self::from_texts(EMBEDDED.iter().map(|(name, text)| (Path::new(name), *text)))
    }

    /// Reads every `*.toml` in a folder but hidden ones, which are an editor's.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn from_folder(folder: &Path) -> Result<Self, Vec<Mistake>> {
        let texts = read_folder(folder).map_err(|mistake| vec![mistake])?;
        Self::from_texts(texts.iter().map(|(file, text)| (file.as_path(), text.as_str())))
    }

    fn from_texts<'a>(texts: impl Iterator<Item = (&'a Path, &'a str)>) -> Result<Self, Vec<Mistake>> {
        let mut benchmarks = Vec::new();
        let mut mistakes = Vec::new();
        for (file, text) in texts {
            match read_benchmark(file, text) {
                Ok(benchmark) => benchmarks.push((file, benchmark)),
                Err(found) => mistakes.extend(found),
            }
        }
        mistakes.extend(check::numbers(&benchmarks));
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let mut benchmarks: Vec<Benchmark> = benchmarks.into_iter().map(|(_, b)| b).collect();
        benchmarks.sort_by_key(|b| b.number);
        Ok(Self { benchmarks })
    }

    /// The benchmark of that name.
    ///
    /// # Errors
    /// Says which name was probably meant.
    pub fn get(&self, name: &str) -> Result<&Benchmark, String> {
        self.benchmarks.iter().find(|b| b.name == name).ok_or_else(|| {
            format!(
                "unknown benchmark `{name}`: {}",
                suggest::advice(name, self.names())
            )
        })
    }

    /// Names of all presets of these benchmarks, each once, in their order.
    pub fn presets<'c>(benchmarks: impl IntoIterator<Item = &'c Benchmark>) -> Vec<&'c str> {
        let all: BTreeSet<&str> = benchmarks
            .into_iter()
            .flat_map(|b| b.presets.keys().map(String::as_str))
            .collect();
        let mut all: Vec<&str> = all.into_iter().collect();
        all.sort_by_cached_key(|name| preset_order(name));
        all
    }

    /// Names of all benchmarks, by number.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.benchmarks.iter().map(|b| b.name.as_str())
    }
}

/// Reads and checks one benchmark; `file` gives the name that it must have.
///
/// # Errors
/// Every mistake found.
pub fn read_benchmark(file: &Path, text: &str) -> Result<Benchmark, Vec<Mistake>> {
    let document = TomlFile::parse(file, text).map_err(|m| vec![m])?;
    let benchmark: Benchmark = document.read().map_err(|m| vec![m])?;
    let mistakes = check::benchmark(&document, file, &benchmark);
    if mistakes.is_empty() {
        Ok(benchmark)
    } else {
        Err(mistakes)
    }
}

/// Editors keep locks, backups and what is not saved yet beside a file: hidden (`.#fib.toml`), or with another ending
/// (`fib.toml~`, `#fib.toml#`, `.fib.toml.swp`).
fn is_definition(file: &Path) -> bool {
    let hidden = file
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !hidden && file.extension().is_some_and(|e| e == "toml")
}

fn read_folder(folder: &Path) -> Result<Vec<(std::path::PathBuf, String)>, Mistake> {
    let unreadable = |file: &Path, error: std::io::Error| Mistake {
        file: file.to_owned(),
        place: None,
        what: format!("cannot be read: {error}"),
        mend: String::new(),
    };
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| unreadable(folder, e))? {
        let file = entry.map_err(|e| unreadable(folder, e))?.path();
        if is_definition(&file) {
            let text = fs::read_to_string(&file).map_err(|e| unreadable(&file, e))?;
            texts.push((file, text));
        }
    }
    texts.sort();
    Ok(texts)
}
