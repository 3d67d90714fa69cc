//! Quicksort: an actor for each part of the list, down to a size that one actor sorts alone.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;
use crate::tools::{Rng, sequence_hash};

/// The benchmark.
#[derive(Debug)]
pub struct Quicksort {
    length: usize,
    modulus: i64,
    threshold: usize,
    seed: i64,
}

/// What the root reports.
#[derive(Debug, Default)]
pub struct Report {
    summary: Once<Summary>,
}

/// What the root finds out about the sorted list.
#[derive(Debug, PartialEq, Eq)]
struct Summary {
    hash: i64,
    count: i64,
    sorted: bool,
    sum: i64,
}

impl Benchmark for Quicksort {
    const NAME: &'static str = "quicksort";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("n", 1),
        Parameter::at_least("m", 1),
        Parameter::at_least("t", 1),
        Parameter::at_least("s", 0),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            length: arguments.get("n") as usize,
            modulus: arguments.get("m"),
            threshold: arguments.get("t") as usize,
            seed: arguments.get("s"),
        }
    }

    fn actors(&self) -> Population {
        Population::Told
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let root = driver.spawn(Sorter::<L>::new(self.threshold, None, report));
        let data = numbers(self.length, self.modulus, self.seed);
        driver.tell(&root, Message::Sort(data));
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let summary = report.summary.take("summary")?;
        Ok(Outcome::new(summary.hash)
            .check("count", summary.count)
            .check("sorted", i64::from(summary.sorted))
            .check("sum", summary.sum))
    }
}

fn numbers(length: usize, modulus: i64, seed: i64) -> Vec<i64> {
    let mut rng = Rng::new(seed);
    (0..length).map(|_| rng.below(modulus)).collect()
}

/// A list in three parts, each in the order of the list.
struct Parts {
    smaller: Vec<i64>,
    equal: Vec<i64>,
    larger: Vec<i64>,
}

impl Parts {
    /// Parts a list, which is not empty, at its middle element.
    // One copy for all libraries.
    #[inline(never)]
    fn of(list: &[i64]) -> Self {
        let pivot = list[list.len() / 2];
        let elements = list.iter().copied();
        Self {
            smaller: elements.clone().filter(|element| *element < pivot).collect(),
            equal: elements.clone().filter(|element| *element == pivot).collect(),
            larger: elements.filter(|element| *element > pivot).collect(),
        }
    }
}

/// Sorts a list without further actors, into a new one.
// One copy for all libraries.
#[inline(never)]
fn sort(list: Vec<i64>) -> Vec<i64> {
    if list.len() < 2 {
        return list;
    }
    let Parts {
        smaller,
        equal,
        larger,
    } = Parts::of(&list);
    let mut sorted = sort(smaller);
    sorted.extend(equal);
    sorted.extend(sort(larger));
    sorted
}

fn summary(list: &[i64]) -> Summary {
    Summary {
        hash: sequence_hash(list.iter().copied()),
        count: list.len() as i64,
        sorted: list.is_sorted(),
        sum: list.iter().sum(),
    }
}

/// Where the part of a child belongs.
#[derive(Clone, Copy)]
enum Position {
    Left,
    Right,
}

struct Sorter<L: ActorLibrary> {
    threshold: usize,
    parent: Option<(L::Address<Sorter<L>>, Position)>,
    result: Vec<i64>,
    fragments: u32,
    /// Sorters of this part, this one included.
    sorters: i64,
    report: &'static Report,
}

enum Message {
    Sort(Vec<i64>),
    Sorted {
        data: Vec<i64>,
        position: Position,
        /// Sorters that stop with this: only so the root knows how many there were.
        sorters: i64,
    },
}

impl<L: ActorLibrary> Sorter<L> {
    fn new(threshold: usize, parent: Option<(L::Address<Self>, Position)>, report: &'static Report) -> Self {
        Self {
            threshold,
            parent,
            result: Vec::new(),
            fragments: 0,
            sorters: 1,
            report,
        }
    }

    fn sort(&mut self, data: Vec<i64>, cx: &mut impl Context<L, Self>) {
        if data.len() < self.threshold {
            self.result = sort(data);
            self.finish(cx);
            return;
        }
        let Parts {
            smaller,
            equal,
            larger,
        } = Parts::of(&data);
        for (part, position) in [(smaller, Position::Left), (larger, Position::Right)] {
            let parent = Some((cx.myself(), position));
            let child = cx.spawn(Self::new(self.threshold, parent, self.report));
            cx.tell(&child, Message::Sort(part));
        }
        self.result = equal;
        self.fragments = 1;
    }

    /// A list that was received is not changed; only this actor's own grows in place.
    fn sorted(&mut self, data: &[i64], position: Position, cx: &mut impl Context<L, Self>) {
        if !data.is_empty() {
            match position {
                Position::Left => self.result = [data, &self.result].concat(),
                Position::Right => self.result.extend_from_slice(data),
            }
        }
        self.fragments += 1;
        if self.fragments == 3 {
            self.finish(cx);
        }
    }

    fn finish(&mut self, cx: &mut impl Context<L, Self>) {
        let data = std::mem::take(&mut self.result);
        match &self.parent {
            Some((parent, position)) => {
                let sorted = Message::Sorted {
                    data,
                    position: *position,
                    sorters: self.sorters,
                };
                cx.tell(parent, sorted);
            }
            None => {
                self.report.summary.report(summary(&data));
                cx.population(self.sorters);
            }
        }
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Sorter<L> {
    type Message = Message;

    fn handle(&mut self, message: Message, cx: &mut impl Context<L, Self>) {
        match message {
            Message::Sort(data) => self.sort(data, cx),
            Message::Sorted {
                data,
                position,
                sorters,
            } => {
                self.sorters += sorters;
                self.sorted(&data, position, cx);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_is_that_of_the_entry() {
        for (length, hash) in [(100, 334_225_633), (500_000, 1_536_341_764)] {
            let numbers = numbers(length, 1 << 60, 1024);
            assert_eq!(sequence_hash(numbers), hash, "{length} numbers");
        }
    }

    #[test]
    fn lists_of_all_kinds_are_sorted() {
        for list in [
            vec![],
            vec![7],
            vec![2, 2, 2],
            numbers(1000, 50, 1),
            (0..100).rev().collect(),
        ] {
            let mut expected = list.clone();
            expected.sort_unstable();
            assert_eq!(sort(list), expected);
        }
    }

    #[test]
    fn a_summary_tells_order_and_disorder() {
        let in_order = summary(&[1, 2, 2, 3]);
        assert_eq!((in_order.count, in_order.sorted, in_order.sum), (4, true, 8));
        assert!(!summary(&[2, 1]).sorted);
        assert_ne!(summary(&[2, 1]).hash, summary(&[1, 2]).hash);
    }
}
