//! datil: actors owned by workers.
//!
//! A thread outside the runtime has two ways to send. One by one, every message is in its receiver's mailbox when the send
//! returns, as in the other libraries; this is the plain way. In a client scope datil collects what the thread creates and
//! sends, and hands it over in batches; that is a variant, which [`Options::batched`] asks for.

use std::thread;
use std::time::Duration;

use ::datil::{Address, Client, Runtime};

use crate::library::{Actor, ActorLibrary, Context, DEAD_LETTERS, Driver, Host, Options, Script};
use crate::presence::Resident;
use crate::tools::{Latch, panics};

/// The datil library.
#[derive(Debug)]
pub struct Datil;

/// Names of the scheduling policies, the default first.
pub const POLICIES: [&str; 5] = ::datil::policy::NAMES;

impl ActorLibrary for Datil {
    type Address<A: Actor<Self>> = Address<Resident<A>>;
}

/// A runtime of datil, and how the driver uses it.
#[derive(Debug)]
pub struct System {
    runtime: Runtime,
    batched: bool,
}

impl Host for Datil {
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
        ]
    }
}

struct PlainDriver<'a> {
    runtime: &'a Runtime,
    latch: &'static Latch,
}

impl Driver<Datil> for PlainDriver<'_> {
    fn spawn<A: Actor<Datil>>(&mut self, actor: A) -> Address<Resident<A>> {
        self.runtime.spawn(Resident::new(actor, self.latch))
    }

    fn tell<A: Actor<Datil>>(&mut self, to: &Address<Resident<A>>, message: A::Message) {
        to.tell(message);
    }
}

struct BatchedDriver<'a, 'runtime> {
    client: &'a mut Client<'runtime>,
    latch: &'static Latch,
}

impl Driver<Datil> for BatchedDriver<'_, '_> {
    fn spawn<A: Actor<Datil>>(&mut self, actor: A) -> Address<Resident<A>> {
        self.client.spawn(Resident::new(actor, self.latch))
    }

    fn tell<A: Actor<Datil>>(&mut self, to: &Address<Resident<A>>, message: A::Message) {
        self.client.tell(*to, message);
    }

    fn pause(&mut self, duration: Duration) {
        self.client.flush();
        thread::sleep(duration);
    }
}

impl<A: Actor<Datil>> ::datil::Actor for Resident<A> {
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

/// Lets the actor act, and stops it if it asked for that.
#[inline(always)]
fn act<'a, 'core, A: Actor<Datil>>(
    resident: &mut Resident<A>,
    cx: &'a mut ::datil::Context<'core, Resident<A>>,
    act: impl FnOnce(&mut A, &mut DatilContext<'a, 'core, A>),
) {
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

struct DatilContext<'a, 'core, A: Actor<Datil>> {
    cx: &'a mut ::datil::Context<'core, Resident<A>>,
    latch: &'static Latch,
    stopping: bool,
}

impl<A: Actor<Datil>> Context<Datil, A> for DatilContext<'_, '_, A> {
    fn myself(&self) -> Address<Resident<A>> {
        self.cx.address()
    }

    #[inline(always)]
    fn tell<B: Actor<Datil>>(&mut self, to: &Address<Resident<B>>, message: B::Message) {
        self.cx.tell(*to, message);
    }

    #[inline(always)]
    fn tell_self(&mut self, message: A::Message) {
        self.cx.tell(self.cx.address(), message);
    }

    #[inline(always)]
    fn spawn<B: Actor<Datil>>(&mut self, actor: B) -> Address<Resident<B>> {
        self.cx.spawn(Resident::new(actor, self.latch))
    }

    fn stop(&mut self) {
        self.stopping = true;
    }

    fn population(&mut self, actors: i64) {
        self.latch.tell(actors);
    }
}
