//! ractor: actors without supervisor or name, on a tokio runtime.

use std::marker::PhantomData;

use ::ractor::{ActorProcessingErr, ActorRef, ActorRuntime};
use ::tokio::runtime::Runtime;

use super::tokio::multi_threaded;
use crate::library::{Actor, ActorLibrary, Context, Driver, Host, Options, Script};
use crate::presence::{Resident, refused};
use crate::tools::Latch;

/// The ractor library.
#[derive(Debug)]
pub struct Ractor;

impl ActorLibrary for Ractor {
    type Address<A: Actor<Self>> = ActorRef<A::Message>;
}

impl Host for Ractor {
    type System = Runtime;

    fn start(options: &Options) -> Result<Runtime, String> {
        options.without_policy("ractor")?;
        multi_threaded(options.workers)
    }

    fn workers(system: &Runtime) -> usize {
        system.metrics().num_workers()
    }

    fn drive(system: &mut Runtime, latch: &'static Latch, script: impl Script<Self>) {
        // `spawn_instant` finds the runtime through the thread.
        let _runtime = system.enter();
        script.run(&mut RactorDriver { latch });
    }
}

struct RactorDriver {
    latch: &'static Latch,
}

impl Driver<Ractor> for RactorDriver {
    #[inline(always)]
    fn spawn<A: Actor<Ractor>>(&mut self, actor: A) -> ActorRef<A::Message> {
        spawn(actor, self.latch)
    }

    #[inline(always)]
    fn tell<A: Actor<Ractor>>(&mut self, to: &ActorRef<A::Message>, message: A::Message) {
        deliver(to, message);
    }
}

fn spawn<A: Actor<Ractor>>(actor: A, latch: &'static Latch) -> ActorRef<A::Message> {
    let (address, _task) =
        ActorRuntime::spawn_instant(None, Behaviour(PhantomData), Resident::new(actor, latch))
            .expect("only an actor with a name can fail to start");
    address
}

#[inline(always)]
fn deliver<M: ::ractor::Message>(to: &ActorRef<M>, message: M) {
    if let Err(error) = to.send_message(message) {
        refused(error)
    }
}

/// ractor separates behaviour and state; the behaviour of actors of type `A` is empty.
struct Behaviour<A>(PhantomData<fn() -> A>);

impl<A: Actor<Ractor>> ::ractor::Actor for Behaviour<A> {
    type Msg = A::Message;
    type State = Resident<A>;
    type Arguments = Resident<A>;

    async fn pre_start(
        &self,
        myself: ActorRef<A::Message>,
        mut resident: Resident<A>,
    ) -> Result<Resident<A>, ActorProcessingErr> {
        let mut cx = RactorContext::<A>::new(&myself, &resident);
        resident.act(|actor| actor.started(&mut cx));
        cx.settle(&mut resident);
        Ok(resident)
    }

    async fn handle(
        &self,
        myself: ActorRef<A::Message>,
        message: A::Message,
        resident: &mut Resident<A>,
    ) -> Result<(), ActorProcessingErr> {
        let mut cx = RactorContext::<A>::new(&myself, resident);
        resident.act(|actor| actor.handle(message, &mut cx));
        cx.settle(resident);
        Ok(())
    }
}

struct RactorContext<'a, A: Actor<Ractor>> {
    myself: &'a ActorRef<A::Message>,
    latch: &'static Latch,
    stopping: bool,
}

impl<'a, A: Actor<Ractor>> RactorContext<'a, A> {
    #[inline(always)]
    fn new(myself: &'a ActorRef<A::Message>, resident: &Resident<A>) -> Self {
        Self {
            myself,
            latch: resident.latch(),
            stopping: false,
        }
    }

    /// Stops the actor if it asked for that. The stop overtakes the messages that are waiting.
    #[inline(always)]
    fn settle(self, resident: &mut Resident<A>) {
        if self.stopping {
            resident.mark_stopped();
            self.myself.stop(None);
        }
    }
}

impl<A: Actor<Ractor>> Context<Ractor, A> for RactorContext<'_, A> {
    #[inline(always)]
    fn myself(&self) -> ActorRef<A::Message> {
        self.myself.clone()
    }

    #[inline(always)]
    fn tell<B: Actor<Ractor>>(&mut self, to: &ActorRef<B::Message>, message: B::Message) {
        deliver(to, message);
    }

    #[inline(always)]
    fn tell_self(&mut self, message: A::Message) {
        deliver(self.myself, message);
    }

    #[inline(always)]
    fn spawn<B: Actor<Ractor>>(&mut self, actor: B) -> ActorRef<B::Message> {
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
