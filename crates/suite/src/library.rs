//! What a benchmark needs from an actor library, and nothing more.
//!
//! A benchmark is generic over [`ActorLibrary`]. Everything is dispatched statically: after monomorphisation a benchmark
//! is the program that one would write by hand against that library (`examples/facade_cost` measures it).
//!
//! The contexts and drivers are generic parameters of the methods that receive them rather than associated types. So an
//! adapter may hand over any short-lived view it likes, and [`crate::counting`] can wrap the view of any adapter.

use std::marker::PhantomData;
use std::thread;
use std::time::Duration;

use crate::tools::Latch;

/// An actor library as a benchmark sees it: a kind of address.
pub trait ActorLibrary: Sized + 'static {
    /// The address of an actor of type `A`. Cloning it is as cheap as the library allows.
    type Address<A: Actor<Self>>: Clone + Send + Sync + 'static;
}

/// The behaviour and the state of one actor.
pub trait Actor<L: ActorLibrary>: Sized + Send + 'static {
    /// All that this actor understands.
    type Message: Send + 'static;

    /// The part that it plays, for libraries that listen to such hints.
    const PART: Part = Part::Untold;

    /// Runs in the actor, before its first message.
    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        let _ = cx;
    }

    /// Handles one message to completion. A panic fails the iteration.
    fn handle(&mut self, message: Self::Message, cx: &mut impl Context<L, Self>);
}

/// What a programmer may tell a library about actors of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Nothing.
    Untold,
    /// They are light, and others wait for them.
    Coordinator,
    /// They hold the data on which the work is done.
    Data,
}

/// An actor some of whose messages only read its state.
pub trait Reads<L: ActorLibrary>: Actor<L> + Sync {
    /// Those messages.
    type Query: Into<Self::Message> + Send + 'static;

    /// Handles one of them, perhaps while others of them are handled. A panic fails the iteration.
    fn read(&self, query: Self::Query, cx: &mut impl Tell<L>);
}

/// What an actor can do while it only reads.
pub trait Tell<L: ActorLibrary> {
    /// As [`Context::tell`].
    fn tell<B: Actor<L>>(&mut self, to: &L::Address<B>, message: B::Message);
}

/// The context of an actor that handles a message as one that only reads.
#[derive(Debug)]
pub struct Alone<'a, C, A> {
    cx: &'a mut C,
    actor: PhantomData<fn(A)>,
}

impl<'a, C, A> Alone<'a, C, A> {
    /// The context of an actor of type `A`.
    pub fn new(cx: &'a mut C) -> Self {
        Self {
            cx,
            actor: PhantomData,
        }
    }
}

impl<L: ActorLibrary, A: Actor<L>, C: Context<L, A>> Tell<L> for Alone<'_, C, A> {
    #[inline(always)]
    fn tell<B: Actor<L>>(&mut self, to: &L::Address<B>, message: B::Message) {
        self.cx.tell(to, message);
    }
}

/// What an actor of type `A` can do while it handles a message.
pub trait Context<L: ActorLibrary, A: Actor<L>> {
    /// The address of this actor.
    fn myself(&self) -> L::Address<A>;

    /// Sends a message; it is in the receiver's mailbox when this returns, which [`Driver::tell`] does not promise.
    ///
    /// # Panics
    /// If the library can tell that the receiver has stopped: no benchmark sends to a stopped actor.
    fn tell<B: Actor<L>>(&mut self, to: &L::Address<B>, message: B::Message);

    /// Sends a message that may overtake those that wait, if it is `urgent`. The plain way of every library has no
    /// priorities (convention C6): only a variant with the label `priority=urgent` makes a difference.
    #[inline(always)]
    fn tell_by_urgency<B: Actor<L>>(&mut self, to: &L::Address<B>, message: B::Message, urgent: bool) {
        let _ = urgent;
        self.tell(to, message);
    }

    /// Sends a message to this actor itself, through its mailbox.
    fn tell_self(&mut self, message: A::Message);

    /// Sends a kind of message that has a type of its own. Libraries whose users write one type per kind, and that put
    /// messages into boxes, then box no more than that kind: nothing at all if it has no fields.
    #[inline(always)]
    fn tell_kind<B: Actor<L>, K: Into<B::Message> + Send + 'static>(&mut self, to: &L::Address<B>, kind: K) {
        self.tell(to, kind.into());
    }

    /// Sends a kind of message that has a type of its own to this actor itself, through its mailbox.
    #[inline(always)]
    fn tell_self_kind<K: Into<A::Message> + Send + 'static>(&mut self, kind: K) {
        self.tell_self(kind.into());
    }

    /// Sends a request that only reads the receiver's state. Where the library can let several of them run at the same time, and that
    /// is what is to be measured, it does; everywhere else it is a message like others.
    #[inline(always)]
    fn query<B: Reads<L>>(&mut self, to: &L::Address<B>, query: B::Query) {
        self.tell(to, query.into());
    }

    /// Creates an actor by the library's normal means.
    fn spawn<B: Actor<L>>(&mut self, actor: B) -> L::Address<B>;

    /// Stops this actor when the current handler returns: it handles no further message.
    fn stop(&mut self);

    /// Tells the driver how many actors stop in this phase, where that depends on the data
    /// ([`Population::Told`](crate::benchmark::Population::Told)). Told by one actor, once.
    fn population(&mut self, actors: i64);
}

/// What the driver, outside all actors, can do.
pub trait Driver<L: ActorLibrary> {
    /// Creates an actor by the library's normal means.
    fn spawn<A: Actor<L>>(&mut self, actor: A) -> L::Address<A>;

    /// Sends a message. Messages of the driver to one actor are handled in the order sent. When this returns the message is
    /// in the receiver's mailbox, or, with datil, in an inbox of the whole runtime, from which a worker puts it there.
    ///
    /// # Panics
    /// If the library can tell that the receiver has stopped.
    fn tell<A: Actor<L>>(&mut self, to: &L::Address<A>, message: A::Message);

    /// Creates an actor that is no part of the benchmark's work and not counted with it, such as one that warms up.
    fn spawn_uncounted<A: Actor<L>>(&mut self, actor: A) -> L::Address<A> {
        self.spawn(actor)
    }

    /// Sends a message that is no part of the benchmark's work and not counted with it: a request to stop where the entry
    /// knows no such message.
    ///
    /// # Panics
    /// If the library can tell that the receiver has stopped.
    fn tell_uncounted<A: Actor<L>>(&mut self, to: &L::Address<A>, message: A::Message) {
        self.tell(to, message);
    }

    /// Lets the actors work for this long. What was sent before is on its way meanwhile.
    fn pause(&mut self, duration: Duration) {
        thread::sleep(duration);
    }
}

/// A piece of driver code, to be run by a library with its own kind of driver.
pub trait Script<L: ActorLibrary> {
    /// Creates the actors and sends the first messages. Does not wait for them.
    fn run(self, driver: &mut impl Driver<L>);
}

/// The counter of messages that were sent to stopped actors. No benchmark does that.
pub const DEAD_LETTERS: &str = "dead_letters";

/// An actor library as the runner sees it: something that can be started, asked and used. Adapters implement it.
pub trait Host: ActorLibrary {
    /// The started library. It lives as long as the process and serves every iteration.
    type System;

    /// Starts the library with exactly `options.workers` threads that execute actors.
    ///
    /// # Errors
    /// A text for the user if the options do not fit the library or the library does not start.
    fn start(options: &Options) -> Result<Self::System, String>;

    /// The number of threads that execute actors, as the library itself tells it.
    fn workers(system: &Self::System) -> usize;

    /// Whether the library came up as its options ask, where that is up to the machine. If not, every iteration is refused as
    /// unsupported: figures under a name that says otherwise would mislead.
    ///
    /// # Errors
    /// Why it did not.
    fn is_as_asked(system: &Self::System) -> Result<(), String> {
        let _ = system;
        Ok(())
    }

    /// Runs `script` on the calling thread. Every actor that comes of it counts `latch` down once, when it has stopped.
    fn drive(system: &mut Self::System, latch: &'static Latch, script: impl Script<Self>);

    /// Whether this system deals actors that hold data ([`Part::Data`]) out to all workers in turn as they are woken.
    ///
    /// # Errors
    /// Why it does not.
    fn deals_out(system: &Self::System) -> Result<(), &'static str> {
        let _ = system;
        Err("the library cannot send a woken actor to a chosen worker")
    }

    /// What the library has counted since it was started, as far as it can tell that at no cost. An iteration reports the
    /// differences as metrics; it fails if [`DEAD_LETTERS`] grew.
    fn counters(system: &Self::System) -> Vec<(&'static str, u64)> {
        let _ = system;
        Vec::new()
    }
}

/// How a library is to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Threads that execute actors, at least 1.
    pub workers: usize,
    /// The scheduling or placement policy; `None` means the library's default.
    pub policy: Option<String>,
    /// Whether the driver may collect what it sends and hand it over in batches. A variant with the label
    /// `sends=deferred`; only for libraries that offer it.
    pub batched: bool,
    /// Whether the memory that workers touch first is to lie on all memory nodes in turn, instead of where it is touched. A
    /// variant with the label `memory=interleaved`; only for libraries that offer it. Whether the machine does is another
    /// matter: [`Host::is_as_asked`].
    pub interleaved: bool,
}

impl Options {
    /// Options with this number of workers and the library's default policy.
    pub fn workers(workers: usize) -> Self {
        Self {
            workers,
            policy: None,
            batched: false,
            interleaved: false,
        }
    }

    /// Refuses a policy, for libraries that have none.
    ///
    /// # Errors
    /// A text for the user if a policy is set.
    pub fn without_policy(&self, library: &str) -> Result<(), String> {
        match &self.policy {
            Some(policy) => Err(format!(
                "{library} has no policies; start it without --policy {policy}"
            )),
            None => Ok(()),
        }
    }
}
