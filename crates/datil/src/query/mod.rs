//! Queries: messages that only read their receiver's state, several at a time.
//!
//! A query is a signal in the mailbox. Its receiver's owner lets it take effect when its turn comes, like any other; and where several wait in a row,
//! other workers idle, and it pays, these are called to help. See `README.md` beside this file.

pub(crate) mod readers;

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::actor::{Actor, Context, MayLeaveItsHandler};
use crate::address::{Address, Target};
use crate::answer::{self, Answer, AskError, ReplyTo};
use crate::atomic::Ordering::Relaxed;
use crate::gate;
use crate::lost::Lost;
use crate::mailbox::block::Block;
use crate::mailbox::cell::{self, Header, Shape, TRANSIT, flag};
use crate::pool::lock;
use crate::recipient::Receiver;
use crate::signal::extras::{self, Extras};
use crate::signal::park::{self, Wait};
use crate::signal::{self, At, Lane, Parcel, Reading, Signal};
use crate::sync::{Instant, Mutex};
use crate::worker::absence::Inside;
use crate::worker::core::{Core, vtable};
use crate::worker::port::{IDLE, Port, bump};
use readers::{Room, Visit};

/// What the queries of a batch should take together, in nanoseconds, for each worker that is called to help: some times what waking it takes.
const PAYS: u64 = 20_000;
/// Queries that are looked at, and shared out, at a time.
const MOST: usize = 64;

/// An actor that answers queries of type `Q`, from `&self`, several at the same time.
///
/// Queries wait in the mailbox among the messages and are not overtaken by them, nor do they overtake any. The difference is what happens when several of them wait in a row: while workers of the
/// runtime idle, and the queries take long enough to make up for waking one (some 20 microseconds together), they run on several workers at once. So:
///
/// * A query sees the effect of all messages of its sender that were sent before it, and of none that was sent later.
/// * Messages wait for all queries before them, and queries for all messages before them: neither can be kept waiting by what was sent after it.
/// * Queries of one sender may run at the same time, and what they send is in no particular order among each other.
/// * [`Actor::started`], messages, urgent messages, answers, timers, stops, restarts and [`Actor::stopped`] have the actor for themselves.
/// * A panic in a query is counted and reported ([`crate::Builder::on_panic`]), and the query is dropped, so a question in it is answered by
///   [`AskError::Dropped`]; the actor goes on, since the query could not change it. What can be changed through `&self`, as in a mutex, is the actor's business.
/// * Behaviours ([`Context::become_with`]) do not concern queries, and bounds of the mailbox neither: they are always taken. They count as messages
///   ([`crate::WorkerMetrics::messages`]), and as dead letters if the actor is gone.
///
/// In a [`crate::Simulation`] no worker idles, so queries run one after the other there. An actor that gets no queries pays nothing for them; one query costs some tens of nanoseconds
/// more than a message.
///
/// The state must be [`Sync`], which is exactly the permission to read it from several threads: an actor with a `Cell` or an `Rc` inside cannot implement this.
///
/// ```
/// use datil::{Actor, Context, Query, QueryContext, ReplyTo, Runtime};
/// use std::collections::HashMap;
///
/// struct Dictionary(HashMap<String, String>);
/// struct Define(&'static str, &'static str);
/// struct LookUp(&'static str, ReplyTo<Option<String>>);
///
/// impl Actor for Dictionary {
///     type Msg = Define;
///     fn handle(&mut self, Define(word, meaning): Define, _: &mut Context<'_, Self>) {
///         self.0.insert(word.into(), meaning.into());
///     }
/// }
/// impl Query<LookUp> for Dictionary {
///     fn query(&self, LookUp(word, reply): LookUp, _: &mut QueryContext<'_, Self>) {
///         reply.send(self.0.get(word).cloned());
///     }
/// }
///
/// let runtime = Runtime::builder().workers(2).build()?;
/// let dictionary = runtime.spawn(Dictionary(HashMap::new()));
/// dictionary.tell(Define("datil", "date palm"));
/// assert_eq!(dictionary.ask_query(|reply| LookUp("datil", reply)).wait(), Ok(Some("date palm".into())));
/// # Ok::<(), datil::BuildError>(())
/// ```
pub trait Query<Q: Send + 'static>: Actor + Sync {
    /// Answers one query, perhaps while others run. It must not wait for another query or message: they may wait for it.
    fn query(&self, query: Q, cx: &mut QueryContext<'_, Self>);
}

/// The runtime as a query sees it while it runs. It cannot stop or change the actor; a message to [`QueryContext::address`] can.
pub struct QueryContext<'a, A: Actor> {
    engine: &'a Core,
    actor: Address<A>,
    // Neither Send nor Sync, as below.
    thread: PhantomData<*mut ()>,
}

// SAFETY: nothing implements the trait, so no context is `Send`. (As with `Context`, for the compiler's words.)
unsafe impl<A: Actor> Send for QueryContext<'_, A> where Self: MayLeaveItsHandler {}
// SAFETY: nor `Sync`.
unsafe impl<A: Actor> Sync for QueryContext<'_, A> where Self: MayLeaveItsHandler {}

impl<A: Actor> QueryContext<'_, A> {
    /// The address of this actor.
    pub fn address(&self) -> Address<A> {
        self.actor
    }

    /// As [`Context::tell`].
    #[inline(always)]
    pub fn tell<T: Receiver>(&mut self, to: T, msg: T::Msg) {
        to.tell_in_query(self, msg);
    }

    /// [`QueryContext::tell`] to an address.
    #[inline(always)]
    pub(crate) fn tell_to<B: Actor>(&mut self, to: Address<B>, msg: B::Msg) {
        match gate::enter(to, msg) {
            Ok(msg) => Inside::new(self.engine).send(to, msg),
            Err(refused) => gate::refuse(to, refused),
        }
    }

    /// As [`Address::query`].
    pub fn query<B: Query<Q>, Q: Send + 'static>(&mut self, to: Address<B>, query: Q) {
        to.query(query);
    }

    /// Creates an actor on this worker.
    pub fn spawn<B: Actor>(&mut self, actor: B) -> Address<B> {
        Inside::new(self.engine).spawn(actor)
    }

    /// Index of the worker that runs this query, `0..workers`.
    pub fn worker(&self) -> usize {
        self.engine.index()
    }
}

impl<A: Actor> std::fmt::Debug for QueryContext<'_, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueryContext")
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}

impl<A: Actor> Address<A> {
    /// Sends a query, in order with the messages that the caller sends to the same actor, from any thread. Never blocks and is never refused; a query to an actor that
    /// has stopped is dropped and counted.
    pub fn query<Q: Send + 'static>(self, query: Q)
    where
        A: Query<Q>,
    {
        let enquiry = Enquiry::<A, Q> {
            query,
            of: PhantomData,
        };
        // SAFETY: made for an `A`.
        unsafe { Parcel::new(enquiry).send(self.target()) };
    }

    /// As [`Address::ask`], but the question is a query.
    pub fn ask_query<Q: Send + 'static, R: Send + 'static>(
        self,
        request: impl FnOnce(ReplyTo<R>) -> Q,
    ) -> Answer<R>
    where
        A: Query<Q>,
    {
        let (reply, answer) = answer::promise();
        self.query(request(reply));
        answer
    }
}

impl<A: Actor> Context<'_, A> {
    /// As [`Address::query`].
    pub fn query<B: Query<Q>, Q: Send + 'static>(&mut self, to: Address<B>, query: Q) {
        to.query(query);
    }

    /// As [`Context::ask`], but the question is a query.
    pub fn ask_query<B: Query<Q>, Q: Send + 'static, R: Send + 'static>(
        &mut self,
        to: Address<B>,
        request: impl FnOnce(ReplyTo<R>) -> Q,
        then: impl FnOnce(&mut A, Result<R, AskError>, &mut Context<'_, A>) + Send + 'static,
    ) {
        let reply = self.reply(then);
        to.query(request(reply));
    }
}

/// Signal: a query.
struct Enquiry<A, Q> {
    query: Q,
    of: PhantomData<fn(A)>,
}

impl<A: Query<Q>, Q: Send + 'static> Signal for Enquiry<A, Q> {
    const LANE: Lane = Lane::Mail;
    const READS: bool = true;

    unsafe fn act(self, at: At<'_>) {
        // SAFETY: by the caller the actor is an `A` that runs here: nobody but readers refers to its state.
        unsafe {
            let reading = Reading {
                core: at.worker(),
                actor: Target::of(at.cell),
                state: Shape::<A>::state(at.cell).cast_const().cast(),
            };
            if !may_share(at) {
                return self.read(reading);
            }
            let pace = &extras::attach(at.header()).readers.pace;
            let batch = share_out::<A>(at, reading, pace.get());
            let began = Instant::now();
            self.read(reading);
            note(pace, began);
            if let Some(batch) = batch {
                batch.work(reading);
            }
        }
    }

    unsafe fn read(self, at: Reading<'_>) {
        // SAFETY: by the caller the state is that of an `A`, and until this returns nobody changes it.
        let (actor, address) = unsafe { (&*at.state.cast::<A>(), Address::to(at.actor)) };
        let mut cx = QueryContext {
            engine: at.core,
            actor: address,
            thread: PhantomData,
        };
        // Caught here and not by the worker's loop: others may still read the state, so the actor must not end.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| actor.query(self.query, &mut cx))) {
            let core = Inside::new(at.core);
            core.report_panic(std::any::type_name::<A>(), &*panic);
            core.quietly("a panic's payload", || drop(panic));
        }
    }

    fn lost(self, on: Option<&Core>) {
        crate::client::dead_letter(on, Lost::gone(self.query));
    }
}

/// Notes how long a query took: the mean, in which the last four count for two thirds.
fn note(pace: &std::cell::Cell<u32>, began: Instant) {
    let took = u32::try_from(began.elapsed().as_nanos())
        .unwrap_or(u32::MAX)
        .max(1);
    let before = pace.get();
    pace.set(if before == 0 {
        took
    } else {
        before - before / 4 + took / 4
    });
}

/// Whether there is somebody to help, and something to help with.
///
/// # Safety
/// The actor runs on this worker.
unsafe fn may_share(at: At<'_>) -> bool {
    // SAFETY: by the caller.
    at.worker().inbox.idle.0.load(Relaxed) > 0 && unsafe { oldest_query(at.header()) }.is_some()
}

/// The oldest block of the mailbox, if that is a query.
///
/// # Safety
/// The caller owns the cell.
unsafe fn oldest_query(header: &Header) -> Option<*mut Block> {
    if header.flags.get() & flag::SLOT != 0 {
        return None;
    }
    // SAFETY: by the caller.
    unsafe { cell::head(header).filter(|&block| signal::reads(block)) }
}

/// Whether the next thing to do is to let a query take effect.
///
/// # Safety
/// The caller owns the cell, whose actor runs.
pub(crate) unsafe fn is_next(header: &Header, extras: &Extras) -> bool {
    // SAFETY: by the caller.
    unsafe {
        if header.flags.get() & flag::MAIL == 0 {
            cell::collect_remote_if_any(header);
        }
        let before_mail =
            extras.replays.get() || !extras.system.borrow().is_empty() || !extras.urgent.borrow().is_empty();
        !before_mail && oldest_query(header).is_some()
    }
}

/// Something is to be done for which the actor must be alone: ends the reading, or parks the actor until the others have ended it; false if it is parked.
///
/// # Safety
/// As [`is_next`]; the readers' room is open.
pub(crate) unsafe fn close(header: &Header, extras: &Extras) -> bool {
    // SAFETY: by the caller.
    unsafe { park::prepare(header) };
    // Before the room is left: from then on the last reader may let the actor go on.
    extras.parked.set(Wait::Readers);
    let alone = extras.readers.close();
    if alone {
        extras.parked.set(Wait::No);
    }
    alone
}

/// Shares the queries that are next with idle workers, if these are enough work: takes them out of the mailbox, opens the actor to readers and calls
/// for help. The caller works off what it gets, too. With `None` nothing was done, and they wait where they did.
///
/// # Safety
/// The actor is an `A` that runs on this worker.
unsafe fn share_out<A: Actor + Sync>(at: At<'_>, reading: Reading<'_>, pace: u32) -> Option<Arc<Batch>> {
    // Nothing known: rather wake somebody in vain once than wait for a query that takes for ever.
    let pace = if pace == 0 { PAYS } else { u64::from(pace) };
    if pace * (MOST as u64) < PAYS {
        return None;
    }
    // SAFETY: by the caller.
    let waiting = unsafe { count_queries(at.header()) };
    let helpers = usize::try_from(pace * (waiting as u64 + 1) / PAYS)
        .unwrap_or(MOST)
        .min(waiting);
    if helpers == 0 {
        return None;
    }
    // SAFETY: by the caller: what the mailbox holds is for an `A`.
    unsafe {
        let batch = Arc::new(Batch::new(take_queries(at.header(), waiting)));
        let room = extras::attach(at.header()).readers.open();
        // The room must be closed before the actor does anything else.
        at.header().flags.set(at.header().flags.get() | flag::ATTEND);
        let core = at.core();
        let idle = |port: &&&'static Port| port.id != core.me && port.rest.0.state.load(Relaxed) == IDLE;
        for port in core.team.ports.iter().filter(idle).take(helpers) {
            let helper = Helper::<A> {
                batch: batch.clone(),
                room: room.clone(),
                actor: reading.actor,
                state: reading.state,
                of: PhantomData,
            };
            send_to(&core, port, helper);
        }
        Some(batch)
    }
}

/// Number of queries in a row with which the mailbox begins, [`MOST`] at most.
///
/// # Safety
/// As [`oldest_query`].
unsafe fn count_queries(header: &Header) -> usize {
    // SAFETY: by the caller; the mailbox is a ring of blocks that ends with the tail.
    unsafe {
        let newest = header.tail.get();
        let next = |&block: &*mut Block| {
            (block != newest)
                .then(|| (*block).next.get())
                .filter(|&next| signal::reads(next))
        };
        std::iter::successors(oldest_query(header), next)
            .take(MOST)
            .count()
    }
}

/// # Safety
/// As [`oldest_query`]; there are so many.
unsafe fn take_queries(header: &Header, count: usize) -> Vec<Waiting> {
    let take = |_| {
        // SAFETY: by the caller.
        unsafe {
            let block = cell::head(header).unwrap_unchecked();
            cell::unlink_head(header);
            Waiting(block)
        }
    };
    (0..count).map(take).collect()
}

/// A query that was taken out of the mailbox and has not taken effect. Dropped, it is lost.
struct Waiting(*mut Block);

// SAFETY: it owns its block, which holds a query; queries are `Send`.
unsafe impl Send for Waiting {}

impl Drop for Waiting {
    fn drop(&mut self) {
        // SAFETY: the block is ours.
        unsafe { signal::lose(self.0) };
    }
}

/// Queries that several workers take from, all for the same actor.
struct Batch(Mutex<std::vec::IntoIter<Waiting>>);

impl Batch {
    fn new(queries: Vec<Waiting>) -> Self {
        Self(Mutex::new(queries.into_iter()))
    }

    /// Lets queries take effect until there are none; returns how many.
    ///
    /// # Safety
    /// As [`Signal::read`] for all of them.
    unsafe fn work(&self, at: Reading<'_>) -> u64 {
        let mut done = 0;
        loop {
            // In a statement of its own, so that the lock is free while the query runs.
            let next = lock(&self.0).next();
            let Some(query) = next else {
                return done;
            };
            done += 1;
            bump(&at.core.counters().messages, 1);
            let block = std::mem::ManuallyDrop::new(query).0;
            // SAFETY: by the caller; the block was the query's, which is forgotten.
            unsafe { signal::read(block, at) };
        }
    }
}

/// Creates an actor on another worker, which is woken if it sleeps.
fn send_to<A: Actor>(core: &Core, port: &'static Port, actor: A) {
    let flags = flag::HOLDS | flag::UNSTARTED | flag::SCHEDULED;
    let cell = Shape::<A>::create(&core.pools, vtable::<A>(), TRANSIT | port.id, flags, actor);
    // SAFETY: the cell is in transit to that worker, and its token, which goes with it, was never out.
    if unsafe { port.deliver_one(cell) } {
        bump(&core.counters().wakes, 1);
    }
}

/// An actor of the runtime's own, on a worker that idled: helps with the queries of another actor, and stops.
struct Helper<A> {
    batch: Arc<Batch>,
    room: Arc<Room>,
    actor: Target,
    state: *const (),
    of: PhantomData<fn(A)>,
}

// SAFETY: all but the state are `Send`; that one is an `A`, which is `Sync`, and is only read, inside the room.
unsafe impl<A: Sync> Send for Helper<A> {}

impl<A: Actor + Sync> Actor for Helper<A> {
    type Msg = ();

    fn started(&mut self, cx: &mut Context<'_, Self>) {
        cx.stop();
        let Some(_visit) = Visit::begin(&self.room, self.actor) else {
            // The owner has done all of it and goes on.
            return;
        };
        let reading = Reading {
            core: cx.engine,
            actor: self.actor,
            state: self.state,
        };
        // SAFETY: as long as the visit lasts the owner does not change the state, which is that of the actor that these queries were made for. It
        // lasts to the end of this function.
        let helped = unsafe { self.batch.work(reading) };
        bump(&cx.engine.counters().helped_queries, helped);
    }

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}
}

/// Whether this is the name of a helper's type: an actor that nobody has created, and so has not to be told of.
pub(crate) fn is_helper(name: &str) -> bool {
    let base = |name: &'static str| name.split('<').next();
    let rest = base(std::any::type_name::<Helper<()>>()).and_then(|base| name.strip_prefix(base));
    rest.is_some_and(|rest| rest.starts_with('<'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helper_is_known_by_the_name_of_its_type() {
        struct Helper<A>(PhantomData<A>);
        assert!(is_helper(std::any::type_name::<super::Helper<Vec<u8>>>()));
        assert!(!is_helper(std::any::type_name::<Helper<u8>>()));
        assert!(!is_helper(std::any::type_name::<Vec<super::Helper<u8>>>()));
    }
}
