//! Sleeping Barber: customers who find the waiting room full come back at once.

use std::collections::VecDeque;

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::collector::{Indexed, Once};
use crate::tools::{Rng, busy};

/// The benchmark.
#[derive(Debug)]
pub struct Barber {
    haircuts: i64,
    chairs: i64,
    arrival_work: i64,
    haircut_work: i64,
}

/// What the actors report.
#[derive(Debug, Default)]
pub struct Report {
    result: Once<i64>,
    factory_busy: Once<i64>,
    barber_busy: Once<i64>,
    attempts: Once<i64>,
    sleeps: Once<i64>,
    refused: Indexed,
}

impl Benchmark for Barber {
    const NAME: &'static str = "barber";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::at_least("haircuts", 1),
        Parameter::at_least("chairs", 1),
        Parameter::between("arrival_work", 1, 65536),
        Parameter::between("haircut_work", 1, 65536),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            haircuts: arguments.get("haircuts"),
            chairs: arguments.get("chairs"),
            arrival_work: arguments.get("arrival_work"),
            haircut_work: arguments.get("haircut_work"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.haircuts.saturating_add(3))
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let barber = driver.spawn(Chair {
            haircuts: self.haircuts,
            cuts: 0,
            work: Work::new(self.haircut_work),
            report,
        });
        let room = driver.spawn(Room::<L> {
            chairs: self.chairs,
            waiting: VecDeque::new(),
            asleep: true,
            closing: false,
            sleeps: 0,
            barber,
            report,
        });
        let factory = driver.spawn(Factory {
            customers: self.haircuts,
            attempts: 0,
            served: 0,
            id_sum: 0,
            work: Work::new(self.arrival_work),
            room,
            report,
        });
        driver.tell(&factory, ToFactory::Start);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take("result")?)
            .check("factory_busy", report.factory_busy.take("factory_busy")?)
            .check("barber_busy", report.barber_busy.take("barber_busy")?)
            .metric("attempts", report.attempts.take("attempts")?)
            .metric("sleeps", report.sleeps.take("sleeps")?)
            .per_actor("refused", report.refused.take("refused", self.haircuts)?))
    }
}

/// Busy work in amounts that are drawn.
struct Work {
    rng: Rng,
    bound: i64,
    sum: i64,
}

impl Work {
    fn new(bound: i64) -> Self {
        Self {
            rng: Rng::default(),
            bound,
            sum: 0,
        }
    }

    fn amount(&mut self) -> i64 {
        self.rng.below(self.bound) + 10
    }

    fn once(&mut self) {
        self.sum += busy(self.amount());
    }
}

/// The entry's Barber.
struct Chair {
    haircuts: i64,
    cuts: i64,
    work: Work,
    report: &'static Report,
}

enum ToBarber<L: ActorLibrary> {
    Serve {
        customer: L::Address<Customer<L>>,
        room: L::Address<Room<L>>,
    },
    Sleep,
    Close,
}

impl<L: ActorLibrary> Actor<L> for Chair {
    type Message = ToBarber<L>;

    fn handle(&mut self, message: ToBarber<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToBarber::Serve { customer, room } => {
                cx.tell_kind(&customer, Sit);
                self.cuts += 1;
                self.work.once();
                cx.tell_kind(&customer, Leave);
                cx.tell_kind(&room, Next);
            }
            ToBarber::Sleep => {}
            ToBarber::Close => {
                assert_eq!(self.cuts, self.haircuts, "the barber closes with customers left");
                self.report.barber_busy.report(self.work.sum);
                cx.stop();
            }
        }
    }
}

struct Room<L: ActorLibrary> {
    chairs: i64,
    waiting: VecDeque<L::Address<Customer<L>>>,
    asleep: bool,
    closing: bool,
    sleeps: i64,
    barber: L::Address<Chair>,
    report: &'static Report,
}

enum ToRoom<L: ActorLibrary> {
    Enter { customer: L::Address<Customer<L>> },
    Next,
    Close,
}

kinds!(Next of ToRoom<L>);

impl<L: ActorLibrary> Room<L> {
    fn enter(&mut self, customer: L::Address<Customer<L>>, cx: &mut impl Context<L, Self>) {
        if self.waiting.len() as i64 == self.chairs {
            cx.tell_kind(&customer, Full);
            return;
        }
        if self.asleep {
            self.asleep = false;
            cx.tell_self_kind(Next);
        } else {
            cx.tell_kind(&customer, Wait);
        }
        self.waiting.push_back(customer);
    }

    fn next(&mut self, cx: &mut impl Context<L, Self>) {
        if let Some(customer) = self.waiting.pop_front() {
            let room = cx.myself();
            cx.tell(&self.barber, ToBarber::Serve { customer, room });
        } else if self.closing {
            self.close(cx);
        } else {
            self.sleeps += 1;
            self.asleep = true;
            cx.tell(&self.barber, ToBarber::Sleep);
        }
    }

    fn close(&mut self, cx: &mut impl Context<L, Self>) {
        cx.tell(&self.barber, ToBarber::Close);
        self.report.sleeps.report(self.sleeps);
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Room<L> {
    type Message = ToRoom<L>;

    fn handle(&mut self, message: ToRoom<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToRoom::Enter { customer } => self.enter(customer, cx),
            ToRoom::Next => self.next(cx),
            // Otherwise the barber's last Next is still on its way.
            ToRoom::Close if self.asleep => self.close(cx),
            ToRoom::Close => self.closing = true,
        }
    }
}

struct Factory<L: ActorLibrary> {
    customers: i64,
    attempts: i64,
    served: i64,
    id_sum: i64,
    work: Work,
    room: L::Address<Room<L>>,
    report: &'static Report,
}

enum ToFactory<L: ActorLibrary> {
    Start,
    Returned { from: L::Address<Customer<L>> },
    Done { id: i64 },
}

impl<L: ActorLibrary> Factory<L> {
    fn start(&mut self, cx: &mut impl Context<L, Self>) {
        for id in 1..=self.customers {
            let customer = cx.spawn(Customer {
                id,
                refused: 0,
                factory: cx.myself(),
                report: self.report,
            });
            self.send(customer, cx);
            self.work.once();
        }
    }

    fn send(&mut self, customer: L::Address<Customer<L>>, cx: &mut impl Context<L, Self>) {
        self.attempts += 1;
        cx.tell(&self.room, ToRoom::Enter { customer });
    }

    fn done(&mut self, id: i64, cx: &mut impl Context<L, Self>) {
        self.served += 1;
        self.id_sum += id;
        if self.served == self.customers {
            self.report.result.report(self.id_sum);
            self.report.factory_busy.report(self.work.sum);
            self.report.attempts.report(self.attempts);
            cx.tell(&self.room, ToRoom::Close);
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Factory<L> {
    type Message = ToFactory<L>;

    fn handle(&mut self, message: ToFactory<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToFactory::Start => self.start(cx),
            ToFactory::Returned { from } => self.send(from, cx),
            ToFactory::Done { id } => self.done(id, cx),
        }
    }
}

struct Customer<L: ActorLibrary> {
    id: i64,
    refused: i64,
    factory: L::Address<Factory<L>>,
    report: &'static Report,
}

/// Wait and Sit come before Leave: every library here puts a message into the mailbox before the send returns.
enum ToCustomer {
    Full,
    Wait,
    Sit,
    Leave,
}

kinds!(Full, Wait, Sit, Leave of ToCustomer);

impl<L: ActorLibrary> Actor<L> for Customer<L> {
    type Message = ToCustomer;

    fn handle(&mut self, message: ToCustomer, cx: &mut impl Context<L, Self>) {
        match message {
            ToCustomer::Full => {
                self.refused += 1;
                cx.tell(&self.factory, ToFactory::Returned { from: cx.myself() });
            }
            ToCustomer::Wait | ToCustomer::Sit => {}
            ToCustomer::Leave => {
                cx.tell(&self.factory, ToFactory::Done { id: self.id });
                // Customers count from 1.
                self.report.refused.report(self.id - 1, self.refused);
                cx.stop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Work;

    #[test]
    fn amounts_of_work_are_those_of_the_entry() {
        for (bound, amounts) in [
            (15000, [7906, 4771, 4024, 9241]),
            (12000, [10906, 10771, 10024, 3241]),
            (1000, [906, 771, 24, 241]),
        ] {
            let mut work = Work::new(bound);
            assert_eq!(amounts.map(|_| work.amount()), amounts);
        }
    }
}
