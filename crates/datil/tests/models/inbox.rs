//! What threads outside send, through one queue for the runtime.

use loom::cell::UnsafeCell;
use loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use loom::sync::atomic::{AtomicUsize, fence};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;

use super::explore;
use super::worker::*;

/// The tail and head of an inbox, with segments of two records. Positions lie above five flags.
struct Inbox {
    tail: AtomicUsize,
    /// The sender that the tail is biased to, 0 for none.
    holder: AtomicUsize,
    /// Per sender: `Holder::inside`.
    inside: [AtomicUsize; 3],
    filling: UnsafeCell<usize>,
    taken: AtomicUsize,
    position: AtomicUsize,
    emptying: UnsafeCell<usize>,
    segments: [Segment; 4],
    idle: AtomicUsize,
    workers: usize,
}

#[derive(Default)]
struct Segment {
    next: UnsafeCell<usize>,
    records: [UnsafeCell<usize>; 2],
}

const HELD: usize = 1;
const UNATTENDED: usize = 4;
const UNWATCHED: usize = 8;
const BIASED: usize = 16;
const SHIFT: u32 = 5;
/// A sender that never has a bias.
const UNBIASED: usize = 0;

impl Inbox {
    /// Both sides stand at the end of segment 0, and nobody watches.
    fn new(workers: usize) -> Self {
        Self {
            tail: AtomicUsize::new(UNWATCHED),
            holder: AtomicUsize::new(0),
            inside: Default::default(),
            filling: UnsafeCell::new(0),
            taken: AtomicUsize::new(0),
            position: AtomicUsize::new(0),
            emptying: UnsafeCell::new(0),
            segments: Default::default(),
            idle: AtomicUsize::new(0),
            workers,
        }
    }

    /// `Inbox::enter`. The light fence is one here; what the pair guarantees is the same.
    fn enter(&self, me: usize) -> bool {
        if me == UNBIASED {
            return false;
        }
        self.inside[me].store(1, Relaxed);
        fence(SeqCst);
        if self.holder.load(Relaxed) == me {
            return true;
        }
        self.inside[me].store(0, Release);
        false
    }

    /// `Inbox::revoke`, and `Holder::wait_outside`.
    fn revoke(&self) {
        let holder = self.holder.load(Relaxed);
        if holder == 0 || self.holder.compare_exchange(holder, 0, AcqRel, Relaxed).is_err() {
            return thread::yield_now();
        }
        fence(SeqCst);
        while self.inside[holder].load(Acquire) != 0 {
            thread::yield_now();
        }
        let left = self.tail.load(Relaxed);
        self.tail.store(left & !BIASED, Release);
    }

    /// `Inbox::unbiased`.
    fn unbiased(&self) -> usize {
        loop {
            let found = self.tail.load(Relaxed);
            if found & BIASED == 0 {
                return found;
            }
            self.revoke();
        }
    }

    /// `Inbox::lock`.
    fn lock(&self) -> usize {
        loop {
            let found = self.unbiased();
            if found & HELD == 0
                && self
                    .tail
                    .compare_exchange(found, found | HELD, Acquire, Relaxed)
                    .is_ok()
            {
                return found;
            }
            thread::yield_now();
        }
    }

    /// `Inbox::push` up to the store that publishes: what it found, and whether some workers were idle and some not. Each segment that
    /// begins without a bias grants one, if the sender can have any.
    fn push(&self, me: usize, body: usize) -> (usize, bool) {
        let entered = self.enter(me);
        let found = if entered {
            self.tail.load(Relaxed)
        } else {
            self.lock()
        };
        let at = found >> SHIFT;
        let mut biased = found & BIASED;
        let granted = at.is_multiple_of(2) && biased == 0 && me != UNBIASED;
        if granted {
            biased = BIASED;
        }
        if at.is_multiple_of(2) {
            // A segment that was not used before stands for one from the pool, whose lock orders its uses.
            let full = self.filling.with(|filling| unsafe { *filling });
            self.segments[full]
                .next
                .with_mut(|next| unsafe { *next = full + 1 });
            self.filling.with_mut(|filling| unsafe { *filling = full + 1 });
        }
        let segment = self.filling.with(|filling| unsafe { *filling });
        self.segments[segment].records[at % 2].with_mut(|record| unsafe { *record = body });
        let idle = self.idle.load(Relaxed);
        let half_idle = idle > 0 && idle < self.workers;
        let watch = if half_idle { 0 } else { found & UNWATCHED };
        self.tail.store((at + 1) << SHIFT | watch | biased, Release);
        if entered {
            self.inside[me].store(0, Release);
        }
        if granted {
            // `Inbox::take_bias`. Before the word with the flag, whoever still saw the flag of an earlier bias would take this one and overwrite a locked word.
            self.holder.store(me, Release);
        }
        (found, half_idle && found & UNWATCHED != 0)
    }

    /// `Inbox::drain`.
    fn drain(&self, budget: usize, mut each: impl FnMut(usize)) {
        if self.taken.load(Relaxed) == 1 || self.taken.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            return;
        }
        let end = self.tail.load(Acquire) >> SHIFT;
        let start = self.position.load(Relaxed);
        let mut at = start;
        while at < end && at - start < budget {
            if at.is_multiple_of(2) {
                let empty = self.emptying.with(|emptying| unsafe { *emptying });
                let next = self.segments[empty].next.with_mut(|next| unsafe { *next });
                // Recycled: nobody may look at it any more, which a write finds out.
                self.segments[empty]
                    .records
                    .iter()
                    .for_each(|record| record.with_mut(|record| unsafe { *record = 0 }));
                self.emptying.with_mut(|emptying| unsafe { *emptying = next });
            }
            let segment = self.emptying.with(|emptying| unsafe { *emptying });
            each(self.segments[segment].records[at % 2].with(|record| unsafe { *record }));
            at += 1;
        }
        self.position.store(at, Release);
        self.taken.store(0, Release);
    }

    /// `Inbox::may_sleep`: `None` not at all, else whether watching.
    fn may_sleep(&self) -> Option<bool> {
        if self.idle.load(Acquire) < self.workers {
            let found = self.unbiased();
            let seen = found & HELD == 0 && self.tail.compare_exchange(found, found, AcqRel, Relaxed).is_ok();
            return Some(!(seen && found >> SHIFT == self.position.load(Acquire)));
        }
        let empty = self.position.load(Acquire) << SHIFT;
        if self.tail.load(Relaxed) & !(UNATTENDED | UNWATCHED | BIASED) != empty {
            return None;
        }
        let found = self.unbiased() & (UNATTENDED | UNWATCHED);
        self.tail
            .compare_exchange(empty | found, empty | found | UNATTENDED, AcqRel, Relaxed)
            .ok()
            .map(|_| false)
    }
}

/// Two senders, two workers that take turns: every record once, each sender's in order, no segment touched after it was
/// recycled. What a worker does with a record happens before what the next one does with later ones.
/// Mirrors `Inbox::push`, `Inbox::next_segment`, `Inbox::drain`.
#[test]
fn inbox_order_segments_and_change_of_taker() {
    inbox_in_order([UNBIASED; 2]);
}

/// The same where one of the senders writes by a bias that the other one takes back.
/// Mirrors `Inbox::enter`, `Inbox::bias`, `Inbox::revoke` besides.
#[test]
fn inbox_order_while_a_bias_is_taken_back() {
    inbox_in_order([1, UNBIASED]);
}

/// The same where each takes the other's.
#[test]
fn inbox_order_while_biases_change_hands() {
    inbox_in_order([1, 2]);
}

fn inbox_in_order(senders: [usize; 2]) {
    explore(move || {
        let shared = Arc::new((Inbox::new(2), UnsafeCell::new(Vec::<usize>::new())));
        let sender = {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.0.push(senders[0], 11);
                shared.0.push(senders[0], 12);
            })
        };
        let taker = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (inbox, got) = &*shared;
                // What a taker delivers (mailboxes, remote lists) is as unprotected as this.
                inbox.drain(2, |body| got.with_mut(|got| unsafe { (*got).push(body) }));
            })
        };
        let (inbox, got) = &*shared;
        inbox.push(senders[1], 21);
        inbox.drain(2, |body| got.with_mut(|got| unsafe { (*got).push(body) }));
        sender.join().unwrap();
        taker.join().unwrap();
        inbox.drain(9, |body| got.with_mut(|got| unsafe { (*got).push(body) }));
        got.with(|got| {
            let got = unsafe { &*got };
            let mut sorted = got.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [11, 12, 21], "lost or doubled");
            let at = |body| got.iter().position(|&b| b == body).unwrap();
            assert!(at(11) < at(12), "one sender's messages out of order");
        });
    });
}

/// Two workers go to rest while a thread sends twice; the records must be taken although nobody sends any more. A worker that sleeps
/// until it is woken while there is something to do shows as a deadlock: the sender waits for its effects.
/// Mirrors `Worker::rest`, `Inbox::may_sleep`, `Inbox::push`, `Inbox::summon`.
#[test]
fn inbox_wakes_somebody() {
    a_record_wakes_somebody(UNBIASED);
}

/// The same where the sender has the tail to itself and locks nothing.
/// Mirrors `Inbox::enter`, `Inbox::revoke` besides.
#[test]
fn inbox_wakes_somebody_under_a_bias() {
    a_record_wakes_somebody(1);
}

fn a_record_wakes_somebody(sender: usize) {
    struct Shared {
        inbox: Inbox,
        look: [AtomicUsize; 2],
        sleeping: [Futex; 2],
        handled: Mutex<usize>,
        bell: Condvar,
    }
    fn rouse(shared: &Shared, worker: usize, why: usize) {
        shared.look[worker].fetch_or(why, AcqRel);
        fence(SeqCst);
        let word = &shared.sleeping[worker].word;
        if word.load(Relaxed) == 1 && word.swap(0, AcqRel) == 1 {
            shared.sleeping[worker].wake();
        }
    }
    fn worker(shared: &Shared, me: usize) {
        loop {
            if shared.look[me].swap(0, AcqRel) & 2 != 0 {
                return;
            }
            shared.inbox.drain(9, |_| {
                *shared.handled.lock().unwrap() += 1;
                shared.bell.notify_all();
            });
            shared.inbox.idle.fetch_add(1, SeqCst);
            loop {
                let called = || shared.look[me].load(Relaxed) != 0;
                if called() {
                    break;
                }
                shared.sleeping[me].word.swap(1, AcqRel);
                fence(SeqCst);
                let quiet = !called();
                let sleep = shared.inbox.may_sleep();
                if quiet && sleep == Some(false) {
                    shared.sleeping[me].wait();
                }
                shared.sleeping[me].word.swap(0, AcqRel);
                // A worker that watches takes over after a while; here at once.
                if sleep != Some(false) {
                    break;
                }
            }
            shared.inbox.idle.fetch_sub(1, SeqCst);
            thread::yield_now();
        }
    }
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(1);
    builder.max_branches = 20_000;
    builder.check(move || {
        let inbox = Inbox::new(2);
        if sender != UNBIASED {
            inbox.holder.store(sender, Relaxed);
            inbox.tail.store(UNWATCHED | BIASED, Relaxed);
        }
        let shared = Arc::new(Shared {
            inbox,
            look: Default::default(),
            sleeping: Default::default(),
            handled: Mutex::new(0),
            bell: Condvar::new(),
        });
        let workers: Vec<_> = (0..2)
            .map(|me| {
                let shared = shared.clone();
                thread::spawn(move || worker(&shared, me))
            })
            .collect();
        let (found, appoint) = shared.inbox.push(sender, 1);
        if found & UNATTENDED != 0 && shared.inbox.idle.load(Acquire) == 2 {
            rouse(&shared, 0, 1);
        }
        if appoint {
            // `Inbox::appoint`: whichever is idle; here both.
            rouse(&shared, 0, 1);
            rouse(&shared, 1, 1);
        }
        let mut handled = shared.handled.lock().unwrap();
        while *handled < 1 {
            handled = shared.bell.wait(handled).unwrap();
        }
        drop(handled);
        rouse(&shared, 0, 2);
        rouse(&shared, 1, 2);
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
}

/// A worker answers the request to look at the inbox while a sender asks it to watch: it watches, or that request is there at its next look. The sender has
/// cleared `UNWATCHED`, so nobody asks again.
/// Mirrors `Worker::answer`, `Port::call`.
#[test]
fn a_request_to_watch_is_not_overlooked() {
    const LOOK: usize = 1;
    const WATCH: usize = 2;
    explore(|| {
        let request = Arc::new(AtomicUsize::new(LOOK));
        let sender = {
            let request = request.clone();
            thread::spawn(move || {
                request.fetch_or(WATCH, AcqRel);
            })
        };
        let mut watches = false;
        if request.load(Relaxed) & (LOOK | WATCH) != 0 {
            let answered = request.fetch_and(!(LOOK | WATCH), AcqRel);
            watches = answered & WATCH != 0;
        }
        sender.join().unwrap();
        assert!(watches || request.load(Relaxed) & WATCH != 0);
    });
}
