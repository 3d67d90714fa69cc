//! Fannkuch-redux: workers flip all permutations of a few numbers, each a range of them.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Debug)]
pub struct Fannkuch {
    length: usize,
    chunks: i64,
}

/// What Manager reports.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    maxflips: Once<i64>,
    flips: Once<i64>,
}

impl Fannkuch {
    fn cut(&self) -> Cut {
        let permutations = factorial(self.length);
        let chunk = ceil_div(permutations, self.chunks);
        Cut {
            length: self.length,
            permutations,
            chunk,
            tasks: ceil_div(permutations, chunk),
        }
    }
}

impl Benchmark for Fannkuch {
    const NAME: &'static str = "fannkuch";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::between("n", 2, LONGEST as i64),
        Parameter::at_least("chunks", 1),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            length: arguments.get("n") as usize,
            chunks: arguments.get("chunks"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.cut().tasks + 1)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let manager = driver.spawn(Manager {
            cut: self.cut(),
            reports: 0,
            flips: Flips::default(),
            report,
        });
        driver.tell(&manager, ToManager::Start);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?)
            .check("maxflips", report.maxflips.take("maxflips")?)
            .check("flips", report.flips.take("flips")?))
    }
}

/// The greatest length of a permutation.
const LONGEST: usize = 15;

fn factorial(n: usize) -> i64 {
    (1..=n as i64).product()
}

/// Both are at least 1, so that the sum cannot overflow here: one is a factorial of at most 15.
fn ceil_div(a: i64, b: i64) -> i64 {
    (a - 1) / b + 1
}

/// How the permutations are cut into tasks.
#[derive(Clone, Copy, Debug)]
struct Cut {
    length: usize,
    permutations: i64,
    /// Permutations of a task, of which the last may have fewer.
    chunk: i64,
    tasks: i64,
}

impl Cut {
    // One copy for all libraries.
    #[inline(never)]
    fn perform(&self, task: i64) -> Flips {
        let first = task * self.chunk;
        let mut permutation = Permutation::at(first, self.length);
        let mut flips = Flips::default();
        for index in first..self.permutations.min(first + self.chunk) {
            if index > first {
                permutation.advance();
            }
            flips.add(index, permutation.flips());
        }
        flips
    }
}

/// A permutation and its place in the order in which all are generated.
struct Permutation {
    entries: [u8; LONGEST],
    count: [u8; LONGEST],
    length: usize,
}

impl Permutation {
    fn at(index: i64, length: usize) -> Self {
        let mut permutation = Self {
            entries: std::array::from_fn(|entry| entry as u8),
            count: [0; LONGEST],
            length,
        };
        let mut rest = index;
        for i in (1..length).rev() {
            let digit = rest / factorial(i);
            rest %= factorial(i);
            permutation.count[i] = digit as u8;
            permutation.entries[..=i].rotate_left(digit as usize);
        }
        permutation
    }

    /// Goes on to the next permutation, which exists.
    fn advance(&mut self) {
        let mut i = 1;
        self.rotate(i);
        self.count[i] += 1;
        while usize::from(self.count[i]) > i {
            self.count[i] = 0;
            i += 1;
            self.rotate(i);
            self.count[i] += 1;
        }
    }

    /// Rotates the entries 0 to `last` left by one place.
    fn rotate(&mut self, last: usize) {
        let first = self.entries[0];
        for i in 0..last {
            self.entries[i] = self.entries[i + 1];
        }
        self.entries[last] = first;
    }

    /// How many reversals of a beginning, as long as its first entry says, bring the 0 to the front.
    fn flips(&self) -> i64 {
        let mut first = usize::from(self.entries[0]);
        if first == 0 {
            return 0;
        }
        let mut entries = self.entries;
        let entries = &mut entries[..self.length];
        let mut flips = 0;
        while first != 0 {
            let (mut low, mut high) = (0, first);
            while low < high {
                entries.swap(low, high);
                low += 1;
                high -= 1;
            }
            flips += 1;
            first = usize::from(entries[0]);
        }
        flips
    }
}

/// What is known about the flips of some permutations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Flips {
    checksum: i64,
    max: i64,
    sum: i64,
}

impl Flips {
    fn add(&mut self, index: i64, flips: i64) {
        self.checksum += if index % 2 == 0 { flips } else { -flips };
        self.max = self.max.max(flips);
        self.sum += flips;
    }

    fn merge(&mut self, other: Self) {
        self.checksum += other.checksum;
        self.max = self.max.max(other.max);
        self.sum += other.sum;
    }
}

struct Manager {
    cut: Cut,
    reports: i64,
    flips: Flips,
    report: &'static Report,
}

enum ToManager {
    Start,
    Report(Flips),
}

impl<L: ActorLibrary> Actor<L> for Manager {
    type Message = ToManager;

    fn handle(&mut self, message: ToManager, cx: &mut impl Context<L, Self>) {
        match message {
            ToManager::Start => {
                for task in 0..self.cut.tasks {
                    let worker = cx.spawn(Worker {
                        cut: self.cut,
                        manager: cx.myself(),
                    });
                    cx.tell(&worker, Task(task));
                }
            }
            ToManager::Report(flips) => {
                self.flips.merge(flips);
                self.reports += 1;
                if self.reports == self.cut.tasks {
                    self.report.result.report(self.flips.checksum);
                    self.report.maxflips.report(self.flips.max);
                    self.report.flips.report(self.flips.sum);
                    cx.stop();
                }
            }
        }
    }
}

struct Worker<L: ActorLibrary> {
    cut: Cut,
    manager: L::Address<Manager>,
}

struct Task(i64);

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = Task;

    fn handle(&mut self, Task(task): Task, cx: &mut impl Context<L, Self>) {
        cx.tell(&self.manager, ToManager::Report(self.cut.perform(task)));
        cx.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flips_are_those_of_the_entry_however_they_are_cut() {
        for (length, chunks, tasks, expected) in [
            (7, 200, 194, (228, 16, 18508)),
            (7, 1, 1, (228, 16, 18508)),
            (7, i64::MAX, 5040, (228, 16, 18508)),
            (9, 200, 200, (8629, 30, 1_911_505)),
        ] {
            let cut = Fannkuch { length, chunks }.cut();
            assert_eq!(cut.tasks, tasks);
            let mut flips = Flips::default();
            (0..tasks).for_each(|task| flips.merge(cut.perform(task)));
            assert_eq!((flips.checksum, flips.max, flips.sum), expected);
        }
    }

    #[test]
    fn permutations_are_found_by_number_and_one_after_another() {
        let mut permutation = Permutation::at(0, 6);
        for index in 1..factorial(6) {
            permutation.advance();
            let direct = Permutation::at(index, 6);
            assert_eq!(permutation.entries, direct.entries, "{index}");
            assert_eq!(permutation.count, direct.count, "{index}");
        }
    }
}
