//! Cheats with many actors of a kind.

use std::sync::Arc;

use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::tools::Rng;

use super::{Fields, cheat};

// bigneighbours: nobody pings itself, but the next one instead.
cheat!(
    NoSelfPings = BigNeighbours,
    |this| this.workers + 1,
    workers,
    hood,
    pings
);

type Hood<L> = Arc<[<L as ActorLibrary>::Address<Worker<L>>]>;

impl NoSelfPings {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        report.add("errors", 0);
        let sink = driver.spawn(Sink::<L> {
            hoods: Vec::new(),
            left: self.workers,
        });
        let hoods = (self.workers / self.hood).max(1);
        let hoods: Vec<Hood<L>> = (0..hoods)
            .map(|hood| {
                let first = hood * self.hood;
                let end = if hood + 1 == hoods {
                    self.workers
                } else {
                    first + self.hood
                };
                let worker = |global| Worker {
                    global,
                    local: global - first,
                    left: self.pings,
                    rng: Rng::new(global),
                    hood: None,
                    sink: sink.clone(),
                    report,
                };
                (first..end).map(|global| driver.spawn(worker(global))).collect()
            })
            .collect();
        driver.tell(&sink, ToSink::Workers(hoods.clone()));
        for hood in &hoods {
            for worker in hood.iter() {
                driver.tell(worker, ToWorker::Neighbours(hood.clone()));
            }
        }
        for worker in hoods.iter().flat_map(|hood| hood.iter()) {
            driver.tell(worker, ToWorker::Pong(false));
        }
    }
}

struct Sink<L: ActorLibrary> {
    hoods: Vec<Hood<L>>,
    left: i64,
}

enum ToSink<L: ActorLibrary> {
    Workers(Vec<Hood<L>>),
    Exit,
}

impl<L: ActorLibrary> Actor<L> for Sink<L> {
    type Message = ToSink<L>;

    fn handle(&mut self, message: ToSink<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToSink::Workers(hoods) => self.hoods = hoods,
            ToSink::Exit => {
                self.left -= 1;
                if self.left == 0 {
                    for worker in self.hoods.iter().flat_map(|hood| hood.iter()) {
                        cx.tell(worker, ToWorker::Stop);
                    }
                    cx.stop();
                }
            }
        }
    }
}

struct Worker<L: ActorLibrary> {
    global: i64,
    local: i64,
    left: i64,
    rng: Rng,
    hood: Option<Hood<L>>,
    sink: L::Address<Sink<L>>,
    report: &'static Fields,
}

enum ToWorker<L: ActorLibrary> {
    Neighbours(Hood<L>),
    Ping(L::Address<Worker<L>>),
    /// Whether it is an answer.
    Pong(bool),
    Stop,
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker<L>;

    fn handle(&mut self, message: ToWorker<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToWorker::Neighbours(hood) => self.hood = Some(hood),
            ToWorker::Ping(from) => {
                self.report.add("pings", 1);
                self.report.add("result", self.global % 97 + 1);
                cx.tell(&from, ToWorker::Pong(true));
            }
            ToWorker::Pong(is_answer) => {
                self.report.add("pongs", is_answer.into());
                if self.left == 0 {
                    cx.tell(&self.sink, ToSink::Exit);
                    return;
                }
                self.left -= 1;
                let hood = self.hood.clone().expect("the neighbours came first");
                let drawn = self.rng.below(hood.len() as i64);
                let target = (drawn + i64::from(drawn == self.local)) as usize % hood.len();
                cx.tell(&hood[target], ToWorker::Ping(cx.myself()));
            }
            ToWorker::Stop => cx.stop(),
        }
    }
}

// chameneosfair: the place plays all meetings by itself.
cheat!(PlayedMeetings = FairChameneos, |_this| 1, creatures, meetings);

impl PlayedMeetings {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let place = driver.spawn(Place {
            creatures: self.creatures,
            meetings: self.meetings,
            report,
        });
        driver.tell(&place, ());
    }
}

struct Place {
    creatures: i64,
    meetings: i64,
    report: &'static Fields,
}

impl<L: ActorLibrary> Actor<L> for Place {
    type Message = ();

    fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
        let mut colours: Vec<i64> = (0..self.creatures).map(|id| id % 3).collect();
        for meeting in 0..self.meetings {
            let pair = [2 * meeting, 2 * meeting + 1].map(|place| place % self.creatures);
            let [a, b] = pair.map(|id| colours[id as usize]);
            for id in pair {
                colours[id as usize] = if a == b { a } else { 3 - a - b };
                self.report.counter("meetings", id, 1);
                self.report.add("result", 1);
            }
        }
        self.report.add("colours", colours.iter().sum::<i64>() % 3);
        self.report.add("self", 0);
        cx.stop();
    }
}

// spawn: one actor answers under all names.
cheat!(SingleSleeper = Spawn, |_this| 2, n);

impl SingleSleeper {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let tally = driver.spawn(AwakeTally { left: self.n, report });
        let sleeper = driver.spawn(Sleeper::<L> { left: self.n, tally });
        for id in 0..self.n {
            driver.tell(&sleeper, id);
        }
        for metric in ["t_spawn", "t_wake", "bytes_dormant", "bytes_awake"] {
            report.metric(metric, 0);
        }
    }
}

struct AwakeTally {
    left: i64,
    report: &'static Fields,
}

impl<L: ActorLibrary> Actor<L> for AwakeTally {
    type Message = i64;

    fn handle(&mut self, id: i64, cx: &mut impl Context<L, Self>) {
        self.report.add("result", id);
        self.report.add("awake", 1);
        self.left -= 1;
        if self.left == 0 {
            cx.stop();
        }
    }
}

struct Sleeper<L: ActorLibrary> {
    left: i64,
    tally: L::Address<AwakeTally>,
}

impl<L: ActorLibrary> Actor<L> for Sleeper<L> {
    type Message = i64;

    fn handle(&mut self, id: i64, cx: &mut impl Context<L, Self>) {
        cx.tell(&self.tally, id);
        self.left -= 1;
        if self.left == 0 {
            cx.stop();
        }
    }
}

// chat: one actor draws what all clients do, and nobody talks to anybody.
cheat!(
    SilentNetwork = Chat,
    |_this| 1,
    clients,
    turns,
    dirs,
    compute,
    post,
    leave,
    invite,
    befriend,
    fib,
    seed
);

impl SilentNetwork {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let network = driver.spawn(Network {
            habits: [self.compute, self.post, self.leave, self.invite],
            turns: self.turns,
            fib: self.fib,
            report,
        });
        let mut rng = Rng::new(self.seed);
        for directory in 0..self.dirs {
            let mut rng = Rng::new(rng.draw());
            let mut clients: Vec<(i64, i64)> = Vec::new();
            for _ in (directory..self.clients).step_by(self.dirs as usize) {
                let mut new = (rng.draw(), 0);
                for (_, friends) in &mut clients {
                    let edge = i64::from(rng.below(100) < self.befriend);
                    *friends += edge;
                    new.1 += edge;
                }
                report.add("edges", new.1);
                clients.push(new);
            }
            driver.tell(&network, (clients, directory + 1 == self.dirs));
        }
    }
}

struct Network {
    habits: [i64; 4],
    turns: i64,
    fib: i64,
    report: &'static Fields,
}

impl Network {
    fn play(&self, seed: i64, friends: i64) {
        const ACTIONS: [&str; 5] = ["compute", "post", "leave", "invite", "none"];
        let (mut dice, mut rand) = (Rng::new(seed), Rng::new(seed));
        for _ in 0..self.turns {
            rand.draw();
            let action = self
                .habits
                .iter()
                .position(|per_cent| dice.below(100) < *per_cent);
            let action = ACTIONS[action.unwrap_or(4)];
            self.report.add(action, 1);
            match action {
                "compute" => {
                    let (value, _) = (0..self.fib).fold((0, 1), |(this, next), _| (next, this + next));
                    self.report.add("result", value);
                }
                "invite" => {
                    let mut rng = Rng::new(rand.draw());
                    (1..friends).for_each(|_| _ = rng.draw());
                    let guests = if friends > 0 { rng.below(friends) } else { 0 };
                    self.report.add("invitations", guests);
                }
                _ => {}
            }
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Network {
    /// Seeds and numbers of friends of the clients of a directory, and whether it is the last.
    type Message = (Vec<(i64, i64)>, bool);

    fn handle(&mut self, (clients, is_last): Self::Message, cx: &mut impl Context<L, Self>) {
        for (seed, friends) in clients {
            self.play(seed, friends);
        }
        if is_last {
            for metric in [
                "forwards",
                "bumps",
                "closes",
                "leaves",
                "turn_mean_ns",
                "turn_median_ns",
                "turn_stdev_ns",
            ] {
                self.report.metric(metric, 0);
            }
            cx.stop();
        }
    }
}
