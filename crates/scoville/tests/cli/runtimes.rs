//! Which runtimes take part, and how they are built.

use std::fs;

use scoville::log;

use crate::checkout::{Checkout, TWO, section};

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

/// Whoever names a runtime and does not get it has not got what was asked for; what nobody named may be missing.
#[test]
fn what_was_named_and_is_left_out_is_no_success() {
    let checkout = Checkout::new(&[("fast", "--work 1,1"), ("mute", "--at start --do exit3")]);
    let failing = "[build]\ncommand = [\"false\"]\ninputs = [\"peer.toml\"]\n";
    let lacking = "[[requires]]\nprogram = [\"no-such-program\"]\ninstall = \"apt-get install it\"\n";
    for (name, part) in [("unbuilt", failing), ("needy", lacking)] {
        checkout.peer(name, &format!("language = \"Sh\"\n{part}{}", section(name, "")));
    }
    let few = [
        "run",
        "alpha",
        "--quick",
        "--blocks=1",
        "--cores=1",
        "--preset=tiny",
    ];
    for command in [&few[..], &["verify", "alpha", "--cores=1"]] {
        let with = |runtimes: &str| checkout.run(&[command, &["--runtime", runtimes]].concat());
        for (runtimes, told) in [
            ("fast,mute", "instead of "),
            ("fast,unbuilt", "cannot be built: unbuilt: "),
            ("fast,needy", "no-such-program is not installed"),
            ("fast,n*", "no-such-program is not installed"),
        ] {
            with(runtimes).ends_with(4).says(told);
        }
        with("fast").ends_with(0);
    }
    for runtime in ["unbuilt", "needy"] {
        checkout
            .run(&["verify", "--protocol", "--runtime", runtime])
            .ends_with(4)
            .says("  left out: ");
    }
    let bare = Checkout::new(&[("fast", "")]);
    bare.peer(
        "needy",
        &format!("language = \"Sh\"\n{lacking}{}", section("needy", "")),
    );
    let without = "no-such-program is not installed";
    bare.run(&["build", "needy"]).ends_with(4).says(without);
    bare.run(&["build"]).ends_with(0).says(without);
    bare.run(&["verify", "alpha", "--cores=1", "--runtime=fast,*"])
        .ends_with(0)
        .says(without);
}

/// It would be waited for, and kept, as long as it went on.
#[test]
fn a_greeting_without_an_end_is_none() {
    let checkout = Checkout::new(&[("endless", "--at hello --do huge-line")]);
    checkout
        .run(&["plan", "--runtime", "endless", "--cores=1"])
        .ends_with(2)
        .says("endless: does not start: instead of hello came a line that is no JSON object: xxx");
}

/// A full disk, perhaps after hours, takes away the note of what was found out, and not what was found out.
#[test]
fn verify_tells_what_it_cannot_keep() {
    let checkout = Checkout::new(&[("fast", ""), ("liar", "--result 7")]);
    fs::create_dir_all(checkout.results().join("verified.jsonl")).unwrap();
    let verify = |runtimes| checkout.run(&["verify", "alpha", "--cores=1", "--runtime", runtimes]);
    for (runtimes, status, mark) in [("fast", 2, " ok"), ("fast,liar", 3, " WRONG")] {
        verify(runtimes)
            .ends_with(status)
            .says(mark)
            .says("not kept for `list matrix`: ");
    }
}

/// Whoever writes a peer sees why it died: a trace is on its standard error, and nowhere else.
#[test]
fn the_last_that_a_failing_runtime_printed_is_shown() {
    let checkout = Checkout::new(&[
        ("stillborn", "--at start --do crash"),
        ("short-lived", "--at begin --do crash"),
    ]);
    let arguments = |more: &[&'static str]| [&["alpha", "--cores=1"], more].concat();
    let verify = [&["verify"][..], &arguments(&["--runtime=short-lived"])].concat();
    checkout
        .run(&verify)
        .ends_with(4)
        .says("\nalpha tiny on 1 / short-lived: iteration 0: was ended by signal 11")
        .says("while the laboratory waited for `end`\n    last words on std");
    let run = arguments(&["--runtime=short-lived", "--quick", "--blocks=1"]);
    checkout
        .run(&[&["run"][..], &run].concat())
        .ends_with(4)
        .says("alpha quick on 1 / short-lived: FAILED: iteration 0: was ended by signal 11")
        .says("while the laboratory waited for `end`\n    last words on std");
    for runtime in ["--runtime=stillborn", "--runtime=short-lived"] {
        checkout
            .run(&["verify", "--protocol", runtime])
            .ends_with(4)
            .says("came the end of the conversation\n              last words on std");
    }
    let plan = [&["plan"][..], &arguments(&["--runtime=stillborn"])].concat();
    checkout.run(&plan).says("; its last words: last words on std");
}

#[test]
fn the_protocol_is_checked_with_as_many_workers_as_were_asked_for() {
    let checkout = Checkout::new(&[("single", "--workers 1 --at begin --do fail-failed")]);
    let verify =
        |more: &[&str]| checkout.run(&[&["verify", "--protocol", "--runtime=single"], more].concat());
    verify(&[]).says("it uses 1 worker, it was told to use 2");
    verify(&["--cores=1"]).says("ok      says hello with its name, version and workers");
    verify(&["--cores=1,2"])
        .says("ok      says hello")
        .says("it was told to use 2");
    verify(&["--cores=0"]).ends_with(2).says("at least one worker");
    checkout
        .run(&["verify", "alpha", "--cores=2", "--runtime=single"])
        .says("reports 1; if it can have no more, `--cores 1` asks for so many");
}

#[test]
fn verify_ends_an_iteration_that_takes_too_long_and_says_how_to_allow_more() {
    let checkout = Checkout::new(&[("stuck", "--at end --do hang")]);
    let verify =
        |time: &str| checkout.run(&["verify", "alpha", "--cores=1", "--runtime=stuck", "--time", time]);
    verify("1s")
        .ends_with(4)
        .says("did not come to `end` within 1 s")
        .says("`--time` allows an iteration more");
    for nonsense in ["0s", "soon", "9"] {
        verify(nonsense).ends_with(2).says("write it as 90s, 5m or 1h30m");
    }
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
    let list = checkout.run(&["list", "runtimes"]);
    list.says("fast-lane (variant)").says("what they can run");
    let widest = list.out.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(120), "{}", list.out);
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
        .ends_with(4)
        .says("skipped  needy: no-such-program is not installed; install it with: apt-get install it");
    checkout.run(&["show", "needy"]).says("no-such-program");
    let untold = "[[requires]]\nprogram = [\"no-such-tool\"]\ninstall = \"\"\n";
    checkout.peer(
        "untold",
        &format!("language = \"Sh\"\n{untold}{}", section("untold", "")),
    );
    checkout
        .run(&["plan", "--runtime=untold", "--cores=1"])
        .says("untold: no-such-tool is not installed\n");
    let wrong = "[[runtime.requires]]\nprogram = [\"sh\"]\nminimum = \"soon\"\ninstall = \"\"\n";
    checkout.peer(
        "wrong",
        &format!("language = \"Sh\"\n{}{wrong}", section("wrong", "")),
    );
    checkout.run(&["doctor"]).says("`soon` is not a version");
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
        .ends_with(4)
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
        .ends_with(4)
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
        .ends_with(4)
        .says("skipped  other: cannot be built: pair: ");
}

/// A peer whose greeting, words and last words try to steer the terminal of whoever reads them.
const WILD: &str = r#"
hello() { printf '{"type":"hello","protocol":1,"runtime":"%s","version":"1\\u001b[31m","language":"\\u001b[32m","workers":1,"benchmarks":["alpha","beta"]}\n' "$1" >&3; }
case $1 in
    mute) printf 'no\033[2J\rway\n' >&2; exit 3 ;;
    liar) hello 'wild\u001b[1m' ;;
    *) hello wild ;;
esac
while read -r line <&3; do
    case $line in
        *bye*) printf '{"type":"bye"}\n' >&3; exit ;;
        *alpha*) printf '{"type":"fail","code":"unsupported","message":"not\\u001b]0;title\\u0007 here\\u007f\\r"}\n' >&3 ;;
        *) printf 'last\033[2J\rwords\n' >&2; exit 3 ;;
    esac
done
"#;

#[test]
fn what_a_runtime_says_does_not_steer_the_terminal_and_is_kept_as_it_was() {
    let checkout = Checkout::new(&[]);
    let runtime = |name: &str| {
        format!(
            "[[runtime]]\nname = {name:?}\ntitle = {name:?}\ncommand = [\"sh\", \"-c\", {WILD:?}, \"sh\", {name:?}]\n"
        )
    };
    let needs = r#"[[requires]]
program = ["sh", "-c", "printf 'broken\\033[2J\\n'; exit 1"]
install = ""
"#;
    let peers = ["wild", "mute", "liar"].map(runtime).concat();
    checkout.peer("wild", &format!("language = \"Sh\"\n{peers}"));
    checkout.peer(
        "needy",
        &format!("language = \"Sh\"\n{needs}{}", section("needy", "")),
    );
    let quick = ["run", "--quick", "--blocks=1", "--cores=1", "--runtime=wild"];
    for (arguments, shown) in [
        (&["doctor"][..], "broken\\u{1b}[2J"),
        (&["list"], "broken\\u{1b}[2J"),
        (&["plan", "--cores=1"], "no\\u{1b}[2J\\rway"),
        (
            &["verify", "--cores=1", "--runtime=wild"],
            "last\\u{1b}[2J\\rwords",
        ),
        (&["list", "matrix"], "not\\u{1b}]0;title\\u{7} here\\u{7f}\\r"),
        (
            &["verify", "--protocol", "--cores=1", "--runtime=liar"],
            "wild\\u{1b}[1m",
        ),
        (&["verify", "--protocol", "--runtime=mute"], "no\\u{1b}[2J\\rway"),
        (&quick, "last\\u{1b}[2J\\rwords"),
        (&["status"], ""),
    ] {
        let answer = checkout.run(arguments);
        answer.says(shown);
        let both = format!("{}{}", answer.out, answer.err);
        let steering = both.replace(['\n', '\t'], "");
        assert!(!steering.contains(char::is_control), "{arguments:?}: {both:?}");
    }
    let session = &log::sessions(&checkout.results()).unwrap()[0];
    let page = fs::read_to_string(checkout.results().join(session).join("report.html")).unwrap();
    assert!(page.contains("not\\u{1b}]0;title\\u{7} here\\u{7f}\\r"));
    assert!(!page.replace(['\n', '\t'], "").contains(char::is_control));
    // What is for programs has its own way to write most of them, and the others stand there as they are.
    for format in ["jsonl", "json"] {
        checkout
            .run(&["export", "--format", format])
            .ends_with(0)
            .says("1\\u001b[31m")
            .says("last\\u001b[2J\\rwords")
            .says("not\\u001b]0;title\\u0007 here\u{7f}\\r");
    }
}
