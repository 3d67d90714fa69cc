//! Analyses made up for the tests: deterministic, with plausible numbers. Intervals and verdicts are drawn by rule of
//! thumb; nothing here is a statistic.

use std::collections::BTreeMap;
use std::path::PathBuf;

use scoville::model::analysis::*;
use scoville::model::benchmark::*;
use scoville::model::invocation::*;
use scoville::model::machine::*;
use scoville::model::plan::*;
use scoville::model::reading::Reading;
use scoville::model::runtime::Launch;

/// Text that must stay text wherever it turns up.
pub const HOSTILE: &str =
    "</script><img src=x onerror=\"window.pwned=1\"> | <!-- ]]> ${alert(1)} \u{1b}[31m\\u0022'";

/// How much to make up.
pub struct Shape {
    pub benchmarks: usize,
    pub runtimes: usize,
    pub cores: Vec<u32>,
    pub blocks: u32,
    pub iterations: usize,
}

/// A small session in which every kind of cell occurs.
pub fn rich() -> Analysis {
    let mut a = synthetic(&Shape {
        benchmarks: 6,
        runtimes: 6,
        cores: vec![1, 2],
        blocks: 12,
        iterations: 40,
    });
    a.session = format!("2026-11-20-rich {HOSTILE}");
    a.sentences
        .push(format!("A sentence from the data with {HOSTILE}"));
    set(&mut a, 1, "kameo", |c| {
        c.state = CellState::Void {
            failure: failure(
                FailureKind::WrongResult {
                    iteration: 3,
                    mismatch: Mismatch {
                        field: "result".into(),
                        expected: Value::Int(5050),
                        got: Some(Value::Int(5049)),
                    },
                },
                "result is 5049, expected 5050 in iteration 3",
            ),
        };
    });
    set(&mut a, 2, "go", |c| {
        c.state = CellState::Failed {
            failure: failure(
                FailureKind::TimedOut {
                    state: "running".into(),
                    limit_ns: 5_000_000_000,
                },
                "an iteration took longer than 5 s",
            ),
            failed: 3,
        };
    });
    set(&mut a, 3, "erlang", |c| {
        c.state = CellState::Failed {
            failure: failure(
                FailureKind::Crashed {
                    status: None,
                    signal: Some(11),
                },
                &format!("ended by signal 11 {HOSTILE}"),
            ),
            failed: 1,
        };
    });
    set(&mut a, 4, "actix", |c| {
        c.state = CellState::Unsupported {
            reason: format!("no mailbox of that kind {HOSTILE}"),
        };
    });
    set(&mut a, 4, "go", |c| c.state = CellState::Missing);
    set(&mut a, 0, "tokio", |c| {
        c.state = CellState::Partly {
            failed: 2,
            of: 12,
            first: failure(
                FailureKind::Crashed {
                    status: Some(101),
                    signal: None,
                },
                "exited with status 101",
            ),
        };
        for point in &mut c.invocations[3..5] {
            point.summaries.clear();
            point.wall_ns.clear();
            point.failure = Some(failure(
                FailureKind::Crashed {
                    status: Some(101),
                    signal: None,
                },
                "exited with status 101",
            ));
        }
    });
    set(&mut a, 1, "tokio", |c| disturb(c, 7));
    set(&mut a, 5, "datil", |c| disturb(c, 6));
    for group in &mut a.groups {
        weigh(group);
        strip(group);
    }
    let runtimes: Vec<String> = a.runtimes.iter().map(|r| r.name.clone()).collect();
    a.summaries = summaries(&a.groups, &runtimes, &[1, 2], 12);
    several_sizes(&mut a, 5);
    a.speedups = speedups(&a.groups);
    grown(&mut a, "chameneos");
    a.plan.skipped.push(Skip {
        runtime: "pony".into(),
        benchmark: None,
        reason: "ponyc was not found; install it with: apt install ponyc".into(),
        unusable: true,
    });
    a.validity.skipped = a.plan.skipped.clone();
    a.validity.void = 2;
    a.validity.failed = 4;
    a.validity.unsupported = 2;
    a.validity.verified = a.validity.cells - 10;
    a
}

/// The hypervisor took time from the first so many of a cell's invocations.
fn disturb(cell: &mut Cell, n: usize) {
    for point in &mut cell.invocations[..n] {
        point.contaminated = vec!["the hypervisor took 4.2 % of the CPU time".into()];
    }
}

/// Counts what was disturbed behind each number. Here only the hypervisor disturbs.
fn weigh(group: &mut GroupAnalysis) {
    let flagged = |cell: &Cell| -> Vec<bool> {
        let points = cell.invocations.iter();
        points.map(|point| !point.contaminated.is_empty()).collect()
    };
    let by_runtime: BTreeMap<String, Vec<bool>> = (group.cells.iter())
        .map(|cell| (cell.runtime.clone(), flagged(cell)))
        .collect();
    for cell in &mut group.cells {
        cell.disturbance = disturbance(by_runtime[&cell.runtime].iter().copied());
    }
    for pair in &mut group.pairs {
        let (a, b) = (&by_runtime[&pair.a], &by_runtime[&pair.b]);
        pair.disturbance = disturbance(a.iter().zip(b).map(|(a, b)| *a || *b));
    }
}

fn disturbance(flags: impl Iterator<Item = bool>) -> Disturbance {
    let (mut of, mut disturbed) = (0, 0);
    for flagged in flags {
        of += 1;
        disturbed += u32::from(flagged);
    }
    Disturbance {
        of,
        disturbed,
        mostly: disturbed > 0 && 2 * disturbed >= of,
        sensors: (disturbed > 0)
            .then_some((Sensor::Steal, disturbed))
            .into_iter()
            .collect(),
    }
}

/// A session whose baseline failed on one core, where the next runtime was judged in its place.
pub fn without_baseline() -> Analysis {
    let mut a = synthetic(&Shape {
        benchmarks: 3,
        runtimes: 4,
        cores: vec![1, 2],
        blocks: 6,
        iterations: 10,
    });
    for group in a.groups.iter_mut().filter(|g| g.key.cores == 1) {
        let baseline = &mut group.cells[0];
        assert_eq!(baseline.runtime, a.plan.baseline);
        baseline.state = CellState::Failed {
            failure: failure(
                FailureKind::Crashed {
                    status: Some(101),
                    signal: None,
                },
                "exited with status 101",
            ),
            failed: 1,
        };
        strip(group);
    }
    let runtimes: Vec<String> = a.runtimes.iter().map(|r| r.name.clone()).collect();
    a.summaries = summaries(&a.groups, &runtimes[1..], &[1], 6);
    a.summaries.extend(summaries(&a.groups, &runtimes, &[2], 6));
    a
}

/// Measures the `n`th benchmark at another size of the same kind too, where one result is unverified and the metric makes
/// a curve with that of the first size.
fn several_sizes(a: &mut Analysis, n: usize) {
    let benchmark = &mut a.benchmarks[n];
    benchmark.metrics.push(Metric {
        name: "pongs".into(),
        unit: "1/min".into(),
        meaning: "balls".into(),
        optional: false,
        when: BTreeMap::new(),
    });
    benchmark.curves.push(Curve {
        x: "pings".into(),
        y: "pongs".into(),
    });
    let name = benchmark.name.clone();
    for mut planned in a.plan.groups.clone() {
        if planned.key.benchmark == name && planned.key.cores == 1 {
            planned.key.preset = "savina-80".into();
            planned.parameters.insert("pings".into(), Argument::from(80_000));
            a.plan.groups.push(planned);
        }
    }
    for mut group in a.groups.clone() {
        if group.key.benchmark == name && group.key.cores == 1 {
            group.key.preset = "savina-80".into();
            for cell in &mut group.cells {
                if cell.runtime == "erlang" {
                    cell.state = CellState::Unverified {
                        reason: "nobody knows".into(),
                    };
                }
                cell.metrics.insert("pongs".into(), 90_000.0);
            }
            strip(&mut group);
            a.groups.push(group);
        }
    }
}

/// The steady times on one core over those on all, without any statistic.
fn speedups(groups: &[GroupAnalysis]) -> Vec<Speedup> {
    let mut speedups = Vec::new();
    let is_on_two = |group: &GroupAnalysis| {
        let same = |g: &&GroupAnalysis| {
            g.key.benchmark == group.key.benchmark && g.key.preset == group.key.preset && g.key.cores > 1
        };
        groups.iter().any(|g| same(&g))
    };
    for group in groups.iter().filter(|group| is_on_two(group)) {
        for cell in &group.cells {
            let on_one = groups.iter().find(|g| {
                g.key.benchmark == group.key.benchmark && g.key.preset == group.key.preset && g.key.cores == 1
            });
            let reference = on_one.and_then(|g| g.cells.iter().find(|c| c.runtime == cell.runtime));
            let wall = |c: &Cell| c.estimates.get(&Measure::Wall).map(|e| e.value);
            let (Some(one), Some(here)) = (reference.and_then(wall), wall(cell)) else {
                continue;
            };
            let (value, n) = (one / here, 12);
            speedups.push(Speedup {
                benchmark: group.key.benchmark.clone(),
                preset: group.key.preset.clone(),
                runtime: cell.runtime.clone(),
                cores: group.key.cores,
                ideal: f64::from(group.key.cores),
                speedup: Estimate {
                    value,
                    interval: (group.key.cores > 1).then(|| Interval {
                        low: value * 0.97,
                        high: value * 1.04,
                        confidence: 0.95,
                        method: "Welch on logs, unpaired".into(),
                    }),
                    n,
                    range: (value * 0.9, value * 1.1),
                    source: "made up".into(),
                },
            });
        }
    }
    speedups
}

/// A ladder on two core counts in which every end occurs.
fn grown(a: &mut Analysis, benchmark: &str) {
    let entry = a
        .benchmarks
        .iter_mut()
        .find(|b| b.name == benchmark)
        .expect("the benchmark is there");
    let parameter = entry.parameters[0].name.clone();
    entry.metrics.push(Metric {
        name: "bytes_each".into(),
        unit: "bytes".into(),
        meaning: "memory per actor".into(),
        optional: false,
        when: BTreeMap::new(),
    });
    entry.curves.push(Curve {
        x: parameter.clone(),
        y: "bytes_each".into(),
    });
    let fell = |size, why: &str, message: &str| ClimbEnd::Fell {
        size,
        why: why.into(),
        message: message.into(),
    };
    let ends = [
        (
            "datil",
            4,
            fell(
                16_000,
                "memory",
                "its resident memory reached 4097 MiB; the limit is 4096 MiB",
            ),
        ),
        (
            "tokio",
            3,
            fell(8_000, "time", "it took 61.2 s; the limit is 60.0 s"),
        ),
        ("actix", 2, fell(4_000, "crash", HOSTILE)),
        ("kameo", 0, fell(1_000, "wrong", "awake is 999, expected 1000")),
        ("erlang", 5, ClimbEnd::Open),
        ("go", 3, ClimbEnd::Top),
    ];
    for cores in [1, 2] {
        let climbs = ends
            .iter()
            .map(|(runtime, steps, end)| climb(runtime, *steps, end.clone(), cores));
        let absent = Climb {
            runtime: "pony".into(),
            rungs: Vec::new(),
            largest: None,
            end: ClimbEnd::Unsupported {
                reason: "not implemented by this peer".into(),
            },
        };
        a.ladders.push(LadderAnalysis {
            key: LadderKey {
                benchmark: benchmark.into(),
                cores,
            },
            parameter: parameter.clone(),
            limits: GrowthLimits {
                time_ns: 60_000_000_000,
                memory_bytes: 4 << 30,
                bisections: 2,
            },
            climbs: climbs.chain([absent]).collect(),
        });
    }
}

fn climb(runtime: &str, steps: u32, end: ClimbEnd, cores: u32) -> Climb {
    let passed = |step: u32| Rung {
        size: 1000 << step,
        failed: None,
        time_ns: Some(f64::from(1_000_000 << step) / f64::from(cores)),
        peak_bytes: Some(4 << (20 + step)),
        metrics: BTreeMap::from([("bytes_each".to_owned(), 400.0 + 10.0 / f64::from(step + cores))]),
    };
    let mut rungs: Vec<Rung> = (0..steps).map(passed).collect();
    if let ClimbEnd::Fell { size, why, .. } = &end {
        rungs.push(Rung {
            size: *size,
            failed: Some(why.clone()),
            time_ns: None,
            peak_bytes: None,
            metrics: BTreeMap::new(),
        });
    }
    Climb {
        runtime: runtime.into(),
        largest: steps.checked_sub(1).map(|step| 1000 << step),
        rungs,
        end,
    }
}

/// Changes a runtime's cell of the `n`th benchmark on every core count.
fn set(a: &mut Analysis, n: usize, runtime: &str, change: impl Fn(&mut Cell)) {
    let name = a.benchmarks[n].name.clone();
    for group in a.groups.iter_mut().filter(|g| g.key.benchmark == name) {
        (group.cells.iter_mut())
            .filter(|c| c.runtime == runtime)
            .for_each(&change);
    }
}

/// A time that only a void cell has: wherever it turns up, a wrong result showed a time.
pub const VOID_NS: u64 = 777_123_456_789;

/// Takes the numbers from what has none. A void cell keeps its own, all of them [`VOID_NS`], so that a leak would show.
fn strip(group: &mut GroupAnalysis) {
    let mut gone = Vec::new();
    for cell in &mut group.cells {
        match cell.state {
            CellState::Verified | CellState::Partly { .. } => continue,
            CellState::Void { .. } => {
                mark(cell);
                continue;
            }
            _ => cell.invocations.clear(),
        }
        cell.estimates.clear();
        cell.ns_per_message = None;
        cell.fairness.clear();
        if !matches!(cell.state, CellState::Unverified { .. }) {
            cell.metrics.clear();
        }
        cell.process.clear();
        gone.push(cell.runtime.clone());
    }
    group
        .pairs
        .retain(|p| !gone.contains(&p.a) && !gone.contains(&p.b));
}

fn mark(cell: &mut Cell) {
    let e = Estimate {
        value: VOID_NS as f64,
        interval: None,
        n: 12,
        range: (VOID_NS as f64, VOID_NS as f64),
        source: String::new(),
    };
    cell.estimates.values_mut().for_each(|v| *v = e.clone());
    cell.ns_per_message = Some(e);
    for point in &mut cell.invocations {
        point.summaries.values_mut().for_each(|v| *v = VOID_NS as f64);
        point.wall_ns.fill(VOID_NS);
    }
}

fn failure(kind: FailureKind, message: &str) -> Failure {
    Failure {
        kind,
        message: message.into(),
        stderr_tail: format!("thread 'main' panicked\n{HOSTILE}"),
        diagnosis: format!("worker 0: futex_wait\n{HOSTILE}"),
    }
}

const RUNTIMES: [&str; 16] = [
    "datil", "tokio", "actix", "kameo", "erlang", "go", "ractor", "pekko", "caf", "akka", "vertx", "jetlang",
    "habanero", "elixir", "orleans", "pony",
];

const BENCHMARKS: [(&str, &str, &str); 8] = [
    (
        "pingpong",
        "Ping Pong",
        "message passing overhead: pure latency, one message in flight at any time",
    ),
    (
        "counting",
        "Counting Actor",
        "throughput into one mailbox from one sender",
    ),
    (
        "forkjoincreate",
        "Fork Join (creation)",
        "cost of creating and ending many short-lived actors",
    ),
    ("big", "Big", "many-to-many traffic with random receivers"),
    ("philosophers", "Dining Philosophers", "contention on one arbiter"),
    (
        "chameneos",
        "Chameneos",
        "contention and fairness at a meeting place",
    ),
    (
        "nqueens",
        "N-Queens first N solutions",
        "divide and conquer with priorities",
    ),
    (
        "trapezoid",
        "Trapezoidal approximation",
        "embarrassingly parallel floating-point work",
    ),
];

/// A session of this shape in which everything went well.
pub fn synthetic(shape: &Shape) -> Analysis {
    let mut random = Random(7141);
    let runtimes: Vec<String> = (0..shape.runtimes).map(runtime_name).collect();
    let benchmarks: Vec<Benchmark> = (0..shape.benchmarks).map(benchmark).collect();
    let mut sequence = 0;
    let mut groups = Vec::new();
    for benchmark in &benchmarks {
        for &cores in &shape.cores {
            groups.push(group(
                benchmark,
                cores,
                &runtimes,
                shape,
                &mut random,
                &mut sequence,
            ));
        }
    }
    let cells = (groups.len() * runtimes.len()) as u32;
    let contaminated = (groups.iter().flat_map(|g| &g.cells).flat_map(|c| &c.invocations))
        .filter(|p| !p.contaminated.is_empty())
        .count() as u32;
    let mut analysis = Analysis {
        schema: 1,
        session: "2026-11-20-calm-otter".into(),
        tool: "scoville 0.1.0".into(),
        started_unix: 1_795_208_400.0,
        ended_unix: 1_795_212_345.0,
        arguments: vec!["run".into(), "--method".into(), "standard".into()],
        plan: plan(&groups, &runtimes, shape),
        machine: machine(),
        findings: vec![Finding {
            level: Level::Warn,
            what: "this is a virtual machine".into(),
            why: "the hypervisor may take CPU time away at any moment".into(),
            mend: "measure on bare metal, or look at the steal column".into(),
        }],
        method: format!(
            "Median of {} interleaved invocations of each runtime, 95 % intervals, ratios paired within blocks \
             (Hodges-Lehmann, signed rank), equivalence margin 2 %, seed 7141.",
            shape.blocks
        ),
        runtimes: runtimes.iter().map(|r| runtime_info(r, &benchmarks)).collect(),
        summaries: summaries(&groups, &runtimes, &shape.cores, shape.blocks),
        speedups: speedups(&groups),
        benchmarks,
        groups,
        ladders: Vec::new(),
        sentences: vec![
            "datil is fastest in most of the benchmarks that both it and its competitors verified.".into(),
            "Against tokio the data leave two comparisons undecided; more blocks would settle them.".into(),
        ],
        validity: Validity {
            cells,
            verified: cells,
            invocations: sequence,
            contaminated,
            warnings: vec![Finding {
                level: Level::Warn,
                what: format!("{contaminated} invocations are contaminated"),
                why: "something else used the CPUs while they ran".into(),
                mend: "run again on a quiet machine with: scoville run --resume".into(),
            }],
            ..Validity::default()
        },
    };
    analysis.plan.method.name = "standard".into();
    analysis
}

fn runtime_name(i: usize) -> String {
    RUNTIMES[i % RUNTIMES.len()].to_string()
}

fn benchmark(i: usize) -> Benchmark {
    let (name, title, measures) = BENCHMARKS[i % BENCHMARKS.len()];
    let round = i / BENCHMARKS.len();
    let suffix = if round == 0 {
        String::new()
    } else {
        format!("{}", round + 1)
    };
    let preset = Preset {
        parameters: [("pings".to_string(), Argument::from(40_000))].into(),
        expect: [("result".to_string(), Value::Int(800_020_000))].into(),
        unverified: String::new(),
        work: Work {
            actors: 2,
            messages: Some(120_001),
        },
    };
    Benchmark {
        name: format!("{name}{suffix}"),
        title: if round == 0 {
            title.into()
        } else {
            format!("{title} {}", round + 1)
        },
        number: i as u32 + 1,
        category: ["micro", "concurrency", "parallelism"][i / 3 % 3].into(),
        measures: measures.into(),
        origin: "Savina paper, section 4.1".into(),
        description:
            "Ping sends a ball to Pong, which returns it. Every ball carries the number of rounds left, and \
                      Ping adds up what comes back, so that a lost or repeated message is visible."
                .into(),
        actors: "2".into(),
        messages: "3N + 1".into(),
        messages_plus: String::new(),
        kinds: Vec::new(),
        flows: Vec::new(),
        phases: Phases::default(),
        labels: Vec::new(),
        relations: Vec::new(),
        parameters: vec![Parameter {
            name: "pings".into(),
            symbol: "N".into(),
            meaning: "round trips".into(),
            kind: ParameterKind::I64,
            min: Some(Value::Int(1)),
            above: None,
            max: None,
            power_of_two: false,
            choices: Vec::new(),
        }],
        fields: vec![Field {
            name: "result".into(),
            kind: Kind::I64,
            meaning: "sum of all returned numbers".into(),
            formula: "N(N+1)/2".into(),
            when: BTreeMap::new(),
        }],
        metrics: Vec::new(),
        per_actor: Vec::new(),
        curves: Vec::new(),
        growth: None,
        presets: [("savina".to_string(), preset)].into(),
        published: vec![Published {
            source: "savina-2014".into(),
            figure: "Figure 1".into(),
            preset: Some("savina".into()),
            note: "N is given only in the plot.".into(),
        }],
    }
}

fn group(
    benchmark: &Benchmark,
    cores: u32,
    runtimes: &[String],
    shape: &Shape,
    random: &mut Random,
    sequence: &mut u32,
) -> GroupAnalysis {
    let base = 2e6 * (1.0 + 40.0 * random.unit().powi(3));
    let mut levels = Vec::new();
    for i in 0..runtimes.len() {
        let spread = if i == 0 {
            1.0
        } else {
            (random.unit() * 3.0 - 0.7).exp()
        };
        levels.push(base * spread / f64::from(cores).powf(0.7 * random.unit()));
    }
    let mut cells: Vec<Cell> = runtimes.iter().map(|r| empty_cell(r)).collect();
    let mut blocks = Vec::new();
    for block in 0..shape.blocks {
        let mut order: Vec<usize> = (0..runtimes.len()).collect();
        order.sort_by_key(|_| random.next());
        for &i in &order {
            cells[i]
                .invocations
                .push(invocation(levels[i], i, block, *sequence, cores, shape, random));
            *sequence += 1;
        }
        let order = order.iter().map(|&i| runtimes[i].clone()).collect();
        blocks.push(block_info(block, order, random));
    }
    for (i, cell) in cells.iter_mut().enumerate() {
        fill(cell, levels[i], i, benchmark, cores, shape.blocks, random);
    }
    GroupAnalysis {
        key: GroupKey {
            benchmark: benchmark.name.clone(),
            preset: "savina".into(),
            cores,
        },
        pairs: pairs(&cells, shape.blocks, random),
        cells,
        blocks,
        stopped: "every interval is within the target".into(),
    }
}

fn empty_cell(runtime: &str) -> Cell {
    Cell {
        runtime: runtime.into(),
        state: CellState::Verified,
        estimates: BTreeMap::new(),
        unavailable: BTreeMap::new(),
        ns_per_message: None,
        cv_between: Some(0.021),
        cv_within: Some(0.034),
        warmup: WarmupSummary::default(),
        disturbance: Disturbance::default(),
        invocations: Vec::new(),
        fairness: BTreeMap::new(),
        metrics: BTreeMap::new(),
        process: BTreeMap::new(),
    }
}

fn invocation(
    level: f64,
    runtime: usize,
    block: u32,
    sequence: u32,
    cores: u32,
    shape: &Shape,
    random: &mut Random,
) -> InvocationPoint {
    let steal = if random.unit() < 0.06 {
        0.03 + 0.05 * random.unit()
    } else {
        0.002 * random.unit()
    };
    let contaminated = if steal > 0.01 {
        vec![format!(
            "the hypervisor took {:.1} % of the CPU time",
            steal * 100.0
        )]
    } else {
        Vec::new()
    };
    let wall = level * random.around(0.02) * (1.0 + steal);
    let steady_from = if runtime >= 4 { 9 } else { 1 };
    let wall_ns: Vec<u64> = (0..shape.iterations)
        .map(|i| {
            let cold = if runtime >= 4 { 4.0 } else { 0.4 };
            let warm = 1.0 + cold * (-(i as f64) / (steady_from as f64 / 3.0)).exp();
            (wall * warm * random.around(0.03)) as u64
        })
        .collect();
    let utilisation = (0.5 + 0.08 * (runtime % 6) as f64) * random.around(0.02);
    let memory = (3.0 + 40.0 * runtime as f64) * 1_048_576.0 * random.around(0.01);
    let summaries = [
        (Measure::Wall, wall),
        (Measure::Cold, wall_ns[0] as f64),
        (Measure::Cpu, wall * utilisation * f64::from(cores)),
        (Measure::Memory, memory),
        (Measure::Utilisation, utilisation),
    ];
    InvocationPoint {
        block,
        sequence,
        summaries: summaries.into(),
        wall_ns,
        steady_from,
        warmup: if runtime >= 4 {
            Warmup::WarmUp
        } else {
            Warmup::Flat
        },
        process: process_use(wall, memory),
        sensors: Sensors {
            steal: Reading::known(steal, "/proc/stat"),
            steal_error: Some(0.0),
            foreign: Reading::known(0.004 * random.unit(), "/proc/stat"),
            foreign_error: Some(0.0),
            cpu_pressure: Reading::known(0.02 * random.unit(), "cpu.pressure"),
            frequency_hz: Reading::unavailable("no cpufreq here"),
            swapped_in: Reading::known(0, "/proc/vmstat"),
        },
        contaminated,
        failure: None,
        superseded: false,
    }
}

fn process_use(wall: f64, memory: f64) -> ProcessUse {
    ProcessUse {
        wall_ns: (wall * 45.0) as u64,
        start_ns: Some(2_000_000),
        cpu_ns: Reading::known((wall * 40.0) as u64, "cpu.stat"),
        peak_bytes: Reading::known(memory as u64, "memory.peak"),
        baseline_bytes: Reading::known(2_000_000, "VmHWM"),
        voluntary_switches: Reading::known(1234, "/proc/pid/status"),
        involuntary_switches: Reading::known(56, "/proc/pid/status"),
        run_queue_wait_ns: Reading::known(1_000_000, "/proc/pid/schedstat"),
        threads: Reading::known(4, "/proc/pid/status"),
        events: [(
            "instructions".to_string(),
            Reading::unavailable("no hardware counters on this machine (ENOENT)"),
        )]
        .into(),
    }
}

fn block_info(block: u32, order: Vec<String>, random: &mut Random) -> BlockInfo {
    let mut sensors = || BlockSensors {
        line_handover_ns: Reading::known(50.0 * random.around(0.1), "cache line handed over"),
        canary_ns: Reading::known(1e8 * random.around(0.01), "canary kernel"),
    };
    BlockInfo {
        block,
        order,
        before: sensors(),
        after: Some(sensors()),
        contaminated: Vec::new(),
    }
}

fn fill(
    cell: &mut Cell,
    level: f64,
    i: usize,
    benchmark: &Benchmark,
    cores: u32,
    n: u32,
    random: &mut Random,
) {
    for measure in [
        Measure::Wall,
        Measure::Cold,
        Measure::Cpu,
        Measure::Memory,
        Measure::Utilisation,
    ] {
        let values: Vec<f64> = cell.invocations.iter().map(|p| p.summaries[&measure]).collect();
        let middle = values[values.len() / 2];
        let value = if measure == Measure::Wall { level } else { middle };
        cell.estimates.insert(measure, estimate(value, 0.012, n, random));
    }
    let messages = benchmark.presets["savina"].work.messages.expect("known") as f64;
    cell.ns_per_message = Some(estimate(level / messages, 0.012, n, random));
    let class = cell.invocations[0].warmup;
    cell.warmup = WarmupSummary {
        classes: [(class, n)].into(),
        consistent: Some(class),
    };
    cell.metrics.insert("pongs".into(), 40_000.0);
    cell.process = [
        ("run-queue-wait".to_string(), 0.01 + 0.1 * random.unit()),
        ("voluntary-switches".to_string(), 1234.0),
        ("involuntary-switches".to_string(), 56.0),
        ("threads".to_string(), f64::from(cores) + 2.0),
    ]
    .into();
    if benchmark.name.starts_with("chameneos") {
        let wide = 0.05 + 0.1 * i as f64;
        let five = [
            1.0 - wide,
            1.0 - wide / 3.0,
            1.0,
            1.0 + wide / 2.5,
            1.0 + 1.4 * wide,
        ];
        cell.fairness.insert(
            "meetings".into(),
            Fairness {
                actors: 100,
                jain: 1.0 / (1.0 + wide * wide),
                cv: wide,
                five,
                sd: wide * 800.0,
                mean: 800.0,
            },
        );
    }
}

fn estimate(value: f64, half: f64, n: u32, random: &mut Random) -> Estimate {
    let half = half * (0.4 + 1.2 * random.unit());
    Estimate {
        value,
        interval: (n > 1).then(|| Interval {
            low: value * (1.0 - half),
            high: value * (1.0 + half),
            confidence: 0.961,
            method: "order statistics".into(),
        }),
        n,
        range: (value * (1.0 - 2.0 * half), value * (1.0 + 3.0 * half)),
        source: "median of the steady iterations".into(),
    }
}

fn pairs(cells: &[Cell], n: u32, random: &mut Random) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (i, a) in cells.iter().enumerate() {
        for b in &cells[i + 1..] {
            for (&measure, of_a) in &a.estimates {
                let half = 0.008 + 0.04 * random.unit().powi(2);
                let tail = random.unit() < 0.05;
                let ratio = of_a.value / b.estimates[&measure].value * random.around(0.004);
                pairs.push(pair(measure, &a.runtime, &b.runtime, ratio, half, n, tail));
                pairs.push(pair(measure, &b.runtime, &a.runtime, 1.0 / ratio, half, n, tail));
            }
        }
    }
    pairs
}

fn pair(measure: Measure, a: &str, b: &str, ratio: f64, half: f64, n: u32, tail: bool) -> Pair {
    let (low, high) = (ratio * (-half).exp(), ratio * half.exp());
    let verdict = match (low, high) {
        (_, h) if h < 1.0 / 1.02 => Verdict::Faster,
        (l, _) if l > 1.02 => Verdict::Slower,
        (l, h) if l > 1.0 / 1.02 && h < 1.02 => Verdict::Equal,
        (_, h) if h < 1.0 => Verdict::FasterSmall,
        (l, _) if l > 1.0 => Verdict::SlowerSmall,
        _ => Verdict::Undecided,
    };
    let decided = !matches!(verdict, Verdict::Undecided | Verdict::Equal);
    let made = |value: f64| Estimate {
        value,
        interval: (n > 1).then(|| Interval {
            low,
            high,
            confidence: 0.958,
            method: "signed rank".into(),
        }),
        n,
        range: (low * 0.97, high * 1.05),
        source: "Hodges-Lehmann over paired log-ratios".into(),
    };
    Pair {
        measure,
        a: a.into(),
        b: b.into(),
        ratio: made(ratio),
        mean_ratio: made(ratio * if tail { 1.08 } else { 1.001 }),
        share_lower: if ratio < 1.0 { 0.92 } else { 0.08 },
        verdict,
        p: (n >= 6).then_some(if decided { 0.0005 } else { 0.4 }),
        p_holm: (n >= 6).then_some(if !decided {
            1.0
        } else if (1.0..1.04).contains(&ratio.max(1.0 / ratio)) {
            0.07
        } else {
            0.012
        }),
        asymmetric_tail: tail,
        blocks_to_decide: (!decided).then_some(40),
        clean_ratio: None,
        disturbance: Disturbance::default(),
    }
}

fn summaries(groups: &[GroupAnalysis], runtimes: &[String], cores: &[u32], blocks: u32) -> Vec<Summary> {
    let mut summaries = Vec::new();
    for measure in [Measure::Wall, Measure::Cpu, Measure::Memory, Measure::Cold] {
        for &cores in cores {
            for runtime in &runtimes[1..] {
                let shown = |g: &&GroupAnalysis| {
                    let void = |c: &&Cell| c.runtime == *runtime && matches!(c.state, CellState::Void { .. });
                    g.key.cores == cores && !g.cells.iter().any(|c| void(&c))
                };
                let ratios: Vec<(String, f64)> = (groups.iter().filter(shown))
                    .filter_map(|g| {
                        let pair = g
                            .pairs
                            .iter()
                            .find(|p| p.measure == measure && p.a == *runtime && p.b == runtimes[0])?;
                        Some((g.key.benchmark.clone(), pair.ratio.value))
                    })
                    .collect();
                let by = |x: &&(String, f64), y: &&(String, f64)| x.1.total_cmp(&y.1);
                let product: f64 = ratios.iter().map(|r| r.1.ln()).sum();
                let value = (product / ratios.len() as f64).exp();
                summaries.push(Summary {
                    measure,
                    runtime: runtime.clone(),
                    baseline: runtimes[0].clone(),
                    preset: "savina".into(),
                    cores,
                    geomean: pair(measure, "", "", value, 0.02, blocks, false).ratio,
                    smallest: ratios.iter().min_by(by).cloned().unwrap_or_default(),
                    largest: ratios.iter().max_by(by).cloned().unwrap_or_default(),
                    common: ratios.iter().map(|r| r.0.clone()).collect(),
                    missing: (groups.iter().filter(|g| g.key.cores == cores))
                        .filter(|g| ratios.iter().all(|r| r.0 != g.key.benchmark))
                        .map(|g| (g.key.benchmark.clone(), "not verified".to_string()))
                        .collect(),
                    disturbance: Disturbance::default(),
                });
            }
        }
    }
    summaries
}

fn runtime_info(name: &str, benchmarks: &[Benchmark]) -> RuntimeInfo {
    RuntimeInfo {
        name: name.into(),
        hello: Some(Hello {
            runtime: name.into(),
            version: "1.2.3".into(),
            language: "Rust 1.95.0".into(),
            workers: 2,
            gc: "none".into(),
            capabilities: vec!["per-actor".into()],
            labels: [("idiom".to_string(), format!("tuned {HOSTILE}"))].into(),
            benchmarks: benchmarks.iter().map(|b| b.name.clone()).collect(),
        }),
        command: vec![
            "scoville".into(),
            "peer".into(),
            name.into(),
            "--workers=2".into(),
        ],
    }
}

fn plan(groups: &[GroupAnalysis], runtimes: &[String], shape: &Shape) -> Plan {
    let planned = groups.iter().map(|g| Group {
        key: g.key.clone(),
        parameters: [("pings".to_string(), Argument::from(40_000))].into(),
        expect: [("result".to_string(), Value::Int(800_020_000))].into(),
        unverified: String::new(),
        work: Work {
            actors: 2,
            messages: Some(120_001),
        },
        messages_plus: String::new(),
        cpus: (0..g.key.cores).collect(),
        competitors: runtimes.iter().map(|r| competitor(r, g.key.cores)).collect(),
    });
    Plan {
        seed: 7141,
        method: Method {
            name: "standard".into(),
            min_blocks: 10,
            max_blocks: shape.blocks,
            target: Some(0.02),
            budget_ns: None,
            iterations: IterationRule {
                min: 30,
                max: 200,
                floor_ns: 3_000_000_000,
                ceiling_ns: 30_000_000_000,
            },
            margin: 0.02,
            limits: Limits {
                start_ns: 30_000_000_000,
                iteration_ns: 60_000_000_000,
                leave_ns: 5_000_000_000,
            },
        },
        groups: planned.collect(),
        ladders: Vec::new(),
        skipped: Vec::new(),
        baseline: runtimes[0].clone(),
    }
}

fn competitor(runtime: &str, cores: u32) -> Competitor {
    Competitor {
        runtime: runtime.into(),
        reports_as: runtime.into(),
        launch: Launch {
            command: vec![
                "scoville".into(),
                "peer".into(),
                runtime.into(),
                format!("--workers={cores}"),
            ],
            env: BTreeMap::new(),
            cwd: PathBuf::from("."),
            quit: None,
        },
    }
}

fn machine() -> Machine {
    let cpu = |id| Cpu {
        id,
        core: id,
        package: 0,
        node: 0,
        llc: 0,
    };
    Machine {
        cpu_model: Reading::known("AMD EPYC 9654P 96-Core Processor".into(), "/proc/cpuinfo"),
        cpus: (0..2).map(cpu).collect(),
        memory_bytes: Reading::known(25_769_803_776, "/proc/meminfo"),
        kernel: Reading::known("6.18.0".into(), "uname"),
        distribution: Reading::known("Debian GNU/Linux 12".into(), "/etc/os-release"),
        virtualisation: Reading::known("kvm".into(), "/proc/cpuinfo"),
        cgroup: Reading::known("v2, a leaf of our own".into(), "/proc/self/cgroup"),
        events: [(
            "instructions".to_string(),
            Reading::unavailable("no hardware counters on this machine (ENOENT)"),
        )]
        .into(),
        facts: [
            ("governor".to_string(), Reading::unavailable("no cpufreq here")),
            (
                "swap".to_string(),
                Reading::known("none".to_string(), "/proc/swaps"),
            ),
        ]
        .into(),
        fingerprint: "epyc-9654p-2c-24g".into(),
    }
}

/// SplitMix64: small and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About 1, spread by `sd`.
    fn around(&mut self, sd: f64) -> f64 {
        let sum: f64 = (0..6).map(|_| self.unit()).sum();
        1.0 + sd * (sum - 3.0) * 1.4
    }
}
