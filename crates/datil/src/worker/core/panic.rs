//! Code of users that panics: the actor ends or begins anew, and the worker goes on.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use super::Core;
use crate::atomic::Ordering::Relaxed;
use crate::mailbox::cell::{Header, flag};
use crate::runtime::PanicInfo;
use crate::signal::extras;
use crate::sync::thread_local;
use crate::trace;
use crate::worker::current;
use crate::worker::port::bump;
use crate::worker::team::Team;

impl Core {
    /// Runs an actor that was taken out of a queue; a panic ends it, or lets it begin anew.
    pub(crate) fn run_caught(&self, cell: *mut Header) {
        self.current.set(cell);
        // SAFETY: what is in our queues is ours, alive and scheduled, and the caller has just taken it out.
        let run = || unsafe { ((*(*cell).vtable.get()).run)(self, cell) };
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(()) => {
                self.current.set(ptr::null_mut());
                self.tally();
            }
            Err(panic) => {
                self.end_panicked_actor(&*panic);
                self.quietly("a panic's payload", || drop(panic));
            }
        }
    }

    /// Ends the actor that ran when a panic went through it, or lets it begin anew.
    pub(crate) fn end_panicked_actor(&self, panic: &(dyn Any + Send)) {
        // Most panics come out of handlers, which are outside the core.
        self.enter();
        self.be_present();
        self.tally();
        let cell = self.current.replace(ptr::null_mut());
        if cell.is_null() {
            eprintln!("datil: a worker panicked outside any actor; this is a bug in datil or in its policy");
            std::process::abort();
        }
        // SAFETY: the actor that ran is ours and alive: only the end of its activation could have changed that.
        unsafe {
            let vtable = &*(*cell).vtable.get();
            self.report_panic((vtable.name)(), panic);
            if (*cell).flags.get() & flag::EXTENDED != 0 && extras::panicked(self, cell, panic) {
                self.yielded.push(cell);
                return;
            }
            (vtable.bury)(self, cell);
        }
    }

    /// Runs a destructor of a user; a panic in it is counted and reported, and nothing else.
    pub(crate) fn quietly(&self, what: &str, destroy: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(destroy)) {
            self.report_panic(what, &*panic);
            // The payload has a destructor, too; what that one throws is let go.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(panic))).map_err(std::mem::forget);
        }
    }

    pub(crate) fn report_panic(&self, actor: &str, payload: &(dyn Any + Send)) {
        bump(&self.counters().panics, 1);
        self.team.report_panic(actor, payload, Some(self.index()));
    }
}

impl Team {
    /// Runs code of users on the timers' thread, or another one that is no worker of this runtime; a panic in it is counted
    /// and reported, and nothing else. `None` if there was one.
    pub(crate) fn quietly<R>(&self, what: &'static str, act: impl FnOnce() -> R) -> Option<R> {
        self.stand_in(|| match catch_unwind(AssertUnwindSafe(act)) {
            Ok(done) => Some(done),
            Err(panic) => {
                // It comes back from a thread that ends: to be forgotten, as it has a destructor.
                std::mem::forget(put_off(what, panic));
                None
            }
        })
    }

    /// Does the runtime's work on a thread that is none of its workers: of panics that are caught there meanwhile, deep in
    /// code that knows of no runtime, is told afterwards.
    pub(crate) fn stand_in<R>(&self, act: impl FnOnce() -> R) -> R {
        // A thread that ends may have no list any more, while its destructors end a runtime.
        let replace = |list| UNTOLD.try_with(|untold| untold.replace(list)).ok().flatten();
        let before = replace(Some(Vec::new()));
        let done = act();
        let untold = replace(before);
        for (what, panic) in untold.into_iter().flatten() {
            self.timer_panics.fetch_add(1, Relaxed);
            self.report_panic(what, &*panic, None);
            let _ = catch_unwind(AssertUnwindSafe(|| drop(panic))).map_err(std::mem::forget);
        }
        done
    }

    /// Tells of a panic on a worker or elsewhere.
    fn report_panic(&self, actor: &str, payload: &(dyn Any + Send), worker: Option<usize>) {
        let message = crate::watch::panic_message(payload);
        trace::panicked(actor, message, worker);
        if let Some(hook) = &self.hook {
            let info = PanicInfo {
                actor,
                message,
                worker,
            };
            // A panicking hook must not take the thread down.
            let _ = catch_unwind(AssertUnwindSafe(|| hook(&info))).map_err(std::mem::forget);
        }
    }
}

thread_local! {
    /// Panics to be told of later, while the thread is in [`Team::stand_in`].
    static UNTOLD: RefCell<Option<Vec<(&'static str, Panic)>>> = const { RefCell::new(None) };
}

/// What was thrown.
type Panic = Box<dyn Any + Send>;

/// Keeps a panic for whoever stands in for a runtime on this thread. If nobody does it comes back.
fn put_off(what: &'static str, panic: Panic) -> Option<Panic> {
    let mut panic = Some(panic);
    // A thread that ends may have no list any more.
    let _ = UNTOLD.try_with(|untold| {
        if let Some(untold) = &mut *untold.borrow_mut() {
            untold.extend(panic.take().map(|panic| (what, panic)));
        }
    });
    panic
}

/// Runs code of users that must not end what its caller is about, on any thread: a panic in it is one of the worker `on`
/// or, without that, of the runtime for which the thread stands in, or of the worker that it is. If it is none either only
/// the process's panic hook has heard of it.
pub(crate) fn contain(what: &'static str, on: Option<&Core>, act: impl FnOnce()) {
    let Err(panic) = catch_unwind(AssertUnwindSafe(act)) else {
        return;
    };
    let tell = |core: &Core, panic: Panic| {
        core.report_panic(what, &*panic);
        core.quietly("a panic's payload", || drop(panic));
    };
    if let Some(core) = on {
        return tell(core, panic);
    }
    let Some(panic) = put_off(what, panic) else {
        return;
    };
    current::with(|core| match core {
        Some(core) => tell(core, panic),
        None => {
            // Its destructor is code of users, too.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(panic))).map_err(std::mem::forget);
        }
    });
}
