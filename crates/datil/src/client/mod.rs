//! How threads that are not workers create actors and send.
//!
//! See `README.md` beside this file.

pub(crate) mod chunk;

use crate::atomic::AtomicU64;
use crate::atomic::Ordering::{Acquire, Relaxed, Release};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;

use chunk::Chunk;

use crate::actor::Actor;
use crate::address::{Address, Target};
use crate::gate;
use crate::inbox::{self, ACTORS_AHEAD, Inbox, MESSAGES_AHEAD};
use crate::lost::Lost;
use crate::mailbox::block::Block;
use crate::mailbox::cell::{Header, NOBODY, Shape, TRANSIT, flag, tag};
use crate::pool::{self, Pools};
use crate::signal::extras::{self, Extras};
use crate::sync::thread_local;
use crate::worker::core::{Core, contain, vtable};
use crate::worker::port::{self, Port};
use crate::worker::team::Team;

/// Messages from outside threads that found their actor gone.
static DEAD_LETTERS: AtomicU64 = AtomicU64::new(0);

pub(crate) fn dead_letters() -> u64 {
    DEAD_LETTERS.load(Relaxed)
}

thread_local! {
    /// The client of the scope that the thread is in.
    static ACTIVE: Cell<*mut State> = const { Cell::new(ptr::null_mut()) };
}

/// Sends from a thread that is no worker.
#[inline]
pub(crate) fn tell_from_outside<A: Actor>(to: Address<A>, msg: A::Msg) {
    let active = ACTIVE.with(Cell::get);
    if !active.is_null() {
        // What the scope has collected goes first.
        // SAFETY: the scope that set this has not ended, and none of its methods runs: they call no code of users.
        unsafe { (*active).flush() };
    }
    if let Err(msg) = enter(to, msg) {
        bounce(Lost::gone(msg));
    }
}

/// Puts a message into the inbox of the receiver's runtime; gives it back if the receiver is gone.
#[inline(always)]
pub(crate) fn enter<A: Actor>(to: Address<A>, msg: A::Msg) -> Result<(), A::Msg> {
    let Some(inbox) = home(to.target()) else {
        return Err(msg);
    };
    let message = Message { to, msg };
    // What is too big or over-aligned for a record goes there in a box; the condition is a constant.
    if align_of::<Message<A>>() <= 8 && size_of::<Message<A>>() <= 512 {
        inbox
            .push(send::<A>, message, MESSAGES_AHEAD)
            .map_err(|message| message.msg)
    } else {
        inbox
            .push(send_boxed::<A>, Box::new(message), MESSAGES_AHEAD)
            .map_err(|message| message.msg)
    }
}

/// The inbox of the runtime that an actor belongs to; `None` if the actor is known to be gone.
#[inline(always)]
pub(crate) fn home(to: Target) -> Option<&'static Inbox> {
    inbox::sole().or_else(|| home_by_tag(to))
}

fn home_by_tag(to: Target) -> Option<&'static Inbox> {
    // SAFETY: a cell's tag is valid for ever.
    let tag = unsafe { &(*to.cell()).tag };
    let mut found = tag.load(Acquire);
    loop {
        let owner = (found >> 16) as u16;
        if found as u16 != to.generation() || owner == NOBODY {
            return None;
        }
        let inbox = inbox::of(port::port(owner & !TRANSIT));
        // The port of a client may have been leased to another runtime since we read the tag; then the tag has changed, and
        // the Acquire in `of` shows it. Workers' ports stay as long as their actors live.
        let now = tag.load(Acquire);
        if now == found {
            return Some(inbox);
        }
        found = now;
    }
}

/// The body of a message.
#[repr(C)]
struct Message<A: Actor> {
    to: Address<A>,
    msg: A::Msg,
}

/// # Safety
/// `record` is one of the inbox with a `Message<A>` that was not taken yet.
unsafe fn send<A: Actor>(core: &Core, record: *mut u64) -> u64 {
    // SAFETY: by the caller.
    let (Message { to, msg }, words) = unsafe { inbox::take::<Message<A>>(record) };
    core.send(to, msg);
    words
}

/// # Safety
/// `record` is one of the inbox with a `Box<Message<A>>` that was not taken yet.
unsafe fn send_boxed<A: Actor>(core: &Core, record: *mut u64) -> u64 {
    // SAFETY: by the caller.
    let (message, words) = unsafe { inbox::take::<Box<Message<A>>>(record) };
    core.send(message.to, message.msg);
    words
}

/// Sends a signal from a thread that is no worker, or not one of the receiver's runtime.
///
/// # Safety
/// The block holds a signal for the receiver and is the caller's; it is handed over.
pub(crate) unsafe fn signal(to: Target, block: *mut Block) {
    let active = ACTIVE.with(Cell::get);
    if !active.is_null() {
        // SAFETY: as in `tell_from_outside`.
        unsafe { (*active).flush() };
    }
    let refused = match home(to) {
        Some(inbox) => inbox.push(send_signal, (to, block), MESSAGES_AHEAD).is_err(),
        None => true,
    };
    if refused {
        // SAFETY: the block is still ours.
        unsafe { crate::signal::lose(block) };
    }
}

/// # Safety
/// `record` is one of the inbox with a receiver and the block of a signal for it, which was not taken yet.
unsafe fn send_signal(core: &Core, record: *mut u64) -> u64 {
    // SAFETY: by the caller.
    unsafe {
        let ((to, block), words) = inbox::take::<(Target, *mut Block)>(record);
        core.send_signal(to, block);
        words
    }
}

/// An actor on its way to a worker.
struct Newcomer {
    cell: *mut Header,
    /// It need not be the worker named in its tag.
    anywhere: bool,
}

/// # Safety
/// `record` is one of the inbox with a `Newcomer` that was not taken yet.
unsafe fn welcome(core: &Core, record: *mut u64) -> u64 {
    // SAFETY: by the caller. The cell is in transit and its token came with it.
    unsafe {
        let (Newcomer { cell, anywhere }, words) = inbox::take::<Newcomer>(record);
        let found = (*cell).tag.load(Relaxed);
        let to = (found >> 16) as u16 & !TRANSIT;
        if anywhere || to == core.me {
            core.accept(cell, found as u16);
        } else {
            port::port(to).deliver_one(cell);
        }
        words
    }
}

/// Drops a message that nobody handles, on any thread. It is counted by the worker `on`, if the caller is inside of one that it names, else by the one that
/// the thread is.
#[cold]
pub(crate) fn dead_letter<M>(on: Option<&Core>, msg: Lost<M>) {
    if let Some(core) = on {
        return core.bounce(msg);
    }
    crate::worker::current::with(|core| match core {
        Some(core) => core.bounce(msg),
        None => bounce(msg),
    });
}

#[cold]
fn bounce<M>(msg: Lost<M>) {
    DEAD_LETTERS.fetch_add(1, Relaxed);
    contain("a message", None, || drop(msg));
}

/// Creates an actor from any thread and hands it to a worker at once.
pub(crate) fn spawn_from_outside<A: Actor>(team: &Team, actor: A) -> Address<A> {
    spawn(team, actor, |_| {})
}

/// As [`spawn_from_outside`]; the actor has extras from the start.
pub(crate) fn spawn_prepared<A: Actor>(team: &Team, actor: A, prepare: impl FnOnce(&Extras)) -> Address<A> {
    // SAFETY: the cell is still ours.
    spawn(team, actor, |cell| prepare(unsafe { extras::attach(cell) }))
}

#[inline(always)]
fn spawn<A: Actor>(team: &Team, actor: A, prepare: impl FnOnce(&Header)) -> Address<A> {
    let active = ACTIVE.with(Cell::get);
    if !active.is_null() {
        // SAFETY: as in `tell_from_outside`.
        unsafe { (*active).flush() };
    }
    let place = team.place();
    let owner = TRANSIT | place.unwrap_or(team.ports[0]).id;
    // The actor is not for the closure, with which it would be copied into an option and out of it.
    let item = pool::with_thread_pools(|pools| {
        let pool = &pools.cells[Shape::<A>::CLASS];
        pool.expect_many();
        pool.take()
    });
    // SAFETY: the item was taken from the pool of this class.
    let cell = unsafe { Shape::<A>::create_in(item, vtable::<A>(), owner, first_flags::<A>(), actor) };
    // SAFETY: we have just made the cell.
    let address = unsafe {
        prepare(&*cell);
        Address::of(cell)
    };
    let newcomer = Newcomer {
        cell,
        anywhere: place.is_none(),
    };
    if team.inbox.push(welcome, newcomer, ACTORS_AHEAD).is_err() {
        unreachable!("the caller holds the runtime, so its inbox is open");
    }
    address
}

fn first_flags<A: Actor>() -> u32 {
    flag::HOLDS | flag::OUTSIDER | flag::UNSTARTED | if A::EAGER { flag::SCHEDULED } else { 0 }
}

/// The state of a scope.
struct State {
    /// The owner of actors that were created but not yet handed over; nobody ever writes to its inbound list.
    identity: &'static Port,
    my_tag: u32,
    pools: Option<Pools>,
    chunk: Box<Chunk>,
    team: Arc<Team>,
}

impl State {
    #[inline(always)]
    fn pools(&self) -> &Pools {
        self.pools.as_ref().expect("kept until the scope ends")
    }

    #[inline(always)]
    fn spawn<A: Actor>(&mut self, actor: A) -> Address<A> {
        let cell = Shape::<A>::create(
            self.pools(),
            vtable::<A>(),
            self.identity.id,
            first_flags::<A>(),
            actor,
        );
        // SAFETY: we have just made the cell.
        let address = unsafe { Address::of(cell) };
        if !self.chunk.spawned(cell) {
            self.flush();
            assert!(self.chunk.spawned(cell), "an empty chunk has room");
        }
        address
    }

    /// Gives the message back if its receiver is gone: dropping it runs code of users, which may enter the scope again.
    #[inline(always)]
    fn tell<A: Actor>(&mut self, to: Address<A>, msg: A::Msg) -> Result<(), A::Msg> {
        let cell = to.cell();
        // SAFETY: a cell's tag is valid for ever.
        let found = unsafe { (*cell).tag.load(Relaxed) };
        if found == self.my_tag | u32::from(to.generation()) {
            // Still ours: nobody runs it before all of the chunk is delivered, so the message may go straight in.
            // SAFETY: the tag says so, and only we change it.
            unsafe {
                // It is queued when the chunk is taken over.
                Shape::<A>::push(self.pools(), cell, ManuallyDrop::new(msg));
            }
        } else if home(to.target()).is_some_and(|inbox| !ptr::eq(inbox, self.team.inbox)) {
            // Of another runtime, whose inbox it must enter behind what this thread has sent before.
            self.flush();
            return enter(to, msg);
        } else if let Err(msg) = self.chunk.sent(to, msg) {
            self.flush();
            if self.chunk.sent(to, msg).is_err() {
                unreachable!("an empty chunk has room for any message");
            }
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn flush(&mut self) {
        if self.chunk.is_empty() {
            return;
        }
        let owner = TRANSIT | self.team.ports[0].id;
        for &cell in self.chunk.cells() {
            // SAFETY: the cells are ours until the chunk is handed over; from here on we do not write to them.
            unsafe {
                let generation = (*cell).tag.load(Relaxed) as u16;
                (*cell).tag.store(tag(owner, generation), Release);
            }
        }
        let chunk = std::mem::replace(&mut self.chunk, Chunk::take());
        if self
            .team
            .inbox
            .push(chunk::deliver, chunk, MESSAGES_AHEAD)
            .is_err()
        {
            unreachable!("a scope holds its runtime, so the inbox is open");
        }
    }
}

/// A thread outside the runtime that creates actors and sends in bulk; see [`crate::Runtime::client`].
///
/// Actors and messages are collected and handed to a worker when a batch is full, on [`Client::flush`], and at the end of
/// the scope. Messages of this thread to one actor arrive in the order sent, also those of later scopes and of
/// [`Address::tell`]; and whoever handles a message of a scope finds all earlier ones of it delivered.
pub struct Client<'r> {
    mode: Mode<'r>,
    // Neither Send nor Sync: a client is bound to its thread.
    thread: PhantomData<*mut ()>,
}

enum Mode<'r> {
    /// The usual one.
    Batched(*mut State),
    /// On a worker's thread, or when no identity was to be had: each call takes effect at once.
    Direct(&'r Team),
}

impl fmt::Debug for Client<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let batched = matches!(self.mode, Mode::Batched(_));
        f.debug_struct("Client")
            .field("batched", &batched)
            .finish_non_exhaustive()
    }
}

impl Client<'_> {
    /// Creates an actor. It starts when the batch has been handed over.
    #[inline]
    pub fn spawn<A: Actor>(&mut self, actor: A) -> Address<A> {
        match self.mode {
            // SAFETY: the state lives as long as the scope, on this thread; no other borrow of it is active, since its methods
            // run no code of users.
            Mode::Batched(state) => unsafe { (*state).spawn(actor) },
            Mode::Direct(team) => spawn_from_outside(team, actor),
        }
    }

    /// Sends `msg`, as [`Address::tell`].
    #[inline]
    pub fn tell<A: Actor>(&mut self, to: Address<A>, msg: A::Msg) {
        let msg = match gate::enter(to, msg) {
            Ok(msg) => msg,
            Err(refused) => return gate::refuse(to, refused),
        };
        let sent = match self.mode {
            // SAFETY: as in `spawn`.
            Mode::Batched(state) => unsafe { (*state).tell(to, msg) },
            Mode::Direct(_) => {
                to.tell_admitted(msg);
                Ok(())
            }
        };
        if let Err(msg) = sent {
            bounce(Lost::gone(msg));
        }
    }

    /// Hands over what has been collected. Needed before waiting for an effect of it inside the scope.
    pub fn flush(&mut self) {
        if let Mode::Batched(state) = self.mode {
            // SAFETY: as in `spawn`.
            unsafe { (*state).flush() };
        }
    }
}

/// Runs a scope; see [`crate::Runtime::client`].
pub(crate) fn scope<R>(team: &Arc<Team>, f: impl FnOnce(&mut Client<'_>) -> R) -> R {
    let on_worker = crate::worker::current::with(|core| core.is_some());
    let identity = if on_worker { None } else { port::lease() };
    let Some(identity) = identity else {
        return f(&mut Client {
            mode: Mode::Direct(team),
            thread: PhantomData,
        });
    };
    let active = ACTIVE.with(Cell::get);
    if !active.is_null() {
        port::give_back(identity);
        // SAFETY: the outer scope has not ended.
        let same = unsafe { &*active }.team.key == team.key;
        assert!(
            same,
            "datil: a client scope must not be opened inside that of another runtime"
        );
        let _inner = InnerScope(active);
        return f(&mut Client {
            mode: Mode::Batched(active),
            thread: PhantomData,
        });
    }
    identity
        .inbox
        .store(ptr::from_ref(team.inbox).cast_mut(), Release);
    let scope = Scope(Box::into_raw(Box::new(State {
        identity,
        my_tag: tag(identity.id, 0),
        pools: Some(pool::take_thread_pools()),
        chunk: Chunk::take(),
        team: team.clone(),
    })));
    ACTIVE.with(|active| active.set(scope.0));
    f(&mut Client {
        mode: Mode::Batched(scope.0),
        thread: PhantomData,
    })
}

/// Ends a scope inside another one, also when it is left by a panic.
struct InnerScope(*mut State);

impl Drop for InnerScope {
    fn drop(&mut self) {
        // SAFETY: the outer scope has not ended, and none of its methods runs.
        unsafe { (*self.0).flush() };
    }
}

/// Ends a scope, also when it is left by a panic.
struct Scope(*mut State);

impl Drop for Scope {
    fn drop(&mut self) {
        ACTIVE.with(|active| active.set(ptr::null_mut()));
        // SAFETY: made by `Box::into_raw` in `scope`; the client and the thread-local do not use it any more.
        let mut state = unsafe { Box::from_raw(self.0) };
        state.flush();
        if let Some(pools) = state.pools.take() {
            pool::keep_thread_pools(pools);
        }
        port::give_back(state.identity);
    }
}
