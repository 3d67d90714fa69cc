//! What actors of each type do (feature `metrics`). Without the feature none of this is compiled.
//!
//! A worker measures each activation and adds it to its own table, under a lock that only a reader of the figures ever contends for.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::actor::Actor;
use crate::pool::lock;
use crate::runtime::Runtime;
use crate::simulation::Simulation;
use crate::sync::{Instant, Mutex};
use crate::worker::core::Core;
use crate::worker::port::WorkerMetrics;
use crate::worker::team::Team;

/// What actors of one type did, on all workers, since the runtime was built.
#[derive(Clone)]
pub struct ActorMetrics {
    /// The type's name.
    pub actor: &'static str,
    /// Times an actor of this type was taken from a queue and run.
    pub activations: u64,
    /// Messages handled. (Queries with which another worker helped stand under a type of their own, `datil::query::Helper<the actor's type>`.)
    pub messages: u64,
    /// Time spent in activations, in all.
    pub busy: Duration,
    /// The most messages that were seen to wait in one mailbox; `None` if the type does not count them ([`crate::Actor::MAILBOX`]) or nothing came.
    pub most_waiting: Option<u64>,
    /// Nanoseconds per activation.
    times: Histogram<u64>,
}

/// Nanoseconds of an activation, a minute, for which a table has room from the start: 31 KB. One that grew with each activation longer than all before
/// would take memory for that in the middle of work.
const LONG: u64 = 60_000_000_000;

impl ActorMetrics {
    fn new(actor: &'static str) -> Self {
        let mut times = Histogram::new_with_max(LONG, 2).expect("two digits are possible");
        times.auto(true);
        Self {
            actor,
            activations: 0,
            messages: 0,
            busy: Duration::ZERO,
            most_waiting: None,
            times,
        }
    }

    /// How long activations took: the time that a share of `quantile` of them did not exceed, up to 1 %. 0.5 is the median, 1 the longest. A value outside of 0 to 1 is taken for the
    /// nearer of the two. Zero if there were none.
    pub fn activation_time(&self, quantile: f64) -> Duration {
        Duration::from_nanos(self.times.value_at_quantile(quantile.clamp(0.0, 1.0)))
    }

    fn add(&mut self, other: &Self) {
        self.activations += other.activations;
        self.messages += other.messages;
        self.busy += other.busy;
        self.most_waiting = self.most_waiting.max(other.most_waiting);
        self.times
            .add(&other.times)
            .expect("histograms that grow take anything");
    }
}

impl fmt::Debug for ActorMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActorMetrics")
            .field("actor", &self.actor)
            .field("activations", &self.activations)
            .field("messages", &self.messages)
            .field("busy", &self.busy)
            .field("most_waiting", &self.most_waiting)
            .field("median", &self.activation_time(0.5))
            .finish_non_exhaustive()
    }
}

/// One worker's table.
#[derive(Default)]
pub(crate) struct Meter(Mutex<BTreeMap<&'static str, ActorMetrics>>);

impl Meter {
    /// Adds one activation.
    pub(crate) fn add(&self, actor: &'static str, messages: u64, took: Duration, waiting: Option<u64>) {
        let mut table = lock(&self.0);
        let entry = table.entry(actor).or_insert_with(|| ActorMetrics::new(actor));
        entry.activations += 1;
        entry.messages += messages;
        entry.busy += took;
        entry.most_waiting = entry.most_waiting.max(waiting);
        entry
            .times
            .record(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX))
            .expect("histograms that grow take anything");
    }

    fn add_to(&self, sum: &mut BTreeMap<&'static str, ActorMetrics>) {
        for (actor, own) in &*lock(&self.0) {
            sum.entry(actor)
                .or_insert_with(|| ActorMetrics::new(actor))
                .add(own);
        }
    }
}

thread_local! {
    /// The most messages that the activation which runs has seen to wait.
    static WAITING: Cell<u64> = const { Cell::new(0) };
}

/// So many messages waited when one was taken out.
pub(crate) fn saw_waiting(messages: u64) {
    WAITING.set(WAITING.get().max(messages));
}

/// Measures one activation of an actor.
pub(crate) fn measure<A: Actor>(core: &Core, run: impl FnOnce()) {
    let _activation = Activation {
        core,
        actor: std::any::type_name::<A>(),
        messages: core.messages_so_far(),
        began: Instant::now(),
    };
    run();
}

/// Dropped at the end of an activation, also when it ends by a panic.
struct Activation<'a> {
    core: &'a Core,
    actor: &'static str,
    messages: u64,
    began: Instant,
}

impl Drop for Activation<'_> {
    fn drop(&mut self) {
        let waiting = WAITING.take();
        let messages = self.core.messages_so_far() - self.messages;
        self.core.team.meters[self.core.index()].add(
            self.actor,
            messages,
            self.began.elapsed(),
            (waiting > 0).then_some(waiting),
        );
    }
}

fn of_all_workers(team: &Team) -> Vec<ActorMetrics> {
    let mut sum = BTreeMap::new();
    team.meters.iter().for_each(|meter| meter.add_to(&mut sum));
    sum.into_values().collect()
}

impl Simulation {
    /// As [`Runtime::actor_metrics`] (feature `metrics`). Times are real ones, so they differ from run to run.
    pub fn actor_metrics(&self) -> Vec<ActorMetrics> {
        of_all_workers(self.team())
    }
}

impl Runtime {
    /// What actors of each type have done so far, by the types' names (feature `metrics`). Activations that run are not part of it. Blocking actors have runtimes of their own.
    pub fn actor_metrics(&self) -> Vec<ActorMetrics> {
        of_all_workers(self.team())
    }

    /// Hands the present figures to the recorder of the crate `metrics` that is installed, if one is (feature `metrics`). To be called now and then, for instance before each scrape.
    ///
    /// Counters `datil_<name>` with label `worker`, one for each field of [`crate::WorkerMetrics`]; and with label `actor`, the type: counters `datil_actor_activations`, `datil_actor_messages`, gauges `datil_actor_busy_seconds`,
    /// `datil_actor_activation_seconds` (with label `quantile`: 0.5, 0.99 and 1) and `datil_actor_most_waiting`.
    pub fn record_metrics(&self) {
        for (index, worker) in self.metrics().workers.iter().enumerate() {
            for (name, value) in WorkerMetrics::NAMES.iter().zip(worker.values()) {
                let name = format!("datil_{name}");
                metrics::counter!(name, "worker" => index.to_string()).absolute(value);
            }
        }
        for of in self.actor_metrics() {
            let actor = of.actor;
            metrics::counter!("datil_actor_activations", "actor" => actor).absolute(of.activations);
            metrics::counter!("datil_actor_messages", "actor" => actor).absolute(of.messages);
            metrics::gauge!("datil_actor_busy_seconds", "actor" => actor).set(of.busy.as_secs_f64());
            for (quantile, label) in [(0.5, "0.5"), (0.99, "0.99"), (1.0, "1")] {
                let time = of.activation_time(quantile).as_secs_f64();
                metrics::gauge!("datil_actor_activation_seconds", "actor" => actor, "quantile" => label)
                    .set(time);
            }
            if let Some(waiting) = of.most_waiting {
                metrics::gauge!("datil_actor_most_waiting", "actor" => actor).set(waiting as f64);
            }
        }
    }
}
