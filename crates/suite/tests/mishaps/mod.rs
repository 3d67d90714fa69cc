//! Damage to any benchmark on any library, from outside: one message is lost, or one handler panics.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use suite::benchmark::{Outcome, Phase, Phased, Population};
use suite::library::{Actor, ActorLibrary, Context, Driver};
use suite::parameters::{Arguments, Parameter, Relation};

/// The kinds of damage, as values of a const parameter.
pub struct Damage;

impl Damage {
    pub const LOSS: u8 = 0;
    pub const PANIC: u8 = 1;
}

/// Benchmark `B`, in which the `N`th message (from 1) is lost, or its handling panics.
pub struct Damaged<B, const DAMAGE: u8, const N: i64>(B);

/// The benchmark's own report, and how many messages there were so far.
#[derive(Default)]
pub struct Report<R> {
    own: R,
    messages: AtomicI64,
}

impl<B: Phased, const DAMAGE: u8, const N: i64> Phased for Damaged<B, DAMAGE, N> {
    const NAME: &'static str = B::NAME;
    const PARAMETERS: &'static [Parameter] = B::PARAMETERS;
    const RELATIONS: &'static [Relation] = B::RELATIONS;
    const CHECK_STEPS: usize = B::CHECK_STEPS;
    type Report = Report<B::Report>;
    type Prepared<L: ActorLibrary> = B::Prepared<Faulty<L, DAMAGE, N>>;

    fn new(arguments: &Arguments) -> Self {
        Self(B::new(arguments))
    }

    fn stops(&self, phase: Phase) -> Population {
        self.0.stops(phase)
    }

    fn setup<L: ActorLibrary>(
        &self,
        driver: &mut impl Driver<L>,
        report: &'static Self::Report,
    ) -> Self::Prepared<L> {
        self.0
            .setup::<Faulty<L, DAMAGE, N>>(&mut report.faulty(driver), &report.own)
    }

    fn run<L: ActorLibrary>(
        &self,
        prepared: &mut Self::Prepared<L>,
        driver: &mut impl Driver<L>,
        report: &'static Self::Report,
    ) {
        self.0
            .run::<Faulty<L, DAMAGE, N>>(prepared, &mut report.faulty(driver), &report.own);
    }

    fn check<L: ActorLibrary>(
        &self,
        step: usize,
        prepared: &mut Self::Prepared<L>,
        driver: &mut impl Driver<L>,
        report: &'static Self::Report,
    ) {
        let driver = &mut report.faulty(driver);
        self.0
            .check::<Faulty<L, DAMAGE, N>>(step, prepared, driver, &report.own);
    }

    fn outcome(&self, report: &Self::Report) -> Result<Outcome, String> {
        report.messages.store(0, Ordering::Relaxed);
        self.0.outcome(&report.own)
    }
}

impl<R> Report<R> {
    fn faulty<'a, D, const DAMAGE: u8, const N: i64>(
        &'static self,
        inner: &'a mut D,
    ) -> FaultyDriver<'a, D, DAMAGE, N> {
        let messages = &self.messages;
        FaultyDriver {
            inner,
            fault: Fault { messages },
        }
    }
}

#[derive(Clone, Copy)]
struct Fault<const DAMAGE: u8, const N: i64> {
    messages: &'static AtomicI64,
}

impl<const DAMAGE: u8, const N: i64> Fault<DAMAGE, N> {
    fn strikes(&self, damage: u8) -> bool {
        DAMAGE == damage && self.messages.fetch_add(1, Ordering::Relaxed) + 1 == N
    }
}

pub struct Faulty<L, const DAMAGE: u8, const N: i64>(PhantomData<L>);

impl<L: ActorLibrary, const DAMAGE: u8, const N: i64> ActorLibrary for Faulty<L, DAMAGE, N> {
    type Address<A: Actor<Self>> = L::Address<Victim<A, DAMAGE, N>>;
}

pub struct Victim<A, const DAMAGE: u8, const N: i64> {
    actor: A,
    fault: Fault<DAMAGE, N>,
}

impl<L, A, const DAMAGE: u8, const N: i64> Actor<L> for Victim<A, DAMAGE, N>
where
    L: ActorLibrary,
    A: Actor<Faulty<L, DAMAGE, N>>,
{
    type Message = A::Message;

    fn started(&mut self, cx: &mut impl Context<L, Self>) {
        self.actor.started(&mut FaultyContext {
            inner: cx,
            fault: self.fault,
        });
    }

    fn handle(&mut self, message: A::Message, cx: &mut impl Context<L, Self>) {
        assert!(!self.fault.strikes(Damage::PANIC), "planted panic");
        self.actor.handle(
            message,
            &mut FaultyContext {
                inner: cx,
                fault: self.fault,
            },
        );
    }
}

struct FaultyContext<'a, C, const DAMAGE: u8, const N: i64> {
    inner: &'a mut C,
    fault: Fault<DAMAGE, N>,
}

impl<L, A, C, const DAMAGE: u8, const N: i64> Context<Faulty<L, DAMAGE, N>, A>
    for FaultyContext<'_, C, DAMAGE, N>
where
    L: ActorLibrary,
    A: Actor<Faulty<L, DAMAGE, N>>,
    C: Context<L, Victim<A, DAMAGE, N>>,
{
    fn myself(&self) -> L::Address<Victim<A, DAMAGE, N>> {
        self.inner.myself()
    }

    fn tell<B: Actor<Faulty<L, DAMAGE, N>>>(
        &mut self,
        to: &L::Address<Victim<B, DAMAGE, N>>,
        message: B::Message,
    ) {
        if !self.fault.strikes(Damage::LOSS) {
            self.inner.tell(to, message);
        }
    }

    fn tell_self(&mut self, message: A::Message) {
        if !self.fault.strikes(Damage::LOSS) {
            self.inner.tell_self(message);
        }
    }

    fn spawn<B: Actor<Faulty<L, DAMAGE, N>>>(&mut self, actor: B) -> L::Address<Victim<B, DAMAGE, N>> {
        self.inner.spawn(Victim {
            actor,
            fault: self.fault,
        })
    }

    fn stop(&mut self) {
        self.inner.stop();
    }

    fn population(&mut self, actors: i64) {
        self.inner.population(actors);
    }
}

struct FaultyDriver<'a, D, const DAMAGE: u8, const N: i64> {
    inner: &'a mut D,
    fault: Fault<DAMAGE, N>,
}

impl<L, D, const DAMAGE: u8, const N: i64> Driver<Faulty<L, DAMAGE, N>> for FaultyDriver<'_, D, DAMAGE, N>
where
    L: ActorLibrary,
    D: Driver<L>,
{
    fn spawn<A: Actor<Faulty<L, DAMAGE, N>>>(&mut self, actor: A) -> L::Address<Victim<A, DAMAGE, N>> {
        self.inner.spawn(Victim {
            actor,
            fault: self.fault,
        })
    }

    fn tell<A: Actor<Faulty<L, DAMAGE, N>>>(
        &mut self,
        to: &L::Address<Victim<A, DAMAGE, N>>,
        message: A::Message,
    ) {
        if !self.fault.strikes(Damage::LOSS) {
            self.inner.tell(to, message);
        }
    }

    fn pause(&mut self, duration: Duration) {
        self.inner.pause(duration);
    }
}
