//! Damage to any benchmark on any library, from outside: one message is lost, or one handler panics.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use suite::library::{Actor, ActorLibrary, Context, Driver, Host, Options, Script};
use suite::tools::Latch;

/// The kinds of damage.
#[derive(Clone, Copy, PartialEq)]
pub enum Damage {
    None,
    Loss,
    Panic,
}

/// What is to happen to which message, counted from 1.
pub struct Fault {
    damage: Damage,
    at: i64,
    messages: AtomicI64,
}

impl Fault {
    fn strikes(&self, damage: Damage) -> bool {
        self.damage == damage && self.messages.fetch_add(1, Ordering::Relaxed) + 1 == self.at
    }
}

/// The library `L`, with a fault.
pub struct Faulty<L>(PhantomData<L>);

impl<L: ActorLibrary> ActorLibrary for Faulty<L> {
    type Address<A: Actor<Self>> = L::Address<Victim<A>>;
}

/// A started library that will do damage once.
pub struct System<L: Host> {
    inner: L::System,
    fault: &'static Fault,
}

impl<L: Host> System<L> {
    /// A library in which the message number `at` meets with `damage`.
    pub fn start(workers: usize, damage: Damage, at: i64) -> Self {
        let messages = AtomicI64::new(0);
        Self {
            inner: L::start(&Options::workers(workers)).expect("the library starts"),
            fault: Box::leak(Box::new(Fault { damage, at, messages })),
        }
    }
}

impl<L: Host> Host for Faulty<L> {
    type System = System<L>;

    fn start(_: &Options) -> Result<System<L>, String> {
        unreachable!("tests start it with the damage that they want")
    }

    fn workers(system: &System<L>) -> usize {
        L::workers(&system.inner)
    }

    fn drive(system: &mut System<L>, latch: &'static Latch, script: impl Script<Self>) {
        let fault = system.fault;
        L::drive(&mut system.inner, latch, FaultyScript { script, fault });
    }

    fn counters(system: &System<L>) -> Vec<(&'static str, u64)> {
        L::counters(&system.inner)
    }
}

struct FaultyScript<S> {
    script: S,
    fault: &'static Fault,
}

impl<L: ActorLibrary, S: Script<Faulty<L>>> Script<L> for FaultyScript<S> {
    fn run(self, driver: &mut impl Driver<L>) {
        self.script.run(&mut FaultyDriver {
            inner: driver,
            fault: self.fault,
        });
    }
}

pub struct Victim<A> {
    actor: A,
    fault: &'static Fault,
}

impl<L: ActorLibrary, A: Actor<Faulty<L>>> Actor<L> for Victim<A> {
    type Message = A::Message;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        self.actor.started(&mut FaultyContext {
            inner: cx,
            fault: self.fault,
        });
    }

    fn handle(&mut self, message: A::Message, cx: &mut impl Context<L, Self>) {
        if self.fault.strikes(Damage::Panic) {
            // Unwinding would drop it before the latch hears of the panic, and with the last address of an actor some
            // libraries end that actor.
            std::mem::forget(message);
            panic!("planted panic");
        }
        self.actor.handle(
            message,
            &mut FaultyContext {
                inner: cx,
                fault: self.fault,
            },
        );
    }
}

struct FaultyContext<'a, C> {
    inner: &'a mut C,
    fault: &'static Fault,
}

impl<L, A, C> Context<Faulty<L>, A> for FaultyContext<'_, C>
where
    L: ActorLibrary,
    A: Actor<Faulty<L>>,
    C: Context<L, Victim<A>>,
{
    fn myself(&self) -> L::Address<Victim<A>> {
        self.inner.myself()
    }

    fn tell<B: Actor<Faulty<L>>>(&mut self, to: &L::Address<Victim<B>>, message: B::Message) {
        if !self.fault.strikes(Damage::Loss) {
            self.inner.tell(to, message);
        }
    }

    fn tell_self(&mut self, message: A::Message) {
        if !self.fault.strikes(Damage::Loss) {
            self.inner.tell_self(message);
        }
    }

    fn spawn<B: Actor<Faulty<L>>>(&mut self, actor: B) -> L::Address<Victim<B>> {
        let fault = self.fault;
        self.inner.spawn(Victim { actor, fault })
    }

    fn stop(&mut self) {
        self.inner.stop();
    }

    fn population(&mut self, actors: i64) {
        self.inner.population(actors);
    }
}

struct FaultyDriver<'a, D> {
    inner: &'a mut D,
    fault: &'static Fault,
}

impl<L: ActorLibrary, D: Driver<L>> Driver<Faulty<L>> for FaultyDriver<'_, D> {
    fn spawn<A: Actor<Faulty<L>>>(&mut self, actor: A) -> L::Address<Victim<A>> {
        let fault = self.fault;
        self.inner.spawn(Victim { actor, fault })
    }

    fn tell<A: Actor<Faulty<L>>>(&mut self, to: &L::Address<Victim<A>>, message: A::Message) {
        if !self.fault.strikes(Damage::Loss) {
            self.inner.tell(to, message);
        }
    }

    fn pause(&mut self, duration: Duration) {
        self.inner.pause(duration);
    }
}
