//! datil: actors owned by workers.
//!
//! A thread outside the runtime has two ways to send. One by one, every message is in its receiver's mailbox when the send
//! returns, as in the other libraries; this is the plain way. In a client scope datil collects what the thread creates and
//! sends, and hands it over in batches; that is a variant, which [`Options::batched`] asks for.

use std::thread;
use std::time::Duration;

use ::datil::{Address, Client, Query, QueryContext, Runtime};

use crate::library::{
    Actor, ActorLibrary, Context, DEAD_LETTERS, Driver, Host, Options, Reads, Script, Tell,
};
use crate::presence::Resident;
use crate::tools::{Latch, panics};

/// The datil library. With `QUERIES`, requests that only read are datil's queries, which may run at the same time; that is a variant.
#[derive(Debug)]
pub struct Library<const QUERIES: bool>;

/// Every request is a message.
pub type Datil = Library<false>;

/// Requests that only read are queries.
pub type DatilQueries = Library<true>;

/// Names of the scheduling policies, the default first.
pub const POLICIES: &[&str] = ::datil::policy::NAMES;

impl<const QUERIES: bool> ActorLibrary for Library<QUERIES> {
    type Address<A: Actor<Self>> = Address<Tenant<A, QUERIES>>;
}

/// An actor as datil sees it.
pub struct Tenant<A, const QUERIES: bool>(Resident<A>);

/// A runtime of datil, and how the driver uses it.
#[derive(Debug)]
pub struct System {
    runtime: Runtime,
    batched: bool,
}

impl<const QUERIES: bool> Host for Library<QUERIES> {
    type System = System;

    fn start(options: &Options) -> Result<System, String> {
        panics::remember();
        let policy = options.policy.as_deref().unwrap_or(POLICIES[0]);
        let runtime = Runtime::builder().workers(options.workers).policy(policy).build();
        Ok(System {
            runtime: runtime.map_err(|error| format!("datil: {error}"))?,
            batched: options.batched,
        })
    }

    fn workers(system: &System) -> usize {
        system.runtime.workers()
    }

    fn drive(system: &mut System, latch: &'static Latch, script: impl Script<Self>) {
        let runtime = &system.runtime;
        if system.batched {
            runtime.client(|client| script.run(&mut BatchedDriver { client, latch }));
        } else {
            script.run(&mut PlainDriver { runtime, latch });
        }
    }

    fn counters(system: &System) -> Vec<(&'static str, u64)> {
        let metrics = system.runtime.metrics();
        let total = metrics.total();
        vec![
            ("activations", total.activations),
            ("messages", total.messages),
            ("remote_sends", total.remote_sends),
            (DEAD_LETTERS, total.dead_letters + metrics.outside_dead_letters),
            ("shares", total.shares),
            ("shared_actors", total.shared_actors),
            ("steal_attempts", total.steal_attempts),
            ("steals", total.steals),
            ("adoptions", total.adoptions),
            ("follows", total.follows),
            ("retreats", total.retreats),
            ("rescues", total.rescues),
            ("rescued_actors", total.rescued_actors),
            ("parks", total.parks),
            ("wakes", total.wakes),
            ("helped_queries", total.helped_queries),
        ]
    }
}

struct PlainDriver<'a> {
    runtime: &'a Runtime,
    latch: &'static Latch,
}

impl<const QUERIES: bool> Driver<Library<QUERIES>> for PlainDriver<'_> {
    fn spawn<A: Actor<Library<QUERIES>>>(&mut self, actor: A) -> Address<Tenant<A, QUERIES>> {
        self.runtime.spawn(Tenant(Resident::new(actor, self.latch)))
    }

    fn tell<A: Actor<Library<QUERIES>>>(&mut self, to: &Address<Tenant<A, QUERIES>>, message: A::Message) {
        to.tell(message);
    }
}

struct BatchedDriver<'a, 'runtime> {
    client: &'a mut Client<'runtime>,
    latch: &'static Latch,
}

impl<const QUERIES: bool> Driver<Library<QUERIES>> for BatchedDriver<'_, '_> {
    fn spawn<A: Actor<Library<QUERIES>>>(&mut self, actor: A) -> Address<Tenant<A, QUERIES>> {
        self.client.spawn(Tenant(Resident::new(actor, self.latch)))
    }

    fn tell<A: Actor<Library<QUERIES>>>(&mut self, to: &Address<Tenant<A, QUERIES>>, message: A::Message) {
        self.client.tell(*to, message);
    }

    fn pause(&mut self, duration: Duration) {
        self.client.flush();
        thread::sleep(duration);
    }
}

impl<A: Actor<Library<QUERIES>>, const QUERIES: bool> ::datil::Actor for Tenant<A, QUERIES> {
    type Msg = A::Message;

    #[inline(always)]
    fn started(&mut self, cx: &mut ::datil::Context<'_, Self>) {
        act(self, cx, |actor, cx| actor.started(cx));
    }

    #[inline(always)]
    fn handle(&mut self, message: A::Message, cx: &mut ::datil::Context<'_, Self>) {
        act(self, cx, |actor, cx| actor.handle(message, cx));
    }
}

/// A request that only reads.
pub struct Request<Q>(Q);

impl<A, const QUERIES: bool> Query<Request<A::Query>> for Tenant<A, QUERIES>
where
    A: Reads<Library<QUERIES>>,
{
    #[inline(always)]
    fn query(&self, Request(query): Request<A::Query>, cx: &mut QueryContext<'_, Self>) {
        self.0.read(|actor| actor.read(query, &mut Reader(cx)));
    }
}

struct Reader<'a, 'core, A: Actor<Library<QUERIES>>, const QUERIES: bool>(
    &'a mut QueryContext<'core, Tenant<A, QUERIES>>,
);

impl<A: Actor<Library<QUERIES>>, const QUERIES: bool> Tell<Library<QUERIES>> for Reader<'_, '_, A, QUERIES> {
    #[inline(always)]
    fn tell<B: Actor<Library<QUERIES>>>(&mut self, to: &Address<Tenant<B, QUERIES>>, message: B::Message) {
        self.0.tell(*to, message);
    }
}

/// Lets the actor act, and stops it if it asked for that.
#[inline(always)]
fn act<'a, 'core, A: Actor<Library<QUERIES>>, const QUERIES: bool>(
    tenant: &mut Tenant<A, QUERIES>,
    cx: &'a mut ::datil::Context<'core, Tenant<A, QUERIES>>,
    act: impl FnOnce(&mut A, &mut DatilContext<'a, 'core, A, QUERIES>),
) {
    let Tenant(resident) = tenant;
    let latch = resident.latch();
    let mut own = DatilContext {
        cx,
        latch,
        stopping: false,
    };
    resident.act(|actor| act(actor, &mut own));
    if own.stopping {
        own.cx.stop();
        resident.mark_stopped();
    }
}

struct DatilContext<'a, 'core, A: Actor<Library<QUERIES>>, const QUERIES: bool> {
    cx: &'a mut ::datil::Context<'core, Tenant<A, QUERIES>>,
    latch: &'static Latch,
    stopping: bool,
}

impl<A, const QUERIES: bool> Context<Library<QUERIES>, A> for DatilContext<'_, '_, A, QUERIES>
where
    A: Actor<Library<QUERIES>>,
{
    fn myself(&self) -> Address<Tenant<A, QUERIES>> {
        self.cx.address()
    }

    #[inline(always)]
    fn tell<B: Actor<Library<QUERIES>>>(&mut self, to: &Address<Tenant<B, QUERIES>>, message: B::Message) {
        self.cx.tell(*to, message);
    }

    #[inline(always)]
    fn tell_self(&mut self, message: A::Message) {
        self.cx.tell(self.cx.address(), message);
    }

    #[inline(always)]
    fn query<B: Reads<Library<QUERIES>>>(&mut self, to: &Address<Tenant<B, QUERIES>>, query: B::Query) {
        if QUERIES {
            self.cx.query(*to, Request(query));
        } else {
            self.cx.tell(*to, query.into());
        }
    }

    #[inline(always)]
    fn spawn<B: Actor<Library<QUERIES>>>(&mut self, actor: B) -> Address<Tenant<B, QUERIES>> {
        self.cx.spawn(Tenant(Resident::new(actor, self.latch)))
    }

    fn stop(&mut self) {
        self.stopping = true;
    }

    fn population(&mut self, actors: i64) {
        self.latch.tell(actors);
    }
}
