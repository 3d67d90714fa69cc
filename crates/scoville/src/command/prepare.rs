//! Making runtimes ready: are their programs there, are they built, what can they run.

use std::collections::BTreeMap;
use std::io::Write;
use std::thread;
use std::time::Duration;

use crate::model::invocation::Hello;
use crate::model::runtime::{Requirement, Runtime};
use crate::peers::build::{self, BuildError, Built};
use crate::peers::requirement::{Found, detect};
use crate::peers::{Selection, conversation, launch};
use crate::plan::Candidate;

/// A runtime says hello within this time or not at all.
const HELLO: Duration = Duration::from_secs(60);

/// What a runtime needs and what of it is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Tools {
    /// Versions of the programs that it needs, for the build's digest.
    pub versions: Vec<String>,
    /// What is missing, and the command that installs it, if that is the cure.
    pub missing: Vec<(String, Option<String>)>,
}

impl Tools {
    /// Why the runtime cannot be used; `None` if all is there.
    pub fn unusable(&self) -> Option<String> {
        let reasons: Vec<String> = self
            .missing
            .iter()
            .map(|(what, install)| match install {
                Some(install) => format!("{what}; install it with: {install}"),
                None => what.clone(),
            })
            .collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    }
}

/// Asks every program that the runtimes need, each once and all at the same time.
pub fn inspect<'r>(runtimes: impl Iterator<Item = &'r Runtime> + Clone) -> BTreeMap<String, Tools> {
    let mut distinct: Vec<&Requirement> = Vec::new();
    for requirement in runtimes.clone().flat_map(Runtime::all_requires) {
        if !distinct.contains(&requirement) {
            distinct.push(requirement);
        }
    }
    let answers: Vec<Found> = thread::scope(|scope| {
        let asked: Vec<_> = distinct.iter().map(|r| scope.spawn(|| detect(r))).collect();
        asked
            .into_iter()
            .map(|asked| asked.join().expect("detecting does not panic"))
            .collect()
    });
    let answer = |requirement: &Requirement| {
        let index = distinct
            .iter()
            .position(|r| *r == requirement)
            .expect("all were collected");
        &answers[index]
    };
    runtimes
        .map(|runtime| (runtime.name.clone(), tools(runtime, answer)))
        .collect()
}

fn tools<'a>(runtime: &Runtime, answer: impl Fn(&Requirement) -> &'a Found) -> Tools {
    let mut tools = Tools {
        versions: Vec::new(),
        missing: Vec::new(),
    };
    for requirement in runtime.all_requires() {
        match answer(requirement) {
            Found::Yes(Some(version)) if runtime.requires.contains(requirement) => {
                tools
                    .versions
                    .push(format!("{} {version}", requirement.program[0]));
            }
            Found::Yes(_) => {}
            Found::No(reason) => {
                let install = Some(requirement.install.clone()).filter(|install| !install.is_empty());
                tools.missing.push((reason.clone(), install));
            }
            Found::Late(reason) => tools.missing.push((reason.clone(), None)),
        }
    }
    tools
}

/// Whether a runtime could be started right now.
pub fn is_built(runtime: &Runtime, tools: &Tools) -> bool {
    runtime
        .build
        .as_ref()
        .is_none_or(|b| build::is_current(b, &tools.versions))
}

/// Builds every peer of the selections once, and says on `err` what it does. Failures are the peers', by name.
pub fn build_all(
    selections: &[Selection],
    tools: &BTreeMap<String, Tools>,
    err: &mut dyn Write,
) -> BTreeMap<String, Result<Built, BuildError>> {
    let mut results = BTreeMap::new();
    for selection in selections {
        let runtime = &selection.runtime;
        let Some(recipe) = &runtime.build else { continue };
        let tools = &tools[&runtime.name];
        // Up to date for one of its runtimes, a peer may still lack what another one needs.
        let settled = results
            .get(&recipe.peer)
            .is_some_and(|r| !matches!(r, Ok(Built::UpToDate)));
        if settled || !tools.missing.is_empty() {
            continue;
        }
        if !build::is_current(recipe, &tools.versions) {
            let _ = writeln!(err, "build    {} ...", recipe.peer);
        }
        results.insert(recipe.peer.clone(), build::build(recipe, &tools.versions));
    }
    results
}

/// Builds what has to be built, asks every runtime what it can run, and says for each whether it can be used.
pub fn candidates(selections: Vec<Selection>, err: &mut dyn Write) -> Vec<Candidate> {
    let tools = inspect(selections.iter().map(|s| &s.runtime));
    let built = build_all(&selections, &tools, err);
    let failure = |runtime: &Runtime| {
        let recipe = runtime.build.as_ref()?;
        match built.get(&recipe.peer)? {
            Ok(_) => build::missing(recipe).map(|e| format!("cannot be built: {e}")),
            Err(e) => Some(format!("cannot be built: {e}")),
        }
    };
    selections
        .into_iter()
        .map(|selection| {
            let unusable = tools[&selection.runtime.name].unusable();
            let unusable = unusable.or_else(|| failure(&selection.runtime));
            greeted(selection, unusable)
        })
        .collect()
}

/// Whether a runtime that the user named cannot be used.
pub fn lacks_a_named_one(candidates: &[Candidate]) -> bool {
    candidates
        .iter()
        .any(|candidate| candidate.selection.named && candidate.unusable.is_some())
}

/// The same without asking anybody: all can be used and can run everything. A plan that cannot be made of these cannot be
/// made at all.
pub fn candidates_unasked(selections: &[Selection]) -> Vec<Candidate> {
    selections.iter().cloned().map(unasked).collect()
}

fn unasked(selection: Selection) -> Candidate {
    Candidate {
        selection,
        unusable: None,
        silent: false,
        benchmarks: None,
    }
}

/// The same without building: a runtime that is not built yet counts as able to run everything.
pub fn candidates_unbuilt(selections: Vec<Selection>) -> Vec<Candidate> {
    let tools = inspect(selections.iter().map(|s| &s.runtime));
    selections
        .into_iter()
        .map(|selection| {
            let tools = &tools[&selection.runtime.name];
            if tools.missing.is_empty() && !is_built(&selection.runtime, tools) {
                return unasked(selection);
            }
            greeted(selection, tools.unusable())
        })
        .collect()
}

fn greeted(selection: Selection, unusable: Option<String>) -> Candidate {
    let mut candidate = Candidate {
        unusable,
        ..unasked(selection)
    };
    if candidate.unusable.is_none() {
        match greet(&candidate.selection.runtime) {
            Ok(hello) => candidate.benchmarks = Some(hello.benchmarks),
            Err(reason) => {
                let name = &candidate.selection.runtime.name;
                candidate.unusable = Some(format!(
                    "does not start: {reason}; see `scoville verify --protocol --runtime {name}`"
                ));
                candidate.silent = true;
            }
        }
    }
    candidate
}

/// What a runtime says of itself.
///
/// # Errors
/// A sentence about what went wrong.
pub fn greet(runtime: &Runtime) -> Result<Hello, String> {
    conversation::greet(&launch(runtime, 1), 1, HELLO)
}
