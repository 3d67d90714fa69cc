//! How a process tree is ended: from a polite word to the control group's kill.

/// One rung: what to do, and how long to wait for the tree to be gone before the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// What to do.
    pub action: Action,
    /// How long to wait, ns.
    pub wait_ns: u64,
}

/// What can be done to a process tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Send `stop` over the protocol.
    Stop,
    /// Collect kernel stacks, and send the signal that makes the runtime print a diagnosis.
    Diagnose,
    /// SIGTERM to the process group.
    Terminate,
    /// SIGKILL to the process group and to everything else that belongs to the tree.
    Kill,
}

/// How patient the ladder is, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// After `stop`.
    pub stop_ns: u64,
    /// After the diagnosis signal, in which the runtime prints.
    pub diagnose_ns: u64,
    /// After SIGTERM.
    pub terminate_ns: u64,
    /// After SIGKILL.
    pub kill_ns: u64,
    /// After the runtime's own orderly exit, for helper processes that leave a little later.
    pub helpers_ns: u64,
}

impl Default for Patience {
    fn default() -> Self {
        const SECOND: u64 = 1_000_000_000;
        Patience {
            stop_ns: 2 * SECOND,
            diagnose_ns: SECOND,
            terminate_ns: 2 * SECOND,
            kill_ns: 5 * SECOND,
            helpers_ns: 3 * SECOND,
        }
    }
}

/// Why the tree is to be ended, which decides how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A limit has passed: what it was doing is worth knowing.
    TimedOut,
    /// It misbehaved, or is of no more use.
    Failed,
    /// The user wants it to end now.
    Interrupted,
    /// The runtime has exited and left processes behind.
    Leftovers,
}

/// The rungs for a cause, first to last.
pub fn rungs(cause: Cause, patience: &Patience) -> Vec<Rung> {
    let rung = |action, wait_ns| Rung { action, wait_ns };
    let kill = rung(Action::Kill, patience.kill_ns);
    let terminate = rung(Action::Terminate, patience.terminate_ns);
    match cause {
        Cause::TimedOut => vec![
            rung(Action::Stop, patience.stop_ns),
            rung(Action::Diagnose, patience.diagnose_ns),
            terminate,
            kill,
        ],
        Cause::Failed => vec![rung(Action::Stop, patience.stop_ns), terminate, kill],
        // A user who presses twice waits for at most a quarter of a second of politeness.
        Cause::Interrupted => vec![
            rung(Action::Stop, 0),
            rung(Action::Terminate, patience.terminate_ns.min(250_000_000)),
            kill,
        ],
        Cause::Leftovers => vec![kill],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ladder_ends_with_the_kill() {
        for cause in [
            Cause::TimedOut,
            Cause::Failed,
            Cause::Interrupted,
            Cause::Leftovers,
        ] {
            let rungs = rungs(cause, &Patience::default());
            assert_eq!(rungs.last().unwrap().action, Action::Kill, "{cause:?}");
        }
    }

    #[test]
    fn only_a_time_out_asks_for_a_diagnosis() {
        for cause in [
            Cause::TimedOut,
            Cause::Failed,
            Cause::Interrupted,
            Cause::Leftovers,
        ] {
            let asks = rungs(cause, &Patience::default())
                .iter()
                .any(|r| r.action == Action::Diagnose);
            assert_eq!(asks, cause == Cause::TimedOut, "{cause:?}");
        }
    }

    #[test]
    fn an_interrupt_reaches_the_kill_within_a_second() {
        let rungs = rungs(Cause::Interrupted, &Patience::default());
        let polite: u64 = rungs
            .iter()
            .take_while(|r| r.action != Action::Kill)
            .map(|r| r.wait_ns)
            .sum();
        assert!(polite < 1_000_000_000);
    }
}
