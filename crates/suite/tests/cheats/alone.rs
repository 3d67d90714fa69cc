//! Cheats that compute in one actor what the entry wants divided.

use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::tools::{J48, Rng, sequence_hash, spin};

use super::{Fields, cheat};

type Computation = Box<dyn FnOnce(&Fields) + Send>;

/// An actor that does everything.
struct Alone {
    computation: Option<Computation>,
    report: &'static Fields,
}

impl<L: ActorLibrary> Actor<L> for Alone {
    type Message = ();

    fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
        let compute = self.computation.take().expect("one message");
        compute(self.report);
        cx.stop();
    }
}

fn alone<L: ActorLibrary>(
    driver: &mut impl Driver<L>,
    report: &'static Fields,
    computation: impl FnOnce(&Fields) + Send + 'static,
) {
    let computation: Option<Computation> = Some(Box::new(computation));
    let actor = driver.spawn(Alone { computation, report });
    driver.tell(&actor, ());
}

// apsp: the textbook's three loops.
cheat!(UndividedMatrix = AllPairsShortestPath, |_this| 1, n, b, w);

impl UndividedMatrix {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let Self { n, b, w } = *self;
        alone::<L>(driver, report, move |report| {
            let mut rng = Rng::new(n);
            let nodes = n as usize;
            let at = |i: usize, j: usize| i * nodes + j;
            let mut d = vec![0; nodes * nodes];
            for i in 0..nodes {
                for j in i + 1..nodes {
                    d[at(i, j)] = rng.below(w) + 1;
                    d[at(j, i)] = d[at(i, j)];
                }
            }
            for k in 0..nodes {
                for i in 0..nodes {
                    for j in 0..nodes {
                        d[at(i, j)] = d[at(i, j)].min(d[at(i, k)] + d[at(k, j)]);
                    }
                }
            }
            report.add("phases", n * (n / b) * (n / b));
            for (i, row) in (0..).zip(d.chunks_exact(nodes)) {
                for (j, distance) in (0..).zip(row) {
                    report.add("result", *distance);
                    report.add("wsum", distance * ((31 * i + 17 * j) % 101 + 1));
                }
            }
        });
    }
}

// astar: nodes are expanded without the busy work.
cheat!(IdleExpansion = AStar, |_this| 1, g);

impl IdleExpansion {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let side = self.g;
        alone::<L>(driver, report, move |report| {
            let neighbours = draw_grid(side);
            let mut claimed = vec![false; neighbours.len()];
            let mut queue = vec![0];
            claimed[0] = true;
            while let Some(node) = queue.pop() {
                report.add("result", 1);
                report.add("spins", spin(node as i64, 0));
                for next in &neighbours[node] {
                    if !std::mem::replace(&mut claimed[*next], true) {
                        queue.push(*next);
                    }
                }
            }
            report.metric("items", 1);
        });
    }
}

fn draw_grid(side: i64) -> Vec<Vec<usize>> {
    let mut random = J48::new(123_456);
    let mut neighbours: Vec<Vec<usize>> = Vec::new();
    for node in 0..side * side * side {
        let mut own = Vec::new();
        for step in 1..7 {
            let accepted = step == 6 && own.is_empty() || random.bool();
            let further = |at: i64, bit: i64| (at + (step >> bit & 1)).min(side - 1);
            let (i, j, k) = (node / (side * side), node / side % side, node % side);
            let to = (further(i, 2) * side + further(j, 1)) * side + further(k, 0);
            if accepted && to != node && !own.contains(&(to as usize)) {
                own.push(to as usize);
            }
        }
        neighbours.push(own);
    }
    neighbours
}

// nqueenk: the first item is not divided any further.
cheat!(UndividedBoard = NQueens, |_this| 1, n);

impl UndividedBoard {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let side = self.n;
        alone::<L>(driver, report, move |report| {
            report.add("items", 1);
            queens(side, &mut Vec::new(), &mut || report.add("result", 1));
        });
    }
}

fn queens(side: i64, columns: &mut Vec<i64>, found: &mut dyn FnMut()) {
    if columns.len() as i64 == side {
        found();
        return;
    }
    for column in 0..side {
        let mut above = columns.iter().rev().zip(1..);
        if above.all(|(other, distance)| (column - other).abs() != distance && column != *other) {
            columns.push(column);
            queens(side, columns, found);
            columns.pop();
        }
    }
}

// recmatmul: the elements of the product by their formula.
cheat!(ProductByFormula = MatrixMultiplication, |_this| 1, n, t);

impl ProductByFormula {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let Self { n, t } = *self;
        alone::<L>(driver, report, move |report| {
            for i in 0..n {
                for j in 0..n {
                    report.add("result", n * i * j);
                    report.add("wsum", n * i * j % 1_000_003 * ((31 * i + 17 * j) % 101 + 1));
                }
            }
            let (mut elements, mut items) = (n * n, 1);
            report.add("items", 1);
            while elements > t {
                elements /= 4;
                items *= 8;
                report.add("items", items);
            }
        });
    }
}

// quicksort: the root sorts everything, with the library's sort.
cheat!(LibrarySort = Quicksort, |_this| 1, n, m, s);

impl LibrarySort {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let Self { n, m, s } = *self;
        alone::<L>(driver, report, move |report| {
            let list = sorted(n, m, s);
            report.add("result", sequence_hash(list.iter().copied()));
            report.add("count", n);
            report.add("sorted", 1);
            report.add("sum", list.iter().sum());
        });
    }
}

fn sorted(length: i64, modulus: i64, seed: i64) -> Vec<i64> {
    let mut rng = Rng::new(seed);
    let mut list: Vec<_> = (0..length).map(|_| rng.below(modulus)).collect();
    list.sort_unstable();
    list
}

// bitonicsort: no network at all.
cheat!(SortWithoutNetwork = BitonicSort, |_this| 1, n, m, s);

impl SortWithoutNetwork {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let Self { n, m, s } = *self;
        alone::<L>(driver, report, move |report| {
            let list = sorted(n, m, s);
            report.add("result", sequence_hash(list.iter().copied()));
            report.add("count", n);
            report.add("errors", 0);
            report.add("sum", list.iter().sum());
        });
    }
}

// filterbank: the first filters run on a window that slides, and are all that is computed.
cheat!(SlidingFilter = FilterBank, |_this| 1, sim, col, chan);

impl SlidingFilter {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let Self { sim, col, chan } = *self;
        alone::<L>(driver, report, move |report| {
            let input = |index: i64| {
                if index < col - 1 {
                    0
                } else {
                    (index - col + 1) % 1000
                }
            };
            for j in 0..chan {
                let coefficient = |i: i64| i * col + j * chan + j + i + j + 1;
                for last in col - 1..sim {
                    let age = |age: i64| input(last - age) * coefficient(age);
                    report.add("result", (0..col).map(age).sum::<i64>() % 1_000_003);
                    report.add("fir", 1);
                }
            }
            report.add("count", sim - 2 * col + 2);
            report.add_float("sum", 0.0);
            report.add_float("wsum", 0.0);
        });
    }
}

// uct: nobody grows a tree; a list of nodes of the right size does the work.
cheat!(FelledTree = CobwebbedTree, |_this| 1, nodes, avg, unit, binomial);

impl FelledTree {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let Self {
            nodes,
            avg,
            unit,
            binomial,
        } = *self;
        alone::<L>(driver, report, move |report| {
            let size = (nodes - 1) / binomial * binomial + 1;
            for id in 1..size {
                report.add("result", spin(id, 100 * unit) + spin(id, avg * unit));
            }
            report.add("nodes", size);
            report.add("grants", (size - 1) / binomial - 1);
            report.add("height", 2);
            report.add("urgent", 0);
        });
    }
}

// sor: the whole grid in one actor.
cheat!(GridInOneActor = Relaxation, |_this| 1, size, it, seed);

impl GridInOneActor {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let Self { size, it, seed } = *self;
        alone::<L>(driver, report, move |report| {
            let mut rng = Rng::new(seed);
            let mut grid: Vec<f64> = (0..size * size).map(|_| rng.unit() * 1e-6).collect();
            let at = |i: i64, j: i64| (i * size + j) as usize;
            let inside = |i: i64, j: i64| (0..size).contains(&i) && (0..size).contains(&j);
            for half_step in 1..2 * it {
                for (i, j) in (0..size * size).map(|cell| (cell / size, cell % size)) {
                    if (i + j + half_step) % 2 == 0 {
                        let around = [(i, j + 1), (i + 1, j), (i, j - 1), (i - 1, j)].into_iter();
                        let around = around.filter(|(i, j)| inside(*i, *j));
                        let sum: f64 = around.map(|(i, j)| grid[at(i, j)]).sum();
                        grid[at(i, j)] = 0.25 * 1.25 * sum - 0.25 * grid[at(i, j)];
                    }
                }
            }
            let values = (2 * it - 1) * 2 * size * (size - 1);
            report.add("received", values + (size * size + 1) / 2);
            report.add_float("result", grid.iter().sum());
        });
    }
}
