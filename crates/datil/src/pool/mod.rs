//! Memory for cells and message blocks: slabs that are never unmapped, private free lists, a shared depot.
//!
//! See `README.md` beside this file.

use crate::atomic::{AtomicUsize, Ordering::Relaxed};
use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::PoisonError;

use crate::prefetch;
use crate::sync::{Mutex, MutexGuard, thread_local};

/// Sizes of cells in bytes. All are multiples of a cache line, so no two actors share one.
pub(crate) const CELL_SIZES: [usize; 8] = [64, 128, 192, 256, 384, 512, 768, 1024];
/// Sizes of message blocks in bytes.
pub(crate) const BLOCK_SIZES: [usize; 6] = [64, 128, 256, 512, 1024, 2048];

/// Index of the smallest of `sizes` that holds `bytes`.
pub(crate) const fn class_of(sizes: &[usize], bytes: usize) -> usize {
    let mut class = 0;
    while sizes[class] < bytes {
        class += 1;
    }
    class
}

/// A model checker runs little at a time; the lists must fill up and run dry in that.
const SMALL: bool = cfg!(shuttle);
const PIECE: usize = if SMALL { 2 << 10 } else { 64 << 10 };
const REGION: usize = if SMALL { 1 << 20 } else { 64 << 20 };
/// Items that travel together between a private list and the depot.
const MAGAZINE: usize = if SMALL { 4 } else { 256 };
/// Items that are taken before one that was asked for.
const AHEAD: usize = 8;
/// Fresh items that a private list takes at once; only their addresses are written down.
const AT_ONCE: usize = if SMALL { 3 } else { 64 };

/// A panic elsewhere must not make memory unavailable; the data under these locks is valid at every step.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A piece of a slab that holds cells of one size.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) start: *mut u8,
    pub(crate) cell_size: usize,
}

// SAFETY: a piece is an address of memory that stays mapped for ever; reading it is up to the holder.
unsafe impl Send for Piece {}

impl Piece {
    /// Addresses of all cells in the piece, also of those never used.
    pub(crate) fn cells(self) -> impl Iterator<Item = *mut u8> {
        (0..PIECE / self.cell_size).map(move |i| self.start.wrapping_add(i * self.cell_size))
    }
}

struct Region {
    next: *mut u8,
    left: usize,
}

// SAFETY: the pointer is only used under the mutex that wraps the region.
unsafe impl Send for Region {}

/// Memory is kept apart by where it lies: one place per memory node, and [`EVERYWHERE`]. Nodes with higher numbers share places.
const PLACES: usize = 65;
/// The place of memory that is interleaved over all nodes.
pub(crate) const EVERYWHERE: usize = PLACES - 1;

// Of the system's thread, also where threads are modelled: there nobody settles.
std::thread_local! {
    /// The place of memory that this thread touches first.
    static PLACE: Cell<usize> = const { Cell::new(0) };
}

/// Says on which memory node, by its index, the calling thread stays from now on, or that its memory is [`EVERYWHERE`]. To be
/// called before it has pools.
pub(crate) fn settle(node: usize) {
    PLACE.set(if node == EVERYWHERE {
        node
    } else {
        node % EVERYWHERE
    });
}

static REGIONS_IN_USE: [Mutex<Region>; PLACES] = [const {
    Mutex::new(Region {
        next: ptr::null_mut(),
        left: 0,
    })
}; PLACES];
static CELL_PIECES: Mutex<Vec<Piece>> = Mutex::new(Vec::new());

/// All pieces that hold cells, of all runtimes of the process.
pub(crate) fn cell_pieces() -> Vec<Piece> {
    lock(&CELL_PIECES).clone()
}

/// Maps `REGION` bytes of zeroed memory, preferably in 2 MiB pages. Never returned to the system.
#[cfg(all(unix, not(any(miri, shuttle))))]
fn map_region() -> (*mut u8, usize) {
    const HUGE: usize = 2 << 20;
    // SAFETY: an anonymous private mapping at an address of the kernel's choice touches no existing memory.
    let start = unsafe {
        libc::mmap(
            ptr::null_mut(),
            REGION + HUGE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        std::alloc::handle_alloc_error(std::alloc::Layout::new::<[u8; REGION]>());
    }
    let start = start.cast::<u8>();
    let skip = start.addr().next_multiple_of(HUGE) - start.addr();
    let aligned = start.wrapping_add(skip);
    #[cfg(target_os = "linux")]
    // SAFETY: the range lies within the mapping above; the advice changes no content. A refusal costs speed only.
    unsafe {
        libc::madvise(aligned.cast(), REGION, libc::MADV_HUGEPAGE);
    }
    (aligned, REGION)
}

#[cfg(any(not(unix), miri, shuttle))]
fn map_region() -> (*mut u8, usize) {
    let size = if SMALL { REGION } else { 4 * PIECE };
    let layout = std::alloc::Layout::from_size_align(size, PIECE).expect("a constant, valid layout");
    // SAFETY: the layout is not empty.
    let start = unsafe { std::alloc::alloc_zeroed(layout) };
    if start.is_null() {
        std::alloc::handle_alloc_error(layout);
    }
    (start, size)
}

/// A fresh, zeroed piece for items of `size` bytes.
fn carve(size: usize, kind: Kind, place: usize) -> *mut u8 {
    let start = {
        let mut region = lock(&REGIONS_IN_USE[place]);
        if region.left < PIECE {
            let (next, left) = map_region();
            *region = Region { next, left };
        }
        let start = region.next;
        region.next = start.wrapping_add(PIECE);
        region.left -= PIECE;
        start
    };
    assert!(
        start.addr() >> 48 == 0,
        "datil packs addresses into 48 bits and got {start:p} from the system"
    );
    if kind == Kind::Cells {
        lock(&CELL_PIECES).push(Piece {
            start,
            cell_size: size,
        });
    }
    start
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cells,
    Blocks,
}

/// Free items of one class that no worker holds.
struct Depot {
    /// Number of magazines; a hint that saves the lock when there are none.
    full: AtomicUsize,
    magazines: Mutex<Vec<Magazine>>,
}

struct Magazine(Box<[*mut u8]>);

// SAFETY: a magazine owns the free items it lists.
unsafe impl Send for Magazine {}

impl Depot {
    const fn new() -> Self {
        Self {
            full: AtomicUsize::new(0),
            magazines: Mutex::new(Vec::new()),
        }
    }

    fn put(&self, items: &[*mut u8]) {
        let mut magazines = lock(&self.magazines);
        magazines.push(Magazine(items.into()));
        self.full.store(magazines.len(), Relaxed);
    }

    fn get(&self) -> Option<Magazine> {
        if self.full.load(Relaxed) == 0 {
            return None;
        }
        let mut magazines = lock(&self.magazines);
        let magazine = magazines.pop();
        self.full.store(magazines.len(), Relaxed);
        magazine
    }
}

static CELL_DEPOTS: [[Depot; CELL_SIZES.len()]; PLACES] =
    [const { [const { Depot::new() }; CELL_SIZES.len()] }; PLACES];
static BLOCK_DEPOTS: [[Depot; BLOCK_SIZES.len()]; PLACES] =
    [const { [const { Depot::new() }; BLOCK_SIZES.len()] }; PLACES];

/// The private free list of one class: last in, first out, so that the next item is the one still in cache.
pub(crate) struct Pool {
    items: *mut *mut u8,
    len: Cell<usize>,
    fresh: Cell<*mut u8>,
    fresh_end: Cell<*mut u8>,
    size: usize,
    kind: Kind,
    place: usize,
    depot: &'static Depot,
}

impl Pool {
    const CAPACITY: usize = 2 * MAGAZINE;

    fn new(size: usize, kind: Kind, place: usize, depot: &'static Depot) -> Self {
        // The buffer goes back into a vector when the pool is dropped.
        let items = ManuallyDrop::new(Vec::<*mut u8>::with_capacity(Self::CAPACITY)).as_mut_ptr();
        Self {
            items,
            len: Cell::new(0),
            fresh: Cell::new(ptr::null_mut()),
            fresh_end: Cell::new(ptr::null_mut()),
            size,
            kind,
            place,
            depot,
        }
    }

    /// An unused item. A cell keeps the header it had when it was given back, or is zeroed; a block has any content.
    #[inline(always)]
    pub(crate) fn take(&self) -> *mut u8 {
        let len = self.len.get();
        if len == 0 {
            return self.refill();
        }
        self.len.set(len - 1);
        // SAFETY: entries below `len` are initialised, and `len` never exceeds the capacity.
        unsafe { *self.items.add(len - 1) }
    }

    /// Says that another item will be taken soon after the next one, and written from its beginning.
    #[inline(always)]
    pub(crate) fn expect_more(&self) {
        let len = self.len.get();
        if len >= 2 {
            // SAFETY: entries below `len` are initialised.
            prefetch::block_to_write(unsafe { *self.items.add(len - 2) });
        }
    }

    /// Says that items will be taken one after the other: asks for the beginning of the one that is taken after [`AHEAD`] others, to be written. Its
    /// lines are in another processor's cache if that is where it was used last.
    #[inline(always)]
    pub(crate) fn expect_many(&self) {
        let len = self.len.get();
        if len > AHEAD {
            // SAFETY: entries below `len` are initialised.
            let item = unsafe { *self.items.add(len - 1 - AHEAD) };
            prefetch::line_to_write(item);
            if self.size > prefetch::LINE {
                prefetch::line_to_write(item.wrapping_add(prefetch::LINE));
            }
        }
    }

    /// Takes back an item that nothing refers to any more.
    #[inline(always)]
    pub(crate) fn give(&self, item: *mut u8) {
        let mut len = self.len.get();
        if len == Self::CAPACITY {
            len = self.spill();
        }
        // SAFETY: `len` is below the capacity.
        unsafe { *self.items.add(len) = item };
        self.len.set(len + 1);
    }

    #[cold]
    #[inline(never)]
    fn refill(&self) -> *mut u8 {
        if let Some(magazine) = self.depot.get() {
            let count = magazine.0.len();
            // SAFETY: the list is empty and a magazine holds at most `CAPACITY` items.
            unsafe { ptr::copy_nonoverlapping(magazine.0.as_ptr(), self.items, count) };
            self.len.set(count);
            return self.take();
        }
        if self.fresh.get() == self.fresh_end.get() {
            let start = carve(self.size, self.kind, self.place);
            self.fresh.set(start);
            self.fresh_end
                .set(start.wrapping_add(PIECE / self.size * self.size));
        }
        let left = (self.fresh_end.get().addr() - self.fresh.get().addr()) / self.size;
        let count = left.min(AT_ONCE);
        let end = self.fresh.get().wrapping_add(count * self.size);
        for i in 0..count {
            // Lowest address last, so that memory is first touched in its order.
            // SAFETY: the list is empty and `count` is below its capacity.
            unsafe { *self.items.add(i) = end.wrapping_sub((i + 1) * self.size) };
        }
        self.fresh.set(end);
        self.len.set(count);
        self.take()
    }

    /// Sends the older half to the depot; returns the new length.
    #[cold]
    #[inline(never)]
    fn spill(&self) -> usize {
        // SAFETY: the list is full, so both halves are initialised; they do not overlap.
        unsafe {
            self.depot.put(std::slice::from_raw_parts(self.items, MAGAZINE));
            ptr::copy_nonoverlapping(self.items.add(MAGAZINE), self.items, MAGAZINE);
        }
        MAGAZINE
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let item_count = (self.fresh_end.get().addr() - self.fresh.get().addr()) / self.size;
        for i in 0..item_count {
            self.give(self.fresh.get().wrapping_add(i * self.size));
        }
        // SAFETY: entries below `len` are initialised; the buffer was made by a `Vec` of this capacity.
        unsafe {
            let len = self.len.get();
            if len > 0 {
                let items = std::slice::from_raw_parts(self.items, len);
                items.chunks(MAGAZINE).for_each(|chunk| self.depot.put(chunk));
            }
            drop(Vec::from_raw_parts(self.items, 0, Self::CAPACITY));
        }
    }
}

/// The private free lists of one worker or of one outside thread.
pub(crate) struct Pools {
    pub(crate) cells: [Pool; CELL_SIZES.len()],
    pub(crate) blocks: [Pool; BLOCK_SIZES.len()],
}

impl Pools {
    pub(crate) fn new() -> Self {
        // While a thread ends its place may be gone already.
        let place = PLACE.try_with(Cell::get).unwrap_or(0);
        let (cells, blocks) = (&CELL_DEPOTS[place], &BLOCK_DEPOTS[place]);
        Self {
            cells: std::array::from_fn(|i| Pool::new(CELL_SIZES[i], Kind::Cells, place, &cells[i])),
            blocks: std::array::from_fn(|i| Pool::new(BLOCK_SIZES[i], Kind::Blocks, place, &blocks[i])),
        }
    }
}

/// Makes all memory fresh again; it is one region for the whole of a process that a model checker runs.
///
/// # Safety
/// Nobody holds an item, nor will look at one.
#[cfg(shuttle)]
pub(crate) unsafe fn forget() {
    lock(&CELL_PIECES).clear();
    for depot in CELL_DEPOTS.iter().flatten().chain(BLOCK_DEPOTS.iter().flatten()) {
        lock(&depot.magazines).clear();
        depot.full.store(0, Relaxed);
    }
    let mut region = lock(&REGIONS_IN_USE[0]);
    if region.next.is_null() {
        return;
    }
    let used = REGION - region.left;
    let start = region.next.wrapping_sub(used);
    crate::gate::forget(start, used);
    // SAFETY: the region was mapped as a whole; nobody else looks at it, by the caller.
    unsafe { start.write_bytes(0, used) };
    *region = Region {
        next: start,
        left: REGION,
    };
}

thread_local! {
    static THREAD_POOLS: RefCell<Option<Pools>> = const { RefCell::new(None) };
}

/// Takes the pools of a thread that is no worker; another set is made if they are in use or the thread is ending.
pub(crate) fn take_thread_pools() -> Pools {
    THREAD_POOLS
        .try_with(RefCell::take)
        .ok()
        .flatten()
        .unwrap_or_else(Pools::new)
}

/// Keeps pools for the thread's next use.
pub(crate) fn keep_thread_pools(pools: Pools) {
    let mut pools = Some(pools);
    let _ = THREAD_POOLS.try_with(|kept| kept.replace(pools.take()));
}

/// Runs `f` with pools that belong to the calling thread, which is no worker. `f` must run no code of users.
pub(crate) fn with_thread_pools<R>(f: impl FnOnce(&Pools) -> R) -> R {
    let mut f = Some(f);
    let used = THREAD_POOLS.try_with(|pools| {
        let f = f.take().expect("called once");
        f(pools.borrow_mut().get_or_insert_with(Pools::new))
    });
    // While a thread ends its own pools may be gone already; a destructor that sends uses pools for one occasion.
    used.unwrap_or_else(|_| f.take().expect("not called yet")(&Pools::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_distinct_and_come_back() {
        let pools = Pools::new();
        let pool = &pools.blocks[0];
        let count = if cfg!(miri) { 600 } else { 5000 };
        let mut items: Vec<_> = (0..count).map(|_| pool.take()).collect();
        items.sort();
        assert!(
            items.windows(2).all(|w| w[1].addr() - w[0].addr() >= 64),
            "items overlap"
        );
        items.iter().for_each(|&item| pool.give(item));
        let mut again: Vec<_> = (0..Pool::CAPACITY).map(|_| pool.take()).collect();
        again.sort();
        again.dedup();
        assert_eq!(again.len(), Pool::CAPACITY, "an item was handed out twice");
        again.into_iter().for_each(|item| pool.give(item));
    }

    #[test]
    fn class_is_the_smallest_that_fits() {
        assert_eq!(class_of(&CELL_SIZES, 1), 0);
        assert_eq!(class_of(&CELL_SIZES, 64), 0);
        assert_eq!(class_of(&CELL_SIZES, 65), 1);
        assert_eq!(class_of(&CELL_SIZES, 1024), CELL_SIZES.len() - 1);
    }
}
