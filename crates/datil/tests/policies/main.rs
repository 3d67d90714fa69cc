//! The native host and the policies: what a policy is asked while programs run, and that it decides by nothing but that.

mod recorded;

use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};

use datil::policy::topology::{Rings, Synthetic, Topology};
use datil::policy::{
    self, AdaptiveLocality, End, Hostile, Policy, Profile, Route, Search, Setup, Surroundings, Word,
};
use datil::{Actor, Address, Context, Runtime};

use recorded::{Answer, Question, Record, Recorded, collect};

/// Records belong to one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// So many nodes, all equally far apart, with two units each.
fn nodes(count: u32) -> Topology {
    let machine = Synthetic {
        packages: count,
        nodes: 1,
        l3: (1, 0),
        l2: (1, 0),
        cores: 2,
        l1: 0,
        threads: 1,
        memory: 0,
        distances: Vec::new(),
    };
    machine.build().unwrap()
}

/// Deals jobs out to its hands until there are none left, one at a time to each.
struct Boss<H: Actor<Msg = Job<H>>> {
    jobs: u32,
    hands: Vec<Address<H>>,
    make: fn() -> H,
    over: mpsc::Sender<()>,
}

enum Ask<H: Actor<Msg = Job<H>>> {
    Begin,
    Done(Address<H>),
}

struct Job<H: Actor<Msg = Job<H>>>(Address<Boss<H>>);

impl<H: Actor<Msg = Job<H>>> Actor for Boss<H> {
    type Msg = Ask<H>;

    fn handle(&mut self, ask: Ask<H>, cx: &mut Context<'_, Self>) {
        match ask {
            Ask::Begin => {
                let make = self.make;
                self.hands = (0..6).map(|_| cx.spawn(make())).collect();
                for &hand in &self.hands {
                    cx.tell(hand, Job(cx.address()));
                }
            }
            Ask::Done(hand) if self.jobs > 0 => {
                self.jobs -= 1;
                cx.tell(hand, Job(cx.address()));
            }
            Ask::Done(_) => {
                let _ = self.over.send(());
            }
        }
    }
}

/// A hand with state: what it does takes four times as long on another worker than the one where it started.
#[derive(Default)]
struct Rooted(Option<usize>);

/// A hand without: it is the same everywhere.
#[derive(Default)]
struct Rootless;

fn compute(rounds: u32) {
    black_box((0..rounds).fold(1u32, |sum, i| black_box(sum ^ i)));
}

impl Actor for Rooted {
    type Msg = Job<Self>;

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        self.0 = Some(cx.worker());
    }

    fn handle(&mut self, Job(boss): Job<Self>, cx: &mut Context<'_, Self>) {
        compute(if self.0 == Some(cx.worker()) {
            20_000
        } else {
            80_000
        });
        cx.tell(boss, Ask::Done(cx.address()));
    }
}

impl Actor for Rootless {
    type Msg = Job<Self>;

    fn handle(&mut self, Job(boss): Job<Self>, cx: &mut Context<'_, Self>) {
        compute(200);
        cx.tell(boss, Ask::Done(cx.address()));
    }
}

/// Lets a boss and its hands work, on a machine with so many nodes; the runtime is gone afterwards.
fn work<P: Policy, H: Actor<Msg = Job<H>> + Default>(workers: usize, machine: Topology, jobs: u32) {
    let builder = Runtime::builder().workers(workers).topology(machine);
    let runtime = builder.build_with::<P>().unwrap();
    let (over, is_over) = mpsc::channel();
    let boss = runtime.spawn(Boss {
        jobs,
        hands: Vec::new(),
        make: H::default,
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
        work::<Recorded<P>, Rooted>(2, machine.clone(), 30);
        work::<Recorded<P>, Rootless>(3, machine, 300);
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
            BY_OTHERS => (ASKED.fetch_add(1, Relaxed) / 1_000).is_multiple_of(2),
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

/// What a worker was told of the class of an actor that was woken, and where it sent that one.
fn woken(records: &[Record]) -> impl Iterator<Item = (Profile, Option<u32>, Route)> {
    records
        .iter()
        .flat_map(|record| &record.asked)
        .filter_map(|asked| match *asked {
            (Question::woken { word, around, .. }, Answer::Route(route)) => {
                Some((around.profile, word.home(), route))
            }
            _ => None,
        })
}

/// Samples of messages at home and of others.
fn samples(records: &[Record]) -> (usize, usize) {
    let at_home = |(question, _): &(Question, Answer)| match question {
        Question::finished { sample, .. } => Some(sample.at_home),
        _ => None,
    };
    let all = records
        .iter()
        .flat_map(|record| &record.asked)
        .filter_map(at_home);
    all.fold(
        (0, 0),
        |(home, away), here| {
            if here { (home + 1, away) } else { (home, away + 1) }
        },
    )
}

/// What `adaptive-locality` has learned from the times of activations changes where it sends actors.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn adaptive_locality_learns_who_is_better_off_at_home() {
    let _turn = alone();
    let (records, _) = collect(|| work::<Recorded<AdaptiveLocality>, Rooted>(4, nodes(2), 2_000));
    let (home, away) = samples(&records);
    assert!(home >= 8 && away >= 8, "timed at home {home}, away {away}");
    let pinned = woken(&records).filter(|(profile, ..)| profile.pinned);
    let (sent_home, others): (Vec<_>, Vec<_>) =
        pinned.partition(|(_, home, route)| Some(route.worker) == *home && route.end == End::Tail);
    assert!(
        sent_home.len() > 20,
        "{home} and {away} samples taught nothing: {} were sent home, {} not",
        sent_home.len(),
        others.len()
    );
    assert!(
        woken(&records).any(|(profile, ..)| !profile.pinned),
        "nothing is known at the beginning"
    );
}

/// Classes that are the same everywhere stay with their senders.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn adaptive_locality_pins_nobody_without_a_reason() {
    let _turn = alone();
    let (records, _) = collect(|| work::<Recorded<AdaptiveLocality>, Rootless>(4, nodes(2), 20_000));
    let (home, away) = samples(&records);
    assert!(home + away > 100, "timed at home {home}, away {away}");
    assert_eq!(woken(&records).filter(|(profile, ..)| profile.pinned).count(), 0);
}

/// Where nobody can be away from home nothing is timed.
#[test]
#[cfg_attr(miri, ignore = "too long")]
fn nothing_is_timed_on_a_single_node() {
    let _turn = alone();
    let (records, _) = collect(|| work::<Recorded<AdaptiveLocality>, Rooted>(2, nodes(1), 200));
    assert_eq!(samples(&records), (0, 0));
    let asked = |question: &Question| matches!(question, Question::samples { .. });
    assert!(
        !records
            .iter()
            .flat_map(|record| &record.asked)
            .any(|(question, _)| asked(question))
    );
}
