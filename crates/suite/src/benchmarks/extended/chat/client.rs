//! A client of the social network.

use std::hint::black_box;

use super::accumulator::{Accumulator, Level, ToAccumulator};
use super::directory::{Directory, ToDirectory};
use super::room::{Leaving, Room, RoomId, RoomRef, ToRoom};
use super::{Habits, Report};
use crate::library::{Actor, ActorLibrary, Context};
use crate::tools::Rng;

pub(super) struct Client<L: ActorLibrary> {
    id: i64,
    habits: Habits,
    /// Decides what to do.
    dice: Rng,
    /// Decides with whom.
    rand: Rng,
    /// In order of arrival.
    friends: Vec<ClientRef<L>>,
    joined: Vec<RoomRef<L>>,
    /// The chats that this client created, the first of which is its home.
    created: Vec<L::Address<Room<L>>>,
    counters: Counters,
    directory: L::Address<Directory<L>>,
    report: &'static Report,
}

/// A client, as others know it.
pub(super) struct ClientRef<L: ActorLibrary> {
    pub(super) id: i64,
    pub(super) address: L::Address<Client<L>>,
}

impl<L: ActorLibrary> Clone for ClientRef<L> {
    fn clone(&self) -> Self {
        Self {
            id: self.id,
            address: self.address.clone(),
        }
    }
}

/// What clients did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    /// Sum of the Fibonacci numbers.
    pub(super) sum: i64,
    // Actions of each kind.
    pub(super) compute: i64,
    pub(super) post: i64,
    pub(super) leave: i64,
    pub(super) invite: i64,
    pub(super) none: i64,
    /// Invite messages sent.
    pub(super) invitations: i64,
    /// Forward messages received.
    pub(super) forwards: i64,
    /// Leave messages sent.
    pub(super) leaves: i64,
}

impl Counters {
    pub(super) fn add(&mut self, other: Self) {
        self.sum = self.sum.wrapping_add(other.sum);
        self.compute += other.compute;
        self.post += other.post;
        self.leave += other.leave;
        self.invite += other.invite;
        self.none += other.none;
        self.invitations += other.invitations;
        self.forwards += other.forwards;
        self.leaves += other.leaves;
    }
}

pub(super) enum ToClient<L: ActorLibrary> {
    Befriend(ClientRef<L>),
    Act(L::Address<Accumulator<L>>),
    Forward {
        #[expect(
            dead_code,
            reason = "the entry sends the reference, and its receiver does not need it"
        )]
        room: L::Address<Room<L>>,
        accumulator: L::Address<Accumulator<L>>,
    },
    Invite {
        room: RoomRef<L>,
        accumulator: L::Address<Accumulator<L>>,
    },
    Left {
        room: RoomId,
        why: Leaving<L>,
    },
    Logout,
}

/// What a client does in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Compute,
    Post,
    Leave,
    Invite,
    None,
}

impl Action {
    fn draw(dice: &mut Rng, habits: &Habits) -> Self {
        let choices = [
            (habits.compute, Self::Compute),
            (habits.post, Self::Post),
            (habits.leave, Self::Leave),
            (habits.invite, Self::Invite),
        ];
        let chosen = choices
            .into_iter()
            .find(|(per_cent, _)| dice.below(100) < *per_cent);
        chosen.map_or(Self::None, |(_, action)| action)
    }
}

/// By naive double recursion: the calls are the work.
#[inline(never)]
fn fibonacci(index: i64) -> i64 {
    if index < 2 {
        return index;
    }
    // Without the black box the compiler adds up in a loop what the second recursion returns, and makes half of the calls.
    black_box(fibonacci(index - 1).wrapping_add(fibonacci(index - 2)))
}

impl<L: ActorLibrary> Client<L> {
    pub(super) fn new(
        id: i64,
        seed: i64,
        habits: Habits,
        directory: L::Address<Directory<L>>,
        report: &'static Report,
    ) -> Self {
        Self {
            id,
            habits,
            dice: Rng::new(seed),
            rand: Rng::new(seed),
            friends: Vec::new(),
            joined: Vec::new(),
            created: Vec::new(),
            counters: Counters::default(),
            directory,
            report,
        }
    }

    fn myself(&self, cx: &impl Context<L, Self>) -> ClientRef<L> {
        ClientRef {
            id: self.id,
            address: cx.myself(),
        }
    }

    fn create_room(&mut self, cx: &mut impl Context<L, Self>) -> RoomRef<L> {
        let id = (self.id, self.created.len() as i64);
        let address = cx.spawn(Room::new(id, self.myself(cx)));
        self.created.push(address.clone());
        RoomRef { id, address }
    }

    fn act(&mut self, accumulator: L::Address<Accumulator<L>>, cx: &mut impl Context<L, Self>) {
        let drawn = self.rand.draw() as usize;
        let action = Action::draw(&mut self.dice, &self.habits);
        match action {
            Action::Compute => {
                self.counters.compute += 1;
                self.counters.sum = self.counters.sum.wrapping_add(fibonacci(self.habits.fib));
                done(&accumulator, cx);
            }
            Action::Post => {
                self.counters.post += 1;
                let room = match self.joined.len() {
                    0 => &self.created[0],
                    count => &self.joined[drawn % count].address,
                };
                cx.tell(room, ToRoom::Post(accumulator));
            }
            Action::Leave => {
                self.counters.leave += 1;
                match self.joined.len() {
                    0 => done(&accumulator, cx),
                    count => self.leave(drawn % count, Leaving::Turn(accumulator), cx),
                }
            }
            Action::Invite => {
                self.counters.invite += 1;
                self.invite(accumulator, cx);
            }
            Action::None => {
                self.counters.none += 1;
                done(&accumulator, cx);
            }
        }
    }

    fn leave(&mut self, room: usize, why: Leaving<L>, cx: &mut impl Context<L, Self>) {
        self.counters.leaves += 1;
        let client = self.myself(cx);
        cx.tell(&self.joined[room].address, ToRoom::Leave { client, why });
    }

    fn invite(&mut self, accumulator: L::Address<Accumulator<L>>, cx: &mut impl Context<L, Self>) {
        let room = self.create_room(cx);
        let mut rng = Rng::new(self.rand.draw());
        let mut friends = self.friends.clone();
        for i in (1..friends.len()).rev() {
            friends.swap(i, rng.below(i as i64 + 1) as usize);
        }
        let guests = match friends.len() {
            0 => 0,
            count => rng.draw() as usize % count,
        };
        if guests == 0 {
            done(&accumulator, cx);
            return;
        }
        let bump = ToAccumulator::Bump {
            closes: Level::Act,
            opens: Level::Join,
            count: guests as i64,
        };
        cx.tell(&accumulator, bump);
        self.counters.invitations += guests as i64;
        let itself = self.myself(cx);
        for guest in [itself].iter().chain(&friends).take(guests) {
            let (room, accumulator) = (room.clone(), accumulator.clone());
            cx.tell(&guest.address, ToClient::Invite { room, accumulator });
        }
    }

    fn invited(
        &mut self,
        room: RoomRef<L>,
        accumulator: L::Address<Accumulator<L>>,
        cx: &mut impl Context<L, Self>,
    ) {
        let client = self.myself(cx);
        cx.tell(&room.address, ToRoom::Join { client, accumulator });
        if self.joined.iter().all(|known| known.id != room.id) {
            self.joined.push(room);
        }
    }

    fn left(&mut self, room: RoomId, why: &Leaving<L>, cx: &mut impl Context<L, Self>) {
        // Two turns may have left the same chat.
        if let Some(position) = self.joined.iter().position(|known| known.id == room) {
            self.joined.swap_remove(position);
        }
        match why {
            Leaving::Turn(accumulator) => done(accumulator, cx),
            Leaving::Logout if self.joined.is_empty() => self.go(cx),
            Leaving::Logout => {}
        }
    }

    fn logout(&mut self, cx: &mut impl Context<L, Self>) {
        if self.joined.is_empty() {
            self.go(cx);
            return;
        }
        for room in 0..self.joined.len() {
            self.leave(room, Leaving::Logout, cx);
        }
    }

    fn go(&mut self, cx: &mut impl Context<L, Self>) {
        self.report.rooms.report(std::mem::take(&mut self.created));
        cx.tell(&self.directory, ToDirectory::ClientLeft(self.counters));
        cx.stop();
    }
}

/// Tells the accumulator that an act is over.
fn done<L: ActorLibrary>(accumulator: &L::Address<Accumulator<L>>, cx: &mut impl Context<L, Client<L>>) {
    cx.tell(accumulator, ToAccumulator::Close(Level::Act));
}

impl<L: ActorLibrary> Actor<L> for Client<L> {
    type Message = ToClient<L>;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        self.create_room(cx);
    }

    fn handle(&mut self, message: ToClient<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToClient::Befriend(friend) => self.friends.push(friend),
            ToClient::Act(accumulator) => self.act(accumulator, cx),
            ToClient::Forward { accumulator, .. } => {
                self.counters.forwards += 1;
                cx.tell(&accumulator, ToAccumulator::Close(Level::Forward));
            }
            ToClient::Invite { room, accumulator } => self.invited(room, accumulator, cx),
            ToClient::Left { room, why } => self.left(room, &why, cx),
            ToClient::Logout => self.logout(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fibonacci;

    #[test]
    fn fibonacci_numbers_begin_with_0() {
        assert_eq!([0, 1, 2, 3, 5, 18].map(fibonacci), [0, 1, 1, 2, 5, 2584]);
    }
}
