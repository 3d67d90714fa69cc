//! What a feature of the library costs where it is used, and where it is not: `costs <program> <feature> <operations>`.
//!
//! Two programs on one worker: `messages` (two actors pass a number to and fro; an operation is a message) and `lives` (an actor makes another one, which
//! answers and ends, and so on; an operation is a life with its two messages). They print nothing and check what comes out. Instructions are counted by
//! running them under a tool that does, with two numbers of operations, of which the difference is free of start and end: `.ci/instructions`.

use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use datil::{Actor, Address, Context, Mailbox, Overflow, Restart, Runtime, StopReason, Strategy, Supervisor};

/// What both parties use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Feature {
    /// Nothing.
    Plain,
    /// Nothing, but other actors of the runtime use everything.
    Elsewhere,
    /// A third actor monitors both, or the maker each that it makes.
    Monitored,
    /// They are linked.
    Linked,
    /// They have a supervisor.
    Supervised,
    /// Messages are urgent.
    Urgent,
    /// Mailboxes are counted, bounded or soft; the type says so.
    Mailbox,
}

/// A supervisor that never has to do anything.
fn supervisor() -> Supervisor {
    Supervisor::new(Strategy::OneForOne, 1, Duration::from_secs(1))
}

const UNBOUNDED: u8 = 0;
const COUNTED: u8 = 1;
const BOUNDED: u8 = 2;
const SOFT: u8 = 3;

const fn mailbox(kind: u8) -> Mailbox {
    match kind {
        COUNTED => Mailbox::Counted,
        BOUNDED => Mailbox::Bounded {
            capacity: 16,
            overflow: Overflow::Reject,
        },
        SOFT => Mailbox::Soft { most: 16 },
        _ => Mailbox::Unbounded,
    }
}

/// Passes a number on until it is 0.
struct Party<const KIND: u8> {
    feature: Feature,
    other: Option<Address<Party<KIND>>>,
    over: Sender<()>,
}

enum Pass<const KIND: u8> {
    Meet(Address<Party<KIND>>),
    Ball(u64),
}

impl<const KIND: u8> Actor for Party<KIND> {
    type Msg = Pass<KIND>;
    const MAILBOX: Mailbox = mailbox(KIND);

    fn handle(&mut self, msg: Pass<KIND>, cx: &mut Context<'_, Self>) {
        match msg {
            Pass::Meet(other) => {
                self.other = Some(other);
                if self.feature == Feature::Linked {
                    cx.link(other);
                }
            }
            Pass::Ball(0) => self.over.send(()).expect("main waits"),
            Pass::Ball(left) => {
                let other = self.other.expect("they have met");
                if self.feature == Feature::Urgent {
                    cx.tell_urgently(other, Pass::Ball(left - 1));
                } else {
                    cx.tell(other, Pass::Ball(left - 1));
                }
            }
        }
    }
}

/// Monitors those that it hears of.
struct Guard<const KIND: u8>;

enum Heard<const KIND: u8> {
    Of(Address<Party<KIND>>),
    End,
}

impl<const KIND: u8> Actor for Guard<KIND> {
    type Msg = Heard<KIND>;

    fn handle(&mut self, msg: Heard<KIND>, cx: &mut Context<'_, Self>) {
        if let Heard::Of(party) = msg {
            cx.monitor(party, |_| Heard::End);
        }
    }
}

fn pair<const KIND: u8>(runtime: &Runtime, feature: Feature, over: &Sender<()>) -> [Address<Party<KIND>>; 2] {
    let supervisor = supervisor();
    let pair = [(); 2].map(|()| {
        let over = over.clone();
        let party = move || Party {
            feature,
            other: None,
            over: over.clone(),
        };
        if feature == Feature::Supervised {
            let child = supervisor.start(&mut &*runtime, Restart::Never, party);
            child.expect("it has not given up")
        } else {
            runtime.spawn(party())
        }
    });
    if feature == Feature::Monitored {
        let guard = runtime.spawn(Guard);
        pair.into_iter().for_each(|party| guard.tell(Heard::Of(party)));
    }
    pair[0].tell(Pass::Meet(pair[1]));
    pair[1].tell(Pass::Meet(pair[0]));
    // Urgent messages would overtake these.
    runtime.wait_quiescent();
    pair
}

fn messages<const KIND: u8>(runtime: &Runtime, feature: Feature, operations: u64) {
    let (over, is_over) = mpsc::channel();
    let parties = pair::<KIND>(runtime, feature, &over);
    if feature == Feature::Elsewhere {
        company(runtime, &over);
    }
    parties[0].tell(Pass::Ball(operations));
    is_over.recv().expect("one of them says so");
}

/// Makes one mayfly after the other.
struct Maker<const KIND: u8> {
    left: u64,
    feature: Feature,
    supervisor: Option<Supervisor>,
    over: Sender<()>,
}

enum Made {
    Next,
    Ended(StopReason),
}

impl<const KIND: u8> Maker<KIND> {
    fn next(&mut self, cx: &mut Context<'_, Self>) {
        if self.left == 0 {
            self.over.send(()).expect("main waits");
            return cx.stop();
        }
        self.left -= 1;
        let maker = cx.address();
        let mayfly = match &self.supervisor {
            Some(supervisor) => supervisor
                .start(cx, Restart::Never, move || Mayfly(maker))
                .expect("it has not given up"),
            None => cx.spawn(Mayfly(maker)),
        };
        match self.feature {
            Feature::Monitored => drop(cx.monitor(mayfly, |down| Made::Ended(down.reason))),
            Feature::Linked => cx.link(mayfly),
            _ => {}
        }
        if self.feature == Feature::Urgent {
            cx.tell_urgently(mayfly, ());
        } else {
            cx.tell(mayfly, ());
        }
    }
}

impl<const KIND: u8> Actor for Maker<KIND> {
    type Msg = Made;
    const MAILBOX: Mailbox = mailbox(KIND);

    fn handle(&mut self, msg: Made, cx: &mut Context<'_, Self>) {
        match msg {
            Made::Next => self.next(cx),
            Made::Ended(reason) => assert!(reason.is_normal(), "{reason}"),
        }
    }
}

/// Answers and ends.
struct Mayfly<const KIND: u8>(Address<Maker<KIND>>);

impl<const KIND: u8> Actor for Mayfly<KIND> {
    type Msg = ();
    const EAGER: bool = false;
    const MAILBOX: Mailbox = mailbox(KIND);

    fn handle(&mut self, (): (), cx: &mut Context<'_, Self>) {
        cx.tell(self.0, Made::Next);
        cx.stop();
    }
}

fn lives<const KIND: u8>(runtime: &Runtime, feature: Feature, operations: u64) {
    let (over, is_over) = mpsc::channel();
    if feature == Feature::Elsewhere {
        company(runtime, &mpsc::channel().0);
    }
    let supervised = feature == Feature::Supervised;
    let maker = runtime.spawn(Maker::<KIND> {
        left: operations,
        feature,
        supervisor: supervised.then(supervisor),
        over,
    });
    maker.tell(Made::Next);
    is_over.recv().expect("the maker says so");
}

/// Actors that use everything, and wait. The runtime is not quiescent any more: a timer runs.
fn company(runtime: &Runtime, over: &Sender<()>) {
    for feature in [Feature::Monitored, Feature::Linked, Feature::Supervised] {
        pair::<UNBOUNDED>(runtime, feature, over);
        pair::<BOUNDED>(runtime, feature, over);
        let [one, other] = pair::<SOFT>(runtime, feature, over);
        one.tell_urgently(Pass::Meet(other));
    }
    let [late, other] = pair::<UNBOUNDED>(runtime, Feature::Plain, over);
    runtime.tell_after(Duration::from_secs(86_400), late, Pass::Meet(other));
}

fn usage() -> ! {
    eprintln!(
        "usage: costs messages|lives plain|elsewhere|monitored|linked|supervised|urgent|counted|bounded|soft <operations>"
    );
    std::process::exit(2);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [program, feature, operations] = &args[..] else {
        usage();
    };
    let operations: u64 = operations.parse()?;
    let (feature, kind) = match &feature[..] {
        "plain" => (Feature::Plain, UNBOUNDED),
        "elsewhere" => (Feature::Elsewhere, UNBOUNDED),
        "monitored" => (Feature::Monitored, UNBOUNDED),
        "linked" => (Feature::Linked, UNBOUNDED),
        "supervised" => (Feature::Supervised, UNBOUNDED),
        "urgent" => (Feature::Urgent, UNBOUNDED),
        "counted" => (Feature::Mailbox, COUNTED),
        "bounded" => (Feature::Mailbox, BOUNDED),
        "soft" => (Feature::Mailbox, SOFT),
        _ => usage(),
    };
    let runtime = Runtime::builder().workers(1).build()?;
    let run = match (&program[..], kind) {
        ("messages", COUNTED) => messages::<COUNTED>,
        ("messages", BOUNDED) => messages::<BOUNDED>,
        ("messages", SOFT) => messages::<SOFT>,
        ("messages", _) => messages::<UNBOUNDED>,
        ("lives", COUNTED) => lives::<COUNTED>,
        ("lives", BOUNDED) => lives::<BOUNDED>,
        ("lives", SOFT) => lives::<SOFT>,
        ("lives", _) => lives::<UNBOUNDED>,
        _ => usage(),
    };
    run(&runtime, feature, operations);
    runtime.shutdown();
    Ok(())
}
