//! Embeds the catalogue, so that a binary outside a checkout still knows the benchmarks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let catalogue = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../catalogue");
    println!("cargo::rerun-if-changed={}", catalogue.display());
    let mut list = String::from("&[\n");
    for file in toml_files(&catalogue) {
        let name = file
            .file_name()
            .expect("a file has a name")
            .to_string_lossy()
            .into_owned();
        println!("cargo::rerun-if-changed={}", file.display());
        writeln!(list, "    ({name:?}, include_str!({file:?})),").expect("writing to a string");
    }
    list.push(']');
    let out = Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("catalogue.rs");
    fs::write(&out, list).expect("the build directory is writable");
}

/// All definitions. A hidden file is an editor's, such as the lock `.#fib.toml`, which is a link to nothing.
fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("cannot read {}: {e}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .filter(|path| {
            !path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
        })
        .map(|path| path.canonicalize().expect("an existing file"))
        .collect();
    files.sort();
    files
}
