//! Tokens that a worker has brought to others lately, and what it does if one is not seen there. See `crates/datil/src/worker/brought.rs`.

use super::Engine;
use super::owners::Arrival;
use crate::machine::{Cycles, Owners};

/// Nanoseconds that a worker's activations take where it insists before it goes on with the next one.
const LONG: u64 = 500_000;

/// The tokens that a worker has brought to others and of which it does not know that they were seen.
#[derive(Default)]
pub(super) struct Brought {
    /// To whom.
    pub(super) to: Vec<u32>,
    /// When the first of them was brought.
    pub(super) since: Cycles,
    /// Activations until it looks again.
    pub(super) left: u32,
    /// Activations of this worker when the first of them was brought.
    activations: u32,
    /// How long one took on average since the first token of those before.
    activation: Cycles,
    /// Since when it has nothing to do but to watch whether they are seen.
    pub(super) watches: Option<Cycles>,
}

impl Engine {
    /// Notes that a worker has brought a token to another one.
    pub(super) fn note_brought(&mut self, me: u32, owner: u32) {
        let (now, worker) = (self.now, &mut self.workers[me as usize]);
        let (tick, brought) = (worker.tick, &mut worker.brought);
        if brought.to.is_empty() {
            let passed = tick.wrapping_sub(brought.activations).max(1);
            brought.activation = now.saturating_sub(brought.since) / Cycles::from(passed);
            (brought.since, brought.activations) = (now, tick);
            (brought.left, brought.watches) = (1, None);
        }
        if !brought.to.contains(&owner) {
            brought.to.push(owner);
        }
    }

    /// Looks now and then whether others have seen what this worker has brought to them, and acts in their place if they were silent for long; returns
    /// what that costs.
    pub(super) fn see_to_brought(&mut self, me: u32, owners: Owners) -> Cycles {
        let brought = &mut self.workers[me as usize].brought;
        if brought.to.is_empty() {
            return 0;
        }
        brought.left = brought.left.saturating_sub(1);
        if brought.left > 0 {
            return 0;
        }
        let silence = self.costs.cycles(owners.silence);
        let (since, activation) = (brought.since, brought.activation);
        brought.left = if activation < silence {
            owners.look_every
        } else {
            1
        };
        let (cost, mut unseen) = self.unseen(me);
        let is_long = activation >= self.costs.cycles(LONG);
        if unseen.is_empty() || !is_long && self.now.saturating_sub(since) < silence {
            self.workers[me as usize].brought.to = unseen;
            return cost;
        }
        // Whether an owner will begin another activation while it is watched is not known yet. One that has been in the same for so long will not.
        let watching = Cycles::from(owners.patience) * Cycles::from(self.costs.poll);
        let begun = since.min(self.now.saturating_sub(watching));
        unseen.retain(|&owner| self.is_in_handler_since(owner, begun));
        cost + watching * unseen.len() as Cycles + self.insist(me, unseen, begun, owners)
    }

    /// The next look of a worker that has nothing to do at those who may not have seen what it has brought to them; returns what that costs, or
    /// nothing if there is nobody to look at. Once it has begun it does not look at what comes for itself until that is clear.
    pub(super) fn watch_brought(&mut self, me: u32, is_called: bool) -> Option<Cycles> {
        let owners = self.settings.machine.owners?;
        let brought = &mut self.workers[me as usize].brought;
        if brought.to.is_empty() || is_called && brought.watches.is_none() {
            return None;
        }
        let since = *brought.watches.get_or_insert(self.now);
        let (cost, mut unseen) = self.unseen(me);
        let patience = Cycles::from(owners.patience) * Cycles::from(self.costs.poll);
        if self.now.saturating_sub(since) >= patience {
            return Some(cost + self.insist(me, unseen, since, owners));
        }
        unseen.retain(|&owner| self.is_in_handler_since(owner, since));
        if unseen.is_empty() {
            self.workers[me as usize].brought.watches = None;
        }
        self.workers[me as usize].brought.to = unseen;
        Some(cost)
    }

    /// Handles what was brought to those who are in a handler for long in their place; returns what that costs.
    fn insist(&mut self, me: u32, silent: Vec<u32>, since: Cycles, owners: Owners) -> Cycles {
        self.workers[me as usize].brought.watches = None;
        let mut cost = 0;
        for owner in silent {
            if self.is_in_handler_since(owner, since) {
                cost += self.step_in(owner, owners) + self.receive(owner, me);
            }
        }
        cost
    }

    /// Takes those to whom a worker has brought something and who have not seen it, and what it costs to look.
    fn unseen(&mut self, me: u32) -> (Cycles, Vec<u32>) {
        let worker = &mut self.workers[me as usize];
        let (pu, mut to) = (worker.pu, std::mem::take(&mut worker.brought.to));
        let mut cost = 0;
        to.retain(|&owner| {
            let other = &self.workers[owner as usize];
            cost += other.door.look(&mut self.memory, pu);
            let mut arrivals = other.arrivals.iter();
            arrivals.any(|&(arrival, from)| from == pu && matches!(arrival, Arrival::Token { .. }))
        });
        (cost, to)
    }

    fn is_in_handler_since(&self, worker: u32, since: Cycles) -> bool {
        let activation = self.workers[worker as usize].activation.as_ref();
        activation.is_some_and(|activation| activation.began <= since)
    }
}
