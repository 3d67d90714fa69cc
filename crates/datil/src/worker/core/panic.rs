//! Code of users that panics: the actor ends or begins anew, and the worker goes on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use super::Core;
use crate::mailbox::cell::{Header, flag};
use crate::runtime::PanicInfo;
use crate::signal::extras;
use crate::trace;
use crate::worker::current;
use crate::worker::port::bump;

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
    pub(crate) fn end_panicked_actor(&self, panic: &(dyn std::any::Any + Send)) {
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

    pub(crate) fn report_panic(&self, actor: &str, payload: &(dyn std::any::Any + Send)) {
        bump(&self.counters().panics, 1);
        let message = crate::watch::panic_message(payload);
        trace::panicked(self, actor, message);
        if let Some(hook) = &self.team.hook {
            let info = PanicInfo {
                actor,
                message,
                worker: self.index(),
            };
            // A panicking hook must not take the worker down.
            let _ = catch_unwind(AssertUnwindSafe(|| hook(&info))).map_err(std::mem::forget);
        }
    }
}

/// Runs code of users that must not end what its caller is about, on any thread: a panic in it is one of the worker `on`
/// or, without that, of the worker that the thread is. On a thread outside only the process's panic hook hears of it.
pub(crate) fn contain(what: &str, on: Option<&Core>, act: impl FnOnce()) {
    let Err(panic) = catch_unwind(AssertUnwindSafe(act)) else {
        return;
    };
    let report = |core: Option<&Core>| {
        if let Some(core) = core {
            core.report_panic(what, &*panic);
        }
        let _ = catch_unwind(AssertUnwindSafe(|| drop(panic))).map_err(std::mem::forget);
    };
    match on {
        Some(core) => report(Some(core)),
        None => current::with(report),
    }
}
