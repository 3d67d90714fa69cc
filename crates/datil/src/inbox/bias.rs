//! Biases: a thread that sends much has the tail of an inbox to itself, and locks it by two plain stores.
//!
//! See *The bias* in `README.md` beside this file.

use crate::atomic::AtomicBool;
use crate::atomic::Ordering::{Acquire, Relaxed, Release};
use std::cell::Cell;

use crate::membarrier;
use crate::pool::lock;
use crate::sync::{Mutex, Spin, thread, thread_local};
use crate::worker::port::Line;

/// Segments that an inbox waits at most, after a bias that did not last, before it grants another one.
const LONGEST: u32 = 64;

/// A thread that may have biases. Holders are never freed, so that who has read one, however late, finds one.
pub(super) struct Holder {
    /// Whether the thread is between looking at a bias and having published what it wrote. Written by that thread only.
    inside: Line<AtomicBool>,
}

static FREE: Mutex<Vec<&'static Holder>> = Mutex::new(Vec::new());

/// Lets those be that are free; see `crate::model`.
#[cfg(shuttle)]
pub(super) fn forget() {
    lock(&FREE).clear();
}

thread_local! {
    /// What the thread is known by, once it has had a bias. Without destructor, so that reading it costs next to nothing.
    static ME: Cell<Option<&'static Holder>> = const { Cell::new(None) };
    /// Gives it back when the thread ends.
    static LEASE: Lease = Lease::new();
}

struct Lease(&'static Holder);

impl Lease {
    fn new() -> Self {
        let free = lock(&FREE).pop();
        Self(free.unwrap_or_else(|| {
            Box::leak(Box::new(Holder {
                inside: Line(AtomicBool::new(false)),
            }))
        }))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // What this thread's destructors still send goes the long way. The next thread that is known by this holder has the biases that are left: the
        // list's lock orders its sends after those of this thread.
        let _ = ME.try_with(|me| me.set(None));
        lock(&FREE).push(self.0);
    }
}

impl Holder {
    /// The calling thread, if it has ever had a bias.
    #[inline(always)]
    pub(super) fn me() -> Option<&'static Self> {
        ME.try_with(Cell::get).ok().flatten()
    }

    /// The calling thread, which gets a holder if it has none; `None` if the thread is ending, or the system has no fence that reaches other threads.
    fn new_me() -> Option<&'static Self> {
        if !membarrier::is_available() {
            return None;
        }
        let me = Self::me().or_else(|| LEASE.try_with(|lease| lease.0).ok())?;
        ME.try_with(|cell| cell.set(Some(me))).ok()?;
        Some(me)
    }

    /// Says that this thread is about to look whether a bias is its own. To be followed by [`Holder::leave`].
    #[inline(always)]
    pub(super) fn enter(&self) {
        self.inside.0.store(true, Relaxed);
        // Before the look at the bias; see `wait_outside`.
        membarrier::light();
    }

    /// Says that what this thread wrote is published, or that it wrote nothing.
    #[inline(always)]
    pub(super) fn leave(&self) {
        // Release: who takes the bias back sees what was written.
        self.inside.0.store(false, Release);
    }

    /// Waits until this thread is not writing by a bias that the caller has taken away, and will not again.
    pub(super) fn wait_outside(&self) {
        // Refused only for want of memory.
        while !membarrier::heavy() {
            thread::yield_now();
        }
        let mut spin = Spin::default();
        // Acquire: all that was written.
        while self.inside.0.load(Acquire) {
            spin.turn();
        }
    }
}

/// When an inbox grants a bias. Belongs to who has locked the tail.
pub(super) struct Terms {
    /// Segments to be begun until a bias is granted.
    left: Cell<u32>,
    /// Segments that the next wait takes.
    wait: Cell<u32>,
}

impl Terms {
    /// At first: a thread must have filled a segment to be worth it. For a model checker, at once.
    pub(super) const fn new() -> Self {
        Self {
            left: Cell::new(if cfg!(shuttle) { 0 } else { 1 }),
            wait: Cell::new(1),
        }
    }

    /// A segment begins under a bias: it has paid.
    pub(super) fn lasted(&self) {
        self.wait.set(1);
    }

    /// A segment begins without a bias: whether the calling thread is to have one from now on. It has a holder then.
    pub(super) fn grant(&self) -> bool {
        let left = self.left.get();
        if left > 0 {
            self.left.set(left - 1);
            return false;
        }
        // Until it has lasted it has not.
        self.left.set(self.wait.get());
        self.wait.set((2 * self.wait.get()).min(LONGEST));
        Holder::new_me().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments begun until the next grant, the granting one included.
    fn until_granted(terms: &Terms) -> u32 {
        (1..).find(|_| terms.grant()).expect("granted some time")
    }

    #[test]
    fn biases_that_do_not_last_become_rare_and_lasting_ones_do_not() {
        let terms = Terms::new();
        if !membarrier::is_available() {
            assert!(
                (0..1000).all(|_| !terms.grant()),
                "a bias that nobody could take back"
            );
            return;
        }
        let waits: Vec<u32> = (0..9).map(|_| until_granted(&terms)).collect();
        assert_eq!(waits, [2, 2, 3, 5, 9, 17, 33, 65, 65]);
        terms.lasted();
        until_granted(&terms);
        assert_eq!(until_granted(&terms), 2);
    }

    #[test]
    fn a_thread_keeps_its_holder_and_gives_it_back() {
        if !membarrier::is_available() {
            assert!(Holder::new_me().is_none());
            return;
        }
        let lease = || {
            assert!(Holder::me().is_none(), "had none before");
            let me = Holder::new_me().expect("membarrier is there");
            assert!(std::ptr::eq(me, Holder::me().expect("has one now")));
            assert!(std::ptr::eq(me, Holder::new_me().expect("still")));
            std::ptr::from_ref(me).addr()
        };
        let mut held: Vec<_> = (0..64)
            .map(|_| std::thread::spawn(lease).join().unwrap())
            .collect();
        held.sort_unstable();
        held.dedup();
        // Threads of other tests may take some meanwhile.
        assert!(
            held.len() <= 32,
            "{} holders for threads one after the other",
            held.len()
        );
    }
}
