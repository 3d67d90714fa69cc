//! The Rust side of the peer protocol: JSON lines, one conversation per process (`docs/protocol.md`).

use std::env;
use std::fmt::{self, Display};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::benchmark::{Number, Outcome, Work};
use crate::iteration::{Failure, Order, Program, Record};
use crate::library::{Host, Options};
use crate::runtimes::{LANGUAGE, Runtime, runtime, runtimes};

/// The descriptor on which the laboratory talks to a peer.
pub const DESCRIPTOR: RawFd = 3;

/// The environment variable that holds the number of workers.
pub const WORKERS: &str = "SCOVILLE_WORKERS";

const PROTOCOL: u32 = 1;
/// Labels of how the benchmarks are written, whatever the library: requests are deferred in a queue inside the actor, and
/// big numbers are those of a library in Rust.
const LABELS: [(&str, &str); 2] = [("bignum", "num-bigint"), ("stash", "local")];
const LONGEST_LINE: u64 = 16 << 20;
/// Characters of a line that is told in an error. The laboratory keeps the end of what is printed, and the reason comes before.
const QUOTED: usize = 500;

/// Runs one of the [`runtimes`] as a peer, on descriptor 3, with the workers that `SCOVILLE_WORKERS` asks for.
///
/// To be called at the start of the process, before anything else can open a descriptor. Errors go to standard error.
pub fn main(name: &str, policy: Option<String>) -> ExitCode {
    match converse(name, policy) {
        Ok(Ending::Bye | Ending::Stopped) => ExitCode::SUCCESS,
        // The laboratory has been told why.
        Ok(Ending::Failed) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("scoville peer {name}: {error}");
            ExitCode::from(2)
        }
    }
}

fn converse(name: &str, policy: Option<String>) -> Result<Ending, PeerError> {
    let laboratory = laboratory()?;
    let runtime = runtime(name).ok_or_else(|| {
        let known: Vec<_> = runtimes().iter().map(|runtime| runtime.name).collect();
        PeerError::Usage(format!("no such runtime; known are: {}", known.join(", ")))
    })?;
    let options = runtime.options(workers()?, policy);
    runtime.serve(&options, &mut BufReader::new(&laboratory), &mut &laboratory)
}

/// The connection to the laboratory, on a descriptor of its own that no child inherits.
fn laboratory() -> Result<UnixStream, PeerError> {
    // SAFETY: the descriptor is only duplicated. If it is not open, the duplication fails and nothing else happens.
    let inherited = unsafe { BorrowedFd::borrow_raw(DESCRIPTOR) };
    let stream = inherited.try_clone_to_owned().map(UnixStream::from);
    // Only a connected socket has a peer: a file that something else opened under this number is not mistaken for one.
    stream
        .and_then(|stream| stream.peer_addr().map(|_| stream))
        .map_err(|error| {
            PeerError::Usage(format!(
                "descriptor {DESCRIPTOR} is not a connected socket ({error}); the laboratory starts peers"
            ))
        })
}

fn workers() -> Result<usize, PeerError> {
    let text = env::var(WORKERS).map_err(|error| PeerError::Usage(format!("{WORKERS}: {error}")))?;
    match text.parse() {
        Ok(workers) if workers > 0 => Ok(workers),
        _ => Err(PeerError::Usage(format!(
            "{WORKERS} is {text:?}; it must be an integer of at least 1"
        ))),
    }
}

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With `bye`; the library was shut down in order.
    Bye,
    /// With `stop`; the library was left as it is.
    Stopped,
    /// With a failed iteration; actors may be left over, so that the process should end.
    Failed,
}

/// Why a conversation could not be held or broke off.
#[derive(Debug)]
pub enum PeerError {
    /// The process was started wrongly.
    Usage(String),
    /// The library did not start.
    Start(String),
    /// The other side sent something that is not in the protocol.
    Protocol(String),
    /// The other side is gone.
    Gone,
    /// The connection failed.
    Connection(io::Error),
}

impl Display for PeerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Start(text) => f.write_str(text),
            Self::Protocol(text) => write!(f, "the laboratory broke the protocol: {text}"),
            Self::Gone => f.write_str("the laboratory is gone"),
            Self::Connection(error) => write!(f, "the connection to the laboratory failed: {error}"),
        }
    }
}

impl std::error::Error for PeerError {}

/// What the laboratory sends.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Request {
    Run {
        benchmark: String,
        #[serde(default)]
        parameters: Map<String, Value>,
        #[serde(default)]
        count_messages: bool,
    },
    Bye,
    Stop,
}

/// What the peer sends.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Reply<'a> {
    Hello {
        protocol: u32,
        runtime: &'a str,
        version: &'a str,
        language: &'a str,
        workers: usize,
        gc: &'a str,
        capabilities: Vec<String>,
        labels: Map<String, Value>,
        benchmarks: Vec<&'a str>,
    },
    Begin,
    End {
        wall_ns: u64,
        result: Number,
        #[serde(serialize_with = "as_object")]
        checks: Vec<(&'static str, Number)>,
        #[serde(serialize_with = "as_object", skip_serializing_if = "Vec::is_empty")]
        metrics: Vec<(&'static str, Number)>,
        #[serde(serialize_with = "as_object", skip_serializing_if = "Vec::is_empty")]
        per_actor: Vec<(&'static str, Vec<i64>)>,
        #[serde(skip_serializing_if = "Option::is_none")]
        work: Option<Work>,
    },
    Fail {
        code: FailureCode,
        message: &'a str,
    },
    Bye,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum FailureCode {
    BadParameter,
    Unsupported,
    Failed,
}

fn as_object<V: Serialize, S: Serializer>(
    fields: &[(&'static str, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
}

/// Starts the library `L` and answers the laboratory until it says bye.
pub(crate) fn serve<L: Host>(
    mut programs: Vec<Box<dyn Program<L>>>,
    runtime: &Runtime,
    options: &Options,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<Ending, PeerError> {
    let mut system = L::start(options).map_err(PeerError::Start)?;
    send(output, &hello(runtime, L::workers(&system), &programs))?;
    let as_labelled = runtime.is_as_labelled();

    let ending = loop {
        match receive(input) {
            Ok(Request::Run {
                benchmark,
                parameters,
                count_messages,
            }) => {
                let program = programs.iter_mut().find(|program| program.name() == benchmark);
                let going_on = match (program, &as_labelled) {
                    (Some(_), Err(reason)) => fail(
                        output,
                        FailureCode::Unsupported,
                        &format!("{benchmark}: {reason}"),
                    )?,
                    (Some(program), Ok(())) => {
                        iterate(&mut **program, &mut system, &parameters, count_messages, output)?
                    }
                    (None, _) => fail(
                        output,
                        FailureCode::BadParameter,
                        &format!("{benchmark}: unknown benchmark"),
                    )?,
                };
                if !going_on {
                    break Ok(Ending::Failed);
                }
            }
            Ok(Request::Bye) => {
                send(output, &Reply::Bye)?;
                return Ok(Ending::Bye);
            }
            Ok(Request::Stop) => break Ok(Ending::Stopped),
            Err(error) => break Err(error),
        }
    };
    // To leave at once, in whatever state the actors are, means not to wait for the library's workers.
    mem::forget(system);
    ending
}

fn hello<'a, L: Host>(runtime: &'a Runtime, workers: usize, programs: &[Box<dyn Program<L>>]) -> Reply<'a> {
    let policies = runtime.policies.iter().map(|policy| format!("policy:{policy}"));
    Reply::Hello {
        protocol: PROTOCOL,
        runtime: runtime.name,
        version: runtime.version,
        language: LANGUAGE,
        workers,
        gc: "none",
        capabilities: std::iter::once("count-messages".to_owned())
            .chain(policies)
            .collect(),
        labels: LABELS
            .iter()
            .chain(runtime.labels)
            .map(|(name, value)| ((*name).to_owned(), (*value).into()))
            .collect(),
        benchmarks: programs.iter().map(|program| program.name()).collect(),
    }
}

/// Runs one iteration and reports it. False if the process should end.
fn iterate<L: Host>(
    program: &mut dyn Program<L>,
    system: &mut L::System,
    parameters: &Map<String, Value>,
    count_messages: bool,
    output: &mut dyn Write,
) -> Result<bool, PeerError> {
    let mut begun = Ok(());
    let mut begin = || begun = send(output, &Reply::Begin);
    let order = Order {
        parameters,
        count_messages,
        patience: None,
        begin: &mut begin,
    };
    let ended = program.iterate(system, order);
    begun?;
    match ended {
        Ok(record) => finish(program.name(), record, output),
        Err(Failure::BadParameter(message)) => fail(output, FailureCode::BadParameter, &message),
        Err(Failure::Unsupported(message)) => fail(output, FailureCode::Unsupported, &message),
        Err(Failure::Failed(message)) => fail(output, FailureCode::Failed, &message),
        Err(Failure::TimedOut(_)) => unreachable!("the laboratory is the one that keeps time"),
    }
}

fn finish(benchmark: &str, record: Record, output: &mut dyn Write) -> Result<bool, PeerError> {
    let Record {
        wall,
        outcome:
            Outcome {
                result,
                checks,
                metrics,
                per_actor,
            },
        work,
    } = record;
    let wall_ns = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
    let end = Reply::End {
        wall_ns,
        result,
        checks,
        metrics,
        per_actor,
        work,
    };
    match line(&end) {
        Ok(line) => write(output, &line).map(|()| true),
        Err(error) => fail(
            output,
            FailureCode::Failed,
            &format!("{benchmark}: an outcome cannot be written: {error}"),
        ),
    }
}

/// Reports a failed iteration. False if the process should end.
fn fail(output: &mut dyn Write, code: FailureCode, message: &str) -> Result<bool, PeerError> {
    send(output, &Reply::Fail { code, message })?;
    Ok(matches!(
        code,
        FailureCode::BadParameter | FailureCode::Unsupported
    ))
}

/// What is behind the last end of a line is none: the laboratory went while it wrote.
fn receive(input: &mut dyn BufRead) -> Result<Request, PeerError> {
    let mut line = Vec::new();
    input
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut line)
        .map_err(PeerError::Connection)?;
    if line.pop_if(|last| *last == b'\n').is_none() {
        return Err(if line.len() as u64 == LONGEST_LINE {
            PeerError::Protocol(format!("a line is longer than {LONGEST_LINE} bytes"))
        } else {
            PeerError::Gone
        });
    }
    serde_json::from_slice(&line).map_err(|error| {
        let beginning: String = String::from_utf8_lossy(&line).chars().take(QUOTED).collect();
        PeerError::Protocol(format!("{error} in: {beginning}"))
    })
}

fn send(output: &mut dyn Write, reply: &Reply<'_>) -> Result<(), PeerError> {
    let line = line(reply).map_err(|error| PeerError::Connection(error.into()))?;
    write(output, &line)
}

fn line(reply: &Reply<'_>) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    Ok(line)
}

/// Writes a whole line at once, so that nothing can come in between.
fn write(output: &mut dyn Write, line: &[u8]) -> Result<(), PeerError> {
    output
        .write_all(line)
        .and_then(|()| output.flush())
        .map_err(PeerError::Connection)
}
