//! The inbox of a runtime: what threads outside send and create, in one order, published one by one.
//!
//! See `README.md` beside this file for states, transitions and the proof.

mod bias;
mod pace;
mod segment;

use crate::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::atomic::{AtomicBool, AtomicPtr, AtomicU16, AtomicU64, AtomicUsize};
use std::cell::Cell;

use bias::{Holder, Terms};
pub(crate) use pace::Pace;
use segment::{KEPT, Segment, WORDS};

use crate::pool::lock;
use crate::sync::{Mutex, Spin, thread};
use crate::worker::core::Core;
use crate::worker::port::{self, IDLE, LOOK, Line, Port, RUNNING, WATCH};

/// Tail word: somebody is writing. Whoever set it is the only one to change the word.
const LOCKED: u64 = 1;
/// Tail word: the runtime has stopped; nothing is accepted.
const CLOSED: u64 = 2;
/// Tail word: the last worker went to sleep; the next sender wakes one.
const UNATTENDED: u64 = 4;
/// Tail word: no idle worker watches whether the inbox is emptied; the next sender that finds one idle wakes it to watch.
const UNWATCHED: u64 = 8;
/// Tail word: the thread in `holder` writes without locking. Nobody else changes the word before the bias is taken back.
const BIASED: u64 = 16;
/// Positions, in words, lie above the flags.
const SHIFT: u32 = 5;

/// Words that a worker takes before it looks at its actors again: a few hundred messages.
const BUDGET: u64 = 2048;

/// Words of messages that a sender may be ahead of the workers before it gives its processor up now and then: 1 MiB, so that what is ahead is still in a
/// cache near the processor when it is taken there.
pub(crate) const MESSAGES_AHEAD: u64 = KEPT as u64 / 8 * WORDS;

/// The same for new actors, which a worker only puts into a queue: half of the memory that is kept, so that what is ahead needs no new one.
pub(crate) const ACTORS_AHEAD: u64 = KEPT as u64 / 2 * WORDS;

/// Does what one record says; returns its length in words.
pub(crate) type Handler = unsafe fn(&Core, *mut u64) -> u64;

/// A record as it lies in a segment. Bodies are at most aligned to 8 bytes and much smaller than a segment.
#[repr(C, align(8))]
struct Record<T> {
    /// `None` says that the rest of the segment is not used.
    handler: Option<Handler>,
    body: T,
}

/// The senders' side.
struct Tail {
    /// Position behind the last record, and flags.
    word: AtomicU64,
    /// The segment that is being filled; belongs to who has set `LOCKED`, or to the holder while it is inside.
    segment: Cell<*mut Segment>,
    /// Who has the tail to itself as long as the word is `BIASED`; null also while somebody takes the bias back, and until
    /// it is named.
    holder: AtomicPtr<Holder>,
    /// As `segment`.
    terms: Terms,
}

/// The workers' side.
struct Head {
    /// Set by the worker that takes records.
    taken: AtomicBool,
    /// Position of the oldest record; written by who has set `taken`.
    position: AtomicU64,
    /// The segment that is being emptied; belongs to who has set `taken`.
    segment: Cell<*mut Segment>,
}

/// Inboxes are made once and never freed: who read one from a port, however late, finds one.
pub(crate) struct Inbox {
    tail: Line<Tail>,
    head: Line<Head>,
    /// Workers of the runtime in state IDLE or LOCKED.
    pub(crate) idle: Line<AtomicUsize>,
    /// Port of the worker that takes records as long as it is RUNNING and gets anywhere.
    keeper: AtomicU16,
    /// Number of workers of the runtime.
    workers: AtomicUsize,
    ports: Mutex<Vec<&'static Port>>,
}

/// How an idle worker may sleep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sleep {
    /// Not at all: all are idle and there is something to do.
    No,
    /// With a look now and then whether those at work do it.
    Watching,
    /// Until somebody wakes it: others are awake, or the next sender will wake one.
    Long,
}

// SAFETY: the cells belong to whoever holds the lock named beside them.
unsafe impl Sync for Inbox {}

static FREE: Mutex<Vec<&'static Inbox>> = Mutex::new(Vec::new());

/// How many leases there have been.
static LEASES: Mutex<u64> = Mutex::new(0);

/// The inbox of the first runtime, as long as there has been no other; see [`sole`].
static SOLE: AtomicPtr<Inbox> = AtomicPtr::new(std::ptr::null_mut());

/// The inbox of the only runtime that the process has had, while it lives.
///
/// It is that of every actor, so that a sender need not ask the actor, whose line its worker is writing to all the time. A second runtime takes the word
/// back for good: with it there may be addresses of the first one's actors when that has ended, and the second's inbox is no place for their mail.
/// *Proof*: an actor of a second runtime is younger than that runtime, whose lease has taken the word back. Whoever has the
/// actor's address has it from its creator, hence sees that, and nothing newer names an inbox.
#[inline(always)]
pub(crate) fn sole() -> Option<&'static Inbox> {
    // SAFETY: inboxes are never freed. Acquire: the inbox as its maker left it.
    unsafe { SOLE.load(Acquire).as_ref() }
}

/// Leases an inbox for the workers of these ports.
pub(crate) fn lease(ports: &[&'static Port]) -> &'static Inbox {
    let free = lock(&FREE).pop();
    let inbox = free.unwrap_or_else(|| Box::leak(Box::new(Inbox::new())));
    *lock(&inbox.ports) = ports.to_vec();
    inbox.idle.0.store(0, Relaxed);
    inbox.workers.store(ports.len(), Relaxed);
    inbox.keeper.store(ports[0].id, Relaxed);
    for port in ports {
        port.inbox.store(std::ptr::from_ref(inbox).cast_mut(), Release);
    }
    let word = &inbox.tail.0.word;
    // Nobody else changes the word: senders that come too late find it closed and put it back as it was.
    let found = inbox.lock();
    word.store(found & !(CLOSED | UNATTENDED) | UNWATCHED, Release);
    let mut leases = lock(&LEASES);
    *leases += 1;
    let first = if *leases == 1 {
        std::ptr::from_ref(inbox).cast_mut()
    } else {
        std::ptr::null_mut()
    };
    // Under the lock, so that the first one's store cannot come after the second one's. Release: the inbox as it was made.
    SOLE.store(first, Release);
    inbox
}

/// Sees to it that no inbox counts as the only one, and so that it makes no difference which runtime is a process's first.
pub(crate) fn forgo_sole() {
    let mut leases = lock(&LEASES);
    *leases += 1;
    SOLE.store(std::ptr::null_mut(), Release);
}

/// Gives an inbox back that is closed and empty.
pub(crate) fn give_back(inbox: &'static Inbox) {
    // There is nobody to send to any more, or there was another runtime anyway.
    SOLE.store(std::ptr::null_mut(), Release);
    lock(&inbox.ports).clear();
    lock(&FREE).push(inbox);
}

/// Lets those be that are free; see `crate::model`.
#[cfg(shuttle)]
pub(crate) fn forget() {
    lock(&FREE).clear();
    *lock(&LEASES) = 0;
    segment::forget();
    bias::forget();
}

/// The inbox of the runtime that has, or last had, this port.
#[inline(always)]
pub(crate) fn of(port: &Port) -> &'static Inbox {
    // SAFETY: set when the port was leased, before any tag named it; inboxes are never freed.
    unsafe { &*port.inbox.load(Acquire) }
}

impl Inbox {
    fn new() -> Self {
        // Both sides stand at the end of an empty segment.
        let first = Segment::take();
        Self {
            tail: Line(Tail {
                word: AtomicU64::new(CLOSED),
                segment: Cell::new(first),
                holder: AtomicPtr::new(std::ptr::null_mut()),
                terms: Terms::new(),
            }),
            head: Line(Head {
                taken: AtomicBool::new(false),
                position: AtomicU64::new(0),
                segment: Cell::new(first),
            }),
            idle: Line(AtomicUsize::new(0)),
            keeper: AtomicU16::new(0),
            workers: AtomicUsize::new(0),
            ports: Mutex::new(Vec::new()),
        }
    }

    /// Appends a record and makes sure that a worker will see it; yields if workers that are so many words behind may be waiting for the processor. Gives
    /// the body back if the runtime has stopped.
    #[inline(always)]
    pub(crate) fn push<T>(&self, handler: Handler, body: T, ahead: u64) -> Result<(), T> {
        assert!(align_of::<T>() <= 8 && size_of::<Record<T>>() <= 1024);
        let words = (size_of::<Record<T>>() / 8) as u64;
        let holder = self.enter();
        let found = match holder {
            // Ours to change, and nobody else has since our last record.
            Some(_) => self.tail.0.word.load(Relaxed),
            None => self.lock(),
        };
        if found & CLOSED != 0 {
            debug_assert!(holder.is_none(), "who closes it has taken the bias back");
            self.tail.0.word.store(found, Release);
            return Err(body);
        }
        let mut at = found >> SHIFT;
        let mut biased = found & BIASED;
        let begins_segment = at.is_multiple_of(WORDS) || at % WORDS + words > WORDS;
        if begins_segment {
            at = self.next_segment(at);
            biased = self.bias(biased);
        }
        // SAFETY: we have the lock or are inside, so the words from the tail on are ours; they lie within the segment.
        unsafe {
            let word = Segment::word(self.tail.0.segment.get(), at);
            Segment::ask_to_write(word);
            word.cast::<Record<T>>().write(Record {
                handler: Some(handler),
                body,
            });
        }
        // Release publishes the record and gives the lock back.
        let watch = if found & UNWATCHED != 0 && self.is_half_idle() {
            0
        } else {
            found & UNWATCHED
        };
        self.tail
            .0
            .word
            .store((at + words) << SHIFT | watch | biased, Release);
        if let Some(holder) = holder {
            holder.leave();
        }
        if begins_segment && biased & !found != 0 {
            self.take_bias();
        }
        if found & UNATTENDED != 0 {
            self.summon();
        }
        if watch != found & UNWATCHED {
            self.appoint();
        }
        if begins_segment {
            self.let_workers_run(at, ahead);
        }
        Ok(())
    }

    /// The calling thread, if the tail is biased to it and so is locked now. It must leave when it has published the next word.
    #[inline(always)]
    fn enter(&self) -> Option<&'static Holder> {
        let me = Holder::me()?;
        me.enter();
        // Relaxed: only we write here that the bias is ours. Who takes it away waits until it has seen us outside.
        if std::ptr::eq(self.tail.0.holder.load(Relaxed), me) {
            return Some(me);
        }
        me.leave();
        None
    }

    /// Sees at the beginning of a segment whether the caller, who has the tail, is to have it to itself from now on; returns the flag for the next word.
    #[cold]
    fn bias(&self, biased: u64) -> u64 {
        let tail = &self.tail.0;
        if biased != 0 {
            tail.terms.lasted();
            return biased;
        }
        if tail.terms.grant() { BIASED } else { 0 }
    }

    /// Names the caller, who has just published the word with `BIASED`, as the holder. Not before: whoever still sees the flag of an earlier bias takes away
    /// what is named here, and then the word must be one that nobody locks.
    #[cold]
    fn take_bias(&self) {
        let me = Holder::me().expect("it was granted a bias");
        // Release: who takes the bias back sees the word with the flag.
        self.tail
            .0
            .holder
            .store(std::ptr::from_ref(me).cast_mut(), Release);
    }

    /// Takes the bias back from whoever has it. Afterwards all that was written by it can be seen, and its holder locks as others do.
    #[cold]
    #[inline(never)]
    fn revoke(&self) {
        let tail = &self.tail.0;
        let holder = tail.holder.load(Relaxed);
        // AcqRel: one of those who try gets it, with the holder as it was made and the word with the flag.
        if holder.is_null()
            || tail
                .holder
                .compare_exchange(holder, std::ptr::null_mut(), AcqRel, Relaxed)
                .is_err()
        {
            // Somebody else is at it, or the holder has not been named yet.
            return thread::yield_now();
        }
        // SAFETY: holders are never freed.
        let holder = unsafe { &*holder };
        holder.wait_outside();
        // The holder is outside and finds the bias gone, others wait for the flag: nobody else changes the word.
        let left = tail.word.load(Relaxed);
        // Release: what we have acquired from the holder.
        tail.word.store(left & !BIASED, Release);
    }

    /// The tail's word, without a bias.
    fn unbiased(&self) -> u64 {
        loop {
            let found = self.tail.0.word.load(Relaxed);
            if found & BIASED == 0 {
                return found;
            }
            self.revoke();
        }
    }

    /// Locks the tail; returns the word as it was.
    #[inline(always)]
    fn lock(&self) -> u64 {
        let word = &self.tail.0.word;
        let found = word.load(Relaxed);
        if found & (LOCKED | BIASED) == 0
            && word
                .compare_exchange(found, found | LOCKED, Acquire, Relaxed)
                .is_ok()
        {
            return found;
        }
        self.lock_slowly()
    }

    #[cold]
    fn lock_slowly(&self) -> u64 {
        let word = &self.tail.0.word;
        let mut spin = Spin::default();
        loop {
            let found = self.unbiased();
            // Acquire: the segment as the last holder left it, and who was idle when UNATTENDED was set.
            if found & LOCKED == 0
                && word
                    .compare_exchange_weak(found, found | LOCKED, Acquire, Relaxed)
                    .is_ok()
            {
                return found;
            }
            spin.turn();
        }
    }

    /// Ends the segment at position `at` and starts another; returns the position of its first word.
    #[cold]
    #[inline(never)]
    fn next_segment(&self, at: u64) -> u64 {
        let next = Segment::take();
        // SAFETY: the caller has the lock; a segment that is being filled is not recycled.
        unsafe {
            let full = self.tail.0.segment.replace(next);
            if !at.is_multiple_of(WORDS) {
                Segment::word(full, at).cast::<Option<Handler>>().write(None);
            }
            (*full).next.set(next);
        }
        at.next_multiple_of(WORDS)
    }

    /// Gives the processor up for a moment if the workers are far behind: they may be waiting for it. Whoever shares one with them would else fill memory
    /// for as long as the system lets it, which takes longer than sending.
    #[cold]
    #[inline(never)]
    fn let_workers_run(&self, tail: u64, ahead: u64) {
        if tail.saturating_sub(self.head.0.position.load(Relaxed)) > ahead {
            thread::yield_now();
        }
    }

    /// Wakes a worker if all sleep. The caller has found and cleared `UNATTENDED`.
    #[cold]
    fn summon(&self) {
        // We acquired the word from the worker that set UNATTENDED and so see that it was idle. A lower number means that one
        // got up afterwards; it looks at the inbox before all are idle again.
        if self.idle.0.load(Acquire) < self.workers.load(Relaxed) {
            return;
        }
        let port = port::port(self.keeper.load(Relaxed));
        port.call(LOOK);
    }

    /// Whether some workers are idle and some are not.
    #[inline(always)]
    fn is_half_idle(&self) -> bool {
        let idle = self.idle.0.load(Relaxed);
        idle > 0 && idle < self.workers.load(Relaxed)
    }

    /// Wakes an idle worker to watch. The caller has found and cleared `UNWATCHED`.
    #[cold]
    fn appoint(&self) {
        let ports = lock(&self.ports);
        let idle = ports.iter().find(|port| port.rest.0.state.load(Relaxed) == IDLE);
        match idle {
            Some(port) => {
                port.call(WATCH);
            }
            // All are at work again, and look for themselves.
            None => self.unwatch(),
        }
    }

    /// The worker that watched has something else to do.
    pub(crate) fn unwatch(&self) {
        let found = self.lock();
        self.tail.0.word.store(found | UNWATCHED, Release);
    }

    /// Words of all records that were ever sent; a hint while others send.
    pub(crate) fn sent(&self) -> u64 {
        self.tail.0.word.load(Relaxed) >> SHIFT
    }

    /// Position of the oldest record, to see whether the inbox is being emptied, and whether there is one.
    pub(crate) fn progress(&self) -> (u64, bool) {
        (self.head.0.position.load(Relaxed), self.has_mail())
    }

    /// Whether it is up to this worker to take records.
    #[inline(always)]
    pub(crate) fn is_kept_by(&self, me: u16) -> bool {
        let keeper = self.keeper.load(Relaxed);
        keeper == me || port::port(keeper).rest.0.state.load(Relaxed) != RUNNING
    }

    /// Makes another worker take the records, which does not bind anybody.
    pub(crate) fn entrust(&self, to: u16) {
        self.keeper.store(to, Relaxed);
    }

    /// Whether there are records; a hint while others send and take.
    #[inline(always)]
    pub(crate) fn has_mail(&self) -> bool {
        let word = self.tail.0.word.load(Relaxed);
        word >> SHIFT != self.head.0.position.load(Relaxed)
    }

    /// Whether everything that was published has been delivered.
    pub(crate) fn is_empty(&self) -> bool {
        let head = self.head.0.position.load(Acquire);
        self.tail.0.word.load(Acquire) >> SHIFT == head
    }

    /// How an idle worker may sleep as far as the inbox is concerned.
    pub(crate) fn may_sleep(&self) -> Sleep {
        let word = &self.tail.0.word;
        if self.idle.0.load(Acquire) < self.workers.load(Relaxed) {
            // An exchange that changes nothing: either we see what a sender has begun, or that sender sees that we are idle.
            let found = self.unbiased();
            let seen = found & LOCKED == 0 && word.compare_exchange(found, found, AcqRel, Relaxed).is_ok();
            let empty = seen && found >> SHIFT == self.head.0.position.load(Acquire);
            return if empty { Sleep::Long } else { Sleep::Watching };
        }
        let empty = self.head.0.position.load(Acquire) << SHIFT;
        let found = word.load(Relaxed);
        if found & !(UNATTENDED | UNWATCHED | BIASED) != empty {
            return Sleep::No;
        }
        let found = self.unbiased() & (UNATTENDED | UNWATCHED);
        // Exchanged also if the flag is set already: the sender that takes it must see that we are idle now. Release for that.
        let set = word.compare_exchange(empty | found, empty | found | UNATTENDED, AcqRel, Relaxed);
        if set.is_ok() { Sleep::Long } else { Sleep::No }
    }

    /// Does what the oldest records say, up to a bound; returns how many there were, 0 also if another worker is at it.
    ///
    /// The calling worker is RUNNING, so that ownership of its actors stands still.
    #[inline(never)]
    pub(crate) fn drain(&self, core: &Core) -> u32 {
        let head = &self.head.0;
        // Acquire: the head and all that the last taker delivered.
        if head.taken.load(Relaxed)
            || head
                .taken
                .compare_exchange(false, true, Acquire, Relaxed)
                .is_err()
        {
            return 0;
        }
        if self.keeper.load(Relaxed) != core.me {
            self.keeper.store(core.me, Relaxed);
        }
        // Acquire: all records up to here and the segments they lie in.
        let end = self.tail.0.word.load(Acquire) >> SHIFT;
        let start = head.position.load(Relaxed);
        let (mut at, mut records) = (start, 0);
        while at < end && at - start < BUDGET {
            if at.is_multiple_of(WORDS) {
                let empty = head.segment.get();
                // SAFETY: the sender linked the next segment before it published a record there; nobody fills the old one
                // any more, and we alone empty it.
                unsafe {
                    head.segment.set((*empty).next.get());
                    Segment::recycle(empty);
                }
            }
            // SAFETY: a record, or the mark that there is none, begins at each position that is reached.
            let word = unsafe { Segment::word(head.segment.get(), at) };
            Segment::ask_to_read(word);
            // SAFETY: as above.
            at = match unsafe { word.cast::<Option<Handler>>().read() } {
                Some(handler) => {
                    records += 1;
                    // SAFETY: the body is that of the handler and is taken once, since the position moves on.
                    at + unsafe { handler(core, word) }
                }
                None => at.next_multiple_of(WORDS),
            };
        }
        core.deliver_gathered();
        // Release: who sees the inbox empty sees what was in it delivered.
        head.position.store(at, Release);
        head.taken.store(false, Release);
        records
    }

    /// Accepts nothing from now on.
    pub(crate) fn close(&self) {
        let found = self.lock();
        self.tail.0.word.store(found | CLOSED, Release);
    }
}

/// Takes the body of a record; returns it with the record's length.
///
/// # Safety
/// `word` is where a record with a body of type `T` begins, which was not taken yet.
#[inline(always)]
pub(crate) unsafe fn take<T>(word: *mut u64) -> (T, u64) {
    // SAFETY: by the caller.
    let Record { body, .. } = unsafe { word.cast::<Record<T>>().read() };
    (body, (size_of::<Record<T>>() / 8) as u64)
}
