//! Concurrent Sorted Linked-List: workers search and extend the list of one actor.

use crate::benchmark::{Outcome, Phase, Phased, Population};
use crate::library::{Actor, ActorLibrary, Alone, Context, Driver, Reads, Tell};
use crate::parameters::{Arguments, Parameter, Relation};
use crate::tools::Rng;
use crate::tools::collector::{Handover, Once};

/// The benchmark.
#[derive(Debug)]
pub struct ConcurrentList {
    workers: i64,
    plan: Plan,
}

/// What Master and, in the end, List report.
#[derive(Debug, Default)]
pub struct Report {
    list: Handover,
    result: Once<i64>,
    list_len: Once<i64>,
    hits: Once<i64>,
    sizes: Once<i64>,
    contains: Once<i64>,
}

impl Phased for ConcurrentList {
    const NAME: &'static str = "concsll";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("workers", 1),
        Parameter::at_least("requests", 0),
        Parameter::between("write_pct", 0, 49),
        Parameter::at_least("size_pct", 0),
    ];
    const RELATIONS: &'static [Relation] = &[Relation::AtMost {
        parameter: "size_pct",
        times: -2,
        of: "write_pct",
        plus: 99,
    }];
    const CHECK_STEPS: usize = 1;
    type Report = Report;
    type Prepared<L: ActorLibrary> = ();

    fn new(arguments: &Arguments) -> Self {
        Self {
            workers: arguments.get("workers"),
            plan: Plan {
                requests: arguments.get("requests"),
                write_pct: arguments.get("write_pct"),
                size_pct: arguments.get("size_pct"),
                stride: arguments.get("workers"),
            },
        }
    }

    fn stops(&self, phase: Phase) -> Population {
        Population::Known(match phase {
            Phase::Setup => 0,
            Phase::Run => self.workers.saturating_add(1),
            Phase::Check(_) => 1,
        })
    }

    fn setup<L: ActorLibrary>(&self, _: &mut impl Driver<L>, _: &'static Report) {}

    fn run<L: ActorLibrary>(&self, (): &mut (), driver: &mut impl Driver<L>, report: &'static Report) {
        driver.spawn(Master {
            workers: self.workers,
            plan: self.plan,
            done: 0,
            hits: 0,
            sizes: 0,
            contains: 0,
            report,
        });
    }

    fn check<L: ActorLibrary>(
        &self,
        _: usize,
        (): &mut (),
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) {
        let list: L::Address<List> = report.list.take("the list");
        driver.tell(&list, ToList::End);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?)
            .check("list_len", report.list_len.take("list_len")?)
            .check("hits", report.hits.take("hits")?)
            .check("sizes", report.sizes.take("sizes")?)
            .check("contains", report.contains.take("contains")?))
    }
}

/// A singly linked list, ascending, with a node per element.
#[derive(Default)]
struct SortedList {
    head: Link,
}

type Link = Option<Box<Node>>;

struct Node {
    value: i64,
    next: Link,
}

impl SortedList {
    /// Inserts behind all elements that are not greater.
    fn insert(&mut self, value: i64) {
        let mut link = &mut self.head;
        while link.as_ref().is_some_and(|node| node.value <= value) {
            link = &mut link.as_mut().expect("it was just looked at").next;
        }
        let next = link.take();
        *link = Some(Box::new(Node { value, next }));
    }

    /// Searches from the head, without regard to the order.
    fn contains(&self, value: i64) -> bool {
        self.elements().any(|element| element == value)
    }

    /// Counts the elements one by one.
    fn len(&self) -> i64 {
        self.elements().fold(0, |count, _| count + 1)
    }

    /// The sum of position times element, positions from 1.
    fn weighted_sum(&self) -> i64 {
        let weighted = self
            .elements()
            .zip(1..)
            .map(|(element, position)| element.wrapping_mul(position));
        weighted.fold(0, i64::wrapping_add)
    }

    fn elements(&self) -> impl Iterator<Item = i64> {
        let nodes = std::iter::successors(self.head.as_deref(), |node| node.next.as_deref());
        nodes.map(|node| node.value)
    }
}

impl Drop for SortedList {
    /// Node by node: the compiler's own way would recurse once per node.
    fn drop(&mut self) {
        let mut link = self.head.take();
        while let Some(mut node) = link {
            link = node.next.take();
        }
    }
}

struct List {
    elements: SortedList,
    report: &'static Report,
}

enum ToList<L: ActorLibrary> {
    Write { from: L::Address<Worker<L>>, value: i64 },
    Search(Search<L>),
    End,
}

enum Search<L: ActorLibrary> {
    Size { from: L::Address<Worker<L>> },
    Contains { from: L::Address<Worker<L>>, value: i64 },
}

impl<L: ActorLibrary> From<Search<L>> for ToList<L> {
    #[inline(always)]
    fn from(search: Search<L>) -> Self {
        Self::Search(search)
    }
}

impl<L: ActorLibrary> Actor<L> for List {
    type Message = ToList<L>;

    fn handle(&mut self, message: ToList<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToList::Write { from, value } => {
                self.elements.insert(value);
                cx.tell(&from, ToWorker::Result { value });
            }
            ToList::Search(search) => self.read(search, &mut Alone::new(cx)),
            ToList::End => {
                self.report.result.report(self.elements.weighted_sum());
                self.report.list_len.report(self.elements.len());
                cx.stop();
            }
        }
    }
}

impl<L: ActorLibrary> Reads<L> for List {
    type Query = Search<L>;

    #[inline(always)]
    fn read(&self, search: Search<L>, cx: &mut impl Tell<L>) {
        let (from, value) = match search {
            Search::Size { from } => (from, self.elements.len()),
            Search::Contains { from, value } => (from, self.elements.contains(value).into()),
        };
        cx.tell(&from, ToWorker::Result { value });
    }
}

struct Master {
    workers: i64,
    plan: Plan,
    done: i64,
    hits: i64,
    sizes: i64,
    contains: i64,
    report: &'static Report,
}

struct Done {
    hits: i64,
    sizes: i64,
    contains: i64,
}

impl<L: ActorLibrary> Actor<L> for Master {
    type Message = Done;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        let list = cx.spawn(List {
            elements: SortedList::default(),
            report: self.report,
        });
        for id in 0..self.workers {
            let worker = cx.spawn(Worker {
                requests: Requests::new(id, self.plan),
                hits: 0,
                list: list.clone(),
                master: cx.myself(),
            });
            cx.tell(&worker, ToWorker::DoWork);
        }
        self.report.list.report(list);
    }

    fn handle(&mut self, done: Done, cx: &mut impl Context<L, Self>) {
        self.done += 1;
        self.hits += done.hits;
        self.sizes += done.sizes;
        self.contains += done.contains;
        if self.done == self.workers {
            self.report.hits.report(self.hits);
            self.report.sizes.report(self.sizes);
            self.report.contains.report(self.contains);
            cx.stop();
        }
    }
}

/// What all workers do alike.
#[derive(Clone, Copy, Debug)]
struct Plan {
    requests: i64,
    write_pct: i64,
    size_pct: i64,
    /// Distance between two values of a worker: no two workers share one.
    stride: i64,
}

/// The requests of one worker, one after another.
struct Requests {
    id: i64,
    plan: Plan,
    rng: Rng,
    sent: i64,
    sizes: i64,
    contains: i64,
    /// Whether the last request was a search.
    searched: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    Size,
    Write(i64),
    Contains(i64),
}

impl Requests {
    fn new(id: i64, plan: Plan) -> Self {
        let seed = [plan.requests, plan.write_pct, plan.size_pct];
        Self {
            id,
            plan,
            rng: Rng::new(seed.into_iter().fold(id, i64::wrapping_add)),
            sent: 0,
            sizes: 0,
            contains: 0,
            searched: false,
        }
    }

    fn value(&mut self) -> i64 {
        (self.rng.draw() >> 2) * self.plan.stride + self.id
    }
}

impl Iterator for Requests {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        if self.sent == self.plan.requests {
            return None;
        }
        self.sent += 1;
        let choice = self.rng.scaled(100);
        let request = if choice < self.plan.size_pct {
            self.sizes += 1;
            Request::Size
        } else if choice < self.plan.size_pct + self.plan.write_pct {
            Request::Write(self.value())
        } else {
            self.contains += 1;
            Request::Contains(self.value())
        };
        self.searched = matches!(request, Request::Contains(_));
        Some(request)
    }
}

struct Worker<L: ActorLibrary> {
    requests: Requests,
    hits: i64,
    list: L::Address<List>,
    master: L::Address<Master>,
}

enum ToWorker {
    DoWork,
    Result { value: i64 },
}

impl<L: ActorLibrary> Worker<L> {
    fn proceed(&mut self, cx: &mut impl Context<L, Self>) {
        let Some(request) = self.requests.next() else {
            cx.tell(
                &self.master,
                Done {
                    hits: self.hits,
                    sizes: self.requests.sizes,
                    contains: self.requests.contains,
                },
            );
            cx.stop();
            return;
        };
        let from = cx.myself();
        match request {
            Request::Write(value) => cx.tell(&self.list, ToList::Write { from, value }),
            Request::Size => cx.query(&self.list, Search::Size { from }),
            Request::Contains(value) => cx.query(&self.list, Search::Contains { from, value }),
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<L, Self>) {
        match message {
            ToWorker::Result { value } if self.requests.searched => self.hits += value,
            ToWorker::Result { .. } | ToWorker::DoWork => {}
        }
        self.proceed(cx);
    }
}

#[cfg(test)]
mod tests {
    use super::Request::{Contains, Size, Write};
    use super::*;

    #[test]
    fn the_list_is_sorted_and_keeps_equal_elements() {
        let mut list = SortedList::default();
        for value in [5, 1, 9, 5, 7, 1] {
            list.insert(value);
        }
        assert_eq!(list.elements().collect::<Vec<_>>(), [1, 1, 5, 5, 7, 9]);
        assert_eq!((list.len(), list.contains(7), list.contains(8)), (6, true, false));
        assert_eq!(list.weighted_sum(), 1 + 2 + 15 + 20 + 35 + 54);
    }

    #[test]
    fn a_long_list_is_dropped_without_recursion() {
        let mut list = SortedList::default();
        (0..1_000_000).for_each(|value| list.insert(-value));
        assert_eq!(list.len(), 1_000_000);
    }

    /// The requests that the entry lists for the preset `quick`.
    #[test]
    fn requests_are_those_of_the_entry() {
        let plan = Plan {
            requests: 1000,
            write_pct: 10,
            size_pct: 1,
            stride: 20,
        };
        let first = |id, count| Requests::new(id, plan).take(count).collect::<Vec<_>>();
        assert_eq!(
            first(0, 12),
            [
                Contains(24600),
                Contains(179_420),
                Size,
                Contains(41880),
                Contains(14040),
                Contains(261_940),
                Contains(57940),
                Contains(184_720),
                Contains(273_040),
                Contains(71340),
                Contains(60300),
                Write(101_000)
            ]
        );
        assert_eq!(
            first(1, 7),
            [
                Contains(72321),
                Contains(239_361),
                Contains(49821),
                Contains(107_261),
                Contains(67961),
                Contains(238_521),
                Write(224_021)
            ]
        );
        assert_eq!(Requests::new(0, plan).count(), 1000);
    }
}
