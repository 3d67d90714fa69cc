//! Nodes of a fixed random graph that pass on rumours, each to a neighbour and now and then to another one as well. A
//! rumour starts at one node and ends when it has been passed on so many times in all. Short messages between any
//! actors, some forty of them under way at a time, and next to no computing. Written as held out, after the rules for
//! waking.

use datil_policy::Random;
use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, coordinator, light};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, mixed, number};
use crate::host::Settings;
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "gossip",
    about: "written to try the rules for waking on: rumours in a random graph, next to no computing",
    nature: Nature::Messages,
    parameters: &[("nodes", "400"), ("rumours", "8"), ("hops", "15000")],
    scale: None,
    annotations: &[
        actor("gossip::Node", |_| Charge::compute(80).touching(2)),
        coordinator("gossip::Listener", light),
    ],
    run,
};

/// Neighbours that a node chooses besides the next node.
const CHOSEN: u32 = 5;
/// A rumour is told to a second neighbour in one of so many cases, and gets so many hops there at most.
const ASIDE: u32 = 8;
const BRANCH: u64 = 30;

/// What is passed on. Where to does not depend on who was faster.
#[derive(Clone, Copy)]
struct Rumour {
    /// What was heard so far.
    trail: u64,
    /// Hops to go, and done, on this branch.
    left: u64,
    done: u64,
}

/// Where a rumour goes from a node.
struct Onward {
    /// The neighbour and what it will hear.
    main: (usize, Rumour),
    aside: Option<(usize, Rumour)>,
}

impl Rumour {
    fn new(number: u64, hops: u64) -> Self {
        Self {
            trail: number,
            left: hops,
            done: 0,
        }
    }

    /// What becomes of it at a node with so many neighbours; `None` if it ends there.
    fn onward(self, neighbours: usize) -> Option<Onward> {
        let mut left = self.left.checked_sub(1)?;
        let mut random = Random::new(self.trail);
        let mut pick = || random.below(neighbours as u32) as usize;
        let (to, other) = (pick(), pick());
        let branches = random.below(ASIDE) == 0;
        let given = if branches { BRANCH.min(left / 2) } else { 0 };
        left -= given;
        let aside = (given > 0).then(|| Self {
            trail: random.next(),
            left: given - 1,
            done: 1,
        });
        let main = Self {
            trail: random.next(),
            left,
            done: self.done + 1,
        };
        Some(Onward {
            main: (to, main),
            aside: aside.map(|aside| (other, aside)),
        })
    }

    /// What the listener is told when it ends at a node.
    fn heard(self, node: usize) -> u64 {
        mixed(self.trail ^ node as u64)
    }
}

/// The neighbours of each node. All nodes can be reached.
fn graph(nodes: usize) -> Vec<Vec<usize>> {
    let neighbours = |node: usize| {
        let mut random = Random::new(node as u64);
        let mut neighbours = vec![(node + 1) % nodes];
        neighbours.extend((0..CHOSEN).map(|_| random.below(nodes as u32) as usize));
        neighbours
    };
    (0..nodes).map(neighbours).collect()
}

struct Node {
    number: usize,
    neighbours: Vec<To<Node>>,
    listener: To<Listener>,
}

enum ToNode {
    Meet(Vec<To<Node>>),
    Tell(Rumour),
    Stop,
}

impl Actor<Simulated> for Node {
    type Message = ToNode;

    fn handle(&mut self, message: ToNode, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToNode::Meet(neighbours) => self.neighbours = neighbours,
            ToNode::Tell(rumour) => match rumour.onward(self.neighbours.len()) {
                Some(onward) => {
                    for (to, rumour) in [Some(onward.main), onward.aside].into_iter().flatten() {
                        cx.tell(&self.neighbours[to], ToNode::Tell(rumour));
                    }
                }
                None => cx.tell(
                    &self.listener,
                    ToListener::Ended(rumour.done, rumour.heard(self.number)),
                ),
            },
            ToNode::Stop => cx.stop(),
        }
    }
}

/// Stops the nodes when all hops are done. The nodes know each other before the first rumour starts.
struct Listener {
    nodes: Vec<To<Node>>,
    rumours: u64,
    hops: u64,
    /// Hops of which no end was told yet.
    left: u64,
    total: u64,
    sum: Sum,
}

enum ToListener {
    Begin(Vec<To<Node>>),
    /// Hops of a branch, and what was heard at its end.
    Ended(u64, u64),
}

impl Actor<Simulated> for Listener {
    type Message = ToListener;

    fn handle(&mut self, message: ToListener, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToListener::Begin(nodes) => {
                for (node, neighbours) in graph(nodes.len()).into_iter().enumerate() {
                    let neighbours = neighbours.into_iter().map(|other| nodes[other].clone());
                    cx.tell(&nodes[node], ToNode::Meet(neighbours.collect()));
                }
                for number in 0..self.rumours {
                    let node = start(number, nodes.len());
                    cx.tell(&nodes[node], ToNode::Tell(Rumour::new(number, self.hops)));
                }
                self.nodes = nodes;
            }
            ToListener::Ended(hops, heard) => {
                self.total = self.total.wrapping_add(heard);
                self.left -= hops;
                if self.left == 0 {
                    for node in &self.nodes {
                        cx.tell(node, ToNode::Stop);
                    }
                    self.sum.add(self.total);
                    cx.stop();
                }
            }
        }
    }
}

/// The node at which a rumour starts.
fn start(rumour: u64, nodes: usize) -> usize {
    (mixed(rumour) % nodes as u64) as usize
}

struct Gossip {
    nodes: usize,
    rumours: u64,
    hops: u64,
    sum: Sum,
}

impl Gossip {
    fn expected(&self) -> u64 {
        let graph = graph(self.nodes);
        let first = |number| (start(number, self.nodes), Rumour::new(number, self.hops));
        let mut under_way: Vec<(usize, Rumour)> = (0..self.rumours).map(first).collect();
        let mut total = 0u64;
        while let Some((node, rumour)) = under_way.pop() {
            match rumour.onward(graph[node].len()) {
                Some(onward) => {
                    let told = [Some(onward.main), onward.aside].into_iter().flatten();
                    under_way.extend(told.map(|(to, rumour)| (graph[node][to], rumour)));
                }
                None => total = total.wrapping_add(rumour.heard(node)),
            }
        }
        total
    }
}

impl Script<Simulated> for Gossip {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let listener = driver.spawn(Listener {
            nodes: Vec::new(),
            rumours: self.rumours,
            hops: self.hops,
            left: self.rumours * self.hops,
            total: 0,
            sum: self.sum,
        });
        let node = |number| {
            driver.spawn(Node {
                number,
                neighbours: Vec::new(),
                listener: listener.clone(),
            })
        };
        let nodes: Vec<To<Node>> = (0..self.nodes).map(node).collect();
        driver.tell(&listener, ToListener::Begin(nodes));
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let script = Gossip {
        nodes: number(program, parameters, "nodes")? as usize,
        rumours: number(program, parameters, "rumours")?,
        hops: number(program, parameters, "hops")?,
        sum: sum.clone(),
    };
    let (actors, expected) = (script.nodes + 1, script.expected());
    sum.play(program, settings, script, (actors, expected))
}
