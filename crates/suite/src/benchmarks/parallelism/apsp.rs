//! All-Pairs Shortest Path: blocks of a matrix advance in phases, each of which needs the blocks of the same row and column.

use std::sync::Arc;

use crate::benchmark::{Outcome, Phase, Phased, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter, Relation};
use crate::tools::Rng;
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct AllPairsShortestPath {
    nodes: usize,
    side: usize,
    heaviest: i64,
}

/// What the Tally reports.
#[derive(Debug, Default)]
pub struct Report {
    totals: Once<Totals>,
}

/// What a block, or all of them, add up to.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    sum: i64,
    weighted: i64,
    phases: i64,
}

impl AllPairsShortestPath {
    /// Blocks in a row of the matrix.
    fn blocks(&self) -> usize {
        self.nodes / self.side
    }
}

impl Phased for AllPairsShortestPath {
    const NAME: &'static str = "apsp";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::integer("n"),
        Parameter::at_least("b", 1),
        Parameter::between("w", 1, 65536),
    ];
    const RELATIONS: &'static [Relation] = &[
        Relation::AtLeast {
            parameter: "n",
            times: 2,
            of: "b",
            plus: 0,
        },
        Relation::MultipleOf {
            parameter: "n",
            of: "b",
        },
    ];
    type Report = Report;
    type Prepared<L: ActorLibrary> = Vec<i64>;

    fn new(arguments: &Arguments) -> Self {
        Self {
            nodes: arguments.get("n") as usize,
            side: arguments.get("b") as usize,
            heaviest: arguments.get("w"),
        }
    }

    fn stops(&self, phase: Phase) -> Population {
        match phase {
            Phase::Run => Population::Known((self.blocks() * self.blocks() + 1) as i64),
            Phase::Setup | Phase::Check(_) => Population::Known(0),
        }
    }

    fn setup<L: ActorLibrary>(&self, _: &mut impl Driver<L>, _: &'static Report) -> Vec<i64> {
        distances(self.nodes, self.heaviest)
    }

    fn run<L: ActorLibrary>(
        &self,
        distances: &mut Vec<i64>,
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) {
        let blocks = self.blocks();
        let tally = driver.spawn(Tally {
            missing: blocks * blocks,
            totals: Totals::default(),
            report,
        });
        let places = (0..blocks).flat_map(|row| (0..blocks).map(move |column| (row, column)));
        let addresses: Vec<L::Address<Block<L>>> = places
            .clone()
            .map(|(row, column)| {
                let tile = Tile::cut(distances, self.nodes, self.side, row, column);
                driver.spawn(Block::new(self, row, column, tile, tally.clone()))
            })
            .collect();
        for ((row, column), block) in places.zip(&addresses) {
            let of_column = (0..blocks)
                .filter(|other| *other != row)
                .map(|other| (other, column));
            let of_row = (0..blocks)
                .filter(|other| *other != column)
                .map(|other| (row, other));
            let neighbours = of_column.chain(of_row);
            let neighbours = neighbours.map(|(row, column)| addresses[row * blocks + column].clone());
            driver.tell(block, ToBlock::Neighbours(neighbours.collect()));
        }
        for block in &addresses {
            driver.tell(block, ToBlock::Start);
        }
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let totals = report.totals.take("totals")?;
        Ok(Outcome::new(totals.sum)
            .check("wsum", totals.weighted)
            .check("phases", totals.phases))
    }
}

/// The weights of a complete undirected graph, row by row.
fn distances(nodes: usize, heaviest: i64) -> Vec<i64> {
    let mut distances = vec![0; nodes * nodes];
    let mut rng = Rng::new(nodes as i64);
    for i in 0..nodes {
        for j in i + 1..nodes {
            let weight = rng.below(heaviest) + 1;
            distances[i * nodes + j] = weight;
            distances[j * nodes + i] = weight;
        }
    }
    distances
}

/// A square part of the matrix, row by row. Blocks share it once it was sent; nobody changes it then.
struct Tile(Vec<i64>);

impl Tile {
    fn cut(distances: &[i64], nodes: usize, side: usize, row: usize, column: usize) -> Self {
        let rows = distances.chunks_exact(nodes).skip(row * side).take(side);
        Self(
            rows.flat_map(|cells| &cells[column * side..][..side])
                .copied()
                .collect(),
        )
    }

    /// The tile after a phase, in which paths may lead through one more node: number `through` of the rows of `above`, the
    /// tile in the same column, and of the columns of `beside`, the tile in the same row.
    // One copy for all libraries.
    #[inline(never)]
    fn relaxed(&self, side: usize, through: usize, above: &Self, beside: &Self) -> Self {
        let from = &above.0[through * side..][..side];
        let mut relaxed = Vec::with_capacity(self.0.len());
        for (old, to) in self.0.chunks_exact(side).zip(beside.0.chunks_exact(side)) {
            let to = to[through];
            relaxed.extend(old.iter().zip(from).map(|(old, from)| (*old).min(to + from)));
        }
        Self(relaxed)
    }

    fn totals(&self, side: usize, row: usize, column: usize, phases: i64) -> Totals {
        let mut totals = Totals {
            phases,
            ..Totals::default()
        };
        for (i, cells) in self.0.chunks_exact(side).enumerate() {
            for (j, cell) in cells.iter().enumerate() {
                let weight = (31 * (row * side + i) + 17 * (column * side + j)) % 101 + 1;
                totals.sum += cell;
                totals.weighted += cell * weight as i64;
            }
        }
        totals
    }
}

struct Block<L: ActorLibrary> {
    row: usize,
    column: usize,
    /// Blocks in a row of the matrix.
    blocks: usize,
    side: usize,
    tile: Arc<Tile>,
    /// Phases that are done.
    phases: usize,
    started: bool,
    neighbours: Vec<L::Address<Block<L>>>,
    /// What has come for this phase, and for the next one: no neighbour can be further ahead.
    inbox: [Inbox; 2],
    tally: L::Address<Tally>,
}

/// Tiles of neighbours after the same phase.
struct Inbox {
    /// By the sender's row; those of the same column.
    above: Vec<Option<Arc<Tile>>>,
    /// By the sender's column; those of the same row.
    beside: Vec<Option<Arc<Tile>>>,
    count: usize,
}

impl Inbox {
    fn new(blocks: usize) -> Self {
        Self {
            above: vec![None; blocks],
            beside: vec![None; blocks],
            count: 0,
        }
    }

    fn clear(&mut self) {
        self.above.fill(None);
        self.beside.fill(None);
        self.count = 0;
    }
}

enum ToBlock<L: ActorLibrary> {
    Neighbours(Vec<L::Address<Block<L>>>),
    Start,
    Result {
        /// Phases that the sender has done.
        phases: usize,
        row: usize,
        column: usize,
        tile: Arc<Tile>,
    },
}

impl<L: ActorLibrary> Block<L> {
    fn new(
        benchmark: &AllPairsShortestPath,
        row: usize,
        column: usize,
        tile: Tile,
        tally: L::Address<Tally>,
    ) -> Self {
        let blocks = benchmark.blocks();
        Self {
            row,
            column,
            blocks,
            side: benchmark.side,
            tile: Arc::new(tile),
            phases: 0,
            started: false,
            neighbours: Vec::new(),
            inbox: [Inbox::new(blocks), Inbox::new(blocks)],
            tally,
        }
    }

    fn send_tile(&self, cx: &mut impl Context<L, Self>) {
        for neighbour in &self.neighbours {
            let result = ToBlock::Result {
                phases: self.phases,
                row: self.row,
                column: self.column,
                tile: Arc::clone(&self.tile),
            };
            cx.tell(neighbour, result);
        }
    }

    fn store(&mut self, phases: usize, row: usize, column: usize, tile: Arc<Tile>) {
        assert!(
            phases == self.phases || phases == self.phases + 1,
            "a neighbour is in phase {phases}, this block in phase {}",
            self.phases
        );
        let inbox = &mut self.inbox[phases % 2];
        let slot = if column == self.column {
            &mut inbox.above[row]
        } else {
            &mut inbox.beside[column]
        };
        assert!(slot.is_none(), "a result came twice");
        *slot = Some(tile);
        inbox.count += 1;
    }

    /// Does all phases for which the results of the neighbours are here.
    fn advance(&mut self, cx: &mut impl Context<L, Self>) {
        while self.started && self.inbox[self.phases % 2].count == self.neighbours.len() {
            self.compute();
            if self.phases == self.blocks * self.side {
                self.finish(cx);
                return;
            }
            self.send_tile(cx);
        }
    }

    /// The next phase, whose number is that of the node through which paths may now lead.
    fn compute(&mut self) {
        let inbox = &mut self.inbox[self.phases % 2];
        let (owner, through) = (self.phases / self.side, self.phases % self.side);
        let above = inbox.above[owner].as_ref().unwrap_or(&self.tile);
        let beside = inbox.beside[owner].as_ref().unwrap_or(&self.tile);
        self.tile = Arc::new(self.tile.relaxed(self.side, through, above, beside));
        self.phases += 1;
        inbox.clear();
    }

    fn finish(&self, cx: &mut impl Context<L, Self>) {
        let totals = self
            .tile
            .totals(self.side, self.row, self.column, self.phases as i64);
        cx.tell(&self.tally, Done(totals));
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Block<L> {
    type Message = ToBlock<L>;

    fn handle(&mut self, message: ToBlock<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToBlock::Neighbours(neighbours) => {
                self.neighbours = neighbours;
                return;
            }
            ToBlock::Start => {
                self.started = true;
                self.send_tile(cx);
            }
            ToBlock::Result {
                phases,
                row,
                column,
                tile,
            } => self.store(phases, row, column, tile),
        }
        self.advance(cx);
    }
}

struct Tally {
    missing: usize,
    totals: Totals,
    report: &'static Report,
}

struct Done(Totals);

impl<L: ActorLibrary> Actor<L> for Tally {
    type Message = Done;

    fn handle(&mut self, Done(totals): Done, cx: &mut impl Context<L, Self>) {
        self.totals.sum += totals.sum;
        self.totals.weighted += totals.weighted;
        self.totals.phases += totals.phases;
        self.missing -= 1;
        if self.missing == 0 {
            self.report.totals.report(self.totals);
            cx.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::distances;

    #[test]
    fn the_input_is_that_of_the_entry() {
        for (nodes, heaviest, sum) in [(12, 10, 714), (240, 100, 2_894_584), (300, 100, 4_535_482)] {
            assert_eq!(
                distances(nodes, heaviest).iter().sum::<i64>(),
                sum,
                "{nodes} nodes"
            );
        }
    }
}
