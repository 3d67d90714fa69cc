//! The job queue example, over loopback.

#[path = "../examples/jobs/queue.rs"]
mod queue;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use datil::{Runtime, StopReason};

struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(service: &queue::Service) -> Self {
        let stream = TcpStream::connect(service.at).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    fn ask(&mut self, line: &str) -> String {
        self.0
            .get_mut()
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
        let mut answer = String::new();
        self.0.read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }
}

#[test]
fn jobs_are_done_failures_are_tried_again_and_given_up() {
    let actors = Arc::new(Runtime::builder().workers(2).build().unwrap());
    let service = queue::Service::start(&actors, 3, "127.0.0.1:0".parse().unwrap()).unwrap();
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
    let reason = end
        .wait_for(Duration::from_secs(60))
        .expect("it ends with its workers");
    assert!(matches!(reason, StopReason::Linked(_)), "{reason:?}");
    assert_eq!(client.ask("GET 0"), "ERROR the queue has stopped");
    actors.wait_quiescent();
}

#[test]
fn a_job_too_many_is_refused() {
    let actors = Arc::new(Runtime::builder().workers(1).build().unwrap());
    let service = queue::Service::start(&actors, 0, "127.0.0.1:0".parse().unwrap()).unwrap();
    let mut client = Client::connect(&service);
    for job in 0..queue::BACKLOG {
        assert_eq!(client.ask("PUT 10"), format!("JOB {job}"));
    }
    assert_eq!(client.ask("PUT 10"), "ERROR 1000 jobs wait; try again later");
}

#[test]
fn the_oldest_results_are_forgotten() {
    let actors = Arc::new(Runtime::builder().workers(1).build().unwrap());
    let service = queue::Service::start(&actors, 1, "127.0.0.1:0".parse().unwrap()).unwrap();
    let mut client = Client::connect(&service);
    for job in 0..=queue::KEPT {
        assert_eq!(client.ask("PUT 10"), format!("JOB {job}"));
        assert_eq!(client.ask(&format!("GET {job}")), "OK 17");
    }
    assert_eq!(client.ask("GET 0"), "ERROR there is no job 0, or not any more");
    assert_eq!(client.ask("GET 1"), "OK 17");
}
