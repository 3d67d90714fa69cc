//! The connections: a thread each, which reads lines and waits for answers of the queue.
//!
//! `PUT n` queues the job "sum of the primes below n" and answers with its number; `GET number` waits for the job and answers with its result. A job makes its worker fail if `n` is 13, as a stand-in for a bug: it is
//! tried three times. What cannot be done is answered with `ERROR` and why.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use datil::{Address, Answer, AskError, Restart, Runtime, Strategy, Supervisor};

use crate::queue::{Queue, QueueMsg, Worker};

/// Bytes of a line, beside its end. No more of a longer one is kept, so that nobody fills memory with a line that does not end.
pub const LONGEST_LINE: usize = 64;

/// How long a client may take to read an answer, if the system's buffers are full; else it would hold up the end.
const SLOWEST_CLIENT: Duration = Duration::from_secs(5);

/// A queue with its workers, and a thread that accepts connections.
pub struct Service {
    pub at: SocketAddr,
    pub queue: Address<Queue>,
    pub supervisor: Supervisor,
    workers: Vec<Address<Worker>>,
    /// Answered when nobody is accepted any more and all connections have ended.
    accepting: Answer<()>,
    closing: Arc<AtomicBool>,
}

impl Service {
    pub fn start(actors: &Runtime, workers: usize, at: SocketAddr) -> io::Result<Self> {
        // First, since it may fail and actors would be left.
        let listener = TcpListener::bind(at)?;
        let at = listener.local_addr()?;
        let supervisor = Supervisor::new(Strategy::OneForOne, 100, Duration::from_secs(1));
        let queue = actors.spawn(Queue::new(supervisor.clone()));
        let start = |_| supervisor.start(&mut &*actors, Restart::OnFailure, move || Worker { queue });
        let workers = (0..workers).map(start).collect::<Result<_, _>>();
        let workers = workers.map_err(io::Error::other)?;
        let closing = Arc::new(AtomicBool::new(false));
        let (over, accepting) = datil::promise();
        thread::spawn({
            let closing = closing.clone();
            move || {
                accept(&listener, queue, &closing);
                over.send(());
            }
        });
        Ok(Self {
            at,
            queue,
            supervisor,
            workers,
            accepting,
            closing,
        })
    }

    /// Ends the service: nobody is accepted any more, jobs that wait are given up, those that run are finished if they do not take longer than `patience`, and clients are told. Returns how many were given up; a worker
    /// whose job takes longer is left to the shutdown.
    pub fn close(self, patience: Duration) -> usize {
        self.closing.store(true, SeqCst);
        // Nothing else wakes a thread that waits for connections.
        drop(TcpStream::connect(self.at));
        let until = Instant::now() + patience;
        let left = || until.saturating_duration_since(Instant::now());
        // An error says that the queue has ended before, and what waited with it.
        let given_up = self.queue.ask(QueueMsg::Close).wait_for(patience).unwrap_or(0);
        // Here and below it says that the time is up.
        if self.queue.ended().wait_for(left()).is_err() {
            self.queue.stop();
        }
        self.supervisor.stop();
        for worker in self.workers {
            let _ = worker.ended().wait_for(left());
        }
        // If jobs occupy all workers nobody answers those that wait for the queue.
        let _ = self.accepting.wait_for(SLOWEST_CLIENT);
        given_up
    }
}

struct Connection {
    /// To end the thread's reading; the thread's end closes it.
    stream: Weak<TcpStream>,
    thread: JoinHandle<io::Result<()>>,
}

fn accept(listener: &TcpListener, queue: Address<Queue>, closing: &Arc<AtomicBool>) {
    let mut connections: Vec<Connection> = Vec::new();
    for stream in listener.incoming().flatten() {
        if closing.load(SeqCst) {
            break;
        }
        // Those that are over are taken out, so that the list does not grow for ever.
        connections.retain(|connection| !connection.thread.is_finished());
        let (stream, closing) = (Arc::new(stream), closing.clone());
        connections.push(Connection {
            stream: Arc::downgrade(&stream),
            thread: thread::spawn(move || serve(queue, &stream, &closing)),
        });
    }
    connections.into_iter().for_each(Connection::end);
}

impl Connection {
    /// Lets the thread answer what has come, and end.
    fn end(self) {
        if let Some(stream) = self.stream.upgrade() {
            // It fails if the client has gone, which ends the thread as well.
            let _ = stream.shutdown(Shutdown::Read);
        }
        // Errors are those of the connection, or a panic, which was told.
        let _ = self.thread.join();
    }
}

fn serve(queue: Address<Queue>, connection: &TcpStream, closing: &AtomicBool) -> io::Result<()> {
    connection.set_nodelay(true)?;
    connection.set_write_timeout(Some(SLOWEST_CLIENT))?;
    let (mut input, mut out) = (BufReader::new(connection), connection);
    let mut line = Vec::new();
    let most = LONGEST_LINE as u64 + 1;
    while (&mut input).take(most).read_until(b'\n', &mut line)? > 0 {
        if line.len() > LONGEST_LINE && !line.ends_with(b"\n") {
            let refusal = format!("ERROR the line is too long; send at most {LONGEST_LINE} bytes\n");
            out.write_all(refusal.as_bytes())?;
            input.skip_until(b'\n')?;
        } else {
            let answer = answer(queue, String::from_utf8_lossy(&line).trim_end()) + "\n";
            out.write_all(answer.as_bytes())?;
        }
        line.clear();
    }
    if closing.load(SeqCst) {
        out.write_all(b"ERROR the service is closing; connect again later\n")?;
    }
    Ok(())
}

/// What the service says to a line.
fn answer(queue: Address<Queue>, line: &str) -> String {
    let stopped = |_: AskError| "ERROR the queue has stopped".to_owned();
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
