//! A chat: an actor that forwards posts to its members.

use super::accumulator::{Accumulator, Level, ToAccumulator};
use super::client::{ClientRef, ToClient};
use crate::library::{Actor, ActorLibrary, Context};

/// The entry's Chat.
pub(super) struct Room<L: ActorLibrary> {
    id: RoomId,
    /// A set, in no particular order.
    members: Vec<ClientRef<L>>,
    /// Posts so far, of which a newcomer gets every one.
    posts: i64,
}

/// The client that created a chat, and the number of that chat among those that it created.
pub(super) type RoomId = (i64, i64);

/// A chat, as others know it.
pub(super) struct RoomRef<L: ActorLibrary> {
    pub(super) id: RoomId,
    pub(super) address: L::Address<Room<L>>,
}

impl<L: ActorLibrary> Clone for RoomRef<L> {
    fn clone(&self) -> Self {
        Self {
            id: self.id,
            address: self.address.clone(),
        }
    }
}

pub(super) enum ToRoom<L: ActorLibrary> {
    Post(L::Address<Accumulator<L>>),
    Join {
        client: ClientRef<L>,
        accumulator: L::Address<Accumulator<L>>,
    },
    Leave {
        client: ClientRef<L>,
        why: Leaving<L>,
    },
    /// The driver's request to stop.
    Stop,
}

/// Why a client leaves a chat.
pub(super) enum Leaving<L: ActorLibrary> {
    /// As its act of a turn.
    Turn(L::Address<Accumulator<L>>),
    /// Because it logs out.
    Logout,
}

impl<L: ActorLibrary> Room<L> {
    /// A chat with its creator as the only member.
    pub(super) fn new(id: RoomId, creator: ClientRef<L>) -> Self {
        Self {
            id,
            members: vec![creator],
            posts: 0,
        }
    }

    fn post(&mut self, accumulator: &L::Address<Accumulator<L>>, cx: &mut impl Context<L, Self>) {
        self.posts += 1;
        if self.members.is_empty() {
            cx.tell(accumulator, ToAccumulator::Close(Level::Act));
            return;
        }
        let bump = ToAccumulator::Bump {
            closes: Level::Act,
            opens: Level::Forward,
            count: self.members.len() as i64,
        };
        cx.tell(accumulator, bump);
        for member in &self.members {
            forward(member, accumulator, cx);
        }
    }

    fn join(
        &mut self,
        client: ClientRef<L>,
        accumulator: &L::Address<Accumulator<L>>,
        cx: &mut impl Context<L, Self>,
    ) {
        if self.posts == 0 {
            cx.tell(accumulator, ToAccumulator::Close(Level::Join));
        } else {
            let bump = ToAccumulator::Bump {
                closes: Level::Join,
                opens: Level::Forward,
                count: self.posts,
            };
            cx.tell(accumulator, bump);
        }
        for _ in 0..self.posts {
            forward(&client, accumulator, cx);
        }
        if self.position(client.id).is_none() {
            self.members.push(client);
        }
    }

    fn leave(&mut self, client: &ClientRef<L>, why: Leaving<L>, cx: &mut impl Context<L, Self>) {
        if let Some(position) = self.position(client.id) {
            self.members.swap_remove(position);
        }
        cx.tell(&client.address, ToClient::Left { room: self.id, why });
    }

    fn position(&self, client: i64) -> Option<usize> {
        self.members.iter().position(|member| member.id == client)
    }
}

fn forward<L: ActorLibrary>(
    member: &ClientRef<L>,
    accumulator: &L::Address<Accumulator<L>>,
    cx: &mut impl Context<L, Room<L>>,
) {
    let (room, accumulator) = (cx.myself(), accumulator.clone());
    cx.tell(&member.address, ToClient::Forward { room, accumulator });
}

impl<L: ActorLibrary> Actor<L> for Room<L> {
    type Message = ToRoom<L>;

    fn handle(&mut self, message: ToRoom<L>, cx: &mut impl Context<L, Self>) {
        match message {
            ToRoom::Post(accumulator) => self.post(&accumulator, cx),
            ToRoom::Join { client, accumulator } => self.join(client, &accumulator, cx),
            ToRoom::Leave { client, why } => self.leave(&client, why, cx),
            ToRoom::Stop => cx.stop(),
        }
    }
}
