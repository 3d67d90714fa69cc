//! datil: actors owned by workers.
//!
//! A thread outside the runtime has two ways to send. One by one, each message is published when its send returns, in the
//! order sent: it stands in an inbox that all of the runtime has in common, from which a worker puts it into its receiver's
//! mailbox (the other libraries put it there before the send returns). This is the plain way. In a client scope datil collects
//! what the thread creates and sends, and hands it over in batches; that is a variant, which [`Options::batched`] asks for.
//! Another is memory on all nodes in turn, which [`Options::interleaved`] asks for and not every machine offers.

use std::marker::PhantomData;
use std::thread;
use std::time::Duration;

use ::datil::policy::{ClsDealt, Policy, Role};
use ::datil::{Address, BuildError, Builder, Client, Memory, Query, QueryContext, Runtime};

use crate::library::{
    Actor, ActorLibrary, Context, DEAD_LETTERS, Driver, Host, Options, Part, Reads, Script, Tell,
};
use crate::presence::Resident;
use crate::tools::{Latch, panics};

/// The datil library, used in one of the ways below.
#[derive(Debug)]
pub struct Library<W>(PhantomData<W>);

/// Every request is a plain message.
pub type Datil = Library<Plain>;

/// Requests that only read are datil's queries, which may run at the same time; a variant.
pub type DatilQueries = Library<Queries>;

/// Messages that a benchmark calls urgent overtake others; a variant.
pub type DatilUrgent = Library<Urgent>;

/// What of datil a benchmark uses beyond plain messages.
pub trait Way: Send + Sync + 'static {
    /// Whether requests that only read are queries.
    const QUERIES: bool = false;
    /// Whether urgent messages are sent as such.
    const URGENT: bool = false;
}

/// See [`Datil`].
#[derive(Debug)]
pub struct Plain;

/// See [`DatilQueries`].
#[derive(Debug)]
pub struct Queries;

/// See [`DatilUrgent`].
#[derive(Debug)]
pub struct Urgent;

impl Way for Plain {}

impl Way for Queries {
    const QUERIES: bool = true;
}

impl Way for Urgent {
    const URGENT: bool = true;
}

/// Names of the scheduling policies, the default first.
pub const POLICIES: &[&str] = ::datil::policy::NAMES;

impl<W: Way> ActorLibrary for Library<W> {
    type Address<A: Actor<Self>> = Address<Tenant<A, W>>;
}

/// An actor as datil sees it.
pub struct Tenant<A, W> {
    resident: Resident<A>,
    way: PhantomData<fn() -> W>,
}

impl<A, W> Tenant<A, W> {
    fn new(actor: A, latch: &'static Latch) -> Self {
        Self {
            resident: Resident::new(actor, latch),
            way: PhantomData,
        }
    }
}

/// A runtime of datil, and how the driver uses it.
#[derive(Debug)]
pub struct System {
    runtime: Runtime,
    batched: bool,
    /// Why memory is not interleaved although the options ask for it.
    not_interleaved: Option<String>,
}

impl System {
    fn new(runtime: Runtime, options: &Options) -> Self {
        Self {
            runtime,
            batched: options.batched,
            not_interleaved: None,
        }
    }

    /// A runtime with interleaved memory. Where the machine refuses that, it is one without, which says so: the laboratory
    /// is to hear the reason, and a library that does not come up cannot tell it.
    fn interleaved(builder: impl Fn() -> Builder, options: &Options) -> Result<Self, BuildError> {
        let refused = match builder().memory(Memory::Interleaved).build() {
            Ok(runtime) => {
                let mut workers = runtime.placement().workers.iter();
                let reason = workers.find_map(|worker| worker.interleaved.clone().err());
                return Ok(Self {
                    not_interleaved: reason.map(|reason| format!("memory is not interleaved: {reason}")),
                    ..Self::new(runtime, options)
                });
            }
            Err(BuildError::Placement { reason, .. }) => reason,
            Err(error) => return Err(error),
        };
        Ok(Self {
            not_interleaved: Some(refused),
            ..Self::new(builder().build()?, options)
        })
    }
}

impl<W: Way> Host for Library<W> {
    type System = System;

    fn start(options: &Options) -> Result<System, String> {
        panics::remember();
        let policy = options.policy.as_deref().unwrap_or(POLICIES[0]);
        let builder = || Runtime::builder().workers(options.workers).policy(policy);
        let system = if options.interleaved {
            System::interleaved(builder, options)
        } else {
            builder().build().map(|runtime| System::new(runtime, options))
        };
        system.map_err(|error| format!("datil: {error}"))
    }

    fn workers(system: &System) -> usize {
        system.runtime.workers()
    }

    fn is_as_asked(system: &System) -> Result<(), String> {
        system.not_interleaved.clone().map_or(Ok(()), Err)
    }

    fn drive(system: &mut System, latch: &'static Latch, script: impl Script<Self>) {
        let runtime = &system.runtime;
        if system.batched {
            runtime.client(|client| script.run(&mut BatchedDriver { client, latch }));
        } else {
            script.run(&mut PlainDriver { runtime, latch });
        }
    }

    fn deals_out(system: &System) -> Result<(), &'static str> {
        if system.runtime.policy() == ClsDealt::NAME {
            Ok(())
        } else {
            Err("datil deals woken actors out only with the policy cls-dealt")
        }
    }

    fn counters(system: &System) -> Vec<(&'static str, u64)> {
        let metrics = system.runtime.metrics();
        let total = metrics.total();
        let mut counters = vec![
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
            ("routed_actors", total.routed_actors),
        ];
        // Where these are not counted they are not 0: only policies with homes do, and only with workers on several nodes.
        if total.near_activations + total.far_activations > 0 {
            counters.extend([
                ("near_activations", total.near_activations),
                ("far_activations", total.far_activations),
                ("far_steals", total.far_steals),
            ]);
        }
        counters
    }
}

struct PlainDriver<'a> {
    runtime: &'a Runtime,
    latch: &'static Latch,
}

impl<W: Way> Driver<Library<W>> for PlainDriver<'_> {
    fn spawn<A: Actor<Library<W>>>(&mut self, actor: A) -> Address<Tenant<A, W>> {
        self.runtime.spawn(Tenant::new(actor, self.latch))
    }

    fn tell<A: Actor<Library<W>>>(&mut self, to: &Address<Tenant<A, W>>, message: A::Message) {
        to.tell(message);
    }
}

struct BatchedDriver<'a, 'runtime> {
    client: &'a mut Client<'runtime>,
    latch: &'static Latch,
}

impl<W: Way> Driver<Library<W>> for BatchedDriver<'_, '_> {
    fn spawn<A: Actor<Library<W>>>(&mut self, actor: A) -> Address<Tenant<A, W>> {
        self.client.spawn(Tenant::new(actor, self.latch))
    }

    fn tell<A: Actor<Library<W>>>(&mut self, to: &Address<Tenant<A, W>>, message: A::Message) {
        self.client.tell(*to, message);
    }

    fn pause(&mut self, duration: Duration) {
        self.client.flush();
        thread::sleep(duration);
    }
}

impl<A: Actor<Library<W>>, W: Way> ::datil::Actor for Tenant<A, W> {
    type Msg = A::Message;

    const HINT: Role = match A::PART {
        Part::Untold => Role::Untold,
        Part::Coordinator => Role::Coordinator,
        Part::Data => Role::Data,
    };

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

impl<A, W: Way> Query<Request<A::Query>> for Tenant<A, W>
where
    A: Reads<Library<W>>,
{
    #[inline(always)]
    fn query(&self, Request(query): Request<A::Query>, cx: &mut QueryContext<'_, Self>) {
        self.resident.read(|actor| actor.read(query, &mut Reader(cx)));
    }
}

struct Reader<'a, 'core, A: Actor<Library<W>>, W: Way>(&'a mut QueryContext<'core, Tenant<A, W>>);

impl<A: Actor<Library<W>>, W: Way> Tell<Library<W>> for Reader<'_, '_, A, W> {
    #[inline(always)]
    fn tell<B: Actor<Library<W>>>(&mut self, to: &Address<Tenant<B, W>>, message: B::Message) {
        self.0.tell(*to, message);
    }
}

/// Lets the actor act, and stops it if it asked for that.
#[inline(always)]
fn act<'a, 'core, A: Actor<Library<W>>, W: Way>(
    tenant: &mut Tenant<A, W>,
    cx: &'a mut ::datil::Context<'core, Tenant<A, W>>,
    act: impl FnOnce(&mut A, &mut DatilContext<'a, 'core, A, W>),
) {
    let Tenant { resident, .. } = tenant;
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

struct DatilContext<'a, 'core, A: Actor<Library<W>>, W: Way> {
    cx: &'a mut ::datil::Context<'core, Tenant<A, W>>,
    latch: &'static Latch,
    stopping: bool,
}

impl<A, W: Way> Context<Library<W>, A> for DatilContext<'_, '_, A, W>
where
    A: Actor<Library<W>>,
{
    fn myself(&self) -> Address<Tenant<A, W>> {
        self.cx.address()
    }

    #[inline(always)]
    fn tell<B: Actor<Library<W>>>(&mut self, to: &Address<Tenant<B, W>>, message: B::Message) {
        self.cx.tell(*to, message);
    }

    #[inline(always)]
    fn tell_by_urgency<B: Actor<Library<W>>>(
        &mut self,
        to: &Address<Tenant<B, W>>,
        message: B::Message,
        urgent: bool,
    ) {
        if W::URGENT && urgent {
            self.cx.tell_urgently(*to, message);
        } else {
            self.cx.tell(*to, message);
        }
    }

    #[inline(always)]
    fn tell_self(&mut self, message: A::Message) {
        self.cx.tell(self.cx.address(), message);
    }

    #[inline(always)]
    fn query<B: Reads<Library<W>>>(&mut self, to: &Address<Tenant<B, W>>, query: B::Query) {
        if W::QUERIES {
            self.cx.query(*to, Request(query));
        } else {
            self.cx.tell(*to, query.into());
        }
    }

    #[inline(always)]
    fn spawn<B: Actor<Library<W>>>(&mut self, actor: B) -> Address<Tenant<B, W>> {
        self.cx.spawn(Tenant::new(actor, self.latch))
    }

    fn stop(&mut self) {
        self.stopping = true;
    }

    fn population(&mut self, actors: i64) {
        self.latch.tell(actors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::datil::policy::topology::{Node, Pu, Topology};

    struct Seeker;

    impl<L: ActorLibrary> Actor<L> for Seeker {
        type Message = ();

        const PART: Part = Part::Data;

        fn handle(&mut self, (): (), _: &mut impl Context<L, Self>) {}
    }

    fn starts_with(policy: &str) -> System {
        let policy = Some(policy.to_owned());
        let options = Options {
            policy,
            ..Options::workers(1)
        };
        Datil::start(&options).expect("datil starts")
    }

    #[test]
    fn data_actors_are_dealt_out_by_the_policy_that_listens_to_the_hint() {
        assert_eq!(
            <Tenant<Seeker, Plain> as ::datil::Actor>::HINT,
            Role::Data,
            "the policy hears of it"
        );
        assert_eq!(Datil::deals_out(&starts_with("cls-dealt")), Ok(()));
        assert!(Datil::deals_out(&starts_with("cls-tp")).is_err());
    }

    /// A machine whose second node has a number that no machine has.
    fn impossible() -> Topology {
        let pu = Pu {
            os: 0,
            core: 0,
            package: 0,
            node: 0,
        };
        let nodes = [0, 5_000].map(|os| Node { os, memory: 1 << 30 });
        Topology::new(vec![pu], nodes.to_vec(), Vec::new(), Vec::new()).expect("a machine")
    }

    #[test]
    fn a_machine_that_refuses_interleaved_memory_is_told_of_and_the_library_lives() {
        let options = Options {
            interleaved: true,
            ..Options::workers(2)
        };
        let builder = || Runtime::builder().workers(2).policy("lgs").topology(impossible());
        let system = System::interleaved(builder, &options).expect("datil starts without");
        let reason = Datil::is_as_asked(&system).expect_err("there is no such node");
        assert!(reason.starts_with("memory is not interleaved: "), "{reason}");
        assert_eq!(
            (Datil::workers(&system), system.runtime.policy()),
            (2, "lgs"),
            "it says hello as any other"
        );
        assert_eq!(Datil::is_as_asked(&starts_with("lgs")), Ok(()), "nobody asked");
    }

    #[test]
    fn other_reasons_not_to_start_are_errors() {
        let options = Options {
            policy: Some("nonsense".to_owned()),
            interleaved: true,
            ..Options::workers(1)
        };
        let error = Datil::start(&options).expect_err("there is no such policy");
        assert!(error.contains("nonsense"), "{error}");
    }
}
