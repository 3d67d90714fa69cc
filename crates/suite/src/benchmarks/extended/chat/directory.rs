//! The actor that knows some of the clients.

use super::accumulator::Accumulator;
use super::client::{Client, ClientRef, Counters, ToClient};
use super::{Habits, Poker, Report, ToPoker, Totals};
use crate::library::{Actor, ActorLibrary, Context};
use crate::tools::Rng;

pub(super) struct Directory<L: ActorLibrary> {
    habits: Habits,
    rng: Rng,
    /// In order of login.
    clients: Vec<ClientRef<L>>,
    left: usize,
    totals: Totals,
    poker: L::Address<Poker<L>>,
    report: &'static Report,
}

pub(super) enum ToDirectory<L: ActorLibrary> {
    Login { id: i64 },
    Poke(L::Address<Accumulator<L>>),
    Disconnect,
    ClientLeft(Counters),
}

impl<L: ActorLibrary> Directory<L> {
    pub(super) fn new(
        habits: Habits,
        rng: Rng,
        poker: L::Address<Poker<L>>,
        report: &'static Report,
    ) -> Self {
        Self {
            habits,
            rng,
            clients: Vec::new(),
            left: 0,
            totals: Totals::default(),
            poker,
            report,
        }
    }

    fn login(&mut self, id: i64, cx: &mut impl Context<L, Self>) {
        let seed = self.rng.draw();
        let client = Client::new(id, seed, self.habits, cx.myself(), self.report);
        let new = ClientRef {
            id,
            address: cx.spawn(client),
        };
        for earlier in &self.clients {
            if self.rng.below(100) < self.habits.befriend {
                self.totals.edges += 1;
                cx.tell(&earlier.address, ToClient::Befriend(new.clone()));
                cx.tell(&new.address, ToClient::Befriend(earlier.clone()));
            }
        }
        self.clients.push(new);
    }

    fn disconnect(&self, cx: &mut impl Context<L, Self>) {
        for client in &self.clients {
            cx.tell(&client.address, ToClient::Logout);
        }
        if self.clients.is_empty() {
            self.finish(cx);
        }
    }

    fn finish(&self, cx: &mut impl Context<L, Self>) {
        cx.tell(&self.poker, ToPoker::Finished(self.totals));
        cx.stop();
    }
}

impl<L: ActorLibrary> Actor<L> for Directory<L> {
    type Message = ToDirectory<L>;

    fn handle(&mut self, message: ToDirectory<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToDirectory::Login { id } => self.login(id, cx),
            ToDirectory::Poke(accumulator) => {
                for client in &self.clients {
                    cx.tell(&client.address, ToClient::Act(accumulator.clone()));
                }
            }
            ToDirectory::Disconnect => self.disconnect(cx),
            ToDirectory::ClientLeft(counters) => {
                self.totals.clients.add(counters);
                self.left += 1;
                if self.left == self.clients.len() {
                    self.finish(cx);
                }
            }
        }
    }
}
