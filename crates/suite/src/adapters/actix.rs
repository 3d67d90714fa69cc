//! actix: actors on the event loops of arbiters.
//!
//! An actor of actix lives on one arbiter, that is on one thread, for good; where is the programmer's choice, and nothing
//! moves it. Two placements are offered as policies:
//!
//! - `one` (the default) places all actors on the first arbiter; the others are there and idle.
//! - `spread` places the driver's actors on all arbiters in turn, and an actor's children on the arbiter of their parent.
//!
//! `one` is actix's own default (`Actor::start`) and by far the faster one: a message to another arbiter wakes an event
//! loop through the kernel. On two cores ping-pong takes over twenty times longer when spread, counting and fork-join
//! half as long again to twice; only `big` gains, by some 6 %.

use std::cell::OnceCell;
use std::sync::Arc;

use ::actix::{Actor as _, ActorContext, Addr, AsyncContext, Handler, Message};
use actix_rt::{Arbiter, SystemRunner};

use crate::library::{Actor, ActorLibrary, Context, Driver, Host, Options, Script};
use crate::presence::Resident;
use crate::tools::{Latch, panics};

/// The actix library.
#[derive(Debug)]
pub struct Actix;

/// Names of the placements, the default first.
pub const POLICIES: [&str; 2] = ["one", "spread"];

impl ActorLibrary for Actix {
    /// A clone of actix's own `Addr` allocates twice; behind a counted pointer it does not.
    type Address<A: Actor<Self>> = Arc<Addr<Cell<A>>>;
}

/// The arbiters and how actors are placed on them.
pub struct Arbiters {
    arbiters: Vec<Arbiter>,
    /// How many of the arbiters the driver uses.
    used: usize,
    /// Arbiters belong to a system. It has no thread of its own here and executes no actors.
    _system: SystemRunner,
}

impl Drop for Arbiters {
    fn drop(&mut self) {
        for arbiter in self.arbiters.drain(..) {
            arbiter.stop();
            // An arbiter that panicked is gone as well.
            let _ = arbiter.join();
        }
    }
}

impl Host for Actix {
    type System = Arbiters;

    fn start(options: &Options) -> Result<Arbiters, String> {
        panics::remember();
        let used = match options.policy.as_deref() {
            None | Some("one") => 1,
            Some("spread") => options.workers,
            Some(other) => {
                return Err(format!(
                    "actix has no policy {other}; choose one of: {}",
                    POLICIES.join(", ")
                ));
            }
        };
        let system = actix_rt::System::new();
        let arbiters = (0..options.workers).map(|_| Arbiter::new()).collect();
        Ok(Arbiters {
            arbiters,
            used,
            _system: system,
        })
    }

    fn workers(system: &Arbiters) -> usize {
        system.arbiters.iter().filter(|arbiter| arbiter.alive()).count()
    }

    fn drive(system: &mut Arbiters, latch: &'static Latch, script: impl Script<Self>) {
        script.run(&mut ActixDriver {
            arbiters: &system.arbiters[..system.used],
            next: 0,
            latch,
        });
    }
}

struct ActixDriver<'a> {
    arbiters: &'a [Arbiter],
    next: usize,
    latch: &'static Latch,
}

impl Driver<Actix> for ActixDriver<'_> {
    #[inline(always)]
    fn spawn<A: Actor<Actix>>(&mut self, actor: A) -> Arc<Addr<Cell<A>>> {
        let cell = Cell::new(actor, self.latch);
        let arbiter = &self.arbiters[self.next];
        self.next = (self.next + 1) % self.arbiters.len();
        Arc::new(Cell::start_in_arbiter(&arbiter.handle(), |_| cell))
    }

    #[inline(always)]
    fn tell<A: Actor<Actix>>(&mut self, to: &Arc<Addr<Cell<A>>>, message: A::Message) {
        to.do_send(Letter(message));
    }
}

/// An actor of the suite as an actor of actix.
pub struct Cell<A: Actor<Actix>> {
    resident: Resident<A>,
    /// The actor's own address, made when it is first needed: that allocates.
    myself: OnceCell<Arc<Addr<Self>>>,
    /// Keeps the mailbox connected until the actor stops. Without it actix 0.13.5 can lose a message: it finds the mailbox
    /// empty, another thread sends the last message and drops the last address, and then it ends the actor for want of
    /// addresses.
    anchor: Option<Addr<Self>>,
}

// Nothing ever pins the actor inside.
impl<A: Actor<Actix>> Unpin for Cell<A> {}

impl<A: Actor<Actix>> Cell<A> {
    fn new(actor: A, latch: &'static Latch) -> Self {
        Self {
            resident: Resident::new(actor, latch),
            myself: OnceCell::new(),
            anchor: None,
        }
    }

    /// Lets the actor act, and stops it if it asked for that.
    #[inline(always)]
    fn act<'a>(
        &'a mut self,
        context: &'a mut ::actix::Context<Self>,
        act: impl FnOnce(&mut A, &mut ActixContext<'a, A>),
    ) {
        let latch = self.resident.latch();
        let mut cx = ActixContext {
            context,
            myself: &self.myself,
            latch,
            stopping: false,
        };
        self.resident.act(|actor| act(actor, &mut cx));
        if cx.stopping {
            cx.context.stop();
            self.resident.mark_stopped();
        }
    }
}

impl<A: Actor<Actix>> ::actix::Actor for Cell<A> {
    type Context = ::actix::Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        self.anchor = Some(context.address());
        self.act(context, |actor, cx| actor.started(cx));
    }
}

/// A message of the suite, or one kind of it, as a message of actix.
struct Letter<K>(K);

impl<K: 'static> Message for Letter<K> {
    type Result = ();
}

impl<A: Actor<Actix>, K: Into<A::Message> + Send + 'static> Handler<Letter<K>> for Cell<A> {
    type Result = ();

    #[inline(always)]
    fn handle(&mut self, Letter(message): Letter<K>, context: &mut Self::Context) {
        self.act(context, |actor, cx| actor.handle(message.into(), cx));
    }
}

struct ActixContext<'a, A: Actor<Actix>> {
    context: &'a mut ::actix::Context<Cell<A>>,
    myself: &'a OnceCell<Arc<Addr<Cell<A>>>>,
    latch: &'static Latch,
    stopping: bool,
}

impl<A: Actor<Actix>> ActixContext<'_, A> {
    #[inline(always)]
    fn own_address(&self) -> &Arc<Addr<Cell<A>>> {
        self.myself.get_or_init(|| Arc::new(self.context.address()))
    }
}

impl<A: Actor<Actix>> Context<Actix, A> for ActixContext<'_, A> {
    #[inline(always)]
    fn myself(&self) -> Arc<Addr<Cell<A>>> {
        Arc::clone(self.own_address())
    }

    #[inline(always)]
    fn tell<B: Actor<Actix>>(&mut self, to: &Arc<Addr<Cell<B>>>, message: B::Message) {
        to.do_send(Letter(message));
    }

    #[inline(always)]
    fn tell_self(&mut self, message: A::Message) {
        self.own_address().do_send(Letter(message));
    }

    #[inline(always)]
    fn tell_kind<B: Actor<Actix>, K: Into<B::Message> + Send + 'static>(
        &mut self,
        to: &Arc<Addr<Cell<B>>>,
        kind: K,
    ) {
        to.do_send(Letter(kind));
    }

    #[inline(always)]
    fn tell_self_kind<K: Into<A::Message> + Send + 'static>(&mut self, kind: K) {
        self.own_address().do_send(Letter(kind));
    }

    #[inline(always)]
    fn spawn<B: Actor<Actix>>(&mut self, actor: B) -> Arc<Addr<Cell<B>>> {
        Arc::new(Cell::new(actor, self.latch).start())
    }

    #[inline(always)]
    fn stop(&mut self) {
        self.stopping = true;
    }

    fn population(&mut self, actors: i64) {
        self.latch.tell(actors);
    }
}
