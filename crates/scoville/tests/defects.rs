//! The patches that `.ci/planted-defects` plants still fit the code. That script takes long and is run by hand; whoever moves a line
//! that a patch changes should hear of it at once.

use std::fs;
use std::path::{Path, PathBuf};

const FOLDERS: [&str; 2] = ["crates/datil/tests/defects", "crates/suite/tests/latch"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn patches() -> Vec<PathBuf> {
    let files = FOLDERS.iter().flat_map(|folder| {
        fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"))
    });
    files
        .map(|file| file.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "patch"))
        .collect()
}

/// The first hunk of a patch that has no place in its file, as the lines that should be there.
fn misfit(patch: &str, read: impl Fn(&str) -> String) -> Option<String> {
    let (mut text, mut hunk) = (String::new(), String::new());
    for line in patch.lines().chain(["@@"]) {
        if !line.starts_with([' ', '-', '+']) || line.starts_with("--- ") {
            if !text.contains(&hunk) {
                return Some(hunk);
            }
            hunk.clear();
        }
        if let Some(path) = line.strip_prefix("--- a/") {
            text = read(path);
        } else if let Some(old) = line.strip_prefix([' ', '-']) {
            hunk.push_str(old);
            hunk.push('\n');
        }
    }
    None
}

#[test]
fn every_planted_defect_has_its_place() {
    let patches = patches();
    assert!(patches.len() >= 30, "{} patches", patches.len());
    for path in patches {
        let patch = fs::read_to_string(&path).expect("a patch is text");
        let of_the_tree = |file: &str| {
            fs::read_to_string(root().join(file))
                .unwrap_or_else(|error| panic!("{}: {file}: {error}", path.display()))
        };
        let misfit = misfit(&patch, of_the_tree);
        assert_eq!(misfit, None, "{} does not apply", path.display());
    }
}

#[test]
fn a_line_that_has_changed_is_found() {
    let patch =
        "defect: x\n\n--- a/file\n+++ b/file\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -9,1 +9,1 @@\n-nine\n+9\n";
    let file = |text: &'static str| move |_: &str| text.to_owned();
    assert_eq!(misfit(patch, file("one\ntwo\n...\nnine\n")), None);
    assert_eq!(
        misfit(patch, file("one\n2\n...\nnine\n")),
        Some("one\ntwo\n".to_owned())
    );
    assert_eq!(
        misfit(patch, file("one\ntwo\n...\nten\n")),
        Some("nine\n".to_owned())
    );
}
