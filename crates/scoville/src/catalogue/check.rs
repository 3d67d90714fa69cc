//! What TOML cannot say of a benchmark: ranges, names that must agree, presets that must be complete.

use std::collections::BTreeMap;
use std::path::Path;

use super::PRESETS;
use crate::model::benchmark::{Benchmark, Kind, Parameter, Value};
use crate::suggest;
use crate::toml_file::{Mistake, Step, Step::Item, Step::Key, TomlFile};

const CATEGORIES: [&str; 4] = ["micro", "concurrency", "parallelism", "extended"];
const SOURCES: [&str; 5] = [
    "savina-2014",
    "woelke-2018",
    "encore-2016",
    "servers-2017",
    "libcppa-2012",
];

/// Every mistake in one benchmark.
pub fn benchmark(document: &TomlFile<'_>, file: &Path, benchmark: &Benchmark) -> Vec<Mistake> {
    let mut check = Check {
        document,
        benchmark,
        mistakes: Vec::new(),
    };
    check.identity(file);
    check.parameters();
    check.fields();
    check.presets();
    check.published();
    check.mistakes.sort_by_key(|mistake| mistake.place);
    check.mistakes
}

/// Two benchmarks must not share a number.
pub fn numbers(benchmarks: &[(&Path, Benchmark)]) -> Vec<Mistake> {
    let mut owners: BTreeMap<u32, &str> = BTreeMap::new();
    let mut mistakes = Vec::new();
    for (file, benchmark) in benchmarks {
        if let Some(owner) = owners.insert(benchmark.number, &benchmark.name) {
            mistakes.push(Mistake {
                file: file.to_path_buf(),
                place: None,
                what: format!("number {} already belongs to {owner}", benchmark.number),
                mend: "give it the next free number".into(),
            });
        }
    }
    mistakes
}

struct Check<'a> {
    document: &'a TomlFile<'a>,
    benchmark: &'a Benchmark,
    mistakes: Vec<Mistake>,
}

impl Check<'_> {
    fn report(&mut self, path: &[Step<'_>], what: impl Into<String>, mend: impl Into<String>) {
        self.mistakes.push(self.document.mistake_at(path, what, mend));
    }

    fn identity(&mut self, file: &Path) {
        let b = self.benchmark;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        if !is_name(&b.name) {
            self.report(
                &[Key("name")],
                format!("`{}` is not a benchmark name", b.name),
                "use lower-case letters, digits and inner hyphens, beginning with a letter",
            );
        } else if b.name != stem {
            self.report(
                &[Key("name")],
                format!("the name `{}` differs from the file's", b.name),
                format!("call the file {}.toml", b.name),
            );
        }
        if !CATEGORIES.contains(&b.category.as_str()) {
            self.report(
                &[Key("category")],
                format!("unknown category `{}`", b.category),
                suggest::advice(&b.category, CATEGORIES),
            );
        }
        for (key, text) in [
            ("title", &b.title),
            ("measures", &b.measures),
            ("description", &b.description),
        ] {
            if text.trim().is_empty() {
                self.report(&[Key(key)], format!("{key} is empty"), "say it in a sentence");
            }
        }
    }

    fn parameters(&mut self) {
        for (i, parameter) in self.benchmark.parameters.iter().enumerate() {
            let at = [Key("parameter"), Item(i)];
            if self.benchmark.parameters[..i]
                .iter()
                .any(|p| p.name == parameter.name)
            {
                let what = format!("parameter {} is defined twice", parameter.name);
                self.report(&[at[0], at[1], Key("name")], what, "remove one");
            }
            if self.benchmark.parameters[..i]
                .iter()
                .any(|p| p.symbol == parameter.symbol)
            {
                let what = format!("symbol {} is used twice", parameter.symbol);
                self.report(&[at[0], at[1], Key("symbol")], what, "choose another letter");
            }
            if parameter.max.is_some_and(|max| max < parameter.min) {
                let what = format!("the range of {} is empty", parameter.name);
                self.report(&[at[0], at[1], Key("max")], what, "max must not be below min");
            }
        }
    }

    fn fields(&mut self) {
        for (i, field) in self.benchmark.fields.iter().enumerate() {
            if self.benchmark.fields[..i].iter().any(|f| f.name == field.name) {
                let path = [Key("field"), Item(i), Key("name")];
                self.report(
                    &path,
                    format!("field {} is defined twice", field.name),
                    "remove one",
                );
            }
        }
        if !self.benchmark.fields.iter().any(|f| f.name == "result") {
            self.report(
                &[Key("field")],
                "there is no field `result`",
                "name the main field `result`; further ones are checks",
            );
        }
    }

    fn presets(&mut self) {
        let known = PRESETS.map(|(name, _)| name);
        for required in ["tiny", "quick"] {
            if !self.benchmark.presets.contains_key(required) {
                self.report(
                    &[Key("preset")],
                    format!("preset `{required}` is missing"),
                    format!("add [preset.{required}]"),
                );
            }
        }
        for name in self.benchmark.presets.keys() {
            if !known.contains(&name.as_str()) {
                self.report(
                    &[Key("preset"), Key(name)],
                    format!("unknown preset `{name}`"),
                    suggest::advice(name, known),
                );
            }
            self.preset_parameters(name);
            self.preset_expectation(name);
        }
    }

    fn preset_parameters(&mut self, name: &str) {
        let b = self.benchmark;
        let given = &b.presets[name].parameters;
        let at = [Key("preset"), Key(name), Key("parameters")];
        for parameter in &b.parameters {
            let place = [at[0], at[1], at[2], Key(&parameter.name)];
            match given.get(&parameter.name) {
                None => self.report(
                    &at,
                    format!("preset {name} gives no value for {}", parameter.name),
                    format!("add {} = ... ({})", parameter.name, range(parameter)),
                ),
                Some(&value) if !has_kind(value, parameter.kind) => self.report(
                    &place,
                    format!("{} is {value}", parameter.name),
                    format!("it must be {}", kind_name(parameter.kind)),
                ),
                Some(&Value::Int(v)) if v < parameter.min || parameter.max.is_some_and(|max| v > max) => {
                    self.report(
                        &place,
                        format!("{} is {v}", parameter.name),
                        format!("it must be {}", range(parameter)),
                    );
                }
                Some(_) => {}
            }
        }
        let names: Vec<&str> = b.parameters.iter().map(|p| p.name.as_str()).collect();
        self.unknown(&at, "parameter", given.keys(), &names);
    }

    fn preset_expectation(&mut self, name: &str) {
        let b = self.benchmark;
        let expect = &b.presets[name].expect;
        let at = [Key("preset"), Key(name), Key("expect")];
        for field in &b.fields {
            match expect.get(&field.name) {
                None => self.report(
                    &at,
                    format!("preset {name} does not say what {} must be", field.name),
                    format!("add {} = ... ({})", field.name, field.formula),
                ),
                Some(&value) if !has_kind(value, field.kind) => self.report(
                    &[at[0], at[1], at[2], Key(&field.name)],
                    format!("{} is {value}", field.name),
                    format!("it must be {}", kind_name(field.kind)),
                ),
                Some(_) => {}
            }
        }
        let names: Vec<&str> = b.fields.iter().map(|f| f.name.as_str()).collect();
        self.unknown(&at, "field", expect.keys(), &names);
    }

    fn unknown<'k>(
        &mut self,
        at: &[Step<'_>; 3],
        what: &str,
        given: impl Iterator<Item = &'k String>,
        known: &[&str],
    ) {
        for name in given.filter(|name| !known.contains(&name.as_str())) {
            self.report(
                &[at[0], at[1], at[2], Key(name)],
                format!("unknown {what} `{name}`"),
                suggest::advice(name, known.iter().copied()),
            );
        }
    }

    fn published(&mut self) {
        for (i, published) in self.benchmark.published.iter().enumerate() {
            let at = [Key("published"), Item(i)];
            if !SOURCES.contains(&published.source.as_str()) {
                self.report(
                    &[at[0], at[1], Key("source")],
                    format!("unknown source `{}`", published.source),
                    suggest::advice(&published.source, SOURCES),
                );
            }
            if let Some(preset) = &published.preset
                && !self.benchmark.presets.contains_key(preset)
            {
                let known = self.benchmark.presets.keys().map(String::as_str);
                let mend = suggest::advice(preset, known);
                self.report(
                    &[at[0], at[1], Key("preset")],
                    format!("there is no preset `{preset}`"),
                    mend,
                );
            }
        }
    }
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('-')
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

fn has_kind(value: Value, kind: Kind) -> bool {
    matches!(
        (value, kind),
        (Value::Int(_), Kind::I64) | (Value::Float(_), Kind::F64)
    )
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::I64 => "an integer",
        Kind::F64 => "a float, written with a point",
    }
}

/// The range of a parameter in the words of the protocol.
pub fn range(parameter: &Parameter) -> String {
    match parameter.max {
        Some(max) => format!("between {} and {max}", parameter.min),
        None => format!("at least {}", parameter.min),
    }
}
