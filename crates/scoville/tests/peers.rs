//! Every foreign peer, in its own language's way and as the laboratory sees it: linters and unit tests, build, results
//! and counted work at the smallest size, and the protocol (the latter not of what is measured only on request).
//!
//! The trials are made from the manifests, so a new peer is tested without a change here. Where a toolchain is missing,
//! its trials are reported as ignored, by name; with `SCOVILLE_REQUIRE_ALL=1` they fail instead. Only what a runtime needs
//! beyond its peer may be missing even then: no one machine has every version of a toolchain.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::{env, iter};

use libtest_mimic::{Arguments, Failed, Trial};
use scoville::home::Home;
use scoville::model::runtime::{Requirement, Runtime};
use scoville::peers::Runtimes;
use scoville::peers::requirement::{Found, detect};

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let home = Home::find(Some(&root)).expect("the checkout holds catalogue/ and peers/");
    let runtimes = Runtimes::load(&home, Vec::new());
    let mistakes: Vec<String> = runtimes.mistakes.iter().map(ToString::to_string).collect();
    let valid = Trial::test("manifests_are_valid", move || {
        if mistakes.is_empty() {
            Ok(())
        } else {
            Err(mistakes.join("\n").into())
        }
    });
    let mut peers = BTreeSet::new();
    // Runtimes of one folder share its checks and its build.
    let builds = runtimes.all.iter().filter(|runtime| {
        let folder = runtime.build.as_ref().map(|build| build.peer.clone());
        folder.is_some_and(|folder| peers.insert(folder))
    });
    let builds: Vec<Trial> = iter::once(valid).chain(builds.flat_map(build_trials)).collect();
    let cells: Vec<Trial> = runtimes.all.iter().flat_map(cell_trials).collect();

    let mut arguments = Arguments::from_args();
    // A build uses all processors. What a runtime does at the smallest size is mostly to start, which leaves some idle; but each
    // may take a gigabyte.
    let together = arguments.test_threads.take().or(Some(2));
    arguments.test_threads = Some(1);
    let built = libtest_mimic::run(&arguments, builds);
    arguments.test_threads = together;
    let verified = libtest_mimic::run(&arguments, cells);
    if built.has_failed() {
        built.exit_code()
    } else {
        verified.exit_code()
    }
}

fn build_trials(runtime: &Runtime) -> Vec<Trial> {
    let name = runtime.name.as_str();
    trials(
        runtime,
        &[
            ("linters_and_unit_tests", &["build", "--check", name]),
            ("build", &["build", name]),
        ],
    )
}

fn cell_trials(runtime: &Runtime) -> Vec<Trial> {
    let name = runtime.name.as_str();
    let results: (&str, &[&str]) = ("results_and_work", &["verify", "--runtime", name]);
    if runtime.by_default() {
        // What speaks the protocol is the same program in all runtimes of a peer.
        trials(
            runtime,
            &[
                results,
                ("protocol", &["verify", "--protocol", "--runtime", name]),
            ],
        )
    } else {
        trials(runtime, &[results])
    }
}

/// A trial for each of these commands.
fn trials(runtime: &Runtime, steps: &[(&str, &[&str])]) -> Vec<Trial> {
    let extra = missing(&runtime.also_requires);
    let missing = missing(&runtime.requires);
    let required = env::var_os("SCOVILLE_REQUIRE_ALL").is_some_and(|value| value == "1");
    steps
        .iter()
        .map(|(step, command)| {
            let command: Vec<String> = command.iter().map(|&part| part.to_owned()).collect();
            let ignored = extra.is_some() || missing.is_some() && !required;
            let missing = missing.clone().or(extra.clone());
            Trial::test(format!("{}::{step}", runtime.name), move || match missing {
                Some(reason) => Err(format!("{reason}; nothing may be skipped here").into()),
                None => scoville(&command),
            })
            .with_ignored_flag(ignored)
        })
        .collect()
}

/// Which of these is not here.
fn missing(requirements: &[Requirement]) -> Option<String> {
    requirements
        .iter()
        .find_map(|requirement| match detect(requirement) {
            Found::Yes(_) => None,
            Found::No(reason) => Some(format!("{reason} (install: {})", requirement.install)),
            Found::Late(reason) => Some(reason),
        })
}

fn scoville(arguments: &[String]) -> Result<(), Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_scoville"))
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "scoville {} ended with {}\n{}{}",
        arguments.join(" "),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
    .into())
}
