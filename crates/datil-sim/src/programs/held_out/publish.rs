//! Topics that hand each issue to all who are subscribed to them, and subscribers that come, subscribe to one topic after
//! the other and go. As in reactive streams a subscriber asks for some issues at a time, and a topic drops it after the
//! last that it wants. A topic asks its publisher for the next issue when all who are subscribed have asked for one, so
//! that topics wait for their slowest subscriber, fall silent and wake up again; and not before it has an audience, as long
//! as more may come. A door lets the next subscriber in for each that leaves. Written as held out, after all rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, burst, coordinator};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, mixed, number};
use crate::host::{Activity, Annotation, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "publish",
    about: "written to try the final rules on: topics, publishers, subscribers that come and go",
    nature: Nature::Messages,
    parameters: &[
        ("topics", "24"),
        ("subscribers", "1500"),
        ("present", "240"),
        ("issues", "12"),
    ],
    scale: None,
    annotations: &[
        // An issue is put together and written into a message.
        actor("publish::Publisher", |_| Charge::compute(2_000).touching(4)),
        Annotation {
            carries: |_| 2,
            ..actor("publish::Topic", hand_out)
        },
        actor("publish::Subscriber", read),
        coordinator("publish::Door", burst),
    ],
    run,
};

/// Topics to which one subscriber subscribes in turn.
const TOPICS: u64 = 3;
/// Issues that a subscriber asks for at a time.
const BATCH: u64 = 4;

/// The list of subscriptions is gone through for an issue: an address and two counters of each. A subscription that
/// comes is put into the list.
fn hand_out(activity: &Activity) -> Charge {
    let sends = activity.sends as u64;
    Charge::compute(100 + 20 * sends).touching(2 + sends / 2)
}

/// An issue of two lines is parsed, and some state is brought up to date.
fn read(_: &Activity) -> Charge {
    Charge::compute(400).touching(2)
}

/// What an issue of a topic says.
fn text(topic: u64, issue: u64) -> u64 {
    mixed(topic << 40 | issue)
}

/// The topic that a subscriber subscribes to in this turn; some are more popular than others.
fn chosen(subscriber: u64, turn: u64, topics: usize) -> usize {
    let seed = mixed(subscriber << 8 | turn);
    let pick = |seed: u64| (seed & 0xffff_ffff) as usize % topics;
    pick(seed).min(pick(seed >> 32))
}

struct Publisher {
    topic: u64,
    published: u64,
}

enum ToPublisher {
    Next(To<Topic>),
    Stop,
}

impl Actor<Simulated> for Publisher {
    type Message = ToPublisher;

    fn handle(&mut self, message: ToPublisher, cx: &mut impl Context<Simulated, Self>) {
        let ToPublisher::Next(topic) = message else {
            return cx.stop();
        };
        let issue = Issue {
            topic: self.topic,
            number: self.published,
            text: text(self.topic, self.published),
        };
        cx.tell(&topic, ToTopic::Issue(issue));
        self.published += 1;
    }
}

struct Topic {
    publisher: To<Publisher>,
    subscriptions: BTreeMap<u64, Subscription>,
    /// Whether an issue is on its way here.
    asked: bool,
    /// So many must be subscribed.
    audience: usize,
    closing: bool,
}

struct Subscription {
    subscriber: To<Subscriber>,
    /// Issues that are still wanted, and those that were asked for.
    left: u64,
    demand: u64,
}

enum ToTopic {
    /// A subscriber's number, and how many issues it wants in all.
    Subscribe(u64, To<Subscriber>, u64),
    /// The number of a subscriber that asks for some more.
    More(u64),
    Issue(Issue),
    /// Nobody comes any more, though who is there may still subscribe.
    Last,
    Close,
}

#[derive(Clone, Copy)]
struct Issue {
    topic: u64,
    number: u64,
    text: u64,
}

impl Topic {
    fn hand_out(&mut self, issue: Issue, cx: &mut impl Context<Simulated, Self>) {
        for subscription in self.subscriptions.values_mut() {
            cx.tell(&subscription.subscriber, ToSubscriber::Issue(issue));
            subscription.left -= 1;
            subscription.demand -= 1;
        }
        self.subscriptions.retain(|_, subscription| subscription.left > 0);
    }

    /// Asks for an issue if all want one; ends if nobody ever will.
    fn go_on(&mut self, cx: &mut impl Context<Simulated, Self>) {
        if self.asked {
            return;
        }
        if self.subscriptions.is_empty() {
            if self.closing {
                cx.tell(&self.publisher, ToPublisher::Stop);
                cx.stop();
            }
            return;
        }
        let all = self.subscriptions.values().all(|one| one.demand > 0);
        if all && self.subscriptions.len() >= self.audience {
            self.asked = true;
            cx.tell(&self.publisher, ToPublisher::Next(cx.myself()));
        }
    }
}

impl Actor<Simulated> for Topic {
    type Message = ToTopic;

    fn handle(&mut self, message: ToTopic, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToTopic::Subscribe(number, subscriber, left) => {
                let subscription = Subscription {
                    subscriber,
                    left,
                    demand: BATCH,
                };
                self.subscriptions.insert(number, subscription);
            }
            ToTopic::More(number) => {
                let subscription = self.subscriptions.get_mut(&number);
                subscription.expect("it wants more").demand += BATCH;
            }
            ToTopic::Issue(issue) => {
                self.asked = false;
                self.hand_out(issue, cx);
            }
            ToTopic::Last => self.audience = 0,
            ToTopic::Close => self.closing = true,
        }
        self.go_on(cx);
    }
}

struct Subscriber {
    number: u64,
    topics: Arc<[To<Topic>]>,
    door: To<Door>,
    /// Issues that it wants of each topic.
    issues: u64,
    got: u64,
    /// Issues that said what they should.
    right: u64,
}

enum ToSubscriber {
    Begin,
    Issue(Issue),
}

impl Subscriber {
    /// The topic whose issues come now.
    fn topic(&self) -> usize {
        chosen(self.number, self.got / self.issues, self.topics.len())
    }
}

impl Actor<Simulated> for Subscriber {
    type Message = ToSubscriber;

    fn handle(&mut self, message: ToSubscriber, cx: &mut impl Context<Simulated, Self>) {
        if let ToSubscriber::Issue(issue) = message {
            let mine = issue.topic == self.topic() as u64;
            self.right += u64::from(mine && issue.text == text(issue.topic, issue.number));
            self.got += 1;
        }
        let topic = &self.topics[self.topic()];
        if self.got == TOPICS * self.issues {
            cx.tell(&self.door, ToDoor::Left(self.right));
            cx.stop();
        } else if self.got.is_multiple_of(self.issues) {
            let subscribe = ToTopic::Subscribe(self.number, cx.myself(), self.issues);
            cx.tell(topic, subscribe);
        } else if (self.got % self.issues).is_multiple_of(BATCH) {
            cx.tell(topic, ToTopic::More(self.number));
        }
    }
}

/// Lets subscribers in, and closes the topics after the last.
struct Door {
    topics: Arc<[To<Topic>]>,
    subscribers: u64,
    issues: u64,
    came: u64,
    left: u64,
    total: u64,
    sum: Sum,
}

enum ToDoor {
    /// So many may be there at a time.
    Open(u64),
    /// A subscriber has left that got so many right issues.
    Left(u64),
}

impl Door {
    fn admit(&mut self, cx: &mut impl Context<Simulated, Self>) {
        if self.came == self.subscribers {
            return;
        }
        let subscriber = cx.spawn(Subscriber {
            number: self.came,
            topics: Arc::clone(&self.topics),
            door: cx.myself(),
            issues: self.issues,
            got: 0,
            right: 0,
        });
        cx.tell(&subscriber, ToSubscriber::Begin);
        self.came += 1;
        if self.came == self.subscribers {
            self.tell_all(|| ToTopic::Last, cx);
        }
    }

    fn tell_all(&self, message: fn() -> ToTopic, cx: &mut impl Context<Simulated, Self>) {
        for topic in self.topics.iter() {
            cx.tell(topic, message());
        }
    }
}

impl Actor<Simulated> for Door {
    type Message = ToDoor;

    fn handle(&mut self, message: ToDoor, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToDoor::Open(present) => (0..present).for_each(|_| self.admit(cx)),
            ToDoor::Left(right) => {
                self.total += right;
                self.left += 1;
                self.admit(cx);
            }
        }
        if self.left == self.subscribers {
            self.tell_all(|| ToTopic::Close, cx);
            self.sum.add(self.total);
            cx.stop();
        }
    }
}

struct Publish {
    topics: u64,
    subscribers: u64,
    present: u64,
    issues: u64,
    sum: Sum,
}

impl Script<Simulated> for Publish {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        // Half of those who are there on average: some topic always has an audience.
        let audience = (self.present / self.topics / 2) as usize;
        let topic = |topic| {
            let publisher = driver.spawn(Publisher { topic, published: 0 });
            driver.spawn(Topic {
                publisher,
                subscriptions: BTreeMap::new(),
                asked: false,
                audience,
                closing: false,
            })
        };
        let topics: Arc<[To<Topic>]> = (0..self.topics).map(topic).collect();
        let door = driver.spawn(Door {
            topics,
            subscribers: self.subscribers,
            issues: self.issues,
            came: 0,
            left: 0,
            total: 0,
            sum: self.sum,
        });
        driver.tell(&door, ToDoor::Open(self.present));
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let script = Publish {
        topics: number(program, parameters, "topics")?,
        subscribers: number(program, parameters, "subscribers")?,
        present: number(program, parameters, "present")?,
        issues: number(program, parameters, "issues")?,
        sum: sum.clone(),
    };
    let actors = 2 * script.topics + script.subscribers + 1;
    let expected = script.subscribers * TOPICS * script.issues;
    sum.play(program, settings, script, (actors as usize, expected))
}
