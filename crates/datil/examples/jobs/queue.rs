//! The actors: supervised workers, and one that hands out the work.
//!
//! What waits and what is remembered is bounded: a job too many is refused, and the oldest results are forgotten.

use std::collections::{HashMap, VecDeque};

use datil::{Actor, ActorId, Address, Context, ReplyTo, StopReason, Supervisor};

/// Times a job is tried.
const ATTEMPTS: u32 = 3;

/// Jobs that may wait for a worker.
pub const BACKLOG: usize = 1000;

/// Results that are remembered.
pub const KEPT: usize = 1000;

const CLOSING: &str = "the queue is closing; try again when it is back";

pub type Outcome = Result<u64, String>;

struct Job {
    n: u64,
    attempts: u32,
    outcome: Option<Outcome>,
    waiting: Vec<ReplyTo<Outcome>>,
}

/// Hands out jobs to workers that are ready.
pub struct Queue {
    /// The workers'. When it has given up, nobody would do what waits.
    supervisor: Supervisor,
    closing: bool,
    /// Those that wait, run, or are remembered, by number.
    jobs: HashMap<usize, Job>,
    /// The number of the next one.
    next: usize,
    backlog: VecDeque<usize>,
    /// Those that are over, the oldest first.
    over: VecDeque<usize>,
    ready: VecDeque<Address<Worker>>,
    running: HashMap<ActorId, usize>,
}

pub enum QueueMsg {
    Put {
        n: u64,
        reply: ReplyTo<Result<usize, String>>,
    },
    Get {
        job: usize,
        reply: ReplyTo<Outcome>,
    },
    /// A worker has started, for the first time or after a failure.
    Started(Address<Worker>),
    Done {
        worker: Address<Worker>,
        result: u64,
    },
    /// Jobs that wait are given up, the answer is how many; those that run are finished, and then the queue ends.
    Close(ReplyTo<usize>),
    NoWorkers,
}

impl Queue {
    pub fn new(supervisor: Supervisor) -> Self {
        Self {
            supervisor,
            closing: false,
            jobs: HashMap::new(),
            next: 0,
            backlog: VecDeque::new(),
            over: VecDeque::new(),
            ready: VecDeque::new(),
            running: HashMap::new(),
        }
    }

    fn put(&mut self, n: u64) -> Result<usize, String> {
        if self.closing {
            return Err(CLOSING.into());
        }
        if self.backlog.len() == BACKLOG {
            return Err(format!("{BACKLOG} jobs wait; try again later"));
        }
        let number = self.next;
        self.next += 1;
        self.backlog.push_back(number);
        self.jobs.insert(
            number,
            Job {
                n,
                attempts: 0,
                outcome: None,
                waiting: Vec::new(),
            },
        );
        Ok(number)
    }

    fn get(&mut self, number: usize, reply: ReplyTo<Outcome>) {
        match self.jobs.get_mut(&number) {
            None => reply.send(Err(format!("there is no job {number}, or not any more"))),
            Some(Job {
                outcome: Some(outcome),
                ..
            }) => reply.send(outcome.clone()),
            Some(job) => job.waiting.push(reply),
        }
    }

    fn settle(&mut self, number: usize, outcome: Outcome) {
        let Some(job) = self.jobs.get_mut(&number) else {
            return;
        };
        job.waiting
            .drain(..)
            .for_each(|reply| reply.send(outcome.clone()));
        job.outcome = Some(outcome);
        self.over.push_back(number);
        if self.over.len() > KEPT
            && let Some(oldest) = self.over.pop_front()
        {
            self.jobs.remove(&oldest);
        }
    }

    fn close(&mut self) -> usize {
        self.closing = true;
        let waiting = std::mem::take(&mut self.backlog);
        waiting
            .iter()
            .for_each(|&job| self.settle(job, Err(CLOSING.into())));
        waiting.len()
    }

    /// The worker's job has made it fail: it is tried again, or given up.
    fn retry(&mut self, number: usize) {
        if self.closing {
            self.settle(number, Err(CLOSING.into()));
        } else if self.jobs.get(&number).is_some_and(|job| job.attempts < ATTEMPTS) {
            self.backlog.push_back(number);
        } else {
            self.settle(number, Err(format!("failed {ATTEMPTS} times")));
        }
    }

    fn hand_out(&mut self, cx: &mut Context<'_, Self>) {
        while !self.backlog.is_empty() && !self.ready.is_empty() {
            let (Some(number), Some(worker)) = (self.backlog.pop_front(), self.ready.pop_front()) else {
                return;
            };
            let Some(job) = self.jobs.get_mut(&number) else {
                return;
            };
            job.attempts += 1;
            self.running.insert(worker.id(), number);
            cx.tell(worker, Work { n: job.n });
        }
    }
}

impl Actor for Queue {
    type Msg = QueueMsg;

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        cx.monitor_supervisor(&self.supervisor, |_| QueueMsg::NoWorkers);
    }

    fn handle(&mut self, msg: QueueMsg, cx: &mut Context<'_, Self>) {
        match msg {
            QueueMsg::Put { n, reply } => reply.send(self.put(n)),
            QueueMsg::Get { job, reply } => self.get(job, reply),
            QueueMsg::Started(worker) => {
                if let Some(job) = self.running.remove(&worker.id()) {
                    self.retry(job);
                }
                self.ready.push_back(worker);
            }
            QueueMsg::Done { worker, result } => {
                if let Some(job) = self.running.remove(&worker.id()) {
                    self.settle(job, Ok(result));
                }
                self.ready.push_back(worker);
            }
            QueueMsg::Close(reply) => reply.send(self.close()),
            QueueMsg::NoWorkers => cx.stop_because(StopReason::Supervisor),
        }
        self.hand_out(cx);
        if self.closing && self.running.is_empty() {
            cx.stop();
        }
    }
}

/// Does one job at a time.
pub struct Worker {
    pub queue: Address<Queue>,
}

pub struct Work {
    n: u64,
}

impl Actor for Worker {
    type Msg = Work;

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        let worker = cx.address();
        cx.tell(self.queue, QueueMsg::Started(worker));
    }

    fn handle(&mut self, Work { n }: Work, cx: &mut Context<'_, Self>) {
        assert!(n != 13, "13 is a bug");
        let result = sum_of_primes_below(n);
        let worker = cx.address();
        cx.tell(self.queue, QueueMsg::Done { worker, result });
    }
}

fn sum_of_primes_below(n: u64) -> u64 {
    let is_prime = |n: &u64| (2..).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    (2..n).filter(is_prime).sum()
}
