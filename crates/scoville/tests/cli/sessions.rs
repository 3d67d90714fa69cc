//! Sessions from their plan to what is made of them.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::process::Command;

use scoville::log;
use scoville::model::event::{Event, What};
use scoville::model::invocation::{Failure, FailureKind, Invocation, Outcome};
use scoville::model::plan::Plan;
use scoville::session::opening;

use crate::checkout::{Answer, Checkout, FEW, TWO, section};

#[test]
fn a_session_from_run_to_export() {
    let checkout = Checkout::new(TWO);
    let run = checkout.run(&FEW);
    run.ends_with(0)
        .says("4 cells in 2 groups")
        .says("report   ")
        .says("next     scoville report --open");
    assert!(
        run.out.contains("alpha") && run.out.contains("beta"),
        "{}",
        run.out
    );
    let events = checkout.events();
    let count = events
        .iter()
        .filter(|e| matches!(e.what, What::InvocationFinished { .. }))
        .count();
    assert_eq!(count, 8);
    let folder = checkout
        .results()
        .join(&log::sessions(&checkout.results()).unwrap()[0]);
    assert!(
        fs::read_to_string(folder.join("report.html"))
            .unwrap()
            .starts_with("<!DOCTYPE html>")
    );
    checkout
        .run(&["status"])
        .ends_with(0)
        .says("complete: all blocks are measured")
        .says("8 invocations");
    checkout
        .run(&["compare", "slow", "fast"])
        .ends_with(0)
        .says("A = slow, B = fast");
    checkout
        .run(&["compare", "slow", "fsat"])
        .ends_with(2)
        .says("did you mean `fast`?");
    for format in [
        "json",
        "jsonl",
        "csv",
        "csv-iterations",
        "markdown",
        "benchstat",
        "bencher",
        "junit",
    ] {
        let export = checkout.run(&["export", "--format", format]);
        assert!(export.ends_with(0).out.contains("fast"), "{format}");
        assert!(export.out.ends_with('\n'), "{format}");
    }

    let figures = checkout.path().join("for a paper");
    let to = format!("--to={}", figures.display());
    let export = checkout.run(&["export", "--format=vega-lite", &to]);
    let files: Vec<&Path> = export.ends_with(0).out.lines().map(Path::new).collect();
    assert_eq!(files.len(), fs::read_dir(&figures).unwrap().count());
    let forest = "forest-quick-1-wall-slow.vl.json";
    assert!(files.iter().any(|file| file.ends_with(forest)), "{files:?}");
    for file in files {
        let figure = fs::read_to_string(file).unwrap();
        assert!(figure.ends_with("}\n"), "{file:?}");
        let figure: serde_json::Value = serde_json::from_str(&figure).unwrap();
        assert_ne!(figure["data"]["values"][0], serde_json::Value::Null, "{file:?}");
    }
    checkout
        .run(&["export", "--format=csv", &to])
        .ends_with(2)
        .says("so write: > FILE");
    fs::write(figures.join("file"), "").unwrap();
    checkout
        .run(&["export", "--format=vega-lite", &format!("{to}/file/below")])
        .ends_with(2)
        .says("cannot make the folder");
}

/// The last line of a run, typed into a shell in the same folder.
#[test]
fn the_next_command_is_about_the_same_checkout_and_results() {
    let checkout = Checkout::new(TWO);
    let results = checkout.path().join("it's here");
    let elsewhere = tempfile::tempdir().unwrap();
    for place in [checkout.path(), elsewhere.path()] {
        let run = checkout.command_in(&results, &FEW).current_dir(place).output();
        let run = Answer::of(run.unwrap());
        run.ends_with(0);
        let (_, next) = run.out.split_once("next     scoville ").unwrap();
        let (report, compare) = next.split_once("    or  scoville ").unwrap();
        for (arguments, told) in [
            (report.replace("--open", ""), "report.html"),
            (compare.to_owned(), "A = fast, B = slow"),
        ] {
            assert_eq!(
                arguments.contains("--home"),
                place == elsewhere.path(),
                "{arguments}"
            );
            let output = Command::new("sh")
                .args(["-c", &format!("exec \"$0\" {arguments}")])
                .arg(env!("CARGO_BIN_EXE_scoville"))
                .current_dir(place)
                .output();
            Answer::of(output.unwrap()).ends_with(0).says(told);
        }
    }

    let usual = checkout.command_in(Path::new("scoville-results"), &FEW).output();
    Answer::of(usual.unwrap())
        .ends_with(0)
        .says("next     scoville report --open    or  scoville compare fast slow\n");
}

#[test]
fn a_baseline_without_numbers_is_replaced_by_one_that_has_some() {
    let wrong = [("wrong", "--result 41")];
    let checkout = Checkout::new(&[&wrong, TWO].concat());
    let run = |runtimes: &str| {
        checkout.run(&[
            "run",
            "alpha",
            "--quick",
            "--blocks=2",
            "--cores=1",
            "--baseline=wrong",
            "--runtime",
            runtimes,
        ])
    };
    run("wrong,fast,slow")
        .ends_with(3)
        .says("Wall time, ratio to fast; ")
        .says("ratios are relative to fast instead")
        .says("geomean")
        .says("scoville compare fast slow");
    let alone = run("wrong,fast");
    assert!(!alone.ends_with(3).out.contains("ratio to"), "{}", alone.out);
    assert!(!alone.out.contains("scoville compare"), "{}", alone.out);
}

#[test]
fn only_two_of_a_kind_are_compared() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    let first = log::sessions(&checkout.results()).unwrap().remove(0);
    let text = fs::read_to_string(checkout.results().join(&first).join(log::FILE)).unwrap();
    let later = checkout.results().join("later");
    fs::create_dir(&later).unwrap();
    let text = text.replace("\"version\":\"", "\"version\":\"9.");
    fs::write(later.join(log::FILE), text).unwrap();
    let both = checkout.run(&["compare", &first, "later"]);
    both.ends_with(0)
        .says("weaker evidence")
        .says("warning: fast is fast ")
        .says("alpha quick on 1 fast");
    for (arguments, told) in [
        (&["fast", "fast"][..], "`fast` is named twice"),
        (&["later", "later"], "`later` is named twice"),
        (
            &["fast", "later"],
            "`later` is a session and can be compared with another session only",
        ),
        (&["later", "fats"], "`fats` is neither a runtime of session "),
        (&["later", &first[1..]], &format!("did you mean `{first}`?")),
        (&[&first, "later", "--session=later"], "leave the option out"),
    ] {
        checkout
            .run(&[&["compare"], arguments].concat())
            .ends_with(2)
            .says(told);
    }
}

#[test]
fn a_complete_session_says_that_nothing_is_left() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    let again = checkout.run(&["run", "--resume"]);
    again.ends_with(0).says("complete, nothing is left to measure: ");
    assert!(!again.err.contains("time   "), "{}", again.err);
}

#[test]
fn a_session_elsewhere_is_resumed_by_its_path() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    let name = &log::sessions(&checkout.results()).unwrap()[0];
    let elsewhere = checkout.path().join(name);
    fs::create_dir(&elsewhere).unwrap();
    let whole = fs::read_to_string(checkout.results().join(name).join(log::FILE)).unwrap();
    let begun = whole.split_inclusive('\n').take(4).collect::<String>();
    fs::write(elsewhere.join(log::FILE), begun).unwrap();
    let path = elsewhere.to_str().unwrap();
    checkout
        .run(&["status", path])
        .ends_with(0)
        .says(&format!("next     scoville run --resume {path} "));
    checkout
        .run(&["run", "--resume", path])
        .ends_with(0)
        .says(&format!("next     scoville report {path} --open "))
        .says(&format!("or  scoville compare --session {path} fast slow "));
    checkout.run(&["status", path]).ends_with(0).says("complete");
    assert!(elsewhere.join("report.html").is_file());
}

#[test]
fn a_block_that_was_cut_off_is_not_counted() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    let log = checkout
        .results()
        .join(&log::sessions(&checkout.results()).unwrap()[0]);
    let log = log.join(log::FILE);
    let whole = fs::read_to_string(&log).unwrap();
    let shown = |text: &str| {
        fs::write(&log, text).unwrap();
        let status = checkout.run(&["status"]);
        let rows = status.ends_with(0).out.lines().map(str::trim_start);
        // "alpha quick on 1", then the blocks.
        rows.filter(|row| row.starts_with("alpha ") || row.starts_with("beta "))
            .map(|row| row.split_whitespace().nth(4).unwrap().parse::<usize>().unwrap())
            .sum::<usize>()
    };
    let count = |text: &str, event: &str| text.matches(&format!("\"{event}\"")).count();
    assert_eq!(shown(&whole), count(&whole, "block-finished"));
    let begun = whole.rfind("\"block-started\"").unwrap();
    let cut = &whole[..begun + whole[begun..].find('\n').unwrap() + 1];
    assert_eq!(count(cut, "block-started"), count(cut, "block-finished") + 1);
    assert_eq!(shown(cut), count(cut, "block-finished"));
}

/// One runtime has too much memory at 1500, one refuses more than 3000, one is wrong from the start.
fn let_alpha_grow(checkout: &Checkout) {
    let file = checkout.path().join("catalogue/alpha.toml");
    let text = fs::read_to_string(&file).unwrap();
    let growth = "[growth]\nparameter = \"n\"\nfrom = 1000\n\n[preset.tiny]";
    fs::write(&file, text.replace("[preset.tiny]", growth)).unwrap();
}

#[test]
fn who_grows_equally_far_is_named_too() {
    let checkout = Checkout::new(&[("fragile", "--most-n 3000"), ("frail", "--most-n 1500")]);
    let_alpha_grow(&checkout);
    checkout
        .run(&["grow", "--runtime=frail,fragile,again=fragile", "--cores=1"])
        .ends_with(0)
        .says("alpha on 1 core grew farthest on fragile, again: n = 3000.");
}

#[test]
fn a_growth_session_from_plan_to_export() {
    let checkout = Checkout::new(&[
        ("heavy", "--allocate-per-n 80000"),
        ("fragile", "--most-n 3000"),
        ("wrong", "--result 41"),
    ]);
    let_alpha_grow(&checkout);
    let grow = |runtimes: &str, more: &[&str]| {
        let all = [
            "grow",
            "--runtime",
            runtimes,
            "--cores=1",
            "--bisect=1",
            "--memory=100MiB",
        ];
        checkout.run(&[&all, more].concat())
    };
    let all = "heavy,fragile,wrong";
    grow(all, &["--dry-run"]).ends_with(0).says(
        "grow     alpha on 1: n from 1000 until a step fails, takes 60 s or has 100 MiB: heavy fragile wrong",
    );
    assert_eq!(log::sessions(&checkout.results()).unwrap(), Vec::<String>::new());
    grow(all, &["beta"])
        .ends_with(2)
        .says("beta does not grow; what grows is: alpha");
    checkout
        .run(&["grow", "--memory=4GB"])
        .ends_with(2)
        .says("write it as 4GiB");
    checkout
        .run(&["grow", "--memory=9999999GiB", "--dry-run"])
        .ends_with(2)
        .says("--memory: this machine has ");
    // A budget that is used up by the first step leaves the others for a resume.
    grow("heavy,fragile", &["--budget=1ms"])
        .ends_with(0)
        .says("have not come to their limit yet");
    checkout
        .run(&["status"])
        .ends_with(0)
        .says("ended: the time budget is used up")
        .says("open");
    fs::remove_dir_all(checkout.results()).unwrap();

    grow(all, &[])
        .ends_with(3)
        .says("alpha 1000 on 1 / fragile: passed in")
        .says("alpha on 1 core grew farthest on fragile: n = 3000")
        .says("memory at 1500")
        .says("crash at 4000")
        .says("its last words: no more than that")
        .says("wrong at 1000");
    checkout
        .run(&["status"])
        .ends_with(0)
        .says("at its limit")
        .says("alpha on 1");
    for (format, text) in [
        ("csv-growth", "alpha,1,fragile,n,4000,crash,,"),
        ("markdown", "| fragile | 3000 | crash at 4000 |"),
        ("json", "\"why\":\"memory\""),
        ("jsonl", "\"event\":\"rung-finished\""),
    ] {
        checkout
            .run(&["export", "--format", format])
            .ends_with(0)
            .says(text);
    }
    let folder = checkout
        .results()
        .join(&log::sessions(&checkout.results()).unwrap()[0]);
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("Growth until a limit") && page.contains("crash at 4000"));
}

/// `list matrix` counts what can be run, and believes what `verify` has seen of this version.
#[test]
fn the_matrix_counts_what_verify_has_seen() {
    let checkout = Checkout::new(&[("good", "--work 1,1"), ("wrong", "--result 41")]);
    let dummies = || {
        let answer = checkout.run(&["list", "matrix"]);
        answer.ends_with(0);
        answer.out
    };
    let open = dummies();
    assert!(
        open.contains("good alpha, beta: not verified since this version"),
        "{open}"
    );
    checkout
        .run(&["verify", "--runtime", "good,wrong", "--cores=1"])
        .ends_with(3);
    let known = dummies();
    assert!(known.contains("verified     2, the work counted of 2"), "{known}");
    assert!(
        known.contains("wrong alpha: wrong, alpha iteration 0: returned a wrong result: result is 41"),
        "{known}"
    );
}

#[test]
fn a_regression_fails_and_too_few_data_cannot_clear() {
    let checkout = Checkout::new(&[("fast", "--sleep-ns 1000000"), ("slow", "--sleep-ns 30000000")]);
    let run = [
        "run",
        "alpha",
        "--quick",
        "--blocks",
        "6",
        "--runtime",
        "fast,slow",
        "--cores=1",
    ];
    checkout.run(&run).ends_with(0);
    checkout
        .run(&["compare", "slow", "fast", "--fail-on", "slower:3%"])
        .ends_with(1)
        .says("REGRESSION");
    checkout
        .run(&["compare", "fast", "slow", "--fail-on", "slower:3%"])
        .ends_with(0);
    let lone = Checkout::new(&[("fast", ""), ("slow", "")]);
    lone.run(&[
        "run",
        "alpha",
        "--quick",
        "--blocks",
        "1",
        "--runtime",
        "fast,slow",
        "--cores=1",
    ])
    .ends_with(0);
    lone.run(&["compare", "fast", "slow", "--fail-on", "slower:3%"])
        .ends_with(5)
        .says("unclear");
}

/// Writes a copy of the only session that ran, changed, as another one.
fn copy(checkout: &Checkout, name: &str, change: impl Fn(&mut What)) {
    let ran = log::sessions(&checkout.results()).unwrap().remove(0);
    let mut events = log::read(&checkout.results().join(ran)).unwrap().events;
    let line = |event: &mut Event| {
        change(&mut event.what);
        serde_json::to_string(event).unwrap() + "\n"
    };
    let text: String = events.iter_mut().map(line).collect();
    fs::create_dir(checkout.results().join(name)).unwrap();
    fs::write(checkout.results().join(name).join(log::FILE), text).unwrap();
}

/// Invocations of `alpha` by a runtime.
fn of_alpha<'a>(what: &'a mut What, name: &str) -> Option<&'a mut Invocation> {
    match what {
        What::InvocationFinished {
            group,
            runtime,
            invocation,
            ..
        } if group.benchmark == "alpha" && runtime == name => Some(invocation),
        _ => None,
    }
}

#[test]
fn a_time_below_the_resolution_of_its_clock_is_told() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    copy(&checkout, "zero", |what| {
        if let Some(invocation) = of_alpha(what, "fast") {
            invocation.iterations.wall_ns.fill(0);
        }
    });
    checkout
        .run(&["compare", "--session=zero", "fast", "slow"])
        .ends_with(0)
        .says(
            "alpha quick on 1: not both have numbers (fast: unavailable: below the resolution of its source)",
        );
}

#[test]
fn a_comparison_tells_what_failed_in_some_invocations() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    let left = Cell::new(1);
    let whole = log::sessions(&checkout.results()).unwrap().remove(0);
    copy(&checkout, "partly", |what| {
        if let Some(invocation) = of_alpha(what, "slow").filter(|_| left.replace(0) == 1) {
            invocation.outcome = Outcome::Failed(Failure {
                kind: FailureKind::Protocol,
                message: "torn".into(),
                stderr_tail: String::new(),
                diagnosis: String::new(),
            });
        }
    });
    let legend = "7/10: numbers come from the 7 of 10 invocations that did not fail";
    for (arguments, told) in [
        (&["compare", "--session=partly", "fast", "slow"][..], " B 1/2 "),
        (&["compare", "--session=partly", "slow", "fast"], " A 1/2 "),
        (&["compare", "partly", &whole], " A 1/2 "),
        (&["compare", &whole, "partly"], " B 1/2 "),
    ] {
        checkout.run(arguments).ends_with(0).says(told).says(legend);
    }
    let all = checkout.run(&["compare", &format!("--session={whole}"), "fast", "slow"]);
    assert!(!all.ends_with(0).out.contains("7/10"), "{}", all.out);
}

/// Sessions of equal times, of which one has a runtime that the others lack, and one other work under the same name.
#[test]
fn what_is_in_one_session_only_is_told_and_not_cleared() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    let session = |name: &str, change: &dyn Fn(&mut Plan)| {
        copy(&checkout, name, |what| match what {
            What::SessionStarted { plan, .. } => change(plan),
            What::InvocationFinished { invocation, .. } => invocation.iterations.wall_ns.fill(1_000_000),
            _ => {}
        });
    };
    session("base", &|_| {});
    session("same", &|_| {});
    session("renamed", &|_| {});
    let file = checkout.results().join("renamed").join(log::FILE);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"slow\"", "\"slower\"")).unwrap();
    session("other", &|plan| plan.groups[0].parameters.clear());
    let compare = |a: &str, b: &str| checkout.run(&["compare", a, b, "--fail-on", "slower:3%"]);
    compare("same", "base").ends_with(0);
    compare("renamed", "base")
        .ends_with(5)
        .says("alpha quick on 1 slower: not both have numbers (B: not planned)")
        .says("alpha quick on 1 slow: not both have numbers (A: not planned)")
        .says("unclear     alpha quick on 1 slow: there is no ratio (A: not planned)");
    compare("other", "base")
        .ends_with(5)
        .says("warning: alpha quick has other parameters or results")
        .says("unclear     alpha quick on 1: there is no ratio (other parameters or results in A than in B)");
}

/// A runtime that fails on one benchmark is not cleared by the others: nobody knows whether it is slower there.
#[test]
fn what_failed_on_one_side_is_told_and_not_cleared() {
    let brittle = "--sleep-ns 1000000 --most-n 2";
    let checkout = Checkout::new(&[("brittle", brittle), ("slow", "--sleep-ns 30000000")]);
    let beta = checkout.path().join("catalogue/beta.toml");
    let larger = fs::read_to_string(&beta).unwrap();
    let larger = larger
        .replace("n = 2", "n = 3")
        .replace("messages = 2", "messages = 3");
    fs::write(&beta, larger).unwrap();
    let method = [
        "--quick",
        "--blocks",
        "6",
        "--runtime",
        "brittle,slow",
        "--cores=1",
    ];
    checkout
        .run(&[&["run", "alpha", "beta"][..], &method[..]].concat())
        .ends_with(4);
    checkout
        .run(&["compare", "brittle", "slow"])
        .ends_with(0)
        .says("beta quick on 1: not both have numbers (brittle: crash");
    checkout
        .run(&["compare", "brittle", "slow", "--fail-on", "slower:3%"])
        .ends_with(5)
        .says("unclear     beta quick on 1: there is no ratio (brittle: crash");
}

#[test]
fn exit_status_tells_wrong_results_from_crashes() {
    let checkout = Checkout::new(&[
        ("fast", "--sleep-ns 100000"),
        ("liar", "--result 7"),
        ("dead", "--at run --do crash"),
    ]);
    let of = |runtimes: &str| {
        checkout.run(&[
            "run",
            "alpha",
            "--quick",
            "--blocks",
            "2",
            "--runtime",
            runtimes,
            "--cores=1",
        ])
    };
    of("fast,dead").ends_with(4).says("dead: FAILED");
    of("fast,liar,dead").ends_with(3).says("result is 7, expected 42");
    checkout
        .run(&["verify", "--runtime", "fast,liar"])
        .ends_with(3)
        .says("WRONG")
        .says("result is 7, expected 42");
    checkout.run(&["verify", "--runtime", "fast"]).ends_with(0);
}

#[test]
fn a_session_goes_on_only_with_the_builds_that_it_measured() {
    goes_on_only_with_its_builds(&["run", "--quick", "--blocks=2", "--runtime=fast,made", "--cores=1"]);
    // The first step uses the budget up; the others are left for a resume.
    goes_on_only_with_its_builds(&["grow", "--budget=1ms", "--runtime=fast,made", "--cores=1"]);
}

fn goes_on_only_with_its_builds(arguments: &[&str]) {
    let checkout = Checkout::new(&[("fast", "--most-n 3000")]);
    let_alpha_grow(&checkout);
    let recipe = "[build]\ncommand = [\"cp\", \"source\", \"{out}/program\"]\ninputs = [\"source\"]\n";
    let manifest = format!("language = \"Sh\"\n{recipe}{}", section("made", "--most-n 3000"));
    checkout.peer("made", &manifest);
    let build = |source: &str| {
        fs::write(checkout.path().join("peers/made/source"), source).unwrap();
        checkout.run(&["build", "made"]).ends_with(0);
    };
    build("first");
    checkout.run(arguments).ends_with(0);
    build("second");
    checkout
        .run(&["run", "--resume"])
        .ends_with(2)
        .says("built anew since this session was measured: made; ");
    // As `cargo clean` does it. What cannot be started would be a failure of the runtime, and stay in the log.
    build("first");
    fs::remove_dir_all(checkout.path().join("target")).unwrap();
    let before = checkout.events();
    checkout
        .run(&["run", "--resume"])
        .ends_with(2)
        .says("not there any more, though this session has measured it: made; ");
    assert_eq!(checkout.events(), before);
    build("first");
    checkout.run(&["run", "--resume"]).ends_with(0);
    let events = checkout.events();
    let (_, machine) = opening(&events);
    assert!(machine.facts["build of fast"].value().is_some(), "{machine:?}");
}
