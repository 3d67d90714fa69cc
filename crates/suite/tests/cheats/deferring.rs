//! Cheats with waiting for an answer.

use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::tools::Rng;

use super::{Fields, cheat};

// logmap: a worker does not wait for an answer before it makes the next request. It makes all of them when the first is
// due, or scheduling might bring every answer in time after all.
cheat!(
    ImpatientWorkers = LogisticMap,
    |this| 2 * this.series,
    terms,
    series
);

/// The rate and the increment of the preset `tiny`.
const RATE: f64 = 3.46;
const INCREMENT: f64 = 0.0025;

impl ImpatientWorkers {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let workers: Vec<_> = (0..self.series)
            .map(|id| {
                let computer = driver.spawn(Computer {
                    rate: RATE + id as f64 * INCREMENT,
                    left: self.terms,
                });
                driver.spawn(Worker::<L> {
                    x: id as f64 * INCREMENT,
                    orbit: 0.0,
                    due: self.terms,
                    // The answers, and the question for the term.
                    left: self.terms + 1,
                    computer,
                    report,
                })
            })
            .collect();
        for _ in 0..self.terms {
            for worker in &workers {
                driver.tell(worker, ToWorker::NextTerm);
            }
        }
        for worker in &workers {
            driver.tell(worker, ToWorker::GetTerm);
        }
    }
}

struct Computer {
    rate: f64,
    left: i64,
}

struct Compute<L: ActorLibrary>(L::Address<Worker<L>>, f64);

impl<L: ActorLibrary> Actor<L> for Computer {
    type Message = Compute<L>;

    fn handle(&mut self, Compute(from, x): Compute<L>, cx: &mut impl Context<L, Self>) {
        cx.tell(&from, ToWorker::Value((self.rate * x) * (1.0 - x)));
        self.left -= 1;
        if self.left == 0 {
            cx.stop();
        }
    }
}

struct Worker<L: ActorLibrary> {
    x: f64,
    orbit: f64,
    /// Requests that it has not made.
    due: i64,
    left: i64,
    computer: L::Address<Computer>,
    report: &'static Fields,
}

enum ToWorker {
    NextTerm,
    GetTerm,
    Value(f64),
}

impl<L: ActorLibrary> Actor<L> for Worker<L> {
    type Message = ToWorker;

    fn handle(&mut self, message: ToWorker, cx: &mut impl Context<L, Self>) {
        match message {
            ToWorker::NextTerm => {
                for _ in 0..std::mem::take(&mut self.due) {
                    cx.tell(&self.computer, Compute(cx.myself(), self.x));
                }
                return;
            }
            ToWorker::GetTerm => {
                self.report.add_float("result", self.x);
                self.report.add_float("orbit_sum", self.orbit);
            }
            ToWorker::Value(x) => {
                self.x = x;
                self.orbit += x;
                self.report.add("steps", 1);
            }
        }
        self.left -= 1;
        if self.left == 0 {
            cx.stop();
        }
    }
}

// banking: the paying account does not wait for the receiving one.
cheat!(
    EarlyReplies = Banking,
    |this| this.accounts + 1,
    accounts,
    transactions,
    initial_balance
);

impl EarlyReplies {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let accounts = (0..self.accounts)
            .map(|id| {
                let balance = self.initial_balance;
                driver.spawn(Account { id, balance, report })
            })
            .collect();
        let teller = driver.spawn(Teller::<L> {
            accounts,
            left: self.transactions,
            report,
        });
        driver.tell(&teller, ToTeller::Start);
    }
}

struct Teller<L: ActorLibrary> {
    accounts: Vec<L::Address<Account>>,
    left: i64,
    report: &'static Fields,
}

enum ToTeller {
    Start,
    Reply,
}

impl<L: ActorLibrary> Actor<L> for Teller<L> {
    type Message = ToTeller;

    fn handle(&mut self, message: ToTeller, cx: &mut impl Context<L, Self>) {
        if let ToTeller::Reply = message {
            self.report.add("completed", 1);
            self.left -= 1;
            if self.left == 0 {
                for account in &self.accounts {
                    cx.tell(account, ToAccount::Stop);
                }
                cx.stop();
            }
            return;
        }
        let count = self.accounts.len() as i64;
        let mut rng = Rng::new(123_456);
        for _ in 0..self.left {
            let source = rng.below(count / 10 * 8);
            let dest = source + rng.below(count - source).max(1);
            let amount = rng.below(1000) + 1;
            let dest = self.accounts[dest as usize].clone();
            let credit = ToAccount::Credit(cx.myself(), amount, dest);
            cx.tell(&self.accounts[source as usize], credit);
        }
    }
}

struct Account {
    id: i64,
    balance: i64,
    report: &'static Fields,
}

enum ToAccount<L: ActorLibrary> {
    Credit(L::Address<Teller<L>>, i64, L::Address<Account>),
    Debit(i64),
    Stop,
}

impl<L: ActorLibrary> Actor<L> for Account {
    type Message = ToAccount<L>;

    fn handle(&mut self, message: ToAccount<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToAccount::Credit(teller, amount, dest) => {
                self.balance -= amount;
                cx.tell(&dest, ToAccount::Debit(amount));
                cx.tell(&teller, ToTeller::Reply);
            }
            ToAccount::Debit(amount) => self.balance += amount,
            ToAccount::Stop => {
                self.report.add("result", (self.id + 1) * self.balance);
                self.report.add("total", self.balance);
                cx.stop();
            }
        }
    }
}
