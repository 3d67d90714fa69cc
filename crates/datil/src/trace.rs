//! What happens to actors, as events of the crate `tracing` (feature `tracing`). Without the feature all of this is empty.
//!
//! Target `datil`, one event each; never one per message, and no spans, since an actor's life is no nested period of one thread.
//!
//! | event | level | fields |
//! | --- | --- | --- |
//! | `actor started` | debug | `actor` (type), `id`, `worker` |
//! | `actor stopped` | debug | `actor`, `id`, `worker` |
//! | `actor restarted` | info | `actor`, `id`, `worker` |
//! | `panic` | error | `actor` (or what else it was), `message_of_panic`, `worker` (if it was on one) |
//! | `mailbox full` | warn | `actor`, `id` |
//!
//! The subscriber is code of users and runs in the middle of an activation, or in whatever sends: a panic in it loses that
//! event and changes nothing else. (It is not told of itself; the process's panic hook is.)

use crate::address::ActorId;
use crate::mailbox::cell::Header;
use crate::worker::core::Core;

/// Declares what happens: nothing without the feature.
macro_rules! events {
    ($($(#[$doc:meta])* [$($unsafe:tt)?] $name:ident($($arg:ident: $type:ty),*) $body:block)*) => {
        $(
            $(#[$doc])*
            #[inline(always)]
            pub(crate) $($unsafe)? fn $name($($arg: $type),*) {
                #[cfg(feature = "tracing")]
                {
                    let tell = std::panic::AssertUnwindSafe(|| $body);
                    // What was thrown has a destructor, too, which nobody runs.
                    let _ = std::panic::catch_unwind(tell).map_err(std::mem::forget);
                }
                #[cfg(not(feature = "tracing"))]
                {
                    $(let _ = $arg;)*
                }
            }
        )*
    };
}

events! {
    /// `Actor::started` is about to run.
    ///
    /// # Safety
    /// The cell holds a live actor of the core's.
    [unsafe] started(core: &Core, actor: &'static str, cell: *mut Header) {
        // SAFETY: by the caller.
        let id = unsafe { crate::signal::extras::id(cell) };
        tracing::debug!(target: "datil", actor, ?id, worker = core.index(), "actor started");
    }

    /// It has ended, for whatever reason.
    [] stopped(core: &Core, actor: &'static str, id: ActorId) {
        tracing::debug!(target: "datil", actor, ?id, worker = core.index(), "actor stopped");
    }

    /// Its supervisor has built it anew.
    ///
    /// # Safety
    /// The cell holds a live actor of the core's.
    [unsafe] restarted(core: &Core, actor: &'static str, cell: *mut Header) {
        // SAFETY: by the caller.
        let id = unsafe { crate::signal::extras::id(cell) };
        tracing::info!(target: "datil", actor, ?id, worker = core.index(), "actor restarted");
    }

    /// Code of users has panicked.
    [] panicked(actor: &str, message: &str, worker: Option<usize>) {
        tracing::error!(target: "datil", actor, message_of_panic = message, worker, "panic");
    }

    /// A message found a bounded mailbox full.
    [] full(actor: &'static str, id: ActorId) {
        tracing::warn!(target: "datil", actor, ?id, "mailbox full");
    }
}
