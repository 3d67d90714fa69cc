//! The pages of the benchmarks are what the catalogue says.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use scoville::catalogue::Catalogue;
use scoville::render::sheet;

const MEND: &str = "make the pages anew with: SCOVILLE_WRITE_PAGES=1 cargo test -p scoville --test pages";

#[test]
fn the_pages_are_made_from_the_catalogue() {
    let catalogue = Catalogue::embedded().expect("the catalogue is sound");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/benchmarks");
    let mut wanted: BTreeMap<String, String> = catalogue
        .benchmarks
        .iter()
        .map(|b| (format!("{}.md", b.name), sheet::markdown(b)))
        .collect();
    wanted.insert("README.md".into(), sheet::index(&catalogue.benchmarks));
    if env::var_os("SCOVILLE_WRITE_PAGES").is_some() {
        fs::create_dir_all(&folder).unwrap();
        for stale in pages(&folder).keys().filter(|name| !wanted.contains_key(*name)) {
            fs::remove_file(folder.join(stale)).unwrap();
        }
        for (name, text) in &wanted {
            fs::write(folder.join(name), text).unwrap();
        }
    }
    let found = pages(&folder);
    for (name, text) in &wanted {
        assert!(
            found.get(name) == Some(text),
            "docs/benchmarks/{name} is stale; {MEND}"
        );
    }
    let extra: Vec<&String> = found.keys().filter(|name| !wanted.contains_key(*name)).collect();
    assert!(
        extra.is_empty(),
        "docs/benchmarks has pages of no benchmark: {extra:?}; {MEND}"
    );
}

fn pages(folder: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files
        .map(|file| {
            let text = fs::read_to_string(file.path()).unwrap();
            (file.file_name().into_string().unwrap(), text)
        })
        .collect()
}

#[test]
fn every_benchmark_says_who_sends_what_to_whom() {
    let catalogue = Catalogue::embedded().expect("the catalogue is sound");
    for b in &catalogue.benchmarks {
        assert!(
            !b.kinds.is_empty() && !b.flows.is_empty(),
            "{}: add actor and message",
            b.name
        );
        let shown = sheet::terminal(b);
        for fact in b
            .flows
            .iter()
            .map(|flow| &flow.name)
            .chain(b.parameters.iter().map(|p| &p.name))
            .chain(b.presets.keys())
        {
            assert!(shown.contains(fact.as_str()), "{}: {fact} is not shown", b.name);
        }
    }
}
