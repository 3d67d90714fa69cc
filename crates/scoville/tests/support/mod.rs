//! A machine that exists only in memory.

use std::collections::BTreeMap;
use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use scoville::drive::{Host, Interrupt};
use scoville::log::Log;
use scoville::model::benchmark::Work;
use scoville::model::event::{Event, What};
use scoville::model::invocation::{
    Failure, FailureKind, Invocation, Iterations, Order, Outcome, ProcessUse, Sensors,
};
use scoville::model::machine::{BlockSensors, Cpu, Finding, Machine};
use scoville::model::plan::{Competitor, Group, GroupKey, Plan};
use scoville::model::reading::Reading;
use scoville::model::runtime::Launch;
use scoville::plan::{fixed, standard};
use scoville::schedule::{Assess, Progress, Step};
use scoville::session::{Observer, Opening, Session};

const MS: u64 = 1_000_000;

/// Nobody watches.
pub struct Quiet;

impl Observer for Quiet {
    fn before(&mut self, _: &Step, _: &Progress) {}
    fn after(&mut self, _: &Event, _: &Progress) {}
}

/// No interval is ever narrow, nothing is ever contaminated.
pub struct Wide;

impl Assess for Wide {
    fn half_width(&self, _: &[Event], _: &GroupKey) -> Option<f64> {
        None
    }

    fn contaminated(&self, _: &[Event], _: &GroupKey) -> Vec<u32> {
        Vec::new()
    }
}

/// The simulated machine.
pub struct Fake {
    clock_ns: u64,
    noise: Option<Xoshiro256PlusPlus>,
    /// Runtimes of all invocations, in order.
    pub ran: Vec<String>,
    /// Iteration limits that were ordered.
    pub limits: Vec<(String, u64)>,
    /// Runtimes that fail, and how.
    pub failing: BTreeMap<String, FailureKind>,
    /// Runtimes that take longer by a factor.
    pub factor: BTreeMap<String, f64>,
    /// Time of an iteration, by runtime; 10 ms unless given.
    pub iteration_ns: BTreeMap<String, u64>,
    /// A process cannot be ended after so many invocations.
    pub dirty_after: Option<usize>,
    /// This invocation (from 0) is cut off by the user.
    pub interrupted_at: Option<usize>,
}

impl Fake {
    /// Without noise.
    pub fn new() -> Self {
        Self {
            clock_ns: 0,
            noise: None,
            ran: Vec::new(),
            limits: Vec::new(),
            failing: BTreeMap::new(),
            factor: BTreeMap::new(),
            iteration_ns: BTreeMap::new(),
            dirty_after: None,
            interrupted_at: None,
        }
    }

    /// Invocations differ by 1 % and the machine slows down by 0.1 % with each.
    pub fn noisy(seed: u64) -> Self {
        Self {
            noise: Some(Xoshiro256PlusPlus::seed_from_u64(seed)),
            ..Self::new()
        }
    }

    /// Facts of this machine.
    pub fn facts(&self) -> Machine {
        let unknown = || Reading::unavailable("simulated");
        Machine {
            cpu_model: unknown(),
            cpus: vec![Cpu {
                id: 0,
                core: 0,
                package: 0,
                node: 0,
                llc: 0,
            }],
            memory_bytes: Reading::unavailable("simulated"),
            kernel: unknown(),
            distribution: unknown(),
            virtualisation: unknown(),
            cgroup: unknown(),
            events: BTreeMap::new(),
            facts: BTreeMap::new(),
            fingerprint: "simulated".into(),
        }
    }

    /// What becomes of a step on this machine, without any log.
    pub fn event(&mut self, step: &Step) -> Event {
        let what = match step.clone() {
            Step::StartBlock {
                group,
                block,
                order,
                padding,
            } => What::BlockStarted {
                group,
                block,
                order,
                padding,
                sensors: sensors(),
            },
            Step::Invoke {
                group,
                block,
                runtime,
                ..
            } => What::InvocationFinished {
                group,
                block,
                invocation: Box::new(invocation(Outcome::Ok, vec![MS], 10 * MS)),
                runtime,
            },
            Step::FinishBlock { group, block } => What::BlockFinished {
                group,
                block,
                sensors: sensors(),
            },
            Step::FinishGroup { group, reason } => What::GroupFinished { group, reason },
            Step::End { reason } => What::SessionEnded { reason },
        };
        Event { unix: 0.0, what }
    }

    fn wall_ns(&mut self, runtime: &str) -> u64 {
        let base = self.iteration_ns.get(runtime).copied().unwrap_or(10 * MS) as f64;
        let drift = 1.0 + 0.001 * self.ran.len() as f64;
        let noise = self
            .noise
            .as_mut()
            .map_or(1.0, |noise| drift * (0.01 * normal(noise)).exp());
        (base * noise * self.factor.get(runtime).copied().unwrap_or(1.0)) as u64
    }
}

/// Sum of twelve uniform draws: near enough to a normal distribution.
fn normal(noise: &mut Xoshiro256PlusPlus) -> f64 {
    (0..12)
        .map(|_| noise.next_u64() as f64 / u64::MAX as f64)
        .sum::<f64>()
        - 6.0
}

impl Host for Fake {
    fn machine(&mut self) -> (Machine, Vec<Finding>) {
        (self.facts(), Vec::new())
    }

    fn now_ns(&self) -> u64 {
        self.clock_ns
    }

    fn unix(&self) -> f64 {
        self.clock_ns as f64 / 1e9
    }

    fn sense_block(&mut self, _: &[u32]) -> BlockSensors {
        sensors()
    }

    fn invoke(&mut self, order: &Order, _: &Interrupt) -> Invocation {
        let runtime = order.launch.command[0].clone();
        let failed = |kind| {
            Outcome::Failed(Failure {
                kind,
                message: "simulated".into(),
                stderr_tail: String::new(),
                diagnosis: String::new(),
            })
        };
        if self.interrupted_at == Some(self.ran.len()) {
            return invocation(failed(FailureKind::Interrupted), Vec::new(), 5 * MS);
        }
        let wall = self.wall_ns(&runtime);
        self.clock_ns += wall;
        self.limits.push((runtime.clone(), order.limits.iteration_ns));
        self.ran.push(runtime.clone());
        match self.failing.get(&runtime) {
            Some(kind) => invocation(failed(kind.clone()), Vec::new(), 5 * MS),
            None => invocation(Outcome::Ok, vec![wall; 3], 10 * MS),
        }
    }

    fn dirty(&self) -> bool {
        self.dirty_after.is_some_and(|after| self.ran.len() >= after)
    }
}

fn sensors() -> BlockSensors {
    BlockSensors {
        line_handover_ns: Reading::unavailable("simulated"),
        canary_ns: Reading::unavailable("simulated"),
    }
}

fn invocation(outcome: Outcome, wall_ns: Vec<u64>, process_ns: u64) -> Invocation {
    fn unknown<T>() -> Reading<T> {
        Reading::unavailable("simulated")
    }
    Invocation {
        outcome,
        hello: None,
        iterations: Iterations {
            outer_ns: wall_ns.clone(),
            wall_ns,
            ..Iterations::default()
        },
        process: ProcessUse {
            wall_ns: process_ns,
            start_ns: None,
            cpu_ns: unknown(),
            peak_bytes: unknown(),
            baseline_bytes: unknown(),
            voluntary_switches: unknown(),
            involuntary_switches: unknown(),
            run_queue_wait_ns: unknown(),
            threads: unknown(),
            events: BTreeMap::new(),
        },
        sensors: Sensors {
            steal: unknown(),
            foreign: unknown(),
            cpu_pressure: unknown(),
            frequency_hz: unknown(),
            swapped_in: unknown(),
        },
    }
}

/// A plan of so many benchmarks `b0` .., runtimes `r0` .. and blocks.
pub fn plan(groups: usize, runtimes: usize, blocks: u32) -> Plan {
    let competitors: Vec<Competitor> = (0..runtimes)
        .map(|r| Competitor {
            runtime: format!("r{r}"),
            reports_as: format!("r{r}"),
            launch: Launch {
                command: vec![format!("r{r}")],
                env: BTreeMap::new(),
                cwd: "/".into(),
                quit: None,
            },
        })
        .collect();
    let group = |g| Group {
        key: GroupKey {
            benchmark: format!("b{g}"),
            preset: "tiny".into(),
            cores: 1,
        },
        parameters: BTreeMap::new(),
        expect: BTreeMap::new(),
        unverified: String::new(),
        work: Work {
            actors: 1,
            messages: Some(1),
        },
        messages_plus: String::new(),
        cpus: vec![0],
        competitors: competitors.clone(),
    };
    Plan {
        seed: 1,
        method: fixed(blocks, standard()),
        groups: (0..groups).map(group).collect(),
        skipped: Vec::new(),
        baseline: "r0".into(),
    }
}

/// Starts a session below `results`.
pub fn begin<'a>(
    results: &Path,
    plan: &Plan,
    host: &'a mut Fake,
    assess: &'a dyn Assess,
) -> (Session<'a>, String) {
    let (log, name) = Log::create(results, "2026-11-20", plan.seed).unwrap();
    let opening = Opening {
        session: name.clone(),
        arguments: vec!["run".into()],
        plan: plan.clone(),
        machine: host.facts(),
        findings: Vec::new(),
    };
    (Session::start(log, opening, host, assess).unwrap(), name)
}
