//! The catalogue against independent computations, and wrong files against the messages they must cause.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use scoville::catalogue::{Catalogue, read_benchmark};
use scoville::model::benchmark::{Argument, Preset, Value, Work};
use scoville::peers::manifest;

/// What an entry must return and cost, computed from its parameters alone.
type Law = fn(&dyn Fn(&str) -> i64) -> (Vec<(&'static str, Value)>, Work);

fn int(x: i64) -> Value {
    Value::Int(x)
}

fn work(actors: i64, messages: i64) -> Work {
    Work {
        actors: actors as u64,
        messages: Some(messages as u64),
    }
}

fn fibonacci(n: i64) -> i64 {
    (1..n).fold((1, 1), |(a, b), _| (b, a + b)).0
}

/// Every worker draws its targets from its own generator, so the sum can be computed without any actor.
fn big(workers: i64, pings: i64) -> i64 {
    let mut received = vec![0; workers as usize];
    for id in 0..workers {
        let mut v = id;
        for _ in 0..pings {
            v = (v * 1309 + 13849) & 65535;
            received[(v % workers) as usize] += 1;
        }
    }
    received.iter().zip(1..).map(|(count, i)| count * i).sum()
}

fn ring(actors: i64, hops: i64) -> i64 {
    let seen = |i| if i <= hops { (hops - i) / actors + 1 } else { 0 };
    (0..actors).map(|i| (i + 1) * seen(i)).sum()
}

/// One law per benchmark of the catalogue.
fn laws() -> BTreeMap<&'static str, Law> {
    let mut laws: BTreeMap<&'static str, Law> = BTreeMap::new();
    laws.insert("pingpong", |p| {
        let n = p("pings");
        (
            vec![("result", int(n * (n + 1) / 2)), ("pongs", int(n))],
            work(2, 3 * n + 1),
        )
    });
    laws.insert("threadring", |p| {
        let (n, r) = (p("actors"), p("hops"));
        (
            vec![("result", int(ring(n, r))), ("last", int(r % n))],
            work(n, r + 2 * n + 1),
        )
    });
    laws.insert("count", |p| {
        let n = p("messages");
        (vec![("result", int(n))], work(2, n + 3))
    });
    laws.insert("fjthrput", |p| {
        let (n, a) = (p("messages"), p("actors"));
        let sum = (a * n) as f64 * 37.2f64.sin().powi(2);
        (
            vec![("result", int(n * a * (a + 1) / 2)), ("sum", Value::Float(sum))],
            work(a, a * n),
        )
    });
    laws.insert("fjcreate", |p| {
        let n = p("actors");
        (vec![("result", int(n * (n + 1) / 2))], work(n, n))
    });
    laws.insert("fib", |p| {
        let f = fibonacci(p("index"));
        (
            vec![("result", int(f)), ("actors", int(2 * f - 1))],
            work(2 * f - 1, 4 * f - 3),
        )
    });
    laws.insert("chameneos", |p| {
        let (c, m) = (p("creatures"), p("meetings"));
        let colours: i64 = (0..c).map(|id| id % 3).sum();
        (
            vec![("result", int(2 * m)), ("colour", int(colours % 3))],
            work(c + 1, 4 * m + 3 * c),
        )
    });
    laws.insert("big", |p| {
        let (n, w) = (p("pings"), p("actors"));
        (
            vec![("result", int(big(w, n))), ("pings", int(w * n))],
            work(w + 1, 2 * w * n + 4 * w + 1),
        )
    });
    laws
}

fn check(name: &str, size: &str, preset: &Preset, law: Law) {
    let parameter = |wanted: &str| match &preset.parameters[wanted] {
        Argument::Number(Value::Int(value)) => *value,
        other => panic!("{name} {size}: {wanted} is {other}"),
    };
    let (fields, work) = law(&parameter);
    let got: BTreeMap<String, Value> = fields.into_iter().map(|(f, v)| (f.to_owned(), v)).collect();
    assert_eq!(preset.work, work, "{name} {size}: work");
    assert_eq!(preset.expect.len(), got.len(), "{name} {size}: fields");
    if let Err(mismatch) = scoville::model::benchmark::verify(&preset.expect, &got) {
        panic!("{name} {size}: by its law {mismatch}");
    }
}

#[test]
fn every_preset_of_every_benchmark_obeys_its_law() {
    let catalogue = Catalogue::embedded().expect("the catalogue is sound");
    let laws = laws();
    for benchmark in catalogue.benchmarks.iter().filter(|b| b.category == "micro") {
        let law = laws.get(benchmark.name.as_str());
        let law = law.unwrap_or_else(|| panic!("{}: add its law to this test", benchmark.name));
        for (size, preset) in &benchmark.presets {
            check(&benchmark.name, size, preset, *law);
        }
    }
    for name in laws.keys() {
        assert!(
            catalogue.get(name).is_ok(),
            "{name} has a law and is not in the catalogue"
        );
    }
}

#[test]
fn the_folder_and_the_embedded_copy_agree() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue");
    assert_eq!(Catalogue::from_folder(&folder), Catalogue::embedded());
}

#[test]
fn the_readme_counts_the_benchmarks() {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let all = Catalogue::embedded().unwrap().benchmarks;
    let extended = all.iter().filter(|b| b.category == "extended").count();
    let (count, savina) = (all.len(), all.len() - extended);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(file).unwrap();
    let readme: Vec<&str> = readme.split_whitespace().collect();
    let said = format!("has {count}: Savina's {savina}, and {} more", WORDS[extended]);
    assert!(readme.join(" ").contains(&said), "README.md must say: {said}");
}

#[test]
fn unknown_benchmarks_get_a_suggestion() {
    let catalogue = Catalogue::embedded().expect("the catalogue is sound");
    assert_eq!(
        catalogue.get("pingpogn").unwrap_err(),
        "unknown benchmark `pingpogn`: did you mean `pingpong`?"
    );
}

const GOOD: &str = r#"name = "x"
title = "X"
number = 1
category = "micro"
measures = "m"
origin = "o"
description = "d"
actors = "N"
messages = "N"

[[parameter]]
name = "n"
symbol = "N"
meaning = "m"
type = "i64"
min = 1
max = 9

[[field]]
name = "result"
type = "i64"
meaning = "m"
formula = "N"

[preset.tiny]
parameters = { n = 1 }
expect = { result = 1 }
work = { actors = 1, messages = 1 }

[preset.quick]
parameters = { n = 2 }
expect = { result = 2 }
work = { actors = 2, messages = 2 }
"#;

/// All messages that a benchmark causes after `from` in it became `to`.
fn complaints(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replacen(from, to, 1);
    match read_benchmark(Path::new("x.toml"), &text) {
        Ok(_) => "none".into(),
        Err(mistakes) => mistakes
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" | "),
    }
}

#[test]
fn wrong_benchmarks_are_told_where_and_how_to_mend() {
    assert_eq!(complaints("\"o\"", "\"o\""), "none");
    for (from, to, message) in [
        (
            "title = \"X\"",
            "titel = \"X\"",
            "x.toml:2:1: unknown key `titel`; did you mean `title`?",
        ),
        ("title = \"X\"\n", "", "x.toml:1:1: missing field `title`"),
        (
            "number = 1",
            "number = \"one\"",
            "x.toml:3:10: invalid type: string \"one\", expected u32",
        ),
        (
            "number = 1",
            "number = ",
            "x.toml:3:10: string values must be quoted, expected literal string",
        ),
        (
            "name = \"x\"",
            "name = \"y\"",
            "x.toml:1:8: the name `y` differs from the file's; call the file y.toml",
        ),
        (
            "\"micro\"",
            "\"mirco\"",
            "x.toml:4:12: unknown category `mirco`; did you mean `micro`?",
        ),
        (
            "type = \"i64\"\nmin",
            "type = \"i46\"\nmin",
            "x.toml:15:8: unknown value `i46`; did you mean `i64`?",
        ),
        (
            "max = 9",
            "max = 0",
            "x.toml:17:7: n: the range is empty; max must not be below min | x.toml:26:20: n is 1; it must be between 1 and 0 | x.toml:31:20: n is 2; it must be between 1 and 0",
        ),
        (
            "name = \"result\"",
            "name = \"total\"",
            "x.toml:19:1: there is no field `result`; name the main field `result`; further ones are checks | x.toml:27:1: preset tiny does not say what total must be; add total = ... (N) | x.toml:27:21: unknown field `result`; known: total | x.toml:32:1: preset quick does not say what total must be; add total = ... (N) | x.toml:32:21: unknown field `result`; known: total",
        ),
        (
            "[preset.quick]",
            "[preset.quik]",
            "x.toml:25:2: preset `quick` is missing; add [preset.quick] | x.toml:30:9: unknown preset `quik`; did you mean `quick`?",
        ),
        (
            "{ n = 1 }",
            "{ m = 1 }",
            "x.toml:26:1: preset tiny gives no value for n; add n = ... (between 1 and 9) | x.toml:26:20: unknown parameter `m`; known: n",
        ),
        (
            "{ n = 1 }",
            "{ n = 10 }",
            "x.toml:26:20: n is 10; it must be between 1 and 9",
        ),
        (
            "{ n = 1 }",
            "{ n = 1.5 }",
            "x.toml:26:20: n is 1.5; it must be an integer",
        ),
        (
            "{ result = 1 }",
            "{ result = 1.5 }",
            "x.toml:27:21: result is 1.5; it must be an integer",
        ),
        (
            "{ actors = 1, messages = 1 }",
            "{ messages = 1 }",
            "x.toml:28:8: missing field `actors`",
        ),
        (
            "type = \"i64\"\nmin = 1\nmax = 9",
            "type = \"f64\"\nmin = 1\nmax = 9",
            "x.toml:16:7: n: this bound does not fit its type; integers have whole bounds min and max, numbers bounds with a point, choices none | x.toml:17:7: n: this bound does not fit its type; integers have whole bounds min and max, numbers bounds with a point, choices none",
        ),
        (
            "type = \"i64\"\nmin = 1\nmax = 9",
            "type = \"i64\"\nmax = 9",
            "x.toml:16:7: n: there is a largest value and no smallest; add min",
        ),
        (
            "type = \"i64\"\nmin = 1\nmax = 9",
            "type = \"choice\"",
            "x.toml:11:1: n: a choice has two words or more, and nothing else has any; list the words, or change the type | x.toml:24:20: n is 1; it must be one of  | x.toml:29:20: n is 2; it must be one of ",
        ),
        ("max = 9", "power_of_two = true", "none"),
        (
            "{ n = 2 }",
            "{ n = 2 }\nunverified = \"so\"",
            "x.toml:32:14: preset quick says what every field must be; remove unverified",
        ),
        ("expect = { result = 2 }", "unverified = \"nobody knows\"", "none"),
        (
            "expect = { result = 2 }\n",
            "",
            "x.toml:30:9: preset quick does not say what result must be; add result = ... (N)",
        ),
        (
            "[[field]]",
            "[[relation]]\nparameter = \"n\"\nrule = \"at-least\"\nlimit = \"3 * k + 1\"\n[[field]]",
            "x.toml:22:9: there is no numeric parameter `k`; known: n",
        ),
        (
            "[[field]]",
            "[[relation]]\nparameter = \"n\"\nrule = \"multiple-of\"\nlimit = \"2\"\n[[field]]",
            "x.toml:30:20: n is 1; it must be a multiple of 2 (2)",
        ),
        (
            "messages = \"N\"",
            "messages = \"N\"\nmessages_plus = \"2 * retires\"",
            "x.toml:10:17: `retires` is no metric that every runtime reports, no field and no parameter; known: result, n",
        ),
        (
            "formula = \"N\"",
            "formula = \"N\"\nwhen = { n = \"one\" }",
            "x.toml:24:1: no choice `n` has the word `one`; there is none | x.toml:28:21: unknown field `result`; there is none | x.toml:33:21: unknown field `result`; there is none",
        ),
        (
            "{ actors = 1, messages = 1 }",
            "{ actors = 1 }",
            "x.toml:28:1: preset tiny does not say how many messages it is; add messages = ... (N)",
        ),
    ] {
        assert_eq!(complaints(from, to), message, "{to}");
    }
}

#[test]
fn two_benchmarks_cannot_share_a_number() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.toml"), GOOD).unwrap();
    fs::write(folder.path().join("y.toml"), GOOD.replace("\"x\"", "\"y\"")).unwrap();
    let mistakes = Catalogue::from_folder(folder.path()).unwrap_err();
    assert_eq!(mistakes.len(), 1);
    assert!(
        mistakes[0]
            .to_string()
            .ends_with("y.toml: number 1 already belongs to x; give it the next free number")
    );
}

const MANIFEST: &str = r#"language = "Erlang"

[[requires]]
program = ["erl", "--version"]
minimum = "25"
install = "apt-get install erlang-base"

[build]
command = ["make", "OUT={out}"]
inputs = ["src"]

[[runtime]]
name = "erlang"
title = "Erlang/OTP"
command = ["erl", "+S", "{workers}:{workers}", "{ Module } {}"]
quit = "SIGUSR1"
"#;

fn manifest_complaints(from: &str, to: &str) -> String {
    assert!(MANIFEST.contains(from), "{from}");
    match manifest::read(Path::new("peer.toml"), &MANIFEST.replacen(from, to, 1)) {
        Ok(_) => "none".into(),
        Err(mistakes) => mistakes
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" | "),
    }
}

#[test]
fn wrong_manifests_are_told_where_and_how_to_mend() {
    assert_eq!(manifest_complaints("25", "25"), "none");
    for (from, to, message) in [
        (
            "[[runtime]]",
            "[[runtimes]]",
            "peer.toml:12:3: unknown key `runtimes`; did you mean `runtime`?",
        ),
        (
            "\"25\"",
            "\"new\"",
            "peer.toml:5:11: `new` is not a version; write numbers with points, such as \"17.0.2\"",
        ),
        (
            "{out}",
            "{ot}",
            "peer.toml:9:20: unknown placeholder {ot}; did you mean {out}?",
        ),
        (
            "{out}",
            "{workers}",
            "peer.toml:9:20: unknown placeholder {workers}; known here: {out}, {peer}",
        ),
        (
            "[\"src\"]",
            "[]",
            "peer.toml:10:10: inputs is empty; name the files and folders that the build depends on, or it would never be built again",
        ),
        (
            "\"erlang\"",
            "\"Erlang!\"",
            "peer.toml:13:8: `Erlang!` is not a runtime name; use lower-case letters, digits and inner hyphens, beginning with a letter",
        ),
        (
            "SIGUSR1",
            "SIGUSR3",
            "peer.toml:16:8: unknown signal `SIGUSR3`; did you mean `SIGUSR1`?",
        ),
        (
            "[\"erl\", \"+S\", \"{workers}:{workers}\", \"{ Module } {}\"]",
            "[]",
            "peer.toml:15:11: the command is empty; name the program and its arguments",
        ),
        (
            "[build]\ncommand = [\"make\", \"OUT={out}\"]\ninputs = [\"src\"]\n\n[[runtime]]\nname = \"erlang\"\ntitle = \"Erlang/OTP\"\ncommand = [\"erl\"",
            "[[runtime]]\nname = \"erlang\"\ntitle = \"Erlang/OTP\"\ncommand = [\"{out}/erl\"",
            "peer.toml:11:12: there is no {out} without a section [build]; add one that makes it, or start what lies in {peer}",
        ),
        (
            "[build]\ncommand = [\"make\", \"OUT={out}\"]\ninputs = [\"src\"]\n\n[[runtime]]",
            "[[runtime]]\noutput = \"{peer}/bin\"",
            "peer.toml:9:10: an output is what a build makes, and there is no section [build]; add one that makes it, or leave the output out",
        ),
        (
            "[build]\ncommand = [\"make\", \"OUT={out}\"]\ninputs = [\"src\"]",
            "[check]\ncommand = [\"make\", \"check\"]",
            "peer.toml:8:2: a section [check] without a section [build], after which it is run; add one; its command may be [\"true\"]",
        ),
        (
            "[[requires]]",
            "[requires]",
            "peer.toml:3:1: invalid type: table, expected a list, whose headings have double brackets: [[...]]",
        ),
        (
            "[\"make\", \"OUT={out}\"]",
            "\"make\"",
            "peer.toml:9:11: invalid type: string \"make\", expected a list, such as [\"make\", \"all\"]",
        ),
    ] {
        assert_eq!(manifest_complaints(from, to), message, "{to}");
    }
}
