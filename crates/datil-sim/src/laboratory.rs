//! Many simulated runs at once: every cell of a table, with some seeds each, on all processors.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::thread;

use serde::Serialize;
use serde_json::Map;

use crate::host::{Run, Settings};
use crate::machine::{Machine, Os, Placement, opteron_on};
use crate::progress::{Counter, Watch};
use crate::simulate;

/// A simulated cell on the machine `opteron`, or on one that differs from it in one respect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Cell {
    pub(crate) program: &'static str,
    pub(crate) policy: &'static str,
    pub(crate) workers: usize,
    pub(crate) interleaved: bool,
    /// See [`Settings::fair`].
    pub(crate) fair: bool,
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
            fair: true,
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
            fair: self.fair,
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

/// Makespans of one cell by those of another, seed by seed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Ratio {
    /// Geometric mean.
    pub mean: f64,
    /// Standard error of the mean; not a number if there is one seed only, for then nothing is known of chance.
    pub error: f64,
    /// The smallest of one seed.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// Runs of each of both.
    pub seeds: u64,
}

impl Ratio {
    /// Of makespans that belong together.
    fn of(pairs: impl Iterator<Item = (f64, f64)>) -> Self {
        let logarithms: Vec<f64> = pairs.map(|(one, other)| (one / other).ln()).collect();
        let (mean, error) = mean_with_error(&logarithms);
        Self {
            mean: mean.exp(),
            error: mean.exp() * error,
            least: logarithms.iter().copied().fold(f64::MAX, f64::min).exp(),
            most: logarithms.iter().copied().fold(f64::MIN, f64::max).exp(),
            seeds: logarithms.len() as u64,
        }
    }

    /// Geometric mean of ratios that chance moves independently.
    pub(crate) fn geometric_mean(ratios: &[Self]) -> Self {
        let count = ratios.len() as f64;
        let mean = (ratios.iter().map(|ratio| ratio.mean.ln()).sum::<f64>() / count).exp();
        let squares: f64 = ratios
            .iter()
            .map(|ratio| (ratio.error / ratio.mean).powi(2))
            .sum();
        Self {
            mean,
            error: mean * squares.sqrt() / count,
            least: ratios.iter().map(|ratio| ratio.least).fold(f64::MAX, f64::min),
            most: ratios.iter().map(|ratio| ratio.most).fold(0.0, f64::max),
            seeds: ratios.iter().map(|ratio| ratio.seeds).min().unwrap_or(0),
        }
    }

    /// What it is at least, but for chance: [`DOUBT`] less, if there is an error.
    pub(crate) fn surely(self) -> f64 {
        if self.error.is_nan() {
            self.mean
        } else {
            self.mean - DOUBT * self.error
        }
    }

    /// What can be said of a limit: [`DOUBT`] below, above, or neither.
    pub(crate) fn against(self, limit: f64) -> Outcome {
        let doubt = DOUBT * self.error;
        match self.mean {
            mean if mean + doubt <= limit => Outcome::Kept,
            mean if mean - doubt > limit => Outcome::Broken,
            _ => Outcome::Undecided,
        }
    }
}

/// Standard errors that must lie between a ratio and a limit. Two and a half instead of the usual two: the question is put with up
/// to six numbers of seeds, and of some hundred cells.
const DOUBT: f64 = 2.5;

/// What a simulation says of a limit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The limit is kept, and that is not chance.
    Kept,
    /// What was seen is near enough to the limit to be chance, or nothing is known of chance.
    Undecided,
    /// The limit is exceeded, and that is not chance.
    Broken,
}

/// Simulated cells, each with a run per seed.
pub(crate) struct Laboratory {
    runs: BTreeMap<Cell, Vec<Run>>,
    counter: Counter,
}

impl Laboratory {
    /// Simulates everything, with the seeds 1 to `seeds`, while somebody watches.
    ///
    /// # Errors
    /// If a run fails.
    pub(crate) fn new(cells: &BTreeSet<Cell>, seeds: u64, watch: Watch) -> Result<Self, String> {
        Self::with(cells.iter().map(|cell| (*cell, seeds)), watch)
    }

    /// Simulates each cell with as many seeds as is asked for; a cell that comes twice, with the larger number.
    ///
    /// # Errors
    /// If a run fails.
    pub(crate) fn with(cells: impl IntoIterator<Item = (Cell, u64)>, watch: Watch) -> Result<Self, String> {
        let mut laboratory = Self {
            runs: BTreeMap::new(),
            counter: Counter::new(watch),
        };
        laboratory.simulate(cells)?;
        Ok(laboratory)
    }

    /// Simulates until each of these cells has as many seeds as is asked for; see [`Laboratory::with`].
    ///
    /// # Errors
    /// If a run fails.
    pub(crate) fn simulate(&mut self, cells: impl IntoIterator<Item = (Cell, u64)>) -> Result<(), String> {
        let mut seeds_of = BTreeMap::new();
        for (cell, seeds) in cells {
            let most = seeds_of.entry(cell.canonical()).or_insert(seeds);
            *most = seeds.max(*most);
        }
        let missing = seeds_of.into_iter().map(|(cell, seeds)| {
            let known = self.runs.get(&cell).map_or(0, Vec::len) as u64;
            (cell, known + 1..=seeds)
        });
        let missing: BTreeMap<Cell, RangeInclusive<u64>> = missing.collect();
        let runs = missing.values().map(|seeds| seeds.clone().count() as u64);
        self.counter.ask(runs.sum());
        let queue = Mutex::new(missing);
        let results = Mutex::new(Vec::new());
        let threads = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((cell, seeds)) = pop(&queue) {
                        let runs = seeds.map(|seed| cell.run(seed).inspect(|_| self.counter.end()));
                        let runs: Result<Vec<Run>, String> = runs.collect();
                        results.lock().expect("no thread panics here").push((cell, runs));
                    }
                });
            }
        });
        for (cell, runs) in results.into_inner().expect("no thread panics here") {
            self.runs.entry(cell).or_default().extend(runs?);
        }
        Ok(())
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

    /// Standard error of that mean; none if there is one seed only.
    pub(crate) fn error(&self, cell: Cell, property: impl Fn(&Run) -> f64) -> Option<f64> {
        let values: Vec<f64> = self.runs(cell).iter().map(property).collect();
        let (_, error) = mean_with_error(&values);
        Some(error).filter(|error| !error.is_nan())
    }

    /// Mean makespan in nanoseconds.
    pub(crate) fn makespan(&self, cell: Cell) -> f64 {
        self.mean(cell, |run| run.makespan as f64)
    }

    /// Makespan of one cell by that of another, over the seeds that both have.
    pub(crate) fn ratio(&self, one: Cell, other: Cell) -> Ratio {
        let pairs = self.runs(one).iter().zip(self.runs(other));
        Ratio::of(pairs.map(|(one, other)| (one.makespan as f64, other.makespan.max(1) as f64)))
    }
}

/// A mean and its standard error, which is not a number if there is one value only.
fn mean_with_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

/// The next cell, with the seeds that it lacks.
fn pop(queue: &Mutex<BTreeMap<Cell, RangeInclusive<u64>>>) -> Option<(Cell, RangeInclusive<u64>)> {
    queue.lock().expect("no thread panics here").pop_first()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::progress::Progress;

    /// What is known already is not asked for again, and who watches hears of each run once, in order.
    #[test]
    fn each_run_is_told_of() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&told);
        let watch = move |progress| notes.lock().expect("nobody panics").push(progress);
        let [one, other] = ["lgs", "cls-tp"].map(|policy| Cell::new("philosopher", policy, 4));
        let mut laboratory = Laboratory::with([(one, 2)], Box::new(watch)).expect("it runs");
        laboratory.simulate([(one, 1), (other, 1)]).expect("it runs");
        let states = told.lock().expect("nobody panics");
        let states: Vec<_> = states.iter().map(|at: &Progress| (at.ended, at.asked)).collect();
        assert_eq!(states, [(0, 2), (1, 2), (2, 2), (2, 3), (3, 3)]);
    }

    #[test]
    fn ratios_know_their_chance() {
        let ratio = Ratio::of([(1.0, 2.0), (2.0, 1.0)].into_iter());
        assert!((ratio.mean - 1.0).abs() < 1e-9 && (ratio.least, ratio.most) == (0.5, 2.0));
        // Half a logarithm's difference, as of any two values.
        assert!((ratio.error - 2f64.ln()).abs() < 1e-9, "{ratio:?}");
        assert_eq!(ratio.against(1.03), Outcome::Undecided);
        let same = Ratio::of([(1.1, 1.0); 5].into_iter());
        assert!(same.error < 1e-9);
        assert_eq!(
            [1.09, 1.11].map(|limit| same.against(limit)),
            [Outcome::Broken, Outcome::Kept]
        );
        let once = Ratio::of([(1.0, 2.0)].into_iter());
        assert!(once.error.is_nan());
        assert_eq!(
            once.against(1.0),
            Outcome::Undecided,
            "nothing is known of chance"
        );
        let mean = Ratio::geometric_mean(&[ratio, same]);
        assert!((mean.mean - 1.1f64.sqrt()).abs() < 1e-9);
        assert!((mean.error / mean.mean - 2f64.ln() / 2.0).abs() < 1e-9);
    }
}
