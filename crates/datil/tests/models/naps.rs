//! Workers that nap between two searches, and what is taken from them meanwhile.

use loom::sync::Arc;
use loom::sync::atomic::Ordering::{AcqRel, Relaxed, Release, SeqCst};
use loom::sync::atomic::{AtomicUsize, fence};
use loom::thread;

use super::cell::*;
use super::explore;
use super::worker::*;

/// What a nap was.
struct Nap {
    /// It lasted until somebody ended it.
    slept: bool,
    /// Somebody ended it to have the worker look for work.
    summoned: bool,
}

/// Two workers whose policy has a timetable for sleep. All idle, both sleep until they are woken.
struct Nappers {
    idle: AtomicUsize,
    request: AtomicUsize,
    /// Workers that were summoned and look for work, and whoever is being summoned.
    seeking: AtomicUsize,
    sleeping: Futex,
}

impl Nappers {
    /// So many of two workers are idle.
    fn new(idle: usize) -> Arc<Self> {
        Arc::new(Self {
            idle: AtomicUsize::new(idle),
            request: AtomicUsize::new(0),
            seeking: AtomicUsize::new(0),
            sleeping: Futex::default(),
        })
    }

    /// `Worker::nap`, of a worker that has nothing; a nap that ends by itself is over at once.
    fn nap(&self) -> Nap {
        self.idle.fetch_add(1, SeqCst);
        let deep = self.idle.load(SeqCst) == 2;
        self.sleeping
            .word
            .swap(if deep { ASLEEP } else { NAPPING }, AcqRel);
        fence(SeqCst);
        let slept = deep && self.request.load(Relaxed) == 0 && self.idle.load(SeqCst) == 2;
        if slept {
            self.sleeping.wait();
        }
        let summoned = self.sleeping.word.swap(0, AcqRel) == SUMMONED;
        // get_up
        self.idle.fetch_sub(1, SeqCst);
        Nap { slept, summoned }
    }

    /// `call_up` and `Port::summon`, for the only worker there is to wake; true if it slept.
    fn summon(&self) -> bool {
        if self.seeking.compare_exchange(0, 1, Relaxed, Relaxed).is_err() {
            return false;
        }
        let word = &self.sleeping.word;
        let found = word.load(Relaxed);
        let sleeps = matches!(found, ASLEEP | NAPPING);
        let woke = sleeps && word.compare_exchange(found, SUMMONED, AcqRel, Relaxed).is_ok();
        if woke {
            self.sleeping.wake();
        } else {
            self.seeking.fetch_sub(1, Relaxed);
        }
        woke
    }

    /// `Worker::give_up`, of a worker that was summoned.
    fn give_up(&self) {
        assert_eq!(self.seeking.fetch_sub(1, Relaxed), 1, "two are looking for work");
    }

    /// `Port::rouse`.
    fn rouse(&self) {
        let word = &self.sleeping.word;
        if word.load(Relaxed) == ASLEEP && word.compare_exchange(ASLEEP, 0, AcqRel, Relaxed).is_ok() {
            self.sleeping.wake();
        }
    }

    /// The other worker gets up and finds something: `Worker::get_up`, `Worker::rouse_all`.
    fn find(&self) {
        self.idle.fetch_sub(1, SeqCst);
        fence(SeqCst);
        self.rouse();
    }

    /// `Port::call`.
    fn call(&self) {
        self.request.fetch_or(1, AcqRel);
        fence(SeqCst);
        self.rouse();
    }
}

/// A worker goes to sleep because all are idle while the other one finds something and is busy from then on: nobody but that one can
/// end the sleep, and a sleep that nobody ends is a deadlock, which loom reports. Mirrors `Worker::nap`, `Worker::rouse_all`.
#[test]
fn nobody_sleeps_on_when_another_finds_something() {
    explore(|| {
        let shared = Nappers::new(1);
        let other = {
            let shared = shared.clone();
            thread::spawn(move || shared.find())
        };
        // Asleep for good only while all are idle, so once the other one is up a second nap does not wait at all.
        shared.nap();
        other.join().unwrap();
        assert!(!shared.nap().slept, "the other one is busy");
    });
}

/// A request reaches a worker that goes to sleep because all are idle. Mirrors `Worker::nap`, `Port::call`.
#[test]
fn a_request_ends_a_sleep_while_all_are_idle() {
    explore(|| {
        let shared = Nappers::new(1);
        let caller = {
            let shared = shared.clone();
            thread::spawn(move || shared.call())
        };
        shared.nap();
        caller.join().unwrap();
        assert!(!shared.nap().slept, "it was asked for something");
    });
}

/// Two want to wake a worker that naps twice: each summons is found once, in the nap that it ended, and nobody is summoned while another
/// looks for work. Mirrors `call_up`, `Port::summon`, `Worker::nap`, `Worker::give_up`.
#[test]
fn each_summons_is_found_once_by_who_slept() {
    explore(|| {
        let shared = Nappers::new(0);
        let summoners: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || usize::from(shared.summon()))
            })
            .collect();
        let mut found = 0;
        for _ in 0..2 {
            if shared.nap().summoned {
                found += 1;
                shared.give_up();
            }
        }
        let woken: usize = summoners
            .into_iter()
            .map(|summoner| summoner.join().unwrap())
            .sum();
        assert_eq!(woken, found);
        assert_eq!(
            shared.seeking.load(Relaxed),
            0,
            "nobody would be woken ever again"
        );
    });
}

/// A summons ends the sleep of a worker that sleeps because all are idle, also between its last look and its wait; a sleep that nobody ends
/// is a deadlock. Mirrors `Port::summon`, `Worker::nap`.
#[test]
fn a_summons_ends_a_sleep_while_all_are_idle() {
    explore(|| {
        let shared = Nappers::new(1);
        let other = {
            let shared = shared.clone();
            thread::spawn(move || {
                if !shared.summon() {
                    shared.find();
                }
            })
        };
        shared.nap();
        other.join().unwrap();
    });
}

/// The guest, which was routed to worker 1 and is in transit (owner 9), and the resident, which is worker 1's.
const GUEST: usize = 1;
const RESIDENT: usize = 2;

/// A worker that naps (1) and one that robs it (2).
struct Robbery {
    cells: [Cell; 2],
    arrivals: List,
    idle: AtomicUsize,
    epoch: AtomicUsize,
    /// The guest has run.
    ran: AtomicUsize,
}

impl Robbery {
    fn new() -> Arc<Self> {
        let robbery = Self {
            cells: [Cell::new(9), Cell::new(1)],
            arrivals: List::default(),
            idle: AtomicUsize::new(1),
            epoch: AtomicUsize::new(0),
            ran: AtomicUsize::new(0),
        };
        robbery.arrivals.deliver_one(&robbery.cells, GUEST);
        Arc::new(robbery)
    }

    fn guest(&self) -> &Cell {
        &self.cells[GUEST - 1]
    }

    fn resident(&self) -> &Cell {
        &self.cells[RESIDENT - 1]
    }

    /// `Core::accept`, and the activation.
    fn accept(&self, me: usize) {
        assert_eq!(self.guest().owner(), 9, "accepted twice");
        self.guest().tag.store(tag(me, 0), Release);
        self.guest()
            .private
            .with_mut(|private| unsafe { (*private).got.push(me) });
        self.ran.store(1, Relaxed);
    }

    /// `Worker::intercept`: takes what is in transit, and puts the rest back.
    fn intercept(&self) {
        let mut chain = Chain::default();
        let taken: Vec<_> = self.arrivals.take_all(&self.cells).collect();
        for cell in taken {
            if self.cells[cell - 1].owner() == 9 {
                self.accept(2);
            } else {
                chain.add(&self.cells, cell);
            }
        }
        self.arrivals.deliver(&self.cells, chain);
    }

    /// `Worker::get_up` and `Core::receive` of the worker that has napped.
    fn receive(&self) {
        self.idle.fetch_sub(1, SeqCst);
        self.epoch.fetch_add(1, SeqCst);
        for cell in self.arrivals.take_all(&self.cells) {
            if self.cells[cell - 1].owner() == 9 {
                self.accept(1);
            } else {
                self.resident().collect_remote(EMPTY);
            }
        }
    }

    fn rest(&self) {
        self.idle.fetch_add(1, SeqCst);
    }

    /// `Team::is_quiet`.
    fn is_quiet(&self) -> bool {
        let epoch = self.epoch.load(SeqCst);
        self.idle.load(SeqCst) == 2 && {
            fence(SeqCst);
            !self.arrivals.has_mail() && {
                fence(SeqCst);
                self.idle.load(SeqCst) == 2 && self.epoch.load(SeqCst) == epoch
            }
        }
    }
}

/// A thief empties the list of arrivals of a worker that naps, while that one gets up and a sender writes twice to one of its actors:
/// nothing is lost or doubled, and the messages stay in order. Mirrors `Worker::intercept`, `Core::receive`, `Core::handle_token`.
///
/// Seen to fail: a thief that does not put the rest back.
#[test]
fn arrivals_are_taken_from_a_napping_worker() {
    explore(|| {
        let shared = Robbery::new();
        let thief = {
            let shared = shared.clone();
            thread::spawn(move || shared.intercept())
        };
        let sender = {
            let shared = shared.clone();
            thread::spawn(move || {
                for block in [FIRST, FIRST + 1] {
                    if shared.resident().push_remote(block, 0, block) == Some(true) {
                        shared.arrivals.deliver_one(&shared.cells, RESIDENT);
                    }
                }
            })
        };
        shared.receive();
        thief.join().unwrap();
        sender.join().unwrap();
        shared.receive();
        let accepted = shared
            .guest()
            .private
            .with(|private| unsafe { (*private).got.len() });
        assert_eq!(accepted, 1, "the guest was lost or doubled");
        shared.resident().private.with(|private| {
            assert_eq!(
                unsafe { &(*private).got },
                &[FIRST, FIRST + 1],
                "lost, doubled or out of order"
            );
        });
        assert_eq!(
            shared.resident().remote.load(Relaxed),
            word(EMPTY, 0),
            "the token is back"
        );
    });
}

/// Nobody takes the team for quiet while a thief has what it took from a napping worker's arrivals: the thief runs and stands for
/// that worker. Mirrors `Worker::intercept`, `Team::is_quiet`.
#[test]
fn a_robbed_worker_is_not_quiet() {
    explore(|| {
        let shared = Robbery::new();
        let thief = {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.intercept();
                shared.rest();
            })
        };
        let napper = {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.receive();
                shared.rest();
            })
        };
        if shared.is_quiet() {
            assert_eq!(shared.ran.load(Relaxed), 1, "quiet too early");
        }
        thief.join().unwrap();
        napper.join().unwrap();
        assert!(shared.is_quiet());
        assert_eq!(shared.ran.load(Relaxed), 1);
    });
}
