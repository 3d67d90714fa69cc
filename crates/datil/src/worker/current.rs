//! Which worker the calling thread is.

use std::cell::Cell;
use std::ptr;

use super::absence::Inside;
use super::core::Core;
use crate::sync::thread_local;

thread_local! {
    static CURRENT: Cell<*const Core> = const { Cell::new(ptr::null()) };
}

/// Calls `f` with the worker that the calling thread is, if it is one. Handlers and destructors may call this.
#[inline(always)]
pub(crate) fn with<R>(f: impl FnOnce(Option<&Core>) -> R) -> R {
    let core = CURRENT.with(Cell::get);
    // SAFETY: a worker thread sets this to its core, which outlives everything the thread runs, and clears it before it drops the core.
    let inside = unsafe { core.as_ref() }.map(Inside::new);
    f(inside.as_deref())
}

/// Says which worker the calling thread is from now on, null for none; returns which it was.
pub(crate) fn set(core: *const Core) -> *const Core {
    CURRENT.with(|current| current.replace(core))
}

/// Whether the calling thread is a worker that others' actors depend on.
pub(crate) fn must_not_block() -> bool {
    with(|core| core.is_some_and(|core| !core.team.may_block))
}
