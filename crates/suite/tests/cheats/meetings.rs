//! Cheats where many actors meet.

use std::sync::Arc;

use suite::benchmark::Outcome;
use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::tools::Rng;
use suite::tools::collector::Sum;

use super::{Pair, cheat};

// chameneos: Mall registers the first creature again on its own, so that its next Meet is saved; or a creature does not
// count the meetings of which it learns by Change.
cheat!(
    MergedMeeting = Chameneos,
    Pair,
    |this| this.creatures + 1,
    creatures,
    meetings
);
cheat!(
    DroppedChange = Chameneos,
    Pair,
    |this| this.creatures + 1,
    creatures,
    meetings
);

impl MergedMeeting {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Pair) {
        spawn_mall(
            self.creatures,
            self.meetings,
            MallCheat::SavesMeet,
            driver,
            report,
        );
    }

    fn collect(report: &Pair) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?).check("colour", report.check.take("colour")?))
    }
}

impl DroppedChange {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Pair) {
        spawn_mall(
            self.creatures,
            self.meetings,
            MallCheat::IgnoresChange,
            driver,
            report,
        );
    }

    fn collect(report: &Pair) -> Result<Outcome, String> {
        MergedMeeting::collect(report)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum MallCheat {
    SavesMeet,
    IgnoresChange,
}

fn spawn_mall<L: ActorLibrary>(
    creatures: i64,
    left: i64,
    cheat: MallCheat,
    driver: &mut impl Driver<L>,
    report: &'static Pair,
) {
    driver.spawn(Mall::<L> {
        creatures,
        left,
        cheat,
        waiting: None,
        gone: 0,
        sum: 0,
        colours: 0,
        report,
    });
}

type Guest<L> = (i64, <L as ActorLibrary>::Address<Creature<L>>);

struct Mall<L: ActorLibrary> {
    creatures: i64,
    left: i64,
    cheat: MallCheat,
    waiting: Option<Guest<L>>,
    gone: i64,
    sum: i64,
    colours: i64,
    report: &'static Pair,
}

enum ToMall<L: ActorLibrary> {
    Meet(i64, L::Address<Creature<L>>),
    Count(i64, i64),
}

enum ToCreature<L: ActorLibrary> {
    Meet(i64, L::Address<Creature<L>>),
    Change(i64),
    Exit,
}

fn complement(a: i64, b: i64) -> i64 {
    if a == b { a } else { 3 - a - b }
}

impl<L: ActorLibrary> Mall<L> {
    fn meet(&mut self, colour: i64, who: L::Address<Creature<L>>, cx: &mut impl Context<L, Self>) {
        if self.left == 0 {
            cx.tell(&who, ToCreature::Exit);
        } else if let Some((other, first)) = self.waiting.take() {
            self.left -= 1;
            cx.tell(&first, ToCreature::Meet(colour, who));
            if self.cheat == MallCheat::SavesMeet {
                self.meet(complement(other, colour), first, cx);
            }
        } else {
            self.waiting = Some((colour, who));
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Mall<L> {
    type Message = ToMall<L>;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        for id in 0..self.creatures {
            cx.spawn(Creature {
                colour: id % 3,
                met: 0,
                mall: cx.myself(),
                cheat: self.cheat,
            });
        }
    }

    fn handle(&mut self, message: ToMall<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToMall::Meet(colour, who) => self.meet(colour, who, cx),
            ToMall::Count(met, colour) => {
                self.gone += 1;
                self.sum += met;
                self.colours += colour;
                if self.gone == self.creatures {
                    self.report.result.report(self.sum);
                    self.report.check.report(self.colours % 3);
                    cx.stop();
                }
            }
        }
    }
}

struct Creature<L: ActorLibrary> {
    colour: i64,
    met: i64,
    mall: L::Address<Mall<L>>,
    cheat: MallCheat,
}

impl<L: ActorLibrary> Creature<L> {
    fn go_to_mall(&self, cx: &mut impl Context<L, Self>) {
        cx.tell(&self.mall, ToMall::Meet(self.colour, cx.myself()));
    }
}

impl<L: ActorLibrary> Actor<L> for Creature<L> {
    type Message = ToCreature<L>;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        self.go_to_mall(cx);
    }

    fn handle(&mut self, message: ToCreature<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToCreature::Meet(colour, who) => {
                self.colour = complement(self.colour, colour);
                self.met += 1;
                cx.tell(&who, ToCreature::Change(self.colour));
                if self.cheat != MallCheat::SavesMeet {
                    self.go_to_mall(cx);
                }
            }
            ToCreature::Change(colour) => {
                self.colour = colour;
                self.met += i64::from(self.cheat != MallCheat::IgnoresChange);
                self.go_to_mall(cx);
            }
            ToCreature::Exit => {
                cx.tell(&self.mall, ToMall::Count(self.met, self.colour));
                cx.stop();
            }
        }
    }
}

// big: a worker that drew itself draws again; or it answers itself without its mailbox.
cheat!(
    SkippedSelfPings = Big,
    Sums,
    |this| this.actors + 1,
    pings,
    actors
);
cheat!(DirectSelfPings = Big, Sums, |this| this.actors + 1, pings, actors);

#[derive(Default)]
pub struct Sums {
    result: Sum,
    pings: Sum,
}

impl SkippedSelfPings {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Sums) {
        spawn_workers(self.pings, self.actors, PingCheat::DrawsAgain, driver, report);
    }

    fn collect(report: &Sums) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take()).check("pings", report.pings.take()))
    }
}

impl DirectSelfPings {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Sums) {
        spawn_workers(self.pings, self.actors, PingCheat::AnswersItself, driver, report);
    }

    fn collect(report: &Sums) -> Result<Outcome, String> {
        SkippedSelfPings::collect(report)
    }
}

#[derive(Clone, Copy)]
enum PingCheat {
    DrawsAgain,
    AnswersItself,
}

type Peers<L> = Arc<[<L as ActorLibrary>::Address<Worker<L>>]>;

fn spawn_workers<L: ActorLibrary>(
    pings: i64,
    actors: i64,
    cheat: PingCheat,
    driver: &mut impl Driver<L>,
    report: &'static Sums,
) {
    let sink = driver.spawn(Sink::<L> { done: 0, peers: None });
    let worker = |id| Worker {
        id,
        left: pings,
        received: 0,
        rng: Rng::new(id),
        peers: None,
        sink: sink.clone(),
        cheat,
        report,
    };
    let peers: Peers<L> = (0..actors).map(|id| driver.spawn(worker(id))).collect();
    driver.tell(&sink, ToSink::Peers(peers.clone()));
    for worker in peers.iter() {
        driver.tell(worker, ToWorker::Peers(peers.clone()));
    }
    for worker in peers.iter() {
        driver.tell(worker, ToWorker::Pong);
    }
}

struct Sink<L: ActorLibrary> {
    done: usize,
    peers: Option<Peers<L>>,
}

enum ToSink<L: ActorLibrary> {
    Peers(Peers<L>),
    Done,
}

impl<L: ActorLibrary> Actor<L> for Sink<L> {
    type Message = ToSink<L>;

    fn handle(&mut self, message: ToSink<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToSink::Peers(peers) => self.peers = Some(peers),
            ToSink::Done => {
                let peers = self.peers.as_ref().expect("Peers came first");
                self.done += 1;
                if self.done == peers.len() {
                    peers.iter().for_each(|worker| cx.tell(worker, ToWorker::Exit));
                    cx.stop();
                }
            }
        }
    }
}

struct Worker<L: ActorLibrary> {
    id: i64,
    left: i64,
    received: i64,
    rng: Rng,
    peers: Option<Peers<L>>,
    sink: L::Address<Sink<L>>,
    cheat: PingCheat,
    report: &'static Sums,
}

enum ToWorker<L: ActorLibrary> {
    Peers(Peers<L>),
    Ping(i64),
    Pong,
    Exit,
}

impl<L: ActorLibrary> Worker<L> {
    fn next_ping(&mut self, peers: &Peers<L>, cx: &mut impl Context<L, Self>) {
        while self.left > 0 {
            let target = self.rng.below(peers.len() as i64);
            if target != self.id {
                self.left -= 1;
                return cx.tell(&peers[target as usize], ToWorker::Ping(self.id));
            }
            if let PingCheat::AnswersItself = self.cheat {
                self.left -= 1;
                self.received += 1;
            }
        }
        cx.tell(&self.sink, ToSink::Done);
    }
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker<L>;

    fn handle(&mut self, message: ToWorker<L>, cx: &mut impl Context<L, Self>) {
        if let ToWorker::Peers(peers) = message {
            self.peers = Some(peers);
            return;
        }
        let peers = self.peers.clone().expect("Peers came first");
        match message {
            ToWorker::Ping(from) => {
                self.received += 1;
                cx.tell(&peers[from as usize], ToWorker::Pong);
            }
            ToWorker::Pong => self.next_ping(&peers, cx),
            ToWorker::Exit | ToWorker::Peers(_) => {
                self.report.result.add((self.id + 1) * self.received);
                self.report.pings.add(self.received);
                cx.stop();
            }
        }
    }
}
