//! How threads that are not workers create actors and send.
//!
//! See `README.md` beside this file.

pub(crate) mod chunk;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use chunk::Chunk;

use crate::actor::Actor;
use crate::address::Address;
use crate::mailbox::block::{self, Stored};
use crate::mailbox::cell::{NOBODY, Pushed, Shape, TRANSIT, flag, push_remote, tag};
use crate::pool::{self, Pools, lock};
use crate::worker::core::{bring_token, vtable};
use crate::worker::port::{self, Parcel, Port};
use crate::worker::team::Team;

/// Messages from outside threads that found their actor gone.
static DEAD_LETTERS: AtomicU64 = AtomicU64::new(0);

pub(crate) fn dead_letters() -> u64 {
    DEAD_LETTERS.load(Relaxed)
}

/// The worker through which a thread's batches go, and how many have got there.
#[derive(Clone)]
struct Route {
    team: Arc<Team>,
    proxy: &'static Port,
    sent: u64,
    delivered: Arc<AtomicU64>,
}

impl Route {
    fn new(team: &Arc<Team>) -> Self {
        Self {
            team: team.clone(),
            proxy: team.place(),
            sent: 0,
            delivered: Arc::default(),
        }
    }

    /// Whether all batches are in the mailboxes, so that a direct send cannot overtake one.
    fn settled(&self) -> bool {
        self.delivered.load(Acquire) == self.sent
    }

    fn dispatch(&mut self, mut chunk: Box<Chunk>) {
        chunk.seal(self.delivered.clone());
        self.sent += 1;
        // SAFETY: the chunk is ours and handed over here.
        unsafe { self.proxy.deliver_one(Parcel::Chunk(Box::into_raw(chunk))) };
    }
}

/// What a thread outside the runtimes remembers about its sends.
struct Outside {
    /// The client of the scope that the thread is in.
    active: Cell<*mut State>,
    /// Routes of earlier scopes with batches that may still be on their way.
    unsettled: RefCell<Vec<Route>>,
}

thread_local! {
    static OUTSIDE: Outside =
        const { Outside { active: Cell::new(ptr::null_mut()), unsettled: RefCell::new(Vec::new()) } };
}

/// Sends from a thread that is no worker.
pub(crate) fn tell_from_outside<A: Actor>(to: Address<A>, msg: A::Msg) {
    let mut msg = Some(msg);
    // The thread-local is gone while the thread ends; then there is no scope and we must not wait for anything.
    let _ = OUTSIDE.try_with(|outside| {
        let active = outside.active.get();
        if !active.is_null() {
            // SAFETY: the scope that set this has not ended, and none of its methods runs: they call no code of users.
            let state = unsafe { &mut *active };
            state.tell(to, msg.take().expect("not sent yet"));
            state.flush();
        } else if !outside.unsettled.borrow().is_empty() {
            msg = send_behind(outside, to, msg.take().expect("not sent yet"));
        }
    });
    if let Some(msg) = msg {
        send_directly(to, msg);
    }
}

/// Sends behind batches that are on their way; gives the message back if there are none any more.
fn send_behind<A: Actor>(outside: &Outside, to: Address<A>, msg: A::Msg) -> Option<A::Msg> {
    let mut routes = outside.unsettled.borrow_mut();
    routes.retain(|route| !route.settled());
    while routes.len() > 1 {
        // Batches for several runtimes at once, each of which may hold messages for this receiver: let all but one arrive.
        std::thread::yield_now();
        routes.retain(|route| !route.settled());
    }
    let Some(route) = routes.first_mut() else {
        return Some(msg);
    };
    let team = route.team.clone();
    let closed = lock(&team.closed);
    if *closed {
        // The shutdown delivers what is on its way and ends all actors; there is nothing left to be behind of.
        drop(closed);
        routes.clear();
        return Some(msg);
    }
    let mut chunk = Chunk::take();
    if chunk.sent(to, msg).is_err() {
        unreachable!("an empty chunk has room for any message");
    }
    route.dispatch(chunk);
    None
}

/// Sends by way of the receiver's remote list.
fn send_directly<A: Actor>(to: Address<A>, msg: A::Msg) {
    let cell = to.cell();
    // SAFETY: a cell's tag is valid for ever.
    let found = unsafe { (*cell).tag.load(Relaxed) };
    if found as u16 != to.generation() || (found >> 16) as u16 == NOBODY {
        return bounce(msg);
    }
    let block = pool::with_thread_pools(|pools| {
        let (block, place) = Stored::<A::Msg>::block(pools, false);
        // SAFETY: the place is in the block, which is ours.
        unsafe { Stored::<A::Msg>::write(place, ManuallyDrop::new(msg)) };
        block
    });
    // SAFETY: the block is ours until it is published and holds a message for the actor of this generation;
    // with the token in hand we bring it.
    match unsafe { push_remote(cell, to.generation(), block) } {
        Pushed::Delivered => {}
        Pushed::WithToken => {
            // SAFETY: as above.
            unsafe { bring_token(cell) };
        }
        Pushed::Dead => {
            // SAFETY: the block is still ours and holds the message; then it is empty.
            let msg = unsafe {
                let (msg, _) = Stored::<A::Msg>::take(block);
                pool::with_thread_pools(|pools| block::free(pools, block));
                msg
            };
            bounce(msg);
        }
    }
}

#[cold]
fn bounce<M>(msg: M) {
    DEAD_LETTERS.fetch_add(1, Relaxed);
    drop(msg);
}

/// Creates an actor from any thread and hands it to a worker at once.
pub(crate) fn spawn_from_outside<A: Actor>(team: &Team, actor: A) -> Address<A> {
    let cell = pool::with_thread_pools(|pools| {
        Shape::<A>::create(pools, vtable::<A>(), TRANSIT, first_flags::<A>(), actor)
    });
    // SAFETY: we have just made the cell, in transit with its token in our hands, and hand it over.
    unsafe {
        let address = Address::of(cell);
        team.place().deliver_one(Parcel::Token(cell));
        address
    }
}

fn first_flags<A: Actor>() -> u32 {
    flag::HOLDS | flag::UNSTARTED | if A::EAGER { flag::SCHEDULED } else { 0 }
}

/// The state of a scope.
struct State {
    /// The owner of actors that were created but not yet handed over; nobody ever writes to its inbound list.
    identity: &'static Port,
    my_tag: u32,
    pools: Option<Pools>,
    chunk: Box<Chunk>,
    route: Route,
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

    #[inline(always)]
    fn tell<A: Actor>(&mut self, to: Address<A>, msg: A::Msg) {
        let cell = to.cell();
        // SAFETY: a cell's tag is valid for ever.
        let found = unsafe { (*cell).tag.load(Relaxed) };
        if found == self.my_tag | u32::from(to.generation()) {
            // Still ours: nobody runs anything of this chunk before all of it is delivered, so the message may go straight in.
            // SAFETY: the tag says so, and only we change it.
            unsafe {
                Shape::<A>::push(self.pools(), cell, ManuallyDrop::new(msg));
                (*cell).flags.set((*cell).flags.get() | flag::SCHEDULED);
            }
        } else if let Err(msg) = self.chunk.sent(to, msg) {
            self.flush();
            if self.chunk.sent(to, msg).is_err() {
                unreachable!("an empty chunk has room for any message");
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn flush(&mut self) {
        if self.chunk.is_empty() {
            return;
        }
        for &cell in self.chunk.cells() {
            // SAFETY: the cells are ours until the chunk is handed over; from here on we do not write to them.
            unsafe {
                let generation = (*cell).tag.load(Relaxed) as u16;
                (*cell).tag.store(tag(TRANSIT, generation), Release);
            }
        }
        let chunk = std::mem::replace(&mut self.chunk, Chunk::take());
        self.route.dispatch(chunk);
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

    /// Sends `msg`. It never blocks and is never refused.
    #[inline]
    pub fn tell<A: Actor>(&mut self, to: Address<A>, msg: A::Msg) {
        match self.mode {
            // SAFETY: as in `spawn`.
            Mode::Batched(state) => unsafe { (*state).tell(to, msg) },
            Mode::Direct(_) => to.tell(msg),
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
    let active = OUTSIDE.with(|outside| outside.active.get());
    if !active.is_null() {
        port::give_back(identity);
        // SAFETY: the outer scope has not ended.
        let same = unsafe { &*active }.route.team.key == team.key;
        assert!(
            same,
            "datil: a client scope must not be opened inside that of another runtime"
        );
        return f(&mut Client {
            mode: Mode::Batched(active),
            thread: PhantomData,
        });
    }
    let scope = Scope(Box::into_raw(Box::new(State {
        identity,
        my_tag: tag(identity.id, 0),
        pools: Some(pool::take_thread_pools()),
        chunk: Chunk::take(),
        route: route_to(team),
    })));
    OUTSIDE.with(|outside| outside.active.set(scope.0));
    f(&mut Client {
        mode: Mode::Batched(scope.0),
        thread: PhantomData,
    })
}

/// The thread's route to this runtime, or a new one. Batches on other routes arrive first.
fn route_to(team: &Arc<Team>) -> Route {
    OUTSIDE.with(|outside| {
        let mut routes = outside.unsettled.borrow_mut();
        routes.retain(|route| !route.settled());
        while routes
            .iter()
            .any(|route| route.team.key != team.key && !*lock(&route.team.closed))
        {
            std::thread::yield_now();
            routes.retain(|route| !route.settled());
        }
        let same = routes.drain(..).find(|route| route.team.key == team.key);
        same.unwrap_or_else(|| Route::new(team))
    })
}

/// Ends a scope, also when it is left by a panic.
struct Scope(*mut State);

impl Drop for Scope {
    fn drop(&mut self) {
        OUTSIDE.with(|outside| outside.active.set(ptr::null_mut()));
        // SAFETY: made by `Box::into_raw` in `scope`; the client and the thread-local do not use it any more.
        let mut state = unsafe { Box::from_raw(self.0) };
        state.flush();
        if let Some(pools) = state.pools.take() {
            pool::keep_thread_pools(pools);
        }
        port::give_back(state.identity);
        if !state.route.settled() {
            OUTSIDE.with(|outside| outside.unsettled.borrow_mut().push(state.route.clone()));
        }
    }
}
