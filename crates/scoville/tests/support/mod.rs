//! Plans and sessions on the simulated machine.

use std::collections::BTreeMap;
use std::path::Path;

use scoville::drive::simulated::{Behaviour, Fault, SimulatedHost, World};
use scoville::drive::{Host, Interrupt};
use scoville::log::Log;
use scoville::model::benchmark::Work;
use scoville::model::event::{Event, What};
use scoville::model::invocation::{Failure, FailureKind, Invocation, Order, Outcome};
use scoville::model::machine::{BlockSensors, Finding, Machine};
use scoville::model::plan::{Competitor, Group, GroupKey, GrowthLimits, Ladder, LadderKey, Plan};
use scoville::model::runtime::Launch;
use scoville::plan::{fixed, standard};
use scoville::schedule::{Assess, Progress, Step};
use scoville::session::{Observer, Opening, Session};

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

/// The simulated machine, with a record of what was ordered from it.
pub struct Recorder {
    host: SimulatedHost,
    /// Runtimes of all invocations, in order.
    pub ran: Vec<String>,
    /// Iteration limits that were ordered, with the runtime.
    pub limits: Vec<(String, u64)>,
    /// Invocations, counted from 0, that the laboratory cannot start.
    pub unstarted: Vec<usize>,
}

impl Recorder {
    /// A machine without noise.
    pub fn new() -> Self {
        Self::on(quiet_world())
    }

    pub fn on(world: World) -> Self {
        Self {
            host: SimulatedHost::new(world),
            ran: Vec::new(),
            limits: Vec::new(),
            unstarted: Vec::new(),
        }
    }

    /// Facts of this machine.
    pub fn facts(&mut self) -> Machine {
        self.host.machine().0
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
                sensors: self.sense_block(&[0]),
            },
            Step::Invoke {
                group,
                block,
                runtime,
                padding,
            } => What::InvocationFinished {
                invocation: Box::new(self.invoke(&order(&group, &runtime, padding), &Interrupt::default())),
                group,
                block,
                runtime,
            },
            Step::Climb {
                ladder,
                runtime,
                size,
            } => {
                let group = GroupKey {
                    benchmark: ladder.benchmark.clone(),
                    preset: size.to_string(),
                    cores: ladder.cores,
                };
                What::RungFinished {
                    invocation: Box::new(self.invoke(&order(&group, &runtime, 0), &Interrupt::default())),
                    ladder,
                    runtime,
                    size,
                }
            }
            Step::FinishBlock { group, block } => What::BlockFinished {
                group,
                block,
                sensors: self.sense_block(&[0]),
            },
            Step::FinishGroup { group, reason } => What::GroupFinished { group, reason },
            Step::End { reason } => What::SessionEnded { reason },
        };
        Event { unix: 0.0, what }
    }
}

impl Host for Recorder {
    fn machine(&mut self) -> (Machine, Vec<Finding>) {
        self.host.machine()
    }

    fn unix(&self) -> f64 {
        self.host.unix()
    }

    fn sense_block(&mut self, cpus: &[u32]) -> BlockSensors {
        self.host.sense_block(cpus)
    }

    fn invoke(&mut self, order: &Order, interrupt: &Interrupt) -> Invocation {
        let is_unstarted = self.unstarted.contains(&self.ran.len());
        self.ran.push(order.reports_as.clone());
        self.limits
            .push((order.reports_as.clone(), order.limits.iteration_ns));
        if is_unstarted {
            return unstarted(order);
        }
        self.host.invoke(order, interrupt)
    }

    fn dirty(&self) -> bool {
        self.host.dirty()
    }
}

/// What the machine brings where it cannot fork. The simulated one counts as invocations only what it was asked for.
fn unstarted(order: &Order) -> Invocation {
    let failure = Failure {
        kind: FailureKind::Laboratory,
        message: format!("{}: the laboratory could not start it", order.reports_as),
        stderr_tail: String::new(),
        diagnosis: String::new(),
    };
    Invocation {
        outcome: Outcome::Failed(failure),
        iterations: Default::default(),
        ..SimulatedHost::new(quiet_world()).invoke(order, &Interrupt::default())
    }
}

/// One CPU, and runtimes `r0` .. whose iterations all take 10 ms.
pub fn quiet_world() -> World {
    let steady = Behaviour {
        invocation_sd: 0.0,
        iteration_sd: 0.0,
        ..Behaviour::default()
    };
    World {
        cpus: 1,
        runtimes: (0..5).map(|r| (format!("r{r}"), steady.clone())).collect(),
        ..World::default()
    }
}

/// Every invocation of a runtime fails in its first iteration.
pub fn failing(runtime: &str, kind: FailureKind) -> Fault {
    Fault {
        runtime: runtime.into(),
        invocation: None,
        iteration: 0,
        kind,
    }
}

/// One short invocation of a runtime of [`plan`].
fn order(group: &GroupKey, runtime: &str, padding: u32) -> Order {
    let method = fixed(1, standard());
    Order {
        launch: launch(runtime),
        reports_as: runtime.into(),
        group: group.clone(),
        parameters: BTreeMap::new(),
        expect: BTreeMap::new(),
        work: WORK,
        messages_plus: String::new(),
        workers: 1,
        cpus: vec![0],
        iterations: method.iterations,
        limits: method.limits,
        count_messages: false,
        padding,
        memory_limit: None,
    }
}

fn launch(runtime: &str) -> Launch {
    Launch {
        command: vec![runtime.into()],
        env: BTreeMap::new(),
        cwd: "/".into(),
        quit: None,
    }
}

const WORK: Work = Work {
    actors: 1,
    messages: Some(1),
};

/// A plan in which so many runtimes `r0` .. climb a ladder of the benchmark `b0`.
pub fn ladder_plan(runtimes: usize) -> Plan {
    let grouped = plan(1, runtimes, 1);
    let ladder = Ladder {
        key: LadderKey {
            benchmark: "b0".into(),
            cores: 1,
        },
        parameter: "n".into(),
        from: 1000,
        to: None,
        parameters: BTreeMap::new(),
        expect: BTreeMap::new(),
        time: Vec::new(),
        limits: GrowthLimits {
            time_ns: 60_000_000_000,
            memory_bytes: 1 << 30,
            bisections: 2,
        },
        cpus: vec![0],
        competitors: grouped.groups[0].competitors.clone(),
    };
    Plan {
        groups: Vec::new(),
        ladders: vec![ladder],
        ..grouped
    }
}

/// A plan of so many benchmarks `b0` .., runtimes `r0` .. and blocks.
pub fn plan(groups: usize, runtimes: usize, blocks: u32) -> Plan {
    let competitors: Vec<Competitor> = (0..runtimes)
        .map(|r| Competitor {
            runtime: format!("r{r}"),
            reports_as: format!("r{r}"),
            launch: launch(&format!("r{r}")),
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
        work: WORK,
        messages_plus: String::new(),
        cpus: vec![0],
        competitors: competitors.clone(),
    };
    Plan {
        seed: 1,
        method: fixed(blocks, standard()),
        groups: (0..groups).map(group).collect(),
        ladders: Vec::new(),
        skipped: Vec::new(),
        baseline: "r0".into(),
    }
}

/// Starts a session below `results`.
pub fn begin<'a>(
    results: &Path,
    plan: &Plan,
    host: &'a mut Recorder,
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
