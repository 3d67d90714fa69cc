//! What policies with [`Policy::LEARNS`] learn from: how long the messages of a class of actors (those of one type) take.
//!
//! A worker times those activations that its policy asks for and keeps what came out to itself for a while. Then it tells the policy,
//! under the class's lock, which makes of it the class's new profile. Every worker decides with a copy of its own: nobody reads
//! what another one writes more often than every few activations, and there is nothing to wait for on the way of a message.

use crate::atomic::AtomicU32;
use crate::atomic::Ordering::Relaxed;
use std::any::TypeId;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use datil_policy::{Policy, Profile, Sample, Surroundings, Word};

use super::core::Core;
use super::routed::word;
use crate::mailbox::cell::{Header, VTable, flag};
use crate::pool::lock;
use crate::signal::extras;
use crate::sync::{Instant, Mutex};

/// A copy of a class's profile is compared with the original after so many activations of its worker.
const STALE: u64 = 16;
/// Classes of which it is known at once where what is known of them is; a power of two.
const RECENT: usize = 16;
/// Most timed activations that a worker keeps to itself.
const MOST_KEPT: u32 = 64;
/// A message that took longer is told at once: those are rare, and worth knowing.
const LONG: Duration = Duration::from_micros(20);

/// The classes of a runtime, by the type of their actors.
#[derive(Default)]
pub(crate) struct Classes {
    by_type: Mutex<HashMap<TypeId, Arc<Class>>>,
    peculiar: Peculiar,
}

/// How many classes are not plain to the policy ([`Policy::is_plain`]). It changes rarely and is read in every activation, so no line is
/// shared with what changes often.
#[derive(Default)]
#[repr(align(128))]
struct Peculiar(AtomicU32);

impl Classes {
    fn of(&self, table: &VTable) -> Arc<Class> {
        lock(&self.by_type).entry((table.id)()).or_default().clone()
    }

    /// Counts a class whose profile has changed, under its lock: so each change is counted once. Relaxed: who reads it later decides a
    /// little longer by what it knew, as with every profile.
    fn count(&self, was_plain: bool, is_plain: bool) {
        match (was_plain, is_plain) {
            (true, false) => self.peculiar.0.fetch_add(1, Relaxed),
            (false, true) => self.peculiar.0.fetch_sub(1, Relaxed),
            _ => 0,
        };
    }

    /// Whether nothing need be known of any class.
    #[inline(always)]
    fn are_plain(&self, policy: &impl Policy) -> bool {
        // Nobody has counted those of which nothing is known.
        policy.is_plain(&Profile::default()) && self.peculiar.0.load(Relaxed) == 0
    }
}

#[derive(Default)]
struct Class {
    profile: Mutex<Profile>,
    /// Changes with the profile.
    edition: AtomicU32,
}

/// What a worker knows of a class.
struct Known {
    class: Arc<Class>,
    /// What its policy is shown: the profile as it was in the edition, which was last compared at that activation, and what was seen of the
    /// others when the policy last wanted to know.
    shown: Surroundings,
    edition: u32,
    compared_at: u64,
    /// What was not told yet.
    kept: Vec<(Word, Sample)>,
}

impl Known {
    fn new(class: Arc<Class>) -> Self {
        Self {
            class,
            shown: Surroundings::default(),
            // Not the first one.
            edition: u32::MAX,
            // Long ago, however many activations there have been.
            compared_at: u64::MAX / 2,
            kept: Vec::new(),
        }
    }

    #[inline(always)]
    fn refresh(&mut self, activation: u64) {
        if activation.wrapping_sub(self.compared_at) >= STALE {
            self.compare(activation);
        }
    }

    #[cold]
    #[inline(never)]
    fn compare(&mut self, activation: u64) {
        self.compared_at = activation;
        // Relaxed: the number only says that a look under the lock is worth while.
        if self.class.edition.load(Relaxed) != self.edition {
            let profile = lock(&self.class.profile);
            self.shown.profile = *profile;
            self.edition = self.class.edition.load(Relaxed);
        }
    }

    /// Whether what was kept is to be told: the less is known of the class the sooner.
    fn is_full(&self) -> bool {
        let known = self.shown.profile.home.count + self.shown.profile.away.count;
        self.kept.len() >= (1 + known / 8).min(MOST_KEPT) as usize
    }

    /// Tells the policy what was kept.
    fn tell(&mut self, policy: &mut impl Policy, classes: &Classes) {
        let mut profile = lock(&self.class.profile);
        let was_plain = policy.is_plain(&profile);
        for (word, sample) in self.kept.drain(..) {
            *profile = policy.finished(word, sample, *profile);
        }
        classes.count(was_plain, policy.is_plain(&profile));
        self.shown.profile = *profile;
        // Under the lock, so nobody else changes it; that it skips the number that means "never" keeps copies simple.
        self.edition = (self.class.edition.load(Relaxed) + 1) % u32::MAX;
        self.class.edition.store(self.edition, Relaxed);
    }
}

/// Fibonacci hashing: tables of types lie at addresses that differ above the alignment, and the upper bits of the product by all of them.
fn hashed(address: usize) -> u64 {
    (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// What a worker knows, by the address of the table of the class. A type may have several tables.
#[derive(Default)]
struct Library {
    all: Vec<Known>,
    places: HashMap<usize, usize, BuildHasherDefault<ByAddress>>,
    /// Where those are that were asked for last, since that is asked twice in each activation: address, which is never 0, and place, by the upper bits of what
    /// the address is hashed to.
    recent: [(usize, usize); RECENT],
}

impl Library {
    /// What is known of a class; nothing yet, if it is `new`.
    #[inline(always)]
    fn find(&mut self, address: usize, new: impl FnOnce() -> Known) -> &mut Known {
        let recent = (hashed(address) >> (u64::BITS - RECENT.ilog2())) as usize;
        let (of, place) = self.recent[recent];
        let place = if of == address {
            place
        } else {
            self.search(address, recent, new)
        };
        &mut self.all[place]
    }

    #[cold]
    #[inline(never)]
    fn search(&mut self, address: usize, recent: usize, new: impl FnOnce() -> Known) -> usize {
        let place = *self.places.entry(address).or_insert_with(|| {
            self.all.push(new());
            self.all.len() - 1
        });
        self.recent[recent] = (address, place);
        place
    }
}

#[derive(Default)]
struct ByAddress(u64);

impl Hasher for ByAddress {
    fn write(&mut self, _: &[u8]) {
        unreachable!("addresses are hashed as numbers");
    }
    fn write_usize(&mut self, address: usize) {
        self.0 = hashed(address);
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

/// What happens in a timed activation at the moment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watch {
    /// It is not timed.
    Off,
    /// The handler computes.
    Runs,
    /// Something is done that is no part of what the message costs.
    Stopped,
}

/// What a worker has learned, and the activation that it times.
pub(crate) struct Lessons {
    /// The policy learns here, at the moment.
    on: Cell<bool>,
    /// Apart, for a core has little room.
    known: RefCell<Box<Library>>,
    watch: Cell<Watch>,
    /// Time that passed while the watch stood.
    aside: Cell<Duration>,
}

impl Default for Lessons {
    fn default() -> Self {
        Self {
            on: Cell::new(false),
            known: RefCell::default(),
            watch: Cell::new(Watch::Off),
            aside: Cell::new(Duration::ZERO),
        }
    }
}

impl Lessons {
    /// Says whether the policy learns here, before anything runs or between two activations.
    pub(super) fn set(&self, learns: bool) {
        self.on.set(learns);
    }
}

/// A timed activation.
pub(super) struct Timed {
    table: &'static VTable,
    word: Word,
    at_home: bool,
    /// Messages that the worker had handled before.
    messages: u64,
    began: Instant,
}

impl Core {
    /// Whether the policy learns here, at the moment.
    #[inline(always)]
    pub(super) fn learns(&self) -> bool {
        self.showcase.lessons.on.get()
    }

    /// Whether the policy need know nothing of any class of actors.
    #[inline(always)]
    pub(super) fn all_are_plain(&self, policy: &impl Policy) -> bool {
        self.team.classes.are_plain(policy)
    }

    /// Does something with what is known of an actor's class, which may be changed but for the profile.
    ///
    /// # Safety
    /// The caller owns the actor, or has locked its worker.
    #[inline(always)]
    pub(super) unsafe fn with_surroundings<R>(
        &self,
        header: &Header,
        use_it: impl FnOnce(&mut Surroundings) -> R,
    ) -> R {
        // SAFETY: by the caller.
        let table = unsafe { extras::plain_table(header) };
        self.with_known(table, |known| use_it(&mut known.shown))
    }

    #[inline(always)]
    fn with_known<R>(&self, table: &'static VTable, use_it: impl FnOnce(&mut Known) -> R) -> R {
        let mut all = self.showcase.lessons.known.borrow_mut();
        let known = all.find(ptr::from_ref(table).addr(), || {
            Known::new(self.team.classes.of(table))
        });
        known.refresh(self.counters().activations.load(Relaxed));
        use_it(known)
    }

    /// Whether the policy wants the activation of an actor of ours timed. An actor's start is not: it says nothing about messages.
    #[inline(always)]
    pub(super) fn is_to_be_timed(&self, header: &Header, policy: &mut impl Policy) -> bool {
        self.showcase.lessons.watch.set(Watch::Off);
        let starts = header.flags.get() & flag::UNSTARTED != 0;
        if starts || word::read(header).home().is_none() {
            return false;
        }
        let tick = self.counters().activations.load(Relaxed) as u32;
        if self.all_are_plain(policy) {
            return policy.samples(tick, &Profile::default());
        }
        // SAFETY: the actor is ours.
        unsafe { self.with_surroundings(header, |known| policy.samples(tick, &known.profile)) }
    }

    /// Begins to time the activation of an actor of ours which has a home.
    pub(super) fn begin_timing(&self, header: &Header) -> Option<Timed> {
        let word = word::read(header);
        let home = word.home()?;
        let lessons = &self.showcase.lessons;
        lessons.watch.set(Watch::Runs);
        lessons.aside.set(Duration::ZERO);
        Some(Timed {
            // SAFETY: the actor is ours.
            table: unsafe { extras::plain_table(header) },
            word,
            at_home: self.is_near(home),
            messages: self.counters().messages.load(Relaxed),
            began: Instant::now(),
        })
    }

    /// Ends a timed activation whose messages have been counted.
    pub(super) fn end_timing(&self, timed: Timed, policy: &mut impl Policy) {
        let lessons = &self.showcase.lessons;
        let took = timed.began.elapsed().saturating_sub(lessons.aside.get());
        lessons.watch.set(Watch::Off);
        let messages = self.counters().messages.load(Relaxed) - timed.messages;
        if messages == 0 {
            return;
        }
        let sample = Sample {
            per_message: took.as_nanos() as u64 / messages,
            at_home: timed.at_home,
        };
        self.with_known(timed.table, |known| {
            known.kept.push((timed.word, sample));
            if took > LONG || known.is_full() {
                known.tell(policy, &self.team.classes);
                lessons.set(policy.learns());
            }
        });
    }

    /// Does something during an activation that is no part of what its messages cost: what sending to other workers takes, what
    /// those have brought.
    #[inline]
    pub(super) fn aside<R>(&self, act: impl FnOnce() -> R) -> R {
        let stopped = self.stop_watch();
        let result = act();
        self.restart_watch(stopped);
        result
    }

    /// Stops the watch, if one runs; [`Core::restart_watch`] must be told when that was.
    #[inline(always)]
    pub(super) fn stop_watch(&self) -> Option<Instant> {
        let watch = &self.showcase.lessons.watch;
        // Who acts for this worker while it is in a handler takes none of its time.
        if watch.get() != Watch::Runs || self.is_revoked() {
            return None;
        }
        watch.set(Watch::Stopped);
        Some(Instant::now())
    }

    #[inline(always)]
    pub(super) fn restart_watch(&self, stopped: Option<Instant>) {
        let lessons = &self.showcase.lessons;
        if let Some(since) = stopped {
            lessons.aside.set(lessons.aside.get() + since.elapsed());
            lessons.watch.set(Watch::Runs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables are as far apart as they are large, or further; so many share each place among the recent ones.
    #[test]
    fn of_many_classes_each_is_known_by_itself() {
        let addresses: Vec<usize> = (1..=40 * RECENT).map(|class| class * 128).collect();
        let mut library = Library::default();
        for round in 0..3 {
            for (number, &address) in addresses.iter().enumerate() {
                let known = library.find(address, || {
                    assert_eq!(round, 0, "it was known");
                    Known::new(Arc::default())
                });
                if round == 0 {
                    assert_eq!(known.edition, u32::MAX, "it is new");
                    known.edition = number as u32;
                }
                assert_eq!(known.edition, number as u32, "it is another one's");
            }
        }
        assert_eq!(library.all.len(), addresses.len());
    }
}
