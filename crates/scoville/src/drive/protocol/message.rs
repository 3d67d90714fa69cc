//! The messages as values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::benchmark::{Argument, Value, Work};
use crate::model::invocation::{GcUse, Hello};

/// From the peer.
#[derive(Clone, Debug, PartialEq)]
pub enum Peer {
    /// Protocol version and greeting.
    Hello(i64, Box<Hello>),
    /// The timed region begins.
    Begin,
    /// An iteration is done.
    End(Box<End>),
    /// An iteration will not be done.
    Fail(FailCode, String),
    /// It will exit now.
    Bye,
}

impl Peer {
    /// Its `type`.
    pub fn name(&self) -> &'static str {
        match self {
            Peer::Hello(..) => "hello",
            Peer::Begin => "begin",
            Peer::End(_) => "end",
            Peer::Fail(..) => "fail",
            Peer::Bye => "bye",
        }
    }
}

/// What an iteration brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// Timed region, ns.
    pub wall_ns: u64,
    /// `result` and checks, as far as they are numbers.
    pub fields: BTreeMap<String, Value>,
    /// Metrics.
    pub metrics: BTreeMap<String, f64>,
    /// Counters by actor.
    pub per_actor: BTreeMap<String, Vec<i64>>,
    /// Counted work.
    pub work: Option<Work>,
    /// The collector's work.
    pub gc: Option<GcUse>,
}

/// Why an iteration will not be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailCode {
    /// A parameter is wrong.
    BadParameter,
    /// The runtime cannot do the benchmark.
    Unsupported,
    /// An assertion was violated.
    Failed,
}

#[derive(Deserialize)]
struct HelloLine {
    protocol: i64,
    #[serde(flatten)]
    hello: Hello,
}

#[derive(Deserialize)]
struct EndLine {
    wall_ns: u64,
    #[serde(default)]
    result: serde_json::Value,
    #[serde(default)]
    checks: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    metrics: BTreeMap<String, f64>,
    #[serde(default)]
    per_actor: BTreeMap<String, Vec<i64>>,
    #[serde(default)]
    work: Option<WorkField>,
    #[serde(default)]
    gc: Option<GcUse>,
}

/// As [`Work`], which the catalogue reads strictly; from a peer unknown fields are ignored.
#[derive(Deserialize)]
struct WorkField {
    actors: u64,
    messages: u64,
}

#[derive(Deserialize)]
struct FailLine {
    code: FailCode,
    message: String,
}

/// Reads one line.
///
/// # Errors
/// What is wrong with it, as the end of a sentence about the peer.
pub fn parse(line: &[u8]) -> Result<Peer, String> {
    let value: serde_json::Value = serde_json::from_slice(line)
        .map_err(|e| format!("sent a line that is not JSON ({e}): {}", excerpt(line)))?;
    let kind = value
        .get("type")
        .and_then(serde_json::Value::as_str)
        .map(str::to_owned);
    let Some(kind) = kind else {
        return Err(format!(
            "sent a line without the string field `type`: {}",
            excerpt(line)
        ));
    };
    let broken = |e: serde_json::Error| {
        format!(
            "sent a message `{kind}` that is not understood ({e}): {}",
            excerpt(line)
        )
    };
    match kind.as_str() {
        "hello" => {
            let HelloLine { protocol, hello } = serde_json::from_value(value).map_err(broken)?;
            Ok(Peer::Hello(protocol, Box::new(hello)))
        }
        "begin" => Ok(Peer::Begin),
        "end" => Ok(Peer::End(Box::new(end(
            serde_json::from_value(value).map_err(broken)?
        )))),
        "fail" => {
            let FailLine { code, message } = serde_json::from_value(value).map_err(broken)?;
            Ok(Peer::Fail(code, message))
        }
        "bye" => Ok(Peer::Bye),
        _ => Err(format!(
            "sent a message of the unknown type {kind:?}: {}",
            excerpt(line)
        )),
    }
}

fn end(line: EndLine) -> End {
    let mut fields: BTreeMap<String, Value> = line
        .checks
        .into_iter()
        .filter_map(|(name, value)| Some((name, number(&value)?)))
        .collect();
    if let Some(result) = number(&line.result) {
        fields.insert("result".to_owned(), result);
    }
    End {
        wall_ns: line.wall_ns,
        fields,
        metrics: line.metrics,
        per_actor: line.per_actor,
        work: line.work.map(|w| Work {
            actors: w.actors,
            messages: Some(w.messages),
        }),
        gc: line.gc,
    }
}

fn number(value: &serde_json::Value) -> Option<Value> {
    value
        .as_i64()
        .map(Value::Int)
        .or_else(|| value.as_f64().map(Value::Float))
}

/// The start of a line for a message, safe to print.
fn excerpt(line: &[u8]) -> String {
    const MOST: usize = 120;
    let begins = &line[..line.len().min(4 * MOST)];
    let text = String::from_utf8_lossy(begins);
    let mut shown = String::new();
    for c in text.chars().take(MOST) {
        // JSON is full of quotes.
        match c {
            '"' | '\'' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    if begins.len() < line.len() || text.chars().count() > MOST {
        shown.push_str("...");
    }
    format!("`{shown}`")
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Lab<'a> {
    Run {
        benchmark: &'a str,
        parameters: &'a BTreeMap<String, Argument>,
        iteration: u32,
        count_messages: bool,
    },
    Bye,
    Stop,
}

/// The line that asks for an iteration.
pub fn run(
    benchmark: &str,
    parameters: &BTreeMap<String, Argument>,
    iteration: u32,
    count_messages: bool,
) -> String {
    line(&Lab::Run {
        benchmark,
        parameters,
        iteration,
        count_messages,
    })
}

/// The line that asks the peer to leave.
pub fn bye() -> String {
    line(&Lab::Bye)
}

/// The line that asks the peer to leave at once.
pub fn stop() -> String {
    line(&Lab::Stop)
}

fn line(message: &Lab<'_>) -> String {
    // Maps with string keys and plain numbers: serialising them cannot fail.
    let mut line = serde_json::to_string(message).expect("a message is plain data");
    line.push('\n');
    line
}
