//! N-Queens: a master deals boards out to workers, which put one more queen on them or, further down, search alone.

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Clone, Copy, Debug)]
pub struct NQueens {
    workers: usize,
    side: u8,
    alone_from: u8,
    wanted: i64,
    priorities: u8,
}

/// What the Master reports.
#[derive(Debug, Default)]
pub struct Report {
    end: Once<End>,
}

#[derive(Debug)]
struct End {
    results: i64,
    items: i64,
}

impl Benchmark for NQueens {
    const NAME: &'static str = "nqueenk";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("w", 1),
        Parameter::between("n", 1, LARGEST as i64),
        Parameter::between("t", 1, 20),
        Parameter::at_least("k", 1),
        Parameter::between("p", 1, 29),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            workers: arguments.get("w") as usize,
            side: arguments.get("n") as u8,
            alone_from: arguments.get("t") as u8,
            wanted: arguments.get("k"),
            priorities: arguments.get("p") as u8,
        }
    }

    fn actors(&self) -> Population {
        Population::Known((self.workers as i64).saturating_add(1))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        driver.spawn(Master::<L> {
            benchmark: *self,
            workers: Vec::new(),
            next: 0,
            sent: 0,
            completed: 0,
            results: 0,
            stopped: 0,
            stopping: false,
            report,
        });
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let End { results, items } = report.end.take("end")?;
        Ok(if results < self.wanted {
            Outcome::new(results).check("items", items)
        } else {
            // The search was broken off, at a point that depends on scheduling.
            Outcome::new(self.wanted)
                .metric("results", results)
                .metric("items", items)
        })
    }
}

/// The largest board.
const LARGEST: usize = 20;

/// The columns of the queens on the first rows of a board.
#[derive(Clone, Copy)]
struct Queens {
    rows: u8,
    columns: [i8; LARGEST],
}

impl Queens {
    const NONE: Self = Self {
        rows: 0,
        columns: [0; LARGEST],
    };

    /// A new board with one more queen.
    fn with(&self, column: u8) -> Self {
        let mut more = *self;
        more.columns[usize::from(self.rows)] = column as i8;
        more.rows += 1;
        more
    }

    fn columns(&self) -> &[i8] {
        &self.columns[..self.rows.into()]
    }

    /// Whether no queen attacks another. All pairs are tested: that is the work of this benchmark.
    fn is_valid(&self) -> bool {
        let columns = self.columns();
        columns.iter().enumerate().all(|(i, &one)| {
            (1..)
                .zip(&columns[i + 1..])
                .all(|(distance, &other)| other != one && other != one - distance && other != one + distance)
        })
    }

    /// Searches all boards that begin like this one, and tells of every solution.
    // One copy for all libraries.
    #[inline(never)]
    fn search(&self, side: u8, found: &mut dyn FnMut()) {
        if self.rows == side {
            found();
            return;
        }
        for column in 0..side {
            let more = self.with(column);
            if more.is_valid() {
                more.search(side, found);
            }
        }
    }
}

struct Work {
    priority: u8,
    queens: Queens,
}

struct Master<L: ActorLibrary> {
    benchmark: NQueens,
    workers: Vec<L::Address<Worker<L>>>,
    next: usize,
    sent: i64,
    completed: i64,
    results: i64,
    stopped: usize,
    stopping: bool,
    report: &'static Report,
}

enum ToMaster {
    NewWork(Work),
    /// The message Result.
    Solution,
    Done,
    Stopped,
}

kinds!(Solution, Done of ToMaster);

impl<L: ActorLibrary> Master<L> {
    fn dispatch(&mut self, work: Work, cx: &mut impl Context<L, Self>) {
        // The number falls with every queen on the board: half of them on it, and a solution is near.
        let urgent = work.priority < self.benchmark.priorities / 2;
        cx.tell_by_urgency(&self.workers[self.next], ToWorker::Work(work), urgent);
        self.next = (self.next + 1) % self.workers.len();
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
}

impl<L: ActorLibrary> Actor<L> for Master<L> {
    type Message = ToMaster;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        for _ in 0..self.benchmark.workers {
            let worker = cx.spawn(Worker {
                side: self.benchmark.side,
                alone_from: self.benchmark.alone_from,
                master: cx.myself(),
            });
            self.workers.push(worker);
        }
        let first = Work {
            priority: self.benchmark.priorities - 1,
            queens: Queens::NONE,
        };
        self.dispatch(first, cx);
    }

    fn handle(&mut self, message: ToMaster, cx: &mut impl Context<L, Self>) {
        match message {
            ToMaster::NewWork(work) => {
                if !self.stopping {
                    self.dispatch(work, cx);
                }
            }
            ToMaster::Solution => {
                self.results += 1;
                if self.results == self.benchmark.wanted {
                    self.begin_stopping(cx);
                }
            }
            ToMaster::Done => {
                self.completed += 1;
                if self.completed == self.sent {
                    self.begin_stopping(cx);
                }
            }
            ToMaster::Stopped => {
                self.stopped += 1;
                if self.stopped == self.workers.len() {
                    self.report.end.report(End {
                        results: self.results,
                        items: self.sent,
                    });
                    cx.stop();
                }
            }
        }
    }
}

struct Worker<L: ActorLibrary> {
    side: u8,
    alone_from: u8,
    master: L::Address<Master<L>>,
}

enum ToWorker {
    Work(Work),
    Stop,
}

impl<L: ActorLibrary> Worker<L> {
    fn work(&self, Work { priority, queens }: Work, cx: &mut impl Context<L, Self>) {
        if queens.rows == self.side || queens.rows >= self.alone_from {
            queens.search(self.side, &mut || cx.tell_kind(&self.master, Solution));
        } else {
            for column in 0..self.side {
                let queens = queens.with(column);
                if queens.is_valid() {
                    let priority = priority.saturating_sub(1);
                    cx.tell(&self.master, ToMaster::NewWork(Work { priority, queens }));
                }
            }
        }
        cx.tell_kind(&self.master, Done);
    }
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<L, Self>) {
        match message {
            ToWorker::Work(work) => self.work(work, cx),
            ToWorker::Stop => {
                cx.tell(&self.master, ToMaster::Stopped);
                cx.stop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Queens;

    #[test]
    fn boards_have_as_many_solutions_as_is_known() {
        for (side, solutions) in (1..).zip([1, 0, 0, 2, 10, 4, 40, 92, 352]) {
            let mut found = 0;
            Queens::NONE.search(side, &mut || found += 1);
            assert_eq!(found, solutions, "side {side}");
        }
    }

    #[test]
    fn queens_attack_along_columns_and_both_diagonals() {
        let board = |columns: &[u8]| {
            columns
                .iter()
                .fold(Queens::NONE, |board, column| board.with(*column))
        };
        assert!(board(&[]).is_valid());
        assert!(board(&[1, 3, 0, 2]).is_valid());
        for attacked in [&[4, 4], &[4, 3], &[4, 5], &[0, 19]] {
            assert_eq!(board(attacked).is_valid(), attacked[1] == 19, "{attacked:?}");
        }
        assert!(!board(&[0, 4, 2]).is_valid(), "two rows apart");
    }
}
