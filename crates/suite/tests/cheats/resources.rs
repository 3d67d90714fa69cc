//! Cheats with resources that an actor is to hand out.

use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::tools::{Rng, busy};

use super::{Fields, cheat};

// bndbuffer: producers send to the consumers in turn, past the manager and its buffer.
cheat!(
    NoManager = BoundedBuffer,
    |this| this.producers + this.consumers,
    producers,
    consumers,
    items,
    prod_cost,
    cons_cost
);

impl NoManager {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let consumers: Vec<_> = (0..self.consumers)
            .map(|id| {
                driver.spawn(Consumer {
                    id,
                    producers: self.producers,
                    cost: self.cons_cost,
                    item: 0.0,
                    items: 0,
                    report,
                })
            })
            .collect();
        for _ in 0..self.producers {
            let producer = driver.spawn(Producer::<L> {
                items: self.items,
                cost: self.prod_cost,
                consumers: consumers.clone(),
            });
            driver.tell(&producer, ());
        }
        report.metric("max_pending", 0);
    }
}

fn process(value: f64, cost: i64) -> f64 {
    let mut rng = Rng::new(cost);
    (0..(100 * cost).max(1)).fold(value, |value, _| value + (rng.unit() + 0.01).ln())
}

struct Producer<L: ActorLibrary> {
    items: i64,
    cost: i64,
    consumers: Vec<L::Address<Consumer>>,
}

impl<L: ActorLibrary> Actor<L> for Producer<L> {
    type Message = ();

    fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
        let mut item = 0.0;
        for (seq, consumer) in (1..=self.items).zip(self.consumers.iter().cycle()) {
            item = process(item, self.cost);
            cx.tell(consumer, ToConsumer::Data(item, seq));
        }
        for consumer in &self.consumers {
            cx.tell(consumer, ToConsumer::Exit);
        }
        cx.stop();
    }
}

struct Consumer {
    id: i64,
    producers: i64,
    cost: i64,
    item: f64,
    items: i64,
    report: &'static Fields,
}

enum ToConsumer {
    Data(f64, i64),
    Exit,
}

impl<L: ActorLibrary> Actor<L> for Consumer {
    type Message = ToConsumer;

    fn handle(&mut self, message: ToConsumer, cx: &mut impl Context<L, Self>) {
        match message {
            ToConsumer::Data(item, seq) => {
                self.item = process(self.item + item, self.cost);
                self.items += 1;
                self.report.add("result", seq);
            }
            ToConsumer::Exit => {
                self.producers -= 1;
                if self.producers == 0 {
                    self.report.add("items", self.items);
                    self.report.add_float("data_sum", self.item);
                    self.report.counter("items", self.id, self.items);
                    cx.stop();
                }
            }
        }
    }
}

// philosopher: whoever gets the forks eats twice.
cheat!(
    DoubleMeals = Philosophers,
    |this| this.philosophers + 1,
    philosophers,
    rounds
);

impl DoubleMeals {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        report.add("errors", 0);
        report.metric("retries", 0);
        let arbitrator = driver.spawn(Arbitrator {
            forks: vec![false; self.philosophers as usize],
            left: self.philosophers,
            report,
        });
        for id in 0..self.philosophers {
            report.counter("denied", id, 0);
            let philosopher = driver.spawn(Philosopher::<L> {
                id: id as usize,
                rounds: self.rounds,
                arbitrator: arbitrator.clone(),
                report,
            });
            driver.tell(&philosopher, ToPhilosopher::Start);
        }
    }
}

struct Arbitrator {
    forks: Vec<bool>,
    left: i64,
    report: &'static Fields,
}

enum ToArbitrator<L: ActorLibrary> {
    Hungry(L::Address<Philosopher<L>>, usize),
    Done(usize),
    Exit,
}

impl<L: ActorLibrary> Actor<L> for Arbitrator {
    type Message = ToArbitrator<L>;

    fn handle(&mut self, message: ToArbitrator<L>, cx: &mut impl Context<L, Self>) {
        self.report.metric("arbitrator_messages", 1);
        let count = self.forks.len();
        let forks = |id: usize| [id, (id + 1) % count];
        match message {
            ToArbitrator::Hungry(from, id) if forks(id).iter().any(|fork| self.forks[*fork]) => {
                cx.tell(&from, ToPhilosopher::Denied);
            }
            ToArbitrator::Hungry(from, id) => {
                forks(id).into_iter().for_each(|fork| self.forks[fork] = true);
                self.report.add("result", 2 * (id as i64 + 1));
                cx.tell(&from, ToPhilosopher::Eat);
            }
            ToArbitrator::Done(id) => forks(id).into_iter().for_each(|fork| self.forks[fork] = false),
            ToArbitrator::Exit => {
                self.left -= 1;
                if self.left == 0 {
                    cx.stop();
                }
            }
        }
    }
}

struct Philosopher<L: ActorLibrary> {
    id: usize,
    rounds: i64,
    arbitrator: L::Address<Arbitrator>,
    report: &'static Fields,
}

enum ToPhilosopher {
    Start,
    Eat,
    Denied,
}

impl<L: ActorLibrary> Actor<L> for Philosopher<L> {
    type Message = ToPhilosopher;

    fn handle(&mut self, message: ToPhilosopher, cx: &mut impl Context<L, Self>) {
        let hungry = ToArbitrator::Hungry(cx.myself(), self.id);
        match message {
            ToPhilosopher::Start => cx.tell(&self.arbitrator, hungry),
            ToPhilosopher::Denied => {
                self.report.metric("retries", 1);
                self.report.counter("denied", self.id as i64, 1);
                cx.tell(&self.arbitrator, hungry);
            }
            ToPhilosopher::Eat => {
                self.rounds -= 2;
                cx.tell(&self.arbitrator, ToArbitrator::Done(self.id));
                if self.rounds > 0 {
                    cx.tell_self(ToPhilosopher::Start);
                } else {
                    cx.tell(&self.arbitrator, ToArbitrator::Exit);
                    cx.stop();
                }
            }
        }
    }
}

// barber: there is no waiting room; customers queue in the barber's mailbox.
cheat!(
    NoWaitingRoom = Barber,
    |this| this.haircuts + 1,
    haircuts,
    arrival_work,
    haircut_work
);

impl NoWaitingRoom {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let barber = driver.spawn(Barber {
            left: self.haircuts,
            work: self.haircut_work,
            rng: Rng::default(),
            report,
        });
        let mut rng = Rng::default();
        for id in 1..=self.haircuts {
            let customer = driver.spawn(Customer { id, report });
            driver.tell(&barber, Serve::<L>(customer));
            report.metric("attempts", 1);
            report.add("factory_busy", busy(rng.below(self.arrival_work) + 10));
        }
        report.metric("sleeps", 0);
    }
}

struct Barber {
    left: i64,
    work: i64,
    rng: Rng,
    report: &'static Fields,
}

struct Serve<L: ActorLibrary>(L::Address<Customer>);

impl<L: ActorLibrary> Actor<L> for Barber {
    type Message = Serve<L>;

    fn handle(&mut self, Serve(customer): Serve<L>, cx: &mut impl Context<L, Self>) {
        self.report
            .add("barber_busy", busy(self.rng.below(self.work) + 10));
        cx.tell(&customer, ());
        self.left -= 1;
        if self.left == 0 {
            cx.stop();
        }
    }
}

struct Customer {
    id: i64,
    report: &'static Fields,
}

impl<L: ActorLibrary> Actor<L> for Customer {
    type Message = ();

    fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
        self.report.add("result", self.id);
        self.report.counter("refused", self.id - 1, 0);
        cx.stop();
    }
}

// cigsmok: the smoker is drawn by the low bits, so that only every second one is ever chosen.
cheat!(
    EverySecondSmoker = CigaretteSmokers,
    |this| this.smokers + 1,
    rounds,
    smokers
);

impl EverySecondSmoker {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let arbiter = driver.spawn(Arbiter::<L> {
            left: self.rounds,
            rng: Rng::new(self.rounds * self.smokers),
            smokers: Vec::new(),
            count: self.smokers,
            report,
        });
        driver.tell(&arbiter, true);
    }
}

struct Arbiter<L: ActorLibrary> {
    left: i64,
    rng: Rng,
    smokers: Vec<L::Address<Smoker<L>>>,
    count: i64,
    report: &'static Fields,
}

impl<L: ActorLibrary> Actor<L> for Arbiter<L> {
    /// Whether it is the first one.
    type Message = bool;

    fn handle(&mut self, first: bool, cx: &mut impl Context<L, Self>) {
        if first {
            for id in 0..self.count {
                let (arbiter, report) = (cx.myself(), self.report);
                self.smokers.push(cx.spawn(Smoker { id, arbiter, report }));
            }
        } else {
            self.left -= 1;
        }
        if self.left == 0 {
            for smoker in &self.smokers {
                cx.tell(smoker, None);
            }
            cx.stop();
        } else {
            let smoker = self.rng.below(self.count) as usize;
            let work = self.rng.below(1000) + 10;
            cx.tell(&self.smokers[smoker], Some(work));
        }
    }
}

struct Smoker<L: ActorLibrary> {
    id: i64,
    arbiter: L::Address<Arbiter<L>>,
    report: &'static Fields,
}

impl<L: ActorLibrary> Actor<L> for Smoker<L> {
    /// The work, or the end.
    type Message = Option<i64>;

    fn handle(&mut self, work: Option<i64>, cx: &mut impl Context<L, Self>) {
        match work {
            Some(work) => {
                cx.tell(&self.arbiter, false);
                self.report.add("result", self.id + 1);
                self.report.add("busy_sum", busy(work));
            }
            None => cx.stop(),
        }
    }
}
