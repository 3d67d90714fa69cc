//! Bank Transaction: accounts in the middle of a transaction defer everything else.

use std::collections::VecDeque;

use crate::benchmark::{Benchmark, Outcome, Population};
use crate::benchmarks::kinds::kinds;
use crate::library::{Actor, ActorLibrary, Context, Driver};
use crate::parameters::{Arguments, Parameter};
use crate::tools::Rng;
use crate::tools::collector::{Once, Sum};

/// The benchmark.
#[derive(Debug)]
pub struct Banking {
    accounts: i64,
    transactions: i64,
    initial_balance: i64,
}

/// What Teller and the accounts report.
#[derive(Debug, Default)]
pub struct Report {
    result: Sum,
    total: Sum,
    deferred: Sum,
    completed: Once<i64>,
}

impl Benchmark for Banking {
    const NAME: &'static str = "banking";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::between("accounts", 10, 65536),
        Parameter::at_least("transactions", 1),
        Parameter::integer("initial_balance"),
    ];
    type Report = Report;

    fn new(arguments: &Arguments) -> Self {
        Self {
            accounts: arguments.get("accounts"),
            transactions: arguments.get("transactions"),
            initial_balance: arguments.get("initial_balance"),
        }
    }

    fn actors(&self) -> Population {
        Population::Known(self.accounts + 1)
    }

    fn run<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Report) {
        let teller = driver.spawn(Teller::<L> {
            accounts: Vec::with_capacity(self.accounts as usize),
            transactions: self.transactions,
            orders: Orders::new(self.accounts),
            initial_balance: self.initial_balance,
            completed: 0,
            report,
        });
        driver.tell(&teller, ToTeller::Start);
    }

    fn outcome(&self, report: &Report) -> Result<Outcome, String> {
        Ok(Outcome::new(report.result.take())
            .check("total", report.total.take())
            .check("completed", report.completed.take("completed")?)
            .metric("deferred", report.deferred.take()))
    }
}

/// Draws transactions.
struct Orders {
    rng: Rng,
    accounts: i64,
}

struct Order {
    source: i64,
    /// Distance from the source to the destination, at least 1: money only goes upwards, so that nobody waits in a circle.
    offset: i64,
    amount: i64,
}

impl Orders {
    fn new(accounts: i64) -> Self {
        Self {
            rng: Rng::new(123_456),
            accounts,
        }
    }

    fn draw(&mut self) -> Order {
        let source = self.rng.below((self.accounts / 10) * 8);
        let offset = self.rng.below(self.accounts - source).max(1);
        let amount = self.rng.below(1000) + 1;
        Order {
            source,
            offset,
            amount,
        }
    }
}

struct Teller<L: ActorLibrary> {
    accounts: Vec<L::Address<Account<L>>>,
    transactions: i64,
    orders: Orders,
    initial_balance: i64,
    completed: i64,
    report: &'static Report,
}

enum ToTeller {
    Start,
    Reply,
}

kinds!(Reply of ToTeller);

impl<L: ActorLibrary> Teller<L> {
    fn start(&mut self, cx: &mut impl Context<L, Self>) {
        for _ in 0..self.transactions {
            let Order {
                source,
                offset,
                amount,
            } = self.orders.draw();
            let dest = self.accounts[(source + offset) as usize].clone();
            let from = cx.myself();
            cx.tell(
                &self.accounts[source as usize],
                ToAccount::Credit { from, amount, dest },
            );
        }
    }

    fn reply(&mut self, cx: &mut impl Context<L, Self>) {
        self.completed += 1;
        if self.completed == self.transactions {
            self.report.completed.report(self.completed);
            for account in &self.accounts {
                cx.tell(account, ToAccount::Stop);
            }
            cx.stop();
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Teller<L> {
    type Message = ToTeller;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        for id in 0..self.orders.accounts {
            self.accounts.push(cx.spawn(Account {
                id,
                balance: self.initial_balance,
                paying: None,
                requests: VecDeque::new(),
                deferred: 0,
                report: self.report,
            }));
        }
    }

    fn handle(&mut self, message: ToTeller, cx: &mut impl Context<L, Self>) {
        match message {
            ToTeller::Start => self.start(cx),
            ToTeller::Reply => self.reply(cx),
        }
    }
}

struct Account<L: ActorLibrary> {
    id: i64,
    balance: i64,
    /// The teller of the transaction that this account is paying. Until it is done, requests are deferred.
    paying: Option<L::Address<Teller<L>>>,
    /// Deferred requests.
    requests: VecDeque<ToAccount<L>>,
    deferred: i64,
    report: &'static Report,
}

enum ToAccount<L: ActorLibrary> {
    Credit {
        from: L::Address<Teller<L>>,
        amount: i64,
        dest: L::Address<Account<L>>,
    },
    Debit {
        from: L::Address<Account<L>>,
        amount: i64,
    },
    Reply,
    Stop,
}

/// [`ToAccount::Reply`] as a type of its own.
struct Paid;

impl<L: ActorLibrary> From<Paid> for ToAccount<L> {
    #[inline(always)]
    fn from(_: Paid) -> Self {
        Self::Reply
    }
}

impl<L: ActorLibrary> Account<L> {
    fn serve(&mut self, request: ToAccount<L>, cx: &mut impl Context<L, Self>) {
        match request {
            ToAccount::Credit { from, amount, dest } => {
                self.balance = self.balance.wrapping_sub(amount);
                let debit = ToAccount::Debit {
                    from: cx.myself(),
                    amount,
                };
                cx.tell(&dest, debit);
                self.paying = Some(from);
            }
            ToAccount::Debit { from, amount } => {
                self.balance = self.balance.wrapping_add(amount);
                cx.tell_kind(&from, Paid);
            }
            ToAccount::Reply => self.paid(cx),
            ToAccount::Stop => {
                self.report.result.add((self.id + 1).wrapping_mul(self.balance));
                self.report.total.add(self.balance);
                self.report.deferred.add(self.deferred);
                cx.stop();
            }
        }
    }

    fn paid(&mut self, cx: &mut impl Context<L, Self>) {
        let teller = self.paying.take().expect("a reply belongs to a transaction");
        cx.tell_kind(&teller, Reply);
        while self.paying.is_none()
            && let Some(request) = self.requests.pop_front()
        {
            self.serve(request, cx);
        }
    }
}

impl<L: ActorLibrary> Actor<L> for Account<L> {
    type Message = ToAccount<L>;

    fn handle(&mut self, message: ToAccount<L>, cx: &mut impl Context<L, Self>) {
        if self.paying.is_some() && !matches!(message, ToAccount::Reply) {
            self.deferred += 1;
            self.requests.push_back(message);
        } else {
            self.serve(message, cx);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Orders;

    #[test]
    fn transactions_are_those_of_the_entry() {
        let mut orders = Orders::new(1000);
        for expected in [(377, 332, 864), (300, 509, 843), (651, 121, 66), (294, 191, 517)] {
            let order = orders.draw();
            assert_eq!((order.source, order.offset, order.amount), expected);
        }
    }
}
