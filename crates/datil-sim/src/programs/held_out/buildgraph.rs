//! A build: tasks that depend on others, as in a random graph without cycles. A task waits until all that it depends on
//! are done, computes, and tells those that depend on it, and the coordinator. Most tasks are short and a few are very
//! long, so that work is plenty at first and later hangs on chains of tasks. Written as held out, after waking of
//! neighbours was decided.

use std::collections::BTreeSet;

use datil_policy::Random;
use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, burst, coordinator, light};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, between, mixed, number};
use crate::host::{Activity, Annotation, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "buildgraph",
    about: "written to try the final rules on: a random graph of build tasks, most of them short and a few very long",
    nature: Nature::Computing,
    parameters: &[("tasks", "1600"), ("window", "800"), ("seed", "1")],
    scale: None,
    annotations: &[
        // What the output is called, and its checksum.
        Annotation {
            carries: |_| 2,
            ..actor("buildgraph::Task", build)
        },
        coordinator("buildgraph::Coordinator", burst),
    ],
    run,
};

/// 5 µs at 2.3 GHz.
const SHORTEST: u64 = 11_500;
/// 2 ms.
const LONGEST: u64 = 4_600_000;
/// A task depends on fewer than so many.
const MOST: u32 = 5;

/// The last message says that nothing is waited for any more, and then the task is done. Its time is that of a Pareto
/// distribution between two bounds: about one in n takes n times the shortest or longer. On average it is 30 µs.
fn build(activity: &Activity) -> Charge {
    const PARTS: u64 = 1_000_000;
    if !activity.stops {
        return light(activity);
    }
    let part = between(0, PARTS, activity);
    let cycles = SHORTEST * LONGEST / (LONGEST - (LONGEST - SHORTEST) * part / PARTS);
    Charge::compute(cycles).touching(2)
}

/// What a task makes of the outputs of those that it depends on; their order does not matter.
fn output(task: usize, inputs: u64) -> u64 {
    mixed(inputs ^ (task as u64) << 40)
}

/// The numbers of those that each task depends on: up to four of the `window` tasks before it, so that there is no cycle.
fn graph(tasks: u64, window: u64, seed: u64) -> Vec<BTreeSet<usize>> {
    let mut random = Random::new(seed);
    let mut needs = |task: usize| {
        let near = task.min(window as usize) as u32;
        let count = if near == 0 { 0 } else { random.below(MOST) };
        let need = |_| task - 1 - random.below(near) as usize;
        (0..count).map(need).collect()
    };
    (0..tasks as usize).map(&mut needs).collect()
}

struct Task {
    number: usize,
    /// How many more messages it waits for.
    missing: usize,
    /// What has come so far.
    inputs: u64,
    dependents: Vec<To<Task>>,
    coordinator: To<Coordinator>,
}

/// Something that was waited for is there, with this output.
struct Done(u64);

impl Actor<Simulated> for Task {
    type Message = Done;

    fn handle(&mut self, Done(input): Done, cx: &mut impl Context<Simulated, Self>) {
        self.inputs = self.inputs.wrapping_add(input);
        self.missing -= 1;
        if self.missing > 0 {
            return;
        }
        let output = output(self.number, self.inputs);
        for dependent in &self.dependents {
            cx.tell(dependent, Done(output));
        }
        cx.tell(&self.coordinator, ToCoordinator::Built(output));
        cx.stop();
    }
}

/// Lets those begin that depend on nothing, and waits for all.
struct Coordinator {
    left: u64,
    total: u64,
    sum: Sum,
}

enum ToCoordinator {
    Begin(Vec<To<Task>>),
    Built(u64),
}

impl Actor<Simulated> for Coordinator {
    type Message = ToCoordinator;

    fn handle(&mut self, message: ToCoordinator, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToCoordinator::Begin(tasks) => {
                for task in &tasks {
                    cx.tell(task, Done(0));
                }
            }
            ToCoordinator::Built(output) => {
                self.total = self.total.wrapping_add(output);
                self.left -= 1;
                if self.left == 0 {
                    self.sum.add(self.total);
                    cx.stop();
                }
            }
        }
    }
}

struct Build {
    /// What each task depends on.
    graph: Vec<BTreeSet<usize>>,
    sum: Sum,
}

impl Build {
    /// All outputs, made one after the other.
    fn expected(&self) -> u64 {
        let mut outputs: Vec<u64> = Vec::new();
        for (task, needs) in self.graph.iter().enumerate() {
            let inputs = needs.iter().map(|&need| outputs[need]);
            let inputs = inputs.fold(0, u64::wrapping_add);
            outputs.push(output(task, inputs));
        }
        outputs.into_iter().fold(0, u64::wrapping_add)
    }
}

impl Script<Simulated> for Build {
    /// The last task is created first, so that each can be told of its dependents.
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let coordinator = driver.spawn(Coordinator {
            left: self.graph.len() as u64,
            total: 0,
            sum: self.sum,
        });
        let mut dependents: Vec<Vec<To<Task>>> = self.graph.iter().map(|_| Vec::new()).collect();
        let mut first = Vec::new();
        for (number, needs) in self.graph.iter().enumerate().rev() {
            let task = driver.spawn(Task {
                number,
                // Who depends on nothing waits for the coordinator.
                missing: needs.len().max(1),
                inputs: 0,
                dependents: std::mem::take(&mut dependents[number]),
                coordinator: coordinator.clone(),
            });
            for &need in needs {
                dependents[need].push(task.clone());
            }
            if needs.is_empty() {
                first.push(task);
            }
        }
        driver.tell(&coordinator, ToCoordinator::Begin(first));
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let tasks = number(program, parameters, "tasks")?;
    let window = number(program, parameters, "window")?;
    let seed = number(program, parameters, "seed")?;
    let script = Build {
        graph: graph(tasks, window, seed),
        sum: sum.clone(),
    };
    let actors = tasks as usize + 1;
    let expected = script.expected();
    sum.play(program, settings, script, (actors, expected))
}
