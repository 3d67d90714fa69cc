//! Breadth-first searches in a random graph, vertex by vertex as in Pregel: a partition holds many vertices, and tells
//! the partitions that it has edges to, in one bundle per superstep, which of their vertices it has come to. Nobody keeps
//! the step for all: a partition begins the next superstep when it has the bundles of those that it has edges to. How
//! much there is to do moves through the graph with each search. Written as held out, after all rules.

use std::sync::Arc;

use datil_policy::Random;
use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{burst, data};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, mixed, number};
use crate::host::{Activity, Annotation, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "pregel",
    about: "written to try the final rules on: searches in a graph, partitions that wait for their neighbours",
    nature: Nature::State,
    parameters: &[("partitions", "96"), ("searches", "5"), ("hops", "12")],
    scale: None,
    annotations: &[Annotation {
        carries: |_| 2,
        ..data(
            "pregel::Partition",
            |_| VERTICES as u64 * LINES_PER_VERTEX * 64,
            work,
        )
    }],
    run,
};

/// Of a partition.
const VERTICES: usize = 1024;
/// Edges of a vertex; one of `FAR_IN` leads to another partition, which is so far on in the ring of partitions, or back.
const EDGES: usize = 8;
const FAR_IN: u32 = 4;
const FAR: [usize; 3] = [1, 7, 29];
/// Active vertices that are looked at for one message, so that bundles are not kept waiting for long.
const CHUNK: usize = 64;
/// A vertex has 8 edges of 8 bytes, and its labels.
const LINES_PER_VERTEX: u64 = 2;

/// Of each vertex its own lines are read, and for each of its edges within the partition the label at the other end. What
/// is labelled already cannot be foretold: 20 cycles per edge. Edges do not depend on each other, so that a core waits for
/// a few of the lines at the same time. Chunks that are not full are charged like others. Bundles are of 28 vertices on
/// average, which are labelled; those that go out only have to be sent.
fn work(activity: &Activity) -> Charge {
    const VISITED: u64 = (CHUNK * EDGES) as u64;
    match activity.sends {
        0 => Charge::compute(60 + 28 * 10).touching(28).exposing(0.4),
        1 => Charge::compute(20 * VISITED)
            .touching(CHUNK as u64 * LINES_PER_VERTEX + VISITED * 3 / 4)
            .exposing(0.4),
        _ => burst(activity),
    }
}

/// The partitions that one has edges to, itself first; it tells itself, too, that its step is over.
fn around(partition: usize, partitions: usize) -> Vec<usize> {
    let mut around = vec![partition];
    for far in FAR.map(|far| far % partitions) {
        for other in [partition + far, partition + partitions - far] {
            if !around.contains(&(other % partitions)) {
                around.push(other % partitions);
            }
        }
    }
    around
}

/// Where each edge of each vertex leads: to which partition in the list of those [`around`], and to which vertex there.
type Graph = Vec<[(usize, usize); EDGES]>;

fn graph(partitions: usize) -> Graph {
    let vertex = |vertex: usize, others: u32| {
        let mut random = Random::new(vertex as u64);
        std::array::from_fn(|_| {
            let leaves = others > 0 && random.below(FAR_IN) == 0;
            let partition = if leaves { 1 + random.below(others) } else { 0 };
            (partition as usize, random.below(VERTICES as u32) as usize)
        })
    };
    let partition = |partition: usize| {
        let others = around(partition, partitions).len() as u32 - 1;
        (0..VERTICES).map(move |number| vertex(partition * VERTICES + number, others))
    };
    (0..partitions).flat_map(partition).collect()
}

/// The vertex at which a search begins.
fn landmark(search: u64, vertices: usize) -> usize {
    (mixed(search) % vertices as u64) as usize
}

/// What is told of a vertex that a search has come to.
fn found(search: u64, vertex: usize, hops: u64) -> u64 {
    mixed(search << 48 | hops << 32 | vertex as u64)
}

struct Partition {
    number: usize,
    graph: Arc<Graph>,
    around: Vec<To<Partition>>,
    hops: u64,
    /// Supersteps, of all searches.
    steps: u64,
    step: u64,
    /// Vertices that this search has come to.
    labelled: Vec<bool>,
    /// Those to be looked at in this step and in the next.
    active: Vec<usize>,
    next: Vec<usize>,
    /// Vertices of others, for each of the partitions around.
    outgoing: Vec<Vec<usize>>,
    /// Bundles, and what they hold, of this step and of the next: a neighbour is never further ahead.
    incoming: [(usize, Vec<usize>); 2],
    total: u64,
    sum: Sum,
}

enum Message {
    Start(Vec<To<Partition>>),
    /// What the sender has come to in this step.
    Bundle(u64, Vec<usize>),
    Continue,
}

impl Partition {
    fn label(&mut self, vertex: usize) {
        if !std::mem::replace(&mut self.labelled[vertex], true) {
            self.next.push(vertex);
        }
    }

    /// Begins a step with what is to be looked at in it.
    fn begin(&mut self) {
        if self.step.is_multiple_of(self.hops) {
            self.labelled.fill(false);
            self.next.clear();
            let landmark = landmark(self.step / self.hops, self.graph.len());
            if landmark / VERTICES == self.number {
                self.label(landmark % VERTICES);
            }
        }
        self.active = std::mem::take(&mut self.next);
    }

    fn look(&mut self) {
        let graph = Arc::clone(&self.graph);
        for vertex in self.active.split_off(self.active.len().saturating_sub(CHUNK)) {
            let vertex = self.number * VERTICES + vertex;
            let found = found(self.step / self.hops, vertex, self.step % self.hops);
            self.total = self.total.wrapping_add(found);
            for &(partition, vertex) in &graph[vertex] {
                match partition {
                    0 => self.label(vertex),
                    _ => self.outgoing[partition].push(vertex),
                }
            }
        }
    }

    /// Looks at a chunk, or ends the step if nothing is left.
    fn go_on(&mut self, cx: &mut impl Context<Simulated, Self>) {
        if !self.active.is_empty() {
            self.look();
            return cx.tell_self(Message::Continue);
        }
        if self.step + 1 == self.steps {
            self.sum.add(self.total);
            return cx.stop();
        }
        for (other, outgoing) in self.around.iter().zip(&mut self.outgoing) {
            cx.tell(other, Message::Bundle(self.step, std::mem::take(outgoing)));
        }
    }
}

impl Actor<Simulated> for Partition {
    type Message = Message;

    fn handle(&mut self, message: Message, cx: &mut impl Context<Simulated, Self>) {
        match message {
            Message::Start(around) => {
                self.outgoing = vec![Vec::new(); around.len()];
                self.around = around;
                self.begin();
            }
            Message::Bundle(step, vertices) => {
                let (bundles, all) = &mut self.incoming[(step - self.step) as usize];
                *bundles += 1;
                all.extend(vertices);
                // Its own comes when it has ended the step. Others may come before the start.
                if self.around.is_empty() || self.incoming[0].0 < self.around.len() {
                    return;
                }
                self.incoming.swap(0, 1);
                let (_, vertices) = std::mem::take(&mut self.incoming[1]);
                vertices.into_iter().for_each(|vertex| self.label(vertex));
                self.step += 1;
                self.begin();
            }
            Message::Continue => {}
        }
        self.go_on(cx);
    }
}

struct Pregel {
    graph: Arc<Graph>,
    partitions: usize,
    searches: u64,
    hops: u64,
    sum: Sum,
}

impl Pregel {
    fn expected(&self) -> u64 {
        let around = |partition| around(partition, self.partitions);
        let around: Vec<Vec<usize>> = (0..self.partitions).map(around).collect();
        let mut total = 0u64;
        for search in 0..self.searches {
            let mut labelled = vec![false; self.graph.len()];
            let mut active = vec![landmark(search, self.graph.len())];
            labelled[active[0]] = true;
            for hops in 0..self.hops {
                for vertex in std::mem::take(&mut active) {
                    total = total.wrapping_add(found(search, vertex, hops));
                    for &(partition, other) in &self.graph[vertex] {
                        let other = around[vertex / VERTICES][partition] * VERTICES + other;
                        if !std::mem::replace(&mut labelled[other], true) {
                            active.push(other);
                        }
                    }
                }
            }
        }
        total
    }
}

impl Script<Simulated> for Pregel {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let partition = |number| {
            driver.spawn(Partition {
                number,
                graph: Arc::clone(&self.graph),
                around: Vec::new(),
                hops: self.hops,
                steps: self.searches * self.hops,
                step: 0,
                labelled: vec![false; VERTICES],
                active: Vec::new(),
                next: Vec::new(),
                outgoing: Vec::new(),
                incoming: Default::default(),
                total: 0,
                sum: self.sum.clone(),
            })
        };
        let partitions: Vec<To<Partition>> = (0..self.partitions).map(partition).collect();
        for (number, partition) in partitions.iter().enumerate() {
            let around = around(number, self.partitions).into_iter();
            let around = around.map(|other| partitions[other].clone());
            driver.tell(partition, Message::Start(around.collect()));
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let partitions = number(program, parameters, "partitions")? as usize;
    let script = Pregel {
        graph: Arc::new(graph(partitions)),
        partitions,
        searches: number(program, parameters, "searches")?,
        hops: number(program, parameters, "hops")?,
        sum: sum.clone(),
    };
    let expected = script.expected();
    sum.play(program, settings, script, (partitions, expected))
}
