//! Orders as sagas: an actor of its own leads each order through five services, one after the other, and each of these
//! reserves something for it. If one refuses, the saga has undone what was reserved before, in reverse order. A gateway
//! has some orders under way and begins the next one when a saga has ended. Services have different numbers of shards,
//! so that everybody waits for the one with the fewest. Sagas are short-lived, and nearly all that they do is to ask and
//! to be answered. Written as held out, after it was decided how often workers look for sleepers.

use std::sync::Arc;

use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, burst, coordinator, data, light};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, between, mixed, number};
use crate::host::{Activity, Annotation, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "saga",
    about: "written to try the final rules on: orders that five services reserve something for, undone if one refuses",
    nature: Nature::Messages,
    parameters: &[("gateways", "8"), ("open", "24"), ("orders", "2000")],
    scale: None,
    annotations: &[
        coordinator("saga::Gateway", burst),
        Annotation {
            carries: |_| ORDER_LINES,
            ..actor("saga::Saga", lead)
        },
        data("saga::Service", |_| SERVICE_BYTES, book),
        coordinator("saga::Keeper", light),
    ],
    run,
};

/// Shards of the services, in the order in which sagas ask them: customers, stock, payment, carriers and invoices. There
/// is much in stock, and there are few who see to payments.
const SHARDS: [usize; 5] = [16, 24, 4, 8, 12];
/// A service refuses one order in so many: about one in four is refused by some service.
const REFUSED: u64 = 16;
/// An order of 128 bytes.
const ORDER_LINES: u32 = 2;
/// Some hundred records and what finds them.
const SERVICE_BYTES: u64 = 64 << 10;

/// 0.2 to 0.7 µs at 2.3 GHz: an answer is taken apart, and the next request put together.
fn lead(activity: &Activity) -> Charge {
    Charge::compute(between(460, 1_610, activity)).touching(2)
}

/// 0.3 to 1.2 µs: a record is found, checked and changed.
fn book(activity: &Activity) -> Charge {
    match activity.sends {
        0 => light(activity),
        _ => Charge::compute(between(690, 2_760, activity)).touching(4),
    }
}

/// What a service reserves for an order at this step.
fn amount(order: u64, step: usize) -> u64 {
    mixed(order << 8 | step as u64)
}

/// Which of the shards of the step's service is asked for an order.
fn shard(order: u64, step: usize) -> usize {
    (amount(order, step) >> 32) as usize % SHARDS[step]
}

/// Whether the step's service refuses an order.
fn refused(order: u64, step: usize) -> bool {
    amount(order, step).is_multiple_of(REFUSED)
}

/// A shard of a service.
#[derive(Default)]
struct Service {
    /// All that is reserved.
    held: u64,
    sum: Sum,
}

/// Requests tell the order, its step and who asks.
enum ToService {
    Reserve(u64, usize, To<Saga>),
    Undo(u64, usize, To<Saga>),
    Stop,
}

impl Actor<Simulated> for Service {
    type Message = ToService;

    fn handle(&mut self, message: ToService, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToService::Reserve(order, step, saga) if refused(order, step) => cx.tell(&saga, ToSaga::Refused),
            ToService::Reserve(order, step, saga) => {
                self.held = self.held.wrapping_add(amount(order, step));
                cx.tell(&saga, ToSaga::Reserved);
            }
            ToService::Undo(order, step, saga) => {
                self.held = self.held.wrapping_sub(amount(order, step));
                cx.tell(&saga, ToSaga::Undone);
            }
            ToService::Stop => {
                self.sum.add(self.held);
                cx.stop();
            }
        }
    }
}

/// The shards of all services, by step.
type Services = Arc<[Vec<To<Service>>]>;

struct Saga {
    order: u64,
    /// What is reserved now, or is being undone.
    step: usize,
    services: Services,
    gateway: To<Gateway>,
}

enum ToSaga {
    Begin,
    Reserved,
    Refused,
    Undone,
}

impl Saga {
    /// The service of the present step.
    fn service(&self) -> &To<Service> {
        &self.services[self.step][shard(self.order, self.step)]
    }

    fn reserve(&self, cx: &mut impl Context<Simulated, Self>) {
        let request = ToService::Reserve(self.order, self.step, cx.myself());
        cx.tell(self.service(), request);
    }

    fn undo(&self, cx: &mut impl Context<Simulated, Self>) {
        let request = ToService::Undo(self.order, self.step, cx.myself());
        cx.tell(self.service(), request);
    }

    fn end(&self, cx: &mut impl Context<Simulated, Self>) {
        cx.tell(&self.gateway, ToGateway::Ended);
        cx.stop();
    }
}

impl Actor<Simulated> for Saga {
    type Message = ToSaga;

    fn handle(&mut self, message: ToSaga, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToSaga::Begin => self.reserve(cx),
            ToSaga::Reserved => {
                self.step += 1;
                if self.step == SHARDS.len() {
                    self.end(cx);
                } else {
                    self.reserve(cx);
                }
            }
            // Nothing is reserved at this step, but at all before.
            ToSaga::Refused | ToSaga::Undone => {
                if self.step == 0 {
                    self.end(cx);
                } else {
                    self.step -= 1;
                    self.undo(cx);
                }
            }
        }
    }
}

/// Takes orders and begins a saga for each.
struct Gateway {
    /// The next order, and the one after the last.
    next: u64,
    end: u64,
    /// Sagas that may be under way at a time, and those that are.
    most: u64,
    open: u64,
    services: Services,
    keeper: To<Keeper>,
}

enum ToGateway {
    Begin,
    Ended,
}

impl Actor<Simulated> for Gateway {
    type Message = ToGateway;

    fn handle(&mut self, message: ToGateway, cx: &mut impl Context<Simulated, Self>) {
        if let ToGateway::Ended = message {
            self.open -= 1;
        }
        while self.next < self.end && self.open < self.most {
            let saga = cx.spawn(Saga {
                order: self.next,
                step: 0,
                services: Arc::clone(&self.services),
                gateway: cx.myself(),
            });
            cx.tell(&saga, ToSaga::Begin);
            self.next += 1;
            self.open += 1;
        }
        if self.open == 0 {
            cx.tell(&self.keeper, Done);
            cx.stop();
        }
    }
}

/// Stops the services when all gateways are done.
struct Keeper {
    gateways: u64,
    services: Services,
}

struct Done;

impl Actor<Simulated> for Keeper {
    type Message = Done;

    fn handle(&mut self, Done: Done, cx: &mut impl Context<Simulated, Self>) {
        self.gateways -= 1;
        if self.gateways == 0 {
            for service in self.services.iter().flatten() {
                cx.tell(service, ToService::Stop);
            }
            cx.stop();
        }
    }
}

struct Orders {
    gateways: u64,
    /// Sagas that a gateway has under way.
    open: u64,
    /// Of one gateway.
    orders: u64,
    sum: Sum,
}

impl Orders {
    /// What is reserved for the orders that no service refuses.
    fn expected(&self) -> u64 {
        let steps = 0..SHARDS.len();
        let orders = 0..self.gateways * self.orders;
        let complete = orders.filter(|&order| !steps.clone().any(|step| refused(order, step)));
        let amounts = complete.flat_map(|order| steps.clone().map(move |step| amount(order, step)));
        amounts.fold(0, u64::wrapping_add)
    }
}

impl Script<Simulated> for Orders {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let mut service = || {
            driver.spawn(Service {
                sum: self.sum.clone(),
                ..Service::default()
            })
        };
        let mut shards = |count| (0..count).map(|_| service()).collect();
        let services: Services = SHARDS.into_iter().map(&mut shards).collect();
        let keeper = driver.spawn(Keeper {
            gateways: self.gateways,
            services: Arc::clone(&services),
        });
        for number in 0..self.gateways {
            let gateway = driver.spawn(Gateway {
                next: number * self.orders,
                end: (number + 1) * self.orders,
                most: self.open,
                open: 0,
                services: Arc::clone(&services),
                keeper: keeper.clone(),
            });
            driver.tell(&gateway, ToGateway::Begin);
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let script = Orders {
        gateways: number(program, parameters, "gateways")?,
        open: number(program, parameters, "open")?,
        orders: number(program, parameters, "orders")?,
        sum: sum.clone(),
    };
    let services: usize = SHARDS.iter().sum();
    let actors = script.gateways * (1 + script.orders) + services as u64 + 1;
    let expected = script.expected();
    sum.play(program, settings, script, (actors as usize, expected))
}
