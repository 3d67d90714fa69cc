//! `scoville simulate` as a user meets it. It needs no checkout: programs, policies and machines are part of the
//! program.

use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, Command, Output, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scoville"));
    command.args(arguments).current_dir(std::env::temp_dir());
    // There no terminal shows a bar.
    command.env_remove("CI");
    command
}

fn scoville(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program runs")
}

fn printed(arguments: &[&str]) -> String {
    let output = scoville(arguments);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

fn refused(arguments: &[&str]) -> String {
    let output = scoville(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn a_table_says_that_nothing_was_measured() {
    let text = printed(&[
        "simulate",
        "big",
        "--policy",
        "cls-tp,lgs",
        "--workers",
        "8,16",
        "--set",
        "pings=20",
    ]);
    assert!(
        text.starts_with("Simulated, not measured: machine opteron"),
        "{text}"
    );
    assert_eq!(
        text.lines()
            .filter(|line| line.trim_start().starts_with("big"))
            .count(),
        4,
        "{text}"
    );
}

/// A simulation that takes little.
const SMALL: [&str; 6] = ["simulate", "philosopher", "--policy", "cls-tp", "--workers", "4"];

/// One seed says nothing of chance; nor does a spread of nothing.
#[test]
fn the_spread_of_a_single_seed_is_unknown() {
    let with_seeds = |number| printed(&[&SMALL[..], &["--seeds", number]].concat());
    let one = with_seeds("1");
    assert!(
        one.contains("unknown: one seed") && one.contains(", seed 1."),
        "{one}"
    );
    let two = with_seeds("2");
    assert!(!two.contains("unknown"), "{two}");
    assert!(two.contains(", seeds 1 to 2, means shown."), "{two}");
}

/// The run on one worker may take longer than all that was asked for. What follows from it is unknown without it, not zero.
/// Two equal runs would have a spread of 0.
#[test]
fn what_is_named_twice_is_simulated_once() {
    let text = printed(&[
        "simulate",
        "big",
        "big",
        "--policy=cls-tp,cls-tp",
        "--workers=2,2",
        "--set=pings=2",
        "--set=actors=4",
    ]);
    assert_eq!(text.matches("unknown: one seed").count(), 1, "{text}");
    let rows = text.lines().filter(|line| line.trim_start().starts_with("big"));
    assert_eq!(rows.count(), 1, "{text}");
    let twice = refused(&["simulate", "big", "--set=pings=2", "--set=pings=3"]);
    assert!(twice.contains("--set pings: it is set twice"), "{twice}");
}

/// A script that asks for JSON must not be given a list for people.
#[test]
fn options_without_a_benchmark_are_refused() {
    for option in ["--json", "--workers=2", "--html=page.html", "--policy=lgs"] {
        let told = refused(&["simulate", option]);
        assert!(told.contains("<BENCHMARK>"), "{told}");
    }
}

#[test]
fn the_speed_up_can_be_left_out() {
    let left_out = |more: &[&str]| printed(&[&SMALL[..], &["--no-speed-up"], more].concat());
    let table = left_out(&[]);
    assert!(table.contains("unavailable: left out"), "{table}");
    let parsed = |text: &str| -> serde_json::Value { serde_json::from_str(text).expect("JSON") };
    let without = parsed(&left_out(&["--json"]));
    let with = parsed(&printed(&[&SMALL[..], &["--json"]].concat()));
    let speed_up = |output: &serde_json::Value| output["rows"][0]["speed_up"].clone();
    assert_eq!(speed_up(&without), serde_json::Value::Null);
    assert!(speed_up(&with).as_f64().expect("a number") > 0.0);
    assert_eq!(without["rows"][0]["run"], with["rows"][0]["run"]);
}

/// Zero is a control: nothing lies farther away than the own node, so that other distances must take longer.
#[test]
fn hops_may_take_no_time_at_all() {
    let makespan = |hops| {
        let text = printed(&[
            "simulate",
            "pingpong",
            "--policy",
            "lgs",
            "--workers",
            "64",
            "--set",
            "pings=200",
            "--hops",
            hops,
            "--json",
        ]);
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let costs = &value["costs"];
        for costs in [&costs["memory"], &costs["line"]] {
            let costs = costs.as_array().expect("a cost per step");
            assert_eq!(
                costs.iter().all(|cost| *cost == costs[0]),
                hops == "0",
                "{costs:?}"
            );
        }
        value["rows"][0]["run"]["makespan"].as_u64().expect("a time")
    };
    assert!(makespan("0") < makespan("1"));
    for hops in ["-1", "101", "nan", "half"] {
        assert!(refused(&["simulate", "pingpong", &format!("--hops={hops}")]).contains("from 0 to 100"));
    }
}

#[test]
fn units_may_take_longer_in_turn() {
    let output = |paces: &[&str]| {
        let text = printed(&[&SMALL[..], paces, &["--json"]].concat());
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    let makespan =
        |output: &serde_json::Value| output["rows"][0]["run"]["makespan"].as_u64().expect("a time");
    let (alike, uneven) = (output(&[]), output(&["--paces=2,3"]));
    assert_eq!(alike["paces"], serde_json::json!([]));
    assert_eq!(uneven["paces"], serde_json::json!([2.0, 3.0]));
    assert_eq!(uneven["machine"], "opteron, units slower by 2 and 3 in turn");
    assert!(makespan(&uneven) > makespan(&alike));
    for paces in ["0", "1,101", "1,", "nan", "fast"] {
        let told = refused(&["simulate", "pingpong", &format!("--paces={paces}")]);
        assert!(told.contains("from 0.01 to 100"), "{told}");
    }
}

/// Who reads the output of `pair` beside that of another machine must be able to see that its host is another one.
#[test]
fn json_says_whether_actors_have_owners() {
    let owners = |machine: &str| {
        let machine = format!("--machine={machine}");
        let text = printed(&["simulate", "pingpong", "--set=pings=10", &machine, "--json"]);
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        value["owners"].clone()
    };
    assert_eq!(owners("opteron"), serde_json::Value::Null);
    assert!(owners("pair")["fence"].as_u64().is_some_and(|fence| fence > 0));
}

#[test]
fn a_page_begins_its_sentences_with_capitals() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    let file = file.to_str().expect("a path");
    printed(&["simulate", "pingpong", "--set", "pings=10", "--html", file]);
    let page = fs::read_to_string(file).expect("a page");
    assert!(page.contains("Simulated, not measured. Machine opteron, memory by first touch"));
}

#[test]
fn json_says_so_too_and_is_the_same_every_time() {
    let arguments = [
        "simulate",
        "fib",
        "--set",
        "index=12",
        "--policy",
        "lgs",
        "--workers",
        "4",
        "--json",
    ];
    let text = printed(&arguments);
    assert_eq!(text, printed(&arguments));
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["simulated"], true);
    assert_eq!(value["rows"][0]["result"], "144");
    assert!(value["rows"][0]["run"]["makespan"].as_u64().expect("a time") > 0);
    assert!(value["rows"][0]["run"]["links"].as_array().expect("a list").len() > 10);
}

#[test]
fn workers_that_take_from_the_head_only_give_another_run() {
    let fair = printed(&[&SMALL[..], &["--json"]].concat());
    let fair: serde_json::Value = serde_json::from_str(&fair).expect("JSON");
    let unfair = printed(&[&SMALL[..], &["--json", "--from-head"]].concat());
    let unfair: serde_json::Value = serde_json::from_str(&unfair).expect("JSON");
    assert_eq!(
        (&fair["from_head"], &unfair["from_head"]),
        (&false.into(), &true.into())
    );
    assert_ne!(fair["rows"][0]["run"], unfair["rows"][0]["run"]);
}

/// The policy of the first run wants its threads bound anyway.
#[test]
fn threads_that_are_bound_do_not_wander() {
    let migrations = |more: &[&str]| {
        let asked = [
            "simulate",
            "big",
            "--policy",
            "cls-tp,cls",
            "--no-speed-up",
            "--os",
            "--json",
        ];
        let text = printed(&[&asked[..], more].concat());
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let rows = value["rows"].as_array().expect("a list").clone();
        let migrations = rows
            .iter()
            .map(|row| row["run"]["migrations"].as_u64().expect("a number"));
        (value["bound"].clone(), migrations.collect::<Vec<_>>())
    };
    let (bound, wandered) = migrations(&[]);
    assert_eq!((bound, wandered[0]), (false.into(), 0));
    assert!(wandered[1] > 0, "{wandered:?}");
    assert_eq!(migrations(&["--bound"]), (true.into(), vec![0, 0]));
    let reason = refused(&[&SMALL[..], &["--bound"]].concat());
    assert!(reason.contains("--os"), "{reason}");
}

/// Times of workers that own their actors and of others must not stand in one table.
#[test]
fn who_asks_for_a_policy_of_owning_workers_gets_owners_for_all() {
    let simulated = |policies: &str, more: &[&str]| -> serde_json::Value {
        let small = [
            "simulate",
            "philosopher",
            "--workers",
            "4",
            "--json",
            "--policy",
            policies,
        ];
        serde_json::from_str(&printed(&[&small[..], more].concat())).expect("JSON")
    };
    let (shared, owned) = (simulated("cls-tp", &[]), simulated("cls-tp", &["--owners"]));
    let both = simulated("cls-tp,adaptive", &[]);
    assert!(shared["owners"].is_null() && !owned["owners"].is_null());
    assert_eq!(
        (&both["owners"], &both["machine"]),
        (&owned["owners"], &owned["machine"])
    );
    assert!(
        both["machine"]
            .as_str()
            .is_some_and(|name| name.contains("belong to workers"))
    );
    assert_eq!(both["rows"][0], owned["rows"][0]);
    assert_ne!(both["rows"][0]["run"], shared["rows"][0]["run"]);
    assert_eq!(both["rows"][1]["policy"], "adaptive");
    let reason = refused(&[&SMALL[..3], &["cls-tp,adaptive", "--from-head"]].concat());
    assert!(
        reason.contains("--from-head") && reason.contains("adaptive"),
        "{reason}"
    );
}

#[test]
fn without_a_benchmark_it_lists_what_there_is() {
    let text = printed(&["simulate"]);
    for word in [
        "matrixsearch",
        "adaptive-locality",
        "work-sharing",
        "lgs-uc",
        "opteron",
        "epyc",
    ] {
        assert!(text.contains(word), "{word} is missing in {text}");
    }
}

#[test]
fn a_machine_comes_from_hwloc_or_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let xml = r#"<topology version="2.0"><object type="Machine" allowed_cpuset="0x3">
        <object type="NUMANode" os_index="0" cpuset="0x3"/><object type="PU" os_index="0"/><object type="PU" os_index="1"/>
        </object></topology>"#;
    fs::write(path("two.xml"), xml).expect("a file");
    let text = printed(&[
        "simulate",
        "pingpong",
        "--set",
        "pings=10",
        "--machine",
        &path("two.xml"),
    ]);
    assert!(text.contains("two.xml"), "{text}");
    fs::write(path("bad.xml"), "<machine/>").expect("a file");
    let reason = refused(&["simulate", "pingpong", "--machine", &path("bad.xml")]);
    assert!(
        reason.contains("bad.xml") && reason.contains("hwloc 2"),
        "{reason}"
    );
    assert!(refused(&["simulate", "pingpong", "--machine", &path("no.xml")]).contains("cannot read"));
    assert!(refused(&["simulate", "pingpong", "--machine", "cray"]).contains("opteron"));
}

#[test]
fn what_cannot_be_simulated_is_refused_by_name() {
    assert!(refused(&["simulate", "pingpung"]).contains("pingpong"));
    assert!(refused(&["simulate", "fib,pingpung"]).contains("no program \"pingpung\""));
    assert!(refused(&["simulate", "pingpong", "--policy", "fifo"]).contains("cls-tp"));
    assert!(refused(&["simulate", "pingpong", "--workers", "65"]).contains("1 to 64 workers"));
    assert!(refused(&["simulate", "pingpong", "--set", "pongs=1"]).contains("there are pings"));
    assert!(refused(&["simulate", "pingpong", "--set", "pings"]).contains("name=value"));
    assert!(refused(&["reproduce", "woelke-2019"]).contains("woelke-2018"));
}

#[test]
fn who_misspells_a_name_is_told_what_was_perhaps_meant() {
    let told = |arguments: &[&str]| refused(&[&["simulate"], arguments].concat());
    for (arguments, meant) in [
        (&["pingpogn"][..], "did you mean `pingpong`?"),
        (&["pingpong", "--policy=cls-tq"], "did you mean `cls-tp`?"),
        (
            &["pingpong", "--policy=adaptive-localty"],
            "did you mean `adaptive-locality`?",
        ),
        (&["pingpong", "--machine=optreon"], "did you mean `opteron`?"),
        (
            &["pingpong", "--machine=optreon", "--nodes=4"],
            "did you mean `opteron`?",
        ),
        (&["pingpong", "--machine=machine.txt"], "its name ends in .xml"),
    ] {
        let reason = told(arguments);
        assert!(reason.contains(meant), "{arguments:?}: {reason}");
    }
}

/// Two tables with different numbers under the same heading would contradict each other.
#[test]
fn what_the_numbers_depend_on_stands_above_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    let html = format!("--html={}", file.display());
    let plain = printed(&SMALL);
    assert!(
        !plain.contains("from the head") && !plain.contains("with rounds"),
        "{plain}"
    );
    let changed = printed(&[&SMALL[..], &["--from-head", "--set=rounds=20", &html]].concat());
    let heading = "actors taken from the head always, with rounds=20, seed 1.";
    assert!(
        changed.lines().next().is_some_and(|line| line.ends_with(heading)),
        "{changed}"
    );
    let page = fs::read_to_string(file).expect("a page");
    assert!(
        page.contains(heading) && page.contains("philosophers=80 rounds=20"),
        "{page}"
    );
}

/// The same unit is written alike in all commands.
#[test]
fn times_are_written_as_everywhere() {
    let text = printed(&["simulate", "pingpong", "--set=pings=20", "--workers=2"]);
    assert!(text.contains(" µs") && !text.contains(" us"), "{text}");
}

#[test]
fn the_page_shows_every_link_and_controller() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    let html = format!("--html={}", file.display());
    let sockets = ["--machine=epyc", "--workers=128", "--policy=cls-tp,lgs"];
    printed(&[&["simulate", "big", "--set=pings=5", &html], &sockets[..]].concat());
    let page = fs::read_to_string(file).expect("a page");
    for part in [
        "link 0 to 1",
        "link 1 to 0",
        "controller 0",
        "controller 7",
        "lgs, 128",
    ] {
        assert!(page.contains(part), "{part} is missing");
    }
}

/// Names of an object's fields.
fn fields(value: &serde_json::Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

/// The fields of such an object that the documentation describes below this heading, in order.
fn described(heading: &str, of: &str) -> Vec<&'static str> {
    let page = include_str!("../../../docs/scheduling.md");
    let part = page.split(heading).nth(1).expect("the part is there");
    let part = part.split("\n### ").next().expect("there is a first");
    let rows = part.lines().filter(|line| line.starts_with(&format!("| {of} |")));
    let mut names: Vec<&str> = rows.filter_map(|line| line.split('`').nth(1)).collect();
    names.sort_unstable();
    names
}

/// What programs read must not change unnoticed: the documented fields, all of them and no others.
#[test]
fn json_has_the_documented_fields() {
    let text = printed(&[&SMALL[..], &["--json"]].concat());
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let described = |of: &str| described("### What `--json` prints", of);
    assert_eq!(fields(&value), described("all"));
    assert_eq!(fields(&value["rows"][0]), described("a row"));
    assert_eq!(fields(&value["rows"][0]["run"]), described("a run"), "{text}");
    assert_eq!(value["sizes"]["philosopher"]["rounds"], 300);
}

/// With ever so many runs before it, which would take hours here.
#[test]
fn a_wrong_request_is_refused_before_anything_is_simulated() {
    let long = [
        "simulate",
        "count",
        "pingpong",
        "--set=messages=1000000",
        "--seeds=1000",
    ];
    let refused = |arguments: &[&str]| refused(&[&long[..], arguments].concat());
    assert!(refused(&[]).contains("pingpong: unknown parameter messages"));
    let long = ["simulate", "count", "--set=messages=1000000", "--seeds=1000"];
    let refused = |arguments: &[&str]| self::refused(&[&long[..], arguments].concat());
    assert!(refused(&["pingpung"]).contains("no program \"pingpung\""));
    assert!(refused(&["--policy=cls,fifo"]).contains("no policy \"fifo\""));
    assert!(refused(&["--workers=2,65"]).contains("1 to 64 workers"));
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| format!("--html={}", folder.path().join(name).display());
    assert!(refused(&[&path("none/page.html")]).contains("cannot write"));
    assert!(refused(&[&path("")]).contains("cannot write"));
    let long_name = "x".repeat(300);
    std::os::unix::fs::symlink("none/page.html", folder.path().join("dangling")).unwrap();
    File::create(folder.path().join("file")).unwrap();
    for name in [
        "new/",
        "new/.",
        "new/..",
        "file/page.html",
        "dangling",
        &long_name,
    ] {
        assert!(refused(&[&path(name)]).contains("cannot write"), "{name}");
    }
    assert!(self::refused(&["reproduce", "woelke-2018", &path("")]).contains("cannot write"));
}

#[test]
fn what_was_simulated_is_told_though_the_page_cannot_be_written() {
    let output = scoville(&["simulate", "pingpong", "--set=pings=10", "--html=/dev/full"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write /dev/full"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Simulated, not measured"));
}

/// A program whose errors go to a terminal; ended whatever becomes of the test.
struct OnTerminal {
    program: Child,
    terminal: File,
    shown: String,
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

impl OnTerminal {
    fn start(arguments: &[&str]) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let terminal = openpt(flags).expect("a terminal");
        grantpt(&terminal).expect("it is ours");
        unlockpt(&terminal).expect("it is ours");
        let name = ptsname(&terminal, Vec::new()).expect("a name");
        let other_end = File::options()
            .write(true)
            .custom_flags(libc::O_NOCTTY)
            .open(name.to_str().expect("a path"));
        let program = command(arguments)
            .env("TERM", "xterm")
            .stdout(Stdio::piped())
            .stderr(other_end.expect("a terminal"))
            .spawn();
        Self {
            program: program.expect("the program starts"),
            terminal: terminal.into(),
            shown: String::new(),
        }
    }

    /// Reads until this is so of what was shown; false if the program ended before.
    fn shows(&mut self, enough: impl Fn(&str) -> bool) -> bool {
        let mut bytes = [0; 4096];
        while !enough(&self.shown) {
            match self.terminal.read(&mut bytes) {
                // The last writer has gone.
                Ok(0) | Err(_) => return false,
                Ok(count) => self.shown.push_str(&String::from_utf8_lossy(&bytes[..count])),
            }
        }
        true
    }
}

/// How many simulated runs have ended, and of how many, as it was shown last.
fn runs(shown: &str) -> Option<(u64, u64)> {
    let (before, _) = shown.rsplit_once(" simulated runs")?;
    let (ended, asked) = before.rsplit(' ').next()?.split_once('/')?;
    Some((ended.parse().ok()?, asked.parse().ok()?))
}

#[test]
fn a_terminal_shows_how_many_runs_there_are_and_a_pipe_only_the_result() {
    let few = [&SMALL[..], &["--seeds", "3"]].concat();
    for (arguments, expected) in [(few.clone(), 6), ([&few[..], &["--no-speed-up"]].concat(), 3)] {
        let mut simulation = OnTerminal::start(&arguments);
        assert!(
            simulation.shows(|shown| runs(shown).is_some_and(|(_, asked)| asked == expected)),
            "{}",
            simulation.shown
        );
        let mut result = String::new();
        let mut out = simulation.program.stdout.take().expect("a pipe");
        out.read_to_string(&mut result).expect("text");
        let piped = scoville(&arguments);
        assert_eq!(String::from_utf8_lossy(&piped.stdout), result);
        assert_eq!(String::from_utf8_lossy(&piped.stderr), "");
    }
}

/// Reproducing takes minutes, or tens of them. Here it is ended as soon as it shows that it moves.
#[test]
fn a_terminal_shows_how_far_reproducing_has_come() {
    for publication in ["woelke-2018", "adaptive-locality"] {
        let mut reproduction = OnTerminal::start(&["reproduce", publication]);
        assert!(
            reproduction.shows(|shown| runs(shown).is_some_and(|(ended, asked)| ended > 0 && asked > 100)),
            "{publication}: {}",
            reproduction.shown
        );
        let told = reproduction.shows(|shown| {
            let (_, left) = shown.rsplit_once("simulated runs, about ").unwrap_or_default();
            left.contains(" left")
        });
        assert!(told, "{publication}: {}", reproduction.shown);
    }
}

#[test]
fn a_pipe_gets_nothing_but_what_was_reproduced() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    let html = format!("--html={}", file.display());
    let output = scoville(&["reproduce", "woelke-2018", "--json", &html]);
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    assert!(value["rows"].as_array().expect("rows").len() > 70);
    the_chapter_has_the_documented_fields(&value);
    let page = fs::read_to_string(file).expect("a page");
    for number in 2..=21 {
        let heading = format!("Figure 6.{number}. ");
        assert!(page.contains(&heading), "{heading} is missing");
    }
    let figures = value["figures"].as_array().expect("figures");
    let panels = figures
        .iter()
        .flat_map(|figure| figure["panels"].as_array().expect("panels"));
    // Curves are drawn without and with the operating system, side by side; ratios once; and the table of statements.
    let drawn: usize = panels
        .map(|panel| if panel["programs"] == true { 1 } else { 2 })
        .sum();
    assert_eq!(page.matches("<figure class=\"drawing\"").count(), drawn + 1);
}

fn the_chapter_has_the_documented_fields(chapter: &serde_json::Value) {
    let heading = "### What `scoville reproduce woelke-2018 --json` prints";
    let described = |of: &str| described(heading, of);
    assert_eq!(fields(chapter), described("the chapter"));
    assert_eq!(fields(&chapter["rows"][0]), described("a statement"));
    let figure = &chapter["figures"][0];
    assert_eq!(fields(figure), described("a figure"));
    let panel = &figure["panels"][0];
    assert_eq!(fields(panel), described("a panel"));
    let series = &panel["series"][0];
    assert_eq!(fields(series), described("a series"));
    assert_eq!(fields(&series["points"][0]), described("a point"));
}
