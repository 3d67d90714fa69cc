//! Logistic Map Series: workers that wait for an answer defer everything else.

use std::collections::VecDeque;

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Bounds, Parameter};
use crate::tools::collector::Once;

/// The benchmark.
#[derive(Clone, Copy, Debug)]
pub struct LogisticMap {
    terms: i64,
    series: i64,
    start_rate: f64,
    increment: f64,
}

/// What Master reports.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<f64>,
    orbit_sum: Once<f64>,
    steps: Once<i64>,
}

impl Benchmark for LogisticMap {
    const NAME: &'static str = "logmap";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("terms", 0),
        Parameter::between("series", 1, 217),
        Parameter::number("start_rate", Bounds::Any),
        Parameter::number("increment", Bounds::Any),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            terms: arguments.get("terms"),
            series: arguments.get("series"),
            start_rate: arguments.number("start_rate"),
            increment: arguments.number("increment"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(2 * self.series + 1)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let series = self.series as usize;
        let master = driver.spawn(Master::<L> {
            plan: *self,
            computers: Vec::new(),
            workers: Vec::new(),
            answers: 0,
            terms: vec![0.0; series],
            orbits: vec![0.0; series],
            steps: 0,
            report,
        });
        driver.tell(&master, ToMaster::Start);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?)
            .check("orbit_sum", report.orbit_sum.take("orbit_sum")?)
            .check("steps", report.steps.take("steps")?))
    }
}

struct Master<L: ActorLibrary> {
    plan: LogisticMap,
    computers: Vec<L::Address<Computer>>,
    workers: Vec<L::Address<Worker<L>>>,
    answers: i64,
    terms: Vec<f64>,
    orbits: Vec<f64>,
    steps: i64,
    report: &'static Report,
}

enum ToMaster {
    Start,
    Term { id: usize, x: f64, acc: f64, steps: i64 },
}

impl<L: ActorLibrary> Master<L> {
    fn start(&mut self, cx: &mut impl Context<L, Self>) {
        for _ in 0..self.plan.terms {
            for worker in &self.workers {
                cx.tell_kind(worker, NextTerm);
            }
        }
        for worker in &self.workers {
            cx.tell(worker, ToWorker::GetTerm);
        }
    }

    fn finish(&mut self, cx: &mut impl Context<L, Self>) {
        // One after another in the order of the series, from 0.0 on.
        let sum = |values: &[f64]| values.iter().fold(0.0, |sum, value| sum + value);
        self.report.result.report(sum(&self.terms));
        self.report.orbit_sum.report(sum(&self.orbits));
        self.report.steps.report(self.steps);
        for computer in &self.computers {
            cx.tell(computer, ToComputer::Stop);
        }
        for worker in &self.workers {
            cx.tell(worker, ToWorker::Stop);
        }
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Master<L> {
    type Message = ToMaster;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        let LogisticMap {
            series,
            start_rate,
            increment,
            ..
        } = self.plan;
        self.computers = (0..series)
            .map(|id| {
                cx.spawn(Computer {
                    rate: start_rate + id as f64 * increment,
                })
            })
            .collect();
        let computers = self.computers.iter().enumerate();
        self.workers = computers
            .map(|(id, computer)| {
                cx.spawn(Worker {
                    id,
                    x: id as f64 * increment,
                    acc: 0.0,
                    steps: 0,
                    waiting: false,
                    deferred: VecDeque::new(),
                    computer: computer.clone(),
                    master: cx.myself(),
                })
            })
            .collect();
    }

    fn handle(&mut self, message: ToMaster, cx: &mut impl Context<L, Self>) {
        match message {
            ToMaster::Start => self.start(cx),
            ToMaster::Term { id, x, acc, steps } => {
                self.terms[id] = x;
                self.orbits[id] = acc;
                self.steps += steps;
                self.answers += 1;
                if self.answers == self.plan.series {
                    self.finish(cx);
                }
            }
        }
    }
}

struct Computer {
    rate: f64,
}

enum ToComputer<L: ActorLibrary> {
    Compute { from: L::Address<Worker<L>>, x: f64 },
    Stop,
}

impl<L: ActorLibrary> Actor<L> for Computer {
    type Message = ToComputer<L>;

    fn handle(&mut self, message: ToComputer<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToComputer::Compute { from, x } => {
                let x = (self.rate * x) * (1.0 - x);
                cx.tell(&from, ToWorker::Value { x });
            }
            ToComputer::Stop => cx.stop(),
        }
    }
}

struct Worker<L: ActorLibrary> {
    id: usize,
    x: f64,
    acc: f64,
    steps: i64,
    /// Whether a Value is due. Until it comes, requests are deferred.
    waiting: bool,
    deferred: VecDeque<Request>,
    computer: L::Address<Computer>,
    master: L::Address<Master<L>>,
}

enum ToWorker {
    NextTerm,
    GetTerm,
    Value { x: f64 },
    Stop,
}

kinds!(NextTerm of ToWorker);

enum Request {
    NextTerm,
    GetTerm,
    Stop,
}

impl<L: ActorLibrary> Worker<L> {
    fn request(&mut self, request: Request, cx: &mut impl Context<L, Self>) {
        if self.waiting {
            self.deferred.push_back(request);
        } else {
            self.serve(request, cx);
        }
    }

    fn serve(&mut self, request: Request, cx: &mut impl Context<L, Self>) {
        match request {
            Request::NextTerm => {
                let from = cx.myself();
                cx.tell(&self.computer, ToComputer::Compute { from, x: self.x });
                self.waiting = true;
            }
            Request::GetTerm => {
                let &mut Self {
                    id, x, acc, steps, ..
                } = self;
                cx.tell(&self.master, ToMaster::Term { id, x, acc, steps });
            }
            Request::Stop => cx.stop(),
        }
    }

    fn value(&mut self, x: f64, cx: &mut impl Context<L, Self>) {
        assert!(self.waiting, "a value came that was not asked for");
        self.x = x;
        self.acc += x;
        self.steps += 1;
        self.waiting = false;
        while !self.waiting
            && let Some(request) = self.deferred.pop_front()
        {
            self.serve(request, cx);
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<L, Self>) {
        match message {
            ToWorker::NextTerm => self.request(Request::NextTerm, cx),
            ToWorker::GetTerm => self.request(Request::GetTerm, cx),
            ToWorker::Stop => self.request(Request::Stop, cx),
            ToWorker::Value { x } => self.value(x, cx),
        }
    }
}
