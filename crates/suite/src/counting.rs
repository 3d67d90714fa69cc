//! Counts actors and messages as a benchmark runs, on any library.
//!
//! [`Counting<L>`] is an actor library that passes everything on to `L`. A benchmark over it is compiled apart from the
//! plain one, so that counting costs a timed iteration nothing.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::benchmark::{Benchmark, Work};
use crate::library::{Actor, ActorLibrary, Context, Driver, Script};

/// The library `L` with counting.
#[derive(Debug)]
pub struct Counting<L>(PhantomData<L>);

impl<L: ActorLibrary> ActorLibrary for Counting<L> {
    type Address<A: Actor<Self>> = L::Address<Counted<A>>;
}

/// Where the wrapped actors count.
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

/// An actor that counts what it creates and sends.
#[derive(Debug)]
pub struct Counted<A> {
    actor: A,
    counters: &'static Counters,
}

impl<L: ActorLibrary, A: Actor<Counting<L>>> Actor<L> for Counted<A> {
    type Message = A::Message;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        self.actor.started(&mut CountingContext {
            inner: cx,
            counters: self.counters,
        });
    }

    fn handle(&mut self, message: A::Message, cx: &mut impl Context<L, Self>) {
        self.actor.handle(
            message,
            &mut CountingContext {
                inner: cx,
                counters: self.counters,
            },
        );
    }
}

struct CountingContext<'a, C> {
    inner: &'a mut C,
    counters: &'static Counters,
}

impl<L, A, C> Context<Counting<L>, A> for CountingContext<'_, C>
where
    L: ActorLibrary,
    A: Actor<Counting<L>>,
    C: Context<L, Counted<A>>,
{
    fn myself(&self) -> L::Address<Counted<A>> {
        self.inner.myself()
    }

    fn tell<B: Actor<Counting<L>>>(&mut self, to: &L::Address<Counted<B>>, message: B::Message) {
        self.counters.message();
        self.inner.tell(to, message);
    }

    fn tell_self(&mut self, message: A::Message) {
        self.counters.message();
        self.inner.tell_self(message);
    }

    fn spawn<B: Actor<Counting<L>>>(&mut self, actor: B) -> L::Address<Counted<B>> {
        self.counters.actor();
        self.inner.spawn(Counted {
            actor,
            counters: self.counters,
        })
    }

    fn stop(&mut self) {
        self.inner.stop();
    }
}

struct CountingDriver<'a, D> {
    inner: &'a mut D,
    counters: &'static Counters,
}

impl<L: ActorLibrary, D: Driver<L>> Driver<Counting<L>> for CountingDriver<'_, D> {
    fn spawn<A: Actor<Counting<L>>>(&mut self, actor: A) -> L::Address<Counted<A>> {
        self.counters.actor();
        self.inner.spawn(Counted {
            actor,
            counters: self.counters,
        })
    }

    fn tell<A: Actor<Counting<L>>>(&mut self, to: &L::Address<Counted<A>>, message: A::Message) {
        self.counters.message();
        self.inner.tell(to, message);
    }
}

/// Runs a benchmark's driver code over [`Counting<L>`] on a driver of `L`.
pub(crate) struct CountedScript<'a, B: Benchmark> {
    pub(crate) benchmark: &'a B,
    pub(crate) report: &'static B::Report,
    pub(crate) counters: &'static Counters,
}

impl<L: ActorLibrary, B: Benchmark> Script<L> for CountedScript<'_, B> {
    fn run(self, driver: &mut impl Driver<L>) {
        let mut driver = CountingDriver {
            inner: driver,
            counters: self.counters,
        };
        self.benchmark.run::<Counting<L>>(&mut driver, self.report);
    }
}
