//! Actors on plain tokio: a task with an unbounded channel each, on the multi-threaded scheduler.

use ::tokio::runtime::{Builder, Handle, Runtime};
use ::tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::library::{Actor, ActorLibrary, Context, Driver, Host, Options, Script};
use crate::presence::Resident;
use crate::tools::{Latch, panics};

/// Tasks and channels of tokio.
#[derive(Debug)]
pub struct Tokio;

impl ActorLibrary for Tokio {
    type Address<A: Actor<Self>> = UnboundedSender<A::Message>;
}

impl Host for Tokio {
    type System = Runtime;

    fn start(options: &Options) -> Result<Runtime, String> {
        options.without_policy("tokio")?;
        multi_threaded(options.workers)
    }

    fn workers(system: &Runtime) -> usize {
        system.metrics().num_workers()
    }

    fn drive(system: &mut Runtime, latch: &'static Latch, script: impl Script<Self>) {
        script.run(&mut TokioDriver {
            runtime: system.handle(),
            latch,
        });
    }
}

/// A runtime of tokio with this number of workers. Neither I/O nor timers are enabled: no benchmark uses them, and an idle
/// worker then sleeps on a plain condition variable.
pub(super) fn multi_threaded(workers: usize) -> Result<Runtime, String> {
    panics::remember();
    Builder::new_multi_thread()
        .worker_threads(workers)
        .build()
        .map_err(|error| format!("tokio cannot start {workers} workers: {error}"))
}

struct TokioDriver<'a> {
    runtime: &'a Handle,
    latch: &'static Latch,
}

impl Driver<Tokio> for TokioDriver<'_> {
    #[inline(always)]
    fn spawn<A: Actor<Tokio>>(&mut self, actor: A) -> UnboundedSender<A::Message> {
        let (address, mailbox) = unbounded_channel();
        self.runtime
            .spawn(live(Resident::new(actor, self.latch), mailbox, address.clone()));
        address
    }

    #[inline(always)]
    fn tell<A: Actor<Tokio>>(&mut self, to: &UnboundedSender<A::Message>, message: A::Message) {
        deliver(to, message);
    }
}

#[inline(always)]
fn deliver<M>(to: &UnboundedSender<M>, message: M) {
    assert!(to.send(message).is_ok(), "a message was sent to a stopped actor");
}

/// The life of one actor: the body of its task.
async fn live<A: Actor<Tokio>>(
    mut resident: Resident<A>,
    mut mailbox: UnboundedReceiver<A::Message>,
    myself: UnboundedSender<A::Message>,
) {
    let mut cx = TokioContext::<A> {
        myself,
        latch: resident.latch(),
        stopping: false,
    };
    resident.act(|actor| actor.started(&mut cx));
    while !cx.stopping {
        // The context holds a sender, so that the channel cannot close.
        let Some(message) = mailbox.recv().await else {
            return;
        };
        resident.act(|actor| actor.handle(message, &mut cx));
    }
    resident.mark_stopped();
    // The mailbox goes first: once the latch has counted this actor, nothing of it is left but the task's own cell.
    drop((mailbox, cx));
}

struct TokioContext<A: Actor<Tokio>> {
    myself: UnboundedSender<A::Message>,
    latch: &'static Latch,
    stopping: bool,
}

impl<A: Actor<Tokio>> Context<Tokio, A> for TokioContext<A> {
    #[inline(always)]
    fn myself(&self) -> UnboundedSender<A::Message> {
        self.myself.clone()
    }

    #[inline(always)]
    fn tell<B: Actor<Tokio>>(&mut self, to: &UnboundedSender<B::Message>, message: B::Message) {
        deliver(to, message);
    }

    #[inline(always)]
    fn tell_self(&mut self, message: A::Message) {
        deliver(&self.myself, message);
    }

    #[inline(always)]
    fn spawn<B: Actor<Tokio>>(&mut self, actor: B) -> UnboundedSender<B::Message> {
        let (address, mailbox) = unbounded_channel();
        ::tokio::spawn(live(Resident::new(actor, self.latch), mailbox, address.clone()));
        address
    }

    #[inline(always)]
    fn stop(&mut self) {
        self.stopping = true;
    }
}
