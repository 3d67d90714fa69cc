//! What TOML cannot say of a benchmark: ranges, names that must agree, presets that must be complete.

use std::collections::BTreeMap;
use std::path::Path;

use super::{FAMILIES, arguments, family};
use crate::model::benchmark::{Benchmark, Curve, Kind, Parameter, ParameterKind, Value};
use crate::model::formula::Formula;
use crate::model::linear::Linear;
use crate::suggest;
use crate::toml_file::{Mistake, Step, Step::Item, Step::Key, TomlFile};

/// The kinds of benchmarks, in catalogue order.
pub const CATEGORIES: [&str; 4] = ["micro", "concurrency", "parallelism", "extended"];
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
    check.flows();
    check.parameters();
    check.relations();
    check.fields();
    check.metrics();
    check.growth();
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

    /// Messages go from kinds of actors that there are to kinds that there are, and none stands alone.
    fn flows(&mut self) {
        let b = self.benchmark;
        let kinds: Vec<&str> = b.kinds.iter().map(|actor| actor.kind.as_str()).collect();
        for (i, flow) in b.flows.iter().enumerate() {
            let at = [Key("message"), Item(i)];
            for (key, end) in [("from", flow.from.as_str()), ("to", &flow.to)] {
                let outside = key == "from" && end == "driver";
                if !outside && !kinds.contains(&end) {
                    let mend = suggest::advice(end, kinds.iter().copied());
                    self.report(
                        &[at[0], at[1], Key(key)],
                        format!("there is no actor `{end}`"),
                        mend,
                    );
                }
            }
        }
        for (i, kind) in kinds.iter().enumerate() {
            let takes_part = b
                .flows
                .iter()
                .any(|flow| flow.from == **kind || flow.to == **kind);
            if !takes_part {
                self.report(
                    &[Key("actor"), Item(i)],
                    format!("no message goes from or to {kind}"),
                    "add its messages",
                );
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
            for (key, what, mend) in odd(parameter) {
                let what = format!("{}: {what}", parameter.name);
                self.report(&[at[0], at[1], Key(key)], what, mend);
            }
        }
    }

    fn relations(&mut self) {
        for (i, relation) in self.benchmark.relations.iter().enumerate() {
            let at = [Key("relation"), Item(i)];
            self.number_named(&[at[0], at[1], Key("parameter")], &relation.parameter);
            self.linear(&[at[0], at[1], Key("limit")], &relation.limit);
        }
    }

    /// An expression of numeric parameters.
    fn linear(&mut self, at: &[Step<'_>], text: &str) {
        match Linear::parse(text) {
            Ok(linear) => linear.names().for_each(|name| self.number_named(at, name)),
            Err(e) => self.report(at, e.to_string(), "put blanks around operators"),
        }
    }

    fn number_named(&mut self, at: &[Step<'_>], name: &str) {
        let numbers = self.benchmark.parameters.iter();
        let numbers = numbers.filter(|p| p.kind != ParameterKind::Choice);
        let names: Vec<&str> = numbers.map(|p| p.name.as_str()).collect();
        if !names.contains(&name) {
            let mend = suggest::advice(name, names);
            self.report(at, format!("there is no numeric parameter `{name}`"), mend);
        }
    }

    /// Conditions name choices and their words.
    fn when(&mut self, at: &[Step<'_>], when: &BTreeMap<String, String>) {
        for (choice, word) in when {
            let parameter = self.benchmark.parameters.iter().find(|p| p.name == *choice);
            let words = parameter.map_or(&[][..], |p| &p.choices);
            if !words.contains(word) {
                let what = format!("no choice `{choice}` has the word `{word}`");
                let mend = suggest::advice(word, words.iter().map(String::as_str));
                self.report(at, what, mend);
            }
        }
    }

    fn metrics(&mut self) {
        let b = self.benchmark;
        for (i, metric) in b.metrics.iter().enumerate() {
            let at = [Key("metric"), Item(i)];
            if b.metrics[..i].iter().any(|m| m.name == metric.name) {
                let what = format!("metric {} is defined twice", metric.name);
                self.report(&[at[0], at[1], Key("name")], what, "remove one");
            }
            self.when(&[at[0], at[1], Key("when")], &metric.when);
        }
        for (i, curve) in b.curves.iter().enumerate() {
            let at = [Key("curve"), Item(i)];
            self.number_named(&[at[0], at[1], Key("x")], &curve.x);
            if curve.y != Curve::NS_PER_MESSAGE && !b.metrics.iter().any(|m| m.name == curve.y) {
                let mend = suggest::advice(&curve.y, b.metrics.iter().map(|m| m.name.as_str()));
                self.report(
                    &[at[0], at[1], Key("y")],
                    format!("there is no metric `{}`", curve.y),
                    mend,
                );
            }
        }
        for (i, counter) in b.per_actor.iter().enumerate() {
            self.linear(&[Key("per_actor"), Item(i), Key("count")], &counter.count);
        }
        if b.messages_plus.is_empty() {
            return;
        }
        let at = [Key("messages_plus")];
        match Linear::parse(&b.messages_plus) {
            Err(e) => self.report(&at, e.to_string(), "put blanks around operators"),
            Ok(linear) => {
                let metrics = b.metrics.iter().filter(|m| !m.optional).map(|m| &m.name);
                let fields = b.fields.iter().map(|f| &f.name);
                let parameters = b.parameters.iter().map(|p| &p.name);
                let known: Vec<&str> = metrics
                    .chain(fields)
                    .chain(parameters)
                    .map(String::as_str)
                    .collect();
                for name in linear.names().filter(|name| !known.contains(name)) {
                    let what = format!(
                        "`{name}` is no metric that every runtime reports, no field and no parameter"
                    );
                    self.report(&at, what, suggest::advice(name, known.iter().copied()));
                }
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
            self.when(&[Key("field"), Item(i), Key("when")], &field.when);
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
        let known = FAMILIES.map(|(name, _)| name);
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
            if family(name).is_none() {
                self.report(
                    &[Key("preset"), Key(name)],
                    format!("unknown preset `{name}`"),
                    suggest::advice(name, known),
                );
            } else if !is_name(name) {
                self.report(
                    &[Key("preset"), Key(name)],
                    format!("`{name}` is not a preset name"),
                    "use lower-case letters, digits and inner hyphens",
                );
            }
            self.preset_parameters(name);
            self.preset_expectation(name);
            self.preset_work(name);
        }
    }

    /// What grows is an integer, and the result follows from it: the formulas of all fields have values.
    fn growth(&mut self) {
        let b = self.benchmark;
        let Some(growth) = &b.growth else { return };
        let at = |key| [Key("growth"), Key(key)];
        let integers = b.parameters.iter().filter(|p| p.kind == ParameterKind::I64);
        if !integers.clone().any(|p| p.name == growth.parameter) {
            let known: Vec<&str> = integers.map(|p| p.name.as_str()).collect();
            let what = format!("there is no integer `{}`", growth.parameter);
            self.report(&at("parameter"), what, suggest::advice(&growth.parameter, known));
            return;
        }
        for name in &growth.time {
            if !b
                .metrics
                .iter()
                .any(|m| m.name == *name && m.unit == "ns" && !m.optional)
            {
                let what = format!("`{name}` is no metric in ns that every runtime reports");
                self.report(
                    &at("time"),
                    what,
                    "name one, or leave out the key for the wall time",
                );
            }
        }
        let Some(quick) = b.presets.get("quick") else {
            return;
        };
        let parameter = |name: &str| b.parameters.iter().find(|p| p.name == name || p.symbol == name);
        let first = |name: &str| {
            let name = &parameter(name)?.name;
            if *name == growth.parameter {
                return Some(i128::from(growth.from));
            }
            match quick.parameters.get(name)?.number()? {
                Value::Int(whole) => Some(whole.into()),
                Value::Float(_) => None,
            }
        };
        for (i, field) in b.fields.iter().enumerate() {
            let value = Formula::parse(&field.formula).and_then(|formula| formula.value(first));
            if let Err(why) = value {
                self.report(
                    &[Key("field"), Item(i), Key("formula")],
                    format!("{}: `{}`: {why}", field.name, field.formula),
                    "a benchmark that grows needs formulas of its parameters, such as n(n-1)/2",
                );
            }
        }
    }

    fn preset_parameters(&mut self, name: &str) {
        let b = self.benchmark;
        let given = &b.presets[name].parameters;
        let at = [Key("preset"), Key(name), Key("parameters")];
        let names: Vec<&str> = b.parameters.iter().map(|p| p.name.as_str()).collect();
        self.unknown(&at, "parameter", given.keys(), &names);
        let mut complete = true;
        for parameter in b.parameters.iter().filter(|p| !given.contains_key(&p.name)) {
            complete = false;
            self.report(
                &at,
                format!("preset {name} gives no value for {}", parameter.name),
                format!("add {} = ... ({})", parameter.name, arguments::demand(parameter)),
            );
        }
        let known = given.iter().filter(|(key, _)| names.contains(&key.as_str()));
        let as_json = known
            .map(|(key, value)| (key.clone(), serde_json::json!(value)))
            .collect();
        if let (true, Err(text)) = (complete, arguments::read(b, &as_json)) {
            // "B: P is V; it must be ..." is also what to say here, without the benchmark.
            let text = text.strip_prefix(&format!("{}: ", b.name)).unwrap_or(&text);
            let parameter = text.split(' ').next().unwrap_or_default();
            let (what, mend) = text.split_once("; ").unwrap_or((text, ""));
            self.report(&[at[0], at[1], at[2], Key(parameter)], what, mend);
        }
    }

    fn preset_expectation(&mut self, name: &str) {
        let b = self.benchmark;
        let preset = &b.presets[name];
        let expect = &preset.expect;
        let at = [Key("preset"), Key(name), Key("expect")];
        let fields: Vec<_> = b.fields_of(&preset.parameters).collect();
        let mut lacks = false;
        for field in &fields {
            match expect.get(&field.name) {
                None => {
                    lacks = true;
                    if preset.unverified.is_empty() {
                        self.report(
                            &at,
                            format!("preset {name} does not say what {} must be", field.name),
                            format!("add {} = ... ({})", field.name, field.formula),
                        );
                    }
                }
                Some(&value) if !has_kind(value, field.kind) => self.report(
                    &[at[0], at[1], at[2], Key(&field.name)],
                    format!("{} is {value}", field.name),
                    format!("it must be {}", kind_name(field.kind)),
                ),
                Some(_) => {}
            }
        }
        if !lacks && !preset.unverified.is_empty() {
            self.report(
                &[at[0], at[1], Key("unverified")],
                format!("preset {name} says what every field must be"),
                "remove unverified",
            );
        }
        let names: Vec<&str> = fields.iter().map(|f| f.name.as_str()).collect();
        self.unknown(&at, "field", expect.keys(), &names);
    }

    /// The number of messages may be unknown only where it depends on scheduling or on time.
    fn preset_work(&mut self, name: &str) {
        let preset = &self.benchmark.presets[name];
        let fixed = self.benchmark.messages_plus.is_empty() && preset.unverified.is_empty();
        if fixed && preset.work.messages.is_none() {
            self.report(
                &[Key("preset"), Key(name), Key("work")],
                format!("preset {name} does not say how many messages it is"),
                format!("add messages = ... ({})", self.benchmark.messages),
            );
        }
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

/// What is wrong with a parameter's definition: key, mistake and mend.
fn odd(parameter: &Parameter) -> Vec<(&'static str, &'static str, &'static str)> {
    let Parameter {
        kind,
        min,
        above,
        max,
        power_of_two,
        choices,
        ..
    } = parameter;
    let mut odd = Vec::new();
    let mut report = |wrong: bool, key, what, mend| {
        if wrong {
            odd.push((key, what, mend));
        }
    };
    let bounds = [("min", min), ("above", above), ("max", max)];
    for (key, bound) in bounds {
        let fits = match (kind, bound) {
            (_, None) => true,
            (ParameterKind::I64, Some(Value::Int(_))) => key != "above",
            (ParameterKind::F64, Some(Value::Float(_))) => true,
            _ => false,
        };
        report(
            !fits,
            key,
            "this bound does not fit its type",
            "integers have whole bounds min and max, numbers bounds with a point, choices none",
        );
    }
    report(
        max.is_some() && min.is_none(),
        "max",
        "there is a largest value and no smallest",
        "add min",
    );
    report(
        min.is_some() && above.is_some(),
        "above",
        "there are two lower bounds",
        "keep min or above",
    );
    if let (Some(min), Some(max)) = (min, max) {
        report(
            max.as_f64() < min.as_f64(),
            "max",
            "the range is empty",
            "max must not be below min",
        );
    }
    report(
        *power_of_two && *kind != ParameterKind::I64,
        "power_of_two",
        "only an integer can be a power of two",
        "remove it",
    );
    report(
        (*kind == ParameterKind::Choice) != (choices.len() > 1),
        "choices",
        "a choice has two words or more, and nothing else has any",
        "list the words, or change the type",
    );
    odd
}
