//! What comes from outside, through the runtime's inbox: who takes the records, waits for more, and watches that somebody does.

use crate::atomic::Ordering::{AcqRel, Relaxed};

use datil_policy::Policy;

use super::port::{LOOK, WATCH};
use super::rest::PATIENCE;
use super::run::Worker;
use crate::sync::{Instant, spin_loop, thread};

/// Rounds of [`ROUND`] polls that the worker which took the last records from the inbox waits for more before it goes to rest: about
/// as long as waking it would take.
const LINGER: u32 = 64;
/// Round of waiting for more in which a worker that has taken no more than [`FEW`] records gives its processor up for a moment: whoever sent them may
/// share it, and wait for the answer.
const GIVE_WAY: u32 = 3;
/// So few records come from threads that may wait for answers; more are a stream.
const FEW: u32 = 4;
/// Polls in a round, about a third of a microsecond.
const ROUND: u32 = 8;
/// Times that a watching worker finds nothing new before it sleeps for good.
const WATCHES: u32 = 16;

/// What a watching worker saw of the inbox.
#[derive(Default)]
pub(super) struct Seen {
    position: Option<u64>,
    /// Looks in a row without anything new.
    silent: u32,
}

impl<P: Policy> Worker<'_, P> {
    /// Answers a sender that has woken this worker: it looks at the inbox anyway, now that it is at work.
    #[cold]
    pub(super) fn answer(&self) {
        let core = self.core;
        // As it is now: somebody may have asked this worker to watch since it looked, and does so once.
        let request = core.port.request.fetch_and(!(LOOK | WATCH), AcqRel);
        if request & WATCH != 0 {
            core.watches.set(true);
        }
        // It may have been made the guard, too.
        core.errand.set(true);
        // Or the guard has found that somebody waits for work while this worker, whose handlers take long, does not look around.
        core.look_at.set(0);
    }

    /// Takes records from the inbox when there is nothing else to do. The worker that took the last ones waits for more; false if there
    /// are none.
    pub(super) fn linger(&self) -> bool {
        let core = self.core;
        let took = core.took.replace(0);
        let rounds = if took > 0 {
            LINGER
        } else {
            core.pace_at_rest.reset();
            1
        };
        for round in 0..rounds {
            if round == GIVE_WAY && took <= FEW {
                thread::yield_now();
            }
            if core.pace_at_rest.is_due() && core.inbox.has_mail() {
                let records = self.take_in();
                core.pace_at_rest.found(records);
                if records > 0 {
                    core.took.set(records);
                    return true;
                }
            }
            if core.port.has_mail() || core.port.request.load(Relaxed) != 0 {
                return false;
            }
            (0..ROUND).for_each(|_| spin_loop());
        }
        false
    }

    /// Takes records from the inbox, if that is up to this worker or nobody gets anywhere with it; returns how many.
    pub(super) fn take_in(&self) -> u32 {
        let core = self.core;
        let inbox = core.inbox;
        if P::ROUTES && core.has_forwarded_enough() {
            return 0;
        }
        let drain = || {
            if P::ROUTES {
                core.origin.set(0);
            }
            self.policy().interrupted();
            let records = inbox.drain(core);
            core.origin.set(core.me);
            records
        };
        if inbox.is_kept_by(core.me) {
            return drain();
        }
        let (position, _) = inbox.progress();
        match core.kept_waiting.get() {
            Some((before, since)) if before == position => {
                let stuck = since.elapsed() > PATIENCE;
                if stuck { drain() } else { 0 }
            }
            _ => {
                core.kept_waiting.set(Some((position, Instant::now())));
                0
            }
        }
    }

    /// Looks whether the inbox is being emptied; true if this worker should do it.
    pub(super) fn watch(&self, seen: &mut Seen) -> bool {
        let core = self.core;
        let (position, mail) = core.inbox.progress();
        if mail && seen.position == Some(position) {
            // Whoever should take records has not for a while.
            core.inbox.entrust(core.me);
            return true;
        }
        if seen.position.replace(position) == Some(position) {
            seen.silent += 1;
        } else {
            seen.silent = 0;
        }
        if seen.silent >= WATCHES {
            self.stop_watching();
        }
        false
    }

    /// Ends the watch over the inbox, if this worker keeps it.
    #[cold]
    pub(super) fn stop_watching(&self) {
        if self.core.watches.replace(false) {
            self.core.inbox.unwatch();
        }
    }
}
