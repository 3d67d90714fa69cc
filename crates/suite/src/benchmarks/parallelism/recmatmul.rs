//! Recursive Matrix Multiplication: work is split into eighths, by way of the master, until it is small enough.

use std::collections::HashMap;
use std::sync::Arc;

use crate::benchmark::{Outcome, Phase, Phased, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Clone, Copy, Debug)]
pub struct MatrixMultiplication {
    side: usize,
    leaf: usize,
    workers: usize,
}

/// What the Master reports.
#[derive(Debug, Default)]
pub struct Report {
    end: Once<End>,
}

#[derive(Debug)]
struct End {
    items: i64,
    sums: Sums,
}

/// What elements of the product add up to.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    plain: i64,
    weighted: i64,
}

impl Phased for MatrixMultiplication {
    const NAME: &'static str = "recmatmul";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::between("n", 2, 2048).power_of_two(),
        Parameter::at_least("t", 1),
        Parameter::at_least("w", 1),
        Parameter::between("p", 1, 29),
    ];
    type Report = Report;
    type Prepared<L: ActorLibrary> = Arc<Factors>;

    fn new(arguments: &Arguments) -> Self {
        Self {
            side: arguments.get("n") as usize,
            leaf: arguments.get("t") as usize,
            workers: arguments.get("w") as usize,
        }
    }

    fn stops(&self, phase: Phase) -> Population {
        match phase {
            Phase::Run => Population::Known((self.workers as i64).saturating_add(1)),
            Phase::Setup | Phase::Check(_) => Population::Known(0),
        }
    }

    fn setup<L: ActorLibrary>(&self, _: &mut impl Driver<L>, _: &'static Report) -> Arc<Factors> {
        Arc::new(Factors::new(self.side))
    }

    fn run<L: ActorLibrary>(
        &self,
        factors: &mut Arc<Factors>,
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) {
        driver.spawn(Master::<L> {
            benchmark: *self,
            factors: Arc::clone(factors),
            workers: Vec::new(),
            sent: 0,
            completed: 0,
            stopped: 0,
            sums: Sums::default(),
            report,
        });
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let End { items, sums } = report.end.take("end")?;
        Ok(Outcome::new(sums.plain)
            .check("wsum", sums.weighted)
            .check("items", items))
    }
}

/// The matrices to multiply, row by row. All workers read them.
pub struct Factors {
    side: usize,
    left: Vec<f64>,
    right: Vec<f64>,
}

impl Factors {
    fn new(side: usize) -> Self {
        let cells = 0..side * side;
        Self {
            side,
            left: cells.clone().map(|cell| (cell / side) as f64).collect(),
            right: cells.map(|cell| (cell % side) as f64).collect(),
        }
    }

    /// Adds the product of a block of each matrix to a block of the result.
    // One copy for all libraries.
    #[inline(never)]
    fn multiply(&self, block: &Block, product: &mut [f64]) {
        let rows = self.left.chunks_exact(self.side).skip(block.c.row);
        for (row, product) in rows.zip(product.chunks_exact_mut(block.side)) {
            let row = &row[block.a.column..][..block.side];
            for (column, cell) in (block.c.column..).zip(product) {
                let column = self.right[block.b.row * self.side + column..]
                    .iter()
                    .step_by(self.side);
                *cell = row.iter().zip(column).fold(*cell, |sum, (a, b)| sum + a * b);
            }
        }
    }

    /// What a finished block of the product adds up to, which must be exactly right.
    fn sums(&self, at: Place, block_side: usize, product: &[f64]) -> Sums {
        let mut sums = Sums::default();
        for (i, row) in (at.row..).zip(product.chunks_exact(block_side)) {
            for (j, cell) in (at.column..).zip(row) {
                let value = *cell as i64;
                assert_eq!(
                    value,
                    (self.side * i * j) as i64,
                    "row {i}, column {j} of the product"
                );
                sums.plain += value;
                sums.weighted += (value % 1_000_003) * ((31 * i + 17 * j) % 101 + 1) as i64;
            }
        }
        sums
    }
}

/// Row and column of the first element of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    row: usize,
    column: usize,
}

impl Place {
    const ORIGIN: Self = Self { row: 0, column: 0 };

    fn moved(self, rows: usize, columns: usize) -> Self {
        Self {
            row: self.row + rows,
            column: self.column + columns,
        }
    }
}

/// Blocks of the same size: one of each factor, and one of the product, to which theirs is to be added.
struct Block {
    priority: u32,
    a: Place,
    b: Place,
    c: Place,
    elements: usize,
    side: usize,
}

impl Block {
    fn whole(side: usize) -> Self {
        Self {
            priority: 0,
            a: Place::ORIGIN,
            b: Place::ORIGIN,
            c: Place::ORIGIN,
            elements: side * side,
            side,
        }
    }

    /// The products of quarters that make this product up.
    fn eighths(&self) -> impl Iterator<Item = Self> {
        let half = self.side / 2;
        let each = move || [0, half].into_iter();
        let all = each().flat_map(move |i| each().flat_map(move |j| each().map(move |k| (i, j, k))));
        all.map(move |(i, j, k)| Self {
            priority: self.priority + 1,
            a: self.a.moved(i, k),
            b: self.b.moved(k, j),
            c: self.c.moved(i, j),
            elements: self.elements / 4,
            side: half,
        })
    }
}

struct Master<L: ActorLibrary> {
    benchmark: MatrixMultiplication,
    factors: Arc<Factors>,
    workers: Vec<L::Address<Worker<L>>>,
    sent: i64,
    completed: i64,
    stopped: usize,
    sums: Sums,
    report: &'static Report,
}

enum ToMaster {
    NewWork(Block),
    Done,
    Stopped(Sums),
}

impl<L: ActorLibrary> Master<L> {
    /// All work on a block of the product goes to the same worker.
    fn dispatch(&mut self, block: Block, cx: &mut impl Context<L, Self>) {
        let worker = (block.c.row + block.c.column) % self.workers.len();
        cx.tell(&self.workers[worker], ToWorker::Work(block));
        self.sent += 1;
    }

    fn stopped(&mut self, sums: Sums, cx: &mut impl Context<L, Self>) {
        self.sums.plain += sums.plain;
        self.sums.weighted += sums.weighted;
        self.stopped += 1;
        if self.stopped == self.workers.len() {
            self.report.end.report(End {
                items: self.sent,
                sums: self.sums,
            });
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Master<L> {
    type Message = ToMaster;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        for _ in 0..self.benchmark.workers {
            let worker = cx.spawn(Worker {
                leaf: self.benchmark.leaf,
                factors: Arc::clone(&self.factors),
                product: HashMap::new(),
                master: cx.myself(),
            });
            self.workers.push(worker);
        }
        self.dispatch(Block::whole(self.benchmark.side), cx);
    }

    fn handle(&mut self, message: ToMaster, cx: &mut impl Context<L, Self>) {
        match message {
            ToMaster::NewWork(block) => self.dispatch(block, cx),
            ToMaster::Done => {
                self.completed += 1;
                if self.completed == self.sent {
                    for worker in &self.workers {
                        cx.tell(worker, ToWorker::Stop);
                    }
                }
            }
            ToMaster::Stopped(sums) => self.stopped(sums, cx),
        }
    }
}

struct Worker<L: ActorLibrary> {
    leaf: usize,
    factors: Arc<Factors>,
    /// The blocks of the product that this worker computes. They are of one size.
    product: HashMap<Place, Vec<f64>>,
    master: L::Address<Master<L>>,
}

enum ToWorker {
    Work(Block),
    Stop,
}

impl<L: ActorLibrary> Worker<L> {
    fn work(&mut self, block: &Block, cx: &mut impl Context<L, Self>) {
        if block.elements > self.leaf {
            for eighth in block.eighths() {
                cx.tell(&self.master, ToMaster::NewWork(eighth));
            }
        } else {
            let product = self.product.entry(block.c);
            let product = product.or_insert_with(|| vec![0.0; block.side * block.side]);
            self.factors.multiply(block, product);
        }
        cx.tell(&self.master, ToMaster::Done);
    }

    fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        for (place, product) in &self.product {
            let of_block = self.factors.sums(*place, product.len().isqrt(), product);
            sums.plain += of_block.plain;
            sums.weighted += of_block.weighted;
        }
        sums
    }
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<L, Self>) {
        match message {
            ToWorker::Work(block) => self.work(&block, cx),
            ToWorker::Stop => {
                cx.tell(&self.master, ToMaster::Stopped(self.sums()));
                cx.stop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighths_add_up_to_the_whole() {
        let factors = Factors::new(8);
        let mut blocks = HashMap::new();
        for eighth in Block::whole(8).eighths() {
            assert_eq!((eighth.side, eighth.elements), (4, 16));
            let product = blocks.entry(eighth.c).or_insert_with(|| vec![0.0; 16]);
            factors.multiply(&eighth, product);
        }
        assert_eq!(blocks.len(), 4);
        let sums = blocks
            .iter()
            .map(|(place, product)| factors.sums(*place, 4, product).plain);
        assert_eq!(sums.sum::<i64>(), 8 * 28 * 28);
    }

    #[test]
    #[should_panic = "row 1, column 1 of the product"]
    fn a_wrong_element_is_noticed() {
        let factors = Factors::new(4);
        let mut product = vec![0.0; 16];
        factors.multiply(&Block::whole(4), &mut product);
        product[5] -= 1.0;
        factors.sums(Place::ORIGIN, 4, &product);
    }
}
