//! Rests of actors that write to one with too much mail.

use loom::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use loom::sync::atomic::{AtomicUsize, fence};
use loom::sync::{Arc, Mutex};
use loom::thread;

use super::cell::*;
use super::explore;

/// An actor that writes to one with too much mail, and what `pressure::Pressure` has of it.
struct Pressing {
    /// Messages that wait for the receiver: `gate::word`.
    waiting: AtomicUsize,
    /// The receiver has stopped: its tag has the next generation.
    gone: AtomicUsize,
    resting: AtomicUsize,
    names: Mutex<Names>,
    /// The sender, of worker 1. Blocks are signals: `FIRST` of the receiver's worker, `FIRST + 1` of the timers' thread.
    sender: Cell,
    inbound: Inbound,
}

/// What the lock of `Pressure` is around, for the one sender.
#[derive(Default)]
struct Names {
    /// It is in `State::rests`.
    entered: bool,
    /// Its time-out is set.
    timed: bool,
}

/// Who has more messages than `MOST` holds up those who write, until it has no more than `UNTIL`.
const MOST: usize = 2;
const UNTIL: usize = 1;

impl Pressing {
    /// As many messages wait as are no cause to rest yet. The sender runs, and its worker holds its token.
    fn new() -> Arc<Self> {
        let sender = Cell::new(1);
        sender.remote.store(word(TOKEN, 0), Relaxed);
        Arc::new(Self {
            waiting: AtomicUsize::new(MOST),
            gone: AtomicUsize::new(0),
            resting: AtomicUsize::new(0),
            names: Mutex::default(),
            sender,
            inbound: Inbound::default(),
        })
    }

    /// `gate::count_in` and `pressure::feel`; true if the sender is to rest.
    fn write(&self) -> bool {
        let felt = self.waiting.fetch_add(1, Relaxed) + 1 > MOST;
        if felt {
            let mut names = self.names.lock().unwrap();
            names.entered = true;
            self.resting.fetch_add(1, SeqCst);
        }
        felt
    }

    /// `park::prepare`, then `pressure::rest`: true if the sender is parked.
    fn rest(&self) -> bool {
        self.sender.collect_remote(EMPTY);
        fence(SeqCst);
        let mut names = self.names.lock().unwrap();
        let relieved = !names.entered || self.gone.load(Acquire) == 1 || self.waiting.load(Relaxed) <= UNTIL;
        if relieved {
            let entered = std::mem::take(&mut names.entered);
            drop(names);
            if entered {
                self.resting.fetch_sub(1, SeqCst);
            }
            return false;
        }
        names.timed = true;
        self.sender
            .private
            .with_mut(|private| unsafe { (*private).holds = true });
        true
    }

    /// `gate::release`, of one message.
    fn handle(&self) {
        if self.waiting.fetch_sub(1, Relaxed) == UNTIL + 1 {
            self.ease();
        }
    }

    /// `activation::end` and `gate::end`.
    fn end(&self) {
        self.gone.store(1, Release);
        self.ease();
    }

    /// `pressure::ease`.
    fn ease(&self) {
        fence(SeqCst);
        if self.resting.load(Relaxed) == 0 {
            return;
        }
        let entered = std::mem::take(&mut self.names.lock().unwrap().entered);
        if entered {
            self.go_on(FIRST);
            self.resting.fetch_sub(1, SeqCst);
        }
    }

    /// `pressure::time_is_up`, if the time-out is set.
    fn time_is_up(&self) {
        let mut names = self.names.lock().unwrap();
        let entered = names.timed && std::mem::take(&mut names.entered);
        drop(names);
        if entered {
            self.resting.fetch_sub(1, SeqCst);
            self.go_on(FIRST + 1);
        }
    }

    /// `park::pressure_ends`: a signal, which travels as a message does.
    fn go_on(&self, block: usize) {
        if self.sender.push_remote(block, 0, block) == Some(true) {
            self.inbound.push();
        }
    }

    /// What the sender's worker finds when all others have done what they do: nobody rests, and who was parked has heard that once.
    fn assert_over(&self, parked: bool) {
        if self.inbound.take() {
            self.sender.collect_remote(EMPTY);
        }
        let (signals, still_parked) = self.sender.private.with_mut(|private| unsafe {
            let signals = (*private).got.len();
            if signals > 0 {
                // `park::resume`.
                (*private).holds = false;
            }
            (signals, (*private).holds)
        });
        assert!(!still_parked, "nobody ends the rest");
        assert!(
            signals >= usize::from(parked) && signals <= 1,
            "{signals} signals"
        );
        assert_eq!(self.resting.load(Relaxed), 0);
    }
}

/// The receiver handles what waits, or ends, while the sender is about to rest, and no time-out helps: the sender does not rest, or it hears of it.
/// Mirrors `pressure::feel`, `pressure::rest`, `pressure::ease`, `gate::release`, `gate::end`.
///
/// Seen to fail: without the fence in `rest`; without the one in `ease`; entering the name after the look at the count; easing before the count is lowered, or before the tag says that the
/// receiver is gone; parking with the token in hand.
fn a_rest_is_ended(relief: fn(&Pressing)) {
    explore(move || {
        let shared = Pressing::new();
        let receiver = {
            let shared = shared.clone();
            thread::spawn(move || relief(&shared))
        };
        let felt = shared.write();
        let parked = felt && shared.rest();
        receiver.join().unwrap();
        shared.assert_over(parked);
        // Who does not rest keeps its token.
        let token = if felt { EMPTY } else { TOKEN };
        assert_eq!(shared.sender.remote.load(Relaxed), word(token, 0));
    });
}

#[test]
fn no_rest_is_missed_by_a_receiver_that_catches_up() {
    a_rest_is_ended(|shared| (0..2).for_each(|_| shared.handle()));
}

#[test]
fn no_rest_is_missed_by_a_receiver_that_ends() {
    a_rest_is_ended(Pressing::end);
}

/// The time is up while the receiver catches up: one of the two ends the rest, once. Mirrors `pressure::time_is_up` besides.
///
/// Seen to fail: a time-out that does not look whether the name is still entered; a receiver that leaves it there.
#[test]
fn a_rest_ends_once() {
    explore(|| {
        let shared = Pressing::new();
        let receiver = {
            let shared = shared.clone();
            thread::spawn(move || (0..2).for_each(|_| shared.handle()))
        };
        let timers = {
            let shared = shared.clone();
            thread::spawn(move || shared.time_is_up())
        };
        let parked = shared.write() && shared.rest();
        receiver.join().unwrap();
        timers.join().unwrap();
        shared.assert_over(parked);
    });
}

/// Three actors that write to each other in a circle, each with too much mail: not all of them rest. Mirrors `pressure::feel`, `State::leads`.
///
/// Seen to fail: the look along the chain and the entry under the lock each, instead of both in one.
#[test]
fn who_would_close_a_circle_does_not_rest() {
    explore(|| {
        // For whom each of them rests, 0 for nobody.
        let rests = Arc::new(Mutex::new([0; 4]));
        let actors: Vec<_> = [(1, 2), (2, 3), (3, 1)]
            .into_iter()
            .map(|(sender, receiver)| {
                let rests = rests.clone();
                thread::spawn(move || {
                    let mut rests = rests.lock().unwrap();
                    let mut at = receiver;
                    while at != sender && at != 0 {
                        at = rests[at];
                    }
                    if at == 0 {
                        rests[sender] = receiver;
                    }
                })
            })
            .collect();
        actors.into_iter().for_each(|actor| actor.join().unwrap());
        let rests = rests.lock().unwrap();
        let resting = rests[1..].iter().filter(|&&receiver| receiver != 0).count();
        assert_eq!(resting, 2, "all rest, or more than one goes on");
    });
}

/// A client hands its fresh actor over and ends, and its port is leased to a client of another runtime, while somebody looks where to write to the actor: it finds
/// the first runtime's inbox. Mirrors `client::home_by_tag`, `State::flush`, `client::scope`, `port::lease`, `port::give_back`.
///
/// Seen to fail: without the second look at the tag; storing the inbox without Release; loading it without Acquire; giving the port back before the actor is handed over.
#[test]
fn who_writes_to_a_fresh_actor_finds_its_inbox() {
    /// Owners in the tag: the client, and the worker to which the actor goes.
    const CLIENT: usize = 7;
    const WORKER: usize = 1;
    struct Shared {
        tag: AtomicUsize,
        /// Of the client's port: runtime 1 or 2.
        inbox: AtomicUsize,
        /// Ids that are free.
        ids: Mutex<Vec<usize>>,
    }
    explore(|| {
        let shared = Arc::new(Shared {
            tag: AtomicUsize::new(CLIENT),
            inbox: AtomicUsize::new(1),
            ids: Mutex::default(),
        });
        let client = {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.tag.store(WORKER, Release);
                shared.ids.lock().unwrap().push(CLIENT);
            })
        };
        let other = {
            let shared = shared.clone();
            thread::spawn(move || {
                let leased = shared.ids.lock().unwrap().pop();
                if leased.is_some() {
                    shared.inbox.store(2, Release);
                }
            })
        };
        let mut found = shared.tag.load(Acquire);
        // The worker's port stays.
        while found == CLIENT {
            let inbox = shared.inbox.load(Acquire);
            let now = shared.tag.load(Acquire);
            if now == found {
                assert_eq!(inbox, 1, "the inbox of another runtime");
                break;
            }
            found = now;
        }
        client.join().unwrap();
        other.join().unwrap();
    });
}
