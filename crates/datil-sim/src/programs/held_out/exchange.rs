//! An exchange: gateways take traders' orders, a risk actor per trader passes them on, and a book per instrument
//! matches them. A few instruments are traded far more than others, so that their books are what everybody waits for. A
//! gateway has several orders under way, and sends another one when a book has taken one. Each trade is told to the risk
//! actors of both traders. How many trades there are depends on who comes first; what is bought and what is sold does
//! not differ. Written as held out, after all rules.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use datil_policy::Random;
use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, burst, coordinator, data};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, number};
use crate::host::{Activity, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "exchange",
    about: "written to try the final rules on: gateways, a risk actor per trader, books of unequal popularity",
    nature: Nature::Messages,
    parameters: &[
        ("gateways", "24"),
        ("traders", "20"),
        ("books", "60"),
        ("orders", "500"),
        ("open", "8"),
    ],
    scale: None,
    annotations: &[
        actor("exchange::Gateway", take_in),
        // Limits are compared, or a position and an amount of money changed.
        actor("exchange::Risk", |_| Charge::compute(120).touching(2)),
        // Some hundred orders of two or three lines each, and the prices.
        data("exchange::Book", |_| 64 << 10, trade),
        coordinator("exchange::Keeper", burst),
    ],
    run,
};

/// A line of text with some twenty fields is parsed and checked.
fn take_in(activity: &Activity) -> Charge {
    Charge::compute(100 + 700 * activity.sends as u64).touching(4)
}

/// An order is looked up or put into a tree of prices, a line per level, and into the queue at its price; two messages
/// more are sent for each trade, which takes an order out of its queue and at times a price out of the tree.
fn trade(activity: &Activity) -> Charge {
    let trades = activity.sends as u64 / 2;
    Charge::compute(250 + 150 * trades).touching(5 + 2 * trades)
}

/// Prices at which there are orders: from the first one on, so many.
const PRICES: (i64, u32) = (1_000, 16);
/// The largest quantity of an order.
const MOST: u32 = 100;

/// What a trader wants: a quantity that is bought, or sold if negative, at a price or a better one.
#[derive(Clone, Copy)]
struct Order {
    trader: usize,
    book: usize,
    quantity: i64,
    price: i64,
}

/// What a gateway takes in, one after the other.
struct Orders {
    random: Random,
    left: u64,
    traders: std::ops::Range<usize>,
    books: usize,
}

impl Orders {
    /// Those of the traders of a gateway.
    fn new(gateway: usize, sizes: &Sizes) -> Self {
        Self {
            random: Random::new(gateway as u64),
            left: sizes.orders,
            traders: gateway * sizes.traders..(gateway + 1) * sizes.traders,
            books: sizes.books,
        }
    }

    fn below(&mut self, most: usize) -> usize {
        self.random.below(most as u32) as usize
    }
}

impl Iterator for Orders {
    type Item = Order;

    fn next(&mut self) -> Option<Order> {
        self.left = self.left.checked_sub(1)?;
        let trader = self.traders.start + self.below(self.traders.len());
        // Three draws, one below the other: the first few of many get most.
        let book = (0..2).fold(self.below(self.books), |book, _| self.below(book + 1));
        let quantity = 1 + i64::from(self.random.below(MOST));
        let sells = self.random.below(2) == 0;
        let price = PRICES.0 + i64::from(self.random.below(PRICES.1));
        Some(Order {
            trader,
            book,
            quantity: if sells { -quantity } else { quantity },
            price,
        })
    }
}

struct Gateway {
    orders: Orders,
    under_way: u64,
    risks: Arc<[To<Risk>]>,
    keeper: To<Keeper>,
}

enum ToGateway {
    /// So many may be under way at a time.
    Begin(u64),
    Taken,
}

impl Gateway {
    fn send(&mut self, cx: &mut impl Context<Simulated, Self>) {
        if let Some(order) = self.orders.next() {
            cx.tell(&self.risks[order.trader], ToRisk::Order(order, cx.myself()));
            self.under_way += 1;
        }
    }
}

impl Actor<Simulated> for Gateway {
    type Message = ToGateway;

    fn handle(&mut self, message: ToGateway, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToGateway::Begin(open) => (0..open).for_each(|_| self.send(cx)),
            ToGateway::Taken => {
                self.under_way -= 1;
                self.send(cx);
            }
        }
        if self.under_way == 0 {
            cx.tell(&self.keeper, Done);
            cx.stop();
        }
    }
}

struct Risk {
    books: Arc<[To<Book>]>,
    /// Bought or sold so far, of all instruments, and paid or got for it.
    traded: u64,
    position: i64,
    cash: i64,
    sum: Sum,
}

enum ToRisk {
    Order(Order, To<Gateway>),
    /// Quantity, negative if sold, and price of a trade.
    Trade(i64, i64),
    Close,
}

impl Actor<Simulated> for Risk {
    type Message = ToRisk;

    fn handle(&mut self, message: ToRisk, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToRisk::Order(order, gateway) => {
                let message = ToBook::Order(order, cx.myself(), gateway);
                cx.tell(&self.books[order.book], message);
            }
            ToRisk::Trade(quantity, price) => {
                self.traded += quantity.unsigned_abs();
                self.position += quantity;
                self.cash -= quantity * price;
            }
            // What all have bought and sold, or got and paid, adds up to nothing.
            ToRisk::Close => {
                self.sum.add(self.traded);
                self.sum.add(self.position as u64);
                self.sum.add(self.cash as u64);
                cx.stop();
            }
        }
    }
}

/// Orders that nobody has matched, by price: how much, and whose. What is sold is negative.
#[derive(Default)]
struct Book {
    resting: BTreeMap<i64, VecDeque<(i64, To<Risk>)>>,
    sum: Sum,
}

enum ToBook {
    Order(Order, To<Risk>, To<Gateway>),
    Close,
}

impl Book {
    /// The best price on the other side that is good enough.
    fn other_side(&self, quantity: i64, limit: i64) -> Option<i64> {
        let opposite = |(_, orders): &(&i64, &VecDeque<(i64, To<Risk>)>)| {
            orders
                .front()
                .is_some_and(|&(other, _)| (other < 0) != (quantity < 0))
        };
        let price = if quantity > 0 {
            self.resting.range(..=limit).find(opposite)
        } else {
            self.resting.range(limit..).rev().find(opposite)
        };
        price.map(|(&price, _)| price)
    }

    fn take(&mut self, order: Order, risk: To<Risk>, cx: &mut impl Context<Simulated, Self>) {
        let mut quantity = order.quantity;
        while quantity != 0 {
            let Some(price) = self.other_side(quantity, order.price) else {
                let orders = self.resting.entry(order.price).or_default();
                return orders.push_back((quantity, risk));
            };
            let orders = self.resting.get_mut(&price).expect("somebody waits there");
            let (resting, other) = orders.front_mut().expect("somebody waits there");
            let traded = quantity.signum() * quantity.abs().min(resting.abs());
            cx.tell(&risk, ToRisk::Trade(traded, price));
            cx.tell(other, ToRisk::Trade(-traded, price));
            quantity -= traded;
            *resting += traded;
            if *resting == 0 {
                orders.pop_front();
            }
        }
    }
}

impl Actor<Simulated> for Book {
    type Message = ToBook;

    fn handle(&mut self, message: ToBook, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToBook::Order(order, risk, gateway) => {
                self.take(order, risk, cx);
                // After the trades: when all orders are taken, all trades are told.
                cx.tell(&gateway, ToGateway::Taken);
            }
            ToBook::Close => {
                let resting = self.resting.values().flatten();
                resting.for_each(|&(quantity, _)| self.sum.add(quantity.unsigned_abs()));
                cx.stop();
            }
        }
    }
}

/// Closes everything when all gateways are done.
struct Keeper {
    gateways: usize,
    risks: Arc<[To<Risk>]>,
    books: Arc<[To<Book>]>,
}

struct Done;

impl Actor<Simulated> for Keeper {
    type Message = Done;

    fn handle(&mut self, Done: Done, cx: &mut impl Context<Simulated, Self>) {
        self.gateways -= 1;
        if self.gateways > 0 {
            return;
        }
        for book in self.books.iter() {
            cx.tell(book, ToBook::Close);
        }
        for risk in self.risks.iter() {
            cx.tell(risk, ToRisk::Close);
        }
        cx.stop();
    }
}

struct Sizes {
    gateways: usize,
    /// Of each gateway.
    traders: usize,
    books: usize,
    /// Of each gateway.
    orders: u64,
    open: u64,
}

struct Exchange(Sizes, Sum);

impl Exchange {
    /// Every quantity that was ordered is traded by who ordered it, or rests.
    fn expected(&self) -> u64 {
        let orders = (0..self.0.gateways).flat_map(|gateway| Orders::new(gateway, &self.0));
        orders.map(|order| order.quantity.unsigned_abs()).sum()
    }
}

impl Script<Simulated> for Exchange {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let Self(sizes, sum) = self;
        let book = |_| {
            driver.spawn(Book {
                sum: sum.clone(),
                ..Book::default()
            })
        };
        let books: Arc<[To<Book>]> = (0..sizes.books).map(book).collect();
        let risk = |_| {
            driver.spawn(Risk {
                books: Arc::clone(&books),
                traded: 0,
                position: 0,
                cash: 0,
                sum: sum.clone(),
            })
        };
        let risks: Arc<[To<Risk>]> = (0..sizes.gateways * sizes.traders).map(risk).collect();
        let keeper = driver.spawn(Keeper {
            gateways: sizes.gateways,
            risks: Arc::clone(&risks),
            books,
        });
        for gateway in 0..sizes.gateways {
            let gateway = driver.spawn(Gateway {
                orders: Orders::new(gateway, &sizes),
                under_way: 0,
                risks: Arc::clone(&risks),
                keeper: keeper.clone(),
            });
            driver.tell(&gateway, ToGateway::Begin(sizes.open));
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let sizes = Sizes {
        gateways: number(program, parameters, "gateways")? as usize,
        traders: number(program, parameters, "traders")? as usize,
        books: number(program, parameters, "books")? as usize,
        orders: number(program, parameters, "orders")?,
        open: number(program, parameters, "open")?,
    };
    let actors = sizes.gateways * (1 + sizes.traders) + sizes.books + 1;
    let script = Exchange(sizes, sum.clone());
    let expected = script.expected();
    sum.play(program, settings, script, (actors, expected))
}
