//! How a user ends what runs for long.

use std::thread;

use anyhow::Result;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::streams::remark;
use crate::drive::{Interrupt, is_ignored};

const FINISHING: &str = "\nfinishing the current invocation; Ctrl-C again to stop at once";
const STOPPING: &str = "\nstopping at once";

/// Tells `interrupt` what the user and the system want until the handle is closed. What was ignored from the start stays so.
pub fn watch_signals(interrupt: &Interrupt) -> Result<signal_hook::iterator::Handle> {
    let heeded = [SIGINT, SIGTERM, SIGHUP].into_iter();
    let mut signals = Signals::new(heeded.filter(|signal| !is_ignored(*signal)))?;
    let handle = signals.handle();
    let interrupt = interrupt.clone();
    thread::spawn(move || {
        for signal in &mut signals {
            // A system that shuts down does not wait for an invocation to end.
            if signal != SIGINT {
                interrupt.press();
            }
            interrupt.press();
            let first = signal == SIGINT && !interrupt.at_once();
            remark(if first { FINISHING } else { STOPPING });
        }
    });
    Ok(handle)
}
