//! Counts actors and messages as a benchmark runs, on any library.
//!
//! [`Counting`] is an actor library that passes everything on to another one. A benchmark over it is compiled apart from
//! the plain ones, so that counting costs a timed iteration nothing. It is compiled only once for all libraries: actors,
//! messages and addresses go through trait objects, and each library sees a single type of actor, [`Erased`]. That is slow,
//! which does not matter here, and saves as much compile time as all plain programs take.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::benchmark::Work;
use crate::library::{Actor, ActorLibrary, Context, Driver};

/// Any library, with counting.
#[derive(Debug)]
pub struct Counting;

impl ActorLibrary for Counting {
    type Address<A: Actor<Self>> = CountedAddress<A>;
}

/// The address of an actor of type `A` in whatever library is underneath.
pub struct CountedAddress<A> {
    /// An address `L::Address<Erased>` of the library `L` underneath.
    inner: Arc<dyn Any + Send + Sync>,
    actor: PhantomData<fn(A)>,
}

impl<A> CountedAddress<A> {
    fn new(inner: Arc<dyn Any + Send + Sync>) -> Self {
        Self {
            inner,
            actor: PhantomData,
        }
    }
}

impl<A> Clone for CountedAddress<A> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.inner))
    }
}

/// Where everybody counts.
#[derive(Debug, Default)]
pub struct Counters {
    actors: AtomicI64,
    messages: AtomicI64,
}

impl Counters {
    /// Takes the counts out, leaving 0.
    pub fn take(&self) -> Work {
        // Relaxed here and below: the latch orders all counting before this.
        Work {
            actors: self.actors.swap(0, Ordering::Relaxed),
            messages: self.messages.swap(0, Ordering::Relaxed),
        }
    }

    fn actor(&self) {
        self.actors.fetch_add(1, Ordering::Relaxed);
    }

    fn message(&self) {
        self.messages.fetch_add(1, Ordering::Relaxed);
    }
}

type AnyAddress = Arc<dyn Any + Send + Sync>;
type AnyMessage = Box<dyn Any + Send>;

/// What the library underneath does for an actor or for the driver.
trait Ground {
    fn myself(&self) -> AnyAddress;
    fn tell(&mut self, to: &(dyn Any + Send + Sync), message: AnyMessage);
    fn spawn(&mut self, actor: Erased) -> AnyAddress;
    fn stop(&mut self);
    fn population(&mut self, actors: i64);
    fn pause(&mut self, duration: Duration);
}

/// The one type of actor that a library sees.
pub struct Erased {
    actor: Box<dyn Behaviour>,
}

trait Behaviour: Send {
    fn started(&mut self, ground: &mut dyn Ground);
    fn handle(&mut self, message: AnyMessage, ground: &mut dyn Ground);
}

impl<L: ActorLibrary> Actor<L> for Erased {
    type Message = AnyMessage;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        self.actor.started(&mut ActorGround {
            cx,
            library: PhantomData::<L>,
        });
    }

    fn handle(&mut self, message: AnyMessage, cx: &mut impl Context<L, Self>) {
        self.actor.handle(
            message,
            &mut ActorGround {
                cx,
                library: PhantomData::<L>,
            },
        );
    }
}

struct ActorGround<'a, L, C> {
    cx: &'a mut C,
    library: PhantomData<L>,
}

impl<L: ActorLibrary, C: Context<L, Erased>> Ground for ActorGround<'_, L, C> {
    fn myself(&self) -> AnyAddress {
        Arc::new(self.cx.myself())
    }

    fn tell(&mut self, to: &(dyn Any + Send + Sync), message: AnyMessage) {
        self.cx.tell(address::<L>(to), message);
    }

    fn spawn(&mut self, actor: Erased) -> AnyAddress {
        Arc::new(self.cx.spawn(actor))
    }

    fn stop(&mut self) {
        self.cx.stop();
    }

    fn population(&mut self, actors: i64) {
        self.cx.population(actors);
    }

    fn pause(&mut self, _: Duration) {
        unreachable!("only the driver pauses")
    }
}

fn address<L: ActorLibrary>(to: &(dyn Any + Send + Sync)) -> &L::Address<Erased> {
    to.downcast_ref().expect("an address of the library that runs")
}

struct DriverGround<'a, L, D> {
    driver: &'a mut D,
    library: PhantomData<L>,
}

impl<L: ActorLibrary, D: Driver<L>> Ground for DriverGround<'_, L, D> {
    fn myself(&self) -> AnyAddress {
        unreachable!("the driver has no address")
    }

    fn tell(&mut self, to: &(dyn Any + Send + Sync), message: AnyMessage) {
        self.driver.tell(address::<L>(to), message);
    }

    fn spawn(&mut self, actor: Erased) -> AnyAddress {
        Arc::new(self.driver.spawn(actor))
    }

    fn stop(&mut self) {
        unreachable!("the driver does not stop")
    }

    fn population(&mut self, _: i64) {
        unreachable!("an actor tells the population")
    }

    fn pause(&mut self, duration: Duration) {
        self.driver.pause(duration);
    }
}

/// An actor of a benchmark, inside [`Erased`].
struct Counted<A> {
    actor: A,
    counters: &'static Counters,
}

impl<A: Actor<Counting>> Behaviour for Counted<A> {
    fn started(&mut self, ground: &mut dyn Ground) {
        self.actor.started(&mut Counter {
            ground,
            counters: self.counters,
        });
    }

    fn handle(&mut self, message: AnyMessage, ground: &mut dyn Ground) {
        let message = message.downcast().expect("addresses are typed");
        self.actor.handle(
            *message,
            &mut Counter {
                ground,
                counters: self.counters,
            },
        );
    }
}

/// The driver of a benchmark over [`Counting`].
pub(crate) type CountingDriver<'a> = Counter<'a>;

/// The context and the driver of a benchmark over [`Counting`].
pub(crate) struct Counter<'a> {
    ground: &'a mut dyn Ground,
    counters: &'static Counters,
}

impl Counter<'_> {
    fn send<B: Actor<Counting>>(&mut self, to: &CountedAddress<B>, message: B::Message) {
        self.counters.message();
        self.send_uncounted(to, message);
    }

    fn send_uncounted<B: Actor<Counting>>(&mut self, to: &CountedAddress<B>, message: B::Message) {
        self.ground.tell(&*to.inner, Box::new(message));
    }

    fn create<B: Actor<Counting>>(&mut self, actor: B) -> CountedAddress<B> {
        self.counters.actor();
        self.create_uncounted(actor)
    }

    fn create_uncounted<B: Actor<Counting>>(&mut self, actor: B) -> CountedAddress<B> {
        let actor = Box::new(Counted {
            actor,
            counters: self.counters,
        });
        CountedAddress::new(self.ground.spawn(Erased { actor }))
    }
}

impl<A: Actor<Counting>> Context<Counting, A> for Counter<'_> {
    fn myself(&self) -> CountedAddress<A> {
        CountedAddress::new(self.ground.myself())
    }

    fn tell<B: Actor<Counting>>(&mut self, to: &CountedAddress<B>, message: B::Message) {
        self.send(to, message);
    }

    fn tell_self(&mut self, message: A::Message) {
        let myself = Context::<Counting, A>::myself(self);
        self.send(&myself, message);
    }

    fn spawn<B: Actor<Counting>>(&mut self, actor: B) -> CountedAddress<B> {
        self.create(actor)
    }

    fn stop(&mut self) {
        self.ground.stop();
    }

    fn population(&mut self, actors: i64) {
        self.ground.population(actors);
    }
}

impl Driver<Counting> for Counter<'_> {
    fn spawn<A: Actor<Counting>>(&mut self, actor: A) -> CountedAddress<A> {
        self.create(actor)
    }

    fn tell<A: Actor<Counting>>(&mut self, to: &CountedAddress<A>, message: A::Message) {
        self.send(to, message);
    }

    fn spawn_uncounted<A: Actor<Counting>>(&mut self, actor: A) -> CountedAddress<A> {
        self.create_uncounted(actor)
    }

    fn tell_uncounted<A: Actor<Counting>>(&mut self, to: &CountedAddress<A>, message: A::Message) {
        self.send_uncounted(to, message);
    }

    fn pause(&mut self, duration: Duration) {
        self.ground.pause(duration);
    }
}

/// Lends a driver of any library to driver code that is to be counted.
pub(crate) fn drive<L: ActorLibrary>(
    driver: &mut impl Driver<L>,
    counters: &'static Counters,
    code: impl FnOnce(&mut CountingDriver<'_>),
) {
    let mut ground = DriverGround {
        driver,
        library: PhantomData::<L>,
    };
    code(&mut Counter {
        ground: &mut ground,
        counters,
    });
}
