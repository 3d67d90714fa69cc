//! A small checkout with dummy runtimes, and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use scoville::log;
use scoville::model::event::Event;

use crate::dummy;

pub const BENCHMARK: &str = r#"name = "NAME"
title = "Dummy"
number = NUMBER
category = "micro"
measures = "nothing"
origin = "this test"
description = "Returns what it was told to."
actors = "1"
messages = "N"

[[parameter]]
name = "n"
symbol = "N"
meaning = "nothing"
type = "i64"
min = 1

[[field]]
name = "result"
type = "i64"
meaning = "the answer"
formula = "42"

[preset.tiny]
parameters = { n = 1 }
expect = { result = 42 }
work = { actors = 1, messages = 1 }

[preset.quick]
parameters = { n = 2 }
expect = { result = 42 }
work = { actors = 1, messages = 2 }
"#;

/// A checkout with two benchmarks and dummy runtimes, and a folder for results.
pub struct Checkout(tempfile::TempDir);

impl Checkout {
    /// `runtimes` are names with the dummy's options.
    pub fn new(runtimes: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("catalogue")).unwrap();
        for (name, number) in [("alpha", "1"), ("beta", "2")] {
            let text = BENCHMARK.replace("NAME", name).replace("NUMBER", number);
            fs::write(folder.path().join(format!("catalogue/{name}.toml")), text).unwrap();
        }
        let checkout = Self(folder);
        let sections: String = runtimes
            .iter()
            .map(|(name, options)| section(name, options))
            .collect();
        checkout.peer("dummies", &format!("language = \"Dummy\"\n{sections}"));
        checkout
    }

    pub fn peer(&self, folder: &str, manifest: &str) {
        let folder = self.path().join("peers").join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("peer.toml"), manifest).unwrap();
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn results(&self) -> PathBuf {
        self.path().join("results")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_in(&self.results(), arguments)
    }

    /// The same with another folder of results.
    pub fn command_in(&self, results: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scoville"));
        command
            .arg("--home")
            .arg(self.path())
            .arg("--results")
            .arg(results)
            .args(arguments)
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Answer {
        Answer::of(self.command(arguments).output().unwrap())
    }

    /// The events of the only session.
    pub fn events(&self) -> Vec<Event> {
        let sessions = log::sessions(&self.results()).unwrap();
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        log::read(&self.results().join(&sessions[0])).unwrap().events
    }
}

pub fn section(name: &str, options: &str) -> String {
    let options = format!("--name {name} --benchmark alpha --benchmark beta {options}");
    let words: Vec<String> = dummy::command(&options)
        .iter()
        .map(|word| format!("{word:?}"))
        .collect();
    format!(
        "[[runtime]]\nname = \"{name}\"\ntitle = \"{name}\"\ncommand = [{}]\n",
        words.join(", ")
    )
}

/// What the program said.
pub struct Answer {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Answer {
    pub fn of(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub fn ends_with(&self, status: i32) -> &Self {
        assert_eq!(
            self.status, status,
            "stdout:\n{}\nstderr:\n{}",
            self.out, self.err
        );
        self
    }

    #[track_caller]
    pub fn says(&self, text: &str) -> &Self {
        let both = format!("{}{}", self.out, self.err);
        assert!(both.contains(text), "`{text}` is missing in:\n{both}");
        self
    }
}

pub const TWO: &[(&str, &str)] = &[("fast", "--sleep-ns 100000"), ("slow", "--sleep-ns 300000")];

pub const FEW: [&str; 7] = [
    "run",
    "--quick",
    "--blocks",
    "2",
    "--runtime",
    "fast,slow",
    "--cores=1",
];
