//! Successive Over-Relaxation: an actor for each cell of a grid, which relaxes in turn with its neighbours.

use std::ops::Range;
use std::sync::Arc;

use crate::benchmark::{Outcome, Phase, Phased, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Bounds, Parameter};
use crate::tools::Rng;
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Relaxation {
    side: usize,
    iterations: i64,
    omega: f64,
    seed: i64,
}

/// What Runner reports.
#[derive(Debug, Default)]
pub struct Report {
    totals: Once<Totals>,
}

/// What cells add up to.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    value: f64,
    received: i64,
}

impl Phased for Relaxation {
    const NAME: &'static str = "sor";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("size", 3),
        Parameter::at_least("it", 2),
        Parameter::number("omega", Bounds::Between(0.0, 2.0)),
        Parameter::integer("seed"),
    ];
    type Report = Report;
    type Prepared<L: ActorLibrary> = Arc<[f64]>;

    fn new(arguments: &Arguments) -> Self {
        Self {
            side: arguments.get("size") as usize,
            iterations: arguments.get("it"),
            omega: arguments.number("omega"),
            seed: arguments.get("seed"),
        }
    }

    fn stops(&self, phase: Phase) -> Population {
        match phase {
            Phase::Run => Population::Known((self.side * self.side + 2) as i64),
            Phase::Setup | Phase::Check(_) => Population::Known(0),
        }
    }

    fn setup<L: ActorLibrary>(&self, _: &mut impl Driver<L>, _: &'static Report) -> Arc<[f64]> {
        let mut rng = Rng::new(self.seed);
        (0..self.side * self.side).map(|_| rng.unit() * 1e-6).collect()
    }

    fn run<L: ActorLibrary>(
        &self,
        values: &mut Arc<[f64]>,
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) {
        let columns = 0..self.side / 2;
        let runner = driver.spawn(Half::<L>::new(
            *self,
            Arc::clone(values),
            columns,
            Role::Runner { report },
        ));
        driver.tell(&runner, ToHalf::Boot);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let Totals { value, received } = report.totals.take("totals")?;
        Ok(Outcome::new(value).check("received", received))
    }
}

/// The owner of the cells in some columns: Runner has those on the left, Peer those on the right.
struct Half<L: ActorLibrary> {
    benchmark: Relaxation,
    values: Arc<[f64]>,
    columns: Range<usize>,
    role: Role<L>,
    /// Row by row.
    cells: Vec<L::Address<Cell<L>>>,
    /// Cells, and for Runner also Peer, that have not reported.
    missing: usize,
    totals: Totals,
}

enum Role<L: ActorLibrary> {
    Runner {
        report: &'static Report,
    },
    Peer {
        runner: L::Address<Half<L>>,
        /// Runner's column at the border, from the top.
        border: Vec<L::Address<Cell<L>>>,
    },
}

enum ToHalf<L: ActorLibrary> {
    Boot,
    /// Peer's column at the border, from the top.
    Border(Vec<L::Address<Cell<L>>>),
    CellResult {
        row: usize,
        column: usize,
        value: f64,
        received: i64,
    },
    PeerResult(Totals),
}

impl<L: ActorLibrary> Half<L> {
    fn new(benchmark: Relaxation, values: Arc<[f64]>, columns: Range<usize>, role: Role<L>) -> Self {
        let cells = benchmark.side * columns.len();
        Self {
            benchmark,
            values,
            columns,
            cells: Vec::with_capacity(cells),
            missing: cells + usize::from(matches!(role, Role::Runner { .. })),
            role,
            totals: Totals::default(),
        }
    }

    fn boot(&mut self, cx: &mut impl Context<L, Self>) {
        let side = self.benchmark.side;
        for row in 0..side {
            for column in self.columns.clone() {
                let value = self.values[row * side + column];
                let cell = Cell::new(&self.benchmark, row, column, value, cx.myself());
                self.cells.push(cx.spawn(cell));
            }
        }
        match &self.role {
            Role::Runner { .. } => {
                let columns = self.columns.end..side;
                let role = Role::Peer {
                    runner: cx.myself(),
                    border: self.column(self.columns.end - 1),
                };
                let peer = cx.spawn(Self::new(self.benchmark, Arc::clone(&self.values), columns, role));
                cx.tell(&peer, ToHalf::Boot);
            }
            Role::Peer { runner, border } => {
                cx.tell(runner, ToHalf::Border(self.column(self.columns.start)));
                self.start_cells(border, cx);
            }
        }
    }

    /// The cells of one of the own columns, from the top.
    fn column(&self, column: usize) -> Vec<L::Address<Cell<L>>> {
        let rows = 0..self.benchmark.side;
        rows.map(|row| self.own(row, column).clone()).collect()
    }

    fn own(&self, row: usize, column: usize) -> &L::Address<Cell<L>> {
        &self.cells[row * self.columns.len() + column - self.columns.start]
    }

    /// Tells all own cells who their neighbours are. `border` is the column of the other half that touches this one.
    fn start_cells(&self, border: &[L::Address<Cell<L>>], cx: &mut impl Context<L, Self>) {
        let side = self.benchmark.side;
        let find = |row: usize, column: usize| match self.columns.contains(&column) {
            true => self.own(row, column),
            false => &border[row],
        };
        for row in 0..side {
            for column in self.columns.clone() {
                let places = neighbours(row, column, side);
                let neighbours = places.map(|(row, column)| find(row, column).clone()).collect();
                cx.tell(self.own(row, column), ToCell::Start(neighbours));
            }
        }
    }

    fn collect(&mut self, value: f64, received: i64, cx: &mut impl Context<L, Self>) {
        self.totals.value += value;
        self.totals.received += received;
        self.missing -= 1;
        if self.missing == 0 {
            match &self.role {
                Role::Runner { report } => report.totals.report(self.totals),
                Role::Peer { runner, .. } => cx.tell(runner, ToHalf::PeerResult(self.totals)),
            }
            cx.stop();
        }
    }
}

/// The places to the right, below, to the left and above, as far as they are in the grid.
fn neighbours(row: usize, column: usize, side: usize) -> impl Iterator<Item = (usize, usize)> {
    let right = (column + 1 < side).then_some((row, column + 1));
    let below = (row + 1 < side).then_some((row + 1, column));
    let left = column.checked_sub(1).map(|column| (row, column));
    let above = row.checked_sub(1).map(|row| (row, column));
    [right, below, left, above].into_iter().flatten()
}

impl<L: ActorLibrary> Actor<L> for Half<L> {
    type Message = ToHalf<L>;

    fn handle(&mut self, message: ToHalf<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToHalf::Boot => self.boot(cx),
            ToHalf::Border(border) => self.start_cells(&border, cx),
            ToHalf::CellResult {
                row,
                column,
                value,
                received,
            } => {
                assert!(
                    self.columns.contains(&column),
                    "cell {row}, {column} has another owner"
                );
                self.collect(value, received, cx);
            }
            ToHalf::PeerResult(totals) => self.collect(totals.value, totals.received, cx),
        }
    }
}

struct Cell<L: ActorLibrary> {
    row: u32,
    column: u32,
    value: f64,
    /// Of the sum of the neighbours, and of the own value.
    weights: (f64, f64),
    iteration: i64,
    iterations: i64,
    /// Of this round.
    sum: f64,
    count: usize,
    received: i64,
    neighbours: Box<[L::Address<Cell<L>>]>,
    /// Values that came before Start.
    early: Vec<f64>,
    owner: L::Address<Half<L>>,
}

enum ToCell<L: ActorLibrary> {
    /// With the neighbours.
    Start(Box<[L::Address<Cell<L>>]>),
    Value(f64),
}

impl<L: ActorLibrary> Cell<L> {
    fn new(
        benchmark: &Relaxation,
        row: usize,
        column: usize,
        value: f64,
        owner: L::Address<Half<L>>,
    ) -> Self {
        Self {
            row: row as u32,
            column: column as u32,
            value,
            weights: (0.25 * benchmark.omega, 1.0 - benchmark.omega),
            iteration: 0,
            iterations: benchmark.iterations,
            sum: 0.0,
            count: 0,
            received: 0,
            neighbours: Box::default(),
            early: Vec::new(),
            owner,
        }
    }

    /// Half of the cells begin, like the fields of one colour on a chessboard.
    fn begins(&self) -> bool {
        (self.row + self.column).is_multiple_of(2)
    }

    fn send_value(&self, cx: &mut impl Context<L, Self>) {
        for neighbour in &self.neighbours {
            cx.tell(neighbour, ToCell::Value(self.value));
        }
    }

    fn start(&mut self, neighbours: Box<[L::Address<Self>]>, cx: &mut impl Context<L, Self>) {
        self.neighbours = neighbours;
        if self.begins() {
            self.send_value(cx);
            self.iteration = 1;
            self.received += 1;
        }
        for value in std::mem::take(&mut self.early) {
            self.value(value, cx);
        }
    }

    fn value(&mut self, value: f64, cx: &mut impl Context<L, Self>) {
        if self.neighbours.is_empty() {
            self.early.push(value);
            return;
        }
        self.received += 1;
        self.count += 1;
        self.sum += value;
        if self.count == self.neighbours.len() {
            self.relax(cx);
        }
    }

    fn relax(&mut self, cx: &mut impl Context<L, Self>) {
        let (of_sum, of_own) = self.weights;
        self.value = of_sum * self.sum + of_own * self.value;
        self.sum = 0.0;
        self.count = 0;
        self.iteration += 1;
        let ends = self.iteration == self.iterations;
        // Those that did not begin are the last to relax; their neighbours have stopped.
        if self.begins() || !ends {
            self.send_value(cx);
        }
        if ends {
            let result = ToHalf::CellResult {
                row: self.row as usize,
                column: self.column as usize,
                value: self.value,
                received: self.received,
            };
            cx.tell(&self.owner, result);
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Cell<L> {
    type Message = ToCell<L>;

    fn handle(&mut self, message: ToCell<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToCell::Start(neighbours) => self.start(neighbours, cx),
            ToCell::Value(value) => self.value(value, cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::neighbours;

    #[test]
    fn cells_have_two_to_four_neighbours() {
        let of = |row, column| neighbours(row, column, 3).collect::<Vec<_>>();
        assert_eq!(of(1, 1), [(1, 2), (2, 1), (1, 0), (0, 1)]);
        assert_eq!(of(0, 0), [(0, 1), (1, 0)]);
        assert_eq!(of(2, 1), [(2, 2), (2, 0), (1, 1)]);
    }
}
