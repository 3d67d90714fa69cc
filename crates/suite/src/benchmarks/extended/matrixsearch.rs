//! Matrix Search: light controllers send words to heavy seekers, each of which searches a large matrix of its own.

use std::time::Instant;

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver, Part};
use crate::parameters::{Arguments, Parameter, Relation};
use crate::tools::L32;
use crate::tools::collector::{Once, Sum};

/// The benchmark.
#[derive(Clone, Copy, Debug)]
pub struct MatrixSearch {
    controllers: i64,
    seekers: i64,
    size: usize,
    jobs: i64,
    word: usize,
    alphabet: u32,
    assign: Assign,
    round_robin: bool,
}

/// When a seeker gets its next word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Assign {
    /// As soon as it has answered.
    Continuous,
    /// When all seekers have answered.
    Blockwise,
}

/// What Tally and the seekers report.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    jobs: Once<i64>,
    fill_ns: Sum,
    search_ns: Sum,
}

impl Benchmark for MatrixSearch {
    const NAME: &'static str = "matrixsearch";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("controllers", 1),
        Parameter::at_least("seekers", 1),
        Parameter::integer("size"),
        Parameter::at_least("jobs", 1),
        Parameter::between("word", 1, LONGEST_WORD as i64),
        Parameter::between("alphabet", 2, 256),
        Parameter::choice("assign", &["continuous", "blockwise"]),
        Parameter::choice("place", &["local", "roundrobin"]),
    ];
    const RELATIONS: &'static [Relation] = &[Relation::AtLeast {
        parameter: "size",
        times: 1,
        of: "word",
        plus: 0,
    }];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            controllers: arguments.get("controllers"),
            seekers: arguments.get("seekers"),
            size: arguments.get("size") as usize,
            jobs: arguments.get("jobs"),
            word: arguments.get("word") as usize,
            alphabet: arguments.get("alphabet") as u32,
            assign: match arguments.word("assign") {
                "continuous" => Assign::Continuous,
                _ => Assign::Blockwise,
            },
            round_robin: arguments.word("place") == "roundrobin",
        }
    }

    fn dealing(&self) -> Option<&'static str> {
        self.round_robin.then_some("place is roundrobin")
    }

    fn actors(&self) -> Population {
        let seekers = self.controllers.saturating_mul(self.seekers);
        Population::Known(seekers.saturating_add(self.controllers).saturating_add(1))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let tally = driver.spawn(Tally {
            controllers: self.controllers,
            matches: 0,
            jobs: 0,
            report,
        });
        let controllers: Vec<L::Address<Controller<L>>> = (0..self.controllers)
            .map(|id| {
                driver.spawn(Controller {
                    id,
                    plan: *self,
                    seekers: Vec::new(),
                    next_job: vec![0; self.seekers as usize],
                    replies: 0,
                    matches: 0,
                    tally: tally.clone(),
                    report,
                })
            })
            .collect();
        for controller in &controllers {
            driver.tell(controller, ToController::Start);
        }
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?)
            .check("jobs", report.jobs.take("jobs")?)
            .metric("fill_ns", report.fill_ns.take())
            .metric("search_ns", report.search_ns.take()))
    }
}

const LONGEST_WORD: usize = 16;

/// A word to search for.
#[derive(Clone, Copy)]
struct Word {
    letters: [u8; LONGEST_WORD],
    length: usize,
}

impl Word {
    /// The word of a job for a seeker.
    fn of_job(job: i64, seeker: i64, length: usize, alphabet: u32) -> Self {
        let seed = seeker
            .wrapping_mul(40503)
            .wrapping_add(job.wrapping_mul(9973))
            .wrapping_add(777);
        let mut random = L32::new(seed);
        let mut letters = [0; LONGEST_WORD];
        letters[..length].fill_with(|| random.char(alphabet));
        Self { letters, length }
    }

    fn letters(&self) -> &[u8] {
        &self.letters[..self.length]
    }
}

/// A square of letters, row by row.
#[derive(Default)]
struct Matrix {
    side: usize,
    cells: Vec<u8>,
}

impl Matrix {
    /// The matrix of a seeker.
    // One copy for all libraries.
    #[inline(never)]
    fn of_seeker(seeker: i64, side: usize, alphabet: u32) -> Self {
        let mut random = L32::new(seeker.wrapping_mul(2_654_435_761).wrapping_add(12345));
        let cells = side.checked_mul(side).expect("a matrix fits into memory");
        Self {
            side,
            cells: (0..cells).map(|_| random.char(alphabet)).collect(),
        }
    }

    /// How often the word stands in a column, from top to bottom. Column by column, against the order of the cells: that is
    /// what the entry demands.
    // One copy for all libraries.
    #[inline(never)]
    fn count(&self, word: &[u8]) -> i64 {
        let mut count = 0;
        for column in 0..self.side {
            for row in 0..=self.side - word.len() {
                let down = self.cells[row * self.side + column..].iter().step_by(self.side);
                if word.iter().zip(down).all(|(letter, cell)| letter == cell) {
                    count += 1;
                }
            }
        }
        count
    }
}

struct Tally {
    /// Controllers that are not done.
    controllers: i64,
    matches: i64,
    jobs: i64,
    report: &'static Report,
}

struct ControllerDone {
    matches: i64,
    jobs: i64,
}

impl<L: ActorLibrary> Actor<L> for Tally {
    type Message = ControllerDone;

    fn handle(&mut self, done: ControllerDone, cx: &mut impl Context<L, Self>) {
        self.matches += done.matches;
        self.jobs += done.jobs;
        self.controllers -= 1;
        if self.controllers == 0 {
            self.report.result.report(self.matches);
            self.report.jobs.report(self.jobs);
            cx.stop();
        }
    }
}

struct Controller<L: ActorLibrary> {
    id: i64,
    plan: MatrixSearch,
    seekers: Vec<L::Address<Seeker<L>>>,
    next_job: Vec<i64>,
    replies: i64,
    matches: i64,
    tally: L::Address<Tally>,
    report: &'static Report,
}

enum ToController {
    Start,
    Found { seeker: usize, job: i64, count: i64 },
}

impl<L: ActorLibrary> Controller<L> {
    /// The number of a seeker among those of all controllers.
    fn number(&self, seeker: usize) -> i64 {
        self.id * self.plan.seekers + seeker as i64
    }

    fn start(&mut self, cx: &mut impl Context<L, Self>) {
        for id in 0..self.plan.seekers as usize {
            self.seekers.push(cx.spawn(Seeker {
                id,
                number: self.number(id),
                plan: self.plan,
                matrix: Matrix::default(),
                controller: cx.myself(),
                report: self.report,
            }));
        }
        for seeker in &self.seekers {
            cx.tell(seeker, ToSeeker::Init);
        }
        self.assign_all(cx);
    }

    /// Sends a seeker its next word, or tells it that there is none.
    fn assign(&mut self, seeker: usize, cx: &mut impl Context<L, Self>) {
        let job = self.next_job[seeker];
        self.next_job[seeker] += 1;
        let message = if job < self.plan.jobs {
            let word = Word::of_job(job, self.number(seeker), self.plan.word, self.plan.alphabet);
            ToSeeker::Job { number: job, word }
        } else {
            ToSeeker::Stop
        };
        cx.tell(&self.seekers[seeker], message);
    }

    fn assign_all(&mut self, cx: &mut impl Context<L, Self>) {
        for seeker in 0..self.seekers.len() {
            self.assign(seeker, cx);
        }
    }

    fn found(&mut self, seeker: usize, job: i64, count: i64, cx: &mut impl Context<L, Self>) {
        assert_eq!(
            job + 1,
            self.next_job[seeker],
            "seeker {seeker} answered another job"
        );
        self.matches += count;
        self.replies += 1;
        match self.plan.assign {
            Assign::Continuous => self.assign(seeker, cx),
            Assign::Blockwise if self.replies % self.plan.seekers == 0 => self.assign_all(cx),
            Assign::Blockwise => {}
        }
        if self.replies == self.plan.seekers * self.plan.jobs {
            let done = ControllerDone {
                matches: self.matches,
                jobs: self.replies,
            };
            cx.tell(&self.tally, done);
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Controller<L> {
    type Message = ToController;

    const PART: Part = Part::Coordinator;

    fn handle(&mut self, message: ToController, cx: &mut impl Context<L, Self>) {
        match message {
            ToController::Start => self.start(cx),
            ToController::Found { seeker, job, count } => self.found(seeker, job, count, cx),
        }
    }
}

struct Seeker<L: ActorLibrary> {
    id: usize,
    number: i64,
    plan: MatrixSearch,
    matrix: Matrix,
    controller: L::Address<Controller<L>>,
    report: &'static Report,
}

enum ToSeeker {
    Init,
    Job { number: i64, word: Word },
    Stop,
}

impl<L: ActorLibrary> Actor<L> for Seeker<L> {
    type Message = ToSeeker;

    const PART: Part = Part::Data;

    fn handle(&mut self, message: ToSeeker, cx: &mut impl Context<L, Self>) {
        match message {
            ToSeeker::Init => {
                let start = Instant::now();
                self.matrix = Matrix::of_seeker(self.number, self.plan.size, self.plan.alphabet);
                self.report.fill_ns.add(start.elapsed().as_nanos() as i64);
            }
            ToSeeker::Job { number, word } => {
                let start = Instant::now();
                let count = self.matrix.count(word.letters());
                self.report.search_ns.add(start.elapsed().as_nanos() as i64);
                let found = ToController::Found {
                    seeker: self.id,
                    job: number,
                    count,
                };
                cx.tell(&self.controller, found);
            }
            ToSeeker::Stop => cx.stop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_matrices_are_those_of_the_entry() {
        for (job, letters) in [(0, [2, 3, 3]), (1, [1, 1, 1]), (2, [1, 3, 0])] {
            assert_eq!(Word::of_job(job, 0, 3, 4).letters(), letters);
        }
        for (side, sum) in [(16, 392), (500, 374_631)] {
            let matrix = Matrix::of_seeker(0, side, 4);
            assert_eq!(matrix.cells.iter().map(|cell| i64::from(*cell)).sum::<i64>(), sum);
        }
    }

    #[test]
    fn words_are_counted_down_the_columns_and_may_overlap() {
        let matrix = Matrix {
            side: 4,
            cells: [[1, 2, 0, 0], [1, 2, 0, 0], [1, 1, 0, 0], [1, 2, 0, 1]].concat(),
        };
        for (word, count) in [
            (&[1, 1][..], 3),
            (&[2, 2], 1),
            (&[1, 2], 1),
            (&[0, 0, 0, 0], 1),
            (&[0, 1], 1),
        ] {
            assert_eq!(matrix.count(word), count, "{word:?}");
        }
    }
}
