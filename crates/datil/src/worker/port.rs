//! The shared face of a worker: what other threads see and write.
//!
//! See `README.md` beside this file for the wake protocol and its proof.

use crate::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use crate::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ptr;

use super::core::Core;
use crate::futex;
use crate::inbox::Inbox;
use crate::mailbox::cell::Header;
use crate::placement::Spot;
use crate::pool::lock;
use crate::sync::Mutex;

/// The worker is at work: it looks at its inbound list before it sleeps.
pub(crate) const RUNNING: u32 = 0;
/// The worker has nothing queued; its actors may be adopted, and it may be claimed.
pub(crate) const IDLE: u32 = 1;
/// Somebody is adopting an actor of the idle worker.
pub(crate) const LOCKED: u32 = 2;

/// Somebody has work for the worker, which was idle and has not got up yet. Nobody adopts from it.
pub(crate) const CLAIMED: u32 = 5;

/// The worker is in a handler that takes long: its actors may be adopted, but for the one that runs.
pub(crate) const ABSENT: u32 = 3;
/// Somebody is adopting an actor of the absent worker, or rescuing what waits for it.
pub(crate) const ABSENT_LOCKED: u32 = 4;

/// Request: end the loop.
pub(crate) const STOP: u32 = 1 << 31;
/// Beside [`STEAL`], from a policy that routes: from the head of the queue instead of its tail.
pub(crate) const FROM_HEAD: u32 = 1 << 26;
/// Request: give all work to the port in the lower bits.
pub(crate) const RETREAT: u32 = 1 << 30;
/// Request: give some work to the port in the lower bits.
pub(crate) const STEAL: u32 = 1 << 29;
/// Request: get up and look around, at the runtime's inbox and at who idles.
pub(crate) const LOOK: u32 = 1 << 28;
/// Request: get up, and watch the runtime's inbox when there is nothing else to do.
pub(crate) const WATCH: u32 = 1 << 27;

/// In `Rest::sleeping`: the worker sleeps until it is woken.
pub(crate) const ASLEEP: u32 = 1;
/// In `Rest::sleeping`: the worker sleeps for a while and wants to be woken by requests only.
pub(crate) const NAPPING: u32 = 2;
/// In `Rest::sleeping`: the worker slept, and was woken to look for work ([`Port::summon`]).
pub(crate) const SUMMONED: u32 = 3;

/// Keeps what different threads write on different lines, also under adjacent-line prefetching.
#[repr(align(128))]
pub(crate) struct Line<T>(pub(crate) T);

/// Tokens linked in the order in which they will be pushed.
pub(crate) struct Chain {
    newest: *mut Header,
    oldest: *mut Header,
}

impl Chain {
    pub(crate) fn new() -> Self {
        Self {
            newest: ptr::null_mut(),
            oldest: ptr::null_mut(),
        }
    }

    /// # Safety
    /// The caller holds the cell's token and hands it to the chain.
    pub(crate) unsafe fn add(&mut self, cell: *mut Header) {
        // SAFETY: by the caller.
        unsafe { (*cell).next_in.store(self.newest, Relaxed) };
        self.newest = cell;
        if self.oldest.is_null() {
            self.oldest = cell;
        }
    }
}

/// Declares the counters of a worker once, as atomics inside and as plain numbers for users.
macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counters of one worker, written by it alone.
        #[derive(Default)]
        pub(crate) struct Counters {
            $(pub(crate) $name: AtomicU64,)*
        }

        impl Counters {
            pub(crate) fn read(&self) -> WorkerMetrics {
                WorkerMetrics { $($name: self.$name.load(Relaxed),)* }
            }

            pub(crate) fn reset(&self) {
                $(self.$name.store(0, Relaxed);)*
            }
        }

        /// What one worker did since the runtime was built. All are counts; read while the worker runs they may be
        /// of slightly different moments.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct WorkerMetrics {
            $($(#[$doc])* pub $name: u64,)*
        }

        #[cfg(feature = "metrics")]
        impl WorkerMetrics {
            /// The fields' names, in order.
            pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            /// The fields' values, in the same order.
            pub(crate) fn values(&self) -> [u64; Self::NAMES.len()] {
                [$(self.$name,)*]
            }
        }

        impl std::ops::AddAssign for WorkerMetrics {
            fn add_assign(&mut self, other: Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

counters! {
    /// Times an actor was taken from a queue and run.
    activations,
    /// Messages handled.
    messages,
    /// Messages sent to actors of other workers; all others were local.
    remote_sends,
    /// Messages dropped because their actor had stopped.
    dead_letters,
    /// Actors created by actors on this worker.
    spawned,
    /// Panics in code of users that were caught on the worker; [`crate::Builder::on_panic`] says which code that is.
    panics,
    /// Times work was given to an idle worker.
    shares,
    /// Actors given away, unasked or asked for.
    shared_actors,
    /// Times another worker was asked for work.
    steal_attempts,
    /// Times something arrived after asking.
    steals,
    /// Actors taken over from idle or absent workers in order to write to them.
    adoptions,
    /// Times another worker was found in a handler that took long.
    rescues,
    /// Actors that waited for such a worker and were taken over.
    rescued_actors,
    /// Idle actors sent to the worker that wrote to them.
    follows,
    /// Times all work was given back because two workers only talked to each other.
    retreats,
    /// Activations on the memory node of the actor's home. Only policies with homes count this and the next, and only if there are
    /// workers on several nodes.
    near_activations,
    /// Activations on another memory node than that of the actor's home.
    far_activations,
    /// Actors sent to the queue of another worker because the policy routed them there.
    routed_actors,
    /// Thefts from workers on other memory nodes, by policies that route.
    far_steals,
    /// Times the worker went to sleep.
    parks,
    /// Times another worker had to be woken.
    wakes,
    /// Queries answered for an actor of another worker, while that one answered others.
    helped_queries,
    /// Times an actor had to rest because it wrote to one with too much mail ([`crate::Mailbox::Soft`]).
    rests,
}

/// Adds to a counter that only the calling thread writes: a load and a store, no atomic exchange.
#[inline(always)]
pub(crate) fn bump(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(by), Relaxed);
}

/// What a port's wake protocol is about.
pub(crate) struct Rest {
    pub(crate) state: AtomicU32,
    /// [`ASLEEP`] or [`NAPPING`] while the worker sleeps or is about to, [`SUMMONED`] from when it is woken so until it knows, else 0: the
    /// futex word.
    pub(crate) sleeping: AtomicU32,
    /// Key of the runtime whose worker this is, 0 if none.
    pub(crate) team: AtomicU64,
    /// Index of the worker in its runtime.
    pub(crate) index: AtomicUsize,
}

pub(crate) struct Port {
    pub(crate) id: u16,
    /// The inbox of the holder's runtime.
    pub(crate) inbox: AtomicPtr<Inbox>,
    /// The holder's core as long as its thread runs; see `absence.rs` for when others may use it.
    pub(crate) core: AtomicPtr<Core>,
    inbound: Line<AtomicPtr<Header>>,
    pub(crate) request: AtomicU32,
    pub(crate) rest: Line<Rest>,
    /// Where the holder's thread is, if it is a worker that the system may put anywhere.
    pub(crate) spot: Line<Spot>,
    pub(crate) counters: Line<Counters>,
}

impl Port {
    fn new(id: u16) -> Self {
        Self {
            id,
            inbox: AtomicPtr::new(ptr::null_mut()),
            core: AtomicPtr::new(ptr::null_mut()),
            inbound: Line(AtomicPtr::new(ptr::null_mut())),
            request: AtomicU32::new(0),
            rest: Line(Rest {
                state: AtomicU32::new(RUNNING),
                sleeping: AtomicU32::new(0),
                team: AtomicU64::new(0),
                index: AtomicUsize::new(0),
            }),
            spot: Line(Spot::new()),
            counters: Line(Counters::default()),
        }
    }

    /// Whether something waits for the worker; a hint while it runs, exact after the fence of [`Port::rest`]'s protocol.
    #[inline(always)]
    pub(crate) fn has_mail(&self) -> bool {
        !self.inbound.0.load(Relaxed).is_null()
    }

    /// Pushes tokens and makes sure that the worker notices. True if a sleeping worker had to be woken.
    pub(crate) fn deliver(&self, chain: Chain) -> bool {
        if chain.oldest.is_null() {
            return false;
        }
        let mut head = self.inbound.0.load(Relaxed);
        loop {
            // SAFETY: the chain holds its tokens until the exchange succeeds.
            unsafe { (*chain.oldest).next_in.store(head, Relaxed) };
            // Release publishes the cells; the list is only pushed to and taken whole, so there is no ABA.
            match self
                .inbound
                .0
                .compare_exchange_weak(head, chain.newest, Release, Relaxed)
            {
                Ok(_) => break,
                Err(now) => head = now,
            }
        }
        self.notify()
    }

    /// Pushes one token; see [`Port::deliver`].
    ///
    /// # Safety
    /// The caller holds the token and hands it over.
    pub(crate) unsafe fn deliver_one(&self, cell: *mut Header) -> bool {
        let mut chain = Chain::new();
        // SAFETY: by the caller.
        unsafe { chain.add(cell) };
        self.deliver(chain)
    }

    /// Wakes the worker if it sleeps; the caller has published something before.
    pub(crate) fn notify(&self) -> bool {
        // Pairs with the fences in `Worker::rest`: either we see that the worker is about to sleep, or it sees what we published.
        fence(SeqCst);
        let rest = &self.rest.0;
        if rest.state.load(Relaxed) == RUNNING && rest.sleeping.load(Relaxed) == 0 {
            return false;
        }
        self.rouse()
    }

    /// Whether the worker would have to be woken, as far as one can see.
    pub(crate) fn is_asleep(&self) -> bool {
        self.rest.0.sleeping.load(Relaxed) == 1
    }

    /// Posts a request and wakes the worker if it sleeps; true if it did.
    pub(crate) fn call(&self, request: u32) -> bool {
        self.request.fetch_or(request, AcqRel);
        let woke = self.notify();
        let sleeping = &self.rest.0.sleeping;
        // The fence in `notify` is between the request and this look.
        let napped = sleeping.load(Relaxed) == NAPPING
            && sleeping.compare_exchange(NAPPING, 0, AcqRel, Relaxed).is_ok();
        if napped {
            futex::wake(sleeping);
        }
        woke || napped
    }

    /// Ends the worker's sleep, if it sleeps until it is woken.
    pub(crate) fn rouse(&self) -> bool {
        let sleeping = &self.rest.0.sleeping;
        let woke =
            sleeping.load(Relaxed) == ASLEEP && sleeping.compare_exchange(ASLEEP, 0, AcqRel, Relaxed).is_ok();
        if woke {
            futex::wake(sleeping);
        }
        woke
    }

    /// Whether the worker sleeps, either way. A hint: it may get up just now.
    pub(crate) fn sleeps(&self) -> bool {
        matches!(self.rest.0.sleeping.load(Relaxed), ASLEEP | NAPPING)
    }

    /// Ends the worker's sleep, of either kind, and lets it know that it is to look for work; false if it does not sleep.
    ///
    /// The exchange decides: what it leaves in the word is found when the worker takes that back, as it does after every sleep, and nothing else
    /// is found there by a worker that was not woken so. Release and Acquire: it sees what lies where.
    pub(crate) fn summon(&self) -> bool {
        let sleeping = &self.rest.0.sleeping;
        let found = sleeping.load(Relaxed);
        let woke = matches!(found, ASLEEP | NAPPING)
            && sleeping
                .compare_exchange(found, SUMMONED, AcqRel, Relaxed)
                .is_ok();
        if woke {
            futex::wake(sleeping);
        }
        woke
    }

    /// Takes everything that has arrived, oldest first.
    pub(crate) fn take_all(&self) -> Arrivals {
        let mut newest_left = self.inbound.0.swap(ptr::null_mut(), Acquire);
        let mut oldest: *mut Header = ptr::null_mut();
        while !newest_left.is_null() {
            // SAFETY: the swap made all tokens of the list ours.
            let link = unsafe { &(*newest_left).next_in };
            let next = link.load(Relaxed);
            link.store(oldest, Relaxed);
            oldest = newest_left;
            newest_left = next;
        }
        Arrivals(oldest)
    }
}

/// Tokens on their way from the inbound list to their handling.
pub(crate) struct Arrivals(*mut Header);

impl Iterator for Arrivals {
    type Item = *mut Header;

    fn next(&mut self) -> Option<*mut Header> {
        let cell = self.0;
        if cell.is_null() {
            return None;
        }
        // SAFETY: the token is ours. The link is read before the token is handled: afterwards somebody else may hold it.
        self.0 = unsafe { (*cell).next_in.load(Relaxed) };
        Some(cell)
    }
}

/// Ports that can exist at a time, over all runtimes of the process and all clients.
pub(crate) const MAX_PORTS: usize = 4096;

/// Ports are made once and never freed: a stale owner in a tag always leads to a valid port.
static PORTS: [AtomicPtr<Port>; MAX_PORTS] = [const { AtomicPtr::new(ptr::null_mut()) }; MAX_PORTS];

struct Ids {
    /// Ids given back, lowest first: what a late sender left at a port is handled by its next holder.
    free: BinaryHeap<Reverse<u16>>,
    made: u16,
}

static IDS: Mutex<Option<Ids>> = Mutex::new(None);

/// The port of a worker id that was read from a tag.
#[inline]
pub(crate) fn port(id: u16) -> &'static Port {
    debug_assert!(usize::from(id) < MAX_PORTS && id != 0);
    // SAFETY: owners in tags are ids of ports that were made before the tag was written, and ports are never freed.
    unsafe { &*PORTS[usize::from(id)].load(Acquire) }
}

/// Leases a port; `None` if all are in use.
pub(crate) fn lease() -> Option<&'static Port> {
    let mut guard = lock(&IDS);
    let ids = guard.get_or_insert_with(|| Ids {
        free: BinaryHeap::new(),
        made: 0,
    });
    if let Some(Reverse(id)) = ids.free.pop() {
        return Some(port(id));
    }
    if usize::from(ids.made) + 1 >= MAX_PORTS {
        return None;
    }
    ids.made += 1;
    let made = Box::leak(Box::new(Port::new(ids.made)));
    PORTS[usize::from(made.id)].store(made, Release);
    Some(made)
}

/// Makes no port be there, as in a new process; see `crate::model`.
#[cfg(shuttle)]
pub(crate) fn forget() {
    *lock(&IDS) = None;
}

/// Gives a port back; its holder has stopped and owns no cell any more.
pub(crate) fn give_back(port: &'static Port) {
    port.rest.0.team.store(0, Relaxed);
    port.rest.0.state.store(RUNNING, Relaxed);
    port.rest.0.sleeping.store(0, Relaxed);
    port.request.store(0, Relaxed);
    port.core.store(ptr::null_mut(), Relaxed);
    let mut guard = lock(&IDS);
    guard
        .as_mut()
        .expect("a port was leased before")
        .free
        .push(Reverse(port.id));
}
