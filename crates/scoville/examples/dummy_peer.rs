//! A peer that does no benchmark: it returns what it is told to, behaves or misbehaves as its options say, and takes
//! programmable times. The laboratory's own tests run it; it has no dependency but the protocol.
//!
//! ```text
//! --name NAME          name in hello (dummy)
//! --benchmark NAME     a benchmark in hello (pingpong); may be repeated
//! --workers N          workers in hello instead of SCOVILLE_WORKERS
//! --protocol N         protocol in hello (1)
//! --result N           result of every iteration (42)
//! --checks NAME=N      a check; may be repeated
//! --wrong-at I         the result of iteration I is off by one
//! --work A,M           counted actors and messages
//! --wall-ns N          wall_ns of every iteration instead of what it took
//! --spin-ns N          CPU time of an iteration
//! --steps N            dependent arithmetic in an iteration, which takes what the machine makes of it
//! --sleep-ns N         sleeping time of an iteration
//! --jitter-percent P   iterations vary evenly by up to P per cent
//! --process-jitter-percent P   so does the whole process, once
//! --slow-percent P     everything takes P per cent longer
//! --start-ns N         sleep before hello
//! --fd N               descriptor of the conversation (3)
//! --allocate BYTES     memory touched and held during every iteration
//! --allocate-per-n BYTES   so much more for each of the parameter n
//! --most-n N           exits with status 3 when the parameter n is larger
//! --at STATE           where to misbehave: start, hello, run, begin, end, bye (start)
//! --do WHAT            crash, abort, exit0, exit3, hang, hang-hard, garbage, unknown-type, no-type, half-line,
//!                      huge-line, close, flood, chatter, leak, leak-setsid, leak-daemon, widen, fail-bad-parameter,
//!                      fail-unsupported, fail-failed, early-end, print-signals
//! ```

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::FromRawFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

fn main() {
    let options = Options::parse();
    let mut peer = Peer::connect(options);
    peer.misbehave("start");
    std::thread::sleep(Duration::from_nanos(peer.options.number("start-ns", 0)));
    let hello = peer.hello();
    peer.misbehave("hello");
    peer.send(&hello);
    while let Some(message) = peer.receive() {
        match message["type"].as_str() {
            Some("run") => peer.run(&message),
            Some("bye") => {
                peer.misbehave("bye");
                peer.send(&json!({"type": "bye"}));
                return;
            }
            _ => return,
        }
    }
}

struct Options(BTreeMap<String, Vec<String>>);

impl Options {
    fn parse() -> Self {
        let mut options: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let name = word
                .strip_prefix("--")
                .unwrap_or_else(|| panic!("not an option: {word}"))
                .to_owned();
            let value = words.next().unwrap_or_else(|| panic!("--{name} needs a value"));
            options.entry(name).or_default().push(value);
        }
        Options(options)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.last().map(String::as_str)
    }

    fn number(&self, name: &str, default: u64) -> u64 {
        self.text(name).map_or(default, |text| {
            text.parse().unwrap_or_else(|e| panic!("--{name} {text}: {e}"))
        })
    }
}

struct Peer {
    options: Options,
    lines: BufReader<File>,
    socket: File,
    random: u64,
    /// Factor of the whole process.
    pace: f64,
}

impl Peer {
    fn connect(options: Options) -> Self {
        let fd = options.number("fd", 3) as i32;
        // SAFETY: whoever starts a peer opens this descriptor for it, and nobody else here uses it.
        let socket = unsafe { File::from_raw_fd(fd) };
        let lines = BufReader::new(socket.try_clone().expect("the conversation is open"));
        let mut seed = [0; 8];
        File::open("/dev/urandom")
            .and_then(|mut file| file.read_exact(&mut seed))
            .expect("/dev/urandom");
        let mut peer = Peer {
            options,
            lines,
            socket,
            random: u64::from_le_bytes(seed) | 1,
            pace: 1.0,
        };
        let own = peer.vary("process-jitter-percent");
        peer.pace = own * (1.0 + peer.options.number("slow-percent", 0) as f64 / 100.0);
        peer
    }

    /// A factor drawn evenly around 1.
    fn vary(&mut self, option: &str) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let even = (self.random >> 11) as f64 / (1_u64 << 53) as f64;
        1.0 + (2.0 * even - 1.0) * self.options.number(option, 0) as f64 / 100.0
    }

    fn hello(&self) -> Value {
        let told = std::env::var("SCOVILLE_WORKERS")
            .ok()
            .and_then(|w| w.parse().ok())
            .unwrap_or(1);
        json!({
            "type": "hello",
            "protocol": self.options.number("protocol", 1),
            "runtime": self.options.text("name").unwrap_or("dummy"),
            "version": "1",
            "language": "Rust",
            "workers": self.options.number("workers", told),
            "gc": "none",
            "capabilities": if self.options.text("work").is_some() { vec!["count-messages"] } else { vec![] },
            "labels": {},
            "benchmarks": self.options.0.get("benchmark").cloned().unwrap_or(vec!["pingpong".to_owned()]),
        })
    }

    fn run(&mut self, message: &Value) {
        let iteration = message["iteration"].as_u64().unwrap_or(0);
        self.misbehave("run");
        self.send(&json!({"type": "begin"}));
        self.misbehave("begin");
        let n = message["parameters"]["n"].as_u64().unwrap_or(0);
        if n > self.options.number("most-n", u64::MAX) {
            eprintln!("no more than that");
            std::process::exit(3);
        }
        let start = Instant::now();
        self.work(n);
        let wall_ns = start.elapsed().as_nanos() as u64;
        self.misbehave("end");
        let wrong = self.options.text("wrong-at").and_then(|at| at.parse().ok()) == Some(iteration);
        let mut end = json!({
            "type": "end",
            "wall_ns": self.options.number("wall-ns", wall_ns),
            "result": self.options.number("result", 42) + u64::from(wrong),
            "checks": self.checks(),
            "metrics": {"iteration": iteration},
        });
        if let (Some(work), Some(true)) = (self.options.text("work"), message["count_messages"].as_bool()) {
            let (actors, messages) = work.split_once(',').expect("--work A,M");
            end["work"] = json!({
                "actors": actors.parse::<u64>().expect("actors"),
                "messages": messages.parse::<u64>().expect("messages"),
            });
        }
        self.send(&end);
    }

    fn checks(&self) -> BTreeMap<String, i64> {
        let pairs = self.options.0.get("checks").into_iter().flatten();
        pairs
            .map(|pair| {
                let (name, value) = pair.split_once('=').expect("--checks NAME=N");
                (name.to_owned(), value.parse().expect("--checks NAME=N"))
            })
            .collect()
    }

    fn work(&mut self, n: u64) {
        let factor = self.pace * self.vary("jitter-percent");
        let scaled = |ns: u64| Duration::from_nanos((ns as f64 * factor) as u64);
        let bytes = self.options.number("allocate", 0) + n * self.options.number("allocate-per-n", 0);
        let held = std::hint::black_box(vec![1_u8; bytes as usize]);
        std::thread::sleep(scaled(self.options.number("sleep-ns", 0)));
        let spin = scaled(self.options.number("spin-ns", 0));
        let start = Instant::now();
        while start.elapsed() < spin {
            std::hint::spin_loop();
        }
        let steps = (self.options.number("steps", 0) as f64 * factor) as u64;
        std::hint::black_box((0..steps).fold(1_u64, |value, _| (value * 1309 + 13849) & 65535));
        drop(held);
    }

    fn send(&mut self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        self.raw(line.as_bytes());
    }

    fn raw(&mut self, bytes: &[u8]) {
        // The laboratory may have hung up in the middle of something that it does not want.
        if self.socket.write_all(bytes).is_err() {
            std::process::exit(1);
        }
    }

    fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.lines.read_line(&mut line) {
            Ok(n) if n > 0 => Some(serde_json::from_str(&line).expect("the laboratory speaks JSON")),
            _ => None,
        }
    }

    fn misbehave(&mut self, state: &str) {
        if self.options.text("at").unwrap_or("start") != state {
            return;
        }
        let Some(what) = self.options.text("do").map(str::to_owned) else {
            return;
        };
        match what.as_str() {
            "crash" => {
                eprintln!("last words on stderr");
                println!("last words on stdout");
                signal("SEGV");
            }
            "abort" => std::process::abort(),
            "exit0" => std::process::exit(0),
            "exit3" => std::process::exit(3),
            "hang" => hang(),
            "hang-hard" => {
                ignore_termination();
                hang()
            }
            "print-signals" => {
                diagnose_on_usr1();
                hang()
            }
            "garbage" => self.raw(b"\x00\xff not a message\n"),
            "unknown-type" => self.send(&json!({"type": "begun"})),
            "no-type" => self.send(&json!({"kind": "begin"})),
            "early-end" => self.send(&json!({"type": "end", "wall_ns": 1, "result": 42})),
            "half-line" => {
                self.raw(b"{\"type\":\"en");
                std::process::exit(1);
            }
            "huge-line" => {
                let chunk = vec![b'x'; 1 << 20];
                for _ in 0..32 {
                    self.raw(&chunk);
                }
                hang()
            }
            "close" => {
                // SAFETY: ends the connection of every copy of the descriptor; touches no memory.
                unsafe { libc::shutdown(3, libc::SHUT_RDWR) };
                hang()
            }
            "flood" => flood(1 << 30),
            "chatter" => {
                println!("{}", "out ".repeat(1000));
                eprintln!("{}", "err ".repeat(1000));
                println!("{{\"type\":\"end\",\"wall_ns\":1,\"result\":7}}");
            }
            "leak" => leak(&["sleep", "1000"]),
            "leak-setsid" => leak(&["setsid", "sleep", "1000"]),
            "leak-daemon" => leak(&["sh", "-c", "(setsid sleep 1000 &) & exit 0"]),
            "widen" => widen(),
            code if code.starts_with("fail-") => {
                let code = code.trim_start_matches("fail-").to_owned();
                self.send(&json!({"type": "fail", "code": code, "message": "because of the test"}));
                // Back to the loop of messages, as the protocol wants it.
                while let Some(message) = self.receive() {
                    if message["type"] == "bye" {
                        self.send(&json!({"type": "bye"}));
                    }
                    if message["type"] != "run" {
                        std::process::exit(0);
                    }
                }
            }
            other => panic!("--do {other} is unknown"),
        }
    }
}

/// Sends a signal to this process.
fn signal(name: &str) -> ! {
    let number = if name == "SEGV" {
        libc::SIGSEGV
    } else {
        libc::SIGKILL
    };
    // SAFETY: restores the default action, which ends the process; no handler of ours runs.
    unsafe {
        libc::signal(number, libc::SIG_DFL);
        libc::raise(number);
    }
    unreachable!("signal {name} did not end the process")
}

/// Does not read descriptor 3, and so does not see `stop`.
fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

fn ignore_termination() {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe {
        libc::signal(libc::SIGTERM, libc::SIG_IGN);
        libc::signal(libc::SIGINT, libc::SIG_IGN);
    }
}

fn diagnose_on_usr1() {
    extern "C" fn print(_: libc::c_int) {
        const TEXT: &[u8] = b"thread dump of the dummy\n";
        // SAFETY: write is async-signal-safe, and the text is static.
        unsafe { libc::write(2, TEXT.as_ptr().cast(), TEXT.len()) };
    }
    let handler: extern "C" fn(libc::c_int) = print;
    // SAFETY: the handler calls async-signal-safe functions only.
    unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
}

fn flood(bytes: usize) {
    let chunk = vec![b'y'; 1 << 16];
    let mut out = std::io::stdout().lock();
    for _ in 0..bytes / chunk.len() {
        if out.write_all(&chunk).is_err() {
            std::process::exit(1);
        }
    }
}

/// Starts a process and forgets it.
#[expect(clippy::zombie_processes, reason = "not waiting for it is the misbehaviour")]
fn leak(command: &[&str]) {
    Command::new(command[0])
        .args(&command[1..])
        .stdin(Stdio::null())
        .spawn()
        .expect("the test machine has sleep, sh and setsid");
    // A shell in between has to have forked before this process goes on and exits.
    std::thread::sleep(Duration::from_millis(200));
}

/// Allows this process to run everywhere.
fn widen() {
    // SAFETY: `cpu_set_t` is plain bits; the pointer is valid for the call.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        for cpu in 0..1024 {
            libc::CPU_SET(cpu, &mut set);
        }
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}
