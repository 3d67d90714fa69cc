//! How much of what a number rests on was disturbed: which invocations and blocks count, and that nothing else changes.

use scoville::judge::across_sessions;
use scoville::model::analysis::{Analysis, Disturbance, Measure, Pair, Sensor};
use scoville::model::invocation::{FailureKind, Invocation};
use scoville::model::reading::Reading;

use crate::judging::{cell, judged};
use crate::sessions::{Log, block_sensors, failed, invocation, plan, quiet_block};

/// So many blocks of two runtimes; the hypervisor takes time from the invocations named.
fn session(blocks: u32, disturbed: &dyn Fn(&str, u32) -> bool) -> Log {
    let mut log = Log::new(plan(&["pingpong"], &["a", "b"]));
    for block in 0..blocks {
        log.start("pingpong", block, quiet_block());
        for (runtime, ns) in [("a", 10_000_000), ("b", 12_000_000)] {
            let run = run(ns + u64::from(block), disturbed(runtime, block));
            log.run("pingpong", block, runtime, run);
        }
        log.finish("pingpong", block, quiet_block());
    }
    log
}

fn run(ns: u64, disturbed: bool) -> Invocation {
    let mut run = invocation(vec![ns; 30]);
    if disturbed {
        run.sensors.steal = Reading::known(0.05, "");
    }
    run
}

fn pairs(analysis: &Analysis) -> [&Pair; 2] {
    [("a", "b"), ("b", "a")].map(|(a, b)| {
        let mut pairs = analysis.groups[0].pairs.iter();
        let wanted = |p: &&Pair| p.measure == Measure::Wall && p.a == a && p.b == b;
        pairs.find(wanted).expect("pair")
    })
}

fn counts(share: &Disturbance) -> (u32, u32, bool) {
    (share.disturbed, share.of, share.mostly)
}

#[test]
fn a_ratio_counts_a_block_that_either_side_was_disturbed_in() {
    // Three blocks on each side, five or six together: the boundary, from which neither cell alone is near.
    for (b_from, pair, mostly) in [(2, 5, false), (3, 6, true)] {
        let analysis = judged(&session(12, &|runtime, block| match runtime {
            "a" => block < 3,
            _ => (b_from..b_from + 3).contains(&block),
        }));
        for name in ["a", "b"] {
            let of_cell = &cell(&analysis, "pingpong", name).disturbance;
            assert_eq!(counts(of_cell), (3, 12, false), "{name}");
        }
        for of_pair in pairs(&analysis).map(|p| &p.disturbance) {
            assert_eq!(counts(of_pair), (pair, 12, mostly));
            assert_eq!(of_pair.sensors, [(Sensor::Steal, pair)].into());
        }
        assert_eq!(counts(&analysis.summaries[0].disturbance), (pair, 12, mostly));
    }
}

#[test]
fn a_mark_changes_no_number_and_no_verdict() {
    let quiet = judged(&session(10, &|_, _| false));
    let disturbed = judged(&session(10, &|_, _| true));
    for (quiet, disturbed) in pairs(&quiet).iter().zip(pairs(&disturbed)) {
        assert_eq!(counts(&quiet.disturbance), (0, 10, false));
        assert_eq!(counts(&disturbed.disturbance), (10, 10, true));
        // Nothing undisturbed is left to stand beside it: only the mark tells.
        assert_eq!(disturbed.clean_ratio, None);
        let unmarked = Pair {
            disturbance: quiet.disturbance.clone(),
            ..disturbed.clone()
        };
        assert!(unmarked == **quiet);
    }
    for name in ["a", "b"] {
        let estimates = |analysis| cell(analysis, "pingpong", name).estimates.clone();
        assert!(estimates(&quiet) == estimates(&disturbed));
    }
}

#[test]
fn only_what_the_number_rests_on_counts() {
    let mut log = session(3, &|_, block| block == 0);
    // A failed invocation gives no number, and an earlier run of a repeated block gives none either.
    log.start("pingpong", 3, quiet_block());
    let mut crashed = failed(FailureKind::Protocol);
    crashed.sensors.steal = Reading::known(0.05, "");
    log.run("pingpong", 3, "a", crashed);
    log.block("pingpong", 0, &[("a", 10_000_000), ("b", 12_000_000)]);
    let analysis = judged(&log);
    assert_eq!(
        counts(&cell(&analysis, "pingpong", "a").disturbance),
        (0, 3, false)
    );
    assert_eq!(counts(&pairs(&analysis)[0].disturbance), (0, 3, false));
    assert_eq!(analysis.validity.contaminated, 3, "as before, every invocation");
}

#[test]
fn sensors_of_the_block_count_for_all_of_it_and_are_named() {
    let mut log = session(10, &|runtime, block| runtime == "b" && block == 0);
    for block in 10..13 {
        log.start("pingpong", block, quiet_block());
        log.run("pingpong", block, "a", run(10_000_000, false));
        log.run("pingpong", block, "b", run(12_000_000, true));
        log.finish("pingpong", block, block_sensors(235.0, 1e8));
    }
    let analysis = judged(&log);
    let [a, b] = ["a", "b"].map(|name| &cell(&analysis, "pingpong", name).disturbance);
    assert_eq!(a.sensors, [(Sensor::Handover, 3)].into());
    assert_eq!(b.sensors, [(Sensor::Steal, 4), (Sensor::Handover, 3)].into());
    assert_eq!((counts(a), counts(b)), ((3, 13, false), (4, 13, false)));
    assert_eq!(pairs(&analysis)[0].disturbance, *b);
}

#[test]
fn across_sessions_the_more_disturbed_side_counts() {
    let quiet = judged(&session(4, &|_, _| false));
    let disturbed = judged(&session(5, &|runtime, block| runtime == "a" && block < 3));
    for (first, second) in [(&quiet, &disturbed), (&disturbed, &quiet)] {
        let lines = across_sessions(first, second, Measure::Wall);
        let found: Vec<_> = lines.iter().map(|line| counts(&line.disturbance)).collect();
        assert_eq!(found[0], (3, 5, true));
        assert_eq!(found[1].0, 0);
    }
}
