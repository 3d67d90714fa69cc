//! `scoville simulate` as a user meets it. It needs no checkout: programs, policies and machines are part of the
//! program.

use std::fs;
use std::process::{Command, Output};

fn scoville(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_scoville"))
        .args(arguments)
        .current_dir(std::env::temp_dir())
        .output()
        .expect("the program runs")
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

#[test]
fn without_a_benchmark_it_lists_what_there_is() {
    let text = printed(&["simulate"]);
    for word in ["matrixsearch", "adaptive-locality", "lgs-uc", "opteron", "epyc"] {
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
    assert!(refused(&["simulate", "pingpong", "--policy", "fifo"]).contains("cls-tp"));
    assert!(refused(&["simulate", "pingpong", "--workers", "65"]).contains("1 to 64 workers"));
    assert!(refused(&["simulate", "pingpong", "--set", "pongs=1"]).contains("there are pings"));
    assert!(refused(&["simulate", "pingpong", "--set", "pings"]).contains("name=value"));
    assert!(refused(&["reproduce", "woelke-2019"]).contains("woelke-2018"));
}
