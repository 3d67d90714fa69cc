//! A policy that keeps a record of what it was asked and what it answered.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use datil::policy::topology::{Neighbourhood, Rings};
use datil::policy::{
    Board, Crowd, Encounter, End, Nanos, Offer, Pair, Pick, Policy, Preemption, Profile, Progress, Role,
    Route, Sample, Search, Setup, Stint, Surroundings, Verdict, Waking, Word,
};

/// Questions that one worker writes down; what comes later is answered only.
const MOST: usize = 200_000;

/// Declares a question per hook: its inputs, and how to put it to a policy. An answer is of the hook's own type; [`Answer`] holds any.
macro_rules! questions {
    ($($hook:ident($($input:ident: $of:ty),*) -> $answer:ident($out:ty);)*) => {
        /// What a policy was asked.
        #[derive(Clone, Copy, Debug)]
        #[expect(non_camel_case_types, reason = "named after the hooks")]
        pub enum Question { $($hook { $($input: $of),* },)* }

        impl Question {
            /// Puts the question to a policy.
            pub fn put<P: Policy>(&self, policy: &mut P) -> Answer {
                match *self {
                    $(Self::$hook { $($input),* } => Answer::$answer(questions!(@call P policy $hook($($input),*))),)*
                }
            }
        }
    };
    // Questions about what comes from outside are put to the type.
    (@call $P:ident $policy:ident admitted($($input:ident),*)) => { $P::admitted($($input),*) };
    (@call $P:ident $policy:ident called($($input:ident),*)) => { $P::called($($input),*) };
    (@call $P:ident $policy:ident place($($input:ident),*)) => { $P::place($($input),*) };
    (@call $P:ident $policy:ident woken($sender:ident, $word:ident, $around:ident)) => {
        $policy.woken($sender, $word, &$around)
    };
    (@call $P:ident $policy:ident samples($tick:ident, $profile:ident)) => { $policy.samples($tick, &$profile) };
    (@call $P:ident $policy:ident $hook:ident($($input:ident),*)) => { $policy.$hook($($input),*) };
}

/// What a policy answered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Answer {
    Pick(Pick),
    Yes(bool),
    Number(u32),
    Many(usize),
    Offer(Offer),
    Board(Board),
    Verdict(Verdict),
    Worker(Option<u32>),
    /// A note is not answered.
    Noted(()),
    Admission((Word, Route)),
    Word(Word),
    Route(Route),
    Profile(Profile),
    End(End),
    Search(Search),
}

questions! {
    batch() -> Number(u32);
    spin() -> Number(u32);
    pick(tick: u32) -> Pick(Pick);
    watch(queued: usize, passed: u32) -> Yes(bool);
    stride() -> Number(u32);
    watches_closely() -> Yes(bool);
    advanced(progress: Progress) -> Yes(bool);
    timed(now: Nanos, progress: Progress) -> Noted(());
    interrupted() -> Noted(());
    crowded(now: Nanos, crowd: Crowd) -> Noted(());
    offer(now: Nanos, queued: usize, board: Board) -> Offer(Offer);
    shared(now: Nanos, board: Board) -> Board(Board);
    crossed(now: Nanos, toll: Nanos, pair: Pair, board: Board) -> Verdict(Verdict);
    parted(now: Nanos, stint: Stint, board: Board) -> Board(Board);
    follow(encounter: Encounter) -> Yes(bool);
    ran_dry(now: Nanos, stint: Option<Stint>, board: Board) -> Yes(bool);
    hunt(attempt: u32) -> Worker(Option<u32>);
    grant(queued: usize) -> Many(usize);
    relieve(queued: usize, before: u32) -> Many(usize);
    place(turn: u32, workers: u32) -> Worker(Option<u32>);
    spawned(role: Role) -> Admission((Word, Route));
    admitted(role: Role, turn: u32, workers: u32) -> Admission((Word, Route));
    started(word: Word) -> Word(Word);
    woken(sender: u32, word: Word, around: Surroundings) -> Route(Route);
    called(word: Word, turn: u32, workers: u32) -> Route(Route);
    learns() -> Yes(bool);
    samples(tick: u32, profile: Profile) -> Yes(bool);
    finished(word: Word, sample: Sample, profile: Profile) -> Profile(Profile);
    take(tick: u32) -> End(End);
    looks_for_sleepers() -> Yes(bool);
    looked(woke: bool) -> Noted(());
    wakes(board: Board) -> Yes(bool);
    calls(owner: u32, sleeper: u32, board: Board) -> Yes(bool);
    summoned() -> Noted(());
    search(step: u32) -> Search(Search);
}

/// What one policy value was asked in its life, in order.
pub struct Record {
    pub setup: Setup,
    pub rings: Option<Rings>,
    pub asked: Vec<(Question, Answer)>,
}

/// Records of policy values that have ended, and of the questions to types (which have no worker), since the last [`collect`].
static RECORDS: Mutex<Vec<Record>> = Mutex::new(Vec::new());
static OUTSIDE: Mutex<Vec<(Question, Answer)>> = Mutex::new(Vec::new());

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How often workers were asked certain things since the last [`collect`], beyond what they write down. Programs end by this, since how
/// much of it there is in so many messages or so much time is up to the system.
pub struct Tally {
    /// Samples of messages at home, and elsewhere.
    pub home: AtomicU32,
    pub away: AtomicU32,
    /// Actors that were woken while nothing was known against their being anywhere, and of a class that was pinned; how many of the latter
    /// were sent home.
    pub free: AtomicU32,
    pub pinned: AtomicU32,
    pub sent_home: AtomicU32,
    /// Actors of a class that was not pinned which had to wait their turn.
    pub waiting: AtomicU32,
    /// Answers that there is nothing to learn at the moment.
    pub incurious: AtomicU32,
    /// Workers that were woken to look for work, and thefts that paid.
    pub summoned: AtomicU32,
    pub paying: AtomicU32,
    /// Activations for which the newest actor was wanted, and the oldest.
    pub newest: AtomicU32,
    pub oldest: AtomicU32,
}

pub static TALLY: Tally = Tally {
    home: AtomicU32::new(0),
    away: AtomicU32::new(0),
    free: AtomicU32::new(0),
    pinned: AtomicU32::new(0),
    sent_home: AtomicU32::new(0),
    waiting: AtomicU32::new(0),
    incurious: AtomicU32::new(0),
    summoned: AtomicU32::new(0),
    paying: AtomicU32::new(0),
    newest: AtomicU32::new(0),
    oldest: AtomicU32::new(0),
};

impl Tally {
    fn counts(&self) -> [&AtomicU32; 11] {
        [
            &self.home,
            &self.away,
            &self.free,
            &self.pinned,
            &self.sent_home,
            &self.waiting,
            &self.incurious,
            &self.summoned,
            &self.paying,
            &self.newest,
            &self.oldest,
        ]
    }

    fn note(&self, question: &Question, answer: &Answer) {
        let count = |of: &AtomicU32| of.fetch_add(1, Relaxed);
        match (question, answer) {
            (Question::finished { sample, .. }, _) if sample.at_home => count(&self.home),
            (Question::finished { .. }, _) => count(&self.away),
            (Question::woken { around, .. }, Answer::Route(route)) if !around.profile.pinned => {
                if route.end == End::Tail {
                    count(&self.waiting);
                }
                count(&self.free)
            }
            (Question::learns {}, Answer::Yes(false)) => count(&self.incurious),
            (Question::woken { word, .. }, Answer::Route(route)) => {
                if route.end == End::Tail && word.home() == Some(route.worker) {
                    count(&self.sent_home);
                }
                count(&self.pinned)
            }
            (Question::summoned {}, _) => count(&self.summoned),
            (_, Answer::Pick(Pick::Newest)) => count(&self.newest),
            (_, Answer::Pick(Pick::Oldest)) => count(&self.oldest),
            (Question::parted { board, .. }, Answer::Board(after)) if pays(*board, *after) => {
                count(&self.paying)
            }
            _ => 0,
        };
    }
}

/// Whether a board says that the theft that was told of paid. It counts those up to a bound, and the others down to zero.
pub fn pays(before: Board, after: Board) -> bool {
    after.paid > 0 && after.paid >= before.paid
}

/// What the workers of a runtime were asked while it was alive, and what was asked of the type. One at a time: the caller holds
/// a lock of its own.
pub fn collect(run: impl FnOnce()) -> (Vec<Record>, Vec<(Question, Answer)>) {
    open(&RECORDS).clear();
    open(&OUTSIDE).clear();
    for count in TALLY.counts() {
        count.store(0, Relaxed);
    }
    run();
    (
        std::mem::take(&mut *open(&RECORDS)),
        std::mem::take(&mut *open(&OUTSIDE)),
    )
}

/// What a policy learns from.
pub trait Times: Send + 'static {
    /// The sample that the policy is told of instead of the one that was taken.
    fn told(taken: Sample) -> Sample {
        taken
    }

    /// The board that the policy is shown when it is asked whether to wake somebody, instead of the one there is.
    fn shown(board: Board) -> Board {
        board
    }

    /// The time that the policy is told when it wants to know how fast its worker is.
    fn at(now: Nanos, progress: Progress) -> Nanos {
        let _ = progress;
        now
    }
}

/// Those that were measured.
pub struct Measured;

impl Times for Measured {}

/// So many ns per message at home, and so many elsewhere, however long it was.
pub struct Given<const HOME: Nanos, const AWAY: Nanos>;

impl<const HOME: Nanos, const AWAY: Nanos> Times for Given<HOME, AWAY> {
    fn told(Sample { at_home, .. }: Sample) -> Sample {
        let per_message = if at_home { HOME } else { AWAY };
        Sample { per_message, at_home }
    }
}

/// Every theft so far has paid, whatever there was.
pub struct Paid;

impl Times for Paid {
    fn shown(board: Board) -> Board {
        Board { paid: 1, ..board }
    }
}

/// No theft so far has paid, whatever there was.
pub struct Unproven;

impl Times for Unproven {
    fn shown(board: Board) -> Board {
        Board { paid: 0, ..board }
    }
}

/// What takes time is the activation, however many messages it has.
pub struct ByActivation;

impl Times for ByActivation {
    fn at(_: Nanos, progress: Progress) -> Nanos {
        100 * progress.activations
    }
}

/// What takes time is the message, however many come at a time.
pub struct ByMessage;

impl Times for ByMessage {
    fn at(_: Nanos, progress: Progress) -> Nanos {
        100 * progress.messages
    }
}

/// A policy that keeps a record; it decides what `P` decides.
pub struct Recorded<P, T = Measured> {
    policy: RefCell<P>,
    record: RefCell<Record>,
    times: PhantomData<fn() -> T>,
}

impl<P: Policy, T: Times> Recorded<P, T> {
    fn begin(policy: P, setup: Setup, rings: Option<Rings>) -> Self {
        let asked = Vec::new();
        Self {
            policy: policy.into(),
            record: Record { setup, rings, asked }.into(),
            times: PhantomData,
        }
    }

    fn put(&self, question: Question) -> Answer {
        let answer = question.put(&mut *self.policy.borrow_mut());
        TALLY.note(&question, &answer);
        let asked = &mut self.record.borrow_mut().asked;
        if asked.len() < MOST {
            asked.push((question, answer));
        }
        answer
    }
}

fn put_to_type(question: Question, answer: Answer) {
    let mut asked = open(&OUTSIDE);
    if asked.len() < MOST {
        asked.push((question, answer));
    }
}

impl<P, T> Drop for Recorded<P, T> {
    fn drop(&mut self) {
        let record = self.record.get_mut();
        let (setup, rings) = (record.setup, record.rings.take());
        let asked = std::mem::take(&mut record.asked);
        open(&RECORDS).push(Record { setup, rings, asked });
    }
}

/// Puts a question, writes it down, and takes the answer out.
macro_rules! put {
    ($self:ident, $hook:ident { $($input:ident $(: $value:expr)?),* }, $answer:ident) => {
        match $self.put(Question::$hook { $($input $(: $value)?),* }) {
            Answer::$answer(answer) => answer,
            other => unreachable!("{other:?}"),
        }
    };
}

impl<P: Policy, T: Times> Policy for Recorded<P, T> {
    const NAME: &'static str = P::NAME;
    const STEALS: bool = P::STEALS;
    const PREEMPTS: Preemption = P::PREEMPTS;
    const ADOPTS: bool = P::ADOPTS;
    const FOLLOWS: bool = P::FOLLOWS;
    const CROSSINGS: u32 = P::CROSSINGS;
    const ROUTES: bool = P::ROUTES;
    const PINS: bool = P::PINS;
    const LEARNS: bool = P::LEARNS;
    const WAKING: Waking = P::WAKING;
    const SLOT_WAKES: bool = P::SLOT_WAKES;

    fn new(setup: Setup) -> Self {
        Self::begin(P::new(setup), setup, None)
    }
    fn neighbourhood() -> Neighbourhood {
        P::neighbourhood()
    }
    fn on(setup: Setup, rings: &Rings) -> Self {
        Self::begin(P::on(setup, rings), setup, Some(rings.clone()))
    }
    fn batch(&self) -> u32 {
        put!(self, batch {}, Number)
    }
    fn spin(&self) -> u32 {
        put!(self, spin {}, Number)
    }
    fn pick(&mut self, tick: u32) -> Pick {
        put!(self, pick { tick }, Pick)
    }
    fn watch(&mut self, queued: usize, passed: u32) -> bool {
        put!(self, watch { queued, passed }, Yes)
    }
    fn stride(&self) -> u32 {
        put!(self, stride {}, Number)
    }
    fn watches_closely(&self) -> bool {
        put!(self, watches_closely {}, Yes)
    }
    fn advanced(&mut self, progress: Progress) -> bool {
        put!(self, advanced { progress }, Yes)
    }
    fn timed(&mut self, now: Nanos, progress: Progress) {
        put!(
            self,
            timed {
                now: T::at(now, progress),
                progress
            },
            Noted
        )
    }
    fn interrupted(&mut self) {
        put!(self, interrupted {}, Noted)
    }
    fn crowded(&mut self, now: Nanos, crowd: Crowd) {
        put!(self, crowded { now, crowd }, Noted)
    }
    fn offer(&mut self, now: Nanos, queued: usize, board: Board) -> Offer {
        put!(self, offer { now, queued, board }, Offer)
    }
    fn shared(&mut self, now: Nanos, board: Board) -> Board {
        put!(self, shared { now, board }, Board)
    }
    fn crossed(&mut self, now: Nanos, toll: Nanos, pair: Pair, board: Board) -> Verdict {
        put!(
            self,
            crossed {
                now,
                toll,
                pair,
                board
            },
            Verdict
        )
    }
    fn parted(&mut self, now: Nanos, stint: Stint, board: Board) -> Board {
        put!(self, parted { now, stint, board }, Board)
    }
    fn follow(&self, encounter: Encounter) -> bool {
        put!(self, follow { encounter }, Yes)
    }
    fn ran_dry(&mut self, now: Nanos, stint: Option<Stint>, board: Board) -> bool {
        put!(self, ran_dry { now, stint, board }, Yes)
    }
    fn hunt(&mut self, attempt: u32) -> Option<u32> {
        put!(self, hunt { attempt }, Worker)
    }
    fn grant(&mut self, queued: usize) -> usize {
        put!(self, grant { queued }, Many)
    }
    fn relieve(&mut self, queued: usize, before: u32) -> usize {
        put!(self, relieve { queued, before }, Many)
    }
    fn place(turn: u32, workers: u32) -> Option<u32> {
        let place = P::place(turn, workers);
        put_to_type(Question::place { turn, workers }, Answer::Worker(place));
        place
    }
    fn spawned(&mut self, role: Role) -> (Word, Route) {
        put!(self, spawned { role }, Admission)
    }
    fn admitted(role: Role, turn: u32, workers: u32) -> (Word, Route) {
        let admission = P::admitted(role, turn, workers);
        put_to_type(
            Question::admitted { role, turn, workers },
            Answer::Admission(admission),
        );
        admission
    }
    fn started(&mut self, word: Word) -> Word {
        put!(self, started { word }, Word)
    }
    fn woken(&mut self, sender: u32, word: Word, surroundings: &Surroundings) -> Route {
        put!(
            self,
            woken {
                sender,
                word,
                around: *surroundings
            },
            Route
        )
    }
    fn called(word: Word, turn: u32, workers: u32) -> Route {
        let route = P::called(word, turn, workers);
        put_to_type(Question::called { word, turn, workers }, Answer::Route(route));
        route
    }
    // What is known, and of whom, stands in the questions that follow.
    fn is_plain(&self, profile: &Profile) -> bool {
        self.policy.borrow().is_plain(profile)
    }
    fn looks(&self, profile: &Profile) -> bool {
        self.policy.borrow().looks(profile)
    }
    fn learns(&self) -> bool {
        put!(self, learns {}, Yes)
    }
    fn samples(&mut self, tick: u32, profile: &Profile) -> bool {
        put!(
            self,
            samples {
                tick,
                profile: *profile
            },
            Yes
        )
    }
    fn finished(&mut self, word: Word, sample: Sample, profile: Profile) -> Profile {
        put!(
            self,
            finished {
                word,
                sample: T::told(sample),
                profile
            },
            Profile
        )
    }
    fn take(&mut self, tick: u32) -> End {
        put!(self, take { tick }, End)
    }
    fn looks_for_sleepers(&mut self) -> bool {
        put!(self, looks_for_sleepers {}, Yes)
    }
    fn looked(&mut self, woke: bool) {
        put!(self, looked { woke }, Noted)
    }
    fn wakes(&self, board: Board) -> bool {
        put!(
            self,
            wakes {
                board: T::shown(board)
            },
            Yes
        )
    }
    fn calls(&self, owner: u32, sleeper: u32, board: Board) -> bool {
        put!(
            self,
            calls {
                owner,
                sleeper,
                board: T::shown(board)
            },
            Yes
        )
    }
    fn summoned(&mut self) {
        put!(self, summoned {}, Noted)
    }
    fn search(&mut self, step: u32) -> Search {
        put!(self, search { step }, Search)
    }
}
