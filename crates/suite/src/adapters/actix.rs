//! actix: actors on the event loops of arbiters.
//!
//! An actor of actix lives on one arbiter, that is on one thread, for good; where is the programmer's choice, and nothing
//! moves it. Three placements are offered as policies:
//!
//! - `one` (the default) places all actors on the first arbiter; the others are there and idle.
//! - `spread` places the driver's actors on all arbiters in turn, and an actor's children on the arbiter of their parent.
//! - `dealt` places every actor on the next arbiter in turn, whoever creates it.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use ::actix::dev::channel::channel;
use ::actix::{Actor as _, ActorContext, Addr, AsyncContext, Handler, Message};
use actix_rt::{Arbiter, ArbiterHandle, SystemRunner};

use crate::library::{Actor, ActorLibrary, Context, Driver, Host, Options, Script};
use crate::presence::Resident;
use crate::tools::{Latch, panics};

/// The actix library.
#[derive(Debug)]
pub struct Actix;

/// Names of the placements, the default first.
pub const POLICIES: [&str; 3] = ["one", "spread", "dealt"];

impl ActorLibrary for Actix {
    /// A clone of actix's own `Addr` allocates twice; behind a counted pointer it does not.
    type Address<A: Actor<Self>> = Arc<Addr<Cell<A>>>;
}

/// The capacity of a mailbox that is never full.
const UNBOUNDED: usize = 0;

/// The arbiters and how actors are placed on them.
pub struct Arbiters {
    arbiters: Vec<Arbiter>,
    /// Arbiters that the driver places actors on.
    used: Vec<ArbiterHandle>,
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
        let (used, dealt) = match options.policy.as_deref() {
            None | Some("one") => (1, false),
            Some("spread") => (options.workers, false),
            Some("dealt") => (options.workers, true),
            Some(other) => {
                return Err(format!(
                    "actix has no policy {other}; choose one of: {}",
                    POLICIES.join(", ")
                ));
            }
        };
        let system = actix_rt::System::new();
        let arbiters: Vec<_> = (0..options.workers).map(|_| Arbiter::new()).collect();
        let handles: Vec<_> = arbiters.iter().map(Arbiter::handle).collect();
        if dealt {
            deal_from_each(&handles);
        }
        Ok(Arbiters {
            arbiters,
            used: handles[..used].to_vec(),
            _system: system,
        })
    }

    fn workers(system: &Arbiters) -> usize {
        system.arbiters.iter().filter(|arbiter| arbiter.alive()).count()
    }

    fn drive(system: &mut Arbiters, latch: &'static Latch, script: impl Script<Self>) {
        script.run(&mut ActixDriver {
            arbiters: &system.used,
            next: 0,
            latch,
        });
    }
}

/// Where the actors of an arbiter create theirs, in turn.
struct Deal {
    arbiters: Vec<ArbiterHandle>,
    own: usize,
    last: usize,
}

thread_local! {
    /// Nothing where that is the same arbiter.
    static DEAL: RefCell<Option<Deal>> = const { RefCell::new(None) };
}

/// Lets the actors of all arbiters create theirs on all arbiters in turn, beginning with the next one.
fn deal_from_each(arbiters: &[ArbiterHandle]) {
    for (own, arbiter) in arbiters.iter().enumerate() {
        let deal = Deal {
            arbiters: arbiters.to_vec(),
            own,
            last: own,
        };
        arbiter.spawn_fn(move || DEAL.set(Some(deal)));
    }
}

/// The arbiter whose turn it is, if that is not the one of this thread.
#[inline(always)]
fn another_arbiter() -> Option<ArbiterHandle> {
    DEAL.with_borrow_mut(|deal| {
        let deal = deal.as_mut()?;
        deal.last = (deal.last + 1) % deal.arbiters.len();
        (deal.last != deal.own).then(|| deal.arbiters[deal.last].clone())
    })
}

struct ActixDriver<'a> {
    arbiters: &'a [ArbiterHandle],
    next: usize,
    latch: &'static Latch,
}

impl Driver<Actix> for ActixDriver<'_> {
    #[inline(always)]
    fn spawn<A: Actor<Actix>>(&mut self, actor: A) -> Arc<Addr<Cell<A>>> {
        let arbiter = &self.arbiters[self.next];
        self.next = (self.next + 1) % self.arbiters.len();
        Cell::start_on(arbiter, actor, self.latch)
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
    /// Keeps the mailbox connected until the actor stops, if `myself` does not. Without it actix 0.13.5 can lose a message: it
    /// finds the mailbox empty, another thread sends the last message and drops the last address, and then it ends the
    /// actor for want of addresses.
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

    /// Starts an actor on the arbiter of this thread.
    ///
    /// As `start` does, but that the actor and its creator share one address: each further one would allocate.
    #[inline(always)]
    fn start_here(actor: A, latch: &'static Latch) -> Arc<Addr<Self>> {
        let (sender, mailbox) = channel(UNBOUNDED);
        let address = Arc::new(Addr::new(sender));
        let mut cell = Self::new(actor, latch);
        cell.myself = OnceCell::from(Arc::clone(&address));
        actix_rt::spawn(::actix::Context::with_receiver(mailbox).into_future(cell));
        address
    }

    /// Starts an actor on another arbiter. It shares no address with its creator: what one thread allocates and another one
    /// frees took a fifth more CPU time in `fjcreate`, although it was fewer instructions.
    #[inline(always)]
    fn start_on(arbiter: &ArbiterHandle, actor: A, latch: &'static Latch) -> Arc<Addr<Self>> {
        let cell = Self::new(actor, latch);
        Arc::new(Self::start_in_arbiter(arbiter, |_| cell))
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
        if self.myself.get().is_none() {
            self.anchor = Some(context.address());
        }
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
        match another_arbiter() {
            None => Cell::start_here(actor, self.latch),
            Some(arbiter) => Cell::start_on(&arbiter, actor, self.latch),
        }
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
    use std::sync::Mutex;
    use std::thread::{self, ThreadId};
    use std::time::Duration;

    use super::*;
    use crate::benchmark::Population;

    const CHILDREN: usize = 4;

    type Threads = &'static Mutex<Vec<ThreadId>>;

    struct Master(Threads);

    impl<L: ActorLibrary> Actor<L> for Master {
        type Message = ();

        fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
            for _ in 0..CHILDREN {
                let child = cx.spawn(Child(self.0));
                cx.tell(&child, ());
            }
            cx.stop();
        }
    }

    struct Child(Threads);

    impl<L: ActorLibrary> Actor<L> for Child {
        type Message = ();

        fn handle(&mut self, (): (), cx: &mut impl Context<L, Self>) {
            self.0
                .lock()
                .expect("nobody panicked")
                .push(thread::current().id());
            cx.stop();
        }
    }

    struct Begin(Threads);

    impl<L: ActorLibrary> Script<L> for Begin {
        fn run(self, driver: &mut impl Driver<L>) {
            let master = driver.spawn(Master(self.0));
            driver.tell(&master, ());
        }
    }

    /// How many children of one actor ran on each of the threads, in order.
    fn places(policy: &str, workers: usize) -> Vec<usize> {
        let options = Options {
            policy: Some(policy.to_owned()),
            ..Options::workers(workers)
        };
        let latch: &'static Latch = Box::leak(Box::default());
        latch.arm(Population::Known(1 + CHILDREN as i64));
        let threads: Threads = Box::leak(Box::default());
        let mut system = Actix::start(&options).expect("actix starts");
        Actix::drive(&mut system, latch, Begin(threads));
        assert_eq!(latch.wait(Some(Duration::from_secs(60))), Ok(Ok(())));
        let ran = threads.lock().expect("nobody panicked");
        let mut places: Vec<_> = ran
            .iter()
            .map(|thread| ran.iter().filter(|other| *other == thread).count())
            .collect();
        places.sort_unstable();
        places
    }

    #[test]
    fn only_dealt_actors_leave_the_arbiter_of_their_parent() {
        assert_eq!(places("one", 2), [4; 4]);
        assert_eq!(places("spread", 2), [4; 4]);
        assert_eq!(places("dealt", 1), [4; 4]);
        assert_eq!(places("dealt", 2), [2; 4]);
        assert_eq!(places("dealt", 4), [1; 4]);
    }
}
