//! kameo: actors with unbounded mailboxes, without supervisor, on a tokio runtime.

use std::convert::Infallible;

use ::kameo::actor::{ActorRef, Spawn};
use ::kameo::mailbox;
use ::kameo::message::{Context as KameoMessageContext, Message};
use ::tokio::runtime::Runtime;

use super::tokio::multi_threaded;
use crate::library::{Actor, ActorLibrary, Context, Driver, Host, Options, Script};
use crate::presence::{Resident, refused};
use crate::tools::Latch;

/// The kameo library.
#[derive(Debug)]
pub struct Kameo;

impl ActorLibrary for Kameo {
    type Address<A: Actor<Self>> = ActorRef<Resident<A>>;
}

impl Host for Kameo {
    type System = Runtime;

    fn start(options: &Options) -> Result<Runtime, String> {
        options.without_policy("kameo")?;
        multi_threaded(options.workers)
    }

    fn workers(system: &Runtime) -> usize {
        system.metrics().num_workers()
    }

    fn drive(system: &mut Runtime, latch: &'static Latch, script: impl Script<Self>) {
        // `spawn_with_mailbox` finds the runtime through the thread.
        let _runtime = system.enter();
        script.run(&mut KameoDriver { latch });
    }
}

struct KameoDriver {
    latch: &'static Latch,
}

impl Driver<Kameo> for KameoDriver {
    #[inline(always)]
    fn spawn<A: Actor<Kameo>>(&mut self, actor: A) -> ActorRef<Resident<A>> {
        spawn(actor, self.latch)
    }

    #[inline(always)]
    fn tell<A: Actor<Kameo>>(&mut self, to: &ActorRef<Resident<A>>, message: A::Message) {
        deliver(to, message);
    }
}

/// kameo's default mailbox holds 64 messages and then refuses; the conventions ask for unbounded ones.
fn spawn<A: Actor<Kameo>>(actor: A, latch: &'static Latch) -> ActorRef<Resident<A>> {
    Resident::spawn_with_mailbox(Resident::new(actor, latch), mailbox::unbounded())
}

#[inline(always)]
fn deliver<A: Actor<Kameo>, K: Into<A::Message> + Send + 'static>(to: &ActorRef<Resident<A>>, message: K) {
    if let Err(error) = to.tell(Letter(message)).try_send() {
        refused(error)
    }
}

impl<A: Actor<Kameo>> ::kameo::Actor for Resident<A> {
    type Args = Self;
    type Error = Infallible;

    async fn on_start(mut resident: Self, myself: ActorRef<Self>) -> Result<Self, Infallible> {
        let mut cx = KameoContext {
            myself: &myself,
            latch: resident.latch(),
            stopping: false,
        };
        resident.act(|actor| actor.started(&mut cx));
        assert!(!cx.stopping, "kameo cannot stop an actor in its start hook");
        Ok(resident)
    }
}

/// A message of the suite, or one kind of it, as a message of kameo.
struct Letter<K>(K);

impl<A: Actor<Kameo>, K: Into<A::Message> + Send + 'static> Message<Letter<K>> for Resident<A> {
    type Reply = ();

    async fn handle(&mut self, Letter(message): Letter<K>, cx: &mut KameoMessageContext<Self, ()>) {
        let mut own = KameoContext {
            myself: cx.actor_ref(),
            latch: self.latch(),
            stopping: false,
        };
        self.act(|actor| actor.handle(message.into(), &mut own));
        if own.stopping {
            self.mark_stopped();
            cx.stop();
        }
    }
}

struct KameoContext<'a, A: Actor<Kameo>> {
    myself: &'a ActorRef<Resident<A>>,
    latch: &'static Latch,
    stopping: bool,
}

impl<A: Actor<Kameo>> Context<Kameo, A> for KameoContext<'_, A> {
    #[inline(always)]
    fn myself(&self) -> ActorRef<Resident<A>> {
        self.myself.clone()
    }

    #[inline(always)]
    fn tell<B: Actor<Kameo>>(&mut self, to: &ActorRef<Resident<B>>, message: B::Message) {
        deliver(to, message);
    }

    #[inline(always)]
    fn tell_self(&mut self, message: A::Message) {
        deliver(self.myself, message);
    }

    #[inline(always)]
    fn tell_kind<B: Actor<Kameo>, K: Into<B::Message> + Send + 'static>(
        &mut self,
        to: &ActorRef<Resident<B>>,
        kind: K,
    ) {
        deliver(to, kind);
    }

    #[inline(always)]
    fn tell_self_kind<K: Into<A::Message> + Send + 'static>(&mut self, kind: K) {
        deliver(self.myself, kind);
    }

    #[inline(always)]
    fn spawn<B: Actor<Kameo>>(&mut self, actor: B) -> ActorRef<Resident<B>> {
        spawn(actor, self.latch)
    }

    #[inline(always)]
    fn stop(&mut self) {
        self.stopping = true;
    }

    fn population(&mut self, actors: i64) {
        self.latch.tell(actors);
    }
}
