//! Talks to one process, watches it, and sees to its end.

use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use rustix::process::{Pid, Signal};

use super::Options;
use super::collect::{Ended, Remains};
use super::meter::Meter;
use super::process_tree::Tree;
use crate::drive::Interrupt;
use crate::drive::cgroup::Leaf;
use crate::drive::counters::Counters;
use crate::drive::ladder::{self, Cause};
use crate::drive::launcher::Wiring;
use crate::drive::protocol::{self, Action, Conversation, State, Terms, Verdict};
use crate::drive::tree;
use crate::model::invocation::{FailureKind, Hello, Order};
use crate::probe::sensors::Snapshot;
use crate::schedule::growth;
use crate::tail::Tail;

/// Longest sleep, so that an interrupt is seen soon although it has no descriptor.
const LONGEST_SLEEP_NS: u64 = 250_000_000;

/// The same where the process may not have more than so much memory: at some gigabytes per second a process is ended
/// when it has some hundred megabytes too many.
const MEMORY_SLEEP_NS: u64 = 50_000_000;

/// How long a process that has closed descriptor 3 may take to exit before the closing counts as its own failure.
const CLOSED_GRACE_NS: u64 = 2_000_000_000;

/// How often a dead process' control group is looked at until it is empty.
pub const LOOK_NS: u64 = 2_000_000;

/// Talks to one process and watches it.
pub struct Driver<'a> {
    order: &'a Order,
    options: &'a Options,
    interrupt: &'a Interrupt,
    start: Instant,
    wiring: Wiring,
    conversation: Conversation,
    meter: Meter<'a>,
    hello: Option<Hello>,
    start_ns: Option<u64>,
    tail: Tail,
    unsent: VecDeque<u8>,
    /// When the present state began, by [`now_ns`](Driver::now_ns).
    since_ns: u64,
    /// When descriptor 3 was closed by the other side.
    closed_ns: Option<u64>,
    stdout_open: bool,
    stderr_open: bool,
}

impl<'a> Driver<'a> {
    /// For a process that has just been let go.
    pub fn new(
        order: &'a Order,
        options: &'a Options,
        interrupt: &'a Interrupt,
        start: Instant,
        wiring: Wiring,
        pid: Pid,
        leaf: Option<&'a Leaf>,
    ) -> Self {
        Driver {
            order,
            options,
            interrupt,
            start,
            wiring,
            conversation: Conversation::new(Terms::from(order)),
            meter: Meter::new(pid, leaf, order.count_messages),
            hello: None,
            start_ns: None,
            tail: Tail::default(),
            unsent: VecDeque::new(),
            since_ns: 0,
            closed_ns: None,
            stdout_open: true,
            stderr_open: true,
        }
    }

    /// Since the process was let go, ns.
    pub fn now_ns(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    /// From the first message to an empty tree.
    pub fn drive(&mut self, tree: &mut Tree<'_>) -> Ended {
        let talked = self.converse(tree);
        let mut ended = Ended {
            verdict: Verdict::Ok,
            reaped: None,
            diagnosis: String::new(),
            dirty: false,
            launcher_lost: false,
        };
        match talked {
            Talked::Exited => self.after_exit(tree, &mut ended),
            Talked::Alive(verdict, cause) => {
                ended.verdict = verdict;
                ended.diagnosis = self.climb(tree, cause);
            }
        }
        if !tree.gone() {
            let left = tree.processes().len();
            let message =
                format!("{left} of its processes could not be ended, not even by SIGKILL; end them by hand");
            ended.verdict = Verdict::Failed(FailureKind::Laboratory, message);
            ended.dirty = true;
        }
        if ended.reaped.is_none() {
            self.reap(tree, &mut ended);
        }
        ended
    }

    /// Until the process has exited or must be ended.
    fn converse(&mut self, tree: &mut Tree<'_>) -> Talked {
        loop {
            let deadline_ns = self.since_ns.saturating_add(self.conversation.limit_ns());
            let ready = self.wait(tree, deadline_ns);
            let now_ns = self.now_ns();
            if let Some(verdict) = self.listen(tree, now_ns) {
                return Talked::Alive(verdict, Cause::Failed);
            }
            if ready.process {
                // It may have spoken between the last read and its end.
                return match self.listen(tree, now_ns) {
                    Some(verdict) => Talked::Alive(verdict, Cause::Failed),
                    None => Talked::Exited,
                };
            }
            self.speak();
            self.drain_output();
            if self.tail.total() > self.options.flood {
                return Talked::Alive(self.flooded(), Cause::Failed);
            }
            if let Some(verdict) = self.too_large(tree.pid) {
                return Talked::Alive(verdict, Cause::Failed);
            }
            if self.interrupt.at_once() {
                let message = format!(
                    "{}: ended by the user while {}",
                    self.order.reports_as,
                    self.state_name()
                );
                return Talked::Alive(
                    Verdict::Failed(FailureKind::Interrupted, message),
                    Cause::Interrupted,
                );
            }
            if self
                .closed_ns
                .is_some_and(|closed| now_ns > closed + CLOSED_GRACE_NS)
                && self.conversation.state() != State::Exiting
            {
                return Talked::Alive(self.conversation.closed(), Cause::Failed);
            }
            if now_ns >= self.since_ns.saturating_add(self.conversation.limit_ns()) {
                return Talked::Alive(self.conversation.expired(), Cause::TimedOut);
            }
        }
    }

    fn state_name(&self) -> &'static str {
        self.conversation.state().name()
    }

    /// Whether the process has more resident memory than it may.
    fn too_large(&self, pid: Pid) -> Option<Verdict> {
        let limit = self.order.memory_limit?;
        let resident = tree::resident_bytes(pid).filter(|resident| *resident > limit)?;
        let message = format!(
            "{}: {}, while {}",
            self.order.reports_as,
            growth::too_large(resident, limit),
            self.state_name()
        );
        Some(Verdict::Failed(FailureKind::Memory { limit }, message))
    }

    fn flooded(&self) -> Verdict {
        let limit = self.options.flood;
        let message = format!(
            "{}: wrote more than {} MiB to stdout and stderr while {}; make it say less",
            self.order.reports_as,
            limit >> 20,
            self.state_name()
        );
        Verdict::Failed(FailureKind::Flood { limit }, message)
    }

    /// Reads and answers until there is nothing more to read; a verdict if the conversation came to one.
    fn listen(&mut self, tree: &Tree<'_>, now_ns: u64) -> Option<Verdict> {
        let mut buffer = [0; 64 * 1024];
        while self.closed_ns.is_none() {
            match rustix::net::recv(&self.wiring.conversation, &mut buffer[..], RecvFlags::empty()) {
                Ok((_, 0)) | Err(Errno::CONNRESET) => self.closed_ns = Some(now_ns),
                Ok((_, n)) => {
                    for action in self.conversation.feed(&buffer[..n]) {
                        if let Some(verdict) = self.act(action, tree, now_ns) {
                            return Some(verdict);
                        }
                    }
                    if n < buffer.len() {
                        break;
                    }
                }
                Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
        None
    }

    fn act(&mut self, action: Action, tree: &Tree<'_>, now_ns: u64) -> Option<Verdict> {
        self.since_ns = now_ns;
        match action {
            Action::Greeted(hello) => {
                self.start_ns = Some(now_ns);
                self.hello = Some(*hello);
                self.meter.greeted();
                return self.outside_its_cpus(tree.pid);
            }
            Action::Send(line) => {
                self.meter.before_run();
                self.unsent.extend(line.as_bytes());
                self.speak();
                // What was measured before sending is the laboratory's time, not the peer's.
                self.since_ns = self.now_ns();
            }
            Action::Began => self.meter.began(now_ns),
            Action::Ended(end) => {
                // What has come may be younger than `now_ns`.
                if let Some(verdict) = self.conversation.outlived(self.now_ns()) {
                    return Some(verdict);
                }
                self.meter.ended(now_ns, *end);
            }
            Action::Farewell => {
                self.meter.farewell();
                return self.outside_its_cpus(tree.pid);
            }
            Action::Decided(verdict) => return Some(verdict),
        }
        None
    }

    /// A runtime may bind its threads to some of its CPUs, but not to others.
    fn outside_its_cpus(&self, pid: Pid) -> Option<Verdict> {
        let allowed = tree::allowed_cpus(pid)?;
        let ours: BTreeSet<u32> = self.order.cpus.iter().copied().collect();
        if allowed.is_subset(&ours) {
            return None;
        }
        let message = format!(
            "{}: was bound to the CPUs {:?}, and its threads may run on {:?}; it must not widen its affinity",
            self.order.reports_as, ours, allowed
        );
        let kind = FailureKind::Workers {
            asked: self.order.workers,
            uses: allowed.len() as u32,
        };
        Some(Verdict::Failed(kind, message))
    }

    /// Sends what is waiting, as far as the socket takes it.
    fn speak(&mut self) {
        while !self.unsent.is_empty() {
            let (chunk, _) = self.unsent.as_slices();
            match rustix::net::send(&self.wiring.conversation, chunk, SendFlags::NOSIGNAL) {
                Ok(n) => drop(self.unsent.drain(..n)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                // The peer is gone or has closed its end: that is noticed where it is read.
                Err(_) => self.unsent.clear(),
            }
        }
    }

    fn drain_output(&mut self) {
        let mut buffer = [0; 64 * 1024];
        for (fd, open) in [
            (&self.wiring.stdout, &mut self.stdout_open),
            (&self.wiring.stderr, &mut self.stderr_open),
        ] {
            // A bound, so that one who writes without end does not keep the laboratory from watching the clock.
            for _ in 0..16 {
                match rustix::io::read(fd, &mut buffer[..]) {
                    Ok(0) => {
                        *open = false;
                        break;
                    }
                    Ok(n) => self.tail.push(&buffer[..n]),
                    Err(Errno::INTR) => {}
                    Err(_) => break,
                }
            }
        }
    }

    /// Sleeps until something happens, or the deadline.
    fn wait(&self, tree: &mut Tree<'_>, deadline_ns: u64) -> Ready {
        let longest_ns = match self.order.memory_limit {
            Some(_) => MEMORY_SLEEP_NS,
            None => LONGEST_SLEEP_NS,
        };
        let sleep_ns = deadline_ns.saturating_sub(self.now_ns()).min(longest_ns);
        let mut fds = Vec::with_capacity(4);
        // A dead process stays readable for ever: it would turn the wait into a spin.
        if !tree.dead {
            fds.push(PollFd::new(&tree.pidfd, PollFlags::IN));
        }
        if self.closed_ns.is_none() {
            let write = if self.unsent.is_empty() {
                PollFlags::empty()
            } else {
                PollFlags::OUT
            };
            fds.push(PollFd::new(&self.wiring.conversation, PollFlags::IN | write));
        }
        for (fd, open) in [
            (&self.wiring.stdout, self.stdout_open),
            (&self.wiring.stderr, self.stderr_open),
        ] {
            if open {
                fds.push(PollFd::new(fd, PollFlags::IN));
            }
        }
        let timeout = Timespec {
            tv_sec: 0,
            tv_nsec: sleep_ns as i64,
        };
        // An interrupted or failed poll is one that found nothing: the caller looks at everything anyway.
        let _ = rustix::event::poll(&mut fds, Some(&timeout));
        let process = !tree.dead && fds[0].revents().contains(PollFlags::IN);
        tree.dead |= process;
        Ready { process }
    }

    /// The first process has exited: reap it, judge it, and wait for helpers to leave.
    fn after_exit(&mut self, tree: &mut Tree<'_>, ended: &mut Ended) {
        let exited_ns = self.now_ns();
        while !tree.gone() && self.now_ns() < exited_ns + self.options.patience.helpers_ns {
            self.wait(tree, self.now_ns() + LOOK_NS);
            self.discard_conversation();
            self.drain_output();
            if self.interrupt.at_once() {
                break;
            }
        }
        let left = if tree.gone() {
            0
        } else {
            tree.processes().len() as u32
        };
        if left > 0 {
            self.climb(tree, Cause::Leftovers);
        }
        self.drain_output();
        self.reap(tree, ended);
        let Some(exit) = ended.reaped.as_ref().and_then(|r| r.exit) else {
            ended.verdict = self.lost();
            return;
        };
        ended.verdict = self.conversation.exited(exit);
        if left > 0 && ended.verdict == Verdict::Ok {
            let message = format!(
                "{}: left {left} {} running after its exit; they have been ended",
                self.order.reports_as,
                if left == 1 { "process" } else { "processes" }
            );
            ended.verdict = Verdict::Failed(FailureKind::LeftChildren { count: left }, message);
        }
    }

    fn lost(&self) -> Verdict {
        let message = format!(
            "{}: the launcher is gone and took the process with it",
            self.order.reports_as
        );
        Verdict::Failed(FailureKind::Laboratory, message)
    }

    fn reap(&mut self, tree: &Tree<'_>, ended: &mut Ended) {
        match tree.launcher.reap(tree.pid) {
            Ok(reaped) => ended.reaped = Some(reaped),
            Err(_) => ended.launcher_lost = true,
        }
    }

    /// Ends the tree, rung by rung. Returns the diagnosis, if one was asked for.
    fn climb(&mut self, tree: &mut Tree<'_>, cause: Cause) -> String {
        let mut diagnosis = String::new();
        for rung in ladder::rungs(cause, &self.options.patience) {
            let hurry = self.interrupt.at_once() && rung.action != ladder::Action::Kill;
            let mark = self.tail.total();
            match rung.action {
                ladder::Action::Stop => {
                    self.unsent.extend(protocol::stop().as_bytes());
                    self.speak();
                }
                ladder::Action::Diagnose => {
                    diagnosis = tree::kernel_stacks(tree.pid);
                    if let Some(signal) = self.order.launch.quit.as_deref().and_then(signal_by_name) {
                        let _ = rustix::process::kill_process(tree.pid, signal);
                    } else {
                        continue;
                    }
                }
                ladder::Action::Terminate => tree.signal_group(Signal::TERM),
                ladder::Action::Kill => tree.kill(),
            }
            let deadline_ns = self.now_ns() + if hurry { 0 } else { rung.wait_ns };
            self.wait_gone(tree, deadline_ns, rung.action);
            if rung.action == ladder::Action::Diagnose {
                diagnosis.push_str(&self.tail.since(mark));
            }
            if tree.gone() {
                break;
            }
        }
        diagnosis
    }

    fn wait_gone(&mut self, tree: &mut Tree<'_>, deadline_ns: u64, action: ladder::Action) {
        while !tree.gone() && self.now_ns() < deadline_ns {
            let look_ns = if tree.dead {
                self.now_ns() + LOOK_NS
            } else {
                deadline_ns
            };
            self.wait(tree, look_ns.min(deadline_ns));
            self.discard_conversation();
            self.drain_output();
            if action == ladder::Action::Kill && tree.dead {
                // Without a control group a process may have been forked while the others were being killed.
                tree.kill();
            }
            if self.interrupt.at_once() && action != ladder::Action::Kill {
                break;
            }
        }
    }

    /// The verdict is given; what is still said is read, so that nobody blocks, and thrown away.
    fn discard_conversation(&mut self) {
        let mut buffer = [0; 64 * 1024];
        while self.closed_ns.is_none() {
            match rustix::net::recv(&self.wiring.conversation, &mut buffer[..], RecvFlags::empty()) {
                Ok((_, 0)) | Err(Errno::CONNRESET) => self.closed_ns = Some(self.now_ns()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
    }

    /// What is known once the tree is gone.
    pub fn remains(
        mut self,
        tree: &Tree<'a>,
        ended: Ended,
        counters: &'a Counters,
        before: &'a Snapshot,
    ) -> Remains<'a> {
        let wall_ns = self.now_ns();
        self.drain_output();
        Remains {
            order: self.order,
            hello: self.hello,
            start_ns: self.start_ns,
            wall_ns,
            meter: self.meter,
            output: self.tail.text(),
            ended,
            leaf: tree.leaf,
            counters,
            before,
        }
    }
}

/// What a wait found.
struct Ready {
    /// The first process has just ended.
    process: bool,
}

enum Talked {
    /// The process has ended of itself.
    Exited,
    /// It lives and has to be ended.
    Alive(Verdict, Cause),
}

fn signal_by_name(name: &str) -> Option<Signal> {
    Some(match name {
        "SIGQUIT" => Signal::QUIT,
        "SIGUSR1" => Signal::USR1,
        "SIGUSR2" => Signal::USR2,
        "SIGABRT" => Signal::ABORT,
        "SIGINT" => Signal::INT,
        "SIGHUP" => Signal::HUP,
        _ => return None,
    })
}
