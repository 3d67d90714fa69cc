//! ractor: actors without supervisor or name, on a tokio runtime.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::pin;
use std::task::{self, Poll, Waker};

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
        // ractor finds the runtime through the thread.
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

/// Creates an actor by ractor's normal means. They are asynchronous, since an actor may wait while it starts; those of the
/// suite do not, so that one poll is enough. (ractor calls no handler of an actor whose task has used up tokio's budget.)
///
/// `spawn_instant`, which is made for programs that cannot wait, would cost one task more for each actor.
fn spawn<A: Actor<Ractor>>(actor: A, latch: &'static Latch) -> ActorRef<A::Message> {
    let starting = pin!(ActorRuntime::spawn(
        None,
        Behaviour(PhantomData),
        Resident::new(actor, latch)
    ));
    match starting.poll(&mut task::Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok((address, _task))) => address,
        Poll::Ready(Err(error)) => panic!("an actor did not start: {error}"),
        Poll::Pending => unreachable!("no actor of the suite waits while it starts"),
    }
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use super::*;
    use crate::benchmark::Population;

    /// More than a task of tokio may receive without a break.
    const MESSAGES: i64 = 1000;

    /// Creates an actor for each message, after it has waited until all messages are there.
    struct Parent {
        all_sent: Option<Receiver<()>>,
        left: i64,
    }

    impl<L: ActorLibrary> Actor<L> for Parent {
        type Message = ();

        fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
            if let Some(all_sent) = self.all_sent.take() {
                all_sent.recv().expect("the driver sends");
            }
            let child = cx.spawn(Child);
            cx.tell(&child, ());
            self.left -= 1;
            if self.left == 0 {
                cx.stop();
            }
        }
    }

    struct Child;

    impl<L: ActorLibrary> Actor<L> for Child {
        type Message = ();

        fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
            cx.stop();
        }
    }

    struct Flood {
        all_sent: Sender<()>,
        parent: Parent,
    }

    impl<L: ActorLibrary> Script<L> for Flood {
        fn run(self, driver: &mut impl Driver<L>) {
            let parent = driver.spawn(self.parent);
            for _ in 0..MESSAGES {
                driver.tell(&parent, ());
            }
            self.all_sent.send(()).expect("the parent waits");
        }
    }

    #[test]
    fn one_poll_starts_an_actor_whatever_its_creator_has_received() {
        let latch: &'static Latch = Box::leak(Box::default());
        latch.arm(Population::Known(1 + MESSAGES));
        let (all_sent, waits) = channel();
        let parent = Parent {
            all_sent: Some(waits),
            left: MESSAGES,
        };
        let mut system = Ractor::start(&Options::workers(1)).expect("ractor starts");
        Ractor::drive(&mut system, latch, Flood { all_sent, parent });
        assert_eq!(latch.wait(Some(Duration::from_secs(60))), Ok(Ok(())));
    }
}
