//! Replicated logs: groups of a leader and its followers, side by side. A client's write is appended to the leader's log
//! and sent to all followers, which append it, too, and acknowledge it. Once a majority of the group has it, the leader
//! commits it and answers the client, which then sends its next write. There is little to compute, and a group's leader
//! has much more to do than anybody else in it. Written as held out, after waking of neighbours was decided.

use std::collections::VecDeque;

use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, coordinator, light};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, between, mixed, number};
use crate::host::{Activity, Annotation, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "quorum",
    about: "written to try the final rules on: independent replicated logs, each write committed by a majority",
    nature: Nature::Messages,
    parameters: &[
        ("groups", "12"),
        ("followers", "4"),
        ("clients", "8"),
        ("writes", "120"),
    ],
    scale: None,
    annotations: &[
        Annotation {
            carries: |activity| if activity.sends > 1 { ENTRY_LINES } else { 0 },
            ..coordinator("quorum::Leader", lead)
        },
        actor("quorum::Follower", append),
        Annotation {
            carries: |_| ENTRY_LINES,
            ..actor("quorum::Client", ask)
        },
    ],
    run,
};

/// An entry of 256 bytes.
const ENTRY_LINES: u32 = 4;

/// 0.2 to 0.5 µs at 2.3 GHz to count an acknowledgement and perhaps to answer a client; 0.4 to 1.2 µs to put a write
/// into the log and into a message for each follower.
fn lead(activity: &Activity) -> Charge {
    match activity.sends {
        0 | 1 => Charge::compute(between(460, 1_150, activity)).touching(2),
        _ => Charge::compute(between(920, 2_760, activity)).touching(2 + u64::from(ENTRY_LINES)),
    }
}

/// 0.4 to 2 µs: a checksum is compared, and the entry put into the log.
fn append(activity: &Activity) -> Charge {
    match activity.sends {
        0 => light(activity),
        _ => Charge::compute(between(920, 4_600, activity)).touching(2 + u64::from(ENTRY_LINES)),
    }
}

/// 0.2 to 2 µs: an answer is taken apart and the next write put together.
fn ask(activity: &Activity) -> Charge {
    Charge::compute(between(460, 4_600, activity)).touching(2)
}

/// What a client writes as its `number`th.
fn text(client: u64, number: u64) -> u64 {
    mixed(client << 32 | number)
}

/// A log with one entry more: it depends on their order.
fn appended(log: u64, text: u64) -> u64 {
    mixed(log ^ text)
}

struct Leader {
    followers: Vec<To<Follower>>,
    /// Clients that still write.
    clients: u64,
    /// What stands for the log, and its length.
    log: u64,
    length: u64,
    /// How much of the log each follower has.
    matched: Vec<u64>,
    committed: u64,
    /// Writes that are not committed yet, the oldest first.
    open: VecDeque<(u64, To<Client>)>,
}

enum ToLeader {
    Write(u64, To<Client>),
    /// The follower of this number has so much of the log.
    Appended(usize, u64),
    /// A client has no more to write.
    Left,
}

impl Leader {
    fn append(&mut self, text: u64, from: To<Client>, cx: &mut impl Context<Simulated, Self>) {
        self.log = appended(self.log, text);
        self.length += 1;
        self.open.push_back((text, from));
        for (number, follower) in self.followers.iter().enumerate() {
            cx.tell(follower, ToFollower::Append(number, text, cx.myself()));
        }
    }

    /// Answers all writes that a majority has, the leader among it.
    fn commit(&mut self, cx: &mut impl Context<Simulated, Self>) {
        let mut matched = self.matched.clone();
        matched.sort_unstable();
        let others = self.followers.len().div_ceil(2);
        let majority = matched[matched.len() - others];
        let new = (majority - self.committed) as usize;
        for (text, from) in self.open.drain(..new) {
            cx.tell(&from, ToClient::Committed(text));
        }
        self.committed = majority;
    }

    /// Acknowledgements that no write needs any more are waited for, so that all followers are done.
    fn stop_if_done(&self, cx: &mut impl Context<Simulated, Self>) {
        if self.clients == 0 && self.matched.iter().all(|&matched| matched == self.length) {
            for follower in &self.followers {
                cx.tell(follower, ToFollower::Stop(self.log));
            }
            cx.stop();
        }
    }
}

impl Actor<Simulated> for Leader {
    type Message = ToLeader;

    fn handle(&mut self, message: ToLeader, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToLeader::Write(text, from) => self.append(text, from, cx),
            ToLeader::Appended(follower, length) => {
                self.matched[follower] = length;
                self.commit(cx);
                self.stop_if_done(cx);
            }
            ToLeader::Left => {
                self.clients -= 1;
                self.stop_if_done(cx);
            }
        }
    }
}

#[derive(Default)]
struct Follower {
    log: u64,
    length: u64,
    sum: Sum,
}

enum ToFollower {
    /// The follower's number, the entry, and whom to tell.
    Append(usize, u64, To<Leader>),
    /// What the log must be.
    Stop(u64),
}

impl Actor<Simulated> for Follower {
    type Message = ToFollower;

    fn handle(&mut self, message: ToFollower, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToFollower::Append(me, text, leader) => {
                self.log = appended(self.log, text);
                self.length += 1;
                cx.tell(&leader, ToLeader::Appended(me, self.length));
            }
            ToFollower::Stop(log) => {
                self.sum.add(u64::from(self.log == log));
                cx.stop();
            }
        }
    }
}

struct Client {
    number: u64,
    leader: To<Leader>,
    writes: u64,
    written: u64,
    /// All that was committed.
    committed: u64,
    sum: Sum,
}

enum ToClient {
    Begin,
    Committed(u64),
}

impl Actor<Simulated> for Client {
    type Message = ToClient;

    fn handle(&mut self, message: ToClient, cx: &mut impl Context<Simulated, Self>) {
        if let ToClient::Committed(text) = message {
            self.committed = self.committed.wrapping_add(text);
        }
        if self.written == self.writes {
            self.sum.add(self.committed);
            cx.tell(&self.leader, ToLeader::Left);
            return cx.stop();
        }
        let text = text(self.number, self.written);
        cx.tell(&self.leader, ToLeader::Write(text, cx.myself()));
        self.written += 1;
    }
}

struct Quorum {
    groups: u64,
    followers: u64,
    /// Of one group.
    clients: u64,
    writes: u64,
    sum: Sum,
}

impl Quorum {
    /// What all clients have written, and one for each follower whose log is the leader's.
    fn expected(&self) -> u64 {
        let clients = 0..self.groups * self.clients;
        let texts = clients.flat_map(|client| (0..self.writes).map(move |number| text(client, number)));
        texts.fold(self.groups * self.followers, u64::wrapping_add)
    }
}

impl Script<Simulated> for Quorum {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        for group in 0..self.groups {
            let follower = |_| {
                driver.spawn(Follower {
                    sum: self.sum.clone(),
                    ..Follower::default()
                })
            };
            let followers: Vec<To<Follower>> = (0..self.followers).map(follower).collect();
            let leader = driver.spawn(Leader {
                matched: vec![0; followers.len()],
                followers,
                clients: self.clients,
                log: 0,
                length: 0,
                committed: 0,
                open: VecDeque::new(),
            });
            for client in 0..self.clients {
                let client = driver.spawn(Client {
                    number: group * self.clients + client,
                    leader: leader.clone(),
                    writes: self.writes,
                    written: 0,
                    committed: 0,
                    sum: self.sum.clone(),
                });
                driver.tell(&client, ToClient::Begin);
            }
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let script = Quorum {
        groups: number(program, parameters, "groups")?,
        followers: number(program, parameters, "followers")?,
        clients: number(program, parameters, "clients")?,
        writes: number(program, parameters, "writes")?,
        sum: sum.clone(),
    };
    let actors = script.groups * (1 + script.followers + script.clients);
    let expected = script.expected();
    sum.play(program, settings, script, (actors as usize, expected))
}
