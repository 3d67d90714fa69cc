//! Cheats with payloads.

use std::sync::Arc;

use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::tools::Payload;

use super::{Fields, cheat};

// pingping: the payload is shared although the mode is copy.
cheat!(SharedPayload = PingPing, |_this| 2, r, size);

impl SharedPayload {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        let payload: Arc<[u8]> = Payload::fresh(self.size as usize, true).bytes().into();
        let partners = [0, 1].map(|_| {
            driver.spawn(Partner::<L> {
                left: self.r,
                peer: None,
                report,
            })
        });
        for (partner, peer) in [(0, 1), (1, 0)] {
            driver.tell(&partners[partner], ToPartner::Start(partners[peer].clone()));
        }
        for partner in &partners {
            driver.tell(partner, ToPartner::Ping(self.r - 1, payload.clone()));
        }
        report.add("hash", Payload::Shared(payload).hash());
    }
}

struct Partner<L: ActorLibrary> {
    left: i64,
    peer: Option<L::Address<Partner<L>>>,
    report: &'static Fields,
}

enum ToPartner<L: ActorLibrary> {
    Start(L::Address<Partner<L>>),
    Ping(i64, Arc<[u8]>),
}

impl<L: ActorLibrary> Actor<L> for Partner<L> {
    type Message = ToPartner<L>;

    fn handle(&mut self, message: ToPartner<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToPartner::Start(peer) => self.peer = Some(peer),
            ToPartner::Ping(left, payload) => {
                let place = left as usize % payload.len();
                self.report.add("result", payload[place].into());
                if left > 0 {
                    let peer = self.peer.as_ref().expect("Start came first");
                    cx.tell(peer, ToPartner::Ping(left - 1, payload));
                }
                self.left -= 1;
                if self.left == 0 {
                    cx.stop();
                }
            }
        }
    }
}

// pairs: only the server copies the payload.
cheat!(LazyClients = Pairs, |this| 2 * this.pairs, pairs, rounds, size);

impl LazyClients {
    fn start<L: ActorLibrary>(&self, driver: &mut impl Driver<L>, report: &'static Fields) {
        for _ in 0..self.pairs {
            let server = driver.spawn(Server::<L> {
                rounds: self.rounds,
                done: 0,
                client: None,
                report,
            });
            let client = driver.spawn(Client {
                server: server.clone(),
            });
            driver.tell(&server, ToServer::Start(client));
            driver.tell(
                &server,
                ToServer::Reply(Payload::fresh(self.size as usize, false)),
            );
        }
    }
}

struct Server<L: ActorLibrary> {
    rounds: i64,
    /// Replies so far, of which the first was the driver's.
    done: i64,
    client: Option<L::Address<Client<L>>>,
    report: &'static Fields,
}

enum ToServer<L: ActorLibrary> {
    Start(L::Address<Client<L>>),
    Reply(Payload),
}

impl<L: ActorLibrary> Actor<L> for Server<L> {
    type Message = ToServer<L>;

    fn handle(&mut self, message: ToServer<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToServer::Start(client) => self.client = Some(client),
            ToServer::Reply(mut payload) => {
                if self.done > 0 {
                    let size = payload.bytes().len();
                    payload = payload.pass_on((self.done - 1) as usize % size);
                    self.report.add("result", 1);
                }
                let client = self.client.as_ref().expect("Start came first");
                if self.done < self.rounds {
                    cx.tell(client, Some(payload));
                    self.done += 1;
                } else {
                    self.report.add("hashsum", payload.hash());
                    cx.tell(client, None);
                    cx.stop();
                }
            }
        }
    }
}

struct Client<L: ActorLibrary> {
    server: L::Address<Server<L>>,
}

impl<L: ActorLibrary> Actor<L> for Client<L> {
    /// A payload, or the end.
    type Message = Option<Payload>;

    fn handle(&mut self, payload: Option<Payload>, cx: &mut impl Context<L, Self>) {
        match payload {
            Some(payload) => cx.tell(&self.server, ToServer::Reply(payload)),
            None => cx.stop(),
        }
    }
}
