//! Batches of work that an outside thread hands to a worker.

use crate::atomic::Ordering::Relaxed;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

use crate::actor::Actor;
use crate::address::Address;
use crate::inbox;
use crate::mailbox::cell::Header;
use crate::pool::lock;
use crate::prefetch;
use crate::sync::Mutex;
use crate::worker::core::Core;

/// Bytes of entries in a chunk: about 300 messages, a few microseconds of work, within the first cache level.
const ROOM: usize = 8 << 10;
/// Actors created in a chunk; their cells stay within the second cache level until they run.
const CELLS: usize = 256;
/// Cells are fetched so many ahead: enough to cover the way from the other core's cache.
const AHEAD: usize = 12;
/// Chunks kept for reuse.
const KEPT: usize = 256;

// SAFETY: a chunk owns what it lists, and is handed from thread to thread as a whole.
unsafe impl Send for Chunk {}

/// What a thread created and sent, in the order in which it happened.
#[repr(C, align(64))]
pub(crate) struct Chunk {
    used: usize,
    /// Actors created, in order. They are taken over when all entries have been handled: from then on they may run, here or elsewhere.
    cells: Vec<*mut Header>,
    entries: UnsafeCell<[MaybeUninit<u64>; ROOM / 8]>,
}

/// Handles one entry.
type Handler = unsafe fn(&Core, *mut u8);

/// What stands before each entry's body.
#[repr(C)]
struct Lead {
    handler: Handler,
    /// Bytes of lead and body, a multiple of 8.
    size: usize,
}

/// The body of a message.
#[repr(C)]
struct Message<A: Actor> {
    to: Address<A>,
    msg: A::Msg,
}

static FREE: Mutex<Vec<Box<Chunk>>> = Mutex::new(Vec::new());

#[cfg(shuttle)]
pub(crate) fn forget() {
    lock(&FREE).clear();
}

impl Chunk {
    pub(crate) fn take() -> Box<Chunk> {
        lock(&FREE).pop().unwrap_or_else(|| {
            Box::new(Chunk {
                used: 0,
                cells: Vec::with_capacity(CELLS),
                entries: UnsafeCell::new([MaybeUninit::uninit(); ROOM / 8]),
            })
        })
    }

    fn recycle(self: Box<Chunk>) {
        let mut free = lock(&FREE);
        if free.len() < KEPT {
            free.push(self);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.used == 0 && self.cells.is_empty()
    }

    pub(crate) fn cells(&self) -> &[*mut Header] {
        &self.cells
    }

    /// Appends an entry; gives the body back if there is no room. Bodies are at most aligned to 8 bytes and fit a chunk.
    #[inline(always)]
    fn append<T>(&mut self, handler: Handler, body: T) -> Result<(), T> {
        debug_assert!(align_of::<T>() <= 8 && size_of::<Lead>() + size_of::<T>() <= ROOM);
        let size = (size_of::<Lead>() + size_of::<T>()).next_multiple_of(8);
        if self.used + size > ROOM {
            return Err(body);
        }
        // SAFETY: the entry lies within the array, at a multiple of 8, and the chunk is ours.
        unsafe {
            let at = self.entries.get().cast::<u8>().add(self.used);
            at.cast::<Lead>().write(Lead { handler, size });
            at.add(size_of::<Lead>()).cast::<T>().write(body);
        }
        self.used += size;
        Ok(())
    }

    /// Notes that an actor was spawned; false if there is no room.
    #[inline(always)]
    pub(crate) fn spawned(&mut self, cell: *mut Header) -> bool {
        let room = self.cells.len() < CELLS;
        if room {
            self.cells.push(cell);
        }
        room
    }

    /// Notes that a message was sent.
    #[inline(always)]
    pub(crate) fn sent<A: Actor>(&mut self, to: Address<A>, msg: A::Msg) -> Result<(), A::Msg> {
        let message = Message { to, msg };
        // What is too big or over-aligned for the log goes there in a box; the condition is a constant.
        if align_of::<Message<A>>() <= 8 && size_of::<Message<A>>() <= 512 {
            self.append(send::<A>, message).map_err(|message| message.msg)
        } else {
            self.append(send_boxed::<A>, Box::new(message))
                .map_err(|message| message.msg)
        }
    }
}

/// # Safety
/// `body` holds a `Message<A>` that was not taken yet.
unsafe fn send<A: Actor>(core: &Core, body: *mut u8) {
    // SAFETY: by the caller.
    let Message { to, msg } = unsafe { body.cast::<Message<A>>().read() };
    core.send(to, msg);
}

/// # Safety
/// `body` holds a `Box<Message<A>>` that was not taken yet.
unsafe fn send_boxed<A: Actor>(core: &Core, body: *mut u8) {
    // SAFETY: by the caller.
    let Message { to, msg } = *unsafe { body.cast::<Box<Message<A>>>().read() };
    core.send(to, msg);
}

/// Does everything in a chunk: first all that was sent, in order, then it takes over the actors created. Those have in their mailboxes what was sent to
/// them, and run as soon as they are taken over, maybe on other workers. So whoever handles a message of the chunk finds all earlier ones of it delivered.
///
/// # Safety
/// `record` is one of the inbox with a `Box<Chunk>` that was not taken yet.
pub(crate) unsafe fn deliver(core: &Core, record: *mut u64) -> u64 {
    // SAFETY: by the caller.
    let (mut chunk, words) = unsafe { inbox::take::<Box<Chunk>>(record) };
    let mut at = 0;
    while at < chunk.used {
        // SAFETY: entries lie one behind the other up to `used`, each with its lead and body, and each is handled once.
        unsafe {
            let entry = chunk.entries.get().cast::<u8>().add(at);
            let Lead { handler, size } = entry.cast::<Lead>().read();
            at += size;
            handler(core, entry.add(size_of::<Lead>()));
        }
    }
    chunk.used = 0;
    for (i, &cell) in chunk.cells.iter().enumerate() {
        if let Some(&later) = chunk.cells.get(i + AHEAD) {
            prefetch::line(later);
        }
        // SAFETY: the cell is in transit, its token came with the chunk.
        unsafe {
            let generation = (*cell).tag.load(Relaxed) as u16;
            core.accept(cell, generation);
        }
    }
    chunk.cells.clear();
    chunk.recycle();
    words
}
