//! What the judge makes of logs: states, pairs, contamination, summaries, words.

use std::collections::BTreeMap;

use scoville::judge::{NoSession, across_sessions, analyse, differences, precision, without_ratio};
use scoville::model::analysis::{Analysis, Cell, CellState, Estimate, Measure, Pair, Verdict};
use scoville::model::benchmark::{Mismatch, Value, Work};
use scoville::model::event::{StopReason, What};
use scoville::model::invocation::{FailureKind, Hello, Invocation, Outcome, Sensors};
use scoville::model::machine::Level;
use scoville::model::plan::{GroupKey, Skip};
use scoville::model::reading::Reading;

use crate::noise::Noise;
use crate::sessions::{Log, block_sensors, calm, failed, invocation, key, plan, quiet_block};

pub fn cell<'a>(analysis: &'a Analysis, benchmark: &str, runtime: &str) -> &'a Cell {
    let group = analysis
        .groups
        .iter()
        .find(|g| g.key.benchmark == benchmark)
        .expect("group");
    group.cells.iter().find(|c| c.runtime == runtime).expect("cell")
}

fn pair<'a>(analysis: &'a Analysis, measure: Measure, a: &str, b: &str) -> Option<&'a Pair> {
    analysis.groups[0]
        .pairs
        .iter()
        .find(|p| p.measure == measure && p.a == a && p.b == b)
}

pub fn judged(log: &Log) -> Analysis {
    analyse(&log.events, &[]).expect("a session")
}

#[test]
fn what_is_missing_says_why() {
    let missing = |ns: u64, change: &dyn Fn(&mut Invocation)| {
        let mut log = Log::new(plan(&["pingpong"], &["a"]));
        for block in 0..3 {
            log.start("pingpong", block, quiet_block());
            let mut invocation = invocation(vec![ns; 30]);
            change(&mut invocation);
            log.run("pingpong", block, "a", invocation);
            log.finish("pingpong", block, quiet_block());
        }
        let analysis = judged(&log);
        let cell = cell(&analysis, "pingpong", "a");
        for measure in cell.unavailable.keys() {
            assert!(!cell.estimates.contains_key(measure), "{measure:?}");
            let mut points = cell.invocations.iter();
            assert!(points.all(|p| !p.summaries.contains_key(measure)), "{measure:?}");
        }
        assert!(cell.estimates.contains_key(&Measure::Wall));
        cell.unavailable.clone()
    };
    assert_eq!(missing(2_000_000, &|_| {}), BTreeMap::new());
    let none = |measures: &[Measure], reason: &str| -> BTreeMap<Measure, String> {
        measures.iter().map(|m| (*m, reason.to_owned())).collect()
    };
    let outside = [Measure::Cpu, Measure::Utilisation];
    assert_eq!(
        missing(100_000, &|_| {}),
        none(
            &outside,
            "an iteration takes less than a millisecond, too short to be read from outside"
        )
    );
    assert_eq!(
        missing(2_000_000, &|i| i.iterations.cpu_ns =
            Some(Reading::unavailable("no clock"))),
        none(&outside, "no clock")
    );
    assert_eq!(
        missing(2_000_000, &|i| i.process.peak_bytes =
            Reading::unavailable("no meter")),
        none(&[Measure::Memory], "no meter")
    );
    // What nobody saw is no number, and the others count as long as they are more.
    let unseen = |gaps: usize| {
        missing(2_000_000, &|i| {
            let cpu = (0..30).map(|at| (at >= gaps).then_some(3_000_000));
            i.iterations.outer_ns = cpu.clone().collect();
            i.iterations.cpu_ns = Some(Reading::known(cpu.collect(), "clock"));
        })
    };
    assert_eq!(unseen(14), BTreeMap::new());
    assert_eq!(
        unseen(15)[&Measure::Cpu],
        "the machine was so busy that the laboratory read most beginnings only with the ends"
    );
}

#[test]
fn a_size_that_means_other_work_is_not_compared_across_sessions() {
    let session = |change: &dyn Fn(&mut Log)| {
        let mut log = Log::new(plan(&["pingpong", "fib"], &["a"]));
        change(&mut log);
        for block in 0..3 {
            for benchmark in ["pingpong", "fib"] {
                log.block(benchmark, block, &[("a", 1_000_000 + u64::from(block))]);
            }
        }
        judged(&log)
    };
    let compared = |b: &Analysis| {
        let a = session(&|_| {});
        let lines = across_sessions(&a, b, Measure::Wall);
        let names: Vec<String> = lines.into_iter().map(|line| line.key.benchmark).collect();
        (names, differences(&a, b))
    };
    let both = ["pingpong", "fib"].map(String::from).to_vec();
    assert_eq!(compared(&session(&|_| {})), (both.clone(), Vec::new()));

    let (names, told) = compared(&session(&|log| {
        log.opening().0.groups[0]
            .expect
            .insert("result".into(), Value::Int(2));
    }));
    assert_eq!(names, ["fib"]);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].starts_with("pingpong quick has other parameters or results"),
        "{told:?}"
    );

    let (names, told) = compared(&session(&|log| {
        let (plan, machine) = log.opening();
        plan.method.name = "quick".into();
        plan.method.iterations.min = 3;
        machine.fingerprint = "two".into();
    }));
    assert_eq!(names, both);
    assert_eq!(
        told,
        [
            "the two were measured on different machines",
            "an invocation has other iterations in A (standard) than in B (quick)"
        ]
    );
}

/// The fingerprint follows the hardware; what else changes a machine's speed is told as far as it is known.
#[test]
fn another_setting_of_the_same_machine_is_told() {
    let session = |kernel: &str, governor: Option<&str>| {
        let mut log = Log::new(plan(&["pingpong"], &["a"]));
        let (_, machine) = log.opening();
        machine.kernel = Reading::known(kernel.to_owned(), "test");
        let governor = governor.map(|word| Reading::known(word.to_owned(), "test"));
        let unknown = || Reading::unavailable("no driver");
        machine
            .facts
            .insert("governor".to_owned(), governor.unwrap_or_else(unknown));
        let load = Reading::known(format!("{kernel} load"), "test");
        machine.facts.insert("load".to_owned(), load);
        judged(&log)
    };
    let told = |a, b| differences(&a, &b);
    assert_eq!(
        told(session("6", Some("powersave")), session("7", Some("performance"))),
        [
            "kernel: 6 in A, 7 in B",
            "governor: powersave in A, performance in B"
        ]
    );
    assert_eq!(
        told(session("6", None), session("6", Some("performance"))),
        [""; 0]
    );
}

#[test]
fn what_has_numbers_in_one_session_only_is_told() {
    let session = |outcome: &dyn Fn() -> Invocation| {
        let mut log = Log::new(plan(&["pingpong", "fib"], &["a"]));
        for block in 0..3 {
            log.block("pingpong", block, &[("a", 1_000_000 + u64::from(block))]);
            log.run("fib", block, "a", outcome());
        }
        judged(&log)
    };
    let well = session(&|| invocation(vec![1_000_000; 30]));
    let wrong = session(&|| failed(wrong_result()));
    let told = |a, b| -> Vec<String> {
        let missing = without_ratio(a, b, Measure::Wall).into_iter();
        missing
            .map(|(key, [in_a, in_b])| {
                let numbers = [in_a, in_b].map(|cell| cell.state.has_numbers());
                format!("{} {} {numbers:?}", key.benchmark, in_a.runtime)
            })
            .collect()
    };
    assert_eq!(told(&well, &well), [""; 0]);
    assert_eq!(told(&wrong, &well), ["fib a [false, true]"]);
    assert_eq!(told(&well, &wrong), ["fib a [true, false]"]);
    assert_eq!(across_sessions(&wrong, &well, Measure::Wall).len(), 1);
}

/// Ten blocks in which b takes 1.2 times as long as a, with 1 % noise.
fn ten_blocks() -> Log {
    let mut noise = Noise::new(1);
    let mut log = Log::new(plan(&["pingpong"], &["a", "b"]));
    for block in 0..10 {
        let mut time = |centre: f64| (centre * (0.01 * noise.normal()).exp()) as u64;
        let (a, b) = (time(1e7), time(1.2e7));
        log.block("pingpong", block, &[("a", a), ("b", b)]);
    }
    log
}

fn wrong_result() -> FailureKind {
    let mismatch = Mismatch {
        field: "result".to_owned(),
        expected: Value::Int(1),
        got: Some(Value::Int(2)),
    };
    FailureKind::WrongResult {
        iteration: 3,
        mismatch,
    }
}

#[test]
fn a_log_without_its_start_is_refused() {
    assert_eq!(analyse(&[], &[]), Err(NoSession));
    let log = ten_blocks();
    assert_eq!(analyse(&log.events[1..], &[]), Err(NoSession));
}

#[test]
fn a_session_that_has_just_begun_says_so() {
    let analysis = judged(&Log::new(plan(&["pingpong"], &["a", "b"])));
    assert_eq!(cell(&analysis, "pingpong", "a").state, CellState::Missing);
    assert!(
        analysis.sentences[0].contains("No invocation"),
        "{:?}",
        analysis.sentences
    );
    assert!(analysis.summaries.is_empty());
    assert_eq!(analysis.validity.cells, 2);
}

#[test]
fn a_clear_difference_is_found_in_both_directions() {
    let analysis = judged(&ten_blocks());
    let slower = pair(&analysis, Measure::Wall, "b", "a").expect("pair");
    let faster = pair(&analysis, Measure::Wall, "a", "b").expect("pair");
    assert_eq!(
        (slower.verdict, faster.verdict),
        (Verdict::Slower, Verdict::Faster)
    );
    assert!((slower.ratio.value * faster.ratio.value - 1.0).abs() < 1e-12);
    assert!((slower.ratio.value - 1.2).abs() < 0.02, "{:?}", slower.ratio);
    assert_eq!((slower.share_lower, faster.share_lower), (0.0, 1.0));
    assert_eq!(slower.p, Some(2.0 / 1024.0));
    assert_eq!(
        slower.ratio.interval.as_ref().map(|i| i.method.as_str()),
        Some("signed rank")
    );
    assert!(slower.clean_ratio.is_none());
}

/// A baseline of 10 ms and runtimes that take so much, in blocks that differ by so much: who leads, in words.
fn headline(times: &[(&str, f64, f64)]) -> String {
    let names: Vec<&str> = times.iter().map(|(name, ..)| *name).collect();
    let mut log = Log::new(plan(&["pingpong", "fib"], &[&["base"][..], &names].concat()));
    for benchmark in ["pingpong", "fib"] {
        for block in 0..6 {
            let away = f64::from(block) - 2.5;
            let time = |ms: f64, spread: f64| (1e6 * (ms + spread * away)) as u64;
            let mut all = vec![("base", time(10.0, 0.0))];
            all.extend(times.iter().map(|(name, ms, spread)| (*name, time(*ms, *spread))));
            log.block(benchmark, block, &all);
        }
    }
    judged(&log).sentences[0].clone()
}

#[test]
fn nobody_leads_who_is_ahead_of_the_baseline_only() {
    let told = |times: &[(&str, f64, f64)], text: &str| {
        let headline = headline(times);
        assert!(headline.contains(text), "{headline}");
    };
    told(&[("b", 5.0, 0.1), ("c", 8.0, 0.1)], " b leads: ");
    told(
        &[("b", 5.0, 0.1), ("c", 5.1, 0.1)],
        " b is ahead of base, but perhaps not of c: its time is 0.500 times (",
    );
    told(&[("b", 20.0, 0.1), ("c", 21.0, 0.1)], " base leads; next is b, ");
    // The smallest mean is surely larger than the baseline's, another is not.
    told(
        &[("b", 11.0, 0.01), ("c", 12.0, 3.0)],
        " no lead is certain: the time of c is ",
    );
    told(
        &[("b", 10.0, 0.1), ("c", 12.0, 0.1)],
        " no lead is certain: the time of b is ",
    );
}

/// Means over different benchmarks say nothing of each other, however many they are over.
#[test]
fn only_means_over_the_same_benchmarks_are_ranked() {
    let benchmarks = ["pingpong", "fib", "big"];
    // A time in ms for each benchmark; none where it failed.
    let headline = |runtimes: &[(&str, [Option<u64>; 3])]| {
        let names: Vec<&str> = runtimes.iter().map(|(name, _)| *name).collect();
        let mut log = Log::new(plan(&benchmarks, &[&["base"][..], &names].concat()));
        let base = [("base", [Some(10); 3])];
        for (index, benchmark) in benchmarks.into_iter().enumerate() {
            for block in 0..6 {
                for (name, times) in base.iter().chain(runtimes) {
                    let ran = |ms: u64| invocation(vec![ms * 1_000_000 + u64::from(block); 30]);
                    let outcome = times[index].map_or_else(|| failed(FailureKind::Protocol), ran);
                    log.run(benchmark, block, name, outcome);
                }
            }
        }
        judged(&log).sentences[0].clone()
    };
    let told = |runtimes: &[(&str, [Option<u64>; 3])], text: &str| {
        let headline = headline(runtimes);
        assert!(headline.starts_with(text), "{headline}");
    };
    let (b, c) = ([Some(8), Some(8), None], [None, Some(5), Some(5)]);
    let place = "quick size, 2 cores; not ranked for lack of benchmarks";
    told(
        &[("b", b), ("c", c)],
        &format!("Over 2 benchmarks ({place}: c) b leads: "),
    );
    told(
        &[("b", b), ("c", c), ("d", c)],
        &format!("Over 2 benchmarks ({place}: b) c is ahead of base, but perhaps not of d: "),
    );
    told(
        &[("b", b), ("c", [Some(20); 3])],
        &format!("Over 3 benchmarks ({place}: b) base leads; next is c, "),
    );
}

#[test]
fn a_wrong_result_leaves_no_time_anywhere() {
    let mut log = ten_blocks();
    log.start("pingpong", 10, quiet_block());
    log.run("pingpong", 10, "b", failed(wrong_result()));
    let analysis = judged(&log);
    let void = cell(&analysis, "pingpong", "b");
    assert!(matches!(void.state, CellState::Void { .. }));
    assert!(void.estimates.is_empty() && void.ns_per_message.is_none());
    assert!(
        void.invocations
            .iter()
            .all(|i| i.wall_ns.is_empty() && i.summaries.is_empty())
    );
    assert!(analysis.groups[0].pairs.is_empty() && analysis.summaries.is_empty());
    assert_eq!((analysis.validity.void, analysis.validity.verified), (1, 1));
    assert!(
        analysis
            .sentences
            .iter()
            .any(|s| s.contains("Wrong results") && s.contains("b on pingpong"))
    );
}

#[test]
fn an_unverified_size_shows_metrics_and_no_time() {
    let mut log = ten_blocks();
    let What::SessionStarted { plan, .. } = &mut log.events[0].what else {
        panic!("a log begins with its start");
    };
    plan.groups[0].unverified = "nobody knows".into();
    let mut run = invocation(vec![1_000_000]);
    run.iterations
        .metrics
        .insert("throughput".into(), vec![Some(7.0)]);
    log.start("pingpong", 10, quiet_block());
    log.run("pingpong", 10, "b", run);
    let analysis = judged(&log);
    let b = cell(&analysis, "pingpong", "b");
    let reason = "nobody knows".to_owned();
    assert_eq!(b.state, CellState::Unverified { reason });
    assert!(b.estimates.is_empty() && b.invocations.iter().all(|i| i.wall_ns.is_empty()));
    assert_eq!(b.metrics.get("throughput"), Some(&7.0));
    assert!(analysis.groups[0].pairs.is_empty() && analysis.summaries.is_empty());
    assert_eq!(analysis.validity.verified, 0);
}

#[test]
fn a_runtime_that_lacks_a_benchmark_is_an_unsupported_cell_beside_the_others() {
    let mut plan = plan(&["pingpong", "big"], &["a", "b"]);
    plan.groups[1].competitors.pop();
    let skip = |runtime: &str, reason: String| Skip {
        runtime: runtime.into(),
        benchmark: Some("big".into()),
        reason,
        unusable: false,
    };
    plan.skipped = vec![
        skip("b", format!("{}not implemented by this peer", Skip::UNSUPPORTED)),
        skip(
            "gone",
            format!("{}not implemented by this peer", Skip::UNSUPPORTED),
        ),
        skip("a", "there is no size `thesis`".into()),
    ];
    let mut log = Log::new(plan);
    log.block("big", 0, &[("a", 100)]);
    let analysis = judged(&log);
    let reason = "not implemented by this peer".to_owned();
    assert_eq!(
        cell(&analysis, "big", "b").state,
        CellState::Unsupported { reason }
    );
    let cells: Vec<usize> = analysis.groups.iter().map(|g| g.cells.len()).collect();
    assert_eq!((cells, analysis.validity.unsupported), (vec![2, 2], 1));
}

#[test]
fn a_runtime_that_could_not_be_used_is_a_warning_and_one_that_was_not_asked_for_is_none() {
    let mut plan = plan(&["pingpong"], &["a", "b"]);
    let skip = |runtime: &str, reason: &str, unusable| Skip {
        runtime: runtime.into(),
        benchmark: None,
        reason: reason.into(),
        unusable,
    };
    plan.skipped = vec![
        skip("c", "cannot be built: see build.log\nerror", true),
        skip("d", "measured only when asked for", false),
        skip("e", "e does not answer", true),
        skip("f", "cannot be built: see build.log\nerror", true),
    ];
    let mut log = Log::new(plan);
    log.block("pingpong", 0, &[("a", 100), ("b", 100)]);
    let validity = judged(&log).validity;
    let left_out: Vec<(&str, &str)> = validity
        .warnings
        .iter()
        .filter(|warning| warning.what.starts_with("left out: "))
        .map(|warning| (warning.what.as_str(), warning.why.as_str()))
        .collect();
    let expected = [
        ("left out: c, f", "cannot be built: see build.log"),
        ("left out: e", "e does not answer"),
    ];
    assert_eq!(left_out, expected);
}

#[test]
fn a_wrong_result_stays_wrong_when_the_block_is_run_again() {
    let mut log = Log::new(plan(&["pingpong"], &["a", "b"]));
    log.start("pingpong", 0, quiet_block());
    log.run("pingpong", 0, "b", failed(wrong_result()));
    log.block("pingpong", 0, &[("a", 100), ("b", 100)]);
    assert!(matches!(
        cell(&judged(&log), "pingpong", "b").state,
        CellState::Void { .. }
    ));
}

#[test]
fn a_wrong_amount_of_work_voids_and_counting_carries_no_time() {
    let mut log = ten_blocks();
    let mut counting = invocation(vec![1; 30]);
    counting.iterations.work = Some(Work {
        actors: 2,
        messages: Some(1000),
    });
    log.run("pingpong", 0, "a", counting);
    let analysis = judged(&log);
    let wall = &cell(&analysis, "pingpong", "a").estimates[&Measure::Wall];
    assert_eq!(wall.n, 10);
    assert!(wall.range.0 > 9e6, "the counting run must not enter: {wall:?}");
    let (expected, counted) = (
        Work {
            actors: 2,
            messages: Some(1000),
        },
        Work {
            actors: 2,
            messages: Some(999),
        },
    );
    log.run(
        "pingpong",
        0,
        "a",
        failed(FailureKind::WrongWork { expected, counted }),
    );
    assert!(matches!(
        cell(&judged(&log), "pingpong", "a").state,
        CellState::Void { .. }
    ));
}

#[test]
fn failures_are_counted_and_pairs_use_common_blocks() {
    let mut log = ten_blocks();
    log.start("pingpong", 10, quiet_block());
    log.run("pingpong", 10, "a", invocation(vec![10_000_000; 30]));
    log.run("pingpong", 10, "b", failed(FailureKind::Protocol));
    let analysis = judged(&log);
    let state = &cell(&analysis, "pingpong", "b").state;
    assert!(
        matches!(
            state,
            CellState::Partly {
                failed: 1,
                of: 11,
                ..
            }
        ),
        "{state:?}"
    );
    assert_eq!(cell(&analysis, "pingpong", "a").estimates[&Measure::Wall].n, 11);
    assert_eq!(
        pair(&analysis, Measure::Wall, "b", "a").expect("pair").ratio.n,
        10
    );
}

/// The numbers come from as many invocations as that says.
#[test]
fn what_a_later_run_stands_for_is_not_counted_beside_failures() {
    let mut log = ten_blocks();
    log.start("pingpong", 10, quiet_block());
    log.run("pingpong", 10, "b", invocation(vec![12_000_000; 30]));
    log.push(resumed(&log));
    log.block("pingpong", 10, &[("a", 10_000_000), ("b", 12_000_000)]);
    log.start("pingpong", 11, quiet_block());
    log.run("pingpong", 11, "b", failed(FailureKind::Protocol));
    let analysis = judged(&log);
    let b = cell(&analysis, "pingpong", "b");
    assert_eq!(b.estimates[&Measure::Wall].n, 11);
    assert!(
        matches!(
            b.state,
            CellState::Partly {
                failed: 1,
                of: 12,
                ..
            }
        ),
        "{:?}",
        b.state
    );
}

/// The table marks the number; the sentence is what people repeat.
#[test]
fn a_headline_tells_what_was_mostly_disturbed() {
    let told = |disturbed: u32| {
        let mut log = Log::new(plan(&["pingpong"], &["a", "b"]));
        for block in 0..6 {
            log.start("pingpong", block, quiet_block());
            for (runtime, ns) in [("a", 10_000_000), ("b", 12_000_000 + u64::from(block))] {
                let mut run = invocation(vec![ns; 30]);
                let steal = if block < disturbed { 0.5 } else { 0.0 };
                run.sensors.steal = Reading::known(steal, "test");
                run.sensors.steal_error = Some(0.0);
                log.run("pingpong", block, runtime, run);
            }
            log.finish("pingpong", block, quiet_block());
        }
        judged(&log).sentences[0].clone()
    };
    let doubt = " as long. That was measured while the machine was mostly disturbed.";
    assert!(told(2).ends_with(" as long."), "{}", told(2));
    assert!(told(3).ends_with(doubt), "{}", told(3));
}

/// What fails on one core and on two is one thing to look into, whatever stands between.
#[test]
fn a_failure_is_named_once_for_all_core_counts() {
    let mut log = Log::new(plan(&["pingpong"], &["a", "b", "c"]));
    let groups = &mut log.opening().0.groups;
    groups.push(groups[0].clone());
    groups[1].key.cores = 4;
    for cores in [2, 4] {
        for runtime in ["b", "c"] {
            log.push(What::InvocationFinished {
                group: GroupKey {
                    cores,
                    ..key("pingpong")
                },
                block: 0,
                runtime: runtime.to_owned(),
                invocation: Box::new(failed(FailureKind::Protocol)),
            });
        }
    }
    let told = judged(&log).sentences;
    let once = "Never succeeded: b on pingpong, c on pingpong.".to_owned();
    assert!(told.contains(&once), "{told:?}");
}

#[test]
fn an_interrupted_run_is_replaced_and_is_no_failure() {
    let mut log = Log::new(plan(&["pingpong"], &["a"]));
    log.start("pingpong", 0, quiet_block());
    log.run("pingpong", 0, "a", failed(FailureKind::Interrupted));
    assert_eq!(cell(&judged(&log), "pingpong", "a").state, CellState::Missing);
    log.run("pingpong", 0, "a", invocation(vec![100; 30]));
    // A block cut off a second time must not take away what the first attempt brought.
    log.run("pingpong", 0, "a", failed(FailureKind::Interrupted));
    let analysis = judged(&log);
    let a = cell(&analysis, "pingpong", "a");
    assert_eq!(a.state, CellState::Verified);
    assert_eq!((a.estimates[&Measure::Wall].n, a.invocations.len()), (1, 3));
}

#[test]
fn a_repeated_block_counts_once_with_its_last_run() {
    let mut log = ten_blocks();
    log.block("pingpong", 3, &[("a", 10_000_000), ("b", 12_000_000)]);
    let analysis = judged(&log);
    let a = cell(&analysis, "pingpong", "a");
    assert_eq!((a.estimates[&Measure::Wall].n, a.invocations.len()), (10, 11));
    assert!(a.invocations[3].contaminated[0].contains("later run"));
    let superseded: Vec<bool> = a.invocations.iter().map(|point| point.superseded).collect();
    assert_eq!(superseded, (0..11).map(|at| at == 3).collect::<Vec<bool>>());
    assert!(a.invocations[3].summaries.is_empty());
    assert_eq!(analysis.groups[0].blocks.len(), 10);
    assert_eq!(analysis.validity.contaminated, 0);
}

#[test]
fn unsupported_is_said_with_its_reason() {
    let mut log = ten_blocks();
    let mut refused = invocation(Vec::new());
    refused.outcome = Outcome::Unsupported {
        reason: "no stash".to_owned(),
    };
    log.events
        .retain(|e| !matches!(&e.what, What::InvocationFinished { runtime, .. } if runtime == "a"));
    log.run("pingpong", 0, "a", refused);
    let analysis = judged(&log);
    let reason = "no stash".to_owned();
    assert_eq!(
        cell(&analysis, "pingpong", "a").state,
        CellState::Unsupported { reason }
    );
    assert!(
        analysis.sentences[0].contains("baseline a has no verified number"),
        "{:?}",
        analysis.sentences
    );
}

#[test]
fn one_block_has_values_and_no_interval() {
    let mut log = Log::new(plan(&["pingpong"], &["a", "b"]));
    log.block("pingpong", 0, &[("a", 100), ("b", 150)]);
    let analysis = judged(&log);
    let p = pair(&analysis, Measure::Wall, "b", "a").expect("pair");
    assert!((p.ratio.value - 1.5).abs() < 1e-9 && p.ratio.interval.is_none());
    assert_eq!(
        (p.verdict, p.p, p.blocks_to_decide),
        (Verdict::Undecided, None, None)
    );
    assert!(
        cell(&analysis, "pingpong", "a").estimates[&Measure::Wall]
            .interval
            .is_none()
    );
    assert_eq!(precision(&log.events, &key("pingpong")), None);
}

#[test]
fn methods_follow_the_number_of_invocations() {
    let method = |blocks: u32| {
        let mut log = Log::new(plan(&["pingpong"], &["a"]));
        for block in 0..blocks {
            log.block("pingpong", block, &[("a", 1_000_000 + u64::from(block) * 997)]);
        }
        let analysis = judged(&log);
        let interval = cell(&analysis, "pingpong", "a").estimates[&Measure::Wall]
            .interval
            .clone();
        interval.map(|i| i.method).unwrap_or_default()
    };
    assert_eq!(method(1), "");
    assert_eq!(
        (method(2), method(5)),
        ("t on logs (few)".to_owned(), "t on logs (few)".to_owned())
    );
    assert_eq!(
        (method(6), method(19)),
        ("order statistics".to_owned(), "order statistics".to_owned())
    );
    assert_eq!(method(20), "hierarchical bootstrap");
}

/// Times of 1 and 4 ms, half of the invocations each: halfway between them is twice the one and half the other.
#[test]
fn the_middle_of_a_cell_is_that_of_the_logarithms() {
    for blocks in [2, 6, 20] {
        let mut log = Log::new(plan(&["pingpong"], &["a"]));
        for block in 0..blocks {
            let ns = if block % 2 == 0 { 1_000_000 } else { 4_000_000 };
            log.block("pingpong", block, &[("a", ns)]);
        }
        let wall = cell(&judged(&log), "pingpong", "a").estimates[&Measure::Wall].value;
        assert!((wall / 2e6 - 1.0).abs() < 1e-12, "{wall} ns of {blocks} blocks");
    }
}

#[test]
fn identical_values_are_equal_and_finite() {
    let mut log = Log::new(plan(&["pingpong"], &["a", "b"]));
    for block in 0..8 {
        log.block("pingpong", block, &[("a", 100), ("b", 100)]);
    }
    let analysis = judged(&log);
    for p in &analysis.groups[0].pairs {
        assert_eq!(p.verdict, Verdict::Equal, "{p:?}");
        assert_eq!(p.p, Some(1.0));
        assert!(!p.asymmetric_tail);
    }
    assert_eq!(precision(&log.events, &key("pingpong")), Some(0.0));
}

#[test]
fn unavailable_and_senseless_readings_are_missing_not_zero() {
    let mut log = Log::new(plan(&["pingpong"], &["a", "b"]));
    for block in 0..6 {
        let mut blind = invocation(vec![1000; 30]);
        blind.iterations.cpu_ns = Some(Reading::unavailable("no clock"));
        blind.process.peak_bytes = Reading::known(0, "nowhere");
        blind.sensors.steal = Reading::known(f64::NAN, "nowhere");
        blind.sensors.frequency_hz = Reading::unavailable("no driver");
        let mut coarse = invocation(vec![0; 30]);
        // Now and then a tick falls into an iteration; most use less than the clock shows.
        let ticks = |i| {
            if block % 2 == 1 && i % 3 == 0 {
                10_000_000
            } else {
                0
            }
        };
        coarse.iterations.cpu_ns = Some(Reading::known(
            (0..30).map(|i| Some(ticks(i))).collect(),
            "jiffies",
        ));
        log.start("pingpong", block, block_sensors(f64::NAN, f64::INFINITY));
        log.run("pingpong", block, "a", blind);
        log.run("pingpong", block, "b", coarse);
    }
    let analysis = judged(&log);
    let a = &cell(&analysis, "pingpong", "a").estimates;
    assert_eq!(
        a.keys().copied().collect::<Vec<_>>(),
        [Measure::Wall, Measure::Cold]
    );
    assert!(
        !cell(&analysis, "pingpong", "b")
            .estimates
            .contains_key(&Measure::Cpu)
    );
    assert_eq!(analysis.validity.contaminated, 0);
    let text = serde_json::to_string(&analysis.groups[0].pairs).expect("serialises");
    serde_json::from_str::<Vec<Pair>>(&text).expect("no number is NaN or infinite");
}

/// A clock that shows most iterations as 0 says no more of the first than of the others, and nothing read around them counts.
#[test]
fn a_clock_that_shows_nothing_gives_no_number() {
    let mut log = Log::new(plan(&["pingpong"], &["a"]));
    for block in 0..6 {
        let mut coarse = invocation(vec![0; 30]);
        coarse.iterations.cpu_ns = Some(Reading::known(vec![Some(40_000); 30], "cpu.stat"));
        log.run("pingpong", block, "a", coarse);
    }
    let analysis = judged(&log);
    let estimates = &cell(&analysis, "pingpong", "a").estimates;
    assert_eq!(estimates.keys().collect::<Vec<_>>(), [&Measure::Memory]);
    assert_eq!(precision(&log.events, &key("pingpong")), None);
}

/// Where most comparisons cannot be decided by any sensible number of blocks, no number is said to decide half of them.
#[test]
fn the_advice_counts_comparisons_that_nothing_decides() {
    let mut log = Log::new(plan(&["pingpong"], &["a", "b", "c", "d"]));
    for (block, (small, wide)) in [0.06, -0.02, 0.05, -0.01, 0.04, 0.03]
        .into_iter()
        .zip([1.0_f64, -1.0, 2.0, -2.0, 3.0, -3.0])
        .enumerate()
    {
        let time = |log_ratio: f64| (1e9 * log_ratio.exp()) as u64;
        let times = [
            ("a", time(0.0)),
            ("b", time(small)),
            ("c", time(wide)),
            ("d", time(-wide)),
        ];
        log.block("pingpong", block as u32, &times);
    }
    let analysis = judged(&log);
    let needs = ["b", "c", "d"].map(|name| {
        let pair = pair(&analysis, Measure::Wall, name, "a").unwrap();
        assert_eq!(pair.verdict, Verdict::Undecided, "{pair:?}");
        pair.blocks_to_decide.is_some()
    });
    assert_eq!(needs, [true, false, false]);
    let advice = analysis
        .sentences
        .iter()
        .find(|s| s.contains("would decide half"));
    assert_eq!(advice, None);
}

#[test]
fn process_counters_are_medians_over_verified_invocations() {
    let mut log = Log::new(plan(&["pingpong"], &["a"]));
    let mut run = |block: u32, waited: Reading<u64>, switches: u64, outcome: Option<Outcome>| {
        let mut one = invocation(vec![1_000_000; 10]);
        one.process.wall_ns = 1_000_000_000;
        one.process.start_ns = Some(u64::from(block + 1) * 1000);
        one.process.run_queue_wait_ns = waited;
        one.process.voluntary_switches = Reading::known(switches, "schedstat");
        let cycles = Reading::known(switches as f64 * 10.0, "perf_event_open");
        one.process.events.insert("cycles".into(), cycles);
        let blind = Reading::unavailable("no such counter");
        one.process.events.insert("cache-misses".into(), blind);
        one.outcome = outcome.unwrap_or(one.outcome);
        log.start("pingpong", block, quiet_block());
        log.run("pingpong", block, "a", one);
        log.finish("pingpong", block, quiet_block());
    };
    let waited = |ns| Reading::known(ns, "schedstat");
    run(0, waited(100_000_000), 10, None);
    run(1, Reading::unavailable("no schedstat"), 20, None);
    run(2, waited(300_000_000), 40, None);
    run(
        3,
        waited(900_000_000),
        9_000,
        Some(
            failed(FailureKind::Crashed {
                status: None,
                signal: Some(11),
            })
            .outcome,
        ),
    );
    let analysis = judged(&log);
    let cores = f64::from(analysis.groups[0].key.cores);
    let expected = [
        ("cycles", 200.0),
        ("run-queue-wait", 0.2 / cores),
        ("start-ns", 2000.0),
        ("voluntary-switches", 20.0),
    ];
    let got = &cell(&analysis, "pingpong", "a").process;
    assert_eq!(got.len(), expected.len(), "{got:?}");
    for (name, value) in expected {
        assert!(
            (got[name] - value).abs() < 1e-9 * value,
            "{name}: {} and not {value}",
            got[name]
        );
    }

    let mut void = Log::new(plan(&["pingpong"], &["a"]));
    void.start("pingpong", 0, quiet_block());
    void.run("pingpong", 0, "a", failed(wrong_result()));
    assert!(cell(&judged(&void), "pingpong", "a").process.is_empty());
}

#[test]
fn contamination_is_a_function_of_the_sensors_alone() {
    fn reasons(disturb: impl FnOnce(&mut Sensors)) -> Vec<String> {
        let mut log = ten_blocks();
        log.start("pingpong", 10, quiet_block());
        let mut disturbed = invocation(vec![10_000_000; 30]);
        disturb(&mut disturbed.sensors);
        log.run("pingpong", 10, "a", disturbed);
        cell(&judged(&log), "pingpong", "a").invocations[10]
            .contaminated
            .clone()
    }
    assert_eq!(reasons(|_| {}), Vec::<String>::new());
    assert!(reasons(|s| s.steal = Reading::known(0.011, ""))[0].contains("hypervisor"));
    assert!(reasons(|s| s.steal = Reading::known(0.009, "")).is_empty());
    assert!(reasons(|s| s.foreign = Reading::known(0.021, ""))[0].contains("other programs"));
    let coarse = |share| {
        move |s: &mut Sensors| {
            s.foreign = Reading::known(share, "");
            s.foreign_error = Some(0.05);
        }
    };
    assert!(reasons(coarse(0.069)).is_empty());
    assert!(reasons(coarse(0.071))[0].contains("7.1 %"));
    assert!(reasons(|s| s.cpu_pressure = Reading::known(0.16, ""))[0].contains("pressure"));
    assert!(reasons(|s| s.cpu_pressure = Reading::known(0.14, "")).is_empty());
    assert!(reasons(|s| s.frequency_hz = Reading::known(2.8e9, ""))[0].contains("frequency"));
    assert!(reasons(|s| s.swapped_in = Reading::known(300, ""))[0].contains("swapped"));

    // A value ten times as large, in a calm machine, is a result.
    let mut log = ten_blocks();
    log.block("pingpong", 10, &[("a", 100_000_000), ("b", 12_000_000)]);
    assert_eq!(judged(&log).validity.contaminated, 0);
}

/// Logs of earlier versions say nothing of a share's error: 20 ms for each CPU, 2 % of this invocation, count as such.
#[test]
fn sensors_of_earlier_logs_are_read_and_judged_with_caution() {
    let earlier = |foreign: f64| {
        let mut sensors = serde_json::to_value(calm()).unwrap();
        let fields = sensors.as_object_mut().unwrap();
        fields.remove("steal_error");
        fields.remove("foreign_error");
        fields["foreign"]["value"] = foreign.into();
        let mut log = ten_blocks();
        let mut disturbed = invocation(vec![10_000_000; 30]);
        disturbed.sensors = serde_json::from_value(sensors).unwrap();
        assert_eq!(disturbed.sensors.foreign_error, None);
        log.start("pingpong", 10, quiet_block());
        log.run("pingpong", 10, "a", disturbed);
        judged(&log).validity.contaminated
    };
    assert_eq!((earlier(0.039), earlier(0.041)), (0, 1));
}

#[test]
fn a_far_block_is_flagged_and_the_clean_ratio_shown() {
    let mut log = ten_blocks();
    for block in 10..13 {
        log.start("pingpong", block, quiet_block());
        log.run("pingpong", block, "a", invocation(vec![25_000_000; 30]));
        log.run("pingpong", block, "b", invocation(vec![26_000_000; 30]));
        log.finish("pingpong", block, block_sensors(235.0, 1e8));
    }
    log.start("pingpong", 13, block_sensors(48.0, 1.04e8));
    let analysis = judged(&log);
    let flagged: Vec<bool> = analysis.groups[0]
        .blocks
        .iter()
        .map(|b| !b.contaminated.is_empty())
        .collect();
    assert_eq!(flagged, [vec![false; 10], vec![true; 4]].concat());
    let p = pair(&analysis, Measure::Wall, "b", "a").expect("pair");
    let clean = p.clean_ratio.as_ref().expect("clean ratio");
    assert_eq!((p.ratio.n, clean.n), (13, 10));
    assert!(clean.value > p.ratio.value);
    assert_eq!(analysis.validity.contaminated, 6);
}

/// That the session goes on, on the same machine.
fn resumed(log: &Log) -> What {
    let What::SessionStarted { machine, .. } = log.events[0].what.clone() else {
        unreachable!()
    };
    What::SessionResumed {
        tool: "0.1.0".to_owned(),
        machine,
    }
}

#[test]
fn a_block_torn_by_an_interruption_is_flagged() {
    let mut log = ten_blocks();
    let resumed = resumed(&log);
    log.push(resumed.clone());
    log.start("pingpong", 10, quiet_block());
    log.run("pingpong", 10, "a", invocation(vec![10_000_000; 30]));
    log.push(resumed);
    log.run("pingpong", 10, "b", invocation(vec![12_000_000; 30]));
    log.finish("pingpong", 10, quiet_block());
    let blocks = &judged(&log).groups[0].blocks;
    assert!(
        blocks[9].contaminated.is_empty(),
        "a complete block is not torn by what follows"
    );
    assert!(blocks[10].contaminated[0].contains("interrupted"));
}

/// A block that was begun anew and broke off again has one invocation of each time: the later one of a, the earlier one of b.
#[test]
fn a_block_torn_twice_is_flagged_until_it_was_run_as_a_whole() {
    let mut log = ten_blocks();
    let resumed = resumed(&log);
    log.start("pingpong", 10, quiet_block());
    log.run("pingpong", 10, "b", invocation(vec![12_000_000; 30]));
    log.push(resumed.clone());
    log.start("pingpong", 10, quiet_block());
    log.run("pingpong", 10, "a", invocation(vec![10_000_000; 30]));
    let analysis = judged(&log);
    let reasons = &analysis.groups[0].blocks[10].contaminated;
    assert!(
        reasons.first().is_some_and(|why| why.contains("interrupted")),
        "{reasons:?}"
    );
    assert_eq!(pair(&analysis, Measure::Wall, "b", "a").unwrap().ratio.n, 11);
    log.push(resumed);
    log.block("pingpong", 10, &[("a", 10_000_000), ("b", 12_000_000)]);
    assert!(judged(&log).groups[0].blocks[10].contaminated.is_empty());
}

#[test]
fn what_a_resume_changes_about_the_machine_is_told_once_it_matters() {
    let mut log = ten_blocks();
    let at_first = |log: &mut Log, kernel: &str, governor: &str| {
        let (_, machine) = log.opening();
        machine.kernel = Reading::known(kernel.to_owned(), "test");
        let governor = Reading::known(governor.to_owned(), "test");
        machine.facts.insert("governor".to_owned(), governor);
    };
    at_first(&mut log, "7", "performance");
    let mut later = resumed(&log);
    if let What::SessionResumed { tool, .. } = &mut later {
        *tool = "0.2.0".to_owned();
    }
    at_first(&mut log, "6", "powersave");
    let told = |log: &Log| {
        let warnings = judged(log).validity.warnings.into_iter();
        let texts = warnings.map(|warning| warning.what);
        texts
            .filter(|text| text.contains("resume"))
            .collect::<Vec<String>>()
    };
    log.push(resumed(&log));
    log.push(later.clone());
    assert_eq!(told(&log), [""; 0], "nothing was measured since");
    log.block("pingpong", 10, &[("a", 10_000_000), ("b", 12_000_000)]);
    log.push(later);
    log.block("pingpong", 11, &[("a", 10_000_000), ("b", 12_000_000)]);
    assert_eq!(
        told(&log),
        [
            "kernel: 6 at first, 7 after a resume; governor: powersave at first, performance after a resume; \
          tool: 0.1.0 at first, 0.2.0 after a resume"
        ]
    );
}

#[test]
fn a_runtime_that_changes_within_a_session_is_told_with_both_versions() {
    let told = |greeting: &dyn Fn(u32) -> (&'static str, &'static str)| {
        let mut log = Log::new(plan(&["pingpong"], &["a"]));
        for block in 0..5 {
            let (version, language) = greeting(block);
            let mut run = invocation(vec![1_000_000; 30]);
            run.hello = Some(hello(version, language));
            log.run("pingpong", block, "a", run);
        }
        let warnings = judged(&log).validity.warnings;
        let texts = warnings.into_iter().map(|warning| warning.what);
        texts
            .filter(|text| text.contains("version"))
            .collect::<Vec<String>>()
    };
    assert_eq!(told(&|_| ("1.0", "")), [""; 0]);
    assert_eq!(
        told(&|block| (if block < 1 { "1.0" } else { "2.0" }, "")),
        ["a has more than one version: 1.0 in 1 invocation, 2.0 in 4 invocations"]
    );
    assert_eq!(
        told(&|block| ("1.0", if block < 3 { "Go 1" } else { "Go 2" })),
        ["a has more than one version: 1.0 (Go 1) in 3 invocations, 1.0 (Go 2) in 2 invocations"]
    );
}

fn hello(version: &str, language: &str) -> Hello {
    let text = format!(
        r#"{{"runtime":"a","version":"{version}","language":"{language}","workers":1,"benchmarks":[]}}"#
    );
    serde_json::from_str(&text).expect("a greeting")
}

#[test]
fn pressure_that_a_runtime_makes_itself_is_no_contamination() {
    let mut log = Log::new(plan(&["pingpong"], &["a"]));
    for block in 0..6 {
        let mut crowded = invocation(vec![1000; 30]);
        crowded.sensors.cpu_pressure = Reading::known(0.8, "");
        log.run("pingpong", block, "a", crowded);
    }
    assert_eq!(judged(&log).validity.contaminated, 0);
}

#[test]
fn summaries_list_what_is_missing() {
    let mut log = Log::new(plan(&["pingpong", "big"], &["a", "b"]));
    for block in 0..6 {
        let jitter = u64::from(block) * 1000;
        log.block("pingpong", block, &[("a", 1_000_000 + jitter), ("b", 2_000_000)]);
        log.start("big", block, quiet_block());
        log.run("big", block, "a", invocation(vec![1_000_000; 30]));
        log.run("big", block, "b", failed(FailureKind::CannotStart));
    }
    let analysis = judged(&log);
    let wall = analysis
        .summaries
        .iter()
        .find(|s| s.measure == Measure::Wall)
        .expect("summary");
    assert_eq!(
        (wall.common.as_slice(), wall.missing.len()),
        (["pingpong".to_owned()].as_slice(), 1)
    );
    assert!(wall.missing[0].1.starts_with("b: failed"), "{:?}", wall.missing);
    // One benchmark's mean is its own ratio, interval and all.
    let p = pair(&analysis, Measure::Wall, "b", "a").expect("pair");
    let low = |e: &Estimate| e.interval.as_ref().map(|i| i.low).expect("interval");
    assert!((low(&wall.geomean) / low(&p.ratio) - 1.0).abs() < 1e-12);
}

#[test]
fn holm_spans_the_benchmarks_of_a_pair() {
    let benchmarks = ["one", "two", "three"];
    let mut log = Log::new(plan(&benchmarks, &["a", "b"]));
    for block in 0..8 {
        for benchmark in benchmarks {
            log.block(
                benchmark,
                block,
                &[("a", 1_000_000 + u64::from(block)), ("b", 2_000_000)],
            );
        }
    }
    let analysis = judged(&log);
    for group in &analysis.groups {
        for p in group.pairs.iter().filter(|p| p.measure == Measure::Wall) {
            assert_eq!(p.p, Some(2.0 / 256.0));
            assert_eq!(p.p_holm, Some(6.0 / 256.0));
        }
    }
}

/// The table puts such a sign in parentheses; the sentence that counts them must not say more.
#[test]
fn a_difference_that_is_clear_only_alone_is_told_as_such() {
    let told = |blocks: u32, close: u64| {
        let benchmarks = ["one", "two", "three", "four", "five"];
        let mut log = Log::new(plan(&benchmarks, &["a", "b"]));
        for block in 0..blocks {
            for (benchmark, b) in benchmarks
                .into_iter()
                .zip([2_000_000, 3_000_000, 4_000_000, 5_000_000, close])
            {
                log.block(benchmark, block, &[("a", 1_000_000 + u64::from(block)), ("b", b)]);
            }
        }
        let sentences = judged(&log).sentences.into_iter();
        let told: Vec<String> = sentences.filter(|s| s.starts_with("Of 5 comparisons")).collect();
        told[0]
            .split_once(" The largest")
            .expect("a largest difference")
            .0
            .to_owned()
    };
    let alone = "each judged alone; after Holm's correction for many benchmarks";
    let counted = |faster: u32, slower: u32, equal: u32| {
        format!(
            "Of 5 comparisons with a (quick size, 2 cores), {faster} came out faster, {slower} slower, {equal} equal and 0 undecided"
        )
    };
    // The smallest p is 2/2^n, and five times that for the smallest of five.
    assert_eq!(told(8, 900_000), format!("{}.", counted(1, 4, 0)));
    assert_eq!(
        told(6, 900_000),
        format!("{}, {alone} none of the differences is clear.", counted(1, 4, 0))
    );
    assert_eq!(
        told(6, 1_000_003),
        format!("{}, {alone} none of the differences is clear.", counted(0, 4, 1))
    );
    // Below six blocks nothing is adjusted.
    assert_eq!(told(5, 900_000), format!("{}.", counted(1, 4, 0)));
}

/// One of something is one.
#[test]
fn a_warning_has_the_number_of_what_it_counts() {
    let told = |runtimes: &[&str]| {
        let mut log = Log::new(plan(&["pingpong"], runtimes));
        for block in 0..3 {
            let times: Vec<(&str, u64)> = runtimes.iter().map(|name| (*name, 1_000_000)).collect();
            log.block("pingpong", block, &times);
        }
        let warnings = judged(&log).validity.warnings.into_iter();
        let mut texts = warnings.map(|warning| warning.what);
        texts
            .find(|text| text.contains("fewer than"))
            .expect("few blocks")
    };
    assert_eq!(told(&["a"]), "1 cell has fewer than 6 invocations");
    assert_eq!(told(&["a", "b"]), "2 cells have fewer than 6 invocations");
}

#[test]
fn the_same_program_under_two_names_is_the_noise_floor() {
    let mut wanted = plan(&["pingpong"], &["a", "a2"]);
    wanted.groups[0].competitors[1].launch = wanted.groups[0].competitors[0].launch.clone();
    let mut log = Log::new(wanted);
    for block in 0..10 {
        log.block(
            "pingpong",
            block,
            &[("a", 1_000_000), ("a2", 1_100_000 + u64::from(block))],
        );
    }
    let warnings = judged(&log).validity.warnings;
    assert!(
        warnings
            .iter()
            .any(|w| w.what.contains("same program") && !w.mend.contains("margin")),
        "{warnings:?}"
    );
}

#[test]
fn machine_trouble_is_the_first_warning() {
    let mut log = ten_blocks();
    log.push(What::SessionEnded {
        reason: StopReason::MachineDirty,
    });
    assert_eq!(judged(&log).validity.warnings[0].level, Level::Stop);
}

#[test]
fn fairness_is_the_median_over_invocations_of_each_ones_index() {
    let mut log = Log::new(plan(&["chameneos"], &["a"]));
    for (block, counters) in [[4, 0], [0, 4], [2, 2]].into_iter().enumerate() {
        let mut run = invocation(vec![100; 30]);
        run.iterations.per_actor = BTreeMap::from([("meetings".to_owned(), counters.to_vec())]);
        log.run("chameneos", block as u32, "a", run);
    }
    let analysis = judged(&log);
    let fairness = &cell(&analysis, "chameneos", "a").fairness["meetings"];
    // Added up, the counters would look perfectly fair.
    assert_eq!((fairness.jain, fairness.actors), (0.5, 2));
    assert_eq!(fairness.five, [0.0, 0.5, 1.0, 1.5, 2.0]);
}

#[test]
fn precision_is_the_widest_half_width_to_the_baseline() {
    let log = ten_blocks();
    let analysis = judged(&log);
    let interval = pair(&analysis, Measure::Wall, "b", "a")
        .and_then(|p| p.ratio.interval.clone())
        .expect("interval");
    let expected = ((interval.high / interval.low).ln() / 2.0).exp_m1();
    let precise = precision(&log.events, &key("pingpong")).expect("precision");
    assert!((precise - expected).abs() < 1e-12, "{precise} {expected}");
    assert_eq!(precision(&log.events, &key("nothing")), None);
}

#[test]
fn an_analysis_can_be_exported_and_depends_on_nothing_but_the_log() {
    let analysis = judged(&ten_blocks());
    // JSON has no NaN and no infinity: they would come out as null and not parse again.
    let text = serde_json::to_string(&analysis).expect("serialises");
    serde_json::from_str::<Analysis>(&text).expect("parses");
    assert_eq!(judged(&ten_blocks()), analysis);
}
