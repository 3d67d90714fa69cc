//! What is observed of a simulated run.

use serde::Serialize;

/// A run that came to its end. All of it is simulated.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Run {
    /// Virtual time from the driver's first action to the stop of the last actor, in nanoseconds.
    pub makespan: u64,
    /// Time that all workers together were at work, in nanoseconds.
    pub busy: u64,
    /// Time that all workers together had nothing to do, in nanoseconds; with `busy` it is workers times makespan.
    pub idle: u64,
    /// Messages handled: the scheduling events of the literature.
    pub events: u64,
    /// Activations: times that an actor was taken from a queue.
    pub activations: u64,
    /// Queues looked into by thieves.
    pub steal_attempts: u64,
    /// Times that a thief got something: `steals` are more of them, since some policies take several actors at a time.
    pub thefts: u64,
    /// Actors stolen.
    pub steals: u64,
    /// Actors given to idle workers that had not asked.
    pub shares: u64,
    /// Actors that moved to the worker that had written to them; of policies that do not route.
    pub follows: u64,
    /// Times that what two workers had was brought to one of them.
    pub reunions: u64,
    /// Lines that came from the unit's own node.
    pub local_lines: f64,
    /// Lines that came from another node.
    pub remote_lines: f64,
    /// Actors queued at a worker that slept.
    pub pushed_to_sleepers: u64,
    /// Workers woken.
    pub wakes: u64,
    /// Threads moved by the operating system.
    pub migrations: u64,
    /// Actors whose first execution was on each node.
    pub first_run: Vec<u64>,
    /// Per link: its ends and the share of the makespan for which it was busy. Ends are nodes, or sockets on machines
    /// wired by sockets.
    pub links: Vec<(usize, usize, f64)>,
    /// Per node: the share of the makespan for which its memory controller was busy.
    pub controllers: Vec<f64>,
}

impl Run {
    /// Share of lines that came from another node; 0 if there were none.
    pub fn remote_share(&self) -> f64 {
        let all = self.local_lines + self.remote_lines;
        if all > 0.0 { self.remote_lines / all } else { 0.0 }
    }

    /// Load of the busiest link.
    pub fn busiest_link(&self) -> f64 {
        self.links.iter().map(|link| link.2).fold(0.0, f64::max)
    }
}
