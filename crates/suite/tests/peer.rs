//! The Rust side of the peer protocol, as a process on a socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::{Value, json};
use suite::runtimes;

/// A peer and our end of the conversation.
struct Peer {
    process: Child,
    lines: BufReader<UnixStream>,
}

/// The shell turns the socket that it gets as standard input into descriptor 3.
fn command(arguments: &[&str], workers: &str, redirection: &str) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("exec \"$0\" \"$@\" {redirection} 0</dev/null")])
        .arg(env!("CARGO_BIN_EXE_suite-peer"))
        .args(arguments)
        .env("SCOVILLE_WORKERS", workers)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

impl Peer {
    fn start(arguments: &[&str], workers: &str) -> Self {
        Self::start_with(arguments, workers, &[])
    }

    fn start_with(arguments: &[&str], workers: &str, variables: &[(&str, &str)]) -> Self {
        let (ours, theirs) = UnixStream::pair().expect("a socket pair");
        let process = command(arguments, workers, "3<&0")
            .envs(variables.iter().copied())
            .stdin(OwnedFd::from(theirs))
            .spawn()
            .expect("the peer starts");
        Self {
            process,
            lines: BufReader::new(ours),
        }
    }

    fn tell(&mut self, message: &Value) {
        self.tell_text(&format!("{message}\n"));
    }

    fn tell_text(&mut self, text: &str) {
        self.lines
            .get_mut()
            .write_all(text.as_bytes())
            .expect("the peer reads");
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("the peer writes");
        assert!(line.ends_with('\n'), "an unfinished line: {line:?}");
        serde_json::from_str(&line).expect("a line of JSON")
    }

    fn hears_nothing_more(&mut self) {
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).expect("the peer closes");
        assert_eq!(rest, "");
    }

    /// How the process ends, with what it printed on standard error.
    fn end(mut self) -> (ExitStatus, String) {
        let status = self.process.wait().expect("the peer ends");
        let mut text = String::new();
        self.process
            .stderr
            .take()
            .expect("piped")
            .read_to_string(&mut text)
            .expect("text");
        (status, text)
    }
}

fn run(benchmark: &str, parameters: Value) -> Value {
    json!({"type": "run", "benchmark": benchmark, "parameters": parameters, "iteration": 0, "count_messages": false})
}

/// Code and reason of a run that was refused.
fn refusal(reply: &Value) -> (&str, &str) {
    let (code, message) = (&reply["code"], &reply["message"]);
    assert_eq!(*reply, json!({"type": "fail", "code": code, "message": message}));
    (code.as_str().expect("a text"), message.as_str().expect("a text"))
}

/// The one that has only the benchmarks in which something is only read.
const QUERIES: &str = "datil-queries";

/// The one that has only the benchmarks in which something is urgent.
const URGENT: &str = "datil-urgent";

#[test]
fn parallel_reads_are_a_variant_of_two_benchmarks() {
    let mut peer = Peer::start(&[QUERIES], "2");
    let hello = peer.hear();
    assert_eq!(hello["runtime"], QUERIES);
    assert_eq!(
        hello["labels"],
        json!({"bignum": "num-bigint", "stash": "local", "rw": "parallel"})
    );
    assert_eq!(hello["benchmarks"], json!(["concdict", "concsll"]));
    let parameters = json!({"workers": 3, "requests": 40, "write_pct": 30, "entries": 50});
    peer.tell(&run("concdict", parameters));
    assert_eq!(peer.hear(), json!({"type": "begin"}));
    let end = peer.hear();
    assert_eq!((&end["type"], &end["result"]), (&json!("end"), &json!(1_979_089)));
    peer.tell(&run("pingpong", json!({"pings": 100})));
    assert_eq!(
        refusal(&peer.hear()),
        ("bad-parameter", "pingpong: unknown benchmark")
    );
    peer.tell(&json!({"type": "bye"}));
    assert_eq!(peer.hear(), json!({"type": "bye"}));
}

#[test]
fn urgent_messages_are_a_variant_of_two_benchmarks() {
    let mut peer = Peer::start(&[URGENT], "2");
    let hello = peer.hear();
    assert_eq!(hello["runtime"], URGENT);
    assert_eq!(
        hello["labels"],
        json!({"bignum": "num-bigint", "stash": "local", "priority": "urgent"})
    );
    assert_eq!(hello["benchmarks"], json!(["astar", "nqueenk"]));
    peer.tell(&run(
        "nqueenk",
        json!({"w": 4, "n": 6, "t": 3, "k": 1_500_000, "p": 10}),
    ));
    assert_eq!(peer.hear(), json!({"type": "begin"}));
    let end = peer.hear();
    assert_eq!((&end["type"], &end["result"]), (&json!("end"), &json!(4)));
    peer.tell(&json!({"type": "bye"}));
    assert_eq!(peer.hear(), json!({"type": "bye"}));
}

/// The one that not every machine can have.
const INTERLEAVED: &str = "datil-interleaved";

/// Memory nodes that this process may use.
fn memory_nodes() -> usize {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let status = read("/proc/self/status");
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Mems_allowed_list:"));
    let [with_memory, allowed] = [
        &read("/sys/devices/system/node/has_memory"),
        allowed.unwrap_or_default(),
    ]
    .map(|list| datil::policy::topology::cpu_list(list).expect("a list of nodes"));
    with_memory.iter().filter(|node| allowed.contains(node)).count()
}

/// It greets everywhere and can run everything; where memory cannot be interleaved it says so instead of measuring.
#[test]
fn interleaved_memory_is_a_variant_that_a_machine_may_refuse() {
    for arguments in [&[INTERLEAVED][..], &[INTERLEAVED, "lgs"]] {
        let mut peer = Peer::start(arguments, "2");
        let hello = peer.hear();
        assert_eq!(hello["runtime"], INTERLEAVED);
        assert_eq!(hello["labels"]["memory"], "interleaved");
        peer.tell(&run("pingpong", json!({"pings": 0})));
        assert_eq!(
            refusal(&peer.hear()).0,
            "bad-parameter",
            "what is wrong anyway comes first"
        );
        for _ in 0..2 {
            peer.tell(&run("pingpong", json!({"pings": 100})));
            let reply = peer.hear();
            if memory_nodes() > 1 && reply["type"] == "begin" {
                assert_eq!(peer.hear()["type"], "end");
                continue;
            }
            let (code, reason) = refusal(&reply);
            assert_eq!(code, "unsupported");
            let cause = if memory_nodes() > 1 {
                "set_mempolicy"
            } else {
                "one memory node"
            };
            assert!(
                reason.starts_with("pingpong: memory is not interleaved: ") && reason.contains(cause),
                "{reason}"
            );
        }
        peer.tell(&json!({"type": "bye"}));
        assert_eq!(peer.hear(), json!({"type": "bye"}));
    }
}

/// Whether the system's loader finds a shared library; where it does not it says so and goes on.
fn can_be_loaded(library: &str) -> bool {
    let output = Command::new("true").env("LD_PRELOAD", library).output();
    output.expect("true runs").stderr.is_empty()
}

/// Under a name that says mimalloc nothing else is measured, whether the library is there or not.
#[test]
fn another_allocator_is_loaded_or_nothing_is_measured() {
    for runtime in runtimes().iter().filter(|runtime| runtime.preload.is_some()) {
        let library = runtime.preload.expect("a library");
        for (variables, is_there) in [
            (vec![], false),
            (vec![("LD_PRELOAD", library)], can_be_loaded(library)),
        ] {
            let mut peer = Peer::start_with(&[runtime.name], "2", &variables);
            let hello = peer.hear();
            assert_eq!(hello["runtime"], runtime.name);
            assert_eq!(hello["labels"]["allocator"], "mimalloc");
            for _ in 0..2 {
                peer.tell(&run("pingpong", json!({"pings": 100})));
                let reply = peer.hear();
                if is_there {
                    assert_eq!(reply["type"], "begin", "{reply}");
                    assert_eq!(peer.hear()["type"], "end");
                    continue;
                }
                let reason = "pingpong: libmimalloc.so.2 is not loaded; \
                    install mimalloc 2 (Debian: apt-get install libmimalloc2.0); \
                    a peer that is started by hand needs LD_PRELOAD=libmimalloc.so.2 besides";
                assert_eq!(refusal(&reply), ("unsupported", reason));
            }
            peer.tell(&json!({"type": "bye"}));
            assert_eq!(peer.hear(), json!({"type": "bye"}));
        }
    }
}

#[test]
fn every_runtime_holds_a_whole_conversation() {
    let partial = [QUERIES, URGENT, INTERLEAVED];
    for runtime in runtimes()
        .iter()
        .filter(|runtime| !partial.contains(&runtime.name) && runtime.preload.is_none())
    {
        let mut peer = Peer::start(&[runtime.name], "2");
        let hello = peer.hear();
        assert_eq!(hello["type"], "hello");
        assert_eq!(hello["protocol"], 1);
        assert_eq!(hello["runtime"], runtime.name);
        assert_eq!(hello["version"], runtime.version);
        assert_eq!(hello["workers"], 2);
        assert_eq!(hello["gc"], "none");
        let labels = match runtime.name {
            "datil-batched" => json!({"bignum": "num-bigint", "stash": "local", "sends": "deferred"}),
            _ => json!({"bignum": "num-bigint", "stash": "local"}),
        };
        assert_eq!(hello["labels"], labels);
        assert!(
            hello["language"]
                .as_str()
                .is_some_and(|language| language.starts_with("Rust 1."))
        );
        let capabilities = hello["capabilities"].as_array().expect("a list");
        assert_eq!(capabilities.len(), 1 + runtime.policies.len());
        assert_eq!(capabilities[0], "count-messages");
        assert_eq!(
            hello["benchmarks"],
            json!([
                "pingpong",
                "threadring",
                "count",
                "fjthrput",
                "fjcreate",
                "fib",
                "chameneos",
                "big",
                "concdict",
                "concsll",
                "bndbuffer",
                "philosopher",
                "barber",
                "cigsmok",
                "logmap",
                "banking",
                "apsp",
                "astar",
                "nqueenk",
                "recmatmul",
                "quicksort",
                "radixsort",
                "filterbank",
                "bitonicsort",
                "sieve",
                "uct",
                "facloc",
                "trapezoid",
                "piprecision",
                "sor",
                "matrixsearch",
                "bigneighbours",
                "chameneosfair",
                "fannkuch",
                "pingping",
                "spawn",
                "pairs",
                "mixed",
                "chat"
            ])
        );

        peer.tell(&run("pingpong", json!({"pings": 100})));
        assert_eq!(peer.hear(), json!({"type": "begin"}));
        let end = peer.hear();
        assert_eq!(
            (&end["type"], &end["result"]),
            (&json!("end"), &json!(5050)),
            "{}",
            runtime.name
        );
        assert_eq!(end["checks"], json!({"pongs": 100}));
        assert!(end["wall_ns"].as_u64().is_some_and(|wall| wall > 0));
        assert!(end.get("work").is_none());

        let mut counted = run("chameneos", json!({"creatures": 5, "meetings": 100}));
        counted["count_messages"] = json!(true);
        counted["a field of the future"] = json!([1]);
        peer.tell(&counted);
        assert_eq!(peer.hear()["type"], "begin");
        let end = peer.hear();
        assert_eq!(end["work"], json!({"actors": 6, "messages": 415}));
        let meetings = end["per_actor"]["meetings"].as_array().expect("a list");
        assert_eq!(meetings.iter().filter_map(Value::as_i64).sum::<i64>(), 200);

        peer.tell(&json!({"type": "bye"}));
        assert_eq!(peer.hear(), json!({"type": "bye"}));
        peer.hears_nothing_more();
        let (status, text) = peer.end();
        assert_eq!((status.code(), text.as_str()), (Some(0), ""), "{}", runtime.name);
    }
}

#[test]
fn floats_have_17_significant_digits() {
    let mut peer = Peer::start(&["tokio"], "1");
    peer.hear();
    peer.tell(&run("fjthrput", json!({"messages": 50, "actors": 7})));
    peer.hear();
    let mut line = String::new();
    peer.lines.read_line(&mut line).expect("the peer writes");
    let sum = line
        .split("\"sum\":")
        .nth(1)
        .and_then(|rest| rest.split('}').next())
        .expect("a sum");
    let digits = sum
        .split('e')
        .next()
        .expect("a mantissa")
        .chars()
        .filter(char::is_ascii_digit)
        .count();
    assert_eq!(digits, 17, "{sum}");
}

#[test]
fn bad_parameters_are_refused_and_the_next_run_works() {
    let mut peer = Peer::start(&["tokio"], "1");
    peer.hear();
    let cases = [
        (run("nonsense", json!({})), "nonsense: unknown benchmark"),
        (
            json!({"type": "run", "benchmark": "pingpong"}),
            "pingpong: parameter pings is missing",
        ),
        (
            run("pingpong", json!({"pings": 1, "z": 1, "a": 1})),
            "pingpong: unknown parameter a",
        ),
        (
            run("pingpong", json!({"pings": "1"})),
            "pingpong: pings is \"1\"; it must be an integer",
        ),
        (
            run("pingpong", json!({"pings": 0})),
            "pingpong: pings is 0; it must be at least 1",
        ),
        (
            run("fib", json!({"index": 46})),
            "fib: index is 46; it must be between 1 and 45",
        ),
        (
            run("big", json!({"pings": 1, "actors": 0})),
            "big: actors is 0; it must be between 1 and 65536",
        ),
        (
            run("chameneos", json!({"creatures": 1, "meetings": -1})),
            "chameneos: creatures is 1; it must be at least 2",
        ),
        (
            run("threadring", json!({"actors": 1, "hops": -1})),
            "threadring: hops is -1; it must be at least 0",
        ),
        (
            run("count", json!({"messages": -1})),
            "count: messages is -1; it must be at least 0",
        ),
        (
            run("fjthrput", json!({"messages": 0, "actors": 1})),
            "fjthrput: messages is 0; it must be at least 1",
        ),
        (
            run("fjcreate", json!({"actors": 0})),
            "fjcreate: actors is 0; it must be at least 1",
        ),
        (
            run(
                "concdict",
                json!({"workers": 3, "requests": 0, "write_pct": 0, "entries": 2}),
            ),
            "concdict: entries is 2; it must be at least 3 (workers)",
        ),
        (
            run(
                "concsll",
                json!({"workers": 3, "requests": 0, "write_pct": 49, "size_pct": 2}),
            ),
            "concsll: size_pct is 2; it must be at most 1 (99 - 2 * write_pct)",
        ),
        (
            run(
                "bndbuffer",
                json!({"buffer": 4, "producers": 4, "consumers": 1, "items": 0, "prod_cost": 0, "cons_cost": 0}),
            ),
            "bndbuffer: buffer is 4; it must be at least 5 (producers + 1)",
        ),
        (
            run(
                "logmap",
                json!({"terms": 0, "series": 1, "start_rate": "fast", "increment": 0}),
            ),
            "logmap: start_rate is \"fast\"; it must be a number",
        ),
    ];
    for (order, message) in cases {
        peer.tell(&order);
        assert_eq!(refusal(&peer.hear()), ("bad-parameter", message));
    }
    peer.tell(&run("count", json!({"messages": 0})));
    assert_eq!(peer.hear()["type"], "begin");
    assert_eq!(peer.hear()["result"], 0);
}

#[test]
fn what_no_library_can_do_is_unsupported_and_the_next_run_works() {
    let mut peer = Peer::start(&["tokio"], "1");
    peer.hear();
    let search = |place| {
        let mut parameters =
            json!({"controllers": 2, "seekers": 3, "size": 16, "jobs": 3, "word": 3, "alphabet": 4});
        parameters["assign"] = json!("continuous");
        parameters["place"] = json!(place);
        run("matrixsearch", parameters)
    };
    peer.tell(&search("roundrobin"));
    let reason =
        "matrixsearch: place is roundrobin, but the library cannot send a woken actor to a chosen worker";
    assert_eq!(refusal(&peer.hear()), ("unsupported", reason));
    peer.tell(&search("far away"));
    let reason = "matrixsearch: place is \"far away\"; it must be one of local, roundrobin";
    assert_eq!(refusal(&peer.hear()), ("bad-parameter", reason));
    peer.tell(&search("local"));
    assert_eq!(peer.hear()["type"], "begin");
    assert_eq!(peer.hear()["result"], 65);
}

#[test]
fn a_crash_fails_the_iteration_and_ends_the_process() {
    let mut peer = Peer::start(&["tokio"], "1");
    peer.hear();
    peer.tell(&run("chameneos", json!({"creatures": i64::MAX, "meetings": 1})));
    assert_eq!(peer.hear()["type"], "begin");
    let fail = peer.hear();
    assert_eq!((&fail["type"], &fail["code"]), (&json!("fail"), &json!("failed")));
    let message = fail["message"].as_str().expect("a text");
    assert!(
        message.starts_with("chameneos: ") && message.contains("capacity overflow"),
        "{message}"
    );
    peer.hears_nothing_more();
    assert_eq!(peer.end().0.code(), Some(1));
}

#[test]
fn a_policy_is_used_or_refused() {
    for policy in ["one", "spread", "dealt"] {
        let mut peer = Peer::start(&["actix", policy], "2");
        assert_eq!(
            peer.hear()["capabilities"],
            json!(["count-messages", "policy:one", "policy:spread", "policy:dealt"])
        );
        peer.tell(&run("big", json!({"pings": 50, "actors": 10})));
        peer.hear();
        assert_eq!(peer.hear()["result"], 2806);
    }

    for (name, policy, text) in [
        ("tokio", "x", "tokio has no policies; start it without --policy x"),
        (
            "actix",
            "x",
            "actix has no policy x; choose one of: one, spread, dealt",
        ),
    ] {
        let mut peer = Peer::start(&[name, policy], "2");
        peer.hears_nothing_more();
        let (status, stderr) = peer.end();
        assert_eq!(
            (status.code(), stderr.trim()),
            (Some(2), format!("scoville peer {name}: {text}").as_str())
        );
    }
}

#[test]
fn stop_ends_it_at_once() {
    let mut peer = Peer::start(&["kameo"], "1");
    peer.hear();
    peer.tell(&json!({"type": "stop"}));
    peer.hears_nothing_more();
    assert_eq!(peer.end().0.code(), Some(0));
}

#[test]
fn a_lost_laboratory_ends_it_at_once() {
    for unfinished in ["", "{\"type\":\"by", "{\"type\":\"bye\"}", "{\"type\":\"stop\"}"] {
        let mut peer = Peer::start(&["ractor"], "1");
        peer.hear();
        peer.tell_text(unfinished);
        peer.lines
            .get_ref()
            .shutdown(Shutdown::Write)
            .expect("a connected socket");
        peer.hears_nothing_more();
        let (status, text) = peer.end();
        assert_eq!(
            (status.code(), text.trim()),
            (Some(2), "scoville peer ractor: the laboratory is gone"),
            "{unfinished}"
        );
    }
}

#[test]
fn nonsense_ends_it_with_a_reason() {
    for (line, reason) in [
        ("what?\n", "expected value"),
        ("{\"type\":\"dance\"}\n", "unknown variant `dance`"),
        (&format!("{}\n", "[".repeat(100_000)), "invalid type: sequence"),
        (&"x".repeat(16 << 20), "longer than 16777216 bytes"),
    ] {
        let mut peer = Peer::start(&["tokio"], "1");
        peer.hear();
        peer.tell_text(line);
        peer.hears_nothing_more();
        let (status, text) = peer.end();
        assert_eq!(status.code(), Some(2));
        assert!(text.len() < 1000, "{} bytes", text.len());
        assert!(
            text.contains("the laboratory broke the protocol") && text.contains(reason),
            "{text}"
        );
    }
}

#[test]
fn a_wrong_start_is_explained() {
    let explained = |mut command: Command, reason: &str| {
        let output = command.stdin(Stdio::null()).output().expect("the peer starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(reason), "{text}");
    };
    explained(
        command(&["tokio"], "1", "3<&-"),
        "descriptor 3 is not a connected socket",
    );
    explained(
        command(&["tokio"], "1", "3</dev/null"),
        "descriptor 3 is not a connected socket",
    );

    for (arguments, workers, reason) in [
        (["dance"], "1", "no such runtime; known are: "),
        (
            ["tokio"],
            "0",
            "SCOVILLE_WORKERS is \"0\"; it must be an integer of at least 1",
        ),
        (["tokio"], "many", "SCOVILLE_WORKERS is \"many\""),
    ] {
        let peer = Peer::start(&arguments, workers);
        let (status, text) = peer.end();
        assert_eq!(status.code(), Some(2));
        assert!(text.contains(reason), "{text}");
    }
}

/// Every library has exactly one plain entry, and nothing but the label-bearing ways of use are variants.
#[test]
fn variants_are_marked() {
    let names = |variant| -> Vec<_> {
        let runtimes = runtimes().iter().filter(|runtime| runtime.variant == variant);
        runtimes.map(|runtime| runtime.name).collect()
    };
    assert_eq!(names(false), ["datil", "tokio", "actix", "ractor", "kameo"]);
    let variants = [
        "datil-batched",
        "datil-interleaved",
        "datil-queries",
        "datil-urgent",
        "datil-mimalloc",
        "tokio-mimalloc",
        "actix-mimalloc",
        "ractor-mimalloc",
        "kameo-mimalloc",
    ];
    assert_eq!(names(true), variants);
    assert!(
        runtimes()
            .iter()
            .all(|runtime| runtime.variant != runtime.labels.is_empty())
    );
}

#[test]
fn versions_are_those_of_the_lock_file() {
    for runtime in runtimes() {
        let parts: Vec<_> = runtime.version.split('.').collect();
        assert_eq!(parts.len(), 3, "{} {}", runtime.name, runtime.version);
        assert!(
            parts.iter().all(|part| part.parse::<u32>().is_ok()),
            "{} {}",
            runtime.name,
            runtime.version
        );
    }
}
