//! The laboratory's side of the peer protocol as a pure state machine: bytes in, actions out, no clock and no I/O.

mod line;
mod message;

use std::collections::BTreeMap;

use crate::digits::number_of;
use crate::model::benchmark::{self, Argument, Value, Work};
use crate::model::invocation::{FailureKind, Hello, Order};
use crate::model::linear::Linear;
use crate::model::plan::{IterationRule, Limits};

pub use line::{Lines, MAX_LINE};
pub use message::{End, FailCode, Peer};

/// Clocks may run so much faster than the laboratory's: a virtual machine that corrects its own changes its rate by a
/// hundredth, for one.
const FASTER_CLOCK: u64 = 50;

/// The coarsest unit of a clock, ns. The timed parts follow each other, so all together gain no more than one.
const COARSEST_UNIT_NS: u64 = 10_000_000;

/// What the machine needs to know of an [`Order`].
#[derive(Clone, Debug)]
pub struct Terms {
    reports_as: String,
    benchmark: String,
    parameters: BTreeMap<String, Argument>,
    expect: BTreeMap<String, Value>,
    work: Work,
    messages_plus: String,
    workers: u32,
    iterations: IterationRule,
    limits: Limits,
    count_messages: bool,
}

impl From<&Order> for Terms {
    fn from(order: &Order) -> Self {
        Terms {
            reports_as: order.reports_as.clone(),
            benchmark: order.group.benchmark.clone(),
            parameters: order.parameters.clone(),
            expect: order.expect.clone(),
            work: order.work,
            messages_plus: order.messages_plus.clone(),
            workers: order.workers,
            iterations: order.iterations,
            limits: order.limits,
            count_messages: order.count_messages,
        }
    }
}

/// Where the conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Waits for `hello`.
    Starting,
    /// Waits for `begin`.
    Preparing,
    /// Waits for `end`.
    Running,
    /// Waits for `bye`.
    Leaving,
    /// Waits for the process to exit.
    Exiting,
    /// The verdict is given; whatever the peer says is ignored.
    Over,
}

impl State {
    /// Its name in failures.
    pub fn name(self) -> &'static str {
        match self {
            State::Starting => "starting",
            State::Preparing => "preparing",
            State::Running => "running",
            State::Leaving | State::Exiting => "leaving",
            State::Over => "over",
        }
    }

    /// What it waits for, for messages.
    fn awaits(self) -> &'static str {
        match self {
            State::Starting => "`hello`",
            State::Preparing => "`begin`",
            State::Running => "`end`",
            State::Leaving => "`bye`",
            State::Exiting | State::Over => "its exit",
        }
    }
}

/// What the driver has to do, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The peer has greeted and is what was asked for.
    Greeted(Box<Hello>),
    /// Send this line, which carries its line end.
    Send(String),
    /// The timed region begins: take CPU time.
    Began,
    /// An iteration is complete and verified: take CPU time and memory.
    Ended(Box<End>),
    /// The peer is about to exit and still alive: take what dies with it.
    Farewell,
    /// The conversation is over.
    Decided(Verdict),
}

/// How a conversation ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// As it should.
    Ok,
    /// The runtime cannot do this.
    Unsupported(String),
    /// It went wrong.
    Failed(FailureKind, String),
}

/// How the peer's process ended.
pub use crate::drive::sys::Exit;

/// One conversation.
#[derive(Debug)]
pub struct Conversation {
    terms: Terms,
    state: State,
    lines: Lines,
    iteration: u32,
    timed_ns: u64,
    /// Decided, but the peer is still to leave politely.
    settled: Option<Verdict>,
}

impl Conversation {
    /// A conversation that waits for `hello`.
    pub fn new(terms: Terms) -> Self {
        Conversation {
            terms,
            state: State::Starting,
            lines: Lines::default(),
            iteration: 0,
            timed_ns: 0,
            settled: None,
        }
    }

    /// Where it is.
    pub fn state(&self) -> State {
        self.state
    }

    /// How long this state may last, ns. It starts anew with every action that is returned.
    pub fn limit_ns(&self) -> u64 {
        match self.state {
            State::Starting | State::Preparing => self.terms.limits.start_ns,
            State::Running => self.terms.limits.iteration_ns,
            State::Leaving | State::Exiting | State::Over => self.terms.limits.leave_ns,
        }
    }

    /// A failure if the timed parts together are longer than the `lived_ns` that the process has been there.
    pub fn outlived(&mut self, lived_ns: u64) -> Option<Verdict> {
        let most_ns = lived_ns + lived_ns / FASTER_CLOCK + COARSEST_UNIT_NS;
        if self.timed_ns <= most_ns {
            return None;
        }
        let message = format!(
            "{}: reports a `wall_ns` with which its iterations of {} have taken {} s, {} s after its start",
            self.terms.reports_as,
            self.terms.benchmark,
            seconds(self.timed_ns),
            seconds(lived_ns)
        );
        Some(self.fail(FailureKind::Protocol, message))
    }

    /// Bytes from descriptor 3.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.state == State::Over {
            return actions;
        }
        self.lines.push(bytes);
        while self.state != State::Over {
            match self.lines.take() {
                Ok(Some(line)) => self.line(&line, &mut actions),
                Ok(None) => break,
                Err(line::TooLong) => {
                    let message = format!("sent a line of more than {} MiB", MAX_LINE >> 20);
                    self.violate(&message, &mut actions);
                }
            }
        }
        actions
    }

    /// Descriptor 3 was closed by a process that lives on.
    pub fn closed(&mut self) -> Verdict {
        let message = format!(
            "closed descriptor 3 while the laboratory waited for {}",
            self.state.awaits()
        );
        self.fail(FailureKind::Protocol, self.about(&message))
    }

    /// The state's limit has passed.
    pub fn expired(&mut self) -> Verdict {
        if let Some(verdict) = self.settled.take() {
            self.state = State::Over;
            return verdict;
        }
        let limit_ns = self.limit_ns();
        let message = self.about(&format!(
            "did not come to {} within {} s{}",
            self.state.awaits(),
            seconds(limit_ns),
            self.unfinished()
        ));
        let state = self.state.name().to_owned();
        self.fail(FailureKind::TimedOut { state, limit_ns }, message)
    }

    /// The process has ended, and everything that it had sent has been fed.
    pub fn exited(&mut self, exit: Exit) -> Verdict {
        if self.state == State::Exiting && exit.status == Some(0) {
            self.state = State::Over;
            return self.settled.take().unwrap_or(Verdict::Ok);
        }
        if let Some(verdict) = self.settled.take() {
            self.state = State::Over;
            return verdict;
        }
        let Exit { status, signal } = exit;
        let how = match (status, signal) {
            (Some(status), _) => format!("exited with status {status}"),
            (_, Some(signal)) => format!("was ended by signal {signal}{}", signal_name(signal)),
            (None, None) => "ended in an unknown way".to_owned(),
        };
        let when = match self.state {
            State::Exiting => "after `bye`; the status must be 0".to_owned(),
            state => format!("while the laboratory waited for {}", state.awaits()),
        };
        let message = self.about(&format!("{how} {when}{}", self.unfinished()));
        self.fail(FailureKind::Crashed { status, signal }, message)
    }

    fn line(&mut self, line: &[u8], actions: &mut Vec<Action>) {
        let peer = match message::parse(line) {
            Ok(peer) => peer,
            Err(message) => return self.violate(&message, actions),
        };
        match (self.state, peer) {
            (State::Starting, Peer::Hello(protocol, hello)) => self.hello(protocol, hello, actions),
            (State::Preparing, Peer::Begin) => {
                self.state = State::Running;
                actions.push(Action::Began);
            }
            (State::Running, Peer::End(end)) => self.end(end, actions),
            (State::Preparing | State::Running, Peer::Fail(code, message)) => {
                self.failed(code, message, actions)
            }
            (State::Leaving, Peer::Bye) => {
                self.state = State::Exiting;
                actions.push(Action::Farewell);
            }
            (state, peer) => {
                let message = format!(
                    "sent `{}` while the laboratory waited for {}",
                    peer.name(),
                    state.awaits()
                );
                self.violate(&message, actions);
            }
        }
    }

    fn hello(&mut self, protocol: i64, hello: Box<Hello>, actions: &mut Vec<Action>) {
        if let Err((kind, message)) = self.accept(protocol, &hello) {
            let message = self.about(&message);
            let verdict = self.fail(kind, message);
            return actions.push(Action::Decided(verdict));
        }
        let lacks = if !hello.benchmarks.contains(&self.terms.benchmark) {
            Some(format!(
                "{} does not list {} among its benchmarks",
                hello.runtime, self.terms.benchmark
            ))
        } else if self.terms.count_messages && !hello.capabilities.iter().any(|c| c == "count-messages") {
            Some(format!("{} cannot count messages", hello.runtime))
        } else {
            None
        };
        actions.push(Action::Greeted(hello));
        match lacks {
            Some(reason) => self.leave(Some(Verdict::Unsupported(reason)), actions),
            None => self.run(actions),
        }
    }

    fn accept(&self, protocol: i64, hello: &Hello) -> Result<(), (FailureKind, String)> {
        if protocol != 1 {
            return Err((
                FailureKind::Protocol,
                format!("speaks protocol {protocol}; this laboratory speaks 1"),
            ));
        }
        if hello.runtime != self.terms.reports_as {
            let message = format!(
                "calls itself {:?} in `hello`; its manifest says {:?}",
                hello.runtime, self.terms.reports_as
            );
            return Err((FailureKind::Protocol, message));
        }
        let (asked, uses) = (self.terms.workers, hello.workers);
        if uses != asked {
            let told = number_of(asked as usize, "worker");
            let message = format!("was told to use {told} and reports {uses}");
            return Err((FailureKind::Workers { asked, uses }, message));
        }
        Ok(())
    }

    fn end(&mut self, end: Box<End>, actions: &mut Vec<Action>) {
        if let Err(mismatch) = benchmark::verify(&self.terms.expect, &end.fields) {
            let message = self.about(&format!("returned a wrong result: {mismatch}"));
            let kind = FailureKind::WrongResult {
                iteration: self.iteration,
                mismatch,
            };
            let verdict = self.fail(kind, message);
            return actions.push(Action::Decided(verdict));
        }
        if let Some(field) = benchmark::unknown(&self.terms.expect, &end.fields) {
            let message = format!("returned the check `{field}`, which the benchmark does not have");
            return self.violate(&message, actions);
        }
        if self.terms.count_messages {
            return self.counted(end, actions);
        }
        self.timed_ns = self.timed_ns.saturating_add(end.wall_ns);
        self.iteration += 1;
        actions.push(Action::Ended(end));
        if enough(&self.terms.iterations, self.iteration, self.timed_ns) {
            self.leave(None, actions);
        } else {
            self.run(actions);
        }
    }

    /// Counting is asked for once; its time means nothing.
    fn counted(&mut self, end: Box<End>, actions: &mut Vec<Action>) {
        let expected = match self.expected_work(&end) {
            Ok(expected) => expected,
            Err(message) => return self.violate(&message, actions),
        };
        match end.work {
            Some(counted) if agree(counted, expected) => {
                actions.push(Action::Ended(end));
                self.leave(None, actions);
            }
            Some(counted) => {
                let message = self.about(&format!(
                    "counted {}; the catalogue says {}",
                    in_words(counted),
                    in_words(expected)
                ));
                let verdict = self.fail(FailureKind::WrongWork { expected, counted }, message);
                actions.push(Action::Decided(verdict));
            }
            None => self.violate("was asked to count messages and sent no `work`", actions),
        }
    }

    /// The fixed work and what this iteration's own metrics add to it.
    fn expected_work(&self, end: &End) -> Result<Work, String> {
        let Work { actors, messages } = self.terms.work;
        let (Some(fixed), false) = (messages, self.terms.messages_plus.is_empty()) else {
            return Ok(self.terms.work);
        };
        let plus = Linear::parse(&self.terms.messages_plus).map_err(|e| format!("cannot be checked: {e}"))?;
        let whole = |x: f64| {
            if x.fract() == 0.0 {
                Value::Int(x as i64)
            } else {
                Value::Float(x)
            }
        };
        let value = |name: &str| {
            let metric = end.metrics.get(name).map(|x| whole(*x));
            let field = || end.fields.get(name).copied();
            let parameter = || self.terms.parameters.get(name).and_then(Argument::number);
            metric.or_else(field).or_else(parameter)
        };
        let plus = plus.value(value).map_err(|name| {
            format!("was asked to count messages and did not report `{name}`, on which their number depends")
        })?;
        let messages = match plus {
            Value::Int(plus) => fixed.checked_add_signed(plus),
            Value::Float(_) => None,
        };
        match messages {
            Some(_) => Ok(Work { actors, messages }),
            None => Err(format!(
                "reports numbers from which {fixed} + {} = {fixed} + {plus} messages would follow",
                self.terms.messages_plus
            )),
        }
    }

    fn failed(&mut self, code: FailCode, message: String, actions: &mut Vec<Action>) {
        match code {
            FailCode::Unsupported => self.leave(Some(Verdict::Unsupported(message)), actions),
            FailCode::BadParameter => {
                let message = self.about(&format!("refused the parameters: {message}"));
                self.leave(Some(Verdict::Failed(FailureKind::BadParameter, message)), actions);
            }
            FailCode::Failed => {
                let message = self.about(&format!("reports a failure: {message}"));
                let verdict = self.fail(FailureKind::Assertion, message);
                actions.push(Action::Decided(verdict));
            }
        }
    }

    fn run(&mut self, actions: &mut Vec<Action>) {
        self.state = State::Preparing;
        actions.push(Action::Send(message::run(
            &self.terms.benchmark,
            &self.terms.parameters,
            self.iteration,
            self.terms.count_messages,
        )));
    }

    fn leave(&mut self, verdict: Option<Verdict>, actions: &mut Vec<Action>) {
        self.settled = verdict;
        self.state = State::Leaving;
        actions.push(Action::Send(message::bye()));
    }

    fn violate(&mut self, message: &str, actions: &mut Vec<Action>) {
        let message = self.about(message);
        let verdict = self.fail(FailureKind::Protocol, message);
        actions.push(Action::Decided(verdict));
    }

    fn fail(&mut self, kind: FailureKind, message: String) -> Verdict {
        self.state = State::Over;
        Verdict::Failed(kind, message)
    }

    /// Says who and where, for every message.
    fn about(&self, message: &str) -> String {
        let who = &self.terms.reports_as;
        match self.state {
            State::Starting => format!("{who}: {message}"),
            _ => format!(
                "{who}, {} iteration {}: {message}",
                self.terms.benchmark, self.iteration
            ),
        }
    }

    fn unfinished(&self) -> String {
        match self.lines.unfinished() {
            0 => String::new(),
            n => format!(
                ", in the middle of a line ({} of it had arrived)",
                number_of(n, "byte")
            ),
        }
    }
}

/// Ends the peer in whatever state it is.
pub fn stop() -> String {
    message::stop()
}

/// Whether an invocation has made enough iterations, of which the timed parts add up to `timed_ns`.
pub fn enough(rule: &IterationRule, done: u32, timed_ns: u64) -> bool {
    done >= rule.max || timed_ns > rule.ceiling_ns || (done >= rule.min && timed_ns >= rule.floor_ns)
}

/// Whether the counted work is the expected one, as far as anything is expected.
fn agree(counted: Work, expected: Work) -> bool {
    counted.actors == expected.actors
        && (expected.messages.is_none() || counted.messages == expected.messages)
}

fn in_words(work: Work) -> String {
    let actors = number_of(work.actors as usize, "actor");
    match work.messages {
        Some(messages) => format!("{actors} and {}", number_of(messages as usize, "message")),
        None => actors,
    }
}

/// Nanoseconds as seconds for people, without noise digits.
fn seconds(ns: u64) -> f64 {
    (ns as f64 / 1e6).round() / 1e3
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGABRT => " (SIGABRT: it aborted)",
        libc::SIGSEGV => " (SIGSEGV: invalid memory access)",
        libc::SIGBUS => " (SIGBUS)",
        libc::SIGILL => " (SIGILL: illegal instruction)",
        libc::SIGFPE => " (SIGFPE)",
        libc::SIGKILL => " (SIGKILL: somebody killed it, perhaps for want of memory)",
        libc::SIGTERM => " (SIGTERM)",
        libc::SIGTRAP => " (SIGTRAP)",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
