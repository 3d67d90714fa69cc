//! The protocols between workers as small state machines, with the memory orderings of the code, run by loom
//! through every interleaving (up to a bound on preemptions). Each model names the functions it mirrors.
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test -p datil --release --test models`.
#![cfg(loom)]

use loom::cell::UnsafeCell;
use loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use loom::sync::atomic::{AtomicUsize, fence};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;

const EMPTY: usize = 0;
const TOKEN: usize = 1;
/// Blocks are numbered from here on, as pointers are greater than `TOKEN`.
const FIRST: usize = 2;

fn explore(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// A message block: written by its sender, then read by the owner.
#[derive(Default)]
struct Block {
    next: AtomicUsize,
    body: UnsafeCell<usize>,
}

/// One cell with `tag`, `remote` (generation above bit 8) and the part that only the owner may touch.
struct Cell {
    tag: AtomicUsize,
    remote: AtomicUsize,
    /// The link of an inbound list, of whoever holds the token.
    next_in: AtomicUsize,
    /// What the owner, and nobody else, reads and writes: state, private mailbox, flags.
    private: UnsafeCell<Private>,
    blocks: [Block; 3],
}

#[derive(Default)]
struct Private {
    got: Vec<usize>,
    generation: usize,
    holds: bool,
    dead: bool,
}

const fn word(state: usize, generation: usize) -> usize {
    state | generation << 8
}

const fn tag(owner: usize, generation: usize) -> usize {
    owner << 8 | generation
}

impl Cell {
    fn new(owner: usize) -> Self {
        Self {
            tag: AtomicUsize::new(tag(owner, 0)),
            remote: AtomicUsize::new(word(EMPTY, 0)),
            next_in: AtomicUsize::new(0),
            private: UnsafeCell::new(Private::default()),
            blocks: Default::default(),
        }
    }

    fn owner(&self) -> usize {
        self.tag.load(Acquire) >> 8
    }

    /// `mailbox::cell::push_remote`: `None` if the actor is gone, else whether the caller holds the token now.
    fn push_remote(&self, block: usize, generation: usize, body: usize) -> Option<bool> {
        self.blocks[block - FIRST]
            .body
            .with_mut(|place| unsafe { *place = body });
        let mut found = self.remote.load(Relaxed);
        loop {
            if found >> 8 != generation {
                return None;
            }
            let list = found & 0xFF;
            self.blocks[block - FIRST]
                .next
                .store(if list > TOKEN { list } else { 0 }, Relaxed);
            match self
                .remote
                .compare_exchange(found, word(block, generation), AcqRel, Relaxed)
            {
                Ok(_) => return Some(list == EMPTY),
                Err(now) => found = now,
            }
        }
    }

    /// `mailbox::cell::collect_remote`; the caller owns the cell, and holds the token if `state` is `EMPTY`.
    fn collect_remote(&self, state: usize) -> usize {
        let generation = self.tag.load(Relaxed) & 0xFF;
        let list = self.remote.swap(word(state, generation), AcqRel) & 0xFF;
        self.take(list)
    }

    fn take(&self, list: usize) -> usize {
        let mut bodies = Vec::new();
        let mut at = if list > TOKEN { list } else { 0 };
        while at != 0 {
            let block = &self.blocks[at - FIRST];
            bodies.push(block.body.with(|place| unsafe { *place }));
            at = block.next.load(Relaxed);
        }
        bodies.reverse();
        let count = bodies.len();
        self.private
            .with_mut(|private| unsafe { (*private).got.extend(bodies) });
        count
    }
}

/// An inbound list where there is one cell only: it holds its token or not. More than one at a time is the bug to be found. [`List`] is the list as it is.
#[derive(Default)]
struct Inbound(AtomicUsize);

impl Inbound {
    /// `worker::port::Port::deliver`.
    fn push(&self) {
        let before = self.0.swap(1, Release);
        assert_eq!(before, 0, "two tokens of one cell: the link would be overwritten");
    }

    /// `worker::port::Port::take_all`.
    fn take(&self) -> bool {
        self.0.swap(0, Acquire) == 1
    }
}

/// Tokens linked in the order in which they will be pushed: `worker::port::Chain`. Cells are numbered from 1 on, as pointers to them are not null.
#[derive(Default)]
struct Chain {
    newest: usize,
    oldest: usize,
}

impl Chain {
    fn of(cells: &[Cell], tokens: &[usize]) -> Self {
        let mut chain = Self::default();
        tokens.iter().for_each(|&cell| chain.add(cells, cell));
        chain
    }

    /// `Chain::add`.
    fn add(&mut self, cells: &[Cell], cell: usize) {
        cells[cell - 1].next_in.store(self.newest, Relaxed);
        self.newest = cell;
        if self.oldest == 0 {
            self.oldest = cell;
        }
    }
}

/// An inbound list: a stack of cells that are linked by their own words.
#[derive(Default)]
struct List(AtomicUsize);

impl List {
    /// `worker::port::Port::has_mail`.
    fn has_mail(&self) -> bool {
        self.0.load(Relaxed) != 0
    }

    /// `worker::port::Port::deliver`, without what wakes the worker.
    fn deliver(&self, cells: &[Cell], chain: Chain) {
        if chain.oldest == 0 {
            return;
        }
        let mut head = self.0.load(Relaxed);
        loop {
            cells[chain.oldest - 1].next_in.store(head, Relaxed);
            match self.0.compare_exchange(head, chain.newest, Release, Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    /// `worker::port::Port::deliver_one`.
    fn deliver_one(&self, cells: &[Cell], cell: usize) {
        self.deliver(cells, Chain::of(cells, &[cell]));
    }

    /// `worker::port::Port::take_all`.
    fn take_all<'a>(&self, cells: &'a [Cell]) -> Arrivals<'a> {
        let mut newest_left = self.0.swap(0, Acquire);
        let mut oldest = 0;
        while newest_left != 0 {
            let link = &cells[newest_left - 1].next_in;
            let next = link.load(Relaxed);
            link.store(oldest, Relaxed);
            oldest = newest_left;
            newest_left = next;
        }
        Arrivals { cells, at: oldest }
    }
}

/// `worker::port::Arrivals`: the link is read before the token is handled.
struct Arrivals<'a> {
    cells: &'a [Cell],
    at: usize,
}

impl Iterator for Arrivals<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let cell = self.at;
        if cell == 0 {
            return None;
        }
        self.at = self.cells[cell - 1].next_in.load(Relaxed);
        Some(cell)
    }
}

/// Two senders on other workers, the owner takes the token twice and collects before a local send in between.
/// Mirrors `Core::send_away`, `Core::handle_token`, `collect_remote_if_any`.
#[test]
fn remote_mailbox_and_token() {
    explore(|| {
        let shared = Arc::new((Cell::new(1), Inbound::default()));
        let senders: Vec<_> = (0..2)
            .map(|sender| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let (cell, inbound) = &*shared;
                    let blocks: &[usize] = if sender == 0 {
                        &[FIRST, FIRST + 1]
                    } else {
                        &[FIRST + 2]
                    };
                    for &block in blocks {
                        if cell.push_remote(block, 0, block) == Some(true) {
                            inbound.push();
                        }
                    }
                })
            })
            .collect();
        let (cell, inbound) = &*shared;
        if inbound.take() {
            cell.collect_remote(EMPTY);
        }
        // A local send: what came from elsewhere goes first, the token stays where it is.
        if cell.remote.load(Relaxed) & 0xFF > TOKEN {
            cell.collect_remote(TOKEN);
        }
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        if inbound.take() {
            cell.collect_remote(EMPTY);
        }
        cell.private.with(|private| {
            let got = unsafe { &(*private).got };
            let mut sorted = got.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [FIRST, FIRST + 1, FIRST + 2], "lost or doubled");
            let at = |body| got.iter().position(|&b| b == body).unwrap();
            assert!(at(FIRST) < at(FIRST + 1), "one sender's messages out of order");
        });
        assert_eq!(cell.remote.load(Relaxed), word(EMPTY, 0), "the token is back");
    });
}

/// A sender pushes while the actor dies, and the cell is used again as soon as it may be.
/// Mirrors `bury`, `Core::release`, `Core::handle_token` and `push_remote`.
#[test]
fn death_with_a_token_out() {
    explore(|| {
        let shared = Arc::new((Cell::new(1), Inbound::default()));
        let sender = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (cell, inbound) = &*shared;
                if cell.push_remote(FIRST, 0, 7) == Some(true) {
                    // The cell must still have an owner to bring the token to.
                    assert_ne!(cell.owner(), 0, "freed while its token was out");
                    inbound.push();
                }
            })
        };
        let (cell, inbound) = &*shared;
        // bury
        cell.tag.store(tag(1, 1), Release);
        let last = cell.remote.swap(word(TOKEN, 1), AcqRel) & 0xFF;
        let dropped = cell.take(last);
        let token_is_out = last != EMPTY;
        let reuse = || {
            cell.remote.store(word(EMPTY, 1), Relaxed);
            cell.tag.store(tag(0, 1), Release);
            cell.private.with_mut(|private| unsafe {
                (*private).got.clear();
                (*private).generation = 1;
            });
            cell.tag.store(tag(1, 1), Release);
        };
        if token_is_out {
            cell.private.with_mut(|private| unsafe { (*private).dead = true });
        } else {
            reuse();
        }
        sender.join().unwrap();
        if inbound.take() {
            assert!(
                token_is_out && dropped == 1,
                "a message reached an actor that is gone"
            );
            reuse();
        }
        cell.private.with(|private| unsafe {
            assert_eq!((*private).generation, 1, "the cell was never freed");
            assert!(
                (*private).got.is_empty(),
                "a message for the former actor reached the next one"
            );
        });
        assert_eq!(cell.remote.load(Relaxed), word(EMPTY, 1));
    });
}

const RUNNING: usize = 0;
const IDLE: usize = 1;
const LOCKED: usize = 2;
const CLAIMED: usize = 5;

/// `Core::adopt`, then a local send: touches what only the owner may touch.
fn adopt(cell: &Cell, state: &AtomicUsize, from: usize, me: usize) -> bool {
    if cell.tag.load(Acquire) >> 8 != from || state.load(Relaxed) != IDLE {
        return false;
    }
    if state.compare_exchange(IDLE, LOCKED, Acquire, Relaxed).is_err() {
        return false;
    }
    let ours = cell.tag.load(Acquire) == tag(from, 0);
    if ours {
        cell.tag.store(tag(me, 0), Release);
    }
    state.store(IDLE, Release);
    if ours {
        cell.private
            .with_mut(|private| unsafe { (*private).got.push(me) });
    }
    ours
}

/// Two adopters and the owner that wakes up: whoever the tag names touches the actor, and nobody else.
/// Mirrors `Core::adopt`, `Worker::rest` and `Worker::get_up`.
#[test]
fn adoption_against_waking_up_and_each_other() {
    explore(|| {
        let shared = Arc::new((Cell::new(1), AtomicUsize::new(RUNNING)));
        let adopters: Vec<_> = (2..4)
            .map(|me| {
                let shared = shared.clone();
                thread::spawn(move || adopt(&shared.0, &shared.1, 1, me))
            })
            .collect();
        let (cell, state) = &*shared;
        cell.private.with_mut(|private| unsafe { (*private).got.push(1) });
        state.store(IDLE, Release);
        // get_up
        while state.compare_exchange(IDLE, RUNNING, Acquire, Acquire).is_err() {
            thread::yield_now();
        }
        let still_mine = cell.tag.load(Acquire) == tag(1, 0);
        if still_mine {
            cell.private.with_mut(|private| unsafe { (*private).got.push(1) });
        }
        let adopted = adopters
            .into_iter()
            .filter(|_| true)
            .map(|a| a.join().unwrap())
            .filter(|&a| a)
            .count();
        assert_eq!(adopted + usize::from(still_mine), 1, "two owners, or none");
    });
}

/// One who has something to give claims an idle worker, and perhaps takes that back, while another adopts an actor of that worker: once it has got up it sees
/// whose the actor is. Mirrors `Core::adopt`, `Team::claim`, `Core::take_back`, `Worker::get_up` and `Worker::follow_claim`.
///
/// Seen to fail: claiming without Acquire, or taking back without Release.
#[test]
fn adoption_against_a_claim() {
    explore(|| {
        let shared = Arc::new((Cell::new(2), AtomicUsize::new(IDLE)));
        let adopter = {
            let shared = shared.clone();
            thread::spawn(move || adopt(&shared.0, &shared.1, 2, 3))
        };
        let giver = {
            let shared = shared.clone();
            thread::spawn(move || {
                let state = &shared.1;
                if state.compare_exchange(IDLE, LOCKED, Acquire, Relaxed).is_err() {
                    return;
                }
                state.store(CLAIMED, Release);
                if state.compare_exchange(CLAIMED, LOCKED, Acquire, Relaxed).is_ok() {
                    state.store(IDLE, Release);
                }
            })
        };
        let (cell, state) = &*shared;
        // get_up
        loop {
            match state.compare_exchange(IDLE, RUNNING, Acquire, Acquire) {
                Ok(_) => break,
                Err(CLAIMED) if state.compare_exchange(CLAIMED, RUNNING, Acquire, Relaxed).is_ok() => break,
                Err(_) => thread::yield_now(),
            }
        }
        let still_mine = cell.tag.load(Acquire) == tag(2, 0);
        if still_mine {
            cell.private.with_mut(|private| unsafe { (*private).got.push(2) });
        }
        let adopted = adopter.join().unwrap();
        giver.join().unwrap();
        assert!(adopted != still_mine, "two owners, or none");
    });
}

/// One who claims an idle worker, and perhaps takes that back, and one who calls it note that its thread is kept off some processors; once it has got up it takes
/// that back, and nobody notes it any more. Mirrors `Team::claim`, `Team::call_apart`, `Core::take_back`, `Worker::get_up`, `Worker::follow_claim` and, for what is
/// noted, `placement::Spot`: loom reports two accesses that nothing orders.
///
/// Seen to fail: getting up without Acquire, calling without the lock.
#[test]
fn who_is_kept_off_goes_free() {
    explore(|| {
        let shared = Arc::new((AtomicUsize::new(IDLE), UnsafeCell::new(0)));
        let locks = |state: &AtomicUsize| state.compare_exchange(IDLE, LOCKED, Acquire, Relaxed).is_ok();
        let keep_off = |noted: &UnsafeCell<usize>| noted.with_mut(|noted| unsafe { *noted += 1 });
        let claimer = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (state, noted) = &*shared;
                if !locks(state) {
                    return;
                }
                keep_off(noted);
                state.store(CLAIMED, Release);
                if state.compare_exchange(CLAIMED, LOCKED, Acquire, Relaxed).is_ok() {
                    state.store(IDLE, Release);
                }
            })
        };
        let caller = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (state, noted) = &*shared;
                if locks(state) {
                    keep_off(noted);
                    state.store(IDLE, Release);
                }
            })
        };
        let (state, noted) = &*shared;
        // get_up
        loop {
            match state.compare_exchange(IDLE, RUNNING, Acquire, Acquire) {
                Ok(_) => break,
                Err(CLAIMED) if state.compare_exchange(CLAIMED, RUNNING, Acquire, Relaxed).is_ok() => break,
                Err(_) => thread::yield_now(),
            }
        }
        noted.with_mut(|noted| unsafe { *noted = 0 });
        claimer.join().unwrap();
        caller.join().unwrap();
        assert_eq!(noted.with(|noted| unsafe { *noted }), 0, "kept off for ever");
    });
}

/// An owner gives an actor away while a sender writes to it. Mirrors `Core::give` (`take_token`), `Core::accept`,
/// `Core::handle_token` (forwarding), `bring_token`.
#[test]
fn gift_against_a_send() {
    explore(|| {
        // Worker 1 gives to worker 2; TRANSIT is owner 9.
        let shared = Arc::new((Cell::new(1), [Inbound::default(), Inbound::default()]));
        let bring = |cell: &Cell, inbound: &[Inbound; 2]| {
            let owner = cell.owner();
            assert!(owner == 1 || owner == 2, "a token holder met an actor in transit");
            inbound[owner - 1].push();
        };
        let sender = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (cell, inbound) = &*shared;
                if cell.push_remote(FIRST, 0, 7) == Some(true) {
                    bring(cell, inbound);
                }
            })
        };
        let receiver = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (cell, inbound) = &*shared;
                if inbound[1].take() {
                    handle(cell, inbound, 2);
                }
            })
        };
        fn handle(cell: &Cell, inbound: &[Inbound; 2], me: usize) {
            let owner = cell.owner();
            if owner == me {
                cell.collect_remote(EMPTY);
            } else if owner == 9 {
                // accept, then the end of the activation gives the token up (`go_idle`).
                cell.private
                    .with_mut(|private| unsafe { (*private).holds = true });
                cell.tag.store(tag(me, 0), Release);
                cell.private
                    .with_mut(|private| unsafe { (*private).holds = false });
                cell.collect_remote(EMPTY);
            } else {
                inbound[owner - 1].push();
            }
        }
        let (cell, inbound) = &*shared;
        let taken = cell
            .remote
            .compare_exchange(word(EMPTY, 0), word(TOKEN, 0), Acquire, Relaxed)
            .is_ok();
        if taken {
            cell.private
                .with_mut(|private| unsafe { (*private).holds = true });
            cell.tag.store(tag(9, 0), Release);
            inbound[1].push();
        }
        sender.join().unwrap();
        receiver.join().unwrap();
        for _ in 0..2 {
            for me in 1..=2 {
                if inbound[me - 1].take() {
                    handle(cell, inbound, me);
                }
            }
        }
        assert_eq!(cell.owner(), if taken { 2 } else { 1 });
        cell.private
            .with(|private| assert_eq!(unsafe { &(*private).got }, &[7]));
        assert_eq!(cell.remote.load(Relaxed), word(EMPTY, 0));
    });
}

/// A giver claims an idle worker and delivers an actor to it, then takes it back unless the
/// worker has got up. Mirrors `Team::claim`, `Core::give`, `Core::take_back`, `Worker::follow_claim`.
///
/// Seen to fail: taking back without the exchange (a load of `CLAIMED`), the worker following without it, claiming by one exchange and counting afterwards.
#[test]
fn a_claim_is_followed_or_taken_back() {
    const TRANSIT: usize = 9;
    struct Shared {
        cell: Cell,
        /// Of the idle worker, number 2.
        inbound: Inbound,
        state: AtomicUsize,
        /// Workers that idle, of two.
        idle: AtomicUsize,
    }
    fn accept(cell: &Cell, me: usize) {
        assert_eq!(
            cell.owner(),
            TRANSIT,
            "the list held an actor that is not on its way"
        );
        cell.private
            .with_mut(|private| unsafe { (*private).got.push(me) });
        cell.tag.store(tag(me, 0), Release);
        cell.collect_remote(EMPTY);
    }
    explore(|| {
        let mut cell = Cell::new(1);
        // The giver holds the token of what it gives.
        cell.remote = AtomicUsize::new(word(TOKEN, 0));
        let shared = Arc::new(Shared {
            cell,
            inbound: Inbound::default(),
            state: AtomicUsize::new(IDLE),
            idle: AtomicUsize::new(1),
        });
        let worker = {
            let shared = shared.clone();
            thread::spawn(move || {
                let Shared {
                    cell,
                    inbound,
                    state,
                    idle,
                } = &*shared;
                let followed = state.load(Relaxed) == CLAIMED
                    && state.compare_exchange(CLAIMED, RUNNING, Acquire, Relaxed).is_ok();
                if followed && inbound.take() {
                    accept(cell, 2);
                }
                if followed {
                    // It rests.
                    let idle = idle.fetch_add(1, SeqCst) + 1;
                    assert!(idle < 2, "all seem to idle while the giver is at work");
                }
                followed
            })
        };
        let Shared {
            cell,
            inbound,
            state,
            idle,
        } = &*shared;
        assert!(state.compare_exchange(IDLE, LOCKED, Acquire, Relaxed).is_ok());
        idle.fetch_sub(1, SeqCst);
        state.store(CLAIMED, Release);
        cell.tag.store(tag(TRANSIT, 0), Release);
        inbound.push();
        let taken_back = state.compare_exchange(CLAIMED, LOCKED, Acquire, Relaxed).is_ok();
        if taken_back {
            if inbound.take() {
                accept(cell, 1);
            }
            idle.fetch_add(1, SeqCst);
            state.store(IDLE, Release);
        }
        let followed = worker.join().unwrap();
        assert_eq!(idle.load(SeqCst), 1);
        if followed && inbound.take() {
            // It looks again before it rests.
            accept(cell, 2);
        }
        assert!(!(followed && taken_back), "both have it");
        assert_eq!(followed || taken_back, cell.owner() != TRANSIT);
        assert_eq!(state.load(Relaxed), if followed { RUNNING } else { IDLE });
    });
}

const ABSENT: usize = 3;
const ABSENT_LOCKED: usize = 4;

/// What lets a worker and who acts for it use its core in turn: `worker::absence::Presence`, and the worker's state.
struct Presence {
    inside: AtomicUsize,
    my_tag: AtomicUsize,
    state: AtomicUsize,
}

impl Presence {
    /// Of a worker that runs and is inside.
    fn new() -> Self {
        Self {
            inside: AtomicUsize::new(1),
            my_tag: AtomicUsize::new(1),
            state: AtomicUsize::new(RUNNING),
        }
    }

    /// `Core::leave`.
    fn leave(&self) {
        self.inside.store(0, Release);
    }

    /// `Core::enter`, then `Core::be_present` and `Core::come_in`; true if somebody may have acted for the worker. The light fence is one here; what the pair
    /// guarantees is the same.
    fn enter(&self) -> bool {
        loop {
            self.inside.store(1, Relaxed);
            fence(SeqCst);
            if self.my_tag.load(Relaxed) != 0 {
                return false;
            }
            self.leave();
            if self.end_absence() {
                return true;
            }
        }
    }

    /// `Core::come_back` by who is inside for longer; true if somebody may have acted for the worker.
    fn enter_and_stay(&self) -> bool {
        self.inside.store(1, Relaxed);
        fence(SeqCst);
        self.end_absence()
    }

    /// `Core::end_absence`; false if nobody has acted for the worker.
    fn end_absence(&self) -> bool {
        while self.my_tag.load(Relaxed) == 0 {
            if self
                .state
                .compare_exchange(ABSENT, RUNNING, Acquire, Relaxed)
                .is_ok()
            {
                self.inside.store(1, Relaxed);
                self.my_tag.store(1, Release);
                return true;
            }
            thread::yield_now();
        }
        false
    }

    /// `Core::with_absent` up to the lock; false if the worker is inside or somebody else is at it.
    fn lock(&self) -> bool {
        if self
            .state
            .compare_exchange(ABSENT, ABSENT_LOCKED, Acquire, Relaxed)
            .is_ok()
        {
            return true;
        }
        if self.my_tag.compare_exchange(1, 0, AcqRel, Relaxed).is_err() {
            return false;
        }
        fence(SeqCst);
        if self.inside.load(Acquire) != 0 {
            self.my_tag.store(1, Release);
            return false;
        }
        self.state.store(ABSENT_LOCKED, Relaxed);
        true
    }

    /// The end of `Core::with_absent`.
    fn unlock(&self) {
        self.state.store(ABSENT, Release);
    }
}

/// What `worker::absence` is about: a worker's private core, whether it is inside, its tag, its state.
struct Absent {
    presence: Presence,
    /// The run queue: numbers of the cells in it.
    queue: UnsafeCell<Vec<usize>>,
    /// Number of the cell whose token is in the inbound list, 0 if none is.
    inbound: AtomicUsize,
    /// The actor that runs, one that is queued, one that is idle, another one that is queued.
    cells: [Cell; 4],
    /// The actor whose handler runs: `Core::current`, part of the core.
    current: UnsafeCell<usize>,
}

impl Absent {
    /// `Core::take_over`: of what is queued there so many belong to `me` now, and what has arrived for one that stays queued is seen to in its
    /// worker's place. Returns what was taken.
    fn rescue(&self, me: usize, grant: usize) -> Vec<usize> {
        if !self.presence.lock() {
            return Vec::new();
        }
        let taken: Vec<usize> = self
            .queue
            .with_mut(|queue| unsafe { (*queue).drain(..grant).collect() });
        for &cell in &taken {
            self.cells[cell].tag.store(tag(me, 0), Release);
            self.touch(cell, me);
        }
        self.receive(me);
        self.presence.unlock();
        taken
    }

    /// `Core::handle_token_for` for what is in the inbound list, by who may use the core.
    fn receive(&self, me: usize) {
        let arrived = self.inbound.swap(0, AcqRel);
        if arrived == 0 {
            return;
        }
        let stays = self.queue.with(|queue| unsafe { (*queue).contains(&arrived) });
        if !stays && self.cells[arrived].tag.load(Acquire) == tag(1, 0) {
            self.cells[arrived].tag.store(tag(me, 0), Release);
        }
        if stays || self.cells[arrived].tag.load(Acquire) == tag(me, 0) {
            self.touch(arrived, me);
        }
    }

    /// `Core::adopt` of an absent worker's actor, then a local send.
    fn adopt(&self, cell: usize, me: usize) -> bool {
        if self
            .presence
            .state
            .compare_exchange(ABSENT, ABSENT_LOCKED, Acquire, Relaxed)
            .is_err()
        {
            return false;
        }
        let ours = self.cells[cell].tag.load(Acquire) == tag(1, 0)
            && cell != self.current.with(|current| unsafe { *current });
        if ours {
            self.cells[cell].tag.store(tag(me, 0), Release);
        }
        self.presence.unlock();
        if ours {
            self.touch(cell, me);
        }
        ours
    }

    /// What only the owner may do.
    fn touch(&self, cell: usize, me: usize) {
        self.cells[cell]
            .private
            .with_mut(|private| unsafe { (*private).got.push(me) });
    }
}

/// A worker runs a handler and enters the runtime in it, while one worker takes some of what is queued there and adopts, and another adopts. Whoever
/// touches the core or an actor is alone with it: loom reports two accesses that nothing orders.
/// Mirrors `Core::enter`, `Core::leave`, `Core::come_back`, `Core::come_in`, `Core::rescue`, `Core::revoke`, `Core::adopt`.
#[test]
fn absence() {
    explore(|| {
        let shared = Arc::new(Absent {
            presence: Presence::new(),
            queue: UnsafeCell::new(vec![1, 3]),
            // For the one that stays behind.
            inbound: AtomicUsize::new(3),
            cells: [Cell::new(1), Cell::new(1), Cell::new(1), Cell::new(1)],
            current: UnsafeCell::new(0),
        });
        let rescuer = {
            let shared = shared.clone();
            thread::spawn(move || {
                let rescued = shared.rescue(2, 1);
                // The actor whose handler runs is never to be had.
                assert!(!shared.adopt(0, 2));
                rescued
            })
        };
        let adopter = {
            let shared = shared.clone();
            thread::spawn(move || usize::from(shared.adopt(2, 3)))
        };
        // The worker: its core and the actor that runs are its own before the handler, in a send, and after it.
        let queued = |shared: &Absent| {
            shared.touch(0, 1);
            let queued = shared.queue.with_mut(|queue| unsafe { (*queue).clone() });
            let ours = |&cell: &usize| shared.cells[cell].tag.load(Acquire) == tag(1, 0);
            assert!(queued.iter().all(ours), "what is queued here is another's");
            for cell in 1..4 {
                if shared.cells[cell].tag.load(Acquire) == tag(1, 0) {
                    shared.touch(cell, 1);
                }
            }
            queued
        };
        assert_eq!(queued(&shared), [1, 3]);
        shared.presence.leave();
        shared.presence.enter_and_stay();
        queued(&shared);
        shared.presence.leave();
        shared.presence.enter();
        let before = queued(&shared);
        shared.receive(1);
        let adopted = adopter.join().unwrap();
        let rescued = rescuer.join().unwrap();
        // Nobody comes any more but us: we are inside.
        let left = queued(&shared);
        assert_eq!(
            [rescued, left.clone()].concat(),
            [1, 3],
            "queued twice or nowhere"
        );
        assert!(left.len() <= before.len());
        assert_eq!(
            shared.cells[2].tag.load(Acquire),
            if adopted == 1 { tag(3, 0) } else { tag(1, 0) }
        );
        assert_eq!(shared.presence.state.load(Relaxed), RUNNING);
    });
}

/// The futex word of a worker.
#[derive(Default)]
struct Futex {
    word: AtomicUsize,
    kernel: Mutex<()>,
    sleepers: Condvar,
}

impl Futex {
    fn wait(&self) {
        let guard = self.kernel.lock().unwrap();
        if self.word.load(Relaxed) == 1 {
            drop(self.sleepers.wait(guard).unwrap());
        }
    }

    fn wake(&self) {
        drop(self.kernel.lock().unwrap());
        self.sleepers.notify_all();
    }
}

/// Two threads deliver while the worker goes to sleep; it must see both. A lost wake-up is a deadlock, which loom reports.
/// Mirrors `Worker::rest`, `Worker::get_up`, `Port::deliver`, `Port::notify`, `Port::rouse`.
#[test]
fn no_wake_up_is_lost() {
    explore(|| {
        let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(RUNNING), Futex::default()));
        let senders: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let (inbound, state, sleeping) = &*shared;
                    inbound.fetch_add(1, Release);
                    fence(SeqCst);
                    if state.load(Relaxed) == RUNNING && sleeping.word.load(Relaxed) == 0 {
                        return;
                    }
                    if sleeping.word.load(Relaxed) == 1 && sleeping.word.swap(0, AcqRel) == 1 {
                        sleeping.wake();
                    }
                })
            })
            .collect();
        let (inbound, state, sleeping) = &*shared;
        let mut seen = inbound.swap(0, Acquire);
        while seen < 2 {
            state.store(IDLE, Release);
            while inbound.load(Relaxed) == 0 {
                sleeping.word.swap(1, AcqRel);
                fence(SeqCst);
                if inbound.load(Relaxed) == 0 {
                    sleeping.wait();
                }
                sleeping.word.swap(0, AcqRel);
            }
            while state.compare_exchange(IDLE, RUNNING, Acquire, Acquire).is_err() {
                thread::yield_now();
            }
            seen += inbound.swap(0, Acquire);
        }
        senders.into_iter().for_each(|sender| sender.join().unwrap());
    });
}

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

/// The state of an actor that is read by several, and how its owner hears that it may go on.
#[derive(Default)]
struct ReadState {
    state: UnsafeCell<usize>,
    /// `query::readers::Room`.
    inside: AtomicUsize,
    /// The last reader's signal, on its way through the actor's remote list.
    resumed: AtomicUsize,
}

impl ReadState {
    /// `Room::open`.
    fn open(&self) {
        self.inside.store(1, Release);
    }

    /// `Room::enter`.
    fn enter(&self) -> bool {
        let mut inside = self.inside.load(Relaxed);
        while inside > 0 {
            match self.inside.compare_exchange(inside, inside + 1, Acquire, Relaxed) {
                Ok(_) => return true,
                Err(now) => inside = now,
            }
        }
        false
    }

    /// `Room::leave`.
    fn leave(&self) -> bool {
        self.inside.fetch_sub(1, AcqRel) == 1
    }

    fn read(&self) -> usize {
        self.state.with(|state| unsafe { *state })
    }

    fn write(&self, value: usize) {
        self.state.with_mut(|state| unsafe { *state = value });
    }

    /// `query::Helper::started`, and the end of its `Visit`.
    fn help(&self, sees: &[usize]) {
        if self.enter() {
            let seen = self.read();
            assert!(sees.contains(&seen), "a reader saw {seen}");
            if self.leave() {
                // `park::nobody_reads`: pushed with Release, as any block.
                assert_eq!(self.resumed.swap(1, AcqRel), 0, "let go on twice");
            }
        }
    }

    /// `query::close`, and what follows: a message that changes the state, at once or when the actor goes on.
    fn close_and_write(&self, value: usize) {
        if !self.leave() {
            while self.resumed.swap(0, AcqRel) == 0 {
                thread::yield_now();
            }
        }
        self.write(value);
    }
}

/// The owner reads beside two helpers, then changes the state; helpers may come too late. Mirrors `query::readers::Room`, `query::close`
/// and `park::resume`. Loom reports a reader that meets the write.
#[test]
fn readers_leave_before_the_state_changes() {
    explore(|| {
        let shared = Arc::new(ReadState::default());
        shared.write(1);
        shared.open();
        let helpers: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || shared.help(&[1]))
            })
            .collect();
        assert_eq!(shared.read(), 1);
        shared.close_and_write(2);
        helpers
            .into_iter()
            .for_each(|helper| helper.join().expect("helpers do not panic"));
        assert_eq!((shared.read(), shared.inside.load(Relaxed)), (2, 0));
    });
}

/// A helper called for one phase of reading may come in the next one; it is then one of that phase's readers, and the owner waits for it.
#[test]
fn a_late_reader_joins_the_next_phase() {
    explore(|| {
        let shared = Arc::new(ReadState::default());
        shared.write(1);
        shared.open();
        let helper = {
            let shared = shared.clone();
            thread::spawn(move || shared.help(&[1, 2]))
        };
        shared.close_and_write(2);
        shared.open();
        shared.close_and_write(3);
        helper.join().expect("helpers do not panic");
        assert_eq!(shared.read(), 3);
    });
}

const ASLEEP: usize = 1;
const NAPPING: usize = 2;
const SUMMONED: usize = 3;

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

/// Two workers that idle. Something has come for the first one, which passes it on to the second.
struct Relay {
    mail: [AtomicUsize; 2],
    idle: AtomicUsize,
    epoch: AtomicUsize,
}

impl Relay {
    /// `Worker::get_up`, what it runs, and `Worker::rest`.
    fn pass_on(&self) {
        self.idle.fetch_sub(1, SeqCst);
        self.epoch.fetch_add(1, SeqCst);
        assert_eq!(self.mail[0].swap(0, AcqRel), 1);
        self.mail[1].swap(1, AcqRel);
        fence(SeqCst);
        self.idle.fetch_add(1, SeqCst);
    }

    /// `Team::is_quiet`; it may look at the list of the second one first.
    fn is_quiet(&self) -> bool {
        let epoch = self.epoch.load(SeqCst);
        self.idle.load(SeqCst) == 2 && {
            fence(SeqCst);
            self.mail.iter().rev().all(|mail| mail.load(Relaxed) == 0) && {
                fence(SeqCst);
                self.idle.load(SeqCst) == 2 && self.epoch.load(SeqCst) == epoch
            }
        }
    }
}

/// What a worker passes on to another one while somebody asks whether all is quiet is not overlooked, though one of the two lists is always empty. Mirrors
/// `Worker::get_up`, `Worker::rest`, `Team::is_quiet`.
///
/// Seen to fail: `epoch` is raised before `idle` is lowered.
#[test]
fn what_was_passed_on_is_not_quiet() {
    explore(|| {
        let shared = Arc::new(Relay {
            mail: [AtomicUsize::new(1), AtomicUsize::new(0)],
            idle: AtomicUsize::new(2),
            epoch: AtomicUsize::new(0),
        });
        let first = {
            let shared = shared.clone();
            thread::spawn(move || shared.pass_on())
        };
        assert!(!shared.is_quiet(), "the second one has not run");
        first.join().unwrap();
        assert!(!shared.is_quiet());
    });
}

/// Cells of which something is on its way to a worker, number 2, whose list of arrivals this is.
struct Delivery<const CELLS: usize> {
    cells: [Cell; CELLS],
    list: List,
    /// `Inbox::position`, of two records.
    position: AtomicUsize,
}

impl<const CELLS: usize> Delivery<CELLS> {
    fn new(owner: usize) -> Self {
        Self {
            cells: std::array::from_fn(|_| Cell::new(owner)),
            list: List::default(),
            position: AtomicUsize::new(0),
        }
    }

    /// `Core::route` and `Core::bring`, of a worker that takes no records: the token is delivered at once.
    fn send(&self, cell: usize, block: usize) {
        if self.cells[cell - 1].push_remote(block, 0, block) == Some(true) {
            self.list.deliver_one(&self.cells, cell);
        }
    }

    /// `Core::receive` and `Core::handle_token` of the worker that owns the cells.
    fn receive(&self) {
        for cell in self.list.take_all(&self.cells) {
            self.cells[cell - 1].collect_remote(EMPTY);
        }
    }

    fn got(&self, cell: usize) -> Vec<usize> {
        self.cells[cell - 1]
            .private
            .with(|private| unsafe { (*private).got.clone() })
    }
}

/// Two workers give actors to a third one, one of them two in a chain, while that one takes its list: each arrives once and as its giver left it, those of one
/// chain in order. Mirrors `Chain::add`, `Port::deliver`, `Port::take_all`.
///
/// Seen to fail: delivering without Release; taking without Acquire; delivering by a load and a store; a list that is not turned round.
#[test]
fn arrivals_are_all_there_and_in_order() {
    /// Worker 1 or 3 has run the actor last.
    fn give(shared: &Delivery<3>, tokens: &[usize]) {
        for &token in tokens {
            shared.cells[token - 1]
                .private
                .with_mut(|private| unsafe { (*private).got.push(token) });
        }
        shared
            .list
            .deliver(&shared.cells, Chain::of(&shared.cells, tokens));
    }
    explore(|| {
        let shared = Arc::new(Delivery::<3>::new(9));
        let givers: Vec<_> = [&[1, 2][..], &[3][..]]
            .into_iter()
            .map(|tokens| {
                let shared = shared.clone();
                thread::spawn(move || give(&shared, tokens))
            })
            .collect();
        let mut came = Vec::new();
        let mut accept = || {
            for cell in shared.list.take_all(&shared.cells) {
                assert_eq!(shared.got(cell), [cell], "not as it was left");
                came.push(cell);
            }
        };
        accept();
        givers.into_iter().for_each(|giver| giver.join().unwrap());
        accept();
        let at = |cell| came.iter().position(|&other| other == cell);
        assert!(at(1) < at(2), "out of order: {came:?}");
        came.sort_unstable();
        assert_eq!(came, [1, 2, 3], "lost or doubled");
    });
}

/// A worker handles the tokens of its list one after the other, while each cell whose token it has given up is brought again: the rest of the list is not lost
/// by that. Mirrors `Arrivals::next`, `Core::receive`, `Core::handle_token`.
///
/// Seen to fail: reading the link after the token was handled.
#[test]
fn a_link_is_read_before_its_token_is_handled() {
    explore(|| {
        let shared = Arc::new(Delivery::<2>::new(2));
        shared.send(1, FIRST);
        shared.send(2, FIRST);
        let senders: Vec<_> = (1..=2)
            .map(|cell| {
                let shared = shared.clone();
                thread::spawn(move || shared.send(cell, FIRST + 1))
            })
            .collect();
        shared.receive();
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        shared.receive();
        for cell in 1..=2 {
            assert_eq!(shared.got(cell), [FIRST, FIRST + 1], "lost or out of order");
            assert_eq!(shared.cells[cell - 1].remote.load(Relaxed), word(EMPTY, 0));
        }
        assert!(!shared.list.has_mail());
    });
}

/// A worker under a policy that routes takes two records for actors of another one and keeps the tokens until it has taken both; that one writes to one of the
/// actors meanwhile, and so does a third worker. Who finds the inbox empty finds delivered what was in it, and everything comes once and in order.
/// Mirrors `Inbox::drain`, `Core::deliver_token`, `Core::deliver_gathered`, `Core::admit`.
///
/// Seen to fail: saying so by the position before the tokens are delivered; storing the position without Release, or loading it without Acquire; delivering without
/// Release; a chain of which the newest token alone is delivered.
#[test]
fn who_finds_the_inbox_empty_finds_delivered_what_was_in_it() {
    explore(|| {
        let shared = Arc::new(Delivery::<2>::new(2));
        let taker = {
            let shared = shared.clone();
            thread::spawn(move || {
                let mut gathered = Chain::default();
                for cell in 1..=2 {
                    if shared.cells[cell - 1].push_remote(FIRST, 0, FIRST) == Some(true) {
                        gathered.add(&shared.cells, cell);
                    }
                }
                shared.list.deliver(&shared.cells, gathered);
                shared.position.store(2, Release);
            })
        };
        let sender = {
            let shared = shared.clone();
            thread::spawn(move || shared.send(1, FIRST + 1))
        };
        // A local send: what has come from elsewhere goes first, and the token, which is out, stays where it is.
        let local = &shared.cells[1];
        if local.remote.load(Relaxed) & 0xFF > TOKEN {
            local.collect_remote(TOKEN);
        }
        local
            .private
            .with_mut(|private| unsafe { (*private).got.push(FIRST + 2) });
        let is_empty = shared.position.load(Acquire) == 2;
        if shared.list.has_mail() {
            shared.receive();
        }
        if is_empty {
            let came = (1..=2).all(|cell| shared.got(cell).contains(&FIRST));
            // The token of the first one may be its sender's, who has not brought it yet; that one is not idle meanwhile.
            let others = shared.cells[0].remote.load(Relaxed) & 0xFF > TOKEN;
            assert!(came || others && shared.got(2).contains(&FIRST), "not delivered");
        }
        taker.join().unwrap();
        sender.join().unwrap();
        shared.receive();
        let sorted = |cell| {
            let mut got = shared.got(cell);
            got.sort_unstable();
            got
        };
        assert_eq!(sorted(1), [FIRST, FIRST + 1], "lost or doubled");
        assert_eq!(sorted(2), [FIRST, FIRST + 2], "lost or doubled");
        for cell in &shared.cells {
            assert_eq!(cell.remote.load(Relaxed), word(EMPTY, 0), "the token is back");
        }
    });
}

/// A worker (1) that is in the handler of an actor, and what others have brought to it.
struct Deaf {
    presence: Presence,
    core: UnsafeCell<DeafCore>,
    /// The one that runs, and an idle one.
    cells: [Cell; 2],
    /// Of workers 1 and 2.
    lists: [List; 2],
}

/// The part that only the worker, or who acts for it, may touch.
struct DeafCore {
    /// `Core::current`.
    current: usize,
    /// `Presence::kept`.
    kept: usize,
}

impl Deaf {
    /// `Core::route` and `Core::bring`.
    fn send(&self, cell: usize, block: usize) {
        if self.cells[cell - 1].push_remote(block, 0, block) == Some(true) {
            self.bring(cell);
        }
    }

    fn bring(&self, cell: usize) {
        let owner = self.cells[cell - 1].owner();
        assert!(owner == 1 || owner == 2, "a token holder met an actor in transit");
        self.lists[owner - 1].deliver_one(&self.cells, cell);
    }

    /// `brought::insist`, and `Core::receive_absent`, where the policy routes what is idle to worker 2.
    fn insist(&self) {
        let state = &self.presence.state;
        if !self.lists[0].has_mail() || state.load(Relaxed) != RUNNING || !self.presence.lock() {
            return;
        }
        for cell in self.lists[0].take_all(&self.cells) {
            let owner = self.cells[cell - 1].owner();
            let runs = self.core.with(|core| unsafe { (*core).current });
            if owner == 1 && cell == runs {
                self.core.with_mut(|core| unsafe { (*core).kept = cell });
            } else if owner == 1 {
                // `routed::redirect`: list and token go along.
                self.cells[cell - 1].tag.store(tag(9, 0), Release);
                self.lists[1].deliver_one(&self.cells, cell);
            } else {
                self.bring(cell);
            }
        }
        self.presence.unlock();
    }

    /// `Core::enter` after a handler.
    fn enter(&self) {
        if self.presence.enter() {
            let kept = self
                .core
                .with_mut(|core| unsafe { std::mem::take(&mut (*core).kept) });
            if kept != 0 {
                self.lists[0].deliver_one(&self.cells, kept);
            }
        }
    }

    /// `Core::receive`.
    fn receive(&self, me: usize) {
        for cell in self.lists[me - 1].take_all(&self.cells) {
            let owner = self.cells[cell - 1].owner();
            if owner == 9 {
                // `Core::accept`, then the activation.
                self.cells[cell - 1].tag.store(tag(me, 0), Release);
            }
            if owner == 9 || owner == me {
                self.cells[cell - 1].collect_remote(EMPTY);
            } else {
                self.bring(cell);
            }
        }
    }
}

/// Two workers bring tokens to one that is in a handler, and insist: one of them acts for it, what is idle goes on elsewhere, the actor whose handler runs is left
/// alone, and its token is there when the worker comes back. Mirrors `brought::insist`, `Core::with_absent`, `Core::receive_absent`, `Core::come_back`.
///
/// Seen to fail: handling the token of the actor that runs, or giving that away; forgetting it when the worker comes back, or that it is inside then; storing ABSENT without Release; coming back, or locking
/// ABSENT, without Acquire; leaving without Release, or looking whether the worker is inside without Acquire, or not at all; either side without its fence.
#[test]
fn what_was_brought_to_a_worker_in_a_handler_is_insisted_on() {
    explore(|| {
        let shared = Arc::new(Deaf {
            presence: Presence::new(),
            core: UnsafeCell::new(DeafCore { current: 1, kept: 0 }),
            cells: [Cell::new(1), Cell::new(1)],
            lists: Default::default(),
        });
        let bringers: Vec<_> = [(2, FIRST), (3, FIRST + 1)]
            .into_iter()
            .map(|(me, block)| {
                let shared = shared.clone();
                thread::spawn(move || {
                    if me == 2 {
                        shared.send(1, block);
                    }
                    shared.send(2, block);
                    shared.insist();
                    if me == 2 {
                        shared.receive(2);
                    }
                })
            })
            .collect();
        shared.core.with_mut(|core| unsafe { (*core).current = 1 });
        shared.presence.leave();
        // The handler: its actor is its own, without entering.
        shared.cells[0]
            .private
            .with_mut(|private| unsafe { (*private).holds = false });
        shared.enter();
        shared.core.with_mut(|core| unsafe { (*core).current = 0 });
        shared.receive(1);
        bringers.into_iter().for_each(|bringer| bringer.join().unwrap());
        for me in [1, 2, 1, 2] {
            shared.receive(me);
        }
        let got = |cell: usize| {
            let mut got = shared.cells[cell - 1]
                .private
                .with(|private| unsafe { (*private).got.clone() });
            got.sort_unstable();
            got
        };
        assert_eq!(got(1), [FIRST], "lost or doubled");
        assert_eq!(got(2), [FIRST, FIRST + 1], "lost or doubled");
        assert_eq!(shared.cells[0].owner(), 1, "taken while its handler ran");
        for cell in &shared.cells {
            assert_eq!(cell.remote.load(Relaxed), word(EMPTY, 0), "the token is back");
        }
    });
}

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
