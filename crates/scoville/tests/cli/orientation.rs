//! What helps a user to find their way, and measures nothing.

use std::process::Stdio;

use scoville::log;

use crate::checkout::{Checkout, TWO, section};

#[test]
fn the_bare_command_orients_in_a_dozen_lines() {
    let checkout = Checkout::new(TWO);
    let missing = "language = \"None\"\n[[requires]]\nprogram = [\"no-such-program\"]\ninstall = \"apt-get install it\"\n";
    checkout.peer("none", &format!("{missing}{}", section("gone", "")));
    let answer = checkout.run(&[]);
    answer
        .ends_with(0)
        .says("2 benchmarks, ")
        .says("fast  slow\n")
        .says("scoville run --quick");
    answer.says("missing  gone   -> scoville doctor");
    assert!(answer.out.lines().count() <= 12, "{}", answer.out);
    assert_eq!(answer.err, "");
    checkout
        .run(&["doctor"])
        .says("no-such-program is not installed")
        .says("apt-get install it")
        .says("scoville doctor --all");
    let all = checkout.run(&["doctor", "--all"]);
    all.ends_with(0).says("\nASLR ");
}

#[test]
fn plans_measure_nothing() {
    let checkout = Checkout::new(TWO);
    for arguments in [
        &["plan", "--runtime", "f*,again=fast", "--cores=1"][..],
        &["run", "--dry-run", "--runtime", "f*,again=fast", "--cores=1"],
    ] {
        checkout
            .run(arguments)
            .ends_with(0)
            .says("4 cells in 2 groups")
            .says("fast again")
            .says("baseline fast");
    }
    assert!(!checkout.results().exists());
}

#[test]
fn the_time_of_as_many_blocks_as_there_can_be_is_told() {
    let checkout = Checkout::new(TWO);
    checkout
        .run(&[
            "plan",
            "--blocks=4294967295",
            "--runtime",
            "fast,slow",
            "--cores=1",
        ])
        .ends_with(0)
        .says(" to 5124095.6 h, known better after the first pass");
}

#[test]
fn benchmarks_are_listed_with_commas_or_without() {
    let checkout = Checkout::new(TWO);
    let plan = |benchmarks: &[&str]| {
        let answer = checkout.run(&[&["plan", "--cores=1", "--runtime", "fast"], benchmarks].concat());
        answer.ends_with(0).says("2 cells in 2 groups");
        let (_, table) = answer.out.split_once("\n\n").expect("a table");
        table.to_owned()
    };
    let listed = plan(&["alpha,beta"]);
    assert_eq!(listed, plan(&["alpha", "beta"]));
    assert_eq!(listed, plan(&["--benchmark", "alpha,beta"]));
    checkout
        .run(&["plan", "alpha,nope"])
        .ends_with(2)
        .says("no benchmark matches `nope`");
}

#[test]
fn completions_and_manual_are_whole() {
    let checkout = Checkout::new(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let script = checkout.run(&["completions", shell]);
        assert!(
            script.ends_with(0).out.contains("--fail-on") || script.out.contains("fail-on"),
            "{shell}"
        );
    }
    let manual = checkout.run(&["man"]);
    assert!(manual.ends_with(0).out.contains(".SH \"SCOVILLE RUN\""));
    assert!(!manual.out.contains("__launch"), "hidden commands stay hidden");
    checkout
        .run(&["--help"])
        .ends_with(0)
        .says("Exit status:")
        .says("       left out, and named with the reason");
    checkout
        .run(&["run", "--help"])
        .ends_with(0)
        .says("Examples:")
        .says("Ctrl-C ends after");
}

#[test]
fn a_closed_pipe_is_no_error() {
    let checkout = Checkout::new(TWO);
    let mut child = checkout
        .command(&["show", "alpha"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}

/// As in `scoville run 2>&1 | head -1`: who reads no further loses neither report nor status.
#[test]
fn a_session_that_nobody_watches_comes_to_its_end() {
    let checkout = Checkout::new(&[("fast", ""), ("wrong", "--result 41")]);
    let unread = |arguments: &[&str]| {
        let mut child = checkout
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        child.wait().unwrap().code()
    };
    let run = [
        "run",
        "--quick",
        "--blocks=1",
        "--runtime=fast,wrong",
        "--cores=1",
    ];
    assert_eq!(unread(&run), Some(3), "a wrong result");
    let folder = checkout
        .results()
        .join(&log::sessions(&checkout.results()).unwrap()[0]);
    assert!(folder.join("report.html").is_file());
    assert_eq!(unread(&["verify", "alpha", "--runtime=wrong"]), Some(3));
    assert_eq!(unread(&["run", "alhpa"]), Some(2));
}
