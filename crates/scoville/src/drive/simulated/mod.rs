//! A machine that does not exist: runtimes drawn from distributions, on a virtual clock, with every fault on demand.
//! Whole sessions run on it in milliseconds, and the same seed gives the same session.

mod draw;
mod world;

use std::collections::BTreeMap;

use super::failure::{invalidates, never_ran};
use super::protocol::enough;
use super::{Host, Interrupt};
use crate::model::invocation::{
    Failure, FailureKind, Hello, Invocation, Iterations, Order, Outcome, ProcessUse, Sensors,
};
use crate::model::machine::{BlockSensors, Cpu, Finding, Machine};
use crate::model::reading::Reading;

use draw::Draw;
pub use world::{Behaviour, Contamination, Far, Fault, LaboratoryCrash, Step, World};

const SOURCE: &str = "simulation";

/// Start of simulated time, seconds since 1970.
const EPOCH: f64 = 1_700_000_000.0;

/// Hand-over of a cache line between near CPUs, ns.
const NEAR_LINE_NS: f64 = 48.0;

/// The canary on an undisturbed machine, ns.
const CANARY_NS: f64 = 5_000_000.0;

/// Both block sensors together, ns.
const SENSING_NS: u64 = 40_000_000;

/// A [`Host`] without a machine.
#[derive(Debug)]
pub struct SimulatedHost {
    world: World,
    now_ns: u64,
    /// Calls of `sense_block` and `invoke` so far.
    calls: u64,
    /// Invocations so far, by behaviour.
    invocations: BTreeMap<String, u32>,
    /// Presses of the world that have happened.
    pressed: usize,
    dirty: bool,
}

impl SimulatedHost {
    /// A host at time 0.
    pub fn new(world: World) -> Self {
        SimulatedHost {
            world,
            now_ns: 0,
            calls: 0,
            invocations: BTreeMap::new(),
            pressed: 0,
            dirty: false,
        }
    }

    /// What the virtual clock says.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Lets time pass, as a session that does something else would.
    pub fn pass(&mut self, ns: u64) {
        self.now_ns += ns;
    }

    /// Counts a call, crashes if it is the one to crash in, and seeds its draws.
    fn call(&mut self) -> Draw {
        let call = self.calls;
        self.calls += 1;
        if self.world.crash_at_call == Some(call) {
            std::panic::panic_any(LaboratoryCrash { call });
        }
        Draw::new(self.world.seed, call)
    }

    fn press(&mut self, interrupt: &Interrupt) {
        while self
            .world
            .presses_ns
            .get(self.pressed)
            .is_some_and(|&at| at <= self.now_ns)
        {
            self.pressed += 1;
            interrupt.press();
        }
    }
}

impl Host for SimulatedHost {
    fn machine(&mut self) -> (Machine, Vec<Finding>) {
        let known = |text: &str| Reading::known(text.to_owned(), SOURCE);
        let machine = Machine {
            cpu_model: known("simulated CPU"),
            cpus: (0..self.world.cpus)
                .map(|id| Cpu {
                    id,
                    core: id,
                    package: 0,
                    node: 0,
                    llc: 0,
                })
                .collect(),
            memory_bytes: Reading::known(16 << 30, SOURCE),
            kernel: known("simulated"),
            distribution: known("simulated"),
            virtualisation: known("none"),
            cgroup: known("simulated"),
            events: BTreeMap::from([("instructions".to_owned(), Reading::unavailable("simulated"))]),
            facts: BTreeMap::from([("tool".to_owned(), known(env!("CARGO_PKG_VERSION")))]),
            fingerprint: "simulated".to_owned(),
        };
        (machine, self.world.findings.clone())
    }

    fn unix(&self) -> f64 {
        EPOCH + self.now_ns as f64 / 1e9
    }

    fn sense_block(&mut self, cpus: &[u32]) -> BlockSensors {
        let mut draw = self.call();
        let far = self.world.far_at(self.now_ns);
        let pace = self.world.pace_at(self.now_ns);
        self.now_ns += SENSING_NS;
        let line_handover_ns = if cpus.len() < 2 {
            Reading::unavailable("one CPU has no neighbour to hand a cache line to")
        } else {
            let line_ns = far.map_or(NEAR_LINE_NS, |far| far.line_ns);
            Reading::known(line_ns * draw.factor(0.01), SOURCE)
        };
        BlockSensors {
            line_handover_ns,
            canary_ns: Reading::known(CANARY_NS * pace * draw.factor(0.003), SOURCE),
        }
    }

    fn invoke(&mut self, order: &Order, interrupt: &Interrupt) -> Invocation {
        let draw = self.call();
        let key = self.world.key(order);
        let count = self.invocations.entry(key.clone()).or_default();
        let number = *count;
        *count += 1;
        let Some(behaviour) = self.world.runtimes.get(&key).cloned() else {
            let message = format!("there is no simulated runtime {key}");
            return never_ran(order, FailureKind::CannotStart, &message);
        };
        let fault = self
            .world
            .faults
            .iter()
            .find(|fault| fault.hits(&key, number))
            .cloned();
        let run = Run {
            host: self,
            order,
            interrupt,
            behaviour,
            draw,
            fault,
        };
        let invocation = run.invoke();
        self.press(interrupt);
        invocation
    }

    fn dirty(&self) -> bool {
        self.dirty
    }
}

/// One invocation in the making.
struct Run<'a> {
    host: &'a mut SimulatedHost,
    order: &'a Order,
    interrupt: &'a Interrupt,
    behaviour: Behaviour,
    draw: Draw,
    fault: Option<Fault>,
}

impl Run<'_> {
    fn invoke(mut self) -> Invocation {
        let start_ns = self.host.now_ns;
        let noise = self
            .host
            .world
            .contamination
            .filter(|c| self.draw.chance(c.probability));
        let own_pace = self.draw.factor(self.behaviour.invocation_sd);
        if let Some(outcome) = self.fails_before_hello() {
            return self.bring(outcome, Iterations::default(), start_ns, false, noise);
        }
        self.host.now_ns += self.behaviour.start_ns;
        let (iterations, outcome) = self.iterate(own_pace * noise.map_or(1.0, |n| n.slowdown));
        self.host.now_ns += self.behaviour.leave_ns;
        self.bring(outcome, iterations, start_ns, true, noise)
    }

    /// Faults of processes that never greet.
    fn fails_before_hello(&mut self) -> Option<Outcome> {
        let fault = self.fault.clone()?;
        match &fault.kind {
            FailureKind::CannotStart | FailureKind::Workers { .. } => {}
            FailureKind::TimedOut { state, limit_ns } if state == "starting" => self.host.now_ns += limit_ns,
            FailureKind::Laboratory => self.host.dirty = true,
            _ => return None,
        }
        Some(self.failed(&fault))
    }

    fn iterate(&mut self, pace: f64) -> (Iterations, Outcome) {
        let mut columns = Columns::default();
        let mut timed_ns = 0_u64;
        if let Some(reason) = &self.behaviour.unsupported {
            return (
                Iterations::default(),
                Outcome::Unsupported {
                    reason: reason.clone(),
                },
            );
        }
        for done in 0_u32.. {
            if let Some(fault) = self.fault.clone().filter(|fault| fault.iteration <= done) {
                if let FailureKind::TimedOut { limit_ns, .. } = fault.kind {
                    self.host.now_ns += limit_ns;
                }
                let kept = if invalidates(&fault.kind) {
                    Iterations::default()
                } else {
                    columns.finish(self.order)
                };
                return (kept, self.failed(&fault));
            }
            if self.order.count_messages {
                return (self.counted(), Outcome::Ok);
            }
            if enough(&self.order.iterations, done, timed_ns) {
                break;
            }
            let wall_ns = self.iteration(done, pace);
            self.host.now_ns += wall_ns;
            self.host.press(self.interrupt);
            if self.interrupt.at_once() {
                let message = format!("{}: ended by the user while running", self.order.reports_as);
                return (
                    columns.finish(self.order),
                    failure(FailureKind::Interrupted, message),
                );
            }
            timed_ns += wall_ns;
            let cpu_ns = wall_ns as f64 * self.order.cpus.len() as f64 * self.behaviour.utilisation;
            let bytes = self.behaviour.memory_bytes * self.draw.factor(0.01);
            columns.push(wall_ns, cpu_ns as u64, bytes as u64, &self.behaviour.metrics);
        }
        let mut iterations = columns.finish(self.order);
        iterations.per_actor = self.behaviour.per_actor.clone();
        (iterations, Outcome::Ok)
    }

    /// Time of one iteration, ns, at least 1.
    fn iteration(&mut self, index: u32, pace: f64) -> u64 {
        let world = &self.host.world;
        let far = if self.order.cpus.len() > 1 {
            world.far_at(self.host.now_ns)
        } else {
            None
        };
        let benchmark = &self.order.group.benchmark;
        let steady_ns = self
            .behaviour
            .benchmarks_ns
            .get(benchmark)
            .copied()
            .unwrap_or(self.behaviour.iteration_ns);
        let warm = 1.0
            + self.behaviour.warmup * (-f64::from(index) / self.behaviour.warmup_iterations.max(1e-9)).exp();
        let slow = world.pace_at(self.host.now_ns) * far.map_or(1.0, |far| far.slowdown);
        let ns = steady_ns * warm * slow * pace * self.draw.factor(self.behaviour.iteration_sd);
        (ns as u64).max(1)
    }

    fn counted(&self) -> Iterations {
        Iterations {
            work: Some(self.order.work),
            fields: self.order.expect.clone(),
            ..Iterations::default()
        }
    }

    fn failed(&self, fault: &Fault) -> Outcome {
        failure(
            fault.kind.clone(),
            format!("{}: simulated failure", self.order.reports_as),
        )
    }

    fn bring(
        &mut self,
        outcome: Outcome,
        iterations: Iterations,
        start_ns: u64,
        greeted: bool,
        noise: Option<Contamination>,
    ) -> Invocation {
        let known = |value: u64| Reading::known(value, SOURCE);
        let cpu_ns: u64 = iterations
            .cpu_ns
            .as_ref()
            .and_then(Reading::value)
            .map_or(0, |column| column.iter().flatten().sum());
        let process = ProcessUse {
            wall_ns: self.host.now_ns - start_ns,
            start_ns: greeted.then_some(self.behaviour.start_ns),
            cpu_ns: known(cpu_ns + self.behaviour.start_ns),
            peak_bytes: known((self.behaviour.memory_bytes * self.draw.factor(0.01)) as u64),
            baseline_bytes: known((self.behaviour.memory_bytes / 2.0) as u64),
            voluntary_switches: known(iterations.wall_ns.len() as u64 * 10),
            involuntary_switches: known(iterations.wall_ns.len() as u64),
            run_queue_wait_ns: known(cpu_ns / 1000),
            threads: known(u64::from(self.order.workers) + 1),
            events: BTreeMap::from([("instructions".to_owned(), Reading::unavailable("simulated"))]),
        };
        let quiet = Contamination {
            probability: 0.0,
            slowdown: 1.0,
            steal: 0.0,
            foreign: 0.0,
            pressure: 0.0,
        };
        let noise = noise.unwrap_or(quiet);
        Invocation {
            outcome,
            hello: greeted.then(|| self.hello()),
            iterations,
            process,
            sensors: Sensors {
                steal: Reading::known(noise.steal, SOURCE),
                steal_error: Some(0.0),
                foreign: Reading::known(noise.foreign, SOURCE),
                foreign_error: Some(0.0),
                cpu_pressure: Reading::known(noise.pressure, SOURCE),
                frequency_hz: Reading::known(3e9 / self.host.world.pace_at(start_ns), SOURCE),
                swapped_in: known(0),
            },
        }
    }

    fn hello(&self) -> Hello {
        Hello {
            runtime: self.order.reports_as.clone(),
            version: "1.0.0".to_owned(),
            language: "simulated".to_owned(),
            workers: self.order.workers,
            gc: "none".to_owned(),
            capabilities: vec!["count-messages".to_owned()],
            labels: BTreeMap::new(),
            benchmarks: vec![self.order.group.benchmark.clone()],
        }
    }
}

fn failure(kind: FailureKind, message: String) -> Outcome {
    let stderr_tail = "simulated last words\n".to_owned();
    Outcome::Failed(Failure {
        kind,
        message,
        stderr_tail,
        diagnosis: String::new(),
    })
}

#[derive(Default)]
struct Columns {
    wall_ns: Vec<u64>,
    cpu_ns: Vec<Option<u64>>,
    peak_bytes: Vec<u64>,
    metrics: BTreeMap<String, Vec<Option<f64>>>,
}

impl Columns {
    fn push(&mut self, wall_ns: u64, cpu_ns: u64, peak_bytes: u64, metrics: &BTreeMap<String, f64>) {
        self.wall_ns.push(wall_ns);
        self.cpu_ns.push(Some(cpu_ns));
        self.peak_bytes.push(peak_bytes);
        for (name, &value) in metrics {
            self.metrics.entry(name.clone()).or_default().push(Some(value));
        }
    }

    fn finish(self, order: &Order) -> Iterations {
        Iterations {
            outer_ns: self.wall_ns.iter().map(|ns| Some(ns + 20_000)).collect(),
            gc: vec![None; self.wall_ns.len()],
            fields: if self.wall_ns.is_empty() {
                BTreeMap::new()
            } else {
                order.expect.clone()
            },
            wall_ns: self.wall_ns,
            cpu_ns: Some(Reading::known(self.cpu_ns, SOURCE)),
            peak_bytes: Some(Reading::known(self.peak_bytes, SOURCE)),
            metrics: self.metrics,
            per_actor: BTreeMap::new(),
            work: None,
        }
    }
}

#[cfg(test)]
mod tests;
