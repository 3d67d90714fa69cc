//! The job queue example, over loopback.

#[path = "../examples/jobs/queue.rs"]
mod queue;
#[path = "../examples/jobs/service.rs"]
mod service;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use datil::{Runtime, StopReason};
use service::Service;

const PATIENCE: Duration = Duration::from_secs(60);

fn open(workers: usize) -> (Runtime, Service) {
    let actors = Runtime::builder().workers(2).build().unwrap();
    let service = Service::start(&actors, workers, "127.0.0.1:0".parse().unwrap()).unwrap();
    (actors, service)
}

struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(service: &Service) -> Self {
        let stream = TcpStream::connect(service.at).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    fn ask(&mut self, line: &str) -> String {
        self.0
            .get_mut()
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
        self.hear()
    }

    /// The next line; nothing if the connection was closed.
    fn hear(&mut self) -> String {
        let mut answer = String::new();
        self.0.read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }
}

#[test]
fn jobs_are_done_failures_are_tried_again_and_given_up() {
    let (actors, service) = open(3);
    let mut client = Client::connect(&service);
    for job in 0..60 {
        // Every tenth job is the one that makes workers fail.
        let n = if job % 10 == 9 { 13 } else { 1000 };
        assert_eq!(client.ask(&format!("PUT {n}")), format!("JOB {job}"));
    }
    let mut other = Client::connect(&service);
    for job in 0..60 {
        let expected = if job % 10 == 9 {
            "ERROR failed 3 times"
        } else {
            "OK 76127"
        };
        assert_eq!(other.ask(&format!("GET {job}")), expected, "job {job}");
    }
    assert_eq!(client.ask("GET 60"), "ERROR there is no job 60, or not any more");
    assert_eq!(client.ask("what"), "ERROR say PUT n or GET job");
    assert_eq!(actors.metrics().total().panics, 18);
    assert_eq!(service.supervisor.children(), 3);
    // Who has no workers any more does not keep others waiting.
    let end = service.queue.ended();
    service.supervisor.stop();
    let reason = end.wait_for(PATIENCE).expect("it ends with its workers");
    assert_eq!(reason, StopReason::Supervisor);
    assert_eq!(client.ask("GET 0"), "ERROR the queue has stopped");
    actors.wait_quiescent();
}

#[test]
fn a_job_too_many_is_refused() {
    let (_actors, service) = open(0);
    let mut client = Client::connect(&service);
    for job in 0..queue::BACKLOG {
        assert_eq!(client.ask("PUT 10"), format!("JOB {job}"));
    }
    assert_eq!(client.ask("PUT 10"), "ERROR 1000 jobs wait; try again later");
}

#[test]
fn the_oldest_results_are_forgotten() {
    let (_actors, service) = open(1);
    let mut client = Client::connect(&service);
    for job in 0..=queue::KEPT {
        assert_eq!(client.ask("PUT 10"), format!("JOB {job}"));
        assert_eq!(client.ask(&format!("GET {job}")), "OK 17");
    }
    assert_eq!(client.ask("GET 0"), "ERROR there is no job 0, or not any more");
    assert_eq!(client.ask("GET 1"), "OK 17");
}

#[test]
fn a_line_that_does_not_end_is_refused_and_not_kept() {
    let (actors, service) = open(1);
    let mut client = Client::connect(&service);
    // As long as may be.
    let spaces = " ".repeat(service::LONGEST_LINE - "PUT10".len());
    assert_eq!(client.ask(&format!("PUT{spaces}10")), "JOB 0");
    let refusal = "ERROR the line is too long; send at most 64 bytes";
    let too_long = "x".repeat(service::LONGEST_LINE + 1);
    // Said while the line goes on, and once.
    client.0.get_mut().write_all(too_long.as_bytes()).unwrap();
    assert_eq!(client.hear(), refusal);
    client.0.get_mut().write_all(&[b'x'; 1 << 20]).unwrap();
    client.0.get_mut().write_all(b"\n").unwrap();
    assert_eq!(client.ask("GET 0"), "OK 17");
    // One that never ends does not hold up the end.
    client.0.get_mut().write_all(too_long.as_bytes()).unwrap();
    assert_eq!(client.hear(), refusal);
    service.close(PATIENCE);
    actors.wait_quiescent();
    assert!(actors.shutdown().is_empty());
}

#[test]
fn at_the_end_jobs_that_run_are_finished_and_those_that_wait_given_up() {
    let (actors, service) = open(1);
    let (mut client, mut idle) = (Client::connect(&service), Client::connect(&service));
    assert_eq!(idle.ask("GET 0"), "ERROR there is no job 0, or not any more");
    // The worker is ready after this, so it gets the next one at once.
    assert_eq!(client.ask("PUT 10"), "JOB 0");
    assert_eq!(client.ask("GET 0"), "OK 17");
    let put = |n| service.queue.ask(|reply| queue::QueueMsg::Put { n, reply });
    let put = [300_000, 10, 10, 10].map(put);
    let [running, waiting] = [1, 4].map(|job| service.queue.ask(|reply| queue::QueueMsg::Get { job, reply }));
    let at = service.at;
    assert_eq!(service.close(PATIENCE), 3);
    assert_eq!(put.map(|job| job.wait()), [1, 2, 3, 4].map(|job| Ok(Ok(job))));
    assert_eq!(running.wait(), Ok(Ok(3_709_507_114)));
    let given_up = waiting.wait().unwrap().unwrap_err();
    assert_eq!(given_up, "the queue is closing; try again when it is back");
    for client in [&mut client, &mut idle] {
        assert_eq!(client.hear(), "ERROR the service is closing; connect again later");
        assert_eq!(client.hear(), "");
    }
    assert!(TcpStream::connect(at).is_err());
    let left = actors.shutdown();
    assert!(left.is_empty(), "{left}");
}
