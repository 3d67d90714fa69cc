//! Sessions as their logs would tell them.

use std::collections::BTreeMap;

use scoville::model::benchmark::{Value, Work};
use scoville::model::event::{Event, LOG_VERSION, What};
use scoville::model::invocation::{
    Failure, FailureKind, Invocation, Iterations, Outcome, ProcessUse, Sensors,
};
use scoville::model::machine::{BlockSensors, Machine};
use scoville::model::plan::{Competitor, Group, GroupKey, IterationRule, Limits, Method, Plan};
use scoville::model::reading::Reading;
use scoville::model::runtime::Launch;

pub fn key(benchmark: &str) -> GroupKey {
    GroupKey {
        benchmark: benchmark.to_owned(),
        preset: "quick".to_owned(),
        cores: 2,
    }
}

pub fn plan(benchmarks: &[&str], runtimes: &[&str]) -> Plan {
    let group = |benchmark: &&str| Group {
        key: key(benchmark),
        parameters: BTreeMap::new(),
        expect: BTreeMap::from([("result".to_owned(), Value::Int(1))]),
        unverified: String::new(),
        work: Work {
            actors: 2,
            messages: Some(1000),
        },
        messages_plus: String::new(),
        cpus: vec![0, 1],
        competitors: runtimes.iter().map(|name| competitor(name)).collect(),
    };
    Plan {
        seed: 7141,
        method: Method {
            name: "standard".to_owned(),
            min_blocks: 10,
            max_blocks: 30,
            target: Some(0.02),
            budget_ns: None,
            iterations: IterationRule {
                min: 30,
                max: 200,
                floor_ns: 3_000_000_000,
                ceiling_ns: 60_000_000_000,
            },
            margin: 0.02,
            limits: Limits {
                start_ns: 60,
                iteration_ns: 60,
                leave_ns: 10,
            },
        },
        groups: benchmarks.iter().map(group).collect(),
        ladders: Vec::new(),
        skipped: Vec::new(),
        baseline: runtimes[0].to_owned(),
    }
}

fn competitor(name: &str) -> Competitor {
    Competitor {
        runtime: name.to_owned(),
        reports_as: name.to_owned(),
        launch: Launch {
            command: vec!["peer".to_owned(), name.to_owned()],
            env: BTreeMap::new(),
            cwd: "/".into(),
            quit: None,
        },
    }
}

fn missing<T>() -> Reading<T> {
    Reading::unavailable("simulated")
}

pub fn calm() -> Sensors {
    Sensors {
        steal: Reading::known(0.0, "simulated"),
        steal_error: Some(0.0),
        foreign: Reading::known(0.0, "simulated"),
        foreign_error: Some(0.0),
        cpu_pressure: Reading::known(0.1, "simulated"),
        frequency_hz: Reading::known(3e9, "simulated"),
        swapped_in: Reading::known(0, "simulated"),
    }
}

pub fn block_sensors(line: f64, canary: f64) -> BlockSensors {
    BlockSensors {
        line_handover_ns: Reading::known(line, "simulated"),
        canary_ns: Reading::known(canary, "simulated"),
    }
}

pub fn quiet_block() -> BlockSensors {
    block_sensors(48.0, 1e8)
}

pub fn invocation(wall_ns: Vec<u64>) -> Invocation {
    Invocation {
        outcome: Outcome::Ok,
        hello: None,
        iterations: Iterations {
            outer_ns: wall_ns.iter().map(|ns| Some(ns + 1000)).collect(),
            cpu_ns: Some(Reading::known(
                wall_ns.iter().map(|ns| Some(ns * 3 / 2)).collect(),
                "cpu.stat",
            )),
            wall_ns,
            ..Iterations::default()
        },
        process: ProcessUse {
            wall_ns: 1_000_000_000,
            start_ns: Some(1_000_000),
            cpu_ns: missing(),
            peak_bytes: Reading::known(4096 * 1000, "memory.peak"),
            baseline_bytes: missing(),
            voluntary_switches: missing(),
            involuntary_switches: missing(),
            run_queue_wait_ns: missing(),
            threads: missing(),
            events: BTreeMap::new(),
        },
        sensors: calm(),
    }
}

pub fn failed(kind: FailureKind) -> Invocation {
    let (message, none) = (format!("simulated {kind:?}"), String::new());
    let failure = Failure {
        kind,
        message,
        stderr_tail: none.clone(),
        diagnosis: none,
    };
    Invocation {
        outcome: Outcome::Failed(failure),
        ..invocation(vec![5_000_000; 3])
    }
}

/// A log under construction.
pub struct Log {
    pub events: Vec<Event>,
}

impl Log {
    pub fn new(plan: Plan) -> Self {
        let mut log = Log { events: Vec::new() };
        log.push(What::SessionStarted {
            log_version: LOG_VERSION,
            tool: "0.1.0".to_owned(),
            session: "simulated".to_owned(),
            arguments: vec!["run".to_owned()],
            plan: Box::new(plan),
            machine: Box::new(Machine {
                cpu_model: missing(),
                cpus: Vec::new(),
                memory_bytes: missing(),
                kernel: missing(),
                distribution: missing(),
                virtualisation: missing(),
                cgroup: missing(),
                events: BTreeMap::new(),
                facts: BTreeMap::new(),
                fingerprint: "one".to_owned(),
            }),
            findings: Vec::new(),
        });
        log
    }

    /// What the session says of itself, to be changed.
    pub fn opening(&mut self) -> (&mut Plan, &mut Machine) {
        match &mut self.events[0].what {
            What::SessionStarted { plan, machine, .. } => (plan, machine),
            _ => unreachable!("it begins with its start"),
        }
    }

    pub fn push(&mut self, what: What) {
        self.events.push(Event {
            unix: 1e9 + self.events.len() as f64,
            what,
        });
    }

    pub fn start(&mut self, benchmark: &str, block: u32, sensors: BlockSensors) {
        self.push(What::BlockStarted {
            group: key(benchmark),
            block,
            order: Vec::new(),
            padding: 0,
            sensors,
        });
    }

    pub fn run(&mut self, benchmark: &str, block: u32, runtime: &str, invocation: Invocation) {
        self.push(What::InvocationFinished {
            group: key(benchmark),
            block,
            runtime: runtime.to_owned(),
            invocation: Box::new(invocation),
        });
    }

    pub fn finish(&mut self, benchmark: &str, block: u32, sensors: BlockSensors) {
        self.push(What::BlockFinished {
            group: key(benchmark),
            block,
            sensors,
        });
    }

    /// A calm block in which every runtime has thirty equal iterations of its time.
    pub fn block(&mut self, benchmark: &str, block: u32, times: &[(&str, u64)]) {
        self.start(benchmark, block, quiet_block());
        for (runtime, ns) in times {
            self.run(benchmark, block, runtime, invocation(vec![*ns; 30]));
        }
        self.finish(benchmark, block, quiet_block());
    }
}
