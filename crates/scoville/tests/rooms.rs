//! The rooms of the laboratory use each other only as docs/architecture.md says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Used by all rooms, uses none.
const MODEL: &str = "model";

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn chapter() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/architecture.md");
    let page = fs::read_to_string(page).unwrap();
    let start = page.find("## How data flows").expect("the chapter");
    let length = page[start + 3..].find("\n## ").expect("the next chapter");
    page[start..start + 3 + length].to_owned()
}

/// The rooms in the order of the page's table.
fn rooms() -> Vec<String> {
    let name = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    chapter().lines().filter_map(name).collect()
}

/// Folders of the sources, or the single files beside them.
fn modules(folders: bool) -> BTreeSet<String> {
    let entries = fs::read_dir(sources())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.is_dir() == folders)
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| !["lib", "main"].contains(&name.as_str()))
        .collect()
}

/// Every Rust file under a path, but for files of unit tests.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap();
        return entries.flat_map(|entry| files(&entry.unwrap().path())).collect();
    }
    let is_source = path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs");
    is_source.then(|| path.to_owned()).into_iter().collect()
}

/// The modules of this crate that a text names, unit tests and comments left out.
fn named(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let name = |text: &str| {
        text.trim()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    lines
        .flat_map(|line| line.split("crate::").skip(1))
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(list) => list
                .split('}')
                .next()
                .unwrap_or_default()
                .split(',')
                .map(name)
                .collect(),
            None => vec![name(rest)],
        })
        .collect()
}

/// Every use of another module: file, module.
fn uses(module: &Path) -> Vec<(PathBuf, String)> {
    let uses = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        named(&text).into_iter().map(move |name| (file.clone(), name))
    };
    files(module).into_iter().flat_map(uses).collect()
}

#[test]
fn every_room_and_every_tool_stands_on_the_page() {
    let mut known: BTreeSet<String> = rooms().into_iter().collect();
    known.insert(MODEL.to_owned());
    assert_eq!(known, modules(true));
    for tool in modules(false) {
        assert!(
            chapter().contains(&format!("`{tool}` (")),
            "{tool} is not explained"
        );
    }
}

#[test]
fn a_room_uses_those_before_it_only() {
    let (rooms, tools) = (rooms(), modules(false));
    for (place, room) in rooms.iter().enumerate() {
        for (file, used) in uses(&sources().join(room)) {
            let allowed = used == MODEL || tools.contains(&used) || rooms[..=place].contains(&used);
            assert!(allowed, "{} uses {used}", file.display());
        }
    }
}

#[test]
fn the_model_and_the_tools_use_no_room() {
    for (file, used) in uses(&sources().join(MODEL)) {
        assert_eq!(used, MODEL, "{}", file.display());
    }
    let tools = modules(false);
    for tool in &tools {
        for (file, used) in uses(&sources().join(format!("{tool}.rs"))) {
            assert!(tools.contains(&used), "{} uses {used}", file.display());
        }
    }
}

#[test]
fn what_is_used_is_read_from_code_alone() {
    let text = "use crate::probe::usage;\nuse crate::{log, plan::place};\n/// [`crate::render`]\nlet a = crate::stats::median(b);\n\
                #[cfg(test)]\nmod tests {\n use crate::judge;\n}\n";
    let expected = ["probe", "log", "plan", "stats"];
    assert_eq!(named(text), expected.map(str::to_owned).into());
}
