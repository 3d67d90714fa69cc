//! Actors as the simulated host sees them, and what their handlers ask for.

use std::any::Any;

/// A message of any type.
pub(crate) type Letter = Box<dyn Any + Send>;

/// An actor of any type.
pub(crate) trait Body: Send {
    /// Runs before the first message.
    fn started(&mut self, handling: &mut Handling);
    /// Handles a message of the type that the actor understands.
    fn handle(&mut self, letter: Letter, handling: &mut Handling);
}

/// An actor that was created but not announced to a scheduler yet.
pub(crate) struct Birth {
    pub(crate) body: Box<dyn Body>,
    /// Name of its type.
    pub(crate) kind: &'static str,
}

/// What a handler asks for, in its order.
pub(crate) enum Wish {
    Send(u32, Letter),
    Spawn(u32),
    /// So many actors will stop in this phase.
    Population(i64),
    /// The driver waits so many nanoseconds.
    Pause(u64),
}

/// What the suite is told while a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// An actor has stopped.
    Stopped,
    /// So many actors will stop in this phase.
    Population(i64),
}

/// Collects what a handler, or the driver, does.
pub(crate) struct Handling {
    /// Number of the actor that acts.
    pub(crate) me: u32,
    /// Number of the next actor that is created.
    next: u32,
    pub(crate) births: Vec<Birth>,
    pub(crate) wishes: Vec<Wish>,
    pub(crate) stopped: bool,
}

impl Handling {
    pub(crate) fn new(me: u32, next: u32) -> Self {
        Self {
            me,
            next,
            births: Vec::new(),
            wishes: Vec::new(),
            stopped: false,
        }
    }

    pub(crate) fn spawn(&mut self, birth: Birth) -> u32 {
        let number = self.next;
        self.next += 1;
        self.births.push(birth);
        self.wishes.push(Wish::Spawn(number));
        number
    }

    pub(crate) fn send(&mut self, to: u32, letter: Letter) {
        self.wishes.push(Wish::Send(to, letter));
    }
}
