//! Clients that ask again as soon as they are answered. Several share a session, which looks through a quarter of its
//! 64 KiB per request; for one request in fifty it creates an actor that computes for long and answers in its place.
//! Written as held out, after the rules for waking.

use serde_json::{Map, Value};
use suite::library::{Actor, Context, Driver, Script};

use super::super::charges::{actor, coordinator, data, light};
use super::super::{Nature, Program, Simulation};
use super::{Sum, To, mixed, number};
use crate::host::{Activity, Settings};
use crate::library::Simulated;
use crate::machine::Charge;

pub(super) const PROGRAM: Program = Program {
    name: "server",
    about: "written to try the rules for waking on: sessions of 64 KiB, short requests and a few long ones",
    nature: Nature::State,
    parameters: &[("clients", "120"), ("sessions", "24"), ("requests", "400")],
    scale: None,
    annotations: &[
        data("server::Session", |_| BYTES, serve),
        actor("server::Client", light),
        actor("server::Worker", compute),
        coordinator("server::Keeper", light),
    ],
    run,
};

const BYTES: u64 = 64 << 10;
/// One request of so many is long.
const LONG: u64 = 50;

fn serve(activity: &Activity) -> Charge {
    match activity.sends {
        0 => light(activity),
        _ => Charge::compute(1_500).touching(BYTES / 64 / 4).exposing(0.5),
    }
}

/// 100 µs at 2.3 GHz.
fn compute(activity: &Activity) -> Charge {
    match activity.sends {
        0 => light(activity),
        _ => Charge::compute(230_000).touching(2),
    }
}

/// What a client asks: its number and that of the request.
#[derive(Clone, Copy)]
struct Request {
    client: u64,
    number: u64,
}

impl Request {
    /// Clients do not come to it at the same time.
    fn is_long(self) -> bool {
        (self.client * 7 + self.number) % LONG == LONG - 1
    }

    fn answer(self) -> u64 {
        mixed(self.client << 32 | self.number)
    }
}

struct Session;

enum ToSession {
    Ask(Request, To<Client>),
    Stop,
}

impl Actor<Simulated> for Session {
    type Message = ToSession;

    fn handle(&mut self, message: ToSession, cx: &mut impl Context<Simulated, Self>) {
        match message {
            ToSession::Ask(request, client) if request.is_long() => {
                let worker = cx.spawn(Worker);
                cx.tell(&worker, Job(request, client));
            }
            ToSession::Ask(request, client) => cx.tell(&client, ToClient::Answer(request.answer())),
            ToSession::Stop => cx.stop(),
        }
    }
}

struct Worker;

struct Job(Request, To<Client>);

impl Actor<Simulated> for Worker {
    type Message = Job;

    fn handle(&mut self, Job(request, client): Job, cx: &mut impl Context<Simulated, Self>) {
        cx.tell(&client, ToClient::Answer(request.answer()));
        cx.stop();
    }
}

struct Client {
    number: u64,
    asked: u64,
    requests: u64,
    total: u64,
    session: To<Session>,
    keeper: To<Keeper>,
}

enum ToClient {
    Begin,
    Answer(u64),
}

impl Actor<Simulated> for Client {
    type Message = ToClient;

    fn handle(&mut self, message: ToClient, cx: &mut impl Context<Simulated, Self>) {
        if let ToClient::Answer(answer) = message {
            self.total = self.total.wrapping_add(answer);
        }
        if self.asked == self.requests {
            cx.tell(&self.keeper, Done(self.total));
            return cx.stop();
        }
        let request = Request {
            client: self.number,
            number: self.asked,
        };
        self.asked += 1;
        cx.tell(&self.session, ToSession::Ask(request, cx.myself()));
    }
}

/// Stops the sessions when all clients are done.
struct Keeper {
    clients: u64,
    sessions: Vec<To<Session>>,
    total: u64,
    sum: Sum,
}

struct Done(u64);

impl Actor<Simulated> for Keeper {
    type Message = Done;

    fn handle(&mut self, Done(total): Done, cx: &mut impl Context<Simulated, Self>) {
        self.total = self.total.wrapping_add(total);
        self.clients -= 1;
        if self.clients == 0 {
            for session in &self.sessions {
                cx.tell(session, ToSession::Stop);
            }
            self.sum.add(self.total);
            cx.stop();
        }
    }
}

struct Server {
    clients: u64,
    sessions: u64,
    requests: u64,
    sum: Sum,
}

impl Server {
    fn requests(&self) -> impl Iterator<Item = Request> {
        let requests = self.requests;
        (0..self.clients).flat_map(move |client| (0..requests).map(move |number| Request { client, number }))
    }
}

impl Script<Simulated> for Server {
    fn run(self, driver: &mut impl Driver<Simulated>) {
        let sessions: Vec<To<Session>> = (0..self.sessions).map(|_| driver.spawn(Session)).collect();
        let keeper = driver.spawn(Keeper {
            clients: self.clients,
            sessions: sessions.clone(),
            total: 0,
            sum: self.sum,
        });
        for number in 0..self.clients {
            let client = driver.spawn(Client {
                number,
                asked: 0,
                requests: self.requests,
                total: 0,
                session: sessions[(number % self.sessions) as usize].clone(),
                keeper: keeper.clone(),
            });
            driver.tell(&client, ToClient::Begin);
        }
    }
}

fn run(program: &Program, settings: Settings, parameters: &Map<String, Value>) -> Result<Simulation, String> {
    let sum = Sum::default();
    let script = Server {
        clients: number(program, parameters, "clients")?,
        sessions: number(program, parameters, "sessions")?,
        requests: number(program, parameters, "requests")?,
        sum: sum.clone(),
    };
    let workers = script.requests().filter(|request| request.is_long()).count();
    let actors = (script.clients + script.sessions + 1) as usize + workers;
    let answers = script.requests().map(Request::answer);
    let expected = answers.fold(0, u64::wrapping_add);
    sum.play(program, settings, script, (actors, expected))
}
