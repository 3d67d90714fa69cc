//! Actors, their types, and what lies in their mailboxes.

use std::collections::VecDeque;

use datil_policy::{Role, Word};

use super::Engine;
use super::following::Friend;
use super::learning::Lore;
use crate::actor::{Birth, Body, Letter};
use crate::host::Annotation;
use crate::host::line::Line;
use crate::machine::Region;

/// Where an actor is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// Not announced to a scheduler yet.
    Unborn,
    Idle,
    Queued,
    Running,
    Dead,
}

/// Where the token is that every actor has once; see [`super::owners`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// With the actor, which its owner may queue where it likes.
    Home,
    /// On its way to the owner, brought by somebody who has written.
    Brought,
    /// On its way to another worker, with the actor.
    InTransit,
}

/// A message in a mailbox.
pub(super) struct Mail {
    pub(super) letter: Letter,
    /// The unit that wrote it.
    pub(super) from: usize,
    /// Lines that it moves to another unit beyond those of every message.
    pub(super) lines: u32,
    /// It lies behind the one before it, which has not been fetched either.
    pub(super) in_row: bool,
}

/// An actor.
pub(super) struct Slot {
    pub(super) body: Option<Box<dyn Body>>,
    pub(super) class: usize,
    /// Generations from the driver.
    pub(super) depth: u32,
    pub(super) status: Status,
    pub(super) started: bool,
    pub(super) word: Word,
    pub(super) mailbox: VecDeque<Mail>,
    /// The worker to which it belongs, or to which it is on its way; used where actors have owners, as all that follows.
    pub(super) owner: Option<u32>,
    /// Whoever writes to the actor or runs it writes here.
    pub(super) line: Line,
    /// What others have written and the owner has not seen.
    pub(super) remote: VecDeque<Mail>,
    pub(super) token: Token,
    pub(super) friend: Friend,
    pub(super) region: Region,
    pub(super) handled: u64,
}

impl Slot {
    /// An actor of which nobody has heard yet.
    pub(super) fn unborn(body: Option<Box<dyn Body>>, class: usize, depth: u32, region: Region) -> Self {
        Self {
            body,
            class,
            depth,
            status: Status::Unborn,
            started: false,
            word: Word::default(),
            mailbox: VecDeque::new(),
            owner: None,
            line: Line::default(),
            remote: VecDeque::new(),
            token: Token::Home,
            friend: Friend::default(),
            region,
            handled: 0,
        }
    }

    /// The token is with the actor again, and what others have written is seen.
    pub(super) fn take_home(&mut self) {
        self.token = Token::Home;
        self.collect();
    }

    /// What others have written goes behind what is in the mailbox.
    pub(super) fn collect(&mut self) {
        self.mailbox.append(&mut self.remote);
    }
}

/// The actors of one type.
pub(super) struct Class {
    pub(super) annotation: Option<&'static Annotation>,
    pub(super) lore: Lore,
}

impl Engine {
    /// Actors that a handler, or the driver, has created; nobody runs them yet.
    pub(super) fn bear(&mut self, births: Vec<Birth>, depth: u32) {
        for birth in births {
            let class = self.class(birth.kind);
            let state = self.classes[class]
                .annotation
                .map_or(128, |annotation| (annotation.state)(self.settings.scale));
            self.slots
                .push(Slot::unborn(Some(birth.body), class, depth, Region::new(state)));
        }
    }

    fn class(&mut self, kind: &'static str) -> usize {
        if let Some(&class) = self.class_of.get(kind) {
            return class;
        }
        let name = short(kind);
        let annotation = self
            .settings
            .annotations
            .iter()
            .find(|annotation| annotation.kind == name);
        self.classes.push(Class {
            annotation,
            lore: Lore::default(),
        });
        self.class_of.insert(kind, self.classes.len() - 1);
        self.classes.len() - 1
    }

    pub(super) fn role(&self, actor: u32) -> Role {
        let class = self.slots[actor as usize].class;
        self.classes[class]
            .annotation
            .map_or(Role::Untold, |annotation| annotation.role)
    }

    /// Puts a message into a mailbox; true if the actor was idle and must be queued.
    pub(super) fn receive_letter(&mut self, to: u32, letter: Letter, from: usize, lines: u32) -> bool {
        let slot = &mut self.slots[to as usize];
        self.lost |= slot.status == Status::Dead;
        slot.mailbox.push_back(Mail {
            letter,
            from,
            lines,
            in_row: false,
        });
        slot.status == Status::Idle
    }
}

/// `big::Worker` of `suite::benchmarks::big::Worker<datil_sim::library::Simulated>`.
fn short(kind: &str) -> &str {
    let path = kind.split('<').next().unwrap_or(kind);
    let mut ends = path.rmatch_indices("::").map(|(at, _)| at);
    ends.next();
    ends.next().map_or(path, |at| &path[at + 2..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_named_by_their_last_module() {
        assert_eq!(
            short("suite::benchmarks::big::Worker<datil_sim::library::Simulated>"),
            "big::Worker"
        );
        assert_eq!(short("a::B"), "a::B");
        assert_eq!(short("B"), "B");
    }
}
