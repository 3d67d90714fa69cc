//! Chat: clients of a social network compute, post, leave chats and invite friends, turn after turn.
//!
//! Addresses cannot be compared, so clients and chats have numbers beside them.

mod accumulator;
mod client;
mod directory;
mod room;

use accumulator::{Accumulator, ToAccumulator};
use client::Counters;
use directory::{Directory, ToDirectory};
use room::{Room, ToRoom};

use crate::benchmark::{Outcome, Phase, Phased, Population};
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter, Relation};
use crate::tools::Rng;
use crate::tools::collector::{Handovers, Indexed, Once, Sum};

/// The benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Chat {
    clients: i64,
    turns: i64,
    directories: i64,
    seed: i64,
    habits: Habits,
}

/// How clients behave, in per cent.
#[derive(Clone, Copy, Debug)]
struct Habits {
    compute: i64,
    post: i64,
    leave: i64,
    invite: i64,
    befriend: i64,
    /// The index of the Fibonacci number that is computed.
    fib: i64,
}

/// What the actors report.
#[derive(Debug, Default)]
pub struct Report {
    totals: Once<Totals>,
    rooms: Handovers,
    accumulators: Handovers,
    bumps: Sum,
    closes: Sum,
    turns: Indexed,
}

/// What happened to all clients of a directory, or of all directories.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    edges: i64,
    clients: Counters,
}

impl Phased for Chat {
    const NAME: &'static str = "chat";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("clients", 1),
        Parameter::at_least("turns", 1),
        Parameter::at_least("dirs", 1),
        Parameter::between("compute", 0, 100),
        Parameter::between("post", 0, 100),
        Parameter::between("leave", 0, 100),
        Parameter::between("invite", 0, 100),
        Parameter::between("befriend", 0, 100),
        Parameter::at_least("fib", 0),
        Parameter::integer("seed"),
    ];
    const RELATIONS: &'static [Relation] = &[];
    const CHECK_STEPS: usize = 1;
    type Report = Report;
    type Prepared<L: ActorLibrary> = ();

    fn new(arguments: &Arguments) -> Self {
        Self {
            clients: arguments.get("clients"),
            turns: arguments.get("turns"),
            directories: arguments.get("dirs"),
            seed: arguments.get("seed"),
            habits: Habits {
                compute: arguments.get("compute"),
                post: arguments.get("post"),
                leave: arguments.get("leave"),
                invite: arguments.get("invite"),
                befriend: arguments.get("befriend"),
                fib: arguments.get("fib"),
            },
        }
    }

    fn stops(&self, phase: Phase) -> Population {
        match phase {
            Phase::Setup => Population::Known(0),
            // Poker, the directories and the clients.
            Phase::Run => Population::Known(self.clients.saturating_add(self.directories).saturating_add(1)),
            // The chats, whose number depends on what was drawn, and the accumulators.
            Phase::Check(_) => Population::Told,
        }
    }

    fn setup<L: ActorLibrary>(&self, _: &mut impl Driver<L>, _: &'static Report) {}

    fn run<L: ActorLibrary>(&self, (): &mut (), driver: &mut impl Driver<L>, report: &'static Report) {
        let poker = driver.spawn(Poker::<L> {
            plan: *self,
            directories: Vec::new(),
            confirmed: 0,
            finished: 0,
            totals: Totals::default(),
            report,
        });
        driver.tell(&poker, ToPoker::Start);
    }

    fn check<L: ActorLibrary>(
        &self,
        _: usize,
        (): &mut (),
        driver: &mut impl Driver<L>,
        report: &'static Report,
    ) {
        let rooms: Vec<L::Address<Room<L>>> = report.rooms.take("a chat");
        let accumulators: Vec<L::Address<Accumulator<L>>> = report.accumulators.take("an accumulator");
        let mut population = Some((rooms.len() + accumulators.len()) as i64);
        for accumulator in &accumulators {
            let population = population.take();
            driver.tell_uncounted(accumulator, ToAccumulator::Stop { population });
        }
        for room in &rooms {
            driver.tell_uncounted(room, ToRoom::Stop);
        }
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        let Totals { edges, clients } = report.totals.take("result")?;
        let turns = Turns::new(report.turns.take("turns", self.turns)?);
        Ok(Outcome::new(clients.sum)
            .check("edges", edges)
            .check("compute", clients.compute)
            .check("post", clients.post)
            .check("leave", clients.leave)
            .check("invite", clients.invite)
            .check("none", clients.none)
            .check("invitations", clients.invitations)
            .metric("forwards", clients.forwards)
            .metric("bumps", report.bumps.take())
            .metric("closes", report.closes.take())
            .metric("leaves", clients.leaves)
            .metric("turn_mean_ns", turns.mean())
            .metric("turn_median_ns", turns.median())
            .metric("turn_stdev_ns", turns.deviation()))
    }
}

/// Durations of the turns, in ascending order.
struct Turns(Vec<f64>);

impl Turns {
    fn new(nanoseconds: Vec<i64>) -> Self {
        let mut durations: Vec<f64> = nanoseconds.into_iter().map(|duration| duration as f64).collect();
        durations.sort_by(f64::total_cmp);
        Self(durations)
    }

    fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    fn median(&self) -> f64 {
        let middle = self.0.len() / 2;
        if self.0.len() % 2 == 1 {
            self.0[middle]
        } else {
            f64::midpoint(self.0[middle - 1], self.0[middle])
        }
    }

    /// The population standard deviation.
    fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares = self
            .0
            .iter()
            .map(|duration| (duration - mean) * (duration - mean));
        (squares.sum::<f64>() / self.0.len() as f64).sqrt()
    }
}

/// The actor that pokes all clients once per turn.
struct Poker<L: ActorLibrary> {
    plan: Chat,
    directories: Vec<L::Address<Directory<L>>>,
    confirmed: i64,
    finished: i64,
    totals: Totals,
    report: &'static Report,
}

enum ToPoker {
    Start,
    Confirm { turn: i64 },
    Finished(Totals),
}

impl<L: ActorLibrary> Poker<L> {
    fn start(&mut self, cx: &mut impl Context<L, Self>) {
        let mut rng = Rng::new(self.plan.seed);
        for _ in 0..self.plan.directories {
            let directory = Directory::new(self.plan.habits, Rng::new(rng.draw()), cx.myself(), self.report);
            self.directories.push(cx.spawn(directory));
        }
        for id in 0..self.plan.clients {
            let directory = (id % self.plan.directories) as usize;
            cx.tell(&self.directories[directory], ToDirectory::Login { id });
        }
        let mut accumulators = Vec::with_capacity(self.plan.turns as usize);
        for turn in 0..self.plan.turns {
            let accumulator = cx.spawn(Accumulator::new(
                turn,
                self.plan.clients,
                cx.myself(),
                self.report,
            ));
            for directory in &self.directories {
                cx.tell(directory, ToDirectory::Poke(accumulator.clone()));
            }
            accumulators.push(accumulator);
        }
        self.report.accumulators.report(accumulators);
    }

    fn confirm(&mut self, turn: i64, cx: &mut impl Context<L, Self>) {
        assert!((0..self.plan.turns).contains(&turn), "there is no turn {turn}");
        self.confirmed += 1;
        if self.confirmed == self.plan.turns {
            for directory in &self.directories {
                cx.tell(directory, ToDirectory::Disconnect);
            }
        }
    }

    fn finished(&mut self, totals: Totals, cx: &mut impl Context<L, Self>) {
        self.totals.edges += totals.edges;
        self.totals.clients.add(totals.clients);
        self.finished += 1;
        if self.finished == self.plan.directories {
            self.report.totals.report(self.totals);
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Poker<L> {
    type Message = ToPoker;

    fn handle(&mut self, message: ToPoker, cx: &mut impl Context<L, Self>) {
        match message {
            ToPoker::Start => self.start(cx),
            ToPoker::Confirm { turn } => self.confirm(turn, cx),
            ToPoker::Finished(totals) => self.finished(totals, cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Turns;

    #[test]
    fn durations_are_summed_up() {
        let turns = Turns::new(vec![7, 1, 3, 1]);
        assert_eq!((turns.mean(), turns.median()), (3.0, 2.0));
        assert_eq!(turns.deviation(), 6.0_f64.sqrt());
        assert_eq!(Turns::new(vec![9, 1, 2]).median(), 2.0);
    }
}
