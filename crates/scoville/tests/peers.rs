//! Every foreign peer, in its own language's way and as the laboratory sees it: linters and unit tests, build, results
//! and counted work at the smallest size, and the protocol (the latter not of what is measured only on request).
//!
//! The trials are made from the manifests, so a new peer is tested without a change here. Where a toolchain is missing,
//! its trials are reported as ignored, by name; with `SCOVILLE_REQUIRE_ALL=1` they fail instead. Only what a runtime needs
//! beyond its peer may be missing even then: no one machine has every version of a toolchain.

use std::collections::BTreeSet;
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};
use scoville::home::Home;
use scoville::model::runtime::{Requirement, Runtime};
use scoville::peers::Runtimes;
use scoville::peers::requirement::{Found, detect};

fn main() {
    let mut arguments = Arguments::from_args();
    // Each trial uses all cores: two at once would only run into each other's time limits.
    arguments.test_threads = Some(1);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let home = Home::find(Some(&root)).expect("the checkout holds catalogue/ and peers/");
    let runtimes = Runtimes::load(&home, Vec::new());
    let mut trials = vec![Trial::test("manifests_are_valid", {
        let mistakes: Vec<String> = runtimes.mistakes.iter().map(ToString::to_string).collect();
        move || {
            if mistakes.is_empty() {
                Ok(())
            } else {
                Err(mistakes.join("\n").into())
            }
        }
    })];
    let mut peers = BTreeSet::new();
    for runtime in &runtimes.all {
        let folder = runtime.build.as_ref().map(|build| build.peer.clone());
        // Runtimes of one folder share its checks and its build.
        let first = folder.is_some_and(|folder| peers.insert(folder));
        trials.extend(trials_of(runtime, first));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn trials_of(runtime: &Runtime, first_of_its_peer: bool) -> Vec<Trial> {
    let extra = missing(&runtime.also_requires);
    let missing = missing(&runtime.requires);
    let required = env::var_os("SCOVILLE_REQUIRE_ALL").is_some_and(|value| value == "1");
    let name = runtime.name.as_str();
    let mut steps: Vec<(&str, Vec<&str>)> = Vec::new();
    if first_of_its_peer {
        steps.push(("linters_and_unit_tests", vec!["build", "--check", name]));
        steps.push(("build", vec!["build", name]));
    }
    steps.push(("results_and_work", vec!["verify", "--runtime", name]));
    if runtime.by_default() {
        // What speaks the protocol is the same program in all runtimes of a peer.
        steps.push(("protocol", vec!["verify", "--protocol", "--runtime", name]));
    }
    steps
        .into_iter()
        .map(|(step, command)| {
            let command: Vec<String> = command.into_iter().map(str::to_owned).collect();
            let ignored = extra.is_some() || missing.is_some() && !required;
            let missing = missing.clone().or(extra.clone());
            Trial::test(format!("{name}::{step}"), move || match missing {
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
