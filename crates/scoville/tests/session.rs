//! Whole sessions on a simulated machine, in milliseconds.

mod support;

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;
use scoville::drive::Interrupt;
use scoville::drive::simulated::{Fault, World};
use scoville::judge;
use scoville::log::{self, Log, LogError};
use scoville::model::analysis::{Climb, ClimbEnd, Measure, Verdict};
use scoville::model::event::{Event, StopReason, What};
use scoville::model::invocation::{FailureKind, Outcome};
use scoville::model::plan::{GroupKey, Plan};
use scoville::schedule::{Assess, Progress, Step};
use scoville::session::{Observer, Session, SessionError, opening};
use support::{Quiet, Recorder, Wide, begin, failing, ladder_plan, plan, quiet_world};

/// Blocks of a log by group and number, each with the runtimes that its last run holds.
fn blocks(events: &[Event]) -> BTreeMap<(GroupKey, u32), Vec<String>> {
    let mut blocks = BTreeMap::new();
    for event in events {
        match &event.what {
            What::BlockStarted { group, block, .. } => {
                blocks.insert((group.clone(), *block), Vec::new());
            }
            What::InvocationFinished {
                group,
                block,
                runtime,
                ..
            } => blocks
                .get_mut(&(group.clone(), *block))
                .expect("an invocation lies in a block")
                .push(runtime.clone()),
            _ => {}
        }
    }
    blocks
}

/// Every block of every group is there once and holds every competitor once.
fn assert_complete(plan: &Plan, events: &[Event], count: u32) {
    let blocks = blocks(events);
    assert_eq!(blocks.len(), plan.groups.len() * count as usize);
    for group in &plan.groups {
        let mut names: Vec<&str> = group.competitors.iter().map(|c| c.runtime.as_str()).collect();
        names.sort_unstable();
        for block in 0..count {
            let mut ran = blocks[&(group.key.clone(), block)].clone();
            ran.sort_unstable();
            assert_eq!(ran, names, "{:?} block {block}", group.key);
        }
    }
}

fn run(plan: &Plan, host: &mut Recorder, assess: &dyn Assess) -> (StopReason, Vec<Event>) {
    let results = tempfile::tempdir().unwrap();
    let (mut session, name) = begin(results.path(), plan, host, assess);
    let reason = session.measure(&Interrupt::default(), &mut Quiet).unwrap();
    let events = log::read(&results.path().join(name)).unwrap().events;
    assert_eq!(events, session.progress().events, "the log is the state");
    (reason, events)
}

#[test]
fn every_competitor_runs_once_in_every_block() {
    let plan = plan(3, 4, 5);
    let (reason, events) = run(&plan, &mut Recorder::new(), &Wide);
    assert_eq!(reason, StopReason::Max);
    assert_complete(&plan, &events, 5);
}

#[test]
fn groups_take_turns() {
    let plan = plan(4, 2, 6);
    let (_, events) = run(&plan, &mut Recorder::new(), &Wide);
    let mut seen: BTreeMap<&GroupKey, u32> = plan.groups.iter().map(|g| (&g.key, 0)).collect();
    for event in &events {
        if let What::BlockStarted { group, .. } = &event.what {
            *seen.get_mut(group).unwrap() += 1;
            let (least, most) = (seen.values().min().unwrap(), seen.values().max().unwrap());
            assert!(most - least <= 1, "{seen:?}");
        }
    }
}

struct Narrow;

impl Assess for Narrow {
    fn half_width(&self, events: &[Event], group: &GroupKey) -> Option<f64> {
        let finished =
            |event: &&Event| matches!(&event.what, What::BlockFinished { group: g, .. } if g == group);
        Some(0.1 / f64::from(events.iter().filter(finished).count() as u32))
    }

    fn contaminated(&self, _: &[Event], _: &GroupKey) -> Vec<u32> {
        Vec::new()
    }
}

#[test]
fn precision_stops_a_group_between_min_and_max() {
    let mut plan = plan(2, 2, 30);
    plan.method.min_blocks = 3;
    plan.method.target = Some(0.02);
    let (reason, events) = run(&plan, &mut Recorder::new(), &Narrow);
    assert_eq!(reason, StopReason::Target);
    assert_complete(&plan, &events, 5);
    plan.method.min_blocks = 8;
    let (_, events) = run(&plan, &mut Recorder::new(), &Narrow);
    assert_complete(&plan, &events, 8);
}

/// A quiet invocation: start, a hundred iterations of 10 ms, leave.
const INVOCATION_NS: u64 = 1_006_000_000;

#[test]
fn a_budget_stops_after_whole_blocks_and_never_before_there_are_intervals() {
    let mut plan = plan(2, 2, 100);
    plan.method.budget_ns = Some(1);
    let (reason, events) = run(&plan, &mut Recorder::new(), &Wide);
    assert_eq!(reason, StopReason::Budget);
    assert_complete(&plan, &events, 2);
    // Twelve invocations are three blocks of both groups.
    plan.method.budget_ns = Some(INVOCATION_NS * 23 / 2);
    let (_, events) = run(&plan, &mut Recorder::new(), &Wide);
    assert_complete(&plan, &events, 3);
}

#[test]
fn the_time_left_is_a_guess_until_everything_has_run() {
    let plan = plan(2, 2, 3);
    let (_, events) = run(&plan, &mut Recorder::new(), &Wide);
    let after = |invocations: usize| {
        let ends = events
            .iter()
            .enumerate()
            .filter(|(_, event)| matches!(event.what, What::InvocationFinished { .. }));
        let end = ends.map(|(i, _)| i + 1).nth(invocations - 1).unwrap();
        let progress = Progress::replay(&plan, &events[..end]).unwrap();
        (progress.remaining_ns(&plan), progress.in_first_pass())
    };
    assert_eq!(Progress::new(&plan).remaining_ns(&plan), None);
    // In blocks of two that have not begun: 2 of the first benchmark and 3 of the second.
    assert_eq!(after(1), (Some(10 * INVOCATION_NS), true));
    assert_eq!(after(3), (Some(8 * INVOCATION_NS), true));
    assert_eq!(after(4), (Some(8 * INVOCATION_NS), false));
    assert_eq!(after(12), (Some(0), false));
}

/// What may be repeated is left as long as nobody knows that it need not be.
#[test]
fn at_most_so_much_time_is_left_with_every_repetition() {
    let plan = plan(1, 2, 10);
    let (_, events) = run(&plan, &mut Recorder::new(), &Dirty((0..10).collect()));
    let all = blocks(&events).len() as u64;
    assert_eq!(all, 12);
    for (at, event) in events.iter().enumerate() {
        if let What::BlockFinished { block, .. } = event.what {
            let progress = Progress::replay(&plan, &events[..=at]).unwrap();
            let left = (all - 1 - u64::from(block)) * 2 * INVOCATION_NS;
            assert_eq!(progress.remaining_ns(&plan), Some(left), "after block {block}");
        }
    }
}

struct Dirty(Vec<u32>);

impl Assess for Dirty {
    fn half_width(&self, _: &[Event], _: &GroupKey) -> Option<f64> {
        None
    }

    fn contaminated(&self, _: &[Event], group: &GroupKey) -> Vec<u32> {
        if group.benchmark == "b0" {
            self.0.clone()
        } else {
            Vec::new()
        }
    }
}

#[test]
fn contaminated_blocks_are_repeated_at_the_end_up_to_a_fifth() {
    let plan = plan(2, 2, 10);
    for (flagged, extra) in [(vec![], 0), (vec![4], 1), (vec![1, 2, 3, 4, 5], 2)] {
        let (reason, events) = run(&plan, &mut Recorder::new(), &Dirty(flagged));
        assert_eq!(reason, StopReason::Max);
        let of = |name: &str| {
            blocks(&events)
                .keys()
                .filter(|(g, _)| g.benchmark == name)
                .count()
        };
        assert_eq!((of("b0"), of("b1")), (10 + extra, 10));
        let last = events
            .iter()
            .rposition(|e| matches!(e.what, What::BlockStarted { .. }));
        let closed =
            |e: &Event| matches!(&e.what, What::GroupFinished { group, .. } if group.benchmark == "b0");
        assert!(
            events[last.unwrap()..].iter().any(closed) || extra == 0,
            "the repeated group is closed again"
        );
    }
}

#[test]
fn who_fails_for_good_is_given_up_and_the_others_go_on() {
    let plan = plan(1, 3, 6);
    let crash = FailureKind::Crashed {
        status: Some(1),
        signal: None,
    };
    for (kind, runs) in [
        (FailureKind::Protocol, 1),
        (FailureKind::Assertion, 1),
        (crash, 2),
    ] {
        let mut host = Recorder::on(World {
            faults: vec![failing("r1", kind)],
            ..quiet_world()
        });
        let (reason, events) = run(&plan, &mut host, &Wide);
        assert_eq!(reason, StopReason::Max);
        let count = |name: &str| host.ran.iter().filter(|r| *r == name).count();
        assert_eq!((count("r0"), count("r1"), count("r2")), (6, runs, 6));
        assert_eq!(blocks(&events).len(), 6);
    }
}

#[test]
fn nobody_left_ends_the_group() {
    let plan = plan(2, 2, 6);
    let mut host = Recorder::on(World {
        faults: vec![
            failing("r0", FailureKind::CannotStart),
            failing("r1", FailureKind::BadParameter),
        ],
        ..quiet_world()
    });
    let (reason, events) = run(&plan, &mut host, &Wide);
    assert_eq!(reason, StopReason::Failed);
    assert_complete(&plan, &events, 1);
}

#[test]
fn a_process_that_cannot_be_ended_ends_the_session() {
    let plan = plan(2, 3, 6);
    let stuck = Fault {
        invocation: Some(1),
        ..failing("r1", FailureKind::Laboratory)
    };
    let mut host = Recorder::on(World {
        faults: vec![stuck],
        ..quiet_world()
    });
    let (reason, events) = run(&plan, &mut host, &Wide);
    assert_eq!(reason, StopReason::MachineDirty);
    assert_eq!(host.ran.last().map(String::as_str), Some("r1"));
    assert_eq!(
        host.ran.iter().filter(|runtime| *runtime == "r1").count(),
        2,
        "nothing more is measured"
    );
    assert_eq!(
        blocks(&events).values().map(Vec::len).sum::<usize>(),
        host.ran.len(),
        "what was measured until then is kept"
    );
}

#[test]
fn time_limits_follow_the_pilot() {
    let plan = plan(1, 2, 3);
    let mut world = quiet_world();
    world.runtimes.get_mut("r1").expect("a runtime").iteration_ns = 9e9;
    let mut host = Recorder::on(world);
    run(&plan, &mut host, &Wide);
    let of = |name: &str| -> Vec<u64> {
        host.limits
            .iter()
            .filter(|(runtime, _)| runtime == name)
            .map(|(_, ns)| *ns)
            .collect()
    };
    let planned = plan.method.limits.iteration_ns;
    assert_eq!(
        of("r0"),
        [planned, 60_000_000_000, 60_000_000_000],
        "at least a minute"
    );
    // Seen from outside, an iteration takes 20 microseconds longer.
    let longest = 9_000_020_000;
    assert_eq!(
        of("r1"),
        [planned, 10 * longest, 10 * longest],
        "ten times the longest iteration"
    );
}

/// Presses Ctrl-C `times` after so many events.
struct Presser {
    after: usize,
    times: u32,
    interrupt: Interrupt,
}

impl Observer for Presser {
    fn before(&mut self, _: &Step, _: &Progress) {}

    fn after(&mut self, _: &Event, progress: &Progress) {
        if progress.events.len() == self.after {
            (0..self.times).for_each(|_| self.interrupt.press());
        }
    }
}

fn resume(folder: &std::path::Path, host: &mut Recorder) -> StopReason {
    let (log, replay) = Log::resume(folder).unwrap();
    let here = host.facts();
    let mut session = Session::resume(log, replay, here, host, &Wide).unwrap();
    session.measure(&Interrupt::default(), &mut Quiet).unwrap()
}

/// Interrupts a session after each of its events, and resumes it; `check` gets what its log holds in the end.
fn interrupt_at_every_event(plan: &Plan, host: impl Fn() -> Recorder, check: impl Fn(&[Event])) {
    let (_, whole) = run(plan, &mut host(), &Wide);
    for (after, times) in (2..whole.len()).flat_map(|after| [(after, 1), (after, 2)]) {
        let results = tempfile::tempdir().unwrap();
        let mut host = host();
        let interrupt = Interrupt::default();
        let (mut session, name) = begin(results.path(), plan, &mut host, &Wide);
        let mut presser = Presser {
            after,
            times,
            interrupt: interrupt.clone(),
        };
        let reason = session.measure(&interrupt, &mut presser).unwrap();
        assert_eq!(reason, StopReason::User, "after event {after}");
        drop(session);
        let folder = results.path().join(name);
        assert_eq!(resume(&folder, &mut host), StopReason::Max);
        check(&log::read(&folder).unwrap().events);
    }
}

#[test]
fn an_interrupt_at_every_event_loses_nothing() {
    let plan = plan(2, 3, 2);
    interrupt_at_every_event(&plan, Recorder::new, |events| assert_complete(&plan, events, 2));
}

/// Presses Ctrl-C twice immediately before the third invocation, which is then cut off in its first iteration.
struct Cutter {
    invocations: u32,
    interrupt: Interrupt,
}

impl Observer for Cutter {
    fn before(&mut self, step: &Step, _: &Progress) {
        if matches!(step, Step::Invoke { .. }) {
            self.invocations += 1;
            if self.invocations == 3 {
                self.interrupt.press();
                self.interrupt.press();
            }
        }
    }

    fn after(&mut self, _: &Event, _: &Progress) {}
}

#[test]
fn an_invocation_that_was_cut_off_never_happened() {
    let plan = plan(1, 3, 2);
    let results = tempfile::tempdir().unwrap();
    let mut host = Recorder::new();
    let interrupt = Interrupt::default();
    let (mut session, name) = begin(results.path(), &plan, &mut host, &Wide);
    let mut cutter = Cutter {
        invocations: 0,
        interrupt: interrupt.clone(),
    };
    let reason = session.measure(&interrupt, &mut cutter).unwrap();
    assert_eq!(reason, StopReason::User);
    drop(session);
    let folder = results.path().join(name);
    assert_eq!(
        blocks(&log::read(&folder).unwrap().events)
            .values()
            .map(Vec::len)
            .sum::<usize>(),
        2
    );
    assert_eq!(host.ran.len(), 3);
    assert_eq!(resume(&folder, &mut host), StopReason::Max);
    assert_complete(&plan, &log::read(&folder).unwrap().events, 2);
}

#[test]
fn a_crash_after_every_line_and_within_it_loses_at_most_that_line() {
    let plan = plan(2, 3, 2);
    let results = tempfile::tempdir().unwrap();
    let mut host = Recorder::new();
    let (mut session, name) = begin(results.path(), &plan, &mut host, &Wide);
    session.measure(&Interrupt::default(), &mut Quiet).unwrap();
    drop(session);
    let whole = fs::read(results.path().join(name).join(log::FILE)).unwrap();
    let ends: Vec<usize> = (0..whole.len())
        .filter(|&i| whole[i] == b'\n')
        .map(|i| i + 1)
        .collect();
    for (lines, &end) in ends.iter().enumerate().map(|(i, end)| (i + 1, end)) {
        for torn in [0, 1, 20] {
            let folder = tempfile::tempdir().unwrap();
            let cut = (end + torn).min(whole.len());
            fs::write(folder.path().join(log::FILE), &whole[..cut]).unwrap();
            let before = log::read(folder.path()).unwrap();
            assert_eq!(before.events.len(), lines);
            assert_eq!(before.torn, (cut - end) as u64);
            resume(folder.path(), &mut Recorder::new());
            let after = log::read(folder.path()).unwrap();
            assert_eq!(after.torn, 0);
            assert_eq!(
                after.events[..lines],
                before.events,
                "nothing that was written changes"
            );
            assert_complete(&plan, &after.events, 2);
        }
    }
}

#[test]
fn damage_is_an_error_that_names_the_line() {
    let plan = plan(1, 2, 2);
    let results = tempfile::tempdir().unwrap();
    let mut host = Recorder::new();
    let (mut session, name) = begin(results.path(), &plan, &mut host, &Wide);
    session.measure(&Interrupt::default(), &mut Quiet).unwrap();
    drop(session);
    let folder = results.path().join(name);
    let file = folder.join(log::FILE);
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let with = |changed: Vec<String>| {
        fs::write(&file, changed.join("\n") + "\n").unwrap();
        log::read(&folder).map(|replay| replay.events.len())
    };
    let replaced = |line: usize, by: &str| -> Vec<String> {
        let change = |(i, old): (usize, &&str)| {
            if i + 1 == line {
                by.to_owned()
            } else {
                (*old).to_owned()
            }
        };
        lines.iter().enumerate().map(change).collect()
    };

    let error = with(replaced(3, "{\"event\":\"nonsense\"}"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("log.jsonl:3: this line is damaged"), "{error}");
    assert!(error.contains("keep the first 2 lines"), "{error}");

    let last = lines.len();
    let error = with(replaced(last, &lines[last - 1][..9])).unwrap_err();
    assert!(
        matches!(error, LogError::Damaged { line, .. } if line == last),
        "{error}"
    );

    let newer = lines[0].replace("\"log_version\":1", "\"log_version\":7");
    let error = with(replaced(1, &newer)).unwrap_err().to_string();
    assert!(
        error.contains("format version 7, this scoville reads version 1"),
        "{error}"
    );

    let error = with(lines[1..].iter().map(|l| (*l).to_owned()).collect())
        .unwrap_err()
        .to_string();
    assert!(error.contains("log.jsonl:1:"), "{error}");

    // Sound lines in an order that cannot be are caught when the session is resumed.
    let mut twice: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
    twice.insert(4, lines[2].to_owned());
    with(twice).unwrap();
    let (log, replay) = Log::resume(&folder).unwrap();
    let mut host = Recorder::new();
    let here = host.facts();
    match Session::resume(log, replay, here, &mut host, &Wide) {
        Err(e @ SessionError::Contradiction { .. }) => assert!(e.to_string().contains("log.jsonl:5:"), "{e}"),
        other => panic!("{:?}", other.err()),
    }

    fs::write(&file, &text[..10]).unwrap();
    assert!(matches!(log::read(&folder), Err(LogError::Empty { .. })));
}

#[test]
fn two_writers_are_kept_apart() {
    let plan = plan(1, 1, 1);
    let results = tempfile::tempdir().unwrap();
    let mut host = Recorder::new();
    let (session, name) = begin(results.path(), &plan, &mut host, &Wide);
    let folder = results.path().join(name);
    assert!(matches!(Log::resume(&folder), Err(LogError::Locked { .. })));
    assert!(log::read(&folder).is_ok(), "reading is allowed at any time");
    drop(session);
    assert!(Log::resume(&folder).is_ok());
}

#[test]
fn another_machine_may_not_go_on() {
    let plan = plan(1, 1, 1);
    let results = tempfile::tempdir().unwrap();
    let mut host = Recorder::new();
    let (session, name) = begin(results.path(), &plan, &mut host, &Wide);
    drop(session);
    let (log, replay) = Log::resume(&results.path().join(name)).unwrap();
    let mut here = host.facts();
    here.fingerprint = "another".into();
    let resumed = Session::resume(log, replay, here, &mut host, &Wide);
    assert!(matches!(resumed, Err(SessionError::OtherMachine { .. })));
}

#[test]
fn two_sessions_of_a_day_and_seed_get_two_folders() {
    let results = tempfile::tempdir().unwrap();
    let (_first, a) = Log::create(results.path(), "2026-11-20", 7).unwrap();
    let (_second, b) = Log::create(results.path(), "2026-11-20", 7).unwrap();
    assert_eq!(b, format!("{a}-2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The steps of a whole session depend on plan and seed alone, and any prefix of the log leads to the same rest.
    #[test]
    fn the_schedule_is_determined_by_what_was_done(
        seed in any::<u64>(),
        groups in 1usize..4,
        runtimes in 1usize..5,
        blocks in 1u32..5,
        cut in any::<prop::sample::Index>(),
    ) {
        let mut plan = plan(groups, runtimes, blocks);
        plan.seed = seed;
        let steps = |progress: &mut Progress| -> Vec<Step> {
            let mut host = Recorder::new();
            let mut steps = Vec::new();
            loop {
                let step = scoville::schedule::next(&plan, progress, &Wide);
                steps.push(step.clone());
                if matches!(step, Step::End { .. }) {
                    return steps;
                }
                progress.apply(&plan, host.event(&step)).expect("a step follows from the state");
            }
        };
        let mut progress = Progress::new(&plan);
        let whole = steps(&mut progress);
        let mut again = Progress::new(&plan);
        prop_assert_eq!(&steps(&mut again), &whole);
        let kept = cut.index(progress.events.len() + 1);
        let mut replayed = Progress::replay(&plan, &progress.events[..kept]).expect("a prefix of a log is a log");
        prop_assert_eq!(&steps(&mut replayed)[..], &whole[kept..]);
        assert_complete(&plan, &progress.events, blocks);
    }

    /// No position in the block is anybody's privilege.
    #[test]
    fn every_order_of_a_block_comes_up(seed in any::<u64>()) {
        let mut plan = plan(1, 3, 120);
        plan.seed = seed;
        let mut orders: BTreeMap<Vec<String>, u32> = BTreeMap::new();
        for block in 0..120 {
            let names = ["r0", "r1", "r2"].map(String::from).to_vec();
            *orders.entry(scoville::schedule::block_order(seed, &plan.groups[0].key, block, names)).or_default() += 1;
        }
        prop_assert_eq!(orders.len(), 6);
        // Twenty expected of each; fewer than two would happen once in ten million draws.
        prop_assert!(orders.values().all(|&count| count >= 2), "{:?}", orders);
    }
}

/// One session of `b` against `a`, which is `slower` times slower, on a noisy machine that gets slower all the time.
fn verdict(seed: u64, slower: f64) -> Verdict {
    let mut plan = plan(1, 2, 12);
    plan.seed = seed;
    let mut world = quiet_world();
    for behaviour in world.runtimes.values_mut() {
        behaviour.invocation_sd = 0.01;
        behaviour.iteration_sd = 0.03;
    }
    world.runtimes.get_mut("r1").expect("a runtime").iteration_ns *= slower;
    let mut host = Recorder::on(World {
        seed,
        drift_per_hour: 5.0,
        ..world
    });
    let (_, events) = run(&plan, &mut host, &Wide);
    let (planned, _) = opening(&events);
    assert_eq!(planned, &plan);
    let analysis = scoville::judge::analyse(&events, &[]).unwrap();
    let pairs = &analysis.groups[0].pairs;
    let wanted =
        |p: &&scoville::model::analysis::Pair| p.measure == Measure::Wall && p.a == "r1" && p.b == "r0";
    pairs.iter().find(wanted).unwrap().verdict
}

#[test]
fn a_runtime_does_not_differ_from_itself() {
    let verdicts: Vec<Verdict> = (0..20).map(|seed| verdict(seed, 1.0)).collect();
    let wrong = |v: &&Verdict| matches!(v, Verdict::Faster | Verdict::Slower);
    assert_eq!(verdicts.iter().filter(wrong).count(), 0, "{verdicts:?}");
    // Clear of equality though equal: 5 % of sessions are allowed that; 5 of 20 would be one in four hundred.
    let small = |v: &&Verdict| matches!(v, Verdict::FasterSmall | Verdict::SlowerSmall);
    assert!(verdicts.iter().filter(small).count() < 5, "{verdicts:?}");
}

#[test]
fn five_per_cent_are_found() {
    let verdicts: Vec<Verdict> = (0..20).map(|seed| verdict(seed, 1.05)).collect();
    let found = verdicts
        .iter()
        .filter(|v| matches!(v, Verdict::Slower | Verdict::SlowerSmall))
        .count();
    assert!(found >= 19, "{verdicts:?}");
    assert!(
        verdicts.iter().filter(|v| **v == Verdict::Slower).count() >= 15,
        "{verdicts:?}"
    );
}

/// Sizes that a runtime has tried, in that order, with what the log says of each.
fn climbed(events: &[Event], wanted: &str) -> Vec<i64> {
    let rungs = events.iter().filter_map(|event| match &event.what {
        What::RungFinished { runtime, size, .. } if runtime == wanted => Some(*size),
        _ => None,
    });
    rungs.collect()
}

/// A machine on which every runtime comes to another end: `r0` has too much memory in its fifth step and again in the
/// sixth, `r1` is too slow from its third on, `r2` is wrong at once, `r3` crashes in its second and both later ones.
fn limits_everywhere() -> World {
    let fault = |runtime: &str, invocation, kind| Fault {
        invocation: Some(invocation),
        ..failing(runtime, kind)
    };
    let crash = || FailureKind::Crashed {
        status: None,
        signal: Some(9),
    };
    let memory = || FailureKind::Memory { limit: 1 << 30 };
    let late = |limit_ns| FailureKind::TimedOut {
        state: "running".into(),
        limit_ns,
    };
    let wrong = scoville::model::benchmark::Mismatch {
        field: "awake".into(),
        expected: scoville::model::benchmark::Value::Int(1000),
        got: None,
    };
    World {
        faults: vec![
            fault("r0", 4, memory()),
            fault("r0", 5, memory()),
            fault("r1", 2, late(1_000_000_000)),
            fault(
                "r2",
                0,
                FailureKind::WrongResult {
                    iteration: 0,
                    mismatch: wrong,
                },
            ),
            fault("r3", 1, crash()),
            fault("r3", 2, crash()),
            fault("r3", 3, crash()),
        ],
        ..quiet_world()
    }
}

fn assert_all_limits_found(events: &[Event]) {
    assert_eq!(
        climbed(events, "r0"),
        [1000, 2000, 4000, 8000, 16_000, 12_000, 10_000]
    );
    assert_eq!(climbed(events, "r1"), [1000, 2000, 4000, 3000, 3500]);
    assert_eq!(climbed(events, "r2"), [1000]);
    assert_eq!(climbed(events, "r3"), [1000, 2000, 1500, 1250]);
    let analysis = judge::analyse(events, &[]).unwrap();
    let ends: Vec<(Option<i64>, i64, &str)> = (analysis.ladders[0].climbs.iter())
        .map(|climb| match &climb.end {
            ClimbEnd::Fell { size, why, .. } => (climb.largest, *size, why.as_str()),
            other => panic!("{}: {other:?}", climb.runtime),
        })
        .collect();
    let expected = [
        (Some(10_000), 12_000, "memory"),
        (Some(3500), 4000, "time"),
        (None, 1000, "wrong"),
        (Some(1000), 1250, "crash"),
    ];
    assert_eq!(ends, expected);
    for rung in analysis.ladders[0].climbs.iter().flat_map(|climb| &climb.rungs) {
        assert_eq!(
            rung.failed.is_some(),
            rung.time_ns.is_none(),
            "what failed has no time: {rung:?}"
        );
    }
}

#[test]
fn a_ladder_finds_where_each_runtime_ends_and_why() {
    let (reason, events) = run(&ladder_plan(4), &mut Recorder::on(limits_everywhere()), &Wide);
    assert_eq!(reason, StopReason::Max);
    assert_all_limits_found(&events);
    // The smallest step first, whoever it belongs to.
    let firsts = events.iter().filter_map(|event| match &event.what {
        What::RungFinished { size, .. } => Some(*size),
        _ => None,
    });
    assert_eq!(firsts.take(4).collect::<Vec<_>>(), [1000; 4]);
}

#[test]
fn an_interrupted_ladder_goes_on_where_it_was() {
    interrupt_at_every_event(
        &ladder_plan(4),
        || Recorder::on(limits_everywhere()),
        assert_all_limits_found,
    );
}

#[test]
fn a_step_counts_by_what_it_took_whatever_its_process_said() {
    let world = |memory_bytes: f64, iteration_ns: f64| {
        let mut world = quiet_world();
        let climber = world.runtimes.get_mut("r0").unwrap();
        (climber.memory_bytes, climber.iteration_ns) = (memory_bytes, iteration_ns);
        world
    };
    for (memory, time, why) in [(2e9, 1e7, "memory"), (2e7, 61e9, "time")] {
        let (_, events) = run(&ladder_plan(1), &mut Recorder::on(world(memory, time)), &Wide);
        let analysis = judge::analyse(&events, &[]).unwrap();
        let climb = &analysis.ladders[0].climbs[0];
        let found = matches!(&climb.end, ClimbEnd::Fell { size: 1000, why: found, .. } if found == why);
        assert!(found && climb.largest.is_none(), "{climb:?}");
    }
}

#[test]
fn a_budget_ends_a_ladder_and_says_who_could_go_on() {
    let mut plan = ladder_plan(2);
    plan.method.budget_ns = Some(50_000_000);
    let (reason, events) = run(&plan, &mut Recorder::new(), &Wide);
    assert_eq!(reason, StopReason::Budget);
    let analysis = judge::analyse(&events, &[]).unwrap();
    assert!(
        analysis.ladders[0]
            .climbs
            .iter()
            .all(|climb| climb.end == ClimbEnd::Open)
    );
    assert!(
        analysis.sentences[0].contains("2 of 2 have not come to their limit yet"),
        "{:?}",
        analysis.sentences
    );
}

/// What the laboratory cannot start says nothing about the runtime: its limit is found as if nothing had happened.
#[test]
fn a_step_that_cannot_be_started_counts_as_not_tried() {
    let mut host = Recorder::on(limits_everywhere());
    host.unstarted = vec![0, 5, 7];
    let (reason, events) = run(&ladder_plan(4), &mut host, &Wide);
    assert_eq!(reason, StopReason::Max);
    let void = |event: &&Event| matches!(&event.what, What::RungFinished { invocation, .. } if is_laboratorys(&invocation.outcome));
    assert_eq!(events.iter().filter(void).count(), 3);
    let counted: Vec<Event> = events.iter().filter(|event| !void(event)).cloned().collect();
    assert_all_limits_found(&counted);
    let ladders = |events: &[Event]| judge::analyse(events, &[]).unwrap().ladders;
    assert_eq!(ladders(&events), ladders(&counted));
}

#[test]
fn a_session_that_can_start_nothing_ends_and_can_go_on() {
    let results = tempfile::tempdir().unwrap();
    let mut host = Recorder::on(limits_everywhere());
    host.unstarted = vec![6, 7];
    let (mut session, name) = begin(results.path(), &ladder_plan(4), &mut host, &Wide);
    let reason = session.measure(&Interrupt::default(), &mut Quiet).unwrap();
    assert_eq!(reason, StopReason::Laboratory);
    drop(session);
    assert_eq!(host.ran.len(), 8);
    let folder = results.path().join(&name);
    let climbs = judge::analyse(&log::read(&folder).unwrap().events, &[])
        .unwrap()
        .ladders
        .remove(0)
        .climbs;
    let fell = |climb: &&Climb| matches!(climb.end, ClimbEnd::Fell { .. });
    let fallen: Vec<&str> = climbs.iter().filter(fell).map(|c| c.runtime.as_str()).collect();
    assert_eq!(fallen, ["r2"], "{climbs:?}");
    assert_eq!(resume(&folder, &mut host), StopReason::Max);
    let events = log::read(&folder).unwrap().events;
    let ends: Vec<Option<i64>> = judge::analyse(&events, &[]).unwrap().ladders[0]
        .climbs
        .iter()
        .map(|climb| climb.largest)
        .collect();
    assert_eq!(ends, [Some(10_000), Some(3500), None, Some(1000)]);
}

fn is_laboratorys(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(failure) if failure.kind == FailureKind::Laboratory)
}
