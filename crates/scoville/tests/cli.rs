//! The program as a user meets it, with dummy runtimes in a small checkout of its own.

mod dummy;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use scoville::log;
use scoville::model::event::{Event, StopReason, What};
use scoville::schedule::Progress;
use scoville::session::opening;

const BENCHMARK: &str = r#"name = "NAME"
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
struct Checkout(tempfile::TempDir);

impl Checkout {
    /// `runtimes` are names with the dummy's options.
    fn new(runtimes: &[(&str, &str)]) -> Self {
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

    fn peer(&self, folder: &str, manifest: &str) {
        let folder = self.path().join("peers").join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("peer.toml"), manifest).unwrap();
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn results(&self) -> PathBuf {
        self.path().join("results")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scoville"));
        command
            .arg("--home")
            .arg(self.path())
            .arg("--results")
            .arg(self.results())
            .args(arguments)
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Answer {
        Answer::of(self.command(arguments).output().unwrap())
    }

    /// The events of the only session.
    fn events(&self) -> Vec<Event> {
        let sessions = log::sessions(&self.results());
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        log::read(&self.results().join(&sessions[0])).unwrap().events
    }
}

fn section(name: &str, options: &str) -> String {
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
struct Answer {
    status: i32,
    out: String,
    err: String,
}

impl Answer {
    fn of(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    fn ends_with(&self, status: i32) -> &Self {
        assert_eq!(
            self.status, status,
            "stdout:\n{}\nstderr:\n{}",
            self.out, self.err
        );
        self
    }

    #[track_caller]
    fn says(&self, text: &str) -> &Self {
        let both = format!("{}{}", self.out, self.err);
        assert!(both.contains(text), "`{text}` is missing in:\n{both}");
        self
    }
}

const TWO: &[(&str, &str)] = &[("fast", "--sleep-ns 100000"), ("slow", "--sleep-ns 300000")];
const FEW: [&str; 7] = [
    "run",
    "--quick",
    "--blocks",
    "2",
    "--runtime",
    "fast,slow",
    "--cores=1",
];

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
fn unknown_names_are_answered_with_the_likely_one() {
    let checkout = Checkout::new(TWO);
    for (arguments, text) in [
        (
            &["run", "alhpa", "--runtime", "fast"][..],
            "no benchmark matches `alhpa`: did you mean `alpha`?",
        ),
        (
            &["run", "--runtime", "fsat"],
            "unknown runtime `fsat`: did you mean `fast`?",
        ),
        (
            &["run", "--runtime", "fast", "--preset", "quik"],
            "unknown preset `quik`: did you mean `quick`?",
        ),
        (
            &["run", "--runtime", "fast:cls"],
            "fast has no policies to choose from; write `fast`",
        ),
        (
            &["run", "--runtime", "fast", "--baseline", "slow"],
            "this runtime takes no part",
        ),
        (&["run", "--runtime", "fast", "--cores", "4096"], "ask for 1 to "),
        (
            &["run", "--runtime", "fast", "--budget", "soon"],
            "write it as 90s, 5m or 1h30m",
        ),
        (
            &["run", "--runtime", "a=fast,a=slow"],
            "two runtimes are called `a`",
        ),
        (&["show", "gamma"], "neither a benchmark nor a runtime"),
        (&["compare", "fast", "slow"], "there is no session in "),
        (&["run", "--resume", "lost"], "there is no session `lost` in "),
        (&["reprot"], "'report'"),
    ] {
        checkout.run(arguments).ends_with(2).says(text);
    }
    assert!(log::sessions(&checkout.results()).is_empty(), "nothing was begun");
}

#[test]
fn a_wrong_catalogue_stops_and_a_wrong_manifest_only_leaves_out() {
    let checkout = Checkout::new(TWO);
    checkout.peer("odd", "language = 7\n");
    checkout
        .run(&["list"])
        .ends_with(0)
        .says("peers/odd/peer.toml:1:12: invalid type");
    checkout.run(&FEW).ends_with(0).says("its runtimes are left out");
    let file = checkout.path().join("catalogue/alpha.toml");
    fs::write(
        &file,
        BENCHMARK
            .replace("NAME", "alpha")
            .replace("NUMBER", "1")
            .replace("symbol", "symbl"),
    )
    .unwrap();
    checkout
        .run(&["list"])
        .ends_with(2)
        .says("alpha.toml:13:1: unknown key `symbl`; did you mean `symbol`?");
}

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
    let folder = checkout.results().join(&log::sessions(&checkout.results())[0]);
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
    }
    let name = folder.file_name().unwrap().to_str().unwrap();
    let both = checkout.run(&["compare", name, name]);
    both.ends_with(0)
        .says("weaker evidence")
        .says("alpha quick on 1 fast");
}

/// One runtime has too much memory at 1500, one refuses more than 3000, one is wrong from the start.
#[test]
fn a_growth_session_from_plan_to_export() {
    let checkout = Checkout::new(&[
        ("heavy", "--allocate-per-n 80000"),
        ("fragile", "--most-n 3000"),
        ("wrong", "--result 41"),
    ]);
    let file = checkout.path().join("catalogue/alpha.toml");
    let text = fs::read_to_string(&file).unwrap();
    let growth = "[growth]\nparameter = \"n\"\nfrom = 1000\n\n[preset.tiny]";
    fs::write(&file, text.replace("[preset.tiny]", growth)).unwrap();
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
    assert_eq!(log::sessions(&checkout.results()), Vec::<String>::new());
    grow(all, &["beta"])
        .ends_with(2)
        .says("beta does not grow; what grows is: alpha");
    checkout
        .run(&["grow", "--memory=4GB"])
        .ends_with(2)
        .says("write it as 4GiB");
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
    let folder = checkout.results().join(&log::sessions(&checkout.results())[0]);
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
fn a_runtime_that_does_not_start_is_left_out_with_its_reason() {
    let checkout = Checkout::new(&[("fast", ""), ("mute", "--at start --do exit3")]);
    let answer = checkout.run(&["plan", "--runtime", "fast,mute", "--cores=1"]);
    answer
        .ends_with(0)
        .says("skipped  mute: does not start: instead of saying hello it ended with exit status: 3");
    checkout
        .run(&["run", "--runtime", "mute", "--cores=1"])
        .ends_with(2)
        .says("nothing can be run:\n  mute: does not start");
    checkout
        .run(&["verify", "--protocol", "--runtime", "mute"])
        .ends_with(4)
        .says("FAILED  says hello");
}

#[test]
fn a_variant_takes_part_only_when_it_is_named() {
    let checkout = Checkout::new(TWO);
    let variant = section("fast-lane", "").replace("title", "variant = true\ntitle");
    checkout.peer("lanes", &format!("language = \"Dummy\"\n{variant}"));
    let all = ["fast", "*", "fast,sl*"];
    let named = ["fast-lane", "fast,fast-lane", "f*", "**,fast-lane", "a=fast-lane"];
    for (patterns, part) in [(&all[..], false), (&named, true)] {
        for pattern in patterns {
            let answer = checkout.run(&["plan", "alpha", "--cores=1", "--runtime", pattern]);
            answer.ends_with(0);
            let table = answer.out.split("\n\n").nth(1).unwrap();
            let takes_part = table.contains("fast-lane") || table.contains(" a\n");
            assert_eq!(takes_part, part, "{pattern}:\n{}", answer.out);
        }
    }
    checkout
        .run(&["plan", "alpha", "--cores=1"])
        .ends_with(0)
        .says("skipped  fast-lane: a variant, measured only when asked for: --runtime fast-lane");
    checkout.run(&["list", "runtimes"]).says("fast-lane (variant)");
    checkout
        .run(&["show", "fast-lane"])
        .says("measured only when asked for");
    checkout
        .run(&[])
        .says("variants datil-batched  ")
        .says("  fast-lane   only when asked for");
    checkout
        .run(&["verify", "alpha", "--runtime", "fast*", "--cores=1"])
        .ends_with(0)
        .says("fast-lane (variant)");
}

#[test]
fn a_runtime_on_request_is_listed_as_such_and_runs_when_named() {
    let checkout = Checkout::new(TWO);
    let other = section("scenic-lane", "").replace("title", "on_request = true\ntitle");
    checkout.peer("lanes", &format!("language = \"Dummy\"\n{other}"));
    checkout
        .run(&["plan", "alpha", "--cores=1"])
        .ends_with(0)
        .says("skipped  scenic-lane: measured only when asked for: --runtime scenic-lane");
    checkout
        .run(&["list", "runtimes"])
        .says("scenic-lane (on request)");
    checkout
        .run(&["show", "scenic-lane"])
        .says("on request measured only when asked for: --runtime scenic-lane");
    checkout
        .run(&[])
        .says("others   scenic-lane   only when asked for");
    let plan = checkout.run(&["plan", "alpha", "--cores=1", "--runtime", "scenic*"]);
    assert!(!plan.out.contains("skipped"), "{}", plan.out);
}

#[test]
fn one_runtime_of_a_peer_may_need_more_than_the_others() {
    let checkout = Checkout::new(TWO);
    let more = "[[runtime.requires]]\nprogram = [\"no-such-program\"]\ninstall = \"apt-get install it\"\n";
    let manifest = format!(
        "language = \"Sh\"\n{}{more}{}",
        section("needy", ""),
        section("frugal", "")
    );
    checkout.peer("both", &manifest);
    checkout
        .run(&["doctor"])
        .says("no-such-program is not installed")
        .says("apt-get install it");
    checkout
        .run(&[
            "run",
            "alpha",
            "--quick",
            "--blocks=1",
            "--runtime=needy,frugal",
            "--cores=1",
        ])
        .ends_with(0)
        .says("skipped  needy: no-such-program is not installed; install it with: apt-get install it");
    checkout.run(&["show", "needy"]).says("no-such-program");
    let wrong = "[[runtime.requires]]\nprogram = [\"sh\"]\nminimum = \"soon\"\ninstall = \"\"\n";
    checkout.peer(
        "wrong",
        &format!("language = \"Sh\"\n{}{wrong}", section("wrong", "")),
    );
    checkout.run(&["doctor"]).says("`soon` is not a version");
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
fn builds_are_cached_and_failures_keep_their_log() {
    let checkout = Checkout::new(TWO);
    let build = |script: &str| {
        format!(
            "language = \"Sh\"\n[build]\ncommand = [\"sh\", \"-c\", {script:?}]\ninputs = [\"peer.toml\"]\n"
        )
    };
    checkout.peer(
        "good",
        &format!("{}{}", build("echo built > {out}/x"), section("good", "")),
    );
    checkout.peer(
        "bad",
        &format!("{}{}", build("echo no compiler; exit 1"), section("bad", "")),
    );
    checkout
        .run(&["build"])
        .ends_with(4)
        .says("good       built")
        .says("no compiler")
        .says("bad.build.log");
    checkout
        .run(&["build", "good"])
        .ends_with(0)
        .says("good       up to date");
    checkout
        .run(&["plan", "--runtime", "good,bad", "--cores=1"])
        .ends_with(0);
    let run = [
        "run",
        "alpha",
        "--quick",
        "--blocks",
        "1",
        "--runtime",
        "good,bad",
        "--cores=1",
    ];
    checkout
        .run(&run)
        .ends_with(0)
        .says("skipped  bad: cannot be built");
}

#[test]
fn a_runtime_that_was_not_made_does_not_hide_the_others_of_its_peer() {
    let checkout = Checkout::new(TWO);
    let more = "[[runtime.requires]]\nprogram = [\"no-such-program\"]\ninstall = \"apt-get install it\"\n";
    let recipe = "[build]\ncommand = [\"sh\", \"-c\", \"touch {out}/one; echo no library\"]\ninputs = [\"peer.toml\"]\n";
    let runtime = |name| section(name, "").replace("title", &format!("output = \"{{out}}/{name}\"\ntitle"));
    checkout.peer(
        "pair",
        &format!(
            "language = \"Sh\"\n{recipe}{}{}{}{more}",
            runtime("one"),
            runtime("other"),
            runtime("third")
        ),
    );
    checkout
        .run(&["build", "one", "other"])
        .ends_with(4)
        .says("pair       built")
        .says("other      FAILED: pair: ")
        .says("pair/other was not made")
        .says("no library");
    checkout
        .run(&["build", "one", "third"])
        .ends_with(0)
        .says("up to date")
        .says("third      left out: no-such-program is not installed");
    checkout
        .run(&[
            "run",
            "alpha",
            "--quick",
            "--blocks=1",
            "--runtime",
            "one,other",
            "--cores=1",
        ])
        .ends_with(0)
        .says("skipped  other: cannot be built: pair: ");
}

#[test]
fn a_session_goes_on_only_with_the_builds_that_it_measured() {
    let checkout = Checkout::new(TWO);
    let recipe = "[build]\ncommand = [\"cp\", \"source\", \"{out}/program\"]\ninputs = [\"source\"]\n";
    let manifest = format!("language = \"Sh\"\n{recipe}{}", section("made", ""));
    checkout.peer("made", &manifest);
    let build = |source: &str| {
        fs::write(checkout.path().join("peers/made/source"), source).unwrap();
        checkout.run(&["build", "made"]).ends_with(0);
    };
    build("first");
    checkout
        .run(&["run", "--quick", "--blocks=2", "--runtime=fast,made", "--cores=1"])
        .ends_with(0);
    build("second");
    checkout
        .run(&["run", "--resume"])
        .ends_with(2)
        .says("built anew since this session was measured: made; ");
    build("first");
    checkout.run(&["run", "--resume"]).ends_with(0);
    let events = checkout.events();
    let (_, machine) = opening(&events);
    assert!(machine.facts["build of fast"].value().is_some(), "{machine:?}");
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

/// Ends a child whatever becomes of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn start(checkout: &Checkout, arguments: &[&str]) -> Self {
        let mut command = checkout.command(arguments);
        Self(
            command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        )
    }

    fn signal(&self, signal: libc::c_int) {
        // SAFETY: kill has no memory effects; the child is ours and not yet waited for.
        assert_eq!(unsafe { libc::kill(self.0.id() as libc::pid_t, signal) }, 0);
    }

    /// Waits until the session's log has so many lines; false if the program ended before.
    fn reached(&mut self, checkout: &Checkout, lines: usize) -> bool {
        let started = Instant::now();
        loop {
            let written = log::sessions(&checkout.results()).last().map_or(0, |name| {
                let text = fs::read(checkout.results().join(name).join(log::FILE)).unwrap_or_default();
                text.iter().filter(|&&b| b == b'\n').count()
            });
            if written >= lines {
                return true;
            }
            if self.0.try_wait().unwrap().is_some() {
                return false;
            }
            assert!(
                started.elapsed() < Duration::from_secs(120),
                "only {written} lines"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Processes whose command line holds `needle`.
fn processes_with(needle: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(needle).then_some(line)
    });
    lines.collect()
}

fn assert_nobody_left(needle: &str) {
    let started = Instant::now();
    while !processes_with(needle).is_empty() {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "{:?}",
            processes_with(needle)
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn assert_complete(events: &[Event], blocks: usize) {
    let (plan, _) = opening(events);
    let progress = Progress::replay(plan, events).unwrap();
    assert_eq!(progress.ended, Some(StopReason::Max));
    for (state, group) in progress.groups.iter().zip(&plan.groups) {
        assert_eq!(state.settled.unwrap().blocks as usize, blocks);
        for block in &state.blocks {
            assert!(block.closed);
            assert_eq!(block.done.len(), group.competitors.len(), "every competitor once");
        }
    }
}

#[test]
fn ctrl_c_once_ends_after_the_invocation_and_twice_at_once() {
    // The second kind would take a minute per iteration, so only ending it at once can end it soon.
    for (presses, nap) in [(1, "--sleep-ns 20000000"), (2, "--sleep-ns 60000000000")] {
        let tag = format!(
            "--start-ns {}",
            1_000_000 + u64::from(std::process::id()) * 10 + presses
        );
        let checkout = Checkout::new(&[("slow", &format!("{nap} {tag}"))]);
        let arguments = [
            "run",
            "alpha",
            "--quick",
            "--blocks",
            "50",
            "--runtime",
            "slow",
            "--cores=1",
        ];
        let mut running = Running::start(&checkout, &arguments);
        assert!(running.reached(&checkout, 2), "it ended early");
        running.signal(libc::SIGINT);
        if presses == 2 {
            // Two signals that are pending together are one: the second must come after the first was taken.
            std::thread::sleep(Duration::from_millis(300));
            running.signal(libc::SIGINT);
        }
        let status = running.0.wait().unwrap();
        assert_eq!(status.code(), Some(130));
        let events = checkout.events();
        let (plan, _) = opening(&events);
        assert_eq!(
            Progress::replay(plan, &events).unwrap().ended,
            Some(StopReason::User)
        );
        assert_nobody_left(&tag);
    }
}

/// Fifty times: a session is killed without warning at some moment and resumed, again and again until it is complete.
#[test]
fn kill_9_at_fifty_moments_loses_nothing() {
    const BLOCKS: usize = 6;
    const KILLS: usize = 50;
    let tag = format!("--start-ns {}", 500_000 + std::process::id());
    let quick = format!("--sleep-ns 200000 {tag}");
    let arguments = [
        "run",
        "--quick",
        "--blocks",
        "6",
        "--runtime",
        "fast,slow",
        "--cores=1",
        "--preset",
        "tiny",
    ];
    let mut moment = 0x9E37_79B9_7F4A_7C15_u64;
    let mut kills = 0;
    while kills < KILLS {
        let checkout = Checkout::new(&[("fast", &quick), ("slow", &quick)]);
        let mut running = Running::start(&checkout, &arguments);
        assert!(running.reached(&checkout, 1), "it ended before it began");
        let mut before: Vec<Event> = Vec::new();
        loop {
            moment = moment
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            std::thread::sleep(Duration::from_micros(moment >> 47));
            running.signal(libc::SIGKILL);
            let status = running.0.wait().unwrap();
            assert_nobody_left(&tag);
            let events = checkout.events();
            assert_eq!(events[..before.len()], before[..], "what was written stays");
            before = events;
            if status.success() {
                break;
            }
            kills += 1;
            if kills >= KILLS {
                checkout.run(&["run", "--resume"]).ends_with(0);
                break;
            }
            let lines = before.len();
            running = Running::start(&checkout, &["run", "--resume"]);
            running.reached(&checkout, lines + 1);
        }
        let events = checkout.events();
        assert_eq!(events[..before.len()], before[..]);
        assert_complete(&events, BLOCKS);
    }
}
