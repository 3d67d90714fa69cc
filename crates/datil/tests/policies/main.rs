//! The native host and the policies: what a policy is asked while programs run, and that it decides by nothing but that.

mod crowds;
mod encounters;
mod order;
mod proven;
mod recorded;
mod relief;
mod silence;

use std::cell::Cell;
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use datil::policy::topology::{Rings, Synthetic, Topology};
use datil::policy::{
    self, AdaptiveLocality, End, Hostile, Policy, Profile, Role, Route, Sample, Search, Setup, Surroundings,
    Word,
};
use datil::{Actor, Address, Context, ReplyTo, Runtime};

use recorded::{Answer, Given, Question, Record, Recorded, TALLY, collect};

/// Records belong to one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// So many nodes, all equally far apart, with two units each.
fn nodes(count: u32) -> Topology {
    let machine = Synthetic {
        packages: count,
        cores: 2,
        ..Synthetic::default()
    };
    machine.build().unwrap()
}

/// What it takes to handle a message.
trait Effort: Send + 'static {
    fn make();
}

/// [`LONG`] at least.
struct Slow;

const LONG: Duration = Duration::from_micros(20);

impl Effort for Slow {
    fn make() {
        let began = Instant::now();
        while began.elapsed() < LONG {}
    }
}

/// Next to nothing.
struct Quick;

impl Effort for Quick {
    fn make() {
        black_box((0..200).fold(1u32, |sum, i| black_box(sum ^ i)));
    }
}

/// Deals jobs out to its hands until there are none left or it is enough, one at a time to each.
struct Boss<E: Effort> {
    jobs: u32,
    enough: fn() -> bool,
    hands: Vec<Address<Hand<E>>>,
    over: mpsc::Sender<()>,
}

enum Ask<E: Effort> {
    Begin,
    Done(Address<Hand<E>>),
}

struct Hand<E>(PhantomData<fn() -> E>);

struct Job<E: Effort>(Address<Boss<E>>);

impl<E: Effort> Actor for Boss<E> {
    type Msg = Ask<E>;

    fn handle(&mut self, ask: Ask<E>, cx: &mut Context<'_, Self>) {
        E::make();
        match ask {
            Ask::Begin => {
                self.hands = (0..6).map(|_| cx.spawn(Hand(PhantomData))).collect();
                for &hand in &self.hands {
                    cx.tell(hand, Job(cx.address()));
                }
            }
            Ask::Done(hand) if self.jobs > 0 && !(self.enough)() => {
                self.jobs -= 1;
                cx.tell(hand, Job(cx.address()));
            }
            Ask::Done(_) => {
                let _ = self.over.send(());
            }
        }
    }
}

impl<E: Effort> Actor for Hand<E> {
    type Msg = Job<E>;

    fn handle(&mut self, Job(boss): Job<E>, cx: &mut Context<'_, Self>) {
        E::make();
        cx.tell(boss, Ask::Done(cx.address()));
    }
}

/// Lets a boss and its hands do so many jobs, on the machine given; the runtime is gone afterwards.
fn work<P: Policy, E: Effort>(workers: usize, machine: Topology, jobs: u32) {
    work_until::<P, E>(workers, machine, jobs, || false);
}

/// The same until it is enough, if that is sooner.
fn work_until<P: Policy, E: Effort>(workers: usize, machine: Topology, jobs: u32, enough: fn() -> bool) {
    let builder = Runtime::builder().workers(workers).topology(machine);
    let runtime = builder.build_with::<P>().unwrap();
    let (over, is_over) = mpsc::channel();
    let boss = runtime.spawn(Boss::<E> {
        jobs,
        enough,
        hands: Vec::new(),
        over,
    });
    boss.tell(Ask::Begin);
    // Everybody waits once there are no jobs left.
    is_over.iter().take(6).for_each(drop);
    runtime.wait_quiescent();
}

/// A fresh policy gets the same questions and must give the same answers; `Err` tells the first that differs.
fn replay<P: Policy>(record: &Record) -> Result<(), String> {
    let mut policy = match &record.rings {
        Some(rings) => P::on(record.setup, rings),
        None => P::new(record.setup),
    };
    for (number, (question, answer)) in record.asked.iter().enumerate() {
        let again = question.put(&mut policy);
        if again != *answer {
            let Setup { worker, .. } = record.setup;
            return Err(format!(
                "{}, worker {worker}, question {number}: {question:?} was answered by {answer:?}, now by {again:?}",
                P::NAME
            ));
        }
    }
    Ok(())
}

/// Records a program natively and asks everything again; returns how many answers there were.
fn check_replay<P: Policy>(machine: Topology) -> Result<usize, String> {
    let (records, outside) = collect(|| {
        work::<Recorded<P>, Slow>(2, machine.clone(), 30);
        work::<Recorded<P>, Quick>(3, machine, 300);
    });
    assert_eq!(records.len(), 5, "{}: a record per worker", P::NAME);
    let mut answers = outside.len();
    for record in &records {
        replay::<P>(record)?;
        answers += record.asked.len();
    }
    let mut any = P::new(records[0].setup);
    for (question, answer) in &outside {
        assert_eq!(question.put(&mut any), *answer, "{}: {question:?}", P::NAME);
    }
    Ok(answers)
}

/// What policies decide natively depends on nothing but what they are told: every decision comes out the same from a fresh value of
/// the policy, without a runtime.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn decisions_are_the_same_without_a_runtime() {
    let _turn = alone();
    macro_rules! check {
        ($($policy:ident)*) => {
            $(
                for machine in [nodes(1), nodes(3)] {
                    let answers = check_replay::<policy::$policy>(machine).unwrap();
                    assert!(answers > 200, "{}: {answers}", policy::$policy::NAME);
                }
            )*
            let hostile = check_replay::<Hostile>(nodes(1)).unwrap();
            assert!(hostile > 200);
        };
    }
    policy::with_policies!(check);
}

/// How a policy may cheat: with something that is not among its questions.
struct Cheat<const HOW: u32>(policy::Lgs, Cell<u32>);

/// By what other workers, or those before them, have done.
const BY_OTHERS: u32 = 0;
/// By the clock.
const BY_CLOCK: u32 = 1;
/// By where it lies in memory.
const BY_ADDRESS: u32 = 2;

impl<const HOW: u32> Cheat<HOW> {
    fn hidden(&self) -> bool {
        static ASKED: AtomicU32 = AtomicU32::new(0);
        match HOW {
            // A bit of a product, so that no two stretches of the count agree.
            BY_OTHERS => ASKED.fetch_add(1, Relaxed).wrapping_mul(0x9E37_79B9) >> 16 & 1 == 0,
            BY_CLOCK => {
                let time = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
                time.subsec_micros().is_multiple_of(2)
            }
            _ => {
                let asked = self.1.replace(self.1.get() + 1);
                std::ptr::from_ref(self).addr() >> (4 + asked % 40) & 1 == 0
            }
        }
    }
}

impl<const HOW: u32> Policy for Cheat<HOW> {
    const NAME: &'static str = "cheat";
    const STEALS: bool = true;
    const ROUTES: bool = true;

    fn new(setup: Setup) -> Self {
        Self(policy::Lgs::new(setup), Cell::new(0))
    }
    fn on(setup: Setup, rings: &Rings) -> Self {
        Self(policy::Lgs::on(setup, rings), Cell::new(0))
    }
    fn batch(&self) -> u32 {
        self.0.batch()
    }
    fn pick(&mut self, tick: u32) -> policy::Pick {
        self.0.pick(tick)
    }
    fn spawned(&mut self, role: policy::Role) -> (Word, Route) {
        self.0.spawned(role)
    }
    fn started(&mut self, word: Word) -> Word {
        self.0.started(word)
    }
    fn woken(&mut self, sender: u32, word: Word, around: &Surroundings) -> Route {
        let end = if self.hidden() { End::Head } else { End::Tail };
        let route = self.0.woken(sender, word, around);
        Route { end, ..route }
    }
    fn search(&mut self, step: u32) -> Search {
        self.0.search(step)
    }
}

#[test]
#[cfg_attr(miri, ignore = "too long")]
fn a_policy_that_decides_by_something_else_is_found_out() {
    let _turn = alone();
    for found in [
        check_replay::<Cheat<BY_OTHERS>>(nodes(2)),
        check_replay::<Cheat<BY_CLOCK>>(nodes(2)),
        check_replay::<Cheat<BY_ADDRESS>>(nodes(2)),
    ] {
        let reason = found.expect_err("the replay must not agree");
        assert!(reason.contains("woken"), "{reason}");
    }
}

/// More jobs than any of the programs below needs, whatever else the machine does: so many only delay what does not come.
const PATIENCE: u32 = 200_000;

/// The samples that a worker told its policy of, with the actors' words.
fn samples(record: &Record) -> impl Iterator<Item = (Word, Sample)> {
    record.asked.iter().filter_map(|(question, _)| match *question {
        Question::finished { word, sample, .. } => Some((word, sample)),
        _ => None,
    })
}

/// What policies learn from is true: an activation took as long as its handler at least, and was at home on the node of the actor's home.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn samples_tell_how_long_and_where() {
    let _turn = alone();
    let enough = || TALLY.home.load(Relaxed) >= 100 && TALLY.away.load(Relaxed) >= 100;
    let run = || work_until::<Recorded<AdaptiveLocality>, Slow>(4, nodes(2), PATIENCE, enough);
    let (records, _) = collect(run);
    assert!(enough(), "not timed both at home and away");
    for record in &records {
        let rings = record.rings.as_ref().expect("the machine is known");
        for (word, sample) in samples(record) {
            let home = word.home().expect("who is timed has started");
            assert_eq!(sample.at_home, rings.is_neighbour(home), "{word:?} {sample:?}");
            assert!(u128::from(sample.per_message) >= LONG.as_nanos(), "{sample:?}");
        }
    }
}

/// What `adaptive-locality` has learned from the times of activations changes where it sends actors.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn adaptive_locality_learns_who_is_better_off_at_home() {
    let _turn = alone();
    let enough = || TALLY.sent_home.load(Relaxed) > 20;
    collect(|| {
        type BetterAtHome = Given<20_000, 80_000>;
        work_until::<Recorded<AdaptiveLocality, BetterAtHome>, Slow>(4, nodes(2), PATIENCE, enough);
    });
    let (home, away) = (TALLY.home.load(Relaxed), TALLY.away.load(Relaxed));
    assert!(home >= 8 && away >= 8, "timed at home {home}, away {away}");
    assert!(enough(), "{home} and {away} samples taught nothing");
    assert!(TALLY.free.load(Relaxed) > 0, "nothing is known at the beginning");
}

/// Classes that are the same everywhere stay with their senders.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn adaptive_locality_pins_nobody_without_a_reason() {
    let _turn = alone();
    let enough = || TALLY.home.load(Relaxed) >= 100 && TALLY.away.load(Relaxed) >= 100;
    collect(|| {
        type Same = Given<30_000, 30_000>;
        work_until::<Recorded<AdaptiveLocality, Same>, Quick>(4, nodes(2), PATIENCE, enough);
    });
    assert!(enough(), "not timed both at home and away");
    assert_eq!(TALLY.pinned.load(Relaxed), 0);
    assert_eq!(TALLY.waiting.load(Relaxed), 0, "there are homes");
}

/// Where nobody can be away from home a worker stops timing when it has heard of short messages only, until it hears of others.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn on_a_single_node_short_messages_are_soon_timed_no_more() {
    let _turn = alone();
    let enough = || TALLY.incurious.load(Relaxed) > 0;
    let (records, _) = collect(|| {
        type Short = Given<100, 100>;
        work_until::<Recorded<AdaptiveLocality, Short>, Quick>(2, nodes(1), PATIENCE, enough);
    });
    assert!(enough(), "{} samples taught nothing", TALLY.home.load(Relaxed));
    assert_eq!(TALLY.away.load(Relaxed), 0);
    for record in &records {
        let mut learns = true;
        for (question, answer) in &record.asked {
            match (question, answer) {
                (Question::learns {}, Answer::Yes(answer)) => learns = *answer,
                (Question::samples { .. }, _) => assert!(learns, "nothing is learned from times now"),
                _ => {}
            }
        }
    }
}

/// Where nobody can be away from home actors whose messages take long wait their turn.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn on_a_single_node_long_messages_take_turns() {
    let _turn = alone();
    let enough = || TALLY.waiting.load(Relaxed) > 20;
    let long = || {
        type Long = Given<50_000, 50_000>;
        work_until::<Recorded<AdaptiveLocality, Long>, Quick>(2, nodes(1), PATIENCE, enough);
    };
    collect(long);
    assert!(enough(), "{} samples taught nothing", TALLY.home.load(Relaxed));
    assert_eq!(TALLY.pinned.load(Relaxed), 0);
}

/// Marks what it learns of a class with the hint of its actors, and counts what bears the mark of another one.
struct Marking(policy::Lgs);

static MISTAKEN: AtomicU32 = AtomicU32::new(0);
static MARKED: AtomicU32 = AtomicU32::new(0);

impl Policy for Marking {
    const NAME: &'static str = "marking";
    const STEALS: bool = true;
    const ROUTES: bool = true;
    const LEARNS: bool = true;

    fn new(setup: Setup) -> Self {
        Self(policy::Lgs::new(setup))
    }
    fn on(setup: Setup, rings: &Rings) -> Self {
        Self(policy::Lgs::on(setup, rings))
    }
    fn batch(&self) -> u32 {
        self.0.batch()
    }
    fn pick(&mut self, tick: u32) -> policy::Pick {
        self.0.pick(tick)
    }
    fn admitted(role: Role, turn: u32, workers: u32) -> (Word, Route) {
        let (_, route) = policy::Lgs::admitted(role, turn, workers);
        (Word::new(None, role == Role::Data), route)
    }
    fn started(&mut self, word: Word) -> Word {
        self.0.started(word)
    }
    fn woken(&mut self, sender: u32, word: Word, around: &Surroundings) -> Route {
        self.0.woken(sender, word, around)
    }
    fn samples(&mut self, _: u32, _: &Profile) -> bool {
        true
    }
    fn finished(&mut self, word: Word, _: Sample, mut profile: Profile) -> Profile {
        let mark = 1 + u32::from(word.is_free());
        let mistaken = ![0, mark].contains(&profile.home.count);
        MISTAKEN.fetch_add(u32::from(mistaken), Relaxed);
        MARKED.fetch_add(1, Relaxed);
        profile.home.count = mark;
        profile
    }
    fn search(&mut self, step: u32) -> Search {
        self.0.search(step)
    }
}

/// Has a table of its own, as every actor that uses more than messages.
struct Stashing<const IS_DATA: bool>;

impl<const IS_DATA: bool> Actor for Stashing<IS_DATA> {
    type Msg = ReplyTo<usize>;
    const HINT: Role = if IS_DATA { Role::Data } else { Role::Untold };

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        cx.stashed();
    }

    fn handle(&mut self, reply: Self::Msg, cx: &mut Context<'_, Self>) {
        reply.send(cx.stashed());
    }
}

/// Writes to another such actor whenever it is written to, until it is told to stop.
struct Talker(Option<Address<Talker>>);

static HAVE_SAID_ENOUGH: AtomicBool = AtomicBool::new(false);

impl Actor for Talker {
    type Msg = Address<Talker>;

    fn handle(&mut self, sender: Address<Talker>, cx: &mut Context<'_, Self>) {
        if self.0.replace(sender).is_none() && sender == cx.address() {
            // The first message of all comes from outside and names the actor itself.
            self.0 = Some(cx.spawn(Talker(None)));
        }
        let other = self.0.expect("it was just put there");
        if !HAVE_SAID_ENOUGH.load(Relaxed) {
            cx.tell(other, cx.address());
        }
    }
}

/// Who is woken last runs next under these policies, so two that write to each other keep each other in the slot. Others must get their
/// turn all the same, also if there is no other worker to steal them.
#[test]
fn nobody_starves_beside_two_who_keep_each_other_in_the_slot() {
    fn answers_beside_talkers<P: Policy>() {
        HAVE_SAID_ENOUGH.store(false, Relaxed);
        let runtime = Runtime::builder().workers(1).build_with::<P>().unwrap();
        let first = runtime.spawn(Talker(None));
        first.tell(first);
        while runtime.metrics().total().activations < 10_000 {
            std::thread::yield_now();
        }
        let beside = runtime.spawn(Stashing::<false>);
        let (said, is_said) = mpsc::channel();
        let asked = std::thread::spawn(move || said.send(beside.ask(|reply| reply).wait()));
        let answer = is_said.recv_timeout(Duration::from_secs(20));
        HAVE_SAID_ENOUGH.store(true, Relaxed);
        assert!(asked.join().unwrap().is_ok());
        assert_eq!(answer, Ok(Ok(0)), "{}", P::NAME);
    }
    answers_beside_talkers::<policy::GoLike>();
    answers_beside_talkers::<policy::TokioLike>();
    answers_beside_talkers::<policy::ClsTp>();
}

/// Tables of single actors come and go, and one may lie where that of another type's actor lay.
#[test]
fn classes_are_told_apart_by_type_whatever_their_actors_use() {
    fn live<A: Actor<Msg = ReplyTo<usize>>>(runtime: &Runtime, actor: A) {
        let actor = runtime.spawn(actor);
        (0..3).for_each(|_| assert_eq!(actor.ask(|reply| reply).wait(), Ok(0)));
        actor.stop();
        assert!(actor.ended().wait().is_ok());
    }
    let runtime = Runtime::builder().workers(1).build_with::<Marking>().unwrap();
    for _ in 0..20 {
        live(&runtime, Stashing::<false>);
        live(&runtime, Stashing::<true>);
    }
    assert!(MARKED.load(Relaxed) >= 40, "hardly anything was learned");
    assert_eq!(MISTAKEN.load(Relaxed), 0);
}
