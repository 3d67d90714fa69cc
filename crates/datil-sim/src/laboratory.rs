//! Many simulated runs at once: every cell of a table, with some seeds each, on all processors.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::thread;

use serde_json::Map;

use crate::host::{Run, Settings};
use crate::machine::{Machine, Os, Placement, opteron_on};
use crate::simulate;

/// A simulated cell on the machine `opteron`, or on one that differs from it in one respect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Cell {
    pub(crate) program: &'static str,
    pub(crate) policy: &'static str,
    pub(crate) workers: usize,
    pub(crate) interleaved: bool,
    pub(crate) os: bool,
    /// Matrix Search hands out its jobs block by block.
    pub(crate) blockwise: bool,
    pub(crate) conditions: Conditions,
}

impl Cell {
    pub(crate) const fn new(program: &'static str, policy: &'static str, workers: usize) -> Self {
        Self {
            program,
            policy,
            workers,
            interleaved: false,
            os: false,
            blockwise: false,
            conditions: Conditions::USUAL,
        }
    }

    /// The cell that stands for this one: without the operating system `cls` and `cls-tp` are the same run.
    fn canonical(self) -> Self {
        match (self.policy, self.os) {
            ("cls", false) => Self {
                policy: "cls-tp",
                ..self
            },
            _ => self,
        }
    }

    fn run(self, seed: u64) -> Result<Run, String> {
        let settings = Settings {
            workers: self.workers,
            policy: self.policy.to_owned(),
            placement: if self.interleaved {
                Placement::Interleaved
            } else {
                Placement::FirstTouch
            },
            os: self.os.then(Os::default),
            seed,
            ..Settings::new(self.conditions.machine()?)
        };
        let mut parameters = Map::new();
        if self.blockwise {
            parameters.insert("blockwise".to_owned(), 1.into());
        }
        Ok(simulate(self.program, settings, &parameters)?.run)
    }
}

/// What is different from the machine `opteron`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Conditions {
    /// Memory nodes to which the units are dealt out.
    pub(crate) nodes: u32,
    /// Length of the hops between nodes, in per cent.
    pub(crate) hops: u32,
    /// Age of what policies see of others, in nanoseconds.
    pub(crate) staleness: u64,
}

impl Conditions {
    /// Nothing.
    pub(crate) const USUAL: Self = Self {
        nodes: 8,
        hops: 100,
        staleness: 2_000,
    };

    fn machine(self) -> Result<Machine, String> {
        let machine = opteron_on(self.nodes)?.with_hops(f64::from(self.hops) / 100.0);
        Ok(machine.with_staleness(self.staleness))
    }
}

/// Simulated cells, each with a run per seed.
pub(crate) struct Laboratory {
    runs: BTreeMap<Cell, Vec<Run>>,
}

impl Laboratory {
    /// Simulates everything, with the seeds 1 to `seeds`.
    ///
    /// # Errors
    /// If a run fails.
    pub(crate) fn new(cells: &BTreeSet<Cell>, seeds: u64) -> Result<Self, String> {
        let queue = Mutex::new(cells.iter().map(|cell| cell.canonical()).collect::<BTreeSet<_>>());
        let results = Mutex::new(Vec::new());
        let threads = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some(cell) = pop(&queue) {
                        let runs: Result<Vec<Run>, String> = (1..=seeds).map(|seed| cell.run(seed)).collect();
                        results.lock().expect("no thread panics here").push((cell, runs));
                    }
                });
            }
        });
        let results = results.into_inner().expect("no thread panics here").into_iter();
        Ok(Self {
            runs: results
                .map(|(cell, runs)| Ok((cell, runs?)))
                .collect::<Result<_, String>>()?,
        })
    }

    /// The runs of a cell, by seed.
    pub(crate) fn runs(&self, cell: Cell) -> &[Run] {
        &self.runs[&cell.canonical()]
    }

    /// Mean of a property over the seeds.
    pub(crate) fn mean(&self, cell: Cell, property: impl Fn(&Run) -> f64) -> f64 {
        let runs = self.runs(cell);
        runs.iter().map(property).sum::<f64>() / runs.len() as f64
    }

    /// Mean makespan in nanoseconds.
    pub(crate) fn makespan(&self, cell: Cell) -> f64 {
        self.mean(cell, |run| run.makespan as f64)
    }

    /// Mean makespan of one cell by that of another.
    pub(crate) fn ratio(&self, one: Cell, other: Cell) -> f64 {
        self.makespan(one) / self.makespan(other)
    }
}

fn pop(queue: &Mutex<BTreeSet<Cell>>) -> Option<Cell> {
    queue.lock().expect("no thread panics here").pop_first()
}
