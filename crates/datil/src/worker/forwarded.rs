//! What a worker under a policy that routes takes out of the inbox for others.
//!
//! *Tokens are gathered* while it takes records, and delivered together when it has taken what it takes at a time: one exchange and one fence for
//! all, in place of one for each in the list of arrivals that the receiver reads meanwhile.
//!
//! *It does not run ahead.* In the inbox records lie in a row; forwarded they are blocks all over memory, which their receiver reaches one
//! after the other. A worker that takes records faster than others handle them fills mailboxes until these leave the caches; from then on each
//! message takes its receiver several times as long, and it never catches up. So records stay where they are while somebody has many messages before
//! him that came from here.

use std::cell::Cell;

use datil_policy::Nanos;

use super::core::Core;
use super::port::{Chain, Port, bump};
use super::routed;
use crate::atomic::Ordering::Relaxed;
use crate::mailbox::cell::Header;

/// A receiver with so many messages before it does not run dry before the next ones arrive, and their blocks fit into its caches.
const ENOUGH: u64 = 4_096;
/// For so long nothing is taken for their sake. Who needs longer is in a handler that takes long or has no processor, or what was meant for it has gone to others.
const PATIENCE: Nanos = 200_000;
/// Each time that was too long, one part of so many is taken off: in the end nobody waits for what the receiver does not have any more.
const REMITTED: u64 = 8;

/// What was forwarded to one worker.
struct Share {
    /// Tokens that are not delivered yet.
    tokens: Cell<Chain>,
    /// Messages since the last time that tokens were delivered.
    messages: Cell<u64>,
    /// Messages that the receiver has still before it, as far as one can tell.
    left: Cell<u64>,
    /// What it had handled in all when that was found out.
    handled: Cell<u64>,
}

impl Share {
    fn new() -> Self {
        Self {
            tokens: Cell::new(Chain::new()),
            messages: Cell::new(0),
            left: Cell::new(0),
            handled: Cell::new(0),
        }
    }

    /// Looks what is left; `handled` is how many messages the receiver has handled in all.
    fn look(&self, handled: u64) {
        let since = handled.saturating_sub(self.handled.replace(handled));
        self.left.set(self.left.get().saturating_sub(since));
    }
}

/// What was forwarded to each worker of the team.
pub(crate) struct Forwarded {
    shares: Box<[Share]>,
    /// Something may be left.
    is_open: Cell<bool>,
    /// Since when records wait.
    waits_since: Cell<Option<Nanos>>,
}

impl Forwarded {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            shares: (0..workers).map(|_| Share::new()).collect(),
            is_open: Cell::new(false),
            waits_since: Cell::new(None),
        }
    }

    fn note(&self, index: usize) {
        let messages = &self.shares[index].messages;
        messages.set(messages.get() + 1);
    }

    /// What was noted is forwarded.
    fn open(&self, index: usize, handled: impl FnOnce() -> u64) {
        let share = &self.shares[index];
        let messages = share.messages.take();
        if messages > 0 {
            share.look(handled());
            share.left.set(share.left.get() + messages);
            self.is_open.set(true);
        }
    }

    /// Whether somebody has so much before him that nothing more should be forwarded yet. `handled` says how many messages a worker has handled in
    /// all, or that it is out of work.
    fn is_enough(&self, handled: impl Fn(usize) -> Option<u64>, now: impl FnOnce() -> Nanos) -> bool {
        let mut most = 0;
        for (index, share) in self.shares.iter().enumerate() {
            if share.left.get() > 0 {
                match handled(index) {
                    Some(handled) => share.look(handled),
                    None => share.left.set(0),
                }
                most = most.max(share.left.get());
            }
        }
        self.is_open.set(most > 0);
        if most <= ENOUGH {
            self.waits_since.set(None);
            return false;
        }
        let now = now();
        let since = self.waits_since.get().unwrap_or(now);
        let waits = now.saturating_sub(since) < PATIENCE;
        self.waits_since.set(Some(if waits { since } else { now }));
        if !waits {
            self.remit();
        }
        waits
    }

    fn remit(&self) {
        for share in &self.shares {
            let left = share.left.get();
            share.left.set(left - left / REMITTED);
        }
    }
}

fn handled(port: &Port) -> u64 {
    port.counters.0.messages.load(Relaxed)
}

impl Core {
    /// Whether this worker takes records from the inbox just now, for a policy that routes.
    #[inline(always)]
    fn forwards(&self) -> bool {
        self.origin.get() == 0
    }

    /// The place of a port in our team; `None` if it is none of a worker: an actor that a thread outside creates is in transit from a port of that thread's.
    #[inline(always)]
    fn index_of(&self, port: &Port) -> Option<usize> {
        let index = port.rest.0.index.load(Relaxed);
        let ours = self.team.ports.get(index)?;
        std::ptr::eq(*ours, port).then_some(index)
    }

    /// Counts a message for another worker, if it comes from the inbox.
    #[inline(always)]
    pub(super) fn note_forwarded(&self, to: &Port) {
        if self.forwards()
            && let Some(index) = self.index_of(to)
        {
            self.forwarded.note(index);
        }
    }

    /// Delivers a token to a worker of our runtime; what comes from the inbox is gathered for [`Core::deliver_gathered`].
    ///
    /// # Safety
    /// We hold the token and hand it over.
    pub(super) unsafe fn deliver_token(&self, cell: *mut Header, to: &Port) {
        if self.forwards()
            && let Some(index) = self.index_of(to)
        {
            let tokens = &self.forwarded.shares[index].tokens;
            let mut gathered = tokens.replace(Chain::new());
            // SAFETY: by the caller.
            unsafe { gathered.add(cell) };
            tokens.set(gathered);
            return;
        }
        // SAFETY: by the caller.
        if unsafe { to.deliver_one(cell) } {
            bump(&self.counters().wakes, 1);
        }
    }

    /// Delivers the tokens that were gathered while records were taken.
    #[inline]
    pub(crate) fn deliver_gathered(&self) {
        if self.forwards() {
            for (index, port) in self.team.ports.iter().enumerate() {
                self.forwarded.open(index, || handled(port));
                let gathered = self.forwarded.shares[index].tokens.replace(Chain::new());
                if port.deliver(gathered) {
                    bump(&self.counters().wakes, 1);
                }
            }
        }
    }

    /// Whether records should stay in the inbox for a while, since others have enough before them that came from here.
    #[inline(always)]
    pub(super) fn has_forwarded_enough(&self) -> bool {
        self.forwarded.is_open.get() && self.is_ahead()
    }

    /// Whether there are records that this worker should take, but not yet.
    pub(super) fn lets_records_wait(&self) -> bool {
        self.inbox.has_mail() && self.inbox.is_kept_by(self.me) && self.has_forwarded_enough()
    }

    #[cold]
    fn is_ahead(&self) -> bool {
        let ports = &self.team.ports;
        let handled = |index: usize| (!routed::is_out_of_work(ports[index])).then(|| handled(ports[index]));
        self.forwarded.is_enough(handled, || self.team.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forward(forwarded: &Forwarded, to: usize, messages: u64, handled: u64) {
        (0..messages).for_each(|_| forwarded.note(to));
        forwarded.open(to, || handled);
    }

    #[test]
    fn records_wait_until_all_receivers_have_little_before_them() {
        let forwarded = Forwarded::new(3);
        let waits = |handled: [u64; 3]| forwarded.is_enough(|index| Some(handled[index]), || 0);
        forward(&forwarded, 1, ENOUGH, 5_000);
        forward(&forwarded, 2, ENOUGH, 70);
        assert!(!waits([0, 5_000, 70]));
        forward(&forwarded, 1, 300, 5_010);
        forward(&forwarded, 2, 100, 70);
        assert!(waits([0, 5_010, 70]), "290 and 100 too many are left");
        assert!(waits([0, 5_299, 170]), "one too many");
        assert!(waits([0, 5_299, 171]), "one too many for the first one");
        assert!(!waits([0, 5_300, 171]));
        assert!(forwarded.is_open.get());
        assert!(!waits([0, 10_000, 10_000]));
        assert!(!forwarded.is_open.get(), "nothing is left to look at");
        // What they have handled on their own account counts for nothing later.
        forward(&forwarded, 1, ENOUGH + 1, 20_000);
        assert!(waits([0, 20_000, 10_000]));
    }

    #[test]
    fn who_is_out_of_work_has_nothing_left() {
        let forwarded = Forwarded::new(2);
        forward(&forwarded, 1, 3 * ENOUGH, 7);
        assert!(forwarded.is_enough(|_| Some(8), || 0));
        assert!(!forwarded.is_enough(|_| None, || 0), "others have taken it away");
        forward(&forwarded, 1, ENOUGH, 9);
        assert!(!forwarded.is_enough(|_| Some(9), || 0));
    }

    #[test]
    fn records_do_not_wait_for_long() {
        let forwarded = Forwarded::new(2);
        let waits_at = |now| forwarded.is_enough(|_| Some(7), || now);
        forward(&forwarded, 1, ENOUGH + 400, 7);
        assert!(waits_at(1_000_000));
        assert!(waits_at(1_000_000 + PATIENCE - 1));
        assert!(!waits_at(1_000_000 + PATIENCE));
        assert!(
            !waits_at(1_000_000 + PATIENCE + 1),
            "an eighth was too much to wait for"
        );
        forward(&forwarded, 1, 9 * ENOUGH, 7);
        assert!(waits_at(9_000_000), "the patience is a new one");
        assert!(waits_at(9_000_000 + PATIENCE / 2));
        let mut now = 9_000_000;
        let gone_on = (0..100).filter(|_| {
            now += PATIENCE;
            !waits_at(now)
        });
        assert_eq!(gone_on.count(), 100, "so it goes on each time");
        assert!(!waits_at(now + 1), "and waits no more");
    }
}
