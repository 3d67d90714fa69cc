//! Branch and bound: the shortest schedule of a flow shop, whose jobs pass all machines in the same order. A searcher
//! works through its subtree, deepest nodes first, some nodes per message, and while it has many it splits off half of
//! them for a searcher of its own. Who finds a better schedule tells the board, which tells all who are still searching.
//! How much is searched depends on how soon that comes. Written as held out, after all rules.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datil_policy::Random;
use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, burst, coordinator, light};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, between, number};
use crate::host::{Activity, Annotation, Settings};
use crate::library::{Simulated, System};
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "bound",
    about: "written to try the final rules on: searchers that split their trees and are told of better bounds",
    nature: Nature::Computing,
    parameters: &[("jobs", "11"), ("seed", "10")],
    scale: None,
    annotations: &[
        coordinator("bound::Board", burst),
        Annotation {
            carries: |activity| 4 * activity.spawns as u32,
            ..actor("bound::Searcher", search)
        },
    ],
    run,
};

const MACHINES: usize = 5;
/// Nodes that are taken up for one message.
const SLICE: usize = 4;
/// A searcher that has so many nodes or more splits off half of them.
const MANY: usize = 12;

/// The bound of a schedule that has begun: for each pair of 20 machines, 20 jobs in the order of Johnson's rule, some 5
/// cycles each, as for the large instances of Taillard. Those of the simulation are smaller. Of the four nodes of a slice
/// about one is not ruled out at once, and bounds are computed of its children, four on average.
fn search(activity: &Activity) -> Charge {
    const BOUND: u64 = 190 * 20 * 5;
    match activity.sends {
        // A better schedule is known, or the end.
        0 => light(activity),
        _ => Charge::compute(between(BOUND, 7 * BOUND, activity)).touching(8),
    }
}

/// How long each job takes on each machine.
struct Shop(Vec<[u32; MACHINES]>);

/// The beginning of a schedule.
struct Node {
    /// Jobs that are in it, a bit each.
    jobs: u32,
    /// When each machine is done with them.
    done: [u32; MACHINES],
    /// No schedule that begins so is shorter.
    bound: u32,
}

impl Shop {
    fn new(jobs: u64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut job = || std::array::from_fn(|_| 1 + random.below(99));
        Self((0..jobs).map(|_| job()).collect())
    }

    fn root(&self) -> Node {
        Node {
            jobs: 0,
            done: [0; MACHINES],
            bound: 0,
        }
    }

    fn left(&self, jobs: u32) -> impl Iterator<Item = (usize, &[u32; MACHINES])> {
        let all = self.0.iter().enumerate();
        all.filter(move |(job, _)| jobs >> job & 1 == 0)
    }

    /// Whole schedules that begin like the node.
    fn schedules(&self, node: &Node) -> u64 {
        (1..=self.left(node.jobs).count() as u64).product()
    }

    /// Each machine has to do what is left, and the other machines the rest of the last job.
    fn bound(&self, jobs: u32, done: &[u32; MACHINES]) -> u32 {
        let bound = |machine: usize| {
            let work: u32 = self.left(jobs).map(|(_, job)| job[machine]).sum();
            let rest = self
                .left(jobs)
                .map(|(_, job)| job[machine + 1..].iter().sum::<u32>());
            done[machine] + work + rest.min().unwrap_or(0)
        };
        (0..MACHINES).map(bound).max().unwrap_or(0)
    }

    /// The schedule with one job more.
    fn with(&self, node: &Node, job: usize) -> Node {
        let mut done = node.done;
        let mut before = 0;
        for (done, time) in done.iter_mut().zip(self.0[job]) {
            before = before.max(*done) + time;
            *done = before;
        }
        let jobs = node.jobs | 1 << job;
        let bound = self.bound(jobs, &done);
        Node { jobs, done, bound }
    }

    /// The best ones last.
    fn children(&self, node: &Node) -> Vec<Node> {
        let left = self.left(node.jobs).map(|(job, _)| self.with(node, job));
        let mut children: Vec<Node> = left.collect();
        children.sort_by_key(|child| std::cmp::Reverse(child.bound));
        children
    }

    /// The length of a good schedule, by the heuristic of Nawaz, Enscore and Ham: each job, the longest first, is put
    /// where it lengthens the schedule least.
    fn good(&self) -> u32 {
        let mut jobs: Vec<usize> = (0..self.0.len()).collect();
        jobs.sort_by_key(|&job| std::cmp::Reverse(self.0[job].iter().sum::<u32>()));
        let length = |order: &[usize]| {
            order
                .iter()
                .fold(self.root(), |node, &job| self.with(&node, job))
                .done[MACHINES - 1]
        };
        let mut order = Vec::new();
        for job in jobs {
            let with = |place| {
                let mut order = order.clone();
                order.insert(place, job);
                order
            };
            let all = (0..=order.len()).map(with);
            order = all
                .min_by_key(|order| length(order))
                .expect("there is a first place");
        }
        length(&order)
    }
}

/// Nodes to be searched, the next one last, and what came of others.
struct Search {
    shop: Arc<Shop>,
    nodes: Vec<Node>,
    /// The shortest schedule that is known here.
    best: u32,
    /// Schedules that were found or ruled out.
    settled: u64,
}

impl Search {
    /// Takes up the next node.
    fn step(&mut self) {
        let Some(node) = self.nodes.pop() else {
            return;
        };
        if node.bound >= self.best {
            self.settled += self.shop.schedules(&node);
            return;
        }
        let children = self.shop.children(&node);
        if children.is_empty() {
            // The bound of a whole schedule is its length.
            self.best = node.bound;
            self.settled += 1;
        }
        self.nodes.extend(children);
    }

    /// Every second node, for somebody else.
    fn split(&mut self) -> Self {
        let (mut kept, mut given) = (Vec::new(), Vec::new());
        for (number, node) in self.nodes.drain(..).enumerate() {
            if number % 2 == 0 { &mut given } else { &mut kept }.push(node);
        }
        self.nodes = kept;
        Self {
            shop: Arc::clone(&self.shop),
            nodes: given,
            best: self.best,
            settled: 0,
        }
    }
}

struct Searcher {
    number: u64,
    search: Search,
    board: To<Board>,
    numbers: Arc<AtomicU64>,
}

enum ToSearcher {
    Begin,
    Continue,
    Better(u32),
    Stop,
}

impl Searcher {
    fn go_on(&mut self, cx: &mut impl Context<Simulated, Self>) {
        let known = self.search.best;
        (0..SLICE).for_each(|_| self.search.step());
        if self.search.best < known {
            cx.tell(&self.board, ToBoard::Found(self.search.best));
        }
        if self.search.nodes.len() >= MANY {
            let other = cx.spawn(Self {
                number: self.numbers.fetch_add(1, Ordering::Relaxed),
                search: self.search.split(),
                board: self.board.clone(),
                numbers: Arc::clone(&self.numbers),
            });
            cx.tell(&other, ToSearcher::Begin);
        }
        if self.search.nodes.is_empty() {
            cx.tell(&self.board, ToBoard::Finished(self.number, self.search.settled));
        } else {
            cx.tell_self(ToSearcher::Continue);
        }
    }
}

impl Actor<Simulated> for Searcher {
    type Message = ToSearcher;

    fn handle(&mut self, message: ToSearcher, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToSearcher::Begin => {
                let joined = ToBoard::Joined(self.number, cx.myself(), self.search.best);
                cx.tell(&self.board, joined);
                self.go_on(cx);
            }
            ToSearcher::Continue => self.go_on(cx),
            ToSearcher::Better(best) => self.search.best = self.search.best.min(best),
            ToSearcher::Stop => cx.stop(),
        }
    }
}

struct Board {
    best: u32,
    searchers: BTreeMap<u64, To<Searcher>>,
    /// Schedules that are neither found nor ruled out.
    left: u64,
    sum: Sum,
}

enum ToBoard {
    /// A searcher, and the shortest schedule that it knows of.
    Joined(u64, To<Searcher>, u32),
    Found(u32),
    /// A searcher, and the schedules that it has settled.
    Finished(u64, u64),
}

impl Actor<Simulated> for Board {
    type Message = ToBoard;

    fn handle(&mut self, message: ToBoard, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToBoard::Joined(number, searcher, known) => {
                if self.best < known {
                    cx.tell(&searcher, ToSearcher::Better(self.best));
                }
                self.searchers.insert(number, searcher);
            }
            ToBoard::Found(best) if best < self.best => {
                self.best = best;
                for searcher in self.searchers.values() {
                    cx.tell(searcher, ToSearcher::Better(best));
                }
            }
            ToBoard::Found(_) => {}
            ToBoard::Finished(number, settled) => {
                let searcher = self.searchers.remove(&number).expect("it has joined before");
                cx.tell(&searcher, ToSearcher::Stop);
                self.left -= settled;
                if self.left == 0 {
                    self.sum.add(self.best.into());
                    cx.stop();
                }
            }
        }
    }
}

impl Script<Simulated> for (Search, Sum, Arc<AtomicU64>) {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let (search, sum, numbers) = self;
        let board = driver.spawn(Board {
            best: search.best,
            searchers: BTreeMap::new(),
            left: search.shop.schedules(&search.nodes[0]),
            sum,
        });
        let first = driver.spawn(Searcher {
            number: numbers.fetch_add(1, Ordering::Relaxed),
            search,
            board,
            numbers,
        });
        driver.tell(&first, ToSearcher::Begin);
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let jobs = number(program, parameters, "jobs")?;
    if jobs > 20 {
        return Err(format!(
            "{}: {jobs} jobs are too many to count schedules",
            program.name
        ));
    }
    let shop = Arc::new(Shop::new(jobs, number(program, parameters, "seed")?));
    let search = || Search {
        shop: Arc::clone(&shop),
        nodes: vec![shop.root()],
        best: shop.good(),
        settled: 0,
    };
    let mut alone = search();
    while !alone.nodes.is_empty() {
        alone.step();
    }
    let (sum, searchers) = (Sum::default(), Arc::new(AtomicU64::new(0)));
    let script = (search(), sum.clone(), Arc::clone(&searchers));
    // How many searchers there are is known when they have stopped, and is no part of the result.
    let (run, stopped) = System::new(settings)?.play(script)?;
    let (actors, shortest) = (
        1 + searchers.load(Ordering::Relaxed),
        sum.0.load(Ordering::Relaxed),
    );
    if stopped != actors {
        return Err(format!("{}: {stopped} of {actors} actors stopped", program.name));
    }
    if shortest != u64::from(alone.best) {
        return Err(format!(
            "{}: the shortest schedule is {shortest}, not {}",
            program.name, alone.best
        ));
    }
    Ok(Simulation {
        run,
        result: format!("shortest schedule {shortest}"),
    })
}
