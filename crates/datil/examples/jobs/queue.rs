//! A job queue: a pool of supervised workers, one actor that hands out the work, and a line protocol for clients.
//!
//! `PUT n` queues the job "sum of the primes below n" and answers with its number; `GET number` waits for the job and answers with its result. A job makes its worker fail if `n` is 13, as a stand-in for a bug: it is
//! tried three times. Clients are threads that wait for answers. What waits and what is remembered is bounded: a job too many is refused, and the oldest results are forgotten.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use datil::{Actor, ActorId, Address, Context, ReplyTo, Restart, Runtime, Strategy, Supervisor};

/// Times a job is tried.
const ATTEMPTS: u32 = 3;

/// Jobs that may wait for a worker.
pub const BACKLOG: usize = 1000;

/// Results that are remembered.
pub const KEPT: usize = 1000;

pub type Outcome = Result<u64, String>;

struct Job {
    n: u64,
    attempts: u32,
    outcome: Option<Outcome>,
    waiting: Vec<ReplyTo<Outcome>>,
}

/// Hands out jobs to workers that are ready.
#[derive(Default)]
pub struct Queue {
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
}

impl Queue {
    fn put(&mut self, n: u64) -> Result<usize, String> {
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

    /// The worker's job has made it fail: it is tried again, or given up.
    fn retry(&mut self, number: usize) {
        if self.jobs.get(&number).is_some_and(|job| job.attempts < ATTEMPTS) {
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

    fn handle(&mut self, msg: QueueMsg, cx: &mut Context<'_, Self>) {
        match msg {
            QueueMsg::Put { n, reply } => reply.send(self.put(n)),
            QueueMsg::Get { job, reply } => self.get(job, reply),
            QueueMsg::Started(worker) => {
                if let Some(job) = self.running.remove(&worker.id()) {
                    self.retry(job);
                }
                // When the supervisor has given up, nobody would do what waits.
                cx.link(worker);
                self.ready.push_back(worker);
            }
            QueueMsg::Done { worker, result } => {
                if let Some(job) = self.running.remove(&worker.id()) {
                    self.settle(job, Ok(result));
                }
                self.ready.push_back(worker);
            }
        }
        self.hand_out(cx);
    }
}

/// Does one job at a time.
pub struct Worker {
    queue: Address<Queue>,
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

/// A queue with its workers, and a thread that accepts connections.
pub struct Service {
    pub at: SocketAddr,
    pub queue: Address<Queue>,
    pub supervisor: Supervisor,
}

impl Service {
    pub fn start(actors: &Arc<Runtime>, workers: usize, at: SocketAddr) -> io::Result<Self> {
        let queue = actors.spawn(Queue::default());
        let supervisor = Supervisor::new(Strategy::OneForOne, 100, Duration::from_secs(1));
        for _ in 0..workers {
            let started = supervisor.start(&mut &**actors, Restart::OnFailure, move || Worker { queue });
            started.map_err(io::Error::other)?;
        }
        let listener = TcpListener::bind(at)?;
        let at = listener.local_addr()?;
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                std::thread::spawn(move || serve(queue, &connection));
            }
        });
        Ok(Self {
            at,
            queue,
            supervisor,
        })
    }
}

fn serve(queue: Address<Queue>, connection: &TcpStream) -> io::Result<()> {
    let mut out = connection;
    connection.set_nodelay(true)?;
    for line in BufReader::new(connection).lines() {
        let answer = answer(queue, &line?) + "\n";
        out.write_all(answer.as_bytes())?;
    }
    Ok(())
}

/// What the service says to a line.
fn answer(queue: Address<Queue>, line: &str) -> String {
    let stopped = |_| "ERROR the queue has stopped".to_owned();
    match line
        .split_once(' ')
        .map(|(verb, n)| (verb, n.trim().parse::<u64>()))
    {
        Some(("PUT", Ok(n))) => {
            let number = queue.ask(|reply| QueueMsg::Put { n, reply }).wait();
            number.map_or_else(stopped, |number| match number {
                Ok(number) => format!("JOB {number}"),
                Err(why) => format!("ERROR {why}"),
            })
        }
        Some(("GET", Ok(job))) => {
            let job = job as usize;
            let outcome = queue.ask(|reply| QueueMsg::Get { job, reply }).wait();
            outcome.map_or_else(stopped, |outcome| match outcome {
                Ok(sum) => format!("OK {sum}"),
                Err(why) => format!("ERROR {why}"),
            })
        }
        _ => "ERROR say PUT n or GET job".to_owned(),
    }
}
