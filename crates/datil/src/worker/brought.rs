//! Tokens that a worker under a policy that routes has brought to others lately, and what it does if one is not seen there.
//!
//! The receiver of a message belongs into the queue that the policy says. Until its owner has seen the token nobody knows in which, and an owner
//! that is in a handler for long does not look. Whoever has brought the token then handles it in that worker's place, as a thief does. It must
//! not wait for the owner's look: of two workers that write to each other each would wait for the other one, which waits for it.
//! So it goes on, looks again between activations, and insists only if the owner was silent for long; or at once where its own activations
//! take so long that what waits would otherwise wait for the next of them as well.

use std::cell::Cell;

use datil_policy::{Nanos, Policy};

use super::core::Core;
use super::port::{ABSENT, ABSENT_LOCKED, Port, RUNNING};
use super::run::Worker;
use crate::atomic::Ordering::Relaxed;
use crate::membarrier;
use crate::sync::spin_loop;

/// An owner that has not looked for so long may be in a handler that takes long; short ones take a hundredth of that.
const SILENCE: Nanos = 5_000;
/// Looks whether an owner that was silent begins an activation after all: a microsecond or more.
const LAST_LOOKS: u32 = 100;
/// Activations between two looks, but for the first: by then the line that tells has mostly travelled to the owner, and need not travel for
/// each token. Where an activation takes as long as an owner may be silent there is one.
const EVERY: u32 = 16;
/// Activations that take so long are a hundred times as long as to insist. A worker that has them does so before the next one begins: what
/// was brought would else wait for as long as that takes.
const LONG: Nanos = 500_000;

/// To whom a worker has brought tokens that may not have been seen yet.
#[derive(Default)]
pub(crate) struct Brought {
    /// Bit i is for the workers whose index is i, modulo the bits.
    to: Cell<u64>,
    /// When the first of them was brought.
    since: Cell<Nanos>,
    /// Activations until the next look.
    left: Cell<u32>,
    /// Activations of this worker when the first of them was brought.
    activations: Cell<u64>,
    /// The time, and activations, from the first token of those before until the first of these.
    passed: Cell<(Nanos, u64)>,
}

impl Brought {
    /// Notes that a token was brought to the worker with this index, in the activation with this number.
    #[inline]
    pub(super) fn note(&self, index: usize, activation: u64, now: impl FnOnce() -> Nanos) {
        if self.to.get() == 0 {
            let now = now();
            let took = now.saturating_sub(self.since.replace(now));
            let activations = activation.saturating_sub(self.activations.replace(activation));
            self.passed.set((took, activations));
            self.left.set(1);
        }
        self.to.set(self.to.get() | bit(index));
    }

    /// Notes that what was brought to these workers before still waits, and that they may be silent for as long again from now on.
    fn keep(&self, to: u64, activation: u64, now: Nanos) {
        self.to.set(self.to.get() | to);
        self.since.set(now);
        self.activations.set(activation);
    }

    /// Whether something may not have been seen yet.
    pub(super) fn is_waiting(&self) -> bool {
        self.to.get() != 0
    }

    /// How long an activation took lately, with what the worker did or slept in between.
    fn activation(&self) -> Nanos {
        let (took, activations) = self.passed.get();
        took / activations.max(1)
    }

    /// Whether the worker is to look before its next activation.
    #[inline(always)]
    fn is_due(&self) -> bool {
        if !self.is_waiting() {
            return false;
        }
        self.left.set(self.left.get() - 1);
        self.left.get() == 0
    }
}

fn bit(index: usize) -> u64 {
    1 << (index % u64::BITS as usize)
}

impl<P: Policy> Worker<'_, P> {
    /// Sees to what was brought to others, now and then.
    #[inline(always)]
    pub(super) fn see_to_brought(&self) {
        if self.core.brought.is_due() {
            self.look_at_brought();
        }
    }

    #[cold]
    #[inline(never)]
    fn look_at_brought(&self) {
        let brought = &self.core.brought;
        let silent = self.core.unseen();
        brought.to.set(silent);
        if silent == 0 {
            return;
        }
        let activation = brought.activation();
        brought.left.set(if activation < SILENCE { EVERY } else { 1 });
        let was_silent = || self.core.team.now().saturating_sub(brought.since.get()) >= SILENCE;
        if activation >= LONG || was_silent() {
            self.insist_with(silent);
        }
    }

    /// Makes sure that nothing that was brought to others waits unseen behind a handler; for when it has waited for long, or this worker has
    /// nothing else to do.
    pub(super) fn insist_on_brought(&self) {
        let core = self.core;
        if core.brought.is_waiting() {
            self.insist_with(core.unseen());
        }
    }

    /// Insists with these workers; nobody else is left who may not have looked, but for those with whom that is not possible just now.
    fn insist_with(&self, silent: u64) {
        let core = self.core;
        core.brought.to.set(0);
        let mut unheard = 0;
        for (index, port) in core.team.ports.iter().enumerate() {
            if silent & bit(index) != 0 && port.id != core.me && !insist(core, port) {
                unheard |= bit(index);
            }
        }
        if unheard != 0 {
            let activation = core.counters().activations.load(Relaxed);
            core.brought.keep(unheard, activation, core.team.now());
        }
    }
}

impl Core {
    /// Those of the workers to whom something was brought who have not looked since.
    fn unseen(&self) -> u64 {
        let to = self.brought.to.get();
        let ports = self.team.ports.iter().enumerate();
        let unseen = ports.filter(|(index, port)| to & bit(*index) != 0 && port.has_mail());
        unseen.fold(0, |bits, (index, _)| bits | bit(index))
    }
}

/// Handles what has arrived for a worker of our runtime in its place if it is in a handler that takes long. False if that has to be tried again: the worker
/// called the runtime just then, or somebody else acts in its place and may have looked before what we brought had arrived. Where nobody can act for another
/// there is nothing to be tried.
fn insist(core: &Core, owner: &'static Port) -> bool {
    if !membarrier::is_available() {
        return true;
    }
    let activations = || owner.counters.0.activations.load(Relaxed);
    let before = activations();
    for _ in 0..LAST_LOOKS {
        if !owner.has_mail() || activations() != before {
            return true;
        }
        match owner.rest.0.state.load(Relaxed) {
            RUNNING => spin_loop(),
            // It is known to be in one, and nobody else may look there again.
            ABSENT | ABSENT_LOCKED => break,
            // It looks before it rests.
            _ => return true,
        }
    }
    // SAFETY: the other worker is absent and locked by us.
    let insisted = core.with_absent(owner, |other| unsafe { other.receive_absent() });
    insisted.is_some()
}
