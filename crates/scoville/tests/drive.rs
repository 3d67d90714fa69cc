//! Real processes that behave and misbehave. Nothing here asserts on a time: limits are short where they must pass and
//! generous where they must not.

mod dummy;

use std::collections::BTreeMap;

use dummy::{MS, SECOND, assert_fails, command, failure, host, invoke_both_ways, order};
use rustix::thread::CpuSet;
use scoville::drive::{Host, Interrupt};
use scoville::model::benchmark::{Mismatch, Value, Work};
use scoville::model::invocation::{FailureKind, Invocation, Order, Outcome};

const CRASHED_3: FailureKind = FailureKind::Crashed {
    status: Some(3),
    signal: None,
};

/// An order whose limit for one state is short.
fn hasty(options: &str) -> Order {
    let mut order = order(options);
    order.limits.start_ns = 300 * MS;
    order.limits.iteration_ns = 300 * MS;
    order.limits.leave_ns = 300 * MS;
    order
}

fn timed_out(state: &str) -> FailureKind {
    FailureKind::TimedOut {
        state: state.to_owned(),
        limit_ns: 300 * MS,
    }
}

#[test]
fn a_good_peer_brings_complete_columns() {
    for invocation in invoke_both_ways(&order("--spin-ns 20000000 --allocate 20000000")) {
        assert_eq!(invocation.outcome, Outcome::Ok);
        let hello = invocation.hello.unwrap();
        assert_eq!((hello.runtime.as_str(), hello.workers), ("dummy", 1));
        let columns = invocation.iterations;
        assert_eq!(columns.wall_ns.len(), 5);
        assert_eq!(columns.outer_ns.len(), 5);
        assert_eq!(columns.gc.len(), 5);
        assert!(columns.wall_ns.iter().all(|&ns| ns >= 20 * MS), "{columns:?}");
        // On a busy machine the laboratory may wake up so late that it misses an iteration's CPU time; not all five.
        let cpu = columns.cpu_ns.unwrap();
        assert_eq!(cpu.value().unwrap().len(), 5);
        assert!(cpu.value().unwrap().iter().any(|&ns| ns > Some(0)), "{cpu:?}");
        let peaks = columns.peak_bytes.unwrap();
        assert!(
            peaks.value().unwrap().iter().all(|&bytes| bytes > 20_000_000),
            "{peaks:?}"
        );
        assert_eq!(
            columns.metrics["iteration"],
            (0..5).map(|i| Some(f64::from(i))).collect::<Vec<_>>()
        );
        assert_eq!(
            columns.fields,
            BTreeMap::from([("result".to_owned(), Value::Int(42))])
        );

        let process = invocation.process;
        assert!(process.start_ns.unwrap() < process.wall_ns);
        assert!(*process.cpu_ns.value().unwrap() > 0);
        assert!(*process.peak_bytes.value().unwrap() > *process.baseline_bytes.value().unwrap());
        assert!(process.voluntary_switches.value().is_some());
        assert!(process.run_queue_wait_ns.value().is_some());
        assert_eq!(process.threads.value(), Some(&1));
        assert_eq!(process.events.len(), 8);
    }
}

#[test]
fn the_peak_of_one_iteration_is_not_that_of_another() {
    let small = invoke_both_ways(&order("--allocate 1000000"));
    let large = invoke_both_ways(&order("--allocate 64000000"));
    for (small, large) in small.iter().zip(&large) {
        let peak = |i: &Invocation| i.iterations.peak_bytes.as_ref().unwrap().value().unwrap()[4];
        assert!(
            peak(small) + 40_000_000 < peak(large),
            "{} {}",
            peak(small),
            peak(large)
        );
    }
}

#[test]
fn the_environment_is_the_same_for_everybody() {
    let mut order = order("");
    order.launch.command = vec![
        "sh".into(),
        "-c".into(),
        "env; ulimit -c; ls -l /proc/self/fd; exit 3".into(),
    ];
    order.launch.env.insert("OWN".into(), "value".into());
    for invocation in assert_fails(
        &order,
        &CRASHED_3,
        "exited with status 3 while the laboratory waited for `hello`",
    ) {
        let output = &failure(&invocation).stderr_tail;
        let has = |line: &str| output.lines().any(|l| l == line);
        assert!(
            has("SCOVILLE_WORKERS=1") && has("OWN=value") && has("LC_ALL=C.UTF-8"),
            "{output}"
        );
        assert!(has(&format!("SCOVILLE_PADDING={}", "x".repeat(100))), "{output}");
        assert!(!output.contains("CARGO"), "{output}");
        assert!(has("0"), "core files are not off: {output}");
        // 0 to 3 and the folder that ls itself reads.
        let fds = output.lines().filter(|line| line.contains(" -> ")).count();
        assert_eq!(fds, 5, "{output}");
        assert!(
            output.contains(" 3 -> socket:") || output.contains("3 -> 'socket:"),
            "{output}"
        );
    }
}

#[test]
fn a_program_that_is_missing_is_told_from_one_that_fails() {
    let mut order = order("");
    order.launch.command = vec!["no-such-program-anywhere".into()];
    assert_fails(
        &order,
        &FailureKind::CannotStart,
        "there is no program no-such-program-anywhere on PATH",
    );
    order.launch.command = vec!["./no/such/file".into()];
    assert_fails(&order, &FailureKind::CannotStart, "has the runtime been built?");
    order.launch.command = vec!["/etc/passwd".into()];
    assert_fails(&order, &FailureKind::CannotStart, "Permission denied");
    order.launch.command = command("");
    order.launch.cwd = "/no/such/folder".into();
    assert_fails(
        &order,
        &FailureKind::CannotStart,
        "entering the working directory /no/such/folder",
    );
}

/// It says nothing about the program.
#[test]
fn what_the_laboratory_cannot_do_for_a_process_is_its_own_failure() {
    let mut order = order("");
    order.cpus = vec![CpuSet::MAX_CPU as u32 - 1];
    assert_fails(
        &order,
        &FailureKind::Laboratory,
        "dummy: the laboratory could not start it: binding to the CPUs: ",
    );
}

#[test]
fn a_crash_is_told_in_every_state() {
    for (state, waited) in [
        ("start", "`hello`"),
        ("run", "`begin`"),
        ("begin", "`end`"),
        ("bye", "`bye`"),
    ] {
        let kind = FailureKind::Crashed {
            status: None,
            signal: Some(11),
        };
        let words = format!(
            "ended by signal 11 (SIGSEGV: invalid memory access) while the laboratory waited for {waited}"
        );
        let invocations = assert_fails(&order(&format!("--at {state} --do crash")), &kind, &words);
        for invocation in invocations {
            let tail = &failure(&invocation).stderr_tail;
            assert!(
                tail.contains("last words on stderr") && tail.contains("last words on stdout"),
                "{tail}"
            );
            // Iterations that were complete stay; the crash at `bye` comes after five.
            assert_eq!(
                invocation.iterations.wall_ns.len(),
                if state == "bye" { 5 } else { 0 }
            );
        }
    }
    let aborted = FailureKind::Crashed {
        status: None,
        signal: Some(6),
    };
    assert_fails(&order("--at begin --do abort"), &aborted, "SIGABRT");
    let left = FailureKind::Crashed {
        status: Some(0),
        signal: None,
    };
    assert_fails(
        &order("--at begin --do exit0"),
        &left,
        "exited with status 0 while the laboratory waited for `end`",
    );
}

#[test]
fn a_peer_that_dies_in_the_middle_of_a_line_says_so() {
    let kind = FailureKind::Crashed {
        status: Some(1),
        signal: None,
    };
    assert_fails(
        &order("--at begin --do half-line"),
        &kind,
        "in the middle of a line (11 bytes",
    );
}

#[test]
fn a_hang_is_told_in_every_state() {
    for (at, state, waited) in [
        ("start", "starting", "`hello`"),
        ("run", "preparing", "`begin`"),
        ("begin", "running", "`end`"),
        ("bye", "leaving", "`bye`"),
    ] {
        let words = format!("did not come to {waited} within 0.3 s");
        let invocations = assert_fails(&hasty(&format!("--at {at} --do hang")), &timed_out(state), &words);
        for invocation in invocations {
            assert!(
                failure(&invocation).diagnosis.contains("thread "),
                "{invocation:?}"
            );
        }
    }
}

#[test]
fn a_hang_that_ignores_sigterm_is_killed() {
    assert_fails(
        &hasty("--at begin --do hang-hard"),
        &timed_out("running"),
        "did not come to `end`",
    );
}

#[test]
fn a_runtime_that_can_is_asked_for_a_diagnosis() {
    for invocation in assert_fails(
        &hasty("--at begin --do print-signals"),
        &timed_out("running"),
        "`end`",
    ) {
        assert!(
            failure(&invocation)
                .diagnosis
                .contains("thread dump of the dummy"),
            "{invocation:?}"
        );
    }
}

#[test]
fn every_violation_of_the_protocol_has_its_own_words() {
    for (options, words) in [
        ("--at begin --do garbage", "sent a line that is not JSON"),
        ("--at begin --do unknown-type", "unknown type \"begun\""),
        ("--at begin --do no-type", "without the string field `type`"),
        (
            "--at run --do early-end",
            "sent `end` while the laboratory waited for `begin`",
        ),
        ("--at begin --do huge-line", "a line of more than 16 MiB"),
        (
            "--at begin --do close",
            "closed descriptor 3 while the laboratory waited for `end`",
        ),
        (
            "--name other",
            "calls itself \"other\" in `hello`; its manifest says \"dummy\"",
        ),
        ("--protocol 2", "speaks protocol 2"),
    ] {
        assert_fails(&order(options), &FailureKind::Protocol, words);
    }
}

#[test]
fn a_time_that_cannot_be_is_refused() {
    let longest = format!("--wall-ns {}", i64::MAX);
    for invocation in assert_fails(&order(&longest), &FailureKind::Protocol, "s after its start") {
        assert_eq!(invocation.iterations.wall_ns, [] as [u64; 0]);
    }
}

#[test]
fn a_wrong_result_shows_no_time() {
    let mismatch = Mismatch {
        field: "result".into(),
        expected: Value::Int(42),
        got: Some(Value::Int(43)),
    };
    let kind = FailureKind::WrongResult {
        iteration: 3,
        mismatch,
    };
    for invocation in assert_fails(&order("--wrong-at 3"), &kind, "result is 43, expected 42") {
        assert_eq!(invocation.iterations, Default::default());
    }
    let mut order = order("--checks pongs=1");
    order.expect.insert("pongs".into(), Value::Int(2));
    let invocation = &invoke_both_ways(&order)[0];
    assert!(failure(invocation).message.contains("pongs is 1, expected 2"));
}

#[test]
fn the_number_of_workers_is_compared() {
    let kind = FailureKind::Workers { asked: 1, uses: 4 };
    assert_fails(
        &order("--workers 4"),
        &kind,
        "was told to use 1 worker and reports 4",
    );
}

#[test]
fn a_runtime_that_leaves_its_cpus_is_found_out() {
    let order = order("--at run --do widen");
    let cpus = scoville::probe::topology::cpus();
    for invocation in invoke_both_ways(&order) {
        if cpus.len() == 1 {
            // There is nowhere to go.
            assert_eq!(invocation.outcome, Outcome::Ok);
        } else {
            let failure = failure(&invocation);
            assert!(
                matches!(failure.kind, FailureKind::Workers { asked: 1, uses } if uses > 1),
                "{failure:?}"
            );
            assert!(
                failure.message.contains("must not widen its affinity"),
                "{failure:?}"
            );
            assert_eq!(invocation.iterations, Default::default());
        }
    }
}

#[test]
fn what_the_peer_says_of_itself_is_kept() {
    let kind = FailureKind::BadParameter;
    assert_fails(
        &order("--at run --do fail-bad-parameter"),
        &kind,
        "refused the parameters: because of the test",
    );
    assert_fails(
        &order("--at begin --do fail-failed"),
        &FailureKind::Assertion,
        "because of the test",
    );
    for invocation in invoke_both_ways(&order("--at run --do fail-unsupported")) {
        assert_eq!(
            invocation.outcome,
            Outcome::Unsupported {
                reason: "because of the test".into()
            }
        );
    }
    let mut order = order("");
    order.group.benchmark = "big".into();
    for invocation in invoke_both_ways(&order) {
        let Outcome::Unsupported { reason } = invocation.outcome else {
            panic!("{:?}", invocation.outcome)
        };
        assert!(reason.contains("does not list big"), "{reason}");
    }
}

#[test]
fn counted_work_is_compared_and_never_timed() {
    let mut order = order("--work 2,301");
    order.count_messages = true;
    for invocation in invoke_both_ways(&order) {
        assert_eq!(invocation.outcome, Outcome::Ok);
        assert_eq!(
            invocation.iterations.work,
            Some(Work {
                actors: 2,
                messages: Some(301)
            })
        );
        assert!(invocation.iterations.wall_ns.is_empty() && invocation.iterations.outer_ns.is_empty());
    }
    order.launch.command = command("--work 2,300");
    let (expected, counted) = (
        Work {
            actors: 2,
            messages: Some(301),
        },
        Work {
            actors: 2,
            messages: Some(300),
        },
    );
    assert_fails(
        &order,
        &FailureKind::WrongWork { expected, counted },
        "counted 2 actors and 300 messages",
    );
    order.launch.command = command("");
    for invocation in invoke_both_ways(&order) {
        let Outcome::Unsupported { reason } = invocation.outcome else {
            panic!("{:?}", invocation.outcome)
        };
        assert!(reason.contains("cannot count messages"), "{reason}");
    }
}

#[test]
fn children_left_behind_are_ended_and_told() {
    for what in ["leak", "leak-setsid", "leak-daemon"] {
        let kind = FailureKind::LeftChildren { count: 1 };
        let words = "running after its exit; they have been ended";
        for invocation in assert_fails(&order(&format!("--at bye --do {what}")), &kind, words) {
            assert_eq!(invocation.iterations.wall_ns.len(), 5);
        }
    }
}

#[test]
fn a_flood_is_stopped_and_chatter_is_not() {
    let invocations = assert_fails(
        &order("--at begin --do flood"),
        &FailureKind::Flood { limit: 8 << 20 },
        "wrote more than 8 MiB to stdout and stderr while running",
    );
    for invocation in invocations {
        assert_eq!(failure(&invocation).stderr_tail.len(), 64 * 1024);
    }
    for invocation in invoke_both_ways(&order("--at begin --do chatter")) {
        assert_eq!(invocation.outcome, Outcome::Ok);
    }
}

#[test]
fn too_much_memory_ends_a_process_at_once() {
    // Without the limit it would sleep for an hour.
    let mut order = order("--allocate 200000000 --sleep-ns 3600000000000");
    order.memory_limit = Some(100 << 20);
    order.limits.iteration_ns = 7_200 * SECOND;
    let words = "MiB; the limit is 100 MiB, while running";
    for invocation in assert_fails(&order, &FailureKind::Memory { limit: 100 << 20 }, words) {
        assert!(invocation.iterations.wall_ns.is_empty());
    }
    order.memory_limit = Some(1 << 40);
    order.launch.command = command("--allocate 200000000");
    for invocation in invoke_both_ways(&order) {
        assert_eq!(invocation.outcome, Outcome::Ok);
    }
}

#[test]
fn slow_starts_are_waited_for() {
    for invocation in invoke_both_ways(&order("--start-ns 700000000")) {
        assert_eq!(invocation.outcome, Outcome::Ok);
        assert!(invocation.process.start_ns.unwrap() >= 700 * MS);
    }
}

#[test]
fn the_first_press_lets_the_invocation_finish_and_the_second_ends_it() {
    for cgroups in [true, false] {
        let mut host = host(cgroups);
        let interrupt = Interrupt::default();
        interrupt.press();
        assert_eq!(host.invoke(&order(""), &interrupt).outcome, Outcome::Ok);

        let interrupt = Interrupt::default();
        let presser = interrupt.clone();
        // `sleep` says nothing, so the invocation would last for its limit of a minute.
        let mut endless = order("--at begin --do hang-hard");
        endless.limits.iteration_ns = 3_600 * SECOND;
        let thread = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(300));
            presser.press();
            presser.press();
        });
        let invocation = host.invoke(&endless, &interrupt);
        thread.join().unwrap();
        assert_eq!(failure(&invocation).kind, FailureKind::Interrupted);
        assert!(!host.dirty());
        // The next invocation starts on a clean machine.
        assert_eq!(
            host.invoke(&order(""), &Interrupt::default()).outcome,
            Outcome::Ok
        );
    }
}

#[test]
fn iterations_follow_the_rule() {
    let mut order = order("--sleep-ns 1000000");
    order.iterations.min = 2;
    order.iterations.max = 1_000;
    order.iterations.floor_ns = 10 * MS;
    for invocation in invoke_both_ways(&order) {
        let times = invocation.iterations.wall_ns;
        let (last, before) = times.split_last().unwrap();
        let timed: u64 = before.iter().sum();
        assert!(before.len() < 2 || timed < 10 * MS, "{times:?}");
        assert!(timed + last >= 10 * MS, "{times:?}");
    }
}
