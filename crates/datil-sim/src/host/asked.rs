//! The simulated host asks a policy what the native one asks, when that asks it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use datil_policy::{
    End, Pick, Policy, Profile, Role, Route, Sample, Search, Setup, Surroundings, Waking, Word,
};
use suite::library::{Actor, ActorLibrary, Context, Driver, Script};

use super::{Rules, Settings};
use crate::library::{Simulated, System};
use crate::machine::preset;

type To<A> = <Simulated as ActorLibrary>::Address<A>;

/// What policies were asked, by thread: each test has its own.
static ASKED: Mutex<BTreeMap<String, Vec<Asked>>> = Mutex::new(BTreeMap::new());

#[derive(Clone, Copy, PartialEq, Debug)]
enum Asked {
    Woken(Surroundings),
    Take(u32),
    Samples(u32),
    Finished(Sample),
}

fn test() -> String {
    let thread = std::thread::current();
    thread.name().expect("tests have names").to_owned()
}

fn note(asked: Asked) {
    let mut all = ASKED.lock().expect("nobody panics with it");
    all.entry(test()).or_default().push(asked);
}

/// What was asked in this test since the last call.
fn asked() -> Vec<Asked> {
    let mut all = ASKED.lock().expect("nobody panics with it");
    all.remove(&test()).unwrap_or_default()
}

/// Queues at the head, takes from the tail if `BACKWARDS`, and learns until it was told so many `SAMPLES`.
struct Noting<const BACKWARDS: bool, const SAMPLES: u32> {
    worker: u32,
    told: u32,
}

/// Learns as long as it runs.
type Learning<const BACKWARDS: bool> = Noting<BACKWARDS, { u32::MAX }>;

impl<const BACKWARDS: bool, const SAMPLES: u32> Policy for Noting<BACKWARDS, SAMPLES> {
    const NAME: &'static str = "noting";
    const ROUTES: bool = true;
    const LEARNS: bool = true;
    const WAKING: Waking = Waking::OneSearcher;

    fn new(setup: Setup) -> Self {
        Self {
            worker: setup.worker,
            told: 0,
        }
    }
    fn batch(&self) -> u32 {
        u32::MAX
    }
    fn pick(&mut self, _: u32) -> Pick {
        Pick::Oldest
    }
    fn spawned(&mut self, _: Role) -> (Word, Route) {
        (Word::new(Some(self.worker), false), self.here())
    }
    fn woken(&mut self, _: u32, _: Word, around: &Surroundings) -> Route {
        note(Asked::Woken(*around));
        self.here()
    }
    fn learns(&self) -> bool {
        self.told < SAMPLES
    }
    fn samples(&mut self, tick: u32, _: &Profile) -> bool {
        note(Asked::Samples(tick));
        true
    }
    fn finished(&mut self, _: Word, sample: Sample, mut profile: Profile) -> Profile {
        note(Asked::Finished(sample));
        self.told += 1;
        profile.home = profile.home.with(sample.per_message);
        profile
    }
    fn take(&mut self, tick: u32) -> End {
        note(Asked::Take(tick));
        if BACKWARDS { End::Tail } else { End::Head }
    }
    fn search(&mut self, _: u32) -> Search {
        Search::Park
    }
}

impl<const BACKWARDS: bool, const SAMPLES: u32> Noting<BACKWARDS, SAMPLES> {
    fn here(&self) -> Route {
        Route {
            worker: self.worker,
            end: End::Head,
        }
    }
}

/// Creates children, starts them in order, and starts them once more when all have answered.
struct Parent {
    children: Vec<To<Child>>,
    answers: usize,
    order: Arc<Mutex<Vec<usize>>>,
}

struct Child {
    number: usize,
    parent: To<Parent>,
    order: Arc<Mutex<Vec<usize>>>,
}

const CHILDREN: usize = 4;

impl Actor<Simulated> for Parent {
    type Message = ();

    fn handle(&mut self, (): (), cx: &mut impl Context<Simulated, Self>) {
        if self.children.is_empty() {
            for number in 0..CHILDREN {
                let child = Child {
                    number,
                    parent: cx.myself(),
                    order: Arc::clone(&self.order),
                };
                self.children.push(cx.spawn(child));
            }
        } else {
            self.answers += 1;
        }
        if self.answers.is_multiple_of(CHILDREN) {
            let last = self.answers == 2 * CHILDREN;
            for child in &self.children {
                cx.tell(child, last);
            }
            if last {
                cx.stop();
            }
        }
    }
}

impl Actor<Simulated> for Child {
    type Message = bool;

    fn handle(&mut self, last: bool, cx: &mut impl Context<Simulated, Self>) {
        if last {
            return cx.stop();
        }
        self.order
            .lock()
            .expect("nobody panics with it")
            .push(self.number);
        cx.tell(&self.parent, ());
    }
}

struct Family(Arc<Mutex<Vec<usize>>>);

impl Script<Simulated> for Family {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let parent = driver.spawn(Parent {
            children: Vec::new(),
            answers: 0,
            order: self.0,
        });
        driver.tell(&parent, ());
    }
}

/// Runs the family on one worker; returns in which order the children handled their messages, and what was asked.
fn run<P: Policy>(fair: bool) -> (Vec<usize>, Vec<Asked>) {
    let settings = Settings {
        workers: 1,
        fair,
        ..Settings::new(preset("uniform").expect("a preset"))
    };
    let order = Arc::default();
    let mut system = System::ruled(Rules::of::<P>(), settings).expect("it fits the machine");
    let (_, stopped) = system.play(Family(Arc::clone(&order))).expect("it runs");
    assert_eq!(stopped, 1 + CHILDREN as u64);
    let order = order.lock().expect("nobody panics with it").clone();
    (order, asked())
}

#[test]
fn the_worker_takes_from_the_end_that_the_policy_says() {
    // The children were queued at the head, one before the other, by their creation and again by the second messages.
    let (from_head, _) = run::<Learning<false>>(true);
    assert_eq!(from_head, [3, 2, 1, 0, 3, 2, 1, 0]);
    let (from_tail, _) = run::<Learning<true>>(true);
    assert_eq!(from_tail, [0, 1, 2, 3, 0, 1, 2, 3]);
}

#[test]
fn workers_like_those_of_caf_take_from_the_head_without_asking() {
    let (order, asked) = run::<Learning<true>>(false);
    assert_eq!(order, [3, 2, 1, 0, 3, 2, 1, 0]);
    assert!(!asked.iter().any(|asked| matches!(asked, Asked::Take(_))));
}

#[test]
fn the_policy_is_asked_for_an_end_before_each_activation_by_its_number() {
    let (_, asked) = run::<Learning<false>>(true);
    let mut ticks: Vec<u32> = asked
        .iter()
        .filter_map(|asked| match asked {
            Asked::Take(tick) => Some(*tick),
            _ => None,
        })
        .collect();
    // With an empty queue it is asked too, and then again with the same number.
    ticks.dedup();
    assert_eq!(ticks[0], 1);
    assert!(ticks.windows(2).all(|pair| pair[1] == pair[0] + 1), "{ticks:?}");
}

#[test]
fn a_policy_that_learns_is_asked_which_activations_to_time_but_for_those_in_which_actors_start() {
    let (_, asked) = run::<Learning<false>>(true);
    let samples = asked
        .iter()
        .filter(|asked| matches!(asked, Asked::Samples(_)))
        .count();
    let told: Vec<Sample> = asked
        .iter()
        .filter_map(|asked| match asked {
            Asked::Finished(sample) => Some(*sample),
            _ => None,
        })
        .collect();
    let takes = asked
        .iter()
        .filter(|asked| matches!(asked, Asked::Take(_)))
        .count();
    assert!(samples > 0 && samples + CHILDREN < takes, "{samples} of {takes}");
    assert_eq!(told.len(), samples, "each of them handled messages");
    assert!(told.iter().all(|sample| sample.at_home && sample.per_message > 0));
    // What was learned is shown.
    let knows = |asked: &Asked| matches!(asked, Asked::Woken(around) if around.profile.home.count > 0);
    assert!(asked.iter().any(knows), "{asked:?}");
}

#[test]
fn a_policy_that_learns_nothing_on_its_place_is_shown_nothing_and_told_nothing() {
    let (_, asked) = run::<Noting<false, 0>>(true);
    assert!(asked.contains(&Asked::Woken(Surroundings::default())));
    for asked in asked {
        match asked {
            Asked::Take(_) => {}
            Asked::Woken(around) => assert_eq!(around, Surroundings::default()),
            Asked::Samples(_) | Asked::Finished(_) => panic!("{asked:?}"),
        }
    }
}

#[test]
fn a_policy_that_has_learned_enough_is_shown_nothing_and_told_nothing_any_more() {
    let (_, asked) = run::<Noting<false, 3>>(true);
    let count = |is: fn(&Asked) -> bool| asked.iter().filter(|asked| is(asked)).count();
    assert_eq!(count(|asked| matches!(asked, Asked::Samples(_))), 3);
    assert_eq!(count(|asked| matches!(asked, Asked::Finished(_))), 3);
    let last = asked
        .iter()
        .rposition(|asked| matches!(asked, Asked::Finished(_)));
    let later: Vec<&Asked> = asked[last.expect("there are three")..]
        .iter()
        .filter(|asked| matches!(asked, Asked::Woken(_)))
        .collect();
    assert!(!later.is_empty());
    assert!(
        later
            .iter()
            .all(|asked| **asked == Asked::Woken(Surroundings::default())),
        "{later:?}"
    );
}
