//! The oracle's book: who was there, what was sent, and what has come of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use datil::policy::Random;
use datil::{Answer, Group, Recipient, Restart, StopReason, Strategy, Supervisor};

use crate::births::Seat;
use crate::post::{Lane, Letter, Reply};
use crate::program::Program;

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One run, as all that takes part in it sees it.
pub struct Book {
    pub program: Program,
    energy: AtomicI64,
    pub group: Group<Letter>,
    pub supervisors: Vec<Supervisor>,
    newest_name: AtomicU32,
    /// Actors, whether they live or not, in the order in which they were created.
    pub actors: Mutex<Vec<Arc<Record>>>,
    pub watches: Mutex<Vec<Arc<Watch>>>,
    pub links: Mutex<Vec<[Arc<Record>; 2]>>,
    /// Pairs that were linked and unlinked, of which nothing is certain.
    pub loosened: Mutex<BTreeSet<[u32; 2]>>,
    /// Who has which name in the runtime.
    pub registered: Mutex<BTreeMap<String, Recipient<Letter>>>,
    /// Things that were made and not dropped, by kind.
    pub existing: Mutex<BTreeMap<&'static str, i64>>,
    /// Questions whose continuation neither ran nor was dropped.
    pub pending: AtomicI64,
    /// Messages that were sent and dropped without being handled; and those of timers, which may have been cancelled.
    pub lost: AtomicU64,
    pub lost_by_timers: AtomicU64,
    /// What the runtime counts as messages: calls of actors for a message, an answer, a timer or a query.
    pub handled: AtomicU64,
    /// Stops that have their turn among the messages, and count as such if they still find their actor.
    pub stops_in_turn: AtomicU64,
    /// Panics that the runtime's hook was told of.
    pub panics: AtomicU64,
    /// Whether an actor has a thread of its own. What such actors do is not in the runtime's metrics.
    pub has_blocking: AtomicBool,
    faults: Mutex<Vec<String>>,
    /// Who has heard what of whom, in order.
    log: Mutex<Vec<(u32, u32, u64)>>,
}

/// A monitor.
pub struct Watch {
    pub by: Arc<Record>,
    pub of: Arc<Record>,
    pub told: AtomicU32,
    pub heard: AtomicU32,
    pub withdrawn: AtomicBool,
}

impl Book {
    pub fn new(program: Program) -> Arc<Self> {
        Arc::new(Self {
            energy: AtomicI64::new(program.energy),
            program,
            group: Group::new(),
            supervisors: supervisors(),
            newest_name: AtomicU32::new(0),
            actors: Mutex::default(),
            watches: Mutex::default(),
            links: Mutex::default(),
            loosened: Mutex::default(),
            registered: Mutex::default(),
            existing: Mutex::default(),
            pending: AtomicI64::new(0),
            lost: AtomicU64::new(0),
            lost_by_timers: AtomicU64::new(0),
            handled: AtomicU64::new(0),
            stops_in_turn: AtomicU64::new(0),
            panics: AtomicU64::new(0),
            has_blocking: AtomicBool::new(false),
            faults: Mutex::default(),
            log: Mutex::default(),
        })
    }

    /// Uses up some of the run's energy, if there is any left: so all of it ends.
    pub fn spend(&self) -> bool {
        self.energy.fetch_sub(1, SeqCst) > 0
    }

    pub fn fault(&self, fault: String) {
        lock(&self.faults).push(fault);
    }

    pub fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.faults))
    }

    pub fn log(&self) -> Vec<(u32, u32, u64)> {
        lock(&self.log).clone()
    }

    /// One of the younger actors, if there are any.
    pub fn somebody(&self, random: &mut Random) -> Option<Arc<Record>> {
        let actors = lock(&self.actors);
        let young = &actors[actors.len().saturating_sub(12)..];
        let place = random.below(young.len().max(1) as u32) as usize;
        young.get(place).cloned()
    }
}

/// One of each strategy, and one that never gives up. The failures of the second are the last one's business.
fn supervisors() -> Vec<Supervisor> {
    let supervisor = |strategy, most| Supervisor::new(strategy, most, Duration::from_secs(3600));
    let all = vec![
        supervisor(Strategy::OneForOne, 1_000_000),
        supervisor(Strategy::OneForAll, 3),
        supervisor(Strategy::RestForOne, 2),
        supervisor(Strategy::OneForAll, 2),
    ];
    all[3]
        .supervise(&all[1], Restart::OnFailure)
        .expect("both are new");
    all
}

/// What is known of an actor, whatever becomes of its state; or of a thread outside.
pub struct Record {
    pub name: u32,
    seat: OnceLock<Seat>,
    /// Tells of its end.
    pub end: Mutex<Option<Answer<StopReason>>>,
    pub reason: OnceLock<StopReason>,
    random: Mutex<Random>,
    /// Number of the last message that it has sent.
    said: AtomicU64,
    /// By sender and lane: number of the last message that it has heard.
    heard: Mutex<BTreeMap<(u32, Lane), u64>>,
    /// By sender: number of the last query that has looked at it.
    seen: Mutex<BTreeMap<u32, u64>>,
    /// How many states it has had.
    pub lives: AtomicU32,
    acts: AtomicBool,
    pub readers: AtomicU32,
    /// It puts messages aside.
    pub is_closed: AtomicBool,
    /// How many messages it has put aside, and how many of these it has handled.
    pub put_aside: AtomicU64,
    pub taken_up: AtomicU64,
    /// Its supervisor's index, and which ends of it call for a restart.
    pub guard: Option<(usize, Restart)>,
    pub traps: AtomicBool,
    /// Continuations of its own that were dropped.
    pub unanswered: AtomicU32,
}

impl Record {
    pub fn new(book: &Book, seed: u64, guard: Option<(usize, Restart)>) -> Arc<Self> {
        Arc::new(Self {
            name: book.newest_name.fetch_add(1, SeqCst),
            seat: OnceLock::new(),
            end: Mutex::default(),
            reason: OnceLock::new(),
            random: Mutex::new(Random::new(seed)),
            said: AtomicU64::new(0),
            heard: Mutex::default(),
            seen: Mutex::default(),
            lives: AtomicU32::new(0),
            acts: AtomicBool::new(false),
            readers: AtomicU32::new(0),
            is_closed: AtomicBool::new(false),
            put_aside: AtomicU64::new(0),
            taken_up: AtomicU64::new(0),
            guard,
            traps: AtomicBool::new(false),
            unanswered: AtomicU32::new(0),
        })
    }

    /// The actor is there: from now on others find it.
    pub fn enter(self: Arc<Self>, book: &Book, seat: Seat) {
        *lock(&self.end) = Some(seat.ended());
        assert!(self.seat.set(seat).is_ok(), "nobody else knows it");
        lock(&book.actors).push(self);
    }

    pub fn seat(&self) -> Seat {
        *self.seat.get().expect("nobody finds it before it is there")
    }

    pub fn is_alive(&self) -> bool {
        self.seat().is_alive()
    }

    pub fn tell(&self, letter: Letter) {
        self.seat().recipient().tell(letter);
    }

    pub fn draw(&self, below: u32) -> u32 {
        lock(&self.random).below(below)
    }

    /// The beginning of another sequence.
    pub fn branch(&self) -> Random {
        Random::new(lock(&self.random).next())
    }

    pub fn somebody(&self, book: &Book) -> Option<Arc<Record>> {
        book.somebody(&mut lock(&self.random))
    }

    pub fn next_number(&self) -> u64 {
        self.said.fetch_add(1, SeqCst) + 1
    }

    pub fn reply(&self, lane: Lane) -> Reply {
        Reply {
            from: self.name,
            number: self.next_number(),
            lane,
        }
    }

    /// Notes that a message was heard, and whether that was its turn.
    pub fn hear(&self, book: &Book, from: u32, lane: Lane, number: u64) {
        lock(&book.log).push((self.name, from, number));
        let mut heard = lock(&self.heard);
        match lane {
            Lane::Plain | Lane::Urgent => {
                let before = heard.insert((from, lane), number).unwrap_or(0);
                let seen = lock(&self.seen).get(&from).copied().unwrap_or(0);
                if before >= number || lane == Lane::Plain && seen > number {
                    let who = self.name;
                    book.fault(format!(
                        "{who} heard {lane:?} {number} of {from} after {before}, query {seen}"
                    ));
                }
            }
            Lane::Last => _ = heard.insert((from, Lane::Plain), u64::MAX),
            Lane::Free | Lane::Timed => {}
        }
    }

    /// Notes that a query looks, and whether that is its turn. Those of one sender may do so at the same time.
    pub fn be_seen(&self, book: &Book, from: u32, number: u64) {
        let heard = lock(&self.heard).get(&(from, Lane::Plain)).copied();
        if heard.is_some_and(|heard| heard >= number) {
            book.fault(format!(
                "{} heard more of {from} before query {number}",
                self.name
            ));
        }
        let mut seen = lock(&self.seen);
        let last = seen.entry(from).or_default();
        *last = number.max(*last);
    }

    /// Says that the actor's code runs, alone, until what this returns is dropped.
    pub fn begin(self: &Arc<Self>, book: &Book) -> Turn {
        if self.acts.swap(true, SeqCst) || self.readers.load(SeqCst) > 0 {
            book.fault(format!("{} does two things at a time", self.name));
        }
        Turn(self.clone())
    }

    pub fn acts(&self) -> bool {
        self.acts.load(SeqCst)
    }
}

/// An actor's code runs.
pub struct Turn(Arc<Record>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.acts.store(false, SeqCst);
    }
}
