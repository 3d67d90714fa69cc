//! What judging the largest planned session costs: 39 benchmarks, 16 runtimes, 5 core counts, 20 blocks, 60 iterations in
//! each of the 62 400 invocations. `cargo run --release --example analyse_60000` prints seconds; a smaller session is
//! asked for by the number of blocks: `... -- 10`.

use std::collections::BTreeMap;
use std::time::Instant;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use scoville::judge::{analyse, precision};
use scoville::model::benchmark::Work;
use scoville::model::event::{Event, LOG_VERSION, What};
use scoville::model::invocation::{Invocation, Iterations, Outcome, ProcessUse, Sensors};
use scoville::model::machine::{BlockSensors, Machine};
use scoville::model::plan::{Competitor, Group, GroupKey, IterationRule, Limits, Method, Plan};
use scoville::model::reading::Reading;
use scoville::model::runtime::Launch;

const BENCHMARKS: u32 = 39;
const RUNTIMES: u32 = 16;
const CORES: [u32; 5] = [1, 2, 4, 8, 16];
const ITERATIONS: usize = 60;

fn main() {
    let blocks = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    let events = events(blocks);
    let started = Instant::now();
    let analysis = analyse(&events, &[]).expect("the events begin with the start of a session");
    let all = started.elapsed();
    let started = Instant::now();
    let width = precision(&events, &analysis.groups[0].key);
    let cheap = started.elapsed();
    let pairs: usize = analysis.groups.iter().map(|group| group.pairs.len()).sum();
    println!(
        "{} invocations of {ITERATIONS} iterations",
        analysis.validity.invocations
    );
    println!("{pairs} ordered pairs, {} summaries", analysis.summaries.len());
    println!("analyse    {:>9.3} s", all.as_secs_f64());
    println!(
        "precision  {:>9.3} s for one group ({width:?})",
        cheap.as_secs_f64()
    );
}

fn events(blocks: u32) -> Vec<Event> {
    let plan = plan();
    let keys: Vec<GroupKey> = plan.groups.iter().map(|group| group.key.clone()).collect();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut whats = vec![started(plan)];
    for block in 0..blocks {
        for group in &keys {
            let sensors = quiet();
            whats.push(What::BlockStarted {
                group: group.clone(),
                block,
                order: Vec::new(),
                padding: 0,
                sensors,
            });
            for runtime in 0..RUNTIMES {
                whats.push(What::InvocationFinished {
                    group: group.clone(),
                    block,
                    runtime: name(runtime),
                    invocation: Box::new(invocation(&mut random)),
                });
            }
            whats.push(What::BlockFinished {
                group: group.clone(),
                block,
                sensors: quiet(),
            });
        }
    }
    whats.into_iter().map(|what| Event { unix: 0.0, what }).collect()
}

fn name(runtime: u32) -> String {
    format!("runtime{runtime:02}")
}

fn quiet() -> BlockSensors {
    BlockSensors {
        line_handover_ns: Reading::known(48.0, "simulated"),
        canary_ns: Reading::known(1e8, "simulated"),
    }
}

/// A warming-up series with 10 % of uniform noise.
fn invocation(random: &mut Xoshiro256PlusPlus) -> Invocation {
    let mut uniform = || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let level = 1e7 * (1.0 + 0.1 * uniform());
    let time =
        |i: usize, noise: f64| (level * (1.0 + 0.5 * (-(i as f64) / 8.0).exp()) * (1.0 + 0.1 * noise)) as u64;
    let wall_ns: Vec<u64> = (0..ITERATIONS).map(|i| time(i, uniform())).collect();
    let missing = || Reading::unavailable("simulated");
    Invocation {
        outcome: Outcome::Ok,
        hello: None,
        iterations: Iterations {
            outer_ns: wall_ns.iter().copied().map(Some).collect(),
            cpu_ns: Some(Reading::known(
                wall_ns.iter().copied().map(Some).collect(),
                "simulated",
            )),
            wall_ns,
            ..Iterations::default()
        },
        process: ProcessUse {
            wall_ns: 1,
            start_ns: None,
            cpu_ns: missing(),
            peak_bytes: Reading::known((1e7 * (1.0 + uniform())) as u64, "simulated"),
            baseline_bytes: missing(),
            voluntary_switches: missing(),
            involuntary_switches: missing(),
            run_queue_wait_ns: missing(),
            threads: missing(),
            events: BTreeMap::new(),
        },
        sensors: Sensors {
            steal: Reading::known(0.0, "simulated"),
            steal_error: Some(0.0),
            foreign: Reading::known(0.0, "simulated"),
            foreign_error: Some(0.0),
            cpu_pressure: Reading::known(0.1, "simulated"),
            frequency_hz: Reading::known(3e9, "simulated"),
            swapped_in: Reading::known(0, "simulated"),
        },
    }
}

fn plan() -> Plan {
    let group = |benchmark: u32, cores: u32| Group {
        key: GroupKey {
            benchmark: format!("benchmark{benchmark:02}"),
            preset: "quick".to_owned(),
            cores,
        },
        parameters: BTreeMap::new(),
        expect: BTreeMap::new(),
        unverified: String::new(),
        work: Work {
            actors: 2,
            messages: Some(1000),
        },
        messages_plus: String::new(),
        cpus: (0..cores).collect(),
        competitors: (0..RUNTIMES).map(competitor).collect(),
    };
    let all = (0..BENCHMARKS).flat_map(|benchmark| CORES.map(|cores| group(benchmark, cores)));
    Plan {
        seed: 1,
        method: Method {
            name: "standard".to_owned(),
            min_blocks: 10,
            max_blocks: 30,
            target: Some(0.02),
            budget_ns: None,
            iterations: IterationRule {
                min: 30,
                max: 200,
                floor_ns: 0,
                ceiling_ns: u64::MAX,
            },
            margin: 0.02,
            limits: Limits {
                start_ns: 0,
                iteration_ns: 0,
                leave_ns: 0,
            },
        },
        groups: all.collect(),
        ladders: Vec::new(),
        skipped: Vec::new(),
        baseline: name(0),
    }
}

fn competitor(runtime: u32) -> Competitor {
    Competitor {
        runtime: name(runtime),
        reports_as: name(runtime),
        launch: Launch {
            command: vec![name(runtime)],
            env: BTreeMap::new(),
            cwd: "/".into(),
            quit: None,
        },
    }
}

fn started(plan: Plan) -> What {
    let missing = || Reading::unavailable("simulated");
    What::SessionStarted {
        log_version: LOG_VERSION,
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        session: "simulated".to_owned(),
        arguments: Vec::new(),
        plan: Box::new(plan),
        machine: Box::new(Machine {
            cpu_model: missing(),
            cpus: Vec::new(),
            memory_bytes: Reading::unavailable("simulated"),
            kernel: missing(),
            distribution: missing(),
            virtualisation: missing(),
            cgroup: missing(),
            events: BTreeMap::new(),
            facts: BTreeMap::new(),
            fingerprint: "simulated".to_owned(),
        }),
        findings: Vec::new(),
    }
}
