//! Actors on plain tokio: a task with an unbounded channel each, on the multi-threaded scheduler. Where many messages wait, an
//! actor takes several at once.

use std::future::poll_fn;
use std::task::{Poll, ready};

use ::tokio::runtime::{Builder, Handle, Runtime};
use ::tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::library::{Actor, ActorLibrary, Context, Driver, Host, Options, Script};
use crate::presence::{Resident, refused};
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

/// An actor receives so many messages one by one each time it is polled. One that lives for a few, or for which few wait, then
/// allocates nothing to receive them.
const FEW: usize = 16;

/// So many at once from then on, until none is left. tokio counts each receiving as one of the 128 that a task may do before it
/// has to yield, whatever it brings; a task that is flooded yields after 3,600 messages.
const MANY: usize = 32;

struct TokioDriver<'a> {
    runtime: &'a Handle,
    latch: &'static Latch,
}

impl Driver<Tokio> for TokioDriver<'_> {
    fn spawn<A: Actor<Tokio>>(&mut self, actor: A) -> UnboundedSender<A::Message> {
        let (address, mailbox) = unbounded_channel();
        self.runtime
            .spawn(live(Resident::new(actor, self.latch), mailbox, address.clone()));
        address
    }

    fn tell<A: Actor<Tokio>>(&mut self, to: &UnboundedSender<A::Message>, message: A::Message) {
        deliver(to, message);
    }
}

fn deliver<M>(to: &UnboundedSender<M>, message: M) {
    if let Err(error) = to.send(message) {
        refused(error)
    }
}

/// The life of one actor: the body of its task.
///
/// Of an `async fn` the compiler keeps the arguments twice, as they came and as the body uses them, so that a task would take
/// twice the memory of its actor.
#[expect(clippy::manual_async_fn, reason = "see above")]
fn live<A: Actor<Tokio>>(
    mut resident: Resident<A>,
    mut mailbox: UnboundedReceiver<A::Message>,
    myself: UnboundedSender<A::Message>,
) -> impl Future<Output = ()> + Send {
    async move {
        if !act(&mut resident, &myself, |actor, cx| actor.started(cx)) {
            let stopped = poll_fn(|cx| {
                for _ in 0..FEW {
                    // This task holds a sender, so that the channel cannot close.
                    let Some(message) = ready!(mailbox.poll_recv(cx)) else {
                        return Poll::Ready(false);
                    };
                    if act(&mut resident, &myself, |actor, cx| actor.handle(message, cx)) {
                        return Poll::Ready(true);
                    }
                }
                let mut waiting = Vec::with_capacity(MANY);
                while ready!(mailbox.poll_recv_many(cx, &mut waiting, MANY)) > 0 {
                    if handle_all(&mut resident, &myself, &mut waiting) {
                        return Poll::Ready(true);
                    }
                }
                Poll::Ready(false)
            });
            if !stopped.await {
                return;
            }
        }
        resident.mark_stopped();
        // The mailbox goes first: once the latch has counted this actor, nothing of it is left but the task's own cell.
        drop((mailbox, myself));
    }
}

/// Lets the actor handle messages until it asks to be stopped, and tells whether it did. Those that are left then are dropped.
///
/// Out of line: in [`live`] it would take registers and inlining from the way that every message of most actors goes.
#[cold]
#[inline(never)]
fn handle_all<A: Actor<Tokio>>(
    resident: &mut Resident<A>,
    myself: &UnboundedSender<A::Message>,
    messages: &mut Vec<A::Message>,
) -> bool {
    messages
        .drain(..)
        .any(|message| act(resident, myself, |actor, cx| actor.handle(message, cx)))
}

/// Lets the actor act, and tells whether it asked to be stopped.
#[inline(always)]
fn act<'a, A: Actor<Tokio>>(
    resident: &mut Resident<A>,
    myself: &'a UnboundedSender<A::Message>,
    act: impl FnOnce(&mut A, &mut TokioContext<'a, A>),
) -> bool {
    let mut cx = TokioContext {
        myself,
        latch: resident.latch(),
        stopping: false,
    };
    resident.act(|actor| act(actor, &mut cx));
    cx.stopping
}

struct TokioContext<'a, A: Actor<Tokio>> {
    myself: &'a UnboundedSender<A::Message>,
    latch: &'static Latch,
    stopping: bool,
}

impl<A: Actor<Tokio>> Context<Tokio, A> for TokioContext<'_, A> {
    fn myself(&self) -> UnboundedSender<A::Message> {
        self.myself.clone()
    }

    fn tell<B: Actor<Tokio>>(&mut self, to: &UnboundedSender<B::Message>, message: B::Message) {
        deliver(to, message);
    }

    fn tell_self(&mut self, message: A::Message) {
        deliver(self.myself, message);
    }

    fn spawn<B: Actor<Tokio>>(&mut self, actor: B) -> UnboundedSender<B::Message> {
        let (address, mailbox) = unbounded_channel();
        ::tokio::spawn(live(Resident::new(actor, self.latch), mailbox, address.clone()));
        address
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

    struct Large([u8; 1000]);

    impl<L: ActorLibrary> Actor<L> for Large {
        type Message = ();

        fn handle(&mut self, (): (), _: &mut impl Context<L, Self>) {
            self.0[0] += 1;
        }
    }

    #[test]
    fn a_task_holds_its_actor_once() {
        let latch: &'static Latch = Box::leak(Box::default());
        let (address, mailbox) = unbounded_channel();
        let task = live(Resident::new(Large([0; 1000]), latch), mailbox, address);
        let size = size_of_val(&task);
        assert!((1000..1200).contains(&size), "{size} bytes");
    }
}
