//! What a user may get wrong, and what the machine may refuse: an error says what, where, and what to do.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use scoville::log;

use crate::checkout::{Answer, BENCHMARK, Checkout, FEW, TWO, section};

#[test]
fn unknown_names_are_answered_with_the_likely_one() {
    let checkout = Checkout::new(TWO);
    for (arguments, text) in [
        (
            &["run", "alhpa", "--runtime", "fast"][..],
            "no benchmark matches `alhpa`: did you mean `alpha`?",
        ),
        (
            &["run", "fast", "slow"],
            "no benchmark matches `fast`: it is a runtime, so write --runtime fast",
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
        (
            &["run", "--runtime", "slow=fast"],
            "`slow` is a runtime, and nothing else may pass for it",
        ),
        (
            &["build", "fsat"],
            "scoville: unknown runtime `fsat`: did you mean `fast`?",
        ),
        (&["show", "gamma"], "neither a benchmark nor a runtime"),
        (
            &["show", "fast:cls"],
            "fast has no policies to choose from; write `fast`",
        ),
        (&["compare", "fast", "slow"], "there is no session in "),
        (&["run", "--resume", "lost"], "there is no session `lost` in "),
        (&["reprot"], "'report'"),
    ] {
        checkout.run(arguments).ends_with(2).says(text);
    }
    assert!(
        log::sessions(&checkout.results()).unwrap().is_empty(),
        "nothing was begun"
    );
}

#[test]
fn arguments_that_are_no_text_are_refused_or_taken_for_paths() {
    let checkout = Checkout::new(TWO);
    let with = |arguments: &[&OsStr]| {
        let mut command = checkout.command(&[]);
        Answer::of(command.args(arguments).output().unwrap())
    };
    let odd = OsStr::from_bytes(b"odd\xff");
    with(&["show".as_ref(), odd]).ends_with(2).says("invalid UTF-8");
    let results = checkout.path().join(odd);
    Answer::of(checkout.command_in(&results, &FEW).output().unwrap()).ends_with(0);
    assert_eq!(log::sessions(&results).unwrap().len(), 1);
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
    for unknown in ["odd", "odd*"] {
        checkout
            .run(&["verify", "--runtime", unknown])
            .ends_with(2)
            .says("wrong manifests, whose runtimes are not known:\n  ")
            .says("peers/odd/peer.toml:1:12: invalid type");
    }
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

/// Somebody has a file open: nothing but that file may be wrong.
#[test]
fn what_an_editor_keeps_beside_a_definition_is_none() {
    let checkout = Checkout::new(TWO);
    let catalogue = checkout.path().join("catalogue");
    std::os::unix::fs::symlink("somebody@somewhere.1:2", catalogue.join(".#alpha.toml")).unwrap();
    for name in ["alpha.toml~", "#alpha.toml#", ".alpha.toml.swp", "._alpha.toml"] {
        fs::write(catalogue.join(name), "half a").unwrap();
    }
    checkout
        .run(&["plan", "alpha", "--runtime=fast", "--cores=1"])
        .ends_with(0);
    fs::write(catalogue.join("gamma.toml"), "half a").unwrap();
    checkout
        .run(&["list"])
        .ends_with(2)
        .says("catalogue/gamma.toml:1:");
    fs::remove_file(catalogue.join("gamma.toml")).unwrap();
    std::os::unix::fs::symlink("nowhere", catalogue.join("gamma.toml")).unwrap();
    checkout
        .run(&["list"])
        .ends_with(2)
        .says("catalogue/gamma.toml: cannot be read: No such file");
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let checkout = Checkout::new(TWO);
    for arguments in [
        &["plan", "--resume"][..],
        &["plan", "--dry-run"],
        &["run", "--resume", "--dry-run"],
        &["run", "--resume", "--blocks=3"],
        &["verify", "alpha", "--protocol"],
        &["verify", "--protocol", "--preset=quick"],
        &["verify", "--protocol", "--time=9m"],
    ] {
        let answer = checkout.run(arguments);
        assert!(answer.ends_with(2).err.starts_with("error: "), "{arguments:?}");
    }
}

/// A build may take minutes, after which nobody wants to hear of a typing error, nor look for it among warnings.
#[test]
fn a_wrong_request_is_refused_before_anything_else() {
    let checkout = Checkout::new(TWO);
    checkout.peer("odd", "language = 7\n");
    let recipe = "[build]\ncommand = [\"touch\", \"{out}/program\"]\ninputs = [\"peer.toml\"]\n";
    checkout.peer(
        "made",
        &format!("language = \"Sh\"\n{recipe}{}", section("made", "")),
    );
    let run = |arguments: &[&str]| checkout.run(&[arguments, &["--runtime", "fast,made"]].concat());
    for (arguments, text) in [
        (&["run", "alhpa"][..], "did you mean `alpha`?"),
        (&["run", "--preset", "quik"], "did you mean `quick`?"),
        (&["run", "--cores", "0"], "ask for 1 to "),
        (&["run", "--baseline", "slow"], "this runtime takes no part"),
        (&["verify", "alhpa"], "did you mean `alpha`?"),
        (&["verify", "--cores", "4096"], "ask for 1 to "),
        (&["grow", "alhpa"], "did you mean `alpha`?"),
        (&["grow", "alpha"], "alpha does not grow"),
    ] {
        let answer = run(arguments);
        answer.ends_with(2).says(text);
        assert!(answer.err.starts_with("scoville: "), "{}", answer.err);
    }
    run(&["run", "alpha", "--quick", "--blocks=1", "--cores=1"])
        .ends_with(0)
        .says("its runtimes are left out")
        .says("build    made ...");
}

#[test]
fn results_that_cannot_be_kept_are_told_before_anything_is_measured() {
    let checkout = Checkout::new(TWO);
    fs::write(checkout.results(), "a file, not a folder").unwrap();
    let answer = checkout.run(&FEW);
    answer
        .ends_with(2)
        .says("no session can be kept in ")
        .says("name another folder with --results");
    assert_eq!(answer.err.matches("os error").count(), 1, "{}", answer.err);
    assert!(!answer.err.contains("plan  "), "{}", answer.err);
    checkout
        .run(&["verify", "alpha"])
        .ends_with(2)
        .says("nothing that is found out can be kept in ")
        .says("name another folder with --results");
    for arguments in [&["status"][..], &["report"], &["run", "--resume"], &[]] {
        checkout
            .run(arguments)
            .ends_with(2)
            .says("cannot be read; mend that, or name another folder with --results: Not a directory");
    }
}

/// It may be the last session, or the one that was meant.
#[test]
fn a_folder_that_cannot_be_looked_into_is_told() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    let name = log::sessions(&checkout.results()).unwrap().remove(0);
    let closed = checkout.results().join("closed");
    std::os::unix::fs::symlink("closed", &closed).unwrap();
    let told = format!(
        "the sessions in {} cannot be read; mend that, or name another folder with --results: ",
        closed.display()
    );
    for arguments in [
        &["status"][..],
        &["status", "lost"],
        &["compare", "fast", "slow"],
        &["compare", "fast", "fsat", "--session", &name],
        &[],
    ] {
        checkout.run(arguments).ends_with(2).says(&told);
    }
    checkout.run(&["status", &name]).ends_with(0);
}

/// Runs the program where no file may become longer than so many bytes, which is how a full disk looks to it.
fn run_with_little_room(checkout: &Checkout, bytes: u64, arguments: &[&str]) -> Answer {
    let scoville = checkout.command(arguments);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f $1; shift; exec \"$@\"", "sh"])
        .arg((bytes / 512).to_string())
        .arg(scoville.get_program())
        .args(scoville.get_args())
        .current_dir(checkout.path())
        .stdin(Stdio::null());
    Answer::of(limited.output().unwrap())
}

#[test]
fn a_disk_that_fills_up_costs_no_result() {
    let checkout = Checkout::new(TWO);
    let run = [
        "run",
        "alpha",
        "--quick",
        "--blocks=12",
        "--runtime=fast",
        "--cores=1",
    ];
    let answer = run_with_little_room(&checkout, 24 << 10, &run);
    answer
        .ends_with(2)
        .says("what was measured is kept")
        .says("log.jsonl cannot be read or written: File too large");
    let measured = checkout.events();
    assert!(measured.len() > 1, "{measured:?}");
    let name = &log::sessions(&checkout.results()).unwrap()[0];
    answer.says(&format!("scoville run --resume {name}"));
    checkout.run(&["run", "--resume", name]).ends_with(0);
    assert_eq!(checkout.events()[..measured.len()], measured);
}

#[test]
fn a_log_that_is_no_file_is_told() {
    let checkout = Checkout::new(TWO);
    fs::create_dir_all(checkout.results().join("odd").join(log::FILE)).unwrap();
    for arguments in [&["status", "odd"][..], &["status"]] {
        let answer = checkout.run(arguments);
        answer
            .ends_with(2)
            .says("odd/log.jsonl cannot be read")
            .says("Is a directory");
    }
}

#[test]
fn half_a_report_is_none() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    let page = checkout
        .results()
        .join(&log::sessions(&checkout.results()).unwrap()[0]);
    let page = page.join("report.html");
    let whole = fs::read(&page).unwrap();
    let name = page.parent().unwrap().file_name().unwrap().to_str().unwrap();
    run_with_little_room(&checkout, 16 << 10, &["report"])
        .ends_with(2)
        .says("report.html; the results are kept")
        .says(&format!("scoville report {name}"));
    assert_eq!(fs::read(&page).unwrap(), whole, "the older report stays");
    let kept = fs::read_dir(page.parent().unwrap()).unwrap().count();
    assert_eq!(kept, 2, "the log and the report");
}

#[test]
fn a_page_that_no_browser_shows_is_told() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    let programs = checkout.path().join("programs");
    fs::create_dir(&programs).unwrap();
    let browser = programs.join("xdg-open");
    fs::write(&browser, "#!/bin/sh\nexit 3\n").unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let mut report = checkout.command(&["report", "--open"]);
    Answer::of(report.env("PATH", &programs).output().unwrap())
        .ends_with(2)
        .says("xdg-open ended with exit status: 3; open the page yourself: ")
        .says("report.html");
}

#[test]
fn an_export_that_cannot_be_written_is_an_error() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut export = checkout.command(&["export", "--format", "csv"]);
    Answer::of(export.stdout(full).output().unwrap())
        .ends_with(2)
        .says("standard output cannot be written: No space left on device");
}

#[test]
fn what_cannot_be_printed_is_still_measured_and_reported() {
    let checkout = Checkout::new(TWO);
    let to_full = |arguments: &[&str]| {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        Answer::of(checkout.command(arguments).stdout(full).output().unwrap())
    };
    for command in [&FEW[..], &["completions", "bash"], &["man"]] {
        to_full(command)
            .ends_with(2)
            .says("standard output cannot be written: ");
    }
    let folder = checkout
        .results()
        .join(&log::sessions(&checkout.results()).unwrap()[0]);
    assert!(folder.join("report.html").is_file());
}

#[test]
fn a_damaged_log_is_told_with_its_line_and_the_way_on() {
    let checkout = Checkout::new(TWO);
    checkout.run(&FEW).ends_with(0);
    let log = checkout
        .results()
        .join(&log::sessions(&checkout.results()).unwrap()[0]);
    let log = log.join(log::FILE);
    let sound = fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = sound.split_inclusive('\n').collect();
    let newer = sound.replacen("\"log_version\":1", "\"log_version\":1000", 1);
    let damaged = format!("{}garbage\n{}", lines[..6].concat(), lines[6..].concat());
    let incomplete = format!("{}{}", lines[..1].concat(), lines[2..].concat());
    for (text, told) in [
        (
            &newer[..],
            "format version 1000, this scoville reads version 1; use the scoville that wrote it",
        ),
        (
            &damaged,
            "log.jsonl:7: this line is damaged (expected value at line 1 column 1); the lines before it are sound: to go on from there, keep the first 6 lines and resume",
        ),
        (
            "garbage\n",
            "log.jsonl:1: this line is damaged (expected value at line 1 column 1); the session is lost",
        ),
        ("", "the session was cut off before anything was measured"),
        (
            &incomplete,
            "log.jsonl:2: this line does not fit the ones before it (block 0 of alpha is not open); to go on from those, keep the first 1 line and resume",
        ),
    ] {
        fs::write(&log, text).unwrap();
        for arguments in [
            &["status"][..],
            &["report"],
            &["export", "--format=json"],
            &["compare", "fast", "slow"],
            &["run", "--resume"],
        ] {
            checkout.run(arguments).ends_with(2).says(told);
        }
    }
    // As the error advises.
    fs::write(&log, lines[..6].concat()).unwrap();
    checkout.run(&["run", "--resume"]).ends_with(0);
    checkout.run(&["status"]).says("complete");
}
