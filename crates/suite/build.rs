//! Hands the versions of the measured libraries and of the compiler to the crate, so that none is written by hand.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Libraries that the suite measures, by the names of their crates.
const LIBRARIES: [&str; 5] = ["actix", "datil", "kameo", "ractor", "tokio"];

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let lock = lock_file(&manifest);
    println!("cargo::rerun-if-changed={}", lock.display());
    println!("cargo::rerun-if-changed=build.rs");

    let text =
        fs::read_to_string(&lock).unwrap_or_else(|error| panic!("cannot read {}: {error}", lock.display()));
    for library in LIBRARIES {
        let version =
            locked_version(&text, library).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
        println!(
            "cargo::rustc-env=SUITE_VERSION_{}={version}",
            library.to_uppercase()
        );
    }
    println!("cargo::rustc-env=SUITE_RUSTC={}", compiler_version());
}

/// The lock file of the workspace: the nearest one above the crate.
fn lock_file(manifest: &Path) -> PathBuf {
    manifest
        .ancestors()
        .map(|folder| folder.join("Cargo.lock"))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("no Cargo.lock in {} or above it", manifest.display()))
}

/// The version of the only package with this name. Cargo writes `version` on the line after `name`.
fn locked_version<'a>(lock: &'a str, package: &str) -> Result<&'a str, String> {
    let name = format!("name = \"{package}\"");
    let mut versions = lock
        .lines()
        .zip(lock.lines().skip(1))
        .filter(|(line, _)| *line == name)
        .map(|(_, next)| next);
    let line = versions
        .next()
        .ok_or_else(|| format!("package {package} is not locked"))?;
    if versions.next().is_some() {
        return Err(format!(
            "package {package} is locked in two versions; which one is measured is unclear"
        ));
    }
    line.strip_prefix("version = \"")
        .and_then(|rest| rest.strip_suffix('"'))
        .ok_or_else(|| format!("package {package} has no version line, but {line:?}"))
}

/// For example `Rust 1.95.0`.
fn compiler_version() -> String {
    let compiler = env::var_os("RUSTC").expect("cargo sets RUSTC");
    let output = Command::new(&compiler)
        .arg("--version")
        .output()
        .expect("cannot run the compiler");
    let text = String::from_utf8(output.stdout).expect("the compiler's version is not UTF-8");
    let number = text
        .split_whitespace()
        .nth(1)
        .unwrap_or_else(|| panic!("no version in {text:?}"));
    format!("Rust {number}")
}
