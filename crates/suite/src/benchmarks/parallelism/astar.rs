//! A-Star search: a master deals nodes of a grid out to workers, which claim and expand what they can reach.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::benchmark::{Outcome, Phase, Phased, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;
use crate::tools::{J48, spin};

/// The benchmark.
#[derive(Debug)]
pub struct AStar {
    workers: usize,
    side: i32,
    limit: i64,
    priorities: i32,
    mode: Mode,
}

/// When the search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// When everything has been reached.
    Exhaust,
    /// When the target has been reached.
    First,
}

/// What the Master reports.
#[derive(Debug, Default)]
pub struct Report {
    end: Once<End>,
}

#[derive(Debug)]
struct End {
    items: i64,
    found: bool,
    effort: Effort,
    /// Edges from the origin to the target, if the claims lead there.
    path: Option<i64>,
}

/// What workers did.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    processed: i64,
    spins: i64,
}

impl Phased for AStar {
    const NAME: &'static str = "astar";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::between("w", 1, 4096),
        Parameter::between("g", 5, 248),
        Parameter::at_least("t", 1),
        Parameter::between("p", 1, 31),
        Parameter::choice("mode", &["exhaust", "first"]),
    ];
    type Report = Report;
    type Prepared<L: ActorLibrary> = Arc<Grid>;

    fn new(arguments: &Arguments) -> Self {
        Self {
            workers: arguments.get("w") as usize,
            side: arguments.get("g") as i32,
            limit: arguments.get("t"),
            priorities: arguments.get("p") as i32,
            mode: match arguments.word("mode") {
                "first" => Mode::First,
                _ => Mode::Exhaust,
            },
        }
    }

    fn stops(&self, phase: Phase) -> Population {
        match phase {
            Phase::Run => Population::Known(self.workers as i64 + 1),
            Phase::Setup | Phase::Check(_) => Population::Known(0),
        }
    }

    fn setup<L: ActorLibrary>(&self, _: &mut impl Driver<L>, _: &'static Report) -> Arc<Grid> {
        Arc::new(Grid::draw(self.side))
    }

    fn run<L: ActorLibrary>(
        &self,
        grid: &mut Arc<Grid>,
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) {
        driver.spawn(Master::<L> {
            search: Search {
                grid: Arc::clone(grid),
                limit: self.limit,
                priorities: self.priorities,
                mode: self.mode,
            },
            size: self.workers,
            workers: Vec::new(),
            sent: 0,
            completed: 0,
            stopped: 0,
            stopping: false,
            found: false,
            effort: Effort::default(),
            report,
        });
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let End {
            items,
            found,
            effort,
            path,
        } = report.end.take("end")?;
        Ok(match self.mode {
            Mode::Exhaust => Outcome::new(effort.processed)
                .check("spins", effort.spins)
                .metric("items", items),
            Mode::First => Outcome::new(i64::from(found))
                .check("valid", i64::from(path.is_some()))
                .metric("items", items)
                .metric("processed", effort.processed)
                .metric("path_length", path.unwrap_or_default()),
        })
    }
}

/// A directed graph on the points of a cube, and who claimed each of them. The only data that the actors share.
pub struct Grid {
    side: i32,
    target: i32,
    /// Where the edges of a node begin in `edges`, by node; those of the next one begin where they end.
    starts: Vec<u32>,
    edges: Vec<i32>,
    /// The node from which a node was claimed.
    parent: Vec<AtomicI32>,
}

const UNCLAIMED: i32 = -1;
const ORIGIN: i32 = -2;

impl Grid {
    /// Draws the edges. They lead to nodes that are further from the origin by at most one in each direction.
    fn draw(side: i32) -> Self {
        let nodes = side * side * side;
        let mut random = J48::new(123_456);
        let mut starts = vec![0];
        let mut edges: Vec<i32> = Vec::new();
        for node in 0..nodes {
            let own = edges.len();
            for step in 1..7 {
                let accepted = step == 6 && edges.len() == own || random.bool();
                let to = neighbour(side, node, step);
                if accepted && to != node && !edges[own..].contains(&to) {
                    edges.push(to);
                }
            }
            starts.push(edges.len() as u32);
        }
        let parent: Vec<_> = (0..nodes).map(|_| AtomicI32::new(UNCLAIMED)).collect();
        parent[0].store(ORIGIN, Ordering::Relaxed);
        let middle = 4 * side / 5;
        Self {
            side,
            target: (middle * side + middle) * side + middle,
            starts,
            edges,
            parent,
        }
    }

    fn neighbours(&self, node: i32) -> &[i32] {
        let node = node as usize;
        &self.edges[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Claims a node for whoever comes from `from`. True for exactly one caller.
    fn claim(&self, node: i32, from: i32) -> bool {
        // Relaxed: the claim itself is all that is handed over; the graph was there before any actor.
        self.parent[node as usize]
            .compare_exchange(UNCLAIMED, from, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    /// How many claims lead from the target back to the origin; nothing if they do not.
    fn path(&self) -> Option<i64> {
        let mut node = self.target;
        for edges in 0..=self.parent.len() {
            // Relaxed: the claims on the way happened before the worker's message to the Master, who asks.
            match self.parent[node as usize].load(Ordering::Relaxed) {
                ORIGIN => return Some(edges as i64),
                UNCLAIMED => return None,
                parent => node = parent,
            }
        }
        None
    }
}

/// The node at the other end of an edge. The bits of `step`, 1 to 6, say in which directions it is one further; there is
/// nothing beyond the border.
fn neighbour(side: i32, node: i32, step: i32) -> i32 {
    let further = |at: i32, bit: i32| (at + (step >> bit & 1)).min(side - 1);
    let (i, j, k) = (node / (side * side), node / side % side, node % side);
    (further(i, 2) * side + further(j, 1)) * side + further(k, 0)
}

/// What all workers need to know.
#[derive(Clone)]
struct Search {
    grid: Arc<Grid>,
    limit: i64,
    priorities: i32,
    mode: Mode,
}

impl Search {
    /// Expands up to as many nodes as a work item allows; `queue` begins with the item's node and ends with those that are
    /// left. True if the target was found, which ends it early.
    // One copy for all libraries.
    #[inline(never)]
    fn expand(&self, queue: &mut VecDeque<i32>, effort: &mut Effort) -> bool {
        let mut done = 0;
        while done < self.limit
            && let Some(node) = queue.pop_front()
        {
            done += 1;
            effort.spins += spin(i64::from(node), 100);
            effort.processed += 1;
            for &next in self.grid.neighbours(node) {
                if !self.grid.claim(next, node) {
                    continue;
                }
                if self.mode == Mode::First && next == self.grid.target {
                    queue.clear();
                    return true;
                }
                queue.push_back(next);
            }
        }
        false
    }

    /// Whether a node is more than half way to the far corner, near which the target lies: its number is larger there.
    fn is_urgent(&self, work: &Work) -> bool {
        work.priority > (self.priorities - self.grid.side / 16).abs()
    }

    fn work(&self, node: i32) -> Work {
        let side = self.grid.side;
        let (i, j, k) = (node / (side * side), node / side % side, node % side);
        let far = (side - i).max(side - j).max(side - k);
        Work {
            node,
            target: self.grid.target,
            priority: (self.priorities - far / 8).abs(),
        }
    }
}

/// A node to expand. The target is known and the priority orders nothing but in a variant; they are part of the message.
struct Work {
    node: i32,
    #[expect(dead_code, reason = "the entry sends it, and its receiver does not need it")]
    target: i32,
    priority: i32,
}

struct Master<L: ActorLibrary> {
    search: Search,
    size: usize,
    workers: Vec<L::Address<Worker<L>>>,
    sent: usize,
    completed: usize,
    stopped: usize,
    stopping: bool,
    found: bool,
    effort: Effort,
    report: &'static Report,
}

enum ToMaster {
    NewWork(Work),
    Received,
    Found,
    Stopped(Effort),
}

kinds!(Received of ToMaster);

impl<L: ActorLibrary> Master<L> {
    fn dispatch(&mut self, work: Work, cx: &mut impl Context<L, Self>) {
        let worker = &self.workers[self.sent % self.workers.len()];
        let urgent = self.search.is_urgent(&work);
        cx.tell_by_urgency(worker, ToWorker::Work(work), urgent);
        self.sent += 1;
    }

    fn begin_stopping(&mut self, cx: &mut impl Context<L, Self>) {
        if !self.stopping {
            self.stopping = true;
            for worker in &self.workers {
                cx.tell(worker, ToWorker::Stop);
            }
        }
    }

    fn stopped(&mut self, effort: Effort, cx: &mut impl Context<L, Self>) {
        self.effort.processed += effort.processed;
        self.effort.spins += effort.spins;
        self.stopped += 1;
        if self.stopped == self.workers.len() {
            self.report.end.report(End {
                items: self.sent as i64,
                found: self.found,
                effort: self.effort,
                path: self.search.grid.path(),
            });
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Master<L> {
    type Message = ToMaster;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        for _ in 0..self.size {
            let worker = cx.spawn(Worker {
                search: self.search.clone(),
                master: cx.myself(),
                queue: VecDeque::new(),
                effort: Effort::default(),
            });
            self.workers.push(worker);
        }
        self.dispatch(self.search.work(0), cx);
    }

    fn handle(&mut self, message: ToMaster, cx: &mut impl Context<L, Self>) {
        match message {
            ToMaster::NewWork(work) => {
                if !self.stopping {
                    self.dispatch(work, cx);
                }
            }
            ToMaster::Received => {
                self.completed += 1;
                if self.completed == self.sent {
                    self.begin_stopping(cx);
                }
            }
            ToMaster::Found => {
                self.found = true;
                self.begin_stopping(cx);
            }
            ToMaster::Stopped(effort) => self.stopped(effort, cx),
        }
    }
}

struct Worker<L: ActorLibrary> {
    search: Search,
    master: L::Address<Master<L>>,
    /// Empty between two messages; kept for its memory.
    queue: VecDeque<i32>,
    effort: Effort,
}

enum ToWorker {
    Work(Work),
    Stop,
}

impl<L: ActorLibrary> Worker<L> {
    fn expand(&mut self, from: i32, cx: &mut impl Context<L, Self>) {
        self.queue.push_back(from);
        if self.search.expand(&mut self.queue, &mut self.effort) {
            cx.tell(&self.master, ToMaster::Found);
        }
        for node in self.queue.drain(..) {
            cx.tell(&self.master, ToMaster::NewWork(self.search.work(node)));
        }
        cx.tell_kind(&self.master, Received);
    }
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<L, Self>) {
        match message {
            ToWorker::Work(work) => self.expand(work.node, cx),
            ToWorker::Stop => {
                cx.tell(&self.master, ToMaster::Stopped(self.effort));
                cx.stop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::sequence_hash;

    #[test]
    fn the_graph_is_that_of_the_entry() {
        for (side, edges, hash, target) in [
            (6, 534, 2_142_788_024, 172),
            (30, 78_712, 1_240_668_639, 22_344),
            (60, 641_408, 144_369_243, 175_728),
        ] {
            let grid = Grid::draw(side);
            assert_eq!(grid.edges.len(), edges, "side {side}");
            assert_eq!(
                sequence_hash(grid.edges.iter().map(|node| i64::from(*node))),
                hash,
                "side {side}"
            );
            assert_eq!(grid.target, target, "side {side}");
        }
    }

    #[test]
    fn a_search_reaches_as_much_as_the_entry_says_however_it_is_cut() {
        for limit in [1, 8, i64::MAX] {
            let search = search(limit, Mode::Exhaust);
            let mut effort = Effort::default();
            let mut waiting = VecDeque::from([0]);
            while let Some(node) = waiting.pop_front() {
                let mut queue = VecDeque::from([node]);
                assert!(!search.expand(&mut queue, &mut effort));
                waiting.extend(queue);
            }
            assert_eq!(
                (effort.processed, effort.spins),
                (131, 4_573_021),
                "limit {limit}"
            );
            assert!(search.grid.path() >= Some(6), "limit {limit}");
        }
    }

    #[test]
    fn a_path_that_does_not_begin_at_the_origin_is_none() {
        let search = search(i64::MAX, Mode::First);
        assert_eq!(search.grid.path(), None);
        assert!(search.expand(&mut VecDeque::from([0]), &mut Effort::default()));
        assert_eq!(search.grid.path(), Some(6));
        let target = search.grid.target;
        search.grid.parent[target as usize].store(target, Ordering::Relaxed);
        assert_eq!(search.grid.path(), None, "a circle");
    }

    fn search(limit: i64, mode: Mode) -> Search {
        Search {
            grid: Arc::new(Grid::draw(6)),
            limit,
            priorities: 30,
            mode,
        }
    }
}
