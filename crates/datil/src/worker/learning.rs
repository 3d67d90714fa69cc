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

use datil_policy::{Policy, Profile, Sample, Word};

use super::core::Core;
use super::routed::word;
use crate::mailbox::cell::{Header, VTable, flag};
use crate::pool::lock;
use crate::signal::extras;
use crate::sync::{Instant, Mutex};

/// A copy of a class's profile is compared with the original after so many activations of its worker.
const STALE: u64 = 16;
/// Most timed activations that a worker keeps to itself.
const MOST_KEPT: u32 = 64;
/// A message that took longer is told at once: those are rare, and worth knowing.
const LONG: Duration = Duration::from_micros(20);

/// The classes of a runtime, by the type of their actors.
#[derive(Default)]
pub(crate) struct Classes(Mutex<HashMap<TypeId, Arc<Class>>>);

impl Classes {
    fn of(&self, table: &VTable) -> Arc<Class> {
        lock(&self.0).entry((table.id)()).or_default().clone()
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
    /// The profile as it was in the edition, and the activation at which that was last compared.
    profile: Profile,
    edition: u32,
    compared_at: u64,
    /// What was not told yet.
    kept: Vec<(Word, Sample)>,
}

impl Known {
    fn new(class: Arc<Class>) -> Self {
        Self {
            class,
            profile: Profile::default(),
            // Not the first one.
            edition: u32::MAX,
            compared_at: 0,
            kept: Vec::new(),
        }
    }

    fn refresh(&mut self, activation: u64) {
        if activation.wrapping_sub(self.compared_at) < STALE && self.edition != u32::MAX {
            return;
        }
        self.compared_at = activation;
        // Relaxed: the number only says that a look under the lock is worth while.
        if self.class.edition.load(Relaxed) != self.edition {
            let profile = lock(&self.class.profile);
            self.profile = *profile;
            self.edition = self.class.edition.load(Relaxed);
        }
    }

    /// Whether what was kept is to be told: the less is known of the class the sooner.
    fn is_full(&self) -> bool {
        let known = self.profile.home.count + self.profile.away.count;
        self.kept.len() >= (1 + known / 8).min(MOST_KEPT) as usize
    }

    /// Tells the policy what was kept.
    fn tell(&mut self, policy: &mut impl Policy) {
        let mut profile = lock(&self.class.profile);
        for (word, sample) in self.kept.drain(..) {
            *profile = policy.finished(word, sample, *profile);
        }
        self.profile = *profile;
        // Under the lock, so nobody else changes it; that it skips the number that means "never" keeps copies simple.
        self.edition = (self.class.edition.load(Relaxed) + 1) % u32::MAX;
        self.class.edition.store(self.edition, Relaxed);
    }
}

/// Tables of types lie at addresses that differ above the alignment; that is all the hashing they need.
#[derive(Default)]
struct ByAddress(u64);

impl Hasher for ByAddress {
    fn write(&mut self, _: &[u8]) {
        unreachable!("addresses are hashed as numbers");
    }
    fn write_usize(&mut self, address: usize) {
        // Fibonacci hashing: the map looks at the upper bits, too.
        self.0 = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
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
    /// By the address of their table. A type may have several tables.
    known: RefCell<HashMap<usize, Known, BuildHasherDefault<ByAddress>>>,
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

    /// What is known of an actor's class.
    pub(super) fn profile(&self, header: &Header) -> Profile {
        // SAFETY: those who ask own the actor, or have locked its worker.
        let table = unsafe { extras::plain_table(header) };
        self.with_known(table, |known| known.profile)
    }

    fn with_known<R>(&self, table: &'static VTable, use_it: impl FnOnce(&mut Known) -> R) -> R {
        let mut all = self.showcase.lessons.known.borrow_mut();
        let known = all
            .entry(ptr::from_ref(table).addr())
            .or_insert_with(|| Known::new(self.team.classes.of(table)));
        known.refresh(self.counters().activations.load(Relaxed));
        use_it(known)
    }

    /// Begins to time the activation of an actor of ours, if the policy wants that. An actor's start is not timed: it says nothing about
    /// messages.
    pub(super) fn begin_timing(&self, header: &Header, policy: &mut impl Policy) -> Option<Timed> {
        let lessons = &self.showcase.lessons;
        lessons.watch.set(Watch::Off);
        let home = word::read(header).home()?;
        let counters = self.counters();
        let tick = counters.activations.load(Relaxed) as u32;
        let starts = header.flags.get() & flag::UNSTARTED != 0;
        if starts || !policy.samples(tick, &self.profile(header)) {
            return None;
        }
        lessons.watch.set(Watch::Runs);
        lessons.aside.set(Duration::ZERO);
        Some(Timed {
            // SAFETY: the actor is ours.
            table: unsafe { extras::plain_table(header) },
            word: word::read(header),
            at_home: self.is_near(home),
            messages: counters.messages.load(Relaxed),
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
                known.tell(policy);
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
