//! The cell of an actor with its remote mailbox, and the lists through which tokens reach workers: what several models are made of.

use loom::cell::UnsafeCell;
use loom::sync::atomic::AtomicUsize;
use loom::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

pub(crate) const EMPTY: usize = 0;
pub(crate) const TOKEN: usize = 1;
/// Blocks are numbered from here on, as pointers are greater than `TOKEN`.
pub(crate) const FIRST: usize = 2;

/// A message block: written by its sender, then read by the owner.
#[derive(Default)]
pub(crate) struct Block {
    pub(crate) next: AtomicUsize,
    pub(crate) body: UnsafeCell<usize>,
}

/// One cell with `tag`, `remote` (generation above bit 8) and the part that only the owner may touch.
pub(crate) struct Cell {
    pub(crate) tag: AtomicUsize,
    pub(crate) remote: AtomicUsize,
    /// The link of an inbound list, of whoever holds the token.
    pub(crate) next_in: AtomicUsize,
    /// What the owner, and nobody else, reads and writes: state, private mailbox, flags.
    pub(crate) private: UnsafeCell<Private>,
    pub(crate) blocks: [Block; 3],
}

#[derive(Default)]
pub(crate) struct Private {
    pub(crate) got: Vec<usize>,
    pub(crate) generation: usize,
    pub(crate) holds: bool,
    pub(crate) dead: bool,
}

pub(crate) const fn word(state: usize, generation: usize) -> usize {
    state | generation << 8
}

pub(crate) const fn tag(owner: usize, generation: usize) -> usize {
    owner << 8 | generation
}

impl Cell {
    pub(crate) fn new(owner: usize) -> Self {
        Self {
            tag: AtomicUsize::new(tag(owner, 0)),
            remote: AtomicUsize::new(word(EMPTY, 0)),
            next_in: AtomicUsize::new(0),
            private: UnsafeCell::new(Private::default()),
            blocks: Default::default(),
        }
    }

    pub(crate) fn owner(&self) -> usize {
        self.tag.load(Acquire) >> 8
    }

    /// `mailbox::cell::push_remote`: `None` if the actor is gone, else whether the caller holds the token now.
    pub(crate) fn push_remote(&self, block: usize, generation: usize, body: usize) -> Option<bool> {
        self.blocks[block - FIRST]
            .body
            .with_mut(|place| unsafe { *place = body });
        let mut found = self.remote.load(Relaxed);
        loop {
            if found >> 8 != generation {
                return None;
            }
            let list = found & 0xFF;
            self.blocks[block - FIRST]
                .next
                .store(if list > TOKEN { list } else { 0 }, Relaxed);
            match self
                .remote
                .compare_exchange(found, word(block, generation), AcqRel, Relaxed)
            {
                Ok(_) => return Some(list == EMPTY),
                Err(now) => found = now,
            }
        }
    }

    /// `mailbox::cell::collect_remote`; the caller owns the cell, and holds the token if `state` is `EMPTY`.
    pub(crate) fn collect_remote(&self, state: usize) -> usize {
        let generation = self.tag.load(Relaxed) & 0xFF;
        let list = self.remote.swap(word(state, generation), AcqRel) & 0xFF;
        self.take(list)
    }

    pub(crate) fn take(&self, list: usize) -> usize {
        let mut bodies = Vec::new();
        let mut at = if list > TOKEN { list } else { 0 };
        while at != 0 {
            let block = &self.blocks[at - FIRST];
            bodies.push(block.body.with(|place| unsafe { *place }));
            at = block.next.load(Relaxed);
        }
        bodies.reverse();
        let count = bodies.len();
        self.private
            .with_mut(|private| unsafe { (*private).got.extend(bodies) });
        count
    }
}

/// An inbound list where there is one cell only: it holds its token or not. More than one at a time is the bug to be found. [`List`] is the list as it is.
#[derive(Default)]
pub(crate) struct Inbound(pub(crate) AtomicUsize);

impl Inbound {
    /// `worker::port::Port::deliver`.
    pub(crate) fn push(&self) {
        let before = self.0.swap(1, Release);
        assert_eq!(before, 0, "two tokens of one cell: the link would be overwritten");
    }

    /// `worker::port::Port::take_all`.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(0, Acquire) == 1
    }
}

/// Tokens linked in the order in which they will be pushed: `worker::port::Chain`. Cells are numbered from 1 on, as pointers to them are not null.
#[derive(Default)]
pub(crate) struct Chain {
    pub(crate) newest: usize,
    pub(crate) oldest: usize,
}

impl Chain {
    pub(crate) fn of(cells: &[Cell], tokens: &[usize]) -> Self {
        let mut chain = Self::default();
        tokens.iter().for_each(|&cell| chain.add(cells, cell));
        chain
    }

    /// `Chain::add`.
    pub(crate) fn add(&mut self, cells: &[Cell], cell: usize) {
        cells[cell - 1].next_in.store(self.newest, Relaxed);
        self.newest = cell;
        if self.oldest == 0 {
            self.oldest = cell;
        }
    }
}

/// An inbound list: a stack of cells that are linked by their own words.
#[derive(Default)]
pub(crate) struct List(pub(crate) AtomicUsize);

impl List {
    /// `worker::port::Port::has_mail`.
    pub(crate) fn has_mail(&self) -> bool {
        self.0.load(Relaxed) != 0
    }

    /// `worker::port::Port::deliver`, without what wakes the worker.
    pub(crate) fn deliver(&self, cells: &[Cell], chain: Chain) {
        if chain.oldest == 0 {
            return;
        }
        let mut head = self.0.load(Relaxed);
        loop {
            cells[chain.oldest - 1].next_in.store(head, Relaxed);
            match self.0.compare_exchange(head, chain.newest, Release, Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    /// `worker::port::Port::deliver_one`.
    pub(crate) fn deliver_one(&self, cells: &[Cell], cell: usize) {
        self.deliver(cells, Chain::of(cells, &[cell]));
    }

    /// `worker::port::Port::take_all`.
    pub(crate) fn take_all<'a>(&self, cells: &'a [Cell]) -> Arrivals<'a> {
        let mut newest_left = self.0.swap(0, Acquire);
        let mut oldest = 0;
        while newest_left != 0 {
            let link = &cells[newest_left - 1].next_in;
            let next = link.load(Relaxed);
            link.store(oldest, Relaxed);
            oldest = newest_left;
            newest_left = next;
        }
        Arrivals { cells, at: oldest }
    }
}

/// `worker::port::Arrivals`: the link is read before the token is handled.
pub(crate) struct Arrivals<'a> {
    pub(crate) cells: &'a [Cell],
    pub(crate) at: usize,
}

impl Iterator for Arrivals<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let cell = self.at;
        if cell == 0 {
            return None;
        }
        self.at = self.cells[cell - 1].next_in.load(Relaxed);
        Some(cell)
    }
}
